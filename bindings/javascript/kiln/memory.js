// SPDX-License-Identifier: Apache-2.0
// memory.js -- what is alive, for those who look for leaks.
import {engine, ensure} from './engine.js';

/** How many arrays the library holds, those that no object of JavaScript has included. */
export function liveCount() {
    ensure();
    return engine.exports.kjs_live_count();
}
/** {arrays, bytes, used}: arrays that are alive, bytes of the module's memory and those of its heap that are in use. */
export const memory = () => ({arrays: liveCount(), bytes: engine.memory.buffer.byteLength,
    used: engine.exports.kiln_heap_used() >>> 0});

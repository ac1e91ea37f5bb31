// SPDX-License-Identifier: Apache-2.0
// memory.js -- what is alive, for those who look for leaks.
import {engine, ensure} from './engine.js';

/** How many arrays the library holds, those that no object of JavaScript has included. */
export function liveCount() {
    ensure();
    return engine.exports.kjs_live_count();
}
/** {arrays, bytes}: of arrays that are alive, of the module's memory. */
export const memory = () => ({arrays: liveCount(), bytes: engine.memory.buffer.byteLength});

// SPDX-License-Identifier: Apache-2.0
// watch.js -- what Kiln tells of its work: what it records and compiles, the modules that it makes, the steps that run.
import {engine, ensure, onLog, onModule, onStep} from './engine.js';

/**
 * Sets who hears what from now on; watch() sets all back to nobody.
 * @param {object} [heard]
 * @param {number} [heard.debug] 0 to 5: how much is logged (1 what is recorded and compiled, 2 kernels, 3 jaxprs after
 * each pass, 4 programs)
 * @param {(level: number, text: string) => void} [heard.log] the lines; else they go to standard error, or the console
 * @param {(step: {operations: string, elements: number, seconds: number, file: string|null, line: number, device:
 * string}) => void} [heard.step]
 *     each step that ran: a kernel, a product, a copy, a loop
 * @param {(bytes: Uint8Array) => void} [heard.module] each module of kernels before it is compiled
 */
export function watch(heard = {}) {
    const {debug = 0, log = null, step = null, module = null} = heard ?? {};
    ensure();
    onLog(log);
    onStep(step);
    onModule(module);
    engine.exports.kjs_watch(debug, log ? 1 : 0, step ? 1 : 0);
}

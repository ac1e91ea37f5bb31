// SPDX-License-Identifier: Apache-2.0
// page.mjs -- the page's side of the tests' programs: one Worker for each, so that the page never waits.

/** Runs a program: {wasm, args, env, pack, fma}; see worker.mjs. Its status, and what it printed. */
window.run = job => new Promise((done, failed) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), {type: 'module'});
    const end = then => value => { worker.terminate(); then(value); };
    worker.onmessage = e => end(done)(e.data);
    worker.onerror = e => end(failed)(new Error(`${e.message} (${e.filename}:${e.lineno})`));
    worker.postMessage(job);
});
window.ready = true;

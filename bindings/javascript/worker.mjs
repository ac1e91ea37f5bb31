// SPDX-License-Identifier: Apache-2.0
// worker.mjs -- a worker thread of Kiln (threads.mjs makes it): an instance of its own with the memory of all, a stack
// and thread-local variables. It stays in Kiln's pool of threads until that ends.
import {wasi} from './wasi.mjs';
import {NOBODY, ASKED, RUNS} from './threads.mjs';

const node = typeof process === 'object' && process.versions?.node
    ? {...await import('node:worker_threads'), fs: (await import('node:fs')).default} : null;
const port = node ? node.parentPort : globalThis;
const post = message => port.postMessage(message);
const next = () => new Promise(done => {
    if (node) port.once('message', done);
    else port.onmessage = e => done(e.data);
});

// Puts functions that another thread made into this one's table.
const adopter = (memory, exports) => (at, size, places, n) => {
    at >>>= 0, places >>>= 0;
    const {__indirect_function_table: table, __stack_pointer: stack} = exports();
    try {
        memory.grow(0); // what others added to it is known from here on
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer).slice(at, at + size));
        const made = new WebAssembly.Instance(module, {kiln: {memory, table, stack}}).exports;
        new Int32Array(memory.buffer, places, n).forEach((place, i) => {
            if (place >= table.length) table.grow(place + 1 - table.length);
            if (place) table.set(place, made[i]);
        });
        return 1;
    } catch {
        return 0;
    }
};

function write(stream, bytes) {
    if (node) node.fs.writeSync(stream, bytes);
    else console[stream === 1 ? 'log' : 'error'](new TextDecoder().decode(bytes).replace(/\n$/, ''));
}

// Everything that the module imports; what only the first thread has throws.
function imports(module, {memory, features, since}, exports) {
    const known = {
        env: {memory},
        wasi_snapshot_preview1: wasi({memory: () => memory, write, since}),
        kiln: {features: () => features},
        kiln_threads: {
            cpus: () => 1, may_wait: () => 1, start: () => 0, adopt: adopter(memory, exports),
            fail() { throw new Error('a part of a part failed'); },
        },
    };
    const all = {};
    for (const {module: from, name, kind} of WebAssembly.Module.imports(module)) {
        all[from] ??= {};
        all[from][name] = known[from]?.[name] ?? (kind === 'function' ? () => {
            throw new Error(`${from}.${name} was called on a worker thread`);
        } : undefined);
    }
    return all;
}

const reasonOf = e => {
    const stack = e?.stack ?? '';
    let s = stack.includes(e?.message) ? stack : `${e}\n${stack}`; // Firefox's has no message
    for (;; s = s.slice(0, -1)) { // as much as there is room for, in whole characters
        const bytes = new TextEncoder().encode(s + '\0');
        if (bytes.length <= 512) return bytes;
        if (s.length > 512) s = s.slice(0, 512);
    }
};

async function work({module, memory, number, state, stack, tls, ...rest}) {
    const words = new Int32Array(memory.buffer), word = state / 4;
    if (Atomics.compareExchange(words, word, ASKED, RUNS) !== ASKED) return; // nobody waits for it any more
    let why;
    try {
        let exports;
        exports = (await WebAssembly.instantiate(module, imports(module, {memory, ...rest}, () => exports))).exports;
        exports.__stack_pointer.value = stack;
        const entries = new Uint32Array(memory.buffer, exports.kiln_threads.value >>> 0, 5);
        const [, variables, run, reason, failed] = [...entries].map(i => exports.__indirect_function_table.get(i));
        variables(tls);
        post({ready: true});
        for (let again = true; again;) {
            try {
                run(number);
                again = false;
            } catch (e) { // a trap, in a part: the call that it is of fails (src/base/worker_wasm.c)
                exports.__stack_pointer.value = stack;
                const at = reason() >>> 0;
                if (at) new Uint8Array(memory.buffer).set(reasonOf(e), at);
                again = failed() !== 0;
            }
        }
    } catch (e) {
        why = e.message;
    }
    Atomics.store(words, word, NOBODY);
    Atomics.notify(words, word);
    post({why});
}

await work(await next());
if (!node) globalThis.close();

// SPDX-License-Identifier: Apache-2.0
// threads.mjs -- worker threads for a build of Kiln with shared memory (preset wasm-threads): the imports of module
// "kiln_threads", and the workers of Node, pages, Deno and Bun, each of which runs worker.mjs.

const inNode = typeof process === 'object' && !!process.versions?.node; // so have Deno and Bun
const {Worker: Thread} = inNode ? process.getBuiltinModule('node:worker_threads') : globalThis;
const cpus = inNode ? process.getBuiltinModule('node:os').availableParallelism : null;
const PAGES = 512, MOST_PAGES = 65536; // as cmake/wasm.cmake says
const PATIENCE = 5000; // milliseconds for a worker to begin
export const [NOBODY, ASKED, RUNS] = [0, 1, 2]; // states of a worker, as in src/base/worker_wasm.c

/** Why there are no threads here; null where there are. */
export function whyNoThreads() {
    if (globalThis.crossOriginIsolated === false)
        return 'the page is not cross-origin isolated: its server has to send ' +
            'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
    if (typeof SharedArrayBuffer === 'undefined') return 'there is no SharedArrayBuffer';
    if (typeof Thread === 'undefined') return 'there are no workers';
    return null;
}

/** How many threads a program gets that asks for none: one for each processor. */
export const processors = () => cpus?.() ?? globalThis.navigator?.hardwareConcurrency ?? 1;

/** Does a module of Kiln need shared memory, that is, was it built for threads? */
export const isThreaded = module => WebAssembly.Module.imports(module).some(i => i.kind === 'memory');

/** The memory for such a module, which may grow to so many pages, or to fewer where the engine has not as many. */
export function sharedMemory(most = MOST_PAGES) {
    for (let maximum = most; ; maximum /= 2) {
        try {
            return new WebAssembly.Memory({initial: PAGES, maximum, shared: true});
        } catch (e) {
            if (maximum / 2 < PAGES) throw e;
        }
    }
}

// A page's own thread may not sleep.
function mayWait() {
    try {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0);
        return true;
    } catch {
        return false;
    }
}

const text = (memory, at) => {
    const bytes = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
};

/** The threads of one instance of Kiln. */
export class Threads {
    #module; #memory; #features; #workers = new Map(); // number -> {worker, ready, ended}
    #queue = Promise.resolve(); // of those that are to be made
    /** Why there are fewer workers than were asked for; null: there are not. */
    reason = whyNoThreads();
    /** How many threads an operation uses unless it is told otherwise, the calling one included. */
    threads;
    /** The imports of module "kiln_threads". */
    imports;

    /**
     * @param {WebAssembly.Module} module
     * @param {WebAssembly.Memory} memory sharedMemory()
     * @param {object} [options]
     * @param {number} [options.threads] how many threads there are, the calling one included
     * @param {() => number} options.features what the imports of module "kiln" say (kernels.mjs)
     */
    constructor(module, memory, {threads = processors(), features}) {
        this.#module = module;
        this.#memory = memory;
        this.#features = features;
        this.threads = this.reason ? 1 : threads;
        this.imports = {
            cpus: () => this.threads,
            may_wait: () => mayWait() ? 1 : 0,
            start: (number, state, stack, tls) =>
                this.#ask({number, state: state >>> 0, stack: stack >>> 0, tls: tls >>> 0}) ? 1 : 0,
            fail: at => { throw new WebAssembly.RuntimeError(`in a worker thread: ${text(this.#memory, at >>> 0)}`); },
            adopt: () => 1, // this thread has the functions that it made
        };
    }

    /**
     * Makes the workers, before the program begins, and waits until they have: on a page none begins while a
     * function runs. Those that are asked for later begin when they can, and so do those that are not there in time.
     * @param {object} exports of Kiln's instance
     */
    async start(exports) {
        if (this.threads < 2) return;
        const [start] = new Uint32Array(this.#memory.buffer, exports.kiln_threads.value >>> 0, 1);
        exports.__indirect_function_table.get(start)(this.threads - 1);
        await this.#queue;
    }

    /** How many workers there are. */
    get workers() { return this.#workers.size; }

    /** Ends the workers, for a program that has ended. */
    stop() {
        this.reason ??= 'the workers were stopped';
        for (const [, {worker, ended}] of this.#workers) {
            worker.terminate();
            ended();
        }
    }

    // In Node a worker begins while this thread is busy; elsewhere it needs the loop of events, and they are made one
    // after the other: `new Worker` in a worker never comes back in Firefox, now and then, while others load.
    #ask(job) {
        if (this.reason) return false;
        const made = inNode && this.#make(job);
        this.#queue = this.#queue.then(async () => {
            if (!inNode) this.#make(job);
            let timer;
            const late = new Promise(done => { timer = setTimeout(done, PATIENCE); });
            await Promise.race([this.#workers.get(job.number)?.ready, late]);
            clearTimeout(timer);
        });
        return made || !inNode;
    }

    #make({number, state, stack, tls}) {
        const words = new Int32Array(this.#memory.buffer);
        if (this.reason || Atomics.load(words, state / 4) !== ASKED) return false;
        let worker;
        try {
            const options = {type: 'module', name: `kiln ${number + 1}`};
            if (inNode) options.execArgv = []; // those of the program may be about its own text
            worker = new Thread(new URL('./worker.mjs', import.meta.url), options);
        } catch (e) {
            this.reason = `no worker could be made: ${e.message}`;
            return false;
        }
        const end = from => {
            if (Atomics.compareExchange(words, state / 4, from, NOBODY) === from) Atomics.notify(words, state / 4);
        };
        const ready = new Promise(resolve => {
            const ended = why => {
                if (why) this.reason = `a worker ended: ${why}`;
                if (this.#workers.get(number)?.worker === worker) {
                    this.#workers.delete(number);
                    end(ASKED), end(RUNS);
                }
                resolve();
            };
            const said = message => {
                if (!message.ready) return ended(message.why);
                worker.unref?.(); // the program does not wait for its end
                resolve();
            };
            this.#workers.set(number, {worker, ready: null, ended});
            if (inNode)
                worker.on('message', said).on('error', e => ended(e.message)).on('exit', () => ended());
            else {
                worker.onmessage = e => said(e.data);
                worker.onerror = e => (e.preventDefault?.(), ended(e.message ?? 'worker.mjs cannot be loaded'));
            }
        });
        this.#workers.get(number).ready = ready;
        worker.postMessage({module: this.#module, memory: this.#memory, number, state, stack, tls,
            features: this.#features(), since: performance.timeOrigin});
        return true;
    }
}

/**
 * The threads for a module that needs them, and the memory: what else goes into its imports. For another module: no
 * imports, and one thread.
 * @param {WebAssembly.Module} module
 * @param {object} options as of Threads
 * @returns {{imports: object, threads: Threads|null}}
 */
export function threadsFor(module, options) {
    if (!isThreaded(module)) return {imports: {}, threads: null};
    const memory = sharedMemory(), threads = new Threads(module, memory, options);
    return {imports: {env: {memory}, kiln_threads: threads.imports}, threads};
}

// SPDX-License-Identifier: Apache-2.0
// runner.mjs -- the page's side of worker.mjs: starts it, gives it programs, ends it when a program shall stop.

const base = new URL('../', import.meta.url);
/** Where the package lies, as one file: beside the site's own files. */
export const main = new URL('package/kiln/kiln.min.js', base).href;
const packages = {kiln: main, 'kiln-arrays': main, '@jax-js/jax': main};

/**
 * Where a text that cannot be parsed is at fault, from the error that the browser reports for it: {line, column,
 * message}.
 */
function parse_error(text) {
    return new Promise(done => {
        const script = document.createElement('script'),
            address = URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
        const end = found => {
            removeEventListener('error', heard);
            script.remove();
            URL.revokeObjectURL(address);
            done(found);
        };
        const heard = e => {
            if (e.filename !== address)
                return;
            e.preventDefault(); // it is told in the results
            end({line: e.lineno, column: e.colno, message: e.message});
        };
        addEventListener('error', heard);
        script.type = 'module';
        script.onload = script.onerror = () => setTimeout(() => end(null));
        script.src = address;
        document.head.append(script);
    });
}

/**
 * Runs programs in a Worker. `heard(message)` gets all that worker.mjs says; `changed(state)`: 'loading', 'ready',
 * 'running', 'broken'.
 */
export class Runner {
    #worker = null;
    #ready = null;
    #waiting = new Map(); // number -> what to do with the result
    #number = 0;
    #options;
    #heard;
    #changed;

    constructor({heard, changed = () => {}, options = {}}) {
        this.#heard = heard;
        this.#changed = changed;
        this.#options = options;
    }

    /** Loads Kiln, if it is not there; what the Worker said when it was ready. */
    start() {
        this.#ready ??= new Promise((done, failed) => {
            this.#changed('loading');
            this.#worker = new Worker(new URL('worker.mjs', import.meta.url), {type: 'module', name: 'kiln'});
            this.#worker.onmessage = e => this.#receive(e.data, done, failed);
            this.#worker.onerror = e => {
                e.preventDefault();
                this.#receive({type: 'broken', message: e.message ?? 'the Worker did not load'}, done, failed);
            };
            this.#worker.postMessage({type: 'begin', main, packages, options: this.#options});
        });
        return this.#ready;
    }

    #receive(message, done, failed) {
        if (message.type === 'ready') {
            this.#changed('ready');
            done(message);
        }
        if (message.type === 'broken') {
            this.#changed('broken');
            failed(new Error(message.message));
            this.#end();
        }
        this.#heard(message);
        if (message.type === 'done') {
            this.#waiting.get(message.number)?.(message);
            this.#waiting.delete(message.number);
            if (!this.#waiting.size)
                this.#changed('ready');
        }
    }

    async #ask(type, source) {
        await this.start();
        const number = ++this.#number;
        this.#changed('running');
        const result = await new Promise(done => {
            this.#waiting.set(number, done);
            this.#worker.postMessage({type, source, number});
        });
        if (result.source) {
            const where = await parse_error(result.source);
            if (where)
                this.#heard({type: 'place', where});
        }
        return result;
    }

    /** Runs a program: {failed, ms}; {stopped: true} where stop() was called. */
    run(source) { return this.#ask('run', source); }

    /** Runs one line beside what the last program left. */
    line(source) { return this.#ask('line', source); }

    #end() {
        this.#worker?.terminate();
        this.#worker = this.#ready = null;
        for (const done of this.#waiting.values())
            done({failed: true, stopped: true, ms: 0});
        this.#waiting.clear();
    }

    /** Ends what runs; the next program gets a new Worker, which is loaded at once. */
    stop() {
        this.#end();
        this.start().catch(() => {});
    }

    /** Other options of init() from now on, in a new Worker. */
    set options(options) {
        this.#options = options;
        this.stop();
    }
}

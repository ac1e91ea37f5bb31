// SPDX-License-Identifier: Apache-2.0
// harness.mjs -- runs programs that were compiled for WebAssembly in a browser, with files that they find in memory.
import fs from 'node:fs';
import path from 'node:path';
import {open, root} from './browser.mjs';
import {serve} from './serve.mjs';

/** All files below one, as [path below `name`, bytes]. */
function below(file, name) {
    if (!fs.statSync(file).isDirectory())
        return [[name, fs.readFileSync(file)]];
    return fs.readdirSync(file).sort().flatMap(entry => below(path.join(file, entry), `${name}/${entry}`));
}

/**
 * Files for one request: a number of bytes, a list as JSON, the contents behind each other. Each lies at the root under
 * its base name.
 */
function pack(paths) {
    const files = paths.flatMap(file => below(path.resolve(file), path.basename(file)));
    const list = Buffer.from(JSON.stringify(files.map(([name, bytes]) => ({path: name, size: bytes.length}))));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(list.length);
    return Buffer.concat([size, list, ...files.map(([, bytes]) => bytes)]);
}

/** A browser with a page that runs programs. */
export class Harness {
    #browser;
    #server;
    #page;
    #packs = 0;

    /** @param {'chromium'|'firefox'} name; options: as open()'s */
    static async start(name, options) {
        const h = new Harness();
        h.#browser = await open(name, options);
        h.#server = await serve({mounts: {'/kiln/': root}});
        h.#page = await h.#browser.page();
        await h.#page.goto(`${h.#server.url}/kiln/tests/web/page.html`);
        await h.#page.waitForFunction('window.ready');
        return h;
    }

    get page() { return this.#page; }

    /**
     * Runs a program: {code, stdout, stderr, modules, refused, why}.
     * @param {object} job wasm: its file; args, env; files: files and folders that it finds by their base names; fma:
     * as kernels.mjs has it
     */
    async run({wasm, files = [], ...job}) {
        const n = ++this.#packs, routes = this.#server.routes;
        routes.set(`/program${n}.wasm`, fs.readFileSync(wasm));
        routes.set(`/pack${n}`, pack(files));
        try {
            return await this.#page.evaluate(j => window.run(j),
                {...job, wasm: `/program${n}.wasm`, pack: `/pack${n}`});
        } finally {
            routes.delete(`/program${n}.wasm`);
            routes.delete(`/pack${n}`);
        }
    }

    /** Errors that the page or its workers told of, since it was opened. */
    get complaints() { return this.#page.complaints; }

    async close() {
        await this.#browser?.close();
        await this.#server?.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
// module.mjs -- which module of Kiln the Workers of the site load, the same in all of them, and that the cache of the
// service worker gets it. There are several (with relaxed SIMD, with threads), of which a browser needs one, so they are
// not among the files that it gets at once.
const read = async name => (await fetch(new URL(name, import.meta.url))).json();

/** Options of init(): threads, where the site has a module with them (built.json, of scripts/make-site.sh). */
export async function options() {
    const {threads} = await read('built.json');
    return {threads: threads ? Math.min(8, navigator.hardwareConcurrency ?? 1) : 1};
}

const sleep = ms => new Promise(done => setTimeout(done, ms));

/** Lets the service worker's cache have the module that was loaded here. */
export async function keep_module() {
    for (let i = 0; i < 40 && globalThis.caches; i++, await sleep(500)) {
        const name = (await caches.keys()).findLast(k => k.startsWith('kiln-')); // sw.js makes it
        if (!name)
            continue;
        const cache = await caches.open(name);
        for (const {name: address} of performance.getEntriesByType('resource'))
            if (address.endsWith('.wasm') && !await cache.match(address))
                await cache.add(address);
        return;
    }
}

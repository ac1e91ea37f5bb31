// SPDX-License-Identifier: Apache-2.0
// keep.mjs -- in a Worker: lets the cache of the service worker have the module of Kiln that was loaded here. There are
// several (with relaxed SIMD, with threads), of which a browser needs one, so they are not among the files that it gets
// at once.
const sleep = ms => new Promise(done => setTimeout(done, ms));

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

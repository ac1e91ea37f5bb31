// SPDX-License-Identifier: Apache-2.0
// first.mjs -- what a program waits for that begins: loading a library, and the first call of two functions. One
// library, once, in a fresh program: node first.mjs PLACES LIBRARY; a page calls first().
import {openAll} from './libraries.mjs';

export async function first(places, name) {
    const start = performance.now(), [library] = await openAll(places, {just: name});
    if (!library) return null;
    const out = {load: performance.now() - start};
    for (const [kind, n] of [['chain', 1000], ['mlp', 64]]) {
        if (!library[kind]) continue;
        await library.begin?.();
        const c = library[kind](n), from = performance.now();
        try {
            const y = c.once();
            if (c.wait) await c.wait(y);
            else await c.values(y);
            out[kind] = performance.now() - from;
        } catch { /* this part of the library is not there */ }
    }
    return out;
}

if (globalThis.process?.argv?.[1]?.endsWith('first.mjs')) {
    const {places} = await import('./places.mjs');
    process.stdout.write(JSON.stringify(await first(await places(), process.argv[2])));
    process.exit(0);
}

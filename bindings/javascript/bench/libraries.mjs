// SPDX-License-Identifier: Apache-2.0
// libraries.mjs -- opens the libraries that are there. places: {kiln, jaxjs, numpyts, tf, ...}: where each is.

/** All that can be opened, Kiln first, or those whose names have a part that is in `only`, or the one that is `just`; log says
 * which cannot. */
export async function openAll(places, {only = null, just = null, log = () => {}} = {}) {
    const openers = [
        ['Kiln', () => import('./kiln.mjs'), places.kiln && {}],
        ['Kiln threads', () => import('./kiln.mjs'), places.kilnThreads && {kiln: places.kilnThreads,
            threads: navigator.hardwareConcurrency}],
        ['jax-js wasm', () => import('./jax-js.mjs'), places.jaxjs && {device: 'wasm'}],
        ['jax-js webgpu', () => import('./jax-js.mjs'), places.jaxjs && globalThis.navigator?.gpu &&
            {device: 'webgpu'}],
        ['numpy-ts', () => import('./numpy-ts.mjs'), places.numpyts && {}],
        ['TensorFlow.js wasm', () => import('./tensorflow.mjs'), places.tf && {backend: 'wasm'}],
        ['TensorFlow.js cpu', () => import('./tensorflow.mjs'), places.tf && {backend: 'cpu'}],
    ];
    const all = [];
    for (const [name, module, options] of openers) {
        if (!options || (just && name !== just) || (only && !only.some(o => name.includes(o)))) continue;
        try {
            const library = await (await module()).open({...places, ...options});
            all.push({...library, name});
        } catch (e) {
            log(`${name} is not here: ${String(e?.message ?? e).split('\n')[0]}`);
        }
    }
    return all;
}

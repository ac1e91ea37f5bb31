// SPDX-License-Identifier: Apache-2.0
// node-webgpu.mjs -- WebGPU in Node, which has no navigator.gpu: KILN_WASM_WEBGPU names a module with its functions, the
// package `webgpu` of npm or the path of its index.js; KILN_WASM_WEBGPU_OPTIONS: options of that, between commas.
import {openWebGPU} from './webgpu.mjs';

/** The device, for kernels(); null if none is named. */
export async function nodeWebGPU() {
    const {KILN_WASM_WEBGPU: name, KILN_WASM_WEBGPU_OPTIONS: options} = process.env;
    if (!name) return null;
    const {create, globals} = await import(name);
    Object.assign(globalThis, globals);
    return openWebGPU({gpu: create(options?.split(',') ?? [])});
}

/** Its driver has threads, which would let no process end. */
export function endWebGPU(webgpu) {
    webgpu?.close();
    if (webgpu) process.exit();
}

// SPDX-License-Identifier: Apache-2.0
// worker.mjs -- what run.mjs of bindings/javascript does in Node, in a Worker of a page: runs a program that was
// compiled for WebAssembly.
import {kernels, hasRelaxed} from '../../bindings/javascript/kernels.mjs';
import {MemoryFiles} from '../../bindings/javascript/memory-files.mjs';
import {threadsFor} from '../../bindings/javascript/threads.mjs';
import {wasi, Exit} from '../../bindings/javascript/wasi.mjs';
import {openWebGL} from '../../bindings/javascript/webgl.mjs';
import {openWebGPU} from '../../bindings/javascript/webgpu.mjs';

/** Files of a pack (harness.mjs): a number of bytes, a list as JSON, the contents behind each other. */
async function unpack(url, files) {
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    let at = 4 + new DataView(bytes.buffer).getUint32(0, true);
    for (const {path, size} of JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)))) {
        files.put(path, bytes.slice(at, at + size));
        at += size;
    }
}

async function run({wasm, args = [], env = {}, pack = null, fma = 'auto', gpu = false, gl = false}) {
    const out = {1: [], 2: []}, text = list => new TextDecoder().decode(new Uint8Array(list.flatMap(b => [...b])));
    if (fma === 'relaxed' && !hasRelaxed())
        return {code: 77, stdout: 'skipped: this engine has no relaxed SIMD\n', stderr: ''};
    const files = new MemoryFiles();
    if (pack)
        await unpack(pack, files);
    let exports, code = 0;
    const webgpu = gpu ? await openWebGPU() : null;
    const webgl = gl ? openWebGL() : null;
    const made = kernels({exports: () => exports, fma, webgpu, webgl});
    const module = await WebAssembly.compileStreaming(fetch(wasm));
    const {imports, threads} = threadsFor(
        module, {threads: Number(env.KILN_NUM_THREADS ?? 1), features: made.features});
    const around = {
        ...imports,
        wasi_snapshot_preview1: wasi({
            memory: () => exports.memory, args: ['program', ...args], env, fs: files,
            write: (stream, bytes) => out[stream].push(bytes),
        }),
        kiln: made,
    };
    exports = (await WebAssembly.instantiate(module, around)).exports;
    await threads?.start(exports);
    try {
        await (webgpu ? webgpu.promising(exports._start)() : exports._start());
    } catch (e) {
        code = e instanceof Exit ? e.code : 134;
        if (code === 134)
            out[2].push(new TextEncoder().encode(`${e}\n${e.stack ?? ''}\n`)); // Firefox's stack has no message
    }
    threads?.stop();
    const {modules, refused, why} = made.count;
    return {code, stdout: text(out[1]), stderr: text(out[2]), modules, refused, why: why && String(why)};
}

self.onmessage = async e => self.postMessage(await run(e.data));

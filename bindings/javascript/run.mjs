// SPDX-License-Identifier: Apache-2.0
// run.mjs -- runs a program that was compiled for WebAssembly with Kiln in it:
// node run.mjs [--threads N] PROGRAM.wasm [ARGUMENT...]
// --threads, or KILN_NUM_THREADS: how many threads it has, if it was built for threads. KILN_WASM_FMA=exact|relaxed|auto.
// KILN_WASM_WEBGPU: see node-webgpu.mjs. KILN_BACKEND and all other variables are the program's.
import fs from 'node:fs';
import {join} from 'node:path';
import {wasi, Exit} from './wasi.mjs';
import {kernels, hasRelaxed, wantsRelaxed} from './kernels.mjs';
import {endWebGPU, nodeWebGPU} from './node-webgpu.mjs';
import {threadsFor} from './threads.mjs';

const given = process.argv.slice(2);
if (given[0] === '--threads') process.env.KILN_NUM_THREADS = given.splice(0, 2)[1];
const [path, ...args] = given, fma = process.env.KILN_WASM_FMA ?? 'auto';
const skip = why => (console.log(`skipped: ${why}`), process.exit(77));
if (fma === 'relaxed' && !hasRelaxed()) skip('this engine has no relaxed SIMD');
const program = fs.readFileSync(path);
if (!WebAssembly.validate(program) && !hasRelaxed()) skip('this engine has no relaxed SIMD');
const module = await WebAssembly.compile(program);
const needs = new TextDecoder().decode(WebAssembly.Module.customSections(module, 'target_features')[0] ?? new ArrayBuffer(0));
if (needs.includes('+relaxed-simd') && !wantsRelaxed(fma)) skip("the program's loops are for multiply-adds that round once");
let exports;
const webgpu = await nodeWebGPU();
const made = kernels({exports: () => exports, fma, webgpu});
const wanted = Number(process.env.KILN_NUM_THREADS) || undefined;
const {imports, threads} = threadsFor(module, {threads: wanted, features: made.features});
const around = {
  ...imports,
  wasi_snapshot_preview1: wasi({
    memory: () => exports.memory, args: [path, ...args], env: process.env, fs,
    resolve(folder, path) { // below the working folder, unless its first folder is only to be found at the root
      const first = path.split('/')[0], here = process.cwd();
      const absolute = folder !== '/' || (first !== path && !fs.existsSync(join(here, first)) && fs.existsSync('/' + first));
      return join(absolute ? folder : here, path);
    },
    write: (stream, bytes) => fs.writeSync(stream, bytes),
    read: b => { try { return fs.readSync(0, b, 0, b.length, null); } catch { return 0; } },
  }),
  kiln: made,
};
exports = (await WebAssembly.instantiate(module, around)).exports;
await threads?.start(exports);
let code = 0;
try {
  await (webgpu ? webgpu.promising(exports._start)() : exports._start());
} catch (e) {
  if (!(e instanceof Exit)) {
    console.error(e.stack ?? e);
    code = 134;
  } else
    code = e.code;
}
if (process.env.KILN_WASM_COUNT) console.error(`${made.count.modules} modules, ${made.count.functions} functions, ${made.count.bytes} bytes, ${made.count.refused} refused`, made.count.why ?? '');
process.exitCode = code;
threads?.stop();
endWebGPU(webgpu);

// SPDX-License-Identifier: Apache-2.0
// run.mjs -- runs one program that was compiled for WebAssembly in a browser:
//     node tests/web/run.mjs chromium|firefox [--file PATH]... PROGRAM.wasm [ARGUMENT...]
// PATH: a file or a folder that the program finds under its base name. KILN_WASM_FMA=exact|relaxed|auto; other
// variables KILN_... and JAX_... are the program's. KILN_WEB_GPU=1: the browser has WebGPU, by a driver in software.
// KILN_WEB_GL=1: the program has WebGL 2, likewise. KILN_WEB_CONSOLE=1: shows the page's console.
import {main} from './browser.mjs';
import {Harness} from './harness.mjs';

function read(argv) {
    const [name, ...rest] = argv, files = [];
    while (rest[0] === '--file')
        files.push(rest.splice(0, 2)[1]);
    const [wasm, ...args] = rest;
    return {name, files, wasm, args};
}

await main(async () => {
    const {name, ...job} = read(process.argv.slice(2));
    if (!job.wasm)
        throw new Error('usage: run.mjs chromium|firefox [--file PATH]... PROGRAM.wasm [ARGUMENT...]');
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(KILN|JAX)_/.test(key)));
    const gpu = Boolean(process.env.KILN_WEB_GPU), gl = Boolean(process.env.KILN_WEB_GL);
    const harness = await Harness.start(name, {gpu: gpu || gl});
    try {
        const {code, stdout, stderr, modules, refused, why} =
            await harness.run({...job, env, gpu, gl, fma: process.env.KILN_WASM_FMA ?? 'auto'});
        process.stdout.write(stdout);
        process.stderr.write(stderr);
        if (process.env.KILN_WASM_COUNT)
            console.error(`${modules} modules, ${refused} refused ${why ?? ''}`);
        harness.complaints.forEach(c => console.error(c));
        return harness.complaints.length && !code ? 1 : code;
    } finally {
        await harness.close();
    }
});

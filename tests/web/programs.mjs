// SPDX-License-Identifier: Apache-2.0
// programs.mjs -- runs a list of programs in one browser and compares what they print:
//     node tests/web/programs.mjs chromium|firefox [--gpu] LIST [NAME...]
// LIST (tests/web/CMakeLists.txt): lines "name|program|text that it must print|file or folder that it finds"; NAME:
// only these. --gpu: with WebGPU, by a driver in software.
import fs from 'node:fs';
import {main} from './browser.mjs';
import {Harness} from './harness.mjs';

/** The first line that differs, told for a reader. */
function difference(want, got) {
    const a = want.split('\n'), b = got.split('\n');
    const at = a.findIndex((line, i) => line !== b[i]);
    if (at < 0)
        return `more lines than expected: ${b[a.length]}`;
    return `line ${at + 1}: expected ${a[at]}\n          got ${b[at] ?? '(end)'}`;
}

async function check(harness, {wasm, expected, files}, gpu) {
    const before = harness.complaints.length;
    const n = process.env.KILN_NUM_THREADS, env = n ? {KILN_NUM_THREADS: n} : {};
    const {code, stdout, stderr} = await harness.run({wasm, files: files ? [files] : [], env, gpu});
    if (code)
        return `exit status ${code}\n${stdout}${stderr}`;
    const want = fs.existsSync(expected) ? fs.readFileSync(expected, 'utf8') : stdout;
    if (want !== stdout)
        return difference(want, stdout) + `\n${stderr}`;
    return harness.complaints.slice(before).join('\n');
}

await main(async () => {
    const argv = process.argv.slice(2), gpu = argv[1] === '--gpu',
        [name, list, ...only] = argv.filter(a => a !== '--gpu');
    const programs = fs.readFileSync(list, 'utf8').split('\n').filter(Boolean).map(line => {
        const [title, wasm, expected, files] = line.split('|');
        return {title, wasm, expected, files};
    }).filter(p => !only.length || only.includes(p.title));
    const harness = await Harness.start(name, {gpu});
    let failed = 0;
    try {
        for (const program of programs) {
            const why = fs.existsSync(program.wasm) ? await check(harness, program, gpu) : 'was not built';
            console.log(`${why ? 'FAILED' : 'ok    '} ${program.title}${why ? `\n${why}` : ''}`);
            failed += why ? 1 : 0;
        }
    } finally {
        await harness.close();
    }
    console.log(`${programs.length - failed} of ${programs.length} programs in ${name}`);
    return failed || !programs.length ? 1 : 0;
});

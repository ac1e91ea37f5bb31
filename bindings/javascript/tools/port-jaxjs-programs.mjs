#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// port-jaxjs-programs.mjs -- the programs of jax-js's site (website/src/routes/repl), run on Kiln by changing the
// import, and, with --beside, on jax-js: what both print is compared.
//
//     node port-jaxjs-programs.mjs SOURCES [--package FOLDER] [--out FOLDER] [--beside jax-js/dist/index.js]
//
// The status is 1 if a program throws that is not among those below.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {port} from './port-jaxjs.mjs';

const KNOWN = {
    '14-least-squares': 'np.linalg.lstsq returns [x, residuals, rank, s], as in NumPy and JAX',
    '46-tokenizer': 'of @jax-js/loaders', '47-safetensors-keys': 'of @jax-js/loaders',
    '48-weight-mapper': 'of @jax-js/loaders',
};
// What a program finds of the site: pictures become a line of text.
const modules = (jax, optax) => `import * as jaxjs from ${JSON.stringify(jax)};
${optax ? `import * as optax from ${JSON.stringify(optax)};` : 'const optax = null;'}
await jaxjs.init();
globalThis.displayImage = async image => {
    const data = await image.data();
    console.log('image', image.shape.join('x'), (data.reduce((a, b) => a + Number(b), 0) / data.length).toFixed(3));
};
const setup = null, vitest = null;
export {jaxjs, optax, setup, vitest};
`;

function run(out, name, code) {
    const program = join(out, `${name}.mjs`);
    writeFileSync(program, code);
    const {status, stdout, stderr} = spawnSync(process.execPath, ['--no-warnings', program],
                                               {encoding: 'utf8', timeout: 120_000});
    return {good: status === 0, text: stdout, error: stderr.match(/^\w*Error.*$/m)?.[0] ?? stderr.slice(0, 200)};
}
/** "same", "close" (numbers within a thousandth), "other numbers" or "another text" */
export function compared(a, b) {
    if (a === b) return 'same';
    const number = /-?\d+\.?\d*(?:e[+-]?\d+)?|NaN|Infinity/g, plain = t => t.replace(number, '#').replace(/\s+/g, '');
    if (plain(a) !== plain(b)) return 'another text';
    const [x, y] = [a, b].map(t => (t.match(number) ?? []).map(Number));
    return x.every((v, i) => Math.abs(v - y[i]) <= 1e-5 + 1e-3 * Math.abs(y[i])) ? 'close' : 'other numbers';
}

const options = {package: 'build/wasm/package', out: 'build/jaxjs-programs', beside: ''}, rest = [];
for (let i = 2, argv = process.argv; i < argv.length; i++)
    if (argv[i].startsWith('--')) options[argv[i].slice(2)] = argv[++i];
    else rest.push(argv[i]);
const folder = join(rest[0] ?? '', 'website/src/routes/repl');
if (!existsSync(folder)) {
    console.error(`no programs of jax-js in ${folder}`);
    process.exit(2);
}
const kiln = name => new URL(`kiln/${name}.js`, pathToFileURL(`${resolve(options.package)}/`)).href;
const sides = [['kiln', kiln('index'), kiln('optax')]];
if (options.beside) sides.push(['jaxjs', pathToFileURL(resolve(options.beside)).href, '']);
for (const [side, ...from] of sides) {
    mkdirSync(join(options.out, side), {recursive: true});
    writeFileSync(join(options.out, side, 'package.json'), '{"type": "module"}\n');
    writeFileSync(join(options.out, side, 'modules.mjs'), modules(...from));
}
let ran = 0, wrong = 0;
const counts = {};
for (const file of readdirSync(folder).filter(f => /^\d.*\.ts$/.test(f)).sort()) {
    const name = file.replace(/\.ts$/, ''), {code, why} = port(readFileSync(join(folder, file), 'utf8'), file);
    const on = side => (why ? {good: false, error: why} : run(join(options.out, side), name, code));
    const ours = on('kiln');
    if (ours.good) ran++;
    else if (!(name in KNOWN)) wrong++;
    let how = ours.good ? 'runs' : `${ours.error}${name in KNOWN ? ` (${KNOWN[name]})` : ''}`;
    if (ours.good && options.beside) {
        const theirs = on('jaxjs');
        const word = theirs.good ? compared(ours.text, theirs.text) : 'jax-js alone does not run it here';
        counts[word] = (counts[word] ?? 0) + 1;
        how = word;
    }
    console.log(`${name}: ${how}`);
}
const sums = Object.entries(counts).map(([word, n]) => `${n} ${word}`);
console.log(`${ran} run, ${wrong} fail without a reason`, sums.join(', '));
process.exitCode = wrong ? 1 : 0;

// SPDX-License-Identifier: Apache-2.0
// main.mjs -- the benchmark of the JavaScript package: node main.mjs [--only=CASE,...] [--libraries=NAME,...]
// [--rounds=N] [--milliseconds=N] [--no-node] [--no-browser] [--no-first] [--native=PROGRAM] [--cpu]. Prints tables in
// Markdown; what happens goes to the other stream. --cpu: in Node the processor's time counts, of all threads
// together, for machines that have other work, too.
import {spawn, execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import {fileURLToPath} from 'node:url';
import {measure, table} from './measure.mjs';
import {openAll} from './libraries.mjs';
import {kilnPackage, peers, places, root} from './places.mjs';

const options = Object.fromEntries(process.argv.slice(2).map(a => {
    const m = /^--(no-)?([a-z]+)(?:=(.*))?$/.exec(a);
    if (!m) throw new Error(`what is ${a}?`);
    return [m[2], m[1] ? false : m[3] ?? true];
}));
const list = x => (typeof x === 'string' ? x.split(',') : null);
const log = text => console.error(text);
const settings = {rounds: +(options.rounds ?? 9), milliseconds: +(options.milliseconds ?? (options.cpu ? 200 : 30)),
    only: list(options.only)};

/** Kiln for this machine on one thread, as a program that takes turns with the others. */
function native(program, name, environment) {
    const child = spawn(program, {env: {...process.env, KILN_NUM_THREADS: '1', ...environment,
        ...(options.cpu ? {BENCH_CPU: '1'} : {})}, stdio: ['pipe', 'pipe', 'inherit']});
    const answers = readline.createInterface({input: child.stdout})[Symbol.asyncIterator]();
    const ask = async line => {
        child.stdin.write(`${line}\n`);
        return (await answers.next()).value ?? 'error it ended';
    };
    const prepare = async (kind, n) => {
        const answer = await ask(`prepare ${kind} ${n}`);
        if (answer.startsWith('error')) return {error: answer};
        return {digest: answer.split(' ').map(Number), run: async times => +(await ask(`run ${times}`))};
    };
    return {library: {name, remote: {prepare}}, close: () => child.kill()};
}

function report(title, rows) {
    const names = [...new Set(['Kiln', ...rows.flatMap(r => Object.keys(r.of))])];
    console.log(`\n### ${title}\n\nMinimum (median) of ${settings.rounds} rounds.\n\n${table(rows, names)}`);
    for (const r of rows)
        for (const [name, x] of Object.entries(r.of)) if (x.error) console.log(`\n${r.name}, ${name}: ${x.error}`);
}
const median = l => l.sort((a, b) => a - b)[l.length >> 1];
function reportFirst(title, all) {
    console.log(`\n### ${title}\n\nMilliseconds, medians of fresh starts.\n`);
    console.log('| | loading | first chain of 1e3 | first MLP step |\n|---|---:|---:|---:|');
    for (const [name, runs] of Object.entries(all)) {
        const cell = k => (runs.some(r => r[k] !== undefined) ? median(runs.map(r => r[k])).toFixed(1) : '');
        if (runs.length) console.log(`| ${name} | ${cell('load')} | ${cell('chain')} | ${cell('mlp')} |`);
    }
}

const program = options.native === false ? null : options.native ?? path.join(root, 'build/wasm/bench-native');
// What the processor has, and no more than AVX2: vectors of 32 bytes, of which those of WebAssembly are half.
const machines = program && fs.existsSync(program)
    ? [native(program, 'native', {}), native(program, 'native AVX2', {KILN_BACKEND: 'avx2'})] : [];
if (program && !machines.length) log(`no ${program}: the native columns stay empty`);
console.log(`${os.cpus()[0].model}, ${os.cpus().length} processors; Node ${process.version}`);

if (options.node !== false) {
    const libraries = await openAll(await places(), {only: list(options.libraries), log});
    libraries.splice(libraries[1]?.name.startsWith('Kiln') ? 2 : 1, 0, ...machines.map(m => m.library));
    const cpu = () => {
        const {user, system} = process.cpuUsage(); // of all threads; in ticks of some milliseconds
        return (user + system) / 1000;
    };
    const rows = await measure(libraries, {...settings, log, clock: options.cpu ? cpu : null});
    report(`Node ${process.version}${options.cpu ? ', time of the processor' : ''}`, rows);
}
const NAMES = ['Kiln', 'jax-js wasm', 'jax-js webgpu', 'numpy-ts', 'TensorFlow.js wasm', 'TensorFlow.js cpu'];
if (options.node !== false && options.first !== false) {
    const all = Object.fromEntries(NAMES.map(n => [n, []])),
        file = fileURLToPath(new URL('first.mjs', import.meta.url));
    for (let r = 0; r < 5; r++) {
        for (const name of NAMES) {
            const got = JSON.parse(execFileSync(process.execPath, [file, name],
                {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}) || 'null');
            if (got) all[name].push(got);
        }
    }
    reportFirst('First calls, Node', all);
}
if (options.browser !== false) {
    const {inBrowser} = await import('./browser.mjs');
    await inBrowser({settings, libraries: list(options.libraries), machines, log, report, reportFirst, NAMES,
                     first: options.first !== false, kilnPackage, peers, root});
}
for (const m of machines) m.close();
process.exit(0);

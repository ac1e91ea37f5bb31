#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// port-jaxjs.mjs -- jax-js's own test programs, run on Kiln: a referee for names and semantics. They are taken from a
// folder with its sources, ported mechanically (types stripped, imports replaced) into a folder of builds, and run.
//
//     node port-jaxjs.mjs SOURCES [--package build/wasm/package] [--out FOLDER] [--only PATTERN] [--known FILE]
// [--table FILE]
//
// --known: lines "file | test | reason" of tests that are not expected to pass; then the status is 1 if others fail or
// one of those passes. --table: where the numbers by file are written, as Markdown.
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {stripTypeScriptTypes} from 'node:module';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

// ---- What is a test of the public interface. Others say why not.
const FOLDERS = ['test', 'src', 'packages'];
const INTERNAL = 'internals of jax-js: it imports ';
// relative imports that are public under another name: file -> module of ours, as an expression over its exports;
// beside a public one, tests of the internals fail where they use them
const PUBLIC = {
    './array': 'jaxjs.numpy', './tree': 'jaxjs.tree', '../alu': 'jaxjs', './setup': 'setup',
    '../../test/setup': 'setup', '../src/treeUtils': 'optax',
};
const BESIDE = {'../backend': 'jaxjs', './core': '{}', '../routine': '{}'};
const MODULES = {'@jax-js/jax': 'jaxjs', '@jax-js/optax': 'optax', vitest: 'vitest'};

function* files(folder) {
    for (const entry of readdirSync(folder, {withFileTypes: true})) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && entry.name !== 'node_modules') yield* files(path);
        else if (/\.test\.ts$/.test(entry.name)) yield path;
    }
}

/** The program in JavaScript for Kiln, or {why} it is none. */
export function port(text, name = '') {
    const code = stripTypeScriptTypes(text), missing = [];
    const imports = /^import\s+(?:type\s+)?(?:(\{[^}]*\})|\*\s+as\s+(\w+))?\s*(?:from\s*)?["']([^"']+)["'];?/gm;
    const some = [...code.matchAll(imports)].some(([, , , from]) => from in PUBLIC);
    const ported = code.replace(imports, (all, names, star, from) => {
        const source = MODULES[from] ?? PUBLIC[from] ?? (some ? BESIDE[from] : undefined);
        if (!source) {
            missing.push(from);
            return all;
        }
        if (!names && !star) return '';
        return `const ${star ?? names.replace(/(\w+)\s+as\s+(\w+)/g, '$1: $2')} = ${source};`;
    });
    if (/platform-test/.test(name)) return {why: 'of a runtime: it looks which devices jax-js finds there'};
    if (missing.length) return {why: INTERNAL + missing.join(', ')};
    return {code: `import {jaxjs, optax, setup, vitest} from './modules.mjs';\n${ported}\n`};
}

// What the ported programs import: Kiln with what jax-js says of devices.
const modules = kiln => `import * as kiln from ${JSON.stringify(new URL('kiln/index.js', kiln).href)};
import * as optax from ${JSON.stringify(new URL('kiln/optax.js', kiln).href)};
import * as vitest from ${JSON.stringify(pathToFileURL(join(here, 'vitest-shim.mjs')).href)};
await kiln.init();
// One device that has jax-js's name; files that ask for others get the first of those under its name.
const own = {devices: ['wasm'], init: async (...names) => ['wasm', ...names.slice(0, 1)], defaultDevice: () => 'wasm'};
const jaxjs = {...kiln, ...own};
const setup = {hasStrictNumerics: () => true};
export {jaxjs, optax, setup, vitest};
`;
const runner = `import {writeFileSync} from 'node:fs';
const [program, out] = process.argv.slice(2);
const {run} = (await import('./modules.mjs')).vitest;
await import(program);
writeFileSync(out, JSON.stringify(await run(undefined, [], name => writeFileSync(out + '.now', name))));
`;

function main(argv) {
    const options = {package: 'build/wasm/package', out: 'build/jaxjs-port', only: '', known: '', table: ''}, rest = [];
    for (let i = 0; i < argv.length; i++)
        if (argv[i].startsWith('--')) options[argv[i].slice(2)] = argv[++i];
        else rest.push(argv[i]);
    if (rest.length !== 1) {
        console.error('usage: port-jaxjs.mjs SOURCES [--package FOLDER] [--out FOLDER] [--only PATTERN] ' +
            '[--known FILE] [--table FILE]');
        return 2;
    }
    const [source] = rest, out = resolve(options.out);
    mkdirSync(out, {recursive: true});
    writeFileSync(join(out, 'package.json'), '{"type": "module"}\n');
    writeFileSync(join(out, 'modules.mjs'), modules(pathToFileURL(`${resolve(options.package)}/`)));
    writeFileSync(join(out, 'runner.mjs'), runner);
    const results = [];
    for (const file of FOLDERS.flatMap(f => [...files(join(source, f))]).sort()) {
        const name = relative(source, file);
        if (!name.includes(options.only)) continue;
        const {code, why} = port(readFileSync(file, 'utf8'), name);
        if (why) {
            results.push({name, why, tests: []});
            continue;
        }
        const program = join(out, name.replace(/[/\\]/g, '__').replace(/\.ts$/, '.mjs')), json = `${program}.json`;
        writeFileSync(program, code);
        writeFileSync(json, 'null');
        const child = spawnSync(process.execPath, ['--no-warnings', join(out, 'runner.mjs'), program, json],
                                {encoding: 'utf8', timeout: 500_000, cwd: out});
        const tests = JSON.parse(readFileSync(json, 'utf8'));
        if (tests) results.push({name, tests});
        else results.push({name, tests: [{name: `(all, at ${now(json)})`, status: 'failed',
            error: lastLines(child.stderr) || `status ${child.status} ${child.signal ?? ''}`}]});
        const count = s => results.at(-1).tests.filter(t => t.status === s).length;
        console.log(`${name}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
    }
    return report(results, options);
}
const now = json => {
    try {
        return readFileSync(`${json}.now`, 'utf8');
    } catch {
        return 'its beginning';
    }
};
const lastLines = s => (s ?? '').trim().split('\n').filter(l => /Error/.test(l)).slice(0, 2).join(' ');

function knownOf(file) {
    const known = new Map();
    if (!file) return known;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
        const [name, test, reason] = line.split(' | ');
        if (reason && !line.startsWith('#')) known.set(`${name} | ${test}`, reason.trim());
    }
    return known;
}
function report(results, options) {
    const known = knownOf(options.known), sums = {passed: 0, failed: 0, skipped: 0};
    let wrong = 0;
    const rows = [];
    for (const {name, why, tests} of results) {
        const count = {passed: 0, failed: 0, skipped: 0};
        for (const t of tests) {
            count[t.status]++;
            const reason = known.get(`${name} | ${t.name}`) ?? known.get(`${name} | *`);
            if (t.status === 'failed' && !reason) {
                wrong++;
                console.log(`FAILED ${name} | ${t.name}\n    ${t.error.split('\n').slice(0, 3).join('\n    ')}`);
            } else if (options.known && t.status === 'passed' && known.has(`${name} | ${t.name}`)) {
                wrong++;
                console.log(`PASSED, though it is said that it cannot: ${name} | ${t.name}`);
            }
        }
        for (const s of Object.keys(sums)) sums[s] += count[s];
        rows.push(why ? `| ${name} | | | | not run: ${why} |`
            : `| ${name} | ${count.passed} | ${count.failed} | ${count.skipped} | |`);
    }
    console.log(`${sums.passed} passed, ${sums.failed} failed (${wrong} without a reason), ${sums.skipped} skipped, ` +
        `${results.filter(r => r.why).length} files not run`);
    if (options.table) {
        writeFileSync(options.table,
            `| file | passed | failed | skipped | |\n|---|---|---|---|---|\n${rows.join('\n')}\n` +
            `| all | ${sums.passed} | ${sums.failed} | ${sums.skipped} | |\n`);
    }
    return wrong ? 1 : 0;
}

const isProgram = process.argv[1] && basename(process.argv[1]) === basename(fileURLToPath(import.meta.url));
if (isProgram) process.exitCode = main(process.argv.slice(2));

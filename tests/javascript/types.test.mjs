// SPDX-License-Identifier: Apache-2.0
// types.test.mjs -- kiln/index.d.ts: programs compile under tsc --strict, wrong ones do not, and what it declares is
// what the package has. tsc is that of KILN_TSC or of node_modules in the build; without one these tests are skipped.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, cpSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {kiln, np, packageFolder} from './support.mjs';

const here = fileURLToPath(new URL('.', import.meta.url)), build = join(here, '../../build');
const tsc = [process.env.KILN_TSC, join(build, 'node/node_modules/typescript/bin/tsc'),
    join(build, 'jax-js/node_modules/typescript/bin/tsc')]
    .find(f => f && existsSync(f));
const declarations = readFileSync(join(packageFolder, 'kiln/index.d.ts'), 'utf8');

/** The messages of tsc for a program: [[line, text], ...] */
function compile(name) {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-types-'));
    try {
        mkdirSync(join(folder, 'node_modules'));
        symlinkSync(packageFolder, join(folder, 'node_modules/kiln-arrays'));
        cpSync(join(here, 'types', name), join(folder, name));
        writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
        return new Promise(done => {
            execFile(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext',
                '--lib', 'esnext,dom',
                name], {cwd: folder}, (_, out) => {
                rmSync(folder, {recursive: true});
                done([...out.matchAll(/\((\d+),\d+\): (error .*)/g)].map(m => [+m[1], m[2]]));
            });
        });
    } catch (e) {
        rmSync(folder, {recursive: true});
        throw e;
    }
}
test('programs compile', {skip: !tsc && 'no tsc'}, async () => assert.deepEqual(await compile('right.ts'), []));
test('wrong programs do not', {skip: !tsc && 'no tsc'}, async () => {
    const lines = readFileSync(join(here, 'types/wrong.ts'), 'utf8').split('\n');
    const wrong = lines.flatMap((l, i) => (l.includes('// wrong') && !l.startsWith('//') ? [i + 1] : []));
    const found = new Set((await compile('wrong.ts')).map(([l]) => l));
    assert.deepEqual(wrong.filter(l => !found.has(l)).map(l => lines[l - 1]), [], 'these compile');
    assert.deepEqual([...found].filter(l => !wrong.includes(l)).map(l => lines[l - 1]), [], 'these do not');
});
const membersOf = name => {
    const from = declarations.indexOf(`export interface ${name} {`);
    return new Set([...declarations.slice(from, declarations.indexOf('\n}',
        from)).matchAll(/^    (?:readonly )?(\w+)\??[(:<]/gm)].map(m => m[1]));
};
test('what is exported is declared, and nothing else', () => {
    const declared = new Set([...declarations.matchAll(/^export declare (?:const|function|class) (\w+)/gm)].map(m =>
        m[1]));
    for (const m of declarations.matchAll(/^export \{ \w+ as (\w+) \}/gm)) declared.add(m[1]);
    for (const name of ['Poly1d']) declared.delete(name); // types of results
    assert.deepEqual([...declared].filter(n => !(n in kiln)).sort(), [], 'declared only');
    assert.deepEqual(Object.keys(kiln).filter(n => !declared.has(n)).sort(), [], 'exported only');
});
test('what np and its kin have is declared, and nothing else', async () => {
    await kiln.init();
    const spaces = {Numpy: np, NumpyLinalg: np.linalg, NumpyFft: np.fft, NumpyEmath: np.emath, Lax: kiln.lax,
        LaxLinalg: kiln.lax.linalg,
        Nn: kiln.nn, NnInitializers: kiln.nn.initializers, Random: kiln.random, Ops: kiln.ops,
        ScipySpecial: kiln.scipy.special,
        ScipyLinalg: kiln.scipy.linalg,
        ScipySignal: kiln.scipy.signal, ScipyFft: kiln.scipy.fft, ScipyIntegrate: kiln.scipy.integrate};
    if (kiln.optim) spaces.Optim = kiln.optim;
    for (const [name, space] of Object.entries(spaces)) {
        const declared = membersOf(name), there = Object.keys(space).filter(n => !n.includes('_') &&
            !['linalg', 'initializers'].includes(n));
        assert.deepEqual([...declared].filter(n => space[n] === undefined).sort(), [], `${name}: declared only`);
        assert.deepEqual(there.filter(n => !declared.has(n) && !['linalg', 'fft', 'emath'].includes(n)).sort(), [],
            `${name}: there only`);
    }
});
test("Array's members are declared, and nothing else", () => {
    const from = declarations.indexOf('export declare class Array {'),
        body = declarations.slice(from, declarations.indexOf('\n}', from));
    const declared = new Set([...body.matchAll(/^    (?:readonly )?(\w+)\??[(:<]/gm)].map(m => m[1]).filter(n =>
        n !== 'constructor'));
    const x = np.ones(1);
    assert.deepEqual([...declared].filter(n => n !== 'device' && !(n in x)).sort(), [], 'declared only');
    const there = new Set([...Object.getOwnPropertyNames(kiln.Array.prototype)].filter(n => !n.includes('_') &&
        n !== 'constructor'));
    assert.deepEqual([...there].filter(n => !declared.has(n)).sort(), [], 'there only');
});

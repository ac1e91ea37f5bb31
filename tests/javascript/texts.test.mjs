// SPDX-License-Identifier: Apache-2.0
// texts.test.mjs -- messages: every function is called wrongly, and what it says is about JavaScript: it names no function
// of C, shows no text of an object, and is not the engine's own about a line of the package.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kiln, np} from './support.mjs';

await kiln.init();
const {lax, nn, random, scipy, ops, optim, tree} = kiln;
const spaces = {np, 'np.linalg': np.linalg, 'np.fft': np.fft, 'np.emath': np.emath, lax, 'lax.linalg': lax.linalg, nn, random,
    ops, optim, 'scipy.special': scipy.special, 'scipy.linalg': scipy.linalg, 'scipy.signal': scipy.signal,
    'scipy.fft': scipy.fft, 'scipy.integrate': scipy.integrate, tree, kiln};
const x = np.ones([2, 3]), small = np.array([1, 2], {dtype: 'int8'}), empty = np.ones([0]), truth = np.array([true]),
    complex = np.array([{re: 1, im: 2}]), f = v => v;
const wrong = [
    [], [null], [undefined], ['text'], [{}], [{a: 1}], [f], [Symbol('s')], [new Date()], [new Map()], [NaN], [-1], [1e300],
    [empty], [complex], [truth], [[1, null]], [[x, 'a']], [[[1], [1, 2]]], [x, 'text'], [x, {a: 1}], [x, null], [x, {}],
    [x, x, x], [x, [1, null]], [x, -99], [x, 1.5], [x, 2n ** 70n], [x, new Map()], [x, [2]], [x, [-1]], [x, ['a']],
    [small, x, complex], [x, x, 'text'], [x, 0, 'text'], [x, {axis: 'text'}], [x, {axis: 9}], [x, {axis: 1.5}],
    [x, x, {axis: {}}], [x, {dtype: 'nothing'}], [x, {dtype: 3}], [x, {out: 3}], [x, {where: 'a'}], [x, {keepdims: 'a'}],
    [x, {mode: 'nothing'}], [x, {shape: 'a'}], [x, x, x, x, x, x, x, x, x, x], ['key', [2]], [complex, complex, complex],
    [empty, empty], [empty, 0], [x, f], [f, x, 'a'], [f, x], [f, {a: x}], [f, x, x],
];
const bad = new RegExp(['kn_', 'knx_', 'kjs_', '\\[object', '\\bundefined', 'a other', '=>', 'is not a function', 'not iterable',
    'Cannot read', 'Cannot convert (?!float)', 'set_at', 'place_mask', 'ufunc_', 'find_device', 'memory access', 'unreachable',
    'intermediate value', "reading '"].join('|'));
const left = new Set(['init', 'dispose', 'showConfig', 'show_config', 'save', 'savez', 'savezCompressed', 'savez_compressed']);

for (const [space, functions] of Object.entries(spaces))
    test(`messages of ${space}`, () => {
        const found = [];
        for (const name of Object.keys(functions)) {
            if (typeof functions[name] !== 'function' || left.has(name)) continue;
            for (const args of wrong)
                try {
                    functions[name](...args)?.catch?.(() => {});
                } catch (e) {
                    if (!(e instanceof Error) || bad.test(e.message))
                        found.push(`${space}.${name}, arguments ${wrong.indexOf(args)}: ${e?.message}`);
                }
        }
        assert.deepEqual(found, []);
    });
test('messages of methods', () => {
    const found = [];
    for (const name of Object.getOwnPropertyNames(kiln.Array.prototype)) {
        const {value} = Object.getOwnPropertyDescriptor(kiln.Array.prototype, name);
        if (typeof value !== 'function' || /^(constructor|dispose|subscribe)$/.test(name)) continue;
        for (const args of wrong)
            try {
                np.ones([2, 3])[name](...args)?.catch?.(() => {});
            } catch (e) {
                if (bad.test(e.message)) found.push(`${name}, arguments ${wrong.indexOf(args)}: ${e.message}`);
            }
    }
    assert.deepEqual(found, []);
});
test('what is named is named as here', () => {
    assert.throws(() => random.bits(np.ones(3)), /random\.key makes one/);
    assert.throws(() => np.array([1, null]), {name: 'TypeError', message: 'an element of an array cannot be null'});
    assert.throws(() => np.array([1, {}]), {message: 'an element of an array cannot be an object (Object)'});
    assert.throws(() => x.set([9], 1), {name: 'IndexError', message: /^index 9 is out of bounds/});
});

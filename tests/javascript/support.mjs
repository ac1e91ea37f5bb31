// SPDX-License-Identifier: Apache-2.0
// support.mjs -- what tests of the JavaScript package share: the package itself (KILN_PACKAGE), comparisons of values.
import assert from 'node:assert/strict';
import {pathToFileURL} from 'node:url';

const folder = globalThis.process?.env?.KILN_PACKAGE ?? new URL('../../build/wasm/package', import.meta.url).pathname;
export const packageFolder = folder;
/** A module of the package: "kiln/index.js" */
export const load = name => import(pathToFileURL(`${folder}/${name}`));
/** The module that the tests use: another entry of the package, or its parts. */
export const entry = globalThis.process?.env?.KILN_ENTRY ?? 'kiln/index.js';
export const kiln = await load(entry);
const {np} = kiln;

/** Numbers of a value in C order: of arrays, nested lists, complex numbers as pairs. */
export function flat(x) {
    if (x instanceof kiln.Array) return flat(x.js());
    if (Array.isArray(x)) return x.flatMap(flat);
    if (ArrayBuffer.isView(x)) return flat([...x]);
    if (x !== null && typeof x === 'object' && 're' in x) return [x.re, x.im];
    return [x];
}
export function close(got, expected, {rtol = 1e-5, atol = 1e-6} = {}, what = '') {
    const a = flat(got), b = flat(expected);
    assert.equal(a.length, b.length, `${what} ${a.length} numbers instead of ${b.length}`);
    a.forEach((x, i) => {
        const y = b[i];
        if (typeof x === 'boolean' || typeof y === 'boolean') return assert.equal(Number(x), Number(y), what);
        if (typeof x === 'bigint' || typeof y === 'bigint') return assert.equal(BigInt(x), BigInt(y), what);
        const near = Object.is(x, y) || x === y || Math.abs(x - y) <= atol + rtol * Math.abs(y) || (x !== x && y !== y);
        assert.ok(near, `${what} ${x} instead of ${y} at ${i}`);
    });
}
/** An array with these dtype, shape and values. */
export function is(x, dtype, shape, values, tolerance) {
    assert.equal(x.dtype, dtype);
    assert.deepEqual([...x.shape], shape);
    close(x, values, tolerance);
}
export {np};

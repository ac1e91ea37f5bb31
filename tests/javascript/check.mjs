// SPDX-License-Identifier: Apache-2.0
// check.mjs -- what tests of the JavaScript package share: the package itself (KILN_PACKAGE is its folder), closeness
// of
// numbers, and tests that leave nothing behind.
import assert from 'node:assert/strict';
import {test as plain} from 'node:test';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const here = new URL('.', import.meta.url);
export const folder = process.env.KILN_PACKAGE ? pathToFileURL(`${resolve(process.env.KILN_PACKAGE)}/`)
    : new URL('../../build/wasm/package/', here);
export const kiln = await import(new URL('kiln/index.js', folder));
const {engine} = await import(new URL('kiln/engine.js', folder));
await kiln.init();

/** How many handles C has that are somebody's. */
export const live = () => engine.exports.kjs_live_count();
export const memory = () => engine.memory.buffer.byteLength;

setFlagsFromString('--expose-gc');
const gc = globalThis.Bun ? () => globalThis.Bun.gc(true) : runInNewContext('gc');
/** Lets the collector find what nobody has, and its finalizers run. */
export async function collect() {
    for (let i = 0; i < 3; i++) {
        gc();
        await new Promise(done => setTimeout(done, 0));
    }
}

/** A test after which as many handles live as before. */
export function test(name, f, options = {}) {
    plain(name, options, async t => {
        await collect();
        const before = live();
        await f(t);
        await collect();
        // Bun's collector takes whatever lies on the stack for an address, and keeps what is there.
        if (!globalThis.Bun) assert.equal(live(), before, 'handles that live on');
    });
}

const plainOf = x => (x instanceof kiln.Array ? x.jsSync() : Array.isArray(x) ? x.map(plainOf)
    : x !== null && typeof x === 'object' ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, plainOf(v)])) : x);
function near(a, b, tolerance, path) {
    if (typeof b === 'number') {
        assert.equal(typeof a, 'number', `${path}: ${JSON.stringify(a)} is no number`);
        const fits = Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
        assert.ok(fits, `${path}: ${a} is not near ${b}`);
    } else if (b !== null && typeof b === 'object') {
        assert.deepEqual(Object.keys(a ?? {}).sort(), Object.keys(b).sort(), `${path}: keys`);
        for (const k of Object.keys(b)) near(a[k], b[k], tolerance, `${path}.${k}`);
    } else assert.deepEqual(a, b, path);
}
/** A tree of arrays has these numbers, as float32 has them. */
export function close(actual, expected, tolerance = 2e-6) { near(plainOf(actual), plainOf(expected), tolerance,
    'value'); }

/** f throws an error of this name whose message has this text or fits this pattern. */
export function fails(f, name, text) {
    assert.throws(f, e => {
        const kind = e.name === 'TypeError' || e instanceof TypeError ? 'TypeError' : e.name;
        assert.equal(kind, name, `${e.name}: ${e.message}`);
        if (text instanceof RegExp) assert.match(e.message, text);
        else if (text) assert.ok(e.message.includes(text), e.message);
        return true;
    });
}

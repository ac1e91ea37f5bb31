// SPDX-License-Identifier: Apache-2.0
// assert.mjs -- node:assert/strict as far as the tests of the JavaScript package use it, for browsers.

export class AssertionError extends Error {
    name = 'AssertionError';
}

const show = x => {
    try {
        const text = typeof x === 'string' ? JSON.stringify(x) : typeof x === 'bigint' ?
            `${x}n` : typeof x === 'object' ?
            JSON.stringify(x, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)) : String(x);
        return String(text).slice(0, 400);
    } catch {
        return Object.prototype.toString.call(x);
    }
};
function fail(message, text) {
    if (message instanceof Error)
        throw message;
    throw new AssertionError(message ? `${message} (${text})` : text);
}

/** Are two values the same, to their depths, with their classes? */
function same(a, b) {
    if (Object.is(a, b))
        return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null ||
        Object.getPrototypeOf(a) !== Object.getPrototypeOf(b))
        return false;
    if (a instanceof Date || a instanceof RegExp)
        return String(a) === String(b);
    if (a instanceof Error && (a.message !== b.message || a.name !== b.name))
        return false;
    if (a instanceof Map)
        return a.size === b.size && [...a].every(([k, v]) => b.has(k) && same(v, b.get(k)));
    if (a instanceof Set)
        return a.size === b.size && [...a].every(v => b.has(v));
    if (a instanceof ArrayBuffer)
        return same(new Uint8Array(a), new Uint8Array(b));
    if (ArrayBuffer.isView(a))
        return a.length === b.length && Array.prototype.every.call(a, (v, i) => Object.is(v, b[i]));
    const keys = Reflect.ownKeys(a).filter(k => Object.prototype.propertyIsEnumerable.call(a, k));
    const others = Reflect.ownKeys(b).filter(k => Object.prototype.propertyIsEnumerable.call(b, k));
    return (!Array.isArray(a) || a.length === b.length) && keys.length === others.length &&
        keys.every(k => Object.hasOwn(b, k) && same(a[k], b[k]));
}

/**
 * Is an error what throws() was told to expect: a class, a pattern, a function that says so, an object of properties?
 */
function expected(e, want, message) {
    if (want === undefined || typeof want === 'string')
        return;
    if (want instanceof RegExp)
        return want.test(String(e)) || fail(message, `${e} does not match ${want}`);
    if (typeof want === 'object') {
        for (const [k, v] of Object.entries(want))
            if (!(v instanceof RegExp && typeof e[k] === 'string' ? v.test(e[k]) : same(e[k], v)))
                fail(message, `${k} of the error is ${show(e[k])}, expected ${v}`);
        return;
    }
    if (want.prototype !== undefined && e instanceof want)
        return;
    if (Error.isPrototypeOf(want) || want === Error)
        throw e;
    if (want.call({}, e) !== true)
        fail(message, `the error is not what it shall be: ${e}`);
}

const assert = (value, message) => { if (!value) fail(message, `${show(value)} is not true`); };
export default Object.assign(assert, {
    AssertionError, ok: assert,
    equal(a, b, message) {
        // Without a collector that can be called nobody knows when handles go.
        if (!Object.is(a, b) && !(message === 'handles that live on' && !globalThis.gc))
            fail(message, `${show(a)} instead of ${show(b)}`);
    },
    notEqual(a, b, message) { if (Object.is(a, b)) fail(message, `${show(a)}, which it shall not be`); },
    deepEqual(a, b, message) { if (!same(a, b)) fail(message, `${show(a)} instead of ${show(b)}`); },
    notDeepEqual(a, b, message) { if (same(a, b)) fail(message, `${show(a)}, which it shall not be`); },
    match(a, pattern, message) { if (!pattern.test(a)) fail(message, `${show(a)} does not match ${pattern}`); },
    doesNotMatch(a, pattern, message) { if (pattern.test(a)) fail(message, `${show(a)} matches ${pattern}`); },
    fail(message) { fail(message, 'failed'); },
    throws(f, want, message) {
        try {
            f();
        } catch (e) {
            expected(e, want, message);
            return;
        }
        fail(message, 'no error was thrown');
    },
    doesNotThrow(f) { f(); },
    async rejects(f, want, message) {
        try {
            await (typeof f === 'function' ? f() : f);
        } catch (e) {
            expected(e, want, message);
            return;
        }
        fail(message, 'the promise was not rejected');
    },
});
const all = assert;
all.strictEqual = all.equal;
all.deepStrictEqual = all.deepEqual;
all.notStrictEqual = all.notEqual;
all.strict = all;

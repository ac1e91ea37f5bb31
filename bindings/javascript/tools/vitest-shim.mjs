// SPDX-License-Identifier: Apache-2.0
// vitest-shim.mjs -- as much of vitest's interface as test programs of others use (port-jaxjs.mjs): suites, tests and
// expectations. run() runs what was declared and returns [{name, status, error}].
import {isDeepStrictEqual} from 'node:util';

const root = {name: '', tests: [], before: [], after: [], parent: null};
let at = root;

const titled = (title, args) => {
    let i = 0;
    return title.replace(/%[sdifjo%]/g, m => (m === '%%' ? '%' : m === '%j' || m === '%o' ? JSON.stringify(args[i++])
        : String(args[i++])));
};
const each = declare => table => (title, f, ...more) => {
    for (const row of table) {
        const args = Array.isArray(row) ? row : [row];
        const filled = title.replace(/\$(\w+)/g, (m, k) => (row !== null && typeof row === 'object' && k in row
            ? String(row[k]) : m));
        declare(titled(filled, args), () => f(...args), ...more);
    }
};
export function suite(name, f) {
    const own = {name, tests: [], before: [], after: [], parent: at};
    at.tests.push(own);
    const outer = at;
    at = own;
    try {
        f();
    } finally {
        at = outer;
    }
}
// (name, f, options) or (name, options, f)
const body = (f, g) => (typeof f === 'function' ? f : g);
export function test(name, f, g) { at.tests.push({name, f: body(f, g), suite: at}); }
const skipped = name => at.tests.push({name, f: null, suite: at});
suite.each = each(suite);
suite.skip = skipped;
suite.skipIf = condition => (condition ? skipped : suite);
suite.runIf = condition => (condition ? suite : skipped);
test.each = each(test);
test.skip = skipped;
test.todo = skipped;
test.skipIf = condition => (condition ? skipped : test);
test.runIf = condition => (condition ? test : skipped);
test.fails = (name, f, g) => at.tests.push({name, f: body(f, g), suite: at, fails: true});
test.only = test;
export {suite as describe, test as it};
export const beforeEach = f => { at.before.push(f); };
export const afterEach = f => { at.after.push(f); };
export const beforeAll = beforeEach; // none of them minds to be run again
export const afterAll = () => {};
let finished = [];
export const onTestFinished = f => { finished.push(f); };
export const vi = {};

class Skip extends Error {}
async function one(t, path) {
    const result = {name: [...path, t.name].join(' > '), status: 'passed', error: null};
    if (!t.f) return {...result, status: 'skipped'};
    const chain = [];
    for (let s = t.suite; s; s = s.parent) chain.unshift(s);
    const context = {skip: why => { throw new Skip(why ?? ''); }, onTestFinished};
    finished = [];
    try {
        for (const s of chain) for (const f of s.before) await f(context);
        let threw = null;
        try {
            await t.f(context);
        } catch (e) {
            if (!t.fails || e instanceof Skip) throw e;
            threw = e;
        }
        if (t.fails && !threw) throw new Error('it was expected to fail');
    } catch (e) {
        result.status = e instanceof Skip ? 'skipped' : 'failed';
        result.error = e instanceof Skip ? null : `${e?.name ?? 'Error'}: ${e?.message ?? e}`;
        result.stack = e?.stack ?? null;
    } finally {
        for (const s of chain.reverse()) for (const f of s.after) await f(context);
        for (const f of finished) await f(result);
    }
    return result;
}
export async function run(of = root, path = [], report = () => {}) {
    const all = [];
    for (const t of of.tests) {
        if (t.tests) all.push(...await run(t, [...path, t.name], report));
        else {
            report([...path, t.name].join(' > '));
            all.push(await one(t, path));
        }
    }
    return all;
}

// ---- Expectations.
const show = x => {
    try {
        return typeof x === 'string' ? JSON.stringify(x) : typeof x === 'object' && x !== null && !x.shape
            ? JSON.stringify(x, (_, v) => (typeof v === 'bigint' ? `${v}n` : typeof v === 'number'
                && !Number.isFinite(v) ? String(v) : v))
            : String(x);
    } catch {
        return Object.prototype.toString.call(x);
    }
};
// toEqual looks past properties that are undefined and past classes
function plain(x) {
    if (Array.isArray(x)) return Array.from(x, plain);
    if (x === null || typeof x !== 'object' || ArrayBuffer.isView(x) || x instanceof Map || x instanceof Set) return x;
    if (typeof x.js === 'function') return x;
    return Object.fromEntries(Object.entries(x).filter(([, v]) => v !== undefined).map(([k, v]) => [k, plain(v)]));
}
// Numbers and shape of what is like an array; the comparison is done here, not by what is tested.
function numbers(x) {
    const data = x !== null && typeof x === 'object' && typeof x.js === 'function' ? x.js() : ArrayBuffer.isView(x)
        ? Array.from(x) : x;
    const flat = [], shape = [];
    const go = (v, axis) => {
        if (v !== null && typeof v === 'object' && typeof v.js === 'function') v = v.js();
        if (Array.isArray(v)) {
            if (shape[axis] === undefined) shape[axis] = v.length;
            for (const i of v) go(i, axis + 1);
        } else
            flat.push(Number(v));
    };
    go(data, 0);
    return {flat, shape};
}
function allclose(a, b, {rtol = 1e-5, atol = 1e-7, equalNaN = false} = {}) { // with jax-js's defaults
    const x = numbers(a), y = numbers(b);
    if (!isDeepStrictEqual(x.shape, y.shape)) return `its shape is [${x.shape}], not [${y.shape}]`;
    for (let i = 0; i < x.flat.length; i++) {
        const u = x.flat[i], v = Math.fround(y.flat[i]) === u ? u : y.flat[i];
        const good = u === v || (equalNaN && u !== u && v !== v) || Math.abs(u - v) <= atol + rtol * Math.abs(v);
        if (!good) return `element ${i} is ${u}, not ${v}`;
    }
    return null;
}
const unquoted = s => s.trim().split('\n').map(l => l.trim()).join('\n').replace(/^"([\s\S]*)"$/, '$1');
function throws(f, what) {
    let error = null;
    try {
        f();
    } catch (e) {
        error = e;
    }
    return thrown(error, what);
}
function thrown(error, what) {
    if (!error) return ['it throws nothing', false];
    const message = String(error.message ?? error);
    const good = what === undefined || (typeof what === 'string' ? message.includes(what) : what instanceof RegExp
        ? what.test(message)
        : typeof what === 'function' ? error instanceof what : message === what.message);
    return [`it throws ${error.name}: ${message}${what === undefined ? '' : ` (${what?.name ?? what})`}`, good];
}
// name -> (actual, ...arguments) -> whether it holds, or [what is wrong, whether it holds]
const matchers = {
    toBe: (x, y) => [`${show(x)} is not ${show(y)}`, Object.is(x, y)],
    toEqual: (x, y) => [`${show(x)} does not equal ${show(y)}`, isDeepStrictEqual(plain(x), plain(y))],
    toStrictEqual: (x, y) => [`${show(x)} does not equal ${show(y)}`, isDeepStrictEqual(x, y)],
    toBeCloseTo: (x, y, digits = 2) => [`${x} is not close to ${y}`, Object.is(x, y)
        || Math.abs(x - y) < 10 ** -digits / 2],
    toBeLessThan: (x, y) => [`${x} is not < ${y}`, x < y],
    toBeLessThanOrEqual: (x, y) => [`${x} is not <= ${y}`, x <= y],
    toBeGreaterThan: (x, y) => [`${x} is not > ${y}`, x > y],
    toBeGreaterThanOrEqual: (x, y) => [`${x} is not >= ${y}`, x >= y],
    toBeNaN: x => [`${show(x)} is not NaN`, Number.isNaN(x)],
    toBeNull: x => [`${show(x)} is not null`, x === null],
    toBeUndefined: x => [`${show(x)} is not undefined`, x === undefined],
    toBeDefined: x => ['it is undefined', x !== undefined],
    toBeTruthy: x => [`${show(x)} is not true`, Boolean(x)],
    toBeFalsy: x => [`${show(x)} is not false`, !x],
    toBeInstanceOf: (x, c) => [`${show(x)} is no ${c?.name}`, x instanceof c],
    toHaveLength: (x, n) => [`its length is ${x?.length}, not ${n}`, x?.length === n],
    toHaveProperty: (x, k) => [`it has no ${k}`, k in x],
    toContain: (x, y) => [`${show(x)} does not contain ${show(y)}`, typeof x === 'string' ? x.includes(y)
        : [...x].some(i => Object.is(i, y))],
    toMatch: (x, y) => [`${show(x)} does not match ${y}`, y instanceof RegExp ? y.test(x) : x.includes(y)],
    toMatchInlineSnapshot: (x, y) => [`${x}\nis not\n${unquoted(y)}`, unquoted(String(x)) === unquoted(y)],
    toThrow: throws,
    toThrowError: throws,
    toBeAllclose: (x, y, options) => {
        const wrong = allclose(x, y, options);
        return [wrong ?? 'it is close', wrong === null];
    },
    toBeWithinRange: (x, low, high) => [`${x} is not in [${low}, ${high}]`, x >= low && x <= high],
};
export function expect(actual) {
    const make = negative => new Proxy({}, {
        get(_, name) {
            if (name === 'not') return make(!negative);
            if (name === 'resolves' || name === 'rejects') return later(actual, name, negative);
            const matcher = matchers[name];
            if (!matcher) throw new Error(`vitest-shim has no expect().${String(name)}`);
            return (...args) => {
                const [text, good] = matcher(actual, ...args);
                if (good === negative) throw new Error(negative ? `not wanted: ${String(name)} ${args.map(show)}`
                    : text);
            };
        },
    });
    return make(false);
}
function later(promise, how, negative) {
    return new Proxy({}, {
        get: (_, name) => async (...args) => {
            let value, error = null;
            try {
                value = await (typeof promise === 'function' ? promise() : promise);
            } catch (e) {
                error = e ?? new Error('rejected');
            }
            if (how === 'resolves') {
                if (error) throw error;
                return (negative ? expect(value).not : expect(value))[name](...args);
            }
            if (name.startsWith('toThrow')) {
                const [text, good] = thrown(error, args[0]);
                if (good === negative) throw new Error(text);
                return undefined;
            }
            if (!error) throw new Error('it was not rejected');
            return expect(error)[name](...args);
        },
    });
}
expect.extend = () => {}; // those of jax-js are above
expect.fail = message => { throw new Error(message ?? 'failed'); };

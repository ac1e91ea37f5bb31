// SPDX-License-Identifier: Apache-2.0
// test.mjs -- node:test as far as the tests of the JavaScript package use it, for browsers: tests are gathered, and run
// one after the other.
const gathered = [], hooks = {before: [], after: [], beforeEach: [], afterEach: []};

export function test(name, options, f) {
    if (typeof options === 'function')
        [f, options] = [options, {}];
    gathered.push({name, f, skip: options?.skip ?? false});
}
export const it = test;
export const describe = (name, f) => f();
export const suite = describe;
export default test;
Object.assign(test, {test, it, describe, skip: () => {}, todo: () => {}});
export const before = f => hooks.before.push(f);
export const after = f => hooks.after.push(f);
export const beforeEach = f => hooks.beforeEach.push(f);
export const afterEach = f => hooks.afterEach.push(f);

/** Runs a test, and those that it has inside: [{name, error}] of all. */
async function one(name, f) {
    const results = [], t = {
        name, skip: () => {}, diagnostic: () => {}, after: g => hooks.after.push(g),
        test: async (inner, options, g) => results.push(...await one(`${name}: ${inner}`, g ?? options)),
    };
    let error = null;
    try {
        for (const g of hooks.beforeEach)
            await g(t);
        await f?.(t);
        for (const g of hooks.afterEach)
            await g(t);
    } catch (e) {
        error = `${e?.name}: ${e?.message ?? e}\n${e?.stack ?? ''}`;
    }
    return [...results, {name, error}];
}

/** Runs what was gathered, but for the names in `left`. */
export async function run_all(left = []) {
    const results = [];
    for (const g of hooks.before)
        await g();
    for (const {name, f, skip} of gathered)
        if (!skip && !left.includes(name))
            results.push(...await one(name, f));
    for (const g of hooks.after)
        await g();
    return results;
}

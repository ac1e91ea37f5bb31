// SPDX-License-Identifier: Apache-2.0
// transforms.js -- transformations of functions of trees: what JAX has under the same names. A function of trees
// becomes one of flat lists of arrays (function.js); C transforms that.
import {describe, isNumber, newHandle, numberHandle} from './convert.js';
import {dtypeKind} from './dtype.js';
import {ensure} from './engine.js';
import {errorOf} from './errors.js';
import {KilnArray} from './array.js';
import {FlatFunction} from './function.js';
import {flatten, leaves as leavesOf} from './tree.js';

const callable = (f, what) => {
    if (typeof f !== 'function') throw errorOf('TypeError', `${what}: a function is wanted, not ${describe(f)}`);
};
const named = (f, of) => Object.defineProperty(f, 'name', {value: of.name, configurable: true});

/** Numbers among what is differentiated are floats, also those without a fraction. */
export const asFloat = x => (x instanceof KilnArray || !isNumber(x) || typeof x === 'boolean' ? x : new KilnArray(numberHandle(x, true)));
export const asArray = x => (x instanceof KilnArray ? x : new KilnArray(isNumber(x) ? numberHandle(x) : newHandle(x)));

/** {flat, parts, outTree()}: fun of these trees, each of which is one part. split(out) -> [out, aux] of trees */
export function flatOf(fun, trees, {split = null, name = fun.name, checkOut = null} = {}) {
    const all = trees.map(t => flatten(t)), state = {outTree: null, auxTree: null};
    const flat = FlatFunction.of((...parts) => {
        let out = fun(...parts.map((p, i) => all[i][1].unflatten(p))), aux = [];
        if (split) {
            let rest;
            [out, rest] = split(out);
            [aux, state.auxTree] = flatten(rest);
        }
        const [leaves, def] = flatten(out);
        state.outTree = def;
        checkOut?.(out, def);
        return [...leaves, ...aux];
    }, all.map(([l]) => l.length), {name});
    return {flat, parts: all.map(([l]) => l), state};
}

const list = x => (x === null || x === undefined ? [] : Array.isArray(x) ? x : [x]);

// ---- jit.
/** Compiles fun when it is called, once for each structure and type of the arguments (jax.jit). options: staticArgnums
 * (arguments whose values are part of what is compiled), donateArgnums, symbolic, constraints, checks. */
export function jit(fun, options = {}) {
    if (fun !== null && typeof fun === 'object') return f => jit(f, fun);
    callable(fun, 'jit');
    const {staticArgnums = null, donateArgnums = null, symbolic = null, constraints = null, checks = false} = options;
    const statics = list(staticArgnums), donated = list(donateArgnums);
    if (statics.some(n => donated.includes(n)))
        throw errorOf('ValueError', 'staticArgnums and donateArgnums cannot intersect');
    const cache = new Map(), numbers = new WeakMap();
    let objects = 0;
    const keyOf = x => { // of a static value: primitives by value, objects by identity
        if (x === null || (typeof x !== 'object' && typeof x !== 'function')) return `${typeof x}:${String(x)}`;
        if (x instanceof KilnArray) throw errorOf('ValueError', 'an array cannot be a static argument');
        if (!numbers.has(x)) numbers.set(x, ++objects);
        return `#${numbers.get(x)}`;
    };
    const compiled = named(function (...args) {
        ensure();
        const at = new Set(statics.map(n => (n < 0 ? n + args.length : n)));
        const gifts = new Set(donated.map(n => (n < 0 ? n + args.length : n)));
        const fixed = args.map((a, i) => (at.has(i) ? a : undefined));
        const dynamic = args.map((a, i) => (at.has(i) ? null : a));
        const [leaves, def] = flatten(dynamic);
        let key = def.key;
        for (const i of at) if (i < args.length) key += `|${i}=${keyOf(fixed[i])}`;
        let entry = cache.get(key);
        if (entry && !entry.def.equals(def)) entry = null;
        if (!entry) {
            const mask = gifts.size ? dynamic.flatMap((a, i) => leavesOf(a).map(() => gifts.has(i))) : null;
            entry = {def, mask, trees: new Map(), self: this};
            const call = (...parts) => {
                const all = merge(mask, parts), given = def.unflatten(all);
                const [out, tree] = flatten(fun.apply(entry.self, given.map((a, i) => (at.has(i) ? fixed[i] : a))));
                entry.trees.set(types(all), tree);
                return out;
            };
            const sizes = mask ? [mask.filter(m => !m).length, mask.filter(Boolean).length] : [leaves.length];
            entry.flat = FlatFunction.of(call, sizes, {name: fun.name});
            entry.fast = entry.flat.jit({donate: mask ? [1] : null, symbolic, constraints, checks});
            cache.set(key, entry);
        }
        entry.self = this;
        const parts = entry.mask ? [leaves.filter((_, i) => !entry.mask[i]), leaves.filter((_, i) => entry.mask[i])] : [leaves];
        const out = entry.fast.call(parts, compiled);
        let tree = null;
        if (entry.trees.size === 1) [tree] = entry.trees.values();
        else tree = entry.trees.get(types(leaves.map(asArray)));
        return tree.unflatten(out);
    }, fun);
    compiled.clearCache = () => cache.clear();
    return compiled;
}
const types = leaves => leaves.map(x => `${x.dtype}[${x.shape}]`).join(';');
function merge(mask, parts) {
    if (!mask) return parts[0];
    let a = 0, b = 0;
    return mask.map(m => (m ? parts[1][b++] : parts[0][a++]));
}

// ---- Derivatives.
function argumentNumbers(argnums, args) {
    const many = Array.isArray(argnums), nums = many ? argnums : [argnums];
    if (!nums.length) throw errorOf('ValueError', 'argnums is empty: there is nothing to differentiate with respect to');
    for (const n of nums) {
        if (!Number.isInteger(n)) throw errorOf('TypeError', `argnums has to be an integer or a list of them, not ${describe(argnums)}`);
        if (n >= args.length || n < -args.length)
            throw errorOf('TypeError', `differentiating with respect to argument ${n} requires that many arguments, but there are ${args.length}`);
    }
    return {at: nums.map(n => (n < 0 ? n + args.length : n)), many};
}
/** fun as a function of (chosen arguments, arrays in the others). What is no array stays what it is. */
function partial(fun, at, args) {
    const rest = args.map((a, i) => (at.includes(i) ? null : a)), [leaves, def] = flatten(rest);
    const isArray = leaves.map(x => x instanceof KilnArray);
    const call = (chosen, arrays) => {
        let k = 0;
        const all = def.unflatten(leaves.map((x, i) => (isArray[i] ? arrays[k++] : x)));
        at.forEach((n, i) => { all[n] = chosen[i]; });
        return fun(...all);
    };
    named(call, fun);
    return {call, chosen: at.map(i => args[i]), others: leaves.filter((_, i) => isArray[i])};
}
function checkInput(name, x, holomorphic, allowInt) {
    const d = x.dtype, kind = dtypeKind(d);
    if (holomorphic && kind !== 'c') throw errorOf('TypeError', `${name} with holomorphic=true requires inputs with complex dtype, but got ${d}.`);
    if ('biu'.includes(kind) && !allowInt)
        throw errorOf('TypeError', `${name} requires real- or complex-valued inputs, but got ${d}. If you want to use ` +
            'Boolean- or integer-valued inputs, use vjp or set allowInt to true.');
}
function scalarOf(out) {
    if (!(out instanceof KilnArray) && !isNumber(out))
        throw errorOf('TypeError', `Gradient only defined for scalar-output functions. Output was ${describe(out)}.`);
    const y = asFloat(out);
    if (y.shape.length) throw errorOf('TypeError', `Gradient only defined for scalar-output functions. Output had shape: (${y.shape.join(', ')}${y.shape.length === 1 ? ',' : ''}).`);
    return y;
}
function checkOutput(name, y, holomorphic) {
    const kind = dtypeKind(y.dtype);
    if (holomorphic ? kind !== 'c' : kind === 'c')
        throw errorOf('TypeError', `${name} ${holomorphic ? 'with holomorphic=true requires outputs with complex dtype' : 'requires real-valued outputs'}, but got ${y.dtype}.`);
    if ('biu'.includes(kind))
        throw errorOf('TypeError', `${name} requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got ${y.dtype}.`);
}
function twoOf(out) {
    if (!Array.isArray(out) || out.length !== 2)
        throw errorOf('TypeError', `a function with hasAux has to return [value, aux], not ${describe(out)}`);
    return out;
}

/** A function that returns [value, gradient] of fun, whose result is a real scalar (jax.value_and_grad); with hasAux
 * fun returns [value, aux] and the result is [[value, aux], gradient]. */
export function valueAndGrad(fun, {argnums = 0, hasAux = false, holomorphic = false, allowInt = false} = {}) {
    callable(fun, 'valueAndGrad');
    return named((...args) => {
        ensure();
        const {at, many} = argumentNumbers(argnums, args), {call, chosen, others} = partial(fun, at, args);
        const floats = flatten(chosen);
        const given = floats[1].unflatten(floats[0].map(x => asArray(asFloat(x))));
        for (const x of leavesOf(given)) checkInput('grad', x, holomorphic, allowInt);
        const split = out => {
            const [value, aux] = hasAux ? twoOf(out) : [out, []], y = scalarOf(value);
            checkOutput('grad', y, holomorphic);
            return [y, aux];
        };
        const {flat, parts, state} = flatOf(call, [given, others], {split, name: fun.name});
        const out = flat.grad({argnums: [0], hasAux, holomorphic, allowInt, value: true}).call(parts, valueAndGrad);
        const n = state.auxTree.numLeaves, value = out[0], aux = state.auxTree.unflatten(out.slice(1, 1 + n));
        const grads = floats[1].unflatten(out.slice(1 + n));
        return [hasAux ? [value, aux] : value, many ? grads : grads[0]];
    }, fun);
}
/** The gradient alone (jax.grad); with hasAux [gradient, aux]. */
export function grad(fun, options = {}) {
    callable(fun, 'grad');
    const both = valueAndGrad(fun, options);
    return named((...args) => {
        const [value, g] = both(...args);
        return options.hasAux ? [g, value[1]] : g;
    }, fun);
}

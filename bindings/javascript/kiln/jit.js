// SPDX-License-Identifier: Apache-2.0
// jit.js -- jit: a function with its compiled programs, found by the structure of the arguments and the values of the
// static ones.
import {ensure, engine, textAt} from './engine.js';
import {isArrayLike, isNumber, newHandle, numberHandle} from './convert.js';
import {describe, errorOf} from './errors.js';
import {check, scoped} from './handles.js';
import {KilnArray} from './array.js';
import {FlatFunction, isNumberLeaf, weaken} from './function.js';
import {flatten, leaves as leavesOf} from './tree.js';

export const callable = (f, what) => {
    if (typeof f !== 'function') throw errorOf('TypeError', `${what}: Expected a callable value, got ${describe(f)}`);
};
/** f under the name of another function. */
export const named = (f, of) => Object.defineProperties(f, {
    name: {value: of.name, configurable: true}, length: {value: of.length, configurable: true}});
/** The options of a transformation: those of `known`, in camelCase or as JAX spells them; others are a TypeError. */
export function optionsOf(given, known, what) {
    const out = {...known};
    if (given === null || typeof given !== 'object' || Array.isArray(given))
        throw errorOf('TypeError', `${what}: options are an object, not ${describe(given)}`);
    for (const [name, value] of Object.entries(given)) {
        const key = name.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
        if (!Object.hasOwn(known, key)) throw errorOf('TypeError', `${what}() got an unexpected argument '${name}'`);
        if (value !== undefined) out[key] = value;
    }
    return out;
}
/** x as an array; numbers are floats, as those that a function is recorded with. */
export const asArray = x => (x instanceof KilnArray ? x
    : new KilnArray(isNumber(x) ? numberHandle(x, typeof x === 'number') : newHandle(x)));
const list = x => (x === null || x === undefined ? [] : Array.isArray(x) ? x : [x]);
const typesOf = leaves => leaves.map(x => {
    if (x instanceof KilnArray) return `${x.dtype}[${x.shape}]`;
    const y = asArray(x), type = `${y.dtype}[${y.shape}]`;
    y.dispose();
    return type;
}).join(';');
function merge(mask, parts) {
    if (!mask) return parts[0];
    let a = 0, b = 0;
    return mask.map(m => (m ? parts[1][b++] : parts[0][a++]));
}

let epoch = 0;
/** Forgets what all jitted functions have compiled. (jax.clear_caches) */
export function clearCaches() { epoch++; }

/** One program family: a structure of arguments and the values of static ones. */
class Entry {
    constructor(jitted, {def, leaves, dynamic, fixed, self}) {
        const {fun, donated, options} = jitted;
        this.def = def;
        const numbers = leaves.map(isNumberLeaf);
        this.trees = new Map(); // the structure of the result by the types of the arguments
        this.tree = null; // where there is one alone
        const gifts = new Set(donated.map(n => (n < 0 ? n + dynamic.length : n)));
        this.mask = gifts.size ? dynamic.flatMap((a, i) => leavesOf(a).map(() => gifts.has(i))) : null;
        const {mask} = this, n = def.numLeaves;
        const call = (...parts) => {
            const all = weaken(merge(mask, parts), numbers), given = def.unflatten(all);
            if (fixed) for (const [i, x] of fixed) given[i] = x;
            const [out, tree] = flatten(fun.apply(self, given));
            for (const x of out)
                if (!isArrayLike(x))
                    throw errorOf('TypeError', `the function to be jitted returned ${describe(x)}, which is no array`);
            this.trees.set(typesOf(all), tree);
            this.tree = [...this.trees.values()].every(t => t.equals(tree)) ? tree : null;
            return out;
        };
        const sizes = mask ? [mask.filter(m => !m).length, mask.filter(Boolean).length] : [n];
        this.flat = FlatFunction.of(call, sizes, {name: fun.name || 'f'});
        this.fast = this.flat.jit({...options, donate: mask ? [1] : null});
    }
    run(leaves, entry) {
        const {fast, mask} = this;
        let out = null;
        if (fast.nOut >= 0 && this.tree) {
            const known = this.trees.size;
            try {
                out = fast.again(leaves, entry);
            } catch (e) {
                if (this.trees.size === known) throw e;
                fast.nOut = -1; // for these types it returns another number of arrays
            }
        }
        if (!out) {
            const parts = mask ? [leaves.filter((_, i) => !mask[i]), leaves.filter((_, i) => mask[i])] : [leaves];
            out = fast.call(parts, entry);
            if (!mask) fast.nOut = this.tree ? out.length : -1;
        }
        const tree = this.tree ?? this.trees.get(typesOf(leaves));
        return tree.isLeaf ? out[0] : tree.unflatten(out);
    }
    dispose() {
        this.fast.done();
    }
}

/** What jit knows of a function. */
class Jitted {
    constructor(fun, {staticArgnums, donateArgnums, ...options}) {
        this.fun = fun;
        this.statics = list(staticArgnums);
        this.donated = list(donateArgnums);
        this.options = options;
        for (const n of [...this.statics, ...this.donated])
            if (!Number.isInteger(n))
                throw errorOf('TypeError', `argument numbers have to be integers, not ${describe(n)}`);
        if (this.statics.some(n => this.donated.includes(n)))
            throw errorOf('ValueError', 'staticArgnums and donateArgnums cannot intersect');
        // `this` counts for functions that look at it alone; they have programs for each object
        this.looksAtThis = /\b(this|super|eval)\b/.test(Function.prototype.toString.call(fun));
        this.isPlain = !this.statics.length && !this.donated.length;
        this.isDisposed = false;
        this.clear();
    }
    clear() {
        this.caches = new WeakMap(); // `this` -> key -> Entry
        this.cache = new Map();
        this.small = new Map(); // Entries of so many arrays and numbers
        this.numbers = new WeakMap(); // of static objects
        this.objects = 0;
        this.epoch = epoch;
    }
    cacheOf(self) {
        if (!this.looksAtThis || self === null || (typeof self !== 'object' && typeof self !== 'function') ||
            self === globalThis)
            return this.cache;
        let cache = this.caches.get(self);
        if (!cache) this.caches.set(self, (cache = new Map()));
        return cache;
    }
    keyOf(x, depth = 0) { // of a static value: primitives, lists and plain objects by value, others by identity
        if (x === null || (typeof x !== 'object' && typeof x !== 'function'))
            return `${typeof x}:${Object.is(x, -0) ? '-0' : JSON.stringify(String(x))}`;
        if (x instanceof KilnArray)
            throw errorOf('ValueError', 'Non-hashable static arguments are used in a jit function: an array');
        const proto = Object.getPrototypeOf(x);
        if (depth < 32 && Array.isArray(x)) return `[${x.map(v => this.keyOf(v, depth + 1)).join(',')}]`;
        if (depth < 32 && (proto === Object.prototype || proto === null))
            return `{${Object.keys(x).sort().map(k => JSON.stringify(k) + this.keyOf(x[k], depth + 1)).join(',')}}`;
        return `#${this.numberOf(x)}`;
    }
    numberOf(x) {
        if (!this.numbers.has(x)) this.numbers.set(x, ++this.objects);
        return this.numbers.get(x);
    }
    entryOf(self, args) { // and the leaves
        const at = new Set(this.statics.map(n => (n < 0 ? n + args.length : n)));
        const fixed = at.size ? new Map([...at].filter(i => i < args.length).map(i => [i, args[i]])) : null;
        const dynamic = at.size ? args.map((a, i) => (at.has(i) ? null : a)) : args;
        const [leaves, def] = flatten(dynamic), cache = this.cacheOf(self);
        leaves.forEach(x => isArrayLike(x) || this.refuse(x, args));
        let key = def.key ?? `custom ${def.numLeaves}`;
        leaves.forEach((x, i) => { if (typeof x === 'number') key += `#${i}`; });
        if (fixed) for (const [i, x] of fixed) key += `|${i}=${this.keyOf(x)}`;
        let entries = cache.get(key);
        if (!entries) cache.set(key, (entries = []));
        let entry = entries.find(e => e.def.equals(def));
        if (!entry) entries.push(entry = new Entry(this, {def, leaves, dynamic, fixed, self}));
        return {entry, leaves};
    }
    refuse(x, args) {
        const i = args.findIndex(a => leavesOf(a).includes(x));
        throw errorOf('TypeError', `Cannot interpret value of argument ${i} of ${this.fun.name || 'the function'} as ` +
            `an array: ` +
            `${describe(x)}. Arguments that are no arrays are named by staticArgnums.`);
    }
    call(self, args, entry) {
        if (this.isDisposed) throw errorOf('ValueError', `${this.fun.name || 'this function'} was disposed of`);
        if (this.epoch !== epoch) this.clear();
        const n = args.length;
        if (this.isPlain && !this.looksAtThis) {
            let key = n; // and which are numbers
            for (let i = 0, bit = 32; i < n; i++, bit *= 2) {
                if (args[i] instanceof KilnArray) continue;
                if (typeof args[i] !== 'number' || i > 24) {
                    key = -1;
                    break;
                }
                key += bit;
            }
            if (key >= 0 && n < 32) {
                let known = this.small.get(key);
                if (!known) this.small.set(key, (known = (ensure(), this.entryOf(self, args).entry)));
                return known.run(args, entry);
            }
        }
        ensure();
        const {entry: found, leaves} = this.entryOf(self, args);
        return found.run(leaves, entry);
    }
    entries() { return [...this.cache.values()].flat(); }
    dispose() {
        if (this.isDisposed) return;
        for (const e of this.entries()) e.dispose();
        this.clear();
        this.isDisposed = true;
    }
    explain() {
        return this.entries().map(e => scoped(() => {
            const s = textAt(engine.exports.kn_fn_explain(e.fast.handle));
            check();
            return s;
        })).join('');
    }
}

/** Compiles fun when it is called, once for each structure and type of the arguments (jax.jit). The result has
 * clearCache(), dispose(), traceCount and explain(). options: staticArgnums (arguments whose values are part of what is
 * compiled: primitives, lists and plain objects by value, others by identity), donateArgnums (whose memory may become a
 * result's), symbolic, constraints, checks (one program for all extents). jit(options) is a function that jits its
 * argument. */
export function jit(fun, options = {}) {
    if (fun !== null && typeof fun === 'object') return f => jit(f, fun);
    callable(fun, 'jit');
    const {device, backend, inline, keepUnused, ...rest} = optionsOf(options, {staticArgnums: null, donateArgnums: null,
        symbolic: null, constraints: null, checks: false, device: null, backend: null, inline: false, keepUnused:
            false}, 'jit');
    void [device, backend, inline, keepUnused];
    const jitted = new Jitted(fun, rest);
    const compiled = named(function (...args) { return jitted.call(this, args, compiled); }, fun);
    return Object.defineProperties(compiled, {
        clearCache: {value: () => jitted.clear()},
        clear_cache: {value: () => jitted.clear()},
        dispose: {value: () => jitted.dispose()},
        explain: {value: () => jitted.explain()},
        traceCount: {get: () => jitted.entries().reduce((n, e) => n + e.fast.traceCount, 0)},
        wrapped: {value: fun},
        ...(Symbol.dispose ? {[Symbol.dispose]: {value: () => jitted.dispose()}} : {}),
    });
}
/** fun, recorded as a function of this name. (jax.named_call) */
export function namedCall(fun, options = {}) {
    callable(fun, 'namedCall');
    const {name = fun.name} = options ?? {};
    const inner = named(function (...args) { return fun.apply(this, args); }, fun);
    Object.defineProperty(inner, 'name', {value: name, configurable: true});
    return jit(inner);
}

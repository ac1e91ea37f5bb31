// SPDX-License-Identifier: Apache-2.0
// function.js -- functions of JavaScript as functions of Kiln's. Such a function takes a few parts, each a flat list of
// arrays, and returns a flat list; what trees become of that is the business of transforms.js.
import {engine, get, lastingText, mark, onCall, put, putInt, release, room, text} from './engine.js';
import {operand} from './convert.js';
import {errorOf} from './errors.js';
import {Handle, argsOf, check, keep, scoped, tracing, treeOut} from './handles.js';
import {treeOf, wrapList} from './call.js';
import {KilnArray} from './array.js';
import {here} from './place.js';

// What C knows a function by: a number that never comes again. Functions that nobody has die with their object, but
// what was recorded of others may call them: those keep what was made while they were recorded.
const living = new Map(); // serial -> WeakRef of FlatFunction
const gone = new FinalizationRegistry(serial => living.delete(serial));
let serials = 0;
const calling = []; // the functions that are being called and recorded, the innermost last
export const keepWithCallers = x => { for (const f of calling) f.kept.push(x); };

onCall((serial, out, args) => {
    const f = living.get(serial)?.deref();
    let results = null;
    try {
        if (!f) throw errorOf('RuntimeError', 'a function that is gone was to be traced');
        calling.push(f);
        try {
            tracing(() => { results = giveBack(f, f.callable(...partsOf(f, args))); });
        } finally {
            calling.pop();
        }
        // what is left pending is an error of the call around
        check();
    } catch (e) {
        keep(e);
        results = null;
    }
    if (f && f.promised >= 0) for (let i = 0; i < f.promised; i++) put(out + 4 * i, results ? results[i] : 0);
    else put(out, results ?? 0);
});

function partsOf(f, args) {
    return f.sizes.map((size, p) => {
        const at = get(args + 4 * p);
        if (size < 0) return wrapList(engine.exports.kn_tree_leaves(get(at)));
        return Array.from({length: size}, (_, i) => new KilnArray(get(at + 4 * i)));
    });
}
function giveBack(f, results) {
    if (f.pair) {
        const m = mark(), at = room(8);
        put(at, treeOf(results[0])), put(at + 4, treeOf(results[1]));
        const tree = engine.exports.kn_tree_tuple(2, at);
        release(m);
        return tree;
    }
    if (f.promised < 0) {
        const m = mark(), tree = treeOf(results);
        release(m);
        return tree;
    }
    if (results.length !== f.promised)
        throw errorOf('TypeError', `the function has to return ${f.promised} arrays, not ${results.length}`);
    const m = mark(), list = engine.exports.kn_tree_leaves(treeOf(results));
    release(m);
    return results.map((_, i) => engine.exports.kn_list_get(list, i));
}

/** callable(...parts) -> a flat array of arrays; sizes: of the parts, -1 for any. options: name, promised (how many it
 * returns; -1: a call shows), pair (it returns two lists) */
export class FlatFunction extends Handle {
    kept = [];
    nOut = -1;
    constructor(handle, {callable = null, sizes, promised = -1, pair = false, base = null, serial = 0}) {
        super(handle, serial !== 0);
        Object.assign(this, {callable, sizes, promised, pair, base});
        if (serial) {
            living.set(serial, new WeakRef(this));
            gone.register(this, serial);
        }
        for (const f of calling) f.kept.push(this);
    }
    static of(callable, sizes, {name = callable.name || 'f', promised = -1, pair = false} = {}) {
        return scoped(() => {
            const at = room(4 * sizes.length + 4), serial = ++serials;
            sizes.forEach((n, i) => put(at + 4 * i, n));
            if (sizes.length > 8) throw errorOf('ValueError', 'a function has at most 8 parts');
            here(FlatFunction.of);
            const h = engine.exports.kjs_function(lastingText(name), sizes.length, at, promised, serial);
            check();
            if (!h) throw errorOf('MemoryError', 'no memory for a function');
            return new FlatFunction(h, {callable, sizes, promised, pair, serial});
        });
    }
    derived(handle, sizes = this.sizes, base = this) {
        check();
        return new FlatFunction(handle, {sizes, base});
    }
    /** f(parts) with lists of what is like arrays; a flat list of Arrays. */
    call(parts, entry = this.call) {
        return withParts(parts, args => {
            const y = treeOut();
            here(entry);
            calling.push(this);
            try {
                engine.exports.kn_call(this.handle, y.at, args);
            } finally {
                calling.pop();
            }
            check();
            return wrapList(engine.exports.kn_tree_leaves(y.tree()));
        });
    }
    #made(name, options, fill) {
        return scoped(() => {
            const {L, exports: c} = engine, at = room(L[options]);
            put(at, L[options]); // size_
            fill(at, member => at + L[`${options}.${member}`]);
            here(this.jit);
            return this.derived(c[name](this.handle, at));
        });
    }
    jit({donate = null, symbolic = null, constraints = null, checks = false} = {}) {
        return this.#made('kn_jit', 'kn_jit_opts', (at, of) => {
            if (donate) argnums(of('donate_argnums'), donate);
            if (symbolic) put(of('symbolic'), text(symbolic));
            if (constraints) put(of('constraints'), text(constraints));
            putByte(of('checks'), checks);
        });
    }
    grad({argnums: nums = null, hasAux = false, holomorphic = false, allowInt = false, value = false} = {}) {
        return this.#made(value ? 'kn_value_and_grad' : 'kn_grad', 'kn_grad_opts', (at, of) => {
            if (nums) argnums(of('argnums'), nums);
            putByte(of('has_aux'), hasAux), putByte(of('holomorphic'), holomorphic), putByte(of('allow_int'), allowInt);
        });
    }
    /** mode: "jacfwd", "jacrev", "hessian" */
    jacobian(mode, {argnums: nums = null, nAux = 0, holomorphic = false, allowInt = false} = {}) {
        return this.#made(`kn_${mode}`, 'kn_jac_opts', (at, of) => {
            if (nums) argnums(of('argnums'), nums);
            putByte(of('has_aux'), nAux > 0), putByte(of('holomorphic'), holomorphic), putByte(of('allow_int'), allowInt);
            put(of('n_aux'), nAux);
        });
    }
    /** axes: an axis for each part, null: not mapped. Results are mapped at axis 0, or (unmapped) none is. */
    vmap(axes, {axisName = null, axisSize = 0, unmapped = false} = {}) {
        return this.#made('kn_vmap', 'kn_vmap_opts', (at, of) => {
            axes.forEach((a, i) => put(of('in_axes') + 4 * i, a === null ? 1 : a >= 0 ? a + 2 : a));
            if (unmapped) put(of('out_axes'), 1);
            if (axisName) put(of('axis_name'), lastingText(axisName));
            putInt(of('axis_size'), axisSize);
        });
    }
    /** [results, tangents of results] */
    jvp(primals, tangents) {
        return withParts(primals, p => withParts(tangents, t => {
            const y = treeOut(), dy = treeOut();
            here(this.jvp);
            engine.exports.kn_jvp(this.handle, p, t, y.at, dy.at);
            check();
            return [y, dy].map(o => wrapList(engine.exports.kn_tree_leaves(o.tree())));
        }));
    }
    /** [results, function of the results' cotangents (vjp) or of the tangents (linearize)] */
    at(name, primals) {
        return withParts(primals, p => {
            const y = treeOut();
            here(this.at);
            const h = engine.exports[name](this.handle, p, y.at);
            check();
            const results = wrapList(engine.exports.kn_tree_leaves(y.tree()));
            return [results, this.derived(h, name === 'kn_vjp' ? [results.length] : this.sizes)];
        });
    }
    get traceCount() { return engine.exports.kn_fn_trace_count(this.handle); }
}

const putByte = (at, x) => { new Uint8Array(engine.memory.buffer)[at] = x ? 1 : 0; };
function argnums(at, nums) {
    put(at, nums.length);
    nums.forEach((n, i) => put(at + engine.L['kn_argnums.arg'] + 4 * i, n));
}
/** f(kn_args of the parts) in a scope; numbers among them are owned until it ends. */
export function withParts(parts, f) {
    return scoped(() => {
        const owned = [];
        try {
            return f(argsOf(parts.map(list => list.map(x => {
                const o = operand(x);
                if (o.owned) owned.push(o.h);
                return o.h;
            }))));
        } finally {
            for (const h of owned) engine.exports.kn_release(h);
        }
    });
}

// SPDX-License-Identifier: Apache-2.0
// function.js -- functions of JavaScript as functions of Kiln's. Such a function takes a few parts, each a flat list of
// arrays, and returns a flat list; what trees become of that is the business of transforms.js.
import {engine, get, lastingText, mark, onCall, put, putInt, release, room, text} from './engine.js';
import {numberHandle, operand} from './convert.js';
import {errorOf} from './errors.js';
import {Box, Handle, argsOf, check, hasFailed, isKept, isScoped, isTracing, keep, scoped, tracing,
    treeOut} from './handles.js';
import {treeOf, wrapList} from './call.js';
import {KilnArray} from './array.js';
import {here} from './place.js';

// ---- What lives as long as what. C knows a function by a number that never comes again. Functions that nobody has die
// with their object; recordings of others may call them, though: those keep what was made while they were recorded.
const living = new Map(); // serial -> WeakRef of FlatFunction
let serials = 0;
const calling = []; // the functions that are being called and recorded, the innermost last
/** x, something that programs may call, lives for as long as the functions that are being recorded now. */
export function keepWithCallers(x) {
    for (const f of calling) f.kept.push(x);
    x.keepers += calling.length;
}

// The end of a function's handle. One that others are made of ends after them, whatever order the collector finds them
// in: what was recorded is forgotten with the last one.
class FunctionBox extends Box {
    constructor(handle, serial, of) {
        super(handle);
        this.serial = serial;
        this.of = of;
        this.users = 0;
        this.late = 0; // the handle, while others wait
        for (const b of of) b.users++;
    }
    end() {
        if (!this.handle) return;
        this.late = this.handle;
        this.handle = 0;
        if (!this.users) this.free();
    }
    free() {
        const h = this.late;
        this.late = 0;
        if (this.serial) {
            living.delete(this.serial);
            engine.exports.kn_forget(h); // nothing recorded of it will be wanted again
        } else
            engine.exports.kn_release(h);
        for (const b of this.of) if (--b.users === 0 && b.late) b.free();
    }
}

// ---- What C calls.
onCall((serial, out, args) => {
    const f = living.get(serial)?.deref();
    let results = null;
    if (!isKept()) { // else the call fails anyway
        try {
            if (!f) throw errorOf('RuntimeError', 'a function that is gone was to be traced');
            calling.push(f);
            try {
                tracing(f.name, () => { results = giveBack(f, f.callable(...partsOf(f, args))); });
            } finally {
                calling.pop();
            }
            check(); // what is left pending is an error of the call around
        } catch (e) {
            keep(e);
            results = null;
        }
    }
    if (f && f.promised >= 0) for (let i = 0; i < f.promised; i++) put(out + 4 * i, results ? results[i] : 0);
    else put(out, results ?? 0);
});

function argumentOf(x) {
    x.box.isArgument = true;
    return x;
}
function partsOf(f, args) {
    return f.sizes.map((size, p) => {
        const at = get(args + 4 * p);
        if (size < 0) return wrapList(engine.exports.kn_tree_leaves(get(at))).map(argumentOf);
        return Array.from({length: size}, (_, i) => argumentOf(new KilnArray(get(at + 4 * i))));
    });
}
function giveBack(f, results) {
    const m = mark();
    try {
        if (f.pair) {
            const at = room(8);
            put(at, treeOf(results[0])), put(at + 4, treeOf(results[1]));
            return engine.exports.kn_tree_tuple(2, at);
        }
        if (f.promised < 0) return treeOf(results);
        if (results.length !== f.promised)
            throw errorOf('TypeError', `the function has to return ${f.promised} arrays, not ${results.length}`);
        const list = engine.exports.kn_tree_leaves(treeOf(results));
        return results.map((_, i) => engine.exports.kn_list_get(list, i));
    } finally {
        release(m);
    }
}

/** callable(...parts) -> a flat array of arrays; sizes: of the parts, -1 for any. options: name, promised (how many it
 * returns; -1: a call shows), pair (it returns two lists) */
export class FlatFunction extends Handle {
    kept = [];
    keepers = 0; // how many functions keep it
    isDone = false;
    nOut = -1;
    /** of: the functions that it was made of, which live as long */
    constructor(handle, {callable = null, sizes, promised = -1, pair = false, of = [], serial = 0, name = 'f'}) {
        super(handle, new FunctionBox(handle, serial, of.map(f => f.box)));
        this.callable = callable;
        this.sizes = sizes;
        this.promised = promised;
        this.pair = pair;
        this.of = of;
        this.name = name;
        if (serial) living.set(serial, new WeakRef(this));
    }
    static of(callable, sizes, {name = callable.name || 'f', promised = -1, pair = false} = {}) {
        return scoped(() => {
            const at = room(4 * sizes.length + 4), serial = ++serials;
            sizes.forEach((n, i) => put(at + 4 * i, n));
            if (sizes.length > MAX_PARTS) throw errorOf('ValueError', `a function has at most ${MAX_PARTS} parts`);
            const h = engine.exports.kjs_function(lastingText(name), sizes.length, at, promised, serial);
            check();
            if (!h) throw errorOf('MemoryError', 'no memory for a function');
            return new FlatFunction(h, {callable, sizes, promised, pair, serial, name});
        });
    }
    derived(handle, sizes = this.sizes, of = [this]) {
        check();
        return new FlatFunction(handle, {sizes, of, name: this.name});
    }
    /** Whether something has to live for what was recorded of it. */
    get keeps() { return this.kept.length > 0 || this.of.some(f => f.keeps); }
    /** The end of a function that was made for one call, and of what it was made of: now, or when nobody keeps it. */
    done() {
        this.isDone = true;
        if (this.keepers) return;
        this.dispose();
        for (const f of this.of) f.done();
    }
    dispose() {
        const {kept} = this;
        super.dispose();
        this.kept = [];
        for (const x of kept) if (--x.keepers === 0 && x.isDone) x.done();
    }
    #begin() {
        if (calling.length && this.keeps) keepWithCallers(this);
        calling.push(this);
    }
    /** f() while C records this function. */
    recording(f) {
        this.#begin();
        try {
            return f();
        } finally {
            calling.pop();
        }
    }
    /** f(parts) with lists of what is like arrays; a flat list of Arrays. */
    call(parts, entry = null) {
        return withParts(parts, args => {
            const y = treeOut();
            here(entry);
            this.recording(() => engine.exports.kn_call(this.handle, y.at, args));
            return leavesAt(y);
        });
    }
    /** The same, where it was called before: `list` is all arguments, one part, `nOut` the number of results. */
    again(list, entry) {
        const m = mark(), n = list.length, {exports: c, L} = engine, {nOut} = this, owned = [];
        try {
            const at = room(L.kn_args + 4 * n), outs = room(L.kn_args + 4 * nOut), in_ = at + L.kn_args, out = outs +
                L.kn_args;
            for (let i = 0; i < n; i++) {
                const x = list[i];
                if (x instanceof KilnArray) put(in_ + 4 * i, x.handle);
                else {
                    const {h} = argument(x);
                    owned.push(h);
                    put(in_ + 4 * i, h);
                }
            }
            putPart(at, in_, n, 1), putPart(outs, out, nOut, nOut ? 1 : 0);
            if (isTracing()) here(entry); // else what goes wrong goes wrong now, and the stack shows it
            this.#begin();
            try {
                c.kn_call(this.handle, outs, at);
            } finally {
                calling.pop();
            }
            if (hasFailed()) {
                if (!isScoped()) for (let i = 0; i < nOut; i++) c.kn_release(get(out + 4 * i)); // they carry the error
                check();
            }
            const y = new Array(nOut);
            for (let i = 0; i < nOut; i++) y[i] = new KilnArray(get(out + 4 * i));
            return y;
        } finally {
            for (const h of owned) c.kn_release(h);
            release(m);
        }
    }
    #made(name, options, fill) {
        return scoped(() => {
            const {L, exports: c} = engine, at = room(L[options]);
            put(at, L[options]); // size_
            fill(member => at + L[`${options}.${member}`]);
            return this.derived(c[name](this.handle, at));
        });
    }
    jit({donate = null, symbolic = null, constraints = null, checks = false} = {}) {
        return this.#made('kn_jit', 'kn_jit_opts', of => {
            if (donate) argnums(of('donate_argnums'), donate);
            if (symbolic) put(of('symbolic'), text(symbolic));
            if (constraints) put(of('constraints'), text(constraints));
            putByte(of('checks'), checks);
        });
    }
    grad({argnums: nums = null, hasAux = false, holomorphic = false, allowInt = false, value = false} = {}) {
        return this.#made(value ? 'kn_value_and_grad' : 'kn_grad', 'kn_grad_opts', of => {
            if (nums) argnums(of('argnums'), nums);
            putByte(of('has_aux'), hasAux), putByte(of('holomorphic'), holomorphic), putByte(of('allow_int'), allowInt);
        });
    }
    /** mode: "jacfwd", "jacrev", "hessian" */
    jacobian(mode, {argnums: nums = null, nAux = 0, holomorphic = false, allowInt = false} = {}) {
        return this.#made(`kn_${mode}`, 'kn_jac_opts', of => {
            if (nums) argnums(of('argnums'), nums);
            putByte(of('has_aux'), nAux > 0), putByte(of('holomorphic'), holomorphic), putByte(of('allow_int'),
                allowInt);
            put(of('n_aux'), nAux);
        });
    }
    /** axes: an axis for each part, null: not mapped. Results are mapped at axis 0, or (unmapped) none is. */
    vmap(axes, {axisName = null, axisSize = 0, unmapped = false, pmap = false} = {}) {
        return this.#made(pmap ? 'kn_pmap' : 'kn_vmap', 'kn_vmap_opts', of => {
            axes.forEach((a, i) => put(of('in_axes') + 4 * i, a === null ? 1 : a >= 0 ? a + 2 : a));
            if (unmapped) put(of('out_axes'), 1);
            if (axisName) put(of('axis_name'), lastingText(axisName));
            putInt(of('axis_size'), axisSize);
        });
    }
    /** mesh: its address; into, out: specs with semicolons between */
    shardMap(mesh, into, out, checkVma) {
        return scoped(() => {
            const {L, exports: c} = engine, at = room(L.kn_shard_map_opts), of = m => at + L[`kn_shard_map_opts.${m}`];
            put(at, L.kn_shard_map_opts);
            put(of('in_specs'), text(into)), put(of('out_specs'), text(out)), putByte(of('check_vma'), checkVma);
            return this.derived(c.kn_shard_map(this.handle, mesh, at));
        });
    }
    /** kind: one of C's policies, names: those of the policy */
    checkpoint({kind = 0, names = [], preventCse = true} = {}) {
        return this.#made('kn_checkpoint', 'kn_checkpoint_opts', of => {
            if (names.length > 16) throw errorOf('ValueError', 'a policy has at most 16 names');
            put(of('policy.kind'), kind), put(of('policy.n'), names.length);
            names.forEach((n, i) => put(of('policy.name') + 4 * i, lastingText(n)));
            putByte(of('prevent_cse'), preventCse);
        });
    }
    customJvp(rule) {
        return scoped(() => this.derived(engine.exports.kn_custom_jvp(this.handle, rule.handle), this.sizes, [this,
            rule]));
    }
    customVjp(forward, backward) {
        return scoped(() => {
            const h = engine.exports.kn_custom_vjp(this.handle, forward.handle, backward.handle);
            return this.derived(h, this.sizes, [this, forward, backward]);
        });
    }
    /** [results, tangents of results] */
    jvp(primals, tangents) {
        return withParts(primals, p => withParts(tangents, t => {
            const y = treeOut(), dy = treeOut();
            here(null);
            this.recording(() => engine.exports.kn_jvp(this.handle, p, t, y.at, dy.at));
            return [leavesAt(y), leavesAt(dy)];
        }));
    }
    /** [results, function of the results' cotangents (kn_vjp) or of the tangents (kn_linearize)] */
    at(name, primals) {
        return withParts(primals, p => {
            const y = treeOut();
            here(null);
            const h = this.recording(() => engine.exports[name](this.handle, p, y.at)), results = leavesAt(y);
            return [results, this.derived(h, name === 'kn_vjp' ? [results.length] : this.sizes)];
        });
    }
    linearTranspose(examples) {
        return withParts(examples, p => {
            here(null);
            return this.derived(this.recording(() => engine.exports.kn_linear_transpose(this.handle, p)));
        });
    }
    /** Arrays without values, of the types of its results. */
    evalShape(parts) {
        return withParts(parts, p => {
            const y = treeOut();
            here(null);
            this.recording(() => engine.exports.kn_eval_shape(this.handle, p, y.at));
            return leavesAt(y);
        });
    }
    get traceCount() { return engine.exports.kn_fn_trace_count(this.handle); }
}
export const MAX_PARTS = 8;

const putByte = (at, x) => { new Uint8Array(engine.memory.buffer)[at] = x ? 1 : 0; };
function putPart(at, from, n, parts) { // the one part of kn_args, kn_outs
    const {L} = engine, part = at + L['kn_args.part'];
    put(at, parts);
    put(part, from), put(part + L['kn_const_part.bytes'], 4 * n);
}
function argnums(at, nums) {
    put(at, nums.length);
    nums.forEach((n, i) => put(at + engine.L['kn_argnums.arg'] + 4 * i, n));
}
/** The arrays of a tree that a call of C filled; throws what went wrong. */
export function leavesAt(y) {
    check();
    return wrapList(engine.exports.kn_tree_leaves(y.tree()));
}
/** {h, owned}: an argument of a function that is recorded. There a number has a dtype: the default float's, whatever
 * its value is, so that a function is not recorded twice for 1 and 1.5; integers are arrays or BigInts. */
const argument = x => (typeof x === 'number' ? {h: numberHandle(x, true), owned: true} : operand(x));
export const isNumberLeaf = x => typeof x === 'number';
/** Numbers among the arguments of a recording promote in it as numbers do. which: of the leaves */
export function weaken(leaves, which) {
    for (let i = 0; i < leaves.length; i++) if (which[i]) engine.exports.kjs_weaken(leaves[i].handle);
    return leaves;
}
/** f(kn_args of the parts) in a scope; numbers among them are owned until it ends. waits: they wait for their dtypes */
export function withParts(parts, f, waits = false) {
    return scoped(() => {
        const owned = [];
        try {
            return f(argsOf(parts.map(list => list.map(x => {
                const o = waits ? operand(x) : argument(x);
                if (o.owned) owned.push(o.h);
                return o.h;
            }))));
        } finally {
            for (const h of owned) engine.exports.kn_release(h);
        }
    });
}

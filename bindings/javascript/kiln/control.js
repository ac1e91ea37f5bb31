// SPDX-License-Identifier: Apache-2.0
// control.js -- loops, branches and reductions by functions of trees (jax.lax).
import {isArrayLike, operand} from './convert.js';
import {ensure, engine, put, putInt, room} from './engine.js';
import {describe, errorOf} from './errors.js';
import {scoped, treeOut} from './handles.js';
import {KilnArray} from './array.js';
import {putAxes, rowCall} from './call.js';
import {FlatFunction, isNumberLeaf, leavesAt, weaken, withParts} from './function.js';
import {optionsOf} from './jit.js';
import {flatten, structure} from './tree.js';
import {shapeText} from './transforms.js';
import {vmap} from './vmap.js';
import {here} from './place.js';

const isFunction = f => typeof f === 'function';
const shapeOf = x => {
    if (x instanceof KilnArray) return x.shape;
    return typeof x === 'object' && ArrayBuffer.isView(x) ? [x.length] : [];
};
const isPlain = x => x !== null && typeof x === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(x));

/** fun(...trees of these structures) as a flat function: {flat, state}. check(result, its structure) may throw; empty:
 * parts without leaves count, too; weak: of the first part, which leaves were numbers */
function bodyOf(fun, defs, {check = null, empty = true, weak = [], promised = -1} = {}) {
    const state = {outTree: null}, own = defs.filter(d => empty || d.numLeaves), name = fun.name || 'f';
    const flat = FlatFunction.of((...parts) => {
        let k = 0;
        if (parts.length) weaken(parts[0], weak);
        const out = fun(...defs.map(d => d.unflatten(empty || d.numLeaves ? parts[k++] : [])));
        const [leaves, def] = flatten(out);
        for (const x of leaves)
            if (!isArrayLike(x)) throw errorOf('TypeError', `${name} returned ${describe(x)}, which is no array`);
        check?.(out, def);
        state.outTree = def;
        return leaves;
    }, own.map(d => d.numLeaves), {name, promised});
    return {flat, state};
}
/** use(bodies), which end then. */
function ending(bodies, use) {
    try {
        return use(...bodies);
    } finally {
        for (const b of bodies) b.flat.done();
    }
}
function options(name, members) {
    const {L} = engine, at = room(L[name]);
    put(at, L[name]);
    for (const [m, value] of Object.entries(members)) {
        const to = at + L[`${name}.${m}`];
        if (typeof value === 'boolean') new Uint8Array(engine.memory.buffer)[to] = value ? 1 : 0;
        else putInt(to, value);
    }
    return at;
}
/** Calls C with the address of the results' tree; their leaves. */
function results(call) {
    const y = treeOut();
    here(null);
    call(engine.exports, y.at);
    return leavesAt(y);
}
function integer(x, what) {
    const n = x instanceof KilnArray ? x.item() : x;
    if (!Number.isInteger(n)) throw errorOf('TypeError', `${what} expects an integer, but it is ${describe(x)}`);
    return n;
}
function sameTree(what, got, want) {
    if (!got.equals(want))
        throw errorOf('TypeError', `${what} body function carry input and carry output must have the same tree ` +
            `structure, but they ` +
            `differ: the input carry has structure ${want}, and the output carry ${got}.`);
}

/** carry = init; for each element x along the first axis of xs: [carry, y] = f(carry, x). Returns [carry, stacked ys].
 * (jax.lax.scan) length, or an object of length, reverse, unroll, checkpoint (which carries reverse mode keeps: 0 all,
 * k every k-th, -1 as many as the root of the length). */
export function scan(f, init, xs = null, length = null, reverse = false, unroll = 1) {
    if (!isFunction(f)) throw errorOf('TypeError', `scan: Expected a callable value, got ${describe(f)}`);
    const o = optionsOf(isPlain(length) ? length : {length, reverse, unroll},
                        {length: null, reverse: false, unroll: 1, checkpoint: 0}, 'scan');
    ensure();
    const [carry, carryDef] = flatten(init), [items, itemsDef] = flatten(xs);
    const lengths = items.map(x => {
        const shape = shapeOf(x);
        if (!shape.length)
            throw errorOf('ValueError', `scan got value with no leading axis to scan over: ${describe(x)}.`);
        return shape[0];
    });
    let n = o.length;
    if (n !== null) {
        n = integer(n, 'The `length` argument to `scan`');
        if (lengths.some(m => m !== n))
            throw errorOf('ValueError', `scan got \`length\` argument of ${n} which disagrees with leading axis ` +
                `sizes ` +
                `[${lengths}].`);
    } else if (!lengths.length)
        throw errorOf('ValueError', 'scan got no values to scan over and `length` not provided.');
    else if (new Set(lengths).size > 1)
        throw errorOf('ValueError', `scan got values with different leading axis sizes: ${lengths.join(', ')}.`);
    else [n] = lengths;
    const check = (out, def) => {
        if (!Array.isArray(out) || out.length !== 2)
            throw errorOf('TypeError', `scan body output must be a pair, got ${describe(out)}.`);
        sameTree('scan', def.children[0], carryDef);
    };
    return ending([bodyOf(f, [carryDef, itemsDef], {check, empty: false})], ({flat, state}) => {
        const parts = l => (l.length ? [l] : []);
        const out = withParts(parts(carry), first => withParts(parts(items), second => results((c, y) => c.kn_scan(
            flat.handle, y, first, second, options('kn_scan_opts', {length: n, reverse: Boolean(o.reverse),
                unroll: o.unroll === true ? n : Number(o.unroll), checkpoint: o.checkpoint})))), true);
        const k = carry.length;
        return [carryDef.unflatten(out.slice(0, k)), state.outTree.children[1].unflatten(out.slice(k))];
    });
}

/** val = init; while condition(val): val = body(val). maxSteps: at most so many rounds; with it there are derivatives
 * in reverse mode. (jax.lax.while_loop) */
export function whileLoop(condition, body, init, opts = {}) {
    if (!isFunction(condition) || !isFunction(body))
        throw errorOf('TypeError', 'lax.whileLoop: body and condition arguments should be callable.');
    const {maxSteps} = optionsOf(opts, {maxSteps: 0}, 'whileLoop');
    ensure();
    const [leaves, def] = flatten(init);
    const isScalar = (_, tree) => {
        if (!tree.isLeaf) throw errorOf('TypeError', `condition must return a boolean scalar, but got tree ${tree}.`);
    };
    return ending([bodyOf(condition, [def], {check: isScalar}),
                   bodyOf(body, [def], {check: (_, tree) => sameTree('whileLoop', tree, def)})], (test, step) =>
        def.unflatten(withParts([leaves], args => results((c, y) => c.kn_while_loop(test.flat.handle,
            step.flat.handle, y, args,
            options('kn_while_opts', {max_steps: maxSteps}))), true)));
}

/** use(handle) of what is like an array. */
function withOperand(x, use) {
    const {h, owned} = operand(x);
    try {
        return use(h);
    } finally {
        if (owned) engine.exports.kn_release(h);
    }
}
/** val = init; for i from lower to below upper: val = body(i, val). (jax.lax.fori_loop) */
export function foriLoop(lower, upper, body, init, opts = {}) {
    if (!isFunction(body)) throw errorOf('TypeError', 'lax.foriLoop: body argument should be callable.');
    const {checkpoint} = optionsOf(opts, {checkpoint: 0, unroll: null}, 'foriLoop');
    ensure();
    const [leaves, def] = flatten(init);
    const weak = [isNumberLeaf(lower) && isNumberLeaf(upper)];
    return ending([bodyOf(body, [structure(0), def], {check: (_, tree) => sameTree('foriLoop', tree, def), weak})],
        ({flat}) =>
        withOperand(lower, from => withOperand(upper, to => def.unflatten(withParts([leaves], args => results((c, y) =>
            c.kn_fori_loop(from, to, flat.handle, y, args, options('kn_fori_opts', {checkpoint}))), true)))));
}

function branches(what, index, functions, operands, names) {
    ensure();
    const [leaves, def] = flatten(operands), bodies = [];
    const check = (_, tree) => {
        const before = bodies.find(b => b.state.outTree !== null), k = bodies.filter(b =>
            b.state.outTree !== null).length;
        if (before && k < bodies.length && !before.state.outTree.equals(tree))
            throw errorOf('TypeError', `${what} ${names(0)} and ${names(k)} output must have identical types, but ` +
                `they differ: the ` +
                `output of ${names(0)} has structure ${before.state.outTree}, that of ${names(k)} ${tree}.`);
    };
    for (const f of functions) {
        const inner = xs => f(...xs);
        Object.defineProperty(inner, 'name', {value: f.name || 'f'});
        bodies.push(bodyOf(inner, [def], {check, weak: leaves.map(isNumberLeaf)}));
    }
    return ending(bodies, () => {
        const out = withOperand(index, i => withParts([leaves], args => results((c, y) => {
            if (what === 'cond') return c.kn_cond(i, bodies[0].flat.handle, bodies[1].flat.handle, y, args);
            const at = room(4 * bodies.length);
            bodies.forEach((b, k) => put(at + 4 * k, b.flat.handle));
            return c.kn_switch(i, at, bodies.length, y, args);
        })));
        return bodies.find(b => b.state.outTree !== null).state.outTree.unflatten(out);
    });
}
/** onTrue(...operands) if pred, else onFalse(...operands); only one of them runs. (jax.lax.cond) */
export function cond(pred, onTrue, onFalse, ...operands) {
    if (!isFunction(onTrue) || !isFunction(onFalse)) {
        const [g, y] = [onFalse, operands[1]]; // cond(pred, x, f, y, g), JAX's older form
        if (operands.length === 2 && isFunction(g) && isFunction(y))
            return branches('cond', scalar(pred, 'Pred must be a scalar'), [(x, _) => g(x), (_, x) => y(x)], [onTrue,
                operands[0]],
                            k => ['onTrue', 'onFalse'][k]);
        throw errorOf('TypeError', 'lax.cond: onTrue and onFalse arguments should be callable.');
    }
    return branches('cond', scalar(pred, 'Pred must be a scalar'), [onTrue, onFalse], operands, k => ['onTrue',
        'onFalse'][k]);
}
function scalar(x, what) {
    if (!isArrayLike(x) || Array.isArray(x)) throw errorOf('TypeError', `${what}, got ${describe(x)}.`);
    const shape = shapeOf(x);
    if (shape.length) throw errorOf('TypeError', `${what}, got an array of shape ${shapeText(shape)}.`);
    return x;
}
/** functions[index](...operands), with index clamped to their number. (jax.lax.switch) */
export function switchBranches(index, functions, ...operands) {
    if (!Array.isArray(functions) || !functions.every(isFunction))
        throw errorOf('TypeError', 'lax.switch: branches argument should be a sequence of callables.');
    scalar(index, 'Branch index must be scalar');
    if (!functions.length) throw errorOf('ValueError', 'Empty branch sequence');
    if (functions.length === 1) return functions[0](...operands);
    return branches('switch', index, functions, operands, k => `branch ${k}`);
}
/** f of each element along the first axis, one after the other, stacked. batchSize: so many at a time. (jax.lax.map) */
export function map(f, xs, opts = {}) {
    if (!isFunction(f)) throw errorOf('TypeError', `map: Expected a callable value, got ${describe(f)}`);
    const {batchSize} = optionsOf(opts, {batchSize: 0}, 'map');
    ensure();
    const [leaves, def] = flatten(xs);
    return ending([bodyOf(f, [def])], ({flat, state}) => {
        const out = withParts([leaves], args => results((c, y) =>
            c.kn_lax_map(flat.handle, y, args, options('kn_lax_map_opts', {batch_size: batchSize ?? 0}))));
        return state.outTree.unflatten(out);
    });
}
/** All prefixes' joins by an associative function. (jax.lax.associative_scan) */
export function associativeScan(fn, elems, reverse = false, axis = 0) {
    if (!isFunction(fn)) throw errorOf('TypeError', 'lax.associativeScan: fn argument should be callable.');
    const o = optionsOf(isPlain(reverse) ? reverse : {reverse, axis}, {reverse: false, axis: 0}, 'associativeScan');
    ensure();
    const [leaves, def] = flatten(elems), shapes = leaves.map(shapeOf), at = integer(o.axis, 'The `axis` argument');
    if (new Set(shapes.map(s => s.at(at))).size > 1)
        throw errorOf('ValueError', 'Array inputs to associative_scan must have the same first dimension. (saw: ' +
            `[${shapes.map(shapeText).join(', ')}])`);
    return ending([bodyOf(fn, [def, def])], ({flat}) => def.unflatten(withParts([leaves], args => results((c, y) => {
        const opts = options('kn_lax_cumulative_opts', {reverse: Boolean(o.reverse)});
        putAxes(opts + engine.L['kn_lax_cumulative_opts.axis'], at);
        return c.kn_associative_scan(flat.handle, y, args, opts);
    }))));
}

// ---- Reductions by functions.
function joined(what, operands, initial, computation, use) {
    if (!isFunction(computation)) throw errorOf('TypeError', `${what}: computation has to be callable.`);
    ensure();
    const [leaves, def] = flatten(operands), [inits, initDef] = flatten(initial);
    if (!def.equals(initDef))
        throw errorOf('ValueError', `Operands must have the same tree structure as init_values: ${def} vs. ${initDef}`);
    return ending([bodyOf(computation, [def, def], {promised: leaves.length})], ({flat}) =>
        def.unflatten(scoped(() => use(leaves, inits, flat))));
}
/** Joins the elements along these axes by a function, beginning with initial values; trees. (jax.lax.reduce) */
export const reduce = (operands, initial, computation, dimensions) => joined('reduce', operands, initial, computation,
    (xs, inits, f) => rowCall('kiln.lax', '_reduce', [xs, inits, f, dimensions]));
/** Joins the elements of each window by a function: reduceWindow(operand, initial, computation, dimensions, strides,
 * padding, {baseDilation, windowDilation}) of jax.lax.reduce_window; or reduceWindow(operand, computation, dimensions,
 * strides) of jax-js, where computation takes the window as an array. */
export function reduceWindow(operand, initial, computation, dimensions, strides = null, padding = 'VALID', opts = {}) {
    if (isFunction(initial)) return ofWindows(operand, initial, computation, dimensions);
    const {baseDilation, windowDilation} = optionsOf(opts, {baseDilation: null, windowDilation: null}, 'reduceWindow');
    return joined('reduceWindow', operand, initial, computation, (xs, inits, f) => rowCall('kiln.lax', '_reduce_window',
        [xs, inits, f, dimensions, strides, padding, baseDilation, windowDilation]));
}
function ofWindows(x, computation, dimensions, strides = null) {
    if (!Array.isArray(dimensions) || (strides && !Array.isArray(strides)))
        throw errorOf('TypeError', 'reduceWindow: the extents and the strides of windows are lists');
    if (x.ndim < dimensions.length)
        throw errorOf('ValueError', `reduceWindow: ${dimensions.length} dimensions of windows are more than the ` +
            `array's ${x.ndim}`);
    const axes = dimensions.map((_, i) => x.ndim - dimensions.length + i);
    let windows = rowCall('kiln.numpy', '_sliding_window_view', [x, dimensions, axes]), each = computation;
    if (strides) windows = windows.slice('...', ...strides.map(s => [null, null, s]), ...dimensions.map(() => []));
    for (let i = 0; i < x.ndim; i++) each = vmap(each);
    return each(windows);
}
/** The arrays of the tree, none of which is used before all are there. (jax.lax.optimization_barrier) */
export function optimizationBarrier(tree) {
    const [leaves, def] = flatten(tree);
    return def.unflatten(rowCall('kiln.lax', '_optimization_barrier', [leaves], optimizationBarrier));
}

// SPDX-License-Identifier: Apache-2.0
// transforms.js -- derivatives of functions of trees, and what else JAX makes of functions under the same names
// (jit.js, vmap.js, custom.js have the rest). A function of trees becomes one of flat lists of arrays (function.js); C
// transforms that.
import {isArrayLike, isNumber, newHandle, numberHandle} from './convert.js';
import {dtypeKind} from './dtype.js';
import {ensure} from './engine.js';
import {describe, errorOf} from './errors.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';
import {FlatFunction} from './function.js';
import {asArray, callable, named, optionsOf} from './jit.js';
import {flatten, leaves as leavesOf, map, structure} from './tree.js';

/** Numbers among what is differentiated are floats, also those without a fraction. */
const asFloat = x => {
    if (x instanceof KilnArray) return x;
    if (isNumber(x)) return new KilnArray(typeof x === 'boolean' ? newHandle(x) : numberHandle(x, true));
    if (!isArrayLike(x)) throw errorOf('TypeError', `Argument ${describe(x)} is not a valid array.`);
    return new KilnArray(newHandle(x));
};
/** use(the tree with arrays for its numbers); those end with it. */
function withArrays(tree, use) {
    const made = [];
    try {
        return use(map(x => {
            const y = asFloat(x);
            if (y !== x) made.push(y);
            return y;
        }, tree));
    } finally {
        for (const x of made) x.dispose();
    }
}
export const shapeText = shape => `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
/** "float32[2,3]", as JAX writes a type. */
export function typeText(x) {
    const y = asArray(x), text = `${y.dtype}[${y.shape}]`;
    if (y !== x) y.dispose();
    return text;
}

/** fun of these trees, each of which is one part: {flat, parts, state}; state has the structure of what it returned.
 * split(out) -> [out, aux] of trees */
export function flatOf(fun, trees, {split = null, name = fun.name || 'f', checkOut = null} = {}) {
    const all = trees.map(t => flatten(t)), state = {outTree: null, auxTree: null};
    const flat = FlatFunction.of((...parts) => {
        let out = fun(...parts.map((p, i) => all[i][1].unflatten(p))), aux = [];
        if (split) {
            let rest;
            [out, rest] = split(out);
            [aux, state.auxTree] = flatten(rest);
        }
        const [leaves, def] = flatten(out);
        for (const x of leaves)
            if (!isArrayLike(x)) throw errorOf('TypeError', `${name} returned ${describe(x)}, which is no array`);
        state.outTree = def;
        checkOut?.(out, def);
        return [...leaves, ...aux];
    }, all.map(([l]) => l.length), {name});
    return {flat, parts: all.map(([l]) => l), state};
}
/** use(f), a flat function, which ends then. */
export function using(f, use) {
    try {
        return use(f);
    } finally {
        f.done();
    }
}

// ---- Gradients.
function argumentNumbers(argnums, args, jacobian = false) {
    const many = Array.isArray(argnums), nums = many ? argnums : [argnums];
    if (!nums.length)
        throw errorOf('ValueError', 'argnums is empty: there is nothing to differentiate with respect to');
    for (const n of nums)
        if (!Number.isInteger(n))
            throw errorOf('TypeError', `argnums has to be an integer or a list of them, not ${describe(argnums)}`);
    const wanted = Math.max(...nums.map(n => (n >= 0 ? n + 1 : -n))), text = many ? `[${argnums}]` : argnums;
    if (wanted > args.length && (jacobian || Math.min(...nums) < -args.length))
        throw errorOf('ValueError', 'argument numbers must have values greater than or equal to -args.length and ' +
            'less ' +
            'than ' +
            `args.length, but got argnums=${text} for args.length == ${args.length}.`);
    if (wanted > args.length)
        throw errorOf('TypeError', `differentiating with respect to argnums=${text} requires at least ${wanted} ` +
            `positional ` +
            `arguments to be passed by the caller, but got only ${args.length} positional arguments.`);
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
    return {call: named(call, fun), chosen: at.map(i => args[i]), others: leaves.filter((_, i) => isArray[i])};
}
function checkInput(name, x, holomorphic, allowInt) {
    const d = x.dtype, kind = dtypeKind(d);
    if (holomorphic && kind !== 'c')
        throw errorOf('TypeError', `${name} with holomorphic=true requires inputs with complex dtype, but got ${d}.`);
    if ('biu'.includes(kind) && !allowInt)
        throw errorOf('TypeError', `${name} requires real- or complex-valued inputs (input dtype that is a sub-dtype ` +
            `of ` +
            `np.inexact), but got ${d}. If you want to use Boolean- or integer-valued inputs, use vjp or set ` +
                `allowInt ` +
                `to true.`);
}
function scalarOf(out) {
    if (!(out instanceof KilnArray) && !isNumber(out))
        throw errorOf('TypeError', `Gradient only defined for scalar-output functions. Output was ${describe(out)}.`);
    const y = out instanceof KilnArray ? out : asFloat(out);
    if (y.shape.length)
        throw errorOf('TypeError', `Gradient only defined for scalar-output functions. Output had shape: ` +
            `${shapeText(y.shape)}.`);
    return y;
}
function checkOutput(name, y, holomorphic) {
    const d = y.dtype, kind = dtypeKind(d), real = `${name} requires real-valued outputs (output dtype that is a ` +
        `sub-dtype ` +
        `of np.floating), but got ${d}. For `;
    if (holomorphic) {
        if (kind !== 'c')
            throw errorOf('TypeError', `${name} with holomorphic=true requires outputs with complex dtype, but got ` +
                `${d}.`);
    } else if (kind === 'c')
        throw errorOf('TypeError', `${real}holomorphic differentiation, pass holomorphic=true. For differentiation ` +
            `of ` +
            `` +
            'non-holomorphic functions involving complex outputs, use vjp directly.');
    else if ('biu'.includes(kind))
        throw errorOf('TypeError', `${real}differentiation of functions with integer outputs, use vjp directly.`);
}
function pairOf(out) {
    if (!Array.isArray(out) || out.length !== 2)
        throw errorOf('TypeError', `expected function with aux output to return a two-element array, but got ` +
            `${describe(out)}`);
    return out;
}
const gradOptions = {argnums: 0, hasAux: false, holomorphic: false, allowInt: false};

/** [value, gradient, aux] of fun for these arguments; the program's call is that of `entry`. */
function differentiate(fun, {argnums, hasAux, holomorphic, allowInt}, args, entry) {
    ensure();
    const split = out => {
        const [value, aux] = hasAux ? pairOf(out) : [out, []], y = scalarOf(value);
        checkOutput('grad', y, holomorphic);
        return [y, aux];
    };
    const {at, many} = argumentNumbers(argnums, args), {call, chosen, others} = partial(fun, at, args);
    return withArrays(chosen, given => {
        for (const x of leavesOf(given)) checkInput('grad', x, holomorphic, allowInt);
        const {flat, parts, state} = flatOf(call, [given, others], {split, name: fun.name || 'f'});
        return using(flat.grad({argnums: [0], hasAux, holomorphic, allowInt, value: true}), g => {
            const out = g.call(parts, entry), n = state.auxTree.numLeaves;
            const grads = structure(chosen).unflatten(out.slice(1 + n));
            return [out[0], many ? grads : grads[0], hasAux ? state.auxTree.unflatten(out.slice(1, 1 + n)) : null];
        });
    });
}
/** A function that returns [value, gradient] of fun, whose result is a real scalar (jax.value_and_grad); with hasAux
 * fun returns [value, aux] and the result is [[value, aux], gradient]. argnums: a number or a list of them. */
export function valueAndGrad(fun, options = {}) {
    callable(fun, 'valueAndGrad');
    const o = optionsOf(options, gradOptions, 'valueAndGrad');
    const f = (...args) => {
        const [value, gradient, aux] = differentiate(fun, o, args, f);
        return [o.hasAux ? [value, aux] : value, gradient];
    };
    return named(f, fun);
}
/** The gradient alone (jax.grad); with hasAux [gradient, aux]. */
export function grad(fun, options = {}) {
    callable(fun, 'grad');
    const o = optionsOf(options, gradOptions, 'grad');
    const f = (...args) => {
        const [value, gradient, aux] = differentiate(fun, o, args, f);
        value.dispose();
        return o.hasAux ? [gradient, aux] : gradient;
    };
    return named(f, fun);
}

// ---- At a point.
const auxOptions = {hasAux: false};
function isList(x, what, f) {
    if (!Array.isArray(x))
        throw errorOf('TypeError', `${what} argument to ${f} must be an array of arguments; found ${describe(x)}.`);
}
const splitOf = hasAux => (hasAux ? pairOf : null);
function tangentsOf(primals, tangents, what) {
    const def = structure(primals), [leaves, own] = flatten(tangents);
    if (!def.equals(own))
        throw errorOf('TypeError', `primal and tangent arguments to ${what} must have the same tree structure; ` +
            `primals have ` +
            `tree structure ${def} whereas tangents have tree structure ${own}`);
    return leaves;
}
/** A function that ends with dispose(), and is an error afterwards. */
function owned(f, flat, what) {
    let ended = false;
    const dispose = () => {
        if (!ended) flat.done();
        ended = true;
    };
    const out = (...args) => {
        if (ended) throw errorOf('ValueError', `this function of ${what} was disposed of`);
        return f(...args);
    };
    return Object.defineProperties(out, {dispose: {value: dispose},
        ...(Symbol.dispose ? {[Symbol.dispose]: {value: dispose}} : {})});
}

/** [fun(...primals), its derivative in the direction of the tangents], with hasAux also aux. (jax.jvp) */
export function jvp(fun, primals, tangents, options = {}) {
    callable(fun, 'jvp');
    const {hasAux} = optionsOf(options, auxOptions, 'jvp');
    isList(primals, 'primals', 'jvp'), isList(tangents, 'tangents', 'jvp');
    ensure();
    const dx = tangentsOf(primals, tangents, 'jvp');
    return withArrays([primals, dx], ([x, t]) => {
        leavesOf(x).forEach((p, i) => {
            if (String(p.shape) !== String(t[i].shape))
                throw errorOf('ValueError', 'jvp called with different primal and tangent shapes; got primal shape ' +
                    `${shapeText(p.shape)} and tangent shape ${shapeText(t[i].shape)}.`);
        });
        const {flat, parts, state} = flatOf(xs => fun(...xs), [x], {split: splitOf(hasAux), name: fun.name || 'f'});
        return using(flat, () => {
            const [y, dy] = flat.jvp(parts, [t]), n = state.outTree.numLeaves;
            dy.slice(n).forEach(a => a.dispose());
            const out = [state.outTree.unflatten(y.slice(0, n)), state.outTree.unflatten(dy.slice(0, n))];
            return hasAux ? [...out, state.auxTree.unflatten(y.slice(n))] : out;
        });
    });
}
function checkCotangents(leaves, types) {
    leaves.forEach((ct, i) => {
        const {shape, dtype} = types[i], y = asArray(ct);
        const fits = isNumber(ct) && typeof ct !== 'boolean' && 'fc'.includes(dtypeKind(dtype));
        const wrong = String(y.shape) !== String(shape) || (!fits && y.dtype !== dtype);
        const got = `${y.dtype}[${y.shape}]`;
        if (y !== ct) y.dispose();
        if (wrong)
            throw errorOf('ValueError', `unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got ` +
                `${got}, but ` +
                `expected ${dtype}[${shape}] because the corresponding output of the differentiated function had ` +
                    `that ` +
                    `type`);
    });
}
/** f(flat), which is ended if that fails. */
function orEnd(flat, f) {
    try {
        return f();
    } catch (e) {
        flat.done();
        throw e;
    }
}
/** [fun(...primals), a function from cotangents of the result to a list of those of the arguments], with hasAux also
 * aux. (jax.vjp) */
export function vjp(fun, primals, options = {}) {
    callable(fun, 'vjp');
    const {hasAux} = optionsOf(options, auxOptions, 'vjp');
    isList(primals, 'primals', 'vjp');
    ensure();
    return withArrays(primals, x => {
        const {flat, parts, state} = flatOf(xs => fun(...xs), [x], {split: splitOf(hasAux), name: fun.name || 'f'});
        return orEnd(flat, () => {
            const [y, back] = flat.at('kn_vjp', parts), n = state.outTree.numLeaves, {outTree} = state;
            const inTree = structure(primals), types = y.slice(0, n).map(a => ({shape: a.shape, dtype: a.dtype}));
            const auxTypes = y.slice(n).map(a => ({shape: a.shape, dtype: a.dtype}));
            const pullback = cotangents => {
                const [leaves, def] = flatten(cotangents);
                if (!def.equals(outTree))
                    throw errorOf('ValueError', 'unexpected tree structure of argument to vjp function: got ' +
                        `${def}, but expected to match ${outTree}`);
                checkCotangents(leaves, types);
                const zeros = auxTypes.map(a => rowCall('kiln.numpy', 'zeros', [a.shape, {dtype: a.dtype}]));
                const own = leaves.map((v, i) => sized(v, types[i].dtype));
                const given = back.call([[...own, ...zeros]]);
                own.forEach((v, i) => v !== leaves[i] && v.dispose());
                zeros.forEach(z => z.dispose());
                return inTree.unflatten(given);
            };
            const out = [outTree.unflatten(y.slice(0, n)), owned(pullback, back, 'vjp')];
            return hasAux ? [...out, state.auxTree.unflatten(y.slice(n))] : out;
        });
    });
}
// A number as an array of this dtype: a cotangent has that of its result.
const sized = (v, dtype) => (isNumber(v) ? rowCall('kiln.numpy', 'full', [[], v, {dtype}]) : v);

/** [fun(...primals), its derivative there as a function of the tangents], with hasAux also aux. (jax.linearize) */
export function linearize(fun, primals, options = {}) {
    callable(fun, 'linearize');
    const {hasAux} = optionsOf(options, auxOptions, 'linearize');
    isList(primals, 'primals', 'linearize');
    ensure();
    return withArrays(primals, x => {
        const {flat, parts, state} = flatOf(xs => fun(...xs), [x], {split: splitOf(hasAux), name: fun.name || 'f'});
        return orEnd(flat, () => {
            const types = parts[0].map(a => ({shape: a.shape, dtype: a.dtype}));
            const [y, linear] = flat.at('kn_linearize', parts), {outTree} = state, n = outTree.numLeaves;
            const push = (...tangents) => {
                const leaves = tangentsOf(primals, tangents, 'linearize');
                return withArrays(leaves, ts => {
                    ts.forEach((t, i) => {
                        if (String(t.shape) !== String(types[i].shape))
                            throw errorOf('ValueError', 'linearized function called on tangent values inconsistent ' +
                                'with the ' +
                                `original primal values: got ${typeText(t)} for a primal of shape ` +
                                    `${shapeText(types[i].shape)} ` +
                                `and dtype ${types[i].dtype}`);
                    });
                    const out = linear.call([ts]);
                    out.slice(n).forEach(a => a.dispose());
                    return outTree.unflatten(out.slice(0, n));
                });
            };
            const out = [outTree.unflatten(y.slice(0, n)), owned(push, linear, 'linearize')];
            return hasAux ? [...out, state.auxTree.unflatten(y.slice(n))] : out;
        });
    });
}
/** The transpose of a linear function, from cotangents of its result to a list of those of the arguments; of these only
 * shapes and dtypes count. (jax.linear_transpose) */
export function linearTranspose(fun, primals) {
    callable(fun, 'linearTranspose');
    isList(primals, 'primals', 'linearTranspose');
    ensure();
    const {tree, end} = examples(primals), inTree = structure(primals);
    try {
        const {flat, parts, state} = flatOf(xs => fun(...xs), [tree], {name: fun.name || 'f'});
        return orEnd(flat, () => {
            const transposed = flat.linearTranspose(parts), {outTree} = state;
            return owned(cotangents => {
                const [leaves, def] = flatten(cotangents);
                if (!def.equals(outTree))
                    throw errorOf('TypeError', `cotangent tree does not match function output, expected ${outTree} ` +
                        `but got ${def}`);
                return inTree.unflatten(transposed.call([leaves]));
            }, transposed, 'linearTranspose');
        });
    } finally {
        end();
    }
}

// ---- Jacobians.
const jacOptions = {argnums: 0, hasAux: false, holomorphic: false, allowInt: false};
function jacobianOf(mode, fun, options, name) {
    callable(fun, name);
    const {argnums, hasAux, holomorphic, allowInt} = optionsOf(options, jacOptions, name);
    const split = hasAux ? pairOf : out => [out, []];
    return named((...args) => {
        ensure();
        const {at, many} = argumentNumbers(argnums, args, true), {call, chosen, others} = partial(fun, at, args);
        return withArrays(chosen, given => {
            const {flat, parts, state} = flatOf(call, [given, others], {split, name: fun.name || 'f'});
            return using(flat, () => {
                const types = flat.evalShape(parts), nAux = state.auxTree.numLeaves;
                types.forEach(x => x.dispose());
                const nIn = parts[0].length, nOut = types.length - nAux, inTree = structure(chosen);
                return using(flat.jacobian(mode, {argnums: [0], nAux, holomorphic, allowInt}), j => {
                    const out = j.call(parts);
                    const rows = Array.from({length: nOut}, (_, i) => inTree.unflatten(out.slice(i * nIn, (i +
                        1) * nIn)));
                    const jac = state.outTree.unflatten(rows.map(r => (many ? r : r[0])));
                    return hasAux ? [jac, state.auxTree.unflatten(out.slice(nIn * nOut))] : jac;
                });
            });
        });
    }, fun);
}
/** The Jacobian of fun by forward mode, column by column. (jax.jacfwd) */
export const jacfwd = (fun, options = {}) => jacobianOf('jacfwd', fun, options, 'jacfwd');
/** The Jacobian of fun by reverse mode, row by row. (jax.jacrev) */
export const jacrev = (fun, options = {}) => jacobianOf('jacrev', fun, options, 'jacrev');
export {jacrev as jacobian};
/** The matrix of second derivatives: jacfwd of jacrev. (jax.hessian) */
export function hessian(fun, options = {}) {
    callable(fun, 'hessian');
    return jacfwd(jacrev(fun, options), options);
}

// ---- Shapes.
/** The type of an array without a value. (jax.ShapeDtypeStruct) */
export class ShapeDtypeStruct {
    constructor(shape, dtype) {
        if (!Array.isArray(shape))
            throw errorOf('TypeError', `ShapeDtypeStruct: the shape has to be an array, not ${describe(shape)}`);
        if (dtype === undefined || dtype === null)
            throw errorOf('ValueError', 'ShapeDtypeStruct: dtype must be specified.');
        this.shape = Object.freeze([...shape]);
        this.dtype = dtype;
        Object.freeze(this);
    }
    get ndim() { return this.shape.length; }
    get size() { return this.shape.reduce((a, b) => a * b, 1); }
    equals(o) { return o instanceof ShapeDtypeStruct && o.dtype === this.dtype &&
        String(o.shape) === String(this.shape); }
    toString() { return `ShapeDtypeStruct(shape=${shapeText(this.shape)}, dtype=${this.dtype})`; }
}
/** A tree with arrays without values for its ShapeDtypeStructs, and what ends those. */
export function examples(tree) {
    const made = [];
    const out = map(x => {
        if (!(x instanceof ShapeDtypeStruct)) return x;
        made.push(rowCall('kiln', 'shape_dtype_struct', [x.shape, x.dtype]));
        return made[made.length - 1];
    }, tree);
    return {tree: out, end: () => made.forEach(x => x.dispose())};
}
/** The shapes and dtypes of fun's results, which is not run. (jax.eval_shape) */
export function evalShape(fun, ...args) {
    callable(fun, 'evalShape');
    ensure();
    const {tree, end} = examples(args);
    try {
        const {flat, parts, state} = flatOf(xs => fun(...xs), [tree], {name: fun.name || 'f'});
        return using(flat, () => {
            const types = flat.evalShape(parts).map(x => {
                const type = new ShapeDtypeStruct(x.shape, x.dtype);
                x.dispose();
                return type;
            });
            return state.outTree.unflatten(types);
        });
    } finally {
        end();
    }
}

// ---- Checkpoints.
/** What derivatives of a checkpoint may keep from the first time. (jax.checkpoint_policies) */
export const checkpointPolicies = Object.freeze({
    nothingSaveable: {kind: 0, names: []}, everythingSaveable: {kind: 1, names: []}, dotsSaveable: {kind: 2, names: []},
    dotsWithNoBatchDimsSaveable: {kind: 3, names: []},
    saveOnlyTheseNames: (...names) => ({kind: 4, names}), saveAnyNamesButThese: (...names) => ({kind: 5, names}),
});
/** fun, whose derivative computes its values again instead of keeping them. policy: one of checkpointPolicies.
 * (jax.checkpoint) */
export function checkpoint(fun, options = {}) {
    if (fun !== null && typeof fun === 'object') return f => checkpoint(f, fun);
    callable(fun, 'checkpoint');
    const {preventCse, policy, staticArgnums} = optionsOf(options, {preventCse: true, policy: null, staticArgnums:
        []}, 'checkpoint');
    return named((...args) => {
        ensure();
        const statics = [staticArgnums].flat().map(n => (n < 0 ? n + args.length : n));
        const call = xs => fun(...xs.map((x, i) => (statics.includes(i) ? args[i] : x)));
        const dynamic = args.map((a, i) => (statics.includes(i) ? null : a));
        const {flat, parts, state} = flatOf(call, [dynamic], {name: fun.name || 'f'});
        return using(flat.checkpoint({...(policy ?? {}), preventCse}), f => {
            const out = f.call(parts);
            return state.outTree.unflatten(out);
        });
    }, fun);
}
/** x, a constant to derivatives, a tree. (jax.lax.stop_gradient) */
export const stopGradient = x => map(v => rowCall('kiln.lax', '_stop_gradient', [v], stopGradient), x);
/** Waits until all arrays of the tree are there; a promise of the tree. */
export async function blockUntilReady(tree) {
    for (const x of leavesOf(tree)) await x?.blockUntilReady?.();
    return tree;
}

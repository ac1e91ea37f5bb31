// SPDX-License-Identifier: Apache-2.0
// vmap.js -- vmap: a function of one element as a function of all along an axis, and the collectives over such axes.
import {isArrayLike} from './convert.js';
import {ensure} from './engine.js';
import {describe, errorOf, ValueError} from './errors.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';
import {FlatFunction, MAX_PARTS} from './function.js';
import {asArray, callable, named, optionsOf} from './jit.js';
import {flatten, flattenUpTo, flattenWithPath, keystr, leaves as leavesOf, map} from './tree.js';
import {shapeText, using} from './transforms.js';

const isAxis = x => x === null || x === undefined;
const isOptions = x => x !== null && typeof x === 'object' && !Array.isArray(x) && Object.keys(x).length > 0 &&
    Object.keys(x).every(k => ['inAxes', 'outAxes', 'axisName', 'axisSize', 'in_axes', 'out_axes', 'axis_name',
        'axis_size'].includes(k));

/** An axis, or null, for each leaf of the tree: `axes` is a tree of which that one is an extension. */
function axesOf(axes, tree, what) {
    if (isAxis(axes) || typeof axes === 'number') return leavesOf(tree).map(() => axes ?? null);
    const [leaves, def] = flatten(axes, isAxis);
    let parts;
    try {
        parts = flattenUpTo(def, tree);
    } catch {
        throw errorOf('ValueError', `vmap ${what} specification must be a tree prefix of the corresponding value, ` +
            `got ` +
            `` +
            `specification ${JSON.stringify(axes)} for value tree ${flatten(tree)[1]}.`);
    }
    return parts.flatMap((p, i) => leavesOf(p).map(() => leaves[i] ?? null));
}
function checkAxes(what, axes) {
    if (!leavesOf(axes, isAxis).every(a => isAxis(a) || Number.isInteger(a)))
        throw errorOf('TypeError', `vmap ${what} must be an integer, null, or (nested) container with those types as ` +
            `leaves, but ` +
            `got ${JSON.stringify(axes) ?? describe(axes)}.`);
}
function checkRanks(leaves, axes) {
    leaves.forEach((x, i) => {
        const a = axes[i], {ndim, shape} = x;
        if (a !== null && !(a >= -ndim && a < ndim))
            throw errorOf('ValueError', `vmap was requested to map its argument along axis ${a}, which implies that ` +
                `its rank ` +
                `should be at least ${a >= 0 ? a + 1 : -a}, but is only ${ndim} (its shape is ${shapeText(shape)})`);
    });
}
function checkSizes(args, leaves, axes, axisSize) {
    const paths = args.flatMap((a, i) => flattenWithPath(a)[0].map(([path]) => `args[${i}]${keystr(path)}`));
    const all = leaves.map((x, i) => ({x, axis: axes[i], place: paths[i]})).filter(o => o.axis !== null);
    for (const o of all) o.size = o.x.shape[o.axis < 0 ? o.axis + o.x.ndim : o.axis];
    const counts = new Map();
    for (const o of all) counts.set(o.size, (counts.get(o.size) ?? 0) + 1);
    if (new Set([...counts.keys(), ...(axisSize === null ? [] : [axisSize])]).size <= 1) return;
    const lines = axisSize === null ? [] : [`  * the \`axisSize\` argument was ${axisSize}`];
    [...counts].sort((a, b) => b[1] - a[1]).forEach(([size, n], k) => {
        const o = all.find(v => v.size === size);
        const which = n === 1 ? 'one axis had' : `${k ? 'some' : 'most'} axes (${n} of them) had`;
        lines.push(`  * ${which} size ${size}${n > 1 ? ', e.g.' : ':'} axis ${o.axis} of ${o.place} of type ` +
            `${o.x.dtype}[${o.x.shape}]`);
    });
    throw errorOf('ValueError', `vmap got inconsistent sizes for array axes to be mapped:\n${lines.join(';\n')}`);
}

const moved = (x, from, to) => rowCall('kiln.numpy', 'moveaxis', [x, from, to]);
/** A part for each axis: {parts, distinct, order(parts) -> leaves}. Leaves of rarer axes than a function may have parts
 * are turned. */
function byAxis(leaves, axes) {
    const first = [...new Set(axes)].slice(0, MAX_PARTS - 1);
    const all = leaves.map((x, i) => (first.includes(axes[i]) ? x : moved(x, axes[i], 0)));
    const own = axes.map(a => (first.includes(a) ? a : 0)), distinct = [...new Set(own)], at = own.map(a =>
        distinct.indexOf(a));
    const order = parts => {
        const next = parts.map(() => 0);
        return at.map(p => parts[p][next[p]++]);
    };
    return {parts: distinct.map((_, k) => all.filter((_x, i) => at[i] === k)), distinct, order};
}

/** fun of each element along axes of its arguments (jax.vmap). inAxes: a number for all arguments, or a list with a
 * number, null (not mapped) or a tree of them for each. The rest comes by position or by name, in an object: outAxes,
 * axisName (for lax.psum and its like), axisSize. */
export function vmap(fun, inAxes = 0, outAxes = 0, options = {}) {
    let given = {inAxes, outAxes, ...options};
    if (isOptions(inAxes)) given = inAxes;
    else if (isOptions(outAxes)) given = {inAxes, ...outAxes};
    return vmapAs('vmap', fun, given);
}
/** vmap, or pmap, which has the same options. */
export function vmapAs(name, fun, given) {
    callable(fun, name);
    const {inAxes: into, outAxes: out, axisName, axisSize} =
        optionsOf(given, {inAxes: 0, outAxes: 0, axisName: null, axisSize: null}, name);
    if (!(isAxis(into) || Number.isInteger(into) || Array.isArray(into)))
        throw errorOf('TypeError', 'vmap inAxes must be an integer, null, or an array of entries corresponding to ' +
            'the ' +
            'positional ' +
            `arguments passed to the function, but got ${describe(into)}.`);
    checkAxes('inAxes', into), checkAxes('outAxes', out);
    return named((...args) => {
        ensure();
        if (Array.isArray(into) && into.length !== args.length)
            throw errorOf('ValueError', 'vmap inAxes must be an integer, null, or an array of entries corresponding ' +
                'to the ' +
                `positional arguments passed to the function, but got inAxes.length=${into.length}, ` +
                    `args.length=${args.length}`);
        const [every, def] = flatten(args), every_ = axesOf(into, args, 'inAxes');
        if (axisSize === null && every_.every(a => a === null))
            throw errorOf('ValueError', 'vmap must have at least one non-null value in inAxes or axisSize must be ' +
                'specified');
        // what is not mapped and no array stays what it is
        const fixed = every.map((x, i) => every_[i] === null && !(x instanceof KilnArray));
        every.forEach((x, i) => {
            if (!fixed[i] && !isArrayLike(x))
                throw errorOf('TypeError', `vmap: ${describe(x)} is mapped, but is no array`);
        });
        const made = [], leaves = every.filter((_, i) => !fixed[i]).map(x => {
            const y = asArray(x);
            if (y !== x) made.push(y);
            return y;
        }), axes = every_.filter((_, i) => !fixed[i]);
        try {
            checkRanks(leaves, axes);
            checkSizes(args.map((a, i) => (fixed.some(Boolean) ? withoutFixed(a, args, i, fixed) : a)), leaves, axes,
                axisSize);
            const {parts, distinct, order} = byAxis(leaves, axes);
            const state = {def: null};
            const flat = (...p) => {
                const mapped = order(p);
                let k = 0;
                const [y, tree] = flatten(fun(...def.unflatten(every.map((x, i) => (fixed[i] ? x : mapped[k++])))));
                for (const x of y)
                    if (!isArrayLike(x))
                        throw errorOf('TypeError', `${fun.name || 'f'} returned ${describe(x)}, which is no array`);
                state.def = tree;
                return y;
            };
            return mapped(fun, flat, state, out, parts,
                {axes: distinct, axisName, axisSize: axisSize ?? 0, pmap: name === 'pmap'});
        } finally {
            for (const x of made) x.dispose();
        }
    }, fun);
}
function withoutFixed(a, args, i, fixed) { // the leaves that stay what they are do not count
    let at = args.slice(0, i).reduce((n, b) => n + leavesOf(b).length, 0);
    return map(x => (fixed[at++] ? null : x), a);
}
/** The tree of results. Those that outAxes says are not mapped come from a call of their own: that is where the library
 * sees whether they are. */
function mapped(fun, flat, state, outAxes, parts, {axes, ...options}) {
    const wanted = new Set(leavesOf(outAxes, isAxis).map(isAxis));
    if (!wanted.size) wanted.add(false);
    let to = [];
    const results = new Map(), given = parts.length ? parts : [[]], on = parts.length ? axes : [null];
    for (const unmapped of wanted) {
        const these = (...p) => {
            const out = flat(...p);
            to = axesOf(outAxes, state.def.unflatten(out), 'outAxes');
            return out.filter((_, i) => (to[i] === null) === unmapped);
        };
        const f = FlatFunction.of(these, given.map(p => p.length), {name: fun.name || 'f'});
        try {
            results.set(unmapped, using(f.vmap(on, {...options, unmapped}), v => v.call(given)));
        } catch (e) {
            if (unmapped && e instanceof ValueError && e.message.includes('KN_UNMAPPED'))
                throw errorOf('ValueError', 'at vmap outAxes, got axis spec null but the output is mapped: it ' +
                    'depends ' +
                    'on an ' +
                    'argument that is');
            throw e;
        }
    }
    const next = {true: 0, false: 0};
    return state.def.unflatten(to.map(a => {
        const x = results.get(a === null)[next[a === null]++];
        if (a === null || a === 0) return x;
        const y = moved(x, 0, a);
        x.dispose();
        return y;
    }));
}

// ---- Collectives: of trees, over the axes that vmap gave names.
const collective = (name, row, make) => {
    const f = {[name](x, axisName, ...rest) {
        return map(v => rowCall('kiln.lax', row, [v, axisName, ...make(...rest)], f), x);
    }}[name];
    return f;
};
const groups = (o = {}) => [o];
export const collectives = {
    psum: collective('psum', '_psum', groups),
    pmean: collective('pmean', '_pmean', groups),
    pmax: collective('pmax', '_pmax', groups),
    pmin: collective('pmin', '_pmin', groups),
    allGather: collective('allGather', '_all_gather', groups),
    allToAll: collective('allToAll', '_all_to_all', (split, concat, o = {}) => [split, concat, o]),
    psumScatter: collective('psumScatter', '_psum_scatter', groups),
    ppermute: collective('ppermute', '_ppermute', perm => [perm]),
    pshuffle: collective('pshuffle', '_pshuffle', perm => [perm]),
    pswapaxes: collective('pswapaxes', '_pswapaxes', axis => [axis]),
    pbroadcast: collective('pbroadcast', '_pbroadcast', source => [source]),
};

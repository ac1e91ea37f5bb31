// SPDX-License-Identifier: Apache-2.0
// custom.js -- derivatives that the user gives: jax.custom_jvp, jax.custom_vjp, jax.custom_gradient.
import {isArrayLike} from './convert.js';
import {dtypeKind} from './dtype.js';
import {ensure} from './engine.js';
import {describe, errorOf} from './errors.js';
import {isTracing} from './handles.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';
import {FlatFunction, isNumberLeaf, keepWithCallers, weaken} from './function.js';
import {asArray, callable, named, optionsOf} from './jit.js';
import {flatten, flattenUpTo, leaves as leavesOf, map, structure} from './tree.js';
import {typeText} from './transforms.js';

const zerosOf = ({shape, dtype}) => rowCall('kiln.numpy', 'zeros', [shape, {dtype}]);
const shapeOf = x => (x instanceof KilnArray ? x.shape : ArrayBuffer.isView(x) ? [x.length] : []);
const known = {nondiffArgnums: []};

/** What both kinds share: arguments by position, and which of them are not differentiated. */
function splitter(nums, args) {
    const at = new Set([nums].flat().map(n => (n < 0 ? n + args.length : n)));
    const whole = dynamic => {
        let k = 0;
        return args.map((a, i) => (at.has(i) ? a : dynamic[k++]));
    };
    return {dynamic: args.filter((_, i) => !at.has(i)), fixed: args.filter((_, i) => at.has(i)), whole};
}
const checkLeaves = (leaves, name) => {
    for (const x of leaves) if (!isArrayLike(x))
        throw errorOf('TypeError', `${name}: ${describe(x)} is no array; arguments that are none are named by ` +
            `nondiffArgnums`);
};
/** Outside of recordings no derivative is taken. */
function plainly(fun, nums, args) {
    const {dynamic, whole} = splitter(nums, args);
    return fun(...whole(map(x => (isArrayLike(x) ? asArray(x) : x), dynamic)));
}
function run(f, leaves, trees) {
    keepWithCallers(f); // a derivative may ask for the rules after this call
    try {
        const out = f.call([leaves]);
        return trees.out.unflatten(out);
    } finally {
        f.done();
    }
}

/** fun with a derivative of its own: f.defjvp((primals, tangents) => [result, its tangent]); returns f. With
 * nondiffArgnums the rule takes those arguments first. f.defjvps(rule, ...) sets a rule for each argument: (its
 * tangent, the result, ...primals) -> the result's tangent, or null. (jax.custom_jvp) */
export function customJvp(fun, options = {}) {
    if (fun !== null && typeof fun === 'object') return f => customJvp(f, fun);
    callable(fun, 'customJvp');
    const {nondiffArgnums} = optionsOf(options, known, 'customJvp'), name = fun.name || 'f';
    let rule = null;
    const custom = named((...args) => {
        if (!rule) throw errorOf('RuntimeError', `No JVP defined for custom_jvp function ${name} using defjvp.`);
        ensure();
        if (!isTracing()) return plainly(fun, nondiffArgnums, args);
        const {dynamic, fixed, whole} = splitter(nondiffArgnums, args), [leaves, inTree] = flatten(dynamic),
            trees = {out: null};
        checkLeaves(leaves, name);
        const numbers = leaves.map(isNumberLeaf);
        const n = leaves.length, plain = FlatFunction.of(xs => {
            const [out, def] = flatten(fun(...whole(inTree.unflatten(weaken(xs, numbers)))));
            trees.out = def;
            return out;
        }, [n], {name});
        const rules = FlatFunction.of((xs, ts) => jvpOf(rule(...fixed, inTree.unflatten(weaken(xs, numbers)),
            inTree.unflatten(ts)),
            name, rule, trees),
                                      [n, n], {name: rule.name || `${name}_jvp`});
        return run(plain.customJvp(rules), leaves, trees);
    }, fun);
    custom.defjvp = f => {
        callable(f, 'defjvp');
        rule = f;
        return custom;
    };
    custom.defjvps = (...rules) => {
        if ([nondiffArgnums].flat().length) throw errorOf('TypeError', "Can't use defjvps with nondiffArgnums.");
        return custom.defjvp((primals, tangents) => {
            const out = custom(...primals);
            const parts = rules.map((r, i) => r && r(tangents[i], out, ...primals)).filter(Boolean);
            if (!parts.length) return [out, map(x => rowCall('kiln.numpy', 'zeros_like', [x]), out)];
            return [out, map((_, ...ts) => ts.reduce((a, b) => rowCall('kiln.numpy', 'add', [a, b])), out, ...parts)];
        });
    };
    return custom;
}
function jvpOf(pair, name, rule, trees) {
    const head = `Custom JVP rule ${rule.name || '(a function)'} for function ${name} must produce `;
    if (!Array.isArray(pair) || pair.length !== 2)
        throw errorOf('TypeError', `${head}a pair (array of length two) representing primal and tangent outputs, but ` +
            `got ${describe(pair)}.`);
    const [y, def] = flatten(pair[0]), [dy, dDef] = flatten(pair[1]);
    if (!def.equals(dDef))
        throw errorOf('TypeError', `${head}primal and tangent outputs with equal container (tree) structures, but ` +
            `got ` +
            `${def} and ` +
            `${dDef} respectively.`);
    if (trees.out && !trees.out.equals(def))
        throw errorOf('TypeError', `${head}a pair (array of length two) where the first element represents the ` +
            `primal ` +
            `output ` +
            `(equal in value to the output of the custom_jvp-decorated function ${name}, and in particular of the ` +
                `same ` +
            `container/tree structure), but instead the JVP rule output's first element had container/tree ` +
                `structure:\n    ` +
            `${def}\nwhile the custom_jvp-decorated function ${name} had output container/tree structure:\n    ` +
                `${trees.out}.`);
    const wrong = y.map((p, i) => [p, dy[i]]).filter(([p, t]) => String(shapeOf(p)) !== String(shapeOf(t)));
    if (wrong.length)
        throw errorOf('TypeError', 'Custom JVP rule must produce primal and tangent outputs with corresponding ' +
            'shapes ' +
            'and dtypes, ' +
            `but got:\n${wrong.map(([p, t]) => `  primal ${typeText(p)} with tangent ${typeText(t)}, expecting ` +
                `tangent ${typeText(p)}`).join('\n')}`);
    return [...y, ...dy];
}

/** fun with a reverse derivative of its own: f.defvjp(fwd, bwd), fwd(...args) -> [result, residuals], bwd(residuals,
 * cotangent) -> a list of cotangents of the arguments, null for zeros; returns f. With nondiffArgnums bwd takes those
 * arguments first. (jax.custom_vjp) */
export function customVjp(fun, options = {}) {
    if (fun !== null && typeof fun === 'object') return f => customVjp(f, fun);
    callable(fun, 'customVjp');
    const {nondiffArgnums} = optionsOf(options, known, 'customVjp'), name = fun.name || 'f';
    let fwd = null, bwd = null;
    const custom = named((...args) => {
        if (!fwd || !bwd) throw errorOf('RuntimeError', `No VJP defined for custom_vjp function ${name} using defvjp.`);
        ensure();
        if (!isTracing()) return plainly(fun, nondiffArgnums, args);
        const {dynamic, fixed, whole} = splitter(nondiffArgnums, args), [leaves, inTree] = flatten(dynamic);
        checkLeaves(leaves, name);
        const numbers = leaves.map(isNumberLeaf);
        const trees = {out: null, residuals: null}, n = leaves.length, types = leaves.map(x => {
            const y = asArray(x);
            return {shape: y.shape, dtype: y.dtype};
        });
        const plain = FlatFunction.of(xs => {
            const [out, def] = flatten(fun(...whole(inTree.unflatten(weaken(xs, numbers)))));
            trees.out = def;
            return out;
        }, [n], {name});
        const forward = FlatFunction.of(xs => forwardOf(fwd(...whole(inTree.unflatten(weaken(xs, numbers)))), name,
            fwd, trees), [n],
                                        {name: fwd.name || `${name}_fwd`, pair: true});
        const backward = FlatFunction.of((residuals, cotangents) => cotangentsOf(inTree, types,
            bwd(...fixed, trees.residuals.unflatten(residuals), trees.out.unflatten(cotangents))),
        [-1, -1], {name: bwd.name || `${name}_bwd`});
        return run(plain.customVjp(forward, backward), leaves, trees);
    }, fun);
    custom.defvjp = (f, b) => {
        callable(f, 'defvjp'), callable(b, 'defvjp');
        [fwd, bwd] = [f, b];
        return custom;
    };
    return custom;
}
function forwardOf(pair, name, fwd, trees) {
    const what = `Custom VJP fwd rule ${fwd.name || '(a function)'} for function ${name} must produce a pair (array ` +
        `of length two) ` +
        'where the first element represents the primal output (equal to ';
    if (!Array.isArray(pair) || pair.length !== 2)
        throw errorOf('TypeError', `${what}those of the custom_vjp-decorated function ${name}) and the second ` +
            `element ` +
            `represents ` +
            'residuals (i.e. values stored from the forward pass for use on the backward pass), but instead of a ' +
                'pair ' +
                'the fwd rule ' +
            `produced ${describe(pair)}.`);
    const [y, def] = flatten(pair[0]);
    if (trees.out && !def.equals(trees.out))
        throw errorOf('TypeError', `${what}the output of the custom_vjp-decorated function ${name}), but instead the ` +
            `fwd rule ` +
            `output's first element had container/tree structure:\n    ${def}\nwhile the custom_vjp-decorated ` +
                `function ${name} had ` +
            `output container/tree structure:\n    ${trees.out}.`);
    trees.out = def;
    const [residuals, rDef] = flatten(pair[1]);
    trees.residuals = rDef;
    return [y, residuals];
}
/** The leaves of what bwd gave; null stands for zeros of everything below it. */
function cotangentsOf(inTree, types, given) {
    const mismatch = () => errorOf('TypeError', 'Custom VJP bwd rule must produce an output with the same container ' +
        '(tree) ' +
        'structure as the arguments of the primal function, and in particular must produce an array of length equal ' +
            'to the number ' +
        `of arguments to the primal function, but got bwd output structure ${structure(given)} for primal input ` +
            `structure ${inTree}.`);
    if (!Array.isArray(given)) throw mismatch();
    const out = [];
    const walk = (g, d) => { // d: the part of a tree of the leaves' numbers
        if (g === null || g === undefined) return void leavesOf(d).forEach(i => out.push(zerosOf(types[i])));
        if (typeof d === 'number') {
            if (!structure(g).isLeaf || !isArrayLike(g)) throw mismatch();
            const type = types[d];
            if ('biu'.includes(dtypeKind(type.dtype)) && !(g instanceof KilnArray && g.dtype === type.dtype))
                return void out.push(zerosOf(type)); // it does not count
            if (String(shapeOf(g)) !== String(type.shape))
                throw errorOf('ValueError', 'Custom VJP bwd rule must produce an output with the same type as the ' +
                    'arguments of the ' +
                    `primal function, but the bwd rule produced an output of type ${typeText(g)} corresponding to an ` +
                        `input of type ` +
                    `${type.dtype}[${type.shape}]`);
            return void out.push(g);
        }
        const isRoot = x => x !== d, def = structure(d, isRoot);
        let parts;
        try {
            parts = flattenUpTo(def, g);
        } catch {
            throw mismatch();
        }
        leavesOf(d, isRoot).forEach((part, i) => walk(parts[i], part));
    };
    walk(given, inTree.unflatten(types.map((_, i) => i)));
    return out;
}

/** fun returns [its result, a function from its cotangent to those of the arguments]. (jax.custom_gradient) */
export function customGradient(fun) {
    callable(fun, 'customGradient');
    const wrapped = customVjp(named((...args) => fun(...args)[0], fun));
    wrapped.defvjp((...args) => [fun(...args)[0], args], (args, cotangent) => {
        const given = fun(...args)[1](cotangent);
        return Array.isArray(given) ? given : [given];
    });
    return wrapped;
}

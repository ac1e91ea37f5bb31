// SPDX-License-Identifier: Apache-2.0
// solves.js -- roots and linear systems whose derivatives are implicit: jax.lax.custom_root,
// jax.lax.custom_linear_solve.
import {ensure, engine, get, onLinear, put} from './engine.js';
import {errorOf} from './errors.js';
import {check, isKept, keep, scoped, tracing} from './handles.js';
import {KilnArray} from './array.js';
import {rowCall, wrapList} from './call.js';
import {customJvp} from './custom.js';
import {Callback, callbackOf, listOf} from './debug.js';
import {asArray, callable, named, optionsOf} from './jit.js';
import {makeJaxpr} from './jaxpr.js';
import {flatten, leaves as leavesOf, map, structure} from './tree.js';
import {jvp, linearTranspose, linearize, vjp} from './transforms.js';
import {here} from './place.js';

const negative = tree => map(x => rowCall('kiln.numpy', 'negative', [x]), tree);
const zerosLike = tree => map(x => rowCall('kiln.numpy', 'zeros_like', [x]), tree);

// ---- Linear calls: an object with compute(b, rest), transpose(cotangents, rest) and jvp(i, b, rest, results,
// tangent),
// each of lists of arrays, whose results are lists; that of jvp is of the tangents of the first results, or null.
const arraysAt = (n, at) => Array.from({length: n}, (_, i) => new KilnArray(get((at >>> 0) + 4 * i)));
onLinear((serial, what, nFirst, first, nSecond, second, i, results, tangent, nOut, out) => {
    if (isKept()) return 1;
    try {
        const f = callbackOf(serial);
        tracing(f.name, () => {
            const a = arraysAt(nFirst, first), rest = arraysAt(nSecond, second);
            const given = what === 0 ? f.compute(a, rest) : what === 1 ? f.transpose(a, rest)
                : f.jvp(i, a, rest, arraysAt(nOut, results), new KilnArray(tangent)) ?? [];
            const list = given.length ? listOf(given) : 0;
            given.forEach((_, k) => put((out >>> 0) + 4 * k, engine.exports.kn_list_get(list, k)));
            check();
        });
        return 0;
    } catch (e) {
        keep(e);
        return 1;
    }
});
const MOST = 32;
function linearCall(f, b, rest, nOut) {
    if (!b.length || b.length > MOST || !nOut || nOut > MOST)
        throw errorOf('ValueError', `a linear call has 1 to ${MOST} linear operands and results`);
    const kept = new Callback(f);
    return scoped(() => {
        const operands = listOf([...b, ...rest]);
        here(null);
        const list = engine.exports.kjs_linear_call(kept.serial, operands, b.length, nOut);
        check();
        return wrapList(list);
    });
}

/** A function with the arrays that it closes over as an argument: call(consts, ...args). It is recorded once, for
 * arguments like these. */
class Closed {
    constructor(fun, ...examples) {
        this.jaxpr = makeJaxpr(fun)(...examples);
        this.consts = this.jaxpr.consts;
        this.outTree = this.jaxpr.treedef;
        this.shapes = this.jaxpr.outAvals.map(a => a.shape);
    }
    call(consts, ...args) { return this.outTree.unflatten(this.jaxpr.evalWith(consts, ...leavesOf(args))); }
}
function checkTree(name, expected, actual, wanted, hasAux) {
    if (hasAux) {
        if (actual.kind !== 'Array' || actual.children.length !== 2)
            throw errorOf('ValueError', `${name}() produced a tree with structure ${actual}, but a pair with ` +
                `auxiliary output was ` +
                'expected because hasAux was set to true.');
        [actual] = actual.children;
    }
    if (!actual.equals(wanted))
        throw errorOf('TypeError', `${name}() output tree structure must match ${expected}, got ${actual} and ` +
            `${wanted}.`);
}
function checkShapes(name, expected, actual, wanted) {
    const own = actual.slice(0, wanted.length).map(String);
    if (own.join(';') !== wanted.map(String).join(';'))
        throw errorOf('ValueError', `${name}() output shapes must match ${expected}, got (${own.join('), (')}) and ` +
            `(${wanted.map(String).join('), (')})`);
}

/** fun(b, rest), which is linear in b, as what the library asks a linear call for: it takes derivatives of fun. */
class Linear {
    constructor(fun, treedef) {
        this.fun = fun;
        this.treedef = treedef;
        this.name = 'linear';
    }
    compute(b, rest) { return leavesOf(this.fun(this.treedef.unflatten(b), rest)); }
    transpose(cotangents, rest) {
        const [, back] = vjp(b => this.fun(b, rest), [this.treedef.unflatten(zerosLike(cotangents))]);
        return leavesOf(back(this.treedef.unflatten(cotangents)));
    }
    jvp(i, b, rest, out, tangent) {
        const at = this.treedef.unflatten(b), change = v => this.fun(at, rest.map((r, k) => (k === i ? v : r)));
        return leavesOf(jvp(change, [rest[i]], [tangent])[1]);
    }
}
/** solve(f, guess), a root of f, with derivatives by the implicit function theorem, in what f closes over.
 * tangentSolve(g, y): the solution of g(x) = y, where g is the derivative of f at the root. hasAux: solve returns
 * [root,
 * something else]. (jax.lax.custom_root) */
export function customRoot(f, guess, solve, tangentSolve, options = {}) {
    callable(f, 'customRoot'), callable(solve, 'customRoot'), callable(tangentSolve, 'customRoot');
    const {hasAux} = optionsOf(options, {hasAux: false}, 'customRoot');
    ensure();
    const start = map(asArray, guess), treedef = structure(start), shapes = leavesOf(start).map(x => x.shape);
    const value = new Closed(f, start), solution = new Closed(x => solve(f, x), start);
    const tangent = new Closed((x, b) => tangentSolve(linearize(f, [x])[1], b), start, start);
    checkTree('f', 'the guess', value.outTree, treedef, false);
    checkTree('solve', 'the guess', solution.outTree, treedef, hasAux);
    checkTree('tangentSolve', 'x', tangent.outTree, treedef, false);
    for (const [name, c] of Object.entries({f: value, solve: solution, tangentSolve: tangent}))
        checkShapes(name, 'the guess', c.shapes, shapes);
    const root = customJvp(named((_, consts, _tangent, x) => solution.call(consts, x), solve));
    root.defjvp((primals, tangents) => {
        const [valueConsts, , tangentConsts] = primals, out = root(...primals), [x, aux] = hasAux ? out : [out, null];
        const [, rhs] = jvp(consts => value.call(consts, x), [valueConsts], [tangents[0]]);
        const [rest, restTree] = flatten([tangentConsts, x]);
        const linear = new Linear((b, r) => tangent.call(...restTree.unflatten(r), b), treedef);
        const dx = negative(treedef.unflatten(linearCall(linear, leavesOf(rhs), rest, treedef.numLeaves)));
        return [out, hasAux ? [dx, zerosLike(aux)] : dx];
    });
    return root(value.consts, solution.consts, tangent.consts, start);
}

/** A linear system: matvec, solve and, in `other`, if there is one, those of the transposed system. Their constants are
 * arguments: `rest` is of the leaves of [mine, others], pairs of those of matvec and solve. */
class System {
    other = null;
    constructor(treedef, matvec, solve) {
        this.treedef = treedef;
        this.matvec = matvec;
        this.solve = solve;
    }
    /** x of matvec x = b, a call that is linear in b. */
    call(mine, others, b) {
        const [rest, def] = flatten([mine, others]), {outTree} = this.solve;
        return outTree.unflatten(linearCall(new SystemCall(this, def), leavesOf(b), rest, outTree.numLeaves));
    }
}
class SystemCall {
    constructor(system, treedef) {
        this.system = system;
        this.treedef = treedef;
        this.name = 'solve';
    }
    compute(b, rest) {
        const [[, consts]] = this.treedef.unflatten(rest);
        return leavesOf(this.system.solve.call(consts, this.system.treedef.unflatten(b)));
    }
    transpose(cotangents, rest) {
        const s = this.system;
        if (!s.other)
            throw errorOf('TypeError', 'transposeSolve required for backwards mode automatic differentiation of ' +
                'customLinearSolve');
        const [mine, others] = this.treedef.unflatten(rest), n = s.treedef.numLeaves;
        return leavesOf(s.other.call(others, mine, s.treedef.unflatten(cotangents.slice(0, n)))).slice(0, n);
    }
    /** A x = b: A dx = -dA x */
    jvp(i, b, rest, out, tangent) {
        const s = this.system, [mine, others] = this.treedef.unflatten(rest), [consts] = mine, n = s.treedef.numLeaves;
        if (i >= consts.length) return null;
        const x = s.treedef.unflatten(out.slice(0, n));
        const [, change] = jvp(c => s.matvec.call(consts.map((v, k) => (k === i ? c : v)), x), [consts[i]], [tangent]);
        return leavesOf(s.call(mine, others, negative(change))).slice(0, n);
    }
}
/** solve(matvec, b), the x of matvec(x) = b, with derivatives of that equation, in b and in what matvec closes over.
 * transposeSolve solves the transposed system; reverse mode needs it, or symmetric. hasAux: solve and transposeSolve
 * return [x, something else]. (jax.lax.custom_linear_solve) */
export function customLinearSolve(matvec, b, solve, transposeSolve = null, options = {}) {
    if (transposeSolve !== null && typeof transposeSolve === 'object') [transposeSolve, options] = [null,
        transposeSolve];
    callable(matvec, 'customLinearSolve'), callable(solve, 'customLinearSolve');
    callable(transposeSolve ?? solve, 'customLinearSolve');
    const {symmetric, hasAux} = optionsOf(options, {symmetric: false, hasAux: false}, 'customLinearSolve');
    ensure();
    const rhs = map(asArray, b), treedef = structure(rhs), shapes = leavesOf(rhs).map(x => x.shape);
    const closed = (fun, name, aux = false) => {
        const c = new Closed(fun, rhs);
        checkTree(name, 'b', c.outTree, treedef, aux);
        checkShapes(name, 'b', c.shapes, shapes);
        return c;
    };
    const back = transposeSolve ?? (symmetric ? solve : null), product = closed(matvec, 'matvec');
    const system = new System(treedef, product, closed(y => solve(matvec, y), 'solve', hasAux));
    let others = [[], []];
    if (back) {
        const vecmat = symmetric ? matvec : y => linearTranspose(matvec, [rhs])(y)[0];
        const transposed = symmetric ? product : closed(vecmat, 'vecmat');
        const other = new System(treedef, transposed, closed(y => back(vecmat, y), 'transposeSolve', hasAux));
        system.other = other;
        other.other = system;
        others = [transposed.consts, other.solve.consts];
    }
    return system.call([product.consts, system.solve.consts], others, rhs);
}

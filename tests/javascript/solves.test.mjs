// SPDX-License-Identifier: Apache-2.0
// solves.test.mjs -- lax.customRoot and lax.customLinearSolve. Numbers are JAX's (float32).
import {close, fails, kiln, test} from './check.mjs';

const {np, lax, jit, grad, hessian, vmap, jvp, jacobian} = kiln;
const newton = (f, x) => lax.whileLoop(v => np.abs(f(v)).greater(1e-5), v => v.sub(f(v).div(grad(f)(v))), x);
const root = a => lax.customRoot(x => np.power(x, 3).sub(a.mul(np.sin(a))), 1.3, newton, (g, y) => y.div(g(1)));
const A = () => np.array([[4, 1, .5], [.25, 3, -1], [0, .5, 5]]), B = () => np.array([1, 2, 3]);
const dense = (m, v) => np.linalg.solve(jacobian(m)(v), v);
const system = (a, b) => lax.customLinearSolve(x => np.matmul(a, x), b, dense, dense);
const near = (a, b) => close(a, b, 2e-5);

test('customRoot', () => {
    const one = np.full([], 1, {dtype: 'float32'});
    near([root(one), grad(root)(1), grad(grad(root))(1)], [0.94408923, 0.51676065, -0.47628045]);
    near(jvp(root, [1], [2]), [0.94408923, 1.0335213]);
    near(vmap(grad(root))(np.array([1, 2])), [0.51676065, 0.01722793]);
    near(jit(grad(root))(1.5), 0.28120476);
});
test('customRoot of trees, with something else', () => {
    const f = a => lax.customRoot(t => ({x: t.x.mul(t.x).sub(a)}), {x: 1}, () => [{x: np.sqrt(a)}, {n: 3}],
                                  (g, r) => ({x: r.x.div(g({x: 1}).x)}), {hasAux: true});
    near(f(np.full([], 4, {dtype: 'float32'})), [{x: 2}, {n: 3}]);
    near(grad(a => f(a)[0].x)(4), .25);
});
test('customLinearSolve', () => {
    near(system(A(), B()), [-0.02466598, 0.84069884, 0.5159301]);
    near(grad((a, b) => np.sum(np.square(system(a, b))), {argnums: [0, 1]})(A(), B()), [
        [[-0.00111031, 0.03784316, 0.02322405], [0.01289772, -0.43959734, -0.26977736], [0.00778094, -0.26520053,
            -0.16275142]],
        [-0.04501394, 0.52289516, 0.31545246]]);
    near(jvp(system, [A(), B()], [np.ones([3, 3]), B()])[1], [-0.20536394, 0.33967265, 0.29964012]);
    near(hessian(b => np.sum(np.sin(system(A(), b))))(B()), [
        [0.00128536, 0.00457936, 0.00058452], [0.00457936, -0.08097558, -0.01340803], [0.00058452, -0.01340804,
            -0.02180454]]);
});
test('customLinearSolve of symmetric systems', () => {
    const S = np.matmul(A(), A().T), solve = (s, b) => lax.customLinearSolve(x => np.matmul(s, x), b, dense,
        {symmetric: true});
    near(solve(S, B()), [-0.02250697, 0.26144758, 0.15772624]);
    near(jit(grad(b => np.sum(solve(S, b))))(B()), [0.0271799, 0.10777319, 0.05131353]);
    near(vmap(solve, [null, 0])(S, np.stack([B(), B().mul(2)])), [
        [-0.02250697, 0.26144758, 0.15772624], [-0.04501395, 0.52289516, 0.3154525]]);
});
test('errors', () => {
    fails(() => lax.customRoot(x => [x, x], 1, (f, x) => x, (g, y) => y), 'TypeError', 'f() output tree structure ' +
        'must match');
    fails(() => grad(b => np.sum(lax.customLinearSolve(x => np.matmul(A(), x), b, dense)))(B()), 'TypeError',
        'transposeSolve required');
    fails(() => lax.customLinearSolve(1, B(), dense), 'TypeError', 'Expected a callable');
});

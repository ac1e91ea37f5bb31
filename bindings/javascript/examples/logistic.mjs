// SPDX-License-Identifier: Apache-2.0
// logistic.mjs -- logistic regression by Newton's method: the slope and the curvature of the loss are derivatives.
import {grad, hessian, init, jit, np, optim, random} from 'kiln-arrays';

await init({defaultFloat: 'float64'});
const dtype = 'float64', key = random.key(1), n = 500;
const truth = np.array([1.5, -2, 0.5, 0], {dtype});
const x = random.normal(random.foldIn(key, 0), [n, 4], dtype);
const y = random.uniform(random.foldIn(key, 1), [n], dtype).less(np.reciprocal(np.exp(x.matmul(truth).neg()).add(1)));

// The mean surprise of the labels, with a little of the weights' squares.
const surprise = w => np.mean(optim.sigmoidBinaryCrossEntropy(x.matmul(w), y.astype(dtype)));
const loss = w => surprise(w).add(np.sum(np.square(w)).mul(0.5e-3));
const newton = jit(w => w.sub(np.linalg.solve(hessian(loss)(w), grad(loss)(w))));

let w = np.zeros([4], dtype);
for (let i = 0; i < 6; i++) {
    w = newton(w);
    console.log(`step ${i + 1}: loss ${loss(w).item().toFixed(9)}`);
}
console.log(`weights ${w.js().map(v => v.toFixed(6)).join(' ')}`);
console.log(`slope below 1e-12: ${np.max(np.abs(grad(loss)(w))).item() < 1e-12}`);
const right = np.mean(x.matmul(w).greater(0).equal(y)).item();
console.log(`${(100 * right).toFixed(1)} % of the labels are the likelier ones`);

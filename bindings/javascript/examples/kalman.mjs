// SPDX-License-Identifier: Apache-2.0
// kalman.mjs -- a path seen through noise: a Kalman filter as a scan, and a smoother as a scan that runs backwards.
import {init, jit, lax, np, random} from 'kiln-arrays';

await init({defaultFloat: 'float64'});
const STEPS = 200, dt = 0.1, push = 1.5 /* of a step's acceleration */, blur = 0.6 /* of a measurement */;

// What moves: position and velocity in the plane, x' = F x + (accelerations), of which z = H x + noise is seen.
const one = np.eye(2, {dtype: 'float64'}), none = np.zeros([2, 2], 'float64');
const lever = np.concatenate([one.mul(dt * dt / 2), one.mul(dt)]);
const F = np.block([[one, one.mul(dt)], [none, one]]), Q = lever.matmul(lever.T).mul(push * push);
const H = np.concatenate([one, none], 1), R = one.mul(blur * blur);
const sandwich = (a, p) => a.matmul(p).matmul(a.T);

// The belief moves on by one step, and is then corrected by what is seen.
function filter(belief, z) {
    const ahead = {mean: F.matmul(belief.mean), covariance: sandwich(F, belief.covariance).add(Q)};
    const seen = sandwich(H, ahead.covariance).add(R);
    const gain = np.linalg.solve(seen, H.matmul(ahead.covariance)).T;
    const after = {
        mean: ahead.mean.add(gain.matmul(z.sub(H.matmul(ahead.mean)))),
        covariance: ahead.covariance.sub(gain.matmul(H).matmul(ahead.covariance)),
    };
    return [after, {kept: after, predicted: ahead}];
}
// Backwards: what later steps tell about this one (Rauch, Tung and Striebel).
function smooth(later, {here, predicted}) {
    const gain = np.linalg.solve(predicted.covariance, F.matmul(here.covariance)).T;
    const belief = {
        mean: here.mean.add(gain.matmul(later.mean.sub(predicted.mean))),
        covariance: here.covariance.add(sandwich(gain, later.covariance.sub(predicted.covariance))),
    };
    return [belief, belief];
}

// A random path of the model, and what is seen of it.
const key = random.key(4), start = np.array([0, 0, 1, 0.5], {dtype: 'float64'});
const noise = (i, shape) => random.normal(random.foldIn(key, i), shape, 'float64');
const kicks = noise(0, [STEPS, 2]).mul(push).matmul(lever.T);
const [, truth] = lax.scan((x, kick) => {
    const next = F.matmul(x).add(kick);
    return [next, next];
}, start, kicks);
const seen = truth.slice([], [0, 2]).add(noise(1, [STEPS, 2]).mul(blur));

const first = {mean: np.zeros([4], 'float64'), covariance: np.eye(4, {dtype: 'float64'}).mul(4)};
const [now, {kept, predicted}] = jit(zs => lax.scan(filter, first, zs))(seen);
// Each step but the last, with the prediction that was made of it.
const part = (b, range) => ({mean: b.mean.slice(range), covariance: b.covariance.slice(range)});
const [, past] = lax.scan(smooth, now, {here: part(kept, [0, -1]), predicted: part(predicted, [1, null])},
    {reverse: true});
const smoothed = np.concatenate([past.mean, np.expandDims(now.mean, 0)]);

const error = states => { // root mean square of the distance
    const off = states.slice([], [0, 2]).sub(truth.slice([], [0, 2]));
    return np.sqrt(np.mean(np.sum(np.square(off), 1))).item().toFixed(3);
};
console.log(`root mean square errors: measured ${error(seen)}, filtered ${error(kept.mean)}, ` +
    `smoothed ${error(smoothed)}`);
const p = now.covariance;
console.log(`the filter expects of itself ${np.sqrt(p.slice(0, 0).add(p.slice(1, 1))).item().toFixed(3)}`);
const [again] = filter(now, seen.slice(-1));
console.log(`its covariance has settled: ${np.max(np.abs(again.covariance.sub(p))).item() < 1e-12}`);

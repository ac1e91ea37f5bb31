// SPDX-License-Identifier: Apache-2.0
// nbody.mjs -- three bodies that chase each other along a figure eight: forces are the gradient of the potential, and
// time is a foriLoop.
import {grad, init, jit, lax, np} from 'kiln-arrays';

await init({defaultFloat: 'float64'});
const STEPS = 2000, period = 6.32591398; // Simó's figures for the orbit of Chenciner and Montgomery

// q, v: (3, 2), places and velocities; all masses are 1, and so is the constant of gravity
function potential(q) {
    const d = q.sub(np.roll(q, 1, 0)); // from each body to the next
    return np.sum(np.reciprocal(np.sqrt(np.sum(np.square(d), 1)))).neg();
}
const force = q => grad(potential)(q).neg();
const energy = ({q, v}) => np.sum(np.square(v)).mul(0.5).add(potential(q));

// One step of leapfrog: half a kick, a drift, half a kick.
function leap({q, v}, dt) {
    v = v.add(force(q).mul(dt / 2));
    q = q.add(v.mul(dt));
    return {q, v: v.add(force(q).mul(dt / 2))};
}
// Yoshida's step of fourth order: three leaps, the middle one backwards.
function step(bodies) {
    const dt = period / STEPS, outer = 1 / (2 - Math.cbrt(2)), inner = 1 - 2 * outer;
    return leap(leap(leap(bodies, outer * dt), inner * dt), outer * dt);
}
// The state after a period, and the largest deviation of the energy on the way.
const orbit = jit(start => {
    const all = energy(start);
    return lax.foriLoop(0, STEPS, (_, {bodies, worst}) => {
        const next = step(bodies);
        return {bodies: next, worst: np.maximum(worst, np.abs(energy(next).div(all).sub(1)))};
    }, {bodies: start, worst: np.zeros([], 'float64')});
});

const x = 0.97000436, y = -0.24308753, u = 0.93240737, v = 0.86473146, dtype = 'float64';
const start = {
    q: np.array([[x, y], [-x, -y], [0, 0]], {dtype}), v: np.array([[u / 2, v / 2], [u / 2, v / 2], [-u, -v]], {dtype}),
};
const {bodies, worst} = orbit(start);
console.log(`energy: ${energy(start).item().toFixed(6)}, off by less than 1e-9 of it all the way: ${
    worst.item() < 1e-9 ? 'yes' : 'no'}`);
const away = np.max(np.abs(bodies.q.sub(start.q))).item();
const near = away.toExponential(0).replace(/-(\d)$/, '-0$1');
console.log(`after one period every body is back where it was, within ${near}`);

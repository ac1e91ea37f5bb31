// SPDX-License-Identifier: Apache-2.0
// descent.mjs -- ways down: gradient descent, momentum and Adam on functions of two variables, by derivatives that Kiln makes.
import {palette} from '../lib/image.mjs';

const SIZE = 360,
    A = 1,
    B = 8;
const functions = {
    // f(np, x, y), and the half width of what is shown
    'A bowl': {f: (np, x, y) => x.mul(x).mul(A).add(y.mul(y).mul(B)).mul(0.5), half: 2.5},
    Rosenbrock: {f: (np, x, y) => np.square(np.subtract(1, x)).add(np.square(y.sub(x.mul(x))).mul(10)), half: 2.2},
    Himmelblau: {
        f: (np, x, y) =>
            np
                .square(x.mul(x).add(y).sub(11))
                .add(np.square(x.add(y.mul(y)).sub(7)))
                .mul(0.1),
        half: 5.5,
    },
};
const colours = {'gradient descent': '#ffffff', momentum: '#ff8a5c', adam: '#7fe0ff'};

export default {
    title: 'Ways down',
    about: 'Three methods look for the lowest place, each by the gradient of the function that is shown, which grad() makes of it. Press where they shall begin.',
    size: [SIZE, SIZE],
    label: 'A function as a picture, dark where it is low, and three paths to its lowest place',
    controls: [
        {name: 'function', label: 'Function', kind: 'choice', choices: Object.keys(functions), value: 'Rosenbrock'},
        {name: 'rate', label: 'Rate', kind: 'range', min: 0.001, max: 0.05, step: 0.001, value: 0.01},
    ],
    // On the bowl each coordinate shrinks by 1 - rate * curvature a step.
    check: {
        expected: 2 * (1 - 0.02 * A) ** 60 + 2 * (1 - 0.02 * B) ** 60,
        tolerance: 1e-5,
        of: 'x + y after 60 steps down the bowl from (2, 2)',
    },

    async setup({kiln, canvas, values, status}) {
        const {np, jit, grad} = kiln,
            context = canvas.getContext('2d'),
            picture = context.createImageData(SIZE, SIZE);
        const made = new Map();
        const stepsOf = name => {
            if (!made.has(name)) {
                const {f} = functions[name],
                    slope = grad(p => f(np, p.slice(0), p.slice(1)));
                made.set(name, {
                    picture: jit((x, y) => f(np, x, y)),
                    'gradient descent': jit((p, s, rate) => [p.sub(slope(p).mul(rate)), s]),
                    momentum: jit((p, s, rate) => {
                        const next = s.mul(0.9).add(slope(p));
                        return [p.sub(next.mul(rate)), next];
                    }),
                    adam: jit((p, s, rate) => {
                        // of s: the mean of gradients, that of their squares, the steps
                        const g = slope(p),
                            m = s.slice([0, 2]).mul(0.9).add(g.mul(0.1)),
                            v = s.slice([2, 4]).mul(0.99).add(g.mul(g).mul(0.01));
                        const n = s.slice([4, 5]).add(1),
                            by = np.sqrt(v.div(np.subtract(1, np.power(0.99, n)))).add(1e-8);
                        return [
                            p.sub(
                                m
                                    .div(np.subtract(1, np.power(0.9, n)))
                                    .div(by)
                                    .mul(rate)
                                    .mul(8),
                            ),
                            np.concatenate([m, v, n]),
                        ];
                    }),
                });
            }
            return made.get(name);
        };
        let walkers = [],
            was = false;
        const half = () => functions[values.function].half;
        const pixel = ([x, y]) => [((x / half() + 1) / 2) * SIZE, ((1 - y / half()) / 2) * SIZE];
        const paint = () => {
            const axis = np.linspace(-half(), half(), SIZE),
                z = stepsOf(values.function).picture(
                    axis.reshape([1, SIZE]),
                    axis.slice([null, null, -1]).reshape([SIZE, 1]),
                );
            const data = np.log1p(z).dataSync(),
                to = picture.data,
                map = palette('viridis');
            const most = data.reduce((a, b) => Math.max(a, b), 0);
            for (let i = 0; i < data.length; i++) {
                const band = Math.floor((24 * data[i]) / most) / 24,
                    c = 3 * Math.floor(255 * band); // bands, as on a map
                ((to[4 * i] = map[c]),
                    (to[4 * i + 1] = map[c + 1]),
                    (to[4 * i + 2] = map[c + 2]),
                    (to[4 * i + 3] = 255));
            }
            context.putImageData(picture, 0, 0);
        };
        const begin = (x, y) => {
            walkers = Object.keys(colours).map(method => ({
                method,
                p: np.array([x, y]),
                s: np.zeros([method === 'adam' ? 5 : 2]),
                at: [x, y],
            }));
            paint();
        };
        begin(-1.2, 1.8);
        return {
            frame(_, pointer) {
                if (pointer.down && !was)
                    begin(((pointer.x / SIZE) * 2 - 1) * half(), (1 - (pointer.y / SIZE) * 2) * half());
                was = pointer.down;
                const far = 20 * half();
                for (const w of walkers) {
                    const [p, s] = stepsOf(values.function)[w.method](w.p, w.s, values.rate),
                        to = [...p.dataSync()];
                    w.p.dispose();
                    if (w.s !== s) w.s.dispose();
                    [w.p, w.s] = [p, s];
                    context.strokeStyle = colours[w.method];
                    context.lineWidth = 2;
                    context.beginPath();
                    context.moveTo(...pixel(w.at));
                    context.lineTo(...pixel(to));
                    context.stroke();
                    w.at = to;
                }
                walkers = walkers.filter(w => w.at.every(x => Math.abs(x) < far));
                status(walkers.map(w => `${w.method} ${w.at.map(x => x.toFixed(2)).join(', ')}`).join('; '));
            },
            changed() {
                begin(-half() / 2, half() * 0.8);
            },
            async check() {
                const step = stepsOf('A bowl')['gradient descent'];
                let p = np.array([2, 2]),
                    s = np.zeros([2]);
                for (let i = 0; i < 60; i++) [p, s] = step(p, s, 0.02);
                return p.sum().item();
            },
        };
    },
};

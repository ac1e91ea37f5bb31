// SPDX-License-Identifier: Apache-2.0
// fractals.mjs -- the Mandelbrot set and Julia sets: every point of the picture iterates z^2 + c in one compiled function.
import {palette} from '../lib/image.mjs';

const W = 384,
    H = 256,
    AT_ONCE = 8;

export default {
    title: 'Fractals',
    about:
        'z² + c again and again, for each point of the picture, until it leaves a circle; colours say when. Press on a place to go nearer, use + and - on the ' +
        'keyboard, or choose a Julia set, whose c is the same everywhere.',
    size: [W, H],
    label: 'The Mandelbrot set, or a Julia set, in colours of the number of iterations',
    controls: [
        {name: 'set', label: 'Set', kind: 'choice', choices: ['Mandelbrot', 'Julia'], value: 'Mandelbrot'},
        {name: 'angle', label: 'c of the Julia set', kind: 'range', min: 0, max: 6.28, step: 0.01, value: 1.9},
        {name: 'rounds', label: 'Iterations', kind: 'range', min: 32, max: 512, step: 32, value: 128},
        {name: 'colours', label: 'Colours', kind: 'choice', choices: ['viridis', 'balance', 'grey'], value: 'viridis'},
        {name: 'whole', label: 'The whole set', kind: 'button'},
    ],
    // c = 0.3 + 0i leaves after 12 rounds, -1 + 0i never: counted below by numbers of JavaScript.
    check: {expected: escapes(), tolerance: 0, of: 'rounds of 24 points inside of the circle, all together'},

    async setup({kiln, canvas, values, status}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d'),
            picture = context.createImageData(W, H);
        let view = {x: -0.6, y: 0, width: 3.4},
            stale = true,
            was = false;
        const rounds = jit((re, im, n, cre, cim) => {
            for (let i = 0; i < AT_ONCE; i++) {
                const a = re.mul(re),
                    b = im.mul(im),
                    inside = a.add(b).lessEqual(4);
                [re, im] = [np.where(inside, a.sub(b).add(cre), re), np.where(inside, re.mul(im).mul(2).add(cim), im)];
                n = n.add(inside);
            }
            return [re, im, n];
        });
        const count = (re, im, cre, cim, turns) => {
            let state = [re, im, np.zeros(re.shape)];
            for (let i = 0; i < turns; i += AT_ONCE) {
                const next = rounds(...state, cre, cim);
                for (const x of state) x.dispose();
                state = next;
            }
            (state[0].dispose(), state[1].dispose());
            return state[2];
        };
        const draw = () => {
            const height = (view.width * H) / W,
                zero = np.zeros([H, W]);
            const x = np.linspace(view.x - view.width / 2, view.x + view.width / 2, W).add(zero);
            const y = np
                .linspace(view.y - height / 2, view.y + height / 2, H)
                .reshape([H, 1])
                .add(zero);
            const c = [zero.add(0.7885 * Math.cos(values.angle)), zero.add(0.7885 * Math.sin(values.angle))];
            const n =
                values.set === 'Julia'
                    ? count(x, y, ...c, values.rounds)
                    : count(zero.mul(1), zero.mul(1), x, y, values.rounds);
            const data = n.dataSync(),
                colours = palette(values.colours),
                to = picture.data;
            for (let i = 0; i < data.length; i++) {
                const k =
                    data[i] >= values.rounds
                        ? 0
                        : 3 * (1 + Math.min(254, Math.floor(255 * Math.sqrt(data[i] / values.rounds))));
                ((to[4 * i] = k ? colours[k] : 0),
                    (to[4 * i + 1] = k ? colours[k + 1] : 0),
                    (to[4 * i + 2] = k ? colours[k + 2] : 0),
                    (to[4 * i + 3] = 255));
            }
            context.putImageData(picture, 0, 0);
            status(`${view.width.toPrecision(3)} wide around ${view.x.toFixed(5)} + ${view.y.toFixed(5)}i`);
            for (const a of [x, y, zero, n, ...c]) a.dispose();
        };
        const zoom = (px, py, by) => {
            const height = (view.width * H) / W;
            view = {
                x: view.x + (px / W - 0.5) * view.width * (1 - by),
                y: view.y + (py / H - 0.5) * height * (1 - by),
                width: view.width * by,
            };
            stale = true;
        };
        return {
            frame(_, pointer) {
                if (pointer.down && !was) zoom(pointer.x, pointer.y, 0.5);
                was = pointer.down;
                if (stale) draw();
                stale = false;
            },
            changed(name) {
                if (name === 'whole' || name === 'set')
                    view = values.set === 'Julia' ? {x: 0, y: 0, width: 3.8} : {x: -0.6, y: 0, width: 3.4};
                stale = true;
            },
            key(key) {
                if (key === '+' || key === '-') zoom(W / 2, H / 2, key === '+' ? 0.5 : 2);
            },
            async check() {
                const c = np.array(points()),
                    zero = np.zeros(c.shape);
                return count(zero, zero.mul(1), c, np.zeros(c.shape), 64).sum().item();
            },
        };
    },
};

// 24 points of the real axis, that float32 and float64 have alike.
function points() {
    return Array.from({length: 24}, (_, i) => -2.25 + i / 8);
}
function escapes() {
    let n = 0;
    for (const c of points()) for (let i = 0, z = 0; i < 64 && z * z <= 4; i++, z = z * z + c) n++;
    return n;
}

// SPDX-License-Identifier: Apache-2.0
// waves.mjs -- the wave equation on a grid with periodic edges, a step of which is one compiled function.
import {palette} from '../lib/image.mjs';

const N = 192, speed = 0.4; // cells a step; below 0.7 the steps are stable

export default {
    title: 'Waves',
    about: 'The wave equation on a grid whose edges meet. Press on the water to make drops; each step is one call ' +
        'of a compiled function.',
    size: [N, N],
    label: 'Water from above; drops make rings',
    controls: [
        {name: 'steps', label: 'Steps a picture', kind: 'range', min: 1, max: 8, step: 1, value: 2},
        {name: 'colours', label: 'Colours', kind: 'choice', choices: ['balance', 'viridis', 'grey'], value: 'balance'},
        {name: 'still', label: 'Still water', kind: 'button'},
    ],
    // A cosine along one axis is a standing wave: cos(2 pi x / N) cos(w t) with the grid's own w, 4 sin^2(w / 2) =
    // speed^2 4 sin^2(pi / N).
    check: {expected: Math.cos(200 * 2 * Math.asin(speed * Math.sin(Math.PI * 4 / N))), tolerance: 2e-4,
        of: 'a standing wave after 200 steps'},

    async setup({kiln, canvas, values}) {
        const {np, jit} = kiln, context = canvas.getContext('2d'), shown = context.createImageData(N, N);
        const step = jit((now, before) => {
            const beside = axis => np.roll(now, 1, axis).add(np.roll(now, -1, axis));
            const around = beside(0).add(beside(1)).sub(now.mul(4));
            return now.mul(2).sub(before).add(around.mul(speed * speed));
        });
        const axis = np.arange(0, N, 1).astype('float32');
        const drop = jit((now, x, y) => {
            const a = np.square(np.subtract(axis, x)), b = np.square(np.subtract(axis, y)).reshape([N, 1]);
            return now.add(np.exp(a.add(b).div(-18)));
        });
        const still = () => np.zeros([N, N]);
        let now = drop(still(), N / 2, N / 2), before = now.ref;
        const advance = () => {
            const next = step(now, before);
            before.dispose();
            [now, before] = [next, now];
        };
        const draw = () => {
            const data = now.dataSync(), colours = palette(values.colours), to = shown.data;
            for (let i = 0; i < data.length; i++) {
                const c = 3 * Math.max(0, Math.min(255, Math.round(128 + 160 * data[i])));
                to[4 * i] = colours[c], to[4 * i + 1] = colours[c + 1], to[4 * i + 2] = colours[c + 2],
                to[4 * i + 3] = 255;
            }
            context.putImageData(shown, 0, 0);
        };
        return {
            frame(_, pointer) {
                if (pointer.down)
                    now = drop(now, pointer.x, pointer.y);
                for (let i = 0; i < values.steps; i++)
                    advance();
                draw();
            },
            changed(name) {
                if (name === 'still')
                    before = (now = still()).ref;
            },
            async check() {
                const [kept, earlier] = [now, before],
                    wave = np.cos(axis.mul(2 * Math.PI * 4 / N)).add(np.zeros([N, 1])),
                    w = 2 * Math.asin(speed * Math.sin(Math.PI * 4 / N));
                [now, before] = [wave.mul(1), wave.mul(Math.cos(w))]; // as it was a step before
                for (let i = 0; i < 200; i++)
                    advance();
                const value = now.slice(0, 0).item();
                [now, before] = [kept, earlier];
                return value;
            },
        };
    },
};

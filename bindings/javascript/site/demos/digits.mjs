// SPDX-License-Identifier: Apache-2.0
// digits.mjs -- a network learns handwritten digits (UCI, 8 x 8 pixels) and reads those that are drawn on the canvas.

const PIXELS = 8,
    SIZE = 256,
    CELL = SIZE / PIXELS,
    HIDDEN = 64,
    BATCH = 128,
    TRAIN = 1437;

export default {
    title: 'Digits',
    about:
        'A network learns 1,437 handwritten digits while you look on; 360 others say how well it reads. Draw a digit with ' +
        'the pointer: the bars below say what the network takes it for.',
    size: [SIZE, SIZE],
    label: 'A field of 8 x 8 pixels to draw a digit on',
    controls: [
        {name: 'rate', label: 'Rate', kind: 'range', min: 0.01, max: 0.5, step: 0.01, value: 0.1},
        {name: 'paused', label: 'Paused', kind: 'switch', value: false},
        {name: 'clear', label: 'Clear the field', kind: 'button'},
        {name: 'sample', label: 'Show an unseen digit', kind: 'button'},
        {name: 'again', label: 'Learn again', kind: 'button'},
    ],
    // JAX with the same keys and steps says 0.98889.
    check: {
        expected: 0.98889,
        tolerance: 0.006,
        of: 'how many of the 360 unseen digits are read rightly after 300 steps',
    },

    async setup({kiln, canvas, values, plot, status, url}) {
        const {np, jit, valueAndGrad, random, tree, nn, io} = kiln,
            context = canvas.getContext('2d');
        const file = await io.npz.load(url('digits.npz'));
        const images = (await file.get('images')).astype('float32').reshape([-1, 64]).div(16);
        const labels = (await file.get('labels')).astype('int32');
        const [seen, unseen] = [
            [0, TRAIN],
            [TRAIN, null],
        ].map(part => ({x: images.slice(part), y: labels.slice(part)}));
        const logits = (p, x) => np.matmul(nn.relu(np.matmul(x, p.w1).add(p.b1)), p.w2).add(p.b2);
        const loss = (p, x, y) => {
            const right = np.equal(y.reshape([-1, 1]), np.arange(0, 10, 1));
            return np
                .where(right, nn.logSoftmax(logits(p, x)), 0)
                .sum(1)
                .mean()
                .mul(-1);
        };
        const step = jit((p, m, x, y, rate) => {
            const [value, g] = valueAndGrad(loss)(p, x, y),
                n = tree.map((a, b) => a.mul(0.9).add(b), m, g);
            return [tree.map((a, b) => a.sub(b.mul(rate)), p, n), n, value];
        });
        const right = jit((p, x, y) =>
            np
                .equal(np.argmax(logits(p, x), 1), y)
                .astype('float32')
                .mean(),
        );
        const guess = jit((p, x) => nn.softmax(logits(p, x.reshape([1, 64]))).slice(0));
        const begin = () => {
            const normal = (seed, shape) => random.normal(random.key(seed), shape).mul(shape[0] ** -0.5);
            return {
                w1: normal(1, [64, HIDDEN]),
                b1: np.zeros([HIDDEN]),
                w2: normal(2, [HIDDEN, 10]),
                b2: np.zeros([10]),
            };
        };
        const learner = () => {
            let p = begin(),
                m = tree.map(a => np.zeros(a.shape), p),
                n = 0;
            return {
                step(rate) {
                    const at = (n++ * BATCH) % (TRAIN - BATCH),
                        x = seen.x.slice([at, at + BATCH]),
                        y = seen.y.slice([at, at + BATCH]);
                    const [q, k, value] = step(p, m, x, y, rate);
                    for (const t of [p, m, x, y]) tree.dispose(t);
                    [p, m] = [q, k];
                    const v = value.item();
                    value.dispose();
                    return v;
                },
                right: () => right(p, unseen.x, unseen.y).item(),
                guess: x => guess(p, x).dataSync(),
                get steps() {
                    return n;
                },
            };
        };
        let now = learner(),
            field = new Float32Array(64),
            last = 0,
            accuracy = 0;
        const show = k => {
            field = images.slice(k).dataSync();
        };
        show(TRAIN + 5);
        const draw = () => {
            for (let i = 0; i < 64; i++) {
                const v = Math.round(255 * Math.min(1, field[i]));
                context.fillStyle = `rgb(${v}, ${v}, ${Math.round(30 + v * 0.85)})`;
                context.fillRect((i % PIXELS) * CELL, Math.floor(i / PIXELS) * CELL, CELL - 1, CELL - 1);
            }
        };
        return {
            frame(time, pointer) {
                if (pointer.down)
                    for (let i = 0; i < 64; i++) {
                        const d = Math.hypot(
                            (i % PIXELS) + 0.5 - pointer.x / CELL,
                            Math.floor(i / PIXELS) + 0.5 - pointer.y / CELL,
                        );
                        field[i] = Math.min(1, field[i] + Math.max(0, 0.5 - 0.45 * d));
                    }
                draw();
                let value = 0;
                for (let i = 0; !values.paused && i < 10; i++) value = now.step(values.rate);
                if (time - last > 250) {
                    ((last = time), (accuracy = now.right()));
                    const g = now.guess(np.array(field)),
                        best = g.indexOf(Math.max(...g));
                    plot({
                        series: [{y: g, kind: 'bars', name: 'probability'}],
                        xlabel: 'digit',
                        ylabel: 'probability',
                        title: `The field is a ${best}`,
                    });
                    status(
                        `${now.steps} steps, loss ${value.toFixed(3)}, ${(100 * accuracy).toFixed(1)} % of unseen digits right`,
                    );
                }
            },
            changed(name) {
                if (name === 'clear') field = new Float32Array(64);
                else if (name === 'sample') show(TRAIN + Math.floor(Math.random() * 360));
                else if (name === 'again') now = learner();
            },
            async check() {
                const fresh = learner();
                for (let i = 0; i < 300; i++) fresh.step(0.1);
                return fresh.right();
            },
        };
    },
};

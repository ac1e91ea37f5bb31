// SPDX-License-Identifier: Apache-2.0
// language.mjs -- a small language model that learns letters while one looks on: the next letter from the ten before it
// (Y. Bengio and others, A neural probabilistic language model, 2003), trained by Adam.

const CONTEXT = 10,
    EMBED = 12,
    HIDDEN = 96,
    BATCH = 64;
const text =
    `a kiln is an oven in which clay becomes stone. the potter turns a lump of clay on the wheel, wets her hands, and draws up the wall of a bowl with two fingers.
the bowl has to dry for a week, in the shade, so that it does not crack. then it goes into the kiln with all the other bowls, cups and plates. the fire is small at first,
for water has to leave the clay slowly. on the second day the fire grows, the walls of the kiln begin to glow, red, then orange, then a white in which nothing can be seen.
the potter looks through a hole in the door at three small cones that lean over when the heat is right. when the last cone has fallen she closes the kiln, and waits.
for two days nobody may open the door. then the door is opened, and the bowls are warm and hard and ring when one knocks at them with a finger.
some have cracks, some have colours that nobody thought of. the potter takes the best one, fills it with water, and drinks. tomorrow she turns a new lump of clay on the wheel.
`.replace(/\n/g, ' ');

export default {
    title: 'A small language model',
    about: 'It knows nothing but the letters of one paragraph, and learns to write on: first noise, then words, then sentences. A training step and a letter of the writing are compiled functions.',
    size: null,
    label: null,
    controls: [
        {name: 'rate', label: 'Rate', kind: 'range', min: 0.0005, max: 0.01, step: 0.0005, value: 0.004},
        {name: 'heat', label: 'Heat of the writing', kind: 'range', min: 0.1, max: 1.5, step: 0.05, value: 0.5},
        {name: 'again', label: 'Forget everything', kind: 'button'},
    ],
    check: {
        expected: 0,
        tolerance: 0.02,
        of: 'what is left to guess in "abcdabcd..." after 150 steps, in nats a letter',
    },

    async setup({kiln, values, print, plot, status}) {
        const {np, jit, valueAndGrad, random, tree} = kiln;
        const modelOf = letters => {
            const V = letters.length;
            const begin = seed => {
                const normal = (i, shape, scale) => random.normal(random.key(seed + i), shape).mul(scale);
                return {
                    embed: normal(0, [V, EMBED], 0.3),
                    w1: normal(1, [CONTEXT * EMBED, HIDDEN], (CONTEXT * EMBED) ** -0.5),
                    b1: np.zeros([HIDDEN]),
                    w2: normal(2, [HIDDEN, V], 0.1 * HIDDEN ** -0.5),
                    b2: np.zeros([V]),
                };
            };
            const logits = (p, x) => {
                // x: letters, by number
                const e = np.take(p.embed, x, 0).reshape([-1, CONTEXT * EMBED]);
                return np.matmul(np.tanh(np.matmul(e, p.w1).add(p.b1)), p.w2).add(p.b2);
            };
            const logSoftmax = z => {
                const high = z.sub(z.max(1, {keepdims: true}));
                return high.sub(np.log(np.exp(high).sum(1, {keepdims: true})));
            };
            const loss = (p, x, y) => {
                const right = np.equal(y.reshape([-1, 1]), np.arange(0, V, 1));
                return np
                    .where(right, logSoftmax(logits(p, x)), 0)
                    .sum(1)
                    .mean()
                    .mul(-1);
            };
            const step = jit((p, m, v, n, x, y, rate) => {
                const [value, g] = valueAndGrad(loss)(p, x, y);
                const m2 = tree.map((a, b) => a.mul(0.9).add(b.mul(0.1)), m, g),
                    v2 = tree.map((a, b) => a.mul(0.99).add(b.mul(b).mul(0.01)), v, g);
                const one = np.subtract(1, np.power(0.9, n)),
                    two = np.subtract(1, np.power(0.99, n));
                return [
                    tree.map(
                        (a, b, c) =>
                            a.sub(
                                b
                                    .div(one)
                                    .div(np.sqrt(c.div(two)).add(1e-8))
                                    .mul(rate),
                            ),
                        p,
                        m2,
                        v2,
                    ),
                    m2,
                    v2,
                    value,
                ];
            });
            return {V, begin, step, guess: jit((p, x) => logSoftmax(logits(p, x)))};
        };
        const learner = (source, seed) => {
            const letters = [...new Set(source)].sort(),
                codes = Int32Array.from(source, c => letters.indexOf(c)),
                model = modelOf(letters);
            const zeros = p => tree.map(a => np.zeros(a.shape), p);
            let p = model.begin(seed),
                m = zeros(p),
                v = zeros(p),
                n = 0,
                chance = 12345;
            const next = most => (chance = (chance * 1103515245 + 12345) % 2147483648) % most;
            return {
                step(rate) {
                    const x = new Int32Array(BATCH * CONTEXT),
                        y = new Int32Array(BATCH);
                    for (let i = 0; i < BATCH; i++) {
                        const at = next(codes.length - CONTEXT);
                        (x.set(codes.subarray(at, at + CONTEXT), i * CONTEXT), (y[i] = codes[at + CONTEXT]));
                    }
                    const [q, a, b, value] = model.step(
                        p,
                        m,
                        v,
                        ++n,
                        np.array(x).reshape([BATCH, CONTEXT]),
                        np.array(y),
                        rate,
                    );
                    for (const t of [p, m, v]) tree.dispose(t);
                    [p, m, v] = [q, a, b];
                    return value.item();
                },
                write(length, heat) {
                    const out = [...codes.subarray(0, CONTEXT)];
                    while (out.length < length) {
                        const z = model.guess(p, np.array(Int32Array.from(out.slice(-CONTEXT))).reshape([1, CONTEXT])),
                            data = z.dataSync();
                        z.dispose();
                        const w = Array.from(data, l => Math.exp(l / heat));
                        let u = Math.random() * w.reduce((a, b) => a + b),
                            k = 0;
                        while (k < w.length - 1 && (u -= w[k]) > 0) k++;
                        out.push(k);
                    }
                    return out.map(k => letters[k]).join('');
                },
            };
        };
        let now = learner(text, 1),
            losses = [],
            steps = 0;
        return {
            frame() {
                let sum = 0;
                for (let i = 0; i < 10; i++) sum += now.step(values.rate);
                steps += 10;
                losses.push(sum / 10);
                status(`${steps} steps, ${(sum / 10).toFixed(3)} nats a letter`);
                if (steps % 200 === 0) {
                    print(`${steps}: ${now.write(140, values.heat)}`);
                    plot({
                        series: [{y: losses, x: losses.map((_, i) => 10 * (i + 1)), name: 'loss'}],
                        xlabel: 'steps',
                        ylabel: 'nats a letter',
                        title: 'What is left to guess',
                    });
                }
            },
            changed(name) {
                if (name === 'again') [now, losses, steps] = [learner(text, 1 + (Date.now() % 1000)), [], 0];
            },
            async check() {
                const small = learner('abcd'.repeat(20), 7);
                let value = 0;
                for (let i = 0; i < 150; i++) value = small.step(0.01);
                return value;
            },
        };
    },
};

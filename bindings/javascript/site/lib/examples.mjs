// SPDX-License-Identifier: Apache-2.0
// examples.mjs -- programs of the playground. Tests run each: what it prints last is a number near `expected`;
// `referee` says where that is from.

export const programs = [
    {
        id: 'fit', title: 'Gradient descent', expected: 2.50225, tolerance: 1e-4, referee: 'np.polyfit(x, y, 1)[0]',
        code: `// A line through noisy points, by gradient descent. Ctrl+Enter runs the program.
const x = np.linspace(-2, 2, 101);
const y = x.mul(2.5).add(1).add(np.sin(x.mul(57)).mul(0.3));

function loss({a, b}) {
    return np.mean(np.square(x.mul(a).add(b).sub(y)));
}

const step = jit(valueAndGrad(loss)); // one program for the loss and its derivatives
let line = {a: np.array(0), b: np.array(0)};
const losses = [];
for (let i = 0; i < 100; i++) {
    const [value, slope] = step(line);
    losses.push(value.item());
    line = {a: line.a.sub(slope.a.mul(0.1)), b: line.b.sub(slope.b.mul(0.1))};
}

plot({
    title: 'Points and the line', xlabel: 'x', ylabel: 'y',
    series: [{x, y, label: 'points', kind: 'points'}, {x, y: x.mul(line.a).add(line.b), label: 'line'}],
});
plot(losses, {title: 'Loss', logy: true, xlabel: 'step'});
await explain(step, line); // see the tabs: the jaxpr, the program, its kernels
print('intercept', line.b.item(), 'slope', line.a.item());
`,
    },
    {
        id: 'mandelbrot', title: 'Mandelbrot set', expected: 1.5663, tolerance: 0.001,
        referee: 'the same loop in NumPy, float32',
        code: `// z -> z^2 + c, for all points at once; the picture shows how long each stays near 0.
const [width, height, turns] = [450, 300, 60];
const cx = np.linspace(-2.1, 0.9, width).reshape([1, width]);
const cy = np.linspace(-1, 1, height).reshape([height, 1]);

const escape = jit((cx, cy) => {
    let x = cx.mul(0).add(cy.mul(0)), y = x, count = x;
    for (let i = 0; i < turns; i++) {
        const [xx, yy] = [np.square(x), np.square(y)];
        const near = np.less(xx.add(yy), 4);
        count = count.add(near);
        // where a point has left, it stays where it is
        [x, y] = [np.where(near, xx.sub(yy).add(cx), x), np.where(near, x.mul(y).mul(2).add(cy), y)];
    }
    return count;
});

const count = await time(() => escape(cx, cy), {label: 'all points', times: 5});
image(count, {colours: 'viridis', hi: turns, label: 'The Mandelbrot set'});
const area = np.mean(np.equal(count, turns)).item() * 3 * 2;
print('area', area);
`,
    },
    {
        id: 'network', title: 'A neural network', expected: 1, tolerance: 0.01, referee: 'the classes are separable',
        code: `// Two half moons, and a small network that learns to tell them apart.
const n = 200;
const t = np.linspace(0, Math.PI, n), noise = random.normal(random.key(1), [2 * n, 2]).mul(0.08);
const upper = np.stack([np.cos(t), np.sin(t)], 1);
const lower = np.stack([np.cos(t).mul(-1).add(1), np.sin(t).mul(-1).add(0.4)], 1);
const points = np.concatenate([upper, lower]).add(noise);
const labels = np.concatenate([np.zeros([n]), np.ones([n])]);

const layer = (seed, from, to) => random.normal(random.key(seed), [from, to]).mul(Math.sqrt(2 / from));
let weights = {w1: layer(2, 2, 16), b1: np.zeros([16]), w2: layer(3, 16, 16), b2: np.zeros([16]), w3: layer(4, 16, 1)};

function score({w1, b1, w2, b2, w3}, x) {
    const h = np.tanh(np.matmul(np.tanh(np.matmul(x, w1).add(b1)), w2).add(b2));
    return np.matmul(h, w3).reshape([-1]);
}
function loss(weights) { // logistic
    const s = score(weights, points);
    return np.mean(nn.softplus(s).sub(s.mul(labels)));
}

const step = jit(valueAndGrad(loss)), losses = [];
for (let i = 0; i < 400; i++) {
    const [value, slopes] = step(weights);
    weights = tree.map((w, s) => w.sub(s.mul(0.5)), weights, slopes);
    if (i % 10 === 0)
        losses.push(value.item());
}
plot(losses, {title: 'Loss', logy: true, xlabel: 'tens of steps'});

const [gx, gy] = [np.linspace(-1.5, 2.5, 120), np.linspace(1.5, -1, 75)];
const all = np.zeros([75, 120]);
const grid = np.stack([all.add(gx), all.add(gy.reshape([75, 1]))], 2).reshape([-1, 2]);
image(nn.sigmoid(jit(score)(weights, grid)).reshape([75, 120]),
    {colours: 'balance', label: 'What the network thinks of each place'});
const right = np.equal(np.greater(score(weights, points), 0), labels);
print('right', np.mean(right).item());
`,
    },
    {
        id: 'pi', title: 'Random numbers', expected: 3.139128, tolerance: 1e-6, referee: 'jax.random with the same key',
        code: `// Pi by throwing darts. Random numbers are those of JAX, bit for bit: the same key gives the same darts.
const darts = random.uniform(random.key(42), [500000, 2]);
const inside = np.less(np.sum(np.square(darts), 1), 1);
const some = darts.slice([0, 2000]).T;
plot(some.slice(0), some.slice(1), {kind: 'points', title: '2000 of the darts'});
print('pi is about', 4 * np.mean(inside).item());
`,
    },
    {
        id: 'sound', title: 'Sound and its spectrum', expected: 440, tolerance: 0.51,
        referee: 'the frequency that was put in',
        code: `// A chord, its spectrum, and a button that plays it.
const rate = 16000, t = np.linspace(0, 2, 2 * rate, {endpoint: false});
const tone = (hertz, loudness) => np.sin(t.mul(2 * Math.PI * hertz)).mul(loudness);
const fade = np.exp(t.mul(-1.5));
const chord = tone(440, 0.5).add(tone(554.37, 0.2)).add(tone(659.26, 0.2)).mul(fade);
sound(chord, rate);

const power = np.abs(np.fft.rfft(chord));
const hertz = np.arange(0, 2000, 1).mul(0.5); // of the first 2000 lines
plot(hertz, power.slice([0, 2000]), {title: 'Spectrum', xlabel: 'Hz', logy: true});
print('the strongest tone has Hz', np.argmax(power).item() / 2);
`,
    },
    {
        id: 'heat', title: 'A linear system', expected: 0.125, tolerance: 1e-5, referee: 'x (1 - x) / 2 at 1/2',
        code: `// The temperature of a rod that is heated evenly, and cold at its ends: -u'' = 1, as a linear system.
const n = 99, h = 1 / (n + 1);
const matrix = np.eye(n).mul(2).sub(np.eye(n, n, 1)).sub(np.eye(n, n, -1)).astype('float64');
const u = np.linalg.solve(matrix, np.full([n], h * h, {dtype: 'float64'}));
plot(np.linspace(h, 1 - h, n), u, {title: 'Temperature', xlabel: 'x'});
print('in the middle', u.slice(49).item());
`,
    },
    {
        id: 'fusion', title: 'Operations that become one', expected: 1, tolerance: 1e-5,
        referee: 'probabilities add to one',
        code: `// A softmax is five operations. Compiled, they are one kernel: see the tabs Program and Kernels.
const softmax = jit(function softmax(x) {
    const e = np.exp(x.sub(np.max(x)));
    return e.div(np.sum(e));
});
const x = random.normal(random.key(0), [100000]);
await explain(softmax, x);
await time(() => softmax(x), {label: 'compiled'});
print('sum', np.sum(softmax(x)).item());
`,
    },
];

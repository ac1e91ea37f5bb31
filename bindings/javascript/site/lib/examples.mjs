// SPDX-License-Identifier: Apache-2.0
// examples.mjs -- programs of the playground. Tests run each: the last line that it prints ends with a number near `expected`, which NumPy or JAX
// or a formula says.

export const programs = [
    {
        id: 'fit', title: 'Gradient descent', expected: 2.5, tolerance: 0.02,
        code: `// A line through noisy points, by gradient descent. Ctrl+Enter runs the program.
const x = np.linspace(-2, 2, 101);
const noise = np.multiply(0.3, np.sin(np.multiply(57, x)));
const y = np.add(np.add(np.multiply(2.5, x), 1), noise);

function loss({a, b}) {
    const error = np.subtract(np.add(np.multiply(a, x), b), y);
    return np.mean(np.square(error));
}

const step = jit(valueAndGrad(loss)); // one program for the loss and its derivatives
let line = {a: np.array(0), b: np.array(0)};
const history = [];
for (let i = 0; i < 100; i++) {
    const [value, slope] = step(line);
    history.push(value.item());
    line = {a: np.subtract(line.a, np.multiply(0.1, slope.a)), b: np.subtract(line.b, np.multiply(0.1, slope.b))};
}

plot({
    title: 'Points and the line', xlabel: 'x', ylabel: 'y',
    series: [{x, y, label: 'points', kind: 'points'}, {x, y: np.add(np.multiply(line.a, x), line.b), label: 'line'}],
});
plot(history, {title: 'Loss', logy: true, xlabel: 'step'});
await explain(step, line);
print('intercept', line.b.item(), 'slope', line.a.item());
`,
    },
];

// SPDX-License-Identifier: Apache-2.0
// inputs.mjs -- what is computed: the cases and their inputs, the same for all libraries (native.c makes them, too).

/** sin(i * frequency), scaled, as float32. */
export const wave = (n, frequency, scale = 1) => Float32Array.from({length: n}, (_, i) =>
    Math.fround(Math.sin(i * frequency)) * scale);

/** Name, kind and size; `goal`: results may differ by that much of their mean size. */
export const cases = [
    {name: 'chain, 10 elements', kind: 'chain', n: 10},
    {name: 'chain, 1e3 elements', kind: 'chain', n: 1000},
    {name: 'chain, 1e6 elements', kind: 'chain', n: 1000000},
    {name: 'softmax, 256 x 1000', kind: 'softmax', n: 256},
    {name: 'sum, 1e6', kind: 'sum', n: 1000000},
    {name: 'mean of columns, 1000 x 1000', kind: 'columns', n: 1000},
    {name: 'product, 256', kind: 'product', n: 256},
    {name: 'product, 1024', kind: 'product', n: 1024},
    {name: 'convolution, 8 x 16 x 32 x 32, 3 x 3', kind: 'convolution', n: 8},
    {name: 'MLP step, 64 x 784-128-10', kind: 'mlp', n: 64},
    {name: 'Kalman scan, 500 steps', kind: 'kalman', n: 500},
    {name: 'sort, 1e5', kind: 'sort', n: 100000},
    {name: 'FFT, 65536', kind: 'fft', n: 65536},
];

export const softmaxInput = n => wave(n * 1000, 0.37, 4);
export const columnsInput = n => wave(n * 1000, 0.29);
export const productInput = n => [wave(n * n, 0.37), wave(n * n, 0.73)];
export const convolutionInput = n => [wave(n * 16 * 32 * 32, 0.37), wave(32 * 16 * 9, 0.73)]; // NCHW, OIHW
export function mlpInput(n) {
    const labels = new Float32Array(n * 10);
    for (let i = 0; i < n; i++) labels[i * 10 + (i * 7) % 10] = 1;
    return {x: wave(n * 784, 0.37), labels, w1: wave(784 * 128, 1.7, 0.05), b1: new Float32Array(128),
            w2: wave(128 * 10, 2.7, 0.05), b2: new Float32Array(10)};
}
export const RATE = 0.01;
/** A place and a speed in the plane, x' = F x, of which z = H x is seen through noise. */
export function kalmanInput(n) {
    const dt = 0.1, f = Float32Array.of(1, 0, dt, 0, 0, 1, 0, dt, 0, 0, 1, 0, 0, 0, 0, 1), q = new Float32Array(16),
        p = new Float32Array(16);
    const h = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0), r = Float32Array.of(0.36, 0, 0, 0.36),
        eye = Float32Array.of(1, 0, 0, 1);
    for (let i = 0; i < 4; i++) q[5 * i] = 0.01, p[5 * i] = 4;
    const seen = Float32Array.from(wave(2 * n, 0.9), (x, i) => x + Math.floor(i / 2) * 0.05);
    return {f, q, h, r, eye, p, x: new Float32Array(4), seen};
}
export const sortInput = n => Float32Array.from(wave(n, 12.9898), x => Math.fround(x * 43758.5453) % 1);
export const fftInput = n => [wave(n, 0.37), wave(n, 0.11)];

/** Four numbers of a result by which results are compared, whatever order of axes a library has. */
export function digest(values) {
    const n = values.length;
    let sum = 0, size = 0, square = 0;
    for (let i = 0; i < n; i++) sum += values[i], size += Math.abs(values[i]), square += values[i] * values[i];
    return [sum / n, size / n, Math.sqrt(square / n), values[0]];
}

// SPDX-License-Identifier: Apache-2.0
// numpy-ts.mjs -- the cases in numpy-ts: what NumPy has; no derivatives, no convolution of images.
import * as input from './inputs.mjs';

export async function open({numpyts}) {
    const np = await import(numpyts);
    const of = (data, shape) => np.array(data, 'float32').reshape(...shape);
    const one = f => ({once: f, values: y => Float32Array.from(y.data ?? [y]), free: y => y.dispose?.()});
    return {
        name: 'numpy-ts',
        chain: n => {
            const x = of(input.wave(n, 0.37), [n]);
            return one(() => np.add(np.multiply(np.exp(np.negative(np.multiply(x, x))), np.sin(x)),
                np.multiply(x, 0.5)));
        },
        softmax: n => {
            const x = of(input.softmaxInput(n), [n, 1000]);
            return one(() => {
                const e = np.exp(np.subtract(x, np.max(x, -1, true)));
                return np.divide(e, np.sum(e, -1, true));
            });
        },
        sum: n => {
            const x = of(input.wave(n, 0.37), [n]);
            return {once: () => np.sum(x), values: y => Float32Array.of(Number(y)), free: () => {}};
        },
        columns: n => {
            const x = of(input.columnsInput(n), [n, 1000]);
            return one(() => np.mean(x, 0));
        },
        product: n => {
            const [a, b] = input.productInput(n).map(x => of(x, [n, n]));
            return one(() => np.matmul(a, b));
        },
        kalman: n => {
            const {f, q, h, r, eye, p, x, seen} = input.kalmanInput(n);
            const [F, Q, P] = [f, q, p].map(m => of(m, [4, 4])), H = of(h, [2, 4]), R = of(r, [2, 2]),
                I = of(eye, [2, 2]);
            const FT = np.transpose(F), HT = np.transpose(H), first = of(x, [4]);
            const rows = Array.from({length: n}, (_, i) => of(seen.slice(2 * i, 2 * i + 2), [2]));
            return one(() => {
                let m = first, c = P;
                const all = rows.map(z => {
                    const a = np.matmul(F, m), b = np.add(np.matmul(np.matmul(F, c), FT), Q);
                    const s = np.add(np.matmul(np.matmul(H, b), HT), R), t = Number(np.sum(np.multiply(s, I)));
                    const det = (t * t - Number(np.sum(np.multiply(s, np.transpose(s))))) / 2;
                    const k = np.matmul(np.matmul(b, HT), np.divide(np.subtract(np.multiply(I, t), s), det));
                    m = np.add(a, np.matmul(k, np.subtract(z, np.matmul(H, a))));
                    c = np.subtract(b, np.matmul(np.matmul(k, H), b));
                    return m;
                });
                return np.stack(all);
            });
        },
        sort: n => {
            const x = of(input.sortInput(n), [n]);
            return one(() => np.sort(x));
        },
        fft: n => {
            const [re, im] = input.fftInput(n), z = np.array(Array.from(re, (x, i) => new np.Complex(x, im[i])),
                'complex64');
            return one(() => np.fft.fft(z));
        },
    };
}

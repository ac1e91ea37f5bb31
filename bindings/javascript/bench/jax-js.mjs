// SPDX-License-Identifier: Apache-2.0
// jax-js.mjs -- the cases in jax-js. Its operations consume their operands, so what is used again is x.ref.
import * as input from './inputs.mjs';

export async function open({jaxjs, device = 'wasm'}) {
    const {init, defaultDevice, numpy: np, nn, lax, jit, grad} = await import(jaxjs);
    const there = await init();
    if (!there.includes(device)) throw new Error(`no device ${device} here`);
    defaultDevice(device);
    const of = (data, shape) => np.array(data, {shape});
    const asTyped = async y => y.data();
    const one = (f, ...xs) => {
        const g = jit(f);
        const begin = () => { defaultDevice(device); };
        return {begin, once: () => g(...xs.map(x => x.ref)), wait: y => y.blockUntilReady(), values: asTyped,
            free: y => y.dispose()};
    };
    return {
        name: `jax-js ${device}`, begin: () => { defaultDevice(device); },
        chain: n => one(x => np.exp(x.ref.mul(x.ref).neg()).mul(np.sin(x.ref)).add(x.mul(0.5)),
            of(input.wave(n, 0.37), [n])),
        softmax: n => one(x => nn.softmax(x, -1), of(input.softmaxInput(n), [n, 1000])),
        sum: n => one(x => np.sum(x), of(input.wave(n, 0.37), [n])),
        columns: n => one(x => np.mean(x, 0), of(input.columnsInput(n), [n, 1000])),
        product: n => one((a, b) => np.matmul(a, b), ...input.productInput(n).map(x => of(x, [n, n]))),
        convolution: n => {
            const [x, w] = input.convolutionInput(n);
            return one((a, b) => lax.conv(a, b, [1, 1], 'SAME'), of(x, [n, 16, 32, 32]), of(w, [32, 16, 3, 3]));
        },
        mlp: n => {
            const {x, labels, w1, b1, w2, b2} = input.mlpInput(n), a = of(x, [n, 784]), y = of(labels, [n, 10]);
            const loss = (p, u, v) => {
                const hidden = nn.relu(np.matmul(u, p.w1).add(p.b1)), out = np.matmul(hidden, p.w2).add(p.b2);
                return np.mean(np.sum(nn.logSoftmax(out, -1).mul(v), 1)).neg();
            };
            const step = jit((p, u, v) => {
                const d = grad(loss)({w1: p.w1.ref, b1: p.b1.ref, w2: p.w2.ref, b2: p.b2.ref}, u, v);
                return Object.fromEntries(Object.keys(p).map(k => [k, p[k].sub(d[k].mul(input.RATE))]));
            });
            let p = {w1: of(w1, [784, 128]), b1: of(b1, [128]), w2: of(w2, [128, 10]), b2: of(b2, [10])};
            return {
                begin: () => { defaultDevice(device); },
                once: () => (p = step(p, a.ref, y.ref)),
                wait: q => Promise.all(Object.values(q).map(v => v.blockUntilReady())), values: q => q.b1.ref.data(),
                    free: () => {},
            };
        },
        kalman: n => { // it has no scan: a compiled step, called for each row
            const {f, q, h, r, eye, p, x, seen} = input.kalmanInput(n);
            const [F, Q, P] = [f, q, p].map(m => of(m, [4, 4])), H = of(h, [2, 4]), R = of(r, [2, 2]),
                I = of(eye, [2, 2]);
            const rows = Array.from({length: n}, (_, i) => of(seen.slice(2 * i, 2 * i + 2), [2]));
            const step = jit((m, c, z, F_, Q_, H_, R_, I_) => {
                const a = np.matmul(F_.ref, m), b = np.matmul(np.matmul(F_.ref, c), np.transpose(F_)).add(Q_);
                const HT = np.transpose(H_.ref), s = np.matmul(np.matmul(H_.ref, b.ref), HT.ref).add(R_),
                    t = np.sum(s.ref.mul(I_.ref));
                const det = t.ref.mul(t.ref).sub(np.sum(s.ref.mul(np.transpose(s.ref)))).mul(0.5);
                const inverse = t.mul(I_).sub(s).div(det), k = np.matmul(np.matmul(b.ref, HT), inverse);
                const next = a.ref.add(np.matmul(k.ref, z.sub(np.matmul(H_.ref, a))));
                return [next, b.ref.sub(np.matmul(np.matmul(k, H_), b))];
            });
            const first = of(x, [4]);
            return {
                begin: () => { defaultDevice(device); },
                once: () => {
                    let [m, c] = [first.ref, P.ref];
                    const all = [];
                    for (const z of rows) {
                        [m, c] = step(m, c, z.ref, F.ref, Q.ref, H.ref, R.ref, I.ref);
                        all.push(m.ref);
                    }
                    m.dispose(), c.dispose();
                    return np.stack(all);
                },
                wait: y => y.blockUntilReady(), values: asTyped, free: y => y.dispose(),
            };
        },
        sort: n => one(x => np.sort(x), of(input.sortInput(n), [n])),
        fft: n => {
            const [re, im] = input.fftInput(n), g = jit((a, b) => {
                const {real, imag} = np.fft.fft({real: a, imag: b});
                return [real, imag];
            }), x = of(re, [n]), y = of(im, [n]);
            return {
                begin: () => { defaultDevice(device); },
                once: () => g(x.ref, y.ref), wait: z => Promise.all(z.map(v => v.blockUntilReady())),
                values: async z => {
                    const [a, b] = await Promise.all(z.map(v => v.data())), out = new Float32Array(2 * n);
                    a.forEach((v, i) => { out[2 * i] = v, out[2 * i + 1] = b[i]; });
                    return out;
                },
                free: z => z.forEach(v => v.dispose()),
            };
        },
    };
}

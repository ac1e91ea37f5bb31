// SPDX-License-Identifier: Apache-2.0
// kiln.mjs -- the cases in Kiln.
import * as input from './inputs.mjs';

export async function open({kiln, threads = 1}) {
    const {init, np, nn, lax, jit, grad, tree, threads: made} = await import(kiln);
    await init({threads});
    if (threads > 1 && made().threads < 2) throw new Error(made().reason);
    const of = (data, shape) => np.array(data, {shape});
    const one = (f, ...xs) => {
        const g = jit(f);
        return {once: () => g(...xs), wait: y => y.blockUntilReady(), values: y => y.dataSync(),
            free: y => y.dispose()};
    };
    return {
        name: 'Kiln',
        chain: n => one(x => np.exp(x.mul(x).neg()).mul(np.sin(x)).add(x.mul(0.5)), of(input.wave(n, 0.37), [n])),
        softmax: n => one(x => nn.softmax(x, {axis: -1}), of(input.softmaxInput(n), [n, 1000])),
        sum: n => one(x => np.sum(x), of(input.wave(n, 0.37), [n])),
        columns: n => one(x => np.mean(x, {axis: 0}), of(input.columnsInput(n), [n, 1000])),
        product: n => one((a, b) => np.matmul(a, b), ...input.productInput(n).map(x => of(x, [n, n]))),
        convolution: n => {
            const [x, w] = input.convolutionInput(n);
            return one((a, b) => lax.conv(a, b, [1, 1], 'SAME'), of(x, [n, 16, 32, 32]), of(w, [32, 16, 3, 3]));
        },
        mlp: n => {
            const {x, labels, w1, b1, w2, b2} = input.mlpInput(n), a = of(x, [n, 784]), y = of(labels, [n, 10]);
            const loss = p => {
                const hidden = nn.relu(np.matmul(a, p.w1).add(p.b1)), out = np.matmul(hidden, p.w2).add(p.b2);
                return np.mean(np.sum(nn.logSoftmax(out, {axis: -1}).mul(y), {axis: 1})).neg();
            };
            const step = jit(p => tree.map((v, d) => v.sub(d.mul(input.RATE)), p, grad(loss)(p)));
            let p = {w1: of(w1, [784, 128]), b1: of(b1, [128]), w2: of(w2, [128, 10]), b2: of(b2, [10])};
            return {
                once: () => {
                    const old = p;
                    p = step(old);
                    for (const v of Object.values(old)) v.dispose();
                    return p;
                },
                wait: q => q.w1.blockUntilReady(), values: q => q.b1.dataSync(), free: () => {},
            };
        },
        kalman: n => {
            const {f, q, h, r, eye, p, x, seen} = input.kalmanInput(n);
            const [F, Q, P] = [f, q, p].map(m => of(m, [4, 4])), H = of(h, [2, 4]), R = of(r, [2, 2]),
                I = of(eye, [2, 2]);
            const step = ([m, c], z) => {
                const a = np.matmul(F, m), b = np.matmul(np.matmul(F, c), F.T).add(Q);
                const s = np.matmul(np.matmul(H, b), H.T).add(R), t = np.sum(s.mul(I));
                const det = t.mul(t).sub(np.sum(s.mul(s.T))).mul(0.5), inverse = t.mul(I).sub(s).div(det);
                const k = np.matmul(np.matmul(b, H.T), inverse);
                const next = a.add(np.matmul(k, z.sub(np.matmul(H, a))));
                return [[next, b.sub(np.matmul(np.matmul(k, H), b))], next];
            };
            return one((m, c, z) => lax.scan(step, [m, c], z)[1], of(x, [4]), P, of(seen, [n, 2]));
        },
        sort: n => one(x => np.sort(x), of(input.sortInput(n), [n])),
        fft: n => {
            const [re, im] = input.fftInput(n);
            const z = lax.complex(of(re, [n]), of(im, [n]));
            return one(x => np.fft.fft(x), z);
        },
    };
}

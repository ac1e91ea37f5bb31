// SPDX-License-Identifier: Apache-2.0
// tensorflow.mjs -- the cases in TensorFlow.js, eagerly as it computes. `tf` is its bundle, loaded by the caller.
import * as input from './inputs.mjs';

export async function open({tf, backend = 'wasm'}) {
    const tensor = (data, shape) => tf.tensor(data, shape, 'float32');
    const here = async () => {
        if (tf.getBackend() !== backend) await tf.setBackend(backend);
        await tf.ready();
    };
    await here();
    const one = f => ({once: () => tf.tidy(f), values: y => y.dataSync(), free: y => y.dispose(), begin: here});
    return {
        name: `TensorFlow.js ${backend}`, begin: here,
        chain: n => {
            const x = tensor(input.wave(n, 0.37), [n]);
            return one(() => tf.add(tf.mul(tf.exp(tf.neg(tf.mul(x, x))), tf.sin(x)), tf.mul(x, 0.5)));
        },
        softmax: n => {
            const x = tensor(input.softmaxInput(n), [n, 1000]);
            return one(() => tf.softmax(x));
        },
        sum: n => {
            const x = tensor(input.wave(n, 0.37), [n]);
            return one(() => tf.sum(x));
        },
        columns: n => {
            const x = tensor(input.columnsInput(n), [n, 1000]);
            return one(() => tf.mean(x, 0));
        },
        product: n => {
            const [a, b] = input.productInput(n).map(x => tensor(x, [n, n]));
            return one(() => tf.matMul(a, b));
        },
        convolution: n => { // its order of axes is NHWC and HWIO
            const [x, w] = input.convolutionInput(n);
            const a = tf.transpose(tensor(x, [n, 16, 32, 32]), [0, 2, 3, 1]),
                b = tf.transpose(tensor(w, [32, 16, 3, 3]), [2, 3, 1, 0]);
            const c = one(() => tf.conv2d(a, b, 1, 'same'));
            return {...c, values: y => tf.transpose(y, [0, 3, 1, 2]).dataSync()};
        },
        mlp: n => {
            const {x, labels, w1, b1, w2, b2} = input.mlpInput(n), a = tensor(x, [n, 784]), y = tensor(labels, [n, 10]);
            let p = [tensor(w1, [784, 128]), tensor(b1, [128]), tensor(w2, [128, 10]), tensor(b2, [10])];
            const loss = (u, v, w, z) => {
                const out = tf.add(tf.matMul(tf.relu(tf.add(tf.matMul(a, u), v)), w), z);
                return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(out), y), 1)));
            };
            const gradient = tf.grads(loss);
            return {
                begin: here,
                once: () => {
                    const old = p;
                    p = tf.tidy(() => gradient(old).map((d, i) => tf.sub(old[i], tf.mul(d, input.RATE))));
                    tf.dispose(old);
                    return p;
                },
                values: q => q[1].dataSync(), free: () => {},
            };
        },
        kalman: n => {
            const {f, q, h, r, eye, p, x, seen} = input.kalmanInput(n);
            const [F, Q, P] = [f, q, p].map(m => tensor(m, [4, 4])), H = tensor(h, [2, 4]), R = tensor(r, [2, 2]),
                I = tensor(eye, [2, 2]);
            const first = tensor(x, [4, 1]), rows = Array.from({length: n},
                (_, i) => tensor(seen.slice(2 * i, 2 * i + 2), [2, 1]));
            return one(() => {
                let m = first, c = P;
                const all = rows.map(z => {
                    const [next, cov] = tf.tidy(() => {
                        const a = tf.matMul(F, m), b = tf.add(tf.matMul(tf.matMul(F, c), F, false, true), Q);
                        const s = tf.add(tf.matMul(tf.matMul(H, b), H, false, true), R), t = tf.sum(tf.mul(s, I));
                        const det = tf.mul(tf.sub(tf.mul(t, t), tf.sum(tf.mul(s, tf.transpose(s)))), 0.5);
                        const k = tf.matMul(tf.matMul(b, H, false, true), tf.div(tf.sub(tf.mul(t, I), s), det));
                        return [tf.add(a, tf.matMul(k, tf.sub(z, tf.matMul(H, a)))),
                            tf.sub(b, tf.matMul(tf.matMul(k, H), b))];
                    });
                    m = next, c = cov;
                    return tf.reshape(m, [4]);
                });
                return tf.stack(all);
            });
        },
        sort: n => { // it has no sort but that of topk
            const x = tensor(input.sortInput(n), [n]);
            return one(() => tf.reverse(tf.topk(x, n, true).values));
        },
        fft: n => {
            const [re, im] = input.fftInput(n), z = tf.complex(tensor(re, [n]), tensor(im, [n]));
            return {...one(() => tf.fft(z)), values: y => {
                const out = new Float32Array(2 * n), a = tf.real(y).dataSync(), b = tf.imag(y).dataSync();
                a.forEach((v, i) => { out[2 * i] = v, out[2 * i + 1] = b[i]; });
                return out;
            }};
        },
    };
}

// SPDX-License-Identifier: Apache-2.0
// fluid.mjs -- smoke in a fluid that cannot be compressed: carried along backwards, and made free of divergence by
// Fourier transforms, on a grid whose edges meet (J. Stam, A simple fluid solver based on the FFT, 2001).

const N = 128,
    DT = 1;

export default {
    title: 'Fluid',
    about:
        'Stir the smoke with the pointer. Each picture is one compiled function: velocities carry themselves and the smoke along, then Fourier transforms take away ' +
        'what would compress the fluid.',
    size: [N, N],
    label: 'Smoke that the pointer stirs',
    controls: [
        {name: 'viscosity', label: 'Viscosity', kind: 'range', min: 0, max: 0.02, step: 0.0005, value: 0.001},
        {name: 'fading', label: 'Fading of the smoke', kind: 'range', min: 0, max: 0.05, step: 0.001, value: 0.004},
        {name: 'clear', label: 'Clear', kind: 'button'},
    ],
    // sin(x) cos(y), -cos(x) sin(y) has no divergence; sin(x), 0 is a gradient and has to go.
    check: {
        expected: Math.sin((2 * Math.PI * 20) / N) * Math.cos((2 * Math.PI * 9) / N),
        tolerance: 1e-5,
        of: 'a velocity after its gradient was taken away',
    },

    async setup({kiln, canvas, values}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d'),
            picture = context.createImageData(N, N);
        const place = np.arange(0, N, 1).astype('float32'),
            X = place.reshape([1, N]),
            Y = place.reshape([N, 1]);
        const k = np.array(Array.from({length: N}, (_, i) => (i <= N / 2 ? i : i - N))),
            KX = k.reshape([1, N]),
            KY = k.reshape([N, 1]);
        const square = np.square(KX).add(np.square(KY)),
            over = np.maximum(square, 1);
        const project = (u, v, viscosity) => {
            // as Fourier series: u -= k (k . u) / |k|^2
            const a = np.fft.fft2(u),
                b = np.fft.fft2(v),
                along = a.mul(KX).add(b.mul(KY)).div(over);
            const damp = np.exp(square.mul(viscosity).mul(-DT));
            return [
                [a, KX],
                [b, KY],
            ].map(([x, K]) => np.real(np.fft.ifft2(x.sub(along.mul(K)).mul(damp))).astype('float32'));
        };
        const carried = (fields, u, v) => {
            // the value where the fluid was a step before, between four points
            const x = np.remainder(X.sub(u.mul(DT)), N),
                y = np.remainder(Y.sub(v.mul(DT)), N);
            const i = np.floor(x),
                j = np.floor(y),
                s = x.sub(i),
                t = y.sub(j);
            const at = (f, dy, dx) =>
                np.take(
                    f.reshape([N * N]),
                    np
                        .remainder(j.add(dy), N)
                        .mul(N)
                        .add(np.remainder(i.add(dx), N))
                        .astype('int32'),
                );
            return fields.map(f =>
                np.add(
                    at(f, 0, 0)
                        .mul(np.subtract(1, s))
                        .add(at(f, 0, 1).mul(s))
                        .mul(np.subtract(1, t)),
                    at(f, 1, 0)
                        .mul(np.subtract(1, s))
                        .add(at(f, 1, 1).mul(s))
                        .mul(t),
                ),
            );
        };
        const step = jit((u, v, smoke, push, viscosity, fading) => {
            const [px, py, dx, dy] = [0, 1, 2, 3].map(i => push.slice(i));
            const near = np.exp(
                np
                    .square(X.sub(px))
                    .add(np.square(Y.sub(py)))
                    .div(-40),
            );
            [u, v] = project(u.add(near.mul(dx)), v.add(near.mul(dy)), viscosity);
            const strength = np.minimum(np.abs(dx).add(np.abs(dy)), 1);
            [u, v, smoke] = carried([u, v, smoke.add(near.mul(strength))], u, v);
            return [u, v, smoke.mul(np.subtract(1, fading))];
        });
        const only = jit((u, v) => project(u, v, 0));
        const begin = () => [
            np.zeros([N, N]),
            np.zeros([N, N]),
            np.exp(
                np
                    .square(X.sub(64))
                    .add(np.square(Y.sub(64)))
                    .div(-200),
            ),
        ];
        let state = begin(),
            last = null,
            turn = 0;
        return {
            frame(_, pointer) {
                turn += 0.03;
                const at = pointer.down
                    ? [pointer.x, pointer.y]
                    : [64 + 30 * Math.cos(turn), 64 + 30 * Math.sin(1.3 * turn)];
                const by = last ? at.map((x, i) => Math.max(-3, Math.min(3, 0.6 * (x - last[i])))) : [0, 0];
                last = at;
                const next = step(...state, np.array([...at, ...by]), values.viscosity, values.fading);
                for (const x of state) x.dispose();
                state = next;
                const data = state[2].dataSync(),
                    to = picture.data;
                for (let i = 0; i < data.length; i++) {
                    const d = Math.max(0, Math.min(1.5, data[i]));
                    ((to[4 * i] = 255 * Math.min(1, d)),
                        (to[4 * i + 1] = 150 * d),
                        (to[4 * i + 2] = 40 + 100 * d * d),
                        (to[4 * i + 3] = 255));
                }
                context.putImageData(picture, 0, 0);
            },
            changed(name) {
                if (name === 'clear') state = begin();
            },
            async check() {
                const w = (2 * Math.PI) / N,
                    x = X.mul(w),
                    y = Y.mul(w);
                const [u] = only(np.sin(x).mul(np.cos(y)).add(np.sin(x)), np.cos(x).mul(np.sin(y)).mul(-1));
                return u.slice(9, 20).item();
            },
        };
    },
};

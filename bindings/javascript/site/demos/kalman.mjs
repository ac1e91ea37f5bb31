// SPDX-License-Identifier: Apache-2.0
// kalman.mjs -- where is the pointer? A Kalman filter of position and velocity sees it through noise.

const W = 480,
    H = 320,
    DT = 1;

export default {
    title: 'Kalman filter',
    about:
        'Move the pointer: the filter does not see it, only the grey points that noise makes of it. From them it works out where it is and how fast it moves (the orange line), ' +
        'and how sure it is (the circle).',
    size: [W, H],
    label: 'Noisy points around the pointer, and the path that the filter makes of them',
    controls: [
        {name: 'noise', label: 'Noise, pixels', kind: 'range', min: 2, max: 60, step: 1, value: 20},
        {name: 'force', label: 'How much it may turn', kind: 'range', min: 0.01, max: 2, step: 0.01, value: 0.2},
    ],
    // One coordinate filtered by plain numbers, below.
    check: {expected: byHand(), tolerance: 1e-3, of: 'the position after 30 measurements of a line with bumps'},

    async setup({kiln, canvas, values, status}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d');
        const F = np.array([
                [1, DT],
                [0, 1],
            ]),
            Q = np.array([
                [DT ** 4 / 4, DT ** 3 / 2],
                [DT ** 3 / 2, DT ** 2],
            ]);
        // x: position and velocity of both coordinates, 2 x 2; P: the covariance, the same for both; z: what was measured
        const step = jit((x, P, z, r, q) => {
            const ahead = np.matmul(F, x),
                spread = np.matmul(np.matmul(F, P), F.transpose()).add(Q.mul(q));
            const gain = spread.slice([], [0, 1]).div(spread.slice(0, 0).add(r)); // 2 x 1
            return [
                ahead.add(np.matmul(gain, z.sub(ahead.slice([0, 1])))),
                spread.sub(np.matmul(gain, spread.slice([0, 1]))),
            ];
        });
        const start = (x, y) => [
            np.array([
                [x, y],
                [0, 0],
            ]),
            np.eye(2).mul(1000),
        ];
        let [x, P] = start(W / 2, H / 2),
            seen = [],
            path = [];
        const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
        let turn = 0;
        return {
            frame(_, pointer) {
                turn += 0.02; // without a pointer something moves by itself
                const at = pointer.inside
                    ? [pointer.x, pointer.y]
                    : [W / 2 + 150 * Math.sin(turn), H / 2 + 90 * Math.sin(2 * turn)];
                const z = at.map(v => v + values.noise * normal());
                const [y, S] = step(x, P, np.array([z]), values.noise ** 2, values.force ** 2);
                (x.dispose(), P.dispose());
                [x, P] = [y, S];
                const [px, py, vx, vy] = x.dataSync(),
                    sure = 2 * Math.sqrt(P.dataSync()[0]);
                ((seen = [...seen, z].slice(-90)), (path = [...path, [px, py]].slice(-180)));
                context.fillStyle = '#10131f';
                context.fillRect(0, 0, W, H);
                context.fillStyle = '#8a92a8';
                for (const [a, b] of seen) context.fillRect(a - 1.5, b - 1.5, 3, 3);
                context.strokeStyle = '#ff9a4a';
                context.lineWidth = 2;
                context.beginPath();
                path.forEach(p => context.lineTo(...p));
                context.stroke();
                context.beginPath();
                context.arc(px, py, sure, 0, 2 * Math.PI);
                context.moveTo(px, py);
                context.lineTo(px + 8 * vx, py + 8 * vy);
                context.stroke();
                status(
                    `at ${px.toFixed(0)}, ${py.toFixed(0)}, ${Math.hypot(vx, vy).toFixed(1)} pixels a picture, sure to ${sure.toFixed(1)} pixels`,
                );
            },
            async check() {
                let [m, C] = start(0, 0);
                for (const v of line()) [m, C] = step(m, C, np.array([[v, 0]]), 4, 0.01);
                return m.slice(0, 0).item();
            },
        };
    },
};

function line() {
    return Array.from({length: 30}, (_, i) => i + ((i * 7) % 5) - 2);
}
function byHand() {
    let p = 0,
        v = 0,
        [a, b, c] = [1000, 0, 1000]; // the covariance [[a, b], [b, c]]
    for (const z of line()) {
        p += DT * v;
        [a, b, c] = [
            a + 2 * DT * b + DT * DT * c + (0.01 * DT ** 4) / 4,
            b + DT * c + (0.01 * DT ** 3) / 2,
            c + 0.01 * DT ** 2,
        ];
        const g = a / (a + 4),
            h = b / (a + 4),
            e = z - p;
        ((p += g * e), (v += h * e));
        [a, b, c] = [a - g * a, b - g * b, c - h * b];
    }
    return p;
}

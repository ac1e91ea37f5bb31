// SPDX-License-Identifier: Apache-2.0
// nbody.mjs -- bodies that attract each other: all pairs at once by broadcasting, steps by leapfrog.

const SIZE = 384,
    SOFT = 0.05,
    STEP = 0.01;

export default {
    title: 'N-body',
    about: 'Each body is pulled by every other one: N x N forces a step, in one compiled function. Press to put a heavy body there.',
    size: [SIZE, SIZE],
    label: 'Bodies that move around each other',
    controls: [
        {name: 'bodies', label: 'Bodies', kind: 'range', min: 50, max: 600, step: 50, value: 300},
        {name: 'steps', label: 'Steps a picture', kind: 'range', min: 1, max: 6, step: 1, value: 2},
        {name: 'again', label: 'Start again', kind: 'button'},
    ],
    // Two bodies on a circle around their middle: the first is at r cos(w t), with w of the softened force.
    check: {
        expected: 0.5 * Math.cos(Math.sqrt(circle().a / 0.5) * 3),
        tolerance: 1e-3,
        of: 'a body on a circle after 300 steps',
    },

    async setup({kiln, canvas, values, status}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d');
        const pull = (p, m) => {
            const n = p.shape[0],
                d = p.reshape([1, n, 2]).sub(p.reshape([n, 1, 2]));
            const inverse = np.power(
                d
                    .mul(d)
                    .sum(2)
                    .add(SOFT * SOFT),
                -1.5,
            );
            return d.mul(inverse.mul(m).reshape([n, n, 1])).sum(1);
        };
        const step = jit((p, v, m) => {
            const half = v.add(pull(p, m).mul(STEP / 2)),
                next = p.add(half.mul(STEP));
            return [next, half.add(pull(next, m).mul(STEP / 2))];
        });
        let p,
            v,
            m,
            was = false;
        const advance = () => {
            const [q, u] = step(p, v, m);
            (p.dispose(), v.dispose());
            [p, v] = [q, u];
        };
        const begin = () => {
            // a disc that turns
            const n = values.bodies,
                {random} = kiln,
                a = random.key(1),
                b = random.key(2);
            const r = np
                    .sqrt(random.uniform(a, [n]))
                    .mul(0.9)
                    .add(0.05),
                angle = random.uniform(b, [n]).mul(2 * Math.PI);
            const speed = np.sqrt(r.mul(1.1));
            p = np.stack([r.mul(np.cos(angle)), r.mul(np.sin(angle))], 1);
            v = np.stack([speed.mul(np.sin(angle)).mul(-1), speed.mul(np.cos(angle))], 1);
            m = np.full([n], 1 / n);
        };
        begin();
        const draw = () => {
            context.fillStyle = 'rgba(8, 10, 24, 0.35)';
            context.fillRect(0, 0, SIZE, SIZE);
            const at = p.dataSync(),
                mass = m.dataSync(),
                most = Math.max(...mass);
            context.fillStyle = '#ffd58a';
            for (let i = 0; i < mass.length; i++) {
                const size = mass[i] === most && most > 10 * mass[0] ? 6 : 2;
                context.fillRect(
                    (at[2 * i] / 3 + 0.5) * SIZE - size / 2,
                    (at[2 * i + 1] / 3 + 0.5) * SIZE - size / 2,
                    size,
                    size,
                );
            }
            status(`${mass.length} bodies, ${(mass.length * mass.length).toLocaleString('en')} forces a step`);
        };
        return {
            frame(_, pointer) {
                if (pointer.down && !was) {
                    const x = (pointer.x / SIZE - 0.5) * 3,
                        y = (pointer.y / SIZE - 0.5) * 3;
                    p = np.concatenate([p, np.array([[x, y]])]);
                    v = np.concatenate([v, np.zeros([1, 2])]);
                    m = np.concatenate([m, np.array([0.3])]);
                }
                was = pointer.down;
                for (let i = 0; i < values.steps; i++) advance();
                draw();
            },
            changed(name) {
                if (name === 'again' || name === 'bodies') begin();
            },
            async check() {
                const kept = [p, v, m],
                    {v: speed} = circle();
                [p, v, m] = [
                    np.array([
                        [0.5, 0],
                        [-0.5, 0],
                    ]),
                    np.array([
                        [0, speed],
                        [0, -speed],
                    ]),
                    np.ones([2]),
                ];
                for (let i = 0; i < 300; i++) advance();
                const x = p.slice(0, 0).item();
                [p, v, m] = kept;
                return x;
            },
        };
    },
};

function circle() {
    // two bodies of mass 1, 1 apart: acceleration and speed
    const a = 1 / (1 + SOFT * SOFT) ** 1.5;
    return {a, v: Math.sqrt(a * 0.5)};
}

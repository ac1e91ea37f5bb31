// SPDX-License-Identifier: Apache-2.0
// filters.mjs -- filters of pictures: of a file, of the camera, or of one that is made here.

const W = 320,
    H = 240;
const weights = sigma => {
    const n = Math.ceil(3 * sigma),
        w = Array.from({length: 2 * n + 1}, (_, i) => Math.exp(-((i - n) ** 2) / (2 * sigma * sigma))),
        sum = w.reduce((a, b) => a + b);
    return w.map(x => x / sum);
};
const SIGMA = 2,
    central = weights(SIGMA)[Math.ceil(3 * SIGMA)];

export default {
    title: 'Picture filters',
    about: 'Choose a picture or the camera, and a filter. Nothing leaves this page: the filters are compiled here, as functions of arrays.',
    size: [W, H],
    label: 'A picture behind a filter',
    controls: [
        {
            name: 'filter',
            label: 'Filter',
            kind: 'choice',
            choices: ['edges', 'blur', 'sharpen', 'emboss', 'posterize', 'old', 'none'],
            value: 'edges',
        },
        {name: 'strength', label: 'Strength', kind: 'range', min: 0, max: 2, step: 0.05, value: 1},
        {name: 'picture', label: 'A picture', kind: 'file', accept: 'image/*'},
        {name: 'camera', label: 'Camera', kind: 'camera', size: [W, H]},
    ],
    check: {expected: central * central, tolerance: 1e-6, of: 'the middle of a blurred point'},

    async setup({kiln, canvas, values, status}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d');
        // pictures are height x width x 3, from 0 to 1; beyond the edge stands the edge
        const padded = (x, n, axis) =>
            np.pad(
                x,
                np.array(
                    [0, 1, 2].map(a => (a === axis ? [n, n] : [0, 0])),
                    {dtype: 'int32'},
                ),
                'edge',
            );
        const along = (x, w, axis) => {
            const n = (w.length - 1) / 2,
                p = padded(x, n, axis),
                size = x.shape[axis];
            return w
                .map((c, i) => (axis ? p.slice([], [i, i + size]) : p.slice([i, i + size])).mul(c))
                .reduce((a, b) => a.add(b));
        };
        const blur = (x, sigma) => along(along(x, weights(sigma), 0), weights(sigma), 1);
        const grey = x => x.mul(np.array([0.299, 0.587, 0.114])).sum(2, {keepdims: true});
        const mix = (x, y, s) => x.add(y.sub(x).mul(s));
        const filters = {
            none: x => x,
            blur: (x, s) => mix(x, blur(x, SIGMA), s),
            sharpen: (x, s) => x.add(x.sub(blur(x, 1.2)).mul(s).mul(1.5)),
            edges: (x, s) => {
                const g = grey(x),
                    across = along(along(g, [-1, 0, 1], 1), [1, 2, 1], 0),
                    down = along(along(g, [-1, 0, 1], 0), [1, 2, 1], 1);
                return np
                    .sqrt(across.mul(across).add(down.mul(down)))
                    .mul(s)
                    .add(np.zeros([1, 1, 3]));
            },
            emboss: (x, s) =>
                along(along(grey(x), [-1, 0, 1], 1), [0, 1, 1], 0)
                    .mul(s)
                    .add(0.5)
                    .add(np.zeros([1, 1, 3])),
            posterize: (x, s) => np.round(x.mul(s.mul(4).add(2))).div(s.mul(4).add(2)),
            old: (x, s) => mix(x, grey(x).mul(np.array([1.1, 0.95, 0.7])), np.minimum(s, 1)),
        };
        const fast = Object.fromEntries(
            Object.entries(filters).map(([name, f]) => [
                name,
                jit((x, s) => {
                    const y = f(x.slice([], [], [0, 3]).astype('float32').div(255), s); // the fourth byte is the opacity
                    return np
                        .concatenate([np.clip(y.mul(255), 0, 255), np.full([x.shape[0], x.shape[1], 1], 255)], 2)
                        .add(0.5)
                        .astype('uint8');
                }),
            ]),
        );
        let picture = drawn(context),
            stale = true;
        return {
            frame() {
                if (!stale) return;
                stale = false;
                const before = performance.now(),
                    x = np.array(Uint8Array.from(picture.data)).reshape([picture.height ?? H, picture.width ?? W, 4]);
                const y = fast[values.filter](x, values.strength),
                    data = y.dataSync();
                const out = context.createImageData(picture.width ?? W, picture.height ?? H);
                out.data.set(data);
                context.putImageData(out, 0, 0);
                status(`${(performance.now() - before).toFixed(1)} ms`);
                (x.dispose(), y.dispose());
            },
            changed(name, value) {
                const image = name === 'picture' ? value?.image : name === 'camera' ? value : null;
                if (image) {
                    picture = image;
                    if (canvas.width !== image.width || canvas.height !== image.height)
                        [canvas.width, canvas.height] = [image.width, image.height];
                }
                stale = true;
            },
            async check() {
                const point = np.zeros([41, 41, 1]);
                point.set([20, 20, 0], 1);
                return blur(point, SIGMA).slice(20, 20, 0).item();
            },
        };
    },
};

// A picture to begin with: discs on a sky.
function drawn(context) {
    const image = context.createImageData(W, H);
    for (let y = 0; y < H; y++)
        for (let x = 0; x < W; x++) {
            const at = 4 * (y * W + x),
                near = (a, b, r) => Math.hypot(x - a, y - b) < r;
            const [r, g, b] = near(230, 70, 32)
                ? [255, 236, 150]
                : near(90, 150, 55)
                  ? [200, 60 + x / 2, 60]
                  : near(190, 170, 40)
                    ? [50, 120, 60 + y / 2]
                    : y > 190
                      ? [70, 90 + (x % 20), 60]
                      : [90 + y / 3, 140 + y / 4, 230];
            image.data.set([r, g, b, 255], at);
        }
    return image;
}

// SPDX-License-Identifier: Apache-2.0
// image.mjs -- numbers as pixels: grey or coloured, for canvases.

// viridis (matplotlib, CC0) at nine places.
const viridis = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129],
    [92, 200, 99], [170, 220, 50], [253, 231, 37]];
const palettes = {
    grey: t => [255 * t, 255 * t, 255 * t],
    viridis(t) {
        const p = t * (viridis.length - 1), i = Math.min(viridis.length - 2, Math.floor(p)), f = p - i;
        return viridis[i].map((v, k) => v + f * (viridis[i + 1][k] - v));
    },
    // blue, white, red
    balance: t => (t < 0.5 ? [40 + 430 * t, 80 + 350 * t, 255] : [255, 255 - 350 * (t - 0.5) * 2 * 0.7,
        255 - 430 * (t - 0.5) * 1.1]),
};

/** 256 colours of a palette: grey, viridis, balance. */
export function palette(name = 'grey') {
    const f = palettes[name] ?? palettes.grey, table = new Uint8ClampedArray(3 * 256);
    for (let i = 0; i < 256; i++)
        table.set(f(i / 255), 3 * i);
    return table;
}

/**
 * Pixels (RGBA) of an image of numbers. shape: [height, width] or [height, width, 1 | 3 | 4]; bytes are 0 to 255, other
 * numbers 0 to 1, or from `lo` to `hi` ('auto': from the smallest to the largest).
 */
export function pixels(data, shape, {colours = 'grey', lo = null, hi = null, range = null} = {}) {
    const [height, width, depth = 1] = shape, n = height * width, out = new Uint8ClampedArray(4 * n);
    const bytes = data instanceof Uint8Array || data instanceof Uint8ClampedArray;
    if (data.length !== n * depth || ![1, 3, 4].includes(depth))
        throw new TypeError(`an image has the shape [height, width] or [height, width, 1, 3 or 4], not [${shape}]`);
    if (range === 'auto') {
        [lo, hi] = [Infinity, -Infinity];
        for (const v of data)
            if (Number.isFinite(v))
                [lo, hi] = [Math.min(lo, v), Math.max(hi, v)];
    }
    lo ??= 0;
    hi ??= bytes ? 255 : 1;
    const factor = 255 / (hi - lo || 1);
    if (depth === 1) {
        const table = palette(colours);
        for (let i = 0; i < n; i++) {
            const c = 3 * Math.max(0, Math.min(255, Math.round((data[i] - lo) * factor) || 0));
            out[4 * i] = table[c], out[4 * i + 1] = table[c + 1], out[4 * i + 2] = table[c + 2], out[4 * i + 3] = 255;
        }
        return out;
    }
    for (let i = 0; i < n; i++) {
        for (let k = 0; k < depth; k++)
            out[4 * i + k] = (data[depth * i + k] - lo) * factor;
        if (depth === 3)
            out[4 * i + 3] = 255;
    }
    return out;
}

// SPDX-License-Identifier: Apache-2.0
// audio.mjs -- sounds as arrays: a bell of partials, each with its own decay, two seconds of it in one compiled function; and its spectrum.

const RATE = 16384,
    SECONDS = 2;
const bells = {
    // ratios of the partials to the note, their strengths, how fast they fade
    Bell: [
        [0.5, 1, 1.19, 1.56, 2, 2.51, 2.66, 3.01, 4.1],
        [1, 0.67, 1, 1.8, 2.67, 1.67, 1.46, 1.33, 1],
        [0.8, 1.1, 1.2, 1.7, 2.2, 2.9, 3.1, 3.6, 4.4],
    ],
    String: [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 0.5, 0.33, 0.25, 0.2, 0.17, 0.14, 0.12],
        [1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5],
    ],
    Tone: [[1], [1], [0.5]],
};
const notes = {a: 0, w: 1, s: 2, e: 3, d: 4, f: 5, t: 6, g: 7, z: 8, y: 8, h: 9, u: 10, j: 11, k: 12};

export default {
    title: 'Sound',
    about: 'Press Play, or the keys a to k of the keyboard (with the focus on the picture). The picture is the wave; below it is its spectrum.',
    size: [512, 160],
    label: 'The wave of the sound',
    controls: [
        {name: 'sound', label: 'Sound', kind: 'choice', choices: Object.keys(bells), value: 'Bell'},
        {name: 'note', label: 'Note, Hz', kind: 'range', min: 110, max: 880, step: 1, value: 440},
        {name: 'play', label: 'Play', kind: 'button'},
    ],
    check: {expected: 440, tolerance: 0, of: 'the frequency of the strongest line of the spectrum of a tone of 440 Hz'},

    async setup({kiln, canvas, values, play, plot, status}) {
        const {np, jit} = kiln,
            context = canvas.getContext('2d'),
            t = np
                .arange(0, RATE * SECONDS, 1)
                .astype('float32')
                .div(RATE);
        const sound = jit((note, partials) => {
            const [ratio, strength, fading] = [0, 1, 2].map(i => partials.slice(i).reshape([-1, 1]));
            const all = np
                .sin(
                    ratio
                        .mul(note)
                        .mul(t)
                        .mul(2 * Math.PI),
                )
                .mul(np.exp(fading.mul(t).mul(-1)))
                .mul(strength)
                .sum(0);
            const soft = np.minimum(t.mul(400), 1); // no click at the beginning
            return all.mul(soft).div(np.sum(strength)).mul(0.9);
        });
        const spectrum = jit(x => np.abs(np.fft.rfft(x.slice([0, RATE]))));
        const make = (name, note) => sound(note, np.array(bells[name]));
        const show = x => {
            const data = x.dataSync(),
                {width, height} = {width: 512, height: 160};
            context.fillStyle = '#10131f';
            context.fillRect(0, 0, width, height);
            context.strokeStyle = '#7fe0ff';
            context.beginPath();
            for (let i = 0; i < width; i++) context.lineTo(i, height / 2 - 70 * data[i * 2]);
            context.stroke();
            const lines = spectrum(x).dataSync().slice(0, 3000);
            plot({
                series: [{y: lines, x: Float64Array.from(lines, (_, i) => i), name: 'strength'}],
                xlabel: 'Hz',
                ylabel: 'strength',
                title: 'Spectrum',
            });
            return data;
        };
        const ring = () => {
            const x = make(values.sound, values.note);
            play(show(x), RATE);
            status(`${values.sound}, ${Math.round(values.note)} Hz`);
            x.dispose();
        };
        show(make(values.sound, values.note));
        return {
            changed(name) {
                if (name === 'play') ring();
                else show(make(values.sound, values.note));
            },
            key(key) {
                if (key in notes) {
                    values.note = 220 * 2 ** ((notes[key] + 3) / 12);
                    ring();
                }
            },
            async check() {
                return np.argmax(spectrum(make('Tone', 440))).item();
            },
        };
    },
};

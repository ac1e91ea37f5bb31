// SPDX-License-Identifier: Apache-2.0
// search.mjs -- search by meaning: descriptions of functions and a question become short vectors (latent semantic
// analysis, S. Deerwester and others, 1990), and the descriptions whose directions are nearest are shown.

const WORDS = 700,
    PARTS = 64,
    ROUNDS = 6;
const few = new Set('and are for from that the this where which with not its one two'.split(' '));
const stem = w => (w.length > 4 ? w.replace(/(ies|es|s|ing|ed)$/, '') : w);
const wordsOf = text =>
    text
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(/[^a-z]+/)
        .filter(w => w.length > 2 && !few.has(w))
        .map(stem);

export default {
    title: 'Search by meaning',
    about:
        'The descriptions of a thousand functions become vectors of 64 numbers, by the singular vectors of the table of ' +
        'which word is in which; so does what you ask for. What points the same way is found, also where no word is the same.',
    size: null,
    label: null,
    controls: [
        {name: 'question', label: 'What do you look for?', kind: 'text', value: 'smallest distance between points'},
    ],
    // NumPy: np.linalg.svd([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 0, 0, 2.]])[1][0] ** 2
    check: {expected: 5.855773, tolerance: 1e-4, of: 'the largest singular value of a small table, squared'},

    async setup({kiln, values, print, plot, status, url}) {
        const {np, jit, random} = kiln;
        // The first k right singular vectors of x and their values, by iterating on a subspace.
        const singular = (x, k, rounds = ROUNDS) => {
            const both = np.matmul(x.transpose(), x),
                turn = jit((a, q) => np.linalg.qr(np.matmul(a, q))[0]);
            let q = np.linalg.qr(random.normal(random.key(0), [x.shape[1], k]))[0];
            for (let i = 0; i < rounds; i++) q = turn(both, q);
            return {q, values: np.sqrt(np.square(np.matmul(x, q)).sum(0))};
        };
        const before = performance.now();
        const names = await (await fetch(url('../lib/names.json'))).json();
        const all = Object.entries(names).filter(([, [, text]]) => text);
        const texts = all.map(([name, [, text]]) => wordsOf(`${name} ${text}`));
        const count = new Map();
        for (const t of texts) for (const w of new Set(t)) count.set(w, (count.get(w) ?? 0) + 1);
        const words = [...count]
            .filter(([, n]) => n > 1)
            .sort((a, b) => b[1] - a[1])
            .slice(0, WORDS)
            .map(([w]) => w);
        const at = new Map(words.map((w, i) => [w, i]));
        const rare = words.map(w => Math.log(texts.length / count.get(w)));
        const row = t => {
            const v = new Float32Array(words.length);
            for (const w of t) if (at.has(w)) v[at.get(w)] += rare[at.get(w)];
            return v;
        };
        const table = new Float32Array(texts.length * words.length);
        texts.forEach((t, i) => table.set(row(t), i * words.length));
        const unit = y => y.div(np.sqrt(np.square(y).sum(-1, {keepdims: true})).add(1e-6));
        const x = unit(np.array(table).reshape([texts.length, words.length])),
            {q} = singular(x, PARTS);
        const places = unit(np.matmul(x, q));
        const near = jit(v => np.matmul(places, unit(np.matmul(v, q))));
        const search = question => {
            const scores = near(np.array(row(wordsOf(question)))).dataSync();
            return [...scores.keys()]
                .sort((a, b) => scores[b] - scores[a])
                .slice(0, 8)
                .map(i => [all[i][0], all[i][1][1], scores[i]]);
        };
        const show = question => {
            const found = search(question);
            print(
                `${question}\n${found
                    .map(([name, text, score]) => `  ${score.toFixed(2)}  ${name}: ${text}`)
                    .join('\n')}`,
            );
            plot({
                series: [{y: found.map(f => f[2]), kind: 'bars'}],
                xlabel: 'place',
                ylabel: 'nearness',
                title: question,
            });
        };
        const seconds = ((performance.now() - before) / 1000).toFixed(1);
        status(`${all.length} descriptions, ${words.length} words, learned in ${seconds} s`);
        show(values.question);
        return {
            changed(name, value) {
                if (String(value).trim()) show(String(value));
            },
            async check() {
                const x = np.array([
                    [1, 1, 0, 0],
                    [1, 0, 1, 0],
                    [0, 1, 1, 1],
                    [0, 0, 0, 2],
                ]);
                return np.square(singular(x, 2, 40).values.max()).item();
            },
        };
    },
};

// SPDX-License-Identifier: Apache-2.0
// transformer.mjs -- a small transformer learns to write a sequence backwards: attention, layer norms, Adam with a
// schedule, one compiled step.
import {init, jit, nn, np, optim, random, tidy, valueAndGrad} from 'kiln-arrays';

await init();
const WORDS = 12, LENGTH = 8, WIDTH = 32, HEADS = 4, BATCH = 64, STEPS = 150;

const key = random.key(0);
let used = 0;
const weights = (n, m) => nn.initializers.glorotNormal()(random.foldIn(key, ++used), [n, m]);
const norm = () => ({scale: np.ones([WIDTH]), shift: np.zeros([WIDTH])});
const layer = () => ({
    before: norm(), qkv: weights(WIDTH, 3 * WIDTH), out: weights(WIDTH, WIDTH),
    between: norm(), up: weights(WIDTH, 4 * WIDTH), down: weights(4 * WIDTH, WIDTH),
});
let net = {words: weights(WORDS, WIDTH), places: weights(LENGTH, WIDTH), layers: [layer(), layer()], last: norm(),
    read: weights(WIDTH, WORDS)};

const normed = (x, {scale, shift}) => nn.standardize(x).mul(scale).add(shift);
function attention(x, {qkv, out}) {
    const [q, k, v] = np.split(x.matmul(qkv), 3, -1).map(a => a.reshape([-1, LENGTH, HEADS, WIDTH / HEADS]));
    return nn.dotProductAttention(q, k, v).reshape([-1, LENGTH, WIDTH]).matmul(out);
}
function logits(net, text) {
    let x = np.take(net.words, text, 0).add(net.places);
    for (const l of net.layers) {
        x = x.add(attention(normed(x, l.before), l));
        x = x.add(nn.gelu(normed(x, l.between).matmul(l.up)).matmul(l.down));
    }
    return normed(x, net.last).matmul(net.read);
}
const loss = (net, text) => np.mean(optim.softmaxCrossEntropyWithIntegerLabels(logits(net, text), np.flip(text, 1)));

const rate = optim.warmupCosineDecaySchedule(0, 1e-2, 20, STEPS);
const optimizer = optim.chain(optim.clipByGlobalNorm(1), optim.adamw(rate, {weightDecay: 1e-4}));
let state = optimizer.init(net);
const step = jit((net, state, text) => {
    const [value, slope] = valueAndGrad(loss)(net, text);
    const [updates, next] = optimizer.update(slope, state, net);
    return [value, optim.applyUpdates(net, updates), next];
});
const sample = (i, n) => random.randint(random.foldIn(random.key(1), i), [n, LENGTH], 0, WORDS);

for (let i = 0; i < STEPS; i++) {
    let value;
    [value, net, state] = tidy(() => step(net, state, sample(i, BATCH)));
    if (i === 0) console.log(`loss ${value.item().toFixed(4)} at first`);
    if (i === 1) console.log(`     ${value.item().toFixed(4)} after a step`);
}
const text = sample(1000, 256), written = np.argmax(logits(net, text), -1);
const right = np.mean(written.equal(np.flip(text, 1))).item();
console.log(`${right > 0.99 ? 'more' : 'less'} than 99 % of new words are written right`);

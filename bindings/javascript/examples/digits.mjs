// SPDX-License-Identifier: Apache-2.0
// digits.mjs -- a network of two layers learns handwritten digits: node digits.mjs data/digits.npz
import {init, jit, lax, nn, np, optim, random, tidy, valueAndGrad} from 'kiln-arrays';

await init();
const file = await np.load(process.argv[2] ?? 'digits.npz');
const images = (await file.get('images')).reshape([-1, 64]).astype('float32').div(16);
const labels = (await file.get('labels')).astype('int32');
const train = {images: images.slice([0, 1437]), labels: labels.slice([0, 1437])};
const test = {images: images.slice([1437, null]), labels: labels.slice([1437, null])};

const logits = (net, x) => nn.relu(x.matmul(net.w1).add(net.b1)).matmul(net.w2).add(net.b2);
function loss(net, batch) {
    const logP = nn.logSoftmax(logits(net, batch.images));
    return np.mean(np.takeAlongAxis(logP, np.expandDims(batch.labels, -1), -1)).neg();
}

const key = random.key(0);
let net = {
    w1: random.normal(random.foldIn(key, 1), [64, 128]).mul(0.15), b1: np.zeros([128]),
    w2: random.normal(random.foldIn(key, 2), [128, 10]).mul(0.1), b2: np.zeros([10]),
};
const adam = optim.adam(3e-3);
let state = adam.init(net);

// A step is one compiled function, of the parameters, the optimizer's state and the batch.
const step = jit((net, state, batch) => {
    const [value, slope] = valueAndGrad(loss)(net, batch);
    const [updates, next] = adam.update(slope, state, net);
    return [value, optim.applyUpdates(net, updates), next];
});

for (let epoch = 0; epoch < 30; epoch++) {
    let total = 0;
    const order = random.permutation(random.foldIn(key, 100 + epoch), 1437);
    for (let i = 0; i + 128 <= 1437; i += 128) {
        let value;
        [value, net, state] = tidy(() => {
            const rows = lax.dynamicSlice(order, [i], [128]);
            const batch = {images: np.take(train.images, rows, 0), labels: np.take(train.labels, rows, 0)};
            return step(net, state, batch);
        });
        total += value.item();
    }
    if (epoch % 10 === 9) console.log(`epoch ${epoch + 1}: loss ${(total / 11).toFixed(3)}`);
}
const right = np.mean(np.argmax(logits(net, test.images), -1).equal(test.labels)).item();
console.log(`accuracy ${right >= 0.97 ? 'at least' : 'below'} 97 %`);

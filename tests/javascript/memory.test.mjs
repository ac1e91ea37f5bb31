// SPDX-License-Identifier: Apache-2.0
// memory.test.mjs -- arrays' lives: many operations at constant memory, by `using`, by tidy(), by the collector alone.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';
import {close, kiln, np} from './support.mjs';

const {tidy, keep, liveCount, memory} = kiln;
await kiln.init();
const many = Number(process.env.KILN_TEST_OPERATIONS ?? 1e5);

/** Memory and live arrays before and after f, run once before to fill caches. */
function constant(f, n) {
    f(Math.min(n, 2000));
    const before = memory();
    f(n);
    const after = memory();
    assert.equal(after.arrays, before.arrays);
    assert.equal(after.bytes, before.bytes);
}

test('operations with dispose() at constant memory', () => {
    const x = np.arange(100).astype('float32');
    constant(n => {
        for (let i = 0; i < n; i++) {
            const y = x.add(1), z = y.mul(2);
            y.dispose();
            assert.ok(!z.isDisposed);
            z.dispose();
        }
    }, many / 2);
});
test('operations in tidy() at constant memory', () => {
    const x = np.ones(100);
    constant(n => {
        for (let i = 0; i < n; i += 10) {
            const y = tidy(() => {
                let s = x;
                for (let k = 0; k < 10; k++) s = s.add(k);
                return s;
            });
            y.dispose();
        }
    }, many);
});
test('calls of a jitted function in tidy() at constant memory', () => {
    const f = kiln.jit((a, b) => ({s: a.mul(b).sum(), d: a.sub(b)})), x = np.ones(16);
    constant(n => {
        for (let i = 0; i < n; i++) tidy(() => f(x, x).s.item());
    }, many / 5);
});
test('reading does not keep anything', () => {
    const x = np.ones([10, 10]);
    constant(n => {
        for (let i = 0; i < n; i++) {
            x.dataSync();
            x.js();
        }
    }, 2000);
});
test('functions that fail keep nothing', () => {
    const x = np.ones(3), bad = np.ones(4);
    constant(n => {
        for (let i = 0; i < n; i++) {
            assert.throws(() => x.add(bad));
            assert.throws(() => np.concatenate([x, np]));
            assert.throws(() => x.slice(9));
            assert.throws(() => x.at(0).set(bad));
        }
    }, 500);
});
test('tidy keeps the tree that is returned, disposes of the rest, also when the function throws', () => {
    let inner, kept;
    const [a, {b}] = tidy(() => {
        inner = np.ones(2);
        kept = keep(np.zeros(2));
        return [inner.add(1), {b: tidy(() => inner.mul(3))}];
    });
    close(a, [2, 2]);
    close(b, [3, 3]);
    close(kept, [0, 0]);
    assert.ok(inner.isDisposed);
    assert.throws(() => inner.add(1), {name: 'ValueError', message: /disposed/});
    const before = liveCount();
    assert.throws(() => tidy(() => {
        np.ones(5).add(1);
        throw new Error('mine');
    }), {message: 'mine'});
    assert.equal(liveCount(), before);
    assert.throws(() => tidy(async () => np.ones(1)), TypeError);
});
test('what a jitted function or a derivative made in tidy() works after it', () => {
    const f = kiln.jit(x => x.mul(np.array([1, 2])));
    tidy(() => f(np.array([1, 1])).js());
    close(f(np.array([3, 3])), [3, 6]);
    const g = kiln.grad(x => tidy(() => x.mul(x).sum()));
    close(g(np.array([1, 2])), [2, 4]);
});
test('dispose() once for each reference; twice is as once', () => {
    const x = np.ones(3), y = x.ref;
    assert.equal(x.refCount, 2);
    x.dispose();
    close(y, [1, 1, 1]);
    y.dispose();
    y.dispose();
    assert.ok(x.isDisposed);
    assert.equal(x.refCount, 0);
    assert.throws(() => x.shape.length && x.js(), {name: 'ValueError'});
});
test('a view keeps the memory that it shows', () => {
    const x = np.arange(10), y = x.slice([2, 4]);
    x.dispose();
    assert.deepEqual(y.js(), [2, 3]);
});
test('Symbol.dispose gives an array back', {skip: !Symbol.dispose}, () => {
    const before = liveCount(), x = np.ones(3);
    assert.equal(liveCount(), before + 1);
    x[Symbol.dispose]();
    assert.equal(liveCount(), before);
});
test('arrays that nobody disposes of go when the loop waits now and then', async () => {
    const x = np.ones(1000), before = liveCount();
    let most = 0;
    const rounds = many / 1000;
    for (let i = 0; i < rounds; i++) {
        for (let k = 0; k < 1000; k++) x.add(k);
        globalThis.gc?.();
        await wait(0);
        if (i > rounds / 2) most = Math.max(most, memory().bytes);
        else most = memory().bytes;
    }
    for (let i = 0; i < 50 && liveCount() > before + 100; i++) {
        globalThis.gc?.();
        await wait(10);
    }
    if (globalThis.gc) assert.ok(liveCount() <= before + 100, `${liveCount()} arrays are left of ${many}`);
    assert.ok(memory().bytes <= most + 2 ** 26, 'the memory grows');
});
test('large arrays that nobody disposes of go while the loop awaits results', async () => {
    const x = np.ones(2 ** 20), f = kiln.jit(a => a.add(1));
    for (let i = 0; i < 1200; i++) await f(x).blockUntilReady(); // 5 GB: more than a module can have
});
test('functions that nobody disposes of go while the loop awaits', async () => {
    const x = np.ones(16), before = memory().used;
    let most = 0;
    for (let i = 0; i < many / 5; i++) {
        kiln.jit(a => a.mul(2).add(1))(x);
        if (i % 10 === 0) await wait(0);
        most = Math.max(most, memory().used);
    }
    assert.ok(most - before < 2 ** 27, `${most - before} bytes more`);
});

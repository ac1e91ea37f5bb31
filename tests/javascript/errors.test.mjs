// SPDX-License-Identifier: Apache-2.0
// errors.test.mjs -- errors have NumPy's kinds and texts, and the line of the program that made the call, also where it
// ran later or inside of a jitted function.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, kiln, load, np} from './support.mjs';

const {jit, grad, settings} = kiln;
const {frameOf} = await load('kiln/place.js'), {shortName} = await load('kiln/errors.js');
const me = shortName(import.meta.url);
/** The number of the line that calls. */
const line = () => {
    const frames = new Error().stack.split('\n');
    return +/:(\d+):\d+\)?$/.exec(frames[frames[0].startsWith('Error') ? 2 : 1])[1];
};
const errorOf = f => {
    try {
        const y = f();
        y?.js?.();
    } catch (e) {
        return e;
    }
    return assert.fail('no error');
};

test('kinds are classes; a TypeError is JavaScript\'s', () => {
    const e = errorOf(() => np.add([1, 2], [1, 2, 3]));
    assert.ok(e instanceof kiln.ValueError && e instanceof kiln.KilnError && e instanceof Error);
    assert.match(e.message, /operands could not be broadcast together with shapes \(2,\) \(3,\)/);
    assert.ok(errorOf(() => np.sin('a')) instanceof TypeError);
    assert.equal(errorOf(() => np.ones(2).slice(5)).name, 'IndexError');
    assert.equal(errorOf(() => np.sum([1], 3)).name, 'AxisError');
    assert.equal(errorOf(() => np.linalg.inv(np.zeros([2, 2]))).name, 'LinAlgError');
    assert.equal(errorOf(() => np.linalg.cholesky([[0, 1], [1, 0]])).name, 'LinAlgError');
});
test('arguments that a function does not have', () => {
    assert.throws(() => np.sum([1], {axes: 0}), {name: 'TypeError', message: /unexpected argument 'axes'/});
    assert.throws(() => np.sin(), {message: /misses its argument 'x'/});
    assert.throws(() => np.sum([1], 0, {axis: 0}), {message: /'axis' twice/});
    assert.throws(() => np.allclose([1], [1], 0, 0, false, 3), {message: /by position/});
    assert.throws(() => np.pad([1], 1, {mode: 'edge', constantValues: 1}), {message: /unsupported keyword/});
    assert.throws(() => np.histogram([1], {bin: 3}), {message: /unexpected argument 'bin'/});
    assert.throws(() => np.zeros([1.5]), TypeError);
    assert.throws(() => np.zeros([-1]), {name: 'ValueError'});
    assert.throws(() => np.reshape([1, 2], 'a'), TypeError);
    assert.throws(() => np.sum([1], {axis: 'a'}), TypeError);
    assert.equal(np.nothing, undefined);
});
// Not as `return f(x)`: JavaScriptCore's tail calls leave no frame.
test('the line of the call', () => {
    const l = line(), e = errorOf(() => { np.add([1, 2], [1, 2, 3]); });
    assert.deepEqual([e.file, e.line], [me, l]);
    const m = line(), f = errorOf(() => { np.ones([2]).slice(0).add(1).reshape([2, 2]); });
    assert.deepEqual([f.file, f.line], [me, m]);
    const n = line(), g = errorOf(() => { np.einsum('ij,j', [[1, 2]], [1, 2, 3]); });
    assert.deepEqual([g.file, g.line], [me, n]);
    const o = line(), h = errorOf(() => { np.ones(2).iadd([1, 2, 3]); });
    assert.deepEqual([h.file, h.line], [me, o]);
    const p = line(), q = errorOf(() => { np.ones(2).at(0).set([1, 2, 3]); });
    assert.deepEqual([q.file, q.line], [me, p]);
});
test('the stack shows the program alone', () => {
    const {stack} = errorOf(() => np.add([1, 2], [1, 2, 3]));
    const frames = stack.split('\n').filter(f => !f.startsWith('ValueError'));
    assert.match(frames[0], /errors\.test\.mjs/);
    assert.ok(!stack.includes('/kiln/call.js'), stack);
    const deep = errorOf(() => np.vectorize(v => np.pad([v], 1, {mode: 'nothing'}))([1])).stack;
    assert.ok(!deep.includes('/kiln/signature.js') && deep.includes('errors.test.mjs'), deep);
});
test('what runs later names the line that was recorded', () => {
    let l;
    const f = jit((x, i) => {
        const y = x.mul(2);
        l = line() + 1;
        return [y.slice(i)];
    });
    const e = errorOf(() => f(np.ones(3), np.array(7, {dtype: 'int32'})));
    assert.equal(e.name, 'IndexError');
    assert.deepEqual([e.file, e.line], [me, l]);
    const there = `errors\\.test\\.mjs:${l} \\(recorded there\\)|\\(recorded there\\)@.*errors\\.test\\.mjs:${l}:`;
    assert.match(e.stack, new RegExp(there));
    close(f(np.ones(3), np.array(1, {dtype: 'int32'})), [2]);
    const i = np.array([5], {dtype: 'int32'}).add(1);
    const m = line(), late = errorOf(() => { np.take(np.ones(3), i).js(); });
    assert.deepEqual([late.name, late.file, late.line], ['IndexError', me, m]);
});
test('errors inside of jit and grad come from the line inside', () => {
    let l;
    const f = x => {
        l = line() + 1;
        return x.add([1, 2, 3]).sum();
    };
    for (const g of [jit(f), grad(f), jit(grad(f))]) {
        const e = errorOf(() => g(np.ones(2)));
        assert.deepEqual([e.name, e.file, e.line], ['ValueError', me, l]);
    }
    assert.equal(errorOf(() => jit(x => x.item())(np.ones(1))).name, 'ConcretizationError');
    assert.equal(errorOf(() => jit(x => (x.greater(0).item() ? x : x))(np.ones([]))).name, 'ConcretizationError');
});
test('Kiln works after an error, and what a user function throws comes out as it is', () => {
    const boom = {reason: 'mine'};
    for (const f of [jit(() => { throw boom; }), grad(() => { throw boom; })]) {
        try {
            f(np.ones(1));
            assert.fail();
        } catch (e) {
            assert.equal(e, boom);
        }
        close(np.ones(2).add(1), [2, 2]);
    }
});
test('without lines errors have none', () => {
    settings.lines = false;
    try {
        assert.equal(errorOf(() => np.add([1, 2], [1, 2, 3])).name, 'ValueError');
    } finally {
        settings.lines = true;
    }
});
test("frames of V8's, SpiderMonkey's and JavaScriptCore's stacks", () => {
    const inside = 'http://localhost:8000/pkg/';
    const v8 = `Error
    at here (http://localhost:8000/pkg/kiln/place.js:80:9)
    at add (http://localhost:8000/pkg/kiln/call.js:10:1)
    at wasm://wasm/00aabb:wasm-function[77]:0x1234
    at async main (http://localhost:8000/app/main.js?v=3:12:34)
    at http://localhost:8000/app/main.js:40:1`;
    assert.deepEqual(frameOf(v8, inside), {file: 'app/main.js', line: 12, name: 'main'});
    assert.deepEqual(frameOf('Error\n    at http://localhost:8000/app/main.js:40:1', inside),
        {file: 'app/main.js', line: 40, name: ''});
    assert.deepEqual(frameOf('Error\n    at new Model (file:///home/me/a b.mjs:3:5)', inside),
        {file: '/home/me/a b.mjs', line: 3, name: 'new Model'});
    const spidermonkey = `here@http://localhost:8000/pkg/kiln/place.js:80:9
add@http://localhost:8000/pkg/kiln/call.js:10:1
@http://localhost:8000/pkg/kiln/kiln.wasm:wasm-function[77]:0x1234
train/step<@http://localhost:8000/app/main.js:12:34
@http://localhost:8000/app/main.js:40:1
`;
    assert.deepEqual(frameOf(spidermonkey, inside), {file: 'app/main.js', line: 12, name: 'train/step<'});
    const javascriptcore = `here@http://localhost:8000/pkg/kiln/place.js:80:18
<?>.wasm-function[77]@[wasm code]
wasm-stub@[wasm code]
@http://localhost:8000/app/main.js:7:34
module code@http://localhost:8000/app/main.js:40:1`;
    assert.deepEqual(frameOf(javascriptcore, inside), {file: 'app/main.js', line: 7, name: ''});
    assert.equal(frameOf('', inside), null);
    assert.equal(frameOf('Error: something\n    at <anonymous>', inside), null);
});
test('sizes beyond 32 bits are told whole', () => {
    const f = kiln.jit(x => {
        const b = np.arange(0, 2 ** 28, 1, {dtype: 'int32'}).add(x), a = [1, 2, 3, 4, 5].map(i => np.sort(b.mul(i)));
        return a.slice(1).reduce((s, y, i) => s.add(np.roll(y, i)), np.flip(a[0])).slice([0, 3]);
    });
    assert.throws(() => f(np.array(1, {dtype: 'int32'})), {name: 'MemoryError', message: /Unable to allocate \d\.\d\d GiB/});
});

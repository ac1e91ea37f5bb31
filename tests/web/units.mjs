// SPDX-License-Identifier: Apache-2.0
// units.mjs -- modules of the site that need no page, in Node: the lexer, what is changed in programs, completions,
// shared programs, files in memory.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {test} from 'node:test';
import {MemoryFiles} from '../../bindings/javascript/memory-files.mjs';
import {Completer} from '../../bindings/javascript/site/lib/complete.mjs';
import {pixels} from '../../bindings/javascript/site/lib/image.mjs';
import {highlight, tokens} from '../../bindings/javascript/site/lib/lexer.mjs';
import {as_line, as_module, declared, place, prelude} from '../../bindings/javascript/site/lib/program.mjs';
import {decode, encode} from '../../bindings/javascript/site/lib/share.mjs';

const kinds = text => tokens(text).filter(t => t.type !== 'space').map(t => `${t.type} ${t.text}`);

test('tokens are all of a text, of any text', () => {
    const own = fs.readdirSync(new URL('.', import.meta.url)).filter(f => f.endsWith('.mjs')).map(
        f => fs.readFileSync(new URL(f, import.meta.url), 'utf8'));
    for (const text of [...own, 'a = `x${b + `y${c}`}z', "'open", '/* open', 'x = /a[/]b/g / 2', '`${', '}}}',
        '\u{1f600}"\\'])
        assert.equal(tokens(text).map(t => t.text).join(''), text);
});
test('a slash begins a regular expression where a value may stand', () => {
    assert.deepEqual(kinds('a / b / c'), ['name a', 'sign /', 'name b', 'sign /', 'name c']);
    assert.deepEqual(kinds('return /b[/]c/g'), ['keyword return', 'regex /b[/]c/g']);
    assert.deepEqual(kinds('f(1) / 2 / g'),
        ['name f', 'sign (', 'number 1', 'sign )', 'sign /', 'number 2', 'sign /', 'name g']);
});
test('templates hold programs', () => {
    assert.deepEqual(kinds('`a${b}c`'), ['string `a${', 'name b', 'string }c`']);
    assert.equal(tokens('`${{a: 1}}`').find(t => t.text === 'a').depth, 2);
});
test('words behind a dot are names', () =>
    assert.deepEqual(kinds('x.of.new'), ['name x', 'sign .', 'name of', 'sign .', 'name new']));
test('what is highlighted is escaped', () =>
    assert.equal(highlight('"<b>" && 1'), '<span class="s">"&lt;b&gt;"</span> &amp;&amp; <span class="n">1</span>'));

test('declared names: patterns, lists, functions, classes, imports; not those inside', () => {
    const text = `import k, {np as n, grad} from 'kiln'; import * as q from 'x';
        const {a, b: c = f(1, 2), ...d} = e, g = [1, 2], [h, , i = 3] = j
        let l = 2
        async function m() { const no = 1 }
        function* o() {} class p {}
        for (const no of x) { let no }
        var r = async () => { const no = 1 }, s`;
    assert.deepEqual(declared(text), ['k', 'n', 'grad', 'q', 'a', 'c', 'd', 'g', 'h', 'i', 'l', 'm', 'o', 'p', 'r',
        's']);
});
test('packages are addresses in imports alone, and lines stay', () => {
    const made = as_module("import {np} from 'kiln'; const s = 'kiln'\nawait import('kiln')", {kiln: 'http://h/k.js'});
    const want = `${prelude}import {np} from "http://h/k.js"; const s = 'kiln'\nawait import("http://h/k.js")\n`;
    assert.equal(made.slice(0, want.length), want);
});
test('a line: declarations become global, an object is no block', () => {
    assert.equal((0, eval)(as_line('const u1 = 2, {u2} = {u2: 3}; u1 * u2', {}).text), 6);
    assert.equal((0, eval)(as_line('u1 + u2', {}).text), 5);
    assert.deepEqual((0, eval)(as_line('{a: 1}', {}).text), {a: 1});
    assert.equal((0, eval)(as_line('class U3 {}', {}).text) ?? typeof globalThis.U3, 'function');
});
test('a line that waits', async () => {
    assert.equal(await (0, eval)(as_line('await Promise.resolve(4)', {}).text), 4);
    await (0, eval)(as_line('const u4 = await Promise.resolve(5)', {}).text);
    assert.equal(globalThis.u4, 5);
});
test('places of errors, of both kinds of stacks', () => {
    assert.deepEqual(place('Error: x\n    at f (blob:http://a/b-c:3:5)', 'blob:http://a/b-c'), {line: 3, column: 5});
    assert.deepEqual(place(`f@blob:http://a/b-c:1:${prelude.length + 7}\n`, 'blob:http://a/b-c'), {line: 1, column: 7});
    assert.equal(place('Error\n at other.js:1:1', 'blob:http://a/b-c'), null);
});

test('completions know modules, arrays and the names of the program', () => {
    const c = new Completer();
    c.names = {globals: ['np', 'jit'], array: ['reshape', 'sum'], np: ['sin', 'sinh', 'linalg'],
        'np.linalg': ['solve']};
    c.docs = {'np.sin': ['sin(x)', 'the sine.']};
    const of = text => c.complete(text, text.length, false)?.items.map(i => i.name) ?? null;
    assert.deepEqual(of('np.si'), ['sin', 'sinh']);
    assert.deepEqual(of('np.linalg.s'), ['solve']);
    assert.deepEqual(of('const weights = 1; wei'), ['weights']);
    assert.deepEqual(of('f(x).resh'), ['reshape']);
    assert.equal(of('np'), null, 'what is complete needs no list');
    assert.equal(of('3.'), null);
    assert.deepEqual(c.told('np.sin(x', 8), ['sin(x)', 'the sine.'], 'among its arguments');
});

test('a program in an address comes back', async () => {
    for (const text of ['', 'print("Größe 😀")', 'x'.repeat(100000)])
        assert.equal(await decode(await encode(text)), text);
    assert.ok((await encode('x'.repeat(100000))).length < 400, 'it is compressed');
    for (const damaged of ['', '#code=', '#code=%%%', '#code=AAAA', '#other=1'])
        assert.equal(await decode(damaged), null);
});

test('pixels: bytes as they are, numbers from 0 to 1, a range, not a number', () => {
    assert.deepEqual([...pixels(Uint8Array.of(7, 255), [1, 2])], [7, 7, 7, 255, 255, 255, 255, 255]);
    assert.deepEqual([...pixels([0.5, NaN], [1, 2])], [128, 128, 128, 255, 0, 0, 0, 255]);
    assert.deepEqual([...pixels([10, 20], [1, 2], {range: 'auto'})].filter((_, i) => i % 4 === 0), [0, 255]);
    assert.deepEqual([...pixels([1, 0, 0.5], [1, 1, 3])], [255, 0, 128, 255]);
    assert.throws(() => pixels([1], [2, 2]), /shape/);
});

test('files in memory: as Node has them', () => {
    const f = new MemoryFiles(), {O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_RDONLY} = f.constants,
        code = want => e => e.code === want;
    f.put('/d/a', Uint8Array.of(1, 2, 3));
    const fd = f.openSync('/d/b', O_RDWR | O_CREAT);
    assert.equal(f.writeSync(fd, Uint8Array.of(5, 6, 7), 1, 2, 4), 2);
    assert.deepEqual([...f.readFileSync('d/b')], [0, 0, 0, 0, 6, 7], 'a hole has zeros');
    f.ftruncateSync(fd, 5);
    f.ftruncateSync(fd, 6);
    assert.deepEqual([...f.readFileSync('d/b')], [0, 0, 0, 0, 6, 0], 'what was cut off is not there again');
    const to = new Uint8Array(4);
    assert.equal(f.readSync(fd, to, 0, 4, 4), 2);
    f.closeSync(fd);
    assert.throws(() => f.readSync(fd, to, 0, 4, 0), code('EBADF'));
    assert.throws(() => f.openSync('/d/b', O_RDWR | O_CREAT | O_EXCL), code('EEXIST'));
    assert.throws(() => f.openSync('/e', O_RDONLY), code('ENOENT'));
    assert.throws(() => f.openSync('/d/a/x', O_RDONLY), code('ENOTDIR'));
    assert.throws(() => f.rmdirSync('/d'), code('ENOTEMPTY'));
    assert.throws(() => f.unlinkSync('/d'), code('EISDIR'));
    f.closeSync(f.openSync('/d/a', O_RDWR | O_TRUNC));
    assert.equal(f.statSync('/d/a').size, 0);
    f.renameSync('/d/a', '/c');
    assert.deepEqual(f.readdirSync('/').map(e => [e.name, e.isDirectory()]), [['d', true], ['c', false]]);
    assert.ok(f.existsSync('/d/../c') && !f.existsSync('/d/a'));
});

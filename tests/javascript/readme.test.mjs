// SPDX-License-Identifier: Apache-2.0
// readme.test.mjs -- the programs of the package's README run as they stand there, and print what the comments say.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {packageFolder} from './support.mjs';

const text = readFileSync(join(packageFolder, 'README.md'), 'utf8');
const programs = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(m => m[1]);
/** As Node prints it, in one line and without blanks in brackets. */
const plain = s => s.replace(/\s+/g, ' ').replace(/([[{(]) /g, '$1').replace(/ ([\]})])/g, '$1').trim();

test('there are programs', () => assert.equal(programs.length, 5));
programs.forEach((program, i) => test(`program ${i + 1}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-readme-'));
    try {
        mkdirSync(join(folder, 'node_modules'));
        symlinkSync(packageFolder, join(folder, 'node_modules/kiln-arrays'));
        writeFileSync(join(folder, 'first.mjs'), program);
        const out = execFileSync(process.execPath, ['first.mjs'], {cwd: folder, encoding: 'utf8'});
        const said = [...program.matchAll(/console\.log\(.*?\/\/ (.*)$/gm)].map(m => m[1]);
        assert.equal(plain(out), plain(said.join(' ')));
    } finally {
        rmSync(folder, {recursive: true});
    }
}));
test('the first program has ten lines', () =>
    assert.ok(programs[0].split('\n').filter(l => l.trim()).length <= 10));

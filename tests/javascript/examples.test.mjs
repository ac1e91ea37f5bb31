// SPDX-License-Identifier: Apache-2.0
// examples.test.mjs -- the package's examples print what stands beside them.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {packageFolder} from './support.mjs';

const folder = fileURLToPath(new URL('../../bindings/javascript/examples/', import.meta.url));
const data = fileURLToPath(new URL('../../data/digits.npz', import.meta.url));
const kiln = pathToFileURL(join(packageFolder, 'kiln/index.js')).href;

for (const name of readdirSync(folder).filter(n => n.endsWith('.mjs'))) {
    test(name, () => {
        const out = mkdtempSync(join(tmpdir(), 'kiln-example-'));
        try {
            const program = join(out, name);
            writeFileSync(program, readFileSync(join(folder, name), 'utf8').replace("'kiln-arrays'", `'${kiln}'`));
            const run = spawnSync(process.execPath, [program, data], {encoding: 'utf8'});
            assert.equal(run.stderr, '');
            assert.equal(run.stdout, readFileSync(join(folder, name.replace(/mjs$/, 'expected')), 'utf8'));
        } finally {
            rmSync(out, {recursive: true, force: true});
        }
    });
}

// SPDX-License-Identifier: Apache-2.0
// jaxjs.test.mjs -- jax-js's own test programs, ported by bindings/javascript/tools/port-jaxjs.mjs: those pass that
// data/jaxjs-known.txt does not name with a reason. Its sources are not here: KILN_JAXJS names a folder with them (else
// build/jaxjs is looked for).
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {packageFolder} from './support.mjs';

const path = name => fileURLToPath(new URL(name, import.meta.url));
const tool = path('../../bindings/javascript/tools/port-jaxjs.mjs');
const strips = typeof (await import('node:module')).stripTypeScriptTypes === 'function';
const sources = process.env.KILN_JAXJS ?? path('../../build/jaxjs');

test('types go and imports become the package', {skip: !strips && 'this Node does not strip types'}, async () => {
    const {port} = await import(tool);
    const {code} = port('import { numpy as np, type Device } from "@jax-js/jax";\n' +
        'import { test } from "vitest";\nconst x: np.Array = np.ones([2]);\n');
    assert.match(code, /const \{ numpy: np,\s*\} = jaxjs;/);
    assert.match(code, /const \{ test \} = vitest;/);
    assert.match(code, /const x\s+= np\.ones/);
    assert.match(port('import { AluExp } from "./alu";').why, /internals of jax-js: it imports \.\/alu/);
});
test("jax-js's test programs", {skip: !(strips && existsSync(join(sources, 'test'))) && 'no sources of jax-js'}, () => {
    const out = mkdtempSync(join(tmpdir(), 'jaxjs-'));
    try {
        const run = spawnSync(process.execPath, ['--no-warnings', tool, sources, '--package', packageFolder, '--out',
            out,
                                                 '--known', path('data/jaxjs-known.txt')], {encoding: 'utf8'});
        assert.equal(run.status, 0, run.stdout.split('\n').filter(l => /^(FAILED|PASSED| {4})/.test(l)).join('\n')
            || run.stderr);
    } finally {
        rmSync(out, {recursive: true, force: true});
    }
});
const programs = path('../../bindings/javascript/tools/port-jaxjs-programs.mjs');
const hasSite = existsSync(join(sources, 'website'));
test("the programs of jax-js's site", {skip: !(strips && hasSite) && 'no sources of jax-js'}, () => {
    const out = mkdtempSync(join(tmpdir(), 'jaxjs-'));
    try {
        const run = spawnSync(process.execPath, ['--no-warnings', programs, sources, '--package', packageFolder,
                                                 '--out', out], {encoding: 'utf8'});
        assert.equal(run.status, 0, run.stdout + run.stderr);
    } finally {
        rmSync(out, {recursive: true, force: true});
    }
});

// SPDX-License-Identifier: Apache-2.0
// rows.test.mjs -- every function of the table that np, lax, scipy and ops have is called by some test.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {test} from 'node:test';
import {kiln, load} from './support.mjs';

await kiln.init();
const [calls, more] = ['numpy-calls', 'more-calls'].map(name =>
    JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url))).calls);
const elsewhere = { // and why
    'kiln.numpy': ['savetxt', 'show_config'], // files and the screen
    'kiln.lax': ['axis_size'], // within vmap
};
test('every function of the table for np, lax, scipy and ops is called by some test', async () => {
    const {rowsOf, camel} = await load('kiln/call.js');
    const here = new URL('.', import.meta.url);
    const text = [...calls, ...more].map(c => c.js).join('\n') + readdirSync(here).filter(f => f.endsWith('.test.mjs'))
        .map(f => readFileSync(new URL(f, here), 'utf8')).join('\n');
    for (const module of ['kiln.numpy', 'kiln.numpy.linalg', 'kiln.numpy.fft', 'kiln.numpy.emath', 'kiln.lax',
        'kiln.lax.linalg',
        'kiln.scipy.special', 'kiln.scipy.linalg', 'kiln.scipy.signal', 'kiln.scipy.fft', 'kiln.scipy.integrate',
        'kiln.ops']) {
        const prefix = module.split('.').slice(1).join('.').replace('numpy', 'np');
        const missing = rowsOf(module).filter(n => !n.startsWith('_') && !text.includes(`${prefix}.${camel(n)}(`));
        assert.deepEqual(missing, elsewhere[module] ?? [], module);
    }
});

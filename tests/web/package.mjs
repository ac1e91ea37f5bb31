// SPDX-License-Identifier: Apache-2.0
// package.mjs -- the tests of the JavaScript package (tests/javascript) in a Worker of a browser; those that need
// processes, or files to write to, run in Node alone.
//     node tests/web/package.mjs chromium|firefox PACKAGE [NAME...]      PACKAGE: the folder of the built package
// KILN_WEB_DEVICE=webgl: the tests run with this default device, but for those that load the package in their own ways.
import fs from 'node:fs';
import path from 'node:path';
import {main, open, root} from './browser.mjs';
import {serve} from './serve.mjs';

const others = '/kiln/tests/web/node/others.mjs';
const known = {
    'node:assert': '/kiln/tests/web/node/assert.mjs', 'node:assert/strict': '/kiln/tests/web/node/assert.mjs',
    'node:test': '/kiln/tests/web/node/test.mjs',
    'node:fs': others, 'node:path': others, 'node:url': others, 'node:v8': others, 'node:vm': others,
    'node:timers/promises': others,
};
const imports = text => [...text.matchAll(/(?:from|import\()\s*'(node:[\w/]+)'/g)].map(m => m[1]);
const served = text => text.replace(/((?:from|import\()\s*)'(node:[\w/]+)'/g,
    (whole, how, name) => (known[name] ? `${how}'${known[name]}'` : whole));

/** Why a file of tests cannot run in a browser, or null. */
function refused(text) {
    const missing = imports(text).filter(name => !known[name]);
    if (missing.length)
        return `it uses ${[...new Set(missing)].join(', ')}`;
    return /\b(?:writeFileSync|mkdtempSync|import fs |import path )/.test(text) ? 'it uses folders' : null;
}

await main(async () => {
    const [name, folder, ...only] = process.argv.slice(2), tests = path.join(root, 'tests/javascript');
    const routes = new Map(), device = process.env.KILN_WEB_DEVICE ?? '';
    for (const file of fs.readdirSync(tests).filter(f => f.endsWith('.mjs')))
        routes.set(`/tests/${file}`, Buffer.from(served(fs.readFileSync(path.join(tests, file), 'utf8'))));
    routes.set('/tests/list.json', Buffer.from(JSON.stringify(fs.readdirSync(tests))));
    const server = await serve({mounts: {'/kiln/': root, '/package/': path.resolve(folder), '/tests/': tests}, routes});
    const browser = await open(name, {gpu: true}), page = await browser.page();
    let failed = 0, passed = 0;
    try {
        await page.goto(`${server.url}/kiln/tests/web/page.html`);
        for (const file of fs.readdirSync(tests).filter(f => f.endsWith('.test.mjs')).sort()) {
            const text = fs.readFileSync(path.join(tests, file), 'utf8'), why = refused(text);
            if (only.length && !only.some(o => file.startsWith(o)))
                continue;
            if (why) {
                console.log(`left   ${file}: ${why}`);
                continue;
            }
            const loads = /^await (?:kiln\.)?init\(/m.test(text); // with options of its own
            if (loads && device)
                continue;
            const {results} = await page.evaluate((f, l, d) => new Promise((done, no) => {
                const worker = new Worker('/kiln/tests/web/package-worker.mjs', {type: 'module'});
                worker.onmessage = e => { worker.terminate(); done(e.data); };
                worker.onerror = e => no(new Error(e.message));
                worker.postMessage({file: f, loads: l, device: d});
            }), file, loads, device);
            const bad = results.filter(r => r.error);
            if (!results.length) {
                console.log(`left   ${file}: it has no tests here`);
                continue;
            }
            console.log(`${bad.length || !results.length ?
                'FAILED' : 'ok    '} ${file}: ${results.length - bad.length} of ${results.length}`);
            bad.forEach(r => console.log(`  ${r.name}\n    ${r.error.split('\n').slice(0, 4).join('\n    ')}`));
            failed += bad.length;
            passed += results.length - bad.length;
        }
        page.complaints.forEach(c => console.log(c));
    } finally {
        await browser.close();
        await server.close();
    }
    console.log(`${passed} passed, ${failed} failed in ${name}`);
    return failed || page.complaints.length || !passed ? 1 : 0;
});

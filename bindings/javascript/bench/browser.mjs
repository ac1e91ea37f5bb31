// SPDX-License-Identifier: Apache-2.0
// browser.mjs -- the same in Chromium without a window: a server of the folders with the headers that threads want, a
// page that measures, and what the page loads in bytes.
import fs from 'node:fs';
import http from 'node:http';
import {createRequire} from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import {fileURLToPath} from 'node:url';

const types = {'.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm',
    '.json': 'application/json'};
const here = path.dirname(fileURLToPath(import.meta.url));

function serve({kilnPackage, peers, machines}) {
    // by another address the same package is another one
    const folders = {bench: here, package: kilnPackage, threads: kilnPackage, peers}, loaded = [], prepared = {};
    const server = http.createServer(async (q, r) => {
        const url = new URL(q.url, 'http://x'), [, first, ...rest] = url.pathname.split('/');
        if (first === 'native') { // the program of this machine takes its turns through here
            const p = url.searchParams, name = p.get('name');
            let answer = null;
            if (p.has('kind')) {
                const {library} = machines.find(m => m.library.name === name);
                answer = prepared[name] = await library.remote.prepare(p.get('kind'), +p.get('n'));
            } else {
                answer = await prepared[name].run(+p.get('times'));
            }
            return r.writeHead(200, {'Content-Type': types['.json']}).end(JSON.stringify(answer));
        }
        const file = folders[first] && path.join(folders[first], ...rest.map(decodeURIComponent));
        if (!file || !file.startsWith(folders[first]) || !fs.existsSync(file) || !fs.statSync(file).isFile())
            return r.writeHead(404).end();
        const bytes = fs.readFileSync(file);
        loaded.push(file);
        return r.writeHead(200, {
            'Content-Type': types[path.extname(file)] ?? 'application/octet-stream', 'Content-Length': bytes.length,
            'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
            'Cache-Control': 'no-store',
        }).end(bytes);
    });
    return new Promise(done => server.listen(0, '127.0.0.1', () =>
        done({server, loaded, base: `http://127.0.0.1:${server.address().port}`})));
}

export async function inBrowser({settings, libraries, machines, log, report, reportFirst, NAMES, first, kilnPackage,
    peers}) {
    const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium', require = createRequire(path.join(peers, 'x.js'));
    if (!fs.existsSync(chromium) || !fs.existsSync(path.join(peers, 'puppeteer-core')))
        return log('no Chromium, or no puppeteer-core: nothing is measured in a browser');
    const puppeteer = require('puppeteer-core');
    const {server, loaded, base} = await serve({kilnPackage, peers, machines});
    const browser = await puppeteer.launch({
        executablePath: chromium, headless: true, protocolTimeout: 3600e3,
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-unsafe-webgpu', '--enable-features=Vulkan'],
    });
    try {
        const open = async () => {
            const page = await browser.newPage();
            page.on('console', m => log(`  page: ${m.text()}`));
            page.on('pageerror', e => log(`  page: ${e.message}`));
            await page.goto(`${base}/bench/page.html`);
            return page;
        };
        const version = await browser.version(), page = await open();
        const rows = await page.evaluate((s, l, n) => globalThis.measureAll(s, l, n), settings, libraries,
            machines.map(m => m.library.name));
        report(version, rows);
        await page.close();
        if (!first) return undefined;
        const all = Object.fromEntries(NAMES.map(n => [n, []])), size = {};
        for (let r = 0; r < 5; r++) {
            for (const name of NAMES) {
                const p = await open();
                loaded.length = 0;
                const got = await p.evaluate(n => globalThis.firstOf(n), name);
                await p.close();
                if (!got) continue;
                all[name].push(got);
                size[name] = sizes(loaded.filter(f => !f.startsWith(here)));
            }
        }
        reportFirst(`First calls, ${version}`, all);
        console.log('\n### Bytes that a page loads\n\n| | files | bytes | with gzip | with Brotli |');
        console.log('|---|---:|---:|---:|---:|');
        for (const [name, s] of Object.entries(size))
            console.log(`| ${name} | ${s.files} | ${s.bytes} | ${s.gzip} | ${s.brotli} |`);
    } finally {
        await browser.close();
        server.close();
    }
    return undefined;
}
const known = new Map();
function sizes(files) {
    const sum = {files: 0, bytes: 0, gzip: 0, brotli: 0};
    for (const f of new Set(files)) {
        if (!known.has(f)) {
            const b = fs.readFileSync(f);
            known.set(f, [b.length, zlib.gzipSync(b, {level: 9}).length,
                          zlib.brotliCompressSync(b, {params: {[zlib.constants.BROTLI_PARAM_QUALITY]: 9}}).length]);
        }
        const [bytes, gzip, brotli] = known.get(f);
        sum.files++, sum.bytes += bytes, sum.gzip += gzip, sum.brotli += brotli;
    }
    return sum;
}

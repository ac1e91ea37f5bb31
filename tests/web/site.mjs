// SPDX-License-Identifier: Apache-2.0
// site.mjs -- the site in a browser, as a visitor uses it: pages load, programs run and give the numbers that they
// shall, nothing complains, all works without a network.
//     node tests/web/site.mjs chromium|firefox FOLDER [--shots FOLDER] [TEST...]      FOLDER: what scripts/make-site.sh
//     made; TEST: a part of a
// test's name ("demo": all demos)
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {main, open} from './browser.mjs';
import {serve} from './serve.mjs';

const sizes = {desktop: {width: 1280, height: 860}, phone: {width: 390, height: 844, isMobile: false}};
const near = (got, want, tolerance, what) =>
    assert.ok(Math.abs(got - want) <= tolerance, `${what}: ${got}, expected ${want} within ${tolerance}`);
const last_number = text => Number(/(-?[\d.]+(?:e[+-]?\d+)?)\s*$/.exec(text)?.[1] ?? NaN);

/** The site as one visitor has it, who has not been here before. */
class Site {
    constructor(browser, context, server, shots) {
        Object.assign(this, {browser, context, server, shots});
    }

    /** A page of the site; it is closed, and its complaints looked at, by `visit`. */
    async visit(address, look, {size = 'desktop'} = {}) {
        const page = await this.browser.page(this.context);
        try {
            await page.setViewport(sizes[size]);
            await page.goto(`${this.server.url}/${address}`);
            await look(page);
            assert.deepEqual(page.complaints, [], 'the page complains');
        } finally {
            await page.close();
        }
    }

    async shot(page, name) {
        if (!this.shots)
            return;
        fs.mkdirSync(this.shots, {recursive: true});
        await page.screenshot({path: path.join(this.shots, `${this.browser.name}-${name}.png`)});
    }
}

/** In the page: what can be used or seen there and has no name for a screen reader. */
function nameless() {
    const of = id => document.getElementById(id)?.textContent ?? '';
    const text = e => [e.getAttribute('aria-label'),
        (e.getAttribute('aria-labelledby') ?? '').split(' ').map(of).join(''),
        e.title, ...[...(e.labels ?? [])].map(l => l.textContent),
        ['SELECT', 'INPUT', 'TEXTAREA'].includes(e.tagName) ? '' : e.textContent];
    return [...document.querySelectorAll('button, a, input, select, textarea, canvas, svg, [role=tabpanel]')]
        .filter(e => !text(e).some(t => t?.trim())).map(e => e.outerHTML.slice(0, 120));
}

/** Waits until the playground has run `n` programs. */
const ran = (page, n) => page.waitForFunction(k => Number(document.body.dataset.runs ?? 0) >= k, {timeout: 120_000}, n);
const output = page => page.$eval('#output', e => e.innerText);

async function demo_ready(page) {
    await page.waitForFunction(() => window.demo);
    await page.evaluate(() => window.demo.ready);
}

/** Waits until a page of any kind is there: the playground has run its program, a demo is set up. */
async function settled(page, address) {
    await page.waitForFunction(() => document.readyState === 'complete');
    if (address.startsWith('playground'))
        await ran(page, 1);
    if (address.includes('?'))
        await demo_ready(page);
}

async function type_program(page, text) {
    await page.focus('#program textarea');
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type(text);
}
async function press_run(page) {
    const before = await page.evaluate(() => Number(document.body.dataset.runs ?? 0));
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await ran(page, before + 1);
}

const tests = {
    async 'the playground runs its first program'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            await site.shot(page, 'playground');
            const text = await output(page);
            near(last_number(text), 2.5, 0.02, text);
            for (const [tab, part] of [['jaxpr', 'lambda'], ['fused', 'inlined'], ['kernels', 'v128.load'],
                ['times', 'first call']]) {
                await page.click(`#tab-${tab}`);
                assert.match(await page.$eval(`#${tab}`, e => e.innerText), new RegExp(part));
                await site.shot(page, `playground-${tab}`);
            }
        });
    },
    async 'programs of the playground give their numbers'(site) {
        const {programs} = await import('../../bindings/javascript/site/lib/examples.mjs');
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            const wrong = [];
            for (const [i, {id, expected, tolerance}] of programs.entries()) {
                await page.select('#examples', id);
                await ran(page, i + 2);
                const text = await output(page), got = last_number(text);
                if (!(Math.abs(got - expected) <= tolerance))
                    wrong.push(`${id}: expected ${expected} within ${tolerance}: ${text}`);
                await site.shot(page, `program-${id}`);
            }
            assert.deepEqual(wrong, []);
        });
    },
    async 'errors show the line that they come from'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            for (const [program, message, line] of [
                ['const x = np.ones([2]);\nnp.add(x, np.ones([3]));', /ValueError/, 2],
                ['const a = 1;\n\nlet b = = 2;', /SyntaxError/, 3],
                ['print(1)\nundefinedName', /undefinedName/, 2]]) {
                await type_program(page, program);
                await press_run(page);
                const text = await output(page);
                assert.match(text, message);
                await page.waitForFunction(
                    n => document.querySelector('.editor-lines .at-fault')?.textContent.trim() === String(n),
                        {timeout: 10_000}, line);
            }
            await site.shot(page, 'error');
        });
    },
    async 'a program that never ends can be stopped'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            await type_program(page, 'for (;;);');
            await page.click('#run');
            await page.waitForFunction(() => !document.getElementById('stop').disabled);
            await page.click('#stop');
            await ran(page, 2);
            assert.match(await output(page), /stopped/);
            await type_program(page, 'print(np.sum(np.ones([7])).item())');
            await press_run(page);
            assert.equal(last_number(await output(page)), 7);
        });
    },
    async 'a line below the results sees what the program declared'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            await type_program(page, 'const {a, ...rest} = {a: np.ones([3]), c: 5}; let b = 2;');
            await press_run(page);
            for (const [i, [line, want]] of [['np.sum(a).item() + b', '5'], ['const d = await Promise.resolve(4)', ''],
                ['d * rest.c', '20'], ['{x: 1}', '{x: 1}']].entries()) {
                await page.type('#line', line);
                await page.keyboard.press('Enter');
                await page.waitForFunction(n => document.body.dataset.lines === String(n), {}, i + 1);
                assert.ok((await output(page)).trimEnd().endsWith(want), `${line}: ${await output(page)}`);
            }
            await page.keyboard.press('ArrowUp');
            assert.equal(await page.$eval('#line', e => e.value), '{x: 1}');
        });
    },
    async 'the editor completes names, indents and can be left by the keyboard'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            await type_program(page, 'np.linsp');
            await page.waitForSelector('.editor-list:not([hidden])');
            assert.match(await page.$eval('.editor-list [aria-selected=true]', e => e.textContent), /^linspace/);
            await site.shot(page, 'completion');
            await page.keyboard.press('Enter');
            await page.keyboard.type('(0, 1, 3).');
            await page.waitForSelector('.editor-list:not([hidden])');
            await page.keyboard.press('Escape');
            await page.keyboard.press('End');
            await page.keyboard.type('sum();\nif (true) {\nprint(1);\n}');
            const value = () => page.$eval('#program textarea', e => e.value);
            assert.equal(await value(), 'np.linspace(0, 1, 3).sum();\nif (true) {\n    print(1);\n}');
            await page.keyboard.press('Tab');
            assert.equal(await value(), 'np.linspace(0, 1, 3).sum();\nif (true) {\n    print(1);\n}   ');
            await page.keyboard.press('Escape');
            await page.keyboard.press('Tab');
            assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'TEXTAREA');
        });
    },
    async 'a program is shared by its address'(site) {
        let address;
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            await type_program(page, 'print("Größe", 6 * 7)');
            await page.click('#share');
            await page.waitForFunction(() => location.hash.startsWith('#code='));
            address = new URL(page.url()).hash;
        });
        await site.visit(`playground.html${address}`, async page => {
            await page.waitForFunction(() => document.body.dataset.state === 'ready');
            assert.equal(await page.$eval('#program textarea', e => e.value), 'print("Größe", 6 * 7)');
            assert.equal(await output(page), '', 'a program of somebody else waits until it is asked for');
            await page.focus('#program textarea');
            await press_run(page);
            assert.match(await output(page), /Größe 42/);
        });
    },
    async 'examples of the first page print what they shall'(site) {
        await site.visit('index.html', async page => {
            await page.waitForFunction(() => document.querySelectorAll('kiln-example textarea').length >= 3);
            const n = await page.$$eval('kiln-example', list => list.length);
            for (let i = 0; i < n; i++) {
                const [got, want] = await page.evaluate(async k => {
                    const e = document.querySelectorAll('kiln-example')[k];
                    return [await e.run(), e.dataset.prints];
                }, i);
                if (want === '*')
                    assert.match(got, /kernel/);
                else
                    assert.equal(got.trim(), want);
            }
            await site.shot(page, 'index');
        });
    },
    async 'pages fit a phone'(site) {
        for (const address of ['index.html', 'playground.html', 'demos/index.html', 'demos/demo.html?waves'])
            await site.visit(address, async page => {
                await settled(page, address);
                await site.shot(page, `phone-${address.replace(/\W+/g, '-')}`);
                const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
                assert.ok(wide <= width, `${address} is ${wide} wide`);
            }, {size: 'phone'});
    },
    async 'what can be used has a name'(site) {
        for (const address of ['index.html', 'playground.html', 'demos/index.html', 'demos/demo.html?waves'])
            await site.visit(address, async page => {
                await settled(page, address);
                assert.deepEqual(await page.evaluate(nameless), [], address);
                assert.equal(await page.$$eval('h1', l => l.length), 1, address);
            });
    },
    async 'programs run on WebGPU, where the browser has it'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            const adapter = await page.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter()));
            if (!adapter) {
                console.log('       there is no WebGPU here');
                return;
            }
            await page.select('#device', 'webgpu');
            await type_program(page, `const x = np.linspace(0, 1, 1001), f = jit(x => np.sum(np.square(x)));
print(x.device); await explain(f, x); plot(x, np.square(x)); print(f(x))`);
            await press_run(page);
            const text = await output(page);
            assert.match(text, /^webgpu:0/);
            near(last_number(text), 333.8335, 0.01, text); // (1000 + 1) (2000 + 1) / 6000
            await page.click('#tab-kernels');
            assert.match(await page.$eval('#kernels', e => e.innerText), /@compute/);
            await site.shot(page, 'webgpu');
        });
    },
    async 'programs run on WebGL, where the browser has it'(site) {
        await site.visit('playground.html', async page => {
            await ran(page, 1);
            if (!await page.evaluate(() => Boolean(document.querySelector('#device option[value=webgl]')))) {
                console.log('       there is no WebGL here');
                return;
            }
            await page.select('#device', 'webgl');
            await type_program(page, 'const x = np.linspace(0, 1, 1001); print(x.device); print(np.sum(np.square(x)))');
            await press_run(page);
            const text = await output(page);
            assert.match(text, /^webgl:0/);
            near(last_number(text), 333.8335, 0.01, text);
        });
    },
    async 'all works without a network'(site) {
        await site.visit('playground.html', async page => {
            await page.evaluate(() => navigator.serviceWorker.ready);
            await page.waitForFunction(() => navigator.serviceWorker.controller);
            await page.waitForFunction(async () => (await caches.keys()).length === 1);
            await page.waitForFunction(async () => {
                const cache = await caches.open((await caches.keys())[0]);
                return (await cache.keys()).some(r => r.url.endsWith('.wasm'));
            });
        });
        await site.server.close();
        try {
            for (const address of ['playground.html', 'index.html', 'demos/demo.html?waves', ''])
                await site.visit(address, async page => {
                    if (address.startsWith('playground')) {
                        await ran(page, 1);
                        const text = await output(page);
                        near(last_number(text), 2.5, 0.02, text);
                    }
                    if (address.includes('?'))
                        await demo_ready(page);
                    assert.equal(await page.evaluate(() => crossOriginIsolated), true,
                        'the service worker sends the headers of isolation');
                });
        } finally {
            await site.server.reopen();
        }
    },
};

/** A test for each demo: it draws, and its number is what it shall be. */
function demo_tests(demos) {
    return Object.fromEntries(demos.map(
        ({name}) => [`demo ${name}`, site => site.visit(`demos/demo.html?${name}`, async page => {
        await demo_ready(page);
        await page.waitForFunction(() => window.demo.frames() >= 2, {timeout: 60_000});
        const [value, {expected, tolerance}] =
            await page.evaluate(async () => [await window.demo.check(), window.demo.expected]);
        console.log(`       ${name}: ${value}, expected ${expected}`);
        near(value, expected, tolerance, name);
        await site.shot(page, `demo-${name}`);
    })]));
}

await main(async () => {
    const argv = process.argv.slice(2), [name, folder] = argv.splice(0, 2);
    const at = argv.indexOf('--shots'), shots = at < 0 ? null : argv.splice(at, 2)[1];
    const browser = await open(name, {gpu: true}), server = await serve({mounts: {'/': path.resolve(folder)}});
    let failed = 0;
    try {
        const {demos} = await import('../../bindings/javascript/site/demos/list.mjs');
        for (const [title, test] of Object.entries({...tests, ...demo_tests(demos)})) {
            if (argv.length && !argv.some(a => title.includes(a)))
                continue;
            const context = await browser.browser.createBrowserContext(), begin = performance.now();
            try {
                await test(new Site(browser, context, server, shots));
                console.log(`ok     ${title} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
            } catch (e) {
                failed++;
                console.log(`FAILED ${title}\n${e.stack}`);
            } finally {
                await context.close();
            }
        }
    } finally {
        await browser.close();
        await server.close();
    }
    return failed ? 1 : 0;
});

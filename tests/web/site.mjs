// SPDX-License-Identifier: Apache-2.0
// site.mjs -- the site in a browser, as a visitor uses it: pages load, programs run and give the numbers that they shall, nothing complains, all works
// without a network.
//     node tests/web/site.mjs chromium|firefox FOLDER [--shots FOLDER] [TEST...]      FOLDER: what scripts/make-site.sh made
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {main, open} from './browser.mjs';
import {serve} from './serve.mjs';

const sizes = {desktop: {width: 1280, height: 860}, phone: {width: 390, height: 844, isMobile: false}};
const near = (got, want, tolerance, what) => assert.ok(Math.abs(got - want) <= tolerance, `${what}: ${got}, expected ${want} within ${tolerance}`);
const last_number = text => Number(/(-?[\d.]+(?:e[+-]?\d+)?)\s*$/.exec(text)?.[1] ?? NaN);

class Site {
    constructor(browser, server, shots) {
        Object.assign(this, {browser, server, shots});
    }

    /** A page of the site; it is closed, and its complaints looked at, by `visit`. */
    async visit(address, look, {size = 'desktop'} = {}) {
        const page = await this.browser.page();
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

/** Waits until the playground has run `n` programs. */
const ran = (page, n) => page.waitForFunction(k => Number(document.body.dataset.runs ?? 0) >= k, {timeout: 120_000}, n);
const output = page => page.$eval('#output', e => e.innerText);

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
        });
    },
};

await main(async () => {
    const argv = process.argv.slice(2), [name, folder] = argv.splice(0, 2);
    const at = argv.indexOf('--shots'), shots = at < 0 ? null : argv.splice(at, 2)[1];
    const browser = await open(name), server = await serve({mounts: {'/': path.resolve(folder)}});
    let failed = 0;
    try {
        for (const [title, test] of Object.entries(tests)) {
            if (argv.length && !argv.some(a => title.includes(a)))
                continue;
            try {
                await test(new Site(browser, server, shots));
                console.log(`ok     ${title}`);
            } catch (e) {
                failed++;
                console.log(`FAILED ${title}\n${e.stack}`);
            }
        }
    } finally {
        await browser.close();
        await server.close();
    }
    return failed ? 1 : 0;
});

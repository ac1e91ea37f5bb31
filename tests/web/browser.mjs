// SPDX-License-Identifier: Apache-2.0
// browser.mjs -- opens Chromium or Firefox without a window, through puppeteer-core (scripts/setup-web.sh brings it to
// build/node).
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

/** The folder of the sources. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** A test that cannot run here, and why; programs of tests end with 77 for it. */
export class Skipped extends Error {}

const programs = {
    chromium: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    firefox: ['firefox-esr', 'firefox'],
};
// No sandbox: tests run as root in containers; nothing is fetched but from this machine.
const quiet = ['--no-sandbox', '--no-first-run', '--disable-quic', '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync', '--disable-dev-shm-usage', '--mute-audio', '--autoplay-policy=no-user-gesture-required',
    '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', '--js-flags=--expose-gc'];
const webgpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--disable-gpu-watchdog']; // which ends shaders that take long
const preferences = {
    'dom.webgpu.enabled': true, 'dom.webgpu.workers.enabled': true, 'gfx.webgpu.ignore-blocklist': true,
    'webgl.force-enabled': true,
    'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true, 'media.autoplay.default': 0,
    'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
    'browser.safebrowsing.update.enabled': false,
};

function executable(name) {
    const named = process.env[`KILN_${name.toUpperCase()}`];
    if (named)
        return named;
    for (const folder of (process.env.PATH ?? '').split(':'))
        for (const program of programs[name])
            if (folder && fs.existsSync(path.join(folder, program)))
                return path.join(folder, program);
    throw new Skipped(`there is no ${name} (Debian: ${programs[name][0]}; or name one in KILN_${name.toUpperCase()})`);
}

async function driver() {
    const folder = process.env.KILN_NODE_MODULES ?? path.join(root, 'build/node/node_modules');
    try {
        const from = createRequire(path.join(folder, 'none.js'));
        return (await import(pathToFileURL(from.resolve('puppeteer-core')).href)).default;
    } catch (e) {
        if (e.code !== 'MODULE_NOT_FOUND')
            throw e;
        throw new Skipped(`there is no puppeteer-core in ${folder} (scripts/setup-web.sh brings it)`);
    }
}

/**
 * Opens a browser: {browser, name, page(context), close()}; page: a new page, of a visitor of its own where there is a
 * context. Throws Skipped where there is none.
 * @param {'chromium'|'firefox'} name
 * @param {object} options gpu: WebGPU by a driver in software; flags: more arguments of Chromium; protocol:
 * milliseconds that one call may take
 */
export async function open(name, {gpu = false, flags = [], protocol = 3_600_000} = {}) {
    if (!programs[name])
        throw new Error(`${name}: chromium or firefox`);
    const puppeteer = await driver(), executablePath = executable(name);
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-web-'));
    const common = {
        executablePath, headless: true, protocolTimeout: protocol, timeout: 120_000,
        userDataDir: path.join(home, 'profile'),
        // Firefox wants to write there
        env: {...process.env, HOME: home, XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? home},
    };
    fs.mkdirSync(common.userDataDir);
    const close = () => fs.rmSync(home, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
    try {
        const browser = await puppeteer.launch(name === 'firefox' ?
            {...common, browser: 'firefox', extraPrefsFirefox: preferences} :
            {...common, args: [...quiet, ...(gpu ? webgpu : ['--disable-gpu']), ...flags]});
        return {browser, name, page: (context = browser) => watched(context),
            close: async () => { await browser.close(); close(); }};
    } catch (e) {
        close();
        throw e;
    }
}

/**
 * A new page whose `complaints` are all that it said which is an error: exceptions, console.error, requests that
 * failed.
 */
async function watched(context) {
    const page = await context.newPage();
    page.complaints = [];
    page.on('pageerror', e => page.complaints.push(`exception: ${e.stack ?? e.message ?? e}`));
    page.on('console', m => {
        if (process.env.KILN_WEB_CONSOLE)
            console.error(`console: ${m.type()}: ${m.text()}`);
        if (m.type() === 'error')
            page.complaints.push(`console: ${m.text()} ${m.location()?.url ?? ''}`);
    });
    page.on('requestfailed', r => page.complaints.push(`request: ${r.url()}: ${r.failure()?.errorText}`));
    return page;
}

/** Runs the main part of a test's program: prints why it is skipped (status 77) or failed (1). */
export async function main(run) {
    try {
        process.exitCode = await run() ?? 0;
    } catch (e) {
        if (!(e instanceof Skipped))
            throw e;
        console.log(`skipped: ${e.message}`);
        process.exitCode = 77;
    }
}

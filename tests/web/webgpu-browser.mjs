// SPDX-License-Identifier: Apache-2.0
// webgpu-browser.mjs -- the tests of webgpu.mjs in a page: node tests/web/webgpu-browser.mjs chromium|firefox
// webgpu_calls.wasm
import fs from 'node:fs';
import {main} from './browser.mjs';
import {Harness} from './harness.mjs';

await main(async () => {
    const [name, wasm] = process.argv.slice(2), harness = await Harness.start(name, {gpu: true});
    try {
        const {failed, lines} = await harness.page.evaluate(async text => {
            const {check} = await import('/kiln/tests/web/webgpu.mjs');
            const module = await WebAssembly.compile(Uint8Array.from(atob(text), c => c.charCodeAt(0))), lines = [];
            return {failed: await check(module, navigator.gpu, line => lines.push(line)), lines};
        }, fs.readFileSync(wasm, 'base64'));
        lines.forEach(line => console.log(line));
        return failed ? 1 : 0;
    } finally {
        await harness.close();
    }
});

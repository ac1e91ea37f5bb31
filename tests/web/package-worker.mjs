// SPDX-License-Identifier: Apache-2.0
// package-worker.mjs -- one file of tests of the JavaScript package, in a Worker.
globalThis.Buffer = {from: bytes => ({toString: () => new TextDecoder().decode(bytes)})};
// Firefox has no collector that can be called: these tests run elsewhere.
const collects = ['jitted functions that nobody has are forgotten'];
globalThis.process = {env: {KILN_PACKAGE: '/package'}, stdout: {write() {}}, stderr: {write() {}}};
self.onmessage = async ({data: {file, loads, device}}) => {
    try {
        const {init, defaultDevice} = await import('/package/kiln/index.js'); // in Node it loads itself
        if (!loads)
            await init({devices: device ? [device] : []});
        if (!loads && device)
            defaultDevice(device);
        await import(`/tests/${file}`);
        const {run_all} = await import('./node/test.mjs');
        self.postMessage({results: await run_all(globalThis.gc ? [] : collects)});
    } catch (e) {
        self.postMessage({results: [{name: file, error: `${e?.message ?? e}\n${e?.stack ?? ''}`}]});
    }
};

// SPDX-License-Identifier: Apache-2.0
// webgpu.mjs -- the device webgpu:0 by single calls, as a page makes them: webgpu.c beside it, compiled as a reactor.
// In Node: node webgpu.mjs webgpu_calls.wasm, with KILN_WASM_WEBGPU as bindings/javascript/node-webgpu.mjs has it; in Deno:
// deno run -A --unstable-webgpu webgpu.mjs webgpu_calls.wasm; a page imports check().
import {wasi} from '../../bindings/javascript/wasi.mjs';
import {kernels} from '../../bindings/javascript/kernels.mjs';
import {canSuspend, openWebGPU} from '../../bindings/javascript/webgpu.mjs';

class World {
    static async open(module, gpu) {
        const w = new World();
        w.webgpu = await openWebGPU({gpu});
        const memory = () => w.exports.memory;
        w.exports = (await WebAssembly.instantiate(module, {
            kiln: kernels({exports: () => w.exports, webgpu: w.webgpu}),
            wasi_snapshot_preview1: wasi({memory, env: {KILN_WEBGPU_EXACT: '1'}, write() {}}),
        })).exports;
        w.exports._initialize();
        w.devices = await w.webgpu.ready(w.exports);
        return w;
    }

    get error() {
        const bytes = new Uint8Array(this.exports.memory.buffer).subarray(this.exports.error());
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    async read(i, k) {
        this.exports.begin(i);
        await this.webgpu.settled();
        return this.exports.look(i, k);
    }
}

const equal = (got, want, what) => {
    if (!Object.is(got, want)) throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
};
const contains = (text, part, what) => {
    if (!text.includes(part)) throw new Error(`${what}: ${JSON.stringify(text)} has no ${JSON.stringify(part)}`);
};

const tests = {
    async 'what is read ahead is there without a suspended call'(w) {
        w.exports.range(0, 100);
        w.exports.compute(1, 0);
        equal(await w.read(1, 7), 148, 'element 7');
        equal(w.exports.look(1, 99), 29404, 'element 99');
        equal(w.error, '', 'the error');
    },
    async 'several reads come in one wait'(w) {
        for (let i = 1; i < 8; i++) w.exports.compute(i, 0), w.exports.begin(i);
        await w.webgpu.settled();
        for (let i = 1; i < 8; i++) equal(w.exports.look(i, i), 3 * i * i + 1, `element ${i}`);
    },
    async 'a look without a wait is an error that says so, and harms nothing'(w) {
        w.exports.compute(1, 0);
        equal(w.exports.look(1, 7), NaN, 'element 7');
        contains(w.error, "RuntimeError: data: device 'webgpu:0' is to be waited for, and a page does not wait",
            'error');
        equal(await w.read(1, 7), 148, 'element 7');
    },
    async 'indices that are outside are told of with what is read'(w) {
        w.exports.take(1, 0, 5);
        w.exports.take(2, 0, 100);
        equal(w.error, '', 'the error before');
        equal(await w.read(1, 0), 5, 'element 0');
        equal(await w.read(2, 0), NaN, 'element 0');
        contains(w.error, 'IndexError: take: index 100 is out of bounds for axis 0 with size 100', 'the error');
    },
    async 'who waits for the device waits for what was flushed'(w) {
        w.exports.take(1, 0, 5);
        w.exports.kiln_webgpu_flush();
        await w.webgpu.settled();
        w.exports.await_ready(1);
        equal(w.error, '', 'the error');
    },
    async 'what the engine refuses is told of with what is read'(w) {
        w.exports.mistake();
        equal(w.error, '', 'the error before');
        w.exports.compute(1, 0);
        equal(await w.read(1, 7), NaN, 'element 7');
        const {error} = w;
        contains(error, "RuntimeError: data: device 'webgpu:0', ", 'the error');
        contains(error, 'nothing', 'the error');
        w.exports.compute(1, 0);
        equal(await w.read(1, 7), 148, 'element 7');
        equal(w.error, '', 'the error after');
    },
    async 'a loop whose condition is the host\'s waits in a promising call'(w) {
        w.exports.range(3, 4);
        const loop = w.webgpu.promising(w.exports.loop), look = w.webgpu.promising(w.exports.look);
        await loop(4, 3);
        if (canSuspend()) {
            equal(await look(4, 1), 256, 'element 1');
            equal(w.error, '', 'the error');
        } else
            contains(w.error, 'a page does not wait in the midst of a call', 'the error');
    },
    async 'promising calls come one after the other'(w) {
        if (!canSuspend()) return;
        const look = w.webgpu.promising(w.exports.look);
        const looks = [];
        for (let i = 1; i < 8; i++) w.exports.compute(i, 0), looks.push(look(i, i));
        const all = await Promise.all(looks);
        for (let i = 1; i < 8; i++) equal(all[i - 1], 3 * i * i + 1, `element ${i}`);
    },
    async 'nothing grows'(w) {
        const turns = async n => {
            for (let i = 0; i < n; i++) {
                w.exports.compute(1, 0);
                if (i % 10 === 9) equal(await w.read(1, 2), 13, 'element 2');
            }
        };
        await turns(100);
        const {objects} = w.webgpu, {byteLength} = w.exports.memory.buffer;
        await turns(1000);
        equal(w.webgpu.objects, objects, 'objects');
        equal(w.exports.memory.buffer.byteLength, byteLength, 'bytes of memory');
    },
    async 'what nobody reads any more is let go of'(w) {
        w.exports.compute(1, 0);
        w.exports.begin(1);
        w.exports.drop(1);
        w.exports.compute(1, 0);
        equal(await w.read(1, 2), 13, 'element 2');
    },
    async 'a device that is lost is an error with its reason'(w) {
        w.exports.compute(1, 0);
        equal(await w.read(1, 2), 13, 'element 2');
        w.exports.compute(2, 0);
        w.webgpu.close();
        await w.webgpu.device.lost;
        equal(await w.read(2, 2), NaN, 'element 2');
        contains(w.error, "device 'webgpu:0' is lost", 'the error');
        equal(w.exports.look(1, 2), 13, 'what the host had');
    },
};

/**
 * Runs all tests; how many failed.
 * @param {WebAssembly.Module} module webgpu.c
 * @param {object} gpu navigator.gpu
 * @param {(line: string) => void} log
 * @returns {Promise<number>}
 */
export async function check(module, gpu, log) {
    let failed = 0;
    const none = await World.open(module, {requestAdapter: async () => null});
    equal(none.devices, 0, 'devices without an adapter');
    equal(none.exports.use(), 0, 'the device without an adapter');
    contains(none.error, 'no WebGPU: the browser shows no adapter', 'the error');
    const w = await World.open(module, gpu);
    equal(w.webgpu.why, '', 'why there is no device');
    equal(w.devices, 1, 'devices');
    equal(w.exports.use(), 1, 'the device');
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test(w);
            log(`well: ${name}`);
        } catch (e) {
            failed++;
            log(`FAILED: ${name}: ${e.stack ?? e}`);
        }
    }
    return failed;
}

if (globalThis.process?.argv?.[1]?.endsWith('webgpu.mjs')) {
    const {default: fs} = await import('node:fs');
    const {KILN_WASM_WEBGPU: name} = process.env, {create, globals} = name ? await import(name) : {};
    Object.assign(globalThis, globals);
    const gpu = create?.([]) ?? globalThis.navigator?.gpu;
    if (!gpu) {
        console.log('skipped: KILN_WASM_WEBGPU is not set');
        process.exit(77);
    }
    const module = await WebAssembly.compile(fs.readFileSync(process.argv[2]));
    const failed = await check(module, gpu, line => fs.writeSync(1, new TextEncoder().encode(line + '\n')));
    process.exit(failed ? 1 : 0);
}

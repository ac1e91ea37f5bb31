// SPDX-License-Identifier: Apache-2.0
// device.js -- devices: which there are, where arrays are and go, and reading what a device has, which a page awaits.
import {openWebGL} from '../webgl.mjs';
import {openWebGPU} from '../webgpu.mjs';
import {setOnDevice, wrap} from './call.js';
import {operand} from './convert.js';
import {engine, ensure, get, getInt, mark, put, release, room, text, textAt} from './engine.js';
import {describe, errorOf} from './errors.js';
import {Handle, check} from './handles.js';
import {here} from './place.js';
import * as tree from './tree.js';

const others = {cpu: 'host', wasm: 'host'}; // names of jax and jax-js
const kindOf = name => name.split(':')[0];
let known = ['host'];

/** Asks the page for what the options name, before the module is made. */
export async function openDevices({devices = [], webgpu = {}, webgl = {}}) {
    const kinds = [devices].flat().map(name => kindOf(others[name] ?? name));
    const unknown = kinds.find(k => !['host', 'webgpu', 'webgl'].includes(k));
    if (unknown) throw errorOf('ValueError', `there are devices "host", "webgpu" and "webgl", not "${unknown}"`);
    engine.webgpu = kinds.includes('webgpu') ? await openWebGPU(webgpu) : null;
    engine.webgl = kinds.includes('webgl') ? openWebGL(webgl) : null;
}

/** Lets the module know them, and awaits what it asks of them first. */
export async function beginDevices() {
    const n = engine.webgpu?.available ? await engine.webgpu.ready(engine.exports) : 0;
    const gl = engine.webgl?.begin(engine.exports) ? ['webgl:0'] : [];
    known = ['host', ...Array.from({length: n}, (_, i) => `webgpu:${i}`), ...gl];
}

/** The names of the devices that init() has opened: "host", "webgpu:0", "webgl:0". */
export const devices = () => [...known];

/** Why there is no device webgpu:0 although init() was asked for it; '' if there is one. */
export const whyNoWebGPU = () => (engine.webgpu ? engine.webgpu.why : 'init({devices: ["webgpu"]}) was not called');

/** The same for webgl:0. */
export const whyNoWebGL = () => (engine.webgl ? engine.webgl.why : 'init({devices: ["webgl"]}) was not called');

function find(device) {
    if (typeof device !== 'string') throw errorOf('TypeError', `a device is named by a text, not ${describe(device)}`);
    ensure();
    const m = mark(), d = engine.exports.kn_find_device(text(others[device] ?? device));
    release(m);
    if (!d) check();
    return d;
}

/**
 * Where operations run whose operands nobody has put anywhere: its name; with an argument it is that from now on.
 * @param {string} [device] "host", "webgpu"
 * @returns {string}
 */
export function defaultDevice(device) {
    ensure();
    if (device !== undefined) {
        engine.exports.kn_set_default_device(find(device));
        check();
    }
    return textAt(engine.exports.kn_device_name(engine.exports.kn_default_device()));
}

/** f() with another default device. */
export function onDevice(device, f) {
    const before = engine.exports.kn_set_default_device(find(device));
    try {
        return f();
    } finally {
        engine.exports.kn_set_default_device(before);
    }
}

/**
 * The array, or a tree like this one of all its arrays, on the device: operations with it run there.
 * @param {object} x
 * @param {string|NamedSharding} [device] where the default is, if not given
 */
export function devicePut(x, device = defaultDevice()) {
    if (typeof device?.place === 'function') return device.place(x, devicePut); // a sharding
    const d = find(device);
    const one = leaf => {
        const {h, owned} = operand(leaf);
        here(devicePut);
        try {
            return wrap(engine.exports.kn_device_put(h, d));
        } finally {
            if (owned) engine.exports.kn_release(h);
        }
    };
    return tree.map(one, x);
}

/** The name of the device that the array is on. */
export function deviceOf(x) {
    const d = engine.exports.kn_device_of(x.handle);
    if (!d) check();
    return textAt(engine.exports.kn_device_name(d));
}

/**
 * Where the elements are on the device, for pages that draw them: nothing is read back. What is submitted to the device's
 * queue from now on runs after all that made the array. To be read only, as long as the array lives and is not written to.
 * @param {KilnArray} x on webgpu:0
 * @returns {{device: GPUDevice, buffer: GPUBuffer, offset: number, bytes: number}} a buffer of usage STORAGE, COPY_SRC
 */
export function gpuBuffer(x) {
    if (!(x instanceof Handle)) throw errorOf('TypeError', `gpuBuffer: an array is wanted, not ${describe(x)}`);
    const {exports: c, L, webgpu} = engine, m = mark(), at = room(L.kn_device_handle);
    try {
        put(at, L.kn_device_handle);
        here(gpuBuffer);
        c.kn_device_get_handle(x.handle, at);
        check();
        return {device: webgpu.device, buffer: webgpu.object(get(at + L['kn_device_handle.buffer'])),
            offset: getInt(at + L['kn_device_handle.offset']), bytes: getInt(at + L['kn_device_handle.bytes'])};
    } finally {
        release(m);
    }
}

/** What the array waits for is done, as far as that can be had without a wait; the rest is awaited. */
async function call(name, x) {
    await engine.webgpu.promising(engine.exports[name])(x.handle);
    check();
    return x;
}

/** The elements are on the host: after that they can be looked at without a wait. */
export async function arrive(x) {
    if (!engine.webgpu?.available) return;
    await call('kn_copy_to_host_async', x);
    await engine.webgpu.settled();
}

/** The device has computed the array. */
export async function ready(x) {
    if (!engine.webgpu?.available) {
        engine.exports.kn_eval(x.handle);
        check();
        return;
    }
    await call('kn_eval', x);
    engine.exports.kiln_webgpu_flush();
    await engine.webgpu.settled();
    await call('kn_block_until_ready', x);
}

setOnDevice(onDevice);

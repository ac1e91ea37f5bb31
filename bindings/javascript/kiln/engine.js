// SPDX-License-Identifier: Apache-2.0
// engine.js -- the one instance of Kiln's WebAssembly module: loading it, its memory, scratch memory of calls, texts,
// and where members of C's structures are.
import {errorOf} from './errors.js';
import {kernels, wantsRelaxed} from '../kernels.mjs';
import {threadsFor, whyNoThreads} from '../threads.mjs';
import {wasi} from '../wasi.mjs';

/** exports: the module's functions; L: offsets and sizes of structures by name; K: kinds of arguments by name; webgpu, webgl:
 * devices of the page, if init() was asked for them (device.js). */
export const engine = {exports: null, memory: null, L: {}, K: {}, made: null, options: {}, webgpu: null, webgl: null};

let u8, i32, u32, f64, i64;
function views() {
    const b = engine.memory.buffer;
    u8 = new Uint8Array(b), i32 = new Int32Array(b), u32 = new Uint32Array(b), f64 = new Float64Array(b);
    i64 = new BigInt64Array(b);
}
const fresh = () => { if (u8.buffer !== engine.memory.buffer) views(); };
export const bytes = () => (fresh(), u8);
export const words = () => (fresh(), u32);
export const doubles = () => (fresh(), f64);
export const get = at => (fresh(), u32[at >>> 2]);
export const get16 = at => (fresh(), u8[at] | (u8[at + 1] << 8));
export const get8 = at => (fresh(), u8[at]);
export const put = (at, value) => { fresh(); i32[at >>> 2] = value; };
export const put8 = (at, value) => { fresh(); u8[at] = value; };
export const putDouble = (at, value) => { fresh(); f64[at >>> 3] = value; };
export const getDouble = at => (fresh(), f64[at >>> 3]);
export const getFloat = at => new DataView(engine.memory.buffer).getFloat32(at, true);
export const putFloat = (at, value) => new DataView(engine.memory.buffer).setFloat32(at, value, true);

/** An integer of 64 bits from a number or a BigInt. */
export function putInt(at, value) {
    fresh();
    if (typeof value === 'number' && value >= -0x80000000 && value <= 0x7fffffff) {
        i32[at >>> 2] = value;
        i32[(at >>> 2) + 1] = value < 0 ? -1 : 0;
    } else {
        const big = BigInt(value);
        if (BigInt.asIntN(64, big) !== big) throw errorOf('OverflowError', `${value} has more than 64 bits`);
        i64[at >>> 3] = big;
    }
}
/** As a number where that is exact, else a BigInt. */
export function getInt(at) {
    fresh();
    const low = u32[at >>> 2], high = i32[(at >>> 2) + 1];
    if (high === 0 || (high === -1 && low > 0)) return high === 0 ? low : low - 4294967296;
    const x = i64[at >>> 3];
    return x >= BigInt(Number.MIN_SAFE_INTEGER) && x <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(x) : x;
}

// ---- Scratch memory: a stack of its own, beside C's. What is taken after mark() is given back by release(mark).
const SCRATCH = 1 << 18;
let scratch = 0, top = 0;
const large = []; // {top, at}: what did not fit, from malloc
export const mark = () => top;
export function release(to) {
    while (large.length && large[large.length - 1].top >= to) engine.exports.free(large.pop().at);
    top = to;
}
/** `size` bytes, zeros, aligned to 16. */
export function room(size) {
    const need = (size + 15) & ~15;
    let at = scratch + top;
    if (top + need > SCRATCH) {
        at = engine.exports.malloc(need) >>> 0;
        if (!at) throw new RangeError('Kiln has no memory');
        large.push({top, at});
        top += 16; // so that what is marked later lies above it, also beyond the end
    } else
        top += need;
    bytes().fill(0, at, at + need);
    return at;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();
export const encode = text => encoder.encode(text);
/** A text of scratch memory, with a zero at its end. */
export function text(s) {
    const b = encoder.encode(s), at = room(b.length + 1);
    bytes().set(b, at);
    return at;
}
const lasting = new Map();
/** A text that stays for good; equal ones are one. */
export function lastingText(s) {
    let at = lasting.get(s);
    if (at === undefined) {
        const b = encoder.encode(s);
        at = engine.exports.calloc(b.length + 1, 1) >>> 0;
        if (!at) throw new RangeError('Kiln has no memory');
        bytes().set(b, at);
        lasting.set(s, at);
    }
    return at;
}
/** The text at an address, null for address 0. */
export function textAt(at) {
    at >>>= 0;
    if (!at) return null;
    const b = bytes();
    const end = b.indexOf(0, at);
    const part = b.subarray(at, end);
    return decoder.decode(part.buffer instanceof ArrayBuffer ? part : part.slice()); // of shared memory a copy
}

// ---- Loading.
function pairs(at, of) {
    for (at >>>= 0; get(at); at += 8) of[textAt(get(at))] = get(at + 4);
}

let callFunction = () => { throw new Error('not loaded'); };
/** What C calls for a function of JavaScript: f(serial, out, in). */
export const onCall = f => { callFunction = f; };
let runCallback = callFunction;
/** What C calls for a function that runs when a program runs: f(serial, nIn, in, nOut, out), not 0: it failed. */
export const onRun = f => { runCallback = f; };
let askLinear = callFunction;
/** What C calls for a linear call (linear.c): f(serial, what, ...), not 0: it failed. */
export const onLinear = f => { askLinear = f; };

// Who hears of its work (watch.js).
let heardLog = null, heardStep = null, heardModule = null;
export const onLog = f => { heardLog = f; };
export const onStep = f => { heardStep = f; };
export const onModule = f => { heardModule = f; };
const heard = {
    log: (level, at) => heardLog?.(level, textAt(at)),
    step: (operations, elements, seconds, file, line, device) =>
        heardStep?.({operations: textAt(operations), elements, seconds, file: textAt(file), line, device: textAt(device)}),
};

const lines = ['', '', ''];
function print(stream, b) { // whole lines; a program's output in Node goes out as it is
    if (globalThis.process?.stdout?.write && stream <= 2) {
        (stream === 1 ? process.stdout : process.stderr).write(b);
        return;
    }
    const all = (lines[stream] + decoder.decode(b)).split('\n');
    lines[stream] = all.pop();
    for (const line of all) (stream === 1 ? console.log : console.error)(line);
}

function imports(module, options) {
    engine.made = kernels({exports: () => engine.exports, fma: options.fma ?? 'auto', makes: options.kernels !== false,
        webgpu: engine.webgpu, webgl: engine.webgl});
    const shared = threadsFor(module, {threads: options.threads, features: engine.made.features});
    engine.threads = shared.threads;
    const {publish} = engine.made;
    engine.made.publish = (at, size, ...places) => {
        heardModule?.(bytes().slice(at >>> 0, (at >>> 0) + size));
        return publish(at, size, ...places);
    };
    return {
        ...shared.imports,
        kiln: engine.made,
        kjs: {
            ...heard,
            call: (serial, out, args) => callFunction(serial >>> 0, out >>> 0, args >>> 0),
            linear: (serial, ...question) => askLinear(serial >>> 0, ...question),
            run: (serial, nIn, into, nOut, out) => runCallback(serial >>> 0, nIn, into >>> 0, nOut, out >>> 0),
        },
        wasi_snapshot_preview1: wasi({
            memory: () => engine.memory, args: ['kiln'], env: options.env ?? {}, fs: options.fs ?? null,
            write: (stream, b) => (options.print ?? print)(stream, b),
        }),
        ...options.imports,
    };
}

const loaded = [];
/** f runs when the module is there; at once if it is. */
export function whenLoaded(f) {
    if (engine.exports) f();
    else loaded.push(f);
}

function begin(instance, options) {
    engine.exports = instance.exports;
    engine.memory = instance.exports.memory ?? options.memory;
    engine.options = options;
    try {
        views();
        instance.exports._initialize?.();
        scratch = engine.exports.calloc(SCRATCH, 1) >>> 0;
        pairs(engine.exports.kjs_layouts(), engine.L);
        pairs(engine.exports.kjs_kinds(), engine.K);
        setFloat(options.defaultFloat ?? 'float32');
    } catch (e) { // another one may be tried
        engine.exports = engine.memory = null;
        throw e;
    }
    for (const f of loaded) f();
}
function setFloat(name) {
    const m = mark(), {exports: c} = engine;
    if (!/^b?float(16|32|64)$/.test(name)) throw new RangeError(`defaultFloat: ${name} is no dtype of floats`);
    c.kn_set_default_float(c.kn_dtype_named(text(name)));
    release(m);
}

// All have the same bits; the relaxed one is faster, where the engine is as it needs it.
const module = (fma, threads = '') => new URL(`./kiln${threads}${wantsRelaxed(fma) ? '-relaxed' : ''}.wasm`, import.meta.url);
const isNode = () => typeof globalThis.process?.getBuiltinModule === 'function' || globalThis.process?.versions?.node !== undefined;

async function compile(from) {
    if (from instanceof WebAssembly.Module) return from;
    if (from instanceof URL || typeof from === 'string') {
        const url = new URL(from, import.meta.url);
        // The name Response alone makes Node load what fetch is made of, which takes longer than Kiln.
        if (url.protocol === 'file:' && isNode()) return WebAssembly.compile(process.getBuiltinModule('node:fs').readFileSync(url));
        from = await fetch(url);
    }
    if (!ArrayBuffer.isView(from) && from instanceof Response) {
        if (!from.ok) throw new Error(`${from.url}: ${from.status} ${from.statusText}`);
        const typed = from.headers.get('Content-Type')?.startsWith('application/wasm');
        return typed ? WebAssembly.compileStreaming(from) : WebAssembly.compile(await from.arrayBuffer());
    }
    return WebAssembly.compile(from);
}

let loading = null, noThreads = null;
async function start(options) {
    const threaded = options.threads > 1 && !options.wasm && !whyNoThreads();
    let from = null;
    try {
        if (threaded) from = await compile(module(options.fma, '-threads'));
    } catch (e) { // a package without these modules
        noThreads = `the module with threads is not there: ${e.message}`;
    }
    from ??= await compile(options.wasm ?? module(options.fma));
    if (engine.exports) return; // the first use was faster
    const instance = await WebAssembly.instantiate(from, imports(from, options));
    if (engine.exports) return;
    begin(instance, options);
    await engine.threads?.start(engine.exports);
}
/** Loads the module, once. options: wasm (bytes, a Response, a URL or a WebAssembly.Module), threads: how many */
export async function load(options = {}) {
    const first = !engine.exports && !loading;
    if (!engine.exports) {
        loading ??= start(options).finally(() => { loading = null; });
        await loading;
    }
    if (!first && options.defaultFloat) setFloat(options.defaultFloat); // what can be said later, too
}

/** How many threads an operation uses unless it is told otherwise, the workers that there are now, and why not more. */
export function threads() {
    if (engine.threads) return {threads: engine.threads.threads, workers: engine.threads.workers, reason: engine.threads.reason};
    const reason = noThreads ?? (engine.exports ? 'this build of Kiln has one thread' : 'Kiln is not loaded');
    return {threads: 1, workers: 0, reason: whyNoThreads() ?? reason};
}

/** Where files can be read at once (Node, Deno, Bun) the module is loaded by its first use. */
export function ensure() {
    if (engine.exports) return;
    const fs = globalThis.process?.getBuiltinModule?.('node:fs'), here = module();
    if (!fs || here.protocol !== 'file:')
        throw new Error('Kiln is not loaded yet: call `await init()` first');
    const from = new WebAssembly.Module(fs.readFileSync(here));
    begin(new WebAssembly.Instance(from, imports(from, {})), {});
}

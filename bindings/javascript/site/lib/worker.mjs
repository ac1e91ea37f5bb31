// SPDX-License-Identifier: Apache-2.0
// worker.mjs -- the Worker that programs of the playground run in: Kiln, what a program finds beside it (print, plot,
// image, sound, explain, time), and the messages to the page. What a program does can be stopped by ending this Worker.
import {as_line, as_module, place} from './program.mjs';
import {explained, Record} from './explain.mjs';
import {pixels} from './image.mjs';
import {keep_module, options as module_options} from './module.mjs';

let waiting = null; // output that waits for what a device computes
let kiln = null, record = null, modules = {}, address = 'none:', errors = new WeakSet();
const say = (type, message = {}, transfer = []) => self.postMessage({type, ...message}, transfer);

/** A value as a line or more of text: arrays as NumPy prints them, objects by their fields. */
function text(value, depth = 0) {
    if (typeof value === 'string')
        return depth ? JSON.stringify(value) : value;
    if (typeof value === 'function')
        return `[function ${value.name || 'without a name'}]`;
    if (typeof value === 'bigint')
        return `${value}n`;
    if (value instanceof Error)
        return `${value.name}: ${value.message}`;
    if (value === null || typeof value !== 'object')
        return String(value);
    if (is_array(value))
        return String(value);
    const name = value.constructor?.name;
    if (ArrayBuffer.isView(value))
        return `${name}(${value.length}) [${value.subarray(0, 12).join(', ')}${value.length > 12 ? ', ...' : ''}]`;
    if (depth > 3)
        return '...';
    if (Array.isArray(value))
        return `[${value.map(v => text(v, depth + 1)).join(', ')}]`;
    const fields = Object.entries(value).map(([k, v]) => `${k}: ${text(v, depth + 1)}`).join(', ');
    return `${name && name !== 'Object' ? `${name} ` : ''}{${fields}}`;
}

const is_array = x => Boolean(kiln?.Array && x instanceof kiln.Array);

/** Numbers of an array of Kiln, or of anything that can be iterated; and its shape. */
function numbers(x) {
    if (is_array(x)) {
        const data = x.dataSync();
        return {data: typeof data[0] === 'bigint' ? Float64Array.from(data, Number) : data, shape: [...x.shape]};
    }
    if (ArrayBuffer.isView(x))
        return {data: x, shape: [x.length]};
    const flat = [...x].flat(3).map(Number), shape = [];
    for (let at = x; Array.isArray(at); at = at[0])
        shape.push(at.length);
    return {data: Float64Array.from(flat), shape};
}

const list = x => Float64Array.from(numbers(x).data);

/** Arrays of Kiln that a device other than the host has, in values, lists and objects. */
function far(values, depth = 0) {
    if (is_array(values))
        return (values.device ?? 'host') === 'host' ? [] : [values];
    if (depth > 4 || values === null || typeof values !== 'object' || ArrayBuffer.isView(values))
        return [];
    return Object.values(values).flatMap(v => far(v, depth + 1));
}

/** show, which waits until the arrays that it is given are here; so does all that is shown after it. */
const when_here = show => (...values) => {
    const missing = far(values);
    if (!missing.length && !waiting)
        return show(...values);
    const mine = Promise.all([waiting, ...missing.map(x => x.data())]).then(() => show(...values)).catch(failure);
    waiting = mine;
    return mine.finally(() => { waiting = waiting === mine ? null : waiting; });
};

/**
 * plot(y), plot(x, y), plot(x, y, options), plot({series: [{x, y, label, kind}], title, xlabel, ylabel, logx, logy});
 * two axes: a row for each series.
 */
function plot(...args) {
    const first = args[0];
    let spec;
    if (first?.series)
        spec = {...first, series: first.series.map(
            s => ({...s, y: list(s.y), x: s.x === undefined ? null : list(s.x)}))};
    else {
        const options = args.length > 1 && args.at(-1)?.constructor === Object ? args.pop() : {};
        const {data, shape} = numbers(args.at(-1)), x = args.length > 1 ? list(args[0]) : null,
            {kind, label, ...rest} = options;
        const rows = shape.length > 1 ? shape[0] : 1, width = data.length / rows;
        spec = {...rest, series: Array.from({length: rows}, (_, i) => ({
            x, y: Float64Array.from(data.subarray(i * width, (i + 1) * width)), kind,
            label: Array.isArray(label) ? label[i] : label,
        }))};
    }
    for (const s of spec.series)
        s.x ??= Float64Array.from(s.y, (_, i) => i);
    say('plot', {spec});
}

/** image(array, {colours: 'grey' | 'viridis' | 'balance', lo, hi, range: 'auto', label, scale}). */
function image(array, options = {}) {
    const {data, shape} = numbers(array), {label = `${shape[1]} by ${shape[0]} pixels`, scale = null} = options;
    const rgba = pixels(data, shape, options);
    say('image', {width: shape[1], height: shape[0], rgba, label, scale}, [rgba.buffer]);
}

/** sound(samples, rate): a button that plays it. */
const sound = (samples, rate = 44100) => say('sound', {samples: Float32Array.from(numbers(samples).data), rate});

/** Calls f some times and says how long it took, the shortest and the median; the last result is returned. */
async function time(f, {label = f.name || 'call', times = 10} = {}) {
    const taken = [];
    let result = await f();
    for (let i = 0; i < times; i++) {
        const begin = performance.now();
        result = await f();
        if (is_array(result))
            await result.blockUntilReady?.();
        taken.push(performance.now() - begin);
    }
    taken.sort((a, b) => a - b);
    say('time', {label, times, best: taken[0], median: taken[taken.length >> 1]});
    return result;
}

const print = (...values) => say('text', {text: values.map(v => text(v)).join(' ')});

const helpers = {
    print: when_here(print), plot: when_here(plot), image: when_here(image), sound: when_here(sound), time,
    explain: async (f, ...args) => say('explained', {what: await explained(kiln, record, f, args, clean)}),
    display: when_here(print),
};

function clean(message) {
    return String(message).split(address).join('program');
}

function failure(e) {
    if (typeof e === 'object' && e)
        errors.add(e);
    const where = place(e?.stack, address) ??
        (e?.line && String(e.file ?? '').endsWith(address.slice(-36)) ? {line: e.line, column: 1} : null);
    say('failed', {name: e?.name ?? 'Error', message: clean(e?.message ?? e), where, parsed: self.kilnBegan === true});
}

async function run(source) {
    URL.revokeObjectURL(address);
    const made = as_module(source, modules);
    address = URL.createObjectURL(new Blob([made], {type: 'text/javascript'}));
    self.kilnBegan = false;
    try {
        await import(address);
        await waiting;
    } catch (e) {
        failure(e);
        return {failed: true, source: self.kilnBegan ? null : made}; // not parsed: the page finds out where
    }
    return {failed: false};
}

async function line(source) {
    self.kilnBegan = true;
    try {
        const {text: body, waits} = as_line(source, modules);
        const value = waits ? await (0, eval)(body) : (0, eval)(body);
        if (value !== undefined)
            await helpers.print(value);
        return {failed: false};
    } catch (e) {
        failure(e);
        return {failed: true};
    }
}

/** Names of the package, for completions: {np: [...], lax: [...], ...}, and those of arrays. */
function names() {
    const all = {globals: [...Object.keys(kiln), ...Object.keys(helpers)],
        array: Object.getOwnPropertyNames(kiln.Array?.prototype ?? {})};
    for (const [name, value] of Object.entries(kiln))
        if (value && typeof value === 'object')
            all[name] = Object.keys(value);
    return all;
}

async function begin({packages, main, options}) {
    const start = performance.now();
    modules = packages;
    kiln = await import(main);
    const {device} = options;
    const devices = await kiln.init({...await module_options(), devices: device ? [device] : []});
    if (device && devices.some(d => d.startsWith(device)))
        kiln.defaultDevice(device);
    else if (device)
        say('warning', {text: `${device} is not to be had: ${
            (device === 'webgl' ? kiln.whyNoWebGL : kiln.whyNoWebGPU)?.() ?? ''}. The program runs on the host.`});
    record = new Record(kiln, await (await fetch(new URL('instructions.json', import.meta.url))).json());
    Object.assign(self, helpers);
    for (const [name, value] of Object.entries(kiln))
        if (name !== 'Array' && name !== 'default')
            self[name] = value;
    for (const [name, stream] of [['log', 'text'], ['info', 'text'], ['warn', 'warning'], ['error', 'warning']])
        console[name] = (...values) => say(stream, {text: values.map(v => text(v)).join(' ')});
    keep_module().catch(() => {}); // no room for it: the site works with a network
    say('ready', {devices, names: names(), ms: performance.now() - start, threads: kiln.threads?.().threads ?? 1});
}

const does = {run: m => run(m.source), line: m => line(m.source), begin: m => begin(m)};
self.onmessage = async ({data}) => {
    const start = performance.now();
    try {
        const result = await does[data.type](data);
        if (data.type !== 'begin')
            say('done', {...result, ms: performance.now() - start, number: data.number});
    } catch (e) {
        say('broken', {message: clean(e?.stack ?? e)});
    }
};
self.addEventListener('unhandledrejection', e => {
    e.preventDefault();
    if (!errors.has(e.reason))
        failure(e.reason);
});
self.addEventListener('error', e => {
    e.preventDefault();
    failure(e.error ?? {message: e.message});
});

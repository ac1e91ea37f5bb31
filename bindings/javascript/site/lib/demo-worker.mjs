// SPDX-License-Identifier: Apache-2.0
// demo-worker.mjs -- the Worker that a demo runs in: Kiln, the demo's module, its frames.
import {keep_module, options as module_options} from './module.mjs';

let demo = null, made = null, values = {}, pointer = {x: 0, y: 0, down: false, inside: false}, frames = 0,
    resting = false;
const say = (type, message = {}, transfer = []) => self.postMessage({type, ...message}, transfer);
const queue = []; // calls of the demo run one after the other

const next = f => (self.requestAnimationFrame?.(f) ?? setTimeout(() => f(performance.now()), 16));
const failure = e => say('failed', {message: `${e?.name ?? 'Error'}: ${e?.message ?? e}`,
    stack: String(e?.stack ?? '')});

async function frame(time) {
    if (resting)
        return;
    try {
        while (queue.length)
            await queue.shift()();
        await made.frame?.(time, pointer);
        if (++frames <= 2 || frames % 30 === 0)
            say('frames', {frames});
        if (made.frame || queue.length)
            next(frame);
        else
            resting = true;
    } catch (e) {
        failure(e);
    }
}

/** The demo is called between two frames; one without frames is woken for it. */
function later(f) {
    queue.push(f);
    if (resting) {
        resting = false;
        next(frame);
    }
}

const does = {
    async begin({module, main, options, canvas, values: first}) {
        const kiln = await import(main);
        await kiln.init({...await module_options(), ...options});
        keep_module().catch(() => {});
        values = first;
        demo = (await import(module)).default;
        made = await demo.setup({
            kiln, canvas, values, print: text => say('print', {text: String(text)}),
            status: text => say('status', {text: String(text)}),
            plot: spec => say('plot', {spec: plain(spec)}),
            play: (samples, rate) => say('sound', {samples: Float32Array.from(samples), rate}),
            url: path => new URL(path, module).href,
        }) ?? {};
        say('ready');
        if (!made.frame)
            say('frames', {frames: frames = Infinity}); // it draws when it is asked to
        next(frame);
    },
    value({name, value, event}) {
        if (!event)
            values[name] = value;
        later(async () => made.changed?.(name, value));
    },
    pointer({pointer: now}) { Object.assign(pointer, now); },
    key({key}) { later(async () => made.key?.(key)); },
    check() { later(async () => say('checked', {value: Number(await made.check())})); },
};

/** Numbers of plots as lists that can be sent. */
function plain(spec) {
    const list = x => Float64Array.from(x.dataSync?.() ?? x, Number), places = y => y.map((_, i) => i);
    return {...spec, series: spec.series.map(s => {
        const y = list(s.y);
        return {...s, y, x: s.x === undefined ? places(y) : list(s.x)};
    })};
}

self.onmessage = async ({data}) => {
    try {
        await does[data.type](data);
    } catch (e) {
        failure(e);
    }
};
self.addEventListener('unhandledrejection', e => {
    e.preventDefault();
    failure(e.reason);
});

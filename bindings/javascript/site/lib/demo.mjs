// SPDX-License-Identifier: Apache-2.0
// demo.mjs -- the frame of a demo (site/README.md): its title, its canvas, its controls; the demo itself runs in a
// Worker (demo-worker.mjs). demos/demo.html?NAME shows demos/NAME.mjs. For tests: window.demo.ready, .frames(n),
// .check(), .set(name, value).
import {element, play} from './output.mjs';
import {plot} from './plot.mjs';
import {main} from './runner.mjs';

const by_id = id => document.getElementById(id);
const name = /^\?([\w-]+)/.exec(location.search)?.[1] ?? '';

/** Pixels of a picture in a file, or null where it is none. */
async function picture(file) {
    try {
        const bitmap = await createImageBitmap(file), canvas = new OffscreenCanvas(bitmap.width, bitmap.height),
            context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
    } catch {
        return null;
    }
}

/** A button that starts and stops the camera; its pictures go to `give` at most 20 times a second. */
function camera({label, size: [width, height]}, give, complain) {
    const video = element('video', {width, height, playsinline: true, muted: true, hidden: true});
    const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d', {willReadFrequently: true});
    let stream = null, timer = 0;
    const button = element('button', {type: 'button', 'aria-pressed': 'false', onclick: async () => {
        if (stream) {
            clearInterval(timer);
            stream.getTracks().forEach(t => t.stop());
            stream = null;
        } else
            try {
                stream = await navigator.mediaDevices.getUserMedia({video: {width, height}});
                video.srcObject = stream;
                await video.play();
                timer = setInterval(() => {
                    context.drawImage(video, 0, 0, width, height);
                    give(context.getImageData(0, 0, width, height));
                }, 50);
            } catch (e) {
                stream = null;
                complain(`no camera: ${e.message}`);
            }
        button.setAttribute('aria-pressed', String(Boolean(stream)));
    }}, label);
    return element('div', {}, button, video);
}

/** An element for a control; `give(value, event)` when it is moved. */
function control(c, give, complain) {
    const id = `control-${c.name}`;
    switch (c.kind) {
    case 'range': {
        const out = element('output', {for: id}, String(c.value));
        const input = element('input', {type: 'range', id, min: c.min, max: c.max, step: c.step ?? 'any',
            value: c.value, oninput: () => {
            out.textContent = input.value;
            give(Number(input.value), false);
        }});
        // a label is otherwise the output's
        return element('label', {for: id}, element('span', {}, `${c.label} `, out), input);
    }
    case 'choice': {
        const input = element('select', {id, onchange: () => give(input.value, false)},
            ...c.choices.map(v => element('option', {value: v, selected: v === c.value}, v)));
        return element('label', {}, c.label, input);
    }
    case 'switch': {
        const input = element('input', {type: 'checkbox', id, checked: c.value,
            onchange: () => give(input.checked, false)});
        return element('label', {class: 'switch'}, input, c.label);
    }
    case 'text': {
        const input = element('input', {type: 'search', id, value: c.value, onchange: () => give(input.value, false)});
        return element('label', {}, c.label, input);
    }
    case 'file': {
        const input = element('input', {type: 'file', id, accept: c.accept, onchange: async () => {
            const [file] = input.files;
            if (file)
                give({name: file.name, bytes: new Uint8Array(await file.arrayBuffer()), image: await picture(file)},
                    true);
        }});
        return element('label', {}, c.label, input);
    }
    case 'camera':
        return camera(c, image => give(image, true), complain);
    default:
        return element('button', {type: 'button', id, onclick: () => give(undefined, true)}, c.label);
    }
}

/** Tells the Worker where the pointer is, in pixels of the canvas, and which keys are pressed there. */
function follow(canvas, size, send) {
    const tell = down => e => {
        const box = canvas.getBoundingClientRect(), x = (e.clientX - box.left) / box.width * size[0],
            y = (e.clientY - box.top) / box.height * size[1];
        send({type: 'pointer', pointer: {x, y, inside: true, ...(down === null ? {} : {down})}});
    };
    canvas.addEventListener('pointermove', tell(null));
    canvas.addEventListener('pointerdown', e => { canvas.setPointerCapture(e.pointerId); tell(true)(e); });
    canvas.addEventListener('pointerup', tell(false));
    canvas.addEventListener('pointercancel', tell(false));
    canvas.addEventListener('pointerleave', () => send({type: 'pointer', pointer: {inside: false}}));
    canvas.addEventListener('keydown', e => {
        if (e.key !== 'Tab' && !e.ctrlKey && !e.metaKey && !e.altKey) {
            send({type: 'key', key: e.key});
            if (e.key.startsWith('Arrow') || e.key === ' ')
                e.preventDefault();
        }
    });
}

async function show() {
    const module = new URL(`../demos/${name}.mjs`, import.meta.url).href, demo = (await import(module)).default;
    const worker = new Worker(new URL('demo-worker.mjs', import.meta.url), {type: 'module', name});
    const send = (message, transfer = []) => worker.postMessage(message, transfer),
        complain = text => by_id('said').append(`${text}\n`);
    document.title = `${demo.title} - Kiln`;
    by_id('title').textContent = demo.title;
    by_id('about').textContent = demo.about;
    const values = {};
    for (const c of demo.controls ?? []) {
        if (c.value !== undefined)
            values[c.name] = c.value;
        by_id('controls').append(control(c, (value, event) => send({type: 'value', name: c.name, value, event}),
            complain));
    }
    let offscreen = null;
    if (demo.size) {
        const [width, height] = demo.size;
        const canvas = element('canvas',
            {id: 'canvas', width, height, tabindex: '0', role: 'img', 'aria-label': demo.label ?? demo.title});
        by_id('stage').append(canvas);
        follow(canvas, demo.size, send);
        offscreen = canvas.transferControlToOffscreen();
    }
    let frames = 0, ready, failed, checked = null;
    const began = new Promise((a, b) => { [ready, failed] = [a, b]; });
    began.catch(() => {});
    const hears = {
        ready: () => { by_id('state').textContent = ''; document.body.dataset.state = 'ready'; ready(); },
        frames: m => { frames = m.frames; document.body.dataset.frames = frames; },
        print: m => complain(m.text), status: m => { by_id('state').textContent = m.text; },
        plot: m => by_id('plot').replaceChildren(plot(m.spec)),
        sound: m => play(m.samples, m.rate),
        checked: m => checked?.done(m.value),
        failed: m => {
            complain(m.message);
            document.body.dataset.state = 'failed';
            failed(new Error(`${m.message}\n${m.stack}`));
            checked?.failed(new Error(m.message));
        },
    };
    worker.onmessage = ({data}) => hears[data.type](data);
    worker.onerror = e => hears.failed({message: e.message ?? 'the Worker did not load', stack: ''});
    send({type: 'begin', module, main, options: {}, canvas: offscreen, values}, offscreen ? [offscreen] : []);
    window.demo = {
        ready: began, expected: demo.check, frames: () => frames,
        set: (control, value) => send({type: 'value', name: control, value, event: false}),
        check: () => new Promise((done, no) => { checked = {done, failed: no}; send({type: 'check'}); }),
    };
}

if (name)
    show().catch(e => {
        by_id('title').textContent = `There is no demo ${name}`;
        by_id('said').append(`${e.message}\n`);
    });

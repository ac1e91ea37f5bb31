// SPDX-License-Identifier: Apache-2.0
// output.mjs -- what a program says, as elements of the page: text, plots, images, sound, times, errors.
import {plot} from './plot.mjs';

export const element = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith('on'))
            node.addEventListener(key.slice(2), value);
        else if (value !== undefined && value !== null && value !== false)
            node.setAttribute(key, value === true ? '' : value);
    node.append(...children.filter(c => c !== null));
    return node;
};

/** A time for readers, of milliseconds. */
export function duration(ms) {
    if (ms < 1)
        return `${(1000 * ms).toFixed(0)} µs`;
    return ms < 1000 ? `${ms.toFixed(ms < 10 ? 2 : 1)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function picture({width, height, rgba, label, scale}) {
    const canvas = element('canvas', {width, height, role: 'img', 'aria-label': label});
    canvas.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
    const factor = scale ?? (width < 200 ? Math.max(1, Math.floor(256 / width)) : 1);
    if (factor > 1) {
        canvas.className = 'pixels';
        canvas.style.width = `${width * factor}px`;
    }
    return element('figure', {}, canvas, element('figcaption', {}, label));
}

let audio = null;
/** Plays samples; a page may do so only after somebody has touched it. */
export function play(samples, rate) {
    audio ??= new AudioContext();
    const buffer = audio.createBuffer(1, samples.length, rate), source = audio.createBufferSource();
    buffer.copyToChannel(samples, 0);
    source.buffer = buffer;
    source.connect(audio.destination);
    source.start();
    return source;
}

function loudspeaker({samples, rate}) {
    return element('p', {}, element('button', {type: 'button', onclick: () => play(samples, rate)},
        `Play ${(samples.length / rate).toFixed(1)} s of sound`));
}

/**
 * One message of worker.mjs as an element; null: it is none that is shown. `go(line)`: what a click on a line of an
 * error does.
 */
export function shown(message, go = null) {
    switch (message.type) {
    case 'text':
        return element('pre', {}, message.text);
    case 'warning':
        return element('pre', {class: 'failed'}, message.text);
    case 'asked':
        return element('pre', {class: 'asked'}, `> ${message.text}`);
    case 'plot':
        return element('figure', {}, plot(message.spec));
    case 'image':
        return picture(message);
    case 'sound':
        return loudspeaker(message);
    case 'time': {
        const {label, best, median, times} = message;
        return element('pre', {}, `${label}: ${duration(best)} at best, ${duration(
            median)} in the middle of ${times} calls`);
    }
    case 'failed': {
        const {name, message: text, where} = message;
        const at = where && element(go ? 'button' : 'span',
            {type: go ? 'button' : null, class: 'link', onclick: () => go?.(where.line)}, `line ${where.line}`);
        return element('pre', {class: 'failed', role: 'alert'}, `${name}: ${text}`, ...(at ? ['\n', at] : []));
    }
    case 'broken':
        return element('pre', {class: 'failed', role: 'alert'}, message.message);
    default:
        return null;
    }
}

/** A list of results that a text is added to where the last one is text, too: thousands of lines stay one element. */
export class Results {
    #node;
    #go;

    constructor(node, go = null) {
        this.#node = node;
        this.#go = go;
    }

    clear() { this.#node.replaceChildren(); }

    add(message) {
        const last = this.#node.lastElementChild;
        if (message.type === 'text' && last?.tagName === 'PRE' && !last.className) {
            last.append(`\n${message.text}`);
        } else {
            const node = shown(message, this.#go);
            if (!node)
                return;
            this.#node.append(node);
        }
        const scroller = this.#node;
        if (scroller.scrollHeight > scroller.clientHeight)
            scroller.scrollTop = scroller.scrollHeight;
    }
}

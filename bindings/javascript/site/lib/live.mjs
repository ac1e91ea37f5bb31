// SPDX-License-Identifier: Apache-2.0
// live.mjs -- <kiln-example>: a program on a page that can be changed and run. All of a page run in one Worker, which
// is started by the first.
import {Completer} from './complete.mjs';
import {Editor} from './editor.mjs';
import {duration, element, Results} from './output.mjs';
import {Runner} from './runner.mjs';
import {encode} from './share.mjs';

let now = null; // the example that runs
const completer = new Completer();
const runner = new Runner({heard: message => {
    if (message.type === 'ready')
        completer.names = message.names;
    now?.hear(message);
}});

/** The text without the spaces that all its lines begin with. */
function dedent(text) {
    const lines = text.replace(/^\s*\n|\s+$/g, '').split('\n'),
        indent = Math.min(...lines.filter(l => l.trim()).map(l => /^ */.exec(l)[0].length));
    return lines.map(l => l.slice(indent)).join('\n');
}

class Example extends HTMLElement {
    #results;
    #editor;
    #state;

    connectedCallback() {
        const text = dedent(this.querySelector('script')?.textContent ?? this.textContent),
            label = this.getAttribute('label') ?? 'Example';
        const place = element('div');
        const output = element('div', {class: 'results', 'aria-live': 'polite', role: 'region',
            'aria-label': `Results of: ${label}`});
        this.#state = element('span', {class: 'soft', role: 'status'});
        this.replaceChildren(place, element('div', {class: 'row'},
            element('button', {type: 'button', class: 'main', onclick: () => this.run()}, 'Run'),
            element('button', {type: 'button', onclick: () => this.#open()}, 'Open in the playground'),
            this.#state), output);
        this.#editor = new Editor(place,
            {value: text, label, run: () => this.run(), complete: (...args) => completer.complete(...args)});
        this.#results = new Results(output, line => this.#editor.go(line));
    }

    async #open() {
        location.href = `playground.html${await encode(this.#editor.value)}`;
    }

    hear(message) {
        if (message.type === 'explained')
            for (const part of [message.what.jaxpr, message.what.program])
                this.#results.add({type: 'text', text: part});
        else
            this.#results.add(message);
    }

    /** Runs the program; what it printed. */
    async run() {
        this.#results.clear();
        this.#state.textContent = 'running';
        now = this;
        const {failed, ms} = await runner.run(this.#editor.value).catch(() => ({failed: true}));
        this.#state.textContent = failed ? 'failed' : `done in ${duration(ms)}`;
        return this.querySelector('.results').innerText;
    }
}
customElements.define('kiln-example', Example);

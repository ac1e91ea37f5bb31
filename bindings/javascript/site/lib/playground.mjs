// SPDX-License-Identifier: Apache-2.0
// playground.mjs -- the page of the playground: editor, results, tabs, the line below them, shared programs.
import {Completer} from './complete.mjs';
import {Editor} from './editor.mjs';
import {programs} from './examples.mjs';
import {duration, element, Results} from './output.mjs';
import {Runner} from './runner.mjs';
import {decode, encode} from './share.mjs';

const by_id = id => document.getElementById(id);
const KEPT = 'kiln-program'; // of the last visit
const state = text => { by_id('state').textContent = text; };

// ---- Tabs: arrows, Home and End move among them.
const tabs = [...document.querySelectorAll('[role=tab]')];
function show_tab(tab, focus = false) {
    for (const t of tabs) {
        const chosen = t === tab;
        t.setAttribute('aria-selected', String(chosen));
        t.tabIndex = chosen ? 0 : -1;
        by_id(t.getAttribute('aria-controls')).hidden = !chosen;
    }
    if (focus)
        tab.focus();
}
for (const [i, tab] of tabs.entries()) {
    tab.addEventListener('click', () => show_tab(tab));
    tab.addEventListener('keydown', e => {
        const to = {ArrowRight: i + 1, ArrowLeft: i - 1 + tabs.length, Home: 0, End: tabs.length - 1}[e.key];
        if (to !== undefined) {
            e.preventDefault();
            show_tab(tabs[to % tabs.length], true);
        }
    });
}

// ---- What explain() and time() found.
const nothing = {
    jaxpr: 'explain(f, x) in a program shows the jaxpr of f here.',
    fused: 'explain(f, x) in a program shows here which operations of f became one kernel, and why.',
    kernels: 'explain(f, x) in a program shows the text of each kernel here.',
    times: 'explain(f, x) and time(() => f(x)) show how long calls took here.',
};
let measured = [];
function forget() {
    measured = [];
    for (const [id, text] of Object.entries(nothing))
        by_id(id).replaceChildren(element('p', {class: 'soft'}, text));
}
function put(id, ...nodes) {
    if (by_id(id).querySelector('.soft'))
        by_id(id).replaceChildren();
    by_id(id).append(...nodes);
}
const folded = (title, text, open = true) =>
    element('details', {open}, element('summary', {}, title), element('pre', {tabindex: '0'}, text));

function explained({name, jaxpr, program, kernels, steps, first, best}) {
    put('jaxpr', folded(name, jaxpr));
    put('fused', folded(name, program));
    for (const [i, kernel] of kernels.entries())
        put('kernels', folded(`${name}: ${kernel.name}, ${kernel.language}`, kernel.text, i < 2));
    times([[`${name}, first call`, duration(first)], [`${name}, best call`, duration(best)],
        ...steps.map(s => [`${name}: ${s.operations} (${s.elements} elements)`, duration(1000 * s.seconds)])]);
}

function times(rows) {
    measured.push(...rows);
    by_id('times').replaceChildren(element('table', {class: 'numbers'},
        element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'what'),
            element('th', {scope: 'col'}, 'time'))),
        element('tbody', {}, ...measured.map(
            ([what, ms]) => element('tr', {}, element('td', {}, what), element('td', {}, ms))))));
}

// ---- The editor and the Worker.
const completer = new Completer();
const editor = new Editor(by_id('program'), {
    label: 'Program', complete: (...args) => completer.complete(...args), run: () => run(),
    moved: (text, at) => tell(text, at),
    changed: () => { try { localStorage.setItem(KEPT, editor.value); } catch { /* not allowed to keep it */ } },
});
const results = new Results(by_id('output'), line => editor.go(line));

function tell(text, at) {
    const found = completer.told(text, at);
    by_id('help').replaceChildren(...(found ? [element('code', {}, found[0]), ` ${found[1]}`] : []));
}

function heard(message) {
    if (message.type === 'ready') {
        completer.names = message.names;
        document.body.dataset.threads = message.threads;
    } else if (message.type === 'explained')
        explained(message.what);
    else if (message.type === 'place') {
        editor.fault = message.where.line;
        results.add({type: 'failed', name: 'at', message: `line ${message.where.line}, column ${message.where.column}`,
            where: message.where});
    } else
        results.add(message);
    if (message.type === 'time')
        times([[message.label, duration(message.best)]]);
    if (message.type === 'failed' && message.where)
        editor.fault = message.where.line;
}

const runner = new Runner({heard, changed(now) {
    state({loading: 'loading Kiln', ready: 'ready', running: 'running', broken: 'Kiln could not be loaded'}[now]);
    by_id('stop').disabled = now !== 'running';
    document.body.dataset.state = now;
}});

async function run() {
    results.clear();
    forget();
    editor.fault = null;
    show_tab(tabs[0]);
    const {stopped, failed, ms} = await runner.run(editor.value).catch(() => ({failed: true, ms: 0}));
    if (stopped)
        results.add({type: 'warning', text: 'stopped'});
    state(stopped ? 'stopped' : failed ? 'failed' : `done in ${duration(ms)}`);
    document.body.dataset.runs = Number(document.body.dataset.runs ?? 0) + 1;
}

const has_webgl = () => {
    const gl = globalThis.OffscreenCanvas && new OffscreenCanvas(1, 1).getContext('webgl2');
    gl?.getExtension('WEBGL_lose_context')?.loseContext(); // the program's Worker has its own
    return Boolean(gl);
};
if (navigator.gpu)
    by_id('device').append(element('option', {value: 'webgpu'}, 'WebGPU'));
if (has_webgl())
    by_id('device').append(element('option', {value: 'webgl'}, 'WebGL'));
by_id('device').hidden = by_id('device').options.length === 1; // there is nothing to choose
by_id('device').addEventListener('change', e => {
    runner.options = e.target.value === 'host' ? {} : {device: e.target.value};
});
by_id('run').addEventListener('click', run);
by_id('stop').addEventListener('click', () => runner.stop());

// ---- The line below the results; arrows walk through what was entered before.
const entered = [];
let at = 0;
by_id('console').addEventListener('submit', async e => {
    e.preventDefault();
    const input = by_id('line'), text = input.value.trim();
    if (!text)
        return;
    entered.push(text);
    at = entered.length;
    input.value = '';
    show_tab(tabs[0]);
    results.add({type: 'asked', text});
    const {stopped, ms} = await runner.line(text).catch(() => ({ms: 0}));
    state(stopped ? 'stopped' : `done in ${duration(ms)}`);
    document.body.dataset.lines = entered.length;
});
by_id('line').addEventListener('keydown', e => {
    const to = {ArrowUp: at - 1, ArrowDown: at + 1}[e.key];
    if (to === undefined || to < 0 || to > entered.length)
        return;
    e.preventDefault();
    at = to;
    e.target.value = entered[at] ?? '';
});

// ---- Programs: examples, shared ones, the one of the last visit.
for (const {id, title} of programs)
    by_id('examples').append(element('option', {value: id}, title));
by_id('examples').addEventListener('change', e => {
    const found = programs.find(p => p.id === e.target.value);
    if (found) {
        editor.value = found.code;
        history.replaceState(null, '', `#${found.id}`);
        run();
    }
    e.target.value = '';
});
by_id('share').addEventListener('click', async () => {
    const fragment = await encode(editor.value), address = location.href.replace(/#.*/, '') + fragment;
    history.replaceState(null, '', fragment);
    try {
        await navigator.clipboard.writeText(address);
        state('the address with the program is in the clipboard');
    } catch {
        state('the address of this page has the program');
    }
});

async function first_program() {
    const shared = await decode(location.hash), named = programs.find(p => `#${p.id}` === location.hash);
    let kept = null;
    try {
        kept = localStorage.getItem(KEPT);
    } catch { /* not allowed to look */ }
    return {text: shared ?? named?.code ?? kept ?? programs[0].code, own: shared === null};
}

addEventListener('hashchange', async () => {
    const {text} = await first_program();
    if (text !== editor.value)
        editor.value = text;
});

forget();
const {text, own} = await first_program();
editor.value = text;
fetch(new URL('names.json', import.meta.url)).then(async r => { completer.docs = await r.json(); }).catch(() => {});
if (own) // what somebody else sent is read before it runs
    run();
else
    runner.start().then(() => state('ready: a program that was shared; look at it, then run it')).catch(() => {});
document.body.dataset.loaded = 'true';

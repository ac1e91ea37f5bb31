// SPDX-License-Identifier: Apache-2.0
// editor.mjs -- an editor of programs: a textarea (so that keyboards, screen readers, phones and undo work as
// everywhere) over a layer with colours.
import {highlight, tokens} from './lexer.mjs';
import {element} from './output.mjs';

const INDENT = '    ';
const pairs = {'(': ')', '[': ']', '{': '}'};
let serial = 0;

/** The line, from 0, that a place is in, and its beginning. */
const line_of = (text, at) => {
    const start = text.lastIndexOf('\n', at - 1) + 1;
    return {start, number: text.slice(0, start).split('\n').length - 1,
        text: text.slice(start, (text.indexOf('\n', at) + 1 || text.length + 1) - 1)};
};

/**
 * An editor in an element. options: value; label: for screen readers; complete(text, at) -> {from, items: [{name,
 * detail}]} or null; changed(), run(), moved(text, at): called when the text changed, by Ctrl+Enter, and when the caret
 * moved. Tab indents; Escape, then Tab leaves the editor.
 */
export class Editor {
    #area;
    #paint;
    #lines;
    #list;
    #root;
    #options;
    #items = [];
    #chosen = 0;
    #from = 0;
    #leaves = false;
    #fault = null;

    constructor(root, options = {}) {
        const id = `editor-${++serial}`;
        this.#options = options;
        this.#root = root;
        root.classList.add('editor');
        this.#lines = element('pre', {class: 'editor-lines', 'aria-hidden': 'true'});
        this.#paint = element('pre', {class: 'editor-paint', 'aria-hidden': 'true'});
        this.#area = element('textarea', {
            id, 'aria-label': options.label ?? 'Program', spellcheck: 'false', autocapitalize: 'off',
            autocomplete: 'off', autocorrect: 'off', wrap: 'off',
            'aria-autocomplete': 'list', 'aria-controls': `${id}-list`, 'aria-describedby': `${id}-keys`,
            'aria-haspopup': 'listbox',
        });
        this.#list = element('ul', {id: `${id}-list`, class: 'editor-list', role: 'listbox',
            'aria-label': 'Completions', hidden: true});
        const keys = element('span', {id: `${id}-keys`, class: 'hidden-label'},
            'Control and Enter runs. Tab indents; Escape, then Tab leaves the editor. Control and Space completes.');
        root.append(this.#lines, element('div', {class: 'editor-body'}, this.#paint, this.#area), this.#list, keys);
        this.#area.value = options.value ?? '';
        this.#listen();
        this.#draw();
    }

    get value() { return this.#area.value; }

    /** Another text; what was typed before cannot be undone. */
    set value(text) {
        this.#area.value = text;
        this.#fault = null;
        this.#close();
        this.#draw();
        this.#root.scrollTo(0, 0);
        this.#options.changed?.();
    }

    get area() { return this.#area; }

    /** Marks a line (from 1) as faulty; null: none. */
    set fault(line) {
        this.#fault = line;
        this.#draw();
    }

    /** Puts the caret at the begin of a line, from 1. */
    go(line) {
        const at = this.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
        this.#area.focus();
        this.#area.setSelectionRange(at, at);
        this.#reveal();
    }

    #draw() {
        const text = this.value, lines = text.split('\n');
        this.#paint.innerHTML = highlight(text) + '\n';
        this.#lines.replaceChildren(...lines.map(
            (_, i) => element('span', {class: i + 1 === this.#fault ? 'at-fault' : null}, `${i + 1}\n`)));
        this.#area.style.minHeight = `${lines.length * 1.5}em`;
    }

    #listen() {
        const area = this.#area;
        area.addEventListener('input', e => {
            this.#fault = null;
            this.#draw();
            if (e.inputType !== 'insertFromPaste')
                this.#suggest(false);
            this.#options.changed?.();
        });
        area.addEventListener('keydown', e => this.#key(e));
        area.addEventListener('blur', () => setTimeout(() => this.#close(), 150)); // a click on the list comes first
        area.addEventListener('click', () => this.#close());
        document.addEventListener('selectionchange', () => {
            if (document.activeElement === area)
                this.#options.moved?.(this.value, area.selectionStart);
        });
        this.#root.addEventListener('scroll', () => this.#close());
        this.#root.addEventListener('pointerdown', e => {
            if (e.target === this.#root || e.target === this.#lines) { // below or beside the text
                e.preventDefault();
                area.focus();
            }
        });
        this.#list.addEventListener('pointerdown', e => {
            const item = e.target.closest('li');
            e.preventDefault();
            if (item)
                this.#accept([...this.#list.children].indexOf(item));
        });
    }

    /** Types a text in place of what is selected, so that it can be undone. */
    insert(text, from = this.#area.selectionStart, to = this.#area.selectionEnd) {
        this.#area.focus();
        this.#area.setSelectionRange(from, to);
        // deprecated, and the only way that keeps undo
        if (!document.execCommand(text ? 'insertText' : 'delete', false, text)) {
            this.#area.setRangeText(text, from, to, 'end');
            this.#area.dispatchEvent(new InputEvent('input'));
        }
    }

    #key(e) {
        const open = !this.#list.hidden, command = e.ctrlKey || e.metaKey;
        const does = {
            ArrowDown: () => open && this.#choose(this.#chosen + 1),
            ArrowUp: () => open && this.#choose(this.#chosen - 1),
            PageDown: () => open && this.#choose(this.#chosen + 8),
            PageUp: () => open && this.#choose(this.#chosen - 8),
            Enter: () => (command ? this.#run() : open ? this.#accept(this.#chosen) : this.#newline(e)),
            Tab: () => this.#tab(e, open),
            Escape: () => { this.#leaves = !open; this.#close(); return open; },
            ' ': () => command && this.#suggest(true),
            '/': () => command && this.#comment(),
            Backspace: () => !command && this.#unindent(),
            '}': () => this.#closing('}'), ']': () => this.#closing(']'), ')': () => this.#closing(')'),
        };
        if (e.isComposing)
            return;
        const done = Object.hasOwn(does, e.key) && does[e.key]();
        if (e.key !== 'Escape' && e.key !== 'Shift')
            this.#leaves = false;
        if (done)
            e.preventDefault();
    }

    #run() {
        this.#close();
        this.#options.run?.();
        return true;
    }

    #newline(e) {
        const {selectionStart: at, value} = this.#area, line = line_of(value, at),
            before = value.slice(line.start, at).trimEnd();
        if (e.shiftKey || e.altKey)
            return false;
        const indent = /^ */.exec(line.text)[0], opens = Object.hasOwn(pairs, before.at(-1) ?? ''),
            closes = value[at] === pairs[before.at(-1)];
        this.insert(`\n${indent}${opens ? INDENT : ''}${opens && closes ? `\n${indent}` : ''}`);
        if (opens && closes)
            this.#area.setSelectionRange(at + 1 + indent.length + INDENT.length,
                at + 1 + indent.length + INDENT.length);
        this.#reveal();
        return true;
    }

    #tab(e, open) {
        if (this.#leaves || e.altKey || e.ctrlKey || e.metaKey)
            return false;
        const {selectionStart: a, selectionEnd: b, value} = this.#area;
        if (open && !e.shiftKey)
            return this.#accept(this.#chosen);
        if (a === b && !e.shiftKey) {
            this.insert(INDENT.slice((a - line_of(value, a).start) % INDENT.length));
            return true;
        }
        this.#each_line(line => (e.shiftKey ? line.replace(/^ {1,4}/, '') : line && INDENT + line));
        return true;
    }

    /** Changes each line that is selected, and selects them all. */
    #each_line(change) {
        const {selectionStart: a, selectionEnd: b, value} = this.#area, from = line_of(value, a).start;
        const end = value.indexOf('\n', b > a ? b - 1 : b), to = end < 0 ? value.length : end;
        const text = value.slice(from, to).split('\n').map(change).join('\n'),
            caret = a === b ? Math.max(from, a + text.length - (to - from)) : null;
        this.insert(text, from, to);
        this.#area.setSelectionRange(caret ?? from, caret ?? from + text.length);
    }

    #comment() {
        const {selectionStart: a, selectionEnd: b, value} = this.#area, from = line_of(value, a).start;
        const lines = value.slice(from, Math.max(b, from)).split('\n'),
            all = lines.every((l, i) => /^\s*\/\//.test(i ? l : line_of(value, a).text) || !l.trim());
        this.#each_line(line => (all ? line.replace(/^(\s*)\/\/ ?/, '$1') : line.replace(/^(\s*)(?=\S)/, '$1// ')));
        return true;
    }

    /** Backspace behind nothing but spaces takes as many as a Tab gave. */
    #unindent() {
        const {selectionStart: a, selectionEnd: b, value} = this.#area,
            before = value.slice(line_of(value, a).start, a);
        if (a !== b || !before || before.trim() || before.length % INDENT.length)
            return false;
        this.insert('', a - INDENT.length, a);
        return true;
    }

    /** A bracket that closes stands below the line that opened it. */
    #closing(bracket) {
        const {selectionStart: a, selectionEnd: b, value} = this.#area, line = line_of(value, a);
        if (a !== b || value.slice(line.start, a).trim() || a - line.start < INDENT.length)
            return false;
        this.insert(bracket, a - INDENT.length, a);
        return true;
    }

    /** The place of the caret in the window: {left, top, bottom}. */
    #caret(at) {
        const area = this.#area, box = area.getBoundingClientRect(), style = getComputedStyle(area),
            size = parseFloat(style.fontSize);
        this.ruler ??= document.createElement('canvas').getContext('2d');
        this.ruler.font = `${style.fontSize} ${style.fontFamily}`;
        const line = line_of(this.value, at), height = size * 1.5;
        const before = this.ruler.measureText(this.value.slice(line.start, at)).width;
        const left = box.left + parseFloat(style.paddingLeft) + before;
        const top = box.top + parseFloat(style.paddingTop) + line.number * height;
        return {left, top, bottom: top + height};
    }

    /** Scrolls so that the caret is seen. */
    #reveal() {
        const {left, top, bottom} = this.#caret(this.#area.selectionStart), box = this.#root.getBoundingClientRect(),
            lines = this.#lines.offsetWidth;
        this.#root.scrollTop += Math.max(0, bottom + 8 - box.bottom) + Math.min(0, top - 8 - box.top);
        this.#root.scrollLeft += Math.max(0, left + 24 - box.right) + Math.min(0, left - 8 - box.left - lines);
    }

    #suggest(asked) {
        const {selectionStart: at, selectionEnd: end} = this.#area, inside = in_text(this.value, at);
        const found = at === end && !inside ? this.#options.complete?.(this.value, at, asked) : null;
        if (!found?.items.length) {
            this.#close();
            return true;
        }
        this.#from = found.from;
        this.#items = found.items.slice(0, 200);
        this.#list.replaceChildren(...this.#items.map(({name, detail}, i) =>
            element('li', {role: 'option', id: `${this.#list.id}-${i}`}, name,
                detail ? element('small', {}, detail) : null)));
        this.#list.hidden = false;
        this.#choose(0);
        const {left, top, bottom} = this.#caret(this.#from), {offsetWidth: width, offsetHeight: height} = this.#list;
        this.#list.style.left = `${Math.max(4, Math.min(left - 12, innerWidth - width - 4))}px`;
        this.#list.style.top = `${bottom + height + 4 < innerHeight ? bottom + 2 : Math.max(4, top - height - 2)}px`;
        this.#area.setAttribute('aria-expanded', 'true');
        return true;
    }

    #choose(i) {
        const n = this.#items.length;
        this.#list.children[this.#chosen]?.setAttribute('aria-selected', 'false');
        this.#chosen = Math.abs(i - this.#chosen) > 1 ? Math.max(0, Math.min(n - 1, i)) : (i + n) % n;
        const item = this.#list.children[this.#chosen];
        item.setAttribute('aria-selected', 'true');
        item.scrollIntoView({block: 'nearest'});
        this.#area.setAttribute('aria-activedescendant', item.id);
        return true;
    }

    #accept(i) {
        const item = this.#items[i];
        this.insert(item.name, this.#from, this.#area.selectionStart);
        this.#close();
        return true;
    }

    #close() {
        this.#list.hidden = true;
        this.#items = [];
        this.#area.setAttribute('aria-expanded', 'false');
        this.#area.removeAttribute('aria-activedescendant');
    }
}

/** Is a place inside of a comment, or of a string that is not a template's hole? */
function in_text(text, at) {
    const token = tokens(text).find(t => t.start < at && t.start + t.text.length >= at);
    if (!token)
        return false;
    const open = token.start + token.text.length > at;
    if (token.type === 'comment')
        return open || token.text.startsWith('//');
    return token.type === 'string' && (open || !/['"`{]$/.test(token.text));
}

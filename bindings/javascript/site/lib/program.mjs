// SPDX-License-Identifier: Apache-2.0
// program.mjs -- what is changed in the text of a program before it runs in the Worker: names of packages become
// addresses, and what it declares at its top is left behind for the line below the results. Lines stay where they are.
import {tokens} from './lexer.mjs';

/** Stands before every program; a program that was not even parsed has not run it. */
export const prelude = 'self.kilnBegan = true; ';

const solid = list => list.filter(t => t.type !== 'space' && t.type !== 'comment');

/** Names that a pattern binds: `a`, `{a, b: c = 1, ...d}`, `[a, , b]`; from list[i] on. Where it ends, too. */
function pattern(list, i, names) {
    const first = list[i];
    if (first?.type === 'name') {
        names.push(first.text);
        return i + 1;
    }
    if (first?.text !== '{' && first?.text !== '[')
        return i + 1;
    const depth = first.depth + 1;
    for (i++; i < list.length && list[i].depth >= depth;) {
        if (first.text === '{' && list[i + 1]?.text === ':' && list[i + 1].depth === depth)
            i += 2; // a key
        i = list[i].text === '...' ? pattern(list, i + 1, names) : list[i].text === ',' ? i : pattern(list, i, names);
        while (i < list.length && list[i].depth >= depth && !(list[i].text === ',' && list[i].depth === depth))
            i++; // a default
        if (list[i]?.text === ',')
            i++;
    }
    return i + 1;
}

/**
 * Does a declaration end before list[i]? At a ";", and where a word that begins statements begins a line, but for
 * behind an operator.
 */
function ends(list, i, text) {
    const {type, text: word, depth, start} = list[i], before = list[i - 1];
    return depth === 0 && (word === ';' || (
        type === 'keyword' && text.slice(before.start + before.text.length, start).includes('\n') &&
        (before.type !== 'sign' || [')', ']', '}'].includes(before.text))));
}

/**
 * The names that a text declares at its top. Some may be too many (behind a comma of the next line): nobody may rely on
 * each being there.
 */
export function declared(text) {
    const list = solid(tokens(text)), names = [];
    for (let i = 0; i < list.length; i++) {
        const {type, text: word, depth} = list[i];
        if (depth || type !== 'keyword')
            continue;
        if (word === 'const' || word === 'let' || word === 'var') {
            i = pattern(list, i + 1, names);
            for (; i < list.length && !ends(list, i, text); i++)
                if (list[i].depth === 0 && list[i].text === ',')
                    i = pattern(list, i + 1, names) - 1;
            if (list[i]?.text !== ';')
                i--;
        } else if (word === 'function' || word === 'class') {
            const at = list[i + 1]?.text === '*' ? i + 2 : i + 1;
            if (list[at]?.type === 'name')
                names.push(list[at].text);
        } else if (word === 'import' && list[i + 1]?.text !== '(') {
            for (i++; i < list.length && list[i].type !== 'string'; i++)
                if (list[i].type === 'name' && list[i + 1]?.text !== 'as')
                    names.push(list[i].text);
        }
    }
    return [...new Set(names)].filter(n => n !== 'as');
}

/** The text with the names of packages as addresses: import ... from 'kiln', import('kiln'). */
function addressed(text, modules) {
    let out = '', before = [];
    for (const t of tokens(text)) {
        const name = t.type === 'string' ? t.text.slice(1, -1) : '',
            imported = before.at(-1) === 'from' || before.at(-1) === 'import' ||
            (before.at(-1) === '(' && before.at(-2) === 'import');
        out += imported && Object.hasOwn(modules, name) ? JSON.stringify(modules[name]) : t.text;
        if (t.type !== 'space' && t.type !== 'comment')
            before = [...before.slice(-1), t.text];
    }
    return out;
}

const left = names => names.map(n => `try { globalThis.${n} = ${n}; } catch {}`).join(' ');

/** A program as a module. modules: {name of a package: its address} */
export function as_module(text, modules) {
    return `${prelude}${addressed(text, modules)}\n;${left(declared(text))}`;
}

/**
 * One line, for the Worker's global eval: what it declares becomes global. Where it waits (await), it is an async
 * function's body, or expression.
 * @returns {{text: string, waits: boolean}}
 */
export function as_line(text, modules) {
    const list = tokens(text), names = declared(text),
        waits = list.some(t => t.text === 'await' && t.type === 'keyword');
    const plain = addressed(text, modules);
    if (!waits) {
        let out = '';
        for (const t of tokens(plain))
            out += t.depth === 0 && t.type === 'keyword' && (t.text === 'const' || t.text === 'let') ? 'var' : t.text;
        const found = /^\s*class\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(out);
        return {text: found ? `var ${found[1]} = ${out}` : /^\s*\{/.test(out) ? expression(out) : out, waits};
    }
    return {text: compiles(`(async () => (${plain}\n))`) ?
        `(async () => (${plain}\n))()` : `(async () => { ${plain}\n; ${left(names)} })()`, waits};
}

function compiles(text) {
    try {
        return Boolean(new Function(text));
    } catch {
        return false;
    }
}

/** A line that begins with a brace is an object, if it can be one. */
const expression = text => (compiles(`(${text}\n)`) ? `(${text}\n)` : text);

/**
 * Where in the program an error came from: {line, column} from 1, or null. address: of the module that the program
 * became.
 */
export function place(stack, address) {
    const at = String(stack ?? '').split(address).slice(1).map(rest => /^:(\d+):(\d+)/.exec(rest)).find(Boolean);
    if (!at)
        return null;
    const line = Number(at[1]), column = Number(at[2]);
    return {line, column: Math.max(1, line === 1 ? column - prelude.length : column)};
}

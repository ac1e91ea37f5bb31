// SPDX-License-Identifier: Apache-2.0
// complete.mjs -- completions for the editor, and what is told of the name at the caret. The names are those that the
// package has at run time; what they mean is in names.json, which scripts/make-site.sh makes of the descriptions of
// public functions.
import {tokens} from './lexer.mjs';

const words = ('await async break case catch class const continue else export false for function if import ' +
    'let new null of return throw true try typeof undefined using while Math console performance ' +
    'Float32Array Float64Array Int32Array Uint8Array').split(' ');

/**
 * Where a name begins that ends at a place; and the name before its dot, if there is one: "np", "np.linalg", "" for
 * what is no name.
 */
function context(text, at) {
    const from = at - /[\w$]*$/.exec(text.slice(0, at))[0].length;
    if (text[from - 1] !== '.' || text[from - 2] === '.')
        return {from, of: null, typed: text.slice(from, at)};
    const path = /((?:[\p{ID_Start}$_][\w$]*\.)*[\p{ID_Start}$_][\w$]*)\??\.$/u.exec(text.slice(0, from));
    return {from, of: path?.[1] ?? '', typed: text.slice(from, at)};
}

export class Completer {
    #names = {globals: [], array: []};
    #docs = {};

    /** names: what worker.mjs said; docs: {"np.sum": ["sum(a, axis)", "Sum of elements."], ...} */
    set names(names) { this.#names = names; }
    set docs(docs) { this.#docs = docs; }

    #of(of, text) {
        if (of === null) {
            const own = tokens(text).filter(t => t.type === 'name' && t.text.length > 1).map(t => t.text);
            return [...new Set([...this.#names.globals, ...words, ...own])];
        }
        const known = this.#names[of] ?? this.#names[{numpy: 'np', 'kiln.np': 'np'}[of]];
        return known ?? (of.includes('.') && this.#names[of.split('.')[0]] ? [] : this.#names.array);
    }

    #doc(of, name) {
        const whole = of === null ? name : `${of === 'numpy' ? 'np' : of}.${name}`;
        return this.#docs[whole] ?? this.#docs[`Array.${name}`] ?? null;
    }

    /** Completions of what stands before a place. Not asked for, they come behind a dot and from two letters on. */
    complete(text, at, asked) {
        const {from, of, typed} = context(text, at);
        const number = /\d/.test(typed[0] ?? '') || /(?:^|[^\w$])\d[\d_]*\.$/.test(text.slice(0, from));
        if (number || (!asked && of === null && typed.length < 2))
            return null;
        const wanted = typed.toLowerCase();
        const rank = name => (name.startsWith(typed) ? 0 : name.toLowerCase().startsWith(wanted) ? 1 : 2);
        const items = this.#of(of, text.slice(0, from) + ' ' + text.slice(at))
            .filter(n => typeof n === 'string' && !n.startsWith('_') && n !== 'constructor')
            .filter(n => (wanted.length > 1 ? n.toLowerCase().includes(wanted) : rank(n) < 2))
            .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
            .map(name => ({name, detail: this.#doc(of, name)?.[0] ?? ''}));
        return items.length === 1 && items[0].name === typed ? null : {from, items};
    }

    /**
     * What is told of the name at a place, or of the function whose arguments it is among: [signature, sentence], or
     * null.
     */
    told(text, at) {
        const end = at + /^[\w$]*/.exec(text.slice(at))[0].length, {of, from} = context(text, end),
            name = text.slice(from, end);
        const found = name ? this.#doc(of, name) : null;
        if (found)
            return found;
        let depth = 0;
        for (let i = at - 1, least = Math.max(0, at - 2000); i >= least; i--) {
            if (text[i] === ')')
                depth++;
            else if (text[i] === '(' && depth-- === 0) {
                const outer = context(text, i);
                return outer.typed ? this.#doc(outer.of, outer.typed) : null;
            }
        }
        return null;
    }
}

// SPDX-License-Identifier: Apache-2.0
// lexer.mjs -- JavaScript as a list of tokens: for colours, completions, and for what program.mjs changes in a program.

const keywords = new Set(('await async break case catch class const continue debugger default delete do else export ' +
    'extends finally for from function if import in instanceof let new of return static super switch this throw try ' +
    'typeof using var void while with yield').split(' '));
const values = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']);
// A "/" behind one of these begins a regular expression, as behind any sign but a closing one.
const before_regex = new Set(['return', 'typeof', 'case', 'do', 'else', 'in', 'of', 'void', 'delete', 'await', 'yield',
    'throw', 'new', 'instanceof']);

const space = /\s+/y, line_comment = /\/\/.*/y, block_comment = /\/\*[\s\S]*?(?:\*\/|$)/y;
const number = /(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?/y;
const name = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/yu;
const string = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const template = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const sign = /=>|\.\.\.|\?\.|[-+*/%&|^<>=!?~:;,.(){}[\]@]|[\s\S]/y;

/**
 * The tokens of a text, all of it: {type, text, start, depth}. Types: space, comment, string, number, regex, keyword,
 * value, name, sign. depth: how many brackets are open there; a closing one has the depth of its opening one.
 */
export function tokens(text) {
    const list = [], open = []; // brackets; a template's "${" is one, too
    let at = 0, last = null;
    const take = pattern => {
        pattern.lastIndex = at;
        return pattern.exec(text)?.[0];
    };
    const push = (type, part, depth = open.length) => {
        if (part === '')
            return;
        const token = {type, text: part, start: at, depth};
        list.push(token);
        at += part.length;
        if (type !== 'space' && type !== 'comment')
            last = token;
    };
    const ends_value = () => last && (['string', 'number', 'regex', 'value', 'name'].includes(last.type) ||
        (last.type === 'keyword' && !before_regex.has(last.text)) || [')', ']', '}'].includes(last.text));
    const in_template = start => { // from a "`" or the "}" of a "${...}" on
        const from = at;
        at += start.length;
        at += take(template).length;
        const hole = text.startsWith('${', at), end = hole ? 2 : at < text.length ? 1 : 0,
            part = text.slice(from, at + end);
        at = from;
        push('string', part);
        if (hole)
            open.push('${');
    };
    while (at < text.length) {
        const c = text[at];
        let part;
        if ((part = take(space)))
            push('space', part);
        else if ((part = take(line_comment) ?? take(block_comment)))
            push('comment', part);
        else if (c === '`')
            in_template('`');
        else if (c === '}' && open.at(-1) === '${') {
            open.pop();
            in_template('}');
        } else if ((c === '"' || c === "'") && (part = take(string)))
            push('string', part);
        else if (c === '/' && !ends_value() && (part = take(regex)))
            push('regex', part);
        else if (/[\d.]/.test(c) && (part = take(number)))
            push('number', part);
        else if ((part = take(name))) {
            const member = last?.text === '.' || last?.text === '?.';
            push(!member && keywords.has(part) ? 'keyword' : !member && values.has(part) ? 'value' : 'name', part);
        } else {
            part = take(sign);
            if (')]}'.includes(part))
                open.pop();
            push('sign', part);
            if ('([{'.includes(part))
                open.push(part);
        }
    }
    return list;
}

const classes = {keyword: 'k', value: 'n', number: 'n', string: 's', regex: 's', comment: 'c'};
const escape = text => text.replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[c]);

/** The text as HTML with a <span> around what has a colour. */
export function highlight(text) {
    return tokens(text).map(({type, text: part}) =>
        classes[type] ? `<span class="${classes[type]}">${escape(part)}</span>` : escape(part)).join('');
}

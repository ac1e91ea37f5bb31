// SPDX-License-Identifier: Apache-2.0
// signature.js -- functions that are written by hand take their arguments as those of the table do: by position, or by
// name in a plain object at the end, in NumPy's spelling or in camelCase. A signature is a text in the form of
// bindings/shared/names: "pad(array, pad_width, mode=, *, stat_length=)"; "=" marks what may be left out, "*args" takes
// all that is left, "**options" the names that nobody knows; null is as what is not given, but where "=null" says that
// it is a value.
import {ensure} from './engine.js';
import {isComplex} from './convert.js';
import {errorOf, explained} from './errors.js';
import {camel, isPlain} from './call.js';
import {tidy} from './tidy.js';

function parse(signature) {
    const [, name, list] = /^(\w+)\((.*)\)$/.exec(signature), params = [];
    let rest = -1, options = false, keyword = false;
    for (const p of list.split(',').map(s => s.trim()).filter(Boolean)) {
        if (p === '*') keyword = true;
        else if (p.startsWith('**')) options = true;
        else if (p.startsWith('*'))
            rest = params.push({name: p.slice(1), required: false, keyword: false}) - 1, keyword = true;
        else params.push({name: p.split('=')[0], required: !p.includes('='), keyword, isNull: p.endsWith('=null')});
    }
    const byName = new Map(params.flatMap((p, i) => [[p.name, i], [camel(p.name), i]]));
    const positional = params.filter(p => !p.keyword).length;
    return {name, params, rest, options, positional, byName};
}

function bind({name, params, rest, options, positional, byName}, args) {
    const values = new Array(params.length).fill(undefined), more = {};
    let n = args.length;
    const last = n ? args[n - 1] : null;
    if (isPlain(last) && !isComplex(last)) {
        const keys = Object.keys(last), known = keys.some(k => byName.has(k));
        if (known || rest >= 0 || n > params.findIndex(p => !p.required)) {
            n--;
            for (const k of keys) {
                const i = byName.get(k);
                if (i !== undefined) values[i] = last[k];
                else if (options) more[k] = last[k];
                else throw errorOf('TypeError', `${name}() got an unexpected argument '${k}'`);
            }
        }
    }
    const most = rest >= 0 ? rest : positional;
    if (n > most && rest < 0)
        throw errorOf('TypeError',
            `${name}() takes at most ${positional} arguments by position, not ${n}; others come by ` +
            'name, in an object at the end');
    for (let i = 0; i < Math.min(n, most); i++) {
        if (args[i] === undefined) continue;
        if (values[i] !== undefined) throw errorOf('TypeError', `${name}() got '${params[i].name}' twice`);
        values[i] = args[i];
    }
    if (rest >= 0) values[rest] = args.slice(rest, n);
    params.forEach((p, i) => {
        if (p.required && values[i] === undefined)
            throw errorOf('TypeError', `${name}() misses its argument '${p.name}'`);
        if (values[i] === null && !p.required && !p.isNull) values[i] = undefined; // null stands for what is not given
    });
    if (options) values.push(more);
    return values;
}

/** A function with this signature that calls f with a value for each of the names, undefined for what is not given.
 * What arrays it makes on its way go with it, but where it calls functions of the user's. */
export function define(signature, f, {callsUser = false} = {}) {
    const s = parse(signature);
    return {[s.name](...args) {
        ensure();
        const values = bind(s, args);
        try {
            return callsUser ? f(...values) : tidy(() => f(...values));
        } catch (e) {
            throw explained(e, s.name, args);
        }
    }}[s.name];
}
/** An object of functions: signatures and what they do, under NumPy's names and those in camelCase. */
export function defineAll(list) {
    const all = {};
    for (const [signature, f, options] of list) {
        const g = define(signature, f, options);
        all[g.name] = all[camel(g.name)] = g;
    }
    return all;
}

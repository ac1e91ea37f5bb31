// SPDX-License-Identifier: Apache-2.0
// debug.js -- functions of JavaScript that run when a program runs (jax.pure_callback, jax.experimental.io_callback,
// jax.debug).
import {isArrayLike, isNumber, operand} from './convert.js';
import {ensure, engine, get, lastingText, onRun, put, room, text} from './engine.js';
import {describe, errorOf} from './errors.js';
import {check, inUser, isKept, keep, scoped} from './handles.js';
import {KilnArray} from './array.js';
import {rowCall, wrapList} from './call.js';
import {keepWithCallers} from './function.js';
import {asArray, callable, optionsOf} from './jit.js';
import {ShapeDtypeStruct} from './transforms.js';
import {flatten, registerStatic} from './tree.js';
import {here} from './place.js';

// What programs call by its number: recordings of it keep it alive in the functions that they are of.
const living = new Map(); // serial -> WeakRef of Callback
const gone = new FinalizationRegistry(serial => living.delete(serial));
let serials = 0;
export class Callback {
    keepers = 0;
    constructor(callable) {
        this.callable = callable;
        this.serial = ++serials;
        living.set(this.serial, new WeakRef(this));
        gone.register(this, this.serial);
        keepWithCallers(this);
    }
}
export function callbackOf(serial) {
    const f = living.get(serial)?.deref();
    if (!f) throw errorOf('RuntimeError', 'a function that is gone was to be called');
    return f.callable;
}
onRun((serial, nIn, into, nOut, out) => {
    if (isKept()) return 1;
    try {
        const f = callbackOf(serial);
        inUser(() => {
            const args = Array.from({length: nIn}, (_, i) => new KilnArray(get(into + 4 * i)));
            const results = f(args);
            if (results.length !== nOut)
                throw errorOf('TypeError', `the callback returned ${results.length} arrays, but ${nOut} were promised`);
            if (!nOut) return;
            const list = listOf(results);
            for (let i = 0; i < nOut; i++) put(out + 4 * i, engine.exports.kn_list_get(list, i));
            for (const x of results.made) x.dispose();
            check();
        });
        return 0;
    } catch (e) {
        keep(e);
        return 1;
    }
});
/** A list of C's, of the scope around, in scratch memory. */
export function listOf(items) {
    const at = room(4 * items.length + 4), owned = [];
    items.forEach((x, i) => {
        const o = operand(x);
        if (o.owned) owned.push(o.h);
        put(at + 4 * i, o.h);
    });
    const list = engine.exports.kn_list_from(at, items.length);
    for (const h of owned) engine.exports.kn_release(h);
    check();
    return list;
}

/** The callback as a function of flat lists that gives a flat list of the promised types. */
function host(callback, inTree, outTree = null, types = []) {
    return leaves => {
        const out = callback(...inTree.unflatten(leaves));
        if (!outTree) return [];
        const [given, tree] = flatten(out);
        if (!tree.equals(outTree))
            throw errorOf('ValueError', `the callback returned a value of structure ${tree}, but ${outTree} was ` +
                `promised`);
        const all = given.map((x, i) => (x instanceof KilnArray ? x : isNumber(x)
            ? rowCall('kiln.numpy', 'full', [[], x, {dtype: types[i].dtype}]) : asArray(x)));
        return Object.assign(all, {made: all.filter((x, i) => x !== given[i])});
    };
}
function called(callback, types, args, call) {
    callable(callback, 'callback');
    ensure();
    const [leaves, inTree] = flatten(args), [wanted, outTree] = flatten(types);
    for (const t of wanted)
        if (!(t instanceof ShapeDtypeStruct) && !(t instanceof KilnArray))
            throw errorOf('TypeError', `the type of a result has to be a ShapeDtypeStruct or an array, not ` +
                `${describe(t)}`);
    const f = new Callback(host(callback, inTree, outTree, wanted));
    const abstract = wanted.map(t => rowCall('kiln', 'shape_dtype_struct', [t.shape, t.dtype]));
    try {
        return outTree.unflatten(scoped(() => {
            const y = listOf(abstract), x = listOf(leaves);
            here(null);
            const out = call(engine.exports, f.serial, y, x);
            check();
            return wrapList(out);
        }));
    } finally {
        abstract.forEach(x => x.dispose());
    }
}
/** What callback gives for the values of the arguments; it has no other effect. types: a tree of ShapeDtypeStructs.
 * (jax.pure_callback) */
export const pureCallback = (callback, types, ...args) => pureCallbackWith({}, callback, types, ...args);
/** The same with options first: vmapMethod ("sequential", "expand_dims", "broadcast_all"). */
export function pureCallbackWith(options, callback, types, ...args) {
    const {vmapMethod} = optionsOf(options, {vmapMethod: null}, 'pureCallback');
    return called(callback, types, args, (c, serial, y, x) =>
        c.kjs_pure_callback(serial, y, x, vmapMethod ? lastingText(vmapMethod) : 0));
}
/** What callback gives; it may do anything, and runs once. (jax.experimental.io_callback) */
export const ioCallback = (callback, types, ...args) => ioCallbackWith({}, callback, types, ...args);
/** The same with options first: ordered. */
export function ioCallbackWith(options, callback, types, ...args) {
    const {ordered} = optionsOf(options, {ordered: false}, 'ioCallback');
    return called(callback, types, args, (c, serial, y, x) => c.kjs_io_callback(serial, y, x, ordered ? 1 : 0));
}

/** Calls callback with the values of the arguments when the program runs. (jax.debug.callback) */
export function callback(f, ...args) {
    callable(f, 'debug.callback');
    ensure();
    const [leaves, inTree] = flatten(args), kept = new Callback(host(f, inTree));
    scoped(() => {
        const x = listOf(leaves);
        here(null);
        engine.exports.kjs_debug_callback(kept.serial, x);
        check();
    });
}

// The parts of a format: texts, and fields {name, rest}.
function fieldsOf(format) {
    const parts = [];
    let literal = '';
    for (let i = 0; i < format.length; i++) {
        const c = format[i];
        if ((c === '{' || c === '}') && format[i + 1] === c) literal += c, i++;
        else if (c === '}') throw errorOf('ValueError', "Single '}' encountered in format string");
        else if (c === '{') {
            const end = format.indexOf('}', i);
            if (end < 0) throw errorOf('ValueError', "expected '}' before end of string");
            const [, name, rest] = /^([^!:]*)(.*)$/s.exec(format.slice(i + 1, end));
            parts.push(literal, {name, rest});
            literal = '';
            i = end;
        } else literal += c;
    }
    parts.push(literal);
    return parts;
}
/** Prints the values of the arguments when the program runs, by a format like Python's: debug.print("x = {x}, y = {}",
 * y, {x}). (jax.debug.print) */
export function print(format, ...args) {
    if (typeof format !== 'string')
        throw errorOf('TypeError', `debug.print: a format is wanted first, not ${describe(format)}`);
    ensure();
    const parts = fieldsOf(format), fields = parts.filter(p => typeof p === 'object');
    const isNamed = fields.some(f => f.name !== '' && !/^\d+$/.test(f.name));
    const names = isNamed ? args.at(-1) : {}, operands = isNamed ? args.slice(0, -1) : [...args],
        count = operands.length;
    const at = new Map();
    let automatic = 0;
    for (const f of fields) {
        if (f.name === '') f.index = automatic++;
        else if (/^\d+$/.test(f.name)) f.index = Number(f.name);
        else {
            if (names === null || typeof names !== 'object' || !Object.hasOwn(names, f.name))
                throw errorOf('KeyError', f.name);
            if (!at.has(f.name)) at.set(f.name, operands.push(names[f.name]) - 1);
            f.index = at.get(f.name);
            continue;
        }
        if (f.index >= count)
            throw errorOf('IndexError', `Replacement index ${f.index} out of range for positional args`);
    }
    const unused = isNamed ? Object.keys(names).filter(n => !at.has(n)) : [];
    if (unused.length) throw errorOf('ValueError', `Unused keyword arguments to debug.print: ${unused}`);
    if (operands.every(x => isArrayLike(x) && !Array.isArray(x))) {
        const whole = parts.map(p => (typeof p === 'string' ? p.replace(/[{}]/g, '$&$&') :
            `{${p.index}${p.rest}}`)).join('');
        scoped(() => {
            const x = listOf(operands);
            here(null);
            engine.exports.kn_debug_print(text(whole), x);
            check();
        });
        return;
    }
    // trees and other objects are written as JavaScript has them
    callback((...xs) => {
        const line = parts.map(p => (typeof p === 'string' ? p : shown(xs[p.index]))).join('');
        console.log(line);
    }, ...operands.map(x => (isArrayLike(x) || (x !== null && typeof x === 'object') ? x : new Constant(x))));
}
/** Something that is no array: part of the structure of what a callback takes. */
class Constant {
    constructor(value) { this.value = value; }
    toString() { return String(this.value); }
}
registerStatic(Constant);
const shown = x => (x instanceof Constant || x instanceof KilnArray || x === null || typeof x !== 'object' ? String(x)
    : JSON.stringify(x, (_, v) => (v instanceof KilnArray ? v.jsSync() : v)));

// SPDX-License-Identifier: Apache-2.0
// errors.js -- Kiln's errors as classes. Each has the kind's name, and file and line of the call that it is about. Its
// stack has the program's own frames; where it ran later than it was called, with the call that it is about.

const own = new URL('..', import.meta.url).href, ownPath = own.replace(/^file:\/\//, '');
const isInside = f => f.includes(own) || f.includes(ownPath) || f.includes('wasm-function') || f.includes('wasm://') ||
    f.includes('[wasm code]');
/** A file without its scheme and host. */
export const shortName = file => file.replace(/^file:\/\//, '').replace(/^https?:\/\/[^/]+\//, '')
    .replace(/[?#].*$/, '');

function shownStack(error, {file = null, line = 0}) {
    const stack = String(error.stack ?? ''), v8 = stack.includes('\n    at ');
    const [head, ...rest] = v8 ? stack.split('\n    at ') : [null, ...stack.split('\n').filter(Boolean)];
    const outside = rest.filter(f => !isInside(f)), frames = outside.length ? outside : rest;
    if (!frames.length) return;
    const here = /[(@]?([^(@ ]+):(\d+):\d+\)?$/.exec(frames[0].trim());
    if (file && here && (shortName(here[1]) !== file || +here[2] !== line))
        frames.unshift(v8 ? `${file}:${line} (recorded there)` : `(recorded there)@${file}:${line}:0`);
    error.stack = v8 ? [head, ...frames].join('\n    at ') : frames.join('\n');
}

export class KilnError extends Error {
    constructor(message, place = {}) {
        super(message);
        this.name = new.target.name;
        this.file = place.file ?? null;
        this.line = place.line ?? 0;
        shownStack(this, place);
    }
}

const kinds = {};
const make = name => (kinds[name] = {[name]: class extends KilnError {}}[name]);
export const ValueError = make('ValueError');
export const IndexError = make('IndexError');
export const KeyError = make('KeyError');
export const AxisError = make('AxisError');
export const OverflowError = make('OverflowError');
export const LinAlgError = make('LinAlgError');
export const NotImplementedError = make('NotImplementedError');
export const ConcretizationError = make('ConcretizationError');
export const LeakedTracerError = make('LeakedTracerError');
export const MutationError = make('MutationError');
export const ContextError = make('ContextError');
export const FileError = make('FileError');
export const MemoryError = make('MemoryError');
export const NameError = make('NameError');
export const RuntimeError = make('RuntimeError');
export const AssertionError = make('AssertionError');
export const ZeroDivisionError = make('ZeroDivisionError');
export const InconclusiveDimensionOperation = make('InconclusiveDimensionOperation');
export const FloatingPointError = make('FloatingPointError');

// JavaScript's own TypeError, so that `instanceof TypeError` says what it says everywhere.
export class KilnTypeError extends TypeError {
    constructor(message, place = {}) {
        super(message);
        this.file = place.file ?? null;
        this.line = place.line ?? 0;
        shownStack(this, place);
    }
}
kinds.TypeError = KilnTypeError;

/** The error of this kind, "ValueError"; place: {file, line} or null. */
export function errorOf(kind, message, place = null) {
    const limit = Error.stackTraceLimit; // V8's, ten: the package may have as many frames of its own
    if (limit > 0) Error.stackTraceLimit = limit + 30;
    try {
        return new (kinds[kind] ?? RuntimeError)(message, place ?? {});
    } finally {
        if (limit > 0) Error.stackTraceLimit = limit;
    }
}

/** A value in a message. */
export function describe(x) {
    if (x === null) return 'null';
    if (x === undefined) return 'nothing';
    if (Array.isArray(x)) return 'a list';
    if (typeof x === 'object') {
        const name = x.constructor?.name;
        return `an object (${typeof name === 'string' ? name.replace('KilnArray', 'Array') : 'of no class'})`;
    }
    return typeof x === 'function' ? 'a function' : typeof x === 'string' ? `"${x}"` : String(x);
}
// Messages of the engine about the package's own lines ("x.map is not a function"): an argument was not what it should.
const natives = [TypeError, RangeError, SyntaxError, ReferenceError];
const firstFrame = e => String(e.stack ?? '').split('\n').find(l => /:\d+:\d+\)?$/.test(l)) ?? '';
/** The error that a function of the package throws for e: e itself, or one that tells which arguments it was given. */
export function explained(e, name, args) {
    if (!natives.includes(e?.constructor) || !isInside(firstFrame(e)) || /call stack|recursion/.test(e.message)) return e;
    const error = errorOf('TypeError', `${name}() does not take ${args.length ? args.map(describe).join(', ') : 'nothing'}`);
    error.cause = e;
    return error;
}
/** f under this name, whose errors are explained. */
export const explaining = (name, f) => ({[name](...args) {
    try {
        return f.apply(this, args);
    } catch (e) {
        throw explained(e, name, args);
    }
}})[name];

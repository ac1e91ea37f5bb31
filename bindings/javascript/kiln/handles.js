// SPDX-License-Identifier: Apache-2.0
// handles.js -- calls of C: its errors as exceptions, scopes, and objects that own a handle.
import {engine, get, mark, put, release, room, textAt} from './engine.js';
import {errorOf} from './errors.js';
import {lastPlace} from './place.js';

// What a function of the user's threw inside of a call of C: that call throws it on.
let kept = null;
export function keep(e) { kept ??= {e}; }
export const isKept = () => kept !== null;

// Messages name functions of C; here they have other names.
const ofLax = ['cond', 'switch', 'scan', 'while_loop', 'fori_loop'], ofKiln = ['vjp', 'jvp', 'jit', 'grad', 'vmap',
    'eval_shape'];
const inner = {copy_to: '', set_at: '', find_device: '', place_mask: 'place: ', ufunc_outer: 'outer: ', ufunc_reduce: 'reduce: ',
    ufunc_accumulate: 'accumulate: ', ufunc_reduceat: 'reduceat: ', ufunc_at: 'at: '};
const spelled = message => message.replace(/^(\w+): /, (all, name) => inner[name] ?? all.replace(/^random_/, 'random.')
).replace(/\bkn_([a-z_]+)/g, (_, name) => {
    const own = name.replace(/^(lax|random)_/, ''), camel = own.replace(/_([a-z])/g, (_all, c) => c.toUpperCase());
    if (name === 'load_npz') return 'np.load';
    if (name.startsWith('random_')) return `random.${camel}`;
    if (own !== name || ofLax.includes(own)) return `lax.${camel}`;
    return ofKiln.includes(own) ? camel : own === 'device_put' ? 'devicePut' : `np.${camel}`;
}).replace('.holomorphic = true', 'holomorphic: true');
/** Whether something went wrong in the last calls of C. */
export const hasFailed = () => kept !== null || engine.exports.kn_error_pending() !== 0;
/** Throws what went wrong in the last calls of C, if anything did. */
export function check() {
    const {exports: c} = engine;
    if (!kept && !c.kn_error_pending()) return;
    if (kept) {
        const {e} = kept;
        kept = null;
        c.kn_error_clear();
        throw e;
    }
    const file = textAt(c.kn_error_file()), line = c.kn_error_line();
    const error = errorOf(textAt(c.kn_error_kind_name()), spelled(textAt(c.kn_error_message())), file ? {file,
        line} : null);
    c.kn_error_clear();
    throw error;
}

// ---- Scopes: handles that are made between belong to one that ends with it, but what was retained.
let depth = 0; // of scopes, and of functions of the user's that are being called
let users = 0; // of those functions
export const isScoped = () => depth > 0;
export const isTracing = () => users > 0;
/** f() with a scope and scratch memory of its own. */
export function scoped(f) {
    const {exports: c, L} = engine, m = mark(), scope = room(L.kn_scope);
    c.kn_scope_begin(scope);
    depth++;
    try {
        return f();
    } finally {
        depth--;
        if (!users && traced.length) leave();
        c.kn_scope_end(scope);
        release(m);
    }
}
/** f() as a function of the user's that C calls: what it makes belongs to C's scope around the call. */
export function inUser(f) {
    depth++;
    try {
        return f();
    } finally {
        depth--;
    }
}
/** The same for one that is recorded. name: of it */
export function tracing(name, f) {
    const outer = inside;
    depth++, users++;
    inside = name;
    try {
        return f();
    } finally {
        depth--, users--;
        inside = outer;
    }
}

// ---- Objects with a handle. Those that nobody disposes of are released after the collector has found them. It knows
// what objects of JavaScript take, not what they own of Kiln's heap: as that grows beyond what it was after the last
// collection, memory of its own is shown to it, which it counts and nobody touches.
const STEP = 1 << 20, LATE = 1 << 26; // bytes: to be told at once; to wait for
let told = 0, since = 0, isCollected = true, shown = null;
function tell() {
    const used = engine.exports.kiln_heap_used() >>> 0;
    if (isCollected) told = since = used, isCollected = false;
    if (used < told + STEP) return;
    try {
        shown = new ArrayBuffer(used - told);
    } catch { // it has none, and knows
    }
    told = used;
}
const found = new FinalizationRegistry(box => {
    box.end();
    isCollected = true;
});
/** The collector is late: what it finds it gives back when nothing else runs. A promise of that, else null. */
export function breath() {
    if (told - since < LATE) return null;
    since = told;
    return new Promise(done => { setTimeout(done); });
}

/** What ends with an object, or before it. why: what is told to those that ask for it afterwards */
export class Box {
    constructor(handle) {
        this.handle = handle;
        this.why = null;
        this.isArgument = false; // of a function that is recorded, which may be a number
    }
    end() {
        const h = this.handle;
        this.handle = 0;
        if (h) engine.exports.kn_release(h);
    }
}

// Traced values are gone when the outermost function has been recorded, and what they hold of its recording with them:
// a loop that takes gradients needs no collector. Who took one out of the function is told so.
let traced = []; // boxes of what was made meanwhile, each with the function and the line
let inside = '';
function leave() {
    const all = traced, c = engine.exports;
    traced = [];
    for (let i = 0; i < all.length; i += 3) {
        const box = all[i];
        if (!box.handle || (!box.isArgument && !c.kjs_is_traced(box.handle))) continue;
        box.end();
        box.why = {name: all[i + 1], place: all[i + 2]};
    }
}
function isGone({why}) {
    if (!why) return errorOf('ValueError', 'it was disposed of');
    return errorOf('LeakedTracerError', `a traced value escaped from ${why.name} while it was traced; return it from ` +
        `the ` +
        'function instead', placeAt(why.place));
}
const placeAt = at => (at ? {file: textAt(get(at)), line: get(at + engine.L['kn_place.line'])} : null);

/** Something of Kiln's that an object owns. */
export class Handle {
    #box;
    /** The handle is taken over; one that a scope has, too, is retained. */
    constructor(handle, box = new Box(handle)) {
        if (depth) engine.exports.kn_retain(handle);
        if (users) traced.push(box, inside, lastPlace());
        this.#box = box;
        found.register(this, box);
        tell();
    }
    /** The number that C knows it by. */
    get handle() {
        return this.#box.handle || this.#gone();
    }
    #gone() { throw isGone(this.#box); }
    get box() { return this.#box; }
    get isDisposed() { return this.#box.handle === 0; }
    /** Gives it back now, instead of when the collector finds it. Twice is as once. */
    dispose() { this.#box.end(); }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = function () { this.dispose(); };

/** kn_args of lists of handles: the address of the structure, in scratch memory. */
export function argsOf(parts) {
    const {L} = engine, at = room(L.kn_args);
    put(at, parts.length);
    parts.forEach((handles, p) => {
        const list = room(4 * handles.length + 4);
        handles.forEach((h, i) => put(list + 4 * i, h));
        const part = at + L['kn_args.part'] + p * L.kn_const_part;
        put(part, list), put(part + L['kn_const_part.bytes'], 4 * handles.length);
    });
    return at;
}
/** kn_outs of one tree, and where the tree will be. */
export function treeOut() {
    const {L} = engine, at = room(L.kn_args), tree = room(4);
    put(at, 1);
    put(at + L['kn_args.part'], tree), put(at + L['kn_args.part'] + L['kn_const_part.bytes'], 2);
    return {at, tree: () => get(tree)};
}

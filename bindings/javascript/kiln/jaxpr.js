// SPDX-License-Identifier: Apache-2.0
// jaxpr.js -- jaxprs as values: jax.make_jaxpr, and what jax.core shows of them.
import {dtypeName} from './dtype.js';
import {ensure, engine, get, get8, getDouble, getInt, lastingText, mark, put, put8, putInt, release, room, text,
    textAt} from './engine.js';
import {describe, errorOf} from './errors.js';
import {Handle, check, scoped} from './handles.js';
import {operand} from './convert.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';
import {FlatFunction, MAX_PARTS, keepWithCallers, withParts} from './function.js';
import {callable, named, optionsOf} from './jit.js';
import {ShapeDtypeStruct, examples, flatOf} from './transforms.js';
import {here} from './place.js';

const LITERAL = 0x80000000;
const row = (name, ...args) => rowCall('kiln.core', name, args);

/** The type of a variable. (jax.core.ShapedArray) */
export class ShapedArray {
    constructor(shape, dtype) {
        this.shape = shape;
        this.dtype = dtype;
    }
    get ndim() { return this.shape.length; }
    /** "float32[3]" */
    toString() { return `${this.dtype}[${this.shape}]`; }
}
/** A variable of a jaxpr, by its number. (jax.core.Var) */
export class Var {
    constructor(number, aval) {
        this.number = number;
        this.aval = aval;
    }
}
/** A number in a jaxpr. (jax.core.Literal) */
export class Literal {
    constructor(val, aval) {
        this.val = val;
        this.aval = aval;
    }
}
/** An equation: outvars = primitive[params] invars. params is the text that the typed form shows; jaxprs are those in
 * it, place the user's line: {file, line, function}. (jax.core.JaxprEqn) */
export class JaxprEqn {
    constructor(members) { Object.assign(this, members); }
}

/** A program as JAX writes it, with the values of its constants. As a text it is JAX's typed form. */
export class Jaxpr {
    #handle;
    #source; // what the functions live in that the program may call
    #counts;
    #function = null;
    constructor(handle, source = null, treedef = null) {
        this.#handle = handle;
        this.#source = source;
        /** The structure of the function's result. */
        this.treedef = treedef;
        const m = mark(), {L} = engine, at = room(L.kn_jaxpr_counts);
        engine.exports.kn_jaxpr_count(at, handle.handle);
        this.#counts = Object.fromEntries(['constvars', 'invars', 'equations', 'outvars'].map(n => [n, get(at +
            L[`kn_jaxpr_counts.${n}`])]));
        release(m);
        check();
    }
    /** Reads the full form. */
    static parse(source) {
        ensure();
        return new Jaxpr(row('jaxpr_parse', source));
    }
    /** "typed", "classic" (JAX of 2020) or "full", which Jaxpr.parse reads back. */
    text(form = 'typed') {
        const k = ['classic', 'typed', 'full'].indexOf(form);
        if (k < 0) throw errorOf('ValueError', `form has to be "classic", "typed" or "full", not ${describe(form)}`);
        return row('jaxpr_text', this.#handle, k);
    }
    toString() { return this.text().trimEnd(); }
    [Symbol.for('nodejs.util.inspect.custom')]() { return this.toString(); }
    equals(other) { return other instanceof Jaxpr && row('jaxpr_equal', this.#handle, other.#handle); }
    get jaxpr() { return this; }
    #atom(number) {
        number >>>= 0;
        return scoped(() => {
            const {L} = engine, at = room(L.kn_variable);
            put(at, L.kn_variable);
            engine.exports.kn_jaxpr_variable(this.#handle.handle, number, at);
            check();
            const shape = at + L['kn_variable.shape'];
            const aval = new ShapedArray(Array.from({length: get(shape)}, (_, i) => getInt(shape +
                L['kn_shape.dim'] + 8 * i)),
                                         dtypeName(get(at + L['kn_variable.dtype'])));
            if (!get8(at + L['kn_variable.literal'])) return new Var(number, aval);
            return new Literal(aval.dtype.startsWith('complex') ? this.#constant(number) : getDouble(at +
                L['kn_variable.value']), aval);
        });
    }
    #constant(number) { return row('jaxpr_constant', this.#handle, number); }
    #atoms(n, number) { return Array.from({length: n}, (_, i) => this.#atom(number(i))); }
    get constvars() { return this.#atoms(this.#counts.constvars, i => i); }
    get consts() { return Array.from({length: this.#counts.constvars}, (_, i) => this.#constant(i)); }
    get invars() { return this.#atoms(this.#counts.invars, i => this.#counts.constvars + i); }
    get outvars() { return this.#atoms(this.#counts.outvars, i => row('jaxpr_outvar', this.#handle, i)); }
    get inAvals() { return this.invars.map(v => v.aval); }
    get outAvals() { return this.outvars.map(v => v.aval); }
    get eqns() { return Array.from({length: this.#counts.equations}, (_, i) => this.#equation(i)); }
    #read(i) { // equation i as numbers, in scratch memory
        const {L} = engine, at = room(L.kn_equation);
        put(at, L.kn_equation);
        engine.exports.kn_jaxpr_equation(this.#handle.handle, i, at);
        check();
        const of = m => get(at + L[`kn_equation.${m}`]), list = of('in');
        return {name: textAt(of('primitive')), atoms: Array.from({length: of('n_in')}, (_, k) => get(list + 4 * k)),
                first: of('first_out'), nOut: of('n_out'), place: of('place')};
    }
    #equation(i) {
        const {name, atoms, first, nOut, place} = scoped(() => this.#read(i)), {L} = engine;
        const subs = row('jaxpr_sub_count', this.#handle, i);
        return new JaxprEqn({
            primitive: name, params: row('jaxpr_params', this.#handle, i), invars: atoms.map(a => this.#atom(a)),
            outvars: this.#atoms(nOut, k => first + k),
            jaxprs: Array.from({length: subs}, (_, k) => new Jaxpr(row('jaxpr_sub', this.#handle, i, k), this.#source)),
            place: place ? {file: textAt(get(place)), line: get(place + L['kn_place.line']),
                            function: textAt(get(place + L['kn_place.function']))} : null,
        });
    }
    /** Its results for these inputs, a list. */
    eval(...args) {
        const n = this.#counts.invars;
        if (args.length !== n)
            throw errorOf('TypeError', `the jaxpr takes ${n} arguments, but ${args.length} were given`);
        if (this.#source) keepWithCallers(this.#source);
        this.#function ??= scoped(() => {
            here(null);
            const h = engine.exports.kn_fn_from_jaxpr(this.#handle.handle);
            check();
            return new FlatFunction(h, {sizes: n > MAX_PARTS ? [n] : Array(n).fill(1), name: 'jaxpr'});
        });
        return this.#function.call(n > MAX_PARTS ? [args] : args.map(a => [a]));
    }
    /** The same with other constants, equation by equation. (jax.core.eval_jaxpr) */
    evalWith(consts, ...args) {
        const {constvars, invars, equations, outvars} = this.#counts;
        if (consts.length !== constvars || args.length !== invars)
            throw errorOf('TypeError', `the jaxpr takes ${constvars} constants and ${invars} arguments, but ` +
                `${consts.length} and ` +
                `${args.length} were given`);
        if (this.#source) keepWithCallers(this.#source);
        return scoped(() => {
            const c = engine.exports, j = this.#handle.handle, owned = [];
            try {
                const values = [...consts, ...args].map(x => {
                    const o = operand(x);
                    if (o.owned) owned.push(o.h);
                    return o.h;
                });
                const valueOf = a => (a >>> 0 >= LITERAL ? c.kn_jaxpr_constant(j, a) : values[a]);
                here(null);
                for (let i = 0; i < equations; i++) {
                    const m = mark(), {atoms, first, nOut} = this.#read(i);
                    const into = room(4 * atoms.length + 4), out = room(4 * nOut + 4);
                    atoms.forEach((a, k) => put(into + 4 * k, valueOf(a)));
                    c.kn_jaxpr_bind(j, i, into, out);
                    check();
                    for (let k = 0; k < nOut; k++) values[first + k] = get(out + 4 * k);
                    release(m);
                }
                return Array.from({length: outvars}, (_, i) => new KilnArray(valueOf(c.kn_jaxpr_outvar(j, i))));
            } finally {
                for (const h of owned) c.kn_release(h);
            }
        });
    }
    /** A drawing in Graphviz's language. */
    graphviz() { return row('jaxpr_graphviz', this.#handle); }
    /** What jit would run, as text: kernels, routines, copies, and what became of each equation. */
    program() { return row('jaxpr_program', this.#handle); }
    programGraphviz() { return row('jaxpr_program_graphviz', this.#handle); }
    get isDisposed() { return this.#handle.isDisposed; }
    dispose() {
        this.#function?.done();
        this.#function = null;
        if (this.treedef) this.#source?.done(); // it was made for this jaxpr
        this.#handle.dispose();
    }
}
if (Symbol.dispose) Jaxpr.prototype[Symbol.dispose] = Jaxpr.prototype.dispose;

/** A function that gives the Jaxpr of fun for arguments of these types (jax.make_jaxpr). options: staticArgnums,
 * axisEnv (pairs [name, size] of axes that are bound around fun), returnShape (then [jaxpr, tree of ShapeDtypeStruct]),
 * fold, symbolic, constraints. */
export function makeJaxpr(fun, options = {}) {
    callable(fun, 'makeJaxpr');
    const o = optionsOf(options, {staticArgnums: [], axisEnv: [], returnShape: false, fold: false, symbolic: null,
        constraints: null}, 'makeJaxpr');
    if (o.axisEnv.length >= MAX_PARTS) throw errorOf('ValueError', 'axisEnv: too many axes');
    return named((...args) => {
        ensure();
        const statics = [o.staticArgnums].flat().map(n => (n < 0 ? n + args.length : n));
        const call = xs => fun(...xs.map((x, i) => (statics.includes(i) ? args[i] : x)));
        const {tree, end} = examples(args.map((a, i) => (statics.includes(i) ? null : a)));
        try {
            const {flat, parts, state} = flatOf(call, [tree], {name: fun.name || 'f'});
            const handle = withParts(parts, p => {
                const {L} = engine, at = room(L.kn_make_jaxpr_opts), of = m => at + L[`kn_make_jaxpr_opts.${m}`];
                put(at, L.kn_make_jaxpr_opts);
                o.axisEnv.forEach(([name, size], i) => {
                    const axis = of('axis_env') + i * L.kn_axis_size;
                    put(axis, lastingText(name)), putInt(axis + L['kn_axis_size.size'], size);
                });
                put8(of('fold'), o.fold ? 1 : 0);
                if (o.symbolic) put(of('symbolic'), text(o.symbolic));
                if (o.constraints) put(of('constraints'), text(o.constraints));
                here(null);
                const h = flat.recording(() => engine.exports.kn_make_jaxpr(flat.handle, p, at));
                check();
                return new Handle(h);
            });
            const jaxpr = new Jaxpr(handle, flat, state.outTree);
            if (!o.returnShape) return jaxpr;
            return [jaxpr, state.outTree.unflatten(jaxpr.outAvals.map(a => new ShapeDtypeStruct(a.shape, a.dtype)))];
        } finally {
            end();
        }
    }, fun);
}

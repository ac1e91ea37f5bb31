// SPDX-License-Identifier: Apache-2.0
// ufuncs.js -- universal functions: np.add is a function of the table, which has NumPy's methods, too: np.add.reduce(x,
// {axis}), accumulate, reduceat, outer, at; called with where or dtype it takes the way that knows them.
import {engine, ensure, mark, put, put8, release, room, text, textAt} from './engine.js';
import {operand} from './convert.js';
import {dtypeHandle} from './dtype.js';
import {check, scoped} from './handles.js';
import {camel, invoke, isPlain, putAxes, rowOf, wrap, wrapList} from './call.js';
import {write} from './indexing.js';
import {here} from './place.js';
import {define} from './signature.js';

const names = `abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs
float_power floor floor_divide fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite isinf
isnan lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
logical_or logical_xor matmul matvec maximum minimum mod modf multiply negative nextafter not_equal positive pow
power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract tan
tanh true_divide trunc vecdot vecmat`.split(/\s+/);

/** f(numbers of the handles) with operands that are released afterwards. */
function withOperands(list, f) {
    const owned = [];
    try {
        return f(...list.map(x => {
            if (x === undefined || x === null) return 0;
            const o = operand(x);
            if (o.owned) owned.push(o.h);
            return o.h;
        }));
    } finally {
        for (const h of owned) engine.exports.kn_release(h);
    }
}
/** The address of options: members by name, each an axis, a dtype, a truth value or the handle of an array. */
function optionsAt(type, {axis, dtype, keepdims, ...handles}) {
    const {L} = engine, at = room(L[type]);
    put(at, L[type]);
    if (axis !== undefined) putAxes(at + L[`${type}.axis`], axis);
    put(at + L[`${type}.dtype`], dtypeHandle(dtype));
    if (keepdims) put8(at + L[`${type}.keepdims`], 1);
    for (const [name, h] of Object.entries(handles)) if (h) put(at + L[`${type}.${name}`], h);
    return at;
}
const casting = ({L}, at, name) => put(at + L['kn_ufunc_call_opts.casting'], text(name));

function called(number, args, {where, dtype, casting: rule = 'same_kind', out}) {
    return scoped(() => withOperands([where, ...args], (w, ...handles) => {
        const {L, exports: c} = engine, opts = optionsAt('kn_ufunc_call_opts', {dtype, where: w, out: out?.handle});
        casting(engine, opts, rule);
        const list = room(4 * handles.length + 4), operands = room(8);
        handles.forEach((h, i) => put(list + 4 * i, h));
        put(operands, handles.length), put(operands + 4, list);
        here(called);
        const all = c.kn_ufunc_call_all(number, operands, opts);
        check();
        const made = wrapList(all);
        return out ?? (made.length === 1 ? made[0] : made);
    }));
}

const single = f => {
    const m = mark();
    try {
        return f();
    } finally {
        release(m);
    }
};
function methods(f, numberOf) {
    const c = () => engine.exports;
    const made = {
        reduce: define('reduce(a, axis=null, dtype=, out=, keepdims=, initial=, where=)',
            (a, axis, dtype, out, keepdims, initial, where) =>
            single(() => withOperands([a, initial, where], (x, i, w) => {
                const n = numberOf(), opts = optionsAt('kn_ufunc_reduce_opts',
                    {axis, dtype, keepdims, initial: i, where: w});
                here(f);
                const y = wrap(c().kn_ufunc_reduce(n, x, opts));
                return out === undefined ? y : out.set('...', y);
            }))),
        accumulate: define('accumulate(a, axis=, dtype=)', (a, axis, dtype) => single(() => withOperands([a], x => {
            const n = numberOf(), opts = optionsAt('kn_ufunc_accumulate_opts', {axis, dtype});
            here(f);
            return wrap(c().kn_ufunc_accumulate(n, x, opts));
        }))),
        reduceat: define('reduceat(a, indices, axis=, dtype=)', (a, indices, axis, dtype) => {
            const at = Array.isArray(indices) ? BigInt64Array.from(indices, BigInt) : indices;
            return single(() => withOperands([a, at], (x, i) => {
                const n = numberOf(), opts = optionsAt('kn_ufunc_accumulate_opts', {axis, dtype});
                here(f);
                return wrap(c().kn_ufunc_reduceat(n, x, i, opts));
            }));
        }),
        outer: define('outer(a, b)', (a, b) => single(() => withOperands([a, b], (x, y) => {
            const n = numberOf();
            here(f);
            return wrap(c().kn_ufunc_outer(n, x, y, 0));
        }))),
        /** x[index] = f(x[index], values) in place, again and again where indices repeat. */
        at(x, index, ...values) { write(x, Array.isArray(index) ? index : [index], values[0] ?? 0, f.rowName,
            made.at); },
    };
    return made;
}

function make(name) {
    let row = null, number = -1;
    const numberOf = () => {
        ensure();
        if (number < 0) number = single(() => engine.exports.kn_ufunc_named(text(name)));
        return number;
    };
    const f = {[name](...args) {
        ensure();
        row ??= rowOf('kiln.numpy', name);
        const last = args[args.length - 1];
        if (isPlain(last) && (last.where !== undefined || last.dtype !== undefined || last.casting !== undefined))
            return called(numberOf(), args.slice(0, -1), last);
        return invoke(row, args, f);
    }}[name];
    Object.assign(f, {rowName: name}, methods(f, numberOf));
    for (const [what, get_] of [['nin', c => c.kn_ufunc_nin(numberOf())], ['nout', c => c.kn_ufunc_nout(numberOf())],
        ['signature', c => textAt(c.kn_ufunc_signature(numberOf()))]])
        Object.defineProperty(f, what, {get: () => (ensure(), get_(engine.exports))});
    return f;
}
export const ufuncs = {};
for (const name of names) ufuncs[name] = ufuncs[camel(name)] = make(name);

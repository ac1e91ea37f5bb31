// SPDX-License-Identifier: Apache-2.0
// optim-base.js -- optimizers as optax and @jax-js/optax have them: objects with init(params) -> state and
// update(gradients, state, params) -> [updates, state] over trees. The library computes; this is trees and arguments.
import {engine, get, put, room} from './engine.js';
import {KilnArray} from './array.js';
import {camel, rowCall, treeOf, wrapList} from './call.js';
import {isNumber, numberHandle, operand} from './convert.js';
import {describe, errorOf} from './errors.js';
import {check, scoped} from './handles.js';
import {nodeOf, read, write} from './optim-states.js';
import {here} from './place.js';
import {define} from './signature.js';
import {tidy} from './tidy.js';
import * as tree from './tree.js';

export const call = (name, ...args) => rowCall('kiln.optim', name, args);
export const np = (name, ...args) => rowCall('kiln.numpy', name, args);

// ---- Schedules: functions of the step that the library knows.
const SCHEDULE = Symbol('schedule');
export const isSchedule = f => typeof f === 'function' && SCHEDULE in f;
export function scheduleOf(handle) {
    const schedule = count => call('_schedule_at', handle, count);
    schedule[SCHEDULE] = handle;
    return schedule;
}
export const handleOfSchedule = f => {
    if (!isSchedule(f)) throw errorOf('TypeError', `a schedule of Kiln is wanted, not ${describe(f)}`);
    return f[SCHEDULE];
};

// ---- Transformations that the library has.
/** init(params) -> state; update(updates, state, params, {value}) -> [updates, state] */
export class GradientTransformation {
    #build;
    #shape;
    #handles = new Map();
    #nodes;
    /** build(params) -> a handle of the library; shape(params) -> how its states are read (optim-states.js). */
    constructor(build, {shape = params => ({def: tree.structure(params)}), nodes = new Map()} = {}) {
        this.#build = build, this.#shape = shape, this.#nodes = nodes;
        this.init = this.init.bind(this), this.update = this.update.bind(this);
    }
    /** The library's optimizer for such parameters, and how to read its states. */
    of(params, def = tree.structure(params)) {
        let made = this.#handles.get(def.key);
        if (!made) this.#handles.set(def.key, (made = {handle: this.#build(params), shape: this.#shape(params)}));
        return made;
    }
    /** The state before the first step. */
    init(params) {
        const [leaves, def] = tree.flatten(params);
        return this.first(params, leaves.map(asFloat), def);
    }
    /** [what to add to the parameters, the next state]; value: the loss, where an optimizer asks for it */
    update(updates, state, params = null, {value = null} = {}) {
        const [leaves, def] = tree.flatten(updates);
        if (params !== null && params !== undefined) sameTree(def, params);
        const [out, next] = this.step(updates, leaves, def, state, params ? tree.leaves(params) : null, value);
        return [def.unflatten(out), next];
    }
    first(params, leaves, def) {
        const {handle, shape} = this.of(params, def);
        return scoped(() => {
            const state = begin(handle, leaves), node = nodeOf(engine.exports.kn_tree_structure(state));
            this.#nodes.set(keyOf(def, leaves), node);
            const all = wrapList(engine.exports.kn_tree_leaves(state));
            let i = 0;
            return read(node, () => all[i++], shape);
        });
    }
    #node(handle, leaves, def) {
        const key = keyOf(def, leaves);
        let node = this.#nodes.get(key);
        if (node === undefined) {
            node = scoped(() => nodeOf(engine.exports.kn_tree_structure(begin(handle, leaves))));
            this.#nodes.set(key, node);
        }
        return node;
    }
    /** [leaves of the updates, the next state] */
    step(updates, leaves, def, state, params, value, many = leaves) {
        const {handle, shape} = this.of(updates, def), node = this.#node(handle, many, def), flat = [];
        write(node, state, flat, shape);
        return scoped(() => {
            const {exports: c, L} = engine, at = room(8), opts = room(L.kn_optim_update_opts);
            put(opts, L.kn_optim_update_opts);
            const loss = value === null ? null : operand(value);
            if (loss) put(opts + L['kn_optim_update_opts.value'], loss.h);
            const g = treeOf(leaves.map(asFloat)), s = treeOf(flat), p = params ? treeOf(params.map(asFloat)) : 0;
            here(this.update);
            c.kn_optim_update(handle.handle, g, s, p, at, at + 4, opts);
            if (loss?.owned) c.kn_release(loss.h);
            check();
            const out = wrapList(c.kn_tree_leaves(get(at))), next = wrapList(c.kn_tree_leaves(get(at + 4)));
            let i = 0;
            return [out, read(node, () => next[i++], shape)];
        });
    }
}
function begin(handle, leaves) {
    const params = treeOf(leaves);
    here(GradientTransformation.prototype.init);
    const state = engine.exports.kn_optim_init(handle.handle, params);
    check();
    return state;
}
// Parameters that are numbers are floats, as what is differentiated is.
const asFloat = x => (isNumber(x) && typeof x !== 'boolean' ? new KilnArray(numberHandle(x, true)) : x);
const keyOf = (def, leaves) => `${def.key}${leaves.map(x => x?.shape?.join('x')).join(';')}`;
function sameTree(def, params) {
    const own = tree.structure(params);
    if (!own.equals(def))
        throw errorOf('ValueError', `the gradients' structure ${def} is not that of the parameters, ${own}`);
}

// ---- Arguments.
export const isTransformation = t => t !== null && typeof t === 'object' && typeof t.init === 'function'
    && typeof t.update === 'function';
export function ours(t, what) {
    if (t instanceof GradientTransformation) return t;
    throw errorOf('TypeError', isTransformation(t) ? `${what}: a transformation of Kiln with Kiln's schedules is wanted`
        : `${what}: an optimizer is wanted, not ${describe(t)}`);
}
const maskTree = (mask, params) => (typeof mask === 'function' ? mask(params) : mask);
/** A leaf of the mask, a prefix of the parameters' tree or a function of it, for each of the parameters. */
function masksOf(mask, params) {
    const [marks, def] = tree.flatten(maskTree(mask, params));
    return marks.flatMap((m, i) => tree.leaves(tree.flattenUpTo(def, params)[i]).map(() => m));
}
const perElement = m => m instanceof KilnArray && m.ndim > 0;
const truthOf = m => (perElement(m) ? true : m instanceof KilnArray ? Boolean(m.item()) : Boolean(m));
export const truthsOf = (mask, params) => masksOf(mask, params).map(truthOf);
/** The parameters with null for what the mask leaves out. */
export function maskedTree(mask, params) {
    const truths = truthsOf(mask, params), [leaves, def] = tree.flatten(params);
    return def.unflatten(leaves.map((x, i) => (truths[i] ? x : null)));
}

// What uses its parameters for the decay alone: there a mask may have a number for each element, as in jax-js.
const DECAYS = new Set(['add_decayed_weights', 'adamw', 'nadamw', 'adamaxw', 'lion']);

/** The library's optimizer with these arguments, which are those of optax. */
function optimizer(name, given, nodes) {
    const values = {...given}, functions = [];
    for (const [key, v] of Object.entries(given)) {
        if (key.includes('mask')) continue;
        if (isSchedule(v)) {
            delete values[key];
            values[name === 'scale_by_schedule' ? key : `${key}_schedule`] = v[SCHEDULE];
        } else if (typeof v === 'function') functions.push(key);
        else if (v instanceof KilnArray && key === 'learning_rate') {
            delete values[key];
            values.learning_rate_array = v;
        }
    }
    if (functions.length) {
        return scheduled((count, shared) => optimizer(name,
            {...given, ...Object.fromEntries(functions.map(k => [k, given[k](count)]))}, shared));
    }
    const masks = Object.keys(values).filter(k => k.includes('mask'));
    if (!masks.length) {
        const handle = call(`_${name}`, values);
        return new GradientTransformation(() => handle, {nodes});
    }
    let each = null; // numbers for each element of parameters
    const t = new GradientTransformation(params => {
        const truths = masks.map(k => [k, masksOf(values[k], params)]);
        if (truths.some(([, m]) => m.some(perElement))) {
            if (!DECAYS.has(name)) throw errorOf('TypeError',
                `${name}: a mask has to have a truth value for each array`);
            [[, each]] = truths;
        }
        return call(`_${name}`, {...values, ...Object.fromEntries(truths.map(([k, m]) => [k, m.map(truthOf)]))});
    }, {nodes});
    const {step} = t;
    t.step = function (updates, leaves, def, state, params, value) {
        this.of(updates, def);
        const decaying = each && params ? params.map((p, i) => (perElement(each[i]) ? np('multiply', p, each[i]) : p))
            : params;
        try {
            return step.call(this, updates, leaves, def, state, decaying, value);
        } finally {
            decaying?.forEach((p, i) => { if (p !== params[i]) p.dispose(); });
        }
    };
    return t;
}

/** A step's number where it can be known, else (while a function is recorded) the array. */
function numberOf(count) {
    if (!(count instanceof KilnArray)) return count;
    try {
        return count.item();
    } catch (e) {
        if (e.name !== 'ConcretizationError') throw e;
        return count;
    }
}
const zero = () => np('zeros', [], 'int32');
/** What is made anew at each step, of functions of the user's: make(count, what may be shared). Its state is {count,
 * innerState}. */
function scheduled(make) {
    const nodes = new Map();
    return {
        init: params => ({count: zero(), innerState: make(0, nodes).init(params)}),
        update(updates, state, params = null, extra = {}) {
            const count = state?.count;
            if (count === undefined) throw errorOf('ValueError', 'the state has no count: begin with init(params)');
            const [out, innerState] = make(numberOf(count), nodes).update(updates, state.innerState, params, extra);
            return [out, {count: np('add', count, 1), innerState}];
        },
    };
}
/** Updates times a number or a 0-d array, in their dtypes. */
function scaled(step) {
    if (!(step instanceof KilnArray)) return optimizer('scale', {step_size: step});
    const times = g => np('astype', np('multiply', g, step), g.dtype);
    return {init: () => [], update: (updates, state) => [tidy(() => tree.map(times, updates)), state]};
}
const isFunction = f => typeof f === 'function' && !isSchedule(f);

// ---- Optimizers by their names, with optax's arguments.
const SIGNATURES = `
sgd(learning_rate=, momentum=, nesterov=, accumulator_dtype=)
adam(learning_rate=, b1=, b2=, eps=, eps_root=, mu_dtype=, *, nesterov=)
nadam(learning_rate=, b1=, b2=, eps=, eps_root=, mu_dtype=)
adamw(learning_rate=, b1=, b2=, eps=, eps_root=, mu_dtype=, weight_decay=, mask=, *, nesterov=)
nadamw(learning_rate=, b1=, b2=, eps=, eps_root=, mu_dtype=, weight_decay=, mask=)
adamax(learning_rate=, b1=, b2=, eps=)
adamaxw(learning_rate=, b1=, b2=, eps=, weight_decay=, mask=)
amsgrad(learning_rate=, b1=, b2=, eps=, eps_root=, mu_dtype=, bias_correction_mu=, bias_correction_nu=)
adabelief(learning_rate=, b1=, b2=, eps=, eps_root=, *, nesterov=)
adadelta(learning_rate=, rho=, eps=, weight_decay=, weight_decay_mask=)
adagrad(learning_rate=, initial_accumulator_value=, eps=)
adan(learning_rate=, b1=, b2=, b3=, eps=, eps_root=, weight_decay=, mask=)
adafactor(learning_rate=, min_dim_size_to_factor=, decay_rate=, decay_offset=, multiply_by_parameter_scale=,
    clipping_threshold=, momentum=, dtype_momentum=, weight_decay_rate=, eps=, factored=, weight_decay_mask=)
rmsprop(learning_rate=, decay=, eps=, initial_scale=, eps_in_sqrt=, centered=, momentum=, nesterov=, bias_correction=)
rprop(learning_rate=, eta_minus=, eta_plus=, min_step_size=, max_step_size=)
lion(learning_rate=, b1=, b2=, mu_dtype=, weight_decay=, mask=)
lamb(learning_rate=, b1=, b2=, eps=, eps_root=, weight_decay=, mask=)
lars(learning_rate=, weight_decay=, weight_decay_mask=, trust_coefficient=, eps=, trust_ratio_mask=,
    momentum=, nesterov=)
radam(learning_rate=, b1=, b2=, eps=, eps_root=, threshold=, *, nesterov=)
yogi(learning_rate=, b1=, b2=, eps=)
novograd(learning_rate=, b1=, b2=, eps=, eps_root=, weight_decay=)
fromage(learning_rate=, min_norm=)
sm3(learning_rate=, momentum=)
sign_sgd(learning_rate=)
signum(learning_rate=, beta=, accumulator_dtype=)
noisy_sgd(learning_rate=, eta=, gamma=, key=, *, seed=)
optimistic_gradient_descent(learning_rate=, alpha=, beta=)
polyak_sgd(max_learning_rate=, scaling=, f_min=, eps=, variant=)
apply_every(k=1)
identity()
set_to_zero()
add_decayed_weights(weight_decay=0, mask=)
add_noise(eta, gamma, key=, *, seed=)
trace(decay=0.9, nesterov=, accumulator_dtype=)
ema(decay, debias=, accumulator_dtype=)
clip(max_delta)
clip_by_global_norm(max_norm)
clip_by_block_rms(threshold)
adaptive_grad_clip(clipping, eps=0.001)
centralize()
zero_nans()
normalize_by_update_norm(scale_factor=1, eps=1e-6)
keep_params_nonnegative()
scale_by_adam(b1=, b2=, eps=, eps_root=, mu_dtype=, *, nesterov=)
scale_by_rms(decay=, eps=, initial_scale=, eps_in_sqrt=, bias_correction=)
scale_by_rss(initial_accumulator_value=, eps=)
scale_by_lion(b1=, b2=, mu_dtype=)
scale_by_trust_ratio(min_norm=, trust_coefficient=, eps=)
scale_by_sign()
scale_by_param_block_norm(min_scale=0.001)
scale_by_param_block_rms(min_scale=0.001)`;
const SCHEDULES = `
constant_schedule(value)
linear_schedule(init_value, end_value, transition_steps, transition_begin=)
polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=)
exponential_decay(init_value, transition_steps, decay_rate, transition_begin=, staircase=, end_value=)
cosine_decay_schedule(init_value, decay_steps, alpha=, exponent=)
linear_onecycle_schedule(transition_steps, peak_value, pct_start=, pct_final=, div_factor=, final_div_factor=)
cosine_onecycle_schedule(transition_steps, peak_value, pct_start=, div_factor=, final_div_factor=)
warmup_constant_schedule(init_value, peak_value, warmup_steps)
warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=, exponent=)
warmup_exponential_decay_schedule(init_value, peak_value, warmup_steps, transition_steps,
    decay_rate, transition_begin=, staircase=, end_value=)`;

/** [{name, plain signature, names, defaults}] of such a list */
const parsed = list => list.trim().replace(/,\n +/g, ', ').split('\n').map(line => {
    const [, name, inner] = /^(\w+)\((.*)\)$/.exec(line), params = inner.split(', ').filter(p => p && p !== '*');
    return {
        name, signature: line.replace(/=[-\w.]+/g, '='), names: params.map(p => p.split('=')[0]),
        defaults: Object.fromEntries(params.map(p => p.split('=')).filter(([, v]) => v).map(([k, v]) =>
            [k, Number(v)])),
    };
});
const given = ({names, defaults}, values) => ({
    ...defaults, ...Object.fromEntries(names.map((n, i) => [n, values[i]]).filter(([, v]) => v !== undefined)),
});

/** What stands for the same under another name in the library, and what it does not have. */
function translate(name, values) {
    for (const key of ['mu_dtype', 'accumulator_dtype', 'dtype_momentum']) {
        if (values[key] !== undefined)
            throw errorOf('NotImplementedError', `${name}: ${camel(key)}: moments have the dtype of the parameters`);
    }
    if ('key' in values || 'seed' in values) {
        const {key, seed} = values;
        delete values.key;
        values.seed = seed ?? key;
        if (!Number.isInteger(values.seed))
            throw errorOf('NotImplementedError', `${name}: the key has to be a number, a seed`);
    } else if (name === 'add_noise')
        throw errorOf('TypeError', 'addNoise() misses its argument "key", a seed');
    if (name === 'adadelta' && 'weight_decay_mask' in values) {
        values.mask = values.weight_decay_mask;
        delete values.weight_decay_mask;
    }
    return values;
}

const all = {};
const add = f => { all[f.name] = all[camel(f.name)] = f; };
for (const s of parsed(SIGNATURES)) add(define(s.signature, (...values) =>
    optimizer(s.name, translate(s.name, given(s, values)))));
for (const s of parsed(SCHEDULES)) add(define(s.signature, (...values) =>
    scheduleOf(call(`_${s.name}`, given(s, values)))));
const sgd = all.sgd;
add(define('scale(step_size)', scaled));
add(define('scale_by_schedule(step_size_fn)', f => {
    if (isSchedule(f)) return optimizer('scale_by_schedule', {step_size: f});
    if (!isFunction(f)) throw errorOf('TypeError',
        `scaleBySchedule: a function of the step is wanted, not ${describe(f)}`);
    return scheduled(count => scaled(f(count)));
}));
add(define('scale_by_learning_rate(learning_rate=, flip_sign=)', (rate, flip = true) => {
    if (rate === undefined) return all.identity();
    const sign = x => (flip ? (x instanceof KilnArray ? np('negative', x) : -x) : x);
    if (isFunction(rate)) return scheduled(count => scaled(sign(rate(count))));
    if (isSchedule(rate)) return flip ? sgd(rate) : all.scale_by_schedule(rate);
    return scaled(sign(rate));
}));
/** Optimizers, their parts and schedules, under both spellings. */
export const functions = all;

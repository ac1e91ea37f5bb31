// SPDX-License-Identifier: Apache-2.0
// optim.js -- optax: ways to put transformations together, schedules of pieces, helpers for trees.
import {engine, put, putDouble, putInt, room, mark, release, text} from './engine.js';
import {describe, errorOf} from './errors.js';
import {Handle, check} from './handles.js';
import {here} from './place.js';
import {namespace} from './namespaces.js';
import {GradientTransformation, call, functions, handleOfSchedule, isSchedule, isTransformation, maskedTree, np, ours,
    scheduleOf,
        truthsOf} from './optim-base.js';
import {defineAll} from './signature.js';
import {tidy} from './tidy.js';
import * as tree from './tree.js';

/** A new handle that make(address of a list of handles) returns. */
function handleFrom(handles, make, entry) {
    const m = mark();
    try {
        const at = room(4 * handles.length + 4);
        handles.forEach((h, i) => put(at + 4 * i, h.handle));
        here(entry);
        const h = make(at);
        check();
        return new Handle(h);
    } finally {
        release(m);
    }
}

/** One transformation after the other. Those of others, objects with init and update, are taken, too. */
function chain(...parts) {
    for (const t of parts) if (!isTransformation(t)) throw errorOf('TypeError',
        `chain: an optimizer is wanted, not ${describe(t)}`);
    if (parts.every(t => t instanceof GradientTransformation)) {
        return new GradientTransformation(
            params => handleFrom(parts.map(t => t.of(params).handle), at =>
                engine.exports.kn_optim_chain(parts.length, at), chain),
            {shape: params => ({def: tree.structure(params), parts: parts.map(t => t.of(params).shape)})});
    }
    return {
        init: params => parts.map(t => t.init(params)),
        update(updates, state, params = undefined, extra = {}) {
            if (!Array.isArray(state) || state.length !== parts.length) {
                throw errorOf('ValueError', `the state of a chain of ${parts.length} is a list of as many, not ${
                    Array.isArray(state) ? `of ${state.length}` : describe(state)}: begin with init(params)`);
            }
            const next = [];
            parts.forEach((t, i) => {
                const [out, s] = t.update(updates, state[i], params, extra);
                updates = out;
                next.push(s);
            });
            return [updates, next];
        },
    };
}

const around = (inner, build) => new GradientTransformation(build,
    {shape: params => ({def: tree.structure(params), inner: inner.of(params).shape})});
function masked(inner, mask) {
    ours(inner, 'masked');
    return new GradientTransformation(params => call('_masked', inner.of(maskedTree(mask, params)).handle,
        truthsOf(mask, params)), {
        shape: params => {
            const some = maskedTree(mask, params);
            return {def: tree.structure(params), inner: {...inner.of(some).shape, def: tree.structure(some)}};
        },
    });
}
/** inner after every k gradients, of their mean. */
export class MultiSteps extends GradientTransformation {
    constructor(inner, everyK, useGradMean = true) {
        ours(inner, 'MultiSteps');
        super(params => call('_multi_steps', inner.of(params).handle, everyK, useGradMean),
              {shape: params => ({def: tree.structure(params), inner: inner.of(params).shape})});
    }
    gradientTransformation() { return this; }
}

/** Of parameters {fast, slow}, with gradients of the fast ones. */
class Lookahead extends GradientTransformation {
    init(params) {
        const fast = params?.fast ?? params, [leaves, def] = tree.flatten(fast);
        return this.first(fast, [...leaves, ...leaves], def);
    }
    update(updates, state, params, {value = null} = {}) {
        if (params?.fast === undefined || params?.slow === undefined)
            throw errorOf('TypeError', 'lookahead: the parameters have to be {fast, slow}');
        const [leaves, def] = tree.flatten(updates), both = [params.fast, params.slow];
        for (const p of both)
            if (!tree.structure(p).equals(def)) throw errorOf('ValueError',
                `the gradients' structure ${def} is not that of the parameters`);
        const all = both.flatMap(p => tree.leaves(p)), n = leaves.length;
        const [out, next] = this.step(updates, leaves, def, state, all, value, all);
        return [{fast: def.unflatten(out.slice(0, n)), slow: def.unflatten(out.slice(n))}, next];
    }
}
function lookahead(fast, syncPeriod, slowStepSize, resetState = false) {
    ours(fast, 'lookahead');
    return new Lookahead(params => call('_lookahead', fast.of(params).handle, syncPeriod, slowStepSize, resetState),
                         {shape: params => ({def: tree.structure(params), inner: fast.of(params).shape})});
}
const synced = params => ({fast: params, slow: params});
export const lookaheadParams = {initSynced: synced, init_synced: synced};

// ---- Schedules of pieces.
function joinSchedules(schedules, boundaries) {
    if (boundaries.length !== schedules.length - 1) {
        const n = schedules.length;
        throw errorOf('ValueError',
            `join_schedules: ${n} schedules have ${n - 1} boundaries, not ${boundaries?.length ?? describe(boundaries)}`);
    }
    return scheduleOf(handleFrom(schedules.map(handleOfSchedule), at => {
        const steps = room(8 * boundaries.length + 8);
        boundaries.forEach((b, i) => putInt(steps + 8 * i, b));
        return engine.exports.kn_optim_join_schedules(schedules.length, at, steps);
    }, joinSchedules));
}
/** boundaries: {step: scale} */
function piecewise(type, start, boundaries = {}) {
    const pairs = Object.entries(boundaries ?? {}).map(([k, v]) => [Number(k), v]);
    if (typeof start !== 'number' || pairs.some(([k, v]) => !Number.isInteger(k) || typeof v !== 'number'))
        throw errorOf('TypeError', 'a schedule of pieces takes a number and scales by the step, {100: 0.5}');
    return scheduleOf(handleFrom([], () => {
        const {L, exports: c} = engine, at = room(L.kn_optim_boundary * (pairs.length + 1));
        pairs.forEach(([step, scale], i) => {
            putInt(at + i * L.kn_optim_boundary + L['kn_optim_boundary.step'], step);
            putDouble(at + i * L.kn_optim_boundary + L['kn_optim_boundary.scale'], scale);
        });
        return type ? c.kn_optim_piecewise_interpolate_schedule(text(type), start, pairs.length, at)
            : c.kn_optim_piecewise_constant_schedule(start, pairs.length, at);
    }, piecewise));
}
const ofCycle = {init_value: putDouble, peak_value: putDouble, warmup_steps: putInt, decay_steps: putInt,
    end_value: putDouble,
                 exponent: putDouble};
const camel = name => name.replace(/_(.)/g, (_, c) => c.toUpperCase());
/** Warm restarts: warmupCosineDecaySchedule again and again, {initValue, peakValue, warmupSteps, decaySteps, endValue,
 * exponent} each. */
function sgdrSchedule(cycles) {
    return scheduleOf(handleFrom([], () => {
        const {L, exports: c} = engine, at = room(L.kn_optim_sgdr_cycle * (cycles.length + 1));
        cycles.forEach((cycle, i) => {
            const all = {end_value: 0, exponent: 1, ...cycle};
            for (const [name, put] of Object.entries(ofCycle)) {
                const value = cycle[camel(name)] ?? all[name];
                if (typeof value !== 'number') throw errorOf('TypeError',
                    `sgdrSchedule: a cycle has no ${camel(name)}`);
                put(at + i * L.kn_optim_sgdr_cycle + L[`kn_optim_sgdr_cycle.${name}`], value);
            }
        });
        return c.kn_optim_sgdr_schedule(cycles.length, at);
    }, sgdrSchedule));
}

// ---- Trees.
function same(a, b) {
    const [leaves, def] = tree.flatten(a), [others, other] = tree.flatten(b);
    if (!def.equals(other)) throw errorOf('ValueError', `trees of different structure: ${def} and ${other}`);
    return [leaves, others, def];
}
const sum = list => list.reduce((a, b) => np('add', a, b), 0);
const asNumber = x => np('asarray', x);
function treeNorm(x, ord = null, squared = false) {
    const leaves = tree.leaves(x), square = y => (squared ? np('square', y) : y);
    if (ord === null || ord === 2) {
        const total = asNumber(sum(leaves.map(v => np('sum', np('square', np('absolute', v))))));
        return squared ? total : np('sqrt', total);
    }
    if (ord === 1) return square(asNumber(sum(leaves.map(v => np('sum', np('absolute', v))))));
    if (ord === 'inf' || ord === 'infinity' || ord === Infinity) return square(treeMax(leaves.map(v =>
        np('absolute', v))));
    throw errorOf('ValueError', `Unsupported ord: ${typeof ord === 'number' ? ord : describe(ord)}`);
}
const treeMax = x => asNumber(tree.leaves(x).map(v => np('max', v)).reduce((a, b) => np('maximum', a, b), -Infinity));
function power(x, order) {
    if (!Number.isInteger(order) || order <= 0) throw errorOf('ValueError', 'Order must be a positive integer');
    return np('power', x, order);
}

// A tree may be a plain object, so it is not what comes by name: these take their arguments by position.
const both = list => Object.fromEntries(Object.entries(list).flatMap(([name, f]) => [[name, f], [camel(name), f]]));
const plain = list => both(Object.fromEntries(Object.entries(list).map(([name, f]) =>
    [name, {[name]: (...args) => tidy(() => f(...args))}[name]])));
const more = {
    chain,
    ...both({
        masked,
        freeze: mask => new GradientTransformation(params => call('_freeze', truthsOf(mask, params))),
        piecewise_constant_schedule: (start, boundaries) => piecewise(null, start, boundaries),
        piecewise_interpolate_schedule: (type, start, boundaries) => piecewise(type, start, boundaries),
    }),
    ...plain({
        apply_updates(params, updates) {
            const [p, u, def] = same(params, updates);
            return def.unflatten(call('_apply_updates', p, u));
        },
        global_norm: x => call('_global_norm', tree.leaves(x)),
        incremental_update(newTensors, oldTensors, stepSize) {
            const [x, y, def] = same(newTensors, oldTensors);
            return def.unflatten(call('_incremental_update', x, y, stepSize));
        },
        periodic_update(newTensors, oldTensors, steps, period) {
            const [x, y, def] = same(newTensors, oldTensors);
            return def.unflatten(call('_periodic_update', x, y, steps, period));
        },
        tree_sum: x => asNumber(sum(tree.leaves(x).map(v => np('sum', v)))),
        tree_max: treeMax,
        tree_norm: treeNorm,
        tree_zeros_like: (x, dtype) => tree.map(v => np('zeros_like', v, {dtype}), x),
        tree_ones_like: (x, dtype) => tree.map(v => np('ones_like', v, {dtype}), x),
        tree_update_moment: (updates, moments, decay, order) => tree.map((g, m) =>
            np('add', np('multiply', power(g, order), 1 - decay), np('multiply', m, decay)), updates, moments),
        tree_bias_correction(moments, decay, count) {
            const rest = np('subtract', 1, np('power', decay, np('astype', asNumber(count), 'float32')));
            return tree.map(m => np('divide', m, rest), moments);
        },
    }),
    ...defineAll([
        ['apply_if_finite(inner, max_consecutive_errors)', (inner, most) =>
            around(ours(inner, 'applyIfFinite'), params => call('_apply_if_finite', inner.of(params).handle, most))],
        ['lookahead(fast_optimizer, sync_period, slow_step_size, reset_state=)', lookahead],
        ['join_schedules(schedules, boundaries)', joinSchedules],
        ['sgdr_schedule(cosine_kwargs)', sgdrSchedule],
        ['poly_loss_cross_entropy(logits, labels, *, epsilon=)', (x, y, epsilon = 2) =>
            call('_poly_loss_cross_entropy', x, y, epsilon)],
        ['ntxent(embeddings, labels, temperature=)', (x, y, temperature = 0.07) => call('_ntxent', x, y, temperature)],
    ]),
};

/** All of it; the losses are those of the table. */
export const optim = namespace(['kiln.optim'], {...functions, ...more, MultiSteps, GradientTransformation,
    lookaheadParams, isSchedule});

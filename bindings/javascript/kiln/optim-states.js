// SPDX-License-Identifier: Apache-2.0
// optim-states.js -- states of optimizers. The library has them as flat lists of arrays with a structure; here they are
// optax's by their fields, in camelCase: {count, mu, nu} with trees like the parameters', [] where nothing is
// remembered, and of a chain a list. They are plain, so that jit, tree.map and files take them.
import {engine, textAt} from './engine.js';
import {camel} from './call.js';
import {errorOf} from './errors.js';
import {check} from './handles.js';
import {flattenUpTo} from './tree.js';

const FIELDS = { // of optax's states, in its order
    EmptyState: [], ScaleByScheduleState: ['count'], WeightDecaySchedule: ['count'], TraceState: ['trace'],
    EmaState: ['count', 'ema'], AddNoiseState: ['count', 'rng_key'], ZeroNansState: ['found_nan'],
    ApplyEvery: ['count', 'grad_acc'], ScaleByAdamState: ['count', 'mu', 'nu'],
    ScaleByAmsgradState: ['count', 'mu', 'nu', 'nu_max'], ScaleByBeliefState: ['count', 'mu', 'nu'],
    ScaleByAdanState: ['m', 'v', 'n', 'g', 't'], ScaleByLionState: ['count', 'mu'],
    ScaleByNovogradState: ['count', 'mu', 'nu'], ScaleByRssState: ['sum_of_squares'], ScaleByRmsState: ['nu'],
    ScaleByRmsWithCountState: ['count', 'nu'], ScaleByRStdDevState: ['mu', 'nu'],
    ScaleByRStdDevWithCountState: ['count', 'mu', 'nu'], ScaleByAdaDeltaState: ['e_g', 'e_x'],
    ScaleByRpropState: ['step_sizes', 'prev_updates'], ScaleBySM3State: ['mu', 'nu'],
    ScaleByOptimisticGradientState: ['is_initial_step', 'previous_gradient'],
    FactoredState: ['count', 'v_row', 'v_col', 'v'], MaskedState: ['inner_state'],
    ApplyIfFiniteState: ['notfinite_count', 'last_finite', 'total_notfinite', 'inner_state'],
    MultiStepsState: ['mini_step', 'gradient_step', 'inner_opt_state', 'acc_grads', 'skip_state'],
    LookaheadState: ['fast_state', 'steps_since_sync'],
};
const NUMBERS = new Set(['count', 't', 'rng_key', 'is_initial_step', 'mini_step', 'gradient_step', 'notfinite_count',
    'last_finite', 'total_notfinite', 'steps_since_sync']);
const STATES = new Set(['inner_state', 'inner_opt_state', 'fast_state']); // others are trees like the parameters

const LEAF = 0, STRUCT = 5; // of kn_tree_kind; all others are lists here
const before = 'PyTreeDef(CustomNode(namedtuple[';
/** null of a leaf, else {name (null of a list), children}: what the library's state is. */
export function nodeOf(structure) {
    const {exports: c} = engine, kind = c.kn_treedef_kind(structure);
    check();
    if (kind === LEAF) return null;
    let name = null;
    if (kind === STRUCT) {
        const text = textAt(c.kn_treedef_text(structure));
        check();
        name = text.slice(before.length, text.indexOf(']', before.length));
        if (!text.startsWith(before) || !(name in FIELDS)) throw errorOf('RuntimeError',
            `a state of no known type: ${text}`);
    }
    const children = Array.from({length: c.kn_treedef_children_count(structure)}, (_, i) =>
        nodeOf(c.kn_treedef_child(structure, i)));
    return {name, children};
}

const ofParameter = (node, next) => (node === null ? next() : node.children.map(n => ofParameter(n, next)));
// A tree like the parameters; of a single array it comes without the list of them.
const like = (node, next, def) => def.unflatten((node === null ? [null] : node.children).map(n =>
    ofParameter(n, next)));

/** The state of a node with arrays of next(). shape: {def: of the parameters, inner: the shape within, parts: of a
 * chain} */
export function read(node, next, shape) {
    if (node === null) return next();
    if (node.name === null) return node.children.map((n, i) => read(n, next, shape.parts?.[i] ?? shape));
    const fields = FIELDS[node.name];
    if (!fields.length) return [];
    return Object.fromEntries(fields.map((field, i) => [camel(field), NUMBERS.has(field) ? next()
        : STATES.has(field) ? read(node.children[i], next, shape.inner ?? shape)
            : field === 'skip_state' ? [] : like(node.children[i], next, shape.def)]));
}

const leavesOf = (node, x, out) => {
    if (node === null) out.push(x);
    else node.children.forEach((n, i) => leavesOf(n, x[i], out));
};
/** The arrays of a state, in the library's order: read() backwards. */
export function write(node, state, out, shape) {
    if (node === null) return void out.push(state);
    const wrong = () => errorOf('ValueError',
        'the state is not one of this optimizer and these parameters: begin with init(params)');
    if (node.name === null) {
        if (!Array.isArray(state) || state.length !== node.children.length) throw wrong();
        node.children.forEach((n, i) => write(n, state[i], out, shape.parts?.[i] ?? shape));
        return;
    }
    FIELDS[node.name].forEach((field, i) => {
        const value = state?.[camel(field)], child = node.children[i];
        if (value === undefined) throw wrong();
        if (NUMBERS.has(field)) out.push(value);
        else if (STATES.has(field)) write(child, value, out, shape.inner ?? shape);
        else if (field !== 'skip_state') {
            const all = flattenUpTo(shape.def, value), nodes = child === null ? [null] : child.children;
            nodes.forEach((n, k) => leavesOf(n, all[k], out));
        }
    });
}

// SPDX-License-Identifier: Apache-2.0
// tree.js -- trees of arrays: JavaScript's arrays and plain objects, nested; objects of registered classes; everything
// else is a leaf. Keys of objects are in sorted order, as in JAX; null is a tree without leaves, and a complex number
// {re, im} is a leaf.
import {describe, errorOf, explaining} from './errors.js';
import {Handle} from './handles.js';

const isList = globalThis.Array.isArray;
const isPlain = x => {
    const p = Object.getPrototypeOf(x);
    return (p === Object.prototype || p === null) && !(typeof x.re === 'number' && typeof x.im === 'number');
};
const registered = new Map(); // class -> {flatten, unflatten, keys}

/** Makes objects of a class nodes: flatten(x) -> [children, data], unflatten(data, children) -> x. keys(x), if given,
 * are the children's names in paths. (jax.tree_util.register_pytree_node) */
export function registerNode(type, flatten, unflatten, {keys = null} = {}) {
    if (typeof type !== 'function') throw errorOf('TypeError', 'registerNode: a class is wanted');
    if (registered.has(type)) throw errorOf('ValueError', `Duplicate custom registration for ${type.name}`);
    registered.set(type, {type, flatten, unflatten, keys});
}
/** The same for a class with the method treeFlatten() -> [children, data] and the static one treeUnflatten(data,
 * children); returns the class. (jax.tree_util.register_pytree_node_class) */
export function registerNodeClass(type) {
    registerNode(type, x => x.treeFlatten(), (data, children) => type.treeUnflatten(data, children));
    return type;
}
/** Makes a class a node of the fields that are named: dataFields are its children, metaFields part of the structure.
 * Objects are made again without their constructor. (jax.tree_util.register_dataclass) */
export const registerDataclass = explaining('registerDataclass', (type, dataFields, metaFields = []) => {
    const both = dataFields.filter(n => metaFields.includes(n));
    if (both.length)
        throw errorOf('ValueError', `dataFields and metaFields must not overlap. Overlapping fields: ${both}.`);
    registerNode(type, x => [dataFields.map(n => x[n]), metaFields.map(n => x[n])], (meta, data) => {
        const x = Object.create(type.prototype);
        dataFields.forEach((n, i) => { x[n] = data[i]; });
        metaFields.forEach((n, i) => { x[n] = meta[i]; });
        return x;
    }, {keys: () => dataFields.map(n => `.${n}`)});
    return type;
});
/** Makes a class a node without children: its values are part of the structure. (jax.tree_util.register_static) */
export function registerStatic(type) {
    registerNode(type, x => [[], x], x => x);
    return type;
}

function isSame(a, b) { // data of nodes
    if (Object.is(a, b)) return true;
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || a instanceof Handle) return false;
    if (ArrayBuffer.isView(a)) return a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
    if (typeof a.equals === 'function') return a.equals(b);
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every(k => Object.hasOwn(b, k) && isSame(a[k], b[k]));
}
const quoted = key => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

/** What a tree is without its leaves. */
export class TreeDef {
    constructor(kind, data, children, node = null, key = null) {
        this.kind = kind; // 'Leaf', 'Null', 'Array', 'Object' or 'Custom'
        this.data = data; // the keys of an object; what a registered class gave
        this.children = children;
        this.node = node;
        this.key = key; // a text that only equal ones have; null: it has a node of a registered class
        let n = kind === 'Leaf' ? 1 : 0;
        for (const c of children) n += c.numLeaves;
        this.numLeaves = n;
    }
    get size() { return this.numLeaves; }
    get numNodes() { return this.children.reduce((n, c) => n + c.numNodes, 1); }
    get isLeaf() { return this.kind === 'Leaf'; }
    equals(other) {
        if (this === other) return true;
        if (!(other instanceof TreeDef) || (this.key !== null && other.key !== null))
            return other instanceof TreeDef && this.key === other.key;
        return this.kind === other.kind && this.node === other.node && this.children.length === other.children.length &&
            (this.kind === 'Array' || isSame(this.data, other.data)) && this.children.every((c, i) =>
                c.equals(other.children[i]));
    }
    /** "JsTreeDef([*, {a: *}])" */
    toString(root = true) {
        if (root) return `JsTreeDef(${this.toString(false)})`;
        const parts = this.children.map(c => c.toString(false));
        switch (this.kind) {
        case 'Leaf': return '*';
        case 'Null': return this.data === null ? 'null' : 'nothing';
        case 'Array': return `[${parts.join(', ')}]`;
        case 'Object': return `{${parts.map((p, i) => `${quoted(this.data[i])}: ${p}`).join(', ')}}`;
        default: return `${this.node.type.name}(${parts.join(', ')})`;
        }
    }
    unflatten(leaves) { return unflatten(this, leaves); }
    // jax-js's names
    get nodeType() { return this.kind; }
    get nodeMetadata() { return this.data; }
    get childTreedefs() { return this.children; }
    static get leaf() { return leafDef; }
}
const leafDef = new TreeDef('Leaf', null, [], null, '*'), nothing = new TreeDef('Null', null, [], null, '0');
const absent = new TreeDef('Null', undefined, [], null, 'u'); // undefined, as an argument that has a default

// Equal structures are one object, as long as there are not too many: comparing them is comparing addresses.
let known = new Map();
function structureOf(kind, data, children) {
    let key = kind === 'Array' ? '[' : `{${data.map(quotedKey).join('')}`;
    for (const c of children) {
        if (c.key === null) return new TreeDef(kind, data, children);
        key += c.key;
    }
    key += kind === 'Array' ? ']' : '}';
    let def = known.get(key);
    if (!def) {
        if (known.size > 4096) known = new Map();
        known.set(key, (def = new TreeDef(kind, data, children, null, key)));
    }
    return def;
}

const DEEPEST = 400; // a Worker of Chromium has half the stack of a page
const tooDeep = () => errorOf('ValueError', `a tree is deeper than ${DEEPEST} nodes, or contains itself`);
function walk(x, leaves, isLeaf, depth) {
    if (isLeaf !== null && isLeaf(x)) return leaves.push(x), leafDef;
    if (x === null || x === undefined) return x === null ? nothing : absent;
    if (typeof x !== 'object' || x instanceof Handle) return leaves.push(x), leafDef;
    if (depth > DEEPEST) throw tooDeep();
    if (isList(x)) return structureOf('Array', null, x.map(i => walk(i, leaves, isLeaf, depth + 1)));
    const node = registered.size ? registered.get(x.constructor) : undefined;
    if (node) {
        const given = node.flatten(x);
        if (!isList(given) || given.length !== 2)
            throw errorOf('TypeError', 'the flatten function of a registered class has to return [children, data]');
        return new TreeDef('Custom', given[1], globalThis.Array.from(given[0], i => walk(i, leaves, isLeaf, depth +
            1)), node);
    }
    if (!isPlain(x)) return leaves.push(x), leafDef;
    const keys = Object.keys(x).sort();
    return structureOf('Object', keys, keys.map(k => walk(x[k], leaves, isLeaf, depth + 1)));
}
const quotedKeys = new Map();
function quotedKey(k) {
    let q = quotedKeys.get(k);
    if (q === undefined) {
        if (quotedKeys.size > 4096) quotedKeys.clear();
        quotedKeys.set(k, (q = JSON.stringify(k)));
    }
    return q;
}
/** The key of a tree's structure, its leaves at the end of `leaves`; null: there are nodes of registered classes. */
function keyOf(x, leaves, depth) {
    if (x === null || x === undefined) return x === null ? '0' : 'u';
    if (typeof x !== 'object' || x instanceof Handle) return leaves.push(x), '*';
    if (depth > DEEPEST) throw tooDeep();
    if (isList(x)) {
        let key = '[';
        for (let i = 0; i < x.length; i++) {
            const k = keyOf(x[i], leaves, depth + 1);
            if (k === null) return null;
            key += k;
        }
        return `${key}]`;
    }
    if (registered.size && registered.has(x.constructor)) return null;
    if (!isPlain(x)) return leaves.push(x), '*';
    const keys = Object.keys(x);
    if (keys.length > 1) keys.sort();
    let key = '{';
    for (let i = 0; i < keys.length; i++) key += quotedKey(keys[i]);
    for (let i = 0; i < keys.length; i++) {
        const k = keyOf(x[keys[i]], leaves, depth + 1);
        if (k === null) return null;
        key += k;
    }
    return `${key}}`;
}
/** [leaves, structure] of a tree. isLeaf(x) -> whether a node counts as a leaf. */
export function flatten(tree, isLeaf = null) {
    if (isLeaf !== null && typeof isLeaf !== 'function')
        throw errorOf('TypeError', `which nodes are leaves says a function, not ${describe(isLeaf)}`);
    if (isLeaf === null) { // most structures were seen before
        const leaves = [], key = keyOf(tree, leaves, 0), def = key === '*' ? leafDef : key === null ? null :
            known.get(key);
        if (def) return [leaves, def];
    }
    const leaves = [], def = walk(tree, leaves, isLeaf, 0);
    return [leaves, def];
}
function build(def, leaves, state) {
    switch (def.kind) {
    case 'Leaf': return leaves[state.at++];
    case 'Null': return def.data;
    case 'Array': return def.children.map(c => build(c, leaves, state));
    case 'Object': {
        const x = {};
        for (let i = 0; i < def.data.length; i++) {
            const value = build(def.children[i], leaves, state);
            if (def.data[i] === '__proto__') Object.defineProperty(x, '__proto__', {value, enumerable: true,
                configurable: true, writable: true});
            else x[def.data[i]] = value;
        }
        return x;
    }
    default: return def.node.unflatten(def.data, def.children.map(c => build(c, leaves, state)));
    }
}
/** The tree of this structure with these leaves. */
export function unflatten(def, leaves) {
    if (!(def instanceof TreeDef)) throw errorOf('TypeError', 'unflatten: the structure of a tree is wanted first');
    const all = isList(leaves) ? leaves : [...leaves];
    if (all.length !== def.numLeaves)
        throw errorOf('ValueError', `Too ${all.length < def.numLeaves ? 'few' : 'many'} leaves for ${def}; expected ` +
            `${def.numLeaves}, got ${all.length}`);
    return def === leafDef ? all[0] : build(def, all, {at: 0});
}
export const leaves = (tree, isLeaf = null) => flatten(tree, isLeaf)[0];
export const structure = (tree, isLeaf = null) => flatten(tree, isLeaf)[1];

/** A node by itself: {def, children}; def is a leaf's of what has no children. */
function oneLevel(x) {
    let root = true;
    const children = [], def = walk(x, children, () => (root ? (root = false) : true), 0);
    return {def, children};
}
/** The parts of `tree` that stand where `def` has its leaves; parts below a leaf of `def` stay whole. */
export function flattenUpTo(def, tree) {
    const out = [];
    if (!(def instanceof TreeDef))
        throw errorOf('TypeError', `flattenUpTo: the structure of a tree is wanted first, not ${describe(def)}`);
    const go = (d, x) => {
        if (d.kind === 'Leaf') return void out.push(x);
        const own = oneLevel(x);
        if (own.def.kind !== d.kind || own.def.node !== d.node || own.children.length !== d.children.length ||
            (d.kind !== 'Array' && d.kind !== 'Null' && !isSame(own.def.data, d.data)))
            throw errorOf('ValueError', `Expected a tree of structure ${d.toString(false)}, got ` +
                `${structure(x).toString(false)}.`);
        d.children.forEach((c, i) => go(c, own.children[i]));
    };
    go(def, tree);
    return out;
}

// ---- Where leaves are: paths of keys. A key is the text of what follows the object: "[0]", "['a']", ".x".
function keysOf(x, own) {
    if (own.def.kind === 'Array') return own.children.map((_, i) => `[${i}]`);
    if (own.def.kind === 'Object') return own.def.data.map(k => `['${k.replace(/[\\']/g, '\\$&')}']`);
    return own.def.node?.keys?.(x) ?? own.children.map((_, i) => `[<flat index ${i}>]`);
}
/** A path as text: "['a'][0].x". (jax.tree_util.keystr) */
export const keystr = explaining('keystr', path => path.join(''));
/** [[[path, leaf], ...], structure] (jax.tree_util.tree_flatten_with_path) */
export function flattenWithPath(tree, isLeaf = null) {
    const out = [];
    const go = (path, x) => {
        if (isLeaf?.(x)) return void out.push([path, x]);
        const own = oneLevel(x);
        if (own.def.kind === 'Leaf') return void out.push([path, x]);
        const keys = keysOf(x, own);
        own.children.forEach((c, i) => go([...path, keys[i]], c));
    };
    const def = structure(tree, isLeaf); // also refuses trees that contain themselves
    go([], tree);
    return [out, def];
}
export const leavesWithPath = (tree, isLeaf = null) => flattenWithPath(tree, isLeaf)[0];

const typeName = x => (x === null || x === undefined ? 'null' : typeof x !== 'object' ? typeof x :
    x.constructor?.name ?? 'Object');
/** Where and how a tree differs from its prefix, as JAX tells it; null: it does not. */
function difference(prefix, full, isLeaf, name, path = []) {
    if (isLeaf?.(prefix)) return null;
    const a = oneLevel(prefix);
    if (a.def.kind === 'Leaf') return null;
    const b = oneLevel(full);
    const at = `at key path\n    ${name}${keystr(path)}\nAt that key path, the prefix tree ${name} has a subtree of ` +
        `type`;
    if (a.def.kind !== b.def.kind || a.def.node !== b.def.node)
        return `tree structure error: different types ${at}\n    ${typeName(prefix)}\nbut at the same key path the ` +
            `full tree ` +
            `has a subtree of different type\n    ${typeName(full)}.`;
    if (a.def.kind === 'Array' && a.children.length !== b.children.length)
        return `tree structure error: different lengths of Array ${at} Array of length ${a.children.length}, but the ` +
            `full ` +
            `tree has a subtree of the same type but of length ${b.children.length}.`;
    if (a.def.kind === 'Object' && !isSame(a.def.data, b.def.data)) {
        const differ = [...a.def.data, ...b.def.data].filter(k => a.def.data.includes(k) !== b.def.data.includes(k));
        return `tree structure error: different keys ${at}\n    ${typeName(prefix)}\nwith ${a.children.length} child ` +
            `keys\n    ` +
            `${a.def.data.join(' ')}\nbut at the same key path the full tree has a subtree of the same type but with ` +
            `${b.children.length} child keys\n    ${b.def.data.join(' ')}\nso the symmetric difference on key sets ` +
                `is\n    ` +
            differ.join(' ');
    }
    if (a.children.length !== b.children.length || (a.def.kind === 'Custom' && !isSame(a.def.data, b.def.data)))
        return `tree structure error: different tree metadata ${at}\n    ${typeName(prefix)}.`;
    const keys = keysOf(prefix, a);
    for (let i = 0; i < a.children.length; i++) {
        const found = difference(a.children[i], b.children[i], isLeaf, name, [...path, keys[i]]);
        if (found) return found;
    }
    return null;
}
function partsOf(trees, def, tree, isLeaf, what) {
    try {
        return trees.map(t => flattenUpTo(def, t));
    } catch (e) {
        for (const t of trees) {
            const found = difference(tree, t, isLeaf, what);
            if (found) throw errorOf('ValueError', found);
        }
        throw e;
    }
}
const leafTest = rest => (rest.length && typeof rest[rest.length - 1] === 'function' ? rest.pop() : null);
const wanted = (f, what) => {
    if (typeof f !== 'function') throw errorOf('TypeError', `${what}: a function is wanted first`);
};
/** f of the leaves of one or more trees; of the others the parts that stand at the places of the first one's leaves.
 * A function at the end says which nodes are leaves. */
export function map(f, tree, ...rest) {
    wanted(f, 'tree.map');
    const isLeaf = leafTest(rest);
    const [first, def] = flatten(tree, isLeaf), others = partsOf(rest, def, tree, isLeaf, 'tree.map tree');
    return unflatten(def, first.map((x, i) => f(x, ...others.map(o => o[i]))));
}
/** f of the path and the leaves. (jax.tree_util.tree_map_with_path) */
export function mapWithPath(f, tree, ...rest) {
    wanted(f, 'tree.mapWithPath');
    const isLeaf = leafTest(rest);
    const [found, def] = flattenWithPath(tree, isLeaf), others = partsOf(rest, def, tree, isLeaf, 'tree.mapWithPath ' +
        'tree');
    return unflatten(def, found.map(([path, x], i) => f(path, x, ...others.map(o => o[i]))));
}
/** f(f(f(initial, a), b), c) of the leaves. */
export function reduce(f, tree, ...initial) {
    wanted(f, 'tree.reduce');
    const all = leaves(tree);
    if (!all.length && !initial.length)
        throw errorOf('TypeError', 'reduce of a tree without leaves, and no initial value');
    return initial.length ? all.reduce((a, b) => f(a, b), initial[0]) : all.reduce((a, b) => f(a, b));
}
export const all = (tree, isLeaf = null) => leaves(tree, isLeaf).every(Boolean);
/** Whether each of the elements is a leaf. */
export const allLeaves = explaining('allLeaves', (items, isLeaf = null) =>
    [...items].every(x => structure(x, isLeaf).isLeaf));
/** A tree of structure outer, whose leaves are trees of structure inner, turned inside out. */
export function transpose(outer, inner, tree) {
    const [flat, def] = flatten(tree);
    if (!(outer instanceof TreeDef) || (inner !== undefined && inner !== null && !(inner instanceof TreeDef)))
        throw errorOf('TypeError', 'transpose: the structures of two trees are wanted first');
    inner ??= structure(flattenUpTo(outer, tree)[0]);
    const n = inner.numLeaves;
    if (flat.length !== n * outer.numLeaves || flattenUpTo(outer, tree).some(t => !structure(t).equals(inner)))
        throw errorOf('TypeError', `Mismatch\n${def}\n != \n${outer} of ${inner}`);
    return inner.unflatten(globalThis.Array.from({length: n}, (_, i) =>
        outer.unflatten(globalThis.Array.from({length: outer.numLeaves}, (_, k) => flat[k * n + i]))));
}
/** The prefix's leaves, each for all leaves of `tree` below it. */
export function broadcast(prefix, tree, isLeaf = null) {
    const [first, def] = flatten(prefix, isLeaf);
    const [parts] = partsOf([tree], def, prefix, isLeaf, 'tree.broadcast prefix');
    return structure(tree).unflatten(first.flatMap((x, i) => leaves(parts[i]).map(() => x)));
}
/** jax-js: one more reference to each array of the tree. */
export function ref(tree) {
    for (const x of leaves(tree)) void x?.ref;
    return tree;
}
/** Disposes of each array of the tree. */
export function dispose(tree) {
    for (const x of leaves(tree)) if (x instanceof Handle) x.dispose();
}
export const NodeType = Object.freeze({Array: 'Array', Object: 'Object', Leaf: 'Leaf'});

// JAX's spellings beside these.
export {leavesWithPath as leaves_with_path, flattenWithPath as flatten_with_path, mapWithPath as map_with_path,
    allLeaves as all_leaves, registerNode as register_node, registerNode as register_pytree_node,
    registerNode as registerPytreeNode, registerNodeClass as register_pytree_node_class,
    registerNodeClass as registerPytreeNodeClass, registerDataclass as register_dataclass,
    registerStatic as register_static, TreeDef as JsTreeDef};

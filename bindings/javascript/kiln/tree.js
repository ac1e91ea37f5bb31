// SPDX-License-Identifier: Apache-2.0
// tree.js -- trees of arrays: JavaScript's arrays and plain objects, nested; objects of registered classes; everything
// else is a leaf. Keys of objects are in sorted order, as in JAX; null is a tree without leaves.
import {errorOf} from './errors.js';

const isPlain = x => Object.getPrototypeOf(x) === Object.prototype || Object.getPrototypeOf(x) === null;
const registered = new Map(); // class -> {flatten, unflatten}
/** Makes objects of a class nodes: flatten(x) -> [children, data], unflatten(data, children) -> x. */
export function registerNode(type, flatten, unflatten) { registered.set(type, {flatten, unflatten}); }

/** What a tree is without its leaves. */
export class TreeDef {
    constructor(kind, data, children, node = null) {
        Object.assign(this, {kind, data, children, node});
        this.numLeaves = kind === 'leaf' ? 1 : children.reduce((n, c) => n + c.numLeaves, 0);
        this.key = kind === 'leaf' ? '*' : `${kind}${kind === 'object' || kind === 'custom' ? JSON.stringify(data) : ''}(${
            children.map(c => c.key).join(',')})`;
    }
    equals(other) { return this.key === other.key && sameTypes(this, other); }
    toString() { return `PyTreeDef(${this.key})`; }
    unflatten(leaves) { return unflatten(this, leaves); }
}
function sameTypes(a, b) {
    return a.node === b.node && a.children.every((c, i) => sameTypes(c, b.children[i]));
}
const leafDef = new TreeDef('leaf', null, []), nothing = new TreeDef('null', null, []);

function walk(x, leaves, isLeaf) {
    if (isLeaf?.(x)) return leaves.push(x), leafDef;
    if (x === null || x === undefined) return nothing;
    if (globalThis.Array.isArray(x)) return new TreeDef('array', null, x.map(i => walk(i, leaves, isLeaf)));
    if (typeof x === 'object') {
        const node = registered.get(x.constructor);
        if (node) {
            const [children, data] = node.flatten(x);
            return new TreeDef('custom', data, children.map(i => walk(i, leaves, isLeaf)), node);
        }
        if (isPlain(x) && !(typeof x.re === 'number' && typeof x.im === 'number')) {
            const keys = Object.keys(x).sort();
            return new TreeDef('object', keys, keys.map(k => walk(x[k], leaves, isLeaf)));
        }
    }
    leaves.push(x);
    return leafDef;
}
/** [leaves, treedef] */
export function flatten(tree, isLeaf = null) {
    const leaves = [], def = walk(tree, leaves, isLeaf);
    return [leaves, def];
}
export function unflatten(def, leaves) {
    const all = globalThis.Array.isArray(leaves) ? leaves : [...leaves];
    if (all.length !== def.numLeaves)
        throw errorOf('ValueError', `the tree has ${def.numLeaves} leaves, not ${all.length}`);
    let at = 0;
    const make = d => {
        switch (d.kind) {
        case 'leaf': return all[at++];
        case 'null': return null;
        case 'array': return d.children.map(make);
        case 'object': return Object.fromEntries(d.data.map((k, i) => [k, make(d.children[i])]));
        default: return d.node.unflatten(d.data, d.children.map(make));
        }
    };
    return make(def);
}
export const leaves = (tree, isLeaf = null) => flatten(tree, isLeaf)[0];
export const structure = (tree, isLeaf = null) => flatten(tree, isLeaf)[1];

/** The leaves of `tree` that stand where `def` has its own; parts below a leaf of `def` stay whole. */
export function flattenUpTo(def, tree) {
    const out = [];
    const go = (d, x) => {
        if (d.kind === 'leaf') return void out.push(x);
        const [, own] = flattenOnce(x);
        if (own.kind !== d.kind || own.children.length !== d.children.length ||
            (d.kind === 'object' && own.data.join('\0') !== d.data.join('\0')))
            throw errorOf('ValueError', `trees of different structures: ${d.key} and ${structure(x).key}`);
        const [children] = flattenOnce(x);
        d.children.forEach((c, i) => go(c, children[i]));
    };
    go(def, tree);
    return out;
}
function flattenOnce(x) {
    let root = true;
    return flatten(x, () => (root ? (root = false) : true));
}
/** f of the leaves of one or more trees of the same structure. */
export function map(f, tree, ...rest) {
    const isLeaf = typeof rest[rest.length - 1] === 'function' ? rest.pop() : null;
    const [first, def] = flatten(tree, isLeaf), others = rest.map(t => flattenUpTo(def, t));
    return unflatten(def, first.map((x, i) => f(x, ...others.map(o => o[i]))));
}
export function reduce(f, tree, ...initial) {
    const all = leaves(tree);
    return initial.length ? all.reduce((a, b) => f(a, b), initial[0]) : all.reduce((a, b) => f(a, b));
}
export const all = tree => leaves(tree).every(Boolean);
/** jax-js: one more reference to each array of the tree; here the tree itself. */
export function ref(tree) {
    for (const x of leaves(tree)) void x?.ref;
    return tree;
}
/** Disposes of each array of the tree. */
export function dispose(tree) {
    for (const x of leaves(tree)) x?.dispose?.();
}

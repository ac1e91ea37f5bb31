// SPDX-License-Identifier: Apache-2.0
// mesh.js -- meshes, specs, shardings, and functions that are written for one device (jax.sharding, jax.shard_map, jax.pmap).
// A module of WebAssembly has one device: functions over meshes are worked out for all devices together, with the
// same results, and arrays lie on none.
import {ensure, engine, mark, put, put8, release, room, text} from './engine.js';
import {shapeAt} from './convert.js';
import {describe, errorOf} from './errors.js';
import {check, isTracing} from './handles.js';
import {KilnArray} from './array.js';
import {wrap} from './call.js';
import {FlatFunction} from './function.js';
import {asArray, callable, jit, named, optionsOf} from './jit.js';
import {here} from './place.js';
import {using} from './transforms.js';
import {flatten, flattenUpTo, leaves as leavesOf, map} from './tree.js';
import {vmapAs} from './vmap.js';

// ---- Descriptions.
const entryOf = e => {
    if (e === undefined || e === null) return null;
    if (!Array.isArray(e)) return e;
    return e.length === 0 ? null : e.length === 1 ? e[0] : Object.freeze([...e]);
};
const axesOf = e => (e === null ? [] : Array.isArray(e) ? e : [e]);
const quoted = e => (e === null ? 'None' : Array.isArray(e) ? `(${e.map(quoted).join(', ')})` : `'${e}'`);

/** Which axes of a mesh cut which dimension of an array: for each dimension a name, a list of names, or null. Dimensions
 * without an entry are whole. (jax.sharding.PartitionSpec) */
export class PartitionSpec {
    constructor(...partitions) {
        this.partitions = Object.freeze(partitions.map(entryOf));
        Object.freeze(this);
    }
    get length() { return this.partitions.length; }
    [Symbol.iterator]() { return this.partitions[Symbol.iterator](); }
    /** The same entries? */
    equals(other) { return other instanceof PartitionSpec && `${other}` === `${this}`; }
    toString() { return `P(${this.partitions.map(quoted).join(', ')}${this.length === 1 ? ',' : ''})`; }
}
/** P('data', null, ['x', 'y']): a PartitionSpec. (jax.P) */
export const P = (...partitions) => new PartitionSpec(...partitions);

const textOf = spec => spec.partitions.map(e => (e === null ? 'None' : Array.isArray(e) ? `(${e.join(', ')})` : e)).join(', ');

const meshes = new Map(); // text -> address of a kn_mesh, for good
function checkName(name) {
    if (typeof name !== 'string')
        throw errorOf('TypeError', `names of axes of a mesh have to be texts, not ${describe(name)}`);
    if (!name || name === 'None' || /[\s,();]/.test(name))
        throw errorOf('ValueError', `'${name}' cannot be the name of an axis: blanks, commas, semicolons and parentheses ` +
            'stand between names');
}

/** Axes with names and sizes. (jax.sharding.Mesh, AbstractMesh) */
export class Mesh {
    /** axisSizes: [4, 2]; axisNames: ['data', 'model'], or one name */
    constructor(axisSizes, axisNames) {
        const names = [axisNames].flat(), sizes = [axisSizes].flat();
        names.forEach(checkName);
        for (const n of sizes)
            if (!Number.isInteger(n) || n < 1)
                throw errorOf('ValueError', `sizes of axes of a mesh are positive integers, not ${describe(n)}`);
        if (names.length !== sizes.length)
            throw errorOf('ValueError', `Length of axis_names and axis_sizes should match. Got axis_names=${names} and ` +
                `axis_sizes=${sizes}`);
        this.axisNames = Object.freeze(names);
        this.axisSizes = Object.freeze(sizes);
        this.size = sizes.reduce((a, b) => a * b, 1);
        const twice = names.find((n, i) => names.indexOf(n) !== i);
        if (twice) throw errorOf('ValueError', `two axes of a mesh are named '${twice}'`);
        Object.freeze(this);
    }
    /** The size of each axis by its name. */
    get shape() { return Object.fromEntries(this.axisNames.map((n, i) => [n, this.axisSizes[i]])); }
    /** The number that C knows it by. */
    get handle() {
        ensure();
        const key = `${this.axisNames}|${this.axisSizes}`;
        let h = meshes.get(key);
        if (h) return h;
        const {L} = engine, m = mark(), opts = room(L.kn_make_mesh_opts);
        put(opts, L.kn_make_mesh_opts), put8(opts + L['kn_make_mesh_opts.abstract'], 1);
        h = engine.exports.kn_make_mesh(shapeAt(this.axisSizes), text(this.axisNames.join(', ')), opts);
        release(m);
        check();
        meshes.set(key, h);
        return h;
    }
    equals(other) { return other instanceof Mesh && `${other}` === `${this}`; }
    toString() {
        const types = this.axisNames.map(() => 'Auto').join(', ');
        return `Mesh(${this.axisNames.map((n, i) => `'${n}': ${this.axisSizes[i]}`).join(', ')}, ` +
            `axis_types=(${types}${this.size && this.axisNames.length === 1 ? ',' : ''}))`;
    }
}
/** new Mesh(axisShapes, axisNames). (jax.make_mesh) */
export const makeMesh = (axisShapes, axisNames) => new Mesh(axisShapes, axisNames);

function checkMesh(mesh, what) {
    if (!(mesh instanceof Mesh)) throw errorOf('TypeError', `${what} wants a Mesh, not ${describe(mesh)}`);
}

/** How arrays lie on a mesh. (jax.sharding.NamedSharding) */
export class NamedSharding {
    constructor(mesh, spec) {
        checkMesh(mesh, 'NamedSharding');
        if (!(spec instanceof PartitionSpec))
            throw errorOf('TypeError', `the spec of a NamedSharding has to be a PartitionSpec, not ${describe(spec)}`);
        const seen = new Set();
        for (const name of spec.partitions.flatMap(axesOf)) {
            if (!mesh.axisNames.includes(name))
                throw errorOf('ValueError', `Resource axis: ${name} of ${spec} is not found in mesh: ` +
                    `(${mesh.axisNames.map(quoted).join(', ')}).`);
            if (seen.has(name))
                throw errorOf('ValueError', 'A single NamedSharding spec specification can map every mesh axis to at most ' +
                    `one positional dimension, but ${spec} has duplicate entries for \`${name}\``);
            seen.add(name);
        }
        this.mesh = mesh;
        this.spec = spec;
        Object.freeze(this);
    }
    get handle() {
        const mesh = this.mesh.handle, m = mark(), h = engine.exports.kn_named_sharding(mesh, text(textOf(this.spec)));
        release(m);
        check();
        return h;
    }
    /** The shape of one device's part of an array of this shape; the last parts may be shorter. */
    shardShape(shape) {
        if (this.spec.length > shape.length)
            throw errorOf('ValueError', `Sharding ${this} is only valid for values of rank at least ${this.spec.length}, ` +
                `but was applied to a value of rank ${shape.length}.`);
        const {shape: sizes} = this.mesh;
        return shape.map((n, i) => Math.ceil(n / axesOf(this.spec.partitions[i] ?? null).reduce((k, a) => k * sizes[a], 1)));
    }
    /** devicePut with it: a mesh of one device has arrays here. */
    place(x, entry) { return over('kn_shard', x, this, entry); }
    toString() { return `NamedSharding(mesh=${this.mesh}, spec=${this.spec}, memory_kind=device)`; }
}

// ---- Arrays.
function over(name, x, sharding, entry) {
    return map(leaf => {
        const y = asArray(leaf), s = sharding.handle;
        try {
            here(entry);
            return wrap(engine.exports[name](y.handle, s));
        } finally {
            if (y !== leaf) y.dispose();
        }
    }, x);
}
/** x itself, which would have to lie so: in functions that are recorded, for their jaxprs. Elsewhere there is nothing to
 * be done. (jax.lax.with_sharding_constraint) */
export function withShardingConstraint(x, sharding) {
    if (!(sharding instanceof NamedSharding))
        throw errorOf('TypeError', `withShardingConstraint wants a NamedSharding, not ${describe(sharding)}`);
    for (const leaf of leavesOf(x)) sharding.shardShape([...asShape(leaf)]);
    return isTracing() ? over('kn_with_sharding_constraint', x, sharding, withShardingConstraint) : x;
}
function asShape(leaf) {
    if (leaf instanceof KilnArray) return leaf.shape;
    const y = asArray(leaf), {shape} = y;
    y.dispose();
    return shape;
}

// ---- Functions for one device.
const isSpec = x => x instanceof PartitionSpec;
function specsOf(specs, tree, what) {
    if (isSpec(specs)) return leavesOf(tree).map(() => textOf(specs));
    const [found, def] = flatten(specs, isSpec);
    let parts;
    try {
        parts = flattenUpTo(def, tree);
    } catch {
        throw errorOf('ValueError', `shard_map ${what} specification must be a tree prefix of the corresponding value, got ` +
            `specification [${found.join(', ')}] for value tree ${flatten(tree)[1]}.`);
    }
    return parts.flatMap((p, i) => leavesOf(p).map(() => textOf(found[i])));
}
function checkSpecs(specs, mesh, what) {
    for (const s of leavesOf(specs, isSpec)) {
        if (!isSpec(s))
            throw errorOf('TypeError', `shard_map ${what} argument must be a tree of PartitionSpec, but it has ${describe(s)}`);
        for (const name of s.partitions.flatMap(axesOf))
            if (!mesh.axisNames.includes(name))
                throw errorOf('ValueError', `shard_map ${what} argument must refer to an axis of the mesh ` +
                    `(${mesh.axisNames.map(quoted).join(', ')}), but ${what} refers to '${name}'`);
    }
}
class Again extends Error {} // the function has other results than were thought

/** fun on each device of a mesh, for its parts of the arguments: in fun the axes of the mesh have their names, for
 * lax.psum and its like. inSpecs: a spec for all arguments, or a list with a spec (or a tree of them) for each; outSpecs:
 * a tree of which the result is an extension. (jax.shard_map) */
export function shardMap(fun, options) {
    callable(fun, 'shardMap');
    const {mesh, inSpecs, outSpecs, checkVma} =
        optionsOf(options, {mesh: null, inSpecs: null, outSpecs: null, checkVma: true}, 'shardMap');
    checkMesh(mesh, 'shardMap');
    checkSpecs(inSpecs, mesh, 'inSpecs');
    checkSpecs(outSpecs, mesh, 'outSpecs');
    return named((...args) => {
        ensure();
        const [given, def] = flatten(args), into = specsOf(inSpecs, args, 'inSpecs').join(';');
        let results = leavesOf(outSpecs, isSpec).map(textOf), tree = null;
        const body = (...parts) => {
            const [out, structure] = flatten(fun(...def.unflatten(parts[0])));
            tree = structure;
            const wanted = isSpec(outSpecs) ? results : specsOf(outSpecs, structure.unflatten(out), 'outSpecs');
            if (`${wanted}|${wanted.length}` !== `${results}|${results.length}`) {
                results = wanted;
                throw new Again(`${fun.name || 'the function'} has another structure of results each time it is called`);
            }
            return out;
        };
        const once = () => {
            const f = FlatFunction.of(body, [given.length], {name: fun.name || 'f'});
            return using(f.shardMap(mesh.handle, into, results.join(';'), checkVma), g => g.call([given], null));
        };
        let out;
        try {
            out = once();
        } catch (e) {
            if (!(e instanceof Again)) throw e;
            out = once();
        }
        return tree.unflatten(out);
    }, fun);
}

/** fun, compiled, of each element along axes of its arguments, as vmap; in its jaxpr it is one equation. (jax.pmap)
 * pmap(f, 'i', {inAxes: [0, null]}) */
export function pmap(fun, axisName = null, options = {}) {
    callable(fun, 'pmap');
    const given = axisName !== null && typeof axisName === 'object' ? axisName : {axisName, ...options};
    const mapped = vmapAs('pmap', fun, given), compiled = jit(named((...args) => mapped(...args), fun));
    return named((...args) => (isTracing() ? mapped : compiled)(...args), fun);
}

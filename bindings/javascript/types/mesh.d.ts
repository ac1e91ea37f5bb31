// SPDX-License-Identifier: Apache-2.0
// needs: mesh.js
// Meshes, shardings, functions for one device.

type SpecEntry = string | readonly string[] | null;
/** Which axes of a mesh cut which dimension of an array. */
export declare class PartitionSpec implements Iterable<SpecEntry> {
    constructor(...partitions: (SpecEntry | undefined)[]);
    readonly partitions: readonly SpecEntry[];
    readonly length: number;
    [Symbol.iterator](): Iterator<SpecEntry>;
    equals(other: unknown): boolean;
    toString(): string;
}
/** P('data', null, ['x', 'y']) */
export declare function P(...partitions: (SpecEntry | undefined)[]): PartitionSpec;
/** Axes with names and sizes. */
export declare class Mesh {
    constructor(axisSizes: number | readonly number[], axisNames: string | readonly string[]);
    readonly axisNames: readonly string[];
    readonly axisSizes: readonly number[];
    readonly size: number;
    readonly shape: {[name: string]: number};
    equals(other: unknown): boolean;
    toString(): string;
}
/** new Mesh(axisShapes, axisNames) */
export declare function makeMesh(axisShapes: number | readonly number[], axisNames: string | readonly string[]): Mesh;
/** How arrays lie on a mesh. */
export declare class NamedSharding {
    constructor(mesh: Mesh, spec: PartitionSpec);
    readonly mesh: Mesh;
    readonly spec: PartitionSpec;
    shardShape(shape: readonly number[]): number[];
    toString(): string;
}
type Specs = PartitionSpec | readonly Specs[] | {readonly [key: string]: Specs};
/** f on each device of a mesh, for its parts of the arguments. */
export declare function shardMap<F extends Fun>(f: F, options: {mesh: Mesh; inSpecs: Specs; outSpecs: Specs; checkVma?: boolean}):
    (...args: LooseArgs<F>) => ReturnType<F>;
/** f, compiled, of each element along axes of its arguments, as vmap; in its jaxpr it is one equation. */
export declare function pmap<F extends Fun>(f: F, axisName?: string | null | VmapOptions, options?: VmapOptions):
    (...args: LooseArgs<F>) => ReturnType<F>;

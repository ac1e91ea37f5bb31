// SPDX-License-Identifier: Apache-2.0
// needs: lax.js
    /** x itself, which would have to lie so on a mesh. */
    withShardingConstraint<T>(x: T, sharding: NamedSharding): T;
    readonly GatherScatterMode: {readonly [name: string]: number};
    readonly RoundingMethod: {readonly [name: string]: number};
    readonly RandomAlgorithm: {readonly [name: string]: number};
    readonly Precision: {readonly [name: string]: number};
    readonly FftType: {readonly FFT: "FFT"; readonly IFFT: "IFFT"; readonly RFFT: "RFFT"; readonly IRFFT: "IRFFT"};
    /** Of each element of a tree along a named axis (vmap's axisName). */
    psum<T>(x: T, axisName: string | readonly string[], options?: {axisIndexGroups?: readonly (readonly number[])[] | null}): T;
    pmean<T>(x: T, axisName: string | readonly string[], options?: {axisIndexGroups?: readonly (readonly number[])[] | null}): T;
    pmax<T>(x: T, axisName: string | readonly string[], options?: {axisIndexGroups?: readonly (readonly number[])[] | null}): T;
    pmin<T>(x: T, axisName: string | readonly string[], options?: {axisIndexGroups?: readonly (readonly number[])[] | null}): T;
    scatter(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;
    scatterAdd(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;
    scatterSub(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;
    scatterMul(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;
    scatterMin(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;
    scatterMax(operand: ArrayLike, scatterIndices: ArrayLike, updates: ArrayLike, dimensionNumbers: any, options?: ScatterOptions): Array;

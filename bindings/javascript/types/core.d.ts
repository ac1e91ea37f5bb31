// SPDX-License-Identifier: Apache-2.0
// Arrays, dtypes, trees and errors. tools/make-types.py puts this before what it makes of the table of functions.

/** A dtype is its name. */
export type DTypeName = "bool" | "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" |
    "bfloat16" | "float16" | "float32" | "float64" | "complex64" | "complex128";
export declare const DType: {
    readonly Bool: "bool"; readonly Int8: "int8"; readonly Int16: "int16"; readonly Int32: "int32"; readonly Int64: "int64";
    readonly Uint8: "uint8"; readonly Uint16: "uint16"; readonly Uint32: "uint32"; readonly Uint64: "uint64";
    readonly BFloat16: "bfloat16"; readonly Float16: "float16"; readonly Float32: "float32"; readonly Float64: "float64";
    readonly Complex64: "complex64"; readonly Complex128: "complex128";
};
export type DType = DTypeName | (string & {});

export interface Complex { re: number; im: number }
export type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array |
    BigInt64Array | BigUint64Array | Float32Array | Float64Array;
export type Scalar = number | bigint | boolean | Complex;
/** What functions take for an array: arrays, numbers, nested lists, typed arrays. */
export type ArrayLike = Array | Scalar | TypedArray | readonly ArrayLike[];
/** The extents of an array, or one for a vector. */
export type Shape = number | readonly number[];
/** An axis, several, or null for all. */
export type Axes = number | readonly number[] | null;
/** "host", "webgpu:0" */
export type Device = string;
/** A part of an index: an integer, [start, stop, step], [] for all, null for a new axis, "...", positions, a mask. */
export type Index = number | bigint | boolean | null | "..." | typeof Ellipsis | Slice | Array | TypedArray |
    readonly (number | null)[] | readonly boolean[] | readonly (readonly (number | boolean)[])[];

/** A slice as a value: new Slice(start, stop, step). */
export declare class Slice {
    constructor(start?: number | null, stop?: number | null, step?: number | null);
    start: number | null;
    stop: number | null;
    step: number | null;
}
export declare const Ellipsis: unique symbol;

/** What writes to a copy of x: x.at(...index).set(v). */
export interface At {
    /** x[index]; positions beyond the array are the nearest ones, or fillValue with {mode: "fill"}. */
    get(options?: {mode?: "clip" | "fill" | null; fillValue?: Scalar | null}): Array;
    set(values: ArrayLike, options?: AtOptions): Array;
    add(values: ArrayLike, options?: AtOptions): Array;
    subtract(values: ArrayLike, options?: AtOptions): Array;
    multiply(values: ArrayLike, options?: AtOptions): Array;
    mul(values: ArrayLike, options?: AtOptions): Array;
    divide(values: ArrayLike, options?: AtOptions): Array;
    power(values: ArrayLike, options?: AtOptions): Array;
    min(values: ArrayLike, options?: AtOptions): Array;
    max(values: ArrayLike, options?: AtOptions): Array;
    apply(f: (x: Array) => ArrayLike, options?: AtOptions): Array;
}
export interface AtOptions { mode?: "drop" | "clip" | "promise_in_bounds" | null }

type Reduction = {(axis?: Axes, options?: {keepdims?: boolean; initial?: ArrayLike; where?: ArrayLike; dtype?: DType}): Array;
    (options: {axis?: Axes; keepdims?: boolean; initial?: ArrayLike; where?: ArrayLike; dtype?: DType}): Array};
type Variance = {(axis?: Axes, options?: {keepdims?: boolean; ddof?: number; correction?: number}): Array;
    (options: {axis?: Axes; keepdims?: boolean; ddof?: number; correction?: number}): Array};

/** An array. Operations leave their operands as they are; `ref` is the array itself. */
export declare class Array {
    private constructor();
    readonly shape: readonly number[];
    readonly dtype: DTypeName;
    readonly ndim: number;
    readonly size: number;
    /** The number of rows. */
    readonly length: number;
    readonly itemsize: number;
    readonly nbytes: number;
    readonly weakType: boolean;
    readonly device: Device;
    readonly T: Array;
    readonly mT: Array;
    readonly real: Array;
    readonly imag: Array;
    /** The array; dispose() after it gives back one reference. */
    readonly ref: this;
    readonly refCount: number;
    readonly isDisposed: boolean;
    /** Gives the memory back now instead of when the collector finds the array. */
    dispose(): void;
    [Symbol.dispose](): void;

    /** The elements in C order, a copy; waits for them. */
    dataSync(): any;
    /** The elements in C order. */
    data(): Promise<any>;
    /** Nested lists of numbers; a number of a 0-d array. */
    js(): any;
    jsSync(): any;
    jsAsync(): Promise<any>;
    tolist(): any;
    /** The one element, or that at a position. */
    item(...index: number[]): any;
    blockUntilReady(): Promise<this>;
    toString(): string;
    toJSON(): any;
    [Symbol.toPrimitive](hint: string): any;
    [Symbol.iterator](): IterableIterator<Array>;

    /** x[...index]; a view where that is possible. */
    slice(...index: Index[]): Array;
    /** Writes to the array itself: x.set([0], v) is NumPy's x[0] = v. */
    set(index: Index | readonly Index[], value: ArrayLike): this;
    /** x.at(...index).set(v): another array, x stays as it is. */
    at(...index: Index[]): At;

    add(other: ArrayLike): Array;
    sub(other: ArrayLike): Array;
    mul(other: ArrayLike): Array;
    div(other: ArrayLike): Array;
    mod(other: ArrayLike): Array;
    pow(other: ArrayLike): Array;
    floorDivide(other: ArrayLike): Array;
    matmul(other: ArrayLike): Array;
    dot(other: ArrayLike): Array;
    neg(): Array;
    abs(): Array;
    not(): Array;
    invert(): Array;
    and(other: ArrayLike): Array;
    or(other: ArrayLike): Array;
    xor(other: ArrayLike): Array;
    leftShift(other: ArrayLike): Array;
    rightShift(other: ArrayLike): Array;
    greater(other: ArrayLike): Array;
    less(other: ArrayLike): Array;
    equal(other: ArrayLike): Array;
    notEqual(other: ArrayLike): Array;
    greaterEqual(other: ArrayLike): Array;
    lessEqual(other: ArrayLike): Array;

    /** x += other and its kin, in place; views show it. */
    iadd(other: ArrayLike): this;
    isub(other: ArrayLike): this;
    imul(other: ArrayLike): this;
    idiv(other: ArrayLike): this;
    ipow(other: ArrayLike): this;
    imod(other: ArrayLike): this;
    ifloordiv(other: ArrayLike): this;
    iand(other: ArrayLike): this;
    ior(other: ArrayLike): this;
    ixor(other: ArrayLike): this;
    ilshift(other: ArrayLike): this;
    irshift(other: ArrayLike): this;
    imatmul(other: ArrayLike): this;

    sum: Reduction;
    prod: Reduction;
    mean: Reduction;
    min: Reduction;
    max: Reduction;
    all: Reduction;
    any: Reduction;
    var: Variance;
    std: Variance;
    argmax(axis?: number | null, options?: {keepdims?: boolean}): Array;
    argmin(axis?: number | null, options?: {keepdims?: boolean}): Array;
    argsort(axis?: number | null, options?: {stable?: boolean; descending?: boolean}): Array;
    sort(axis?: number | null, options?: {stable?: boolean; descending?: boolean}): Array;
    partition(kth: number, axis?: number): Array;
    argpartition(kth: number, axis?: number): Array;
    searchsorted(v: ArrayLike, side?: "left" | "right", sorter?: ArrayLike | null): Array;
    cumsum(axis?: number | null, dtype?: DType | null): Array;
    cumprod(axis?: number | null, dtype?: DType | null): Array;
    clip(min?: ArrayLike | null, max?: ArrayLike | null): Array;
    clip(options: {min?: ArrayLike | null; max?: ArrayLike | null}): Array;
    round(decimals?: number): Array;
    conj(): Array;
    conjugate(): Array;
    copy(): Array;
    astype(dtype: DType, options?: {copy?: boolean}): Array;
    /** The same bytes as another dtype. */
    view(dtype?: DType): Array;
    byteswap(inplace?: boolean): Array;
    reshape(shape: Shape, options?: {order?: "C" | "F" | "A"; copy?: boolean}): Array;
    reshape(...shape: number[]): Array;
    transpose(axes?: readonly number[] | null): Array;
    transpose(...axes: number[]): Array;
    flatten(order?: "C" | "F" | "A" | "K"): Array;
    ravel(order?: "C" | "F" | "A" | "K"): Array;
    squeeze(axis?: Axes): Array;
    swapaxes(axis1: number, axis2: number): Array;
    diagonal(offset?: number, axis1?: number, axis2?: number): Array;
    trace(offset?: number, axis1?: number, axis2?: number): Array;
    repeat(repeats: number | ArrayLike, axis?: number | null): Array;
    take(indices: ArrayLike, axis?: number | null, options?: {mode?: "raise" | "wrap" | "clip"}): Array;
    compress(condition: ArrayLike, axis?: number | null): Array;
    choose(choices: readonly ArrayLike[], options?: {mode?: "raise" | "wrap" | "clip"}): Array;
    nonzero(): Array[];
    fill(value: ArrayLike): void;
    put(indices: ArrayLike, values: ArrayLike, mode?: "raise" | "wrap" | "clip"): void;
    resize(...shape: number[]): void;
    setflags(options: {write?: boolean}): void;
}

// ---- Loading.
export interface InitOptions {
    /** The module: a URL, its bytes, a Response, or the compiled module. */
    wasm?: string | URL | BufferSource | Response | WebAssembly.Module;
    /** How a fused multiply-add is made: "auto" takes the relaxed instruction where a probe shows that it rounds once. */
    fma?: "auto" | "exact" | "relaxed";
    /** What floats are where no dtype says it. */
    defaultFloat?: "float32" | "float64";
    /** "webgpu", "webgl" */
    devices?: Device | readonly Device[];
    [option: string]: any;
}
/** Loads the module; in Node, Deno and Bun the first use does that, too. The names of the devices. */
export declare function init(options?: InitOptions): Promise<Device[]>;
export declare function init(...devices: Device[]): Promise<Device[]>;
/** lines: whether operations note the line that calls them, for errors that are found later. */
export declare const settings: {lines: boolean; [option: string]: any};

// ---- Memory.
/** f(): the arrays that are made inside are disposed of at its end, but those of the tree that it returns. */
export declare function tidy<T>(f: () => T): T;
/** The arrays of this tree outlive the tidy() in which they were made. */
export declare function keep<T>(tree: T): T;
/** How many arrays the library holds. */
export declare function liveCount(): number;
export declare function memory(): {arrays: number; bytes: number; used: number};

// ---- Errors.
/** An error of Kiln's: `name` is its kind, file and line are those of the call that it is about. */
export declare class KilnError extends Error {
    readonly file: string | null;
    readonly line: number;
}
export declare class KilnTypeError extends TypeError {
    readonly file: string | null;
    readonly line: number;
}
export declare class ValueError extends KilnError {}
export declare class IndexError extends KilnError {}
export declare class KeyError extends KilnError {}
export declare class AxisError extends KilnError {}
export declare class OverflowError extends KilnError {}
export declare class LinAlgError extends KilnError {}
export declare class NotImplementedError extends KilnError {}
export declare class ConcretizationError extends KilnError {}
export declare class LeakedTracerError extends KilnError {}
export declare class MutationError extends KilnError {}
export declare class ContextError extends KilnError {}
export declare class FileError extends KilnError {}
export declare class MemoryError extends KilnError {}
export declare class NameError extends KilnError {}
export declare class RuntimeError extends KilnError {}
export declare class AssertionError extends KilnError {}
export declare class ZeroDivisionError extends KilnError {}
export declare class InconclusiveDimensionOperation extends KilnError {}
export declare class FloatingPointError extends KilnError {}

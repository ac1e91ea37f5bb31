// SPDX-License-Identifier: Apache-2.0
// Members of np that are written by hand and whose types a signature does not say. tools/make-types.py puts them into the
// interface Numpy; what is here wins.
    readonly pi: number;
    readonly e: number;
    readonly inf: number;
    readonly nan: number;
    readonly newaxis: null;
    readonly eulerGamma: number;
    readonly Array: typeof Array;
    readonly ndarray: typeof Array;
    readonly DType: typeof DType;
    readonly linalg: NumpyLinalg;
    readonly fft: NumpyFft;
    readonly emath: NumpyEmath;
    /** A new array of nested lists, a typed array (of its dtype), a number or an array. */
    array(x: ArrayLike, options?: {dtype?: DType | null; shape?: Shape | null; copy?: boolean; ndmin?: number; device?: Device | null}): Array;
    /** The same, but an array that has the dtype is itself. */
    asarray(x: ArrayLike, dtype?: DType | null, options?: {device?: Device | null; copy?: boolean}): Array;
    asarray(x: ArrayLike, options?: {dtype?: DType | null; device?: Device | null; copy?: boolean}): Array;
    /** Numbers from start, by step, to below stop. Whole ones are int32. */
    arange(stop: number, options?: {dtype?: DType | null; device?: Device | null}): Array;
    arange(start: number, stop?: number, options?: {dtype?: DType | null; device?: Device | null}): Array;
    arange(start: number, stop?: number, step?: number, options?: {dtype?: DType | null; device?: Device | null}): Array;
    full(shape: Shape, fillValue: ArrayLike, options?: {dtype?: DType | null; device?: Device | null}): Array;
    full(shape: Shape, fillValue: ArrayLike, dtype?: DType | null, options?: {device?: Device | null}): Array;
    /** Grids by [start, stop, step]; an imaginary step is a number of points. */
    mgrid(...slices: (Slice | readonly [number | null, number, (number | Complex | null)?])[]): Array;
    ogrid(slice: Slice | readonly [number | null, number, (number | Complex | null)?]): Array;
    ogrid(...slices: (Slice | readonly [number | null, number, (number | Complex | null)?])[]): Array[];
    /** Slices, arrays and numbers joined; "axis,ndmin,trans1d" may come first. */
    r_(...items: (string | Slice | ArrayLike)[]): Array;
    c_(...items: (string | Slice | ArrayLike)[]): Array;
    s_(...index: Index[]): any;
    ndindex(...shape: number[]): Generator<number[]>;
    ndindex(shape: readonly number[]): Generator<number[]>;
    ndenumerate(x: ArrayLike): Generator<[number[], any]>;
    meshgrid(...xi: [...ArrayLike[], {indexing?: "xy" | "ij"; sparse?: boolean}] | ArrayLike[]): Array[];
    fromfunction<T>(f: (...positions: Array[]) => T, shape: readonly number[], options?: {dtype?: DType | null}): T;
    fromiter(iter: Iterable<Scalar>, dtype?: DType | null, count?: number): Array;
    frombuffer(buffer: ArrayBufferLike | ArrayBufferView, dtype?: DType, count?: number, offset?: number): Array;
    frombuffer(buffer: ArrayBufferLike | ArrayBufferView, options?: {dtype?: DType; count?: number; offset?: number}): Array;
    block(arrays: any): Array;
    size(a: ArrayLike, axis?: Axes): number;
    broadcastShapes(...shapes: Shape[]): number[];
    resultType(...all: (ArrayLike | DType)[]): DTypeName;
    commonType(...arrays: ArrayLike[]): DTypeName;
    dtype(x: DType | Array): DTypeName;
    finfo(dtype: DType | Array): {readonly dtype: DTypeName; readonly bits: number; readonly nmant: number; readonly nexp: number;
        readonly iexp: number; readonly machep: number; readonly negep: number; readonly maxexp: number; readonly minexp: number;
        readonly precision: number; readonly eps: number; readonly epsneg: number; readonly max: number; readonly min: number;
        readonly resolution: number; readonly smallestNormal: number; readonly smallestSubnormal: number; readonly tiny: number};
    /** Those of 64 bits are BigInts. */
    iinfo(dtype: DType | Array): {readonly dtype: DTypeName; readonly bits: number; readonly kind: string; readonly key: string;
        readonly min: number | bigint; readonly max: number | bigint};
    isdtype(dtype: DType, kind: string | readonly string[]): boolean;
    canCast(from: DType | Array, to: DType, casting?: "no" | "equiv" | "safe" | "same_kind" | "unsafe"): boolean;
    /** f() with these options; without f an object for `using`. */
    printoptions<T>(options: PrintOptions, f: () => T): T;
    printoptions(options: PrintOptions): {dispose(): void; [Symbol.dispose](): void};
    getPrintoptions(): PrintOptions;
    setPrintoptions(options: PrintOptions): void;
    arrayStr(a: ArrayLike, options?: PrintOptions): string;
    arrayRepr(a: ArrayLike, options?: PrintOptions): string;
    geterr(): ErrorModes;
    seterr(options: Partial<ErrorModes> & {all?: ErrorMode}): ErrorModes;
    errstate<T>(options: Partial<ErrorModes> & {all?: ErrorMode}, f: () => T): T;
    errstate(options: Partial<ErrorModes> & {all?: ErrorMode}): {dispose(): void; [Symbol.dispose](): void};
    /** A function of numbers (with a signature: of arrays) as one of arrays. */
    vectorize(f: (...args: any[]) => any, options?: {otypes?: DType | readonly DType[] | null; signature?: string | null}):
        (...args: ArrayLike[]) => any;
    frompyfunc(f: (...args: any[]) => any, nin: number, nout: number): (...args: ArrayLike[]) => any;
    applyAlongAxis(f: (x: Array, ...args: any[]) => ArrayLike, axis: number, x: ArrayLike, ...args: any[]): Array;
    applyOverAxes(f: (x: Array, axis: number) => ArrayLike, x: ArrayLike, axes: number | readonly number[]): Array;
    piecewise(x: ArrayLike, condlist: ArrayLike | readonly ArrayLike[],
        funclist: readonly (Scalar | ((x: Array, ...args: any[]) => ArrayLike))[], ...args: any[]): Array;
    einsum(subscripts: string, ...operands: [...ArrayLike[], {optimize?: boolean | string | readonly any[]; dtype?: DType; out?: Array}] | ArrayLike[]): Array;
    einsum(...operands: (ArrayLike | readonly (number | "...")[])[]): Array;
    einsumPath(...operands: any[]): [["einsum_path", ...number[][]], string];
    where(condition: ArrayLike): Array[];
    where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): Array;
    isscalar(x: unknown): boolean;
    iterable(x: unknown): boolean;
    clip(a: ArrayLike, min?: ArrayLike | null, max?: ArrayLike | null, options?: {out?: Array}): Array;
    clip(a: ArrayLike, options: {min?: ArrayLike | null; max?: ArrayLike | null; out?: Array}): Array;
    pad(array: ArrayLike, padWidth: number | readonly number[] | readonly (readonly number[])[] | {[axis: number]: number | readonly number[]} | Array,
        mode?: PadMode | ((line: Array, width: [number, number], axis: number, options: any) => void) | PadOptions, options?: PadOptions): Array;
    gradient(f: ArrayLike, ...spacing: [...ArrayLike[], {axis?: Axes; edgeOrder?: 1 | 2}] | ArrayLike[]): Array | Array[];
    atleast1d(x: ArrayLike): Array;
    atleast1d(...arrays: ArrayLike[]): Array | Array[];
    atleast2d(x: ArrayLike): Array;
    atleast2d(...arrays: ArrayLike[]): Array | Array[];
    atleast3d(x: ArrayLike): Array;
    atleast3d(...arrays: ArrayLike[]): Array | Array[];
    tensordot(a: ArrayLike, b: ArrayLike, axes?: number | readonly [Axes, Axes] | {axes?: number | readonly [Axes, Axes]}): Array;
    maskIndices(n: number, maskFunc: (x: Array, k: number) => ArrayLike, k?: number): Array[];
    readonly Poly1d: typeof Poly1d;
    poly1d(c: ArrayLike | Poly1d, r?: boolean, variable?: string): Poly1d;
    polyadd(a1: Poly1d, a2: Poly1d | ArrayLike): Poly1d;
    polyadd(a1: ArrayLike, a2: ArrayLike): Array;
    polysub(a1: Poly1d, a2: Poly1d | ArrayLike): Poly1d;
    polysub(a1: ArrayLike, a2: ArrayLike): Array;
    polymul(a1: Poly1d, a2: Poly1d | ArrayLike): Poly1d;
    polymul(a1: ArrayLike, a2: ArrayLike): Array;
    polydiv(u: Poly1d, v: Poly1d | ArrayLike): [Poly1d, Poly1d];
    polydiv(u: ArrayLike, v: ArrayLike): [Array, Array];
    polyder(p: Poly1d, m?: number): Poly1d;
    polyder(p: ArrayLike, m?: number): Array;
    polyint(p: Poly1d, m?: number, k?: ArrayLike): Poly1d;
    polyint(p: ArrayLike, m?: number, k?: ArrayLike): Array;
    polyval(p: Poly1d | ArrayLike, x: ArrayLike): Array;
    roots(p: Poly1d | ArrayLike): Array;
    polyfit(x: ArrayLike, y: ArrayLike, deg: number, options: {full: true; rcond?: number; w?: ArrayLike}): [Array, Array, Array, Array, number];
    polyfit(x: ArrayLike, y: ArrayLike, deg: number, options: {cov: true | "unscaled"; rcond?: number; w?: ArrayLike}): [Array, Array];
    polyfit(x: ArrayLike, y: ArrayLike, deg: number, options?: {rcond?: number; w?: ArrayLike}): Array;

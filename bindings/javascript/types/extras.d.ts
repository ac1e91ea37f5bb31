// SPDX-License-Identifier: Apache-2.0
// Types that the members of np name.

/** Arguments by position, as many as wanted (null or undefined: not given), then an object with those by name. */
type More<P extends readonly unknown[], O> = P extends readonly [...infer Q, unknown]
    ? [...{[K in keyof P]: P[K] | null | undefined}, options?: O] | More<Q, O> : [options?: O];

export type PadMode = "constant" | "edge" | "linear_ramp" | "maximum" | "mean" | "median" | "minimum" | "reflect" | "symmetric" |
    "wrap" | "empty";
export interface PadOptions { mode?: PadMode; constantValues?: ArrayLike; endValues?: ArrayLike; statLength?: ArrayLike; reflectType?: "even" | "odd" }
export interface PrintOptions {
    precision?: number; threshold?: number; edgeitems?: number; linewidth?: number; suppress?: boolean;
    floatmode?: "fixed" | "unique" | "maxprec" | "maxprec_equal"; sign?: "-" | "+" | " "; nanstr?: string; infstr?: string;
}
export type ErrorMode = "ignore" | "warn" | "raise" | "call" | "print" | "log";
export interface ErrorModes { divide: ErrorMode; over: ErrorMode; under: ErrorMode; invalid: ErrorMode }
/** A polynomial of one variable, by its coefficients from the highest power on. */
export declare class Poly1d {
    constructor(c: ArrayLike | Poly1d, options?: {r?: boolean; variable?: string});
    readonly coeffs: Array;
    readonly c: Array;
    readonly order: number;
    readonly roots: Array;
    variable: string;
    neg(): Poly1d;
    add(other: Poly1d | ArrayLike): Poly1d;
    sub(other: Poly1d | ArrayLike): Poly1d;
    mul(other: Poly1d | ArrayLike): Poly1d;
    div(other: number): Poly1d;
    div(other: Poly1d | ArrayLike): Poly1d | Poly1d[];
    pow(n: number): Poly1d;
    at(x: ArrayLike): Array;
    coefficient(power: number): any;
    equals(other: unknown): boolean;
    integ(m?: number, k?: ArrayLike): Poly1d;
    deriv(m?: number): Poly1d;
    toString(): string;
}
/** What np.add and its kin are: functions with NumPy's methods. */
export interface Ufunc {
    readonly nin: number;
    readonly nout: number;
    readonly signature: string | null;
    reduce(a: ArrayLike, axis?: Axes | ReduceOptions, options?: ReduceOptions): Array;
    accumulate(a: ArrayLike, axis?: number | {axis?: number; dtype?: DType}, dtype?: DType): Array;
    reduceat(a: ArrayLike, indices: ArrayLike, axis?: number | {axis?: number; dtype?: DType}, dtype?: DType): Array;
    outer(a: ArrayLike, b: ArrayLike): Array;
    at(x: Array, index: Index | readonly Index[], values?: ArrayLike): void;
}
export interface ReduceOptions { axis?: Axes; dtype?: DType; out?: Array; keepdims?: boolean; initial?: ArrayLike; where?: ArrayLike }
export interface UfuncOptions { out?: Array; where?: ArrayLike; dtype?: DType; casting?: string }
export type UnaryUfunc = Ufunc & ((x: ArrayLike, options?: UfuncOptions) => Array);
export type BinaryUfunc = Ufunc & ((x1: ArrayLike, x2: ArrayLike, options?: UfuncOptions) => Array);
export type PairUfunc = Ufunc & ((x: ArrayLike, options?: UfuncOptions) => [Array, Array]);
export type PairOfTwoUfunc = Ufunc & ((x1: ArrayLike, x2: ArrayLike, options?: UfuncOptions) => [Array, Array]);
export interface ScatterOptions { indicesAreSorted?: boolean; uniqueIndices?: boolean; mode?: any }
/** Parameters of a shape, drawn with a key. */
export type Initializer = (key: Array, shape: Shape, dtype?: DType) => Array;
export interface FanOptions { inAxis?: Axes; outAxis?: Axes; batchAxis?: Axes; dtype?: DType }
export interface WelchOptions {
    fs?: number; window?: string | ArrayLike | null; nperseg?: number | null; noverlap?: number | null; nfft?: number | null;
    detrend?: string | false; returnOnesided?: boolean; scaling?: "density" | "spectrum"; axis?: number; average?: "mean" | "median";
}

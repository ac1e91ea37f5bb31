// SPDX-License-Identifier: Apache-2.0
// needs: vmap.js
// More transformations, loops, custom rules, jaxprs, callbacks.

type AxisTree = number | null | readonly AxisTree[] | {readonly [key: string]: AxisTree};
/** f of each element along axes of its arguments: a number for all of them, or a list. */
export declare function vmap<F extends Fun>(f: F, inAxes?: number | readonly AxisTree[] | VmapOptions, outAxes?: AxisTree | VmapOptions,
    options?: VmapOptions): (...args: LooseArgs<F>) => ReturnType<F>;
export interface VmapOptions { inAxes?: number | readonly AxisTree[]; outAxes?: AxisTree; axisName?: string | null; axisSize?: number | null }
/** [f(...primals), its derivative in the direction of the tangents]. */
export declare function jvp<F extends Fun>(f: F, primals: LooseArgs<F>, tangents: LooseArgs<F>, options?: {hasAux?: false}):
    [ReturnType<F>, ReturnType<F>];
export declare function jvp<F extends Fun>(f: F, primals: LooseArgs<F>, tangents: LooseArgs<F>, options: {hasAux: true}):
    [ReturnType<F>[0], ReturnType<F>[0], ReturnType<F>[1]];
export type Derivative<A extends any[], R> = ((...args: A) => R) & {dispose(): void};
/** [f(...primals), a function from cotangents of the result to a list of those of the arguments]. */
export declare function vjp<F extends Fun>(f: F, primals: LooseArgs<F>, options?: {hasAux?: false}):
    [ReturnType<F>, Derivative<[Loose<ReturnType<F>>], Parameters<F>>];
export declare function vjp<F extends Fun>(f: F, primals: LooseArgs<F>, options: {hasAux: true}):
    [ReturnType<F>[0], Derivative<[Loose<ReturnType<F>[0]>], Parameters<F>>, ReturnType<F>[1]];
/** [f(...primals), its derivative there as a function of the tangents]. */
export declare function linearize<F extends Fun>(f: F, primals: LooseArgs<F>, options?: {hasAux?: false}):
    [ReturnType<F>, Derivative<LooseArgs<F>, ReturnType<F>>];
export declare function linearize<F extends Fun>(f: F, primals: LooseArgs<F>, options: {hasAux: true}):
    [ReturnType<F>[0], Derivative<LooseArgs<F>, ReturnType<F>[0]>, ReturnType<F>[1]];
/** The transpose of a linear function. */
export declare function linearTranspose<F extends Fun>(f: F, primals: readonly any[]): Derivative<[Loose<ReturnType<F>>], Parameters<F>>;
type JacobianOptions = {argnums?: number | readonly number[]; hasAux?: boolean; holomorphic?: boolean; allowInt?: boolean};
type Jacobian<F extends Fun> = (...args: LooseArgs<F>) => ReturnType<F> extends Array ? (Parameters<F>[0] extends Array ? Array : any) : any;
/** The Jacobian of f by forward mode. */
export declare function jacfwd<F extends Fun>(f: F, options?: JacobianOptions): Jacobian<F>;
/** The Jacobian of f by reverse mode. */
export declare function jacrev<F extends Fun>(f: F, options?: JacobianOptions): Jacobian<F>;
export declare function jacobian<F extends Fun>(f: F, options?: JacobianOptions): Jacobian<F>;
/** The matrix of second derivatives. */
export declare function hessian<F extends Fun>(f: F, options?: JacobianOptions): Jacobian<F>;
/** Forgets what all jitted functions have compiled. */
export declare function clearCaches(): void;
/** f, recorded as a function of this name. */
export declare function namedCall<F extends Fun>(f: F, options?: {name?: string}): F;
/** f, whose derivative computes its values again instead of keeping them. */
export declare function checkpoint<F extends Fun>(f: F, options?: {preventCse?: boolean; policy?: any; staticArgnums?: number | readonly number[]}): F;
export declare function remat<F extends Fun>(f: F, options?: {preventCse?: boolean; policy?: any; staticArgnums?: number | readonly number[]}): F;
export declare const checkpointPolicies: {readonly [name: string]: any};
/** The type of an array without a value. */
export declare class ShapeDtypeStruct {
    constructor(shape: readonly number[], dtype: DType);
    readonly shape: readonly number[];
    readonly dtype: DTypeName;
    readonly ndim: number;
    readonly size: number;
    equals(other: unknown): boolean;
    toString(): string;
}
/** The shapes and dtypes of f's results, which is not run. */
export declare function evalShape(f: Fun, ...args: any[]): any;
/** x, a constant to derivatives. */
export declare function stopGradient<T>(x: T): T;
/** Waits until all arrays of the tree are there. */
export declare function blockUntilReady<T>(tree: T): Promise<T>;

/** f with a derivative of its own: f.defjvp((primals, tangents) => [result, its tangent]). */
export declare function customJvp<F extends Fun>(f: F, options?: {nondiffArgnums?: readonly number[]}): F & {
    defjvp(rule: (...args: any[]) => [any, any], options?: any): any; defjvps(...rules: (Fun | null)[]): any; [member: string]: any};
/** f with a reverse derivative of its own: f.defvjp(fwd, bwd). */
export declare function customVjp<F extends Fun>(f: F, options?: {nondiffArgnums?: readonly number[]}): F & {
    defvjp(fwd: (...args: any[]) => [any, any], bwd: (...args: any[]) => any, options?: any): any; [member: string]: any};
export declare function customGradient<F extends Fun>(f: F): (...args: Parameters<F>) => ReturnType<F>[0];

/** A program as JAX writes it. */
export declare class Jaxpr {
    private constructor();
    static parse(text: string): Jaxpr;
    text(form?: string): string;
    toString(): string;
    equals(other: unknown): boolean;
    readonly jaxpr: Jaxpr;
    readonly eqns: any[];
    readonly invars: any[];
    readonly outvars: any[];
    readonly constvars: any[];
    readonly consts: Array[];
    readonly inAvals: any[];
    readonly outAvals: any[];
    eval(...args: any[]): any;
    evalWith(consts: readonly any[], ...args: any[]): any;
    graphviz(): string;
    program(): string;
    programGraphviz(): string;
    readonly isDisposed: boolean;
    dispose(): void;
}
/** A function that gives the Jaxpr of f for arguments of these types. */
export declare function makeJaxpr<F extends Fun>(f: F, options?: {returnShape?: false; [option: string]: any}): (...args: any[]) => Jaxpr;
export declare function makeJaxpr<F extends Fun>(f: F, options: {returnShape: true; [option: string]: any}): (...args: any[]) => [Jaxpr, any];

export declare const debug: {
    /** debug.print("x = {x}, y = {}", y, {x}) when the program runs. */
    print(format: string, ...args: any[]): void;
    callback(f: (...args: any[]) => void, ...args: any[]): void;
    [name: string]: any;
};
/** What callback gives for the values of the arguments; types: a tree of ShapeDtypeStructs. */
export declare function pureCallback(callback: Fun, types: any, ...args: any[]): any;
export declare function pureCallbackWith(options: {vmapMethod?: string | null}, callback: Fun, types: any, ...args: any[]): any;
export declare function ioCallback(callback: Fun, types: any, ...args: any[]): any;
export declare function ioCallbackWith(options: {ordered?: boolean}, callback: Fun, types: any, ...args: any[]): any;

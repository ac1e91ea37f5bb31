// SPDX-License-Identifier: Apache-2.0
// Transformations of functions of trees, and trees.

type Fun = (...args: any[]) => any;
/** A tree with what is like an array where T has arrays. */
export type Loose<T> = T extends Array ? ArrayLike : T extends Fun ? T : T extends object ? {[K in keyof T]: Loose<T[K]>} : T;
type LooseArgs<F extends Fun> = Loose<Parameters<F>> extends infer A extends any[] ? A : never;
type At0<A extends any[], I> = I extends readonly number[] ? {-readonly [K in keyof I]: A[I[K] & number]}
    : I extends number ? (number extends I ? any : A[I]) : A[0];

export interface JitOptions {
    /** Arguments whose values are part of what is compiled. */
    staticArgnums?: number | readonly number[];
    donateArgnums?: number | readonly number[];
    [option: string]: any;
}
export type Jitted<F extends Fun> = ((...args: LooseArgs<F>) => ReturnType<F>) & {
    clearCache(): void; dispose(): void; explain(): string; readonly traceCount: number; readonly wrapped: F; [member: string]: any};
/** Compiles f when it is called, once for each structure and type of the arguments. */
export declare function jit<F extends Fun>(f: F, options?: JitOptions): Jitted<F>;
export declare function jit(options: JitOptions): <F extends Fun>(f: F) => Jitted<F>;

export interface GradOptions<I, Aux extends boolean> {
    /** With respect to which arguments; the first one. */
    argnums?: I;
    /** f returns [value, aux]. */
    hasAux?: Aux;
    holomorphic?: boolean;
    allowInt?: boolean;
}
/** The gradient of f, whose result is a real number. */
export declare function grad<F extends Fun, const I extends number | readonly number[] = 0>(f: F, options?: GradOptions<I, false>):
    (...args: LooseArgs<F>) => At0<Parameters<F>, I>;
export declare function grad<F extends Fun, const I extends number | readonly number[] = 0>(f: F, options: GradOptions<I, true>):
    (...args: LooseArgs<F>) => [At0<Parameters<F>, I>, ReturnType<F>[1]];
/** [the value, the gradient] of f. */
export declare function valueAndGrad<F extends Fun, const I extends number | readonly number[] = 0>(f: F, options?: GradOptions<I, boolean>):
    (...args: LooseArgs<F>) => [ReturnType<F>, At0<Parameters<F>, I>];

/** A path of arrays' names within trees is nobody's business here: trees are nested lists and plain objects. */
export type Tree<T = Array> = T | null | readonly Tree<T>[] | {readonly [key: string]: Tree<T>};
export interface TreeDef {
    readonly numLeaves: number;
    equals(other: TreeDef): boolean;
    unflatten(leaves: Iterable<any>): any;
    toString(): string;
    [member: string]: any;
}
export declare const tree: {
    flatten(tree: any, isLeaf?: ((x: any) => boolean) | null): [any[], TreeDef];
    unflatten(def: TreeDef, leaves: Iterable<any>): any;
    leaves(tree: any, isLeaf?: ((x: any) => boolean) | null): any[];
    structure(tree: any, isLeaf?: ((x: any) => boolean) | null): TreeDef;
    map<T>(f: (...leaves: any[]) => any, tree: T, ...rest: any[]): any;
    reduce<T>(f: (a: T, leaf: any) => T, tree: any, initial?: T): T;
    all(tree: any): boolean;
    ref<T>(tree: T): T;
    dispose(tree: any): void;
    registerNode<T>(type: new (...args: any[]) => T, flatten: (x: T) => [any[], any], unflatten: (data: any, children: any[]) => T,
        options?: any): void;
    [name: string]: any;
};

// SPDX-License-Identifier: Apache-2.0
// needs: control.js
    /** carry = init; for each element x along the first axis of xs: [carry, y] = f(carry, x). [carry, stacked ys] */
    scan<C, X, Y>(f: (carry: C, x: X) => [C, Y], init: Loose<C>, xs?: Loose<X> | null,
        length?: number | null | {length?: number | null; reverse?: boolean; unroll?: number; checkpoint?: number}, reverse?: boolean, unroll?: number): [C, Y];
    /** val = init; while condition(val): val = body(val). */
    whileLoop<T>(condition: (val: T) => ArrayLike, body: (val: T) => Loose<T>, init: Loose<T>, options?: {maxSteps?: number}): T;
    /** val = init; for i from lower to below upper: val = body(i, val). */
    foriLoop<T>(lower: ArrayLike, upper: ArrayLike, body: (i: Array, val: T) => Loose<T>, init: Loose<T>,
        options?: {checkpoint?: number; unroll?: any}): T;
    /** onTrue(...operands) if pred, else onFalse(...operands). */
    cond<F extends Fun>(pred: ArrayLike, onTrue: F, onFalse: Fun, ...operands: LooseArgs<F>): ReturnType<F>;
    /** functions[index](...operands). */
    switch<F extends Fun>(index: ArrayLike, functions: readonly F[], ...operands: LooseArgs<F>): ReturnType<F>;
    /** f of each element along the first axis, stacked. */
    map<X, Y>(f: (x: X) => Y, xs: Loose<X>, options?: {batchSize?: number}): Y;
    /** All prefixes' joins by an associative function. */
    associativeScan<T>(f: (a: T, b: T) => T, elems: Loose<T>, reverse?: boolean | {reverse?: boolean; axis?: number}, axis?: number): T;
    /** solve(f, guess), a root of f, with derivatives by the implicit function theorem. */
    customRoot<T>(f: (x: T) => T, guess: Loose<T>, solve: (f: (x: T) => T, guess: T) => any,
        tangentSolve: (g: (x: Loose<T>) => T, y: T) => T, options?: {hasAux?: boolean}): any;
    /** solve(matvec, b), the x of matvec(x) = b, with derivatives of that equation. */
    customLinearSolve<T>(matvec: (x: T) => T, b: Loose<T>, solve: (matvec: (x: T) => T, b: T) => any,
        transposeSolve?: ((vecmat: (x: T) => T, b: T) => any) | {symmetric?: boolean; hasAux?: boolean} | null,
        options?: {symmetric?: boolean; hasAux?: boolean}): any;
    /** Joins the elements along these axes by a function, beginning with initial values. */
    reduce<T>(operands: Loose<T>, initial: Loose<T>, computation: (a: T, b: T) => Loose<T>, dimensions: readonly number[]): T;
    /** Joins the elements of each window by a function of two elements, beginning with initial values. */
    reduceWindow<T>(operand: Loose<T>, initial: Loose<T>, computation: (a: T, b: T) => Loose<T>, dimensions: readonly number[],
        strides?: readonly number[] | null, padding?: string | readonly (readonly [number, number])[],
        options?: {baseDilation?: readonly number[] | null; windowDilation?: readonly number[] | null}): T;
    /** f of each window, as an array. */
    reduceWindow(operand: Array, computation: (window: Array) => ArrayLike, dimensions: readonly number[], strides?: readonly number[]): Array;

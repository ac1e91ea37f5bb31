// SPDX-License-Identifier: Apache-2.0
// needs: optim.js
    readonly MultiSteps: any;
    readonly GradientTransformation: any;
    readonly lookaheadParams: {initSynced<T>(params: T): {fast: T; slow: T}; [name: string]: any};
    isSchedule(x: unknown): boolean;
    /** One optimizer after the other. */
    chain(...parts: (GradientTransformation | readonly GradientTransformation[])[]): GradientTransformation;
    masked(inner: GradientTransformation, mask: any): GradientTransformation;
    freeze(mask: any): GradientTransformation;
    /** The parameters plus the updates. */
    applyUpdates<T>(params: T, updates: any): T;
    globalNorm(updates: any): Array;
    incrementalUpdate<T>(newTensors: T, oldTensors: T, stepSize: ArrayLike): T;
    periodicUpdate<T>(newTensors: T, oldTensors: T, steps: ArrayLike, updatePeriod: number): T;
    piecewiseConstantSchedule(initValue: number, boundariesAndScales?: {[step: number]: number}): Schedule;
    piecewiseInterpolateSchedule(type: string, initValue: number, boundariesAndScales?: {[step: number]: number}): Schedule;
    joinSchedules(schedules: readonly Schedule[], boundaries: readonly number[]): Schedule;
    sgdrSchedule(cycles: readonly {[name: string]: number}[]): Schedule;
    applyIfFinite(inner: GradientTransformation, maxConsecutiveErrors: number): GradientTransformation;
    lookahead(fastOptimizer: GradientTransformation, syncPeriod: number, slowStepSize: number, resetState?: boolean): GradientTransformation;
    polyLossCrossEntropy(logits: ArrayLike, labels: ArrayLike, options?: {epsilon?: number}): Array;
    ntxent(embeddings: ArrayLike, labels: ArrayLike, temperature?: number): Array;
    scale(stepSize: number | Array): GradientTransformation;
    scaleBySchedule(stepSizeFn: (count: any) => any): GradientTransformation;
    scaleByLearningRate(learningRate: Rate, flipSign?: boolean): GradientTransformation;
    treeSum(tree: any): Array;
    treeMax(tree: any): Array;
    treeNorm(tree: any, ord?: number | string | null, squared?: boolean): Array;
    treeZerosLike<T>(tree: T, dtype?: DType): T;
    treeOnesLike<T>(tree: T, dtype?: DType): T;
    treeUpdateMoment<T>(updates: T, moments: T, decay: number, order: number): T;
    treeBiasCorrection<T>(moments: T, decay: number, count: ArrayLike): T;

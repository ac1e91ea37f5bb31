// SPDX-License-Identifier: Apache-2.0
// needs: optim.js
// What optimizers are.

/** A value of the step's number. */
export type Schedule = (count: ArrayLike) => Array;
/** What a learning rate may be. */
export type Rate = number | Array | ((count: any) => any); // schedules are such functions
/** An optimizer, or a part of one: state = init(params); [updates, state] = update(gradients, state, params). */
export interface GradientTransformation {
    init(params: any): any;
    update<T>(updates: T, state: any, params?: any, extra?: {value?: any}): [T, any];
    [member: string]: any;
}

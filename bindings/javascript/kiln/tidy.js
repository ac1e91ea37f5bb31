// SPDX-License-Identifier: Apache-2.0
// tidy.js -- a scope for arrays: tidy(f) disposes of what was made inside of it but the tree that f returns.
import {ensure} from './engine.js';
import {describe, errorOf} from './errors.js';
import {Handle} from './handles.js';
import {leaves} from './tree.js';

const open = []; // sets of the arrays that were made in each tidy() that runs, the innermost last
/** Of array.js: an array was made. */
export const noteMade = x => { if (open.length) open[open.length - 1].add(x); };

/** f(): the arrays that are made inside are disposed of at its end, but those of the tree that it returns. */
export function tidy(f) {
    if (typeof f !== 'function') throw errorOf('TypeError', `tidy: a function is wanted, not ${describe(f)}`);
    ensure();
    const mine = new Set();
    open.push(mine);
    let result;
    try {
        result = f();
        if (typeof result?.then === 'function')
            throw errorOf('TypeError', 'tidy: the function returns a promise; what it makes later would not be found');
        if (mine.size) {
            const kept = leaves(result).filter(x => mine.delete(x)), outer = open[open.length - 2];
            if (outer) for (const x of kept) outer.add(x);
        }
    } finally {
        open.pop();
        for (const x of mine) Handle.prototype.dispose.call(x);
    }
    return result;
}
/** The arrays of this tree outlive the tidy() in which they were made. */
export function keep(tree) {
    for (const x of leaves(tree)) for (const set of open) set.delete(x);
    return tree;
}

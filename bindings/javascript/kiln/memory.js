// SPDX-License-Identifier: Apache-2.0
// memory.js -- arrays' lives: tidy() disposes of what was made inside of it, keep() takes an array out of that.
import {engine, ensure} from './engine.js';
import {errorOf} from './errors.js';
import {Handle} from './handles.js';
import {KilnArray, onMade} from './array.js';
import {leaves} from './tree.js';

const open = []; // sets of the arrays that were made in each tidy() that runs, the innermost last
onMade(x => open.at(-1).add(x), () => open.length > 0);

/** f(): the arrays that are made inside are disposed of at its end, but those of the tree that it returns. */
export function tidy(f) {
    ensure();
    const mine = new Set();
    open.push(mine);
    let result;
    try {
        result = f();
        if (typeof result?.then === 'function')
            throw errorOf('TypeError', 'tidy: the function returns a promise; what it makes later would not be found');
        const kept = leaves(result).filter(x => mine.delete(x));
        const outer = open.at(-2);
        if (outer) for (const x of kept) outer.add(x);
    } finally {
        open.pop();
        for (const x of mine) Handle.prototype.dispose.call(x);
    }
    return result;
}
/** The array outlives the tidy() in which it was made. */
export function keep(x) {
    for (const y of leaves(x)) if (y instanceof KilnArray) for (const set of open) set.delete(y);
    return x;
}
/** How many arrays the library holds, those that no object of JavaScript has included. */
export function liveCount() {
    ensure();
    return engine.exports.kjs_live_count();
}
/** {arrays, bytes}: of arrays that are alive, of the module's memory. */
export const memory = () => ({arrays: liveCount(), bytes: engine.memory.buffer.byteLength});

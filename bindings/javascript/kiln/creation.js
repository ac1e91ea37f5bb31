// SPDX-License-Identifier: Apache-2.0
// creation.js -- arrays of values of JavaScript.
import {ensure} from './engine.js';
import {newHandle} from './convert.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';

/** np.array: a new array of nested lists, a typed array (of its dtype), a number or an array. {dtype, shape, copy} */
export function array(x, {dtype = null, shape = null} = {}) {
    ensure();
    let y = new KilnArray(newHandle(x, dtype));
    if (x instanceof KilnArray && y.handle === x.handle) {
        const copy = rowCall('kiln.numpy', 'copy', [y]);
        y.dispose();
        y = copy;
    }
    return shape ? rowCall('kiln.numpy', 'reshape', [y, shape]) : y;
}
/** np.asarray: the same, but an array that has the dtype is itself. */
export function asarray(x, {dtype = null} = {}) {
    ensure();
    return x instanceof KilnArray && (!dtype || x.dtype === dtype) ? x : array(x, {dtype});
}

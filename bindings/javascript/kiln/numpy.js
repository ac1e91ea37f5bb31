// SPDX-License-Identifier: Apache-2.0
// numpy.js -- the namespace np: the functions of the table, with those that are written by hand before them.
import {KilnArray} from './array.js';
import {creation} from './creation.js';
import {load, save, savez, savezCompressed} from './files.js';
import {namespace} from './namespaces.js';
import {dtypes} from './numpy-dtypes.js';
import {functional} from './numpy-functional.js';
import {fft, linalg, polynomials} from './numpy-linalg.js';
import {more} from './numpy-more.js';
import {ufuncs} from './ufuncs.js';

const constants = {pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN, newaxis: null, eulerGamma: 0.5772156649015329,
    euler_gamma: 0.5772156649015329};

export const numpy = namespace(['kiln.numpy'], {
    ...constants, ...dtypes, ...ufuncs, ...creation, ...functional, ...polynomials, ...more, Array: KilnArray,
        ndarray: KilnArray,
    load, save, savez, savezCompressed, savez_compressed: savezCompressed,
    linalg: namespace(['kiln.numpy.linalg'], linalg),
    fft: namespace(['kiln.numpy.fft'], fft),
    emath: namespace(['kiln.numpy.emath']),
});

// SPDX-License-Identifier: Apache-2.0
// files.js -- io: files of arrays and the cache of what was downloaded; load and save by what a file is.
import {ensure} from './engine.js';
import {errorOf} from './errors.js';
import {PathBlob, partOf, randomSource} from './source.js';
import * as npy from './npy.js';
import * as npz from './npz.js';
import * as safetensors from './safetensors.js';

export {npy, npz, safetensors};
export {cache, Cache} from './cache.js';

const begins = (b, ...with_) => with_.every((x, i) => b[i] === x);

/** numpy.load: the array of an npy file, or the arrays of an npz or a safetensors file, which are read when they are
 * asked for (get(name)). What it is its first bytes say. Options are those of npy.load, npz.load and safetensors.open.
 * */
export async function load(source, options = {}) {
    ensure();
    const s = await randomSource(source, options), reader = partOf(s, 0, Math.min(s.size, 9), {signal: options.signal});
    const head = await reader.take(9);
    reader.close();
    const blob = sourceBlob(s, options);
    if (begins(head, 0x50, 0x4b, 3, 4) || begins(head, 0x50, 0x4b, 5, 6)) return npz.load(blob, options);
    if (head.length > 8 && head[8] === 0x7b && !begins(head, 0x93)) return safetensors.open(blob, options);
    if (begins(head, 0x93)) return npy.load(blob, options);
    throw errorOf('ValueError', `${s.name}: it is no npy, npz or safetensors file`);
}
// The source again, without asking for its size a second time.
function sourceBlob(s, {signal}) {
    if (s.blob instanceof PathBlob) return s.blob;
    const slice = (from, to) => ({stream: () => stream(s.stream(from, to, signal))});
    const stream = chunks => ({
        getReader: () => ({read: () => chunks.next(), cancel: async () => { await chunks.return(); }}),
    });
    return {name: s.name, size: s.size, slice, stream: () => stream(s.stream(0, s.size, signal))};
}

/** numpy.save: an array as an npy file. Where the path has no ending it gets .npy, as NumPy does it. */
export const save = (to, x, options = {}) => npy.save(ended(to, '.npy'), x, options);
/** numpy.savez: an object (or a list) of arrays as an npz file. */
export const savez = (to, arrays, options = {}) => npz.save(ended(to, '.npz'), arrays, options);
/** numpy.savez_compressed. */
export const savezCompressed = (to, arrays, options = {}) => savez(to, arrays, {...options, compress: true});
const ended = (to, end) => (typeof to === 'string' && !to.endsWith(end) ? to + end : to);

// SPDX-License-Identifier: Apache-2.0
// needs: files.js
    /** The array of an npy file, or the arrays of an npz or a safetensors file. */
    load(source: FileSource, options?: ReadOptions): Promise<any>;
    save(to: any, x: ArrayLike, options?: WriteOptions): Promise<any>;
    savez(to: any, arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: WriteOptions): Promise<any>;
    savezCompressed(to: any, arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: WriteOptions): Promise<any>;

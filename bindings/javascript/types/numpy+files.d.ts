// SPDX-License-Identifier: Apache-2.0
// needs: files.js
    /** The array of an npy file, or the arrays of an npz or a safetensors file. */
    load(source: FileSource, options?: NpzOptions & SafeTensorsOptions): Promise<any>;
    save(to: FileTarget, x: ArrayLike, options?: {version?: 1 | 2 | 3; signal?: AbortSignal | null}): Promise<void>;
    savez(to: FileTarget, arrays: NamedArrays | readonly ArrayLike[],
          options?: {compress?: boolean; signal?: AbortSignal | null}): Promise<void>;
    savezCompressed(to: FileTarget, arrays: NamedArrays | readonly ArrayLike[],
                    options?: {signal?: AbortSignal | null}): Promise<void>;

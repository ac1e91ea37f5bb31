// SPDX-License-Identifier: Apache-2.0
// needs: files.js
// Files: npy, npz, safetensors; the cache of downloads.

/** A Blob, bytes, a stream, chunks, a URL, a Response, a path (where files can be read). */
export type FileSource = Blob | BufferSource | ReadableStream | AsyncIterable<Uint8Array> | Response | URL | string;
export interface ReadOptions { signal?: AbortSignal; onProgress?: (done: number, total: number) => void; [option: string]: any }
export interface WriteOptions { signal?: AbortSignal; [option: string]: any }
/** The arrays of an npz file, read when they are asked for. */
export interface Npz extends Iterable<string> {
    readonly files: string[];
    readonly length: number;
    has(name: string): boolean;
    get(name: string, options?: ReadOptions): Promise<Array>;
    bytes(name: string, options?: ReadOptions): Promise<Uint8Array>;
    all(options?: ReadOptions): Promise<{[name: string]: Array}>;
}
export interface SafeTensors {
    readonly names: string[];
    readonly length: number;
    readonly metadata: {[name: string]: string};
    has(name: string): boolean;
    info(name: string): any;
    get(name: string, options?: ReadOptions): Promise<Array>;
    rows(name: string, start: number, stop: number, options?: ReadOptions): Promise<Array>;
    all(options?: ReadOptions): Promise<{[name: string]: Array}>;
}
export interface Cache {
    /** The file of a URL: downloaded once, checked by its hash. */
    get(url: string | URL, options?: ReadOptions & {sha256?: string}): Promise<any>;
    match(name: string, options?: any): Promise<any>;
    has(name: string): Promise<boolean>;
    put(name: string, source: FileSource, options?: any): Promise<any>;
    list(): Promise<any[]>;
    delete(name: string): Promise<boolean>;
    clear(): Promise<void>;
    info(): Promise<any>;
    maxBytes: number;
}
export declare const io: {
    load(source: FileSource, options?: ReadOptions): Promise<any>;
    save(to: any, x: ArrayLike, options?: WriteOptions): Promise<any>;
    savez(to: any, arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: WriteOptions): Promise<any>;
    savezCompressed(to: any, arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: WriteOptions): Promise<any>;
    npy: {
        load(source: FileSource, options?: ReadOptions): Promise<Array>;
        save(to: any, x: ArrayLike, options?: WriteOptions): Promise<any>;
        toBytes(x: ArrayLike, options?: {version?: 1 | 2 | 3}): Uint8Array;
        [name: string]: any;
    };
    npz: {
        load(source: FileSource, options?: ReadOptions): Promise<Npz>;
        save(to: any, arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: WriteOptions): Promise<any>;
        toBytes(arrays: {[name: string]: ArrayLike} | readonly ArrayLike[], options?: {compress?: boolean}): Promise<Uint8Array>;
        [name: string]: any;
    };
    safetensors: {
        open(source: FileSource, options?: ReadOptions): Promise<SafeTensors>;
        load(source: FileSource, options?: ReadOptions): Promise<{[name: string]: Array}>;
        save(to: any, tensors: {[name: string]: ArrayLike}, options?: WriteOptions): Promise<any>;
        toBytes(tensors: {[name: string]: ArrayLike}, options?: {metadata?: {[name: string]: string} | null}): Uint8Array;
        [name: string]: any;
    };
    cache: Cache;
    [name: string]: any;
};

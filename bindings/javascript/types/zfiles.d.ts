// SPDX-License-Identifier: Apache-2.0
// needs: files.js
// Files: npy, npz, safetensors; the cache of downloads.

/** What has bytes at any place: a Blob or File, or what a cache gives. */
export interface BlobLike {
    readonly size: number;
    slice(start?: number, end?: number): BlobLike | Blob;
    stream(): ReadableStream<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
    text(): Promise<string>;
}
/** Where bytes are read from: memory, Blobs, a handle of a file, streams, iterables of bytes, a Response, a URL, and a
 * path where there is a file system. */
export type FileSource = BlobLike | Blob | BufferSource | ReadableStream | Response | URL | string |
    AsyncIterable<BufferSource> | Iterable<BufferSource> | {getFile(): Promise<Blob>};
/** Where files are written to: a path, a handle of a file, a stream. */
export type FileTarget = string | URL | WritableStream | {createWritable(): Promise<WritableStream>};
export interface Progress { loadedBytes: number; totalBytes: number | undefined }
export interface ReadOptions {
    signal?: AbortSignal | null;
    onProgress?: ((progress: Progress) => void) | null;
    /** Of requests, where the source is a URL. */
    headers?: {[name: string]: string};
}
export interface NpyOptions extends ReadOptions {
    /** Bytes of a header's text, 10000; -1: any. */
    maxHeaderSize?: number;
}
export interface NpzOptions extends NpyOptions {
    /** Bytes of an array, uncompressed: 2 ** 32. */
    maxBytes?: number;
}
export interface SafeTensorsOptions extends ReadOptions {
    /** The dtype that float8 becomes, "float32"; null: it stays. */
    float8?: string | null;
}
export type NamedArrays = {[name: string]: ArrayLike} | Map<string, ArrayLike>;

/** The arrays of an npz file, read when they are asked for. */
export interface Npz extends Iterable<string>, AsyncIterable<[string, Array]> {
    readonly name: string;
    readonly files: string[];
    readonly length: number;
    keys(): Iterator<string>;
    has(name: string): boolean;
    get(name: string, options?: NpyOptions): Promise<Array>;
    /** The bytes of a member, also of one that is no array. */
    bytes(name: string, options?: ReadOptions): Promise<Uint8Array>;
    all(options?: NpyOptions): Promise<{[name: string]: Array}>;
}
export interface TensorInfo { dtype: string; shape: number[]; bytes: number }
/** The tensors of a safetensors file, read when they are asked for. */
export interface SafeTensors extends Iterable<string> {
    readonly name: string;
    readonly names: string[];
    readonly length: number;
    readonly metadata: {[name: string]: string};
    has(name: string): boolean;
    info(name: string): TensorInfo;
    get(name: string, options?: SafeTensorsOptions): Promise<Array>;
    /** Rows start to stop, which are read alone. */
    rows(name: string, start: number, stop: number, options?: SafeTensorsOptions): Promise<Array>;
    all(options?: SafeTensorsOptions): Promise<{[name: string]: Array}>;
}
/** The tensors of several files with an index. */
export interface ShardedSafeTensors extends Iterable<string> {
    readonly names: string[];
    readonly length: number;
    readonly metadata: any;
    has(name: string): boolean;
    file(name: string): Promise<SafeTensors>;
    info(name: string): Promise<TensorInfo>;
    get(name: string, options?: SafeTensorsOptions): Promise<Array>;
    rows(name: string, start: number, stop: number, options?: SafeTensorsOptions): Promise<Array>;
    all(options?: SafeTensorsOptions): Promise<{[name: string]: Array}>;
}
export interface CacheEntry { name: string; size: number; sha256: string; created: Date; used: Date }
/** Downloads that are kept: in the origin's private file system, in Node in a folder, else in memory. */
export interface Cache {
    maxBytes: number;
    /** The file of an address, downloaded if it is not there; what was downloaded has to have the SHA-256. */
    get(url: string | URL, options?: ReadOptions & {sha256?: string; refresh?: boolean; verify?: boolean}): Promise<BlobLike>;
    match(name: string | URL, options?: {verify?: boolean}): Promise<BlobLike | null>;
    has(name: string | URL): Promise<boolean>;
    put(name: string | URL, source: FileSource, options?: ReadOptions & {sha256?: string}): Promise<BlobLike>;
    list(): Promise<CacheEntry[]>;
    delete(name: string | URL): Promise<boolean>;
    clear(): Promise<void>;
    info(): Promise<{bytes: number; maxBytes: number; kind: 'opfs' | 'folder' | 'memory'}>;
}
export declare const io: {
    /** By what its first bytes say: npy, npz or safetensors. */
    load(source: FileSource, options?: NpzOptions & SafeTensorsOptions): Promise<any>;
    save(to: FileTarget, x: ArrayLike, options?: {version?: 1 | 2 | 3; signal?: AbortSignal | null}): Promise<void>;
    savez(to: FileTarget, arrays: NamedArrays | readonly ArrayLike[],
          options?: {compress?: boolean; signal?: AbortSignal | null}): Promise<void>;
    savezCompressed(to: FileTarget, arrays: NamedArrays | readonly ArrayLike[],
                    options?: {signal?: AbortSignal | null}): Promise<void>;
    npy: {
        load(source: FileSource, options?: NpyOptions): Promise<Array>;
        /** The arrays of a file with one behind the other. */
        loadAll(source: FileSource, options?: NpyOptions): AsyncIterable<Array>;
        save(to: FileTarget, x: ArrayLike, options?: {version?: 1 | 2 | 3; signal?: AbortSignal | null}): Promise<void>;
        toBytes(x: ArrayLike, options?: {version?: 1 | 2 | 3}): Uint8Array<ArrayBuffer>;
        toStream(x: ArrayLike, options?: {version?: 1 | 2 | 3}): ReadableStream<Uint8Array>;
    };
    npz: {
        load(source: FileSource, options?: NpzOptions): Promise<Npz>;
        save(to: FileTarget, arrays: NamedArrays | readonly ArrayLike[],
             options?: {compress?: boolean; signal?: AbortSignal | null}): Promise<void>;
        toBytes(arrays: NamedArrays | readonly ArrayLike[], options?: {compress?: boolean}): Promise<Uint8Array<ArrayBuffer>>;
        toStream(arrays: NamedArrays | readonly ArrayLike[], options?: {compress?: boolean}): ReadableStream<Uint8Array>;
    };
    safetensors: {
        open(source: FileSource, options?: SafeTensorsOptions): Promise<SafeTensors>;
        openSharded(index: FileSource, options?: SafeTensorsOptions &
            {shard?: (file: string) => FileSource | Promise<FileSource>}): Promise<ShardedSafeTensors>;
        load(source: FileSource, options?: SafeTensorsOptions): Promise<{[name: string]: Array}>;
        save(to: FileTarget, tensors: NamedArrays,
             options?: {metadata?: {[name: string]: string} | null; signal?: AbortSignal | null}): Promise<void>;
        toBytes(tensors: NamedArrays, options?: {metadata?: {[name: string]: string} | null}): Uint8Array<ArrayBuffer>;
        toStream(tensors: NamedArrays, options?: {metadata?: {[name: string]: string} | null}): ReadableStream<Uint8Array>;
        /** {"layers.0.w": x} as {layers: [{w: x}]}, and back. */
        toNested(tensors: {[name: string]: any}): any;
        fromNested(nested: any, prefix?: string): {[name: string]: any};
    };
    cache: Cache;
    Cache: new (options?: {folder?: string | null; maxBytes?: number; store?: 'memory' | null}) => Cache;
};

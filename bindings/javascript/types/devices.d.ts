// SPDX-License-Identifier: Apache-2.0
// needs: device.js

/** Where operations run whose operands nobody has put anywhere; with an argument it is that from now on. */
export declare function defaultDevice(device?: Device): Device;
/** The array, or a tree like this one of all its arrays, on the device. */
export declare function devicePut<T>(x: T, device?: Device | NamedSharding): T extends Scalar | TypedArray ? Array : T;
/** The names of the devices that init() has opened. */
export declare function devices(): Device[];
/** f() with another default device. */
export declare function onDevice<T>(device: Device, f: () => T): T;
/** Where the elements are on the device, for pages that draw them; to be read only, as long as the array lives. */
export declare function gpuBuffer(x: Array): {device: any, buffer: any, offset: number, bytes: number};
/** Why there is no device webgpu:0 although init() was asked for it; '' if there is one. */
export declare function whyNoWebGPU(): string;
/** The same for webgl:0. */
export declare function whyNoWebGL(): string;

/** How many threads an operation uses unless it is told otherwise, the workers that there are now, and why not more. */
export declare function threads(): {threads: number; workers: number; reason: string | null};

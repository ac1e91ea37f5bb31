// SPDX-License-Identifier: Apache-2.0
// needs: watch.js

/** Sets who hears the log, steps that ran, and modules that are made; watch() sets all back to nobody. */
export declare function watch(heard?: {
    debug?: number;
    log?: ((level: number, text: string) => void) | null;
    step?: ((step: {operations: string; elements: number; seconds: number; file: string | null; line: number; device: string}) => void) | null;
    module?: ((bytes: Uint8Array) => void) | null;
}): void;

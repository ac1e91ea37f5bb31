// SPDX-License-Identifier: Apache-2.0
// errors.js -- Kiln's errors as classes. Each has the kind's name, and file and line of the call that it is about where
// that is not the line that the stack shows: what ran later than it was called.

export class KilnError extends Error {
    constructor(message, {file = null, line = 0} = {}) {
        super(message);
        this.name = new.target.name;
        this.file = file;
        this.line = line;
    }
}

const kinds = {};
const make = name => (kinds[name] = {[name]: class extends KilnError {}}[name]);
export const ValueError = make('ValueError');
export const IndexError = make('IndexError');
export const KeyError = make('KeyError');
export const AxisError = make('AxisError');
export const OverflowError = make('OverflowError');
export const LinAlgError = make('LinAlgError');
export const NotImplementedError = make('NotImplementedError');
export const ConcretizationError = make('ConcretizationError');
export const LeakedTracerError = make('LeakedTracerError');
export const MutationError = make('MutationError');
export const ContextError = make('ContextError');
export const FileError = make('FileError');
export const MemoryError = make('MemoryError');
export const NameError = make('NameError');
export const RuntimeError = make('RuntimeError');
export const AssertionError = make('AssertionError');
export const ZeroDivisionError = make('ZeroDivisionError');
export const InconclusiveDimensionOperation = make('InconclusiveDimensionOperation');
export const FloatingPointError = make('FloatingPointError');

// JavaScript's own TypeError, so that `instanceof TypeError` says what it says everywhere.
export class KilnTypeError extends TypeError {
    constructor(message, {file = null, line = 0} = {}) {
        super(message);
        this.file = file;
        this.line = line;
    }
}
kinds.TypeError = KilnTypeError;

/** The error of this kind, "ValueError"; place: {file, line} or null. */
export function errorOf(kind, message, place = null) {
    return new (kinds[kind] ?? RuntimeError)(message, place ?? {});
}

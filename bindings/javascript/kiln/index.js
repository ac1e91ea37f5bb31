// SPDX-License-Identifier: Apache-2.0
// index.js -- Kiln for JavaScript: arrays with NumPy's semantics, JAX's transformations, kernels compiled at run time.
import {load} from './engine.js';
import {namespace} from './namespaces.js';
import {beginDevices, devices, openDevices} from './device.js';
import {KilnArray} from './array.js';
import {Ellipsis, Slice} from './indexing.js';
import {DType} from './dtype.js';
import {numpy} from './numpy.js';
import * as tree from './tree.js';
import {laxFunctions} from './jax.js';
import * as io from './files.js';
import {own as laxOwn, linalg as laxLinalg} from './lax.js';
import {own as nnOwn, initializers} from './nn.js';
import {optim} from './optim.js';
import {own as randomOwn} from './random.js';
import {linalgOwn, signalOwn, specialOwn} from './scipy.js';

export {blockUntilReady, block_until_ready, checkpoint, checkpointPolicies, checkpoint_policies, clearCaches,
    clear_caches,
    customGradient, customJvp, customVjp, custom_gradient, custom_jvp, custom_vjp, debug, evalShape, eval_shape, grad,
    hessian, ioCallback, ioCallbackWith, io_callback, jacfwd, jacobian, jacrev, Jaxpr, jit, jvp, linearTranspose,
    linear_transpose, linearize, makeJaxpr, make_jaxpr, namedCall, named_call, pureCallback, pureCallbackWith,
    pure_callback, remat, ShapeDtypeStruct, stopGradient, stop_gradient, valueAndGrad, value_and_grad, vjp,
    vmap} from './jax.js';
export {liveCount, memory} from './memory.js';
export {keep, tidy} from './tidy.js';
export {settings} from './place.js';
export {KilnArray as Array, Slice, Ellipsis, DType, tree, io, numpy, numpy as np};
export {watch} from './watch.js';
export {threads} from './engine.js';
export {defaultDevice, devicePut, devices, gpuBuffer, onDevice, whyNoWebGL, whyNoWebGPU} from './device.js';
export {KilnError, ValueError, IndexError, KeyError, AxisError, OverflowError, LinAlgError,
    NotImplementedError, ConcretizationError, LeakedTracerError, MutationError, ContextError, FileError,
    MemoryError, NameError, RuntimeError, AssertionError, ZeroDivisionError, InconclusiveDimensionOperation,
    FloatingPointError, KilnTypeError} from './errors.js';

export const lax = namespace(['kiln.lax'], {
    ...laxOwn, ...laxFunctions, linalg: namespace(['kiln.lax.linalg'], laxLinalg),
});
export const nn = namespace(['kiln.nn'], {...nnOwn, initializers});
export const random = namespace(['kiln.random'], randomOwn);
export const scipySpecial = namespace(['kiln.scipy.special'], specialOwn);
export const scipyLinalg = namespace(['kiln.scipy.linalg'], linalgOwn);
export const scipy = {special: scipySpecial, linalg: scipyLinalg, signal: namespace(['kiln.scipy.signal'], signalOwn),
    fft: namespace(['kiln.scipy.fft']), integrate: namespace(['kiln.scipy.integrate'])};
export const ops = namespace(['kiln.ops']);
export {optim};

/** Loads the module; everything else waits for it, but where files can be read at once (Node, Deno, Bun). options: wasm
 * (a URL, bytes, or a WebAssembly.Module), fma ("auto", "exact", "relaxed"), threads (how many, of a
 * build that has them), devices ("webgpu", or a list): the names of
 * those that there are. */
export async function init(options = {}, ...more) {
    const o = typeof options === 'string' || Array.isArray(options) ? {devices: [options, more].flat(2)} : options;
    await openDevices(o);
    await load(o);
    await beginDevices();
    return devices();
}

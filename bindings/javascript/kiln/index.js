// SPDX-License-Identifier: Apache-2.0
// index.js -- Kiln for JavaScript: arrays with NumPy's semantics, JAX's transformations, kernels compiled at run time.
import {load} from './engine.js';
import {namespace} from './namespaces.js';
import {KilnArray} from './array.js';
import {Ellipsis, Slice} from './indexing.js';
import {DType} from './dtype.js';
import {numpy} from './numpy.js';
import * as tree from './tree.js';
import {laxFunctions} from './jax.js';
import * as io from './files.js';

export {blockUntilReady, block_until_ready, checkpoint, checkpointPolicies, checkpoint_policies, clearCaches, clear_caches,
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
export {KilnError, ValueError, IndexError, KeyError, AxisError, OverflowError, LinAlgError,
    NotImplementedError, ConcretizationError, LeakedTracerError, MutationError, ContextError, FileError,
    MemoryError, NameError, RuntimeError, AssertionError, ZeroDivisionError, InconclusiveDimensionOperation,
    FloatingPointError, KilnTypeError} from './errors.js';

export const lax = namespace(['kiln.lax'], {...laxFunctions,
    linalg: namespace(['kiln.lax.linalg'])});
export const nn = namespace(['kiln.nn'], {initializers: namespace(['kiln.nn.initializers'])});
export const random = namespace(['kiln.random']);
export const scipy = {special: namespace(['kiln.scipy.special']), linalg: namespace(['kiln.scipy.linalg']),
    signal: namespace(['kiln.scipy.signal']), fft: namespace(['kiln.scipy.fft']),
        integrate: namespace(['kiln.scipy.integrate'])};
export const ops = namespace(['kiln.ops']);

/** Loads the module; everything else waits for it, but where files can be read at once (Node, Deno, Bun). options: wasm
 * (a URL, bytes, or a WebAssembly.Module), fma ("auto", "exact", "relaxed"), threads (how many, of a build that has them). */
export async function init(options = {}) {
    await load(options);
    return ['host'];
}

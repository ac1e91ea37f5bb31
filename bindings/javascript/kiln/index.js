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
import {withShardingConstraint} from './mesh.js';
import {own as nnOwn, initializers} from './nn.js';
import {describe, errorOf} from './errors.js';
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
export {makeMesh, make_mesh, Mesh, NamedSharding, P, PartitionSpec, pmap, shardMap, shard_map} from './jax.js';
export {threads} from './engine.js';
export {defaultDevice, devicePut, devices, gpuBuffer, onDevice, whyNoWebGL, whyNoWebGPU} from './device.js';
export {KilnError, ValueError, IndexError, KeyError, AxisError, OverflowError, LinAlgError,
    NotImplementedError, ConcretizationError, LeakedTracerError, MutationError, ContextError, FileError,
    MemoryError, NameError, RuntimeError, AssertionError, ZeroDivisionError, InconclusiveDimensionOperation,
    FloatingPointError, KilnTypeError} from './errors.js';

export const lax = namespace(['kiln.lax'], {
    ...laxOwn, ...laxFunctions, withShardingConstraint, with_sharding_constraint: withShardingConstraint,
    linalg: namespace(['kiln.lax.linalg'], laxLinalg),
});
export const nn = namespace(['kiln.nn'], {...nnOwn, initializers});
export const random = namespace(['kiln.random'], randomOwn);
export const scipySpecial = namespace(['kiln.scipy.special'], specialOwn);
export const scipyLinalg = namespace(['kiln.scipy.linalg'], linalgOwn);
export const scipy = {special: scipySpecial, linalg: scipyLinalg, signal: namespace(['kiln.scipy.signal'], signalOwn),
    fft: namespace(['kiln.scipy.fft']), integrate: namespace(['kiln.scipy.integrate'])};
export const ops = namespace(['kiln.ops']);
export {optim};

const isText = x => typeof x === 'string', isObject = x => typeof x === 'object';
/** What each option of init() has to be, and the test for it. */
const known = {
    wasm: ['a URL, a Response, bytes or a WebAssembly.Module', x => isText(x) || isObject(x)],
    fma: ['"auto", "exact" or "relaxed"', x => ['auto', 'exact', 'relaxed'].includes(x)],
    threads: ['a number of threads', x => Number.isInteger(x) && x > 0],
    devices: ['a name or a list of names', x => isText(x) || (Array.isArray(x) && x.every(isText))],
    defaultFloat: ['a dtype of floats', isText],
    webgpu: ['an object', isObject], webgl: ['an object', isObject], env: ['an object of texts', x => isObject(x) && Object.values(x).every(isText)],
    fs: ['an object like the module "fs" of Node', isObject], print: ['a function', x => typeof x === 'function'],
    kernels: ['true or false', x => typeof x === 'boolean'], memory: ['a WebAssembly.Memory', isObject],
    imports: ['an object', isObject],
};
/** The options that are there, if all are right. */
function given(options) {
    if (typeof options !== 'object') throw errorOf('TypeError', `init: options are an object, not ${describe(options)}`);
    const all = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
    for (const [name, value] of all) {
        if (!Object.hasOwn(known, name))
            throw errorOf('TypeError', `init() got an unexpected option '${name}'; there are ${Object.keys(known).join(', ')}`);
        const [what, fits] = known[name];
        if (!fits(value)) throw errorOf('TypeError', `init: ${name} has to be ${what}, not ${describe(value)}`);
    }
    return Object.fromEntries(all);
}

/** Loads the module; everything else waits for it, but where files can be read at once (Node, Deno, Bun). options: wasm
 * (a URL, bytes, or a WebAssembly.Module), fma ("auto", "exact", "relaxed"), threads (how many, of a
 * build that has them), devices ("webgpu", or a list): the names of
 * those that there are. */
export async function init(options = {}, ...more) {
    const o = given(typeof options === 'string' || Array.isArray(options) ? {devices: [options, more].flat(2)} : options ?? {});
    await openDevices(o);
    await load(o);
    await beginDevices();
    return devices();
}

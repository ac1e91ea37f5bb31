// SPDX-License-Identifier: Apache-2.0
// jax.js -- what the package has of jax itself, under the names of jax-js and under JAX's.
import * as control from './control.js';
import {callback, print} from './debug.js';
import {customLinearSolve, customRoot} from './solves.js';
import {stopGradient} from './transforms.js';
import {collectives} from './vmap.js';

export {jit, clearCaches, namedCall, clearCaches as clear_caches, namedCall as named_call} from './jit.js';
export {blockUntilReady, checkpoint, checkpointPolicies, evalShape, grad, hessian, jacfwd, jacobian, jacrev, jvp,
    linearize, linearTranspose, ShapeDtypeStruct, stopGradient, valueAndGrad, vjp, blockUntilReady as block_until_ready,
    checkpoint as remat, checkpointPolicies as checkpoint_policies, evalShape as eval_shape,
    linearTranspose as linear_transpose, stopGradient as stop_gradient,
    valueAndGrad as value_and_grad} from './transforms.js';
export {vmap} from './vmap.js';
export {makeMesh, Mesh, NamedSharding, P, PartitionSpec, pmap, shardMap, makeMesh as make_mesh, shardMap as shard_map} from './mesh.js';
export {customGradient, customJvp, customVjp, customGradient as custom_gradient, customJvp as custom_jvp,
    customVjp as custom_vjp} from './custom.js';
export {Jaxpr, makeJaxpr, makeJaxpr as make_jaxpr} from './jaxpr.js';
export {ioCallback, ioCallbackWith, pureCallback, pureCallbackWith, ioCallback as io_callback,
    pureCallback as pure_callback} from './debug.js';

/** jax.debug */
export const debug = {print, callback};
const {switchBranches, ...loops} = control;
/** Loops, branches, reductions by functions and collectives, for lax: in both spellings. */
export const laxFunctions = {};
for (const [name, f] of Object.entries({...loops, ...collectives, customLinearSolve, customRoot, switch: switchBranches,
    stopGradient}))
    laxFunctions[name] = laxFunctions[name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`)] = f;

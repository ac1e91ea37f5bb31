# SPDX-License-Identifier: Apache-2.0
"""Array programs as NumPy and JAX have them, over the C library Kiln."""
import os as _os

from . import _core

_core.set_package(_os.path.dirname(__file__))
__version__ = "0.1.0"

from ._core import Array, dtype
from ._callbacks import pure_callback
from ._config import (Device, block_until_ready, config, debug_nans, default_backend, default_device, default_float,
                      device_count, device_get, device_put, devices, enable_x64, local_device_count, local_devices,
                      num_threads, typeof)
from ._custom import custom_gradient, custom_jvp, custom_vjp
from ._jaxpr import make_jaxpr
from ._manual import pmap, shard_map
from ._mesh import NamedSharding, P, PartitionSpec, make_mesh, set_mesh
from ._progress import progress
from ._sharded import (Shard, load_checkpoint, load_npy_sharded, make_array_from_callback,
                       make_array_from_process_local_data, make_array_from_single_device_arrays, save_checkpoint)
from ._transforms import (ShapeDtypeStruct, checkpoint, checkpoint_policies, eval_shape, grad, hessian, jacfwd,
                          jacobian,
                          jacrev, jit, jvp, linear_transpose, linearize, named_call, remat, value_and_grad, vjp, vmap)
from .distributed import process_count, process_index
from . import (_display, _interop, ad_checkpoint, core, debug, distributed, errors, experimental, flatten_util, lax, nn,
               numpy, ops, optim, random, scipy, sharding, tree, tree_util)

# SPDX-License-Identifier: Apache-2.0
"""package.py -- the Python package as the other side of the programs: the lines run as they are, `np` being kiln.numpy
(fuzz.py --package). The package is found by PYTHONPATH, or was installed."""
import numpy as real

import kiln
import kiln.numpy

import binding


class Package:
    """What binding.Kiln is for the library."""
    array_type = kiln.Array

    def kn_scope_begin(self):
        return None

    def kn_scope_end(self, scope):
        pass

    def kn_error_clear(self):
        pass

    def kn_set_threads(self, n):
        pass

    def kn_shares_memory(self, a, b):
        return kiln.numpy.shares_memory(a, b)

    def kn_ok(self, x):
        return True

    def check(self):
        pass

    def handle(self, x):
        return x

    def from_numpy(self, a):
        return kiln.numpy.array(real.asarray(a))

    def to_numpy(self, x):
        out = real.empty(x.shape, x.dtype.name)
        out[...] = real.frombuffer(x.tobytes(), x.dtype.name).reshape(x.shape)
        return out

    def dtype_of(self, x):
        return x.dtype.name

    def shape_of(self, x):
        return x.shape

    def strides_of(self, x):
        return x.strides

    def flags_of(self, x):
        flags = x.flags
        return {name: flags[name.upper()] for name in ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned")}

    def jit(self, f, inputs, n_out):
        try:
            return list(kiln.jit(lambda *xs: f(list(xs)))(*inputs))
        except binding.Unsupported:
            raise binding.Error("ConcretizationError", "not in the package") from None
        except Exception as e:
            refused = isinstance(e, kiln.errors.ConcretizationTypeError)
            raise binding.Error("ConcretizationError" if refused else type(e).__name__, str(e)) from e

    def facade(self):
        return Facade()


class Facade:
    """`np` of the lines: kiln.numpy itself."""
    placeholders = False

    def __getattr__(self, name):
        try:
            return getattr(kiln.numpy, name)
        except AttributeError as e:
            raise binding.Unsupported(f"no {name}") from e


def printed(x, how, **options):
    np = kiln.numpy if isinstance(x, kiln.Array) else real
    with np.printoptions(**options):
        return getattr(np, "array_" + how)(x)

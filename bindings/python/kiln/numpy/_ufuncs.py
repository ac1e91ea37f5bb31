# SPDX-License-Identifier: Apache-2.0
"""NumPy's universal functions as objects (src/ufunc.c), and those of Python functions."""
import inspect as _inspect

from .. import _core
from .._core import ufunc

NAMES = """
abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh
bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs float_power floor
floor_divide fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite isinf isnan lcm ldexp
left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
matmul matvec maximum minimum mod modf multiply negative nextafter not_equal positive pow power rad2deg radians
reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract tan tanh true_divide trunc
vecdot vecmat
""".split()
UFUNCS = {name: ufunc(name) for name in NAMES}


def _signature(self):
    only, key, both = (_inspect.Parameter.POSITIONAL_ONLY, _inspect.Parameter.KEYWORD_ONLY,
                       _inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = ["x"] if self.nin == 1 else [f"x{i + 1}" for i in range(self.nin)]
    more = {"axes": None, "axis": None, "keepdims": False} if self.signature else {"where": True}
    more |= {"casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}
    out = None if self.nout == 1 else (None,) * self.nout
    return _inspect.Signature([_inspect.Parameter(n, only) for n in names] +
    [_inspect.Parameter("out", both, default=out)] +
     [_inspect.Parameter(n, key, default=d) for n, d in more.items()])


ufunc.__signature__ = property(_signature)


class _PythonUfunc:
    """What frompyfunc returns: a Python function of numbers, element by element."""

    def __init__(self, func, nin, nout, identity):
        self._func, self.nin, self.nout, self.identity = func, nin, nout, identity
        self.nargs, self.ntypes, self.signature = nin + nout, 1, None
        self.__name__ = f"{getattr(func, '__name__', '?')} (vectorized)"
        self.__doc__ = getattr(func, "__doc__", None)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args, out=None):
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} positional arguments but {len(args)} were given")
        from ._functional import elementwise
        result = elementwise(self._func, args, self.nout)
        if out is None:
            return result
        results, outs = (result if self.nout > 1 else (result,)), (out if isinstance(out, tuple) else (out,))
        for r, o in zip(results, outs):
            o[...] = r
        return out if isinstance(out, tuple) and self.nout > 1 else outs[0]

    def _lines(self, array, axis):
        """The array's lines along the axis, as lists, and the shape of the other axes."""
        from ._creation import asarray, moveaxis
        if self.nin != 2 or self.nout != 1:
            raise ValueError("reduce only supported for binary functions")
        x = moveaxis(asarray(array), axis, -1)
        return x.reshape(-1, x.shape[-1]).tolist(), x.shape[:-1]

    def reduce(self, array, axis=0, *, initial=None):
        """Joins the elements along an axis."""
        from ._creation import array as make
        import functools
        lines, shape = self._lines(array, axis)
        start = () if initial is None else (initial,)
        return make([functools.reduce(self._func, line, *start) for line in lines]).reshape(shape)

    def accumulate(self, array, axis=0):
        """Every element joined with all before it."""
        from ._creation import array as make, moveaxis
        import itertools
        lines, shape = self._lines(array, axis)
        return moveaxis(make([list(itertools.accumulate(line, self._func))
                        for line in lines]).reshape(*shape, -1), -1, axis)

    def outer(self, A, B):
        """Of each pair of elements of A and B."""
        from ._creation import asarray
        A, B = asarray(A), asarray(B)
        return self(A.reshape(A.shape + (1,) * B.ndim), B)


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A Python function of numbers as one of arrays, called for each element. (numpy.frompyfunc) The dtype of the
    result is that of the values, as there are no arrays of Python objects.

    >>> import kiln.numpy as knp
    >>> knp.frompyfunc(lambda a, b: a * 10 + b, 2, 1)([1, 2], 3)
    array([13, 23])
    """
    if not callable(func):
        raise TypeError("function must be callable")
    return _PythonUfunc(func, nin, nout, identity)


__all__ = ["frompyfunc", "ufunc"]

# SPDX-License-Identifier: Apache-2.0
"""Functions of functions, and those of the C library whose arguments NumPy puts together in a way of its own."""
import functools as _functools
import re as _re
from operator import index as _index

from .. import _core
from .._core import Array
from ._creation import array, asarray, ndindex
from ._wrapped import histogram_bin_edges

_c = _core.functions("kiln.numpy")


# ---- Python functions, element by element or line by line.

def elementwise(func, args, nout, dtypes=None, kwargs=None):
    """func of Python numbers for each element of the arguments, which broadcast."""
    arrays = [asarray(a) for a in args]
    shape = _core.broadcast_shapes(*[a.shape for a in arrays])
    columns = [_c["broadcast_to"](a, shape).reshape(-1).tolist() for a in arrays]
    results = [func(*row, **(kwargs or {})) for row in zip(*columns)]
    if nout == 1:
        results = [(r,) for r in results]
    out = tuple(array([r[i] for r in results], dtypes[i] if dtypes else None) for i in range(nout))
    out = tuple(x.reshape(shape + x.shape[1:] if results else shape) for x in out)
    return out[0] if nout == 1 else out


class vectorize:
    """A Python function of numbers (with a signature: of arrays) as one of arrays. (numpy.vectorize)

    >>> import kiln.numpy as knp
    >>> knp.vectorize(lambda a, b: a if a > b else b)([1, 5], 3)
    array([3, 5])
    """

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.pyfunc, self.cache, self.signature = pyfunc, cache, signature
        self.excluded = set() if excluded is None else set(excluded)
        if isinstance(otypes, str):
            otypes = list(otypes)
        self.otypes = None if otypes is None else [_core.dtype(t) for t in otypes]
        self._core = None if signature is None else _parse_signature(signature)
        if pyfunc is not None:
            self._named(pyfunc)
        if doc is not None:
            self.__doc__ = doc

    def _named(self, pyfunc):
        _functools.update_wrapper(self, pyfunc, updated=())
        self.pyfunc = pyfunc

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:  # a decorator with options
            self._named(args[0])
            return self
        names = [k for k in kwargs if k not in self.excluded]
        at = [i for i in range(len(args)) if i not in self.excluded]

        def func(*values):
            full, given = list(args), dict(kwargs)
            for i, v in zip(at, values):
                full[i] = v
            given.update(zip(names, values[len(at):]))
            return self.pyfunc(*full, **given)

        return self._run(func, [args[i] for i in at] + [kwargs[k] for k in names])

    def _run(self, func, values):
        arrays = [asarray(v) for v in values]
        if self._core is not None:
            return self._generalized(func, arrays)
        if not arrays:
            return array(func())
        if self.otypes is None and _core.broadcast_shapes(*[a.shape for a in arrays]).count(0):
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        seen = []

        def once(*row):
            r = func(*row)
            seen.append(len(r) if isinstance(r, tuple) else 1)
            return r if isinstance(r, tuple) else (r,)

        if self.otypes is not None:
            return elementwise(func, arrays, len(self.otypes), self.otypes)
        shape = _core.broadcast_shapes(*[a.shape for a in arrays])
        rows = [once(*row) for row in zip(*[_c["broadcast_to"](a, shape).reshape(-1).tolist() for a in arrays])]
        out = tuple(array(list(column)).reshape(shape) for column in zip(*rows))
        return out if seen[0] > 1 else out[0]

    def _generalized(self, func, arrays):
        ins, outs = self._core
        if len(arrays) != len(ins):
            raise TypeError(f"wrong number of positional arguments: expected {len(ins)}, got {len(arrays)}")
        sizes, loops = {}, []
        for a, names in zip(arrays, ins):
            if a.ndim < len(names):
                raise ValueError(
                    f"{a.ndim}-dimensional argument does not have enough dimensions for all core dimensions "
                    f"{tuple(names)!r}")
            loops.append(a.shape[:a.ndim - len(names)])
            for n, size in zip(names, a.shape[a.ndim - len(names):]):
                if sizes.setdefault(n, size) != size:
                    raise ValueError(f"inconsistent size for core dimension {n!r}: {size!r} vs {sizes[n]!r}")
        loop = _core.broadcast_shapes(*loops)
        wide = [_c["broadcast_to"](a, loop + a.shape[a.ndim - len(n):]) for a, n in zip(arrays, ins)]
        results = []
        for at in ndindex(*loop):
            r = func(*[w[at] for w in wide])
            results.append(r if isinstance(r, tuple) else (r,))
            if len(results[-1]) != len(outs):
                raise ValueError(f"wrong number of outputs from pyfunc: expected {len(outs)}, got {len(results[-1])}")
        if not results:
            if self.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            made = tuple(_c["zeros"](loop + tuple(sizes[n] for n in names), dtype=t)
                         for names, t in zip(outs, self.otypes))
        else:
            made = tuple(array([asarray(r[i]) for r in results], self.otypes[i] if self.otypes else None)
                         for i in range(len(outs)))
            made = tuple(m.reshape(loop + m.shape[1:]) for m in made)
        return made if len(outs) > 1 else made[0]


def _parse_signature(signature):
    core = r"\((?:\w+(?:,\w+)*)?\)"
    text = _re.sub(r"\s+", "", signature)
    if not _re.match(f"^(?:{core}(?:,{core})*)?->{core}(?:,{core})*$", text):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    return tuple([tuple(_re.findall(r"\w+", part)) for part in _re.findall(core, side)] for side in text.split("->"))


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d of each line along the axis; the axes of its result go where the axis was. (numpy.apply_along_axis)

    >>> import kiln.numpy as knp
    >>> knp.apply_along_axis(lambda v: v[::-1], 0, [[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """
    x = asarray(arr)
    axis = _c["_normalize_axis_index"](axis, x.ndim)
    moved = x if axis == x.ndim - 1 else _c["moveaxis"](x, axis, -1)
    results = [asarray(func1d(moved[at], *args, **kwargs)) for at in ndindex(*moved.shape[:-1])]
    if not results:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = _c["stack"](results).reshape(moved.shape[:-1] + results[0].shape)
    n = results[0].ndim
    return _c["moveaxis"](made, tuple(range(made.ndim - n, made.ndim)), tuple(range(axis, axis + n))) if n else made


def apply_over_axes(func, a, axes):
    """func(a, axis) along one axis after the other, which stay. (numpy.apply_over_axes)"""
    x = asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        axis = axis + x.ndim if axis < 0 else axis
        result = asarray(func(x, axis))
        if result.ndim != x.ndim:
            result = _c["expand_dims"](result, axis)
            if result.ndim != x.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        x = result
    return x


def piecewise(x, condlist, funclist, *args, **kw):
    """Functions or values where conditions hold, of x's dtype. (numpy.piecewise)

    >>> import kiln.numpy as knp
    >>> x = knp.array([-2., 0., 2.])
    >>> knp.piecewise(x, [x < 0, x > 0], [lambda v: -v, 1])
    array([2., 0., 1.])
    """
    x = asarray(x)
    if isinstance(condlist, Array) and (condlist.ndim == x.ndim or condlist.ndim == 0):
        condlist = [condlist]
    elif not isinstance(condlist, Array) and (isinstance(condlist, bool) or (not hasattr(condlist[0], "__len__") and
                                                                                 x.ndim != 0)):
        condlist = [condlist]
    conditions = [asarray(c, bool) for c in condlist]
    n, n2 = len(conditions), len(funclist)
    if n == n2 - 1:
        some = conditions[0]
        for c in conditions[1:]:
            some = some | c
        conditions.append(~some)
    elif n != n2:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = _c["zeros_like"](x)
    for c, f in zip(conditions, funclist):
        if not callable(f):
            y[c] = f
        else:
            values = x[c]
            if values.size > 0:
                y[c] = f(values, *args, **kw)
    return y


# ---- Numbers.

_missing = type("_missing", (), {"__repr__": lambda self: "<no value>"})()


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements as another dtype; with copy=False the array itself if it has that. (numpy.astype)"""
    if not isinstance(x, _core.Array):
        raise TypeError(f"Input should be an array. It is a {type(x)} instead.")
    return _core.put_at(x.astype(dtype, copy=copy), device)


def clip(a, a_min=_missing, a_max=_missing, out=None, *, min=_missing, max=_missing, **kwargs):
    """Numbers limited to an interval; None is no limit. (numpy.clip)

    >>> import kiln.numpy as knp
    >>> knp.clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """
    if a_min is _missing and a_max is _missing:
        a_min, a_max = None if min is _missing else min, None if max is _missing else max
    elif a_min is _missing:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is _missing:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not _missing or max is not _missing:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    unknown = set(kwargs) - {"dtype", "casting", "where", "order", "subok"}
    if unknown:
        raise TypeError(f"clip() got an unexpected keyword argument '{unknown.pop()}'")
    if kwargs.get("dtype") is not None:
        a = asarray(a).astype(kwargs["dtype"])
    casting, where = kwargs.get("casting") or "same_kind", kwargs.get("where", True)
    if out is None or casting == "same_kind" and where is True:
        return _c["_clip"](a, a_min, a_max, out=out)
    _c["copyto"](out, _c["_clip"](a, a_min, a_max), casting=casting, where=where)
    return out


def _round(self, ndigits=None):
    """round(x), as of a number: without digits an int, halves to the even one; of arrays with axes numpy.round."""
    return round(self.item()) if self.ndim == 0 and ndigits is None else self.round(ndigits or 0)


Array.__round__ = _round


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers instead of NaNs and infinities. (numpy.nan_to_num)

    >>> import kiln.numpy as knp
    >>> knp.nan_to_num([knp.nan, 1.0])
    array([0., 1.])
    """
    y = _c["_nan_to_num"](x, nan=nan, posinf=posinf, neginf=neginf)
    if not copy and isinstance(x, Array) and x.dtype.kind in "fc":
        x[...] = y
        return x
    return y


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes along each axis, by differences. (numpy.gradient)

    >>> import kiln.numpy as knp
    >>> knp.gradient([1., 2., 4.])
    array([1. , 1.5, 2. ])
    """
    f = asarray(f)
    n = f.ndim if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
    if len(varargs) not in (0, 1, n):
        raise TypeError("invalid number of arguments")
    given = list(varargs)
    if len(given) == 1 and n > 1:
        if asarray(given[0]).ndim:
            raise TypeError("invalid number of arguments")
        given = given * n
    slopes = _c["_gradient"](f, axis=axis, spacing=given or None, edge_order=edge_order)
    slopes = tuple(slopes)
    return slopes[0] if n == 1 else slopes


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sums of products, by subscripts. (numpy.einsum)

    >>> import kiln.numpy as knp
    >>> knp.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10])
    array([21, 43])
    """
    if out is not None and not isinstance(out, Array):
        raise TypeError("keyword parameter out must be an array for einsum")
    subscripts, arrays = _subscripts(operands)
    y = _core.einsum(subscripts, arrays, _plan(optimize), 0, dtype)
    if out is None:
        return y
    if out.ndim != y.ndim:
        raise ValueError(f"out parameter does not have the correct number of dimensions, has {out.ndim} but "
                         f"should have "
                         f"{y.ndim}")
    _c["copyto"](out, y, casting)
    return out


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """In which order einsum would contract, and what that costs. (numpy.einsum_path)"""
    subscripts, arrays = _subscripts(operands)
    limit = 0
    if isinstance(optimize, (tuple, list)) and len(optimize) == 2 and isinstance(optimize[0], str) and not isinstance(
            optimize[1], str) and optimize[0] != "einsum_path":
        optimize, limit = optimize[0], int(optimize[1])
    path, text = _core.einsum_path(subscripts, arrays, _plan(optimize), limit, None)
    pairs = [tuple(int(n) for n in _re.findall(r"\d+", p)) for p in _re.findall(r"\(([\d, ]*)\)", path)]
    return ["einsum_path", *pairs], text


def _plan(optimize):
    if optimize is True or optimize is None:
        return "greedy"
    if optimize is False:
        return None  # from left to right
    if isinstance(optimize, str):
        return optimize
    steps = list(optimize)
    if steps and steps[0] == "einsum_path":
        return str(["einsum_path", *map(tuple, steps[1:])])
    if len(steps) == 2 and isinstance(steps[0], str):
        return steps[0]
    raise TypeError(f"Did not understand the path: {optimize}")


def _subscripts(operands):
    """(text, arrays), of einsum("ij,j", x, y) or einsum(x, [0, 1], y, [1], [0])."""
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one operand "
            "and its corresponding subscripts list")
    if isinstance(operands[0], str):
        return operands[0], operands[1:]
    if len(operands) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    labels = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    def text(sublist):
        out = ""
        for s in sublist:
            if s is Ellipsis:
                out += "..."
                continue
            if isinstance(s, bool) or not hasattr(s, "__index__"):
                raise TypeError("each subscript must be either an integer or an ellipsis")
            if not 0 <= _index(s) < 52:
                raise ValueError("subscript is not within the valid range [0, 52)")
            out += labels[_index(s)]
        return out

    n = len(operands) // 2
    said = ",".join(text(operands[2 * i + 1]) for i in range(n))
    if len(operands) % 2:
        said += "->" + text(operands[-1])
    return said, operands[0:2 * n:2]


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points lie in each box of a grid. (numpy.histogramdd)"""
    x = sample if isinstance(sample, Array) else _c["stack"]([asarray(s) for s in sample], axis=-1) if isinstance(
        sample, (list, tuple)) else asarray(sample)
    if x.ndim == 1:
        x = x.reshape(-1, 1)
    n = x.shape[1]
    if isinstance(bins, int):
        bins = [bins] * n
    if len(bins) != n:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is not None and len(range) != n:
        raise ValueError("range argument must have one entry per dimension")
    edges = []
    for i, b in enumerate(bins):
        limits = None if range is None else range[i]
        if asarray(b).ndim:
            edges.append(asarray(b))
            continue
        if b < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
        edges.append(histogram_bin_edges(x[:, i], int(b), limits))
    counted = _c["_histogramdd"](x, bins=edges, density=bool(density), weights=weights)
    return counted[0], list(edges)


def top_k(x, k, /, *, axis=-1, mode="largest", sorted=True):
    """The k largest (smallest) along an axis, and where they are. (numpy.top_k)"""
    return _c["_top_k"](x, k, axis=axis, mode=mode, sorted=sorted)


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """Numbers of a text with sep between them. (numpy.fromstring)

    >>> import kiln.numpy as knp
    >>> knp.fromstring("1 2", sep=" ")
    array([1., 2.])
    """
    return _c["_fromstring"](string, sep, dtype=dtype, count=count)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of a shape, as a view. (numpy.lib.stride_tricks.sliding_window_view)"""
    return _c["_sliding_window_view"](x, window_shape, axis=axis)


__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "astype",
    "clip",
    "einsum",
    "einsum_path",
    "fromstring",
    "gradient",
    "histogramdd",
    "nan_to_num",
    "piecewise",
    "top_k",
     "vectorize"]

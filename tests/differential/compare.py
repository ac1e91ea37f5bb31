# SPDX-License-Identifier: Apache-2.0
"""compare.py -- whether a value of Kiln is a value of NumPy."""
import numpy as np


def parts(x):
    """A complex array as a real one with a last axis of two."""
    x = np.ascontiguousarray(x)
    return x.view({"complex64": "float32", "complex128": "float64"}[x.dtype.name]).reshape(x.shape + (2,))


def same_bits(x, y):
    """All bits, but any NaN is any other."""
    if x.dtype.kind == "c":
        x, y = parts(x), parts(y)
    if x.dtype.kind == "f":
        return (x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y))
    return x == y


def units(x, y):
    """How many units in the last place of y they differ by; of the larger part of complex numbers."""
    if x.dtype.kind == "c":
        x, y = parts(x), parts(y)
        scale = np.maximum(np.abs(y[..., :1]), np.abs(y[..., 1:])) + 0 * y
    else:
        scale = np.abs(y)
    info = np.finfo(y.dtype)
    scale = np.where(np.isfinite(scale), scale, info.max)
    unit = np.maximum(np.spacing(np.maximum(scale, info.tiny)), info.smallest_subnormal)
    with np.errstate(all="ignore"):
        d = np.abs(x.astype("float64") - y.astype("float64")) / unit.astype("float64")
    d = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, d)
    d = np.where(np.isnan(d), np.inf, d)
    return np.where(np.isinf(x) & (np.abs(y) == info.max) | np.isinf(y) & (np.abs(x) == info.max), 1, d)


def close(x, y, how, scale):
    """Element by element: is x what y says?"""
    if x.dtype.kind not in "fc":
        if how not in ("x", "s", "S", "z", "o") and x.dtype.kind in "iu":
            return np.abs(x.astype("float64") - y.astype("float64")) <= 1
        return x == y
    if how == "x" or how == "z" and x.dtype.kind == "f":
        return same_bits(x, y)
    if how == "o":
        if x.dtype.kind == "c":  # which NaN stands for all is not told
            wild = np.isnan(x) & np.isnan(y)
            x, y = np.where(wild, 0, x), np.where(wild, 0, y)
        return same_bits(x + 0 if x.dtype.kind in "fc" else x, y + 0 if y.dtype.kind in "fc" else y)
    if how == "z":
        wild = 0.24 * np.finfo(x.dtype).max  # annex G has other infinities and NaN than NumPy's plain formulas
        with np.errstate(all="ignore"):
            ours, theirs = (~(np.abs(parts(v)) < wild).all(-1) for v in (x, y))
        return (units(x, y) <= 4).all(-1) | ours & theirs
    if how in ("s", "S"):
        product = isinstance(scale, float) and scale == 0  # one that overflows does so elsewhere in another order
        if x.dtype.kind == "c":
            x, y = parts(x), parts(y)
            scale = scale + np.abs(np.where(np.isfinite(y), y, 0)).max(-1, keepdims=True) if scale else \
                64 * np.abs(np.where(np.isfinite(y), y, 0)).max(-1, keepdims=True)
            wild = ~np.isfinite(x).all(-1, keepdims=True) & ~np.isfinite(y).all(-1, keepdims=True)
            x, y = np.where(wild, 0, x), np.where(wild, 0, y)  # annex G has other infinities and NaN
        eps = np.finfo(x.dtype).eps
        with np.errstate(all="ignore"):
            d = np.abs(x.astype("float64") - y.astype("float64"))
            bound = (64 if product or how == "S" else 16) * eps * (np.abs(np.where(np.isfinite(y), y, 0)).astype("float64") + scale)
        good = (d <= bound) | (x == y) | (np.isnan(x) & np.isnan(y))
        if product:
            good |= ~np.isfinite(x) | ~np.isfinite(y)
        return good | (x.dtype == np.float16) & ~(np.abs(x.astype("float64")) + np.abs(y) < 30000)
    good = units(x, y) <= float(how)
    if x.dtype.kind == "c":  # annex G has other infinities and NaN
        good |= ~np.isfinite(parts(x)).all(-1, keepdims=True) & ~np.isfinite(parts(y)).all(-1, keepdims=True)
    return good


def describe(v):
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(describe(e) for e in v) + "]"
    if isinstance(v, np.ndarray):
        return f"{np.array_repr(v, max_line_width=100)} {v.dtype} {v.shape} strides {v.strides}"
    return repr(v)


class Compare:
    def __init__(self, kiln):
        self.kiln, self.variables, self.other_layout = kiln, {}, False

    def values(self, x, y, how="x", scale=1.0, meta=True, contents=True):
        """None, or what differs between Kiln's x and NumPy's y."""
        if isinstance(y, (list, tuple)):
            if not isinstance(x, (list, tuple)) or len(x) != len(y):
                return f"{len(x) if isinstance(x, (list, tuple)) else 'no list'} results, {len(y)} in NumPy"
            for i, (a, b) in enumerate(zip(x, y)):
                d = self.values(a, b, how, scale, meta, contents)
                if d:
                    return f"result {i}: {d}"
            return None
        if isinstance(y, (np.dtype, type)):
            y = np.dtype(y).name
        if isinstance(y, (str, bool, np.bool_)) and not isinstance(x, self.kiln.array_type):
            return None if x == y else f"value: {x!r}, {y!r} in NumPy"
        if not isinstance(x, self.kiln.array_type):
            return None if not isinstance(y, np.ndarray) and x == y else f"value: {x!r}, {y!r} in NumPy"
        scalar = not isinstance(y, np.ndarray)
        y = np.asarray(y)
        dtype, shape = self.kiln.dtype_of(x), self.kiln.shape_of(x)
        self.kiln.check()
        if dtype != y.dtype.name:
            return f"dtype: {dtype}, {y.dtype.name} in NumPy"
        if shape != y.shape:
            return f"shape: {shape}, {y.shape} in NumPy"
        if meta and not scalar:
            d = self.layout(x, y)
            if d:
                return d
        if not contents:
            return None
        z = self.kiln.to_numpy(x)
        with np.errstate(all="ignore"):
            good = close(z, y, how, scale)
        if np.all(good):
            return None
        k = int(np.argmin(good))
        if y.dtype.kind == "c" and good.size != y.size:
            k //= 2
        return f"value {k}: {z.ravel()[k]!r}, {y.ravel()[k]!r} in NumPy"

    def layout(self, x, y, others=()):
        """Strides and flags. Strides count where a step along the axis leads somewhere, and owndata where NumPy's array is
        made from a variable or has no base: other views are of what a function made for itself."""
        strides, flags = self.kiln.strides_of(x), self.kiln.flags_of(x)
        self.kiln.check()
        if y.size and [s for s, n in zip(strides, y.shape) if n > 1] != [s for s, n in zip(y.strides, y.shape) if n > 1]:
            if y.base is None or self.of_variable(y):
                return f"strides: {strides}, {y.strides} in NumPy"
            self.other_layout = True
            return None
        for name in ("c_contiguous", "f_contiguous", "writeable"):
            if flags[name] != getattr(y.flags, name) and y.size:
                return f"flag {name}: {flags[name]}, {not flags[name]} in NumPy"
        if flags["owndata"] != y.flags.owndata and not any(y is v for v in self.variables.values()):
            if flags["owndata"] is False or self.of_variable(y):
                return f"flag owndata: {flags['owndata']}, {not flags['owndata']} in NumPy"
        return None

    def of_variable(self, y):
        return any(isinstance(v, np.ndarray) and np.may_share_memory(y, v) for v in self.variables.values() if v is not y)

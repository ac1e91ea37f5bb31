# SPDX-License-Identifier: Apache-2.0
"""known.py -- where Kiln decides otherwise than NumPy. Each row has the words in bold that begin its entry in
docs/differences.md, and says whether a difference is of its kind: `what` is the difference without its numbers, `text`
the whole of it, `f` the function of the line, `x` the arrays that stand in it."""
import pathlib
import re

import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/differences.md"
KNOWN = []


def row(words):
    if f"**{words}" not in PAGE.read_text():
        raise SystemExit(f"docs/differences.md has no entry **{words}**")

    def add(applies):
        KNOWN.append((words, applies))
        return applies
    return add


def known(line, what, text, x=()):
    """The words of the row that the difference belongs to, or None."""
    f, what = line.function(), what.removeprefix("at the end ")
    return next((words for words, applies in KNOWN if applies(line.text, f, what, text, x)), None)


def has_nan(x):
    return any(v.dtype.kind in "fc" and np.isnan(v).any() for v in x)


def has_infinite(x):
    return any(v.dtype.kind in "fc" and not np.isfinite(v).all() for v in x)


def wild(v):
    """Has a complex array numbers whose squares are none? (Or does its square have?)"""
    if v.dtype.kind != "c":
        return False
    info = np.finfo(v.dtype)
    parts = np.abs(np.concatenate([v.real.ravel(), v.imag.ravel()])).astype("float64")
    return bool((~(parts < 0.24 * float(info.max)) | (parts > 0) & (parts < 8 * float(info.tiny))).any())


def extreme(x):
    """Has an array numbers whose logarithms are large?"""
    return any(((a := np.abs(v.astype("complex128"))) > 0).any() and (np.isfinite(a) & (a > 0) & ((a > 1e30) | (a < 1e-30))).any()
               for v in x if v.dtype.kind in "fc")


def lies(what):
    return what in ("strides", "flag c_contiguous", "flag f_contiguous")


@row("C numbers are no Python integers")
def _(line, f, what, text, x):
    return what.startswith(("error text: integer # out of bounds", "error text: no number # is")) or \
        f in ("where", "select", "clip") and (what.startswith("OverflowError") or what == "dtype")


@row("C numbers convert as 0-d arrays do")
def _(line, f, what, text, x):
    python = ("NumPy: OverflowError: Python int", "cannot convert float", "not 'complex'", "must be real number, not complex",
              "NumPy: TypeError: Cannot cast scalar from dtype('complex", "NumPy: TypeError: float() argument")
    return any(t in text for t in python) and what.startswith(("no error", "IndexError, "))


@row("Elements are arrays of no axes")
def _(line, f, what, text, x):
    return line.startswith("I(") and "Cannot cast ufunc" in text and what.startswith(
        ("TypeError: none in NumPy", "TypeError, OverflowError in NumPy", "TypeError, ValueError in NumPy"))


@row("Floats that are too large for unsigned integers")
def _(line, f, what, text, x):
    m = re.match(r"(?:\w+: )?(?:result \d+: )?value \d+: np.uint\d+\((\d+)\), np.uint\d+\((\d+)\)", text)
    large = any(v.dtype.kind in "fc" and (~(np.abs(v) < 2.0**31)).any() for v in x)
    large = large or f in ("round", "around")
    return bool(m) and (large or any(int(k) in (2**31, 2**63, 2**32 - 1, 2**64 - 1) for k in m.groups()))


@row("Initial values are joined in the end")
def _(line, f, what, text, x):
    return "initial=" in line and ("prod" in f or f in ("gcd.reduce", "lcm.reduce")) and what.startswith("value")


@row("Sums that cancel")
def _(line, f, what, text, x):
    large = any(v.size and (np.abs(v.astype("complex128")) > 2.0**40).any() for v in x)
    level = any(v.size and v.ndim and (np.ptp(v, axis=axis) <= 1e-6 * np.abs(v).max()).any()
                for v in x if v.dtype.kind in "iuf" for axis in range(v.ndim))
    mixed = any(v.dtype.kind == "f" and v.size > 1 and v.min() < 0 < v.max() for v in x)  # weights of both signs
    return f == "average" and "sum to zero" in text and (large or mixed) or f == "corrcoef" and what.startswith("value") and \
        level or f in ("average", "unwrap") and what.startswith("value") and large


@row("Taps that are not finite")
def _(line, f, what, text, x):
    return f in ("convolve", "correlate") and what.startswith("value") and ("nan" in text or "inf" in text) or \
        f.split(".")[-1] in ("dot", "inner", "matmul", "imatmul", "vecdot", "matvec", "vecmat", "tensordot", "multi_dot") and \
        what.startswith("value") and any((v == 0).any() for v in x) and has_infinite(x)


@row("Infinities and NaN of complex numbers")
def _(line, f, what, text, x):
    return "value" in what and any(wild(v) for v in x)


@row("Powers of extreme complex numbers")
def _(line, f, what, text, x):
    m = re.search(r"np\.complex(128|64)\((.*?)\), np\.complex\d+\((.*?)\) in NumPy", text)
    if not m or f not in ("power", "float_power", "[]**=", "**="):
        return False
    ours, theirs = complex(m[2]), complex(m[3])
    high = any(v.size and (np.abs(v) >= 100).any() for v in x)  # NumPy's too is exp of a logarithm from there on
    return (extreme(x) or high) and abs(ours - theirs) <= (1e-12 if m[1] == "128" else 1e-3) * abs(theirs)


@row("Infinities in transforms")
def _(line, f, what, text, x):
    return f.startswith("fft.") and what.startswith("value") and has_infinite(x)


@row("float16 is a format of storage")
def _(line, f, what, text, x):
    summed = f in ("cumsum", "nancumsum", "cumulative_sum") and any(v.size > 500 and v.dtype == np.float16 for v in x)
    return (f.startswith("fft.") or f in ("i0", "isclose", "allclose") or summed) and what.startswith("value") and \
        any(v.dtype == np.float16 for v in x)


@row("Quantiles of integers")
def _(line, f, what, text, x):
    return f in ("quantile", "percentile", "nanquantile") and what.startswith("value") and any(
        v.dtype.kind in "iu" and v.size and int(v.max()) - int(v.min()) > np.iinfo(v.dtype).max for v in x)


@row("Quantiles at float64 positions")
def _(line, f, what, text, x):
    return f in ("quantile", "percentile", "nanquantile", "nanpercentile") and what.startswith("value") and \
        any(v.dtype in (np.float32, np.float16) for v in x)


@row("Transforms of nothing are zeros")
def _(line, f, what, text, x):
    return f.startswith("fft.") and what.startswith("value") and any(v.size == 0 for v in x)


@row("Bytes of bools are 0 and 1")
def _(line, f, what, text, x):
    return what.startswith(("value", "at the end value", "written value")) and (
        any(v.dtype == bool for v in x) and any(v.dtype != bool for v in x) and ("int8(" in text or "float" in text) or
        f == "view" and "np.True_, np.True_" in text)


@row("Dtypes do not depend on values")
def _(line, f, what, text, x):
    return f == "nanquantile" and what == "dtype" and has_nan(x)


@row("Sets of integers are exact")
def _(line, f, what, text, x):
    mixed = any(v.dtype == np.uint64 for v in x) and any(v.dtype.kind == "i" for v in x)
    if f == "intersect1d" and "cannot do a non-empty take" in text:  # positions of numbers that are equal as float64
        return True
    large = any(v.dtype.kind in "iu" and v.size and (int(v.max()) > 2**53 or int(v.min()) < -2**53) for v in x)
    mixed |= large and any(v.dtype.kind in "fc" for v in x)
    return mixed and f in ("isin", "setdiff1d", "intersect1d", "setxor1d", "union1d") and what.startswith(("value", "shape"))


@row("What is said to be unique")
def _(line, f, what, text, x):
    return "assume_unique=True" in line and what.startswith("value")


@row("Bits of nothing")
def _(line, f, what, text, x):
    return f == "unpackbits" and what.startswith("value") and any(v.size == 0 for v in x)


@row("Empty means are empty")
def _(line, f, what, text, x):
    return f == "average" and "ZeroDivisionError: division by zero" in text or \
        f in ("median", "nanmedian", "quantile", "percentile") and "cannot reshape array of size 0" in text


@row("bincount with weights is of floats")
def _(line, f, what, text, x):
    return f == "bincount" and what == "dtype"


@row("Axes of scalars")
def _(line, f, what, text, x):
    return what.startswith("AxisError: none in NumPy") and "where=" in line


@row("Linear algebra keeps its own names and checks")
def _(line, f, what, text, x):
    return f.startswith("linalg.") and (
        "solve1: Input operand" in text or what.startswith("TypeError, LinAlgError in NumPy") or
        what.startswith("LinAlgError, TypeError in NumPy") or f == "linalg.multi_dot" and what.startswith("error text") or
        f == "linalg.pinv" and (what == "dtype" or "float16 is unsupported" in text) or
        f == "linalg.cond" and what.startswith("value") and re.search(r"inf|e\+[12]\d", text) is not None or
        has_infinite(x) and what.startswith(("value", "LinAlgError: none in NumPy", "no error")))


@row("New arrays lie in C order")
def _(line, f, what, text, x):
    return lies(what) and (f in IN_C_ORDER or f.startswith(("linalg.", "fft.", "emath.")) or f.endswith(".reduceat") or
                           f == "[]" and re.search(r"\[.*(True|False|\[)", line.split("=")[-1]) is not None or
                           any(v.size == 0 or 1 in v.shape and "shape=" in line for v in x))


@row("owndata")
def _(line, f, what, text, x):
    return what == "flag owndata" and f not in ("copy", "array", "astype", "flatten", "zeros", "ones", "full")


@row("Arrays that were broadcast are read-only")
def _(line, f, what, text, x):
    return f in ("broadcast_arrays", "meshgrid") and what == "flag writeable"


@row("put_along_axis without an axis")
def _(line, f, what, text, x):
    return f == "put_along_axis" and "assignment destination is read-only" in text


@row("Axes are AxisErrors")
def _(line, f, what, text, x):
    return what.startswith("AxisError, IndexError in NumPy") and (" index out of range" in what or "take from an empty axes" in what or f.startswith("fft."))


@row("Transforms over no axes")
def _(line, f, what, text, x):
    return f.startswith("fft.") and (what in ("sharing", "flag writeable") or "not enough values to unpack" in text)


@row("Positions are checked first and all of them")
def _(line, f, what, text, x):
    return f in ("insert", "unravel_index") and what.startswith(("error text: index # is out of bounds", "IndexError: none in NumPy",
                                                                 "IndexError, ValueError in NumPy: shape mismatch",
                                                                 "IndexError, ValueError in NumPy: NumPy boolean array indexing")) or \
        (f in ("take", "[]", "[]=") or line.startswith("I(")) and what.startswith("IndexError: none in NumPy") and "out of bounds" in text or f == "choose" and "invalid entry in choice array" in text


@row("Iterators are not told about")
def _(line, f, what, text, x):
    return "remapped shapes" in text and f.split(".")[-1] in ("vecdot", "matmul", "matvec", "vecmat")


@row("Diagonals of an empty axis and another one")
def _(line, f, what, text, x):
    return f == "einsum" and "for collapsing index" in text and ("(0 != " in text or " != 0)" in text)


@row("An order of `einsum`")
def _(line, f, what, text, x):
    if f != "einsum" or "optimize=" not in line or "optimize=False" in line:
        return False
    mixed = len({v.dtype for v in x}) > 1
    return what.startswith("error text") or "output has more dimensions than subscripts" in text or mixed and (what.startswith("value") or what == "dtype" and len(x) > 2)


@row("Products tell both shapes")
def _(line, f, what, text, x):
    return f.split(".")[-1] in ("matmul", "imatmul") and "mismatch in its core dimension" in text and "not aligned" in text


@row("Of several mistakes another one is told")
def _(line, f, what, text, x):
    both = what.startswith("error text") or " in NumPy: " in what and not what.startswith("no error") and ": none in NumPy" not in what
    method = f.split(".")[-1] in ("reduce", "accumulate", "reduceat", "at")
    return both and (method or "not supported for the input types" in text or "duplicate value in 'axis'" in text) or \
        f.endswith(".reduceat") and "object of too small depth" in text or \
        f == "copyto" and ("destination is read-only" in text or "Cannot cast scalar" in text) or \
        f in ("nanprod", "nansum") and "initial=" in line and both or f == "linalg.pinv" and "not enough values to unpack" in text or f == "compress" and "out of bounds for axis" in text


@row("NaN that are told apart")
def _(line, f, what, text, x):
    return f in ("unique_inverse", "unique_all", "unique") and what.startswith("value") and ("nan" in line + text or has_nan(x))


IN_C_ORDER = set("""concatenate stack vstack hstack dstack column_stack block pad tile repeat append insert delete resize take
 take_along_axis compress choose select argwhere sort argsort partition lexsort sort_complex unique tril triu diff roll cumsum cumprod
 nancumsum nancumprod cumulative_sum cumulative_prod matmul dot inner outer vdot vecdot tensordot kron einsum cross gradient
 trapezoid interp unwrap quantile percentile nanquantile median nanmedian average packbits unpackbits isin
 sum prod mean var std max min amax amin ptp any all argmax argmin count_nonzero nansum nanprod nanmean nanvar nanstd nanmax
 nanmin nanargmax nanargmin meshgrid broadcast_arrays vander indices nan_to_num round around clip imag isreal iscomplex i0"""
                 .split())


@row("An exponent of one element")
def _(line, f, what, text, x):
    return f in ("**=", "[]**=") and any(v.ndim and v.size == 1 and v.dtype.kind in "fi" and v.ravel()[0] in (0.5, 2, -1) for v in x)

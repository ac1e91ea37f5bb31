# SPDX-License-Identifier: Apache-2.0
"""known.py -- where Kiln decides otherwise than NumPy: the reason, the page that says so, and when it applies.

A row is (reason, page, function(line, what, text, run, x, y) -> bool). `what` is the difference without its numbers,
`text` the whole of it."""

import re

KNOWN = []


def row(reason, page):
    def add(applies):
        KNOWN.append((reason, page, applies))
        return applies
    return add



@row("a C number is no Python integer", "docs/api.md")
def _(line, what, text, run, x, y):
    return what.startswith(("error text: integer # out of bounds", "error text: no number # is"))


@row("a C number beside an integer or real array converts as a 0-d array does", "docs/api.md")
def _(line, what, text, run, x, y):
    return any(t in text for t in ("NumPy: OverflowError: Python integer", "cannot convert float NaN to integer",
                                   "cannot convert float infinity to integer", "not 'complex'",
                                   "NumPy: TypeError: Cannot cast scalar from dtype('complex",
                                   "must be real number, not complex", "Python int too large to convert to C long",
                                   "NumPy: TypeError: float() argument")) and "no error" in what or \
        "cannot convert float" in text or what.startswith("IndexError, ") and (
            "not 'complex'" in text or "NumPy: OverflowError" in text)


@row("what stumbles in NumPy's Python code is an AxisError", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return what.startswith("AxisError, IndexError in NumPy") and " index out of range" in what


@row("where of an integer that does not fit: OverflowError, as in NumPy 2.5", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return line.function() in ("where", "select") and (what.startswith("OverflowError") or what == "dtype")


@row("arrays that broadcast are read-only", "docs/views.md")
def _(line, what, text, run, x, y):
    return line.function() in ("broadcast_arrays", "meshgrid") and what == "flag writeable"


@row("functions without loops for elements put new arrays in C order (decision 12)", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return what in ("strides", "flag c_contiguous", "flag f_contiguous") and line.function() in IN_C_ORDER


@row("how NumPy's iterator has renumbered the axes of a product is not told", "docs/api.md")
def _(line, what, text, run, x, y):
    return "remapped shapes" in text and line.function() in ("vecdot", "matmul", "matvec", "vecmat")


@row("owndata is false for what a function cut out of something of its own, as it is for views", "docs/views.md")
def _(line, what, text, run, x, y):
    return what == "flag owndata" and line.function() not in ("copy", "array", "astype", "flatten", "zeros", "ones", "full")


@row("which index of insert is out of bounds is told before others are inserted", "docs/api.md")
def _(line, what, text, run, x, y):
    return line.function() == "insert" and what.startswith(("error text: index # is out of bounds", "IndexError: none in NumPy"))


@row("an empty mean is empty", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return line.function() == "average" and "ZeroDivisionError: division by zero" in text or \
        line.function() in ("median", "nanmedian", "quantile", "percentile") and "cannot reshape array of size 0" in text


@row("taps that are not finite make NaN beyond the signal, too (decision 35)", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return line.function() in ("convolve", "correlate") and what.startswith("value") and ("nan" in text or "inf" in text)


@row("initial values are joined once, in the end (decision 25)", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return "initial=" in line.text and "prod" in line.text and what.startswith("value")


@row("bincount of nothing with weights is of floats", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return line.function() == "bincount" and what == "dtype"


@row("an axis of a 0-d array is an AxisError with a mask, too", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return what.startswith("AxisError: none in NumPy") and "where=" in line.text


@row("x[i] /= v writes to the element; NumPy's is a scalar, which takes any dtype", "docs/api.md")
def _(line, what, text, run, x, y):
    return line.text.startswith("I(") and what.startswith("TypeError: none in NumPy") and "Cannot cast ufunc" in text


@row("a diagonal of axes of which one is empty is an error", "docs/decisions.md")
def _(line, what, text, run, x, y):
    return line.function() == "einsum" and "for collapsing index" in text and ("(0 != " in text or " != 0)" in text)


@row("put_along_axis without an axis writes through views", "docs/views.md")
def _(line, what, text, run, x, y):
    return line.function() == "put_along_axis" and "assignment destination is read-only" in text


@row("which of several indices that are out of bounds is told", "docs/api.md")
def _(line, what, text, run, x, y):
    return line.function() == "unravel_index" and what.startswith("error text: index # is out of bounds")


@row("floats that do not fit become unsigned integers as decision 106 says; NumPy's depend on the vectors of the CPU", "docs/decisions.md")
def _(line, what, text, run, x, y):
    m = re.match(r"(?:\w+: )?value \d+: np.uint(?:32|64)\((\d+)\), np.uint(?:32|64)\((\d+)\)", text)
    return bool(m) and any(int(k) in (2**31, 2**63, 2**32 - 1, 2**64 - 1) for k in m.groups())


@row("PENDING: types before shapes, in ufuncs", "")
def _(line, what, text, run, x, y):
    return what.startswith("ValueError, TypeError in NumPy") and "could not be broadcast" in text


@row("PENDING: memory order of functions with two results", "")
def _(line, what, text, run, x, y):
    return line.function() in ("divmod", "modf", "frexp") and what in ("strides", "flag c_contiguous", "flag f_contiguous")


@row("PENDING: objects of ufuncs", "")
def _(line, what, text, run, x, y):
    return ".at" in line.text or ".reduce" in line.text or ".accumulate" in line.text


IN_C_ORDER = set("""concatenate stack vstack hstack dstack column_stack block pad tile repeat append insert delete resize take
 take_along_axis compress choose select argwhere sort argsort partition lexsort sort_complex unique tril triu diff roll cumsum cumprod
 nancumsum nancumprod cumulative_sum cumulative_prod matmul dot inner outer vdot vecdot tensordot kron einsum cross gradient
 trapezoid interp unwrap quantile percentile nanquantile median nanmedian average packbits unpackbits isin
 sum prod mean var std max min amax amin ptp any all argmax argmin count_nonzero nansum nanprod nanmean nanvar nanstd nanmax
 nanmin nanargmax nanargmin meshgrid broadcast_arrays vander indices nan_to_num round around clip imag isreal iscomplex i0"""
                 .split())


def known(line, what, text, run, x, y):
    return any(applies(line, what, text, run, x, y) for _, _, applies in KNOWN)

# SPDX-License-Identifier: Apache-2.0
"""known.py -- where Kiln decides otherwise than NumPy. Each row has the words in bold that begin its entry in
docs/differences.md, and says whether a difference is of its kind: `what` is the difference without its numbers, `text`
the whole of it, `f` the function of the line."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/differences.md"
KNOWN = []


def row(words):
    if f"**{words}" not in PAGE.read_text():
        raise SystemExit(f"docs/differences.md has no entry **{words}**")

    def add(applies):
        KNOWN.append((words, applies))
        return applies
    return add


def known(line, what, text):
    """The words of the row that the difference belongs to, or None."""
    f = line.function()
    return next((words for words, applies in KNOWN if applies(line.text, f, what, text)), None)


def lies(what):
    return what in ("strides", "flag c_contiguous", "flag f_contiguous")


@row("C numbers are no Python integers")
def _(line, f, what, text):
    return what.startswith(("error text: integer # out of bounds", "error text: no number # is")) or \
        f in ("where", "select") and (what.startswith("OverflowError") or what == "dtype")


@row("C numbers convert as 0-d arrays do")
def _(line, f, what, text):
    python = ("NumPy: OverflowError: Python int", "cannot convert float", "not 'complex'", "must be real number, not complex",
              "NumPy: TypeError: Cannot cast scalar from dtype('complex", "NumPy: TypeError: float() argument")
    return any(t in text for t in python) and what.startswith(("no error", "IndexError, "))


@row("Elements are arrays of no axes")
def _(line, f, what, text):
    return line.startswith("I(") and what.startswith("TypeError: none in NumPy") and "Cannot cast ufunc" in text


@row("Floats that are too large for unsigned integers")
def _(line, f, what, text):
    m = re.match(r"(?:\w+: )?value \d+: np.uint(?:32|64)\((\d+)\), np.uint(?:32|64)\((\d+)\)", text)
    return bool(m) and any(int(k) in (2**31, 2**63, 2**32 - 1, 2**64 - 1) for k in m.groups())


@row("Initial values are joined in the end")
def _(line, f, what, text):
    return "initial=" in line and "prod" in f and what.startswith("value")


@row("Taps that are not finite")
def _(line, f, what, text):
    return f in ("convolve", "correlate") and what.startswith("value") and ("nan" in text or "inf" in text)


@row("Empty means are empty")
def _(line, f, what, text):
    return f == "average" and "ZeroDivisionError: division by zero" in text or \
        f in ("median", "nanmedian", "quantile", "percentile") and "cannot reshape array of size 0" in text


@row("bincount with weights is of floats")
def _(line, f, what, text):
    return f == "bincount" and what == "dtype"


@row("Axes of scalars")
def _(line, f, what, text):
    return what.startswith("AxisError: none in NumPy") and "where=" in line


@row("Linear algebra keeps its own names and checks")
def _(line, f, what, text):
    return f.startswith("linalg.") and (
        "solve1: Input operand" in text or what.startswith("TypeError, LinAlgError in NumPy") or
        what.startswith("LinAlgError, TypeError in NumPy") or f == "linalg.multi_dot" and what.startswith("error text") or
        f == "linalg.pinv" and (what == "dtype" or "float16 is unsupported" in text) or
        f == "linalg.cond" and what.startswith("value") and re.search(r"inf|e\+[12]\d", text) is not None)


@row("New arrays lie in C order")
def _(line, f, what, text):
    return lies(what) and (f in IN_C_ORDER or f.startswith(("linalg.", "fft.")))


@row("owndata")
def _(line, f, what, text):
    return what == "flag owndata" and f not in ("copy", "array", "astype", "flatten", "zeros", "ones", "full")


@row("Arrays that were broadcast are read-only")
def _(line, f, what, text):
    return f in ("broadcast_arrays", "meshgrid") and what == "flag writeable"


@row("put_along_axis without an axis")
def _(line, f, what, text):
    return f == "put_along_axis" and "assignment destination is read-only" in text


@row("Axes are AxisErrors")
def _(line, f, what, text):
    return what.startswith("AxisError, IndexError in NumPy") and (" index out of range" in what or "take from an empty axes" in what or f.startswith("fft."))


@row("Transforms over no axes")
def _(line, f, what, text):
    return f.startswith("fft.") and (what == "sharing" or "not enough values to unpack" in text)


@row("Positions are checked first and all of them")
def _(line, f, what, text):
    return f in ("insert", "unravel_index") and what.startswith(("error text: index # is out of bounds", "IndexError: none in NumPy",
                                                                 "IndexError, ValueError in NumPy: shape mismatch")) or \
        f == "take" and what.startswith("IndexError: none in NumPy") or f == "choose" and "invalid entry in choice array" in text


@row("Iterators are not told about")
def _(line, f, what, text):
    return "remapped shapes" in text and f.split(".")[-1] in ("vecdot", "matmul", "matvec", "vecmat")


@row("Diagonals of an empty axis and another one")
def _(line, f, what, text):
    return f == "einsum" and "for collapsing index" in text and ("(0 != " in text or " != 0)" in text)


@row("Products tell both shapes")
def _(line, f, what, text):
    return f.split(".")[-1] in ("matmul", "imatmul") and "mismatch in its core dimension" in text and "not aligned" in text


@row("Of several mistakes another one is told")
def _(line, f, what, text):
    both = what.startswith("error text") or " in NumPy: " in what and not what.startswith("no error") and ": none in NumPy" not in what
    method = f.split(".")[-1] in ("reduce", "accumulate", "reduceat", "at")
    return both and (method or "not supported for the input types" in text or "duplicate value in 'axis'" in text) or \
        f.endswith(".reduceat") and "object of too small depth" in text or \
        f == "copyto" and ("destination is read-only" in text or "Cannot cast scalar" in text) or \
        f == "linalg.pinv" and "not enough values to unpack" in text or f == "compress" and "out of bounds for axis" in text


@row("NaN that are told apart")
def _(line, f, what, text):
    return f in ("unique_inverse", "unique_all") and what.startswith("value") and "nan" in line + text


IN_C_ORDER = set("""concatenate stack vstack hstack dstack column_stack block pad tile repeat append insert delete resize take
 take_along_axis compress choose select argwhere sort argsort partition lexsort sort_complex unique tril triu diff roll cumsum cumprod
 nancumsum nancumprod cumulative_sum cumulative_prod matmul dot inner outer vdot vecdot tensordot kron einsum cross gradient
 trapezoid interp unwrap quantile percentile nanquantile median nanmedian average packbits unpackbits isin
 sum prod mean var std max min amax amin ptp any all argmax argmin count_nonzero nansum nanprod nanmean nanvar nanstd nanmax
 nanmin nanargmax nanargmin meshgrid broadcast_arrays vander indices nan_to_num round around clip imag isreal iscomplex i0"""
                 .split())

# SPDX-License-Identifier: Apache-2.0
"""Arrays as text, and the options for that."""
import contextlib as _contextlib

from .. import _core

_MODES = ("fixed", "unique", "maxprec", "maxprec_equal")


def _options(formatter=None, **given):
    """A dictionary for the extension, with NumPy's errors."""
    precision, threshold, sign, mode = (given.get(k) for k in ("precision", "threshold", "sign", "floatmode"))
    if mode not in (None, *_MODES):
        raise ValueError("floatmode option must be one of " + ", ".join(f'"{m}"' for m in _MODES))
    if sign not in (None, "-", "+", " "):
        raise ValueError("sign option must be one of ' ', '+', or '-'")
    if threshold is not None:
        if not isinstance(threshold, (int, float)):
            raise TypeError("threshold must be numeric")
        if threshold != threshold:
            raise ValueError("threshold must be non-NAN, try sys.maxsize for untruncated representation")
    if precision is not None and not hasattr(precision, "__index__"):
        raise TypeError("precision must be an integer")
    if formatter is not None:
        formatter = {k: f for k, f in formatter.items() if f is not None}
    return {**given, "formatter": formatter}


def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
     legacy=None):
    """The elements in brackets. (numpy.array2string)

    >>> import kiln.numpy as knp
    >>> knp.array2string(knp.array([1, 2]), separator=", ")
    '[1, 2]'
    """
    return _core.array_text(
    a,
    "elements",
    _options(
        formatter,
        linewidth=max_line_width,
        precision=precision,
        suppress=suppress_small,
        separator=separator,
        prefix=prefix,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
         suffix=suffix))


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The array as repr() has it. (numpy.array_repr)"""
    return _core.array_text(
    arr,
    "repr",
    _options(
        linewidth=max_line_width,
        precision=precision,
         suppress=suppress_small))


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The array as str() has it. (numpy.array_str)"""
    return _core.array_text(a, "str", _options(linewidth=max_line_width, precision=precision, suppress=suppress_small))


def get_printoptions():
    """The options that are set. (numpy.get_printoptions)"""
    return {**_core.get_printoptions(), "legacy": False, "override_repr": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None,
                     infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    """How arrays are shown from now on. (numpy.set_printoptions)"""
    if legacy not in (None, False):
        raise ValueError("legacy printing is not supported")
    if override_repr is not None:
        raise ValueError("override_repr is not supported")
    _core.set_printoptions(_options(formatter, precision=precision, threshold=threshold, edgeitems=edgeitems,
                                    linewidth=linewidth, suppress=suppress, nanstr=nanstr, infstr=infstr, sign=sign,
                                    floatmode=floatmode))


@_contextlib.contextmanager
def printoptions(*args, **kwargs):
    """How arrays are shown in a block. (numpy.printoptions)

    >>> import kiln.numpy as knp
    >>> with knp.printoptions(precision=2):
    ...     print(knp.array([1 / 3]))
    [0.33]
    """
    before = get_printoptions()
    set_printoptions(*args, **kwargs)
    try:
        yield get_printoptions()
    finally:
        set_printoptions(**{k: v for k, v in before.items() if k not in ("legacy", "override_repr")})


__all__ = ["array2string", "array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"]

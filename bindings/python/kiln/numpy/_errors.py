# SPDX-License-Identifier: Apache-2.0
"""What becomes of divisions by zero, overflows, underflows and invalid values. (numpy.errstate)"""
import functools as _functools

from .. import _core

_c = _core.functions("kiln.numpy")
_unset = object()


def geterr():
    """The modes. (numpy.geterr)"""
    r = _c["geterr"]()
    return {"divide": r.divide, "over": r.over, "under": r.under, "invalid": r.invalid}


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """What is done from now on; returns the modes before. (numpy.seterr)"""
    before = geterr()
    _c["seterr"](all=all, divide=divide, over=over, under=under, invalid=invalid)
    return before


def geterrcall():
    """The function or object of seterrcall. (numpy.geterrcall)"""
    return _core.geterrcall()


def seterrcall(func):
    """What "call" calls, func(kind, flags), and "log" writes to, func.write(text); returns the one before.
    (numpy.seterrcall)"""
    if func is not None and not callable(func) and not callable(getattr(func, "write", None)):
        raise ValueError("Only callable can be used as callback")
    return _core.seterrcall(func)


class errstate:
    """seterr and seterrcall for a block, or for calls of a function. (numpy.errstate)

    >>> import kiln.numpy as knp
    >>> with knp.errstate(divide="raise"):
    ...     knp.array([1.0]) / 0
    Traceback (most recent call last):
        ...
    FloatingPointError: divide: divide by zero encountered in divide
    """

    def __init__(self, *, call=_unset, all=None, divide=None, over=None, under=None, invalid=None):
        self._call, self._modes = call, {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        self._before = None

    def __enter__(self):
        if self._before is not None:
            raise TypeError("Cannot enter `np.errstate` twice.")
        self._before = seterr(**self._modes), geterrcall()
        if self._call is not _unset:
            seterrcall(self._call)

    def __exit__(self, *exc):
        modes, call = self._before
        self._before = None
        seterr(**modes)
        if self._call is not _unset:
            seterrcall(call)

    def __call__(self, func):
        @_functools.wraps(func)
        def inner(*args, **kwargs):
            options = {} if self._call is _unset else {"call": self._call}
            with errstate(**self._modes, **options):
                return func(*args, **kwargs)
        return inner


__all__ = ["errstate", "geterr", "geterrcall", "seterr", "seterrcall"]

# SPDX-License-Identifier: Apache-2.0
"""What the distributions share."""
from ... import numpy as np


def floats(*args):
    """The arguments as arrays of one dtype of floating-point numbers."""
    args = [a if hasattr(a, "dtype") or isinstance(a, (int, float)) else np.asarray(a) for a in args]
    dtype = np.result_type(*args)
    dtype = dtype if dtype.kind in "fc" else np.dtype("float64")
    return [np.asarray(a).astype(dtype) for a in args]


def inside(condition, value, other):
    """The value where the condition holds, which need not be sound elsewhere."""
    return np.where(condition, value, other)


class Distribution:
    """A distribution, of whose functions some are told and others follow: pdf from logpdf, logcdf from cdf, sf from
    cdf, logsf from sf, isf from ppf. Functions that nothing is told of are an AttributeError."""

    def __init__(self, name, doc, **told):
        self.__name__, self.__doc__ = name, doc
        follow = {"pdf": ("logpdf", lambda f: lambda x, *a, **k: np.exp(f(x, *a, **k))),
                  "pmf": ("logpmf", lambda f: lambda x, *a, **k: np.exp(f(x, *a, **k))),
                  "cdf": ("logcdf", lambda f: lambda x, *a, **k: np.exp(f(x, *a, **k))),
                  "logcdf": ("cdf", lambda f: lambda x, *a, **k: np.log(f(x, *a, **k))),
                  "sf": ("cdf", lambda f: lambda x, *a, **k: 1 - f(x, *a, **k)),
                  "logsf": ("sf", lambda f: lambda x, *a, **k: np.log(f(x, *a, **k))),
                  "isf": ("ppf", lambda f: lambda q, *a, **k: f(1 - np.asarray(q), *a, **k))}
        for new, (old, make) in follow.items():
            if new not in told and old in told:
                told[new] = make(told[old])
        self.__dict__.update(told)
        for short, f in told.items():
            f.__name__, f.__qualname__ = short, f"{name}.{short}"
            f.__doc__ = f.__doc__ or f"(jax.scipy.stats.{name}.{short})"

    def __repr__(self):
        return f"<distribution {self.__name__}>"

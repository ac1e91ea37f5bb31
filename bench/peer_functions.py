# SPDX-License-Identifier: Apache-2.0
"""The functions of tables (work.h) with NumPy and JAX, by name. A pair: the function, and what is compared of its result and its arguments, as
NumPy's arrays, instead of the result itself. Of several results the last one counts."""
import numpy as np


def moments(y, *x):
    y = np.asarray(y, dtype=np.float64)
    return np.array([y.mean(), (y * y).mean()])


def taken(axis=-1):
    return lambda y, x: np.take_along_axis(x, y, axis)


def middle(y, x):
    return y[x.size // 2 : x.size // 2 + 1]


def middle_taken(y, x):
    return x[middle(y, x)]


def shared(xp):
    """What both have by the same name."""
    return {
        # sorting
        "sort": xp.sort,
        "argsort": (xp.argsort, taken()),
        "sort_axis0": lambda x: xp.sort(x, axis=0),
        "argsort_axis0": (lambda x: xp.argsort(x, axis=0), taken(0)),
        "sort_descending": lambda x: xp.sort(x)[::-1],
        "lexsort": lambda x, y: xp.lexsort((x, y)),
        "partition": (lambda x: xp.partition(x, x.size // 2), middle),
        "argpartition": (lambda x: xp.argpartition(x, x.size // 2), middle_taken),
        "median": xp.median,
        "median_rows": lambda x: xp.median(x, axis=-1),
        "percentiles": lambda x: xp.percentile(x, np.array([5.0, 50.0, 95.0])),
        "searchsorted": xp.searchsorted,
        "isin": xp.isin,
    }


def numpy_functions():
    def top_k(k):
        def f(x):
            at = np.argpartition(x, -k, axis=-1)[..., -k:]
            values = np.take_along_axis(x, at, -1)
            order = np.argsort(-values, axis=-1)
            return np.take_along_axis(at, order, -1), np.take_along_axis(values, order, -1)

        return f

    made = np.random.default_rng(1)
    return {
        **shared(np),
        "top_k": top_k(100),
        "top_k_rows": top_k(10),
        "unique": np.unique,
        "unique_counts": np.unique_counts,
        "unique_inverse": np.unique_inverse,
        "intersect1d": np.intersect1d,
        "union1d": np.union1d,
        "setdiff1d": np.setdiff1d,
        "permutation": (made.permutation, moments),
    }


def jax_functions():
    import jax
    import jax.numpy as jnp

    key = jax.random.key(1)
    return {
        **shared(jnp),
        "top_k": lambda x: jax.lax.top_k(x, 100)[0],
        "top_k_rows": lambda x: jax.lax.top_k(x, 10)[0],
        "permutation": (lambda x: jax.random.permutation(key, x), moments),
    }

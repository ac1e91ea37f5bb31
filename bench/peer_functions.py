# SPDX-License-Identifier: Apache-2.0
"""The functions of tables (work.h) with NumPy and JAX, by name. A pair: the function, and what is compared of its result and its arguments, as
NumPy's arrays, instead of the result itself. Of several results the last one counts."""
import numpy as np

F = np.float32


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
        # searching
        "where_clip": lambda x: xp.where(x > F(0.5), xp.clip(x, F(0.25), F(0.75)), x * x),
        "select3": lambda x: xp.select([x < F(0.25), x < F(0.5)], [x * F(2), -x], F(0)),
        "argmax": xp.argmax,
        "argmin": xp.argmin,
        "argmax_axis0": lambda x: xp.argmax(x, axis=0),
        "argmax_axis1": lambda x: xp.argmax(x, axis=1),
        "any": xp.any,
        "all": xp.all,
        "any_axis1": lambda x: xp.any(x, axis=1),
        "any_above": lambda x: xp.any(x > F(2)),
        "count_nonzero": xp.count_nonzero,
        "count_axis0": lambda x: xp.count_nonzero(x, axis=0),
        "packbits": xp.packbits,
        "unpackbits": xp.unpackbits,
        "histogram": lambda x: xp.histogram(x, 256, (0, 1))[0],
        "histogram_edges": lambda x, edges: xp.histogram(x, edges)[0],
        "interpolate": xp.interp,
        "digitize": xp.digitize,
        # indexing
        "gather": lambda x, at: x[at],
        "gather_rows": lambda x, at: x[at],
        "gather_columns": lambda x, at: x[:, at],
        "gather_pairs": lambda x, i, k: x[i, k],
        "gather_number": lambda x, at: x[at, 1],
        "gather_some_columns": lambda x, at: x[:4, at],
        "gather_strided": lambda x, at: x[::2][at],
        "take_along": lambda x, at: xp.take_along_axis(x, at, axis=-1),
        "take_along_axis0": lambda x, at: xp.take_along_axis(x, at, axis=0),
        # scanning
        "cumsum": xp.cumsum,
        "cumprod": xp.cumprod,
        "cumsum_reverse": lambda x: xp.cumsum(x[::-1])[::-1],
        "cumsum_axis0": lambda x: xp.cumsum(x, axis=0),
        "cumsum_axis1": lambda x: xp.cumsum(x, axis=1),
        "cumprod_axis0": lambda x: xp.cumprod(x, axis=0),
        "cumprod_axis1": lambda x: xp.cumprod(x, axis=1),
        "cumsum_of_product": lambda x: xp.cumsum(x * (x + F(0.5))) * F(2),
        "diff": xp.diff,
        # strides
        "complex_mul": lambda x, y: x * y,
        "complex_magnitude": xp.abs,
        "complex_exp": xp.exp,
        "complex_real": lambda x: x.real + x.imag,
        "gray": gray(lambda x: x.astype(F)),
        "even_times_odd": lambda x: x[::2] * x[1::2],
        "halved": halved,
        "stack_last": lambda *x: xp.stack(x, axis=-1),
        "stack_two": lambda *x: xp.stack(x, axis=-1),
        "add_flipped": lambda x: x + x[::-1],
        "unit_rows": lambda x: x / xp.sqrt((x * x).sum(axis=-1, keepdims=True)),
        "cross": xp.cross,
        "nbody": nbody(xp.sqrt),
        "sum_last": lambda x: x.sum(axis=-1),
        "sum_first": lambda x: x.sum(axis=0),
        "sum_middle": lambda x: x.sum(axis=1),
        "sum_outer": lambda x: x.sum(axis=(0, 2)),
        "sum_leading": lambda x: x.sum(axis=(0, 1)),
        "max_middle": lambda x: x.max(axis=1),
        "mean_first": lambda x: x.mean(axis=0),
        "sum_of_all": xp.sum,
        "max_last": lambda x: x.max(axis=-1),
        "max_first": lambda x: x.max(axis=0),
        "prod_of_all": xp.prod,
        "var_first": lambda x: x.var(axis=0),
        "var_last": lambda x: x.var(axis=1),
        "std_of_all": xp.std,
        "norm": xp.linalg.norm,
        "logsumexp_last": lambda x: xp.log(xp.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1)) + x.max(axis=-1),
        # copies
        "concatenate4": lambda x, y, z: xp.concatenate([x, y, z, x]),
        "concatenate_columns": lambda x, y: xp.concatenate([x, y], axis=1),
        "roll_both": lambda x: xp.roll(x, (100, 100), (0, 1)),
        "roll_flat": lambda x: xp.roll(x, 1000),
        "pad_zeros": lambda x: xp.pad(x, 16),
        "pad_reflect": lambda x: xp.pad(x, 16, mode="reflect"),
        "pad_edge": lambda x: xp.pad(x, 16, mode="edge"),
        "repeat3": lambda x: xp.repeat(x, 3),
        "tile1000": lambda x: xp.tile(x, (1000, 1)),
        "outer": xp.outer,
        "tril": xp.tril,
        "gradient0": lambda x: xp.gradient(x, axis=0),
        "stencil_rolled": stencil_rolled(xp.roll),
        "stencil_inside": stencil_inside,
        "range": lambda x: xp.arange(x.size),
        "zeros": xp.zeros_like,
    }


def gray(to_float):
    def f(x):
        x = to_float(x)
        return x[..., 0] * F(0.299) + x[..., 1] * F(0.587) + x[..., 2] * F(0.114)

    return f


def halved(x):
    rows = x[::2] + x[1::2]
    return (rows[:, ::2] + rows[:, 1::2]) * F(0.25)


def nbody(sqrt):
    def f(x):
        d = x[None] - x[:, None]
        r2 = (d * d).sum(-1)[..., None] + F(0.01)
        return (d / (r2 * sqrt(r2))).sum(1)

    return f


def stencil_rolled(roll):
    return lambda x: roll(x, 1, 0) + roll(x, -1, 0) + (roll(x, 1, 1) + roll(x, -1, 1)) - x * F(4)


def stencil_inside(x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + (x[1:-1, :-2] + x[1:-1, 2:]) - x[1:-1, 1:-1] * F(4)


# Copies with other strides: the functions that give a view of them with NumPy and PyTorch; JAX copies.
VIEWS = {
    "flip_rows": lambda x: x[:, ::-1],
    "flip_all": lambda x: x[::-1],
    "every_second": lambda x: x[::2, ::2],
    "every_third": lambda x: x[:, ::3],
}
ORDERS = {
    "channels_first": (2, 0, 1),
    "channels_last3": (1, 2, 0),
    "nhwc_to_nchw": (0, 3, 1, 2),
    "transposed": (1, 0),
    "transposed_021": (0, 2, 1),
    "transposed_102": (1, 0, 2),
    "transposed_201": (2, 0, 1),
    "transposed_0213": (0, 2, 1, 3),
}


def copies(transpose, copy):
    views = {**VIEWS, **{name: lambda x, order=order: transpose(x, order) for name, order in ORDERS.items()}}
    return {name: lambda x, f=f: copy(f(x)) for name, f in views.items()}


def written(f):
    """f, which writes into its first argument, as a function that returns it."""

    def g(x, *more):
        f(x, *more)
        return x

    return g


def assign(x, at, v=1.0):
    x[at] = v


def assign_pairs(x, i, k):
    x[i, k] = 1.0


def numpy_functions():
    def scattered(ufunc, product=lambda x: x):
        def f(x, at, like):
            y = np.zeros_like(like)
            ufunc.at(y, at, product(x))
            return y

        return f

    def top_k(k):
        def f(x):
            at = np.argpartition(x, -k, axis=-1)[..., -k:]
            values = np.take_along_axis(x, at, -1)
            order = np.argsort(-values, axis=-1)
            return np.take_along_axis(at, order, -1), np.take_along_axis(values, order, -1)

        return f

    def segments(f, n):
        return lambda x, at: f(x, at, np.empty((n, *x.shape[1:]), x.dtype))

    made = np.random.default_rng(1)
    return {
        **shared(np),
        **copies(np.transpose, np.ascontiguousarray),
        "nonzero": np.nonzero,
        "nonzero_2d": np.nonzero,
        "flatnonzero": np.flatnonzero,
        "mask_select": lambda x, mask: x[mask],
        "mask_assign": written(lambda x, mask: assign(x, mask, 0)),
        "putmask": written(np.putmask),
        "bincount": np.bincount,
        "bincount_weights": np.bincount,
        "scatter_add": scattered(np.add),
        "scatter_max": scattered(np.maximum),
        "scatter_product": scattered(np.add, lambda x: (x - F(0.5)) * x),
        "add_at": written(np.add.at),
        "write_at": written(assign),
        "write_number_at": written(assign),
        "write_rows": written(assign),
        "write_pairs": written(assign_pairs),
        "gather_mask": lambda x, mask: x[mask],
        "segment_sum_1e3": segments(scattered(np.add), 1000),
        "segment_sum_1e6": segments(scattered(np.add), 1000000),
        "segment_max_1e3": segments(scattered(np.maximum), 1000),
        "cummax": np.maximum.accumulate,
        "cummin": np.minimum.accumulate,
        "cumlogsumexp": np.logaddexp.accumulate,
        "cummax_axis0": lambda x: np.maximum.accumulate(x, axis=0),
        "cummax_axis1": lambda x: np.maximum.accumulate(x, axis=1),
        "cumlogsumexp_axis0": lambda x: np.logaddexp.accumulate(x, axis=0),
        "cumlogsumexp_axis1": lambda x: np.logaddexp.accumulate(x, axis=1),
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

    def affine(f, g):
        return f[0] * g[0], g[0] * f[1] + g[1]

    def fading(f, g):
        return jnp.maximum(f[0] - F(0.001) * g[1], g[0]), f[1] + g[1]

    def scattered(at, add):
        return lambda x, i, like: getattr(jnp.zeros_like(like).at[i], at)(add(x))

    def running(f, **more):
        return lambda x: f(x, **more)

    lax, same, key = jax.lax, lambda x: x, jax.random.key(1)
    return {
        **shared(jnp),
        **copies(jnp.transpose, jnp.copy),
        "mask_assign": lambda x, mask: jnp.where(mask, F(0), x),
        "putmask": lambda x, mask, y: jnp.where(mask, y, x),
        "scatter_add": scattered("add", same),
        "scatter_max": scattered("max", same),
        "scatter_product": scattered("add", lambda x: (x - F(0.5)) * x),
        "add_at": lambda x, at, v: x.at[at].add(v),
        "write_at": lambda x, at, v: x.at[at].set(v),
        "write_number_at": lambda x, at: x.at[at].set(1.0),
        "write_rows": lambda x, at, v: x.at[at].set(v),
        "write_pairs": lambda x, i, k: x.at[i, k].set(1.0),
        "segment_sum_1e3": lambda x, at: jax.ops.segment_sum(x, at, 1000),
        "segment_sum_1e6": lambda x, at: jax.ops.segment_sum(x, at, 1000000),
        "segment_max_1e3": lambda x, at: jax.ops.segment_max(x, at, 1000),
        "cummax": lax.cummax,
        "cummin": lax.cummin,
        "cumlogsumexp": lax.cumlogsumexp,
        "cummax_axis0": running(lax.cummax, axis=0),
        "cummax_axis1": running(lax.cummax, axis=1),
        "cumlogsumexp_axis0": running(lax.cumlogsumexp, axis=0),
        "cumlogsumexp_axis1": running(lax.cumlogsumexp, axis=1),
        "recurrence": lambda a, b: lax.associative_scan(affine, (a, b))[1],
        "matrix_scan": lambda x: lax.associative_scan(lambda x, y: y @ x, x),
        "fading_scan": lambda x: lax.associative_scan(fading, (x, jnp.ones_like(x)))[0],
        "top_k": lambda x: jax.lax.top_k(x, 100)[0],
        "top_k_rows": lambda x: jax.lax.top_k(x, 10)[0],
        "permutation": (lambda x: jax.random.permutation(key, x), moments),
    }

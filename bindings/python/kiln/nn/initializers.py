# SPDX-License-Identifier: Apache-2.0
"""Functions of (key, shape, dtype) that make parameters, and functions that make those (jax.nn.initializers)."""
from .. import _core

_c = _core.functions("kiln.nn.initializers")
zeros, ones = _c["zeros"], _c["ones"]


def _made(name, default_dtype, **options):
    row = _c[name]

    def init(key, shape, dtype=default_dtype, out_sharding=None):
        return row(key, shape, dtype=dtype, **options)

    init.__name__ = init.__qualname__ = name
    init.__doc__ = row.__doc__
    return init


def constant(value, dtype=None):
    """One value everywhere. (jax.nn.initializers.constant)"""
    return _made("constant", dtype, value=value)


def uniform(scale=0.01, dtype=None):
    """Uniform from 0 to below scale. (jax.nn.initializers.uniform)"""
    return _made("uniform", dtype, scale=scale)


def normal(stddev=0.01, dtype=None):
    """Normal around 0. (jax.nn.initializers.normal)"""
    return _made("normal", dtype, stddev=stddev)


def truncated_normal(stddev=0.01, dtype=None, lower=-2.0, upper=2.0):
    """Normal between bounds. (jax.nn.initializers.truncated_normal)"""
    return _made("truncated_normal", dtype, stddev=stddev, lower=lower, upper=upper)


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Of a variance that the numbers of inputs and outputs say. (jax.nn.initializers.variance_scaling)"""
    return _made("variance_scaling", dtype, scale=scale, mode=mode, distribution=distribution, in_axis=in_axis,
                 out_axis=out_axis, batch_axis=batch_axis)


def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Orthonormal columns. (jax.nn.initializers.orthogonal)"""
    return _made("orthogonal", dtype, scale=scale, column_axis=column_axis)


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Orthonormal columns in the middle of a kernel. (jax.nn.initializers.delta_orthogonal)"""
    return _made("delta_orthogonal", dtype, scale=scale, column_axis=column_axis)


def _of_fans(name):
    def make(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
        return _made(name, dtype, in_axis=in_axis, out_axis=out_axis, batch_axis=batch_axis)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"jax.nn.initializers.{name}"
    return make


glorot_uniform, glorot_normal = _of_fans("glorot_uniform"), _of_fans("glorot_normal")
xavier_uniform, xavier_normal = _of_fans("xavier_uniform"), _of_fans("xavier_normal")
lecun_uniform, lecun_normal = _of_fans("lecun_uniform"), _of_fans("lecun_normal")
he_uniform, he_normal = _of_fans("he_uniform"), _of_fans("he_normal")
kaiming_uniform, kaiming_normal = _of_fans("kaiming_uniform"), _of_fans("kaiming_normal")

__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))

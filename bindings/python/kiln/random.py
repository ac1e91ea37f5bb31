# SPDX-License-Identifier: Apache-2.0
"""Random numbers from keys (jax.random).

>>> import kiln
>>> key = kiln.random.key(0)
>>> kiln.random.uniform(key, (2,)).shape
(2,)
"""
from . import _core

_c = _core.functions("kiln.random")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def split(key, num=2):
    """New keys from a key, as many or an array of a shape. (jax.random.split)"""
    if isinstance(num, (tuple, list)):
        return _c["_split_shape"](key, tuple(num))
    return _c["_split"](key, num)


def bits(key, shape=(), dtype=None, *, out_sharding=None):
    """Random bits, as uint64 if nothing else is said. (jax.random.bits)"""
    return _c["_bits"](key, shape, "uint64" if dtype is None else dtype)


def bernoulli(key, p=0.5, shape=None, mode="low", *, out_sharding=None):
    """Truth values that are true with probability p. (jax.random.bernoulli)"""
    return _c["bernoulli"](key, p, shape, mode)


def lognormal(key, sigma=1.0, shape=None, dtype=None, *, out_sharding=None):
    """e to the power of normal numbers with deviation sigma. (jax.random.lognormal)"""
    return _c["lognormal"](key, sigma, shape, dtype)


def orthogonal(key, n, shape=(), dtype=None, m=None, *, out_sharding=None):
    """Matrices whose rows or columns are orthonormal. (jax.random.orthogonal)"""
    return _c["_orthogonal"](key, n, shape, dtype, -1 if m is None else m)


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))

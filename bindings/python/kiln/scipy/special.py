# SPDX-License-Identifier: Apache-2.0
"""Special functions (jax.scipy.special)."""
from .. import _core

_c = _core.functions("kiln.scipy.special")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """log(sum(b exp(a))), and with return_sign the sign of the sum. (jax.scipy.special.logsumexp)"""
    from ..nn import logsumexp as of_nn
    return of_nn(a, axis, b, keepdims, return_sign, where)


def sici(x):
    """(Si(x), Ci(x)) (jax.scipy.special.sici)"""
    return tuple(_c["sici"](x))


def fresnel(x):
    """(S(x), C(x)) (jax.scipy.special.fresnel)"""
    return tuple(_c["fresnel"](x))


def lpmn(m, n, z):
    """(associated Legendre functions, their derivatives) (jax.scipy.special.lpmn)"""
    return tuple(_c["lpmn"](m, n, z))


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))

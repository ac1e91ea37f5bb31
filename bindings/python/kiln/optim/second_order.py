# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of losses: loss(params, inputs, targets) (optax.second_order)."""
from .. import _core
from .._transforms import _function
from ..tree_util import tree_structure as _structure

_c = _core.functions("kiln.optim")


def hvp(loss, v, params, inputs, targets):
    """The Hessian by the parameters, times v, a vector as long as all of them: a tree like them.
    (optax.second_order.hvp)"""
    function, _, (leaves, *_) = _function(loss, (params, inputs, targets))
    return _structure(params).unflatten(_c["_hvp"](function, v, leaves, inputs, targets))


def hessian_diag(loss, params, inputs, targets):
    """The diagonal of the Hessian, a vector. (optax.second_order.hessian_diag)"""
    function, _, (leaves, *_) = _function(loss, (params, inputs, targets))
    return _c["_hessian_diag"](function, leaves, inputs, targets)


def fisher_diag(negative_log_likelihood, params, inputs, targets):
    """The squares of the gradient, a vector. (optax.second_order.fisher_diag)"""
    function, _, (leaves, *_) = _function(negative_log_likelihood, (params, inputs, targets))
    return _c["_fisher_diag"](function, leaves, inputs, targets)


__all__ = ["hvp", "hessian_diag", "fisher_diag"]

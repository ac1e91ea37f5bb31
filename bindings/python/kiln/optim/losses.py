# SPDX-License-Identifier: Apache-2.0
"""Losses (optax.losses)."""
from .. import _core, numpy as _numpy
from . import (cosine_distance, cosine_similarity, ctc_loss, ctc_loss_with_forward_probs, generalized_kl_divergence,
               hinge_loss, huber_loss, kl_divergence, kl_divergence_with_log_targets, l2_loss, log_cosh, ntxent,
               perceptron_loss, poly_loss_cross_entropy, safe_softmax_cross_entropy, sigmoid_binary_cross_entropy,
               sigmoid_focal_loss, smooth_labels, softmax_cross_entropy, softmax_cross_entropy_with_integer_labels,
               squared_error)
from ._base import only as _only

_c = _core.functions("kiln.optim")
globals().update(_core.functions("kiln.optim.losses"))


def ranking_softmax_loss(logits, labels, *, where=None, weights=None, reduce_fn=_numpy.mean):
    """The mean over lists, or with None the loss of each. (optax.losses.ranking_softmax_loss)"""
    if reduce_fn is not None:
        _only("ranking_softmax_loss", "reduce_fn", reduce_fn, _numpy.mean)
    return _c["_ranking_softmax_loss"](logits, labels, where=where, weights=weights, no_mean=reduce_fn is None)


def make_fenchel_young_loss(max_fun):
    """The loss that a maximum of one vector makes: loss(scores, targets). (optax.losses.make_fenchel_young_loss)"""
    function = _core.Function(lambda x: [max_fun(x[0])], (1,), max_fun, n_out=1)
    return lambda scores, targets: _c["_fenchel_young_loss"](function, scores, targets)


__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))

# SPDX-License-Identifier: Apache-2.0
"""Functions of neural networks (jax.nn), and pooling as flax.linen has it."""
from .. import _core

_c = _core.functions("kiln.nn")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """log(sum(b exp(a))), and with return_sign the sign of the sum. (jax.nn.logsumexp)"""
    if return_sign:
        return tuple(_c["_logsumexp_sign"](a, axis, b, keepdims, where))
    return _c["_logsumexp"](a, axis, b, keepdims, where)


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False,
                          query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None,
                          implementation=None, return_residual=False):
    """Attention: softmax(query key^T scale + bias) value. (jax.nn.dot_product_attention)"""
    if isinstance(local_window_size, int):
        local_window_size = (local_window_size, local_window_size)
    row = _c["_dot_product_attention_residual" if return_residual else "_dot_product_attention"]
    out = row(query, key, value, bias, mask, scale=scale, is_causal=is_causal, query_seq_lengths=query_seq_lengths,
              key_value_seq_lengths=key_value_seq_lengths, local_window_size=local_window_size)
    return tuple(out) if return_residual else out


from . import initializers

__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v)) + ["initializers"]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/layers.npz: layers as PyTorch computes them in float64, and their gradients.

usage: make_layers.py DIRECTORY    (PyTorch on the CPU: pip install torch numpy)

"CASE in NAME" are the operands, "CASE out 0" ... the results, "CASE grad NAME" the gradients of sum(cos(first result)) by the operands that are
listed. Rotations, waves, slopes and what is left out of logits are written here after the papers and the usual programs (Llama and GPT-J for the two
kinds of pairs, the paper of ALiBi for its slopes), in PyTorch and NumPy."""
import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
out = {}


def case(name, f, operands, by=()):
    """f of tensors; those named in `by` get gradients."""
    t = {}
    for key, value in operands.items():
        out[f"{name} in {key}"] = np.asarray(value.detach() if torch.is_tensor(value) else value)
        t[key] = torch.as_tensor(out[f"{name} in {key}"]).clone().requires_grad_(key in by)
    y = f(**t)
    y = y if isinstance(y, tuple) else (y,)
    for i, part in enumerate(y):
        out[f"{name} out {i}"] = part.detach().numpy()
    if by:
        for key, grad in zip(by, torch.autograd.grad(y[0].cos().sum(), [t[k] for k in by])):
            out[f"{name} grad {key}"] = grad.numpy()


def r(*shape):
    return torch.randn(*shape)


# ---- Normalization. PyTorch's channels are axis 1.
x = r(3, 4, 6) * 2 + 1
case("layer_norm", lambda x, s, b: F.layer_norm(x, (6,), s, b), {"x": x, "s": r(6), "b": r(6)}, "xsb")
case("layer_norm_2", lambda x, s, b: F.layer_norm(x, (4, 6), s, b, 1e-3), {"x": x, "s": r(4, 6), "b": r(4, 6)}, "xsb")
case("rms_norm", lambda x, s: F.rms_norm(x, (6,), s, 1e-6), {"x": x, "s": r(6)}, "xs")
case("group_norm", lambda x, s, b: F.group_norm(x, 2, s, b), {"x": x, "s": r(4), "b": r(4)}, "xsb")
case("instance_norm", lambda x, s, b: F.instance_norm(x, weight=s, bias=b), {"x": x, "s": r(4), "b": r(4)}, "xsb")
stats = {"m": r(4), "v": r(4) ** 2 + 0.5}
case("batch_norm", lambda x, m, v, s, b: F.batch_norm(x, m, v, s, b), {"x": x, **stats, "s": r(4), "b": r(4)}, "xsb")


def batch_norm_train(x, m, v, s, b):
    m, v = m.clone(), v.clone()
    return F.batch_norm(x, m, v, s, b, training=True, momentum=0.1), m, v


case("batch_norm_train", batch_norm_train, {"x": x, **stats, "s": r(4), "b": r(4)}, "xsb")
case("weight_norm", lambda w, g: torch._weight_norm(w, g[:, None, None], 0), {"w": r(3, 4, 2), "g": r(3)}, "wg")


def spectral_norm(w, u):
    layer = torch.nn.Linear(1, 1, bias=False)
    layer.weight = torch.nn.Parameter(w.detach().clone())
    torch.nn.utils.spectral_norm(layer, n_power_iterations=3)
    layer.weight_u.copy_(F.normalize(u.detach(), dim=0))
    layer(torch.zeros(1, w.shape[1]))
    v = layer.weight_v.clone()
    sigma = torch.dot(layer.weight_u.clone(), w @ v)
    return w / sigma, layer.weight_u.clone(), sigma


case("spectral_norm", spectral_norm, {"w": r(5, 4), "u": r(5)}, "w")

# ---- Embeddings and positions.
ids = torch.tensor([[1, 0, 3], [3, 3, 2]])
case("embed", lambda t, ids: F.embedding(ids, t, padding_idx=3), {"t": r(4, 5), "ids": ids}, "t")
out["embed_plain grad t"] = torch.autograd.grad(
    F.embedding(ids, (t := torch.as_tensor(out["embed in t"]).clone().requires_grad_())).cos().sum(), t)[0].numpy()


def angles(positions, features, base=10000.0):
    return positions[..., None] * (1.0 / base ** (torch.arange(0, features, 2, dtype=torch.float64) / features))


def rope_halves(x, p):
    angle = angles(p, x.shape[-1]).repeat_interleave(1, -1)
    angle = torch.cat([angle, angle], -1)[..., None, :]
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * angle.cos() + turned * angle.sin()


def rope_pairs(x, p):
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    angle = angles(p, x.shape[-1])[..., None, :]
    return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


x = r(2, 5, 3, 8)
case("rope", rope_halves, {"x": x, "p": torch.arange(5.0)}, "x")
case("rope_at", rope_halves, {"x": x, "p": torch.tensor([[3.0, 0, 7, 100, 1], [0, 1, 2, 1000, 4]])}, "x")
case("rope_pairs", rope_pairs, {"x": x, "p": torch.arange(5.0)}, "x")
case("rope_part", lambda x, p: torch.cat([rope_pairs(x[..., :4], p), x[..., 4:]], -1), {"x": x, "p": torch.arange(5.0)}, "x")
p = torch.tensor([[0.0, 1, 5], [2, 100, 1000]])
angle = angles(p, 6)
case("sinusoidal", lambda p: torch.stack([angle.sin(), angle.cos()], -1).flatten(-2), {"p": p})
case("sinusoidal_halves", lambda p: torch.cat([angle.sin(), angle.cos()], -1), {"p": p})


def slopes(n):
    def power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return power(n)
    below = 2 ** math.floor(math.log2(n))
    return power(below) + slopes(2 * below)[0::2][: n - below]


for n in 1, 8, 12, 20:
    out[f"alibi {n}"] = np.array(slopes(n), np.float32)

# ---- Recurrent networks.
I, H, B, T = 3, 4, 2, 5


def weights(gates, layers=1, directions=1, bias=True):
    w = {}
    for layer in range(layers):
        for d in range(directions):
            k = f"{layer}{d}"
            inputs = I if layer == 0 else H * directions
            w["a" + k], w["b" + k] = r(gates * H, inputs) * 0.5, r(gates * H, H) * 0.5
            if bias:
                w["c" + k], w["d" + k] = r(gates * H) * 0.5, r(gates * H) * 0.5
    return w


def cell(f):
    return lambda x, h, a00, b00, c00, d00, c=None: f(x, h if c is None else (h, c), a00, b00, c00, d00)


one = {"x": r(B, I), "h": r(B, H)}
case("lstm_cell", cell(torch.lstm_cell), {**one, "c": r(B, H), **(w := weights(4))}, ["x", "h", "c", *w])
case("gru_cell", cell(torch.gru_cell), {**one, **(w := weights(3))}, ["x", "h", *w])
case("rnn_cell", cell(torch.rnn_tanh_cell), {**one, **(w := weights(1))}, ["x", "h", *w])
case("rnn_cell_relu", cell(torch.rnn_relu_cell), {**one, **w}, ["x", "h", *w])


def gru_before(x, h, a00, b00, c00, d00):
    """The reset gate in front of the product, as ONNX's GRU with linear_before_reset = 0."""
    xr, xz, xn = (x @ a00.T + c00).chunk(3, -1)
    br, bz, bn = b00.chunk(3, 0)
    dr, dz, dn = d00.chunk(3, 0)
    reset, update = torch.sigmoid(xr + h @ br.T + dr), torch.sigmoid(xz + h @ bz.T + dz)
    new = torch.tanh(xn + (reset * h) @ bn.T + dn)
    return (1 - update) * new + update * h


case("gru_cell_before", gru_before, {**one, **(w := weights(3))}, ["x", "h", *w])


def network(kind, layers, directions, bias, time_major=False, lengths=None):
    def run(x, h, c=None, **w):
        net = getattr(torch.nn, kind)(I, H, layers, bias=bias, batch_first=not time_major, bidirectional=directions == 2)
        names = [n for n, _ in net.named_parameters()]
        assert len(names) == len(w)
        if lengths is not None:
            x = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), batch_first=True, enforce_sorted=False)
        y, s = torch.func.functional_call(net, dict(zip(names, w.values())), (x, h if c is None else (h, c)))
        if lengths is not None:
            y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=T)
        return (y, s) if c is None else (y, *s)

    return run


for name, kind, gates, layers, directions, bias, more in (
    ("lstm", "LSTM", 4, 1, 1, True, {}),
    ("lstm_deep", "LSTM", 4, 2, 2, True, {}),
    ("lstm_lengths", "LSTM", 4, 2, 2, True, {"lengths": [3, 5]}),
    ("lstm_bare", "LSTM", 4, 2, 1, False, {"time_major": True}),
    ("gru_deep", "GRU", 3, 2, 2, True, {}),
    ("gru_lengths", "GRU", 3, 1, 2, True, {"lengths": [1, 4]}),
    ("gru_bare", "GRU", 3, 1, 1, False, {}),
    ("rnn_deep", "RNN", 1, 2, 2, True, {}),
):
    x, h = r(*((T, B) if more.get("time_major") else (B, T)), I), r(layers * directions, B, H)
    w = weights(gates, layers, directions, bias)
    c = {"c": r(layers * directions, B, H)} if kind == "LSTM" else {}
    case(name, network(kind, layers, directions, bias, **more), {"x": x, "h": h, **c, **w}, ["x", "h", *c, *w])

# ---- Attention of several heads. The weights have the shapes (D, N, H) and (N, H, O).
D, N, HD = 6, 3, 2


def heads(x, y, q, k, v, o, bq, bk, bv, bo, mask=None, causal=False):
    T, S = x.shape[1], y.shape[1]
    flat = lambda w: w.reshape(w.shape[0], -1).T
    if causal:
        mask = torch.ones(T, S, dtype=torch.bool).triu(1)
    z, _ = F.multi_head_attention_forward(
        x.transpose(0, 1), y.transpose(0, 1), y.transpose(0, 1), D, N, None, torch.cat([bq.flatten(), bk.flatten(), bv.flatten()]), None, None,
        False, 0.0, o.reshape(N * HD, -1).T, bo, need_weights=False, attn_mask=mask, use_separate_proj_weight=True, q_proj_weight=flat(q),
        k_proj_weight=flat(k), v_proj_weight=flat(v))
    return z.transpose(0, 1)


w = {"q": r(D, N, HD), "k": r(D, N, HD), "v": r(D, N, HD), "o": r(N, HD, D), "bq": r(N, HD), "bk": r(N, HD), "bv": r(N, HD), "bo": r(D)}
case("heads", lambda x, **w: heads(x, x, **w), {"x": r(2, 4, D), **w}, ["x", *w])
case("heads_causal", lambda x, **w: heads(x, x, causal=True, **w), {"x": r(2, 4, D), **w}, ["x", *w])
w = {**w, "k": r(5, N, HD), "v": r(5, N, HD)}
case("heads_context", lambda x, y, **w: heads(x, y, **w), {"x": r(2, 4, D), "y": r(2, 3, 5), **w}, ["x", "y", *w])


def grouped(x, q, k, v, o):
    p = torch.arange(float(x.shape[1]))
    q, k, v = (torch.einsum("btd,dnh->btnh", x, w) for w in (q, k, v))
    q, k, v = (y.transpose(1, 2) for y in (rope_halves(q, p), rope_halves(k, p), v))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return torch.einsum("bnth,nho->bto", y, o)


case("heads_grouped", grouped, {"x": r(2, 7, D), "q": r(D, 4, 4), "k": r(D, 2, 4), "v": r(D, 2, 4), "o": r(4, 4, D)}, "xqkvo")

# ---- Logits: what is left out, after the usual programs, which sort the other way round.
logits = (r(3, 40) * 3).numpy()
out["logits"] = logits


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def top_k(x, k):
    return np.where(x < np.sort(x, -1)[..., -k, None], -np.inf, x)


def top_p(x, p):
    order = np.argsort(x, -1, kind="stable")
    total = np.cumsum(softmax(np.take_along_axis(x, order, -1)), -1)
    drop = total <= 1 - p
    drop[..., -1] = False
    remove = np.zeros_like(drop)
    np.put_along_axis(remove, order, drop, -1)
    return np.where(remove, -np.inf, x)


def min_p(x, p):
    q = softmax(x)
    return np.where(q < p * q.max(-1, keepdims=True), -np.inf, x)


out["filter top_k"] = top_k(logits, 5)
out["filter top_p"] = top_p(logits, 0.9)
out["filter min_p"] = min_p(logits, 0.05)
out["filter warm"] = top_p(top_k(logits / 0.7, 12), 0.8)
out["filter all"] = min_p(top_p(top_k(logits / 1.5, 20), 0.95), 0.02)
seen = np.array([[0, 3, 3, -1], [5, 6, 7, 7], [39, -1, -1, -1]])
out["seen"] = seen
penalized, counted = logits.copy(), logits.copy()
for row, ids in enumerate(seen):
    for i in set(ids[ids >= 0]):
        penalized[row, i] = penalized[row, i] * 1.3 if penalized[row, i] < 0 else penalized[row, i] / 1.3
        counted[row, i] -= 0.2 * (ids == i).sum() + 0.7
out["penalized"], out["counted"] = penalized, counted

pathlib.Path(sys.argv[1]).mkdir(exist_ok=True)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "layers.npz", **out)

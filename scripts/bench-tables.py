#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md and the short one of README.md from what `make bench` measured (build/bench.json).

usage: bench-tables.py [BENCH.json [PAGE...]]    tables of which rows are missing in the file, or in the page, stay as they are

A table lies between <!-- bench NAME --> and <!-- end -->. All numbers are the least of all turns (the most, for rates):
on a machine that others use, too, these are what the programs need, and the medians are what the neighbours left.
"""
import json
import re
import sys

ARRAYS = [
    ("jit_call_10", "a jitted function on 10 elements"),
    ("eager_add_10", "an eager addition of 10 elements, looked at"),
    ("chain_1e3", "mean(tanh(y) + 0.1 y), y = sin(x) exp(-x/10), jitted, 1,000"),
    ("chain_1e5", "the same, 100,000"),
    ("chain_1e7", "the same, 10,000,000"),
    ("eager_chain_1e5", "the same, eager, 100,000"),
    ("softmax", "softmax of the rows of 4096x1024"),
    ("softmax_grad", "its gradient"),
    ("layer_norm", "layer norm of them"),
    ("layer_norm_grad", "its gradients"),
    ("sum_axis_0", "sum of 4096x4096 over axis 0"),
    ("sum_axis_1", "over axis 1"),
    ("max_axis_1", "maximum over axis 1"),
    ("transpose_copy", "a transposed copy of it"),
    ("where_mask", "where(mask, x, 0)"),
    ("rows_by_index", "its rows by index"),
    ("transpose_4_axes", "64x64x64x64 with its axes turned around"),
    ("stencil", "a stencil of three points, by roll"),
    ("short_axis_sum", "sums of 1,000,000 rows of 3"),
    ("complex_product", "complex64 product of 512x512"),
    ("complex_abs", "magnitudes of 2,000,000 complex64"),
    ("write_channel", "one channel of an image plus 1, in place"),
    ("interp", "interp of 100,000 points"),
    ("image_pipeline", "four 4k images: normalise, gain, clamp, gamma, error"),
    ("compile_chain", "record and compile the chain above"),
    ("digits_step_first_call", "first call of the digits step, from recording to result"),
    ("digits_epoch", "an epoch of the digits network with Adam"),
]
PRODUCTS = [
    ("product_f32_16", "1,000 products of 16x16"),
    ("product_f32_64", "1,000 products of 64x64"),
    ("product_f32_256", "product of 256x256"),
    ("product_f32_1024", "1024x1024"),
    ("product_f32_2048", "2048x2048"),
    ("product_f64_1024", "1024x1024, float64"),
    ("product_i8_1024", "1024x1024, int8 to int32"),
    ("product_bias_relu", "relu(x w + b), 64x784 by 784x512"),
    ("product_row_4096", "1x4096 by 4096x4096"),
    ("product_column_4096", "4096x4096 by 4096x1"),
    ("mlp_step", "network 784-512-512-10, batch 128, one step with SGD"),
    ("conv_3x3", "convolution 3x3, 64 to 64 channels, 8x56x56"),
    ("conv_3x3_grad", "its gradients"),
    ("attention", "attention, 8 heads, 1024x64"),
    ("attention_grad", "attention with its gradient"),
    ("max_pool_2x2", "max pool 2x2"),
    ("max_pool_2x2_grad", "its gradient"),
]
LOOPS = [
    ("control_kalman", "Kalman filter, 4x4, float64, 10,000 steps"),
    ("control_lorenz", "Lorenz, Runge-Kutta 4, 100,000 steps"),
    ("control_lorenz_grad", "its gradient by the parameters"),
    ("control_carries12", "scan with 12 scalar carries, 100,000 steps"),
    ("control_newton", "Newton's iteration by `while`, 1,000 lanes"),
    ("control_lstm", "LSTM of 64 units, 256 steps"),
    ("control_lstm_grad", "its gradient"),
    ("control_neurons", "neurons: 1,000, 50 events a step, 1,000 steps"),
    ("control_argmax_clip", "largest of 1,000,000 by `while`, index clipped"),
    ("control_argmax", "the same, each index checked"),
]
LINALG = [
    ("cholesky_f64_1024", "Cholesky factor of 1024x1024, float64"),
    ("lu_f64_1024", "LU"),
    ("solve_f64_1024", "system with 8 right-hand sides"),
    ("qr_f64_1024", "QR"),
    ("lstsq_f64_1024", "least squares, 1024x512"),
    ("eigh_f64_1024", "eigenvalues and vectors, symmetric"),
    ("svd_f64_1024", "singular values and vectors"),
    ("eig_f64_256", "eigenvalues and vectors of 256x256, general"),
    ("svd_f32_256", "singular values and vectors, float32"),
    ("svd_gradient_f32_256", "gradient through them"),
    ("cholesky_f32_64", "Cholesky factor of 64x64, float32"),
    ("fft_c64_1024", "transform of 1,024 complex64"),
    ("fft_c64_65536", "65,536"),
    ("fft_c128_1048576", "1,048,576 complex128"),
    ("fft_f32_65536", "65,536 float32"),
    ("fft_c64_997", "997 complex64 (a prime)"),
    ("fft_c64_rows", "1,024 rows of 1,024"),
    ("fft_c64_matrix", "1024x1024, both axes"),
]
SHORT = [
    ("jit_call_10", "a jitted function on 10 elements"),
    ("chain_1e5", "mean(tanh(y) + 0.1 y), y = sin(x) exp(-x/10), 100,000 elements"),
    ("compile_chain", "recording and compiling that"),
    ("softmax_grad", "gradient of the softmax of the rows of 4096x1024"),
    ("attention_grad", "attention with its gradient, 8 heads, 1024x64"),
    ("product_f32_1024", "product of 1024x1024"),
    ("control_lorenz_grad", "gradient through 100,000 steps of Runge-Kutta, float64"),
    ("cholesky_f64_1024", "Cholesky factor of 1024x1024, float64"),
    ("fft_c64_1024", "Fourier transform of 1,024 complex numbers"),
]
PEERS = {"C": "plain C", "fftw": "FFTW", "scipy": "SciPy", "openblas": "OpenBLAS", "blis": "BLIS", "mkl": "MKL", "jax": "JAX", "numpy": "NumPy", "onednn": "oneDNN", "torch": "PyTorch"}


def digits(x):
    """Three significant ones, never as a power of ten."""
    if x >= 1000:
        return f"{x:,.0f}"
    text = f"{x:.3g}"
    return text if "." in text or x >= 100 else f"{x:.1f}"


def with_unit(x, unit):
    return f"{digits(x / 1000)} ms" if unit == "us" and x >= 1000 else f"{digits(x)} {unit}"


def show(row, column):
    best = row.get(column, {}).get("least")
    return "" if best is None else with_unit(best, row["unit"])


def best_peer(row, threads, also=()):
    """The fastest of the others on so many cores, and who that was; also: columns without a number of cores."""
    end = f" {threads}T"
    found = [(v["least"], k) for k, v in row.items()
             if isinstance(v, dict) and v["least"] is not None and (k.endswith(end) and not k.startswith("kiln") or k in also)]
    if not found:
        return ""
    value, name = (max if row["better"] == "higher" else min)(found)
    return f"{with_unit(value, row['unit'])}, {PEERS[name.split()[0]]}"


def table(heads, rows, columns, measured):
    """None if a row was not measured: the table in the page stays."""
    if any(name not in measured for name, _ in rows):
        return None
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, label in rows:
        row = measured[name]
        lines.append(f"| {label} | " + " | ".join(c(row) for c in columns) + " |")
    return "\n".join(re.sub(r"\|  (?=\|)", "| ", line) for line in lines)


def column(name):
    return lambda row: show(row, name)


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "build/bench.json"
    targets = sys.argv[2:] or ["docs/performance.md", "README.md"]
    with open(source) as f:
        measured = {row["name"]: row for row in json.load(f)}
    ours = [column("kiln 1T"), column("kiln 2T")]
    tables = {
        "arrays": table(
            ["float32", "1 thread", "2 threads", "NumPy", "NumPy, memory kept", "JAX, 1 core", "JAX, 2 cores"], ARRAYS,
            ours + [column(c) for c in ("numpy", "numpy raised", "jax 1T", "jax 2T")], measured),
        "products": table(
            ["", "1 thread", "2 threads", "best peer, 1 core", "best peer, 2 cores"], PRODUCTS,
            ours + [lambda row: best_peer(row, 1), lambda row: best_peer(row, 2)], measured),
        "linalg": table(
            ["", "1 thread", "2 threads", "best peer, 1 core", "best peer, 2 cores"], LINALG,
            ours + [lambda row: best_peer(row, 1), lambda row: best_peer(row, 2)], measured),
        "loops": table(["", "Kiln", "C", "JAX"], LOOPS, [column(c) for c in ("kiln 1T", "C", "jax 1T")], measured),
        "short": table(
            ["", "1 thread", "2 threads", "best of the others, 1 core", "2 cores"], SHORT,
            ours + [lambda row: best_peer(row, 1, ("numpy", "numpy raised", "C")), lambda row: best_peer(row, 2)], measured),
    }
    for target in targets:
        write(target, tables)


def write(target, tables):
    with open(target) as f:
        text = f.read()
    for name, made in tables.items():
        if made is None or f"<!-- bench {name} -->" not in text:
            continue
        begin = f"<!-- bench {name} -->\n"
        at = text.index(begin) + len(begin)
        text = text[:at] + made + "\n" + text[text.index("<!-- end -->", at):]
    with open(target, "w") as f:
        f.write(text)


main()

# SPDX-License-Identifier: Apache-2.0
"""The peers' side of the benchmarks, NumPy, JAX or PyTorch: the same work on the same inputs. `peer.py numpy|jax|torch DATA time|cpu`
reads "make NAME FUNCTION FILE DTYPE ...", "values NAME" and "run NAME TIMES" line by line."""
import os
import sys
import time

import numpy as np

sys.dont_write_bytecode = True
import peer_control
import peer_functions
import peer_lengths
import peer_linalg
import peer_networks
import peer_numbers
import peer_sizes

KIND = sys.argv[1]
DATA = sys.argv[2]
now = time.process_time if sys.argv[3] == "cpu" else time.perf_counter
if KIND == "jax":
    import jax
    import jax.numpy as xp

    jax.config.update("jax_enable_x64", True)
elif KIND == "torch":
    import torch

    import peer_torch

    torch.set_grad_enabled(False)
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    xp = np
else:
    xp = np

F = np.float32
ROWS, COLUMNS = 4096, 1024
N = 4096


def picks(a, n=4):
    """A few elements, spread over the whole array."""
    flat = np.asarray(a).reshape(-1)
    return [float(flat[i * (flat.size - 1) // max(n - 1, 1)]) for i in range(n)]


def prepare(f, *args, values=picks, jit=True):
    """A case: f on arguments. JAX compiles f; its arguments live where it wants them."""
    if KIND == "jax":
        args = [jax.device_put(a) for a in args]
        g = jax.jit(f) if jit else f
        call = lambda: jax.block_until_ready(g(*args))
    else:
        call = lambda: f(*args)
    return {"call": call, "values": lambda: values(call())}


def wave(shape, frequency):
    """Numbers in [-1, 1], the same in C: sin in float64, rounded once."""
    n = int(np.prod(shape))
    return np.sin(np.arange(n, dtype=np.float64) * frequency).astype(F).reshape(shape)


# ---- calls
def small():
    return prepare(lambda x: x + 1.0, np.arange(10, dtype=np.float64), values=lambda y: [float(y.sum())])


def small_add():
    return prepare(lambda x: x + x, np.arange(10, dtype=np.float64), values=lambda y: [float(y.sum())], jit=False)


# ---- chains
def chain_input(n):
    return (np.arange(n, dtype=F) * F(10.0 / n)).astype(F)


def chain(n):
    def f(x):
        y = xp.sin(x) * xp.exp(-x / F(10))
        return xp.mean(xp.tanh(y) + F(0.1) * y)

    return prepare(f, chain_input(n), values=lambda v: [float(v)])


def chain_polynomial():
    def f(x):
        p = x * F(0.5) + F(1)
        for c in (0.25, 0.125, -0.0625, 0.03125):
            p = p * x + F(c)
        return p

    return prepare(f, chain_input(10_000_000))


# ---- rows
def softmax_of(x):
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def norm_of(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    variance = (d * d).mean(axis=-1, keepdims=True)
    return d / xp.sqrt(variance + F(1e-5)) * gain + bias


def norm_arguments():
    return wave((ROWS, COLUMNS), 1.7) * F(3), wave((COLUMNS,), 0.3), wave((COLUMNS,), 0.7)


def softmax():
    return prepare(softmax_of, wave((ROWS, COLUMNS), 1.7) * F(3))


def layer_norm():
    return prepare(norm_of, *norm_arguments())


def softmax_grad():
    x, g = wave((ROWS, COLUMNS), 1.7) * F(3), wave((ROWS, COLUMNS), 0.9)
    if KIND == "jax":
        return prepare(jax.grad(lambda x, g: (jax.nn.softmax(x) * g).sum()), x, g)

    def f(x, g):
        y = softmax_of(x)
        return y * (g - (y * g).sum(axis=-1, keepdims=True))

    return prepare(f, x, g)


def layer_norm_grad():
    x, gain, bias = norm_arguments()
    g = wave((ROWS, COLUMNS), 0.9)
    parts = lambda y: picks(y[0]) + picks(y[1], 2) + picks(y[2], 2)
    if KIND == "jax":
        return prepare(jax.grad(lambda x, gain, bias, g: (norm_of(x, gain, bias) * g).sum(), argnums=(0, 1, 2)), x, gain,
                       bias, g, values=parts)

    def f(x, gain, bias, g):
        mean = x.mean(axis=-1, keepdims=True)
        d = x - mean
        r = 1 / np.sqrt((d * d).mean(axis=-1, keepdims=True) + F(1e-5))
        n = d * r
        t = g * gain
        dx = r * (t - t.mean(axis=-1, keepdims=True) - n * (t * n).mean(axis=-1, keepdims=True))
        return dx, (g * n).sum(axis=0), g.sum(axis=0)

    return prepare(f, x, gain, bias, g, values=parts)


def square():
    return wave((N, N), 1.7)


# ---- axes
def axes(f, *shape, complex=False):
    """f of a wave; complex numbers have another one as their imaginary part."""

    def make():
        x = wave(shape, 1.7)
        if complex:
            x = (x + 1j * wave(shape, 0.9)).astype(np.complex64)
        return prepare(f, x, values=lambda y: picks(np.real(np.asarray(y))))

    return make


def contiguous(*order):
    """A transposed copy: JAX's arrays have no strides."""
    if KIND == "jax":
        return lambda x: xp.transpose(x, order)
    return lambda x: np.ascontiguousarray(np.transpose(x, order))


def short_softmax(x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


# ---- moves
def rows_by_index():
    at = ((np.arange(N, dtype=np.int64) * 1237 + 5) % N).astype(np.int32)
    return prepare(lambda x, at: x[at], square(), at)


def transpose():
    return prepare((lambda x: x.T + F(0)) if KIND == "jax" else (lambda x: np.ascontiguousarray(x.T)), square())


# ---- shifts
def shift(f, dtype=F):
    real = lambda y: picks(np.asarray(y).real)
    return prepare(f, wave((1000, 1000), 1.7).astype(dtype), values=real)


def stencil(x):
    rows, columns = xp.roll(x, 1, 0) + xp.roll(x, -1, 0), xp.roll(x, 1, 1) + xp.roll(x, -1, 1)
    return rows + columns - x * F(4)


# ---- writes, elements, searches
def write(place, least, x):
    def f(x):
        part = x[place]
        np.maximum(part, least, out=part)
        return x

    return prepare(f, x)


def pixels():
    return np.remainder(np.arange(1080 * 1920 * 3), 251).astype(np.uint8).reshape(1080, 1920, 3)


def read_elements(x):
    total = 0.0
    for i in range(100):
        total += x[i]
    return total


def write_elements(x):
    for i in range(100):
        x[i] = i
    return sum(x[:100])


def elements(f):
    return prepare(f, np.arange(1000, dtype=np.float64), values=lambda y: [float(y)])


def isin():
    z = np.remainder(np.arange(100000) * 7919, 1000003)
    return prepare(lambda z: np.isin(z, z + 1), z)


def interp():
    x = np.arange(100000, dtype=np.float64)
    return prepare(lambda x, y: np.interp(x * 0.7713, x, y), x, np.sin(x))


# ---- the image pipeline
def image():
    n, h, w = 4, 2160, 3840
    x = (wave((n, h, w), 0.37) * F(0.5) + F(0.5)).astype(F)

    def f(x):
        mean = x.mean(axis=(1, 2), keepdims=True)
        d = x - mean
        sigma = xp.sqrt((d * d).mean(axis=(1, 2), keepdims=True) + F(1e-6))
        y = d / sigma * F(0.8) + F(0.4)
        y = xp.clip(y, F(0), F(1)) ** F(1.8)
        e = y - x
        return (e * e).mean()

    return prepare(f, x, values=lambda v: [float(v)])


# ---- attention
def fastest(f, g, *args, values=picks):
    """The faster one of two spellings."""
    both = [prepare(h, *args, values=values) for h in (f, g)]
    best = [float("inf")] * 2
    for _ in range(4):
        for i in range(2):
            start = time.perf_counter()
            both[i]["call"]()
            best[i] = min(best[i], time.perf_counter() - start)
    return both[best[1] < best[0]]


def attention(rows_first, grad):
    shape = (1024, 8, 64) if rows_first else (8, 1024, 64)
    q, k, v, w = (wave(shape, f) for f in (1.7, 0.9, 0.3, 0.7))
    turn = (lambda x: xp.swapaxes(x, 0, 1))

    def plain(q, k, v):
        p = jax.nn.softmax(q @ xp.swapaxes(k, -1, -2) * F(0.125))
        return p @ v

    def library(q, k, v):
        return jax.nn.dot_product_attention(q, k, v)

    first = (lambda q, k, v: turn(plain(turn(q), turn(k), turn(v)))) if rows_first else plain
    second = library if rows_first else (lambda q, k, v: turn(library(turn(q), turn(k), turn(v))))
    if not grad:
        return fastest(first, second, q, k, v, values=lambda y: picks(y, 8))
    loss = lambda f: jax.grad(lambda q, k, v, w: (f(q, k, v) * w).sum(), argnums=(0, 1, 2))
    parts = lambda d: picks(d[0], 3) + picks(d[1], 3) + picks(d[2], 2)
    return fastest(loss(first), loss(second), q, k, v, w, values=parts)


# ---- convolutions
def convolve(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def conv(grad):
    x, w, g = wave((8, 56, 56, 64), 1.7), wave((3, 3, 64, 64), 0.9), wave((8, 56, 56, 64), 0.3)
    if not grad:
        return prepare(convolve, x, w)
    f = jax.grad(lambda x, w, g: (convolve(x, w) * g).sum(), argnums=(0, 1))
    return prepare(f, x, w, g, values=lambda d: picks(d[0]) + picks(d[1]))


def transform(dtype, shape, axes=""):
    """Of NumPy and SciPy the faster one."""
    x, real = wave(shape, 1.7), dtype[0] == "f"
    x = x.astype(np.dtype(dtype)) if real else (x + 1j * wave(shape, 0.9)).astype(np.dtype(dtype))
    name = ("rfft" if real else "fft") + axes
    values = lambda y: picks(np.abs(np.asarray(y)))
    if KIND == "jax":
        return prepare(getattr(xp.fft, name), x, values=values)
    import scipy.fft

    return fastest(getattr(np.fft, name), getattr(scipy.fft, name), x, values=values)


def transforms():
    cases = {}
    for short, dtype in ("c64", "complex64"), ("c128", "complex128"), ("f32", "float32"), ("f64", "float64"):
        for n in 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 1000000, 997, 1018081:
            cases[f"fft_{short}_{n}"] = lambda dtype=dtype, n=n: transform(dtype, (n,))
        cases[f"fft_{short}_rows"] = lambda dtype=dtype: transform(dtype, (1024, 1024))
        cases[f"fft_{short}_matrix"] = lambda dtype=dtype: transform(dtype, (1024, 1024), "2")
    return cases


def pool(grad):
    x, g = wave((8, 56, 56, 64), 1.7), wave((8, 28, 28, 64), 0.3)
    f = lambda x: jax.lax.reduce_window(x, F(-np.inf), jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    if not grad:
        return prepare(f, x, values=lambda y: picks(y, 8))
    return prepare(jax.grad(lambda x, g: (f(x) * g).sum()), x, g, values=lambda d: picks(d, 8))


# ---- a step of a network of three layers
class Mlp:
    """784-512-512-10, batch 128, softmax cross entropy, SGD."""

    SIZES = (784, 512, 512, 10)

    def __init__(self):
        self.x = wave((128, 784), 0.37)
        self.y = (np.arange(128) * 7 % 10).astype(np.int32)
        self.fast = jax.jit(self.jax_step, donate_argnums=0) if KIND == "jax" else self.numpy_step
        self.reset()

    def reset(self):
        self.p = []
        for i in range(3):
            rows, columns = self.SIZES[i:i + 2]
            self.p += [wave((rows, columns), 1.7 + i) * F(0.05), np.zeros(columns, F)]

    @staticmethod
    def jax_step(p, x, y):
        def loss(p):
            h = jax.nn.relu(x @ p[0] + p[1])
            h = jax.nn.relu(h @ p[2] + p[3])
            log_p = jax.nn.log_softmax(h @ p[4] + p[5])
            return -xp.take_along_axis(log_p, y[:, None], axis=-1).mean()

        return [a - F(0.01) * b for a, b in zip(p, jax.grad(loss)(p))]

    @staticmethod
    def numpy_step(p, x, y):
        h1 = np.maximum(x @ p[0] + p[1], 0)
        h2 = np.maximum(h1 @ p[2] + p[3], 0)
        s = h2 @ p[4] + p[5]
        e = np.exp(s - s.max(axis=1, keepdims=True))
        g = e / e.sum(axis=1, keepdims=True)
        g[np.arange(128), y] -= 1
        g /= F(128)
        g2 = (g @ p[4].T) * (h2 > 0)
        g1 = (g2 @ p[2].T) * (h1 > 0)
        grads = [x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ g, g.sum(axis=0)]
        return [a - F(0.01) * b for a, b in zip(p, grads)]

    def step(self):
        self.p = self.fast(self.p, self.x, self.y)
        if KIND == "jax":
            jax.block_until_ready(self.p)

    def values(self):
        self.reset()
        for _ in range(3):
            self.step()
        return picks(self.p[0]) + picks(self.p[5])


def mlp_step():
    m = Mlp()
    return {"call": m.step, "values": m.values}


# ---- digits
class Digits:
    """One epoch of the digits network with Adam."""

    def __init__(self):
        data = np.load(DATA + "/digits.npz")
        self.x = (data["images"].reshape(-1, 64).astype(F) / F(16))[:1437]
        self.y = data["labels"].astype(np.int32)[:1437]
        self.fast = jax.jit(self.jax_step) if KIND == "jax" else None
        self.reset()

    def reset(self):
        def weights(rows, columns, scale):
            i = np.arange(rows * columns, dtype=F)
            return (np.sin(i * F(1.7)) * F(scale)).astype(F).reshape(rows, columns)

        self.p = [weights(64, 128, 0.15), np.zeros(128, F), weights(128, 10, 0.1), np.zeros(10, F)]
        self.m = [np.zeros_like(a) for a in self.p]
        self.v = [np.zeros_like(a) for a in self.p]
        self.t = 0

    @staticmethod
    def loss(p, x, y):
        w1, b1, w2, b2 = p
        log_p = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
        return -xp.take_along_axis(log_p, y[:, None], axis=-1).mean()

    @staticmethod
    def jax_step(p, m, v, t, x, y):
        value, g = jax.value_and_grad(Digits.loss)(p, x, y)
        m = [F(0.9) * a + F(0.1) * b for a, b in zip(m, g)]
        v = [F(0.999) * a + F(0.001) * b * b for a, b in zip(v, g)]
        c1, c2 = 1 - F(0.9) ** t, 1 - F(0.999) ** t
        return value, [a - F(3e-3) * (b / c1) / (xp.sqrt(c / c2) + F(1e-8)) for a, b, c in zip(p, m, v)], m, v

    def step(self, lo):
        x, y = self.x[lo:lo + 128], self.y[lo:lo + 128]
        self.t += 1
        if self.fast:
            value, self.p, self.m, self.v = self.fast(self.p, self.m, self.v, F(self.t), x, y)
            return float(value)
        w1, b1, w2, b2 = self.p
        z = x @ w1 + b1
        h = np.maximum(z, 0)
        s = h @ w2 + b2
        s = s - s.max(axis=1, keepdims=True)
        e = np.exp(s)
        total = e.sum(axis=1, keepdims=True)
        log_p = s - np.log(total)
        rows = np.arange(128)
        loss = -log_p[rows, y].mean()
        g = e / total
        g[rows, y] -= 1
        g /= F(128)
        gh = (g @ w2.T) * (z > 0)
        grads = [x.T @ gh, gh.sum(axis=0), h.T @ g, g.sum(axis=0)]
        c1, c2 = F(1 - 0.9 ** self.t), F(1 - 0.999 ** self.t)
        for k in range(4):
            self.m[k] = F(0.9) * self.m[k] + F(0.1) * grads[k]
            self.v[k] = F(0.999) * self.v[k] + F(0.001) * grads[k] * grads[k]
            self.p[k] = self.p[k] - F(3e-3) * (self.m[k] / c1) / (np.sqrt(self.v[k] / c2) + F(1e-8))
        return float(loss)

    def epoch(self):
        return sum(self.step(lo) for lo in range(0, 1437 - 127, 128))

    def values(self):
        self.reset()
        first = self.epoch()
        return [first, self.epoch()]


def digits_epoch():
    d = Digits()
    return {"call": d.epoch, "values": d.values}


# ---- compiling: a function that is new each time, from tracing to the executable
def compile_of(make, *args):
    count = [0]

    def call():
        count[0] += 1
        jax.jit(make(count[0])).lower(*args).compile()

    return {"call": call, "values": lambda: []}


def compile_chain():
    def make(salt):
        def f(x):
            y = xp.sin(x) * xp.exp(-x / F(10 + salt))
            return xp.mean(xp.tanh(y) + F(0.1) * y)

        return f

    return compile_of(make, chain_input(1000))


def compile_digits():
    d = Digits()

    def make(salt):
        def f(p, x, y):
            value, g = jax.value_and_grad(Digits.loss)(p, x, y)
            return value + F(salt), g

        return f

    return compile_of(make, d.p, d.x[:128], d.y[:128])


MAKE = {
    "jit_call_10": small,
    "eager_add_10": small_add,
    "chain_1e7": lambda: chain(10_000_000),
    "chain_1e5": lambda: chain(100_000),
    "chain_1e3": lambda: chain(1000),
    "eager_chain_1e3": lambda: chain(1000),
    "eager_chain_1e5": lambda: chain(100_000),
    "polynomial_1e7": chain_polynomial,
    "softmax": softmax,
    "softmax_grad": softmax_grad,
    "layer_norm": layer_norm,
    "layer_norm_grad": layer_norm_grad,
    "sum_axis_0": lambda: prepare(lambda x: x.sum(axis=0), square()),
    "sum_axis_1": lambda: prepare(lambda x: x.sum(axis=1), square()),
    "max_axis_1": lambda: prepare(lambda x: x.max(axis=1), square()),
    "transpose_copy": transpose,
    "transpose_3_axes": axes(contiguous(2, 1, 0), 256, 256, 256),
    "transpose_4_axes": axes(contiguous(3, 2, 1, 0), 64, 64, 64, 64),
    "channels_last": axes(contiguous(0, 2, 3, 1), 32, 64, 56, 56),
    "short_axis_sum": axes(lambda x: xp.sum(x, axis=-1), 1000000, 3),
    "short_axis_scale": axes(lambda x: x * x[1] + F(1), 1000000, 3),
    "short_axis_softmax": axes(short_softmax, 1000000, 4),
    "complex_polynomial": axes(lambda x: x * x + xp.conj(x), 2000000, complex=True),
    "complex_abs": axes(lambda x: xp.abs(x), 2000000, complex=True),
    "complex_product": axes(lambda x: x @ x, 512, 512, complex=True),
    "complex_transpose": axes(contiguous(1, 0), 2048, 1024, complex=True),
    "where_mask": lambda: prepare(lambda m, x: xp.where(m, x, F(0)), square() > 0, square()),
    "rows_by_index": rows_by_index,
    "join_rows": lambda: shift(lambda x: xp.concatenate([x, x])),
    "join_columns": lambda: shift(lambda x: xp.concatenate([x, x], axis=1)),
    "roll": lambda: shift(lambda x: xp.roll(x, 1, 1)),
    "roll_complex": lambda: shift(lambda x: xp.roll(x, 1, 1), np.complex64),
    "pad": lambda: shift(lambda x: xp.pad(x, 1)),
    "gradient": lambda: shift(lambda x: xp.gradient(x, axis=1)),
    "stencil": lambda: shift(stencil),
    "write_columns": lambda: write(np.s_[:, ::2], F(0.25), wave((2048, 2048), 1.7)),
    "write_rows": lambda: write(np.s_[::2], F(0.25), wave((2048, 2048), 1.7)),
    "write_inside": lambda: write(np.s_[1:-1, 1:-1], F(0.25), wave((2048, 2048), 1.7)),
    "write_channel": lambda: write(np.s_[..., 2], np.uint8(100), pixels()),
    "read_elements": lambda: elements(read_elements),
    "write_elements": lambda: elements(write_elements),
    "isin": isin,
    "interp": interp,
    "image_pipeline": image,
    "compile_chain": compile_chain,
    "digits_step_first_call": compile_digits,
    "digits_epoch": digits_epoch,
    "digits_epoch_eager": digits_epoch,
    "attention": lambda: attention(False, False),
    "attention_grad": lambda: attention(False, True),
    "attention_nn": lambda: attention(True, False),
    "attention_nn_grad": lambda: attention(True, True),
    "mlp_step": mlp_step,
    "max_pool_2x2": lambda: pool(False),
    "max_pool_2x2_grad": lambda: pool(True),
    "conv_3x3": lambda: conv(False),
    "conv_3x3_grad": lambda: conv(True),
}
for more in () if KIND == "torch" else (peer_control, peer_lengths, peer_linalg):
    MAKE.update((more.jax_cases if KIND == "jax" else more.numpy_cases)(prepare, picks))
MAKE.update(transforms())
made = {}


# ---- what tables tell (work.h)
WORK = {}
for module in peer_functions, peer_numbers, peer_networks, peer_sizes:
    WORK.update(getattr(module, f"{KIND}_functions", dict)())
if KIND == "torch":
    WORK.update(peer_torch.torch_functions())


def plain(y):
    """As an array of NumPy's; of several results the last one."""
    if isinstance(y, (tuple, list)):
        y = y[-1]
    if KIND == "torch" and isinstance(y, torch.Tensor):
        y = y.detach()
        y = (y.float() if y.dtype == torch.bfloat16 else y).resolve_conj().numpy()
    y = np.asarray(y)
    return y if y.dtype.kind in "biufc" else y.astype(F)


def eight(y):
    y = plain(y)
    if y.size == 0:
        return []
    return picks(y.real) + picks(y.imag) if y.dtype.kind == "c" else picks(y, 8)


def argument(file, dtype):
    x = np.load(file)
    if KIND == "torch":
        x = torch.from_numpy(x)
        return x.to(torch.bfloat16) if dtype == "bfloat16" else x
    return xp.asarray(x).astype("bfloat16") if dtype == "bfloat16" else x


def make(name, function, *inputs):
    """False: there is no such function here."""
    made.clear()
    if function not in WORK or (KIND == "numpy" and "bfloat16" in inputs):
        return False
    f, shown = WORK[function] if isinstance(WORK[function], tuple) else (WORK[function], None)
    args = [argument(*pair) for pair in zip(inputs[::2], inputs[1::2])]
    values = (lambda y: eight(shown(plain(y), *[plain(x) for x in args]))) if shown else eight
    made[name] = prepare(f, *args, values=values)
    return True


def case(name):
    if name not in made:
        made.clear()
        made[name] = MAKE[name]()
    return made[name]


def serve():
    version = {"numpy": lambda: np.__version__, "jax": lambda: jax.__version__, "torch": lambda: torch.__version__}[KIND]()
    print("ready", KIND, version, flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "make":
                print("made" if make(*words[1:]) else "none", flush=True)
            elif words[0] == "values":
                print(*[repr(v) for v in case(words[1])["values"]()], flush=True)
            else:
                call, times = case(words[1])["call"], int(words[2])
                whole = case(words[1]).get("round", 1)  # so many calls, and only all of them, are what is measured
                rounds = -(-times // whole)
                if times < 16:  # the side before has left its own data in the caches
                    call()
                start = now()
                for _ in range(rounds * whole):
                    call()
                print((now() - start) * times / (rounds * whole), flush=True)
        except Exception as e:  # the bench prints an empty column and says why
            print("error", repr(e).replace("\n", " ")[:900], flush=True)


serve()

# SPDX-License-Identifier: Apache-2.0
"""Functions of tables (work.h) by name, with NumPy, JAX and PyTorch: elements, dtypes, products, random numbers, small programs."""
import numpy as np

from peer_functions import moments

F = np.float32
NAMES = ("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt floor rint "
         "power arctan2 hypot remainder logaddexp").split()
SPECIAL = "erf erfc erfinv ndtri gamma gammaln digamma i0e gammainc betainc".split()


def elements(module, special, logistic):
    made = {"f_" + name: getattr(module, name) for name in NAMES if hasattr(module, name)}
    made.update({"f_" + name: getattr(special, name) for name in SPECIAL if hasattr(special, name)})
    return {**made, "f_logistic": logistic}


def phi(erf):
    return lambda x: 0.5 * (1 + erf(x * 0.7071067811865476))


def black_scholes(m, erf):
    cdf = phi(erf)

    def f(spot, strike, years):
        root = 0.3 * m.sqrt(years)
        d1 = (m.log(spot / strike) + 0.065 * years) / root
        return spot * cdf(d1) - strike * m.exp(-0.02 * years) * cdf(d1 - root)

    return f


def fifty(x):
    for _ in range(25):
        x = x * F(0.99) + F(0.01)
    return x


def mandelbrot_step(where):
    def f(re, im, a, b, many):
        re2, im2 = re * re, im * im
        inside = re2 + im2 < 4
        return where(inside, re2 - im2 + a, re), where(inside, 2 * re * im + b, im), many + inside

    return f


def mandelbrot(step, zeros):
    def f(a, b):
        re, im, many = zeros(a), zeros(a), zeros(a)
        for _ in range(50):
            re, im, many = step(re, im, a, b, many)
        return many

    return f


def heat_step(pad):
    def f(x):
        y = pad(x)
        return x * F(0.5) + (y[:-2, 1:-1] + y[2:, 1:-1] + (y[1:-1, :-2] + y[1:-1, 2:])) * F(0.125)

    return f


def heat(step):
    def f(x):
        for _ in range(100):
            x = step(x)
        return x

    return f


def operators(transpose):
    return {
        "add": lambda x, y: x + y,
        "mul": lambda x, y: x * y,
        "muladd": lambda x, y: x * y + x,
        "floor_divide": lambda x, y: x // y,
        "matmul": lambda x, y: x @ y,
        "gram": lambda x: transpose(x) @ x,
        "fifty": fifty,
    }


def einsums(einsum):
    texts = {"row_products": "ij,ij->i", "scores_heads_first": "bhqd,bhkd->bhqk", "scores_heads_inside": "bqhd,bkhd->bhqk",
             "over_two": "ijk,jil->kl", "batched": "ijk,ikl->ijl", "over_last_two": "abcd,cd->ab", "over_middle": "abc,bd->adc",
             "bilinear": "bi,ij,bj->b"}
    return {name: lambda *x, text=text: einsum(text, *x) for name, text in texts.items()}


def xorshift(x):
    y = x ^ x << 13
    y = y ^ y >> 17
    return y ^ y << 5


def saturated(m):
    return lambda x, y: m.minimum(x.astype("uint16") + y, 255).astype("uint8")


def gamma_u8(x):
    return (((x.astype(F) / F(255)) ** F(2.2)) * F(255)).astype("uint8")


def distances(m):
    def f(x):
        d = x[None] - x[:, None]
        return m.sqrt((d * d).sum(-1))

    return f


def alike(m):
    """What NumPy and JAX have by the same name."""
    return {
        **operators(lambda x: x.T),
        "xorshift": xorshift,
        "saturated": saturated(m),
        "gamma_u8": gamma_u8,
        "exponential": m.exp,
        "to_f32": lambda x: x.astype(F),
        "to_f64": lambda x: x.astype(np.float64),
        "to_u8": lambda x: x.astype(np.uint8),
        "to_f16": lambda x: x.astype(np.float16),
        "covariance": m.cov,
        "correlation": m.corrcoef,
        "distances": distances(m),
        "inverse": m.linalg.inv,
        "determinant": m.linalg.det,
    }


def numpy_functions():
    rng = np.random.default_rng(1)
    n = 10_000_000

    def in_place(x, y):
        x += y
        return x

    def best_einsum(text, *x):
        return np.einsum(text, *x, optimize=True)

    def generator(seed):
        return np.random.default_rng(int(seed[0]))

    def categorical(seed, logits):
        return np.argmax(logits + rng.gumbel(size=logits.shape).astype(F), axis=-1)

    made = {
        **alike(np),
        **einsums(best_einsum),
        "row_products": np.vecdot,
        "add_in_place": in_place,
        "mandelbrot": mandelbrot(mandelbrot_step(np.where), np.zeros_like),
        "heat": heat(heat_step(lambda x: np.pad(x, 1, mode="edge"))),
        "random_uniform": (lambda seed: rng.random(n, F), moments),
        "random_uniform_f64": (lambda seed: rng.random(n), moments),
        "random_normal": (lambda seed: rng.standard_normal(n, F), moments),
        "random_normal_f64": (lambda seed: rng.standard_normal(n), moments),
        "random_integers": (lambda seed: rng.integers(0, 1000, n, np.int32), moments),
        "random_exponential": (lambda seed: rng.standard_exponential(1_000_000, F), moments),
        "random_gamma": (lambda seed: rng.standard_gamma(2.5, 100_000, F), moments),
        "random_categorical": (categorical, moments),
        "rng_random": lambda seed: generator(seed).random(n),
        "rng_normal": lambda seed: generator(seed).standard_normal(n),
        "rng_normal_f32": lambda seed: generator(seed).standard_normal(n, F),
        "rng_exponential": lambda seed: generator(seed).standard_exponential(n),
        "rng_integers": lambda seed: generator(seed).integers(0, 100, n),
        "rng_integers_wide": lambda seed: generator(seed).integers(0, 2**40, n),
        "rng_integers_u8": lambda seed: generator(seed).integers(0, 100, n, np.uint8),
        "rng_gamma": lambda seed: generator(seed).gamma(2.5, size=1_000_000),
        "rng_poisson": lambda seed: generator(seed).poisson(100, 1_000_000),
        "rng_gumbel": lambda seed: generator(seed).gumbel(size=1_000_000),
        "rng_permutation": lambda seed: generator(seed).permutation(1_000_000),
    }
    try:
        import scipy.special
    except ImportError:
        return {**made, **elements(np, None, lambda x: 1 / (1 + np.exp(-x)))}
    return {**made, **elements(np, scipy.special, scipy.special.expit), "black_scholes": black_scholes(np, scipy.special.erf)}


def jax_functions():
    import jax
    import jax.numpy as jnp
    from jax import lax

    n = (10_000_000,)
    step = mandelbrot_step(jnp.where)
    heated = heat_step(lambda x: jnp.pad(x, 1, mode="edge"))

    def fractal(a, b):
        zero = jnp.zeros_like(a)

        def body(_, c):
            return (*step(c[0], c[1], a, b, c[2]),)

        return lax.fori_loop(0, 50, body, (zero, zero, zero.astype(jnp.int32)))[2]

    def of_key(f):
        return lambda seed, *x: f(jax.random.key(seed[0]), *x), moments

    r = jax.random
    return {
        **alike(jnp),
        **einsums(jnp.einsum),
        **elements(jnp, jax.scipy.special, jax.nn.sigmoid),
        "add_in_place": lambda x, y: x + y,
        "black_scholes": black_scholes(jnp, jax.scipy.special.erf),
        "mandelbrot": fractal,
        "heat": lambda x: lax.fori_loop(0, 100, lambda _, y: heated(y), x),
        "random_uniform": of_key(lambda k: r.uniform(k, n, F)),
        "random_uniform_f64": of_key(lambda k: r.uniform(k, n, np.float64)),
        "random_normal": of_key(lambda k: r.normal(k, n, F)),
        "random_normal_f64": of_key(lambda k: r.normal(k, n, np.float64)),
        "random_integers": of_key(lambda k: r.randint(k, n, 0, 1000, np.int32)),
        "random_exponential": of_key(lambda k: r.exponential(k, (1_000_000,), F)),
        "random_gamma": of_key(lambda k: r.gamma(k, 2.5, (100_000,), F)),
        "random_categorical": of_key(r.categorical),
    }


def torch_functions():
    import torch

    n = 10_000_000
    pad = torch.nn.functional.pad
    same = {"power": "pow", "rint": "round"}  # other names of the same
    made = {"f_" + name: getattr(torch, same.get(name, name)) for name in NAMES if hasattr(torch, same.get(name, name))}
    made.update({"f_" + name: getattr(torch.special, name) for name in SPECIAL if hasattr(torch.special, name)})

    def categorical(seed, logits):
        return torch.multinomial(torch.softmax(logits, -1), 1)

    return {
        **made,
        "f_logistic": torch.sigmoid,
        **operators(lambda x: x.T),
        **einsums(torch.einsum),
        "add_in_place": lambda x, y: x.add_(y),
        "gamma_u8": lambda x: (((x.float() / 255) ** 2.2) * 255).byte(),
        "exponential": torch.exp,
        "to_f32": torch.Tensor.float,
        "to_f64": torch.Tensor.double,
        "to_u8": torch.Tensor.byte,
        "to_f16": torch.Tensor.half,
        "covariance": torch.cov,
        "correlation": torch.corrcoef,
        "distances": lambda x: torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist"),
        "inverse": torch.linalg.inv,
        "determinant": torch.linalg.det,
        "black_scholes": black_scholes(torch, torch.erf),
        "mandelbrot": mandelbrot(mandelbrot_step(torch.where), torch.zeros_like),
        "heat": heat(heat_step(lambda x: pad(x[None, None], (1, 1, 1, 1), mode="replicate")[0, 0])),
        "random_uniform": (lambda seed: torch.rand(n), moments),
        "random_uniform_f64": (lambda seed: torch.rand(n, dtype=torch.float64), moments),
        "random_normal": (lambda seed: torch.randn(n), moments),
        "random_normal_f64": (lambda seed: torch.randn(n, dtype=torch.float64), moments),
        "random_integers": (lambda seed: torch.randint(0, 1000, (n,), dtype=torch.int32), moments),
        "random_exponential": (lambda seed: torch.empty(1_000_000).exponential_(), moments),
        "random_gamma": (lambda seed: torch._standard_gamma(torch.full((100_000,), 2.5)), moments),
        "random_categorical": (categorical, moments),
    }

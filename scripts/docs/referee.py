#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the lines of Python that stand beside the examples of public functions, with NumPy, SciPy, JAX and optax, and compares what they print
with what the example prints in C: character by character, else number by number.

usage: build/venv/bin/python scripts/docs/referee.py [DESCRIPTIONS...]      the environment is that of scripts/bench-venv.sh"""
import ast
import contextlib
import io
import math
import os
import re
import sys
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from docs import examples  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf)", re.I)


def world():
    """What the lines may speak of."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import numpy
    import scipy
    import scipy.fft
    import scipy.integrate
    import scipy.linalg
    import scipy.signal
    import scipy.special
    import scipy.stats
    jax.config.update("jax_enable_x64", True)
    names = {"np": numpy, "numpy": numpy, "scipy": scipy, "jax": jax, "jnp": jax.numpy, "lax": jax.lax}
    for module in ("jax.scipy.linalg", "jax.scipy.special", "jax.scipy.signal", "jax.scipy.stats", "jax.tree_util", "jax.experimental", "optax"):
        with contextlib.suppress(ImportError):
            top = module.split(".")[0]
            names[top] = __import__(module)
    return names


def printed(text, names):
    tree = ast.parse(text)
    out, local = io.StringIO(), dict(names)
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        last = tree.body[-1]
        shown = isinstance(last, ast.Expr)
        exec(compile(ast.Module(tree.body[:-1] if shown else tree.body, []), "example", "exec"), local)
        if shown:
            value = eval(compile(ast.Expression(last.value), "example", "eval"), local)
            if value is not None:
                print(value)
    return out.getvalue().rstrip("\n")


def close(a, b):
    a, b = float(a), float(b)
    return a == b or math.isnan(a) and math.isnan(b) or math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-7)


def alike(here, there):
    """Are they the same but for the last digits of numbers, spaces, and brackets of one kind for another?"""
    def bare(text):
        text = re.sub(r"\b(True|true)\b", "1", re.sub(r"\b(False|false)\b", "0", text))
        return [re.sub(r"[\s,\[\](){}]+|\.(?!\d)|array|dtype|jnp|np", "", x) for x in NUMBER.split(text)], NUMBER.findall(text)
    words, numbers = bare(here)
    words2, numbers2 = bare(there)
    return words == words2 and len(numbers) == len(numbers2) and all(map(close, numbers, numbers2))


def main(wanted):
    names = world()
    count = wrong = 0
    for header in examples.headers(ROOT):
        if wanted and not any(w in header.source for w in wanted):
            continue
        for example in examples.of(header):
            if not example.python:
                continue
            count += 1
            try:
                text = printed(example.python, names)
            except Exception as mistake:
                text = f"{type(mistake).__name__}: {mistake}"
            if text != (example.output or "") and not alike(example.output or "", text):
                wrong += 1
                print(f"{header.source}: {example.name}: Kiln prints\n{example.output}\nand Python\n{text}\n")
    print(f"{count} examples compared with NumPy, SciPy, JAX and optax, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

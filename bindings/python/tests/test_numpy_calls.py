# SPDX-License-Identifier: Apache-2.0
"""Each call of numpy_calls.txt gives what NumPy gives: values, dtypes, structure, or its error."""
import pathlib
import re
import warnings

import numpy
import pytest

import kiln
import kiln.numpy as knp

LINES = [x for x in pathlib.Path(__file__).with_name("numpy_calls.txt").read_text().splitlines()
         if x and not x.startswith("#")]
# What differs, and why
TEXTS = {  # only the text of the error differs
    "np.matmul(a, b)", 'v + "a"', "v + None",  # without a signature, or with Python's text
    "u + 300", "hash(v)"}  # "integer 300", "'Array'"


def operands(np):
    r = numpy.random.default_rng(7)
    a, b = r.random((3, 4)).round(3) * 4, r.random((3, 4)).round(3) * 4
    g = r.random((4, 4)).round(3)
    made = {"a": a,
    "b": b,
    "i": (a * 2).astype("int64"),
    "j": (b * 2).astype("int64"),
    "v": numpy.array([3.0,
    1,
    2.5,
    4,
    1.5]),
    "w": numpy.array([1.0,
    2,
    3,
    5,
    4]),
    "n": numpy.array([3,
    1,
    2,
    3,
    1,
    9]),
    "z": (a + 1j * b)[:,
    :3],
    "s": g @ g.T + 4 * numpy.eye(4),
    "m": a > 1.5,
    "e": numpy.zeros((0,
    3)),
    "o": numpy.array(2.5),
    "f": a.astype("float32"),
    "u": numpy.array([1,
    2,
    3,
    250,
    5],
    dtype="uint8"),
    "t": numpy.arange(24.0).reshape(2,
    3,
     4)}
    return {k: np.asarray(x.copy()) for k, x in made.items()}


def run(np, line):
    space = {"np": np, "numpy": numpy, **operands(np)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(line, space), None
        except Exception as e:
            return None, e


def plain(x):
    """The value in a form that both have."""
    if isinstance(x, (kiln.Array, numpy.ndarray, numpy.generic)):
        return ("array", str(x.dtype), x.shape, numpy.array(x.tolist(), dtype=str(x.dtype)).reshape(x.shape))
    if isinstance(x, (kiln.dtype, numpy.dtype)) or (isinstance(x, type) and issubclass(x, numpy.generic)):
        return ("dtype", str(numpy.dtype(str(x)) if isinstance(x, kiln.dtype) else numpy.dtype(x)))
    if isinstance(x, (list, tuple)):
        return ("list" if isinstance(x, list) else "tuple", [plain(y) for y in x])
    if isinstance(x, Exception):
        return (type(x).__name__, str(x))
    return x


def check(x, y, line):
    if isinstance(x, tuple) and x and x[0] == "array":
        if not (isinstance(y, tuple) and y[0] == "array"):
            assert x[2] == () and x[3] == y, (x, y)
            return
        assert x[1] == y[1], f"dtype {y[1]} for {x[1]}"
        assert x[2] == y[2], f"shape {y[2]} for {x[2]}"
        numpy.testing.assert_allclose(y[3], x[3], rtol=1e-5 if x[1] in ("float32", "complex64") else 1e-9, atol=1e-10)
        return
    if isinstance(y, tuple) and y and y[0] == "array":
        assert y[2] == () and not isinstance(x, tuple), (x, y)
        numpy.testing.assert_allclose(y[3], x)
        return
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        assert type(x) is type(y) and len(x) == len(y), f"{y} for {x}"
        for p, q in zip(x, y):
            check(p, q, line)
        return
    assert x == y or (x != x and y != y), f"{y!r} for {x!r}"


@pytest.mark.parametrize("line", LINES)
def test_call(line):
    expected, error = run(numpy, line)
    got, failed = run(knp, line)
    if error is not None:
        assert failed is not None, f"no {type(error).__name__}: {error}"
        kinds = [c.__name__ for c in type(error).__mro__]
        assert type(failed).__name__ in kinds[:kinds.index("Exception")], f"{failed!r} for {error!r}"
        got, wanted = str(failed).splitlines()[0], str(error).splitlines()[0]
        if line not in TEXTS:  # the C library's texts begin with the name of the function
            assert re.sub(r"^[\w.]+: ", "", got).strip() == re.sub(r"^[\w.]+: ", "", wanted).strip()
        return
    if failed is not None:
        raise failed
    check(plain(expected), plain(got), line)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/testing.txt: assertions of np.testing, in the format of make_numpy.py. The result is "passes", or the report with
its line ends as \\n.

usage: make_testing.py tests/golden
"""
import sys

import numpy as np
from make_numpy import Weak, option, show, values

T = np.testing
nan, inf = np.nan, np.inf


def check(out, name, *args, **options):
    given = [a.value if isinstance(a, Weak) else a for a in args]
    try:
        if name == "assert_array_compare":
            T.assert_array_compare(np.less_equal, *given, header="not below", **options)
        else:
            getattr(T, name)(*given, **options)
        text = "passes"
    except (AssertionError, ValueError, NotImplementedError, TypeError) as e:
        text = str(e) if isinstance(e, AssertionError) else f"{type(e).__name__} {e}"
        text = text.replace("\\", "\\\\").replace("\n", "\\n")
    words = [name] + [show(a) for a in args] + [option(k, v) for k, v in options.items()]
    out.write(" ".join(words) + " -> " + text + "\n")


def arrays(out):
    pairs = [([1.0, 2, 3, nan], [1.0, 2.5, 4, nan]), (np.arange(12), np.arange(12) + 1), ([1.0, 2], [1.0, 2]), (np.zeros(2), np.zeros(3)),
             (np.zeros((2, 3)), np.ones((2, 3))), (np.float64(1), np.float64(2)), (np.arange(3.0), np.float64(1)), (np.float32(0.1), np.arange(3, dtype="float32")),
             ([nan, 1], [1, nan]), ([inf, 1], [-inf, 1]), ([inf, 1], [1, inf]), ([inf, 2, 3], [inf, 2, 4]), ([1 + 2j, 3], [1 + 2j, 4]), ([True, False], [True, True]),
             (np.array([250, 1], "uint8"), np.array([1, 1], "uint8")), (np.arange(3, dtype="float32") / 3, np.arange(3, dtype="float32") / 3 + np.float32(1e-3)),
             (np.zeros(0), np.zeros(0)), (np.zeros((0, 2)), np.zeros(3)),
             ([2**62, 1], [2**62 + 1, 1]), ([1e-9, 0], [0.0, 0]), (np.arange(27.0).reshape(3, 3, 3), np.zeros((3, 3, 3))), ([1.0, 2.0], [1.0, 2.00000001]),
             (np.arange(3, dtype="int8"), np.arange(3)), (np.array([1, 2], "float16"), np.array([1, 2.002], "float16")), (np.array([nan, nan]), np.array([nan, nan])),
             ([-0.0], [0.0]), (np.array([1.5, -3]), np.array([2, 2], "int32"))]
    for a, b in pairs:
        a, b = np.asarray(a), np.asarray(b)
        check(out, "assert_allclose", a, b)
        check(out, "assert_allclose", a, b, rtol=0.01, atol=0.002, err_msg="hello", verbose=False)
        check(out, "assert_allclose", a, b, equal_nan=False)
        check(out, "assert_allclose", a, b, strict=True)
        for name in ("assert_array_equal", "assert_equal", "assert_array_less"):
            if name == "assert_array_less" and a.dtype.kind == "c":
                continue
            check(out, name, a, b)
            check(out, name, a, b, err_msg="because", verbose=False)
            check(out, name, a, b, strict=True)
        for name in ("assert_array_almost_equal", "assert_almost_equal"):
            check(out, name, a, b)
            check(out, name, a, b, decimal=2, err_msg="because_of_a_reason_that_is_so_long_that_it_does_not_fit_behind_the_header_at_all")
    check(out, "assert_array_less", np.array([1.0, 2, 3]), np.array([2.0, 2, 4]))
    check(out, "assert_array_compare", np.array([1.0, 2, nan]), np.array([2.0, 1, nan]))
    check(out, "assert_array_compare", np.array([1.0, 2, nan]), np.array([2.0, 3, nan]))
    check(out, "assert_array_compare", np.arange(3), np.arange(4), err_msg="short", verbose=False)
    check(out, "assert_array_equal", np.arange(1200) % 100 == 3, np.arange(1200) % 100 == 4)
    check(out, "assert_allclose", np.eye(12, dtype="int8"), np.zeros((12, 12), "int8"))


def numbers(out):
    for a, b in [(1, 2), (1, 1), (1.5, 1.5), (0.0, -0.0), (nan, nan), (nan, 1.0), (1, 1.0), (inf, -inf), (1 + 2j, 1 + 3j), (True, False), (2**63, 2**63),
                 (1e-8, 2e-8), (1.0, 1.00000001), (123456.0, 123457.0), (1e16, 1e16 + 4), (0.1, 0.2)]:
        check(out, "assert_equal", Weak(a), Weak(b))
        check(out, "assert_equal", Weak(a), Weak(b), err_msg="numbers")
        check(out, "assert_almost_equal", Weak(a), Weak(b))
        check(out, "assert_almost_equal", Weak(a), Weak(b), decimal=3, verbose=False)
        if not isinstance(a, complex):
            check(out, "assert_approx_equal", Weak(a), Weak(b))
            check(out, "assert_approx_equal", Weak(a), Weak(b), significant=3, err_msg="digits")


def ulps(out):
    for d in ("float16", "float32", "float64"):
        x = np.array([1, -2.5, 100, 0, 1e-3], d)
        for n in (0, 1, 2, 5):
            y = x.copy()
            for _ in range(n):
                y = np.nextafter(y, np.array(1000, d))
            for limit in (1, 2, 4):
                check(out, "assert_array_almost_equal_nulp", x, y, nulp=limit)
                check(out, "assert_array_max_ulp", x, y, maxulp=limit)
    check(out, "assert_array_max_ulp", np.array([1.0]), np.array([1.5]), dtype=np.dtype("float32"))
    check(out, "assert_array_max_ulp", np.array([-1.0]), np.array([1.0]))
    check(out, "assert_array_max_ulp", np.array([1j]), np.array([1.5]))
    check(out, "assert_array_almost_equal_nulp", np.array([1j]), np.array([1.5]))
    check(out, "assert_array_almost_equal_nulp", np.array([1j]), np.array([1j]))


def strings(out):
    for a, b in [("abc", "abc"), ("foo", "foobar"), ("abc", "abd"), ("hello_world", "hello_there"), ("a", "b"), ("one_two_three_four", "one_tow_three_four"), ("", "x"),
                 ("completely", "different!")]:
        check(out, "assert_string_equal", a, b)


def main():
    with open(f"{sys.argv[1]}/testing.txt", "w") as out:
        out.write(f"# NumPy {np.__version__}: assertions and their reports; made by scripts/golden/make_testing.py\n")
        for chapter in (arrays, numbers, ulps, strings):
            chapter(out)


main()

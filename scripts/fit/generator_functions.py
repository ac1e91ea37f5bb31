#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes src/rng/function_tables.c from the definitions of its numbers (needs mpmath and numpy).

    generator_functions.py           prints the file
    generator_functions.py --check   compares it with the one that is there

A number z of an interval is c (1 + r) with c near the middle; the tables have 1/c, rounded, and log(c), where
c is the exact inverse of what 1/c was rounded to. Intervals are cut by bits."""
import struct
import sys
import numpy as np
from mpmath import cos, mp, mpf, exp, floor, log, nint, sin
from pathlib import Path
from generators import compare, number, table

mp.prec = 220
FILE = Path(__file__).resolve().parents[2] / "src/rng/function_tables.c"

# Where the first intervals begin, as the bits of a double: of log, of pow, of both functions of float32.
LOG_BEGIN, POW_BEGIN, SINGLE_BEGIN = 0x3FE6000000000000, 0x3FE6955500000000, 0x3FE6600000000000
# 1/c of float32 is that of the middle but for two: 1 where 1 lies in the interval, and the next (rule not known).
SINGLE_INVERSE = {9: 1.0, 10: float.fromhex("0x1.e608cfd9a47acp-1")}

HEAD = """/* SPDX-License-Identifier: Apache-2.0
 * function_tables.c -- numbers near the logarithms and powers that functions_isa.c begins with, as the C library that
 * NumPy is built for has them. Made by scripts/fit/generator_functions.py. */
/* clang-format off */
#include "rng/function_tables.h"
"""


def bits(x):
    return struct.unpack("Q", struct.pack("d", x))[0]


def double(u):
    return mpf(struct.unpack("d", struct.pack("Q", u))[0])


def interval(begin, digits, i):
    width = 1 << (52 - digits)
    return double(begin + i * width), double(begin + (i + 1) * width)


# ---- Powers of two.


def powers_of_two(n, shift):
    """Bits of the doubles of 2^(i/n), less those of i, and what the doubles lack, relatively."""
    for i in range(n):
        exact = mpf(2) ** (mpf(i) / n)
        nearest = float(exact)
        yield bits(nearest) - (i << shift), float(exact / nearest - 1)


# ---- Logarithms in 43 bits behind the point, of a c whose logarithm has hardly more.


def near_log(i, begin=LOG_BEGIN, reach=2**29, kept=1500):
    """Of the doubles up to 2^29 places beside 1/middle that whose log(c) is nearest to a multiple of 2^-43, among those
    from whose c, a sum of two doubles, z can be subtracted with an error below 2^-66.

    The multiples are gone through: the inverse of each, in units of the last place, is a polynomial of third degree,
    of which the distance from an integer is looked at. Its linear part is taken modulo 1 in 64 bits."""
    low, high = interval(begin, 7, i)
    middle = (low + high) / 2
    unit, step = mpf(2) ** (-52 if middle < 1 else -53), mpf(2) ** -43
    first = nint(log(middle) / step)
    start = exp(-first * step) / unit
    span = int(reach * unit * middle / step) + 2
    t = np.arange(-span, span + 1)
    whole = lambda x: np.uint64(int(floor(x * 2**64)) % 2**64)
    turns = (t.view(np.uint64) * whole(-start * step) + whole(start)).view(np.int64) * 2.0**-64
    real = t.astype(float)
    turns += real * real * (float(start * step**2 / 2) - real * float(start * step**3 / 6))
    turns -= np.rint(turns)
    best = None
    for k in np.argpartition(abs(turns), kept)[:kept]:
        logarithm = (first + int(t[k])) * step
        inverse = nint(exp(-logarithm) / unit) * unit
        off = abs(log(inverse) + logarithm)
        if (best is None or off < best[0]) and abs(inverse - 1 / middle) <= reach * unit and subtracts(inverse, middle):
            best = off, inverse, logarithm
    return best[1:]


def subtracts(inverse, middle):
    """z - c is a multiple of `place` where it is largest; the low part of c has to be nearly one, too."""
    place = mpf(2) ** (-61 if middle < 1 else -60)
    c = 1 / inverse
    low = (c - mpf(float(c))) / place
    return abs(low - nint(low)) * place * inverse < mpf(2) ** -66


def close_log(i):
    """1/c has 8 bits; the logarithm has 43 behind the point, and what is left is the third number."""
    low, high = interval(POW_BEGIN, 7, i)
    middle = (low + high) / 2
    grid = 2**7 if middle < 1 else 2**8
    inverse = nint(grid / middle) / grid
    exact = -log(inverse)
    rounded = nint(exact * 2**43) / 2**43
    return inverse, rounded, exact - rounded


def single_inverse(i):
    """Of the middle between the interval's first and last float32."""
    if i in SINGLE_INVERSE:
        return mpf(SINGLE_INVERSE[i])
    low, high = interval(SINGLE_BEGIN, 4, i)
    return mpf(float(2 / (low + high - mpf(2) ** (-24 if high <= 1 else -23))))


def sine(i):
    """Sine and cosine of i/128 as sums of two doubles each."""
    values = []
    for exact in (sin(mpf(i) / 128), cos(mpf(i) / 128)):
        values += [float(exact), exact - float(exact)]
    return values


def rows(items):
    return ["{" + ", ".join(number(x) for x in item) + "}" for item in items]


def main():
    power = [f"{{{number(tail)}, {b:#018x}}}" for b, tail in powers_of_two(128, 45)]
    single = [single_inverse(i) for i in range(16)]
    text = HEAD + "\n" + table("knrng_power_of_two", "knrng_powers_of_two", 128, power)
    text += table("knrng_near_log", "knrng_near_logs", 128, rows(near_log(i) for i in range(128)))
    text += table("knrng_close_log", "knrng_close_logs", 128, rows(close_log(i) for i in range(128)))
    text += table("knrng_near_log", "knrng_near_logs32", 16, rows((c, -log(c)) for c in single))
    text += table("knrng_near_log", "knrng_near_binary_logs32", 16, rows((c, -log(c, 2)) for c in single))
    text += table("uint64_t", "knrng_powers_of_two32", 32, [f"{b:#018x}" for b, _ in powers_of_two(32, 47)])
    text += table("knrng_sine", "knrng_sines", "KNRNG_SINES", rows(sine(i) for i in range(136)))
    if "--check" in sys.argv:
        return compare(FILE, text)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

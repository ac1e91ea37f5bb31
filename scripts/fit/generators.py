#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes src/rng/tables.c from the definitions of its numbers (needs mpmath).

    generators.py           prints the file
    generators.py --check   compares it with the one that is there

Ziggurats: 256 layers of equal area under exp(-x^2/2) and exp(-x), x[255] where the tail begins. Layer i has the width
x[i], and x[i-1] / x[i] of it lies under the curve; layer 0 is the box below the tail, as wide as its area says.

The streams that the tables are for were made with numbers whose last bits are not always those of the exact ones. So
the normal layers in double are computed as they were there, each step rounded to double, from the two parameters
below, and the exponential ones in float32 take the way over decimal digits."""
import struct
import sys
from math import sqrt as root
from pathlib import Path
from mpmath import mp, mpf, erfc, exp, factorial, log, nint, nstr, pi, sqrt

mp.prec = 200
FILE = Path(__file__).resolve().parents[2] / "src/rng/tables.c"
LAYERS = 256

# The area of a layer, four units in the last place below the double next to the exact one.
NORMAL_AREA = float.fromhex("0x1.43016a5a4372ep-8")
# The one height that is not the double next to exp(-x^2/2), a tie but for little, and the units it is off.
NORMAL_HEIGHT_OFF = {38: 1}

HEAD = """/* SPDX-License-Identifier: Apache-2.0
 * tables.c -- numbers that streams depend on to the last bit, as NumPy has them: the ziggurats of J. Doornik's
 * form, the logarithms of factorials, and the polynomial of 2^128 steps of MT19937 (scripts/fit/generators.py). */
/* clang-format off */
#include "rng/tables.h"
"""


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def single_of_digits(x):
    """By way of nine decimal digits, in which the exponential tables were written once."""
    return single(mpf(nstr(mpf(x), 9)))


# ---- Ziggurats.


class Normal:
    end_between = 3, 4

    @staticmethod
    def density(x):
        return exp(-x * x / 2)

    @staticmethod
    def inverse(y):
        return sqrt(-2 * log(y))

    @staticmethod
    def area(r):
        return r * exp(-r * r / 2) + sqrt(pi / 2) * erfc(r / sqrt(2))


class Exponential:
    end_between = 7, 8

    @staticmethod
    def density(x):
        return exp(-x)

    @staticmethod
    def inverse(y):
        return -log(y)

    @staticmethod
    def area(r):
        return (r + 1) * exp(-r)


def edges(curve, end):
    """x[1..255], x[255] = end, and by how much the top layer passes the curve's height of 1."""
    area, x = curve.area(end), [mpf(0)] * LAYERS
    x[-1] = end
    for i in range(LAYERS - 2, 0, -1):
        y = area / x[i + 1] + curve.density(x[i + 1])
        if y >= 1:
            return x, mpf(1)
        x[i] = curve.inverse(y)
    return x, area / x[1] + curve.density(x[1]) - 1


def end_of(curve):
    """Where the tail begins: the layers end at the height of 1 exactly."""
    low, high = map(mpf, curve.end_between)
    while high - low > mpf(2)**-180:
        middle = (low + high) / 2
        if edges(curve, middle)[1] > 0:
            low = middle
        else:
            high = middle
    return high


def ziggurat(curve):
    """Parts under the curve, widths, heights, all exact."""
    end = end_of(curve)
    x = edges(curve, end)[0]
    x[0] = curve.area(end) / curve.density(end)
    part = [end / x[0], mpf(0)] + [x[i - 1] / x[i] for i in range(2, LAYERS)]
    return part, x, [mpf(1)] + [curve.density(v) for v in x[1:]]


def normal_double():
    """Step by step in double."""
    x, height = [0.0] * LAYERS, [1.0] * LAYERS
    x[-1] = float(end_of(Normal))
    for i in range(LAYERS - 1, 0, -1):
        if i < LAYERS - 1:
            x[i] = root(-2 * float(log(mpf(NORMAL_AREA / x[i + 1] + height[i + 1]))))
        height[i] = float(exp(mpf(-0.5 * x[i] * x[i])))
        height[i] += NORMAL_HEIGHT_OFF.get(i, 0) * 2.0**-53
    x[0] = NORMAL_AREA / height[-1]
    part = [x[-1] / x[0], 0.0] + [x[i - 1] / x[i] for i in range(2, LAYERS)]
    return [round(p * 2.0**52) for p in part], [v * 2.0**-52 for v in x], height


def ziggurats():
    """(name, bits of the type, type of heights, places, widths, heights), in the file's order. Places have 52 and 23
    bits; the exponential ones of double are drawn with one bit more, which is zero in the table."""
    normal, exponential = ziggurat(Normal), ziggurat(Exponential)
    part, x, height = exponential
    yield "normal", "", "double", *normal_double()
    places = [2 * int(p * 2**52) for p in part]
    yield "exponential", "", "double", places, [float(v / 2**53) for v in x], [float(h) for h in height]
    for name, (part, x, height), to in (("normal", normal, single), ("exponential", exponential, single_of_digits)):
        places = [int(nint(p * 2**23)) for p in part]
        yield name, "32", "float", places, [to(v / 2**23) for v in x], [to(h) for h in height]


# ---- MT19937: bits as coefficients of polynomials over GF(2).

DEGREE = 19937


def lowest_bits(n):
    """Of the words of a state that steps n times."""
    key = [5489]
    for i in range(1, 624):
        key.append((1812433253 * (key[-1] ^ key[-1] >> 30) + i) & 0xFFFFFFFF)
    for k in range(n):
        i = k % 624
        y = key[i] & 0x80000000 | key[(i + 1) % 624] & 0x7FFFFFFF
        key[i] = key[(i + 397) % 624] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0)
        yield key[i] & 1


def characteristic(bits):
    """Of the shortest recurrence of these bits (E. Berlekamp, J. Massey)."""
    now, before, length, since, past = 1, 1, 0, 1, 0
    for n, bit in enumerate(bits):
        past = past << 1 | bit
        if bin(now & past).count("1") & 1:
            old = now
            now ^= before << since
            if 2 * length <= n:
                length, before, since = n + 1 - length, old, 0
        since += 1
    assert length == DEGREE
    return int(format(now, f"0{DEGREE + 1}b")[::-1], 2)


def jump():
    """x^(2^128) modulo the characteristic polynomial, in words."""
    modulus, p = characteristic(lowest_bits(2 * DEGREE)), 2
    for _ in range(128):
        p = int(format(p, "b").replace("0", "00").replace("1", "01"), 2)  # squared
        while p.bit_length() > DEGREE:
            p ^= modulus << (p.bit_length() - 1 - DEGREE)
    return [p >> 32 * i & 0xFFFFFFFF for i in range(624)]


# ---- The file.


def number(x, suffix=""):
    if x == 0:
        return "0"
    digits, exponent = float(x).hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + exponent + suffix


def wrapped(items, width=116):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > width:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join(lines + [line])


def table(kind, name, size, items):
    return f"const {kind} {name}[{size}] = {{\n{wrapped(items)}\n}};\n"


def compare(path, text):
    """Tells whether the file at path is this text."""
    same = path.read_text() == text
    print(f"{path.name}: {'as it is made here' if same else 'differs from what is made here'}")
    return 0 if same else 1


def main():
    text = HEAD + "\n"
    for name, bits, kind, place, width, height in ziggurats():
        suffix = "f" if bits else ""
        rows = [f"{{{p:#x}, {number(w, suffix)}}}" for p, w in zip(place, width)]
        text += table(f"knrng_layer{bits}", f"knrng_{name}_layer{bits}", LAYERS, rows)
        text += table(kind, f"knrng_{name}_height{bits}", LAYERS, [number(h, suffix) for h in height])
    text += table("double", "knrng_log_factorials", 126, [number(log(factorial(k))) for k in range(126)])
    text += table("uint32_t", "knrng_mt_jump", 624, [f"{w:#x}" for w in jump()])
    if "--check" in sys.argv:
        return compare(FILE, text)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

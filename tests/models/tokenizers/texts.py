# SPDX-License-Identifier: Apache-2.0
"""texts.py -- writes lines of mixed text for tokenizers, each of them ended by a zero byte: all scripts, emoji, combining marks, broken UTF-8, runs
of blanks, code, addresses, and real texts that are found on the machine.
usage: texts.py OUT LINES [SEED]"""
import os
import random
import sys

RANGES = [(0x20, 0x7f)] * 12 + [(0xa0, 0x250)] * 3 + [
    (0x250, 0x370), (0x370, 0x400), (0x400, 0x530), (0x531, 0x590), (0x591, 0x600), (0x600, 0x700), (0x700, 0x7c0), (0x7c0, 0x8a0),
    (0x8a0, 0x900), (0x900, 0x980), (0x980, 0xa00), (0xa00, 0xb00), (0xb00, 0xc00), (0xc00, 0xd00), (0xd00, 0xe00), (0xe00, 0xe80),
    (0xe80, 0xf00), (0xf00, 0x1000), (0x1000, 0x10a0), (0x10a0, 0x1100), (0x1100, 0x1200), (0x1200, 0x1400), (0x1400, 0x1700),
    (0x1700, 0x1800), (0x1800, 0x1900), (0x1900, 0x1b00), (0x1b00, 0x1d00), (0x1d00, 0x1e00), (0x1e00, 0x2000), (0x2000, 0x2070),
    (0x2070, 0x2200), (0x2200, 0x2600), (0x2600, 0x2c00), (0x2c00, 0x2e00), (0x2e00, 0x3040), (0x3040, 0x3100), (0x3100, 0x3400),
    (0x3400, 0x4e00), (0x4e00, 0xa000), (0x4e00, 0xa000), (0xa000, 0xa640), (0xa640, 0xac00), (0xac00, 0xd7b0), (0xf900, 0xfb00),
    (0xfb00, 0xfe00), (0xfe00, 0x10000), (0x10000, 0x10800), (0x10800, 0x11000), (0x11000, 0x12000), (0x12000, 0x13500),
    (0x16800, 0x17000), (0x17000, 0x18d10), (0x1b000, 0x1b300), (0x1d000, 0x1d800), (0x1d800, 0x1ec00), (0x1ee00, 0x1f000),
    (0x1f000, 0x1fb00), (0x20000, 0x323b0), (0xe0000, 0xe01f0), (0xf0000, 0xf0100)]
EMOJI = ["\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd",
         "1\ufe0f\u20e3", "\U0001f9d1\u200d\U0001f4bb"]
WORDS = ("the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not what all were we "
         "when your can said there use an each which she do how their if will up other about out many then them these so some her would make "
         "like him into time has look two more write go see number no way could people my than first water been call who oil its now find "
         "I'm you've they'll it's don't WE'RE can'T Hello World HTTPServer camelCase snake_case être naïve Straße façade Москва привет мир "
         "γειά σου 你好 世界 今日は 안녕하세요 مرحبا שלום नमस्ते สวัสดี xin chào İstanbul ΣΊΣΥΦΟΣ ﬁnance Ⅷ ½ ² ①").split()
BLANKS = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n ", "\u00a0", "\u3000", "\u2003", "\u2028", "\u0085", "\x0b", " " * 17, "\t\t\t"]
CODE = ["for (int i = 0; i < n; i++) {\n\treturn x[i];\n}", "def f(x):\n    return x ** 2  # square\n", "https://example.org/a/b?c=d&e=%20f#g",
        "SELECT * FROM t WHERE a<>'b''c';", "user@example.com", "0x1F3A, 1e-10, 3.14159, 1,234,567.89", "<div class=\"a\">&amp;</div>",
        "git commit -m 'it''s' && make -j2 || exit 1", "#!/bin/sh\nset -eu\n", "\\frac{1}{2} $x^2$", "a->b::c(d)[e]{f}", "--long-option=value"]
BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80\x80", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xfe\xfe"]


def real_lines():
    lines = []
    for top in ("/usr/share/i18n/locales", "/usr/share/doc", "/usr/share/perl", "/usr/lib/python3"):
        for folder, folders, files in os.walk(top):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                if name.endswith((".gz", ".pyc", ".so", ".png")) or os.path.islink(path) or os.path.getsize(path) > 400000:
                    continue
                with open(path, "rb") as f:
                    lines += [x for x in f.read().split(b"\n") if x and b"\0" not in x]
            if len(lines) > 400000:
                break
    return lines or [b"no text was found"]


def character(r):
    low, high = r.choice(RANGES)
    c = r.randrange(low, high)
    return chr(c) if c and not 0xd800 <= c < 0xe000 else "x"


def piece(r):
    k = r.random()
    if k < 0.45:
        return r.choice(WORDS)
    if k < 0.55:
        return r.choice(BLANKS)
    if k < 0.62:
        return r.choice(CODE)
    if k < 0.67:
        return r.choice(EMOJI)
    if k < 0.74:
        low, high = r.choice(RANGES)
        return "".join(chr(c) for c in (r.randrange(low, high) for _ in range(r.randrange(1, 9))) if c and not 0xd800 <= c < 0xe000)
    if k < 0.80:
        return "".join(character(r) for _ in range(r.randrange(1, 6)))
    if k < 0.84:
        return str(r.randrange(10 ** r.randrange(1, 12)))
    if k < 0.88:
        return r.choice("aeonuAEO") + "".join(chr(r.randrange(0x300, 0x370)) for _ in range(r.randrange(1, 4)))
    if k < 0.92:
        return r.choice("!?.,-_/=*#~'\"()") * r.randrange(1, 12)
    if k < 0.93:
        return r.choice(["<|endoftext|>", "[MASK]", "<s>", " </s> ", "[CLS]"])
    return "".join(r.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(r.randrange(1, 25)))


def line(r, real):
    if r.random() < 0.5:
        return r.choice(real)
    parts = []
    for _ in range(r.randrange(1, 14)):
        parts.append(piece(r).encode())
        if r.random() < 0.6:
            parts.append(b" ")
        if r.random() < 0.01:
            parts.append(r.choice(BROKEN))
        if r.random() < 0.003:
            parts.append(r.choice([b" ", b"a", b"=", "\u00e9".encode(), "\u4e00".encode()]) * r.randrange(50, 400))
    return b"".join(parts)


def main():
    r = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    real = real_lines()
    with open(sys.argv[1], "wb") as f:
        for _ in range(int(sys.argv[2])):
            f.write(line(r, real).replace(b"\0", b"") + b"\0")


main()

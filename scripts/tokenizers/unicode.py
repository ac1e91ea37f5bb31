# SPDX-License-Identifier: Apache-2.0
"""unicode.py -- writes src/models/tokenizer/table.c: what each code point is. Categories are those of Unicode 16.0 (PyPI: unicodedata2 16.0.0),
which Oniguruma and Rust's regular expressions use; ages and scripts come from Perl's tables.
usage: unicode.py > src/models/tokenizer/table.c"""
import subprocess

import unicodedata2

NAMES = "Cn Cc Cf Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()
PERL = r"""
use Unicode::UCD qw(charscript);
for my $c (0..0x10ffff) {
    next if $c >= 0xd800 && $c < 0xe000;
    my $x = chr $c;
    next unless $x =~ /\p{Present_In: 9.0}/;
    print "$c ", ($x =~ /\p{Present_In: 8.0}/ ? 8 : 9), " ", charscript($c) // "Unknown", "\n";
}
"""


def runs(values):
    begin = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or values[i] != values[begin]:
            yield begin, values[begin]
            begin = i


def table(kind, name, rows, form):
    print(f"const {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        item = " " + form(*row) + ","
        if len(line) + len(item) > 118:
            print(line)
            line = "   "
        line += item
    print(line + "\n};\n")


def main():
    assert unicodedata2.unidata_version == "16.0.0"
    age, script = {}, {}
    for line in subprocess.run(["perl", "-e", PERL], check=True, capture_output=True, text=True).stdout.splitlines():
        c, a, s = line.split()
        age[int(c)] = int(a)
        script[int(c)] = s
    script.update({0x589: "Common", 0x61c: "Common", 0x953: "Devanagari", 0x954: "Devanagari"})  # as they were in 9.0
    what = []
    for c in range(0x110000):
        gc = NAMES.index("Cs" if 0xd800 <= c < 0xe000 else unicodedata2.category(chr(c)))
        what.append(gc | (32 if age.get(c, 99) <= 8 else 0) | (64 if age.get(c, 99) <= 9 else 0))
    scripts = sorted(set(script.values()) - {"Common", "Unknown", "Inherited"})
    number = {s: i + 3 for i, s in enumerate(scripts)} | {"Unknown": 0, "Common": 1, "Inherited": 2}
    of = [number[script.get(c, "Unknown")] for c in range(0x110000)]
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(" * table.c -- what each code point is, as runs: where one begins, and its category (Unicode 16.0), 32 if it was there in")
    print(" * Unicode 8.0, 64 if in 9.0; and its script in 9.0. Made by scripts/tokenizers/unicode.py. */")
    print("/* clang-format off */")
    print('#include "models/tokenizer/unicode.h"\n')
    rows = list(runs(what))
    table("kntok_run", "kntok_what", rows, lambda c, v: f"{{{c:#x},{v}}}")
    print(f"const int kntok_what_count = {len(rows)};\n")
    rows = list(runs(of))
    table("kntok_run", "kntok_script", rows, lambda c, v: f"{{{c:#x},{v}}}")
    print(f"const int kntok_script_count = {len(rows)};")
    print(f"const int kntok_script_han = {number['Han']}, kntok_script_hiragana = {number['Hiragana']}, "
          f"kntok_script_katakana = {number['Katakana']};")


main()

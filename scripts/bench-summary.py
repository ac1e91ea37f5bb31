#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where Kiln stands: for each row its time divided by that of the best library and by that of plain C, and geometric means.

usage: bench-summary.py [--rows] [--families A,B] BENCH.json...    what `make bench` wrote; of a row in several files the least times count

All numbers are of the least of all turns. A library with one thread may be the best with two as well. `1T` and `2T`: with one thread and with two;
C has one, and is compared with one thread of Kiln. --rows: every row, the worst first; without it only those that miss: above 1.1 of the best library
or above 1.3 of C.
"""
import argparse
import json
import math

LIBRARY, PLAIN = 1.1, 1.3


def is_plain(side):
    return side.lower() in ("c", "c 1t")


def threads_of(side):
    return int(side[-2]) if side[-1] == "T" and side[-2:-1].isdigit() else 1


def times(row):
    """{side: the least time}"""
    found = {k: v["least"] for k, v in row.items() if isinstance(v, dict) and v.get("least")}
    return {k: 1 / v for k, v in found.items()} if row["better"] == "higher" else found


def read(files):
    rows = {}
    for file in files:
        for row in json.load(open(file)):
            name, family = row["name"], row.get("family", "")
            _, unit, rate, old = rows.get(name, (family, row["unit"], row["better"] == "higher", {}))
            new = times(row)
            rows[name] = (family, unit, rate, {k: min(v for v in (old.get(k), new.get(k)) if v) for k in {**old, **new}})
    return rows


def best(sides, threads):
    """(its time, its name) of the best library; C is none, nor is another version of the same work in this process."""
    found = [(t, k) for k, t in sides.items() if not k.startswith("kiln") and not is_plain(k) and threads_of(k) <= threads]
    return min(found, default=(None, ""))


def ratios(sides):
    """of 1T and 2T by the best library, of 1T by C; None where there is nothing to compare with"""
    made = []
    for threads in 1, 2:
        kiln, (other, _) = sides.get(f"kiln {threads}T"), best(sides, threads)
        made.append(kiln / other if kiln and other else None)
    plain = min((t for k, t in sides.items() if is_plain(k)), default=None)
    return made + [sides["kiln 1T"] / plain if plain and sides.get("kiln 1T") else None]


def mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(x, width=7):
    return f"{x:{width}.2f}" if x else " " * (width - 1) + "-"


def number(x, rate):
    return f"{1 / x if rate else x:9.4g}" if x else " " * 8 + "-"


def misses(r):
    return any(x and x > bound for x, bound in zip(r, (LIBRARY, LIBRARY, PLAIN)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--families", default="")
    args = parser.parse_args()
    rows = read(args.files)
    if args.families:
        rows = {k: v for k, v in rows.items() if v[0] in args.families.split(",")}
    made = {name: ratios(sides) for name, (_, _, _, sides) in rows.items()}
    families = {}
    for name, (family, *_) in rows.items():
        families.setdefault(family, []).append(name)
    print(f"{'family':16} rows   1T/library 2T/library   1T/C   missing")
    for family, names in [*families.items(), ("all", list(rows))]:
        means = [mean(made[n][i] for n in names) for i in range(3)]
        print(f"{family:16} {len(names):4}   {show(means[0], 10)} {show(means[1], 10)} {show(means[2], 6)}   {sum(misses(made[n]) for n in names):4}")
    for family, names in families.items():
        names = [n for n in names if args.rows or misses(made[n])]
        if not names:
            continue
        print(f"\n{family}{'':{max(1, 30 - len(family))}} unit      kiln 1T   kiln 2T    lib 1T    lib 2T       C   1T/lib  2T/lib    1T/C")
        for name in sorted(names, key=lambda n: -max((x for x in made[n] if x), default=0)):
            _, unit, rate, sides = rows[name]
            (one, _), (two, who) = best(sides, 1), best(sides, 2)
            plain = min((t for k, t in sides.items() if is_plain(k)), default=None)
            cells = " ".join(number(x, rate) for x in (sides.get("kiln 1T"), sides.get("kiln 2T"), one, two, plain))
            marks = [show(x) + ("*" if x and x > bound else " ") for x, bound in zip(made[name], (LIBRARY, LIBRARY, PLAIN))]
            print(f"{name:31}{unit:7}{cells} {''.join(marks)} {best(sides, 1)[1]}{' / ' + who if who != best(sides, 1)[1] else ''}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the bench beside each other, Kiln's own columns alone: is a row slower than before?

usage: bench-compare.py OLD NEW [--turns N] [--bound RATIO] [--groups N] [NAME...]

OLD and NEW are bench programs (build/release/bench/bench of two commits). They take turns, a few rows at a time, so that what else runs on the
machine meets both. A number is NEW's time divided by OLD's: of the least times of all turns, and the median of the turns' own ratios. Rows above the bound
in both are measured again, one by one, with twice as many turns. NAME: only rows whose names contain one of these.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile


def run(program, rows):
    """{(row, column): (least, median)} in time, of the rows whose names contain one of `rows` (all if there are none)."""
    env = dict(os.environ, KILN_BENCH_PYTHON="/bin/false", KILN_BENCH_JAX="/bin/false", KILN_BENCH_TORCH="/bin/false")
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, file.name, *rows], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        try:
            made = json.load(open(file.name))
        except json.JSONDecodeError:
            return {}
    times = {}
    for row in made:
        for column, value in row.items():
            if column.startswith("kiln") and isinstance(value, dict) and value.get("least"):
                pair = (value["least"], value["median"])
                times[row["name"], column] = tuple(1 / x for x in pair) if row["better"] == "higher" else pair
    return times


def compare(old, new, rows, turns):
    """{(row, column): (ratio of the least, median ratio)}"""
    seen = {}
    for turn in range(turns):
        order = [(0, old), (1, new)] if turn % 2 == 0 else [(1, new), (0, old)]
        for which, program in order:
            for key, pair in run(program, rows).items():
                seen.setdefault(key, ([], []))[which].append(pair)
    ratios = {}
    for key, (a, b) in seen.items():
        if a and b:
            least = min(x[0] for x in b) / min(x[0] for x in a)
            ratios[key] = (least, statistics.median(y[0] / x[0] for x, y in zip(a, b)))
    return ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--bound", type=float, default=1.03)
    parser.add_argument("--groups", type=int, default=8, help="rows that are measured before the other program has its turn")
    args = parser.parse_intermixed_args()
    lines = subprocess.run([args.new, "--list"], capture_output=True, text=True).stdout.splitlines()
    names = [line.split()[-1] for line in lines]  # a family stands in front
    wanted = [n for n in names if not args.rows or any(r in n for r in args.rows)]
    if not wanted:
        sys.exit("no rows have such names")
    wanted = [n for n in wanted if not any(m != n and m in n for m in wanted)]  # a name takes the rows along that contain it
    ratios = {}
    for i in range(0, len(wanted), args.groups):
        ratios.update(compare(args.old, args.new, wanted[i:i + args.groups], args.turns))
    above = sorted({row for (row, _), r in ratios.items() if min(r) > args.bound})
    print(f"{len(ratios)} numbers, geometric mean {math.exp(sum(math.log(r[0]) for r in ratios.values()) / max(len(ratios), 1)):.3f}")
    for row in above:
        again = compare(args.old, args.new, [row], 2 * args.turns)
        ratios.update({key: r for key, r in again.items() if key[0] == row})
    for (row, column), (least, median) in sorted(ratios.items(), key=lambda item: -item[1][0]):
        print(f"{row:34} {column:8} {least:6.3f} {median:6.3f}" + ("  above" if min(least, median) > args.bound else ""))


main()

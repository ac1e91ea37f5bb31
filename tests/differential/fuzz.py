#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py -- random programs in NumPy and in Kiln side by side; every difference is printed as a short program.

    build/venv/bin/python tests/differential/fuzz.py                     # a minute; what `make check-all` runs
    ... fuzz.py --operations 1000000 --seed 7                            # by hand
    ... fuzz.py --one 123456                                             # the program of that seed
    ... fuzz.py --replay FILE                                            # programs from a file, as found.txt
    ... fuzz.py --package                                                # through the Python package
    ... fuzz.py --only 'np.pad'                                          # rows whose template has that text
    ... fuzz.py --triage                                                 # goes on, and counts kinds of differences

Programs that showed a difference once are in found.txt and run first. NumPy has to be 2.4 or newer. What the programs are
made of is in rows.py, where Kiln differs on purpose in known.py."""
import argparse
import faulthandler
import os
import pathlib
import random
import resource
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402

if tuple(int(k) for k in np.__version__.split(".")[:2]) < (2, 4):
    print(f"skipped: NumPy {np.__version__} is older than 2.4, the referee")
    sys.exit(77)

from binding import Kiln, Unsupported  # noqa: E402
from facade import View, Facade  # noqa: E402
from generate import Gap, Generator  # noqa: E402
from program import Difference, Line, Run, Stop, run_lines, shrink  # noqa: E402
from rows import ROWS  # noqa: E402


def generate(seed, rows):
    """The program of a seed: its lines, made while they run in NumPy, and how to run it."""
    dice = random.Random(seed)
    settings = {"late": dice.random() < 0.15, "placeholders": dice.random() < 0.3, "jit": dice.random() < 0.12,
                "threads": dice.choice([1, 2])}
    usable = [r for r in rows if r[2] in "xz" and ".at(" not in r[1]] if settings["late"] else rows
    weights = [r[0] for r in usable]
    env = {}
    g = Generator(dice, env, real=settings["late"])
    for _ in range(dice.randint(3, 14)):
        _, template, how, remarks = dice.choices(usable, weights)[0]
        g.lines = []
        try:
            text = g.fill(template)
        except (Gap, ValueError, IndexError, TypeError, KeyError):
            g.lines, text = [], None
        for line in g.lines:
            yield Line(line), settings, env
        if text is None:
            continue
        if "w" in remarks:
            yield Line(text, how, remarks), settings, env
        else:
            yield Line(f"{g.name()} = {text}", how, remarks), settings, env


def program(kiln, seed, rows, totals, trail):
    """Makes and runs the program of a seed. Raises a Difference with `lines` and `settings`."""
    lines, settings = [], {}
    run = None
    try:
        for line, settings, env in generate(seed, rows):
            if run is None:
                kiln.kn_set_threads(settings["threads"])
                run = Run(kiln, late=settings["late"], seen=totals.setdefault("known", {}))
                run.__enter__()
                run.there["np"].placeholders = settings["placeholders"]
            lines.append(line)
            if trail:
                trail.write(str(line) + "\n")
                trail.flush()
            run.step(line)
            for name in set(env) - set(run.y):  # what failed is no variable
                del env[name]
            env.update(run.y)
        if run:
            run.end(lines)
            if settings["jit"]:
                totals["jit"] = totals.get("jit", 0) + run.traced(lines)
    except Stop:
        pass
    except Difference as d:
        d.lines, d.settings = lines, settings
        raise
    finally:
        if run:
            totals["operations"] = totals.get("operations", 0) + run.operations
            totals["errors"] = totals.get("errors", 0) + run.raised
            run.__exit__()


def tell(kiln, d, seed):
    lines, settings = shrink(kiln, d.lines, d.signature(), d.settings)
    print(f"\n---- {d.signature()}   (seed {seed}{', ' + ' '.join(k for k, v in settings.items() if v) if any(settings.values()) else ''})")
    for line in lines:
        print(line)
    try:
        run_lines(kiln, lines, settings)
        text = d.text
    except Difference as e:
        text = e.text
    print("\n".join("    " + t for t in text[:700].splitlines()), flush=True)


def replay(kiln, path):
    """The programs of a file, divided by empty lines; lines that begin with # are remarks."""
    failed = n = 0
    for block in path.read_text().split("\n\n"):
        settings = {"jit": "jit" in block.splitlines()[0], "late": "late" in block.splitlines()[0]} if block.strip() else {}
        lines = [Line.read(t) for t in block.splitlines() if t.strip() and not t.startswith("#")]
        if lines:
            n += 1
            try:
                run_lines(kiln, lines, settings)
            except Difference as d:
                failed += 1
                print(f"\n---- found again: {d.signature()}\n{block.strip()}\n{d.text}", flush=True)
    return n, failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--library", default=os.environ.get("KILN_LIBRARY", str(HERE.parents[1] / "build/release/libkiln.so")))
    p.add_argument("--package", action="store_true", help="through the Python package instead of the library")
    p.add_argument("--operations", type=int, default=0)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--one", type=int)
    p.add_argument("--replay", type=pathlib.Path)
    p.add_argument("--only")
    p.add_argument("--triage", action="store_true")
    p.add_argument("--trail", help="a file that holds the lines of the program at work, for crashes")
    p.add_argument("--limit", type=int, default=200, help="kinds of differences to print")
    o = p.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    if o.package:
        from package import Package
        kiln = Package()
    elif pathlib.Path(o.library).exists():
        kiln = Kiln(o.library, View)
    else:
        print(f"skipped: no {o.library}")
        return 77
    rows = [r for r in ROWS if o.only in r[1]] if o.only else ROWS
    trail = open(o.trail, "w") if o.trail else None
    if o.replay or o.one is None and (HERE / "found.txt").exists():
        n, failed = replay(kiln, o.replay or HERE / "found.txt")
        print(f"{n} programs of {o.replay or 'found.txt'}, {failed} differ")
        if o.replay or failed and not o.triage:
            return 1 if failed else 0
    seed = o.one if o.one is not None else o.seed if o.seed is not None else int(time.time()) * 1000
    print(f"seed {seed}, NumPy {np.__version__}")
    totals, kinds, start = {}, {}, time.time()
    while o.one is None or seed == o.one:
        if trail:
            trail.seek(0)
            trail.truncate()
        try:
            program(kiln, seed, rows, totals, trail)
        except Difference as d:
            s = d.signature()
            kinds[s] = kinds.get(s, 0) + 1
            if kinds[s] == 1 and len(kinds) <= o.limit:
                tell(kiln, d, seed)
            if not o.triage:
                break
        seed += 1
        if o.operations and totals.get("operations", 0) >= o.operations:
            break
        if not o.operations and time.time() - start > o.seconds:
            break
    print(f"\n{totals.get('operations', 0)} operations, {totals.get('errors', 0)} of them errors on both sides, "
          f"{totals.get('jit', 0)} once more under kn_jit, {time.time() - start:.0f} s, {sum(kinds.values())} differences")
    for s, n in sorted(totals.get("known", {}).items(), key=lambda e: -e[1]):
        print(f"    known: {n:6} {s}")
    for s, n in sorted(kinds.items(), key=lambda e: -e[1]):
        print(f"    {n:6} {s}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())

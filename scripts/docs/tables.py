#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the calls in tables of pages, and compares them with what stands beside them in Python.

usage: tables.py BUILD [PAGES]     BUILD: a folder with libkiln.so; PAGES: all of docs/guides/
CC: the compiler.

A table is checked if a comment in front of it says what its rows need:

    <!-- rows: kn_array x = kn_of(double, 1, 2);
    python: x = np.array([1.0, 2.0]) -->

The column with the head `Kiln` has C: each text between backticks is an expression or statements (with a semicolon at the end), in a scope of its own behind
the declarations. With `python:` the first column has Python (np is numpy; jax, jnp and optax if the table speaks of them), and each expression has to print
what the one in C prints; after statements `x` is printed on both sides. Without the modules that Python needs the C is run alone."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = """#include <kiln/kiln.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
static void shown_array(const kn_array *v) { kn_print(*v, .precision = 4, .suppress = true); }
static void shown_double(const double *v) { kn_printf("%.4g\\n", *v); }
static void shown_int(const int *v) { kn_printf("%d\\n", *v); }
static void shown_bool(const bool *v) { kn_printf("%d\\n", *v); }
static void shown_long(const long *v) { kn_printf("%d\\n", *v); }
static void shown_text(const char *const *v) { puts(*v); }
static void shown_nothing(const void *v) { (void)v; }
#define SHOW(e) ({ __auto_type shown = (e); _Generic(&shown, kn_array *: shown_array, double *: shown_double, bool *: shown_bool, int *: shown_int, \\
    long *: shown_long, const char **: shown_text, default: shown_nothing)(&shown); })
"""
FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-function"]
CODE = re.compile(r"`([^`]+)`")


class Table:
    def __init__(self, page, line, given, rows):
        declarations, _, self.python = given.partition("python:")
        lines = declarations.strip().split("\n")
        self.top = "\n".join(x[len("top:"):] for x in lines if x.startswith("top:"))
        self.declarations = "\n".join(x for x in lines if not x.startswith("top:"))
        self.page, self.line = page, line
        column = [c.strip() for c in rows[0]].index("Kiln")
        self.rows = [(number, CODE.findall(row[0]), CODE.findall(row[column])) for number, row in enumerate(rows[2:], line + 2)]

    def program(self):
        bodies = "".join(f'    puts("@{number}.{k}");\n    {{\n        KN_SCOPE;\n        {self.declarations}\n        {self.shown(number, k, code)}\n    }}\n'
                         for number, _, codes in self.rows for k, code in enumerate(codes))
        return f"{HEAD}{self.top}\nint main(void)\n{{\n    KN_SCOPE;\n{bodies}    return kn_finish();\n}}\n"

    def shown(self, number, k, code):
        place = f'#line {number} "{self.page}"\n'
        if not code.endswith(";"):
            return f"\n{place}        SHOW({code});"
        return f"\n{place}        {code}" + (" kn_print(x, .precision = 4, .suppress = true);" if self.python.strip() else "")

    def expected(self):
        """What Python prints: {"line.piece": text}, or None without its modules."""
        try:
            import numpy
            names = {"np": numpy}
            if "jax" in self.python or "jnp" in self.python:
                import jax
                jax.config.update("jax_enable_x64", True)
                names |= {"jax": jax, "jnp": jax.numpy}
        except ImportError:
            return None
        numpy.set_printoptions(precision=4, suppress=True)
        printed = {}
        for number, codes, _ in self.rows:
            for k, code in enumerate(codes):
                space = dict(names)
                exec(self.python.strip(), space)
                try:
                    run = compile(code, self.page, "eval")
                except SyntaxError:
                    exec(code, space)
                    run = "x"
                with contextlib.redirect_stdout(io.StringIO()) as out, numpy.errstate(all="ignore"):
                    value = eval(run, space)
                    value = space["x"] if value is None else value  # a call that writes
                    print(f"{value:.4g}" if isinstance(value, float) and not isinstance(value, numpy.generic) else value)
                printed[f"{number}.{k}"] = out.getvalue().strip()
        return printed


def tables(path, page):
    """Those with a comment in front."""
    found, given, lines = [], None, path.read_text().split("\n")
    i = 0
    while i < len(lines):
        if lines[i].startswith("<!-- rows:"):
            text = lines[i]
            while "-->" not in text:
                i += 1
                text += "\n" + lines[i]
            given = text[len("<!-- rows:"):text.index("-->")]
        elif lines[i].startswith("|") and given is not None:
            rows, first = [], i + 1
            while i < len(lines) and lines[i].startswith("|"):
                rows.append(lines[i].strip().strip("|").split("|"))
                i += 1
            found.append(Table(page, first, given, rows))
            given = None
        i += 1
    return found


def same(a, b):
    """As text, but for truth values of C and Python, spaces, a point behind whole numbers, and the last digits of a number."""
    try:
        return abs(float(a) - float(b)) <= 1e-12 * abs(float(b))
    except ValueError:
        pass

    def plain(t):
        t = " ".join(t.split()).replace("[ ", "[").replace(" ]", "]")
        return re.sub(r"\.0*(?=\D|$)", "", {"True": "1", "False": "0"}.get(t, t)).replace("-0", "0") if len(t) < 40 else t
    return plain(a) == plain(b)


def check(build, folder, table):
    source = folder / "table.c"
    source.write_text(table.program())
    done = subprocess.run([os.environ.get("CC", "cc"), *FLAGS, f"-I{ROOT / 'include'}", str(source), "-o", str(folder / "table"), f"-L{build}",
                           f"-Wl,-rpath,{build}", "-lkiln", "-lm", "-lpthread"], capture_output=True, text=True)
    if done.returncode:
        return [f"{table.page}:{table.line}: does not compile:\n{done.stderr[:3000]}"]
    done = subprocess.run([str(folder / "table")], capture_output=True, text=True, cwd=folder, timeout=120)
    if done.returncode:
        return [f"{table.page}:{table.line}: status {done.returncode}: {done.stderr}"]
    if not table.python.strip():
        return []
    expected, wrong = table.expected(), []
    if expected is None:
        print(f"{table.page}:{table.line}: no Python modules, values are not compared")
        return []
    pieces = re.split(r"^@(\d+\.\d+)\n", done.stdout, flags=re.M)
    for place, ours in zip(pieces[1::2], pieces[2::2]):  # what prints nothing is a pointer, a generator, a structure
        if place in expected and ours and not same(ours.strip(), expected[place]):
            wrong.append(f"{table.page}:{place}: prints\n{ours.strip()}\nPython:\n{expected[place]}")
    return wrong


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    build = Path(arguments[0]).resolve()
    pages = [Path(a).resolve() for a in arguments[1:]] or sorted((ROOT / "docs/guides").glob("*.md"))
    found = [t for p in pages for t in tables(p, str(p.relative_to(ROOT)))]
    with tempfile.TemporaryDirectory() as folder:
        wrong = [w for t in found for w in check(build, Path(folder), t)]
    print("\n".join(wrong + [f"{sum(len(t.rows) for t in found)} rows of {len(found)} tables, {len(wrong)} wrong"]))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))

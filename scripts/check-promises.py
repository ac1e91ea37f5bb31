#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/promises.md gives as evidence exist? Files and folders, tests, public functions and constants; how many names
of a module there are ("poly1d 12 of 12"), by docs/coverage.md; and how many rows are kept, by its own table.

usage: check-promises.py """
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATH = re.compile(r"(?<![\w/.<-])(?:\.?[\w-]+/)*[\w*-]+(?:\.(?:c|h|md|sh|py|def|api|txt|npz|json|cmake|tsv)\b|/)(?![\w/])"
                  r"|(?<![\w/.<-])(?:src|tests|scripts|docs|bench|examples|bindings|include|api|data|prim|compile|host|device|transform|kernel"
                  r"|array|numpy|lib|function|base|ir)(?:/[\w*-]+)+(?![\w/.])")
TEST = re.compile(r"(?<![\w/])(check)/([a-z0-9_]+)|(?<![\w/])(test_[a-z0-9_*]+)(?![\w.*/])")
NAME = re.compile(r"(?<![\w.])(kn_[A-Za-z0-9_]+\*?|KN_[A-Z0-9_]+\*?)(?![\w*])")
COUNT = re.compile(r"([a-z][\w.]*) (\d+) of (\d+)\b")


def known_files():
    """All ends of the paths of files and folders: compile/group/group.c, group/group.c, group.c, group."""
    ends = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__")]
        for name in files + folders:
            parts = (Path(folder) / name).relative_to(ROOT).parts
            ends.update("/".join(parts[first:]) for first in range(len(parts)))
    return ends


def known_names():
    """Words of the public headers, and constants of the library that texts of programs show."""
    text = "".join(p.read_text() for p in sorted((ROOT / "include").rglob("*.h")))
    text += "".join(p.read_text() for folder in ("src/compile", "src/ir", "src/base") for p in sorted((ROOT / folder).rglob("*.h")))
    return set(re.findall(r"\bkn_\w+|\bKN_\w+", text))


def fits(word, known):
    """A word with * stands for one or more that begin, and end, like it."""
    if "*" not in word:
        return word in known
    form = re.compile(re.escape(word).replace(r"\*", "[^/]*") + "$")
    return any(form.match(k) for k in known)


def check_tests(evidence, files, checks):
    for check, name, test in TEST.findall(evidence):
        if check and name not in checks:
            yield f"no test check/{name}"
        if test and not fits(test + ".c", files):
            yield f"no file {test}.c"


def check_row(evidence, files, names, checks, modules):
    for name, n, of in COUNT.findall(evidence):
        if name in modules and (int(n), int(of)) not in modules[name]:
            yield f"{name} has {' or '.join(f'{a} of {b}' for a, b in sorted(modules[name]))} names"
    for found in PATH.finditer(evidence):
        path = found.group().rstrip("/")
        if not path.startswith(("check/", "build/", "kiln/")) and not fits(path, files):
            yield f"no file {path}"
    yield from check_tests(evidence, files, checks)
    for name in NAME.findall(evidence):
        if not fits(name, names) and not fits(name + "*", names):
            yield f"no public name {name}"


def covered():
    """Last part of a module's name: how many of its names are there, in full or in part, and how many mean something."""
    found = {}
    for row in (ROOT / "docs/coverage.md").read_text().splitlines():
        cells = [c.strip() for c in row.split("|")]
        if len(cells) == 7 and cells[2].isdigit():
            yes, partly, missing = map(int, cells[2:5])
            for name in (cells[1], cells[1].split(".")[-1]):
                found.setdefault(name, set()).add((yes + partly, yes + partly + missing))
    return found


def rows():
    for number, line in enumerate((ROOT / "docs/promises.md").read_text().splitlines(), 1):
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)]
        if len(cells) == 7 and re.fullmatch(r"[A-Z]\d+", cells[1]):
            yield number, cells


def check_counts(kept):
    """The table of counts: its numbers stand two lines below its words."""
    text = (ROOT / "docs/promises.md").read_text().splitlines()
    top = next(i for i, line in enumerate(text) if line.startswith("| yes |"))
    words, numbers = ([c.strip() for c in text[i].strip("|").split("|")] for i in (top, top + 2))
    for word, number in zip(words, numbers):
        if kept.get(word, 0) != int(number):
            yield f"docs/promises.md:{top + 3}: {number} rows of \"{word}\" are counted, {kept.get(word, 0)} are there"


def main():
    files, names, kept, wrong, n = known_files(), known_names(), {}, [], 0
    modules = covered()
    checks = set(re.findall(r"kiln_test\(check/(\w+)", (ROOT / "tests/CMakeLists.txt").read_text()))
    for number, cells in rows():
        n += 1
        kept[cells[4]] = kept.get(cells[4], 0) + 1
        wrong += [f"docs/promises.md:{number}: {cells[1]}: {w}" for w in
                  check_row(cells[5], files, names, checks, modules)]
    wrong += check_counts(kept)
    print("\n".join(wrong) if wrong else f"what {n} promises name exists")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

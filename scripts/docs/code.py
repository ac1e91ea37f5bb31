#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the code on pages and the examples of public functions, and compares what they print (blocks.py and examples.py tell
what is code).

usage: code.py BUILD [--pages | --examples | --write] [FILES...]
    BUILD       a folder with libkiln.so
    --pages     the pages alone: all of README.md, docs/ and gallery/, or FILES
    --examples  the examples of api/ alone; FILES: only of these descriptions
    --write     puts what examples print into the descriptions, where they show nothing yet
CC, CXX: the compilers. JOBS: how many at a time."""
import difflib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from docs import blocks, examples  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FLAGS = {"c": ["-std=gnu17", "-Wall", "-Wextra", "-Werror"], "cpp": ["-std=c++20", "-Wall", "-Wextra", "-Werror"]}
UNUSED = ["-Wno-unused-variable", "-Wno-unused-function", "-Wno-unused-parameter", "-Wno-unused-value", "-Wno-unused-but-set-variable",
          "-Wno-unused-const-variable"]


class Runner:
    def __init__(self, build, folder):
        self.build, self.folder = Path(build).resolve(), Path(folder)
        (self.folder / "data").symlink_to(ROOT / "data")
        libraries = [x for x in ("kiln_media", "kiln_models") if (self.build / f"lib{x}.so").exists()]
        self.link = [f"-L{self.build}", f"-Wl,-rpath,{self.build}"] + [f"-l{x}" for x in libraries + ["kiln"]] + ["-lm", "-lpthread"]

    def compile(self, name, code, language="c", more=()):
        """(status, messages)"""
        source = self.folder / f"{name}.{language}"
        source.write_text(code)
        compiler = os.environ.get("CC", "cc") if language == "c" else os.environ.get("CXX", "c++")
        named = f"-fmacro-prefix-map={source}=program.{language}"  # as the pages call it in messages of errors
        done = subprocess.run([compiler, *FLAGS[language], *more, named, f"-I{ROOT / 'include'}", str(source), "-o", str(self.folder / name), *self.link],
                              capture_output=True, text=True)
        return done.returncode, done.stderr

    def run(self, name, *arguments):
        try:
            return subprocess.run([str(self.folder / name), *arguments], capture_output=True, text=True, cwd=self.folder, timeout=120, errors="replace")
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess([], 124, "", "it does not end")


def same(shown, printed):
    """Is it what is shown, in which a line `...` stands for any lines?"""
    want, have = shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")

    def match(i, k):
        while i < len(want):
            if want[i].strip() == "...":
                return any(match(i + 1, j) for j in range(k, len(have) + 1))
            if k == len(have) or want[i].rstrip() != have[k].rstrip():
                return False
            i, k = i + 1, k + 1
        return k == len(have)
    return match(0, 0)


def difference(shown, printed):
    return "\n".join(difflib.unified_diff(shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n"), "shown", "printed", lineterm=""))


def check_program(runner, number, program):
    """What is wrong with it, or nothing."""
    name = f"page{number}"
    status, messages = runner.compile(name, program.code, program.language, UNUSED if program.fragment else ())
    if program.kind == "refused":
        if not status:
            return f"{program.where}: it compiles"
        wanted = [line.strip() for line in (program.output or "").split("\n") if line.strip() not in ("", "...")]
        missing = [line for line in wanted if line not in messages]
        return f"{program.where}: the compiler does not say {missing[0]!r}:\n{messages}" if missing else ""
    if status:
        return f"{program.where}: does not compile:\n{messages[:4000]}"
    done = runner.run(name)
    if program.kind == "error":
        if not done.returncode:
            return f"{program.where}: ends with status 0"
        if program.output is not None and not same(program.output, done.stdout + done.stderr):
            return f"{program.where}: says something else:\n" + difference(program.output, done.stdout + done.stderr)
        return ""
    if done.returncode:
        return f"{program.where}: ends with status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if program.output is not None and not same(program.output, done.stdout):
        return f"{program.where}: prints something else:\n" + difference(program.output, done.stdout)
    return ""


def all_pages():
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "gallery").rglob("*.md"))]
    return [p for p in found if p.exists()]


def check_pages(runner, paths, pool):
    made, wrong = [], []
    for path in paths:
        try:
            made += blocks.programs(path, str(path.relative_to(ROOT)))
        except ValueError as mistake:
            wrong.append(str(mistake))
    wrong += [w for w in pool.map(lambda x: check_program(runner, *x), enumerate(made)) if w]
    print("\n".join(wrong + [f"{len(made)} programs on {len(paths)} pages, {len(wrong)} wrong"]))
    return not wrong


def check_examples(runner, names, pool, write):
    headers = [h for h in examples.headers(ROOT) if not names or any(n in h.source for n in names)]
    made = [p for h in headers for p in examples.programs(h)]
    outputs, wrong = {}, []
    for printed, mistakes in pool.map(lambda p: examples.run(runner, *p), made):
        outputs.update(printed)
        wrong += mistakes
    for header in headers:
        if write:
            examples.write(ROOT / header.source, outputs)
            continue
        wrong += [f"{header.source}: {f.name} has no example" for f in examples.functions(header) if not f.example]
        for example in examples.of(header):
            if example.name not in outputs:
                continue
            printed = outputs[example.name]
            if example.output is None:
                wrong.append(f"{header.source}: {example.name} shows no output (code.py --write puts it there)")
            elif not same(example.output, printed):
                wrong.append(f"{header.source}: the example of {example.name} prints something else:\n" + difference(example.output, printed))
    shown = sum(len(examples.of(h)) for h in headers)
    count = sum(len(examples.functions(h)) for h in headers)
    print("\n".join(wrong + [f"{shown} of {count} public functions have an example, {len(wrong)} wrong"]))
    return not wrong


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    build, *rest = arguments
    options = {a for a in rest if a.startswith("--")}
    files = [a for a in rest if not a.startswith("--")]
    good = True
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 2))) as pool:
        runner = Runner(build, folder)
        if not options & {"--examples", "--write"}:
            good = check_pages(runner, [Path(f).resolve() for f in files] or all_pages(), pool)
        if not options & {"--pages"}:
            good = check_examples(runner, files, pool, "--write" in options) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names-of-numpy.py API -- NumPy's signatures of what docs/api.json says the library has of NumPy, in the form of
bindings/shared/names/*.txt, to begin those files with or to compare them with a newer NumPy."""
import inspect
import json
import sys

import numpy as np

MODULES = [("kiln.numpy", "numpy"), ("kiln.numpy.linalg", "numpy.linalg"), ("kiln.numpy.fft", "numpy.fft"),
           ("Array", "numpy.ndarray")]
api = json.load(open(sys.argv[1]))
have = {n for f in api["functions"] for n in f.get("names") or []}


def text(default):
    if default is None or not isinstance(default, (bool, int, float, str, tuple)):
        return "None"
    return repr(default)


def signature(name, o):
    if isinstance(o, np.ufunc):
        ins = ["x"] if o.nin == 1 else [f"x{i + 1}" for i in range(o.nin)]
        return ", ".join(ins) + ", /, out=None" if o.nout == 1 else ", ".join(ins) + ", /"
    out, star, slash = [], False, False
    for p in inspect.signature(o).parameters.values():
        if p.kind == p.VAR_POSITIONAL:
            out += (["/"] if slash else []) + ["*" + p.name]
            slash = False
            star = True
            continue
        if p.kind == p.VAR_KEYWORD:
            continue
        if slash and p.kind != p.POSITIONAL_ONLY:
            out.append("/")
            slash = False
        if p.kind == p.KEYWORD_ONLY and not star:
            out.append("*")
            star = True
        slash = p.kind == p.POSITIONAL_ONLY
        out.append(p.name if p.default is p.empty else f"{p.name}={text(p.default)}")
    return ", ".join(out + (["/"] if slash else []))


for module, prefix in MODULES:
    print(f"module: {module}\nfrom: {prefix}\n")
    space = np
    for part in prefix.split(".")[1:]:
        space = getattr(space, part)
    for name in sorted(vars(space) if prefix == "numpy.ndarray" else dir(space)):
        o = getattr(space, name)
        if f"{prefix}.{name}" not in have or not callable(o) or isinstance(o, type) or name.startswith("__"):
            continue
        try:
            print(f"{name}({signature(name, o)})")
        except ValueError:
            print(f"# {name}: no signature")
    print()

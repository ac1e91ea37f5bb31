#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How results of NumPy's functions lie in memory: each CALL of tests/unit/numpy/orders.def for each LAYOUT.

usage: make_orders.py DIRECTORY
Writes orders.txt, a line for each call, its fields separated by ';': the call, then for each layout where NumPy gives
an array
    layout shape strides flags
with strides in bytes ('_' where an axis of fewer than two elements makes them meaningless); flags are letters: C, F (contiguous), O (owns its data), W (writeable), A (aligned) and S (shares
memory with x)."""
import pathlib
import re
import sys
import warnings
import numpy as np

assert np.__version__.startswith("2."), np.__version__
warnings.simplefilter("ignore")
np.seterr(all="ignore")
text = (pathlib.Path(__file__).parents[2] / "tests/unit/numpy/orders.def").read_text()
layouts = re.findall(r'^LAYOUT\((\w+), "(.*?)", ', text, re.M)
calls = re.findall(r'^(CALL|MADE)\((\w+), "(.*?)", ', text, re.M)


def joined(numbers):
    return ",".join(map(str, numbers))


def described(name, x, r):
    letters = "".join(letter for letter, flag in zip("CFOWA", ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE",
                                                               "ALIGNED")) if r.flags[flag])
    strides = ["_" if n < 2 else s for n, s in zip(r.shape, r.strides)]
    return f"{name} {joined(r.shape)} {joined(strides)} {letters}{'S' if np.shares_memory(x, r) else ''}"


lines = []
for kind, call, code in calls:
    fields = [call]
    for name, make in layouts:
        x = eval(make)
        y = np.arange(x.size).reshape(x.shape).copy()
        try:
            r = eval(code)
        except (ValueError, TypeError, IndexError):
            continue
        if isinstance(r, np.ndarray):
            told = described(name, x, r)
            fields.append(told if kind == "CALL" else told.replace("O", ""))
    lines.append(";".join(fields))
(pathlib.Path(sys.argv[1]) / "orders.txt").write_text("\n".join(lines) + "\n")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of np.nditer: where it goes, what it shows, what is written, and its errors.

usage: make_nditer.py DIRECTORY
Writes nditer.txt, a program a line, its fields separated by tabs:
    operands (layouts of tests/unit/numpy/orders.def, with '/' and an index; - to be allocated), flags, flags of each operand ('|'
    between them), dtypes, order, casting, op_axes, itershape, buffersize (empty where they are not given); then either
    an error as "Kind: text", or
    ndim (0 without elements) itersize shape; each turn: index or multi_index, elements seen, strides, values of operands that are read; at the
    end strides and values of each operand that was written.
Each turn writes 100 + the sum of what is read, as an integer, to the operands that are not read only."""
import os
import pathlib
import random
import re
import sys
import numpy as np

assert np.__version__.startswith("2."), np.__version__
rng = random.Random(20261127)
text = (pathlib.Path(__file__).parents[2] / "tests/unit/numpy/orders.def").read_text()
LAYOUTS = dict(re.findall(r'^LAYOUT\((\w+), "(.*?)", ', text, re.M))
LARGE = ["c", "f", "back", "all_back", "f_back", "stepped", "f_stepped", "repeated", "spread"]
PARTS = ["", "", "", "/0", "/:, :1", "/..., :1", "/:1", "/:, :, ::-1", "/0, 0", "/1, ::-1, 0, None"]
OTHERS = ["matrix", "matrix_f", "matrix_part", "vector", "vector_back", "vector_stepped", "scalar", "transposed", "thin", "empty",
          "empty_f", "one_by_one", "column", "new_axis", "swapped"]
DTYPES = {"f8": np.float64, "f4": np.float32, "i8": np.int64, "i4": np.int32, "i2": np.int16}


def operand(token):
    name, _, index = token.partition("/")
    x = eval(LAYOUTS[name])
    return eval(f"x[{index}]") if index else x


def joined(numbers):
    return ",".join(str(int(v)) for v in numbers)


def choose():
    """What is given to np.nditer, as texts."""
    nop = rng.choice([1, 1, 2, 2, 2, 3])
    tokens = []
    for _ in range(nop):
        tokens.append(rng.choice(LARGE) + rng.choice(PARTS) if rng.random() < 0.8 else rng.choice(OTHERS))
    if rng.random() < 0.3:
        tokens = [rng.choice(OTHERS)]
        nop = 1
    if rng.random() < 0.35:
        tokens[-1] = "-"
    flags = [w for w, p in [("external_loop", .3), ("buffered", .45), ("growinner", .15), ("ranged", .1), ("zerosize_ok", .3),
                            ("reduce_ok", .4), ("delay_bufalloc", .1), ("copy_if_overlap", .1), ("common_dtype", .1),
                            ("refs_ok", .05)] if rng.random() < p]
    if "external_loop" not in flags or rng.random() < 0.03:
        flags += rng.choice([[], [], ["c_index"], ["f_index"], ["multi_index"], ["multi_index"]])
    op_flags = []
    for t in tokens:
        if t == "-":
            words = rng.choice(["writeonly allocate", "writeonly allocate", "readwrite allocate", "writeonly", "readonly allocate"])
        else:
            words = rng.choice(["readonly"] * 6 + ["readwrite"] * 4 + ["writeonly", "readonly copy", "readwrite updateifcopy",
                               "readwrite copy", "readonly contig", "readonly no_broadcast", "readwrite no_broadcast"])
        op_flags.append(words)
    if rng.random() < 0.4:
        op_flags = []
    dtypes = [rng.choice(["", "", "f8", "f4", "i8", "i4"]) for _ in tokens] if rng.random() < 0.5 else []
    order = rng.choice(["", "", "", "C", "F", "A", "K"])
    casting = rng.choice(["", "unsafe", "unsafe", "same_kind", "no", "equiv"])
    op_axes, itershape = [], ""
    if rng.random() < 0.12:
        n = rng.randint(1, 3)
        op_axes = [rng.choice(["", joined(rng.choice([-1, 0, 0, 1, 1, 2]) for _ in range(n)), joined(range(n))]) for _ in tokens]
        if not any(op_axes):
            op_axes = []
    if rng.random() < 0.08:
        itershape = joined(rng.choice([[2, 3, 4], [-1, 3, 4], [2, 3, -1], [5, 2, 3, 4], [1, 3, 4], [2, 3]]))
    return tokens, flags, op_flags, dtypes, order, casting, op_axes, itershape, rng.choice(["", "3", "5", "7", "12"])


def start(tokens, flags, op_flags, dtypes, order, casting, op_axes, itershape, buffersize):
    given = [None if t == "-" else operand(t) for t in tokens]
    options = {"flags": flags}
    if op_flags:
        options["op_flags"] = [w.split() for w in op_flags]
    if dtypes:
        options["op_dtypes"] = [DTYPES.get(d) for d in dtypes]
    if order:
        options["order"] = order
    if casting:
        options["casting"] = casting
    if op_axes:
        options["op_axes"] = [[int(v) for v in a.split(",")] if a else None for a in op_axes]
    if itershape:
        options["itershape"] = [int(v) for v in itershape.split(",")]
    if buffersize:
        options["buffersize"] = int(buffersize)
    return given, np.nditer(given, **options)


def turn(it, flags, reads, writes):
    """One turn as a text."""
    at = ""
    if "buffered" not in flags: # NumPy's own are wrong there
        at = str(it.index) if it.has_index else joined(it.multi_index) if it.has_multi_index else ""
    seen = [np.atleast_1d(it[k]) for k in range(it.nop)]
    outside = "external_loop" in flags
    fields = [at, str(len(seen[0])), joined(s.strides[0] for s in seen) if outside and len(seen[0]) > 1 else ""]
    total = sum([seen[k].astype(np.float64) for k in reads], np.zeros(len(seen[0])))
    fields += [joined(seen[k]) for k in reads]
    for k in writes:
        it[k][...] = (total + 100 if outside else total[0] + 100)
    return " ".join(fields)


def run(program):
    tokens, flags, op_flags = program[:3]
    given, it = start(*program)
    words = op_flags or ["writeonly" if t == "-" else "readonly" for t in tokens]
    writes = [k for k, w in enumerate(words) if "readonly" not in w]
    reads = [k for k, w in enumerate(words) if "writeonly" not in w and not (tokens[k] == "-")]
    if it.has_delayed_bufalloc:
        it.reset()
    shape = "" if it.finished else joined(it.shape)
    out = [f"{it.ndim if it.itersize else 0} {it.itersize} {shape}"]
    made = list(it.operands)
    while not it.finished:
        out.append(turn(it, flags, reads, writes))
        it.iternext()
    it.close()
    for k in writes:
        x = made[k] if tokens[k] == "-" else given[k]
        out.append(f"{joined(x.strides) if x.size > 1 and 1 not in x.shape else ''} {joined(np.ravel(x))}")
    return out


def told(program):
    """What run gives, or an error as one text; nothing where NumPy itself crashes (2.4: some delayed buffers)."""
    back, to = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(back)
        try:
            out = run(program)
        except (ValueError, TypeError, RuntimeError, IndexError) as error:
            out = [f"{type(error).__name__}: {error}"]
        with os.fdopen(to, "w") as f:
            f.write("\t".join(out))
        os._exit(0)
    os.close(to)
    with os.fdopen(back) as f:
        text = f.read()
    return text.split("\t") if os.waitpid(child, 0)[1] == 0 else None


lines, errors = [], {}
while len(lines) < 900:
    program = choose()
    tokens, flags, op_flags, dtypes, order, casting, op_axes, itershape, buffersize = program
    fields = [" & ".join(tokens), " ".join(flags), "|".join(op_flags), "|".join(dtypes), order, casting, "|".join(op_axes), itershape,
              buffersize]
    out = told(program)
    if not out or sum(map(len, out)) > 700:
        continue
    indexed = [w for w in program[1] if "index" in w]
    if indexed and ("ranged" in program[1] or re.match(r"\d+ 1 ", out[0])): # NumPy's own are wrong there, too
        continue
    if re.match(r"\w+Error: ", out[0]):
        kind = re.sub(r"\d+", "", out[0])
        errors[kind] = errors.get(kind, 0) + 1
        if errors[kind] > 12:
            continue
    assert not any("\t" in f or "\n" in f for f in fields + out), out
    lines.append("\t".join(fields + out))
(pathlib.Path(sys.argv[1]) / "nditer.txt").write_text("\n".join(lines) + "\n")

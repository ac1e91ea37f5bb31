#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""optim-names.py API INTO NAMES... -- a file of names (bindings/shared/names/README.md) with a line for each function
of kiln/optim.h that docs/api.json has under a name of optax and that the files NAMES do not have: _scale_by_adan of
kn_optim_scale_by_adan, whose parameters are the library's arguments and options. kiln/optim/ gives them optax's
signatures."""
import json
import re
import sys
from pathlib import Path

# What generate.py converts. Functions of lists and with places for results are called by hand (src/optim.c); options of
# other kinds have their defaults.
RESULTS = {"array", "tree", "optimizer", "schedule", "struct", "int", "dtype"}
KINDS = {"array", "tree", "optimizer", "schedule", "function", "float", "int", "bool", "string", "shape", "axes",
         "dtype"}


def line_of(f, options):
    members = [m for m in options[f["options"]]["members"] if m["kind"] in KINDS] if f.get("options") else []
    parameters = [a["name"] for a in f["arguments"]]
    parameters += [f"{m['name']}={bool(m['default']) if m['kind'] == 'bool' else None}" for m in members]
    return f"_{f['name'].removeprefix('kn_optim_')} = {f['name']}({', '.join(parameters)})"


def main():
    api_path, into, *files = sys.argv[1:]
    api = json.loads(Path(api_path).read_text())
    options = {o["name"]: o for o in api["options"]}
    there = set(re.findall(r"\bkn_optim_\w+", "".join(Path(f).read_text() for f in files)))
    wanted = [f for f in api["functions"] if f["name"].startswith("kn_optim_") and f["name"] not in there
              and f.get("names") and f["result"]["kind"] in RESULTS
              and all(a["kind"] in KINDS and not a.get("out") for a in f["arguments"])]
    Path(into).write_text("\n".join(["module: kiln.optim", "from: optax", *(line_of(f, options) for f in wanted), ""]))


if __name__ == "__main__":
    main()

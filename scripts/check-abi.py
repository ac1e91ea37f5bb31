#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs that are compiled already rely on: prototypes, options, structures and enumerations of docs/api.json, and the symbols of the
shared library, against the list that is kept of them (api/abi.txt). What is new is fine (options and enumerators: behind the others); what is gone or
changed breaks such programs: it needs a new number in the library's name, or, before a release, --write.

usage: check-abi.py [libkiln.so...]      compares
       check-abi.py --write              makes the list"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "api/abi.txt"


def described(api):
    """Each entry as (name, text)."""
    found = {}
    for f in api["functions"]:
        arguments = [a["type"] for a in f["arguments"]] + ([f"const {f['options']} *"] if "options" in f else [])
        found[f["name"]] = f"{f['result']['type']} ({', '.join(arguments) or 'void'})"
    for o in api["options"]:
        found[o["name"]] = "options { " + " ".join(f"{m['type']} {m['name']};" for m in o["members"]) + " }"
    for s in api["structs"]:
        found[s["name"]] = "struct { " + " ".join(f"{m['type']} {m['name']};" for m in s["members"]) + " }"
    for e in api["enums"]:
        found[e["name"]] = "enum { " + " ".join(v for v in e["values"] if re.fullmatch(r"\w+", v)) + " }"
    for c in api["callbacks"]:
        found[c["name"]] = f"{c['result']} (*)({c['arguments']})"
    return found


def kept():
    return dict(line.split(": ", 1) for line in KEPT.read_text().split("\n") if line and line[0] != "#")


def grown(old, new):
    """Has it only got more at its end? Enumerations may, whose values are numbers by order, and options, which say how long they are."""
    return old.startswith(("enum {", "options {")) and new.startswith(old.removesuffix(" }") + " ")


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {re.sub(r"@.*", "", line.split()[-1]) for line in out.split("\n") if line.strip()}


def belongs(header):
    """The library that has the functions of a header: its folder, if that has a library of its own."""
    return header.split("/")[1] if header.split("/")[1] in ("media", "models") else "kiln"


def main(arguments):
    api = json.loads((ROOT / "docs/api.json").read_text())
    now = described(api)
    if arguments == ["--write"]:
        KEPT.write_text("# Made by scripts/check-abi.py --write: what programs that are compiled already rely on.\n" +
                        "".join(f"{name}: {text}\n" for name, text in sorted(now.items())))
        return 0
    old = kept()
    wrong = [f"{name} is gone" for name in old if name not in now]
    wrong += [f"{name} was {text}\n    and is {now[name]}" for name, text in old.items() if name in now and now[name] != text and not grown(text, now[name])]
    for library in arguments:
        there, library_of = exported(library), next((n for n in ("media", "models") if n in Path(library).name), "kiln")
        wrong += [f"{Path(library).name} does not export {f['name']}" for f in api["functions"]
                  if belongs(f["header"]) == library_of and f["name"] not in there]
    print("\n".join(wrong + [f"{len(old)} entries kept, {len(set(now) - set(old))} new, {len(wrong)} gone or changed"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

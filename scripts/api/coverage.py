# SPDX-License-Identifier: Apache-2.0
"""docs/coverage.md: every public name of NumPy, JAX and optax (docs/coverage/numpy.tsv, jax.tsv) with its name here. What
functions are elsewhere, their descriptions say; docs/coverage/names.tsv says it of types, constants and macros, and why
there is nothing."""
import re

from .read import Mistake

HEAD = """# What of NumPy and JAX is here

Made by `scripts/make-api.py` from `docs/coverage/*.tsv` and the descriptions of the public functions (`api/`); do not edit. *yes*: there is
a function (type, constant, macro) of the name shown (primitives: the row exists). *partly*: so, without what the words say. *no*: not
meaningful in C, with the reason. Each *yes* and *partly* is called by a test and gives what NumPy, JAX or optax give (`tests/coverage`). The
naming rules are in [api.md](api.md).
"""
PRIMITIVES = "jax primitive (jaxpr name)"


def table(path):
    return [(line.split("\t") + ["", "", ""])[:4] for line in path.read_text().split("\n") if line and line[0] != "#"]


def primitives(root):
    rows = set()
    for name in ("prims.def", "unary.def"):
        rows |= set(re.findall(r"(?:^UNARY\w*|\bKN_PRIM\w*)\( *([a-z0-9_]+)", (root / "src/ir" / name).read_text(), re.M))
    return rows


def page(interface):
    root = interface.root
    here, partly = {}, {}
    for f in interface.functions.values():
        for name in f.names:
            if name in here:
                raise Mistake(f"{name} is both {here[name]} and {f.name}")
            here[name] = f.name
        partly.update(f.partly)
    named = {(m, n): (k, why) for m, n, k, why in table(root / "docs/coverage/names.tsv")}
    rows = primitives(root)
    sections, count = {}, {}
    for number, file in enumerate(("numpy", "jax")):
        for module, name, _, verdict in table(root / f"docs/coverage/{file}.tsv"):
            full = f"{module}.{name}"
            shown, status = "", "not yet"
            if module == PRIMITIVES:
                status = "yes" if re.sub(" .*", "", name.replace("-", "_")) in rows else status
            elif full in here:
                shown, status = here[full], f"partly: {partly[full]}" if full in partly else "yes"
            elif named.get((module, name), ("", ""))[0] not in ("", "-"):
                shown, why = named[module, name]
                status = why or "yes"
            elif (module, name) in named and named[module, name][0] == "-":
                status = "no: " + named[module, name][1]
            elif verdict.startswith("no"):
                status = verdict
            shown = f"`{shown}`" if shown else ""
            sections.setdefault((number, module), []).append(f"| `{name.replace('|', chr(92) + '|')}` | {shown} | {status} |")
            kind = status.partition(":")[0]
            for key in ((number, module), number):
                count[key, kind] = count.get((key, kind), 0) + 1
    lines = [HEAD, "| | yes | partly | not yet | no |", "|---|---|---|---|---|"]
    kinds = ("yes", "partly", "not yet", "no")

    def numbers(key):
        return " | ".join(str(count.get((key, k), 0)) for k in kinds)

    for number, title in enumerate(("NumPy", "JAX and its neighbours")):
        lines.append(f"| **{title}** | {numbers(number)} |")
    lines += [f"| {key[1]} | {numbers(key)} |" for key in sections]
    for key, made in sections.items():
        lines += ["", f"## {key[1]}", "", "| there | here | status |", "|---|---|---|"] + made
    return "\n".join(lines) + "\n"

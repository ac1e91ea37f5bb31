# SPDX-License-Identifier: Apache-2.0
"""What the reference, in whatever form, says of a function: made of docs/api.json."""
import json
import re

HOW = {  # of an argument or an option: what one writes there
    "array": "an array, or a number", "arrays": "arrays: `KN_LIST(x, y)`", "shape": "`KN_SHAPE(2, 3)`", "axes": "`KN_AXIS(0)`, `KN_AXIS(0, 1)`",
    "dtype": "a dtype: `KN_F32`", "positions": "`KN_ARGNUMS(0, 2)`", "bool": "`true` or `false`", "int": "an integer", "float": "a number",
    "complex": "a complex number", "character": "a character", "string": "a text", "function": "a function: `KN_FN(f)`", "tree": "a tree",
    "treedef": "the structure of a tree", "arguments": "arguments: addresses of arrays and structs, `KN_ARGS(&x, &y)`",
    "results": "where results go: `&y`, `KN_OUT(&y, &z)`", "index arguments": "an index as a text, and what its `%` stand for", "pointer": "an address",
    "file": "an open file", "options": "options", "callback": "a C function", "count": "how many", "vector": "the first of several in memory"}
ERRORS = {"carried": "If there is an error, the result carries it.", "null": "NULL if there is an error.", "-1": "-1 if there is an error.",
          "nan": "NaN if there is an error.", "false": "false if there is an error.", "true": "true if there is an error.", "empty": "\"\" if there is an error.",
          "ndim -1": "A shape whose ndim is -1 if there is an error.", "pending": "Only `kn_error_pending()` tells whether there is an error.",
          "none": "It cannot fail."}
OWNERS = {"scope": "It belongs to the scope that it is made in ([memory](@docs/concepts/memory.md)).", "caller": "It belongs to the caller.",
          "library": "It belongs to the library."}


class Api:
    def __init__(self, root):
        data = json.loads((root / "docs/api.json").read_text())
        self.functions = {f["name"]: f for f in data["functions"]}
        self.options = {o["name"]: o for o in data["options"]}
        self.headers = data["headers"]
        self.structs = {s["name"]: s for s in data["structs"]}
        self.callbacks = {c["name"]: c for c in data["callbacks"]}
        self.enums = {e["name"]: e for e in data["enums"]}
        self.elsewhere = {}
        for f in self.functions.values():
            for n in f.get("names", []):
                self.elsewhere.setdefault(n, f["name"])

    def of(self, header):
        return [f for f in self.functions.values() if f["header"] == header["path"]]

    def members(self, f):
        return self.options[f["options"]]["members"] if "options" in f else []


def summary(f):
    """One line, without the names that it has elsewhere: the first sentence, or what stands in front of its first semicolon or colon that is
    outside of parentheses, if the whole is long."""
    doc = body(f).split("\n")[0]
    if len(doc) > 160:
        depth = 0
        for i, ch in enumerate(doc):
            depth += (ch in "([{") - (ch in ")]}")
            if i >= 20 and depth <= 0 and ch in ".;:" and doc[i + 1:i + 2] in (" ", ""):
                doc = doc[:i]
                break
    doc = doc.rstrip(".;:")
    return doc or ("the same as " + f["names"][0] if f.get("names") else f["name"])


def body(f):
    """The docstring without the names that stand in front of it."""
    doc = bare_body(f)
    word = re.match(r"[a-z]+(?=[ ,;:.])", doc)
    if word and (word.group() == "a" or len(word.group()) > 1 and word.group() not in [x["name"] for x in f.get("arguments", [])]):
        doc = doc[:1].upper() + doc[1:]
    return doc + "." if doc and doc[-1].isalnum() or doc.endswith(")") else doc


def bare_body(f):
    doc = f.get("doc", "")
    first = (f.get("names") or [""])[0]
    for short in (first, first.replace("numpy.", "np."), first.replace("jax.numpy.", "jnp."), first.replace("jax.", "")):
        if short and doc.startswith(short + ":"):
            return doc[len(short) + 1:].strip()
    m = re.match(r"(np|jnp|jax|scipy|optax)[\w.]*: ", doc)
    return doc[m.end():] if m else doc


def default(option):
    value = option.get("default")
    if option.get("means"):
        return f'"{option["means"]}"' if option["kind"] == "string" and option["means"] in option.get("choices", ()) else option["means"]
    if option["kind"] in ("int", "float", "complex") and value is not None:
        return str(value)
    if value in (None, 0) and option["kind"] not in ("int", "float", "complex", "bool", "character"):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if option["kind"] == "string" else str(value)


LITERAL = re.compile(r'-?[\w.]+|"[^"]*"|\([\w, -]*\)')


def call(f, api, defaults=True, columns=88):
    """The call as one writes it: options with their defaults, if these are short; what has none is not given."""
    arguments = [a["name"] for a in f["arguments"] if a["kind"] != "count"]
    lists = {a["of"] for a in f["arguments"] if a["kind"] == "count"}
    arguments = [n + ", ..." if n in lists else n for n in arguments]
    for o in api.members(f):
        value = default(o)
        arguments.append(f".{o['name']}" + (f" = {value}" if defaults and LITERAL.fullmatch(value) else ""))
    lines = [f["name"] + "("]
    for i, argument in enumerate(arguments):
        part = argument + (", " if i + 1 < len(arguments) else ")")
        if len(lines[-1] + part.rstrip()) > columns:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * (len(f["name"]) + 1))
        lines[-1] += part
    return "\n".join(lines) + ("" if arguments else ")")


def prototype(f):
    arguments = [declared(a) for a in f["arguments"]]
    if "options" in f:
        arguments.append(f"const {f['options']} *opts")
    return declared({"type": f["result"]["type"], "name": f["name"]}) + f"({', '.join(arguments) or 'void'});"


def declared(a):
    if "(*" in a["type"]:
        return a["type"]
    m = re.fullmatch(r"(.*?)(\[.*\])", a["type"])
    base, extent = (m.group(1), m.group(2)) if m else (a["type"], "")
    return base + ("" if base.endswith("*") else " ") + a["name"] + extent


def how(a):
    """What one writes for an argument or option."""
    if a.get("choices"):
        return ", ".join(f'`"{c}"`' for c in a["choices"])
    if a["kind"] in ("enum", "struct", "callback"):
        name = a.get(a["kind"], a["type"])
        return f"`{name}`" if "(" not in name else "a C function"
    text = HOW.get(a["kind"], f"`{a['type']}`")
    if a["kind"] == "vector":
        return f"`{a['type'].strip()}`"
    if a.get("out"):
        return {"array": "where an array is put"}.get(a["kind"], "where it is put: `" + a["type"] + "`")
    return text


def result(f):
    """What comes out, how a failure looks, whose it is."""
    r = f["result"]
    said = []
    if r["kind"] == "struct":
        said.append(f"`{r['struct']}`.")
    said.append(ERRORS.get(r["error"], f"{r['error']} if there is an error."))
    if r.get("owner"):
        said.append(OWNERS[r["owner"]])
    return " ".join(said)


def python_name(name):
    return name.replace("numpy.", "np.", 1) if name.startswith("numpy.") else name.replace("jax.numpy.", "jnp.", 1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py [--python] API TABLE NAMES... -- makes the table of functions that bindings share (rows.h): what
docs/api.json says of the C library, under the signatures that the files of names give (names/*.txt, whose form
names/README.md tells). --python: rows of the type Array are its methods."""
import json
import re
import sys
from pathlib import Path

IGNORED = {"like", "device", "subok", "order", "kind", "max_work", "fix_imports", "overwrite_input", "overwrite_a",
           "overwrite_b", "check_finite", "lower_", "legacy", "precision", "preferred_element_type", "out_sharding",
           "promote_integers", "accuracy", "sharding", "implementation"}
HINTS = {"subok", "kind", "fix_imports", "overwrite_input", "overwrite_a", "overwrite_b", "overwrite_c",
         "overwrite_data", "check_finite", "precision", "accuracy", "lwork", "turbo", "debug", "lapack_driver",
         "unroll", "implementation", "blocksize", "max_squarings", "use_magma", "max_work", "series_order"}
SPECIAL = {"kn_lax_pads": "KNB_PADS", "kn_lax_padding_config": "KNB_PADDING", "kn_lax_conv_numbers": "KNB_CONV_NUMBERS",
           "kn_lax_dot_dimension_numbers": "KNB_FOUR_AXES", "kn_lax_gather_dimension_numbers": "KNB_FIVE_AXES",
           "kn_lax_scatter_dimension_numbers": "KNB_FIVE_AXES", "kn_axis_names": "KNB_AXIS_NAMES",
           "kn_axis_groups": "KNB_AXIS_GROUPS", "kn_lane_pairs": "KNB_LANE_PAIRS", "kn_lanes": "KNB_LANES",
           "kn_fn": "KNB_FUNCTION", "kn_tree": "KNB_TREE", "kn_optimizer": "KNB_OBJECT", "kn_schedule": "KNB_OBJECT",
           "kn_jaxpr": "KNB_OBJECT", "kn_nditer": "KNB_OBJECT", "kn_arrayterator": "KNB_OBJECT",
           "kn_archive": "KNB_OBJECT"}

# a value of a kind of docs/api.json where nothing more is to be said of it: of an argument, a member or a result
PLAIN = {"array": "KNB_ARRAY", "arrays": "KNB_ARRAYS", "shape": "KNB_SHAPE", "axes": "KNB_AXES", "dtype": "KNB_DTYPE",
         "bool": "KNB_BOOL", "int": "KNB_INT", "float": "KNB_FLOAT", "string": "KNB_STRING",
         "character": "KNB_CHARACTER"}

# arguments of the library that are positions or counts: an empty list there is one of integers
POSITIONS = {"indices", "ind", "repeats", "kth", "obj", "indices_or_sections", "shift"}

# arguments of functions that write to their first array: what is written
VALUES = {"v", "val", "vals", "values"}


class Wrong(Exception):
    pass


def split(text):
    """The parts between commas that stand in no bracket or text."""
    parts, depth, quote, start = [], 0, None, 0
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]


def kind_of(of, option):
    k, t = of["kind"], of.get("type", "")
    special = SPECIAL.get(t.replace("const ", "").strip(" *"))
    if special and not of.get("out"):
        return special
    if of.get("out"):
        if k == "array" and option:
            return "KNB_OUT_PAIR" if "[2]" in t else "KNB_OUT_ARRAY"
        raise Wrong(f"{of['name']}: a place for a result")
    if k == "array":
        if not option and of["name"] in POSITIONS:
            return "KNB_POSITIONS"
        return "KNB_OPTIONAL_ARRAY" if option or of.get("optional") else "KNB_ARRAY"
    if k in ("shape", "axes"):
        pointer = option and "*" in t
        return f"KNB_{k.upper()}" + ("_POINTER" if pointer else "")
    if k == "positions":
        return "KNB_SHAPE_POINTER" if "*" in t else "KNB_SHAPE"
    if k == "int" and option and of["name"] == "k":
        return "KNB_DIAGONAL"
    if k in ("int", "count"):
        return "KNB_INT32" if option and of.get("bits", 64) == 32 else "KNB_INT"
    if k == "float" and "[2]" in t:
        return "KNB_INTERVALS" if "[2][2]" in t else "KNB_INTERVAL"
    if k == "float":
        return "KNB_FLOAT32" if option and "float" in t else "KNB_FLOAT"
    if k == "struct" and "kn_dtype_like" in t:
        return "KNB_DTYPE_LIKE"
    if k in PLAIN:
        return PLAIN[k]
    raise Wrong(f"{of['name']}: no conversion of {t}")


GET = {"KNB_ARRAY": "*(const kn_array *)", "KNB_POSITIONS": "*(const kn_array *)",
       "KNB_VALUES": "*(const kn_array *)", "KNB_OPTIONAL_ARRAY": "*(const kn_array *)",
       "KNB_ARRAYS": "*(const kn_list *)",
       "KNB_SHAPE": "(const kn_shape *)", "KNB_AXES": "(const kn_axes *)", "KNB_DTYPE": "*(const kn_dtype *)",
       "KNB_BOOL": "*(const bool *)", "KNB_INT": "*(const int64_t *)", "KNB_FLOAT": "*(const double *)",
       "KNB_STRING": "*(const char *const *)", "KNB_CHARACTER": "*(const char *)",
       "KNB_DTYPE_LIKE": "*(const kn_dtype_like *)", "KNB_SHAPE_OR_NULL": "(const kn_shape *)",
       "KNB_FUNCTION": "*(const kn_fn *)", "KNB_TREE": "*(const kn_tree *)", "KNB_OBJECT": "*(void *const *)"}
GET |= {kind: f"(const {t} *)" for t, kind in SPECIAL.items() if kind not in GET}


class Maker:
    def __init__(self, api, root):
        self.functions = {f["name"]: f for f in api["functions"]}
        self.options = {o["name"]: o for o in api["options"]}
        self.structs = {s["name"]: s for s in api["structs"]}
        self.elsewhere = {}
        for f in api["functions"]:
            for n in f.get("names") or []:
                self.elsewhere.setdefault(n, f)
        headers = "".join(p.read_text() for p in Path(root, "include/kiln").rglob("*.h"))
        self.has_default = set(re.findall(r"\b(kn_\w+_opts)_default\(void\)", headers))
        self.out, self.rows, self.calls, self.defaults, self.structures = [], {}, set(), set(), set()
        self.wrong = []

    def structure(self, name):
        if name in self.structures:
            return
        members = []
        for m in self.structs[name]["members"]:
            k = m["kind"]
            kind = "KNB_INT32" if k == "int" and m.get("bits") == 32 else PLAIN.get(k)
            if kind is None:
                raise Wrong(f"the result's {m['name']} is a {k}")
            members.append(f'{{"{m["name"]}", {kind}, offsetof({name}, {m["name"]})}}')
        short = "".join(w.capitalize() for w in name.removeprefix("kn_").split("_"))
        self.out.append(f"static const knb_member members_{name}[] = {{{', '.join(members)}}};")
        self.out.append(f'static const knb_struct struct_{name} = {{"{short}", sizeof({name}), {len(members)}, '
                        f"members_{name}}};")
        self.structures.add(name)

    def result(self, f, says):
        r = f["result"]
        k, t = r["kind"], r["type"]
        if says == "none" or k == "nothing" or (says is None and k == "int" and t == "int"):
            return "KNB_STATUS"
        if k == "struct":
            name = t.replace("const ", "").strip(" *")
            self.structure(name)
            return "KNB_STRUCT"
        if SPECIAL.get(t) in ("KNB_OBJECT", "KNB_TREE"):
            return SPECIAL[t]
        if k == "array" and r.get("error") == "null":
            return "KNB_OPTIONAL_ARRAY"
        if k not in PLAIN:
            raise Wrong(f"its result is a {k}")
        return PLAIN[k]

    def call(self, f, kinds, result):
        name = f["name"]
        if name in self.calls:
            return
        args = []
        for i, (a, k) in enumerate(zip(f["arguments"], kinds)):
            by_value = (k in ("KNB_SHAPE", "KNB_AXES") or not GET[k].startswith("*")) and "*" not in a["type"]
            get = GET[k] + f"c->arg[{i}]"
            if k == "KNB_FIVE_AXES":
                get = f"({a['type']})c->arg[{i}]"
            if k == "KNB_INT" and a["type"] != "int64_t":
                get = f"({a['type']}){get}"
            args.append(("*" if by_value else "") + get)
        if f.get("options"):
            args.append("c->options")
        made = f"{name}({', '.join(args)})"
        member = {"KNB_ARRAY": "array", "KNB_OPTIONAL_ARRAY": "array", "KNB_ARRAYS": "list", "KNB_DTYPE": "dtype",
                  "KNB_BOOL": "truth",
                  "KNB_INT": "integer", "KNB_FLOAT": "number", "KNB_STRING": "string", "KNB_CHARACTER": "character",
                  "KNB_SHAPE": "shape", "KNB_AXES": "axes", "KNB_OBJECT": "handle", "KNB_TREE": "handle"}.get(result)
        if result == "KNB_STRUCT":
            t = f["result"]["type"].replace("const ", "").strip(" *")
            self.out.append(f'_Static_assert(sizeof({t}) <= sizeof(knb_slot), "{t}");')
            body = f"{t} r = {made}; memcpy(&c->result, &r, sizeof r);"
        elif result == "KNB_STATUS":
            body = f"{'' if f['result']['kind'] == 'nothing' else '(void)'}{made};"
        else:
            body = f"c->result.{member} = {made};"
        unused = "" if "c->" in body else "(void)c; "
        self.out.append(f"static void call_{name}(knb_call *c) {{ {unused}{body} }}")
        self.calls.add(name)

    def default(self, name):
        if name not in self.defaults:
            self.defaults.add(name)
            made = f"{name}_default()" if name in self.has_default else f"({name}){{.size_ = sizeof({name})}}"
            value = f"*({name} *)o = {made};"
            self.out.append(f'_Static_assert(sizeof({name}) <= KNB_OPTION_BYTES, "{name}");')
            self.out.append(f"static void default_{name}(void *o) {{ {value} }}")

    def row(self, module, prefix, line):
        text, _, mapping = line.partition(" | ")
        text, _, says = text.partition(" -> ")
        says = says.strip() or None
        m = re.match(r"([\w.]+)(?:\s*=\s*(kn_\w+))?\((.*)\)$", text.strip())
        if not m:
            raise Wrong("no signature")
        name, c_name, params = m.groups()
        f = self.functions.get(c_name) if c_name else self.elsewhere.get(f"{prefix}.{name}")
        if not f:
            raise Wrong("no function of the library")
        explicit = dict(p.split(":") for p in split(mapping)) if mapping else {}
        arguments = f["arguments"]
        members = {m["name"]: m for m in self.options[f["options"]]["members"]} if f.get("options") else {}
        names = [a["name"] for a in arguments]
        kinds = [kind_of(a, False) for a in arguments]
        for a in arguments:  # what may be None
            if "kn_array" in a["type"] and a.get("optional") and kinds[names.index(a["name"])] == "KNB_ARRAY":
                kinds[names.index(a["name"])] = "KNB_OPTIONAL_ARRAY"
        if f["result"]["kind"] == "int" and kinds and kinds[0] == "KNB_ARRAY":
            kinds = ["KNB_VALUES" if k == "KNB_ARRAY" and n in VALUES else k for k, n in zip(kinds, names)]
        taken, rows, shown, keyword, only, positional = set(), [], [], False, 0, 0
        parts = split(params)
        slash = parts.index("/") if "/" in parts else 0
        bare = []
        for p in parts:
            if p in ("/", "*"):
                bare.append((p, None, False))
                continue
            pname, eq, default = (s.strip() for s in p.partition("="))
            bare.append((pname, default if eq else None, pname.startswith("*")))
        wanted = {explicit.get(n.lstrip("*"), n.lstrip("*")) for n, _, _ in bare}
        free = [n for n in names if n not in wanted and n.rstrip("_") not in wanted]
        for pname, default, rest in bare:
            if pname == "*":
                keyword = True
                shown.append("*")
                continue
            if pname == "/":
                only = len(rows)
                shown.append("/")
                continue
            plain = pname.lstrip("*")
            c = explicit.get(plain, plain)
            option, at, kind = 0, "0", None
            if c[0] == ".":  # the option, where an argument has this name, too
                c = c[1:]
                kind, option, at = kind_of(members[c], True), 1, f"offsetof({f['options']}, {c})"
            elif c == "out" and "out" not in members:
                kind = "KNB_OUT"
            elif c in names or c + "_" in names:
                i = names.index(c if c in names else c + "_")
                kind, at = kinds[i], str(i)
                taken.add(i)
            elif c in members or c + "_" in members or c.lower() in members:
                c = c if c in members else c + "_" if c + "_" in members else c.lower()
                kind, option, at = kind_of(members[c], True), 1, f"offsetof({f['options']}, {c})"
            elif default is None and free:
                i = names.index(free.pop(0))
                kind, at = kinds[i], str(i)
                taken.add(i)
            elif c in HINTS or c == "hint":
                kind = "KNB_HINT"
            elif c == "device" and f["result"]["kind"] == "array":
                kind = "KNB_DEVICE"
            elif c in IGNORED or c == "ignored":
                kind = "KNB_IGNORED"
            else:
                raise Wrong(f"no place for {pname}")
            if default == "None" and kind == "KNB_ARRAY":
                kind = "KNB_OPTIONAL_ARRAY"
            if default == "None" and kind == "KNB_SHAPE" and not option:
                kind = kinds[int(at)] = "KNB_SHAPE_OR_NULL"
            required = int(default is None and not rest)
            rows.append(f'{{"{plain}", {kind}, {option}, {int(keyword)}, 0, {required}, {int(rest)}, {at}}}')
            shown.append(p_text(pname, default))
            keyword = keyword or rest
            positional = len(rows) if not keyword or rest else positional
        for i, a in enumerate(arguments):
            if i not in taken and kinds[i] != "KNB_OPTIONAL_ARRAY":
                raise Wrong(f"nothing for the argument {a['name']}")
        text_of_rows = "".join(rows)
        if (len(rows) > 40 or len(arguments) > 12 or text_of_rows.count("KNB_OUT_ARRAY") > 4 or
                text_of_rows.count("KNB_ARRAYS") > 4):
            raise Wrong("more parameters than call.c has room for")
        for i in range(only):
            rows[i] = re.sub(r"(\{[^{}]*?, KNB_\w+, \d, \d, )0", r"\g<1>1", rows[i], count=1)
        result = self.result(f, says)
        self.call(f, kinds, result)
        if f.get("options"):
            self.default(f["options"])
        key = re.sub(r"\W", "_", f"{module}_{name}")
        short = name.rpartition(".")[2]
        if rows:
            self.out.append(f"static const knb_param params_{key}[] = {{{', '.join(rows)}}};")
        doc = doc_of(short, shown, module, f)
        structure = f["result"]["type"].replace("const ", "").strip(" *")
        required = sum(", 1, 0, " in r for r in rows)
        looks = int(f["result"]["kind"] in ("bool", "int", "float", "string") or "linalg" in f["name"])
        self.out.append(f"KNB_DOC(doc_{key}, {doc})")
        self.out.append(
            f"static const knb_row row_{key} = {{\"{short}\", doc_{key}, call_{f['name']}, "
            f"{'default_' + f['options'] if f.get('options') else 'NULL'}, {len(rows)}, {positional}, {required}, "
            f"{result}, "
            f"{int(says == 'list')}, {looks}, {'params_' + key if rows else 'NULL'}, "
            f"{'&struct_' + structure if result == 'KNB_STRUCT' else 'NULL'}}};")
        self.rows.setdefault(module, []).append((short, key))


def p_text(name, default):
    return name if default is None else f"{name}={default}"


def quoted(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def doc_of(name, shown, module, f):
    first = "$self, " if module == "Array" else ""
    shown = shown[1:] if module == "Array" else shown
    if shown and shown[0] == "/":
        shown = shown[1:]
    return quoted(f"{name}({first}{', '.join(shown)})\n--\n\n{f.get('doc') or ''}\n\nIn C: {f['name']}")


def methods(rows):
    """Rows of the type Array as the methods of a Python type."""
    out, table = [], ["PyMethodDef kpy_array_methods[] = {"]
    for short, key in rows:
        out.append(f"static PyObject *method_{key}(PyObject *s, PyObject *const *a, Py_ssize_t n, PyObject *k) "
                   f"{{ return kpy_invoke(&row_{key}, s, a, n, k); }}")
        table.append(f'    {{"{short}", (PyCFunction)(void (*)(void))method_{key}, METH_FASTCALL | METH_KEYWORDS, '
                     f"doc_{key}}},")
    return out + ["\n".join(table) + "\n    {0}};"]


def main():
    python = sys.argv[1] == "--python"
    api_path, table, *files = sys.argv[1 + python:]
    maker = Maker(json.loads(Path(api_path).read_text()), Path(api_path).parent.parent)
    for path in files:
        module = prefix = None
        for line in Path(path).read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("module:"):
                module = line.split()[1]
            elif line.startswith("from:"):
                prefix = line.split()[1]
            else:
                try:
                    maker.row(module, prefix, line)
                except Wrong as e:
                    maker.wrong.append(f"{path}: {line}\n    {e}")
    if maker.wrong:
        sys.exit("\n".join(maker.wrong))
    header = "kpy.h" if python else "rows.h"
    out = ["/* Made by bindings/shared/generate.py. */",
           f'#include "{header}"', "#include <string.h>", "", *maker.out, ""]
    tables = []
    if python:
        out += methods(maker.rows.pop("Array", []))
    for module, rows in maker.rows.items():
        key = re.sub(r"\W", "_", module)
        out.append(f"static const knb_row *const table_{key}[] = {{{', '.join('&row_' + k for _, k in rows)}}};")
        tables.append(f'{{"{module}", {len(rows)}, table_{key}}}')
    tables.append("{NULL, 0, NULL}")
    out.append(f"const knb_table knb_tables[] = {{{', '.join(tables)}}};")
    Path(table).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()

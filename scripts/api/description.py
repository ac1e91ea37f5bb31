# SPDX-License-Identifier: Apache-2.0
"""docs/api.json: the public functions as data, from which packages for other languages and reference pages are made.
docs/descriptions.md tells what its members mean."""
import json
import re

from .headers import c_type, doc_of, passing
from .read import Code, Function, Mistake, Options, Text

HANDLES = {"kn_fn": "function", "kn_tree": "tree", "kn_treedef": "treedef", "kn_schedule": "schedule",
           "kn_optimizer": "optimizer", "kn_jaxpr": "jaxpr", "kn_context": "context", "kn_archive": "archive", "kn_safetensors": "safetensors", "kn_gguf": "gguf", "kn_file_cache": "file_cache",
           "kn_primitive": "primitive", "kn_prepared": "prepared", "kn_list": "arrays", "kn_rng": "rng",
           "kn_bit_generator": "bit_generator", "kn_seed_sequence": "seed_sequence", "kn_random_state": "random_state", "kn_flatiter": "flatiter",
           "kn_broadcast_iter": "broadcast_iter", "kn_nditer": "nditer", "kn_arrayterator": "arrayterator",
           "kn_plot": "plot", "kn_device": "device", "kn_progress": "progress", "kn_mesh": "mesh", "kn_sharding": "sharding",
           "kn_loader": "loader", "kn_checkpoint_manager": "checkpoint_manager"}
KINDS = {"kn_array": "array", "kn_axes": "axes", "const kn_axes *": "axes", "kn_shape": "shape",
         "const kn_shape *": "shape", "kn_dtype": "dtype", "bool": "bool", "double": "float", "const char *": "string",
         "char": "character", "const kn_args *": "arguments", "const kn_outs *": "results", "void": "nothing",
         "kn_argnums": "positions", "kn_c128": "complex", "const kn_index_arg *": "index arguments",
         "void *": "pointer", "const void *": "pointer", "FILE *": "file", **HANDLES}
INTEGERS = {"int": 32, "int32_t": 32, "uint32_t": 32, "int64_t": 64, "uint64_t": 64, "size_t": 64}
COUNTS = {"n", "count", "bytes"}
ERRORS = {"array": "carried", "int": "-1", "float": "nan", "complex": "nan", "bool": "false", "shape": "ndim -1",
          "nothing": "pending", "dtype": "null", "string": "null", "pointer": "null"}
OWNED = {"array", "string", "pointer"} | set(HANDLES.values()) - {"context", "prepared", "device", "mesh", "sharding"}
BY_CALLER = {"context", "prepared"}


def declared(headers, root):
    """Enumerations, structures and types of functions that the code of headers declares."""
    enums, structs, callbacks = {}, {}, {}
    texts = [item.text for h in headers for item in h.all(Code)] + [(root / "include/kiln/types.h").read_text()]
    for text in texts:
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for body, name in re.findall(r"typedef enum (?:kn_\w+ )?\{(.*?)\} (kn_\w+);", text, re.S):
            enums[name] = [v.strip().split(" ")[0] for v in body.split(",") if re.match(r"\s*[Kk][Nn]_\w+", v)]
        for name, body in re.findall(r"typedef struct (kn_\w+) \{([^{}]*)\} \1;", text, re.S):
            structs[name] = fields(body)
        for result, name, arguments in re.findall(r"typedef ([\w *]+?)\(\*(kn_\w+)\)\((.*?)\);", text, re.S):
            callbacks[name] = {"result": result.strip(), "arguments": re.sub(r"\s+", " ", arguments)}
    enums.setdefault("kn_error_kind", [])
    if not enums["kn_error_kind"]:
        kinds = (root / "include/kiln/types.h").read_text()
        enums["kn_error_kind"] = ["KN_NO_ERROR"] + ["KN_ERROR_" + k for k in re.findall(r'X\((\w+), "', kinds)]
    return enums, structs, callbacks


def fields(body):
    """Members of a structure as (type, name); an array's type ends with its extent."""
    out = []
    for declaration in re.sub(r"\s+", " ", body).split(";"):
        first, *others = declaration.strip().split(",")
        m = re.fullmatch(r"(.*?[ *])(\w+)((?:\[.*\])*)", first.strip())
        if not m or "(" in declaration:
            continue
        out.append((m.group(1).strip() + m.group(3), m.group(2)))
        for other in others:
            m2 = re.fullmatch(r"\s*(\**)(\w+)((?:\[.*\])*)\s*", other)
            out.append((re.sub(r"[ *]+$", "", m.group(1)) + (" " + m2.group(1) if m2.group(1) else "") + m2.group(3),
                        m2.group(2)))
    return out


class Describer:
    def __init__(self, interface):
        self.interface = interface
        self.enums, self.structs, self.callbacks = declared(interface.headers, interface.root)
        self.unknown = {}

    def kind(self, type_, where):
        """What a value of this C type is."""
        if type_ in KINDS:
            return {"kind": KINDS[type_]}
        if type_ in INTEGERS:
            return {"kind": "int", "bits": INTEGERS[type_], **({"signed": False} if type_[0] in "us" else {})}
        if type_ in self.enums:
            return {"kind": "enum", "enum": type_}
        if type_ in self.callbacks or "(*" in type_:
            return {"kind": "callback", "callback": type_}
        if type_ in self.structs:
            return {"kind": "struct", "struct": type_}
        m = re.fullmatch(r"const (?:struct )?(kn_\w+|int64_t) (\*|\*const \*)", type_)
        if m:
            return {"kind": "vector", "of": self.kind(m.group(1), where)}
        m = re.fullmatch(r"(?:struct )?(\w+) \*", type_)
        if m:
            return {**self.kind(m.group(1), where), "out": True}
        if type_ in self.interface.options:
            return {"kind": "options", "options": type_}
        return {"kind": "c"}

    def argument(self, f, i):
        a = f.plain_arguments[i]
        said = {"name": a.name, "type": a.type, **self.kind(a.type, f.name)}
        if said["kind"] == "vector" and said["of"]["kind"] in ("struct", "c"):
            name = re.sub(r"const | \*", "", a.type)
            if not self.count_of(f, i):
                said = {"name": a.name, "type": a.type, "kind": "struct", "struct": name, "by": "address"}
        if passing(a) == "address":
            said["by"] = "address"
        if self.counts(f, i):
            said["kind"], said["of"] = "count", self.counts(f, i)
        note = f.notes.get(a.name, "")
        m = re.search(r"\{(.*)\}", note)
        if m:
            said["choices"] = [c.strip().strip('"') for c in m.group(1).split("|")]
        if note.startswith("optional"):
            said["optional"] = True
        text = re.sub(r"^optional:? ?|\{.*\} ?", "", note)
        return {**said, **({"doc": text} if text else {})}

    def counts(self, f, i):
        """The argument of whose elements argument i is the number."""
        a = f.plain_arguments[i]
        if a.type not in INTEGERS or a.name not in COUNTS:
            return ""
        for k in (i + 1, i - 1):
            if 0 <= k < len(f.plain_arguments):
                b = f.plain_arguments[k]
                if b.type.endswith("*") and not re.match(r"const (kn_axes|kn_args|kn_outs|char) ", b.type):
                    return b.name
        return ""

    def count_of(self, f, i):
        return any(self.counts(f, k) == f.plain_arguments[i].name for k in range(len(f.plain_arguments)))

    def result(self, f):
        said = {"type": f.result, **self.kind(f.result, f.name)}
        kind = said["kind"]
        error = f.errors or ERRORS.get(kind, "null" if kind in HANDLES.values() else "none")
        if kind == "struct":
            error = f.errors or ("carried" if any(t == "kn_array" for t, _ in self.structs[said["struct"]]) else "none")
        said["error"] = error
        if f.owner:
            said["owner"] = f.owner
        elif kind in OWNED or kind == "struct" and error == "carried":
            said["owner"] = "scope"
        elif kind in BY_CALLER:
            said["owner"] = "caller"
        return said

    def function(self, f):
        said = {"name": f.name, "header": f.header.path, "doc": doc_of(f)}
        if f.names:
            said["names"] = f.names
        if f.partly:
            said["partly"] = f.partly
        if f.same:
            said["same"] = f.same
        if f.dtypes:
            said["dtypes"] = f.dtypes
        if f.see:
            said["see"] = f.see
        if f.example:
            said["example"] = {"code": f.example.code, **({"python": f.example.python} if f.example.python else {}), "output": f.example.output or ""}
        said["arguments"] = [self.argument(f, i) for i in range(len(f.plain_arguments))]
        if f.options_type:
            said["options"] = f.options_type
        said["result"] = self.result(f)
        wrong = set(f.notes) - {a.name for a in f.arguments}
        if wrong:
            raise Mistake(f"{f.name} has no argument {', '.join(wrong)}")
        return said

    def option(self, o):
        said = {"name": o.name, "type": o.declaration or o.type + o.array, **self.kind(o.declaration or o.type, o.name)}
        m = re.fullmatch(r"\[(\w+)\]", o.array)
        if m:
            said["each"] = m.group(1)
        said["default"] = default(o)
        if o.means:
            said["means"] = o.means.strip('"')
        if o.choices:
            said["choices"] = [c.strip('"') for c in o.choices]
        if o.doc:
            said["doc"] = o.doc
        return said

    def options(self, h, o):
        said = {"name": o.name, "header": h.path}
        if o.doc:
            said["doc"] = o.doc
        if not o.has_default:
            said["default function"] = False
        said["members"] = [self.option(x) for x in o.options]
        return said


def default(o):
    """The default as a value of JSON; what is no number, text or truth value as its name in C."""
    text = o.default
    if not text:
        if o.type in ("bool",):
            return False
        return 0 if o.type in INTEGERS or o.type == "double" else None
    if text in ("true", "false"):
        return text == "true"
    if text == "NAN":
        return "nan"
    try:
        return json.loads(text.replace("'", '"'))
    except ValueError:
        return text


def sections_of(header):
    """The section of the header that a function stands in."""
    found, section = {}, ""
    for item in header.items:
        if isinstance(item, Text) and item.is_section:
            section = item.text
        elif isinstance(item, Function) and section:
            found[item.name] = {"section": section}
    return found


def page(interface):
    d = Describer(interface)
    functions = []
    for h in interface.headers:
        section = sections_of(h)
        functions += [{**d.function(f), **section.get(f.name, {})} for f in h.all(Function)]
    options = [d.options(h, o) for h in interface.headers for o in h.all(Options)]
    used = json.dumps([functions, options])
    sections = {
        "headers": [{"path": h.path, "description": h.source, "doc": h.doc} for h in interface.headers],
        "enums": [{"name": n, "values": v} for n, v in sorted(d.enums.items()) if f'"{n}"' in used],
        "structs": [{"name": n, "members": [{"name": m, "type": t, **d.kind(t, n)} for t, m in v]}
                    for n, v in sorted(d.structs.items()) if f'"{n}"' in used],
        "callbacks": [{"name": n, **v} for n, v in sorted(d.callbacks.items()) if f'"{n}"' in used],
        "options": options,
        "functions": functions,
    }
    lines = ["{", '"format": 1,']
    for i, (name, entries) in enumerate(sections.items()):
        lines.append(f'"{name}": [')
        lines += [json.dumps(e, ensure_ascii=False) + ("," if k + 1 < len(entries) else "") for k, e in enumerate(entries)]
        lines.append("]" + ("," if i + 1 < len(sections) else ""))
    return "\n".join(lines + ["}"]) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""The functions and options of the C++ interface, include/kiln/cpp/**, from the descriptions."""
import re

from .description import Describer
from .headers import WIDTH, comment, doc_of, value, wrap_code
from .read import Function, Options

KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split())
# The longest prefix that fits names the namespace.
NAMESPACES = {p: p.replace("lax_linalg", "lax::linalg") for p in (
    "linalg", "fft", "random", "nn", "lax_linalg", "lax", "optim", "special", "signal", "tree", "testing", "emath", "rng",
    "random_state", "bit_generator", "seed_sequence", "treedef", "jaxpr", "nditer", "flatiter", "arrayterator", "format",
    "ufunc", "char", "initializers")}
# Written by hand in include/kiln/cpp/*.hpp, or for C alone (places, scopes, handles, weak numbers, errors as values).
HEADERS_BY_HAND = {"kiln/core.h", "kiln/function.h", "kiln/control.h", "kiln/context.h", "kiln/callback.h", "kiln/primitive.h",
                   "kiln/prepared.h", "kiln/print.h", "kiln/shard_map.h"}
BY_HAND = {"kn_at", "kn_set_at", "kn_ufunc_at", "kn_tree_of", "kn_tree_of_fields", "kn_tree_from", "kn_tree_leaf",
           "kn_tree_leaves_with_path", "kn_tree_flatten_with_path", "kn_tree_list", "kn_tree_tuple", "kn_tree_dict",
           "kn_list_from", "kn_list_count", "kn_list_get", "kn_jaxpr_bind", "kn_array_namespace_info", "kn_savez",
           "kn_savez_compressed", "kn_nested_iters", "kn_associative_scan", "kn_optim_update", "kn_optim_apply",
           "kn_testing_check_jvp", "kn_testing_check_vjp", "kn_testing_check_grads", "kn_tree_map", "kn_tree_reduce",
           "kn_tree_reduce_associative", "kn_rng_spawn", "kn_bit_generator_spawn", "kn_seed_sequence_spawn", "kn_printoptions_enter", "kn_printoptions_leave", "kn_make_jaxpr"}
VALUES = {"int", "bool", "float", "character", "enum", "complex", "count"}
TAKEN = {"kn_lax_pads": "pads", "kn_axis_names": "axis_names", "kn_lax_padding_config": "padding_config",
         "kn_dtype_like": "dtype_like"}
# Kinds of handles that are objects, handle<kn_...>.
HANDLED = ("schedule", "optimizer", "rng", "bit_generator", "seed_sequence", "random_state", "treedef", "jaxpr", "archive", "safetensors", "gguf", "file_cache", "flatiter",
           "broadcast_iter", "nditer", "arrayterator", "plot", "progress")
ELEMENTS = {"kn_optimizer": "handle<kn_optimizer>", "kn_schedule": "handle<kn_schedule>", "kn_treedef": "handle<kn_treedef>",
            "kn_dtype_like": "dtype_like", "kn_list": "operands", "kn_slice": "grid"}  # of vectors; they have a c()
METHODS_BY_HAND = {"size", "ndim", "dtype", "shape", "item", "T", "nbytes", "itemsize", "data", "fill_", "str", "repr", "flat"}


def split(c_name):
    """Namespace and name of a C name."""
    name = c_name[3:]
    for prefix in sorted(NAMESPACES, key=len, reverse=True):
        if name.startswith(prefix + "_"):
            return NAMESPACES[prefix], safe(name[len(prefix) + 1:])
    return "", safe(name)


def safe(name):
    if name[0].isdigit():
        name = "_" + name
    return name + "_" if name in KEYWORDS else name


def qualified(c_name):
    space, name = split(c_name)
    return "::kiln::" + (space + "::" if space else "") + name


def joined(type_, name):
    return type_ + ("" if type_.endswith(("*", "&")) else " ") + name


class Maker:
    def __init__(self, interface):
        self.interface = interface
        self.describer = Describer(interface)
        self.aliases = set()
        self.used = {f.options_type for h in interface.headers for f in self.wanted(h) if f.options_type}
        self.used |= {"kn_print_opts", "kn_optim_update_opts", "kn_testing_check_opts", "kn_lax_cumulative_opts"}
        self.paths = {h.path for h in interface.headers
                      if self.wanted(h) or any(o.name in self.used for o in h.all(Options))}

    @staticmethod
    def path(header):
        return header.replace("kiln/", "kiln/cpp/", 1).replace(".h", ".hpp")

    # ---- Options.

    def member(self, o):
        """C++ type and default of an option."""
        kind = self.describer.kind(o.type, o.name)
        k, out = kind["kind"], kind.get("out")
        if o.declaration or o.array:
            return None, ""
        default = value(o.default)
        if k == "array":
            return ("::kiln::array *" if out else "::kiln::array"), ""
        if out:
            return o.type, default
        simple = {"axes": "::kiln::axes", "dtype": "::kiln::dtype", "positions": "::kiln::positions", "string": "::kiln::text",
                  "arrays": "std::vector<array>", "tree": "::kiln::pytree"}
        if k in simple:
            return simple[k], default if k == "string" and default.startswith('"') else ""
        if k == "shape":
            return ("::kiln::optional_shape" if o.type.endswith("*") else "::kiln::shape"), ""
        if k == "struct" and o.type == "kn_lax_pads":
            return "::kiln::pads", default if default.startswith('"') else ""
        if k in ("schedule", "optimizer", "rng", "bit_generator", "seed_sequence", "random_state"):
            return f"::kiln::handle<{o.type}>", ""
        if k == "function":
            return "::kiln::fn", ""
        return o.type, default

    def options(self, o):
        """The struct, with a setter for each member."""
        name = split(o.name)[1]
        lines = [f"struct {name} {{"]
        fill = []
        for x in o.options:
            type_, default = self.member(x)
            n = safe(x.name)
            doc = f" /* {x.doc or x.means} */" if (x.doc or x.means) else ""
            if type_ is None:
                text = x.declaration or f"{joined(x.type, x.name)}{x.array}"
                lines.append(f"    {text} = {{}};")
                fill.append(f"detail::put(to_.{x.name}, {n});" if re.search(r"\]$", text) and "(*" not in text else
                            f"to_.{x.name} = {n};")
                continue
            lines.append(f"    KILN_OPTION(({type_}), {n}, {default or '{}'})")
            if len(lines[-1] + doc) <= WIDTH:
                lines[-1] += doc
            if type_ != "::kiln::array *":
                fill.append(f"to_.{x.name} = detail::c_of({n});")
        lines.append(f"    {o.name} c() const {{")
        lines += wrap_code(f"{o.name} to_ = {{}}; to_.size_ = sizeof to_; {' '.join(fill)} return to_; }}", "        ", "        ")
        lines.append("};")
        return lines

    # ---- Results.

    def result_struct(self, type_):
        """Members of the C++ struct of a result: (C++ type, name, how it is made), or None: the C struct as it is."""
        made, owned = [], False
        for t, n in self.describer.structs.get(type_, []):
            k = self.describer.kind(t, n)["kind"]
            access = f"r_.{n}"
            if k == "array":
                made.append(("array", n, f"array::share({access})"))
                owned = True
            elif k == "arrays":
                made.append(("std::vector<array>", n, f"detail::arrays_of({access})"))
                owned = True
            elif k == "treedef":
                made.append(("treedef_t", n, f"treedef_t({access})"))
                owned = True
            elif k == "string":
                made.append(("std::string", n, f"detail::text_of({access})"))
                owned = True
            elif k in ("int", "float", "bool", "character"):
                made.append((t, n, access))
            elif k == "dtype":
                made.append(("::kiln::dtype", n, access))
            elif k == "shape":
                made.append(("::kiln::shape", n, access))
            else:
                return None
        return made if owned else None

    def result(self, f):
        """C++ type, and the statements that return it; %s: the call."""
        k = self.describer.kind(f.result, f.name)
        kind = k["kind"]
        if k.get("out"):
            return f.result, "return c_.value(%s);"
        if kind == "array":
            return "array", "return array::share(c_.take(%s));"
        if kind == "nothing":
            return "void", "%s; detail::check();"
        if kind == "arrays":
            return "std::vector<array>", "return detail::arrays_of(c_.take(%s));"
        if kind == "string":
            return "std::string", "return c_.text(%s);"
        if kind in ("dtype", "shape", "axes"):
            return "::kiln::" + kind, "return c_.value(%s);"
        if kind == "function":
            return "fn", "return fn(c_.take(%s));"
        if kind == "tree":
            return "pytree", "return pytree(c_.take(%s));"
        if kind in HANDLED:
            return f"handle<{f.result}>", f"return handle<{f.result}>(c_.take(%s));"
        if kind == "struct":
            members = self.result_struct(f.result)
            if members:
                made = ", ".join(m[2] for m in members)
                name = qualified(f.result)
                return name, f"{f.result} r_ = c_.value(%s); return {name}{{{made}}};"
        return f.result, "return c_.value(%s);"

    # ---- Functions.

    def arguments(self, f):
        """Parameters, statements before the call, what is passed."""
        parameters, before, passed = [], [], []
        described = [self.describer.argument(f, i) for i in range(len(f.plain_arguments))]
        counted = {d["of"] for d in described if d["kind"] == "count"}
        lists = {d["name"] for d in described if d["kind"] == "vector" and d["of"]["kind"] == "array" or
                 d["kind"] == "vector" and d["name"] in counted and not d["type"].endswith("*const *")}
        for d, a in zip(described, f.plain_arguments):
            n, k = safe(a.name), d["kind"]
            if k == "shape" and a.name in counted and a.name == "shapes":
                parameters.append(f"const std::vector<::kiln::shape> &{n}")
                passed.append(f"{n}.data()")
            elif d.get("out"):
                parameters.append(joined(a.type, n))
                passed.append(n)
            elif k == "count" and (d["of"] in lists or self.of_shapes(f, d["of"])):
                passed.append(f"static_cast<{a.type}>({safe(d['of'])}.size())")
            elif a.name in lists and k == "vector" and d["of"]["kind"] != "array":
                element = re.sub(r"const | \*", "", a.type)
                parameters.append(f"const std::vector<{'::kiln::' + ELEMENTS[element] if element in ELEMENTS else element}> &{n}")
                if element in ELEMENTS:
                    before.append(f"std::vector<{element}> {n}_v = detail::all_of<{element}>({n});")
                passed.append(f"{n}_v.data()" if element in ELEMENTS else f"{n}.data()")
            elif a.type == "kn_operands":
                parameters.append(f"const ::kiln::operands &{n}")
                before.append(f"std::vector<kn_array> {n}_v = {n}.handles();")
                passed.append(f"kn_operands{{static_cast<int>({n}.size()), {n}_v.data()}}")
            elif a.name in lists and k == "vector":
                parameters.append(f"const ::kiln::operands &{n}")
                before.append(f"std::vector<kn_array> {n}_v = {n}.handles();")
                passed.append(f"{n}_v.data()")
            elif k == "array":
                parameters.append(f"const ::kiln::operand &{n}")
                before.append(f"kn_array {n}_h = {n}.c();")
                passed.append(f"{n}_h")
            elif k == "arrays":
                parameters.append(f"const ::kiln::operands &{n}")
                before.append(f"kn_list {n}_h = {n}.list();")
                passed.append(f"{n}_h")
            elif k in ("shape", "axes") and d.get("by") == "address":
                parameters.append(f"const ::kiln::{k} &{n}")
                passed.append("&" + n)
            elif k == "string":
                parameters.append(f"const ::kiln::text &{n}")
                passed.append(f"{n}.c()")
            elif k == "dtype":
                parameters.append(f"const ::kiln::dtype &{n}")
                passed.append(n)
            elif k == "function":
                parameters.append(f"const ::kiln::fn &{n}")
                passed.append(f"{n}.c()")
            elif k == "tree":
                parameters.append(f"const ::kiln::pytree &{n}")
                passed.append(f"{n}.c()")
            elif k in HANDLED:
                parameters.append(f"const ::kiln::handle<{a.type}> &{n}")
                passed.append(f"{n}.c()")
            elif a.type in TAKEN:
                parameters.append(f"const ::kiln::{TAKEN[a.type]} &{n}")
                if a.type == "kn_dtype_like":
                    before.append(f"kn_dtype_like {n}_h = {n}.c();")
                passed.append(f"{n}_h" if a.type == "kn_dtype_like" else n)
            elif k == "struct" and d.get("by") == "address":
                parameters.append(f"const {d['struct']} &{n}")
                passed.append("&" + n)
            else:
                parameters.append(a.type if "(*" in a.type else joined(a.type, n))
                passed.append(n)
        return parameters, before, passed

    @staticmethod
    def of_shapes(f, name):
        return name == "shapes" and any(a.name == name and a.type == "const kn_shape *" for a in f.plain_arguments)

    def function(self, f):
        parameters, before, passed = self.arguments(f)
        type_, returning = self.result(f)
        options = self.interface.options.get(f.options_type)
        after = ""
        if options:
            parameters.append(f"const {qualified(options.name)} &opts = {{}}")
            before.append(f"{options.name} opts_c = opts.c();")
            for x in options.options:
                if self.member(x)[0] == "::kiln::array *":
                    n = safe(x.name)
                    before.append(f"detail::out_array {n}_o(opts.{n}); opts_c.{x.name} = {n}_o.c();")
            passed.append("&opts_c")
        parameters.append("place where = here()")
        call = f"{f.name}({', '.join(passed)})"
        body = f"{{ detail::call c_(where); {' '.join(before)} c_.here(); {returning % call}{after} }}".replace(";  c_", "; c_")
        doc = doc_of(f)
        lines = comment(doc) if doc else []
        if options:  # each function's options have its name, too
            own = split(f.name)[1].rstrip("_") + "_opts"
            name = (split(f.name)[0], own)
            if f.name + "_opts" not in self.interface.options and name not in self.aliases:
                self.aliases.add(name)
                lines = [f"using {own} = {qualified(options.name)};"] + lines
        return lines + wrap_code(f"inline {joined(type_, split(f.name)[1])}({', '.join(parameters)})", "", "    ") + \
            wrap_code(body, "", "    ")

    # ---- Files.

    def wanted(self, h):
        # x[index] += v and its kin are x(index) += v.
        return [f for f in h.all(Function) if f.name not in BY_HAND and not f.suffix and not re.fullmatch("kn_i.*_at", f.name)] if h.path not in HEADERS_BY_HAND else []

    def header(self, h, before):
        """The C++ file of a header, or nothing."""
        functions = self.wanted(h)
        chunks = []  # (namespace, lines)
        for item in h.items:
            if isinstance(item, Options) and item.name in before["options"]:
                chunks.append((split(item.name)[0], self.options(item)))
            elif isinstance(item, Function) and item in functions:
                members = self.result_struct(item.result) if item.result in self.describer.structs else None
                if members and item.result not in before["results"]:
                    before["results"].add(item.result)
                    space, name = split(item.result)
                    text = " ".join(f"{joined(t, safe(n))};" for t, n, _ in members)
                    chunks.append((space, [f"struct {name} {{ {text} }};"]))
                chunks.append((split(item.name)[0], self.function(item)))
        if not chunks:
            return ""
        path = self.path(h.path)
        guard = re.sub(r"\W", "_", path).upper()
        lines = ["/* SPDX-License-Identifier: Apache-2.0", f" * {path} -- the functions of {h.path} in C++. */",
                 f"/* Made by scripts/make-api.py from {h.source}. */", "/* clang-format off */", f"#ifndef {guard}",
                 f"#define {guard}", '#include "kiln/cpp/options.hpp"']
        lines += [f'#include "{self.path(i)}"' for i in h.includes if i in self.paths]
        lines += ["", "namespace kiln {"]
        inside = ""
        for space, text in chunks:
            if space != inside:
                lines += [f"}} // namespace {inside}"] if inside else []
                lines += [f"namespace {space} {{"] if space else []
                inside = space
            lines += text
        lines += [f"}} // namespace {inside}"] if inside else []
        return "\n".join(lines + ["} // namespace kiln", "#endif"]) + "\n"

    def methods(self):
        """NumPy's methods that are functions here: declarations, definitions, and the options that they name."""
        declared, defined, options, done = [], [], [], set()
        for h in self.interface.headers:
            for f in self.wanted(h):
                for name in f.names:
                    m = re.fullmatch(r"numpy\.ndarray\.([a-z]\w*)", name)
                    if not m or m.group(1) in METHODS_BY_HAND or m.group(1) in done or f.plain_arguments[0].type != "kn_array":
                        continue
                    type_ = self.result(f)[0]
                    if type_ not in ("array", "int", "void", "bool"):
                        continue
                    done.add(m.group(1))
                    self.method(f, safe(m.group(1)), type_, declared, defined, options)
        return declared, defined, options

    def method(self, f, name, type_, declared, defined, options):
        parameters, _, _ = self.arguments(f)
        parameters = parameters[1:]
        names = [re.search(r"(\w+)$", p).group(1) for p in parameters]
        target = qualified(f.name)
        o = self.interface.options.get(f.options_type)
        back = "" if type_ == "void" else "return "

        def one(extra, given):
            ps = ", ".join(parameters + extra)
            declared.append(f"inline {joined(type_, name)}({ps}, place where = here()) const;".replace("(, ", "("))
            defined.append(f"inline {joined(type_, 'array::' + name)}({ps}, place where) const".replace("(, ", "(") +
                           f" {{ {back}{target}({', '.join(['*this'] + names + given + ['where'])}); }}")
        if o:
            options.append(o.name)
            one([], ["{}"])
            one([f"const {qualified(o.name)} &opts"], ["opts"])
        else:
            one([], [])


def files(interface):
    """Paths and texts."""
    made = {}
    m = Maker(interface)
    before = {"options": m.used, "results": set()}
    paths, beside = [], {"media": [], "models": []}
    for h in interface.headers:
        text = m.header(h, before)
        if text:
            made["include/" + m.path(h.path)] = text
            beside.get(h.path.split("/")[1], paths).append(m.path(h.path))
    declared, defined, options = m.methods()
    top = "/* SPDX-License-Identifier: Apache-2.0\n * {} */\n/* Made by scripts/make-api.py. */\n/* clang-format off */\n"
    lines = ["#ifndef KILN_CPP_METHODS_FORWARD_HPP", "#define KILN_CPP_METHODS_FORWARD_HPP", "namespace kiln {"]
    for o in sorted(set(options)):
        space, name = split(o)
        lines.append(f"namespace {space} {{ struct {name}; }}" if space else f"struct {name};")
    made["include/kiln/cpp/methods/forward.hpp"] = top.format(
        "kiln/cpp/methods/forward.hpp -- options that methods of arrays name.") + "\n".join(lines + ["}", "#endif"]) + "\n"
    made["include/kiln/cpp/methods/declare.hpp"] = top.format(
        "kiln/cpp/methods/declare.hpp -- NumPy's methods of an array; stands inside of its class.") + "\n".join(
            line for d in declared for line in wrap_code(d, "    ", "        ")) + "\n"
    about = {"media": "plots, pictures and sound", "models": "files of models, tokenizers and ONNX"}
    for name, included in beside.items():
        guard = f"KILN_{name.upper()}_HPP"
        made[f"include/kiln/{name}.hpp"] = top.format(
            f"kiln/{name}.hpp -- {about[name]} in C++: the functions of kiln/{name}.h, for programs that link kiln_{name}.") + "\n".join(
                [f"#ifndef {guard}", f"#define {guard}", f"#include <kiln/{name}.h>", "#include <kiln/kiln.hpp>"] +
                [f'#include "{p}"' for p in included] + ["#endif"]) + "\n"
    made["include/kiln/cpp/functions.hpp"] = top.format(
        "kiln/cpp/functions.hpp -- all functions that are made of descriptions, and the methods that call them.") + "\n".join(
            ["#ifndef KILN_CPP_FUNCTIONS_HPP", "#define KILN_CPP_FUNCTIONS_HPP"] + [f'#include "{p}"' for p in paths] +
            ["", "namespace kiln {"] + [line for d in defined for line in wrap_code(d, "", "    ")] +
            ["} // namespace kiln", "#endif"]) + "\n"
    return made

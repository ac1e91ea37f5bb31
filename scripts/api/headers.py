# SPDX-License-Identifier: Apache-2.0
"""Public headers, and the defaults of all options, from the descriptions."""
import re
import textwrap

from .read import Code, Function, Mistake, Options, Text

WIDTH = 120
SHORT = {"numpy": "np"}
BY_ADDRESS = {"kn_shape", "kn_axes", "kn_lax_dot_dimension_numbers", "kn_lax_gather_dimension_numbers",
              "kn_lax_scatter_dimension_numbers"}
CONVERTED = {"kn_array": "KN_LIKE", "kn_lax_pads": "KN_PADS_OF", "kn_axis_names": "KN_NAMES_OF",
             "kn_dtype_like": "KN_DTYPE_LIKE"}  # by these macros


def wrap(text, first, rest, width=WIDTH):
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def comment(text, indent=""):
    """A comment of its own, in lines."""
    paragraphs = text.split("\n\n")
    lines = []
    for i, paragraph in enumerate(paragraphs):
        lines += [indent + " *"] if i else []
        lines += wrap(paragraph, indent + (" * " if i else "/* "), indent + " * ", WIDTH - 3)
    lines[-1] += " */"
    return lines


def joined(type_, name):
    return type_ + ("" if type_.endswith("*") else " ") + name


def wrap_code(text, first, rest, width=WIDTH):
    """The same; `.member = value`, an argument of a prototype and a small call stay together."""
    together = re.sub(r"KN_(?:TAKE|V)\([^()]*\)|\w[\w ]* \*\w+(?=[,)])", lambda m: m.group(0).replace(" ", "\0"), text)
    return [line.replace("\0", " ") for line in wrap(together.replace(" = ", "\0=\0"), first, rest, width)]


# ---- Options.


def field(o):
    if o.declaration:
        return o.declaration + ";"
    return joined(o.type, o.name) + o.array + ";"


def value(default):
    return {"NAN": '__builtin_nan("")'}.get(default, default)


def option_comment(o):
    zero = "not given, " if o.type == "kn_axes" else "NULL, " if o.type.endswith("*") or o.type.startswith("kn_") else ""
    first = o.default or (zero + o.means if o.means else "")
    others = [c for c in o.choices if c not in (o.default, o.means)]
    if others:
        first = "; or ".join(x for x in (first, ", ".join(others)) if x)
    return ": ".join(x for x in (first, o.doc) if x)


def options_struct(o):
    lines = comment(o.doc) if o.doc else []
    if o.like:
        lines.append(f"typedef {o.like} {o.name};")
        return lines
    fields = ["size_t size_;"] + [field(x) for x in o.options]
    comments = [""] + [option_comment(x) for x in o.options]
    named = [(x.name, option_comment(x)) for x in o.options if option_comment(x)]
    one = f"typedef struct {o.name} {{ {' '.join(fields)} }} {o.name};"
    text = named[0][1] if len(o.options) == 1 and named else "; ".join(f"{n}: {c}" for n, c in named)
    whole = one + (f" /* {text} */" if text else "")
    if len(whole) <= WIDTH and len(named) < 4:
        return lines + [whole]
    lines.append(f"typedef struct {o.name} {{")
    if not named:
        lines += wrap(" ".join(fields), "    ", "    ")
    else:
        column = max(len(f) for f in fields) + 5
        for f, c in zip(fields, comments):
            if not c:
                lines.append("    " + f)
            elif column + len(c) + 6 <= WIDTH:
                lines.append(f"    {f}".ljust(column) + f"/* {c} */")
            else:
                lines += comment(c, "    ") + ["    " + f]
    return lines + [f"}} {o.name};"]


def default_list(o, changed=None):
    """The members that are not zero, as in an initialiser."""
    return [f".{x.name} = {value(x.default)}" for x in o.options if x.default]


# ---- Functions.


def doc_of(f):
    shown = ""
    if f.same:
        shown = f.same
    elif f.shown:
        module, _, rest = f.names[0].partition(".")
        shown = f"{SHORT.get(module, module)}.{rest}"
    if shown and f.doc.startswith(shown):
        return f.doc
    return ": ".join(x for x in (shown, f.doc) if x)


def prototype(f):
    arguments = ", ".join(a.type if "(*" in a.type else joined(a.type, a.name) for a in f.arguments) or "void"
    one = f"KN_API {joined(f.result, f.name)}({arguments}){f.suffix};"
    return wrap_code(one, "", "    ")


def functions(run):
    """Prototypes of functions that follow each other: short comments stand behind them, in a column."""
    made = [(f, prototype(f), doc_of(f)) for f in run]
    short = [len(p[0]) for _, p, d in made if len(p) == 1 and len(p[0]) + len(d) + 7 <= WIDTH and len(p[0]) < 76]
    column = max(short, default=0) + 1
    lines = []
    for f, p, d in made:
        if not d:
            lines += p
        elif len(p) > 1 or len(p[0]) + len(d) + 7 > WIDTH or "\n" in d:
            lines += comment(d) + p
        else:
            at = column if len(p[0]) < column and column + len(d) + 6 <= WIDTH else len(p[0]) + 1
            lines.append(p[0].ljust(at) + f"/* {d} */")
    return lines


# ---- Macros.


def passing(a):
    """How a macro passes this argument: an array or a number, something else that is converted, a structure by its
    address, another value as it is."""
    if a.type in CONVERTED:
        return "array" if a.type == "kn_array" else "converted"
    m = re.fullmatch(r"const (kn_\w+) \*", a.type)
    return "address" if m and m.group(1) in BY_ADDRESS else "value"


def c_type(a):
    return re.fullmatch(r"const (\w+) \*", a.type).group(1) if passing(a) == "address" else a.type


TOOLS = {  # how the arguments are passed: the macro of kiln/macros.h; ... with options
    "": (None, "KN_F0O"), "a": ("KN_F1", "KN_F1O"), "aa": ("KN_F2", "KN_F2O"), "aaa": ("KN_F3", "KN_F3O"),
    "aaaa": ("KN_F4", "KN_F4O"), "v": ("KN_G1", "KN_G1O"), "vv": ("KN_G2", "KN_G2O"), "av": ("KN_H1", "KN_H1O"),
    "avv": ("KN_H2", None), "ad": ("KN_P1", "KN_P1O"), "add": ("KN_P2", None),
}


def define(head, body):
    """#define, in lines that end with a backslash."""
    one = f"#define {head} {body}"
    if len(one) <= WIDTH:
        return [one]
    lines = wrap(f"#define {head}", "", "    ", WIDTH - 2) + wrap_code(body, "    ", "    ", WIDTH - 2)
    return [line.ljust(WIDTH - 1) + "\\" for line in lines[:-1]] + [lines[-1]]


def macro(f, interface):
    """The macro of a function's own name."""
    arguments = f.plain_arguments
    options = interface.options.get(f.options_type)
    names = [a.name for a in arguments]
    initial = ""
    if options:
        members = default_list(options)
        initial = "(" + ", ".join(members) + (", )" if members else ")")
        for x in options.options:
            if x.default and x.name in names:
                raise Mistake(f"{f.name}: an option and an argument are both called {x.name}")
    if any("(*" in a.type for a in arguments):
        raise Mistake(f"{f.name}: a pointer to a function needs a type with a name (c:), or `macro: none`")
    head = f"{f.name}({', '.join(names + (['...'] if options else []))})"
    if f.macro == "fold":
        return define(f"{f.name}(...)", f"KN_FOLD({f.name}, __VA_ARGS__)")
    signature = "".join({"array": "a", "converted": "v", "value": "v", "address": "d"}[passing(a)] for a in arguments)
    tool = TOOLS.get(signature, (None, None))[1 if options else 0]
    given = ["__VA_ARGS__"] if options else []
    if tool:
        parts = [f.name] + ([options.name, initial] if options else [])
        for a in arguments:
            given_name = f"{CONVERTED[a.type]}({a.name})" if passing(a) == "converted" else a.name
            parts += [a.name] if passing(a) == "array" else [c_type(a), given_name]
        return define(head, f"{tool}({', '.join(parts + given)})")
    if not arguments:
        return define(head, f"(KN_HERE(), ({f.name})())")
    inner = f"{f.name.upper()}_"
    body = "__extension__({ "
    passed = []
    inside = ["c_" if n == "c" else n for n in names]
    for i, a in enumerate(arguments, 1):
        if a.type in CONVERTED:
            body += f"{a.type} KN_V({i}, c) = {CONVERTED[a.type]}({inside[i - 1]}); "
        else:
            body += f"KN_TAKE({c_type(a)}, {i}, c, {inside[i - 1]}) "
        passed.append(("&" if passing(a) == "address" else "") + f"KN_V({i}, c)")
    if options:
        body += f"KN_OPTS(c, {options.name}, {initial}, __VA_ARGS__) "
        passed.append("KN_V(opt, c)")
    body += f"KN_HERE(); ({f.name})({', '.join(passed)}); }})"
    inside = ["c"] + inside + (["..."] if options else [])
    return (define(head, f"{inner}({', '.join(['__COUNTER__'] + names + given)})") +
            define(f"{inner}({', '.join(inside)})", body))


# ---- Whole files.


def header(h, interface):
    guard = re.sub(r"\W", "_", h.path).upper()
    top = f"{h.path} -- {h.doc}"
    lines = ["/* SPDX-License-Identifier: Apache-2.0"]
    for i, paragraph in enumerate(top.split("\n\n")):
        lines += [" *"] if i else []
        lines += wrap(paragraph, " * ", " * ", WIDTH - 3)
    lines[-1] += " */"
    lines += [f"/* Made by scripts/make-api.py from {h.source}. */", "/* clang-format off */", f"#ifndef {guard}",
              f"#define {guard}"]
    lines += [f"#include {i if i.startswith('<') else chr(34) + i + chr(34)}" for i in h.includes]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    run = []

    def flush():
        if run:
            lines.extend(functions(run))
            run.clear()

    before = None
    for item in h.items:
        if isinstance(item, Function):
            if h.spaced and run:
                flush()
            if h.spaced and not run or before is None:
                lines.append("")
            run.append(item)
            before = item
            continue
        flush()
        apart = h.spaced and not (isinstance(before, Text) and not isinstance(item, Text)) or before is None
        if isinstance(item, Text) or apart:
            lines.append("")
        if isinstance(item, Text):
            lines += comment(("---- " if item.is_section else "") + item.text)
        elif isinstance(item, Code):
            lines += item.text.split("\n")
        else:
            lines += options_struct(item)
            if item.define:
                members = default_list(item)
                lines += define(item.define, "(" + ", ".join(members) + ", )")
            if item.has_default:
                lines.append(f"KN_API {item.name} {item.name}_default(void);")
        before = item
    flush()
    lines += ["", "#ifdef __cplusplus", "}", "#endif"]
    if h.after:
        lines += [""] + h.after.split("\n")
    if h.macros:
        lines += ["", "#if !defined(__cplusplus) && !defined(KN_BUILD)"]
        lines += h.raw_macros.split("\n") if h.raw_macros else ['#include "kiln/macros.h"']
        for f in h.all(Function):
            if f.macro not in ("none", "below"):
                lines += macro(f, interface)
        lines.append("#endif")
    lines.append("#endif")
    text = "\n".join(lines) + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def defaults(path, interface):
    """The source that defines kn_..._opts_default() of these headers."""
    headers = [h for h in interface.headers if h.defaults == path]
    lines = ["/* SPDX-License-Identifier: Apache-2.0",
             " * defaults.c -- the defaults of the options in these headers. Generated by scripts/make-api.py from api/. */",
             "/* clang-format off */"]
    lines += [f'#include "{h.path}"' for h in headers if any(o.has_default for o in h.all(Options))]
    for h in headers:
        made = [o for o in h.all(Options) if o.has_default]
        if made:
            lines += ["", f"/* ---- {h.path} */"]
        for o in made:
            members = ", ".join([f".size_ = sizeof({o.name})"] + default_list(o))
            one = f"{o.name} {o.name}_default(void) {{ return ({o.name}){{{members}}}; }}"
            if len(one) <= WIDTH:
                lines.append(one)
            else:
                lines += [f"{o.name} {o.name}_default(void)", "{"]
                lines += wrap_code(f"return ({o.name}){{{members}}};", "    ", "        ") + ["}"]
    return "\n".join(lines) + "\n"

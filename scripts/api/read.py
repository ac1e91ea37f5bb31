# SPDX-License-Identifier: Apache-2.0
"""Reads the descriptions of the public functions, api/**/*.api; docs/descriptions.md tells their form."""
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path


class Mistake(Exception):
    pass


@dataclass
class Option:
    type: str  # of C, with its stars
    name: str
    array: str = ""  # "[KN_MAX_ARGS]"
    default: str = ""  # in C; none: zero
    means: str = ""  # what the zero default stands for
    choices: list = field(default_factory=list)  # texts that a string may be
    doc: str = ""
    declaration: str = ""  # of a pointer to a function, whole


@dataclass
class Options:
    name: str
    options: list = field(default_factory=list)
    doc: str = ""
    has_default: bool = True
    like: str = ""  # the options whose struct it is, with other defaults
    define: str = ""  # a macro of the defaults


@dataclass
class Argument:
    type: str
    name: str


@dataclass
class Example:
    """A few lines that call a function, the same in Python, and what both print."""
    code: str
    python: str = ""
    output: object = None  # None: not known yet


@dataclass
class Function:
    result: str
    name: str
    arguments: list
    suffix: str = ""  # attributes behind the prototype
    names: list = field(default_factory=list)  # what it is elsewhere; the first one is shown if `shown`
    shown: bool = False
    partly: dict = field(default_factory=dict)
    same: str = ""
    doc: str = ""
    macro: str = ""
    errors: str = ""
    dtypes: str = ""
    owner: str = ""
    notes: dict = field(default_factory=dict)  # by argument
    see: list = field(default_factory=list)  # names of functions that readers of this one look for, too
    example: object = None
    header: object = None

    @property
    def options_type(self):
        """The type of its options, or nothing."""
        if self.arguments:
            m = re.fullmatch(r"const (kn_\w+_opts) \*", self.arguments[-1].type)
            if m:
                return m.group(1)
        return ""

    @property
    def plain_arguments(self):
        return self.arguments[:-1] if self.options_type else self.arguments


@dataclass
class Text:
    text: str
    is_section: bool = False


@dataclass
class Code:
    text: str


@dataclass
class Header:
    path: str  # kiln/numpy/creation.h
    source: str  # api/numpy/creation.api
    doc: str = ""
    includes: list = field(default_factory=list)
    defaults: str = ""
    macros: bool = False
    spaced: bool = False
    items: list = field(default_factory=list)
    after: str = ""
    raw_macros: str = ""

    def all(self, kind):
        return [x for x in self.items if isinstance(x, kind)]


def split_arguments(text):
    """At commas outside of parentheses."""
    parts, depth, part = [], 0, ""
    for ch in text:
        depth += (ch == "(") - (ch == ")")
        if ch == "," and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += ch
    return parts + [part.strip()]


def read_argument(text, where):
    m = re.fullmatch(r".*\(\*(\w+)\)\(.*\)", text)  # a pointer to a function
    if m:
        return Argument(text, m.group(1))
    m = re.fullmatch(r"(.*?[ *])(\w+)(\[.*\])?", text)
    if not m:
        raise Mistake(f"{where}: an argument has a type and a name: {text}")
    return Argument(m.group(1).strip() + (m.group(3) or ""), m.group(2))


def read_option(text, where):
    text, _, doc = text.partition(" -- ")
    m = re.search(r" \{(.*)\}$", text)
    choices = []
    if m:
        choices = [c.strip() for c in m.group(1).split("|")]
        text = text[: m.start()]
    text, _, means = text.partition(" means ")
    text, _, default = text.partition(" = ")
    m = re.fullmatch(r"(.*)\(\*(\w+)\)(\(.*\)|\[.*\])", text.strip())
    if m:
        return Option(text.strip(), m.group(2), declaration=text.strip(), doc=doc.strip())
    m = re.fullmatch(r"(.*?[ *])(\w+)((?:\[[^\]]*\])*)", text.strip())
    if not m:
        raise Mistake(f"{where}: an option has a type and a name: {text}")
    return Option(m.group(1).strip(), m.group(2), m.group(3), default.strip(), means.strip(), choices, doc.strip())


PROTOTYPE = re.compile(r"(.*?[ *])(kn_\w+)\((.*)\)( KN_PRINTF_LIKE\(\d+, \d+\))?", re.S)
RAW = {"c:", "macros:", "after:"}


def logical_lines(path):
    """(number, indented, text): continuations are joined; an empty line between two of a text is a paragraph's end."""
    lines = path.read_text().split("\n")
    i = 0
    while i < len(lines):
        number, line = i + 1, lines[i]
        i += 1
        if not line.strip() or line.startswith("#"):
            continue
        if line in RAW:
            raw = []
            while i < len(lines) and lines[i] != "end":
                raw.append(lines[i])
                i += 1
            if i == len(lines):
                raise Mistake(f"{path}:{number}: {line} without end")
            i += 1
            yield number, False, line + "\n" + "\n".join(raw)
            continue
        depth = len(line) - len(line.lstrip(" "))
        text = line.strip()
        if text == "example:":
            raw = []
            while i < len(lines) and (not lines[i].strip() or continues(lines[i], depth)):
                raw.append(lines[i])
                i += 1
            while raw and not raw[-1].strip():
                raw.pop()
            yield number, True, "example:\n" + textwrap.dedent("\n".join(raw))
            continue
        while i < len(lines):
            if not lines[i].strip():  # a paragraph of the same text?
                k = i
                while k < len(lines) and not lines[k].strip():
                    k += 1
                if k < len(lines) and len(lines[k]) - len(lines[k].lstrip(" ")) > depth + (4 if depth else 0):
                    pass
                if k < len(lines) and re.match(r"[a-z]+: ", text) and continues(lines[k], depth):
                    text += "\n\n" + lines[k].strip()
                    i = k + 1
                    continue
                break
            if not continues(lines[i], depth) or (not depth and not re.match(r"[a-z]+: ", text) and balanced(text)):
                break
            text += " " + lines[i].strip()
            i += 1
        yield number, depth > 0, text


def balanced(text):
    return text.count("(") == text.count(")")


def continues(line, depth):
    return len(line) - len(line.lstrip(" ")) > depth and not line.startswith("#")


def read_names(value):
    return [n.strip() for n in value.split(",") if n.strip()]


def read_example(text):
    """Lines of Python begin with >>>, lines of output with |; the others are C."""
    parts = {">>> ": [], "|": [], "": []}
    for line in text.split("\n"):
        kind = next(k for k in parts if line.startswith(k) or line == k.rstrip())
        parts[kind].append(line[len(kind):] if kind != "|" else line[1:].removeprefix(" "))
    code = "\n".join(parts[""]).strip("\n")
    return Example(code, "\n".join(parts[">>> "]), "\n".join(parts["|"]) if parts["|"] else None)


def function_key(f, key, value, where):
    if key == "is":
        f.names = read_names(value) + f.names
        f.shown = True
    elif key == "also":
        f.names += read_names(value)
    elif key == "partly":
        name, _, what = value.partition(": ")
        f.partly[name] = what
    elif key == "see":
        f.see = read_names(value)
    elif key.startswith("arg "):
        f.notes[key[4:]] = value
    elif key in ("same", "doc", "macro", "errors", "dtypes", "owner"):
        setattr(f, key, value)
    else:
        raise Mistake(f"{where}: a function has no {key}")


def read(path, root):
    """The header that a description makes."""
    h = Header("", str(path.relative_to(root)))
    entry = None
    for number, indented, text in logical_lines(path):
        where = f"{h.source}:{number}"
        if "\n" in text and text.split("\n")[0] in RAW:
            kind, _, raw = text.partition("\n")
            entry = None
            if kind == "c:":
                h.items.append(Code(raw))
            elif kind == "after:":
                h.after = raw
            else:
                h.raw_macros = raw
            continue
        if text.startswith("example:\n"):
            if not isinstance(entry, Function) or entry.example:
                raise Mistake(f"{where}: whose example is this?")
            entry.example = read_example(text.partition("\n")[2])
            continue
        key, colon, value = text.partition(": ")
        if indented:
            if isinstance(entry, Options) and key == "doc" and colon:
                entry.doc = value
            elif isinstance(entry, Options) and key == "define" and colon:
                entry.define = value
            elif isinstance(entry, Options):
                entry.options.append(read_option(text, where))
            elif isinstance(entry, Function) and colon:
                function_key(entry, key, value, where)
            else:
                raise Mistake(f"{where}: to what does this belong? {text}")
            continue
        entry = None
        m = re.fullmatch(r"options (kn_\w+_opts)( without default)?(?: as (kn_\w+_opts))?", text)
        if m:
            entry = Options(m.group(1), has_default=not m.group(2), like=m.group(3) or "")
            h.items.append(entry)
        elif colon and key in ("section", "text"):
            h.items.append(Text(value, key == "section"))
        elif colon and key == "header":
            h.path = value
        elif colon and key in ("doc", "defaults"):
            setattr(h, key, value)
        elif colon and key == "include":
            h.includes.append(value)
        elif colon and key in ("macros", "spaced"):
            setattr(h, key, value == "yes")
        else:
            m = PROTOTYPE.fullmatch(text)
            if not m:
                raise Mistake(f"{where}: neither an entry nor a prototype: {text}")
            arguments = [] if m.group(3) == "void" else [read_argument(a, where) for a in split_arguments(m.group(3))]
            entry = Function(m.group(1).strip(), m.group(2), arguments, m.group(4) or "", header=h)
            h.items.append(entry)
    if not h.path or not h.doc:
        raise Mistake(f"{h.source}: says neither header nor doc")
    return h


class Interface:
    """All descriptions."""

    def __init__(self, root):
        self.root = Path(root)
        self.headers = [read(p, self.root) for p in sorted((self.root / "api").rglob("*.api"))]
        self.options = {o.name: o for h in self.headers for o in h.all(Options)}
        self.functions = {}
        for h in self.headers:
            for f in h.all(Function):
                if f.name in self.functions:
                    raise Mistake(f"{f.name} is described twice")
                self.functions[f.name] = f
        for o in self.options.values():
            if o.like:
                self.complete(o)
        for f in self.functions.values():
            if f.options_type and f.options_type not in self.options:
                raise Mistake(f"{f.name}: {f.options_type} is not described")
            for name in ([f.same] if f.same else []) + f.see:
                if name not in self.functions:
                    raise Mistake(f"{f.name}: there is no {name}")

    def complete(self, o):
        """Options like others have their members; those that are named have defaults of their own."""
        own = {x.name: x for x in o.options}
        o.options = [own.get(x.name, x) for x in self.options[o.like].options]

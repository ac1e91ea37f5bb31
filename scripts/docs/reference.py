# SPDX-License-Identifier: Apache-2.0
"""The reference as Markdown: a page for each public function, one for each header, and the list of all."""
from . import words


def address(name):
    return f"reference/{name}.html"


def header_address(header):
    return "reference/" + header["path"].removeprefix("kiln/").removesuffix(".h").replace("/", "-") + ".html"


def header_title(header):
    return header["path"].removeprefix("kiln/").removesuffix(".h")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def prose(text):
    """A docstring as Markdown: what looks like markup there is none."""
    out = []
    for part in text.split("`"):
        out.append(part if len(out) % 2 else part.replace("*", "\\*").replace("_", "\\_").replace("<", "\\<").replace("[", "\\[").replace("~", "\\~"))
    return "`".join(out)


def elsewhere(f):
    said = []
    for name in f.get("names", []):
        less = f.get("partly", {}).get(name)
        said.append(f"`{words.python_name(name)}`" + (f" (but {prose(less)})" if less else ""))
    return ", ".join(said)


def example(f):
    e = f.get("example")
    if not e:
        return ""
    text = f"## Example\n\n```c\n{e['code']}\n```\n"
    if e["output"]:
        text += f"\nIt prints\n\n```\n{e['output']}\n```\n"
    if e.get("python"):
        lines = "\n".join((">>> " if i == 0 or not line.startswith(" ") else "... ") + line for i, line in enumerate(e["python"].split("\n")))
        text += f"\nIn Python:\n\n```python\n{lines}\n```\n"
    return text + "\n"


def neighbours(f, api):
    """Functions that readers look for, too: those that the description names, else those beside it in its section."""
    names = list(f.get("see", []))
    if f.get("same"):
        names.insert(0, f["same"])
    names += [g["name"] for g in api.functions.values() if g.get("same") == f["name"]]
    if len(names) < 3:
        beside = [g["name"] for g in api.functions.values() if g["header"] == f["header"] and g.get("section") == f.get("section")]
        at = beside.index(f["name"])
        names += [n for n in beside[max(0, at - 3):at + 4] if n != f["name"] and n not in names]
    return names[:8]


def function(f, api):
    """The page of a function, in Markdown."""
    text = f"# {f['name']}\n\n"
    text += f"```c\n{words.call(f, api)}\n```\n\n" if not f["name"].endswith("_default") else ""
    doc = words.body(f)
    text += prose(doc) + "\n\n" if doc else ""
    if f.get("same"):
        text += f"It is another name of `{f['same']}`.\n\n"
    names = elsewhere(f)
    if names:
        text += f"Elsewhere: {names}.\n\n"
    if f["arguments"]:
        text += "## Arguments\n\n| | what one writes | |\n|---|---|---|\n"
        for a in f["arguments"]:
            note = ("optional; " if a.get("optional") else "") + prose(a.get("doc", ""))
            text += f"| `{a['name']}` | {cell(words.how(a))} | {cell(note)} |\n"
        text += "\n"
    members = api.members(f)
    if members:
        text += "## Options\n\n"
        doc = api.options[f["options"]].get("doc")
        text += prose(doc) + "\n\n" if doc else ""
        text += "| | what one writes | default | |\n|---|---|---|---|\n"
        for o in members:
            text += f"| `.{o['name']}` | {cell(words.how(o))} | {cell(prose(words.default(o)) or 'not given')} | {cell(prose(o.get('doc', '')))} |\n"
        text += "\n"
    text += "## Result\n\n" + words.result(f) + "\n\n"
    s = api.structs.get(f["result"].get("struct", ""))
    if s and s["members"]:
        text += "| member | type |\n|---|---|\n" + "".join(f"| `.{m['name']}` | `{m['type']}` |\n" for m in s["members"]) + "\n"
    if f.get("dtypes"):
        text += f"Dtypes: {prose(f['dtypes'])}\n\n"
    text += example(f)
    text += f"## As a function\n\n```c\n#include <kiln/kiln.h>   /* {f['header']} */\n{words.prototype(f)}\n```\n\n"
    names = neighbours(f, api)
    if names:
        text += "## See also\n\n" + ", ".join(f"`{n}`" for n in names) + "\n"
    return text


def header(h, api):
    """The list of a header's functions, in Markdown."""
    text = f"# {header_title(h)}\n\n{prose(h['doc'])}\n\n"
    section = None
    for f in api.of(h):
        if f.get("section") != section or section is None:
            section = f.get("section", "")
            text += f"\n## {prose(section.split('.')[0].split(':')[0]) or 'Functions'}\n\n"
            text += prose(section) + "\n\n" if section and len(section) > len(section.split(".")[0].split(":")[0]) + 1 else ""
            text += "| | | elsewhere |\n|---|---|---|\n"
        first = words.python_name(f["names"][0]) if f.get("names") else ""
        text += f"| `{f['name']}` | {cell(prose(words.summary(f)))} | {'`' + first + '`' if first else ''} |\n"
    return text


def index(api):
    text = ("# Reference\n\nEvery public function has a page: how it is called, its arguments and options with their defaults, its errors, an example with what it prints, and its name in NumPy and JAX. "
            "As man pages they are `man kn_scan`; on two printed pages there is the [cheat sheet](@cheatsheet.html).\n\n| | functions | |\n|---|---|---|\n")
    for h in api.headers:
        functions = api.of(h)
        if functions:
            doc = h["doc"].split("\n")[0]
            text += f"| [{header_title(h)}](@{header_address(h)}) | {len(functions)} | {cell(prose(doc))} |\n"
    return text

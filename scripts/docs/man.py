# SPDX-License-Identifier: Apache-2.0
"""Man pages: `man kn_scan` (section 3) of each public function, and the pages of docs/ for users as `man kiln-NAME` (section 7)."""
import re
import subprocess

from . import reference, words


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def spoken(text):
    """Markdown's bits of a docstring in roff."""
    text = re.sub(r"\[([^\]]*)\]\(@[^)]*\)", r"\1", text)
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", roff(text))


def verbatim(text):
    return ".RS 4\n.EX\n" + roff(text) + "\n.EE\n.RE\n"


def function(f, api, version):
    out = f'.TH {f["name"].upper()} 3 "" "Kiln {version}" "Kiln"\n.SH NAME\n{f["name"]} \\- {roff(words.summary(f))}\n'
    out += f".SH SYNOPSIS\n.nf\n.B #include <kiln/kiln.h>\n.PP\n\\fB{roff(words.call(f, api))}\\fR\n.PP\n{roff(words.prototype(f))}\n.fi\n"
    doc = words.body(f)
    out += ".SH DESCRIPTION\n"
    out += "\n.PP\n".join(spoken(p) for p in doc.split("\n\n")) + "\n" if doc else spoken(words.summary(f)) + "\n"
    if f.get("same"):
        out += f".PP\nIt is another name of \\fB{f['same']}\\fR(3).\n"
    if f["arguments"]:
        out += ".SH ARGUMENTS\n"
        for a in f["arguments"]:
            note = "; ".join(x for x in (words.how(a), "optional" if a.get("optional") else "", a.get("doc", "")) if x)
            out += f".TP\n.B {a['name']}\n{spoken(note)}\n"
    members = api.members(f)
    if members:
        out += ".SH OPTIONS\n"
        for o in members:
            value = words.default(o)
            note = "; ".join(x for x in (words.how(o), f"default: {value}" if value else "", o.get("doc", "")) if x)
            out += f".TP\n.B .{o['name']}\n{spoken(note)}\n".replace("\n.B .", "\n.B \\&.")
    out += ".SH RETURN VALUE\n" + spoken(words.result(f)) + "\n"
    if f.get("dtypes"):
        out += ".PP\nDtypes: " + spoken(f["dtypes"]) + "\n"
    if f.get("names"):
        out += ".SH STANDARDS\n" + ", ".join(roff(words.python_name(n)) for n in f["names"]) + "\n"
    e = f.get("example")
    if e:
        out += ".SH EXAMPLES\n" + verbatim(e["code"]) + (".PP\nprints\n" + verbatim(e["output"]) if e["output"] else "")
        out += ".PP\nIn Python:\n" + verbatim(e["python"]) if e.get("python") else ""
    names = reference.neighbours(f, api)
    out += ".SH SEE ALSO\n" + ", ".join([f"\\fB{n}\\fR(3)" for n in names] + ["\\fBkiln\\fR(7)"]) + "\n"
    return out


def chapter(name, title, text, version):
    """A page of docs/ as a man page."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    done = subprocess.run(["cmark-gfm", "-e", "table", "-t", "man"], input=text, capture_output=True, text=True, check=True)
    return f'.TH {name.upper()} 7 "" "Kiln {version}" "Kiln"\n.SH NAME\n{name} \\- {roff(title)}\n' + done.stdout


def pages(root, api, version):
    """(path, text) of all pages."""
    for f in api.functions.values():
        yield f"man3/{f['name']}.3", function(f, api, version)
    for path, name in [(root / "README.md", "kiln"), (root / "docs/api.md", "kiln-api")] + [
            (p, "kiln-" + re.sub(r"^\d+-", "", p.stem)) for folder in ("concepts", "guides", "models", "tutorial") for p in sorted((root / "docs" / folder).glob("*.md"))]:
        text = path.read_text()
        title = re.search(r"^# (.+)$", text, re.M)
        prefix = "-tutorial" if path.parent.name == "tutorial" else ""
        full = name.replace("kiln-", f"kiln{prefix}-", 1) if prefix else name
        yield f"man7/{full}.7", chapter(full, re.sub("[`*]", "", title.group(1)) if title else name, text, version)

# SPDX-License-Identifier: Apache-2.0
"""The cheat sheet: two pages of paper (A4) with the calls that one needs most. docs/cheatsheet.txt chooses: `# ` begins a box, a word that is a
public function is shown as one calls it, with its name in NumPy or JAX; other lines stand as they are, `code -- what it does`."""
import html
import re

from . import words

STYLE = """@page { size: A4; margin: 8mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; width: 194mm; font: 6.6pt/1.28 system-ui, "DejaVu Sans", Arial, sans-serif; color: #16202c; background: #fff; }
section { width: 194mm; height: 280mm; overflow: hidden; columns: 3; column-gap: 4mm; column-fill: auto; break-after: page; }
section:last-child { break-after: auto; }
h1 { font-size: 13pt; margin: 0 0 1mm; } h1 small { font-size: 7pt; font-weight: 400; color: #5b6675; display: block; }
h2 { font-size: 7.6pt; margin: 1.6mm 0 .6mm; padding: .3mm 1mm; background: #a33d12; color: #fff; break-after: avoid; }
p { margin: 0 0 .35mm; padding-left: 2mm; text-indent: -2mm; overflow-wrap: anywhere; }
code { font: 6.2pt/1.25 "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; }
i { color: #5b6675; font-style: normal; }
@media screen { body { padding: 8mm 0; } section { height: auto; min-height: 280mm; margin-bottom: 8mm; } }
@media screen and (max-width: 60rem) { body { width: auto; padding: 4mm; font-size: 13px; } code { font-size: 12px; } section { width: auto; columns: 1; } h2 { font-size: 15px; } }
"""


def line(f, api):
    call = words.call(f, api, defaults=False, columns=10000)
    name = words.python_name(f["names"][0]) if f.get("names") else ""
    same = "np." + f["name"].removeprefix("kn_")
    return f"<p><code>{html.escape(call)}</code>" + (f" <i>{html.escape(name)}</i>" if name and name != same else "") + "</p>"


def page(root, api):
    pages, out = [], []
    for text in (root / "docs/cheatsheet.txt").read_text().split("\n"):
        if text == "---":
            pages.append(out)
            out = []
        elif text.startswith("# "):
            out.append(f"<h2>{html.escape(text[2:])}</h2>")
        elif text.startswith("= "):
            title, _, small = text[2:].partition(" -- ")
            out.append(f"<h1>{html.escape(title)}<small>{html.escape(small)}</small></h1>")
        elif re.fullmatch(r"(kn_\w+ ?)+", text):
            out += [line(api.functions[n], api) for n in text.split()]
        elif text.strip():
            code, dashes, doc = text.partition(" -- ")
            out.append(f"<p><code>{html.escape(code)}</code>{' ' + html.escape(doc) if dashes else ''}</p>")
    pages.append(out)
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>Kiln on two pages</title><style>{STYLE}</style></head><body>" + "".join(f"<section>{''.join(p)}</section>" for p in pages) + "</body></html>\n")

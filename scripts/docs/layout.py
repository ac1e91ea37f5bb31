# SPDX-License-Identifier: Apache-2.0
"""What all pages of the site have around them."""
import html
import posixpath


def relative(address, page):
    """The address of a page as seen from another."""
    if "://" in address or address.startswith("#"):
        return address
    path, sharp, anchor = address.partition("#")
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + sharp + anchor


def navigation(groups, page):
    """The list of all pages but the reference's; open where the reader is."""
    out = []
    for title, entries in groups:
        here = any(address == page for address, _ in entries)
        out.append(f'<details{" open" if here else ""}><summary>{html.escape(title)}</summary><ul>')
        for address, name in entries:
            current = ' aria-current="page"' if address == page else ""
            out.append(f'<li><a href="{relative(address, page)}"{current}>{html.escape(name)}</a></li>')
        out.append("</ul></details>")
    return "".join(out)


def contents(headings):
    entries = [(level, text, anchor) for level, text, anchor in headings if level in (2, 3)]
    if len([e for e in entries if e[0] == 2]) < 3:
        return ""
    return ('<nav class="contents" aria-label="on this page"><strong>On this page</strong><ul>' +
            "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>' for level, text, anchor in entries) + "</ul></nav>")


def page(address, title, body, groups, headings=(), description=""):
    root = relative("index.html", address)[:-len("index.html")]
    toc = contents(headings)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}{"" if title == "Kiln" else " - Kiln"}</title>
<meta name="description" content="{html.escape(description)}">
<link rel="icon" href="{root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{root}style.css">
<script>const ROOT = "{root}";</script>
<script defer src="{root}search-index.js"></script>
<script defer src="{root}search.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="name" href="{root}index.html">Kiln</a>
<form role="search" onsubmit="return false">
<input id="search" type="search" placeholder="Search: kn_scan, np.sort, views" aria-label="Search" autocomplete="off" aria-controls="found" spellcheck="false">
<div id="found" role="listbox" aria-label="Found" hidden></div>
</form>
<nav class="top" aria-label="main"><a href="{root}docs/tutorial/index.html">Learn</a><a href="{root}reference/index.html">Reference</a><a href="{root}gallery/index.html">Gallery</a></nav>
</header>
<div class="columns">
<nav class="side" aria-label="pages"><details class="menu" open><summary>All pages</summary>{navigation(groups, address)}</details></nav>
<main id="main"{' class="with-contents"' if toc else ""}>
{toc}
<article>
{body}
</article>
</main>
</div>
</body>
</html>
"""

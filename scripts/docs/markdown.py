# SPDX-License-Identifier: Apache-2.0
"""Markdown as HTML (cmark-gfm), with anchors at headings, colours in code, and links from names of functions to their pages."""
import html
import re
import subprocess

KEYWORDS = ("auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|return|short|signed|sizeof|static|struct|"
            "switch|typedef|union|unsigned|void|volatile|while|bool|true|false|NULL|int\\d+_t|uint\\d+_t|size_t|kn_array|kn_fn|kn_list|kn_tree|kn_shape|"
            "kn_axes|kn_dtype|class|namespace|template|using|auto|def|import|from|lambda|print|in|not|and|or|None|True|False|as|with|try|except|raise")
TOKEN = {
    "c": re.compile(rf"(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<directive>^[ ]*#[ ]*\w+)|"
                    rf"(?P<name>\bkn_\w+|\bKN_\w+)|(?P<keyword>\b(?:{KEYWORDS})\b)|(?P<number>\b\d[\w.]*)", re.S | re.M),
    "python": re.compile(rf"(?P<comment>#[^\n]*)|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<prompt>^(?:&gt;&gt;&gt;|\.\.\.|>>>))|"
                         rf"(?P<keyword>\b(?:{KEYWORDS})\b)|(?P<number>\b\d[\w.]*)", re.S | re.M),
    "sh": re.compile(r"(?P<comment>(?:^|(?<=\s))#[^\n]*)", re.M)}
TOKEN["cpp"] = TOKEN["c"]


def slug(text):
    return re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", html.unescape(text)).strip().lower()).replace(" ", "-")


def coloured(code, language, linked):
    """The text of code as HTML; linked(name) is the address of a function's page, or nothing."""
    out, at = [], 0
    for m in TOKEN[language].finditer(code) if language in TOKEN else ():
        out.append(html.escape(code[at:m.start()], quote=False))
        kind, text = m.lastgroup, html.escape(m.group(), quote=False)
        address = linked(m.group()) if kind in ("name", "keyword") else ""
        if address:
            text = f'<a href="{address}">{text}</a>'
        elif kind == "name" and not m.group().startswith("KN_"):
            kind = "plain"
        out.append(text if kind == "plain" else f'<span class="{kind[0]}">{text}</span>')
        at = m.end()
    return "".join(out) + html.escape(code[at:], quote=False)


def shown(code, language, linked):
    return f'<pre class="code"><code>{coloured(code, language, linked)}</code></pre>'


def rendered(text, linked, address_of):
    """(HTML, headings as (level, text, anchor)); address_of(href) says where a link leads, None takes the link away."""
    done = subprocess.run(["cmark-gfm", "--github-pre-lang", "-e", "table", "-e", "strikethrough", "-e", "autolink"], input=text, capture_output=True, text=True, check=True)
    page = re.sub(r"<!-- raw HTML omitted -->\n?", "", done.stdout)
    headings, used = [], {}

    def heading(m):
        level, inner = m.group(1), m.group(2)
        name = slug(inner)
        used[name] = used.get(name, -1) + 1
        name += f"-{used[name]}" if used[name] else ""
        headings.append((int(level), html.unescape(re.sub(r"<[^>]*>", "", inner)), name))
        return f'<h{level} id="{name}">{inner}<a class="anchor" href="#{name}" aria-label="link to this section">#</a></h{level}>'

    def code(m):
        language = m.group(1) or ""
        return shown(html.unescape(m.group(2)), language.split(" ")[0], linked)

    def name(m):
        text = html.unescape(m.group(1))
        first = re.match(r"kn_\w+", text)
        address = linked(first.group()) if first else ""
        return f'<a href="{address}">{m.group()}</a>' if address and (first.group() == text or text[first.end()] == "(") else m.group()

    def link(m):
        address = address_of(html.unescape(m.group(1)))
        return m.group(2) if address is None else f'<a href="{html.escape(address)}"{m.group(3) or ""}>{m.group(2)}</a>'

    page = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, page, flags=re.S)
    page = re.sub(r'<a href="([^"#][^"]*|#[^"]*)">(?!#<)(.*?)()</a>', link, page, flags=re.S)
    page = re.sub(r'<pre(?: lang="([^"]*)")?><code(?: class="language-[^"]*")?>(.*?)</code></pre>', code, page, flags=re.S)
    parts = re.split(r"(<pre.*?</pre>|<a .*?</a>)", page, flags=re.S)  # no links in links, and not twice in code
    parts[::2] = [re.sub(r"<code>([^<]*)</code>", name, part) for part in parts[::2]]
    page = "".join(parts).replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    page = re.sub(r'<img src="([^"]*)"', lambda m: f'<img loading="lazy" src="{html.escape(address_of(html.unescape(m.group(1))) or m.group(1))}"', page)
    return page, headings

# SPDX-License-Identifier: Apache-2.0
"""The site: README.md, docs/, gallery/, examples/ and the reference as static HTML, with a search that needs no network. A page is one file,
a program of the gallery is one folder; nothing lists them."""
import html
import json
import posixpath
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cheatsheet, layout, markdown, reference, words

LEADING = ["docs/api.md", "docs/python.md", "docs/differences.md", "docs/performance.md"]
INSIDE = {"architecture", "primitives", "how-to-add-a-primitive", "compiler", "codegen", "descriptions", "decisions", "dependencies", "promises", "coverage", "words",
          "own-primitives", "generators"}
PICTURES = (".png", ".svg")


def title_of(text, name):
    m = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"[`*]", "", m.group(1)).strip() if m else name


def paragraph(text):
    """The first paragraph behind the title, without markup."""
    text = re.sub(r"^```.*?^```|<!--.*?-->", "", text, flags=re.S | re.M)
    for part in text.split("\n\n"):
        part = part.strip()
        if part and part[0] not in "#`|<!-[":
            part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part)
            return re.sub(r"\s+", " ", re.sub(r"[`*]", "", part))
    return ""


def shortened(text, columns):
    """At most so many letters, whole words."""
    return text if len(text) <= columns else text[:columns].rsplit(" ", 1)[0].rstrip(",;:") + " ..."


class Site:
    def __init__(self, root, into):
        self.root, self.into = root, into
        self.api = words.Api(root)
        self.sources = {}  # address: (Markdown, group, title, path in the repository)
        self.copies = {}
        self.headings = {}
        self.collect()
        self.groups = self.navigation()

    # ---- What there is.

    def add(self, path, address, group):
        text = path.read_text()
        name = str(path.relative_to(self.root))
        self.sources[address] = (text, group, title_of(text, path.stem), name)

    def collect(self):
        root = self.root
        self.add(root / "README.md", "index.html", "Kiln")
        for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY"):
            if (root / f"{name}.md").exists():
                self.add(root / f"{name}.md", f"{name.lower()}.html", "Project")
        for folder, group in (("tutorial", "Tutorial"), ("guides", "Guides"), ("concepts", "Concepts"), ("models", "Models")):
            for path in sorted((root / "docs" / folder).glob("*.md")):
                self.add(path, f"docs/{folder}/{path.stem}.html", group)
        for path in sorted((root / "docs").glob("*.md")):
            self.add(path, f"docs/{path.stem}.html", "How it is made" if path.stem in INSIDE else "In depth")
        for path in sorted((root / "gallery").glob("*/about.md")):
            self.gallery(path.parent)
        for path in sorted((root / "examples").glob("*.c")):
            self.example(path)
        self.index_pages()
        self.sources["reference/index.html"] = (reference.index(self.api), "Reference", "Reference", "")
        for h in self.api.headers:
            if self.api.of(h):
                self.sources[reference.header_address(h)] = (reference.header(h, self.api), "Reference", reference.header_title(h), "")
        for name, f in self.api.functions.items():
            self.sources[reference.address(name)] = (reference.function(f, self.api), "", name, "")

    def gallery(self, folder):
        text = (folder / "about.md").read_text()
        for picture in sorted(p for p in folder.iterdir() if p.suffix in PICTURES):
            self.copies[f"gallery/{folder.name}/{picture.name}"] = picture
            if picture.name not in text:
                text += f"\n![{title_of(text, folder.name)}]({picture.name})\n"
        source = (folder / f"{folder.name}.c").read_text()
        source = re.sub(r"^/\* SPDX[^\n]*\n( \*[^\n]*\n)*", "", source)
        text += f"\n## The program\n\n```c\n{source.strip()}\n```\n"
        if (folder / "expected").exists():
            text += f"\nIt prints\n\n```\n{(folder / 'expected').read_text().rstrip()}\n```\n"
        self.sources[f"gallery/{folder.name}/index.html"] = (text, "Gallery", title_of(text, folder.name), f"gallery/{folder.name}/about.md")

    def example(self, path):
        source = path.read_text()
        m = re.search(rf"\* {re.escape(path.name)} -- (.*?)\*/", source, re.S)
        about = re.sub(r"\s*\n \*\s*", " ", m.group(1)).strip() if m else ""
        code = source[m.end():] if m else source
        text = f"# {path.name}\n\n{about}\n\n```c\n{code.strip()}\n```\n"
        printed = path.with_suffix(".expected")
        if printed.exists():
            text += f"\nIt prints\n\n```\n{printed.read_text().rstrip()}\n```\n"
        self.sources[f"examples/{path.stem}.html"] = (text, "Examples", path.stem, f"examples/{path.name}")

    def index_pages(self):
        for folder, group, doc in (("docs/tutorial", "Tutorial", "From arrays to training, simulation and programs of your own, in short chapters. Every program on them is compiled and run by the tests."),
                                   ("docs/guides", "Guides", "For those who come from elsewhere."), ("docs/concepts", "Concepts", "A page for each idea."),
                                   ("docs/models", "Models", "Trained models: files of weights, tokenizers, ONNX."),
                                   ("examples", "Examples", "Complete programs, each run by the tests.")):
            entries = self.of(group)
            if entries:
                text = f"# {group}\n\n{doc}\n\n"
                for address, title in entries:
                    text += f"- [{title}](@{address}): {shortened(paragraph(self.sources[address][0]), 200)}\n"
                self.sources[f"{folder}/index.html"] = (text, group, "All of them", folder)
        pictured = [a for a, _ in self.of("Gallery")]
        text = "# Gallery\n\nWhat one can do in a hundred lines. The pictures are made by the programs, each prints a number that is checked.\n\n@@GALLERY@@\n"
        self.sources["gallery/index.html"] = (text, "Gallery", "All of them", "gallery")
        self.pictured = pictured

    def of(self, group):
        return [(a, s[2]) for a, s in self.sources.items() if s[1] == group]

    def navigation(self):
        order = ["Tutorial", "Guides", "Concepts", "Gallery", "Examples", "Reference", "In depth", "How it is made", "Project"]
        groups = []
        for group in order:
            entries = self.of(group)
            entries.sort(key=lambda e: not e[0].endswith("/index.html"))
            if group == "In depth":
                entries.sort(key=lambda e: LEADING.index(self.sources[e[0]][3]) if self.sources[e[0]][3] in LEADING else 99)
            if entries:
                groups.append((group, entries))
        return groups

    # ---- Links.

    def address_of(self, href, page):
        """Where a link on a page leads in the site; None: nowhere."""
        if re.match(r"[a-z]+:", href) or href.startswith("#"):
            return href
        path, sharp, anchor = href.partition("#")
        if path.startswith("@"):
            target = path[1:]
            target = self.by_path().get(target, target)
            return layout.relative(target, page) + sharp + anchor if target in self.sources or target == "cheatsheet.html" else None
        source = self.sources[page][3]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if source else path
        found = self.by_path().get(target.rstrip("/"))
        if found:
            return layout.relative(found, page) + sharp + anchor
        if target in self.copies:
            return layout.relative(target, page)
        file = self.root / target
        if file.is_file() and file.stat().st_size < 300000 and target.endswith((".png", ".svg", ".c", ".h", ".hpp", ".py", ".sh", ".def", ".txt", ".tsv", "LICENSE")):
            address = "files/" + target + ("" if target.endswith(PICTURES) else ".txt")
            self.copies[address] = file
            return layout.relative(address, page)
        if not file.exists():
            raise ValueError(f"{source or page}: there is no {href}")
        return None

    def by_path(self):
        if not hasattr(self, "paths"):
            self.paths = {s[3]: a for a, s in self.sources.items() if s[3]}
            self.paths["README.md"] = "index.html"
        return self.paths

    def linked(self, page):
        def address(name):
            if name not in self.api.functions or page == reference.address(name):
                return ""
            return layout.relative(reference.address(name), page)
        return address

    # ---- Writing.

    def write(self, address):
        text, group, title, _ = self.sources[address]
        body, headings = markdown.rendered(text, self.linked(address), lambda href: self.address_of(href, address))
        if "@@GALLERY@@" in body:
            body = body.replace("<p>@@GALLERY@@</p>", self.thumbnails(address))
        if address.startswith("reference/") and address != "reference/index.html" and not group:
            h = next(h for h in self.api.headers if h["path"] == self.api.functions[title]["header"])
            where = f'<p class="where"><a href="{layout.relative("reference/index.html", address)}">Reference</a> / ' \
                    f'<a href="{layout.relative(reference.header_address(h), address)}">{reference.header_title(h)}</a></p>'
            body = body.replace("</h1>", "</h1>" + where, 1)
        self.headings[address] = headings
        path = self.into / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(layout.page(address, "Kiln" if address == "index.html" else title, body, self.groups,
                                    headings if group else (), shortened(paragraph(text), 200)))

    def thumbnails(self, page):
        out = []
        for address in self.pictured:
            folder = posixpath.dirname(address)
            pictures = sorted(a for a in self.copies if posixpath.dirname(a) == folder)
            picture = f'<img src="{layout.relative(pictures[0], page)}" alt="" loading="lazy">' if pictures else ""
            text = self.sources[address][0]
            out.append(f'<li><a href="{layout.relative(address, page)}">{picture}<p><strong>{html.escape(self.sources[address][2])}</strong><br>'
                       f'{html.escape(shortened(paragraph(text), 140))}</p></a></li>')
        return '<ul class="gallery">' + "".join(out) + "</ul>"

    def search_index(self):
        entries = []
        for address, (text, group, title, _) in self.sources.items():
            if not group:
                f = self.api.functions[title]
                names = [words.python_name(n) for n in f.get("names", [])]
                entries.append([title, address, shortened(words.summary(f), 140), " ".join(names), "function"])
            else:
                entries.append([title if title != "All of them" else group, address, shortened(paragraph(text), 140), "", "page"])
                if group != "Reference" and not address.endswith("coverage.html"):
                    entries += [[heading, f"{address}#{anchor}", title, "", "section"] for level, heading, anchor in self.headings.get(address, [])
                                if level == 2 and heading not in ("The program", "Example")]
        return "const SEARCH = " + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + ";\n"

    def build(self):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(self.write, self.sources))
        for address, path in self.copies.items():
            (self.into / address).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.into / address)
        for name in ("style.css", "search.js", "icon.svg"):
            shutil.copyfile(Path(__file__).parent / "assets" / name, self.into / name)
        (self.into / "search-index.js").write_text(self.search_index())
        (self.into / "cheatsheet.html").write_text(cheatsheet.page(self.root, self.api))


def broken(into):
    """Links of the site that lead nowhere."""
    wrong, anchors, texts = [], {}, {}
    for path in sorted(into.rglob("*.html")):
        texts[path] = path.read_text()
        anchors[path] = set(re.findall(r' id="([^"]+)"', texts[path]))
    for path, text in texts.items():
        for href in re.findall(r'(?:href|src)="([^"]*)"', text):
            if re.match(r"[a-z]+:", href):
                continue
            file, _, anchor = html.unescape(href).partition("#")
            target = (path.parent / file).resolve() if file else path.resolve()
            if not target.exists() or anchor and target.suffix == ".html" and anchor not in anchors.get(target, anchors.get(path if not file else target, ())):
                wrong.append(f"{path.relative_to(into)}: {href}")
    return wrong

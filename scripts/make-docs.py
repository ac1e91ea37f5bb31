#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation: a static site (INTO/html, open index.html) and man pages (INTO/man) of README.md, docs/, gallery/, examples/ and
docs/api.json. Needs cmark-gfm.

usage: make-docs.py INTO       ends with 1 if a link leads nowhere"""
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from docs import man, site  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    if not shutil.which("cmark-gfm"):
        print("cmark-gfm is not installed")
        return 77
    into = Path(arguments[0]).resolve()
    shutil.rmtree(into / "html", ignore_errors=True)
    shutil.rmtree(into / "man", ignore_errors=True)
    version = re.search(r"project\(\s*kiln\b.*?VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.S).group(1).rstrip(")")
    try:
        made = site.Site(ROOT, into / "html")
        made.build()
    except ValueError as mistake:
        print(mistake)
        return 1
    count = 0
    for path, text in man.pages(ROOT, made.api, version):
        (into / "man" / path).parent.mkdir(parents=True, exist_ok=True)
        (into / "man" / path).write_text(text)
        count += 1
    wrong = site.broken(into / "html")
    with_example = sum("example" in f for f in made.api.functions.values())
    print("\n".join(wrong[:50] + [f"{len(made.sources) + 1} pages, {count} man pages; {with_example} of {len(made.api.functions)} functions with an example; {len(wrong)} broken links"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

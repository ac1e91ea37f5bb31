#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what follows from the descriptions of the public functions, api/**/*.api: the public headers, the defaults of
options, docs/coverage.md and docs/api.json. docs/descriptions.md tells the form of descriptions.

usage: make-api.py [--into FOLDER]      writes the files into the repository, or below FOLDER
       make-api.py --check              are the files of the repository up to date? """
import sys
from difflib import unified_diff
from pathlib import Path

sys.dont_write_bytecode = True
from api import coverage, cpp, description, headers  # noqa: E402
from api.read import Interface, Mistake  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def make(interface):
    """Paths and texts of all files."""
    files = {"include/" + h.path: headers.header(h, interface) for h in interface.headers}
    for path in sorted({h.defaults for h in interface.headers if h.defaults}):
        files[path] = headers.defaults(path, interface)
    files.update(cpp.files(interface))
    files["docs/coverage.md"] = coverage.page(interface)
    files["docs/api.json"] = description.page(interface)
    return files


def main(arguments):
    try:
        files = make(Interface(ROOT))
    except Mistake as mistake:
        print(mistake)
        return 1
    if arguments == ["--check"]:
        old = 0
        for path, text in files.items():
            there = (ROOT / path).read_text() if (ROOT / path).exists() else ""
            difference = list(unified_diff(there.split("\n"), text.split("\n"), path, "as described", lineterm=""))
            print("\n".join(difference[:40])) if difference else None
            old += bool(difference)
        if old:
            print(f"{old} files are not as the descriptions say: scripts/make-api.py")
        return 1 if old else 0
    into = Path(arguments[1]) if len(arguments) == 2 and arguments[0] == "--into" else ROOT
    for path, text in files.items():
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        if not (into / path).exists() or (into / path).read_text() != text:
            (into / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

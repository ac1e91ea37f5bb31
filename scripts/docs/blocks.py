# SPDX-License-Identifier: Apache-2.0
"""The code on pages: which fenced blocks of a Markdown file are programs, what is put around fragments, and which output belongs to them.

    ```c            a whole program if it has `int main`, else a fragment: its statements go into a main, the rest in front of it
    ```c continues  goes on after the block before it on the page, all of which is in front
    ```c refused    must not compile; the ```text block behind it has a part of what the compiler says
    ```c error      ends with a status other than 0 and says on stderr what the ```text block has
    ```c sketch     is not compiled
    ```cpp          a whole program in C++
    ```text         what the block before it prints; a line `...` stands for any lines

A comment in front of a block, <!-- with: C CODE -->, is code that the fragment needs and the page does not show."""
import re
from dataclasses import dataclass, field

HEAD = """#include <kiln/kiln.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
FENCE = re.compile(r"^```+ *([^`]*)$")
OUTSIDE = re.compile(r"(static|typedef|extern|enum|struct \w+ \{|union|#|KN_(FUNCTION|CLOSURE|UFUNC_STRIP|FIELDS)\w*\(|_Static_assert|/\*)|"
                     r"(?:const )?\w+(?: \*?|\* ?)\w+\([^;]*\)\s*\{")


@dataclass
class Block:
    page: str
    line: int
    info: str
    text: str
    given: str = ""  # by the comment in front of it
    output: object = None  # of the block of text behind it


@dataclass
class Program:
    where: str
    code: str
    language: str = "c"
    kind: str = ""  # "", "refused", "error"
    output: object = None
    fragment: bool = False
    names: list = field(default_factory=list)


def blocks(path, page):
    """All fenced blocks of a page."""
    found, inside, given = [], None, ""
    lines = path.read_text().split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        m = FENCE.match(line)
        if inside is not None:
            if line.rstrip() == "```":
                found.append(inside)
                inside = None
            else:
                inside.text += line + "\n"
        elif m:
            inside = Block(page, i + 1, m.group(1).strip(), "", given)
            given = ""
        elif line.startswith("<!-- with:"):
            text = line
            while "-->" not in text:
                i += 1
                text += "\n" + lines[i]
            given = text[len("<!-- with:"):text.index("-->")].strip()
        elif line.strip():
            given = ""
        i += 1
    for block, behind in zip(found, found[1:]):
        if behind.info in ("text", "output") and block.info.split(" ")[0] in ("c", "cpp"):
            block.output = behind.text
    return found


def pieces(code):
    """Declarations and statements, one after the other."""
    piece, depth, comment = "", 0, False
    for line in code.split("\n"):
        piece += line + "\n"
        bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|/\*.*?\*/|//.*', " ", line)
        if comment:
            comment = "*/" not in bare
        elif "/*" in bare:
            comment = True
        depth += sum(bare.count(c) for c in "({[") - sum(bare.count(c) for c in ")}]")
        end = bare.strip()
        if depth == 0 and not comment and (not end or end[0] == "#" and end[-1] != "\\" or end[-1] in ";}" or re.match(r"KN_\w+\(.*\)$", end)):
            yield piece
            piece = ""
    if piece.strip():
        yield piece


def divided(code):
    """What goes to file scope, and what into a function."""
    outside, inside = "", ""
    for piece in pieces(code):
        bare = re.sub(r"^(\s*/\*.*?\*/\s*)+(?=\S)", "", piece.strip(), flags=re.S)
        if not inside and OUTSIDE.match(bare) and not (bare.startswith("/*") and "\n" not in bare) or re.match(r"KN_(FUNCTION|CLOSURE|FIELDS)", bare):
            outside += piece
        else:
            inside += piece
    return outside, inside


def around(code, given=""):
    """A fragment as a program."""
    outside, inside = divided(given + "\n" + code) if given else divided(code)
    if given:  # what is given may be of both kinds, too
        first, second = divided(given), divided(code)
        outside, inside = first[0] + second[0], first[1] + second[1]
    return HEAD + outside + "\nint main(void)\n{\n    KN_SCOPE;\n" + inside + "\n    return kn_finish();\n}\n"


def programs(path, page):
    """What of a page is compiled."""
    made, before = [], None
    for block in blocks(path, page):
        language, _, kind = block.info.partition(" ")
        if language not in ("c", "cpp") or kind == "sketch":
            continue
        where = f"{page}:{block.line}"
        code, given = block.text, block.given
        if kind == "continues":
            if before is None:
                raise ValueError(f"{where}: continues nothing")
            given, kind = before[0] + "\n" + given, ""
            if "int main" in before[1]:
                raise ValueError(f"{where}: continues a whole program")
            given += "\n" + before[1]
        whole = "int main" in code
        before = (given, code)
        made.append(Program(where, code if whole or language == "cpp" else around(code, given), language, kind, block.output, not whole))
    return made

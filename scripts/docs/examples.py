# SPDX-License-Identifier: Apache-2.0
"""The examples of public functions (`example:` in api/**/*.api): all of a description's are one program, which prints a line with the name of
each in front of what it prints. The lines of Python beside them are run by scripts/docs/referee.py."""
import re
from dataclasses import dataclass

from api.read import Function, Interface

from . import blocks

MARK = "\x01"  # in front of the name of an example


@dataclass
class Shown:
    name: str
    code: str
    python: str
    output: object


def headers(root):
    return Interface(root).headers


def functions(header):
    return header.all(Function)


def of(header):
    return [Shown(f.name, f.example.code, f.example.python, f.example.output) for f in functions(header) if f.example]


def source(examples, more=""):
    """A program that runs them one after the other; `more` is what it includes besides."""
    text, calls = more + blocks.HEAD + "static void told(void);\n", ""
    for example in examples:
        outside, inside = blocks.divided(example.code)
        text += f"\n{outside}\nstatic void example_of_{example.name}(void)\n{{\n    KN_SCOPE;\n{inside}}}\n"
        calls += f'    puts("{MARK}{example.name}");\n    example_of_{example.name}();\n    told();\n'
    return text + f"""
static void told(void)
{{
    if (kn_error_pending()) {{
        printf("error: %s\\n", kn_error_message());
        kn_error_clear();
    }}
    fflush(stdout);
}}

int main(void)
{{
{calls}    return kn_finish();
}}
"""


def programs(header):
    """(name, examples): those that declare nothing at file scope are one program, each of the others is one of its own."""
    simple, own = [], []
    for example in of(header):
        (own if blocks.divided(example.code)[0].strip() else simple).append(example)
    stem = re.sub(r"\W", "_", header.source)
    return ([(stem, simple)] if simple else []) + [(f"{stem}_{e.name}", [e]) for e in own]


def run(runner, name, examples):
    """(what each prints, mistakes)"""
    status, messages = runner.compile(name, source(examples, "".join(f"#include <kiln/{x}.h>\n" for x in ("media", "models") if name.startswith(f"api_{x}"))), "c", ["-Wno-unused", "-Wno-unused-parameter"])
    if status:
        short = [m for m in messages.split("\n") if "error:" in m]
        return {}, [f"{name}: does not compile:\n" + "\n".join(short[:20])]
    done = runner.run(name)
    outputs = {}
    for part in done.stdout.split(MARK)[1:]:
        which, _, text = part.partition("\n")
        outputs[which] = text.rstrip("\n")
    last = list(outputs)[-1:]
    return outputs, [f"{name}: ends with status {done.returncode} after {last}:\n{done.stderr[-2000:]}"] if done.returncode else []


def write(path, outputs):
    """Puts what they print into a description, where an example shows no output."""
    lines, made, i = path.read_text().split("\n"), [], 0
    name = ""
    while i < len(lines):
        line = lines[i]
        made.append(line)
        i += 1
        m = re.match(r"\S.*?\b(kn_\w+)\(", line)
        name = m.group(1) if m else name
        if line.strip() != "example:":
            continue
        depth = len(line) - len(line.lstrip())
        block = []
        while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > depth):
            block.append(lines[i])
            i += 1
        tail = []
        while block and not block[-1].strip():
            tail.append(block.pop())
        if outputs.get(name) and not any(b.strip().startswith("|") for b in block):
            block += [f"{' ' * (depth + 4)}| {text}".rstrip() for text in outputs[name].split("\n")]
        made += block + tail
    path.write_text("\n".join(made))

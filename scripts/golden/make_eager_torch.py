#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small programs with tangents and backward as PyTorch runs them. tests/unit/eager/test_torch.c runs the same texts.

usage: make_eager_torch.py DIRECTORY    (PyTorch on the CPU: pip install torch)
Writes eager_torch.txt: a first line with the versions, then programs: `== name`, statements as below, and behind a statement that tells something
what it told: `> numbers`, `> none` (no gradient), `! word` (an error).

    new x 2x3 1 2 ...   an array of float64 (- for a scalar)      watch x         x.requires_grad_(), x.retain_grad() where it is no leaf
    y = OP a b ...      operands are names or numbers             y = at x 1:     a view             y = pick x 2 0 2   a copy of rows
    iadd x a            x += a; isub, imul, idiv                  put x 1: a      x[1:] = a
    backward y [seed s] [keep] [record]                           grads x         prints x.grad
    y = grad x          x.grad                                    clear x         x.grad = None
    y = detach x        x.detach()                                off, on         no_grad begins, ends
    show x              prints                                    asks x          prints x.requires_grad
    level, endlevel     forward_ad.dual_level()                   y = dual x t    make_dual
    y = tangent x       unpack_dual(x).tangent                    y = primal x    unpack_dual(x).primal
    tape, endtape       nothing in PyTorch, KN_TAPE in Kiln

Words of errors: freed (a graph for the second time), seed (none for several elements), unwatched (no watched array), version (what the graph needs was
written to: it stands last, the values are those of the program with copies in place of writes), leaf (a watched leaf was written to: the
program ends there), integer (no gradients of integers)."""
import pathlib
import platform
import sys
import warnings

import torch
import torch.autograd.forward_ad as fwad

from eager_torch_programs import PROGRAMS

warnings.simplefilter("ignore")
WORDS = {"backward through the graph a second time": "freed", "grad can be implicitly created only for scalar outputs": "seed",
         "does not require grad and does not have a grad_fn": "unwatched", "modified by an inplace operation": "version",
         "leaf Variable that requires grad": "leaf", "can require gradients": "integer"}

OPS = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow, "maximum": torch.maximum, "minimum": torch.minimum,
    "matmul": torch.matmul, "atan2": torch.atan2, "hypot": torch.hypot,
    "sin": torch.sin, "cos": torch.cos, "exp": torch.exp, "log": torch.log, "tanh": torch.tanh, "sqrt": torch.sqrt, "neg": torch.neg,
    "square": torch.square, "abs": torch.abs, "sigmoid": torch.sigmoid, "relu": torch.relu, "softplus": torch.nn.functional.softplus,
    "expm1": torch.expm1, "log1p": torch.log1p, "arctan": torch.arctan, "erf": torch.erf,
    "sum": torch.sum, "mean": torch.mean, "prod": torch.prod, "max": torch.amax, "logsumexp": lambda x: torch.logsumexp(x, dim=tuple(range(x.dim()))),
    "sum0": lambda x: x.sum(0), "sum1": lambda x: x.sum(1), "cumsum": lambda x: x.cumsum(0), "flip": lambda x: x.flip(0),
    "softmax": lambda x: torch.softmax(x, -1), "logsoftmax": lambda x: torch.log_softmax(x, -1), "transpose": lambda x: x.mT,
    "sort": lambda x: x.sort(-1).values,
    "concat": lambda *x: torch.cat(x), "stack": lambda *x: torch.stack(x), "where": lambda c, a, b: torch.where(c > 0, a, b),
    "inv": torch.linalg.inv, "det": torch.linalg.det, "solve": torch.linalg.solve, "cholesky": torch.linalg.cholesky, "copy": torch.clone,
    "int": lambda x: x.to(torch.int64),
}


def index_of(text):
    def item(t):
        return slice(*[int(p) if p else None for p in t.split(":")]) if ":" in t else int(t)
    return tuple(item(t) for t in text.split(","))


class Machine:
    """Runs one program; copies: writes make copies."""

    def __init__(self, copies=False):
        self.at, self.told, self.copies, self.level, self.off = {}, [], copies, None, None

    def operand(self, word):
        return self.at[word] if word in self.at else torch.tensor(float(word), dtype=torch.float64)

    def tell(self, x):
        if x is None:
            self.told.append("> none")
        else:
            x = x.detach().contiguous()
            self.told.append(" ".join([">"] + [repr(v) for v in x.reshape(-1).tolist()]))

    def assign(self, to, op, words):
        if op == "at":
            self.at[to] = self.at[words[0]][index_of(words[1])]
        elif op == "pick":
            self.at[to] = self.at[words[0]][torch.tensor([int(w) for w in words[1:]])]
        elif op == "reshape":
            self.at[to] = self.at[words[0]].reshape([int(w) for w in words[1:]])
        elif op == "grad":
            self.at[to] = self.at[words[0]].grad
        elif op == "detach":
            self.at[to] = self.at[words[0]].detach()
        elif op == "dual":
            self.at[to] = fwad.make_dual(self.at[words[0]], self.at[words[1]])
        elif op == "tangent":
            t = fwad.unpack_dual(self.at[words[0]]).tangent
            self.at[to] = torch.zeros_like(self.at[words[0]]) if t is None else t
        elif op == "primal":
            self.at[to] = fwad.unpack_dual(self.at[words[0]]).primal
        else:
            self.at[to] = OPS[op](*[self.operand(w) for w in words])

    def backward(self, words):
        self.at[words[0]].backward(self.at[words[words.index("seed") + 1]] if "seed" in words else None,
                                   retain_graph="keep" in words or "record" in words or None, create_graph="record" in words)

    def write(self, op, x, words):
        whole = {"iadd": "add", "isub": "sub", "imul": "mul", "idiv": "div"}.get(op)
        copy = self.copies and self.at[x].requires_grad
        if whole and copy:
            self.at[x] = OPS[whole](self.at[x], self.operand(words[0]))
        elif whole:
            getattr(self.at[x], whole + "_")(self.operand(words[0]))
        else:
            self.at[x] = self.at[x].clone() if copy else self.at[x]
            self.at[x][index_of(words[0])] = self.operand(words[1])

    def statement(self, words):
        op, x = words[0], words[1] if len(words) > 1 else None
        if op == "new":
            shape = [] if words[2] == "-" else [int(n) for n in words[2].split("x")]
            self.at[x] = torch.tensor([float(w) for w in words[3:]], dtype=torch.float64).reshape(shape)
        elif len(words) > 2 and words[1] == "=":
            self.assign(words[0], words[2], words[3:])
        elif op == "watch":
            self.at[x].requires_grad_()
            self.at[x].retain_grad()
        elif op == "backward":
            self.backward(words[1:])
        elif op == "grads":
            self.tell(self.at[x].grad)
        elif op == "clear":
            self.at[x].grad = None
        elif op == "show":
            self.tell(self.at[x])
        elif op == "asks":
            self.told.append(f"> {int(self.at[x].requires_grad)}")
        elif op == "off":
            self.off = torch.no_grad()
            self.off.__enter__()
        elif op == "on":
            self.off.__exit__(None, None, None)
        elif op == "level":
            self.level = fwad.dual_level()
            self.level.__enter__()
        elif op == "endlevel":
            self.level.__exit__(None, None, None)
        elif op not in ("tape", "endtape"):
            self.write(op, x, words[2:])

    def run(self, program):
        """The program's lines with what they told."""
        lines = []
        for line in program:
            self.told = []
            lines.append(line)
            try:
                self.statement(line.split())
            except (RuntimeError, ValueError) as e:
                word = next((w for text, w in WORDS.items() if text in str(e)), None)
                if not word:
                    raise RuntimeError(f"{line}: {e}") from e
                if word == "version":
                    if self.copies:
                        raise
                    return Machine(True).run(program) + ["! version"]
                self.told.append(f"! {word}")
                if word == "leaf":
                    lines.extend(self.told)
                    break
            lines.extend(self.told)
        return lines


def main():
    names = [name for name, _ in PROGRAMS]
    assert len(set(names)) == len(names)
    lines = [f"torch {torch.__version__.split('+')[0]}, Python {platform.python_version()}"]
    for name, text in PROGRAMS:
        lines += [f"== {name}"] + Machine().run([line.strip() for line in text.strip().split("\n")])
    pathlib.Path(sys.argv[1], "eager_torch.txt").write_text("\n".join(lines) + "\n")
    print(len(PROGRAMS), "programs")


main()

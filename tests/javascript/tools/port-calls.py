#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""port-calls.py CALLS... > JSON -- Python expressions, one a line (bindings/python/tests/numpy_calls.txt), as expressions
of JavaScript beside what NumPy, SciPy or JAX give for them. Names are written in camelCase, keywords as an object at the
end, operators as functions; lines that JavaScript cannot say are left out, and counted on stderr by reason."""
import ast
import collections
import json
import sys
import warnings
from pathlib import Path
import re

import numpy

OPERANDS = "a b i j v w n z s m e o f u t".split()
BINARY = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floorDivide",
          ast.Mod: "remainder", ast.Pow: "power", ast.MatMult: "matmul", ast.BitAnd: "bitwiseAnd", ast.BitOr: "bitwiseOr",
          ast.BitXor: "bitwiseXor", ast.LShift: "leftShift", ast.RShift: "rightShift", ast.Lt: "less",
          ast.LtE: "lessEqual", ast.Gt: "greater", ast.GtE: "greaterEqual", ast.Eq: "equal", ast.NotEq: "notEqual"}
UNARY = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}
TYPES = {"int": "int64", "float": "float64", "bool": "bool", "complex": "complex128"}
ATTRIBUTES = {"T", "real", "imag", "shape", "ndim", "size", "dtype", "mT", "itemsize", "nbytes"}
GRIDS = {"mgrid", "ogrid", "r_", "c_"}
NOT_HERE = {  # what JavaScript's package does not have, and why
    "array2string": "formatters are functions of Python", "ndarray": "", "nditer": "iterators of Python",
    "nested_iters": "", "fromregex": "files", "loadtxt": "files", "genfromtxt": "files", "savetxt": "files",
    "broadcast": "an object that iterates in Python", "flatiter": "", "s_": "an index is a list", "index_exp": "",
    "lib": "helpers of NumPy's", "typecodes": "letters", "sctypeDict": "letters", "vectorize": "",
    "format_float_positional": "texts of Python's", "get_printoptions": "", "test": "", "fromstring": ""}
NOT_HERE.pop("vectorize"), NOT_HERE.pop("fromstring")


class Skip(Exception):
    pass


def camel(name):
    return re.sub(r"_+([a-z0-9])", lambda m: m[1].upper(), name)


def constant(x):
    if x is None:
        return "null"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, complex):
        return f"{{re: {constant(x.real)}, im: {constant(x.imag)}}}"
    if isinstance(x, int):
        return str(x) if abs(x) < 2**53 else f"{x}n"
    if isinstance(x, float):
        return repr(x) if x == x and abs(x) != float("inf") else "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"
    if isinstance(x, str):
        return json.dumps(x)
    if x is Ellipsis:
        return '"..."'
    raise Skip("a constant")


class Port:
    def __init__(self):
        self.bound = set()

    def plain(self, node):
        """The number of an expression without names."""
        if any(isinstance(x, (ast.Name, ast.Call, ast.Attribute)) for x in ast.walk(node)):
            return None
        try:
            value = ast.literal_eval(node) if not isinstance(node, ast.BinOp) else eval(compile(ast.Expression(node), "", "eval"))
        except Exception:
            return None
        return value if isinstance(value, (int, float, complex)) else None

    def expr(self, node):
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            value = self.plain(node)
            if value is not None:
                return constant(value)
        return getattr(self, "of_" + type(node).__name__, self.unknown)(node)

    def unknown(self, node):
        raise Skip(f"a {type(node).__name__}")

    def of_Constant(self, node):
        return constant(node.value)

    def of_Name(self, node):
        if node.id in TYPES:
            return json.dumps(TYPES[node.id])
        if node.id == "jsp":
            return "scipy"
        if node.id in OPERANDS or node.id in self.bound or node.id in ("np", "lax", "scipy"):
            return node.id
        raise Skip(f"the name {node.id}")

    def of_List(self, node):
        return f"[{', '.join(map(self.expr, node.elts))}]"

    of_Tuple = of_List

    def of_Dict(self, node):
        return "{" + ", ".join(f"{self.expr(k)}: {self.expr(v)}" for k, v in zip(node.keys, node.values)) + "}"

    def of_BinOp(self, node):
        if type(node.op) not in BINARY:
            raise Skip("an operator")
        return f"np.{BINARY[type(node.op)]}({self.expr(node.left)}, {self.expr(node.right)})"

    def of_UnaryOp(self, node):
        if type(node.op) not in UNARY:
            raise Skip("an operator")
        return f"np.{UNARY[type(node.op)]}({self.expr(node.operand)})"

    def of_Compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in BINARY:
            raise Skip("a comparison")
        return f"np.{BINARY[type(node.ops[0])]}({self.expr(node.left)}, {self.expr(node.comparators[0])})"

    def of_Lambda(self, node):
        names = [a.arg for a in node.args.args]
        if node.args.kwarg or node.args.vararg:
            raise Skip("a lambda with more than names")
        before, self.bound = self.bound, self.bound | set(names)
        body = self.expr(node.body)
        self.bound = before
        return f"({', '.join(names)}) => {body}"

    def of_Attribute(self, node):
        base = self.expr(node.value)
        if base.split(".")[0] in ("np", "lax", "scipy") and re.fullmatch(r"[\w.]+", base):
            if node.attr in NOT_HERE:
                raise Skip(NOT_HERE[node.attr] or node.attr)
            return f"{base}.{camel(node.attr)}"
        if node.attr not in ATTRIBUTES:
            raise Skip(f"the attribute {node.attr}")
        return f"{base}.{node.attr}"

    def index(self, node):
        if isinstance(node, ast.Slice):
            return "new Slice(" + ", ".join("null" if x is None else self.expr(x) for x in (node.lower, node.upper, node.step)) + ")"
        if isinstance(node, (ast.List, ast.Tuple)):
            flat = [x.value for x in ast.walk(node) if isinstance(x, ast.Constant)]
            if any(isinstance(x, bool) for x in flat):
                return self.expr(node)
            return f"ints({self.expr(node)})"
        return self.expr(node)

    def of_Subscript(self, node):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        said = ", ".join(map(self.index, items))
        if isinstance(node.value, ast.Attribute) and node.value.attr in GRIDS:
            return f"np.{node.value.attr}({said})"
        return f"part({self.expr(node.value)}{', ' if said else ''}{said})"

    def of_Call(self, node):
        f = node.func
        if isinstance(f, ast.Name):
            ways = {"list": "[...{}]", "str": "String({})", "float": "Number({})", "int": "Math.trunc(Number({}))",
                    "len": "({}).length", "bool": "Boolean(({}).item())", "tuple": "[...{}]"}
            if f.id in ways and len(node.args) == 1:
                return ways[f.id].format(self.expr(node.args[0]))
            raise Skip(f"the call {f.id}()")
        if isinstance(f, ast.Call):  # np.vectorize(f)(x)
            made = self.expr(f)
        elif isinstance(f, ast.Attribute):
            base = self.expr(f.value)
            if base == "np.dtype":
                raise Skip("methods of dtypes, which are texts")
            if base.split(".")[0] == "np" and f.attr in NOT_HERE:
                raise Skip(NOT_HERE[f.attr] or f.attr)
            made = f"{base}.{camel(f.attr)}"
        else:
            raise Skip("a call")
        args = []
        for a in node.args:
            if isinstance(a, ast.Starred):
                raise Skip("*args")
            args.append(self.expr(a))
        named = []
        for k in node.keywords:
            if k.arg is None or k.arg in ("order", "subok", "like", "where_") and not isinstance(k.value, ast.Constant):
                raise Skip("**names")
            named.append(f"{camel(k.arg)}: {self.expr(k.value)}")
        if named:
            args.append("{" + ", ".join(named) + "}")
        return f"{made}({', '.join(args)})"


def number(x):
    if isinstance(x, (complex, numpy.complexfloating)):
        return [number(x.real), number(x.imag)]
    if isinstance(x, (bool, numpy.bool_)):
        return bool(x)
    if isinstance(x, (int, numpy.integer)):
        return int(x) if abs(int(x)) < 2**53 else f"{int(x)}n"
    x = float(x)
    return x if x == x and abs(x) != float("inf") else str(x)


def plain(x):
    if hasattr(x, "__jax_array__") or type(x).__module__.startswith("jax"):
        x = numpy.asarray(x)
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        x = numpy.asarray(x)
        if x.dtype.kind not in "biufc":
            raise Skip("texts or objects")
        return {"dtype": str(x.dtype), "shape": list(x.shape), "data": [number(v) for v in x.ravel().tolist()]}
    if isinstance(x, numpy.dtype) or (isinstance(x, type) and issubclass(x, numpy.generic)):
        return {"text": str(numpy.dtype(x))}
    if isinstance(x, (list, tuple)):
        return {"list": [plain(y) for y in x]}
    if x is None or isinstance(x, str):
        return {"text": x}
    if isinstance(x, (bool, int, float, complex)):
        return {"shape": [], "data": [number(x)]}
    raise Skip(f"a result of type {type(x).__name__}")


def operands():
    r = numpy.random.default_rng(7)
    a, b = r.random((3, 4)).round(3) * 4, r.random((3, 4)).round(3) * 4
    g = r.random((4, 4)).round(3)
    return {"a": a, "b": b, "i": (a * 2).astype("int64"), "j": (b * 2).astype("int64"), "v": numpy.array([3.0, 1, 2.5, 4, 1.5]),
            "w": numpy.array([1.0, 2, 3, 5, 4]), "n": numpy.array([3, 1, 2, 3, 1, 9]), "z": (a + 1j * b)[:, :3],
            "s": g @ g.T + 4 * numpy.eye(4), "m": a > 1.5, "e": numpy.zeros((0, 3)), "o": numpy.array(2.5),
            "f": a.astype("float32"), "u": numpy.array([1, 2, 3, 250, 5], dtype="uint8"),
            "t": numpy.arange(24.0).reshape(2, 3, 4)}


def modules(line):
    space = {"np": numpy, "numpy": numpy}
    if re.search(r"\b(scipy|lax|jsp)\.", line):
        import jax
        jax.config.update("jax_enable_x64", True)
        import scipy.fft, scipy.integrate, scipy.linalg, scipy.signal, scipy.special
        import jax.scipy
        space |= {"scipy": scipy, "lax": jax.lax, "jsp": jax.scipy}
    return space


def main():
    calls, skipped = [], collections.Counter()
    for path in sys.argv[1:]:
        for line in Path(path).read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            try:
                js = Port().expr(ast.parse(line, mode="eval").body)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        value = eval(line, {**modules(line), **operands()})
                    except Exception as e:
                        kinds = [c.__name__ for c in type(e).__mro__]
                        calls.append({"python": line, "js": js, "error": kinds[:kinds.index("Exception")]})
                        continue
                calls.append({"python": line, "js": js, "gives": plain(value)})
            except Skip as e:
                skipped[str(e)] += 1
    given = {k: plain(x) for k, x in operands().items()}
    print('{"operands": {\n' + ",\n".join(f"{json.dumps(k)}: {json.dumps(x)}" for k, x in given.items()) + '\n}, "calls": [')
    print(",\n".join(json.dumps(c, ensure_ascii=False) for c in calls) + "\n]}")
    print(f"{len(calls)} calls; left out: {sum(skipped.values())}: {dict(skipped.most_common())}", file=sys.stderr)


main()

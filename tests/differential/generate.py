# SPDX-License-Identifier: Apache-2.0
"""generate.py -- random lines of NumPy code from templates, and the arrays that they are about.

A template is a line with holes in braces: "np.sum({a:n}<, axis={axes}><, keepdims={bool}>)". What stands between < and >
is left out now and then. A hole is NAME:SPECIFICATION or KIND:ARGUMENT, see `hole`; `a`, `b`, `c` are variables of the
program, and axis, index and so on are about `a`."""
import math
import re

import numpy as np

from facade import literal, mild

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool"] + INTS + FLOATS + COMPLEX
NAMES = {"inf": math.inf, "nan": math.nan}


def number_text(v):
    if isinstance(v, complex):
        return f"complex({number_text(v.real)}, {number_text(v.imag)})"
    return repr(v)


def kinds_of(specification):
    """The kinds of dtypes that the letters of a specification name: b i u f c; r: i u f; n: all but b; none: all."""
    kinds = set(k for k in specification if k in "biufc")
    if "r" in specification:
        kinds |= set("iuf")
    if "n" in specification:
        kinds |= set("iufc")
    return kinds or set("biufc")


class Gap(Exception):
    """No way to fill a hole: the line is given up."""


class Generator:
    def __init__(self, random, env, real=False):
        self.random, self.env, self.real = random, env, real
        self.lines, self.count, self.bound = [], 0, {}

    # ---- dice
    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(items)

    def dtype(self, specification=""):
        kinds = kinds_of(specification)
        if self.real and kinds != {"c"}:
            kinds = kinds - {"c"}
        names = [d for d in DTYPES if np.dtype(d).kind in kinds and not ("h" in specification and d == "float16")]
        common = [d for d in names if d in ("float64", "float32", "int64", "bool", "complex128")]
        return self.pick(common) if common and self.chance(0.45) else self.pick(names)

    def extent(self):
        return self.pick([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9]) if self.chance(0.6) else self.pick([2, 3, 4])

    def shape(self, lo=0, hi=4):
        while True:
            n = self.pick([k for k in (0, 1, 1, 1, 2, 2, 2, 3, 3, 4) if lo <= k <= hi] or [lo])
            s = tuple(self.extent() for _ in range(n))
            if math.prod(s) <= 200:
                return s

    def value(self, dtype, mode):
        """A Python number for an element of the dtype."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.chance(0.5)
        if kind in "iu":
            info = np.iinfo(dtype)
            if mode == "special" and self.chance(0.3):
                return self.pick([int(info.max), int(info.min), int(info.max) - 1, int(info.min) + 1, int(info.max) // 2])
            return self.random.randint(0 if kind == "u" else -9, 12)
        if kind == "c":
            part = "float32" if dtype == "complex64" else "float64"
            return complex(self.value(part, mode), self.value(part, mode))
        if mode == "mild":
            return self.random.randint(-24, 24) / 4
        if self.chance(0.35):
            info = np.finfo(dtype)
            return self.pick([math.inf, -math.inf, math.nan, 0.0, -0.0, 1.0, -1.0, float(info.max), float(info.tiny),
                              float(info.smallest_subnormal), -float(info.max), float(info.eps), 0.5, 1.5, 2.5])
        r = self.random.random()
        if r < 0.5:
            return self.random.randint(-20, 20) / 4
        v = self.random.gauss(0, 1) * 10.0 ** self.random.randint(-3, 3)
        return float(np.dtype(dtype).type(v)) if r < 0.95 else v

    # ---- variables
    def name(self):
        self.count += 1
        return f"v{self.count}"

    def emit(self, text):
        """A line that makes a variable; returns its name."""
        name = self.name()
        line = f"{name} = {text}"
        self.lines.append(line)
        with np.errstate(all="ignore"):
            self.env[name] = np.asarray(eval(text, {"np": np, "A": literal, "R": mild, **NAMES}, self.env))
        return name

    def new(self, dtype, shape, mode=None):
        n = math.prod(shape)
        if n > 64 or (mode == "mild" and self.chance(0.2)):
            return self.emit(f"R({self.random.randint(0, 999)}, '{dtype}', {shape})")
        mode = mode or self.pick(["mild", "special", "special"])
        values = [self.value(dtype, mode) for _ in range(n)]
        return self.emit(f"A('{dtype}', {shape}, [{', '.join(number_text(v) for v in values)}])")

    def fits(self, x, specification, shape=None):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in kinds_of(specification) or x.size > 3000:
            return False
        if "h" in specification and x.dtype == np.float16 or "s" in specification and x.size > 60:
            return False
        if shape is not None and x.shape != shape:
            return False
        digits = [int(k) for k in specification if k.isdigit()]
        if digits and x.ndim not in digits:
            return False
        if "+" in specification and (x.size == 0 or x.ndim == 0):
            return False
        if "w" in specification and not x.flags.writeable:
            return False
        if "k" in specification and x.size and not bool((np.abs(x.astype("float64")) < 100).all()):
            return False
        return not ("m" in specification and not self.mild(x))

    @staticmethod
    def mild(x):
        """Small enough that no sum or product of a few elements overflows or cancels badly."""
        if x.dtype.kind in "b":
            return True
        if x.dtype.kind in "iu":
            return True
        y = np.abs(x[np.isfinite(x)]).astype("float64")
        return y.size == 0 or bool((y.max(initial=0) <= 64) and (y[y != 0].min(initial=1) >= 0.125))

    def variable(self, specification="", shape=None):
        """The name of an array that fits: one of the program's, a view of one, or a new one."""
        if self.chance(0.75):
            names = [k for k, x in self.env.items() if self.fits(x, specification, shape)]
            if names:
                return self.pick(names[-8:])
        digits = [int(k) for k in specification if k.isdigit()]
        if shape is None:
            shape = self.shape(min(digits), max(digits)) if digits else self.shape()
            if digits:
                n = self.pick(digits)
                shape = (shape + (2, 3, 1))[:n]
            if "+" in specification:
                shape = tuple(max(k, 1) for k in shape) or (3,)
            if self.chance(0.02) and not digits and "s" not in specification:
                shape = self.pick([(300,), (40, 50), (7, 11, 13), (2500,), (1030,)])
        mode = "mild" if "m" in specification or "k" in specification else None
        dtype = self.dtype(specification)
        if len(shape) >= 1 and self.chance(0.3) and "w" not in specification:
            return self.viewed(dtype, shape, mode)
        return self.new(dtype, shape, mode)

    def viewed(self, dtype, shape, mode):
        """A view of that shape: transposed, reversed, with steps, in Fortran order or broadcast."""
        way = self.random.randint(0, 5)
        n = len(shape)
        if way == 0:
            return self.emit(f"{self.new(dtype, shape[::-1], mode)}.T")
        if way == 1:
            axes = ", ".join(self.pick(["::-1", ":"]) for _ in shape)
            return self.emit(f"{self.new(dtype, shape, mode)}[{axes}]")
        if way == 2:
            base = shape[:-1] + (shape[-1] * 2 + 1,)
            if shape[-1] and math.prod(base) < 400:
                return self.emit(f"{self.new(dtype, base, mode)}[..., 1::2]")
        if way == 3:
            return self.emit(f"np.asarray({self.new(dtype, shape, mode)}, order='F')")
        if way == 4 and n > 1:
            order = list(range(n))
            self.random.shuffle(order)
            base = [0] * n
            for i, k in enumerate(order):
                base[k] = shape[i]
            return self.emit(f"np.transpose({self.new(dtype, tuple(base), mode)}, {tuple(order)})")
        base = tuple(1 if self.chance(0.5) else k for k in shape)
        if base != shape:
            return self.emit(f"np.broadcast_to({self.new(dtype, base[self.random.randint(0, 1) if base[0] == 1 else 0:], mode)}, {shape})")
        return self.new(dtype, shape, mode)

    def broadcastable(self, shape, both=False):
        """A shape that broadcasts to `shape` (or with it)."""
        s = [1 if self.chance(0.25) else k for k in shape]
        if both:
            s = [self.pick([2, 3]) if k == 1 and self.chance(0.2) else k for k in s]
        cut = self.random.randint(0, len(s)) if self.chance(0.3) else 0
        s = s[cut:]
        if self.chance(0.03) and s:
            s[self.random.randrange(len(s))] += 1
        return tuple(s)

    def number(self, dtype=None):
        """A Python number, as an operand beside an array of the dtype."""
        r = self.random.random()
        kind = np.dtype(dtype).kind if dtype is not None else "f"
        if r < 0.08:
            return self.pick(["True", "False"])
        if r < 0.6:
            if self.chance(0.12):
                return repr(self.pick([127, 128, 255, 256, -1, -129, 32768, 65536, 2**31, 2**32, 2**63 - 1, -2**63, 2**63, 2**64 - 1]))
            return repr(self.random.randint(-3, 7))
        if r < 0.9 or kind in "iu":
            return repr(self.pick([0.5, -1.5, 2.0, 0.0, -0.0, 1e-3, 3.25, 1e10, 0.1])) if self.chance(0.85) else self.pick(["inf", "nan", "-inf"])
        return "2" if self.real else self.pick(["1j", "complex(0.5, -2)", "complex(nan, 1)"])

    # ---- holes
    def array(self, name):
        return self.env[self.bound[name]]

    def axis(self, n):
        if self.chance(0.04):
            return self.pick([n, -n - 1, n + 2])
        return self.random.randint(-n, n - 1) if n else self.pick([0, -1])

    def axes(self, n):
        r = self.random.random()
        if r < 0.5 or n == 0:
            return repr(self.axis(n)) if r < 0.45 else self.pick(["None", "()"])
        k = self.random.randint(1, n)
        axes = self.random.sample(range(n), k)
        axes = [a - n if self.chance(0.4) else a for a in axes]
        if self.chance(0.04):
            axes.append(self.pick([axes[0], n]))
        return repr(tuple(axes))

    def hole(self, text):
        name, _, spec = text.partition(":")
        if "~" in name:  # b~a: broadcasts with a; b~a!: to a
            name, _, base = name.partition("~")
            shape = self.array(base.rstrip("!")).shape
            s = self.broadcastable(shape, both=not base.endswith("!"))
            if math.prod(s) > 2500:
                s = shape
            v = self.variable(spec, s)
            self.bound[name] = v
            return v
        if "=" in name:  # b=a: of a's shape
            name, _, base = name.partition("=")
            v = self.variable(spec, self.array(base).shape)
            self.bound[name] = v
            return v
        if name in ("a", "b", "c", "d"):
            v = self.variable(spec)
            self.bound[name] = v
            return v
        if name == "o":  # an operand beside a: an array or a number
            a = self.array("a")
            if self.chance(0.35):
                return self.number(a.dtype)
            return self.hole("b~a:" + (spec or ("" if self.chance(0.3) else {"b": "b"}.get(a.dtype.kind, a.dtype.kind))))
        if name == "n":
            return self.number(self.array("a").dtype if "a" in self.bound else None)
        if name == "axis":
            return repr(self.axis(self.array(spec or "a").ndim))
        if name == "axis?":
            return "None" if self.chance(0.25) else repr(self.axis(self.array(spec or "a").ndim))
        if name == "axes":
            return self.axes(self.array(spec or "a").ndim)
        if name == "newaxis":
            return repr(self.axis(self.array("a").ndim + 1))
        if name == "bool":
            return self.pick(["True", "False"])
        if name == "dtype":
            return repr(self.dtype(spec))
        if name == "order":
            return repr(self.pick(spec.split("|") if spec else ["C", "F", "A", "K"]))
        if name == "pick":
            return self.pick(spec.split("|"))
        if name == "int":
            lo, hi = spec.split("..")
            return repr(self.random.randint(int(lo), int(hi)))
        if name == "shape":
            return repr(self.shape())
        if name == "rest":  # a shape with the size of a
            return repr(self.refactored(self.array("a").size))
        if name == "index":
            return self.index(self.array(spec or "a").shape)
        if name == "basic":
            return self.index(self.array(spec or "a").shape, arrays=False)
        if name == "at":  # what is there after indexing a with the last index
            return self.right_side(spec != "array")
        if name == "to":  # a shape that a broadcasts to
            s = tuple(self.pick([1, 2, 3]) for _ in range(self.random.randint(0, 2))) + tuple(
                self.pick([1, 2, 4]) if k == 1 else k for k in self.array("a").shape)
            return repr(s if not self.chance(0.05) else s[:-1] + (5,))
        if name == "permutation":
            n = self.array("a").ndim
            p = self.random.sample(range(n), n)
            if self.chance(0.04) and n:
                p[0] = self.pick([n, p[-1], -n - 1])
            return repr(tuple(k - n if self.chance(0.2) else k for k in p))
        if name == "ints":  # ints:lo..hi:count
            r, _, count = spec.partition(":")
            lo, hi = (int(k) for k in r.split(".."))
            n = int(count) if count else self.random.randint(0, 4)
            return repr([self.random.randint(lo, hi) for _ in range(n)])
        if name == "list":
            return self.several(spec)
        if name == "square":  # well-conditioned matrices: of reals, or Hermitian and positive definite (p); d: no others
            return self.square("p" in spec, "d" in spec)
        if name == "einsum":  # subscripts and their operands
            return self.einsum(spec)
        if name == "positions":  # integers along an axis, or flat
            return self.positions(spec)
        raise KeyError(text)

    def einsum(self, spec):
        """Subscripts of one to four operands: repeated letters, an ellipsis, axes of one element that are broadcast."""
        extent = {k: self.pick([1, 2, 2, 3, 3, 4] + [0] * self.chance(0.1)) for k in "ijkl"}
        count, dots = self.pick([1, 2, 2, 3, 3, 4]), self.chance(0.3)
        rest = tuple(self.pick([1, 2, 3]) for _ in range(self.random.randint(0, 2)))
        terms, names, used = [], [], ""
        for _ in range(count):
            letters = "".join(self.pick("ijkl") for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3])))
            shape = [1 if self.chance(0.08) else extent[k] for k in letters]
            term, used = letters, used + letters
            if dots and self.chance(0.75):
                at, own = self.random.randint(0, len(letters)), rest[self.random.randint(0, len(rest)):]
                shape[at:at] = [1 if self.chance(0.2) else e for e in own]
                term = f"{letters[:at]}...{letters[at:]}"
            if shape and self.chance(0.02):
                shape[self.random.randrange(len(shape))] += 1
            if math.prod(shape) > 200:
                raise Gap("too many elements")
            terms.append(term)
            names.append(self.variable(spec, tuple(shape)))
        text = self.pick([",", ",", ", "]).join(terms)
        if self.chance(0.7):
            kept = [k for k in dict.fromkeys(used) if self.chance(0.6)]
            self.random.shuffle(kept)
            if any("..." in t for t in terms) and self.chance(0.95):
                kept.insert(self.random.randint(0, len(kept)), "...")
            if self.chance(0.02):
                kept.append(self.pick("ijklz"))
            text += self.pick(["->", "->", " -> "]) + "".join(kept)
        return f"{text!r}, {', '.join(names)}"

    def square(self, definite, sound=False):
        n = self.random.randint(0, 4)
        stack = self.pick([(), (), (), (2,), (1, 3), (0,)])
        dtypes = ["float64", "float64", "float32", "complex128", "complex64", "int64", "uint8", "bool", "float16"]
        dtype = self.pick(dtypes[:7] if sound else dtypes)
        shape = stack + (n, n if self.chance(0.95) else n + 1)
        if self.chance(0.03):
            shape = (n,)
        if len(shape) < 2 or shape[-1] != n or dtype in ("bool", "float16") or not math.prod(shape):
            return self.new(dtype, shape, "mild")
        x = np.array([self.value("int64" if dtype in ("uint8", "int64") else dtype, "mild") for _ in range(math.prod(shape))]).reshape(shape)
        x = np.abs(x) if dtype == "uint8" else x
        x = (x + np.conj(np.swapaxes(x, -1, -2)) if definite else x) + 64 * np.eye(n, dtype="int64")
        return self.emit(f"A('{dtype}', {shape}, [{', '.join(number_text(v) for v in x.ravel().tolist())}])")

    def positions(self, spec):
        size = self.array("a").size if spec != "axis" else max(self.array("a").shape, default=1)
        n = self.random.randint(0, 5)
        values = [self.random.randint(-size, size - 1) if size else 0 for _ in range(n)]
        if self.chance(0.06):
            values.append(size + self.random.randint(0, 2))
        if len(values) == 1 and self.chance(0.5):
            return repr(values[0])
        return repr(values)

    def several(self, spec):
        """A list of arrays: equal shapes (or equal but for one axis: `x`)."""
        n = self.random.randint(1, 3)
        kinds = "".join(k for k in spec if k not in "x")
        first = self.variable(kinds)
        self.bound["a"] = first
        names = [first]
        shape = self.env[first].shape
        for _ in range(n - 1):
            s = list(shape)
            if "x" in spec and s and self.chance(0.4):
                s[self.random.randrange(len(s))] = self.extent()
            names.append(self.variable(kinds if self.chance(0.4) else self.env[first].dtype.kind, tuple(s)))
        return "[" + ", ".join(names) + "]"

    def refactored(self, size):
        if self.chance(0.04):
            return (size + 1,)
        if size == 0:
            s = [0] + [self.random.randint(0, 3) for _ in range(self.random.randint(0, 2))]
            self.random.shuffle(s)
            return tuple(s)
        s, left = [], size
        while left > 1 and len(s) < 4:
            d = self.pick([k for k in range(1, left + 1) if left % k == 0][:12])
            s.append(d)
            left //= d
        if left > 1:
            s.append(left)
        if self.chance(0.2):
            s.insert(self.random.randint(0, len(s)), 1)
        if s and self.chance(0.25):
            s[self.random.randrange(len(s))] = -1
        return tuple(s)

    # ---- indices
    def bound_of_slice(self, n):
        return "" if self.chance(0.4) else str(self.random.randint(-n - 1, n + 1))

    def item(self, n, arrays):
        """An item of an index for an axis of n, and how many axes it takes."""
        r = self.random.random()
        if r < 0.3:
            if n == 0 or self.chance(0.02):
                return str(self.pick([n, -n - 1]))
            return str(self.random.randint(-n, n - 1))
        if r < 0.72 or not arrays:
            text = self.bound_of_slice(n) + ":" + self.bound_of_slice(n)
            return text + (":" + str(self.pick([-2, -1, 2, 3, -3, 1])) if self.chance(0.4) else "")
        if r < 0.9:
            k = self.random.randint(0, 3)
            if n == 0:
                return "[]"
            values = [self.random.randint(-n, n - 1) for _ in range(k)]
            if self.chance(0.02):
                values.append(n)
            if self.chance(0.25) and values:
                dtype = self.pick(["int8", "uint8", "int32", "uint64", "int64"] if n < 127 else ["int32", "uint64", "int64"])
                values = [v if not dtype.startswith("u") else v % n for v in values]
                shape = (len(values), 1) if self.chance(0.5) else (len(values),)
                return f"A('{dtype}', {shape}, {values})"
            return repr(values)
        return repr([self.chance(0.5) for _ in range(n if not self.chance(0.03) else n + 1)]) if n else "[]"

    def index(self, shape, arrays=True):
        r = self.random.random()
        if arrays and r < 0.1 and shape:  # a mask over the leading axes
            k = self.random.randint(1, len(shape))
            s = shape[:k]
            self.last_index = f"A('bool', {s}, {[self.chance(0.4) for _ in range(math.prod(s))]})" if math.prod(s) <= 64 else "..."
            return self.last_index
        if r < 0.13:
            self.last_index = self.pick(["...", "None", "()", "True", "False"]) if arrays else self.pick(["...", "None"])
            return self.last_index
        n = self.random.randint(0, len(shape)) if self.chance(0.5) else len(shape)
        arrays = arrays and self.chance(0.5)
        items = []
        tail = self.random.randint(0, n) if self.chance(0.25) else None
        axes = list(range(n)) if tail is None else list(range(tail)) + [None] + list(range(len(shape) - (n - tail), len(shape)))
        for k in axes:
            if k is None:
                items.append("...")
            else:
                items.append(self.item(shape[k], arrays))
            if self.chance(0.1):
                items.append("None")
        if self.chance(0.01):
            items.append("0")
        self.last_index = ", ".join(items) or "..."
        if len(items) == 1 and items[0].startswith("[") is False and self.chance(0.1):
            self.last_index += ","
        return self.last_index

    def right_side(self, numbers=True):
        a = self.array("a")
        try:
            part = eval(f"a[{self.last_index}]", {"np": np, "A": literal, **NAMES}, {"a": a})
        except (IndexError, ValueError):
            return "1"
        if numbers and self.chance(0.35):
            return self.number(a.dtype)
        s = self.broadcastable(np.shape(part))
        return self.variable("" if self.chance(0.2) else a.dtype.kind, s)

    # ---- a line from a template
    def fill(self, template):
        self.bound = {}
        text = re.sub(r"<([^<>]*)>", lambda m: m.group(1) if self.chance(0.4) else "", template)
        parts = re.split(r"(\{[^{}]*\})", text)
        order = sorted(range(len(parts)), key=lambda i: not re.match(r"\{(a[:}]|list)", parts[i]))
        for i in order:  # `a` first, since others are about it
            if parts[i].startswith("{"):
                name = parts[i][1:-1].partition(":")[0]
                again = name in self.bound and len(parts[i]) == len(name) + 2
                parts[i] = self.bound[name] if again else self.hole(parts[i][1:-1])
        return "".join(parts)

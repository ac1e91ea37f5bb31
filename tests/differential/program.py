# SPDX-License-Identifier: Apache-2.0
"""program.py -- running lines in NumPy and in Kiln side by side, and making a failing program short.

A line is text and what rows.py says of it: Line("v3 = np.sum(v1)", "s", ""). A difference has a signature, the function
and what differs, so that many failures of one kind are told once."""
import math
import re
import warnings

import numpy as np

from binding import Error, Unsupported
from compare import Compare, describe
from facade import Facade, Place, View, literal, mild, printed
from known import known

warnings.simplefilter("ignore")
NUMBERS = {"inf": math.inf, "nan": math.nan, "S": np.s_, "I": Place, "P": printed}


class Line:
    __slots__ = ("text", "how", "remarks")

    def __init__(self, text, how="x", remarks=""):
        self.text, self.how, self.remarks = text, how, remarks

    def __str__(self):
        note = (self.how + " " + self.remarks).strip()
        return self.text if note == "x" else f"{self.text}  # {note}"

    @staticmethod
    def read(text):
        body, _, note = text.rstrip("\n").partition("  # ")
        how, _, remarks = note.partition(" ")
        return Line(body, how or "x", remarks)

    def target(self):
        m = re.match(r"(\w+) = ", self.text)
        return m.group(1) if m else None

    def creates(self):
        return re.match(r"\w+ = [AR]\(", self.text) is not None

    def function(self):
        m = re.search(r"np\.((?:\w+\.)?\w+)\(", self.text) or re.search(r"\.(astype|view|fill|flatten|i\w+)\(", self.text)
        if m:
            return m.group(1)
        m = re.match(r"\w+(?:\[.*\])? (\S*=) ", self.text)
        if m and not self.target():
            return ("[]" if "[" in self.text.split(m.group(1))[0] else "") + m.group(1)
        return "[]"


class Stop(Exception):
    """A known difference after which the two sides are no longer alike."""


class Difference(Exception):
    def __init__(self, line, what, text):
        super().__init__(text)
        self.line, self.what, self.text = line, what, text

    def signature(self):
        return f"{self.line.function()}: {self.what}"


def kind_of(error):
    """The kind of a NumPy error, as Kiln names it."""
    for t in type(error).__mro__:
        if t.__name__ in ("AxisError", "LinAlgError", "ValueError", "TypeError", "IndexError", "OverflowError", "KeyError",
                          "ZeroDivisionError", "MemoryError", "RuntimeError", "NotImplementedError"):
            return t.__name__
    return type(error).__name__


def text_of(error):
    return str(error.args[0]) if isinstance(error, KeyError) else str(error)


def flat(values):
    for v in values:
        if isinstance(v, (list, tuple)):
            yield from flat(v)
        else:
            yield v


class Run:
    """Both sides of one program. Use as a context: the handles go with it."""

    def __init__(self, kiln, late=False, layout=True, seen=None):
        self.kiln, self.late, self.layout, self.seen = kiln, late, layout, seen
        self.compare = Compare(kiln)
        self.here = {"np": np, "A": literal, "R": mild, **NUMBERS}
        self.array, numbers = kiln.array_type, dict(NUMBERS)
        if hasattr(kiln, "facade"):  # the package
            from package import printed as printed_by_package
            numbers["P"] = self.here["P"] = printed_by_package
            facade = kiln.facade()
        else:
            facade = Facade(kiln)
        self.there = {"np": facade, "A": self.made(literal), "R": self.made(mild), **numbers}
        self.x, self.y = {}, {}  # Kiln's and NumPy's variables
        self.compare.variables = self.y
        self.operations, self.raised = 0, 0

    def made(self, f):
        return lambda *a: self.kiln.from_numpy(f(*a))

    def __enter__(self):
        self.scope = self.kiln.kn_scope_begin()
        return self

    def __exit__(self, *_):
        self.kiln.kn_error_clear()
        self.kiln.kn_scope_end(self.scope)

    @staticmethod
    def evaluate(code, here, env):
        """The value of a line (None for a statement) or its exception."""
        try:
            with np.errstate(all="ignore"):
                return eval(code, here, env) if code.co_name == "value" else exec(code, here, env), None
        except (Unsupported, Error):
            raise
        except Exception as e:
            return None, e

    def run_there(self, code, env):
        """The value of a line in Kiln, or an Error. Exceptions of the package are its errors."""
        try:
            value, wrong = self.evaluate(code, self.there, env)
        except Error as e:
            return None, e
        if wrong is not None and hasattr(self.kiln, "facade") and not isinstance(wrong, (NameError, AttributeError)):
            wrong = Error(kind_of(wrong), text_of(wrong))
        return value, wrong

    def step(self, line):
        """Runs a line on both sides. False: it cannot be said in C. Raises a Difference."""
        target = line.target()
        text = line.text[len(target) + 3:] if target else line.text
        try:
            code = compile(text, "line", "eval" if target else "exec")
            code = code.replace(co_name="value" if target else "statement")
            try:
                x, wrong = self.run_there(code, self.x)
            except (Unsupported, NameError):
                self.kiln.kn_error_clear()
                return False
        except SyntaxError:
            return False
        if isinstance(wrong, NameError):
            self.kiln.kn_error_clear()
            return False
        y, missed = self.evaluate(code, self.here, self.y)
        self.operations += 1
        if wrong is not None and not isinstance(wrong, Error):
            raise Difference(line, f"{type(wrong).__name__} in the facade", repr(wrong))
        if wrong is not None or missed is not None:
            self.errors(line, wrong, missed)
            if "w" in line.remarks:  # NumPy may have written a part; Kiln writes nothing
                self.written(line, True)
            return True
        self.check(line, target, x, y)
        return True

    def operands(self, line):
        """The arrays of NumPy that stand in a line, and those that are written out there."""
        text = line.text.partition(" = ")[2] if line.target() else line.text
        found = [self.y[name] for name in sorted(set(re.findall(r"\bv\d+\b", text))) if name in self.y]
        found = [v for v in flat(found) if isinstance(v, np.ndarray)]
        return found + [v.base for v in found if isinstance(v.base, np.ndarray) and v.base.dtype.kind in "biufc" and v.base.dtype != v.dtype]

    def differs(self, line, what, text):
        words = known(line, what, text, self.operands(line))
        if words:
            if self.seen is not None:
                self.seen[words] = self.seen.get(words, 0) + 1
            if "w" in line.remarks:
                raise Stop
            return
        raise Difference(line, what, text)

    def errors(self, line, wrong, missed):
        self.raised += 1
        if wrong is None:
            return self.differs(line, f"no error: NumPy has {kind_of(missed)}", f"NumPy: {kind_of(missed)}: {text_of(missed)}")
        if missed is None:
            return self.differs(line, f"{wrong.kind}: none in NumPy: {general(wrong.text)}", f"Kiln: {wrong.kind}: {wrong.text}")
        kind, text = kind_of(missed), text_of(missed)
        ours = re.sub(r"^[\w.]+: ", "", wrong.text, count=1)
        if wrong.kind != kind:
            return self.differs(line, f"{wrong.kind}, {kind} in NumPy: {general(text)}",
                                f"Kiln:  {wrong.kind}: {wrong.text}\nNumPy: {kind}: {text}")
        if ours != text.strip() and wrong.text != text:
            return self.differs(line, f"error text: {general(ours)} <> {general(text)}", f"Kiln:  {wrong.text}\nNumPy: {text}")
        return None

    def scale(self, line):
        """How large sums of the line's operands may be."""
        largest, n, last = 1.0, 1, 1.0
        for name in set(re.findall(r"\bv\d+\b", line.text)):
            v = self.y.get(name)
            if isinstance(v, np.ndarray) and v.dtype.kind in "biufc" and v.size:
                a = np.abs(v.astype("complex128" if v.dtype.kind == "c" else "float64"))
                a = a[np.isfinite(a)]
                largest *= max(1.0, float(a.max(initial=0)))
                last = max(last, float(a.max(initial=0)))
                n = max(n, v.size)
        power = 2 if re.search(r"var|std|cov|gradient|cross", line.text) else 1
        if re.search(r"prod|vander|multiply\.|power", line.text):
            return 0.0
        return n * max(largest, last ** power)

    def check(self, line, target, x, y):
        if "w" in line.remarks:
            return self.written(line)
        how = line.how
        scale = self.scale(line) if how == "s" else 1.0
        contents = "n" not in line.remarks and not (self.late and not self.casts(line, y))
        try:
            d = self.compare.values(x, y, how, scale, self.layout, contents)
        except Error as e:
            return self.differs(line, f"{e.kind}: none in NumPy", f"Kiln: {e}")
        if d:
            self.differs(line, re.sub(r"result \d+: ", "", d).split(":")[0], f"{d}\nKiln:  {self.shown(x)}\nNumPy: {describe(y)}")
            return None  # a known difference: the variable is left out
        if self.compare.other_layout:  # NumPy's view of what it made for itself
            self.compare.other_layout = False
            if not isinstance(y, np.ndarray):
                return None
            y = np.array(y, order="C")
            if self.kiln.strides_of(x) != y.strides:
                return None
        if contents and (how != "x" or self.has_nan(y)):
            y = self.like(x, y)
        if isinstance(y, (list, tuple)) and any(isinstance(v, np.generic) for v in flat(y)):
            return None
        if "n" in line.remarks:
            return None
        if self.odd_bools(y) or isinstance(y, (list, tuple)) and any(v is w for v in flat(y) for w in self.y.values()):
            return None
        if target:
            if isinstance(y, np.ndarray) and any(y is v for v in self.y.values()):
                y = y[...]  # the array itself, whose flags it would share
                x = x[...] if any(x is v for v in self.x.values()) else x
            scalar = isinstance(y, np.generic)
            if scalar and any(isinstance(v, self.array) and self.kiln.kn_shares_memory(self.kiln.handle(x), self.kiln.handle(v)) for v in self.x.values()):
                return None  # Kiln's is a view of no axes
            self.x[target], self.y[target] = x, np.asarray(y) if scalar else y
            if not scalar:
                self.sharing(line, target)
        return None

    def casts(self, line, y):
        """Floats to unsigned integers, some of which are known to differ: it is looked at once."""
        return isinstance(y, np.ndarray) and y.dtype.kind == "u" and any(v.dtype.kind in "fc" for v in self.operands(line))

    @staticmethod
    def odd_bools(y):
        """Are there truth values that are neither 0 nor 1? They are no one's business."""
        return isinstance(y, np.ndarray) and y.dtype == bool and bool((np.ascontiguousarray(y).view("uint8") > 1).any())

    @staticmethod
    def has_nan(y):
        """Are there NaN, whose bits may be others? (Only in memory of its own: views see what they are of.)"""
        return isinstance(y, np.ndarray) and y.dtype.kind in "fc" and y.flags.owndata and bool(np.isnan(y).any())

    def shown(self, x):
        if isinstance(x, (list, tuple)):
            return "[" + ", ".join(self.shown(e) for e in x) + "]"
        if not isinstance(x, self.array):
            return repr(x)
        try:
            return f"{describe(self.kiln.to_numpy(x))} strides {self.kiln.strides_of(x)}"
        except Error as e:
            return str(e)

    def like(self, x, y):
        """NumPy's result with Kiln's numbers, so that later lines start from the same."""
        if isinstance(y, (list, tuple)):
            return type(y)(self.like(a, b) for a, b in zip(x, y)) if type(y) in (list, tuple) else [self.like(a, b) for a, b in zip(x, y)]
        if not isinstance(x, self.array):
            return y
        z = self.kiln.to_numpy(x)
        if isinstance(y, np.ndarray) and z.tobytes() == y.tobytes():
            return y
        if isinstance(y, np.ndarray) and not y.flags.writeable:
            y = np.array(y, order="K")
            y[...] = z
            y.flags.writeable = False
        elif isinstance(y, np.ndarray):
            y[...] = z
        else:
            y = z
        return y

    def sharing(self, line, target):
        y = self.y[target]
        if not self.layout or not isinstance(y, np.ndarray):
            return
        for name, other in list(self.y.items())[-6:]:
            if name != target and isinstance(other, np.ndarray) and y.size and other.size:
                shared = np.shares_memory(y, other)
                if shared != self.kiln.kn_shares_memory(self.kiln.handle(self.x[target]), self.kiln.handle(self.x[name])):
                    self.kiln.check()
                    self.differs(line, "sharing", f"{target} and {name}: NumPy {'shares' if shared else 'does not share'} their memory")
                    del self.x[target], self.y[target]
                    return

    def written(self, line, failed=False):
        """After a write: everything that lies in the same memory."""
        scale = self.scale(line) if line.how == "s" else 1.0
        m = re.match(r"(?:I\(|np\.[\w.]+\()?(v\d+)", line.text)
        a = self.y.get(m.group(1)) if m else None
        if a is None:
            return
        if self.late and not failed:
            return
        for name, y in list(self.y.items()):
            if isinstance(y, np.ndarray) and (y is a or np.may_share_memory(y, a)):
                if failed:
                    self.like(self.x[name], y)
                    continue
                if y.dtype != a.dtype and self.has_nan(a[...].copy()):  # any NaN is as good as any other
                    self.like(self.x[name], y)
                    continue
                try:
                    d = self.compare.values(self.x[name], y, line.how, scale, self.layout)
                except Error as e:
                    self.differs(line, f"{e.kind}: none in NumPy", f"Kiln: {e}")
                    continue
                if d:
                    self.differs(line, "written " + d.split(":")[0], f"{name}: {d}\nKiln:  {self.shown(self.x[name])}\nNumPy: {describe(y)}")
                    self.like(self.x[name], y)
                elif line.how != "x":
                    self.like(self.x[name], y)

    def end(self, lines):
        """All variables, once more."""
        for name, y in self.y.items():
            made = next((line for line in lines if line.target() == name), Line(name))
            try:
                how = "256" if self.late and isinstance(y, np.ndarray) and y.dtype.kind == "c" else "x"
                d = self.compare.values(self.x[name], y, how, 1.0, self.layout)
            except Error as e:
                self.differs(made, f"{e.kind}: none in NumPy, at the end", f"Kiln: {e}")
                continue
            if d:
                self.differs(made, "at the end " + re.sub(r"result \d+: ", "", d).split(":")[0],
                             f"{name}: {d}\nKiln:  {self.shown(self.x[name])}\nNumPy: {describe(y)}")

    # ---- under kn_jit
    def traced(self, lines):
        """What needs no values again, as one function under kn_jit: the bits of the same lines run one by one."""
        kept, names, env = [], set(), {}
        for line in lines:
            used = set(re.findall(r"\bv\d+\b", line.text)) - {line.target()}
            if "v" in line.remarks or "n" in line.remarks or used - names or not line.target() and "w" not in line.remarks:
                continue
            if self.alone(line, env):
                kept.append(line)
                if line.target() and isinstance(env.get(line.target()), self.array):
                    names.add(line.target())
        inputs = [line.target() for line in kept if line.creates()]
        results = [line.target() for line in kept if line.target() in names]
        if not inputs or not results or len(results) > 60:
            return 0
        fresh = {}
        for line in kept:
            if line.creates():
                self.alone(line, fresh)
        stopped = []

        def body(arguments):
            inner = {name: self.there["np"].copy(x) for name, x in zip(inputs, arguments)}
            for line in kept:
                if not line.creates():
                    self.plain(line, inner, stopped)
            return [inner[name] for name in results]
        try:
            out = self.kiln.jit(body, [fresh[name] for name in inputs], len(results))
        except Error as e:
            if e.kind == "ConcretizationError" or "trace" in e.text:
                return 0
            raise Difference(stopped[-1] if stopped else kept[-1], f"under jit {e.kind}", f"Kiln under kn_jit: {e}") from e
        for name, x in zip(results, out):
            made = next(line for line in kept if line.target() == name)
            y = self.kiln.to_numpy(env[name])
            d = self.compare.values(x, y, "x", 1.0, False)
            if d:
                self.differs(made, "under jit " + d.split(":")[0], f"{name}: {d.replace('NumPy', 'eager mode')}\njit:   {self.shown(x)}\n"
                             f"eager: {describe(y)}")
        return len(kept)

    def plain(self, line, env, stopped):
        stopped.append(line)
        target = line.target()
        if target:
            env[target] = eval(line.text[len(target) + 3:], self.there, env)
        else:
            exec(line.text, self.there, env)

    def alone(self, line, env):
        """The line in Kiln only; False if it fails."""
        try:
            self.plain(line, env, [])
            for v in flat([env.get(line.target())]):
                if isinstance(v, self.array) and not self.kiln.kn_ok(self.kiln.handle(v)):
                    self.kiln.check()
            return True
        except (Error, Unsupported, NameError, AttributeError, KeyError, TypeError, IndexError, ValueError, ArithmeticError,
                SyntaxError):
            self.kiln.kn_error_clear()
            return False


def general(text):
    """A text without its numbers, for signatures."""
    return re.sub(r"-?\d+", "#", re.sub(r"\(\d*(?:,\d*)*\)", "(#)", text))[:90]


# ---- shrinking
def fails(kiln, lines, signature, settings):
    """The difference that these lines show, if it has the signature."""
    try:
        run_lines(kiln, lines, settings)
    except Difference as d:
        return d if d.signature() == signature else None
    return None


def run_lines(kiln, lines, settings):
    View.facade = None
    with Run(kiln, late=settings.get("late", False), layout=settings.get("layout", True), seen=settings.get("seen")) as run:
        run.there["np"].placeholders = settings.get("placeholders", False)
        try:
            kept = [line for line in lines if run.step(line)]
            run.end(kept)
            if settings.get("jit"):
                run.traced(kept)
        except Stop:
            pass


def shrink(kiln, lines, signature, settings):
    lines = list(lines)
    for one in ({}, {"late": True}, {"jit": True}, {"placeholders": True}):
        if fails(kiln, lines, signature, one):
            settings = one
            break
    changed = True
    while changed:
        changed = False
        for i in range(len(lines) - 1, -1, -1):
            shorter = lines[:i] + lines[i + 1:]
            if fails(kiln, shorter, signature, settings):
                lines, changed = shorter, True
        for i, line in enumerate(lines):
            for candidate in simpler(lines, i):
                if fails(kiln, candidate, signature, settings):
                    lines, changed = candidate, True
                    break
            if changed:
                break
    return lines, settings


def simpler(lines, i):
    """Programs with a simpler line i: a view or a result as a literal, fewer options, plainer elements."""
    line = lines[i]
    target = line.target()
    if target and not line.creates():
        env = {}
        for earlier in lines[:i + 1]:
            try:
                with np.errstate(all="ignore"):
                    exec(earlier.text, {"np": np, "A": literal, "R": mild, **NUMBERS}, env)
            except Exception:
                pass
        v = env.get(target)
        if isinstance(v, (np.ndarray, np.generic)) and v.size <= 64 and i + 1 < len(lines):
            yield lines[:i] + [Line(f"{target} = {as_literal(np.asarray(v))}")] + lines[i + 1:]
    for m in re.finditer(r", (\w+)=(?:\([^()]*\)|\[[^\[\]]*\]|[^,()]+)(?=[,)])", line.text):
        if not line.creates():
            yield lines[:i] + [Line(line.text[:m.start()] + line.text[m.end():], line.how, line.remarks)] + lines[i + 1:]
    if line.creates():
        try:
            v = eval(line.text.split(" = ", 1)[1], {"A": literal, "R": mild, **NUMBERS})
        except Exception:
            return
        for axis in range(v.ndim):
            if v.shape[axis] > 1:
                keep = [slice(None)] * v.ndim
                for part in (slice(0, 1), slice(1, None), slice(0, -1)):
                    keep[axis] = part
                    w = v[tuple(keep)]
                    if w.size <= 64:
                        yield lines[:i] + [Line(f"{target} = {as_literal(w)}")] + lines[i + 1:]
        if 0 < v.size <= 64 and np.any(v != 0) and v.size > 1:
            for k in range(v.size):
                w = v.copy()
                if w.ravel()[k] != 0:
                    w.ravel()[k] = 0
                    yield lines[:i] + [Line(f"{target} = {as_literal(w)}")] + lines[i + 1:]


def as_literal(v):
    from generate import number_text
    return f"A('{v.dtype.name}', {v.shape}, [{', '.join(number_text(e) for e in v.ravel().tolist())}])"

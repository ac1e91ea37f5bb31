#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/jaxpr_programs.txt: random programs of jax.lax and the jaxprs that the installed JAX prints of them.

tests/unit/ir/text/test_jaxpr_programs.c runs the same programs while Kiln records them, and compares the texts to the letter. A
program is a list of functions; number 0 is the one that is recorded:

    == 17 plain                          number and kind
    fn 1 v4 v5                           function 1, its parameters
    v6 = mul v4 v2                       v2 is a variable of the function around it
    ret v6 #1.0                          results; #: a number of Python
    fn 0 v0:f32[3] v1:i32[]              of function 0 with their types
    v3 = reduce_sum v0 [0]               [...]: a list of integers, :f32: a dtype, @1: function 1
    v7 v8 = scan @1 [1,0,0] #0.0 v0
    ret v3 v7
    --
    { lambda ; ...                       the text
"""
import os
import random
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)                # numbers alone are float64 and int64, as in Kiln
OUT = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "golden", "jaxpr_programs.txt")
SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64", "uint32": "u32",
         "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128"}
LONG = {short: name for name, short in SHORT.items()}
SHAPES = [(), (3,), (2, 3), (3, 3), (4,)]


# --- Programs ------------------------------------------------------------------------------------

class Var:
    def __init__(self, n):
        self.n = n

    def __str__(self):
        return f"v{self.n}"


class Function:
    def __init__(self, number, params):
        self.number, self.params, self.lines, self.results = number, params, [], []

    def text(self, types=None):
        def show(a):
            return str(a) if isinstance(a, (Var,)) else number_text(a)
        head = " ".join(f"{p}:{types[i]}" if types else str(p) for i, p in enumerate(self.params))
        lines = [f"fn {self.number} {head}".rstrip()]
        for outs, op, args in self.lines:
            lines.append(" ".join([*map(str, outs), "=", op, *map(argument_text, args)]))
        lines.append(" ".join(["ret", *map(show, self.results)]))
        return lines


class Dtype(str):
    pass


def number_text(a):
    if isinstance(a, bool):
        return f"#{a}"
    return f"#{a!r}"


def argument_text(a):
    if isinstance(a, (Var,)):
        return str(a)
    if isinstance(a, Function):
        return f"@{a.number}"
    if isinstance(a, Dtype):
        return ":" + str(a)
    if isinstance(a, (list, tuple)):
        return "[" + ",".join(str(int(k)) for k in a) + "]"
    return number_text(a)


class Scope:
    """The variables of a function that is running, and those of the functions around it."""

    def __init__(self, outer=None):
        self.values, self.outer = {}, outer

    def get(self, var):
        scope = self
        while var.n not in scope.values:
            scope = scope.outer
        return scope.values[var.n]


def callable_of(function, outer):
    """The function for Python: one object for each, so that jit knows it again while one program is traced."""
    if not hasattr(function, "made"):
        def run(*args):
            scope = Scope(function.outer_scope)
            for p, a in zip(function.params, args):
                scope.values[p.n] = a
            for outs, op, operands in function.lines:
                step(scope, outs, op, operands)
            results = tuple(scope.get(r) if isinstance(r, Var) else r for r in function.results)
            return results[0] if function.single else results
        run.__name__ = f"f{function.number}"
        function.made = run
    function.outer_scope = outer
    return function.made


def step(scope, outs, op, operands):
    x = [scope.get(a) if isinstance(a, Var) else callable_of(a, scope) if isinstance(a, Function) else a
         for a in operands]
    y = OPS[op](*x)
    y = tuple(y) if isinstance(y, (tuple, list)) else (y,)
    assert len(y) == len(outs), (op, len(y), len(outs))
    for var, value in zip(outs, y):
        scope.values[var.n] = value


# --- Operations: name -> function of operands and parameters -------------------------------------

def flat(y):
    return tuple(jax.tree.leaves(y))


def pads(config):
    return [tuple(config[i:i + 3]) for i in range(0, len(config), 3)]


ROWS = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
TO_ROWS = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
MODES = ["clip", "fill", "promise_in_bounds"]


def scan(body, how, *args):
    n, length, reverse = how
    def step(carry, x):
        y = body(*carry, *(() if x is None else x))
        y = y if isinstance(y, tuple) else (y,)
        return tuple(y[:n]), tuple(y[n:])
    xs = tuple(args[n:]) or None
    return flat(lax.scan(step, tuple(args[:n]), xs, length=length if xs is None else None, reverse=bool(reverse)))


def while_loop(condition, body, *init):
    def tuple_of(y):
        return y if isinstance(y, tuple) else (y,)
    return flat(lax.while_loop(lambda c: condition(*c), lambda c: tuple_of(body(*c)), tuple(init)))


def fori_loop(body, lower, upper, *init):
    def step(i, c):
        y = body(i, *c)
        return y if isinstance(y, tuple) else (y,)
    return flat(lax.fori_loop(lower, upper, step, tuple(init)))


def custom_jvp(f, rule, *args):
    g = jax.custom_jvp(f)
    g.defjvp(rule_of_jvp(rule))
    return flat(g(*args))


def rule_of_jvp(rule):
    def f(primals, tangents):
        y = rule(*primals, *tangents)
        return y[0], y[1]
    f.__name__ = rule.__name__
    return f


def jvp(f, *args):
    n = len(args) // 2
    y, dy = jax.jvp(f, args[:n], args[n:])
    return flat(y) + flat(dy)


def vjp(f, *args):
    y, back = jax.vjp(f, *args[:-1])
    return flat(y) + flat(back(args[-1]))


OPS = {
    "integer_pow": lambda x, n: lax.integer_pow(x, n[0]),
    "round": lambda x, how: lax.round(x, lax.RoundingMethod(how[0])),
    "reduce_precision": lambda x, b: lax.reduce_precision(x, b[0], b[1]),
    "convert_element_type": lambda x, d: lax.convert_element_type(x, LONG[d]),
    "bitcast_convert_type": lambda x, d: lax.bitcast_convert_type(x, LONG[d]),
    "select_n": lambda which, *cases: lax.select_n(which, *cases),
    "optimization_barrier": lambda *x: flat(lax.optimization_barrier(tuple(x))),
    "iota": lambda d, n: lax.iota(LONG[d], n[0]),
    "broadcasted_iota": lambda d, shape, k: lax.broadcasted_iota(LONG[d], tuple(shape), k[0]),
    "full": lambda shape, x: lax.full(tuple(shape), x),
    "full_of": lambda shape, x, d: lax.full(tuple(shape), x, LONG[d]),
    "full_like": lambda x, v: lax.full_like(x, v),
    "broadcast": lambda x, s: lax.broadcast(x, tuple(s)),
    "broadcast_in_dim": lambda x, s, d: lax.broadcast_in_dim(x, tuple(s), tuple(d)),
    "reshape": lambda x, s: lax.reshape(x, tuple(s)),
    "expand_dims": lambda x, d: lax.expand_dims(x, tuple(d)),
    "squeeze": lambda x, d: lax.squeeze(x, tuple(d)),
    "transpose": lambda x, p: lax.transpose(x, tuple(p)),
    "rev": lambda x, d: lax.rev(x, tuple(d)),
    "pad": lambda x, v, c: lax.pad(x, v, pads(c)),
    "concatenate": lambda d, *x: lax.concatenate(x, d[0]),
    "slice": lambda x, a, b, s: lax.slice(x, tuple(a), tuple(b), tuple(s) or None),
    "dynamic_slice": lambda x, sizes, *at: lax.dynamic_slice(x, at, tuple(sizes)),
    "dynamic_update_slice": lambda x, y, *at: lax.dynamic_update_slice(x, y, at),
    "gather": lambda x, i, how: lax.gather(x, i, ROWS, (1, how[0]), mode=MODES[how[1]]),
    "argmax": lambda x, a, d: lax.argmax(x, a[0], LONG[d]),
    "argmin": lambda x, a, d: lax.argmin(x, a[0], LONG[d]),
    "sort": lambda x, a: lax.sort(x, dimension=a[0], is_stable=bool(a[1])),
    "sort_key_val": lambda k, v: lax.sort_key_val(k, v),
    "top_k": lambda x, k: lax.top_k(x, k[0]),
    "dot_general": lambda x, y, a, b: lax.dot_general(x, y, (([a[0]], [b[0]]), ([], []))),
    "linalg_cholesky": lambda x, s: lax.linalg.cholesky(x, symmetrize_input=bool(s[0])),
    "linalg_lu": lambda x: lax.linalg.lu(x),
    "linalg_triangular_solve": lambda a, b, s: lax.linalg.triangular_solve(
        a, b, left_side=bool(s[0]), lower=bool(s[1]), transpose_a=bool(s[2])),
    "reduce_window_sum": lambda x, w, s: lax.reduce_window(x, np.zeros((), x.dtype)[()], lax.add, tuple(w), tuple(s), "VALID"),
    "reduce_window_max": lambda x, w, s: lax.reduce_window(x, np.array(-np.inf, x.dtype)[()], lax.max, tuple(w), tuple(s), "SAME"),
    "call": lambda f, *x: f(*x),
    "jit": lambda f, *x: JIT(f)(*x),
    "cond": lambda p, t, f, *x: lax.cond(p, t, f, *x),
    "switch": lambda i, *rest: lax.switch(i, [f for f in rest if callable(f)], *[x for x in rest if not callable(x)]),
    "scan": scan, "while": while_loop, "fori": fori_loop,
    "custom_jvp": custom_jvp,
    "checkpoint": lambda f, *x: jax.checkpoint(f)(*x),
    "grad": lambda f, *x: jax.grad(f)(*x),
    "value_and_grad": lambda f, *x: flat(jax.value_and_grad(f)(*x)),
    "vmap": lambda f, *x: jax.vmap(f)(*x),
    "jvp": jvp, "vjp": vjp,
}
JITTED = {}


def JIT(f):
    if f not in JITTED:
        JITTED[f] = jax.jit(f)
    return JITTED[f]


UNARY = {"f": "sign floor ceil is_finite exp exp2 expm1 log log1p logistic sin cos tan asin acos atan sinh cosh tanh "
              "asinh acosh atanh sqrt rsqrt cbrt square reciprocal lgamma digamma erf erfc erf_inv bessel_i0e "
              "bessel_i1e abs neg stop_gradient",
         "i": "neg sign abs square bitwise_not population_count clz stop_gradient", "b": "bitwise_not",
         "c": "neg exp sin cos abs real imag conj sqrt log square"}
BINARY = {"f": "add sub mul div rem max min pow atan2 nextafter complex eq ne lt le gt ge igamma igammac zeta",
          "i": "add sub mul div rem max min eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor shift_left "
               "shift_right_arithmetic shift_right_logical",
          "b": "bitwise_and bitwise_or bitwise_xor eq ne", "c": "add sub mul div pow eq ne"}
REDUCE = {"f": "sum prod max min", "i": "sum prod max min and or xor", "b": "and or max min", "c": "sum prod"}
for names in [*UNARY.values(), *BINARY.values()]:
    for name in names.split():
        OPS[name] = getattr(lax, name)
for names in REDUCE.values():
    for name in names.split():
        OPS["reduce_" + name] = (lambda f: lambda x, a: f(x, tuple(a)))(getattr(lax, "reduce_" + name))
for name in "cumsum cumprod cummax cummin cumlogsumexp".split():
    OPS[name] = (lambda f: lambda x, how: f(x, how[0], bool(how[1])))(getattr(lax, name))
for name in "scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max".split():
    OPS[name] = (lambda f: lambda x, i, u: f(x, i, u, TO_ROWS))(getattr(lax, name))
for name in "clamp select betainc".split():
    OPS[name] = getattr(lax, name)


# --- Making them ---------------------------------------------------------------------------------

def kind(t):
    return {"f": "f", "i": "i", "u": "i", "b": "b", "c": "c"}[np.dtype(t.dtype).kind]


class Maker:
    def __init__(self, seed, style):
        self.r, self.style = random.Random(seed), style
        self.n_var, self.functions = 0, []

    def var(self):
        self.n_var += 1
        return Var(self.n_var - 1)

    def function(self, n):
        f = Function(len(self.functions), [self.var() for _ in range(n)])
        f.single = True
        self.functions.append(f)
        return f

    def forget(self):
        """What was traced before has captured other values."""
        JITTED.clear()
        for f in self.functions:
            f.__dict__.pop("made", None)

    # The types of what is in scope: [(atom, ShapeDtypeStruct)].
    def pick(self, env, kinds="f", shape=None, dtype=None):
        fit = [(v, t) for v, t in env if kind(t) in kinds and (shape is None or t.shape == shape) and
               (dtype is None or t.dtype == dtype)]
        if not fit:
            raise LookupError
        return self.r.choice(fit)

    def number(self, k):
        if k == "f":
            return self.r.choice([0.0, 1.0, 2.0, 2.5, -0.5, 0.1, 3.0, 1])
        if k == "i":
            return self.r.choice([0, 1, 2, 3, -1, 5])
        if k == "c":
            return self.r.choice([1.0, 2, 0.5])
        return self.r.choice([True, False])

    def beside(self, env, t):
        """An operand that fits one of type t: a variable of it, a scalar of its dtype, or a number."""
        how = self.r.random()
        if how < 0.4:
            return self.number(kind(t))
        return self.pick(env, kind(t), t.shape if how < 0.8 else (), t.dtype)[0]

    def simple(self, env):
        """One operation: (name, arguments)."""
        r = self.r
        what = r.choice(WEAK if self.style == "weak" else SIMPLE)
        if what == "same":                               # strong, whatever it was
            v, t = self.pick(env, "fi")
            return "convert_element_type", [v, Dtype(SHORT[np.dtype(t.dtype).name])]
        if what == "unary":
            v, t = self.pick(env, "fffibc")
            return r.choice(UNARY[kind(t)].split()), [v]
        if what == "numbers":
            return r.choice([("sin", [r.choice([0.5, 1.0])]), ("add", [2.0, r.choice([3.0, 1])]), ("mul", [2, 3]),
                             ("lt", [1, 2]), ("exp", [1.0]), ("neg", [3])])
        if what == "binary":
            v, t = self.pick(env, "ffiibc")
            y = self.beside(env, t)
            return r.choice(BINARY[kind(t)].split()), [v, y] if r.random() < 0.7 else [y, v]
        if what == "reduce":
            v, t = self.pick(env, "fibc")
            axes = sorted(r.sample(range(len(t.shape)), r.randint(0, len(t.shape))))
            return "reduce_" + r.choice(REDUCE[kind(t)].split()), [v, axes]
        if what == "cumulate":
            v, t = self.pick(env, "fi")
            return r.choice(["cumsum", "cumprod", "cummax", "cummin"]), [v, [r.randrange(max(len(t.shape), 1)), r.random() < 0.3]]
        if what == "convert":
            v, t = self.pick(env, "fib")
            return "convert_element_type", [v, Dtype(r.choice(["f32", "f64", "i32", "f16", "i64", "u8", "bool", "c64"]))]
        return self.shaped(env, what)

    def shaped(self, env, what):
        r = self.r
        v, t = self.pick(env, "ffib" if what not in ("dot", "window", "linalg", "sort") else "f")
        n = len(t.shape)
        if what == "full":
            return r.choice([("full", [list(r.choice(SHAPES)), self.number(r.choice("fi"))]),
                             ("full_of", [list(r.choice(SHAPES)), self.number("f"), Dtype(r.choice(["f32", "i32"]))]),
                             ("full_like", [v, self.number(kind(t))])])
        if what == "iota":
            return r.choice([("iota", [Dtype(r.choice(["i32", "f32"])), [r.randint(1, 4)]]),
                             ("broadcasted_iota", [Dtype("i32"), [2, 3], [r.randint(0, 1)]])])
        if what == "broadcast":
            if n == 1 and r.random() < 0.5:
                return "broadcast_in_dim", [v, [2, *t.shape], [1]]
            return "broadcast", [v, [2]]
        if what == "shape":
            size = int(np.prod(t.shape, dtype=int))
            return r.choice([("reshape", [v, r.choice([[size], [1, size], [size, 1]])]),
                             ("expand_dims", [v, [r.randint(0, n)]]),
                             ("transpose", [v, r.sample(range(n), n)]), ("rev", [v, r.sample(range(n), min(n, 1))]),
                             ("squeeze", [v, [k for k in range(n) if t.shape[k] == 1]])])
        if what == "pad":
            return "pad", [v, self.number(kind(t)), [k for _ in range(n) for k in (r.randint(-1, 2), r.randint(0, 1), r.randint(0, 1))]]
        if what == "join":
            y, _ = self.pick(env, kind(t), t.shape, t.dtype)
            return r.choice([("concatenate", [[r.randrange(max(n, 1))], v, y]),
                             ("optimization_barrier", [v, y])])
        if what == "slice":
            lo = [r.randrange(d) for d in t.shape]
            hi = [r.randint(a + 1, d) for a, d in zip(lo, t.shape)]
            i, _ = self.pick(env, "i", (), np.dtype("int32"))
            sizes = [r.randint(1, d) for d in t.shape]
            return r.choice([("slice", [v, lo, hi, r.choice([[], [2] * n])]),
                             ("dynamic_slice", [v, sizes, *[r.choice([i, 0]) for _ in range(n)]])])
        if what == "choose":
            p, _ = self.pick(env, "b", t.shape if r.random() < 0.5 else ())
            y, _ = self.pick(env, kind(t), t.shape, t.dtype)
            return r.choice([("select", [p, v, y]), ("select_n", [p, v, y]), ("clamp", [self.number(kind(t)), v, y])])
        if what == "dot":
            y, u = self.pick(env, "f", None, t.dtype)
            return "dot_general", [v, y, [r.randrange(max(n, 1))], [r.randrange(max(len(u.shape), 1))]]
        if what == "sort":
            return r.choice([("sort", [v, [r.randrange(max(n, 1)), r.random() < 0.5]]), ("top_k", [v, [2]]),
                             ("argmax", [v, [r.randrange(max(n, 1))], Dtype("i32")])])
        if what == "window":
            return r.choice(["reduce_window_sum", "reduce_window_max"]), [v, [r.randint(1, 2) for _ in range(n)], [1] * n]
        if what == "gather":
            i, _ = self.pick(env, "i", (3, 1))
            return "gather", [v, i, [t.shape[-1] if t.shape else 1, r.randint(0, 2)]]
        if what == "linalg":                             # JAX takes float16 and shapes that Kiln refuses
            v, _ = self.pick(env, "f", (3, 3), np.dtype("float32"))
            return "linalg_lu", [v]                      # the mask of cholesky counts in another integer with x64
        return r.choice([("round", [v, [r.randint(0, 1)]]),
                         ("integer_pow", [v, [r.choice([-1, 0, 1, 2, 3, 5])]]), ("reduce_precision", [v, [5, 3]])])

    def results_of(self, env, op, args):
        """The types that the operation has, or an exception where JAX refuses it."""
        known = {id(v): t for v, t in env}
        self.forget()
        vs = [a for a in args if isinstance(a, Var)]

        def f(*x):
            scope = Scope()
            for v, t in env:
                scope.values[v.n] = jnp.zeros(t.shape, t.dtype)
            for v, y in zip(vs, x):
                scope.values[v.n] = y
            outs = [Var(-1 - k) for k in range(99)]
            y = OPS[op](*[scope.get(a) if isinstance(a, Var) else callable_of(a, scope) if isinstance(a, Function) else a
                          for a in args])
            return tuple(y) if isinstance(y, (tuple, list)) else (y,)
        return [t for t in jax.eval_shape(f, *[known[id(v)] for v in vs])]

    def add(self, f, env, op, args):
        try:
            types = self.results_of(env, op, args)
        except (TypeError, ValueError, IndexError, NotImplementedError, LookupError, AttributeError, ZeroDivisionError):
            return False
        if any(0 in t.shape or len(t.shape) > 4 or np.prod(t.shape) > 64 for t in types):
            return False
        outs = [self.var() for _ in types]
        f.lines.append((outs, op, args))
        env.extend(zip(outs, types))
        return True

    def fill(self, f, env, n, deep):
        made = tries = 0
        while made < n and tries < 400:
            tries += 1
            try:
                if deep > 0 and self.r.random() < {"nested": 0.35, "weak": 0.25}.get(self.style, 0):
                    made += self.nested(f, env, deep - 1)
                else:
                    made += self.add(f, env, *self.simple(env))
            except LookupError:
                pass

    def body(self, params, env, n, deep, results):
        """A function of arguments of these types; `results(inner)` chooses what it returns."""
        before = len(self.functions)
        f = self.function(len(params))
        inner = [*env, *zip(f.params, params)]
        self.fill(f, inner, n, deep)
        try:
            f.results = results(inner[len(env):], inner)
        except LookupError:
            del self.functions[before:]
            raise
        f.single = len(f.results) == 1
        return f

    def like(self, env, t):
        return self.pick(env, kind(t), t.shape, t.dtype)[0]

    def strong(self, t):
        return jax.ShapeDtypeStruct(t.shape, t.dtype)

    def nested(self, f, env, deep):
        r = self.r
        before, n_var = len(self.functions), self.n_var
        op, args = None, None
        try:
            op, args = getattr(self, "make_" + r.choice(NESTED))(env, deep)
            if self.add(f, env, op, args):
                return True
        except LookupError:
            pass
        del self.functions[before:]
        return False

    def some(self, env, n, kinds="fi"):
        return [self.pick(env, kinds) for _ in range(n)]

    def any_results(self, n):
        return lambda own, inner: [self.pick(own if own else inner, "fib")[0] for _ in range(n)]

    def make_jit(self, env, deep):
        chosen = self.some(env, self.r.randint(1, 3))
        g = self.body([t for _, t in chosen], env, self.r.randint(1, 4), deep, self.any_results(self.r.randint(1, 2)))
        return self.r.choice(["jit", "jit", "checkpoint"]), [g, *[v for v, _ in chosen]]

    def make_cond(self, env, deep):
        chosen = self.some(env, self.r.randint(1, 2))
        wanted = [self.strong(chosen[0][1])]
        def results(own, inner):
            return [self.r.choice([self.like(inner, wanted[0]), self.like(own, wanted[0])])]
        n = 2 if self.r.random() < 0.7 else 3
        fs = [self.body([t for _, t in chosen], env, self.r.randint(0, 3), deep, results) for _ in range(n)]
        if n == 2:
            p, _ = self.pick(env, "b", ())
            return "cond", [p, *fs, *[v for v, _ in chosen]]
        i, _ = self.pick(env, "i", (), np.dtype("int32"))
        return "switch", [i, *fs, *[v for v, _ in chosen]]

    def make_scan(self, env, deep):
        r = self.r
        init = [self.pick(env, "fi") if r.random() < 0.7 else (r.choice([0.0, 0, 1.0]), None) for _ in range(r.randint(1, 2))]
        types = [t or jax.ShapeDtypeStruct((), np.float64 if isinstance(v, float) else np.int64) for v, t in init]
        xs = [] if r.random() < 0.3 else [self.pick(env, "fi", (3,))]
        def results(own, inner):
            carry = [self.like(own, t) for t in types]
            return carry + [self.pick(own)[0] for _ in range(r.randint(0, 2))]
        elements = [jax.ShapeDtypeStruct(t.shape[1:], t.dtype) for _, t in xs]
        g = self.body([*types, *elements], env, r.randint(1, 4), deep, results)
        return "scan", [g, [len(types), 0 if xs else 3, r.random() < 0.3], *[v for v, _ in init], *[v for v, _ in xs]]

    def make_while(self, env, deep):
        r = self.r
        v, t = self.pick(env, "fi")
        i, it = self.pick(env, "i", (), np.dtype("int32"))
        types = [self.strong(it), self.strong(t)]
        c = self.body(types, env, 1, 0, lambda own, inner: [self.pick(own, "b", ())[0]])
        b = self.body(types, env, r.randint(1, 3), deep, lambda own, inner: [self.like(own, q) for q in types])
        return "while", [c, b, i, v]

    def make_fori(self, env, deep):
        r = self.r
        v, t = self.pick(env, "fi")
        upper = r.choice([3, self.pick(env, "i", (), np.dtype("int32"))[0]])
        index = jax.ShapeDtypeStruct((), np.int64 if upper == 3 else np.int32)
        b = self.body([index, self.strong(t)], env, r.randint(1, 3), deep, lambda own, inner: [self.like(own, t)])
        return "fori", [b, 0, upper, v]

    def make_custom_jvp(self, env, deep):
        v, t = self.pick(env, "f")
        t = self.strong(t)
        g = self.body([t], [], self.r.randint(1, 3), 0, lambda own, inner: [self.like(own[1:], t)])
        rule = self.body([t, t], [], self.r.randint(2, 3), 0, lambda own, inner: [self.like(own, t), own[1][0]])
        return "custom_jvp", [g, rule, v]

    def make_vmap(self, env, deep):
        v, t = self.pick(env, "f", (2, 3))
        inner = jax.ShapeDtypeStruct(t.shape[1:], t.dtype)
        g = self.body([inner], [], self.r.randint(1, 3), 0, self.any_results(1))
        return "vmap", [g, v]


SIMPLE = ["unary"] * 5 + ["binary"] * 6 + ["reduce"] * 2 + ["numbers", "cumulate", "convert", "full", "iota", "broadcast", "shape",
          "shape", "pad", "join", "slice", "choose", "dot", "sort", "window", "gather", "linalg", "other"]
WEAK = ["numbers", "numbers", "full", "same", "same", "same", "binary", "unary", "choose", "reduce", "shape"]
NESTED = ["jit", "jit", "cond", "scan", "while", "fori", "custom_jvp", "vmap"]
INPUTS = [((), "float32"), ((3,), "float32"), ((2, 3), "float32"), ((), "int32"), ((3,), "int32"), ((3,), "bool"),
          ((), "bool"), ((3, 1), "int32"), ((3,), "complex64"), ((3,), "float16"), ((), "float64"), ((3, 3), "float32")]
# Derivatives: chains of what has one.
SMOOTH = "sin cos tanh exp log logistic sqrt square neg atan sinh erf".split()


def program(seed, style):
    m = Maker(seed, style)
    r = m.r
    types = [jax.ShapeDtypeStruct(*q) for q in r.sample(INPUTS, r.randint(3, 6))]
    top = m.function(len(types))
    env = list(zip(top.params, types))
    m.fill(top, env, r.randint(4, 10), 2)
    made = env[len(types):]
    top.results = [r.choice(made or env)[0] for _ in range(r.randint(1, 3))]
    if r.random() < 0.15:
        top.results.append(r.choice([1.0, 2]))
    top.single = False
    return m, top, types


def smooth(seed, style):
    """A gradient of a chain of elementwise functions of scalars, some of which nothing needs."""
    m = Maker(seed, style)
    r = m.r
    scalar = jax.ShapeDtypeStruct((), np.dtype("float32"))
    top = m.function(2)
    g = m.function(2)
    env = list(zip(g.params, [scalar] * 2))
    for _ in range(r.randint(2, 6)):
        if r.random() < 0.5:
            m.add(g, env, r.choice(SMOOTH), [m.pick(env)[0]])
        else:
            m.add(g, env, r.choice(["add", "sub", "mul", "div"]), [m.pick(env)[0], r.choice([m.pick(env)[0], 2.0, 0.5])])
    g.results = [env[-1][0]]
    outer = list(zip(top.params, [scalar] * 2))
    op = {"gradient": "value_and_grad", "jvp": "jvp"}[style]
    m.add(top, outer, op, [g, *top.params, *(top.params if style == "jvp" else ())])
    top.results = [v for v, _ in outer[2:]]
    top.single = False
    return m, top, [scalar] * 2


def used(function, seen):
    """The functions that this one holds, before it."""
    for _, _, args in function.lines:
        for a in args:
            if isinstance(a, Function):
                used(a, seen)
    if function not in seen:
        seen.append(function)
    return seen


def write(out, number, style, make):
    m, top, types = make
    m.forget()
    run = callable_of(top, Scope())
    text = str(jax.make_jaxpr(run)(*types))
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    if "np.int64(" in text:                              # a slip of its rules for vmap
        raise ValueError("an axis that is no Python integer")
    shown = [f"{SHORT[np.dtype(t.dtype).name]}[{','.join(map(str, t.shape))}]" for t in types]
    out.append(f"== {number} {style}")
    for f in used(top, []):
        out.extend(f.text(shown if f is top else None))
    out.append("--")
    out.extend(text.split("\n"))
    out.append("")


def main():
    out = ["# Made by scripts/golden/make_jaxpr_programs.py with JAX " + jax.__version__ + ": do not edit.", ""]
    kinds = [("plain", 200, program), ("nested", 200, program), ("gradient", 50, smooth), ("jvp", 30, smooth),
             ("weak", 60, program)]
    number, failed = 0, 0
    for style, count, make in kinds:
        done = seed = 0
        while done < count:
            seed += 1
            try:
                write(out, number, style, make(f"{style} {seed}", style))
            except (TypeError, ValueError, NotImplementedError) as e:
                failed += 1
                if os.environ.get("VERBOSE"):
                    print(style, seed, type(e).__name__, str(e)[:200], file=sys.stderr)
                continue
            done += 1
            number += 1
    open(OUT, "w").write("\n".join(out) + "\n")
    print(f"{number} programs, {failed} left out because JAX refuses them")


main()

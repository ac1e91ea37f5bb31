# SPDX-License-Identifier: Apache-2.0
"""What the extension owes to Python: trees without an end are errors, nothing stays alive in cycles, and an exception in
the user's code leaves the library as it was."""
import collections
import gc
import subprocess
import sys
import weakref

import pytest

import kiln
import kiln.numpy as np
from kiln import _core, optim

Point = collections.namedtuple("Point", "x y")


class Itself:
    """A node that is its own child."""


kiln.tree_util.register_pytree_node(Itself, lambda x: ((x,), None), lambda _, c: Itself())


def list_in_itself():
    a = [1.0]
    a.append(a)
    return a


def dict_in_itself():
    d = {"a": 1.0}
    d["d"] = (d,)
    return d


def deep(n, wrap):
    x = 1.0
    for _ in range(n):
        x = wrap(x)
    return x


ENDLESS = {"list": list_in_itself, "dict": dict_in_itself, "node": Itself, "deep list": lambda: deep(20000, lambda x: [x]),
           "deep tuple": lambda: deep(20000, lambda x: (x,)), "deep dict": lambda: deep(20000, lambda x: {"k": x}),
           "deep named tuple": lambda: deep(20000, lambda x: Point(x, None)),
           "ordered": lambda: deep(20000, lambda x: collections.OrderedDict(k=x))}

xs, one = np.ones(3), np.asarray(1.0)
WAYS = {
    "flatten": kiln.tree.flatten, "leaves": kiln.tree.leaves, "structure": kiln.tree.structure,
    "is_leaf": lambda t: kiln.tree.flatten(t, lambda x: False), "map": lambda t: kiln.tree.map(lambda x: x, t),
    "map of two": lambda t: kiln.tree.map(lambda x, y: x, t, t), "path": kiln.tree.flatten_with_path,
    "map_with_path": lambda t: kiln.tree.map_with_path(lambda p, x: x, t), "all": kiln.tree.all,
    "reduce": lambda t: kiln.tree.reduce(lambda a, b: a, t), "broadcast": lambda t: kiln.tree.broadcast(t, t),
    "jit": lambda t: kiln.jit(lambda x: 1.0)(t), "jit result": lambda t: kiln.jit(lambda x: t)(1.0),
    "grad": lambda t: kiln.grad(lambda x: one)(t), "aux": lambda t: kiln.grad(lambda x: (x, t), has_aux=True)(1.0),
    "vmap": lambda t: kiln.vmap(lambda x: 1.0)(t), "vmap result": lambda t: kiln.vmap(lambda x: t)(xs),
    "in_axes": lambda t: kiln.vmap(lambda x: x, in_axes=(t,))(xs), "jvp": lambda t: kiln.jvp(lambda x: x, (t,), (t,)),
    "vjp": lambda t: kiln.vjp(lambda x: x, t), "cotangent": lambda t: kiln.vjp(lambda x: x, 1.0)[1](t),
    "linearize": lambda t: kiln.linearize(lambda x: x, t), "jacrev": lambda t: kiln.jacrev(lambda x: x)(t),
    "checkpoint": lambda t: kiln.checkpoint(lambda x: x)(t), "eval_shape": lambda t: kiln.eval_shape(lambda x: x, t),
    "make_jaxpr": lambda t: kiln.make_jaxpr(lambda x: x)(t), "scan": lambda t: kiln.lax.scan(lambda c, x: (c, x), t, xs),
    "scan result": lambda t: kiln.lax.scan(lambda c, x: (c, t), 1.0, xs), "fori": lambda t: kiln.lax.fori_loop(0, 2, lambda i, x: x, t),
    "while": lambda t: kiln.lax.while_loop(lambda x: False, lambda x: x, t), "cond": lambda t: kiln.lax.cond(True, lambda x: x, lambda x: x, t),
    "switch": lambda t: kiln.lax.switch(0, [lambda x: x, lambda x: x], t), "lax.map": lambda t: kiln.lax.map(lambda x: x, t),
    "associative_scan": lambda t: kiln.lax.associative_scan(lambda a, b: a, t), "optim": lambda t: optim.adam(0.1).init(t),
    "update": lambda t: optim.sgd(0.1).update(t, optim.sgd(0.1).init(1.0)), "apply": lambda t: optim.apply_updates(t, t),
    "norm": optim.global_norm, "ravel": lambda t: kiln.flatten_util.ravel_pytree(t), "block": kiln.block_until_ready,
    "callback": lambda t: kiln.pure_callback(lambda x: x, kiln.ShapeDtypeStruct((), "float64"), t),
    "callback result": lambda t: kiln.pure_callback(lambda x: t, kiln.ShapeDtypeStruct((), "float64"), 1.0),
    "custom_jvp": lambda t: kiln.jit(custom_jvp())(t), "custom_vjp": lambda t: kiln.jit(custom_vjp())(t),
}


def custom_jvp(rule=lambda p, t: (p[0], t[0])):
    f = kiln.custom_jvp(lambda x: x)
    f.defjvp(rule)
    return f


def custom_vjp(forward=lambda x: (x, None), backward=lambda res, g: (g,)):
    f = kiln.custom_vjp(lambda x: x)
    f.defvjp(forward, backward)
    return f


@pytest.mark.parametrize("way", WAYS)
def test_trees_without_an_end(way):
    for name, make in ENDLESS.items():
        with pytest.raises(RecursionError):
            WAYS[way](make())
    assert float(kiln.jit(lambda t: t["a"] + 1)({"a": 1.0})) == 2


def test_a_raised_limit_of_recursion_does_not_crash():
    code = """
import sys, kiln
sys.setrecursionlimit(10**9)
for wrap in (lambda x: [x], lambda x: (x,), lambda x: {"k": x}):
    t = 1
    for _ in range(10**6): t = wrap(t)
    try: kiln.tree.flatten(t)
    except RecursionError as e: print("refused")
t = kiln.tree.structure([0])
try:
    for _ in range(14): t = t.compose(t)
    repr(t)
except RecursionError: print("refused")
"""
    r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert r.returncode == 0 and r.stdout.split() == ["refused"] * 4, r.stderr


def test_a_treedef_that_was_made_higher_up_the_stack():
    leaves, treedef = kiln.tree.flatten(deep(600, lambda x: [x]))

    def below(n, f):
        return below(n - 1, f) if n else f()
    for f in (lambda: treedef.unflatten(leaves), lambda: repr(treedef), lambda: treedef.flatten_up_to(deep(600, lambda x: [x]))):
        with pytest.raises(RecursionError):
            below(sys.getrecursionlimit() - 400, f)
        f()


def test_trees_that_change_while_they_are_flattened():
    for make in (lambda: [1, 2, 3], lambda: {1: 1, 2: 2, 3: 3}):
        t = make()

        def is_leaf(x):
            if type(x) is int:
                t.clear()
            return False
        with pytest.raises(RuntimeError, match="while it was flattened"):
            kiln.tree.flatten(t, is_leaf)


# ---- What stays alive.

class Thing:
    """A function, a value, and whatever else."""

    def __call__(self, *args):
        return args[0] * 2.0 if args else 1.0

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self is other


class Carrier:
    def __init__(self, child, aux):
        self.child, self.aux = child, aux


kiln.tree_util.register_pytree_node(Carrier, lambda c: ((c.child,), c.aux), lambda aux, c: Carrier(*c, aux))


def through_a_treedef(t):
    t.treedef = kiln.tree.structure(Carrier(1, t))


def through_keys(t):
    t.treedef = kiln.tree.structure({t: 1})


def through_a_jitted_function(t):
    t.f = kiln.jit(t)
    t.f(1.0)


def through_statics(t):
    t.f = kiln.jit(lambda x, s: x, static_argnums=1)
    t.f(1.0, t)


def through_aux_data_of_a_jitted_function(t):
    t.f = kiln.jit(lambda c: c.child)
    t.f(Carrier(1.0, t))


def through_the_structure_of_a_result(t):
    t.f = kiln.jit(lambda x: Carrier(x, t))
    t.f(1.0)


def through_transformations(t):
    t.all = [kiln.grad(t), kiln.vmap(t), kiln.jacfwd(t), kiln.hessian(t), kiln.checkpoint(t), kiln.value_and_grad(t)]
    for f in t.all:
        f(xs if f is t.all[1] else 1.0)
    t.more = [kiln.vjp(t, 1.0), kiln.linearize(t, 1.0), kiln.jvp(t, (1.0,), (1.0,)), kiln.make_jaxpr(t)(1.0)]
    t.more[0][1](1.0)


def through_custom_rules(t):
    t.f, t.g = custom_jvp(lambda p, d: (p[0], t(d[0]))), custom_vjp(backward=lambda res, g: (t(g),))
    t.h = [kiln.jit(kiln.grad(t.f)), kiln.jit(kiln.grad(t.g)), kiln.custom_gradient(lambda x: (x, lambda g: t(g)))]
    for f in (*t.h, kiln.grad(t.f), kiln.grad(t.g)):
        f(1.0)


def through_callbacks(t):
    t.f = kiln.jit(lambda x: kiln.pure_callback(t, kiln.ShapeDtypeStruct((), "float64"), x))
    t.f(1.0)
    t.g = kiln.jit(lambda x: (kiln.debug.callback(t, x), x)[1])
    t.g(1.0)
    t.j = kiln.make_jaxpr(t.f)(1.0)
    kiln.vmap(lambda x: kiln.pure_callback(t, kiln.ShapeDtypeStruct((), "float64"), x, vmap_method="sequential"))(xs)
    kiln.pure_callback(t, kiln.ShapeDtypeStruct((), "float64"), 1.0)


def through_loops(t):
    t.all = [kiln.lax.fori_loop(0, 3, lambda i, x: t(x), 1.0), kiln.lax.scan(lambda c, x: (t(c), x), 1.0, xs),
             kiln.lax.while_loop(lambda x: x < 5, t, 1.0), kiln.lax.cond(True, t, lambda x: x, 1.0), kiln.lax.map(t, xs)]


def through_a_loop_of_a_function_of_its_own(t):
    def body(i, x):
        return t(x)
    t.body = body
    for _ in range(3):
        kiln.lax.fori_loop(0, 3, body, 1.0)


def through_an_optimizer(t):
    t.opt = optim.masked(optim.adam(0.1), lambda p: (t, True)[1:])
    t.state = t.opt.init((1.0,))
    t.opt.update((1.0,), t.state)


@pytest.mark.parametrize("through", [v for k, v in list(globals().items()) if k.startswith("through_")],
                         ids=lambda f: f.__name__)
def test_cycles_are_collected(through):
    def make():
        t = Thing()
        through(t)
        return weakref.ref(t)
    gone = [make() for _ in range(2)]
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_treedefs_are_seen_by_the_collector():
    t = Thing()
    treedef = kiln.tree.structure(Carrier(1, t))
    assert gc.is_tracked(treedef) and any(t in r for r in gc.get_referents(treedef) if type(r) is tuple)


def test_callbacks_live_as_long_as_what_calls_them():
    def twice(x):
        return kiln.pure_callback(lambda v: v * 2, kiln.ShapeDtypeStruct((), "float64"), x)
    jaxpr = kiln.make_jaxpr(lambda x: twice(x))(1.0)
    inner = kiln.jit(lambda x: twice(x))
    inner(1.0)
    outer = kiln.jit(lambda x: inner(x) + 1)
    outer(1.0)
    of_jaxpr = kiln.jit(lambda x: jaxpr.eval(x)[0] + 1)
    of_jaxpr(1.0)
    assert float(jaxpr.eval(2.0)[0]) == 4
    del inner, jaxpr
    gc.collect()
    assert float(outer(5.0)) == 11 and float(of_jaxpr(5.0)) == 11


AGAIN = {
    "jit": lambda: kiln.jit(lambda x: x * 2)(xs), "grad": lambda: kiln.grad(lambda x: np.sum(x * x))(xs),
    "value_and_grad": lambda: kiln.value_and_grad(lambda x: np.sum(x * x))(xs), "vmap": lambda: kiln.vmap(lambda x: x * 2)(xs),
    "jvp": lambda: kiln.jvp(lambda x: x * x, (xs,), (xs,)), "vjp": lambda: kiln.vjp(lambda x: x * x, xs)[1](xs),
    "linearize": lambda: kiln.linearize(lambda x: x * x, xs)[1](xs), "jacfwd": lambda: kiln.jacfwd(lambda x: x * x)(xs),
    "jacrev": lambda: kiln.jacrev(lambda x: x * x)(xs), "checkpoint": lambda: kiln.grad(kiln.checkpoint(lambda x: x * x))(1.0),
    "linear_transpose": lambda: kiln.linear_transpose(lambda x: 2 * x, xs)(xs), "custom_jvp": lambda: kiln.grad(custom_jvp())(1.0),
    "custom_vjp": lambda: kiln.grad(custom_vjp())(1.0), "scan": lambda: kiln.lax.scan(lambda c, x: (c + x, c), 0.0, xs),
    "fori_loop": lambda: kiln.lax.fori_loop(0, 3, lambda i, x: x * 2, 1.0), "cond": lambda: kiln.lax.cond(True, lambda x: x, lambda x: -x, 1.0),
    "while_loop": lambda: kiln.lax.while_loop(lambda x: x < 5, lambda x: x * 2, 1.0), "map": lambda: kiln.lax.map(lambda x: x * 2, xs),
    "pure_callback": lambda: kiln.pure_callback(lambda x: x, kiln.ShapeDtypeStruct((), "float64"), 1.0),
    "make_jaxpr": lambda: kiln.make_jaxpr(lambda x: x * 2)(xs), "eval_shape": lambda: kiln.eval_shape(lambda x: x * 2, xs),
}


@pytest.mark.parametrize("name", AGAIN)
def test_no_handle_stays_of_a_thousand_calls(name):
    for _ in range(3):
        AGAIN[name]()
    gc.collect()
    before = _core.live_count()
    for _ in range(1000):
        AGAIN[name]()
    gc.collect()
    assert _core.live_count() == before


# ---- Exceptions in the user's code.

class Mine(Exception):
    pass


class Node:
    """A registered class whose functions raise when they are told to."""
    at, error = None, None

    def __init__(self, x):
        self.x = x


def flatten_node(n):
    if Node.at == "flatten":
        raise Node.error("flatten")
    return (n.x,), Aux()


def unflatten_node(aux, children):
    if Node.at == "unflatten":
        raise Node.error("unflatten")
    return Node(children[0])


class Aux:
    def __eq__(self, other):
        if Node.at == "aux":
            raise Node.error("aux")
        return isinstance(other, Aux)

    def __hash__(self):
        return 0


kiln.tree_util.register_pytree_node(Node, flatten_node, unflatten_node)


class Key:
    """A static argument."""

    def __init__(self, at=None, error=None):
        self.at, self.error = at, error

    def __hash__(self):
        if self.at == "hash":
            raise self.error("hash")
        return 7

    def __eq__(self, other):
        if "eq" in (self.at, getattr(other, "at", None)):
            raise (self.error or other.error)("eq")
        return True


def raises(error):
    def f(*args, **kwargs):
        raise error("here")
    return f


def static_twice(key):
    f = kiln.jit(lambda x, s: x, static_argnums=1)
    f(1.0, Key())
    return f(1.0, key)


def node_at(at, f):
    def run(error):
        Node.at, Node.error = None, error
        args = f()
        Node.at = at
        try:
            args()
        finally:
            Node.at = None
    return run


def known_jit():
    f = kiln.jit(lambda n: Node(n.x * 2.0))
    f(Node(1.0))
    return lambda: f(Node(1.0))


def bad_teller(error):
    class Out:
        def write(self, text):
            raise error("write")

        def flush(self):
            pass
    with kiln.progress("t", file=Out()):
        kiln.lax.scan(lambda c, x: (c, x), 0.0, np.ones(5))[0].block_until_ready()


PLACES = {
    "jit": lambda e: kiln.jit(raises(e))(1.0), "grad": lambda e: kiln.grad(raises(e))(1.0), "vmap": lambda e: kiln.vmap(raises(e))(xs),
    "jvp": lambda e: kiln.jvp(raises(e), (1.0,), (1.0,)), "vjp": lambda e: kiln.vjp(raises(e), 1.0),
    "linearize": lambda e: kiln.linearize(raises(e), 1.0), "hessian": lambda e: kiln.hessian(raises(e))(1.0),
    "linear_transpose": lambda e: kiln.linear_transpose(raises(e), 1.0), "eval_shape": lambda e: kiln.eval_shape(raises(e), 1.0),
    "checkpoint": lambda e: kiln.checkpoint(raises(e))(1.0), "make_jaxpr": lambda e: kiln.make_jaxpr(raises(e))(1.0),
    "nested": lambda e: kiln.jit(kiln.grad(kiln.vmap(kiln.jit(raises(e)))))(1.0 * xs),
    "scan": lambda e: kiln.lax.scan(raises(e), 0.0, xs), "fori": lambda e: kiln.lax.fori_loop(0, 3, raises(e), 0.0),
    "while cond": lambda e: kiln.lax.while_loop(raises(e), lambda x: x, 0.0),
    "while body": lambda e: kiln.lax.while_loop(lambda x: x < 3, raises(e), 0.0),
    "cond": lambda e: kiln.lax.cond(True, lambda x: x, raises(e), 0.0), "lax.map": lambda e: kiln.lax.map(raises(e), xs),
    "switch": lambda e: kiln.lax.switch(1, [lambda x: x, raises(e)], 0.0),
    "associative_scan": lambda e: kiln.lax.associative_scan(raises(e), xs),
    "reduce": lambda e: kiln.lax.reduce(xs, 0.0, raises(e), (0,)),
    "scan in jit": lambda e: kiln.jit(lambda x: kiln.lax.scan(raises(e), x, xs))(0.0),
    "custom_jvp rule": lambda e: kiln.grad(custom_jvp(raises(e)))(1.0),
    "custom_vjp forward": lambda e: kiln.grad(custom_vjp(forward=raises(e)))(1.0),
    "custom_vjp backward": lambda e: kiln.grad(custom_vjp(backward=raises(e)))(1.0),
    "custom rule in jit": lambda e: kiln.jit(kiln.grad(custom_jvp(raises(e))))(1.0),
    "pure_callback": lambda e: kiln.pure_callback(raises(e), kiln.ShapeDtypeStruct((), "float64"), 1.0),
    "pure_callback in jit": lambda e: kiln.jit(lambda x: kiln.pure_callback(
        raises(e), kiln.ShapeDtypeStruct((), "float64"), x))(1.0).block_until_ready(),
    "io_callback": lambda e: kiln.experimental.io_callback(raises(e), kiln.ShapeDtypeStruct((), "float64"), 1.0),
    "debug.callback in scan": lambda e: kiln.block_until_ready(kiln.jit(lambda x: kiln.lax.scan(
        lambda c, v: (kiln.debug.callback(raises(e), v), (c, v))[1], x, xs))(1.0)),
    "hash": lambda e: static_twice(Key("hash", e)), "eq": lambda e: static_twice(Key("eq", e)),
    "flatten": node_at("flatten", lambda: lambda: kiln.jit(lambda n: 1.0)(Node(1.0))),
    "flatten of the result": node_at("flatten", lambda: lambda: kiln.jit(lambda x: Node(x))(1.0)),
    "flatten in grad": node_at("flatten", lambda: lambda: kiln.grad(lambda n: n.x)(Node(1.0))),
    "unflatten": node_at("unflatten", lambda: lambda: kiln.jit(lambda n: 1.0)(Node(1.0))),
    "unflatten of the result": node_at("unflatten", known_jit), "aux eq": node_at("aux", known_jit),
    "unflatten in vmap": node_at("unflatten", lambda: lambda: kiln.vmap(lambda n: n.x)(Node(xs))),
    "aux eq in scan": node_at("aux", lambda: lambda: kiln.lax.scan(lambda c, x: (c, x), Node(1.0), xs)),
    "is_leaf": lambda e: kiln.tree.flatten([1], raises(e)), "map": lambda e: kiln.tree.map(raises(e), [1]),
    "mask": lambda e: optim.masked(optim.sgd(0.1), raises(e)).init(1.0),
}


def whole():
    """The library works, and nothing of a trace is left."""
    assert not _core.tracing()
    assert float(kiln.jit(lambda x: x + 1)(1.0)) == 2 and float(kiln.grad(lambda x: x * x)(3.0)) == 6
    assert np.sum(np.ones(3)).item() == 3 and type(np.ones(2) + 1).__name__ == "Array" and (np.ones(2) + 1).tolist() == [2, 2]
    with pytest.raises(ValueError):
        np.ones(2) + np.ones(3)


@pytest.mark.parametrize("error", [Mine, KeyboardInterrupt, SystemExit, GeneratorExit, RecursionError, MemoryError],
                         ids=lambda e: e.__name__)
@pytest.mark.parametrize("place", PLACES)
def test_exceptions_come_out(place, error):
    gc.collect()
    for _ in range(3):
        with pytest.raises(error) as caught:
            PLACES[place](error)
        assert caught.type is error
    caught = None
    whole()


@pytest.mark.parametrize("place", PLACES)
def test_no_handle_stays_after_an_exception(place):
    def attempt():
        try:
            PLACES[place](Mine)
        except Mine:
            pass
    for _ in range(3):
        attempt()
    gc.collect()
    before = _core.live_count()
    for _ in range(10):
        attempt()
    gc.collect()
    assert _core.live_count() == before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_progress_that_cannot_be_written():
    bad_teller(Mine)  # told as unraisable: what shows progress ends no program
    with pytest.raises(KeyboardInterrupt):
        bad_teller(KeyboardInterrupt)
    whole()


def test_print_to_a_stdout_that_raises(monkeypatch):
    class Out:
        def write(self, text):
            raise Mine("write")
    f = kiln.jit(lambda x: (kiln.debug.print("{}", x), x)[1])
    with monkeypatch.context() as m:
        m.setattr(sys, "stdout", Out())
        with pytest.raises(Mine):
            f(1.0).block_until_ready()
    whole()


def test_destructors_that_use_the_library_while_it_is_in_use():
    done, three = [], np.ones(3)

    class Dies:
        def __del__(self):
            done.append(float(np.sum(three * 2)))
            try:
                kiln.jit(raises(Mine))(1.0)
            except Mine:
                done.append("mine")

    def f(x):
        Dies()
        y = x * 2
        Dies()
        return y
    assert float(kiln.jit(f)(1.0)) == 2 and float(kiln.grad(f)(1.0)) == 2
    assert kiln.vmap(f)(xs).tolist() == [2, 2, 2] and float(kiln.lax.fori_loop(0, 3, lambda i, x: f(x), 1.0)) == 8

    def fails(x):
        d = Dies()
        raise Mine(d)
    for t in (kiln.jit, kiln.grad, kiln.checkpoint):
        with pytest.raises(Mine):
            t(fails)(1.0)
    gc.collect()
    assert done.count("mine") == len(done) // 2 >= 11 and all(x in (6.0, "mine") for x in done)
    whole()


def test_a_destructor_that_raises_is_unraisable(recwarn):
    class Dies:
        def __del__(self):
            raise Mine("del")
    seen, before = [], sys.unraisablehook
    sys.unraisablehook = lambda u: seen.append(u.exc_type)
    try:
        assert float(kiln.jit(lambda x: (Dies(), x)[1])(1.0)) == 1
    finally:
        sys.unraisablehook = before
    assert seen == [Mine]
    whole()


def test_arguments_that_outlive_their_call():
    kept = []
    assert float(kiln.checkpoint(lambda x: kept.append(x) or x * 2)(1.0)) == 2
    assert float(kept[0] + 1) == 2
    kept.clear()
    whole()


def test_an_exception_that_was_caught_inside_is_gone():
    def f(x):
        for place in ("jit", "scan", "vmap", "hash", "custom_jvp rule"):
            try:
                PLACES[place](Mine)
            except Mine:
                x = x + 1
        return x
    assert float(kiln.jit(f)(0.0)) == 5 and float(f(0.0)) == 5 and float(kiln.grad(f)(0.0)) == 1
    whole()

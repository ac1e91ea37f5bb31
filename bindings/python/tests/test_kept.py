# SPDX-License-Identifier: Apache-2.0
"""Loops and branches outside of recordings: their bodies are recorded once, and again as soon as what they do may have
changed. A body that prints tells when it is recorded."""
import collections
import threading
import types
import typing

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import lax

X = np.arange(4.0)
Pair = collections.namedtuple("Pair", "a b")
scale = 2.0


class State(typing.NamedTuple):
    position: object
    speed: object


@pytest.fixture(autouse=True)
def nothing_is_kept():
    from kiln import _kept
    _kept._recordings.clear()


def recordings(capsys):
    return capsys.readouterr().out.count("recorded")


def said(x):
    print("recorded")
    return x


def add(a, b):
    print("recorded")
    return a + b


def step(c, x):
    print("recorded")
    return c + x, np.sin(c)


jitted = kiln.jit(said)


def small(x):
    print("recorded")
    return x < 100


def add_number(i, c):
    print("recorded")
    return c + i


LOOPS = {
    "scan": (lambda: lax.scan(step, np.asarray(0.0), X)[0], 1),
    "scan of a number": (lambda: lax.scan(step, 0, X)[0], 2),  # the first time shows what the number becomes
    "scan without a carry": (lambda: lax.scan(lambda c, x: (None, said(x)), None, X)[1], 1),
    "fori_loop": (lambda: lax.fori_loop(0, 5, add_number, np.asarray(0.0)), 1),
    "while_loop": (lambda: lax.while_loop(small, said, np.asarray(100)), 2),
    "cond": (lambda: lax.cond(True, said, lambda x: x * 2, X), 1),
    "switch": (lambda: lax.switch(1, [said, np.sin, lambda x: x], X), 1),
    "map": (lambda: lax.map(said, X), 1),
    "map in batches": (lambda: lax.map(said, X, batch_size=3), 1),
    "scan of trees": (lambda: lax.scan(lambda c, x: (said({"a": c["a"] + x[0]}), None), {"a": np.asarray(0.0)},
                                       (X, X))[0]["a"], 1),
    "scan of named tuples": (lambda: lax.scan(lambda c, x: (State(said(c.position) + c.speed, c.speed), c.position),
                                              State(X, X), None, length=2)[1], 1),
    "jitted body": (lambda: lax.map(jitted, X), 1),
    "cond of the older form": (lambda: lax.cond(True, X, said, X, said), 2),
}


@pytest.mark.parametrize("name", LOOPS)
def test_recorded_once(name, capsys):
    loop, most = LOOPS[name]
    first = numpy.asarray(loop())
    assert 1 <= recordings(capsys) <= 2 * most
    if name == "scan of a number":
        loop()  # now with the dtype that the first call has shown
        recordings(capsys)
    for _ in range(3):
        numpy.testing.assert_array_equal(numpy.asarray(loop()), first)
    assert recordings(capsys) == 0


def test_associative_scan_is_recorded_once(capsys):
    first = lax.associative_scan(add, X)
    recordings(capsys)
    assert lax.associative_scan(add, X).tolist() == first.tolist() == [0, 1, 3, 6]
    assert recordings(capsys) == 0


def test_a_lambda_made_anew_is_the_same(capsys):
    for k in range(4):
        assert float(lax.scan(lambda c, x: (c + said(x), None), np.asarray(0.0), X)[0]) == 6
        assert recordings(capsys) == (k == 0)


def test_recorded_for_each_type(capsys):
    for x in (X, np.arange(5.0), np.arange(4), X, np.arange(5.0)):
        assert lax.map(said, x).dtype == x.dtype
    assert recordings(capsys) == 2


def test_not_kept_inside_of_recordings(capsys):
    f = kiln.jit(lambda x: lax.map(said, x))
    f(X)
    kiln.jit(lambda x: lax.map(said, x) + 1)(X)
    assert recordings(capsys) == 2


# ---- What changes is seen.

def total(body):
    return float(lax.scan(body, np.asarray(0.0), X)[0])


def both(body, change, before, after):
    """What the body gives before and after the change, each twice."""
    assert [total(body), total(body)] == [before] * 2
    change()
    assert [total(body), total(body)] == [after] * 2


def test_a_global_changes(monkeypatch):
    both(lambda c, x: (c + scale * x, None), lambda: monkeypatch.setitem(globals(), "scale", 3.0), 12, 18)


def test_a_cell_changes():
    k = 2.0

    def change():
        nonlocal k
        k = 5.0

    both(lambda c, x: (c + k * x, None), change, 12, 30)


def test_lambdas_with_different_cells():
    assert [total(lambda c, x: (c + k * x, None)) for k in (1, 2, 1, 3)] == [6, 12, 6, 18]


def test_cells_of_different_types():
    dtypes = [str(lax.map(lambda x: x * k, np.arange(3)).dtype) for k in (1, 1.0, True, 1j, 1)]
    assert dtypes == ["int64", "float64", "int64", "complex128", "int64"]


def test_zeros_of_different_signs():
    assert [float(np.copysign(1.0, lax.map(lambda x: x * 0 + k, np.ones(1)))[0]) for k in (0.0, -0.0)] == [1, 1]
    assert [float(lax.map(lambda x: np.copysign(x, k), np.ones(1))[0]) for k in (0.0, -0.0, 0.0)] == [1, -1, 1]


def test_defaults_change():
    def body(c, x, k=2.0, *, m=1.0):
        return c + k * m * x, None

    both(body, lambda: setattr(body, "__defaults__", (3.0,)), 12, 18)
    both(body, lambda: body.__kwdefaults__.update(m=2.0), 18, 36)


def test_code_changes():
    def body(c, x):
        return c + x, None

    both(body, lambda: setattr(body, "__code__", (lambda c, x: (c + 2 * x, None)).__code__), 6, 12)


def helper(x):
    return x * scale


def test_a_global_of_a_function_that_is_called_changes(monkeypatch):
    both(lambda c, x: (c + helper(x), None), lambda: monkeypatch.setitem(globals(), "scale", 3.0), 12, 18)


def test_a_function_that_is_called_changes(monkeypatch):
    both(lambda c, x: (c + helper(x), None), lambda: monkeypatch.setitem(globals(), "helper", lambda x: x), 12, 6)


def test_a_function_in_a_cell_changes():
    def inner(x):
        return x + k

    k = 1.0
    body = lambda c, x: (c + inner(x), None)
    assert total(body) == 10
    k = 2.0
    assert total(body) == 14


def test_a_builtin_is_hidden(monkeypatch):
    both(lambda c, x: (c + abs(x), None), lambda: monkeypatch.setitem(globals(), "abs", lambda x: -x), 6, -6)


def test_an_attribute_of_a_module_changes(monkeypatch):
    settings = types.ModuleType("settings")
    settings.k = 2.0
    both(lambda c, x: (c + settings.k * x, None), lambda: setattr(settings, "k", 4.0), 12, 24)


def test_a_module_by_another_name():
    settings = types.ModuleType("settings")
    settings.k = 2.0

    def body(c, x):
        s = settings
        return c + s.k * x, None

    both(body, lambda: setattr(settings, "k", 4.0), 12, 24)


def test_an_array_is_written_to():
    w = np.asarray([2.0])
    both(lambda c, x: (c + w[0] * x, None), lambda: w.__setitem__(0, 3.0), 12, 18)


def test_memory_of_numpy_is_written_to():
    a = numpy.asarray([2.0])
    w = np.asarray(a)
    both(lambda c, x: (c + w[0] * x, None), lambda: a.__setitem__(0, 3.0), 12, 18)


def test_an_array_of_numpy_is_written_to():
    a = numpy.asarray([2.0])
    both(lambda c, x: (c + a[0] * x, None), lambda: a.__setitem__(0, 3.0), 12, 18)


def test_an_array_as_default_is_written_to():
    w = np.asarray([2.0])
    both(lambda c, x, w=w: (c + w[0] * x, None), lambda: w.__setitem__(0, 3.0), 12, 18)


@pytest.mark.parametrize("make", [lambda: [2.0], lambda: {0: 2.0}, lambda: ([2.0],), lambda: Pair([2.0], 1)])
def test_a_container_is_written_to(make):
    w = make()
    inner = w[0] if isinstance(w, tuple) else w
    first = (lambda: w[0][0]) if isinstance(w, tuple) else (lambda: w[0])
    both(lambda c, x: (c + first() * x, None), lambda: inner.__setitem__(0, 3.0), 12, 18)


def test_an_attribute_of_an_object_changes():
    class Settings:
        k = 2.0

        def body(self, c, x):
            return c + self.k * x, None

    s = Settings()
    both(lambda c, x: (c + s.k * x, None), lambda: setattr(s, "k", 3.0), 12, 18)
    both(s.body, lambda: setattr(s, "k", 2.0), 18, 12)


def test_an_attribute_of_a_function_changes():
    def f(x):
        return x * f.k

    f.k = 2.0
    both(lambda c, x: (c + f(x), None), lambda: setattr(f, "k", 3.0), 12, 18)


def test_a_body_that_writes_to_its_cell():
    n = 0

    def body(c, x):
        nonlocal n
        n += 1
        return c + n * x, None

    assert [total(body) for _ in range(3)] == [6, 12, 18]


def test_a_generator_in_a_cell():
    numbers = iter(range(1, 4))
    assert [total(lambda c, x: (c + next(numbers) * x, None)) for _ in range(3)] == [6, 12, 18]


def test_files_change(tmp_path):
    numpy.save(tmp_path / "k.npy", 2.0)
    path = str(tmp_path / "k.npy")
    both(lambda c, x: (c + np.load(path) * x, None), lambda: numpy.save(path, 3.0), 12, 18)


@pytest.mark.parametrize("wrap", [
    lambda f: kiln.vmap(f), lambda f: kiln.checkpoint(f), lambda f: (lambda x: kiln.vmap(f)(x)),
    lambda f: (lambda x: kiln.jvp(f, (x,), (x,))[0]), lambda f: kiln.custom_vjp(f).fun])
def test_what_a_transformed_function_reads_changes(wrap):
    k = 2.0
    f = wrap(lambda x: x * k)
    loop = lambda: float(lax.map(f, np.ones((1, 1)))[0, 0])
    assert [loop(), loop()] == [2, 2]
    k = 3.0
    assert [loop(), loop()] == [3, 3]


def test_members_of_a_named_tuple_change(monkeypatch):
    class Point(typing.NamedTuple):
        a: object
        b: object

    body = lambda c, x: (Point(c.a + c.b * x, c.b), None)
    loop = lambda: float(lax.scan(body, Point(np.asarray(0.0), np.asarray(2.0)), X)[0].a)
    assert [loop(), loop()] == [12, 12]
    monkeypatch.setattr(Point, "b", property(lambda p: 3.0))
    assert loop() == 18


def test_methods_of_a_named_tuple_change():
    class Point(typing.NamedTuple):
        a: object

        def moved(self, x):
            return Point(self.a + scale * x)

    body = lambda c, x: (c.moved(x), None)
    loop = lambda: float(lax.scan(body, Point(np.asarray(0.0)), X)[0].a)
    assert loop() == 12
    Point.moved = lambda self, x: Point(self.a + x)
    assert loop() == 6


def test_an_attribute_of_a_key_changes():
    class Key:
        k = 2.0

        def __lt__(self, other):
            return False

    key = Key()
    body = lambda c, x: ({n: v + n.k * x for n, v in c.items()}, None)
    loop = lambda: float(lax.scan(body, {key: np.asarray(0.0)}, X)[0][key])
    assert loop() == 12
    key.k = 3.0
    assert loop() == 18


def test_keys_that_are_equal_are_not_the_same():
    loop = lambda k: lax.map(lambda d: {n: v * n for n, v in d.items()}, {k: np.arange(2)})
    for k, dtype in [(1, "int64"), (1.0, "float64"), (True, "int64"), (1, "int64")]:
        (got, x), = loop(k).items()
        assert (type(got), x.dtype) == (type(k), dtype)
    for k in (0.0, -0.0):
        assert str(*loop(k)) == str(k)


@pytest.mark.parametrize("aux", [[1.0], numpy.ones(3)])
def test_data_of_a_class_may_be_anything(aux):
    class Node:
        def __init__(self, x, aux):
            self.x, self.aux = x, aux

    kiln.tree_util.register_pytree_node(Node, lambda n: ((n.x,), n.aux), lambda aux, c: Node(c[0], aux))
    f = lambda n: n.x * n.aux[0]
    for k in (1, 2):
        aux = aux * 1
        aux[0] = k
        assert lax.map(f, Node(X, aux)).tolist() == [0, k, 2 * k, 3 * k]


def test_ranges_of_the_same_numbers_are_not_the_same():
    assert [int(lax.map(lambda x: x + r.stop, np.zeros(1))[0]) for r in (range(0, 3, 2), range(0, 4, 2))] == [3, 4]


def test_a_class_that_says_it_is_the_languages_own():
    class Error(Exception):
        __module__ = "builtins"
        k = 2.0

    both(lambda c, x: (c + Error.k * x, None), lambda: setattr(Error, "k", 3.0), 12, 18)


@pytest.mark.parametrize("members", [{}, {"_field_defaults": {}}, {"_field_defaults": {}, "__new__": tuple.__new__}])
def test_a_tuple_with_fields_that_is_no_named_tuple(members):
    pair = type("pair", (tuple,), {"_fields": ("a", "b"), **members})
    k = pair((2.0, 1))
    for _ in range(2):
        assert total(lambda c, x: (c + k[0] * x, None)) == 12
        assert lax.map(lambda x: x * isinstance((x,), pair), X).tolist() == [0] * 4


@pytest.mark.parametrize("name", [None, 1, [], "kiln"])
def test_globals_of_any_name(name):
    names = {"__name__": name, "k": 2.0}
    both(eval("lambda c, x: (c + k * x, None)", names), lambda: names.update(k=3.0), 12, 18)


def test_attributes_by_a_format(monkeypatch):
    both(lambda c, x: (c + float("{.__globals__[scale]}".format(said)) * x, None),
         lambda: monkeypatch.setitem(globals(), "scale", 3.0), 12, 18)


def test_functions_that_call_functions_many_times_over():
    names = {}
    exec("f0 = lambda x: x\n" + "\n".join(f"f{i + 1} = lambda x: f{i}(x)" for i in range(600)), names)
    for _ in range(2):
        assert lax.map(names["f600"], X).tolist() == X.tolist()


def test_another_thread_puts_out_what_is_used(monkeypatch):
    from kiln import _kept
    fits = _kept._Kept.fits
    loop = lambda: total(lambda c, x: (c + x, None))
    assert loop() == 6
    monkeypatch.setattr(_kept._Kept, "fits", lambda *a: (_kept._recordings.clear(), fits(*a))[1])
    assert loop() == 6
    monkeypatch.setattr(_kept._Kept, "fits", lambda *a: (_kept._recordings.clear(), False)[1])
    assert loop() == 6


def test_two_functions_of_one_code_are_told_apart():
    def times(k):
        return lambda x: x * k

    loop = lambda *ks: [float(lax.switch(i, [times(k) for k in ks], np.asarray(1.0))) for i in range(len(ks))]
    assert [loop(1, 2), loop(2, 1), loop(1, 2)] == [[1, 2], [2, 1], [1, 2]]


def test_a_recursion_of_names(monkeypatch):
    both(lambda c, x: (c + even(4) * x, None), lambda: monkeypatch.setitem(globals(), "last", 3.0), 6, 18)


last = 1.0


def even(n):
    return last if n == 0 else odd(n - 1)


def odd(n):
    return 0.0 if n == 0 else even(n - 1)


# ---- Results and errors are those of a recording.

def test_numbers_as_carries():
    f = lambda c, x: (c + x, c)
    for init, x, want in [(0, np.arange(3.0), "float64"), (0, np.arange(3), "int64"), (0.0, np.arange(3), "float64"),
                          (0, np.arange(3, dtype="float32"), "float32"), (1j, np.arange(3.0), "complex128"),
                          (0, np.arange(3, dtype="int8"), "int8"), (True, np.ones(3, dtype="bool"), "bool")]:
        for _ in range(3):
            assert str(lax.scan(f, init, x)[0].dtype) == want, (init, x)


def test_a_number_follows_the_default_float():
    loop = lambda: str(lax.fori_loop(0, 3, lambda i, c: c * 0.5, 1.0).dtype)
    assert loop() == loop() == "float64"
    with kiln.default_float("float32"):
        assert loop() == loop() == "float32"
    assert loop() == "float64"


def test_a_number_that_does_not_fit():
    f = lambda c, x: (c + x, None)
    x = np.arange(3, dtype="int8")
    assert int(lax.scan(f, 100, x)[0]) == int(lax.scan(f, 100, x)[0]) == 103
    for _ in range(2):
        with pytest.raises(OverflowError):
            lax.scan(f, 300, x)


def test_a_structure_that_depends_on_the_types(capsys):
    f = lambda x: (said(x), x) if x.ndim else {"a": said(x)}
    for _ in range(2):
        assert isinstance(lax.map(f, np.ones((2, 2))), tuple)
        assert list(lax.map(f, np.ones(2))) == ["a"]
    assert recordings(capsys) == 4


def test_errors_of_a_body_name_the_loop():
    def body(c, x):
        return (c, x) if c > 0 else (x, c)

    for _ in range(2):
        with pytest.raises(kiln.errors.ConcretizationTypeError, match="body is traced by scan"):
            lax.scan(body, np.asarray(0.0), X)


def test_an_exception_comes_each_time():
    def body(c, x):
        raise KeyError("no")

    for _ in range(2):
        with pytest.raises(KeyError, match="no"):
            lax.scan(body, np.asarray(0.0), X)


def test_writing_to_the_carry_is_the_same_error():
    def body(c, x):
        c += x
        return c, None

    for _ in range(2):
        with pytest.raises(kiln.errors.MutationError if hasattr(kiln.errors, "MutationError") else Exception,
                           match="under scan"):
            lax.scan(body, np.asarray(0.0), X)


def test_errors_of_numbers_come_each_time():
    f = lambda x: np.linalg.inv(x)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            kiln.block_until_ready(lax.map(f, np.zeros((2, 2, 2))))
    assert lax.map(f, np.eye(2)[None]).tolist() == [[[1, 0], [0, 1]]]


def test_callbacks_run_each_time():
    seen = []

    def body(c, x):
        kiln.debug.callback(seen.append, x)
        return c, None

    for _ in range(2):
        kiln.block_until_ready(lax.scan(body, np.asarray(0.0), X))
    assert [float(x) for x in seen] == [0, 1, 2, 3] * 2


def test_threads_with_closures_of_their_own():
    wrong = []

    def work(k):
        for i in range(50):
            n = 2 + (i + k) % 3
            got = float(lax.scan(lambda c, x: (c + k * x, None), np.asarray(0.0), np.arange(float(n)))[0])
            if got != k * n * (n - 1) / 2:
                wrong.append((k, n, got))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_what_is_kept_is_bounded():
    from kiln import _kept
    for i in range(2 * _kept._MOST):
        f = eval(f"lambda x: x + {i}")
        assert float(lax.map(f, np.ones(1))[0]) == i + 1
    assert len(_kept._recordings) <= _kept._MOST


def test_functions_are_not_kept_alive():
    import gc
    import weakref

    def body(x):
        return x + k

    k = 1.0
    alive = weakref.ref(body)
    lax.map(body, X)
    del body
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("wrap", [kiln.jit, kiln.grad, kiln.value_and_grad, kiln.jacfwd])
def test_transformed_functions_are_kept(wrap, capsys):
    f = wrap(lambda x: said(x) * 2.0)
    loop = lambda: lax.map(f, np.ones(2))
    loop()
    assert recordings(capsys) > 0
    loop()
    assert recordings(capsys) == 0


def test_mapped_functions_are_kept(capsys):
    f = kiln.vmap(lambda x: said(x) * 2.0)
    for k in range(2):
        assert lax.map(f, np.ones((2, 1))).tolist() == [[2], [2]]
        assert (recordings(capsys) > 0) == (k == 0)

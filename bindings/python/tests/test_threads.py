# SPDX-License-Identifier: Apache-2.0
"""Threads, processes, interrupts, the end of the interpreter, and that nothing stays."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import _core


def in_threads(n, f):
    """Runs f(i) in n threads; the exceptions."""
    errors, begin = [], threading.Barrier(n)

    def run(i):
        begin.wait()
        try:
            f(i)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not any(t.is_alive() for t in threads)
    return errors


def child(code, *, timeout=60, **kw):
    """What a Python of its own prints."""
    r = subprocess.run(
        [sys.executable, "-c", "import kiln, kiln.numpy as np\n" + code],
        capture_output=True,
        text=True,
        timeout=timeout,
        **kw,
    )
    assert r.returncode == 0, (r.returncode, r.stdout, r.stderr)
    return r.stdout


# ---- Threads.


def test_several_threads_call():
    def f(i):
        x = np.arange(50.0) + i
        for k in range(30):
            assert np.sum(x * 2 + k).item() == 2 * (1225 + 50 * i) + 50 * k

    assert in_threads(6, f) == []


def test_several_threads_trace_and_derive():
    def f(i):
        for k in range(4):
            g = kiln.jit(kiln.value_and_grad(lambda x: np.sum(x**2) * (i + k)))
            value, grad = g(numpy.arange(4.0))
            assert value.item() == 14 * (i + k) and grad.tolist() == [0, 2 * (i + k), 4 * (i + k), 6 * (i + k)]

    assert in_threads(5, f) == []


def test_one_function_is_called_by_all():
    @kiln.jit
    def g(x):
        return np.sin(x) * 2

    want = numpy.sin(numpy.arange(10.0)) * 2

    def f(i):
        for _ in range(50):
            assert numpy.allclose(numpy.asarray(g(numpy.arange(10.0))), want)

    assert in_threads(6, f) == []


def test_exceptions_go_to_the_thread_that_raised_them():
    def f(i):
        def bad(x):
            time.sleep(0.001)  # the others go on
            raise KeyError(i)

        for _ in range(10):
            with pytest.raises(KeyError) as e:
                kiln.jit(bad)(1.0)
            assert e.value.args == (i,)
            with pytest.raises(ValueError, match=f"shape.*{i + 2}|broadcast"):
                np.ones(i + 2) + np.ones(i + 3)
            assert np.sum(np.ones(3)).item() == 3

    assert in_threads(5, f) == []


def test_objects_die_in_other_threads():
    gc.collect()
    before = _core.live_count()
    queue = [[np.arange(10.0) + i for i in range(200)] for _ in range(4)]

    def f(i):
        if i < 4:
            while queue[i]:
                queue[i].pop()
        else:
            for _ in range(200):
                np.sum(np.arange(20.0)).item()

    assert in_threads(8, f) == []
    gc.collect()
    np.zeros(1)
    assert _core.live_count() == before


def test_arrays_of_threads_that_ended_live_on():
    made = []
    for _ in range(20):
        t = threading.Thread(target=lambda: made.append(np.arange(5.0) * 2))
        t.start()
        t.join()
    assert all(x.tolist() == [0, 2, 4, 6, 8] for x in made)


def test_other_threads_run_while_a_large_operation_does():
    x = np.asarray(numpy.random.default_rng(0).normal(size=(700, 700)))
    count, stop = [0], threading.Event()

    def counts():
        while not stop.is_set():
            count[0] += 1

    def counted_during(work):
        before, begin = count[0], time.perf_counter()
        work()
        return count[0] - before > 1000 * (time.perf_counter() - begin)

    t = threading.Thread(target=counts)
    t.start()
    try:
        for work in (
            lambda: (x @ x @ x).block_until_ready(),
            lambda: np.sort(x @ x, axis=0).block_until_ready(),
            lambda: float(np.sum(np.exp(x @ x * 0))),
        ):
            # a system whose processors are all busy may not let the other thread run for as long as one of them takes
            assert any(counted_during(work) for _ in range(100))
    finally:
        stop.set()
        t.join()


# ---- Processes.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_goes_on():
    print(child("""
import os, sys
x = np.arange(10.0) * 2
f = kiln.jit(lambda t: np.sum(t * t))
f(x)
pids = []
for i in range(5):
    pid = os.fork()
    if not pid:
        ok = float(f(x + i)) == sum((2 * k + i) ** 2 for k in range(10))
        ok = ok and float(np.sum(np.ones((300, 300)) @ np.ones((300, 300)))) == 300.0 ** 3
        os._exit(0 if ok else 1)
    pids.append(pid)
assert [os.waitpid(p, 0)[1] for p in pids] == [0] * 5
assert float(f(x)) == 1140
"""))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_fork_while_other_threads_compute():
    child("""
import os, threading, warnings
warnings.simplefilter("ignore")
stop = threading.Event()
def work():
    x = np.ones((50, 50))
    while not stop.is_set():
        float(np.sum(x @ x))
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
try:
    for i in range(5):
        pid = os.fork()
        if not pid:
            os._exit(0 if float(np.sum(np.arange(10.0))) == 45 else 1)
        assert os.waitpid(pid, 0)[1] == 0
finally:
    stop.set()
    for t in threads: t.join()
""")


def test_fork_inside_of_a_traced_function():
    child("""
import os
@kiln.jit
def f(x):
    pid = os.fork()
    if not pid:
        os._exit(0 if float(np.sum(np.arange(3.0))) == 3 else 1)
    assert os.waitpid(pid, 0)[1] == 0
    return x * 2
assert float(f(2.0)) == 4
""")


def square(x):
    return x * x


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method}")
    np.sum(np.ones(3)).item()
    with multiprocessing.get_context(method).Pool(2) as pool:
        got = pool.map(square, [np.arange(3.0) + i for i in range(4)])
    assert [x.tolist() for x in got] == [[i * i, (i + 1) ** 2, (i + 2) ** 2] for i in range(4)]


# ---- Interrupts.


def interrupted_after(seconds, code):
    return child(f"""
import os, signal, threading, time
threading.Timer({seconds}, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.perf_counter()
try:
{code}
    print("went on")
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - begin)
assert np.sum(np.arange(4.0)).item() == 6
assert kiln.jit(lambda x: x + 1)(1.0).item() == 2
""")


@pytest.mark.parametrize(
    "code",
    [
        "    while True: np.sum(np.arange(10.0)).item()",
        "    x = np.ones((300, 300))\n    while True: x = (x @ x) * 0 + 1",
        "    x = np.ones(1000)\n    while True: x = np.sort(-x)",
    ],
)
def test_loops_of_python_are_interrupted(code):
    out = interrupted_after(0.5, code)
    assert "interrupted" in out and float(out.split()[1]) < 10


def test_a_long_program_is_interrupted():
    out = interrupted_after(
        0.7,
        """
    def f(x):
        for _ in range(1000):
            x = np.sort(x @ x * 0 - x, axis=0)
        return x
    x = kiln.jit(f)(np.ones((500, 500))).block_until_ready()""",
    )
    assert "interrupted" in out and float(out.split()[1]) < 20


@pytest.mark.parametrize(
    "code",
    [
        "    kiln.jit(endless)(1.0).item()",
        "    endless(1.0).item()",
        "    kiln.jit(kiln.vmap(endless))(np.arange(1000.0)).block_until_ready()",
        "    kiln.jit(kiln.vmap(endless))(np.arange(1e6)).block_until_ready()",
        "    many = kiln.vmap(kiln.vmap(endless))\n    f = kiln.jit(lambda x: np.tanh(many(x) - 1) @ np.ones((256, 256)))\n"
        "    f(np.ones((4096, 256))).block_until_ready()",
        "    kiln.jit(lambda x: lax.fori_loop(0, 10, lambda i, y: endless(y) + i, x))(1.0).item()",
        "    kiln.jit(lambda x: lax.fori_loop(0, 10**13, lambda i, y: y * 0.5 + 1, x))(1.0).item()",
        "    lax.while_loop(lambda x: x == x, lambda x: lax.fori_loop(0, 3, lambda i, y: y * 0.5 + i, x), 1.0).item()",
        "    kiln.grad(lambda x: lax.scan(lambda c, t: (c * 0.5 + x, None), 1.0, None, length=10**12)[0])(1.0).item()",
    ],
)
def test_a_compiled_loop_is_interrupted(code):
    endless = "    from kiln import lax\n    endless = lambda x: lax.while_loop(lambda y: y >= 0, lambda y: y * 0.5 + 1, x)\n"
    out = interrupted_after(0.7, endless + code)
    assert "interrupted" in out and float(out.split()[1]) < 10


def test_a_compiled_loop_goes_on_after_a_signal_handler():
    out = child("""
import signal
from kiln import lax
heard = []
signal.signal(signal.SIGALRM, lambda *a: heard.append(len(heard)))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
x = kiln.jit(lambda x: lax.fori_loop(0, 10**8, lambda i, y: y * 5 + 1, x))(np.uint32(12345)).item()
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(heard) > 1, x)
""")
    x, by, plus = 12345, 5, 1  # by squaring: n steps at once are x -> by x + plus
    for bit in range(27):
        if 10**8 >> bit & 1:
            x = (x * by + plus) % 2**32
        by, plus = by * by % 2**32, (by + 1) * plus % 2**32
    assert out.split() == ["True", str(x)]


def test_a_signal_handler_that_returns_lets_go_on():
    out = child("""
import signal
heard = []
signal.signal(signal.SIGALRM, lambda *a: heard.append(len(heard)))
def f(x):
    for _ in range(300):
        x = np.sort(x @ x * 0 - x, axis=0)
    return x
f = kiln.jit(f)
f(np.ones((300, 300))).block_until_ready()
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
x = f(np.ones((300, 300))).block_until_ready()
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(heard) > 1, float(np.sum(np.abs(x))))
""")
    assert out.split() == ["True", "90000.0"]


# ---- The end.


def test_arrays_alive_at_the_end():
    assert child("""
import threading, time
x = np.arange(10.0)
y = x * 2  # waits
f = kiln.jit(lambda t: t + 1)
f(x)
m = memoryview(x)
class Keeps:
    def __init__(self): self.x = np.ones(3)
    def __del__(self): self.x * 2
k = Keeps(); k.k = k
threading.Thread(target=lambda: [float(np.sum(np.ones(10))) for _ in range(10**9)], daemon=True).start()
time.sleep(0.1)
print("done")
""") == "done\n"


def test_subinterpreters_are_refused():
    code = "import kiln"
    if sys.version_info < (3, 12):
        interpreters = pytest.importorskip("_xxsubinterpreters")
    else:
        interpreters = pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    paths = [p for p in sys.path if p]
    out = child(f"""
import {interpreters.__name__} as interpreters
i = interpreters.create()
e = None
try:
    e = interpreters.run_string(i, "import sys; sys.path[:0] = {paths!r}; import kiln")
except Exception as error:
    e = error
print(e)
""")
    assert "subinterpreter" in out and "main interpreter" in out or "does not support loading in subinterpreters" in out


def test_a_second_load_is_refused():
    assert child("""
import sys
for name in [n for n in sys.modules if n.startswith("kiln")]:
    del sys.modules[name]
try:
    import kiln
except ImportError as e:
    print(e)
""") == "cannot load kiln more than once per process\n"


# ---- What stays.

CALLS = [
    lambda x: x + 1,
    lambda x: 2 * x - x,
    lambda x: x @ x,
    lambda x: x[1:, ::2],
    lambda x: x[x > 1],
    lambda x: x.T.sum(axis=0),
    lambda x: np.concatenate([x, x]),
    lambda x: np.split(x, 2),
    lambda x: np.unique(x),
    lambda x: np.linalg.eigh(x) if hasattr(np, "linalg") else np.cumsum(x),
    lambda x: x.tolist(),
    lambda x: repr(x),
    lambda x: kiln.grad(lambda t: np.sum(t * t))(x),
    lambda x: kiln.vmap(lambda t: t * 2)(x),
    lambda x: kiln.jit(lambda t: t * 2)(x),
    lambda x: x.__setitem__(0, 5.0),
    lambda x: list(x),
    lambda x: np.sort(x, axis=0),
    lambda x: float(x[0, 0]),
    lambda x: numpy.asarray(x) + x,
    lambda x: kiln.jvp(np.sin, (x,), (x,)),
    lambda x: kiln.vjp(np.sin, x)[1](x),
    lambda x: x.astype("float32"),
]


def attempt(f, x):
    try:
        f(x)
    except Exception:
        pass


@pytest.mark.parametrize("i", range(len(CALLS)))
def test_no_handle_stays(i):
    x = np.arange(16.0).reshape(4, 4)
    for _ in range(3):
        attempt(CALLS[i], x)
    gc.collect()
    before = _core.live_count()
    for _ in range(20):
        attempt(CALLS[i], x)
    gc.collect()
    assert _core.live_count() == before


FAILING = [
    lambda x: x + np.ones(7),
    lambda x: x[9],
    lambda x: np.reshape(x, (3, 3)),
    lambda x: np.concatenate([x, np.ones(2)]),
    lambda x: kiln.jit(lambda t: 1 / 0)(x),
    lambda x: kiln.grad(lambda t: t)(x),
    lambda x: np.sum(x, axis=7),
    lambda x: x.__setitem__(0, np.ones(9)),
    lambda x: np.sin("a"),
    lambda x: np.array([[1], [1, 2]]),
    lambda x: kiln.vmap(lambda t: t + np.ones(9))(x),
    lambda x: kiln.jit(lambda t: float(t[0, 0]))(x),
]


@pytest.mark.parametrize("i", range(len(FAILING)))
def test_no_handle_stays_after_an_error(i):
    x = np.arange(16.0).reshape(4, 4)
    for _ in range(3):
        attempt(FAILING[i], x)
    gc.collect()
    before = _core.live_count()
    for _ in range(20):
        attempt(FAILING[i], x)
    gc.collect()
    assert _core.live_count() == before
    assert np.sum(x).item() == 120


def test_python_memory_stays_as_it_is():
    x = np.arange(16.0).reshape(4, 4)
    f = kiln.jit(lambda t: np.sum(t * 2))

    def work():
        for _ in range(200):
            f(x), x + 1, x[1:], numpy.asarray(x), np.sum(x).item(), repr(x[0])

    work()
    gc.collect()
    tracemalloc.start()
    work()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        work()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 20000


def test_jitted_functions_are_collected():
    gc.collect()
    before = _core.live_count()

    def make():
        def f(x):
            return f.factor * x

        f.factor = 3.0
        g = kiln.jit(f)
        f.self = g  # a cycle
        assert g(2.0).item() == 6
        return weakref.ref(f)

    gone = [make() for _ in range(10)]
    gc.collect()
    assert all(r() is None for r in gone)
    assert _core.live_count() == before

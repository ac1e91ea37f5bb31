# SPDX-License-Identifier: Apache-2.0
"""np.nditer, np.nested_iters, np.broadcast, np.ndindex, Arrayterator and views with strides go as NumPy's do."""
import gc
import itertools

import numpy
import pytest

import kiln
import kiln.numpy as knp


def plain(o):
    """Arrays and what holds them, as lists."""
    if hasattr(o, "tolist"):
        return o.tolist()
    return [plain(i) for i in o] if isinstance(o, (tuple, list)) else o


def outcome(f, np):
    try:
        return plain(f(np))
    except Exception as e:
        return type(e).__name__


def agree(f):
    expected, got = outcome(f, numpy), outcome(f, knp)
    assert got == expected


ARRAYS = {
    "c": lambda np: np.arange(6.0).reshape(2, 3),
    "f": lambda np: np.asarray(np.arange(6.0).reshape(3, 2).T),
    "turned": lambda np: np.arange(12).reshape(2, 2, 3)[:, ::-1, ::2],
    "row": lambda np: np.arange(3, dtype="int32"),
    "scalar": lambda np: np.asarray(7),
    "empty": lambda np: np.zeros((2, 0, 3)),
    "big": lambda np: np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
}
ORDERS = ["C", "F", "A", "K"]
FLAGS = [[], ["external_loop"], ["multi_index"], ["c_index"], ["f_index"], ["buffered"], ["buffered", "external_loop"],
         ["buffered", "external_loop", "growinner"]]


@pytest.mark.parametrize("name, order, flags", list(itertools.product(ARRAYS, ORDERS, FLAGS)))
def test_one_operand(name, order, flags):
    def walk(np):
        it = np.nditer(ARRAYS[name](np), flags=[*flags, "zerosize_ok"], order=order, buffersize=4)
        seen = []
        while not it.finished:
            seen.append([it[0].copy(), it.multi_index if it.has_multi_index else None,
                         it.index if it.has_index else None])
            it.iternext()
        return seen, it.ndim if seen else 0, it.itersize, it.nop, it.has_index, it.has_multi_index, [d.name for d in it.dtypes]
    agree(walk)


LINES = """
[x.item() for x in np.nditer(a)]
[x.item() for x in np.nditer(a.T, order="C")]
[(x.item(), y.item()) for x, y in np.nditer([a, b])]
[(x.item(), y.item()) for x, y in np.nditer((a, 3))]
[x.item() for x in np.nditer([1, 2, 3])]
[x.tolist() for x in np.nditer(a, flags=["external_loop"], order="F")]
np.nditer(a, flags=["multi_index"]).multi_index
np.nditer(a).multi_index
np.nditer(a).index
np.nditer(a, flags=["nonsense"])
np.nditer(a, flags="buffered")
np.nditer([])
np.nditer(a, op_flags=["nonsense"])
np.nditer(a, op_flags=[["readwrite"], ["readonly"]])
np.nditer(a, order="X")
np.nditer(a, casting="X")
np.nditer(a, op_dtypes=["float32"])
np.nditer(a, op_dtypes=["float32"], flags=["buffered"])
np.nditer(a, op_dtypes=["float32"], flags=["buffered"], casting="same_kind").dtypes[0].name
[x.dtype.name for x in np.nditer(i, op_dtypes=["float64"], flags=["buffered"])]
[x.item() for x in np.nditer(i, op_dtypes=["complex128"], flags=["buffered"], casting="safe")]
np.nditer([i, a], flags=["common_dtype", "buffered"]).dtypes[0].name
np.nditer([a, np.zeros(4)])
np.nditer([a, None]).operands[1].shape
np.nditer([a, None]).operands[1].dtype.name
np.nditer([None, None])
np.nditer(np.zeros((0, 2)))
len(np.nditer(np.zeros((0, 2)), flags=["zerosize_ok"]))
list(np.nditer(np.zeros((0, 2)), flags=["zerosize_ok"]))
np.nditer([a, b], flags=["multi_index"]).shape
np.nditer(a).shape
np.nditer(a, flags=["ranged"]).iterrange
[x.item() for x in ranged(np, a, 2, 5)]
ranged(np, a, 5, 99)
[x.item() for x in np.nditer(b, op_axes=[[-1, 0]], itershape=(2, 3))]
[x.item() for x in np.nditer(b, op_axes=[[np.newaxis, 0]], itershape=(2, -1))]
np.nditer(b, op_axes=[[0], [1]])
np.nditer([a, b], op_axes=[[0], [0, 1]])
np.nditer([a, b], op_axes=[[0], [0]]).itersize
np.nditer(a)[0].item()
np.nditer(a)[1]
np.nditer(a)[-1].item()
np.nditer([a, b])[0:2]
np.nditer([a, b]).value[1].item()
moved(np, a, "iterindex", 4)
moved(np, a, "iterindex", 40)
moved(np, a, "multi_index", (1, 1), "multi_index")
moved(np, a, "multi_index", (1, 9), "multi_index")
moved(np, a, "multi_index", (1,), "multi_index")
moved(np, a, "index", 3, "f_index")
moved(np, a, "index", 30, "f_index")
moved(np, a, "index", 3)
ended(np, a)
ended(np, a).iternext()
ended(np, a)[0]
writes(np, a, ["readwrite"])
writes(np, a, ["readonly"])
writes(np, a, ["writeonly"])
writes(np, i, ["readwrite"], flags=["buffered"], op_dtypes=["float64"], casting="same_kind")
writes(np, i, ["readwrite"], flags=["buffered"], op_dtypes=["float64"])
writes(np, i, ["readwrite", "updateifcopy"], op_dtypes=["float64"], casting="same_kind")
writes(np, a, ["readwrite"], flags=["external_loop"])
writes(np, a, ["readwrite"], flags=["buffered", "external_loop"], buffersize=4)
writes(np, a.T, ["readwrite"], order="C", flags=["external_loop", "buffered"])
assigned(np, a)
allocated(np, a, b)
allocated(np, a.T, 2)
allocated(np, i, 2.5)
allocated(np, a, b, order="F")
reduced(np, a, 0)
reduced(np, a, 1)
reduced(np, a, 1, ["reduce_ok", "external_loop", "buffered", "delay_bufalloc"])
reduced(np, a, 1, [])
np.nditer([a, np.zeros(())], flags=[], op_flags=[["readonly"], ["readwrite"]])
removed(np, a, 0)
removed(np, a, 1)
removed(np, a, 5)
np.nditer(a).remove_axis(0)
flattened(np, a)
grown(np, a)
copied(np, a)
again(np, a)
closed(np, a)
nest(np, a, [[0], [1]])
nest(np, a, [[1], [0]])
nest(np, c, [[0, 2], [1]])
nest(np, c, [[1], [2, 0]])
nest(np, c, [[], [0, 1, 2]])
nest(np, c, [[0], [0]])
nest(np, c, [[0], [7]])
nest(np, c, [[2], [0], [1]])
nested_pair(np, a, b)
nested_writes(np, a)
np.nditer(a, flags=["external_loop", "multi_index"])
np.nditer(a, flags=["external_loop", "c_index"])
np.nditer(a, flags=["c_index", "f_index"])
np.nditer(a, flags=["buffered"], itershape=(2, 3))
np.nditer([a] * 3, op_flags=[["readonly"], ["writeonly"], ["readwrite"]]).nop
np.nditer(a, flags=["multi_index"], op_flags=["readonly", "no_broadcast"], itershape=(4, 2, 3))
np.nditer([a, b], op_flags=[["readonly"], ["readonly", "no_broadcast"]])
np.nditer([a, None], op_flags=[["readonly"], ["writeonly"]])
np.nditer([a, None], op_flags=[["readonly"], ["readonly", "allocate"]])
np.nditer(a.T).itviews[0]
np.nditer(a.T, flags=["buffered"]).itviews
np.nditer(a, flags=["buffered", "delay_bufalloc"]).has_delayed_bufalloc
np.nditer(a, flags=["buffered", "delay_bufalloc"])[0]
np.nditer(a).iterationneedsapi
np.nditer(a).operands[0] is a
np.nditer(z, op_flags=["readwrite"])
""".strip().splitlines()


def ranged(np, x, start, end):
    it = np.nditer(x, flags=["ranged"])
    it.iterrange = start, end
    return it


def moved(np, x, what, to, *flags):
    it = np.nditer(x, flags=flags)
    setattr(it, what, to)
    return [v.item() for v in it]


def ended(np, x):
    it = np.nditer(x)
    for _ in it:
        pass
    return it


def writes(np, x, op_flags, **options):
    with np.nditer(x, op_flags=[op_flags], **options) as it:
        for v in it:
            v[...] = 10 if "writeonly" in op_flags else v * 2 + 1
    return x


def assigned(np, x):
    it = np.nditer(x, op_flags=["readwrite"])
    while not it.finished:
        it[0] = it[0] * 3
        it.iternext()
    return x


def allocated(np, x, y, **options):
    it = np.nditer([x, y, None], **options)
    with it:
        for u, v, w in it:
            w[...] = u * v
        return it.operands[2], it.operands[2].strides


def reduced(np, x, axis, flags=("reduce_ok", "external_loop")):
    axes = [0, -1] if axis else [-1, 0]
    it = np.nditer([x, None], flags=flags, op_flags=[["readonly"], ["readwrite", "allocate"]],
                   op_axes=[[0, 1], axes])
    with it:
        it.operands[1][...] = 0
        it.reset()
        for u, v in it:
            v[...] += u
        return it.operands[1]


def removed(np, x, axis):
    it = np.nditer(x, flags=["multi_index"])
    it.remove_axis(axis)
    return [v.item() for v in it], it.ndim, it.multi_index if not it.finished else None


def flattened(np, x):
    it = np.nditer(x, flags=["multi_index"])
    it.remove_multi_index()
    return it.ndim, it.has_multi_index


def grown(np, x):
    it = np.nditer(x)
    it.enable_external_loop()
    return [v.tolist() for v in it]


def copied(np, x):
    it = np.nditer(x)
    next(it), next(it)
    other = it.copy()
    return [v.item() for v in it], [v.item() for v in other]


def again(np, x):
    it = np.nditer(x)
    first = [v.item() for v in it]
    it.reset()
    return first, [v.item() for v in it]


def closed(np, x):
    it = np.nditer(x)
    it.close()
    return it.nop


def nest(np, x, axes):
    its = np.nested_iters(x, axes, flags=["multi_index"])

    def level(k):
        return [[it.multi_index, v.item(), level(k + 1) if k + 1 < len(its) else None] for it in [its[k]] for v in it]
    return level(0)


def nested_pair(np, x, y):
    i, j = np.nested_iters([x, y], [[0], [1]])
    return [[(u.item(), v.item()) for u, v in j] for _ in i]


def nested_writes(np, x):
    i, j = np.nested_iters(x, [[1], [0]], op_flags=["readwrite"])
    for _ in i:
        for v in j:
            v[...] = v * v
    return x


@pytest.mark.parametrize("line", LINES)
def test_lines(line):
    def run(np):
        a = np.arange(6.0).reshape(2, 3)
        names = {"np": np, "a": a, "b": np.arange(3.0) + 1, "i": np.arange(6).reshape(2, 3), "z": np.broadcast_to(a, (2, 2, 3)),
                 "c": np.arange(12).reshape(2, 3, 2)}
        result = eval(line, globals() | names)
        return "made" if isinstance(result, np.nditer) else result
    agree(run)


def test_iterators_do_not_leak():
    x = knp.arange(6.0).reshape(2, 3)

    def walk():
        allocated(knp, x, 2.0), writes(knp, x, ["readwrite"], flags=["buffered"]), nest(knp, x, [[0], [1]])
        copied(knp, x), gc.collect()
    walk()
    before = kiln._core.live_count()
    for _ in range(5):
        walk()
    assert kiln._core.live_count() == before


def test_elements_outlive_the_iterator():
    v = next(iter(knp.nditer(knp.arange(3.0) + 5)))
    assert v.item() == 5


def test_iterators_look_at_values():
    with pytest.raises(kiln.errors.ConcretizationTypeError):
        kiln.jit(lambda x: list(knp.nditer(x))[0])(knp.ones(2))


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "bool", "complex64", "float16", "uint64"])
def test_elements_of_each_dtype_are_written(dtype):
    x = knp.zeros(3, dtype)
    for v in knp.nditer(x, op_flags=["readwrite"]):
        v[...] = 1
    assert x.dtype == dtype and [complex(v) for v in x.tolist()] == [1, 1, 1]


OTHERS = """
list(np.ndindex(2, 3))
list(np.ndindex((2, 3)))
list(np.ndindex())
list(np.ndindex(0, 2))
list(np.ndindex(2, -1))
[(p, int(v)) for p, v in np.ndenumerate(x)]
np.broadcast(x, y).shape
np.broadcast(x, y).nd, np.broadcast(x, y).ndim, np.broadcast(x, y).size, np.broadcast(x, y).numiter
[tuple(map(int, t)) for t in np.broadcast(x, y)]
np.broadcast(x, np.zeros(9))
advanced(np.broadcast(x, y), 2).index
resets(np.broadcast(x, y))
[[int(v) for v in i] for i in np.broadcast(y, y.T).iters]
np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)
np.lib.stride_tricks.sliding_window_view(x, (2, 2))
np.lib.stride_tricks.sliding_window_view(x, 5, axis=1)
np.lib.stride_tricks.sliding_window_view(x, 2)
np.lib.stride_tricks.sliding_window_view(x, -1, axis=0)
np.lib.stride_tricks.sliding_window_view(x, (1, 2), axis=(1, 1))
np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8))
np.lib.stride_tricks.as_strided(x, (4, 2), (0, 8))
np.lib.stride_tricks.as_strided(x).shape
[b for b in np.lib.Arrayterator(t, 4)]
[b for b in np.lib.Arrayterator(t)]
[b for b in np.lib.Arrayterator(t, 1)]
[b for b in np.lib.Arrayterator(t, 7)]
[b for b in np.lib.Arrayterator(t, 100)]
[b for b in np.lib.Arrayterator(t, 3)[:, 0, ::2]]
[b for b in np.lib.Arrayterator(t, 3)[1:]]
[b for b in np.lib.Arrayterator(t, 3)[..., 1]]
[b for b in np.lib.Arrayterator(t, 3)[..., 1:][1:, ::2]]
[b for b in np.lib.Arrayterator(t[::-1], 3)]
np.lib.Arrayterator(t, 3)[..., 1:].shape
np.lib.Arrayterator(t, 3).buf_size, np.lib.Arrayterator(t, 3).start, np.lib.Arrayterator(t, 3).stop
np.lib.Arrayterator(t, 3)[:, 1].start, np.lib.Arrayterator(t, 3)[:, 1].stop, np.lib.Arrayterator(t, 3)[:, ::2].step
[int(v) for v in np.lib.Arrayterator(t, 3).flat]
np.asarray(np.lib.Arrayterator(t, 3)[1:])
np.lib.Arrayterator(t, 3).var is t
np.lib.Arrayterator(t, 3).ndim, np.lib.Arrayterator(t, 3).dtype.name
list(np.lib.Arrayterator(np.zeros((2, 0)), 3))
""".strip().splitlines()


def advanced(it, n):
    for _ in range(n):
        next(it)
    return it


def resets(it):
    advanced(it, 3).reset()
    return it.index, len(list(it))


@pytest.mark.parametrize("line", OTHERS)
def test_others(line):
    agree(lambda np: eval(line, globals() | {"np": np, "x": np.arange(6).reshape(2, 3), "y": np.arange(2).reshape(2, 1),
                                             "t": np.arange(12).reshape(2, 3, 2)}))

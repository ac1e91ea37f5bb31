# SPDX-License-Identifier: Apache-2.0
"""Arrays that are spread over eight devices, in the rest of the package. test_spread.py runs it: devices are counted once
in a process."""
import doctest
import gc
import importlib
import io
import pathlib
import pickle
import threading

import numpy
import pytest

import kiln
import kiln.numpy as np
import test_numpy_calls as calls
from kiln import P, lax
from kiln.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, SingleDeviceSharding, communication_of

XY = kiln.make_mesh((4, 2), ("x", "y"))
A = numpy.arange(24.0).reshape(8, 3)


def on(*spec, mesh=XY):
    return NamedSharding(mesh, P(*spec))


def put(x, *spec):
    return kiln.device_put(np.asarray(x), on(*spec))


@pytest.mark.parametrize("line", [x for x in calls.LINES if x != "a.device"])
def test_functions_of_numpy(line, monkeypatch):
    plain = calls.operands

    def operands(module):
        made = plain(module)
        if module is numpy:
            return made
        return {k: put(x, *[(), ("x",), ("x", "y")][min(x.ndim, 2)]) for k, x in made.items()}

    monkeypatch.setattr(calls, "operands", operands)
    calls.test_call(line)


@pytest.mark.parametrize("name", ["kiln._config", "kiln._mesh", "kiln._sharded", "kiln._manual", "kiln._plans"])
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and not result.failed


def test_examples_of_the_page():
    page = pathlib.Path(__file__).resolve().parents[3] / "docs/python-sharding.md"
    examples = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, page.name, 0)
    out = io.StringIO()
    result = doctest.DocTestRunner().run(examples, out=out.write)
    assert result.attempted > 10 and not result.failed, out.getvalue()


# ---- Memory.

def test_numpy_gets_a_copy_that_is_read_only():
    x = put(A, "x")
    for a in (numpy.asarray(x), numpy.array(x, copy=None), numpy.frombuffer(memoryview(x)).reshape(8, 3)):
        assert (a == A).all() and not a.flags.writeable
    assert x.sharding == on("x")
    own = numpy.array(x)
    own[0] = 7
    assert own.flags.writeable and float(x[0, 0]) == 0
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(b"123").readinto(x)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "bool", "complex64", "uint64", "float8_e4m3fn"])
def test_dtypes(dtype):
    pytest.importorskip("ml_dtypes")
    x = np.asarray(A % 2 if dtype == "bool" else A % 16).astype(dtype)
    y = kiln.device_put(x, on("x"))
    assert (numpy.asarray(y).astype("complex64") == numpy.asarray(x).astype("complex64")).all()
    assert y.tolist() == x.tolist() and y.sharding == on("x")
    assert pickle.loads(pickle.dumps(y)).tolist() == x.tolist()


def test_dlpack_is_refused():
    x = put(A, "x")
    for f in (x.__dlpack__, x.__dlpack_device__, lambda: numpy.from_dlpack(x)):
        with pytest.raises(BufferError, match="array on a singular device"):
            f()


def test_looking_leaves_it_where_it_is():
    x = put(A, "x")
    looks = [repr, str, bytes, lambda v: v.tolist(), lambda v: v.tobytes(), lambda v: v[3, 1].item(), lambda v: v.flags,
             lambda v: v.strides, len, list, lambda v: f"{v}", lambda v: v._repr_html_(), pickle.dumps, numpy.asarray,
             lambda v: kiln.device_get(v), lambda v: v.nbytes]
    for look in looks:
        look(x)
        assert x.sharding == on("x")


def test_pickles():
    x = put(A, "x")
    for protocol in range(2, 6):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert (y == A).all() and isinstance(y.sharding, SingleDeviceSharding)
    for o in (XY, P("x", None), on("x", "y"), AbstractMesh((4,), ("x",)), kiln.devices()[3],
              SingleDeviceSharding(kiln.devices()[3])):
        assert pickle.loads(pickle.dumps(o)) == o
    assert pickle.loads(pickle.dumps(XY)) is XY


def test_writes():
    x = put(A, "x")
    x[2:4] = -1
    x[:, 1] *= 2
    x += 1
    want = A.copy()
    want[2:4] = -1
    want[:, 1] *= 2
    assert (x == want + 1).all() and x.sharding == on("x")
    view = x[4:]
    view[0] = 0
    assert x[4].tolist() == [0, 0, 0]
    assert x.at[0].set(5)[0].tolist() == [5, 5, 5]


def test_places_of_functions_that_make_arrays():
    assert np.zeros((8, 2), device=on("x")).sharding == on("x")
    assert np.asarray(A, device=on("x", None)).sharding == on("x")
    assert np.arange(8, device=kiln.devices()[5]).devices() == {kiln.devices()[5]}
    x = put(A, "x")
    assert x.device == on("x") and x.devices() == set(kiln.devices()) and x.committed
    assert kiln.device_put(x, kiln.devices()[0]).device == "cpu"
    assert kiln.device_put(x, "cpu").sharding == SingleDeviceSharding(kiln.devices()[0])
    with pytest.raises(ValueError, match="Device not understood: 3"):
        kiln.device_put(x, 3)
    with pytest.raises(ValueError, match="there is no device 'cpu:99'"):
        kiln.device_put(x, "cpu:99")


def test_two_meshes_do_not_meet():
    with pytest.raises(ValueError, match="device"):
        (put(A, "x") + kiln.device_put(A, on("z", mesh=Mesh(kiln.devices()[:2], ("z",))))).block_until_ready()


def test_extents_that_are_not_divided():
    x = put(numpy.arange(10), "x")
    assert [s.data.tolist() for s in x.addressable_shards][::2] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert on("x").shard_shape((10,)) == (3,) and (x * 2).sum() == 90
    assert list(on("x").devices_indices_map((10,)).values())[::2] == [
        (slice(0, 3),), (slice(3, 6),), (slice(6, 9),), (slice(9, 10),)]


# ---- Meshes and specs.

def test_equal_meshes_are_one():
    again = Mesh(numpy.array(kiln.devices()).reshape(4, 2), ("x", "y"))
    assert again is XY and hash(again) == hash(XY) and Mesh([[d] for d in kiln.devices()], ("x", "y")) != XY
    back = Mesh(kiln.devices()[::-1], "x")
    assert back.device_ids.tolist() == [7, 6, 5, 4, 3, 2, 1, 0] and back != Mesh(kiln.devices(), "x")
    assert [s.device.id for s in kiln.device_put(np.arange(8), on("x", mesh=back)).addressable_shards][0] == 7


@pytest.mark.parametrize("make, text", [
    (lambda: Mesh(kiln.devices(), ("x y",)), "'x y' cannot be the name"), (lambda: Mesh(kiln.devices(), (3,)), "have to be texts"),
    (lambda: Mesh([[1, 2], [3]], ("x", "y")), "same number of devices"), (lambda: Mesh([1, 2], ("x",)), "CPU devices"),
    (lambda: Mesh(kiln.devices()[:1] * 2, "x"), "twice"), (lambda: kiln.make_mesh((2, 2), ("x", "x")), "named 'x'"),
    (lambda: kiln.make_mesh((2,), "x", (None,)), "Auto"), (lambda: AbstractMesh((2, 3), "x"), "Length"),
    (lambda: NamedSharding(XY, "x"), "PartitionSpec"), (lambda: NamedSharding(3, P()), "of a mesh"),
    (lambda: NamedSharding(XY, P(), memory_kind="pinned_host"), "memory kind"),
    (lambda: kiln.config.update("jax_num_cpu_devices", 4), "devices"), (lambda: kiln.set_mesh(3), "wants a mesh"),
    (lambda: SingleDeviceSharding("cpu"), "of a device")])
def test_what_is_refused(make, text):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=text):
        make()


def test_an_abstract_mesh_is_another_one():
    concrete, abstract = Mesh(kiln.devices()[:2], "q"), AbstractMesh((2,), "q")
    assert abstract != concrete and AbstractMesh((2,), "q") is abstract and concrete.abstract_mesh is abstract
    assert type(Mesh(kiln.devices()[:2], "q")) is Mesh and AbstractMesh((4096,), "q").size == 4096


def test_types_of_axes():
    assert kiln.make_mesh((8,), "x", (AxisType.Auto,)).axis_types == (AxisType.Auto,)


def test_the_mesh_of_a_block():
    f = kiln.jit(lambda a: lax.with_sharding_constraint(a, P("x")))
    one, other = Mesh(kiln.devices()[:4], "x"), Mesh(kiln.devices()[4:], "x")
    for mesh in (one, other, one):
        with kiln.set_mesh(mesh):
            assert f(A).sharding == on("x", mesh=mesh)
            assert kiln.sharding.get_mesh() is mesh
    with one:
        assert kiln.device_put(A, P("x")).sharding.mesh is one
        seen = []
        thread = threading.Thread(target=lambda: seen.append(kiln.sharding.get_mesh().empty))
        thread.start()
        thread.join()
        assert seen == [True]
    with pytest.raises(RuntimeError, match="non-empty mesh"):
        f(A)


def test_loops_tell_meshes_apart():
    def loop():
        return lax.scan(lambda c, r: (lax.with_sharding_constraint(c + r, P("x")), None), np.zeros(8), np.ones((3, 8)))[0]
    for mesh in (Mesh(kiln.devices()[:4], "x"), Mesh(kiln.devices()[4:], "x")):
        with kiln.set_mesh(mesh):
            assert loop().sharding == on("x", mesh=mesh)


# ---- Functions for one device.

def test_results_that_may_differ():
    f = lambda a: a
    with pytest.raises(ValueError, match="out_specs is P\\(\\) which implies"):
        kiln.shard_map(f, mesh=XY, in_specs=P("x"), out_specs=P())(A)
    for options in ({"check_vma": False}, {"check_rep": False}):
        assert kiln.shard_map(f, mesh=XY, in_specs=P("x"), out_specs=P(), **options)(A).shape == (2, 3)


def test_older_name():
    from kiln.experimental.shard_map import shard_map
    assert (shard_map(lambda a: a * 2, XY, P("x"), P("x"))(A) == 2 * A).all()
    with pytest.raises(NotImplementedError, match="auto"):
        shard_map(lambda a: a, XY, P("x"), P("x"), auto={"y"})


@pytest.mark.parametrize("f, into, out, text", [
    (lambda a: a, P("z"), P(), "in_specs refers to 'z'"), (lambda a: a, P("x"), P("z"), "out_specs refers to 'z'"),
    (lambda a: a, P("x", None, "y"), P(), "rank 2"), (lambda a: a, P(None, "x"), P(), "4 does not evenly divide 3"),
    (lambda a: a, (P("x"), P()), P(), "tree prefix"), (lambda a: (a, a), P("x"), (P("x"),), "tree prefix"),
    (lambda a: a.sum(), P("x"), P("x"), "rank 0"), (lambda a: a, "x", P(), "PartitionSpec"), (lambda a: a, P("x"), None, "PartitionSpec")])
def test_specs_that_do_not_fit(f, into, out, text):
    with pytest.raises((ValueError, TypeError), match=text):
        kiln.shard_map(f, mesh=XY, in_specs=into, out_specs=out)(A)


def test_some_axes_alone_are_refused():
    with pytest.raises(NotImplementedError, match="axis_names"):
        kiln.shard_map(lambda a: a, mesh=XY, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})(A)
    assert (kiln.shard_map(lambda a: a, mesh=XY, in_specs=P("x"), out_specs=P("x"), axis_names={"x", "y"})(A) == A).all()


def test_an_exception_of_the_function_comes_out():
    def f(a):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        kiln.shard_map(f, mesh=XY, in_specs=P("x"), out_specs=P("x"))(A)
    with pytest.raises(NameError, match="z"):
        kiln.shard_map(lambda a: lax.psum(a, "z"), mesh=XY, in_specs=P("x"), out_specs=P("x"))(A)


def test_as_a_decorator_and_without_arguments():
    @kiln.shard_map(mesh=XY, in_specs=P("x"), out_specs=P("x"))
    def twice(a):
        return a * 2
    assert (twice(A) == 2 * A).all() and twice.__name__ == "twice"
    f = kiln.shard_map(lambda: lax.axis_index("x")[None], mesh=XY, in_specs=(), out_specs=P("x"))
    assert f().tolist() == [0, 1, 2, 3]


def test_pcast_wants_an_axis():
    with pytest.raises(NameError, match="z"):
        kiln.shard_map(lambda a: lax.pcast(a, "z", to="varying"), mesh=XY, in_specs=P("x"), out_specs=P("x"))(A)
    with pytest.raises(ValueError, match="varying"):
        lax.pcast(A, "x", to="reduced")


def test_pmap_takes_devices():
    f = kiln.pmap(lambda a: lax.psum(a, "i"), axis_name="i")
    y = f(A)
    assert y.sharding.mesh.axis_names == ("i",) and y.sharding.num_devices == 8
    assert f(numpy.ones((9, 2))).sharding.num_devices == 1  # nine lanes, eight devices
    devices = kiln.devices()[2:6]
    assert kiln.pmap(lambda a: a, devices=devices)(A[:4]).devices() == set(devices)
    assert float(kiln.pmap(lambda a: lax.psum(a, "i"), axis_name="i", out_axes=None)(np.ones(8))) == 8
    assert kiln.pmap(lambda a, n: a * n, static_broadcasted_argnums=1)(np.ones(2), 3).tolist() == [3, 3]
    assert kiln.pmap(lambda a, n: a * n, static_broadcasted_argnums=1)(np.ones(2), 4).tolist() == [4, 4]


def test_pmap_is_recorded_once():
    recorded = []
    f = kiln.pmap(lambda a: (recorded.append(1), a + 1)[1])
    assert f(A)[0].tolist() == f(A + 0)[0].tolist() and len(recorded) == 1


def test_jaxpr_of_pmap():
    text = str(kiln.make_jaxpr(kiln.pmap(lambda a: lax.psum(a, "i"), axis_name="i"))(np.ones(8)))
    assert "xla_pmap[" in text and "axis_name=i" in text and "psum[axes=('i',)" in text


# ---- Callbacks: they come from the devices' threads.

def test_callbacks():
    seen = []

    def f(a):
        kiln.debug.callback(lambda v, i: seen.append((int(i), v, v * 2)), a.sum(), lax.axis_index("x"))
        double = kiln.pure_callback(lambda v: numpy.asarray(v) * 2, kiln.ShapeDtypeStruct(a.shape, a.dtype), a)
        return double + kiln.pure_callback(lambda v: v + 1, kiln.ShapeDtypeStruct(a.shape, a.dtype), a)

    g = kiln.shard_map(f, mesh=XY, in_specs=P("x"), out_specs=P("x"))
    for h in (g, kiln.jit(g)):
        seen.clear()
        assert (h(put(A, "x")) == 3 * A + 1).all()
        assert sorted({i for i, _, _ in seen}) == [0, 1, 2, 3] and len(seen) == 8
        for i, v, twice in seen:  # what a callback keeps can be read
            assert float(v) == A[2 * i:2 * i + 2].sum() and float(twice + v) == 3 * float(v)
    del v, twice
    seen.clear()
    gc.collect()
    assert (g(put(A, "x")) == 3 * A + 1).all()


def test_an_exception_of_a_callback_comes_out():
    def bad(v):
        raise KeyError("mine")
    f = lambda a: a + kiln.pure_callback(bad, kiln.ShapeDtypeStruct(a.shape, a.dtype), a)
    for g in (kiln.jit(f), kiln.shard_map(f, mesh=XY, in_specs=P("x"), out_specs=P("x"))):
        with pytest.raises(KeyError, match="mine"):
            g(put(A, "x")).block_until_ready()
    assert float((put(A, "x") + 1).sum()) == A.sum() + 24


def test_prints(capsys):
    kiln.jit(lambda a: kiln.debug.print("sum {}", a.sum()))(put(A, "x"))
    assert capsys.readouterr().out == "sum 276.0\n"


def test_threads_use_meshes_at_once():
    x, results = put(numpy.ones((64, 64)), "x", "y"), []
    f = kiln.jit(lambda a: (np.sin(a) @ a).sum())

    def work():
        results.append([float(f(x + i)) for i in range(5)])
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert len(results) == 4 and all(r == results[0] for r in results)


def test_nothing_is_left():
    f = kiln.jit(kiln.shard_map(lambda a: lax.psum(a, "x"), mesh=XY, in_specs=P("x"), out_specs=P()))

    def once():
        x = put(A, "x")
        f(x), x.addressable_shards, numpy.asarray(x), x.sharding, kiln.pmap(lambda a: a + 1)(A)
    for _ in range(3):
        once()
    gc.collect()
    before = kiln._core.live_count()
    for _ in range(20):
        once()
    gc.collect()
    assert kiln._core.live_count() <= before


# ---- Made of parts, files, plans.

def test_parts_that_are_asked_for_once():
    asked = []
    x = kiln.make_array_from_callback((8, 3), on("x"), lambda i: (asked.append(i), A[i])[1])
    assert (x == A).all() and len(asked) == 4
    assert kiln.make_array_from_callback((8,), on("x"), lambda i: numpy.arange(8)[i], dtype="float32").dtype == "float32"
    with pytest.raises(KeyError, match="mine"):
        kiln.make_array_from_callback((8,), on("x"), lambda i: {}["mine"])
    with pytest.raises(ValueError, match="addressable devices is 8"):
        kiln.make_array_from_single_device_arrays((8,), on("x"), [np.ones(2)] * 4)


def test_checkpoints(tmp_path):
    state = {"w": put(A, "x"), "layers": [(np.ones(2), None), {"b": 3}], "n": kiln.optim.sgd(0.1).init(np.ones(2))}
    kiln.save_checkpoint(tmp_path / "state", state)
    plain = kiln.load_checkpoint(tmp_path / "state")
    assert (plain["w"] == A).all() and isinstance(plain["w"].sharding, SingleDeviceSharding)
    assert plain["layers"][0][1] is None and type(plain["layers"][0]) is tuple and int(plain["layers"][1]["b"]) == 3
    again = kiln.load_checkpoint(tmp_path / "state", like=state)
    assert again["w"].sharding == on("x") and kiln.tree.structure(again) == kiln.tree.structure(state)
    kiln.save_checkpoint(tmp_path / "rows", {"w": state["w"]})
    other = on("z", mesh=Mesh(kiln.devices()[:2], "z"))
    assert kiln.load_checkpoint(tmp_path / "rows", sharding=other)["w"].sharding == other
    with pytest.raises(ValueError, match="shape"):
        kiln.load_checkpoint(tmp_path / "rows", like={"w": np.ones(2)})
    with pytest.raises(KeyError, match="v"):
        kiln.load_checkpoint(tmp_path / "rows", like={"v": np.ones(2)})
    with pytest.raises(FileNotFoundError):
        kiln.load_checkpoint(tmp_path / "none")
    with pytest.raises(TypeError, match="texts"):
        kiln.save_checkpoint(tmp_path / "bad", {1: np.ones(2)})


def test_a_folder_that_a_crash_left_is_read(tmp_path):
    kiln.save_checkpoint(tmp_path / "state", {"w": np.ones(2)})
    (tmp_path / "state").rename(tmp_path / "state.old")  # between two renames
    for path in (tmp_path / "state", f"{tmp_path}/state/"):
        assert kiln.load_checkpoint(path)["w"].tolist() == [1, 1]


def test_named_tuples_in_checkpoints(tmp_path):
    import collections
    Pair = collections.namedtuple("Pair", "b a")
    kiln.save_checkpoint(tmp_path / "pair", Pair(np.ones(2), [np.zeros(3)]))
    like = Pair(np.zeros(2), [np.zeros(3)])
    assert type(kiln.load_checkpoint(tmp_path / "pair", like=like)) is Pair
    assert kiln.load_checkpoint(tmp_path / "pair")[0].tolist() == [1, 1]


def test_npy_files(tmp_path):
    numpy.save(tmp_path / "x.npy", A)
    x = kiln.load_npy_sharded(tmp_path / "x.npy", on("x", "y"))
    assert (x == A).all() and x.sharding == on("x", "y")
    np.save(tmp_path / "y.npy", x)
    assert (numpy.load(tmp_path / "y.npy") == A).all()


def test_what_is_moved():
    f = lambda a: a.sum(axis=0)
    by_array, by_spec = communication_of(f)(put(A, "x")), communication_of(f, XY, P("x"))(A)
    assert by_array[:5] == by_spec[:5] and by_spec.collectives == 1 and by_spec.out_specs == (P(),)
    assert "psum" in str(by_spec) and by_spec.jaxpr.in_avals[0].shape == (2, 3)
    big = AbstractMesh((1024,), ("x",))
    c = communication_of(f, big, P("x"), latency=0, bandwidth=1)(kiln.ShapeDtypeStruct((2048, 256), "float32"))
    assert c.bytes == c.seconds > 0
    held = communication_of(f)(kiln.ShapeDtypeStruct((8, 3), "float64", sharding=on("x")))
    assert held.bytes == by_spec.bytes
    with pytest.raises(ValueError, match="no mesh"):
        communication_of(f)(A)
    with pytest.raises(ValueError, match="lies on"):
        communication_of(f, big)(put(A, "x"))


def test_alone_in_the_job():
    from kiln.experimental import multihost_utils
    x = put(A, "x")
    assert (multihost_utils.process_allgather(x, tiled=True) == A).all()
    assert multihost_utils.process_allgather(np.ones(2)).shape == (1, 2)
    multihost_utils.sync_global_devices("here")
    assert not kiln.distributed.is_initialized() and kiln.process_count() == 1

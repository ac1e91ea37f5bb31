# SPDX-License-Identifier: Apache-2.0
"""Memory that NumPy and others share with Kiln, and NumPy's functions of Kiln's arrays."""

import array
import ctypes
import sys

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import _core
from kiln.numpy import asarray, frombuffer

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def ramp(dtype, shape=(2, 3)):
    return numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def own(a):
    return asarray(a, copy=True)


# ---- Buffers.


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_sees_the_memory_of_an_array(dtype):
    x = own(ramp(dtype))
    a = numpy.asarray(x)
    assert a.dtype == dtype and a.shape == (2, 3)
    a[0, 0] = 1
    assert x[0, 0].item() == 1
    x[1, 2] = 0
    assert a[1, 2] == 0


@pytest.mark.parametrize(
    "view",
    [lambda x: x.T, lambda x: x[:, ::2], lambda x: x[::-1], lambda x: x[1:, 1], lambda x: x[0, 0], lambda x: x[:0]],
)
def test_views_keep_their_strides(view):
    x = own(ramp("float64", (3, 4)))
    want, got = view(ramp("float64", (3, 4))), numpy.asarray(view(x))
    assert numpy.array_equal(got, want) and got.shape == want.shape
    if got.size > 1:
        assert got.strides == want.strides
        assert numpy.shares_memory(got, numpy.asarray(x))


def test_what_was_recorded_before_a_write_of_numpys_has_the_old_values():
    x = np.arange(4.0)
    a = numpy.asarray(x)
    before, copy, part = x * 2, x.copy(), np.sum(x[1:])
    a[:] = 9
    assert before.tolist() == [0, 2, 4, 6] and copy.tolist() == [0, 1, 2, 3] and part.item() == 6
    assert x.tolist() == [9, 9, 9, 9]


def test_writes_of_kilns_are_in_numpys_memory_at_once():
    x = np.arange(4.0)
    a = numpy.asarray(x)
    x += 1
    assert a.tolist() == [1, 2, 3, 4]
    x[::2] = 0
    assert a.tolist() == [0, 2, 0, 4]


def test_memory_outlives_the_array():
    a = numpy.asarray(np.arange(5.0))
    assert a.tolist() == [0, 1, 2, 3, 4]
    a[0] = 7
    assert a.sum() == 17


def test_memoryviews_have_formats_shapes_and_strides():
    m = memoryview(own(ramp("int32")).T)
    assert (m.format, m.shape, m.strides, m.readonly, m.itemsize) == ("i", (3, 2), (4, 12), False, 4)
    assert m.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_read_only_array_is_shown_read_only():
    x = np.broadcast_to(np.arange(3.0), (2, 3))
    a = numpy.asarray(x)
    assert not a.flags.writeable
    with pytest.raises(TypeError):
        (ctypes.c_double * 3).from_buffer(x)


# ---- asarray.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", [lambda a: a, lambda a: a.T, lambda a: a[0, 0:1], lambda a: a[:0]])
def test_asarray_uses_numpys_memory(dtype, part):
    a = part(ramp(dtype))
    x = asarray(a)
    assert x.shape == a.shape and x.dtype.name == dtype
    if a.size:
        a[...] = 1
        assert bool((x == 1).all())
        x[...] = 0
        assert not a.any()


def test_asarray_copies_what_has_gaps():
    a = numpy.arange(10.0)[::2]
    x = asarray(a)
    a[0] = 9
    assert x.tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(ValueError, match="Unable to avoid copy while creating an array as requested"):
        asarray(a, copy=False)


def test_asarray_swaps_bytes():
    for dtype in (">i4", ">f8", ">c8", ">u2"):
        a = numpy.arange(4).astype(dtype)
        x = asarray(a)
        assert x.tolist() == a.tolist() and x.dtype == a.dtype.newbyteorder("=")
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            asarray(a, copy=False)


def test_asarray_of_an_array_is_the_array():
    x = np.arange(3)
    assert asarray(x) is x or np.shares_memory(asarray(x), x)
    assert not np.shares_memory(asarray(x, copy=True), x)
    assert asarray(x, copy=False).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        asarray(x, dtype="float32", copy=False)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        asarray([1, 2], copy=False)


def test_asarray_copy_true_has_memory_of_its_own():
    a = numpy.arange(3)
    x = asarray(a, copy=True)
    a[0] = 5
    assert x.tolist() == [0, 1, 2]


def test_read_only_memory_stays_read_only():
    a = numpy.arange(3)
    a.flags.writeable = False
    x = asarray(a)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1


def test_other_buffers():
    m = array.array("d", [1, 2, 3])
    x = asarray(m)
    x[1] = 5
    assert m.tolist() == [1, 5, 3]
    assert asarray(memoryview(bytearray(4)).cast("B", (2, 2))).shape == (2, 2)
    assert asarray((ctypes.c_float * 2)(1, 2)).dtype == "float32"


def test_the_other_side_is_let_go():
    a = numpy.arange(5)
    before = sys.getrefcount(a)
    x = asarray(a)
    y = x[1:]
    assert sys.getrefcount(a) > before
    del x, y
    assert sys.getrefcount(a) == before


@pytest.mark.parametrize("dtype,count,offset", [("uint8", -1, 0), ("int16", 2, 2), ("float64", 1, 8), ("int32", -1, 4)])
def test_frombuffer(dtype, count, offset):
    memory = bytearray(range(16))
    want, got = numpy.frombuffer(memory, dtype, count, offset), frombuffer(memory, dtype, count, offset)
    assert numpy.array_equal(numpy.asarray(got), want)
    got[0] = 1
    assert want[0] == 1


@pytest.mark.parametrize("args", [(b"abc", "int16"), (b"abcd", "int16", 3), (b"abcd", "int16", -1, 9)])
def test_frombuffer_refuses_as_numpy_does(args):
    with pytest.raises(ValueError) as want:
        numpy.frombuffer(*args)
    with pytest.raises(ValueError) as got:
        frombuffer(*args)
    assert str(got.value) == str(want.value)


# ---- __array__ and __array_interface__.


def test_array_protocol():
    x = np.arange(3.0)
    assert x.__array__().dtype == "float64" and numpy.shares_memory(x.__array__(), x.__array__())
    assert x.__array__("int8").dtype == "int8"
    assert not numpy.shares_memory(x.__array__(copy=True), x.__array__())
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__("int8", copy=False)


def test_array_interface_is_numpys():
    x = own(ramp("float32")).T
    got, want = x.__array_interface__, numpy.asarray(x).__array_interface__
    assert {k: got[k] for k in ("shape", "typestr", "data", "strides", "version")} == {
        k: want[k] for k in ("shape", "typestr", "data", "strides", "version")
    }


# ---- ml_dtypes.

ml_dtypes = pytest.importorskip("ml_dtypes")
ML = "bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz int4 uint4".split()


@pytest.mark.parametrize("name", ML)
def test_ml_dtypes_both_ways(name):
    a = numpy.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, name))
    x = asarray(a)
    assert x.dtype.name == name
    assert numpy.array_equal(numpy.asarray(x), a) and numpy.asarray(x).dtype == a.dtype
    a[0, 0] = 1
    assert float(x[0, 0].astype("float32")) == 1
    assert numpy.shares_memory(numpy.asarray(x), a)
    assert numpy.array_equal(numpy.asarray(own(a).T), a.T)


def test_bfloat16_has_no_format_of_buffers():
    with pytest.raises(BufferError):
        memoryview(np.ones(2, dtype="bfloat16"))


# ---- Functions of NumPy's.


def test_ufuncs_are_kilns():
    x = np.arange(4.0)
    for got, want in [
        (numpy.sin(x), numpy.sin(numpy.arange(4.0))),
        (numpy.arange(4) + x, numpy.arange(4) * 2.0),
        (numpy.float64(2) * x, numpy.arange(4) * 2.0),
        (numpy.add.reduce(x), 6.0),
        (numpy.maximum.reduce(x), 3.0),
        (numpy.add.accumulate(x), numpy.cumsum(numpy.arange(4.0))),
        (numpy.multiply.outer(x, x), numpy.outer(numpy.arange(4.0), numpy.arange(4.0))),
    ]:
        assert isinstance(got, kiln.Array)
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-14)


def test_ufuncs_of_numpys_arrays_with_where_and_gaps():
    x, a, b = np.arange(4.0), numpy.zeros(8), numpy.zeros(8)
    numpy.add(x, 1, out=a[::2], where=numpy.array([True, False, True, True]))
    numpy.add(numpy.arange(4.0), 1, out=b[::2], where=numpy.array([True, False, True, True]))
    assert a.tolist() == b.tolist()
    with pytest.raises(TypeError, match="same_kind"):
        numpy.add(x, 0.5, out=numpy.zeros(4, dtype=int))
    assert numpy.sum(x, out=a[:1].reshape(())) is not None and a[0] == 6
    assert [type(r) for r in numpy.divmod(x, 2)] == [kiln.Array] * 2


def test_ufuncs_write_into_arrays_of_either():
    x, a = np.arange(3.0), numpy.zeros(3)
    a += x
    assert type(a) is numpy.ndarray and a.tolist() == [0, 1, 2]
    y = np.zeros(3)
    assert numpy.add(x, x, out=y) is y and y.tolist() == [0, 2, 4]


def test_what_kiln_lacks_is_a_type_error():
    f = numpy.frompyfunc(lambda x: x, 1, 1)
    with pytest.raises(TypeError, match="__array_ufunc__"):
        f(np.arange(3))
    with pytest.raises(TypeError, match="no implementation found"):
        numpy.datetime_as_string(np.arange(3))


def test_functions_are_kilns():
    x = np.arange(6.0).reshape(2, 3)
    a = numpy.arange(6.0).reshape(2, 3)
    for f in (
        lambda t: numpy.concatenate([t, a]),
        lambda t: numpy.mean(t, axis=0),
        lambda t: numpy.where(t > 2, t, 0),
        lambda t: numpy.stack([t, t], axis=1),
        lambda t: numpy.dot(t, t.T),
    ):
        got = f(x)
        assert isinstance(got, kiln.Array)
        numpy.testing.assert_allclose(numpy.asarray(got), f(a), rtol=1e-12)


def test_numpys_own_functions_take_our_arrays(tmp_path):
    x, a = np.arange(3.0), numpy.zeros(3)
    numpy.copyto(a, x)
    assert a.tolist() == [0, 1, 2]
    numpy.save(tmp_path / "x.npy", x)
    assert numpy.load(tmp_path / "x.npy").tolist() == [0, 1, 2]
    assert numpy.array2string(x) == "[0. 1. 2.]"
    numpy.testing.assert_array_equal(x, [0, 1, 2])


def test_others_with_array_ufunc_are_asked():
    class Other:
        def __array_ufunc__(self, *args, **kw):
            return "other"

    assert numpy.add(np.arange(3), Other()) == "other"


# ---- DLPack.


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


class Unversioned(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]


class Producer:
    """A tensor made by hand: six doubles as 2 x 3."""

    def __init__(
        self, versioned=True, flags=0, device=(1, 0), dtype=(2, 64, 1), strides=(3, 1), version=(1, 0), offset=0
    ):
        self.memory = (ctypes.c_double * 7)(*range(7))
        self.deleted, self.asked, self.device = 0, None, device
        self.shape, self.strides = (ctypes.c_int64 * 2)(2, 3), (ctypes.c_int64 * 2)(*strides) if strides else None
        tensor = DLTensor(
            ctypes.addressof(self.memory), DLDevice(*device), 2, DLDataType(*dtype), self.shape, self.strides, offset
        )
        self.deleter = DELETER(self.delete)
        self.managed = (
            Versioned(*version, None, self.deleter, flags, tensor)
            if versioned
            else Unversioned(tensor, None, self.deleter)
        )
        self.name = b"dltensor_versioned" if versioned else b"dltensor"

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kw):
        self.asked = kw
        self.capsule = new_capsule(ctypes.addressof(self.managed), self.name, None)
        return self.capsule


@pytest.mark.parametrize("versioned", [True, False])
def test_a_tensor_is_taken_without_a_copy(versioned):
    p = Producer(versioned)
    x = _core.from_dlpack(p)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert p.asked["max_version"] >= (1, 0) and p.asked["copy"] is None
    assert name_of(p.capsule) == b"used_" + p.name
    p.memory[0] = 7
    assert x[0, 0].item() == 7
    x[1, 1] = 8
    assert p.memory[4] == 8
    assert p.deleted == 0
    del x
    assert p.deleted == 1


def test_offsets_strides_and_read_only_flags():
    assert _core.from_dlpack(Producer(offset=8)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert _core.from_dlpack(Producer(strides=(1, 2))).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert _core.from_dlpack(Producer(strides=None)).tolist() == [[0, 1, 2], [3, 4, 5]]
    x = _core.from_dlpack(Producer(flags=1))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Producer(device=(2, 0)),
        lambda: Producer(dtype=(2, 64, 4)),
        lambda: Producer(dtype=(9, 64, 1)),
        lambda: Producer(version=(2, 0)),
    ],
)
def test_what_cannot_be_taken_is_refused_and_given_back(make):
    p = make()
    with pytest.raises((BufferError, ValueError, TypeError)):
        _core.from_dlpack(p)
    assert p.deleted == 1


def test_copy_true_and_false_on_the_way_in():
    p = Producer()
    x = _core.from_dlpack(p, copy=True)
    p.memory[0] = 7
    assert x[0, 0].item() == 0 and p.asked["copy"] is True
    p = Producer(strides=(2, 2))
    with pytest.raises(ValueError):
        _core.from_dlpack(p, copy=False)
    assert p.deleted == 1


def test_capsules_of_both_kinds():
    x = np.arange(3.0)
    old, new = x.__dlpack__(), x.__dlpack__(max_version=(1, 3))
    assert name_of(old) == b"dltensor" and name_of(new) == b"dltensor_versioned"
    t = Versioned.from_address(pointer_of(new, b"dltensor_versioned"))
    assert (t.major, t.flags, t.tensor.ndim, t.tensor.dtype.code, t.tensor.dtype.bits) == (1, 0, 1, 2, 64)
    assert (t.tensor.device.type, t.tensor.device.id) == x.__dlpack_device__() == (1, 0)
    assert ctypes.c_double.from_address(t.tensor.data + 8).value == 1


def test_flags_on_the_way_out():
    x = np.broadcast_to(np.arange(3.0), (2, 3))
    capsule = x.__dlpack__(max_version=(1, 0))
    assert Versioned.from_address(pointer_of(capsule, b"dltensor_versioned")).flags == 1
    with pytest.raises(BufferError, match="readonly"):
        x.__dlpack__()
    capsule = x.__dlpack__(max_version=(1, 0), copy=True)
    assert Versioned.from_address(pointer_of(capsule, b"dltensor_versioned")).flags & 2


def test_dlpack_arguments_are_checked():
    x = np.arange(3.0)
    assert x.__dlpack__(dl_device=(1, 0)) and x.__dlpack__(stream=None)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises((BufferError, RuntimeError)):
        x.__dlpack__(stream=1)
    with pytest.raises(TypeError):
        x.__dlpack__(max_version=1)


def test_numpy_takes_our_tensors_and_we_numpys():
    x = np.arange(6.0).reshape(2, 3).T
    a = numpy.from_dlpack(x)
    assert a.strides == (8, 24) and numpy.shares_memory(a, numpy.asarray(x))
    b = numpy.arange(3)
    y = _core.from_dlpack(b)
    b[0] = 5
    assert y.tolist() == [5, 1, 2]
    assert numpy.from_dlpack(x, copy=True).flags.writeable


def test_nothing_of_an_interchange_stays():
    before = _core.live_count()
    for _ in range(50):
        x = np.arange(3.0)
        numpy.asarray(x), numpy.from_dlpack(x), x.__dlpack__(), x.__dlpack__(max_version=(1, 0)), x.__array_interface__
        asarray(numpy.arange(3)), _core.from_dlpack(numpy.arange(3)), numpy.sin(x)
    del x
    assert _core.live_count() == before


FLOAT8 = ["float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
          "float8_e5m2fnuz", "float8_e8m0fnu"]
NARROW = [*FLOAT8, "int4", "uint4", "bfloat16"]
WRITES = """
y[0] = 3
y[0] = 3.5
y[:] = 2
y[:] = np.arange(3)
y[...] = np.arange(3.0)
y[1:] = [1, 2]
y[np.array([0, 2])] = 5
y[np.array([True, False, True])] = 5
y[0] = np.float32(3)
y[0] = True
y[0] = y[1]
y.fill(3)
y.flat[1] = 3
y.flat = [1, 2, 3]
np.put(y, [0], [3])
np.put(y, [0], 3.0)
np.place(y, np.asarray([True, False, True]), [3])
np.putmask(y, np.asarray([True, False, True]), [3])
np.fill_diagonal(y.reshape(1, 3), 3)
np.put_along_axis(y, np.asarray([0]), 3, 0)
""".strip().splitlines()


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("line", WRITES)
def test_narrow_dtypes_take_what_is_written(line, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if not hasattr(np, dtype):
        pytest.skip("the library has no such dtype")

    def run(of, d):
        y = of.asarray([1.0, 2, 4]).astype(d)
        exec(line, {"np": of, "y": y})
        return [float(v) for v in y.tolist()]
    assert str(run(np, dtype)) == str(run(numpy, numpy.dtype(getattr(ml_dtypes, dtype))))


@pytest.mark.parametrize("dtype", [d for d in FLOAT8 if hasattr(np, d)])
def test_dlpack_of_floats_of_eight_bits(dtype):
    x = np.asarray([1.0, 2, 0.5]).astype(dtype)
    y = np.from_dlpack(x)
    y[0] = 4
    assert y.dtype == dtype and x.tolist() == y.tolist() and y.tolist()[0] == 4
    with pytest.raises(BufferError, match=dtype):
        x.__dlpack__(max_version=(1, 0))
    jnp = pytest.importorskip("jax.numpy")
    there = jnp.ones(3, dtype) if hasattr(jnp, dtype) else None
    if there is not None:
        try:
            there.__dlpack__()
        except Exception:
            pytest.skip("JAX does not hand it over")
        assert np.from_dlpack(there).dtype == dtype and np.from_dlpack(there).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_dlpack_has_no_bytes_with_four_bits(dtype):
    x = np.ones(3, dtype)
    with pytest.raises(BufferError, match=dtype):
        x.__dlpack__()
    with pytest.raises(BufferError, match=dtype):
        memoryview(x)

# SPDX-License-Identifier: Apache-2.0
"""DLPack: __dlpack__, __dlpack_device__, from_dlpack."""

import ctypes

import pytest

from .standard import ALL, dt, expect, make, nested, raises, sample, values, xp

CPU = 1


def name_of(capsule):
    """The name of a capsule."""
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule)


def flags_of(capsule):
    """The flags of a versioned tensor: a version of two words, two pointers, then 64 bits."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.c_uint64.from_address(get(capsule, b"dltensor_versioned") + 24).value


class Exporter:
    """Passes on what an array exports, and notes what it was asked for."""

    def __init__(self, x, device=None):
        self.x, self.device, self.asked = x, device, []

    def __dlpack_device__(self):
        return self.device or self.x.__dlpack_device__()

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        return self.x.__dlpack__(**asked)


class Old:
    """An exporter from before 2023.12, which takes a stream alone."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.x.__dlpack__(stream=stream)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_round_trip(dtype, shape):
    x = sample(shape, dtype)
    expect(xp.from_dlpack(x), shape, dtype, nested(x) if 0 not in shape else None)


@pytest.mark.parametrize("key", [(slice(None, None, 2), slice(1, None)), (slice(None), 1), (1,)], ids=str)
def test_round_trip_of_views(key):
    x = sample((4, 5), "float64")
    expect(xp.from_dlpack(x[key]), x[key].shape, "float64", nested(x[key]))
    expect(xp.from_dlpack(x.T), (5, 4), "float64", nested(x.T))


def test_device():
    kind, number = make([1.0]).__dlpack_device__()
    assert int(kind) == CPU
    assert number == 0


def test_memory_is_shared():
    x = make([1.0, 2.0])
    for y in (xp.from_dlpack(x), xp.from_dlpack(x, copy=False)):
        x[0] += 1.0
        assert values(y) == values(x)


def test_copy():
    x = make([1.0, 2.0])
    y = xp.from_dlpack(x, copy=True)
    x[0] = 5.0
    assert values(y) == [1.0, 2.0]
    y[1] = 7.0
    assert values(x) == [5.0, 2.0]


def test_device_of_the_result():
    x = make([1.0, 2.0])
    assert xp.from_dlpack(x).device == x.device
    for device in xp.__array_namespace_info__().devices():
        assert xp.from_dlpack(x, device=device).device == device
        expect(xp.from_dlpack(x, device=x.device, copy=False), (2,), "float64", [1.0, 2.0])


def test_old_capsule():
    assert name_of(make([1.0]).__dlpack__()) == b"dltensor"
    assert name_of(make([1.0]).__dlpack__(stream=None)) == b"dltensor"
    assert name_of(make([1.0]).__dlpack__(max_version=None)) == b"dltensor"


def test_versioned_capsule():
    for version in ((1, 0), (1, 1), (2, 0)):
        assert name_of(make([1.0]).__dlpack__(max_version=version)) == b"dltensor_versioned"


def test_old_version_that_is_asked_for():
    """Either a capsule of the old kind or a BufferError."""
    try:
        capsule = make([1.0]).__dlpack__(max_version=(0, 8))
    except BufferError:
        return
    assert name_of(capsule) == b"dltensor"


def test_flag_of_copies():
    x = make([1.0, 2.0])
    assert flags_of(x.__dlpack__(max_version=(1, 0))) & 2 == 0
    assert flags_of(x.__dlpack__(max_version=(1, 0), copy=False)) & 2 == 0
    assert flags_of(x.__dlpack__(max_version=(1, 0), copy=True)) & 2 == 2


def test_device_that_is_asked_for():
    x = make([1.0, 2.0])
    assert name_of(x.__dlpack__(dl_device=(CPU, 0))) == b"dltensor"
    assert name_of(x.__dlpack__(dl_device=x.__dlpack_device__(), max_version=(1, 0))) == b"dltensor_versioned"
    raises(lambda: x.__dlpack__(dl_device=(8, 0)), BufferError)


def test_stream_on_the_host():
    raises(lambda: make([1.0]).__dlpack__(stream=1))


def test_consumer_asks_for_a_version():
    source = Exporter(make([1.0, 2.0]))
    expect(xp.from_dlpack(source), (2,), "float64", [1.0, 2.0])
    assert source.asked[0].get("max_version", (0, 0)) >= (1, 0)


def test_consumer_of_an_old_exporter():
    expect(xp.from_dlpack(Old(make([1.0, 2.0]))), (2,), "float64", [1.0, 2.0])


def test_consumer_passes_on_errors():
    class Refusing:
        def __dlpack_device__(self):
            return (CPU, 0)

        def __dlpack__(self, **asked):
            raise BufferError("not today")

    raises(lambda: xp.from_dlpack(Refusing()), BufferError)


@pytest.mark.parametrize("other", (1, [1, 2], "text", None, object()), ids=str)
def test_objects_without_dlpack(other):
    raises(lambda: xp.from_dlpack(other), AttributeError, TypeError)


def test_objects_without_dlpack_raise_attribute_error():
    raises(lambda: xp.from_dlpack(object()), AttributeError)


def test_capsules_are_given_back_unused():
    x = make([1.0, 2.0])
    for version in (None, (1, 0)):
        for _ in range(100):
            x.__dlpack__(max_version=version)
    assert values(x) == [1.0, 2.0]


def test_results_outlive_their_source():
    x = make([1.0, 2.0, 3.0])
    y = xp.from_dlpack(x)
    del x
    expect(y, (3,), "float64", [1.0, 2.0, 3.0])


def test_from_numpy():
    numpy = pytest.importorskip("numpy")
    for dtype in ALL:
        source = numpy.asarray([0, 1, 1], dtype=dtype)
        expect(xp.from_dlpack(source), (3,), dtype)
        assert values(xp.from_dlpack(source)) == [0, 1, 1]


def test_to_numpy():
    numpy = pytest.importorskip("numpy")
    for dtype in ALL:
        out = numpy.from_dlpack(sample((2, 2), dtype))
        assert (str(out.dtype), out.reshape(-1).tolist()) == (dtype, values(sample((2, 2), dtype)))


def test_read_only_memory():
    numpy = pytest.importorskip("numpy")
    source = numpy.asarray([1.0, 2.0])
    source.flags.writeable = False
    y = xp.from_dlpack(source)
    assert values(y) == [1.0, 2.0]
    assert dt("float64") == y.dtype

# SPDX-License-Identifier: Apache-2.0
"""Devices: which there are, arrays that are put there, the device= of functions that make arrays."""
import pickle

import numpy
import pytest

import kiln
import kiln.numpy as np

CPU = kiln.devices("cpu")[0]


def test_devices_are_found_by_kind_and_compare_with_names():
    assert kiln.devices()[0] is CPU and kiln.device_count("cpu") == 1
    assert (CPU.platform, CPU.id, repr(CPU), str(CPU)) == ("cpu", 0, "CpuDevice(id=0)", "cpu:0")
    assert CPU == "cpu" and CPU == "host" and CPU != "gpu" and {CPU: 1}["cpu"] == 1
    assert CPU.info["index_bits"] == 64 and pickle.loads(pickle.dumps(CPU)) is CPU
    with pytest.raises(RuntimeError, match="Unknown backend moon"):
        kiln.devices("moon")


def test_device_put_commits_trees():
    x = np.ones(3)
    y = kiln.device_put({"a": x, "b": 2.5}, CPU)
    assert not x.committed and y["a"].committed and y["b"].committed
    assert (y["a"] + x).committed and (y["a"] + x).devices() == {CPU}
    assert not kiln.device_put(x).committed
    with pytest.raises(ValueError, match="there is no device 'moon:1'; there "):
        kiln.device_put(x, "moon:1")
    with pytest.raises(ValueError, match="Device not understood: 3"):
        kiln.device_put(x, 3)


@pytest.mark.parametrize("make", [
    lambda d: np.zeros(3, device=d), lambda d: np.ones_like(np.zeros(3), device=d), lambda d: np.full(2, 3, device=d),
    lambda d: np.arange(3, device=d), lambda d: np.asarray([1], device=d), lambda d: np.eye(2, device=d),
    lambda d: np.linspace(0, 1, 3, device=d), lambda d: np.linspace(0, 1, 3, retstep=True, device=d)[0],
    lambda d: np.astype(np.ones(2), "f4", device=d), lambda d: np.fft.fftfreq(4, device=d)])
def test_functions_that_make_arrays_take_a_device(make):
    assert make(CPU).committed and make(CPU).device == CPU
    assert not make("cpu").committed and not make(None).committed  # NumPy's word commits nothing
    assert (make(CPU) == make(None)).all()
    with pytest.raises(ValueError, match="there is no device 'moon:1'"):
        make("moon:1")


def test_a_loop_kept_tells_default_devices_apart(gpu):
    from kiln import lax
    f = lambda x: x * (1 + x.device.id + (x.device == "webgpu"))  # a traced array is at the default device
    loop = lambda: lax.map(f, np.ones(1, "f4")).tolist()
    assert loop() == [1]
    with kiln.default_device(gpu):
        assert loop() == [2]
    assert loop() == [1]


@pytest.fixture
def gpu():
    found = [d for d in kiln.devices() if d.platform == "webgpu"]
    if not found:
        pytest.skip("no adapter of WebGPU: KILN_WEBGPU_LIBRARY says where the engine is")
    return found[0]


@pytest.mark.parametrize("make", [
    lambda y, **kw: np.asarray(y, **kw), lambda y, **kw: np.zeros_like(y, **kw),
    lambda y, **kw: np.full_like(y, 3, **kw), lambda y, **kw: np.astype(y, "f4", **kw),
    lambda y, **kw: np.from_dlpack(y, **kw)])
def test_a_word_for_the_default_device_moves_what_is_elsewhere(gpu, make):
    y = kiln.device_put(np.ones(2, "f4"), gpu)
    assert make(y, device="cpu").device == make(y, device=CPU).device == CPU
    assert make(y, device=None).device == make(y, device=gpu).device == gpu
    with kiln.default_device(gpu):
        assert make(y, device="cpu").devices() == {CPU} and make(np.ones(2, "f4"), device="cpu").committed


def test_a_device_inside_of_a_recording():
    for d in ("cpu", CPU):
        f = kiln.jit(lambda x: x + np.zeros(2, device=d) + np.asarray(np.ones(2), device=d))
        assert f(np.ones(2)).tolist() == [2, 2]


def test_no_copy_goes_to_no_other_device(gpu):
    x = numpy.ones(2, "f4")
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(x, device=gpu, copy=False)
    with pytest.raises(BufferError, match="copy=False, but the array is not on webgpu:0"):
        np.from_dlpack(x, device=gpu, copy=False)
    assert np.from_dlpack(x, device=CPU, copy=False).committed


def test_the_default_device_is_of_blocks():
    with kiln.default_device(CPU):
        assert np.ones(2).device == CPU and kiln.config.jax_default_device == CPU
    assert kiln.config.jax_default_device is None
    with pytest.raises(ValueError, match="there is no device"):
        kiln.config.update("jax_default_device", "moon:1")


def test_under_jit_an_array_is_where_it_is():
    assert kiln.jit(lambda x: kiln.device_put(x, CPU) * 2)(np.ones(2)).tolist() == [2, 2]


def test_the_array_api_standard():
    info = np.__array_namespace_info__()
    assert info.default_device() == "cpu" and info.devices()[0] is CPU
    x = np.ones(2)
    assert x.to_device("cpu") is x and x.to_device(CPU) is x
    with pytest.raises(ValueError, match="Device not understood"):
        x.to_device("moon:1")
    with pytest.raises(ValueError, match="Device not understood"):
        info.dtypes(device="moon:1")

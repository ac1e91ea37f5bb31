# SPDX-License-Identifier: Apache-2.0
"""The namespace: constants, versions, what it says of itself, devices."""

import math

import pytest

from .signatures import FUNCTIONS
from .standard import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL_FLOATING,
    SIGNED,
    UNSIGNED,
    dt,
    expect,
    make,
    raises,
    values,
    xp,
)

VERSION = "2025.12"


def info():
    return xp.__array_namespace_info__()


def test_constants():
    assert xp.e == math.e
    assert xp.pi == math.pi
    assert xp.inf == math.inf
    assert math.isnan(xp.nan)
    assert xp.newaxis is None


def test_version():
    assert xp.__array_api_version__ == VERSION


def test_array_namespace():
    space = make([1]).__array_namespace__()
    assert all(hasattr(space, name) for name in ("add", "sum", "asarray", "float64", "pi", "linalg", "fft"))


def test_array_namespace_of_none():
    space = make([1]).__array_namespace__(api_version=None)
    expect(space.add(make([1]), make([2])), (1,), want=[3])


@pytest.mark.parametrize("version", ("2021.12", "2022.12", "2023.12", "2024.12", VERSION))
def test_array_namespace_of_a_version(version):
    assert make([1]).__array_namespace__(api_version=version).asarray is not None


@pytest.mark.parametrize("version", ("2019.12", "next", "", "2025.13", "9999.12"))
def test_array_namespace_of_an_invalid_version(version):
    raises(lambda: make([1]).__array_namespace__(api_version=version))


def test_array_namespace_has_everything():
    space = make([1]).__array_namespace__()
    missing = [name for name, *_ in FUNCTIONS if "." not in name and not hasattr(space, name)]
    assert not missing


def test_capabilities():
    found = info().capabilities()
    assert found["boolean indexing"] is True
    assert found["data-dependent shapes"] is True
    rank = found["max dimensions"]
    assert rank is None or (isinstance(rank, int) and rank >= 4)


def test_max_dimensions_can_be_made():
    rank = info().capabilities()["max dimensions"]
    if rank is not None:
        assert xp.ones((1,) * rank).ndim == rank
        raises(lambda: xp.ones((1,) * (rank + 1)))


def test_default_dtypes():
    found = info().default_dtypes()
    assert found["real floating"] == xp.zeros(1).dtype
    assert found["complex floating"] == xp.asarray(1j).dtype
    assert found["integral"] == xp.asarray(1).dtype
    assert found["indexing"] == xp.argmax(make([1, 2])).dtype
    assert set(found) == {"real floating", "complex floating", "integral", "indexing"}


def test_default_dtypes_belong_together():
    found = info().default_dtypes()
    pairs = {("float32", "complex64"), ("float64", "complex128")}
    assert any(found["real floating"] == dt(r) and found["complex floating"] == dt(c) for r, c in pairs)


KINDS = {
    None: ALL,
    "bool": ("bool",),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
    ("bool", "real floating"): ("bool",) + REAL_FLOATING,
    ("signed integer", "complex floating"): SIGNED + COMPLEX,
    (): (),
}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_dtypes(kind):
    found = info().dtypes(kind=kind)
    assert set(found) == set(KINDS[kind])
    assert all(found[name] == dt(name) for name in found)


def test_dtypes_of_a_device():
    assert set(info().dtypes(device=info().devices()[0])) == set(ALL)


def test_dtypes_of_an_unknown_kind():
    raises(lambda: info().dtypes(kind="floating complex"))


def test_dtypes_can_be_computed_with():
    for name in FLOATING:
        expect(xp.ones(2, dtype=info().dtypes()[name]), (2,), name)


def test_devices_is_a_tuple():
    assert isinstance(info().devices(), tuple)


def test_default_device_is_a_device():
    assert info().default_device() is None or info().default_device() in info().devices()


def test_device_of_an_array():
    x = make([1.0])
    assert x.device == x.device
    assert x.device in info().devices()
    assert not x.device != make([2]).device


CREATE = {
    "arange": lambda device: xp.arange(3, device=device),
    "asarray": lambda device: xp.asarray([1, 2], device=device),
    "empty": lambda device: xp.empty((2,), device=device),
    "empty_like": lambda device: xp.empty_like(make([1]), device=device),
    "eye": lambda device: xp.eye(2, device=device),
    "full": lambda device: xp.full((2,), 3, device=device),
    "full_like": lambda device: xp.full_like(make([1]), 3, device=device),
    "linspace": lambda device: xp.linspace(0, 1, 3, device=device),
    "ones": lambda device: xp.ones((2,), device=device),
    "ones_like": lambda device: xp.ones_like(make([1]), device=device),
    "zeros": lambda device: xp.zeros((2,), device=device),
    "zeros_like": lambda device: xp.zeros_like(make([1]), device=device),
    "astype": lambda device: xp.astype(make([1]), dt("float32"), device=device),
    "fft.fftfreq": lambda device: xp.fft.fftfreq(4, device=device),
    "fft.rfftfreq": lambda device: xp.fft.rfftfreq(4, device=device),
    "from_dlpack": lambda device: xp.from_dlpack(make([1]), device=device),
}


@pytest.mark.parametrize("name", CREATE)
def test_every_device_takes_new_arrays(name):
    for device in info().devices():
        assert CREATE[name](device).device == device


@pytest.mark.parametrize("name", [name for name in CREATE])
def test_unknown_device(name):
    raises(lambda: CREATE[name]("no device"))


def test_results_stay_on_the_device():
    for device in info().devices():
        x = xp.asarray([1.0, 2.0], device=device)
        assert (x + x).device == xp.sum(x).device == x[0].device == xp.zeros_like(x).device == device


def test_to_device():
    x = make([1.0, 2.0])
    for device in info().devices():
        y = x.to_device(device)
        assert y.device == device
        expect(y, (2,), "float64", [1.0, 2.0])
        assert values(x.to_device(device, stream=None)) == [1.0, 2.0]


def test_to_unknown_device():
    raises(lambda: make([1]).to_device("no device"))

# SPDX-License-Identifier: Apache-2.0
"""Names, and how functions may be called: every form that the standard allows, and the defaults."""

import inspect

import pytest

from .signatures import ATTRIBUTES, CONSTANTS, FUNCTIONS, INFO, METHODS_OF_ARRAY, REFLECTED
from .standard import ALL, ARRAY, dt, expect, function, make, sample, values, xp


@pytest.mark.parametrize("name", [line[0] for line in FUNCTIONS])
def test_function_is_there(name):
    assert callable(function(name))


@pytest.mark.parametrize("name", [line[0] for line in METHODS_OF_ARRAY])
def test_method_is_there(name):
    assert callable(getattr(ARRAY, name))


@pytest.mark.parametrize("name", REFLECTED)
def test_reflected_operator_is_there(name):
    assert callable(getattr(ARRAY, f"__r{name}__"))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attribute_is_there(name):
    getattr(xp.ones((2, 2)), name)


@pytest.mark.parametrize("name", ALL)
def test_dtype_is_there(name):
    assert dt(name) == dt(name)
    assert not dt(name) != dt(name)
    assert all(dt(name) != dt(other) for other in ALL if other != name)


@pytest.mark.parametrize("name", CONSTANTS)
def test_constant_is_there(name):
    assert hasattr(xp, name)


@pytest.mark.parametrize("name", INFO)
def test_inspection_function_is_there(name):
    assert callable(getattr(xp.__array_namespace_info__(), name))


def bind(call, *args, **kwargs):
    inspect.signature(call).bind(*args, **kwargs)


TAKING_PARAMETERS = [line for line in FUNCTIONS if line[1] or line[2] or line[3]]
NAMED = [line[0] for line in TAKING_PARAMETERS]


@pytest.mark.parametrize("name, positional, rest, keywords", TAKING_PARAMETERS, ids=NAMED)
def test_signature_takes_required_parameters_alone(name, positional, rest, keywords):
    if positional and positional[0][0] == "...":
        return
    bind(function(name), *[0 for p in positional + rest if p[1]])


@pytest.mark.parametrize("name, positional, rest, keywords", TAKING_PARAMETERS, ids=NAMED)
def test_signature_takes_all_parameters_by_position(name, positional, rest, keywords):
    bind(function(name), *[0 for p in positional + rest])


@pytest.mark.parametrize(
    "name, positional, rest, keywords",
    [line for line in FUNCTIONS if line[2] and line[2][0][0] != "..."],
    ids=[line[0] for line in FUNCTIONS if line[2] and line[2][0][0] != "..."],
)
def test_signature_takes_parameters_by_keyword(name, positional, rest, keywords):
    bind(function(name), *[0 for p in positional], **{p[0]: 0 for p in rest})


CASES = [(line[0], key, default) for line in FUNCTIONS for key, default in line[3].items()]


@pytest.mark.parametrize("name, key, default", CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_signature_takes_keyword(name, key, default):
    _, positional, rest, _ = next(line for line in FUNCTIONS if line[0] == name)
    bind(function(name), *[0 for p in positional + rest if p[1]], **{key: default})


@pytest.mark.parametrize("name, key, default", CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_default_in_the_signature(name, key, default):
    parameters = inspect.signature(function(name)).parameters
    if key not in parameters:
        pytest.skip("it comes with the keywords")
    found = parameters[key].default
    assert found is not inspect.Parameter.empty
    if isinstance(found, (bool, int, float, str)) and default is not None:
        assert found == default


# Keywords are given their defaults explicitly: the result is the same as without them.
OPERANDS = {
    "all": lambda: (sample((2, 3), "bool"),),
    "any": lambda: (sample((2, 3), "bool"),),
    "arange": lambda: (5,),
    "asarray": lambda: ([1, 2],),
    "astype": lambda: (sample((2, 3), "int32"), dt("int64")),
    "concat": lambda: ([sample((2, 3), "int64"), sample((1, 3), "int64")],),
    "cumulative_prod": lambda: (sample((4,), "int16", 1),),
    "cumulative_sum": lambda: (sample((4,), "int16", 1),),
    "eye": lambda: (3,),
    "from_dlpack": lambda: (sample((2, 3), "int64"),),
    "full": lambda: ((2, 3), 4.0),
    "full_like": lambda: (sample((2, 3), "int64"), 4),
    "isin": lambda: (sample((2, 3), "int64"), make([1, 3], "int64")),
    "linspace": lambda: (0.0, 1.0, 5),
    "meshgrid": lambda: (sample((3,), "int64"), sample((2,), "int64")),
    "ones": lambda: ((2, 3),),
    "repeat": lambda: (sample((2, 3), "int64"), 2),
    "reshape": lambda: (sample((2, 3), "int64"), (3, 2)),
    "roll": lambda: (sample((2, 3), "int64"), 1),
    "searchsorted": lambda: (make([1, 2, 2, 3], "int64"), make([2, 0], "int64")),
    "stack": lambda: ([sample((2, 3), "int64")] * 2,),
    "take": lambda: (sample((4,), "int64"), make([1, 0], "int64")),
    "take_along_axis": lambda: (sample((2, 3), "int64"), make([[1], [0]], "int64")),
    "tensordot": lambda: (sample((2, 3), "int64"), sample((2, 3), "int64", 2)),
    "vecdot": lambda: (sample((2, 3), "float64"), sample((2, 3), "float64", 2)),
    "zeros": lambda: ((2, 3),),
    "linalg.cholesky": lambda: (make([[4.0, 2.0], [2.0, 3.0]], "float64"),),
    "linalg.cross": lambda: (sample((2, 3), "float64"), sample((2, 3), "float64", 2, 3)),
    "linalg.diagonal": lambda: (sample((2, 3), "float64"),),
    "linalg.tensordot": lambda: (sample((2, 3), "float64"), sample((2, 3), "float64", 2)),
    "linalg.vecdot": lambda: (sample((2, 3), "float64"), sample((2, 3), "float64", 2)),
    "fft.fftfreq": lambda: (5,),
    "fft.rfftfreq": lambda: (5,),
}
COMPLEX_OPERAND = ("fft.fft", "fft.ifft", "fft.fftn", "fft.ifftn", "fft.irfft", "fft.irfftn", "fft.hfft")


@pytest.mark.parametrize(
    "name, key, default",
    [c for c in CASES if c[0] not in ("empty", "empty_like")],
    ids=[f"{c[0]}-{c[1]}" for c in CASES if c[0] not in ("empty", "empty_like")],
)
def test_default_given_explicitly(name, key, default):
    one = (sample((2, 3), "complex128" if name in COMPLEX_OPERAND else "float64"),)
    operands = OPERANDS[name]() if name in OPERANDS else one
    call = function(name)
    without, explicit = call(*operands), call(*operands, **{key: default})
    if not isinstance(without, (tuple, list)):
        without, explicit = (without,), (explicit,)
    for x, y in zip(without, explicit, strict=True):
        assert x.dtype == y.dtype
        expect(y, x.shape, want=values(x))


def test_sample_operands_show_what_defaults_do():
    """Where the default matters in the calls above, another value gives something else."""
    for name, key, other in (
        ("searchsorted", "side", "right"),
        ("meshgrid", "indexing", "ij"),
        ("isin", "invert", True),
        ("linspace", "endpoint", False),
        ("stack", "axis", 2),
        ("tensordot", "axes", 0),
    ):

        def shown(out):
            return [(x.shape, values(x)) for x in (out if isinstance(out, (tuple, list)) else [out])]

        operands, call = OPERANDS[name](), function(name)
        assert shown(call(*operands)) != shown(call(*operands, **{key: other})), name


@pytest.mark.parametrize("name, positional, rest, keywords", METHODS_OF_ARRAY, ids=[m[0] for m in METHODS_OF_ARRAY])
def test_signature_of_a_method(name, positional, rest, keywords):
    method = getattr(ARRAY, name)
    try:
        signature = inspect.signature(method)
    except ValueError:
        pytest.skip("it says no signature")
    signature.bind(None, *[0 for p in positional], **keywords)


def test_arange_by_keyword():
    expect(xp.arange(1, stop=7, step=2), (3,), want=[1, 3, 5])


def test_clip_by_keyword():
    expect(xp.clip(make([1, 5, 9], "int64"), min=2, max=8), (3,), "int64", [2, 5, 8])
    expect(xp.clip(make([1, 5, 9], "int64"), max=8), (3,), "int64", [1, 5, 8])
    expect(xp.clip(make([1, 5, 9], "int64"), 2), (3,), "int64", [2, 5, 9])


def test_shape_by_keyword():
    expect(xp.full(shape=(2,), fill_value=7), (2,), want=[7, 7])
    expect(xp.zeros(shape=(2,)), (2,), want=[0.0, 0.0])
    expect(xp.ones(shape=(2,)), (2,), want=[1.0, 1.0])
    assert xp.empty(shape=(2,)).shape == (2,)
    expect(xp.reshape(make([1, 2]), shape=(2, 1)), (2, 1), want=[[1], [2]])
    expect(xp.broadcast_to(make([1, 2]), shape=(2, 2)), (2, 2), want=[[1, 2], [1, 2]])
    expect(xp.full_like(make([1, 2]), fill_value=7), (2,), want=[7, 7])
    expect(xp.permute_dims(make([[1, 2]]), axes=(1, 0)), (2, 1), want=[[1], [2]])
    expect(xp.roll(make([1, 2, 3]), shift=1), (3,), want=[3, 1, 2])
    expect(xp.linspace(0.0, 1.0, num=2), (2,), want=[0.0, 1.0])

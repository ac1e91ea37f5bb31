# SPDX-License-Identifier: Apache-2.0
"""Arrays as text, print options and the error state are NumPy's."""
import warnings

import numpy
import pytest

import kiln
import kiln.numpy as knp

ARRAYS = {
    "floats": [1.0, 2.5, -3.25], "thirds": [1 / 3, 2 / 3, 100 / 3], "small": [1e-10, 1.0], "large": [1e20, 1.0],
    "odd": [float("nan"), float("inf"), -float("inf")], "zeros": [-0.0, 0.0],
    "ints": [1, -200, 3], "bools": [True, False],
    "complex": [1 + 2j, -3.5j], "matrix": [[1.5, 2], [3, 4]], "cube": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "empty": [],
    "scalar": 2.5, "long": list(range(40)),
}
OPTIONS = [
    {}, {
        "precision": 2}, {
            "precision": 4, "suppress": True}, {
                "linewidth": 30}, {
                    "threshold": 5, "edgeitems": 1}, {
                        "floatmode": "fixed"}, {
                            "floatmode": "unique"}, {
                                "floatmode": "maxprec_equal"}, {
                                    "sign": "+"}, {
                                        "sign": " "}, {
                                            "nanstr": "NA", "infstr": "oo"}, {
                                                "formatter": {
                                                    "float_kind": "{:.1f}".format}}, {
                                                        "formatter": {
                                                            "all": lambda x: f"<{x}>"}}, {
                                                                "formatter": {
                                                                    "int": hex}}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ARRAYS)
def test_texts(name, options):
    if "formatter" in options and "all" in options["formatter"] and name == "complex":
        pytest.skip("Python's complex numbers print otherwise than NumPy's")
    x, y = numpy.array(ARRAYS[name]), knp.array(ARRAYS[name])
    with numpy.printoptions(**options), knp.printoptions(**options):
        assert str(y) == str(x)
        assert repr(y) == repr(x)
        assert knp.array2string(y, separator=", ") == numpy.array2string(x, separator=", ")


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint64", "complex64"])
def test_dtypes_in_texts(dtype):
    x = numpy.array([1, 2, 3]).astype(dtype)
    assert repr(knp.asarray(x)) == repr(x) and str(knp.asarray(x)) == str(x)


def test_options_are_kept_and_put_back():
    before = knp.get_printoptions()
    assert before == numpy.get_printoptions()
    with knp.printoptions(precision=3, threshold=7) as inside:
        assert inside["precision"] == 3 and knp.get_printoptions()["threshold"] == 7
    assert knp.get_printoptions() == before
    with pytest.raises(ZeroDivisionError):
        with knp.printoptions(precision=3):
            1 / 0
    assert knp.get_printoptions() == before


@pytest.mark.parametrize("options", [{"floatmode": "x"}, {"sign": "x"}, {"threshold": float("nan")}, {"threshold": "x"},
                                     {"precision": 1.5}])
def test_wrong_options(options):
    errors = []
    for np in (numpy, knp):
        with pytest.raises((ValueError, TypeError)) as e:
            np.set_printoptions(**options)
        errors.append((e.type, str(e.value)))
    assert errors[0] == errors[1]


def test_a_formatter_that_fails():
    with pytest.raises(ZeroDivisionError):
        knp.array2string(knp.ones(2), formatter={"all": lambda x: 1 / 0})
    with pytest.raises(TypeError, match="has to return a str"):
        knp.array2string(knp.ones(2), formatter={"all": lambda x: 5})
    assert knp.array2string(knp.ones(2)) == "[1. 1.]"


# ---- The error state.

def test_errstate_raises():
    x = knp.array([1.0, 0.0])
    with knp.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            x / 0
    assert (x / 0).tolist()[0] == float("inf")


def test_seterr_returns_the_old_modes():
    before = knp.geterr()
    assert set(before) == {"divide", "over", "under", "invalid"}
    assert knp.seterr(all="raise") == before
    assert set(knp.seterr(**before).values()) == {"raise"}
    assert knp.geterr() == before
    with pytest.raises(ValueError):
        knp.seterr(all="nothing")


def test_calls_and_logs():
    told, lines = [], []

    class Log:
        def write(self, text):
            lines.append(text)

    with knp.errstate(call=lambda kind, flags: told.append((kind, flags)), invalid="call"):
        knp.sqrt(knp.array([-1.0])).tolist()
    with knp.errstate(call=Log(), divide="log"):
        (knp.array([1.0]) / 0).tolist()
    assert told == [("invalid value", 8)] and lines == ["Warning: divide by zero encountered in divide\n"]
    assert knp.geterrcall() is None
    with pytest.raises(ValueError, match="Only callable can be used as callback"):
        knp.seterrcall(3)


def test_warnings_are_pythons():
    x = knp.array([1.0, -1.0])
    with knp.errstate(invalid="warn"), pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        knp.sqrt(x).tolist()
    with knp.errstate(divide="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
            knp.log(knp.zeros(2)).tolist()


def test_a_callback_that_fails():
    def fails(kind, flags):
        raise KeyError(kind)
    with knp.errstate(call=fails, divide="call"), pytest.raises(KeyError, match="divide by zero"):
        knp.array([1.0]) / 0


def test_errstate_as_decorator():
    @knp.errstate(all="raise")
    def f(x):
        return x / 0
    with pytest.raises(FloatingPointError):
        f(knp.array([1.0]))
    assert knp.geterr()["divide"] == "ignore"


def test_nothing_leaks():
    def calls():
        with warnings.catch_warnings(), knp.printoptions(formatter={"all": str}):
            str(knp.ones(3)), repr(knp.array([1j])), knp.array2string([1, 2], precision=1)
    calls()
    before = kiln._core.live_count()
    for _ in range(3):
        calls()
    assert kiln._core.live_count() == before

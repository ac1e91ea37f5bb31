# SPDX-License-Identifier: Apache-2.0
"""Functions have NumPy's parameters: their names, kinds, order and defaults, as inspect.signature tells them."""
import inspect

import numpy
import pytest

import kiln.numpy as knp

SPACES = {"": (numpy, knp), "linalg": (numpy.linalg, knp.linalg), "fft": (numpy.fft, knp.fft),
          "emath": (numpy.emath, knp.emath), "lib": (numpy.lib, knp.lib), "ndarray": (numpy.ndarray, knp.ndarray),
          "stride_tricks": (numpy.lib.stride_tricks, knp.lib.stride_tricks),
          "array_utils": (numpy.lib.array_utils, knp.lib.array_utils)}
# What differs, and why.
MORE = {  # parameters of ours that come behind NumPy's
    "argsort": {"descending"}, "sort": {"descending"},  # the Array API standard's
    "fft.fftfreq": {"dtype"}, "fft.rfftfreq": {"dtype"},  # the Array API standard's
    "stride_tricks.as_strided": {"check_bounds"},  # that of NumPy's next version
}
SPELLED = {  # what NumPy takes by *args and **kwargs has names here
    "einsum", "frompyfunc", "ndarray.max", "ndarray.mean", "ndarray.min", "ndarray.prod", "ndarray.std", "ndarray.sum",
    "ndarray.var", "ndarray.view"}
DEFAULTS = {"eye", "tri"}  # dtype=None, which is float64, too


def functions():
    for space, (theirs, ours) in SPACES.items():
        for name in sorted(set(dir(theirs)) & set(dir(ours))):
            f, g = getattr(theirs, name), getattr(ours, name)
            if not name.startswith("_") and callable(f) and callable(g) and not isinstance(f, type):
                try:
                    inspect.signature(f)
                except ValueError:
                    continue
                yield f"{space}.{name}".lstrip(".")


def parameters(name, which):
    space, _, short = name.rpartition(".")
    found = inspect.signature(getattr(SPACES[space][which], short)).parameters.values()
    return [(p.name, p.kind, default_of(p.default)) for p in found]


def default_of(value):
    if value is inspect.Parameter.empty:
        return "needed"
    text = repr(value).replace("numpy.", "").replace("'float64'", "'float'")
    return "None" if text == "<no value>" else text  # None here, but of clip


@pytest.mark.parametrize("name", list(functions()))
def test_parameters(name):
    expected, got = parameters(name, 0), parameters(name, 1)
    if name in DEFAULTS:
        expected, got = [[p[:2] for p in ps] for ps in (expected, got)]
    if name in SPELLED:
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        expected = [p[0] for p in expected if p[1] not in variadic]
        got = [p[0] for p in got]
        assert got[:len(expected)] == expected or set(expected) <= set(got)
        return
    more = MORE.get(name, set())
    assert [p for p in got if p[0] not in more] == expected and more <= {p[0] for p in got}


@pytest.mark.parametrize("name", sorted(DEFAULTS | SPELLED | set(MORE)))
def test_exceptions_are_still_needed(name):
    expected, got = parameters(name, 0), parameters(name, 1)
    if set(MORE.get(name, ())) <= {p[0] for p in expected} or name not in MORE:
        assert got != expected

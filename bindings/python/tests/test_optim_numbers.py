# SPDX-License-Identifier: Apache-2.0
"""kiln.optim makes of the cases of optax_cases.py the numbers that optax printed (optax_numbers.txt); where optax is
installed, the file is compared with it."""
import os
import pathlib

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import optim

import optax_cases
from optax_cases import CASES

LINES = (pathlib.Path(__file__).parent / "optax_numbers.txt").read_text().splitlines()
WANT = {name: numpy.asarray(rest.split(), dtype="float64")
        for name, _, rest in (line.partition(":") for line in LINES if not line.startswith("#"))}


def near(got, want):
    assert got.shape == want.shape
    numpy.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-9)


def test_there_are_numbers_for_each_case():
    assert set(WANT) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_optax(name):
    near(optax_cases.numbers(kiln.tree.leaves(CASES[name](optim, np))), WANT[name])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:.optimistic_adam. is deprecated")
def test_optax_still_prints_them(name):
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    pytest.importorskip("optax")
    near(optax_cases.of_optax(name), WANT[name])

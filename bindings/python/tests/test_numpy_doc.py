# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of kiln.numpy are right, and every public name is documented."""
import doctest
import importlib
import inspect
import pkgutil

import pytest

import kiln.numpy as knp

MODULES = [m.name for m in pkgutil.walk_packages(knp.__path__, "kiln.numpy.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed


def test_all_names_are_there():
    assert [n for n in knp.__all__ if not hasattr(knp, n)] == []


def test_functions_have_docstrings():
    assert [n for n in knp.__all__ if callable(getattr(knp, n)) and not getattr(knp, n).__doc__] == []


def test_functions_have_signatures():
    def bare(f):
        try:
            return not inspect.signature(f)
        except (TypeError, ValueError):
            return True
    assert [n for n in knp.__all__ if inspect.isroutine(getattr(knp, n)) and bare(getattr(knp, n))] == []

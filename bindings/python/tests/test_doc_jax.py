# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of what is JAX's are run."""
import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["_transforms", "_custom", "_callbacks", "_jaxpr", "_config", "lax._control", "random", "optim",
                                  "flatten_util", "tree_util"])
def test_examples(name):
    result = doctest.testmod(importlib.import_module("kiln." + name))
    assert result.failed == 0

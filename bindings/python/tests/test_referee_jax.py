# SPDX-License-Identifier: Apache-2.0
"""referee_jax.py, a part of it: all of it takes JAX's compiler several minutes and is run by hand."""
import os

import pytest

pytest.importorskip("jax")
if "KILN_REFEREE_CACHE" not in os.environ and not os.environ.get("KILN_REFEREE"):
    pytest.skip("set KILN_REFEREE=1 to compare with JAX", allow_module_level=True)
import referee_jax


def test_nothing_differs():
    _, differences = referee_jax.run()
    assert differences == []


def test_typed_texts():
    equal, other = referee_jax.run_texts()
    assert equal >= 150

# SPDX-License-Identifier: Apache-2.0
"""Tests of the Array API standard 2025.12, written from its text: function by function, dtype by dtype.

ARRAY_API_MODULE names the module that is tested (kiln.numpy unless said otherwise), so that the tests can be tried
against others, NumPy first of all. What a module is known to do otherwise stands in deviations.py, with the reason.
"""

import pytest

pytest.register_assert_rewrite(__name__ + ".standard")

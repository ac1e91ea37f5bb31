# SPDX-License-Identifier: Apache-2.0
"""Marks the tests of what the module under test is known to do otherwise."""

import pytest

from .deviations import DEVIATIONS, OPEN
from .standard import MODULE


def pytest_collection_modifyitems(items):
    for table, strict in ((DEVIATIONS, True), (OPEN, False)):
        for part, reason in table.get(MODULE, {}).items():
            for item in items:
                if "array_api/" in item.nodeid and part in item.nodeid:
                    item.add_marker(pytest.mark.xfail(reason=reason, strict=strict))

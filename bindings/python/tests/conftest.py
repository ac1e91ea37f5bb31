# SPDX-License-Identifier: Apache-2.0
"""JAX, where it is the referee, has 64 bits and the CPU: it asks once, when it is imported."""
import gc
import os
import signal

import pytest

# A shell starts what runs in its background without interrupts, which Python then leaves so; the tests send some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


@pytest.fixture(autouse=True, scope="module")
def old_objects_are_not_looked_at():
    """Collections see what the tests of this file make: pytest's own objects, some hundred thousand, cost a third of a second each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()

# SPDX-License-Identifier: Apache-2.0
"""Messages name what is there in Python: no function of C, also where every function is called wrongly."""
import re
import warnings

import pytest

import kiln
import kiln.lax
import kiln.nn
import kiln.numpy as np
import kiln.ops
import kiln.random
import kiln.scipy.linalg
import kiln.scipy.signal
import kiln.scipy.special

X = np.ones((2, 3))
WRONG = [(), (None,), ("text",), ({},), (X, "text"), (X, None), (X, X, X), (X, -99), (X, 1.5), ([1, None],), (np.ones((0,)),),
         (np.array([1j]),), (X, [-1]), (X, X, "text"), (X, [9], 1), (3, X), (X, object()), ("text", "text"), (X, 2**70)]
BAD = re.compile(r"\bkn_|knx_|kpy_|set_at|place_mask|\bufunc_\w+:|find_device")
SPACES = [np, np.linalg, np.fft, kiln.lax, kiln.nn, kiln.random, kiln.ops, kiln.scipy.special, kiln.scipy.linalg,
          kiln.scipy.signal]
LEFT = {"show_config", "info", "test", "save", "savez", "savez_compressed", "savetxt", "load", "memmap", "fromfile", "loadtxt",
        "genfromtxt"}  # they print or look at files


@pytest.mark.parametrize("space", SPACES, ids=lambda m: m.__name__)
def test_no_function_of_c(space):
    found = []
    for name in dir(space):
        f = getattr(space, name)
        if name.startswith("_") or name in LEFT or isinstance(f, type) or not callable(f):
            continue
        for args in WRONG:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    f(*args)
            except Exception as e:
                if BAD.search(str(e)):
                    found.append(f"{name}{args!r:.60}: {e}")
    assert not found


def test_what_is_named_is_named_as_here():
    with pytest.raises(TypeError, match=r"kiln\.random\.key makes one"):
        kiln.random.bits(np.ones(3))
    with pytest.raises(IndexError, match="^index 9 is out of bounds"):
        X[9] = 1

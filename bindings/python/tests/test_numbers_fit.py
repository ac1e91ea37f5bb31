# SPDX-License-Identifier: Apache-2.0
"""Integers that a dtype does not hold are an OverflowError wherever NumPy has it so, also in lists that are written."""
import numpy
import pytest

import kiln.numpy as knp

WAYS = """
x[0] = 300
x[0] = 300.5
x[np.array([0, 2])] = [300, 1]
x[:] = (1, 2, -129)
x[x > 1] = [300, 1]
x.fill(300)
x.put([0], [300])
np.put(x, [0], [300])
np.place(x, x > 1, [300])
np.putmask(x, x > 1, 300)
np.copyto(x, 300)
np.put_along_axis(x, np.array([0]), 300, 0)
np.fill_diagonal(np.ones((2, 2), 'int8'), 300)
np.insert(x, 0, 300)
np.arange(300, 303, 1, dtype='int8')
np.arange(-1, 3, dtype='uint8')
np.pad(x, 1, constant_values=300)
np.full(2, 300, dtype='int8')
np.full_like(x, 300)
np.array([300], dtype='int8')
np.asarray([[1, 2], [3, -1]], dtype='uint8')
np.sum(x, initial=300, dtype='int8')
np.max(x, initial=300)
np.add(x, 300)
""".strip().splitlines()


@pytest.mark.parametrize("line", WAYS)
def test_what_does_not_fit_is_an_overflow(line):
    for np in (numpy, knp):
        with pytest.raises(OverflowError):
            exec(line, {"np": np, "x": np.array([1, 2, 3], dtype="int8")})


@pytest.mark.parametrize("line", ["x[np.array([0, 2])] = [-128, 127]", "x[:] = [1.5, 2, -0.5]", "np.put(x, [0], [7])",
                                  "np.place(x, x > 1, [7])", "x[1:] = (5, 6)", "x[0] = 127.9", "x[:] = [True, 2, 3]"])
def test_what_fits_is_written(line):
    got = []
    for np in (numpy, knp):
        x = np.array([1, 2, 3], dtype="int8")
        exec(line, {"np": np, "x": x})
        got.append(x.tolist())
    assert got[0] == got[1]

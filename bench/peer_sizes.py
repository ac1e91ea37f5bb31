# SPDX-License-Identifier: Apache-2.0
"""NumPy's everyday functions as case_sizes.c calls them, by name; what has the same name in NumPy at the end."""
import numpy as np


def numpy_functions():
    xp = np
    made = {
        "zeros_like": xp.zeros_like,
        "full": lambda x: xp.full(x.shape, 1.5),
        "arange": lambda x: xp.arange(0.0, float(x.size), 1.0),
        "linspace": lambda x: xp.linspace(0.0, 1.0, x.size),
        "copy": lambda x: x.copy(),
        "to_f32": lambda x: x.astype(np.float32),
        "to_i64": lambda x: x.astype(np.int64),
        "slice": lambda x: x[1:-1].copy(),
        "reversed": lambda x: x[::-1].copy(),
        "transposed": lambda x: x.reshape(-1, 5).T.copy(),
        "concatenate": lambda x, y: xp.concatenate((x, y)),
        "stack": lambda x, y: xp.stack((x, y), axis=1),
        "repeat": lambda x: xp.repeat(x, 2),
        "tile": lambda x: xp.tile(x, 2),
        "roll": lambda x: xp.roll(x, 3),
        "pad": lambda x: xp.pad(x, 2),
        "times_number": lambda x: x * 1.5,
        "clip": lambda x: xp.clip(x, 0.3, 0.7),
        "where": lambda x, y: xp.where(x > 0.5, x, y),
        "add_i32": lambda x: x + x,
        "floor_divide_i32": lambda x: x // 7,
        "and_i32": lambda x: x & 255,
        "shift_i32": lambda x: x << 2,
        "multiply_c128": lambda x: x * x,
        "abs_c128": xp.abs,
        "any_above": lambda x: xp.any(x > 2.0),
        "sum_axis0": lambda x: x.reshape(-1, 5).sum(axis=0),
        "sum_axis1": lambda x: x.reshape(-1, 5).sum(axis=1),
        "nonzero_above": lambda x: xp.flatnonzero(x > 0.5),
        "masked": lambda x: x[x > 0.5],
        "interp": lambda x, y: xp.interp(y, x, x),
        "isclose": xp.isclose,
    }
    same = ("negative abs sqrt exp log sin tanh floor square isnan add divide power maximum arctan2 hypot greater sum mean max std argmax "
            "count_nonzero cumsum diff dot sort argsort unique median take searchsorted bincount isin").split()
    made.update({name: getattr(xp, name) for name in same})
    return {"each_" + name: f for name, f in made.items()}

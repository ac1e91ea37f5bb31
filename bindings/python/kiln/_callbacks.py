# SPDX-License-Identifier: Apache-2.0
"""Python functions that run when a program runs (jax.pure_callback, jax.experimental.io_callback, jax.debug)."""
import string as _string

from . import _core
from ._transforms import ShapeDtypeStruct, _check_callable
from .tree_util import tree_flatten, tree_leaves, tree_map

_numpy = _core.functions("kiln.numpy")
_asarray = _numpy["asarray"]
_shape_dtype_struct = _core.functions("kiln")["shape_dtype_struct"]


def _host(callback, in_tree, out_tree=None, types=()):
    """The callback as a function of flat arrays that gives flat arrays of the promised types."""

    def call(*leaves):
        args, kwargs = in_tree.unflatten(leaves)
        out = callback(*args, **kwargs)
        if out_tree is None:
            return ()
        given, tree = tree_flatten(out)
        if tree != out_tree:
            raise ValueError(f"the callback returned a value of structure {tree}, but {out_tree} was promised")
        return [_asarray(x) if hasattr(x, "dtype") else _asarray(x, dtype=t.dtype) for x, t in zip(given, types)]

    return call


def _flat(callback, result_shape_dtypes, args, kwargs):
    _check_callable(callback, "callback")
    leaves, in_tree = tree_flatten((args, kwargs))
    types, out_tree = tree_flatten(result_shape_dtypes)
    abstract = [_shape_dtype_struct(t.shape, t.dtype) for t in types]
    return _host(callback, in_tree, out_tree, types), abstract, leaves, out_tree


def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
    """What callback gives for the values of the arguments; it has no other effect. (jax.pure_callback)

    >>> import kiln, kiln.numpy as knp
    >>> f = lambda x: kiln.pure_callback(lambda v: v * 2, kiln.ShapeDtypeStruct((), "float64"), x)
    >>> float(kiln.jit(f)(3.0))
    6.0
    """
    host, types, leaves, out_tree = _flat(callback, result_shape_dtypes, args, kwargs)
    return out_tree.unflatten(_core.pure_callback(host, types, leaves, vmap_method))


def io_callback(callback, result_shape_dtypes, *args, sharding=None, ordered=False, **kwargs):
    """What callback gives; it may do anything, and runs once. (jax.experimental.io_callback)"""
    host, types, leaves, out_tree = _flat(callback, result_shape_dtypes, args, kwargs)
    return out_tree.unflatten(_core.io_callback(host, types, leaves, ordered))


def debug_callback(callback, *args, ordered=False, partitioned=False, **kwargs):
    """Calls callback with the values of the arguments when the program runs. (jax.debug.callback)"""
    _check_callable(callback, "callback")
    leaves, in_tree = tree_flatten((args, kwargs))
    _core.debug_callback(_host(callback, in_tree), leaves)


def debug_print(fmt, *args, ordered=False, partitioned=False, skip_format_check=False, **kwargs):
    """Prints the values of the arguments when the program runs, by a format like Python's. (jax.debug.print)

    >>> import kiln
    >>> @kiln.jit
    ... def f(x):
    ...     kiln.debug.print("x = {x}, twice {}", 2 * x, x=x)
    ...     return x
    >>> _ = f(3)
    x = 3, twice 6
    """
    operands = list(args)
    names, text, automatic = {}, [], 0
    for literal, field, spec, conversion in _string.Formatter().parse(fmt):
        text.append(literal.replace("{", "{{").replace("}", "}}"))
        if field is None:
            continue
        if field == "":
            field, automatic = str(automatic), automatic + 1
        if not field.isdigit():
            if field not in kwargs:
                raise KeyError(field)
            if field not in names:
                names[field] = len(operands)
                operands.append(kwargs[field])
            field = str(names[field])
        elif int(field) >= len(args):
            raise IndexError(f"Replacement index {field} out of range for positional args tuple")
        text.append("{" + field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
    unused = [k for k in kwargs if k not in names]
    if unused and not skip_format_check:
        raise ValueError(f"Unused keyword arguments to `jax.debug.print`: {unused}")
    whole = all(tree_leaves(x) == [x] if not isinstance(x, _core.Array) else True for x in operands)
    if whole and all(isinstance(x, (_core.Array, int, float, complex)) for x in operands):
        _core.debug_print("".join(text), operands)
        return
    fmt = "".join(text)  # trees and other objects are formatted by Python
    debug_callback(lambda *xs: print(fmt.format(*xs)), *operands)

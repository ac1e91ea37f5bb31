# SPDX-License-Identifier: Apache-2.0
"""Loops, branches and reductions by functions (jax.lax)."""
from .. import _core
from .._core import Function
from .._kept import apply as _apply
from .._transforms import Flat, _check_callable
from ..tree_util import tree_flatten, tree_leaves, tree_structure

_c = _core.functions("kiln.lax")
_nothing = object()


def _same_tree(got, want, text):
    if got != want:
        raise TypeError(text.format(got=got, want=want))


def scan(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False, *, checkpoint=0):
    """carry = init; for each element x along the first axis of xs: carry, y = f(carry, x). Returns the carry and the
    stacked ys. (jax.lax.scan)

    Args:
      checkpoint: which carries reverse mode keeps, as in C: 0 all, k every k-th, -1 as many as the root of the length.

    >>> import kiln, kiln.numpy as knp
    >>> carry, ys = kiln.lax.scan(lambda c, x: (c + x, c * x), 0.0, knp.arange(4.0))
    >>> float(carry), ys.tolist()
    (6.0, [0.0, 0.0, 2.0, 9.0])
    """
    _check_callable(f, "scan")
    init_leaves, init_tree = tree_flatten(init)
    xs_leaves, xs_tree = tree_flatten(xs)
    lengths = []
    for x in xs_leaves:
        shape = getattr(x, "shape", None)
        if shape is None:
            shape = _asarray(x).shape
        if not len(shape):
            raise ValueError("scan got value with no leading axis to scan over: " + repr(x) + ".")
        lengths.append(shape[0])
    if length is not None:
        try:
            length = int(length)
        except (TypeError, ValueError):
            raise TypeError(f"The `length` argument to `scan` expects an int, but it is {length!r}") from None
        if any(n != length for n in lengths):
            raise ValueError(f"scan got `length` argument of {length} which disagrees with leading axis sizes "
                             f"{lengths}.")
    elif not lengths:
        raise ValueError("scan got no values to scan over and `length` not provided.")
    elif len(set(lengths)) > 1:
        raise ValueError(f"scan got values with different leading axis sizes: {', '.join(str(n) for n in lengths)}.")
    else:
        length = lengths[0]
    n = len(init_leaves)
    first, second = (((leaves,) if leaves else ()) for leaves in (init_leaves, xs_leaves))  # empty parts do not count
    sizes = tuple(len(p) for p in first + second)
    unroll = length if unroll is True else int(unroll)

    def check(out, tree):
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(f"scan body output must be a pair, got {out!r}.")
        _same_tree(tree.children()[0], init_tree, "scan body function carry input and carry output must have the "
                   "same pytree structure, but they differ: the input carry has structure {want}, and the output carry "
                   "{got}.")

    def build(functions, kind):
        flat = kind(functions[0], [init_tree, xs_tree], check=check)
        both = {(1, 1): flat, (1, 0): lambda carry: flat(carry, ()), (0, 1): lambda x: flat((), x),
                (0, 0): lambda: flat((), ())}
        return [flat], [Function(both[len(first), len(second)], sizes, functions[0])]

    def use(bodies, made, kept):
        carry, note = kept.numbers(init_leaves, xs_leaves)
        out = _core.scan(made[0], (carry,) if carry else (), second, length, bool(reverse), max(unroll, 0), checkpoint)
        kept.note(note, out[:n])
        return init_tree.unflatten(out[:n]), bodies[0].out_tree.children()[1].unflatten(out[n:])

    return _apply("scan", (init_tree, xs_tree), (f,), build, use)


_asarray = _core.functions("kiln.numpy")["asarray"]


def while_loop(cond_fun, body_fun, init_val, *, max_steps=0):
    """val = init_val; while cond_fun(val): val = body_fun(val). (jax.lax.while_loop)

    Args:
      max_steps: at most so many rounds; with it there are derivatives in reverse mode.

    >>> import kiln
    >>> int(kiln.lax.while_loop(lambda x: x < 100, lambda x: x * 2, 3))
    192
    """
    if not (callable(body_fun) and callable(cond_fun)):
        raise TypeError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    leaves, treedef = tree_flatten(init_val)
    n = len(leaves)

    def check_condition(out, tree):
        if tree.num_nodes != 1 or tree.num_leaves != 1:
            raise TypeError(f"cond_fun must return a boolean scalar, but got pytree {tree}.")

    def check_body(out, tree):
        _same_tree(tree, treedef, "while_loop body function carry input and carry output must have the same pytree "
                   "structure, but they differ: the input carry has structure {want}, and the output carry {got}.")

    def build(functions, kind):
        bodies = [kind(functions[0], [treedef], check=check_condition), kind(functions[1], [treedef], check=check_body)]
        return bodies, [Function(b, (n,), f) for b, f in zip(bodies, functions)]

    def use(bodies, made, kept):
        carry, note = kept.numbers(leaves)
        out = _core.while_loop(*made, (carry,), max_steps)
        kept.note(note, out)
        return treedef.unflatten(out)

    return _apply("while_loop", (treedef,), (cond_fun, body_fun), build, use)


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """val = init_val; for i from lower to below upper: val = body_fun(i, val). (jax.lax.fori_loop)

    >>> import kiln
    >>> float(kiln.lax.fori_loop(0, 5, lambda i, x: x + i, 0.0))
    10.0
    """
    if not callable(body_fun):
        raise TypeError("lax.fori_loop: body_fun argument should be callable.")
    leaves, treedef = tree_flatten(init_val)

    def check(out, tree):
        _same_tree(tree, treedef, "fori_loop body function carry input and carry output must have the same pytree "
                   "structure, but they differ: the input carry has structure {want}, and the output carry {got}.")

    def build(functions, kind):
        body = kind(functions[0], [tree_structure(0), treedef], check=check)
        return [body], [Function(body, (1, len(leaves)), functions[0])]

    def use(bodies, made, kept):
        carry, note = kept.numbers(leaves, (lower, upper))
        out = _core.fori_loop(lower, upper, made[0], (carry,))
        kept.note(note, out)
        return treedef.unflatten(out)

    return _apply("fori_loop", (treedef,), (body_fun,), build, use)


def _branches(what, index, functions, operands, is_cond):
    leaves, treedef = tree_flatten(operands)

    def build(functions, kind):
        def compare(out, tree):
            trees = [b.out_tree for b in bodies]
            k = next((k for k, t in enumerate(trees)
                      if k and t is not None and trees[0] is not None and t != trees[0]), 0)
            if k:
                names = ("true_fun", "false_fun") if is_cond else ("branch 0", f"branch {k}")
                raise TypeError(f"{what} {names[0]} and {names[1]} output must have identical types, but they differ: "
                                f"the output of {names[0]} has structure {trees[0]}, that of {names[1]} {trees[k]}.")

        bodies = [kind(lambda t, f=f: f(*t), [treedef], check=compare) for f in functions]
        return bodies, [Function(b, (len(leaves),), f) for b, f in zip(bodies, functions)]

    def use(bodies, made, kept):
        out = _core.switch(index, tuple(made), (leaves,), is_cond)
        return next(b.out_tree for b in bodies if b.out_tree is not None).unflatten(out)

    return _apply(what, (treedef,), functions, build, use)


def cond(pred, true_fun, false_fun, *operands, operand=_nothing):
    """true_fun(*operands) if pred, else false_fun(*operands); only one of them runs. (jax.lax.cond)

    The older form cond(pred, true_operand, true_fun, false_operand, false_fun) is taken, too.

    >>> import kiln
    >>> float(kiln.lax.cond(True, lambda x: x + 1, lambda x: x - 1, 3.0))
    4.0
    """
    if not (callable(true_fun) and callable(false_fun)):
        if len(operands) == 2 and callable(false_fun) and callable(operands[1]):
            on_true, on_false = false_fun, operands[1]
            return _branches("cond", pred, (lambda x, y: on_true(x), lambda x, y: on_false(y)),
                             (true_fun, operands[0]), True)
        raise TypeError("lax.cond: true_fun and false_fun arguments should be callable.")
    if operand is not _nothing:
        if operands:
            raise TypeError("if 'operand' keyword is passed then no positional operands can be passed, "
                            f"got operand={operand!r} and positional operands {operands}")
        operands = (operand,)
    if tree_structure(pred).num_nodes != 1:
        raise TypeError("Pred must be a scalar, got %r" % (pred,))
    shape = getattr(pred, "shape", ())
    if shape != ():
        raise TypeError(f"Pred must be a scalar, got {pred} of shape {tuple(shape)}.")
    return _branches("cond", pred, (true_fun, false_fun), operands, True)


def switch(index, branches, *operands, operand=_nothing):
    """branches[index](*operands), with index clamped to their number. (jax.lax.switch)

    >>> import kiln
    >>> float(kiln.lax.switch(1, [lambda x: x, lambda x: -x], 3.0))
    -3.0
    """
    if not all(callable(b) for b in branches):
        raise TypeError("lax.switch: branches argument should be a sequence of callables.")
    if operand is not _nothing:
        if operands:
            raise TypeError("if 'operand' keyword is passed then no positional operands can be passed, "
                            f"got operand={operand!r} and positional operands {operands}")
        operands = (operand,)
    shape = getattr(index, "shape", ())
    if shape != ():
        raise TypeError(f"Branch index must be scalar, got {index} of shape {tuple(shape)}.")
    if len(branches) == 0:
        raise ValueError("Empty branch sequence")
    if len(branches) == 1:
        return branches[0](*operands)
    return _branches("switch", index, tuple(branches), operands, False)


def map(f, xs, *, batch_size=None):
    """f of each element along the first axis, one after the other, stacked. (jax.lax.map)"""
    leaves, treedef = tree_flatten(xs)

    def build(functions, kind):
        body = kind(functions[0], [treedef])
        return [body], [Function(body, (len(leaves),), functions[0])]

    def use(bodies, made, kept):
        out = _core.map(made[0], (leaves,), batch_size or 0)
        return bodies[0].out_tree.unflatten(out)

    return _apply("map", (treedef,), (f,), build, use)


def associative_scan(fn, elems, reverse=False, axis=0):
    """All prefixes' joins by an associative function. (jax.lax.associative_scan)

    >>> import kiln, kiln.numpy as knp
    >>> kiln.lax.associative_scan(knp.add, knp.arange(4)).tolist()
    [0, 1, 3, 6]
    """
    if not callable(fn):
        raise TypeError("lax.associative_scan: fn argument should be callable.")
    leaves, treedef = tree_flatten(elems)
    sizes = {(_asarray(x).shape if not hasattr(x, "shape") else x.shape)[axis] for x in leaves}
    if len(sizes) > 1:
        raise ValueError("Array inputs to associative_scan must have the same first dimension. (saw: "
                         f"{[tuple(x.shape) for x in leaves]})")

    def build(functions, kind):
        body = kind(functions[0], [treedef, treedef])
        return [body], [Function(body, (len(leaves), len(leaves)), functions[0])]

    def use(bodies, made, kept):
        return treedef.unflatten(_core.associative_scan(made[0], (leaves,), axis, bool(reverse)))

    return _apply("associative_scan", (treedef,), (fn,), build, use)


def _joined(what, operands, init_values, computation):
    leaves, treedef = tree_flatten(operands)
    inits, init_tree = tree_flatten(init_values)
    if treedef != init_tree:
        raise ValueError(f"Operands must have the same tree structure as init_values: {treedef} vs. {init_tree}")
    body = Flat(computation, [treedef, treedef])
    n = len(leaves)
    return leaves, inits, Function(body, (n, n), computation, n_out=n), treedef


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    """Joins the elements along these axes by a function, beginning with init_values. (jax.lax.reduce)"""
    leaves, inits, function, treedef = _joined("reduce", operands, init_values, computation)
    return treedef.unflatten(_c["_reduce"](leaves, inits, function, dimensions))


def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None, padding="VALID",
                  base_dilation=None, window_dilation=None):
    """Joins the elements of each window by a function. (jax.lax.reduce_window)"""
    leaves, inits, function, treedef = _joined("reduce_window", operand, init_value, computation)
    return treedef.unflatten(_c["_reduce_window"](leaves, inits, function, window_dimensions, window_strides, padding,
                                                  base_dilation, window_dilation))

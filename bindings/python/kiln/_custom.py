# SPDX-License-Identifier: Apache-2.0
"""Derivatives that the user gives: jax.custom_jvp, jax.custom_vjp, jax.custom_gradient."""
import functools as _functools
import inspect as _inspect

from . import _core
from ._core import Function
from ._transforms import _type_text
from .tree_util import flatten_up_to, tree_flatten, tree_leaves, tree_map, tree_structure

_numpy = _core.functions("kiln.numpy")
_zeros_like, _asarray = _numpy["zeros_like"], _numpy["asarray"]


def _name(fun):
    return getattr(fun, "__name__", None) or str(fun)


class _Custom:
    """What both kinds share: arguments by position, and which of them are not differentiated."""
    _what = ""

    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        if not callable(fun):
            raise TypeError(f"Expected a callable value, got {fun!r}")
        self.fun, self.nondiff_argnums = fun, tuple(nondiff_argnums)
        try:
            self._signature = _inspect.signature(fun)
        except (TypeError, ValueError):
            self._signature = None
        if nondiff_argnames:
            names = list(self._signature.parameters) if self._signature else []
            self.nondiff_argnums += tuple(names.index(n) for n in nondiff_argnames)
        _functools.update_wrapper(self, fun)

    def __get__(self, instance, owner=None):
        return self if instance is None else _functools.partial(self, instance)

    def _resolve(self, args, kwargs):
        if not kwargs and not self._signature:
            return args
        if not self._signature:
            raise TypeError(f"keyword arguments of {_name(self.fun)}, whose signature is not known")
        try:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                raise TypeError(f"The following keyword arguments could not be resolved to positions: "
                                f"{', '.join(bound.kwargs)}")
        except TypeError as e:
            raise TypeError(f"The input arguments to the {self._what}-decorated function {_name(self.fun)} "
                            f"could not be "
                            f"resolved to positional-only arguments. Binding failed with the error:\n{e}") from e
        return bound.args

    def _split(self, args):
        """(the ones that are differentiated, a function that puts the others back between)"""
        nums = {n + len(args) if n < 0 else n for n in self.nondiff_argnums}
        static = {i: a for i, a in enumerate(args) if i in nums}

        def whole(dynamic):
            rest = iter(dynamic)
            return [static[i] if i in static else next(rest) for i in range(len(args))]

        return tuple(a for i, a in enumerate(args) if i not in static), whole, [static[i] for i in sorted(static)]


    def _flat(self, in_tree, whole):
        """The function of the leaves, and where it puts its result's treedef: under "out"."""
        trees = {}

        def fun(xs):
            out, trees["out"] = tree_flatten(self.fun(*whole(in_tree.unflatten(xs))))
            return out

        return fun, trees

    def _plain(self):
        """Outside of traces no derivative is taken."""
        return not _core.tracing()


class custom_jvp(_Custom):
    """A function with a derivative of its own: a rule (primals, tangents) -> (result, its tangent). (jax.custom_jvp)

    >>> import kiln, kiln.numpy as knp
    >>> @kiln.custom_jvp
    ... def f(x):
    ...     return x * x
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     x, = primals
    ...     t, = tangents
    ...     return f(x), 100 * t
    >>> float(kiln.grad(f)(3.0))
    100.0
    """
    _what = "custom_jvp"
    jvp = None

    def defjvp(self, jvp, symbolic_zeros=False):
        """Sets the rule; a decorator."""
        if symbolic_zeros:
            raise NotImplementedError("custom_jvp: symbolic_zeros=True; here they are arrays of zeros")
        self.jvp = jvp
        return jvp

    def defjvps(self, *jvps):
        """Sets a rule for each argument: (its tangent, the result, *primals) -> the result's tangent; or None."""
        if self.nondiff_argnums:
            raise TypeError("Can't use ``defjvps`` with ``nondiff_argnums``.")

        def jvp(primals, tangents):
            out = self(*primals)
            parts = [rule(t, out, *primals) for t, rule in zip(tangents, jvps) if rule]
            if not parts:
                return out, tree_map(_zeros_like, out)
            return out, tree_map(lambda _, *ts: _functools.reduce(lambda a, b: a + b, ts), out, *parts)

        self.defjvp(jvp)

    def __call__(self, *args, **kwargs):
        name = _name(self.fun)
        if not self.jvp:
            raise AttributeError(f"No JVP defined for custom_jvp function {name} using defjvp.")
        args = self._resolve(args, kwargs)
        if self._plain():
            return self.fun(*args)
        dynamic, whole, static = self._split(args)
        leaves, in_tree = tree_flatten(dynamic)
        fun, trees = self._flat(in_tree, whole)

        def rule(xs, ts):
            pair = self.jvp(*static, in_tree.unflatten(xs), in_tree.unflatten(ts))
            head = f"Custom JVP rule {_name(self.jvp)} for function {name} must produce "
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise TypeError(f"{head}a pair (list or tuple of length two) representing primal and tangent outputs, "
                                f"but got {pair}.")
            (y, tree), (dy, dtree) = tree_flatten(pair[0]), tree_flatten(pair[1])
            if tree != dtree:
                raise TypeError(f"{head}primal and tangent outputs with equal container (pytree) structures, but got "
                                f"{tree} and {dtree} respectively.")
            if "out" in trees and trees["out"] != tree:
                raise TypeError(f"{head}a pair (list or tuple of length two) where the first element represents the "
                                "primal output (equal in value to the output of the custom_jvp-decorated function "
                                f"{name}, and in particular of the same container/pytree structure), but instead the "
                                f"JVP rule output's first element had container/pytree structure:\n    {tree}\n"
                                f"while the custom_jvp-decorated function {name} had output container/pytree "
                                f"structure:\n    {trees['out']}.")
            wrong = [(p, t) for p, t in zip(y, dy) if getattr(p, "shape", ()) != getattr(t, "shape", ())]
            if wrong and len(y) == 1:
                raise TypeError("Custom JVP rule must produce primal and tangent outputs with corresponding shapes and "
                                f"dtypes. Expected {_type_text(y[0])} (tangent type of {_type_text(y[0])}) but got "
                                f"{_type_text(dy[0])}.")
            if wrong:
                raise TypeError("Custom JVP rule must produce primal and tangent outputs with corresponding shapes and "
                                "dtypes, but got:\n" + "\n".join(
                                    f"  primal {_type_text(p)} with tangent {_type_text(t)}, expecting tangent "
                                    f"{_type_text(p)}" for p, t in wrong))
            return y + dy

        n = len(leaves)
        function = Function(fun, (n,), self.fun).custom_jvp(Function(rule, (n, n), self.jvp))
        _core.keep_with_callers(function)  # a derivative may ask for the rules after this call
        out = function(leaves)
        return trees["out"].unflatten(out)


class custom_vjp(_Custom):
    """A function with a reverse derivative of its own: fwd gives the result and what bwd needs. (jax.custom_vjp)

    >>> import kiln, kiln.numpy as knp
    >>> @kiln.custom_vjp
    ... def f(x, y):
    ...     return knp.sin(x) * y
    >>> f.defvjp(lambda x, y: (f(x, y), (knp.cos(x), y)), lambda res, g: (res[0] * g * res[1], None))
    >>> float(kiln.grad(f)(0.0, 3.0))
    3.0
    """
    _what = "custom_vjp"
    fwd = bwd = None

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        """Sets both rules: fwd(*args) -> (result, residuals), bwd(residuals, cotangent) -> cotangents of the args."""
        if symbolic_zeros:
            raise NotImplementedError("custom_vjp: symbolic_zeros=True; here they are arrays of zeros")
        self.fwd, self.bwd = fwd, bwd

    def __call__(self, *args, **kwargs):
        name = _name(self.fun)
        if not self.fwd or not self.bwd:
            raise AttributeError(f"No VJP defined for custom_vjp function {name} using defvjp.")
        args = self._resolve(args, kwargs)
        if self._plain():
            return self.fun(*args)
        dynamic, whole, static = self._split(args)
        leaves, in_tree = tree_flatten(dynamic)
        fun, trees = self._flat(in_tree, whole)

        def forward(xs):
            pair = self.fwd(*whole(in_tree.unflatten(xs)))
            what = (f"Custom VJP fwd rule {_name(self.fwd)} for function {name} must produce a pair (list or tuple of "
                    "length two) where the first element represents the primal output (equal to ")
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise TypeError(f"{what}those of the custom_vjp-decorated function {name}) and the second element "
                                "represents residuals (i.e. values stored from the forward pass for use on "
                                "the backward "
                                f"pass), but instead of a pair the fwd rule {_name(self.fwd)} produced {pair}.")
            y, tree = tree_flatten(pair[0])
            if "out" in trees and tree != trees["out"]:
                raise TypeError(f"{what}the output of the custom_vjp-decorated function {name}) and the second element "
                                "represents residuals (i.e. values stored from the forward pass for use on "
                                "the backward "
                                "pass), but instead the fwd rule output's first element had container/pytree structure:"
                                f"\n    {tree}\nwhile the custom_vjp-decorated function {name} had output "
                                f"container/pytree structure:\n    {trees['out']}.")
            residuals, trees["residuals"] = tree_flatten(pair[1])
            return y, residuals

        def backward(residuals, cotangents):
            given = self.bwd(*static, trees["residuals"].unflatten(residuals), trees["out"].unflatten(cotangents))
            if isinstance(given, list) and len(given) == len(in_tree.children()):
                given = tuple(given)
            try:
                if not isinstance(given, tuple):
                    raise ValueError
                return _cotangents(in_tree, given, leaves)
            except _Mismatch:
                tree = tree_structure(given)
                raise TypeError("Custom VJP bwd rule must produce an output with the same container (pytree) structure "
                                "as the args tuple of the primal function, and in particular must produce a tuple of "
                                "length equal to the number of arguments to the primal function, but got bwd output "
                                f"structure {tree} for primal input structure {in_tree}.") from None
            except ValueError as e:
                if e.args:
                    raise
                raise TypeError("Custom VJP bwd rule must produce an output with the same container (pytree) structure "
                                "as the args tuple of the primal function, and in particular must produce a tuple of "
                                "length equal to the number of arguments to the primal function, but got bwd output "
                                f"structure {tree_structure(given)} for primal input structure {in_tree}.") from None

        n = len(leaves)
        function = Function(fun, (n,), self.fun).custom_vjp(Function(forward, (n,), self.fwd, pair=True),
                                                            Function(backward, (-1, -1), self.bwd))
        _core.keep_with_callers(function)  # a derivative may ask for the rules after this call
        out = function(leaves)
        return trees["out"].unflatten(out)


class _Mismatch(ValueError):
    pass


def _cotangents(in_tree, given, leaves):
    """The leaves of what bwd gave; None stands for zeros of everything below it."""
    dummy = in_tree.unflatten(range(len(leaves)))
    out = []

    def walk(g, d):
        if g is None:
            out.extend(_zeros_like(leaves[i]) for i in tree_leaves(d))
            return
        if isinstance(d, int):
            if tree_structure(g).num_nodes != 1:
                raise _Mismatch
            x = leaves[d] if hasattr(leaves[d], "dtype") else _asarray(leaves[d])
            if x.dtype.kind in "biu" and getattr(g, "dtype", None) != x.dtype:
                g = _zeros_like(x)  # it does not count
            elif getattr(g, "shape", ()) != x.shape:
                raise ValueError("Custom VJP bwd rule must produce an output with the same type as the args "
                                 "tuple of the "
                                 f"primal function, but at output the bwd rule produced an output of type "
                                 f"{_type_text(g)} corresponding to an input of type {_type_text(x)}")
            out.append(g)
            return
        treedef = tree_structure(d, lambda x: x is not d)
        try:
            items, parts = flatten_up_to(treedef, g), tree_leaves(d, lambda x: x is not d)
        except ValueError:
            raise _Mismatch from None
        for a, b in zip(items, parts):
            walk(a, b)

    walk(given, dummy)
    return out


def custom_gradient(fun):
    """fun returns its result and a function from its cotangent to those of the arguments. (jax.custom_gradient)

    >>> import kiln
    >>> @kiln.custom_gradient
    ... def f(x):
    ...     return x ** 2, lambda g: (g * x,)
    >>> float(kiln.grad(f)(3.0))
    3.0
    """
    @custom_vjp
    def wrapped(*args, **kwargs):
        return fun(*args, **kwargs)[0]

    def forward(*args, **kwargs):
        out, rule = fun(*args, **kwargs)
        return out, (args, kwargs)

    def backward(residuals, cotangent):
        args, kwargs = residuals
        rule = fun(*args, **kwargs)[1]
        given = rule(cotangent)
        return given if isinstance(given, tuple) else (given,)

    wrapped.defvjp(forward, backward)
    return _functools.wraps(fun)(lambda *args, **kwargs: wrapped(*args, **kwargs))

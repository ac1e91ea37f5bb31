# SPDX-License-Identifier: Apache-2.0
"""Roots and linear systems whose derivatives are implicit: jax.lax.custom_root, jax.lax.custom_linear_solve."""
import functools as _functools

from .. import _core
from .._custom import custom_jvp
from .._jaxpr import make_jaxpr
from .._transforms import _check_callable, jvp, linear_transpose, linearize, vjp
from ..tree_util import tree_flatten, tree_leaves, tree_map, tree_structure

_numpy = _core.functions("kiln.numpy")
_asarray, _zeros_like, _negative = _numpy["asarray"], _numpy["zeros_like"], _numpy["negative"]


class _Closed:
    """A function with the arrays that it closes over as an argument: self(consts, *args). It is recorded once, for
    arguments like these."""

    def __init__(self, fun, *examples):
        trees = {}

        def flat(*args):
            out, trees["out"] = tree_flatten(fun(*args))
            return out

        _functools.update_wrapper(flat, fun, ("__name__",), ())
        self._jaxpr = make_jaxpr(flat)(*examples)
        self.consts, self.out_tree = self._jaxpr.consts, trees["out"]
        self.shapes = [a.shape for a in self._jaxpr.out_avals]

    def __call__(self, consts, *args):
        _core.keep_with_callers(self._jaxpr)
        return self.out_tree.unflatten(_core.jaxpr_eval(self._jaxpr._handle, consts, tree_leaves(args)))


def _check_tree(function, expected, actual, wanted, has_aux):
    if has_aux:
        children = actual.children()
        if len(children) != 2 or actual.node_data()[0] is not tuple:
            raise ValueError(f"{function}() produced a pytree with structure {actual}, but a pytree tuple "
                             f"with auxiliary "
                             "output was expected because has_aux was set to True.")
        actual = children[0]
    if actual != wanted:
        raise TypeError(f"{function}() output pytree structure must match {expected}, got {actual} and {wanted}.")


def _check_shapes(function, expected, actual, wanted):
    actual = actual[:len(wanted)]
    if actual != wanted:
        raise ValueError(f"{function}() output shapes must match {expected}, got {actual} and {wanted}")


def _minus(tree):
    return tree_map(_negative, tree)


class _Linear:
    """fun(b, rest), which is linear in b, as what the library asks a linear call for: it takes derivatives of fun."""

    def __init__(self, fun, treedef):
        self._fun, self._treedef = fun, treedef

    def compute(self, b, rest):
        return tree_leaves(self._fun(self._treedef.unflatten(b), rest))

    def transpose(self, cotangents, rest):
        zeros = self._treedef.unflatten([_zeros_like(c) for c in cotangents])
        _, back = vjp(lambda b: self._fun(b, rest), zeros)
        return tree_leaves(back(self._treedef.unflatten(cotangents)))

    def jvp(self, i, b, rest, out, tangent):
        b = self._treedef.unflatten(b)
        return tree_leaves(jvp(lambda v: self._fun(b, [*rest[:i], v, *rest[i + 1:]]), (rest[i],), (tangent,))[1])


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    """solve(f, initial_guess), a root of f, with derivatives by the implicit function theorem, in what f closes over.
    (jax.lax.custom_root)

    Args:
      tangent_solve: a function of the derivative of f at the root and a right-hand side; its solution.
      has_aux: whether solve returns something else, too.

    >>> import kiln
    >>> def root(a):
    ...     newton = lambda f, x: kiln.lax.fori_loop(0, 20, lambda i, x: x - f(x) / kiln.grad(f)(x), x)
    ...     return kiln.lax.custom_root(lambda x: x ** 2 - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> float(root(4.0)), float(kiln.grad(root)(4.0))
    (2.0, 0.25)
    """
    for g, name in ((f, "f"), (solve, "solve"), (tangent_solve, "tangent_solve")):
        _check_callable(g, name)
    guess = tree_map(_asarray, initial_guess)
    treedef, shapes = tree_structure(guess), [x.shape for x in tree_leaves(guess)]
    value = _Closed(f, guess)
    _check_tree("f", "initial_guess", value.out_tree, treedef, False)
    solution = _Closed(lambda x: solve(f, x), guess)
    _check_tree("solve", "initial_guess", solution.out_tree, treedef, has_aux)
    tangent = _Closed(lambda x, b: tangent_solve(linearize(f, x)[1], b), guess, guess)
    _check_tree("tangent_solve", "x", tangent.out_tree, treedef, False)
    for name, c in (("f", value), ("solve", solution), ("tangent_solve", tangent)):
        _check_shapes(name, "initial_guess", c.shapes, shapes)

    @custom_jvp
    def root(value_consts, solution_consts, tangent_consts, x):
        return solution(solution_consts, x)

    @root.defjvp
    def rule(primals, tangents):
        value_consts, _, tangent_consts, _ = primals
        out = root(*primals)
        x, aux = out if has_aux else (out, None)
        _, rhs = jvp(lambda consts: value(consts, x), (value_consts,), (tangents[0],))
        rest, rest_tree = tree_flatten((tangent_consts, x))
        solve_tangent = _Linear(lambda b, rest: tangent(*rest_tree.unflatten(rest), b), treedef)
        dx = _minus(treedef.unflatten(_core.linear_call(solve_tangent, tree_leaves(rhs), rest, treedef.num_leaves)))
        return out, (dx, tree_map(_zeros_like, aux)) if has_aux else dx

    return root(value.consts, solution.consts, tangent.consts, guess)


class _System:
    """A linear system: `matvec`, `solve` and, in `other`, if there is one, those of the transposed system. Their
    constants
    are arguments: `rest` is of the leaves of (mine, others), pairs of those of matvec and solve."""

    def __init__(self, treedef, matvec, solve, has_aux):
        self.treedef, self.matvec, self.solve, self.other, self.has_aux = treedef, matvec, solve, None, has_aux

    def call(self, mine, others, b):
        """x of matvec x = b, a call that is linear in b."""
        rest, treedef = tree_flatten((mine, others))
        out = self.solve.out_tree
        return out.unflatten(_core.linear_call(_Call(self, treedef), tree_leaves(b), rest, out.num_leaves))


class _Call:
    """What the library asks a linear call for."""

    def __init__(self, system, treedef):
        self._system, self._treedef = system, treedef

    def compute(self, b, rest):
        (_, consts), _ = self._treedef.unflatten(rest)
        return tree_leaves(self._system.solve(consts, self._system.treedef.unflatten(b)))

    def transpose(self, cotangents, rest):
        s = self._system
        if s.other is None:
            raise TypeError("transpose_solve required for backwards mode automatic differentiation of "
                            "custom_linear_solve")
        mine, others = self._treedef.unflatten(rest)
        n = s.treedef.num_leaves
        return tree_leaves(s.other.call(others, mine, s.treedef.unflatten(cotangents[:n])))[:n]

    def jvp(self, i, b, rest, out, tangent):
        """A x = b: A dx = -dA x"""
        s, (mine, others) = self._system, self._treedef.unflatten(rest)
        consts = mine[0]
        if i >= len(consts):
            return None
        n = s.treedef.num_leaves
        x = s.treedef.unflatten(out[:n])
        _, change = jvp(lambda c: s.matvec([*consts[:i], c, *consts[i + 1:]], x), (consts[i],), (tangent,))
        return tree_leaves(s.call(mine, others, _minus(change)))[:n]


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    """solve(matvec, b), the x of matvec(x) = b, with derivatives of that equation, in b and in what matvec closes over.
    (jax.lax.custom_linear_solve)

    Args:
      transpose_solve: solves the transposed system; reverse mode needs it, or symmetric.
      symmetric: the map is its own transpose.
      has_aux: whether solve and transpose_solve return something else, too.

    >>> import kiln, kiln.numpy as knp
    >>> a = knp.asarray([[2.0, 1.0], [1.0, 3.0]])
    >>> solve = lambda matvec, b: knp.linalg.solve(kiln.jacobian(matvec)(b), b)
    >>> kiln.lax.custom_linear_solve(lambda x: a @ x, knp.asarray([3.0, 4.0]), solve, solve).tolist()
    [1.0, 1.0]
    """
    for g, name in ((matvec, "matvec"), (solve, "solve"), (transpose_solve or solve, "transpose_solve")):
        _check_callable(g, name)
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    b = tree_map(_asarray, b)
    treedef, shapes = tree_structure(b), [x.shape for x in tree_leaves(b)]

    def closed(fun, name, aux=False):
        c = _Closed(fun, b)
        _check_tree(name, "b", c.out_tree, treedef, aux)
        _check_shapes(name, "b", c.shapes, shapes)
        return c

    product = closed(matvec, "matvec")
    system = _System(treedef, product, closed(lambda y: solve(matvec, y), "solve", has_aux), has_aux)
    others = ([], [])
    if transpose_solve is not None:
        vecmat = matvec if symmetric else lambda y: linear_transpose(matvec, b)(y)[0]
        transposed = product if symmetric else closed(vecmat, "vecmat")
        other = closed(lambda y: transpose_solve(vecmat, y), "transpose_solve", has_aux)
        system.other = _System(treedef, transposed, other, has_aux)
        system.other.other = system
        others = (transposed.consts, other.consts)
    return system.call((product.consts, system.solve.consts), others, b)

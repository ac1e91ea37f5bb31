# SPDX-License-Identifier: Apache-2.0
"""Jaxprs as values: jax.make_jaxpr, and what jax.core shows of them."""
import functools as _functools
import typing as _typing

from . import _core
from ._transforms import ShapeDtypeStruct, _check_callable, _example, _function, _tuple
from .tree_util import tree_flatten, tree_map

_c = _core.functions("kiln.core")
_LITERAL = 0x80000000


class ShapedArray(_typing.NamedTuple):
    """The type of a variable. (jax.core.ShapedArray)"""
    shape: tuple
    dtype: object

    def str_short(self):
        """float64[3]"""
        return f"{self.dtype}[{','.join(str(n) for n in self.shape)}]"

    def __repr__(self):
        return f"ShapedArray({self.str_short()})"


class Var(_typing.NamedTuple):
    """A variable of a jaxpr, by its number. (jax.core.Var)"""
    number: int
    aval: ShapedArray


class Literal(_typing.NamedTuple):
    """A number in a jaxpr. (jax.core.Literal)"""
    val: object
    aval: ShapedArray


class Primitive(_typing.NamedTuple):
    """What an equation applies. (jax.core.Primitive)"""
    name: str

    def __str__(self):
        return self.name


class JaxprEqn(_typing.NamedTuple):
    """An equation: outvars = primitive[params] invars. `params` is the text that the typed form shows; `jaxprs` are
    those
    in it, `place` the user's line."""
    invars: tuple
    outvars: tuple
    primitive: Primitive
    params: str
    jaxprs: tuple
    place: object


class Jaxpr:
    """A program as JAX writes it, with the values of its constants. str() is JAX's typed form."""

    def __init__(self, handle, source=None):
        """source: what the functions live in that the program may call."""
        self._handle, self._source = handle, source
        self._n_const, self._n_in, self._n_eqn, self._n_out = _core.jaxpr_counts(handle)

    def text(self, form="typed"):
        """The jaxpr as text: "typed", "classic" (JAX of 2020) or "full", which jaxpr_parse reads back."""
        forms = ("classic", "typed", "full")
        if form not in forms:
            raise ValueError(f"form has to be one of {forms}, not {form!r}")
        return _c["jaxpr_text"](self._handle, forms.index(form))

    def __str__(self):
        return self.text()

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, Jaxpr) and _c["jaxpr_equal"](self._handle, other._handle)

    def __hash__(self):
        return hash((self._n_const, self._n_in, self._n_eqn, self._n_out))

    def _atom(self, number):
        dtype, shape, value = _core.jaxpr_variable(self._handle, number)
        aval = ShapedArray(shape, dtype)
        if number & _LITERAL:
            return Literal(_c["jaxpr_constant"](self._handle, number), aval)
        return Var(number, aval)

    @property
    def jaxpr(self):
        return self

    @property
    def constvars(self):
        return [self._atom(i) for i in range(self._n_const)]

    @property
    def consts(self):
        return [_c["jaxpr_constant"](self._handle, i) for i in range(self._n_const)]

    literals = consts

    @property
    def invars(self):
        return [self._atom(self._n_const + i) for i in range(self._n_in)]

    @property
    def outvars(self):
        return [self._atom(_c["jaxpr_outvar"](self._handle, i)) for i in range(self._n_out)]

    @property
    def in_avals(self):
        return [v.aval for v in self.invars]

    @property
    def out_avals(self):
        return [v.aval for v in self.outvars]

    @property
    def eqns(self):
        return [self._equation(i) for i in range(self._n_eqn)]

    def _equation(self, i):
        name, atoms, first, n_out, place = _core.jaxpr_equation(self._handle, i)
        count = _c["jaxpr_sub_count"](self._handle, i)
        subs = tuple(Jaxpr(_c["jaxpr_sub"](self._handle, i, k), self._source) for k in range(count))
        return JaxprEqn(tuple(self._atom(a) for a in atoms), tuple(self._atom(first + k) for k in range(n_out)),
                        Primitive(name), _c["jaxpr_params"](self._handle, i), subs, place)

    @_functools.cached_property
    def _function(self):
        return _core.jaxpr_function(self._handle)

    def eval(self, *args):
        """Its results for these inputs, a list."""
        if len(args) != self._n_in:
            raise TypeError(f"the jaxpr takes {self._n_in} arguments, but {len(args)} were given")
        _core.keep_with_callers(self._source)
        return self._function(*([a] for a in args)) if self._n_in <= _core.MAX_PARTS else self._function(args)

    __call__ = eval

    def graphviz(self):
        """A drawing in Graphviz's language."""
        return _c["jaxpr_graphviz"](self._handle)

    def program(self):
        """What jit would run, as text: kernels, routines, copies, and what became of each equation."""
        return _c["jaxpr_program"](self._handle)

    def program_graphviz(self):
        """The steps of that as a drawing."""
        return _c["jaxpr_program_graphviz"](self._handle)


ClosedJaxpr = Jaxpr


def make_jaxpr(fun, static_argnums=(), axis_env=None, return_shape=False, abstracted_axes=None, *, fold=False,
               symbolic=None, constraints=None):
    """A function that gives the jaxpr of fun for arguments of these types. (jax.make_jaxpr)

    Args:
      axis_env: pairs (name, size) of axes that are bound around fun.
      fold, symbolic, constraints: as kn_make_jaxpr has them in C.

    >>> import kiln, kiln.numpy as knp
    >>> print(kiln.make_jaxpr(lambda x: knp.sin(x) * 2.0)(knp.ones(3)))
    { lambda ; a:f64[3]. let b:f64[3] = sin a; c:f64[3] = mul b 2.0:f64[] in (c,) }
    """
    _check_callable(fun, "make_jaxpr")
    nums = _tuple(static_argnums)

    @_functools.wraps(fun)
    def make_jaxpr_f(*args, **kwargs):
        static = {n + len(args) if n < 0 else n for n in nums}
        dynamic = tree_map(_example, tuple(a for i, a in enumerate(args) if i not in static))
        kw = tree_map(_example, kwargs)

        def call(t):
            rest = iter(t[0])
            return fun(*[a if i in static else next(rest) for i, a in enumerate(args)], **t[1])

        function, flat, parts = _function(call, ((dynamic, kw),), like=fun)
        handle = _core.make_jaxpr(function, parts, tuple(axis_env or ()), fold, symbolic, constraints)
        jaxpr = Jaxpr(handle, function)
        if return_shape:
            return jaxpr, flat.out_tree.unflatten([ShapeDtypeStruct(a.shape, a.dtype) for a in jaxpr.out_avals])
        return jaxpr

    return make_jaxpr_f


def jaxpr_as_fun(closed_jaxpr):
    """The jaxpr as a function of its inputs. (jax.extend.core.jaxpr_as_fun)"""
    return closed_jaxpr.eval


def eval_jaxpr(jaxpr, consts, *args):
    """The results of a jaxpr for these constants and inputs. (jax.core.eval_jaxpr)"""
    return _core.jaxpr_eval(jaxpr._handle, consts, args)


def jaxpr_parse(text):
    """Reads the full form of a jaxpr."""
    return Jaxpr(_c["jaxpr_parse"](text))

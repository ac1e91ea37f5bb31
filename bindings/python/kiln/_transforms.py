# SPDX-License-Identifier: Apache-2.0
"""Transformations of Python functions: what JAX has under the same names. A function of trees becomes a function
of flat
lists of arrays (kiln._core.Function); the C library transforms that."""
import collections as _collections
import functools as _functools
import inspect as _inspect

from . import _core
from ._core import Array, Function
from .tree_util import (flatten_up_to, keystr, tree_flatten, tree_flatten_with_path, tree_leaves, tree_map,
                        tree_structure)


class Flat:
    """A function of trees as one of flat parts, which returns flat leaves. `treedefs` has one treedef for each part;
    the function is called with the trees. What it returned last is remembered by its structure.

    split(result) -> (result, aux), each of which has a structure of its own. check(result, structure) may raise."""
    out_tree = aux_tree = None

    def __init__(self, fun, treedefs, split=None, check=None):
        self.fun, self.treedefs, self.split, self.check = fun, treedefs, split, check

    def __call__(self, *parts):
        out, more = self.fun(*[t.unflatten(p) for t, p in zip(self.treedefs, parts)]), []
        if self.split:
            out, aux = self.split(out)
            more, self.aux_tree = tree_flatten(aux)
        leaves, self.out_tree = tree_flatten(out)
        if self.check:
            self.check(out, self.out_tree)
        return leaves + more


def _function(fun, trees, split=None, like=None):
    """(Function, Flat, parts): fun of these trees, each of which is one part. `like` has the name that it gets."""
    flat = [tree_flatten(t) for t in trees]
    holder = Flat(fun, [d for _, d in flat], split)
    function = Function(holder, tuple(len(leaves) for leaves, _ in flat), like or fun)
    return function, holder, tuple(leaves for leaves, _ in flat)


def _argnums(argnums, args, jacobian=False):
    """Argument numbers as a tuple of positions."""
    many = isinstance(argnums, (tuple, list))
    nums = tuple(argnums) if many else (argnums,)
    if not nums:
        raise ValueError("argnums is empty: there is nothing to differentiate with respect to")
    if not all(isinstance(n, int) for n in nums):
        raise TypeError(f"argnums has to be an int or a tuple of ints, not {argnums!r}")
    wanted = max(n + 1 if n >= 0 else -n for n in nums)
    if wanted > len(args) and (jacobian or min(nums) < -len(args)):
        raise ValueError(f"argument numbers must have values greater than or equal to -len(args) and less "
                         f"than len(args), but "
                         f"got {argnums=} for len(args) == {len(args)}.")
    if wanted > len(args):
        raise TypeError(f"differentiating with respect to {argnums=} requires at least {wanted} positional "
                        f"arguments to be "
                        f"passed by the caller, but got only {len(args)} positional arguments.")
    return tuple(n + len(args) if n < 0 else n for n in nums), many


def _partial(fun, at, args, kwargs):
    """fun as a function of (chosen arguments, arrays in the others). What is no array stays what it is."""
    rest = tuple(a for i, a in enumerate(args) if i not in at)
    leaves, treedef = tree_flatten((rest, kwargs))
    array = [isinstance(x, Array) for x in leaves]

    def call(chosen, arrays):
        arrays = iter(arrays)
        positional, kw = treedef.unflatten([next(arrays) if a else x for a, x in zip(array, leaves)])
        positional, chosen_ = iter(positional), dict(zip(at, chosen))
        return fun(*[chosen_[i] if i in chosen_ else next(positional) for i in range(len(args))], **kw)

    call.__name__ = getattr(fun, "__name__", "function")
    return call, tuple(args[i] for i in at), [x for a, x in zip(array, leaves) if a]


def _check_callable(fun, what):
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun!r}")


# ---- jit.

def jit(fun=None, /, *, static_argnums=None, static_argnames=None, donate_argnums=None, donate_argnames=None,
        keep_unused=False, inline=False, device=None, backend=None, in_shardings=None, out_shardings=None,
        symbolic=None, constraints=None, checks=False):
    """Compiles fun when it is called, once for each structure and type of the arguments. (jax.jit)

    Args:
      static_argnums, static_argnames: arguments that are part of what is compiled; they have to be hashable.
      donate_argnums, donate_argnames: arguments whose memory may become a result's.
      in_shardings, out_shardings: how arguments and results lie on a mesh, trees of which they are extensions.
      symbolic, constraints, checks: one program for all extents, as those of kn_jit in C.

    >>> import kiln, kiln.numpy as knp
    >>> @kiln.jit
    ... def f(x):
    ...     return knp.sum(x * x)
    >>> float(f(knp.arange(4.0)))
    14.0
    """
    if fun is None:
        options = {k: v for k, v in locals().items() if k != "fun"}
        return _functools.partial(jit, **options)
    _check_callable(fun, "jit")
    signature = None
    try:
        signature = _inspect.signature(fun)
    except (TypeError, ValueError):
        pass
    static_nums, static_names = _static(signature, static_argnums, static_argnames)
    donate_nums, donate_names = _static(signature, donate_argnums, donate_argnames)
    if set(static_nums) & set(donate_nums) or set(static_names) & set(donate_names):
        raise ValueError("static_argnums and donate_argnums cannot intersect")

    def resolve(args, kwargs):
        at = {n + len(args) if n < 0 else n for n in static_nums}
        statics = tuple((i, args[i]) for i in sorted(at) if i < len(args)) + tuple(
            (k, kwargs[k]) for k in static_names if k in kwargs)
        try:
            hash(statics)
        except TypeError:
            for k, v in statics:
                try:
                    hash(v)
                except TypeError:
                    raise ValueError(f"Non-hashable static arguments are used in a jit function: argument {k} "
                                     f"is {v!r} of "
                                     f"type {type(v)}.") from None
        dynamic = tuple(a for i, a in enumerate(args) if i not in at)
        return dynamic, {k: v for k, v in kwargs.items() if k not in static_names}, tuple(
            (k, type(v), v) for k, v in statics)

    def make(treedef, statics, n_leaves):
        fixed = {k: v for k, _, v in statics or ()}
        mask = _donated(treedef, n_leaves, donate_nums, donate_names, fixed)
        holder = {"tree": None}
        seen = {}  # structure of the result by the types of the leaves

        def call(*parts):
            leaves = _merge(mask, parts)
            args, kwargs = treedef.unflatten(leaves)
            if in_shardings is not None:
                args = _placed(in_shardings, tuple(args))
            args, kwargs = _with_statics(args, kwargs, fixed)
            out = fun(*args, **kwargs)
            out, out_tree = tree_flatten(out if out_shardings is None else _placed(out_shardings, out))
            seen[_types(leaves)] = out_tree
            holder["tree"] = out_tree if all(t == out_tree for t in seen.values()) else None
            return out

        holder["find"] = lambda leaves: seen[_types(map(_asarray, leaves))]
        sizes = (n_leaves,) if mask is None else (n_leaves - sum(mask), sum(mask))
        function = Function(call, sizes, fun)
        return function.jit(donate=None if mask is None else (1,), symbolic=symbolic, constraints=constraints,
                            checks=checks), holder, mask

    compiled = _core.Jit(fun, make, resolve if static_nums or static_names else None)
    _functools.update_wrapper(compiled, fun)
    return compiled


_asarray = _core.functions("kiln.numpy")["asarray"]


def _placed(shardings, tree):
    from ._sharded import with_sharding_constraint
    return with_sharding_constraint(tree, tuple(shardings) if isinstance(shardings, list) else shardings)


def _types(leaves):
    return tuple((x.shape, x.dtype) for x in leaves)


def _tuple(x):
    return () if x is None else (x,) if isinstance(x, (int, str)) else tuple(x)


def _static(signature, nums, names):
    """Positions and names of arguments, each completed by what the signature says of the other."""
    nums, names = _tuple(nums), _tuple(names)
    if not all(isinstance(n, str) for n in names) or any(isinstance(n, str) for n in nums):
        raise TypeError(f"argument numbers have to be ints and names have to be strings, not {nums!r} and {names!r}")
    if signature is None:
        return nums, names
    p = list(signature.parameters.values())
    positional = [x.name for x in p if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]
    if not any(x.kind == x.VAR_POSITIONAL for x in p):
        for n in nums:
            if not -len(positional) <= n < len(positional):
                raise ValueError(f"jitted function has {nums=}, but only accepts {len(positional)} positional "
                                 f"arguments.")
    if not any(x.kind == x.VAR_KEYWORD for x in p):
        for n in names:
            if n not in signature.parameters:
                raise ValueError(f"jitted function has invalid argnames {{{n!r}}} in its signature.")
    if not names:
        names = tuple(positional[n] for n in nums if -len(positional) <= n < len(positional))
    elif not nums:
        nums = tuple(positional.index(n) for n in names if n in positional)
    return nums, names


def _with_statics(args, kwargs, fixed):
    if not fixed:
        return args, kwargs
    rest, n = iter(args), len(args) + sum(isinstance(k, int) for k in fixed)
    named = {k: v for k, v in fixed.items() if isinstance(k, str)}
    return [fixed[i] if i in fixed else next(rest) for i in range(n)], {**kwargs, **named}


def _donated(treedef, n_leaves, nums, names, fixed):
    """A byte for each leaf: is it donated? None: none is."""
    if not nums and not names:
        return None
    args, kwargs = _with_statics(*treedef.unflatten(range(n_leaves)), {k: None for k in fixed})
    mask = bytearray(n_leaves)
    for i, a in enumerate(args):
        if i in nums or i - len(args) in nums:
            for leaf in tree_leaves(a):
                mask[leaf] = 1
    for k, a in kwargs.items():
        if k in names:
            for leaf in tree_leaves(a):
                mask[leaf] = 1
    return bytes(mask)


def _merge(mask, parts):
    if mask is None:
        return parts[0]
    first, second = map(iter, parts)
    return [next(second) if m else next(first) for m in mask]


# ---- Derivatives.

def _dtype_of(x):
    return x.dtype if isinstance(x, Array) else _asarray(x).dtype


def _shape_of(x):
    shape = getattr(x, "shape", None)
    return tuple(_asarray(x).shape if shape is None else shape)


def _type_text(x):
    """float64[2,3], as JAX writes a type."""
    return f"{_dtype_of(x)}[{','.join(map(str, _shape_of(x)))}]"


def _check_reverse_input(name, x, holomorphic, allow_int):
    d = _dtype_of(x)
    if holomorphic and d.kind != "c":
        raise TypeError(f"{name} with holomorphic=True requires inputs with complex dtype, but got {d}.")
    if d.kind in "biu" and not allow_int:
        raise TypeError(f"{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
                        f"np.inexact), "
                        f"but got {d}. If you want to use Boolean- or integer-valued inputs, use vjp or set "
                        f"allow_int to "
                        "True.")


def _check_reverse_output(name, x, holomorphic):
    d = _dtype_of(x)
    if holomorphic:
        if d.kind != "c":
            raise TypeError(f"{name} with holomorphic=True requires outputs with complex dtype, but got {d}.")
    elif d.kind == "c":
        raise TypeError(f"{name} requires real-valued outputs (output dtype that is a sub-dtype of "
                        f"np.floating), but got "
                        f"{d}. For holomorphic differentiation, pass holomorphic=True. For differentiation of "
                        "non-holomorphic functions involving complex outputs, use jax.vjp directly.")
    elif d.kind in "biu":
        raise TypeError(f"{name} requires real-valued outputs (output dtype that is a sub-dtype of "
                        f"np.floating), but got "
                        f"{d}. For differentiation of functions with integer outputs, use jax.vjp directly.")


def value_and_grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    """A function that returns the value of fun and its gradient. (jax.value_and_grad)"""
    _check_callable(fun, "value_and_grad")

    @_functools.wraps(fun)
    def value_and_grad_f(*args, **kwargs):
        at, many = _argnums(argnums, args)
        call, chosen, others = _partial(fun, at, args, kwargs)
        for x in tree_leaves(chosen):
            _check_reverse_input("grad", x, holomorphic, allow_int)

        def split(out):
            value, aux = _split_aux(out) if has_aux else (_scalar(out), ())
            _check_reverse_output("grad", value, holomorphic)
            return value, aux

        function, flat, parts = _function(call, (chosen, others), split)
        out = function.grad(argnums=(0,), has_aux=has_aux, holomorphic=holomorphic, allow_int=allow_int,
                            value=True)(*parts)
        n_aux = flat.aux_tree.num_leaves
        value, aux, grads = out[0], flat.aux_tree.unflatten(out[1:1 + n_aux]), out[1 + n_aux:]
        grads = tree_structure(chosen).unflatten(grads)
        return (value, aux) if has_aux else value, grads if many else grads[0]

    return value_and_grad_f


def _scalar(out):
    leaves, treedef = tree_flatten(out)
    if len(leaves) != 1 or treedef.num_nodes != 1:
        raise TypeError(f"Gradient only defined for scalar-output functions. Output was {out!r}.")
    shape = getattr(out, "shape", ())
    if shape != ():
        raise TypeError(f"Gradient only defined for scalar-output functions. Output had shape: {tuple(shape)}.")
    return out


def _split_aux(out):
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError("expected function with aux output to return a two-element tuple, but got "
                        f"type {type(out)} with value {out!r}")
    return _scalar(out[0]), out[1]


def grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    """A function that returns the gradient of fun, whose result is a real scalar. (jax.grad)

    >>> import kiln
    >>> float(kiln.grad(lambda x: x ** 3)(2.0))
    12.0
    """
    _check_callable(fun, "grad")
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int)

    @_functools.wraps(fun)
    def grad_f(*args, **kwargs):
        value, grads = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return grad_f


def _tangent_tree(primals, tangents, what):
    treedef = tree_structure(primals)
    if tree_structure(tangents) != treedef:
        raise TypeError(f"primal and tangent arguments to {what} must have the same tree structure; primals have tree "
                        f"structure {treedef} whereas tangents have tree structure {tree_structure(tangents)}")
    return tree_leaves(tangents)


def jvp(fun, primals, tangents, has_aux=False):
    """(fun(*primals), its derivative in the direction of tangents), with has_aux also aux. (jax.jvp)"""
    _check_callable(fun, "jvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("primal and tangent arguments to jax.jvp must be tuples or lists; "
                        f"found {type(primals).__name__} and {type(tangents).__name__}.")
    function, flat, parts = _function(lambda xs: fun(*xs), (tuple(primals),), _aux_pair if has_aux else None)
    dx = _tangent_tree(tuple(primals), tuple(tangents), "jvp")
    for x, t in zip(*parts, dx):
        if _shape_of(x) != _shape_of(t):
            raise ValueError("jvp called with different primal and tangent shapes; got primal shape "
                             f"{_shape_of(x)} and tangent shape {_shape_of(t)}.")
    y, dy = function.jvp(parts, (dx,))
    n = flat.out_tree.num_leaves
    out = flat.out_tree.unflatten(y[:n]), flat.out_tree.unflatten(dy[:n])
    return (*out, flat.aux_tree.unflatten(y[n:])) if has_aux else out


def _aux_pair(out):
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(f"expected function with aux output to return a two-element tuple, but got {out!r}")
    return out[0], out[1]


def vjp(fun, *primals, has_aux=False, reduce_axes=()):
    """(fun(*primals), a function from cotangents of the result to those of the arguments), with has_aux also aux.
    (jax.vjp)"""
    _check_callable(fun, "vjp")
    function, flat, parts = _function(lambda xs: fun(*xs), (primals,), _aux_pair if has_aux else None)
    y, back = function.vjp(parts)
    n, in_tree, aux = flat.out_tree.num_leaves, tree_structure(primals), y[flat.out_tree.num_leaves:]
    types = [(x.shape, x.dtype) for x in y[:n]]

    def vjp_fun(cotangents):
        treedef = tree_structure(cotangents)
        if treedef != flat.out_tree:
            raise ValueError("unexpected tree structure of argument to vjp function: got "
                             f"{treedef}, but expected to match {flat.out_tree}")
        leaves = tree_leaves(cotangents)
        for ct, (shape, dtype) in zip(leaves, types):
            fits = isinstance(ct, (bool, int, float, complex)) and dtype.kind == _dtype_of(ct).kind
            if _shape_of(ct) != shape or not fits and _dtype_of(ct) != dtype:
                raise ValueError("unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got "
                                 f"{_type_text(ct)}, but expected {dtype}[{','.join(map(str, shape))}] because the "
                                 "corresponding output of the differentiated function had that type")
        return in_tree.unflatten(back(leaves + [_zeros_like(a) for a in aux]))

    out = flat.out_tree.unflatten(y[:n])
    return (out, vjp_fun, flat.aux_tree.unflatten(aux)) if has_aux else (out, vjp_fun)


_zeros_like = _core.functions("kiln.numpy")["zeros_like"]


def linearize(fun, *primals, has_aux=False):
    """(fun(*primals), its derivative there as a function of the tangents), with has_aux also aux. (jax.linearize)"""
    _check_callable(fun, "linearize")
    function, flat, parts = _function(lambda xs: fun(*xs), (primals,), _aux_pair if has_aux else None)
    types = [(_shape_of(x), _dtype_of(x)) for x in parts[0]]
    y, linear = function.linearize(parts)
    n, aux = flat.out_tree.num_leaves, y[flat.out_tree.num_leaves:]

    def f_jvp(*tangents):
        leaves = _tangent_tree(primals, tangents, "linearize")
        for t, (shape, dtype) in zip(leaves, types):
            if _shape_of(t) != shape:
                raise ValueError("linearized function called on tangent values inconsistent with the original "
                                 "primal values: "
                                 f"got {_type_text(t)} for a primal of shape {shape} and dtype {dtype}")
        return flat.out_tree.unflatten(linear(leaves)[:n])

    out = flat.out_tree.unflatten(y[:n])
    return (out, f_jvp, flat.aux_tree.unflatten(aux)) if has_aux else (out, f_jvp)


def linear_transpose(fun, *primals, reduce_axes=()):
    """The transpose of a linear function; of the arguments only shapes and dtypes count. (jax.linear_transpose)"""
    _check_callable(fun, "linear_transpose")
    function, flat, parts = _function(lambda xs: fun(*xs), (tree_map(_example, primals),))
    transposed, in_tree = function.linear_transpose(parts), tree_structure(primals)
    out_tree = tree_structure(eval_shape(fun, *primals))

    def transposed_fun(cotangents):
        if tree_structure(cotangents) != out_tree:
            raise TypeError("cotangent tree does not match function output, expected "
                            f"{out_tree} but got {tree_structure(cotangents)}")
        return in_tree.unflatten(transposed(tree_leaves(cotangents)))

    return transposed_fun


def _jacobian(mode, fun, argnums, has_aux, holomorphic, allow_int):
    _check_callable(fun, mode)

    @_functools.wraps(fun)
    def jacfun(*args, **kwargs):
        at, many = _argnums(argnums, args, True)
        call, chosen, others = _partial(fun, at, args, kwargs)
        split = _aux_pair if has_aux else lambda out: (out, ())
        function, flat, parts = _function(call, (chosen, others), split)
        shapes = function_shapes(function, parts)
        n_aux = flat.aux_tree.num_leaves
        out = function.jacobian("fwd" if mode == "jacfwd" else "rev", argnums=(0,), n_aux=n_aux,
                                holomorphic=holomorphic,
                                allow_int=allow_int)(*parts)
        n_in, n_out = len(parts[0]), len(shapes) - n_aux
        in_tree = tree_structure(chosen)
        rows = [in_tree.unflatten(out[i * n_in:(i + 1) * n_in]) for i in range(n_out)]
        jac = flat.out_tree.unflatten([r if many else r[0] for r in rows])
        return (jac, flat.aux_tree.unflatten(out[n_in * n_out:])) if has_aux else jac

    return jacfun


def function_shapes(function, parts):
    """Arrays without values, of the types of the function's results."""
    return _core.eval_shape(function, parts)


def jacfwd(fun, argnums=0, has_aux=False, holomorphic=False):
    """The Jacobian of fun, by forward mode. (jax.jacfwd)"""
    return _jacobian("jacfwd", fun, argnums, has_aux, holomorphic, False)


def jacrev(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False):
    """The Jacobian of fun, by reverse mode. (jax.jacrev)"""
    return _jacobian("jacrev", fun, argnums, has_aux, holomorphic, allow_int)


jacobian = jacrev


def hessian(fun, argnums=0, has_aux=False, holomorphic=False):
    """The Hessian of fun: jacfwd of jacrev. (jax.hessian)"""
    return jacfwd(jacrev(fun, argnums, has_aux, holomorphic), argnums, has_aux, holomorphic)


# ---- vmap.

def _axes_of(axes, tree, what):
    """An axis, or None, for each leaf of the tree: `axes` is a tree of which that one is an extension."""
    leaves, treedef = tree_flatten(axes, lambda x: x is None)
    if treedef.num_nodes == 1 and leaves:
        return [axes] * len(tree_leaves(tree))
    try:
        subtrees = flatten_up_to(treedef, tree)
    except ValueError:
        raise ValueError(f"vmap {what} specification must be a tree prefix of the corresponding value, got "
                         f"specification "
                         f"{axes} for value tree {tree_structure(tree)}.") from None
    return [a for a, s in zip(leaves, subtrees) for _ in tree_leaves(s)]


def _check_sizes(what, fun, args, kwargs, mapped, axis_size):
    sizes = [(x.shape if hasattr(x, "shape") else _asarray(x).shape)[a] for x, a in mapped]
    if len({*sizes, *(() if axis_size is None else (axis_size,))}) <= 1:
        return
    try:
        names = [f"argument {n}" for n in _inspect.signature(fun).bind(*args, **kwargs).signature.parameters]
    except (TypeError, ValueError):
        names = []
    places = {}
    for i, a in enumerate(args):
        for path, leaf in tree_flatten_with_path(a)[0]:
            places[id(leaf)] = (names[i] if i < len(names) else f"args[{i}]") + keystr(path)
    for path, leaf in tree_flatten_with_path(kwargs)[0]:
        places[id(leaf)] = "kwargs" + keystr(path)
    lines = [] if axis_size is None else [f"  * the `axis_size` argument was {axis_size}"]
    for k, (size, n) in enumerate(_collections.Counter(sizes).most_common()):
        x, axis = mapped[sizes.index(size)]
        shape = ",".join(str(e) for e in (x.shape if hasattr(x, "shape") else _asarray(x).shape))
        which = "one axis had" if n == 1 else f"{'some' if k else 'most'} axes ({n} of them) had"
        lines.append(f"  * {which} size {size}{', e.g.' if n > 1 else ':'} axis {axis} of {places[id(x)]} of type "
                     f"{_dtype_of(x)}[{shape}]")
    raise ValueError(f"{what} got inconsistent sizes for array axes to be mapped:\n" + ";\n".join(lines))


def _check_axes(what, axes):
    if not all(a is None or isinstance(a, int) for a in tree_leaves(axes, lambda x: x is None)):
        raise TypeError(f"{what} must be an int, None, or (nested) container with those types as leaves, "
                        f"but got {axes}.")


def _check_ranks(what, leaves, axes):
    for x, a in zip(leaves, axes):
        ndim = len(_shape_of(x))
        if a is not None and not -ndim <= a < ndim:
            raise ValueError(f"{what} was requested to map its argument along axis {a}, which implies that its "
                             f"rank should be "
                             f"at least {a + 1 if a >= 0 else -a}, but is only {ndim} (its shape is {_shape_of(x)})")


def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None):
    """fun of each element along axes of its arguments. (jax.vmap)

    >>> import kiln, kiln.numpy as knp
    >>> kiln.vmap(knp.dot)(knp.ones((2, 3)), knp.ones((2, 3))).tolist()
    [3.0, 3.0]
    """
    return vmap_as("vmap", fun, in_axes, out_axes, axis_name, axis_size)


def vmap_as(what, fun, in_axes, out_axes, axis_name, axis_size):
    """vmap, or pmap, which has the same arguments."""
    _check_callable(fun, what)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or type(in_axes) in (int, tuple)):
        raise TypeError(f"{what} in_axes must be an int, None, or a tuple of entries corresponding to the positional "
                        f"arguments passed to the function, but got {in_axes}.")
    _check_axes(f"{what} in_axes", in_axes)
    _check_axes(f"{what} out_axes", out_axes)

    @_functools.wraps(fun)
    def vmap_f(*args, **kwargs):
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError(f"{what} in_axes must be an int, None, or a tuple of entries corresponding to the "
                             f"positional arguments passed to the function, but got len(in_axes)={len(in_axes)}, "
                             f"len(args)={len(args)}")
        axes = _axes_of(in_axes, args, "in_axes") + [0] * len(tree_leaves(kwargs))
        if axis_size is None and all(a is None for a in axes):
            raise ValueError(f"{what} must have at least one non-None value in in_axes or axis_size must be specified"
                             if what == "vmap" else "pmap requires at least one argument with a mapped axis.")
        every, treedef = tree_flatten((args, kwargs))
        fixed = [a is None and not isinstance(x, Array) for a, x in zip(axes, every)]  # these stay what they are
        leaves = [x for f, x in zip(fixed, every) if not f]
        axes = [a for f, a in zip(fixed, axes) if not f]
        _check_ranks(what, leaves, axes)
        _check_sizes(what, fun, args, kwargs, [(x, a) for x, a in zip(leaves, axes) if a is not None], axis_size)
        merged, parts, distinct = _by_axis(leaves, axes)
        holder = Flat(lambda t: fun(*t[0], **t[1]), [treedef])

        def flat(*parts):
            mapped = merged(parts)
            return holder([x if f else next(mapped) for f, x in zip(fixed, every)])

        return _mapped(fun, flat, holder, out_axes, parts,
                       {"axes": distinct, "axis_name": axis_name, "axis_size": axis_size or 0, "pmap": what == "pmap"})

    return vmap_f


def _by_axis(leaves, axes):
    """(a function from parts to the leaves in order, the parts, their axes): a part for each axis; leaves of rarer axes
    than a function may have parts are turned."""
    distinct = list(dict.fromkeys(axes))[:_core.MAX_PARTS - 1]
    leaves = [x if a in distinct else _moveaxis(x, a, 0) for x, a in zip(leaves, axes)]
    axes = [a if a in distinct else 0 for a in axes]
    distinct = list(dict.fromkeys(axes))
    at = [distinct.index(a) for a in axes]

    def merged(parts):
        parts = [iter(p) for p in parts]
        return iter([next(parts[p]) for p in at])

    return merged, [[x for x, p in zip(leaves, at) if p == k] for k in range(len(distinct))], tuple(distinct)


def _mapped(fun, flat, holder, out_axes, parts, options):
    """The tree of results. Those that out_axes says are not mapped come from a call of their own: that is where
    the library
    sees whether they are."""
    wanted = {a is None for a in tree_leaves(out_axes, lambda x: x is None)} or {False}
    to, results = [], {}

    def these(unmapped):
        def f(*parts):
            out = flat(*parts)
            to[:] = _axes_of(out_axes, holder.out_tree.unflatten(out), "out_axes")
            return [x for x, a in zip(out, to) if (a is None) == unmapped]
        return f

    for unmapped in sorted(wanted):
        function = Function(these(unmapped), tuple(map(len, parts)), fun)
        try:
            results[unmapped] = iter(function.vmap(**options, unmapped=unmapped)(*parts))
        except ValueError as e:
            if not (unmapped and "KN_UNMAPPED" in str(e)):
                raise
            raise ValueError("at vmap out_axes, got axis spec None but the output is mapped: it depends on an "
                             "argument that "
                             "is") from None
    return holder.out_tree.unflatten([_moved(next(results[a is None]), a) for a in to])


_moveaxis = _core.functions("kiln.numpy")["moveaxis"]


def _moved(x, axis):
    return x if axis in (None, 0) else _moveaxis(x, 0, axis)


# ---- Shapes, checkpoints, custom derivatives.

class ShapeDtypeStruct:
    """The type of an array without a value. (jax.ShapeDtypeStruct)"""

    def __init__(self, shape, dtype, *, sharding=None, weak_type=False):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        self.shape, self.dtype, self.weak_type = tuple(shape), _core.dtype(dtype), weak_type
        self.sharding = sharding

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for e in self.shape:
            n *= e
        return n

    def __repr__(self):
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, ShapeDtypeStruct) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))


_shape_dtype_struct = _core.functions("kiln")["shape_dtype_struct"]


def _example(x):
    """An array of this type without a value, as the C library takes it."""
    return _shape_dtype_struct(x.shape, x.dtype) if isinstance(x, ShapeDtypeStruct) else x


def eval_shape(fun, *args, **kwargs):
    """The shapes and dtypes of fun's results, which is not run. (jax.eval_shape)"""
    args, kwargs = tree_map(_example, (args, kwargs))
    function, flat, parts = _function(lambda t: fun(*t[0], **t[1]), ((args, kwargs),))
    out = _core.eval_shape(function, parts)
    return flat.out_tree.unflatten([ShapeDtypeStruct(x.shape, x.dtype) for x in out])


def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=()):
    """fun, whose derivative computes its values again instead of keeping them. (jax.checkpoint)

    policy: one of kiln.checkpoint_policies."""
    if fun is None:
        return _functools.partial(checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums)
    _check_callable(fun, "checkpoint")
    kind, names = policy or (0, ())
    nums = _tuple(static_argnums)

    @_functools.wraps(fun)
    def checkpointed(*args, **kwargs):
        static = {n + len(args) if n < 0 else n for n in nums}
        fixed = {i: a for i, a in enumerate(args) if i in static}
        dynamic = tuple(a for i, a in enumerate(args) if i not in static)

        def call(t):
            a, k = _with_statics(*t, fixed)
            return fun(*a, **k)

        call.__name__ = getattr(fun, "__name__", "function")
        function, flat, parts = _function(call, ((dynamic, kwargs),))
        out = function.checkpoint(kind=kind, names=names, prevent_cse=prevent_cse)(*parts)
        return flat.out_tree.unflatten(out)

    return checkpointed


remat = checkpoint


class checkpoint_policies:
    """What derivatives of a checkpoint may keep from the first time. (jax.checkpoint_policies)"""
    nothing_saveable = (0, ())
    everything_saveable = (1, ())
    dots_saveable = checkpoint_dots = (2, ())
    dots_with_no_batch_dims_saveable = checkpoint_dots_with_no_batch_dims = (3, ())

    @staticmethod
    def save_only_these_names(*names_which_can_be_saved):
        """Values that checkpoint_name gave one of these names."""
        return 4, tuple(names_which_can_be_saved)

    @staticmethod
    def save_any_names_but_these(*names_not_to_save):
        """Values with a name, but these."""
        return 5, tuple(names_not_to_save)


def named_call(fun, *, name=None):
    """fun, recorded as a function of this name. (jax.named_call)"""
    _check_callable(fun, "named_call")

    @_functools.wraps(fun)
    def named(*args, **kwargs):
        return compiled(*args, **kwargs)

    if name is not None:
        named.__name__ = name
    inner = _functools.wraps(fun)(lambda *args, **kwargs: fun(*args, **kwargs))
    inner.__name__ = named.__name__
    compiled = jit(inner)
    return named

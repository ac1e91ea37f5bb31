# SPDX-License-Identifier: Apache-2.0
"""Functions that are written for one device (jax.shard_map, jax.pmap)."""
import functools as _functools

from . import _core
from ._core import Function
from ._mesh import Mesh, NamedSharding, PartitionSpec, _Axes, current_mesh, text_of
from ._transforms import Flat, _axes_of, _check_callable, _tuple, jit, vmap_as
from .tree_util import flatten_up_to, tree_flatten, tree_leaves, tree_structure

_asarray = _core.functions("kiln.numpy")["asarray"]


class _Again(Exception):
    """The function has other results than were thought."""


def _is_spec(x):
    return isinstance(x, PartitionSpec) or x is None


def _check_specs(specs, what):
    for s in tree_leaves(specs, _is_spec):
        if not isinstance(s, PartitionSpec):
            raise TypeError(f"shard_map {what} argument must be a pytree of `kiln.sharding.PartitionSpec` instances, "
                            f"but it has {s!r}")


def _texts(specs, tree, what):
    """The text of a spec for each leaf of the tree, of which `specs` is a prefix."""
    found, treedef = tree_flatten(specs, _is_spec)
    try:
        subtrees = flatten_up_to(treedef, tree)
    except ValueError:
        raise ValueError(f"shard_map {what} specification must be a tree prefix of the corresponding value, got "
                         f"specification {specs} for value tree {tree_structure(tree)}.") from None
    return [text_of(s) for s, t in zip(found, subtrees) for _ in tree_leaves(t)]


def _check_names(specs, mesh, what):
    for s in tree_leaves(specs, _is_spec):
        for e in s:
            for name in e if isinstance(e, tuple) else (e,):
                if name is not None and name not in mesh.axis_names:
                    raise ValueError(f"shard_map {what} argument must refer to an axis marked as manual "
                                     f"({frozenset(mesh.axis_names)}), but:\n\n  {what} refers to {name!r}\n\n"
                                     f"Check the {what} values passed to shard_map.")


def shard_map(f=None, /, *, out_specs, in_specs, mesh=None, axis_names=frozenset(), check_vma=True, check_rep=None):
    """f on each device of a mesh, for its parts of the arguments: in f the axes of the mesh have their names, for the
    collectives of kiln.lax. (jax.shard_map)

    Args:
      in_specs, out_specs: specs, trees of which arguments and results are extensions.
      mesh: that of the block (kiln.set_mesh) if it is not given.
      axis_names: all of the mesh's, if any are given.
      check_vma: ValueError for results that might differ along an axis that their spec does not name. check_rep is its
        older name.

    >>> import kiln, kiln.numpy as knp
    >>> mesh = kiln.make_mesh((1,), "x")
    >>> share = kiln.shard_map(lambda x: x / kiln.lax.psum(x.sum(), "x"), mesh=mesh, in_specs=kiln.P("x"),
    ...                        out_specs=kiln.P("x"))
    >>> share(knp.asarray([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    if f is None:
        return _functools.partial(shard_map, out_specs=out_specs, in_specs=in_specs, mesh=mesh, axis_names=axis_names,
                                  check_vma=check_vma, check_rep=check_rep)
    _check_callable(f, "shard_map")
    check = check_vma if check_rep is None else check_rep
    in_specs = tuple(in_specs) if isinstance(in_specs, list) else in_specs
    _check_specs(in_specs, "in_specs")
    _check_specs(out_specs, "out_specs")
    if mesh is not None and not isinstance(mesh, _Axes):
        raise TypeError(f"shard_map wants a mesh, not {mesh!r}")

    @_functools.wraps(f)
    def shard_mapped(*args):
        m = mesh if mesh is not None else current_mesh()
        if m is None:
            raise ValueError("The context mesh cannot be empty. Use `kiln.set_mesh(mesh)` to enter into a mesh context")
        if axis_names and set(axis_names) != set(m.axis_names):
            raise NotImplementedError(f"shard_map over some axes of a mesh alone: axis_names has to be all of "
                                      f"{m.axis_names}, not {axis_names}")
        _check_names(in_specs, m, "in_specs")
        _check_names(out_specs, m, "out_specs")
        leaves, treedef = tree_flatten(args)
        into = ";".join(_texts(in_specs, args, "in_specs"))
        one = isinstance(out_specs, PartitionSpec)
        results = [text_of(s) for s in tree_leaves(out_specs, _is_spec)]
        holder = Flat(lambda t: f(*t), [treedef])

        def body(*parts):
            out = holder(*parts)
            wanted = results if one else _texts(out_specs, holder.out_tree.unflatten(out), "out_specs")
            if wanted != results:
                results[:] = wanted
                raise _Again
            return out

        function = Function(body, (len(leaves),), f)
        for _ in range(2):
            try:
                out = _core.shard_map(function, m._handle, into, ";".join(results), check)(leaves)
                return holder.out_tree.unflatten(out)
            except _Again:
                function = Function(body, (len(leaves),), f)
        raise RuntimeError(f"shard_map: {getattr(f, '__name__', 'the function')} has another structure of results each "
                           "time it is called")

    return shard_mapped


def pmap(fun, axis_name=None, *, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None,
         axis_size=None, donate_argnums=()):
    """fun compiled for each element along axes of its arguments, with a device for each where there are as many; else
    they are worked out together, as by vmap. (jax.pmap)

    >>> import kiln, kiln.numpy as knp
    >>> kiln.pmap(lambda x: x / kiln.lax.psum(x, "i"), axis_name="i")(knp.asarray([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    _check_callable(fun, "pmap")
    static = _tuple(static_broadcasted_argnums)
    name = _NAME if axis_name is None else axis_name
    given = None if devices is None else Mesh(list(devices), (name,))
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)

    def dynamic(args):
        """(the arguments that are no static ones, their axes, positions of the static ones)"""
        at = {n + len(args) if n < 0 else n for n in static}
        axes = in_axes
        if isinstance(axes, tuple) and len(axes) == len(args):
            axes = tuple(a for i, a in enumerate(axes) if i not in at)
        return tuple(a for i, a in enumerate(args) if i not in at), axes, at

    @_functools.wraps(fun)
    def mapped(*args, **kwargs):
        rest, axes, at = dynamic(args)

        @_functools.wraps(fun)
        def called(*some, **named):
            others = iter(some)
            return fun(*[a if i in at else next(others) for i, a in enumerate(args)], **named)

        return vmap_as("pmap", called, axes, out_axes, name, axis_size)(*rest, **kwargs)

    compiled = jit(mapped, static_argnums=static or None, donate_argnums=donate_argnums or None)

    @_functools.wraps(fun)
    def pmapped(*args, **kwargs):
        if _core.tracing():
            return mapped(*args, **kwargs)
        rest, axes, at = dynamic(args)
        spread = iter(_spread(rest, axes, name, given))
        return compiled(*[a if i in at else next(spread) for i, a in enumerate(args)], **kwargs)

    return pmapped


_NAME = "_pmap"


def _spread(args, axes, name, mesh):
    """The arguments, along the axes that are mapped over the devices that were given, or the first ones, if there are
    as many and nothing lies on a mesh yet."""
    leaves, treedef = tree_flatten(args)
    try:
        axes = _axes_of(axes, args, "in_axes")
    except ValueError:  # the function will say so
        return args
    shapes = [(*getattr(x, "shape", ()),) for x in leaves]
    lanes = {s[a] for s, a in zip(shapes, axes) if a is not None and -len(s) <= a < len(s)}
    if len(lanes) != 1 or any(_core.device_of(x).startswith("mesh:") for x in leaves if isinstance(x, _core.Array)):
        return args
    n = lanes.pop()
    if mesh is None and n and _core.job()[2] == 1 and n <= _core.job()[3]:
        mesh = Mesh._of_numbers((n,), (name,), tuple(range(n)))
    if mesh is None or n != mesh.size:
        return args
    return treedef.unflatten([x if a is None or not s else _core.shard(_asarray(x), NamedSharding(
        mesh, PartitionSpec(*[None] * (a % len(s)), name))._handle) for x, a, s in zip(leaves, axes, shapes)])

# SPDX-License-Identifier: Apache-2.0
"""What a function would move between the devices of a mesh, which need not be there."""
import typing as _typing

from . import _core
from ._jaxpr import Jaxpr, make_jaxpr
from ._mesh import Mesh, NamedSharding, PartitionSpec, _Axes, _spec_of, text_of
from ._transforms import _axes_of
from .tree_util import flatten_up_to, tree_flatten, tree_leaves


class Communication(_typing.NamedTuple):
    """What one device receives in a run, its collectives one after the other."""
    bytes: float
    messages: float
    collectives: float
    seconds: float  # at the latency and bandwidth that were given
    text: str  # a line for each collective: operand, devices, times, bytes, time, the line of the program
    jaxpr: _typing.Any  # of one device
    out_specs: tuple  # how the results lie
    decisions: str  # where there were several ways, or none: a line each, with the reason

    def __str__(self):
        return self.text


def _placed(x):
    sharding = getattr(x, "sharding", None)
    return sharding if isinstance(sharding, NamedSharding) else None


def communication_of(fun, mesh=None, in_specs=None, *, latency=10e-6, bandwidth=10e9):
    """A function that tells for arguments of these types what one device would receive: bytes, messages, seconds, and a
    table of the collectives. Nothing runs; arguments may be kiln.ShapeDtypeStruct.

    Args:
      mesh: of kiln.make_mesh, or an AbstractMesh; None: that of the arguments.
      in_specs: specs, a tree of which the arguments are an extension; None: as the arguments lie.
      latency: seconds of a message before its first byte.
      bandwidth: bytes that a device receives in a second.

    >>> import kiln, kiln.numpy as knp
    >>> mesh = kiln.sharding.AbstractMesh((4,), ("x",))
    >>> x = kiln.ShapeDtypeStruct((8, 4096), "float32")
    >>> c = kiln.sharding.communication_of(lambda x: x.sum(0), mesh, kiln.P("x"))(x)
    >>> c.bytes, c.messages, c.out_specs
    (24576.0, 6.0, (P(),))
    """
    if mesh is not None and not isinstance(mesh, _Axes):
        raise TypeError(f"communication_of wants a mesh, not {mesh!r}")

    def told(*args):
        leaves, around = tree_leaves(args), mesh
        if in_specs is None:
            placed = [_placed(x) for x in leaves]
            for s in placed:
                if s is not None and around is not None and s.mesh != around:
                    raise ValueError(f"communication_of: an argument lies on {s.mesh}, not on {around}")
                around = around or (s and s.mesh)
            specs = [s.spec if s else PartitionSpec() for s in placed]
        else:
            found, treedef = tree_flatten(tuple(in_specs) if isinstance(in_specs, list) else in_specs,
                                          lambda x: isinstance(x, PartitionSpec))
            specs = [s for s, t in zip(found, flatten_up_to(treedef, args)) for _ in tree_leaves(t)]
        if around is None:
            raise ValueError("communication_of: no mesh was given, and no argument lies on one")
        jaxpr = make_jaxpr(fun)(*args)
        handle, out, decisions = _core.partition_jaxpr(jaxpr._handle, around._handle,
                                                       "; ".join(f"({text_of(s)})" for s in specs))
        *numbers, text = _core.communication_of(handle, latency, bandwidth)
        out_specs = tuple(_spec_of(s.strip()[1:-1]) for s in out.split(";")) if out.strip() else ()
        return Communication(*numbers, text, Jaxpr(handle, jaxpr._source), out_specs, decisions)

    return told

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program over eight devices, written once for JAX and for Kiln: mesh_program.py jax|kiln prints values, shardings as
texts, indices of parts, errors and jaxprs. test_mesh_jax.py compares what both print.

Where an array of the program lies otherwise by right (extents that are not divided, docs/sharding.md), it is not here."""
import os
import re
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.update(JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1", KILN_DEVICES="8")
if sys.argv[1] == "jax":
    import jax as k
    import jax.numpy as np
    import jax.experimental.mesh_utils as mesh_utils
else:
    import kiln as k
    import kiln.numpy as np
    from kiln.experimental import mesh_utils
import contextlib
import io

import numpy

lax, P = k.lax, k.P
Mesh, NamedSharding = k.sharding.Mesh, k.sharding.NamedSharding
DEVICES = k.devices()
XY = Mesh(numpy.array(DEVICES).reshape(4, 2), ("x", "y"))
X8 = Mesh(numpy.array(DEVICES), ("x",))
R = numpy.random.default_rng(5)
A, B = R.normal(size=(8, 12)), R.normal(size=(12, 4))


def trimmed(sharding):
    """The text of a sharding; entries None at the end say nothing."""
    text = re.sub(r"(, None)+\)", ",)", str(sharding)) if sharding is not None else "None"
    return re.sub(r"P\(((?:\([^)]*\)|[^,()])+), ?\)", r"P(\1,)", re.sub(r"P\(None,\)", "P()", text))


def numbers(x):
    return numpy.array2string(numpy.round(numpy.asarray(x, dtype="float64"), 9) + 0.0, max_line_width=10**6, threshold=10**6)


def put(x, *spec, mesh=XY):
    return k.device_put(np.asarray(x), NamedSharding(mesh, P(*spec)))


CASES = []


def case(f):
    CASES.append(f)
    return f


def show(x):
    """Values and sharding of an array on a mesh."""
    print(x.shape, trimmed(x.sharding), x.is_fully_replicated, x.is_fully_addressable, numbers(x))


@case
def texts():
    for spec in (P(), P("x"), P("x", None), P(("x", "y")), P(None, "y"), P(("x",)), P(None, ("x", "y"), None), P(None)):
        s = NamedSharding(XY, spec)
        print(spec, len(spec), tuple(spec), s.spec, s, repr(s), s.is_fully_replicated, s.num_devices)
    print(P("x") == P("x", None), P(("x",)) == P("x"), P("x") == P("x"), P("x") + P("y"), P("x").index("x"), hash(P("x")) == hash(P("x")))
    print(XY, repr(XY), XY.shape["y"], XY.axis_names, XY.axis_sizes, XY.shape_tuple, XY.size, XY.empty, XY.device_ids, XY.devices)
    print(XY.axis_types, XY == Mesh(numpy.array(DEVICES).reshape(4, 2), ("x", "y")), XY == X8, XY.local_devices, XY.is_multi_process)
    print(k.sharding.SingleDeviceSharding(DEVICES[3]), k.sharding.AxisType.Auto, Mesh(DEVICES, "a"))
    print(mesh_utils.create_device_mesh((2, 4)))
    print(DEVICES, k.device_count(), k.local_device_count(), k.process_index(), k.process_count(), [d.id for d in k.local_devices()])


@case
def indices():
    for spec in (P(), P("x"), P("y", "x"), P(("y", "x")), P(None, ("x", "y"))):
        s = NamedSharding(XY, spec)
        print(spec, s.shard_shape((8, 16)))
        for d, i in s.devices_indices_map((8, 16)).items():
            print("  ", d, i)
        x = put(numpy.arange(128).reshape(8, 16), *spec)
        for q in x.addressable_shards:
            print("  ", q.device, q.index, q.replica_id, q.data.shape, numbers(q.data))
        print(numbers(x.addressable_data(5)))
    print(NamedSharding(XY, P("x")).is_equivalent_to(NamedSharding(XY, P("x", None)), 2))
    print(NamedSharding(XY, P("x")).is_equivalent_to(NamedSharding(XY, P("y")), 2))


@case
def operations():
    x, w = put(A, "x", "y"), put(B, "y")
    for f in (lambda: x + 1, lambda: np.sin(x) * x, lambda: x.sum(), lambda: x.sum(axis=0), lambda: x.mean(axis=1), lambda: x.T,
              lambda: x @ w, lambda: np.where(x > 0, x, 0), lambda: k.jit(lambda a, b: np.tanh(a @ b))(x, w),
              lambda: k.grad(lambda a: (a ** 2).sum())(x), lambda: k.vmap(lambda r: r * 2)(x), lambda: x.reshape(8, 2, 6),
              lambda: k.jit(lambda a: lax.with_sharding_constraint(a * 2, NamedSharding(XY, P("y"))))(x),
              lambda: k.jit(lambda a: lax.scan(lambda c, r: (c + r, c.sum()), np.zeros(12), a)[0])(put(A)),
              lambda: k.jit(lambda a: a + 1, out_shardings=NamedSharding(XY, P(None, "x")))(x),
              lambda: k.jit(lambda a: a + 1, in_shardings=NamedSharding(XY, P("y")), out_shardings=NamedSharding(XY, P("x")))(A),
              lambda: lax.with_sharding_constraint(np.asarray(A), NamedSharding(XY, P("x"))), lambda: k.device_put(x, NamedSharding(XY, P(None, "y"))),
              lambda: k.device_put(x, NamedSharding(X8, P("x")))):
        show(f())


@case
def trees():
    t = k.device_put({"a": A, "b": (B, B)}, {"a": NamedSharding(XY, P("x")), "b": NamedSharding(XY, P())})
    for leaf in k.tree.leaves(t):
        show(leaf)
    with k.set_mesh(XY):
        show(k.device_put(A, P("y")))
        show(k.jit(lambda a: lax.with_sharding_constraint(a, P("x")))(A))


@case
def made_of_parts():
    s = NamedSharding(XY, P("x", "y"))
    show(k.make_array_from_callback((8, 12), s, lambda i: A[i]))
    show(k.make_array_from_process_local_data(s, A))
    parts = [k.device_put(A[i], d) for d, i in s.devices_indices_map((8, 12)).items()]
    show(k.make_array_from_single_device_arrays((8, 12), s, parts))
    d = k.device_put(A, DEVICES[3])
    print(d.sharding, d.devices(), d.device, d.committed, (d + 1).sharding)


@case
def drawings():
    for x in (put(A, "x", "y"), put(A, "x"), put(A), put(A[0], "x"), put(A, None, "y"), put(A, ("x", "y"))):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            k.debug.visualize_array_sharding(x)
        print(out.getvalue().rstrip())


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
BODIES = {
    "psum": (lambda a: lax.psum(a, "x"), P("x"), P()), "pmean": (lambda a: lax.pmean(a, ("x", "y")), P("x", "y"), P()),
    "pmax": (lambda a: lax.pmax(a, "x"), P("x"), P()), "pmin": (lambda a: lax.pmin(a, "x"), P("x"), P()),
    "ppermute": (lambda a: lax.ppermute(a, "x", RING), P("x"), P("x")),
    "all_gather": (lambda a: lax.all_gather(a, "x", tiled=True) * 2, P("x"), P("x")),
    "all_gather new axis": (lambda a: lax.all_gather(a, "x", axis=1), P("x"), P("x")),
    "psum_scatter": (lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True), P("x"), P("x", None)),
    "all_to_all": (lambda a: lax.all_to_all(a, "x", 1, 0, tiled=True), P("x"), P(None, "x")),
    "axis_index": (lambda a: a + lax.axis_index("x") * lax.axis_size("y"), P("x"), P("x")),
    "pcast": (lambda a: a * lax.pcast(np.ones((2, 12)), "x", to="varying"), P("x"), P("x")),
    "two results": (lambda a: {"s": lax.psum(a.sum(), "x"), "r": (a * 2, a + 1)}, P("x"), {"s": P(), "r": P("x")}),
    "whole and cut": (lambda a: (lax.psum(a, "y"), a), P("x", "y"), (P("x"), P("x", "y"))),
}


@case
def shard_maps():
    for name, (f, into, out) in BODIES.items():
        g = k.shard_map(f, mesh=XY, in_specs=into, out_specs=out, check_vma=False)
        for h in (g, k.jit(g)):
            for leaf in k.tree.leaves(h(put(A))):
                print(name, numbers(leaf))
        total = lambda a: sum((leaf ** 2).sum() for leaf in k.tree.leaves(g(a)))
        if name not in ("pmax", "pmin"):
            print(name, "gradient", numbers(k.grad(total)(put(A))))
        print(name, k.make_jaxpr(g)(put(A)))
    f = k.shard_map(lambda a, b: lax.psum(a @ b, "y"), mesh=XY, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))
    show(k.jit(f)(A, B))
    print(numbers(k.vmap(f, in_axes=(0, None))(np.stack([A, 2 * A]), B)))
    with k.set_mesh(X8):
        show(k.shard_map(lambda a: a * lax.axis_index("x"), in_specs=P("x"), out_specs=P("x"))(A))


@case
def pmaps():
    v = numpy.arange(8.0)
    print(numbers(k.pmap(lambda a: a / lax.psum(a, "i"), axis_name="i")(v + 1)))
    print(numbers(k.pmap(lambda a, b: a * b, in_axes=(0, None))(v, 3.0)))
    print(numbers(k.pmap(lambda a: a * 2, in_axes=1, out_axes=1)(A[:, :8])))
    print(numbers(k.pmap(lambda a, n: a ** n, static_broadcasted_argnums=1)(v, 3)))
    print({n: numbers(x) for n, x in k.pmap(lambda t: {"s": t["a"].sum(), "d": t["a"] * 2})({"a": A}).items()})
    print(numbers(k.pmap(lambda a: a + 1, devices=DEVICES[4:])(v[:4])))
    print(numbers(k.grad(lambda a: k.pmap(lambda r: (r ** 2).sum())(a).sum())(A)))


def said(f):
    try:
        print("no error", f())
    except Exception as e:  # duplicates are no ValueError with JAX
        print(isinstance(e, ValueError) or "duplicate" in str(e), str(e).replace("jax.", "kiln."))


@case
def errors():
    for f in (lambda: NamedSharding(XY, P("z")), lambda: NamedSharding(XY, P("x", "x")).spec, lambda: k.make_mesh((16,), ("x",)),
              lambda: k.make_mesh((4,), ("x", "y")), lambda: Mesh(DEVICES, ("x", "y")), lambda: put(A[0], "x", "y"),
              lambda: lax.with_sharding_constraint(A, P("x")), lambda: k.device_put(A, P("x")),
              lambda: k.make_array_from_callback((8, 12), NamedSharding(XY, P("x")), lambda i: numpy.ones((3, 12))),
              lambda: k.shard_map(lambda a: a, in_specs=P("x"), out_specs=P("x"))(A),
              lambda: k.pmap(lambda a: a, in_axes=None)(A), lambda: k.sharding.SingleDeviceSharding(DEVICES[0]).spec):
        said(f)


for f in CASES:
    print("@@", f.__name__)
    f()

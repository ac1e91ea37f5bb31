# SPDX-License-Identifier: Apache-2.0
"""spread_arrays.py over eight devices, in a process of its own; the number of devices; processes over MPI."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import kiln

HERE = pathlib.Path(__file__).parent


def python(*args, before=(), **environment):
    """The devices there are those of the CPU, also on a machine with a WebGPU engine."""
    return subprocess.run([*before, sys.executable, *args],
                          env={**os.environ, "KILN_WEBGPU_LIBRARY": "/nowhere", **environment}, capture_output=True,
                          text=True, timeout=600)


def test_over_eight_devices():
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "spread_arrays.py", KILN_DEVICES="8")
    assert done.returncode == 0, done.stdout[-5000:]


def test_the_number_of_devices():
    program = """
import kiln
kiln.config.update("jax_num_cpu_devices", 3)
assert kiln.config.jax_num_cpu_devices == 3 and kiln.device_count("cpu") == len(kiln.local_devices()) == 3
assert [d.id for d in kiln.devices("cpu")] == [0, 1, 2] and str(kiln.devices()[2]) == "cpu:2"
kiln.make_mesh((3,), "x")
try:
    kiln.config.update("jax_num_cpu_devices", 4)
except RuntimeError:
    print("well")
"""
    assert python("-c", program, KILN_DEVICES="2").stdout == "well\n"


def test_without_mpi_it_is_an_error():
    done = python("-c", "import kiln; kiln.distributed.initialize()", KILN_MPI_LIBRARY="/nowhere/libkiln_mpi.so")
    assert "RuntimeError: distributed_init: no MPI" in done.stderr


PROCESSES = """
import sys
import kiln, numpy
from kiln import P, NamedSharding
from kiln.experimental import multihost_utils
kiln.distributed.initialize(num_processes=2)
me = kiln.process_index()
assert kiln.process_count() == 2 and kiln.device_count() == 4 and kiln.local_device_count() == 2
assert [d.id for d in kiln.local_devices()] == [2 * me, 2 * me + 1] and kiln.devices()[3].process_index == 1
mesh = kiln.make_mesh((4,), "x")
rows = NamedSharding(mesh, P("x"))
x = kiln.make_array_from_callback((8,), rows, lambda i: numpy.arange(8.0)[i])
assert not x.is_fully_addressable and [s.device.id for s in x.addressable_shards] == [2 * me, 2 * me + 1]
assert float(kiln.jit(lambda a: (a * a).sum())(x)) == 140
try:
    print(x)
    raise AssertionError("it was printed")
except RuntimeError as e:
    assert "spread over processes" in str(e)
assert multihost_utils.process_allgather(x, tiled=True).tolist() == list(range(8))
assert multihost_utils.process_allgather(numpy.array([me, 5])).tolist() == [[0, 5], [1, 5]]
y = kiln.make_array_from_process_local_data(rows, numpy.full(4, me))
assert y.shape == (8,) and multihost_utils.process_allgather(y).tolist() == [0] * 4 + [1] * 4
ring = kiln.shard_map(lambda a: kiln.lax.ppermute(a, "x", [(i, (i + 1) % 4) for i in range(4)]), mesh=mesh,
                      in_specs=P("x"), out_specs=P("x"))
assert multihost_utils.process_allgather(ring(x)).tolist() == [6, 7, 0, 1, 2, 3, 4, 5]
kiln.save_checkpoint(sys.argv[1], {"x": x})
assert kiln.load_checkpoint(sys.argv[1], like={"x": x})["x"].sharding == rows
seen = []
def told(a):
    kiln.debug.callback(lambda v: seen.append(float(v)), a.sum())
    return a + 1
kiln.shard_map(told, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x).block_until_ready()
assert sorted(seen) == [[1, 5], [9, 13]][me]
multihost_utils.sync_global_devices("the end")
kiln.distributed.shutdown()
late = x + 1
for look in (numpy.asarray, memoryview, repr, lambda a: a.sharding, numpy.asarray):
    try:
        look(late)
        raise AssertionError("it was worked out")
    except RuntimeError as e:
        assert "this process is alone" in str(e)
print("well")
"""


def mpi_library():
    said = os.environ.get("KILN_MPI_LIBRARY")
    built = [pathlib.Path(said)] if said else list(HERE.parents[2].glob("build/release/libkiln_mpi.so"))
    return next((str(p) for p in built if p.exists()), None)


def test_two_processes(tmp_path):
    library = mpi_library()
    if not shutil.which("mpirun") or not library:
        pytest.skip("no mpirun, or no libkiln_mpi.so: KILN_MPI_LIBRARY says where it is")
    run = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "-n", "2")
    done = python("-c", PROCESSES, tmp_path / "state", before=run, KILN_MPI_LIBRARY=library, KILN_DEVICES="2")
    assert done.returncode == 0 and "".join(done.stdout.split()) == "wellwell", done.stdout + done.stderr
    assert kiln.load_checkpoint(tmp_path / "state")["x"].tolist() == list(range(8))

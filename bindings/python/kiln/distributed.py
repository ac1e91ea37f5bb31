# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes, which mpirun or srun starts (jax.distributed)."""
from . import _core

__all__ = ["initialize", "is_initialized", "process_count", "process_index", "shutdown"]


def _address(communicator):
    """Where the MPI_Comm is: of mpi4py's, or an address."""
    if communicator is None or isinstance(communicator, int):
        return communicator or 0
    from mpi4py import MPI
    return MPI._addressof(communicator)


def initialize(coordinator_address=None, num_processes=None, process_id=None, local_device_ids=None,
               cluster_detection_method=None, initialization_timeout=None, heartbeat_timeout_seconds=None,
               shutdown_timeout_seconds=None, coordinator_bind_address=None, slice_index=None, partition_index=None, *,
               communicator=None):
    """Joins the other processes; all of them call it, before the first mesh is made. (jax.distributed.initialize)

    Addresses and numbers come from MPI; num_processes and process_id are compared with what it says.

    Args:
      local_device_ids: as many devices has this process.
      initialization_timeout: seconds that devices wait for each other before that is an error, 0: for ever; None: as
        KILN_DIST_TIMEOUT says, or 300.
      communicator: of mpi4py, or the address of an MPI_Comm; None: all processes that were started together.
    """
    if local_device_ids is not None:
        _core.set_local_device_count(1 if isinstance(local_device_ids, int) else len(list(local_device_ids)))
    timeout = -1.0 if initialization_timeout is None else float(initialization_timeout)
    _core.distributed_init(timeout, _address(communicator))
    for name, said, found in (("num_processes", num_processes, process_count()),
                              ("process_id", process_id, process_index())):
        if said is not None and said != found:
            raise ValueError(f"distributed.initialize: {name} is {said}, but MPI says {found}")


def shutdown():
    """Leaves the other processes; all call it. It is done at the end of a process, too. (jax.distributed.shutdown)"""
    _core.distributed_shutdown()


def is_initialized():
    """Whether this process has joined others. (jax.distributed.is_initialized)"""
    return _core.job()[0]


def process_index(backend=None):
    """The number of this process; 0 if it is alone. (jax.process_index)"""
    return _core.job()[1]


def process_count(backend=None):
    """How many processes there are; 1 if this one is alone. (jax.process_count)"""
    return _core.job()[2]

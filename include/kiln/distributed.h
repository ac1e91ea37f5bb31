/* SPDX-License-Identifier: Apache-2.0
 * kiln/distributed.h -- programs of several processes (docs/sharding.md). mpirun, srun, ... start the same program
 * as many processes; each calls kn_distributed_init first, and then runs the same calls as all the others. A mesh
 * (kiln/sharding.h) may have the devices of all of them.
 *
 * Processes are reached by MPI, through the module libkiln_mpi.so, which kn_distributed_init loads: a program that
 * never calls it has no MPI in it. Devices have numbers: process p has those from p * kn_local_device_count() on. */
/* Made by scripts/make-api.py from api/distributed.api. */
/* clang-format off */
#ifndef KILN_DISTRIBUTED_H
#define KILN_DISTRIBUTED_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_distributed_init_opts {
    size_t size_;
    /* NULL, all processes that were started together: the address of an MPI_Comm, which the program has initialized;
     * it is copied (MPI_Comm_dup) */
    const void *communicator;
    /* -1: seconds that devices wait for each other before that is an error, 0: for ever; -1: as KILN_DIST_TIMEOUT
     * says, or 300 */
    double timeout;
} kn_distributed_init_opts;
KN_API kn_distributed_init_opts kn_distributed_init_opts_default(void);
/* jax.distributed.initialize: joins the other processes; all of them call it, before the first mesh is made. False
 * and a RuntimeError: there is no MPI here, a process does not come in time, the processes have different numbers of
 * devices, it was called before. */
KN_API bool kn_distributed_init(const kn_distributed_init_opts *opts);
/* jax.distributed.shutdown: leaves them; all call it. It is done at the end of a process, too. Arrays over several
 * processes are of no use then, and a process cannot join again. After processes have lost each other it ends all of
 * them (MPI_Abort). */
KN_API bool kn_distributed_shutdown(void);
KN_API bool kn_distributed_is_initialized(void); /* jax.distributed.is_initialized: has this process joined others? */
KN_API int kn_process_index(void);               /* jax.process_index: the number of this process; 0 if it is alone */
KN_API int kn_process_count(void); /* jax.process_count: how many processes there are; 1 if this one is alone */
/* jax.local_device_count: the devices of this process that a mesh can have: KILN_DEVICES, or 1 */
KN_API int kn_local_device_count(void);
/* so many, from 1 to 4096, each a thread while it runs a program; before kn_distributed_init and the first mesh, and
 * in all processes the same. False and a ValueError, or a RuntimeError after that. */
KN_API bool kn_set_local_device_count(int n);
KN_API int kn_global_device_count(void); /* jax.device_count: the devices of all processes that a mesh can have */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_distributed_init(...) KN_F0O(kn_distributed_init, kn_distributed_init_opts, (.timeout = -1, ), __VA_ARGS__)
#endif
#endif

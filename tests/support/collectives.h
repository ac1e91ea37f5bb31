/* SPDX-License-Identifier: Apache-2.0
 * collectives.h -- each collective over the axes of a mesh, beside the same equations batched in one process: the
 * same bits. For devices of one process and of several (then every process checks what its own devices have). */
#ifndef KN_TEST_COLLECTIVES_H
#define KN_TEST_COLLECTIVES_H
#include "base/dtype.h"
#include "ir/mesh.h"
#include <stdbool.h>
#include <stddef.h>

/* All of them over one or all axes of the mesh, with elements of d. false: what went wrong is in `fault`. */
bool collectives_agree(const kni_mesh *mesh, kn_dtype d, char *fault, size_t room, int *checked);
bool collectives_take(kn_dtype d); /* elements that they can have */
/* A mesh of the first devices of the job: sizes are those that are not 0, of the axes x, y, z. */
const kni_mesh *collectives_mesh(int x, int y, int z);
/* How many devices of the mesh are in this process, with their numbers. */
int collectives_here(const kni_mesh *mesh, int32_t *device, int64_t *in_mesh);
#endif

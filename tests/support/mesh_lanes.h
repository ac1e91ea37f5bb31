/* SPDX-License-Identifier: Apache-2.0
 * mesh_lanes.h -- the jaxpr of one device of a mesh over all devices at once, in one process: the oracle of what devices
 * do together. */
#ifndef KN_TEST_MESH_LANES_H
#define KN_TEST_MESH_LANES_H
#include "ir/mesh.h"
#include "ir/prim.h"

/* Operands and results get the mesh's axes in front. Collectives over the mesh are those of vmaps. */
knx_error *mesh_lanes(const kni_jaxpr *local, const kni_mesh *m, kni_jaxpr **out);
/* Only the first step: collectives without the mesh, over names that are not bound yet. */
knx_error *mesh_unbind(const kni_jaxpr *local, kni_jaxpr **out);
#endif

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

/* The elements of a device's part that are inside of the whole, with their places there: calls `with` for each as long as it says
 * so. */
typedef bool mesh_element_fn(void *data, int64_t whole, int64_t part);
bool mesh_each_inside(kni_type t, kni_type part, const kni_sharding *s, int64_t device, mesh_element_fn *with, void *data);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * over_mesh.h -- collectives over axes of a mesh, as routines that devices run: the columns run, start, wait and
 * workspace of the rows of collective.c. */
#ifndef KN_PRIM_COLLECTIVE_OVER_MESH_H
#define KN_PRIM_COLLECTIVE_OVER_MESH_H
#include "prim/rules.h"

/* Are the names axes of the mesh, each once, and the sizes theirs (none are given: n is 0)? */
knx_error *knp_mesh_check(const kni_mesh *mesh, kni_names names, kni_ints sizes);

#define KNP_OVER_MESH(name)                                                             \
    knx_error *knp_##name##_run(const kni_rule *r, const kni_routine_args *args);       \
    knx_error *knp_##name##_start(const kni_rule *r, const kni_routine_args *args);     \
    knx_error *knp_##name##_wait(const kni_rule *r, const kni_routine_args *args);      \
    knx_bytes knp_##name##_workspace(const kni_rule *r);
KNP_OVER_MESH(all_reduce) /* psum, pmax, pmin */
KNP_OVER_MESH(all_gather)
KNP_OVER_MESH(reduce_scatter)
KNP_OVER_MESH(all_to_all)
KNP_OVER_MESH(ppermute)
KNP_OVER_MESH(pbroadcast)
#undef KNP_OVER_MESH
/* What one device receives (column moves): of joins all-to-all of parts and all-gather, of few bytes all from all. */
kni_moved knp_all_reduce_moves(const kni_rule *r);
kni_moved knp_all_gather_moves(const kni_rule *r);
kni_moved knp_exchange_moves(const kni_rule *r); /* reduce_scatter, all_to_all: a part from each */
kni_moved knp_permute_moves(const kni_rule *r);  /* ppermute, pbroadcast: all from one */
knx_error *knp_axis_index_run(const kni_rule *r, const kni_routine_args *args);
#endif

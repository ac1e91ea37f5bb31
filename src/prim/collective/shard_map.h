/* SPDX-License-Identifier: Apache-2.0
 * shard_map.h -- what the rules of shard_map share. */
#ifndef KN_PRIM_COLLECTIVE_SHARD_MAP_H
#define KN_PRIM_COLLECTIVE_SHARD_MAP_H
#include "prim/body.h"
#include "prim/frame.h"

/* The axes that cut dimension d; none of those that the spec does not reach. */
static inline kni_mesh_axes knp_spec_axes(const kni_sharding *s, int d)
{
    return d < s->ndim ? s->dim[d] : (kni_mesh_axes){0};
}
uint32_t knp_spec_set(const kni_sharding *s);    /* of all its axes, a bit each */
uint32_t knp_mesh_set(const kni_mesh *m);        /* of all axes of the mesh */
kni_names knp_axis_names(kni_builder *b, const kni_mesh *m, uint32_t set); /* in the mesh's order */

/* The types of the body's inputs. ValueError: a spec is too long, or parts are not of one size. */
knx_error *knp_manual_parts(const kni_p_shard_map *p, int n, const kni_type *whole, knx_arena *a, kni_type *part);

/* varying.c. Along which axes the values of a jaxpr may differ from device to device, a bit each: in of its inputs (no
 * constants), out of its results. */
knx_error *knp_varying(const kni_jaxpr *j, const kni_mesh *m, const uint32_t *in, uint32_t *out);

/* The axes of the mesh that collectives in it name. */
uint32_t knp_named_in(const kni_jaxpr *j, const kni_mesh *m);

/* shard_map_linear.c */
knx_error *knp_shard_map_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty);
knx_error *knp_shard_map_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in);
#endif

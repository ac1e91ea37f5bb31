/* SPDX-License-Identifier: Apache-2.0
 * manual.h -- functions that map another one over lanes or devices: what that one sees. */
#ifndef KN_FUNCTION_MANUAL_H
#define KN_FUNCTION_MANUAL_H
#include "function/function.h"
#include "ir/mesh.h"

/* While a function is mapped: the types of what its inner one is given, and the axes that have names there. */
typedef struct knf_mapped {
    kni_type *element;
    int *axis;                 /* vmap, pmap: per array, -1: not mapped */
    int64_t size;              /* of the axis */
    const kni_sharding **spec; /* shard_map: per array */
    kna_named_axis bound[KNI_MESH_AXES], *outer;
} knf_mapped;
/* Of KNF_FN_VMAP, KNF_FN_PMAP and KNF_FN_SHARD_MAP; memory is the arena's. knf_map_end in every case. */
knx_error *knf_map_begin(const knf_core *f, const kni_type *in, knx_arena *a, knf_mapped *m);
void knf_map_end(knf_mapped *m);

knx_error *knf_derive_manual(knf_core *f, const kni_type *in, kna_closed *out);
/* transforms.c: the handle of a draft of f, NULL if the operation has failed; ends it. */
kn_fn knf_make(kna_op *op, const knf_fn *f, const knf_core *draft);
/* derive.c: where the axis of each result of the mapped function is to be; -1: it is one for all. */
knx_error *knf_map_outputs(const knf_core *f, const kni_jaxpr *j, int *axis);
/* kn_pmap's .devices: the draft has their mesh, whose axis is pmap's. ValueError for kn_vmap. */
void knf_take_devices(kna_op *op, kn_array devices, knf_core *draft);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * write.h -- writing the jaxpr of one device: values in parts, and how they are brought into other layouts. */
#ifndef KN_SHARD_WRITE_H
#define KN_SHARD_WRITE_H
#include "shard/solve.h"
#include "ir/ops.h"

/* A value of the whole jaxpr as one device has it. */
typedef struct knshard_value {
    kni_atom part;
    kni_type type;    /* of the whole */
    knshard_lay lay;
    uint32_t partial; /* axes over whose devices the parts have yet to be joined, a bit each */
    uint8_t join;     /* kni_factor_kind: how */
    bool minus;       /* kni_factor's */
    int64_t source;   /* the part along the axis of `partial` that has all elements, from 1 on; 0: several may */
    struct knshard_value *next; /* the same in other layouts */
} knshard_value;

typedef struct knshard_writer {
    kni_builder b;
    knx_arena *arena;
    const kni_mesh *mesh;
} knshard_writer;

/* move.c: v in this layout, with nothing left to join. */
knx_error *knshard_move(knshard_writer *w, const knshard_value *v, const knshard_lay *to, kni_atom *out);
kni_names knshard_names(knshard_writer *w, kni_mesh_axes a);
kni_ints knshard_sizes(knshard_writer *w, kni_mesh_axes a);
/* What all devices along the axes have, along a new axis in front. */
kni_atom knshard_gather_front(knshard_writer *w, kni_atom x, kni_mesh_axes axes);
/* along.c: along dimension d of x. */
int64_t knshard_extent(const knshard_writer *w, kni_atom x, int d);
kni_atom knshard_slice(knshard_writer *w, kni_atom x, int d, int64_t from, int64_t to);
kni_atom knshard_slice_at(knshard_writer *w, kni_atom x, int d, kni_atom first, int64_t extent); /* first: int64 */
kni_atom knshard_widen(knshard_writer *w, kni_atom x, int d, int64_t before, int64_t behind); /* zeros, or any keys */
/* The number of the part that this device has of what these axes cut: an int32 scalar; and `step` times it, int64. */
kni_atom knshard_part_number(knshard_writer *w, kni_mesh_axes axes);
kni_atom knshard_first(knshard_writer *w, kni_mesh_axes axes, int64_t step);
/* move.c: what lies behind the whole's extent along dimension d becomes the identity of the join. */
kni_atom knshard_mask(knshard_writer *w, kni_atom part, int d, kni_mesh_axes axes, int64_t extent,
                      kni_factor_kind join);

/* halo.c: the window of an operand, of so many elements as a whole, that this device's part of a result reads; the
 * operand lies cut by the same axes. */
kni_atom knshard_fetch(knshard_writer *w, kni_atom part, int d, kni_mesh_axes axes, const kni_factor *f, int operand,
                       int64_t whole);

/* join.c: small collectives that wait for nothing of each other as one. */
knx_error *knshard_join_small(const kni_jaxpr *j, kni_jaxpr **out);

/* effects.c: equation e, whose operands are whole, on the first device alone; its results are everybody's. */
knx_error *knshard_write_once(knshard_writer *w, const kni_eqn *e, const kni_type *xt, const kni_type *yt,
                              const kni_atom *in, kni_atom *y);
/* manual.c: the body of one device with its collectives those of the mesh; x, y: parts. */
knx_error *knshard_write_manual(knshard_writer *w, const kni_manual *manual, const kni_atom *x, kni_atom *y);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * spread.h -- how one equation may be spread over devices: what the column `spread` of a row says of it
 * (docs/sharding.md). It is the column `factors` made exact for the equation's parameters and types. */
#ifndef KN_IR_SPREAD_H
#define KN_IR_SPREAD_H
#include "ir/jaxpr.h"

/* What has to be done if operands are cut along the axes of a factor. */
typedef enum kni_factor_kind {
    /* Part i of the operands gives part i of the results that have the axis. If no operand has it (new axes of a
     * broadcast), all parts come from whole operands and are equal */
    KNI_PARALLEL,
    /* No result has it: each device's result is a part of a sum. The operands that have the axis are linear together.
     * Elements of padding have to be zeros in one of them */
    KNI_SUM,
    /* No result has it: each element comes from one device at most, and all bits of the others' are zero: they are
     * joined by the or of their bits, so zeros keep their signs. Elements of padding are of any content */
    KNI_ONE,
    /* No result has it: parts are joined so. Elements of padding have to be the identity, or copies of an element */
    KNI_PROD,
    KNI_MAX,
    KNI_MIN,
    KNI_AND,
    KNI_OR,
    KNI_XOR,
    /* Results have it, no operand does, and each part depends on its position alone (iota): `local` is given that */
    KNI_POSITION,
    /* As KNI_PARALLEL, but a part of the result also reads elements of the operands' neighbouring parts: see
     * kni_factor */
    KNI_HALO,
    /* A part of a result needs to know something of all parts of the operands, which is less than these: `local` makes
     * it of its part, and gets that of all (kni_local.gather). Results that have the axis are parts, others are whole
     * and equal on all devices. Elements of padding are of any content */
    KNI_SHARES,
} kni_factor_kind;
static inline bool kni_factor_joins(kni_factor_kind k) { return k >= KNI_SUM && k <= KNI_XOR; }

/* `size` is what is cut: `parts` parts of kni_part_extent(size, parts). An axis in the factor has this extent, or a
 * multiple of it, where it is made of several axes on the other side (reshape) or falls into groups (conv): then every
 * element of `size` stands for extent / size adjacent elements of the axis, and only numbers of parts that divide
 * `size` can be used (knshard_allows in shard/factors.h). An axis is in one factor at most. */
typedef struct kni_factor {
    uint8_t kind; /* kni_factor_kind */
    bool local;   /* the part of the equation is written by the row's `local`, not by the row itself */
    bool even;    /* only numbers of parts that divide `size`: there is no padding that would do */
    bool minus;   /* KNI_SUM: where a device adds nothing it has -0, and the sum of nothing but these is -0 */
    bool reversed; /* KNI_HALO: element i of the result reads what follows for element size - 1 - i */
    int64_t size; /* the extent that is cut; of KNI_HALO that of the result */
    /* KNI_HALO: element i of the result reads elements i * step - low to i * step + high of the operands (low and high
     * may be negative: of x[3:] low is -3 and high is 3). Before `local` is called the partitioner has fetched, of each
     * operand with the axis, the window that the part of the result reads: (extent - 1) * step + low + high + 1
     * elements from first * step - low on, in its order (reversed: from the other end, also in ascending order). Those
     * outside of the operand are of any content. shift: NULL, or per operand what is added to these positions */
    int64_t step, low, high;
    const int64_t *shift; /* KNI_ONE, of truths KNI_OR: elements low to high - 1 of the operand are all that anybody
                           * reads; high 0: it is not known which */
    int8_t *in;  /* per operand: its axis, -1: it has none and is needed as a whole by every part */
    int8_t *out; /* per result: likewise; it is there as a whole in every part */
} kni_factor;

/* Filled by the column, `in` and `out` of each factor by kni_factor_new. Axes that are in no factor are needed, and
 * made, as a whole. */
typedef struct kni_spread {
    int n_in, n_out, n, room;
    kni_factor *v;
    knx_arena *arena;
    bool failed; /* no memory */
} kni_spread;

/* One more, all its axes -1; it stays in place until the next one is made. NULL where there is no memory (s->failed),
 * which the other functions take. */
kni_factor *kni_factor_new(kni_spread *s, kni_factor_kind kind, int64_t size);
/* Axis `axis` of operand i, of result j is in the factor. */
static inline void kni_factor_in(kni_factor *f, int i, int axis)
{
    if (f)
        f->in[i] = (int8_t)axis;
}
static inline void kni_factor_out(kni_factor *f, int j, int axis)
{
    if (f)
        f->out[j] = (int8_t)axis;
}

/* KNI_HALO: how many elements along the axis the window of a part has, and where it begins in operand i; first: that of
 * the part. */
static inline int64_t kni_halo_width(const kni_factor *f, int64_t extent)
{
    return (extent - 1) * f->step + f->low + f->high + 1;
}
static inline int64_t kni_halo_start(const kni_factor *f, int64_t extent, int64_t first, int i)
{
    return (f->reversed ? f->size - extent - first : first) * f->step - f->low + (f->shift ? f->shift[i] : 0);
}

/* What the column `local` is told: the factors, and how each is cut in this equation. */
typedef struct kni_cut {
    int64_t parts; /* 1: it is not cut */
    int64_t extent; /* of one part: kni_part_extent(size, parts); size if it is not cut */
    kni_atom first; /* int64 scalar: where the device's part begins, its number * extent; a literal 0 if not cut */
} kni_cut;
struct kni_builder;
typedef struct kni_local {
    /* KNI_SHARES: x of all parts along factor f, which is cut, in their order along a new axis in front; what one call
     * gives is not in another one's x */
    kni_atom (*gather)(const struct kni_local *l, struct kni_builder *b, int f, kni_atom x);
    const void *env;
    const kni_spread *spread;
    const kni_cut *cut;      /* of each factor */
    const kni_type *xt, *yt; /* of the whole equation; r->xt and r->yt are those of its part */
} kni_local;

/* Of an equation whose jaxpr is written for one device of a mesh: how operands have to lie, how results come, and the
 * jaxpr of one device, from parts to parts. Its collectives are those of names; they become those of the mesh. */
typedef struct kni_manual {
    kni_jaxpr *body; /* a reference; NULL: the equation is not for this mesh */
    const kni_sharding *const *in, *const *out;
} kni_manual;
#endif

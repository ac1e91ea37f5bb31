/* SPDX-License-Identifier: Apache-2.0
 * spread.h -- how one equation may be spread over devices: what the column `spread` of a row says of it
 * (docs/sharding.md). It is the column `factors` made exact for the equation's parameters and types. */
#ifndef KN_IR_SPREAD_H
#define KN_IR_SPREAD_H
#include "ir/type.h"

/* What has to be done if operands are cut along the axes of a factor. */
typedef enum kni_factor_kind {
    KNI_PARALLEL, /* part i of the operands gives part i of the results that have the axis */
    KNI_SUM,      /* no result has it; each device's result is a part of a sum. SUM's operands are linear together */
    KNI_MAX, KNI_MIN, KNI_AND, KNI_OR, /* no result has it; parts are joined so */
    /* Results have it, no operand does, and each part depends on its position alone (iota): the row's column `local`
     * is given the position */
    KNI_POSITION,
    /* As KNI_PARALLEL, but a part of the result also reads elements of the operands' neighbouring parts: element i of
     * the result reads from i * step - low to i * step + high of the operand (windows, slices, pad, rev: `reversed`) */
    KNI_HALO,
} kni_factor_kind;

enum { KNI_MAX_FACTORS = 64 };
typedef struct kni_factor {
    uint8_t kind; /* kni_factor_kind */
    bool fill;    /* KNI_HALO: what is read outside of the operand is made by `local` */
    int64_t size; /* the extent that is cut; of KNI_HALO that of the result */
    int64_t step, low, high;
    int8_t *in;   /* per operand: its axis, -1: it has none and is needed as a whole by every part */
    int8_t *out;  /* per result: likewise; it is there as a whole in every part */
} kni_factor;

/* Filled by the column: v has room for KNI_MAX_FACTORS, `in` and `out` of each come from kni_factor_new. Axes that are
 * in no factor are needed, and made, as a whole. */
typedef struct kni_spread {
    int n_in, n_out, n;
    kni_factor *v;
    knx_arena *arena;
} kni_spread;

/* One more, all its axes -1; NULL without memory, or where there are too many (axes without a factor are whole). */
kni_factor *kni_factor_new(kni_spread *s, kni_factor_kind kind, int64_t size);
#endif

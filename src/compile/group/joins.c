/* SPDX-License-Identifier: Apache-2.0
 * joins.c -- a reduction whose operations are written out, in the order of docs/determinism.md. */
#include "compile/group/lowering.h"

static knk_node both(kni_lower *l, knk_reduction how, knk_node a, knk_node b)
{
    static const knk_op op[] = {KNK_ADD, KNK_MUL, KNK_MIN, KNK_MAX, KNK_AND, KNK_OR, KNK_XOR};
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    if (knk_dtype(l->k, a) == KN_ID_BOOL && how < KNK_RED_AND)
        return knk_binary(l->k, how == KNK_RED_MIN || how == KNK_RED_MUL ? KNK_AND : KNK_OR, a, b);
    if (how == KNK_RED_MIN || how == KNK_RED_MAX)
        return how == KNK_RED_MIN ? knk_min_nan(l->k, a, b) : knk_max_nan(l->k, a, b);
    return knk_binary(l->k, op[how], a, b);
}

/* One block of docs/determinism.md. The identities that would fill the block are left out:
 * they change nothing but the sign of a sum of -0, for which 0 is added in the end. */
knk_node knc_join_values(kni_lower *l, knk_reduction how, int64_t n, const kni_pair *v, bool im)
{
    knk_node acc[64];
    for (int i = 0; i < 64; i++)
        acc[i] = KNK_NONE;
    for (int64_t i = 0; i < n; i++)
        acc[i % 64] = both(l, how, acc[i % 64], im ? v[i].im : v[i].re);
    for (int i = 0; i < 16; i++)
        acc[i] = both(l, how, both(l, how, acc[i], acc[16 + i]), both(l, how, acc[32 + i], acc[48 + i]));
    for (int h = 8; h; h /= 2)
        for (int i = 0; i < h; i++)
            acc[i] = both(l, how, acc[i], acc[i + h]);
    knx_dtype_id d = knk_dtype(l->k, acc[0]);
    if (how == KNK_RED_ADD && (d == KN_ID_F32 || d == KN_ID_F64))
        return knk_binary(l->k, KNK_ADD, acc[0], knk_const_int(l->k, d, 0));
    return acc[0];
}

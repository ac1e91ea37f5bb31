/* SPDX-License-Identifier: Apache-2.0
 * emit_divide.c -- division and remainder of integers of at most 32 bits, through floats that have more bits: where
 * numbers below 2^n are divided with more than n bits of precision, a quotient that is not whole is at least 2^-n of
 * itself away from the next whole number, so it is not rounded to that. 8 and 16 bits: float32. 32 bits: float64, in
 * two halves where the register is as long as there are. x / 0 is all ones; the most negative number / -1 is itself,
 * since that is what the conversion of a number out of range gives. */
#include "host/x86/emit_recipe.h"

static bool is_unsigned(const knh_op *o) { return o->from == KN_ID_U32; }

/* 32-bit integers in a half of a register to doubles. */
static void to_doubles(const knh_op *o, int len, int dst, int src)
{
    knh_asm *a = o->a;
    if (!is_unsigned(o) || knh_wide(o->f)) {
        knh_v2(a, is_unsigned(o) ? KNH_VCVTUDQ2PD : KNH_VCVTDQ2PD, len, dst, knh_reg(src));
        return;
    }
    const knh_operand big = knh_lanes64(a, o->f, 0x4330000000000000); /* 2^52 */
    knh_v2(a, KNH_VPMOVZXDQ, len, dst, knh_reg(src));
    knh_v3(a, KNH_VPOR, len, dst, dst, big);
    knh_v3(a, KNH_VSUBPD, len, dst, dst, big);
}

/* x = x / y, back in 32 bits: in half a register; of unsigned ones of AVX2 in the low halves of 64-bit lanes. */
static void divide_doubles(const knh_op *o, int len, int x, int y)
{
    knh_asm *a = o->a;
    knh_v3(a, KNH_VDIVPD, len, x, x, knh_reg(y));
    if (!is_unsigned(o) || knh_wide(o->f)) {
        knh_v2(a, is_unsigned(o) ? KNH_VCVTTPD2UDQ : KNH_VCVTTPD2DQ, len, x, knh_reg(x));
        return;
    }
    knh_v2i(a, KNH_VROUNDPD, len, x, knh_reg(x), 11);
    knh_v3(a, KNH_VADDPD, len, x, x, knh_lanes64(a, o->f, 0x4330000000000000));
}

static void upper(const knh_op *o, int dst, int src)
{
    knh_v2i(o->a, knh_wide(o->f) ? KNH_VEXTRACTI64X4 : KNH_VEXTRACTI128, o->len, src, knh_reg(dst), 1);
}

/* temp[0] = a / b where b is not 0 */
static void quotients(const knh_op *o)
{
    const int x = o->src[0].reg, y = o->src[1].reg, *t = o->temp;
    const bool halves = o->len == (knh_wide(o->f) ? 2 : 1), lanes64 = is_unsigned(o) && !knh_wide(o->f);
    const int len = halves ? o->len : o->len + 1;
    knh_asm *a = o->a;
    to_doubles(o, len, t[0], x);
    to_doubles(o, len, t[1], y);
    divide_doubles(o, len, t[0], t[1]);
    if (!halves) {
        if (lanes64)
            knh_narrow(a, t[0], t[0]);
        return;
    }
    upper(o, t[1], x);
    to_doubles(o, len, t[1], t[1]);
    upper(o, t[2], y);
    to_doubles(o, len, t[2], t[2]);
    divide_doubles(o, len, t[1], t[2]);
    if (lanes64) {
        knh_v3i(a, KNH_VSHUFPS, len, t[0], t[0], knh_reg(t[1]), 0x88);
        knh_v2i(a, KNH_VPERMQ_I, len, t[0], knh_reg(t[0]), 0xd8);
    } else {
        knh_v3i(a, knh_wide(o->f) ? KNH_VINSERTI64X4 : KNH_VINSERTI128, len, t[0], t[0], knh_reg(t[1]), 1);
    }
}

static void div_32(const knh_op *o)
{
    const int y = o->src[1].reg, *t = o->temp;
    quotients(o);
    if (knh_wide(o->f) && !is_unsigned(o)) {
        knh_v3(o->a, KNH_VPTESTNMD, o->len, o->mask[0], y, knh_reg(y));
        knh_v(o->a, KNH_VPTERNLOGD, o->len, t[0], t[0], knh_reg(t[0]), o->mask[0], false, 0xff);
    } else if (!knh_wide(o->f)) {
        knh_v3(o->a, KNH_VPCMPEQD, o->len, t[1], y, knh_lanes32(o->a, o->f, 0));
        knh_v3(o->a, KNH_VPOR, o->len, t[0], t[0], knh_reg(t[1]));
    }
    knh_copy(o->a, o->len, o->dst, knh_reg(t[0]));
}

/* x - x / y * y; whatever the quotient by 0 is, x stays */
static void rem_32(const knh_op *o)
{
    const int t = o->temp[0];
    quotients(o);
    knh_v3(o->a, KNH_VPMULLD, o->len, t, t, o->src[1]);
    knh_v3(o->a, KNH_VPSUBD, o->len, o->dst, o->src[0].reg, knh_reg(t));
}

static void small_quotients(const knh_op *o)
{
    const int *t = o->temp, len = o->len;
    knh_v2(o->a, KNH_VCVTDQ2PS, len, t[0], o->src[0]);
    knh_v2(o->a, KNH_VCVTDQ2PS, len, t[1], o->src[1]);
    knh_v3(o->a, KNH_VDIVPS, len, t[0], t[0], knh_reg(t[1]));
    knh_v2(o->a, KNH_VCVTTPS2DQ, len, t[0], knh_reg(t[0]));
}

static void div_small(const knh_op *o)
{
    const int *t = o->temp, len = o->len;
    const knh_operand zero = knh_lanes32(o->a, o->f, 0);
    small_quotients(o);
    if (knh_wide(o->f)) {
        knh_v3i(o->a, KNH_VCMPPS_K, len, o->mask[0], t[1], zero, 0);
        knh_v(o->a, KNH_VPTERNLOGD, len, t[0], t[0], knh_reg(t[0]), o->mask[0], false, 0xff);
    } else {
        knh_v3i(o->a, KNH_VCMPPS, len, t[1], t[1], zero, 0);
        knh_v3(o->a, KNH_VPOR, len, t[0], t[0], knh_reg(t[1]));
    }
    knh_extend(o->a, o->f, o->from, o->dst, t[0]);
}

static void rem_small(const knh_op *o)
{
    const int t = o->temp[0];
    small_quotients(o);
    knh_v3(o->a, KNH_VPMULLW, o->len, t, t, o->src[1]);
    knh_v3(o->a, KNH_VPSUBD, o->len, o->dst, o->src[0].reg, knh_reg(t));
    knh_extend(o->a, o->f, o->from, o->dst, o->dst);
}

/* clang-format off */
#define ROW(set, on, count, ...) {.from = (set), .targets = KNH_##on, .temps = count, .over = 3, __VA_ARGS__}
#define END {.from = 0}
const knh_recipe knh_div_recipes[] = {
    ROW(KNH_SMALL, 512, 2, .mask_temps = 1, .memory = 2, .emit = div_small),
    ROW(KNH_SMALL, 2, 2, .memory = 2, .emit = div_small),
    ROW(KNH_SET(I32), 512, 3, .mask_temps = 1, .emit = div_32), ROW(KNH_SET(U32), 512, 3, .emit = div_32),
    ROW(KNH_W32, 2, 3, .emit = div_32), END};
const knh_recipe knh_rem_recipes[] = {ROW(KNH_SMALL, BOTH, 2, .memory = 2, .emit = rem_small),
                                      ROW(KNH_W32, BOTH, 3, .emit = rem_32), END};
/* clang-format on */

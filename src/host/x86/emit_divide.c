/* SPDX-License-Identifier: Apache-2.0
 * emit_divide.c -- division and remainder of integers of at most 32 bits, through floats that have more bits: where
 * numbers below 2^n are divided with more than n bits of precision, a quotient that is not whole is at least 2^-n of
 * itself away from the next whole number, so it is not rounded to that. 8 and 16 bits: float32. 32 bits: float64, in
 * two halves where the register is as long as there are. x / 0 is all ones; the most negative number / -1 is itself,
 * since that is what the conversion of a number out of range gives. */
#include "host/x86/emit_recipe.h"

static bool is_unsigned(const kng_op *o) { return o->from == KN_ID_U32; }

/* 32-bit integers in a half of a register to doubles. */
static void to_doubles(const kng_op *o, int len, int dst, int src)
{
    kng_asm *a = o->a;
    if (!is_unsigned(o) || kng_wide(o->f)) {
        kng_v2(a, is_unsigned(o) ? KNG_VCVTUDQ2PD : KNG_VCVTDQ2PD, len, dst, kng_reg(src));
        return;
    }
    const kng_operand big = kng_lanes64(a, o->f, 0x4330000000000000); /* 2^52 */
    kng_v2(a, KNG_VPMOVZXDQ, len, dst, kng_reg(src));
    kng_v3(a, KNG_VPOR, len, dst, dst, big);
    kng_v3(a, KNG_VSUBPD, len, dst, dst, big);
}

/* x = x / y, back in 32 bits: in half a register; of unsigned ones of AVX2 in the low halves of 64-bit lanes. */
static void divide_doubles(const kng_op *o, int len, int x, int y)
{
    kng_asm *a = o->a;
    kng_v3(a, KNG_VDIVPD, len, x, x, kng_reg(y));
    if (!is_unsigned(o) || kng_wide(o->f)) {
        kng_v2(a, is_unsigned(o) ? KNG_VCVTTPD2UDQ : KNG_VCVTTPD2DQ, len, x, kng_reg(x));
        return;
    }
    kng_v2i(a, KNG_VROUNDPD, len, x, kng_reg(x), 11);
    kng_v3(a, KNG_VADDPD, len, x, x, kng_lanes64(a, o->f, 0x4330000000000000));
}

static void upper(const kng_op *o, int dst, int src)
{
    kng_v2i(o->a, kng_wide(o->f) ? KNG_VEXTRACTI64X4 : KNG_VEXTRACTI128, o->len, src, kng_reg(dst), 1);
}

/* temp[0] = a / b where b is not 0 */
static void quotients(const kng_op *o)
{
    const int x = o->src[0].reg, y = o->src[1].reg, *t = o->temp;
    const bool halves = o->len == (kng_wide(o->f) ? 2 : 1), lanes64 = is_unsigned(o) && !kng_wide(o->f);
    const int len = halves ? o->len : o->len + 1;
    kng_asm *a = o->a;
    to_doubles(o, len, t[0], x);
    to_doubles(o, len, t[1], y);
    divide_doubles(o, len, t[0], t[1]);
    if (!halves) {
        if (lanes64)
            kng_narrow(a, t[0], t[0]);
        return;
    }
    upper(o, t[1], x);
    to_doubles(o, len, t[1], t[1]);
    upper(o, t[2], y);
    to_doubles(o, len, t[2], t[2]);
    divide_doubles(o, len, t[1], t[2]);
    if (lanes64) {
        kng_v3i(a, KNG_VSHUFPS, len, t[0], t[0], kng_reg(t[1]), 0x88);
        kng_v2i(a, KNG_VPERMQ_I, len, t[0], kng_reg(t[0]), 0xd8);
    } else {
        kng_v3i(a, kng_wide(o->f) ? KNG_VINSERTI64X4 : KNG_VINSERTI128, len, t[0], t[0], kng_reg(t[1]), 1);
    }
}

static void div_32(const kng_op *o)
{
    const int y = o->src[1].reg, *t = o->temp;
    quotients(o);
    if (kng_wide(o->f) && !is_unsigned(o)) {
        kng_v3(o->a, KNG_VPTESTNMD, o->len, o->mask[0], y, kng_reg(y));
        kng_v(o->a, KNG_VPTERNLOGD, o->len, t[0], t[0], kng_reg(t[0]), o->mask[0], false, 0xff);
    } else if (!kng_wide(o->f)) {
        kng_v3(o->a, KNG_VPCMPEQD, o->len, t[1], y, kng_lanes32(o->a, o->f, 0));
        kng_v3(o->a, KNG_VPOR, o->len, t[0], t[0], kng_reg(t[1]));
    }
    kng_copy(o->a, o->len, o->dst, kng_reg(t[0]));
}

/* x - x / y * y; whatever the quotient by 0 is, x stays */
static void rem_32(const kng_op *o)
{
    const int t = o->temp[0];
    quotients(o);
    kng_v3(o->a, KNG_VPMULLD, o->len, t, t, o->src[1]);
    kng_v3(o->a, KNG_VPSUBD, o->len, o->dst, o->src[0].reg, kng_reg(t));
}

static void small_quotients(const kng_op *o)
{
    const int *t = o->temp, len = o->len;
    kng_v2(o->a, KNG_VCVTDQ2PS, len, t[0], o->src[0]);
    kng_v2(o->a, KNG_VCVTDQ2PS, len, t[1], o->src[1]);
    kng_v3(o->a, KNG_VDIVPS, len, t[0], t[0], kng_reg(t[1]));
    kng_v2(o->a, KNG_VCVTTPS2DQ, len, t[0], kng_reg(t[0]));
}

static void div_small(const kng_op *o)
{
    const int *t = o->temp, len = o->len;
    const kng_operand zero = kng_lanes32(o->a, o->f, 0);
    small_quotients(o);
    if (kng_wide(o->f)) {
        kng_v3i(o->a, KNG_VCMPPS_K, len, o->mask[0], t[1], zero, 0);
        kng_v(o->a, KNG_VPTERNLOGD, len, t[0], t[0], kng_reg(t[0]), o->mask[0], false, 0xff);
    } else {
        kng_v3i(o->a, KNG_VCMPPS, len, t[1], t[1], zero, 0);
        kng_v3(o->a, KNG_VPOR, len, t[0], t[0], kng_reg(t[1]));
    }
    kng_extend(o->a, o->f, o->from, o->dst, t[0]);
}

static void rem_small(const kng_op *o)
{
    const int t = o->temp[0];
    small_quotients(o);
    kng_v3(o->a, KNG_VPMULLW, o->len, t, t, o->src[1]);
    kng_v3(o->a, KNG_VPSUBD, o->len, o->dst, o->src[0].reg, kng_reg(t));
    kng_extend(o->a, o->f, o->from, o->dst, o->dst);
}

/* clang-format off */
#define ROW(set, on, count, ...) {.from = (set), .targets = KNG_##on, .temps = count, .over = 3, __VA_ARGS__}
#define END {.from = 0}
const kng_recipe kng_div_recipes[] = {
    ROW(KNG_SMALL, 512, 2, .mask_temps = 1, .memory = 2, .emit = div_small),
    ROW(KNG_SMALL, 2, 2, .memory = 2, .emit = div_small),
    ROW(KNG_SET(I32), 512, 3, .mask_temps = 1, .emit = div_32), ROW(KNG_SET(U32), 512, 3, .emit = div_32),
    ROW(KNG_W32, 2, 3, .emit = div_32), END};
const kng_recipe kng_rem_recipes[] = {ROW(KNG_SMALL, BOTH, 2, .memory = 2, .emit = rem_small),
                                      ROW(KNG_W32, BOTH, 3, .emit = rem_32), END};
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0
 * emit_cast.c -- conversions, as knx_convert defines them. Some go through another dtype on the way (next_stop), which
 * is exact there or is part of the definition: integers become float16 through float32, floats small integers through
 * int32. On the way the value is in the register of the result. */
#include "host/x86/emit_recipe.h"

/* Where a conversion goes first. */
static int next_stop(const knh_form *f, int from, int to)
{
    const bool half = knk_is_half_id(from), wide = knh_in(KNH_W64 | KNH_SET(F64), from);
    if (from == to || to == KN_ID_BOOL || from == KN_ID_BOOL)
        return to;
    if (half || (knk_is_half_id(to) && !knk_is_float_id(from)))
        return from == KN_ID_F32 ? to : KN_ID_F32;
    if (knh_in(KNH_SMALL, to) && (wide || from == KN_ID_F32))
        return KN_ID_I32;
    if (from == KN_ID_F32 && (to == KN_ID_U64 || (to == KN_ID_I64 && !knh_wide(f))))
        return KN_ID_F64;
    return to;
}

/* --- integers among themselves --- */

static void extend(const knh_op *o) { knh_extend(o->a, o->f, o->to, o->dst, o->src[0].reg); }

/* A narrow integer to 64 bits, by its own sign. */
static void widen(const knh_op *o)
{
    knh_v2(o->a, knk_is_signed_id(o->from) ? KNH_VPMOVSXDQ : KNH_VPMOVZXDQ, knh_length(o->f, o->to), o->dst, o->src[0]);
}

static void narrow(const knh_op *o)
{
    if (knh_wide(o->f))
        knh_v2(o->a, KNH_VPMOVQD, o->len, o->src[0].reg, knh_reg(o->dst));
    else
        knh_narrow(o->a, o->dst, o->src[0].reg);
}

/* --- bools --- */

/* The bits of one. */
static uint64_t one(int dtype)
{
    switch (dtype) {
    case KN_ID_F16: return 0x3c00;
    case KN_ID_BF16: return 0x3f80;
    case KN_ID_F32: return 0x3f800000;
    case KN_ID_F64: return 0x3ff0000000000000;
    default: return 1;
    }
}

static void bool_from_mask(const knh_op *o)
{
    const int size = knk_is_half_id(o->to) ? 2 : knk_size(o->to) == 8 ? 8 : 4;
    knh_operand from = size == 8 ? knh_lanes64(o->a, o->f, one(o->to)) : knh_lanes32(o->a, o->f, (uint32_t)one(o->to));
    from.broadcast = false;
    knh_v(o->a,
          size == 2   ? KNH_VPBROADCASTW
          : size == 4 ? KNH_VPBROADCASTD
                      : KNH_VPBROADCASTQ,
          knh_length(o->f, o->to), o->dst, 0, from, o->src[0].reg, true, -1);
}

static void bool_from_lanes(const knh_op *o)
{
    knh_asm *a = o->a;
    int src = o->src[0].reg;
    const int len = knh_length(o->f, o->to);
    if (knk_is_half_id(o->to)) {
        knh_v3(a, KNH_VPACKSSDW, o->len, o->dst, src, knh_reg(src));
        if (o->len)
            knh_v2i(a, KNH_VPERMQ_I, 1, o->dst, knh_reg(o->dst), 0x08);
        src = o->dst;
    } else if (knk_size(o->to) == 8) {
        knh_v2(a, KNH_VPMOVSXDQ, len, o->dst, o->src[0]);
        src = o->dst;
    }
    const uint64_t bits = one(o->to);
    knh_v3(a, KNH_VPAND, len, o->dst, src,
           knk_size(o->to) == 8    ? knh_lanes64(a, o->f, bits)
           : knk_is_half_id(o->to) ? knh_lanes32(a, o->f, (uint32_t)(bits * 0x10001))
                                   : knh_lanes32(a, o->f, (uint32_t)bits));
}

static void test_bits(const knh_op *o) { knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, o->src[0]); }
static void test_half(const knh_op *o)
{
    knh_v3(o->a, KNH_VPTESTMW, o->len, o->dst, o->src[0].reg, knh_constant(o->a, o->f, KN_ID_F16, 0x7fff, false));
}

static void compare_zero(const knh_op *o)
{
    const bool f64 = o->from == KN_ID_F64;
    knh_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg,
            f64 ? knh_lanes64(o->a, o->f, 0) : knh_lanes32(o->a, o->f, 0), 4);
    if (!knh_wide(o->f) && f64)
        knh_narrow(o->a, o->dst, o->dst);
}

static void integer_truth(const knh_op *o)
{
    knh_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, knh_lanes64(o->a, o->f, 0));
    if (knk_size(o->from) == 8)
        knh_narrow(o->a, o->dst, o->dst);
    knh_flip(o->a, o->f, knh_length(o->f, KN_ID_BOOL), o->dst, o->dst);
}

/* --- 16-bit floats --- */

static void widen_f16(const knh_op *o) { knh_v2(o->a, KNH_VCVTPH2PS, knh_length(o->f, KN_ID_F32), o->dst, o->src[0]); }

static void widen_bf16(const knh_op *o)
{
    const int len = knh_length(o->f, KN_ID_F32);
    knh_v2(o->a, KNH_VPMOVZXWD, len, o->dst, o->src[0]);
    knh_shift(o->a, KNH_VPSLLD_I, len, o->dst, o->dst, 16);
}

/* AVX2: a bool is 32 bits. */
static void half_truth(const knh_op *o)
{
    (o->from == KN_ID_F16 ? widen_f16 : widen_bf16)(o);
    knh_v3i(o->a, KNH_VCMPPS, knh_length(o->f, KN_ID_F32), o->dst, o->dst, knh_lanes32(o->a, o->f, 0), 4);
}

void knh_pack16(knh_asm *a, const knh_form *f, int dst, int src)
{
    const int len = knh_length(f, KN_ID_F32);
    knh_v3(a, KNH_VPACKUSDW, len, dst, src, knh_reg(src));
    if (len)
        knh_v2i(a, KNH_VPERMQ_I, 1, dst, knh_reg(dst), 0x08);
}

/* Half to even; the number of `x` in a register becomes a half of dtype o->to in o->dst. */
static void round_half(const knh_op *o, int x)
{
    const int len = knh_length(o->f, KN_ID_F32), t = o->temp[0], d = o->dst;
    knh_asm *a = o->a;
    if (o->to == KN_ID_F16) {
        knh_v2i(a, KNH_VCVTPS2PH, len, x, knh_reg(d), 0);
        return;
    }
    knh_shift(a, KNH_VPSRLD_I, len, t, x, 16);
    knh_v3(a, KNH_VPANDD, len, t, t, knh_lanes32(a, o->f, 1));
    knh_v3(a, KNH_VPADDD, len, t, t, knh_lanes32(a, o->f, 0x7fff));
    knh_v3(a, KNH_VPADDD, len, t, t, knh_reg(x));
    if (knh_wide(o->f)) { /* a NaN stays one */
        knh_v3i(a, KNH_VCMPPS_K, len, o->mask[0], x, knh_reg(x), 3);
        knh_v(a, KNH_VPORD, len, t, x, knh_lanes32(a, o->f, 0x400000), o->mask[0], false, -1);
    } else {
        knh_v3i(a, KNH_VCMPPS, len, d, x, knh_reg(x), 3);
        knh_v3(a, KNH_VPORD, len, t, t, knh_reg(d));
    }
    knh_shift(a, KNH_VPSRLD_I, len, t, t, 16);
    if (knh_wide(o->f))
        knh_v2(a, KNH_VPMOVDW, len, t, knh_reg(d));
    else
        knh_pack16(a, o->f, d, t);
}

static void f32_to_half(const knh_op *o) { round_half(o, o->src[0].reg); }

/* One rounding: first all bits that float32 need not have go into the last one of the rest (23 bits of the fraction for
 * float16; 10 for bfloat16, so that its subnormal numbers are exact in float32 too). */
static void f64_to_half(const knh_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0];
    const uint64_t low = ((uint64_t)1 << (o->to == KN_ID_F16 ? 29 : 42)) - 1;
    knh_asm *a = o->a;
    const knh_operand low_bits = knh_lanes64(a, o->f, low), high_bits = knh_lanes64(a, o->f, ~low);
    knh_v3(a, KNH_VPANDQ, o->len, t, x, low_bits);
    knh_v3(a, KNH_VPADDQ, o->len, t, t, low_bits);
    if (knh_wide(o->f)) {
        knh_v3i(a, KNH_VPTERNLOGQ, o->len, t, x, high_bits, 0xa8); /* (t | x) & high */
    } else {
        knh_v3(a, KNH_VPOR, o->len, t, t, knh_reg(x));
        knh_v3(a, KNH_VPAND, o->len, t, t, high_bits);
    }
    knh_v2(a, KNH_VCVTPD2PS, o->len, o->dst, knh_reg(t));
    round_half(o, o->dst);
}

/* --- integers to floats --- */

static void convert(const knh_op *o) /* as long as the operand, or twice: the length of the longer one */
{
    const int to = knh_length(o->f, o->to);
    knh_v2(o->a, o->recipe->insn, to > o->len ? to : o->len, o->dst, o->src[0]);
}

/* AVX2: the two halves as float32 numbers 2^23 + low and 2^39 + high * 2^16; one sum is rounded. */
static void u32_to_f32(const knh_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0], d = o->dst;
    knh_asm *a = o->a;
    knh_v3i(a, KNH_VPBLENDW, o->len, t, x, knh_lanes32(a, o->f, 0x4b000000), 0xaa);
    knh_shift(a, KNH_VPSRLD_I, o->len, d, x, 16);
    knh_v3i(a, KNH_VPBLENDW, o->len, d, d, knh_lanes32(a, o->f, 0x53000000), 0xaa);
    knh_v3(a, KNH_VSUBPS, o->len, d, d, knh_lanes32(a, o->f, 0x53000080));
    knh_v3(a, KNH_VADDPS, o->len, d, d, knh_reg(t));
}

/* AVX2: as the low half of 2^52 */
static void u32_to_f64(const knh_op *o)
{
    const int len = knh_length(o->f, KN_ID_F64);
    const knh_operand big = knh_lanes64(o->a, o->f, 0x4330000000000000);
    knh_v2(o->a, KNH_VPMOVZXDQ, len, o->dst, o->src[0]);
    knh_v3(o->a, KNH_VPOR, len, o->dst, o->dst, big);
    knh_v3(o->a, KNH_VSUBPD, len, o->dst, o->dst, big);
}

/* AVX2: 2^52 + low half, and 2^84 + high half * 2^32 (+ 2^63: a signed one); one sum is rounded. */
static void long_to_f64(const knh_op *o, int x)
{
    const bool is_signed = knk_is_signed_id(o->from);
    const int t = o->temp[0], d = o->dst;
    knh_asm *a = o->a;
    knh_v3i(a, KNH_VPBLENDD, o->len, t, x, knh_lanes64(a, o->f, 0x4330000000000000), 0xaa);
    knh_shift(a, KNH_VPSRLQ_I, o->len, d, x, 32);
    knh_v3(a, KNH_VPXOR, o->len, d, d, knh_lanes64(a, o->f, is_signed ? 0x4530000080000000 : 0x4530000000000000));
    knh_v3(a, KNH_VSUBPD, o->len, d, d, knh_lanes64(a, o->f, is_signed ? 0x4530000080100000 : 0x4530000000100000));
    knh_v3(a, KNH_VADDPD, o->len, d, d, knh_reg(t));
}

static void w64_to_f64(const knh_op *o) { long_to_f64(o, o->src[0].reg); }

/* AVX2: through float64. What has more than 53 bits first loses its lowest 11, which leave a mark in the next one. */
static void w64_to_f32(const knh_op *o)
{
    const bool is_signed = knk_is_signed_id(o->from);
    const int x = o->src[0].reg, t = o->temp[0], few = o->temp[1];
    const knh_operand low = knh_lanes64(o->a, o->f, 0x7ff), high = knh_lanes64(o->a, o->f, ~(uint64_t)0x7ff);
    knh_asm *a = o->a;
    if (is_signed)
        knh_v3(a, KNH_VPADDQ, o->len, few, x, knh_lanes64(a, o->f, (uint64_t)1 << 53));
    knh_shift(a, KNH_VPSRLQ_I, o->len, few, is_signed ? few : x, is_signed ? 54 : 53);
    knh_v3(a, KNH_VPCMPEQQ, o->len, few, few, knh_lanes64(a, o->f, 0));
    knh_v3(a, KNH_VPAND, o->len, t, x, low);
    knh_v3(a, KNH_VPADDQ, o->len, t, t, low);
    knh_v3(a, KNH_VPOR, o->len, t, t, knh_reg(x));
    knh_v3(a, KNH_VPAND, o->len, t, t, high);
    knh_v3i(a, KNH_VBLENDVPD, o->len, few, t, knh_reg(x), few << 4);
    long_to_f64(o, few);
    knh_v2(a, KNH_VCVTPD2PS, o->len, o->dst, knh_reg(o->dst));
}

/* --- floats to integers --- */

/* The low 32 bits of an int64: x modulo 2^32, from -2^31 to 2^31, is exact. Infinities and NaN: 0. */
static void f32_to_u32(const knh_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0];
    knh_asm *a = o->a;
    knh_v3(a, KNH_VMULPS, o->len, t, x, knh_lanes32(a, o->f, 0x2f800000)); /* 2^-32 */
    knh_v2i(a, knh_wide(o->f) ? KNH_VRNDSCALEPS : KNH_VROUNDPS, o->len, t, knh_reg(t), 8);
    knh_v3(a, KNH_VFNMADD132PS, o->len, t, x, knh_lanes32(a, o->f, 0x4f800000)); /* 2^32 */
    if (knh_wide(o->f)) {
        knh_v3i(a, KNH_VCMPPS_K, o->len, o->mask[0], t, knh_reg(t), 7);
        knh_v(a, KNH_VCVTTPS2DQ, o->len, o->dst, 0, knh_reg(t), o->mask[0], true, -1);
        return;
    }
    knh_v3i(a, KNH_VCMPPS, o->len, o->dst, t, knh_reg(t), 7);
    knh_v3(a, KNH_VANDPS, o->len, t, t, knh_reg(o->dst));
    knh_v2(a, KNH_VCVTTPS2DQ, o->len, o->dst, knh_reg(t));
}

/* The same for float64, which has numbers above 2^63 that are not multiples of 2^32: 0. */
static void f64_to_u32(const knh_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0], d = o->dst, len = o->len;
    knh_asm *a = o->a;
    if (knh_wide(o->f)) {
        knh_v2(a, KNH_VCVTTPD2QQ, len, d, knh_reg(x));
        knh_v2(a, KNH_VPMOVQD, len, d, knh_reg(d));
        return;
    }
    knh_v2i(a, KNH_VROUNDPD, len, t, knh_reg(x), 11);
    knh_v3(a, KNH_VMULPD, len, d, t, knh_lanes64(a, o->f, 0x3df0000000000000)); /* 2^-32 */
    knh_v2i(a, KNH_VROUNDPD, len, d, knh_reg(d), 8);
    knh_v3(a, KNH_VFNMADD132PD, len, d, t, knh_lanes64(a, o->f, 0x41f0000000000000)); /* 2^32 */
    knh_v3(a, KNH_VANDPD, len, t, t, knh_lanes64(a, o->f, INT64_MAX));
    knh_v3i(a, KNH_VCMPPD, len, t, t, knh_lanes64(a, o->f, 0x43e0000000000000), 0x11); /* < 2^63 */
    knh_v3(a, KNH_VANDPD, len, d, d, knh_reg(t));
    knh_v2(a, KNH_VCVTTPD2DQ, len, d, knh_reg(d));
}

/* AVX2: lane by lane; x may be dst */
static void longs_from_f64(const knh_op *o, int x)
{
    const int high = o->temp[0], t = o->temp[1], gp = o->gp[0], d = o->dst;
    knh_asm *a = o->a;
    knh_v2i(a, KNH_VEXTRACTF128, 1, x, knh_reg(high), 1);
    knh_v2(a, KNH_VCVTTSD2SI_Q, 0, gp, knh_reg(x));
    knh_v2(a, KNH_VMOVQ, 0, t, knh_reg(gp));
    knh_v3(a, KNH_VUNPCKHPD, 0, d, x, knh_reg(x));
    knh_v2(a, KNH_VCVTTSD2SI_Q, 0, gp, knh_reg(d));
    knh_v3i(a, KNH_VPINSRQ, 0, d, t, knh_reg(gp), 1);
    knh_v2(a, KNH_VCVTTSD2SI_Q, 0, gp, knh_reg(high));
    knh_v2(a, KNH_VMOVQ, 0, t, knh_reg(gp));
    knh_v3(a, KNH_VUNPCKHPD, 0, high, high, knh_reg(high));
    knh_v2(a, KNH_VCVTTSD2SI_Q, 0, gp, knh_reg(high));
    knh_v3i(a, KNH_VPINSRQ, 0, t, t, knh_reg(gp), 1);
    knh_v3i(a, KNH_VINSERTI128, 1, d, d, knh_reg(t), 1);
}

static void f64_to_i64(const knh_op *o)
{
    if (knh_wide(o->f))
        knh_v2(o->a, KNH_VCVTTPD2QQ, o->len, o->dst, o->src[0]);
    else
        longs_from_f64(o, o->src[0].reg);
}

/* From 2^63 on: 2^63 less, converted, and the highest bit changed. */
static void f64_to_u64(const knh_op *o)
{
    const int x = o->src[0].reg, d = o->dst, len = o->len;
    knh_asm *a = o->a;
    const knh_operand limit = knh_lanes64(a, o->f, 0x43e0000000000000), sign = knh_lanes64(a, o->f, (uint64_t)1 << 63);
    if (knh_wide(o->f)) {
        const int k = o->mask[0];
        knh_v3i(a, KNH_VCMPPD_K, len, k, x, limit, 0x1d);
        knh_copy(a, len, d, knh_reg(x));
        knh_v(a, KNH_VSUBPD, len, d, x, limit, k, false, -1);
        knh_v2(a, KNH_VCVTTPD2QQ, len, d, knh_reg(d));
        knh_v(a, KNH_VPXORQ, len, d, d, sign, k, false, -1);
        return;
    }
    const int big = o->temp[2];
    knh_v3i(a, KNH_VCMPPD, len, big, x, limit, 0x1d);
    knh_v3(a, KNH_VANDPD, len, o->temp[0], big, limit);
    knh_v3(a, KNH_VSUBPD, len, d, x, knh_reg(o->temp[0]));
    longs_from_f64(o, d);
    knh_v3(a, KNH_VPAND, len, big, big, sign);
    knh_v3(a, KNH_VPXOR, len, d, d, knh_reg(big));
}

/* --- the table --- */

#define ANY32  (KNH_W32 | KNH_SMALL)
#define FLOATS (KNH_SET(F32) | KNH_SET(F64))
#define INTS   (ANY32 | KNH_W64)
/* clang-format off */
#define ROW(a, b, on, i, ...) {.from = (a), .to = (b), .targets = KNH_##on, .insn = KNH_##i, .over = 1, __VA_ARGS__}
#define CVT .memory = 1, .emit = convert
static const knh_recipe casts[] = {
    ROW(KNH_BOOLS, INTS | FLOATS | KNH_HALVES, 512, VPBROADCASTD, .emit = bool_from_mask),
    ROW(KNH_BOOLS, INTS | FLOATS | KNH_HALVES, 2, VPAND, .emit = bool_from_lanes),
    ROW(ANY32, KNH_BOOLS, 512, VPTESTMD, .emit = test_bits),
    ROW(KNH_W64, KNH_BOOLS, 512, VPTESTMQ, .emit = test_bits),
    ROW(KNH_HALVES, KNH_BOOLS, 512, VPTESTMW, .emit = test_half),
    ROW(KNH_SET(F32), KNH_BOOLS, 512, VCMPPS_K, .emit = compare_zero),
    ROW(KNH_SET(F64), KNH_BOOLS, 512, VCMPPD_K, .emit = compare_zero),
    ROW(ANY32, KNH_BOOLS, 2, VPCMPEQD, .emit = integer_truth),
    ROW(KNH_W64, KNH_BOOLS, 2, VPCMPEQQ, .emit = integer_truth),
    ROW(KNH_HALVES, KNH_BOOLS, 2, VCMPPS, .emit = half_truth),
    ROW(KNH_SET(F32), KNH_BOOLS, 2, VCMPPS, .emit = compare_zero),
    ROW(KNH_SET(F64), KNH_BOOLS, 2, VCMPPD, .emit = compare_zero),
    ROW(ANY32, KNH_W64, BOTH, VPMOVSXDQ, .memory = 1, .emit = widen),
    ROW(KNH_W64, KNH_W32, BOTH, VPMOVQD, .emit = narrow),
    ROW(KNH_SET(F16), KNH_SET(F32), BOTH, VCVTPH2PS, .memory = 1, .emit = widen_f16),
    ROW(KNH_SET(BF16), KNH_SET(F32), BOTH, VPMOVZXWD, .memory = 1, .emit = widen_bf16),
    ROW(KNH_SET(F32), KNH_SET(F16), BOTH, VCVTPS2PH, .emit = f32_to_half),
    ROW(KNH_SET(F32), KNH_SET(BF16), 512, VPMOVDW, .temps = 1, .mask_temps = 1, .emit = f32_to_half),
    ROW(KNH_SET(F32), KNH_SET(BF16), 2, VPACKUSDW, .temps = 1, .emit = f32_to_half),
    ROW(KNH_SET(F64), KNH_SET(F16), BOTH, VCVTPS2PH, .temps = 1, .emit = f64_to_half),
    ROW(KNH_SET(F64), KNH_SET(BF16), 512, VPMOVDW, .temps = 1, .mask_temps = 1, .emit = f64_to_half),
    ROW(KNH_SET(F64), KNH_SET(BF16), 2, VPACKUSDW, .temps = 1, .emit = f64_to_half),
    ROW(KNH_SMALL | KNH_SET(I32), KNH_SET(F32), BOTH, VCVTDQ2PS, CVT),
    ROW(KNH_SET(U32), KNH_SET(F32), 512, VCVTUDQ2PS, CVT),
    ROW(KNH_SET(I64), KNH_SET(F32), 512, VCVTQQ2PS, CVT),
    ROW(KNH_SET(U64), KNH_SET(F32), 512, VCVTUQQ2PS, CVT),
    ROW(KNH_SET(U32), KNH_SET(F32), 2, VADDPS, .temps = 1, .emit = u32_to_f32),
    ROW(KNH_W64, KNH_SET(F32), 2, VCVTPD2PS, .temps = 2, .emit = w64_to_f32),
    ROW(KNH_SMALL | KNH_SET(I32), KNH_SET(F64), BOTH, VCVTDQ2PD, CVT),
    ROW(KNH_SET(U32), KNH_SET(F64), 512, VCVTUDQ2PD, CVT),
    ROW(KNH_SET(I64), KNH_SET(F64), 512, VCVTQQ2PD, CVT),
    ROW(KNH_SET(U64), KNH_SET(F64), 512, VCVTUQQ2PD, CVT),
    ROW(KNH_SET(U32), KNH_SET(F64), 2, VSUBPD, .memory = 1, .emit = u32_to_f64),
    ROW(KNH_W64, KNH_SET(F64), 2, VADDPD, .temps = 1, .emit = w64_to_f64),
    ROW(KNH_SET(F32), KNH_SET(F64), BOTH, VCVTPS2PD, CVT),
    ROW(KNH_SET(F64), KNH_SET(F32), BOTH, VCVTPD2PS, CVT),
    ROW(KNH_SET(F32), KNH_SET(I32), BOTH, VCVTTPS2DQ, CVT),
    ROW(KNH_SET(F64), KNH_SET(I32), BOTH, VCVTTPD2DQ, CVT),
    ROW(KNH_SET(F32), KNH_SET(U32), 512, VCVTTPS2DQ, .temps = 1, .mask_temps = 1, .emit = f32_to_u32),
    ROW(KNH_SET(F32), KNH_SET(U32), 2, VCVTTPS2DQ, .temps = 1, .emit = f32_to_u32),
    ROW(KNH_SET(F64), KNH_SET(U32), 512, VCVTTPD2QQ, .emit = f64_to_u32),
    ROW(KNH_SET(F64), KNH_SET(U32), 2, VCVTTPD2DQ, .temps = 1, .emit = f64_to_u32),
    ROW(KNH_SET(F32), KNH_SET(I64), 512, VCVTTPS2QQ, CVT),
    ROW(KNH_SET(F64), KNH_SET(I64), 512, VCVTTPD2QQ, .memory = 1, .emit = f64_to_i64),
    ROW(KNH_SET(F64), KNH_SET(I64), 2, VCVTTSD2SI_Q, .temps = 2, .gp_temps = 1, .emit = f64_to_i64),
    ROW(KNH_SET(F64), KNH_SET(U64), 512, VCVTTPD2QQ, .mask_temps = 1, .emit = f64_to_u64),
    ROW(KNH_SET(F64), KNH_SET(U64), 2, VCVTTSD2SI_Q, .temps = 3, .gp_temps = 1, .emit = f64_to_u64),
};

static void unpack16(const knh_op *o)
{
    knh_v2(o->a, knk_is_signed_id(o->to) ? KNH_VPMOVSXWD : KNH_VPMOVZXWD, knh_length(o->f, o->to), o->dst, o->src[0]);
}

static void pack16(const knh_op *o)
{
    if (knh_wide(o->f))
        knh_v2(o->a, KNH_VPMOVDW, o->len, o->src[0].reg, knh_reg(o->dst));
    else if (!knk_is_signed_id(o->from)) {
        knh_pack16(o->a, o->f, o->dst, o->src[0].reg);
    } else {
        knh_v3(o->a, KNH_VPACKSSDW, o->len, o->dst, o->src[0].reg, o->src[0]);
        if (o->len)
            knh_v2i(o->a, KNH_VPERMQ_I, 1, o->dst, knh_reg(o->dst), 0x08);
    }
}

static const knh_recipe unpacks = {.memory = 1, .over = 1, .emit = unpack16};
static const knh_recipe packs = {.over = 1, .emit = pack16};
static const knh_recipe extends = {.over = 1, .emit = extend};
static const knh_recipe moves = {.memory = 1, .over = 1, .emit = knh_emit_copy};
/* clang-format on */

/* Does the lane of an integer of 32 bits or fewer change? Not if the other dtype has room for all its values, or fills
 * the lane. */
static bool lane_changes(int from, int to)
{
    const int before = knk_size(from), after = knk_size(to);
    if (after == 4)
        return false;
    return before > after ||
           (knk_is_signed_id(from) != knk_is_signed_id(to) && (before == after || knk_is_signed_id(from)));
}

static const knh_recipe *find(const knh_form *f, int from, int to, bool bits)
{
    if (from == to || (knh_in(KNH_W64, from) && knh_in(KNH_W64, to)))
        return &moves;
    if (knh_in(ANY32, from) && knh_in(ANY32, to))
        return lane_changes(from, to) ? &extends : &moves;
    if (bits) {
        if (knk_size(from) != 2 || knk_is_half_id(from) == knk_is_half_id(to))
            return &moves;
        return knk_is_half_id(from) ? &unpacks : &packs;
    }
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (knh_in(casts[i].from, from) && knh_in(casts[i].to, to) && casts[i].targets >> f->target & 1)
            return &casts[i];
    return NULL;
}

knh_needs knh_cast_needs(const knh_form *f, int from, int to, bool bits)
{
    knh_needs all = {0};
    for (int at = from, stop, first = 1; first || at != to; at = stop, first = 0) {
        stop = bits ? to : next_stop(f, at, to);
        const knh_recipe *r = find(f, at, stop, bits);
        if (!r)
            return (knh_needs){.helper = true};
        if (first)
            all.memory = r->memory, all.over = knh_is_mask(f, from) == knh_is_mask(f, to) ? r->over : 0;
        all.temps = r->temps > all.temps ? r->temps : all.temps;
        all.mask_temps = r->mask_temps > all.mask_temps ? r->mask_temps : all.mask_temps;
        all.gp_temps = r->gp_temps > all.gp_temps ? r->gp_temps : all.gp_temps;
    }
    if (from == to && knh_is_mask(f, from))
        all.memory = 0;
    return all;
}

void knh_cast(const knh_op *whole, bool bits)
{
    const int to = whole->to;
    knh_operand at = whole->src[0];
    knh_op o = *whole;
    if (o.from == to && knh_is_mask(o.f, to)) {
        knh_move(o.a, o.f, to, o.dst, at.reg);
        return;
    }
    o.src = &at;
    for (bool first = true; first || o.from != to; first = false) {
        o.to = bits ? to : next_stop(o.f, o.from, to);
        o.len = knh_length(o.f, o.from);
        o.recipe = find(o.f, o.from, o.to, bits);
        if (!o.recipe) {
            o.a->failed = true;
            o.a->why = "a cast without instructions";
            return;
        }
        o.recipe->emit(&o);
        o.from = o.to;
        at = knh_reg(o.dst);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * emit_cast.c -- conversions, as knx_convert defines them. Some go through another dtype on the way (next_stop), which
 * is exact there or is part of the definition: integers become float16 through float32, floats small integers through
 * int32. On the way the value is in the register of the result. */
#include "host/x86/emit_recipe.h"

/* Where a conversion goes first. */
static int next_stop(const kng_form *f, int from, int to)
{
    const bool half = knk_is_half_id(from), wide = kng_in(KNG_W64 | KNG_SET(F64), from);
    if (from == to || to == KN_ID_BOOL || from == KN_ID_BOOL)
        return to;
    if (half || (knk_is_half_id(to) && !knk_is_float_id(from)))
        return from == KN_ID_F32 ? to : KN_ID_F32;
    if (kng_in(KNG_SMALL, to) && (wide || from == KN_ID_F32))
        return KN_ID_I32;
    if (from == KN_ID_F32 && (to == KN_ID_U64 || (to == KN_ID_I64 && !kng_wide(f))))
        return KN_ID_F64;
    return to;
}

/* --- integers among themselves --- */

static void extend(const kng_op *o) { kng_extend(o->a, o->f, o->to, o->dst, o->src[0].reg); }

/* A narrow integer to 64 bits, by its own sign. */
static void widen(const kng_op *o)
{
    kng_v2(o->a, knk_is_signed_id(o->from) ? KNG_VPMOVSXDQ : KNG_VPMOVZXDQ, kng_length(o->f, o->to), o->dst, o->src[0]);
}

static void narrow(const kng_op *o)
{
    if (kng_wide(o->f))
        kng_v2(o->a, KNG_VPMOVQD, o->len, o->src[0].reg, kng_reg(o->dst));
    else
        kng_narrow(o->a, o->dst, o->src[0].reg);
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

static void bool_from_mask(const kng_op *o)
{
    const int size = knk_is_half_id(o->to) ? 2 : knk_size(o->to) == 8 ? 8 : 4;
    kng_operand from = size == 8 ? kng_lanes64(o->a, o->f, one(o->to)) : kng_lanes32(o->a, o->f, (uint32_t)one(o->to));
    from.broadcast = false;
    kng_v(o->a,
          size == 2   ? KNG_VPBROADCASTW
          : size == 4 ? KNG_VPBROADCASTD
                      : KNG_VPBROADCASTQ,
          kng_length(o->f, o->to), o->dst, 0, from, o->src[0].reg, true, -1);
}

static void bool_from_lanes(const kng_op *o)
{
    kng_asm *a = o->a;
    int src = o->src[0].reg;
    const int len = kng_length(o->f, o->to);
    if (knk_is_half_id(o->to)) {
        kng_v3(a, KNG_VPACKSSDW, o->len, o->dst, src, kng_reg(src));
        if (o->len)
            kng_v2i(a, KNG_VPERMQ_I, 1, o->dst, kng_reg(o->dst), 0x08);
        src = o->dst;
    } else if (knk_size(o->to) == 8) {
        kng_v2(a, KNG_VPMOVSXDQ, len, o->dst, o->src[0]);
        src = o->dst;
    }
    const uint64_t bits = one(o->to);
    kng_v3(a, KNG_VPAND, len, o->dst, src,
           knk_size(o->to) == 8    ? kng_lanes64(a, o->f, bits)
           : knk_is_half_id(o->to) ? kng_lanes32(a, o->f, (uint32_t)(bits * 0x10001))
                                   : kng_lanes32(a, o->f, (uint32_t)bits));
}

static void test_bits(const kng_op *o) { kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, o->src[0]); }
static void test_half(const kng_op *o)
{
    kng_v3(o->a, KNG_VPTESTMW, o->len, o->dst, o->src[0].reg, kng_constant(o->a, o->f, KN_ID_F16, 0x7fff, false));
}

static void compare_zero(const kng_op *o)
{
    const bool f64 = o->from == KN_ID_F64;
    kng_v3i(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg,
            f64 ? kng_lanes64(o->a, o->f, 0) : kng_lanes32(o->a, o->f, 0), 4);
    if (!kng_wide(o->f) && f64)
        kng_narrow(o->a, o->dst, o->dst);
}

static void integer_truth(const kng_op *o)
{
    kng_v3(o->a, o->recipe->insn, o->len, o->dst, o->src[0].reg, kng_lanes64(o->a, o->f, 0));
    if (knk_size(o->from) == 8)
        kng_narrow(o->a, o->dst, o->dst);
    kng_flip(o->a, o->f, kng_length(o->f, KN_ID_BOOL), o->dst, o->dst);
}

/* --- 16-bit floats --- */

static void widen_f16(const kng_op *o) { kng_v2(o->a, KNG_VCVTPH2PS, kng_length(o->f, KN_ID_F32), o->dst, o->src[0]); }

static void widen_bf16(const kng_op *o)
{
    const int len = kng_length(o->f, KN_ID_F32);
    kng_v2(o->a, KNG_VPMOVZXWD, len, o->dst, o->src[0]);
    kng_shift(o->a, KNG_VPSLLD_I, len, o->dst, o->dst, 16);
}

/* AVX2: a bool is 32 bits. */
static void half_truth(const kng_op *o)
{
    (o->from == KN_ID_F16 ? widen_f16 : widen_bf16)(o);
    kng_v3i(o->a, KNG_VCMPPS, kng_length(o->f, KN_ID_F32), o->dst, o->dst, kng_lanes32(o->a, o->f, 0), 4);
}

void kng_pack16(kng_asm *a, const kng_form *f, int dst, int src)
{
    const int len = kng_length(f, KN_ID_F32);
    kng_v3(a, KNG_VPACKUSDW, len, dst, src, kng_reg(src));
    if (len)
        kng_v2i(a, KNG_VPERMQ_I, 1, dst, kng_reg(dst), 0x08);
}

/* Half to even; the number of `x` in a register becomes a half of dtype o->to in o->dst. */
static void round_half(const kng_op *o, int x)
{
    const int len = kng_length(o->f, KN_ID_F32), t = o->temp[0], d = o->dst;
    kng_asm *a = o->a;
    if (o->to == KN_ID_F16) {
        kng_v2i(a, KNG_VCVTPS2PH, len, x, kng_reg(d), 0);
        return;
    }
    kng_shift(a, KNG_VPSRLD_I, len, t, x, 16);
    kng_v3(a, KNG_VPANDD, len, t, t, kng_lanes32(a, o->f, 1));
    kng_v3(a, KNG_VPADDD, len, t, t, kng_lanes32(a, o->f, 0x7fff));
    kng_v3(a, KNG_VPADDD, len, t, t, kng_reg(x));
    if (kng_wide(o->f)) { /* a NaN stays one */
        kng_v3i(a, KNG_VCMPPS_K, len, o->mask[0], x, kng_reg(x), 3);
        kng_v(a, KNG_VPORD, len, t, x, kng_lanes32(a, o->f, 0x400000), o->mask[0], false, -1);
    } else {
        kng_v3i(a, KNG_VCMPPS, len, d, x, kng_reg(x), 3);
        kng_v3(a, KNG_VPORD, len, t, t, kng_reg(d));
    }
    kng_shift(a, KNG_VPSRLD_I, len, t, t, 16);
    if (kng_wide(o->f))
        kng_v2(a, KNG_VPMOVDW, len, t, kng_reg(d));
    else
        kng_pack16(a, o->f, d, t);
}

static void f32_to_half(const kng_op *o) { round_half(o, o->src[0].reg); }

/* One rounding: first all bits that float32 need not have go into the last one of the rest (23 bits of the fraction for
 * float16; 10 for bfloat16, so that its subnormal numbers are exact in float32 too). */
static void f64_to_half(const kng_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0];
    const uint64_t low = ((uint64_t)1 << (o->to == KN_ID_F16 ? 29 : 42)) - 1;
    kng_asm *a = o->a;
    const kng_operand low_bits = kng_lanes64(a, o->f, low), high_bits = kng_lanes64(a, o->f, ~low);
    kng_v3(a, KNG_VPANDQ, o->len, t, x, low_bits);
    kng_v3(a, KNG_VPADDQ, o->len, t, t, low_bits);
    if (kng_wide(o->f)) {
        kng_v3i(a, KNG_VPTERNLOGQ, o->len, t, x, high_bits, 0xa8); /* (t | x) & high */
    } else {
        kng_v3(a, KNG_VPOR, o->len, t, t, kng_reg(x));
        kng_v3(a, KNG_VPAND, o->len, t, t, high_bits);
    }
    kng_v2(a, KNG_VCVTPD2PS, o->len, o->dst, kng_reg(t));
    round_half(o, o->dst);
}

/* --- integers to floats --- */

static void convert(const kng_op *o) /* as long as the operand, or twice: the length of the longer one */
{
    const int to = kng_length(o->f, o->to);
    kng_v2(o->a, o->recipe->insn, to > o->len ? to : o->len, o->dst, o->src[0]);
}

/* AVX2: the two halves as float32 numbers 2^23 + low and 2^39 + high * 2^16; one sum is rounded. */
static void u32_to_f32(const kng_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0], d = o->dst;
    kng_asm *a = o->a;
    kng_v3i(a, KNG_VPBLENDW, o->len, t, x, kng_lanes32(a, o->f, 0x4b000000), 0xaa);
    kng_shift(a, KNG_VPSRLD_I, o->len, d, x, 16);
    kng_v3i(a, KNG_VPBLENDW, o->len, d, d, kng_lanes32(a, o->f, 0x53000000), 0xaa);
    kng_v3(a, KNG_VSUBPS, o->len, d, d, kng_lanes32(a, o->f, 0x53000080));
    kng_v3(a, KNG_VADDPS, o->len, d, d, kng_reg(t));
}

/* AVX2: as the low half of 2^52 */
static void u32_to_f64(const kng_op *o)
{
    const int len = kng_length(o->f, KN_ID_F64);
    const kng_operand big = kng_lanes64(o->a, o->f, 0x4330000000000000);
    kng_v2(o->a, KNG_VPMOVZXDQ, len, o->dst, o->src[0]);
    kng_v3(o->a, KNG_VPOR, len, o->dst, o->dst, big);
    kng_v3(o->a, KNG_VSUBPD, len, o->dst, o->dst, big);
}

/* AVX2: 2^52 + low half, and 2^84 + high half * 2^32 (+ 2^63: a signed one); one sum is rounded. */
static void long_to_f64(const kng_op *o, int x)
{
    const bool is_signed = knk_is_signed_id(o->from);
    const int t = o->temp[0], d = o->dst;
    kng_asm *a = o->a;
    kng_v3i(a, KNG_VPBLENDD, o->len, t, x, kng_lanes64(a, o->f, 0x4330000000000000), 0xaa);
    kng_shift(a, KNG_VPSRLQ_I, o->len, d, x, 32);
    kng_v3(a, KNG_VPXOR, o->len, d, d, kng_lanes64(a, o->f, is_signed ? 0x4530000080000000 : 0x4530000000000000));
    kng_v3(a, KNG_VSUBPD, o->len, d, d, kng_lanes64(a, o->f, is_signed ? 0x4530000080100000 : 0x4530000000100000));
    kng_v3(a, KNG_VADDPD, o->len, d, d, kng_reg(t));
}

static void w64_to_f64(const kng_op *o) { long_to_f64(o, o->src[0].reg); }

/* AVX2: through float64. What has more than 53 bits first loses its lowest 11, which leave a mark in the next one. */
static void w64_to_f32(const kng_op *o)
{
    const bool is_signed = knk_is_signed_id(o->from);
    const int x = o->src[0].reg, t = o->temp[0], few = o->temp[1];
    const kng_operand low = kng_lanes64(o->a, o->f, 0x7ff), high = kng_lanes64(o->a, o->f, ~(uint64_t)0x7ff);
    kng_asm *a = o->a;
    if (is_signed)
        kng_v3(a, KNG_VPADDQ, o->len, few, x, kng_lanes64(a, o->f, (uint64_t)1 << 53));
    kng_shift(a, KNG_VPSRLQ_I, o->len, few, is_signed ? few : x, is_signed ? 54 : 53);
    kng_v3(a, KNG_VPCMPEQQ, o->len, few, few, kng_lanes64(a, o->f, 0));
    kng_v3(a, KNG_VPAND, o->len, t, x, low);
    kng_v3(a, KNG_VPADDQ, o->len, t, t, low);
    kng_v3(a, KNG_VPOR, o->len, t, t, kng_reg(x));
    kng_v3(a, KNG_VPAND, o->len, t, t, high);
    kng_v3i(a, KNG_VBLENDVPD, o->len, few, t, kng_reg(x), few << 4);
    long_to_f64(o, few);
    kng_v2(a, KNG_VCVTPD2PS, o->len, o->dst, kng_reg(o->dst));
}

/* --- floats to integers --- */

/* The low 32 bits of an int64: x modulo 2^32, from -2^31 to 2^31, is exact. Infinities and NaN: 0. */
static void f32_to_u32(const kng_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0];
    kng_asm *a = o->a;
    kng_v3(a, KNG_VMULPS, o->len, t, x, kng_lanes32(a, o->f, 0x2f800000)); /* 2^-32 */
    kng_v2i(a, kng_wide(o->f) ? KNG_VRNDSCALEPS : KNG_VROUNDPS, o->len, t, kng_reg(t), 8);
    kng_v3(a, KNG_VFNMADD132PS, o->len, t, x, kng_lanes32(a, o->f, 0x4f800000)); /* 2^32 */
    if (kng_wide(o->f)) {
        kng_v3i(a, KNG_VCMPPS_K, o->len, o->mask[0], t, kng_reg(t), 7);
        kng_v(a, KNG_VCVTTPS2DQ, o->len, o->dst, 0, kng_reg(t), o->mask[0], true, -1);
        return;
    }
    kng_v3i(a, KNG_VCMPPS, o->len, o->dst, t, kng_reg(t), 7);
    kng_v3(a, KNG_VANDPS, o->len, t, t, kng_reg(o->dst));
    kng_v2(a, KNG_VCVTTPS2DQ, o->len, o->dst, kng_reg(t));
}

/* The same for float64, which has numbers above 2^63 that are not multiples of 2^32: 0. */
static void f64_to_u32(const kng_op *o)
{
    const int x = o->src[0].reg, t = o->temp[0], d = o->dst, len = o->len;
    kng_asm *a = o->a;
    if (kng_wide(o->f)) {
        kng_v2(a, KNG_VCVTTPD2QQ, len, d, kng_reg(x));
        kng_v2(a, KNG_VPMOVQD, len, d, kng_reg(d));
        return;
    }
    kng_v2i(a, KNG_VROUNDPD, len, t, kng_reg(x), 11);
    kng_v3(a, KNG_VMULPD, len, d, t, kng_lanes64(a, o->f, 0x3df0000000000000)); /* 2^-32 */
    kng_v2i(a, KNG_VROUNDPD, len, d, kng_reg(d), 8);
    kng_v3(a, KNG_VFNMADD132PD, len, d, t, kng_lanes64(a, o->f, 0x41f0000000000000)); /* 2^32 */
    kng_v3(a, KNG_VANDPD, len, t, t, kng_lanes64(a, o->f, INT64_MAX));
    kng_v3i(a, KNG_VCMPPD, len, t, t, kng_lanes64(a, o->f, 0x43e0000000000000), 0x11); /* < 2^63 */
    kng_v3(a, KNG_VANDPD, len, d, d, kng_reg(t));
    kng_v2(a, KNG_VCVTTPD2DQ, len, d, kng_reg(d));
}

/* AVX2: lane by lane; x may be dst */
static void longs_from_f64(const kng_op *o, int x)
{
    const int high = o->temp[0], t = o->temp[1], gp = o->gp[0], d = o->dst;
    kng_asm *a = o->a;
    kng_v2i(a, KNG_VEXTRACTF128, 1, x, kng_reg(high), 1);
    kng_v2(a, KNG_VCVTTSD2SI_Q, 0, gp, kng_reg(x));
    kng_v2(a, KNG_VMOVQ, 0, t, kng_reg(gp));
    kng_v3(a, KNG_VUNPCKHPD, 0, d, x, kng_reg(x));
    kng_v2(a, KNG_VCVTTSD2SI_Q, 0, gp, kng_reg(d));
    kng_v3i(a, KNG_VPINSRQ, 0, d, t, kng_reg(gp), 1);
    kng_v2(a, KNG_VCVTTSD2SI_Q, 0, gp, kng_reg(high));
    kng_v2(a, KNG_VMOVQ, 0, t, kng_reg(gp));
    kng_v3(a, KNG_VUNPCKHPD, 0, high, high, kng_reg(high));
    kng_v2(a, KNG_VCVTTSD2SI_Q, 0, gp, kng_reg(high));
    kng_v3i(a, KNG_VPINSRQ, 0, t, t, kng_reg(gp), 1);
    kng_v3i(a, KNG_VINSERTI128, 1, d, d, kng_reg(t), 1);
}

static void f64_to_i64(const kng_op *o)
{
    if (kng_wide(o->f))
        kng_v2(o->a, KNG_VCVTTPD2QQ, o->len, o->dst, o->src[0]);
    else
        longs_from_f64(o, o->src[0].reg);
}

/* From 2^63 on: 2^63 less, converted, and the highest bit changed. */
static void f64_to_u64(const kng_op *o)
{
    const int x = o->src[0].reg, d = o->dst, len = o->len;
    kng_asm *a = o->a;
    const kng_operand limit = kng_lanes64(a, o->f, 0x43e0000000000000), sign = kng_lanes64(a, o->f, (uint64_t)1 << 63);
    if (kng_wide(o->f)) {
        const int k = o->mask[0];
        kng_v3i(a, KNG_VCMPPD_K, len, k, x, limit, 0x1d);
        kng_copy(a, len, d, kng_reg(x));
        kng_v(a, KNG_VSUBPD, len, d, x, limit, k, false, -1);
        kng_v2(a, KNG_VCVTTPD2QQ, len, d, kng_reg(d));
        kng_v(a, KNG_VPXORQ, len, d, d, sign, k, false, -1);
        return;
    }
    const int big = o->temp[2];
    kng_v3i(a, KNG_VCMPPD, len, big, x, limit, 0x1d);
    kng_v3(a, KNG_VANDPD, len, o->temp[0], big, limit);
    kng_v3(a, KNG_VSUBPD, len, d, x, kng_reg(o->temp[0]));
    longs_from_f64(o, d);
    kng_v3(a, KNG_VPAND, len, big, big, sign);
    kng_v3(a, KNG_VPXOR, len, d, d, kng_reg(big));
}

/* --- the table --- */

#define ANY32  (KNG_W32 | KNG_SMALL)
#define FLOATS (KNG_SET(F32) | KNG_SET(F64))
#define INTS   (ANY32 | KNG_W64)
/* clang-format off */
#define ROW(a, b, on, i, ...) {.from = (a), .to = (b), .targets = KNG_##on, .insn = KNG_##i, .over = 1, __VA_ARGS__}
#define CVT .memory = 1, .emit = convert
static const kng_recipe casts[] = {
    ROW(KNG_BOOLS, INTS | FLOATS | KNG_HALVES, 512, VPBROADCASTD, .emit = bool_from_mask),
    ROW(KNG_BOOLS, INTS | FLOATS | KNG_HALVES, 2, VPAND, .emit = bool_from_lanes),
    ROW(ANY32, KNG_BOOLS, 512, VPTESTMD, .emit = test_bits),
    ROW(KNG_W64, KNG_BOOLS, 512, VPTESTMQ, .emit = test_bits),
    ROW(KNG_HALVES, KNG_BOOLS, 512, VPTESTMW, .emit = test_half),
    ROW(KNG_SET(F32), KNG_BOOLS, 512, VCMPPS_K, .emit = compare_zero),
    ROW(KNG_SET(F64), KNG_BOOLS, 512, VCMPPD_K, .emit = compare_zero),
    ROW(ANY32, KNG_BOOLS, 2, VPCMPEQD, .emit = integer_truth),
    ROW(KNG_W64, KNG_BOOLS, 2, VPCMPEQQ, .emit = integer_truth),
    ROW(KNG_HALVES, KNG_BOOLS, 2, VCMPPS, .emit = half_truth),
    ROW(KNG_SET(F32), KNG_BOOLS, 2, VCMPPS, .emit = compare_zero),
    ROW(KNG_SET(F64), KNG_BOOLS, 2, VCMPPD, .emit = compare_zero),
    ROW(ANY32, KNG_W64, BOTH, VPMOVSXDQ, .memory = 1, .emit = widen),
    ROW(KNG_W64, KNG_W32, BOTH, VPMOVQD, .emit = narrow),
    ROW(KNG_SET(F16), KNG_SET(F32), BOTH, VCVTPH2PS, .memory = 1, .emit = widen_f16),
    ROW(KNG_SET(BF16), KNG_SET(F32), BOTH, VPMOVZXWD, .memory = 1, .emit = widen_bf16),
    ROW(KNG_SET(F32), KNG_SET(F16), BOTH, VCVTPS2PH, .emit = f32_to_half),
    ROW(KNG_SET(F32), KNG_SET(BF16), 512, VPMOVDW, .temps = 1, .mask_temps = 1, .emit = f32_to_half),
    ROW(KNG_SET(F32), KNG_SET(BF16), 2, VPACKUSDW, .temps = 1, .emit = f32_to_half),
    ROW(KNG_SET(F64), KNG_SET(F16), BOTH, VCVTPS2PH, .temps = 1, .emit = f64_to_half),
    ROW(KNG_SET(F64), KNG_SET(BF16), 512, VPMOVDW, .temps = 1, .mask_temps = 1, .emit = f64_to_half),
    ROW(KNG_SET(F64), KNG_SET(BF16), 2, VPACKUSDW, .temps = 1, .emit = f64_to_half),
    ROW(KNG_SMALL | KNG_SET(I32), KNG_SET(F32), BOTH, VCVTDQ2PS, CVT),
    ROW(KNG_SET(U32), KNG_SET(F32), 512, VCVTUDQ2PS, CVT),
    ROW(KNG_SET(I64), KNG_SET(F32), 512, VCVTQQ2PS, CVT),
    ROW(KNG_SET(U64), KNG_SET(F32), 512, VCVTUQQ2PS, CVT),
    ROW(KNG_SET(U32), KNG_SET(F32), 2, VADDPS, .temps = 1, .emit = u32_to_f32),
    ROW(KNG_W64, KNG_SET(F32), 2, VCVTPD2PS, .temps = 2, .emit = w64_to_f32),
    ROW(KNG_SMALL | KNG_SET(I32), KNG_SET(F64), BOTH, VCVTDQ2PD, CVT),
    ROW(KNG_SET(U32), KNG_SET(F64), 512, VCVTUDQ2PD, CVT),
    ROW(KNG_SET(I64), KNG_SET(F64), 512, VCVTQQ2PD, CVT),
    ROW(KNG_SET(U64), KNG_SET(F64), 512, VCVTUQQ2PD, CVT),
    ROW(KNG_SET(U32), KNG_SET(F64), 2, VSUBPD, .memory = 1, .emit = u32_to_f64),
    ROW(KNG_W64, KNG_SET(F64), 2, VADDPD, .temps = 1, .emit = w64_to_f64),
    ROW(KNG_SET(F32), KNG_SET(F64), BOTH, VCVTPS2PD, CVT),
    ROW(KNG_SET(F64), KNG_SET(F32), BOTH, VCVTPD2PS, CVT),
    ROW(KNG_SET(F32), KNG_SET(I32), BOTH, VCVTTPS2DQ, CVT),
    ROW(KNG_SET(F64), KNG_SET(I32), BOTH, VCVTTPD2DQ, CVT),
    ROW(KNG_SET(F32), KNG_SET(U32), 512, VCVTTPS2DQ, .temps = 1, .mask_temps = 1, .emit = f32_to_u32),
    ROW(KNG_SET(F32), KNG_SET(U32), 2, VCVTTPS2DQ, .temps = 1, .emit = f32_to_u32),
    ROW(KNG_SET(F64), KNG_SET(U32), 512, VCVTTPD2QQ, .emit = f64_to_u32),
    ROW(KNG_SET(F64), KNG_SET(U32), 2, VCVTTPD2DQ, .temps = 1, .emit = f64_to_u32),
    ROW(KNG_SET(F32), KNG_SET(I64), 512, VCVTTPS2QQ, CVT),
    ROW(KNG_SET(F64), KNG_SET(I64), 512, VCVTTPD2QQ, .memory = 1, .emit = f64_to_i64),
    ROW(KNG_SET(F64), KNG_SET(I64), 2, VCVTTSD2SI_Q, .temps = 2, .gp_temps = 1, .emit = f64_to_i64),
    ROW(KNG_SET(F64), KNG_SET(U64), 512, VCVTTPD2QQ, .mask_temps = 1, .emit = f64_to_u64),
    ROW(KNG_SET(F64), KNG_SET(U64), 2, VCVTTSD2SI_Q, .temps = 3, .gp_temps = 1, .emit = f64_to_u64),
};

static void unpack16(const kng_op *o)
{
    kng_v2(o->a, knk_is_signed_id(o->to) ? KNG_VPMOVSXWD : KNG_VPMOVZXWD, kng_length(o->f, o->to), o->dst, o->src[0]);
}

static void pack16(const kng_op *o)
{
    if (kng_wide(o->f))
        kng_v2(o->a, KNG_VPMOVDW, o->len, o->src[0].reg, kng_reg(o->dst));
    else if (!knk_is_signed_id(o->from)) {
        kng_pack16(o->a, o->f, o->dst, o->src[0].reg);
    } else {
        kng_v3(o->a, KNG_VPACKSSDW, o->len, o->dst, o->src[0].reg, o->src[0]);
        if (o->len)
            kng_v2i(o->a, KNG_VPERMQ_I, 1, o->dst, kng_reg(o->dst), 0x08);
    }
}

static const kng_recipe unpacks = {.memory = 1, .over = 1, .emit = unpack16};
static const kng_recipe packs = {.over = 1, .emit = pack16};
static const kng_recipe extends = {.over = 1, .emit = extend};
static const kng_recipe moves = {.memory = 1, .over = 1, .emit = kng_emit_copy};
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

static const kng_recipe *find(const kng_form *f, int from, int to, bool bits)
{
    if (from == to || (kng_in(KNG_W64, from) && kng_in(KNG_W64, to)))
        return &moves;
    if (kng_in(ANY32, from) && kng_in(ANY32, to))
        return lane_changes(from, to) ? &extends : &moves;
    if (bits) {
        if (knk_size(from) != 2 || knk_is_half_id(from) == knk_is_half_id(to))
            return &moves;
        return knk_is_half_id(from) ? &unpacks : &packs;
    }
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (kng_in(casts[i].from, from) && kng_in(casts[i].to, to) && casts[i].targets >> f->target & 1)
            return &casts[i];
    return NULL;
}

kng_needs kng_cast_needs(const kng_form *f, int from, int to, bool bits)
{
    kng_needs all = {0};
    for (int at = from, stop, first = 1; first || at != to; at = stop, first = 0) {
        stop = bits ? to : next_stop(f, at, to);
        const kng_recipe *r = find(f, at, stop, bits);
        if (!r)
            return (kng_needs){.helper = true};
        if (first)
            all.memory = r->memory, all.over = kng_is_mask(f, from) == kng_is_mask(f, to) ? r->over : 0;
        all.temps = r->temps > all.temps ? r->temps : all.temps;
        all.mask_temps = r->mask_temps > all.mask_temps ? r->mask_temps : all.mask_temps;
        all.gp_temps = r->gp_temps > all.gp_temps ? r->gp_temps : all.gp_temps;
    }
    if (from == to && kng_is_mask(f, from))
        all.memory = 0;
    return all;
}

void kng_cast(const kng_op *whole, bool bits)
{
    const int to = whole->to;
    kng_operand at = whole->src[0];
    kng_op o = *whole;
    if (o.from == to && kng_is_mask(o.f, to)) {
        kng_move(o.a, o.f, to, o.dst, at.reg);
        return;
    }
    o.src = &at;
    for (bool first = true; first || o.from != to; first = false) {
        o.to = bits ? to : next_stop(o.f, o.from, to);
        o.len = kng_length(o.f, o.from);
        o.recipe = find(o.f, o.from, o.to, bits);
        if (!o.recipe) {
            o.a->failed = true;
            o.a->why = "a cast without instructions";
            return;
        }
        o.recipe->emit(&o);
        o.from = o.to;
        at = kng_reg(o.dst);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * quant.c -- what the bytes of quantised blocks mean, as expressions of public functions: a kernel that uses the elements reads the
 * bytes. The order of operations is that of the package gguf, so bits are equal. */
#include "models/gguf/quant.h"

/* ---- Pieces of blocks. */

/* Without a handle for each step: what goes wrong is carried. */
static kn_array bytes_from(kn_array b, int from, int to)
{
    const kn_shape s = kn_shape_of(b);
    kn_shape begin = {.ndim = 2, .dim = {0, from}}, end = {.ndim = 2, .dim = {s.dim[0], to}};
    kn_lax_slice_opts o = kn_lax_slice_opts_default();
    return (kn_lax_slice)(b, &begin, &end, &o);
}

static kn_array shaped(kn_array x, int ndim, int64_t b, int64_t c, int64_t d)
{
    const kn_shape s = {.ndim = ndim, .dim = {kn_ndim(x) ? kn_shape_of(x).dim[0] : 0, b, c, d}};
    kn_reshape_opts o = kn_reshape_opts_default();
    return kn_reshape(x, &s, &o);
}

static kn_array constant(kn_dtype d, const void *v) { return kn_from_memory(v, &(kn_shape){.ndim = 0}, d); }

static kn_array byte(uint8_t v) { return constant(KN_U8, &v); }

static kn_array number(float v) { return constant(KN_F32, &v); }

static kn_array floats(kn_array x) { return kn_lax_convert_element_type(x, KN_F32); }

static kn_array and (kn_array x, uint8_t mask) { return kn_bitwise_and(x, byte(mask)); }

static kn_array down(kn_array x, uint8_t bits) { return kn_right_shift(x, byte(bits)); }

/* [n, 1]: the float16 at this byte. */
static kn_array half(kn_array b, int at)
{
    return shaped(floats(kn_lax_bitcast_convert_type(bytes_from(b, at, at + 2), KN_F16)), 2, 1, 0, 0);
}

/* [n, 1]: the float32 at this byte. */
static kn_array single(kn_array b, int at)
{
    return shaped(kn_lax_bitcast_convert_type(bytes_from(b, at, at + 4), KN_F32), 2, 1, 0, 0);
}

/* Bytes from..to in groups of w: of each group `count` fields of each byte, the lowest bits of all first, as [n, all of them]. */
static kn_array fields(kn_array b, int from, int to, int w, int count, int bits)
{
    uint8_t shift[8];
    int groups = (to - from) / w;
    for (int i = 0; i < count; i++)
        shift[i] = (uint8_t)(i * bits);
    const kn_shape s = {.ndim = 4, .dim = {1, 1, count, 1}};
    kn_array x = shaped(bytes_from(b, from, to), 4, groups, 1, w);
    x = and(kn_right_shift(x, kn_from_memory(shift, &s, KN_U8)), (uint8_t)((1 << bits) - 1));
    return shaped(x, 2, (int64_t)groups * count * w, 0, 0);
}

static kn_array signed_bytes(kn_array b, int from, int to)
{
    return floats(kn_lax_bitcast_convert_type(bytes_from(b, from, to), KN_I8));
}

/* [n, g, elements / g] times a number for each group, [n, g]; the product as [n, elements]. */
static kn_array grouped(kn_array x, int groups, int elements) { return shaped(x, 3, groups, elements / groups, 0); }

static kn_array flat(kn_array x, int elements) { return shaped(x, 2, elements, 0, 0); }

static kn_array joined(int n, const kn_array *v)
{
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return (kn_concatenate)(kn_list_from(v, n), &o);
}

/* ---- Blocks of 32. */

kn_array kngguf_q4_0(kn_array b)
{
    return kn_multiply(half(b, 0), kn_subtract(floats(fields(b, 2, 18, 16, 2, 4)), number(8)));
}

kn_array kngguf_q4_1(kn_array b)
{
    return kn_add(kn_multiply(half(b, 0), floats(fields(b, 4, 20, 16, 2, 4))), half(b, 2));
}

/* The lowest four bits, and a fifth one of each that lie together. */
static kn_array five_bits(kn_array b, int high)
{
    kn_array h = fields(b, high, high + 4, 1, 8, 1);
    return floats(kn_bitwise_or(fields(b, high + 4, high + 20, 16, 2, 4), kn_left_shift(h, byte(4))));
}

kn_array kngguf_q5_0(kn_array b) { return kn_multiply(half(b, 0), kn_subtract(five_bits(b, 2), number(16))); }

kn_array kngguf_q5_1(kn_array b) { return kn_add(kn_multiply(half(b, 0), five_bits(b, 4)), half(b, 2)); }

kn_array kngguf_q8_0(kn_array b) { return kn_multiply(signed_bytes(b, 2, 34), half(b, 0)); }

kn_array kngguf_q8_1(kn_array b) { return kn_multiply(signed_bytes(b, 8, 40), single(b, 0)); }

static kn_array look_up(const float values[16], kn_array q)
{
    kn_take_opts o = kn_take_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {0}};
    o.mode = "clip";
    return kn_take(kn_from_memory(values, &(kn_shape){.ndim = 1, .dim = {16}}, KN_F32),
                   kn_lax_convert_element_type(q, KN_I32), &o);
}

static const float nonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const float twice_e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

kn_array kngguf_iq4_nl(kn_array b) { return kn_multiply(half(b, 0), look_up(nonlinear, fields(b, 2, 18, 16, 2, 4))); }

/* Half of the power of two that an E8M0 scale is: exponent e - 128, and what has no normal float at 0 and 1. */
static kn_array half_power(kn_array e)
{
    static const uint32_t tiny = 0x00200000, fraction = 23, one = 1, two = 2;
    kn_array x = kn_lax_convert_element_type(e, KN_U32);
    kn_array small = kn_left_shift(constant(KN_U32, &tiny), x);
    kn_array normal = kn_left_shift(kn_subtract(x, constant(KN_U32, &one)), constant(KN_U32, &fraction));
    return kn_lax_bitcast_convert_type(kn_where(kn_less(x, constant(KN_U32, &two)), small, normal), KN_F32);
}

kn_array kngguf_mxfp4(kn_array b)
{
    return kn_multiply(half_power(bytes_from(b, 0, 1)), look_up(twice_e2m1, fields(b, 1, 17, 16, 2, 4)));
}

/* Half of what an E4M3 number without a sign is; 0 for what is none. */
static kn_array half_e4m3(kn_array x)
{
    static const uint32_t bias = 120, fraction = 23;
    kn_array e = and(down(x, 3), 15), m = floats(and(x, 7));
    kn_array power = kn_lax_bitcast_convert_type(
        kn_left_shift(kn_add(kn_lax_convert_element_type(e, KN_U32), constant(KN_U32, &bias)),
                      constant(KN_U32, &fraction)),
        KN_F32);
    kn_array normal = kn_multiply(kn_add(number(1), kn_multiply(m, number(0.125f))), power);
    kn_array raw = kn_where(kn_equal(e, byte(0)), kn_multiply(m, number(0x1p-9f)), normal);
    kn_array none = kn_bitwise_or(kn_equal(x, byte(0)), kn_equal(x, byte(0x7f)));
    return kn_where(none, number(0), kn_multiply(raw, number(0.5f)));
}

kn_array kngguf_nvfp4(kn_array b)
{
    kn_array d = shaped(half_e4m3(bytes_from(b, 0, 4)), 3, 4, 1, 0);
    return flat(kn_multiply(d, grouped(look_up(twice_e2m1, fields(b, 4, 36, 8, 2, 4)), 4, 64)), 64);
}

/* ---- Blocks of 256. */

kn_array kngguf_q2_k(kn_array b)
{
    kn_array scales = bytes_from(b, 0, 16);
    kn_array d = grouped(kn_multiply(half(b, 80), floats(and(scales, 15))), 16, 16);
    kn_array m = grouped(kn_multiply(half(b, 82), floats(down(scales, 4))), 16, 16);
    kn_array q = grouped(floats(fields(b, 16, 80, 32, 4, 2)), 16, 256);
    return flat(kn_subtract(kn_multiply(d, q), m), 256);
}

kn_array kngguf_q3_k(kn_array b)
{
    kn_array scales = kn_bitwise_or(fields(b, 96, 104, 8, 2, 4), kn_left_shift(fields(b, 104, 108, 4, 4, 2), byte(4)));
    kn_array d = grouped(kn_multiply(half(b, 108), kn_subtract(floats(scales), number(32))), 16, 16);
    kn_array low = floats(fields(b, 32, 96, 32, 4, 2));
    kn_array high = kn_bitwise_xor(fields(b, 0, 32, 32, 8, 1), byte(1));
    kn_array q = kn_subtract(low, floats(kn_left_shift(high, byte(2))));
    return flat(kn_multiply(d, grouped(q, 16, 256)), 256);
}

/* Eight scales and eight minima of six bits each in twelve bytes, [n, 8, 1]. */
static void scales_of(kn_array b, int at, kn_array *scale, kn_array *least)
{
    kn_array d = bytes_from(b, at, at + 4), m = bytes_from(b, at + 4, at + 8), both = bytes_from(b, at + 8, at + 12);
    const kn_array s[] = {and(d, 63), kn_bitwise_or(and(both, 15), and(down(d, 2), 48))};
    const kn_array l[] = {and(m, 63), kn_bitwise_or(down(both, 4), and(down(m, 2), 48))};
    *scale = grouped(kn_multiply(half(b, 0), floats(joined(2, s))), 8, 8);
    *least = grouped(kn_multiply(half(b, 2), floats(joined(2, l))), 8, 8);
}

kn_array kngguf_q4_k(kn_array b)
{
    kn_array d, m;
    scales_of(b, 4, &d, &m);
    return flat(kn_subtract(kn_multiply(d, grouped(floats(fields(b, 16, 144, 32, 2, 4)), 8, 256)), m), 256);
}

kn_array kngguf_q5_k(kn_array b)
{
    kn_array d, m;
    scales_of(b, 4, &d, &m);
    kn_array high = kn_left_shift(fields(b, 16, 48, 32, 8, 1), byte(4));
    kn_array q = floats(kn_bitwise_or(fields(b, 48, 176, 32, 2, 4), high));
    return flat(kn_subtract(kn_multiply(d, grouped(q, 8, 256)), m), 256);
}

kn_array kngguf_q6_k(kn_array b)
{
    kn_array d = grouped(kn_multiply(half(b, 208), signed_bytes(b, 192, 208)), 16, 16);
    kn_array high = kn_left_shift(fields(b, 128, 192, 32, 4, 2), byte(4));
    kn_array q = kn_subtract(floats(kn_bitwise_or(fields(b, 0, 128, 64, 2, 4), high)), number(32));
    return flat(kn_multiply(d, grouped(q, 16, 256)), 256);
}

kn_array kngguf_q8_k(kn_array b) { return kn_multiply(signed_bytes(b, 4, 260), single(b, 0)); }

kn_array kngguf_iq4_xs(kn_array b)
{
    kn_array scales = kn_bitwise_or(fields(b, 4, 8, 1, 2, 4), kn_left_shift(fields(b, 2, 4, 1, 4, 2), byte(4)));
    kn_array d = grouped(kn_multiply(half(b, 0), kn_subtract(floats(scales), number(32))), 8, 8);
    return flat(kn_multiply(d, grouped(look_up(nonlinear, fields(b, 8, 136, 16, 2, 4)), 8, 256)), 256);
}

/* Digits to the base of three, of numbers that lie in bytes as fractions: times powers of three, without what goes over. */
static kn_array digits(kn_array b, int from, int to, int w, int count)
{
    static const uint8_t powers[] = {1, 3, 9, 27, 81};
    int groups = (to - from) / w;
    const kn_shape s = {.ndim = 4, .dim = {1, 1, count, 1}};
    kn_array x = kn_multiply(shaped(bytes_from(b, from, to), 4, groups, 1, w), kn_from_memory(powers, &s, KN_U8));
    return shaped(x, 2, (int64_t)groups * count * w, 0, 0);
}

kn_array kngguf_tq1_0(kn_array b)
{
    static const uint16_t three = 3, eight = 8;
    const kn_array parts[] = {digits(b, 0, 32, 32, 5), digits(b, 32, 48, 16, 5), digits(b, 48, 52, 4, 4)};
    kn_array x = kn_multiply(kn_lax_convert_element_type(joined(3, parts), KN_U16), constant(KN_U16, &three));
    return kn_multiply(half(b, 52), kn_subtract(floats(kn_right_shift(x, constant(KN_U16, &eight))), number(1)));
}

kn_array kngguf_tq2_0(kn_array b)
{
    return kn_multiply(half(b, 64), kn_subtract(floats(fields(b, 0, 64, 32, 4, 2)), number(1)));
}

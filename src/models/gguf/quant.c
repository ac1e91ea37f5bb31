/* SPDX-License-Identifier: Apache-2.0
 * quant.c -- what the bytes of quantised blocks mean, as expressions of public functions: a kernel that uses the
 * elements reads the bytes. Numbers are worked out at the points (block, ...) into which the elements of a block
 * fall apart, so that each byte and each scale is a view with axes of length 1, and nothing has to lie in memory in
 * between. The order of operations is that of the package gguf, so bits are equal. */
#include "models/gguf/quant.h"

/* ---- Pieces of blocks. */

enum { AXES = 6 };

/* The axes of points behind the block; those that are not there are 0. */
typedef struct axes {
    uint8_t d[AXES];
} axes;
#define AT(...) ((axes){{__VA_ARGS__}})

static kn_shape shape_of(int64_t first, axes a)
{
    kn_shape s = {.ndim = 1, .dim = {first}};
    for (int i = 0; i < AXES && a.d[i]; i++)
        s.dim[s.ndim++] = a.d[i];
    return s;
}

static kn_array shaped(kn_array x, axes a)
{
    const kn_shape s = shape_of(kn_ndim(x) ? kn_shape_of(x).dim[0] : 0, a);
    kn_reshape_opts o = kn_reshape_opts_default();
    return kn_reshape(x, &s, &o);
}

/* So many bytes from one on, of each block. */
static kn_array bytes(kn_array b, int from, int n, axes a)
{
    const kn_shape s = kn_shape_of(b);
    kn_shape begin = {.ndim = 2, .dim = {0, from}}, end = {.ndim = 2, .dim = {s.dim[0], from + n}};
    kn_lax_slice_opts o = kn_lax_slice_opts_default();
    return shaped((kn_lax_slice)(b, &begin, &end, &o), a);
}

static kn_array constant(kn_dtype d, const void *v) { return kn_from_memory(v, &(kn_shape){.ndim = 0}, d); }

static kn_array byte(uint8_t v) { return constant(KN_U8, &v); }

static kn_array number(float v) { return constant(KN_F32, &v); }

static kn_array floats(kn_array x) { return kn_lax_convert_element_type(x, KN_F32); }

static kn_array words(kn_array x) { return kn_lax_convert_element_type(x, KN_U16); }

static kn_array and (kn_array x, uint8_t mask) { return kn_bitwise_and(x, byte(mask)); }

static kn_array up(kn_array x, uint8_t bits) { return kn_left_shift(x, byte(bits)); }

static kn_array down(kn_array x, uint8_t bits) { return kn_right_shift(x, byte(bits)); }

/* 0, step, 2 step, ... along some axes, the last one the fastest. */
static kn_array steps(int step, axes a)
{
    uint8_t v[16];
    int n = 1;
    const kn_shape s = shape_of(1, a);
    for (int i = 1; i < s.ndim; i++)
        n *= (int)s.dim[i];
    for (int i = 0; i < n; i++)
        v[i] = (uint8_t)(i * step);
    return kn_from_memory(v, &s, KN_U8);
}

/* Fields of so many bits: at the points of `by` the first one, the next one, ... */
static kn_array fields(kn_array x, int bits, axes by)
{
    return and(kn_right_shift(x, steps(bits, by)), (uint8_t)((1 << bits) - 1));
}

/* The float16 at this byte. */
static kn_array half(kn_array b, int at, axes ones)
{
    const uint16_t eight = 8;
    kn_array high = kn_left_shift(words(bytes(b, at + 1, 1, ones)), constant(KN_U16, &eight));
    return floats(kn_lax_bitcast_convert_type(kn_bitwise_or(words(bytes(b, at, 1, ones)), high), KN_F16));
}

/* The float32 at this byte. */
static kn_array single(kn_array b, int at)
{
    const kn_axes last = {.n = 2, .axis = {1}};
    kn_array four = bytes(b, at, 4, AT(4)); /* the lowest one first */
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        four = kn_lax_rev(four, &last);
    return shaped(kn_lax_bitcast_convert_type(four, KN_F32), AT(1));
}

static kn_array signed_bytes(kn_array b, int from, int n, axes a)
{
    return floats(kn_lax_bitcast_convert_type(bytes(b, from, n, a), KN_I8));
}

/* ---- Blocks of 32: points (half, 16). */

static kn_array nibbles(kn_array b, int from) { return fields(bytes(b, from, 16, AT(1, 16)), 4, AT(2, 1)); }

static kn_array half_of_32(kn_array b, int at) { return half(b, at, AT(1, 1)); }

kn_array kngguf_q4_0(kn_array b)
{
    return kn_multiply(half_of_32(b, 0), kn_subtract(floats(nibbles(b, 2)), number(8)));
}

kn_array kngguf_q4_1(kn_array b)
{
    return kn_add(kn_multiply(half_of_32(b, 0), floats(nibbles(b, 4))), half_of_32(b, 2));
}

/* Points (half, 2, 8): the lowest four bits of each, and a fifth one, 32 of which lie together. */
static kn_array five_bits(kn_array b, int high)
{
    kn_array h = fields(bytes(b, high, 4, AT(2, 2, 1)), 1, AT(1, 1, 8));
    return floats(kn_bitwise_or(fields(bytes(b, high + 4, 16, AT(1, 2, 8)), 4, AT(2, 1, 1)), up(h, 4)));
}

kn_array kngguf_q5_0(kn_array b)
{
    return kn_multiply(half(b, 0, AT(1, 1, 1)), kn_subtract(five_bits(b, 2), number(16)));
}

kn_array kngguf_q5_1(kn_array b)
{
    return kn_add(kn_multiply(half(b, 0, AT(1, 1, 1)), five_bits(b, 4)), half(b, 2, AT(1, 1, 1)));
}

kn_array kngguf_q8_0(kn_array b) { return kn_multiply(signed_bytes(b, 2, 32, AT(32)), half(b, 0, AT(1))); }

kn_array kngguf_q8_1(kn_array b) { return kn_multiply(signed_bytes(b, 8, 32, AT(32)), single(b, 0)); }

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

kn_array kngguf_iq4_nl(kn_array b) { return kn_multiply(half_of_32(b, 0), look_up(nonlinear, nibbles(b, 2))); }

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
    return kn_multiply(half_power(bytes(b, 0, 1, AT(1, 1))), look_up(twice_e2m1, nibbles(b, 1)));
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
    kn_array q = fields(bytes(b, 4, 32, AT(4, 1, 8)), 4, AT(1, 2, 1));
    return kn_multiply(half_e4m3(bytes(b, 0, 4, AT(4, 1, 1))), look_up(twice_e2m1, q));
}

/* ---- Blocks of 256. */

/* Points (2, 4, 2, 16): a scale and a minimum of four bits for each 16. */
kn_array kngguf_q2_k(kn_array b)
{
    const axes ones = AT(1, 1, 1, 1);
    kn_array scales = bytes(b, 0, 16, AT(2, 4, 2, 1));
    kn_array d = kn_multiply(half(b, 80, ones), floats(and(scales, 15)));
    kn_array m = kn_multiply(half(b, 82, ones), floats(down(scales, 4)));
    kn_array q = floats(fields(bytes(b, 16, 64, AT(2, 1, 2, 16)), 2, AT(1, 4, 1, 1)));
    return kn_subtract(kn_multiply(d, q), m);
}

/* Points (2, 2, 2, 2, 16): a scale of six bits for each 16, four and two of which lie apart. */
kn_array kngguf_q3_k(kn_array b)
{
    kn_array low = fields(bytes(b, 96, 8, AT(1, 2, 2, 2, 1)), 4, AT(2, 1, 1, 1, 1));
    kn_array high = fields(bytes(b, 104, 4, AT(1, 1, 2, 2, 1)), 2, AT(2, 2, 1, 1, 1));
    kn_array scales = kn_subtract(floats(kn_bitwise_or(low, up(high, 4))), number(32));
    kn_array d = kn_multiply(half(b, 108, AT(1, 1, 1, 1, 1)), scales);
    kn_array two = fields(bytes(b, 32, 64, AT(2, 1, 1, 2, 16)), 2, AT(1, 2, 2, 1, 1));
    kn_array third = kn_bitwise_xor(fields(bytes(b, 0, 32, AT(1, 1, 1, 2, 16)), 1, AT(2, 2, 2, 1, 1)), byte(1));
    return kn_multiply(d, kn_subtract(floats(two), floats(up(third, 2))));
}

/* Points (2, 2, 2, 32): a scale and a minimum of six bits for each 32, those behind the first four in pieces. */
static void scales_of(kn_array b, int at, kn_array *scale, kn_array *least)
{
    const axes four = AT(1, 2, 2, 1), ones = AT(1, 1, 1, 1);
    kn_array d = bytes(b, at, 4, four), m = bytes(b, at + 4, 4, four), both = bytes(b, at + 8, 4, four);
    kn_array first = kn_equal(steps(1, AT(2, 1, 1, 1)), byte(0));
    kn_array s = kn_where(first, and(d, 63), kn_bitwise_or(and(both, 15), and(down(d, 2), 48)));
    kn_array l = kn_where(first, and(m, 63), kn_bitwise_or(down(both, 4), and(down(m, 2), 48)));
    *scale = kn_multiply(half(b, 0, ones), floats(s));
    *least = kn_multiply(half(b, 2, ones), floats(l));
}

kn_array kngguf_q4_k(kn_array b)
{
    kn_array d, m;
    scales_of(b, 4, &d, &m);
    kn_array q = floats(fields(bytes(b, 16, 128, AT(2, 2, 1, 32)), 4, AT(1, 1, 2, 1)));
    return kn_subtract(kn_multiply(d, q), m);
}

kn_array kngguf_q5_k(kn_array b)
{
    kn_array d, m;
    scales_of(b, 4, &d, &m);
    kn_array high = fields(bytes(b, 16, 32, AT(1, 1, 1, 32)), 1, AT(2, 2, 2, 1));
    kn_array low = fields(bytes(b, 48, 128, AT(2, 2, 1, 32)), 4, AT(1, 1, 2, 1));
    return kn_subtract(kn_multiply(d, floats(kn_bitwise_or(low, up(high, 4)))), m);
}

/* Points (2, 2, 2, 2, 16). */
kn_array kngguf_q6_k(kn_array b)
{
    kn_array d = kn_multiply(half(b, 208, AT(1, 1, 1, 1, 1)), signed_bytes(b, 192, 16, AT(2, 2, 2, 2, 1)));
    kn_array low = fields(bytes(b, 0, 128, AT(2, 1, 2, 2, 16)), 4, AT(1, 2, 1, 1, 1));
    kn_array high = fields(bytes(b, 128, 64, AT(2, 1, 1, 2, 16)), 2, AT(1, 2, 2, 1, 1));
    return kn_multiply(d, kn_subtract(floats(kn_bitwise_or(low, up(high, 4))), number(32)));
}

kn_array kngguf_q8_k(kn_array b)
{
    return kn_multiply(signed_bytes(b, 4, 256, AT(2, 128)), shaped(single(b, 0), AT(1, 1)));
}

/* Points (2, 2, 2, 2, 16): a scale of six bits for each 32. */
kn_array kngguf_iq4_xs(kn_array b)
{
    kn_array low = fields(bytes(b, 4, 4, AT(2, 2, 1, 1, 1)), 4, AT(1, 1, 2, 1, 1));
    kn_array high = fields(bytes(b, 2, 2, AT(2, 1, 1, 1, 1)), 2, AT(1, 2, 2, 1, 1));
    kn_array scales = kn_subtract(floats(kn_bitwise_or(low, up(high, 4))), number(32));
    kn_array q = fields(bytes(b, 8, 128, AT(2, 2, 2, 1, 16)), 4, AT(1, 1, 1, 2, 1));
    return kn_multiply(kn_multiply(half(b, 0, AT(1, 1, 1, 1, 1)), scales), look_up(nonlinear, q));
}

/* Digits to the base of three, of numbers that lie in bytes as fractions: times powers of three, without what goes
 * over. */
static kn_array digits(kn_array b, int from, int groups, int w, int count)
{
    static const uint8_t powers[] = {1, 3, 9, 27, 81};
    const kn_shape s = {.ndim = 4, .dim = {1, 1, count, 1}};
    kn_array x = bytes(b, from, groups * w, AT((uint8_t)groups, 1, (uint8_t)w));
    return kn_multiply(x, kn_from_memory(powers, &s, KN_U8));
}

static kn_array joined(int n, const kn_array *v)
{
    kn_array rows[4];
    kn_concatenate_opts o = kn_concatenate_opts_default();
    kn_reshape_opts r = kn_reshape_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    for (int i = 0; i < n; i++) {
        kn_shape s = kn_shape_of(v[i]);
        s = (kn_shape){.ndim = 2, .dim = {s.dim[0], s.dim[1] * s.dim[2] * s.dim[3]}};
        rows[i] = kn_reshape(v[i], &s, &r);
    }
    return (kn_concatenate)(kn_list_from(rows, n), &o);
}

kn_array kngguf_tq1_0(kn_array b)
{
    static const uint16_t three = 3, eight = 8;
    const kn_array parts[] = {digits(b, 0, 1, 32, 5), digits(b, 32, 1, 16, 5), digits(b, 48, 1, 4, 4)};
    kn_array x = kn_multiply(words(joined(3, parts)), constant(KN_U16, &three));
    return kn_multiply(half(b, 52, AT(1)), kn_subtract(floats(kn_right_shift(x, constant(KN_U16, &eight))), number(1)));
}

kn_array kngguf_tq2_0(kn_array b)
{
    kn_array q = fields(bytes(b, 0, 64, AT(2, 1, 32)), 2, AT(1, 4, 1));
    return kn_multiply(half(b, 64, AT(1, 1, 1)), kn_subtract(floats(q), number(1)));
}

/* SPDX-License-Identifier: Apache-2.0
 * cast.c -- ONNX's Cast, CastLike and BitCast: between all dtypes, and from and to texts. */
#include "models/onnx/ops/numbers.h"
#include "kiln/numpy/dtypes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts to numbers. */

static bool is_named(const char *s, const char *name)
{
    for (; *s && *name; s++, name++)
        if ((*s | 32) != *name)
            return false;
    return !*s && !*name;
}

/* "1e-5", "+INF", "nan": what is behind the sign decides. 0, or -1: no number. */
static int parse(const char *s, double *out)
{
    const char *body = s + (*s == '-' || *s == '+');
    double sign = *s == '-' ? -1 : 1;
    if (is_named(body, "inf") || is_named(body, "infinity"))
        return *out = sign * (double)INFINITY, 0;
    if (is_named(body, "nan"))
        return *out = (double)NAN, 0;
    if (!*body || body[strspn(body, "0123456789.eE+-")])
        return -1;
    kn_fromstring_opts o = kn_fromstring_opts_default();
    kn_array x = kn_fromstring(s, ",", &o);
    if (!kn_ok(x) || kn_size(x) != 1)
        return -1;
    *out = kn_item(x);
    return 0;
}

/* Whole numbers of up to 20 digits exactly, modulo 2^64; false: it is not one. */
static bool parse_whole(const char *s, uint64_t *out)
{
    const char *digits = s + (*s == '-' || *s == '+');
    size_t n = strspn(digits, "0123456789");
    uint64_t v = 0;
    if (!n || n > 20 || digits[n])
        return false;
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (uint64_t)(digits[i] - '0');
    *out = *s == '-' ? 0 - v : v;
    return true;
}

static int of_strings(knonnx_call *c, const knonnx_strings *t, kn_dtype to)
{
    kn_shape s = {.ndim = t->ndim};
    char kind = kn_dtype_kind(to);
    bool whole = kind == 'i' || kind == 'u';
    memcpy(s.dim, t->dim, sizeof s.dim);
    double *v = knonnx_take(c, t->n + 1, sizeof *v);
    uint64_t *w = knonnx_take(c, t->n + 1, sizeof *w);
    if (!v || !w)
        return -1;
    for (size_t i = 0; i < t->n; i++) {
        kn_scope scope = kn_scope_begin();
        bool exact = whole && parse_whole(t->text[i], &w[i]);
        int status = exact ? 0 : parse(t->text[i], &v[i]);
        kn_scope_end(&scope);
        if (status) {
            kn_error_clear();
            return knonnx_fail(c, KN_ERROR_VALUE, "\"%.40s\" is no number", t->text[i]);
        }
        if (whole && !exact)
            w[i] = fabs(v[i]) < 9e18 ? (uint64_t)(int64_t)v[i] : 0;
    }
    return knonnx_set(
        c, 0, knonnx_cast(whole ? kn_from_memory(w, &s, KN_U64) : kn_from_memory(v, &s, KN_F64), to, true, "up"));
}

/* ---- Numbers to texts: the fewest digits that name the number, as NumPy writes them. */

/* The digits of |v| without a point and the exponent of the first one. */
static int shortest(double v, bool single, char digits[24])
{
    char text[40];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, v);
        char *end = NULL;
        double back = single ? (double)strtof(text, &end) : strtod(text, &end);
        if (back == v)
            break;
    }
    size_t n = 0;
    char *e = strchr(text, 'e');
    for (const char *p = text; p < e; p++)
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = 0;
    return atoi(e + 1);
}

enum { ROOM = 64 };

static void write_float(char *to, double v, bool single)
{
    char digits[24];
    if (isnan(v) || isinf(v) || v == 0) {
        snprintf(to, ROOM, "%s", isnan(v) ? "nan" : isinf(v) ? (v < 0 ? "-inf" : "inf") : signbit(v) ? "-0.0" : "0.0");
        return;
    }
    int exponent = shortest(fabs(v), single, digits), n = (int)strlen(digits);
    const char *sign = v < 0 ? "-" : "";
    if (fabs(v) < 1e-4 || fabs(v) >= 1e16)
        snprintf(to, ROOM, "%s%c%s%se%c%02d", sign, digits[0], n > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+',
                 abs(exponent));
    else if (exponent < 0)
        snprintf(to, ROOM, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
    else if (n <= exponent + 1)
        snprintf(to, ROOM, "%s%s%.*s.0", sign, digits, exponent + 1 - n, "0000000000000000");
    else
        snprintf(to, ROOM, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

static void write_number(char *to, const void *at, size_t i, char kind, bool single)
{
    if (kind == 'b')
        snprintf(to, ROOM, "%s", ((const bool *)at)[i] ? "True" : "False");
    else if (kind == 'i')
        snprintf(to, ROOM, "%lld", (long long)((const int64_t *)at)[i]);
    else if (kind == 'u')
        snprintf(to, ROOM, "%llu", (unsigned long long)((const uint64_t *)at)[i]);
    else
        write_float(to, ((const double *)at)[i], single);
}

static int to_strings(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return knonnx_done(c);
    if (!knonnx_known(c, 0))
        return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                           "texts are made of values, which are not known while the model is recorded");
    kn_dtype d = kn_dtype_of(x);
    x = knonnx_plain(x);
    char kind = kn_dtype_kind(kn_dtype_of(x));
    kn_dtype wide = kind == 'b' ? KN_BOOL : kind == 'i' ? KN_I64 : kind == 'u' ? KN_U64 : KN_F64;
    const void *at = kn_data_bytes(knonnx_as(x, wide), wide);
    int64_t n = kn_size(x);
    knonnx_strings *t = knonnx_take(c, 1, sizeof *t);
    const char **text = knonnx_take(c, (uint64_t)n + 1, sizeof *text);
    char *room = knonnx_take(c, (uint64_t)n + 1, ROOM);
    if (!t || !text || !room || (n && !at))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        write_number(room + i * ROOM, at, (size_t)i, kind, d != KN_F64);
        text[i] = room + i * ROOM;
    }
    *t = (knonnx_strings){.ndim = s.ndim, .n = (size_t)n, .text = text};
    memcpy(t->dim, s.dim, sizeof t->dim);
    return knonnx_set_value(c, 0, (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = t});
}

/* ---- The operators. */

static int cast_to(knonnx_call *c, kn_dtype to)
{
    if (c->in[0].kind == KNONNX_STRINGS_VALUE)
        return of_strings(c, c->in[0].strings, to);
    bool saturate = knonnx_int(c, "saturate", 1);
    const char *mode = knonnx_string(c, "round_mode", "up");
    if (!mode || (strcmp(mode, "up") && strcmp(mode, "down") && strcmp(mode, "nearest")))
        return knonnx_fail(c, KN_ERROR_VALUE, "round_mode is \"up\", \"down\" or \"nearest\"");
    kn_array x = knonnx_in(c, 0);
    return knonnx_set(c, 0, x ? knonnx_cast(x, to, saturate, mode) : NULL);
}

static int cast_elem(knonnx_call *c, int64_t elem)
{
    if (elem == KNONNX_STRING)
        return c->in[0].kind == KNONNX_STRINGS_VALUE ? knonnx_set_value(c, 0, c->in[0]) : to_strings(c);
    kn_dtype to = elem > 0 && elem < KNONNX_ELEM_COUNT ? knonnx_dtype((knonnx_elem)elem) : NULL;
    return to ? cast_to(c, to) : knonnx_fail(c, KN_ERROR_VALUE, "to=%lld is no type", (long long)elem);
}

static int op_cast(knonnx_call *c) { return cast_elem(c, knonnx_int(c, "to", 0)); }

/* In opset 1 the type is a name: "FLOAT". */
static int op_cast_1(knonnx_call *c)
{
    const char *to = knonnx_string(c, "to", "");
    for (int elem = 1; to && elem < KNONNX_ELEM_COUNT; elem++)
        if (is_named(to, knonnx_elem_name((knonnx_elem)elem)))
            return cast_elem(c, elem);
    return knonnx_fail(c, KN_ERROR_VALUE, "to=\"%.40s\" is no type", to ? to : "");
}

static int op_cast_like(knonnx_call *c)
{
    if (c->in[1].kind == KNONNX_STRINGS_VALUE)
        return cast_elem(c, KNONNX_STRING);
    kn_array like = knonnx_in(c, 1);
    return like ? cast_to(c, kn_dtype_of(like)) : -1;
}

/* ---- Bits. An element of less than a byte has a byte here: its bits are the low ones, those of a signed one repeat
 * the sign. */

static int bits_of(kn_dtype d)
{
    if (d == KN_I4 || d == KN_U4 || d == KN_F4_E2M1FN)
        return 4;
    if (d == KN_I2 || d == KN_U2)
        return 2;
    return d == KN_F6_E2M3FN || d == KN_F6_E3M2FN ? 6 : 8 * (int)kn_dtype_size(d);
}

static kn_dtype unsigned_of(int bits) { return bits <= 8 ? KN_U8 : bits == 16 ? KN_U16 : bits == 32 ? KN_U32 : KN_U64; }

static kn_array as_bits(kn_array x, int bits)
{
    kn_dtype d = kn_dtype_of(x);
    char kind = kn_dtype_kind(d);
    if (kind == 'c') {
        kn_array re = kn_lax_bitcast_convert_type(kn_real(x), KN_U32),
                 im = kn_lax_bitcast_convert_type(kn_imag(x), KN_U32);
        return kn_bitwise_or(knonnx_as(re, KN_U64), kn_left_shift(knonnx_as(im, KN_U64), kn_like_int(32)));
    }
    if (kind == 'b')
        return knonnx_as(x, KN_U8);
    if (bits < 8 && !knonnx_is_small_float(d))
        return kn_bitwise_and(knonnx_as(knonnx_as(x, KN_I32), KN_U8), kn_like_int((1 << bits) - 1));
    return kn_lax_bitcast_convert_type(x, unsigned_of(bits));
}

static kn_array from_bits(kn_array x, int bits, kn_dtype to)
{
    char kind = kn_dtype_kind(to);
    if (kind == 'c') {
        kn_array re = knonnx_as(x, KN_U32), im = knonnx_as(kn_right_shift(x, kn_like_int(32)), KN_U32);
        return kn_lax_complex(kn_lax_bitcast_convert_type(re, KN_F32), kn_lax_bitcast_convert_type(im, KN_F32));
    }
    if (kind == 'b')
        return knonnx_as(x, KN_BOOL);
    return bits < 8 && !knonnx_is_small_float(to) ? knonnx_as(x, to) : kn_lax_bitcast_convert_type(x, to);
}

static int op_bit_cast(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_dtype to = knonnx_dtype_of(c, "to", NULL), from = x ? kn_dtype_of(x) : NULL;
    if (!to || !from)
        return knonnx_fail(c, KN_ERROR_VALUE, "it is from a tensor to a type of numbers");
    int bits = bits_of(from);
    if (from == to)
        return knonnx_set(c, 0, x);
    if (bits_of(to) != bits)
        return knonnx_fail(c, KN_ERROR_VALUE, "%s has %d bits and %s %d", kn_dtype_name(from), bits, kn_dtype_name(to),
                           bits_of(to));
    return knonnx_set(c, 0, from_bits(as_bits(x, bits), bits, to));
}

const knonnx_row knonnx_rows_cast[] = {
    {"BitCast", 26, op_bit_cast, 1, 1, 1, 1},   {"Cast", 1, op_cast_1, 1, 1, 1, 1}, {"Cast", 6, op_cast, 1, 1, 1, 1},
    {"CastLike", 15, op_cast_like, 2, 2, 1, 1}, {NULL, 0, NULL, 0, 0, 0, 0},
};

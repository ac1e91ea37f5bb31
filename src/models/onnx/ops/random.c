/* SPDX-License-Identifier: Apache-2.0
 * random.c -- ONNX's Bernoulli, Multinomial, RandomNormal, RandomUniform, their Like forms, and Dropout. Every run of
 * a model draws the same numbers: a node with a seed those of its seed, one without those of its place among the
 * others. */
#include "models/onnx/ops/numbers.h"
#include "models/onnx/run.h"
#include "kiln/random.h"
#include <string.h>

static kn_array key_of(knonnx_call *c)
{
    uint32_t word;
    const knonnx_attr *seed = knonnx_attr_of(c, "seed");
    if (!seed)
        word = (uint32_t)c->run->drawn++;
    else if (seed->kind == KNONNX_A_INT)
        word = (uint32_t)seed->i;
    else
        memcpy(&word, &(float){(float)knonnx_float(c, "seed", 0)}, sizeof word);
    kn_random_key_opts o = kn_random_key_opts_default();
    return kn_random_key(kn_like_int(word), &o);
}

/* ---- Of a shape. */

static bool is_wide(kn_dtype d) { return d == KN_F32 || d == KN_F64; }

static int normal(knonnx_call *c, const kn_shape *s, kn_dtype d)
{
    kn_random_normal_opts o = kn_random_normal_opts_default();
    o.dtype = is_wide(d) ? d : KN_F32;
    kn_array x = kn_random_normal(key_of(c), s, &o);
    x = kn_multiply(x, kn_like_double(knonnx_float(c, "scale", 1)));
    return knonnx_set(c, 0, knonnx_as(kn_add(x, kn_like_double(knonnx_float(c, "mean", 0))), d));
}

static int uniform(knonnx_call *c, const kn_shape *s, kn_dtype d)
{
    kn_random_uniform_opts o = kn_random_uniform_opts_default();
    o.dtype = is_wide(d) ? d : KN_F32;
    o.minval = kn_like_double(knonnx_float(c, "low", 0));
    o.maxval = kn_like_double(knonnx_float(c, "high", 1));
    return knonnx_set(c, 0, knonnx_as(kn_random_uniform(key_of(c), s, &o), d));
}

typedef int drawn(knonnx_call *c, const kn_shape *s, kn_dtype d);

static int of_shape(knonnx_call *c, drawn *f)
{
    int n = 0;
    kn_shape s = {0};
    const int64_t *dim = knonnx_ints(c, "shape", &n);
    kn_dtype d = knonnx_dtype_of(c, "dtype", KN_F32);
    if (!d || !dim || n > KN_MAX_NDIM)
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute shape is missing or too long");
    s.ndim = n;
    memcpy(s.dim, dim, (size_t)n * sizeof *dim);
    return f(c, &s, d);
}

static int like(knonnx_call *c, drawn *f)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return knonnx_done(c);
    kn_dtype d = knonnx_dtype_of(c, "dtype", kn_dtype_of(x));
    if (d && kn_dtype_kind(d) != 'f')
        return knonnx_fail(c, KN_ERROR_TYPE, "random numbers are floats, not %s", kn_dtype_name(d));
    return d ? f(c, &s, d) : -1;
}

static int op_random_normal(knonnx_call *c) { return of_shape(c, normal); }
static int op_random_normal_like(knonnx_call *c) { return like(c, normal); }
static int op_random_uniform(knonnx_call *c) { return of_shape(c, uniform); }
static int op_random_uniform_like(knonnx_call *c) { return like(c, uniform); }

/* ---- Of probabilities. */

static int op_bernoulli(knonnx_call *c)
{
    kn_array p = knonnx_in(c, 0);
    kn_dtype d = p ? knonnx_dtype_of(c, "dtype", kn_dtype_of(p)) : NULL;
    kn_random_bernoulli_opts o = kn_random_bernoulli_opts_default();
    return d ? knonnx_set(c, 0, knonnx_as(kn_random_bernoulli(key_of(c), knonnx_wide(p), NULL, &o), d)) : -1;
}

static int op_multinomial(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_dtype d = knonnx_dtype_of(c, "dtype", KN_I32);
    int64_t n = knonnx_int(c, "sample_size", 1);
    if (!x || !d)
        return -1;
    if (kn_ndim(x) != 2 || n < 0 || (d != KN_I32 && d != KN_I64))
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "log-probabilities are a matrix, samples int32 or int64, and not fewer than 0");
    kn_random_categorical_opts o = kn_random_categorical_opts_default();
    o.shape = (kn_shape){.ndim = 2, .dim = {n, kn_dim(x, 0)}};
    kn_array y = kn_random_categorical(key_of(c), knonnx_wide(x), &o);
    return knonnx_set(c, 0, knonnx_as(kn_swapaxes(y, 0, 1), d));
}

/* ---- Dropout. */

/* ONNX's own implementation draws the numbers of a seed from NumPy's RandomState, which is MT19937. Kiln's generators
 * are for programs: what is recorded draws nothing from them. So these are constants, made here: as many as the input
 * has elements. */

typedef struct {
    uint32_t word[624];
    int at;
} mt19937;

static void mt_seed(mt19937 *g, uint32_t seed)
{
    g->word[0] = seed;
    for (int i = 1; i < 624; i++)
        g->word[i] = 1812433253u * (g->word[i - 1] ^ g->word[i - 1] >> 30) + (uint32_t)i;
    g->at = 624;
}

static uint32_t mt_next(mt19937 *g)
{
    for (int i = 0; g->at == 624 && i < 624; i++) {
        uint32_t y = (g->word[i] & 0x80000000u) | (g->word[(i + 1) % 624] & 0x7fffffffu);
        g->word[i] = g->word[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    g->at %= 624;
    uint32_t y = g->word[g->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static kn_array uniform_of_seed(knonnx_call *c, uint32_t seed, const kn_shape *s)
{
    int64_t n = 1;
    for (int k = 0; k < s->ndim; k++)
        n *= s->dim[k];
    mt19937 g;
    double *u = knonnx_take(c, (uint64_t)n + 1, sizeof *u);
    mt_seed(&g, seed);
    for (int64_t i = 0; i < n && u; i++) {
        uint32_t high = mt_next(&g) >> 5, low = mt_next(&g) >> 6;
        u[i] = (high * 67108864.0 + low) / 9007199254740992.0;
    }
    return u ? kn_from_memory(u, s, KN_F64) : NULL;
}

/* Whether each element stays. */
static kn_array staying(knonnx_call *c, const kn_shape *s, kn_array ratio)
{
    if (knonnx_given(c, "seed"))
        return kn_greater_equal(uniform_of_seed(c, (uint32_t)knonnx_int(c, "seed", 0), s), knonnx_as(ratio, KN_F64));
    kn_random_uniform_opts o = kn_random_uniform_opts_default();
    o.dtype = KN_F32;
    return kn_greater_equal(kn_random_uniform(key_of(c), s, &o), knonnx_as(ratio, KN_F32));
}

static kn_array everywhere(const kn_shape *s, kn_dtype d)
{
    kn_zeros_opts o = kn_zeros_opts_default();
    o.dtype = d;
    return kn_ones(s, &o);
}

static kn_array dropped(kn_array x, kn_array stays, kn_array ratio)
{
    kn_dtype d = kn_dtype_of(x), wide = knonnx_is_stored(d) ? KN_F32 : d;
    kn_array scale = kn_divide(kn_like_double(1), kn_subtract(kn_like_double(1), knonnx_as(ratio, wide)));
    kn_array y = kn_where(stays, kn_multiply(knonnx_plain(x), scale), kn_like_int(0));
    return knonnx_as(y, d);
}

/* The ratio is an input, and training is asked for by another, which may depend on data. */
static int op_dropout(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return knonnx_done(c);
    bool asked = knonnx_has(c, 2), known = asked && knonnx_known(c, 2);
    kn_array mode = asked ? knonnx_in(c, 2) : NULL;
    if (!asked || (known && !kn_item_bool(mode)))
        return knonnx_set(c, 0, x) || knonnx_set(c, 1, everywhere(&s, KN_BOOL)) ? -1 : 0;
    kn_array ratio = knonnx_plain(knonnx_in_or(c, 1, kn_strong(&(float){0.5f}, KN_F32)));
    ratio = knonnx_shaped(ratio, 0, NULL);
    kn_array stays = staying(c, &s, ratio), y = dropped(x, stays, ratio);
    if (!known) {
        mode = knonnx_shaped(mode, 0, NULL);
        y = kn_where(mode, y, x);
        stays = kn_logical_or(stays, kn_logical_not(mode));
    }
    return knonnx_set(c, 0, y) || knonnx_set(c, 1, stays) ? -1 : 0;
}

/* Opsets 7 to 11 have nothing but the copy; the mask is of the input's dtype before 10. */
static int op_dropout_7(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return knonnx_done(c);
    return knonnx_set(c, 0, x) || knonnx_set(c, 1, everywhere(&s, c->version < 10 ? kn_dtype_of(x) : KN_BOOL)) ? -1 : 0;
}

/* Before that the attribute is_test says whether to train, which is the default. */
static int op_dropout_1(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return knonnx_done(c);
    if (knonnx_int(c, "is_test", 0))
        return op_dropout_7(c);
    float r = (float)knonnx_float(c, "ratio", 0.5);
    kn_array ratio = kn_strong(&r, KN_F32), stays = staying(c, &s, ratio);
    return knonnx_set(c, 0, dropped(x, stays, ratio)) || knonnx_set(c, 1, knonnx_as(stays, kn_dtype_of(x))) ? -1 : 0;
}

const knonnx_row knonnx_rows_random[] = {
    {"Bernoulli", 15, op_bernoulli, 1, 1, 1, 1},
    {"Dropout", 1, op_dropout_1, 1, 1, 1, 2},
    {"Dropout", 7, op_dropout_7, 1, 1, 1, 2},
    {"Dropout", 12, op_dropout, 1, 3, 1, 2},
    {"Multinomial", 7, op_multinomial, 1, 1, 1, 1},
    {"RandomNormal", 1, op_random_normal, 0, 0, 1, 1},
    {"RandomNormalLike", 1, op_random_normal_like, 1, 1, 1, 1},
    {"RandomUniform", 1, op_random_uniform, 0, 0, 1, 1},
    {"RandomUniformLike", 1, op_random_uniform_like, 1, 1, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};

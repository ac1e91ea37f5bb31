/* SPDX-License-Identifier: Apache-2.0
 * random.c -- ONNX's Bernoulli, Multinomial, RandomNormal, RandomUniform, their Like forms, and Dropout. Every run of a model draws
 * the same numbers: a node with a seed those of its seed, one without those of the name of its output, so that nodes differ. */
#include "models/onnx/ops/numbers.h"
#include "kiln/random.h"
#include "kiln/random_state.h"
#include <string.h>

static kn_array key_of(knonnx_call *c)
{
    uint32_t word = 2166136261u; /* FNV-1a of the output's name */
    for (const char *p = c->node->n_out ? c->node->out[0] : ""; *p; p++)
        word = (word ^ (uint8_t)*p) * 16777619u;
    const knonnx_attr *seed = knonnx_attr_of(c, "seed");
    if (seed && seed->kind == KNONNX_A_INT)
        word = (uint32_t)seed->i;
    else if (seed)
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

/* Whether each element stays: the number of NumPy's RandomState of the seed, as in ONNX's own implementation, if there is one. */
static kn_array staying(knonnx_call *c, const kn_shape *s, kn_array ratio)
{
    if (knonnx_given(c, "seed")) {
        uint32_t seed = (uint32_t)knonnx_int(c, "seed", 0);
        kn_random_state_opts o = kn_random_state_opts_default();
        kn_array u = kn_random_state_random_sample(kn_RandomState(kn_like_int(seed), &o), s);
        return kn_greater_equal(u, knonnx_as(ratio, KN_F64));
    }
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

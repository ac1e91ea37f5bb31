/* SPDX-License-Identifier: Apache-2.0
 * positions.c -- what tells positions apart: rotations of pairs of features, waves, slopes. */
#include "kiln/nn.h"
#include "lib/compose.h"
#include "nn/operand.h"
#include <math.h>

/* ---- Frequencies. */

static bool need_features(kna_op *op, int64_t features)
{
    if (!kna_failed(op) && kna_need_number(op, features, "the number of features") &&
        (features < 2 || features % 2 || features > (int64_t)1 << 24))
        kna_fail(op, KN_ERROR_VALUE, "the number of features must be even and positive, but is %lld",
                 (long long)features);
    return !kna_failed(op);
}

/* base^(-2 i / features) for i below features / 2, rounded once to float32 or float64. */
static kni_atom frequencies(kna_op *op, int64_t features, double base, kn_dtype d)
{
    if (need_features(op, features) && !(base > 0 && isfinite(base)))
        kna_fail(op, KN_ERROR_VALUE, "base must be a positive number, but is %g", base);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_shape shape = {1, {features / 2}};
    double *v = knx_alloc((size_t)shape.dim[0] * sizeof *v);
    if (!v) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    for (int64_t i = 0; i < shape.dim[0]; i++)
        v[i] = -2.0 * (double)i / (double)features;
    kn_array exponents = kn_from_memory(v, &shape, KN_DT(F64));
    knx_free(v);
    return kna_in(op, kn_astype(kn_power(kn_like_double(base), exponents), d, NULL));
}

/* position times frequency, with an axis more than the positions; angles are computed in d. */
static kni_atom angles(kna_op *op, kni_atom positions, kni_atom frequency)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, positions), tf = knb_type(b, frequency);
    int64_t dim[KN_MAX_NDIM], front[KN_MAX_NDIM], last = t.ndim;
    if (!kna_failed(op) && t.ndim == KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "positions have %d axes, as many as an array can have", t.ndim);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i], front[i] = i;
    dim[t.ndim] = tf.dim[0];
    kni_atom x = knb_broadcast_in_dim(b, positions, t.ndim + 1, dim, front);
    return knb_mul(b, x, knb_broadcast_in_dim(b, frequency, t.ndim + 1, dim, &last));
}

/* Positions in d. */
static kni_atom positions_in(kna_op *op, kn_array positions, kn_dtype d)
{
    kni_type t = kna_type(op, positions);
    if (!kna_failed(op) && !knx_is_integer(t.dtype) && !knx_is_float(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "positions must be integers or real numbers, but got %s", t.dtype->name);
    return kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, positions, d);
}

/* ---- Rotations. */

typedef struct rope {
    kna_op *op;
    kni_builder *b;
    kn_nn_rope_opts o;
    kn_array x;
    knnn_float d;
    kni_type t;       /* of x: (..., T, N, H) */
    int64_t features; /* how many are rotated */
    kni_atom cos, sin;
} rope;

/* 0, 1, ... along the axis of positions */
static kni_atom counted(rope *r, kn_dtype d) { return knb_iota(r->b, d, 1, &r->t.dim[r->t.ndim - 3], 0); }

/* A table of (positions, features / 2): its rows at the positions that are given; else one of (..., T, R / 2). */
static kni_atom from_table(rope *r, kn_array table, const char *name)
{
    kni_type t = kna_type(r->op, table);
    knx_text s = {0};
    if (!kna_failed(r->op) &&
        (t.ndim < 1 || !knx_dim_eq(knx_dim_mul(2, t.dim[t.ndim - 1]), r->features) || (r->o.positions && t.ndim != 2)))
        kna_fail(r->op, KN_ERROR_VALUE, "%s must have the shape (%s, %lld), but has %s", name,
                 r->o.positions ? "positions" : "...", (long long)r->features / 2, knx_show_shape(&s, t.ndim, t.dim));
    if (kna_failed(r->op))
        return KN_ATOM_NONE;
    if (r->o.positions)
        table = kn_take(table, r->o.positions, KNL_WITH(kn_take_opts, .axis = knl_one_axis(0)));
    return kna_in_as(r->op, table, r->d.wide);
}

static void read_angles(rope *r)
{
    if (!r->o.cos != !r->o.sin) {
        kna_fail(r->op, KN_ERROR_VALUE, "cos and sin must be given together");
        return;
    }
    if (r->o.cos) {
        if (r->o.positions)
            knnn_need_integers(r->op, r->o.positions, "positions beside tables");
        r->cos = from_table(r, r->o.cos, "cos");
        r->sin = from_table(r, r->o.sin, "sin");
        return;
    }
    kn_dtype d = r->d.wide;
    kni_atom frequency = r->o.frequencies
                             ? knnn_along(r->op, r->o.frequencies, d, "frequencies",
                                          kni_type_of(d, 1, (int64_t[]){r->features / 2}), 1, (int64_t[]){0})
                             : frequencies(r->op, r->features, r->o.base, d);
    kni_atom at = r->o.positions ? positions_in(r->op, r->o.positions, d) : counted(r, d);
    kni_atom angle = angles(r->op, at, frequency);
    r->cos = knb_cos(r->b, angle);
    r->sin = knb_sin(r->b, angle);
}

/* x[..., start:limit:step] along the last axis */
static kni_atom part(rope *r, kni_atom x, int64_t start, int64_t limit, int64_t step)
{
    kni_type t = knb_type(r->b, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM], by[KN_MAX_NDIM];
    if (r->b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        hi[i] = t.dim[i], by[i] = 1;
    lo[t.ndim - 1] = start, hi[t.ndim - 1] = limit, by[t.ndim - 1] = step;
    return knb_slice(r->b, x, lo, hi, by);
}

/* cos or sin of (..., T, features / 2) beside (..., T, N, features / 2) */
static kni_atom beside_heads(rope *r, kni_atom y, kni_type half)
{
    kni_type t = knb_type(r->b, y);
    int64_t place[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    knx_text s = {0}, u = {0};
    bool fits = !kna_failed(r->op) && t.ndim < half.ndim;
    for (int i = 0; i < t.ndim && fits; i++) {
        place[i] = i == t.ndim - 1 ? half.ndim - 1 : half.ndim - 1 - t.ndim + i;
        fits = knx_dim_eq(t.dim[i], half.dim[place[i]]) || t.dim[i] == 1;
    }
    if (!kna_failed(r->op) && !fits)
        kna_fail(r->op, KN_ERROR_VALUE, "positions do not fit: x has the shape %s, angles have %s",
                 knx_show_shape(&s, r->t.ndim, r->t.dim), knx_show_shape(&u, t.ndim, t.dim));
    if (kna_failed(r->op))
        return KN_ATOM_NONE;
    int n = 0;
    for (int i = 0; i < t.ndim; i++)
        if (t.dim[i] != 1 || i == t.ndim - 1)
            dim[n] = t.dim[i], place[n++] = place[i];
    return knb_broadcast_in_dim(r->b, knb_reshape(r->b, y, n, dim), half.ndim, half.dim, place);
}

static kni_atom rotated(rope *r)
{
    kni_builder *b = r->b;
    int64_t half = r->features / 2;
    bool pairs = r->o.interleaved;
    kni_atom x = kna_in_as(r->op, r->x, r->d.wide);
    kni_atom x1 = part(r, x, 0, pairs ? r->features : half, pairs ? 2 : 1),
             x2 = part(r, x, pairs ? 1 : half, r->features, pairs ? 2 : 1);
    kni_type t = knb_type(b, x1);
    kni_atom c = beside_heads(r, r->cos, t), s = beside_heads(r, r->sin, t), y[3], first, second;
    if (kna_failed(r->op))
        return KN_ATOM_NONE;
    first = knb_sub(b, knb_mul(b, x1, c), knb_mul(b, x2, s));
    second = knb_add(b, knb_mul(b, x2, c), knb_mul(b, x1, s));
    int n = 0, last = r->t.ndim - 1;
    if (pairs) {
        int64_t dim[KN_MAX_NDIM];
        for (int i = 0; i < last; i++)
            dim[i] = r->t.dim[i];
        dim[last] = r->features;
        y[n++] = knb_reshape(b, knb_stack(b, 2, (kni_atom[]){first, second}, last + 1), last + 1, dim);
    } else
        y[n++] = first, y[n++] = second;
    if (r->features != r->t.dim[last])
        y[n++] = part(r, x, r->features, r->t.dim[last], 1);
    return knb_convert(b, n == 1 ? y[0] : knb_concatenate(b, n, y, last), r->d.stored);
}

kn_array kn_nn_rope(kn_array x, const kn_nn_rope_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_rope");
    KNX_OPTS(kn_nn_rope_opts, o, opts);
    rope r = {.op = &c.op, .b = c.op.b, .o = o, .x = x};
    r.d = knnn_floats(r.op, 1, &x);
    r.t = kna_type(r.op, x);
    if (!kna_failed(r.op) && (r.t.ndim < 3 || r.t.ndim == KN_MAX_NDIM))
        kna_fail(r.op, KN_ERROR_VALUE, "x of shape (..., T, N, H) is needed, but it has %d axes", r.t.ndim);
    int64_t h = kna_failed(r.op) ? 2 : r.t.dim[r.t.ndim - 1];
    r.features = o.features ? o.features : h;
    if (need_features(r.op, r.features) && kna_need_number(r.op, h, "the number of features") && r.features > h)
        kna_fail(r.op, KN_ERROR_VALUE, "%lld features cannot be rotated, there are %lld", (long long)r.features,
                 (long long)h);
    if (!kna_failed(r.op))
        read_angles(&r);
    return knl_end(&c, kna_failed(r.op) ? NULL : knl_made(&c, rotated(&r)));
}

kn_nn_rope_table kn_nn_rope_tables(int64_t length, int64_t features, const kn_nn_rope_tables_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_rope_tables");
    KNX_OPTS(kn_nn_rope_tables_opts, o, opts);
    kn_array y[2] = {NULL, NULL};
    kn_dtype d = kna_lookup_dtype(o.dtype, KN_DT(F32));
    if (!kna_failed(&c.op) && !knx_is_float(d))
        kna_fail(&c.op, KN_ERROR_TYPE, "dtype must be a float, but is %s", d->name);
    if (!kna_failed(&c.op) && length < 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "length must not be negative, but is %lld", (long long)length);
    if (!kna_failed(&c.op)) {
        kn_dtype wide = d->size < 4 ? KN_DT(F32) : d;
        kni_atom at = knb_iota(c.op.b, wide, 1, &length, 0);
        kni_atom angle = angles(&c.op, at, frequencies(&c.op, features, o.base, wide));
        if (!kna_failed(&c.op)) {
            y[0] = knl_made(&c, knb_convert(c.op.b, knb_cos(c.op.b, angle), d));
            y[1] = knl_made(&c, knb_convert(c.op.b, knb_sin(c.op.b, angle), d));
        }
    }
    knl_end_n(&c, 2, y);
    return (kn_nn_rope_table){y[0], y[1]};
}

/* ---- Waves and slopes. */

kn_array kn_nn_sinusoidal_positions(kn_array positions, int64_t features, const kn_nn_sinusoidal_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_sinusoidal_positions");
    KNX_OPTS(kn_nn_sinusoidal_opts, o, opts);
    kn_dtype d = kna_lookup_dtype(o.dtype, KN_DT(F32));
    if (!kna_failed(&c.op) && !knx_is_float(d))
        kna_fail(&c.op, KN_ERROR_TYPE, "dtype must be a float, but is %s", d->name);
    kn_dtype wide = d->size < 4 ? KN_DT(F32) : d;
    kni_atom at = positions_in(&c.op, positions, wide);
    kni_builder *b = c.op.b;
    kni_type t = knb_type(b, at);
    kni_atom angle = kna_failed(&c.op) ? KN_ATOM_NONE : angles(&c.op, at, frequencies(&c.op, features, o.base, wide));
    if (!kna_failed(&c.op) && o.interleaved && t.ndim + 2 > KN_MAX_NDIM)
        kna_fail(&c.op, KN_ERROR_VALUE, "positions have too many axes, %d", t.ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i];
    dim[t.ndim] = features;
    kni_atom w[2] = {knb_sin(b, angle), KN_ATOM_NONE};
    w[1] = knb_cos(b, angle);
    kni_atom y = o.interleaved ? knb_reshape(b, knb_stack(b, 2, w, t.ndim + 1), t.ndim + 1, dim)
                               : knb_concatenate(b, 2, w, t.ndim);
    return knl_end(&c, knl_made(&c, knb_convert(b, y, d)));
}

/* Of n heads, a power of two: 2^(-8 / n), 2^(-16 / n), ... Others take those of the power below, and between them
 * every other one of those of the power above. */
static double slope_exponent(int64_t i, int64_t heads)
{
    int64_t power = 1;
    while (2 * power <= heads)
        power *= 2;
    int64_t step = i < power ? 2 * (i + 1) : 2 * (i - power) + 1;
    return -4.0 * (double)step / (double)power;
}

kn_array kn_nn_alibi_slopes(int64_t num_heads)
{
    knl_body c;
    knl_begin(&c, "nn_alibi_slopes");
    if (kna_need_number(&c.op, num_heads, "the number of heads") && (num_heads < 1 || num_heads > (int64_t)1 << 24))
        kna_fail(&c.op, KN_ERROR_VALUE, "num_heads must be positive, but is %lld", (long long)num_heads);
    double *v = kna_failed(&c.op) ? NULL : knx_alloc((size_t)num_heads * sizeof *v);
    if (!v && !kna_failed(&c.op))
        kna_fail_with(&c.op, knx_error_nomem());
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    for (int64_t i = 0; i < num_heads; i++)
        v[i] = slope_exponent(i, num_heads);
    kn_array exponents = kn_from_memory(v, &(kn_shape){1, {num_heads}}, KN_DT(F64));
    knx_free(v);
    return knl_end(&c, kn_astype(kn_exp2(exponents), KN_DT(F32), NULL));
}

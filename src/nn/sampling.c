/* SPDX-License-Identifier: Apache-2.0
 * sampling.c -- the next token of a language model: logits that were seen before are made smaller, unlikely ones are
 * left out, one of the rest is drawn. */
#include "kiln/nn.h"
#include "kiln/random.h"
#include "lib/compose.h"
#include "nn/operand.h"
#include <math.h>

/* A number, or numbers of shape (...), beside logits of shape (..., V). */
static kni_atom each_row(kna_op *op, kn_array x, const char *name, kni_type t)
{
    kni_type given = kna_type(op, x);
    knx_text s = {0}, u = {0};
    int64_t front[KN_MAX_NDIM];
    bool fits = given.ndim == 0 || given.ndim == t.ndim - 1;
    if (!kna_failed(op) && !knx_is_float(given.dtype) && !knx_is_integer(given.dtype))
        kna_fail(op, KN_ERROR_TYPE, "%s must be a real number, but got %s", name, given.dtype->name);
    for (int i = 0; i < given.ndim && fits; i++) {
        front[i] = i;
        fits = knx_dim_eq(given.dim[i], t.dim[i]);
    }
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "%s must be a number or have the shape %s, but has %s", name,
                 knx_show_shape(&s, t.ndim - 1, t.dim), knx_show_shape(&u, given.ndim, given.dim));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom a = kna_in_as(op, x, t.dtype);
    return given.ndim ? knb_broadcast_in_dim(op->b, a, t.ndim, t.dim, front) : a;
}

/* y of shape (...) beside (..., V) */
static kni_atom spread(kni_builder *b, kni_atom y, kni_type t)
{
    int64_t front[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim - 1; i++)
        front[i] = i;
    return knb_broadcast_in_dim(b, y, t.ndim, t.dim, front);
}

/* Logits in the dtype that is computed in: at least one axis, not empty. */
static kni_atom logits_in(kna_op *op, kn_array logits, knnn_float *d)
{
    *d = knnn_floats(op, 1, &logits);
    kni_type t = kna_type(op, logits);
    if (!kna_failed(op) && (t.ndim < 1 || knx_dim_eq(t.dim[t.ndim - 1], 0)))
        kna_fail(op, KN_ERROR_VALUE, "logits must have a last axis with at least one element");
    return kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, logits, d->wide);
}

/* ---- What is left out. */

/* The largest k logits, or all of them, in descending order. */
static kni_atom descending(kni_builder *b, kni_atom x, int64_t k)
{
    kni_atom top[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    int last = knb_type(b, x).ndim - 1;
    if (k) {
        knb_top_k(b, x, last, k, top);
        return top[0];
    }
    kni_atom sorted = KN_ATOM_NONE, minus = knb_neg(b, x);
    knb_sort(b, 1, &minus, last, 1, &sorted);
    return knb_neg(b, sorted);
}

/* The smallest of descending logits that is kept: those in front of it have together less than p. */
static kni_atom nucleus(kna_op *op, kni_atom sorted, kn_array p)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, sorted);
    int64_t last = t.ndim - 1;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom probability = knnn_softmax_last(op, sorted);
    kni_atom before = knb_sub(b, knb_cumsum(b, probability, (int)last, false), probability);
    kni_atom most = each_row(op, p, "top_p", t);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom number = knb_iota(b, KN_DT(I64), t.ndim, t.dim, (int)last);
    kni_atom kept =
        knb_or(b, knb_lt(b, before, knb_broadcast_to(b, most, t)), knb_eq(b, number, knb_integer(b, KN_DT(I64), 0)));
    return knb_reduce_min(b, knb_select(b, kept, sorted, knb_full(b, t, INFINITY)), 1, &last);
}

static kni_atom largest(kni_builder *b, kni_atom x)
{
    int64_t last = knb_type(b, x).ndim - 1;
    return knb_reduce_max(b, x, 1, &last);
}

static kni_atom not_below(kni_builder *b, kni_atom x, kni_atom bound)
{
    kni_type t = knb_type(b, x);
    return knb_select(b, knb_ge(b, x, knb_broadcast_to(b, bound, t)), x, knb_full(b, t, -INFINITY));
}

/* y where the probability that x stands for is at least p of the largest one, which stays whatever p is. */
static kni_atom likely(kna_op *op, kni_atom x, kni_atom y, kn_array p)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, x);
    kni_atom least = each_row(op, p, "min_p", t);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom most = spread(b, largest(b, x), t), bound = knb_log(b, knb_max(b, least, knb_like(b, least, 0)));
    kni_atom stays = knb_ge(b, x, knb_add(b, most, knb_broadcast_to(b, bound, t)));
    return knb_select(b, knb_or(b, stays, knb_ge(b, x, most)), y, knb_full(b, t, -INFINITY));
}

/* x, whose logits were divided by the temperature, -infinity where they are left out. */
static kni_atom filtered(kna_op *op, kni_atom x, const kn_nn_sample_opts *o)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, x);
    int64_t last = t.ndim - 1, v = kna_failed(op) ? 1 : t.dim[last], k = o->top_k < v ? o->top_k : 0;
    if (!kna_failed(op) && o->top_k < 0)
        kna_fail(op, KN_ERROR_VALUE, "top_k must not be negative, but is %lld", (long long)o->top_k);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom least = KN_ATOM_NONE;
    if (k || o->top_p) {
        kni_atom sorted = descending(b, x, k);
        least = o->top_p ? nucleus(op, sorted, o->top_p) : knb_reduce_min(b, sorted, 1, &last);
        least = kna_failed(op) ? KN_ATOM_NONE : spread(b, least, t);
    }
    kni_atom y = least == KN_ATOM_NONE ? x : not_below(b, x, least);
    return o->min_p ? likely(op, x, y, o->min_p) : y;
}

/* x / temperature, where that is 0 x itself. */
static kni_atom warmed(kna_op *op, kni_atom x, kni_atom temperature)
{
    kni_builder *b = op->b;
    kni_atom cold = knb_eq(b, temperature, knb_like(b, temperature, 0));
    kni_atom divisor = knb_select(b, cold, knb_like(b, temperature, 1), temperature);
    return knb_div(b, x, knb_broadcast_to(b, divisor, knb_type(b, x)));
}

/* At temperature 0 all but the first of the largest are left out. */
static kni_atom only_largest(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int last = t.ndim - 1;
    kni_atom best = spread(b, knb_argmax(b, x, last, KN_DT(I64)), t);
    kni_atom is_best = knb_eq(b, knb_iota(b, KN_DT(I64), t.ndim, t.dim, last), best);
    return knb_select(b, is_best, x, knb_full(b, t, -INFINITY));
}

static kni_atom processed(kna_op *op, kni_atom x, const kn_nn_sample_opts *o)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, x);
    if (kna_failed(op) || !o->temperature)
        return filtered(op, x, o);
    kni_atom temperature = each_row(op, o->temperature, "temperature", t);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom y = filtered(op, warmed(op, x, temperature), o);
    kni_atom cold = knb_eq(b, temperature, knb_like(b, temperature, 0));
    return knb_select(b, knb_broadcast_to(b, cold, kni_type_of(KN_DT(BOOL), t.ndim, t.dim)), only_largest(b, x), y);
}

kn_array kn_nn_filter_logits(kn_array logits, const kn_nn_sample_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_filter_logits");
    KNX_OPTS(kn_nn_sample_opts, o, opts);
    knnn_float d;
    kni_atom x = logits_in(&op, logits, &d), y = processed(&op, x, &o);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_convert(op.b, y, d.stored));
}

kn_array kn_nn_sample(kn_array key, kn_array logits, const kn_nn_sample_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_sample");
    KNX_OPTS(kn_nn_sample_opts, o, opts);
    knnn_float d;
    kni_atom x = logits_in(&c.op, logits, &d), y = processed(&c.op, x, &o);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    return knl_end(&c, kn_random_categorical(key, knl_made(&c, y), NULL));
}

/* ---- What was seen before. */

/* How often each of V ids stands in ids (..., L), of dtype d: (..., V). Ids that there are not count for nothing. */
static kni_atom counts(kna_op *op, kni_atom ids, kni_type t)
{
    kni_builder *b = op->b;
    kni_type ti = knb_type(b, ids);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t length = ti.dim[ti.ndim - 1], last = t.ndim - 1, rows = 1;
    for (int i = 0; i < last; i++)
        rows = knx_dim_mul(rows, t.dim[i]);
    kni_atom flat = knb_reshape(b, ids, 2, (int64_t[]){rows, length});
    kni_atom row = knb_iota(b, KN_DT(I64), 2, (int64_t[]){rows, length}, 0);
    kni_atom at = knb_stack(b, 2, (kni_atom[]){row, flat}, 2);
    kni_p_scatter p = {.inserted_window_dims = {2, (int64_t[]){0, 1}},
                       .scatter_dims_to_operand_dims = {2, (int64_t[]){0, 1}},
                       .mode = KN_GATHER_FILL};
    kni_atom ones = knb_full(b, kni_type_of(t.dtype, 2, (int64_t[]){rows, length}), 1);
    kni_atom none = knb_full(b, kni_type_of(t.dtype, 2, (int64_t[]){rows, t.dim[last]}), 0);
    return knb_reshape(b, knb_scatter_add(b, none, at, ones, &p), t.ndim, t.dim);
}

kn_array kn_nn_penalize_logits(kn_array logits, kn_array ids, const kn_nn_penalize_logits_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_penalize_logits");
    KNX_OPTS(kn_nn_penalize_logits_opts, o, opts);
    knnn_float d;
    kni_builder *b = op.b;
    kni_atom x = logits_in(&op, logits, &d);
    kni_type t = knb_type(b, x), ti = kna_type(&op, ids);
    knnn_need_integers(&op, ids, "ids");
    bool fits = ti.ndim == t.ndim;
    for (int i = 0; i < t.ndim - 1 && fits; i++)
        fits = knx_dim_eq(ti.dim[i], t.dim[i]);
    knx_text s = {0}, u = {0};
    if (!kna_failed(&op) && !fits)
        kna_fail(&op, KN_ERROR_VALUE, "ids must have the axes of the logits but for the last, but got %s beside %s",
                 knx_show_shape(&s, ti.ndim, ti.dim), knx_show_shape(&u, t.ndim, t.dim));
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom n = counts(&op, kna_in_as(&op, ids, KN_DT(I64)), t);
    kni_atom zero = knb_like(b, x, 0), seen = knb_gt(b, n, zero), y = x;
    if (o.repetition) {
        kni_atom by = knb_broadcast_to(b, each_row(&op, o.repetition, "repetition", t), t);
        y = knb_select(b, seen, knb_select(b, knb_lt(b, x, zero), knb_mul(b, x, by), knb_div(b, x, by)), x);
    }
    if (o.frequency)
        y = knb_sub(b, y, knb_mul(b, n, knb_broadcast_to(b, each_row(&op, o.frequency, "frequency", t), t)));
    if (o.presence) {
        kni_atom by = knb_broadcast_to(b, each_row(&op, o.presence, "presence", t), t);
        y = knb_sub(b, y, knb_select(b, seen, by, knb_full(b, t, 0)));
    }
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_convert(b, y, d.stored));
}

/* SPDX-License-Identifier: Apache-2.0
 * binomial.c -- numbers of the binomial distribution: up to ten expected successes by adding waiting times
 * (inversion), else by transformed rejection (Hoermann's BTRS); multinomial ones, category by category. All samples
 * take part in each round, so that one depends on how long the others take: as in jax.random. */
#include "kiln/random.h"
#include "random/draw.h"
#include "random/loop.h"
#include <math.h>

static kni_atom count(kni_builder *b, int64_t v) { return knb_dimension(b, KN_DT(I64), v); }
static kni_atom add_number(kni_builder *b, kni_atom x, double v) { return knb_add(b, x, knb_like(b, x, v)); }
static kni_atom times(kni_builder *b, double v, kni_atom x) { return knb_mul(b, knb_like(b, x, v), x); }
static kni_atom ratio(kni_builder *b, double v, kni_atom x) { return knb_div(b, knb_like(b, x, v), x); }
static kni_atom rest(kni_builder *b, kni_atom x) { return knb_sub(b, knb_like(b, x, 1), x); } /* 1 - x */

/* What both methods share. */
typedef struct trials {
    kni_builder *b;
    kni_atom key;
    kn_dtype d;  /* of n, p and what the loops compute with */
    kni_type t;  /* d, with the samples' shape */
    kn_dtype to; /* of the samples */
} trials;

static kni_atom unit(kni_builder *b, const trials *g, kni_atom key)
{
    return knb_random_unit(b, key, g->d, g->t.ndim, g->t.dim);
}

/* Not more rounds than the samples' dtype can count to; others than float16 can count for ever. */
static kni_atom goes_on(kni_builder *b, const trials *g, kni_atom round, kni_atom more)
{
    int64_t most = g->to == KN_DT(F16) ? 65504 : INT64_MAX;
    return knb_and(b, knrandom_any(b, more), knb_lt(b, round, count(b, most)));
}

static kni_atom inversion(const trials *g, kni_atom n, kni_atom p)
{
    enum { N, LOG, I, GEOM, SUM, KEY, COUNT };
    knrandom_loop l;
    kni_atom end[COUNT], log = knb_log1p(g->b, knb_neg(g->b, p)), zero = knb_zeros(g->b, g->t);
    knrandom_loop_begin(&l, g->b, 2, COUNT - 2, (const kni_atom[]){n, log, count(g->b, 0), zero, zero, g->key});
    kni_atom more = goes_on(&l.cond, g, l.c[I], knb_le(&l.cond, l.c[SUM], l.c[N]));
    kni_builder *b = &l.body;
    const kni_atom *x = l.x;
    kni_atom u = unit(b, g, knb_subkey(b, x[KEY], 0)), wait = knb_ceil(b, knb_div(b, knb_log(b, u), x[LOG]));
    kni_atom geom = knb_select(b, knb_le(b, x[SUM], x[N]), add_number(b, x[GEOM], 1), x[GEOM]);
    kni_atom next[] = {knb_add(b, x[I], count(b, 1)), geom, knb_add(b, x[SUM], wait), knb_subkey(b, x[KEY], 1)};
    knrandom_loop_end(&l, more, next, end);
    return knb_convert(g->b, add_number(g->b, end[GEOM - 2], -1), g->to);
}

/* --- transformed rejection -------------------------------------------------------------------- */

enum { N, TABLE, A, B, C, V_R, R, ALPHA, M, CONSTANTS, I = CONSTANTS, K, ACCEPTED, KEY, COUNT };

/* log k! less Stirling's formula for k = 0 ... 9 */
static kni_atom stirling_table(kni_builder *b, kn_dtype d)
{
    static const double tail[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                  0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                  0.00925546218271273, 0.00833056343336287};
    enum { n = sizeof tail / sizeof *tail };
    kni_atom x[n];
    int64_t one = 1;
    for (int i = 0; i < n; i++)
        x[i] = knb_full(b, kni_type_of(d, 1, &one), tail[i]);
    return knb_concatenate(b, n, x, 0);
}

static kni_atom look_up(kni_builder *b, kni_atom table, kni_atom k)
{
    kni_type t = knb_type(b, k);
    int64_t shape[KN_MAX_NDIM], one = 1, zero = 0;
    if (b->error || t.ndim >= KN_MAX_NDIM)
        return k;
    for (int i = 0; i < t.ndim; i++)
        shape[i] = t.dim[i];
    shape[t.ndim] = 1;
    kni_atom index = knb_reshape(b, knb_convert(b, k, KN_DT(I32)), t.ndim + 1, shape);
    return knb_gather(b, table, index,
                      &(kni_p_gather){.collapsed_slice_dims = {1, &zero},
                                      .start_index_map = {1, &zero},
                                      .slice_sizes = {1, &one},
                                      .mode = KN_GATHER_CLIP});
}

/* The tail for any k; above nine JAX has that of nine by a series. */
static kni_atom stirling_tail(kni_builder *b, kni_atom table, kni_atom k)
{
    kni_atom small = knb_le(b, k, knb_like(b, k, 9));
    k = knb_clamp(b, knb_like(b, k, 0), k, knb_like(b, k, 9));
    kni_atom next = add_number(b, k, 1), square = knb_mul(b, next, next);
    kni_atom series = knb_sub(b, knb_like(b, k, 1. / 360), ratio(b, 1. / 1260, square));
    series = knb_div(b, knb_sub(b, knb_like(b, k, 1. / 12), knb_div(b, series, square)), next);
    return knb_select(b, small, look_up(b, table, knb_floor(b, k)), series);
}

static void rejection_constants(const trials *g, kni_atom n, kni_atom p, kni_atom *c)
{
    kni_builder *b = g->b;
    kni_atom mean = knb_mul(b, n, p), stddev = knb_sqrt(b, knb_mul(b, mean, rest(b, p)));
    c[N] = n;
    c[TABLE] = stirling_table(b, g->d);
    c[B] = add_number(b, times(b, 2.53, stddev), 1.15);
    c[A] = knb_add(b, add_number(b, times(b, 0.0248, c[B]), -0.0873), times(b, 0.01, p));
    c[C] = add_number(b, mean, 0.5);
    c[V_R] = knb_sub(b, knb_like(b, p, 0.92), ratio(b, 4.2, c[B]));
    c[R] = knb_div(b, p, rest(b, p));
    c[ALPHA] = knb_mul(b, add_number(b, ratio(b, 5.1, c[B]), 2.83), stddev);
    c[M] = knb_floor(b, knb_mul(b, add_number(b, n, 1), p));
}

/* The logarithm of how likely k is, compared with the most likely number. */
static kni_atom log_likelihood(kni_builder *b, const kni_atom *x, kni_atom k)
{
    kni_atom n_m = knb_sub(b, x[N], x[M]), n_k = knb_sub(b, x[N], k);
    kni_atom n_m1 = add_number(b, n_m, 1), n_k1 = add_number(b, n_k, 1);
    kni_atom first = knb_log(b, knb_div(b, add_number(b, x[M], 1), knb_mul(b, x[R], n_m1)));
    kni_atom third = knb_log(b, knb_div(b, knb_mul(b, x[R], n_k1), add_number(b, k, 1)));
    kni_atom y = knb_mul(b, add_number(b, x[M], 0.5), first);
    y = knb_add(b, y, knb_mul(b, add_number(b, x[N], 1), knb_log(b, knb_div(b, n_m1, n_k1))));
    y = knb_add(b, y, knb_mul(b, add_number(b, k, 0.5), third));
    y = knb_add(b, knb_add(b, y, stirling_tail(b, x[TABLE], x[M])), stirling_tail(b, x[TABLE], n_m));
    return knb_sub(b, knb_sub(b, y, stirling_tail(b, x[TABLE], k)), stirling_tail(b, x[TABLE], n_k));
}

static kni_atom propose(kni_builder *b, const kni_atom *x, kni_atom u, kni_atom v, kni_atom *k)
{
    kni_atom us = knb_sub(b, knb_like(b, u, 0.5), knb_abs(b, u));
    kni_atom quick = knb_and(b, knb_ge(b, us, knb_like(b, u, 0.07)), knb_le(b, v, x[V_R]));
    kni_atom wide = knb_add(b, knb_div(b, times(b, 2, x[A]), us), x[B]);
    *k = knb_floor(b, knb_add(b, knb_mul(b, wide, u), x[C]));
    kni_atom reject = knb_or(b, knb_lt(b, *k, knb_like(b, u, 0)), knb_gt(b, *k, x[N]));
    kni_atom density = knb_add(b, knb_div(b, x[A], knb_mul(b, us, us)), x[B]);
    v = knb_log(b, knb_div(b, knb_mul(b, v, x[ALPHA]), density));
    return knb_or(b, quick, knb_and(b, knb_not(b, reject), knb_le(b, v, log_likelihood(b, x, *k))));
}

static kni_atom rejection(const trials *g, kni_atom n, kni_atom p)
{
    knrandom_loop l;
    kni_atom init[COUNT], end[COUNT];
    kni_type truths = g->t;
    truths.dtype = KN_DT(BOOL);
    rejection_constants(g, n, p, init);
    init[I] = count(g->b, 0);
    init[K] = knb_broadcast_to(g->b, knb_number(g->b, g->d, -1), g->t);
    init[ACCEPTED] = knb_zeros(g->b, truths);
    init[KEY] = g->key;
    knrandom_loop_begin(&l, g->b, CONSTANTS, COUNT - CONSTANTS, init);
    kni_atom more = goes_on(&l.cond, g, l.c[I], knb_not(&l.cond, l.c[ACCEPTED]));
    kni_builder *b = &l.body;
    const kni_atom *x = l.x;
    kni_atom u = unit(b, g, knb_subkey(b, x[KEY], 1)), v = unit(b, g, knb_subkey(b, x[KEY], 2)), k;
    kni_atom accept = propose(b, x, add_number(b, u, -0.5), v, &k);
    kni_atom next[] = {knb_add(b, x[I], count(b, 1)), knb_select(b, accept, k, x[K]), knb_or(b, x[ACCEPTED], accept),
                       knb_subkey(b, x[KEY], 0)};
    knrandom_loop_end(&l, more, next, end);
    return knb_convert(g->b, end[K - CONSTANTS], g->to);
}

/* --- both ------------------------------------------------------------------------------------- */

static kni_atom or3(kni_builder *b, kni_atom x, kni_atom y, kni_atom z) { return knb_or(b, knb_or(b, x, y), z); }

kni_atom knrandom_binomial(kni_builder *b, kni_atom key, kni_atom n, kni_atom p, kni_type full)
{
    kn_dtype d = knb_type(b, p).dtype;
    trials g = {b, key, d, full, full.dtype};
    g.t.dtype = d;
    n = knb_broadcast_to(b, n, full);
    p = knb_broadcast_to(b, p, full);
    kni_atom zero = knb_number(b, d, 0), low = knb_lt(b, p, knb_number(b, d, 0.5)),
             q = knb_select(b, low, p, rest(b, p));
    kni_atom bad_n = knb_or(b, knb_ne(b, n, n), knb_lt(b, n, zero));
    kni_atom endless = knb_eq(b, knb_abs(b, n), knb_number(b, d, INFINITY));
    kni_atom q_nan = knb_ne(b, q, q), q_negative = knb_lt(b, q, zero);
    q = knb_select(b, knb_or(b, q_nan, q_negative), knb_number(b, d, 0.01), q);
    kni_atom few = knb_or(b, bad_n, knb_le(b, knb_mul(b, n, q), knb_number(b, d, 10)));
    n = knb_floor(b, n);
    kni_atom small = inversion(&g, knb_select(b, few, n, zero), q);
    kni_atom large =
        rejection(&g, knb_select(b, few, knb_number(b, d, 1e4), n), knb_select(b, few, knb_number(b, d, 0.5), q));
    kni_atom y = knb_select(b, few, small, large), wrong = or3(b, q_negative, q_nan, bad_n);
    y = knb_select(b, wrong, knb_number(b, g.to, NAN), y);
    y = knb_select(b, knb_and(b, endless, knb_not(b, wrong)), knb_number(b, g.to, INFINITY), y);
    kni_atom as_is = knb_or(b, or3(b, low, bad_n, q_nan), endless);
    return knb_select(b, as_is, y, knb_sub(b, knb_convert(b, n, g.to), y));
}

kn_array kn_random_binomial(kn_array key, kn_array n, kn_array p, const kn_shape *shape,
                            const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_array parameter[2] = {n, p};
    if (!knrandom_begin(&w, "random_binomial", key, KNRANDOM_FLOAT, opts ? opts->dtype : NULL, shape, 2, parameter))
        return knrandom_failed(&w);
    kni_atom prob = knrandom_inexact(&w, p), tries = kna_in_as(&w.op, n, knb_type(w.b, prob).dtype);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    return kna_end(&w.op, knrandom_binomial(w.b, w.key, tries, prob, w.full));
}

/* --- multinomial ------------------------------------------------------------------------------ */

/* Of the trials that are left, as many as fall into the category: its share in what is left of the probabilities.
 * ratios: rows are categories. */
static kni_atom by_category(kni_builder *b, kni_atom key, kni_atom ratios, kni_atom n, kni_type one)
{
    enum { RATIOS, BASE, ROUND, LEFT, COUNTS, ALL };
    knrandom_loop l;
    kni_atom end[ALL];
    kni_type all = knb_type(b, ratios);
    knrandom_loop_begin(&l, b, 2, ALL - 2, (const kni_atom[]){ratios, key, count(b, 0), n, knb_zeros(b, all)});
    kni_atom more = knb_lt(&l.cond, l.c[ROUND], count(&l.cond, all.dim[0]));
    kni_builder *c = &l.body;
    const kni_atom *x = l.x;
    kni_atom mine = knb_random_fold_in(c, x[BASE], knb_convert(c, x[ROUND], KN_DT(U32)));
    kni_atom share = knb_min(c, knb_max(c, knrandom_read_row(c, x[RATIOS], x[ROUND], one), knb_number(c, one.dtype, 0)),
                             knb_number(c, one.dtype, 1));
    kni_atom hits = knrandom_binomial(c, mine, x[LEFT], share, one);
    kni_atom next[] = {knb_add(c, x[ROUND], count(c, 1)), knb_sub(c, x[LEFT], hits),
                       knrandom_write_row(c, x[COUNTS], x[ROUND], hits)};
    knrandom_loop_end(&l, more, next, end);
    return end[COUNTS - 2];
}

kn_array kn_random_multinomial(kn_array key, kn_array n, kn_array p, const kn_random_multinomial_opts *opts)
{
    knrandom_draw w;
    kn_random_multinomial_opts o = opts ? *opts : kn_random_multinomial_opts_default();
    if (!knrandom_begin(&w, "random_multinomial", key, KNRANDOM_FLOAT, o.dtype, o.shape.ndim ? &o.shape : NULL, 1, &p))
        return knrandom_failed(&w);
    kn_dtype d = kna_result_type(&w.op, 2, (kn_array[]){n, p});
    if (!d || kna_failed(&w.op))
        return knrandom_failed(&w);
    if (w.shape.ndim == 0)
        kna_fail(&w.op, KN_ERROR_VALUE, "multinomial requires p.ndim >= 1, got p.ndim == 0");
    d = knx_is_float(d) ? d : kna_default_float();
    kni_builder *b = w.b;
    int last = w.shape.ndim - 1;
    kni_type all = kni_type_of(d, w.shape.ndim, w.shape.dim), one = kni_type_of(d, last, w.shape.dim);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kni_atom left = knb_broadcast_to(b, kna_in_as(&w.op, n, d), one);
    kni_atom x = knb_move_axis(b, knb_broadcast_to(b, kna_in_as(&w.op, p, d), all), last, 0);
    kni_atom sums = knb_cumsum(b, x, 0, true), zero = knb_number(b, d, 0);
    kni_atom ratios = knb_div(b, x, knb_select(b, knb_eq(b, sums, zero), knb_number(b, d, 1), sums));
    kni_atom counts = kna_failed(&w.op) || !all.dim[last] ? ratios : by_category(b, w.key, ratios, left, one);
    return kna_end(&w.op, knb_convert(b, knb_move_axis(b, counts, 0, last), w.d));
}

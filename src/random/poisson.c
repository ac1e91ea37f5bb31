/* SPDX-License-Identifier: Apache-2.0
 * poisson.c -- numbers of the Poisson distribution: below a rate of ten by multiplying uniform numbers (Knuth), else
 * by transformed rejection (Hoermann). All samples take part in each round, so that one depends on how long the others
 * take: as in jax.random. */
#include "kiln/random.h"
#include "random/draw.h"
#include "random/loop.h"

static kni_atom num(kni_builder *b, double v) { return knb_number(b, KN_DT(F32), v); }
static kni_atom count(kni_builder *b, int64_t v) { return knb_integer(b, KN_DT(I64), v); }
static kni_atom one_of(kni_builder *b, kn_dtype d) { return knb_convert(b, count(b, 1), d); }

/* How many rounds at most: the dtype's largest number. */
static int64_t rounds(kn_dtype d)
{
    int bits = d->size * 8 - (d->kind != KN_KIND_UINT);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

static kni_atom knuth(knrandom_draw *w, kni_atom lam)
{
    enum { LAM, I, K, KEY, LOG, COUNT };
    knrandom_loop l;
    kni_atom end[COUNT];
    kni_type logs = w->full;
    logs.dtype = KN_DT(F32);
    knrandom_loop_begin(
        &l, w->b, 1, COUNT - 1,
        (const kni_atom[]){lam, count(w->b, 0), knb_zeros(w->b, w->full), w->key, knb_zeros(w->b, logs)});
    kni_builder *b = &l.cond;
    kni_atom more = knrandom_any(b, knb_gt(b, l.c[LOG], knb_neg(b, l.c[LAM])));
    more = knb_and(b, more, knb_lt(b, l.c[I], count(b, rounds(w->d))));
    b = &l.body;
    const kni_atom *x = l.x;
    kni_atom on = knb_gt(b, x[LOG], knb_neg(b, x[LAM]));
    kni_atom k = knb_select(b, on, knb_add(b, x[K], one_of(b, w->d)), x[K]);
    kni_atom u = knrandom_unit(b, knb_subkey(b, x[KEY], 1), KN_DT(F32), &w->shape);
    kni_atom next[] = {knb_add(b, x[I], count(b, 1)), k, knb_subkey(b, x[KEY], 0), knb_add(b, x[LOG], knb_log(b, u))};
    knrandom_loop_end(&l, more, next, end);
    return knb_sub(w->b, end[K - 1], one_of(w->b, w->d));
}

enum { LAM, LOG_LAM, A, B, INV_ALPHA, V_R, CONSTANTS, I = CONSTANTS, K, ACCEPTED, KEY, COUNT };

static kni_atom linear(kni_builder *b, double offset, double slope, kni_atom x)
{
    return knb_add(b, num(b, offset), knb_mul(b, num(b, slope), x));
}

static void rejection_constants(kni_builder *b, kni_atom lam, kni_atom *c)
{
    c[LAM] = lam;
    c[LOG_LAM] = knb_log(b, lam);
    c[B] = linear(b, 0.931, 2.53, knb_sqrt(b, lam));
    c[A] = linear(b, -0.059, 0.02483, c[B]);
    c[INV_ALPHA] = knb_add(b, num(b, 1.1239), knb_div(b, num(b, 1.1328), knb_sub(b, c[B], num(b, 3.4))));
    c[V_R] = knb_sub(b, num(b, 0.9277), knb_div(b, num(b, 3.6224), knb_sub(b, c[B], num(b, 2))));
}

/* One round: a proposal k, and whether it is accepted. */
static kni_atom propose(kni_builder *b, const kni_atom *x, kni_atom u, kni_atom v, kni_atom *k)
{
    kni_atom u_shifted = knb_sub(b, num(b, 0.5), knb_abs(b, u)), two_a = knb_mul(b, num(b, 2), x[A]);
    kni_atom p = knb_mul(b, knb_add(b, knb_div(b, two_a, u_shifted), x[B]), u);
    *k = knb_floor(b, knb_add(b, knb_add(b, p, x[LAM]), num(b, 0.43)));
    kni_atom density = knb_add(b, knb_div(b, x[A], knb_mul(b, u_shifted, u_shifted)), x[B]);
    kni_atom s = knb_log(b, knb_div(b, knb_mul(b, v, x[INV_ALPHA]), density));
    kni_atom t = knb_add(b, knb_neg(b, x[LAM]), knb_mul(b, *k, x[LOG_LAM]));
    t = knb_sub(b, t, knb_lgamma(b, knb_add(b, *k, num(b, 1))));
    kni_atom quick = knb_and(b, knb_ge(b, u_shifted, num(b, 0.07)), knb_le(b, v, x[V_R]));
    kni_atom edge = knb_and(b, knb_lt(b, u_shifted, num(b, 0.013)), knb_gt(b, v, u_shifted));
    kni_atom reject = knb_or(b, knb_lt(b, *k, num(b, 0)), edge);
    return knb_or(b, quick, knb_and(b, knb_not(b, reject), knb_le(b, s, t)));
}

static kni_atom rejection(knrandom_draw *w, kni_atom lam)
{
    knrandom_loop l;
    kni_atom init[COUNT], end[COUNT];
    kni_type numbers = w->full, truths = w->full;
    numbers.dtype = KN_DT(F32);
    truths.dtype = KN_DT(BOOL);
    rejection_constants(w->b, lam, init);
    init[I] = count(w->b, 0);
    init[K] = knb_broadcast_to(w->b, num(w->b, -1), numbers);
    init[ACCEPTED] = knb_zeros(w->b, truths);
    init[KEY] = w->key;
    knrandom_loop_begin(&l, w->b, CONSTANTS, COUNT - CONSTANTS, init);
    kni_builder *b = &l.cond;
    kni_atom more = knrandom_any(b, knb_not(b, l.c[ACCEPTED]));
    more = knb_and(b, more, knb_lt(b, l.c[I], count(b, rounds(w->d))));
    b = &l.body;
    const kni_atom *x = l.x;
    kni_atom u = knrandom_unit(b, knb_subkey(b, x[KEY], 1), KN_DT(F32), &w->shape), k;
    kni_atom v = knrandom_unit(b, knb_subkey(b, x[KEY], 2), KN_DT(F32), &w->shape);
    kni_atom accept = propose(b, x, knb_sub(b, u, num(b, 0.5)), v, &k);
    kni_atom next[] = {knb_add(b, x[I], count(b, 1)), knb_select(b, accept, k, x[K]), knb_or(b, x[ACCEPTED], accept),
                       knb_subkey(b, x[KEY], 0)};
    knrandom_loop_end(&l, more, next, end);
    return knb_convert(w->b, end[K - CONSTANTS], w->d);
}

kn_array kn_random_poisson(kn_array key, kn_array lam, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_poisson", key, KNRANDOM_INTEGER, opts ? opts->dtype : NULL, shape, 1, &lam))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kni_type numbers = w.full;
    numbers.dtype = KN_DT(F32);
    kni_atom x = knb_broadcast_to(b, kna_in_as(&w.op, lam, KN_DT(F32)), numbers);
    kni_atom few = knb_or(b, knb_ne(b, x, x), knb_lt(b, x, num(b, 10)));
    kni_atom small = knuth(&w, knb_select(b, few, x, num(b, 0)));
    kni_atom large = rejection(&w, knb_select(b, few, num(b, 1e5), x));
    kni_atom y = knb_select(b, few, small, large);
    return kna_end(&w.op, knb_select(b, knb_eq(b, x, num(b, 0)), knb_zeros(b, w.full), y));
}

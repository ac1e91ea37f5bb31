/* SPDX-License-Identifier: Apache-2.0
 * counts.c -- methods that draw integers of a distribution and check more than a row can say. */
#include "rng/continuous.h"
#include "rng/draw.h"
#include <math.h>

static const double largest_rate = 9.223372006484771e18;

/* ---- Binomial numbers: p is checked first, as in NumPy. */

static kn_array draw_binomial(const void *handle, bool legacy, const kn_shape *size, kn_array n, kn_array p)
{
    static const knrng_distribution d = {
        .name = "binomial", .n = 2, .count = knrng_binomial_count, .legacy_count = knrng_legacy_binomial_count};
    knrng_call c;
    knrng_param a[2] = {{0}};
    bool ok = knrng_begin(&c, d.name, handle, legacy, size) && knrng_take(&c, p, false, NAN, &a[1]) &&
              knrng_take(&c, n, true, NAN, &a[0]);
    bool scalars = knrng_all_scalars(2, a);
    ok = ok && knrng_check(&c.op, &a[1], "p", KNRNG_0_TO_1, scalars, false) &&
         knrng_check(&c.op, &a[0], "n", KNRNG_NOT_NEGATIVE, scalars, true);
    if (ok)
        return knrng_draw_taken(&c, &d, a);
    knrng_forget(2, a);
    return knrng_failed(&c);
}

kn_array kn_rng_binomial(kn_rng rng, kn_array n, kn_array p, const kn_shape *size)
{
    return draw_binomial(rng, false, size, n, p);
}

kn_array kn_random_state_binomial(kn_random_state state, kn_array n, kn_array p, const kn_shape *size)
{
    return draw_binomial(state, true, size, n, p);
}

static bool rates_are_small(kna_op *op, const knrng_param *n, const knrng_param *p)
{
    knrng_param both[2] = {*n, *p};
    kn_shape shape = n->shape;
    knrng_walk w;
    bool fit = knrng_join_or_fail(op, &shape, &p->shape), ok = true;
    knrng_walk_begin(&w, &shape, 2, both);
    int64_t count = fit ? kni_type_size(kni_type_of(KN_DT(F64), shape.ndim, shape.dim)) : 0;
    for (int64_t i = 0; i < count && ok; i++) {
        double trials = n->v[w.at[0]].d, chance = p->v[w.at[1]].d;
        ok = !((1 - chance) / chance * (trials + 10 * sqrt(trials)) > largest_rate);
        knrng_walk_next(&w);
    }
    return ok;
}

kn_array kn_rng_negative_binomial(kn_rng rng, kn_array n, kn_array p, const kn_shape *size)
{
    static const knrng_distribution d = {.name = "negative_binomial", .n = 2, .count = knrng_negative_binomial_count};
    knrng_call c;
    knrng_param a[2] = {{0}};
    bool ok = knrng_begin(&c, d.name, rng, false, size) && knrng_take(&c, p, false, NAN, &a[1]) &&
              knrng_take(&c, n, false, NAN, &a[0]);
    bool scalars = knrng_all_scalars(2, a);
    ok = ok && knrng_check(&c.op, &a[0], "n", KNRNG_POSITIVE_NOT_NAN, scalars, false) &&
         knrng_check(&c.op, &a[1], "p", KNRNG_ABOVE_0_TO_1, scalars, false);
    if (ok && !rates_are_small(&c.op, &a[0], &a[1]))
        kna_fail(&c.op, KN_ERROR_VALUE, "n too large or p too small, see Generator.negative_binomial Notes");
    if (ok && !kna_failed(&c.op))
        return knrng_draw_taken(&c, &d, a);
    knrng_forget(2, a);
    return knrng_failed(&c);
}

kn_array kn_random_state_negative_binomial(kn_random_state state, kn_array n, kn_array p, const kn_shape *size)
{
    static const knrng_distribution d = {.name = "negative_binomial",
                                         .n = 2,
                                         .rule = {{"n", KNRNG_POSITIVE, false, NAN}, {"p", KNRNG_0_TO_1, false, NAN}},
                                         .count = knrng_negative_binomial_count,
                                         .legacy_count = knrng_legacy_negative_binomial_count};
    return knrng_draw(&d, state, true, size, n, p, NULL);
}

/* ---- Hypergeometric numbers. */

static bool all_below(const knrng_param *p, int64_t limit)
{
    for (int64_t i = 0; i < p->n; i++)
        if (p->v[i].i >= limit)
            return false;
    return true;
}

/* Is nsample at most ngood + nbad, wherever they meet? */
static bool enough(kna_op *op, const knrng_param *a)
{
    kn_shape shape = a[0].shape;
    knrng_walk w;
    bool fit = knrng_join_or_fail(op, &shape, &a[1].shape) && knrng_join_or_fail(op, &shape, &a[2].shape), ok = true;
    knrng_walk_begin(&w, &shape, 3, a);
    int64_t count = fit ? kni_type_size(kni_type_of(KN_DT(I64), shape.ndim, shape.dim)) : 0;
    for (int64_t i = 0; i < count && ok; i++) {
        int64_t sum = (int64_t)((uint64_t)a[0].v[w.at[0]].i + (uint64_t)a[1].v[w.at[1]].i);
        ok = sum >= a[2].v[w.at[2]].i;
        knrng_walk_next(&w);
    }
    return ok;
}

static kn_array draw_hypergeometric(const void *handle, bool legacy, const kn_shape *size, kn_array good, kn_array bad,
                                    kn_array sample)
{
    static const knrng_distribution d = {.name = "hypergeometric",
                                         .n = 3,
                                         .count = knrng_hypergeometric_count,
                                         .legacy_count = knrng_legacy_hypergeometric_count};
    static const char *const name[3] = {"ngood", "nbad", "nsample"};
    const kn_array given[3] = {good, bad, sample};
    knrng_call c;
    knrng_param a[3] = {{0}};
    bool ok = knrng_begin(&c, d.name, handle, legacy, size);
    for (int i = 0; i < 3 && ok; i++)
        ok = knrng_take(&c, given[i], true, NAN, &a[i]);
    if (ok && !legacy && !(all_below(&a[0], 1000000000) && all_below(&a[1], 1000000000)))
        kna_fail(&c.op, KN_ERROR_VALUE, "both ngood and nbad must be less than 1000000000");
    else if (ok && !enough(&c.op, a))
        kna_fail(&c.op, KN_ERROR_VALUE, "ngood + nbad < nsample");
    bool scalars = knrng_all_scalars(3, a);
    for (int i = 0; i < 3 && ok && !kna_failed(&c.op); i++)
        knrng_check(&c.op, &a[i], name[i], legacy && i == 2 ? KNRNG_FROM_1 : KNRNG_NOT_NEGATIVE, scalars, true);
    if (ok && !kna_failed(&c.op))
        return knrng_draw_taken(&c, &d, a);
    knrng_forget(3, a);
    return knrng_failed(&c);
}

kn_array kn_rng_hypergeometric(kn_rng rng, kn_array ngood, kn_array nbad, kn_array nsample, const kn_shape *size)
{
    return draw_hypergeometric(rng, false, size, ngood, nbad, nsample);
}

kn_array kn_random_state_hypergeometric(kn_random_state state, kn_array ngood, kn_array nbad, kn_array nsample,
                                        const kn_shape *size)
{
    return draw_hypergeometric(state, true, size, ngood, nbad, nsample);
}

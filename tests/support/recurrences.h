/* SPDX-License-Identifier: Apache-2.0
 * recurrences.h -- loops that tests and the bench run: a sum that decays, as a scan; square roots by Newton's iteration,
 * as a while loop of as many turns as a number needs. */
#ifndef KN_TEST_RECURRENCES_H
#define KN_TEST_RECURRENCES_H
#include <kiln/kiln.h>

static kn_array decay(const kn_array *s, const kn_array *x) { return kn_add(kn_mul(*s, 0.9f), kn_tanh(*x)); }
KN_FUNCTION(decay, kn_array, kn_array, kn_array)
/* The rows of x, from s on. */
static inline kn_array decaying_sum(kn_array s, kn_array x)
{
    kn_scan(KN_FN(decay), &s, &s, &x);
    return s;
}

typedef struct {
    kn_array x, last;
} Guess;
static kn_array moving(const Guess *g) { return kn_greater(kn_abs(kn_sub(g->x, g->last)), kn_mul(1e-6f, g->x)); }
static Guess improve(const kn_array *a, const Guess *g)
{
    return (Guess){kn_mul(0.5f, kn_add(g->x, kn_div(*a, g->x))), g->x};
}
KN_FUNCTION(moving, kn_array, Guess)
KN_CLOSURE(improve, Guess, kn_array, Guess)
static kn_array newton(const kn_array *a)
{
    Guess g = {kn_add(*a, 1), kn_scalar(0.0f)};
    kn_while_loop(KN_FN(moving), KN_CLOSE(improve, a), &g, &g);
    return g.x;
}
KN_FUNCTION(newton, kn_array, kn_array)
/* Of each element, which is positive. */
static inline kn_array newton_roots(kn_array a)
{
    kn_array y;
    kn_call(kn_vmap(KN_FN(newton)), &y, &a);
    return y;
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- loops and branches that stay inside a trace: a filter as a scan and its gradient, a root by a while with a
 * bound, powers by a counted loop, a choice per element. */
#include <kiln/kiln.h>

/* An exponential average: the next state is also this step's output. */
typedef struct {
    kn_array state, y;
} Step;
static Step average(const kn_array *rate, const kn_array *state, const kn_array *x)
{
    kn_array next = kn_add(*state, kn_mul(*rate, kn_sub(*x, *state)));
    return (Step){next, next};
}
KN_CLOSURE(average, Step, kn_array, kn_array, kn_array)
static kn_array last(const kn_array *rate, const kn_array *xs)
{
    kn_array zero = kn_num(0); /* takes the dtype of what comes back */
    Step out;
    kn_scan(KN_CLOSE(average, rate), &out, &zero, xs);
    return out.state;
}
KN_FUNCTION(last, kn_array, kn_array, kn_array)

/* Newton's square root, at most 20 rounds: so it has a gradient. */
typedef struct {
    kn_array a, x;
} Root;
static kn_array is_off(const Root *r) { return kn_greater(kn_abs(kn_sub(kn_square(r->x), r->a)), 1e-9); }
static Root improve(const Root *r) { return (Root){r->a, kn_mul(0.5, kn_add(r->x, kn_div(r->a, r->x)))}; }
KN_FUNCTION(is_off, kn_array, Root)
KN_FUNCTION(improve, Root, Root)
static kn_array root(const kn_array *a)
{
    Root r = {*a, *a};
    kn_while_loop(KN_FN(is_off), KN_FN(improve), &r, &r, .max_steps = 20);
    return r.x;
}
KN_FUNCTION(root, kn_array, kn_array)

static kn_array times(const kn_array *x, const kn_array *i, const kn_array *product)
{
    (void)i;
    return kn_mul(*product, *x);
}
KN_CLOSURE(times, kn_array, kn_array, kn_array, kn_array)
static kn_array negated(const kn_array *x) { return kn_negative(*x); }
KN_FUNCTION(negated, kn_array, kn_array)
/* -x below 0, else the root of x */
static kn_array choose(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_less(*x, 0), KN_FN(negated), KN_FN(root), &out, x);
    return out;
}
KN_FUNCTION(choose, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array rate = kn_scalar(0.5), xs = kn_of(double, 8, 4, 2, 1), out, zero = kn_scalar(0.0);
    Step filtered;
    kn_scan(KN_CLOSE(average, &rate), &filtered, &zero, &xs, .accept = KN_SCAN_COMPILED_LOOP);
    kn_print(filtered.y);
    kn_call(kn_jit(kn_grad(KN_FN(last), .argnums = KN_ARGNUMS(1))), &out, &rate, &xs);
    kn_print(out);

    kn_array squares = kn_of(double, 4, 9, 100);
    kn_call(kn_jit(kn_vmap(KN_FN(root))), &out, &squares);
    kn_print(out);
    kn_call(kn_vmap(kn_grad(KN_FN(root))), &out, &squares);
    kn_print(kn_round(out, .decimals = 6));

    kn_array two = kn_scalar(2.0), one = kn_scalar(1.0);
    kn_fori_loop(0, 10, KN_CLOSE(times, &two), &out, &one);
    kn_print(out);

    kn_array points = kn_of(double, -3, 16);
    kn_call(kn_vmap(KN_FN(choose)), &out, &points);
    kn_print(out);
    kn_lax_map(KN_FN(choose), &out, &points); /* the same, one after the other */
    kn_print(out);
    return kn_finish();
}

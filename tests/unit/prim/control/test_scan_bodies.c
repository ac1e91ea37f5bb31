/* SPDX-License-Identifier: Apache-2.0
 * test_scan_bodies.c -- scans whose bodies have rows with rules of their own: custom derivatives, checkpoints, loops,
 * branches and callbacks; derivatives against closed forms and against loops in C. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array carry, y;
} Step;
KN_FIELDS(Step, carry, y)

/* ---- Custom derivatives: wrong by a factor on purpose, so that they are told from the body's. */

static kn_array triple(const kn_array *x) { return kn_mul(*x, 3); }
KN_FUNCTION(triple, kn_array, kn_array)
static Step triple_fwd(const kn_array *x) { return (Step){kn_mul(*x, 3), *x}; }
KN_FUNCTION(triple_fwd, Step, kn_array)
static kn_array triple_bwd(const kn_array *x, const kn_array *ct) /* as if it were 5 x, and 0 beyond 100 */
{
    return kn_where(kn_less(*x, 100), kn_mul(*ct, 5), 0.0);
}
KN_FUNCTION(triple_bwd, kn_array, kn_array, kn_array)
static Step triple_jvp(const kn_array *x, const kn_array *dx) { return (Step){kn_mul(*x, 3), kn_mul(*dx, 7)}; }
KN_FUNCTION(triple_jvp, Step, kn_array, kn_array)

static Step tripled(const kn_array *c)
{
    kn_array y;
    kn_call(kn_custom_vjp(KN_FN(triple), KN_FN(triple_fwd), KN_FN(triple_bwd)), &y, c);
    return (Step){y, *c};
}
static Step tripled_too(const kn_array *c)
{
    kn_array y;
    kn_call(kn_custom_jvp(KN_FN(triple), KN_FN(triple_jvp)), &y, c);
    return (Step){y, *c};
}
KN_FUNCTION(tripled, Step, kn_array)
KN_FUNCTION(tripled_too, Step, kn_array)

static int64_t checkpoint;
static kn_array last(const kn_array *x)
{
    Step out;
    kn_scan(KN_FN(tripled), &out, x, KN_NOTHING, .length = 3, .checkpoint = checkpoint);
    return out.carry;
}
static kn_array sum_too(const kn_array *x)
{
    Step out;
    kn_scan(KN_FN(tripled_too), &out, x, KN_NOTHING, .length = 3, .checkpoint = checkpoint);
    return kn_add(out.carry, kn_sum(out.y));
}
KN_FUNCTION(last, kn_array, kn_array)
KN_FUNCTION(sum_too, kn_array, kn_array)

static void custom_derivatives_count_in_a_body(void **state)
{
    (void)state;
    for (checkpoint = 0; checkpoint < 4; checkpoint++) {
        KN_SCOPE;
        kn_array x = kn_scalar(2.0), g, y;
        kn_call(KN_FN(last), &y, &x);
        expect_values(y, 54);
        kn_call(kn_grad(KN_FN(last)), &g, &x);
        expect_values(g, 125);
        kn_call(kn_jit(kn_grad(KN_FN(last))), &g, &x);
        expect_values(g, 125);
        kn_call(kn_grad(KN_FN(sum_too)), &g, &x);
        expect_values(g, 343 + 1 + 7 + 49);
        kn_array many = kn_of(double, 1, 40);
        kn_call(kn_vmap(kn_grad(KN_FN(last))), &g, &many); /* 40, 120, 360: two steps begin beyond 100 */
        expect_values(g, 125, 0);
    }
    checkpoint = 0;
}

/* ---- A checkpoint in a body, and around a scan. */

static kn_array curved(const kn_array *c) { return kn_sin(kn_mul(*c, *c)); }
KN_FUNCTION(curved, kn_array, kn_array)
static kn_array plain_loop(const kn_array *x)
{
    kn_array end;
    kn_scan(KN_FN(curved), &end, x, KN_NOTHING, .length = 4, .checkpoint = checkpoint);
    return end;
}
static kn_array checkpointed_body(const kn_array *x)
{
    kn_array end;
    kn_scan(kn_checkpoint(KN_FN(curved)), &end, x, KN_NOTHING, .length = 4, .checkpoint = checkpoint);
    return end;
}
KN_FUNCTION(plain_loop, kn_array, kn_array)
KN_FUNCTION(checkpointed_body, kn_array, kn_array)

/* sin(x^2), n times: its first and second derivative */
static void curved_slopes(double x, int n, double *first, double *second)
{
    double d = 1, dd = 0;
    for (int i = 0; i < n; i++) {
        double s = 2 * x * cos(x * x), ss = 2 * cos(x * x) - 4 * x * x * sin(x * x);
        dd = ss * d * d + s * dd;
        d = s * d;
        x = sin(x * x);
    }
    *first = d;
    *second = dd;
}

static void checkpoints_and_scans_compose(void **state)
{
    (void)state;
    double first, second;
    curved_slopes(1.1, 4, &first, &second);
    for (checkpoint = -1; checkpoint < 5; checkpoint++) {
        KN_SCOPE;
        const kn_fn ways[] = {KN_FN(plain_loop), KN_FN(checkpointed_body), kn_checkpoint(KN_FN(plain_loop)),
                              kn_checkpoint(KN_FN(checkpointed_body)), kn_jit(KN_FN(checkpointed_body))};
        kn_array x = kn_scalar(1.1), g;
        for (int i = 0; i < 5; i++) {
            kn_call(kn_grad(ways[i]), &g, &x);
            expect_near(g, 1e-12, first);
            kn_call(kn_jit(kn_grad(kn_grad(ways[i]))), &g, &x);
            expect_near(g, 1e-11, second);
        }
    }
    checkpoint = 0;
}

/* ---- Branches and loops in a body. */

static kn_array halved(const kn_array *x) { return kn_mul(*x, 0.5); }
static kn_array squared(const kn_array *x) { return kn_mul(*x, *x); }
KN_FUNCTION(halved, kn_array, kn_array)
KN_FUNCTION(squared, kn_array, kn_array)
static kn_array either(const kn_array *c)
{
    kn_array y;
    kn_cond(kn_greater(*c, 1), KN_FN(halved), KN_FN(squared), &y, c);
    return kn_add(y, 0.75);
}
KN_FUNCTION(either, kn_array, kn_array)
static kn_array both_ways(const kn_array *x)
{
    kn_array end;
    kn_scan(KN_FN(either), &end, x, KN_NOTHING, .length = 5, .checkpoint = checkpoint);
    return end;
}
KN_FUNCTION(both_ways, kn_array, kn_array)
static double slope_of_both(double x)
{
    double d = 1;
    for (int i = 0; i < 5; i++) {
        d *= x > 1 ? 0.5 : 2 * x;
        x = (x > 1 ? 0.5 * x : x * x) + 0.75;
    }
    return d;
}

static void branches_in_a_body_have_derivatives(void **state)
{
    (void)state;
    for (checkpoint = 0; checkpoint < 3; checkpoint++) {
        KN_SCOPE;
        kn_array x = kn_scalar(0.4), many = kn_of(double, 0.1, 0.4, 1.5, 3), g;
        kn_call(kn_grad(KN_FN(both_ways)), &g, &x);
        expect_near(g, 1e-14, slope_of_both(0.4));
        kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(both_ways)))), &g, &many);
        expect_near(g, 1e-14, slope_of_both(0.1), slope_of_both(0.4), slope_of_both(1.5), slope_of_both(3));
    }
    checkpoint = 0;
}

static kn_array until_large(const kn_array *c) { return kn_less(*c, 10); }
static kn_array doubled(const kn_array *c) { return kn_mul(*c, 2); }
KN_FUNCTION(until_large, kn_array, kn_array)
KN_FUNCTION(doubled, kn_array, kn_array)
static kn_array grows(const kn_array *c)
{
    kn_array y;
    kn_while_loop(KN_FN(until_large), KN_FN(doubled), &y, c, .max_steps = 8);
    return kn_mul(y, 0.3);
}
KN_FUNCTION(grows, kn_array, kn_array)
static kn_array all_grow(const kn_array *x)
{
    kn_array end;
    kn_scan(KN_FN(grows), &end, x, KN_NOTHING, .length = 3, .checkpoint = checkpoint);
    return end;
}
KN_FUNCTION(all_grow, kn_array, kn_array)

static void bounded_loops_in_a_body_have_derivatives(void **state)
{
    (void)state;
    for (checkpoint = 0; checkpoint < 3; checkpoint++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 6, 20), g;
        kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(all_grow)))), &g, &x);
        double expected[3];
        for (int k = 0; k < 3; k++) {
            double v = (const double[]){1, 6, 20}[k], d = 1;
            for (int i = 0; i < 3; i++) {
                for (; v < 10; v *= 2)
                    d *= 2;
                v *= 0.3, d *= 0.3;
            }
            expected[k] = d;
        }
        expect_near(g, 1e-14, expected[0], expected[1], expected[2]);
    }
    checkpoint = 0;
}

/* ---- Callbacks. */

static int seen;
static int count(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    seen++;
    return 0;
}
static kn_array noted(const kn_array *c)
{
    kn_debug_callback(count, NULL, KN_LIST(*c));
    return kn_sin(*c);
}
KN_FUNCTION(noted, kn_array, kn_array)
static kn_array all_noted(const kn_array *x)
{
    kn_array end;
    kn_scan(KN_FN(noted), &end, x, KN_NOTHING, .length = 6);
    return end;
}
KN_FUNCTION(all_noted, kn_array, kn_array)

static void a_callback_in_a_body_runs_once_for_each_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y;
    seen = 0;
    kn_call(kn_jit(KN_FN(all_noted)), &y, &x);
    kn_eval(y);
    assert_int_equal(seen, 6);
    seen = 0;
    kn_call(kn_jit(kn_grad(KN_FN(all_noted))), &y, &x);
    kn_eval(y);
    assert_int_equal(seen, 6);
}

KN_TEST_GROUP(test_scan_bodies)
{
    const struct CMUnitTest tests[] = {
        TEST(custom_derivatives_count_in_a_body),           TEST(checkpoints_and_scans_compose),
        TEST(branches_in_a_body_have_derivatives),          TEST(bounded_loops_in_a_body_have_derivatives),
        TEST(a_callback_in_a_body_runs_once_for_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

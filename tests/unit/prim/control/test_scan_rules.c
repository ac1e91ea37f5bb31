/* SPDX-License-Identifier: Apache-2.0
 * test_scan_rules.c -- the rules of scan on jaxprs: against the same transformation of the body written out `length`
 * times, which knows nothing of scan, and against differences; with checkpoints, too. */
#include "support/group.h"
#include "support/scans.h"

typedef struct scene {
    const body *d;
    int64_t length;
    bool reverse;
    int64_t checkpoint;
    const char *what;
} scene;

/* Both run on the same values; takes them over. */
static void expect_same(const scene *s, kni_jaxpr *j, kni_jaxpr *k, bool exact)
{
    double off = run_both(j, k, exact);
    if (off < 0 || off > 1e-12)
        fail_msg("%s, %s, %d steps%s, checkpoint %d: off by %g", s->what, s->d->name, (int)s->length,
                 s->reverse ? " in reverse" : "", (int)s->checkpoint, off);
}

static void each_scene(void (*check)(scene *s), const char *what)
{
    static const int64_t lengths[] = {0, 1, 2, 7};
    for (int d = 0; d < N_BODIES; d++)
        for (int l = 0; l < 4; l++)
            for (int reverse = 0; reverse < 2; reverse++)
                check(&(scene){&bodies[d], lengths[l], reverse, 0, what});
}
static kni_jaxpr *of(const scene *s) { return scan_of(s->d, s->length, s->reverse, s->checkpoint); }

/* --- against the body written out ------------------------------------------------------------- */

static void value_of(scene *s) { expect_same(s, of(s), written_out(of(s)), true); }
static void values_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(value_of, "value");
}

/* With tangents of everything, of constants, of carries, of xs alone. */
static int choose_tangents(const scene *s, const kni_jaxpr *j, int which, bool *tangent)
{
    int n = 0, ends[4] = {0, s->d->n_const, s->d->n_const + s->d->n_carry, (int)j->n_in};
    for (int i = 0; i < (int)j->n_in; i++) {
        bool in = which == 3 || (i >= ends[which] && i < ends[which + 1]);
        n += tangent[i] = in && kni_has_tangent(kni_in_type(j, (uint32_t)i));
    }
    return n;
}

static void jvp_of(scene *s)
{
    bool tangent[MANY] = {0};
    for (int which = 0; which < 4; which++) {
        kni_jaxpr *j = of(s);
        if (choose_tangents(s, j, which, tangent))
            expect_same(s, forward(kni_retain(j), tangent), forward(written_out(kni_retain(j)), tangent), false);
        kni_release(j);
    }
}
static void tangents_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(jvp_of, "jvp");
}

static void gradient_of(scene *s)
{
    bool tangent[MANY] = {0};
    for (int which = 0; which < 4; which++) {
        kni_jaxpr *j = of(s);
        if (choose_tangents(s, j, which, tangent)) {
            kni_jaxpr *back = pullback(kni_retain(j), tangent);
            expect_same(s, kni_retain(back), pullback(written_out(kni_retain(j)), tangent), false);
            expect_same(s, back, written_out(kni_retain(back)), false);
        }
        kni_release(j);
    }
}
static void gradients_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(gradient_of, "gradient");
}

static void second_of(scene *s)
{
    bool tangent[MANY] = {0}, all[MANY] = {0};
    kni_jaxpr *j = of(s), *steps = written_out(of(s));
    int n = mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(kni_retain(j), tangent), *back_steps = pullback(kni_retain(steps), tangent);
    mark_tangents(back, all);
    if (n) {
        expect_same(s, forward(kni_retain(back), all), forward(kni_retain(back_steps), all), false);
        expect_same(s, pullback(kni_retain(back), tangent), pullback(kni_retain(back_steps), tangent), false);
        kni_jaxpr *f = forward(kni_retain(j), tangent), *g = forward(kni_retain(steps), tangent);
        expect_same(s, pullback(f, tangent), pullback(g, tangent), false);
    }
    kni_release(j), kni_release(steps), kni_release(back), kni_release(back_steps);
}
static void second_derivatives_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(second_of, "second derivative");
}

static void batch_of(scene *s)
{
    uint64_t seed = 3;
    for (int turn = 0; turn < 6; turn++) {
        kni_jaxpr *j = of(s), *steps = written_out(of(s)), *batched = NULL, *batched_steps = NULL;
        int axis[MANY], any = 0;
        for (uint32_t i = 0; i < j->n_in; i++) {
            axis[i] = turn ? test_below(&seed, kni_in_type(j, i).ndim + 2) - 1 : 0;
            any += axis[i] >= 0;
        }
        if (any) {
            test_ok(knt_batch(j, 3, NULL, axis, NULL, &batched));
            test_ok(knt_batch(steps, 3, NULL, axis, NULL, &batched_steps));
            expect_same(s, batched, batched_steps, true);
        }
        kni_release(j), kni_release(steps);
    }
}
static void lanes_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(batch_of, "vmap");
}

/* --- against differences ---------------------------------------------------------------------- */

/* <ct, f(x + h u) - f(x - h u)> / 2 h against <pullback(x, ct), u>, and against the jvp. */
static void slope_of(scene *s)
{
    bool tangent[MANY] = {0};
    kni_jaxpr *j = of(s);
    mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(kni_retain(j), tangent);
    values x = make_values(back, 9), u = make_values(j, 11), grad = run(back, &x);
    double along = 0, h = 1e-5, slope = 0;
    for (int i = 0, k = 0; i < (int)j->n_in; i++) {
        const double *a = tangent[i] ? grad.at[k++]->data : NULL, *d = u.at[i]->data;
        for (size_t e = 0; a && e < kni_type_bytes(kni_in_type(j, (uint32_t)i)) / 8; e++)
            along += a[e] * d[e];
    }
    for (int side = -1; side <= 1; side += 2) {
        values moved = make_values(j, 9);
        for (int i = 0; i < moved.n; i++)
            for (size_t e = 0; tangent[i] && e < kni_type_bytes(kni_in_type(j, (uint32_t)i)) / 8; e++)
                ((double *)moved.at[i]->data)[e] += side * h * ((double *)u.at[i]->data)[e];
        values y = run(j, &moved);
        for (int i = 0, k = (int)j->n_in; i < y.n; i++) {
            if (!kni_has_tangent(kni_out_type(j, (uint32_t)i)))
                continue;
            const double *ct = x.at[k++]->data;
            for (size_t e = 0; e < kni_type_bytes(kni_out_type(j, (uint32_t)i)) / 8; e++)
                slope += side * ct[e] * ((double *)y.at[i]->data)[e] / (2 * h);
        }
        drop(&moved), drop(&y);
    }
    if (fabs(along - slope) > 1e-7 * fmax(1, fabs(slope)))
        fail_msg("%s, %d steps: %.12g, but differences give %.12g", s->d->name, (int)s->length, along, slope);
    drop(&x), drop(&u), drop(&grad);
    kni_release(j), kni_release(back);
}
static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int d = 0; d < N_BODIES; d++)
        if (bodies[d].write != complex_numbers)
            for (int reverse = 0; reverse < 2; reverse++)
                slope_of(&(scene){&bodies[d], 4, reverse, 0, "slope"});
}

/* --- checkpoints ------------------------------------------------------------------------------ */

/* Values and tangents have the same bits; cotangents of constants are summed chunk by chunk, so they round elsewhere. */
static void with_checkpoints(scene *s)
{
    static const int64_t every[] = {1, 2, 3, KN_CHECKPOINT_ROOT, 7, 100};
    bool tangent[MANY] = {0}, all[MANY] = {0};
    for (int k = 0; k < 6; k++) {
        scene c = *s;
        c.checkpoint = every[k];
        kni_jaxpr *j = of(s), *kept = of(&c);
        mark_tangents(j, tangent);
        expect_same(&c, kni_retain(kept), kni_retain(j), true);
        expect_same(&c, forward(kni_retain(kept), tangent), forward(kni_retain(j), tangent), true);
        kni_jaxpr *back = pullback(kni_retain(kept), tangent), *plain = pullback(kni_retain(j), tangent);
        expect_same(&c, kni_retain(back), kni_retain(plain), s->d->n_const == 0);
        expect_same(&c, kni_retain(back), written_out(kni_retain(back)), false);
        if (s->length == 7 && c.checkpoint != 1) {
            mark_tangents(back, all);
            expect_same(&c, forward(kni_retain(back), all), forward(kni_retain(plain), all), false);
            expect_same(&c, pullback(kni_retain(back), tangent), pullback(kni_retain(plain), tangent), false);
        }
        kni_release(j), kni_release(kept), kni_release(back), kni_release(plain);
    }
}
static void checkpoints_change_no_results(void **state)
{
    (void)state;
    each_scene(with_checkpoints, "checkpoint");
}

/* --- what only some programs reach ------------------------------------------------------------ */

/* Transposed without being linearized before: what the count was is worked out first. */
static void a_count_beside_linear_carries_is_transposed(void **state)
{
    (void)state;
    static const bool both[] = {false, true, true}, carry[] = {false, true, false}, x[] = {false, false, true};
    const bool *const linear[] = {both, carry, x};
    for (int which = 0; which < 3; which++)
        for (int length = 0; length < 5; length += 2)
            for (int reverse = 0; reverse < 2; reverse++) {
                kni_jaxpr *j = scan_of(&counting, length, reverse, 0), *some = NULL, *back = NULL, *steps = NULL;
                const uint32_t in[] = {0, 1, 2}, out[] = {1, 2}; /* the count has no cotangent */
                test_ok(knp_pick(j, 3, in, 2, out, &some));
                test_ok(knt_transpose(some, linear[which], &back));
                some = written_out(some);
                test_ok(knt_transpose(some, linear[which], &steps));
                assert_true(run_both(back, steps, false) < 1e-12);
                kni_release(j), kni_release(some);
            }
}

/* Collectives and the lane's number in a body. */
static int named(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    const char *const name[] = {"i"};
    y[0] = knb_add(b, knb_mul(b, x[1], x[0]), knb_psum(b, x[2], (kni_names){1, name}, NULL));
    y[1] = knb_add(b, x[2], knb_convert(b, knb_axis_index(b, (kni_names){1, name}, NULL), KN_DT(F64)));
    return 2;
}
static int lane_number(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    const char *const name[] = {"i"};
    y[0] = knb_add(b, x[0], knb_convert(b, knb_axis_index(b, (kni_names){1, name}, NULL), KN_DT(F64)));
    return 1;
}
static void bodies_know_the_names_of_axes(void **state)
{
    (void)state;
    const body all[] = {{"named", {S, S, S}, 1, 1, 1, named, false}, {"lane_number", {S}, 0, 1, 0, lane_number, false}};
    static const int axes[][3] = {{-1, -1, 0}, {0, -1, -1}, {-1, 0, 1}, {-1, -1, -1}};
    for (int which = 0; which < 2; which++)
        for (int a = 0; a < 4; a++) {
            kni_jaxpr *j = scan_of(&all[which], 3, false, 0), *steps = written_out(kni_retain(j)), *k = NULL, *l = NULL;
            test_ok(knt_batch(j, 4, "i", axes[a], NULL, &k));
            test_ok(knt_batch(steps, 4, "i", axes[a], NULL, &l));
            assert_true(run_both(k, l, true) == 0);
            kni_release(j), kni_release(steps);
        }
}

/* A carry whose beginning has no tangent, no result of which is read but the ys: in chunks, too. */
static void a_body_without_tangents_is_left_alone(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_of(&counting, 3, false, 0);
    knt_linearized l;
    const bool none[3] = {false};
    test_ok(knt_linearize(j, none, &l));
    assert_int_equal(l.n_residual, 0);
    assert_true(kni_equal(l.primal, j));
    knt_linearized_free(&l);
    kni_release(j);
}

KN_TEST_GROUP(test_scan_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_steps),
        cmocka_unit_test(tangents_are_those_of_the_steps),
        cmocka_unit_test(gradients_are_those_of_the_steps),
        cmocka_unit_test(second_derivatives_are_those_of_the_steps),
        cmocka_unit_test(lanes_are_those_of_the_steps),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(checkpoints_change_no_results),
        cmocka_unit_test(a_count_beside_linear_carries_is_transposed),
        cmocka_unit_test(bodies_know_the_names_of_axes),
        cmocka_unit_test(a_body_without_tangents_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_while_rules.c -- a while with a bound on jaxprs: derivatives against as many rounds in a row; what is pruned. */
#include "support/group.h"
#include "support/scans.h"

/* limit; w; x, s, n -> as long as sum(x) < limit: x w + sin(x), s x, n + 1 */
static kni_jaxpr *condition(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom limit = knb_invar(&b, (kni_type)S), x = knb_invar(&b, (kni_type)V3);
    knb_invar(&b, (kni_type)V3), knb_invar(&b, (kni_type)I);
    return FINISH(&b, knb_lt(&b, knb_reduce_sum(&b, x, 1, (int64_t[]){0}), limit));
}
static kni_jaxpr *round_of(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom w = knb_invar(&b, (kni_type)V3), x = knb_invar(&b, (kni_type)V3), s = knb_invar(&b, (kni_type)V3),
             n = knb_invar(&b, (kni_type)I);
    kni_atom next = knb_add(&b, knb_add(&b, knb_mul(&b, x, w), knb_sin(&b, x)), knb_number(&b, KN_DT(F64), 1));
    return FINISH(&b, next, knb_mul(&b, s, x), knb_add(&b, n, knb_integer(&b, KN_DT(I32), 1)));
}

/* limit, w, x, s, n -> x, s, n: as a loop, or as rounds in a row. */
static kni_jaxpr *loop(int64_t max_steps, int rounds)
{
    kni_jaxpr *c = condition(), *r = round_of();
    kni_builder b;
    knb_init(&b);
    kni_atom x[5] = {knb_invar(&b, (kni_type)S), knb_invar(&b, (kni_type)V3), knb_invar(&b, (kni_type)V3),
                     knb_invar(&b, (kni_type)V3), knb_invar(&b, (kni_type)I)};
    if (rounds < 0)
        knb_while(&b, &(kni_p_while){r, 1, c, 1, max_steps, 0, 0}, x, x + 2);
    for (int i = 0; i < rounds; i++)
        knb_inline(&b, r, x + 1, x + 2);
    kni_release(c), kni_release(r);
    return test_finish(&b, 3, x + 2);
}

/* The inputs with x = 0, so that sum(x) is 0, 3, then more: a limit for so many rounds. */
static values begin(const kni_jaxpr *j, double limit)
{
    values v = make_values(j, 21);
    ((double *)v.at[0]->data)[0] = limit;
    memset(v.at[2]->data, 0, 24);
    for (int i = 0; i < 3; i++)
        ((double *)v.at[1]->data)[i] = 0.5 + 0.1 * i;
    ((int32_t *)v.at[4]->data)[0] = 0;
    return v;
}

static void same_from(kni_jaxpr *j, kni_jaxpr *k, double limit)
{
    test_ok(kni_check(j));
    values x = begin(j, limit), y = run(j, &x), z = run(k, &x);
    assert_int_equal(y.n, z.n);
    double off = difference(j, &y, &z, false);
    if (off > 1e-12)
        fail_msg("limit %g: off by %g", limit, off);
    drop(&x), drop(&y), drop(&z);
    kni_release(j), kni_release(k);
}

static const struct {
    double limit;
    int rounds;
} turns[] = {{-1, 0}, {1, 1}, {3.5, 2}, {1e9, 6}}; /* the last one is ended by the bound */
static const bool of_w_x_s[MANY] = {false, true, true, true}, of_all[MANY] = {true, true, true, true};

static void a_bound_ends_a_loop(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        same_from(loop(6, -1), loop(6, turns[t].rounds), turns[t].limit);
}

static void tangents_are_those_of_the_rounds(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        same_from(forward(loop(6, -1), of_all), forward(loop(6, turns[t].rounds), of_all), turns[t].limit);
}

static void gradients_are_those_of_the_rounds(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        same_from(pullback(loop(6, -1), of_w_x_s), pullback(loop(6, turns[t].rounds), of_w_x_s), turns[t].limit);
        same_from(pullback(loop(6, -1), of_all), pullback(loop(6, turns[t].rounds), of_all), turns[t].limit);
    }
}

static void second_derivatives_are_those_of_the_rounds(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        kni_jaxpr *a = pullback(loop(6, -1), of_w_x_s), *b = pullback(loop(6, turns[t].rounds), of_w_x_s);
        same_from(forward(kni_retain(a), of_w_x_s), forward(kni_retain(b), of_w_x_s), turns[t].limit);
        same_from(pullback(a, of_w_x_s), pullback(b, of_w_x_s), turns[t].limit);
        a = forward(loop(6, -1), of_w_x_s), b = forward(loop(6, turns[t].rounds), of_w_x_s);
        same_from(pullback(a, of_w_x_s), pullback(b, of_w_x_s), turns[t].limit);
    }
}

/* Lanes with limits of their own. */
static void lanes_of_gradients_are_gradients(void **state)
{
    (void)state;
    kni_jaxpr *back = pullback(loop(6, -1), of_w_x_s), *batched = NULL;
    int axis[MANY];
    for (uint32_t i = 0; i < back->n_in; i++)
        axis[i] = i ? -1 : 0;
    test_ok(knt_batch(back, 4, NULL, axis, NULL, &batched));
    values x = begin(back, 0);
    knx_buffer_release(x.at[0]);
    x.at[0] = knx_buffer_new(4 * sizeof(double));
    for (int t = 0; t < 4; t++)
        ((double *)x.at[0]->data)[t] = turns[t].limit;
    values y = run(batched, &x);
    for (int t = 0; t < 4; t++) {
        kni_jaxpr *rounds = pullback(loop(6, turns[t].rounds), of_w_x_s);
        values one = begin(rounds, turns[t].limit), z = run(rounds, &one);
        for (int i = 0; i < z.n; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(((double *)y.at[i]->data)[3 * t + k] - ((double *)z.at[i]->data)[k]) < 1e-9);
        drop(&one), drop(&z);
        kni_release(rounds);
    }
    drop(&x), drop(&y);
    kni_release(back), kni_release(batched);
}

static void without_a_bound_reverse_mode_is_an_error(void **state)
{
    (void)state;
    kni_jaxpr *j = loop(0, -1), *back = NULL;
    knt_linearized l;
    test_ok(knt_linearize(j, of_w_x_s, &l));
    bool linear[MANY] = {0};
    for (uint32_t i = l.n_residual; i < l.linear->n_in; i++)
        linear[i] = true;
    knx_error *e = knt_transpose(l.linear, linear, &back);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_VALUE);
    assert_string_equal(e->message, knp_prim_while.no_transpose);
    knx_error_release(e);
    knt_linearized_free(&l);
    kni_release(j);
}

/* --- what nobody needs ------------------------------------------------------------------------ */

static kni_jaxpr *only(unsigned read, const kni_jaxpr *j)
{
    kni_builder b;
    kni_atom x[8], y[8], out[8];
    kni_jaxpr *simple = NULL;
    int n = 0;
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, j, x, y);
    for (uint32_t i = 0; i < j->n_out; i++)
        if (read >> i & 1)
            out[n++] = y[i];
    kni_jaxpr *some = test_finish(&b, n, out);
    test_ok(knt_simplify(some, &simple));
    test_ok(kni_check(simple));
    same_from(some, kni_retain(simple), 3.5);
    return simple;
}

static void carries_that_nobody_reads_are_dropped(void **state)
{
    (void)state;
    kni_jaxpr *j = loop(0, -1), *simple = only(1, j); /* x, and what it needs: x, w, limit */
    assert_int_equal(simple->eqn[0].n_out, 1);
    assert_int_equal(simple->eqn[0].n_in, 3);
    kni_release(simple);
    simple = only(4, j); /* n; x is needed by the condition */
    assert_int_equal(simple->eqn[0].n_out, 2);
    kni_release(simple);
    simple = only(7, j);
    assert_int_equal(simple->eqn[0].n_out, 3);
    kni_release(simple), kni_release(j);
}

static void a_carry_that_never_changes_is_a_constant(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x[2] = {knb_invar(&b, (kni_type)S), knb_invar(&b, (kni_type)S)};
    kni_jaxpr *c = FINISH(&b, knb_lt(&b, x[1], x[0]));
    knb_init(&b);
    x[0] = knb_invar(&b, (kni_type)S), x[1] = knb_invar(&b, (kni_type)S);
    kni_jaxpr *r = FINISH(&b, x[0], knb_add(&b, x[1], knb_number(&b, KN_DT(F64), 1))), *simple = NULL;
    knb_init(&b);
    x[0] = knb_invar(&b, (kni_type)S), x[1] = knb_invar(&b, (kni_type)S);
    kni_atom y[2];
    knb_while(&b, &(kni_p_while){r, 0, c, 0, 0, 0, 0}, x, y);
    kni_jaxpr *j = FINISH(&b, y[0], y[1]);
    test_ok(knt_simplify(j, &simple));
    const kni_p_while *p = simple->eqn[0].params;
    assert_int_equal(simple->eqn[0].n_out, 1);
    assert_int_equal(p->cond_nconsts, 1);
    assert_int_equal(p->body_nconsts, 0);
    assert_int_equal(simple->out[0], 0); /* the operand itself */
    assert_true(run_both(kni_retain(simple), j, true) == 0);
    kni_release(c), kni_release(r), kni_release(simple);
}

KN_TEST_GROUP(test_while_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_ends_a_loop),
        cmocka_unit_test(tangents_are_those_of_the_rounds),
        cmocka_unit_test(gradients_are_those_of_the_rounds),
        cmocka_unit_test(second_derivatives_are_those_of_the_rounds),
        cmocka_unit_test(lanes_of_gradients_are_gradients),
        cmocka_unit_test(without_a_bound_reverse_mode_is_an_error),
        cmocka_unit_test(carries_that_nobody_reads_are_dropped),
        cmocka_unit_test(a_carry_that_never_changes_is_a_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_scan_memory.c -- what scans keep and make: the residuals of reverse mode, with checkpoints, too; results, carries
 * and operands that nobody needs; loops of few steps. */
#include "support/group.h"
#include "support/scans.h"

static bool shows_input(const kni_jaxpr *j, kni_atom a)
{
    for (uint32_t k = j->n_eqn; k-- > 0;)
        if (kni_is_var(a) && a >= j->eqn[k].out && a < j->eqn[k].out + j->eqn[k].n_out)
            a = j->eqn[k].prim->bits & KN_VIEW ? j->eqn[k].in[0] : KN_ATOM_NONE;
    return kni_is_var(a) && a < j->n_in;
}

/* What reverse mode keeps of a scan of rnn: everything between the primal and the linear part but views of operands. */
static int64_t kept_elements(int64_t length, int64_t checkpoint)
{
    kni_jaxpr *j = scan_of(&bodies[0], length, false, checkpoint);
    bool tangent[4] = {true, true, true, true};
    knt_linearized l;
    int64_t n = 0;
    test_ok(knt_linearize(j, tangent, &l));
    for (uint32_t i = 0; i < l.n_residual; i++) {
        kni_atom a = l.primal->out[j->n_out + i];
        if (kni_is_var(a) && !shows_input(l.primal, a))
            n += kni_type_size(kni_atom_type(l.primal, a));
    }
    knt_linearized_free(&l);
    kni_release(j);
    return n;
}

static void checkpoints_keep_a_carry_for_each_chunk(void **state)
{
    (void)state;
    /* per step: the carry before it, the tangent's factor; h' itself is an output and is not kept twice */
    int64_t step = kept_elements(100, 0) / 100;
    assert_int_equal(kept_elements(100, 0), 100 * step);
    assert_true(step >= 3 && step <= 6);
    assert_int_equal(kept_elements(100, 1), 100 * 3);
    assert_int_equal(kept_elements(100, 10), 10 * 3);
    assert_int_equal(kept_elements(100, KN_CHECKPOINT_ROOT), 10 * 3);
    assert_int_equal(kept_elements(103, 10) - kept_elements(100, 10), 3 * step); /* three steps are left */
    assert_int_equal(kept_elements(100, 100), 1 * 3);
}

static size_t workspace_of_gradient(const body *d, int64_t checkpoint)
{
    kni_jaxpr *j = scan_of(d, 400, false, checkpoint);
    bool tangent[MANY] = {0};
    mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(j, tangent);
    knd_loaded *p = test_compile(back, true);
    size_t bytes = p->program->workspace;
    knd_release(p);
    kni_release(back);
    return bytes;
}
/* Of 400 steps of rnn: 20 carries and what 20 steps keep, not what 400 do. */
static void checkpoints_need_less_memory(void **state)
{
    (void)state;
    size_t all = workspace_of_gradient(&bodies[0], 0), some = workspace_of_gradient(&bodies[0], KN_CHECKPOINT_ROOT);
    assert_true(all >= (size_t)400 * 2 * 3 * sizeof(double));
    assert_true(some < all / 4);
}

/* --- what is stacked -------------------------------------------------------------------------- */

static const kni_eqn *scan_number(const kni_jaxpr *j, int n)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim == &knp_prim_scan && !n--)
            return &j->eqn[k];
    fail_msg("too few scans");
    return NULL;
}

static knt_linearized linearized(const body *d, int64_t length)
{
    kni_jaxpr *j = scan_of(d, length, false, 0);
    bool tangent[MANY] = {0};
    knt_linearized l;
    mark_tangents(j, tangent);
    test_ok(knt_linearize(j, tangent, &l));
    kni_release(j);
    return l;
}

static void constants_are_not_stacked(void **state)
{
    (void)state;
    knt_linearized l = linearized(&bodies[0], 5);
    const kni_eqn *primal = scan_number(l.primal, 0), *linear = scan_number(l.linear, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2); /* 5 x 3, not 5 x 3 x 3 */
    for (uint32_t i = 0; i < linear->n_in; i++)
        assert_true(kni_atom_type(l.linear, linear->in[i]).ndim <= 2);
    /* W and u themselves */
    assert_int_equal(((const kni_p_scan *)linear->params)->num_consts, 2 + 2);
    knt_linearized_free(&l);
}

static void what_is_made_of_constants_is_made_once(void **state)
{
    (void)state;
    knt_linearized l = linearized(&bodies[9], 5);
    const kni_eqn *primal = scan_number(l.primal, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2);
    bool outside = false;
    for (uint32_t k = 0; k < l.primal->n_eqn; k++)
        outside |= l.primal->eqn[k].prim == &knp_prim_exp;
    assert_true(outside);
    knt_linearized_free(&l);
}

static void elements_of_inputs_are_not_copied(void **state)
{
    (void)state;
    knt_linearized l = linearized(&bodies[2], 5); /* x x w: x and w are residuals, and 2 x or x w, each stacked once */
    uint32_t from_input = 0;
    for (uint32_t i = 0; i < l.n_residual; i++)
        from_input += l.primal->out[2 + i] == 1; /* the second input, xs */
    assert_int_equal(from_input, 1);
    knt_linearized_free(&l);
}

static int count_of(const kni_jaxpr *j, const kni_prim *p)
{
    int n = 0;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        n += j->eqn[k].prim == p;
    return n;
}

/* The last scan of a gradient, and how many products are outside of loops. */
static const kni_p_scan *last_scan(const body *d, kni_jaxpr **simple, int *products)
{
    kni_jaxpr *j = scan_of(d, 5, false, 0);
    bool tangent[MANY] = {0};
    mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(j, tangent);
    test_ok(knt_simplify(back, simple));
    kni_release(back);
    *products = count_of(*simple, &knp_prim_dot_general);
    return scan_number(*simple, count_of(*simple, &knp_prim_scan) - 1)->params;
}

static void sums_of_large_products_are_made_after_the_loop(void **state)
{
    (void)state;
    kni_jaxpr *simple;
    int products;
    const kni_p_scan *p = last_scan(&bodies[N_BODIES - 1], &simple, &products);
    assert_int_equal(p->num_carry, 1); /* the cotangent of h, no sum */
    assert_int_equal(products, 2);
    kni_release(simple);
    p = last_scan(&bodies[0], &simple, &products); /* 3 x 3 numbers are added up step by step */
    assert_int_equal(p->num_carry, 3);
    assert_int_equal(products, 0);
    kni_release(simple);
}

/* --- what nobody needs ------------------------------------------------------------------------ */

/* The results that are marked of a scan of d, simplified. */
static kni_jaxpr *only_results(const body *d, unsigned read)
{
    kni_jaxpr *j = scan_of(d, 4, false, 0), *simple = NULL;
    kni_builder b;
    kni_atom x[8], y[8], out[8];
    int n = 0;
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, j, x, y);
    for (uint32_t i = 0; i < j->n_out; i++)
        if (read >> i & 1)
            out[n++] = y[i];
    kni_release(j);
    j = test_finish(&b, n, out);
    test_ok(knt_simplify(j, &simple));
    test_ok(kni_check(simple));
    assert_true(run_both(kni_retain(simple), j, true) == 0);
    return simple;
}

static void results_that_nobody_reads_are_dropped(void **state)
{
    (void)state;
    kni_jaxpr *j = only_results(&bodies[4], 1u << 2); /* the stacked input: no carry, no constant is needed */
    const kni_eqn *e = scan_number(j, 0);
    const kni_p_scan *p = e->params;
    assert_int_equal(p->num_carry, 0);
    assert_int_equal(p->num_consts, 0);
    assert_int_equal(e->n_in, 1);
    assert_int_equal(e->n_out, 1);
    kni_release(j);
    j = only_results(&bodies[4], 1u << 1); /* the carry before each step: the last carry is needed for it */
    e = scan_number(j, 0);
    p = e->params;
    assert_int_equal(p->num_carry, 1);
    assert_int_equal(e->n_out, 2);
    kni_release(j);
    j = only_results(&bodies[3], 1u << 0); /* the count alone */
    e = scan_number(j, 0);
    assert_int_equal(e->n_in, 1);
    assert_int_equal(e->n_out, 1);
    kni_release(j);
}

static void carries_that_never_change_are_constants(void **state)
{
    (void)state;
    kni_jaxpr *j = only_results(&bodies[5], 7);
    const kni_eqn *e = scan_number(j, 0);
    const kni_p_scan *p = e->params;
    assert_int_equal(p->num_carry, 1);
    assert_int_equal(p->num_consts, 1);
    assert_int_equal(j->out[0], 0); /* its last value is its first one */
    kni_release(j);
    j = only_results(&bodies[5], 1);
    assert_int_equal(j->n_eqn, 0);
    kni_release(j);
}

/* What reads a result, but is read by nobody, does not count. */
static void dead_readers_do_not_count(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_of(&bodies[4], 4, false, 0), *simple = NULL;
    kni_builder b;
    kni_atom x[3], y[5];
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, j, x, y);
    knb_sin(&b, knb_sin(&b, y[0]));
    kni_release(j);
    j = FINISH(&b, y[2]);
    test_ok(knt_simplify(j, &simple));
    assert_int_equal(simple->n_eqn, 1);
    assert_int_equal(simple->eqn[0].n_out, 1);
    kni_release(j), kni_release(simple);
}

static void one_after_the_other_is_dropped(void **state)
{
    (void)state;
    kni_jaxpr *steps = body_of(&bodies[4]), *simple = NULL;
    kni_builder b;
    kni_atom x[3], y[5], z[5];
    knb_init(&b);
    const int64_t two[] = {4, 3};
    for (int i = 0; i < 3; i++)
        x[i] = knb_invar(&b, i < 2 ? bodies[4].in[i] : kni_type_of(KN_DT(F64), 2, two));
    kni_p_scan p = {.jaxpr = steps, .length = 4, .num_carry = 1, .num_consts = 1};
    knb_scan(&b, &p, x, y);
    knb_scan(&b, &p, (kni_atom[]){x[0], y[0], y[2]}, z); /* of which only the stacked input is read */
    kni_jaxpr *j = FINISH(&b, z[2]);
    test_ok(knt_simplify(j, &simple));
    for (int i = 0; i < 2; i++)
        assert_int_equal(scan_number(simple, i)->n_out, 1);
    kni_release(j), kni_release(simple), kni_release(steps);
}

static void few_steps_are_written_out(void **state)
{
    (void)state;
    for (int d = 0; d < N_BODIES; d++)
        for (int length = 0; length < 3; length++) {
            kni_jaxpr *j = scan_of(&bodies[d], length, false, 0), *expanded = NULL;
            test_ok(knt_expand(j, &expanded));
            bool loops = false;
            for (uint32_t k = 0; k < expanded->n_eqn; k++)
                loops |= expanded->eqn[k].prim == &knp_prim_scan &&
                         ((const kni_p_scan *)expanded->eqn[k].params)->length < 3;
            assert_int_equal(loops, length == 2);
            kni_release(j), kni_release(expanded);
        }
}

static void a_scan_that_is_watched_stays(void **state)
{
    (void)state;
    kni_jaxpr *j = body_of(&bodies[1]);
    kni_p_scan p = {.jaxpr = j, .length = 1, .num_consts = 1, .num_carry = 1, .on_step = 1};
    assert_false(knp_prim_scan.expands(&(kni_rule){.params = &p}));
    p.on_step = 0;
    p.accept = KN_PATH_COMPILED;
    assert_false(knp_prim_scan.expands(&(kni_rule){.params = &p}));
    p.accept = 0;
    assert_true(knp_prim_scan.expands(&(kni_rule){.params = &p}));
    kni_release(j);
}

/* --- what the type rule refuses --------------------------------------------------------------- */

static void refuses(kni_p_scan p, int n_in, const kni_type *x, kn_error_kind kind, const char *text)
{
    knx_arena a = KN_ARENA_INIT;
    kni_type y[8];
    kni_rule r = {.params = &p, .n_in = n_in, .n_out = 8, .xt = x, .arena = &a};
    knx_error *e = knp_prim_scan.type(&r, y);
    assert_non_null(e);
    assert_string_equal(e->message, text);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
    knx_arena_free(&a);
}

static void operands_fit_the_body(void **state)
{
    (void)state;
    const int64_t five[] = {5, 3};
    const kni_type v3 = V3, m = {.dtype = KN_DT(F64), .ndim = 2, .dim = five};
    const kni_type right[] = {v3, m}, swapped[] = {m, v3};
    kni_jaxpr *j = body_of(&bodies[2]);
    refuses((kni_p_scan){.length = 5}, 2, right, KN_ERROR_VALUE, "scan needs a jaxpr without constants");
    refuses((kni_p_scan){.jaxpr = j, .length = -1}, 2, right, KN_ERROR_VALUE,
            "0 constants and 0 carries do not fit 2 operands");
    refuses((kni_p_scan){.jaxpr = j, .length = 5, .num_consts = 3}, 2, right, KN_ERROR_VALUE,
            "3 constants and 0 carries do not fit 2 operands");
    refuses((kni_p_scan){.jaxpr = j, .length = 5, .num_consts = 1}, 1, right, KN_ERROR_TYPE,
            "the body takes 2 and gives 2 arrays, not 1 and at least 0");
    refuses((kni_p_scan){.jaxpr = j, .length = 4, .num_consts = 1}, 2, right, KN_ERROR_TYPE,
            "input 1 of the body has type float64[3], but scan was given float64[5,3]");
    refuses((kni_p_scan){.jaxpr = j, .length = 5, .num_consts = 1}, 2, swapped, KN_ERROR_TYPE,
            "input 0 of the body has type float64[3], but scan was given float64[5,3]");
    kni_type t[2];
    kni_rule r = {.params = &(kni_p_scan){.num_consts = 1, .num_carry = 2}, .n_in = 2, .xt = right};
    assert_int_equal(knp_prim_scan.body_types(&r, 0, t), 0);
    r.params = &(kni_p_scan){.num_consts = 1};
    assert_int_equal(knp_prim_scan.body_types(&r, 0, t), 2);
    assert_int_equal(t[1].ndim, 1);
    assert_int_equal(t[1].dim[0], 3);
    kni_release(j);
}

KN_TEST_GROUP(test_scan_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_keep_a_carry_for_each_chunk),
        cmocka_unit_test(checkpoints_need_less_memory),
        cmocka_unit_test(constants_are_not_stacked),
        cmocka_unit_test(what_is_made_of_constants_is_made_once),
        cmocka_unit_test(elements_of_inputs_are_not_copied),
        cmocka_unit_test(sums_of_large_products_are_made_after_the_loop),
        cmocka_unit_test(results_that_nobody_reads_are_dropped),
        cmocka_unit_test(carries_that_never_change_are_constants),
        cmocka_unit_test(dead_readers_do_not_count),
        cmocka_unit_test(one_after_the_other_is_dropped),
        cmocka_unit_test(few_steps_are_written_out),
        cmocka_unit_test(a_scan_that_is_watched_stays),
        cmocka_unit_test(operands_fit_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

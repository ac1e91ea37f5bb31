/* SPDX-License-Identifier: Apache-2.0
 * test_scan_memory.c -- what scans keep and make: the residuals of reverse mode, with checkpoints, too; results, carries
 * and operands that nobody needs; loops of few steps. */
#include "loops.h"

static bool shows_input(const kni_jaxpr *j, kn_atom a)
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
    kn_linearized l;
    int64_t n = 0;
    test_ok(knt_linearize(j, tangent, &l));
    for (uint32_t i = 0; i < l.n_residual; i++) {
        kn_atom a = l.primal->out[j->n_out + i];
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

/* --- what is stacked -------------------------------------------------------------------------- */

static const kn_eqn *scan_number(const kni_jaxpr *j, int n)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim == &kn_prim_scan && !n--)
            return &j->eqn[k];
    fail_msg("too few scans");
    return NULL;
}

static kn_linearized linearized(const body *d, int64_t length)
{
    kni_jaxpr *j = scan_of(d, length, false, 0);
    bool tangent[MANY] = {0};
    kn_linearized l;
    mark_tangents(j, tangent);
    test_ok(knt_linearize(j, tangent, &l));
    kni_release(j);
    return l;
}

static void constants_are_not_stacked(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[0], 5);
    const kn_eqn *primal = scan_number(l.primal, 0), *linear = scan_number(l.linear, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2); /* 5 x 3, not 5 x 3 x 3 */
    for (uint32_t i = 0; i < linear->n_in; i++)
        assert_true(kni_atom_type(l.linear, linear->in[i]).ndim <= 2);
    /* W and u themselves */
    assert_int_equal(((const kn_p_scan *)linear->params)->num_consts, 2 + 2);
    knt_linearized_free(&l);
}

static void what_is_made_of_constants_is_made_once(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[9], 5);
    const kn_eqn *primal = scan_number(l.primal, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2);
    bool outside = false;
    for (uint32_t k = 0; k < l.primal->n_eqn; k++)
        outside |= l.primal->eqn[k].prim == &kn_prim_exp;
    assert_true(outside);
    knt_linearized_free(&l);
}

static void elements_of_inputs_are_not_copied(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[2], 5); /* x x w: x and w are residuals, and 2 x or x w, each stacked once */
    uint32_t from_input = 0;
    for (uint32_t i = 0; i < l.n_residual; i++)
        from_input += l.primal->out[2 + i] == 1; /* the second input, xs */
    assert_int_equal(from_input, 1);
    knt_linearized_free(&l);
}

/* --- what nobody needs ------------------------------------------------------------------------ */

/* The results that are marked of a scan of d, simplified. */
static kni_jaxpr *only_results(const body *d, unsigned read)
{
    kni_jaxpr *j = scan_of(d, 4, false, 0), *simple = NULL;
    kn_builder b;
    kn_atom x[8], y[8], out[8];
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
    const kn_eqn *e = scan_number(j, 0);
    const kn_p_scan *p = e->params;
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
    const kn_eqn *e = scan_number(j, 0);
    const kn_p_scan *p = e->params;
    assert_int_equal(p->num_carry, 1);
    assert_int_equal(p->num_consts, 1);
    assert_int_equal(j->out[0], 0); /* its last value is its first one */
    kni_release(j);
    j = only_results(&bodies[5], 1);
    assert_int_equal(j->n_eqn, 0);
    kni_release(j);
}

static void one_after_the_other_is_dropped(void **state)
{
    (void)state;
    kni_jaxpr *steps = body_of(&bodies[4]), *simple = NULL;
    kn_builder b;
    kn_atom x[3], y[5], z[5];
    knb_init(&b);
    const int64_t two[] = {4, 3};
    for (int i = 0; i < 3; i++)
        x[i] = knb_invar(&b, i < 2 ? bodies[4].in[i] : kni_type(KN_DT(F64), 2, two));
    kn_p_scan p = {.jaxpr = steps, .length = 4, .num_carry = 1, .num_consts = 1};
    knb_scan(&b, &p, x, y);
    knb_scan(&b, &p, (kn_atom[]){x[0], y[0], y[2]}, z); /* of which only the stacked input is read */
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
                loops |=
                    expanded->eqn[k].prim == &kn_prim_scan && ((const kn_p_scan *)expanded->eqn[k].params)->length < 3;
            assert_int_equal(loops, length == 2);
            kni_release(j), kni_release(expanded);
        }
}

static void a_scan_that_is_watched_stays(void **state)
{
    (void)state;
    kn_p_scan p = {.length = 1, .on_step = 1};
    assert_false(kn_prim_scan.expands(&p, 0, NULL));
    p = (kn_p_scan){.length = 1, .accept = KN_PATH_COMPILED};
    assert_false(kn_prim_scan.expands(&p, 0, NULL));
    p = (kn_p_scan){.length = 1};
    assert_true(kn_prim_scan.expands(&p, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_keep_a_carry_for_each_chunk),
        cmocka_unit_test(constants_are_not_stacked),
        cmocka_unit_test(what_is_made_of_constants_is_made_once),
        cmocka_unit_test(elements_of_inputs_are_not_copied),
        cmocka_unit_test(results_that_nobody_reads_are_dropped),
        cmocka_unit_test(carries_that_never_change_are_constants),
        cmocka_unit_test(one_after_the_other_is_dropped),
        cmocka_unit_test(few_steps_are_written_out),
        cmocka_unit_test(a_scan_that_is_watched_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

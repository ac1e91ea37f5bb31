/* SPDX-License-Identifier: Apache-2.0
 * test_scan_no_memory.c -- the rules of scan and of a bounded while without memory: each allocation fails once. What comes
 * out is a MemoryError or a result, and nothing is lost. */
#include "support/group.h"
#include "support/scans.h"

typedef knx_error *attempt(const kni_jaxpr *j);

static knx_error *reverse_mode(const kni_jaxpr *j)
{
    bool tangent[MANY], linear[MOST];
    knt_linearized l;
    kni_jaxpr *back = NULL;
    mark_tangents(j, tangent);
    KN_TRY(knt_linearize(j, tangent, &l));
    for (uint32_t i = 0; i < l.linear->n_in; i++)
        linear[i] = i >= l.n_residual;
    knx_error *e = knt_transpose(l.linear, linear, &back);
    knt_linearized_free(&l);
    kni_release(back);
    return e;
}

static knx_error *forward_mode(const kni_jaxpr *j)
{
    bool tangent[MANY];
    kni_jaxpr *f = NULL;
    mark_tangents(j, tangent);
    knx_error *e = knt_jvp(j, tangent, &f);
    kni_release(f);
    return e;
}

static knx_error *lanes(const kni_jaxpr *j)
{
    int axis[MANY];
    kni_jaxpr *f = NULL;
    for (uint32_t i = 0; i < j->n_in; i++)
        axis[i] = i % 2 ? 0 : -1;
    knx_error *e = knt_batch(j, 2, NULL, axis, NULL, &f);
    kni_release(f);
    return e;
}

static knx_error *simpler(const kni_jaxpr *j)
{
    kni_jaxpr *f = NULL, *g = NULL;
    knx_error *e = knt_expand(j, &f);
    if (!e)
        e = knt_simplify(f, &g);
    kni_release(f), kni_release(g);
    return e;
}

/* All results but those of the scan itself that are numbers: the count beside linear carries. */
static knx_error *transposed(const kni_jaxpr *j)
{
    bool linear[MANY];
    kni_jaxpr *f = NULL;
    mark_tangents(j, linear);
    knx_error *e = knt_transpose(j, linear, &f);
    kni_release(f);
    return e;
}

static void fail_each(const char *name, const kni_jaxpr *j, attempt *rule)
{
    knx_fail_pieces(true);
    knx_error_release(rule(j)); /* what is made once */
    for (int64_t k = 0;; k += 1 + k / 100) {
        int64_t live = knx_alloc_live();
        knx_fail_after(k, false);
        knx_error *e = rule(j);
        knx_fail_after(-1, false);
        bool done = !e, memory = e && e->kind == KN_ERROR_MEMORY;
        char message[200] = "";
        if (e)
            snprintf(message, sizeof message, "%s", e->message);
        knx_error_release(e);
        if (!done && !memory)
            fail_msg("%s, allocation %d: %s", name, (int)k, message);
        if (knx_alloc_live() != live)
            fail_msg("%s, allocation %d: %d blocks are lost", name, (int)k, (int)(knx_alloc_live() - live));
        if (done)
            break;
    }
    knx_fail_pieces(false);
}

static void derivatives_and_lanes_without_memory(void **state)
{
    (void)state;
    for (int d = 0; d < N_BODIES; d++)
        for (int checkpoint = 0; checkpoint < 3; checkpoint += 2) {
            kni_jaxpr *j = scan_of(&bodies[d], 5, checkpoint, checkpoint);
            fail_each(bodies[d].name, j, reverse_mode);
            fail_each(bodies[d].name, j, forward_mode);
            fail_each(bodies[d].name, j, lanes);
            kni_release(j);
        }
}

static void transposing_without_memory(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_of(&counting, 4, false, 0), *some = NULL;
    test_ok(knp_pick(j, 3, (const uint32_t[]){0, 1, 2}, 2, (const uint32_t[]){1, 2}, &some));
    fail_each("counted", some, transposed);
    fail_each("counted", some, simpler);
    kni_release(j), kni_release(some);
}

static void pruning_without_memory(void **state)
{
    (void)state;
    for (int length = 0; length < 3; length++) {
        kni_jaxpr *j = scan_of(&bodies[4], length, false, 0), *some = NULL;
        test_ok(knp_pick(j, 3, (const uint32_t[]){0, 1, 2}, 1, (const uint32_t[]){2}, &some));
        fail_each("many_outputs", j, simpler);
        fail_each("many_outputs", some, simpler);
        kni_release(j), kni_release(some);
    }
}

static void a_bounded_while_without_memory(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x[2] = {knb_invar(&b, (kni_type)S), knb_invar(&b, (kni_type)S)}, y[2];
    kni_jaxpr *c = FINISH(&b, knb_lt(&b, x[1], x[0]));
    knb_init(&b);
    x[0] = knb_invar(&b, (kni_type)S), x[1] = knb_invar(&b, (kni_type)S);
    kni_jaxpr *r = FINISH(&b, x[0], knb_add(&b, knb_sin(&b, x[1]), x[0]));
    knb_init(&b);
    x[0] = knb_invar(&b, (kni_type)S), x[1] = knb_invar(&b, (kni_type)S);
    knb_while(&b, &(kni_p_while){r, 0, c, 0, 4, 0, 0}, x, y);
    kni_jaxpr *j = FINISH(&b, y[0], y[1]);
    fail_each("while", j, reverse_mode);
    fail_each("while", j, forward_mode);
    fail_each("while", j, lanes);
    fail_each("while", j, simpler);
    kni_release(c), kni_release(r), kni_release(j);
}

KN_TEST_GROUP(test_scan_no_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_and_lanes_without_memory),
        cmocka_unit_test(transposing_without_memory),
        cmocka_unit_test(pruning_without_memory),
        cmocka_unit_test(a_bounded_while_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

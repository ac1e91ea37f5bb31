/* SPDX-License-Identifier: Apache-2.0
 * test_transform_rows.c -- what transformations make of equations without results, of rows that lack a rule, and of
 * results that nobody asks for. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "transform/transform.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the above */
#include <cmocka.h>

static kni_type number(void) { return kni_scalar_type(KN_DT(F32)); }

static kni_jaxpr *finished(kni_builder *b, int n, const kni_atom *y)
{
    kni_jaxpr *j = NULL;
    assert_null(b->error);
    assert_null(knb_finish(b, n, y, "", false, &j));
    knb_free(b);
    return j;
}

static void has_text(knx_error *e, kn_error_kind kind, const char *text)
{
    assert_non_null(e);
    assert_string_equal(e->message, text);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
}

static void is_text(const kni_jaxpr *j, const char *text)
{
    char *got = NULL;
    assert_null(kni_text(j, KN_FORM_CLASSIC, &got));
    assert_string_equal(got, text);
    knx_free(got);
}

/* --- a row that has nothing but its type ------------------------------------------------------ */

static knx_error *same_type(kni_rule *r, kni_type *y)
{
    *y = *r->xt;
    return NULL;
}
/* It is its operand, doubled; where that is a literal, the literal. */
static kni_atom doubled(const kni_rule *r) { return kni_is_literal(r->x[0]) ? r->x[0] : KN_ATOM_NONE; }
static const kni_prim row = {.name = "mine", .n_in = 1, .n_out = 1, .type = same_type, .simplify = doubled};

static void a_rule_that_is_missing_is_named(void **state)
{
    kni_builder b;
    kni_jaxpr *out = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), y = knb_emit1(&b, &row, NULL, 1, &x);
    kni_jaxpr *j = finished(&b, 1, &y);
    has_text(knt_batch(j, 3, NULL, (int[]){0}, NULL, &out), KN_ERROR_NOT_IMPLEMENTED,
             "batching of mine is not defined");
    has_text(knt_jvp(j, (bool[]){true}, &out), KN_ERROR_NOT_IMPLEMENTED, "the derivative of mine is not defined");
    kni_release(j);
}

static void an_equation_may_be_an_atom(void **state)
{
    kni_builder b;
    kni_jaxpr *out = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), two = knb_number(&b, KN_DT(F32), 2);
    kni_atom y[2] = {knb_emit1(&b, &row, NULL, 1, &two), knb_emit1(&b, &row, NULL, 1, &x)};
    kni_jaxpr *j = finished(&b, 2, y);
    assert_null(knt_simplify(j, &out));
    is_text(out, "{ lambda ; a.\n  let b = mine a\n  in (2.0, b) }");
    kni_release(out), kni_release(j);
}

/* --- equations without results ---------------------------------------------------------------- */

static void show(kni_builder *b, kni_atom x) { knb_debug_print(b, &(kni_p_callback){.fmt = "{}"}, 1, &x); }

/* A rule of a custom derivative may show a tangent, which is not known when values are; the value is. */
static void a_tangent_may_be_shown_in_a_rule(void **state)
{
    kni_builder b;
    knt_linearized l = {0};
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), dx = knb_invar(&b, number()), y[2] = {knb_add(&b, x, x), knb_neg(&b, dx)};
    show(&b, dx);
    show(&b, x);
    kni_jaxpr *rule = finished(&b, 2, y);
    kni_p_custom_jvp p = {.name = "f", .jvp = kni_thunk_new("rule", rule)};
    kni_release(rule);
    knb_init(&b);
    x = knb_invar(&b, number());
    y[0] = knb_add(&b, x, x);
    p.call_jaxpr = finished(&b, 1, y);
    knb_init(&b);
    x = knb_invar(&b, number());
    knb_emit(&b, &knp_prim_custom_jvp_call, &p, 1, &x, y, 1);
    kni_jaxpr *j = finished(&b, 1, y);
    assert_null(knt_linearize(j, (bool[]){true}, &l));
    assert_int_equal(l.primal->n_eqn, 2);
    assert_ptr_equal(l.primal->eqn[1].prim, &knp_prim_debug_print);
    is_text(l.linear, "{ lambda ; a.\n  let b = neg a\n  in b }");
    kni_release(j), kni_release(p.call_jaxpr);
    kni_thunk_release(p.jvp);
    knt_linearized_free(&l);
}

static void what_is_shown_does_not_matter_backwards(void **state)
{
    kni_builder b;
    kni_jaxpr *t = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), y = knb_neg(&b, x);
    show(&b, x);
    kni_jaxpr *j = finished(&b, 1, &y);
    assert_null(knt_transpose(j, (bool[]){true}, &t));
    is_text(t, "{ lambda ; a.\n  let b = neg a\n  in b }");
    kni_release(t), kni_release(j);
}

/* What must not be left out stays where values are, though no operand says so. */
static void an_effect_of_constants_is_the_values(void **state)
{
    kni_builder b;
    knt_linearized l = {0};
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), now;
    knb_io_callback(&b, &(kni_p_callback){.results = {2, (int64_t[]){KN_ID_F32, 0}}}, 0, NULL, &now, 1);
    kni_atom y = knb_mul(&b, x, now);
    kni_jaxpr *j = finished(&b, 1, &y);
    assert_null(knt_linearize(j, (bool[]){true}, &l));
    assert_int_equal(l.n_residual, 1);
    assert_ptr_equal(l.primal->eqn[0].prim, &knp_prim_io_callback);
    assert_int_equal(l.linear->n_eqn, 1);
    kni_release(j);
    knt_linearized_free(&l);
}

/* --- transposing, mapping --------------------------------------------------------------------- */

static void a_result_that_nobody_uses_has_no_cotangent(void **state)
{
    kni_builder b;
    kni_jaxpr *t = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), y = knb_neg(&b, x);
    knb_add(&b, x, x);
    kni_jaxpr *j = finished(&b, 1, &y);
    assert_int_equal(j->n_eqn, 2);
    assert_null(knt_transpose(j, (bool[]){true}, &t));
    is_text(t, "{ lambda ; a.\n  let b = neg a\n  in b }");
    kni_release(t), kni_release(j);
}

static void mapped_arrays_have_64_dimensions_at_most(void **state)
{
    int64_t ones[KN_MAX_NDIM];
    kni_builder b;
    kni_jaxpr *out = NULL;
    (void)state;
    for (int i = 0; i < KN_MAX_NDIM; i++)
        ones[i] = 1;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F32), KN_MAX_NDIM, ones)), y = knb_neg(&b, x);
    kni_jaxpr *j = finished(&b, 1, &y);
    has_text(knt_batch(j, 3, NULL, (int[]){0}, NULL, &out), KN_ERROR_VALUE,
             "maximum supported dimension for an array is 64, found 65");
    kni_release(j);
}

static void a_result_that_is_mapped_has_an_axis(void **state)
{
    kni_builder b;
    kni_jaxpr *out = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), y = knb_neg(&b, x);
    kni_jaxpr *j = finished(&b, 1, &y);
    has_text(knt_batch(j, 3, NULL, (int[]){0}, (int[]){-1}, &out), KN_ERROR_VALUE,
             "vmap has mapped output 0 but out_axes is KN_UNMAPPED: the output depends on a mapped input");
    kni_release(j);
}

KN_TEST_GROUP(test_transform_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_that_is_missing_is_named),
        cmocka_unit_test(an_equation_may_be_an_atom),
        cmocka_unit_test(a_tangent_may_be_shown_in_a_rule),
        cmocka_unit_test(what_is_shown_does_not_matter_backwards),
        cmocka_unit_test(an_effect_of_constants_is_the_values),
        cmocka_unit_test(a_result_that_nobody_uses_has_no_cotangent),
        cmocka_unit_test(mapped_arrays_have_64_dimensions_at_most),
        cmocka_unit_test(a_result_that_is_mapped_has_an_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

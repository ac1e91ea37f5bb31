/* SPDX-License-Identifier: Apache-2.0
 * test_ir_builder.c -- building jaxprs: literals, errors that stick, hooks, dead code, inlining; equality and hashing.
 * */
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include "support/nothing_stays.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define F32(...) kni_type_of(KN_DT(F32), SHAPE(__VA_ARGS__))

static kni_jaxpr *finish(kni_builder *b, int n, const kni_atom *out, const char *name, bool drop_dead)
{
    kni_jaxpr *j;
    knx_error *e = knb_finish(b, n, out, name, drop_dead, &j);
    if (!e)
        e = kni_check(j);
    if (e)
        fail_msg("%s", e->message);
    return j;
}

static void expect_error(kni_builder *b, const char *message)
{
    knx_error *e = knb_take_error(b);
    assert_non_null(e);
    assert_string_equal(e->message, message);
    knx_error_release(e);
    knb_free(b);
}

static void equal_literals_are_made_once(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 100; i++)
            assert_int_equal(knb_integer(&b, KN_DT(I32), i) & ~KN_LITERAL_BIT, i);
    kni_atom one = knb_number(&b, KN_DT(F32), 1);
    assert_int_not_equal(one, knb_number(&b, KN_DT(F64), 1));
    assert_int_not_equal(one, knb_literal(&b, KN_DT(F32), true, knx_scalar_from_double(KN_DT(F32), 1)));
    assert_int_not_equal(knb_number(&b, KN_DT(F32), 0), knb_number(&b, KN_DT(F32), -0.0));
    assert_int_equal(knb_number(&b, KN_DT(F32), NAN), knb_number(&b, KN_DT(F32), NAN));
    knx_scalar_bits dirty;
    memset(&dirty, 0xff, sizeof dirty);
    dirty.f32 = 1;
    assert_int_equal(one, knb_literal(&b, KN_DT(F32), false, dirty));
    knb_free(&b);
}

static void errors_stick_and_the_first_stays(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), two[] = {x, x}, out;
    assert_int_equal(knb_emit(&b, &knp_prim_sin, NULL, 2, two, &out, 1), 0);
    assert_int_equal(out, KN_ATOM_NONE);
    assert_int_equal(knb_add(&b, x, x), KN_ATOM_NONE);
    assert_int_equal(knb_number(&b, KN_DT(F32), 1), KN_ATOM_NONE);
    knb_fail(&b, knx_error_new(KN_ERROR_TYPE, "another"));
    expect_error(&b, "sin takes 1 operands, not 2");
}

static void missing_operands_are_refused(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2));
    knb_add(&b, x, KN_ATOM_ZERO);
    expect_error(&b, "operand 1 of add has no value");
}

static void the_place_goes_with_the_error(void **state)
{
    (void)state;
    static const kn_place place = {"user.c", 7, "main"};
    kni_builder b;
    knb_init(&b);
    b.place = &place;
    kni_atom x = knb_invar(&b, F32(2));
    knb_add(&b, x, knb_invar(&b, F32(3)));
    assert_ptr_equal(b.error->place, &place);
    kni_jaxpr *j;
    knx_error *e = knb_finish(&b, 1, &x, "", true, &j);
    assert_non_null(e);
    assert_null(j);
    knx_error_release(e);
    assert_int_equal(b.type.n, 0);
}

static knx_error *too_many_types(kni_rule *r, kni_type *y)
{
    for (int i = 0; i < r->n_out; i++)
        y[i] = r->xt[0];
    return NULL; /* as many as there is room for */
}

static void a_rule_with_too_many_results_fails_cleanly(void **state)
{
    (void)state;
    static const kni_prim prim = {.name = "twice", .n_in = -1, .n_out = -1, .type = too_many_types};
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), out = 5;
    assert_int_equal(knb_emit(&b, &prim, NULL, 1, &x, &out, 1), 0);
    assert_int_equal(out, KN_ATOM_NONE);
    expect_error(&b, "twice has 2 results, where at most 1 were expected");
}

static void huge_results_are_refused(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t big = (int64_t)1 << 40;
    knb_full(&b, kni_type_of(KN_DT(F32), SHAPE(big, big)), 0);
    assert_int_equal(b.error->kind, KN_ERROR_MEMORY);
    expect_error(&b, "array of shape (1099511627776,1099511627776) and dtype float32 is too large");
}

static void helpers_do_nothing_where_there_is_nothing_to_do(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2, 3));
    assert_int_equal(knb_convert(&b, x, KN_DT(F32)), x);
    assert_int_equal(knb_reshape(&b, x, SHAPE(2, 3)), x);
    assert_int_equal(knb_transpose(&b, x, (int64_t[]){0, 1}), x);
    assert_int_equal(knb_conj(&b, x), x);
    assert_int_equal(knb_add_any(&b, x, KN_ATOM_ZERO), x);
    assert_int_equal(knb_add_any(&b, KN_ATOM_ZERO, x), x);
    assert_int_equal(knb_broadcast_to(&b, x, F32(2, 3)), x);
    assert_int_equal(knb_move_axis(&b, x, 1, 1), x);
    assert_int_equal(knb_instantiate(&b, x, F32(2, 3)), x);
    assert_int_equal(b.eqn.n, 0);
    knx_scalar_bits bits;
    kni_atom half = knb_convert(&b, knb_number(&b, KN_DT(F64), 2.75), KN_DT(I32));
    assert_true(knb_literal_value(&b, half, &bits));
    assert_int_equal(bits.i32, 2);
    assert_false(knb_literal_value(&b, x, &bits));
    assert_int_equal(b.eqn.n, 0);
    knb_free(&b);
}

static void expect_shape(kni_builder *b, kni_atom a, int ndim, const int64_t *dim)
{
    assert_null(b->error);
    assert_true(kni_type_same_shape(knb_type(b, a), kni_type_of(KN_DT(F32), ndim, dim)));
}

static void shapes_are_moved_as_numpy_does(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2, 3, 4)), y = knb_invar(&b, F32(3, 1));
    expect_shape(&b, knb_move_axis(&b, x, 0, 2), SHAPE(3, 4, 2));
    expect_shape(&b, knb_move_axis(&b, x, -1, 0), SHAPE(4, 2, 3));
    expect_shape(&b, knb_expand_dims(&b, x, 1), SHAPE(2, 1, 3, 4));
    expect_shape(&b, knb_expand_dims(&b, x, -1), SHAPE(2, 3, 4, 1));
    expect_shape(&b, knb_broadcast_to(&b, y, F32(2, 3, 4)), SHAPE(2, 3, 4));
    expect_shape(&b, knb_broadcast_to(&b, knb_number(&b, KN_DT(F32), 1), F32(0, 2)), SHAPE(0, 2));
    kni_atom mask = knb_invar(&b, kni_type_of(KN_DT(BOOL), SHAPE(2, 3, 4)));
    expect_shape(&b, knb_select(&b, mask, x, knb_number(&b, KN_DT(F32), 0)), SHAPE(2, 3, 4));
    expect_shape(&b, knb_select(&b, mask, knb_number(&b, KN_DT(F32), 1), knb_number(&b, KN_DT(F32), 0)),
                 SHAPE(2, 3, 4));
    expect_shape(&b, knb_reduce_sum(&b, x, SHAPE(2, 0)), SHAPE(3));
    knb_broadcast_to(&b, x, F32(3, 4));
    expect_error(&b, "operands could not be broadcast together with shapes (2,3,4) (3,4)");
}

static void dead_equations_go_and_numbers_close_up(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), dead = knb_sin(&b, x);
    kni_atom late = knb_constvar(&b, F32(2)), y = knb_cos(&b, x);
    knb_mul(&b, dead, knb_number(&b, KN_DT(F32), 7));
    kni_atom out[] = {knb_add(&b, y, late), knb_number(&b, KN_DT(F32), 3)};
    kni_jaxpr *j = finish(&b, 2, out, "f", true);
    assert_int_equal(j->n_const, 1);
    assert_int_equal(j->n_in, 1);
    assert_int_equal(j->n_eqn, 2);
    assert_int_equal(j->n_var, 4);
    assert_int_equal(j->n_literal, 1);
    assert_ptr_equal(j->eqn[0].prim, &knp_prim_cos);
    assert_int_equal(j->eqn[0].in[0], 1);
    assert_int_equal(j->eqn[1].in[1], 0);
    assert_string_equal(j->name, "f");
    kni_release(j);
}

static void equations_that_can_fail_are_kept(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t zero[] = {0}, one[] = {1};
    kni_p_gather p = {.collapsed_slice_dims = {1, zero}, .start_index_map = {1, zero}, .slice_sizes = {1, one}};
    kni_atom x = knb_invar(&b, F32(5)), i = knb_invar(&b, kni_type_of(KN_DT(I32), SHAPE(1)));
    p.mode = KN_GATHER_CHECK;
    knb_gather(&b, x, i, &p);
    p.mode = KN_GATHER_CLIP;
    knb_gather(&b, x, i, &p);
    kni_jaxpr *j = finish(&b, 1, &x, "", true);
    assert_int_equal(j->n_eqn, 1);
    kni_release(j);
}

static kni_jaxpr *affine(double factor, const char *name, const kn_place *place)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3));
    b.place = place;
    kni_atom y = knb_add(&b, knb_mul(&b, x, knb_number(&b, KN_DT(F32), factor)), knb_number(&b, KN_DT(F32), 1));
    return finish(&b, 1, &y, name, true);
}

static kni_jaxpr *calling(kni_jaxpr *f, const char *name)
{
    kni_builder b;
    kni_atom y;
    knb_init(&b);
    knb_jit(&b, name, f, 0, (kni_atom[]){knb_invar(&b, F32(3))}, &y);
    return finish(&b, 1, &y, "", true);
}

static void names_and_places_do_not_count(void **state)
{
    (void)state;
    static const kn_place place = {"user.c", 7, "main"};
    kni_jaxpr *f = affine(2, "f", NULL), *g = affine(2, "g", &place), *h = affine(2.5, "f", NULL);
    assert_true(kni_equal(f, g));
    assert_true(f->hash == g->hash);
    assert_false(kni_equal(f, h));
    assert_true(f->hash != h->hash);
    kni_jaxpr *cf = calling(f, "f"), *cg = calling(g, "other"), *ch = calling(h, "f");
    assert_true(kni_equal(cf, cg));
    assert_true(cf->hash == cg->hash);
    assert_false(kni_equal(cf, ch));
    assert_false(kni_equal(cf, f));
    kni_jaxpr *all[] = {f, g, h, cf, cg, ch};
    for (int i = 0; i < 6; i++)
        kni_release(all[i]);
}

static void parameters_count(void **state)
{
    (void)state;
    kni_jaxpr *j[3];
    for (int i = 0; i < 3; i++) {
        kni_builder b;
        knb_init(&b);
        kni_atom y = knb_reduce_sum(&b, knb_invar(&b, F32(3, 3)), 1, (int64_t[]){i == 2});
        j[i] = finish(&b, 1, &y, "", true);
    }
    assert_true(kni_equal(j[0], j[1]));
    assert_false(kni_equal(j[0], j[2]));
    assert_true(j[0]->hash != j[2]->hash);
    for (int i = 0; i < 3; i++)
        kni_release(j[i]);
}

static void weak_types_and_inputs_count(void **state)
{
    (void)state;
    kni_jaxpr *j[4];
    for (int i = 0; i < 4; i++) {
        kni_builder b;
        knb_init(&b);
        kni_type t = kni_scalar_type(i == 2 ? KN_DT(F64) : KN_DT(F32));
        t.weak = i == 1;
        kni_atom y = knb_sin(&b, i == 3 ? knb_constvar(&b, t) : knb_invar(&b, t));
        j[i] = finish(&b, 1, &y, "", true);
    }
    for (int i = 1; i < 4; i++)
        assert_false(kni_equal(j[0], j[i]));
    for (int i = 0; i < 4; i++)
        kni_release(j[i]);
}

static void inlining_replaces_variables_and_keeps_places(void **state)
{
    (void)state;
    static const kn_place inner = {"f.c", 1, "f"}, outer = {"g.c", 2, "g"};
    kni_jaxpr *f = affine(2, "f", &inner);
    kni_builder b;
    knb_init(&b);
    b.place = &outer;
    kni_atom x = knb_sin(&b, knb_invar(&b, F32(3))), y, z;
    knb_inline(&b, f, &x, &y);
    knb_inline(&b, f, &y, &z);
    assert_ptr_equal(b.place, &outer);
    kni_jaxpr *j = finish(&b, 1, &z, "", true);
    assert_int_equal(j->n_eqn, 5);
    assert_int_equal(j->n_literal, 2);
    assert_ptr_equal(j->eqn[0].place, &outer);
    assert_ptr_equal(j->eqn[4].place, &inner);
    kni_release(j);
    kni_release(f);
}

static void inlining_passes_operands_and_literals_through(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_constvar(&b, F32(3)), x = knb_invar(&b, F32(2)), out[] = {x, c, knb_number(&b, KN_DT(F32), 4)};
    kni_jaxpr *f = finish(&b, 3, out, "", true);
    x = knb_invar(&b, F32(2)), c = knb_invar(&b, F32(3));
    knb_inline(&b, f, (kni_atom[]){c, x}, out);
    assert_int_equal(out[0], x);
    assert_int_equal(out[1], c);
    assert_true(kni_is_literal(out[2]));
    knb_free(&b);
    kni_release(f);
}

/* Hooks */

typedef struct seen {
    int n;
    const kni_prim *prim;
    uint32_t out;
    kni_type type;
    int64_t axis;
    bool refuse;
} seen;

static knx_error *note(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    seen *s = env;
    s->n++;
    s->prim = e->prim;
    s->out = e->out;
    s->type = knb_type(b, e->out);
    s->axis = e->params ? ((const kni_p_reduce *)e->params)->axes.v[0] : -1;
    return s->refuse ? knx_error_new(KN_ERROR_CONTEXT, "refused") : NULL;
}

static void a_hook_gets_checked_equations(void **state)
{
    (void)state;
    kni_builder b;
    seen s = {0};
    knb_init(&b);
    b.hook = note;
    b.hook_env = &s;
    kni_atom x = knb_invar(&b, F32(2, 3)), y = knb_reduce_sum(&b, x, SHAPE(1));
    assert_int_equal(s.n, 1);
    assert_int_equal(s.out, y);
    assert_int_equal(s.axis, 1);
    assert_int_equal(s.type.ndim, 1);
    s.refuse = true;
    assert_int_equal(knb_sin(&b, y), KN_ATOM_NONE);
    assert_string_equal(b.error->message, "refused");
    knb_reset(&b);
    assert_null(b.error);
    assert_non_null(b.hook);
    knb_free(&b);
}

static void a_reset_builder_allocates_nothing(void **state)
{
    (void)state;
    kni_builder b;
    seen s = {0};
    kni_jaxpr *f = affine(2, "f", NULL);
    int64_t before = 0;
    knb_init(&b);
    b.hook = note;
    b.hook_env = &s;
    for (int i = 0; i < 50; i++) {
        if (i == 25)
            before = knx_alloc_count();
        kni_atom x = knb_invar(&b, F32(2, 3)), y = knb_add(&b, x, knb_number(&b, KN_DT(F32), i));
        knb_reduce_sum(&b, y, SHAPE(0));
        x = knb_invar(&b, F32(3));
        s.axis = 0;
        b.hook = NULL;
        knb_jit(&b, "f", f, 0, &x, &y);
        b.hook = note;
        assert_null(b.error);
        knb_reset(&b);
    }
    assert_int_equal(knx_alloc_count(), before);
    knb_free(&b);
    assert_int_equal(atomic_load(&f->refs), 1);
    kni_release(f);
}

static void every_row_is_found_by_its_name(void **state)
{
    (void)state;
    for (const kni_prim *const *p = kni_prims; *p; p++)
        assert_ptr_equal(kni_prim_find((*p)->name), *p);
    assert_ptr_equal(kni_prim_find("scatter-add"), &knp_prim_scatter_add);
    assert_null(kni_prim_find("scatter_add"));
}

static void a_row_with_holes_is_refused(void **state)
{
    (void)state;
    static const kni_param_field outside[] = {{.name = "axes", .kind = KN_P_INTS, .offset = 8}, {.name = NULL}};
    kni_prim p = knp_prim_sin;
    assert_null(kni_prim_fault(&p));
    p.jvp = NULL;
    assert_string_equal(kni_prim_fault(&p), "no derivative (jvp or linearize), and no reason");
    p.why_no_jvp = KN_WHY_NOT_DIFFERENTIABLE;
    assert_null(kni_prim_fault(&p));
    p.linear_in = 1;
    assert_string_equal(kni_prim_fault(&p), "linear, but no transpose");
    p = knp_prim_sin;
    p.batch = NULL;
    assert_string_equal(kni_prim_fault(&p), "no batching rule");
    p = knp_prim_sin;
    p.expr = NULL;
    assert_string_equal(kni_prim_fault(&p), "no lowering");
    p = knp_prim_sin;
    p.fields = outside;
    p.params_size = 8;
    assert_non_null(kni_prim_fault(&p));
    p = knp_prim_fft;
    p.done = NULL;
    assert_string_equal(kni_prim_fault(&p), "ready without a routine, or one of ready and done alone");
    p = knp_prim_psum;
    p.wait = NULL;
    assert_non_null(strstr(kni_prim_fault(&p), "start and wait are halves"));
}

KN_TEST_GROUP(test_ir_builder)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(equal_literals_are_made_once),
        TEST(errors_stick_and_the_first_stays),
        TEST(missing_operands_are_refused),
        TEST(the_place_goes_with_the_error),
        TEST(a_rule_with_too_many_results_fails_cleanly),
        TEST(huge_results_are_refused),
        TEST(helpers_do_nothing_where_there_is_nothing_to_do),
        TEST(shapes_are_moved_as_numpy_does),
        TEST(dead_equations_go_and_numbers_close_up),
        TEST(equations_that_can_fail_are_kept),
        TEST(names_and_places_do_not_count),
        TEST(parameters_count),
        TEST(weak_types_and_inputs_count),
        TEST(inlining_replaces_variables_and_keeps_places),
        TEST(inlining_passes_operands_and_literals_through),
        TEST(a_hook_gets_checked_equations),
        TEST(a_reset_builder_allocates_nothing),
        TEST(every_row_is_found_by_its_name),
        TEST(a_row_with_holes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

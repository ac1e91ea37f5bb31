/* SPDX-License-Identifier: Apache-2.0
 * test_prim_bodies.c -- rows with jaxprs, named axes and functions of the user in their parameters: what their type
 * rules refuse, and rules that programs seldom reach. Rules are called alone. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "transform/transform.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the above */
#include <cmocka.h>

#define INTS(...)                                                                \
    {                                                                            \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ } \
    }
#define NAMES(...)                                                                                                \
    {                                                                                                             \
        (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]) { __VA_ARGS__ } \
    }
enum { ROOM = 8 };

static kni_type vector(int64_t n)
{
    static int64_t dim[8];
    dim[n] = n;
    return kni_type_of(KN_DT(F32), 1, &dim[n]);
}
static kni_type number(void) { return kni_scalar_type(KN_DT(F32)); }

static void has_text(knx_error *e, kn_error_kind kind, const char *text)
{
    assert_non_null(e);
    assert_string_equal(e->message, text);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
}

static kni_jaxpr *finished(kni_builder *b, int n, const kni_atom *y, const char *name)
{
    kni_jaxpr *j = NULL;
    assert_null(b->error);
    assert_null(knb_finish(b, n, y, name, false, &j));
    knb_free(b);
    return j;
}

/* n inputs of type t -> the first m of them, doubled. */
static kni_jaxpr *doubling(int n, kni_type t, int m, const char *name)
{
    kni_builder b;
    kni_atom x[ROOM], y[ROOM];
    knb_init(&b);
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(&b, t);
    for (int i = 0; i < m; i++)
        y[i] = knb_add(&b, x[i], x[i]);
    return finished(&b, m, y, name);
}

/* a < b, or both that and b < a */
static kni_jaxpr *comparing(int n, bool both)
{
    kni_builder b;
    kni_atom x[2], y[2];
    knb_init(&b);
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(&b, number());
    y[0] = knb_lt(&b, x[0], x[n - 1]);
    y[1] = knb_gt(&b, x[0], x[n - 1]);
    return finished(&b, both ? 2 : 1, y, "");
}

static kni_jaxpr *with_a_constant(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom y = knb_constvar(&b, number());
    return finished(&b, 1, &y, "");
}

static void refuses(const kni_prim *p, const void *params, int n_in, const kni_type *x, int room, kn_error_kind kind,
                    const char *text)
{
    knx_arena a = KN_ARENA_INIT;
    kni_type y[ROOM];
    kni_rule r = {.prim = p, .params = params, .n_in = n_in, .n_out = room, .xt = x, .arena = &a};
    has_text(p->type(&r, y), kind, text);
    knx_arena_free(&a);
}

/* --- what type rules refuse ------------------------------------------------------------------- */

static void a_body_takes_the_operands(void **state)
{
    const kni_type x[2] = {vector(3), vector(3)};
    kni_jaxpr *anonymous = doubling(1, vector(3), 1, ""), *named = doubling(1, vector(3), 1, "f"),
              *open = with_a_constant();
    (void)state;
    refuses(&knp_prim_remat2, &(kni_p_remat){0}, 1, x, ROOM, KN_ERROR_VALUE, "remat2 needs a jaxpr without constants");
    refuses(&knp_prim_remat2, &(kni_p_remat){.jaxpr = open}, 0, x, ROOM, KN_ERROR_VALUE,
            "remat2 needs a jaxpr without constants");
    refuses(&knp_prim_remat2, &(kni_p_remat){.jaxpr = anonymous}, 2, x, ROOM, KN_ERROR_TYPE,
            "the function takes 1 arguments, not 2");
    refuses(&knp_prim_custom_jvp_call, &(kni_p_custom_jvp){.call_jaxpr = named}, 2, x, ROOM, KN_ERROR_TYPE,
            "f takes 1 arguments, not 2");
    refuses(&knp_prim_custom_vjp_call, &(kni_p_custom_vjp){.call_jaxpr = named}, 1, &(kni_type){.dtype = KN_DT(I8)},
            ROOM, KN_ERROR_TYPE, "f: argument 0 has type i8[], not f32[3]");
    refuses(&knp_prim_remat2, &(kni_p_remat){.jaxpr = named}, 1, x, 0, KN_ERROR_VALUE,
            "remat2 has more results than there is room for");
    kni_release(anonymous), kni_release(named), kni_release(open);
}

static int while_body_types(kni_p_while p, int n, const kni_type *x, kni_type *t)
{
    return knp_prim_while.body_types(&(kni_rule){.params = &p, .n_in = n, .xt = x}, 0, t);
}

static void a_loop_takes_jaxprs_that_fit(void **state)
{
    const kni_type x[2] = {number(), number()}, wrong[2] = {vector(3), number()};
    kni_jaxpr *one = doubling(1, number(), 1, ""), *two = doubling(2, number(), 2, ""), *less = comparing(2, false),
              *less_one = comparing(1, false), *both = comparing(2, true), *open = with_a_constant();
    kni_type t[ROOM];
    (void)state;
#define REFUSES(n, operands, room, kind, text, ...) \
    refuses(&knp_prim_while, &(kni_p_while)__VA_ARGS__, n, operands, room, KN_ERROR_##kind, text)
    REFUSES(1, x, ROOM, VALUE, "while needs two jaxprs without constants", {one, 0, NULL, 0, 0, 0, 0});
    REFUSES(1, x, ROOM, VALUE, "while needs two jaxprs without constants", {one, 0, open, 0, 0, 0, 0});
    REFUSES(1, x, ROOM, VALUE, "2 and 0 constants do not fit 1 operands", {one, 0, less, 2, 0, 0, 0});
    REFUSES(1, x, ROOM, VALUE, "0 and -1 constants do not fit 1 operands", {one, -1, less, 0, 0, 0, 0});
    REFUSES(2, x, ROOM, TYPE, "the carry has 2 arrays, but the body returns 1", {one, 0, less, 0, 0, 0, 0});
    REFUSES(1, x, ROOM, TYPE, "the condition takes 2 and the body 1 arrays, not 1 and 1", {one, 0, less, 0, 0, 0, 0});
    REFUSES(2, x, ROOM, TYPE, "cond_fun must return a boolean scalar, but got 2 arrays", {two, 0, both, 0, 0, 0, 0});
    REFUSES(1, x, ROOM, TYPE, "cond_fun must return a boolean scalar, but got output type float32[]",
            {one, 0, one, 0, 0, 0, 0});
    REFUSES(2, wrong, ROOM, TYPE, "input 0 of the condition has type float32[], but was given float32[3]",
            {two, 0, less, 0, 0, 0, 0});
    REFUSES(1, x, 0, VALUE, "while has more results than there is room for", {one, 0, less_one, 0, 0, 0, 0});
#undef REFUSES
    assert_int_equal(while_body_types((kni_p_while){one, -1, less, 0, 0, 0, 0}, 1, x, t), 0);
    assert_int_equal(while_body_types((kni_p_while){one, 1, less, 1, 0, 0, 0}, 1, x, t), 0);
    kni_release(one), kni_release(two), kni_release(less), kni_release(less_one), kni_release(both), kni_release(open);
}

static void a_linear_function_knows_its_types(void **state)
{
    const kni_type x[2] = {number(), number()};
    kni_jaxpr *types = doubling(1, number(), 1, ""), *open = with_a_constant();
    (void)state;
    refuses(&knp_prim_custom_lin, &(kni_p_custom_lin){.in_zeros = INTS(0)}, 1, x, ROOM, KN_ERROR_VALUE,
            "custom_lin needs the types of its results");
    refuses(&knp_prim_custom_lin, &(kni_p_custom_lin){.in_zeros = INTS(0), .out_avals = open}, 1, x, ROOM,
            KN_ERROR_VALUE, "custom_lin needs the types of its results");
    refuses(&knp_prim_custom_lin, &(kni_p_custom_lin){.in_zeros = INTS(0, 1), .num_res = 2, .out_avals = types}, 2, x,
            ROOM, KN_ERROR_TYPE, "custom_lin takes 3 operands here, not 2");
    refuses(&knp_prim_custom_lin, &(kni_p_custom_lin){.in_zeros = INTS(0, 1), .num_res = 1, .out_avals = types}, 2, x,
            0, KN_ERROR_VALUE, "custom_lin has more results than there is room for");
    kni_release(types), kni_release(open);
}

static void a_name_is_needed(void **state)
{
    const kni_type x = number();
    (void)state;
    refuses(&knp_prim_name, &(kni_p_name){NULL}, 1, &x, ROOM, KN_ERROR_VALUE, "needs a name");
}

/* --- functions of the user -------------------------------------------------------------------- */

static void lanes_fit_their_operands(void **state)
{
    const kni_type x = vector(3);
    int64_t ones[2 + KN_MAX_NDIM] = {KN_ID_F32, KN_MAX_NDIM};
    (void)state;
    for (int i = 0; i < KN_MAX_NDIM; i++)
        ones[2 + i] = 1;
#define REFUSES(p, n, text, ...) \
    refuses(&knp_prim_##p, &(kni_p_callback){__VA_ARGS__}, n, &x, ROOM, KN_ERROR_VALUE, text)
    REFUSES(debug_callback, 1, "the lanes do not fit the operands", .lanes = INTS(3));
    REFUSES(debug_callback, 1, "a lane axis has a negative extent", .lanes = INTS(-3), .mapped = INTS(1));
    REFUSES(debug_callback, 1, "operand 0 does not have its lane axes", .lanes = INTS(3), .mapped = INTS(2));
    REFUSES(debug_callback, 1, "operand 0 does not have its lane axes", .lanes = INTS(4), .mapped = INTS(1));
    REFUSES(pure_callback, 0, "maximum supported dimension for an array is currently 64, found 65",
            .results = {2 + KN_MAX_NDIM, ones}, .lanes = INTS(3));
    REFUSES(io_callback, 0, "the types of the results make no sense", .results = INTS(-1, 0));
#undef REFUSES
}

static void there_are_60_lane_axes_at_most(void **state)
{
    int64_t sizes[60];
    kni_builder b;
    (void)state;
    for (int i = 0; i < 60; i++)
        sizes[i] = 1;
    knb_init(&b);
    kni_rule r = {.b = &b, .prim = &knp_prim_debug_callback, .params = &(kni_p_callback){.lanes = {60, sizes}}};
    has_text(knp_prim_debug_callback.batch(&r, 2, NULL, NULL, NULL), KN_ERROR_VALUE,
             "vmap of debug_callback more than 60 times");
    knb_free(&b);
}

static void a_function_of_another_process_cannot_be_called(void **state)
{
    (void)state;
    const kni_p_callback p = {.callback = INT64_MAX};
    has_text(knp_prim_io_callback.run(&(kni_rule){.params = &p}, &(kni_routine_args){0}), KN_ERROR_RUNTIME,
             "the function that this jaxpr calls is not one of this process");
}

/* --- named axes ------------------------------------------------------------------------------- */

static void a_name_that_no_vmap_binds_is_unbound(void **state)
{
    const kni_p_all_reduce sum = {.axes = NAMES("i")};
    const kni_p_all_gather gather = {.axis_name = NAMES("i"), .sizes = INTS(3), .axis_size = 3};
    const kni_p_reduce_scatter scatter = {.axis_name = NAMES("i"), .sizes = INTS(3), .axis_size = 3};
    const kni_p_all_to_all exchange = {.axis_name = NAMES("i"), .sizes = INTS(3), .axis_size = 3};
    const kni_p_ppermute permute = {.axis_name = NAMES("i"), .perm = INTS(0, 1)};
    const kni_p_pbroadcast broadcast = {.axis_name = NAMES("i"), .source = 0};
    const kni_p_axis_index index = {.axis_name = NAMES("i")};
    const struct {
        const kni_prim *p;
        const void *params;
    } rows[] = {
        {&knp_prim_psum, &sum},
        {&knp_prim_pmax, &sum},
        {&knp_prim_pmin, &sum},
        {&knp_prim_all_gather, &gather},
        {&knp_prim_reduce_scatter, &scatter},
        {&knp_prim_all_to_all, &exchange},
        {&knp_prim_ppermute, &permute},
        {&knp_prim_pbroadcast, &broadcast},
        {&knp_prim_axis_index, &index},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, vector(3)), y;
        knb_emit(&b, rows[i].p, rows[i].params, rows[i].p->n_in, &x, &y, 1);
        kni_jaxpr *j = finished(&b, 1, &y, ""), *expanded = NULL;
        has_text(knt_expand(j, &expanded), KN_ERROR_NAME, "unbound axis name: i");
        kni_release(j);
    }
}

static void mapped(const kni_prim *p, const void *params, const char *name, kn_error_kind kind, const char *text)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, vector(3)), y;
    knb_emit(&b, p, params, 1, &x, &y, 1);
    kni_jaxpr *j = finished(&b, 1, &y, ""), *batched = NULL;
    has_text(knt_batch(j, 3, name, (const int[]){0}, NULL, &batched), kind, text);
    kni_release(j);
}

static void what_lanes_cannot_send(void **state)
{
    (void)state;
    mapped(&knp_prim_ppermute, &(kni_p_ppermute){NAMES("i", "j"), INTS(0, 1), NULL, {0, NULL}}, "i",
           KN_ERROR_NOT_IMPLEMENTED, "ppermute over several axes of which nobody knows the sizes");
    mapped(&knp_prim_ppermute, &(kni_p_ppermute){NAMES("i"), INTS(0, 1, 2, 1), NULL, {0, NULL}}, "i", KN_ERROR_VALUE,
           "ppermute sources and destinations must be unique");
    mapped(&knp_prim_ppermute, &(kni_p_ppermute){NAMES("i"), INTS(0, 1, 0, 2), NULL, {0, NULL}}, "i", KN_ERROR_VALUE,
           "ppermute sources and destinations must be unique");
    mapped(&knp_prim_ppermute, &(kni_p_ppermute){NAMES("i"), INTS(0, 3), NULL, {0, NULL}}, "i", KN_ERROR_INDEX,
           "index 3 is out of bounds for axis i with size 3");
    mapped(&knp_prim_pbroadcast, &(kni_p_pbroadcast){NAMES("i", "j"), NULL, 0}, "i", KN_ERROR_NOT_IMPLEMENTED,
           "pbroadcast batcher only supports a single axis");
    mapped(&knp_prim_pbroadcast, &(kni_p_pbroadcast){NAMES("i"), NULL, 3}, "i", KN_ERROR_VALUE,
           "collective broadcast doesn't fit in the axis size!");
}

/* --- custom derivatives ----------------------------------------------------------------------- */

static kni_thunk *thunk_of(const char *name, kni_jaxpr *j)
{
    kni_thunk *t = kni_thunk_new(name, j);
    assert_non_null(t);
    kni_release(j);
    return t;
}

/* x -> custom_vjp_call(x), of a body that doubles. */
static kni_jaxpr *doubled_with_rules(kni_thunk *fwd, kni_thunk *bwd)
{
    kni_builder b;
    kni_p_custom_vjp p = {.name = "f", .call_jaxpr = doubling(1, number(), 1, "f"), .fwd = fwd, .bwd = bwd};
    knb_init(&b);
    kni_atom x = knb_invar(&b, number()), y;
    knb_emit(&b, &knp_prim_custom_vjp_call, &p, 1, &x, &y, 1);
    kni_release(p.call_jaxpr);
    return finished(&b, 1, &y, "");
}

static void the_transpose_is_the_bodys(void **state)
{
    kni_thunk *rule = thunk_of("rule", NULL);
    kni_jaxpr *j = doubled_with_rules(rule, rule), *t = NULL;
    char *text = NULL;
    (void)state;
    assert_null(knt_transpose(j, (bool[]){true}, &t));
    assert_null(kni_text(t, KN_FORM_CLASSIC, &text));
    assert_string_equal(text, "{ lambda ; a.\n  let b = add_any a a\n  in b }");
    knx_free(text);
    kni_release(t), kni_release(j);
    kni_thunk_release(rule);
}

static void a_forward_rule_gives_the_results(void **state)
{
    kni_builder b;
    knb_init(&b);
    knb_invar(&b, number());
    kni_thunk *fwd = thunk_of("fwd", finished(&b, 0, NULL, "")), *bwd = thunk_of("bwd", NULL);
    kni_jaxpr *j = doubled_with_rules(fwd, bwd);
    knt_linearized l = {0};
    (void)state;
    has_text(knt_linearize(j, (bool[]){true}, &l), KN_ERROR_TYPE,
             "Custom VJP fwd rule fwd for function f must produce 1 values and the residuals");
    kni_release(j);
    kni_thunk_release(fwd), kni_thunk_release(bwd);
}

/* One residual, one tangent. */
static void a_linear_function_is_linear_in_its_tangents_alone(void **state)
{
    kni_builder b;
    kni_p_custom_lin p = {.name = "f",
                          .bwd = thunk_of("bwd", NULL),
                          .in_zeros = INTS(0),
                          .num_res = 1,
                          .out_avals = doubling(1, number(), 1, "")};
    kni_jaxpr *out = NULL;
    (void)state;
    knb_init(&b);
    kni_atom x[2] = {knb_invar(&b, number()), knb_invar(&b, number())}, y;
    knb_emit(&b, &knp_prim_custom_lin, &p, 2, x, &y, 1);
    kni_jaxpr *j = finished(&b, 1, &y, "");
    has_text(knt_jvp(j, (bool[]){true, true}, &out), KN_ERROR_TYPE,
             "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
    assert_null(knt_jvp(j, (bool[]){false, true}, &out));
    assert_int_equal(out->n_eqn, 2);
    assert_ptr_equal(out->eqn[1].prim, &knp_prim_custom_lin);
    assert_int_equal(out->eqn[1].in[1], 2); /* the tangent */
    kni_release(out);
    out = NULL;
    has_text(knt_transpose(j, (bool[]){true, true}, &out), KN_ERROR_TYPE,
             "f is not linear in what its forward rule keeps");
    kni_release(j);
    kni_release(p.out_avals);
    kni_thunk_release(p.bwd);
}

/* f(keys, x) = x, whose rule gives the tangents alone; keys have none. */
static void arrays_of_keys_have_no_tangents(void **state)
{
    kni_builder b;
    const kni_type keys = kni_type_of(KN_DT(KEY), 1, (int64_t[]){2});
    knt_linearized l = {0};
    (void)state;
    knb_init(&b);
    knb_invar(&b, keys);
    kni_atom x = knb_invar(&b, number()), y[2] = {knb_add(&b, x, x)};
    kni_p_custom_jvp p = {.name = "f", .call_jaxpr = finished(&b, 1, y, "f")};
    knb_init(&b);
    knb_invar(&b, keys);
    x = knb_invar(&b, number());
    knb_invar(&b, keys);
    y[1] = knb_neg(&b, knb_invar(&b, number()));
    y[0] = knb_add(&b, x, x);
    p.jvp = thunk_of("rule", finished(&b, 2, y, ""));
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, keys), knb_invar(&b, number())};
    knb_emit(&b, &knp_prim_custom_jvp_call, &p, 2, in, y, 1);
    kni_jaxpr *j = finished(&b, 1, y, "");
    assert_null(knt_linearize(j, (bool[]){false, true}, &l));
    assert_ptr_equal(l.linear->eqn[l.linear->n_eqn - 1].prim, &knp_prim_neg);
    knt_linearized_free(&l);
    kni_release(j), kni_release(p.call_jaxpr);
    kni_thunk_release(p.jvp);
}

/* A rule that multiplies inside of a checkpoint: values and tangents go through it together. */
static void a_rule_may_have_calls_of_values_and_tangents(void **state)
{
    kni_builder b;
    knt_linearized l = {0};
    (void)state;
    knb_init(&b);
    kni_atom x[2] = {knb_invar(&b, number()), knb_invar(&b, number())}, y[2] = {knb_mul(&b, x[0], x[1])};
    kni_p_remat remat = {.jaxpr = finished(&b, 1, y, "")};
    kni_p_custom_jvp p = {.name = "f", .call_jaxpr = doubling(1, number(), 1, "f")};
    knb_init(&b);
    x[0] = knb_invar(&b, number());
    x[1] = knb_invar(&b, number());
    y[0] = knb_add(&b, x[0], x[0]);
    kni_atom in[2] = {knb_sin(&b, x[0]), x[1]};
    knb_emit(&b, &knp_prim_remat2, &remat, 2, in, &y[1], 1);
    p.jvp = thunk_of("rule", finished(&b, 2, y, ""));
    knb_init(&b);
    x[0] = knb_invar(&b, number());
    knb_emit(&b, &knp_prim_custom_jvp_call, &p, 1, x, y, 1);
    kni_jaxpr *j = finished(&b, 1, y, "");
    assert_null(knt_linearize(j, (bool[]){true}, &l));
    assert_int_equal(l.n_residual, 1); /* sin(x) */
    assert_int_equal(l.n_tangent_out, 1);
    knt_linearized_free(&l);
    kni_release(j), kni_release(p.call_jaxpr), kni_release(remat.jaxpr);
    kni_thunk_release(p.jvp);
}

KN_TEST_GROUP(test_prim_bodies)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_takes_the_operands),
        cmocka_unit_test(a_loop_takes_jaxprs_that_fit),
        cmocka_unit_test(a_linear_function_knows_its_types),
        cmocka_unit_test(a_name_is_needed),
        cmocka_unit_test(lanes_fit_their_operands),
        cmocka_unit_test(there_are_60_lane_axes_at_most),
        cmocka_unit_test(a_function_of_another_process_cannot_be_called),
        cmocka_unit_test(a_name_that_no_vmap_binds_is_unbound),
        cmocka_unit_test(what_lanes_cannot_send),
        cmocka_unit_test(the_transpose_is_the_bodys),
        cmocka_unit_test(a_forward_rule_gives_the_results),
        cmocka_unit_test(a_linear_function_is_linear_in_its_tangents_alone),
        cmocka_unit_test(arrays_of_keys_have_no_tangents),
        cmocka_unit_test(a_rule_may_have_calls_of_values_and_tangents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

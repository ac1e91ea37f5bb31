/* SPDX-License-Identifier: Apache-2.0
 * test_prim_refusals.c -- what the type rules of primitives with jaxprs say of operands and parameters that do not fit:
 * mistakes that only a jaxpr written by hand, or by another front end, can make. */
#include "support/expect.h"
#include "support/group.h"
#include "ir/ops.h"
#include "ir/prim.h"

static int64_t some[] = {3, 4, 2};

static kni_type f32(int ndim) { return kni_type_of(KN_DT(F32), ndim, some); }
static kni_type scalar(kn_dtype d) { return kni_scalar_type(d); }

/* The rule's words for n operands of these types, and room for so many results. */
static void refuses(const kni_prim *p, const void *params, int n, const kni_type *x, int room, const char *text)
{
    knx_arena a = KN_ARENA_INIT;
    kni_type y[8];
    kni_rule r = {.prim = p, .params = params, .n_in = n, .n_out = room, .xt = x, .arena = &a};
    knx_error *e = p->type(&r, y);
    if (!e)
        fail_msg("%s takes what it should refuse with \"%s\"", p->name, text);
    assert_string_equal(e->message, text);
    knx_error_release(e);
    knx_arena_free(&a);
}

/* Takes n float32 scalars and returns the first m of them. */
static kni_jaxpr *passing(int n, int m)
{
    kni_builder b;
    kni_atom x[4];
    kni_jaxpr *j = NULL;
    knb_init(&b);
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(&b, scalar(KN_DT(F32)));
    assert_null(knb_finish(&b, m, x, "", true, &j));
    knb_free(&b);
    return j;
}

static void branches_and_their_index_have_to_fit(void **state)
{
    (void)state;
    kni_jaxpr *one = passing(1, 1), *two = passing(2, 2), *both[] = {one, one}, *other[] = {two, two};
    const kni_type x[] = {scalar(KN_DT(I32)), scalar(KN_DT(F32)), scalar(KN_DT(F32))};
    const kni_type wide[] = {kni_type_of(KN_DT(I32), 1, some), scalar(KN_DT(F32))};
    const kni_prim *p = &knp_prim_cond;
    refuses(p, &(kni_p_cond){.branches = {0, NULL}}, 2, x, 8, "cond needs an index and at least one branch");
    refuses(p, &(kni_p_cond){.branches = {2, both}}, 0, x, 8, "cond needs an index and at least one branch");
    refuses(p, &(kni_p_cond){.branches = {1, (kni_jaxpr *[]){NULL}}}, 2, x, 8, "cond needs jaxprs without constants");
    refuses(p, &(kni_p_cond){.branches = {2, both}}, 3, x, 8, "branch 0 takes 1 arrays, not 2");
    refuses(p, &(kni_p_cond){.branches = {2, both}}, 2, wide, 8,
            "the index of cond must be a scalar of type int32, not int32[3]");
    refuses(p, &(kni_p_cond){.branches = {2, other}}, 3, x, 1, "cond has more results than there is room for");
    kni_release(one);
    kni_release(two);
}

static void lanes_have_to_fit(void **state)
{
    (void)state;
    kni_jaxpr *one = passing(1, 1);
    const kni_type vector = f32(1), number = scalar(KN_DT(F32));
    const kni_ints mapped = {1, (int64_t[]){1}};
    const kni_prim *p = &knp_prim_xla_pmap;
    refuses(p, &(kni_p_pmap){.call_jaxpr = one, .axis_size = 3, .mapped = {0, NULL}}, 1, &vector, 8,
            "xla_pmap has 1 operands, but mapped_invars of 0");
    refuses(p, &(kni_p_pmap){.call_jaxpr = one, .axis_size = -1, .mapped = mapped}, 1, &vector, 8,
            "axis_size must not be negative, but is -1");
    refuses(p, &(kni_p_pmap){.call_jaxpr = one, .axis_size = 5, .mapped = mapped}, 1, &vector, 8,
            "xla_pmap of 5 lanes was given float32[3] as operand 0");
    refuses(p, &(kni_p_pmap){.call_jaxpr = one, .axis_size = 5, .mapped = mapped}, 1, &number, 8,
            "xla_pmap of 5 lanes was given float32[] as operand 0");
    kni_release(one);
}

static void operands_of_windows_and_initial_values_have_to_fit(void **state)
{
    (void)state;
    const kni_prim *p = &knp_prim_reduce_window;
    const kni_p_window none = {.jaxpr = NULL};
    const kni_type f = scalar(KN_DT(F32)), i = scalar(KN_DT(I32));
    refuses(p, &none, 1, (kni_type[]){f32(1)}, 8, "takes operands and as many initial values, not 1 operands");
    refuses(
        p, &none, 4, (kni_type[]){f32(1), f32(1), f, i}, 8,
        "got inconsistent dtypes for operands and init_values: got operand dtypes [float32, float32] and init_value "
        "dtypes [float32, int32].");
    refuses(p, &none, 2, (kni_type[]){f32(1), f32(1)}, 8,
            "expected init_values to be scalars but init_values have shapes [(3,)].");
    refuses(p, &none, 4, (kni_type[]){f32(1), f32(2), f, f}, 8, "operands must have equal shapes, got (3,), (3,4)");
}

static void operands_of_a_selecting_scatter_have_to_fit(void **state)
{
    (void)state;
    const kni_prim *p = &knp_prim_select_and_scatter;
    const kni_ints one = {1, (int64_t[]){1}}, zero = {1, (int64_t[]){0}};
    const kni_p_window w = {.base_dilation = one,
                            .lo = zero,
                            .hi = zero,
                            .window_dilation = one,
                            .window_dimensions = one,
                            .window_strides = one};
    const kni_type f = scalar(KN_DT(F32)), i = scalar(KN_DT(I32));
    refuses(p, &w, 3, (kni_type[]){f32(1), f32(1), i}, 8,
            "requires arguments to have the same dtypes, got float32, float32, int32");
    refuses(p, &w, 3, (kni_type[]){f32(1), f32(1), f32(1)}, 8, "expected init_value to be a scalar; got 1 dimensions");
    refuses(p, &w, 3, (kni_type[]){f32(1), f32(2), f}, 8,
            "source must have one element for each window, (3,), got (3,4)");
}

KN_TEST_GROUP(test_prim_refusals)
{
    const struct CMUnitTest tests[] = {
        TEST(branches_and_their_index_have_to_fit),
        TEST(lanes_have_to_fit),
        TEST(operands_of_windows_and_initial_values_have_to_fit),
        TEST(operands_of_a_selecting_scatter_have_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

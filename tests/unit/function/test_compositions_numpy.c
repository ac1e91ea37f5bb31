/* SPDX-License-Identifier: Apache-2.0
 * test_compositions_numpy.c -- NumPy's creation, manipulation, indexing and writing routines as parts of transformed
 * functions of a matrix: jit and vmap give the bits of plain calls, derivatives agree with differences, also of
 * derivatives, and all of it composes. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

typedef struct {
    int32_t which;
} Which;

/* X(name, an expression in x, float64[2,3] with distinct positive elements) */
#define ROUTINES(X)                                                                                              \
    X(reshape, kn_reshape(x, KN_SHAPE(3, -1), .order = "F"))                                                     \
    X(transpose, kn_matmul(kn_transpose(x), x))                                                                  \
    X(moveaxis, kn_moveaxis(kn_expand_dims(x, KN_AXIS(1)), KN_AXIS(0), KN_AXIS(-1)))                             \
    X(rollaxis, kn_rollaxis(kn_atleast_3d(x), 2))                                                                \
    X(squeeze, kn_squeeze(kn_expand_dims(x, KN_AXIS(0, 2))))                                                     \
    X(broadcast_to, kn_mul(kn_broadcast_to(kn_at(x, "0"), KN_SHAPE(4, 3)), kn_arange(0, 3, 1.0)))                \
    X(broadcast_arrays, kn_list_get(kn_broadcast_arrays(KN_LIST(kn_at(x, ":, :1"), x)), 0))                      \
    X(flip, kn_mul(kn_flip(x), x))                                                                               \
    X(rot90, kn_rot90(x, .k = 3))                                                                                \
    X(roll, kn_mul(kn_roll(x, kn_of(int, 1, -2), KN_AXIS(0, 1)), x))                                             \
    X(roll_flat, kn_mul(kn_roll(x, 4), x))                                                                       \
    X(concatenate, kn_concatenate(KN_LIST(x, kn_square(x), kn_ones(KN_SHAPE(1, 3)))))                            \
    X(concatenate_flat, kn_concatenate(KN_LIST(x, kn_at(x, "0")), KN_AXIS_NONE))                                 \
    X(stack, kn_stack(KN_LIST(x, kn_sin(x)), KN_AXIS(-1)))                                                       \
    X(column_stack, kn_column_stack(KN_LIST(kn_at(x, "0"), kn_at(x, "1"))))                                      \
    X(block, kn_block(KN_LIST(x, kn_exp(x)), KN_LIST(kn_zeros(KN_SHAPE(1, 3)), kn_at(x, ":1"))))                 \
    X(split, kn_list_get(kn_array_split(x, 2, KN_AXIS(1)), 1))                                                   \
    X(unstack, kn_mul(kn_list_get(kn_unstack(x), 1), kn_list_get(kn_unstack(x), 0)))                             \
    X(tile, kn_mul(kn_tile(x, KN_SHAPE(2, 1, 2)), kn_arange(0, 6, 1.0)))                                         \
    X(repeat, kn_repeat(x, kn_of(int, 2, 0, 3), KN_AXIS(1)))                                                     \
    X(append, kn_append(x, kn_square(kn_at(x, "0"))))                                                            \
    X(delete_, kn_delete(x, 1, KN_AXIS(1)))                                                                      \
    X(insert, kn_insert(x, kn_of(int, 0, 2), kn_at(x, ":, :2"), KN_AXIS(1)))                                     \
    X(resize, kn_resize(x, KN_SHAPE(4, 4)))                                                                      \
    X(pad_constant, kn_pad(x, 2, .constant_values = kn_num(3)))                                                  \
    X(pad_edge, kn_pad(x, kn_of(int, 1, 2), .mode = "edge"))                                                     \
    X(pad_ramp, kn_pad(x, 2, .mode = "linear_ramp"))                                                             \
    X(pad_maximum, kn_pad(x, 1, .mode = "maximum"))                                                              \
    X(pad_mean, kn_pad(x, 1, .mode = "mean"))                                                                    \
    X(pad_median, kn_pad(x, 1, .mode = "median"))                                                                \
    X(pad_reflect, kn_pad(x, 1, .mode = "reflect", .reflect_type = "odd"))                                       \
    X(pad_symmetric, kn_pad(x, 2, .mode = "symmetric"))                                                          \
    X(pad_wrap, kn_pad(x, 3, .mode = "wrap"))                                                                    \
    X(diag, kn_diag(x, .k = 1))                                                                                  \
    X(diag_of_vector, kn_diag(kn_at(x, "0"), .k = -1))                                                           \
    X(diagflat, kn_diagflat(x))                                                                                  \
    X(tril, kn_tril(x, .k = -1))                                                                                 \
    X(triu, kn_triu(x))                                                                                          \
    X(vander, kn_vander(kn_at(x, "0"), .increasing = true))                                                      \
    X(linspace, kn_linspace(kn_at(x, "0"), kn_at(x, "1"), 4, .axis = KN_AXIS(1)))                                \
    X(geomspace, kn_geomspace(kn_at(x, "0, 1"), kn_at(x, "1, 0"), 4))                                            \
    X(logspace, kn_logspace(kn_at(x, "0, 1"), kn_at(x, "1, 0"), 3))                                              \
    X(full, kn_full(KN_SHAPE(2, 2), kn_at(x, "0, 0")))                                                           \
    X(full_like, kn_mul(kn_full_like(x, kn_at(x, "0, 0")), x))                                                   \
    X(meshgrid, kn_mul(kn_list_get(kn_meshgrid(KN_LIST(kn_at(x, "0"), kn_at(x, "1"))), 0), kn_at(x, "1")))       \
    X(take, kn_take(x, kn_of(int, 2, 2, -1), KN_AXIS(1)))                                                        \
    X(take_along, kn_take_along_axis(x, kn_argsort(x), KN_AXIS(1)))                                              \
    X(choose, kn_choose(kn_of(int, 1, 0, 1), KN_LIST(kn_at(x, "0"), kn_square(kn_at(x, "1")))))                  \
    X(select, kn_select(KN_LIST(kn_greater(x, 1), kn_greater(x, 0.5)), KN_LIST(x, kn_square(x)), .default_ = x)) \
    X(compress, kn_compress(kn_of(bool, 0, 1, 1), x, KN_AXIS(1)))                                                \
    X(rows, kn_at(x, "%, 1:", kn_of(int, 1, 0, 1)))                                                              \
    X(sorted, kn_mul(kn_sort(x), kn_arange(1, 4, 1.0)))                                                          \
    X(stretched, kn_as_strided(x, KN_SHAPE(2, 2), KN_SHAPE(16, 8)))                                              \
    X(set_at, written(x, 0))                                                                                     \
    X(add_at, written(x, 1))                                                                                     \
    X(times_view, written(x, 2))                                                                                 \
    X(put, written(x, 3))                                                                                        \
    X(fill_diagonal, written(x, 4))                                                                              \
    X(put_along, written(x, 5))                                                                                  \
    X(copyto, written(x, 6)) X(putmask, written(x, 7)) X(ufunc_at, written(x, 8)) X(overlapping, written(x, 9))

static kn_array written(kn_array x, int how)
{
    kn_array y = kn_add(x, 0), view;
    switch (how) {
    case 0: kn_set_at(y, kn_square(kn_at(x, "1, :2")), "0, ::2"); break;
    case 1: kn_iadd_at(y, kn_at(x, "::-1"), "..."); break;
    case 2: view = kn_at(y, ":, 1:"), kn_imul(view, kn_at(x, ":, :2")); break;
    case 3: kn_put(y, kn_of(int, 4, 0), kn_at(x, "1, 1:")); break;
    case 4: kn_fill_diagonal(y, kn_sum(x)); break;
    case 5: kn_put_along_axis(y, kn_of(int64_t, 2, 0), kn_at(x, "0, :2"), KN_AXIS_NONE); break;
    case 6: kn_copyto(y, kn_square(x), .where = kn_of(bool, 1, 0, 1)); break;
    case 7: kn_putmask(y, kn_greater(x, 0.8), kn_square(x)); break;
    case 8: kn_ufunc_at(kn_ufunc_add, y, kn_at(x, "0, :2"), "%, %", kn_of(int, 1, 1), kn_of(int, 2, 2)); break;
    default: view = kn_at(y, "0, 1:"), kn_iadd(view, kn_at(y, "0, :2")); break;
    }
    return kn_mul(y, x);
}

enum {
#define X(name, expression) IS_##name,
    ROUTINES(X)
#undef X
        N_ROUTINES
};
static const char *const routine_name[] = {
#define X(name, expression) #name,
    ROUTINES(X)
#undef X
};

static kn_array routine(const Which *w, const kn_array *argument)
{
    kn_array x = *argument;
    switch (w->which) {
#define X(name, expression) \
    case IS_##name: return expression;
        ROUTINES(X)
#undef X
    default: return x;
    }
}
KN_FUNCTION_ENV(routine, kn_array, Which, kn_array)
static kn_array total(const Which *w, const kn_array *x) { return kn_sum(kn_sin(kn_mul(routine(w, x), 0.7))); }
KN_FUNCTION_ENV(total, kn_array, Which, kn_array)

static kn_array matrix(double phase)
{
    return kn_add(kn_mul(kn_sin(kn_add(kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(2, 3)), phase)), 0.5), 1);
}

static void report(int i, const char *what)
{
    fprintf(stderr, "%s: %s %s\n", routine_name[i], what, kn_error_message());
    kn_error_clear();
}

static void jit_and_vmap_give_the_bits_of_plain_calls(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < N_ROUTINES; i++) {
        KN_SCOPE;
        kn_fn f = KN_FN_ENV(routine, &(Which){i});
        kn_array x = matrix(0.2), z = matrix(1.3), plain = NULL, jitted = NULL, lanes = NULL, other = NULL;
        kn_array both = kn_stack(KN_LIST(x, z), KN_AXIS(1));
        kn_call(f, &plain, &x);
        kn_call(f, &other, &z);
        kn_call(kn_jit(f), &jitted, &x);
        kn_call(kn_jit(kn_vmap(kn_checkpoint(f), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(-1)})), &lanes,
                &both);
        if (!kn_array_equal(plain, jitted))
            wrong++, report(i, "jit differs");
        if (!kn_array_equal(kn_stack(KN_LIST(plain, other), KN_AXIS(-1)), lanes))
            wrong++, report(i, "vmap differs");
        if (kn_error_pending())
            wrong++, report(i, "fails:");
    }
    assert_int_equal(wrong, 0);
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < N_ROUTINES; i++) {
        KN_SCOPE;
        kn_array x = matrix(0.2);
        if (kn_testing_check_grads(KN_FN_ENV(total, &(Which){i}), KN_ARGS(&x), 2, .atol = 1e-4, .rtol = 1e-4) != 0)
            wrong++, report(i, "derivatives:");
    }
    assert_int_equal(wrong, 0);
}

static void derivatives_compose_with_lanes(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < N_ROUTINES; i++) {
        KN_SCOPE;
        kn_fn f = KN_FN_ENV(total, &(Which){i});
        kn_array x = matrix(0.2), z = matrix(1.3), gx = NULL, gz = NULL, lanes = NULL, both = kn_stack(KN_LIST(x, z));
        kn_array hx = NULL, hessians = NULL;
        kn_call(kn_grad(f), &gx, &x);
        kn_call(kn_grad(f), &gz, &z);
        kn_call(kn_jit(kn_vmap(kn_grad(kn_jit(f)))), &lanes, &both);
        kn_call(kn_jacrev(kn_jacrev(f)), &hx, &x);
        kn_call(kn_vmap(kn_jit(kn_hessian(kn_checkpoint(f)))), &hessians, &both);
        if (!kn_allclose(kn_stack(KN_LIST(gx, gz)), lanes, .rtol = 1e-13))
            wrong++, report(i, "gradients differ");
        if (!kn_allclose(hx, kn_at(hessians, "0"), .rtol = 1e-12, .atol = 1e-13))
            wrong++, report(i, "second derivatives differ");
        if (kn_error_pending())
            wrong++, report(i, "fails:");
    }
    assert_int_equal(wrong, 0);
}

KN_TEST_GROUP(test_compositions_numpy)
{
    const struct CMUnitTest tests[] = {
        TEST(jit_and_vmap_give_the_bits_of_plain_calls),
        TEST(derivatives_agree_with_differences),
        TEST(derivatives_compose_with_lanes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}

/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_indices.c -- indexing routines: calls whose results and errors NumPy gave, and what they do under
 * transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
#define LIST(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_list(call); }
/* The array that was written to. */
#define WRITE(name, ...)                                 \
    static numpy_result call_##name(const numpy_call *c) \
    {                                                    \
        kn_##name(__VA_ARGS__);                          \
        return numpy_one(X);                             \
    }
#define X     c->array[0]
#define Y     c->array[1]
#define Z     c->array[2]
#define NUM   c->list[0].dim[0]
#define ALL   (kn_list_from)(c->array, c->n)
#define AXIS  numpy_axes(c, "axis")
#define K     .k = (int64_t)numpy_number(c, "k", 0)
#define M     .m = (int64_t)numpy_number(c, "m", -1)
#define MODE  .mode = numpy_option(c, "mode")
#define ORDER .order = numpy_option(c, "order")

LIST(nonzero, kn_nonzero(X))
ARRAY(argwhere, kn_argwhere(X))
ARRAY(flatnonzero, kn_flatnonzero(X))
ARRAY(compress, kn_compress(X, Y, AXIS))
ARRAY(extract, kn_extract(X, Y))
ARRAY(indices, kn_indices(c->list[0], .dtype = numpy_dtype(c)))
LIST(indices_sparse, kn_indices_sparse(c->list[0]))
LIST(tril_indices, kn_tril_indices(NUM, K, M))
LIST(triu_indices, kn_triu_indices(NUM, K, M))
LIST(tril_indices_from, kn_tril_indices_from(X, K))
LIST(triu_indices_from, kn_triu_indices_from(X, K))
LIST(diag_indices, kn_diag_indices(NUM, .ndim = (int)numpy_number(c, "ndim", 2)))
LIST(diag_indices_from, kn_diag_indices_from(X))
LIST(mask_indices, kn_mask_indices(NUM, (kn_triu), .k = 1))
LIST(ix_, kn_ix_(ALL))
LIST(unravel_index, kn_unravel_index(X, c->list[0], ORDER))
ARRAY(ravel_multi_index, kn_ravel_multi_index(ALL, c->list[0], MODE, ORDER))
ARRAY(choose, kn_choose(X, (kn_list_from)(c->array + 1, c->n - 1), MODE))
ARRAY(select, c->n ? kn_select(KN_LIST(X, Y), KN_LIST(Z, c->array[3])) : kn_select(ALL, ALL))
WRITE(put, X, Y, Z, MODE)
WRITE(putmask, X, Y, Z)
WRITE(place_mask, X, Y, Z)
WRITE(fill_diagonal, X, Y, .wrap = numpy_flag(c, "wrap", false))
WRITE(put_along_axis, X, Y, Z, AXIS)

#define CALL(name) {#name, call_##name, 0},
static const numpy_entry table[] = {
    CALL(nonzero) CALL(argwhere) CALL(flatnonzero) CALL(compress) CALL(extract) CALL(indices) CALL(indices_sparse)
        CALL(tril_indices) CALL(triu_indices) CALL(tril_indices_from) CALL(triu_indices_from) CALL(diag_indices)
            CALL(diag_indices_from) CALL(mask_indices) CALL(ix_) CALL(unravel_index) CALL(ravel_multi_index)
                CALL(choose) CALL(select) CALL(put) CALL(putmask) CALL(place_mask) CALL(fill_diagonal)
                    CALL(put_along_axis)};

static void results_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_indices.txt", table, sizeof table / sizeof *table);
}

/* ---- Under transformations. */

static kn_array chosen(const kn_array *x)
{
    kn_array i = kn_of(int32_t, 0, 1, 0);
    return kn_sum(kn_choose(i, KN_LIST(kn_mul(*x, 2), kn_mul(*x, *x)), .mode = "clip"));
}
KN_FUNCTION(chosen, kn_array, kn_array)
static kn_array selected(const kn_array *x)
{
    kn_array low = kn_less(*x, 2), high = kn_greater(*x, 2);
    return kn_sum(kn_select(KN_LIST(low, high), KN_LIST(kn_mul(*x, 3), kn_mul(*x, *x)), .default_ = kn_num(9)));
}
KN_FUNCTION(selected, kn_array, kn_array)
static kn_array masked(const kn_array *x)
{
    kn_array y = kn_copy(*x);
    kn_putmask(y, kn_greater(*x, 2), kn_num(0));
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION(masked, kn_array, kn_array)
static kn_array filled(const kn_array *x)
{
    kn_array y = kn_diag(*x);
    kn_fill_diagonal(y, kn_mul(*x, 5));
    return kn_sum(y);
}
KN_FUNCTION(filled, kn_array, kn_array)
static kn_array found(const kn_array *x) { return kn_flatnonzero(*x); }
KN_FUNCTION(found, kn_array, kn_array)

static kn_array gradient(kn_fn f)
{
    kn_array x = kn_of(double, 1, 2, 3), g = NULL;
    kn_call(kn_jit(kn_grad(f)), &g, &x);
    return g;
}

static void derivatives_follow_the_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(gradient(KN_FN(chosen)), 2, 4, 2);
    expect_values(gradient(KN_FN(selected)), 3, 0, 6);
    expect_values(gradient(KN_FN(masked)), 2, 4, 0);
    expect_values(gradient(KN_FN(filled)), 5, 5, 5);
}

static void sizes_that_depend_on_values_cannot_be_traced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 0, 3), y = NULL;
    kn_call(kn_jit(KN_FN(found)), &y, &x);
    expect_error_with("ConcretizationError", "is not known while found is traced by jit");
}

KN_TEST_GROUP(test_numpy_indices)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_numpy),
        TEST(derivatives_follow_the_elements),
        TEST(sizes_that_depend_on_values_cannot_be_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_constants.c -- what depends on shapes and constants alone can be looked at under every transformation: functions
 * whose results' sizes depend on such values work there as they do outside. */
#include "support/expect.h"
#include "support/group.h"

static kn_array ramp(double n) { return kn_arange(0, n, 1); }
static kn_array odd(void) { return kn_equal(kn_mod(ramp(4), 2), 1); }
static kn_array whole(double n) { return kn_astype(ramp(n), KN_I64); }
static kn_array upper(kn_array m, const kn_diag_opts *o) { return (kn_triu)(m, o); }

/* y: float64[3,3], of which the shape counts only. */
/* clang-format off */
#define CONSTANTS(X)                                                                                                   \
    X(kn_list_get(kn_triu_indices(3, .k = 1), 0))                                                                      \
    X(kn_list_get(kn_tril_indices(3), 1))                                                                              \
    X(kn_list_get(kn_triu_indices_from(y), 0))                                                                         \
    X(kn_list_get(kn_tril_indices_from(y), 1))                                                                         \
    X(kn_list_get(kn_mask_indices(3, upper), 0))                                                                       \
    X(kn_list_get(kn_diag_indices(3), 0)) X(kn_list_get(kn_diag_indices_from(y), 0)) X(kn_list_get(                    \
        kn_unravel_index(whole(5), KN_SHAPE(3, 3)),                                                                    \
        1)) X(kn_ravel_multi_index(KN_LIST(whole(3), whole(3)), KN_SHAPE(3, 3))) X(kn_indices(KN_SHAPE(2, 3)))         \
        X(kn_list_get(kn_ix_(KN_LIST(odd(), whole(2))), 0)) X(kn_list_get(kn_nonzero(odd()), 0)) X(kn_argwhere(odd())) \
            X(kn_flatnonzero(kn_eye(3))) X(kn_compress(odd(), ramp(4))) X(kn_extract(odd(), ramp(4))) X(kn_at(         \
                ramp(4), "%", odd())) X(kn_at(ramp(4), "%", kn_less(ramp(4), 2))) X(kn_unique(kn_mod(ramp(6), 4)))     \
                X(kn_unique_values(kn_of(int, 2, 1, 2))) X(kn_unique_counts(kn_mod(ramp(6), 4)).counts) X(             \
                    kn_union1d(ramp(3), kn_add(ramp(3), 1))) X(kn_intersect1d(ramp(3), kn_add(ramp(3), 1)))            \
                    X(kn_setdiff1d(ramp(3), kn_add(ramp(3), 1))) X(kn_setxor1d(ramp(3), kn_add(ramp(3), 1))) X(        \
                        kn_repeat(ramp(3), whole(3))) X(kn_repeat(kn_zeros_like(y), kn_of(int, 1, 2, 0), KN_AXIS(0)))  \
                        X(kn_delete(ramp(4), whole(2)))                                                                \
                            X(kn_delete(ramp(4), odd())) X(kn_insert(ramp(4), whole(2), 7)) X(kn_pad(                  \
                                ramp(3), whole(2))) X(kn_roll(ramp(4), kn_sum(whole(2)))) X(kn_trim_zeros(ramp(3)))    \
                                X(kn_list_get(kn_array_split(ramp(5), kn_add(whole(2), 1)), 1))                        \
                                    X(kn_choose(whole(2), KN_LIST(ramp(2), ramp(2)))) X(kn_take(ramp(4), whole(3))) X( \
                                        kn_digitize(ramp(4), kn_add(ramp(3), 0.5))) X(kn_bincount(whole(4)))           \
                                        X(kn_histogram(ramp(6), .bins = kn_num(3)).hist) X(                            \
                                            kn_linspace(0, kn_sum(ramp(3)), 4)) X(kn_arange(0, kn_sum(ramp(4)), 2))    \
                                            X(kn_quantile(ramp(5), kn_of(double, 0.25)))                               \
                                                X(kn_partition(ramp(4), whole(2))) X(kn_tile(ramp(2), kn_shape_of(y))) \
                                                    X(kn_packbits(odd())) X(kn_trapezoid(ramp(4)))                     \
                                                        X(kn_full(KN_SHAPE(2), kn_item(kn_sum(kn_ones_like(y)))))      \
                                                            X(kn_vander(ramp(3))) X(kn_real_if_close(                  \
                                                                kn_add(ramp(2), kn_num(__extension__ 0.0i))))          \
                                                                X(kn_emath_sqrt(kn_sub(ramp(3), 1))) X(put(ramp(4)))   \
                                                                    X(placed(ramp(4)))
/* clang-format on */

static kn_array put(kn_array a)
{
    kn_put(a, whole(2), 9);
    return a;
}
static kn_array placed(kn_array a)
{
    kn_place_mask(a, odd(), ramp(3));
    return a;
}

#define COUNT(...) +1
enum { N_CONSTANTS = CONSTANTS(COUNT) };
#define TEXT(...) #__VA_ARGS__,
static const char *const text[] = {CONSTANTS(TEXT)};

typedef struct Which {
    int32_t n;
} Which;
static kn_array constant(const Which *w, const kn_array *x)
{
    int at = 0;
    kn_array y = *x;
#define CASE(...)     \
    if (at++ == w->n) \
        return __VA_ARGS__;
    CONSTANTS(CASE)
    return NULL;
}
KN_FUNCTION_ENV(constant, kn_array, Which, kn_array)

typedef struct Two {
    kn_array y, aux;
} Two;
static Two with_aux(const Which *w, const kn_array *x) { return (Two){kn_sum(*x), constant(w, x)}; }
KN_FUNCTION_ENV(with_aux, Two, Which, kn_array)
static Two step(const Which *w, const kn_array *carry, const kn_array *x)
{
    return (Two){kn_add(*carry, kn_sum(*x)), constant(w, carry)};
}
KN_FUNCTION_ENV(step, Two, Which, kn_array, kn_array)
static kn_array nested(const Which *w, const kn_array *x)
{
    kn_array y, z = kn_add(*x, 1);
    kn_call(kn_jit(KN_FN_ENV(constant, w)), &y, &z);
    return y;
}
KN_FUNCTION_ENV(nested, kn_array, Which, kn_array)

enum { JIT, NESTED, VMAP, JIT_VMAP, GRAD, SCAN, COND, MAP, CHECKPOINT, JVP, VJP, N_WAYS };
static const char *const way_name[] = {"jit", "jit of a jitted call", "vmap", "jit of vmap", "grad", "scan", "cond",
                                       "map", "checkpoint",           "jvp",  "vjp"};

/* Where lanes or steps stack their results, the first of them. */
static kn_array result(int way, const Which *w, const kn_array *x)
{
    kn_fn f = KN_FN_ENV(constant, w);
    kn_array y = NULL, other = NULL, dx = kn_ones_like(*x), many = kn_stack(KN_LIST(*x, *x));
    switch (way) {
    case JIT: kn_call(kn_jit(f), &y, x); break;
    case NESTED: kn_call(kn_jit(KN_FN_ENV(nested, w)), &y, x); break;
    case VMAP: kn_call(kn_vmap(f), &y, &many); return kn_at(y, "0");
    case JIT_VMAP: kn_call(kn_jit(kn_vmap(f)), &y, &many); return kn_at(y, "0");
    case GRAD: kn_call(kn_jit(kn_grad(KN_FN_ENV(with_aux, w), .has_aux = true)), KN_OUT(&other, &y), x); break;
    case SCAN: kn_scan(KN_FN_ENV(step, w), KN_OUT(&other, &y), x, &many); return kn_at(y, "0");
    case COND: kn_cond(kn_greater(kn_sum(*x), 0), f, f, &y, x); break;
    case MAP: kn_lax_map(f, &y, &many); return kn_at(y, "0");
    case CHECKPOINT: kn_call(kn_jit(kn_checkpoint(f)), &y, x); break;
    case JVP: kn_jvp(kn_jit(f), KN_ARGS(x), KN_ARGS(&dx), &y, &other); break;
    default: (void)kn_vjp(kn_jit(f), KN_ARGS(x), &y); break;
    }
    return y;
}

static void constants_are_known_under_every_transformation(void **state)
{
    (void)state;
    for (int n = 0; n < N_CONSTANTS; n++)
        for (int way = 0; way < N_WAYS; way++) {
            KN_SCOPE;
            kn_array x = kn_ones(KN_SHAPE(3, 3)), want = constant(&(Which){n}, &x);
            expect_no_error();
            kn_array has = result(way, &(Which){n}, &x);
            if (!kn_ok(has) || kn_dtype_of(has) != kn_dtype_of(want) || !kn_array_equal(has, want))
                fail_msg("%s under %s: %s", text[n], way_name[way], kn_error_message());
        }
}

/* ---- What depends on an argument, on lanes, or runs with the rest, is not known. */

static kn_array of_argument(const kn_array *x) { return kn_num(kn_item(kn_sum(kn_add(*x, kn_ones(KN_SHAPE(3)))))); }
KN_FUNCTION(of_argument, kn_array, kn_array)
static kn_array of_lane(const kn_array *x)
{
    kn_array lane = kn_add(kn_lax_axis_index("i"), 1);
    return (void)x, kn_num(kn_item(lane));
}
KN_FUNCTION(of_lane, kn_array, kn_array)
static kn_array inner_of_outer(const kn_array *outer, const kn_array *x)
{
    return (void)x, kn_num(kn_item(kn_sum(*outer)));
}
KN_CLOSURE(inner_of_outer, kn_array, kn_array, kn_array)
static kn_array of_outer(const kn_array *x)
{
    kn_array y, one = kn_ones(KN_SHAPE(1)), twice = kn_mul(*x, 2);
    kn_call(kn_jit(KN_CLOSE(inner_of_outer, &twice)), &y, &one);
    return y;
}
KN_FUNCTION(of_outer, kn_array, kn_array)

static void other_values_are_not_known(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3)), y = NULL;
    kn_call(kn_jit(KN_FN(of_argument)), &y, &x);
    expect_error_with("ConcretizationError", "the value of float64[] is not known while of_argument is traced by jit");
    kn_call(kn_vmap(KN_FN(of_lane), .axis_name = "i"), &y, &x);
    expect_error_with("ConcretizationError", "is not known while of_lane is traced by vmap");
    kn_call(kn_jit(KN_FN(of_outer)), &y, &x);
    expect_error_with("ConcretizationError", "is not known while");
}

/* Numbers that are literals of the recording: where they were looked at, several of them, the rest is as it was. */
static kn_array counted(const kn_array *x)
{
    int64_t bounds[3] = {0, 6, 1}, got[3] = {0};
    for (int i = 0; i < 3; i++)
        kn_copy_to(kn_astype(kn_scalar(bounds[i]), KN_I64), &got[i], sizeof got[i]);
    return (void)x, kn_sum(kn_arange(got[0], got[1], got[2]));
}
KN_FUNCTION(counted, kn_array, kn_array)

static void a_function_that_looked_at_numbers_has_a_vjp(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2)), y = NULL, dx = NULL, one;
    kn_fn back = kn_vjp(KN_FN(counted), KN_ARGS(&x), &y);
    expect_no_error();
    assert_true(kn_item(y) == 15);
    one = kn_ones_like(y);
    kn_call(back, &dx, &one);
    assert_true(kn_array_equal(dx, kn_zeros(KN_SHAPE(2))));
}

KN_TEST_GROUP(test_constants)
{
    const struct CMUnitTest tests[] = {
        TEST(constants_are_known_under_every_transformation),
        TEST(other_values_are_not_known),
        TEST(a_function_that_looked_at_numbers_has_a_vjp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

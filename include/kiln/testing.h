/* SPDX-License-Identifier: Apache-2.0
 * kiln/testing.h -- np.testing, and jax.test_util's checks of derivatives.
 *
 * Each function returns 0, or -1 with an error of kind AssertionError whose message is NumPy's report, word for
 * word. What goes wrong on the way (a null array, a traced value) is an error of its own kind, and -1 too. `err_msg`
 * is put into the report; without `verbose` (true) it does not show the arrays; with `strict` shapes and dtypes must
 * be equal, too: else a scalar fits every array. C numbers are what Python's are to NumPy. */
/* Made by scripts/make-api.py from api/testing.api. */
/* clang-format off */
#ifndef KILN_TESTING_H
#define KILN_TESTING_H
#include "kiln/function.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_testing_allclose_opts {
    size_t size_;
    double rtol;         /* 1e-7 */
    double atol;         /* 0 */
    bool equal_nan;      /* true */
    const char *err_msg;
    bool verbose;        /* true */
    bool strict;
} kn_testing_allclose_opts;
KN_API kn_testing_allclose_opts kn_testing_allclose_opts_default(void);
typedef struct kn_testing_equal_opts {
    size_t size_;
    const char *err_msg;
    bool verbose;        /* true */
    bool strict;
} kn_testing_equal_opts;
KN_API kn_testing_equal_opts kn_testing_equal_opts_default(void);
typedef struct kn_testing_almost_opts {
    size_t size_;
    int decimal;         /* 7 */
    const char *err_msg;
    bool verbose;        /* true */
} kn_testing_almost_opts;
KN_API kn_testing_almost_opts kn_testing_almost_opts_default(void);
typedef kn_testing_almost_opts kn_testing_array_almost_opts;
KN_API kn_testing_array_almost_opts kn_testing_array_almost_opts_default(void);
typedef struct kn_testing_approx_opts {
    size_t size_;
    int significant;     /* 7 */
    const char *err_msg;
    bool verbose;        /* true */
} kn_testing_approx_opts;
KN_API kn_testing_approx_opts kn_testing_approx_opts_default(void);
typedef struct kn_testing_nulp_opts { size_t size_; double nulp; } kn_testing_nulp_opts; /* 1 */
KN_API kn_testing_nulp_opts kn_testing_nulp_opts_default(void);
typedef struct kn_testing_max_ulp_opts {
    size_t size_;
    double maxulp;  /* 1 */
    kn_dtype dtype;
} kn_testing_max_ulp_opts;
KN_API kn_testing_max_ulp_opts kn_testing_max_ulp_opts_default(void);
typedef struct kn_testing_check_opts {
    size_t size_;
    const char *modes; /* NULL, "fwd,rev"; or "fwd", "rev" */
    double atol;       /* -1: by dtype (1e-5 in float64, 2e-3 in float32, 1e-2 in 16 bits) */
    double rtol;       /* -1: by dtype (1e-5 in float64, 2e-3 in float32, 1e-2 in 16 bits) */
    double eps;        /* 1e-4: half the distance of the points that the numerical derivative is taken from */
} kn_testing_check_opts;
KN_API kn_testing_check_opts kn_testing_check_opts_default(void);
typedef struct kn_testing_compare_opts {
    size_t size_;
    const char *err_msg;
    bool verbose;             /* true */
    const char *header;       /* NULL, "" */
    int precision;            /* 6 */
    bool equal_nan;           /* true */
    bool equal_inf;           /* true */
    bool strict;
    const char *const *names; /* {"ACTUAL", "DESIRED"} */
} kn_testing_compare_opts;
KN_API kn_testing_compare_opts kn_testing_compare_opts_default(void);
typedef struct kn_testing_err_msg_opts {
    size_t size_;
    const char *header;       /* NULL, "Items are not equal:" */
    bool verbose;             /* true */
    const char *const *names; /* {"ACTUAL", "DESIRED"} */
    int precision;            /* 8 */
} kn_testing_err_msg_opts;
KN_API kn_testing_err_msg_opts kn_testing_err_msg_opts_default(void);

/* ---- Arrays. */
/* np.testing.assert_allclose: asserts that |actual - desired| <= atol + rtol |desired| everywhere; NaN equals NaN
 * unless .equal_nan is false */
KN_API int kn_testing_assert_allclose(kn_array actual, kn_array desired, const kn_testing_allclose_opts *opts);
/* np.testing.assert_array_equal: asserts that two arrays are equal, shapes too; NaN equals NaN, a scalar fits every
 * array unless .strict */
KN_API int kn_testing_assert_array_equal(kn_array actual, kn_array desired, const kn_testing_equal_opts *opts);
/* np.testing.assert_equal: asserts that two numbers or arrays are equal; NaN equals NaN, and between numbers -0 is
 * not 0 */
KN_API int kn_testing_assert_equal(kn_array actual, kn_array desired, const kn_testing_equal_opts *opts);
/* np.testing.assert_array_less: asserts that x < y everywhere */
KN_API int kn_testing_assert_array_less(kn_array x, kn_array y, const kn_testing_equal_opts *opts);
/* np.testing.assert_array_almost_equal: asserts that |actual - desired| < 1.5 * 10^-decimal everywhere;
 * kn_testing_assert_allclose is the better measure */
KN_API int kn_testing_assert_array_almost_equal(kn_array actual, kn_array desired,
    const kn_testing_array_almost_opts *opts);
/* np.testing.assert_almost_equal: asserts that |actual - desired| < 1.5 * 10^-decimal of two numbers, or of arrays */
KN_API int kn_testing_assert_almost_equal(kn_array actual, kn_array desired, const kn_testing_almost_opts *opts);
/* np.testing.assert_approx_equal: asserts that two numbers agree in so many significant digits */
KN_API int kn_testing_assert_approx_equal(kn_array actual, kn_array desired, const kn_testing_approx_opts *opts);
/* np.testing.assert_array_almost_equal_nulp: asserts that |x - y| is at most nulp times the spacing of floats at the
 * larger one */
KN_API int kn_testing_assert_array_almost_equal_nulp(kn_array x, kn_array y, const kn_testing_nulp_opts *opts);
/* np.testing.assert_array_max_ulp: asserts that there are at most maxulp steps from float to float between a and b */
KN_API int kn_testing_assert_array_max_ulp(kn_array a, kn_array b, const kn_testing_max_ulp_opts *opts);
typedef kn_array (*kn_testing_comparison)(kn_array x, kn_array y);
/* np.testing.assert_array_compare: asserts what a function of one's own says: comparison gives the truth values of
 * what is left of x and y beside NaN and infinities, e.g. (kn_less_equal) */
KN_API int kn_testing_assert_array_compare(kn_testing_comparison comparison, kn_array x, kn_array y,
    const kn_testing_compare_opts *opts);

/* ---- Text, truth and errors. */
/* np.testing.assert_string_equal: asserts that two texts are equal; the report shows where they differ */
KN_API int kn_testing_assert_string_equal(const char *actual, const char *desired);
/* np.testing.build_err_msg: the report of an assertion about two arrays; it belongs to the scope */
KN_API const char *kn_testing_build_err_msg(kn_array actual, kn_array desired, const char *err_msg,
    const kn_testing_err_msg_opts *opts);
/* np.testing.assert_: asserts that value is true; else msg is the message, which may be NULL */
KN_API int kn_testing_assert_(bool value, const char *msg);
/* asserts that an error of this kind is pending, and clears it: for np.testing.assert_raises. AssertionError
 * "ValueError not raised" if there is none; an error of another kind stays as it is. */
KN_API int kn_testing_assert_error(kn_error_kind kind);
/* asserts that an error of this kind is pending whose message has this part, and clears it: for
 * np.testing.assert_raises_regex; else AssertionError */
KN_API int kn_testing_assert_error_with(kn_error_kind kind, const char *part);

/* ---- Derivatives, against differences along random directions (jax.test_util). All arguments are differentiated
 * and must be real floats. */
/* jax.test_util.check_jvp: asserts that fn's derivative of forward mode is that of differences */
KN_API int kn_testing_check_jvp(kn_fn fn, const kn_args *args, const kn_testing_check_opts *opts);
/* jax.test_util.check_vjp: asserts that fn's derivative of reverse mode is that of differences */
KN_API int kn_testing_check_vjp(kn_fn fn, const kn_args *args, const kn_testing_check_opts *opts);
/* jax.test_util.check_grads: asserts that fn's derivatives up to this order are those of differences, in the modes
 * that are given */
KN_API int kn_testing_check_grads(kn_fn fn, const kn_args *args, int order, const kn_testing_check_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_testing_assert_allclose(actual, desired, ...)                                                               \
    KN_F2O(kn_testing_assert_allclose, kn_testing_allclose_opts, (.rtol = 1e-7, .equal_nan = true, .verbose = true, ), \
    actual, desired, __VA_ARGS__)
#define kn_testing_assert_array_equal(actual, desired, ...)                                                            \
    KN_F2O(kn_testing_assert_array_equal, kn_testing_equal_opts, (.verbose = true, ), actual, desired, __VA_ARGS__)
#define kn_testing_assert_equal(actual, desired, ...)                                                                  \
    KN_F2O(kn_testing_assert_equal, kn_testing_equal_opts, (.verbose = true, ), actual, desired, __VA_ARGS__)
#define kn_testing_assert_array_less(x, y, ...)                                                                        \
    KN_F2O(kn_testing_assert_array_less, kn_testing_equal_opts, (.verbose = true, ), x, y, __VA_ARGS__)
#define kn_testing_assert_array_almost_equal(actual, desired, ...)                                                     \
    KN_F2O(kn_testing_assert_array_almost_equal, kn_testing_array_almost_opts, (.decimal = 6, .verbose = true, ),      \
    actual, desired, __VA_ARGS__)
#define kn_testing_assert_almost_equal(actual, desired, ...)                                                           \
    KN_F2O(kn_testing_assert_almost_equal, kn_testing_almost_opts, (.decimal = 7, .verbose = true, ), actual, desired, \
    __VA_ARGS__)
#define kn_testing_assert_approx_equal(actual, desired, ...)                                                           \
    KN_F2O(kn_testing_assert_approx_equal, kn_testing_approx_opts, (.significant = 7, .verbose = true, ), actual,      \
    desired, __VA_ARGS__)
#define kn_testing_assert_array_almost_equal_nulp(x, y, ...)                                                           \
    KN_F2O(kn_testing_assert_array_almost_equal_nulp, kn_testing_nulp_opts, (.nulp = 1, ), x, y, __VA_ARGS__)
#define kn_testing_assert_array_max_ulp(a, b, ...)                                                                     \
    KN_F2O(kn_testing_assert_array_max_ulp, kn_testing_max_ulp_opts, (.maxulp = 1, ), a, b, __VA_ARGS__)
#define kn_testing_assert_array_compare(comparison, x, y, ...)                                                         \
    KN_TESTING_ASSERT_ARRAY_COMPARE_(__COUNTER__, comparison, x, y, __VA_ARGS__)
#define KN_TESTING_ASSERT_ARRAY_COMPARE_(c, comparison, x, y, ...)                                                     \
    __extension__({ KN_TAKE(kn_testing_comparison, 1, c, comparison) kn_array KN_V(2, c) = KN_LIKE(x); kn_array        \
    KN_V(3, c) = KN_LIKE(y); KN_OPTS(c, kn_testing_compare_opts, (.verbose = true, .precision = 6, .equal_nan = true,  \
    .equal_inf = true, ), __VA_ARGS__) KN_HERE(); (kn_testing_assert_array_compare)(KN_V(1, c), KN_V(2, c),            \
    KN_V(3, c), KN_V(opt, c)); })
#define kn_testing_assert_string_equal(actual, desired)                                                                \
    KN_G2(kn_testing_assert_string_equal, const char *, actual, const char *, desired)
#define kn_testing_build_err_msg(actual, desired, err_msg, ...)                                                        \
    KN_TESTING_BUILD_ERR_MSG_(__COUNTER__, actual, desired, err_msg, __VA_ARGS__)
#define KN_TESTING_BUILD_ERR_MSG_(c, actual, desired, err_msg, ...)                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(actual); kn_array KN_V(2, c) = KN_LIKE(desired);                     \
    KN_TAKE(const char *, 3, c, err_msg) KN_OPTS(c, kn_testing_err_msg_opts, (.verbose = true, .precision = 8, ),      \
    __VA_ARGS__) KN_HERE(); (kn_testing_build_err_msg)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_testing_assert_(value, msg) KN_G2(kn_testing_assert_, bool, value, const char *, msg)
#define kn_testing_assert_error(kind) KN_G1(kn_testing_assert_error, kn_error_kind, kind)
#define kn_testing_assert_error_with(kind, part)                                                                       \
    KN_G2(kn_testing_assert_error_with, kn_error_kind, kind, const char *, part)
#define kn_testing_check_jvp(fn, args, ...)                                                                            \
    KN_G2O(kn_testing_check_jvp, kn_testing_check_opts, (.atol = -1, .rtol = -1, .eps = 1e-4, ), kn_fn, fn, const      \
    kn_args *, args, __VA_ARGS__)
#define kn_testing_check_vjp(fn, args, ...)                                                                            \
    KN_G2O(kn_testing_check_vjp, kn_testing_check_opts, (.atol = -1, .rtol = -1, .eps = 1e-4, ), kn_fn, fn, const      \
    kn_args *, args, __VA_ARGS__)
#define kn_testing_check_grads(fn, args, order, ...) KN_TESTING_CHECK_GRADS_(__COUNTER__, fn, args, order, __VA_ARGS__)
#define KN_TESTING_CHECK_GRADS_(c, fn, args, order, ...)                                                               \
    __extension__({ KN_TAKE(kn_fn, 1, c, fn) KN_TAKE(const kn_args *, 2, c, args) KN_TAKE(int, 3, c, order) KN_OPTS(c, \
    kn_testing_check_opts, (.atol = -1, .rtol = -1, .eps = 1e-4, ), __VA_ARGS__) KN_HERE();                            \
    (kn_testing_check_grads)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/logic.h -- comparisons, truth and bits; what all chapters have in common is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/logic.api. */
/* clang-format off */
#ifndef KILN_NUMPY_LOGIC_H
#define KILN_NUMPY_LOGIC_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_isclose_opts {
    size_t size_;
    double rtol;    /* 1e-5 */
    double atol;    /* 1e-8 */
    bool equal_nan;
} kn_isclose_opts;
KN_API kn_isclose_opts kn_isclose_opts_default(void);
typedef struct kn_array_equal_opts { size_t size_; bool equal_nan; } kn_array_equal_opts;
KN_API kn_array_equal_opts kn_array_equal_opts_default(void);
typedef struct kn_packbits_opts {
    size_t size_;
    kn_axes axis;         /* flattened unless it is given */
    const char *bitorder; /* NULL, "big"; or "little" */
} kn_packbits_opts;
KN_API kn_packbits_opts kn_packbits_opts_default(void);
typedef struct kn_unpackbits_opts {
    size_t size_;
    kn_axes axis;         /* flattened unless it is given */
    int64_t count;        /* INT64_MAX: so many bits, cut off or filled with 0; negative: without so many */
    const char *bitorder; /* NULL, "big"; or "little" */
} kn_unpackbits_opts;
KN_API kn_unpackbits_opts kn_unpackbits_opts_default(void);

/* ---- Comparisons and logic: results are bool. Integers compare exactly, whatever their dtypes. */
KN_API kn_array kn_equal(kn_array x, kn_array y);               /* np.equal: x == y; NaN equals nothing */
KN_API kn_array kn_not_equal(kn_array x, kn_array y);           /* np.not_equal: x != y; true where one is NaN */
KN_API kn_array kn_less(kn_array x, kn_array y); /* np.less: complex numbers by real part, then imaginary part */
KN_API kn_array kn_less_equal(kn_array x, kn_array y); /* np.less_equal: x <= y, as kn_less; false where one is NaN */
KN_API kn_array kn_greater(kn_array x, kn_array y);             /* np.greater: x > y, as kn_less */
KN_API kn_array kn_greater_equal(kn_array x, kn_array y);       /* np.greater_equal: x >= y, as kn_less */
KN_API kn_array kn_isnan(kn_array x); /* np.isnan: is it NaN? Of complex numbers either part */
KN_API kn_array kn_isinf(kn_array x); /* np.isinf: is it inf or -inf? Of complex numbers either part */
KN_API kn_array kn_isfinite(kn_array x); /* np.isfinite: neither infinite nor NaN; of complex numbers both parts */
KN_API kn_array kn_logical_and(kn_array x, kn_array y);         /* np.logical_and: of x != 0 and y != 0 */
KN_API kn_array kn_logical_or(kn_array x, kn_array y);          /* np.logical_or: of x != 0 and y != 0 */
KN_API kn_array kn_logical_xor(kn_array x, kn_array y);         /* np.logical_xor: is just one of x != 0 and y != 0? */
KN_API kn_array kn_logical_not(kn_array x);                     /* np.logical_not: x == 0 */
/* np.bitwise_and: bit by bit, of integers or bool; TypeError for others */
KN_API kn_array kn_bitwise_and(kn_array x, kn_array y);
KN_API kn_array kn_bitwise_or(kn_array x, kn_array y);          /* np.bitwise_or: as kn_bitwise_and */
KN_API kn_array kn_bitwise_xor(kn_array x, kn_array y);         /* np.bitwise_xor: as kn_bitwise_and */
/* np.bitwise_not: every bit turned: -x - 1 of signed integers, not of bool */
KN_API kn_array kn_bitwise_not(kn_array x);
KN_API kn_array kn_invert(kn_array x);                          /* kn_bitwise_not */
KN_API kn_array kn_bitwise_invert(kn_array x);                  /* kn_bitwise_not */
KN_API kn_array kn_left_shift(kn_array x, kn_array y); /* np.left_shift: x << y; 0 for y beyond the width or < 0 */
KN_API kn_array kn_right_shift(kn_array x, kn_array y);         /* np.right_shift: x >> y; then 0 or -1 */
KN_API kn_array kn_bitwise_left_shift(kn_array x, kn_array y);  /* kn_left_shift */
KN_API kn_array kn_bitwise_right_shift(kn_array x, kn_array y); /* kn_right_shift */
KN_API kn_array kn_bitwise_count(kn_array x); /* np.bitwise_count: bits of |x|, uint8; else TypeError */
/* np.packbits: eight bits, x != 0, in one uint8, filled up with 0 */
KN_API kn_array kn_packbits(kn_array x, const kn_packbits_opts *opts);
/* np.unpackbits: the bits of uint8, each as one uint8; TypeError for other dtypes */
KN_API kn_array kn_unpackbits(kn_array x, const kn_unpackbits_opts *opts);
/* np.where: x where the condition is not 0, else y: element by element, all three broadcast, of the common dtype of
 * x and y. kn_nonzero is NumPy's where of one argument */
KN_API kn_array kn_where(kn_array condition, kn_array x, kn_array y);
/* np.isclose: |a - b| <= atol + rtol |b|. NaN is close to nothing unless .equal_nan */
KN_API kn_array kn_isclose(kn_array a, kn_array b, const kn_isclose_opts *opts);
/* np.allclose: false for an error; are all elements close, as kn_isclose says? */
KN_API bool kn_allclose(kn_array a, kn_array b, const kn_isclose_opts *opts);
/* np.array_equal: false for an error; are shapes and all elements equal? */
KN_API bool kn_array_equal(kn_array a, kn_array b, const kn_array_equal_opts *opts);
KN_API bool kn_array_equiv(kn_array a1, kn_array a2); /* np.array_equiv: equal when broadcast; false for an error */

/* ---- Kinds of numbers and arrays. */
KN_API kn_array kn_isposinf(kn_array x);  /* np.isposinf: TypeError for complex numbers */
KN_API kn_array kn_isneginf(kn_array x);  /* np.isneginf: TypeError for complex numbers */
KN_API kn_array kn_iscomplex(kn_array x); /* np.iscomplex: the imaginary part is not 0; for each element */
KN_API kn_array kn_isreal(kn_array x);    /* np.isreal: the imaginary part is 0; for each element */
KN_API bool kn_iscomplexobj(kn_array x);  /* np.iscomplexobj: of a complex dtype; false for an error */
KN_API bool kn_isrealobj(kn_array x);     /* np.isrealobj: false for an error; of no complex dtype */
KN_API bool kn_isscalar(kn_array x);      /* np.isscalar: a C number; false for 0-d arrays and errors */
KN_API bool kn_isfortran(kn_array x); /* np.isfortran: Fortran-contiguous and not C-contiguous; false for an error */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_equal(x, y) KN_F2(kn_equal, x, y)
#define kn_not_equal(x, y) KN_F2(kn_not_equal, x, y)
#define kn_less(x, y) KN_F2(kn_less, x, y)
#define kn_less_equal(x, y) KN_F2(kn_less_equal, x, y)
#define kn_greater(x, y) KN_F2(kn_greater, x, y)
#define kn_greater_equal(x, y) KN_F2(kn_greater_equal, x, y)
#define kn_isnan(x) KN_F1(kn_isnan, x)
#define kn_isinf(x) KN_F1(kn_isinf, x)
#define kn_isfinite(x) KN_F1(kn_isfinite, x)
#define kn_logical_and(x, y) KN_F2(kn_logical_and, x, y)
#define kn_logical_or(x, y) KN_F2(kn_logical_or, x, y)
#define kn_logical_xor(x, y) KN_F2(kn_logical_xor, x, y)
#define kn_logical_not(x) KN_F1(kn_logical_not, x)
#define kn_bitwise_and(x, y) KN_F2(kn_bitwise_and, x, y)
#define kn_bitwise_or(x, y) KN_F2(kn_bitwise_or, x, y)
#define kn_bitwise_xor(x, y) KN_F2(kn_bitwise_xor, x, y)
#define kn_bitwise_not(x) KN_F1(kn_bitwise_not, x)
#define kn_invert(x) KN_F1(kn_invert, x)
#define kn_bitwise_invert(x) KN_F1(kn_bitwise_invert, x)
#define kn_left_shift(x, y) KN_F2(kn_left_shift, x, y)
#define kn_right_shift(x, y) KN_F2(kn_right_shift, x, y)
#define kn_bitwise_left_shift(x, y) KN_F2(kn_bitwise_left_shift, x, y)
#define kn_bitwise_right_shift(x, y) KN_F2(kn_bitwise_right_shift, x, y)
#define kn_bitwise_count(x) KN_F1(kn_bitwise_count, x)
#define kn_packbits(x, ...) KN_F1O(kn_packbits, kn_packbits_opts, (), x, __VA_ARGS__)
#define kn_unpackbits(x, ...) KN_F1O(kn_unpackbits, kn_unpackbits_opts, (.count = INT64_MAX, ), x, __VA_ARGS__)
#define kn_where(condition, x, y) KN_F3(kn_where, condition, x, y)
#define kn_isclose(a, b, ...) KN_F2O(kn_isclose, kn_isclose_opts, (.rtol = 1e-5, .atol = 1e-8, ), a, b, __VA_ARGS__)
#define kn_allclose(a, b, ...) KN_F2O(kn_allclose, kn_isclose_opts, (.rtol = 1e-5, .atol = 1e-8, ), a, b, __VA_ARGS__)
#define kn_array_equal(a, b, ...) KN_F2O(kn_array_equal, kn_array_equal_opts, (), a, b, __VA_ARGS__)
#define kn_array_equiv(a1, a2) KN_F2(kn_array_equiv, a1, a2)
#define kn_isposinf(x) KN_F1(kn_isposinf, x)
#define kn_isneginf(x) KN_F1(kn_isneginf, x)
#define kn_iscomplex(x) KN_F1(kn_iscomplex, x)
#define kn_isreal(x) KN_F1(kn_isreal, x)
#define kn_iscomplexobj(x) KN_F1(kn_iscomplexobj, x)
#define kn_isrealobj(x) KN_F1(kn_isrealobj, x)
#define kn_isscalar(x) KN_F1(kn_isscalar, x)
#define kn_isfortran(x) KN_F1(kn_isfortran, x)
#endif
#endif

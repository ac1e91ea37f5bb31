/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/polynomials.h -- polynomials as NumPy's top level has them (np.poly1d, np.polyfit, ...): a polynomial
 * is the vector of its coefficients, the highest power first. What all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/polynomials.api. */
/* clang-format off */
#ifndef KILN_NUMPY_POLYNOMIALS_H
#define KILN_NUMPY_POLYNOMIALS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_poly1d_opts { size_t size_; bool r; } kn_poly1d_opts; /* the elements are roots */
KN_API kn_poly1d_opts kn_poly1d_opts_default(void);
typedef struct kn_poly1d_str_opts { size_t size_; const char *variable; } kn_poly1d_str_opts; /* NULL, "x" */
KN_API kn_poly1d_str_opts kn_poly1d_str_opts_default(void);
typedef struct kn_roots_opts {
    size_t size_;
    /* true: zeros at both ends are looked for. false: leading ones become roots that are NaN, at the end */
    bool strip_zeros;
} kn_roots_opts;
KN_API kn_roots_opts kn_roots_opts_default(void);
typedef struct kn_polyint_opts {
    size_t size_;
    int m;        /* 1: so many times */
    kn_array k;   /* NULL, 0: the constants, one for each time, or one for all */
} kn_polyint_opts;
KN_API kn_polyint_opts kn_polyint_opts_default(void);
typedef struct kn_polyder_opts { size_t size_; int m; } kn_polyder_opts; /* 1: so many times */
KN_API kn_polyder_opts kn_polyder_opts_default(void);
typedef struct kn_polymul_opts {
    size_t size_;
    bool trim_leading_zeros; /* true: of the operands, which are looked at */
} kn_polymul_opts;
KN_API kn_polymul_opts kn_polymul_opts_default(void);
typedef struct kn_polydiv_opts {
    size_t size_;
    bool trim_leading_zeros; /* true: of the remainder, which is looked at: elements up to 1e-8 */
} kn_polydiv_opts;
KN_API kn_polydiv_opts kn_polydiv_opts_default(void);
typedef struct kn_polyval_opts {
    size_t size_;
    bool compose; /* x is a polynomial, too, and so is the result */
} kn_polyval_opts;
KN_API kn_polyval_opts kn_polyval_opts_default(void);
/* Further results go where the pointers lead, if they are given: an array is put there. */
typedef struct kn_polyfit_opts {
    size_t size_;
    double rcond;              /* NAN: NaN (the default) for None: the length of x times epsilon of its dtype */
    kn_array w;                /* weights */
    kn_array *residuals;       /* sums of squares, one for each column of y */
    kn_array *rank;
    kn_array *singular_values;
    kn_array *cov;             /* the covariance of the coefficients */
    bool unscaled;             /* cov without the factor of the residuals */
} kn_polyfit_opts;
KN_API kn_polyfit_opts kn_polyfit_opts_default(void);

/* ---- Coefficients. */
/* np.poly1d: the coefficients without leading zeros, which are looked for; one coefficient at least */
KN_API kn_array kn_poly1d(kn_array c_or_r, const kn_poly1d_opts *opts);
/* np.poly1d.order: the highest power whose coefficient is not zero, or 0; -1 with an error */
KN_API int64_t kn_poly1d_order(kn_array p);
/* str(np.poly1d(p)): two lines, powers in the upper one; owned by the scope */
KN_API const char *kn_poly1d_str(kn_array p, const kn_poly1d_str_opts *opts);

/* ---- Roots. */
/* np.poly: the coefficients of the polynomial with these roots, or with a square matrix's eigenvalues. Real where
 * complex roots come in pairs, which are looked for unless the values are not known (under kn_jit: complex) */
KN_API kn_array kn_poly(kn_array seq_of_zeros);
/* np.roots: the roots of the polynomial: the eigenvalues of the companion matrix */
KN_API kn_array kn_roots(kn_array p, const kn_roots_opts *opts);

/* ---- Calculus. */
/* np.polyint: the integral, .m times. ValueError for m < 0 */
KN_API kn_array kn_polyint(kn_array p, const kn_polyint_opts *opts);
/* np.polyder: the derivative, .m times. ValueError for m < 0 */
KN_API kn_array kn_polyder(kn_array p, const kn_polyder_opts *opts);

/* ---- Arithmetic. */
typedef struct kn_polydiv_result { kn_array quotient, remainder; } kn_polydiv_result;
KN_API kn_array kn_polyadd(kn_array a1, kn_array a2); /* np.polyadd: the sum; the lengths may differ */
KN_API kn_array kn_polysub(kn_array a1, kn_array a2); /* np.polysub: the difference a1 - a2; leading zeros stay */
/* np.polymul: the product of two polynomials */
KN_API kn_array kn_polymul(kn_array a1, kn_array a2, const kn_polymul_opts *opts);
/* np.polydiv: u = quotient v + remainder */
KN_API kn_polydiv_result kn_polydiv(kn_array u, kn_array v, const kn_polydiv_opts *opts);
/* np.polyval: the values of the polynomial at the elements of x, by Horner's rule */
KN_API kn_array kn_polyval(kn_array p, kn_array x, const kn_polyval_opts *opts);

/* ---- Fits. */
/* np.polyfit: the coefficients of the polynomial with the least squares of differences; of several columns y, in
 * columns. A line in the log (RankWarning) where powers of x cannot be told apart, unless rank or its kin are asked
 * for */
KN_API kn_array kn_polyfit(kn_array x, kn_array y, int64_t deg, const kn_polyfit_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_poly1d(c_or_r, ...) KN_F1O(kn_poly1d, kn_poly1d_opts, (), c_or_r, __VA_ARGS__)
#define kn_poly1d_order(p) KN_F1(kn_poly1d_order, p)
#define kn_poly1d_str(p, ...) KN_F1O(kn_poly1d_str, kn_poly1d_str_opts, (), p, __VA_ARGS__)
#define kn_poly(seq_of_zeros) KN_F1(kn_poly, seq_of_zeros)
#define kn_roots(p, ...) KN_F1O(kn_roots, kn_roots_opts, (.strip_zeros = true, ), p, __VA_ARGS__)
#define kn_polyint(p, ...) KN_F1O(kn_polyint, kn_polyint_opts, (.m = 1, ), p, __VA_ARGS__)
#define kn_polyder(p, ...) KN_F1O(kn_polyder, kn_polyder_opts, (.m = 1, ), p, __VA_ARGS__)
#define kn_polyadd(a1, a2) KN_F2(kn_polyadd, a1, a2)
#define kn_polysub(a1, a2) KN_F2(kn_polysub, a1, a2)
#define kn_polymul(a1, a2, ...) KN_F2O(kn_polymul, kn_polymul_opts, (.trim_leading_zeros = true, ), a1, a2, __VA_ARGS__)
#define kn_polydiv(u, v, ...) KN_F2O(kn_polydiv, kn_polydiv_opts, (.trim_leading_zeros = true, ), u, v, __VA_ARGS__)
#define kn_polyval(p, x, ...) KN_F2O(kn_polyval, kn_polyval_opts, (), p, x, __VA_ARGS__)
#define kn_polyfit(x, y, deg, ...) KN_POLYFIT_(__COUNTER__, x, y, deg, __VA_ARGS__)
#define KN_POLYFIT_(c, x, y, deg, ...)                                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y); KN_TAKE(int64_t, 3, c, deg)    \
    KN_OPTS(c, kn_polyfit_opts, (.rcond = __builtin_nan(""), ), __VA_ARGS__) KN_HERE(); (kn_polyfit)(KN_V(1, c),       \
    KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#endif
#endif

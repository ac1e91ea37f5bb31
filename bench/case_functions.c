/* SPDX-License-Identifier: Apache-2.0
 * case_functions.c -- functions of single elements, a million of float32 and of float64. */
#include "work.h"

/* X(the function, its name, low, high): of one array between these bounds. */
#define FUNCTIONS(X)                          \
    X(kn_sin, sin, -10, 10)                   \
    X(kn_cos, cos, -10, 10)                   \
    X(kn_tan, tan, -1.5, 1.5)                 \
    X(kn_arcsin, arcsin, -1, 1)               \
    X(kn_arccos, arccos, -1, 1)               \
    X(kn_arctan, arctan, -10, 10)             \
    X(kn_sinh, sinh, -5, 5)                   \
    X(kn_cosh, cosh, -5, 5)                   \
    X(kn_tanh, tanh, -5, 5)                   \
    X(kn_arcsinh, arcsinh, -10, 10)           \
    X(kn_arccosh, arccosh, 1, 20)             \
    X(kn_arctanh, arctanh, -0.99, 0.99)       \
    X(kn_exp, exp, -10, 10)                   \
    X(kn_exp2, exp2, -10, 10)                 \
    X(kn_expm1, expm1, -5, 5)                 \
    X(kn_log, log, 0.001, 100)                \
    X(kn_log2, log2, 0.001, 100)              \
    X(kn_log10, log10, 0.001, 100)            \
    X(kn_log1p, log1p, -0.9, 10)              \
    X(kn_sqrt, sqrt, 0, 100)                  \
    X(kn_cbrt, cbrt, -100, 100)               \
    X(kn_lax_logistic, logistic, -10, 10)     \
    X(kn_special_erf, erf, -3, 3)             \
    X(kn_special_erfc, erfc, -3, 3)           \
    X(kn_special_erfinv, erfinv, -0.99, 0.99) \
    X(kn_special_ndtri, ndtri, 0.01, 0.99)    \
    X(kn_special_gamma, gamma, 0.1, 10)       \
    X(kn_special_gammaln, gammaln, 0.1, 50)   \
    X(kn_special_digamma, digamma, 0.1, 50)   \
    X(kn_special_i0e, i0e, -10, 10)           \
    X(kn_floor, floor, -100, 100)             \
    X(kn_rint, rint, -100, 100)
#define OF_TWO(X)                             \
    X(kn_power, power, 0.1, 5, -3, 3)         \
    X(kn_arctan2, arctan2, -5, 5, -5, 5)      \
    X(kn_hypot, hypot, -5, 5, -5, 5)          \
    X(kn_remainder, remainder, -50, 50, 1, 7) \
    X(kn_logaddexp, logaddexp, -5, 5, -5, 5)  \
    X(kn_special_gammainc, gammainc, 0.5, 10, 0.1, 20)

/* The names of these functions of C's library are the compiler's own. */
#define DEFINE(f, name, low, high) \
    static kn_array f_##name(const work_arrays *x) { return f(x->a); }
#define DEFINE_TWO(f, name, low, high, low2, high2) \
    static kn_array f_##name(const work_arrays *x) { return f(x->a, x->b); }
FUNCTIONS(DEFINE)
OF_TWO(DEFINE_TWO)
static kn_array f_betainc(const work_arrays *x) { return kn_special_betainc(x->a, x->b, x->c); }

#define ROW(f, name, low, high)                                                               \
    WORK(f_##name, f32, "us", ASK_WORK, 1e-5, .in = {"float32 1e6 uniform " #low " " #high}), \
        WORK(f_##name, f64, "us", ASK_WORK, 1e-9, .in = {"float64 1e6 uniform " #low " " #high}),
#define ROW_TWO(f, name, low, high, low2, high2)                                                  \
    WORK(f_##name, f32, "us", ASK_WORK, 1e-4,                                                     \
         .in = {"float32 1e6 uniform " #low " " #high, "float32 1e6 uniform " #low2 " " #high2}), \
        WORK(f_##name, f64, "us", ASK_WORK, 1e-9,                                                 \
             .in = {"float64 1e6 uniform " #low " " #high, "float64 1e6 uniform " #low2 " " #high2}),
#define PARTS(bits)                                                                                  \
    {                                                                                                \
        "float" #bits " 1e5 uniform 0.5 5", "float" #bits " 1e5 uniform 0.5 5", "float" #bits " 1e5" \
    }
const bench_case bench_functions[] = {
    FUNCTIONS(ROW) OF_TWO(ROW_TWO) WORK(f_betainc, f32, "us", ASK_WORK, 1e-4, .in = PARTS(32)),
    WORK(f_betainc, f64, "us", ASK_WORK, 1e-9, .in = PARTS(64)),
    {0},
};

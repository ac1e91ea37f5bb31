/* SPDX-License-Identifier: Apache-2.0
 * accuracy.h -- measures how far the elementwise functions are from their exact values; MPFR knows those. */
#ifndef KN_TEST_ACCURACY_H
#define KN_TEST_ACCURACY_H
#include "ir/prim.h"
#include <mpfr.h>
#include <stdbool.h>

enum { PRECISION = 140 };

/* One function under test: a row of unary.def, or one of two operands. */
typedef struct function {
    const kni_prim *prim;
    double lo, hi; /* the domain of the row's tests: many arguments come from there */
    double ulp;    /* no result may be farther away */
} function;

/* What it should be. A function without one is not measured. */
typedef struct reference {
    const char *name;
    int (*one)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how);
    int (*two)(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t how);
    double (*libm)(double); /* for looking through all of float32 quickly */
    bool circular;          /* the arguments next to multiples of pi/2 are hard */
    bool reflected;         /* left of 0 made from its value at |x|: errors are in units of that, of 1, or of the result */
} reference;
int bessel_i0e(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how), bessel_i1e(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how);
const reference *reference_of(const char *name);

/* Functions of complex numbers (complex.c, where MPC is installed); true if none exceeds its bound. name, dtype: NULL for
 * all. */
bool measure_complex(const char *name, const char *dtype, uint64_t count, uint64_t seed);

/* The distance of got from want in units of the last place of the dtype (at want); 0 where both are NaN or the same
 * infinity or zero, INFINITY where only one is or the sign of a zero differs. */
double distance(double got, mpfr_srcptr want, bool f32);

/* Arguments: special values first, then those near interesting points, of all exponents, and in the domain, in turn.
 * For float32 they still have to be rounded. */
typedef struct inputs {
    const function *f;
    const reference *r;
    bool f32;
    uint64_t state, n;
    double *hard; /* of circular functions */
    size_t n_hard;
} inputs;
bool inputs_begin(inputs *in, const function *f, const reference *r, bool f32, uint64_t seed);
void inputs_next(inputs *in, double x[2]);
void inputs_end(inputs *in);
#endif

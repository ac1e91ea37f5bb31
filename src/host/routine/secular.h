/* SPDX-License-Identifier: Apache-2.0
 * secular.h -- the equation 1/rho + the sum of z[i]^2 / (d[i] - x) = 0 of divide and conquer: its roots, each found as
 * its distance from the nearer pole, and that z for which they are exact (Gu and Eisenstat). */
#ifndef KN_HOST_ROUTINE_SECULAR_H
#define KN_HOST_ROUTINE_SECULAR_H
#include <stdbool.h>
#include <stdint.h>

/* d rises; no two are equal, no z is zero; rho > 0. squares: the poles are d^2, and d is not negative. */
typedef struct knr_secular {
    int64_t n;
    const double *d, *z;
    double rho, epsilon; /* epsilon: f is zero where it is a few times this of its terms */
    bool squares;
    double *rows; /* row j, of n numbers: poles less root number j */
    int64_t ld;
} knr_secular;
/* roots: x, or with squares sqrt(x); near: z, with its signs. The rows are filled. */
void knr_secular_solve(const knr_secular *s, double *roots, double *near, int threads);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * gaussian_process.c -- regression with a Gaussian process: its length scale and noise are those that make the data
 * most likely, found by gradients through a Cholesky factorisation; predictions come with their uncertainty. */
#include <kiln/kiln.h>

enum { SAMPLES = 30, STEPS = 200 };

/* Covariances of the values at the places a and b, of variance 1: exp(-((a - b) / length)^2 / 2) */
static kn_array kernel(kn_array a, kn_array b, kn_array length)
{
    kn_array distance = kn_div(kn_sub(kn_expand_dims(a, KN_AXIS(1)), b), length);
    return kn_exp(kn_mul(-0.5, kn_square(distance)));
}

static kn_array factor_of(kn_array x, kn_array length, kn_array noise)
{
    return kn_linalg_cholesky(kn_add(kernel(x, x, length), kn_mul(kn_square(noise), kn_eye(SAMPLES))));
}

/* -log of the likelihood of y, but for a constant; p: logs of the length scale and of the noise. */
static kn_array surprise(const kn_array *p, const kn_array *x, const kn_array *y)
{
    kn_array l = factor_of(*x, kn_exp(kn_at(*p, "0")), kn_exp(kn_at(*p, "1")));
    kn_array z = kn_linalg_solve_triangular(l, *y, .lower = true);
    return kn_add(kn_mul(0.5, kn_sum(kn_square(z))), kn_sum(kn_log(kn_diagonal(l))));
}
KN_FUNCTION(surprise, kn_array, kn_array, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_linspace(0, 6, SAMPLES), p = kn_of(double, 0, -1), slope = NULL, value = NULL;
    kn_array noise = kn_mul(0.1, kn_sin(kn_mul(kn_square(kn_arange(0, SAMPLES, 1)), 2.1)));
    kn_array y = kn_add(kn_sin(kn_mul(1.5, x)), noise);

    kn_fn gradient = kn_jit(kn_grad(KN_FN(surprise)));
    for (int i = 0; i < STEPS; i++) {
        kn_call(gradient, &slope, &p, &x, &y);
        p = kn_sub(p, kn_mul(0.02, slope));
    }
    kn_call(KN_FN(surprise), &value, &p, &x, &y);
    kn_array length = kn_exp(kn_at(p, "0")), sigma = kn_exp(kn_at(p, "1"));
    kn_printf("length scale %.3f, noise %.3f, surprise %.3f\n", length, sigma, value);

    kn_array l = factor_of(x, length, sigma), places = kn_of(double, 1.03, 3.1, 5.2, 8);
    kn_array across = kernel(x, places, length);
    kn_array mean = kn_matmul(kn_transpose(across), kn_linalg_cho_solve(l, y, .lower = true));
    kn_array half = kn_linalg_solve_triangular(l, across, .lower = true);
    kn_array deviation = kn_sqrt(kn_sub(1, kn_sum(kn_square(half), KN_AXIS(0))));
    for (int i = 0; i < 4; i++)
        kn_printf("at %.2f: %.3f +- %.3f\n", kn_at(places, "%", i), kn_at(mean, "%", i), kn_at(deviation, "%", i));
    return kn_finish();
}

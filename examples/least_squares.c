/* SPDX-License-Identifier: Apache-2.0
 * least_squares.c -- a decaying oscillation fitted to noisy samples: Gauss and Newton's steps with derivatives made by
 * Kiln, and how certain each parameter is. */
#include <kiln/kiln.h>

enum { SAMPLES = 80, STEPS = 8 };

/* p: amplitude, decay, frequency, phase. */
static kn_array model(const kn_array *p, const kn_array *t)
{
    kn_array angle = kn_add(kn_mul(kn_at(*p, "2"), *t), kn_at(*p, "3"));
    return kn_mul(kn_mul(kn_at(*p, "0"), kn_exp(kn_mul(kn_neg(kn_at(*p, "1")), *t))), kn_cos(angle));
}
KN_FUNCTION(model, kn_array, kn_array, kn_array)

/* The parameters after one step: those that fit best if the model were linear. */
static kn_array better(const kn_array *p, const kn_array *t, const kn_array *y)
{
    kn_array slopes = NULL, value = model(p, t);
    kn_call(kn_jacfwd(KN_FN(model)), &slopes, p, t);
    return kn_add(*p, kn_linalg_lstsq(slopes, kn_sub(*y, value)).x);
}
KN_FUNCTION(better, kn_array, kn_array, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array t = kn_linspace(0, 8, SAMPLES), truth = kn_of(double, 2, 0.3, 2.5, 0.4);
    kn_array noise = kn_mul(0.05, kn_sin(kn_mul(kn_square(kn_arange(0, SAMPLES, 1)), 1.7))); /* as good as random */
    kn_array y = kn_add(model(&truth, &t), noise), p = kn_of(double, 1.5, 0.2, 2.4, 0.5), slopes;

    kn_fn step = kn_jit(KN_FN(better));
    for (int i = 0; i < STEPS; i++)
        kn_call(step, &p, &p, &t, &y);

    kn_call(kn_jacfwd(KN_FN(model)), &slopes, &p, &t);
    kn_array left = kn_sub(y, model(&p, &t)), variance = kn_div(kn_sum(kn_square(left)), SAMPLES - 4);
    kn_array covariance = kn_mul(variance, kn_linalg_inv(kn_matmul(kn_transpose(slopes), slopes)));
    kn_array error = kn_sqrt(kn_diagonal(covariance));
    static const char *const names[] = {"amplitude", "decay", "frequency", "phase"};
    for (int i = 0; i < 4; i++)
        kn_printf("%-9s %.4f +- %.4f (%.1f)\n", names[i], kn_at(p, "%", i), kn_at(error, "%", i), kn_at(truth, "%", i));
    kn_printf("amplitude and decay go together: correlation %.3f\n",
              kn_div(kn_at(covariance, "0, 1"), kn_mul(kn_at(error, "0"), kn_at(error, "1"))));
    return kn_finish();
}

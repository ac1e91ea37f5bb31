/* SPDX-License-Identifier: Apache-2.0
 * line.c -- fits a line by gradient descent: a function, its compiled gradient, scopes. */
#include <kiln/kiln.h>

typedef struct {
    kn_array w, b;
} Line;
typedef struct {
    kn_array x, y;
} Points;

static kn_array loss(const Line *line, const Points *d)
{
    kn_array predicted = kn_add(kn_mul(line->w, d->x), line->b);
    return kn_mean(kn_square(kn_sub(predicted, d->y)));
}
KN_FUNCTION(loss, kn_array, Line, Points)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_linspace(0, 1, 32);
    Points points = {x, kn_add(kn_mul(x, 3), 0.5)};
    Line line = {kn_scalar(0.0), kn_scalar(0.0)};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    for (int i = 0; i < 500; i++) {
        KN_SCOPE; /* what is made here is gone after each round, */
        kn_array value;
        Line grad;
        kn_call(step, KN_OUT(&value, &grad), &line, &points);
        kn_assign(&line.w, kn_sub(line.w, kn_mul(0.5, grad.w))); /* but for what is put into a place that lives on */
        kn_assign(&line.b, kn_sub(line.b, kn_mul(0.5, grad.b)));
    }
    kn_printf("w = %.4f, b = %.4f\n", line.w, line.b);
    return kn_finish();
}

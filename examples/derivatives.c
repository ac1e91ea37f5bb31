/* SPDX-License-Identifier: Apache-2.0
 * derivatives.c -- a derivative that is better than the automatic one, one that is clipped on its way back, and a
 * function that is computed again instead of being kept. */
#include <kiln/kiln.h>

typedef struct {
    kn_array value, tangent;
} Dual;
typedef struct {
    kn_array value, bound;
} Kept;

/* log(1 + e^x): the automatic derivative is e^x / (1 + e^x), NaN where e^x is infinite. */
static kn_array log1pexp(const kn_array *x) { return kn_log(kn_add(kn_exp(*x), 1)); }
static Dual log1pexp_jvp(const kn_array *x, const kn_array *dx)
{
    Dual out = {log1pexp(x), kn_mul(*dx, kn_nn_sigmoid(*x))};
    return out;
}
KN_FUNCTION(log1pexp, kn_array, kn_array)
KN_FUNCTION(log1pexp_jvp, Dual, kn_array, kn_array)

/* x itself, but gradients that come back through it are at most `bound`. */
static kn_array clip_gradient(const kn_array *bound, const kn_array *x) { return (void)bound, *x; }
static Kept clip_forward(const kn_array *bound, const kn_array *x) { return (Kept){*x, *bound}; }
static Dual clip_backward(const kn_array *bound, const kn_array *ct)
{
    return (Dual){kn_zeros(KN_SHAPE(), .dtype = KN_F64), kn_clip(*ct, kn_neg(*bound), *bound)};
}
KN_FUNCTION(clip_gradient, kn_array, kn_array, kn_array)
KN_FUNCTION(clip_forward, Kept, kn_array, kn_array)
KN_FUNCTION(clip_backward, Dual, kn_array, kn_array)

static kn_array loss(const kn_array *x)
{
    kn_array bound = kn_scalar(1.0), y = NULL;
    kn_call(kn_custom_vjp(KN_FN(clip_gradient), KN_FN(clip_forward), KN_FN(clip_backward)), &y, &bound, x);
    return kn_mul(y, y);
}
KN_FUNCTION(loss, kn_array, kn_array)

int main(void)
{
    {
        KN_SCOPE;
        kn_array x = kn_scalar(1000.0), small = kn_scalar(0.25), d;
        kn_call(kn_grad(KN_FN(log1pexp)), &d, &x);
        kn_printf("automatic: ");
        kn_print(d);
        kn_call(kn_grad(kn_custom_jvp(KN_FN(log1pexp), KN_FN(log1pexp_jvp))), &d, &x);
        kn_printf("by the rule: %g\n", d);

        kn_call(kn_grad(KN_FN(loss)), &d, &x);
        kn_printf("2 x, clipped: %g\n", d);
        kn_call(kn_grad(KN_FN(loss)), &d, &small);
        kn_printf("2 x, small enough: %g\n", d);

        kn_call(kn_grad(kn_checkpoint(KN_FN(log1pexp))), &d, &small);
        kn_printf("computed again: %.4f\n", d);
    }
    return kn_finish();
}

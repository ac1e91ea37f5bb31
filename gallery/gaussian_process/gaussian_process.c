/* SPDX-License-Identifier: Apache-2.0
 * gaussian_process.c -- a curve through noisy points, with how certain it is: height, length scale and noise are those
 * that make the points most likely, found by gradients through a Cholesky factorisation. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 40, PLACES = 300, STEPS = 300 };
static const double noise = 0.2;

/* Logarithms of what is fitted. */
typedef struct {
    kn_array height, length, noise;
} Scales;

static kn_array truth(kn_array x) { return kn_add(kn_sin(kn_mul(1.8, x)), kn_mul(0.5, kn_cos(kn_mul(0.7, x)))); }

/* How much the values at the places a and b have in common. */
static kn_array kernel(const Scales *s, kn_array a, kn_array b)
{
    kn_array distance = kn_div(kn_sub(kn_expand_dims(a, KN_AXIS(1)), b), kn_exp(s->length));
    return kn_mul(kn_exp(kn_mul(2, s->height)), kn_exp(kn_mul(-0.5, kn_square(distance))));
}
static kn_array factor(const Scales *s, kn_array x)
{
    return kn_linalg_cholesky(kn_add(kernel(s, x, x), kn_mul(kn_exp(kn_mul(2, s->noise)), kn_eye(POINTS))));
}

/* Minus the logarithm of the likelihood of y at x. */
static kn_array surprise(const Scales *s, const kn_array *x, const kn_array *y)
{
    kn_array l = factor(s, *x), z = kn_linalg_solve_triangular(l, *y, .lower = true);
    return kn_add(kn_mul(0.5, kn_sum(kn_square(z))), kn_sum(kn_log(kn_diagonal(l))), POINTS * 0.5 * log(2 * M_PI));
}
KN_FUNCTION(surprise, kn_array, Scales, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(3),
             x = kn_random_uniform(key, KN_SHAPE(POINTS), .minval = kn_num(0), .maxval = kn_num(8));
    x = kn_where(kn_greater(x, 4.5), kn_add(x, 1.7), x); /* a gap */
    kn_array y = kn_add(truth(x), kn_mul(noise, kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(POINTS))));

    Scales s = {kn_scalar(0.0), kn_scalar(0.0), kn_scalar(-1.0)}, slope;
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(surprise)));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 0.05);
    kn_tree state = kn_optim_init(adam, KN_TREE(&s));
    kn_array before = surprise(&s, &x, &y), after;
    for (int i = 0; i < STEPS; i++) {
        kn_call(step, KN_OUT(&after, &slope), &s, &x, &y);
        kn_optim_apply(adam, &state, KN_TREE(&s), KN_TREE(&slope));
    }
    kn_printf("surprise %.2f before, %.2f after; the gradient is now %.0e\n", before, after,
              kn_optim_global_norm(KN_TREE(&slope)));
    kn_printf("height %.2f, length scale %.2f, noise %.3f (the points were made with %.1f)\n", kn_exp(s.height),
              kn_exp(s.length), kn_exp(s.noise), noise);

    kn_array places = kn_linspace(-0.5, 10.5, PLACES), across = kernel(&s, x, places), l = factor(&s, x);
    kn_array mean = kn_matmul(kn_transpose(across), kn_linalg_cho_solve(l, y, .lower = true));
    kn_array known = kn_sum(kn_square(kn_linalg_solve_triangular(l, across, .lower = true)), KN_AXIS(0));
    kn_array deviation = kn_sqrt(kn_sub(kn_exp(kn_mul(2, s.height)), known)), reach = kn_mul(1.96, deviation);
    kn_array inside = kn_less(kn_abs(kn_sub(mean, truth(places))), reach);
    kn_printf("the true curve is in the band of 95 %% at %.0f %% of the places\n", kn_mul(100, kn_mean(inside)));

    /* Five curves that the points allow: draws of the whole process after they were seen. */
    kn_array root = kn_linalg_solve_triangular(l, across, .lower = true);
    kn_array left = kn_sub(kernel(&s, places, places), kn_matmul(kn_transpose(root), root));
    kn_array chol = kn_linalg_cholesky(kn_add(left, kn_mul(1e-8, kn_eye(PLACES))));
    kn_array draws = kn_matmul(chol, kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(PLACES, 5)));

    kn_plot p = kn_plot_new(.title = "Gaussian process", .xlabel = "x", .ylabel = "y", .height = 460,
                            .ylim = {-2.6, 3.4}, .legend = "upper right");
    kn_plot_area(p, places, kn_sub(mean, reach), kn_add(mean, reach), .color = "C0", .alpha = 0.25,
                 .label = "95 % of the curves");
    for (int i = 0; i < 5; i++)
        kn_plot_line(p, places, kn_add(mean, kn_at(draws, ":, %", i)), .color = "C0", .width = 0.8, .alpha = 0.6);
    kn_plot_line(p, places, mean, .color = "C0", .width = 2.2, .label = "mean");
    kn_plot_line(p, places, truth(places), .color = "black", .style = "--", .label = "true curve");
    kn_plot_points(p, x, y, .color = "C1", .size = 5, .label = "points");
    kn_plot_save(p, "gaussian_process.png", .scale = 1);
    return kn_finish();
}

/* SPDX-License-Identifier: Apache-2.0
 * bayesian_regression.c -- a line of cubic splines through points, as a distribution of lines: what is known after
 * 5, 20 and 100 points, and how smooth the line is, by the evidence. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>
#include <stdio.h>

enum { KNOTS = 12, BASIS = KNOTS + 2, POINTS = 100, PLACES = 200 };
static const double noise = 0.25;

static kn_array truth(kn_array x) { return kn_mul(kn_exp(kn_mul(-1.5, x)), kn_sin(kn_mul(12, x)), 2); }

/* Cubic B-splines on equal knots: the values of BASIS bumps at x (a value each). */
static kn_array basis(kn_array x)
{
    kn_array at = kn_sub(kn_mul(kn_expand_dims(x, KN_AXIS(1)), KNOTS - 1), kn_sub(kn_arange(0, BASIS, 1), 1));
    kn_array d = kn_abs(at), far = kn_power(kn_maximum(kn_sub(2, d), 0), 3),
             near = kn_power(kn_maximum(kn_sub(1, d), 0), 3);
    return kn_div(kn_sub(far, kn_mul(4, near)), 6);
}

typedef struct {
    kn_array mean, covariance;
} Weights;
/* Weights are normal with precision `alpha` before, and after the points are seen: */
static Weights posterior(kn_array alpha, kn_array x, kn_array y)
{
    kn_array b = basis(x),
             precision = kn_add(kn_mul(alpha, kn_eye(BASIS)), kn_div(kn_matmul(kn_transpose(b), b), noise * noise));
    kn_array covariance = kn_linalg_inv(precision);
    return (Weights){kn_div(kn_matmul(covariance, kn_matmul(kn_transpose(b), y)), noise * noise), covariance};
}

/* Minus the logarithm of how likely the points are, for all lines together; they are normal, too. */
static kn_array surprise(const kn_array *log_alpha, const kn_array *x, const kn_array *y)
{
    kn_array b = basis(*x), n = kn_num(kn_dim(*x, 0)), own = kn_mul(noise * noise, kn_eye(kn_dim(*x, 0)));
    kn_array c = kn_add(kn_div(kn_matmul(b, kn_transpose(b)), kn_exp(*log_alpha)), own);
    kn_array fit = kn_vdot(*y, kn_linalg_solve(c, *y)), volume = kn_linalg_slogdet(c).logabsdet;
    return kn_mul(0.5, kn_add(fit, volume, kn_mul(n, log(2 * M_PI))));
}
KN_FUNCTION(surprise, kn_array, kn_array, kn_array, kn_array)

/* Newton's steps to the most likely precision. */
static kn_array most_likely(kn_array x, kn_array y)
{
    kn_array p = kn_scalar(0.0), slope, curve;
    kn_fn first = kn_jit(kn_grad(KN_FN(surprise))), second = kn_jit(kn_grad(kn_grad(KN_FN(surprise))));
    for (int i = 0; i < 12; i++) {
        kn_call(first, &slope, &p, &x, &y);
        kn_call(second, &curve, &p, &x, &y);
        p = kn_sub(p, kn_clip(kn_div(slope, kn_abs(curve)), -1, 1));
    }
    return p;
}

int main(void)
{
    KN_SCOPE;
    static const int seen[] = {5, 20, 100};
    kn_array key = kn_random_key(1), x = kn_random_uniform(key, KN_SHAPE(POINTS));
    kn_array y = kn_add(truth(x), kn_mul(noise, kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(POINTS))));
    kn_array places = kn_linspace(0, 1, PLACES), b = basis(places), log_alpha = most_likely(x, y), slope;
    kn_call(kn_grad(KN_FN(surprise)), &slope, &log_alpha, &x, &y);
    kn_printf("weights have deviation %.3f, by %d points; the evidence is flat there: %s\n",
              kn_exp(kn_mul(-0.5, log_alpha)), POINTS, fabs(kn_item(slope)) < 1e-9 ? "true" : "false");

    kn_plot p = kn_plot_grid(1, 3, .width = 900, .height = 320);
    for (int i = 0; i < 3; i++) {
        kn_array xs = kn_at(x, ":%", seen[i]), ys = kn_at(y, ":%", seen[i]);
        Weights w = posterior(kn_exp(log_alpha), xs, ys);
        kn_array mean = kn_matmul(b, w.mean), variance = kn_sum(kn_mul(kn_matmul(b, w.covariance), b), KN_AXIS(1));
        kn_array reach = kn_mul(1.96, kn_sqrt(variance)), off = kn_abs(kn_sub(mean, truth(places)));
        kn_printf("%3d points: off by %.3f (root mean square); the band has the true line at %.0f %% of the places\n",
                  seen[i], kn_sqrt(kn_mean(kn_square(off))), kn_mul(100, kn_mean(kn_less_equal(off, reach))));

        char title[32];
        snprintf(title, sizeof title, "%d points", seen[i]);
        kn_plot panel = kn_plot_panel(p, 0, i, .title = title, .ylim = {-2.6, 3.4}, .xlabel = "x",
                                      .legend = i ? "none" : "upper right");
        kn_plot_area(panel, places, kn_sub(mean, reach), kn_add(mean, reach), .color = "C0", .label = "95 %");
        kn_plot_line(panel, places, mean, .color = "C0", .label = "mean");
        kn_plot_line(panel, places, truth(places), .color = "black", .style = "--", .label = "true line");
        kn_plot_points(panel, xs, ys, .color = "C1", .size = 4, .label = "points");
    }
    kn_plot_save(p, "bayesian_regression.png", .scale = 1);
    return kn_finish();
}

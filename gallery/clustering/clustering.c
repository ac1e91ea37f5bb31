/* SPDX-License-Identifier: Apache-2.0
 * clustering.c -- points are told apart by a mixture of Gaussians: expectation and maximisation, each round a few
 * products of matrices, and the gradient says that the end is an optimum. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 600, GROUPS = 3, ROUNDS = 100 };

typedef struct {
    kn_array share, mean, covariance; /* (group), (group, 2), (group, 2, 2) */
} Mixture;

/* log(share * density) of each point for one group. */
static kn_array one_group(const Mixture *g, const kn_array *x)
{
    kn_array l = kn_linalg_cholesky(g->covariance);
    kn_array z = kn_linalg_solve_triangular(l, kn_transpose(kn_sub(*x, g->mean)), .lower = true);
    kn_array density = kn_sub(kn_mul(-0.5, kn_sum(kn_square(z), KN_AXIS(0))), kn_sum(kn_log(kn_diagonal(l))));
    return kn_add(density, kn_log(g->share), -log(2 * M_PI));
}
KN_FUNCTION(one_group, kn_array, Mixture, kn_array)
static kn_array each_group(const Mixture *m, const kn_array *x) /* (group, point) */
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(one_group), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, m, x);
    return out;
}
static kn_array likelihood(const Mixture *m, const kn_array *x) /* the mean logarithm of it */
{
    return kn_mean(kn_special_logsumexp(each_group(m, x), KN_AXIS(0)));
}
KN_FUNCTION(likelihood, kn_array, Mixture, kn_array)

/* A group that owns the points in these parts. */
static Mixture refit_one(const kn_array *part, const kn_array *x)
{
    kn_array total = kn_sum(*part), mean = kn_div(kn_matmul(*part, *x), total), off = kn_sub(*x, mean);
    kn_array spread = kn_matmul(kn_transpose(kn_mul(off, kn_expand_dims(*part, KN_AXIS(1)))), off);
    return (Mixture){kn_div(total, POINTS), mean, kn_div(spread, total)};
}
KN_FUNCTION(refit_one, Mixture, kn_array, kn_array)

typedef struct {
    Mixture mixture;
    kn_array likelihood;
} Round;
static Round improve(const kn_array *x, const Mixture *m)
{
    kn_array part = kn_nn_softmax(each_group(m, x), KN_AXIS(0));
    Round out = {.likelihood = likelihood(m, x)};
    kn_call(kn_vmap(KN_FN(refit_one), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out.mixture, &part, x);
    return out;
}
KN_CLOSURE(improve, Round, kn_array, Mixture)
static Round fit(const Mixture *start, const kn_array *x)
{
    Round out;
    kn_scan(KN_CLOSE(improve, x), &out, start, KN_NOTHING, .length = ROUNDS);
    return out;
}
KN_FUNCTION(fit, Round, Mixture, kn_array)

int main(void)
{
    KN_SCOPE;
    static const double centre[GROUPS][2] = {{0, 0}, {4, 1}, {1.5, 4}};
    static const double shape[GROUPS][4] = {{1.2, 0.5, 0, 0.6}, {0.5, 0, -0.6, 1.1}, {1.5, 0, 0.7, 0.4}};
    static const int sizes[GROUPS] = {260, 200, 140};
    kn_array key = kn_random_key(8), x = kn_zeros(KN_SHAPE(POINTS, 2)),
             truth = kn_zeros(KN_SHAPE(POINTS), .dtype = KN_I64);
    for (int g = 0, from = 0; g < GROUPS; from += sizes[g++]) {
        kn_array normal = kn_random_normal(kn_random_fold_in(key, g), KN_SHAPE(sizes[g], 2));
        kn_array stretched = kn_matmul(normal, kn_transpose(kn_from(shape[g], KN_SHAPE(2, 2))));
        kn_set_at(x, kn_add(stretched, kn_from(centre[g], KN_SHAPE(2))), "%:%", from, from + sizes[g]);
        kn_set_at(truth, g, "%:%", from, from + sizes[g]);
    }

    Mixture start = {kn_full(KN_SHAPE(GROUPS), 1.0 / GROUPS), kn_take(x, kn_of(int, 20, 300, 500), KN_AXIS(0)),
                     kn_broadcast_to(kn_eye(2), KN_SHAPE(GROUPS, 2, 2))};
    Round end;
    Mixture slope;
    kn_call(kn_jit(KN_FN(fit)), &end, &start, &x);
    Mixture m = end.mixture;
    kn_call(kn_jit(kn_grad(KN_FN(likelihood))), &slope, &m, &x);
    kn_array group = kn_argmax(each_group(&m, &x), KN_AXIS(0)), gain = kn_diff(end.likelihood);
    kn_printf("log likelihood of a point: %.4f at first, %.4f after %d rounds, and no round made it smaller: %s\n",
              kn_at(end.likelihood, "0"), likelihood(&m, &x), ROUNDS,
              kn_item(kn_min(gain)) > -1e-12 ? "true" : "false");
    kn_array steepest = kn_maximum(kn_max(kn_abs(slope.mean)), kn_max(kn_abs(slope.covariance)));
    kn_printf("its gradient by means and covariances is below 1e-12: %s\n",
              kn_item(steepest) < 1e-12 ? "true" : "false");
    for (int g = 0; g < GROUPS; g++)
        kn_printf("group %d: share %.3f (%.3f), centre (%.2f, %.2f), made at (%.1f, %.1f)\n", g, kn_at(m.share, "%", g),
                  sizes[g] / (double)POINTS, kn_at(m.mean, "%, 0", g), kn_at(m.mean, "%, 1", g), centre[g][0],
                  centre[g][1]);
    kn_printf("%.1f %% of the points are put into their group\n", kn_mul(100, kn_mean(kn_equal(group, truth))));

    kn_plot p = kn_plot_new(.title = "A mixture of three Gaussians", .equal = true, .height = 480, .width = 560);
    static const char *const colors[] = {"C0", "C1", "C2"};
    kn_array angle = kn_linspace(0, 2 * M_PI, 100), circle = kn_stack(KN_LIST(kn_cos(angle), kn_sin(angle)));
    for (int g = 0; g < GROUPS; g++) {
        kn_array own = kn_at(x, "%", kn_equal(group, g)),
                 centre_found = kn_expand_dims(kn_at(m.mean, "%", g), KN_AXIS(1));
        kn_plot_points(p, kn_at(own, ":, 0"), kn_at(own, ":, 1"), .size = 3.5, .color = colors[g], .alpha = 0.7);
        for (int k = 1; k <= 2; k++) {
            kn_array l = kn_linalg_cholesky(kn_at(m.covariance, "%", g));
            kn_array ring = kn_add(centre_found, kn_mul(k, kn_matmul(l, circle)));
            kn_plot_line(p, kn_at(ring, "0"), kn_at(ring, "1"), .color = "black", .width = 1.2);
        }
    }
    kn_plot_save(p, "clustering.png", .scale = 1);
    return kn_finish();
}

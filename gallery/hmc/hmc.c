/* SPDX-License-Identifier: Apache-2.0
 * hmc.c -- Hamiltonian Monte Carlo: 64 chains draw from a density bent like a banana, led by its gradient. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { CHAINS = 64, DRAWS = 2000, WARM = 200, LEAPS = 20 };
static const double width = 1.5, bend = 0.6, pace = 0.25;

/* x is normal with deviation `width`, and y is normal with deviation 1 around bend (x^2 - width^2). So the means are 0,
 * the variances width^2 and 1 + 2 bend^2 width^4. */
static kn_array energy(const kn_array *q)
{
    kn_array x = kn_at(*q, "0"), y = kn_at(*q, "1");
    kn_array off = kn_sub(y, kn_mul(bend, kn_sub(kn_square(x), width * width)));
    return kn_mul(0.5, kn_add(kn_square(kn_div(x, width)), kn_square(off)));
}
KN_FUNCTION(energy, kn_array, kn_array)

static kn_array force(kn_array q)
{
    kn_array slope;
    kn_call(kn_grad(KN_FN(energy)), &slope, &q);
    return kn_neg(slope);
}

typedef struct {
    kn_array q, p;
} Phase;
static Phase leap(const Phase *s) /* half a kick, a step, half a kick: reversible, and it keeps volumes */
{
    kn_array half = kn_add(s->p, kn_mul(pace / 2, force(s->q)));
    kn_array q = kn_add(s->q, kn_mul(pace, half));
    return (Phase){q, kn_add(half, kn_mul(pace / 2, force(q)))};
}
KN_FUNCTION(leap, Phase, Phase)

static kn_array total(Phase s) { return kn_add(energy(&s.q), kn_mul(0.5, kn_sum(kn_square(s.p)))); }

typedef struct {
    kn_array q, draw, accepted;
} Drawn;
static Drawn draw(const kn_array *q, const kn_array *key)
{
    Phase from = {*q, kn_random_normal(kn_random_fold_in(*key, 0), KN_SHAPE(2))}, to;
    kn_scan(KN_FN(leap), &to, &from, KN_NOTHING, .length = LEAPS);
    kn_array luck = kn_random_uniform(kn_random_fold_in(*key, 1), KN_SHAPE());
    kn_array take = kn_less(luck, kn_exp(kn_sub(total(from), total(to))));
    kn_array next = kn_where(take, to.q, from.q);
    return (Drawn){next, next, take};
}
KN_FUNCTION(draw, Drawn, kn_array, kn_array)

static Drawn chain(const kn_array *key)
{
    kn_array keys = kn_random_split(*key, .num = DRAWS + WARM), start = kn_zeros(KN_SHAPE(2));
    Drawn out;
    kn_scan(KN_FN(draw), &out, &start, &keys);
    return out;
}
KN_FUNCTION(chain, Drawn, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array keys = kn_random_split(kn_random_key(1), .num = CHAINS);
    Drawn all;
    kn_call(kn_jit(kn_vmap(KN_FN(chain))), &all, &keys);
    kn_array drawn = kn_at(all.draw, ":, %:", WARM); /* (chain, draw, coordinate) */

    kn_array means = kn_mean(drawn, KN_AXIS(1)); /* of each chain: their spread tells how certain the whole is */
    kn_array mean = kn_mean(means, KN_AXIS(0)), certain = kn_div(kn_std(means, KN_AXIS(0)), sqrt(CHAINS));
    kn_array variance = kn_var(drawn, KN_AXIS(0, 1));
    double w2 = width * width, exact = 1 + 2 * bend * bend * w2 * w2;
    kn_printf("%d draws, %.0f %% of the proposals taken\n", CHAINS * DRAWS, kn_mul(100, kn_mean(all.accepted)));
    kn_printf("mean of x %6.3f +- %.3f (exact 0)   variance %.2f (exact %.2f)\n", kn_at(mean, "0"), kn_at(certain, "0"),
              kn_at(variance, "0"), w2);
    kn_printf("mean of y %6.3f +- %.3f (exact 0)   variance %.2f (exact %.2f)\n", kn_at(mean, "1"), kn_at(certain, "1"),
              kn_at(variance, "1"), exact);

    kn_plot p = kn_plot_new(.title = "Hamiltonian Monte Carlo of a banana", .xlabel = "x", .ylabel = "y",
                            .xlim = {-5, 5}, .ylim = {-5, 12}, .height = 480);
    kn_array some = kn_reshape(kn_at(drawn, ":, ::200"), KN_SHAPE(-1, 2));
    kn_plot_points(p, kn_at(some, ":, 0"), kn_at(some, ":, 1"), .size = 2.5, .alpha = 0.6,
                   .label = "draws of all chains");
    kn_array x = kn_linspace(-5, 5, 101), y = kn_linspace(-5, 12, 103), z;
    kn_array grid = kn_stack(KN_LIST(kn_broadcast_to(x, KN_SHAPE(103, 101)),
                                     kn_broadcast_to(kn_expand_dims(y, KN_AXIS(1)), KN_SHAPE(103, 101))),
                             KN_AXIS(2));
    kn_call(kn_vmap(kn_vmap(KN_FN(energy))), &z, &grid);
    kn_plot_contour(p, x, y, kn_exp(kn_neg(z)), .levels = kn_of(double, 0.05, 0.2, 0.5, 0.8), .color = "black");
    kn_plot_line(p, kn_at(drawn, "0, :12, 0"), kn_at(drawn, "0, :12, 1"), .color = "C1", .marker = "o", .size = 5,
                 .label = "12 draws of one chain");
    kn_plot_save(p, "hmc.png", .scale = 1);
    return kn_finish();
}

/* SPDX-License-Identifier: Apache-2.0
 * ode_fit.c -- hares and lynxes: the rates of Lotka's and Volterra's equations from noisy counts, by the gradient through
 * the solver. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { STEPS = 400, EVERY = 10, SEEN = STEPS / EVERY, ROUNDS = 2000 };
static const double dt = 0.05;

/* Logarithms, so that rates stay positive: growth, being eaten, dying, eating; and both numbers at the start. */
typedef struct {
    kn_array rates, start;
} Model;
typedef struct {
    kn_array next, out;
} Step;

static kn_array slope(kn_array r, kn_array n)
{
    kn_array hares = kn_at(n, "0"), lynxes = kn_at(n, "1"), met = kn_mul(hares, lynxes);
    return kn_stack(KN_LIST(kn_sub(kn_mul(kn_at(r, "0"), hares), kn_mul(kn_at(r, "1"), met)),
                            kn_sub(kn_mul(kn_at(r, "3"), met), kn_mul(kn_at(r, "2"), lynxes))));
}

/* Runge and Kutta's step. */
static Step step(const kn_array *rates, const kn_array *n)
{
    kn_array a = slope(*rates, *n), b = slope(*rates, kn_add(*n, kn_mul(dt / 2, a)));
    kn_array c = slope(*rates, kn_add(*n, kn_mul(dt / 2, b))), d = slope(*rates, kn_add(*n, kn_mul(dt, c)));
    kn_array next = kn_add(*n, kn_mul(dt / 6, kn_add(a, kn_mul(2, b), kn_mul(2, c), d)));
    return (Step){next, next};
}
KN_CLOSURE(step, Step, kn_array, kn_array)

static kn_array solve(const Model *m) /* (STEPS, 2) */
{
    kn_array rates = kn_exp(m->rates), start = kn_exp(m->start);
    Step s;
    kn_scan(KN_CLOSE(step, &rates), &s, &start, KN_NOTHING, .length = STEPS);
    return s.out;
}
KN_FUNCTION(solve, kn_array, Model)

static kn_array loss(const Model *m, const kn_array *counts)
{
    kn_array at_counts = kn_at(solve(m), "%::%", EVERY - 1, EVERY);
    return kn_mean(kn_square(kn_sub(kn_log(at_counts), kn_log(*counts))));
}
KN_FUNCTION(loss, kn_array, Model, kn_array)

int main(void)
{
    KN_SCOPE;
    Model truth = {kn_log(kn_of(double, 1.1, 0.4, 0.4, 0.1)), kn_log(kn_of(double, 10, 5))};
    kn_array noise = kn_random_normal(kn_random_key(1), KN_SHAPE(SEEN, 2), .dtype = KN_F64), counts, curve, value;
    kn_call(kn_jit(KN_FN(solve)), &curve, &truth);
    counts = kn_mul(kn_at(curve, "%::%", EVERY - 1, EVERY), kn_exp(kn_mul(0.08, noise)));

    Model m = {kn_log(kn_of(double, 0.8, 0.3, 0.6, 0.15)), kn_log(kn_at(counts, "0"))}, slopes;
    kn_fn learn = kn_jit(kn_value_and_grad(KN_FN(loss)));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 0.02);
    kn_tree state = kn_optim_init(adam, KN_TREE(&m));
    for (int i = 0; i < ROUNDS; i++) {
        KN_SCOPE;
        kn_call(learn, KN_OUT(&value, &slopes), &m, &counts);
        kn_optim_apply(adam, &state, KN_TREE(&m), KN_TREE(&slopes));
    }
    kn_call(learn, KN_OUT(&value, &slopes), &m, &counts);

    static const char *const names[] = {"growth", "being eaten", "dying", "eating"};
    for (int k = 0; k < 4; k++)
        kn_printf("%-12s true %.3f, found %.3f\n", names[k], kn_exp(kn_at(truth.rates, "%", k)),
                  kn_exp(kn_at(m.rates, "%", k)));
    kn_printf("remaining error %.3f (noise %.3f)\n", kn_sqrt(value), kn_mul(0.08, kn_sqrt(kn_mean(kn_square(noise)))));

    kn_array found, t = kn_mul(dt, kn_arange(1, STEPS + 1, 1)), seen = kn_at(t, "%::%", EVERY - 1, EVERY);
    kn_call(kn_jit(KN_FN(solve)), &found, &m);
    kn_plot p = kn_plot_new(.title = "Rates found through the solver", .xlabel = "years", .ylabel = "thousands",
                            .ylim = {0, 15});
    for (int k = 0; k < 2; k++) {
        const char *color = k ? "C2" : "C0";
        kn_plot_line(p, t, kn_at(found, ":, %", k), .color = color, .label = k ? "lynxes, fitted" : "hares, fitted");
        kn_plot_line(p, t, kn_at(curve, ":, %", k), .color = color, .style = ":");
        kn_plot_points(p, seen, kn_at(counts, ":, %", k), .color = color, .label = k ? "counted" : "counted");
    }
    kn_plot_save(p, "ode_fit.png", .scale = 1);
    return kn_finish();
}

/* SPDX-License-Identifier: Apache-2.0
 * finance.c -- the price of an option by a million paths, and its greeks by the gradient of that average, beside
 * Black and Scholes's formula and the formula's derivatives. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { PATHS = 500000 /* and as many mirrored ones */, SPOTS = 25 };
static const double strike = 100;

/* What the price depends on: the share's price, its volatility, the interest rate, the time in years. */
typedef struct {
    kn_array spot, volatility, rate, years;
} Market;

/* Black and Scholes: the price of a call. */
static kn_array formula(const Market *m)
{
    kn_array spread = kn_mul(m->volatility, kn_sqrt(m->years));
    kn_array drift = kn_mul(kn_add(m->rate, kn_mul(0.5, kn_square(m->volatility))), m->years);
    kn_array d1 = kn_div(kn_add(kn_log(kn_div(m->spot, strike)), drift), spread), d2 = kn_sub(d1, spread);
    kn_array discount = kn_exp(kn_neg(kn_mul(m->rate, m->years)));
    return kn_sub(kn_mul(m->spot, kn_special_ndtr(d1)), kn_mul(strike, discount, kn_special_ndtr(d2)));
}
KN_FUNCTION(formula, kn_array, Market)

/* What each random number pays at the end, seen from today: the mean of it and of its mirror image. */
static kn_array payoff(const Market *m, const kn_array *z)
{
    kn_array spread = kn_mul(m->volatility, kn_sqrt(m->years));
    kn_array drift = kn_mul(kn_sub(m->rate, kn_mul(0.5, kn_square(m->volatility))), m->years);
    kn_array up = kn_mul(m->spot, kn_exp(kn_add(drift, kn_mul(spread, *z))));
    kn_array down = kn_mul(m->spot, kn_exp(kn_sub(drift, kn_mul(spread, *z))));
    kn_array paid = kn_add(kn_maximum(kn_sub(up, strike), 0), kn_maximum(kn_sub(down, strike), 0));
    return kn_mul(0.5, paid, kn_exp(kn_neg(kn_mul(m->rate, m->years))));
}
static kn_array simulated(const Market *m, const kn_array *z) { return kn_mean(payoff(m, z)); }
KN_FUNCTION(simulated, kn_array, Market, kn_array)

static kn_array of_spot(const Market *m, const kn_array *spot)
{
    return formula(&(Market){*spot, m->volatility, m->rate, m->years});
}
KN_CLOSURE(of_spot, kn_array, Market, kn_array)
typedef struct {
    Market m;
    kn_array z;
} Setting;
static kn_array simulated_of_spot(const Setting *s, const kn_array *spot)
{
    return simulated(&(Market){*spot, s->m.volatility, s->m.rate, s->m.years}, &s->z);
}
KN_CLOSURE(simulated_of_spot, kn_array, Setting, kn_array)

static void show(const char *name, kn_array found, kn_array exact)
{
    kn_printf("%-6s %8.3f   formula %8.3f\n", name, found, exact);
}

int main(void)
{
    KN_SCOPE;
    Market m = {kn_scalar(105.0), kn_scalar(0.25), kn_scalar(0.03), kn_scalar(0.75)}, greeks, exact;
    kn_array z = kn_random_normal(kn_random_key(0), KN_SHAPE(PATHS)), price, truth;
    kn_call(kn_jit(kn_value_and_grad(KN_FN(simulated))), KN_OUT(&price, &greeks), &m, &z);
    kn_call(kn_jit(kn_value_and_grad(KN_FN(formula))), KN_OUT(&truth, &exact), &m);
    show("price", price, truth);
    show("delta", greeks.spot, exact.spot);
    show("vega", greeks.volatility, exact.volatility);
    show("rho", greeks.rate, exact.rate);
    show("theta", kn_neg(greeks.years), kn_neg(exact.years));
    kn_array error = kn_div(kn_std(payoff(&m, &z)), sqrt(PATHS));
    kn_printf("the price is off by %.1f standard errors of %.4f\n", kn_div(kn_abs(kn_sub(price, truth)), error), error);

    kn_array spots = kn_linspace(70, 140, SPOTS), fine = kn_linspace(70, 140, 200), y, delta, gamma;
    Setting s = {m, kn_at(z, ":20000")};
    kn_fn f = KN_CLOSE(of_spot, &m), sim = KN_CLOSE(simulated_of_spot, &s);
    kn_plot p = kn_plot_grid(1, 3, .width = 900, .height = 300);
    kn_call(kn_jit(kn_vmap(f)), &y, &fine);
    kn_plot a = kn_plot_panel(p, 0, 0, .title = "Price", .xlabel = "price of the share");
    kn_plot_line(a, fine, y, .label = "formula");
    kn_call(kn_jit(kn_vmap(sim)), &y, &spots);
    kn_plot_points(a, spots, y, .size = 5, .label = "paths");
    kn_call(kn_jit(kn_vmap(kn_grad(f))), &delta, &fine);
    kn_plot b = kn_plot_panel(p, 0, 1, .title = "Delta", .xlabel = "price of the share");
    kn_plot_line(b, fine, delta);
    kn_call(kn_jit(kn_vmap(kn_grad(sim))), &y, &spots);
    kn_plot_points(b, spots, y, .size = 5);
    kn_call(kn_jit(kn_vmap(kn_grad(kn_grad(f)))), &gamma, &fine);
    kn_plot c = kn_plot_panel(p, 0, 2, .title = "Gamma (of the formula)", .xlabel = "price of the share");
    kn_plot_line(c, fine, gamma);
    kn_plot_save(p, "finance.png", .scale = 1);
    return kn_finish();
}

/* SPDX-License-Identifier: Apache-2.0
 * nbody.c -- three bodies that chase each other along a figure eight: forces are the gradient of the potential. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { STEPS = 2000 };
static const double period = 6.32591398; /* Simó's figures for the orbit of Chenciner and Montgomery */

typedef struct {
    kn_array q, v; /* (3, 2): places and velocities; all masses are 1, and so is the constant of gravity */
} Bodies;
typedef struct {
    Bodies state;
    kn_array path, energy;
} Step;

static kn_array potential(const kn_array *q)
{
    kn_array d = kn_sub(*q, kn_roll(*q, 1, KN_AXIS(0))); /* from each body to the next */
    return kn_neg(kn_sum(kn_reciprocal(kn_sqrt(kn_sum(kn_square(d), KN_AXIS(1))))));
}
KN_FUNCTION(potential, kn_array, kn_array)

static kn_array force(kn_array q)
{
    kn_array slope;
    kn_call(kn_grad(KN_FN(potential)), &slope, &q);
    return kn_neg(slope);
}

/* One step of leapfrog: half a kick, a drift, half a kick. */
static Bodies leap(Bodies b, double dt)
{
    kn_array v = kn_add(b.v, kn_mul(dt / 2, force(b.q)));
    kn_array q = kn_add(b.q, kn_mul(dt, v));
    return (Bodies){q, kn_add(v, kn_mul(dt / 2, force(q)))};
}

/* Yoshida's step of fourth order: three leaps, the middle one backwards. */
static Step step(const Bodies *b)
{
    double dt = period / STEPS, outer = 1 / (2 - cbrt(2)), inner = 1 - 2 * outer;
    Bodies next = leap(leap(leap(*b, outer * dt), inner * dt), outer * dt);
    kn_array energy = kn_add(kn_mul(0.5, kn_sum(kn_square(next.v))), potential(&next.q));
    return (Step){next, next.q, energy};
}
KN_FUNCTION(step, Step, Bodies)

static Step orbit(const Bodies *start)
{
    Step s;
    kn_scan(KN_FN(step), &s, start, KN_NOTHING, .length = STEPS);
    return s;
}
KN_FUNCTION(orbit, Step, Bodies)

int main(void)
{
    KN_SCOPE;
    double x = 0.97000436, y = -0.24308753, u = 0.93240737, v = 0.86473146;
    Bodies start = {kn_reshape(kn_of(double, x, y, -x, -y, 0, 0), KN_SHAPE(3, 2)),
                    kn_reshape(kn_of(double, u / 2, v / 2, u / 2, v / 2, -u, -v), KN_SHAPE(3, 2))};
    Step s;
    kn_call(kn_jit(KN_FN(orbit)), &s, &start);

    kn_array away = kn_max(kn_abs(kn_sub(s.state.q, start.q)));
    kn_array drift = kn_abs(kn_sub(kn_div(s.energy, kn_at(s.energy, "0")), 1));
    kn_printf("energy: %.6f, off by less than 1e-9 of it all the way: %s\n", kn_at(s.energy, "0"),
              kn_item(kn_max(drift)) < 1e-9 ? "yes" : "no");
    kn_printf("after one period every body is back where it was, within %.0e\n", away);

    kn_plot p = kn_plot_grid(2, 1, .width = 640, .height = 560), a, b;
    a = kn_plot_panel(p, 0, 0, .title = "Three bodies on a figure eight", .equal = true, .xlim = {-1.4, 1.4});
    for (int body = 0; body < 3; body++) {
        char color[] = {'C', (char)('0' + body), 0};
        kn_array path = kn_at(s.path, "%:, %", STEPS - 600, body);
        kn_plot_line(a, kn_at(path, ":, 0"), kn_at(path, ":, 1"), .color = color);
        kn_plot_points(a, kn_at(start.q, "%:%, 0", body, body + 1), kn_at(start.q, "%:%, 1", body, body + 1),
                       .color = color, .size = 14);
    }
    b = kn_plot_panel(p, 1, 0, .title = "Energy stays", .xlabel = "time", .ylabel = "relative error", .yscale = "log");
    kn_plot_line(b, kn_linspace(period / STEPS, period, STEPS), kn_maximum(drift, 1e-17));
    kn_plot_save(p, "nbody.png", .scale = 1);
    return kn_finish();
}

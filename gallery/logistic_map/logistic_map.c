/* SPDX-License-Identifier: Apache-2.0
 * logistic_map.c -- how x -> r x (1 - x) goes from rest to chaos: hundreds of values of r at once, and how fast two
 * orbits part, by the map's derivative. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { VALUES = 530, SETTLE = 1000, STEPS = 2000, ROWS = 160 };

static kn_array next(const kn_array *x, const kn_array *r) { return kn_mul(*r, *x, kn_sub(1, *x)); }
KN_FUNCTION(next, kn_array, kn_array, kn_array)

/* One step of the orbit: the carry, and what is kept of the step. */
typedef struct {
    kn_array x;
} State;
typedef struct {
    kn_array x, orbit, stretch;
} Step;
static State settle(const kn_array *r, const State *s) { return (State){next(&s->x, r)}; }
static Step follow(const kn_array *r, const State *s)
{
    kn_array slope;
    kn_call(kn_grad(KN_FN(next)), &slope, &s->x, r);
    kn_array x = next(&s->x, r);
    return (Step){x, x, kn_log(kn_abs(slope))};
}
KN_CLOSURE(settle, State, kn_array, State)
KN_CLOSURE(follow, Step, kn_array, State)

/* The orbit of one r when it has settled, and its Lyapunov exponent: the mean logarithm of how errors grow. */
typedef struct {
    kn_array orbit, exponent;
} Orbit;
static Orbit orbit_of(const kn_array *r)
{
    State s = {kn_scalar(0.2)};
    Step out;
    kn_scan(KN_CLOSE(settle, r), &s, &s, KN_NOTHING, .length = SETTLE);
    kn_scan(KN_CLOSE(follow, r), &out, &s, KN_NOTHING, .length = STEPS);
    return (Orbit){out.orbit, kn_mean(out.stretch)};
}
KN_FUNCTION(orbit_of, Orbit, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array r = kn_linspace(2.8, 4, VALUES);
    kn_fn all = kn_jit(kn_vmap(KN_FN(orbit_of)));
    Orbit o;
    kn_call(all, &o, &r);

    /* How often each orbit comes to each height: one column of the picture for each r. */
    kn_array row = kn_astype(kn_mul(o.orbit, ROWS - 0.001), KN_I64);
    kn_array column = kn_broadcast_to(kn_expand_dims(kn_arange(0, VALUES, 1), KN_AXIS(1)), KN_SHAPE(VALUES, STEPS));
    kn_array count = kn_zeros(KN_SHAPE(ROWS, VALUES));
    kn_ufunc_at(kn_ufunc_add, count, 1, "%, %", row, column);

    kn_plot p = kn_plot_grid(2, 1, .width = 600, .height = 460);
    kn_plot top = kn_plot_panel(p, 0, 0, .title = "Where x → r x (1 − x) ends up", .ylabel = "x", .no_grid = true);
    kn_plot_image(top, kn_floor(kn_log2(kn_add(count, 1))), .colormap = "gray_r", .vmax = 6, .extent = {2.8, 4, 0, 1},
                  .origin = "lower");
    kn_plot bottom =
        kn_plot_panel(p, 1, 0, .xlabel = "r", .ylabel = "Lyapunov exponent", .xlim = {2.8, 4}, .ylim = {-1.5, 0.8});
    kn_plot_line(bottom, r, o.exponent, .width = 1, .color = "C0");
    kn_plot_hline(bottom, 0);
    kn_plot_save(p, "logistic_map.png", .scale = 1);

    kn_array some = kn_of(double, 3.2, 4);
    Orbit exact;
    kn_call(all, &exact, &some);
    double high = (3.2 + 1 + sqrt((3.2 - 3) * (3.2 + 1))) / (2 * 3.2);
    kn_printf("r = 3.2: two values by turns, the higher one %.6f (exact: %.6f)\n", kn_max(kn_at(exact.orbit, "0")),
              high);
    kn_printf("r = 4: Lyapunov exponent %.3f (exact: log 2 = %.3f)\n", kn_at(exact.exponent, "1"), log(2));
    kn_printf("%.1f %% of the values of r above 3.57 are chaotic\n",
              kn_mul(100, kn_mean(kn_greater(kn_at(o.exponent, "%", kn_greater(r, 3.57)), 0))));
    return kn_finish();
}

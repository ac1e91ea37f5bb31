/* SPDX-License-Identifier: Apache-2.0
 * heat.c -- a rod cools down: implicit steps of Crank and Nicolson beside the exact solution, and their order. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 255, SHOWN = 6 };
static const double end = 0.1;

/* Between the ends, where it is 0: u_t = u_xx. (1 - L) next = (1 + L) now is a system of three diagonals. */
typedef struct {
    int steps;
} Grid;
static double half_rate(const Grid *g) { return end / g->steps / 2 * (POINTS + 1) * (POINTS + 1); }

static kn_array step(const Grid *g, const kn_array *i, const kn_array *u)
{
    (void)i;
    double r = half_rate(g);
    kn_array padded = kn_pad(*u, 1), curve = kn_add(kn_at(padded, ":-2"), kn_at(padded, "2:"), kn_mul(-2, *u));
    kn_array ones = kn_ones(KN_SHAPE(POINTS)), side = kn_mul(-r, ones);
    kn_array before = kn_copy(side), after = kn_copy(side);
    kn_set_at(before, 0, "0");
    kn_set_at(after, 0, "-1");
    kn_array right = kn_at(kn_add(*u, kn_mul(r, curve)), ":, None");
    return kn_squeeze(kn_lax_linalg_tridiagonal_solve(before, kn_mul(1 + 2 * r, ones), after, right), KN_AXIS(1));
}
KN_FUNCTION_ENV(step, kn_array, Grid, kn_array, kn_array)

static kn_array cooled(const Grid *g, const kn_array *start)
{
    kn_array u;
    kn_fori_loop(0, g->steps, KN_FN_ENV(step, g), &u, start);
    return u;
}
KN_FUNCTION_ENV(cooled, kn_array, Grid, kn_array)

/* Two modes of the rod, each of which fades by itself; the discrete rod has its own eigenvalues. */
static kn_array exact(kn_array x, double t)
{
    kn_array u = kn_zeros(KN_SHAPE(POINTS));
    for (int k = 1; k <= 5; k += 2) {
        double h = 1.0 / (POINTS + 1), s = 2 / h * sin(k * M_PI * h / 2);
        kn_iadd(u, kn_mul(exp(-s * s * t) / k, kn_sin(kn_mul(k * M_PI, x))));
    }
    return u;
}

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_at(kn_linspace(0, 1, POINTS + 2), "1:-1"), start = exact(x, 0);
    double errors[SHOWN], counts[SHOWN];
    for (int i = 0; i < SHOWN; i++) {
        Grid g = {25 << i};
        kn_array u;
        kn_call(kn_jit(KN_FN_ENV(cooled, &g)), &u, &start);
        counts[i] = g.steps;
        errors[i] = kn_item(kn_max(kn_abs(kn_sub(u, exact(x, end)))));
        printf("%4d steps: largest error %.1e", g.steps, errors[i]);
        printf(i ? ", order %.2f\n" : "\n", i ? log2(errors[i - 1] / errors[i]) : 0);
    }

    kn_plot p = kn_plot_grid(1, 2, .width = 760, .height = 340), q;
    q = kn_plot_panel(p, 0, 0, .title = "A rod cools down", .xlabel = "place", .ylabel = "temperature");
    for (int i = 0; i <= 5; i++) {
        char label[32];
        snprintf(label, sizeof label, "t = %.3f", end * i * i / 25);
        kn_plot_line(q, x, exact(x, end * i * i / 25), .label = label);
    }
    q = kn_plot_panel(p, 0, 1, .title = "Twice the steps, a quarter of the error", .xlabel = "steps",
                      .ylabel = "largest error", .xscale = "log", .yscale = "log");
    kn_array n = kn_from(counts, KN_SHAPE(SHOWN));
    kn_plot_line(q, n, kn_from(errors, KN_SHAPE(SHOWN)), .marker = "o", .label = "Crank-Nicolson");
    kn_plot_line(q, n, kn_mul(errors[0], kn_square(kn_div(counts[0], n))), .style = "--", .color = "gray",
                 .label = "order 2");
    kn_plot_save(p, "heat.png", .scale = 1);
    return kn_finish();
}

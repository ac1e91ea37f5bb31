/* SPDX-License-Identifier: Apache-2.0
 * waves.c -- the wave equation behind a double slit: where the waves meet, and what a screen would see. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { HEIGHT = 281, WIDTH = 340, STEPS = 1280, COUNTED = 320, WALL = 70, SCREEN = 290, SLITS = 56, SLIT = 9 };
static const double wavelength = 16, courant = 0.5; /* in cells; cells a wave goes in a step */

/* What stays the same: where waves can be, and how much of them each cell keeps (the borders swallow them). */
typedef struct {
    kn_array open, keep;
} World;
typedef struct {
    kn_array before, now, light;
} Wave;

/* u(t + 1) = 2 u(t) - u(t - 1) + c^2 (sum of the neighbours - 4 u(t)), written into the inner part of an array. */
static Wave step(const World *w, const kn_array *i, const Wave *u)
{
    kn_array now = u->now, next = kn_sub(kn_mul(2, now), u->before), inner = kn_at(now, "1:-1, 1:-1");
    kn_array around =
        kn_add(kn_at(now, ":-2, 1:-1"), kn_at(now, "2:, 1:-1"), kn_at(now, "1:-1, :-2"), kn_at(now, "1:-1, 2:"));
    kn_iadd_at(next, kn_mul(courant * courant, kn_sub(around, kn_mul(4, inner))), "1:-1, 1:-1");
    kn_imul(next, w->open);
    kn_iadd_at(next, kn_mul(0.2, kn_sin(kn_mul(2 * M_PI * courant / wavelength, *i))), ":, 28"); /* a plane wave */
    kn_array counts = kn_greater_equal(*i, STEPS - COUNTED);
    kn_array light = kn_add(u->light, kn_where(counts, kn_square(kn_at(next, ":, %", SCREEN)), 0));
    return (Wave){kn_mul(now, w->keep), kn_mul(next, w->keep), light};
}
KN_CLOSURE(step, Wave, World, kn_array, Wave)

static Wave run(const World *w)
{
    kn_array rest = kn_zeros(KN_SHAPE(HEIGHT, WIDTH), .dtype = KN_F32);
    Wave u = {rest, rest, kn_zeros(KN_SHAPE(HEIGHT), .dtype = KN_F32)};
    kn_fori_loop(0, STEPS, KN_CLOSE(step, w), &u, &u);
    return u;
}
KN_FUNCTION(run, Wave, World)

static World double_slit(void)
{
    kn_array y = kn_arange(0, HEIGHT, 1, .dtype = KN_F32), x = kn_arange(0, WIDTH, 1, .dtype = KN_F32);
    kn_array off_slit = kn_abs(kn_sub(kn_abs(kn_sub(y, HEIGHT / 2)), SLITS / 2));
    kn_array open = kn_ones(KN_SHAPE(HEIGHT, WIDTH), .dtype = KN_F32);
    kn_set_at(open, kn_at(kn_less(off_slit, SLIT / 2.0), ":, None"), ":, %:%", WALL, WALL + 3);
    kn_array to_border_y = kn_minimum(y, kn_sub(HEIGHT - 1, y)), to_border_x = kn_minimum(x, kn_sub(WIDTH - 1, x));
    kn_array depth = kn_clip(kn_sub(24, kn_minimum(kn_at(to_border_y, ":, None"), to_border_x)), 0, 24);
    return (World){open, kn_exp(kn_mul(-1.5e-4, kn_square(depth)))};
}

/* The distance from the middle of the screen where waves from the slits differ by so many wavelengths. */
static double predicted(double wavelengths)
{
    double far = SCREEN - WALL - 2, half = SLITS / 2.0, a = wavelengths * wavelength / 2;
    return a * sqrt(1 + far * far / (half * half - a * a)); /* a hyperbola with the slits as its foci */
}

int main(void)
{
    KN_SCOPE;
    World w = double_slit();
    Wave u;
    kn_call(kn_jit(KN_FN(run)), &u, &w);

    int middle = HEIGHT / 2;
    kn_array light = kn_div(u.light, kn_max(u.light)), side = kn_at(light, "%:%", middle, middle + 100);
    int dark = kn_item_int(kn_argmin(kn_at(side, ":60")));
    int bright = dark + kn_item_int(kn_argmax(kn_at(side, "%:", dark)));
    kn_printf("first dark fringe:   %d cells from the middle, predicted %.1f\n", dark, predicted(0.5));
    kn_printf("first bright fringe: %d cells from the middle, predicted %.1f\n", bright, predicted(1));

    /* The picture, each cell as four pixels, in few shades, for a small file; and what the screen sees. */
    kn_array shades = kn_div(kn_rint(kn_mul(u.now, 14)), 14);
    kn_array colours = kn_colormap(kn_where(w.open, shades, NAN), "coolwarm", .vmin = -0.7, .vmax = 0.7);
    kn_image_save("waves.png", kn_repeat(kn_repeat(kn_at(colours, ":, 26:"), 2, KN_AXIS(0)), 2, KN_AXIS(1)));
    kn_plot q = kn_plot_new(.title = "Light on the screen", .xlabel = "cells from the middle", .ylabel = "intensity",
                            .ylim = {0, 1.35});
    kn_plot_line(q, kn_sub(kn_arange(0, HEIGHT, 1), middle), light);
    for (int s = -1; s <= 1; s += 2) {
        kn_plot_vline(q, s * predicted(1), .color = "C1", .label = s < 0 ? "bright, predicted" : NULL);
        kn_plot_vline(q, s * predicted(0.5), .color = "C2", .label = s < 0 ? "dark, predicted" : NULL);
    }
    kn_plot_save(q, "waves.svg");
    return kn_finish();
}

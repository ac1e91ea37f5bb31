/* SPDX-License-Identifier: Apache-2.0
 * mandelbrot.c -- the Mandelbrot set: the orbit of one point as a while loop, mapped over all points of a picture. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { WIDTH = 600, HEIGHT = 450, STEPS = 500 };

/* Where the orbit z -> z^2 + c stands, and how many steps it has made. */
typedef struct {
    kn_array cx, cy, x, y, count;
} Orbit;
typedef struct {
    kn_array bounded, level;
} Pixel;

static kn_array radius2(const Orbit *o) { return kn_add(kn_square(o->x), kn_square(o->y)); }

static kn_array goes_on(const Orbit *o) { return kn_logical_and(kn_less(radius2(o), 1e4), kn_less(o->count, STEPS)); }
KN_FUNCTION(goes_on, kn_array, Orbit)

static Orbit step(const Orbit *o)
{
    kn_array x = kn_add(kn_sub(kn_square(o->x), kn_square(o->y)), o->cx);
    kn_array y = kn_add(kn_mul(2, o->x, o->y), o->cy);
    return (Orbit){o->cx, o->cy, x, y, kn_add(o->count, 1)};
}
KN_FUNCTION(step, Orbit, Orbit)

/* One point c: whether its orbit stays, and if not, how long it took: a number without jumps from band to band. */
static Pixel pixel(const kn_array *cx, const kn_array *cy)
{
    Orbit o = {*cx, *cy, kn_scalar(0.0), kn_scalar(0.0), kn_scalar(0.0)};
    kn_while_loop(KN_FN(goes_on), KN_FN(step), &o, &o);
    kn_array smooth = kn_sub(o.count, kn_log2(kn_log(kn_maximum(radius2(&o), 4))));
    return (Pixel){kn_equal(o.count, STEPS), smooth};
}
KN_FUNCTION(pixel, Pixel, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    double left = -2.25, right = 0.85, top = (right - left) * HEIGHT / WIDTH / 2, unit = (right - left) / WIDTH;
    kn_array x = kn_linspace(left + unit / 2, right - unit / 2, WIDTH);
    kn_array y = kn_linspace(top - unit / 2, unit / 2 - top, HEIGHT);

    /* A row is a map over x, the picture a map over y: two words instead of two loops. */
    kn_fn row = kn_vmap(KN_FN(pixel), .in_axes = {KN_MAPPED(0), KN_UNMAPPED});
    kn_fn picture = kn_jit(kn_vmap(row, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}));
    Pixel p;
    kn_call(picture, &p, &x, &y);

    kn_array pixels = kn_sum(p.bounded);
    kn_printf("%d of %d points stay bounded for %d steps\n", pixels, WIDTH * HEIGHT, STEPS);
    kn_printf("area of the set: %.3f (from 10^12 points: 1.507)\n", kn_mul(pixels, unit * unit));
    kn_printf("upper and lower half are equal: %s\n",
              kn_item(kn_all(kn_equal(p.bounded, kn_flip(p.bounded, KN_AXIS(0))))) ? "yes" : "no");

    /* Shades: the square root spreads the slow levels near the set; 30 of them keep the file small. */
    kn_array shade = kn_sqrt(kn_div(kn_clip(p.level, 0, 80), 80));
    kn_array colours = kn_colormap(kn_div(kn_floor(kn_mul(shade, 30)), 30), "inferno", .vmin = 0, .vmax = 1);
    kn_set_at(colours, 0, "%", p.bounded);
    kn_image_save("mandelbrot.png", colours);
    return kn_finish();
}

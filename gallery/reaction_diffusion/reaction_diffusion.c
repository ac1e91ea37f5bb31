/* SPDX-License-Identifier: Apache-2.0
 * reaction_diffusion.c -- Gray and Scott's two substances that feed on each other and grow a pattern. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { SIZE = 192, STEPS = 6000 };
static const double feed = 0.0367, kill = 0.0649, du = 0.16, dv = 0.08;

typedef struct {
    kn_array u, v; /* what is there of both substances */
    kn_array made; /* what came in and went away so far, on average over the cells */
} Dish;

static kn_array laplace(kn_array a)
{
    kn_array around = kn_add(kn_roll(a, 1, KN_AXIS(0)), kn_roll(a, -1, KN_AXIS(0)), kn_roll(a, 1, KN_AXIS(1)),
                             kn_roll(a, -1, KN_AXIS(1)));
    return kn_sub(around, kn_mul(4, a));
}

/* u + 2 v -> 3 v; u is fed from outside, v is taken away. */
static Dish step(const kn_array *i, const Dish *d)
{
    (void)i;
    kn_array meet = kn_mul(d->u, d->v, d->v), in = kn_mul(feed, kn_sub(1, d->u)), out = kn_mul(feed + kill, d->v);
    kn_array u = kn_add(d->u, kn_mul(du, laplace(d->u)), kn_sub(in, meet));
    kn_array v = kn_add(d->v, kn_mul(dv, laplace(d->v)), kn_sub(meet, out));
    return (Dish){u, v, kn_add(d->made, kn_mean(kn_sub(in, out), .dtype = KN_F64))};
}
KN_FUNCTION(step, Dish, kn_array, Dish)

static Dish grow(const Dish *d)
{
    Dish out;
    kn_fori_loop(0, STEPS, KN_FN(step), &out, d);
    return out;
}
KN_FUNCTION(grow, Dish, Dish)

int main(void)
{
    KN_SCOPE;
    Dish start = {kn_ones(KN_SHAPE(SIZE, SIZE), .dtype = KN_F32), kn_zeros(KN_SHAPE(SIZE, SIZE), .dtype = KN_F32),
                  kn_scalar(0.0)};
    kn_array corners = kn_random_randint(kn_random_key(3), KN_SHAPE(14, 2), 0, SIZE - 10);
    for (int k = 0; k < 14; k++) { /* drops of v */
        int i = (int)kn_item(corners, k, 0), j = (int)kn_item(corners, k, 1);
        kn_set_at(start.u, 0.5, "%:%, %:%", i, i + 10, j, j + 10);
        kn_set_at(start.v, 0.25, "%:%, %:%", i, i + 10, j, j + 10);
    }
    Dish d;
    kn_call(kn_jit(KN_FN(grow)), &d, &start);

    kn_array before = kn_mean(kn_add(start.u, start.v), .dtype = KN_F64);
    kn_array after = kn_mean(kn_add(d.u, d.v), .dtype = KN_F64);
    kn_printf("u + v: %.4f at the start, %.4f after %d steps\n", before, after, STEPS);
    kn_printf("came in less went out: %.4f; the balance is kept within 1e-4: %s\n", d.made,
              kn_item(kn_abs(kn_sub(kn_sub(after, before), d.made))) < 1e-4 ? "yes" : "no");
    kn_printf("v covers %.0f %% of the dish\n", kn_mul(100, kn_mean(kn_greater(d.v, 0.15))));

    kn_array shades = kn_div(kn_rint(kn_mul(d.v, 60)), 60);
    kn_array colours = kn_colormap(shades, "magma", .vmin = 0, .vmax = 0.4);
    kn_image_save("reaction_diffusion.png", kn_repeat(kn_repeat(colours, 2, KN_AXIS(0)), 2, KN_AXIS(1)));
    return kn_finish();
}

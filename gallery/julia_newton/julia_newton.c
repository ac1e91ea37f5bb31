/* SPDX-License-Identifier: Apache-2.0
 * julia_newton.c -- Newton's fractal: which root of z^3 - 1 is found from where. The derivative is Kiln's. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { SIZE = 440, STEPS = 80 };

typedef struct {
    kn_array z, count;
} Search;

static kn_array polynomial(const kn_array *z) { return kn_sub(kn_mul(*z, *z, *z), 1); }
KN_FUNCTION(polynomial, kn_array, kn_array)

/* One step z - f(z) / f'(z): f' is the complex derivative of the C function above. */
static Search newton(const kn_array *i, const Search *s)
{
    (void)i;
    kn_array f, slope;
    kn_call(kn_value_and_grad(KN_FN(polynomial), .holomorphic = true), KN_OUT(&f, &slope), &s->z);
    kn_array is_off = kn_greater(kn_abs(f), 1e-9);
    return (Search){kn_where(is_off, kn_sub(s->z, kn_div(f, slope)), s->z), kn_add(s->count, is_off)};
}
KN_FUNCTION(newton, Search, kn_array, Search)

static Search find(const kn_array *start)
{
    Search s = {*start, kn_scalar(0)};
    kn_fori_loop(0, STEPS, KN_FN(newton), &s, &s);
    return s;
}
KN_FUNCTION(find, Search, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array axis = kn_linspace(-1.5 + 1.5 / SIZE, 1.5 - 1.5 / SIZE, SIZE);
    kn_array z0 = kn_lax_complex(kn_broadcast_to(axis, KN_SHAPE(SIZE, SIZE)),
                                 kn_broadcast_to(kn_at(axis, "::-1, None"), KN_SHAPE(SIZE, SIZE)));
    Search found;
    kn_call(kn_jit(kn_vmap(kn_vmap(KN_FN(find)))), &found, &z0);

    /* Roots by their angle: 0, 120 and 240 degrees. */
    kn_array turn = kn_mod(kn_rint(kn_mul(kn_angle(found.z), 3 / (2 * M_PI))), 3);
    kn_array worst = kn_max(kn_abs(kn_sub(kn_mul(found.z, found.z, found.z), 1)));
    kn_printf("largest |z^3 - 1| after %d steps is below 1e-9: %s\n", STEPS, kn_item(worst) < 1e-9 ? "yes" : "no");
    kn_array disc = kn_less(kn_abs(z0), 1.5);
    for (int k = 0; k < 3; k++)
        kn_printf("root %d is found from %.3f of the disc (1/3 by symmetry)\n", k,
                  kn_mean(kn_at(kn_equal(turn, k), "%", disc)));
    kn_printf("steps: %.2f on average, %d at most\n", kn_mean(found.count), kn_max(found.count));

    /* A colour for each root, darker where it took longer. */
    kn_array palette = kn_reshape(kn_of(double, 0.35, 0.7, 1, 1, 0.72, 0.3, 0.45, 0.9, 0.55), KN_SHAPE(3, 3));
    kn_array light = kn_power(0.93, kn_clip(found.count, 0, 22));
    kn_array colours = kn_mul(kn_take(palette, kn_astype(turn, KN_I32), KN_AXIS(0)), kn_at(light, "..., None"));
    kn_image_save("julia_newton.png", colours);
    return kn_finish();
}

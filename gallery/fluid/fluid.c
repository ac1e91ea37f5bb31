/* SPDX-License-Identifier: Apache-2.0
 * fluid.c -- a fluid that cannot be compressed, in a square whose opposite sides are one: two shear layers roll up.
 * Vorticity is carried along by the velocity that it makes; derivatives are taken by Fourier transforms. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { SIZE = 160, STEPS = 800 };
static const double dt = 0.0075, viscosity = 4e-4;

typedef struct {
    kn_array kx, ky, laplace, keep; /* of each wave; keep: the waves whose products do not fold back */
} Waves;

static Waves waves(int size)
{
    kn_array k = kn_mul(size, kn_fft_fftfreq(size)), positive = kn_mul(size, kn_fft_rfftfreq(size));
    Waves w = {.kx = positive, .ky = kn_at(k, ":, None")};
    w.laplace = kn_add(kn_square(w.kx), kn_square(w.ky));
    w.keep = kn_astype(kn_less(kn_maximum(kn_abs(w.kx), kn_abs(w.ky)), size / 3), KN_F64);
    return w;
}

/* What moves the waves of vorticity: -(u dw/dx + v dw/dy), with u and v of the stream function. */
static kn_array carried(const Waves *w, kn_array vorticity)
{
    kn_array stream = kn_div(vorticity, kn_maximum(w->laplace, 1));
    kn_array u = kn_fft_irfft2(kn_mul(1.0i, kn_mul(w->ky, stream)));
    kn_array v = kn_fft_irfft2(kn_mul(-1.0i, kn_mul(w->kx, stream)));
    kn_array along = kn_fft_irfft2(kn_mul(1.0i, kn_mul(w->kx, vorticity)));
    kn_array across = kn_fft_irfft2(kn_mul(1.0i, kn_mul(w->ky, vorticity)));
    return kn_mul(w->keep, kn_fft_rfft2(kn_negative(kn_add(kn_mul(u, along), kn_mul(v, across)))));
}

/* Heun's step in which friction is exact: each wave fades by itself. */
static kn_array step(const Waves *w, const kn_array *i, const kn_array *vorticity)
{
    (void)i;
    kn_array fade = kn_exp(kn_mul(-viscosity * dt, w->laplace)), before = carried(w, *vorticity);
    kn_array guess = kn_mul(fade, kn_add(*vorticity, kn_mul(dt, before)));
    kn_array after = carried(w, guess);
    return kn_add(kn_mul(fade, kn_add(*vorticity, kn_mul(dt / 2, before))), kn_mul(dt / 2, after));
}
KN_CLOSURE(step, kn_array, Waves, kn_array, kn_array)

static kn_array run(const Waves *w, const kn_array *vorticity)
{
    kn_array out, start = kn_fft_rfft2(*vorticity);
    kn_fori_loop(0, STEPS, KN_CLOSE(step, w), &out, &start);
    return kn_fft_irfft2(out);
}
KN_FUNCTION(run, kn_array, Waves, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_fn flow = kn_jit(KN_FN(run));

    /* Taylor's and Green's vortices only fade: exp(-2 viscosity t) of them is left. */
    Waves w = waves(64);
    kn_array at = kn_mul(2 * M_PI / 64, kn_arange(0, 64, 1)), last;
    kn_array vortices = kn_mul(kn_cos(at), kn_cos(kn_at(at, ":, None")));
    kn_call(flow, &last, &w, &vortices);
    kn_array error = kn_max(kn_abs(kn_sub(last, kn_mul(exp(-2 * viscosity * dt * STEPS), vortices))));
    kn_printf("vortices of Taylor and Green: off by less than 1e-12: %s\n", kn_item(error) < 1e-12 ? "yes" : "no");

    /* Two layers of shear, a little bent. */
    w = waves(SIZE);
    at = kn_mul(2 * M_PI / SIZE, kn_arange(0, SIZE, 1));
    kn_array y = kn_at(at, ":, None"), rho = kn_num(15 / M_PI);
    kn_array up = kn_square(kn_cosh(kn_mul(rho, kn_sub(y, M_PI / 2)))),
             down = kn_square(kn_cosh(kn_mul(rho, kn_sub(y, 3 * M_PI / 2))));
    kn_array bend = kn_mul(0.05, kn_cos(at)),
             start =
                 kn_sub(kn_where(kn_less(y, M_PI), kn_div(kn_negative(rho), up), kn_div(rho, down)), kn_negative(bend));
    kn_call(flow, &last, &w, &start);
    kn_printf("vorticity in all stays 0: %s; the strongest was %.2f and is %.2f\n",
              kn_item(kn_abs(kn_mean(last))) < 1e-14 ? "yes" : "no", kn_max(kn_abs(start)), kn_max(kn_abs(last)));
    kn_array shades = kn_div(kn_rint(kn_mul(kn_div(last, 5), 20)), 20);
    kn_image_save(
        "fluid.png",
        kn_repeat(kn_repeat(kn_colormap(shades, "coolwarm", .vmin = -1, .vmax = 1), 2, KN_AXIS(0)), 2, KN_AXIS(1)));
    return kn_finish();
}

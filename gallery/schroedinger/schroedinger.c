/* SPDX-License-Identifier: Apache-2.0
 * schroedinger.c -- a wave packet meets a barrier: Schroedinger's equation by Fourier transforms, half steps of the
 * potential around steps of free motion. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 2048, STEPS = 1600, EVERY = 8 };
static const double length = 200, dt = 0.05, momentum = 1.2, spread = 5, place = -40, height = 0.8, breadth = 1.5;

typedef struct {
    kn_array half, free; /* exp(-i V dt / 2), exp(-i k^2 dt / 2) */
} World;
typedef struct {
    kn_array psi, density;
} Step;

static Step step(const World *w, const kn_array *psi)
{
    kn_array next = *psi;
    for (int i = 0; i < EVERY; i++)
        next = kn_mul(w->half, kn_fft_ifft(kn_mul(w->free, kn_fft_fft(kn_mul(w->half, next)))));
    return (Step){next, kn_square(kn_abs(next))};
}
KN_CLOSURE(step, Step, World, kn_array)

static Step run(const World *w, const kn_array *psi)
{
    Step s;
    kn_scan(KN_CLOSE(step, w), &s, psi, KN_NOTHING, .length = STEPS / EVERY);
    return s;
}
KN_FUNCTION(run, Step, World, kn_array)

static kn_array phase(kn_array angle) { return kn_exp(kn_mul(-1.0i, angle)); }

int main(void)
{
    KN_SCOPE;
    double dx = length / POINTS;
    kn_array x = kn_mul(dx, kn_sub(kn_arange(0, POINTS, 1), POINTS / 2));
    kn_array k = kn_mul(2 * M_PI, kn_fft_fftfreq(POINTS, .d = dx));
    kn_array barrier = kn_mul(height, kn_less(kn_abs(x), breadth / 2));
    kn_array bell = kn_exp(kn_div(kn_square(kn_sub(x, place)), -4 * spread * spread));
    kn_array psi = kn_mul(bell, kn_exp(kn_mul(1.0i * momentum, x)));
    psi = kn_div(psi, kn_sqrt(kn_mul(dx, kn_sum(kn_square(kn_abs(psi))))));

    kn_fn go = kn_jit(KN_FN(run));
    World open = {phase(kn_mul(0, x)), phase(kn_mul(dt / 2, kn_square(k)))}, closed = open;
    closed.half = phase(kn_mul(dt / 2, barrier));
    Step free_, s;
    kn_call(go, &free_, &open, &psi);
    kn_call(go, &s, &closed, &psi);

    /* Without a barrier the packet grows as the formula says. */
    double t = dt * STEPS, wide = spread * sqrt(1 + pow(t / (2 * spread * spread), 2));
    kn_array last = kn_at(free_.density, "-1"), mean = kn_mul(dx, kn_sum(kn_mul(x, last)));
    kn_array found = kn_sqrt(kn_mul(dx, kn_sum(kn_mul(kn_square(kn_sub(x, mean)), last))));
    kn_printf("free packet: at %.3f, wide %.3f (exactly %.3f and %.3f)\n", mean, found, place + momentum * t, wide);

    kn_array norm = kn_mul(dx, kn_sum(kn_square(kn_abs(s.psi))));
    kn_array through = kn_mul(dx, kn_sum(kn_where(kn_greater(x, 0), kn_at(s.density, "-1"), 0)));
    /* What each plane wave of the packet lets through, by the formula for a square barrier. */
    kn_array weight = kn_square(kn_abs(kn_fft_fft(psi))), energy = kn_div(kn_square(k), 2);
    kn_array inside = kn_sqrt(kn_astype(kn_mul(2, kn_sub(energy, height)), KN_C128));
    kn_array sine = kn_square(kn_sin(kn_mul(inside, breadth)));
    kn_array resist = kn_real(
        kn_div(kn_mul(height * height, sine), kn_mul(4, kn_mul(kn_astype(energy, KN_C128), kn_sub(energy, height)))));
    kn_array lets = kn_where(kn_greater(k, 0.05), kn_div(1, kn_add(1, resist)), 0);
    kn_printf("behind the barrier: %.2f of the packet, formula %.2f; in all %.6f\n", through,
              kn_div(kn_sum(kn_mul(weight, lets)), kn_sum(weight)), norm);

    kn_array seen = kn_at(s.density, "::-2, 200:-400:4");
    kn_plot p = kn_plot_new(.title = "A packet meets a barrier", .xlabel = "place", .ylabel = "time", .width = 520,
                            .height = 420);
    kn_plot_image(p, kn_div(kn_rint(kn_mul(kn_sqrt(seen), 60)), 60), .colormap = "magma",
                  .extent = {kn_item(kn_at(x, "200")), kn_item(kn_at(x, "-400")), 0, t});
    kn_plot_vline(p, 0, .color = "white", .style = ":");
    kn_plot_save(p, "schroedinger.png", .scale = 1);
    return kn_finish();
}

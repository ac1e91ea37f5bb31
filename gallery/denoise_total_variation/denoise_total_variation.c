/* SPDX-License-Identifier: Apache-2.0
 * denoise_total_variation.c -- a noisy picture becomes the nearest one with little variation, edges kept: a convex
 * problem, solved by primal and dual steps, with a certificate of how near the optimum is. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { SIZE = 128, STEPS = 300 };
static const double weight = 0.17, noise = 0.15, pace = 0.35 /* pace^2 |slopes|^2 <= 1 */;

/* The slopes of a picture: differences along both axes, 0 at the far borders. They are written into an array of zeros. */
static kn_array slopes(const kn_array *u)
{
    kn_array d = kn_zeros(KN_SHAPE(2, SIZE, SIZE));
    kn_set_at(d, kn_sub(kn_at(*u, "1:"), kn_at(*u, ":-1")), "0, :-1");
    kn_set_at(d, kn_sub(kn_at(*u, ":, 1:"), kn_at(*u, ":, :-1")), "1, :, :-1");
    return d;
}
KN_FUNCTION(slopes, kn_array, kn_array)

/* The transpose of `slopes`, which nobody has to write: minus a divergence. */
static kn_array gathered(kn_array p)
{
    kn_array picture = kn_zeros(KN_SHAPE(SIZE, SIZE)), out;
    kn_call(kn_linear_transpose(KN_FN(slopes), KN_ARGS(&picture)), &out, &p);
    return out;
}

/* |u - noisy|^2 / 2 + weight |slopes of u|, the problem; and the greatest lower bound that p proves. */
static kn_array length(kn_array d) { return kn_sqrt(kn_sum(kn_square(d), KN_AXIS(0))); }
static kn_array objective(kn_array u, kn_array noisy)
{
    return kn_add(kn_mul(0.5, kn_sum(kn_square(kn_sub(u, noisy)))), kn_mul(weight, kn_sum(length(slopes(&u)))));
}
static kn_array bound(kn_array p, kn_array noisy)
{
    kn_array g = gathered(p);
    return kn_sub(kn_sum(kn_mul(g, noisy)), kn_mul(0.5, kn_sum(kn_square(g))));
}

typedef struct {
    kn_array u, ahead, p;
} State;
typedef struct {
    State state;
    kn_array upper, lower;
} Step;
static Step improve(const kn_array *noisy, const State *s) /* Chambolle and Pock */
{
    kn_array p = kn_add(s->p, kn_mul(pace, slopes(&s->ahead)));
    p = kn_div(p, kn_maximum(1, kn_div(length(p), weight))); /* no longer than the weight anywhere */
    kn_array u = kn_sub(s->u, kn_mul(pace, gathered(p)));
    u = kn_div(kn_add(u, kn_mul(pace, *noisy)), 1 + pace);
    return (Step){{u, kn_sub(kn_mul(2, u), s->u), p}, objective(u, *noisy), bound(p, *noisy)};
}
KN_CLOSURE(improve, Step, kn_array, State)
static Step solve(const kn_array *noisy)
{
    State start = {*noisy, *noisy, kn_zeros(KN_SHAPE(2, SIZE, SIZE))};
    Step out;
    kn_scan(KN_CLOSE(improve, noisy), &out, &start, KN_NOTHING, .length = STEPS);
    return out;
}
KN_FUNCTION(solve, Step, kn_array)

/* A disc, a ring, bars and a ramp. */
static kn_array scene(void)
{
    kn_array x = kn_arange(0, SIZE, 1, .dtype = KN_F64), y = kn_expand_dims(x, KN_AXIS(1));
    kn_array picture = kn_full(KN_SHAPE(SIZE, SIZE), 0.25);
    kn_array r = kn_hypot(kn_sub(x, 40), kn_sub(y, 42)), ring = kn_hypot(kn_sub(x, 88), kn_sub(y, 50));
    kn_copyto(picture, 0.9, .where = kn_less(r, 26));
    kn_copyto(picture, 0.05, .where = kn_less(kn_abs(kn_sub(ring, 20)), 5));
    kn_set_at(picture, kn_linspace(0.1, 1, 100), "84:98, 14:114");
    for (int i = 0; i < 5; i++)
        kn_set_at(picture, 0.75, "104:120, %:%", 14 + 20 * i, 24 + 20 * i);
    return picture;
}

static kn_array quality(kn_array u, kn_array truth) /* peak signal to noise ratio, in dB */
{
    return kn_mul(-10, kn_log10(kn_mean(kn_square(kn_sub(u, truth)))));
}

int main(void)
{
    KN_SCOPE;
    kn_array truth = scene(), key = kn_random_key(2);
    kn_array noisy = kn_add(truth, kn_mul(noise, kn_random_normal(key, KN_SHAPE(SIZE, SIZE))));
    Step end;
    kn_call(kn_jit(KN_FN(solve)), &end, &noisy);
    kn_array u = end.state.u, upper = kn_at(end.upper, "-1"), lower = kn_at(end.lower, "-1");
    kn_printf("signal to noise: %.1f dB before, %.1f dB after\n", quality(noisy, truth), quality(u, truth));
    kn_printf("objective %.3f, and none is below %.3f: the gap is %.0e of it\n", upper, lower,
              kn_div(kn_sub(upper, lower), upper));

    kn_plot p = kn_plot_grid(1, 3, .width = 780, .height = 290);
    kn_array pictures[] = {truth, noisy, u};
    const char *titles[] = {"the picture", "with noise", "denoised"};
    for (int i = 0; i < 3; i++) {
        kn_plot panel = kn_plot_panel(p, 0, i, .title = titles[i], .no_axes = true);
        kn_plot_image(panel, pictures[i], .colormap = "gray", .vmin = 0, .vmax = 1);
    }
    kn_plot_save(p, "denoise_total_variation.png", .scale = 1);
    return kn_finish();
}

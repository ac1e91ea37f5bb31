/* SPDX-License-Identifier: Apache-2.0
 * epicycles.c -- a curve drawn by circles upon circles: the Fourier transform of a closed path, its largest terms first. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 1024, PANELS = 4 };

/* The points of a path of which only the `count` largest circles are kept. */
static kn_array drawn(kn_array circles, int count)
{
    kn_array size = kn_abs(circles), least = kn_at(kn_sort(size), "%", POINTS - count);
    return kn_fft_ifft(kn_where(kn_greater_equal(size, least), circles, 0));
}

int main(void)
{
    KN_SCOPE;
    /* A star with rounded rays that are not all alike, as complex numbers. */
    kn_array t = kn_mul(2 * M_PI / POINTS, kn_arange(0, POINTS, 1));
    kn_array radius =
        kn_add(1, kn_mul(0.35, kn_tanh(kn_mul(3, kn_sin(kn_mul(5, t))))), kn_mul(0.12, kn_cos(kn_mul(2, t))));
    kn_array path = kn_mul(radius, kn_exp(kn_mul(1.0i, t))), circles = kn_fft_fft(path);

    /* What is left out says how far the curve is off: both sides of Parseval's identity. */
    kn_array by_size = kn_flip(kn_sort(kn_square(kn_abs(circles))));
    static const int counts[PANELS] = {2, 4, 8, 24};
    kn_plot p = kn_plot_grid(1, PANELS, .width = 760, .height = 230);
    bool same = true;
    for (int i = 0; i < PANELS; i++) {
        kn_array curve = drawn(circles, counts[i]), off = kn_square(kn_abs(kn_sub(curve, path)));
        double error = sqrt(kn_item(kn_mean(off)));
        double left = sqrt(kn_item(kn_sum(kn_at(by_size, "%:", counts[i])))) / POINTS;
        same = same && fabs(error - left) < 1e-12;
        kn_printf("%2d circles: off by %.4f\n", counts[i], error);
        char title[32];
        snprintf(title, sizeof title, "%d circles", counts[i]);
        kn_plot panel = kn_plot_panel(p, 0, i, .title = title, .equal = true, .no_axes = true);
        kn_plot_line(panel, kn_real(path), kn_imag(path), .color = "gray", .width = 0.8);
        kn_plot_line(panel, kn_real(curve), kn_imag(curve), .color = "C1");
    }
    kn_printf("Parseval says the same: %s\n", same ? "yes" : "no");
    kn_plot_save(p, "epicycles.png", .scale = 1);
    return kn_finish();
}

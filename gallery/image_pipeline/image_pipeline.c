/* SPDX-License-Identifier: Apache-2.0
 * image_pipeline.c -- a noisy picture is smoothed and its edges are found: convolutions, and a circle measured in them. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { SIZE = 220, RADIUS = 6 };
static const double disc_x = 84, disc_y = 90, disc_r = 58;

typedef struct {
    kn_array smooth, strength, direction;
} Edges;

/* A disc, a tilted square and a ramp, with soft borders one pixel wide. */
static kn_array drawing(void)
{
    kn_array y = kn_arange(0, SIZE, 1, .dtype = KN_F32), x = y;
    y = kn_at(y, ":, None");
    kn_array image = kn_mul(0.3 / SIZE, kn_add(x, kn_mul(0, y)));
    kn_array disc = kn_clip(kn_sub(disc_r + 0.5, kn_hypot(kn_sub(x, disc_x), kn_sub(y, disc_y))), 0, 1);
    kn_array u = kn_add(kn_mul(0.9, kn_sub(x, 155)), kn_mul(0.4, kn_sub(y, 150)));
    kn_array v = kn_sub(kn_mul(0.9, kn_sub(y, 150)), kn_mul(0.4, kn_sub(x, 155)));
    kn_array square = kn_clip(kn_sub(44.5, kn_maximum(kn_abs(u), kn_abs(v))), 0, 1);
    image = kn_add(image, kn_mul(disc, kn_sub(0.9, image)));
    return kn_add(image, kn_mul(square, kn_sub(0.55, image)));
}

static kn_array bell(double sigma)
{
    kn_array k = kn_exp(kn_mul(-0.5 / (sigma * sigma), kn_square(kn_arange(-RADIUS, RADIUS + 1, 1, .dtype = KN_F32))));
    return kn_div(k, kn_sum(k));
}

/* One filter over the picture, whose border is repeated outwards. */
static kn_array filtered(kn_array image, kn_array kernel)
{
    int rows = (int)(kn_dim(kernel, 0) / 2), columns = (int)(kn_dim(kernel, 1) / 2);
    kn_array pad = kn_reshape(kn_of(int, rows, rows, columns, columns), KN_SHAPE(2, 2));
    return kn_signal_convolve2d(kn_pad(image, pad, .mode = "edge"), kernel, .mode = "valid");
}

/* Gauss's bell along rows, then along columns; then Sobel's two slopes. */
static Edges edges(const kn_array *image)
{
    kn_array k = bell(2);
    kn_array smooth = filtered(filtered(*image, kn_at(k, "None, :")), kn_at(k, ":, None"));
    kn_array sobel = kn_div(kn_reshape(kn_of(float, 1, 0, -1, 2, 0, -2, 1, 0, -1), KN_SHAPE(3, 3)), 8);
    kn_array gx = filtered(smooth, sobel), gy = filtered(smooth, kn_matrix_transpose(sobel));
    return (Edges){smooth, kn_hypot(gx, gy), kn_arctan2(gy, gx)};
}
KN_FUNCTION(edges, Edges, kn_array)

/* The radius of the disc: along rays from its middle, the place where the edge is strongest, between pixels. */
static kn_array radius(kn_array strength)
{
    kn_array angle = kn_linspace(M_PI, 2 * M_PI, 60, .dtype = KN_F32); /* where nothing covers it */
    kn_array r = kn_linspace(disc_r - 8, disc_r + 8, 161, .dtype = KN_F32);
    kn_array x = kn_add(disc_x, kn_mul(kn_at(kn_cos(angle), ":, None"), r));
    kn_array y = kn_add(disc_y, kn_mul(kn_at(kn_sin(angle), ":, None"), r));
    kn_array left = kn_floor(x), top = kn_floor(y), fx = kn_sub(x, left), fy = kn_sub(y, top);
    kn_array i = kn_astype(top, KN_I32), j = kn_astype(left, KN_I32);
    kn_array above = kn_add(kn_mul(kn_sub(1, fx), kn_at(strength, "%, %", i, j)),
                            kn_mul(fx, kn_at(strength, "%, %", i, kn_add(j, 1))));
    kn_array below = kn_add(kn_mul(kn_sub(1, fx), kn_at(strength, "%, %", kn_add(i, 1), j)),
                            kn_mul(fx, kn_at(strength, "%, %", kn_add(i, 1), kn_add(j, 1))));
    kn_array profile = kn_add(kn_mul(kn_sub(1, fy), above), kn_mul(fy, below));
    return kn_take(r, kn_argmax(profile, KN_AXIS(1)));
}

int main(void)
{
    KN_SCOPE;
    kn_array clean = drawing();
    kn_array noise = kn_random_normal(kn_random_key(7), KN_SHAPE(SIZE, SIZE), .dtype = KN_F32);
    kn_array noisy = kn_clip(kn_add(clean, kn_mul(0.1, noise)), 0, 1);
    Edges e;
    kn_call(kn_jit(KN_FN(edges)), &e, &noisy);

    kn_array k = bell(2), at_once = filtered(noisy, kn_outer(k, k));
    kn_printf("rows then columns, or both at once: the same within %s\n",
              kn_item(kn_max(kn_abs(kn_sub(at_once, e.smooth)))) < 1e-6 ? "1e-6" : "MORE than 1e-6");
    kn_array flat = kn_sub(noisy, clean), left = kn_sub(e.smooth, clean);
    kn_printf("noise before: %.3f, after: %.3f\n", kn_std(kn_at(flat, "175:215, 10:80")),
              kn_std(kn_at(left, "175:215, 10:80")));
    kn_array r = radius(e.strength);
    kn_printf("radius of the disc: %.1f +- %.1f pixels (drawn with %g)\n", kn_mean(r), kn_std(r), disc_r);

    /* The three side by side, in 32 shades of gray, for a small file. */
    kn_array light = kn_sub(1, kn_div(e.strength, kn_max(e.strength)));
    kn_array shown = kn_concatenate(KN_LIST(noisy, e.smooth, light), KN_AXIS(1));
    kn_image_save("image_pipeline.png", kn_div(kn_rint(kn_mul(31, kn_clip(shown, 0, 1))), 31));
    return kn_finish();
}

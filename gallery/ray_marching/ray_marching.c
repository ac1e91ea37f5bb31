/* SPDX-License-Identifier: Apache-2.0
 * ray_marching.c -- a picture of solids that are described by distances: one ray as a C function, mapped over all pixels.
 * A surface's normal is the gradient of the distance. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { WIDTH = 560, HEIGHT = 400, MARCH = 90, SHADOW = 32 };

typedef struct {
    kn_array x, y, z;
} V;
typedef struct {
    kn_array rgb, on_ball, depth_error, normal_error;
} Pixel;

static V scaled(kn_array k, V a) { return (V){kn_mul(k, a.x), kn_mul(k, a.y), kn_mul(k, a.z)}; }
static V plus(V a, V b) { return (V){kn_add(a.x, b.x), kn_add(a.y, b.y), kn_add(a.z, b.z)}; }
static kn_array dot(V a, V b) { return kn_add(kn_mul(a.x, b.x), kn_mul(a.y, b.y), kn_mul(a.z, b.z)); }
static V unit(V a) { return scaled(kn_div(1, kn_sqrt(dot(a, a))), a); }
static V vector(double x, double y, double z)
{
    return (V){kn_scalar((float)x), kn_scalar((float)y), kn_scalar((float)z)};
}

static V centre(void) { return vector(-0.9, 0, 0.2); }
static kn_array ball(V p)
{
    V d = plus(p, scaled(kn_num(-1), centre()));
    return kn_sub(kn_sqrt(dot(d, d)), 1);
}
static kn_array ring(V p)
{
    kn_array x = kn_sub(p.x, 1.1), y = kn_add(p.y, 0.15), z = kn_sub(p.z, 0.5);
    kn_array out = kn_sub(kn_hypot(x, kn_add(kn_mul(0.8, y), kn_mul(0.6, z))), 0.75);
    return kn_sub(kn_hypot(out, kn_sub(kn_mul(0.8, z), kn_mul(0.6, y))), 0.27);
}
static kn_array ground(V p) { return kn_add(p.y, 1); }

/* How far it is from p to the nearest surface of the scene. */
static kn_array distance(const V *p) { return kn_minimum(kn_minimum(ball(*p), ring(*p)), ground(*p)); }
KN_FUNCTION(distance, kn_array, V)

/* A ray from `from` along `to`, and how far it has come: the distance to the scene is always safe to go. */
typedef struct {
    V from, to;
    kn_array t, open;
} Ray;
static Ray march(const kn_array *i, const Ray *r)
{
    (void)i;
    V p = plus(r->from, scaled(r->t, r->to));
    kn_array d = distance(&p), open = kn_minimum(r->open, kn_div(kn_mul(10, d), kn_maximum(r->t, 1e-3)));
    return (Ray){r->from, r->to, kn_minimum(kn_add(r->t, d), 60), open};
}
KN_FUNCTION(march, Ray, kn_array, Ray)

static Ray marched(V from, V to, int steps)
{
    kn_array zero = kn_mul(0, to.x);
    Ray r = {from, to, zero, kn_add(zero, 1)};
    kn_fori_loop(0, steps, KN_FN(march), &r, &r);
    return r;
}

static kn_array mixed(kn_array k, V a, V b) /* colours a and b, as an array of three */
{
    V m = plus(scaled(kn_sub(1, k), a), scaled(k, b));
    return kn_stack(KN_LIST(m.x, m.y, m.z), KN_AXIS(-1));
}

/* What is seen through the point (x, y) of the picture. */
static Pixel pixel(const kn_array *x, const kn_array *y)
{
    V eye = vector(0, 0.5, -4.6), sun = unit(vector(-0.6, 1, -0.7));
    V to = unit((V){*x, kn_sub(*y, 0.12), kn_add(kn_mul(0, *x), 1.7)});
    Ray r = marched(eye, to, MARCH);
    V p = plus(eye, scaled(r.t, to)), normal;
    kn_call(kn_grad(KN_FN(distance)), &normal, &p);

    Ray to_sun = marched(plus(p, scaled(kn_num(0.02), normal)), sun, SHADOW);
    kn_array shadow = kn_clip(to_sun.open, 0, 1);
    kn_array light = kn_add(kn_mul(0.75, shadow, kn_clip(dot(normal, sun), 0, 1)), kn_mul(0.13, kn_add(1, normal.y)));
    V half = unit(plus(sun, scaled(kn_num(-1), to)));
    kn_array gleam = kn_mul(0.5, shadow, kn_power(kn_clip(dot(normal, half), 0, 1), 60));

    kn_array on_ball = kn_less(ball(p), 0.01), on_ring = kn_less(ring(p), 0.01);
    kn_array square = kn_mod(kn_add(kn_floor(p.x), kn_floor(p.z)), 2);
    kn_array rgb = mixed(square, vector(0.75, 0.75, 0.72), vector(0.4, 0.42, 0.45));
    rgb = kn_where(on_ball, mixed(kn_num(0), vector(0.9, 0.25, 0.2), vector(0, 0, 0)), rgb);
    rgb = kn_where(on_ring, mixed(kn_num(0), vector(0.2, 0.45, 0.9), vector(0, 0, 0)), rgb);
    rgb = kn_add(kn_mul(rgb, light), kn_where(kn_logical_or(on_ball, on_ring), gleam, 0));
    kn_array fog = kn_clip(kn_div(kn_sub(r.t, 8), 22), 0, 1);
    rgb = kn_add(kn_mul(rgb, kn_sub(1, fog)),
                 kn_mul(fog, mixed(kn_clip(kn_mul(2, to.y), 0, 1), vector(0.8, 0.85, 0.9), vector(0.25, 0.45, 0.75))));

    /* Where the ray meets the ball by the formula, and its normal there: p - centre. */
    V d = plus(eye, scaled(kn_num(-1), centre())), true_normal = plus(p, scaled(kn_num(-1), centre()));
    kn_array b = dot(d, to),
             exact = kn_sub(kn_neg(b), kn_sqrt(kn_maximum(kn_sub(kn_square(b), kn_sub(dot(d, d), 1)), 0)));
    V off = plus(normal, scaled(kn_num(-1), true_normal));
    return (Pixel){kn_sqrt(kn_clip(rgb, 0, 1)), on_ball, kn_where(on_ball, kn_abs(kn_sub(r.t, exact)), 0),
                   kn_where(on_ball, kn_sqrt(dot(off, off)), 0)};
}
KN_FUNCTION(pixel, Pixel, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    double aspect = (double)WIDTH / HEIGHT;
    kn_array x = kn_linspace(-aspect * 0.8, aspect * 0.8, WIDTH, .dtype = KN_F32);
    kn_array y = kn_linspace(0.8, -0.8, HEIGHT, .dtype = KN_F32);
    kn_fn row = kn_vmap(KN_FN(pixel), .in_axes = {KN_MAPPED(0), KN_UNMAPPED});
    Pixel p;
    kn_call(kn_jit(kn_vmap(row, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)})), &p, &x, &y);

    kn_array count = kn_sum(p.on_ball);
    kn_printf("%d rays meet the ball\n", count);
    kn_printf("mean error of their length:   %.1e (formula of ray and sphere)\n", kn_div(kn_sum(p.depth_error), count));
    kn_printf("mean error of their normal: %.1e (place minus centre)\n", kn_div(kn_sum(p.normal_error), count));
    kn_image_save("ray_marching.png", p.rgb);
    return kn_finish();
}

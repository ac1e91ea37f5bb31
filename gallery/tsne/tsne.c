/* SPDX-License-Identifier: Apache-2.0
 * tsne.c -- handwritten digits in the plane: by principal components, and by t-SNE, which moves points until those that
 * are neighbours among the images are neighbours in the plane. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { POINTS = 500, STEPS = 350, EARLY = 100 };
static const double perplexity = 20;

static kn_array distances(kn_array x) /* squared, of all pairs */
{
    kn_array own = kn_sum(kn_square(x), KN_AXIS(1));
    return kn_maximum(kn_add(kn_expand_dims(own, KN_AXIS(1)), own, kn_mul(-2, kn_matmul(x, kn_transpose(x)))), 0);
}

/* How likely one point picks each other one, if likelihood falls with distance at the pace `beta`. */
static kn_array choices(kn_array d, kn_array self, kn_array beta)
{
    return kn_nn_softmax(kn_where(self, -INFINITY, kn_neg(kn_mul(beta, d))));
}
/* Bisection of log(beta), so that the choice is as open as one among `perplexity` others. */
typedef struct {
    kn_array d, self;
} Row;
typedef struct {
    kn_array low, high;
} Bounds;
static Bounds halve(const Row *r, const kn_array *i, const Bounds *b)
{
    (void)i;
    kn_array middle = kn_mul(0.5, kn_add(b->low, b->high)), p = choices(r->d, r->self, kn_exp(middle));
    kn_array entropy = kn_sum(kn_special_entr(p)), open = kn_greater(entropy, log(perplexity));
    return (Bounds){kn_where(open, middle, b->low), kn_where(open, b->high, middle)};
}
KN_CLOSURE(halve, Bounds, Row, kn_array, Bounds)
static kn_array neighbours(const Row *r)
{
    Bounds b = {kn_scalar(-12.0), kn_scalar(6.0)};
    kn_fori_loop(0, 40, KN_CLOSE(halve, r), &b, &b);
    return choices(r->d, r->self, kn_exp(b.low));
}
KN_FUNCTION(neighbours, kn_array, Row)

/* How far the neighbourhoods of the plane are from those of the images (Kullback and Leibler). */
static kn_array strain(const kn_array *y, const kn_array *p)
{
    kn_array near = kn_div(kn_sub(1, kn_eye(POINTS)), kn_add(1, distances(*y)));
    kn_array log_q = kn_log(kn_add(kn_div(near, kn_sum(near)), 1e-12));
    return kn_sub(kn_sum(kn_special_xlogy(*p, *p)), kn_sum(kn_mul(*p, log_q)));
}
KN_FUNCTION(strain, kn_array, kn_array, kn_array)

typedef struct {
    kn_array y, speed;
} State;
typedef struct {
    State state;
    kn_array strain;
} Step;
typedef struct {
    kn_array p, momentum;
} Setting;
static Step move(const Setting *s, const State *now)
{
    kn_array value, slope;
    kn_call(kn_value_and_grad(KN_FN(strain)), KN_OUT(&value, &slope), &now->y, &s->p);
    kn_array speed = kn_sub(kn_mul(s->momentum, now->speed), kn_mul(100, slope));
    return (Step){{kn_add(now->y, speed), speed}, value};
}
KN_CLOSURE(move, Step, Setting, State)
static Step arrange(const State *start, const kn_array *p)
{
    Setting early = {kn_mul(8, *p), kn_scalar(0.5)}, late = {*p, kn_scalar(0.8)}; /* first pulled together */
    Step out;
    kn_scan(KN_CLOSE(move, &early), &out, start, KN_NOTHING, .length = EARLY);
    kn_scan(KN_CLOSE(move, &late), &out, &out.state, KN_NOTHING, .length = STEPS - EARLY);
    return out;
}
KN_FUNCTION(arrange, Step, State, kn_array)

/* How many points have a nearest neighbour of their own kind. */
static kn_array kinship(kn_array y, kn_array labels)
{
    kn_array d = kn_add(distances(y), kn_diag(kn_full(KN_SHAPE(POINTS), INFINITY)));
    return kn_mul(100, kn_mean(kn_equal(kn_take(labels, kn_argmin(d, KN_AXIS(1))), labels)));
}

static void draw(kn_plot p, kn_array y, kn_array labels)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const char *const colors[] = {"C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"};
    for (int d = 0; d < 10; d++) {
        kn_array own = kn_at(y, "%", kn_equal(labels, d)), middle = kn_median(own, KN_AXIS(0));
        kn_plot_points(p, kn_at(own, ":, 0"), kn_at(own, ":, 1"), .size = 3, .color = colors[d], .alpha = 0.8);
        kn_plot_text(p, kn_item(middle, 0), kn_item(middle, 1), names[d], .size = 20, .anchor = "center");
    }
}

int main(void)
{
    KN_SCOPE;
    kn_archive digits = kn_load_npz("data/digits.npz");
    kn_array images = kn_at(kn_archive_get(digits, "images"), ":%", POINTS);
    kn_array x = kn_astype(kn_reshape(images, KN_SHAPE(POINTS, 64)), KN_F64);
    kn_array labels = kn_at(kn_archive_get(digits, "labels"), ":%", POINTS),
             centred = kn_sub(x, kn_mean(x, KN_AXIS(0)));
    kn_array axes = kn_at(kn_linalg_svd(centred, .full_matrices = false).vh, ":2");
    kn_array flat = kn_matmul(centred, kn_transpose(axes));

    Row rows = {distances(x), kn_equal(kn_eye(POINTS), 1)};
    kn_array chosen;
    kn_call(kn_jit(kn_vmap(KN_FN(neighbours))), &chosen, &rows);
    kn_array p = kn_div(kn_add(chosen, kn_transpose(chosen)), 2 * POINTS);
    State start = {kn_mul(1e-2, kn_div(flat, kn_std(flat))), kn_zeros(KN_SHAPE(POINTS, 2))};
    Step end;
    kn_call(kn_jit(KN_FN(arrange)), &end, &start, &p);
    kn_array y = end.state.y;

    kn_printf("strain %.3f at first, %.3f at the end\n", strain(&start.y, &p), strain(&y, &p));
    kn_printf("the nearest neighbour is the same digit for %.1f %% in the plane of principal components,\n"
              "%.1f %% in that of t-SNE, %.1f %% among the images themselves\n",
              kinship(flat, labels), kinship(y, labels), kinship(x, labels));
    kn_plot plot = kn_plot_grid(1, 2, .width = 640, .height = 340);
    draw(kn_plot_panel(plot, 0, 0, .title = "Principal components", .no_axes = true), flat, labels);
    draw(kn_plot_panel(plot, 0, 1, .title = "t-SNE", .no_axes = true), y, labels);
    kn_plot_save(plot, "tsne.png", .scale = 1);
    return kn_finish();
}

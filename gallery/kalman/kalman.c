/* SPDX-License-Identifier: Apache-2.0
 * kalman.c -- a path seen through noise: a Kalman filter as a scan, and a smoother as a scan that runs backwards. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { STEPS = 200 };
static const double dt = 0.1, push = 1.5 /* of a step's acceleration */, blur = 0.6 /* of a measurement */;

/* What moves: position and velocity in the plane, x' = F x + (accelerations), of which z = H x + noise is seen. */
typedef struct {
    kn_array f, q, h, r;
} Model;
typedef struct {
    kn_array mean, covariance;
} Belief;
typedef struct {
    Belief now, kept, predicted;
} Filtered;
typedef struct {
    Belief now, kept;
} Smoothed;

static kn_array times(kn_array a, kn_array b) { return kn_matmul(a, b); }
static kn_array sandwich(kn_array a, kn_array p) { return times(times(a, p), kn_transpose(a)); }

/* The belief moves on by one step, and is then corrected by what is seen. */
static Filtered filter(const Model *m, const Belief *b, const kn_array *z)
{
    Belief ahead = {times(m->f, b->mean), kn_add(sandwich(m->f, b->covariance), m->q)};
    kn_array seen = kn_add(sandwich(m->h, ahead.covariance), m->r);
    kn_array gain = kn_transpose(kn_linalg_solve(seen, times(m->h, ahead.covariance)));
    kn_array surprise = kn_sub(*z, times(m->h, ahead.mean));
    Belief after = {kn_add(ahead.mean, times(gain, surprise)),
                    kn_sub(ahead.covariance, times(times(gain, m->h), ahead.covariance))};
    return (Filtered){after, after, ahead};
}
KN_CLOSURE(filter, Filtered, Model, Belief, kn_array)

/* Backwards: what later steps tell about this one (Rauch, Tung and Striebel). */
static Smoothed smooth(const Model *m, const Belief *later, const Belief *here, const Belief *predicted)
{
    kn_array gain = kn_transpose(kn_linalg_solve(predicted->covariance, times(m->f, here->covariance)));
    Belief b = {kn_add(here->mean, times(gain, kn_sub(later->mean, predicted->mean))),
                kn_add(here->covariance, sandwich(gain, kn_sub(later->covariance, predicted->covariance)))};
    return (Smoothed){b, b};
}
KN_CLOSURE(smooth, Smoothed, Model, Belief, Belief, Belief)

/* A random path of the model, and what is seen of it. */
typedef struct {
    kn_array state, kept;
} Move;
static Move move(const Model *m, const kn_array *state, const kn_array *kick)
{
    kn_array x = kn_add(times(m->f, *state), *kick);
    return (Move){x, x};
}
KN_CLOSURE(move, Move, Model, kn_array, kn_array)

static double error(kn_array states, kn_array truth) /* root mean square of the distance */
{
    kn_array off = kn_sub(kn_at(states, ":, :2"), kn_at(truth, ":, :2"));
    return kn_item(kn_sqrt(kn_mean(kn_sum(kn_square(off), KN_AXIS(1)))));
}

int main(void)
{
    KN_SCOPE;
    kn_array one = kn_eye(2), none = kn_zeros(KN_SHAPE(2, 2));
    kn_array lever = kn_concatenate(KN_LIST(kn_mul(dt * dt / 2, one), kn_mul(dt, one)));
    Model m = {kn_block(KN_LIST(one, kn_mul(dt, one)), KN_LIST(none, one)),
               kn_mul(push * push, kn_matmul(lever, kn_transpose(lever))),
               kn_concatenate(KN_LIST(one, none), KN_AXIS(1)), kn_mul(blur * blur, one)};
    kn_array key = kn_random_key(4), start = kn_of(double, 0, 0, 1, 0.5);
    kn_array kicks =
        kn_matmul(kn_mul(push, kn_random_normal(kn_random_fold_in(key, 0), KN_SHAPE(STEPS, 2))), kn_transpose(lever));
    Move path;
    kn_scan(KN_CLOSE(move, &m), &path, &start, &kicks);
    kn_array truth = path.kept, noise = kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(STEPS, 2));
    kn_array seen = kn_add(kn_at(truth, ":, :2"), kn_mul(blur, noise));

    Belief first = {kn_zeros(KN_SHAPE(4)), kn_mul(4, kn_eye(4))};
    Filtered f;
    Smoothed s;
    kn_scan(KN_CLOSE(filter, &m), &f, &first, &seen);
    /* Each step but the last, with the prediction that was made of it. */
    Belief here = {kn_at(f.kept.mean, ":-1"), kn_at(f.kept.covariance, ":-1")};
    Belief ahead = {kn_at(f.predicted.mean, "1:"), kn_at(f.predicted.covariance, "1:")};
    kn_scan(KN_CLOSE(smooth, &m), &s, &f.now, KN_ARGS(&here, &ahead), .reverse = true);
    kn_array smoothed = kn_concatenate(KN_LIST(s.kept.mean, kn_expand_dims(f.now.mean, KN_AXIS(0))));

    kn_printf("root mean square errors: measured %.3f, filtered %.3f, smoothed %.3f\n", error(seen, truth),
              error(f.kept.mean, truth), error(smoothed, truth));
    kn_array p = f.now.covariance;
    kn_printf("the filter expects of itself %.3f\n", kn_sqrt(kn_add(kn_at(p, "0, 0"), kn_at(p, "1, 1"))));
    Filtered again;
    kn_array last = kn_at(seen, "-1");
    kn_call(KN_CLOSE(filter, &m), &again, &f.now, &last);
    kn_array change = kn_max(kn_abs(kn_sub(again.now.covariance, p)));
    kn_printf("its covariance has settled: %s\n", kn_item(change) < 1e-12 ? "true" : "false");

    kn_plot plot = kn_plot_new(.title = "A path, seen through noise", .xlabel = "x", .ylabel = "y", .equal = true,
                               .width = 560, .height = 480);
    kn_plot_points(plot, kn_at(seen, ":, 0"), kn_at(seen, ":, 1"), .color = "#999999", .size = 3, .label = "measured");
    kn_plot_line(plot, kn_at(truth, ":, 0"), kn_at(truth, ":, 1"), .color = "black", .label = "true path");
    kn_plot_line(plot, kn_at(f.kept.mean, ":, 0"), kn_at(f.kept.mean, ":, 1"), .color = "C1", .label = "filtered");
    kn_plot_line(plot, kn_at(smoothed, ":, 0"), kn_at(smoothed, ":, 1"), .color = "C0", .label = "smoothed");
    kn_plot_save(plot, "kalman.png", .scale = 1);
    return kn_finish();
}

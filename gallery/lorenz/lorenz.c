/* SPDX-License-Identifier: Apache-2.0
 * lorenz.c -- Lorenz's attractor, and how fast two of its paths part: the tangent is carried along by jvp. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { SETTLE = 2000, STEPS = 40000, SHOWN = 1300 };
static const double dt = 0.01;

typedef struct {
    kn_array x, tangent, growth;
} State;
typedef struct {
    State state;
    kn_array x;
} Step;

static kn_array slope(kn_array p)
{
    kn_array x = kn_at(p, "0"), y = kn_at(p, "1"), z = kn_at(p, "2");
    return kn_stack(KN_LIST(kn_mul(10, kn_sub(y, x)), kn_sub(kn_mul(x, kn_sub(28, z)), y),
                            kn_sub(kn_mul(x, y), kn_mul(8.0 / 3, z))));
}

/* A step of Runge and Kutta. */
static kn_array next(const kn_array *p)
{
    kn_array a = slope(*p), b = slope(kn_add(*p, kn_mul(dt / 2, a))), c = slope(kn_add(*p, kn_mul(dt / 2, b)));
    kn_array d = slope(kn_add(*p, kn_mul(dt, c)));
    return kn_add(*p, kn_mul(dt / 6, kn_add(a, kn_mul(2, b), kn_mul(2, c), d)));
}
KN_FUNCTION(next, kn_array, kn_array)

/* The tangent is made as long as it was, and by how much it had grown is added up. */
static Step step(const State *s)
{
    State t;
    kn_jvp(KN_FN(next), KN_ARGS(&s->x), KN_ARGS(&s->tangent), &t.x, &t.tangent);
    kn_array length = kn_sqrt(kn_sum(kn_square(t.tangent)));
    t.tangent = kn_div(t.tangent, length);
    t.growth = kn_add(s->growth, kn_log(length));
    return (Step){t, t.x};
}
KN_FUNCTION(step, Step, State)

static Step settle(const State *s)
{
    Step out;
    kn_scan(KN_FN(step), &out, s, KN_NOTHING, .length = SETTLE);
    return out;
}
static Step run(const State *s)
{
    Step out;
    kn_scan(KN_FN(step), &out, s, KN_NOTHING, .length = STEPS);
    return out;
}
KN_FUNCTION(settle, Step, State)
KN_FUNCTION(run, Step, State)

int main(void)
{
    KN_SCOPE;
    State start = {kn_of(double, 1, 1, 1), kn_of(double, 1, 0, 0), kn_scalar(0.0)};
    Step s;
    kn_call(kn_jit(KN_FN(settle)), &s, &start);
    s.state.growth = kn_scalar(0.0);
    kn_call(kn_jit(KN_FN(run)), &s, &s.state);
    kn_printf("neighbours part by e in %.2f, exponent %.2f (known: 0.906)\n", kn_div(dt * STEPS, s.state.growth),
              kn_div(s.state.growth, dt * STEPS));
    kn_printf("z on average: %.1f\n", kn_mean(kn_at(s.x, ":, 2")));

    kn_array path = kn_at(s.x, ":%", SHOWN);
    kn_plot p = kn_plot_new(.title = "Lorenz's attractor", .xlabel = "x", .ylabel = "z", .width = 480, .height = 360);
    kn_plot_line(p, kn_at(path, ":, 0"), kn_at(path, ":, 2"), .width = 0.8);
    kn_plot_save(p, "lorenz.png", .scale = 1);
    return kn_finish();
}

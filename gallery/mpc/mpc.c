/* SPDX-License-Identifier: Apache-2.0
 * mpc.c -- model predictive control: a pole that hangs from a cart is swung up and balanced by plans that are made anew
 * at each step, improved by the gradient through a simulation of what they would lead to. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { HORIZON = 40, STEPS = 150, ROUNDS = 40 };
static const double dt = 0.04, gravity = 9.8, cart = 1, pole = 0.2, length = 0.5, strongest = 10;

/* How fast the state (place, its speed, angle from upright, its speed) changes under a force on the cart. */
static kn_array rate(kn_array s, kn_array force)
{
    kn_array v = kn_at(s, "1"), angle = kn_at(s, "2"), w = kn_at(s, "3"), sine = kn_sin(angle), cosine = kn_cos(angle);
    kn_array push = kn_div(kn_add(force, kn_mul(pole * length, kn_square(w), sine)), cart + pole);
    kn_array turn = kn_div(kn_sub(kn_mul(gravity, sine), kn_mul(cosine, push)),
                           kn_mul(length, kn_sub(4.0 / 3, kn_mul(pole / (cart + pole), kn_square(cosine)))));
    kn_array run = kn_sub(push, kn_mul(pole * length / (cart + pole), turn, cosine));
    return kn_stack(KN_LIST(v, run, w, turn));
}

typedef struct {
    kn_array state, cost;
} Step;
/* One step by the midpoint, under the force strongest * tanh(u), which stays within bounds; and what it costs. */
static Step move(const kn_array *s, const kn_array *u)
{
    kn_array force = kn_mul(strongest, kn_tanh(*u));
    kn_array half = kn_add(*s, kn_mul(dt / 2, rate(*s, force))), next = kn_add(*s, kn_mul(dt, rate(half, force)));
    kn_array tilt = kn_sub(1, kn_cos(kn_at(next, "2")));
    kn_array cost = kn_add(kn_mul(5, tilt), kn_mul(0.4, kn_square(kn_at(next, "0"))), kn_mul(1e-3, kn_square(force)),
                           kn_mul(0.1, kn_square(kn_at(next, "3"))), kn_mul(0.05, kn_square(kn_at(next, "1"))));
    return (Step){next, cost};
}
KN_FUNCTION(move, Step, kn_array, kn_array)

/* What a plan leads to from here. */
static kn_array cost(const kn_array *plan, const kn_array *state)
{
    Step out;
    kn_scan(KN_FN(move), &out, state, plan);
    return kn_sum(out.cost);
}
KN_FUNCTION(cost, kn_array, kn_array, kn_array)

/* A round of improvement: Adam's step on the plan. */
typedef struct {
    kn_array plan, mean, square;
} Search;
static Search improve(const kn_array *state, const Search *s)
{
    kn_array g;
    kn_call(kn_grad(KN_FN(cost)), &g, &s->plan, state);
    kn_array mean = kn_add(kn_mul(0.7, s->mean), kn_mul(0.3, g));
    kn_array square = kn_add(kn_mul(0.9, s->square), kn_mul(0.1, kn_square(g)));
    return (Search){kn_sub(s->plan, kn_mul(0.05, kn_div(mean, kn_add(kn_sqrt(square), 1e-3)))), mean, square};
}
KN_CLOSURE(improve, Search, kn_array, Search)

/* A step of the control: improve the plan, do what it says first, and let it begin one step later. */
typedef struct {
    Search s;
    kn_array state;
} Control;
typedef struct {
    Control now;
    kn_array state, force;
} Done;
static kn_array later(kn_array x) { return kn_concatenate(KN_LIST(kn_at(x, "1:"), kn_zeros(KN_SHAPE(1)))); }
static Done control(const Control *c)
{
    Search s;
    kn_scan(KN_CLOSE(improve, &c->state), &s, &c->s, KN_NOTHING, .length = ROUNDS);
    kn_array u = kn_at(s.plan, "0");
    Step next = move(&c->state, &u);
    Control after = {{later(s.plan), later(s.mean), later(s.square)}, next.state};
    return (Done){after, next.state, kn_mul(strongest, kn_tanh(u))};
}
KN_FUNCTION(control, Done, Control)
static Done run(const Control *c)
{
    Done out;
    kn_scan(KN_FN(control), &out, c, KN_NOTHING, .length = STEPS);
    return out;
}
KN_FUNCTION(run, Done, Control)

int main(void)
{
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(HORIZON)), hint = kn_mul(0.1, kn_sin(kn_arange(0, HORIZON, 1)));
    Control start = {{hint, none, none}, kn_of(double, 0, 0, M_PI, 0)};
    Done d;
    kn_call(kn_jit(KN_FN(run)), &d, &start);

    kn_array angle = kn_at(d.state, ":, 2"), off = kn_sub(1, kn_cos(angle)), t = kn_mul(dt, kn_arange(1, STEPS + 1, 1));
    kn_array up = kn_less(kn_cumsum(kn_flip(kn_greater(off, 0.01))), 1); /* upright from then on, counted from behind */
    kn_printf("upright after %.2f s, for good; the strongest force is %.1f of %.0f\n",
              kn_mul(dt, kn_sub(STEPS, kn_sum(up))), kn_max(kn_abs(d.force)), strongest);
    kn_printf("at the end: 1 - cos(angle) = %.0e, the cart is %.2f from the middle\n", kn_at(off, "-1"),
              kn_abs(kn_at(d.state, "-1, 0")));

    kn_plot p = kn_plot_grid(2, 1, .width = 640, .height = 480);
    kn_plot top = kn_plot_panel(p, 0, 0, .title = "A pole on a cart, swung up", .xlim = {-2.2, 2.2},
                                .ylim = {-1.3, 1.3}, .ylabel = "m", .no_grid = true);
    kn_array x = kn_at(d.state, ":, 0"), tipx = kn_add(x, kn_sin(angle)), tipy = kn_cos(angle);
    kn_plot_line(top, tipx, tipy, .color = "C1", .width = 1, .label = "path of the tip");
    for (int i = 0; i < STEPS; i += i < 50 ? 2 : 10)
        kn_plot_line(top, kn_stack(KN_LIST(kn_at(x, "%", i), kn_at(tipx, "%", i))),
                     kn_stack(KN_LIST(0.0, kn_at(tipy, "%", i))), .color = "C0", .alpha = 0.5, .width = 1);
    kn_plot bottom = kn_plot_panel(p, 1, 0, .xlabel = "seconds", .legend = "upper right");
    kn_plot_line(bottom, t, angle, .label = "angle from upright");
    kn_plot_line(bottom, t, x, .label = "place of the cart");
    kn_plot_line(bottom, t, kn_div(d.force, strongest), .label = "force / 10", .width = 1);
    kn_plot_save(p, "mpc.png", .scale = 1);
    return kn_finish();
}

/* SPDX-License-Identifier: Apache-2.0
 * pendulum.c -- double pendulums that begin almost alike, all at once by vmap: they agree, and then they do not. The
 * energies say how exact the steps are. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { MANY = 40, STEPS = 6000, EVERY = 20 };
static const double dt = 0.0025, gravity = 9.81;

/* Two angles from hanging down, and how fast they turn; lengths and masses are 1. */
typedef struct {
    kn_array angle, speed;
} State;
typedef struct {
    State state;
    kn_array angle;
} Step;

static kn_array kinetic(const State *s)
{
    kn_array u = kn_at(s->speed, "0"), v = kn_at(s->speed, "1");
    kn_array turned = kn_cos(kn_sub(kn_at(s->angle, "0"), kn_at(s->angle, "1")));
    return kn_add(kn_square(u), kn_mul(0.5, kn_square(v)), kn_mul(kn_mul(u, v), turned));
}
static kn_array potential(const State *s)
{
    return kn_mul(-gravity, kn_sum(kn_mul(kn_of(double, 2, 1), kn_cos(s->angle))));
}

/* How the speeds change: M a = f, of the Lagrangian written out. */
static State slope(const State *s)
{
    kn_array a = kn_at(s->angle, "0"), b = kn_at(s->angle, "1"), u = kn_at(s->speed, "0"), v = kn_at(s->speed, "1");
    kn_array c = kn_cos(kn_sub(a, b)), d = kn_sin(kn_sub(a, b));
    kn_array f = kn_sub(kn_mul(-2 * gravity, kn_sin(a)), kn_mul(d, kn_square(v)));
    kn_array g = kn_sub(kn_mul(d, kn_square(u)), kn_mul(gravity, kn_sin(b)));
    kn_array det = kn_sub(2, kn_square(c));
    kn_array speeds = kn_stack(KN_LIST(kn_sub(f, kn_mul(c, g)), kn_sub(kn_mul(2, g), kn_mul(c, f))));
    return (State){s->speed, kn_div(speeds, det)};
}
static State moved(const State *s, double t, State by)
{
    return (State){kn_add(s->angle, kn_mul(t, by.angle)), kn_add(s->speed, kn_mul(t, by.speed))};
}
static Step step(const State *s)
{
    State at = *s;
    for (int i = 0; i < EVERY; i++) { /* Runge and Kutta */
        State a = slope(&at), m = moved(&at, dt / 2, a), b = slope(&m);
        m = moved(&at, dt / 2, b);
        State c = slope(&m);
        m = moved(&at, dt, c);
        State d = slope(&m);
        at.angle = kn_add(at.angle, kn_mul(dt / 6, kn_add(a.angle, kn_mul(2, b.angle), kn_mul(2, c.angle), d.angle)));
        at.speed = kn_add(at.speed, kn_mul(dt / 6, kn_add(a.speed, kn_mul(2, b.speed), kn_mul(2, c.speed), d.speed)));
    }
    return (Step){at, at.angle};
}
KN_FUNCTION(step, Step, State)

typedef struct {
    kn_array angles, before, after; /* energies */
} Swing;
static Swing swing(const kn_array *angle)
{
    State start = {*angle, kn_zeros_like(*angle)};
    Step s;
    kn_scan(KN_FN(step), &s, &start, KN_NOTHING, .length = STEPS / EVERY);
    return (Swing){s.angle, kn_add(kinetic(&start), potential(&start)), kn_add(kinetic(&s.state), potential(&s.state))};
}
KN_FUNCTION(swing, Swing, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array first = kn_add(2.2, kn_mul(1e-4, kn_div(kn_arange(0, MANY, 1), MANY - 1.0)));
    kn_array starts = kn_stack(KN_LIST(first, kn_full(KN_SHAPE(MANY), 2.6)), KN_AXIS(1));
    Swing s;
    kn_call(kn_jit(kn_vmap(KN_FN(swing))), &s, &starts);

    kn_array drift = kn_max(kn_abs(kn_sub(s.after, s.before)));
    kn_array apart = kn_std(kn_at(s.angles, "..., 1"), KN_AXIS(0)),
             t = kn_mul(dt * EVERY, kn_arange(1, STEPS / EVERY + 1, 1));
    kn_printf("energy of %d pendulums: kept within 1e-4: %s\n", MANY, kn_item(drift) < 1e-4 ? "yes" : "no");
    kn_array when = kn_argmax(kn_greater(apart, 0.5));
    kn_printf("1e-4 apart at the start, they are a radian apart after %.1f s\n", kn_at(t, "%", when));

    kn_plot p = kn_plot_grid(2, 1, .width = 600, .height = 520);
    kn_plot a = kn_plot_panel(p, 0, 0, .title = "Forty double pendulums, almost alike", .ylabel = "lower angle");
    for (int i = 0; i < MANY; i += 3)
        kn_plot_line(a, t, kn_at(s.angles, "%, :, 1", i), .color = "C0", .alpha = 0.4, .width = 0.8);
    kn_plot b = kn_plot_panel(p, 1, 0, .xlabel = "seconds", .ylabel = "how far apart", .yscale = "log");
    kn_plot_line(b, t, apart);
    kn_plot_save(p, "pendulum.png", .scale = 1);
    return kn_finish();
}

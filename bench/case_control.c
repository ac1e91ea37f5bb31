/* SPDX-License-Identifier: Apache-2.0
 * case_control.c -- loops over a few numbers: a Kalman filter, Lorenz' equations and their gradient, twelve carries,
 * square roots by while, the largest element by while, counting. */
#include "control.h"
#include "inputs.h"
#include <math.h>

/* ---- a Kalman filter: the state has four numbers, two of them are observed */
typedef struct {
    kn_array f, h, q, r;
} Model;
typedef struct {
    kn_array x, p;
} Belief;
typedef struct {
    Belief belief;
    kn_array x;
} Filtered;
typedef struct {
    Model model;
    Belief start;
    kn_array z;
} Tracking;

static kn_array inverse_2x2(kn_array s)
{
    kn_array a = kn_at(s, "0,0"), b = kn_at(s, "0,1"), c = kn_at(s, "1,0"), d = kn_at(s, "1,1");
    kn_array adjugate = kn_reshape(kn_stack(KN_LIST(d, kn_neg(b), kn_neg(c), a)), KN_SHAPE(2, 2));
    return kn_div(adjugate, kn_sub(kn_mul(a, d), kn_mul(b, c)));
}
static Filtered track(const Model *m, const Belief *last, const kn_array *z)
{
    kn_array x = kn_matmul(m->f, last->x);
    kn_array p = kn_add(kn_matmul(kn_matmul(m->f, last->p), kn_transpose(m->f)), m->q);
    kn_array ph = kn_matmul(p, kn_transpose(m->h));
    kn_array k = kn_matmul(ph, inverse_2x2(kn_add(kn_matmul(m->h, ph), m->r)));
    x = kn_add(x, kn_matmul(k, kn_sub(*z, kn_matmul(m->h, x))));
    p = kn_sub(p, kn_matmul(k, kn_transpose(ph)));
    return (Filtered){{x, p}, x};
}
KN_CLOSURE(track, Filtered, Model, Belief, kn_array)
static Filtered kalman(const Tracking *in)
{
    Filtered out;
    kn_scan(KN_CLOSE(track, &in->model), &out, &in->start, &in->z);
    return out;
}
KN_FUNCTION(kalman, Filtered, Tracking)

static void *setup_kalman(void)
{
    kn_scope scope = kn_scope_begin();
    int64_t n = bench_steps(10000);
    kn_array f = kn_copy(kn_eye(4));
    kn_set_at(f, 0.1, "0,2");
    kn_set_at(f, 0.1, "1,3");
    Tracking in = {{f, kn_eye(2, .M = 4), kn_mul(0.01, kn_eye(4)), kn_mul(0.5, kn_eye(2))},
                   {kn_zeros(KN_SHAPE(4)), kn_eye(4)},
                   kn_reshape(kn_sin(kn_mul(kn_arange(0, 2 * n, 1, .dtype = KN_F64), 0.37)), KN_SHAPE(n, 2))};
    return control_new((control_row){scope, KN_FN(kalman), CONTROL_IN(in), CONTROL_OUT(Filtered), .steps = n,
                                     .c = control_c_kalman, .tolerance = 1e-9});
}

/* ---- Lorenz' equations, Runge and Kutta's method */
typedef struct {
    kn_array s, r, b;
} Parameters;
typedef struct {
    kn_array x, y, z;
} Point;

static Point flow(const Parameters *p, Point u)
{
    return (Point){kn_mul(p->s, kn_sub(u.y, u.x)), kn_sub(kn_mul(u.x, kn_sub(p->r, u.z)), u.y),
                   kn_sub(kn_mul(u.x, u.y), kn_mul(p->b, u.z))};
}
static Point moved(Point u, double h, Point k)
{
    return (Point){kn_add(u.x, kn_mul(h, k.x)), kn_add(u.y, kn_mul(h, k.y)), kn_add(u.z, kn_mul(h, k.z))};
}
static kn_array weighted(kn_array a, kn_array b, kn_array c, kn_array d)
{
    return kn_add(kn_add(a, kn_mul(2, kn_add(b, c))), d);
}
static Point runge_kutta(const Parameters *p, const Point *u)
{
    double h = CONTROL_DT;
    Point a = flow(p, *u), b = flow(p, moved(*u, h / 2, a)), c = flow(p, moved(*u, h / 2, b));
    Point d = flow(p, moved(*u, h, c));
    Point all = {weighted(a.x, b.x, c.x, d.x), weighted(a.y, b.y, c.y, d.y), weighted(a.z, b.z, c.z, d.z)};
    return moved(*u, h / 6, all);
}
KN_CLOSURE(runge_kutta, Point, Parameters, Point)
static kn_array lorenz(const Parameters *p)
{
    Point u = {kn_scalar(1.0), kn_scalar(1.0), kn_scalar(1.0)};
    kn_scan(KN_CLOSE(runge_kutta, p), &u, &u, KN_NOTHING, .length = bench_steps(100000));
    return kn_add(kn_add(kn_square(u.x), kn_square(u.y)), kn_square(u.z));
}
KN_FUNCTION(lorenz, kn_array, Parameters)

static void *setup_lorenz_of(bool grad)
{
    kn_scope scope = kn_scope_begin();
    Parameters in = {kn_scalar(10.0), kn_scalar(28.0), kn_scalar(8.0 / 3)};
    return control_new((control_row){scope, grad ? kn_grad(KN_FN(lorenz)) : KN_FN(lorenz), CONTROL_IN(in),
                                     .n_out = grad ? 3 : 1, .steps = bench_steps(100000),
                                     .c = grad ? control_c_lorenz_grad : control_c_lorenz, .tolerance = 1e-6});
}
static void *setup_lorenz(void) { return setup_lorenz_of(false); }
static void *setup_lorenz_grad(void) { return setup_lorenz_of(true); }

/* ---- six masses on springs between two walls: twelve numbers */
typedef struct {
    kn_array x0, x1, x2, x3, x4, x5, v0, v1, v2, v3, v4, v5;
} Springs;

static Springs swing(const Springs *s)
{
    const kn_array *x = &s->x0, *v = &s->v0;
    Springs next;
    kn_array *nx = &next.x0, *nv = &next.v0;
    for (int i = 0; i < 6; i++) {
        kn_array left = i ? x[i - 1] : kn_num(0.0), right = i < 5 ? x[i + 1] : kn_num(0.0);
        nv[i] = kn_add(v[i], kn_mul(0.01, kn_add(kn_sub(left, kn_mul(2, x[i])), right)));
    }
    for (int i = 0; i < 6; i++)
        nx[i] = kn_add(x[i], kn_mul(0.01, nv[i]));
    return next;
}
KN_FUNCTION(swing, Springs, Springs)
static Springs springs(const Springs *in)
{
    Springs out;
    kn_scan(KN_FN(swing), &out, in, KN_NOTHING, .length = bench_steps(100000));
    return out;
}
KN_FUNCTION(springs, Springs, Springs)

static void *setup_springs(void)
{
    kn_scope scope = kn_scope_begin();
    Springs in;
    for (int i = 0; i < 6; i++) {
        (&in.x0)[i] = kn_scalar(0.1 * (i + 1));
        (&in.v0)[i] = kn_scalar(0.0);
    }
    return control_new((control_row){scope, KN_FN(springs), CONTROL_IN(in), CONTROL_OUT(Springs),
                                     .steps = bench_steps(100000), .c = control_c_chain, .tolerance = 1e-9});
}

/* ---- square roots, each until it stops moving */
typedef struct {
    kn_array x, previous;
} Guess;
static kn_array moving(const Guess *g) { return kn_greater(kn_abs(kn_sub(g->x, g->previous)), kn_mul(1e-12, g->x)); }
static Guess improve(const kn_array *a, const Guess *g)
{
    return (Guess){kn_mul(0.5, kn_add(g->x, kn_div(*a, g->x))), g->x};
}
KN_FUNCTION(moving, kn_array, Guess)
KN_CLOSURE(improve, Guess, kn_array, Guess)
static kn_array newton(const kn_array *a)
{
    Guess g = {*a, kn_scalar(0.0)};
    kn_while_loop(KN_FN(moving), KN_CLOSE(improve, a), &g, &g);
    return g.x;
}
KN_FUNCTION(newton, kn_array, kn_array)

static void *setup_newton(void)
{
    kn_scope scope = kn_scope_begin();
    kn_array a = kn_mul(kn_square(kn_arange(1, 1001, 1, .dtype = KN_F64)), 0.37);
    return control_new((control_row){scope, kn_vmap(KN_FN(newton)), CONTROL_IN(a), CONTROL_OUT(kn_array), .steps = 1000,
                                     .c = control_c_newton, .tolerance = 1e-12});
}

/* ---- where the largest element is */
typedef struct {
    kn_array i, at, best;
} Search;
typedef struct {
    kn_array at, best;
} Found;
static kn_array more(const kn_array *x, const Search *s) { return kn_less(s->i, kn_size(*x)); }
static Search seen(const Search *s, kn_array here)
{
    kn_array better = kn_greater(here, s->best);
    return (Search){kn_add(s->i, 1), kn_where(better, s->i, s->at), kn_where(better, here, s->best)};
}
static Search look(const kn_array *x, const Search *s) { return seen(s, kn_at(*x, "%", s->i)); }
/* As JAX does it: an index that is out of bounds is moved inside. */
static Search look_clipped(const kn_array *x, const Search *s) { return seen(s, kn_take(*x, s->i, .mode = "clip")); }
KN_CLOSURE(more, kn_array, kn_array, Search)
KN_CLOSURE(look, Search, kn_array, Search)
KN_CLOSURE(look_clipped, Search, kn_array, Search)
static Found largest_by(const kn_array *x, kn_fn look_fn)
{
    Search s = {kn_scalar((int64_t)0), kn_scalar((int64_t)0), kn_scalar((float)-INFINITY)};
    kn_while_loop(KN_CLOSE(more, x), look_fn, &s, &s);
    return (Found){s.at, s.best};
}
static Found largest(const kn_array *x) { return largest_by(x, KN_CLOSE(look, x)); }
static Found largest_clipped(const kn_array *x) { return largest_by(x, KN_CLOSE(look_clipped, x)); }
KN_FUNCTION(largest, Found, kn_array)
KN_FUNCTION(largest_clipped, Found, kn_array)

static void *setup_largest_of(bool clip)
{
    kn_scope scope = kn_scope_begin();
    int64_t n = bench_steps(1000000);
    kn_array x = bench_wave(KN_SHAPE(n), 1.7);
    return control_new((control_row){scope, clip ? KN_FN(largest_clipped) : KN_FN(largest), CONTROL_IN(x),
                                     CONTROL_OUT(Found), .steps = n, .c = control_c_argmax, .tolerance = 1e-12});
}
static void *setup_largest(void) { return setup_largest_of(false); }
static void *setup_largest_clipped(void) { return setup_largest_of(true); }

/* ---- counting: what a step costs that does nothing else */
static kn_array below(const kn_array *i) { return kn_less(*i, bench_steps(1000000)); }
static kn_array next(const kn_array *i) { return kn_add(*i, 1); }
static kn_array next_of(const kn_array *i, const kn_array *c)
{
    (void)i;
    return kn_add(*c, 1);
}
KN_FUNCTION(below, kn_array, kn_array)
KN_FUNCTION(next, kn_array, kn_array)
KN_FUNCTION(next_of, kn_array, kn_array, kn_array)
static kn_array count_by_fori(const kn_array *start)
{
    kn_array out;
    kn_fori_loop(0, bench_steps(1000000), KN_FN(next_of), &out, start);
    return out;
}
static kn_array count_by_while(const kn_array *start)
{
    kn_array out;
    kn_while_loop(KN_FN(below), KN_FN(next), &out, start);
    return out;
}
KN_FUNCTION(count_by_fori, kn_array, kn_array)
KN_FUNCTION(count_by_while, kn_array, kn_array)

static void *setup_count(bool fori)
{
    kn_scope scope = kn_scope_begin();
    kn_array start = kn_scalar((int64_t)0);
    return control_new((control_row){scope, fori ? KN_FN(count_by_fori) : KN_FN(count_by_while), CONTROL_IN(start),
                                     CONTROL_OUT(kn_array), .steps = bench_steps(1000000), .c = control_c_count,
                                     .tolerance = 1e-12});
}
static void *setup_fori(void) { return setup_count(true); }
static void *setup_while(void) { return setup_count(false); }

/* name, unit, threads, ask, goal, tolerance, setup */
const bench_case bench_control[] = {
    {"control_kalman", "ms", 1, ASK_ALL, 0.3, 1e-9, setup_kalman, CONTROL_ROW, .steps = 10000},
    {"control_lorenz", "ms", 1, ASK_JAX, 0, 1e-7, setup_lorenz, CONTROL_ROW, .steps = 100000},
    {"control_lorenz_grad", "ms", 1, ASK_JAX, 0, 1e-6, setup_lorenz_grad, CONTROL_ROW, .steps = 100000,
     .forward = "control_lorenz", .forward_goal = 4},
    {"control_carries12", "ms", 1, ASK_JAX, 0, 1e-8, setup_springs, CONTROL_ROW, .steps = 100000},
    {"control_newton", "us", 1, ASK_JAX, 0, 1e-12, setup_newton, CONTROL_ROW},
    {"control_argmax", "ms", 1, ASK_JAX, 0, 1e-12, setup_largest, CONTROL_ROW, .steps = 1000000},
    {"control_argmax_clip", "ms", 1, ASK_JAX, 0, 1e-12, setup_largest_clipped, CONTROL_ROW, .steps = 1000000},
    {"control_fori", "ms", 1, ASK_JAX, 0, 1e-12, setup_fori, CONTROL_ROW, .steps = 1000000},
    {"control_while", "ms", 1, ASK_JAX, 0, 1e-12, setup_while, CONTROL_ROW, .steps = 1000000},
    {0},
};

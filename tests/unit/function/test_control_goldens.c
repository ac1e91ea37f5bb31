/* SPDX-License-Identifier: Apache-2.0
 * test_control_goldens.c -- programs with loops and branches, eager and jitted, and their derivatives: the numbers
 * that JAX gives for the same program (tests/golden/control.npz). */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Two;
typedef struct {
    kn_array a, b, c;
} Three;
typedef struct {
    kn_array a, b, c, d;
} Four;
typedef struct {
    kn_array a, b, c, d, e;
} Five;
typedef struct {
    Two carry;
    Two y;
} TwoTwo;
typedef struct {
    Two carry;
    Three y;
} TwoThree;
typedef struct {
    kn_array carry;
    kn_array y;
} Step;

static kn_array zeros(int n) { return kn_zeros(KN_SHAPE(n)); }

/* ---- a sum and a product; more outputs than carries */
static TwoThree running_step(const Two *c, const kn_array *x)
{
    kn_array s = kn_add(c->a, *x), p = kn_mul(c->b, kn_cos(*x));
    return (TwoThree){{s, p}, {kn_mul(s, p), s, *x}};
}
KN_FUNCTION(running_step, TwoThree, Two, kn_array)
static TwoThree running(const kn_array *x)
{
    Two start = {kn_scalar(0.0), kn_scalar(1.0)};
    TwoThree out;
    kn_scan(KN_FN(running_step), &out, &start, x);
    return out;
}

/* ---- a local level, filtered forward and smoothed backward */
static TwoThree filter(const Two *noise, const Two *c, const kn_array *z)
{
    kn_array ahead = kn_add(c->b, noise->a), k = kn_div(ahead, kn_add(ahead, noise->b));
    kn_array m = kn_add(c->a, kn_mul(k, kn_sub(*z, c->a))), p = kn_mul(kn_sub(1, k), ahead);
    return (TwoThree){{m, p}, {m, p, ahead}};
}
KN_CLOSURE(filter, TwoThree, Two, Two, kn_array)
static TwoTwo smooth(const Two *later, const Three *now)
{
    kn_array g = kn_div(now->b, now->c), s = kn_add(now->a, kn_mul(g, kn_sub(later->a, now->a)));
    kn_array v = kn_add(now->b, kn_mul(kn_mul(g, g), kn_sub(later->b, now->c)));
    return (TwoTwo){{s, v}, {s, v}};
}
KN_FUNCTION(smooth, TwoTwo, Two, Three)
static Two kalman(const Three *in)
{
    Two start = {kn_scalar(0.0), kn_scalar(4.0)}, noise = {in->b, in->c};
    TwoThree f;
    kn_scan(KN_CLOSE(filter, &noise), &f, &start, &in->a);
    Two last = {kn_at(f.y.a, "-1"), kn_at(f.y.b, "-1")};
    Three tail = {kn_at(f.y.a, ":-1"), kn_at(f.y.b, ":-1"), kn_at(f.y.c, "1:")};
    TwoTwo out;
    kn_scan(KN_FN(smooth), &out, &last, &tail, .reverse = true);
    return out.y;
}

/* ---- recurrent nets */
static Step rnn_step(const Two *w, const kn_array *h, const kn_array *x)
{
    kn_array next = kn_tanh(kn_add(kn_matmul(w->a, *h), kn_matmul(w->b, *x)));
    return (Step){next, next};
}
KN_CLOSURE(rnn_step, Step, Two, kn_array, kn_array)
static kn_array rnn(const Three *in)
{
    kn_array start = zeros(5);
    Two w = {in->a, in->b};
    Step out;
    kn_scan(KN_CLOSE(rnn_step, &w), &out, &start, &in->c);
    return out.y;
}

typedef struct {
    Two carry;
    kn_array y;
} Cell;
static Cell lstm_step(const Three *w, const Two *c, const kn_array *x)
{
    kn_array a = kn_add(kn_add(kn_matmul(*x, w->a), kn_matmul(c->b, w->b)), w->c);
    kn_array i = kn_nn_sigmoid(kn_at(a, "0:4")), f = kn_nn_sigmoid(kn_at(a, "4:8"));
    kn_array g = kn_tanh(kn_at(a, "8:12")), o = kn_nn_sigmoid(kn_at(a, "12:16"));
    kn_array cell = kn_add(kn_mul(f, c->a), kn_mul(i, g)), h = kn_mul(o, kn_tanh(cell));
    return (Cell){{cell, h}, h};
}
KN_CLOSURE(lstm_step, Cell, Three, Two, kn_array)
static Two lstm(const Four *in)
{
    Three w = {in->a, in->b, in->c};
    Two start = {zeros(4), zeros(4)};
    Cell out;
    kn_scan(KN_CLOSE(lstm_step, &w), &out, &start, &in->d);
    return (Two){out.carry.a, out.y};
}

static Step long_step(const kn_array *w, const kn_array *s, const kn_array *x)
{
    kn_array next = kn_tanh(kn_add(kn_mul(*w, *s), *x));
    return (Step){next, next};
}
KN_CLOSURE(long_step, Step, kn_array, kn_array, kn_array)
static kn_array long_rnn_with(const Two *in, int64_t checkpoint)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_CLOSE(long_step, &in->a), &out, &start, &in->b, .checkpoint = checkpoint);
    return out.y;
}
static kn_array long_rnn(const Two *in) { return long_rnn_with(in, 0); }
static kn_array long_rnn_5(const Two *in) { return long_rnn_with(in, 5); }
static kn_array long_rnn_sqrt(const Two *in) { return long_rnn_with(in, KN_CHECKPOINT_SQRT); }

/* ---- dynamics */
static Three lorenz_step(const kn_array *p, const Three *u)
{
    kn_array dx = kn_mul(kn_at(*p, "0"), kn_sub(u->b, u->a));
    kn_array dy = kn_sub(kn_mul(u->a, kn_sub(kn_at(*p, "1"), u->c)), u->b);
    kn_array dz = kn_sub(kn_mul(u->a, u->b), kn_mul(kn_at(*p, "2"), u->c));
    return (Three){kn_add(u->a, kn_mul(0.01, dx)), kn_add(u->b, kn_mul(0.01, dy)), kn_add(u->c, kn_mul(0.01, dz))};
}
KN_CLOSURE(lorenz_step, Three, kn_array, Three)
static Three lorenz(const kn_array *p)
{
    Three u = {kn_scalar(1.0), kn_scalar(1.0), kn_scalar(1.0)}, end;
    kn_scan(KN_CLOSE(lorenz_step, p), &end, &u, KN_NOTHING, .length = 100);
    return end;
}

static Step logistic_step(const kn_array *r, const kn_array *x)
{
    kn_array next = kn_mul(kn_mul(*r, *x), kn_sub(1, *x));
    return (Step){next, next};
}
KN_CLOSURE(logistic_step, Step, kn_array, kn_array)
static kn_array logistic(const kn_array *r)
{
    kn_array start = kn_full(KN_SHAPE(7), 0.3);
    Step out;
    kn_scan(KN_CLOSE(logistic_step, r), &out, &start, KN_NOTHING, .length = 20);
    return out.y;
}

static kn_array power_step(const kn_array *a, const kn_array *i, const kn_array *v)
{
    (void)i;
    kn_array next = kn_matmul(*a, *v);
    return kn_div(next, kn_sqrt(kn_sum(kn_mul(next, next))));
}
KN_CLOSURE(power_step, kn_array, kn_array, kn_array, kn_array)
static kn_array power(const kn_array *a)
{
    kn_array start = kn_ones(KN_SHAPE(4)), out;
    kn_fori_loop(0, 12, KN_CLOSE(power_step, a), &out, &start);
    return out;
}

/* ---- square roots by while, with and without a bound */
static kn_array moving(const Two *c) { return kn_greater(kn_abs(kn_sub(c->a, c->b)), 1e-12); }
static Two improve(const kn_array *a, const Two *c) { return (Two){kn_mul(0.5, kn_add(c->a, kn_div(*a, c->a))), c->a}; }
KN_FUNCTION(moving, kn_array, Two)
KN_CLOSURE(improve, Two, kn_array, Two)
static kn_array root(const kn_array *a)
{
    Two c = {*a, kn_scalar(0.0)}, end;
    kn_while_loop(KN_FN(moving), KN_CLOSE(improve, a), &end, &c);
    return end.a;
}
static kn_array bounded_root(const kn_array *a)
{
    Two c = {*a, kn_scalar(0.0)}, end;
    kn_while_opts opts = {.size_ = sizeof opts, .max_steps = 9};
    (kn_while_loop)(KN_FN(moving), KN_CLOSE(improve, a), KN_OUT(&end), KN_ARGS(&c), &opts);
    return end.a;
}
KN_FUNCTION(root, kn_array, kn_array)
KN_FUNCTION(bounded_root, kn_array, kn_array)
static kn_array newton(const kn_array *a)
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(root)), &out, a);
    return out;
}
static kn_array bounded(const kn_array *a)
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(bounded_root)), &out, a);
    return out;
}

/* ---- integers */
static Cell fibonacci_step(const Two *c) { return (Cell){{c->b, kn_add(c->a, c->b)}, c->a}; }
KN_FUNCTION(fibonacci_step, Cell, Two)
static kn_array fibonacci(const kn_array *unused)
{
    (void)unused;
    Two start = {kn_scalar((int64_t)1), kn_scalar((int64_t)1)};
    Cell out;
    kn_scan(KN_FN(fibonacci_step), &out, &start, KN_NOTHING, .length = 30);
    return out.y;
}

static kn_array not_one(const Two *c) { return kn_not_equal(c->a, 1); }
static Two collatz_step(const Two *c)
{
    kn_array even = kn_equal(kn_remainder(c->a, 2), 0);
    kn_array next = kn_where(even, kn_floor_divide(c->a, 2), kn_add(kn_mul(3, c->a), 1));
    return (Two){next, kn_add(c->b, 1)};
}
KN_FUNCTION(not_one, kn_array, Two)
KN_FUNCTION(collatz_step, Two, Two)
static kn_array collatz_of(const kn_array *n)
{
    Two c = {*n, kn_scalar((int64_t)0)}, end;
    kn_while_loop(KN_FN(not_one), KN_FN(collatz_step), &end, &c);
    return end.b;
}
KN_FUNCTION(collatz_of, kn_array, kn_array)
static kn_array collatz(const kn_array *n)
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(collatz_of)), &out, n);
    return out;
}

static kn_array b_is_left(const Two *c) { return kn_not_equal(c->b, 0); }
static Two euclid(const Two *c) { return (Two){c->b, kn_remainder(c->a, c->b)}; }
KN_FUNCTION(b_is_left, kn_array, Two)
KN_FUNCTION(euclid, Two, Two)
static kn_array gcd_of(const Two *c)
{
    Two end;
    kn_while_loop(KN_FN(b_is_left), KN_FN(euclid), &end, c);
    return end.a;
}
KN_FUNCTION(gcd_of, kn_array, Two)
static kn_array gcd(const Two *in)
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(gcd_of)), &out, in);
    return out;
}

static kn_array inside(const Three *c)
{
    kn_array r = kn_add(kn_mul(c->a, c->a), kn_mul(c->b, c->b));
    return kn_logical_and(kn_less(r, 4), kn_less(c->c, 40));
}
static Three escape(const Two *at, const Three *c)
{
    kn_array re = kn_add(kn_sub(kn_mul(c->a, c->a), kn_mul(c->b, c->b)), at->a);
    return (Three){re, kn_add(kn_mul(kn_mul(2, c->a), c->b), at->b), kn_add(c->c, 1)};
}
KN_FUNCTION(inside, kn_array, Three)
KN_CLOSURE(escape, Three, Two, Three)
static kn_array rounds_at(const kn_array *re, const kn_array *im)
{
    Two at = {*re, *im};
    Three c = {kn_scalar(0.0), kn_scalar(0.0), kn_scalar((int64_t)0)}, end;
    kn_while_loop(KN_FN(inside), KN_CLOSE(escape, &at), &end, &c);
    return end.c;
}
KN_FUNCTION(rounds_at, kn_array, kn_array, kn_array)
static kn_array mandelbrot(const Two *in)
{
    kn_array out;
    kn_fn row = kn_vmap(KN_FN(rounds_at), .in_axes = {KN_MAPPED(0), KN_UNMAPPED});
    kn_call(kn_vmap(row, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &out, &in->a, &in->b);
    return out;
}

/* ---- elements that are read and written */
static kn_array exchange(const kn_array *j, const kn_array *x)
{
    kn_array after = kn_add(*j, 1), a = kn_at(*x, "%", *j), b = kn_at(*x, "%", after), y = kn_copy(*x);
    kn_set_at(y, kn_minimum(a, b), "%", *j);
    kn_set_at(y, kn_maximum(a, b), "%", after);
    return y;
}
KN_FUNCTION(exchange, kn_array, kn_array, kn_array)
static kn_array pass(const kn_array *i, const kn_array *x)
{
    (void)i;
    kn_array out;
    kn_fori_loop(0, 6, KN_FN(exchange), &out, x);
    return out;
}
KN_FUNCTION(pass, kn_array, kn_array, kn_array)
static kn_array bubble(const kn_array *x)
{
    kn_array out;
    kn_fori_loop(0, 6, KN_FN(pass), &out, x);
    return out;
}

static Step count(const kn_array *c, const Two *v)
{
    kn_array next = kn_copy(*c);
    kn_iadd_at(next, kn_mul(v->b, kn_sum(*c)), "%", v->a);
    return (Step){next, kn_at(next, "%", v->a)};
}
KN_FUNCTION(count, Step, kn_array, Two)
static Step histogram(const kn_array *w)
{
    kn_array start = kn_ones(KN_SHAPE(5));
    Two xs = {kn_of(int64_t, 0, 3, 3, 1, 4, 3), *w};
    Step out;
    kn_scan(KN_FN(count), &out, &start, &xs);
    return out;
}

static Step best_step(const kn_array *move, const kn_array *best, const kn_array *s)
{
    kn_array each = kn_add(kn_expand_dims(*best, KN_AXIS(1)), *move);
    return (Step){kn_add(kn_max(each, KN_AXIS(0)), *s), kn_argmax(each, KN_AXIS(0))};
}
static Step back_step(const kn_array *at, const kn_array *back)
{
    kn_array next = kn_at(*back, "%", *at);
    return (Step){next, next};
}
KN_CLOSURE(best_step, Step, kn_array, kn_array, kn_array)
KN_FUNCTION(back_step, Step, kn_array, kn_array)
static Three viterbi(const Two *in)
{
    kn_array start = kn_at(in->a, "0"), rest = kn_at(in->a, "1:");
    Step f, b;
    kn_scan(KN_CLOSE(best_step, &in->b), &f, &start, &rest);
    kn_array last = kn_argmax(f.carry);
    kn_scan(KN_FN(back_step), &b, &last, &f.y, .reverse = true);
    return (Three){kn_max(f.carry), b.y, last};
}

/* ---- branches */
static kn_array half(const kn_array *x) { return kn_mul(*x, 0.5); }
static kn_array square(const kn_array *x) { return kn_mul(*x, *x); }
static kn_array sine(const kn_array *x) { return kn_sin(*x); }
KN_FUNCTION(half, kn_array, kn_array)
KN_FUNCTION(square, kn_array, kn_array)
KN_FUNCTION(sine, kn_array, kn_array)
static kn_array one_of(const Two *v)
{
    kn_fn f[] = {KN_FN(half), KN_FN(square), KN_FN(sine)};
    kn_array out;
    kn_switch(v->a, f, 3, &out, &v->b);
    return out;
}
KN_FUNCTION(one_of, kn_array, Two)
static kn_array choices(void) { return kn_of(int64_t, 0, 1, 2, -3, 7, 1); }
static kn_array branches(const kn_array *x)
{
    Two xs = {choices(), *x};
    kn_array out;
    kn_lax_map(KN_FN(one_of), &out, &xs);
    return out;
}
static kn_array branches_vmap(const kn_array *x)
{
    Two xs = {choices(), *x};
    kn_array out;
    kn_call(kn_vmap(KN_FN(one_of)), &out, &xs);
    return out;
}

static kn_array logarithm(const kn_array *x) { return kn_log(*x); }
KN_FUNCTION(logarithm, kn_array, kn_array)
static kn_array log_or_square(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_greater(*x, 0), KN_FN(logarithm), KN_FN(square), &out, x);
    return out;
}
KN_FUNCTION(log_or_square, kn_array, kn_array)
static kn_array conditional(const kn_array *x)
{
    kn_array out;
    kn_call(kn_vmap(KN_FN(log_or_square)), &out, x);
    return out;
}

static kn_array reflect(const kn_array *c) { return kn_sub(kn_mul(kn_sign(*c), 2), *c); }
static kn_array shrink(const kn_array *c) { return kn_mul(*c, 0.99); }
KN_FUNCTION(reflect, kn_array, kn_array)
KN_FUNCTION(shrink, kn_array, kn_array)
static Step walk_step(const kn_array *c, const kn_array *x)
{
    kn_array sum = kn_add(*c, *x), next;
    kn_cond(kn_greater(kn_abs(sum), 1), KN_FN(reflect), KN_FN(shrink), &next, &sum);
    return (Step){next, next};
}
KN_FUNCTION(walk_step, Step, kn_array, kn_array)
static kn_array walk(const kn_array *x)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_FN(walk_step), &out, &start, x);
    return out.y;
}

/* ---- loops in loops */
static Step inner_step(const Two *env, const kn_array *d, const kn_array *v)
{
    kn_array next = kn_add(kn_sin(kn_mul(*d, env->a)), *v);
    return (Step){next, kn_mul(next, env->b)};
}
KN_CLOSURE(inner_step, Step, Two, kn_array, kn_array)
static Step outer_step(const kn_array *w, const kn_array *c, const kn_array *row)
{
    Two env = {*w, *c};
    Step out;
    kn_scan(KN_CLOSE(inner_step, &env), &out, c, row);
    return (Step){kn_mul(out.carry, 0.5), kn_sum(out.y)};
}
KN_CLOSURE(outer_step, Step, kn_array, kn_array, kn_array)
static Step nested(const Two *in)
{
    kn_array start = kn_scalar(0.25);
    Step out;
    kn_scan(KN_CLOSE(outer_step, &in->b), &out, &start, &in->a);
    return out;
}

static kn_array fewer_than_3(const Two *d) { return kn_less(d->a, 3); }
static Two innermost(const Two *d) { return (Two){kn_add(d->a, 1), kn_add(kn_mul(d->b, 0.75), kn_cos(d->b))}; }
KN_FUNCTION(fewer_than_3, kn_array, Two)
KN_FUNCTION(innermost, Two, Two)
static kn_array middle_with(const kn_array *j, const kn_array *c, int64_t bound)
{
    Two d = {kn_scalar((int64_t)0), *c}, end;
    kn_while_opts opts = {.size_ = sizeof opts, .max_steps = bound};
    (kn_while_loop)(KN_FN(fewer_than_3), KN_FN(innermost), KN_OUT(&end), KN_ARGS(&d), &opts);
    return kn_add(end.b, *j);
}
static kn_array middle(const kn_array *j, const kn_array *c) { return middle_with(j, c, 0); }
static kn_array middle_bounded(const kn_array *j, const kn_array *c) { return middle_with(j, c, 4); }
KN_FUNCTION(middle, kn_array, kn_array, kn_array)
KN_FUNCTION(middle_bounded, kn_array, kn_array, kn_array)
static Step deep_with(kn_fn middle_fn, const kn_array *c, const kn_array *v)
{
    kn_array start = kn_add(*c, *v), out;
    kn_fori_loop(0, 2, middle_fn, &out, &start);
    return (Step){out, out};
}
static Step deep(const kn_array *c, const kn_array *v) { return deep_with(KN_FN(middle), c, v); }
static Step deep_bounded(const kn_array *c, const kn_array *v) { return deep_with(KN_FN(middle_bounded), c, v); }
KN_FUNCTION(deep, Step, kn_array, kn_array)
KN_FUNCTION(deep_bounded, Step, kn_array, kn_array)
static Step three_deep(const kn_array *x)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_FN(deep), &out, &start, x);
    return out;
}
static Step three_deep_grad(const kn_array *x)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_FN(deep_bounded), &out, &start, x);
    return out;
}

/* ---- others */
static Step discount(const kn_array *g, const kn_array *c, const kn_array *x)
{
    kn_array next = kn_add(*x, kn_mul(*g, *c));
    return (Step){next, next};
}
KN_CLOSURE(discount, Step, kn_array, kn_array, kn_array)
static Step discounted(const Two *in)
{
    kn_array start = kn_scalar(0.0);
    Step out;
    kn_scan(KN_CLOSE(discount, &in->b), &out, &start, &in->a, .reverse = true);
    return out;
}

static Two softmax(const kn_array *x)
{
    kn_array e = kn_exp(kn_sub(*x, kn_max(*x))), sum = kn_sum(e);
    return (Two){kn_div(e, sum), sum};
}
KN_FUNCTION(softmax, Two, kn_array)
static Two rows(const kn_array *x)
{
    Two out;
    kn_lax_map(KN_FN(softmax), &out, x);
    return out;
}
static Two rows_by_2(const kn_array *x)
{
    Two out;
    kn_lax_map(KN_FN(softmax), &out, x, .batch_size = 2);
    return out;
}

static Step factor(const kn_array *c)
{
    kn_array next = kn_linalg_cholesky(kn_add(kn_matmul(*c, kn_transpose(*c)), kn_eye(3)));
    return (Step){next, kn_at(next, "2,0")};
}
KN_FUNCTION(factor, Step, kn_array)
static Step roots(const kn_array *a)
{
    Step out;
    kn_scan(KN_FN(factor), &out, a, KN_NOTHING, .length = 4);
    return out;
}

static Step average_step(const kn_array *c, const kn_array *x)
{
    kn_array next = kn_add(kn_mul(0.75f, *c), kn_mul(0.25f, *x));
    return (Step){next, next};
}
KN_FUNCTION(average_step, Step, kn_array, kn_array)
static kn_array average(const kn_array *x)
{
    kn_array start = kn_zeros(KN_SHAPE(3), .dtype = KN_F32);
    Step out;
    kn_scan(KN_FN(average_step), &out, &start, x);
    return out.y;
}

/* ---- the same checks for all of them */
static kn_array total(const kn_array *y, size_t n)
{
    kn_array sum = kn_num(0.0);
    for (size_t i = 0; i < n; i++)
        if (kn_dtype_kind(kn_dtype_of(y[i])) == 'f') {
            kn_array w = kn_cos(kn_arange(0, kn_size(y[i]), 1, .dtype = KN_F64));
            sum = kn_add(sum, kn_sum(kn_mul(y[i], kn_reshape(w, kn_shape_of(y[i])))));
        }
    return sum;
}

enum { VALUES = 0, GRAD = 1, JVP = 2, HESSIAN = 4, ONLY_GRAD = 8 };
typedef struct program {
    const char *name, *golden;
    kn_fn (*fn)(void), (*total)(void);
    int n_in, n_out, what;
    double tolerance;
} program;

/* name, golden's name, what it takes, what it gives, derivatives, tolerance */
#define PROGRAMS                                                                   \
    X(running, "running", kn_array, TwoThree, GRAD | JVP, 1e-14)                   \
    X(kalman, "kalman", Three, Two, GRAD | JVP, 1e-13)                             \
    X(rnn, "rnn", Three, kn_array, GRAD | JVP, 1e-13)                              \
    X(lstm, "lstm", Four, Two, GRAD | JVP, 1e-13)                                  \
    X(lorenz, "lorenz", kn_array, Three, GRAD | JVP | HESSIAN, 1e-12)              \
    X(logistic, "logistic", kn_array, kn_array, GRAD | JVP, 1e-12)                 \
    X(newton, "newton", kn_array, kn_array, JVP, 1e-15)                            \
    X(bounded, "bounded", kn_array, kn_array, GRAD | JVP, 1e-14)                   \
    X(fibonacci, "fibonacci", kn_array, kn_array, VALUES, 0)                       \
    X(bubble, "bubble", kn_array, kn_array, GRAD | JVP, 1e-16)                     \
    X(collatz, "collatz", kn_array, kn_array, VALUES, 0)                           \
    X(gcd, "gcd", Two, kn_array, VALUES, 0)                                        \
    X(branches, "branches", kn_array, kn_array, GRAD | JVP, 1e-15)                 \
    X(branches_vmap, "branches_vmap", kn_array, kn_array, GRAD | JVP, 1e-15)       \
    X(nested, "nested", Two, Step, GRAD | JVP, 1e-14)                              \
    X(three_deep, "three_deep", kn_array, Step, JVP, 1e-14)                        \
    X(three_deep_grad, "three_deep_grad", kn_array, Step, GRAD | ONLY_GRAD, 1e-13) \
    X(long_rnn, "long_rnn", Two, kn_array, GRAD | JVP | HESSIAN, 1e-13)            \
    X(long_rnn_5, "long_rnn", Two, kn_array, GRAD | JVP | HESSIAN, 1e-13)          \
    X(long_rnn_sqrt, "long_rnn", Two, kn_array, GRAD | JVP | HESSIAN, 1e-13)       \
    X(discounted, "discounted", Two, Step, GRAD | JVP, 1e-14)                      \
    X(conditional, "conditional", kn_array, kn_array, GRAD | JVP, 1e-15)           \
    X(power, "power", kn_array, kn_array, GRAD | JVP, 1e-13)                       \
    X(rows, "rows", kn_array, Two, GRAD | JVP, 1e-14)                              \
    X(rows_by_2, "rows", kn_array, Two, GRAD | JVP, 1e-14)                         \
    X(mandelbrot, "mandelbrot", Two, kn_array, VALUES, 0)                          \
    X(walk, "walk", kn_array, kn_array, GRAD | JVP, 1e-14)                         \
    X(viterbi, "viterbi", Two, Three, VALUES, 1e-15)                               \
    X(roots, "roots", kn_array, Step, GRAD | JVP, 1e-13)                           \
    X(average, "average", kn_array, kn_array, GRAD | JVP, 1e-6)                    \
    X(histogram, "histogram", kn_array, Step, GRAD | JVP, 1e-14)

#define X(f, stored, In, Out, what_, tol)                                               \
    KN_FUNCTION(f, Out, In)                                                             \
    static kn_array total_of_##f(const In *in)                                          \
    {                                                                                   \
        Out out = f(in);                                                                \
        return total((const kn_array *)&out, sizeof out / sizeof(kn_array));            \
    }                                                                                   \
    KN_FUNCTION(total_of_##f, kn_array, In)                                             \
    static kn_fn fn_of_##f(void) { return KN_FN(f); }                                   \
    static kn_fn fn_of_total_of_##f(void) { return KN_FN(total_of_##f); }               \
    static const program program_##f = {.name = #f,                                     \
                                        .golden = stored,                               \
                                        .fn = fn_of_##f,                                \
                                        .total = fn_of_total_of_##f,                    \
                                        .n_in = (int)(sizeof(In) / sizeof(kn_array)),   \
                                        .n_out = (int)(sizeof(Out) / sizeof(kn_array)), \
                                        .what = what_,                                  \
                                        .tolerance = tol};
PROGRAMS
#undef X

enum { MOST = 8 };
static golden stored;

static const knio_npy *find(const program *p, const char *what, int i)
{
    char text[96];
    snprintf(text, sizeof text, i < 0 ? "%s %s" : "%s %s %d", p->golden, what, i);
    return golden_find(&stored, text);
}
static void take(const program *p, kn_array *in)
{
    for (int i = 0; i < p->n_in; i++)
        in[i] = strcmp(p->golden, "fibonacci") == 0 ? kn_scalar(0.0) : golden_array(find(p, "in", i));
}
static kn_args args_of(const kn_array *a, int n) { return (kn_args){1, {{a, (size_t)n * sizeof *a}}}; }
static kn_outs outs_of(kn_array *a, int n) { return (kn_outs){1, {{a, (size_t)n * sizeof *a}}}; }

static void compare(const program *p, const char *what, kn_array got, int i, double tolerance)
{
    char text[128];
    snprintf(text, sizeof text, "%s: %s %d", p->name, what, i);
    if (!kn_ok(got))
        fail_msg("%s: %s", text, kn_error_message());
    golden_close(text, got, find(p, what, i), tolerance, tolerance);
}

static void values(const program *p)
{
    for (int jit = 0; jit < 2; jit++) {
        KN_SCOPE;
        kn_array in[MOST], out[MOST];
        take(p, in);
        kn_args args = args_of(in, p->n_in);
        kn_outs outs = outs_of(out, p->n_out);
        (kn_call)(jit ? kn_jit(p->fn()) : p->fn(), &outs, &args);
        for (int i = 0; i < p->n_out; i++)
            compare(p, "out", out[i], i, p->tolerance);
    }
}

static void gradients(const program *p)
{
    for (int jit = 0; jit < 2; jit++) {
        KN_SCOPE;
        kn_array in[MOST], out[MOST];
        take(p, in);
        kn_args args = args_of(in, p->n_in);
        kn_outs outs = outs_of(out, p->n_in);
        kn_fn f = kn_grad(p->total());
        (kn_call)(jit ? kn_jit(f) : f, &outs, &args);
        for (int i = 0; i < p->n_in; i++)
            compare(p, "grad", out[i], i, 10 * p->tolerance);
    }
}

static void tangents(const program *p)
{
    for (int jit = 0; jit < 2; jit++) {
        KN_SCOPE;
        kn_array in[MOST], tangent[MOST], out[MOST], dout[MOST];
        take(p, in);
        for (int i = 0; i < p->n_in; i++) {
            kn_array t = kn_sin(kn_arange(1, kn_size(in[i]) + 1, 1, .dtype = KN_F64));
            tangent[i] = kn_astype(kn_reshape(t, kn_shape_of(in[i])), kn_dtype_of(in[i]));
        }
        kn_args args = args_of(in, p->n_in), dargs = args_of(tangent, p->n_in);
        kn_outs outs = outs_of(out, p->n_out), douts = outs_of(dout, p->n_out);
        (kn_jvp)(jit ? kn_jit(p->fn()) : p->fn(), &args, &dargs, &outs, &douts);
        for (int i = 0; i < p->n_out; i++) {
            compare(p, "out", out[i], i, p->tolerance);
            compare(p, "jvp", dout[i], i, 10 * p->tolerance);
        }
    }
}

static void second_derivatives(const program *p)
{
    for (int jit = 0; jit < 2; jit++) {
        KN_SCOPE;
        kn_array in[MOST], out[MOST];
        take(p, in);
        kn_args args = args_of(in, p->n_in);
        kn_outs outs = outs_of(out, p->n_in * p->n_in);
        kn_fn f = kn_hessian(p->total());
        (kn_call)(jit ? kn_jit(f) : f, &outs, &args);
        compare(p, "hessian", out[0], -1, 100 * p->tolerance);
    }
}

#define X(f, golden_name, In, Out, what_, tol) \
    static void values_of_##f(void **state)    \
    {                                          \
        (void)state;                           \
        if (!(program_##f.what & ONLY_GRAD))   \
            values(&program_##f);              \
    }                                          \
    static void gradient_of_##f(void **state)  \
    {                                          \
        (void)state;                           \
        if (program_##f.what & GRAD)           \
            gradients(&program_##f);           \
    }                                          \
    static void tangents_of_##f(void **state)  \
    {                                          \
        (void)state;                           \
        if (program_##f.what & JVP)            \
            tangents(&program_##f);            \
    }                                          \
    static void hessian_of_##f(void **state)   \
    {                                          \
        (void)state;                           \
        if (program_##f.what & HESSIAN)        \
            second_derivatives(&program_##f);  \
    }
PROGRAMS
#undef X

static int read_stored(void **state)
{
    (void)state;
    stored = golden_read("control.npz");
    return 0;
}
static int free_stored(void **state)
{
    (void)state;
    golden_free(&stored);
    return 0;
}

KN_TEST_GROUP(test_control_goldens)
{
#define X(f, golden_name, In, Out, what_, tol) \
    TEST(values_of_##f), TEST(gradient_of_##f), TEST(tangents_of_##f), TEST(hessian_of_##f),
    const struct CMUnitTest tests[] = {PROGRAMS};
#undef X
    return cmocka_run_group_tests(tests, read_stored, free_stored);
}

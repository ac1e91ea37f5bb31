/* SPDX-License-Identifier: Apache-2.0
 * test_scalar_functions.c -- functions with loops, as users write them, become one kernel: integrators, filters,
 * random walks, loops in loops, branches, small arrays that are written out; their lanes and derivatives. */
#include "support/group.h"
#include "support/scalar.h"

/* ---- As users write them. */

static void check_function(kn_fn f, const kn_args *args, int par, int loops)
{
    const char *text = kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL);
    check_text(text, par, loops);
}

#define EXAMPLE(...) kn_ones(KN_SHAPE(__VA_ARGS__), .dtype = KN_F32)

typedef struct {
    kn_array c[12];
} Twelve;
static Twelve twelve_body(const Twelve *x, const kn_array *v)
{
    Twelve y;
    for (int i = 0; i < 12; i++)
        y.c[i] = kn_add(kn_mul(x->c[(i + 1) % 12], 0.5f), kn_sin(kn_sub(x->c[i], *v)));
    return y;
}
KN_FUNCTION(twelve_body, Twelve, Twelve, kn_array)
static kn_array twelve(const Twelve *x, const kn_array *v)
{
    Twelve end;
    kn_scan(KN_FN(twelve_body), &end, x, v);
    kn_array sum = end.c[0];
    return sum;
}
KN_FUNCTION(twelve, kn_array, Twelve, kn_array)

static void twelve_carries_are_registers(void **state)
{
    (void)state;
    KN_SCOPE;
    Twelve t;
    for (int i = 0; i < 12; i++)
        t.c[i] = kn_scalar(1.0f);
    kn_array v = EXAMPLE(20);
    check_function(KN_FN(twelve), KN_ARGS(&t, &v), 0, 1);
}

/* Lorenz by Runge and Kutta. */
typedef struct {
    kn_array x, y, z;
} P3;
static P3 lorenz(P3 p)
{
    return (P3){kn_mul(10.0, kn_sub(p.y, p.x)), kn_sub(kn_mul(p.x, kn_sub(28.0, p.z)), p.y),
                kn_sub(kn_mul(p.x, p.y), kn_mul(8.0 / 3, p.z))};
}
static P3 ahead(P3 p, P3 d, double h)
{
    return (P3){kn_add(p.x, kn_mul(h, d.x)), kn_add(p.y, kn_mul(h, d.y)), kn_add(p.z, kn_mul(h, d.z))};
}
typedef struct {
    P3 next, out;
} Stepped;
static Stepped rk4(const P3 *p)
{
    double h = 0.01;
    P3 a = lorenz(*p), b = lorenz(ahead(*p, a, h / 2)), c = lorenz(ahead(*p, b, h / 2)), d = lorenz(ahead(*p, c, h));
    P3 q = ahead(ahead(ahead(ahead(*p, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
    return (Stepped){q, q};
}
KN_FUNCTION(rk4, Stepped, P3)
static Stepped trajectory(const P3 *p)
{
    Stepped s;
    kn_scan(KN_FN(rk4), &s, p, KN_NOTHING, .length = 50);
    return s;
}
KN_FUNCTION(trajectory, Stepped, P3)

static void runge_kutta_is_one_kernel_for_a_point_and_for_many(void **state)
{
    (void)state;
    KN_SCOPE;
    P3 p = {kn_scalar(1.0), kn_scalar(2.0), kn_scalar(3.0)};
    check_function(KN_FN(trajectory), KN_ARGS(&p), 0, 1);
    kn_array x = kn_ones(KN_SHAPE(65));
    p = (P3){x, x, x};
    check_function(KN_FN(trajectory), KN_ARGS(&p), 1, 1);
}

/* A Kalman filter of four numbers that measures two of them. */
typedef struct {
    kn_array x, p;
} Belief;
typedef struct {
    kn_array f, h, q, r;
} Model;
static kn_array turned(kn_array a) { return kn_matrix_transpose(a); }
static kn_array inverse2(kn_array s)
{
    kn_array a = kn_at(s, "0, 0"), b = kn_at(s, "0, 1"), c = kn_at(s, "1, 0"), d = kn_at(s, "1, 1");
    kn_array det = kn_sub(kn_mul(a, d), kn_mul(b, c));
    kn_array rows[] = {kn_stack(KN_LIST(d, kn_negative(b))), kn_stack(KN_LIST(kn_negative(c), a))};
    return kn_div(kn_stack(KN_LIST(rows[0], rows[1])), det);
}
typedef struct {
    Belief b;
    kn_array mean;
} Filtered;
static Filtered kalman(const Model *m, const Belief *b, const kn_array *z)
{
    kn_array x = kn_matmul(m->f, b->x), p = kn_add(kn_matmul(kn_matmul(m->f, b->p), turned(m->f)), m->q);
    kn_array s = kn_add(kn_matmul(kn_matmul(m->h, p), turned(m->h)), m->r);
    kn_array gain = kn_matmul(kn_matmul(p, turned(m->h)), inverse2(s));
    kn_array error = kn_sub(*z, kn_matmul(m->h, x)), next = kn_add(x, kn_matmul(gain, error));
    kn_array cov = kn_sub(p, kn_matmul(kn_matmul(gain, m->h), p));
    return (Filtered){{next, cov}, next};
}
KN_CLOSURE(kalman, Filtered, Model, Belief, kn_array)
static Filtered filter(const Model *m, const Belief *b, const kn_array *z)
{
    Filtered f;
    kn_scan(KN_CLOSE(kalman, m), &f, b, z);
    return f;
}
KN_FUNCTION(filter, Filtered, Model, Belief, kn_array)

static void a_kalman_filter_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    Model m = {EXAMPLE(4, 4), EXAMPLE(2, 4), EXAMPLE(4, 4), EXAMPLE(2, 2)};
    Belief b = {EXAMPLE(4), EXAMPLE(4, 4)};
    kn_array z = EXAMPLE(30, 2);
    check_function(KN_FN(filter), KN_ARGS(&m, &b, &z), 0, 1);
}

/* h = tanh(w h + x) */
static kn_array cell(const kn_array *w, const kn_array *h, const kn_array *x)
{
    return kn_tanh(kn_add(kn_matmul(*w, *h), *x));
}
KN_CLOSURE(cell, kn_array, kn_array, kn_array, kn_array)
static kn_array recurrence(const kn_array *w, const kn_array *h, const kn_array *x)
{
    kn_array y;
    kn_scan(KN_CLOSE(cell, w), &y, h, x);
    return y;
}
KN_FUNCTION(recurrence, kn_array, kn_array, kn_array, kn_array)

static void a_matrix_times_a_small_carry_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int64_t n = 1; n < 8; n += 3) {
        kn_array w = EXAMPLE(n, n), h = EXAMPLE(n), x = EXAMPLE(9, n);
        check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
    }
    kn_array w = kn_ones(KN_SHAPE(5, 5), .dtype = KN_F16), h = kn_ones(KN_SHAPE(5), .dtype = KN_F16),
             x = kn_ones(KN_SHAPE(3, 5), .dtype = KN_F16);
    check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
    w = kn_ones(KN_SHAPE(1, 1), .dtype = KN_C64), h = kn_ones(KN_SHAPE(1), .dtype = KN_C64),
    x = kn_ones(KN_SHAPE(3, 1), .dtype = KN_C64);
    check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
}

static kn_array product(const kn_array *x, const kn_array *v) { return kn_matmul(kn_add(*x, *v), *x); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)
static kn_array products(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(product), &y, x, v);
    return y;
}
KN_FUNCTION(products, kn_array, kn_array, kn_array)

static void products_have_the_order_of_their_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_dtype all[] = {KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128, KN_I8, KN_U32, KN_I64};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kn_array x = kn_ones(KN_SHAPE(3, 3), .dtype = all[i]), v = kn_ones(KN_SHAPE(4, 3, 3), .dtype = all[i]);
        check_function(KN_FN(products), KN_ARGS(&x, &v), 0, 1);
    }
}

static void larger_products_are_calls(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = EXAMPLE(16, 16), h = EXAMPLE(16), x = EXAMPLE(9, 16);
    refused(kn_jaxpr_text(kn_make_jaxpr(KN_FN(recurrence), KN_ARGS(&w, &h, &x)), KN_JAXPR_FULL),
            "its products are large enough for calls");
}

/* A product of reductions of a small carry. */
static kn_array joins(const kn_array *x, const kn_array *v)
{
    kn_array y = kn_add(*x, *v), s = kn_sum(y), m = kn_max(y), l = kn_min(kn_abs(y)), p = kn_prod(kn_add(y, 0.5f));
    return kn_div(kn_sub(y, m), kn_add(kn_add(kn_abs(s), l), kn_abs(p)));
}
KN_FUNCTION(joins, kn_array, kn_array, kn_array)
static kn_array joined(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(joins), &y, x, v);
    return y;
}
KN_FUNCTION(joined, kn_array, kn_array, kn_array)

static void reductions_of_small_carries_keep_their_order(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int64_t n = 1; n < 64; n += n < 20 ? 3 : 21) {
        kn_array x = EXAMPLE(n), v = EXAMPLE(6, n);
        check_function(KN_FN(joined), KN_ARGS(&x, &v), 0, 1);
    }
    kn_array x = kn_ones(KN_SHAPE(19), .dtype = KN_BF16), v = kn_ones(KN_SHAPE(4, 19), .dtype = KN_BF16);
    check_function(KN_FN(joined), KN_ARGS(&x, &v), 0, 1);
}

/* ---- Random numbers. */

typedef struct {
    kn_array key, price;
} Walk;
static Walk walk(const Walk *w)
{
    kn_array keys = kn_random_split(w->key);
    kn_array n = kn_random_normal(kn_at(keys, "1"), KN_SHAPE(100), .dtype = KN_F32);
    return (Walk){kn_at(keys, "0"), kn_mul(w->price, kn_exp(kn_add(kn_mul(n, 0.02f), 0.001f)))};
}
KN_FUNCTION(walk, Walk, Walk)
static kn_array walked(const Walk *w)
{
    Walk end;
    kn_scan(KN_FN(walk), &end, w, KN_NOTHING, .length = 10);
    return end.price;
}
KN_FUNCTION(walked, kn_array, Walk)

static void each_path_of_a_walk_is_a_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    Walk w = {kn_random_key(kn_scalar(3)), EXAMPLE(100)};
    check_function(KN_FN(walked), KN_ARGS(&w), 1, 1);
}

/* ---- Loops in loops, branches. */

typedef struct {
    kn_array i, x;
} Counted;
static kn_array below_five(const Counted *c) { return kn_less(c->i, 5); }
static Counted halved(const Counted *c) { return (Counted){kn_add(c->i, 1), kn_add(kn_mul(c->x, 0.5f), kn_cos(c->x))}; }
KN_FUNCTION(below_five, kn_array, Counted)
KN_FUNCTION(halved, Counted, Counted)
static kn_array settle(const kn_array *x, const kn_array *v)
{
    Counted c = {kn_scalar(0), kn_add(*x, *v)}, end;
    kn_while_loop(KN_FN(below_five), KN_FN(halved), &end, &c);
    return end.x;
}
KN_FUNCTION(settle, kn_array, kn_array, kn_array)
static kn_array settled(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(settle), &y, x, v);
    return y;
}
KN_FUNCTION(settled, kn_array, kn_array, kn_array)

static void a_while_in_a_scan_is_a_loop_in_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(settled), KN_ARGS(&x, &v), 0, 2);
    x = EXAMPLE(77), v = EXAMPLE(8, 77);
    check_function(KN_FN(settled), KN_ARGS(&x, &v), 1, 2);
}

static kn_array inner_add(const kn_array *x, const kn_array *v) { return kn_add(kn_mul(*x, 0.25f), *v); }
KN_FUNCTION(inner_add, kn_array, kn_array, kn_array)
static kn_array outer_add(const kn_array *all, const kn_array *x, const kn_array *v)
{
    kn_array from = kn_add(*x, *v), y;
    kn_scan(KN_FN(inner_add), &y, &from, all);
    return y;
}
KN_CLOSURE(outer_add, kn_array, kn_array, kn_array, kn_array)
static kn_array twice(const kn_array *all, const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_CLOSE(outer_add, all), &y, x, v);
    return y;
}
KN_FUNCTION(twice, kn_array, kn_array, kn_array, kn_array)

static void a_scan_in_a_scan_goes_through_memory_itself(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array all = EXAMPLE(100), x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(twice), KN_ARGS(&all, &x, &v), 0, 2);
    all = EXAMPLE(100, 20), x = EXAMPLE(20), v = EXAMPLE(8, 20);
    check_function(KN_FN(twice), KN_ARGS(&all, &x, &v), 1, 2);
}

/* The inner inputs are a carry's elements, its outputs are read: both are written out. */
typedef struct {
    kn_array sum, all;
} Sums;
static Sums sums(const kn_array *s, const kn_array *x)
{
    kn_array y = kn_add(*s, *x);
    return (Sums){y, kn_mul(y, y)};
}
KN_FUNCTION(sums, Sums, kn_array, kn_array)
static kn_array through(const kn_array *x, const kn_array *v)
{
    kn_array zero = kn_zeros(KN_SHAPE(), .dtype = KN_F32), y = kn_add(*x, *v);
    Sums s;
    kn_scan(KN_FN(sums), &s, &zero, &y, .reverse = true);
    return kn_div(s.all, kn_add(kn_abs(s.sum), 1.0f));
}
KN_FUNCTION(through, kn_array, kn_array, kn_array)
static kn_array all_through(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(through), &y, x, v);
    return y;
}
KN_FUNCTION(all_through, kn_array, kn_array, kn_array)

static void a_short_scan_over_a_carry_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = EXAMPLE(5), v = EXAMPLE(8, 5);
    check_function(KN_FN(all_through), KN_ARGS(&x, &v), 0, 1);
}

static kn_array cheap(const kn_array *x) { return kn_mul(*x, 2.0f); }
static kn_array costly(const kn_array *x) { return kn_lax_erf_inv(kn_tanh(*x)); }
static kn_array looping(const kn_array *x)
{
    Counted c = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_FN(below_five), KN_FN(halved), &end, &c);
    return end.x;
}
KN_FUNCTION(cheap, kn_array, kn_array)
KN_FUNCTION(costly, kn_array, kn_array)
KN_FUNCTION(looping, kn_array, kn_array)
static kn_array choose(const kn_array *x, const kn_array *v)
{
    kn_array y, z = kn_add(*x, *v);
    kn_fn all[] = {KN_FN(cheap), KN_FN(costly), KN_FN(looping)};
    kn_switch(kn_astype(*v, KN_I32), all, 3, &y, &z);
    return y;
}
KN_FUNCTION(choose, kn_array, kn_array, kn_array)
static kn_array chosen(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(choose), &y, x, v);
    return y;
}
KN_FUNCTION(chosen, kn_array, kn_array, kn_array)
static void a_switch_in_a_scan_is_a_choice(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(chosen), KN_ARGS(&x, &v), 0, 2);
}

static void a_branch_is_a_kernel(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; i:i32[] a:f32[30]. let"
               "    c:f32[30] d:f32[30] = cond[branches=("
               "      { lambda ; x:f32[30]. let y:f32[30] = erf_inv x in (y, x) }"
               "      { lambda ; x:f32[30]. let y:f32[30] = sin x; z:f32[30] = mul x y in (z, y) }"
               "      { lambda ; x:f32[30]. let y:f32[30] = neg x in (x, y) } )] i a"
               "  in (c, d) }",
               1, 0);
}

/* ---- Computed positions. */

typedef struct {
    kn_array i, most;
} Search;
static kn_array more(const kn_array *x, const Search *s) { return kn_less(s->i, (int)kn_size(*x)); }
static Search look(const kn_array *x, const Search *s)
{
    kn_array v = kn_squeeze(kn_lax_dynamic_slice_in_dim(*x, s->i, 1));
    return (Search){kn_add(s->i, 1), kn_maximum(s->most, v)};
}
KN_CLOSURE(more, kn_array, kn_array, Search)
KN_CLOSURE(look, Search, kn_array, Search)
static kn_array maximum(const kn_array *x)
{
    Search s = {kn_scalar(0), kn_zeros(KN_SHAPE(), .dtype = KN_F32)}, end;
    kn_while_loop(KN_CLOSE(more, x), KN_CLOSE(look, x), &end, &s);
    return end.most;
}
KN_FUNCTION(maximum, kn_array, kn_array)

static void memory_is_read_at_computed_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = EXAMPLE(40);
    check_function(KN_FN(maximum), KN_ARGS(&x), 0, 1);
}

/* ---- Derivatives and lanes. */

static void lanes_of_a_filter_are_points(void **state)
{
    (void)state;
    KN_SCOPE;
    Model m = {EXAMPLE(4, 4), EXAMPLE(2, 4), EXAMPLE(4, 4), EXAMPLE(2, 2)};
    Belief b = {EXAMPLE(9, 4), EXAMPLE(9, 4, 4)};
    kn_array z = EXAMPLE(9, 30, 2);
    kn_mapping none = KN_UNMAPPED, first = KN_MAPPED(0);
    kn_fn f = kn_vmap(KN_FN(filter), .in_axes = {none, first, first});
    kni_jaxpr *j = parsed(kn_jaxpr_text(kn_make_jaxpr(f, KN_ARGS(&m, &b, &z)), KN_JAXPR_FULL));
    knd_loaded *p = test_compile(j, true);
    const knk_kernel *loop = NULL;
    for (uint32_t i = 0; i < p->program->n_step; i++)
        if (p->program->step[i].kind == KNC_KERNEL && p->program->step[i].u.k.kernel->stage[0].n_loop)
            loop = p->program->step[i].u.k.kernel;
    assert_non_null(loop);
    assert_int_equal(loop->n_par, 1);
    same_outputs(j, p, 3);
    knd_release(p);
    kni_release(j);
}

/* Newton's square root, of each lane until it is done. */
typedef struct {
    kn_array a, x, before;
} Newton;
static kn_array moving(const Newton *n) { return kn_greater(kn_abs(kn_sub(n->x, n->before)), 1e-6f); }
static Newton improve(const Newton *n) { return (Newton){n->a, kn_mul(0.5f, kn_add(n->x, kn_div(n->a, n->x))), n->x}; }
KN_FUNCTION(moving, kn_array, Newton)
KN_FUNCTION(improve, Newton, Newton)
static kn_array root(const Newton *n)
{
    Newton end;
    kn_while_loop(KN_FN(moving), KN_FN(improve), &end, n, .max_steps = 40);
    return end.x;
}
KN_FUNCTION(root, kn_array, Newton)

static void lanes_of_newton_stop_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = EXAMPLE(100);
    Newton n = {a, a, a};
    check_function(kn_vmap(KN_FN(root)), KN_ARGS(&n), 1, 1);
    a = EXAMPLE(10, 7);
    n = (Newton){a, a, a};
    check_function(kn_vmap(kn_vmap(KN_FN(root))), KN_ARGS(&n), 1, 1);
}

/* ---- Written where data says. */

typedef struct {
    kn_array i, x;
} Put;
static Put put_one(const Put *p, const kn_array *v)
{
    kn_array one = kn_reshape(*v, KN_SHAPE(1));
    return (Put){kn_remainder(kn_add(p->i, 3), 8), kn_lax_dynamic_update_slice_in_dim(p->x, one, p->i, 0)};
}
KN_FUNCTION(put_one, Put, Put, kn_array)
static kn_array put(const Put *p, const kn_array *v)
{
    Put end;
    kn_scan(KN_FN(put_one), &end, p, v);
    return end.x;
}
KN_FUNCTION(put, kn_array, Put, kn_array)
static Put get_two(const Put *p, const kn_array *v)
{
    kn_array g = kn_lax_dynamic_slice_in_dim(p->x, p->i, 2);
    return (Put){kn_remainder(kn_add(p->i, 3), 8), kn_add(kn_mul(p->x, *v), kn_sum(kn_mul(g, g)))};
}
KN_FUNCTION(get_two, Put, Put, kn_array)
static kn_array get(const kn_array *x, const kn_array *i, const kn_array *v)
{
    Put end, p = {*i, *x};
    kn_scan(KN_FN(get_two), &end, &p, v);
    return kn_sum(end.x);
}
KN_FUNCTION(get, kn_array, kn_array, kn_array, kn_array)

/* All its loops are kernels, and it gives what the stepwise program gives. */
static void all_compiled(kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = parsed(kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL));
    knd_loaded *p = test_compile(j, true);
    assert_non_null(p->program->path);
    for (const knc_path_note *n = p->program->path; n; n = n->next)
        if (n->path != KN_PATH_COMPILED)
            fail_msg("equation %u: %s", n->eqn, n->why);
    for (uint64_t seed = 1; seed < 4; seed++)
        same_outputs(j, p, seed);
    knd_release(p);
    kni_release(j);
}

static void small_arrays_are_read_and_written_where_data_says(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_zeros(KN_SHAPE(), .dtype = KN_I32), is = kn_zeros(KN_SHAPE(6), .dtype = KN_I32);
    kn_array x = EXAMPLE(8), xs = EXAMPLE(6, 8), v = EXAMPLE(12), vs = EXAMPLE(6, 12);
    Put p = {i, x}, ps = {is, xs};
    all_compiled(KN_FN(put), KN_ARGS(&p, &v));
    all_compiled(kn_vmap(KN_FN(put)), KN_ARGS(&ps, &vs));
    all_compiled(kn_grad(KN_FN(get)), KN_ARGS(&x, &i, &v));
    all_compiled(kn_vmap(kn_grad(KN_FN(get))), KN_ARGS(&xs, &is, &vs));
}

/* Updates that meet are added one after the other; what lies outside is left out, or moved inside. */
static void updates_of_small_carries_keep_their_order(void **state)
{
    (void)state;
    static const char *const ops[] = {"scatter-add", "scatter"}, *const modes[] = {"FILL_OR_DROP", "CLIP"};
    static const char *const dtypes[] = {"f32", "f16", "c64", "i32"};
    for (int k = 0; k < 16; k++) {
        char all[1500];
        const char *d = dtypes[k / 4];
        snprintf(
            all, sizeof all,
            "{ lambda \"f\" ; a:%s[5] i:i32[7,6,1] u:%s[7,6]. let c:%s[5] = scan[jaxpr={ lambda ; x:%s[5] i:i32[6,1]"
            "     u:%s[6]. let h:i32[6,1] = sub i 1:i32[]; r:i32[6,1] = rem h 7:i32[]; y:%s[5] = "
            "%s[update_window_dims=() inserted_window_dims=(0,)"
            "     scatter_dims_to_operand_dims=(0,) operand_batching_dims=() scatter_indices_batching_dims=()"
            "     mode=GatherScatterMode.%s indices_are_sorted=False unique_indices=False] x r u in (y,) }"
            "   length=7 num_carry=1 num_consts=0 reverse=False unroll=1] a i u in (c,) }",
            d, d, d, d, d, d, ops[k & 1], modes[k >> 1 & 1]);
        check_text(all, 0, 1);
    }
}

/* One element of a large array is written by a routine, in place. */
static void a_large_array_is_not_written_element_by_element(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = EXAMPLE(12);
    Put p = {kn_zeros(KN_SHAPE(), .dtype = KN_I32), EXAMPLE(1000)};
    refused_in(kn_jaxpr_text(kn_make_jaxpr(KN_FN(put), KN_ARGS(&p, &v)), KN_JAXPR_FULL),
               "the body has dynamic_update_slice", 1);
}

/* ---- Without memory. */

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = EXAMPLE(8);
    kni_jaxpr *j = parsed(kn_jaxpr_text(kn_make_jaxpr(KN_FN(chosen), KN_ARGS(&x, &v)), KN_JAXPR_FULL));
    int errors = 0;
    knx_fail_pieces(true);
    for (int k = 0; k < 2000; k += 1 + k / 40) {
        knd_loaded *p = NULL;
        knx_fail_after(k, true);
        knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
        knx_fail_after(-1, false);
        errors += e != NULL;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        else
            same_outputs(j, p, 1);
        knx_error_release(e);
        knd_release(p);
    }
    knx_fail_pieces(false);
    assert_true(errors > 20);
    kni_release(j);
}

KN_TEST_GROUP(test_scalar_functions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_carries_are_registers),
        cmocka_unit_test(runge_kutta_is_one_kernel_for_a_point_and_for_many),
        cmocka_unit_test(a_kalman_filter_is_written_out),
        cmocka_unit_test(a_matrix_times_a_small_carry_is_written_out),
        cmocka_unit_test(products_have_the_order_of_their_dtype),
        cmocka_unit_test(larger_products_are_calls),
        cmocka_unit_test(reductions_of_small_carries_keep_their_order),
        cmocka_unit_test(each_path_of_a_walk_is_a_lane),
        cmocka_unit_test(a_while_in_a_scan_is_a_loop_in_a_loop),
        cmocka_unit_test(a_scan_in_a_scan_goes_through_memory_itself),
        cmocka_unit_test(a_short_scan_over_a_carry_is_written_out),
        cmocka_unit_test(a_switch_in_a_scan_is_a_choice),
        cmocka_unit_test(a_branch_is_a_kernel),
        cmocka_unit_test(memory_is_read_at_computed_places),
        cmocka_unit_test(lanes_of_a_filter_are_points),
        cmocka_unit_test(lanes_of_newton_stop_alone),
        cmocka_unit_test(small_arrays_are_read_and_written_where_data_says),
        cmocka_unit_test(updates_of_small_carries_keep_their_order),
        cmocka_unit_test(a_large_array_is_not_written_element_by_element),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

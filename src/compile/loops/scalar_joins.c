/* SPDX-License-Identifier: Apache-2.0
 * scalar_joins.c -- an element of a reduction or a product in a kernel with loops: the operations that join its terms
 * are written out, in the order of docs/determinism.md. */
#include "compile/loops/scope.h"

/* The values of an operand at n positions; false: some are not known yet and were put on the stack. */
static bool all_ready(kni_lower *l, kni_atom a, int64_t n, const knc_point *const *at, kni_pair *v)
{
    bool ready = true;
    for (int64_t i = 0; i < n && !l->failed; i++)
        ready &= at[i] && knc_operand_ready(l, a, at[i], &v[i]);
    return ready && !l->failed;
}

/* ---- Reductions. */

/* Is the axis, which a reduce_or joins in a loop's condition, one of the points? Then it is not joined: each point
 * takes its own element. */
static bool is_point_axis(const kni_lower *l, const kni_eqn *e, kni_type x, int axis)
{
    bool is = l->points->any == l->scope && e->prim->reduction->how == KNK_RED_OR && axis < l->n_par;
    for (int d = 0; is && d <= axis; d++)
        is = x.dim[d] == l->extent[d];
    return is;
}

/* Is the position the same for all points? */
static bool is_common(const kni_lower *l, const kni_index *i)
{
    for (int a = 0; a < i->ndim; a++)
        for (int d = 0; d < l->n_par; d++)
            if (i->axis[a].coef[d])
                return false;
    return true;
}

typedef struct join {
    kni_type x;
    int64_t n;
    bool joined[KN_MAX_NDIM], each[KN_MAX_NDIM]; /* axes; those where each point takes its own element */
    bool any;
} join;

static bool plan_join(kni_lower *l, const kni_eqn *e, join *j)
{
    const kni_p_reduce *p = e->params;
    *j = (join){.x = kni_atom_type(l->j, e->in[0]), .n = 1};
    for (int k = 0; k < p->axes.n; k++) {
        int a = (int)p->axes.v[k];
        j->joined[a] = true;
        j->each[a] = is_point_axis(l, e, j->x, a);
        j->any |= j->each[a];
        if (!j->each[a] && (knx_is_symbolic(j->x.dim[a]) || __builtin_mul_overflow(j->n, j->x.dim[a], &j->n) ||
                            j->n > KNC_MOST_JOINED)) {
            knc_refuse(l, "a %s joins more than %d elements", e->prim->name, KNC_MOST_JOINED);
            return false;
        }
    }
    if (!j->n)
        knc_refuse(l, "a %s joins nothing", e->prim->name);
    return j->n > 0;
}

static const knc_point *joined_point(kni_lower *l, const join *j, int64_t number, const knc_point *at)
{
    kni_index *i = kni_lower_index(l, j->x.ndim, at->index);
    for (int a = j->x.ndim - 1, own = at->index->ndim - 1; i && a >= 0; a--) {
        if (!j->joined[a]) {
            i->axis[a] = at->index->axis[own--];
        } else if (j->each[a]) {
            i->axis[a].coef[a] = 1;
        } else {
            i->axis[a].offset = number % j->x.dim[a];
            number /= j->x.dim[a];
        }
    }
    return knc_one_point(l, i, at->pred);
}

void knc_join_elements(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    join j;
    if (!plan_join(l, e, &j))
        return;
    const knc_point **from = knx_arena_alloc(&l->arena, (size_t)j.n * sizeof *from);
    kni_pair *v = knx_arena_alloc(&l->arena, (size_t)j.n * sizeof *v);
    if (!from || !v) {
        l->failed = true;
        return;
    }
    for (int64_t i = 0; i < j.n; i++)
        from[i] = joined_point(l, &j, i, at);
    if (!all_ready(l, e->in[0], j.n, from, v))
        return;
    knk_reduction how = e->prim->reduction->how;
    kni_pair y = {knc_join_values(l, how, j.n, v, false),
                  v[0].im < 0 ? KNK_NONE : knc_join_values(l, how, j.n, v, true)};
    if (j.any && is_common(l, at->index)) {
        l->points->masks += l->points->mask != y.re;
        l->points->mask = y.re;
    }
    knc_remember(l, e->out, at, knc_round(l, l->j->type[e->out].dtype, y));
}

/* ---- Products. */

enum { STEPS = 256 }; /* positions of the joined axes, in a block */

/* The axis of an array of this type, in C order, that a product's dimension of this extent and stride runs along; -1:
 * none. */
static int axis_of(kni_type t, int64_t extent, int64_t stride)
{
    int64_t s = 1;
    for (int a = t.ndim - 1; a >= 0; s = knx_dim_mul(s, t.dim[a--]))
        if (t.dim[a] == extent && s == stride && extent != 1)
            return a;
    return -1;
}

/* An operand of a product (second: operand 1), and the position in it that is read for one element of the result. */
typedef struct factor {
    kni_type t;
    bool second;
    kni_index *at;
} factor;

static int64_t stride_in(const factor *f, const knk_dims *g, int d) { return f->second ? g->b[d] : g->a[d]; }

static bool copy_axes(const factor *f, kni_type y, const knc_point *at, const knk_dims *g)
{
    for (int d = 0; d < g->n; d++) {
        if (g->extent[d] == 1)
            continue;
        int from = axis_of(y, g->extent[d], g->c[d]), to = axis_of(f->t, g->extent[d], stride_in(f, g, d));
        if (from < 0 || to < 0)
            return false;
        f->at->axis[to] = at->index->axis[from];
    }
    return true;
}

static bool is_simple(const knk_product *q) { return !q->n_window && !q->a_offset && !q->b_offset && !q->c_offset; }

/* The operand's positions at all n positions of the joined axes, for the result's element at `at`; NULL: failed or
 * refused. */
static const knc_point **steps_of(kni_lower *l, const kni_eqn *e, const knk_product *q, int64_t n, bool second,
                                  const knc_point *at)
{
    kni_type y = l->j->type[e->out];
    factor f = {kni_atom_type(l->j, e->in[second]), second, NULL};
    const knc_point **step = knx_arena_alloc(&l->arena, (size_t)(n + 1) * sizeof *step);
    for (int64_t k = 0; step && k < n; k++) {
        f.at = kni_lower_index(l, f.t.ndim, at->index);
        bool fits = f.at && copy_axes(&f, y, at, &q->batch) && copy_axes(&f, y, at, second ? &q->n : &q->m);
        int64_t number = k;
        for (int d = q->k.n - 1; fits && d >= 0; number /= q->k.extent[d--]) {
            int a = axis_of(f.t, q->k.extent[d], stride_in(&f, &q->k, d));
            if (q->k.extent[d] != 1 && a >= 0)
                f.at->axis[a].offset = number % q->k.extent[d];
            fits = a >= 0 || q->k.extent[d] == 1;
        }
        if (!fits) {
            knc_refuse(l, "the body has a %s that is no product of matrices", e->prim->name);
            return NULL;
        }
        step[k] = knc_one_point(l, f.at, at->pred);
    }
    if (!step)
        l->failed = true;
    return step;
}

/* sum + a * b, in the dtype of the sum. */
static knk_node step(kni_lower *l, knk_node sum, knk_node a, knk_node b)
{
    knx_dtype_id d = knk_dtype(l->k, sum);
    if (knk_dtype(l->k, a) != d)
        a = knk_cast(l->k, d, a);
    if (knk_dtype(l->k, b) != d)
        b = knk_cast(l->k, d, b);
    if (d == KN_ID_F32 || d == KN_ID_F64)
        return knk_ternary(l->k, KNK_FMA, a, b, sum);
    if (d == KN_ID_BOOL)
        return knk_binary(l->k, KNK_OR, knk_binary(l->k, KNK_AND, a, b), sum);
    return knk_binary(l->k, KNK_ADD, knk_binary(l->k, KNK_MUL, a, b), sum);
}

static kni_pair sum_of(kni_lower *l, kn_dtype d, int64_t n, const kni_pair *a, const kni_pair *b)
{
    const kni_pair zero = knc_zero(l, d);
    kni_pair total = zero;
    knk_builder *k = l->k;
    for (int64_t first = 0; first < n; first += STEPS) {
        kni_pair s = zero;
        for (int64_t i = first; i < n && i < first + STEPS; i++) {
            s.re = step(l, s.re, a[i].re, b[i].re);
            if (s.im < 0)
                continue;
            s.re = step(l, s.re, knk_unary(k, KNK_NEG, a[i].im), b[i].im);
            s.im = step(l, s.im, a[i].re, b[i].im);
            s.im = step(l, s.im, a[i].im, b[i].re);
        }
        total = !first ? s
                       : (kni_pair){knk_binary(k, KNK_ADD, total.re, s.re),
                                    s.im < 0 ? KNK_NONE : knk_binary(k, KNK_ADD, total.im, s.im)};
    }
    return total;
}

void knc_join_products(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    const kni_type x[2] = {kni_atom_type(l->j, e->in[0]), kni_atom_type(l->j, e->in[1])};
    knk_product *q = knx_arena_zero(&l->arena, sizeof *q);
    int64_t n = 1;
    if (!q) {
        l->failed = true;
        return;
    }
    kni_rule r = kni_rule_of(e, x, &l->j->type[e->out]);
    e->prim->product(&r, q);
    for (int d = 0; d < q->k.n; d++)
        if (knx_is_symbolic(q->k.extent[d]) || __builtin_mul_overflow(n, q->k.extent[d], &n) || n > KNC_MOST_JOINED) {
            knc_refuse(l, "a %s joins more than %d elements", e->prim->name, KNC_MOST_JOINED);
            return;
        }
    if (!is_simple(q)) {
        knc_refuse(l, "the body has a %s that is no product of matrices", e->prim->name);
        return;
    }
    const knc_point **from[2] = {steps_of(l, e, q, n, false, at), NULL};
    from[1] = from[0] ? steps_of(l, e, q, n, true, at) : NULL;
    kni_pair *v = knx_arena_alloc(&l->arena, (size_t)(2 * n + 1) * sizeof *v);
    if (!from[1] || !v) {
        l->failed = true;
        return;
    }
    bool ready = all_ready(l, e->in[0], n, from[0], v);
    if (all_ready(l, e->in[1], n, from[1], v + n) && ready)
        knc_remember(l, e->out, at, knc_round(l, q->result, sum_of(l, q->result, n, v, v + n)));
}

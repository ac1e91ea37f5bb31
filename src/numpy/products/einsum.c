/* SPDX-License-Identifier: Apache-2.0
 * einsum.c -- Einstein sums: labelled values, contracted two at a time. Each contraction is one dot_general whose
 * dimension numbers say where the labels are, so that nothing is transposed but, at most, the result; where nothing is
 * summed it is one product of broadcast operands. Labels of one operand that no one needs are summed first. */
#include "array/handle.h"
#include "array/layout.h"
#include "ir/ops.h"
#include "numpy/products/einsum.h"
#include <string.h>
#include <limits.h>

static uint64_t set_of(const knn_term *t) { return knn_label_set(t->ndim, t->label); }
static bool has(uint64_t set, int label) { return set >> label & 1; }

static int find(const knn_term *t, int label)
{
    int d = 0;
    while (d < t->ndim && t->label[d] != label)
        d++;
    return d;
}

static bool is_bool(kna_op *op, kni_atom a) { return knb_type(op->b, a).dtype->kind == KN_KIND_BOOL; }

/* --- one value -------------------------------------------------------------------------------- */

/* The diagonal of all axes with this label, as the last axis: one gather. */
static void join_label(kna_op *op, knn_term *t, int label)
{
    kni_builder *b = op->b;
    kni_type type = knb_type(b, t->a);
    int64_t axes[KN_MAX_NDIM], rest[KN_MAX_NDIM], size[KN_MAX_NDIM];
    int n = 0, m = 0;
    for (int d = 0; d < t->ndim; d++) {
        bool here = t->label[d] == label;
        size[d] = here && type.dim[d] ? 1 : type.dim[d];
        if (here)
            axes[n++] = d;
        else {
            rest[m] = m;
            t->label[m++] = t->label[d];
        }
    }
    int64_t places[] = {type.dim[axes[0]], n};
    kni_p_gather g = {.offset_dims = {m, rest},
                      .collapsed_slice_dims = {n, axes},
                      .start_index_map = {n, axes},
                      .slice_sizes = {t->ndim, size},
                      .mode = KN_GATHER_PROMISE};
    t->a = knb_gather(b, t->a, knb_iota(b, KN_DT(I64), 2, places, 0), &g);
    t->label[m] = (signed char)label;
    t->ndim = m + 1;
}

/* Without the axes whose labels are in `gone`, which are summed, or if `ones` have extent 1. */
static void drop(kna_op *op, knn_term *t, uint64_t gone, bool ones)
{
    int64_t axes[KN_MAX_NDIM];
    int n = 0, m = 0;
    for (int d = 0; d < t->ndim; d++)
        if (has(gone, t->label[d]))
            axes[n++] = d;
        else
            t->label[m++] = t->label[d];
    t->ndim = m;
    if (!n || kna_failed(op))
        return;
    if (ones)
        t->a = knb_squeeze(op->b, t->a, n, axes);
    else if (is_bool(op, t->a))
        t->a = knb_reduce_or(op->b, t->a, n, axes);
    else
        t->a = knb_reduce_sum(op->b, t->a, n, axes);
}

knn_term knn_order_term(kna_op *op, const knn_term *x, const signed char *order)
{
    knn_term y = *x;
    int64_t permutation[KN_MAX_NDIM];
    for (int d = 0; d < x->ndim; d++) {
        permutation[d] = find(x, order[d]);
        y.label[d] = order[d];
    }
    if (!kna_failed(op) && x->ndim)
        y.a = knb_transpose(op->b, x->a, permutation);
    return y;
}

/* --- two values ------------------------------------------------------------------------------- */

/* x with all of these axes, whose extents are in dim; a scalar stays one. */
static kni_atom spread(kna_op *op, const knn_term *x, const knn_term *full, const int64_t *dim)
{
    signed char order[KN_MAX_NDIM] = {0};
    int64_t axes[KN_MAX_NDIM];
    uint64_t mine = set_of(x);
    int n = 0;
    for (int d = 0; d < full->ndim; d++)
        if (has(mine, full->label[d])) {
            order[n] = full->label[d];
            axes[n++] = d;
        }
    knn_term y = knn_order_term(op, x, order);
    if (kna_failed(op) || !n || n == full->ndim)
        return y.a;
    return knb_broadcast_in_dim(op->b, y.a, full->ndim, dim, axes);
}

/* Nothing is summed. */
static knn_term multiply(kna_op *op, const knn_term *x, const knn_term *y, const signed char *order)
{
    knn_term z = *x;
    uint64_t mine = set_of(x);
    for (int d = 0; d < y->ndim; d++)
        if (!has(mine, y->label[d]))
            z.label[z.ndim++] = y->label[d];
    if (order)
        memcpy(z.label, order, (size_t)z.ndim);
    kni_type xt = knb_type(op->b, x->a), yt = knb_type(op->b, y->a);
    int64_t dim[KN_MAX_NDIM];
    for (int d = 0; d < z.ndim; d++) {
        int i = find(x, z.label[d]);
        dim[d] = i < x->ndim ? xt.dim[i] : yt.dim[find(y, z.label[d])];
    }
    kna_fail_with(op, kni_type_check_size(kni_type_of(xt.dtype, z.ndim, dim)));
    if (kna_failed(op))
        return z;
    kni_atom u = spread(op, x, &z, dim), v = spread(op, y, &z, dim);
    if (!kna_failed(op))
        z.a = is_bool(op, u) ? knb_and(op->b, u, v) : knb_mul(op->b, u, v);
    return z;
}

/* The axes of t with a label of this set, in the order of `first`. */
static int axes_of(const knn_term *t, uint64_t set, int n, const signed char *first, int64_t *axes)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (has(set, first[i]))
            axes[m++] = find(t, first[i]);
    return m;
}

static knn_term dot(kna_op *op, const knn_term *x, const knn_term *y, uint64_t batch, uint64_t summed,
                    const signed char *order)
{
    int64_t v[4][KN_MAX_NDIM];
    int n_order = __builtin_popcountll((set_of(x) | set_of(y)) & ~summed);
    const signed char *first = order ? order : x->label;
    int n_first = order ? n_order : x->ndim;
    kni_p_dot_general p = {.lhs_contract = {axes_of(x, summed, x->ndim, x->label, v[0]), v[0]},
                           .rhs_contract = {axes_of(y, summed, x->ndim, x->label, v[1]), v[1]},
                           .lhs_batch = {axes_of(x, batch, n_first, first, v[2]), v[2]},
                           .rhs_batch = {axes_of(y, batch, n_first, first, v[3]), v[3]},
                           .preferred_element_type = knb_type(op->b, x->a).dtype};
    knn_term z = {.a = knb_dot_general(op->b, x->a, y->a, &p)};
    for (int i = 0; i < p.lhs_batch.n; i++)
        z.label[z.ndim++] = x->label[v[2][i]];
    for (int side = 0; side < 2; side++) {
        const knn_term *t = side ? y : x;
        for (int d = 0; d < t->ndim; d++)
            if (!has(batch | summed, t->label[d]))
                z.label[z.ndim++] = t->label[d];
    }
    return order ? knn_order_term(op, &z, order) : z;
}

/* Should y come first, so that its free axes stand in front of x's? */
static bool comes_first(const knn_term *y, uint64_t both, const signed char *order, int n)
{
    for (int i = 0; i < n; i++)
        if (!has(both, order[i]))
            return has(set_of(y), order[i]);
    return false;
}

knn_term knn_contract(kna_op *op, const knn_term *x, const knn_term *y, uint64_t keep, const signed char *order)
{
    knn_term u = *x, v = *y;
    drop(op, &u, set_of(x) & ~set_of(y) & ~keep, false);
    drop(op, &v, set_of(y) & ~set_of(x) & ~keep, false);
    uint64_t both = set_of(&u) & set_of(&v), all = set_of(&u) | set_of(&v), summed = both & ~keep;
    if (kna_failed(op))
        return (knn_term){.a = KN_ATOM_NONE};
    if (!summed)
        return multiply(op, &u, &v, order);
    if (order && comes_first(&v, both, order, __builtin_popcountll(all & ~summed)))
        return dot(op, &v, &u, both & keep, summed, order);
    return dot(op, &u, &v, both & keep, summed, order);
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct sum {
    kna_op op;
    const knn_subscripts *s;
    int n;
    knn_term term[KNN_MAX_OPERANDS];
    kni_atom given; /* the last operand as it came */
} sum;

/* Diagonals are taken, and axes of extent 1 that broadcast are left out. */
static knn_term read_term(sum *q, int k, kn_array x, kn_dtype d)
{
    const knn_subscripts *s = q->s;
    knn_term t = {.a = kna_in_as(&q->op, x, d), .ndim = s->ndim[k]};
    q->given = t.a;
    memcpy(t.label, s->label[k], (size_t)t.ndim);
    for (int i = 0; i < t.ndim && !kna_failed(&q->op); i++)
        if (find(&t, t.label[i]) != i) {
            join_label(&q->op, &t, t.label[i]);
            i = -1;
        }
    uint64_t ones = 0;
    if (kna_failed(&q->op))
        return t;
    kni_type type = knb_type(q->op.b, t.a);
    for (int i = 0; i < t.ndim; i++)
        if (type.dim[i] == 1 && s->size[t.label[i]] != 1)
            ones |= (uint64_t)1 << t.label[i];
    drop(&q->op, &t, ones, true);
    return t;
}

static uint64_t needed(const sum *q)
{
    uint64_t set = knn_label_set(q->s->n_out, q->s->out);
    for (int i = 0; i < q->n; i++)
        set |= set_of(&q->term[i]);
    return set;
}

static knn_term take(sum *q, int i)
{
    knn_term t = q->term[i];
    memmove(q->term + i, q->term + i + 1, (size_t)(q->n - i - 1) * sizeof *q->term);
    q->n--;
    return t;
}

/* Takes the terms at i < j away, their product goes to the end. */
static void contract_pair(sum *q, int i, int j)
{
    knn_term y = take(q, j), x = take(q, i);
    const signed char *order = q->n ? NULL : q->s->out;
    knn_term z = knn_contract(&q->op, &x, &y, needed(q), order);
    q->term[q->n++] = z;
}

/* A step with more than two terms: pairs of them in the best order, or from left to right. */
static void contract_step(sum *q, const knn_contraction *step, bool greedy)
{
    knn_path path;
    uint64_t set[KNN_MAX_OPERANDS];
    int at[KNN_MAX_OPERANDS] = {0}, n = step->n;
    sum rest = {.n = 0, .s = q->s}; /* which labels are needed outside */
    for (int i = 0, k = 0; i < q->n; i++)
        if (k < n && step->at[k] == i)
            at[k++] = i;
        else
            rest.term[rest.n++] = q->term[i];
    for (int i = 0; i < n; i++)
        set[i] = set_of(&q->term[at[i]]);
    if (greedy)
        knn_greedy_path(n, set, needed(&rest), q->s->size, 0, false, &path);
    for (int i = 0; i + 1 < n && !kna_failed(&q->op); i++) {
        int x = greedy ? path.step[i].at[0] : i ? n - i - 1 : 0, y = greedy ? path.step[i].at[1] : i ? 0 : 1;
        int low = at[x] < at[y] ? at[x] : at[y], high = at[x] < at[y] ? at[y] : at[x];
        contract_pair(q, low, high);
        int m = 0; /* where the terms of this step are now; the new one is the last */
        for (int k = 0; k < n - i; k++)
            if (k != x && k != y)
                at[m++] = at[k] - (at[k] > low) - (at[k] > high);
        at[m] = q->n - 1;
    }
}

/* The result, if it is a view of the only operand: nothing is summed and nothing converted. */
static kn_array end_view(sum *q, kn_array x, const knn_term *t)
{
    bool other = !kna_failed(&q->op) && kna_handle_is_foreign(x); /* of another context: a copy */
    const kna_array *base = kna_failed(&q->op) || other ? NULL : kna_array_of(&q->op, x);
    if (!base)
        return kna_end(&q->op, other ? t->a : KN_ATOM_NONE);
    kna_layout l;
    kna_layout_of(base, &l);
    l.type = knb_type(q->op.b, t->a);
    for (int d = 0; d < t->ndim; d++) {
        l.stride[d] = 0;
        for (int k = 0; k < base->type.ndim; k++)
            if (q->s->label[0][k] == t->label[d])
                l.stride[d] = knx_dim_add(l.stride[d], base->stride[k]);
    }
    return kna_end_view_as(&q->op, x, q->given, t->a, &l, false);
}

static kn_array finish(sum *q, int n, const kn_array *x, kn_dtype d)
{
    kna_op *op = &q->op;
    knn_term *t = &q->term[0];
    uint64_t out = knn_label_set(q->s->n_out, q->s->out);
    bool sums = n > 1 || (set_of(t) & ~out);
    drop(op, t, set_of(t) & ~out, false);
    *t = knn_order_term(op, t, q->s->out);
    if (sums || kna_failed(op))
        return kna_end(op, kna_failed(op) ? KN_ATOM_NONE : t->a);
    kni_type type = kna_type(op, x[0]);
    if (type.weak || type.dtype != d || !q->s->n_out) /* NumPy's scalar is no view */
        return kna_end(op, t->a);
    return end_view(q, x[0], t);
}

static void check_casts(kna_op *op, int n, const kni_type *t, kn_dtype d)
{
    for (int i = 0; i < n && !kna_failed(op); i++) {
        kn_dtype from = t[i].weak ? kna_strong_dtype(t[i]) : t[i].dtype;
        if (!knx_can_cast(from, d, KN_CAST_SAFE) && !t[i].weak)
            kna_fail(
                op, KN_ERROR_TYPE,
                "Iterator operand %d dtype could not be cast from dtype('%s') to dtype('%s') according to the rule "
                "'safe'",
                i, from->name, d->name);
    }
}

static kn_array run(sum *q, const knn_path *path, int n, const kn_array *x, kn_dtype d, bool greedy)
{
    for (int k = 0; k < n && !kna_failed(&q->op); k++)
        q->term[k] = read_term(q, k, x[k], d);
    q->n = n;
    for (int i = 0; i < path->n && !kna_failed(&q->op); i++)
        if (path->step[i].n == 2)
            contract_pair(q, path->step[i].at[0], path->step[i].at[1]);
        else if (path->step[i].n > 2)
            contract_step(q, &path->step[i], greedy);
    return finish(q, n, x, d);
}

typedef struct work {
    sum q;
    knn_subscripts s;
    knn_path path;
    kni_type t[KNN_MAX_OPERANDS];
} work;

static kn_array einsum(work *w, const char *subscripts, int n, const kn_array *x, const kn_einsum_opts *o)
{
    kna_op *op = &w->q.op;
    kna_given_list(op, n, x, INT_MAX, "operands");
    for (int k = 0; k < n && k < KNN_MAX_OPERANDS && !kna_failed(op); k++)
        w->t[k] = kna_type(op, x[k]);
    kn_dtype d = kna_failed(op) || n < 1 ? NULL : kna_result_type(op, n, x);
    if (kna_failed(op) || !knn_parse_subscripts(op, subscripts, n, w->t, &w->s) || knl_not_a_number(op, "einsum", d) ||
        !knn_size_labels(op, w->t, &w->s) || !knn_choose_path(op, &w->s, o, &w->path))
        return kna_end(op, KN_ATOM_NONE);
    if (o->dtype) {
        d = kna_lookup_dtype(o->dtype, NULL);
        check_casts(op, n, w->t, d);
    }
    if (kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    w->q.s = &w->s;
    return run(&w->q, &w->path, n, x, d, o->optimize != NULL);
}

kn_array kn_einsum(const char *subscripts, int n, const kn_array *operands, const kn_einsum_opts *opts)
{
    KNX_OPTS(kn_einsum_opts, o, opts);
    work *w = knx_alloc(sizeof *w);
    kna_op op;
    if (!w) {
        kna_begin(&op, "einsum");
        kna_fail_with(&op, knx_error_nomem());
        return kna_end(&op, KN_ATOM_NONE);
    }
    memset(w, 0, sizeof *w);
    kna_begin(&w->q.op, "einsum");
    kn_array y = einsum(w, subscripts, n, operands, &o);
    knx_free(w);
    return y;
}

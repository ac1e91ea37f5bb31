/* SPDX-License-Identifier: Apache-2.0
 * matrices.c -- types, batching, running and derivatives that rows of linear algebra share. */
#include "prim/linalg/matrices.h"
#include "base/line.h"
#include "base/pool.h"
#include <stdatomic.h>

knx_error *knp_check_matrices(kni_type x, bool square)
{
    if (!knx_is_inexact(x.dtype) || x.dtype->size < 4)
        return knp_accepts(x.dtype, 0);
    if (x.ndim >= 2 && (!square || knx_dim_eq(x.dim[x.ndim - 1], x.dim[x.ndim - 2])))
        return NULL;
    knx_text t = {0};
    return knx_error_new(KN_ERROR_VALUE, "takes %smatrices in the last two dimensions, got an array of shape %s",
                         square ? "square " : "", knx_show_shape(&t, x.ndim, x.dim));
}

knp_extents knp_extents_of(kni_type t)
{
    knp_extents e = {1, t.dim[t.ndim - 2], t.dim[t.ndim - 1]};
    for (int i = 0; i < t.ndim - 2; i++)
        e.batch = knx_dim_mul(e.batch, t.dim[i]);
    return e;
}

knx_error *knp_type_behind(const kni_rule *r, kni_type x, kn_dtype d, int n, const int64_t *dim, kni_type *y)
{
    knp_dims t = knp_dims_of(x);
    t.n -= 2;
    for (int i = 0; i < n; i++)
        t.v[t.n++] = dim[i];
    return knp_type_dims(r->arena, d, false, t.n, t.v, y);
}

knx_error *knp_linalg_failure(kni_factor_check check, const char *text)
{
    knx_error *e = knx_error_new(KN_ERROR_LINALG, "%s", text);
    if (e->kind == KN_ERROR_LINALG)
        e->operation = kni_check_names[check];
    return e;
}

/* ---- Running. */

static bool is_symbolic(const kni_rule *r)
{
    for (int i = 0; i < r->n_in; i++) /* the axes in front need no memory */
        for (int k = r->xt[i].ndim < 2 ? 0 : r->xt[i].ndim - 2; k < r->xt[i].ndim; k++)
            if (knx_is_symbolic(r->xt[i].dim[k]))
                return true;
    return false;
}

static int64_t stack_of(const kni_rule *r, const knp_matrix_routine *f)
{
    return knp_extents_of(f->vectors_first ? r->xt[r->n_in - 1] : r->xt[0]).batch;
}

/* As many threads as have a matrix to work on. */
static int workers_for(int64_t batch, int threads) { return (int)(batch < threads ? batch : threads); }

/* What the routine of one matrix is told: a matrix alone has all threads. */
static kni_rule rule_of_one(const kni_rule *r, int64_t batch, int threads)
{
    kni_rule one = *r;
    one.threads = batch == 1 && threads > 1 ? threads : 1;
    return one;
}

knx_bytes knp_matrix_workspace(const kni_rule *r, const knp_matrix_routine *f)
{
    int64_t batch = is_symbolic(r) ? 0 : stack_of(r, f);
    if (!batch || knx_is_symbolic(batch)) /* of extents that are unknown the program asks again */
        return 0;
    int workers = workers_for(batch, r->threads);
    kni_rule one = rule_of_one(r, batch, r->threads);
    return (knx_bytes)(workers > 1 ? workers : 1) * knx_whole_lines(f->workspace(&one));
}

typedef struct work {
    const kni_rule *r;
    const knp_matrix_routine *f;
    const char *x[KNP_MATRIX_OPERANDS];
    char *y[KNP_MATRIX_OPERANDS], *workspace;
    size_t x_step[KNP_MATRIX_OPERANDS], y_step[KNP_MATRIX_OPERANDS], room;
    int64_t batch, parts;
    bool many;
    atomic_bool failed;
} work;

static void run_part(void *arg, int64_t part, int worker)
{
    work *w = arg;
    const void *x[KNP_MATRIX_OPERANDS];
    void *y[KNP_MATRIX_OPERANDS];
    int64_t from = w->batch * part / w->parts, to = w->batch * (part + 1) / w->parts;
    for (int64_t k = from, n; k < to; k += n) {
        for (int i = 0; i < w->r->n_in; i++)
            x[i] = w->x[i] + (size_t)k * w->x_step[i];
        for (int i = 0; i < w->r->n_out; i++)
            y[i] = w->y[i] + (size_t)k * w->y_step[i];
        void *room = w->workspace + (size_t)worker * w->room;
        n = w->many ? to - k : 1;
        if (!(w->many ? w->f->many(w->r, n, x, y, room) : w->f->one(w->r, x, y, room)))
            atomic_store_explicit(&w->failed, true, memory_order_relaxed);
    }
}

knx_error *knp_each_matrix(const kni_rule *r, const kni_routine_args *args, const knp_matrix_routine *f, bool *well)
{
    enum { PARTS = 4 /* of a worker */, FEW = 4 };
    int64_t batch = stack_of(r, f);
    kni_rule one = rule_of_one(r, batch, args->threads);
    work w = {.r = &one, .f = f, .batch = batch, .workspace = args->workspace};
    knx_buffer *own = NULL;
    *well = true;
    if (!w.batch)
        return NULL;
    int workers = workers_for(w.batch, args->threads > 1 ? args->threads : 1);
    w.parts = workers == 1 ? 1 : w.batch < PARTS * (int64_t)workers ? w.batch : PARTS * (int64_t)workers;
    if (workers > 1 || !w.workspace)
        w.room = knx_whole_lines(f->workspace(&one));
    w.many = (w.batch >= FEW || f->always_many) && f->many && f->has_many(r);
    if (!w.workspace) {
        if (!(own = knx_buffer_scratch((size_t)workers * w.room + 1)))
            return knx_error_nomem();
        w.workspace = own->data;
    }
    for (int i = 0; i < r->n_in; i++) {
        w.x[i] = args->x[i];
        w.x_step[i] = (size_t)(kni_type_size(r->xt[i]) / w.batch) * r->xt[i].dtype->size;
    }
    for (int i = 0; i < r->n_out; i++) {
        w.y[i] = args->y[i];
        w.y_step[i] = (size_t)(kni_type_size(r->yt[i]) / w.batch) * r->yt[i].dtype->size;
    }
    if (workers == 1) /* not as a part, from inside of which no routine gets threads */
        run_part(&w, 0, 0);
    else
        knx_parallel(workers, w.parts, run_part, &w);
    *well = !atomic_load_explicit(&w.failed, memory_order_relaxed);
    knx_buffer_release(own);
    return NULL;
}

/* ---- Batching. */

knx_error *knp_batch_all_in_front(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_atom x[KNP_MATRIX_OPERANDS];
    for (int i = 0; i < r->n_in; i++)
        x[i] = knp_batched_at(r, i, size, axis[i], 0);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = 0;
    knb_emit(r->b, r->prim, r->params, r->n_in, x, y, r->n_out);
    return NULL;
}

/* ---- Compositions. */

void knp_jvp_refused(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b,
             knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "Differentiation rule for '%s' not implemented", r->prim->name));
}

kni_atom knp_adjoint(kni_builder *b, kni_atom x) { return knb_conj(b, knb_swap_last(b, x)); }

kni_atom knp_product3(kni_builder *b, kni_atom x, kni_atom y, kni_atom z)
{
    return knb_matrix_product(b, knb_matrix_product(b, x, y), z);
}

kni_atom knp_diagonal(kni_builder *b, kni_atom x)
{
    int64_t last = knb_type(b, x).ndim - 1;
    return knb_reduce_sum(b, knb_on_diagonal(b, x, x, knb_like(b, x, 0)), 1, &last);
}

static kni_atom spread(kni_builder *b, kni_atom v, kni_type like, bool along_rows)
{
    int64_t axes[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < like.ndim - 1; i++)
        axes[i] = i;
    axes[like.ndim - 2] = like.ndim - (along_rows ? 1 : 2);
    return knb_broadcast_in_dim(b, v, like.ndim, like.dim, axes);
}
kni_atom knp_as_rows(kni_builder *b, kni_atom v, kni_type like) { return spread(b, v, like, true); }
kni_atom knp_as_columns(kni_builder *b, kni_atom v, kni_type like) { return spread(b, v, like, false); }

kni_atom knp_reciprocal_gaps(kni_builder *b, kni_atom v, kn_dtype d)
{
    knp_dims square = knp_dims_of(knb_type(b, v));
    if (b->error)
        return KN_ATOM_NONE;
    square.v[square.n] = square.v[square.n - 1];
    kni_type t = kni_type_of(knb_type(b, v).dtype, square.n + 1, square.v);
    kni_atom gap = knb_sub(b, knp_as_rows(b, v, t), knp_as_columns(b, v, t)), equal;
    int64_t last = square.n - 1;
    if (knx_dim_eq(square.v[last], 0))
        equal = knb_eq(b, gap, knb_like(b, gap, 0));
    else { /* what rounding leaves of equal ones */
        double rounding = knx_component(t.dtype)->size == 8 ? 0x1p-49 : 0x1p-20;
        kni_atom most = knb_expand_dims(b, knb_reduce_max(b, knb_abs(b, v), 1, &last), (int)last);
        most = knb_expand_dims(b, knb_mul(b, most, knb_like(b, most, rounding)), (int)last);
        kni_atom size = knb_abs(b, gap);
        equal = knb_le(b, size, knb_broadcast_to(b, most, knb_type(b, size)));
    }
    kni_atom one = knb_full(b, t, 1), safe = knb_select(b, equal, one, gap);
    return knb_convert(b, knb_select(b, equal, knb_full(b, t, 0), knb_div(b, one, safe)), d);
}

static kni_atom cut(kni_builder *b, kni_atom x, int from_last, int64_t from, int64_t to)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    start[t.ndim - from_last] = from;
    limit[t.ndim - from_last] = to;
    return knb_slice(b, x, start, limit, NULL);
}
kni_atom knp_columns(kni_builder *b, kni_atom x, int64_t from, int64_t to) { return cut(b, x, 1, from, to); }
kni_atom knp_rows(kni_builder *b, kni_atom x, int64_t from, int64_t to) { return cut(b, x, 2, from, to); }

void knp_spread_sides(const kni_rule *r, kni_spread *s, int i, int d)
{
    knp_spread_matrices(r, s);
    knp_spread_pair(s, r->xt[i].dim[d], i, d, 0, d);
}

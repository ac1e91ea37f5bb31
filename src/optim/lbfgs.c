/* SPDX-License-Identifier: Apache-2.0
 * lbfgs.c -- L-BFGS: the inverse of the Hessian from the last steps and what they changed of the gradient. */
#include "lib/internal.h"
#include "optim/alias.h"
#include "optim/mixed.h"
#include "prim/frame.h"

/* p[] is memory_size; flag[0]: scale_init_precond. The state: count, parameters, updates, the memories of the
 * differences of both, weights. Row k % memory_size of a memory has the difference between the steps k and k + 1. */

static void lbfgs_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {
        "count", "params", "updates", "diff_params_memory", "diff_updates_memory", "weights_memory"};
    int64_t *size = knx_arena_alloc(&l->arena, sizeof *size);
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_like(l, 0);
    kno_lay_stacked(l, (int64_t)t->p[0]);
    kno_lay_stacked(l, (int64_t)t->p[0]);
    l->failed = l->failed || !size;
    if (l->failed)
        return;
    *size = (int64_t)t->p[0];
    kno_lay(l, kni_type_of(kna_default_float(), 1, size), 0);
    kno_lay_node(l, "ScaleByLBFGSState", 6, field);
}

static void row_start(kni_builder *b, kni_atom row, int ndim, kni_atom *start)
{
    for (int d = 0; d < ndim; d++)
        start[d] = d ? knb_integer(b, KN_DT(I64), 0) : row;
}

static kni_atom read_row(kni_builder *b, kni_atom memory, kni_atom row)
{
    kni_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM];
    kni_type t = knb_type(b, memory);
    if (b->error)
        return KN_ATOM_NONE;
    row_start(b, row, t.ndim, start);
    for (int d = 0; d < t.ndim; d++)
        size[d] = d ? t.dim[d] : 1;
    return knb_reshape(b, knb_dynamic_slice(b, memory, start, size), t.ndim - 1, t.dim + 1);
}

static kni_atom with_row(kni_builder *b, kni_atom memory, kni_atom row, kni_atom x)
{
    kni_atom start[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    row_start(b, row, knb_type(b, memory).ndim, start);
    return knb_dynamic_update_slice(b, memory, knb_expand_dims(b, x, 0), start);
}

static kni_atom real_of(kni_builder *b, kni_atom x)
{
    return knx_is_complex(knb_type(b, x).dtype) ? knb_real(b, x) : x;
}

/* ---- The product with the inverse: two passes over the memories, each a scan. */

/* What a pass has: the memories and the weights as constants. */
typedef struct memories {
    int n;
    int64_t size;
    const kni_atom *params, *updates; /* one per parameter */
    kni_atom weights, order;          /* rows from the oldest to the newest */
} memories;

/* One step of a pass: the vector without a part along the difference of the updates (first), or with one along that of
 * the parameters. in: memories of parameters, of updates, weights, the vector, the row, in the second pass alpha;
 * out: the vector, in the first pass alpha. */
static void pass_step(knp_frame *f, kna_op *op, int n, bool first)
{
    kni_builder *b = &f->b;
    const kni_atom *params = f->in, *updates = f->in + n, *vector = f->in + 2 * n + 1;
    kni_atom row = vector[n];
    kno_pass s = {.op = op, .b = b, .arena = &f->arena, .n = n};
    kni_atom *at = kno_room(&s, (size_t)n, sizeof *at), *by = kno_room(&s, (size_t)n, sizeof *by);
    if (kna_failed(op) || b->error)
        return;
    for (int i = 0; i < n; i++) {
        at[i] = read_row(b, first ? params[i] : updates[i], row);
        by[i] = read_row(b, first ? updates[i] : params[i], row);
    }
    kni_atom dot = real_of(b, kno_vdot(&s, at, vector));
    kni_atom part = kno_mixed_mul(b, read_row(b, f->in[2 * n], row), dot);
    kni_atom factor = first ? knb_neg(b, part) : kno_mixed_sub(b, vector[n + 1], part);
    for (int i = 0; i < n; i++)
        f->out[i] = kno_spread(b, kno_mixed_add(b, vector[i], kno_mixed_mul(b, factor, by[i])), vector[i]);
    if (first)
        f->out[n] = part;
}

/* vector: n atoms, changed in place; *alpha: written by the first pass, read by the second one. */
static void run_pass(kno_pass *s, const memories *m, kni_atom *vector, kni_atom *alpha, bool first)
{
    int n = m->n, inputs = 3 * n + 2 + !first;
    kni_atom *in = kno_room(s, (size_t)inputs + (size_t)n + 1, sizeof *in), *y = in + inputs;
    knp_frame f;
    kni_jaxpr *j = NULL;
    if (kna_failed(s->op))
        return;
    for (int i = 0; i < n; i++) {
        in[i] = m->params[i];
        in[n + i] = m->updates[i];
        in[2 * n + 1 + i] = vector[i];
    }
    in[2 * n] = m->weights;
    in[3 * n + 1] = m->order;
    if (!first)
        in[3 * n + 2] = *alpha;
    knx_error *error = knp_frame_begin(&f, (size_t)inputs, (size_t)n + 1) ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < inputs; i++) {
        kni_type t = knb_type(s->b, in[i]);
        knp_frame_input(&f, i > 3 * n ? kni_scalar_type(t.dtype) : t);
    }
    if (!error)
        pass_step(&f, s->op, n, first);
    if (!error && !kna_failed(s->op))
        error = knp_frame_finish(&f, (uint32_t)(n + first), f.out, first ? "right_product" : "left_product", &j);
    knp_frame_end(&f);
    if (error)
        kna_fail_with(s->op, error);
    if (!j)
        return;
    kni_p_scan p = {
        .jaxpr = j, .length = m->size, .num_carry = n, .num_consts = 2 * n + 1, .reverse = first, .unroll = 1};
    knb_scan(s->b, &p, in, y);
    kni_release(j);
    for (int i = 0; i < n; i++)
        vector[i] = y[i];
    if (first)
        *alpha = y[n];
}

/* ---- A step. */

/* (count + offset) % size for offset >= 0, an int64 */
static kni_atom row_of(kni_builder *b, kni_atom count, int64_t size)
{
    kni_atom wide = knb_convert(b, count, KN_DT(I64));
    return knb_rem(b, wide, knb_integer(b, KN_DT(I64), size));
}

/* The rows from the oldest to the newest. */
static kni_atom rows_in_order(kni_builder *b, kni_atom oldest, int64_t size)
{
    kni_atom row = knb_add(b, knb_iota(b, KN_DT(I64), 1, &size, 0), oldest);
    return knb_rem(b, row, knb_integer(b, KN_DT(I64), size));
}

/* 1 / |gradient| and at most 1 for the first step, then what the last one says of the curvature. */
static kni_atom first_scale(kno_pass *s, kni_atom later, kni_atom dot, const kni_atom *du)
{
    kni_builder *b = s->b;
    kni_atom below = kno_norm_squared(s, du), norm = knb_sqrt(b, kno_norm_squared(s, s->u));
    kni_atom ratio = knb_div(b, dot, kno_spread(b, below, dot));
    kni_atom curved = knb_gt(b, below, knb_like(b, below, 0));
    ratio = knb_select(b, curved, ratio, knb_like(b, ratio, 1));
    kni_atom capped = knb_min(b, knb_like(b, norm, 1), knb_div(b, knb_like(b, norm, 1), norm));
    return knb_select(b, later, ratio, kno_spread(b, capped, ratio));
}

static kni_atom zero_unless(kni_builder *b, kni_atom later, kni_atom x)
{
    return kno_where(b, later, x, knb_zeros(b, knb_type(b, x)));
}

static void lbfgs_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    int64_t size = (int64_t)t->p[0];
    const kni_atom *old = s->state + 1;
    kni_atom count = s->state[0], *new = s->next + 1;
    kni_atom *dw = kno_room(s, (size_t)n, sizeof *dw), *du = kno_room(s, (size_t)n, sizeof *du);
    if (kna_failed(s->op))
        return;
    kni_atom later = knb_gt(b, count, knb_like(b, count, 0));
    for (int i = 0; i < n; i++) {
        dw[i] = knb_sub(b, s->param[i], old[i]);
        du[i] = knb_sub(b, s->u[i], old[n + i]);
    }
    kni_atom dot = real_of(b, kno_vdot(s, du, dw)), zero = knb_like(b, dot, 0);
    kni_atom weight = knb_select(b, knb_eq(b, dot, zero), zero, knb_div(b, knb_like(b, dot, 1), dot));
    weight = knb_select(b, later, weight, zero);
    kni_atom before = knb_select(b, later, kno_plus(b, count, -1), knb_integer(b, KN_DT(I32), (int32_t)size - 1));
    kni_atom row = row_of(b, before, size);
    for (int i = 0; i < n; i++) {
        dw[i] = zero_unless(b, later, dw[i]);
        du[i] = zero_unless(b, later, du[i]);
        new[i] = s->param[i];
        new[n + i] = s->u[i];
        new[2 * n + i] = with_row(b, old[2 * n + i], row, dw[i]);
        new[3 * n + i] = with_row(b, old[3 * n + i], row, du[i]);
    }
    new[4 * n] = with_row(b, old[4 * n], row, kno_spread(b, weight, old[4 * n]));
    s->next[0] = kno_next_count(b, count);
    memories m = {n, size, new + 2 * n, new + 3 * n, new[4 * n], rows_in_order(b, row_of(b, count, size), size)};
    kni_atom alpha = KN_ATOM_NONE;
    kni_atom scale = t->flag[0] ? first_scale(s, later, real_of(b, kno_vdot(s, du, dw)), du) : KN_ATOM_NONE;
    run_pass(s, &m, s->u, &alpha, true);
    for (int i = 0; i < n && scale != KN_ATOM_NONE; i++)
        s->u[i] = kno_mixed_mul(b, scale, s->u[i]);
    run_pass(s, &m, s->u, &alpha, false);
    for (int i = 0; i < n; i++)
        s->u[i] = knb_convert(b, s->u[i], s->type[i].dtype);
    s->state += 4 * n + 2;
    s->next += 4 * n + 2;
}

const kno_rule kno_lbfgs = {"scale_by_lbfgs", true, lbfgs_layout, lbfgs_update};

/* ---- Handles. */

static kno_transform *lbfgs_part(kna_op *op, int memory_size, bool scale_init_precond)
{
    if (memory_size < 1)
        kna_fail(op, KN_ERROR_VALUE, "memory_size must be >= 1, but is %d", memory_size);
    return kno_flagged(KNO_NEW(kno_lbfgs, memory_size), scale_init_precond, false, false);
}

kn_optimizer kn_optim_scale_by_lbfgs(const kn_optim_scale_by_lbfgs_opts *opts)
{
    BEGIN(scale_by_lbfgs);
    return kno_finish(&op, lbfgs_part(&op, o.memory_size, o.scale_init_precond));
}

kn_optimizer kn_optim_lbfgs(const kn_optim_lbfgs_opts *opts)
{
    enum { STEPS = 20 };
    BEGIN(lbfgs);
    bool rated = o.learning_rate_array || o.learning_rate_schedule || !isnan(o.learning_rate);
    kno_transform *given = o.linesearch ? kno_retain(kno_get(&op, o.linesearch)) : NULL;
    kno_transform *search = o.linesearch ? given : kno_zoom_search(STEPS);
    END(lbfgs_part(&op, o.memory_size, o.scale_init_precond), rated ? RATE() : KNO_NEW(kno_scale, -1), search);
}

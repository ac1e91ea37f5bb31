/* SPDX-License-Identifier: Apache-2.0
 * galore.c -- galore of optax.contrib (Zhao et al. 2024): another optimizer sees gradients of matrices through a
 * projection to low rank, made of the gradient's singular vectors every so many steps; its state is of that size. */
#include "optim/alias.h"
#include "optim/optimizer.h"
#include <limits.h>
#include <string.h>

/* ---- A parameter as a matrix. */

typedef struct matrix {
    bool projected; /* else it stays as it is */
    int ndim;       /* of the parameter; its axes in the matrix's order, and back */
    int64_t order[KN_MAX_NDIM], back[KN_MAX_NDIM], ordered[KN_MAX_NDIM];
    int64_t side[2], rank;
    bool left; /* the projection is from the left: rows are no fewer than columns */
} matrix;

static const kn_optim_galore_dimension_numbers none, usual = {.reduction_axis = {{2}, {0}}, .output_axis = {{2}, {1}}};

static kn_optim_galore_dimension_numbers sides_for(const kno_transform *t, int i, int ndim)
{
    if (!t->n_sides)
        return ndim == 2 ? usual : none;
    if (t->n_sides == 1)
        return ndim >= 2 ? t->sides[0] : none;
    return t->sides[i];
}

/* Adds a side's axes to the order: how many dimensions the matrix has so far are in *n. */
static knx_error *add_side(matrix *x, kn_axes axes, kni_type type, int *n, int side)
{
    int from = *n;
    for (int i = 0; i < axes.n - 1; i++) {
        int axis = axes.axis[i] < 0 ? axes.axis[i] + type.ndim : axes.axis[i];
        if (axis < 0 || axis >= type.ndim)
            return knx_error_new(KN_ERROR_VALUE, "axis %d is out of bounds for array of dimension %d", axes.axis[i],
                                 type.ndim);
        for (int k = 0; k < *n; k++)
            if (x->order[k] == axis)
                return knx_error_new(KN_ERROR_VALUE,
                                     "Reduction axes and output axes must be disjoint, but axis %d is "
                                     "there twice",
                                     axis);
        x->back[axis] = *n;
        x->ordered[*n] = type.dim[axis];
        x->order[(*n)++] = axis;
    }
    x->side[side] = knx_dim_size(*n - from, x->ordered + from);
    return NULL;
}

/* How parameter i is a matrix. */
static knx_error *matrix_of(const kno_transform *t, int i, kni_type type, matrix *x)
{
    memset(x, 0, sizeof *x);
    x->ndim = type.ndim;
    kn_optim_galore_dimension_numbers sides = sides_for(t, i, type.ndim);
    if (!sides.reduction_axis.n && !sides.output_axis.n)
        return NULL;
    if (type.ndim < 2)
        return knx_error_new(KN_ERROR_VALUE, "GaLore requires tensors with rank >= 2, but parameter %d has %d", i,
                             type.ndim);
    int n = 0;
    KN_TRY(add_side(x, sides.reduction_axis.n ? sides.reduction_axis : usual.reduction_axis, type, &n, 0));
    KN_TRY(add_side(x, sides.output_axis.n ? sides.output_axis : usual.output_axis, type, &n, 1));
    if (n != type.ndim)
        return knx_error_new(KN_ERROR_VALUE,
                             "All axes must be specified: reduction and output are %d of the %d axes of parameter %d",
                             n, type.ndim, i);
    x->left = knx_dim_le(x->side[1], x->side[0]);
    x->rank = knx_dim_min(knx_dim_min((int64_t)t->p[0], x->side[0]), x->side[1]);
    x->projected = true;
    return NULL;
}

static kni_atom as_matrix(kni_builder *b, const matrix *x, kni_atom g)
{
    return knb_reshape(b, knb_transpose(b, g, x->order), 2, x->side);
}

static kni_atom from_matrix(kni_builder *b, const matrix *x, kni_atom g)
{
    return knb_transpose(b, knb_reshape(b, g, x->ndim, x->ordered), x->back);
}

/* The types of what the child sees, and of the projection, as sizes that dim has room for. */
static kni_type proxy_type(const matrix *x, kni_type own, int64_t dim[2])
{
    dim[0] = x->left ? x->rank : x->side[0];
    dim[1] = x->left ? x->side[1] : x->rank;
    return x->projected ? kni_type_of(own.dtype, 2, dim) : own;
}

static kni_type projector_type(const matrix *x, kni_type own, int64_t dim[2])
{
    dim[0] = !x->projected ? 0 : x->left ? x->side[0] : x->side[1];
    dim[1] = x->projected ? x->rank : 0;
    return kni_type_of(own.dtype, 2, dim);
}

/* ---- The rule: p[] is rank, update_proj_gap, scale. */

enum { RANK, GAP, SCALE };

static void galore_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "base_optimizer_state", "projector"};
    int n = l->n;
    const kni_type *own = l->type;
    kni_type *type = knx_arena_alloc(&l->arena, 2 * ((size_t)n + 1) * sizeof *type);
    int64_t(*dim)[2] = knx_arena_alloc(&l->arena, 2 * ((size_t)n + 1) * sizeof *dim);
    l->failed = l->failed || !type || !dim;
    if (!l->failed && t->n_sides > 1 && t->n_sides != n)
        kno_lay_wrong(
            l, knx_error_new(KN_ERROR_VALUE, "there are %d weight_dimension_numbers for %d parameters", t->n_sides, n));
    for (int i = 0; i < n && !l->failed; i++) {
        matrix x;
        knx_error *e = matrix_of(t, i, own[i], &x);
        if (e)
            kno_lay_wrong(l, e);
        type[i] = proxy_type(&x, own[i], dim[i]);
        type[n + i] = projector_type(&x, own[i], dim[n + i]);
    }
    kno_lay_scalar(l, KN_DT(I32));
    size_t first = l->entry.n;
    l->type = type;
    if (!l->failed)
        t->child[0]->rule->layout(l, t->child[0]);
    /* To the child parameters are zeros of the projected shape. */
    for (size_t i = first; i < l->entry.n && !l->failed; i++) {
        kno_entry *e = &l->entry.at[i];
        if (e->first == KNO_PARAMETER)
            e->fill = 0;
        if (e->first != KNO_VECTOR)
            e->first = KNO_NUMBER;
    }
    l->type = l->failed ? own : type + n;
    kno_lay_like(l, 0);
    l->type = own;
    kno_lay_node(l, "GaLoreState", 3, field);
}

/* Singular vectors of the gradient, which is rounded to float32 for that. */
static kni_atom singular_vectors(kni_builder *b, const matrix *x, kni_atom g)
{
    kn_dtype d = knb_type(b, g).dtype;
    kni_atom y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    g = knx_is_complex(d) ? knb_real(b, g) : g;
    knb_svd(b, knb_convert(b, g, KN_DT(F32)), &(kni_p_svd){.compute_uv = true}, y);
    const int64_t to[2] = {x->left ? x->side[0] : x->rank, x->left ? x->rank : x->side[1]}, from[2] = {0, 0};
    kni_atom some = knb_slice(b, x->left ? y[1] : y[2], from, to, NULL);
    return knb_convert(b, x->left ? some : knb_swap_last(b, some), d);
}

/* What becomes of the projection: of operands gradient and projection. */
static kni_jaxpr *branch_of(kni_builder *outer, const matrix *x, const kni_atom *operand, bool anew)
{
    kni_builder b;
    kni_atom in[2];
    knb_init(&b);
    for (int i = 0; i < 2; i++)
        in[i] = knb_invar(&b, knb_type(outer, operand[i]));
    kni_atom y = anew ? singular_vectors(&b, x, in[0]) : knb_copy(&b, in[1]);
    return knb_finish_for(outer, &b, 1, &y);
}

/* The projection for this step: a new one is computed only where it is due. */
static kni_atom projector(kni_builder *b, const matrix *x, kni_atom due, kni_atom g, kni_atom old)
{
    if (knx_dim_eq(x->rank, 0) || b->error)
        return old;
    const kni_atom in[3] = {due, g, old};
    kni_jaxpr *branch[2] = {branch_of(b, x, in + 1, false), branch_of(b, x, in + 1, true)};
    kni_atom new = KN_ATOM_NONE;
    if (branch[0] && branch[1])
        knb_cond(b, &(kni_p_cond){.branches = {2, branch}}, in, &new);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return new;
}

static kni_atom projected(kni_builder *b, const matrix *x, kni_atom g, kni_atom p)
{
    return x->left ? knb_matrix_product(b, knb_swap_last(b, p), g) : knb_matrix_product(b, g, p);
}

static kni_atom projected_back(kni_builder *b, const matrix *x, kni_atom u, kni_atom p)
{
    return x->left ? knb_matrix_product(b, p, u) : knb_matrix_product(b, u, knb_swap_last(b, p));
}

static void galore_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kno_pass in = *s;
    matrix *x = kno_room(s, (size_t)n, sizeof *x);
    kni_type *type = kno_room(s, (size_t)n, sizeof *type);
    int64_t(*dim)[2] = kno_room(s, (size_t)n, sizeof *dim);
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        knx_error *e = matrix_of(t, i, s->type[i], &x[i]);
        if (e)
            kna_fail_with(s->op, e);
        else
            type[i] = proxy_type(&x[i], s->type[i], dim[i]);
    }
    if (kna_failed(s->op))
        return;
    in.type = type;
    in.param = in.hessian = NULL;
    in.value = KN_ATOM_NONE;
    kni_atom count = kno_take(&in), due = knb_rem(b, count, knb_like(b, count, t->p[GAP]));
    due = knb_convert(b, knb_eq(b, due, knb_like(b, due, 0)), KN_DT(I32));
    kno_put(&in, kno_next_count(b, count));
    int inner = kno_state_size(&in, t->child[0]);
    const kni_atom *old = in.state + inner;
    kni_atom *new = in.next + inner;
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        kni_atom g = x[i].projected ? as_matrix(b, &x[i], s->u[i]) : s->u[i];
        new[i] = x[i].projected ? projector(b, &x[i], due, g, old[i]) : old[i];
        s->u[i] = x[i].projected ? projected(b, &x[i], g, new[i]) : g;
    }
    if (kna_failed(s->op))
        return;
    kno_update(&in, t->child[0]);
    for (int i = 0; i < n && !kna_failed(s->op); i++)
        if (x[i].projected)
            s->u[i] = kno_times(b, t->p[SCALE], from_matrix(b, &x[i], projected_back(b, &x[i], s->u[i], new[i])));
    s->state = old + n;
    s->next = new + n;
}

const kno_rule kno_galore = {"scale_by_galore", false, galore_layout, galore_update};

/* ---- Handles. */

static kno_transform *make(kna_op *op, const kn_optim_scale_by_galore_opts *o)
{
    int n = o->weight_dimension_numbers ? o->weight_dimension_numbers->n : 0;
    const kn_optim_galore_dimension_numbers *sides = n ? o->weight_dimension_numbers->v : NULL;
    if (o->rank <= 0)
        kna_fail(op, KN_ERROR_VALUE, "`rank` must be positive, got %lld", (long long)o->rank);
    if (o->update_proj_gap < 1 || o->update_proj_gap > INT32_MAX)
        kna_fail(op, KN_ERROR_VALUE, "update_proj_gap must be >= 1 and an int32, but is %lld",
                 (long long)o->update_proj_gap);
    if (n < 0 || (n && !sides))
        kna_fail(op, KN_ERROR_VALUE, "there are %d weight_dimension_numbers", n);
    for (int i = 0; i < n && !kna_failed(op); i++)
        if (kna_axes_fit(op, sides[i].reduction_axis, "reduction_axis"))
            kna_axes_fit(op, sides[i].output_axis, "output_axis");
    if (kna_failed(op))
        return NULL;
    kno_transform *t = o->base_optimizer ? kno_around(op, &kno_galore, o->base_optimizer) : NULL;
    if (!o->base_optimizer) {
        kno_transform *adam = adam_part(0.9, 0.999, 1e-8, 0, false);
        t = adam ? kno_new(&kno_galore, 1, &adam) : NULL;
    }
    t = kno_with(t, (const double[KNO_NUMBERS]){(double)o->rank, (double)o->update_proj_gap, o->scale});
    if (!t || !n)
        return t;
    t->sides = knx_alloc((size_t)n * sizeof *sides);
    if (!t->sides) {
        kno_release(t);
        return NULL;
    }
    memcpy(t->sides, sides, (size_t)n * sizeof *sides);
    t->n_sides = n;
    return t;
}

kn_optimizer kn_optim_scale_by_galore(const kn_optim_scale_by_galore_opts *opts)
{
    BEGIN(scale_by_galore);
    return kno_finish(&op, make(&op, &o));
}

kn_optimizer kn_optim_galore(const kn_optim_galore_opts *opts)
{
    BEGIN(galore);
    kno_transform *rate = RATE(), *decay = DECAY();
    kno_transform *low =
        make(&op, &(kn_optim_scale_by_galore_opts){.rank = o.rank,
                                                   .update_proj_gap = o.update_proj_gap,
                                                   .scale = o.scale,
                                                   .base_optimizer = o.base_optimizer,
                                                   .weight_dimension_numbers = o.weight_dimension_numbers});
    END(low, decay, rate);
}

/* SPDX-License-Identifier: Apache-2.0
 * reference_arrays.c -- what the primitives on whole arrays mean: each element of the result by its index, as the
 * definitions of jax.lax say it. Nothing here is fast. */
#include "cases.h"

#include <math.h>
#include <string.h>

static bool among(kni_ints v, int64_t k)
{
    for (int i = 0; i < v.n; i++)
        if (v.v[i] == k)
            return true;
    return false;
}

void ref_convert(call *c)
{
    const kni_p_convert *p = c->params;
    kn_dtype to = p->new_dtype;
    tensor *y = result(c, to, c->x[0].ndim, c->x[0].dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = (p->wraps ? num_convert : num_saturate)(c->x[0].dtype, c->x[0].at[i], to);
}

void ref_bitcast(call *c)
{
    kn_dtype to = ((const kni_p_bitcast *)c->params)->new_dtype;
    tensor *y = result(c, to, c->x[0].ndim, c->x[0].dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = tensor_load(to, tensor_at(&c->x[0], i));
}

void ref_bitcast_last_axis(call *c)
{
    kn_dtype to = ((const kni_p_bitcast *)c->params)->new_dtype;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    memcpy(dim, x->dim, sizeof dim);
    dim[x->ndim - 1] = dim[x->ndim - 1] * x->dtype->size / to->size;
    tensor *y = result(c, to, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = tensor_load(to, (const char *)x->data + i * to->size);
}

/* --- views ------------------------------------------------------------------------------------ */

void ref_broadcast_in_dim(call *c)
{
    const kni_p_broadcast_in_dim *p = c->params;
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, p->shape.n, p->shape.v);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], from[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < x->ndim; k++)
            from[k] = x->dim[k] == 1 ? 0 : at[p->broadcast_dimensions.v[k]];
        y->at[i] = x->at[tensor_offset(x, from)];
    }
}

void ref_reshape(call *c)
{
    const kni_p_reshape *p = c->params;
    tensor *y = result(c, c->x[0].dtype, p->new_sizes.n, p->new_sizes.v);
    memcpy(y->at, c->x[0].at, (size_t)y->n * sizeof *y->at);
}

void ref_squeeze(call *c)
{
    const kni_p_dims *p = c->params;
    int64_t dim[MAX_RANK];
    int n = 0;
    for (int k = 0; k < c->x[0].ndim; k++)
        if (!among(p->dimensions, k))
            dim[n++] = c->x[0].dim[k];
    tensor *y = result(c, c->x[0].dtype, n, dim);
    memcpy(y->at, c->x[0].at, (size_t)y->n * sizeof *y->at);
}

void ref_transpose(call *c)
{
    kni_ints perm = ((const kni_p_transpose *)c->params)->permutation;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    for (int k = 0; k < perm.n; k++)
        dim[k] = x->dim[perm.v[k]];
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], from[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < perm.n; k++)
            from[perm.v[k]] = at[k];
        y->at[i] = x->at[tensor_offset(x, from)];
    }
}

void ref_rev(call *c)
{
    const kni_p_dims *p = c->params;
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < x->ndim; k++)
            at[k] = among(p->dimensions, k) ? x->dim[k] - 1 - at[k] : at[k];
        y->at[i] = x->at[tensor_offset(x, at)];
    }
}

void ref_slice(call *c)
{
    const kni_p_slice *p = c->params;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK], step[MAX_RANK];
    for (int k = 0; k < x->ndim; k++) {
        step[k] = p->strides.n ? p->strides.v[k] : 1;
        dim[k] = 0;
        for (int64_t i = p->start_indices.v[k]; i < p->limit_indices.v[k]; i += step[k])
            dim[k]++;
    }
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < x->ndim; k++)
            at[k] = p->start_indices.v[k] + step[k] * at[k];
        y->at[i] = x->at[tensor_offset(x, at)];
    }
}

/* --- arrays put together ---------------------------------------------------------------------- */

void ref_concatenate(call *c)
{
    int d = (int)((const kni_p_concatenate *)c->params)->dimension;
    int64_t dim[MAX_RANK];
    memcpy(dim, c->x[0].dim, sizeof dim);
    for (int i = 1; i < c->n_in; i++)
        dim[d] += c->x[i].dim[d];
    tensor *y = result(c, c->x[0].dtype, c->x[0].ndim, dim);
    int64_t begin = 0;
    for (int i = 0; i < c->n_in; begin += c->x[i++].dim[d])
        for (int64_t j = 0; j < c->x[i].n; j++) {
            int64_t at[MAX_RANK];
            tensor_index(&c->x[i], j, at);
            at[d] += begin;
            y->at[tensor_offset(y, at)] = c->x[i].at[j];
        }
}

void ref_split(call *c)
{
    const kni_p_split *p = c->params;
    const tensor *x = &c->x[0];
    int64_t begin = 0, dim[MAX_RANK];
    for (int i = 0; i < p->sizes.n; begin += p->sizes.v[i++]) {
        memcpy(dim, x->dim, sizeof dim);
        dim[p->axis] = p->sizes.v[i];
        tensor *y = result(c, x->dtype, x->ndim, dim);
        for (int64_t k = 0; k < y->n; k++) {
            int64_t at[MAX_RANK];
            tensor_index(y, k, at);
            at[p->axis] += begin;
            y->at[k] = x->at[tensor_offset(x, at)];
        }
    }
}

/* The index with one more, or one less, entry at the axis. */
static void with_axis(const int64_t *at, int n, int64_t axis, int64_t value, int64_t *to)
{
    for (int64_t k = 0; k <= n; k++)
        to[k] = k == axis ? value : at[k - (k > axis)];
}

void ref_stack(call *c)
{
    int64_t axis = ((const kni_p_axis *)c->params)->axis, dim[MAX_RANK];
    with_axis(c->x[0].dim, c->x[0].ndim, axis, c->n_in, dim);
    tensor *y = result(c, c->x[0].dtype, c->x[0].ndim + 1, dim);
    for (int i = 0; i < c->n_in; i++)
        for (int64_t k = 0; k < c->x[i].n; k++) {
            int64_t at[MAX_RANK], to[MAX_RANK];
            tensor_index(&c->x[i], k, at);
            with_axis(at, c->x[i].ndim, axis, i, to);
            y->at[tensor_offset(y, to)] = c->x[i].at[k];
        }
}

void ref_unstack(call *c)
{
    int64_t axis = ((const kni_p_axis *)c->params)->axis, dim[MAX_RANK];
    const tensor *x = &c->x[0];
    for (int k = 0, n = 0; k < x->ndim; k++)
        if (k != axis)
            dim[n++] = x->dim[k];
    for (int64_t i = 0; i < x->dim[axis]; i++) {
        tensor *y = result(c, x->dtype, x->ndim - 1, dim);
        for (int64_t k = 0; k < y->n; k++) {
            int64_t at[MAX_RANK], from[MAX_RANK];
            tensor_index(y, k, at);
            with_axis(at, y->ndim, axis, i, from);
            y->at[k] = x->at[tensor_offset(x, from)];
        }
    }
}

void ref_tile(call *c)
{
    const kni_p_tile *p = c->params;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    for (int k = 0; k < x->ndim; k++)
        dim[k] = x->dim[k] * p->reps.v[k];
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < x->ndim; k++)
            at[k] %= x->dim[k];
        y->at[i] = x->at[tensor_offset(x, at)];
    }
}

void ref_pad(call *c)
{
    const kni_p_pad *p = c->params;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    for (int k = 0; k < x->ndim; k++)
        dim[k] = p->lo.v[k] + p->hi.v[k] + x->dim[k] + (x->dim[k] > 1 ? x->dim[k] - 1 : 0) * p->interior.v[k];
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = c->x[1].at[0];
    for (int64_t i = 0; i < x->n; i++) {
        int64_t at[MAX_RANK];
        bool inside = true;
        tensor_index(x, i, at);
        for (int k = 0; k < x->ndim; k++) {
            at[k] = p->lo.v[k] + at[k] * (p->interior.v[k] + 1);
            inside &= at[k] >= 0 && at[k] < dim[k];
        }
        if (inside)
            y->at[tensor_offset(y, at)] = x->at[i];
    }
}

void ref_dim_as_value(call *c)
{
    result(c, KN_DT(I64), 0, NULL)->at[0] = of_int(KN_DT(I64), (uint64_t)((const kni_p_dim *)c->params)->dim);
}

void ref_iota(call *c)
{
    const kni_p_iota *p = c->params;
    tensor *y = result(c, p->dtype, p->shape.n, p->shape.v);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(y, i, at);
        num v = {.bits = (uint64_t)at[p->dimension]};
        y->at[i] = knx_is_inexact(p->dtype) ? (num){.re = (long double)at[p->dimension]} : of_int(p->dtype, v.bits);
    }
}

/* --- reductions ------------------------------------------------------------------------------- */

typedef num combine_fn(kn_dtype d, num a, num b);

/* Joins the elements of x along the axes, one after the other. */
static void reduce(call *c, combine_fn *combine, num identity)
{
    kni_ints axes = ((const kni_p_reduce *)c->params)->axes;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    int kept[MAX_RANK], n = 0;
    for (int k = 0; k < x->ndim; k++)
        if (!among(axes, k)) {
            kept[n] = k;
            dim[n++] = x->dim[k];
        }
    tensor *y = result(c, x->dtype, n, dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = identity;
    for (int64_t i = 0; i < x->n; i++) {
        int64_t at[MAX_RANK], to[MAX_RANK];
        tensor_index(x, i, at);
        for (int k = 0; k < n; k++)
            to[k] = at[kept[k]];
        num *sum = &y->at[tensor_offset(y, to)];
        *sum = combine(x->dtype, *sum, x->at[i]);
    }
}

static num join_sum(kn_dtype d, num a, num b) /* scale: what the rounding errors of any order are small against */
{
    if (!knx_is_inexact(d))
        return num_add(d, a, b);
    return (num){.re = a.re + b.re, .im = a.im + b.im, .scale = a.scale + hypotl(b.re, b.im)};
}

static num join_max(kn_dtype d, num a, num b)
{
    if (num_is_nan(d, a) || num_is_nan(d, b))
        return num_is_nan(d, a) ? a : b;
    return num_less(d, a, b) ? b : a;
}

static num join_min(kn_dtype d, num a, num b)
{
    if (num_is_nan(d, a) || num_is_nan(d, b))
        return num_is_nan(d, a) ? a : b;
    return num_less(d, b, a) ? b : a;
}

static num join_and(kn_dtype d, num a, num b) { return of_int(d, a.bits & b.bits); }
static num join_or(kn_dtype d, num a, num b) { return of_int(d, a.bits | b.bits); }

static num join_xor(kn_dtype d, num a, num b) { return of_int(d, a.bits ^ b.bits); }

static num join_prod(kn_dtype d, num a, num b)
{
    if (!knx_is_inexact(d))
        return num_mul(d, a, b);
    if (!knx_is_complex(d))
        return (num){.re = a.re * b.re};
    return (num){.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re};
}

static uint64_t lowest(kn_dtype d)
{
    return d->kind == KN_KIND_INT ? (uint64_t)0 - ((uint64_t)1 << (8 * d->size - 1)) : 0;
}
static uint64_t highest(kn_dtype d) { return of_int(d, ~lowest(d)).bits; }

void ref_reduce_sum(call *c) { reduce(c, join_sum, (num){0}); }
void ref_reduce_max(call *c) { reduce(c, join_max, (num){.re = -INFINITY, .bits = lowest(c->x[0].dtype)}); }
void ref_reduce_min(call *c) { reduce(c, join_min, (num){.re = INFINITY, .bits = highest(c->x[0].dtype)}); }
void ref_reduce_and(call *c) { reduce(c, join_and, of_int(c->x[0].dtype, ~(uint64_t)0)); }
void ref_reduce_or(call *c) { reduce(c, join_or, (num){0}); }
void ref_reduce_xor(call *c) { reduce(c, join_xor, (num){0}); }
void ref_reduce_prod(call *c) { reduce(c, join_prod, (num){.re = 1, .bits = 1}); }

/* The first NaN, else the first of the elements that no other is better than. */
static void arg_reduce(call *c, bool greatest)
{
    const kni_p_argreduce *p = c->params;
    const tensor *x = &c->x[0];
    int axis = (int)p->axes.v[0], n = 0;
    int64_t dim[MAX_RANK];
    for (int k = 0; k < x->ndim; k++)
        if (k != axis)
            dim[n++] = x->dim[k];
    tensor *y = result(c, p->index_dtype, n, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], from[MAX_RANK], best = 0;
        num value = {0};
        tensor_index(y, i, at);
        for (int64_t k = 0; k < x->dim[axis]; k++) {
            for (int a = 0, b = 0; a < x->ndim; a++)
                from[a] = a == axis ? k : at[b++];
            num v = x->at[tensor_offset(x, from)];
            bool better = greatest ? num_less(x->dtype, value, v) : num_less(x->dtype, v, value);
            if (k == 0 || (!num_is_nan(x->dtype, value) && (num_is_nan(x->dtype, v) || better))) {
                value = v;
                best = k;
            }
        }
        y->at[i] = of_int(p->index_dtype, (uint64_t)best);
    }
}

void ref_argmax(call *c) { arg_reduce(c, true); }
void ref_argmin(call *c) { arg_reduce(c, false); }

/* --- dot_general ------------------------------------------------------------------------------ */

/* The axes of x that are neither batch nor contracted; their number. */
static int free_axes(const tensor *x, kni_ints batch, kni_ints contract, int *axis)
{
    int n = 0;
    for (int k = 0; k < x->ndim; k++)
        if (!among(batch, k) && !among(contract, k))
            axis[n++] = k;
    return n;
}

/* The result is of other integers than the operands where a dtype is preferred: sums are modulo its size. */
num num_dot_step(kn_dtype to, num sum, num a, num b)
{
    if (to->kind == KN_KIND_BOOL)
        return (num){.bits = sum.bits | (a.bits & b.bits)};
    if (!knx_is_inexact(to))
        return of_int(to, sum.bits + a.bits * b.bits);
    return (num){
        .re = sum.re + a.re * b.re - a.im * b.im,
        .im = sum.im + a.re * b.im + a.im * b.re,
        .scale = sum.scale + hypotl(a.re, a.im) * hypotl(b.re, b.im),
    };
}

void ref_dot_general(call *c)
{
    const kni_p_dot_general *p = c->params;
    const tensor *a = &c->x[0], *b = &c->x[1];
    int fa[MAX_RANK], fb[MAX_RANK], na = free_axes(a, p->lhs_batch, p->lhs_contract, fa);
    int nb = free_axes(b, p->rhs_batch, p->rhs_contract, fb), n = 0;
    int64_t dim[MAX_RANK], steps[MAX_RANK];
    for (int k = 0; k < p->lhs_batch.n; k++)
        dim[n++] = a->dim[p->lhs_batch.v[k]];
    for (int k = 0; k < na; k++)
        dim[n++] = a->dim[fa[k]];
    for (int k = 0; k < nb; k++)
        dim[n++] = b->dim[fb[k]];
    for (int k = 0; k < p->lhs_contract.n; k++)
        steps[k] = a->dim[p->lhs_contract.v[k]];
    tensor *y = result(c, p->preferred_element_type ? p->preferred_element_type : a->dtype, n, dim);
    tensor run = tensor_wide(c->arena, KN_DT(BOOL), p->lhs_contract.n, steps);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], ia[MAX_RANK], ib[MAX_RANK], step[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < p->lhs_batch.n; k++)
            ia[p->lhs_batch.v[k]] = ib[p->rhs_batch.v[k]] = at[k];
        for (int k = 0; k < na; k++)
            ia[fa[k]] = at[p->lhs_batch.n + k];
        for (int k = 0; k < nb; k++)
            ib[fb[k]] = at[p->lhs_batch.n + na + k];
        for (int64_t s = 0; s < run.n; s++) {
            tensor_index(&run, s, step);
            for (int k = 0; k < p->lhs_contract.n; k++)
                ia[p->lhs_contract.v[k]] = ib[p->rhs_contract.v[k]] = step[k];
            y->at[i] = num_dot_step(y->dtype, y->at[i], a->at[tensor_offset(a, ia)], b->at[tensor_offset(b, ib)]);
        }
    }
}

/* --- sort ------------------------------------------------------------------------------------- */

static bool sorts_before(kn_dtype d, num a, num b)
{
    return num_less(d, a, b) || (num_is_nan(d, b) && !num_is_nan(d, a));
}

/* Does position i come before j in this line? Keys one after the other. */
static bool line_before(const call *c, int num_keys, int64_t i, int64_t j)
{
    for (int k = 0; k < num_keys; k++) {
        const tensor *x = &c->x[k];
        if (sorts_before(x->dtype, x->at[i], x->at[j]))
            return true;
        if (sorts_before(x->dtype, x->at[j], x->at[i]))
            return false;
    }
    return false;
}

/* Lines along a dimension, and positions of a line in order; a line begins at `begin`, and goes on in steps. */
typedef struct ordered_lines {
    int64_t length, stride, lines, *order;
} ordered_lines;

static ordered_lines lines_along(call *c, int64_t dimension)
{
    const tensor *x = &c->x[0];
    ordered_lines l = {.length = x->dim[dimension], .stride = 1};
    for (int k = (int)dimension + 1; k < x->ndim; k++)
        l.stride *= x->dim[k];
    l.lines = l.length ? x->n / l.length : 0;
    l.order = tensor_alloc(c->arena, ((size_t)l.length + 1) * sizeof *l.order);
    return l;
}

/* Insertion, from the end: stable. Returns where the line begins. */
static int64_t order_line(const call *c, ordered_lines *l, int64_t line, int num_keys)
{
    int64_t begin = line / l->stride * l->stride * l->length + line % l->stride;
    for (int64_t k = 0; k < l->length; k++) {
        int64_t at = k;
        for (; at > 0 && line_before(c, num_keys, begin + k * l->stride, l->order[at - 1]); at--)
            l->order[at] = l->order[at - 1];
        l->order[at] = begin + k * l->stride;
    }
    return begin;
}

void ref_sort(call *c)
{
    const kni_p_sort *p = c->params;
    for (int i = 0; i < c->n_in; i++)
        result(c, c->x[i].dtype, c->x[i].ndim, c->x[i].dim);
    ordered_lines l = lines_along(c, p->dimension);
    for (int64_t line = 0; line < l.lines; line++) {
        int64_t begin = order_line(c, &l, line, (int)p->num_keys);
        for (int i = 0; i < c->n_in; i++)
            for (int64_t k = 0; k < l.length; k++)
                c->y[i].at[begin + k * l.stride] = c->x[i].at[l.order[k]];
    }
}

void ref_argsort(call *c)
{
    tensor *y = result(c, KN_DT(I64), c->x[0].ndim, c->x[0].dim);
    ordered_lines l = lines_along(c, ((const kni_p_argsort *)c->params)->dimension);
    for (int64_t line = 0; line < l.lines; line++) {
        int64_t begin = order_line(c, &l, line, c->n_in);
        for (int64_t k = 0; k < l.length; k++)
            y->at[begin + k * l.stride] = (num){.bits = (uint64_t)((l.order[k] - begin) / l.stride)};
    }
}

/* The class of an element: twice the number of elements at ranks that come before it, and one more for each it equals;
 * equal ones at several ranks count alike for all elements, so classes stay in order. */
static int64_t class_of(const call *c, const int64_t *at_rank, int64_t n, int64_t i)
{
    const tensor *x = &c->x[0];
    int64_t class = 0;
    for (int64_t k = 0; k < n; k++)
        class += 2 - sorts_before(x->dtype, x->at[i], x->at[at_rank[k]]) -
                 !sorts_before(x->dtype, x->at[at_rank[k]], x->at[i]);
    return class;
}

void ref_partition(call *c)
{
    const kni_p_partition *p = c->params;
    const tensor *x = &c->x[0], *ranks = &c->x[1], *like = p->whole ? x : ranks;
    tensor *y = result(c, p->positions ? KN_DT(I64) : x->dtype, like->ndim, like->dim);
    ordered_lines l = lines_along(c, p->dimension);
    int64_t m = ranks->dim[p->dimension], *at_rank = tensor_alloc(c->arena, ((size_t)m + 1) * sizeof *at_rank);
    for (int64_t line = 0; line < l.lines; line++) {
        int64_t begin = order_line(c, &l, line, 1), to = line / l.stride * l.stride * m + line % l.stride, next = begin;
        for (int64_t k = 0; k < m; k++) {
            int64_t r = (int64_t)ranks->at[to + k * l.stride].bits;
            at_rank[k] = l.order[r < 0 ? 0 : r < l.length ? r : l.length - 1];
        }
        int64_t many = p->whole ? l.length : m, classes = p->whole ? 2 * m + 1 : 1;
        for (int64_t class = 0; class < classes; class ++)
            for (int64_t k = 0; k < many; k++) {
                int64_t from = p->whole ? begin + k * l.stride : at_rank[k];
                if (p->whole && class_of(c, at_rank, m, from) != class)
                    continue;
                int64_t place = p->whole ? next : to + k * l.stride;
                y->at[place] = p->positions ? (num){.bits = (uint64_t)((from - begin) / l.stride)} : x->at[from];
                next += l.stride;
            }
    }
}

/* Halving as docs/sorting.md says, so that vectors that are not sorted have a result, too. */
void ref_searchsorted(call *c)
{
    const kni_p_searchsorted *p = c->params;
    const tensor *a = &c->x[0], *v = &c->x[1];
    tensor *y = result(c, KN_DT(I64), v->ndim, v->dim);
    int64_t n = a->dim[p->batch], lines = 1;
    for (int i = 0; i < p->batch; i++)
        lines *= a->dim[i];
    for (int64_t i = 0; i < v->n; i++) {
        const num *line = a->at + i / (v->n / lines) * n;
        int64_t found = 0;
        for (int64_t rest = n, half; rest; rest -= half) {
            half = rest - rest / 2;
            num here = line[found + half - 1];
            if (p->right ? !sorts_before(a->dtype, v->at[i], here) : sorts_before(a->dtype, here, v->at[i]))
                found += half;
        }
        y->at[i] = (num){.bits = (uint64_t)found};
    }
}

/* Of equal bins the number is worked out in the dtype, and moved by one where an edge says so. */
static int64_t bin_between(const tensor *x, const num *edge, int64_t n, long double v)
{
    bool narrow = x->dtype == KN_DT(F32);
    long double low = edge[0].re, high = edge[n].re;
    double place = narrow ? (float)((float)((float)(v - low) / (float)(high - low)) * (float)n)
                          : (double)((double)((double)(v - low) / (double)(high - low)) * (double)n);
    int64_t at = place >= (double)n ? n - 1 : place >= 1 ? (int64_t)place : 0;
    at -= v < edge[at].re;
    at += at != n - 1 && v >= edge[at + 1].re;
    return v >= low && v <= high ? at : -1;
}

void ref_histogram(call *c)
{
    const kni_p_histogram *p = c->params;
    const tensor *x = &c->x[0], *e = &c->x[1];
    int64_t dim[MAX_RANK], n = x->dim[p->batch], m = e->dim[p->batch] - 1;
    memcpy(dim, e->dim, sizeof dim);
    dim[p->batch] = m;
    tensor *y = result(c, KN_DT(I64), e->ndim, dim);
    for (int64_t i = 0; i < x->n; i++) {
        const num *edge = e->at + i / n * (m + 1);
        int64_t k = 0;
        if (p->equal)
            k = bin_between(x, edge, m, x->at[i].re);
        else {
            for (int64_t rest = m + 1, half; rest; rest -= half) {
                half = rest - rest / 2;
                k += sorts_before(x->dtype, x->at[i], edge[k + half - 1]) ? 0 : half;
            }
            k = x->at[i].re == edge[m].re ? m - 1 : k - 1;
        }
        if (k >= 0 && k < m)
            y->at[i / n * m + k].bits++;
    }
}

/* One after the other the largest that is left, the first of equal ones. */
void ref_top_k(call *c)
{
    const kni_p_top_k *p = c->params;
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK], stride = 1, length = x->dim[p->axis];
    memcpy(dim, x->dim, sizeof dim);
    dim[p->axis] = p->k;
    tensor *y = result(c, x->dtype, x->ndim, dim), *at = result(c, KN_DT(I32), x->ndim, dim);
    bool *taken = tensor_alloc(c->arena, (size_t)x->n + 1);
    for (int k = (int)p->axis + 1; k < x->ndim; k++)
        stride *= x->dim[k];
    for (int64_t i = 0; i < y->n; i++) {
        int64_t line = i / stride / p->k * length * stride + i % stride, best = -1;
        for (int64_t j = 0; j < length; j++)
            if (!taken[line + j * stride] &&
                (best < 0 || sorts_before(x->dtype, x->at[line + best * stride], x->at[line + j * stride])))
                best = j;
        taken[line + best * stride] = true;
        y->at[i] = x->at[line + best * stride];
        at->at[i] = (num){.bits = (uint64_t)best};
    }
}

/* --- calls: sum(x * y) and x * y, from a body ------------------------------------------------- */

void ref_jit_sum_of_product(call *c)
{
    const tensor *x = &c->x[0];
    tensor *sum = result(c, x->dtype, 0, NULL), *product = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++) {
        product->at[i] = num_mul(x->dtype, x->at[i], c->x[1].at[i]);
        sum->at[0] = join_sum(x->dtype, sum->at[0], product->at[i]);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * reference_lanes.c -- references of the collectives: the lanes are the first axis of operand and result. */
#include "cases.h"

#include <math.h>
#include <string.h>

/* Element `at` (lane first) of x joined over all lanes. */
static num over_lanes(const tensor *x, const int64_t *at, num (*join)(kn_dtype d, num a, num b))
{
    int64_t from[MAX_RANK];
    memcpy(from, at, sizeof from);
    from[0] = 0;
    num sum = x->at[tensor_offset(x, from)];
    if (knx_is_inexact(x->dtype))
        sum.scale = hypotl(sum.re, sum.im);
    for (from[0] = 1; from[0] < x->dim[0]; from[0]++)
        sum = join(x->dtype, sum, x->at[tensor_offset(x, from)]);
    return sum;
}

static num add(kn_dtype d, num a, num b)
{
    if (!knx_is_inexact(d))
        return num_add(d, a, b);
    return (num){.re = a.re + b.re, .im = a.im + b.im, .scale = a.scale + hypotl(b.re, b.im)};
}

static num greater(kn_dtype d, num a, num b)
{
    a.scale = b.scale = 0;
    if (num_is_nan(d, a) || num_is_nan(d, b))
        return num_is_nan(d, a) ? a : b;
    return num_less(d, a, b) ? b : a;
}

static num lesser(kn_dtype d, num a, num b)
{
    a.scale = b.scale = 0;
    if (num_is_nan(d, a) || num_is_nan(d, b))
        return num_is_nan(d, a) ? a : b;
    return num_less(d, b, a) ? b : a;
}

static void all_reduce(call *c, num (*join)(kn_dtype d, num a, num b), bool exact)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0};
        tensor_index(y, i, at);
        y->at[i] = over_lanes(x, at, join);
        if (exact)
            y->at[i].scale = 0;
    }
}

void ref_psum(call *c) { all_reduce(c, add, false); }
void ref_pmax(call *c) { all_reduce(c, greater, true); }
void ref_pmin(call *c) { all_reduce(c, lesser, true); }

void ref_all_gather(call *c)
{
    const kni_p_all_gather *p = c->params;
    const tensor *x = &c->x[0];
    int axis = 1 + (int)p->all_gather_dimension, ndim = x->ndim + !p->tiled;
    int64_t dim[MAX_RANK];
    for (int k = 0, from = 0; k < ndim; k++)
        dim[k] = k == axis && !p->tiled ? p->axis_size : x->dim[from++];
    dim[axis] *= p->tiled ? p->axis_size : 1;
    tensor *y = result(c, x->dtype, ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0}, from[MAX_RANK] = {0};
        tensor_index(y, i, at);
        for (int k = 1, n = 1; k < ndim; k++)
            if (k != axis || p->tiled)
                from[n++] = at[k];
        from[0] = p->tiled ? at[axis] / x->dim[axis] : at[axis];
        if (p->tiled)
            from[axis] = at[axis] % x->dim[axis];
        y->at[i] = x->at[tensor_offset(x, from)];
    }
}

void ref_reduce_scatter(call *c)
{
    const kni_p_reduce_scatter *p = c->params;
    const tensor *x = &c->x[0];
    int axis = 1 + (int)p->scatter_dimension, n = 0;
    int64_t dim[MAX_RANK], each = x->dim[axis] / p->axis_size;
    for (int k = 0; k < x->ndim; k++)
        if (k != axis || p->tiled)
            dim[n++] = k == axis ? each : x->dim[k];
    tensor *y = result(c, x->dtype, n, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0}, from[MAX_RANK] = {0};
        tensor_index(y, i, at);
        for (int k = 1, m = 1; k < x->ndim; k++)
            if (k != axis || p->tiled)
                from[k] = at[m++];
        from[axis] = at[0] * each + (p->tiled ? from[axis] : 0);
        y->at[i] = over_lanes(x, from, add);
    }
}

void ref_all_to_all(call *c)
{
    const kni_p_all_to_all *p = c->params;
    const tensor *x = &c->x[0];
    int split = 1 + (int)p->split_axis, concat = 1 + (int)p->concat_axis;
    int64_t dim[MAX_RANK];
    memcpy(dim, x->dim, sizeof dim);
    int64_t part = dim[split] /= p->axis_size, piece = dim[concat];
    dim[concat] *= p->axis_size;
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0}, from[MAX_RANK];
        tensor_index(y, i, at);
        memcpy(from, at, sizeof from);
        from[0] = at[concat] / piece;
        from[concat] = at[concat] % piece;
        from[split] += at[0] * part;
        y->at[i] = x->at[tensor_offset(x, from)];
    }
}

void ref_ppermute(call *c)
{
    kni_ints perm = ((const kni_p_ppermute *)c->params)->perm;
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0}, to;
        tensor_index(y, i, at);
        to = at[0];
        y->at[i] = (num){0};
        for (int k = 0; k < perm.n; k += 2)
            if (perm.v[k + 1] == to) {
                at[0] = perm.v[k];
                y->at[i] = x->at[tensor_offset(x, at)];
            }
    }
}

void ref_pbroadcast(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK] = {0};
        tensor_index(y, i, at);
        at[0] = ((const kni_p_pbroadcast *)c->params)->source;
        y->at[i] = x->at[tensor_offset(x, at)];
    }
}

void ref_axis_index(call *c)
{
    tensor *y = result(c, KN_DT(I32), 1, (int64_t[]){c->sample->lanes});
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = of_int(KN_DT(I32), (uint64_t)i);
}

/* SPDX-License-Identifier: Apache-2.0
 * reference_conv.c -- conv_general_dilated from its definition: element by element, positions one after the other. */
#include "cases.h"

/* The element of lhs that step `tap` of the window at `position` covers along one spatial dimension; -1: none. */
static int64_t covered(const kni_p_conv *p, int i, int64_t position, int64_t tap, int64_t extent)
{
    int64_t at = position * p->window_strides.v[i] + tap * p->rhs_dilation.v[i] - p->lo.v[i];
    int64_t holes = p->lhs_dilation.v[i];
    return at < 0 || at % holes || at / holes >= extent ? -1 : at / holes;
}

static int64_t holey(int64_t n, int64_t dilation) { return n ? (n - 1) * dilation + 1 : 0; }

void ref_conv(call *c)
{
    const kni_p_conv *p = c->params;
    const tensor *a = &c->x[0], *b = &c->x[1];
    int n = a->ndim - 2;
    int64_t dim[MAX_RANK], taps[MAX_RANK];
    int64_t in = b->dim[p->rhs_spec.v[1]], out = b->dim[p->rhs_spec.v[0]];
    int64_t batch = a->dim[p->lhs_spec.v[0]] / p->batch_group_count;
    dim[p->out_spec.v[0]] = batch;
    dim[p->out_spec.v[1]] = out;
    taps[n] = in;
    for (int i = 0; i < n; i++) {
        taps[i] = b->dim[p->rhs_spec.v[2 + i]];
        int64_t room = holey(a->dim[p->lhs_spec.v[2 + i]], p->lhs_dilation.v[i]) + p->lo.v[i] + p->hi.v[i] -
                       holey(taps[i], p->rhs_dilation.v[i]);
        dim[p->out_spec.v[2 + i]] = room < 0 ? 0 : room / p->window_strides.v[i] + 1;
    }
    tensor *y = result(c, p->preferred_element_type ? p->preferred_element_type : a->dtype, n + 2, dim);
    tensor run = tensor_wide(c->arena, KN_DT(BOOL), n + 1, taps);
    for (int64_t e = 0; e < y->n; e++) {
        int64_t at[MAX_RANK], ia[MAX_RANK], ib[MAX_RANK], tap[MAX_RANK];
        tensor_index(y, e, at);
        int64_t o = at[p->out_spec.v[1]], feature_group = o / (out / p->feature_group_count);
        int64_t batch_group = o / (out / p->batch_group_count);
        for (int64_t s = 0; s < run.n; s++) {
            tensor_index(&run, s, tap);
            bool inside = true;
            ia[p->lhs_spec.v[0]] = batch_group * batch + at[p->out_spec.v[0]];
            ia[p->lhs_spec.v[1]] = feature_group * in + tap[n];
            ib[p->rhs_spec.v[0]] = o;
            ib[p->rhs_spec.v[1]] = tap[n];
            for (int i = 0; i < n; i++) {
                int l = (int)p->lhs_spec.v[2 + i];
                ia[l] = covered(p, i, at[p->out_spec.v[2 + i]], tap[i], a->dim[l]);
                ib[p->rhs_spec.v[2 + i]] = tap[i];
                inside = inside && ia[l] >= 0;
            }
            num left = inside ? a->at[tensor_offset(a, ia)] : (num){0}, right = b->at[tensor_offset(b, ib)];
            if (knx_is_inexact(y->dtype) && !knx_is_inexact(a->dtype)) {
                left = num_convert(a->dtype, left, y->dtype);
                right = num_convert(b->dtype, right, y->dtype);
            }
            y->at[e] = num_dot_step(y->dtype, y->at[e], left, right);
        }
    }
}

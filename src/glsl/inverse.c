/* SPDX-License-Identifier: Apache-2.0
 * inverse.c -- which point writes an element. Strides that are nested, each larger than all that smaller ones reach,
 * are divided off one after the other; dimensions that go on in each other are one. */
#include "glsl/plan.h"

/* What a turn of loop d moves the point and the inner point by. */
static void weights(const kngl_plan *p, int stage, int d, kngl_dimension *to)
{
    const knk_kernel *k = p->k;
    const int n_inner = k->stage[stage].n_inner;
    if (d < k->n_par)
        to->point = (uint32_t)knw_product(p->launch->par + d + 1, k->n_par - d - 1);
    else if (d < k->n_par + n_inner)
        to->unit = (uint32_t)knw_product(p->launch->inner[stage] + (d - k->n_par) + 1, k->n_par + n_inner - d - 1);
}

static int64_t extent_of(const kngl_plan *p, int stage, int d)
{
    return d < p->k->n_par ? p->launch->par[d] : p->launch->inner[stage][d - p->k->n_par];
}

static int64_t stride_of(const kngl_plan *p, int map, int d)
{
    uint8_t c = p->k->map[map].cls[d];
    return c == KNK_STRIDE_ZERO ? 0 : c == KNK_STRIDE_ONE ? 1 : p->launch->map[map].stride[d];
}

/* A dimension in its place; from its end on if its stride is negative. */
static void insert(kngl_inverse *v, kngl_dimension d)
{
    if (d.stride < 0) {
        uint32_t last = (uint32_t)(d.extent - 1);
        v->base += d.stride * (d.extent - 1);
        v->point += last * d.point;
        v->unit += last * d.unit;
        d = (kngl_dimension){-d.stride, d.extent, 0u - d.point, 0u - d.unit};
    }
    int i = v->n++;
    for (; i > 0 && v->d[i - 1].stride < d.stride; i--)
        v->d[i] = v->d[i - 1];
    v->d[i] = d;
}

static bool nested(const kngl_inverse *v)
{
    int64_t reach = 0;
    for (int i = v->n - 1; i >= 0; i--) {
        if (v->d[i].stride <= reach)
            return false;
        reach += v->d[i].stride * (v->d[i].extent - 1);
    }
    return true;
}

static void join(kngl_inverse *v)
{
    int n = 0;
    for (int i = 0; i < v->n; i++) {
        kngl_dimension *last = n ? &v->d[n - 1] : NULL, d = v->d[i];
        uint32_t extent = (uint32_t)d.extent;
        if (last && last->stride == d.stride * d.extent && last->point == d.point * extent &&
            last->unit == d.unit * extent)
            *last = (kngl_dimension){d.stride, d.extent * last->extent, d.point, d.unit};
        else
            v->d[n++] = d;
    }
    v->n = n;
}

bool kngl_invert(const kngl_plan *p, const kngl_pass *pass, kngl_inverse *v)
{
    const knk_inst *n = &p->k->node[pass->node];
    *v = (kngl_inverse){.base = p->launch->map[n->map].offset};
    for (int d = 0; d < knk_map_loops(p->k, n->map); d++) {
        bool turns = d >= p->k->n_par + p->k->stage[n->stage].n_inner;
        kngl_dimension x = {.stride = stride_of(p, n->map, d), .extent = extent_of(p, n->stage, d)};
        if (x.extent <= 1 || (turns && !x.stride))
            continue;
        if (!x.stride)
            return false;
        weights(p, n->stage, d, &x);
        insert(v, x);
    }
    if (!nested(v))
        return false;
    join(v);
    for (int i = 0; i < v->n; i++)
        v->span += v->d[i].stride * (v->d[i].extent - 1);
    return v->base >= 0 && v->base + v->span < UINT32_MAX;
}

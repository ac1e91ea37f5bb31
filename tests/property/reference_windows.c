/* SPDX-License-Identifier: Apache-2.0
 * reference_windows.c -- what the primitives over windows mean: a loop over windows and their positions. */
#include "cases.h"
#include <math.h>

/* Windows of an array with these extents. */
typedef struct geometry {
    const kni_p_window *p;
    bool dilated;
    int n;
    int64_t extent[MAX_RANK], count[MAX_RANK];
} geometry;

static int64_t base_of(const geometry *g, int d) { return g->dilated ? g->p->base_dilation.v[d] : 1; }
static int64_t step_of(const geometry *g, int d) { return g->dilated ? g->p->window_dilation.v[d] : 1; }

static geometry windows_of(const kni_p_window *p, bool dilated, int n, const int64_t *extent)
{
    geometry g = {.p = p, .dilated = dilated, .n = n};
    for (int d = 0; d < n; d++) {
        int64_t all = extent[d] ? (extent[d] - 1) * base_of(&g, d) + 1 : 0;
        int64_t left = all + p->lo.v[d] + p->hi.v[d] - (p->window_dimensions.v[d] - 1) * step_of(&g, d) - 1;
        g.extent[d] = extent[d];
        g.count[d] = left < 0 ? 0 : left / p->window_strides.v[d] + 1;
    }
    return g;
}

static int64_t product_of(int n, const int64_t *v)
{
    int64_t all = 1;
    for (int d = 0; d < n; d++)
        all *= v[d];
    return all;
}

/* The element at position k of window o; -1: none. The first axis that says so ends the search: most positions of large
 * windows are outside. */
static int64_t element(const geometry *g, int64_t o, int64_t k)
{
    int64_t e = 0, windows = product_of(g->n, g->count), within = product_of(g->n, g->p->window_dimensions.v);
    for (int d = 0; d < g->n; d++) {
        windows /= g->count[d];
        within /= g->p->window_dimensions.v[d];
        int64_t x = o / windows * g->p->window_strides.v[d] + k / within * step_of(g, d) - g->p->lo.v[d];
        o %= windows;
        k %= within;
        int64_t b = base_of(g, d);
        if (x < 0 || x >= g->extent[d] * b || x % b)
            return -1;
        e = e * g->extent[d] + x / b;
    }
    return e;
}

static int64_t positions(const geometry *g) { return product_of(g->n, g->p->window_dimensions.v); }

static num joined(kn_dtype d, char how, num a, num b)
{
    if (how == '+' && !knx_is_inexact(d))
        return num_add(d, a, b);
    if (how == '+')
        return (num){.re = a.re + b.re, .im = a.im + b.im, .scale = a.scale + hypotl(b.re, b.im)};
    if (how == '*')
        return num_mul(d, a, b);
    if (num_is_nan(d, a) || num_is_nan(d, b))
        return num_is_nan(d, a) ? a : b;
    return (how == '>' ? num_less(d, a, b) : num_less(d, b, a)) ? b : a;
}

static num extreme(kn_dtype d, bool largest)
{
    uint64_t low = d->kind == KN_KIND_INT ? (uint64_t)0 - ((uint64_t)1 << (8 * d->size - 1)) : 0;
    return (num){.re = largest ? -INFINITY : INFINITY, .bits = largest ? low : of_int(d, ~low).bits};
}

/* Elements joined one after the other. */
static void fold(call *c, char how, num start)
{
    const tensor *x = &c->x[0];
    geometry g = windows_of(c->params, true, x->ndim, x->dim);
    tensor *y = result(c, x->dtype, g.n, g.count);
    for (int64_t o = 0; o < y->n; o++) {
        y->at[o] = start;
        for (int64_t k = 0; k < positions(&g); k++) {
            int64_t e = element(&g, o, k);
            if (e >= 0)
                y->at[o] = joined(x->dtype, how, y->at[o], x->at[e]);
        }
    }
}

void ref_reduce_window_sum(call *c) { fold(c, '+', (num){0}); }
void ref_reduce_window_max(call *c) { fold(c, '>', extreme(c->x[0].dtype, true)); }
void ref_reduce_window_min(call *c) { fold(c, '<', extreme(c->x[0].dtype, false)); }

void ref_reduce_window_product(call *c)
{
    num start = c->x[1].at[0];
    fold(c, '*', start);
}

/* The position that stays. */
static int64_t choice(const geometry *g, const tensor *x, int64_t o, bool identity, bool outside)
{
    bool largest = g->p->select_prim == KN_SELECT_GE;
    num best = extreme(x->dtype, largest);
    int64_t chosen = -1;
    bool begun = identity;
    for (int64_t k = 0; k < positions(g); k++) {
        int64_t e = element(g, o, k);
        if (e < 0 && !outside)
            continue;
        num v = e < 0 ? extreme(x->dtype, largest) : x->at[e];
        bool nan = num_is_nan(x->dtype, v) || num_is_nan(x->dtype, best);
        bool stays = !nan && !(largest ? num_less(x->dtype, best, v) : num_less(x->dtype, v, best));
        if (!stays || !begun) {
            best = v;
            chosen = k;
        }
        begun = true;
    }
    return chosen;
}

void ref_window_choice(call *c)
{
    const kni_p_window *p = c->params;
    geometry g = windows_of(p, true, c->x[0].ndim, c->x[0].dim);
    tensor *y = result(c, p->index_dtype, g.n, g.count);
    for (int64_t o = 0; o < y->n; o++)
        y->at[o] = of_int(p->index_dtype, (uint64_t)choice(&g, &c->x[0], o, p->identity, true));
}

static int64_t chosen_at(const tensor *choices, int64_t o) { return (int64_t)choices->at[o].bits; }

static int64_t chosen_element(const geometry *g, int64_t o, int64_t k)
{
    return k < 0 || k >= positions(g) ? -1 : element(g, o, k);
}

void ref_window_pick(call *c)
{
    const tensor *x = &c->x[0];
    geometry g = windows_of(c->params, true, x->ndim, x->dim);
    tensor *y = result(c, x->dtype, g.n, g.count);
    for (int64_t o = 0; o < y->n; o++) {
        int64_t e = chosen_element(&g, o, chosen_at(&c->x[1], o));
        y->at[o] = e < 0 ? (num){0} : x->at[e];
    }
}

void ref_select_and_gather_add(call *c)
{
    const tensor *x = &c->x[1];
    geometry g = windows_of(c->params, true, x->ndim, x->dim);
    tensor *y = result(c, c->x[0].dtype, g.n, g.count);
    for (int64_t o = 0; o < y->n; o++) {
        int64_t e = chosen_element(&g, o, choice(&g, x, o, true, true));
        y->at[o] = e < 0 ? (num){0} : c->x[0].at[e];
    }
}

static void add_to(tensor *y, int64_t e, num v)
{
    if (e >= 0)
        y->at[e] = joined(y->dtype, '+', y->at[e], v);
}

void ref_window_place(call *c)
{
    const kni_p_window *p = c->params;
    geometry g = windows_of(p, false, p->shape.n, p->shape.v);
    tensor *y = result(c, c->x[0].dtype, p->shape.n, p->shape.v);
    for (int64_t o = 0; o < c->x[0].n; o++)
        add_to(y, chosen_element(&g, o, chosen_at(&c->x[1], o)), c->x[0].at[o]);
}

void ref_select_and_scatter_add(call *c)
{
    const tensor *x = &c->x[1];
    geometry g = windows_of(c->params, false, x->ndim, x->dim);
    tensor *y = result(c, c->x[0].dtype, x->ndim, x->dim);
    for (int64_t o = 0; o < c->x[0].n; o++)
        add_to(y, chosen_element(&g, o, choice(&g, x, o, false, true)), c->x[0].at[o]);
}

/* By >= and +, from the initial value on. */
void ref_select_and_scatter(call *c)
{
    const tensor *x = &c->x[0];
    kni_p_window p = *(const kni_p_window *)c->params;
    p.select_prim = KN_SELECT_GE;
    geometry g = windows_of(&p, false, x->ndim, x->dim);
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = joined(x->dtype, '+', (num){0}, c->x[2].at[0]);
    for (int64_t o = 0; o < c->x[1].n; o++)
        add_to(y, chosen_element(&g, o, choice(&g, x, o, false, false)), c->x[1].at[o]);
}

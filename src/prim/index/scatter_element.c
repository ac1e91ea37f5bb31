/* SPDX-License-Identifier: Apache-2.0
 * scatter_element.c -- one element of a scatter, in kernels that have those of the array as nodes: all windows are
 * asked whether it lies in them, in the order in which they are written. */
#include "prim/index/scatter_element.h"

enum { MOST_WINDOWS = 64 };

typedef struct seeker {
    kni_lower *l;
    const kni_rule *r;
    const kni_index *i;
    knp_indexing how;
    knp_dims sizes; /* of a window, in the table */
    int points;     /* dimensions of the indices, but the last one */
    bool skips;     /* windows that are not inside; else they are moved */
    knk_node start[KN_MAX_NDIM], pred;
} seeker;

/* The dimension of the table that a dimension of the points goes along, or -1. */
static int partner(const seeker *s, int point)
{
    for (int b = 0; b < s->how.index_batching.n; b++)
        if (s->how.index_batching.v[b] == point)
            return (int)s->how.table_batching.v[b];
    return -1;
}

static bool is_indexed(const seeker *s, int d) { return knp_contains(s->how.index_map, d); }
static bool is_filled(const seeker *s, int d) { return s->sizes.v[d] == s->r->xt[0].dim[d]; }
/* An unknown number of windows is too many. */
static bool is_unknown(const seeker *s, int point) { return knx_is_symbolic(s->r->xt[1].dim[point]); }

/* How many windows there are for one element; 0: too many, or it is compared with what is no number of the kernel. */
static int64_t windows(const seeker *s)
{
    int64_t n = 1;
    for (int p = 0; p < s->points; p++)
        if (partner(s, p) < 0 &&
            (is_unknown(s, p) || __builtin_mul_overflow(n, s->r->xt[1].dim[p], &n) || n > MOST_WINDOWS))
            return 0;
    for (int d = 0; d < s->i->ndim; d++)
        if (!knp_contains(s->how.table_batching, d) && !is_filled(s, d) && !s->i->axis[d].fixed)
            return 0;
    return n;
}

/* Position of window number `window` among the points, into the first axes of `at` (or those that `to` names). */
static void point_position(const seeker *s, int64_t window, kni_index *at, const int *to)
{
    for (int p = s->points - 1; p >= 0; p--) {
        int d = partner(s, p), a = to ? to[p] : p;
        if (d >= 0) {
            knp_index_copy(s->i, d, at, a);
            continue;
        }
        at->axis[a].offset = window % s->r->xt[1].dim[p];
        window /= s->r->xt[1].dim[p];
    }
}

static void also(seeker *s, knk_node pred)
{
    s->pred = s->pred == KNK_NONE ? pred : knk_binary(kni_lower_kernel(s->l), KNK_AND, s->pred, pred);
}

/* Where the window starts along each dimension of the table (KNK_NONE: at 0), and whether it exists. */
static bool find_start(seeker *s, int64_t window)
{
    knk_builder *k = kni_lower_kernel(s->l);
    kn_dtype d = s->r->xt[1].dtype;
    knk_node zero = knk_const_int(k, KN_ID_I64, 0);
    for (int n = 0; n < s->how.index_map.n; n++) {
        int64_t axis = s->how.index_map.v[n];
        int64_t most = knp_largest_start(&s->how, s->r->xt[0], knp_ints(&s->sizes), axis);
        kni_index *at = kni_lower_index(s->l, s->points + 1, s->i);
        if (!at || most < 0)
            return false;
        point_position(s, window, at, NULL);
        at->axis[s->points].offset = n;
        knk_node v = kni_lower_operand(s->l, 1, at, KNK_NONE, knp_real(KNK_NONE)).re;
        if (d->id == KN_ID_U64)
            v = knk_binary(k, KNK_MIN, v, knk_const_int(k, KN_ID_U64, INT64_MAX));
        if (d->id != KN_ID_I64)
            v = knk_cast(k, KN_ID_I64, v);
        if (s->how.wraps && d->kind == KN_KIND_INT) {
            knk_node from_end = knk_binary(k, KNK_ADD, v, kni_lower_number(s->l, s->i, s->r->xt[0].dim[axis]));
            v = knk_select(k, knk_binary(k, KNK_LT, v, zero), from_end, v);
        }
        knk_node last = kni_lower_number(s->l, s->i, most);
        if (s->skips)
            also(s, knk_binary(k, KNK_AND, knk_binary(k, KNK_LE, zero, v), knk_binary(k, KNK_LE, v, last)));
        else
            v = knk_binary(k, KNK_MAX, knk_binary(k, KNK_MIN, v, last), zero);
        s->start[axis] = most ? v : KNK_NONE;
    }
    return true;
}

/* Where in the window the element lies along a dimension of the table; *in gets that axis. */
static void within(seeker *s, int d, kni_index *in, int axis)
{
    knk_builder *k = kni_lower_kernel(s->l);
    if (in)
        knp_index_copy(s->i, d, in, axis);
    if (is_filled(s, d))
        return;
    knk_node at = kni_lower_axis_value(s->l, s->i, d);
    if (is_indexed(s, d) && s->start[d] != KNK_NONE)
        at = knk_binary(k, KNK_SUB, at, s->start[d]);
    also(s, knk_binary(k, KNK_AND, knk_binary(k, KNK_LE, knk_const_int(k, KN_ID_I64, 0), at),
                       knk_binary(k, KNK_LT, at, kni_lower_number(s->l, s->i, s->sizes.v[d]))));
    if (in) {
        in->axis[axis].offset = 0;
        in->axis[axis].node = at;
    }
}

static kni_pair sum(knk_builder *k, kn_dtype d, kni_pair x, kni_pair y)
{
    x.re = knk_binary(k, KNK_ADD, x.re, y.re);
    if (x.im != KNK_NONE)
        x.im = knk_binary(k, KNK_ADD, x.im, y.im);
    if (d->kind == KN_KIND_FLOAT && d->size == 2)
        x.re = knk_cast(k, KN_ID_F32, knk_cast(k, (knx_dtype_id)d->id, x.re));
    return x;
}

static void apply_window(seeker *s, int64_t window, bool adds, kni_pair *y)
{
    knk_builder *k = kni_lower_kernel(s->l);
    int point[KN_MAX_NDIM] = {0}, w = 0;
    kni_index *in = kni_lower_index(s->l, s->r->xt[2].ndim, s->i);
    s->pred = KNK_NONE;
    if (!in || !find_start(s, window))
        return;
    for (int d = 0, p = 0; d < s->r->xt[2].ndim; d++)
        if (!knp_contains(s->how.window, d))
            point[p++] = d;
    point_position(s, window, in, point);
    for (int d = 0; d < s->i->ndim; d++) {
        if (knp_contains(s->how.table_batching, d))
            continue;
        bool dropped = knp_contains(s->how.dropped, d);
        within(s, d, dropped ? NULL : in, dropped ? 0 : (int)s->how.window.v[w++]);
    }
    if (!adds) {
        *y = kni_lower_operand(s->l, 2, in, s->pred, *y);
        return;
    }
    kni_pair u = kni_lower_operand(s->l, 2, in, s->pred, knp_real(KNK_NONE));
    kni_pair both = sum(k, s->r->xt[0].dtype, *y, u);
    if (s->pred != KNK_NONE) {
        both.re = knk_select(k, s->pred, both.re, y->re);
        both.im = both.im == KNK_NONE ? KNK_NONE : knk_select(k, s->pred, both.im, y->im);
    }
    *y = both;
}

void knp_scatter_element(kni_lower *l, const kni_rule *r, const kni_index *i, bool adds, kni_pair *y)
{
    const kni_p_scatter *p = r->params;
    seeker s = {.l = l, .r = r, .i = i, .how = knp_indexing_of_scatter(p), .points = r->xt[1].ndim - 1};
    s.sizes = knp_window_sizes(&s.how, r->xt[0], r->xt[2]);
    s.skips = p->mode != KN_GATHER_CLIP;
    int64_t n = windows(&s);
    if (!n && kni_type_size(r->xt[2]))
        return;
    *y = kni_lower_operand(l, 0, i, KNK_NONE, knp_real(KNK_NONE));
    for (int64_t window = 0; window < n && kni_type_size(r->xt[2]); window++)
        apply_window(&s, window, adds, y);
}

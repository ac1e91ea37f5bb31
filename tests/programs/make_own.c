/* SPDX-License-Identifier: Apache-2.0
 * make_own.c -- equations with parameters of any shape: elementwise rows, views, assemblies, reductions, scans. */
#include "programs.h"

#include <string.h>

#define LIST(n, v) \
    (kni_ints) { n, v }

static kni_atom operand_of(maker *m) { return want_dtype(m, m->t ? m->t : any_dtype(m, "biufc")); }

/* --- elementwise ------------------------------------------------------------------------------ */

static const void *elementwise_params(maker *m, const kni_prim *p, void *room)
{
    if (!p->params_size)
        return NULL;
    if (p == &knp_prim_integer_pow)
        *(kni_p_integer_pow *)room = (kni_p_integer_pow){below(m, 14) - 4};
    else if (p == &knp_prim_round)
        *(kni_p_round *)room = (kni_p_round){below(m, 2)};
    else if (p == &knp_prim_reduce_precision)
        *(kni_p_reduce_precision *)room = (kni_p_reduce_precision){1 + below(m, 11), below(m, 53)};
    else if (p == &knp_prim_convert_element_type)
        *(kni_p_convert *)room = (kni_p_convert){m->to ? m->to : any_dtype(m, "biufc"), chance(m, 12), chance(m, 3)};
    else if (p == &knp_prim_bitcast_convert_type)
        *(kni_p_bitcast *)room = (kni_p_bitcast){m->to ? m->to : any_dtype(m, "biufc")};
    else if (p == &knp_prim_name)
        *(kni_p_name *)room = (kni_p_name){"a"};
    else
        return NULL;
    return room;
}

/* The first operand of select_n: which of the n cases. */
static kni_atom which_case(maker *m, int n, int ndim, const int64_t *dim)
{
    bool scalar = chance(m, 4);
    if (n == 2 && !chance(m, 4))
        return want(m, KN_DT(BOOL), scalar ? 0 : ndim, dim, NULL);
    return want_index(m, KN_DT(I32), scalar ? 0 : ndim, dim, 0, n - 1);
}

/* The bits of a NaN are not defined, so bits are looked at of numbers only. */
kni_atom without_nans(maker *m, kni_atom x)
{
    kni_builder *b = m->b;
    kn_dtype d = x == KN_ATOM_NONE ? NULL : knb_type(b, x).dtype;
    if (!d || !knx_is_inexact(d))
        return x;
    if (knx_is_complex(d)) {
        kni_atom re = knb_real(b, x), im = knb_imag(b, x);
        return keep(m, knb_complex(b, knb_select(b, knb_eq(b, re, re), re, knb_like(b, re, 1)),
                                   knb_select(b, knb_eq(b, im, im), im, knb_like(b, im, 1))));
    }
    return keep(m, knb_select(b, knb_eq(b, x, x), x, knb_like(b, x, 1)));
}

bool make_elementwise(maker *m, const kni_prim *p)
{
    int64_t dim[KN_MAX_NDIM];
    union {
        kni_p_convert c;
        kni_p_reduce_precision r;
        kni_p_name n;
    } room;
    bool cases = p == &knp_prim_select_n, like = p == &knp_prim_optimization_barrier;
    kn_dtype d = m->t ? m->t : any_dtype(m, "biufc");
    kni_atom in[8], out[8], first = want_dtype(m, d);
    kni_type t = knb_type(m->b, first);
    const void *params = elementwise_params(m, p, &room);
    int ndim = t.ndim, n = p->n_in < 0 ? 1 + below(m, 3) + (cases ? 1 : 0) : p->n_in, at = cases ? 1 : 0;
    if (n > 6 || first == KN_ATOM_NONE || (p->params_size && !params))
        return false;
    memcpy(dim, t.dim ? t.dim : (int64_t[]){0}, (size_t)ndim * sizeof *dim);
    int full = p == &knp_prim_clamp ? 1 : at + below(m, n - at);
    for (int i = at; i < n; i++)
        in[i] = i == full || (n > at + 1 && chance(m, 8)) ? first
                : !cases && !like && chance(m, 5)         ? want(m, d, 0, NULL, NULL)
                                                          : want(m, d, ndim, dim, NULL);
    if (p == &knp_prim_bitcast_convert_type)
        in[0] = without_nans(m, in[0]);
    if (cases)
        in[0] = which_case(m, n - 1, ndim, dim);
    return emit(m, p, params, n, in, out, 8) > 0;
}

/* --- views ------------------------------------------------------------------------------------ */

static bool make_broadcast(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t shape[MAX_RANK + 4], to[MAX_RANK + 4];
    int n = 0, more = 1 + below(m, 2);
    if (t.ndim > 4)
        return false;
    for (int d = 0; d <= t.ndim; d++) {
        for (; more && chance(m, t.ndim - d + 1); more--)
            shape[n++] = chance(m, 3) ? m->base[below(m, MAX_BASE)] : 1 + below(m, 4);
        if (d == t.ndim)
            break;
        to[d] = n;
        shape[n++] = t.dim[d] == 1 && chance(m, 2) ? 1 + below(m, 5) : t.dim[d];
    }
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        size *= shape[i];
    return size <= m->room &&
           emit1(m, p, &(kni_p_broadcast_in_dim){LIST(n, shape), LIST(t.ndim, to)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_reshape(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t shape[6], left = kni_type_size(t);
    int n = 0;
    for (int i = below(m, 4); i > 0 && left; i--) {
        int64_t by = 1 + below(m, 9);
        if (left % by)
            by = left % 2 ? 1 : 2;
        shape[n++] = by;
        left /= by;
    }
    if (left != 1 || chance(m, 2))
        shape[n++] = left;
    return emit1(m, p, &(kni_p_reshape){LIST(n, shape)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_squeeze(maker *m, const kni_prim *p)
{
    kn_dtype d = m->t ? m->t : any_dtype(m, "biufc");
    int64_t dim[KN_MAX_NDIM], at[KN_MAX_NDIM];
    int n = 0, ndim = any_shape(m, dim);
    if (ndim < 5)
        dim[ndim++] = 1;
    if (chance(m, 2) && ndim > 1) {
        dim[ndim - 1] = dim[0];
        dim[0] = 1;
    }
    for (int i = 0; i < ndim; i++)
        if (dim[i] == 1 && !chance(m, 4))
            at[n++] = i;
    kni_atom x = want(m, d, ndim, dim, NULL);
    return emit1(m, p, &(kni_p_dims){LIST(n, at)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_rev(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t at[MAX_RANK];
    int n = 0;
    for (int i = 0; i < t.ndim; i++)
        if (chance(m, 2))
            at[n++] = i;
    return emit1(m, p, &(kni_p_dims){LIST(n, at)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_transpose(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t at[MAX_RANK];
    for (int i = 0; i < t.ndim; i++) {
        int k = below(m, i + 1);
        at[i] = at[k];
        at[k] = i;
    }
    return emit1(m, p, &(kni_p_transpose){LIST(t.ndim, at)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_slice(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t lo[MAX_RANK], hi[MAX_RANK], step[MAX_RANK];
    for (int d = 0; d < t.ndim; d++) {
        bool all = chance(m, 3);
        lo[d] = all ? 0 : below(m, chance(m, 2) ? t.dim[d] : t.dim[d] < 3 ? t.dim[d] : 3);
        hi[d] = all ? t.dim[d] : lo[d] + below(m, t.dim[d] - lo[d] + 1);
        if (chance(m, 3))
            hi[d] = t.dim[d];
        step[d] = 1 + (chance(m, 3) ? below(m, 4) : 0);
    }
    bool plain = chance(m, 2);
    return emit1(m, p, &(kni_p_slice){LIST(t.ndim, hi), LIST(t.ndim, lo), plain ? LIST(0, NULL) : LIST(t.ndim, step)},
                 1, &x) != KN_ATOM_NONE;
}

static bool make_concatenate(maker *m, const kni_prim *p)
{
    kni_atom x[4] = {operand_of(m)};
    kni_type t = knb_type(m->b, x[0]);
    int64_t dim[MAX_RANK];
    int n = 1 + below(m, 4);
    if (!t.ndim || t.ndim >= MAX_RANK)
        return false;
    int axis = below(m, t.ndim);
    memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
    for (int i = 1; i < n; i++) {
        if (chance(m, 2))
            dim[axis] = below(m, 6);
        x[i] = chance(m, 4) ? x[0] : want(m, t.dtype, t.ndim, dim, NULL);
    }
    return emit1(m, p, &(kni_p_concatenate){axis}, n, x) != KN_ATOM_NONE;
}

static bool make_pad(maker *m, const kni_prim *p)
{
    kni_atom x[2] = {operand_of(m)};
    kni_type t = knb_type(m->b, x[0]);
    int64_t lo[MAX_RANK], hi[MAX_RANK], in[MAX_RANK];
    for (int d = 0; d < t.ndim; d++) {
        lo[d] = below(m, 6) - 2;
        hi[d] = below(m, 6) - 2;
        in[d] = chance(m, 3) ? below(m, 3) : 0;
    }
    x[1] = want(m, t.dtype, 0, NULL, NULL);
    return emit1(m, p, &(kni_p_pad){LIST(t.ndim, lo), LIST(t.ndim, hi), LIST(t.ndim, in)}, 2, x) != KN_ATOM_NONE;
}

static bool make_iota(maker *m, const kni_prim *p)
{
    int64_t dim[KN_MAX_NDIM];
    int ndim = any_shape(m, dim);
    kn_dtype d = m->t ? m->t : any_dtype(m, "iufc");
    return ndim && emit1(m, p, &(kni_p_iota){below(m, ndim), d, LIST(ndim, dim)}, 0, NULL) != KN_ATOM_NONE;
}

static bool make_split(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m), out[8];
    kni_type t = knb_type(m->b, x);
    int64_t size[5];
    if (!t.ndim)
        return false;
    int axis = below(m, t.ndim), n = 0;
    int64_t left = t.dim[axis];
    for (int i = below(m, 4); i > 0; i--) {
        size[n] = below(m, left + 1);
        left -= size[n++];
    }
    size[n++] = left;
    return emit(m, p, &(kni_p_split){axis, LIST(n, size)}, 1, &x, out, 8) > 0;
}

static bool make_stack(maker *m, const kni_prim *p)
{
    kni_atom x[4] = {operand_of(m)};
    kni_type t = knb_type(m->b, x[0]);
    int64_t dim[MAX_RANK];
    int n = 1 + below(m, 4);
    if (t.ndim > 4)
        return false;
    memcpy(dim, t.dim ? t.dim : (int64_t[]){0}, (size_t)t.ndim * sizeof *dim);
    for (int i = 1; i < n; i++)
        x[i] = chance(m, 4) ? x[0] : want(m, t.dtype, t.ndim, dim, NULL);
    return emit1(m, p, &(kni_p_axis){below(m, t.ndim + 1)}, n, x) != KN_ATOM_NONE;
}

static bool make_unstack(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m), out[MAX_VALUES];
    kni_type t = knb_type(m->b, x);
    int axis = t.ndim ? below(m, t.ndim) : 0;
    return t.ndim && t.dim[axis] && t.dim[axis] < 18 && emit(m, p, &(kni_p_axis){axis}, 1, &x, out, MAX_VALUES) > 0;
}

static bool make_tile(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t reps[MAX_RANK];
    for (int d = 0; d < t.ndim; d++)
        reps[d] = chance(m, 12) ? 0 : 1 + below(m, 3);
    return kni_type_size(t) * 4 < m->room && emit1(m, p, &(kni_p_tile){LIST(t.ndim, reps)}, 1, &x) != KN_ATOM_NONE;
}

/* --- reductions and scans --------------------------------------------------------------------- */

static bool make_reduction(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t axes[MAX_RANK];
    int n = 0, which = below(m, 1 << t.ndim);
    for (int d = 0; d < t.ndim; d++)
        if (which >> d & 1)
            axes[n++] = d;
    return emit1(m, p, &(kni_p_reduce){LIST(n, axes)}, 1, &x) != KN_ATOM_NONE;
}

static bool make_arg(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    int64_t axis = below(m, t.ndim);
    return t.ndim && emit1(m, p, &(kni_p_argreduce){LIST(1, &axis), any_dtype(m, "iu")}, 1, &x) != KN_ATOM_NONE;
}

static bool make_cumulative(maker *m, const kni_prim *p)
{
    kni_atom x = operand_of(m);
    kni_type t = knb_type(m->b, x);
    return t.ndim && emit1(m, p, &(kni_p_cumulative){below(m, t.ndim), chance(m, 2)}, 1, &x) != KN_ATOM_NONE;
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct {
    const kni_prim *prim;
    make_fn *make;
} own[] = {
    {&knp_prim_broadcast_in_dim, make_broadcast},
    {&knp_prim_reshape, make_reshape},
    {&knp_prim_squeeze, make_squeeze},
    {&knp_prim_rev, make_rev},
    {&knp_prim_transpose, make_transpose},
    {&knp_prim_slice, make_slice},
    {&knp_prim_concatenate, make_concatenate},
    {&knp_prim_pad, make_pad},
    {&knp_prim_iota, make_iota},
    {&knp_prim_split, make_split},
    {&knp_prim_stack, make_stack},
    {&knp_prim_unstack, make_unstack},
    {&knp_prim_tile, make_tile},
    {&knp_prim_argmax, make_arg},
    {&knp_prim_argmin, make_arg},
    {&knp_prim_cumsum, make_cumulative},
    {&knp_prim_cumprod, make_cumulative},
    {&knp_prim_cummax, make_cumulative},
    {&knp_prim_cummin, make_cumulative},
    {&knp_prim_cumlogsumexp, make_cumulative},
    {&knp_prim_gather, make_gather},
    {&knp_prim_scatter, make_scatter},
    {&knp_prim_scatter_add, make_scatter},
    {&knp_prim_scatter_sub, make_scatter},
    {&knp_prim_scatter_mul, make_scatter},
    {&knp_prim_scatter_min, make_scatter},
    {&knp_prim_scatter_max, make_scatter},
    {&knp_prim_dynamic_slice, make_dynamic_slice},
    {&knp_prim_dynamic_update_slice, make_dynamic_update},
    {&knp_prim_dot_general, make_dot},
    {&knp_prim_sort, make_sort},
    {&knp_prim_top_k, make_top_k},
    {&knp_prim_cholesky, make_square},
    {&knp_prim_lu, make_square},
    {&knp_prim_triangular_solve, make_solve},
    {&knp_prim_random_bits, make_random_bits},
    {&knp_prim_jit, make_call},
    {&knp_prim_while, make_loop},
    {&knp_prim_remat2, make_remat},
    {&knp_prim_optimization_barrier, make_elementwise},
    {&knp_prim_name, make_elementwise},
};

/* Their series end after about the square root of a rounds, and a may be 1e30. */
bool runs_long(const kni_prim *p) { return p == &knp_prim_igamma_grad_a || p == &knp_prim_random_gamma_grad; }

make_fn *own_maker(const kni_prim *p)
{
    if (runs_long(p))
        return NULL;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].prim == p)
            return own[i].make;
    if (p->bits & KN_REDUCES)
        return make_reduction;
    return p->bits & KN_ELEMENTWISE && !(p->bits & (KN_EFFECT | KN_USER | KN_NAMES)) && p->n_in ? make_elementwise
                                                                                                : NULL;
}

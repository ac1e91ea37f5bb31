/* SPDX-License-Identifier: Apache-2.0
 * make_index.c -- equations with parameters of any shape: computed positions, products, sorting, factorisations, random
 * bits, calls and loops. */
#include "programs.h"

#include <string.h>

#define LIST(n, v) \
    (kni_ints) { n, v }

static kn_dtype dtype_of(maker *m, const char *kinds) { return m->t ? m->t : any_dtype(m, kinds); }

/* An operand of a few axes and not too many elements. */
static kni_atom array_of(maker *m, kn_dtype d, int least, int most)
{
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < 4; i++) {
        kni_atom x = want_dtype(m, d);
        kni_type t = knb_type(m->b, x);
        if (x != KN_ATOM_NONE && t.ndim >= least && t.ndim <= most)
            return x;
    }
    int ndim = least + below(m, most - least + 1);
    for (int i = 0; i < ndim; i++)
        dim[i] = i < 2 ? m->base[below(m, MAX_BASE)] : 1 + below(m, 3);
    return want(m, d, ndim, dim, NULL);
}

/* --- gather and scatter ----------------------------------------------------------------------- */

/* Positions, of all axes or some: windows of the others. `w`: window extents. The shape of a gather's result, which is
 * that of a scatter's updates. */
typedef struct places {
    kni_type t;
    int64_t window[MAX_RANK], gone[MAX_RANK], map[MAX_RANK], offset[2 * MAX_RANK], shape[2 * MAX_RANK], index[4];
    int n_gone, n_map, n_offset, n_shape, n_index;
} places;

static bool choose_places(maker *m, kni_type t, places *p)
{
    int points = below(m, 3), order[MAX_RANK] = {0};
    *p = (places){.t = t};
    if (t.ndim > 4 || !kni_type_size(t))
        return false;
    for (int d = 0; d < t.ndim; d++) {
        int k = below(m, d + 1);
        order[d] = order[k];
        order[k] = d;
    }
    p->n_map = t.ndim ? 1 + below(m, t.ndim) : 0;
    for (int i = 0; i < p->n_map; i++)
        p->map[i] = order[i];
    bool in_front = chance(m, 3);
    for (int d = 0; d < t.ndim; d++) {
        bool mapped = false;
        for (int i = 0; i < p->n_map; i++)
            mapped |= p->map[i] == d;
        p->window[d] = !mapped ? t.dim[d] : chance(m, 3) ? 1 + below(m, t.dim[d]) : 1;
        if (p->window[d] == 1 && mapped && !chance(m, 4))
            p->gone[p->n_gone++] = d;
        else
            p->shape[p->n_shape++] = p->window[d];
    }
    p->n_offset = p->n_shape;
    int64_t size = 1;
    for (int i = 0; i < p->n_shape; i++)
        size *= p->shape[i];
    int64_t at[4];
    for (int i = 0; i < points; i++)
        at[i] = size * 9 > m->room ? 1 : 1 + below(m, i ? 3 : chance(m, 8) ? 200 : 7);
    for (int i = p->n_shape - 1; i >= 0 && in_front; i--)
        p->shape[i + points] = p->shape[i];
    for (int i = 0; i < points; i++) {
        p->shape[in_front ? i : p->n_shape + i] = at[i];
        p->index[p->n_index++] = at[i];
    }
    for (int i = 0; i < p->n_offset; i++)
        p->offset[i] = in_front ? points + i : i;
    p->n_shape += points;
    p->index[p->n_index++] = p->n_map;
    return true;
}

static kni_atom positions(maker *m, const places *p, int64_t mode)
{
    int64_t most = 0;
    for (int d = 0; d < p->t.ndim; d++)
        most = p->t.dim[d] > most ? p->t.dim[d] : most;
    bool inside = mode == KN_GATHER_PROMISE || (mode == KN_GATHER_CHECK && !chance(m, 6));
    for (int i = 0; inside && i < p->n_map; i++) {
        int64_t room = p->t.dim[p->map[i]] - p->window[p->map[i]];
        most = room < most ? room : most;
    }
    kn_dtype d = chance(m, 4) ? any_dtype(m, "iu") : chance(m, 2) ? KN_DT(I32) : KN_DT(I64);
    if (most > 120 && d->size == 1)
        d = KN_DT(I32);
    if (most > 30000 && d->size == 2)
        d = KN_DT(I32);
    return want_index(m, d, p->n_index, p->index, inside ? 0 : -2, inside ? most : most + 1);
}

bool make_gather(maker *m, const kni_prim *prim)
{
    places p;
    kni_atom x[2] = {array_of(m, dtype_of(m, "biufc"), 0, 4)};
    if (x[0] == KN_ATOM_NONE || !choose_places(m, knb_type(m->b, x[0]), &p))
        return false;
    int64_t mode = below(m, chance(m, 4) ? 5 : 3);
    if (mode == KN_GATHER_FILL_ZERO && p.t.dtype->kind == KN_KIND_KEY)
        mode = KN_GATHER_CLIP;
    x[1] = positions(m, &p, mode);
    return emit1(m, prim,
                 &(kni_p_gather){LIST(p.n_offset, p.offset), LIST(p.n_gone, p.gone), LIST(p.n_map, p.map),
                                 LIST(0, NULL), LIST(0, NULL), LIST(p.t.ndim, p.window), mode, false, false,
                                 chance(m, 4)},
                 2, x) != KN_ATOM_NONE;
}

bool make_scatter(maker *m, const kni_prim *prim)
{
    places p;
    kni_atom x[3] = {array_of(m, dtype_of(m, "iufc"), 0, 4)};
    if (x[0] == KN_ATOM_NONE || !choose_places(m, knb_type(m->b, x[0]), &p))
        return false;
    int64_t mode = below(m, chance(m, 4) ? 4 : 3);
    x[1] = positions(m, &p, mode);
    x[2] = want(m, p.t.dtype, p.n_shape, p.shape, NULL);
    return emit1(m, prim,
                 &(kni_p_scatter){LIST(p.n_offset, p.offset), LIST(p.n_gone, p.gone), LIST(p.n_map, p.map),
                                  LIST(0, NULL), LIST(0, NULL), mode, false, false, chance(m, 4)},
                 3, x) != KN_ATOM_NONE;
}

/* --- windows ---------------------------------------------------------------------------------- */

static bool make_window(maker *m, const kni_prim *prim, bool update)
{
    kni_atom x[2 + MAX_RANK] = {array_of(m, dtype_of(m, "biufc"), 0, 4)};
    kni_type t = knb_type(m->b, x[0]);
    int64_t size[MAX_RANK];
    int n = 1;
    kn_dtype d = chance(m, 3) ? any_dtype(m, "iu") : KN_DT(I32);
    if (x[0] == KN_ATOM_NONE)
        return false;
    for (int i = 0; i < t.ndim; i++)
        size[i] = chance(m, 3) ? t.dim[i] : below(m, t.dim[i] + 1);
    if (update)
        x[n++] = want(m, t.dtype, t.ndim, size, NULL);
    for (int i = 0; i < t.ndim; i++)
        x[n++] = want(m, d, 0, NULL, &(fill){-2, 9, true, false});
    return emit1(m, prim, update ? NULL : (const void *)&(kni_p_dynamic_slice){LIST(t.ndim, size)}, n, x) !=
           KN_ATOM_NONE;
}
bool make_dynamic_slice(maker *m, const kni_prim *p) { return make_window(m, p, false); }
bool make_dynamic_update(maker *m, const kni_prim *p) { return make_window(m, p, true); }

/* --- products, sorting ------------------------------------------------------------------------ */

bool make_dot(maker *m, const kni_prim *prim)
{
    kn_dtype d = dtype_of(m, "biufc");
    kni_atom x[2] = {array_of(m, d, 0, 4)};
    kni_type t = knb_type(m->b, x[0]);
    int64_t dim[8], batch[2][4], sum[2][4], work = kni_type_size(t);
    int at[4], n = 0, nb = 0, ns = 0;
    if (x[0] == KN_ATOM_NONE)
        return false;
    for (int i = 0; i < t.ndim; i++) { /* each axis of x: contracted, of the batch, or its own */
        int what = below(m, 4);
        if (what < 2)
            sum[0][ns++] = i;
        else if (what == 2)
            batch[0][nb++] = i;
        if (what < 3)
            at[n++] = i;
    }
    for (int i = n - 1; i > 0; i--) { /* in any order in y */
        int k = below(m, i + 1), swap = at[i];
        at[i] = at[k];
        at[k] = swap;
    }
    for (int i = 0; i < n; i++) {
        dim[i] = t.dim[at[i]];
        for (int k = 0; k < ns; k++)
            if (sum[0][k] == at[i])
                sum[1][k] = i;
        for (int k = 0; k < nb; k++)
            if (batch[0][k] == at[i])
                batch[1][k] = i;
    }
    for (int i = below(m, 2); i > 0 && work < 50000; i--) {
        dim[n] = chance(m, 2) ? 1 + below(m, 6) : m->base[below(m, MAX_BASE)];
        work *= dim[n++];
    }
    if (work > 400000)
        return false;
    kn_dtype prefer = chance(m, 4) && knx_is_inexact(d) ? any_dtype(m, "f") : NULL;
    x[1] = want(m, d, n, dim, NULL);
    return emit1(
               m, prim,
               &(kni_p_dot_general){LIST(ns, sum[0]), LIST(ns, sum[1]), LIST(nb, batch[0]), LIST(nb, batch[1]), prefer},
               2, x) != KN_ATOM_NONE;
}

bool make_sort(maker *m, const kni_prim *prim)
{
    kni_atom x[3] = {array_of(m, dtype_of(m, "biuf"), 1, 4)}, out[4];
    kni_type t = knb_type(m->b, x[0]);
    int64_t dim[MAX_RANK];
    int n = 1 + (chance(m, 3) ? below(m, 3) : 0);
    if (x[0] == KN_ATOM_NONE || t.ndim < 1 || t.ndim > 4)
        return false;
    memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
    for (int i = 1; i < n; i++)
        x[i] = want(m, any_dtype(m, "biufc"), t.ndim, dim, NULL);
    return emit(m, prim, &(kni_p_sort){below(m, t.ndim), 1 + below(m, n), true}, n, x, out, 4) > 0;
}

bool make_top_k(maker *m, const kni_prim *prim)
{
    kni_atom x = array_of(m, dtype_of(m, "iuf"), 1, 3), out[4];
    kni_type t = knb_type(m->b, x);
    if (x == KN_ATOM_NONE || !t.ndim)
        return false;
    int axis = below(m, t.ndim);
    return emit(m, prim, &(kni_p_top_k){axis, below(m, t.dim[axis] + 1)}, 1, &x, out, 4) > 0;
}

/* --- matrices --------------------------------------------------------------------------------- */

static int matrix_shape(maker *m, int64_t *dim, bool square)
{
    static const int64_t n[] = {1, 2, 3, 5, 8, 31, 32, 33, 40};
    int ndim = 2 + chance(m, 3), most = m->room > 3000 ? 9 : 5;
    dim[0] = 1 + below(m, 3);
    dim[ndim - 1] = n[below(m, most)];
    dim[ndim - 2] = square ? dim[ndim - 1] : n[below(m, most)];
    return ndim;
}

bool make_square(maker *m, const kni_prim *prim)
{
    int64_t dim[4];
    kni_atom out[4];
    bool lu = prim == &knp_prim_lu;
    int ndim = matrix_shape(m, dim, !lu || chance(m, 2));
    kni_atom x = want(m, dtype_of(m, "fc"), ndim, dim, &(fill){.lo = -1, .hi = 1});
    if (x != KN_ATOM_NONE && !lu)
        x = keep(m, knb_on_diagonal(m->b, x, knb_add(m->b, x, knb_like(m->b, x, (double)(2 * dim[ndim - 1] + 2))), x));
    int64_t check = chance(m, 8) ? (lu ? KN_CHECK_INV : KN_CHECK_CHOLESKY) : KN_CHECK_NONE;
    return emit(m, prim, &(kni_p_factorize){check}, 1, &x, out, 4) > 0;
}

bool make_solve(maker *m, const kni_prim *prim)
{
    int64_t dim[4], other[4];
    int ndim = matrix_shape(m, dim, true);
    bool left = chance(m, 2);
    kn_dtype d = dtype_of(m, "fc");
    memcpy(other, dim, sizeof other);
    other[ndim - (left ? 1 : 2)] = 1 + below(m, 40);
    kni_atom x[2] = {want(m, d, ndim, dim, NULL), want(m, d, ndim, other, NULL)};
    return emit1(m, prim, &(kni_p_triangular_solve){left, chance(m, 2), chance(m, 2), chance(m, 2), chance(m, 2)}, 2,
                 x) != KN_ATOM_NONE;
}

bool make_random_bits(maker *m, const kni_prim *prim)
{
    int64_t dim[KN_MAX_NDIM];
    kni_atom key = want(m, KN_DT(KEY), chance(m, 3), (int64_t[]){1 + below(m, 3)}, NULL);
    return emit1(m, prim, &(kni_p_random_bits){8 << below(m, 4), LIST(any_shape(m, dim), dim)}, 1, &key) !=
           KN_ATOM_NONE;
}

/* --- calls and loops -------------------------------------------------------------------------- */

static int some_values(maker *m, int most, kni_atom *x, kni_type *t)
{
    int n = 1 + below(m, most);
    for (int i = 0; i < n; i++) {
        x[i] = want_dtype(m, !i && m->t ? m->t : any_dtype(m, "biufc"));
        t[i] = knb_type(m->b, x[i]);
    }
    return n;
}

static bool make_call_of(maker *m, bool again)
{
    kni_atom x[4], out[8];
    kni_type t[4];
    if (m->depth > 1)
        return false;
    int n = some_values(m, 3, x, t), results = 1 + below(m, 3);
    kni_jaxpr *j = make_body(m, n, t, results, NULL, 1 + below(m, 6));
    if (!j)
        return false;
    int made = again ? emit(m, &knp_prim_remat2, &(kni_p_remat){.jaxpr = j, .prevent_cse = chance(m, 2)}, n, x, out, 8)
                     : emit(m, &knp_prim_jit, &(kni_p_jit){.name = "f", .jaxpr = j}, n, x, out, 8);
    kni_release(j);
    return made > 0;
}
bool make_call(maker *m, const kni_prim *p)
{
    (void)p;
    return make_call_of(m, false);
}
bool make_remat(maker *m, const kni_prim *p)
{
    (void)p;
    return make_call_of(m, true);
}

/* n, constants, i, carry: while i < n and a value of the carry is small or any. */
static kni_jaxpr *condition(maker *m, int n_carry, const kni_type *carry)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    kni_atom n = knb_invar(&b, kni_scalar_type(KN_DT(I32))), i = knb_invar(&b, kni_scalar_type(KN_DT(I32))), first = 0;
    for (int k = 0; k < n_carry; k++) {
        kni_atom x = knb_invar(&b, carry[k]);
        first = k ? first : x;
    }
    kni_atom y = knb_lt(&b, i, n);
    if (n_carry && !carry[0].ndim && knx_is_float(carry[0].dtype) && chance(m, 2))
        y = knb_and(&b, y, knb_lt(&b, first, knb_number(&b, carry[0].dtype, 100)));
    knx_error *e = knb_finish(&b, 1, &y, "", false, &j);
    knx_error_release(e);
    knb_free(&b);
    return j;
}

bool make_loop(maker *m, const kni_prim *prim)
{
    kni_atom x[12], carry[4], given[2], out[8];
    kni_type type[12], counter = kni_scalar_type(KN_DT(I32));
    if (m->depth > 1)
        return false;
    kni_type given_type[2], carry_type[4];
    int n_given = some_values(m, 2, given, given_type), n_carry = some_values(m, 3, carry, carry_type), n = 0;
    if (m->t)
        carry[n_carry - 1] = want_dtype(m, m->t), carry_type[n_carry - 1] = knb_type(m->b, carry[n_carry - 1]);
    for (int i = 0; i < n_carry; i++)
        if (kni_type_size(carry_type[i]) > 3000)
            return false;
    for (int i = 0; i < n_given; i++)
        type[n++] = given_type[i];
    type[n++] = counter;
    for (int i = 0; i < n_carry; i++)
        type[n++] = carry_type[i];
    kni_jaxpr *step = make_body(m, n, type, n_carry, carry_type, 1 + below(m, 5)), *body = NULL,
              *cond = condition(m, n_carry, carry_type);
    kni_builder b; /* counts, then the step */
    knb_init(&b);
    kni_atom in[12], y[8];
    for (int i = 0; i < n; i++)
        in[i] = knb_invar(&b, type[i]);
    y[0] = knb_add(&b, in[n_given], knb_integer(&b, KN_DT(I32), 1));
    if (step && cond) {
        knb_inline(&b, step, in, y + 1);
        knx_error *e = knb_finish(&b, 1 + n_carry, y, "", false, &body);
        knx_error_release(e);
    }
    knb_free(&b);
    n = 0;
    x[n++] = want_index(m, KN_DT(I32), 0, NULL, -1, 4);
    for (int i = 0; i < n_given; i++)
        x[n++] = given[i];
    x[n++] = knb_integer(m->b, KN_DT(I32), 0);
    for (int i = 0; i < n_carry; i++)
        x[n++] = carry[i];
    int made = body ? emit(m, prim, &(kni_p_while){body, n_given, cond, 1, 0, 0, 0}, n, x, out, 8) : 0;
    kni_release(step);
    kni_release(body);
    kni_release(cond);
    return made > 0;
}

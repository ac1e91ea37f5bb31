/* SPDX-License-Identifier: Apache-2.0
 * windows.c -- jax.lax: reductions over windows, and one element of each. */
#include "lax/internal.h"
#include <string.h>

/* What the parameters of an equation point into. */
typedef struct lists {
    int64_t ones[KN_MAX_NDIM], lo[KN_MAX_NDIM], hi[KN_MAX_NDIM];
    kn_lax_pad_pair pads[KN_MAX_NDIM];
    kn_lax_reduce_window_opts o;
} lists;

static kni_ints list_of(const kn_shape *given, int n, const int64_t *ones)
{
    return given ? (kni_ints){given->ndim, given->dim} : (kni_ints){n, ones};
}

/* SAME is of windows as wide as they are with their dilation; lists that do not fit are left to the rows. */
static void read_padding(kna_op *op, kni_type x, const kni_p_window *p, lists *v)
{
    int64_t window[KN_MAX_NDIM];
    int n = p->window_dimensions.n;
    bool fits = p->window_strides.n == n && p->window_dilation.n == n && x.ndim == n;
    for (int d = 0; d < n; d++)
        if (!fits || !knlax_wide_window(p->window_dimensions.v[d], p->window_dilation.v[d], &window[d]))
            window[d] = 1;
    memset(v->pads, 0, sizeof v->pads);
    if (!fits && !v->o.padding.pair)
        return;
    knlax_read_pads(op, &v->o.padding, fits ? n : x.ndim, x.dim, window, p->window_strides.v, v->pads);
}

static kni_p_window read_windows(kna_op *op, kni_type x, const kn_shape *dimensions,
                                 const kn_lax_reduce_window_opts *opts, lists *v)
{
    int n = dimensions->ndim;
    v->o = kn_lax_reduce_window_opts_default();
    knx_read_options(&v->o, sizeof v->o, opts);
    for (int d = 0; d < n; d++)
        v->ones[d] = 1;
    kni_p_window p = {.base_dilation = list_of(kna_shape_or_null(op, v->o.base_dilation), n, v->ones),
                      .window_dilation = list_of(kna_shape_or_null(op, v->o.window_dilation), n, v->ones),
                      .window_dimensions = {n, dimensions->dim},
                      .window_strides = list_of(kna_shape_or_null(op, v->o.window_strides), n, v->ones),
                      .lo = {x.ndim, v->lo},
                      .hi = {x.ndim, v->hi}};
    if (kna_failed(op))
        return p;
    read_padding(op, x, &p, v);
    for (int d = 0; d < x.ndim; d++) {
        v->lo[d] = v->pads[d].low;
        v->hi[d] = v->pads[d].high;
    }
    return p;
}

/* ---- Reductions. */

typedef kni_atom reducer(kni_builder *b, kni_atom x, const kni_p_window *p);

static kn_array reduce(const char *name, reducer *by, kn_array x, const kn_shape *dimensions,
                       const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    lists v;
    kna_begin(&op, name);
    dimensions = kna_given_shape(&op, dimensions, "window_dimensions");
    kni_atom a = kna_in(&op, x);
    kni_p_window p = read_windows(&op, knb_type(op.b, a), dimensions, opts, &v);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : by(op.b, a, &p));
}

/* By one multiplication. */
static kni_atom product(kni_builder *b, kni_atom x, const kni_p_window *p)
{
    kni_builder body;
    kni_p_window q = *p;
    kni_type t = knb_type(b, x);
    kni_atom y = KN_ATOM_NONE, in[2] = {x, knb_like(b, x, 1)};
    if (b->error)
        return y;
    if (!knx_is_inexact(t.dtype) && !knx_is_integer(t.dtype)) {
        knb_fail(b, knx_error_new(KN_ERROR_TYPE, "does not accept dtype %s. Accepted dtypes are subtypes of number.",
                                  t.dtype->name));
        return y;
    }
    knb_init(&body);
    kni_atom left = knb_invar(&body, kni_scalar_type(t.dtype)), right = knb_invar(&body, kni_scalar_type(t.dtype));
    kni_atom z = knb_mul(&body, left, right);
    knx_error *e = knb_finish(&body, 1, &z, "reduce", false, &q.jaxpr);
    if (e)
        knb_fail(b, e);
    else
        knb_reduce_window(b, 1, in, &q, &y);
    kni_release(q.jaxpr);
    return y;
}

#define REDUCE(function, name, by)                                                                          \
    kn_array function(kn_array x, const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts) \
    {                                                                                                       \
        return reduce("lax." #name, by, x, window_dimensions, opts);                                        \
    }
REDUCE(kn_lax_reduce_window_sum, reduce_window_sum, knb_reduce_window_sum)
REDUCE(kn_lax_reduce_window_max, reduce_window_max, knb_reduce_window_max)
REDUCE(kn_lax_reduce_window_min, reduce_window_min, knb_reduce_window_min)
REDUCE(kn_lax_reduce_window_prod, reduce_window_prod, product)

/* The reduction that j is, with this value to begin with; NULL if it is none with a row of its own. */
static reducer *monoid(const kni_jaxpr *j, kn_dtype d, knx_scalar_bits init)
{
    if (j->n_eqn != 1 || j->n_out != 1 || j->out[0] != j->eqn->out || j->eqn->n_in != 2 ||
        j->eqn->in[0] + j->eqn->in[1] != 1 || j->eqn->in[0] > 1)
        return NULL;
    if (j->eqn->prim == &knp_prim_add)
        return d->kind != KN_KIND_BOOL && knlax_is_zero(d, init) ? knb_reduce_window_sum : NULL;
    if (j->eqn->prim == &knp_prim_max)
        return knlax_is_extreme(d, init, -1) ? knb_reduce_window_max : NULL;
    if (j->eqn->prim == &knp_prim_min)
        return knlax_is_extreme(d, init, 1) ? knb_reduce_window_min : NULL;
    return NULL;
}

/* x: n arrays, then n scalars; first: the first of these as it was given. */
static void reduce_by(kna_op *op, int n, const kni_atom *x, kn_array first, kn_fn computation,
                      const kn_shape *dimensions, const kn_lax_reduce_window_opts *opts, kni_atom *y)
{
    lists v;
    knx_scalar_bits init;
    kni_type t = kna_failed(op) ? (kni_type){.dtype = KN_DT(F32)} : knb_type(op->b, x[0]);
    kni_p_window p = read_windows(op, t, dimensions, opts, &v);
    kni_jaxpr *j = knlax_record(op, computation, n, x);
    if (!j)
        return;
    bool known = n == 1 && knlax_known_number(op, first, x[1], t.dtype, &init);
    reducer *by = known ? monoid(j, t.dtype, init) : NULL;
    p.jaxpr = j;
    if (by)
        y[0] = by(op->b, x[0], &p);
    else
        knb_reduce_window(op->b, n, x, &p, y);
    kni_release(j);
}

kn_array kn_lax_reduce_window(kn_array x, kn_array init_value, kn_fn computation, const kn_shape *window_dimensions,
                              const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    kni_atom a[2], y = KN_ATOM_NONE;
    kna_begin(&op, "lax.reduce_window");
    window_dimensions = kna_shape(&op, window_dimensions);
    knlax_same_dtypes(&op, 2, (kn_array[]){x, init_value}, a);
    reduce_by(&op, 1, a, init_value, computation, window_dimensions, opts, &y);
    return kna_end(&op, y);
}

kn_list kn_lax_reduce_window_list(kn_list operands, kn_list init_values, kn_fn computation,
                                  const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    const kn_array *init = NULL;
    int n;
    kna_begin(&op, "lax.reduce_window");
    window_dimensions = kna_shape(&op, window_dimensions);
    kni_atom *a = knlax_read_pairs(&op, operands, init_values, &n, &init);
    if (a)
        reduce_by(&op, n, a, *init, computation, window_dimensions, opts, a + 2 * n);
    kn_list list = knlax_end_list(&op, n, a ? a + 2 * n : NULL);
    knx_free(a);
    return list;
}

kn_shape kn_lax_reduce_window_shape_tuple(const kn_shape *operand_shape, const kn_shape *window_dimensions,
                                          const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    lists v;
    kn_shape shape = {.ndim = -1};
    kna_begin(&op, "lax.reduce_window_shape_tuple");
    operand_shape = kna_shape(&op, operand_shape);
    window_dimensions = kna_shape(&op, window_dimensions);
    kni_type t = kni_type_of(KN_DT(F32), operand_shape->ndim, operand_shape->dim), y = {0};
    kni_p_window p = read_windows(&op, t, window_dimensions, opts, &v);
    knx_arena a = {0};
    kni_rule r = {.params = &p, .n_in = 1, .n_out = 1, .xt = &t, .arena = &a};
    knx_error *e = kna_failed(&op) ? NULL : knp_prim_reduce_window_max.type(&r, &y);
    if (e)
        kna_fail_with(&op, e);
    if (!kna_failed(&op)) {
        shape.ndim = y.ndim;
        for (int d = 0; d < y.ndim; d++)
            shape.dim[d] = y.dim[d];
    }
    knx_arena_free(&a);
    if (!kna_end_plain(&op))
        shape.ndim = -1;
    return shape;
}

/* ---- One element of each window. */

static bool check_select(kna_op *op, kn_lax_select_prim select)
{
    if (!kna_failed(op) && select != KN_LAX_SELECT_GE && select != KN_LAX_SELECT_LE)
        kna_fail(op, KN_ERROR_VALUE, "select_prim must be KN_LAX_SELECT_GE or KN_LAX_SELECT_LE");
    return !kna_failed(op);
}

static void check_dilations(kna_op *op, const kni_p_window *p)
{
    const kni_ints *list[] = {&p->base_dilation, &p->window_dilation};
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < list[k]->n && !kna_failed(op); d++)
            if (list[k]->v[d] != 1)
                kna_fail(op, KN_ERROR_VALUE, "takes no dilations");
}

kn_array kn_lax_select_and_gather_add(kn_array tangents, kn_array operand, kn_lax_select_prim select_prim,
                                      const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    lists v;
    kna_begin(&op, "lax.select_and_gather_add");
    window_dimensions = kna_shape(&op, window_dimensions);
    kni_atom t = kna_in(&op, tangents), x = kna_in(&op, operand);
    kni_p_window p = read_windows(&op, knb_type(op.b, x), window_dimensions, opts, &v);
    p.select_prim = (int64_t)select_prim;
    bool good = check_select(&op, select_prim);
    return kna_end(&op, good ? knb_select_and_gather_add(op.b, t, x, &p) : KN_ATOM_NONE);
}

kn_array kn_lax_select_and_scatter_add(kn_array source, kn_array operand, kn_lax_select_prim select_prim,
                                       const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    lists v;
    kna_begin(&op, "lax.select_and_scatter_add");
    window_dimensions = kna_shape(&op, window_dimensions);
    kni_atom s = kna_in(&op, source), x = kna_in(&op, operand);
    kni_p_window p = read_windows(&op, knb_type(op.b, x), window_dimensions, opts, &v);
    p.select_prim = (int64_t)select_prim;
    check_dilations(&op, &p);
    bool good = check_select(&op, select_prim);
    return kna_end(&op, good ? knb_select_and_scatter_add(op.b, s, x, &p) : KN_ATOM_NONE);
}

kn_array kn_lax_select_and_scatter(kn_array operand, kn_array source, kn_array init_value, kn_fn select, kn_fn scatter,
                                   const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts)
{
    kna_op op;
    lists v;
    kni_atom x[3], y = KN_ATOM_NONE;
    kna_begin(&op, "lax.select_and_scatter");
    window_dimensions = kna_shape(&op, window_dimensions);
    knlax_same_dtypes(&op, 3, (kn_array[]){operand, source, init_value}, x);
    kni_type t = kna_failed(&op) ? (kni_type){.dtype = KN_DT(F32)} : knb_type(op.b, x[0]);
    kni_p_window p = read_windows(&op, t, window_dimensions, opts, &v);
    check_dilations(&op, &p);
    p.select_jaxpr = knlax_record(&op, select, 1, x);
    p.scatter_jaxpr = p.select_jaxpr ? knlax_record(&op, scatter, 1, x) : NULL;
    if (p.scatter_jaxpr)
        y = knb_select_and_scatter(op.b, x[0], x[1], x[2], &p);
    kni_release(p.select_jaxpr);
    kni_release(p.scatter_jaxpr);
    return kna_end(&op, y);
}

/* SPDX-License-Identifier: Apache-2.0
 * pooling.c -- the largest, smallest or mean element of each window of an image, and pooling by any function. */
#include "kiln/nn.h"
#include "lax/internal.h"
#include "nn/operand.h"
#include "lib/compose.h"
#include "lib/internal.h"

/* The options for all axes of the operand. */
typedef struct pooling {
    kn_nn_pool_opts o;
    kn_shape window, strides, ones;
    kn_lax_pad_pair pad[KN_MAX_NDIM];
    kn_lax_reduce_window_opts lax;
    int64_t low[KN_MAX_NDIM], high[KN_MAX_NDIM];
    int first; /* of the axes of the windows */
} pooling;

static void check(kna_op *op, const pooling *p, int ndim, const kn_shape *window)
{
    knx_text s = {0}, t = {0};
    int n = window->ndim;
    if (p->o.strides && p->o.strides->ndim != n)
        kna_fail(op, KN_ERROR_ASSERTION, "len(%s) must equal len(%s)", knlax_tuple(&s, n, window->dim),
                 knlax_tuple(&t, p->o.strides->ndim, p->o.strides->dim));
    else if (!p->o.padding.type && p->o.padding.pair && p->o.padding.n != n)
        kna_fail(op, KN_ERROR_ASSERTION,
                 "padding must specify pads for same number of dims as window_shape %s, but has %d",
                 knlax_tuple(&s, n, window->dim), p->o.padding.n);
    else if (ndim < n + 1)
        kna_fail(op, KN_ERROR_ASSERTION, "windows of %d dimensions need an operand of %d at least, got %d", n, n + 1,
                 ndim);
}

static bool read_options(kna_op *op, int ndim, const kn_shape *window, const kn_nn_pool_opts *opts, pooling *p)
{
    p->o = kn_nn_pool_opts_default();
    knx_read_options(&p->o, sizeof p->o, opts);
    p->o.strides = kna_shape_or_null(op, p->o.strides);
    if (!p->o.padding.type)
        kna_given_list(op, p->o.padding.n, p->o.padding.pair, KN_MAX_NDIM, "padding");
    if (!kna_failed(op))
        check(op, p, ndim, window);
    if (kna_failed(op))
        return false;
    p->first = ndim - window->ndim - !p->o.channels_first;
    p->window.ndim = p->strides.ndim = p->ones.ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        int k = d - p->first;
        bool inside = k >= 0 && k < window->ndim;
        p->window.dim[d] = inside ? window->dim[k] : 1;
        p->strides.dim[d] = inside && p->o.strides ? p->o.strides->dim[k] : 1;
        p->ones.dim[d] = 1;
        p->pad[d] = inside && p->o.padding.pair ? p->o.padding.pair[k] : (kn_lax_pad_pair){0, 0};
    }
    p->lax = kn_lax_reduce_window_opts_default();
    p->lax.window_strides = &p->strides;
    p->lax.padding = p->o.padding.type || !p->o.padding.pair ? (kn_lax_pads){.type = p->o.padding.type}
                                                             : (kn_lax_pads){NULL, ndim, p->pad};
    return true;
}

static kni_p_window parameters(kna_op *op, kni_type t, pooling *p)
{
    kni_ints ones = {t.ndim, p->ones.dim};
    knlax_read_pads(op, &p->lax.padding, t.ndim, t.dim, p->window.dim, p->strides.dim, p->pad);
    for (int d = 0; d < t.ndim; d++) {
        p->low[d] = p->pad[d].low;
        p->high[d] = p->pad[d].high;
    }
    return (kni_p_window){.base_dilation = ones,
                          .lo = {t.ndim, p->low},
                          .hi = {t.ndim, p->high},
                          .window_dilation = ones,
                          .window_dimensions = {t.ndim, p->window.dim},
                          .window_strides = {t.ndim, p->strides.dim}};
}

static kn_array extreme(const char *name, kni_atom (*by)(kni_builder *, kni_atom, const kni_p_window *), kn_array x,
                        const kn_shape *window, const kn_nn_pool_opts *opts)
{
    kna_op op;
    pooling p;
    kna_begin(&op, name);
    window = kna_given_shape(&op, window, "window_shape");
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!read_options(&op, t.ndim, window, opts, &p))
        return kna_end(&op, KN_ATOM_NONE);
    kni_p_window w = parameters(&op, t, &p);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : by(op.b, a, &w));
}

kn_array kn_nn_max_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts)
{
    return extreme("nn_max_pool", knb_reduce_window_max, x, window_shape, opts);
}

kn_array kn_nn_min_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts)
{
    return extreme("nn_min_pool", knb_reduce_window_min, x, window_shape, opts);
}

/* How many elements each window has, of an operand of type t. */
static kni_atom counts(kna_op *op, const pooling *p, kni_type t, const kni_p_window *w)
{
    int64_t shape[KN_MAX_NDIM];
    for (int d = 0; d < t.ndim; d++)
        shape[d] = p->window.dim[d] == 1 && p->strides.dim[d] == 1 && !p->low[d] && !p->high[d] ? 1 : t.dim[d];
    return knb_reduce_window_sum(op->b, knb_full(op->b, kni_type_of(t.dtype, t.ndim, shape), 1), w);
}

kn_array kn_nn_avg_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts)
{
    kna_op op;
    pooling p;
    kna_begin(&op, "nn_avg_pool");
    window_shape = kna_shape(&op, window_shape);
    kni_atom a = knnn_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (!read_options(&op, t.ndim, window_shape, opts, &p))
        return kna_end(&op, KN_ATOM_NONE);
    kni_p_window w = parameters(&op, t, &p);
    kni_atom sum = kna_failed(&op) ? KN_ATOM_NONE : knb_reduce_window_sum(op.b, a, &w), n;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (p.o.count_include_pad) {
        double all = 1;
        for (int d = 0; d < window_shape->ndim; d++)
            all *= (double)window_shape->dim[d];
        n = knx_has_symbolic(window_shape->ndim, window_shape->dim)
                ? knb_dimension(op.b, t.dtype, knx_dim_size(window_shape->ndim, window_shape->dim))
                : knb_like(op.b, sum, all);
    } else {
        n = knb_broadcast_to(op.b, counts(&op, &p, t, &w), knb_type(op.b, sum));
    }
    return kna_end(&op, knb_div(op.b, sum, n));
}

kn_array kn_nn_pool(kn_array x, kn_array init, kn_fn reduce_fn, const kn_shape *window_shape,
                    const kn_nn_pool_opts *opts)
{
    knl_body c;
    pooling p;
    knl_begin(&c, "nn_pool");
    window_shape = kna_shape(&c.op, window_shape);
    kni_type t = kna_type(&c.op, x);
    bool fine = read_options(&c.op, t.ndim, window_shape, opts, &p);
    return knl_end(&c, fine ? (kn_lax_reduce_window)(x, init, reduce_fn, &p.window, &p.lax) : NULL);
}

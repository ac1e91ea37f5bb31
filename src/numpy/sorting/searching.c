/* SPDX-License-Identifier: Apache-2.0
 * searching.c -- searchsorted and digitize: binary searches of a fixed number of steps. */
#include "lib/compose.h"
#include <string.h>

/* The side as `right`. */
static bool read_side(kna_op *op, const char *side)
{
    bool right = side && !strcmp(side, "right");
    if (side && !right && strcmp(side, "left") != 0 && !kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "search side must be 'left' or 'right' (got '%s')", side);
    return right;
}

static kni_atom vector(kna_op *op, kn_array a, kn_dtype d)
{
    kni_atom x = kna_in_as(op, a, d);
    if (kna_failed(op))
        return x;
    int ndim = knb_type(op->b, x).ndim;
    if (ndim != 1)
        kna_fail(op, KN_ERROR_VALUE,
                 ndim ? "object too deep for desired array" : "object of too small depth for desired array");
    return x;
}

/* a in the order of the sorter, whose elements must be positions of a. */
static kni_atom rearranged(kna_op *op, kni_atom a, kn_array sorter)
{
    kni_atom at = kna_in(op, sorter);
    if (kna_failed(op))
        return a;
    kni_type t = knb_type(op->b, at);
    if (!knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "sorter must only contain integers");
    else if (t.ndim != 1)
        kna_fail(op, KN_ERROR_VALUE,
                 t.ndim ? "object too deep for desired array" : "object of too small depth for desired array");
    else if (!knx_dim_eq(t.dim[0], knb_type(op->b, a).dim[0]))
        kna_fail(op, KN_ERROR_VALUE, "sorter.size must equal a.size");
    return knl_take_axis(op, a, at, 0, KN_GATHER_CLIP);
}

kn_array kn_searchsorted(kn_array a, kn_array v, const kn_searchsorted_opts *opts)
{
    KNX_OPTS(kn_searchsorted_opts, o, opts);
    kna_op op;
    kna_begin(&op, "searchsorted");
    const kn_array both[] = {a, v};
    bool right = read_side(&op, o.side);
    kn_dtype d = kna_result_type(&op, 2, both);
    if (kna_failed(&op) || knl_not_a_number(&op, "searchsorted", d))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom x = vector(&op, a, d);
    if (o.sorter)
        x = rearranged(&op, x, o.sorter);
    return kna_end(&op, knl_search(&op, x, kna_in_as(&op, v, d), right));
}

/* 1 if the bins rise, -1 if they fall, 0 if neither; 2 if their values are not known here. */
static int direction(kna_op *op, kn_array bins)
{
    kni_type t;
    if (kna_failed(op) || !knl_may_look(bins))
        return 2;
    const char *at = kna_look(op, bins, &t);
    bool up = true, down = true;
    for (int64_t i = 0; at && i + 1 < t.dim[0]; i++) {
        double p, q;
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, KN_DT(F64), &p);
        knx_convert(t.dtype, at + (size_t)(i + 1) * t.dtype->size, KN_DT(F64), &q);
        up = up && !(p > q);
        down = down && !(p < q);
    }
    return up ? 1 : down ? -1 : 0;
}

kn_array kn_digitize(kn_array x, kn_array bins, const kn_digitize_opts *opts)
{
    KNX_OPTS(kn_digitize_opts, o, opts);
    knl_body c;
    knl_begin(&c, "digitize");
    kni_type t = kna_type(&c.op, x), s = kna_type(&c.op, bins);
    if (!kna_failed(&c.op) && knx_is_complex(t.dtype))
        kna_fail(&c.op, KN_ERROR_TYPE, "x may not be complex");
    else if (!kna_failed(&c.op) && s.ndim != 1)
        kna_fail(&c.op, KN_ERROR_VALUE,
                 s.ndim ? "object too deep for desired array" : "object of too small depth for desired array");
    int way = direction(&c.op, bins);
    if (!kna_failed(&c.op) && !way)
        kna_fail(&c.op, KN_ERROR_VALUE, "bins must be monotonically increasing or decreasing");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    int64_t n = s.dim[0];
    kn_searchsorted_opts side = kn_searchsorted_opts_default();
    side.side = o.right ? "left" : "right";
    if (way == 1 || !n)
        return knl_end(&c, kn_searchsorted(bins, x, &side));
    kn_array turned = kn_flip(bins, NULL), rises = NULL;
    if (way == 2) { /* one search, in the bins or in them the other way round */
        kn_shape scalar = {.ndim = 0};
        rises = kn_less_equal(knl_part("", bins, 0, 0, 1), knl_part("", bins, 0, n - 1, n));
        turned = kn_where(rises, bins, turned);
        rises = kn_reshape(rises, &scalar, NULL);
    }
    kn_array at = kn_searchsorted(turned, x, &side), down = kn_subtract(kn_like_int(n), at);
    return knl_end(&c, rises ? kn_where(rises, at, down) : down);
}

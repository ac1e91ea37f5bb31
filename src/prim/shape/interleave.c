/* SPDX-License-Identifier: Apache-2.0
 * interleave.c -- sums of two arrays that are spread along an axis, with zeros between their elements, so that each
 * stands where the other has its zeros (what parallel prefixes are joined by): their elements in turn, without reading
 * zeros. */
#include "prim/rules.h"
#include <string.h>

/* The equation that makes `a`, if it is a pad with zeros; else NULL. */
static const kni_draft_eqn *zeros_around(const kni_builder *b, kni_atom a)
{
    static const knx_scalar_bits zero;
    knx_scalar_bits bits;
    const kni_draft_eqn *e = knb_maker(b, a);
    bool pads = e && e->prim == &knp_prim_pad;
    return pads && knb_literal_value(b, e->in[1], &bits) && !memcmp(&bits, &zero, sizeof bits) ? e : NULL;
}

/* The axis along which every other place is an element, from place `first` on; -1: there is none. */
static int spread_along(const kni_draft_eqn *e, int64_t first, kni_type y)
{
    const kni_p_pad *p = e->params;
    int axis = -1;
    for (int d = 0; d < y.ndim; d++) {
        bool spread = p->interior.v[d] == 1 && p->lo.v[d] == first && (p->hi.v[d] == 0 || p->hi.v[d] == 1);
        if (spread && axis < 0)
            axis = d;
        else if (p->interior.v[d] || p->lo.v[d] || p->hi.v[d])
            return -1;
    }
    return axis;
}

/* x + 0, which -0 is not; as [n, 1] along the axis, for n of an odd number with one element more. */
static kni_atom in_column(kni_builder *b, kni_atom x, int axis, int64_t n)
{
    kni_type t = knb_type(b, x);
    int64_t hi[KN_MAX_NDIM] = {0}, none[KN_MAX_NDIM] = {0};
    kni_atom zero = knb_literal(b, t.dtype, t.weak, knx_scalar_from_double(t.dtype, 0));
    if (knx_is_inexact(t.dtype))
        x = knb_add(b, x, zero);
    hi[axis] = n - t.dim[axis];
    if (hi[axis])
        x = knb_pad(b, x, zero, none, hi, none);
    knp_dims shape = knp_insert((kni_ints){t.ndim, t.dim}, axis + 1, 1);
    shape.v[axis] = n;
    return knb_reshape(b, x, shape.n, shape.v);
}

kni_atom knp_interleaved(const kni_rule *r)
{
    kni_builder *b = r->b;
    const kni_draft_eqn *e[2] = {zeros_around(b, r->x[0]), zeros_around(b, r->x[1])};
    kni_type y = r->yt[0];
    if (!e[0] || !e[1] || kni_type_is_symbolic(y))
        return KN_ATOM_NONE;
    bool swapped = spread_along(e[0], 0, y) < 0;
    int axis = spread_along(e[swapped], 0, y);
    if (axis < 0 || axis != spread_along(e[!swapped], 1, y))
        return KN_ATOM_NONE;
    kni_atom x[2] = {e[swapped]->in[0], e[!swapped]->in[0]}; /* emitting moves the equations */
    int64_t n = y.dim[axis], half = (n + 1) / 2, outer = 1;
    for (int d = 0; d < axis; d++)
        outer *= y.dim[d];
    if (n < 2 || (n % 2 && outer != 1)) /* the result would be no interval of memory */
        return KN_ATOM_NONE;
    x[0] = in_column(b, x[0], axis, half);
    x[1] = in_column(b, x[1], axis, half);
    kni_atom z = knb_concatenate(b, 2, x, axis + 1);
    knp_dims shape = knp_dims_of(y), start = {.n = y.ndim};
    shape.v[axis] = 2 * half;
    z = knb_reshape(b, z, shape.n, shape.v);
    return n % 2 ? knb_slice(b, z, start.v, y.dim, NULL) : z;
}

/* SPDX-License-Identifier: Apache-2.0
 * plane.c -- arctan2 and hypot: two real arrays, element by element; integers become floats. */
#include "array/storage.h"
#include "numpy/internal.h"

static kn_array of_two(const char *name, kn_atom (*f)(kn_builder *, kn_atom, kn_atom), kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, name);
    const kn_array both[] = {x, y};
    kn_shape shape;
    kn_dtype d = kna_result_type(&op, 2, both);
    knn_common_shape(&op, 2, both, &shape);
    if (kna_failed(&op) || knn_not_a_number(&op, name, d))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(d))
        knn_not_supported(&op, name);
    kn_type xt = kna_type(&op, x), yt = kna_type(&op, y);
    if (xt.weak || yt.weak)
        d = knn_float_for(kni_scalar_type(d));
    else /* the first loop that takes both */
        d = knx_promote(knn_float_for(xt), knn_float_for(yt));
    kn_atom a = knn_operand(&op, x, d, &shape);
    return kna_end_in_order(&op, f(op.b, a, knn_operand(&op, y, d, &shape)), 2, both);
}

kn_array kn_arctan2(kn_array x, kn_array y) { return of_two("arctan2", knb_atan2, x, y); }
kn_array kn_atan2(kn_array x, kn_array y) { return kn_arctan2(x, y); }
kn_array kn_hypot(kn_array x, kn_array y) { return of_two("hypot", knb_hypot, x, y); }

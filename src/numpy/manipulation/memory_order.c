/* SPDX-License-Identifier: Apache-2.0
 * memory_order.c -- arrays with a layout: what is asked for is had without a copy where possible. */
#include "kiln/memory.h"
#include "array/handle.h"
#include "lib/compose.h"
#include <string.h>

/* An array of its own that lies in Fortran's order. */
static kn_array fortran_copy(const char *name, kn_array x, kn_dtype d)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = d ? kna_in_as(&op, x, d) : kna_in(&op, x);
    int64_t order[KN_MAX_NDIM];
    int ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim;
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    return ndim > 1 && !kna_failed(&op) ? kna_end_permuted(&op, a, order) : kna_end(&op, a);
}

kn_array knl_in_order(const char *name, kn_array x, kn_dtype d, char order, bool copy)
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    kn_dtype to = d ? d : kna_strong_dtype(t);
    bool same = !kna_failed(&op) && to == t.dtype && !t.weak;
    kni_atom a = same ? kna_in(&op, x) : kna_in_as(&op, x, to);
    bool own = !kna_failed(&op) && same && !kna_handle_is_foreign(x);
    const kna_array *base = own ? kna_array_of(&op, x) : NULL;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    bool c = base && kna_is_contiguous(base->type, base->stride);
    bool lies_so = order == 'K' || (base && (order == 'C' ? c : knl_lies_in_fortran_order(&op, x)));
    if (lies_so && same && !copy)
        return kna_end_same(&op, x, a);
    if (order == 'F') {
        kna_end_plain(&op);
        return fortran_copy(name, x, to);
    }
    return order == 'K' ? kna_end_like(&op, a, x) : kna_end(&op, a);
}

/* NumPy makes at least a vector of it. */
kn_array knl_contiguous(const char *name, kn_array x, const kn_zeros_opts *opts, char order)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    knl_body c;
    knl_begin(&c, name);
    kn_array y = kn_atleast_1d(x);
    return knl_end(&c, knl_in_order(name, y, o.dtype, order, false));
}

kn_array kn_asfortranarray(kn_array x, const kn_zeros_opts *opts)
{
    return knl_contiguous("asfortranarray", x, opts, 'F');
}

kn_array kn_require(kn_array x, const kn_require_opts *opts)
{
    KNX_OPTS(kn_require_opts, o, opts);
    knl_body c;
    knl_begin(&c, "require");
    bool want_c = false, fortran = false, owned = false, writeable = false;
    for (const char *p = o.requirements ? o.requirements : ""; *p && !kna_failed(&c.op); p++) {
        char letter = *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
        if (!strchr("CFAWOE", letter))
            kna_fail(&c.op, KN_ERROR_KEY, "'%c'", *p);
        want_c = want_c || letter == 'C';
        fortran = fortran || letter == 'F';
        owned = owned || letter == 'O';
        writeable = writeable || letter == 'W';
    }
    if (!kna_failed(&c.op) && want_c && fortran)
        kna_fail(&c.op, KN_ERROR_VALUE, "Cannot specify both \"C\" and \"F\" order");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    char order = fortran ? 'F' : want_c ? 'C' : 'K';
    kn_array y = knl_in_order("require", x, o.dtype, order, false);
    kn_flags f = kn_flags_of(y);
    if ((owned && !f.owndata) || (writeable && !f.writeable))
        y = knl_in_order("require", x, o.dtype, order != 'K' ? order : knl_is_fortran(&c.op, x) ? 'F' : 'C', true);
    return knl_end(&c, y);
}

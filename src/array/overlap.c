/* SPDX-License-Identifier: Apache-2.0
 * overlap.c -- how arrays lie in memory as NumPy tells it: strides, flags, shared memory. */
#include "array/handle.h"
#include "array/layout.h"
#include "kiln/memory.h"
#include "base/options.h"
#include <string.h>

/* What a handle shows; a bare value is a C-contiguous array of its own. a: NULL for those. */
typedef struct laid {
    kni_type type;
    kna_array *a;
    int64_t stride[KN_MAX_NDIM];
} laid;

static bool look_at(kna_op *op, kn_array x, laid *m)
{
    knx_error *unused = NULL;
    kna_handle_kind kind = KN_H_NONE;
    m->type = kna_type(op, x); /* refuses what is no array */
    m->a = NULL;
    if (kna_failed(op))
        return false;
    if (kna_handle_alive(x, &kind) && kind == KN_H_VIEW)
        m->a = kna_handle_get(KN_H_VIEW, x, &unused);
    if (m->type.weak)
        m->type.dtype = kna_strong_dtype(m->type);
    if (!m->a)
        kna_contiguous_strides(m->type, m->stride);
    else if (m->type.ndim)
        memcpy(m->stride, m->a->stride, (size_t)m->type.ndim * sizeof *m->stride);
    return true;
}

kn_strides kn_strides_of(kn_array x)
{
    kna_op op;
    laid m;
    kn_strides s = {.ndim = -1};
    kna_begin(&op, "strides");
    if (look_at(&op, x, &m)) {
        s.ndim = m.type.ndim;
        for (int d = 0; d < s.ndim; d++)
            s.stride[d] = op.outermost ? knx_dim_tell(m.stride[d]) : m.stride[d];
    }
    kna_end_plain(&op);
    return s;
}

kn_flags kn_flags_of(kn_array x)
{
    kna_op op;
    laid m;
    kn_flags f = {0};
    kna_begin(&op, "flags");
    if (look_at(&op, x, &m)) {
        int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
        for (int d = 0; d < m.type.ndim; d++) {
            dim[d] = m.type.dim[m.type.ndim - 1 - d];
            stride[d] = m.stride[m.type.ndim - 1 - d];
        }
        f.c_contiguous = kna_is_contiguous(m.type, m.stride);
        f.f_contiguous = kna_is_contiguous(kni_type_of(m.type.dtype, m.type.ndim, dim), stride);
        f.owndata = !m.a || m.a->owner;
        f.writeable = !m.a || (m.a->writeable && !m.a->storage->readonly);
        f.aligned = !m.a || !m.a->unaligned;
    }
    kna_end_plain(&op);
    return f;
}

static bool repeats(const kna_array *a)
{
    bool any = false;
    for (int d = 0; d < a->type.ndim; d++)
        any = any || (a->type.dim[d] > 1 && !a->stride[d]);
    return any;
}

int kn_setflags(kn_array x, const kn_setflags_opts *opts)
{
    KNX_OPTS(kn_setflags_opts, o, opts);
    kna_op op;
    kna_begin(&op, "setflags");
    if (kna_is_number(&op, x))
        kna_fail(&op, KN_ERROR_TYPE, "a C number has no flags");
    kna_array *a = kna_failed(&op) ? NULL : kna_array_of(&op, x);
    bool write = o.write > 0;
    if (a && o.write >= 0 && write && (a->storage->readonly || (!a->owner && a->storage->locked) || repeats(a)))
        kna_fail(&op, KN_ERROR_VALUE, "cannot set WRITEABLE flag to True of this array");
    if (a && o.uic > 0)
        kna_fail(&op, KN_ERROR_VALUE, "cannot set WRITEBACKIFCOPY flag to True");
    if (a && o.align >= 0 && !kna_failed(&op))
        a->unaligned = !o.align;
    if (a && o.write >= 0 && !kna_failed(&op)) {
        a->writeable = write;
        a->storage->locked = a->owner ? !write : a->storage->locked;
    }
    return kna_end_plain(&op) ? 0 : -1;
}

kn_array kn_base(kn_array x)
{
    kna_op op;
    laid m;
    kna_begin(&op, "base");
    bool ok = look_at(&op, x, &m);
    kn_array base = ok && m.a ? kna_base_handle(m.a) : NULL;
    return kna_end_plain(&op) ? base : NULL;
}

static bool overlap(const char *name, kn_array a, kn_array b, bool (*test)(const kna_array *, const kna_array *))
{
    kna_op op;
    laid m, n;
    kna_begin(&op, name);
    bool share = look_at(&op, a, &m) && look_at(&op, b, &n);
    share = share && (m.a && n.a ? test(m.a, n.a) : a == b && kni_type_size(m.type));
    return kna_end_plain(&op) && share;
}

bool kn_shares_memory(kn_array a, kn_array b) { return overlap("shares_memory", a, b, kna_shares_memory); }

bool kn_may_share_memory(kn_array a, kn_array b) { return overlap("may_share_memory", a, b, kna_may_share_memory); }

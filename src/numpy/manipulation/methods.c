/* SPDX-License-Identifier: Apache-2.0
 * methods.c -- methods of ndarray that change the array itself, or read its bytes in another way. */
#include "array/handle.h"
#include "array/layout.h"
#include "kiln/memory.h"
#include "lib/compose.h"
#include <string.h>

/* ---- In place. */

/* Ends with x[...] = y, of x's shape; NULL after an error. */
static int changed(knl_body *c, kn_array x, kn_array y)
{
    kn_copyto_opts unsafe = kn_copyto_opts_default();
    unsafe.casting = "unsafe";
    int status = !kna_failed(&c->op) && y ? kn_copyto(x, y, &unsafe) : 0;
    return knl_end_plain(c) ? status : -1;
}

static bool has_axis(kna_op *op, kn_axes axis)
{
    if (axis.n < 0)
        kna_fail(op, KN_ERROR_TYPE, "'NoneType' object cannot be interpreted as an integer");
    return !kna_failed(op);
}

int kn_sort_in_place(kn_array x, const kn_sort_opts *opts)
{
    KNX_OPTS(kn_sort_opts, o, opts);
    knl_body c;
    knl_begin(&c, "sort_in_place");
    bool ok = knl_is_writeable(&c.op, x, "sort array") && has_axis(&c.op, o.axis);
    return changed(&c, x, ok ? kn_sort(x, &o) : NULL);
}

int kn_partition_in_place(kn_array x, kn_array kth, const kn_partition_opts *opts)
{
    KNX_OPTS(kn_partition_opts, o, opts);
    knl_body c;
    knl_begin(&c, "partition_in_place");
    bool ok = knl_is_writeable(&c.op, x, "partition array") && has_axis(&c.op, o.axis);
    return changed(&c, x, ok ? kn_partition(x, kth, &o) : NULL);
}

int kn_imatmul(kn_array x, kn_array y)
{
    knl_body c;
    knl_begin(&c, "imatmul");
    kni_type t = kna_type(&c.op, x), u = kna_type(&c.op, y);
    kn_array z = NULL;
    if (!kna_failed(&c.op) && (t.ndim < 1 || u.ndim < 2))
        kna_fail(
            &c.op, KN_ERROR_VALUE,
            "inplace matrix multiplication requires the first operand to have at least one and the second at least "
            "two dimensions.");
    if (!kna_failed(&c.op) && knl_is_writeable(&c.op, x, "output array"))
        z = kn_matmul(x, y);
    kni_type r = z ? kna_type(&c.op, z) : t;
    knx_text have = {0}, want = {0};
    if (!kna_failed(&c.op) && !knx_can_cast(r.dtype, t.dtype, KN_CAST_SAME_KIND))
        kna_fail(&c.op, KN_ERROR_TYPE,
                 "Cannot cast ufunc 'matmul' output from dtype('%s') to dtype('%s') with casting rule 'same_kind'",
                 r.dtype->name, t.dtype->name);
    else if (!kna_failed(&c.op) && t.ndim == r.ndim && !knx_dim_eq(t.dim[t.ndim - 1], r.dim[r.ndim - 1]))
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "matmul: Output operand 0 has a mismatch in its core dimension %d, with gufunc signature "
                 "(n?,k),(k,m?)->(n?,m?) (size %s is different from %s)",
                 t.ndim > 1, knx_dim_show(&have, t.dim[t.ndim - 1]), knx_dim_show(&want, r.dim[r.ndim - 1]));
    else if (!kna_failed(&c.op) && !kni_type_same_shape(t, r))
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                 knx_show_shape(&have, t.ndim, t.dim), knx_show_shape(&want, r.ndim, r.dim));
    return changed(&c, x, z);
}

int kn_resize_in_place(kn_array x, const kn_shape *shape, const kn_resize_in_place_opts *opts)
{
    KNX_OPTS(kn_resize_in_place_opts, o, opts);
    kna_op op;
    kna_begin(&op, "resize_in_place");
    shape = kna_shape(&op, shape);
    kni_type t = kna_type(&op, x);
    if (kna_is_number(&op, x))
        kna_fail(&op, KN_ERROR_TYPE, "a C number has no shape to change");
    const kna_array *a = kna_failed(&op) ? NULL : kna_array_of(&op, x);
    for (int d = 0; a && d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "negative dimensions not allowed");
    if (!kna_failed(&op))
        kna_fail_with(&op, kni_type_check_size(knl_shaped(t.dtype, shape)));
    if (kna_failed(&op) || !kna_may_write(&op, a))
        return kna_end_plain(&op) ? 0 : -1;
    kn_flags f = kn_flags_of(x);
    int64_t n = kni_type_size(knl_shaped(t.dtype, shape)), now = kni_type_size(t), none = 0, more = n - now;
    if (!f.c_contiguous && !f.f_contiguous)
        kna_fail(&op, KN_ERROR_VALUE, "resize only works on single-segment arrays");
    else if (n != now && !a->owner)
        kna_fail(&op, KN_ERROR_VALUE, "cannot resize this array: it does not own its data");
    else if (n != now && o.refcheck && a->storage->refs > 1)
        kna_fail(&op, KN_ERROR_VALUE,
                 "cannot resize an array that references or is referenced\nby another array in this way.\nUse the "
                 "np.resize function or refcheck=False");
    else if (!a->owner) /* only its shape changes, and that of no other array */
        kna_fail(&op, KN_ERROR_NOT_IMPLEMENTED, "another shape of a view in place: use kn_reshape");
    if (kna_failed(&op))
        return kna_end_plain(&op) ? 0 : -1;
    kn_shape back = *shape; /* memory stays in its order */
    bool fortran = !f.c_contiguous;
    for (int d = 0; d < shape->ndim && fortran; d++)
        back.dim[d] = shape->dim[shape->ndim - 1 - d];
    kni_atom all = kna_in(&op, x), flat = knl_flatten(&op, fortran ? knl_reversed(&op, all) : all);
    if (more > 0)
        flat = knb_pad(op.b, flat, knb_like(op.b, flat, 0), &none, &more, NULL);
    else
        flat = knb_slice(op.b, flat, &none, &n, NULL);
    kni_atom y = knl_reshape(&op, flat, &back);
    return kna_end_become(&op, x, fortran ? knl_reversed(&op, y) : y) ? 0 : -1;
}

/* ---- Bytes. */

/* The bytes of unsigned integers the other way round: neighbours of 1, 2 and 4 bytes change places. */
static kni_atom swapped(kni_builder *b, kni_atom x)
{
    kn_dtype d = knb_type(b, x).dtype;
    for (int bits = 8; bits < 8 * d->size; bits *= 2) {
        uint64_t low = 0;
        for (int at = 0; at < 64; at += 2 * bits)
            low |= (((uint64_t)1 << bits) - 1) << at;
        knx_scalar_bits mask = {.u64 = 0};
        knx_convert(KN_DT(U64), &low, d, &mask);
        kni_atom m = knb_literal(b, d, false, mask), by = knb_integer(b, d, bits);
        kni_atom up = knb_shift_left(b, knb_and(b, x, m), by), down = knb_and(b, knb_shift_right_logical(b, x, by), m);
        x = knb_or(b, up, down);
    }
    return x;
}

static kni_atom swapped_number(kni_builder *b, kni_atom x)
{
    static const int unsigned_of[] = {[1] = KN_ID_U8, [2] = KN_ID_U16, [4] = KN_ID_U32, [8] = KN_ID_U64};
    kn_dtype d = knb_type(b, x).dtype;
    if (d->size == 1)
        return x;
    return knb_bitcast(b, swapped(b, knb_bitcast(b, x, &knx_dtype_table[unsigned_of[d->size]])), d);
}

kn_array kn_byteswap(kn_array x, const kn_byteswap_opts *opts)
{
    KNX_OPTS(kn_byteswap_opts, o, opts);
    kna_op op;
    kna_begin(&op, "byteswap");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op))
        knl_not_a_number(&op, "byteswap", t.dtype);
    if (o.inplace && knl_is_writeable(&op, x, "array to be byte-swapped") && kna_is_number(&op, x))
        kna_fail(&op, KN_ERROR_TYPE, "a C number has no bytes to change");
    kni_atom a = kna_in(&op, x), y;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(t.dtype))
        y = knb_complex(op.b, swapped_number(op.b, knb_real(op.b, a)), swapped_number(op.b, knb_imag(op.b, a)));
    else
        y = swapped_number(op.b, a);
    if (!o.inplace)
        return kna_end_like(&op, y, x);
    kna_put(&op, x, a, a, y);
    if (!kna_end_plain(&op))
        return NULL;
    kna_begin(&op, "byteswap");
    a = kna_in(&op, x);
    return kna_end_view(&op, x, a, a);
}

/* ---- Fields. */

/* The part of each element, from this byte on, as a dtype: a view. */
static kn_array field(const char *name, kn_array x, kn_dtype dtype, int64_t offset)
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    if (!dtype)
        kna_fail(&op, KN_ERROR_TYPE, "a dtype is missing");
    if (!kna_failed(&op) && offset < 0)
        kna_fail(&op, KN_ERROR_VALUE, "offset is negative");
    else if (!kna_failed(&op) && dtype->size > t.dtype->size)
        kna_fail(&op, KN_ERROR_VALUE, "new type is larger than original type");
    else if (!kna_failed(&op) && offset > t.dtype->size - dtype->size)
        kna_fail(&op, KN_ERROR_VALUE, "new type plus offset is larger than original type");
    if (!kna_failed(&op) && (dtype->kind == KN_KIND_KEY || t.dtype->kind == KN_KIND_KEY))
        kna_fail(&op, KN_ERROR_TYPE, "does not accept random keys");
    if (!kna_failed(&op) && offset % dtype->align)
        kna_fail(&op, KN_ERROR_NOT_IMPLEMENTED, "a field of %s that begins at byte %lld, which it is not aligned to",
                 dtype->name, (long long)offset);
    kni_atom a = kna_in(&op, x), y;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (dtype->size == t.dtype->size)
        return kna_end_view(&op, x, a, dtype == t.dtype ? a : knb_bitcast(op.b, a, dtype));
    kn_shape wide = knl_shape_of(&op, a), from = {0}, to;
    bool is_new[KN_MAX_NDIM] = {false};
    if (knl_too_many_axes(&op, wide.ndim + 1))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t last = wide.ndim;
    wide.dim[wide.ndim++] = 1;
    is_new[last] = true;
    y = knl_bytes_as(&op, knl_insert_axes(&op, a, &wide, is_new), KN_DT(U8));
    to = knl_shape_of(&op, y);
    from.dim[last] = offset;
    to.dim[last] = offset + dtype->size;
    y = knl_bytes_as(&op, knb_slice(op.b, y, from.dim, to.dim, NULL), dtype);
    return kna_end_view(&op, x, a, kna_failed(&op) ? a : knb_squeeze(op.b, y, 1, &last));
}

kn_array kn_getfield(kn_array x, kn_dtype dtype, const kn_getfield_opts *opts)
{
    KNX_OPTS(kn_getfield_opts, o, opts);
    return field("getfield", x, dtype, o.offset);
}

int kn_setfield(kn_array x, kn_array v, kn_dtype dtype, const kn_getfield_opts *opts)
{
    KNX_OPTS(kn_getfield_opts, o, opts);
    knl_body c;
    knl_begin(&c, "setfield");
    kn_array part = field("setfield", x, dtype, o.offset);
    int status = kn_set_at(part, v, "...", 0, NULL);
    return knl_end_plain(&c) ? status : -1;
}

/* ---- Questions. */

bool kn_contains(kn_array x, kn_array value)
{
    knl_body c;
    knl_begin(&c, "contains");
    bool any = kn_item_bool(kn_any(kn_equal(x, value), NULL));
    return knl_end_plain(&c) && any;
}

int64_t kn_as_index(kn_array x)
{
    kna_op op;
    int64_t i = 0;
    kna_begin(&op, "as_index");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && (t.ndim || !knx_is_integer(t.dtype)))
        kna_fail(&op, KN_ERROR_TYPE, "only integer scalar arrays can be converted to a scalar index");
    const void *at = kna_failed(&op) ? NULL : kna_look(&op, x, &t);
    if (at)
        knx_convert(t.dtype, at, KN_DT(I64), &i);
    if (at && t.dtype->kind == KN_KIND_UINT && i < 0)
        kna_fail(&op, KN_ERROR_INDEX, "cannot fit 'int' into an index-sized integer");
    return kna_end_plain(&op) ? i : 0;
}

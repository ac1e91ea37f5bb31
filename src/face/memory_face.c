/* SPDX-License-Identifier: Apache-2.0
 * memory_face.c -- arrays from and to memory: copies, pointers into arrays, the user's memory as an array. */
#include "array/foreign.h"
#include "array/handle.h"
#include "array/layout.h"
#include "array/state.h"
#include "kiln/memory.h"
#include "base/options.h"
#include <string.h>

/* The type of elements in the user's memory; the op is failed if there is none. */
static kni_type type_in_memory(kna_op *op, const void *data, const kn_shape *shape, kn_dtype dtype)
{
    kni_type none = kni_scalar_type(KN_DT(F32));
    if (!shape || !dtype) {
        kna_fail(op, KN_ERROR_TYPE, "null %s", shape ? "dtype" : "shape");
        return none;
    }
    if (shape->ndim < 0 || shape->ndim > KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d", KN_MAX_NDIM,
                 shape->ndim);
        return none;
    }
    for (int i = 0; i < shape->ndim; i++)
        if (kna_need_number(op, shape->dim[i], "elements in memory") && shape->dim[i] < 0)
            kna_fail(op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    kni_type t = kni_type_of(dtype, shape->ndim, shape->dim);
    knx_error *error = kna_failed(op) ? NULL : kni_type_check_size(t);
    if (error)
        kna_fail_with(op, error);
    else if (!kna_failed(op) && !data && kni_type_bytes(t))
        kna_fail(op, KN_ERROR_TYPE, "null memory");
    return kna_failed(op) ? none : t;
}

/* ---- Copies. */

kn_array kn_from_memory(const void *data, const kn_shape *shape, kn_dtype dtype)
{
    kna_op op;
    knx_buffer *buffer = NULL;
    kna_begin(&op, "from");
    kni_type t = type_in_memory(&op, data, shape, dtype);
    if (!kna_failed(&op)) {
        buffer = knx_buffer_new(kni_type_bytes(t));
        if (buffer && kni_type_bytes(t))
            memcpy(buffer->data, data, kni_type_bytes(t));
    }
    return kna_from_buffer(&op, t, buffer);
}

int kn_copy_to(kn_array x, void *to, size_t bytes)
{
    kna_op op;
    kni_type t;
    kna_begin(&op, "copy_to");
    const void *data = kna_look(&op, x, &t);
    if (data && kni_type_bytes(t) != bytes)
        kna_fail(&op, KN_ERROR_VALUE, "the array has %zu bytes, there is room for %zu", (size_t)kni_type_bytes(t),
                 bytes);
    else if (data && !to && bytes)
        kna_fail(&op, KN_ERROR_TYPE, "null memory");
    else if (data && bytes)
        memcpy(to, data, bytes);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_copy_from(kn_array x, const void *from, size_t bytes)
{
    kna_op op;
    kna_begin(&op, "copy_from");
    kna_array *a = kna_array_of(&op, x);
    if (a && kni_type_bytes(a->type) != bytes)
        kna_fail(&op, KN_ERROR_VALUE, "the array has %zu bytes, %zu were given", (size_t)kni_type_bytes(a->type),
                 bytes);
    else if (a && !from && bytes)
        kna_fail(&op, KN_ERROR_TYPE, "null memory");
    if (!kna_failed(&op) && kna_may_write(&op, a)) {
        knx_buffer *b = knx_buffer_new(bytes);
        if (b && bytes)
            memcpy(b->data, from, bytes);
        kni_type t = a->type;
        t.weak = false;
        kna_value *v = b ? kna_value_buffer(t, b) : NULL;
        if (v) {
            kni_atom all = kna_in(&op, x);
            kna_put(&op, x, all, all, kna_value_atom(&op, v));
        } else {
            kna_fail_with(&op, knx_error_nomem());
        }
        kna_value_release(v);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Pointers. */

/* The elements in memory that belongs to the handle alone; the same one each time. */
static void *exported_copy(kna_op *op, kn_array x, kna_array *a)
{
    kni_type t;
    const void *data = kna_look(op, x, &t);
    if (!data)
        return NULL;
    if (!a->exported || a->exported->state != KN_V_BUFFER) {
        kna_value_release(a->exported);
        knx_buffer *b = knx_buffer_new(kni_type_bytes(t));
        a->exported = b ? kna_value_buffer(t, b) : NULL;
        if (!a->exported) {
            kna_fail_with(op, knx_error_nomem());
            return NULL;
        }
    }
    if (kni_type_bytes(t))
        memcpy(a->exported->buffer->data, data, kni_type_bytes(t));
    return a->exported->buffer->data;
}

static bool has_dtype(kna_op *op, kni_type t, kn_dtype wanted)
{
    if (!kna_failed(op) && wanted && t.dtype != wanted)
        kna_fail(op, KN_ERROR_TYPE, "the array has dtype %s, not %s", t.dtype->name, wanted->name);
    return !kna_failed(op);
}

const void *kn_data_bytes(kn_array x, kn_dtype dtype)
{
    kna_op op;
    kni_type t = kni_scalar_type(KN_DT(F32));
    void *data = NULL;
    kna_begin(&op, "data");
    bool other = kna_handle_is_foreign(x); /* of another context */
    bool number = !other && kna_is_number(&op, x);
    if (other)
        data = (void *)(uintptr_t)kna_foreign_data(&op, x, &t);
    else
        t = kna_type(&op, x);
    if (!number)
        t.dtype = kna_strong_dtype(t);
    if (!has_dtype(&op, t, dtype) || other) {
        data = kna_failed(&op) ? NULL : data;
    } else if (number) { /* it stays one */
        data = (void *)(uintptr_t)kna_look(&op, x, &t);
    } else {
        kna_array *a = kna_array_of(&op, x);
        bool traced = a && (a->storage->value->state == KN_V_LIFTED || a->storage->value->state == KN_V_TRACER ||
                            a->storage->value->state == KN_V_ABSTRACT);
        if (a && !traced && kna_is_contiguous(a->type, a->stride)) {
            knx_error *error = kna_pin_storage(a, false, &data);
            if (error)
                kna_fail_with(&op, error);
        } else if (a) {
            data = exported_copy(&op, x, a);
        }
    }
    return kna_end_plain(&op) ? data : NULL;
}

void *kn_data_mut_bytes(kn_array x, kn_dtype dtype)
{
    kna_op op;
    void *data = NULL;
    kna_begin(&op, "data_mut");
    kna_array *a = kna_array_of(&op, x);
    if (a && has_dtype(&op, a->type, dtype) && kna_may_write(&op, a)) {
        knx_error *error = NULL;
        if (!kna_is_contiguous(a->type, a->stride))
            kna_fail(&op, KN_ERROR_VALUE, "the array is not C-contiguous; copy it, or write with kn_copy_from");
        else
            error = kna_pin_storage(a, true, &data);
        if (error)
            kna_fail_with(&op, error);
    }
    return kna_end_plain(&op) ? data : NULL;
}

int kn_touch(kn_array x)
{
    kna_op op;
    void *unused;
    kna_begin(&op, "touch");
    kna_array *a = kna_array_of(&op, x);
    knx_error *error = a && a->storage->pin ? kna_pin_storage(a, true, &unused) : NULL;
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- The user's memory. */

kn_array kna_wrap_buffer(kna_op *op, kni_type t, knx_buffer *b, bool readonly)
{
    kna_value *v = kna_value_buffer(t, b);
    kn_array x = v ? kna_own_handle(v) : NULL;
    kna_array *a = x ? kna_array_of(op, x) : NULL;
    knx_error *error = a ? kna_pin_wrapped(a) : knx_error_nomem();
    if (error) {
        kna_fail_with(op, error);
        if (x)
            kn_release(x);
        return NULL;
    }
    a->storage->readonly = readonly;
    a->writeable = !readonly;
    return x;
}

kn_array kn_wrap(void *data, const kn_shape *shape, kn_dtype dtype, const kn_wrap_opts *opts)
{
    KNX_OPTS(kn_wrap_opts, o, opts);
    kna_op op;
    kna_begin(&op, "wrap");
    kni_type t = type_in_memory(&op, data, shape, dtype);
    if (!kna_failed(&op) && (uintptr_t)data % dtype->align)
        kna_fail(&op, KN_ERROR_VALUE, "%s wants memory aligned to %d bytes", dtype->name, dtype->align);
    bool whole = !kna_failed(&op) && kni_type_bytes(t); /* else there is nothing to use */
    knx_buffer *b = kna_failed(&op) ? NULL
                    : whole         ? knx_buffer_wrap(data, kni_type_bytes(t), o.release, o.env)
                                    : knx_buffer_new(0);
    if (!b && !kna_failed(&op))
        kna_fail_with(&op, knx_error_nomem());
    if ((!b || !whole) && o.release)
        o.release(data, o.env);
    kn_array x = b ? kna_wrap_buffer(&op, t, b, o.readonly) : NULL;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kna_end_plain(&op);
    return x;
}

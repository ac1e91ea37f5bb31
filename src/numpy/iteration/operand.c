/* SPDX-License-Identifier: Apache-2.0
 * operand.c -- arrays as memory that iterators walk over. */
#include "numpy/iteration/operand.h"
#include <string.h>

static bool is_traced(const kna_array *a)
{
    kna_value_state s = a->storage->value->state;
    return s == KN_V_TRACER || s == KN_V_ABSTRACT;
}

/* The memory of the array itself. */
static bool pin(kna_op *op, kna_array *a, knn_operand *o)
{
    void *data = NULL;
    if (o->writeable && !kna_may_write(op, a))
        return false;
    knx_error *error = kna_pin_storage(a, o->writeable, &data);
    if (error) {
        kna_fail_with(op, error);
        return false;
    }
    o->data = data;
    if (!o->pin) {
        o->pin = a->storage->pin;
        atomic_fetch_add(&o->pin->refs, 1);
    }
    return true;
}

/* Elements that can be looked at, though they have no memory of their own: of arrays that are traced by grad. */
static bool look(kna_op *op, knn_operand *o)
{
    kni_type t;
    const void *data = kna_look(op, o->array, &t);
    o->data = (char *)(uintptr_t)data;
    if (data)
        kna_contiguous_strides(t, o->stride);
    return data != NULL;
}

bool knn_operand_open(kna_op *op, kn_array x, bool write, knn_operand *o)
{
    *o = (knn_operand){.writeable = write};
    kni_type t = kna_type(op, x);
    bool foreign = !kna_failed(op) && kna_handle_is_foreign(x);
    if (kna_failed(op))
        return false;
    if (write && foreign) {
        kna_fail(op, KN_ERROR_CONTEXT, "this array belongs to another context");
        return false;
    }
    if (foreign || kna_is_number(op, x))
        x = kn_copy(x, NULL);
    kna_array *a = kna_array_of(op, x);
    if (!a)
        return false;
    if (knx_has_symbolic(t.ndim, t.dim)) {
        kna_fail(op, KN_ERROR_DIMENSION, "elements of an array whose extents are dimension expressions");
        return false;
    }
    o->array = kn_retain(x);
    o->dtype = a->type.dtype;
    o->ndim = a->type.ndim;
    for (int d = 0; d < o->ndim; d++) {
        o->dim[d] = a->type.dim[d];
        o->stride[d] = a->stride[d];
    }
    if (is_traced(a) && !write ? look(op, o) : pin(op, a, o))
        return true;
    knn_operand_close(o);
    return false;
}

bool knn_operand_refresh(kna_op *op, knn_operand *o)
{
    kna_array *a = o->pin ? kna_array_of(op, o->array) : NULL;
    if (!a || a->storage->pin != o->pin) /* the array has other memory by now, which is not the iterator's */
        return !kna_failed(op);
    return pin(op, a, o);
}

void knn_operand_keep(knn_operand *copy)
{
    if (copy->array)
        kn_retain(copy->array);
    if (copy->pin)
        atomic_fetch_add(&copy->pin->refs, 1);
}

void knn_operand_close(knn_operand *o)
{
    if (o->array)
        kn_release(o->array);
    kna_pin_release(o->pin);
    o->array = NULL;
    o->pin = NULL;
}

int64_t knn_operand_size(const knn_operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->ndim; d++)
        n *= o->dim[d];
    return n;
}

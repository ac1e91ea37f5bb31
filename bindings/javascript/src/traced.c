/* SPDX-License-Identifier: Apache-2.0
 * traced.c -- arrays that are values of a recording: such a one is gone when the recording has ended. */
#include "array/handle.h"
#include "array/storage.h"
#include "export.h"

KJS_EXPORT(bool, kjs_is_traced, kn_array x)
{
    kna_handle_kind kind;
    const void *object = kna_handle_peek(x, &kind);
    if (kind == KN_H_VIEW) {
        const kna_array *a = object;
        return a->storage->value->state == KN_V_TRACER || a->unplaced;
    }
    return kind == KN_H_ARRAY && ((const kna_value *)object)->state == KN_V_TRACER;
}

/* A number of the program's that is an argument of a recording promotes there as a number does, as JAX's weak types. */
KJS_EXPORT(void, kjs_weaken, kn_array x)
{
    kna_handle_kind kind;
    void *object = kna_handle_peek(x, &kind);
    if (kind == KN_H_ARRAY && ((kna_value *)object)->state == KN_V_TRACER)
        ((kna_value *)object)->type.weak = true;
}

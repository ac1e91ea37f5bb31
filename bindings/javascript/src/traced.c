/* SPDX-License-Identifier: Apache-2.0
 * traced.c -- whether an array is a value of a recording: such a one is gone when the recording has ended. */
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

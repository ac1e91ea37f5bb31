/* SPDX-License-Identifier: Apache-2.0
 * foreign.h -- arrays of other contexts.
 *
 * Values never go from one context to another; buffers do. Who reads an array of another context gets a value of his
 * own that shares the buffer, taken under the owner's share lock, so that nothing of a value but its buffer needs to be
 * safe for several threads. Memory that others see changes in place and is copied instead. */
#ifndef KN_ARRAY_FOREIGN_H
#define KN_ARRAY_FOREIGN_H
#include "array/op.h"

/* The value of another context's array: a new reference to a value of this context. What waits to run is run if
 * no one uses its context, and is a ContextError otherwise. The error that an array carries comes as a copy, so that
 * this context hears of it. */
knx_error *kna_foreign_value(const void *handle, kna_value **out);
/* The same, kept until the outermost operation ends, and the same value each time. NULL with the op failed. */
kna_value *kna_foreign_operand(kna_op *op, const void *handle);
/* Its elements, which stay until the innermost scope of this context ends. NULL with the op failed. */
const void *kna_foreign_data(kna_op *op, const void *handle, kni_type *type);

/* A value that an operation lent out without owning it; released when the outermost one ends. */
typedef struct kna_held {
    const void *handle; /* that it stands for; NULL: none */
    kna_value *value;
} kna_held;
bool kna_hold(kna_op *op, const void *handle, kna_value *v); /* takes the reference over, also when it fails the op */

/* A pending value gets its final state: everything else about it is in place, and others may look at it from now on. */
static inline void kna_publish(kna_value *v, kna_value_state state)
{
    __atomic_store_n(&v->state, (uint8_t)state, __ATOMIC_RELEASE);
}
#endif

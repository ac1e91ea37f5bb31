/* SPDX-License-Identifier: Apache-2.0
 * pin.h -- memory that others see: what kn_data, kn_wrap and DLPack give away keeps its address for good.
 *
 * A pin is such memory. At most one value lies in it, the holder; no other value shares its buffer, because programs
 * get pinned operands as plain memory. A write makes a value that belongs there; when it has been run it either lies
 * there already (the old value was given up and updated in place) or is copied there. Whoever still needs the value
 * before keeps it: the holder moves out into memory of its own. */
#ifndef KN_ARRAY_PIN_H
#define KN_ARRAY_PIN_H
#include "array/value.h"
#include "device/device.h"

typedef struct kna_pin {
    atomic_int refs;    /* the storage's, each value's that lies or belongs there, each export's */
    atomic_int exports; /* consumers outside of Kiln that may look and write at any time (DLPack) */
    bool foreign;       /* the user's memory, wrapped */
    knx_buffer *buffer;
    kn_context owner;
    kna_value *holder;           /* the value that lies there; not counted */
    struct kna_storage *storage; /* not counted; NULL once it is gone */
} kna_pin;

void kna_pin_release(kna_pin *p); /* NULL is fine; from any thread */

static inline bool kna_lies_in_pin(const kna_value *v) { return v->pin && v->buffer == v->pin->buffer; }
/* Do these many references keep its memory alone? Those to the buffer are the value's own and its pin's. */
static inline bool kna_only_referred_by(const kna_value *v, uint32_t references)
{
    return (uint32_t)v->refs == references && atomic_load(&v->buffer->refs) == 1 + kna_lies_in_pin(v);
}
/* The buffer of a value for a program, which may share it with its results; NULL for pinned memory. */
static inline knx_buffer *kna_shareable(const kna_value *v) { return kna_lies_in_pin(v) ? NULL : v->buffer; }
/* x = v as the operand of a program, which may write over its buffer only if it is given. The fields are stored one by
 * one: a structure that comes back by value is copied in wider loads than it was written with, and waits for them. */
static inline void kna_operand_of(knd_operand *x, const kna_value *v, bool given)
{
    bool number = v->state == KN_V_NUMBER;
    x->buffer = number ? NULL : v->buffer;
    x->offset = 0;
    x->data = number ? &v->bits : NULL;
    x->lent = !number && !given && !kna_shareable(v);
}
/* It was run and belongs into pinned memory, but is not there (there was no memory to move the old value out). */
static inline bool kna_must_land(const kna_value *v)
{
    return v->state == KN_V_BUFFER && v->pin && v->buffer != v->pin->buffer;
}
/* Its elements are there to be looked at: kna_force_here would do nothing. */
static inline bool kna_lies_here(const kna_value *v)
{
    return v->state == KN_V_BUFFER && !v->buffer->away && !kna_must_land(v);
}
knx_error *kna_pin_land(kna_value *v); /* puts a value that was run into the pinned memory where it belongs */
/* *fresh is to become the value of s, which has a pin: makes it one that belongs there. Replaces the reference. */
knx_error *kna_pin_take(struct kna_storage *s, kna_value **fresh);
/* Results of an operation, none of them pending: one that others see is replaced by a copy. */
knx_error *kna_pin_apart(int n, kna_value **v);
/* The value of s will be another one: it must not land over what comes after it. */
void kna_pin_leave(struct kna_storage *s, kna_value *old);
/* No one has the storage any more: what others see of it is brought up to date. */
void kna_pin_storage_ends(struct kna_storage *s);
#endif

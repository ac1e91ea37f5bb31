/* SPDX-License-Identifier: Apache-2.0
 * storage.h -- views and writes over immutable values.
 *
 * A storage holds one immutable value at a time. A view is a storage and the chain of view operations that leads from
 * its value to what the array shows; it also has NumPy's offset and strides, which decide view or copy. A write
 * replaces the storage's value by an updated one: the newest operation's `put` gives the value before it with the new
 * elements in place, and so on down to the storage. Every view of the storage sees that, because a view's value is
 * remembered only for one version of its storage.
 *
 * Most arrays are never viewed or written to: their handle holds a bare value, and becomes a view of a storage of its
 * own when it first has to. */
#ifndef KN_ARRAY_STORAGE_H
#define KN_ARRAY_STORAGE_H
#include "array/op.h"

/* Exported memory: its address stays, whatever is written. holder: the value that lives there now; not counted. */
typedef struct kna_pin {
    atomic_int refs;
    kn_buffer *buffer;
    kn_value *holder;
} kna_pin;
void kna_pin_release(kna_pin *p);
kn_error *kna_pin_land(kn_value *v); /* v was run and belongs into its pinned memory: puts it there */

typedef struct kna_storage {
    atomic_int refs;
    kn_value *value;
    uint64_t version;   /* counts writes */
    uint64_t recording; /* the serial of the recording that made it; 0: none */
    int argument;       /* of the recorded function, whose caller owns it: 1 + its number; 0: not an argument */
    bool readonly;
    kna_pin *pin;
} kna_storage;

/* One view operation. Operands after the first are values (positions) or literals; steps are shared by views. */
typedef struct kna_step {
    atomic_int refs;
    struct kna_step *before; /* towards the storage; NULL: the storage's value itself */
    const kn_prim *prim;
    const void *params;
    kn_arena arena;
    uint32_t n_in;
    kn_value **operand; /* n_in; [0] is unused; NULL: a literal */
    kn_literal *literal;
} kna_step;

typedef struct kna_array {
    kna_storage *storage;
    kna_step *step; /* the newest; NULL: the whole storage as it is */
    bool writeable;
    kn_value *value; /* of version `seen`, for recording `seen_by`; NULL: none */
    uint64_t seen, seen_by;
    kn_value *exported; /* what kn_data gave a pointer into, when that is not the storage itself */
    kn_type type;       /* dims in `dims` */
    int64_t offset;     /* bytes, from the storage's first element */
    int64_t *stride;    /* bytes, per axis */
    int64_t dims[];     /* ndim extents, then ndim strides */
} kna_array;

/* The array behind a handle as a view; a bare value becomes a view of a storage of its own. NULL with the op failed. */
kna_array *kna_array_of(kna_op *op, kn_array x);
/* The current value of whatever a handle holds: a new reference. Begins an operation of its own if it has to. */
kn_error *kna_array_value(const void *handle, kn_value **out);
kn_atom kna_view_atom(kna_op *op, kna_array *a); /* its value as an atom of the current recorder */

/* Ends an operation with a view of `base`: `result` must come from kna_in(base)'s atom by view operations alone, which
 * become the view's steps. Where NumPy would copy (a reshape that the strides do not allow), and where base is a
 * number, the result is an array of its own. */
kn_array kna_end_view(kna_op *op, kn_array base, kn_atom base_atom, kn_atom result);
/* Ends an operation with an array of its own, even if `result` is an operand as it came (np.copy). */
kn_array kna_end_copy(kna_op *op, kn_atom result);
/* Writes v (of result's type) to where `result` stands in target: see kna_end_view for how result was made. Ends
 * nothing; the op is failed with a MutationError or ValueError where the target cannot be written to. */
void kna_put(kna_op *op, kn_array target, kn_atom target_atom, kn_atom result, kn_atom v);
bool kna_is_contiguous(const kna_array *a);
bool kna_shares_memory(const kna_array *a, const kna_array *b); /* do they have an element's byte in common? */
kn_error *kna_pin_storage(kna_array *a, bool unique, void **data); /* runs it; its address stays from now on */
#endif

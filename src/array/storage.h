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
#include "array/pin.h"

typedef struct kna_storage {
    int refs;
    kna_value *value;
    uint64_t version;   /* counts writes */
    uint64_t recording; /* the serial of the recording that made it; 0: none */
    int argument;       /* of the recorded function, whose caller owns it: 1 + its number; 0: not an argument */
    const kn_place *watched; /* where it was last watched; NULL: never */
    bool readonly;      /* its memory */
    bool locked;        /* the array that owns it was made read-only */
    bool permuted;      /* that array is a transposition of the value: the first step of each view */
    kna_pin *pin;
    struct kna_array *views; /* those that remember a value: a write makes them forget it */
} kna_storage;

/* One view operation. Operands after the first are values (positions) or literals; steps are shared by views. */
typedef struct kna_view_op {
    int refs;
    struct kna_view_op *before; /* towards the storage; NULL: the storage's value itself */
    const kni_prim *prim;
    const void *params;
    knx_arena arena; /* of params that lie not in the step */
    size_t bytes;    /* of the step itself */
    uint32_t n_in;
    kna_value **operand; /* n_in; [0] is unused; NULL: a literal */
    kni_literal *literal;
} kna_view_op;

typedef struct kna_array {
    kna_storage *storage;
    struct kna_array *prev, *next; /* of the storage's `views` */
    kna_view_op *step; /* the newest; NULL: the whole storage as it is */
    bool writeable;
    bool owner;       /* not a view of another array, and not the user's memory */
    bool unaligned;   /* said to be so by kn_setflags; no array is */
    bool unplaced;    /* the offset is not known: a position is traced, or an extent an expression */
    kna_value *value; /* of version `seen`, for recording `seen_by`; NULL: none */
    uint64_t seen, seen_by;
    kna_value *exported; /* where kn_data's pointer points to if that is not the storage: no one else's */
    kni_type type;      /* dims in `dims` */
    int64_t offset;     /* bytes, from the storage's first element */
    int64_t *stride;    /* bytes, per axis */
    int64_t dims[];     /* ndim extents, then ndim strides */
} kna_array;

/* The array behind a handle as a view; a bare value becomes a view of a storage of its own. NULL with the op failed. */
kna_array *kna_array_of(kna_op *op, kn_array x);
#ifdef __clang_analyzer__
#define kna_array_of(op, x) KNA_NULL_IF_FAILED(op, (kna_array_of)(op, x))
#endif
/* The current value of whatever a handle holds: a new reference. Begins an operation of its own if it has to. */
knx_error *kna_array_value(const void *handle, kna_value **out);
/* Is it a view, other than of all, of elements that are in memory? Then it needs no memory of its own. */
bool kna_shows_elements(const void *handle);
kni_atom kna_view_atom(kna_op *op, kna_array *a); /* its value as an atom of the current recorder */
kna_value *kna_known_value(const kna_array *a);   /* its value, borrowed; NULL: it has to be recorded first */
void kna_forget(kna_array *a);                   /* drops the value that it remembers */

/* The steps from the storage to a view, oldest first, in the op's arena; and one of them on top of `x`, whose operands
 * come out in in[] (room for n_in; NULL: not wanted). */
const kna_view_op **kna_view_ops(kna_op *op, const kna_array *a, int *n);
kni_atom kna_emit_step(kna_op *op, const kna_view_op *s, kni_atom x, kni_atom *in);
/* The view equations of this operation that lead from one atom to another, in order; NULL where they are no view. */
const kni_draft_eqn **kna_find_chain(kna_op *op, kni_atom from, kni_atom to, int *n);

/* Ends an operation with a view of `base`: `result` must come from kna_in(base)'s atom by view operations alone, which
 * become the view's steps. Where NumPy would copy (a reshape that the strides do not allow), and where base is a
 * number, the result is an array of its own. */
kn_array kna_end_view(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result);
/* Ends with x itself, as another handle. */
kn_array kna_end_same(kna_op *op, kn_array x, kni_atom a);
/* Ends an operation outside of traces with x[start:limit:steps], as kna_end_view with knb_slice of kna_in(x) would,
 * in a tenth of the time. NULL: not for this x, nothing was done. */
kn_array kna_end_slice(kna_op *op, kn_array x, const kni_p_slice *p);
/* The same for another view operation of x alone, whose result has type y (all extents are numbers); also NULL where it
 * is a copy. */
kn_array kna_end_step(kna_op *op, kn_array x, const kni_prim *prim, const void *params, kni_type y);
/* The same, but where it is no view the copy lies in memory with its axes in this order, the outermost first. */
kn_array kna_end_view_ordered(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result, const int64_t *order);
/* The same for a view whose layout is known from elsewhere; of_storage: base_atom is the storage's value, not x's. */
struct kna_layout;
kn_array kna_end_view_as(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result, const struct kna_layout *l,
                         bool of_storage);
/* Ends an operation with the view of x's storage that has this layout (np.lib.stride_tricks.as_strided); its type must
 * have x's dtype. */
kn_array kna_end_strided(kna_op *op, kn_array x, const struct kna_layout *l);
/* The same for an array of its own that lies in memory in NumPy's order 'K' (order.c). A function that goes element by
 * element ends with the first, a copy of x (or an array like it) with the second. Both are kna_end unless an operand is
 * a view with its axes out of C order. NULL operands are skipped. */
kn_array kna_end_in_order(kna_op *op, kni_atom result, int n, const kn_array *operands);
kn_array kna_end_like(kna_op *op, kni_atom result, kn_array x);
bool kna_order_like(kn_array x, int64_t *order); /* that order, where it is not C's */
/* The order in which NumPy walks through an array ('K'), alone or beside one that broadcasts to it (NULL: none): axes
 * of stride 0 stay where they stand. */
void kna_walking_order(kna_op *op, const kna_array *a, kn_array beside, int64_t *order);
/* With its axes in memory in this order, the outermost first: a view of a storage that holds the transposition. */
kn_array kna_end_permuted(kna_op *op, kni_atom result, const int64_t *order);
/* The same from memory: `stored` has the elements in this order, `plain` in C order. Takes both over. */
kn_array kna_from_permuted(kna_op *op, kni_type t, const int64_t *order, knx_buffer *stored, knx_buffer *plain);
/* A handle of a storage that the current recording owns, whatever v is. Takes v over; NULL without memory. */
kn_array kna_own_handle(kna_value *v);
/* Writes v (of result's type) to where `result` stands in target: see kna_end_view for how result was made. The last
 * thing that an operation does; it is failed with a MutationError or ValueError where the target cannot be written to.
 */
void kna_put(kna_op *op, kn_array target, kni_atom target_atom, kni_atom result, kni_atom v);
void kna_replace_value(kna_storage *s, kna_value *fresh /* taken over */); /* its views see it */
void kna_set_readonly(kn_array x); /* a view that was just made */
bool kna_is_contiguous(kni_type t, const int64_t *stride);
bool kna_shares_memory(const kna_array *a, const kna_array *b); /* do they have an element's byte in common? */
bool kna_may_share_memory(const kna_array *a, const kna_array *b); /* may they, by first and last byte? */
kn_array kna_storage_handle(kna_storage *s); /* a new handle that shows all of it; NULL without memory */
bool kna_may_write(kna_op *op, const kna_array *a); /* else the op is failed */
/* A new handle of the array that a is a view of; NULL where it is none, or without memory. */
kn_array kna_base_handle(const kna_array *a);
/* The array x, which no other one is a view of, has this value from now on, of whatever shape. Ends the operation. */
bool kna_end_become(kna_op *op, kn_array x, kni_atom value);
/* Runs it; its address stays from now on, and *data points to a's first element. unique: no other value has its memory,
 * and what was recorded before does not see what is written there from now on. */
knx_error *kna_pin_storage(kna_array *a, bool unique, void **data);
knx_error *kna_pin_wrapped(kna_array *a); /* of a storage whose buffer is the user's memory */
/* An array over a buffer that is the user's memory (taken over, also on failure); NULL with the op failed. */
kn_array kna_wrap_buffer(kna_op *op, kni_type t, knx_buffer *b, bool readonly);
#endif

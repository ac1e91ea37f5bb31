/* SPDX-License-Identifier: Apache-2.0
 * type.h -- the type of a value in a jaxpr: dtype, shape, weak flag, sharding. */
#ifndef KN_IR_TYPE_H
#define KN_IR_TYPE_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct kn_sharding kn_sharding; /* how a value is spread over a mesh; NULL: one device */

/* Passed by value. `dim` points into memory of whoever made the type (an arena, a value): copy it with kni_type_copy
 * to keep it. */
typedef struct kn_type {
    kn_dtype dtype;
    const int64_t *dim;
    const kn_sharding *sharding;
    int16_t ndim;
    bool weak; /* a number that has taken this dtype only until it meets an array (NEP 50) */
} kn_type;

static inline kn_type kni_type(kn_dtype dtype, int ndim, const int64_t *dim)
{
    return (kn_type){.dtype = dtype, .ndim = (int16_t)ndim, .dim = dim};
}
static inline kn_type kni_scalar_type(kn_dtype dtype) { return (kn_type){.dtype = dtype}; }
bool kni_type_equal(kn_type a, kn_type b); /* dtype, shape, weak, sharding */
uint64_t kni_type_hash(kn_type t, uint64_t seed);
bool kni_type_same_shape(kn_type a, kn_type b);
/* number of elements; 1 for scalars. The type was checked: it fits */
int64_t kni_type_size(kn_type t);
size_t kni_type_bytes(kn_type t);
bool kni_type_copy(kn_arena *a, kn_type t, kn_type *out); /* dims into the arena; false without memory */
/* "f32[3,4]" as jaxprs print it ("f32[8@x]" sharded); with `long_names` "float32[3,4]" as messages print it. */
const char *kni_type_text(kn_text *t, kn_type type, bool long_names);
/* MemoryError if the byte count overflows; text as NumPy's: array of shape (..) and dtype .. is too large */
kn_error *kni_type_check_size(kn_type t);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * type.h -- the type of a value in a jaxpr: dtype, shape, weak flag, sharding. */
#ifndef KN_IR_TYPE_H
#define KN_IR_TYPE_H
#include "base/dim.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct kni_sharding kni_sharding; /* how a value is spread over a mesh; NULL: one device */

/* Passed by value. Extents may be dimension expressions (base/dim.h): C's own arithmetic is right for a plain number
 * added to them, and nothing else. `dim` points into memory of whoever made the type (an arena, a value): copy it
 * with kni_type_copy
 * to keep it. */
typedef struct kni_type {
    kn_dtype dtype;
    const int64_t *dim;
    const kni_sharding *sharding;
    int16_t ndim;
    bool weak; /* a number that has taken this dtype only until it meets an array (NEP 50) */
} kni_type;

static inline kni_type kni_type_of(kn_dtype dtype, int ndim, const int64_t *dim)
{
    return (kni_type){.dtype = dtype, .ndim = (int16_t)ndim, .dim = dim};
}
static inline kni_type kni_scalar_type(kn_dtype dtype) { return (kni_type){.dtype = dtype}; }
bool kni_type_equal(kni_type a, kni_type b); /* dtype, shape, weak, sharding */
uint64_t kni_type_hash(kni_type t, uint64_t seed);
static inline bool kni_type_same_shape(kni_type a, kni_type b)
{
    if (a.ndim != b.ndim)
        return false;
    for (int i = 0; i < a.ndim; i++)
        if (!knx_dim_eq(a.dim[i], b.dim[i]))
            return false;
    return true;
}
/* Known without asking: what chooses a simpler way. False if it is not known. */
bool kni_type_same_in_scope(kni_type a, kni_type b); /* of one rank */
static inline bool kni_type_surely_same_shape(kni_type a, kni_type b)
{
    if (a.ndim != b.ndim)
        return false;
    for (int i = 0; i < a.ndim; i++)
        if (a.dim[i] != b.dim[i])
            return knx_any_symbolic(a.dim[i], b.dim[i]) && kni_type_same_in_scope(a, b);
    return true;
}
/* number of elements; 1 for scalars; perhaps an expression. The type was checked: it fits */
int64_t kni_type_size(kni_type t);
knx_bytes kni_type_bytes(kni_type t);
/* The same for costs: extents are as knx_dim_hint has them. */
double kni_type_count(kni_type t);
/* The number of a dimension where nothing but a number will do (results that it counts, a loop in C). Of an expression
 * it is the sample's in a scope that assumes, which keeps the equality as a guard, and else an error. */
knx_error *kni_dim_settle(int64_t d, int64_t *n);
/* The extent of an axis with `interior` elements put between its neighbours; INT64_MAX: it does not fit */
int64_t kni_dim_dilated(int64_t extent, int64_t interior);
static inline bool kni_type_is_symbolic(kni_type t) { return knx_has_symbolic(t.ndim, t.dim); }
bool kni_type_copy(knx_arena *a, kni_type t, kni_type *out); /* dims into the arena; false without memory */
/* "f32[3,4]" as jaxprs print it ("f32[8@x]" sharded); with `long_names` "float32[3,4]" as messages print it. */
const char *kni_type_text(knx_text *t, kni_type type, bool long_names);
/* MemoryError if the byte count overflows; text as NumPy's: array of shape (..) and dtype .. is too large */
knx_error *kni_type_refuse_size(kni_type t); /* the error, or NULL: it is only large or symbolic */
static inline knx_error *kni_type_check_size(kni_type t)
{
    uint64_t bytes = t.dtype->size;
    for (int i = 0; i < t.ndim; i++)
        if ((uint64_t)t.dim[i] - 1 >= (uint64_t)1 << 48 || __builtin_mul_overflow(bytes, (uint64_t)t.dim[i], &bytes) ||
            bytes > PTRDIFF_MAX)
            return kni_type_refuse_size(t);
    return NULL;
}
#endif

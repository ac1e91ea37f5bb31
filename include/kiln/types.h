/* SPDX-License-Identifier: Apache-2.0
 * kiln/types.h -- the plain types that the whole interface is made of: handles, dtypes, shapes, axes, error kinds. */
#ifndef KILN_TYPES_H
#define KILN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KN_API __attribute__((visibility("default")))
#define KN_PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define KN_API
#define KN_PRINTF_LIKE(f, a)
#endif

/* Handles. A handle names a slot and a generation, never an address: a dead one is an error where it is used, not a
 * crash. */
typedef struct kn_array_s *kn_array;         /* an array, a number waiting for its dtype, a traced value or an error */
typedef struct kn_fn_s *kn_fn;               /* a C function, or a transformed one */
typedef struct kn_jaxpr_s *kn_jaxpr;         /* a recorded function */
typedef struct kn_tree_s *kn_tree;           /* a list of arrays with names */
typedef struct kn_treedef_s *kn_treedef;     /* what a tree is without its arrays */
typedef struct kn_list_s *kn_list;           /* a variable number of results */
typedef struct kn_archive_s *kn_archive;     /* an open npz file */
typedef struct kn_optimizer_s *kn_optimizer; /* what kn_optim_adam and its kin return */
typedef struct kn_schedule_s *kn_schedule;   /* a number that depends on the step */
typedef struct kn_rng_s *kn_rng;               /* a Generator of random numbers */
typedef struct kn_bit_generator_s *kn_bit_generator; /* what it draws from */
typedef struct kn_seed_sequence_s *kn_seed_sequence; /* what that was seeded with */
typedef struct kn_random_state_s *kn_random_state;   /* a RandomState */
typedef struct kn_context_s *kn_context;     /* pool, caches, defaults, errors and scopes */

/* A device, from kn_devices and its kin: compare by pointer. */
typedef const struct knd_device *kn_device;

/* A dtype is an interned descriptor: compare by pointer, ask through kn_dtype_name and its kin. NULL: not given. */
typedef const struct kn_dtype_s *kn_dtype;

enum { KN_MAX_NDIM = 64 };
enum { KN_MAX_ARGS = 8 };

/* A shape: ndim extents; one of them may be -1 where a function can work it out (reshape). */
typedef struct kn_shape { int ndim; int64_t dim[KN_MAX_NDIM]; } kn_shape;

/* Axes: n is 0 for "not given", -1 for None, 1 + the count for a list (so an empty list is 1). The count is a
 * structure of its own, so that compilers ask for the braces of `.axis = {1}`, which would be an empty list; {0} is
 * "not given". */
typedef struct kn_axes { __extension__ struct { int n; }; int32_t axis[KN_MAX_NDIM]; } kn_axes;

/* Which arguments a transformation works on: n is 0 for "not given" (the first one), else the count. */
typedef struct kn_argnums { __extension__ struct { int n; }; int32_t arg[KN_MAX_ARGS]; } kn_argnums;

/* The names of the fields of a struct type; KN_FIELDS(Params, w1, b1) makes them. Without a name: not known. */
typedef struct kn_field { const char *name; size_t bytes; const struct kn_fields *fields; } kn_field;
typedef struct kn_fields { size_t size_; const char *name; size_t bytes; int n; const kn_field *field; } kn_fields;
struct kn_tree_s { char handle; }; /* so that a part of a call can tell a tree by its size */

/* The place in the user's source that a call stands in. */
typedef struct kn_place { const char *file; int line; const char *function; } kn_place;

/* Error kinds; their names are kn_error_kind_name's results. */
#define KN_ERROR_KINDS(X)                                                                                              \
    X(VALUE, "ValueError") X(TYPE, "TypeError") X(INDEX, "IndexError") X(KEY, "KeyError") X(AXIS, "AxisError")         \
    X(OVERFLOW, "OverflowError") X(LINALG, "LinAlgError") X(NOT_IMPLEMENTED, "NotImplementedError")                    \
    X(CONCRETIZATION, "ConcretizationError") X(LEAKED_TRACER, "LeakedTracerError") X(MUTATION, "MutationError")        \
    X(CONTEXT, "ContextError") X(FILE, "FileError") X(MEMORY, "MemoryError") X(NAME, "NameError")                     \
    X(RUNTIME, "RuntimeError") X(ASSERTION, "AssertionError") X(ZERO_DIVISION, "ZeroDivisionError")          \
    X(DIMENSION, "InconclusiveDimensionOperation") X(FLOATING_POINT, "FloatingPointError")
typedef enum kn_error_kind {
    KN_NO_ERROR = 0,
#define KN_X(id, name) KN_ERROR_##id,
    KN_ERROR_KINDS(KN_X)
#undef KN_X
} kn_error_kind;

typedef struct { float re, im; } kn_c64;  /* how a complex64 element lies in memory */
typedef struct { double re, im; } kn_c128; /* a complex128 element */

#ifdef __cplusplus
}
#endif
#endif

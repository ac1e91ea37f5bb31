/* SPDX-License-Identifier: Apache-2.0
 * op.h -- how a public function of arrays is written. It begins an operation, turns its arrays into atoms of the
 * current recorder, speaks to the builder with the helpers of ir/ops.h (the same ones that rules use), and ends with
 * the results:
 *
 *     kn_array (kn_square)(kn_array x)
 *     {
 *         kna_op op;
 *         kna_begin(&op, "square");
 *         kni_atom a = kna_in(&op, x);
 *         return kna_end(&op, knb_mul(op.b, a, a));
 *     }
 *
 * The builder is the trace's own while a function is recorded, and otherwise a hooked one that makes pending values;
 * the function cannot tell and need not. Errors stick to the op: after one, atoms are KN_ATOM_NONE, builder calls do
 * nothing, and kna_end returns an array that carries the error. Public functions may call each other's explicit form,
 * `(kn_sum)(x, &opts)`: the outermost one names the operation. */
#ifndef KN_ARRAY_OP_H
#define KN_ARRAY_OP_H
#include "array/value.h"
#include "ir/ops.h"
#include "kiln/core.h"
#include "kiln/tree.h"

typedef struct kna_op {
    kni_builder *b;         /* speak to this */
    knx_error *error;       /* first error; owned */
    bool known_error;       /* it came in with an operand and was reported before */
    bool outermost;
} kna_op;

void kna_begin(kna_op *op, const char *name);                   /* name: static, as in messages ("sum", "matmul") */
void kna_fail(kna_op *op, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4) KNX_COLD;
void kna_fail_with(kna_op *op, knx_error *e);                   /* takes e over */
/* also true when the builder has an error */
static inline bool kna_failed(const kna_op *op) { return op->error || op->b->error; }

#ifdef __clang_analyzer__ /* what an analyser of one file cannot see: errors stick */
#define kna_fail(op, ...) ((kna_fail)(op, __VA_ARGS__), (void)((op)->error = knx_error_nomem()))
#define kna_fail_with(op, e)                                                                                           \
    ({                                                                                                                 \
        knx_error *kna_given_ = e;                                                                                     \
        (op)->error = kna_given_ ? kna_given_ : (op)->error;                                                           \
    })
#define kna_failed(op) ((op)->error != NULL)
/* For functions that give NULL where the operation has failed, and only there. */
#define KNA_NULL_IF_FAILED(op, call)                                                                                   \
    ({                                                                                                                 \
        __auto_type kna_given_ = call;                                                                                 \
        (op)->error = kna_given_ ? NULL : knx_error_nomem();                                                           \
        kna_given_;                                                                                                    \
    })
#endif

/* The type of an array; on errors (null, dead, carrying an error) sticks it to the op and gives a float32 scalar.
 * Numbers that wait for a dtype (C scalars) have weak = true, and dtype bool, int64 (or uint64 where the value needs
 * it), float64 or complex128. */
kni_type kna_type(kna_op *op, kn_array x);
/* Is x a C number, whose value is known also under a trace? What a transformed function returns for one is weak too,
 * but need not be one any more: it may be an array, or traced. */
bool kna_is_number(kna_op *op, kn_array x);
/* weak numbers get their default dtype: int64, the default float, ... */
kni_atom kna_in(kna_op *op, kn_array x);
/* A number that meets no array: in the text of a jaxpr it and what is made of such alone are weak, as in JAX. */
kni_atom kna_number_alone(kna_op *op, kni_atom a);
/* x converted to dtype d (unsafe cast) as NumPy does. A weak integer that does not fit an integer dtype is an
 * OverflowError "integer 300 out of bounds for uint8". */
kni_atom kna_in_as(kna_op *op, kn_array x, kn_dtype d);
/* The same as jax.lax.convert_element_type: floats saturate, integers wrap, numbers too. */
kni_atom kna_in_converted(kna_op *op, kn_array x, kn_dtype d);
/* np.result_type of some arrays with NEP 50's rules for weak numbers; NULL arrays in the list are skipped. NULL on
 * errors. */
kn_dtype kna_result_type(kna_op *op, int n, const kn_array *x);
kn_dtype kna_result_type_of(kna_op *op, int n, const kni_type *t);
/* The types of the arrays that are not NULL, in `few` or the operation's memory; how many they are. */
enum { KNA_FEW_TYPES = 8 };
int kna_types(kna_op *op, int n, const kn_array *x, kni_type few[KNA_FEW_TYPES], kni_type **t);
kn_dtype kna_default_float(void);                               /* of the context */
/* Is it a number, as this purpose needs it? InconclusiveDimensionOperation for an expression. */
bool kna_need_number(kna_op *op, int64_t extent, const char *purpose);

kn_array kna_end(kna_op *op, kni_atom result);
void kna_end_n(kna_op *op, int n, const kni_atom *results, kn_array *out);
/* Ends an operation whose result is not an array: reports the error if there is one and returns true if all was well.
 * */
bool kna_end_plain(kna_op *op);
/* The same where the result is a handle that cannot carry an error: one that came in with an operand, and was read and
 * cleared since, is there again. */
bool kna_end_handle(kna_op *op);

/* The value of an array, run if it waits, as a buffer or number; for host functions (item, save, print). Under an
 * abstract recording a ConcretizationError "the value of float64[] is not known while f is traced by jit; use kn_cond
 * or kn_where". Between begin and end. The pointer lives as long as the handle. */
const void *kna_look(kna_op *op, kn_array x, kni_type *type);
/* Whether the elements of x can be looked at here; neither runs anything nor fails for it. */
bool kna_is_concrete(kna_op *op, kn_array x);
/* Runs what it waits for, wherever that is; `then` is called with the buffer of what was computed (knd_wait); NULL:
 * nothing is. */
void kna_wait_for(kna_op *op, kn_array x, knx_error *(*then)(knx_buffer *b));
/* A new array from a buffer (reference taken over) or from the bits of a scalar. */
kn_array kna_from_buffer(kna_op *op, kni_type type, knx_buffer *buffer);
kn_array kna_from_number(kn_dtype dtype, bool weak, knx_scalar_bits bits);

/* The shape that the arrays broadcast to (NULL: none there), or a ValueError "operands could not be broadcast together
 * with shapes (2,) (3,)". */
void kna_common_shape(kna_op *op, int n, const kn_array *x, kn_shape *shape);
/* Both: the dtype as from kna_result_type, and the shape. Dtypes that do not mix are spoken of first. */
kn_dtype kna_join(kna_op *op, int n, const kn_array *x, kn_shape *shape);

/* Axes as options give them. Fills axes[] sorted and unique, each in 0..ndim-1, and returns their number.
 * `if_not_given`: what n == 0 means. */
typedef enum { KNA_AXES_ALL, KNA_AXES_LAST, KNA_AXES_FIRST } kna_axes_default;
/* AxisError "axis 2 is out of bounds for array of dimension 2", ValueError "duplicate value in 'axis'" */
int kna_axes(kna_op *op, kn_axes given, int ndim, kna_axes_default if_not_given, int64_t axes[KN_MAX_NDIM]);
int kna_axis(kna_op *op, kn_axes given, int ndim, int if_not_given); /* one axis; ValueError if several were given */
int kna_normalize_axis(kna_op *op, int64_t axis, int ndim);

/* What is given beside arrays, checked once, where it comes in (given.c): NULL is a TypeError "null shape" that has the
 * argument's name, a count that no list can have a ValueError; an empty one stands for it then, so that callers need
 * not look. The macros take the name from what they are given. */
#define kna_shape(op, shape) kna_given_shape(op, shape, #shape)
#define kna_shape_or_null(op, shape) ((shape) ? kna_given_shape(op, shape, #shape) : NULL)
#define kna_axes_of(op, axes) kna_given_axes(op, axes, #axes)
const kn_shape *kna_given_shape(kna_op *op, const kn_shape *given, const char *name);
const kn_axes *kna_given_axes(kna_op *op, const kn_axes *given, const char *name);
bool kna_axes_fit(kna_op *op, kn_axes given, const char *name);
bool kna_given_pointer(kna_op *op, const void *p, const char *name); /* false: the operation failed, now or before */
bool kna_given_list(kna_op *op, int64_t n, const void *p, int64_t most, const char *name); /* n of them at p */
bool kna_report_list(const char *operation, int64_t n, const void *p, const char *name);   /* the same without an op */
void kna_null(kna_op *op, const char *name);

void kna_mark_kept(int n, const kn_array *x); /* values that are handed on: worth having when their neighbours run */
kn_dtype kna_lookup_dtype(kn_dtype given, kn_dtype otherwise);

/* The same on values rather than handles, for the functions floor. */
kn_dtype kna_strong_dtype(kni_type t);                          /* what a weak number becomes alone */
knx_error *kna_value_as(kna_value **v, kn_dtype d);             /* a weak value becomes an array of dtype d */
kni_atom kna_value_atom(kna_op *op, kna_value *v);
void kna_drop_value(void *v); /* for handles */
/* A number that is an operand of the plan, not a part of its structure; outside of traces. */
kni_atom kna_number_atom(kna_op *op, kn_dtype d, knx_scalar_bits bits);
kna_value *kna_atom_value(kna_op *op, kni_atom a);              /* a new reference; NULL without memory */
knx_error *kna_settle(int n, kna_value **v);                    /* runs what has to run now */
knx_error *kna_take_error(kna_op *op);
/* Drops the values that this operation holds outside of traces: none of its atoms may be used any more. */
void kna_let_go(kna_op *op);
void kna_leave(kna_op *op);                                     /* ends an operation whose error was taken */
#endif

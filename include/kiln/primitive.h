/* SPDX-License-Identifier: Apache-2.0
 * kiln/primitive.h -- primitives of the user's own (jax.extend.core.Primitive): an operation with a name,
 * parameters, a shape rule, a computation and derivatives, which every transformation treats as it does those of
 * Kiln. docs/own-primitives.md tells how to write one. */
/* Made by scripts/make-api.py from api/primitive.api. */
/* clang-format off */
#ifndef KILN_PRIMITIVE_H
#define KILN_PRIMITIVE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A primitive of the process: it lives as long as that does. Compare by pointer. NULL: none. */
typedef const struct kn_primitive_s *kn_primitive;

/* ---- Parameters: members of a C struct, each of one of these types. */
typedef struct kn_int_list { int n; const int64_t *v; } kn_int_list;
typedef struct kn_double_list { int n; const double *v; } kn_double_list;
enum {
    KN_PARAM_INT = 1,    /* int64_t */
    KN_PARAM_DOUBLE,     /* double */
    KN_PARAM_BOOL,       /* bool */
    KN_PARAM_TEXT,       /* const char *, not NULL */
    KN_PARAM_DTYPE,      /* kn_dtype, not NULL */
    KN_PARAM_INTS,       /* kn_int_list */
    KN_PARAM_DOUBLES     /* kn_double_list */
};
typedef struct kn_param { const char *name; int kind; size_t offset; } kn_param;

/* All members of a struct of so many bytes; KN_PARAMS makes one. n == 0: no parameters. */
typedef struct kn_params { size_t bytes; int n; const kn_param *at; } kn_params;

/* ---- What the functions of a primitive are told about one call of it. It all lives as long as the function runs. */
typedef struct kn_aval { kn_dtype dtype; kn_shape shape; } kn_aval; /* an array without its value (an aval in JAX) */
typedef struct kn_primitive_call {
    size_t size_;
    kn_primitive primitive;
    void *env;              /* as kn_primitive_new was given it */
    const void *params;     /* the struct; NULL if there are no parameters */
    int n_in, n_out;
    const kn_aval *in;      /* of the operands */
    const kn_aval *out;     /* of the results; NULL while they are not known: in `shape`, `expression` and `compute` */
} kn_primitive_call;

/* Each returns 0, or says what is wrong: return kn_primitive_error(KN_ERROR_VALUE, "...", ...). Any other value is a
 * RuntimeError. Those with kn_array are recorded, as functions of kn_jit are: they say in Kiln calls what is to be
 * done. Results come in as NULL.
 *
 * shape: the shapes and dtypes of the results. It must not call Kiln, but for kn_primitive_error. */
typedef int (*kn_primitive_shape)(const kn_primitive_call *call, kn_aval *out);

/* expression, compute: the results y[k] of the operands x[i] */
typedef int (*kn_primitive_compute)(const kn_primitive_call *call, const kn_array *x, kn_array *y);

/* run: the same on memory: C-contiguous elements, of the dtypes of call->in and call->out. It runs on the thread of
 * the call that runs the program. y[k] is NULL where nobody reads result k. */
typedef int (*kn_primitive_run)(const kn_primitive_call *call, const void *const *x, void *const *y);

/* jvp: ty[k], what tangent t of operand i makes of result k (NULL: nothing), where y are the results. Linear in t. */
typedef int (*kn_primitive_jvp)(const kn_primitive_call *call, const kn_array *x, const kn_array *y, int i, kn_array t,
    kn_array *ty);

/* transpose: the cotangent of operand i, which the primitive is linear in, from those of the results, ct[k] (zeros
 * where there is none). x[j] is NULL for operands whose cotangents are asked for, too: they have no value. */
typedef int (*kn_primitive_transpose)(const kn_primitive_call *call, const kn_array *x, int i, const kn_array *ct,
    kn_array *ct_x);

/* batch: the results for operands with one more axis of extent `size`: operand i has it at axis[i], -1: it has none.
 * call->in and call->out are of one lane. out_axis[k], which comes in as 0: where result k has it; -1: nowhere. */
typedef int (*kn_primitive_batch)(const kn_primitive_call *call, int64_t size, const int *axis, const kn_array *x,
    kn_array *y, int *out_axis);
/* What a primitive is. */
typedef struct kn_primitive_opts {
    size_t size_;
    int n_in;                         /* operands, -1: any number */
    /* results, 0 for one. Exactly one of expression  elementwise: made of Kiln's elementwise functions alone; fused
     * with what stands around it. Operands broadcast; without `shape` and `batch`, which follow compute any Kiln
     * calls; without `shape` types are those of what it returns run         C code on memory; needs `shape` says
     * what it does. Without `jvp` derivatives by operands that it is not linear in are a TypeError */
    int n_out;
    kn_primitive_compute expression;
    kn_primitive_compute compute;
    kn_primitive_run run;
    kn_primitive_shape shape;
    kn_primitive_jvp jvp;
    uint32_t linear_in;               /* bit i: linear in operand i, in all of these together (as addition is) */
    /* in each of them alone (as a product is); there the primitive of the tangents is its own jvp, and `transpose`
     * is needed for `run`, else it is that of what is computed. Without `batch` kn_vmap goes by vmap_method:
     * "sequential", the default: lane by lane; "expand_dims", "broadcast_all": the primitive of operands with a new
     * first axis, as kn_pure_callback has it */
    uint32_t multilinear_in;
    kn_primitive_transpose transpose;
    kn_primitive_batch batch;
    const char *vmap_method;
    kn_params params;
    const void *defaults;             /* parameters of calls that give none. */
    /* `run` does more than compute results: it is never left out or done twice, and keeps its order */
    bool effect;
    void *env;
} kn_primitive_opts;
KN_API kn_primitive_opts kn_primitive_opts_default(void);
/* The primitive of this name, for all contexts and threads, until the process ends: functions and env have to live
 * as long. Names are letters, digits and _. The same definition again is the same primitive. NULL and a ValueError
 * if the name is one of Kiln's or was given to another definition; a TypeError or ValueError if a definition is not
 * sound. */
KN_API kn_primitive kn_primitive_new(const char *name, const kn_primitive_opts *opts);
/* the primitive of the user's own with this name; NULL without an error if there is none */
KN_API kn_primitive kn_primitive_named(const char *name);
/* the name that a primitive was given; NULL and a TypeError if it is none */
KN_API const char *kn_primitive_name(kn_primitive primitive);
/* Calls a primitive: its result; for several kn_bind_all (JAX's bind). params: the struct, NULL: the defaults.
 * Arrays keep their dtypes; C numbers among the operands take the dtype that they have beside the arrays. The shape
 * rule's errors are this call's. TypeError for another number of operands, or parameters that are missing. */
KN_API kn_array kn_bind(kn_primitive primitive, kn_list operands, const void *params);
/* Calls a primitive as kn_bind does: the list of all its results */
KN_API kn_list kn_bind_all(kn_primitive primitive, kn_list operands, const void *params);
/* In a function of a primitive: the error of the call that it is asked for; returns -1. In C it takes printf's
 * format and arguments: return kn_primitive_error(KN_ERROR_VALUE, "wants %d axes", n). ContextError anywhere else. */
KN_API int kn_primitive_error(kn_error_kind kind, const char *message);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* .params = KN_PARAMS(S, KN_PARAM(S, a), KN_PARAM(S, b)): the members a and b of struct S, which has no others */
#define KN_PARAMS(S, ...)                                                                                              \
    { sizeof(S), (int)(sizeof((const kn_param[]){__VA_ARGS__}) / sizeof(kn_param)), (const kn_param[]){__VA_ARGS__} }
#define KN_PARAM(S, member) { #member, /* a parameter is int64_t, double, bool, const char *, kn_dtype or a list */    \
    _Generic(((S *)0)->member, int64_t: KN_PARAM_INT, double: KN_PARAM_DOUBLE, bool: KN_PARAM_BOOL,                    \
        const char *: KN_PARAM_TEXT, kn_dtype: KN_PARAM_DTYPE, kn_int_list: KN_PARAM_INTS,                             \
        kn_double_list: KN_PARAM_DOUBLES), offsetof(S, member) }
#define kn_primitive_error(kind, ...)                                                                                  \
    __extension__({ char kn_text_[1024]; snprintf(kn_text_, sizeof kn_text_, __VA_ARGS__);                             \
        (kn_primitive_error)(kind, kn_text_); })
#define kn_bind(primitive, operands, ...) KN_BIND_(__COUNTER__, kn_bind, primitive, operands, __VA_ARGS__)
#define kn_bind_all(primitive, operands, ...) KN_BIND_(__COUNTER__, kn_bind_all, primitive, operands, __VA_ARGS__)
#define KN_BIND_(c, f, primitive, operands, ...)                                                                       \
    __extension__({ KN_TAKE(kn_primitive, 1, c, primitive) KN_TAKE(kn_list, 2, c, operands)                            \
        const void *KN_V(3, c) = KN_CAT(KN_BIND_PARAMS_, KN_HAS(__VA_ARGS__))(__VA_ARGS__);                            \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define KN_BIND_PARAMS_0(...) NULL
#define KN_BIND_PARAMS_1(...) (__VA_ARGS__)
#define kn_primitive_new(name, ...) KN_G1O(kn_primitive_new, kn_primitive_opts, (), const char *, name, __VA_ARGS__)
#define kn_primitive_named(name) KN_G1(kn_primitive_named, const char *, name)
#define kn_primitive_name(primitive) KN_G1(kn_primitive_name, kn_primitive, primitive)
#endif
#endif

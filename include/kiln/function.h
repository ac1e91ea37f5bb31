/* SPDX-License-Identifier: Apache-2.0
 * kiln/function.h -- C functions as values, calling them, transforming them, and the jaxprs that they are recorded
 * into. */
#ifndef KILN_FUNCTION_H
#define KILN_FUNCTION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Structs of arrays as arguments and results. A struct whose fields are all kn_array (or such structs) is a tree.
 * `bytes` is its size; a kn_tree handle is told by bytes == 1. */
struct kn_tree_s { char handle; };
typedef struct kn_part { void *at; size_t bytes; } kn_part;
typedef struct kn_outs { int n; kn_part part[KN_MAX_ARGS]; } kn_outs;
typedef struct kn_const_part { const void *at; size_t bytes; } kn_const_part;
typedef struct kn_args { int n; kn_const_part part[KN_MAX_ARGS]; } kn_args;

/* ---- A C function that can be transformed; KN_FUNCTION and its kin make one. */
typedef struct kn_function {
    size_t size_;
    const char *name;
    void (*call)(const void *env, void *out, const void *const *in); /* env: the bytes or the captured arrays */
    size_t env_bytes;       /* KN_FUNCTION_ENV: plain data, part of what the function is; else 0 */
    size_t captured_bytes;  /* KN_CLOSURE: a tree of arrays that are operands; else 0 */
    size_t out_bytes;
    int n_args;
    size_t arg_bytes[KN_MAX_ARGS];
} kn_function;
/* env: NULL, the bytes to copy, or the captured arrays */
KN_API kn_fn kn_fn_of(const kn_function *function, const void *env);

/* Calls fn: fills what `outs` points to and returns 0; -1 with an error otherwise (then the outputs carry it). */
KN_API int kn_call(kn_fn fn, const kn_outs *outs, const kn_args *args);

/* ---- Transformations (jax.jit, jax.grad, ...). They return handles and compose in any order. */
typedef struct kn_jit_opts { size_t size_; kn_argnums donate_argnums; } kn_jit_opts;
KN_API kn_fn kn_jit(kn_fn fn, const kn_jit_opts *opts);
typedef struct kn_grad_opts { size_t size_; kn_argnums argnums; bool has_aux; } kn_grad_opts;
/* gradient of a function of one real scalar result; with has_aux {gradient, aux} */
KN_API kn_fn kn_grad(kn_fn fn, const kn_grad_opts *opts);
/* {value, gradient}; with has_aux {{value, aux}, gradient} */
KN_API kn_fn kn_value_and_grad(kn_fn fn, const kn_grad_opts *opts);
/* in_axes and out_axes: one per argument (for all its arrays) or result; 0 is "not given" and means axis 0. */
/* code: 0 not given, 1 unmapped, else axis k >= 0 is k + 2, k < 0 is k */
typedef struct kn_mapping { int32_t code; } kn_mapping;
typedef struct kn_vmap_opts {
    size_t size_;
    kn_mapping in_axes[KN_MAX_ARGS];
    kn_mapping out_axes[KN_MAX_ARGS];
    const char *axis_name;
    int64_t axis_size;
} kn_vmap_opts;
KN_API kn_fn kn_vmap(kn_fn fn, const kn_vmap_opts *opts);
typedef struct kn_jac_opts { size_t size_; kn_argnums argnums; } kn_jac_opts;
/* for each array of the result the struct of the argument; shape out + in */
KN_API kn_fn kn_jacfwd(kn_fn fn, const kn_jac_opts *opts);
KN_API kn_fn kn_jacrev(kn_fn fn, const kn_jac_opts *opts);
KN_API kn_fn kn_hessian(kn_fn fn, const kn_jac_opts *opts);         /* jacfwd of jacrev */
KN_API int kn_jvp(kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y, const kn_outs *dy);
/* a pullback: takes the result's cotangent, returns one cotangent per argument */
KN_API kn_fn kn_vjp(kn_fn fn, const kn_args *primals, const kn_outs *y);
/* the derivative at a point, as a function of the tangents */
KN_API kn_fn kn_linearize(kn_fn fn, const kn_args *primals, const kn_outs *y);
/* of a linear function; only shapes and dtypes of the examples count */
KN_API kn_fn kn_linear_transpose(kn_fn fn, const kn_args *examples);

/* What fn would return: arrays that have shape and dtype but no value (jax.eval_shape). */
KN_API int kn_eval_shape(kn_fn fn, const kn_args *args, const kn_outs *outs);
KN_API int kn_fn_trace_count(kn_fn fn);                             /* how often a jitted function was recorded */
KN_API const char *kn_fn_name(kn_fn fn);

/* ---- Jaxprs. */
enum { KN_JAXPR_CLASSIC, KN_JAXPR_TYPED, KN_JAXPR_FULL };
typedef struct kn_make_jaxpr_opts { size_t size_; } kn_make_jaxpr_opts;
KN_API kn_jaxpr kn_make_jaxpr(kn_fn fn, const kn_args *args, const kn_make_jaxpr_opts *opts); /* jax.make_jaxpr */
KN_API int kn_jaxpr_print(kn_jaxpr jaxpr, FILE *file, int form);
KN_API const char *kn_jaxpr_text(kn_jaxpr jaxpr, int form);         /* owned by the scope */
KN_API kn_jaxpr kn_jaxpr_parse(const char *text);                   /* the full form */
KN_API bool kn_jaxpr_equal(kn_jaxpr a, kn_jaxpr b);                 /* the same program and the same constants */
KN_API int kn_jaxpr_equation_count(kn_jaxpr jaxpr);
KN_API kn_fn kn_fn_from_jaxpr(kn_jaxpr jaxpr);                      /* one array per argument */
/* Walking: equation i of the jaxpr. Names and parameters live as long as the jaxpr. Atoms: see kn_atom_info. */
typedef struct kn_equation {
    size_t size_;
    const char *primitive;
    int n_in, n_out;
    const uint32_t *in;
    uint32_t first_out;
    const kn_place *place;
} kn_equation;
KN_API int kn_jaxpr_equation(kn_jaxpr jaxpr, int i, kn_equation *out);
typedef struct kn_variable { size_t size_; kn_dtype dtype; kn_shape shape; bool literal; double value; } kn_variable;
KN_API int kn_jaxpr_variable(kn_jaxpr jaxpr, uint32_t atom, kn_variable *out);
typedef struct kn_jaxpr_counts { int constvars, invars, equations, outvars; } kn_jaxpr_counts;
KN_API kn_jaxpr_counts kn_jaxpr_count(kn_jaxpr jaxpr);
KN_API uint32_t kn_jaxpr_outvar(kn_jaxpr jaxpr, int i);

/* ---- Trees. */
/* views a struct of arrays: KN_TREE(&params); the struct must live on */
KN_API kn_tree kn_tree_of(void *structure, size_t bytes);
KN_API kn_tree kn_tree_from(int n, const kn_array *arrays);         /* owns its arrays */
KN_API int kn_tree_count(kn_tree tree);
KN_API kn_array kn_tree_get(kn_tree tree, int i);
KN_API int kn_tree_assign(kn_tree to, kn_tree from);                /* kn_assign, leaf by leaf */

/* ---- Lists. */
KN_API kn_list kn_list_from(const kn_array *arrays, int n);
KN_API int kn_list_count(kn_list list);
KN_API kn_array kn_list_get(kn_list list, int i);

#ifdef __cplusplus
}
#endif
#endif

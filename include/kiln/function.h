/* SPDX-License-Identifier: Apache-2.0
 * kiln/function.h -- C functions as values, calling them, transforming them, and the jaxprs that they are recorded
 * into. */
/* Made by scripts/make-api.py from api/function.api. */
/* clang-format off */
#ifndef KILN_FUNCTION_H
#define KILN_FUNCTION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Structs of arrays as arguments and results. A struct whose fields are all kn_array (or such structs) is a
 * tree. `bytes` is its size; a kn_tree handle is told by bytes == 1, the address of a kn_tree variable by bytes ==
 * 2: as an argument the tree in it, as a result it gets a new tree of the arrays that no other part takes. */
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
    size_t out_bytes; /* of what it takes and returns; 2: a kn_tree of any structure, which each call shows */
    int n_args;
    size_t arg_bytes[KN_MAX_ARGS];
    const kn_fields *out_fields, *arg_fields[KN_MAX_ARGS]; /* names of the leaves, where KN_FIELDS gives them */
} kn_function;
/* a handle of a described C function: what KN_FN, KN_FN_ENV and KN_CLOSE call. env: NULL, the bytes to copy, or the
 * captured arrays */
KN_API kn_fn kn_fn_of(const kn_function *function, const void *env);
/* Calls fn: fills what `outs` points to and returns 0; -1 with an error otherwise (then the outputs carry it). */
KN_API int kn_call(kn_fn fn, const kn_outs *outs, const kn_args *args);

/* ---- Transformations (jax.jit, jax.grad, ...). They return handles and compose in any order. */

/* donate_argnums: arguments that each call outside of a trace gives away: their memory may become a result's, and
 * they are errors afterwards, if a result has their type. static_argnums: arguments whose values are part of what is
 * recorded (jax.jit's static_argnums): numbers or small arrays that fn may look at (kn_item_int(*n)) to choose a
 * shape, a branch, a number of rounds. Each value is recorded once. ValueError for positions that fn does not have,
 * for more than KN_MAX_STATIC_BYTES, and under vmap over them; ConcretizationError for values that are being traced;
 * TypeError where an argument is donated, too. */
enum { KN_MAX_STATIC_BYTES = 65536 };

/* .symbolic of kn_jit: one program for all sizes of the leading axes of the arguments. The first call is recorded
 * for its shapes; leading extents that differ in a later one become variables. What cannot be recorded like that
 * (kn_dim of such an axis, which C could compare; errors) is recorded for each shape; kn_fn_explain says why. The
 * extents 0 and 1 have recordings of their own. Results are the same, to the bit. */
#define KN_ALL "*"
typedef struct kn_jit_opts {
    size_t size_;
    kn_argnums donate_argnums;
    kn_argnums static_argnums;
    /* "b t 128, 128": recorded once for all extents b and t (docs/shapes.md); a shape for each array of the
     * arguments, with commas between them. A dimension is a number, a variable, an expression without blanks (2*b+1,
     * floordiv(t,2)), _ (the call says the number) or, at the end, ... (any axes). NULL: a recording for each shape,
     * unless kn_set_symbolic says KN_ALL. (jax.export.symbolic_shape) */
    const char *symbolic;
    /* "b >= 2; mod(t, 8) == 0": what may be assumed of the variables, which are at least 1; a ValueError of calls
     * that do not keep them */
    const char *constraints;
    /* comparisons of extents that are not decided are no errors: they come out as for the shapes of the first call,
     * and each later call for which one comes out differently is a ValueError that names it, its line and the
     * numbers */
    bool checks;
    /* arguments whose arrays are constants of the program, such as the weights of a model that only computes: what
     * depends on them alone is worked out when it is compiled, and kept. There is a program for each set of arrays,
     * which are told apart by where they lie and held while it is kept; writing to one later makes another array.
     * Memory of the user's (kn_wrap) must not change meanwhile. Otherwise as static_argnums, of any size; a
     * derivative by either is a ValueError */
    kn_argnums constant_argnums;
} kn_jit_opts;
/* compiles fn when it is called first with arguments of these types (jax.jit) */
KN_API kn_fn kn_jit(kn_fn fn, const kn_jit_opts *opts);
typedef struct kn_grad_opts {
    size_t size_;
    kn_argnums argnums;
    bool has_aux;
    /* of a complex function of complex arguments, the derivative with respect to them (TypeError for others) */
    bool holomorphic;
    /* integers and bools among the arguments, whose gradients are zeros of their dtype (JAX: float0). */
    bool allow_int;
} kn_grad_opts;
/* gradient of a function of one real scalar result; with has_aux {gradient, aux} */
KN_API kn_fn kn_grad(kn_fn fn, const kn_grad_opts *opts);
/* value and gradient of a function of one real scalar result, at once: {value, gradient}; with has_aux {{value,
 * aux}, gradient}. TypeError where the result is no real scalar */
KN_API kn_fn kn_value_and_grad(kn_fn fn, const kn_grad_opts *opts);

/* in_axes and out_axes: one per argument (for all its arrays) or result; 0 is "not given" and means axis 0. */

/* code: 0 not given, 1 unmapped, else axis k >= 0 is k + 2, k < 0 is k */
typedef struct kn_mapping { int32_t code; } kn_mapping;

/* One per array of an argument, as a tuple in JAX's in_axes: KN_LEAVES(KN_MAPPED(0), KN_UNMAPPED); n is 0 for "not
 * given". */
typedef struct kn_leaf_axes { int n; const kn_mapping *axis; } kn_leaf_axes;
typedef struct kn_vmap_opts {
    size_t size_;
    kn_mapping in_axes[KN_MAX_ARGS];
    kn_mapping out_axes[KN_MAX_ARGS];
    const char *axis_name;               /* for the collectives of kiln/lax.h */
    int64_t axis_size;
    /* by array, for the arguments that need it; the others have in_axes. ValueError for more entries than there are
     * arguments, or others than there are arrays. */
    kn_leaf_axes in_leaves[KN_MAX_ARGS];
    /* NULL, any that are free: of kn_pmap: the number of the device of each element, in order. They run its calls;
     * inside of a recorded function it runs where that does. ValueError for other numbers of elements, and from
     * kn_vmap. */
    kn_array devices;
} kn_vmap_opts;
/* fn of every element along axes of its arguments at once (jax.vmap) */
KN_API kn_fn kn_vmap(kn_fn fn, const kn_vmap_opts *opts);
/* As kn_vmap, with a device for each element: fn is recorded as an equation (xla_pmap) that runs on the devices of a
 * mesh whose one axis is this one, where the arguments are on such a mesh, where .devices names them, and where a
 * call finds so many devices (KILN_DEVICES) and its arguments are on none; elsewhere all elements are worked out
 * together. out_axes KN_UNMAPPED gives what the first one returned */
KN_API kn_fn kn_pmap(kn_fn fn, const kn_vmap_opts *opts);
typedef struct kn_jac_opts {
    size_t size_;
    kn_argnums argnums;
    /* the last n_aux arrays of the result (0: all behind the first) are not differentiated and come behind the
     * Jacobians, as they are */
    bool has_aux;
    bool holomorphic;   /* as that of kn_grad */
    bool allow_int;     /* as that of kn_grad (kn_jacfwd takes no integers in either case) */
    int n_aux;
} kn_jac_opts;
/* the Jacobian by forward mode, one column after the other: for each array of the result the struct of the argument;
 * shape out + in. For functions with few inputs. TypeError for complex arguments (kn_jacfwd) or results (kn_jacrev)
 * without .holomorphic, as in JAX. */
KN_API kn_fn kn_jacfwd(kn_fn fn, const kn_jac_opts *opts);
/* the Jacobian by reverse mode, one row after the other: for each array of the result the struct of the argument;
 * shape out + in. For functions with few results. TypeError for complex results without .holomorphic */
KN_API kn_fn kn_jacrev(kn_fn fn, const kn_jac_opts *opts);
/* the matrix of second derivatives of a function: jacfwd of jacrev; shape out + in + in */
KN_API kn_fn kn_hessian(kn_fn fn, const kn_jac_opts *opts);
/* value of fn at the primals and its derivative along the tangents, by forward mode; y and dy get them. Tangents
 * have the shapes of the primals; those of integers are zeros of their dtype. 0, or -1 with an error */
KN_API int kn_jvp(kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y, const kn_outs *dy);
/* the value of fn at the primals, in y, and its pullback: a function of the result's cotangent that returns one
 * cotangent per argument (reverse mode) */
KN_API kn_fn kn_vjp(kn_fn fn, const kn_args *primals, const kn_outs *y);
/* the value of fn at the primals, in y, and its derivative there, as a function of the tangents that may be called
 * many times */
KN_API kn_fn kn_linearize(kn_fn fn, const kn_args *primals, const kn_outs *y);
/* kn_jvp of a function whose last results, as many as `aux` takes, are not differentiated (has_aux of JAX): y and dy
 * get the others, aux gets those */
KN_API int kn_jvp_aux(kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y, const kn_outs *dy,
    const kn_outs *aux);
/* kn_vjp of a function whose last results, as many as `aux` takes, are not differentiated: they are put there, y
 * gets the others */
KN_API kn_fn kn_vjp_aux(kn_fn fn, const kn_args *primals, const kn_outs *y, const kn_outs *aux);
/* kn_linearize of a function whose last results, as many as `aux` takes, are not differentiated: they are put there,
 * y gets the others */
KN_API kn_fn kn_linearize_aux(kn_fn fn, const kn_args *primals, const kn_outs *y, const kn_outs *aux);
/* the transpose of a linear function: from a cotangent of the result one of each argument; only shapes and dtypes of
 * the examples count. An error if fn is not linear */
KN_API kn_fn kn_linear_transpose(kn_fn fn, const kn_args *examples);

/* ---- Custom derivatives and checkpoints. */
/* fn with the derivative that `rule` gives (jax.custom_jvp). The rule takes all arguments of fn and then as many
 * tangents, and returns a struct of fn's result and its tangent. It must be linear in the tangents; those of
 * integers are zeros of their dtype. It may call the result of kn_custom_jvp itself: it is recorded only where a
 * derivative is taken, once for each list of types. If fn captures arrays (KN_CLOSURE), derivatives by them are a
 * TypeError, unless the rule takes the struct of them as its first argument, and that of their tangents as its first
 * tangent. TypeError if the rule's arrays are not as many. */
KN_API kn_fn kn_custom_jvp(kn_fn fn, kn_fn rule);
/* fn with the reverse derivative that two functions give (jax.custom_vjp): `forward` takes the arguments of fn and
 * returns a struct of its result and of residuals, `backward` takes the struct of residuals and that of the result's
 * cotangents and returns a struct of one cotangent per argument (those of integers do not count). Where it depends
 * what there is to keep, `forward` returns a kn_tree of two, the result and the residuals, and `backward` takes the
 * two trees of the residuals and the cotangents. Forward mode (kn_jvp, kn_jacfwd) is a TypeError. Captured arrays of
 * fn: as for kn_custom_jvp. */
KN_API kn_fn kn_custom_vjp(kn_fn fn, kn_fn forward, kn_fn backward);

/* What derivatives of a checkpoint may keep from the first time (jax.checkpoint_policies); the rest is computed
 * again. Of the names that kn_checkpoint_name gave: none but these, any but these. */
enum {
    KN_POLICY_NOTHING,                /* nothing_saveable */
    KN_POLICY_EVERYTHING,             /* everything_saveable */
    KN_POLICY_PRODUCTS,               /* dots_saveable */
    KN_POLICY_PRODUCTS_WITHOUT_BATCH, /* dots_with_no_batch_dims_saveable */
    KN_POLICY_THESE_NAMES,            /* save_only_these_names */
    KN_POLICY_OTHER_NAMES             /* save_any_names_but_these */
};
enum { KN_MAX_POLICY_NAMES = 16 };
typedef struct kn_policy { int32_t kind, n; const char *name[KN_MAX_POLICY_NAMES]; } kn_policy;
typedef struct kn_checkpoint_opts {
    size_t size_;
    kn_policy policy; /* nothing is kept but arguments and captured arrays */
    bool prevent_cse; /* true: what is computed again is not merged with the first time, and not done early */
} kn_checkpoint_opts;
#define KN_CHECKPOINT_DEFAULTS (.prevent_cse = true, )
KN_API kn_checkpoint_opts kn_checkpoint_opts_default(void);
/* fn, whose derivative computes its values again instead of keeping them (jax.checkpoint). Checkpoints may be inside
 * each other. */
KN_API kn_fn kn_checkpoint(kn_fn fn, const kn_checkpoint_opts *opts);
/* x, under a name for policies (jax.ad_checkpoint.checkpoint_name) */
KN_API kn_array kn_checkpoint_name(kn_array x, const char *name);
KN_API kn_array kn_stop_gradient(kn_array x); /* x, which counts as a constant in derivatives (jax.lax.stop_gradient) */
KN_API kn_array kn_lax_stop_gradient(kn_array x); /* kn_stop_gradient */
/* What fn would return, without computing it: arrays that have shape and dtype but no value (jax.eval_shape). 0, or
 * -1 with an error */
KN_API int kn_eval_shape(kn_fn fn, const kn_args *args, const kn_outs *outs);
/* how often a jitted function was recorded: once for each list of shapes and dtypes it was called with; 0 before the
 * first call */
KN_API int kn_fn_trace_count(kn_fn fn);
/* takes one owner from the function, as kn_release does. If nobody else has it, what was recorded and compiled of it
 * goes, and of functions that were made of it (kn_jit, kn_grad, ...) and that nobody has; a recording that calls the
 * function itself, as a rule may, has it. Everything of the kind goes by itself when there is much of it; this is
 * for functions that are known not to come again, such as those that are bound to a number of an object that is gone */
KN_API void kn_forget(kn_fn fn);
/* What a jitted function was recorded for, a line for each recording: types, the number of programs that were
 * compiled for all extents, the conditions under which it holds; and why arguments are recorded for each shape.
 * Owned by the scope; "" if nothing was recorded, and for an error. */
KN_API const char *kn_fn_explain(kn_fn fn);
KN_API const char *kn_fn_name(kn_fn fn); /* the name of the C function that fn was made of; transformations keep it */

#ifdef __cplusplus
}
#endif
#endif

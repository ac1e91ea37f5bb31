/* SPDX-License-Identifier: Apache-2.0
 * kiln/callback.h -- C code that runs when a compiled program runs: printing, looking, computing, side effects
 * (jax.debug.print, jax.debug.callback, jax.pure_callback, jax.experimental.io_callback).
 *
 * A callback gets its operands as arrays with values, also where the call was recorded: under kn_jit it runs each
 * time that the program does, in kn_vmap once for each lane, in loops once for each round. Outside of traces it runs
 * at once. Prints, debug callbacks and io callbacks are effects: they are never left out or done twice, and those of
 * one program run in the order of the calls. A callback may call Kiln; what it does is no part of what is being
 * recorded. It runs on the thread of the call that ran the program. */
/* Made by scripts/make-api.py from api/callback.api. */
/* clang-format off */
#ifndef KILN_CALLBACK_H
#define KILN_CALLBACK_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* in[i]: arrays of the caller's operands, alive during the call (kn_keep hands one on); out[i] comes in as NULL and
 * is to be an array of the promised shape and dtype. Not zero is a failure: a RuntimeError of the call that ran the
 * program ("the callback returned 3"). `env` is as it was given, and has to live as long as anything that calls f. */
typedef int (*kn_callback)(void *env, int n_in, const kn_array *in, int n_out, kn_array *out);
/* kn_debug_print("loss {} at {:.3f}", loss, x): Python's format with {}, {0}, !r, !s and specifications (8.3f, >10,
 * +, 05d, x, e, %), for arrays and C numbers; arrays print as kn_print does, and take no specification. The line
 * goes where kn_print's goes (kn_set_print). Returns 0; -1 with a ValueError, IndexError, KeyError or TypeError if
 * the format does not fit. Derivatives print what the function itself prints. (jax.debug.print) */
KN_API int kn_debug_print(const char *format, kn_list args);
/* Calls f with the values of args each time that the program runs (jax.debug.callback). Returns 0, or -1 with an
 * error. */
KN_API int kn_debug_callback(kn_callback f, void *env, kn_list args);
/* The type of an array without a value, for the results of callbacks and for kn_make_jaxpr (jax.ShapeDtypeStruct). */
KN_API kn_array kn_shape_dtype_struct(const kn_shape *shape, kn_dtype dtype);
typedef struct kn_pure_callback_opts {
    size_t size_;
    /* what becomes of f under kn_vmap: "sequential", the default (as "sequential_unrolled"): one call for each lane;
     * "expand_dims": one call, all operands with a new first axis, of extent 1 where they are not mapped;
     * "broadcast_all": the same, of the full extent */
    const char *vmap_method;
} kn_pure_callback_opts;
KN_API kn_pure_callback_opts kn_pure_callback_opts_default(void);
/* The results of f, which does nothing but compute them from args: it may be called more often than asked for, or
 * not at all. results: arrays with their shapes and dtypes. No derivatives: ValueError. (jax.pure_callback) */
KN_API kn_list kn_pure_callback(kn_callback f, void *env, kn_list results, kn_list args,
    const kn_pure_callback_opts *opts);
typedef struct kn_io_callback_opts {
    size_t size_;
    bool ordered; /* refuse kn_vmap, which has no order of lanes (ValueError, as in JAX) */
} kn_io_callback_opts;
KN_API kn_io_callback_opts kn_io_callback_opts_default(void);
/* The results of f, which may do anything, and does it once. No derivatives: ValueError.
 * (jax.experimental.io_callback) */
KN_API kn_list kn_io_callback(kn_callback f, void *env, kn_list results, kn_list args, const kn_io_callback_opts *opts);
/* What kn_print, kn_printf and kn_debug_print write goes to `print` instead of standard output; NULL: back again.
 * For all threads. `print` may call Kiln. */
KN_API void kn_set_print(void (*print)(void *env, const char *text), void *env);
typedef bool (*kn_poll)(void *env);
/* While something runs, `poll` is asked now and then (at most 50 times a second, on the thread of the call, between
 * two steps of a program or two turns of a loop, also of a compiled one): true ends what runs with a RuntimeError,
 * "interrupted", and what it was to make is lost. For Ctrl-C and limits of time. It must not call Kiln. NULL: no
 * more. For all threads. */
KN_API void kn_set_poll(kn_poll poll, void *env);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_debug_print(...) KN_CAT(KN_DEBUG_PRINT_, KN_HAS_TWO_(__VA_ARGS__))(__VA_ARGS__)
#define KN_HAS_TWO_(a, ...) KN_HAS(__VA_ARGS__)
#define KN_DEBUG_PRINT_0(format) KN_DEBUG_PRINT_(__COUNTER__, format, )
#define KN_DEBUG_PRINT_1(format, ...) KN_DEBUG_PRINT_(__COUNTER__, format, __VA_ARGS__)
#define KN_DEBUG_PRINT_(c, format, ...)                                                                                \
    __extension__({ const char *KN_V(1, c) = (format); kn_list KN_V(2, c) = KN_LIST(__VA_ARGS__);                      \
        KN_HERE(); (kn_debug_print)(KN_V(1, c), KN_V(2, c)); })
#define kn_debug_callback(f, env, args) KN_DEBUG_CALLBACK_(__COUNTER__, f, env, args)
#define KN_DEBUG_CALLBACK_(c, f, env, args)                                                                            \
    __extension__({ KN_TAKE(kn_callback, 1, c, f) KN_TAKE(void *, 2, c, env) KN_TAKE(kn_list, 3, c, args) KN_HERE();   \
    (kn_debug_callback)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_shape_dtype_struct(shape, dtype) KN_SHAPE_DTYPE_STRUCT_(__COUNTER__, shape, dtype)
#define KN_SHAPE_DTYPE_STRUCT_(c, shape, dtype)                                                                        \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(kn_dtype, 2, c, dtype) KN_HERE();                           \
    (kn_shape_dtype_struct)(&KN_V(1, c), KN_V(2, c)); })
#define kn_pure_callback(f, env, results, args, ...) KN_PURE_CALLBACK_(__COUNTER__, f, env, results, args, __VA_ARGS__)
#define KN_PURE_CALLBACK_(c, f, env, results, args, ...)                                                               \
    __extension__({ KN_TAKE(kn_callback, 1, c, f) KN_TAKE(void *, 2, c, env) KN_TAKE(kn_list, 3, c, results)           \
    KN_TAKE(kn_list, 4, c, args) KN_OPTS(c, kn_pure_callback_opts, (), __VA_ARGS__) KN_HERE();                         \
    (kn_pure_callback)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_io_callback(f, env, results, args, ...) KN_IO_CALLBACK_(__COUNTER__, f, env, results, args, __VA_ARGS__)
#define KN_IO_CALLBACK_(c, f, env, results, args, ...)                                                                 \
    __extension__({ KN_TAKE(kn_callback, 1, c, f) KN_TAKE(void *, 2, c, env) KN_TAKE(kn_list, 3, c, results)           \
    KN_TAKE(kn_list, 4, c, args) KN_OPTS(c, kn_io_callback_opts, (), __VA_ARGS__) KN_HERE();                           \
    (kn_io_callback)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#endif
#endif

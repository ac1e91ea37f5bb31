/* SPDX-License-Identifier: Apache-2.0
 * kiln/core.h -- contexts, scopes, handles, errors, dtypes and looking at values. */
/* Made by scripts/make-api.py from api/core.api. */
/* clang-format off */
#ifndef KILN_CORE_H
#define KILN_CORE_H
#include "kiln/print.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The place of a call: macros note it before they call; other languages may call kn_here themselves. `place`
 * must live on. */
/* notes the file, line and function of the next call, which an error of that call will name. The macros do this
 * themselves; it is for those that call functions without them */
KN_API void kn_here(const kn_place *place);

/* ---- Scopes. KN_SCOPE; at the start of a block owns every handle made until the block is left, however it is left. */
typedef struct kn_scope { uint64_t id; kn_context context; } kn_scope;
/* opens a scope: handles that are made from now on are freed when it is closed. In C KN_SCOPE; opens one and closes
 * it where its block is left */
KN_API kn_scope kn_scope_begin(void);
/* closes a scope and frees its handles; scopes opened later and still open are closed with it */
KN_API void kn_scope_end(kn_scope *scope);
/* hands x to the scope around this one, which then owns it; returns it. For results of a block with a scope of its
 * own */
KN_API kn_array kn_keep(kn_array x);
/* hands a handle of any type (kn_fn, kn_jaxpr, kn_tree, ...) to the scope around this one, as kn_keep does arrays */
KN_API void kn_keep_handle(void *handle);
/* puts value into *slot: it takes the old value's place in the old value's scope (in the enclosing scope if *slot is
 * NULL), and the old value is freed. The way to go on with an array in a loop */
KN_API void kn_assign(kn_array *slot, kn_array value);
/* adds one owner beside the scope, so that a handle of any type outlives it; returns the handle. kn_release is its
 * end */
KN_API void *kn_retain(void *handle);
/* takes one owner from a handle, which dies with its last one; a dead handle is ignored after reporting a ValueError */
KN_API void kn_release(void *handle);
/* the number of handles that are alive in this context: a test of what a program keeps */
KN_API int64_t kn_live_count(void);
/* closes this thread's default context with what is open in it; returns the number of handles retained and not
 * released, plus 1 for an error never read or cleared: 0 if all is well */
KN_API int kn_shutdown(void);
/* ends a program, for `return kn_finish();`: writes a pending error to standard error and calls kn_shutdown(); 0, or
 * 1 if there was an error or something was retained and not released */
KN_API int kn_finish(void);

/* ---- Errors: the first one since kn_error_clear. */
/* whether x is sound: false for an array that carries an error, and for NULL and dead handles. It runs what x waits
 * for, so errors that depend on values count */
KN_API bool kn_ok(kn_array x);
/* whether there was an error since kn_error_clear. Errors that depend on values are found when something runs */
KN_API bool kn_error_pending(void);
/* the kind of the first error, to compare with; KN_NO_ERROR if there is none */
KN_API kn_error_kind kn_error_get_kind(void);
/* the name of the first error's kind, as "ValueError"; "" if there is none */
KN_API const char *kn_error_kind_name(void);
/* the text of the first error, which begins with the function's name; "" if there is none. Valid until the error is
 * cleared */
KN_API const char *kn_error_message(void);
KN_API const char *kn_error_file(void); /* the source file of the call that failed, as __FILE__ says; NULL if unknown */
KN_API int kn_error_line(void);         /* the line of the call that failed; 0 if unknown */
KN_API void kn_error_clear(void);       /* forgets the error, so that the next one is the first */
/* the message that x carries: that of the call which failed first on the way to x; "" if it is sound */
KN_API const char *kn_error_of(kn_array x);
typedef void (*kn_error_hook)(void *env, kn_error_kind kind, const char *message, const kn_place *place);
/* sets a function that is called for each error when the public call that found it ends; NULL: none. The hook may
 * call Kiln (what fails in there is not told to it) and has to return. */
KN_API void kn_on_error(kn_error_hook hook, void *env);

/* ---- Settings. */
/* sets how much the log says of what happens inside: 0 (nothing, the default) to 5; 1 tells why something was not in
 * a cache */
KN_API void kn_set_debug(int level);
/* sets the function that gets the lines of the log; NULL: they go to standard error. Several threads may call it at
 * once. */
KN_API void kn_set_log(void (*log)(void *env, int level, const char *text), void *env);
/* sets whether operations wait until something looks at their results (the default), so that several run as one;
 * false: every operation runs when it is called, with the same bits. Returns the old setting */
KN_API bool kn_set_lazy(bool lazy);
typedef struct kn_pending_limits { int64_t operations; size_t bytes; } kn_pending_limits;
/* how much recorded work may wait to be looked at: so many operations (4096), and so many bytes of arrays that are
 * there for it alone, beyond what its results will take (256 MiB). Past either an operation runs when it is called,
 * with what it waits for. Of this context; new ones begin with KILN_PENDING_OPERATIONS and KILN_PENDING_BYTES. */
KN_API kn_pending_limits kn_pending_get_limits(void);
/* sets how much recorded work may wait in this context, as kn_pending_get_limits tells; 0 operations: none waits;
 * SIZE_MAX bytes: no bound. Returns 0; -1 and a ValueError for negative numbers */
KN_API int kn_pending_set_limits(int64_t operations, size_t bytes);
/* sets the dtype of numbers for which nothing else says one, in this context: KN_F32 or KN_F64 (the default);
 * returns the old one. TypeError for others */
KN_API kn_dtype kn_set_default_float(kn_dtype dtype);

/* ---- What is kept so that it need not be made again. Caches are bounded by bytes; the least recently used goes
 * first. kn_set_debug(1) says why something was not there. */
typedef struct kn_stats { uint64_t hits, misses, evicted; size_t entries, bytes, limit; } kn_stats;
typedef struct kn_cache_stats_result {
    kn_stats traces;  /* recordings of jitted functions with their programs, of this context */
    kn_stats plans;   /* programs of operations outside of jitted functions, of this context: it finds those of other
                         threads' default contexts too */
    kn_stats kernels; /* of the default contexts of all threads, or of this context alone; with their machine code */
    size_t kernels_idle; /* entries of these that no recording, plan or prepared function holds any more */
    struct {
        uint64_t functions, fallbacks; /* made, and launches that the interpreter had to run */
        size_t bytes;                  /* of machine code now */
        double seconds;                /* spent on making it */
    } code;                            /* of the process */
    size_t memory_live, memory_pooled; /* of the process: bytes of arrays, and of freed arrays kept for new ones */
    int64_t pending_operations; /* of this context: recorded and not run yet */
    size_t pending_bytes;       /* of arrays that are there for them alone, beyond what their results will take */
} kn_cache_stats_result;
/* what the caches of this context and of the process hold: hits, misses and bytes of recorded functions, plans and
 * machine code, and the memory of arrays */
KN_API kn_cache_stats_result kn_cache_stats(void);
typedef enum kn_cache { KN_CACHE_TRACES, KN_CACHE_PLANS, KN_CACHE_KERNELS, KN_CACHE_MEMORY } kn_cache;
/* sets how many bytes a cache may have from now on; returns the limit before. KN_CACHE_MEMORY: of freed arrays, for
 * the whole process; 0 gives them back to the system; SIZE_MAX, with which it begins: half of what live arrays have,
 * at least 256 MiB */
KN_API size_t kn_set_cache_limit(kn_cache which, size_t bytes);

/* ---- dtypes. */
/* the dtype of a number, which KN_BOOL (0), KN_I8 (1), ... KN_F64 (12) and their kin call. NULL for other numbers */
KN_API kn_dtype kn_dtype_builtin(int id);
KN_API const char *kn_dtype_name(kn_dtype dtype); /* the name of a dtype, as "float32" */
KN_API size_t kn_dtype_size(kn_dtype dtype);      /* the number of bytes of an element */
/* a letter for what a dtype's elements are: b (truth values), i and u (integers with and without sign), f (floats),
 * c (complex numbers), k (keys of random numbers) */
KN_API char kn_dtype_kind(kn_dtype dtype);
#define KN_BOOL kn_dtype_builtin(0)
#define KN_I8 kn_dtype_builtin(1)
#define KN_I16 kn_dtype_builtin(2)
#define KN_I32 kn_dtype_builtin(3)
#define KN_I64 kn_dtype_builtin(4)
#define KN_U8 kn_dtype_builtin(5)
#define KN_U16 kn_dtype_builtin(6)
#define KN_U32 kn_dtype_builtin(7)
#define KN_U64 kn_dtype_builtin(8)
#define KN_F16 kn_dtype_builtin(9)
#define KN_BF16 kn_dtype_builtin(10)
#define KN_F32 kn_dtype_builtin(11)
#define KN_F64 kn_dtype_builtin(12)
#define KN_C64 kn_dtype_builtin(13)
#define KN_C128 kn_dtype_builtin(14)
#define KN_KEY kn_dtype_builtin(15)

/* ---- Numbers as arrays. kn_like_*: weak scalars, as a C number where an array is wanted; kn_strong: a 0-d array of
 * the given dtype; float64 and complex128 mean the default float dtype, as C has no other word for a number. */
/* x itself: what macros do with an array where an array or a C number may stand; kn_num(x) in C */
KN_API kn_array kn_like_array(kn_array x);
KN_API kn_array kn_like_bool(bool x); /* a truth value as a weak scalar of dtype bool. KN_TRUE and KN_FALSE in C */
/* an integer as a weak scalar: it takes the dtype of the array beside it; OverflowError if it does not fit there */
KN_API kn_array kn_like_int(int64_t x);
/* an integer without sign as a weak scalar, also one beyond the range of int64_t */
KN_API kn_array kn_like_uint(uint64_t x);
/* a floating number as a weak scalar: it takes the dtype of the floats beside it, and makes integers the default
 * float */
KN_API kn_array kn_like_double(double x);
KN_API kn_array kn_like_complex(double re, double im); /* a complex number as a weak scalar */
/* a 0-d array of the element that `element` points to, of the dtype, which is not weak: it counts where dtypes are
 * joined. In C kn_scalar(x), of the C type of x */
KN_API kn_array kn_strong(const void *element, kn_dtype dtype);

/* ---- Arrays from and to memory. */
/* an array with a copy of C-contiguous memory. In C kn_from(pointer, shape), with the dtype of the pointer's type,
 * and kn_of(type, ...) */
KN_API kn_array kn_from_memory(const void *data, const kn_shape *shape, kn_dtype dtype);
/* the address of x's elements, contiguous in C order, to read them; runs what x waits for. NULL and a TypeError if x
 * has another dtype. Valid as long as x. In C kn_data(x, float) */
KN_API const void *kn_data_bytes(kn_array x, kn_dtype dtype);
/* copies x's elements, in C order, to memory; 0, or -1 with a ValueError if `bytes` is not exactly the array's size */
KN_API int kn_copy_to(kn_array x, void *to, size_t bytes);

/* ---- What an array is. */
KN_API int kn_ndim(kn_array x);         /* np.ndim: the number of axes of x; -1 for an error */
KN_API int64_t kn_size(kn_array x);     /* np.size: the number of elements of x; -1 for an error */
KN_API int64_t kn_itemsize(kn_array x); /* the number of bytes of one element of x; -1 for an error */
/* the number of bytes that all elements of x have, also where it is a view that shares them; -1 for an error */
KN_API int64_t kn_nbytes(kn_array x);
/* the extent of an axis, x.shape[axis]; axis may be negative, to count from the last one. -1 and an AxisError if
 * there is no such axis */
KN_API int64_t kn_dim(kn_array x, int axis);

/* Extents in C code. An extent is a number; in a function that is recorded with dimension variables (.symbolic of
 * kn_jit, docs/shapes.md) it may be an expression of them, as 2*b + 1, for which kn_dim gives a number that stands
 * for it. Such numbers may be given where Kiln takes an extent or a C number, and plain numbers may be added to them
 * and taken from them in C; everything else goes through these functions, which take numbers as well. Used where
 * that function does not run they are an InconclusiveDimensionOperation. */
/* a + b of extents, also where they are expressions of dimension variables. OverflowError; -1 for an error, as in
 * those below */
KN_API int64_t kn_dim_add(int64_t a, int64_t b);
KN_API int64_t kn_dim_sub(int64_t a, int64_t b); /* a - b of extents */
KN_API int64_t kn_dim_mul(int64_t a, int64_t b); /* a * b of extents; OverflowError */
/* a / b of extents, rounded down, as a // b in Python; ValueError for b == 0 */
KN_API int64_t kn_dim_floordiv(int64_t a, int64_t b);
/* a - b * (a // b) of extents, which has the sign of b; ValueError for b == 0 */
KN_API int64_t kn_dim_mod(int64_t a, int64_t b);
KN_API int64_t kn_dim_max(int64_t a, int64_t b); /* the greater one of two extents */
KN_API int64_t kn_dim_min(int64_t a, int64_t b); /* the lesser one of two extents */
/* whether a == b for all numbers of the variables; false if that is not known, as in JAX */
KN_API bool kn_dim_eq(int64_t a, int64_t b);
/* whether a <= b for all numbers of the variables; InconclusiveDimensionOperation if it is so for some of them and
 * not for others */
KN_API bool kn_dim_le(int64_t a, int64_t b);
/* whether a < b for all numbers of the variables; InconclusiveDimensionOperation if it is so for some of them and
 * not for others */
KN_API bool kn_dim_lt(int64_t a, int64_t b);
/* the text of an extent: an expression as JAX prints it, "2*b + 1"; a number as a number. Owned by the scope */
KN_API const char *kn_dim_text(int64_t d);
/* an extent as a value that operations can use, an int64 scalar: it is right for each shape with which the function
 * is called */
KN_API kn_array kn_dim_as_array(int64_t d);
KN_API kn_shape kn_shape_of(kn_array x); /* the extents of x, with their number in .ndim; .ndim is -1 for an error */
KN_API kn_dtype kn_dtype_of(kn_array x);         /* the dtype of x's elements; NULL for an error */

/* ---- Looking at values: runs what is recorded. */
/* the one element of x as a double (the real part of a complex number); kn_item(x, i, j) in C is the element at that
 * position. NaN for an error: ValueError if x has more elements */
KN_API double kn_item(kn_array x);
KN_API int64_t kn_item_int(kn_array x); /* the one element of x as an integer, cut off as C does; 0 for an error */
/* whether the one element of x is not 0; false for an error: ValueError if there are more elements */
KN_API bool kn_item_bool(kn_array x);
/* the one element of x with its real and its imaginary part; both are NaN for an error */
KN_API kn_c128 kn_item_complex(kn_array x);
/* one element of x at a position, as a double: in C kn_item(x, i, j) and its kin. One index counts in the flattened
 * array, else there is one for each axis; negative ones count from the end. IndexError if out of bounds, ValueError
 * for another number of them. */
KN_API double kn_item_at(kn_array x, const kn_shape *index);
/* one element of x at a position as an integer: kn_item_int(x, i, j) in C; the position as for kn_item_at */
KN_API int64_t kn_item_int_at(kn_array x, const kn_shape *index);
/* whether one element of x at a position is not 0: kn_item_bool(x, i, j) in C; the position as for kn_item_at */
KN_API bool kn_item_bool_at(kn_array x, const kn_shape *index);
/* one element of x at a position with both parts: kn_item_complex(x, i, j) in C; the position as for kn_item_at */
KN_API kn_c128 kn_item_complex_at(kn_array x, const kn_shape *index);
/* jax.core.is_concrete: whether values of x can be looked at here: true for arrays, and in a function that is
 * recorded for what depends on shapes and constants alone, or when it is recorded by kn_grad or kn_jvp, whose
 * arguments have values. It runs nothing. False for an array that carries an error */
KN_API bool kn_is_concrete(kn_array x);
/* the text of x as Python's repr shows an array, with its dtype where that is not obvious; owned by the scope.
 * Options that are not given are as kn_set_printoptions says */
KN_API const char *kn_repr(kn_array x, const kn_print_opts *opts);
/* np.array_repr: the text of x as kn_repr gives it */
KN_API const char *kn_array_repr(kn_array x, const kn_print_opts *opts);
/* np.array_str: the text of x as Python's str shows an array: its elements alone; owned by the scope */
KN_API const char *kn_array_str(kn_array x, const kn_print_opts *opts);
/* writes x's elements, as kn_array_str shows them, and a newline to standard output */
KN_API void kn_print(kn_array x, const kn_print_opts *opts);
KN_API void kn_eval(kn_array x); /* runs the recorded operations that x waits for, so that its elements are there */
/* runs what x waits for, as kn_eval; returns x, so that it can stand in an expression. For measuring times */
KN_API kn_array kn_block_until_ready(kn_array x);
/* runs what x waits for, as kn_eval, and begins to copy its elements to the host if they are on a device; nobody
 * waits; returns x. Whoever looks at them later waits for what is left of it. In a page, which does not wait, look
 * after the copies that were begun have come (docs/browser.md) */
KN_API kn_array kn_copy_to_host_async(kn_array x);

#ifdef __cplusplus
}
#endif
#endif

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
KN_API void kn_here(const kn_place *place); /* Notes the place of the next call */

/* ---- Scopes. KN_SCOPE; at the start of a block owns every handle made until the block is left, however it is left. */
typedef struct kn_scope { uint64_t id; kn_context context; } kn_scope;
KN_API kn_scope kn_scope_begin(void);      /* Opens a scope */
KN_API void kn_scope_end(kn_scope *scope); /* scopes opened later and still open are closed with it */
/* Handles of every type are passed as void *: kn_array, kn_fn, kn_jaxpr, kn_tree, ...
 *
 * hands x to the enclosing scope; returns it */
KN_API kn_array kn_keep(kn_array x);
KN_API void kn_keep_handle(void *handle);  /* the same for a handle of any type */
/* value takes the old value's place in the old value's scope (the enclosing scope if *slot is NULL) */
KN_API void kn_assign(kn_array *slot, kn_array value);
KN_API void *kn_retain(void *handle);      /* one more owner beside the scope; returns the handle */
KN_API void kn_release(void *handle);      /* one owner less; a dead handle is ignored after reporting a ValueError */
KN_API int64_t kn_live_count(void);        /* handles alive in this context */
/* closes what is open; returns handles retained and not released, plus 1 for an error never read or cleared */
KN_API int kn_shutdown(void);
/* for `return kn_finish();`: writes a pending error to standard error, then status of kn_shutdown() or 1 */
KN_API int kn_finish(void);

/* ---- Errors: the first one since kn_error_clear. */
/* false for an array that carries an error, and for NULL and dead handles; runs what x waits for */
KN_API bool kn_ok(kn_array x);
KN_API bool kn_error_pending(void);           /* is there an error? */
KN_API kn_error_kind kn_error_get_kind(void); /* its kind; KN_NO_ERROR if there is none */
KN_API const char *kn_error_kind_name(void);  /* "ValueError"; "" if there is none */
KN_API const char *kn_error_message(void);    /* "add: operands could not be ..."; "" if there is none */
KN_API const char *kn_error_file(void);       /* of the user's call; NULL if unknown */
KN_API int kn_error_line(void);               /* 0 if unknown */
KN_API void kn_error_clear(void);             /* forgets the error, so that the next one is the first */
KN_API const char *kn_error_of(kn_array x);   /* the message that x carries; "" if it is sound */
typedef void (*kn_error_hook)(void *env, kn_error_kind kind, const char *message, const kn_place *place);
/* Called for each error when the public call that found it ends. The hook may call Kiln (what fails in there is not
 * told to it) and has to return. */
KN_API void kn_on_error(kn_error_hook hook, void *env);

/* ---- Settings. */
KN_API void kn_set_debug(int level); /* 0 to 5 */
/* NULL: standard error. Several threads may call it at once. */
KN_API void kn_set_log(void (*log)(void *env, int level, const char *text), void *env);
/* false: every operation runs when it is called, unfused, with the same bits; returns the old setting */
KN_API bool kn_set_lazy(bool lazy);
typedef struct kn_pending_limits { int64_t operations; size_t bytes; } kn_pending_limits;
/* How much recorded work may wait to be looked at: so many operations (4096), and so many bytes of arrays that are
 * there for it alone, beyond what its results will take (256 MiB). Past either an operation runs when it is called,
 * with what it waits for. Of this context; new ones begin with KILN_PENDING_OPERATIONS and KILN_PENDING_BYTES. */
KN_API kn_pending_limits kn_pending_get_limits(void);
/* 0 operations: none waits; SIZE_MAX bytes: no bound. Returns 0; -1 and a ValueError for negative numbers */
KN_API int kn_pending_set_limits(int64_t operations, size_t bytes);
KN_API kn_dtype kn_set_default_float(kn_dtype dtype); /* KN_F32 or KN_F64 (the default); returns the old one */

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
KN_API kn_cache_stats_result kn_cache_stats(void); /* what the caches of this context and of the process hold */
typedef enum kn_cache { KN_CACHE_TRACES, KN_CACHE_PLANS, KN_CACHE_KERNELS, KN_CACHE_MEMORY } kn_cache;
/* How many bytes a cache may have from now on; returns the limit before. KN_CACHE_MEMORY: of freed arrays, for the
 * whole process; 0 gives them back to the system; SIZE_MAX, with which it begins: half of what live arrays have, at
 * least 256 MiB */
KN_API size_t kn_set_cache_limit(kn_cache which, size_t bytes);

/* ---- dtypes. */
KN_API kn_dtype kn_dtype_builtin(int id);         /* what KN_F32 and its kin call */
KN_API const char *kn_dtype_name(kn_dtype dtype); /* "float32" */
KN_API size_t kn_dtype_size(kn_dtype dtype);      /* bytes of an element */
KN_API char kn_dtype_kind(kn_dtype dtype);        /* b i u f c k */
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
KN_API kn_array kn_like_array(kn_array x);                      /* x itself */
KN_API kn_array kn_like_bool(bool x);                           /* of a truth value */
KN_API kn_array kn_like_int(int64_t x);                         /* of an integer */
KN_API kn_array kn_like_uint(uint64_t x);                       /* of an integer without sign */
KN_API kn_array kn_like_double(double x);                       /* of a floating number */
KN_API kn_array kn_like_complex(double re, double im);          /* of a complex number */
KN_API kn_array kn_strong(const void *element, kn_dtype dtype); /* the element, of the dtype */

/* ---- Arrays from and to memory. */
/* copies C-contiguous memory */
KN_API kn_array kn_from_memory(const void *data, const kn_shape *shape, kn_dtype dtype);
/* const pointer to contiguous elements; NULL and an error if x has another dtype. Valid while x is */
KN_API const void *kn_data_bytes(kn_array x, kn_dtype dtype);
/* 0 or -1 with an error if `bytes` is not exactly the array's size */
KN_API int kn_copy_to(kn_array x, void *to, size_t bytes);

/* ---- What an array is. */
KN_API int kn_ndim(kn_array x);              /* np.ndim: -1 for an error */
KN_API int64_t kn_size(kn_array x);          /* np.size: -1 for an error */
KN_API int64_t kn_itemsize(kn_array x);      /* x.itemsize, in bytes; -1 for an error */
KN_API int64_t kn_nbytes(kn_array x);        /* x.nbytes: of all elements; -1 for an error */
KN_API int64_t kn_dim(kn_array x, int axis); /* x.shape[axis], axis may be negative; -1 for an error */

/* Extents in C code. An extent is a number; in a function that is recorded with dimension variables (.symbolic of
 * kn_jit, docs/shapes.md) it may be an expression of them, as 2*b + 1, for which kn_dim gives a number that stands
 * for it. Such numbers may be given where Kiln takes an extent or a C number, and plain numbers may be added to them
 * and taken from them in C; everything else goes through these functions, which take numbers as well. Used where
 * that function does not run they are an InconclusiveDimensionOperation. */
KN_API int64_t kn_dim_add(int64_t a, int64_t b); /* a + b; OverflowError. -1 for an error, as in those below */
KN_API int64_t kn_dim_sub(int64_t a, int64_t b); /* a - b */
KN_API int64_t kn_dim_mul(int64_t a, int64_t b); /* a * b */
/* a / b rounded down, as a // b in Python; ValueError for b == 0 */
KN_API int64_t kn_dim_floordiv(int64_t a, int64_t b);
KN_API int64_t kn_dim_mod(int64_t a, int64_t b); /* a - b * (a // b), which has the sign of b; ValueError for b == 0 */
KN_API int64_t kn_dim_max(int64_t a, int64_t b); /* the greater one */
KN_API int64_t kn_dim_min(int64_t a, int64_t b); /* the lesser one */
/* a == b for all numbers of the variables; false if that is not known, as in JAX */
KN_API bool kn_dim_eq(int64_t a, int64_t b);
/* a <= b; InconclusiveDimensionOperation if it is so for some numbers of the variables and not for others */
KN_API bool kn_dim_le(int64_t a, int64_t b);
KN_API bool kn_dim_lt(int64_t a, int64_t b);     /* a < b; the same */
KN_API const char *kn_dim_text(int64_t d); /* "2*b + 1", as JAX prints it; numbers as numbers. Owned by the scope */
KN_API kn_array kn_dim_as_array(int64_t d);      /* the extent as a value: an int64 scalar */
KN_API kn_shape kn_shape_of(kn_array x);         /* x.shape */
KN_API kn_dtype kn_dtype_of(kn_array x);         /* x.dtype; NULL for an error */

/* ---- Looking at values: runs what is recorded. */
KN_API double kn_item(kn_array x); /* x.item() as a double (real part); NaN for an error */
KN_API int64_t kn_item_int(kn_array x);                                  /* 0 for an error */
KN_API bool kn_item_bool(kn_array x); /* truth value of the one element; false for an error */
KN_API kn_c128 kn_item_complex(kn_array x); /* x.item() with both parts; NaN for an error */
/* x.item(i, j, ...): in C kn_item(x, i, j) and its kin. One index counts in the flattened array, else there is one
 * for each axis; negative ones count from the end. IndexError if out of bounds, ValueError for another number of
 * them. */
KN_API double kn_item_at(kn_array x, const kn_shape *index);
KN_API int64_t kn_item_int_at(kn_array x, const kn_shape *index);        /* as kn_item_int */
KN_API bool kn_item_bool_at(kn_array x, const kn_shape *index);          /* as kn_item_bool */
KN_API kn_c128 kn_item_complex_at(kn_array x, const kn_shape *index);    /* as kn_item_complex */
/* NumPy's repr; owned by the scope. Options that are not given are as kn_set_printoptions says */
KN_API const char *kn_repr(kn_array x, const kn_print_opts *opts);
KN_API const char *kn_array_repr(kn_array x, const kn_print_opts *opts); /* np.array_repr: the same */
KN_API const char *kn_array_str(kn_array x, const kn_print_opts *opts);  /* np.array_str */
KN_API void kn_print(kn_array x, const kn_print_opts *opts);             /* str and a newline to standard output */
KN_API void kn_eval(kn_array x);                                         /* runs what x waits for */
KN_API kn_array kn_block_until_ready(kn_array x);                        /* the same; returns x */

#ifdef __cplusplus
}
#endif
#endif

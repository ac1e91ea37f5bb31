/* SPDX-License-Identifier: Apache-2.0
 * kiln/memory.h -- memory that Kiln and others both see: pointers into arrays, arrays over the user's memory,
 * DLPack; and how arrays lie in memory.
 *
 * Operations run when somebody looks, so a pointer into an array is like a photograph: what was written to the array
 * since then is seen through it after the next look at the array (kn_data, kn_eval, kn_print, ...), and at the
 * latest when the last array of wrapped or exported memory dies. In the other direction, what was written through a
 * pointer is seen by operations that are called later. Each time before such writes begin, call kn_data_mut or
 * kn_touch. */
/* Made by scripts/make-api.py from api/memory.api. */
/* clang-format off */
#ifndef KILN_MEMORY_H
#define KILN_MEMORY_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pointers. In C: kn_data(x, float) (see kn_data_bytes in core.h) and kn_data_mut(x, float). */
/* the address of x's elements, for writing (np.ndarray.data), which stays for as long as x lives; whatever shared
 * them before keeps the old ones. TypeError for another dtype (NULL: any), ValueError if x is not C-contiguous or
 * read-only, MutationError for a caller's array under a transformation */
KN_API void *kn_data_mut_bytes(kn_array x, kn_dtype dtype);
/* x[...] = the C-contiguous elements at `from`, of x's dtype: copies them; 0 or -1 with an error if `bytes` is not
 * x's size */
KN_API int kn_copy_from(kn_array x, const void *from, size_t bytes);

/* ---- The user's memory as an array. `release` is called once, with data and env, when nobody uses the memory any
 * more (at once if there is an error); from any thread, and it must not call Kiln. */
typedef struct kn_wrap_opts {
    size_t size_; void (*release)(void *data, void *env); void *env; bool readonly;
} kn_wrap_opts;
KN_API kn_wrap_opts kn_wrap_opts_default(void);
/* the user's memory as an array, without a copy: C-contiguous, aligned as dtype wants it */
KN_API kn_array kn_wrap(void *data, const kn_shape *shape, kn_dtype dtype, const kn_wrap_opts *opts);
/* The memory of x may be changed by others from now on until x (or a view of it) is used next. What was recorded
 * before runs first; what shares the elements, as a copy, keeps the old ones. 0 or -1 with an error */
KN_API int kn_touch(kn_array x);
/* From now on operations of this context that read or write memory that others see (kn_data, kn_wrap, DLPack) run
 * when they are called, and results have memory of their own: for those who cannot tell when others write
 * (kn_touch), as bindings cannot. An error is told at each use of an array that carries it, also once it was
 * cleared, as exceptions clear it. Returns the old setting. */
KN_API bool kn_run_shared_at_once(bool on);

/* ---- DLPack. The structures are those of dlpack.h 1.0: include <kiln/dlpack.h> or your own copy. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;
/* exports x as a DLPack tensor, which shares its memory and keeps it alive until the deleter is called, which may be
 * done in any thread and after kn_shutdown. Strides are exported as they are, read-only arrays with their flag. The
 * consumer's writes count as after kn_touch(x). NULL for an error */
KN_API struct DLManagedTensorVersioned *kn_to_dlpack(kn_array x);
/* exports x as kn_to_dlpack does, in the form before DLPack 1.0; ValueError for read-only arrays, which it cannot
 * express */
KN_API struct DLManagedTensor *kn_to_dlpack_unversioned(kn_array x);
typedef struct kn_from_dlpack_opts {
    size_t size_;
    /* 0 only if it cannot be had without (elements with gaps between them, misaligned ones), 1 always, -1 never
     * (ValueError) */
    int copy;
} kn_from_dlpack_opts;
KN_API kn_from_dlpack_opts kn_from_dlpack_opts_default(void);
/* np.from_dlpack: an array of a DLPack tensor's memory, without a copy where that is possible; takes the tensor
 * over, also if there is an error. Only memory of the CPU. In C kn_from_dlpack takes both kinds */
KN_API kn_array kn_from_dlpack(struct DLManagedTensorVersioned *tensor, const kn_from_dlpack_opts *opts);
/* kn_from_dlpack of tensors without a version, those before DLPack 1.0 */
KN_API kn_array kn_from_dlpack_unversioned(struct DLManagedTensor *tensor, const kn_from_dlpack_opts *opts);

/* ---- How arrays lie in memory: NumPy's strides and flags, whatever Kiln really does. */
typedef struct kn_strides { int ndim; int64_t stride[KN_MAX_NDIM]; } kn_strides;
typedef struct kn_flags { bool c_contiguous, f_contiguous, owndata, writeable, aligned; } kn_flags;
/* the strides of x (x.strides): so many bytes from one element to the next along each axis; ndim -1 for an error */
KN_API kn_strides kn_strides_of(kn_array x);
/* how x lies in memory and whether it may be written (x.flags); all false for an error */
KN_API kn_flags kn_flags_of(kn_array x);
/* the array whose memory x is a view of (x.base): another handle of it, as it is now; NULL (KN_NONE) where x has
 * memory of its own or is the user's, and for an error */
KN_API kn_array kn_base(kn_array x);
typedef struct kn_setflags_opts {
    size_t size_;
    int write;    /* -1 */
    int align;    /* -1 */
    int uic;      /* -1 */
} kn_setflags_opts;
KN_API kn_setflags_opts kn_setflags_opts_default(void);
/* forbids or allows writes to x (x.setflags(write=..., align=..., uic=...)): write 0: writes to x are a ValueError
 * from now on, also through views of it that are made later; 1: they are allowed again. ValueError where the memory
 * is read-only, x is a view of an array that was made read-only, or has elements that are repeated; TypeError for a
 * C number. align 0 only makes the flag say so; uic 1 is a ValueError. Returns 0, or -1 for an error. */
KN_API int kn_setflags(kn_array x, const kn_setflags_opts *opts);
/* np.shares_memory: is there a byte that belongs to an element of both? Exact, except for arrays of many odd strides
 * where the answer would take too long: then that of kn_may_share_memory */
KN_API bool kn_shares_memory(kn_array a, kn_array b);
/* np.may_share_memory: could an element of both lie in the same place? Looks at first and last bytes only, so true
 * may be wrong */
KN_API bool kn_may_share_memory(kn_array a, kn_array b);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_data_mut(x, type) KN_DATA_MUT_(__COUNTER__, x, type)
#define KN_DATA_MUT_(c, x, type)                                                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_HERE();                                                       \
        (type *)(kn_data_mut_bytes)(KN_V(1, c), kn_dtype_builtin(KN_TYPE_ID((type *)0))); })
#define kn_wrap(data, shape, dtype, ...) KN_WRAP_(__COUNTER__, data, shape, dtype, __VA_ARGS__)
#define KN_WRAP_(c, data, shape, dtype, ...)                                                                           \
    __extension__({ void *const KN_V(ptr, c) = (void *)(uintptr_t)(data); const kn_shape KN_V(1, c) = (shape);         \
        kn_dtype KN_V(2, c) = (dtype); KN_OPTS(c, kn_wrap_opts, (), __VA_ARGS__) KN_HERE();                            \
        (kn_wrap)(KN_V(ptr, c), &KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_from_dlpack(tensor, ...) KN_FROM_DLPACK_(__COUNTER__, tensor, __VA_ARGS__)
#define KN_FROM_DLPACK_(c, tensor, ...)                                                                                \
    __extension__({ __auto_type KN_V(ptr, c) = (tensor); KN_OPTS(c, kn_from_dlpack_opts, (), __VA_ARGS__) KN_HERE();   \
        _Generic(KN_V(ptr, c), struct DLManagedTensor *: (kn_from_dlpack_unversioned),                                 \
                 struct DLManagedTensorVersioned *: (kn_from_dlpack))(KN_V(ptr, c), KN_V(opt, c)); })
#define kn_copy_from(x, from, bytes) KN_H2(kn_copy_from, x, const void *, from, size_t, bytes)
#define kn_touch(x) KN_F1(kn_touch, x)
#define kn_to_dlpack(x) KN_F1(kn_to_dlpack, x)
#define kn_to_dlpack_unversioned(x) KN_F1(kn_to_dlpack_unversioned, x)
#define kn_strides_of(x) KN_F1(kn_strides_of, x)
#define kn_flags_of(x) KN_F1(kn_flags_of, x)
#define kn_base(x) KN_F1(kn_base, x)
#define kn_setflags(x, ...)                                                                                            \
    KN_F1O(kn_setflags, kn_setflags_opts, (.write = -1, .align = -1, .uic = -1, ), x, __VA_ARGS__)
#define kn_shares_memory(a, b) KN_F2(kn_shares_memory, a, b)
#define kn_may_share_memory(a, b) KN_F2(kn_may_share_memory, a, b)
#endif
#endif

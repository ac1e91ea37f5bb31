/* SPDX-License-Identifier: Apache-2.0
 * kiln/prepared.h -- compiled functions without arrays: for control loops, audio callbacks and other places where
 * nothing may be allocated, locked or asked of the system; and how much memory a function needs.
 *
 * kn_prepared p = kn_prepare(KN_FN(step), KN_ARGS(&state, &input), .threads = 1); void *workspace =
 * aligned_alloc(64, kn_prepared_workspace_bytes(p)); ... kn_prepared_run(p, (const void *[]){state, input}, (void
 * *[]){next_state, output}, workspace);
 *
 * A prepared function belongs to no context: any thread may run it, several at a time, each with its own results and
 * workspace. It is freed once, by kn_prepared_free. */
/* Made by scripts/make-api.py from api/prepared.api. */
/* clang-format off */
#ifndef KILN_PREPARED_H
#define KILN_PREPARED_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_prepared_s *kn_prepared;
typedef struct kn_prepare_opts {
    size_t size_;
    /* how many a run may use; 0: as the context says. With 1 a run makes no system call at all */
    int threads;
    /* "b 128, 128 64": for all extents that the variables may have, as in kn_jit; kn_prepared_for says which. NULL:
     * for those of the examples */
    const char *symbolic;
    const char *constraints; /* "b <= 64; mod(b, 8) == 0": an upper bound for each variable, and more */
} kn_prepare_opts;
KN_API kn_prepare_opts kn_prepare_opts_default(void);
/* fn, compiled for arguments like these: only their shapes and dtypes count. Arrays that it captures keep the values
 * that they have now. NULL and an error; ValueError if fn calls back into the user's code */
KN_API kn_prepared kn_prepare(kn_fn fn, const kn_args *examples, const kn_prepare_opts *opts);

/* Functions of extents up to a bound (.symbolic): everything for each set of numbers that the variables may have is
 * made by kn_prepare, so that nothing has to be made when it runs: time and memory grow with the number of sets, of
 * which there are at most KN_MAX_PREPARED_SETS (ValueError for more, and for variables without an upper bound). */
enum { KN_MAX_PREPARED_SETS = 65536 };
/* p for these extents, one number for each variable of .symbolic, as they first appear there: a function that is run
 * and asked like any other, kn_prepared_run(kn_prepared_for(p, (int64_t[]){b}), in, out, workspace). It belongs to
 * p: it is not freed, and a workspace for p is enough for each. Nothing is allocated or locked. NULL and a
 * ValueError for extents that are not within the bounds or do not keep the constraints. p itself if it has no
 * variables */
KN_API kn_prepared kn_prepared_for(kn_prepared p, const int64_t *extents);
/* frees a prepared function and all that kn_prepared_for gave of it; not while it runs; NULL is fine */
KN_API void kn_prepared_free(kn_prepared p);
typedef struct kn_prepared_array { kn_dtype dtype; kn_shape shape; size_t bytes; } kn_prepared_array;
/* How many arrays all arguments have together, one after the other: the length of `in` of kn_prepared_run. */
KN_API int kn_prepared_n_in(kn_prepared p);
/* how many arrays the result has: the length of `out` of kn_prepared_run */
KN_API int kn_prepared_n_out(kn_prepared p);
/* dtype, shape and bytes of the i-th array that goes in; dtype NULL if there is no such array. Of a function of
 * extents: where it is largest */
KN_API kn_prepared_array kn_prepared_in(kn_prepared p, int i);
/* dtype, shape and bytes of the i-th array of the result; dtype NULL if there is no such array */
KN_API kn_prepared_array kn_prepared_out(kn_prepared p, int i);
/* how much memory a run needs for what lies between arguments and results: a multiple of 64. Of a function of
 * extents: enough for all */
KN_API size_t kn_prepared_workspace_bytes(kn_prepared p);
/* Runs p on C-contiguous elements: in[i] are read, out[i] are written; each aligned as its dtype wants it, workspace
 * (which may be NULL if it has no bytes) to 64 bytes. Results overlap neither each other nor anything else. Nothing
 * is allocated or locked. 0; -1 and an error (making the error allocates) if a pointer is missing, misaligned or
 * overlaps, if p is a function of extents, or if an operation fails */
KN_API int kn_prepared_run(kn_prepared p, const void *const *in, void *const *out, void *workspace);
/* The most memory that fn, jitted, has in use while it runs on so many threads (0: as the context says): arguments,
 * captured arrays, results, and everything between. 0 and an error */
KN_API size_t kn_fn_peak_bytes(kn_fn fn, const kn_args *args, int threads);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_prepare(fn, examples, ...)                                                                                  \
    KN_G2O(kn_prepare, kn_prepare_opts, (), kn_fn, fn, const kn_args *, examples, __VA_ARGS__)
#define kn_fn_peak_bytes(fn, args, threads) KN_FN_PEAK_BYTES_(__COUNTER__, fn, args, threads)
#define KN_FN_PEAK_BYTES_(c, fn, args, threads)                                                                        \
    __extension__({ KN_TAKE(kn_fn, 1, c, fn) KN_TAKE(const kn_args *, 2, c, args) KN_TAKE(int, 3, c, threads)          \
    KN_HERE(); (kn_fn_peak_bytes)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#endif
#endif

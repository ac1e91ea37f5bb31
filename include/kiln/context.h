/* SPDX-License-Identifier: Apache-2.0
 * kiln/context.h -- contexts: everything happens in one. Each thread has its own from its first call on; a program
 * can make more and push one for a while. Each has its scopes, its recording, its errors, defaults, caches and
 * allocator.
 *
 * A context is used by one thread at a time; many threads may use one each. An array belongs to the context that
 * made it. Other contexts may read it: as an operand, or by looking at it; they get the value that it has then. It
 * has to have one: what still waits to run is run first if nobody else uses its context, and is a ContextError
 * otherwise (kn_eval it there before). Writing to an array of another context, and using its functions, trees and
 * other handles, is a ContextError. */
/* Made by scripts/make-api.py from api/context.api. */
/* clang-format off */
#ifndef KILN_CONTEXT_H
#define KILN_CONTEXT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the elements of arrays live. Both functions are called from any thread; `free` also when the context is
 * gone, as long as somebody reads an array of it. If they use Kiln themselves, that happens in the thread's own
 * context. */
typedef struct kn_allocator {
    void *(*alloc)(void *env, size_t bytes, size_t alignment); /* NULL without memory */
    void (*free)(void *env, void *p, size_t bytes);
    void *env;
} kn_allocator;
typedef struct kn_context_opts {
    size_t size_;
    int threads;            /* how many an operation may use, 0: as many as the machine has */
    kn_dtype dtype;         /* the default float type, NULL: float64 */
    kn_allocator allocator; /* NULL functions: Kiln's own, which keeps freed memory for the next array */
    kn_device device;       /* the default device, NULL: what KILN_DEVICE says, or the host */
} kn_context_opts;
KN_API kn_context_opts kn_context_opts_default(void);
/* a context of its own, with its arrays, defaults, errors and caches; NULL and an error if it cannot be made */
KN_API kn_context kn_context_new(const kn_context_opts *opts);
/* Drops it with all that it holds. Returns handles retained and not released, plus 1 for an error never read or
 * cleared; -1 and a ContextError while it is pushed, for a thread's own one and for one freed before */
KN_API int kn_context_free(kn_context context);
/* The context of this thread until it is popped; one may be pushed again inside of itself. Returns how many were
 * pushed before; -1 and a ContextError if another thread uses it or it was freed */
KN_API int kn_context_push(kn_context context);
/* makes the context of this thread the one before the last kn_context_push: 0, or -1 and a ContextError */
KN_API int kn_context_pop(void);
KN_API kn_context kn_context_current(void); /* the context of this thread */
KN_API void kn_context_leave(int *pushed);  /* what KN_CONTEXT does at the end of its block */

/* ---- Defaults of this context for a while: what is zero stays as it is. They end with the scope they were pushed
 * in at the latest. */
typedef struct kn_defaults_opts { size_t size_; kn_dtype dtype; int threads; kn_device device; } kn_defaults_opts;
KN_API kn_defaults_opts kn_defaults_opts_default(void);
/* sets the default float dtype, number of threads and device of this context until kn_defaults_pop: 0; -1 and a
 * TypeError */
KN_API int kn_defaults_push(const kn_defaults_opts *opts);
KN_API int kn_defaults_pop(void);          /* ends what the last kn_defaults_push set: 0; -1 and a ContextError */
/* What runs from now on uses at most so many threads (0: as many as the machine has, 1: none but the caller's): for
 * one call, or for a block by KN_THREADS(n). What was recorded before runs with the number of whoever looks at it.
 * Returns the number before; -1 and a ValueError */
KN_API int kn_set_threads(int threads);
KN_API void kn_threads_leave(int *before); /* what KN_THREADS does at the end of its block */
/* How many threads 0 stands for: KILN_NUM_THREADS, or the CPUs that affinity and control groups leave */
KN_API int kn_threads_available(void);

/* ---- Watching. What a program does when it runs is a list of steps: kernels (many operations each), routines
 * (one), copies, loops, products, and bands of kernels and products that run block by block; kn_jaxpr_program shows
 * it. */
enum { KN_STEP_KERNEL, KN_STEP_ROUTINE, KN_STEP_COPY, KN_STEP_LOOP, KN_STEP_PRODUCT, KN_STEP_BAND, KN_STEP_BRANCH };

/* How a step runs: machine code of Kiln's own; that code interpreted (KILN_BACKEND=interp, or no memory for code);
 * code that was compiled with the library. */
enum { KN_SUPPORT_NATIVE, KN_SUPPORT_INTERPRETED, KN_SUPPORT_ROUTINE };
typedef struct kn_step {
    size_t size_;
    int kind;               /* KN_STEP_... */
    const char *program;    /* the name of what was compiled; "" for operations that ran lazily */
    const char *operations; /* primitives, "exp sub div"; valid until the hook returns, as `program` is */
    int64_t elements;       /* that it ran over; bytes of a copy */
    double seconds;
    const kn_place *place;  /* of the last operation in it; may be NULL */
    int64_t group;          /* its number: kn_jaxpr_groups; grows with each program that is compiled */
    int support;            /* KN_SUPPORT_... */
    int first_line, last_line; /* of its operations in the place's file; 0: not known */
    const char *device;     /* that it ran on: "host" */
} kn_step;
typedef void (*kn_step_hook)(void *env, const kn_step *step);
/* Sets a hook that hears of each step that ran in this context, on the thread of the call; of those inside of a
 * loop, then of the loop. It must not call Kiln, but for kn_error_... functions. NULL: no more. Prepared calls are
 * not watched. */
KN_API void kn_on_step(kn_step_hook hook, void *env);

/* What a context runs: as in kn_step, `seconds` since it began. Texts are copies, cut where they are long. */
typedef struct kn_running_step {
    size_t size_;
    int kind, support;
    int64_t group, elements;
    double seconds;
    const char *file; /* of the user's source; NULL: not known */
    int first_line, last_line;
    char program[64], operations[168];
    char device[32]; /* its name: "host" */
} kn_running_step;
/* From now on the steps that run in this context can be asked for by kn_running (a lock and a few words for each).
 * Returns whether they could before. */
KN_API bool kn_watch_steps(bool on);
/* The step that the context runs at this moment, the innermost one: 1, and *out is filled (set its size_ first); 0:
 * it runs none, or is not watched; -1 and a ContextError if there is no such context. From any thread. */
KN_API int kn_running(kn_context context, kn_running_step *out);
/* Reports where NaNs and infinities come from: the first operation that makes one while its operands have none is a
 * ValueError with its source line, also inside of jitted functions and derivatives. Results stay the same;
 * operations run one at a time, so this is slow. Returns the old setting. */
KN_API bool kn_check_nans(bool on);
/* Functions of kn_jit without .symbolic are recorded as with .symbolic = KN_ALL from now on, in this context.
 * Returns the old setting. */
KN_API bool kn_set_symbolic(bool on);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* KN_CONTEXT(context); at the start of a block: the block runs in that context. */
#define KN_CONTEXT(context) KN_CONTEXT_(__COUNTER__, context)
#define KN_CONTEXT_(c, context)                                                                                        \
    int KN_V(pushed, c) __attribute__((cleanup(kn_context_leave), unused)) = kn_context_push(context)
/* KN_THREADS(n); at the start of a block: what runs in it uses at most n threads. */
#define KN_THREADS(n) KN_THREADS_(__COUNTER__, n)
#define KN_THREADS_(c, n)                                                                                              \
    int KN_V(threads, c) __attribute__((cleanup(kn_threads_leave), unused)) = kn_set_threads(n)
#define kn_context_new(...) KN_F0O(kn_context_new, kn_context_opts, (), __VA_ARGS__)
#define kn_context_free(context) KN_G1(kn_context_free, kn_context, context)
#define kn_context_push(context) KN_G1(kn_context_push, kn_context, context)
#define kn_defaults_push(...) KN_F0O(kn_defaults_push, kn_defaults_opts, (), __VA_ARGS__)
#define kn_set_threads(threads) KN_G1(kn_set_threads, int, threads)
#endif
#endif

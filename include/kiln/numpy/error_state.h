/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/error_state.h -- floating-point events: what becomes of divisions by zero, overflows, underflows and
 * invalid values.
 *
 * Everything is ignored at first, and costs nothing then. While something is not, operations run when they are
 * called, one at a time, and functions are recorded for that state: docs/error-state.md has the rules. Texts are
 * NumPy's, "divide by zero encountered in log", and name the line of the call, also inside of jitted functions and
 * derivatives. */
/* Made by scripts/make-api.py from api/numpy/error_state.api. */
/* clang-format off */
#ifndef KILN_NUMPY_ERROR_STATE_H
#define KILN_NUMPY_ERROR_STATE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is done about a kind of events: "ignore"; "warn": a line in the log (kn_set_log), for each line of source,
 * function and kind once; "raise": a FloatingPointError; "call", "log": a function of kn_seterrcall; "print": a line
 * on standard error. NULL: what it was, or `all`. */
typedef struct kn_seterr_opts {
    size_t size_;
    const char *all;     /* "ignore", "warn", "raise", "call", "print", "log" */
    const char *divide;  /* "ignore", "warn", "raise", "call", "print", "log": a finite number by zero, log(0) */
    const char *over;    /* "ignore", "warn", "raise", "call", "print", "log": an infinity from finite numbers */
    const char *under;   /* "ignore", "warn", "raise", "call", "print", "log": a tiny result that is not exact */
    const char *invalid; /* "ignore", "warn", "raise", "call", "print", "log": a NaN from numbers */
} kn_seterr_opts;
KN_API kn_seterr_opts kn_seterr_opts_default(void);
typedef struct kn_geterr_result { const char *divide, *over, *under, *invalid; } kn_geterr_result;
/* np.seterr: what is done about events from now on, in this context; returns the modes before. ValueError for
 * another mode, and nothing changes */
KN_API kn_geterr_result kn_seterr(const kn_seterr_opts *opts);
KN_API kn_geterr_result kn_geterr(void); /* np.geterr: the modes that are set */

/* Functions for "call" and "log", each may be NULL: a NameError says so when it is needed. They may call Kiln. */
typedef struct kn_errcall {
    void (*call)(void *env, const char *kind, int flags); /* "divide by zero"; 1 divide, 2 over, 4 under, 8 invalid */
    void (*write)(void *env, const char *text);           /* "Warning: divide by zero encountered in log\n" */
    void *env;
} kn_errcall;
KN_API kn_errcall kn_seterrcall(const kn_errcall *func); /* np.seterrcall: sets the functions; returns those before */
KN_API kn_errcall kn_geterrcall(void);                   /* np.geterrcall: the functions that are set */
typedef struct kn_errstate_opts {
    size_t size_;
    const char *all;        /* "ignore", "warn", "raise", "call", "print", "log" */
    const char *divide;     /* "ignore", "warn", "raise", "call", "print", "log" */
    const char *over;       /* "ignore", "warn", "raise", "call", "print", "log" */
    const char *under;      /* "ignore", "warn", "raise", "call", "print", "log" */
    const char *invalid;    /* "ignore", "warn", "raise", "call", "print", "log" */
    const kn_errcall *call; /* NULL: those that are set */
} kn_errstate_opts;
KN_API kn_errstate_opts kn_errstate_opts_default(void);

/* What was before. */
typedef struct kn_errstate_scope { bool open; unsigned state; kn_errcall call; } kn_errstate_scope;
/* np.errstate: kn_seterr and kn_seterrcall, until kn_errstate_leave; KN_ERRSTATE(.divide = "raise"); leaves at the
 * end of the block */
KN_API kn_errstate_scope kn_errstate(const kn_errstate_opts *opts);
KN_API void kn_errstate_leave(kn_errstate_scope *before); /* what KN_ERRSTATE does at the end of its block */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* KN_ERRSTATE(.all = "warn"); at the start of a block: the error state of the block. */
#define KN_ERRSTATE(...) KN_ERRSTATE_(__COUNTER__, __VA_ARGS__)
#define KN_ERRSTATE_(c, ...)                                                                                           \
    kn_errstate_scope KN_V(errstate, c) __attribute__((cleanup(kn_errstate_leave), unused)) = kn_errstate(__VA_ARGS__)
#define kn_seterr(...) KN_F0O(kn_seterr, kn_seterr_opts, (), __VA_ARGS__)
#define kn_seterrcall(func) KN_G1(kn_seterrcall, const kn_errcall *, func)
#define kn_errstate(...) KN_F0O(kn_errstate, kn_errstate_opts, (), __VA_ARGS__)
#endif
#endif

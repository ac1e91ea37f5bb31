/* SPDX-License-Identifier: Apache-2.0
 * kiln/progress.h -- how far a loop is, in one line of a terminal: label, bar, count, time, rate, and values that
 * the program shows.
 *
 * A line is written where its stream is a terminal, and with KILN_PROGRESS=1 or .show = 1 wherever it goes; else
 * nothing is, and a step is a few nanoseconds. It is renewed some times a second at most: "training  42% |████
 * | 42/100 [00:12<00:17, 3.4 it/s] loss=0.231". Scans have an option for it (.progress of kn_scan). */
/* Made by scripts/make-api.py from api/progress.api. */
/* clang-format off */
#ifndef KILN_PROGRESS_H
#define KILN_PROGRESS_H
#include "kiln/print.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_progress_s *kn_progress; /* a handle: the line ends with its scope at the latest */
typedef struct kn_progress_begin_opts {
    size_t size_;
    int64_t total;    /* steps; 0: not known */
    const char *unit; /* "it": what a step is, in the rate */
    int show;         /* -1: 1: also where there is no terminal, 0: not at all; -1: as said above */
    double interval;  /* 0.1: seconds between two lines, at least */
    FILE *file;       /* NULL, standard error */
} kn_progress_begin_opts;
KN_API kn_progress_begin_opts kn_progress_begin_opts_default(void);
/* A line that begins now. The label is copied. */
KN_API kn_progress kn_progress_begin(const char *label, const kn_progress_begin_opts *opts);
enum { KN_PROGRESS_VALUES = 8 }; /* that a line can show */
/* So many steps more are done. In C kn_progress_step(bar, 1, "loss", loss, "rate", 0.1): names and numbers, texts or
 * 0-d arrays, which are looked at only when a line is written. 0, or -1 with an error. */
KN_API int kn_progress_step(kn_progress bar, int64_t steps, int n, const kn_printf_arg *values);
/* The last line, which stays; the end of its scope does the same. A step after it changes nothing. 0, or -1 with an
 * error. */
KN_API int kn_progress_end(kn_progress bar);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_progress_step(bar, ...) KN_PROGRESS_STEP_(__COUNTER__, bar, __VA_ARGS__)
#define KN_PROGRESS_STEP_(c, bar, steps, ...)                                                                          \
    __extension__({ KN_TAKE(kn_progress, 1, c, bar) KN_TAKE(int64_t, 2, c, steps)                                      \
        kn_printf_arg KN_V(vec, c)[KN_COUNT(__VA_ARGS__) + 1]; int KN_V(cnt, c) = 0;                                   \
        KN_EACH(KN_PROGRESS_PUT_, c, __VA_ARGS__) KN_HERE();                                                           \
        (kn_progress_step)(KN_V(1, c), KN_V(2, c), KN_V(cnt, c), KN_V(vec, c)); })
#define KN_PROGRESS_PUT_(c, x) KN_V(vec, c)[KN_V(cnt, c)++] = KN_PRINTF_ARG_(__COUNTER__, x);
#define kn_progress_begin(label, ...)                                                                                  \
    KN_G1O(kn_progress_begin, kn_progress_begin_opts, (.unit = "it", .show = -1, .interval = 0.1, ), const char *,     \
    label, __VA_ARGS__)
#define kn_progress_end(bar) KN_G1(kn_progress_end, kn_progress, bar)
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 * execute.h -- the one executor of programs. */
#ifndef KN_DEVICE_EXECUTE_H
#define KN_DEVICE_EXECUTE_H
#include "compile/program.h"
#include "kiln/context.h"

typedef struct kn_observer kn_observer;
typedef struct knd_options {
    int threads;                 /* at most so many; 0: as many as there are */
    void *workspace;             /* knc_workspace_bytes(p, threads) bytes, 64-byte aligned; NULL: from the pool */
    const kn_observer *observer; /* NULL: none */
    kn_step_hook on_step;        /* hears of each step that has run; NULL: nobody does */
    void *on_step_env;
} knd_options;
/* Runs p: out[i] gets a new reference per output. An output that is an operand, or a view of a whole one in the same
 * order, shares its buffer; from plain memory it is copied. After an error everything is given back and out[] is all
 * NULL; the error's place is that of the equation that failed. */
kn_error *knd_run_with(const kn_program *p, const kn_operand *in, kn_buffer **out, const knd_options *o);
/* On this thread alone; workspace as above. */
kn_error *knd_run(const kn_program *p, const kn_operand *in, kn_buffer **out, void *workspace);
/* The same with all memory the caller's: output i is written to to[i], which overlaps nothing else of the run. p was
 * compiled without donated operands; operands need no buffer. Allocates nothing, locks nothing, and makes no system
 * call if threads is 1. */
kn_error *knd_run_into(const kn_program *p, const kn_operand *in, void *const *to, void *workspace, int threads);
/* The same for a program that is one kernel, which can not fail: its operands are those that are fixed, then in[].
 * `threads` is what knc_threads said. */
bool knd_is_one_kernel(const kn_program *p);
void knd_run_kernel(const kn_program *p, uint32_t n_fixed, const kn_operand *fixed, const void *const *in,
                    void *const *to, void *workspace, int threads);
/* One that is a single call on one thread, its arguments made ahead; freed by knx_free. NULL: it is not one, or there
 * is no memory. The floating-point environment is looked at once per thread, and at each call while it is unusual. */
typedef struct knd_direct knd_direct;
knd_direct *knd_make_direct(const kn_program *p, uint32_t n_fixed, const kn_operand *fixed, int threads);
void knd_run_direct(const knd_direct *d, const void *const *in, void *const *to);

/* Sees each equation after it has run: its operands as they were before and its results (y[i] is NULL for one that
 * nothing reads). An error ends the run like that of a step; without a place it gets the equation's. Equations that
 * did not run are not seen: those that nothing reads, and views that share their operand's memory. */
struct kn_observer {
    kn_error *(*after)(void *env, const kn_eqn *e, int n_in, const void *const *x, const kn_type *xt, int n_out,
                       const void *const *y, const kn_type *yt);
    void *env;
};
/* The same run and the same results, watched. The program must have been compiled with fuse = false; `o` NULL is
 * knd_run. */
kn_error *knd_run_observed(const kn_program *p, const kn_operand *in, kn_buffer **out, void *workspace,
                           const kn_observer *o);

/* An observer (nans.c) that stops at the equation where a NaN, or an infinity, comes from: a result has one and no
 * operand had. ValueError "nan encountered in log", "inf encountered in div". NULL if nothing is to be looked for. */
const kn_observer *knd_nan_observer(bool nans, bool infs);
#endif

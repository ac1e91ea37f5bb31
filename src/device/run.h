/* SPDX-License-Identifier: Apache-2.0
 * run.h -- one run of a program, as the parts of the executor share it. */
#ifndef KN_DEVICE_RUN_H
#define KN_DEVICE_RUN_H
#include "compile/step.h"
#include "device/execute.h"

typedef struct knd_one_run {
    const kn_program *p;
    const kn_operand *in;
    kn_buffer **out;             /* per output */
    void *const *to;             /* instead of them: where each output lies, for programs inside of a step; else NULL */
    char *work;                  /* p->workspace bytes */
    char *scratch;               /* of the kernel that is running */
    int threads;                 /* at most so many */
    const kn_observer *observer; /* may be NULL */
    kn_step_hook on_step;        /* may be NULL */
    void *on_step_env;
} knd_one_run;

/* The steps of r->p in order. Operands and outputs are there. */
kn_error *knd_run_steps(const knd_one_run *r);
/* The same with outputs at r->to; those that no step writes are copied. */
kn_error *knd_run_to(const knd_one_run *r);
/* A step of r->p; at: the addresses of its references (a band finds its own). */
kn_error *knd_run_step_at(const knd_one_run *r, const knc_step *s, void **at);
void *knd_address(const knd_one_run *r, const knc_ref *ref);
/* band.c: a step of kind KNC_BAND, with r's threads and scratch. */
void knd_run_band(const knd_one_run *r, const knc_step *s);
/* loop.c: a step of kind KNC_LOOP of r; at: the addresses of its references. The carries of a loop that fails are lost.
 */
kn_error *knd_run_loop(const knd_one_run *r, const knc_step *s, void **at);
/* branch.c: a step of kind KNC_BRANCH. */
kn_error *knd_run_branch(const knd_one_run *r, const knc_step *s, void **at);
/* product.c: a step of kind KNC_PRODUCT. */
void knd_run_product(const knd_one_run *r, const knc_step *s, void *const *at);
#endif

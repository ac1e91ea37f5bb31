/* SPDX-License-Identifier: Apache-2.0
 * run.h -- one run of a program, as the parts of the executor share it. */
#ifndef KN_DEVICE_HOST_RUN_H
#define KN_DEVICE_HOST_RUN_H
#include "device/host/loaded.h"
#include "ir/host.h"

typedef struct knd_one_run {
    const knd_host_loaded *l;
    const knc_program *p; /* l's */
    const knd_operand *in;
    knx_buffer **out;            /* per output */
    void *const *to;             /* instead of them: where each output lies, for programs inside of a step; else NULL */
    char *work;                  /* the program's workspace */
    char *room;                  /* l->room bytes */
    char *scratch;               /* of the kernel that is running */
    int threads;                 /* at most so many */
    const knd_observer *observer; /* may be NULL */
    kn_step_hook on_step;        /* may be NULL */
    void *on_step_env;
} knd_one_run;

/* A run of the device `host`: knd_run_with's meaning, but for what becomes of out[] after an error. */
knx_error *knd_host_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);
/* The steps of r->p in order. Operands and outputs are there. */
knx_error *knd_run_steps(const knd_one_run *r);
/* The same with outputs at r->to; those that no step writes are copied. */
knx_error *knd_run_to(const knd_one_run *r);
/* Step number i of r->p; at: room for the addresses of its references. */
knx_error *knd_run_step(const knd_one_run *r, uint32_t i, void **at);
/* The same; at: the addresses of its references (a band finds its own). */
knx_error *knd_run_step_at(const knd_one_run *r, uint32_t i, void **at);
void *knd_address(const knd_one_run *r, const knc_ref *ref);
/* Is it all of a buffer with so many bytes that its owner gave? */
static inline bool knd_is_whole(const knd_operand *x, size_t bytes)
{
    return x->buffer && !x->lent && !x->offset && x->buffer->bytes >= bytes;
}
/* The operands that the program writes to, or into whose memory: for k below n_output + n_overwritten an operand's
 * number, or KNC_NO. */
static inline uint32_t knd_written_operand(const knc_program *p, uint32_t k)
{
    if (k >= p->n_output)
        return p->overwritten[k - p->n_output];
    return p->output[k].kind == KNC_OUT_DONATED ? p->output[k].index : KNC_NO;
}
/* Where an operand is: all of them are on the host when a run begins. */
static inline const void *knd_operand_data(const knd_operand *x)
{
    return x->buffer ? (const char *)x->buffer->data + x->offset : x->data;
}
/* band.c: a step of kind KNC_BAND, with r's threads and scratch. */
knx_error *knd_run_band(const knd_one_run *r, uint32_t i);
/* loop.c: a step of kind KNC_LOOP; at: the addresses of its references. The carries of a loop that fails are lost. */
knx_error *knd_run_loop(const knd_one_run *r, uint32_t i, void **at);
/* The function of a scan's on_step hears that so many turns of `length` are done. */
knx_error *knd_tell_turn(const kni_host *h, int64_t step, int64_t length);
/* branch.c: a step of kind KNC_BRANCH. */
knx_error *knd_run_branch(const knd_one_run *r, uint32_t i, void **at);
/* product.c: a step of kind KNC_PRODUCT. */
void knd_run_product(const knd_one_run *r, uint32_t i, void *const *at);
#endif

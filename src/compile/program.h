/* SPDX-License-Identifier: Apache-2.0
 * program.h -- from a jaxpr to a program: a list of steps (kernels, routines) over buffers whose places are known
 * before it runs. */
#ifndef KN_COMPILE_PROGRAM_H
#define KN_COMPILE_PROGRAM_H
#include "compile/target.h"
#include "ir/jaxpr.h"

typedef struct knc_program knc_program; /* immutable, atomic reference count */
typedef struct knc_step knc_step;

/* Kernels by structure, shared by the programs of a context. What programs hold stays; of the others the least recently
 * used go first when the bound is passed. Thread-safe. */
typedef struct knc_kernel_cache knc_kernel_cache;
typedef struct knc_kernel_counts {
    uint64_t hits, misses, evicted;
    size_t bytes, entries, limit; /* bytes: with the code made for them */
    size_t idle;                  /* entries that no program holds */
} knc_kernel_counts;
knc_kernel_cache *knc_kernel_cache_new(size_t max_bytes); /* NULL without memory */
void knc_kernel_cache_free(knc_kernel_cache *c);         /* NULL is fine; programs keep the kernels that they use */
knc_kernel_counts knc_kernel_counts_of(knc_kernel_cache *c);
size_t knc_kernel_cache_limit(knc_kernel_cache *c, size_t bytes); /* from now on; returns the old one */

typedef struct knc_compile_options {
    const knc_target *target; /* what the device is like; never NULL */
    knc_kernel_cache *kernels; /* NULL: none */
    bool fuse;                /* false: each equation is a step of its own; the same bits */
    /* Per operand, may be NULL: its buffer may be overwritten and become an output's. After a run its contents are
     * undefined, after one that failed too; the same buffer must not be passed as a second operand. */
    const bool *donated;
    /* Of the bodies of loops: output k < n_carry is best written over operand first_carry + k, if that is donated. */
    uint32_t first_carry, n_carry;
    bool record;     /* also which values go from step to step: for knc_graphviz */
    int bands;       /* 0: where they pay; 1: wherever steps can be cut, in low blocks; -1: none */
    int max_buffers; /* that one kernel reads and writes, but for single equations with more; 0: as the target says */
    bool quiet;      /* a trial: nothing in the log */
} knc_compile_options;

/* The operands of the program are the jaxpr's constvars, then its invars. */
knx_error *knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out);
knc_program *knc_retain(const knc_program *p);
void knc_release(knc_program *p); /* NULL is fine */

/* Of the program itself, without its kernels; with its jaxpr, unless that is `counted`. */
size_t knc_bytes(const knc_program *p, const kni_jaxpr *counted);
int knc_n_operands(const knc_program *p);
int knc_n_outputs(const knc_program *p);
kni_type knc_operand_type(const knc_program *p, int i);
kni_type knc_output_type(const knc_program *p, int i);
int knc_n_steps(const knc_program *p);
/* One arena: temporaries by lifetime, scratch of routines. A device needs more beside it (knd_workspace_bytes). */
size_t knc_workspace_bytes(const knc_program *p);
/* What updates copy because they cannot be made in place; why is in knc_text and in the log (level 1). Operands that
 * are donated but come in plain memory are copied when the program runs and do not count. */
size_t knc_copied_bytes(const knc_program *p);
/* Steps, and each decision with its reason: debug level 4. knx_alloc'ed. */
knx_error *knc_text(const knc_program *p, char **out);
/* A drawing for Graphviz: steps, and the values between them with the reasons for which they are stored. */
knx_error *knc_graphviz(const knc_program *p, char **out);
#endif

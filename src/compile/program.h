/* SPDX-License-Identifier: Apache-2.0
 * program.h -- from a jaxpr to a program: a list of steps (kernels, routines) over buffers whose places are known
 * before it runs. */
#ifndef KN_COMPILE_PROGRAM_H
#define KN_COMPILE_PROGRAM_H
#include "compile/target.h"
#include "ir/jaxpr.h"

typedef struct kn_program kn_program; /* immutable, atomic reference count */
typedef struct knc_step knc_step;

/* Kernels by structure, shared by the programs of a context. What programs hold stays; of the others the least recently
 * used go first when the bound is passed. Thread-safe. */
typedef struct kn_kernel_cache kn_kernel_cache;
typedef struct kn_kernel_counts {
    uint64_t hits, misses, evicted;
    size_t bytes, entries, limit; /* bytes: with the code made for them */
    size_t idle;                  /* entries that no program holds */
} kn_kernel_counts;
kn_kernel_cache *knc_kernel_cache_new(size_t max_bytes); /* NULL without memory */
void knc_kernel_cache_free(kn_kernel_cache *c);          /* NULL is fine; programs keep the kernels that they use */
kn_kernel_counts knc_kernel_counts(kn_kernel_cache *c);
size_t knc_kernel_cache_limit(kn_kernel_cache *c, size_t bytes); /* from now on; returns the old one */

typedef struct kn_compile_options {
    const knc_target *target; /* what the device is like; never NULL */
    kn_kernel_cache *kernels; /* NULL: none */
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
} kn_compile_options;

/* The operands of the program are the jaxpr's constvars, then its invars. */
kn_error *knc_compile(const kni_jaxpr *j, const kn_compile_options *o, kn_program **out);
kn_program *knc_retain(const kn_program *p);
void knc_release(kn_program *p); /* NULL is fine */

/* Of the program itself, without its kernels; with its jaxpr, unless that is `counted`. */
size_t knc_bytes(const kn_program *p, const kni_jaxpr *counted);
int knc_n_operands(const kn_program *p);
int knc_n_outputs(const kn_program *p);
kn_type knc_operand_type(const kn_program *p, int i);
kn_type knc_output_type(const kn_program *p, int i);
int knc_n_steps(const kn_program *p);
/* One arena: temporaries by lifetime, scratch of routines. A device needs more beside it (knd_workspace_bytes). */
size_t knc_workspace_bytes(const kn_program *p);
/* What updates copy because they cannot be made in place; why is in knc_text and in the log (level 1). Operands that
 * are donated but come in plain memory are copied when the program runs and do not count. */
size_t knc_copied_bytes(const kn_program *p);
/* Steps, and each decision with its reason: debug level 4. knx_alloc'ed. */
kn_error *knc_text(const kn_program *p, char **out);
/* A drawing for Graphviz: steps, and the values between them with the reasons for which they are stored. */
kn_error *knc_graphviz(const kn_program *p, char **out);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * program.h -- from a jaxpr to a program: a list of steps (kernels, routines) and the memory of each value, both known
 * before the program runs. */
#ifndef KN_COMPILE_PROGRAM_H
#define KN_COMPILE_PROGRAM_H
#include "compile/target.h"
#include "ir/jaxpr.h"

typedef struct knc_program knc_program; /* immutable, atomic reference count */
typedef struct knc_step knc_step;

/* Kernels by structure, shared by the programs of a context. Kernels that a program holds stay; if all need more bytes
 * than the limit, the least recently used of the others are dropped. Thread-safe. */
typedef struct knc_kernel_cache knc_kernel_cache;
typedef struct knc_kernel_counts {
    uint64_t hits, misses, evicted;
    size_t bytes, entries, limit; /* bytes: of the kernels and their code */
    size_t idle;                  /* entries that no program holds */
} knc_kernel_counts;
knc_kernel_cache *knc_kernel_cache_new(size_t max_bytes); /* NULL without memory */
void knc_kernel_cache_free(knc_kernel_cache *c);         /* NULL is fine; programs keep the kernels that they use */
knc_kernel_counts knc_kernel_counts_of(knc_kernel_cache *c);
knc_kernel_counts knc_kernel_cache_bound(knc_kernel_cache *c); /* those after idle kernels went until the rest fits */
size_t knc_kernel_cache_limit(knc_kernel_cache *c, size_t bytes); /* a new limit; returns the old one */

typedef struct knc_compile_options {
    const knc_target *target; /* the facts of the device; never NULL */
    knc_kernel_cache *kernels; /* NULL: none */
    bool fuse;                /* false: each equation is a step of its own; results have the same bits */
    /* Per operand, may be NULL: the program may overwrite the operand's buffer and return it as an output's. After a
     * run, also one that failed, its contents are undefined; it must not be passed as a second operand, too. */
    const bool *donated;
    /* For bodies of loops: output k < n_carry is the next value of the carry that operand first_carry + k holds. If
     * that operand is donated this output is the first that may take over its memory. */
    uint32_t first_carry, n_carry;
    bool record;     /* record which values go from step to step: for knc_graphviz */
    int bands;       /* 0: where they pay; 1: wherever steps can be cut, in blocks of few rows; -1: none */
    int max_buffers; /* that one kernel accesses, unless a single equation needs more; 0: as the target says */
    bool quiet;      /* a trial compilation, which writes nothing to the log */
} knc_compile_options;

/* The operands of the program are the jaxpr's constvars, then its invars. */
knx_error *knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out);
/* A program of the jaxpr that has no steps and never runs, but tells of operands and outputs: of devices that make
 * their own of jaxprs. */
knx_error *knc_outline(const kni_jaxpr *j, knc_program **out);
/* Of a jaxpr with dimension variables, compiled in a scope that assumes (base/dim.h): a program for all numbers of them
 * that give the scope's guards the same answers. It does not run; this makes one that does, without compiling anything.
 * OverflowError if an extent does not fit. */
bool knc_has_variables(const knc_program *p);
knx_error *knc_instantiate(const knc_program *p, int n, const knx_dim_value *value, size_t alignment,
                           knc_program **out);
/* Is q an instance of p that has one reference, and no programs inside? Then it can be made again, for other numbers.
 * After an error it may only be released. */
bool knc_is_instance(const knc_program *q, const knc_program *p);
knx_error *knc_instantiate_again(knc_program *q, int n, const knx_dim_value *value, size_t alignment);
knc_program *knc_retain(const knc_program *p);
void knc_release(knc_program *p); /* NULL is fine */

/* Bytes of the program and the programs inside of it, without kernels; with its jaxpr, unless that is `counted`. */
size_t knc_bytes(const knc_program *p, const kni_jaxpr *counted);
int knc_n_operands(const knc_program *p);
int knc_n_outputs(const knc_program *p);
kni_type knc_operand_type(const knc_program *p, int i);
kni_type knc_output_type(const knc_program *p, int i);
int knc_n_steps(const knc_program *p);
/* Bytes of the arena for temporaries and for the scratch memory of routines. A device may need more memory beside it
 * (knd_workspace_bytes). */
knx_bytes knc_workspace_bytes(const knc_program *p);
/* Bytes that updates copy because they cannot be made in place; knc_text and the log (level 1) say why. Donated
 * operands that come in plain memory are copied when the program runs and do not count. */
knx_bytes knc_copied_bytes(const knc_program *p);
/* The steps, and each decision with its reason, as debug level 4 prints them. knx_alloc'ed. */
knx_error *knc_text(const knc_program *p, char **out);
/* A drawing for Graphviz: steps, and the values between them with the reasons for which they are stored. */
knx_error *knc_graphviz(const knc_program *p, char **out);
#endif

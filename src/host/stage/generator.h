/* SPDX-License-Identifier: Apache-2.0
 * generator.h -- what makes stage functions (stage.h) for the driver: machine code of one instruction set, C source
 * through a compiler, or nothing at all, which is the interpreter. A generator is one of these structures; which ones
 * there are is said in host/generators.c alone. docs/generators.md tells how to write one. */
#ifndef KN_HOST_STAGE_GENERATOR_H
#define KN_HOST_STAGE_GENERATOR_H
#include "host/stage/product_maker.h"
#include "host/stage/stage.h"

typedef struct knh_generator knh_generator;
struct knh_generator {
    const char *name;    /* in KILN_BACKEND, in logs and tests */
    bool (*works)(void); /* on this processor and in this process? NULL: everywhere */

    /* Makes the function of a request. `*keep` is what the function lives in, for `drop` and `bytes`. The function is
     * asked for once per kernel, stage, mode and classes, by any thread; what two threads make at once, one of them
     * drops. NotImplementedError: there is no such function, the interpreter runs the launch and nobody asks again.
     * MemoryError: the interpreter runs it this time. NULL instead of a function pointer: the interpreter runs all. */
    knx_error *(*make)(const knh_generator *g, const knh_request *r, knh_function **out, void **keep);
    /* For generators that make many functions in less time than one by one; else NULL. `make` may leave a function of a
     * request that says `later` unfinished: it has its address, and nobody calls it before this has finished it, with
     * all others of a program. False: none of them is there; the driver drops them and asks again, one by one. */
    bool (*finish)(void *const *keep, int n);
    void (*drop)(void *keep);           /* the kernel goes, and no function of it runs. NULL: nothing is to be done */
    size_t (*bytes)(const void *keep);  /* of code and data, for the counts of caches. NULL: 0 */

    /* What the driver asks before it plans. Nothing but time depends on it. */
    int lanes;            /* a row of fewer lanes takes as long as one of so many, about */
    bool near_steps; /* streams of a near step (stage.h) are faster than others of class ANY */
    bool leaves_copies;   /* stages that only copy are left to functions of the driver's own (host/copy.c) */
    /* Ends a thread's part of a launch that had nontemporal functions: their stores are seen by other threads from
     * then on. NULL: functions are never asked to be nontemporal. */
    void (*flush)(void);

    const knh_product_maker *product; /* inner loops of products; NULL: the loops in C */
};

/* The generator without functions: kernels are interpreted (host/interp/). */
extern const knh_generator knh_interpreter;
#endif

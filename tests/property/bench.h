/* SPDX-License-Identifier: Apache-2.0
 * bench.h -- one case on the bench: its equation as a jaxpr, its operands, programs to run, and what went wrong. */
#ifndef KN_TEST_BENCH_H
#define KN_TEST_BENCH_H
#include "cases.h"
#include <stdio.h>
#include "device/device.h"
#include "transform/transform.h"

enum { MAX_VALUES = 128 };

typedef struct operand {
    tensor shape; /* dtype and extents alone */
    double lo, hi;
    bool has_domain, literal, distinct;
    double value;
} operand;

typedef struct bench {
    const sample *s;
    kn_dtype t; /* the case's dtype; NULL: none */
    char name[256];
    knx_arena arena;
    int n_operand, n_in; /* with and without literals */
    operand operand[MAX_OPERANDS];
    int input[MAX_OPERANDS]; /* the operand that is input i */
    kni_jaxpr *j;
    uint64_t seed;
    int only;      /* 1 + the one input that has a tangent now; 0: all that can */
    bool thorough; /* KILN_TEST_LONG=1 */
    bool failed;   /* the check that runs now */
    char message[1024];
} bench;

/* "T[3] i32[2]": the operands up to the first ';' or the end. Returns what follows it, NULL at the end; *n < 0: not
 * understood. */
const char *bench_operands(const char *text, kn_dtype t, operand *x, int *n);
bool bench_has_dtype(const sample *s, kn_dtype d);
/* Sets up the case; false (with the message) if its equation cannot be made. */
bool bench_open(bench *b, const sample *s, kn_dtype t, const char *operands);
void bench_close(bench *b);
/* The equation of a sample with lanes, as one lane has it. */
kni_jaxpr *bench_one_lane(bench *b);
/* j over the lanes; takes it over. NULL and the message in b if it is refused. */
kni_jaxpr *bench_map_lanes(bench *b, kni_jaxpr *j);
/* The equation, inside a jit equation if `wrapped`; NULL and the message in b if it is refused. */
kni_jaxpr *bench_build(bench *b, bool wrapped);

void bench_fail(bench *b, const char *format, ...) KN_PRINTF_LIKE(2, 3);
bool bench_ok(bench *b, knx_error *e, const char *what); /* takes e over */

/* Inputs: for values with the sample's flags, for derivatives plain and away from kinks. */
void bench_fill(bench *b, bool for_slopes, uint64_t seed, tensor *x);
bool bench_tangent(const bench *b, int i); /* does input i have a tangent? */
int bench_tangents(const bench *b, bool *mask);
int64_t bench_size(const bench *b);                              /* elements of all inputs */
tensor bench_direction(bench *b, kni_type like, uint64_t *seed); /* random, every part within -1 .. 1 */

/* A jaxpr compiled twice, fused and not. Running compares the two bit for bit. */
typedef struct prog {
    knd_loaded *p[2];
    int n_in, n_out;
} prog;
bool prog_open(bench *b, const kni_jaxpr *j, prog *p);
bool prog_run(bench *b, const prog *p, const tensor *in, tensor *out);
void prog_close(prog *p);
bool bench_run(bench *b, const kni_jaxpr *j, const tensor *in, tensor *out);
/* The same bits? `what` of the two differ. */
bool bench_same(bench *b, const char *what, int n, const tensor *a, const tensor *c);

/* Printed in full and parsed back it is equal, and it obeys the language. */
extern FILE *bench_texts; /* where the typed texts of all inspected jaxprs go; NULL: nowhere */
void bench_inspect(bench *b, const kni_jaxpr *j, const char *what);
/* A function of inputs and of the cotangents of the results that have tangents, to the cotangents of the inputs that
 * have them. NULL without an error: it has too many values. */
knx_error *bench_pull(const kni_jaxpr *j, const bool *tangent, int *n_cotangent, kni_jaxpr **out);
/* The same; an error is a failure of the sample. */
kni_jaxpr *bench_pullback(bench *b, const kni_jaxpr *j, const bool *tangent, int *n_cotangent);

typedef void check_fn(bench *b);
check_fn check_value, check_jvp, check_vjp, check_transpose, check_second, check_vmap, check_text, check_jit,
    check_loop, check_lanes, check_axes, check_stack, check_spread, check_scarce,
    check_devices; /* processes.c */
bool check_needs_tangent(const bench *b);
void check_row(bench *b, const kni_prim *p);
void check_refuses(bench *b, const kni_prim *p);
void check_dtypes(bench *b, const kni_prim *p);
void check_factors(bench *b, const kni_prim *p);
void check_cuts(bench *b, const kni_prim *p); /* cuts.c */
bool cuts_page(const char *path);
extern const sample *const all_samples[]; /* the lists, NULL at the end */
#endif

/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_program.h -- the programs of tests/golden/jaxpr_programs.txt: read, and called as functions of Kiln. */
#ifndef KN_TEST_JAXPR_PROGRAM_H
#define KN_TEST_JAXPR_PROGRAM_H
#include "kiln/kiln.h"

enum { PROGRAM_VARS = 200, PROGRAM_OPERANDS = 12, PROGRAM_LISTS = 3, PROGRAM_FUNCTIONS = 40, PROGRAM_LINES = 40 };

typedef struct program_operand {
    int var;          /* -1: the number */
    bool is_integer, is_bool;
    double number;
} program_operand;

typedef struct program_line { /* outs = op operands, with functions, lists and a dtype between them */
    char op[40];
    int n_out, out[PROGRAM_OPERANDS];
    int n_in, n_list, n_fn, fn[4];
    program_operand in[PROGRAM_OPERANDS];
    struct { int n; int64_t v[16]; } list[PROGRAM_LISTS];
    kn_dtype dtype;
} program_line;

typedef struct program_function {
    char name[8];
    int n_in, in[PROGRAM_OPERANDS], n_line, n_out;
    program_line line[PROGRAM_LINES];
    program_operand out[PROGRAM_OPERANDS];
    kn_function c; /* what Kiln calls */
} program_function;

typedef struct program {
    int number;
    char kind[16];
    program_function fn[PROGRAM_FUNCTIONS];
    int n_arg;
    struct { kn_dtype dtype; kn_shape shape; } arg[PROGRAM_OPERANDS];
    kn_array var[PROGRAM_VARS]; /* while it runs */
    char text[1 << 15];         /* JAX's */
} program;

/* The next program of the file; false at its end. */
bool program_read(FILE *file, program *p);
kn_fn program_fn(program *p, int k);
/* One line of a function; unknown operations fail the test. */
void program_step(program *p, const program_line *l);
kn_array program_value(program *p, const program_operand *o);
/* The results of function k for what its parameters' variables hold. */
void program_run(program *p, int k, const void *const *in, kn_array *out);
#endif

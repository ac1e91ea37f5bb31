/* SPDX-License-Identifier: Apache-2.0
 * views.h -- the parts of the fuzzer `views`. */
#ifndef KN_FUZZ_VIEWS_H
#define KN_FUZZ_VIEWS_H
#include "program.h"
#include <kiln/types.h>

/* What the argument of a program's function holds; `which`: one of several. */
void v_argument(const p_program *program, int which, double argument[P_ARGUMENT]);
void v_running(const p_program *program, int line); /* counts; prints if asked to */

/* Run the program in Kiln beside the model. NULL: no difference; else what differs (static). */
const char *v_eager(const p_program *program);
const char *v_traced(const p_program *program);

/* Running lines in Kiln. The handle of variable i is var[i]. */
typedef struct {
    kn_array slot[P_SLOTS], var[P_LINES];
    kn_array argument;
    unsigned char *memory[P_LINES]; /* of wrapped arrays */
    int released;
} v_run;
void v_step(v_run *run, const p_run *model, const p_program *program, int i);
kn_array v_from_model(const m_array *a); /* a new array with the elements of a */
/* NULL if x has a's dtype, shape and bits (any NaN equals any). */
const char *v_compare(kn_array x, const m_array *a, const char *what, int number);
const char *v_differs(const char *format, ...) __attribute__((format(printf, 1, 2))); /* fills the static text */
void v_listen(void); /* to errors */
/* The error that happened since the last call, "" if none; clears it. */
const char *v_error(void);
const char *v_error_text(void);

/* Prints the program as a Python script that compares NumPy with the model. */
void v_python(const p_program *program, bool first);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * number_case.h -- operations of the kernel IR as shaders of their own, with operands and with the host's results.
 *
 * A case is a few steps: values 0, 1 and 2 are the operands, value 3 + i is that of step i; the last one is the result.
 * In memory an operand is two words, as a result: 64 bits, of which smaller dtypes use the low ones (signed integers
 * fill the first word with their sign). */
#ifndef KN_TEST_NUMBER_CASE_H
#define KN_TEST_NUMBER_CASE_H
#include "wgsl/numbers.h"

enum { NUMBER_STEPS = 6, NUMBER_OPERANDS = 3 };
typedef struct number_step {
    uint8_t op, dtype; /* knk_op; of the result. REDUCE: a join, `sub` says which */
    uint8_t sub;
    int8_t operand[3]; /* -1: none */
    uint64_t imm;
} number_step;
typedef struct number_case {
    char name[40];
    int n_step;
    uint8_t operand_dtype[NUMBER_OPERANDS];
    number_step step[NUMBER_STEPS];
} number_case;

/* All operations for all dtypes with a type in WGSL, one step each, then chains that compilers like to change. Returns
 * how many; at most `most` are written. */
int number_cases(number_case *to, int most);
/* Does it depend on how the device does float32? */
bool number_case_floats(const number_case *c);
/* Bindings: 0 a block of uniform words (0, n, 0, 0), 1 the operands, 2 the results. False: no memory. */
bool number_case_text(const number_case *c, const knw_facts *facts, bool exact, char **out);
/* How many elements there are: all tuples of special values, then random ones. */
int number_case_count(const number_case *c, int random);
/* Operands and the interpreter's results of all of them: 6 and 2 words per element. */
void number_case_fill(const number_case *c, int n, uint64_t seed, uint32_t *operands, uint32_t *results);
/* The first element whose result differs, -1 if none; NaNs are equal. */
int number_case_differs(const number_case *c, int n, const uint32_t *got, const uint32_t *want);
#endif

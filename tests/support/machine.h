/* SPDX-License-Identifier: Apache-2.0
 * machine.h -- running what the assembler wrote (values to run it on: elements.h). */
#ifndef KN_TEST_MACHINE_H
#define KN_TEST_MACHINE_H
#include "host/x86/emit.h"
#include "support/elements.h"

/* What the tests' generated functions look like: the registers RDI, RSI, RDX, RCX, R8, R9. */
typedef void machine_code(const void *a, const void *b, const void *c, void *out, void *scratch, int64_t count);

/* Finishes the assembler's program and makes it runnable; fails the test if it cannot be encoded. The code lives until
 * the next call. */
machine_code *machine_run(knh_asm *a, const char *what);
bool machine_has(const knh_form *f); /* can this CPU run the form? */
extern const knh_form machine_form[4];

/* Code that stores all vector and mask registers at [base + at], MACHINE_DUMP bytes; and which of two such blocks'
 * registers differ: the number of the first vector register, 32 + that of the first mask register, -1 if none does but
 * those of the sets. */
enum { MACHINE_DUMP = 40 * 64 };
void machine_dump(knh_asm *a, const knh_form *f, int base, int at);
int machine_changed(const knh_form *f, const void *before, const void *after, uint32_t vectors, uint32_t masks);
/* Code that makes the masks of a tail from the number of lanes in register `count`. */
void machine_tail(knh_asm *a, const knh_form *f, const knh_tail *t, int count, int gp_temp);
#endif

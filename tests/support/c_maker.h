/* SPDX-License-Identifier: Apache-2.0
 * c_maker.h -- stage functions from C source through the compiler that is found at run time: $CC, else gcc, else clang. */
#ifndef KN_SUPPORT_C_MAKER_H
#define KN_SUPPORT_C_MAKER_H
#include "host/csource/c_source.h"
#include "host/native.h"

/* Flags beside those that the bits need: for tests, where the time of the compiler counts, and for measuring. */
#define C_MAKER_QUICK "-O1 -march=native"
#define C_MAKER_PLAIN "-O0" /* no instructions in particular */
#define C_MAKER_FAST  "-O3 -march=native"

bool c_maker_works(void); /* is there a compiler? */
long c_maker_refusals(void); /* how many sources it refused: each is a defect of the generator */

/* Units of text, compiled together and loaded: for dlsym and dlclose; NULL: no compiler, or it refused one. */
void *c_maker_load(const char *const *text, int n, const char *flags);

/* A unit: requests are added, compiled together, and their functions are there until the unit is freed. Adding keeps
 * what `r` points to but for the kernel, which must live as long. */
typedef struct c_unit c_unit;
c_unit *c_unit_new(const char *flags);
int c_unit_add(c_unit *u, const knh_request *r); /* the number of the function; -1: the stage does not fit */
bool c_unit_compile(c_unit *u);                  /* what the compiler says goes to standard error */
knh_function *c_unit_get(const c_unit *u, int number);
void c_unit_free(c_unit *u); /* NULL is fine */

/* The generator: a unit per function, unless it was made ahead of time. Flags: C_MAKER_QUICK unless set. */
const knh_generator *c_maker(const char *flags);
/* Ahead of time, many functions to a unit: this generator notes what it is asked for, and its functions do nothing. c_maker_compile then makes all that was noted (for kernels of the same structure, whatever their
 * address), with the flags. False: no compiler, or it failed. */
const knh_generator *c_maker_noting(void);
bool c_maker_compile(const char *flags);
void c_maker_forget(void); /* what was noted, and made ahead: its functions go */
#endif

/* SPDX-License-Identifier: Apache-2.0
 * none.c -- what the tool `kernels` has elsewhere and a WebAssembly engine has not: a compiler at run time, and pages without access. */
#include "support/c_maker.h"
#include "tools/kernels.h"
#include <stdio.h>

bool c_maker_works(void) { return false; }
long c_maker_refusals(void) { return 0; }
const knh_generator *c_maker(const char *flags) { return (void)flags, NULL; }
const knh_generator *c_maker_noting(void) { return NULL; }
bool c_maker_compile(const char *flags) { return (void)flags, false; }
void c_maker_forget(void) {}

int tool_guard(int n, char **path)
{
    (void)n, (void)path;
    puts("skipped: there are no pages without access here");
    return 77;
}

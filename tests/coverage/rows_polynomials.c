/* SPDX-License-Identifier: Apache-2.0
 * rows_polynomials.c -- the calls of polynomials.def. */
#include "coverage/coverage.h"

#define TABLE "coverage/polynomials.def"
#define NAME  rows_polynomials
#include "coverage/table.h"

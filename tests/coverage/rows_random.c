/* SPDX-License-Identifier: Apache-2.0
 * rows_random.c -- the calls of random.def. */
#include "coverage/coverage.h"

#define TABLE "coverage/random.def"
#define NAME  rows_random
#include "coverage/table.h"

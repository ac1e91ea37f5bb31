/* SPDX-License-Identifier: Apache-2.0
 * rows_nn.c -- the calls of nn.def. */
#include "coverage/coverage.h"

#define TABLE "coverage/nn.def"
#define NAME  rows_nn
#include "coverage/table.h"

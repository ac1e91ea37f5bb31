/* SPDX-License-Identifier: Apache-2.0
 * rows_ufunc.c -- the calls of ufunc.def. */
#include "coverage/coverage.h"

static double times_plus(double factor, double other) { return factor * other + factor; }
KN_UFUNC_STRIP(times_plus_strip, double, times_plus, double, double)

#define TABLE "coverage/ufunc.def"
#define NAME  rows_ufunc
#include "coverage/table.h"

/* SPDX-License-Identifier: Apache-2.0
 * operands.h -- the operands of all rows, for programs that call them. */
#ifndef KN_TESTS_COVERAGE_OPERANDS_H
#define KN_TESTS_COVERAGE_OPERANDS_H
#include "support/golden.h" /* first: the operands' names are parameters there */
#include "coverage/coverage.h"

void read_operands(golden *stored); /* coverage.npz; where KN_SCOPE is */
#endif

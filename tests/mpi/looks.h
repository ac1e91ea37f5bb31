/* SPDX-License-Identifier: Apache-2.0
 * looks.h -- programs that were written for one process with several devices, as several processes that have these devices together
 * (looks.c). Linked with -Wl,--wrap= of the functions that looks.c wraps. */
#ifndef KN_TEST_MPI_LOOKS_H
#define KN_TEST_MPI_LOOKS_H
#include <stdbool.h>

/* With the first argument "mpi", which is taken away, joins the processes that were started together. False: they could not be. */
bool looks_begin(int *argc, char ***argv);
/* Leaves them; the exit status of a program whose own one is `status`. */
int looks_end(int status);
#endif

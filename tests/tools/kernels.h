/* SPDX-License-Identifier: Apache-2.0
 * kernels.h -- the tool `kernels`: what its files share. */
#ifndef KN_TOOLS_KERNELS_H
#define KN_TOOLS_KERNELS_H
#include "host/native.h"
#include "support/kernel_case.h"

char *tool_read(const char *path);                     /* a file as text, to be freed; NULL: it says why */
double tool_seconds(void);
void *tool_scratch(const knk_kernel *k, int threads); /* a knx_buffer */
bool tool_open(const char *path, const char *text, double most_points, kernel_case *c); /* shrunk; false: it says why */
/* Launches with every buffer beside pages without access, at its end and at its start. */
int tool_guard(int n, char **path);
/* Times of the classes of kernels, or of the files' ones: machine code against C. */
int tool_time(int n, char **path);
/* Copies to a folder the smallest kernels that cover operations, dtypes, reductions and ways of access. */
int tool_select(const char *to, int n, char **path);
#endif

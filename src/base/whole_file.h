/* SPDX-License-Identifier: Apache-2.0
 * whole_file.h -- small files that several processes may write: readers see all of one, or all of another. */
#ifndef KN_BASE_WHOLE_FILE_H
#define KN_BASE_WHOLE_FILE_H
#include <stdbool.h>
#include <stddef.h>

/* Writes a file beside it, of a name that nobody else has, and puts it in its place. False: it is as it was. */
bool knx_write_whole_file(const char *path, const void *bytes, size_t n);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * line.h -- sizes in whole cache lines, to which memory of buffers and workspaces is aligned. */
#ifndef KN_BASE_LINE_H
#define KN_BASE_LINE_H
#include <stdint.h>

enum { KNX_LINE_BYTES = 64 };
static inline uint64_t knx_whole_lines(uint64_t bytes)
{
    return (bytes + KNX_LINE_BYTES - 1) / KNX_LINE_BYTES * KNX_LINE_BYTES;
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * rooms.h -- memory of temporaries in the workspace of a program. */
#ifndef KN_COMPILE_MEMORY_ROOMS_H
#define KN_COMPILE_MEMORY_ROOMS_H
#include "base/dim.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that the steps first .. last refer to. */
typedef struct knc_room {
    knx_bytes bytes, offset;
    uint32_t first, last;
} knc_room;
/* Gives n rooms their offsets, in whole units (a power of 2); *end: the bytes of all. Rooms without bytes get some,
 * too.
 * False without memory. */
bool knc_place_rooms(knc_room *room, size_t n, uint32_t steps, knx_bytes unit, knx_bytes *end);
#endif

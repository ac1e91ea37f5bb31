/* SPDX-License-Identifier: Apache-2.0
 * rect.h -- a kernel over rectangles: at places, and with distances from row to row and from lane to lane, that each
 * call brings along. For what another routine runs on parts of its operands or of its result. */
#ifndef KN_HOST_RECT_H
#define KN_HOST_RECT_H
#include "host/native.h"

enum { KNH_RECT_STREAMS = 96, KNH_RECT_MAPS = 96 };

/* One that can be run so: one stage without inner loops, one parallel loop, few streams; no map is shared by several
 * buffers, or by one and an index. */
bool knh_fits_rect(const knk_kernel *k);

/* Per map: the element of the buffer (the number, of an index) at the first lane of the first row, and what a row and
 * a lane add. */
typedef struct knh_rect_map {
    int64_t at, row, lane;
} knh_rect_map;

/* Prepared for lanes of certain distances: which of them are 0 and 1 in map[].lane must be the same in all calls. In
 * `room`, knh_rect_bytes(k) bytes at a multiple of 16, which must stay, as the kernel must. */
typedef struct knh_rect knh_rect;
size_t knh_rect_bytes(const knk_kernel *k);
/* batch: of host/native.h, may be NULL */
knx_error *knh_rect_make(void *room, const knk_kernel *k, const knh_rect_map *map, knh_batch *batch,
                         const knh_rect **out);
size_t knh_rect_scratch(const knh_rect *r); /* bytes, 64-byte aligned; 0: none, it is native */
double knh_rect_cost(const knk_kernel *k);  /* nanoseconds per point, estimated */

/* Runs rows x n points. No allocation, lock or system call. */
void knh_rect_run(const knh_rect *r, void *const *buffer, const knh_rect_map *map, int64_t rows, int64_t n,
                  void *scratch);
#endif

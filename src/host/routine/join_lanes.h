/* SPDX-License-Identifier: Apache-2.0
 * join_lanes.h -- sums, maxima and minima over lanes that are arrays of their own, element by element, to the bit what
 * a reduction over an axis of lanes gives (docs/determinism.md). */
#ifndef KN_HOST_ROUTINE_JOIN_LANES_H
#define KN_HOST_ROUTINE_JOIN_LANES_H
#include "base/dtype.h"
#include <stddef.h>

/* KNR_LANES_ADD: a sum that begins with the first lane, not with +0: of nothing but -0 it is -0 */
typedef enum knr_lane_join { KNR_LANES_SUM, KNR_LANES_MAX, KNR_LANES_MIN, KNR_LANES_ADD } knr_lane_join;

/* to[i] = the join of lane[k * step][i] over k = 0 .. n - 1, for i = 0 .. count - 1. `to` may be one of the lanes.
 * Bools by or and and. */
void knr_join_lanes(kn_dtype d, knr_lane_join join, int64_t n, void *const *lane, int64_t step, size_t count, void *to);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * c_helpers.h -- the small functions that the C source of stage functions (c_source.h) is made of: a text per
 * operation, filled in for a dtype and a number of lanes, written once per file and only if something calls it. */
#ifndef KN_HOST_CSOURCE_C_HELPERS_H
#define KN_HOST_CSOURCE_C_HELPERS_H
#include "base/str.h"
#include "kernel/kernel.h"

enum { KNH_C_HELPERS = 128 };
typedef struct knh_c_unit {
    knx_str helpers, functions;
    uint8_t have[KNH_C_HELPERS][KN_ID_COUNT]; /* bit 0: for 8 lanes, bit 1: for 16 */
} knh_c_unit;
/* Makes sure that the unit has a helper; it is called NAME_DTYPE_LANES. A dtype that shares its vectors with another
 * one (knh_c_storage) has that one's helpers. */
void knh_c_need(knh_c_unit *u, const char *name, int dtype, int lanes);
void knh_c_prologue(knx_str *t);    /* what stands in front of all helpers */
int knh_c_storage(int dtype);         /* halves: u16 */
const char *knh_c_name(int dtype);    /* "f32"; bools: "bool" */
#endif

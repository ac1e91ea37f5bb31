/* SPDX-License-Identifier: Apache-2.0
 * product_int.c -- one step of k of a product of integers. */
#include "codegen/product_emit.h"

void kng_tile_step_int(kng_tiler *t, int s) { (void)t, (void)s; }

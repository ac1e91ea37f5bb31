/* SPDX-License-Identifier: Apache-2.0
 * small_product_isa.c -- products of small matrices, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/small.h"
#include "host/routine/small_vector.h"

// clang-format off
#define BYTES 4
#include "host/routine/small_loops.h"

#include "host/routine/small_product.h"

#include "host/routine/small_end.h"

#define BYTES 8
#include "host/routine/small_loops.h"

#include "host/routine/small_product.h"

#include "host/routine/small_end.h"

// clang-format on
knr_small_loop *const KN_ISA_NAME(knr_small_products)[2] = {run_product_f32, run_product_f64};

/* SPDX-License-Identifier: Apache-2.0
 * small_product_isa.c -- products of small matrices, compiled once per instruction set. */
#include "host/routine/small.h"
#include "host/routine/small_vector.h"

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

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
knr_small_loop *const PASTE(knr_small_products_, KN_ISA)[2] = {run_product_f32, run_product_f64};

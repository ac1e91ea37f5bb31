/* SPDX-License-Identifier: Apache-2.0
 * product_amx.h -- rectangles of products of bytes in tile registers (AMX). */
#ifndef KN_HOST_X86_PRODUCT_AMX_H
#define KN_HOST_X86_PRODUCT_AMX_H
#include "host/x86/product.h"

int kng_amx_rows(int vectors); /* as kng_product_rows */
void kng_amx_function(kng_asm *a, const kng_product_request *r);
#endif

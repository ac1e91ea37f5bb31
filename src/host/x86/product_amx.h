/* SPDX-License-Identifier: Apache-2.0
 * product_amx.h -- rectangles of products of bytes in tile registers (AMX). */
#ifndef KN_HOST_X86_PRODUCT_AMX_H
#define KN_HOST_X86_PRODUCT_AMX_H
#include "host/x86/product.h"

int knh_amx_rows(int vectors); /* as knh_product_rows */
void knh_amx_function(knh_asm *a, const knh_product_request *r);
#endif

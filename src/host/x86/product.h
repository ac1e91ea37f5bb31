/* SPDX-License-Identifier: Apache-2.0
 * product.h -- machine code for the inner loops of products (host/stage/product_maker.h). A function is generated for
 * what it is asked for and kept for the process. */
#ifndef KN_HOST_X86_PRODUCT_H
#define KN_HOST_X86_PRODUCT_H
#include "host/stage/product_maker.h"
#include "host/x86/emit.h"

extern const knh_product_maker knh_product_avx512, knh_product_avx2;
/* For tests: false: as if there was no AMX, though it stays switched on for the process. */
void knh_product_allow_amx(bool on);
#endif

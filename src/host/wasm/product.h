/* SPDX-License-Identifier: Apache-2.0
 * product.h -- the inner loops of products in WebAssembly (host/stage/product_maker.h). */
#ifndef KN_HOST_WASM_PRODUCT_H
#define KN_HOST_WASM_PRODUCT_H
#include "base/error.h"
#include "host/stage/product_maker.h"
#include "host/wasm/encode.h"

extern const knh_product_maker knh_product_wasm;
/* generator.c: a function gets a place in the table, and a block that says where. Its code is freed. */
knx_error *knh_wasm_publish(knh_wasm_function *f, uintptr_t *place, void **keep, size_t *bytes);
void knh_wasm_retract(void *keep);
bool knh_wasm_fuses(void);
#endif

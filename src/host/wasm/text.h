/* SPDX-License-Identifier: Apache-2.0
 * text.h -- functions as text of WebAssembly, which tools of others read. */
#ifndef KN_HOST_WASM_TEXT_H
#define KN_HOST_WASM_TEXT_H
#include "host/wasm/encode.h"

/* A module with this function alone, whose name in it is `name`. */
void knh_wasm_text(const knh_wasm_function *f, const char *name, knx_str *out);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * fma.h -- a * b + c of four float32 with one rounding, where the engine's own has two. */
#ifndef KN_HOST_WASM_FMA_H
#define KN_HOST_WASM_FMA_H
#include "host/wasm/encode.h"

enum { KNH_WASM_FMA_TEMPS = 4, KNH_WASM_FMA_CONSTANTS = 2 };
void knh_wasm_set_fma_constants(knh_wasm_function *f, int constants); /* v128 locals, once before all of them */
/* Pushes it; a, b, c are v128 locals, and so are the temporaries from `temp` on. */
void knh_wasm_push_exact_fma(knh_wasm_function *f, int temp, int constants, int a, int b, int c);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * generator.h -- the generator for WebAssembly: a module for each function, compiled by the engine that runs Kiln
 * itself, against the same memory and the same table. */
#ifndef KN_HOST_WASM_GENERATOR_H
#define KN_HOST_WASM_GENERATOR_H
#include "host/stage/generator.h"

extern const knh_generator knh_wasm;
#endif

/* SPDX-License-Identifier: Apache-2.0
 * registry.h -- the modules that were made and are in use, for those threads that have not compiled them yet. */
#ifndef KN_HOST_WASM_REGISTRY_H
#define KN_HOST_WASM_REGISTRY_H
#include "base/str.h"

/* Keeps the bytes of a module whose function number i is in this thread's table at place[i], and lets each worker put
 * it there, too, before its next part. false: no memory. Without threads nothing is kept. */
bool knh_wasm_share(const int *place, int n, knx_str *module);
void knh_wasm_unshare(int place); /* of one function; any place */
#endif

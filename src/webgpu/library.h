/* SPDX-License-Identifier: Apache-2.0
 * library.h -- where the engine's functions come from: a shared library (library.c), or, in WebAssembly, the page that
 * Kiln runs in (web.c). Each target has one of the two. */
#ifndef KN_WEBGPU_LIBRARY_H
#define KN_WEBGPU_LIBRARY_H
#include "base/error.h"
#include "webgpu/abi.h"

/* The functions, and what the engine is called in messages. An error says how to get one. */
knx_error *kng_find_functions(kng_api *api, const char **name);
/* What is to be said behind "there is no adapter". */
extern const char kng_how_to_get_one[];
/* Errors of making things come later than the things, and features are known by their names. */
extern const bool kng_comes_late;
/* Lets time pass until there may be something to process: `waited` nanoseconds have passed since this wait began.
 * false: there is no waiting here. */
bool kng_let_pass(int64_t waited);
/* Calls f in the child of a fork. */
void kng_watch_forks(void (*f)(void));
#endif

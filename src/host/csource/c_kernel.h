/* SPDX-License-Identifier: Apache-2.0
 * c_kernel.h -- a whole kernel as C: the stage functions (c_source.h), and a function that runs them over all
 * points. */
#ifndef KN_HOST_CSOURCE_C_KERNEL_H
#define KN_HOST_CSOURCE_C_KERNEL_H
#include "kernel/kernel.h"

/* One translation unit that needs no header of Kiln, knx_alloc'ed, with
 *     void NAME(void *const *buffer, const long long *par, const long long *const *inner, const struct NAME_map *map)
 * whose arguments are those of a knk_launch. It gives the bits of docs/determinism.md. Names of other functions in it
 * begin with NAME_. */
knx_error *knh_c_kernel(const knk_kernel *k, const char *name, char **out);
#endif

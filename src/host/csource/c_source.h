/* SPDX-License-Identifier: Apache-2.0
 * c_source.h -- a stage function as C source with GNU vector types, to be compiled without contraction: a second
 * opinion about the machine code, and the way to export kernels. */
#ifndef KN_HOST_CSOURCE_C_SOURCE_H
#define KN_HOST_CSOURCE_C_SOURCE_H
#include "host/stage/stage.h"

/* One translation unit that needs no header of Kiln and defines `void NAME(struct knh_args *)`. knx_alloc'ed. The same
 * request gives the same text. It is for gcc (12 on) and clang (14 on); it wants -ffp-contract=off, and links libm. */
knx_error *knh_c_source(const knh_request *r, const char *name, char **out);
/* The same for n requests in one unit. */
knx_error *knh_c_sources(const knh_request *r, const char *const *name, int n, char **out);
#endif

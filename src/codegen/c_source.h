/* SPDX-License-Identifier: Apache-2.0
 * c_source.h -- a stage function as C source with GNU vector types, to be compiled without contraction: a second opinion
 * about the machine code, and the way to export kernels. */
#ifndef KN_CODEGEN_C_SOURCE_H
#define KN_CODEGEN_C_SOURCE_H
#include "codegen/stage.h"

/* One translation unit that needs no header of Kiln and defines `void NAME(struct kng_args *)`. knx_alloc'ed. */
kn_error *kng_c_source(const kng_request *r, const char *name, char **out);
#endif

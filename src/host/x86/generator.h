/* SPDX-License-Identifier: Apache-2.0
 * generator.h -- machine code for x86-64: two generators that share everything but the instructions. */
#ifndef KN_HOST_X86_GENERATOR_H
#define KN_HOST_X86_GENERATOR_H
#include "host/stage/generator.h"

extern const knh_generator knh_avx512, knh_avx2;
#endif

/* SPDX-License-Identifier: Apache-2.0
 * isa_name.h -- for the files *_isa.c, which are compiled once per instruction set (KN_ISA = base, avx2, avx512): the
 * names of what each of them defines, and of what their loops define for each type. */
#ifndef KN_BASE_ISA_NAME_H
#define KN_BASE_ISA_NAME_H

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b)         a##b
#define PASTE(a, b)          PASTE_(a, b)
#define KN_ISA_JOIN_(f, isa) f##_##isa
#define KN_ISA_JOIN(f, isa)  KN_ISA_JOIN_(f, isa)
#define KN_ISA_NAME(f)       KN_ISA_JOIN(f, KN_ISA)

#endif

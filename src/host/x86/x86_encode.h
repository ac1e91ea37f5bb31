/* SPDX-License-Identifier: Apache-2.0
 * x86_encode.h -- what the vector half (x86.c) and the general-purpose half (x86_gp.c) of the assembler share. */
#ifndef KN_HOST_X86_X86_ENCODE_H
#define KN_HOST_X86_X86_ENCODE_H
#include "host/x86/x86.h"

void knh_fail(knh_asm *a, const char *why); /* the first reason stays; NULL: no memory */
/* An instruction begins (NULL: failed) and ends. Between them there is room for any one instruction. */
uint8_t *knh_begin(knh_asm *a);
void knh_end(knh_asm *a, uint8_t *p, const knh_operand *rm, const uint8_t *displacement);
uint8_t *knh_put32(uint8_t *p, int32_t v);
uint8_t *knh_modrm(uint8_t *p, int reg, const knh_operand *rm, int unit, uint8_t **displacement);
uint8_t *knh_put_vex(uint8_t *p, int map, int prefix, int w, int l, int reg, int v, const knh_operand *rm);
const char *knh_bad_memory(const knh_operand *m, int most_index); /* NULL: fine */

/* x86_list.c: text for a->listing; the callers of those that take a description ask whether there is one. A line that
 * ends in : is a label. */
void knh_list(knh_asm *a, const char *format, ...) KN_PRINTF_LIKE(2, 3);
void knh_list_memory(knh_asm *a, const char *name, const knh_operand *m); /* NAME [...] */
typedef struct knh_listed { /* as knh_v has it */
    const struct knh_row *row;
    int length, reg, v, mask, imm;
    bool zero, evex, narrow;
    const knh_operand *rm;
} knh_listed;
void knh_list_vector(knh_asm *a, const knh_listed *n);
typedef struct knh_listed_gp {
    int opcode, reg, prefix;
    bool w;
    int32_t imm;
    const knh_operand *rm;
} knh_listed_gp;
void knh_list_gp(knh_asm *a, const knh_listed_gp *n);
void knh_list_pool(knh_asm *a); /* its bytes */
const char *knh_register_name(int r, int bytes);
extern const char *const knh_condition_names[16];
#endif

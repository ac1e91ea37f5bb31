/* SPDX-License-Identifier: Apache-2.0
 * x86_encode.h -- what the vector half (x86.c) and the general-purpose half (x86_gp.c) of the assembler share. */
#ifndef KN_HOST_X86_X86_ENCODE_H
#define KN_HOST_X86_X86_ENCODE_H
#include "host/x86/x86.h"

void kng_fail(kng_asm *a, const char *why); /* the first reason stays; NULL: no memory */
/* An instruction begins (NULL: failed) and ends. Between them there is room for any one instruction. */
uint8_t *kng_begin(kng_asm *a);
void kng_end(kng_asm *a, uint8_t *p, const kng_operand *rm, const uint8_t *displacement);
uint8_t *kng_put32(uint8_t *p, int32_t v);
uint8_t *kng_modrm(uint8_t *p, int reg, const kng_operand *rm, int unit, uint8_t **displacement);
uint8_t *kng_put_vex(uint8_t *p, int map, int prefix, int w, int l, int reg, int v, const kng_operand *rm);
const char *kng_bad_memory(const kng_operand *m, int most_index); /* NULL: fine */

/* x86_list.c: text for a->listing; the callers of those that take a description ask whether there is one. A line that
 * ends in : is a label. */
void kng_list(kng_asm *a, const char *format, ...) KN_PRINTF_LIKE(2, 3);
void kng_list_memory(kng_asm *a, const char *name, const kng_operand *m); /* NAME [...] */
typedef struct kng_listed { /* as kng_v has it */
    const struct kng_row *row;
    int length, reg, v, mask, imm;
    bool zero, evex;
    const kng_operand *rm;
} kng_listed;
void kng_list_vector(kng_asm *a, const kng_listed *n);
typedef struct kng_listed_gp {
    int opcode, reg, prefix;
    bool w;
    int32_t imm;
    const kng_operand *rm;
} kng_listed_gp;
void kng_list_gp(kng_asm *a, const kng_listed_gp *n);
void kng_list_pool(kng_asm *a); /* its bytes */
const char *kng_register_name(int r, int bytes);
extern const char *const kng_condition_names[16];
#endif

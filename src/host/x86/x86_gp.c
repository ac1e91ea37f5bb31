/* SPDX-License-Identifier: Apache-2.0
 * x86_gp.c -- general-purpose instructions. */
#include "host/x86/x86_encode.h"
#include <string.h>

static bool is_gp(knh_asm *a, int r)
{
    if (r >= 0 && r < 16)
        return true;
    knh_fail(a, "no such register");
    return false;
}

/* One instruction: opcode is 1 to 3 bytes (0x0FAF is 0F AF). w: REX.W. byte: reg is a register of 8 bits, whose
 * numbers 4 to 7 need a REX prefix. immediate: 0, 1 or 4 bytes of `imm`. */
typedef struct gp {
    int opcode, reg, prefix;
    bool w, byte;
    int immediate;
    int32_t imm;
} gp;

static void put(knh_asm *a, gp n, const knh_operand *rm)
{
    uint8_t *p = knh_begin(a), *displacement = NULL;
    const char *why = rm->memory ? knh_bad_memory(rm, 15) : NULL;
    if (rm->memory && rm->broadcast)
        why = "cannot broadcast its memory operand";
    if (why)
        knh_fail(a, why);
    if (!p || why || !is_gp(a, n.reg) || (!rm->memory && !is_gp(a, rm->reg)))
        return;
    int b = rm->memory ? (rm->base < 0 ? 0 : rm->base >> 3) : rm->reg >> 3;
    int x = rm->memory && rm->index >= 0 ? rm->index >> 3 : 0;
    int rex = n.w << 3 | n.reg >> 3 << 2 | x << 1 | b;
    if (n.prefix)
        *p++ = (uint8_t)n.prefix;
    if (rex || (n.byte && n.reg >= 4))
        *p++ = (uint8_t)(0x40 | rex);
    if (n.opcode > 0xFF)
        *p++ = (uint8_t)(n.opcode >> 8);
    *p++ = (uint8_t)n.opcode;
    p = knh_modrm(p, n.reg, rm, 1, &displacement);
    if (n.immediate == 1)
        *p++ = (uint8_t)n.imm;
    else if (n.immediate == 4)
        p = knh_put32(p, n.imm);
    knh_end(a, p, rm, displacement);
    if (a->listing)
        knh_list_gp(a, &(knh_listed_gp){n.opcode, n.reg, n.prefix, n.w, n.imm, rm});
}

static void put_registers(knh_asm *a, int opcode, int reg, int rm)
{
    knh_operand r = knh_reg(rm);
    put(a, (gp){.opcode = opcode, .reg = reg, .w = true}, &r);
}

/* Bytes that have no operands, or only the register in the last one. */
static void put_bytes(knh_asm *a, const uint8_t *bytes, size_t n)
{
    uint8_t *p = knh_begin(a);
    if (!p)
        return;
    memcpy(p, bytes, n);
    a->code.n += n;
}

static void put_memory(knh_asm *a, gp n, const knh_operand *m)
{
    if (!m->memory)
        knh_fail(a, "needs a memory operand");
    else
        put(a, n, m);
}

void knh_mov(knh_asm *a, int dst, int src) { put_registers(a, 0x89, src, dst); }

void knh_mov_number(knh_asm *a, int dst, int64_t v)
{
    knh_operand r = knh_reg(dst);
    if (v < 0 && v >= INT32_MIN) {
        put(a, (gp){.opcode = 0xC7, .w = true, .immediate = 4, .imm = (int32_t)v}, &r);
        return;
    }
    if (!is_gp(a, dst))
        return;
    uint8_t code[10];
    size_t n = 0;
    bool wide = v < 0 || v > UINT32_MAX; /* a 32-bit write clears the upper half */
    if (wide || dst >= 8)
        code[n++] = (uint8_t)(0x40 | wide << 3 | dst >> 3);
    code[n++] = (uint8_t)(0xB8 | (dst & 7));
    uint8_t *end = knh_put32(code + n, (int32_t)(uint32_t)v);
    if (wide)
        end = knh_put32(end, (int32_t)(uint32_t)((uint64_t)v >> 32));
    put_bytes(a, code, (size_t)(end - code));
    knh_list(a, wide ? "movabs %s,%lld" : "mov %s,%lld", knh_register_name(dst, wide ? 8 : 4), (long long)v);
}

void knh_load(knh_asm *a, int dst, knh_operand from)
{
    put_memory(a, (gp){.opcode = 0x8B, .reg = dst, .w = true}, &from);
}

void knh_store(knh_asm *a, knh_operand to, int src) { put_memory(a, (gp){.opcode = 0x89, .reg = src, .w = true}, &to); }

void knh_load_part(knh_asm *a, int size, bool sign, int dst, knh_operand from)
{
    switch (size) {
    case 1: put_memory(a, (gp){.opcode = sign ? 0x0FBE : 0x0FB6, .reg = dst, .w = sign}, &from); break;
    case 2: put_memory(a, (gp){.opcode = sign ? 0x0FBF : 0x0FB7, .reg = dst, .w = sign}, &from); break;
    case 4: put_memory(a, (gp){.opcode = sign ? 0x63 : 0x8B, .reg = dst, .w = sign}, &from); break;
    case 8: knh_load(a, dst, from); break;
    default: knh_fail(a, "loads have 1, 2, 4 or 8 bytes");
    }
}

void knh_store_part(knh_asm *a, int size, knh_operand to, int src)
{
    switch (size) {
    case 1: put_memory(a, (gp){.opcode = 0x88, .reg = src, .byte = true}, &to); break;
    case 2: put_memory(a, (gp){.opcode = 0x89, .reg = src, .prefix = 0x66}, &to); break;
    case 4: put_memory(a, (gp){.opcode = 0x89, .reg = src}, &to); break;
    case 8: knh_store(a, to, src); break;
    default: knh_fail(a, "stores have 1, 2, 4 or 8 bytes");
    }
}

void knh_lea(knh_asm *a, int dst, knh_operand from)
{
    put_memory(a, (gp){.opcode = 0x8D, .reg = dst, .w = true}, &from);
}

void knh_alu_reg(knh_asm *a, knh_alu op, int dst, int src) { put_registers(a, (int)op << 3 | 1, src, dst); }

void knh_alu_number(knh_asm *a, knh_alu op, int dst, int32_t v)
{
    knh_operand r = knh_reg(dst);
    bool small = v >= -128 && v < 128;
    put(a, (gp){.opcode = small ? 0x83 : 0x81, .reg = (int)op, .w = true, .immediate = small ? 1 : 4, .imm = v}, &r);
}

void knh_alu_load(knh_asm *a, knh_alu op, int dst, knh_operand from)
{
    put_memory(a, (gp){.opcode = (int)op << 3 | 3, .reg = dst, .w = true}, &from);
}

void knh_alu_store(knh_asm *a, knh_alu op, knh_operand to, int src)
{
    put_memory(a, (gp){.opcode = (int)op << 3 | 1, .reg = src, .w = true}, &to);
}

void knh_test(knh_asm *a, int x, int y) { put_registers(a, 0x85, y, x); }
void knh_imul(knh_asm *a, int dst, knh_operand from) { put(a, (gp){.opcode = 0x0FAF, .reg = dst, .w = true}, &from); }

static void put_count(knh_asm *a, int opcode, int extension, int r, int count)
{
    knh_operand o = knh_reg(r);
    if (count < 0 || count > 63)
        knh_fail(a, "bits are counted from 0 to 63");
    else if (count == 1 && opcode == 0xC1) /* has a form of its own */
        put(a, (gp){.opcode = 0xD1, .reg = extension, .w = true}, &o);
    else
        put(a, (gp){.opcode = opcode, .reg = extension, .w = true, .immediate = 1, .imm = count}, &o);
}

void knh_shl(knh_asm *a, int dst, int count) { put_count(a, 0xC1, 4, dst, count); }
void knh_shr(knh_asm *a, int dst, int count) { put_count(a, 0xC1, 5, dst, count); }
void knh_sar(knh_asm *a, int dst, int count) { put_count(a, 0xC1, 7, dst, count); }
void knh_bt(knh_asm *a, int x, int bit_number) { put_count(a, 0x0FBA, 4, x, bit_number); }
void knh_cmov(knh_asm *a, knh_condition c, int dst, int src) { put_registers(a, 0x0F40 | (int)c, dst, src); }

void knh_bzhi(knh_asm *a, int dst, int src, int count)
{
    knh_operand r = knh_reg(src);
    uint8_t *p, *displacement = NULL;
    if (!is_gp(a, dst) || !is_gp(a, src) || !is_gp(a, count) || !(p = knh_begin(a)))
        return;
    p = knh_put_vex(p, 2, 0, 1, 0, dst, count, &r);
    *p++ = 0xF5;
    knh_end(a, knh_modrm(p, dst, &r, 1, &displacement), &r, displacement);
    knh_list(a, "bzhi %s,%s,%s", knh_register_name(dst, 8), knh_register_name(src, 8), knh_register_name(count, 8));
}

/* Calls, pushes and pops are 64 bits wide without REX.W. */
void knh_call_reg(knh_asm *a, int r)
{
    knh_operand o = knh_reg(r);
    put(a, (gp){.opcode = 0xFF, .reg = 2}, &o);
}

static void put_short(knh_asm *a, int opcode, int r)
{
    uint8_t code[2] = {0x41, (uint8_t)(opcode | (r & 7))};
    if (is_gp(a, r))
        put_bytes(a, r >= 8 ? code : code + 1, r >= 8 ? 2 : 1);
    knh_list(a, opcode == 0x50 ? "push %s" : "pop %s", knh_register_name(r, 8));
}

void knh_push(knh_asm *a, int r) { put_short(a, 0x50, r); }
void knh_pop(knh_asm *a, int r) { put_short(a, 0x58, r); }

void knh_ret(knh_asm *a)
{
    put_bytes(a, (const uint8_t[]){0xC3}, 1);
    knh_list(a, "ret");
}

void knh_sfence(knh_asm *a)
{
    put_bytes(a, (const uint8_t[]){0x0F, 0xAE, 0xF8}, 3);
    knh_list(a, "sfence");
}

void knh_align(knh_asm *a, int bytes)
{
    static const uint8_t nop[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0F, 0x1F, 0x00},
        {0x0F, 0x1F, 0x40, 0x00},
        {0x0F, 0x1F, 0x44, 0x00, 0x00},
        {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00},
        {0x0F, 0x1F, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        {0x66, 0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    if (bytes <= 0 || bytes > 64 || bytes & (bytes - 1)) {
        knh_fail(a, "code is aligned to 1 to 64 bytes");
        return;
    }
    knh_list(a, ".balign %d", bytes);
    for (size_t rest = -a->code.n & ((size_t)bytes - 1); rest && !a->failed;) {
        size_t n = rest < 9 ? rest : 9;
        put_bytes(a, nop[n - 1], n);
        rest -= n;
    }
}

void knh_prefetch(knh_asm *a, knh_operand from, int hint)
{
    if (hint < 0 || hint > 3)
        knh_fail(a, "there are 4 kinds of prefetch");
    else
        put_memory(a, (gp){.opcode = 0x0F18, .reg = hint}, &from);
}

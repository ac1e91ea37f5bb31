/* SPDX-License-Identifier: Apache-2.0
 * x86_gp.c -- general-purpose instructions. */
#include "host/x86/x86_encode.h"
#include <string.h>

static bool is_gp(kng_asm *a, int r)
{
    if (r >= 0 && r < 16)
        return true;
    kng_fail(a, "no such register");
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

static void put(kng_asm *a, gp n, const kng_operand *rm)
{
    uint8_t *p = kng_begin(a), *displacement = NULL;
    const char *why = rm->memory ? kng_bad_memory(rm, 15) : NULL;
    if (rm->memory && rm->broadcast)
        why = "cannot broadcast its memory operand";
    if (why)
        kng_fail(a, why);
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
    p = kng_modrm(p, n.reg, rm, 1, &displacement);
    if (n.immediate == 1)
        *p++ = (uint8_t)n.imm;
    else if (n.immediate == 4)
        p = kng_put32(p, n.imm);
    kng_end(a, p, rm, displacement);
    if (a->listing)
        kng_list_gp(a, &(kng_listed_gp){n.opcode, n.reg, n.prefix, n.w, n.imm, rm});
}

static void put_registers(kng_asm *a, int opcode, int reg, int rm)
{
    kng_operand r = kng_reg(rm);
    put(a, (gp){.opcode = opcode, .reg = reg, .w = true}, &r);
}

/* Bytes that have no operands, or only the register in the last one. */
static void put_bytes(kng_asm *a, const uint8_t *bytes, size_t n)
{
    uint8_t *p = kng_begin(a);
    if (!p)
        return;
    memcpy(p, bytes, n);
    a->code.n += n;
}

static void put_memory(kng_asm *a, gp n, const kng_operand *m)
{
    if (!m->memory)
        kng_fail(a, "needs a memory operand");
    else
        put(a, n, m);
}

void kng_mov(kng_asm *a, int dst, int src) { put_registers(a, 0x89, src, dst); }

void kng_mov_number(kng_asm *a, int dst, int64_t v)
{
    kng_operand r = kng_reg(dst);
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
    uint8_t *end = kng_put32(code + n, (int32_t)(uint32_t)v);
    if (wide)
        end = kng_put32(end, (int32_t)(uint32_t)((uint64_t)v >> 32));
    put_bytes(a, code, (size_t)(end - code));
    kng_list(a, wide ? "movabs %s,%lld" : "mov %s,%lld", kng_register_name(dst, wide ? 8 : 4), (long long)v);
}

void kng_load(kng_asm *a, int dst, kng_operand from)
{
    put_memory(a, (gp){.opcode = 0x8B, .reg = dst, .w = true}, &from);
}

void kng_store(kng_asm *a, kng_operand to, int src) { put_memory(a, (gp){.opcode = 0x89, .reg = src, .w = true}, &to); }

void kng_load_part(kng_asm *a, int size, bool sign, int dst, kng_operand from)
{
    switch (size) {
    case 1: put_memory(a, (gp){.opcode = sign ? 0x0FBE : 0x0FB6, .reg = dst, .w = sign}, &from); break;
    case 2: put_memory(a, (gp){.opcode = sign ? 0x0FBF : 0x0FB7, .reg = dst, .w = sign}, &from); break;
    case 4: put_memory(a, (gp){.opcode = sign ? 0x63 : 0x8B, .reg = dst, .w = sign}, &from); break;
    case 8: kng_load(a, dst, from); break;
    default: kng_fail(a, "loads have 1, 2, 4 or 8 bytes");
    }
}

void kng_store_part(kng_asm *a, int size, kng_operand to, int src)
{
    switch (size) {
    case 1: put_memory(a, (gp){.opcode = 0x88, .reg = src, .byte = true}, &to); break;
    case 2: put_memory(a, (gp){.opcode = 0x89, .reg = src, .prefix = 0x66}, &to); break;
    case 4: put_memory(a, (gp){.opcode = 0x89, .reg = src}, &to); break;
    case 8: kng_store(a, to, src); break;
    default: kng_fail(a, "stores have 1, 2, 4 or 8 bytes");
    }
}

void kng_lea(kng_asm *a, int dst, kng_operand from)
{
    put_memory(a, (gp){.opcode = 0x8D, .reg = dst, .w = true}, &from);
}

void kng_alu_reg(kng_asm *a, kng_alu op, int dst, int src) { put_registers(a, (int)op << 3 | 1, src, dst); }

void kng_alu_number(kng_asm *a, kng_alu op, int dst, int32_t v)
{
    kng_operand r = kng_reg(dst);
    bool small = v >= -128 && v < 128;
    put(a, (gp){.opcode = small ? 0x83 : 0x81, .reg = (int)op, .w = true, .immediate = small ? 1 : 4, .imm = v}, &r);
}

void kng_alu_load(kng_asm *a, kng_alu op, int dst, kng_operand from)
{
    put_memory(a, (gp){.opcode = (int)op << 3 | 3, .reg = dst, .w = true}, &from);
}

void kng_alu_store(kng_asm *a, kng_alu op, kng_operand to, int src)
{
    put_memory(a, (gp){.opcode = (int)op << 3 | 1, .reg = src, .w = true}, &to);
}

void kng_test(kng_asm *a, int x, int y) { put_registers(a, 0x85, y, x); }
void kng_imul(kng_asm *a, int dst, kng_operand from) { put(a, (gp){.opcode = 0x0FAF, .reg = dst, .w = true}, &from); }

static void put_count(kng_asm *a, int opcode, int extension, int r, int count)
{
    kng_operand o = kng_reg(r);
    if (count < 0 || count > 63)
        kng_fail(a, "bits are counted from 0 to 63");
    else if (count == 1 && opcode == 0xC1) /* has a form of its own */
        put(a, (gp){.opcode = 0xD1, .reg = extension, .w = true}, &o);
    else
        put(a, (gp){.opcode = opcode, .reg = extension, .w = true, .immediate = 1, .imm = count}, &o);
}

void kng_shl(kng_asm *a, int dst, int count) { put_count(a, 0xC1, 4, dst, count); }
void kng_shr(kng_asm *a, int dst, int count) { put_count(a, 0xC1, 5, dst, count); }
void kng_sar(kng_asm *a, int dst, int count) { put_count(a, 0xC1, 7, dst, count); }
void kng_bt(kng_asm *a, int x, int bit_number) { put_count(a, 0x0FBA, 4, x, bit_number); }
void kng_cmov(kng_asm *a, kng_condition c, int dst, int src) { put_registers(a, 0x0F40 | (int)c, dst, src); }

void kng_bzhi(kng_asm *a, int dst, int src, int count)
{
    kng_operand r = kng_reg(src);
    uint8_t *p, *displacement = NULL;
    if (!is_gp(a, dst) || !is_gp(a, src) || !is_gp(a, count) || !(p = kng_begin(a)))
        return;
    p = kng_put_vex(p, 2, 0, 1, 0, dst, count, &r);
    *p++ = 0xF5;
    kng_end(a, kng_modrm(p, dst, &r, 1, &displacement), &r, displacement);
    kng_list(a, "bzhi %s,%s,%s", kng_register_name(dst, 8), kng_register_name(src, 8), kng_register_name(count, 8));
}

/* Calls, pushes and pops are 64 bits wide without REX.W. */
void kng_call_reg(kng_asm *a, int r)
{
    kng_operand o = kng_reg(r);
    put(a, (gp){.opcode = 0xFF, .reg = 2}, &o);
}

static void put_short(kng_asm *a, int opcode, int r)
{
    uint8_t code[2] = {0x41, (uint8_t)(opcode | (r & 7))};
    if (is_gp(a, r))
        put_bytes(a, r >= 8 ? code : code + 1, r >= 8 ? 2 : 1);
    kng_list(a, opcode == 0x50 ? "push %s" : "pop %s", kng_register_name(r, 8));
}

void kng_push(kng_asm *a, int r) { put_short(a, 0x50, r); }
void kng_pop(kng_asm *a, int r) { put_short(a, 0x58, r); }

void kng_ret(kng_asm *a)
{
    put_bytes(a, (const uint8_t[]){0xC3}, 1);
    kng_list(a, "ret");
}

void kng_sfence(kng_asm *a)
{
    put_bytes(a, (const uint8_t[]){0x0F, 0xAE, 0xF8}, 3);
    kng_list(a, "sfence");
}

void kng_align(kng_asm *a, int bytes)
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
        kng_fail(a, "code is aligned to 1 to 64 bytes");
        return;
    }
    kng_list(a, ".balign %d", bytes);
    for (size_t rest = -a->code.n & ((size_t)bytes - 1); rest && !a->failed;) {
        size_t n = rest < 9 ? rest : 9;
        put_bytes(a, nop[n - 1], n);
        rest -= n;
    }
}

void kng_prefetch(kng_asm *a, kng_operand from, int hint)
{
    if (hint < 0 || hint > 3)
        kng_fail(a, "there are 4 kinds of prefetch");
    else
        put_memory(a, (gp){.opcode = 0x0F18, .reg = hint}, &from);
}

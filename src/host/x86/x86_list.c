/* SPDX-License-Identifier: Apache-2.0
 * x86_list.c -- instructions as text, in Intel's syntax: what the log shows of generated code. */
#include "host/x86/x86_encode.h"
#include "host/x86/x86_row.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const gp8[] = {"al",  "cl",  "dl",   "bl",   "spl",  "bpl",  "sil",  "dil",
                                  "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"};
static const char *const gp16[] = {"ax",  "cx",  "dx",   "bx",   "sp",   "bp",   "si",   "di",
                                   "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"};
static const char *const gp32[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                   "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
static const char *const gp64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                   "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

const char *knh_register_name(int r, int bytes)
{
    return (bytes == 1 ? gp8 : bytes == 2 ? gp16 : bytes == 4 ? gp32 : gp64)[r & 15];
}

/* ---- One line. */

typedef struct line {
    size_t n;
    char s[160];
} line;

static void add(line *t, const char *format, ...) KN_PRINTF_LIKE(2, 3);
static void add(line *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    t->n = n < 0 || t->n + (size_t)n >= sizeof t->s ? sizeof t->s - 1 : t->n + (size_t)n;
}

static void put(knh_asm *a, const char *indent, const line *t)
{
    knx_str_puts(a->listing, indent);
    knx_str_add(a->listing, t->s, t->n);
    knx_str_puts(a->listing, "\n");
}

void knh_list(knh_asm *a, const char *format, ...)
{
    line t = {0};
    va_list args;
    if (!a->listing || a->failed)
        return;
    va_start(args, format);
    int n = vsnprintf(t.s, sizeof t.s, format, args);
    va_end(args);
    t.n = n < 0 ? 0 : (size_t)n < sizeof t.s ? (size_t)n : sizeof t.s - 1;
    put(a, t.n && t.s[t.n - 1] == ':' ? "" : "    ", &t);
}

/* bytes 0: not said. index: 'r', or the letter of a vector register. */
static void add_memory(line *t, int bytes, const knh_operand *m, char index)
{
    static const char *const sizes[] = {"BYTE", "WORD", "DWORD", "QWORD", "XMMWORD", "YMMWORD", "ZMMWORD"};
    if (bytes)
        add(t, "%s PTR ", sizes[__builtin_ctz((unsigned)bytes)]);
    if (m->base < 0) {
        add(t, "[rip+pool%+d]", (int)m->disp);
        return;
    }
    add(t, "[%s", gp64[m->base & 15]);
    if (m->index >= 0 && index == 'r')
        add(t, "+%s*%d", gp64[m->index & 15], m->scale);
    else if (m->index >= 0)
        add(t, "+%cmm%d*%d", index, m->index, m->scale);
    if (m->disp)
        add(t, "%+d", (int)m->disp);
    add(t, "]");
}

void knh_list_memory(knh_asm *a, const char *name, const knh_operand *m)
{
    line t = {0};
    if (!a->listing || a->failed)
        return;
    add(&t, "%s ", name);
    add_memory(&t, 0, m, 'r');
    put(a, "    ", &t);
}

/* ---- Vector instructions. */

static int length_of(int kind, int length)
{
    int less = kind == H ? 1 : kind == Q ? 2 : kind == E ? 3 : 0;
    if (kind == X || length < less)
        return 0;
    return kind == Y ? 1 : length - less;
}

static void add_register(line *t, int kind, int length, int r)
{
    if (kind == K)
        add(t, "k%d", r);
    else if (kind == R || kind == RQ)
        add(t, "%s", kind == R ? gp32[r & 15] : gp64[r & 15]);
    else
        add(t, "%cmm%d", "xyz"[length_of(kind, length)], r);
}

/* The ID without its suffix; VEX forms of bitwise instructions and whole moves do not name the width of lanes. */
static void add_mnemonic(line *t, const char *name, bool vex)
{
    static const char *const shorter[] = {"VPAND", "VPANDN", "VPOR", "VPXOR"};
    size_t n = strcspn(name, "_");
    if (vex && !strncmp(name, "VMOVDQ", 6))
        n = strlen("VMOVDQA");
    for (int i = 0; i < 4 && vex; i++)
        if (n == strlen(shorter[i]) + 1 && !strncmp(name, shorter[i], n - 1) && strchr("DQ", name[n - 1]))
            n--;
    for (size_t i = 0; i < n; i++)
        add(t, "%c", name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    add(t, " ");
}

static void add_rm(line *t, const knh_listed *n)
{
    const knh_row *w = n->row;
    if (!n->rm->memory) {
        add_register(t, w->rm, n->length, n->rm->reg);
        return;
    }
    int element = w->w_evex ? 8 : 4, bytes = knh_row_memory(w, n->length);
    bool packs = strstr(w->name, "COMPRESS") || strstr(w->name, "EXPAND");
    char index = w->flags & VSIB ? "xyz"[length_of(w->rm, n->length)] : 'r';
    add_memory(t, packs ? 0 : n->rm->broadcast ? element : bytes, n->rm, index);
    if (n->rm->broadcast)
        add(t, "{1to%d}", bytes / element);
}

void knh_list_vector(knh_asm *a, const knh_listed *n)
{
    line t = {0};
    const knh_row *w = n->row;
    bool store = w->flags & ST, shift = w->flags & OPCODE_EXTENSION;
    int first = shift ? w->v : w->reg;
    add_mnemonic(&t, w->name, !n->evex);
    if (store)
        add_rm(&t, n);
    else if (first != NO)
        add_register(&t, first, n->length, shift ? n->v : n->reg);
    if (n->mask)
        add(&t, "{k%d}%s", n->mask, n->zero ? "{z}" : "");
    if (w->v != NO && !shift && !(w->flags & V_LAST))
        add(&t, ","), add_register(&t, w->v, n->length, n->v);
    if (store)
        add(&t, ","), add_register(&t, w->reg, n->length, n->reg);
    else if (w->rm != NO || w->memory != NO)
        add(&t, ","), add_rm(&t, n);
    if (w->flags & V_LAST)
        add(&t, ","), add_register(&t, w->v, n->length, n->v);
    if (w->flags & IMM_REG)
        add(&t, ","), add_register(&t, V, n->length, n->imm >> 4);
    else if (n->imm >= 0)
        add(&t, ",%d", n->imm);
    t.n -= t.s[t.n - 1] == ' '; /* no operands at all */
    put(a, "    ", &t);
}

/* ---- General-purpose instructions. */

const char *const knh_condition_names[16] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                             "s", "ns", "p", "np", "l", "ge", "le", "g"};

typedef enum form { RM_REG, REG_RM, RM_IMM, RM_ONLY } form;

/* What an opcode is called: its name, the order of operands, and of how many bytes they are (0: as long as the
 * instruction says; rm -1: not said). */
typedef struct known {
    const char *name;
    form form;
    int reg_bytes, rm_bytes;
} known;

static known known_of(const knh_listed_gp *n)
{
    static const char *const alus[8] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};
    static const char *const shifts[8] = {"rol", "ror", "rcl", "rcr", "shl", "shr", "sal", "sar"};
    static const char *const hints[8] = {"prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2", "", "", "", ""};
    int op = n->opcode;
    switch (op) {
    case 0x88: return (known){"mov", RM_REG, 1, 1};
    case 0x89: return (known){"mov", RM_REG, 0, 0};
    case 0x8B: return (known){"mov", REG_RM, 0, 0};
    case 0x8D: return (known){"lea", REG_RM, 0, -1};
    case 0xC7: return (known){"mov", RM_IMM, 0, 0};
    case 0x0FB6: return (known){"movzx", REG_RM, 0, 1};
    case 0x0FB7: return (known){"movzx", REG_RM, 0, 2};
    case 0x0FBE: return (known){"movsx", REG_RM, 0, 1};
    case 0x0FBF: return (known){"movsx", REG_RM, 0, 2};
    case 0x63: return (known){"movsxd", REG_RM, 0, 4};
    case 0x81:
    case 0x83: return (known){alus[n->reg & 7], RM_IMM, 0, 0};
    case 0x85: return (known){"test", RM_REG, 0, 0};
    case 0x0FAF: return (known){"imul", REG_RM, 0, 0};
    case 0xC1:
    case 0xD1: return (known){shifts[n->reg & 7], RM_IMM, 0, 0};
    case 0x0FBA: return (known){"bt", RM_IMM, 0, 0};
    case 0xFF: return (known){"call", RM_ONLY, 8, 8};
    case 0x0F18: return (known){hints[n->reg & 7], RM_ONLY, 0, 1};
    default: return (known){alus[op >> 3 & 7], op & 2 ? REG_RM : RM_REG, 0, 0};
    }
}

static void add_gp_rm(line *t, const knh_listed_gp *n, int bytes)
{
    if (n->rm->memory)
        add_memory(t, bytes < 0 ? 0 : bytes, n->rm, 'r');
    else
        add(t, "%s", knh_register_name(n->rm->reg, bytes));
}

void knh_list_gp(knh_asm *a, const knh_listed_gp *n)
{
    line t = {0};
    int size = n->w ? 8 : n->prefix ? 2 : 4;
    bool cmov = (n->opcode & ~15) == 0x0F40;
    known k = cmov ? (known){"cmov", REG_RM, 0, 0} : known_of(n);
    int reg = k.reg_bytes ? k.reg_bytes : size, rm = k.rm_bytes ? k.rm_bytes : size;
    add(&t, "%s%s ", k.name, cmov ? knh_condition_names[n->opcode & 15] : "");
    if (k.form == REG_RM)
        add(&t, "%s,", knh_register_name(n->reg, reg));
    add_gp_rm(&t, n, rm);
    if (k.form == RM_REG)
        add(&t, ",%s", knh_register_name(n->reg, reg));
    if (k.form == RM_IMM)
        add(&t, ",%d", n->opcode == 0xD1 ? 1 : (int)n->imm);
    put(a, "    ", &t);
}

void knh_list_pool(knh_asm *a)
{
    if (!a->listing || !a->pool.n)
        return;
    knh_list(a, "pool:");
    for (size_t i = 0; i < a->pool.n; i += 16) {
        line t = {0};
        add(&t, ".byte ");
        for (size_t k = i; k < i + 16 && k < a->pool.n; k++)
            add(&t, k > i ? ",0x%02x" : "0x%02x", a->pool.at[k]);
        put(a, "    ", &t);
    }
}

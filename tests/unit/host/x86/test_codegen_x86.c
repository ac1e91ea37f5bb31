/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_x86.c -- the assembler against the system's: random operands for every row of the table and for every
 * general-purpose instruction, written as text, assembled by `as`, compared byte by byte. Without `as`, a stored list
 * that it made (scripts/golden/make_x86.py). */
#include "support/expect.h"
#include "support/group.h"
#include "host/x86/x86.h"
#include "host/x86/x86_row.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { SLOT = 16, GOOD = 100, WILD = 600, GP_ROUNDS = 200, STORED = 2 };

/* ---- Random numbers. */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int below(int n) { return (int)(random_bits() % (uint64_t)n); }
static bool one_in(int n) { return below(n) == 0; }

/* ---- Instructions as text. */

typedef struct text {
    size_t n;
    char s[232];
} text;

static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->s);
}

static const char *const gp8[] = {"al",  "cl",  "dl",   "bl",   "spl",  "bpl",  "sil",  "dil",
                                  "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"};
static const char *const gp16[] = {"ax",  "cx",  "dx",   "bx",   "sp",   "bp",   "si",   "di",
                                   "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"};
static const char *const gp32[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                   "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
static const char *const gp64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                   "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static int length_of(int kind, int length)
{
    int less = kind == H ? 1 : kind == Q ? 2 : kind == E ? 3 : 0;
    if (kind == X || length < less)
        return 0;
    return kind == Y ? 1 : length - less;
}

static void add_register(text *t, int kind, int length, int r)
{
    if (kind == K)
        add(t, "k%d", r);
    else if (kind == R || kind == RQ)
        add(t, "%s", kind == R ? gp32[r] : gp64[r]);
    else
        add(t, "%cmm%d", "xyz"[length_of(kind, length)], r);
}

/* index: 'r' or the letter of a vector register. pool: the displacement of a pool operand. */
static void add_memory(text *t, int bytes, const knh_operand *m, char index, int32_t pool)
{
    const char *size = bytes == 1    ? "BYTE PTR "
                       : bytes == 2  ? "WORD PTR "
                       : bytes == 4  ? "DWORD PTR "
                       : bytes == 8  ? "QWORD PTR "
                       : bytes == 16 ? "XMMWORD PTR "
                       : bytes == 32 ? "YMMWORD PTR "
                       : bytes == 64 ? "ZMMWORD PTR "
                                     : "";
    if (m->base < 0) {
        add(t, "%s[rip%+d]", size, (int)pool);
        return;
    }
    add(t, "%s[%s", size, gp64[m->base]);
    if (m->index >= 0 && index == 'r')
        add(t, "+%s*%d", gp64[m->index], m->scale);
    else if (m->index >= 0)
        add(t, "+%cmm%d*%d", index, m->index, m->scale);
    if (m->disp)
        add(t, "%+d", (int)m->disp);
    add(t, "]");
}

/* A vector instruction with its operands. */
typedef struct sample {
    knh_insn id;
    int length, reg, v, mask, imm;
    bool zero;
    knh_operand rm;
} sample;

static bool is_vex(const sample *s)
{
    const knh_row *w = &knh_rows[s->id];
    return w->flags & VEX && s->length < 2 && !s->mask && !s->rm.broadcast && s->reg < 16 && s->v < 16 &&
           (s->rm.memory ? !(w->flags & VEX_REG) : s->rm.reg < 16);
}

static void add_mnemonic(text *t, const sample *s)
{
    const char *name = knh_rows[s->id].name, *const shorter[] = {"VPAND", "VPANDN", "VPOR", "VPXOR"};
    size_t n = strcspn(name, "_");
    if (is_vex(s) && strncmp(name, "VMOVDQ", 6) == 0)
        n = strlen("VMOVDQA");
    for (int i = 0; i < 4; i++) /* the VEX forms do not name the width of lanes, which do not matter there */
        if (is_vex(s) && n == strlen(shorter[i]) + 1 && strncmp(name, shorter[i], n - 1) == 0 &&
            strchr("DQ", name[n - 1]))
            n--;
    for (size_t i = 0; i < n; i++)
        add(t, "%c", name[i] | ('A' <= name[i] && name[i] <= 'Z' ? 0x20 : 0));
    add(t, " ");
}

static void add_rm(text *t, const sample *s, int32_t pool)
{
    const knh_row *w = &knh_rows[s->id];
    if (!s->rm.memory) {
        add_register(t, w->rm, s->length, s->rm.reg);
        return;
    }
    int element = w->w_evex ? 8 : 4, bytes = knh_row_memory(w, s->length);
    char index = w->flags & VSIB ? "xyz"[length_of(w->rm, s->length)] : 'r';
    if (strstr(w->name, "COMPRESS") || strstr(w->name, "EXPAND"))
        add_memory(t, 0, &s->rm, index, pool);
    else
        add_memory(t, s->rm.broadcast ? element : bytes, &s->rm, index, pool);
    if (s->rm.broadcast)
        add(t, "{1to%d}", bytes / element);
}

static void add_mask(text *t, const sample *s)
{
    if (s->mask)
        add(t, "{k%d}%s", s->mask, s->zero ? "{z}" : "");
}

static void write_sample(text *t, const sample *s, int32_t pool)
{
    const knh_row *w = &knh_rows[s->id];
    bool store = w->flags & ST, shift = w->flags & OPCODE_EXTENSION;
    int first = shift ? w->v : w->reg;
    add_mnemonic(t, s);
    if (store)
        add_rm(t, s, pool);
    else if (first != NO)
        add_register(t, first, s->length, shift ? s->v : s->reg);
    add_mask(t, s);
    if (w->v != NO && !shift && !(w->flags & V_LAST)) {
        add(t, ",");
        add_register(t, w->v, s->length, s->v);
    }
    if (store) {
        add(t, ",");
        add_register(t, w->reg, s->length, s->reg);
    } else if (w->rm != NO || w->memory != NO) {
        add(t, ",");
        add_rm(t, s, pool);
    }
    if (w->flags & V_LAST) {
        add(t, ",");
        add_register(t, w->v, s->length, s->v);
    }
    if (w->flags & IMM_REG) {
        add(t, ",");
        add_register(t, V, s->length, s->imm >> 4);
    } else if (s->imm >= 0)
        add(t, ",%d", s->imm);
}

/* ---- Random operands: one random number per statement, so that every compiler takes them in the same order. */

static int random_register(int kind)
{
    return kind == NO ? 0 : below(kind == K ? 8 : kind >= R ? 16 : one_in(2) ? 16 : 32);
}

static int32_t random_displacement(void)
{
    static const int32_t edges[] = {127, 128, -128, -129, 8128, 8192, -8192, -8256, 508, 512, 1016, 1024, -512, -516};
    int kind = below(6), units = below(300) - 150;
    int32_t any = (int32_t)random_bits();
    switch (kind) {
    case 0: return 0;
    case 1: return any % 256 - 128;
    case 2: return units * (1 << (any & 7));
    case 3: return edges[any & 7 ? any & 7 : 8 + (units & 3)];
    default: return any;
    }
}

static knh_operand random_address(int most_index)
{
    int base = below(16), index = below(most_index), log_scale = below(4);
    int32_t displacement = random_displacement();
    if (index == KNH_RSP && most_index == 16)
        index = KNH_R12;
    return knh_at_index(base, index, 1 << log_scale, displacement);
}

static knh_operand random_memory(void)
{
    knh_operand m = random_address(16);
    int kind = below(16);
    return kind < 2 ? knh_at_pool(0) : kind < 9 ? m : knh_at(m.base, m.disp);
}

static sample random_sample(knh_insn id)
{
    const knh_row *w = &knh_rows[id];
    sample s = {.id = id, .imm = -1};
    s.reg = random_register(w->reg);
    s.v = random_register(w->v);
    do
        s.length = below(3);
    while (!(w->lengths >> s.length & 1));
    bool memory = w->memory != NO && (w->rm == NO || w->flags & VSIB || one_in(2));
    if (w->flags & VSIB)
        s.rm = random_address(one_in(2) ? 32 : 15);
    else
        s.rm = memory ? random_memory() : knh_reg(random_register(w->rm));
    s.rm.broadcast = memory && w->flags & BC && one_in(2);
    if (w->flags & MASK && (w->flags & NEED || one_in(2)))
        s.mask = 1 + below(7);
    s.zero = s.mask && (w->flags & MZ) == MZ && !(memory && w->flags & ST) && one_in(2);
    if (w->flags & IMM)
        s.imm = w->flags & IMM_REG ? below(16) << 4 : below(256);
    return s;
}

/* What cannot be encoded, of a random sample: what knh_v has to find out. */
static bool is_impossible(const sample *s)
{
    const knh_row *w = &knh_rows[s->id];
    bool gather = w->flags & VSIB && !(w->flags & ST);
    if (!is_vex(s) && !(w->flags & EVEX))
        return true;
    if (w->flags & VSIB && !(w->flags & EVEX) && (s->rm.index > 15 || s->v == s->rm.index || s->v == s->reg))
        return true;
    return gather && s->reg == s->rm.index;
}

/* Operands that were chosen without asking what the row allows. */
static sample wild_sample(knh_insn id)
{
    sample s = random_sample(id);
    switch (below(9)) {
    case 0: s.length = below(5) - 1; break;
    case 1: s.reg = below(34) - 1; break;
    case 2: s.v = below(34) - 1; break;
    case 3: s.mask = below(10) - 1; break;
    case 4: s.zero = !s.zero; break;
    case 5: s.imm = below(258) - 1; break;
    case 6: s.rm = knh_reg(below(34) - 1); break;
    case 7: s.rm = random_memory(); break;
    default: s.rm.broadcast = !s.rm.broadcast;
    }
    if (one_in(4)) {
        s.rm.base = (int8_t)(below(20) - 2);
        s.rm.index = (int8_t)(below(36) - 2);
        s.rm.scale = (uint8_t)below(10);
    }
    return s;
}

/* ---- The list of instructions: text, and our bytes. */

typedef struct list {
    FILE *out;       /* text, or NULL */
    uint8_t *bytes;  /* SLOT for each, the rest CC */
    uint8_t *length; /* of each */
    size_t n, room;
} list;

static void list_free(list *l)
{
    free(l->bytes);
    free(l->length);
}

static void list_add(list *l, const char *line, const uint8_t *code, size_t n)
{
    assert_in_range(n, 1, 15);
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 4096;
        assert_non_null(l->bytes = realloc(l->bytes, l->room * SLOT));
        assert_non_null(l->length = realloc(l->length, l->room));
    }
    memset(l->bytes + l->n * SLOT, 0xCC, SLOT);
    memcpy(l->bytes + l->n * SLOT, code, n);
    l->length[l->n++] = (uint8_t)n;
    if (l->out)
        fprintf(l->out, "%s\n", line);
}

/* The text of the one instruction that was written is this one (but for what is in the pool, which has no address
 * yet). */
static void check_listing(const knx_str *listing, const char *wanted, bool pooled)
{
    char line[256];
    if (pooled)
        return;
    snprintf(line, sizeof line, "    %s\n", wanted);
    size_t n = strlen(line);
    if (n > 1 && line[n - 2] == ' ') /* kmov and its kin: nothing behind the name */
        snprintf(line + n - 2, 2, "\n");
    assert_string_equal(listing->s, line);
}

/* a holds one instruction: its length, and where the pool, which has one constant, is from its end. */
static size_t finish(knh_asm *a, int32_t *pool)
{
    size_t n = a->code.n;
    uint64_t constant = 1;
    knh_pool(a, &constant, 8, 8);
    assert_true(knh_finish(a));
    *pool = (int32_t)((n + 63) / 64 * 64 - n);
    return n;
}

static void add_sample(list *l, knh_asm *a, const sample *s, bool wild)
{
    int32_t pool;
    text t = {0};
    knx_str listing = {0};
    knh_asm_reset(a);
    a->listing = &listing;
    knh_v(a, s->id, s->length, s->reg, s->v, s->rm, s->mask, s->zero, s->imm);
    a->listing = NULL;
    if (a->failed) {
        assert_null(listing.s);
        assert_non_null(a->why);
        assert_int_equal(a->code.n, 0);
        if (!wild && !is_impossible(s)) {
            write_sample(&t, s, 0);
            fail_msg("%s: %s", t.s, a->why);
        }
        return;
    }
    write_sample(&t, s, 0);
    check_listing(&listing, t.s, s->rm.memory && s->rm.base < 0);
    knx_str_free(&listing);
    t = (text){0};
    if (s->rm.memory && s->rm.base < 0 && s->rm.disp)
        return; /* beyond our pool */
    size_t n = finish(a, &pool);
    write_sample(&t, s, pool);
    list_add(l, t.s, a->code.at, n);
}

/* ---- General-purpose instructions. */

static const char *const conditions[16] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                           "s", "ns", "p", "np", "l", "ge", "le", "g"};
static const char *const alus[8] = {"add", "or", 0, 0, "and", "sub", "xor", "cmp"};
static const int alu_numbers[] = {KNH_ADD, KNH_OR, KNH_AND, KNH_SUB, KNH_XOR, KNH_CMP};

/* The operands that a general-purpose instruction takes some of. */
typedef struct gp_sample {
    int x, y, z, condition, alu, count, size;
    int64_t number;
    knh_operand m;
} gp_sample;

static gp_sample random_gp(void)
{
    static const int sizes[] = {1, 2, 4, 8};
    gp_sample s = {.x = below(16)};
    s.y = below(16);
    s.z = below(16);
    s.count = below(64);
    s.size = sizes[below(4)];
    do
        s.condition = 2 + below(14);
    while (s.condition == 10 || s.condition == 11);
    s.alu = alu_numbers[below(6)];
    s.number = one_in(4) ? (int64_t)random_bits() : one_in(2) ? (int32_t)random_bits() : random_displacement();
    s.m = random_memory();
    return s;
}

enum { GP_KINDS = 38 };

static int tile_stride(const gp_sample *s) { return s->z == KNH_RSP ? KNH_RBP : s->z; }

static void encode_gp(knh_asm *a, int kind, const gp_sample *s)
{
    switch (kind) {
    case 0: knh_mov(a, s->x, s->y); break;
    case 1: knh_mov_number(a, s->x, s->number); break;
    case 2: knh_load(a, s->x, s->m); break;
    case 3: knh_store(a, s->m, s->x); break;
    case 4: knh_load_part(a, s->size, true, s->x, s->m); break;
    case 5: knh_load_part(a, s->size, false, s->x, s->m); break;
    case 6: knh_store_part(a, s->size, s->m, s->x); break;
    case 7: knh_lea(a, s->x, s->m); break;
    case 8: knh_alu_reg(a, (knh_alu)s->alu, s->x, s->y); break;
    case 9: knh_alu_number(a, (knh_alu)s->alu, s->x, (int32_t)s->number); break;
    case 10: knh_alu_load(a, (knh_alu)s->alu, s->x, s->m); break;
    case 11: knh_alu_store(a, (knh_alu)s->alu, s->m, s->x); break;
    case 12: knh_test(a, s->x, s->y); break;
    case 13: knh_imul(a, s->x, s->m); break;
    case 14: knh_imul(a, s->x, knh_reg(s->y)); break;
    case 15: knh_shl(a, s->x, s->count); break;
    case 16: knh_sar(a, s->x, s->count); break;
    case 17: knh_shr(a, s->x, s->count); break;
    case 18: knh_cmov(a, (knh_condition)s->condition, s->x, s->y); break;
    case 19: knh_bzhi(a, s->x, s->y, s->z); break;
    case 20: knh_bt(a, s->x, s->count); break;
    case 21: knh_call_reg(a, s->x); break;
    case 22: knh_push(a, s->x); break;
    case 23: knh_pop(a, s->x); break;
    case 24: knh_ret(a); break;
    case 25: knh_prefetch(a, s->m, 0); break;
    case 26: knh_prefetch(a, s->m, 1); break;
    case 27: knh_prefetch(a, s->m, 2); break;
    case 28: knh_prefetch(a, s->m, 3); break;
    case 29: knh_sfence(a); break;
    case 31: knh_tmm_configure(a, s->m); break;
    case 32: knh_tmm_release(a); break;
    case 33: knh_tmm_zero(a, s->x & 7); break;
    case 34: knh_tmm_load(a, s->x & 7, s->y, tile_stride(s), s->m.disp); break;
    case 35: knh_tmm_store(a, s->x & 7, s->y, tile_stride(s), s->m.disp); break;
    case 37: knh_tmm_load_once(a, s->x & 7, s->y, tile_stride(s), s->m.disp); break;
    case 36: knh_tmm_dot(a, s->count & 1, s->count & 2, s->x & 7, (s->x + 1) & 7, (s->x + 3) & 7); break;
    default: knh_alu_number(a, (knh_alu)s->alu, s->x, (int8_t)s->number);
    }
}

static void add_gp_part(text *t, int kind, const gp_sample *s, int32_t pool)
{
    const char *const *names = s->size == 1 ? gp8 : s->size == 2 ? gp16 : s->size == 4 ? gp32 : gp64;
    if (kind == 6) {
        add(t, "mov ");
        add_memory(t, s->size, &s->m, 'r', pool);
        add(t, ",%s", names[s->x]);
        return;
    }
    bool sign = kind == 4;
    add(t, "%s %s,",
        s->size == 8 || (s->size == 4 && !sign) ? "mov"
        : !sign                                 ? "movzx"
        : s->size == 4                          ? "movsxd"
                                                : "movsx",
        sign || s->size == 8 ? gp64[s->x] : gp32[s->x]);
    add_memory(t, s->size, &s->m, 'r', pool);
}

/* "NAME X,[memory]" or, turned, "NAME [memory],X" */
static void add_with_memory(text *t, const char *name, const gp_sample *s, int32_t pool, bool turned)
{
    add(t, turned ? "%s " : "%s %s,", name, gp64[s->x]);
    add_memory(t, 8, &s->m, 'r', pool);
    if (turned)
        add(t, ",%s", gp64[s->x]);
}

static void write_gp(text *t, int kind, const gp_sample *s, int32_t pool)
{
    static const char *const hints[] = {"nta", "t0", "t1", "t2"};
    const char *x = gp64[s->x], *y = gp64[s->y], *alu = alus[s->alu];
    switch (kind) {
    case 0: add(t, "mov %s,%s", x, y); break;
    case 1:
        if (s->number < INT32_MIN || s->number > UINT32_MAX)
            add(t, "movabs %s,%lld", x, (long long)s->number);
        else
            add(t, "mov %s,%lld", s->number < 0 ? x : gp32[s->x], (long long)s->number);
        break;
    case 2: add_with_memory(t, "mov", s, pool, false); break;
    case 3: add_with_memory(t, "mov", s, pool, true); break;
    case 4:
    case 5:
    case 6: add_gp_part(t, kind, s, pool); break;
    case 7:
        add(t, "lea %s,", x);
        add_memory(t, 0, &s->m, 'r', pool);
        break;
    case 8: add(t, "%s %s,%s", alu, x, y); break;
    case 9: add(t, "%s %s,%d", alu, x, (int)(int32_t)s->number); break;
    case 10: add_with_memory(t, alu, s, pool, false); break;
    case 11: add_with_memory(t, alu, s, pool, true); break;
    case 12: add(t, "test %s,%s", x, y); break;
    case 13: add_with_memory(t, "imul", s, pool, false); break;
    case 14: add(t, "imul %s,%s", x, y); break;
    case 15: add(t, "shl %s,%d", x, s->count); break;
    case 16: add(t, "sar %s,%d", x, s->count); break;
    case 17: add(t, "shr %s,%d", x, s->count); break;
    case 18: add(t, "cmov%s %s,%s", conditions[s->condition], x, y); break;
    case 19: add(t, "bzhi %s,%s,%s", x, y, gp64[s->z]); break;
    case 20: add(t, "bt %s,%d", x, s->count); break;
    case 21: add(t, "call %s", x); break;
    case 22: add(t, "push %s", x); break;
    case 23: add(t, "pop %s", x); break;
    case 24: add(t, "ret"); break;
    case 29: add(t, "sfence"); break;
    case 30: add(t, "%s %s,%d", alu, x, (int)(int8_t)s->number); break;
    case 31: add(t, "ldtilecfg "), add_memory(t, 0, &s->m, 'r', pool); break;
    case 32: add(t, "tilerelease"); break;
    case 33: add(t, "tilezero tmm%d", s->x & 7); break;
    case 34: add(t, "tileloadd tmm%d,[%s+%s*1%+d]", s->x & 7, y, gp64[tile_stride(s)], s->m.disp); break;
    case 37: add(t, "tileloaddt1 tmm%d,[%s+%s*1%+d]", s->x & 7, y, gp64[tile_stride(s)], s->m.disp); break;
    case 35: add(t, "tilestored [%s+%s*1%+d],tmm%d", y, gp64[tile_stride(s)], s->m.disp, s->x & 7); break;
    case 36:
        add(t, "tdpb%c%cd tmm%d,tmm%d,tmm%d", "us"[s->count & 1], "us"[s->count >> 1 & 1], s -> x & 7, (s->x + 1) & 7,
            (s->x + 3) & 7);
        break;
    default: add(t, "prefetch%s ", hints[kind - 25]); add_memory(t, 1, &s->m, 'r', pool);
    }
}

static void add_gp(list *l, knh_asm *a, int kind)
{
    gp_sample s = random_gp();
    text t = {0};
    int32_t pool;
    knx_str listing = {0};
    knh_asm_reset(a);
    a->listing = &listing;
    encode_gp(a, kind, &s);
    a->listing = NULL;
    assert_false(a->failed);
    size_t n = finish(a, &pool);
    write_gp(&t, kind, &s, pool);
    check_listing(&listing, t.s, s.m.base < 0);
    knx_str_free(&listing);
    list_add(l, t.s, a->code.at, n);
}

/* rounds of all instructions, and wild ones of the vector instructions */
static void fill(list *l, uint64_t seed, int rounds, int gp_rounds, int wild)
{
    knh_asm a;
    knh_asm_init(&a);
    for (int id = 0; id < KNH_INSN_COUNT; id++) {
        random_state = seed; /* of its own for each row, so that a new row does not change the others */
        for (const char *s = knh_rows[id].name; *s; s++)
            random_state = (random_state ^ (uint8_t)*s) * 0x100000001B3u;
        for (int i = 0; i < rounds; i++) {
            sample s = random_sample((knh_insn)id);
            add_sample(l, &a, &s, false);
        }
        for (int i = 0; i < wild; i++) {
            sample s = wild_sample((knh_insn)id);
            add_sample(l, &a, &s, true);
        }
    }
    random_state = seed;
    for (int kind = 0; kind < GP_KINDS; kind++)
        for (int i = 0; i < gp_rounds; i++)
            add_gp(l, &a, kind);
    knh_asm_free(&a);
}

/* ---- The system's assembler. */

static char folder[64];

static const char *path(const char *name)
{
    static char paths[4][96];
    static int next;
    char *p = paths[next++ & 3];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static int run_tool(const char *format, ...)
{
    char command[512];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

static bool have_tools(void)
{
    return run_tool("as --version >/dev/null 2>&1 && objdump --version >/dev/null 2>&1") == 0;
}

static uint8_t *read_file(const char *name, size_t *n)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = malloc(*n + 1);
    assert_non_null(p);
    assert_int_equal(fread(p, 1, *n, f), *n);
    p[*n] = 0;
    fclose(f);
    return p;
}

static void write_file(const char *name, const uint8_t *p, size_t n)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
}

/* Where the bytes differ, both must read the same when they are disassembled: as knows shorter forms of some. */
static void compare_texts(uint8_t *ours, uint8_t *theirs, size_t n)
{
    static const char filter[] = "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn %s | "
                                 "grep -E '^ *[0-9a-f]*0:' | sed 's/ *#.*//' >%s";
    write_file(path("ours.bin"), ours, n * SLOT);
    write_file(path("theirs.bin"), theirs, n * SLOT);
    assert_int_equal(run_tool(filter, path("ours.bin"), path("ours.txt")), 0);
    assert_int_equal(run_tool(filter, path("theirs.bin"), path("theirs.txt")), 0);
    assert_int_equal(run_tool("diff %s %s | head -n 20 >&2; cmp -s %s %s", path("ours.txt"), path("theirs.txt"),
                              path("ours.txt"), path("theirs.txt")),
                     0);
}

static void same_as_the_systems_assembler(void **state)
{
    (void)state;
    if (!have_tools())
        skip();
    strcpy(folder, "/tmp/kiln-x86-XXXXXX");
    assert_non_null(mkdtemp(folder));
    list l = {.out = fopen(path("all.txt"), "w")};
    assert_non_null(l.out);
    fill(&l, 1, GOOD, GP_ROUNDS, WILD);
    fclose(l.out);
    assert_true(l.n > 60000);
    assert_int_equal(run_tool("(echo '.intel_syntax noprefix'; sed 's/$/\\n.balign 16,0xCC/' %s) | as -o %s - && "
                              "objcopy -O binary -j .text %s %s",
                              path("all.txt"), path("all.o"), path("all.o"), path("all.bin")),
                     0);
    size_t bytes, differ = 0;
    uint8_t *theirs = read_file(path("all.bin"), &bytes);
    assert_int_equal(bytes, l.n * SLOT);
    for (size_t i = 0; i < l.n; i++)
        if (memcmp(theirs + i * SLOT, l.bytes + i * SLOT, SLOT) != 0) {
            memmove(theirs + differ * SLOT, theirs + i * SLOT, SLOT);
            memmove(l.bytes + differ * SLOT, l.bytes + i * SLOT, SLOT);
            differ++;
        }
    print_message("%zu instructions, %zu with other bytes of the same meaning\n", l.n, differ);
    if (differ)
        compare_texts(l.bytes, theirs, differ);
    free(theirs);
    list_free(&l);
    run_tool("rm -r %s", folder);
}

/* ---- Its bytes, stored. */

/* tests/golden/x86.txt: "TEXT = BYTES". It lacks those whose bytes can be chosen in several ways. */
static void same_as_the_stored_bytes(void **state)
{
    (void)state;
    size_t text_bytes, golden_bytes, i = 0, compared = 0;
    char *texts = NULL, *golden = (char *)read_file(KN_TEST_DIR "/golden/x86.txt", &golden_bytes);
    list l = {.out = open_memstream(&texts, &text_bytes)};
    assert_non_null(l.out);
    fill(&l, 7, STORED, STORED, 0);
    fclose(l.out);
    char *rest = texts;
    for (char *line = strtok(golden, "\n"); line; line = strtok(NULL, "\n")) {
        char *hex = strstr(line, " = "), bytes[2 * SLOT + 1];
        if (!hex)
            continue;
        for (*hex = 0, hex += 3;; i++) { /* the next one with that text */
            char *end = strchr(rest, '\n');
            if (!end)
                fail_msg("the stored list has %s, which this test does not make", line);
            *end = 0;
            bool found = strcmp(rest, line) == 0;
            rest = end + 1;
            if (found)
                break;
        }
        for (int j = 0; j < l.length[i]; j++)
            snprintf(bytes + 2 * (size_t)j, 3, "%02x", l.bytes[i * SLOT + (size_t)j]);
        if (strcmp(bytes, hex) != 0)
            fail_msg("%s is %s, not %s", line, hex, bytes);
        i++;
        compared++;
    }
    assert_true(compared > 1000);
    list_free(&l);
    free(texts);
    free(golden);
}

KN_TEST_GROUP(test_codegen_x86)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_systems_assembler),
        cmocka_unit_test(same_as_the_stored_bytes),
    };
    if (argc > 1 && strcmp(argv[1], "--list") == 0) { /* for scripts/golden/make_x86.py */
        list l = {.out = stdout};
        fill(&l, 7, STORED, STORED, 0);
        list_free(&l);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
KN_TEST_GROUP(test_codegen_x86) { return 77; }
#endif

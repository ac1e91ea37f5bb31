/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_emit.c -- every operation of the kernel IR as instructions, for every dtype and target, against the
 * inner loops of the interpreter, bit for bit: with the result in a register of its own and in the operands' where that
 * is allowed, with operands in memory, with operands that are one element. No register that the operation was not given
 * may change. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VALUES = 2048, LANE_BYTES = 64, DUMP = 1024, TEST_BYTES = DUMP + 2 * MACHINE_DUMP };

typedef struct test {
    knh_form form;
    knk_inst nodes[4]; /* three operands and the operation */
    knh_needs needs;
    int count;       /* operands */
    int reg[3], dst; /* where they are */
    int temp[8], mask_temp[4];
    int memory, broadcast, over; /* an operand, or -1 */
    bool same;                   /* all operands are one register */
    int constant;                /* an operand that is a constant, or 0 */
    char name[160];
} test;
static knh_asm assembler;
static uint64_t seed = 1;

static int dtype_of(const test *t, int operand) { return t->nodes[operand].dtype; }

/* Registers for everything, no two the same, at random. */
static void choose_registers(test *t)
{
    int vectors = t->form.target == KNH_AVX512 ? 32 : 16, vector[32], mask[7];
    for (int i = 0; i < vectors; i++)
        vector[i] = i;
    for (int i = 0; i < 7; i++)
        mask[i] = i + 1;
    for (int i = vectors - 1; i; i--) {
        int j = (int)(element_random(&seed) % (uint64_t)(i + 1)), keep = vector[i];
        vector[i] = vector[j], vector[j] = keep;
    }
    for (int i = 6; i; i--) {
        int j = (int)(element_random(&seed) % (uint64_t)(i + 1)), keep = mask[i];
        mask[i] = mask[j], mask[j] = keep;
    }
    int v = 0, m = 0;
    for (int i = 0; i < t->count; i++) {
        bool k = knh_is_mask(&t->form, dtype_of(t, i));
        t->reg[i] = t->same && i ? t->reg[i - 1] : k ? mask[m++] : vector[v++];
    }
    t->dst = t->over >= 0 ? t->reg[t->over] : knh_is_mask(&t->form, t->nodes[3].dtype) ? mask[m++] : vector[v++];
    for (int i = 0; i < t->needs.temps; i++)
        t->temp[i] = vector[v++];
    for (int i = 0; i < t->needs.mask_temps; i++)
        t->mask_temp[i] = mask[m++];
}

/* load the operands; the operation; store the result, and all registers before and after */
static machine_code *generate(test *t)
{
    static const int gp[] = {KNH_RAX, KNH_R10, KNH_R11, KNH_R9}, argument[] = {KNH_RDI, KNH_RSI, KNH_RDX};
    const knh_tail whole = {.on = false};
    knh_asm *a = &assembler;
    knh_asm_reset(a);
    knh_operand src[3] = {knh_reg(0), knh_reg(0), knh_reg(0)}, scratch = knh_at(KNH_R8, 0);
    /* loading wants two registers: those of later operands and the result */
    for (int i = 0; i < t->count; i++) {
        int free[2], n = 0;
        for (int r = 0; n < 2; r++) {
            bool used = false;
            for (int j = 0; j < i; j++)
                used |= r == t->reg[j] && !knh_is_mask(&t->form, dtype_of(t, j));
            if (!used && r != t->reg[i])
                free[n++] = r;
        }
        knh_emit_load(a, &t->form, dtype_of(t, i), t->reg[i], knh_at(argument[i], 0), &whole, free, gp, scratch);
        src[i] = knh_reg(t->reg[i]);
    }
    if (t->memory >= 0) { /* the operand as a spilled value; its register may not matter any more */
        knh_spill(a, &t->form, dtype_of(t, t->memory), knh_at(KNH_R8, 256), t->reg[t->memory]);
        knh_emit_constant(a, &t->form, dtype_of(t, t->memory), t->reg[t->memory], 0, gp[0]);
        src[t->memory] = knh_at(KNH_R8, 256);
    }
    if (t->broadcast >= 0) {
        knh_spill(a, &t->form, dtype_of(t, t->broadcast), knh_at(KNH_R8, 256), t->reg[t->broadcast]);
        knh_emit_constant(a, &t->form, dtype_of(t, t->broadcast), t->reg[t->broadcast], 0, gp[0]);
        src[t->broadcast] = knh_at(KNH_R8, 256);
        src[t->broadcast].broadcast = true;
    }
    machine_dump(a, &t->form, KNH_R8, DUMP);
    knh_emit_op(a, &t->form, &t->nodes[3], t->nodes, t->dst, src, t->temp, t->mask_temp, gp);
    machine_dump(a, &t->form, KNH_R8, DUMP + MACHINE_DUMP);
    int free[2], n = 0;
    for (int r = 0; n < 2; r++)
        if (r != t->dst)
            free[n++] = r;
    knh_emit_store(a, &t->form, t->nodes[3].dtype, t->dst, knh_at(KNH_RCX, 0), &whole, false, free, gp, scratch);
    knh_v(a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_ret(a);
    return machine_run(a, t->name);
}

static void check_registers(const test *t, const char *block)
{
    uint32_t vectors = 0, masks = 0;
    *(knh_is_mask(&t->form, t->nodes[3].dtype) ? &masks : &vectors) |= 1u << t->dst;
    for (int i = 0; i < t->needs.temps; i++)
        vectors |= 1u << t->temp[i];
    for (int i = 0; i < t->needs.mask_temps; i++)
        masks |= 1u << t->mask_temp[i];
    const int r = machine_changed(&t->form, block + DUMP, block + DUMP + MACHINE_DUMP, vectors, masks);
    if (r >= 0)
        fail_msg("%s: register %d changed (result %d)", t->name, r, t->dst);
}

/* Small integers are extended, bools of AVX2 are all ones or all zeros. */
static void check_lanes(const test *t, const char *block, const void *want)
{
    const int dtype = t->nodes[3].dtype, size = knk_size(dtype);
    const bool boolean = dtype == KN_ID_BOOL;
    if (knh_is_mask(&t->form, dtype) || knk_is_half_id(dtype) || size > 2)
        return;
    for (int i = 0; i < t->form.lanes; i++) {
        int32_t lane, value = 0;
        memcpy(&lane, block + DUMP + MACHINE_DUMP + 64 * t->dst + 4 * i, sizeof lane);
        memcpy(&value, (const char *)want + i * size, (size_t)size);
        if (boolean)
            value = -value;
        else if (knk_is_signed_id(dtype))
            value = (int32_t)((uint32_t)value << (32 - 8 * size)) >> (32 - 8 * size);
        if (lane != value)
            fail_msg("%s: lane %d is %08x instead of %08x", t->name, i, (unsigned)lane, (unsigned)value);
    }
}

static void expect(const test *t, void *want, const char *const in[3], int n)
{
    const knk_inst *op = &t->nodes[3];
    int d = dtype_of(t, op->op == KNK_SELECT), row = op->op == KNK_CAST ? KNK_LOOP_OPS + d : op->op;
    if (op->op == KNK_BITCAST) {
        memcpy(want, in[0], (size_t)(n * knk_size(d)));
        return;
    }
    knk_loop *loop = knk_lane_loop(row, op->op == KNK_CAST ? op->dtype : d, 0);
    if (!loop)
        fail_msg("%s: the interpreter has no loop for it", t->name);
    loop(want, in[0], in[1], in[2], (size_t)n);
}

static void fail_at(const test *t, const char *const in[3], const char *got, const char *want, int i)
{
    char text[400];
    int at = snprintf(text, sizeof text, "%s:", t->name);
    for (int j = 0; j < t->count + 2; j++) {
        int d = j < t->count ? dtype_of(t, j) : t->nodes[3].dtype, size = knk_size(d);
        uint64_t v = 0;
        const char *from = j < t->count ? in[j] : j == t->count ? got : want;
        memcpy(&v, from + i * size, (size_t)size);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%llx",
                       j == t->count  ? " gives "
                       : j > t->count ? " not "
                                      : " ",
                       (unsigned long long)v);
    }
    fail_msg("%s", text);
}

/* Runs the function on n elements, piece by piece. */
static void run(const test *t, machine_code *code, const char *const in[3], int n)
{
    static char out[VALUES * 8], want[VALUES * 8], block[TEST_BYTES] __attribute__((aligned(64)));
    const int lanes = t->form.lanes, dtype = t->nodes[3].dtype, size = knk_size(dtype);
    for (int at = 0; at + lanes <= n; at += lanes) {
        const char *piece[3];
        char repeated[3][LANE_BYTES * 2];
        for (int j = 0; j < 3; j++) {
            const int s = j < t->count ? knk_size(dtype_of(t, j)) : 0;
            piece[j] = in[t->same ? 0 : j] + at * s;
            if (j == t->broadcast || (t->constant && j == t->constant)) {
                const void *from = j == t->constant ? (const char *)&t->nodes[j].imm : piece[j];
                for (int l = 0; l < lanes; l++)
                    memmove(repeated[j] + l * s, from, (size_t)s);
                piece[j] = repeated[j];
            }
        }
        expect(t, want + at * size, piece, lanes);
        code(piece[0], piece[1], piece[2], out + at * size, block, lanes);
        int i = element_differs(dtype, out + at * size, want + at * size, lanes);
        if (i >= 0)
            fail_at(t, piece, out + at * size, want + at * size, i);
        check_lanes(t, block, want + at * size);
        check_registers(t, block);
    }
}

/* Values that the operation is defined for. */
static void domain(const test *t, char *const in[3])
{
    const int d = dtype_of(t, 1);
    if (t->nodes[3].op != KNK_SCALB)
        return;
    for (int i = 0; i < VALUES; i++) {
        const uint64_t r = element_random(&seed);
        double p = 0.5 + (double)(r >> 12) * 0x1p-52, n = (double)(int)(r % 4401) - 2200;
        if (r % 7 == 0)
            n = (int)(r % 301) - 150;
        p = i % 37 == 0 ? 0 : i % 37 == 1 ? 2 : i % 37 == 2 ? __builtin_inf() : i % 37 == 3 ? __builtin_nan("") : p;
        p = r & 8 ? -p : p;
        const float p32 = (float)p, n32 = (float)n;
        memcpy(in[0] + i * knk_size(d), d == KN_ID_F64 ? (void *)&p : (void *)&p32, (size_t)knk_size(d));
        memcpy(in[1] + i * knk_size(d), d == KN_ID_F64 ? (void *)&n : (void *)&n32, (size_t)knk_size(d));
    }
}

/* Dividends next to multiples of the divisor. */
static void divisions(const test *t, char *const in[3])
{
    const int size = knk_size(dtype_of(t, 0)), op = t->nodes[3].op;
    if ((op != KNK_DIV && op != KNK_REM) || !knk_is_int_id(dtype_of(t, 0)))
        return;
    for (int i = 0; i < VALUES; i += 2) {
        uint64_t y = 0, r = element_random(&seed), x;
        memcpy(&y, in[1] + i * size, (size_t)size);
        x = y * (r >> 8 >> r % 56) + (r >> 4) % 3 - 1;
        memcpy(in[0] + i * size, &x, (size_t)size);
    }
}

static void shifts(const test *t, char *const in[3])
{
    const int op = t->nodes[3].op, size = knk_size(dtype_of(t, 1));
    if (op != KNK_SHL && op != KNK_SHR && op != KNK_SAR)
        return;
    for (int i = 0; i < VALUES; i++) {
        uint64_t r = element_random(&seed), count = r % 8 ? (r >> 8) % (uint64_t)(8 * size + 3) : r >> 8;
        memcpy(in[1] + i * size, &count, (size_t)size);
    }
}

static void try_form(test *t, const char *how, int n)
{
    static char in[3][VALUES * 8] __attribute__((aligned(64)));
    char *const to[3] = {in[0], in[1], in[2]};
    const char *const from[3] = {in[0], in[1], in[2]};
    const int op = t->nodes[3].op;
    snprintf(t->name, sizeof t->name, "%s %s -> %s, %s, %d lanes, %s", knk_op_table[op].name,
             knx_dtype_table[dtype_of(t, op == KNK_SELECT)].name, knx_dtype_table[t->nodes[3].dtype].name,
             t->form.target == KNH_AVX512 ? "AVX-512" : "AVX2", t->form.lanes, how);
    for (int i = 0; i < t->count; i++)
        element_values(dtype_of(t, i), in[i], VALUES, &seed);
    domain(t, to);
    shifts(t, to);
    divisions(t, to);
    choose_registers(t);
    run(t, generate(t), from, n);
}

/* All ways to have the operands of one operation. */
static void try_ways(test *t)
{
    char how[80];
    t->memory = t->broadcast = t->over = -1;
    for (int i = 0; i < (t->nodes[3].op == KNK_CAST ? 24 : 1); i++) /* casts have the rarest cases */
        try_form(t, "registers", VALUES);
    for (int i = 0; i < t->count; i++) {
        if (t->needs.over >> i & 1) {
            snprintf(how, sizeof how, "result over operand %d", i);
            t->over = i;
            assert_int_equal(knh_is_mask(&t->form, dtype_of(t, i)), knh_is_mask(&t->form, t->nodes[3].dtype));
            try_form(t, how, VALUES);
        }
        for (int over = -1; over < t->count; over++) {
            t->over = over;
            if (over == i || (over >= 0 && !(t->needs.over >> over & 1)))
                continue;
            snprintf(how, sizeof how, "operand %d in memory, result over %d", i, over);
            t->memory = t->needs.memory >> i & 1 ? i : -1;
            if (t->memory >= 0)
                try_form(t, how, VALUES / 4);
            t->memory = -1;
            snprintf(how, sizeof how, "operand %d broadcast, result over %d", i, over);
            t->broadcast = t->needs.broadcast >> i & 1 ? i : -1;
            if (t->broadcast >= 0)
                try_form(t, how, VALUES / 4);
            t->broadcast = -1;
        }
        t->over = -1;
    }
    bool alike = t->count > 1;
    for (int i = 1; i < t->count; i++)
        alike &= dtype_of(t, i) == dtype_of(t, 0);
    if (!alike || t->constant || t->nodes[3].op == KNK_SCALB)
        return;
    t->same = true;
    try_form(t, "one register for all operands", VALUES / 4);
    const int all = (1 << t->count) - 1;
    t->over = (t->needs.over & all) == all ? 0 : -1;
    if (t->over == 0)
        try_form(t, "one register for all operands and the result", VALUES / 4);
    t->same = false;
}

static void try_constant_counts(test *t)
{
    const int size = knk_size(dtype_of(t, 1));
    const uint64_t counts[] = {0,
                               1,
                               (uint64_t)(4 * size),
                               (uint64_t)(8 * size - 1),
                               (uint64_t)(8 * size),
                               (uint64_t)(8 * size + 1),
                               31,
                               32,
                               63,
                               64,
                               127,
                               UINT64_MAX >> (64 - 8 * size)};
    t->memory = t->broadcast = t->over = -1;
    t->constant = 1;
    t->nodes[1].op = KNK_CONST;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        t->nodes[1].imm = counts[i];
        t->over = i % 2 ? 0 : -1;
        try_form(t, "a constant count", VALUES / 8);
    }
    t->constant = 0;
    t->nodes[1].op = KNK_LOAD;
}

static void try_selected_zero(test *t)
{
    for (int zero = 1; zero < 3; zero++) {
        t->constant = zero;
        t->nodes[zero].op = KNK_CONST;
        t->nodes[zero].imm = 0;
        t->needs = knh_emit_needs(&t->form, &t->nodes[3], t->nodes);
        try_ways(t);
        t->nodes[zero].op = KNK_LOAD;
    }
    t->constant = 0;
}

/* --- coverage --- */

typedef struct tally {
    int tested, helpers;
    char helper_names[4000];
} tally;

static bool wide_dtype(int d) { return knk_size(d) == 8; }

static void try_op(tally *all, const knh_form *f, int op, int from, int to)
{
    test t = {.form = *f, .count = knk_op_table[op].n_operands};
    for (int i = 0; i < 3; i++)
        t.nodes[i] = (knk_inst){.op = KNK_LOAD, .dtype = (uint8_t)from, .a = KNK_NONE, .b = KNK_NONE, .c = KNK_NONE};
    if (op == KNK_SELECT)
        t.nodes[0].dtype = KN_ID_BOOL;
    t.nodes[3] = (knk_inst){.op = (uint8_t)op,
                            .dtype = (uint8_t)to,
                            .a = 0,
                            .b = t.count > 1 ? 1 : KNK_NONE,
                            .c = t.count > 2 ? 2 : KNK_NONE,
                            .buffer = KNK_NONE,
                            .map = KNK_NONE};
    if (knk_form_error(&t.nodes[3], t.nodes))
        return;
    if ((wide_dtype(from) || wide_dtype(to)) && f->lanes == (f->target == KNH_AVX512 ? 16 : 8))
        return; /* a stage with 64-bit values has the other form */
    t.needs = knh_emit_needs(f, &t.nodes[3], t.nodes);
    if (t.needs.helper) {
        char name[80];
        snprintf(name, sizeof name, "%s %s%s%s, ", knk_op_table[op].name, knx_dtype_table[from].name,
                 op == KNK_CAST ? " to " : "", op == KNK_CAST ? knx_dtype_table[to].name : "");
        if (!strstr(all->helper_names, name)) {
            strncat(all->helper_names, name, sizeof all->helper_names - strlen(all->helper_names) - 1);
            all->helpers++;
        }
        return;
    }
    assert_true(t.needs.temps <= 3 && t.needs.mask_temps <= 1 && t.needs.gp_temps <= 1);
    try_ways(&t);
    if (op == KNK_SHL || op == KNK_SHR || op == KNK_SAR)
        try_constant_counts(&t);
    if (op == KNK_SELECT)
        try_selected_zero(&t);
    all->tested++;
}

static void every_operation_gives_the_bits_of_the_interpreter(void **state)
{
    (void)state;
    tally all = {0};
    bool ran = false;
    for (int i = 0; i < 4; i++) {
        const knh_form *f = &machine_form[i];
        if (!machine_has(f))
            continue;
        ran = true;
        for (int op = KNK_ADD; op < KNK_LOOP; op++)
            for (int from = 0; from <= KN_ID_F64; from++)
                for (int to = 0; to <= KN_ID_F64; to++)
                    try_op(&all, f, op, from, to);
    }
    if (!ran)
        skip();
    print_message("%d forms tested; %d operations are helpers: %s\n", all.tested, all.helpers, all.helper_names);
    /* division and remainder of the two 64-bit integers, remainder of the two floats */
    assert_int_equal(all.helpers, 2 + 2 + 2);
    assert_null(strstr(all.helper_names, "cast"));
}

static void every_half_converts_as_in_the_interpreter(void **state)
{
    (void)state;
    static uint16_t all[1 << 16];
    for (int i = 0; i < 1 << 16; i++)
        all[i] = (uint16_t)i;
    for (int i = 0; i < 4; i++)
        for (int from = KN_ID_F16; from <= KN_ID_BF16; from++)
            for (int to = 0; to <= KN_ID_F64; to++) {
                const knh_form *f = &machine_form[i];
                if (!machine_has(f) || (wide_dtype(to) && f->lanes == (f->target == KNH_AVX512 ? 16 : 8)))
                    continue;
                test t = {.form = *f, .count = 1, .memory = -1, .broadcast = -1, .over = -1};
                t.nodes[0] = (knk_inst){.op = KNK_LOAD, .dtype = (uint8_t)from};
                t.nodes[3] = (knk_inst){.op = KNK_CAST, .dtype = (uint8_t)to, .b = KNK_NONE, .c = KNK_NONE};
                t.needs = knh_emit_needs(f, &t.nodes[3], t.nodes);
                choose_registers(&t);
                snprintf(t.name, sizeof t.name, "all of %s to %s", knx_dtype_table[from].name,
                         knx_dtype_table[to].name);
                machine_code *code = generate(&t);
                for (int at = 0; at < 1 << 16; at += VALUES) {
                    const char *in[3] = {(const char *)&all[at], NULL, NULL};
                    run(&t, code, in, VALUES);
                }
            }
}

KN_TEST_GROUP(test_codegen_emit)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_gives_the_bits_of_the_interpreter),
        cmocka_unit_test(every_half_converts_as_in_the_interpreter),
    };
    return cmocka_run_group_tests_name("codegen_emit", tests, NULL, NULL);
}

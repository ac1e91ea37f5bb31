/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_memory.c -- generated loads, stores, gathers and scatters touch the elements that exist and no others
 * (the elements lie at the edge of mapped memory), for every dtype and target; constants, and the joining of lanes. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 16, BLOCK = 512 + 2 * MACHINE_DUMP };
static knh_asm assembler;
static uint64_t seed = 1;
static char block[BLOCK] __attribute__((aligned(64)));
static const int gp[] = {KNH_RAX, KNH_R10, KNH_R11, KNH_RDX};
static const knh_tail whole = {.on = false};

static bool fits(const knh_form *f, int dtype)
{
    return machine_has(f) && (knk_size(dtype) < 8 || f->lanes == (f->target == KNH_AVX512 ? 8 : 4));
}

static const char *name_of(const knh_form *f, int dtype, const char *what)
{
    static char text[120];
    snprintf(text, sizeof text, "%s of %s, %s, %d lanes", what, knx_dtype_table[dtype].name,
             f->target == KNH_AVX512 ? "AVX-512" : "AVX2", f->lanes);
    return text;
}

static knh_asm *start(void)
{
    knh_asm_reset(&assembler);
    return &assembler;
}

static machine_code *finish(const knh_form *f, int dtype, const char *what)
{
    knh_v(&assembler, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_ret(&assembler);
    return machine_run(&assembler, name_of(f, dtype, what));
}

#define FOR_FORMS(f, dtype)                                           \
    for (const knh_form *f = machine_form; f < machine_form + 4; f++) \
        for (int dtype = KN_ID_BOOL; dtype <= KN_ID_F64; dtype++)     \
            if (fits(f, dtype))

/* --- loads and stores --- */

/* Loads from a and stores to out; register 5 (a mask: k5) holds the value. High registers too, where there are any. */
static machine_code *copier(const knh_form *f, int dtype, bool tail, bool nontemporal)
{
    const bool wide = f->target == KNH_AVX512;
    const int reg = knh_is_mask(f, dtype) ? 5 : wide ? 25 : 5, temp[] = {wide ? 26 : 6, 7};
    const knh_tail t = {.on = tail, .mask = 3, .mask4 = 8, .mask8 = 9, .count = KNH_R9};
    const knh_operand scratch = knh_at(KNH_R8, 0);
    knh_asm *a = start();
    machine_tail(a, f, &t, KNH_R9, KNH_RAX);
    knh_emit_load(a, f, dtype, reg, knh_at(KNH_RDI, 0), &t, temp, gp, scratch);
    machine_dump(a, f, KNH_R8, 512);
    knh_emit_store(a, f, dtype, reg, knh_at(KNH_RCX, 0), &t, nontemporal, temp, gp, scratch);
    machine_dump(a, f, KNH_R8, 512 + MACHINE_DUMP);
    return finish(f, dtype, "copy");
}

/* Lanes that do not exist are zero after a load; small integers are extended. */
static void check_loaded(const knh_form *f, int dtype, const char *in, int count)
{
    const bool wide = f->target == KNH_AVX512, mask = knh_is_mask(f, dtype);
    const int size = knk_size(dtype), lane = knk_is_half_id(dtype) ? 2 : size == 8 ? 8 : 4;
    const char *reg = block + 512 + 64 * (mask ? 37 : wide ? 25 : 5);
    for (int i = 0; i < f->lanes; i++) {
        int64_t got = 0, want = 0;
        memcpy(&got, mask ? reg : reg + i * lane, mask ? 2 : (size_t)lane);
        if (i < count)
            memcpy(&want, in + i * size, (size_t)size);
        if (mask)
            got = got >> i & 1;
        else if (dtype == KN_ID_BOOL)
            want = want ? UINT32_MAX : 0;
        else if (knk_is_signed_id(dtype))
            want = (int64_t)((uint64_t)want << (64 - 8 * size)) >> (64 - 8 * size) &
                   (lane == 4 ? (int64_t)UINT32_MAX : -1);
        if (got != want)
            fail_msg("%s: lane %d of %d", name_of(f, dtype, "load"), i, count);
    }
}

static void check_copy(const knh_form *f, int dtype, machine_code *code, int count, bool at_end)
{
    const int size = knk_size(dtype), bytes = count * size, room = 1024;
    static char values[LANES * 8], want[1024];
    char *edge = element_edge(bytes, at_end), *out = want; /* both lie at the edge, one after the other */
    element_values(dtype, values, LANES, &seed);
    memcpy(edge, values, (size_t)bytes);
    char target[1024];
    memset(target, 0x5a, sizeof target);
    memset(want, 0x5a, sizeof want);
    memcpy(want + 512, values, (size_t)bytes);
    code(edge, NULL, NULL, target + 512, block, count);
    check_loaded(f, dtype, values, count);
    if (memcmp(target, out, (size_t)room))
        fail_msg("%s: %d elements", name_of(f, dtype, "copy"), count);
    memset(edge, 0, (size_t)bytes);
    code(values, NULL, NULL, edge, block, count); /* the store at the edge */
    if (memcmp(edge, values, (size_t)bytes))
        fail_msg("%s: %d elements at the edge", name_of(f, dtype, "store"), count);
    const bool wide = f->target == KNH_AVX512;
    const int r = machine_changed(f, block + 512, block + 512 + MACHINE_DUMP, 1u << (wide ? 26 : 6) | 1u << 7, 0);
    if (r >= 0)
        fail_msg("%s: register %d changed", name_of(f, dtype, "store"), r);
}

static void loads_and_stores_touch_nothing_else(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    {
        machine_code *code = copier(f, dtype, true, false);
        for (int count = 0; count <= f->lanes; count++)
            for (int at_end = 0; at_end < 2; at_end++)
                check_copy(f, dtype, code, count, at_end);
        code = copier(f, dtype, false, false);
        for (int at_end = 0; at_end < 2; at_end++)
            check_copy(f, dtype, code, f->lanes, at_end);
    }
}

static void stores_around_the_cache_store_the_same(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    {
        static char values[LANES * 8] __attribute__((aligned(64))), out[LANES * 8] __attribute__((aligned(64)));
        element_values(dtype, values, LANES, &seed);
        memset(out, 0, sizeof out);
        copier(f, dtype, false, true)(values, NULL, NULL, out, block, f->lanes);
        assert_memory_equal(out, values, (size_t)(f->lanes * knk_size(dtype)));
    }
}

/* --- one element --- */

static void one_element_fills_all_lanes(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    for (int i = 0; i < 40; i++) {
        const int size = knk_size(dtype), temp[] = {6, 7};
        const bool wide = f->target == KNH_AVX512;
        const int reg = knh_is_mask(f, dtype) || !wide ? 5 : 31;
        char *value = element_edge(size, true);
        uint64_t bits = 0;
        char splat[LANES * 8], constant[LANES * 8];
        element_values(dtype, value, 1, &seed);
        if (i == 0)
            memset(value, 0, (size_t)size);
        memcpy(&bits, value, (size_t)size);
        knh_asm *a = start();
        knh_emit_splat(a, f, dtype, reg, knh_at(KNH_RDI, 0), temp[0], gp[0]);
        knh_emit_store(a, f, dtype, reg, knh_at(KNH_RSI, 0), &whole, false, temp, gp, knh_at(KNH_R8, 0));
        knh_emit_constant(a, f, dtype, reg, bits, gp[0]);
        knh_emit_store(a, f, dtype, reg, knh_at(KNH_RCX, 0), &whole, false, temp, gp, knh_at(KNH_R8, 0));
        finish(f, dtype, "one element")(value, splat, NULL, constant, block, 0);
        for (int l = 0; l < f->lanes; l++) {
            assert_memory_equal(splat + l * size, value, (size_t)size);
            assert_memory_equal(constant + l * size, value, (size_t)size);
        }
    }
}

/* A constant as a memory operand: read back whole, and as the operand of an addition or an or. */
static void constants_are_operands(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    {
        uint64_t bits = 0;
        const int size = knk_size(dtype), temp[] = {6, 7};
        char out[LANES * 8];
        element_values(dtype, &bits, 1, &seed);
        knh_asm *a = start();
        const knh_operand o = knh_constant(a, f, dtype, bits, false);
        assert_int_equal(o.memory, !knh_is_mask(f, dtype));
        if (!o.memory)
            continue;
        knh_reload(a, f, dtype, 1, o);
        knh_emit_store(a, f, dtype, 1, knh_at(KNH_RCX, 0), &whole, false, temp, gp, knh_at(KNH_R8, 0));
        finish(f, dtype, "constant")(NULL, NULL, NULL, out, block, 0);
        for (int l = 0; l < f->lanes; l++)
            assert_memory_equal(out + l * size, &bits, (size_t)size);
    }
}

static void values_survive_spills_and_moves(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    {
        const int size = knk_size(dtype), temp[] = {6, 7},
                  high = f->target == KNH_AVX512 && dtype != KN_ID_BOOL ? 30 : 4;
        char in[LANES * 8], out[LANES * 8];
        element_values(dtype, in, LANES, &seed);
        knh_asm *a = start();
        knh_emit_load(a, f, dtype, 1, knh_at(KNH_RDI, 0), &whole, temp, gp, knh_at(KNH_R8, 0));
        knh_move(a, f, dtype, high, 1);
        knh_spill(a, f, dtype, knh_at(KNH_R8, 64), high);
        knh_emit_constant(a, f, dtype, high, 0, gp[0]);
        knh_reload(a, f, dtype, 2, knh_at(KNH_R8, 64));
        knh_emit_store(a, f, dtype, 2, knh_at(KNH_RCX, 0), &whole, false, temp, gp, knh_at(KNH_R8, 0));
        memset(block, 0x77, sizeof block);
        finish(f, dtype, "spill")(in, NULL, NULL, out, block, 0);
        assert_memory_equal(out, in, (size_t)(f->lanes * size));
        assert_int_equal(block[64 + knh_value_bytes(f, dtype)], 0x77);
    }
}

/* --- gathers and scatters --- */

typedef struct places {
    knh_form form;
    int dtype;
    bool pred, other, tail, over;
} places;
enum { FAR = 20 };

static machine_code *gatherer(const places *p)
{
    const bool wide = p->form.target == KNH_AVX512;
    const int temp[] = {6, 7}, k = 2, index = wide ? 20 : 3, mask = knh_is_mask(&p->form, KN_ID_BOOL);
    const int pred = mask ? 4 : 10, value = knh_is_mask(&p->form, p->dtype) ? 6 : 11;
    const int dst = p->over && !knh_is_mask(&p->form, p->dtype) ? index : knh_is_mask(&p->form, p->dtype) ? 5 : 5;
    const knh_tail t = {.on = p->tail, .mask = 3, .mask4 = 8, .mask8 = 9, .count = KNH_R9};
    const knh_operand scratch = knh_at(KNH_R8, 0);
    knh_asm *a = start();
    machine_tail(a, &p->form, &t, KNH_R9, KNH_RAX);
    knh_emit_load(a, &p->form, KN_ID_I64, index, knh_at(KNH_RSI, 0), &whole, temp, gp, scratch);
    knh_emit_load(a, &p->form, KN_ID_BOOL, pred, knh_at(KNH_RDX, 0), &whole, temp, gp, scratch);
    knh_emit_load(a, &p->form, p->dtype, value, knh_at(KNH_RDX, 64), &whole, temp, gp, scratch);
    machine_dump(a, &p->form, KNH_R8, 512);
    knh_emit_gather(a, &p->form, p->dtype, dst, KNH_RDI, index, p->pred ? pred : -1, p->other ? value : -1, &t, temp,
                    &k, gp, scratch);
    machine_dump(a, &p->form, KNH_R8, 512 + MACHINE_DUMP);
    knh_emit_store(a, &p->form, p->dtype, dst, knh_at(KNH_RCX, 0), &whole, false, temp, gp, scratch);
    return finish(&p->form, p->dtype, "gather");
}

static void check_gather(const places *p)
{
    const int size = knk_size(p->dtype), lanes = p->form.lanes;
    char *from = element_edge((2 * FAR + 1) * size, true), rest[64 + LANES * 8], out[LANES * 8];
    machine_code *code = gatherer(p);
    for (int round = 0; round < 20; round++) {
        int64_t index[LANES];
        int count = p->tail ? round % (lanes + 1) : lanes;
        element_values(p->dtype, from, 2 * FAR + 1, &seed);
        element_values(KN_ID_BOOL, rest, 64, &seed);
        element_values(p->dtype, rest + 64, LANES, &seed);
        for (int i = 0; i < lanes; i++) {
            const bool wanted = i < count && (!p->pred || rest[i]);
            index[i] = wanted ? (int64_t)(element_random(&seed) % (2 * FAR + 1)) - FAR : INT64_MAX / 100;
        }
        code(from + FAR * size, index, rest, out, block, count);
        for (int i = 0; i < lanes; i++) {
            static const uint64_t zero = 0;
            const bool wanted = i < count && (!p->pred || rest[i]);
            const void *want = wanted     ? from + (index[i] + FAR) * size
                               : p->other ? (const void *)(rest + 64 + i * size)
                                          : &zero;
            if (memcmp(out + i * size, want, (size_t)size))
                fail_msg("%s: lane %d of %d, pred %d other %d over %d", name_of(&p->form, p->dtype, "gather"), i, count,
                         p->pred, p->other, p->over);
        }
        const bool k = knh_is_mask(&p->form, p->dtype);
        const uint32_t dst = k ? 0 : 1u << (p->over ? p->form.target == KNH_AVX512 ? 20 : 3 : 5);
        const int r = machine_changed(&p->form, block + 512, block + 512 + MACHINE_DUMP, dst | 3u << 6,
                                      (k ? 1u << 5 : 0) | 1u << 2);
        if (r >= 0)
            fail_msg("%s: register %d changed", name_of(&p->form, p->dtype, "gather"), r);
    }
}

static void gathers_read_the_wanted_elements_only(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    for (int bits = 0; bits < 16 && fits(f, KN_ID_I64); bits++) {
        const places p = {*f, dtype, bits & 1, bits & 2, bits & 4, bits & 8};
        check_gather(&p);
    }
}

static void scatters_write_in_order(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    for (int tail = 0; tail < 2 && fits(f, KN_ID_I64); tail++) {
        const int temp[] = {6, 7}, size = knk_size(dtype);
        const knh_tail t = {.on = tail, .mask = 3, .mask4 = 8, .mask8 = 9, .count = KNH_R9};
        const knh_operand scratch = knh_at(KNH_R8, 0);
        knh_asm *a = start();
        machine_tail(a, f, &t, KNH_R9, KNH_RAX);
        knh_emit_load(a, f, KN_ID_I64, 2, knh_at(KNH_RSI, 0), &whole, temp, gp, scratch);
        knh_emit_load(a, f, dtype, 1, knh_at(KNH_RDI, 0), &whole, temp, gp, scratch);
        machine_dump(a, f, KNH_R8, 512);
        knh_emit_scatter(a, f, dtype, 1, KNH_RCX, 2, &t, temp, gp, scratch);
        machine_dump(a, f, KNH_R8, 512 + MACHINE_DUMP);
        machine_code *code = finish(f, dtype, "scatter");
        for (int round = 0; round < 50; round++) {
            char in[LANES * 8], out[(2 * FAR + 1) * 8], want[(2 * FAR + 1) * 8];
            int64_t index[LANES];
            const int count = tail ? round % (f->lanes + 1) : f->lanes;
            element_values(dtype, in, LANES, &seed);
            memset(out, 0x33, sizeof out);
            memset(want, 0x33, sizeof want);
            for (int i = 0; i < f->lanes; i++) { /* with repetitions */
                index[i] = i < count ? (int64_t)(element_random(&seed) % 7) - 3 : INT64_MAX / 100;
                if (i < count)
                    memcpy(want + (index[i] + FAR) * size, in + i * size, (size_t)size);
            }
            code(in, index, NULL, out + FAR * size, block, count);
            assert_memory_equal(out, want, sizeof out);
            assert_int_equal(machine_changed(f, block + 512, block + 512 + MACHINE_DUMP, 3u << 6, 0), -1);
        }
    }
}

/* --- reductions --- */

static bool is_reduced(int how, int dtype)
{
    return !knk_is_half_id(dtype) && !(knk_is_float_id(dtype) && how >= KNK_RED_AND);
}

static void combine(int how, int dtype, void *d, const void *left, const void *right, int n)
{
    knk_join(how, dtype)(d, left, right, NULL, (size_t)n);
}

/* how: 0 the result in a register of its own, 1 over the left one; + 2: the right one in memory */
static void check_combine(const knh_form *f, int dtype, knk_reduction how, int way)
{
    const bool mask = knh_is_mask(f, dtype), wide = f->target == KNH_AVX512;
    const int temp[] = {6, 7}, left = 1, right = mask || !wide ? 2 : 22, dst = way & 1 ? left : 3, k = 5;
    const knh_operand scratch = knh_at(KNH_R8, 0);
    knh_asm *a = start();
    knh_emit_load(a, f, dtype, left, knh_at(KNH_RDI, 0), &whole, temp, gp, scratch);
    knh_emit_load(a, f, dtype, right, knh_at(KNH_RSI, 0), &whole, temp, gp, scratch);
    knh_spill(a, f, dtype, knh_at(KNH_R8, 256), right);
    machine_dump(a, f, KNH_R8, 512);
    knh_emit_combine(a, f, how, dtype, dst, left, way & 2 ? knh_at(KNH_R8, 256) : knh_reg(right), temp[0], k);
    machine_dump(a, f, KNH_R8, 512 + MACHINE_DUMP);
    knh_emit_store(a, f, dtype, dst, knh_at(KNH_RCX, 0), &whole, false, temp, gp, scratch);
    machine_code *code = finish(f, dtype, "combine");
    for (int i = 0; i < 300; i++) {
        char l[LANES * 8], r[LANES * 8], out[LANES * 8], want[LANES * 8];
        element_values(dtype, l, LANES, &seed);
        element_values(dtype, r, LANES, &seed);
        combine((int)how, dtype, want, l, r, f->lanes);
        code(l, r, NULL, out, block, 0);
        if (element_differs(dtype, out, want, f->lanes) >= 0)
            fail_msg("%s: %s, way %d", name_of(f, dtype, "combine"), knk_reduction_name[how], way);
        const uint32_t bit = 1u << dst;
        const int changed = machine_changed(f, block + 512, block + 512 + MACHINE_DUMP, 1u << 6 | (mask ? 0 : bit),
                                            1u << k | (mask ? bit : 0));
        if (changed >= 0)
            fail_msg("%s: %s, register %d changed", name_of(f, dtype, "combine"), knk_reduction_name[how], changed);
    }
}

static void partial_results_are_combined_as_in_the_interpreter(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    for (int how = 0; how < 7; how++)
        for (int way = 0; way < (knh_is_mask(f, dtype) ? 2 : 4); way++)
            if (is_reduced(how, dtype))
                check_combine(f, dtype, (knk_reduction)how, way);
}

static void lanes_are_joined_by_halves(void **state)
{
    (void)state;
    FOR_FORMS(f, dtype)
    for (int how = 0; how < 7; how++) {
        if (!is_reduced(how, dtype))
            continue;
        const int size = knk_size(dtype), temp[] = {6, 7}, piece[] = {1, 2, 3, 4}, k = 5;
        const knh_operand scratch = knh_at(KNH_R8, 0);
        knh_asm *a = start();
        for (int i = 0; i < 16 / f->lanes; i++)
            knh_emit_load(a, f, dtype, piece[i], knh_at(KNH_RDI, i * f->lanes * size), &whole, temp, gp, scratch);
        knh_emit_join_lanes(a, f, (knk_reduction)how, dtype, piece, temp[0], temp[1], k);
        knh_emit_store_one(a, f, dtype, piece[0], knh_at(KNH_RCX, 0), temp[0], gp[0]);
        machine_code *code = finish(f, dtype, "join");
        for (int round = 0; round < 300; round++) {
            char w[LANES * 8], *out = element_edge(size, true);
            element_values(dtype, w, LANES, &seed);
            code(w, NULL, NULL, out, block, 0);
            for (int h = 8; h; h /= 2)
                combine(how, dtype, w, w, w + h * size, h);
            if (element_differs(dtype, out, w, 1) >= 0)
                fail_msg("%s: %s", name_of(f, dtype, "join"), knk_reduction_name[how]);
        }
    }
}

static void any_true_lane_is_found(void **state)
{
    (void)state;
    for (const knh_form *f = machine_form; f < machine_form + 4; f++) {
        if (!fits(f, KN_ID_BOOL))
            continue;
        const int temp[] = {6, 7};
        knh_asm *a = start();
        knh_emit_load(a, f, KN_ID_BOOL, 1, knh_at(KNH_RDI, 0), &whole, temp, gp, knh_at(KNH_R8, 0));
        knh_mov_number(a, KNH_R10, 1);
        knh_mov_number(a, KNH_R11, 0);
        knh_emit_any(a, f, 1, KNH_RAX);
        knh_cmov(a, KNH_IF_NE, KNH_R11, KNH_R10);
        knh_store_part(a, 1, knh_at(KNH_RCX, 0), KNH_R11);
        machine_code *code = finish(f, KN_ID_BOOL, "any");
        for (int i = 0; i <= f->lanes; i++) {
            char in[LANES] = {0}, out = 7;
            if (i < f->lanes)
                in[i] = 1;
            code(in, NULL, NULL, &out, block, 0);
            assert_int_equal(out, i < f->lanes);
        }
    }
}

KN_TEST_GROUP(test_codegen_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores_touch_nothing_else),
        cmocka_unit_test(stores_around_the_cache_store_the_same),
        cmocka_unit_test(one_element_fills_all_lanes),
        cmocka_unit_test(constants_are_operands),
        cmocka_unit_test(values_survive_spills_and_moves),
        cmocka_unit_test(gathers_read_the_wanted_elements_only),
        cmocka_unit_test(scatters_write_in_order),
        cmocka_unit_test(partial_results_are_combined_as_in_the_interpreter),
        cmocka_unit_test(lanes_are_joined_by_halves),
        cmocka_unit_test(any_true_lane_is_found),
    };
    return cmocka_run_group_tests_name("codegen_memory", tests, NULL, NULL);
}

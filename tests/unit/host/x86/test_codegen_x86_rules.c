/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_x86_rules.c -- the assembler: what it refuses, labels and jumps, the constant pool, no memory. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include "host/x86/x86.h"

/* ---- What cannot be encoded. */

static void refuses(const char *why, knh_insn id, int length, int reg, int v, knh_operand rm, int mask, bool zero,
                    int imm)
{
    knh_asm a;
    knh_asm_init(&a);
    knh_v(&a, id, length, reg, v, rm, mask, zero, imm);
    assert_true(a.failed);
    assert_string_equal(a.why, why);
    assert_int_equal(a.code.n, 0);
    knh_v(&a, KNH_VADDPS, 0, 1, 2, knh_reg(3), 0, false, -1); /* nor does anything follow */
    assert_int_equal(a.code.n, 0);
    assert_false(knh_finish(&a));
    knh_asm_free(&a);
}

static knh_operand broadcast(knh_operand m)
{
    m.broadcast = true;
    return m;
}

static void what_can_not_be_encoded_is_refused(void **state)
{
    (void)state;
    knh_operand r = knh_reg(3), m = knh_at(KNH_RAX, 0);
    refuses("has no EVEX form", KNH_VPAND, 0, 16, 2, r, 0, false, -1);
    refuses("has no EVEX form", KNH_VPAND, 0, 1, 2, knh_reg(31), 0, false, -1);
    refuses("has no EVEX form", KNH_VBLENDVPS, 0, 1, 17, r, 0, false, 16);
    refuses("has no EVEX form", KNH_VPCMPEQD, 1, 1, 2, r, 1, false, -1);
    refuses("has no EVEX form", KNH_VGATHERDPS_V, 1, 1, 2, knh_at_index(0, 16, 4, 0), 0, false, -1);
    refuses("has no such length", KNH_VPAND, 2, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNH_VADDSS, 1, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNH_VPERMPS, 0, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNH_VADDPS, 3, 1, 2, r, 0, false, -1);
    refuses("has no such write mask", KNH_VCMPPS_K, 2, 1, 2, r, 1, true, 0);
    refuses("has no such write mask", KNH_VADDPS, 2, 1, 2, r, 8, false, -1);
    refuses("has no such write mask", KNH_VPSLLDQ_I, 2, 0, 2, r, 1, false, 1);
    refuses("needs a write mask", KNH_VADDPS, 2, 1, 2, r, 0, true, -1);
    refuses("needs a write mask", KNH_VGATHERDPS, 2, 1, 0, knh_at_index(0, 2, 4, 0), 0, false, -1);
    refuses("stores cannot zero", KNH_VMOVUPS_ST, 2, 1, 0, m, 1, true, -1);
    refuses("the registers of a gather must differ", KNH_VGATHERDPS, 2, 1, 0, knh_at_index(0, 1, 4, 0), 1, false, -1);
    refuses("the registers of a gather must differ", KNH_VGATHERDPS_V, 1, 1, 1, knh_at_index(0, 2, 4, 0), 0, false, -1);
    refuses("needs a base and a vector of indices", KNH_VGATHERDPS, 2, 1, 0, m, 1, false, -1);
    refuses("needs a memory operand", KNH_VMOVNTPS_ST, 2, 1, 0, r, 0, false, -1);
    refuses("needs a memory operand", KNH_VADDPS, 2, 1, 2, broadcast(r), 0, false, -1);
    refuses("has no memory operand", KNH_VMOVHLPS, 0, 1, 2, m, 0, false, -1);
    refuses("cannot broadcast its memory operand", KNH_VPADDB, 2, 1, 2, broadcast(m), 0, false, -1);
    refuses("no such register", KNH_VADDPS, 2, 32, 2, r, 0, false, -1);
    refuses("no such register", KNH_VADDPS, 2, -1, 2, r, 0, false, -1);
    refuses("no such register", KNH_VCMPPS_K, 2, 8, 2, r, 0, false, 0);
    refuses("no such register", KNH_KANDW, 0, 1, 8, r, 0, false, -1);
    refuses("no such register", KNH_VSQRTPS, 0, 1, 2, r, 0, false, -1);
    refuses("no such register", KNH_VPBROADCASTD_R, 0, 1, 0, knh_reg(16), 0, false, -1);
    refuses("needs an immediate of 8 bits", KNH_VSHUFPS, 0, 1, 2, r, 0, false, -1);
    refuses("needs an immediate of 8 bits", KNH_VSHUFPS, 0, 1, 2, r, 0, false, 256);
    refuses("needs an immediate of 8 bits", KNH_VBLENDVPS, 0, 1, 2, r, 0, false, 1);
    refuses("has no immediate", KNH_VADDPS, 0, 1, 2, r, 0, false, 0);
    refuses("rsp is no index", KNH_VADDPS, 0, 1, 2, knh_at_index(0, KNH_RSP, 1, 0), 0, false, -1);
    refuses("no such register in an address", KNH_VADDPS, 0, 1, 2, knh_at(16, 0), 0, false, -1);
    refuses("the scale of an index is 1, 2, 4 or 8", KNH_VADDPS, 0, 1, 2, knh_at_index(0, 1, 3, 0), 0, false, -1);
    refuses("the pool has no index", KNH_VADDPS, 0, 1, 2, knh_at_index(-1, 1, 1, 0), 0, false, -1);
}

static void what_needs_avx512_is_refused_where_there_is_none(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    a.narrow = true;
    knh_v3(&a, KNH_VADDPS, 1, 1, 2, knh_reg(15));
    assert_false(a.failed);
    const struct {
        knh_insn id;
        int length, reg, mask;
    } wide[] = {{KNH_VADDPS, 2, 1, 0}, {KNH_VADDPS, 1, 16, 0}, {KNH_VADDPS, 1, 1, 3}, {KNH_VCMPPS_K, 1, 2, 0}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        knh_asm_reset(&a);
        knh_v(&a, wide[i].id, wide[i].length, wide[i].reg, 3, knh_reg(4), wide[i].mask, false,
              wide[i].id == KNH_VCMPPS_K ? 1 : -1);
        assert_true(a.failed);
        assert_string_equal(a.why, "needs AVX-512");
    }
    knh_asm_free(&a);
}

/* An EVEX compare has a mask register as its destination: never the VEX form, though the numbers would fit. */
static void a_compare_into_a_mask_is_never_vex(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    knh_v3i(&a, KNH_VCMPPS_K, 1, 2, 3, knh_reg(4), 1);
    assert_int_equal(a.code.at[0], 0x62);
    knh_asm_reset(&a);
    knh_v3i(&a, KNH_VCMPPS, 1, 2, 3, knh_reg(4), 1);
    assert_int_equal(a.code.at[0], 0xC5);
    knh_asm_free(&a);
}

#define REFUSES(call)                  \
    do {                               \
        knh_asm_reset(&a);             \
        call;                          \
        assert_true(a.failed);         \
        assert_non_null(a.why);        \
        assert_int_equal(a.code.n, 0); \
    } while (0)

static void general_purpose_operands_are_checked(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    REFUSES(knh_mov(&a, 16, 0));
    REFUSES(knh_mov(&a, 0, -1));
    REFUSES(knh_mov_number(&a, 16, 1));
    REFUSES(knh_mov_number(&a, -1, -1));
    REFUSES(knh_load(&a, 0, knh_reg(1)));
    REFUSES(knh_load(&a, 0, broadcast(knh_at(1, 0))));
    REFUSES(knh_load(&a, 0, knh_at_index(1, KNH_RSP, 1, 0)));
    REFUSES(knh_load_part(&a, 3, true, 0, knh_at(1, 0)));
    REFUSES(knh_store_part(&a, 16, knh_at(1, 0), 0));
    REFUSES(knh_shl(&a, 1, 64));
    REFUSES(knh_bt(&a, 1, -1));
    REFUSES(knh_bzhi(&a, 1, 2, 16));
    REFUSES(knh_push(&a, 16));
    REFUSES(knh_align(&a, 3));
    REFUSES(knh_prefetch(&a, knh_at(1, 0), 4));
    REFUSES(knh_jump(&a, 0));
    REFUSES(knh_here(&a, 0));
    knh_asm_free(&a);
}

/* ---- Labels, the pool, alignment. */

static void bytes_are(const knh_asm *a, size_t at, size_t n, const char *bytes)
{
    assert_true(at + n <= a->code.n);
    assert_memory_equal(a->code.at + at, bytes, n);
}

static void jumps_reach_their_labels(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    int back = knh_label(&a), on = knh_label(&a);
    knh_here(&a, back);
    knh_ret(&a);
    knh_jump(&a, on);                /* 1: E9 rel32 */
    knh_jump_if(&a, KNH_IF_NE, on);  /* 6: 0F 85 rel32 */
    knh_jump(&a, back);              /* 12: EB rel8 */
    knh_jump_if(&a, KNH_IF_L, back); /* 14: 7C rel8 */
    knh_call(&a, back);              /* 16: E8 rel32 */
    knh_call(&a, on);                /* 21 */
    knh_here(&a, on);                /* 26 */
    for (int i = 0; i < 128; i++)
        knh_ret(&a);
    knh_jump_if(&a, KNH_IF_AE, on); /* 154: too far for 8 bits */
    knh_ret(&a);
    assert_true(knh_finish(&a));
    bytes_are(&a, 0, 26,
              "\xC3"
              "\xE9\x14\0\0\0"
              "\x0F\x85\x0E\0\0\0"
              "\xEB\xF2"
              "\x7C\xF0"
              "\xE8\xEB\xFF\xFF\xFF"
              "\xE8\0\0\0\0");
    bytes_are(&a, 154, 6, "\x0F\x83\x7A\xFF\xFF\xFF");
    assert_int_equal(a.code.n, 161);
    knh_asm_free(&a);
}

static void a_short_jump_reaches_back_128_bytes(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        knh_asm a;
        knh_asm_init(&a);
        int back = knh_label(&a);
        knh_here(&a, back);
        for (int i = 0; i < 126 + far; i++)
            knh_ret(&a);
        knh_jump(&a, back);
        assert_true(knh_finish(&a));
        if (far)
            bytes_are(&a, 127, 5, "\xE9\x7C\xFF\xFF\xFF");
        else
            bytes_are(&a, 126, 2, "\xEB\x80");
        knh_asm_free(&a);
    }
}

static void a_label_needs_one_place(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    int l = knh_label(&a);
    knh_jump(&a, l);
    assert_false(knh_finish(&a));
    assert_true(a.failed);
    knh_asm_reset(&a);
    l = knh_label(&a);
    knh_here(&a, l);
    knh_here(&a, l);
    assert_true(a.failed);
    knh_asm_free(&a);
}

static void equal_constants_are_one(void **state)
{
    (void)state;
    knh_asm a;
    uint8_t whole[64] = {1};
    int32_t at[1000];
    knh_asm_init(&a);
    for (int i = 0; i < 1000; i++)
        at[i] = knh_pool(&a, &i, 4, 4);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(knh_pool(&a, &i, 4, 4), at[i]);
    assert_int_equal(a.pool.n, 4000);
    int32_t big = knh_pool(&a, whole, 64, 64);
    assert_int_equal(big % 64, 0);
    assert_int_equal(knh_pool(&a, whole, 64, 32), big);
    assert_int_equal(knh_pool(&a, whole, 32, 32) % 32, 0);
    int32_t loose = knh_pool(&a, "xyz", 3, 1), tight = knh_pool(&a, "xyz", 3, 64);
    assert_int_equal(tight % 64, 0);
    assert_memory_equal(a.pool.at + loose, "xyz", 3);
    assert_true(knh_finish(&a));
    knh_asm_reset(&a);
    assert_int_equal(knh_pool(&a, "xyz", 3, 1), 0);
    knh_asm_free(&a);
}

/* Counted from the end of the instruction, the immediate included. */
static void the_pool_follows_the_code(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    knh_pool(&a, "01234567", 8, 8);
    knh_v3i(&a, KNH_VSHUFPS, 0, 1, 2, knh_at_pool(knh_pool(&a, "abcdefgh", 8, 8)), 7);
    assert_true(knh_finish(&a));
    bytes_are(&a, 0, 9, "\xC5\xE8\xC6\x0D\x3F\0\0\0\x07");
    bytes_are(&a, 64, 16, "01234567abcdefgh");
    assert_int_equal(a.code.at[9], 0xCC);
    assert_int_equal(a.code.n, 80);
    knh_asm_free(&a);
}

static void alignment_fills_with_no_ops(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++) {
        knh_asm a;
        knh_asm_init(&a);
        for (int j = 0; j < i; j++)
            knh_ret(&a);
        knh_align(&a, 32);
        assert_int_equal(a.code.n % 32, 0);
        assert_true(a.code.n < (size_t)i + 32);
        knh_asm_free(&a);
    }
}

static void without_memory_it_fails(void **state)
{
    (void)state;
    bool worked = false;
    for (int64_t k = 0; !worked; k++) {
        knh_asm a;
        knh_asm_init(&a);
        knx_fail_after(k, true);
        int l = knh_label(&a);
        knh_here(&a, l);
        for (int i = 0; i < 2000; i++)
            knh_v3(&a, KNH_VADDPS, 0, 1, 2, knh_at_pool(knh_pool(&a, &i, 4, 4)));
        knh_jump(&a, l);
        worked = knh_finish(&a);
        knx_fail_after(-1, false);
        assert_true(worked != a.failed);
        assert_null(a.why);
        knh_asm_free(&a);
        assert_true(k < 100);
    }
}

KN_TEST_GROUP(test_codegen_x86_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_not_be_encoded_is_refused),
        cmocka_unit_test(what_needs_avx512_is_refused_where_there_is_none),
        cmocka_unit_test(a_compare_into_a_mask_is_never_vex),
        cmocka_unit_test(general_purpose_operands_are_checked),
        cmocka_unit_test(jumps_reach_their_labels),
        cmocka_unit_test(a_short_jump_reaches_back_128_bytes),
        cmocka_unit_test(a_label_needs_one_place),
        cmocka_unit_test(equal_constants_are_one),
        cmocka_unit_test(the_pool_follows_the_code),
        cmocka_unit_test(alignment_fills_with_no_ops),
        cmocka_unit_test(without_memory_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

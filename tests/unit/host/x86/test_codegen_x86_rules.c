/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_x86_rules.c -- the assembler: what it refuses, labels and jumps, the constant pool, no memory. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include "host/x86/x86.h"

/* ---- What cannot be encoded. */

static void refuses(const char *why, kng_insn id, int length, int reg, int v, kng_operand rm, int mask, bool zero,
                    int imm)
{
    kng_asm a;
    kng_asm_init(&a);
    kng_v(&a, id, length, reg, v, rm, mask, zero, imm);
    assert_true(a.failed);
    assert_string_equal(a.why, why);
    assert_int_equal(a.code.n, 0);
    kng_v(&a, KNG_VADDPS, 0, 1, 2, kng_reg(3), 0, false, -1); /* nor does anything follow */
    assert_int_equal(a.code.n, 0);
    assert_false(kng_finish(&a));
    kng_asm_free(&a);
}

static kng_operand broadcast(kng_operand m)
{
    m.broadcast = true;
    return m;
}

static void what_can_not_be_encoded_is_refused(void **state)
{
    (void)state;
    kng_operand r = kng_reg(3), m = kng_at(KNG_RAX, 0);
    refuses("has no EVEX form", KNG_VPAND, 0, 16, 2, r, 0, false, -1);
    refuses("has no EVEX form", KNG_VPAND, 0, 1, 2, kng_reg(31), 0, false, -1);
    refuses("has no EVEX form", KNG_VBLENDVPS, 0, 1, 17, r, 0, false, 16);
    refuses("has no EVEX form", KNG_VPCMPEQD, 1, 1, 2, r, 1, false, -1);
    refuses("has no EVEX form", KNG_VGATHERDPS_V, 1, 1, 2, kng_at_index(0, 16, 4, 0), 0, false, -1);
    refuses("has no such length", KNG_VPAND, 2, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNG_VADDSS, 1, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNG_VPERMPS, 0, 1, 2, r, 0, false, -1);
    refuses("has no such length", KNG_VADDPS, 3, 1, 2, r, 0, false, -1);
    refuses("has no such write mask", KNG_VCMPPS_K, 2, 1, 2, r, 1, true, 0);
    refuses("has no such write mask", KNG_VADDPS, 2, 1, 2, r, 8, false, -1);
    refuses("has no such write mask", KNG_VPSLLDQ_I, 2, 0, 2, r, 1, false, 1);
    refuses("needs a write mask", KNG_VADDPS, 2, 1, 2, r, 0, true, -1);
    refuses("needs a write mask", KNG_VGATHERDPS, 2, 1, 0, kng_at_index(0, 2, 4, 0), 0, false, -1);
    refuses("stores cannot zero", KNG_VMOVUPS_ST, 2, 1, 0, m, 1, true, -1);
    refuses("the registers of a gather must differ", KNG_VGATHERDPS, 2, 1, 0, kng_at_index(0, 1, 4, 0), 1, false, -1);
    refuses("the registers of a gather must differ", KNG_VGATHERDPS_V, 1, 1, 1, kng_at_index(0, 2, 4, 0), 0, false, -1);
    refuses("needs a base and a vector of indices", KNG_VGATHERDPS, 2, 1, 0, m, 1, false, -1);
    refuses("needs a memory operand", KNG_VMOVNTPS_ST, 2, 1, 0, r, 0, false, -1);
    refuses("needs a memory operand", KNG_VADDPS, 2, 1, 2, broadcast(r), 0, false, -1);
    refuses("has no memory operand", KNG_VMOVHLPS, 0, 1, 2, m, 0, false, -1);
    refuses("cannot broadcast its memory operand", KNG_VPADDB, 2, 1, 2, broadcast(m), 0, false, -1);
    refuses("no such register", KNG_VADDPS, 2, 32, 2, r, 0, false, -1);
    refuses("no such register", KNG_VADDPS, 2, -1, 2, r, 0, false, -1);
    refuses("no such register", KNG_VCMPPS_K, 2, 8, 2, r, 0, false, 0);
    refuses("no such register", KNG_KANDW, 0, 1, 8, r, 0, false, -1);
    refuses("no such register", KNG_VSQRTPS, 0, 1, 2, r, 0, false, -1);
    refuses("no such register", KNG_VPBROADCASTD_R, 0, 1, 0, kng_reg(16), 0, false, -1);
    refuses("needs an immediate of 8 bits", KNG_VSHUFPS, 0, 1, 2, r, 0, false, -1);
    refuses("needs an immediate of 8 bits", KNG_VSHUFPS, 0, 1, 2, r, 0, false, 256);
    refuses("needs an immediate of 8 bits", KNG_VBLENDVPS, 0, 1, 2, r, 0, false, 1);
    refuses("has no immediate", KNG_VADDPS, 0, 1, 2, r, 0, false, 0);
    refuses("rsp is no index", KNG_VADDPS, 0, 1, 2, kng_at_index(0, KNG_RSP, 1, 0), 0, false, -1);
    refuses("no such register in an address", KNG_VADDPS, 0, 1, 2, kng_at(16, 0), 0, false, -1);
    refuses("the scale of an index is 1, 2, 4 or 8", KNG_VADDPS, 0, 1, 2, kng_at_index(0, 1, 3, 0), 0, false, -1);
    refuses("the pool has no index", KNG_VADDPS, 0, 1, 2, kng_at_index(-1, 1, 1, 0), 0, false, -1);
}

/* An EVEX compare has a mask register as its destination: never the VEX form, though the numbers would fit. */
static void a_compare_into_a_mask_is_never_vex(void **state)
{
    (void)state;
    kng_asm a;
    kng_asm_init(&a);
    kng_v3i(&a, KNG_VCMPPS_K, 1, 2, 3, kng_reg(4), 1);
    assert_int_equal(a.code.at[0], 0x62);
    kng_asm_reset(&a);
    kng_v3i(&a, KNG_VCMPPS, 1, 2, 3, kng_reg(4), 1);
    assert_int_equal(a.code.at[0], 0xC5);
    kng_asm_free(&a);
}

#define REFUSES(call)                  \
    do {                               \
        kng_asm_reset(&a);             \
        call;                          \
        assert_true(a.failed);         \
        assert_non_null(a.why);        \
        assert_int_equal(a.code.n, 0); \
    } while (0)

static void general_purpose_operands_are_checked(void **state)
{
    (void)state;
    kng_asm a;
    kng_asm_init(&a);
    REFUSES(kng_mov(&a, 16, 0));
    REFUSES(kng_mov(&a, 0, -1));
    REFUSES(kng_mov_number(&a, 16, 1));
    REFUSES(kng_mov_number(&a, -1, -1));
    REFUSES(kng_load(&a, 0, kng_reg(1)));
    REFUSES(kng_load(&a, 0, broadcast(kng_at(1, 0))));
    REFUSES(kng_load(&a, 0, kng_at_index(1, KNG_RSP, 1, 0)));
    REFUSES(kng_load_part(&a, 3, true, 0, kng_at(1, 0)));
    REFUSES(kng_store_part(&a, 16, kng_at(1, 0), 0));
    REFUSES(kng_shl(&a, 1, 64));
    REFUSES(kng_bt(&a, 1, -1));
    REFUSES(kng_bzhi(&a, 1, 2, 16));
    REFUSES(kng_push(&a, 16));
    REFUSES(kng_align(&a, 3));
    REFUSES(kng_prefetch(&a, kng_at(1, 0), 4));
    REFUSES(kng_jump(&a, 0));
    REFUSES(kng_here(&a, 0));
    kng_asm_free(&a);
}

/* ---- Labels, the pool, alignment. */

static void bytes_are(const kng_asm *a, size_t at, size_t n, const char *bytes)
{
    assert_true(at + n <= a->code.n);
    assert_memory_equal(a->code.at + at, bytes, n);
}

static void jumps_reach_their_labels(void **state)
{
    (void)state;
    kng_asm a;
    kng_asm_init(&a);
    int back = kng_label(&a), on = kng_label(&a);
    kng_here(&a, back);
    kng_ret(&a);
    kng_jump(&a, on);                /* 1: E9 rel32 */
    kng_jump_if(&a, KNG_IF_NE, on);  /* 6: 0F 85 rel32 */
    kng_jump(&a, back);              /* 12: EB rel8 */
    kng_jump_if(&a, KNG_IF_L, back); /* 14: 7C rel8 */
    kng_call(&a, back);              /* 16: E8 rel32 */
    kng_call(&a, on);                /* 21 */
    kng_here(&a, on);                /* 26 */
    for (int i = 0; i < 128; i++)
        kng_ret(&a);
    kng_jump_if(&a, KNG_IF_AE, on); /* 154: too far for 8 bits */
    kng_ret(&a);
    assert_true(kng_finish(&a));
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
    kng_asm_free(&a);
}

static void a_short_jump_reaches_back_128_bytes(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        kng_asm a;
        kng_asm_init(&a);
        int back = kng_label(&a);
        kng_here(&a, back);
        for (int i = 0; i < 126 + far; i++)
            kng_ret(&a);
        kng_jump(&a, back);
        assert_true(kng_finish(&a));
        if (far)
            bytes_are(&a, 127, 5, "\xE9\x7C\xFF\xFF\xFF");
        else
            bytes_are(&a, 126, 2, "\xEB\x80");
        kng_asm_free(&a);
    }
}

static void a_label_needs_one_place(void **state)
{
    (void)state;
    kng_asm a;
    kng_asm_init(&a);
    int l = kng_label(&a);
    kng_jump(&a, l);
    assert_false(kng_finish(&a));
    assert_true(a.failed);
    kng_asm_reset(&a);
    l = kng_label(&a);
    kng_here(&a, l);
    kng_here(&a, l);
    assert_true(a.failed);
    kng_asm_free(&a);
}

static void equal_constants_are_one(void **state)
{
    (void)state;
    kng_asm a;
    uint8_t whole[64] = {1};
    int32_t at[1000];
    kng_asm_init(&a);
    for (int i = 0; i < 1000; i++)
        at[i] = kng_pool(&a, &i, 4, 4);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(kng_pool(&a, &i, 4, 4), at[i]);
    assert_int_equal(a.pool.n, 4000);
    int32_t big = kng_pool(&a, whole, 64, 64);
    assert_int_equal(big % 64, 0);
    assert_int_equal(kng_pool(&a, whole, 64, 32), big);
    assert_int_equal(kng_pool(&a, whole, 32, 32) % 32, 0);
    int32_t loose = kng_pool(&a, "xyz", 3, 1), tight = kng_pool(&a, "xyz", 3, 64);
    assert_int_equal(tight % 64, 0);
    assert_memory_equal(a.pool.at + loose, "xyz", 3);
    assert_true(kng_finish(&a));
    kng_asm_reset(&a);
    assert_int_equal(kng_pool(&a, "xyz", 3, 1), 0);
    kng_asm_free(&a);
}

/* Counted from the end of the instruction, the immediate included. */
static void the_pool_follows_the_code(void **state)
{
    (void)state;
    kng_asm a;
    kng_asm_init(&a);
    kng_pool(&a, "01234567", 8, 8);
    kng_v3i(&a, KNG_VSHUFPS, 0, 1, 2, kng_at_pool(kng_pool(&a, "abcdefgh", 8, 8)), 7);
    assert_true(kng_finish(&a));
    bytes_are(&a, 0, 9, "\xC5\xE8\xC6\x0D\x3F\0\0\0\x07");
    bytes_are(&a, 64, 16, "01234567abcdefgh");
    assert_int_equal(a.code.at[9], 0xCC);
    assert_int_equal(a.code.n, 80);
    kng_asm_free(&a);
}

static void alignment_fills_with_no_ops(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++) {
        kng_asm a;
        kng_asm_init(&a);
        for (int j = 0; j < i; j++)
            kng_ret(&a);
        kng_align(&a, 32);
        assert_int_equal(a.code.n % 32, 0);
        assert_true(a.code.n < (size_t)i + 32);
        kng_asm_free(&a);
    }
}

static void without_memory_it_fails(void **state)
{
    (void)state;
    bool worked = false;
    for (int64_t k = 0; !worked; k++) {
        kng_asm a;
        kng_asm_init(&a);
        knx_fail_after(k, true);
        int l = kng_label(&a);
        kng_here(&a, l);
        for (int i = 0; i < 2000; i++)
            kng_v3(&a, KNG_VADDPS, 0, 1, 2, kng_at_pool(kng_pool(&a, &i, 4, 4)));
        kng_jump(&a, l);
        worked = kng_finish(&a);
        knx_fail_after(-1, false);
        assert_true(worked != a.failed);
        assert_null(a.why);
        kng_asm_free(&a);
        assert_true(k < 100);
    }
}

KN_TEST_GROUP(test_codegen_x86_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_not_be_encoded_is_refused),
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

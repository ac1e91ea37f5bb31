/* SPDX-License-Identifier: Apache-2.0
 * machine.c -- executable memory for the tests of machine code. */
#include "base/cpu.h"
#include "support/machine.h"
#include "support/bits.h"
#include "kernel/internal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { CODE_BYTES = 1 << 18 };
const knh_form machine_form[4] = {{KNH_AVX512, 16}, {KNH_AVX512, 8}, {KNH_AVX2, 8}, {KNH_AVX2, 4}};

machine_code *machine_run(knh_asm *a, const char *what)
{
    static void *memory;
    if (!knh_finish(a))
        fail_msg("%s: %s", what, a->why ? a->why : "no memory");
    assert_true(a->code.n <= CODE_BYTES);
    if (!memory)
        memory = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory, CODE_BYTES, PROT_READ | PROT_WRITE), 0);
    memcpy(memory, a->code.at, a->code.n);
    assert_int_equal(mprotect(memory, CODE_BYTES, PROT_READ | PROT_EXEC), 0);
    machine_code *run;
    memcpy(&run, &memory, sizeof run);
    return run;
}

bool machine_has(const knh_form *f)
{
    return knx_cpu_best() >= (f->target == KNH_AVX512 ? KN_CPU_AVX512 : KN_CPU_AVX2);
}

void machine_dump(knh_asm *a, const knh_form *f, int base, int at)
{
    const bool wide = f->target == KNH_AVX512;
    for (int r = 0; r < (wide ? 32 : 16); r++)
        knh_v2(a, KNH_VMOVUPS_ST, wide ? 2 : 1, r, knh_at(base, at + 64 * r));
    for (int r = 1; r < 8 && wide; r++)
        knh_v2(a, KNH_KMOVQ_ST, 0, r, knh_at(base, at + 64 * (32 + r)));
}

int machine_changed(const knh_form *f, const void *before, const void *after, uint32_t vectors, uint32_t masks)
{
    const bool wide = f->target == KNH_AVX512;
    const char *b = before, *a = after;
    for (int r = 0; r < (wide ? 40 : 16); r++) {
        bool allowed = r < 32 ? vectors >> r & 1 : r == 32 || (masks >> (r - 32) & 1);
        if (!allowed && memcmp(b + 64 * r, a + 64 * r, r >= 32 ? 8 : wide ? 64 : 32))
            return r;
    }
    return -1;
}

void machine_tail(knh_asm *a, const knh_form *f, const knh_tail *t, int count, int gp_temp)
{
    static const int32_t iota[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (f->target == KNH_AVX512) {
        knh_mov_number(a, gp_temp, 0xffff);
        knh_bzhi(a, gp_temp, gp_temp, count);
        knh_v2(a, KNH_KMOVW_KR, 0, t->mask, knh_reg(gp_temp));
        return;
    }
    knh_v2(a, KNH_VMOVD, 0, t->mask4, knh_reg(count));
    knh_v2(a, KNH_VPBROADCASTD, 1, t->mask4, knh_reg(t->mask4));
    knh_v3(a, KNH_VPCMPGTD, 1, t->mask4, t->mask4, knh_at_pool(knh_pool(a, iota, sizeof iota, 32)));
    if (f->lanes == 4)
        knh_v2(a, KNH_VPMOVSXDQ, 1, t->mask8, knh_reg(t->mask4));
}

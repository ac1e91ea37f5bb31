/* SPDX-License-Identifier: Apache-2.0
 * clobber.h -- a call that leaves nothing in the registers that calls need not keep: for code that is called back from
 * machine code of our own. */
#ifndef KN_TESTS_CLOBBER_H
#define KN_TESTS_CLOBBER_H

#if defined(__x86_64__)

#define CLOBBER_EACH16(x)                                                                                             \
    x("0") x("1") x("2") x("3") x("4") x("5") x("6") x("7") x("8") x("9") x("10") x("11") x("12") x("13") x("14") \
    x("15")
#define CLOBBER_UPPER(x)                                                                                          \
    x("16") x("17") x("18") x("19") x("20") x("21") x("22") x("23") x("24") x("25") x("26") x("27") x("28") \
    x("29") x("30") x("31")
#define CLOBBER_XMM(n) "pcmpeqd %%xmm" n ", %%xmm" n "\n"
#define CLOBBER_YMM(n) "vcmptrueps %%ymm" n ", %%ymm" n ", %%ymm" n "\n"
#define CLOBBER_ZMM(n) "vpternlogd $255, %%zmm" n ", %%zmm" n ", %%zmm" n "\n"
#define CLOBBER_K(n) "kxnorw %%k" n ", %%k" n ", %%k" n "\n"
#define CLOBBER_VECTORS                                                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
        "xmm13", "xmm14", "xmm15"

__attribute__((noinline)) static void clobber_registers(void)
{
    if (__builtin_cpu_supports("avx512f")) /* registers from 16 on and masks are unknown to this file's code */
        __asm__ volatile(CLOBBER_EACH16(CLOBBER_ZMM) CLOBBER_UPPER(CLOBBER_ZMM) CLOBBER_K("1") CLOBBER_K("2")
                             CLOBBER_K("3") CLOBBER_K("4") CLOBBER_K("5") CLOBBER_K("6") CLOBBER_K("7") "vzeroupper\n"
                         :
                         :
                         : CLOBBER_VECTORS);
    else if (__builtin_cpu_supports("avx"))
        __asm__ volatile(CLOBBER_EACH16(CLOBBER_YMM) "vzeroupper\n" : : : CLOBBER_VECTORS);
    else
        __asm__ volatile(CLOBBER_EACH16(CLOBBER_XMM) : : : CLOBBER_VECTORS);
    __asm__ volatile("mov $-1, %%rax\nmov %%rax, %%rcx\nmov %%rax, %%rdx\nmov %%rax, %%rsi\nmov %%rax, %%rdi\n"
                     "mov %%rax, %%r8\nmov %%rax, %%r9\nmov %%rax, %%r10\nmov %%rax, %%r11\n"
                     :
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

#else
static inline void clobber_registers(void) {}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 * generator.c -- stage functions as machine code: lowered, written to executable memory, listed in the log. */
#include "host/x86/generator.h"
#include "base/cpu.h"
#include "base/log.h"
#include "host/x86/code.h"
#include "host/x86/lower.h"
#include "host/x86/product.h"
#include <stdio.h>

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **f, void **keep)
{
    knh_asm a;
    knh_lowered info = {0};
    knh_code *code = NULL;
    char name[80];
    knx_str listing = {0};
    knh_asm_init(&a);
    a.listing = knx_debug_level >= 2 ? &listing : NULL;
    knx_error *e = knh_lower(r, g == &knh_avx512 ? KNH_AVX512 : KNH_AVX2, &a, &info);
    snprintf(name, sizeof name, "kiln_%016llx_s%d_m%d%s", (unsigned long long)r->kernel->hash, r->stage, (int)r->mode,
             r->nontemporal ? "_nt" : "");
    if (!e)
        e = knh_publish(a.code.at, a.code.n, name, &code);
    if (!e && a.listing)
        KN_LOG(2, "code of %s, %zu bytes:\n%s", name, a.code.n, listing.failed ? "(no memory to list it)" : listing.s);
    knx_str_free(&listing);
    knh_asm_free(&a);
    if (e)
        return e;
    *keep = code;
    *f = (knh_function *)(uintptr_t)knh_code_start(code);
    return NULL;
}

static void drop(void *code) { knh_code_free(code); }
static size_t bytes(const void *code) { return knh_code_size(code); }

static bool has_avx512(void) { return knx_cpu_best() >= KN_CPU_AVX512; }
static bool has_avx2(void) { return knx_cpu_best() >= KN_CPU_AVX2; }

/* Stores past the caches are in no order with others. */
static void flush(void) { __builtin_ia32_sfence(); }

const knh_generator knh_avx512 = {
    .name = "avx512",
    .works = has_avx512,
    .make = make,
    .drop = drop,
    .bytes = bytes,
    .lanes = 16,
    .near_steps = true,
    .leaves_copies = true,
    .flush = flush,
    .product = &knh_product_avx512,
};
const knh_generator knh_avx2 = {
    .name = "avx2",
    .works = has_avx2,
    .make = make,
    .drop = drop,
    .bytes = bytes,
    .lanes = 16,
    .leaves_copies = true,
    .flush = flush,
    .product = &knh_product_avx2,
};

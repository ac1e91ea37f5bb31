/* SPDX-License-Identifier: Apache-2.0
 * product.c -- the inner loops of products: which rectangles there are, and the functions of the process, in a table
 * that only fills up: made by whoever needs one first, found without a lock. */
#include "codegen/product.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "codegen/drive.h"
#include "codegen/product_emit.h"
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#include "codegen/code.h"
#endif

const kng_number_form kng_number_forms[KNG_NUMBER_KINDS] = {
    [KNG_NUMBER_F32] = {4, 4, 1, 1, false},    [KNG_NUMBER_F64] = {8, 8, 1, 1, true},
    [KNG_NUMBER_C64] = {8, 8, 2, 1, false},    [KNG_NUMBER_C128] = {16, 16, 2, 1, true},
    [KNG_NUMBER_I32] = {4, 4, 1, 1, false},    [KNG_NUMBER_I64] = {8, 8, 1, 1, true},
    [KNG_NUMBER_SHORTS] = {4, 4, 1, 2, false}, [KNG_NUMBER_BYTES] = {4, 4, 1, 4, false},
};

/* ---- Rectangles. */

enum { MOST_VECTORS = 8, MOST_ROWS = 28 };

/* Registers beside accumulators and B: an element of A, a mask (AVX2). */
static int other_registers(kng_number n, kng_target target)
{
    (void)n;
    return target == KNG_AVX512 ? 1 : 2;
}

int kng_product_rows(kng_number number, kng_target target, int vectors)
{
    int all = target == KNG_AVX512 ? 32 : 16;
    if (vectors < 1 || vectors > MOST_VECTORS || number > KNG_NUMBER_C128)
        return 0;
    int rows = (all - other_registers(number, target)) / vectors - 1;
    return rows > MOST_ROWS ? MOST_ROWS : rows;
}

kng_product_shape kng_product_best(kng_number number, kng_target target)
{
    int bytes = target == KNG_AVX512 ? 64 : 32, rows = kng_product_rows(number, target, 2);
    return (kng_product_shape){(uint8_t)(bytes / kng_number_forms[number].c_bytes), (uint8_t)rows, 2};
}

#if defined(__x86_64__)
static bool is_possible(const kng_product_request *r)
{
    return r->number < KNG_NUMBER_KINDS && r->target <= KNG_AVX512 &&
           knx_cpu_best() >= (r->target == KNG_AVX512 ? KN_CPU_AVX512 : KN_CPU_AVX2) && r->rows >= 1 &&
           r->rows <= kng_product_rows(r->number, r->target, r->vectors) && r->lanes >= 1 &&
           r->lanes <= kng_product_best(r->number, r->target).lanes && r->b_from <= KNG_B_PACKING &&
           r->a_from <= KNG_A_ACROSS;
}

/* ---- Making. */

static kn_error *make(const kng_product_request *r, kng_code **out)
{
    static const char *const number[KNG_NUMBER_KINDS] = {"f32", "f64", "c64", "c128", "i32", "i64", "i16", "i8"};
    static const char *const b_from[] = {"packed", "plain", "packing"};
    kng_asm a;
    char name[80];
    bool wide = r->target == KNG_AVX512;
    int sums = r->rows * r->vectors, free = (wide ? 32 : 16) - sums - r->vectors;
    kng_tiler t = {.a = &a, .r = r, .f = kng_number_forms[r->number], .length = wide ? 2 : 1, .bytes = wide ? 64 : 32};
    t.rows = r->rows;
    t.vectors = r->vectors;
    t.partial = r->lanes < t.bytes / t.f.c_bytes;
    t.b0 = sums;
    t.a0 = t.b0 + r->vectors;
    t.mask = t.partial && !wide ? 15 : -1;
    free -= t.mask >= 0;
    t.n_a = free < 4 ? free : 4;
    kng_asm_init(&a);
    kng_tile_function(&t);
    kn_error *e = NULL;
    if (!kng_finish(&a))
        e = a.why ? knx_error(KN_ERROR_NOT_IMPLEMENTED, "product: %s", a.why) : knx_error_nomem();
    snprintf(name, sizeof name, "kiln_product_%s_%dx%d_%s_%d", number[r->number], r->rows, r->vectors,
             b_from[r->b_from], r->lanes);
    if (!e)
        e = kng_publish(a.code.at, a.code.n, name, out);
    kng_asm_free(&a);
    return e;
}

/* ---- The functions of the process. A slot gets its key first, for good, and then its function. */

enum { SLOTS = 1 << 14 };
static struct {
    atomic_uint_fast64_t key; /* the request, 0: free */
    _Atomic(kng_product_function *) f;
} table[SLOTS];

/* Never 0: there is a row. */
static uint64_t key_of(const kng_product_request *r)
{
    const uint8_t part[8] = {r->number, r->target, r->rows,   r->vectors,
                             r->lanes,  r->b_from, r->a_from, (uint8_t)(r->a_signed | r->b_signed << 1)};
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key |= (uint64_t)part[i] << 8 * i;
    return key;
}

static int slot_of(uint64_t key)
{
    uint32_t at = (uint32_t)knx_hash_bytes(&key, sizeof key, 0);
    for (int tries = 0; tries < SLOTS; tries++, at++) {
        uint_fast64_t there = atomic_load_explicit(&table[at % SLOTS].key, memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong(&table[at % SLOTS].key, &there, key))
            return (int)(at % SLOTS);
        if (there == key)
            return (int)(at % SLOTS);
    }
    return -1;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What two threads make at once, one of them throws away. */
static kng_product_function *make_and_keep(const kng_product_request *r, int slot)
{
    kng_code *code = NULL;
    uint64_t start = nanoseconds();
    kn_error *e = make(r, &code);
    if (e) {
        knx_error_release(e);
        return NULL;
    }
    kng_product_function *mine = (kng_product_function *)(uintptr_t)kng_code_start(code), *first = NULL;
    if (!atomic_compare_exchange_strong(&table[slot].f, &first, mine)) {
        kng_code_free(code);
        return first;
    }
    kng_note_made(kng_code_size(code), nanoseconds() - start);
    return mine;
}

kng_product_function *kng_product_for(const kng_product_request *r)
{
    int slot = is_possible(r) ? slot_of(key_of(r)) : -1;
    if (slot < 0)
        return NULL;
    kng_product_function *f = atomic_load_explicit(&table[slot].f, memory_order_acquire);
    return f ? f : make_and_keep(r, slot);
}
#else
kng_product_function *kng_product_for(const kng_product_request *r)
{
    (void)r;
    return NULL;
}
#endif

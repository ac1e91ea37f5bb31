/* SPDX-License-Identifier: Apache-2.0
 * product.c -- the inner loops of products: which rectangles there are, and how their functions are made. */
#include "host/x86/product.h"
#include "base/cpu.h"
#include "base/log.h"
#include "host/stage/product_made.h"
#include <stdatomic.h>
#include "host/x86/code.h"
#include "host/x86/product_amx.h"
#include "host/x86/product_emit.h"
#include <stdio.h>

const knh_number_form knh_number_forms[KNH_NUMBER_KINDS] = {
    [KNH_NUMBER_F32] = {4, 4, 1, 1, false},    [KNH_NUMBER_F64] = {8, 8, 1, 1, true},
    [KNH_NUMBER_C64] = {8, 8, 2, 1, false},    [KNH_NUMBER_C128] = {16, 16, 2, 1, true},
    [KNH_NUMBER_I32] = {4, 4, 1, 1, false},    [KNH_NUMBER_I64] = {8, 8, 1, 1, true},
    [KNH_NUMBER_SHORTS] = {4, 4, 1, 2, false}, [KNH_NUMBER_BYTES] = {4, 4, 1, 4, false},
};

/* ---- Rectangles. */

enum { MOST_VECTORS = 8, MOST_ROWS = 28 };

static knh_target target_of(const knh_product_maker *m) { return m == &knh_product_avx512 ? KNH_AVX512 : KNH_AVX2; }

static atomic_bool without_amx;

void knh_product_allow_amx(bool on) { atomic_store(&without_amx, !on); }

static bool has_amx(knh_number n, knh_target target)
{
    return n == KNH_NUMBER_BYTES && target == KNH_AVX512 && !atomic_load(&without_amx) && knx_cpu_amx();
}

/* Registers beside accumulators: per vector of B (64-bit integers have no multiplication in AVX2: their upper halves
 * lie beside them); temporaries; elements of A; a mask (AVX2). */
typedef struct reserve {
    int per_vector, temporaries, others;
} reserve;

static reserve reserve_of(knh_number n, knh_target target)
{
    bool wide = target == KNH_AVX512, halves = n == KNH_NUMBER_I64 && !wide;
    int temporaries = n <= KNH_NUMBER_C128 || n == KNH_NUMBER_BYTES ? 0 : 2;
    return (reserve){halves ? 2 : 1, temporaries, (wide ? 1 : 2) + halves};
}

static int most_rows(knh_number number, knh_target target, int vectors)
{
    if (has_amx(number, target))
        return knh_amx_rows(vectors);
    reserve x = reserve_of(number, target);
    int free = (target == KNH_AVX512 ? 32 : 16) - x.temporaries - x.others;
    if (vectors < 1 || vectors > MOST_VECTORS ||
        (number == KNH_NUMBER_BYTES && (target == KNH_AVX2 || !knx_cpu_vnni())))
        return 0;
    int rows = free / vectors - x.per_vector;
    return rows > MOST_ROWS ? MOST_ROWS : rows < 0 ? 0 : rows;
}

/* 32 columns have 5 bases and 3 distances, 16 have 3 and 3; 7 rows have a base. Steps on the way and temporaries are 16
 * bytes' worth each. */
static int most_rows_turned(knh_number number, knh_target target, int vectors, knh_a_from a)
{
    bool wide = target == KNH_AVX512, lanes = a == KNH_A_LANES;
    int bytes = knh_number_forms[number].c_bytes, columns = vectors * (wide ? 64 : 32) / bytes, steps = 16 / bytes;
    if (number > KNH_NUMBER_C128 || vectors < 1 || columns > (lanes ? 16 : 32))
        return 0;
    int rows = ((wide ? 32 : 14) - steps * (lanes ? 3 : 2)) / vectors, most = columns > 16 ? 7 : 14;
    return lanes ? rows > 0 : rows > most ? most : rows;
}

static int lanes_of(knh_number number, knh_target target)
{
    return (target == KNH_AVX512 ? 64 : 32) / knh_number_forms[number].c_bytes;
}

static knh_product_shape best(const knh_product_maker *m, knh_number number)
{
    knh_target t = target_of(m);
    return (knh_product_shape){(uint8_t)lanes_of(number, t), (uint8_t)most_rows(number, t, 2), 2};
}

static int rows(const knh_product_maker *m, knh_number number, int vectors)
{
    return most_rows(number, target_of(m), vectors);
}

static int rows_turned(const knh_product_maker *m, knh_number number, int vectors, knh_a_from a)
{
    return most_rows_turned(number, target_of(m), vectors, a);
}

static bool is_narrow(const knh_product_request *r) { return knh_number_forms[r->number].steps > 1; }

static bool is_possible(const knh_product_request *r, knh_target target)
{
    if (r->number >= KNH_NUMBER_KINDS || r->b_from >= KNH_B_KINDS || r->a_from > KNH_A_VECTORS)
        return false;
    knh_number n = (knh_number)r->number;
    knh_a_from a = (knh_a_from)r->a_from;
    bool turned = r->b_from == KNH_B_TURNED;
    int most = turned ? most_rows_turned(n, target, r->vectors, a) : most_rows(n, target, r->vectors);
    if (r->minus && n > KNH_NUMBER_C128)
        return false;
    if (a == (turned ? KNH_A_ACROSS : KNH_A_LANES) || (is_narrow(r) && (a || r->b_from != KNH_B_PACKED)))
        return false;
    if (a >= KNH_A_TABLE && (r->b_from > KNH_B_PACKING || r->rows > KNH_TABLE_ROWS))
        return false;
    if (a == KNH_A_VECTORS && n > KNH_NUMBER_F64)
        return false;
    return knx_cpu_best() >= (target == KNH_AVX512 ? KN_CPU_AVX512 : KN_CPU_AVX2) && r->rows >= 1 && r->rows <= most &&
           r->lanes >= 1 && r->lanes <= lanes_of(n, target);
}

/* ---- Making. */

/* Which vector registers are what. */
static knh_tiler lay_out(knh_asm *a, const knh_product_request *r, knh_target target)
{
    bool wide = target == KNH_AVX512, turned = r->b_from == KNH_B_TURNED;
    reserve x = reserve_of((knh_number)r->number, target);
    knh_tiler t = {.a = a, .r = r, .f = knh_number_forms[r->number], .length = wide ? 2 : 1, .bytes = wide ? 64 : 32};
    int lanes = t.bytes / t.f.c_bytes, all = wide ? 32 : 16;
    t.rows = r->rows;
    t.vectors = r->vectors;
    t.columns = (r->vectors - 1) * lanes + r->lanes;
    t.partial = r->lanes < lanes;
    t.b0 = t.rows * t.vectors;
    t.t0 = t.b0 + (turned ? 16 / t.f.c_bytes : x.per_vector * t.vectors);
    t.a0 = t.t0 + (turned ? 16 / t.f.c_bytes : x.temporaries);
    t.mask = t.partial && !wide ? 15 : -1;
    t.n_a = all - (t.mask >= 0) - t.a0;
    t.n_a = t.n_a < 4 ? t.n_a : 4;
    return t;
}

/* Columns that are turned into no more than half a register: the shorter ones are turned faster. */
static knh_target shorter(const knh_product_request *r, knh_target target)
{
    knh_number n = (knh_number)r->number;
    bool half = r->b_from == KNH_B_TURNED && target == KNH_AVX512 && r->vectors == 1 &&
                r->lanes <= lanes_of(n, KNH_AVX2) && r->rows <= most_rows_turned(n, KNH_AVX2, 1, (knh_a_from)r->a_from);
    return half ? KNH_AVX2 : target;
}

static knx_error *make(const knh_product_request *r, knh_target asked, knh_code **out)
{
    static const char *const number[KNH_NUMBER_KINDS] = {"f32", "f64", "c64", "c128", "i32", "i64", "i16", "i8"};
    static const char *const b_from[] = {"packed", "plain", "packing", "turned", "table"};
    knh_asm a;
    char name[80];
    knh_target target = shorter(r, asked);
    bool amx = has_amx((knh_number)r->number, target);
    knh_tiler t = lay_out(&a, r, target);
    knx_str listing = {0};
    knh_asm_init(&a);
    a.narrow = asked != KNH_AVX512;
    a.listing = knx_debug_level >= 2 ? &listing : NULL;
    if (amx)
        knh_amx_function(&a, r);
    else
        knh_tile_function(&t);
    knx_error *e = NULL;
    if (!knh_finish(&a))
        e = a.why ? knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "product: %s", a.why) : knx_error_nomem();
    snprintf(name, sizeof name, "kiln_product_%s_%dx%d_%s_%d%s", number[r->number], r->rows, r->vectors,
             b_from[r->b_from], r->lanes, r->minus ? "_minus" : "");
    if (!e)
        e = knh_publish(a.code.at, a.code.n, name, out);
    if (!e && a.listing)
        KN_LOG(2, "code of %s, %zu bytes:\n%s", name, a.code.n, listing.failed ? "(no memory to list it)" : listing.s);
    knx_str_free(&listing);
    knh_asm_free(&a);
    return e;
}

/* ---- The functions of the process. */

static knx_error *make_function(const knh_product_request *r, int kind, knh_product_function **f, void **keep,
                                size_t *bytes)
{
    knh_code *code = NULL;
    KN_TRY(make(r, (knh_target)kind, &code));
    *f = (knh_product_function *)(uintptr_t)knh_code_start(code);
    *keep = code;
    *bytes = knh_code_size(code);
    return NULL;
}

static void drop(void *code) { knh_code_free(code); }

static knh_product_function *function(const knh_product_maker *m, const knh_product_request *r)
{
    static const knh_product_making making = {make_function, drop};
    knh_target target = target_of(m);
    return is_possible(r, target) ? knh_product_made(&making, r, (int)target, has_amx((knh_number)r->number, target))
                                  : NULL;
}

const knh_product_maker knh_product_avx2 = {
    .best = best, .rows = rows, .rows_turned = rows_turned, .function = function, .cpu = KN_CPU_AVX2};
const knh_product_maker knh_product_avx512 = {.best = best,
                                              .rows = rows,
                                              .rows_turned = rows_turned,
                                              .function = function,
                                              .shorter = &knh_product_avx2,
                                              .cpu = KN_CPU_AVX512};

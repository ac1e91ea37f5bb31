/* SPDX-License-Identifier: Apache-2.0
 * product.c -- rectangles of products in v128 locals: float32, float64 where multiply-add rounds once, 32-bit integers,
 * pairs of 16-bit ones. Others, and B that is turned, are left to the loops in C. */
#include "host/wasm/product.h"
#include "host/stage/product_made.h"
#include "host/wasm/fma.h"
#include <stddef.h>

/* V8 has 15 registers on x86-64; one is for numbers of A. */
enum { BLOCK_STEPS = 256, REGISTERS = 14, MOST_ROWS = 8, MOST_VECTORS = 4 };

static int lanes_of(knh_number n) { return n == KNH_NUMBER_F64 ? 2 : 4; }
static bool has(knh_number n)
{
    return n == KNH_NUMBER_F32 || n == KNH_NUMBER_I32 || n == KNH_NUMBER_SHORTS ||
           (n == KNH_NUMBER_F64 && knh_wasm_fuses());
}

static int rows(const knh_product_maker *m, knh_number n, int vectors)
{
    (void)m;
    int most = vectors < 1 || vectors > MOST_VECTORS ? 0 : REGISTERS / vectors - 1;
    return !has(n) ? 0 : most > MOST_ROWS ? MOST_ROWS : most;
}

static int rows_turned(const knh_product_maker *m, knh_number n, int vectors, knh_a_from a)
{
    (void)m, (void)n, (void)vectors, (void)a;
    return 0;
}

static knh_product_shape best(const knh_product_maker *m, knh_number n)
{
    return (knh_product_shape){(uint8_t)lanes_of(n), (uint8_t)rows(m, n, 2), 2};
}

static bool is_possible(const knh_product_maker *m, const knh_product_request *r)
{
    knh_number n = (knh_number)r->number;
    bool table = r->a_from == KNH_A_TABLE || r->a_from == KNH_A_VECTORS;
    return has(n) && r->rows >= 1 && r->rows <= rows(m, n, r->vectors) && r->lanes >= 1 && r->lanes <= lanes_of(n) &&
           r->b_from < KNH_B_KINDS && r->b_from != KNH_B_TURNED && r->a_from <= KNH_A_VECTORS &&
           r->a_from != KNH_A_LANES && !(table && r->b_from > KNH_B_PACKING) &&
           !(n > KNH_NUMBER_C128 && (r->minus || r->a_from == KNH_A_VECTORS)) &&
           !(n == KNH_NUMBER_SHORTS && (r->b_from != KNH_B_PACKED || r->a_from != KNH_A_ALONG));
}

/* ---- One function. */

typedef struct tiler {
    knh_wasm_function f;
    const knh_product_request *r;
    int size, lanes, v;                      /* bytes of a number; numbers of a vector; all vectors of a row */
    int a, b, packed, table, steps, at, row; /* i32 locals; row: one per row of A */
    int left, done;                          /* i64 locals */
    int acc, bv, av, temp, fma_constants;    /* v128 locals */
} tiler;

static void get(tiler *t, int local) { knh_wasm_get(&t->f, local); }
static void set(tiler *t, int local) { knh_wasm_set(&t->f, local); }
static void op(tiler *t, unsigned code) { knh_wasm_op0(&t->f, code); }
static void i32(tiler *t, int64_t v) { knh_wasm_i32(&t->f, (int32_t)v); }

static void argument(tiler *t, size_t offset, bool wide) /* wide: an i64 as i32 */
{
    get(t, 0);
    knh_wasm_memory(&t->f, wide ? KNH_WASM_I64_LOAD : KNH_WASM_I32_LOAD, (int64_t)offset);
    if (wide)
        op(t, KNH_WASM_I32_WRAP_I64);
}
#define POINTER(member) argument(t, offsetof(knh_product_args, member), false)
#define NUMBER(member)  argument(t, offsetof(knh_product_args, member), true)

static int arithmetic(const tiler *t, int of_f32, int of_f64, int of_i32)
{
    return t->r->number == KNH_NUMBER_F32 ? of_f32 : t->r->number == KNH_NUMBER_F64 ? of_f64 : of_i32;
}

static int lanes_in(const tiler *t, int vector) { return vector + 1 < t->v ? t->lanes : t->r->lanes; }

/* A vector at the address in a local; what lies behind its lanes is not touched. */
static void load_vector(tiler *t, int at, int64_t offset, int lanes)
{
    int bytes = lanes * t->size;
    get(t, at);
    knh_wasm_memory(&t->f,
                    bytes == 16  ? KNH_WASM_V128_LOAD
                    : bytes >= 8 ? KNH_WASM_V128_LOAD64_ZERO
                                 : KNH_WASM_V128_LOAD32_ZERO,
                    offset);
    if (bytes != 12)
        return;
    set(t, t->temp);
    get(t, at), get(t, t->temp);
    knh_wasm_memory_lane(&t->f, KNH_WASM_V128_LOAD32_LANE, offset + 8, 2);
}

static void store_vector(tiler *t, int at, int64_t offset, int lanes, int local)
{
    int bytes = lanes * t->size;
    get(t, at), get(t, local);
    if (bytes == 16)
        knh_wasm_memory(&t->f, KNH_WASM_V128_STORE, offset);
    else
        knh_wasm_memory_lane(&t->f, bytes >= 8 ? KNH_WASM_V128_STORE64_LANE : KNH_WASM_V128_STORE32_LANE, offset, 0);
    if (bytes != 12)
        return;
    get(t, at), get(t, local);
    knh_wasm_memory_lane(&t->f, KNH_WASM_V128_STORE32_LANE, offset + 8, 2);
}

static int acc_of(const tiler *t, int row, int vector) { return t->acc + row * t->v + vector; }

/* For each row and vector, with the address of the row in t->at, which goes on by `step`. */
static void each(tiler *t, size_t base, size_t step, void (*what)(tiler *t, int row, int vector))
{
    argument(t, base, false), set(t, t->at);
    for (int i = 0; i < t->r->rows; i++) {
        for (int v = 0; v < t->v; v++)
            what(t, i, v);
        if (i + 1 < t->r->rows) {
            get(t, t->at), argument(t, step, true), op(t, KNH_WASM_I32_ADD);
            set(t, t->at);
        }
    }
}

static void load_sum(tiler *t, int i, int v)
{
    load_vector(t, t->at, 16 * v, lanes_in(t, v));
    set(t, acc_of(t, i, v));
}
static void store_sum(tiler *t, int i, int v) { store_vector(t, t->at, 16 * v, lanes_in(t, v), acc_of(t, i, v)); }
static void add_sum(tiler *t, int i, int v)
{
    load_vector(t, t->at, 16 * v, lanes_in(t, v));
    get(t, acc_of(t, i, v));
    op(t, t->r->minus ? arithmetic(t, KNH_WASM_F32X4_SUB, KNH_WASM_F64X2_SUB, KNH_WASM_I32X4_SUB)
                      : arithmetic(t, KNH_WASM_F32X4_ADD, KNH_WASM_F64X2_ADD, KNH_WASM_I32X4_ADD));
    set(t, acc_of(t, i, v));
    store_sum(t, i, v);
}

static void clear(tiler *t)
{
    for (int i = 0; i < t->r->rows * t->v; i++) {
        knh_wasm_splat(&t->f, 0, 8);
        set(t, t->acc + i);
    }
}

static void advance(tiler *t, int local, int64_t by)
{
    get(t, local), i32(t, by), op(t, KNH_WASM_I32_ADD), set(t, local);
}

/* B's vectors of a step, from t->b; packed ones are stored, too. */
static void load_b(tiler *t)
{
    bool packing = t->r->b_from == KNH_B_PACKING, from_table = t->r->b_from == KNH_B_TABLE,
         packed = t->r->b_from == KNH_B_PACKED;
    int from = t->b;
    if (from_table) {
        get(t, t->b), get(t, t->table), knh_wasm_memory(&t->f, KNH_WASM_I64_LOAD, 0), op(t, KNH_WASM_I32_WRAP_I64);
        op(t, KNH_WASM_I32_ADD), set(t, t->at);
        from = t->at;
    }
    for (int v = 0; v < t->v; v++) {
        load_vector(t, from, 16 * v, packed ? t->lanes : lanes_in(t, v));
        set(t, t->bv + v);
        if (packing) {
            get(t, t->packed), get(t, t->bv + v);
            knh_wasm_memory(&t->f, KNH_WASM_V128_STORE, 16 * v);
        }
    }
}

/* What is multiplied with B's vectors in row i: t->row + i is where this step of it lies. */
static void load_a(tiler *t, int i, int vector)
{
    unsigned splat = t->size == 8 ? KNH_WASM_V128_LOAD64_SPLAT : KNH_WASM_V128_LOAD32_SPLAT;
    bool vectors = t->r->a_from == KNH_A_VECTORS;
    if (vector && !vectors)
        return;
    if (t->r->a_from >= KNH_A_TABLE) {
        get(t, t->row + i), get(t, t->at), op(t, KNH_WASM_I32_ADD);
        if (vectors)
            knh_wasm_memory(&t->f, KNH_WASM_V128_LOAD, 16 * vector);
        else
            knh_wasm_memory(&t->f, splat, 0);
    } else if (t->r->a_from == KNH_A_ACROSS) {
        get(t, t->a);
        knh_wasm_memory(&t->f, splat, (int64_t)i * t->size);
    } else {
        get(t, t->row + i);
        knh_wasm_memory(&t->f, splat, 0);
    }
    set(t, t->av);
}

static void multiply_add(tiler *t, int i, int v)
{
    int acc = acc_of(t, i, v);
    if (t->r->number > KNH_NUMBER_C128) {
        get(t, t->av), get(t, t->bv + v);
        op(t, t->r->number == KNH_NUMBER_SHORTS ? KNH_WASM_I32X4_DOT_I16X8 : KNH_WASM_I32X4_MUL);
        get(t, acc), op(t, KNH_WASM_I32X4_ADD);
    } else if (knh_wasm_fuses()) {
        get(t, t->av), get(t, t->bv + v), get(t, acc);
        op(t, t->size == 8 ? KNH_WASM_F64X2_RELAXED_MADD : KNH_WASM_F32X4_RELAXED_MADD);
    } else {
        knh_wasm_push_exact_fma(&t->f, t->temp, t->fma_constants, t->av, t->bv + v, acc);
    }
    set(t, acc);
}

static void one_step(tiler *t)
{
    bool a_table = t->r->a_from >= KNH_A_TABLE;
    load_b(t);
    if (a_table) {
        get(t, t->table), knh_wasm_memory(&t->f, KNH_WASM_I64_LOAD, 0), op(t, KNH_WASM_I32_WRAP_I64);
        set(t, t->at);
    }
    for (int i = 0; i < t->r->rows; i++)
        for (int v = 0; v < t->v; v++) {
            load_a(t, i, v);
            multiply_add(t, i, v);
        }
    if (a_table || t->r->b_from == KNH_B_TABLE)
        advance(t, t->table, 8);
    if (t->r->a_from == KNH_A_ALONG)
        for (int i = 0; i < t->r->rows; i++)
            advance(t, t->row + i, t->size);
    if (t->r->a_from == KNH_A_ACROSS) {
        get(t, t->a), NUMBER(a_k), op(t, KNH_WASM_I32_ADD), set(t, t->a);
    }
    if (t->r->b_from == KNH_B_PACKED) {
        advance(t, t->b, 16 * t->v);
    } else if (t->r->b_from != KNH_B_TABLE) {
        get(t, t->b), NUMBER(b_k), op(t, KNH_WASM_I32_ADD), set(t, t->b);
    }
    if (t->r->b_from == KNH_B_PACKING)
        advance(t, t->packed, 16 * t->v);
}

/* The steps of a block, or those that are left: from `left` and `done` to t->steps. */
static void count_steps(tiler *t)
{
    knh_wasm_i64(&t->f, BLOCK_STEPS), get(t, t->done), op(t, KNH_WASM_I64_SUB), knh_wasm_tee(&t->f, t->done);
    get(t, t->left), op(t, KNH_WASM_I64_GT_S);
    knh_wasm_open(&t->f, KNH_WASM_IF);
    get(t, t->left), set(t, t->done);
    knh_wasm_close(&t->f);
    get(t, t->done), op(t, KNH_WASM_I32_WRAP_I64);
    if (t->r->number == KNH_NUMBER_SHORTS) /* two at a time */
        i32(t, 1), op(t, KNH_WASM_I32_SHR_U);
    set(t, t->steps);
    get(t, t->left), get(t, t->done), op(t, KNH_WASM_I64_SUB), set(t, t->left);
    knh_wasm_i64(&t->f, 0), set(t, t->done);
}

/* A block is finished: its sums are added to the totals or begin them; an unfinished one's are kept. */
static void end_block(tiler *t, int total)
{
    knh_wasm_function *f = &t->f;
    POINTER(chain_out), op(t, KNH_WASM_I32_EQZ), op(t, KNH_WASM_I32_EQZ);
    get(t, t->left), op(t, KNH_WASM_I64_EQZ), op(t, KNH_WASM_I32_AND);
    knh_wasm_open(f, KNH_WASM_IF);
    each(t, offsetof(knh_product_args, chain_out), offsetof(knh_product_args, chain_row), store_sum);
    knh_wasm_op0(f, KNH_WASM_ELSE);
    get(t, total);
    knh_wasm_open(f, KNH_WASM_IF);
    each(t, offsetof(knh_product_args, c), offsetof(knh_product_args, c_row), add_sum);
    knh_wasm_op0(f, KNH_WASM_ELSE);
    each(t, offsetof(knh_product_args, c), offsetof(knh_product_args, c_row), store_sum);
    knh_wasm_close(f);
    knh_wasm_close(f);
    i32(t, 1), set(t, total);
    clear(t);
}

static void begin(tiler *t)
{
    POINTER(a), set(t, t->a);
    POINTER(b), set(t, t->b);
    POINTER(packed), set(t, t->packed);
    POINTER(table), set(t, t->table);
    for (int i = 0; i < t->r->rows; i++) {
        get(t, i ? t->row + i - 1 : t->a);
        if (i)
            NUMBER(a_row), op(t, KNH_WASM_I32_ADD);
        set(t, t->row + i);
    }
    get(t, 0), knh_wasm_memory(&t->f, KNH_WASM_I64_LOAD, offsetof(knh_product_args, k)), set(t, t->left);
    get(t, 0), knh_wasm_memory(&t->f, KNH_WASM_I64_LOAD, offsetof(knh_product_args, phase)), set(t, t->done);
    clear(t);
    if (t->r->number == KNH_NUMBER_F32 && !knh_wasm_fuses())
        knh_wasm_set_fma_constants(&t->f, t->fma_constants);
    POINTER(chain_in);
    knh_wasm_open(&t->f, KNH_WASM_IF);
    each(t, offsetof(knh_product_args, chain_in), offsetof(knh_product_args, chain_row), load_sum);
    knh_wasm_close(&t->f);
}

static void function(tiler *t, int total)
{
    begin(t);
    NUMBER(total_in), set(t, total);
    int blocks = knh_wasm_open(&t->f, KNH_WASM_LOOP);
    count_steps(t);
    int steps = knh_wasm_open(&t->f, KNH_WASM_LOOP);
    one_step(t);
    get(t, t->steps), i32(t, 1), op(t, KNH_WASM_I32_SUB), knh_wasm_tee(&t->f, t->steps);
    knh_wasm_branch(&t->f, KNH_WASM_BR_IF, steps);
    knh_wasm_close(&t->f);
    end_block(t, total);
    get(t, t->left), knh_wasm_i64(&t->f, 0), op(t, KNH_WASM_I64_GT_S);
    knh_wasm_branch(&t->f, KNH_WASM_BR_IF, blocks);
    knh_wasm_close(&t->f);
}

static knx_error *make(const knh_product_request *r, int kind, knh_product_function **out, void **keep, size_t *bytes)
{
    (void)kind;
    tiler t = {.r = r, .size = r->number == KNH_NUMBER_F64 ? 8 : 4, .v = r->vectors};
    t.lanes = 16 / t.size;
    int local = 1, total;
    t.a = local++, t.b = local++, t.packed = local++, t.table = local++, t.steps = local++, t.at = local++,
    total = local++;
    t.row = local, local += r->rows;
    t.f.n_i32 = local - 1;
    t.left = local++, t.done = local++;
    t.f.n_i64 = 2;
    t.acc = local, local += r->rows * t.v;
    t.bv = local, local += t.v;
    t.av = local++, t.temp = local, local += KNH_WASM_FMA_TEMPS;
    t.fma_constants = local, local += KNH_WASM_FMA_CONSTANTS;
    t.f.n_v128 = local - t.acc;
    function(&t, total);
    uintptr_t place;
    KN_TRY(knh_wasm_publish(&t.f, &place, keep, bytes));
    *out = (knh_product_function *)place;
    return NULL;
}

static knh_product_function *function_for(const knh_product_maker *m, const knh_product_request *r)
{
    static const knh_product_making making = {make, knh_wasm_retract};
    return is_possible(m, r) ? knh_product_made(&making, r, 0, 0) : NULL;
}

const knh_product_maker knh_product_wasm = {
    .best = best, .rows = rows, .rows_turned = rows_turned, .function = function_for, .cpu = KN_CPU_BASE};

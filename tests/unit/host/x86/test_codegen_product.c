/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_product.c -- the inner loops of products against the definition written out (docs/determinism.md), bit
 * for bit: all rectangles, layouts of both operands, pieces of k; and nothing else in memory changes or is read. */
#include "base/cpu.h"
#include "base/memory.h"
#include "host/routine/product_rectangle.h"
#include "host/native.h"
#include "host/x86/product.h"
#include "support/group.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { AREA = 4 << 20, MOST_K = 700 };
static const knh_product_maker *const makers[] = {&knh_product_avx2, &knh_product_avx512};
static const knh_product_maker *maker = &knh_product_avx2; /* that is being tested */
static uint64_t seed = 1;
static uint32_t rnd(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* Memory behind whose end no byte can be touched. */
typedef struct area {
    char *end;
} area;
static area area_a, area_b, area_c, area_packed, area_chain;
static char want_c[1 << 20];

static int make_areas(void **state)
{
    (void)state;
    area *all[] = {&area_a, &area_b, &area_c, &area_packed, &area_chain};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *p = mmap(NULL, AREA + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(p, MAP_FAILED);
        assert_int_equal(mprotect(p + AREA, page, PROT_NONE), 0);
        all[i]->end = p + AREA;
    }
    return 0;
}

static const int element_bytes[KNH_NUMBER_KINDS] = {4, 8, 8, 16, 4, 8, 2, 1};
static const int sum_bytes[KNH_NUMBER_KINDS] = {4, 8, 8, 16, 4, 8, 4, 4};

/* Random numbers of either sign with zeros, signed zeros and tiny ones among them; integers: any bits. */
static void fill(knh_number n, char *to, size_t bytes)
{
    bool narrow = n == KNH_NUMBER_F32 || n == KNH_NUMBER_C64, wide = n == KNH_NUMBER_F64 || n == KNH_NUMBER_C128;
    for (size_t i = 0; i < bytes; i += wide ? 8 : narrow ? 4 : 1) {
        uint32_t kind = rnd(40);
        double x = ((double)rnd(1u << 30) - (double)(1u << 29)) / (double)(1u << 28);
        x = kind == 0 ? 0.0 : kind == 1 ? -0.0 : kind == 2 ? x * 1e-30 : kind == 3 ? x * 1e6 : x;
        float f = (float)x;
        uint8_t byte = (uint8_t)rnd(256);
        memcpy(to + i, wide ? (void *)&x : narrow ? (void *)&f : (void *)&byte, wide ? 8 : narrow ? 4 : 1);
    }
}

/* ---- The definition: one element of c. a: steps a_k bytes apart; b: b_k. */

typedef struct line {
    const char *a, *b;
    int64_t a_k, b_k, k;
    bool a_signed, b_signed, minus;   /* minus: taken from what c has, block by block */
    const int64_t *a_table, *b_table; /* not NULL: where the steps are */
} line;
static const char *a_at(const line *l, int64_t k) { return l->a + (l->a_table ? l->a_table[k] : k * l->a_k); }
static const char *b_at(const line *l, int64_t k) { return l->b + (l->b_table ? l->b_table[k] : k * l->b_k); }

#define REAL(name, T, FMA)                        \
    static void name(const line *l, char *c)      \
    {                                             \
        T total = 0;                              \
        if (l->minus)                             \
            memcpy(&total, c, sizeof total);      \
        for (int64_t k = 0; k < l->k;) {          \
            T acc = 0, a, b;                      \
            bool first = k == 0 && !l->minus;     \
            do {                                  \
                memcpy(&a, a_at(l, k), sizeof a); \
                memcpy(&b, b_at(l, k), sizeof b); \
                acc = FMA(a, b, acc);             \
            } while (++k < l->k && k % 256);      \
            acc = l->minus ? -acc : acc;          \
            total = first ? acc : total + acc;    \
        }                                         \
        memcpy(c, &total, sizeof total);          \
    }
REAL(line_f32, float, fmaf)
REAL(line_f64, double, fma)
#define MODULO(a, b, c) ((a) * (b) + (c))
REAL(line_i32, uint32_t, MODULO)
REAL(line_i64, uint64_t, MODULO)

#define COMPLEX(name, T, FMA)                                       \
    static void name(const line *l, char *c)                        \
    {                                                               \
        T total[2] = {0, 0};                                        \
        if (l->minus)                                               \
            memcpy(total, c, sizeof total);                         \
        for (int64_t k = 0; k < l->k;) {                            \
            T acc[2] = {0, 0}, a[2], b[2];                          \
            bool first = k == 0 && !l->minus;                       \
            do {                                                    \
                memcpy(a, a_at(l, k), sizeof a);                    \
                memcpy(b, b_at(l, k), sizeof b);                    \
                acc[0] = FMA(-a[1], b[1], FMA(a[0], b[0], acc[0])); \
                acc[1] = FMA(a[1], b[0], FMA(a[0], b[1], acc[1]));  \
            } while (++k < l->k && k % 256);                        \
            for (int i = 0; i < 2; i++)                             \
                acc[i] = l->minus ? -acc[i] : acc[i];               \
            for (int i = 0; i < 2; i++)                             \
                total[i] = first ? acc[i] : total[i] + acc[i];      \
        }                                                           \
        memcpy(c, total, sizeof total);                             \
    }
COMPLEX(line_c64, float, fmaf)
COMPLEX(line_c128, double, fma)

static uint32_t small(const char *p, int bytes, bool is_signed)
{
    if (bytes == 1)
        return is_signed ? (uint32_t)(int8_t)*p : (uint8_t)*p;
    int16_t x;
    memcpy(&x, p, 2);
    return is_signed ? (uint32_t)x : (uint16_t)x;
}
static void line_small(const line *l, int bytes, char *c)
{
    uint32_t sum = 0;
    for (int64_t k = 0; k < l->k; k++)
        sum += small(l->a + k * l->a_k, bytes, l->a_signed) * small(l->b + k * l->b_k, bytes, l->b_signed);
    memcpy(c, &sum, 4);
}
static void line_i16(const line *l, char *c) { line_small(l, 2, c); }
static void line_i8(const line *l, char *c) { line_small(l, 1, c); }
static void (*const define[KNH_NUMBER_KINDS])(const line *, char *) = {line_f32, line_f64, line_c64, line_c128,
                                                                       line_i32, line_i64, line_i16, line_i8};

/* ---- One rectangle. */

typedef struct rectangle {
    knh_product_request r;
    int64_t k;
    int columns;
    int64_t a_row, a_k, a_column, b_k, b_column, c_row, chain_row, packed_row; /* bytes */
    char *a, *b, *c, *chain, *packed;
} rectangle;

static bool is_complex(int n) { return n == KNH_NUMBER_C64 || n == KNH_NUMBER_C128; }
/* Steps that lie side by side in packed B. */
static int steps_of(int n) { return n == KNH_NUMBER_BYTES ? 4 : n == KNH_NUMBER_SHORTS ? 2 : 1; }
/* Elements of a and b to a multiple of that: zeros behind the last one. */
static int64_t padded(const rectangle *x)
{
    return (x->k + steps_of(x->r.number) - 1) / steps_of(x->r.number) * steps_of(x->r.number);
}

static void negate(char *to, const char *from, int bytes)
{
    memcpy(to, from, (size_t)bytes);
    to[bytes - 1] = (char)(to[bytes - 1] ^ 0x80);
}

/* What packed B is: garbage beyond the lanes, or zeros. */
static void pack(const rectangle *x, char *to, bool zeros)
{
    int n = x->r.number, e = element_bytes[n], s = steps_of(n);
    int64_t rows = padded(x) / s, parts = is_complex(n) ? 2 : 1;
    memset(to, zeros ? 0 : 0xFF, (size_t)(rows * parts * x->packed_row));
    for (int64_t i = 0; i < rows && zeros && parts == 2; i++) /* the negative of a zero */
        for (int64_t at = (2 * i + 1) * x->packed_row + e / 2 - 1; at < (2 * i + 2) * x->packed_row; at += e)
            to[at] = (char)0x80;
    for (int64_t k = 0; k < padded(x); k++)
        for (int j = 0; j < x->columns; j++) {
            char *at = to + k / s * parts * x->packed_row + (j * s + k % s) * e;
            const char *from = x->b + k * x->b_k + j * x->b_column;
            if (k < x->k)
                memcpy(at, from, (size_t)e);
            else
                memset(at, 0, (size_t)e);
            if (is_complex(n)) {
                negate(at + x->packed_row, from + e / 2, e / 2);
                memcpy(at + x->packed_row + e / 2, from, (size_t)e / 2);
            }
        }
}

/* Steps of an operand with a table lie in any order. */
static int64_t table[MOST_K];
static void make_table(int64_t k)
{
    for (int64_t i = 0; i < k; i++) {
        int64_t j = rnd((uint32_t)(i + 1));
        table[i] = table[j];
        table[j] = i;
    }
}

static rectangle lay_out(const knh_product_request *r, int64_t k)
{
    int n = r->number, e = element_bytes[n], s = sum_bytes[n];
    int lanes = knh_product_best(maker, (knh_number)n).lanes;
    rectangle x = {.r = *r, .k = k, .columns = (r->vectors - 1) * lanes + r->lanes};
    make_table(k);
    bool along = r->a_from != KNH_A_ACROSS, turned = r->b_from == KNH_B_TURNED, own = r->a_from == KNH_A_LANES;
    bool vectors = r->a_from == KNH_A_VECTORS;
    x.packed_row = r->vectors * lanes * s;
    x.a_row = along ? (padded(&x) + rnd(3)) * e : e;
    x.a_k = along ? e : (r->rows + (int)rnd(3)) * e;
    x.a_column = own ? x.a_row : 0;
    if (vectors) { /* rows of whole vectors, one after the other for each step */
        x.a_column = e;
        x.a_row = x.packed_row + (int)rnd(3) * e;
        x.a_k = r->rows * x.a_row;
    }
    x.b_k = turned ? e : (x.columns + (int)rnd(3)) * e;
    x.b_column = turned ? (k + (int)rnd(3)) * e : e;
    x.c_row = (x.columns + (int)rnd(3)) * s;
    x.chain_row = (x.columns + (int)rnd(3)) * s;
    x.a = area_a.end -
          ((own ? x.columns - 1 : r->rows - 1) * x.a_row + (padded(&x) - 1) * x.a_k + (vectors ? x.packed_row : e));
    x.b = area_b.end - ((k - 1) * x.b_k + (x.columns - 1) * x.b_column + e);
    x.c = area_c.end - ((r->rows - 1) * x.c_row + x.columns * s);
    x.chain = area_chain.end - ((r->rows - 1) * x.chain_row + x.columns * s);
    x.packed = area_packed.end - padded(&x) / steps_of(n) * (is_complex(n) ? 2 : 1) * x.packed_row;
    for (int64_t i = 0; i < k; i++)
        table[i] *= r->b_from == KNH_B_TABLE ? x.b_k : x.a_k;
    fill((knh_number)n, x.a, (size_t)(area_a.end - x.a));
    fill((knh_number)n, x.b, (size_t)(area_b.end - x.b));
    if (k < padded(&x))
        for (int i = 0; i < r->rows; i++)
            memset(x.a + i * x.a_row + k * e, 0, (size_t)((padded(&x) - k) * e));
    memset(x.c - 256, 0xA5, (size_t)(area_c.end - x.c + 256));
    if (r->minus)
        fill((knh_number)n, x.c, (size_t)(area_c.end - x.c));
    memset(x.chain - 256, 0x5A, (size_t)(area_chain.end - x.chain + 256));
    memset(x.packed - 256, 0x77, (size_t)(area_packed.end - x.packed + 256));
    if (r->b_from == KNH_B_PACKED)
        pack(&x, x.packed, false);
    return x;
}

/* All of c as it should be, with what lies between its rows. */
static void define_all(const rectangle *x)
{
    int s = sum_bytes[x->r.number];
    memcpy(want_c, x->c - 256, (size_t)(area_c.end - x->c + 256));
    for (int i = 0; i < x->r.rows; i++)
        for (int j = 0; j < x->columns; j++) {
            const char *a = x->a + i * x->a_row + j * x->a_column, *b = x->b + j * x->b_column;
            bool pairs = x->r.number == KNH_NUMBER_SHORTS; /* which are signed */
            line l = {a,          b,    x->a_k, x->b_k, x->k, x->r.a_signed || pairs, x->r.b_signed || pairs,
                      x->r.minus, NULL, NULL};
            l.a_table = x->r.a_from >= KNH_A_TABLE ? table : NULL;
            l.b_table = x->r.b_from == KNH_B_TABLE ? table : NULL;
            define[x->r.number](&l, want_c + 256 + i * x->c_row + j * s);
        }
}

/* Steps from .. to - 1; f NULL: by the loops in C. */
static void run_piece(const rectangle *x, knh_product_function *f, int64_t from, int64_t to)
{
    int64_t s = steps_of(x->r.number), parts = is_complex(x->r.number) ? 2 : 1,
            packed = from / s * parts * x->packed_row;
    bool is_packed = x->r.b_from == KNH_B_PACKED;
    bool a_table = x->r.a_from >= KNH_A_TABLE, b_table = x->r.b_from == KNH_B_TABLE;
    knh_product_args args = {.a = x->a + (a_table ? 0 : from * x->a_k),
                             .b = is_packed ? x->packed + packed : x->b + (b_table ? 0 : from * x->b_k),
                             .table = a_table || b_table ? table + from : NULL,
                             .c = x->c,
                             .packed = x->r.b_from == KNH_B_PACKING ? x->packed + packed : NULL,
                             .a_row = x->a_row,
                             .a_k = x->a_k,
                             .b_k = x->r.b_from == KNH_B_TURNED ? x->b_column : x->b_k,
                             .c_row = x->c_row,
                             .k = to - from,
                             .phase = from % 256,
                             .total_in = from >= 256 || x->r.minus,
                             .chain_in = from % 256 ? x->chain : NULL,
                             .chain_out = to % 256 && to < padded(x) ? x->chain : NULL,
                             .chain_row = x->chain_row,
                             .ahead = (int64_t)1 << (from % 61)}; /* wherever that is */
    if (f)
        f(&args);
    else
        knr_rectangle(&x->r, &args, knh_product_best(maker, (knh_number)x->r.number).lanes);
}

static void check_chain(const rectangle *x)
{
    int s = sum_bytes[x->r.number];
    for (const char *p = x->chain - 256; p < area_chain.end; p++) {
        int64_t at = p - x->chain;
        if (at < 0 || at % x->chain_row >= x->columns * s)
            assert_int_equal((uint8_t)*p, 0x5A);
    }
}

/* cuts: how many places k is cut at, -1: at multiples of 8 steps. */
static void check(const knh_product_request *r, int64_t k, int cuts)
{
    rectangle x = lay_out(r, k);
    knh_product_function *f = knh_product_for(maker, r);
    assert_non_null(f);
    if (r->b_from != KNH_B_TURNED && r->b_from != KNH_B_PACKING && !rnd(4))
        f = NULL;
    define_all(&x);
    int64_t s = steps_of(r->number);
    for (int64_t from = 0, to; from < padded(&x); from = to, cuts--) {
        to = cuts > 0 ? from + 1 + rnd((uint32_t)(padded(&x) - from)) : padded(&x);
        to = (to + s - 1) / s * s;
        run_piece(&x, f, from, to);
    }
    if (memcmp(x.c - 256, want_c, (size_t)(area_c.end - x.c + 256)))
        fail_msg("number %d, %s: %d rows, %d vectors, %d lanes, b %d, a %d, k %d", r->number,
                 maker == &knh_product_avx2 ? "avx2" : "avx512", r->rows, r->vectors, r->lanes, r->b_from, r->a_from,
                 (int)k);
    check_chain(&x);
    if (r->b_from == KNH_B_PACKING) {
        static char want[4 << 20];
        pack(&x, want, true);
        assert_memory_equal(x.packed, want, (size_t)(area_packed.end - x.packed));
    }
    for (int i = 1; i <= 256 && r->b_from != KNH_B_PACKED; i++)
        assert_int_equal(x.packed[-i], 0x77);
}

static bool works(knh_number n, const knh_product_maker *m)
{
    maker = m;
    return knx_cpu_best() >= m->cpu && knh_product_rows(m, n, 1);
}

/* Every rectangle in every layout, with the last vector full and not. */
static void check_rectangles(knh_number n, int last_b_from)
{
    for (int t = 0; t < 2; t++)
        for (int vectors = 1; works(n, makers[t]) && vectors <= 8; vectors++)
            for (int rows = knh_product_rows(maker, n, vectors); rows > 0; rows--)
                for (int b = 0; b <= last_b_from; b++)
                    for (int a = 0; a <= (steps_of(n) > 1 ? KNH_A_ALONG : KNH_A_ACROSS); a++) {
                        int lanes = knh_product_best(makers[t], n).lanes;
                        knh_product_request r = {.number = n, .rows = (uint8_t)rows};
                        r.vectors = (uint8_t)vectors;
                        r.lanes = (uint8_t)(rnd(2) ? lanes : 1 + (int)rnd((uint32_t)lanes));
                        r.b_from = (uint8_t)b;
                        r.a_from = (uint8_t)a;
                        r.a_signed = (uint8_t)rnd(2) & 1; /* no matter for pairs, which are signed */
                        r.b_signed = (uint8_t)rnd(2) & 1;
                        check(&r, 1 + rnd(rows * vectors > 12 ? 70 : 300), 0);
                        r.minus = n <= KNH_NUMBER_C128;
                        check(&r, 1 + rnd(40), (int)rnd(3));
                    }
}

/* All lengths of the last vector, and long contractions whole and in pieces. */
static void check_lengths(knh_number n, int last_b_from)
{
    static const int64_t ks[] = {1, 2, 3, 64, 66, 128, 4, 5, 7, 8, 9, 255, 256, 257, 300, 511, 512, 513, 700};
    for (int t = 0; t < 2; t++) {
        if (!works(n, makers[t]))
            continue;
        int lanes = knh_product_best(maker, n).lanes;
        for (int l = 1; l <= lanes; l++)
            for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
                knh_product_request r = {.number = n, .rows = 3, .vectors = (uint8_t)(1 + i % 2)};
                r.rows = (uint8_t)(1 + rnd((uint32_t)knh_product_rows(maker, n, r.vectors)));
                r.lanes = (uint8_t)l;
                r.a_signed = (uint8_t)rnd(2) & 1; /* no matter for pairs, which are signed */
                r.b_signed = (uint8_t)rnd(2) & 1;
                r.b_from = (uint8_t)rnd((uint32_t)last_b_from + 1);
                if (steps_of(n) == 1)
                    r.a_from = (uint8_t)rnd(2);
                r.minus = n <= KNH_NUMBER_C128 ? (uint8_t)rnd(2) & 1 : 0;
                check(&r, ks[i], (int)rnd(5));
            }
    }
}

/* Steps where a table says, of A or of B. */
static void check_tables(knh_number n)
{
    for (int t = 0; t < 2; t++)
        for (int vectors = 1; works(n, makers[t]) && vectors <= 8; vectors++)
            for (int rows = knh_product_rows(maker, n, vectors); rows > 0; rows--)
                for (int form = 0; form < (n <= KNH_NUMBER_F64 ? 6 : 5); form++) {
                    int lanes = knh_product_best(maker, n).lanes;
                    knh_product_request r = {.number = n, .rows = (uint8_t)rows, .vectors = (uint8_t)vectors};
                    r.lanes = (uint8_t)(rnd(2) ? lanes : 1 + (int)rnd((uint32_t)lanes));
                    r.b_from = (uint8_t)(form < 2 ? KNH_B_TABLE : (int)KNH_B_PACKED + (form - 2) % 3);
                    r.a_from = form == 0   ? KNH_A_ALONG
                               : form == 1 ? KNH_A_ACROSS
                               : form == 5 ? KNH_A_VECTORS
                                           : KNH_A_TABLE;
                    if (form > 1 && rows > KNH_TABLE_ROWS) {
                        assert_null(knh_product_for(maker, &r));
                        continue;
                    }
                    check(&r, 1 + rnd(rows * vectors > 12 ? 70 : 300), (int)rnd(3));
                    r.minus = n <= KNH_NUMBER_C128;
                    check(&r, 1 + rnd(600), (int)rnd(5));
                }
}

static void f32_by_tables(void **state) { (void)state, check_tables(KNH_NUMBER_F32); }
static void f64_by_tables(void **state) { (void)state, check_tables(KNH_NUMBER_F64); }
static void c64_by_tables(void **state) { (void)state, check_tables(KNH_NUMBER_C64); }
static void i64_by_tables(void **state) { (void)state, check_tables(KNH_NUMBER_I64); }

/* Columns of B along k, with every number of them. */
static void check_turned(knh_number n)
{
    for (int t = 0; t < 2; t++)
        for (int a = 0; works(n, makers[t]) && a <= KNH_A_LANES; a += KNH_A_LANES)
            for (int vectors = 1; vectors <= 8; vectors++)
                for (int rows = knh_product_rows_turned(maker, n, vectors, (knh_a_from)a); rows > 0; rows--)
                    for (int l = knh_product_best(makers[t], n).lanes; l > 0; l--) {
                        knh_product_request r = {.number = n, .rows = (uint8_t)rows};
                        r.vectors = (uint8_t)vectors;
                        r.lanes = (uint8_t)l;
                        r.b_from = KNH_B_TURNED;
                        r.a_from = (uint8_t)a;
                        check(&r, 1 + rnd(40), 0);
                        check(&r, 1 + rnd(80), (int)rnd(3));
                        check(&r, 1 + rnd(600), (int)rnd(5));
                    }
}

static void f32_with_columns_along_k(void **state) { (void)state, check_turned(KNH_NUMBER_F32); }
static void f64_with_columns_along_k(void **state) { (void)state, check_turned(KNH_NUMBER_F64); }
static void c64_with_columns_along_k(void **state) { (void)state, check_turned(KNH_NUMBER_C64); }
static void c128_with_columns_along_k(void **state) { (void)state, check_turned(KNH_NUMBER_C128); }

static void f32_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_F32, KNH_B_PACKING); }
static void f64_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_F64, KNH_B_PACKING); }
static void c64_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_C64, KNH_B_PACKING); }
static void c128_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_C128, KNH_B_PACKING); }
static void f32_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_F32, KNH_B_PACKING); }
static void f64_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_F64, KNH_B_PACKING); }
static void c64_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_C64, KNH_B_PACKING); }
static void c128_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_C128, KNH_B_PACKING); }

static void i32_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_I32, KNH_B_PACKING); }
static void i64_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_I64, KNH_B_PACKING); }
static void i16_in_all_rectangles(void **state) { (void)state, check_rectangles(KNH_NUMBER_SHORTS, KNH_B_PACKED); }
static void i8_in_all_rectangles(void **state)
{
    (void)state;
    check_rectangles(KNH_NUMBER_BYTES, KNH_B_PACKED);
    knh_product_allow_amx(false);
    check_rectangles(KNH_NUMBER_BYTES, KNH_B_PACKED);
    knh_product_allow_amx(true);
}
static void i32_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_I32, KNH_B_PACKING); }
static void i64_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_I64, KNH_B_PACKING); }
static void i16_in_pieces(void **state) { (void)state, check_lengths(KNH_NUMBER_SHORTS, KNH_B_PACKED); }
static void i8_in_pieces(void **state)
{
    (void)state;
    check_lengths(KNH_NUMBER_BYTES, KNH_B_PACKED);
    knh_product_allow_amx(false);
    check_lengths(KNH_NUMBER_BYTES, KNH_B_PACKED);
    knh_product_allow_amx(true);
}

static void a_function_is_made_once_and_counted(void **state)
{
    (void)state;
    if (!works(KNH_NUMBER_F32, &knh_product_avx2))
        skip();
    knh_product_request r = {.number = KNH_NUMBER_F32, .rows = 5, .vectors = 1, .lanes = 7};
    r.b_from = KNH_B_PLAIN;
    knh_product_function *f = knh_product_for(maker, &r);
    uint64_t functions = knh_count().functions;
    assert_ptr_equal(knh_product_for(maker, &r), f);
    assert_int_equal(knh_count().functions, functions);
    r.lanes = 6;
    assert_ptr_not_equal(knh_product_for(maker, &r), f);
    assert_true(knh_count().functions >= functions);
    assert_true(knh_count().bytes > 0);
}

/* Requests that nobody has made before. */
static knh_product_request fresh(int i)
{
    knh_product_request r = {.number = KNH_NUMBER_F64, .rows = (uint8_t)(1 + i / 4), .vectors = 2};
    r.lanes = (uint8_t)(1 + i % 4);
    r.b_from = KNH_B_PACKED;
    r.a_from = KNH_A_ACROSS;
    return r;
}

static void *ask_for_all(void *out_)
{
    knh_product_function **out = out_;
    for (int i = 0; i < 24; i++) {
        knh_product_request r = fresh(i);
        out[i] = knh_product_for(maker, &r);
    }
    return NULL;
}

static void threads_find_the_same_functions(void **state)
{
    (void)state;
    pthread_t thread[4];
    knh_product_function *f[4][24];
    if (!works(KNH_NUMBER_F64, &knh_product_avx2))
        skip();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_for_all, f[i]), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 24; i++) {
        assert_non_null(f[0][i]);
        for (int j = 1; j < 4; j++)
            assert_ptr_equal(f[j][i], f[0][i]);
    }
}

static void without_memory_there_is_no_function_yet(void **state)
{
    (void)state;
    if (!works(KNH_NUMBER_F64, &knh_product_avx2))
        skip();
    knh_product_request r = fresh(0);
    r.b_from = KNH_B_PLAIN;
    knh_product_function *f = NULL;
    int64_t k = 0;
    for (; !f && k < 100; k++) {
        int64_t live = knx_alloc_live();
        knx_fail_after(k, false);
        f = knh_product_for(maker, &r);
        knx_fail_after(-1, false);
        assert_true(f || knx_alloc_live() == live);
    }
    assert_true(k > 1);
    assert_non_null(f);
}

static void what_does_not_fit_has_no_function(void **state)
{
    (void)state;
    maker = &knh_product_avx2;
    knh_product_request r = {.number = KNH_NUMBER_F32, .rows = 7, .vectors = 2, .lanes = 8};
    assert_null(knh_product_for(maker, &r));
    r.rows = 6, r.lanes = 9;
    assert_null(knh_product_for(maker, &r));
    r.lanes = 0;
    assert_null(knh_product_for(maker, &r));
    r = (knh_product_request){.number = KNH_NUMBER_F32, .rows = 1, .vectors = 1, .lanes = 8};
    r.a_from = KNH_A_LANES;
    assert_null(knh_product_for(maker, &r));
    r.a_from = KNH_A_ACROSS, r.b_from = KNH_B_TURNED;
    assert_null(knh_product_for(maker, &r));
    r.a_from = KNH_A_ALONG, r.number = KNH_NUMBER_I32;
    assert_null(knh_product_for(maker, &r));
    r.a_from = KNH_A_TABLE, r.b_from = KNH_B_TABLE;
    assert_null(knh_product_for(maker, &r));
    r.b_from = KNH_B_PACKED, r.number = KNH_NUMBER_SHORTS;
    assert_null(knh_product_for(maker, &r));
    assert_int_equal(knh_product_rows(&knh_product_avx512, KNH_NUMBER_F32, 2), 14);
    assert_int_equal(knh_product_rows(&knh_product_avx2, KNH_NUMBER_F64, 2), 6);
    assert_int_equal(knh_product_rows(&knh_product_avx2, KNH_NUMBER_F64, 0), 0);
}

KN_TEST_GROUP(test_codegen_product)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_find_the_same_functions),
        cmocka_unit_test(without_memory_there_is_no_function_yet),
        cmocka_unit_test(f32_in_all_rectangles),
        cmocka_unit_test(f32_in_pieces),
        cmocka_unit_test(f64_in_all_rectangles),
        cmocka_unit_test(f64_in_pieces),
        cmocka_unit_test(c64_in_all_rectangles),
        cmocka_unit_test(c64_in_pieces),
        cmocka_unit_test(c128_in_all_rectangles),
        cmocka_unit_test(c128_in_pieces),
        cmocka_unit_test(f32_by_tables),
        cmocka_unit_test(f64_by_tables),
        cmocka_unit_test(c64_by_tables),
        cmocka_unit_test(i64_by_tables),
        cmocka_unit_test(f32_with_columns_along_k),
        cmocka_unit_test(f64_with_columns_along_k),
        cmocka_unit_test(c64_with_columns_along_k),
        cmocka_unit_test(c128_with_columns_along_k),
        cmocka_unit_test(i32_in_all_rectangles),
        cmocka_unit_test(i32_in_pieces),
        cmocka_unit_test(i64_in_all_rectangles),
        cmocka_unit_test(i64_in_pieces),
        cmocka_unit_test(i16_in_all_rectangles),
        cmocka_unit_test(i16_in_pieces),
        cmocka_unit_test(i8_in_all_rectangles),
        cmocka_unit_test(i8_in_pieces),
        cmocka_unit_test(a_function_is_made_once_and_counted),
        cmocka_unit_test(what_does_not_fit_has_no_function),
    };
    return cmocka_run_group_tests(tests, make_areas, NULL);
}

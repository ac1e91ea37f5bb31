/* SPDX-License-Identifier: Apache-2.0
 * product_rectangle.c -- one rectangle of a product in plain loops, a row and a vector at a time. */
#include "host/routine/product_rectangle.h"
#include "base/cpu.h"
#include "host/routine/product_block.h"
#include "host/routine/product_plan.h"
#include <string.h>

static const knr_block_loops *best(void)
{
#if defined(KN_HAVE_ISA_VARIANTS)
    static const knr_block_loops *const forms[] = {&knr_block_base, &knr_block_avx2, &knr_block_avx2};
    return forms[knx_cpu_chosen()];
#else
    return &knr_block_base;
#endif
}

#define FLOATS(name) \
    static void name##_sums(const knr_block *x, void *sums) { best()->name(x, sums); }
FLOATS(f32)
FLOATS(f64)
FLOATS(c64)
FLOATS(c128)

/* Sums modulo 2^32 or 2^64. */
#define MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))
KNR_BLOCK_LOOP(i32_sums, uint32_t, MULTIPLY_ADD)
KNR_BLOCK_LOOP(i64_sums, uint64_t, MULTIPLY_ADD)

/* `group` steps of a column lie side by side; steps is a multiple of it, b_step that of a group. */
#define NARROW(name, S, U, GROUP)                                                                                  \
    static void name(const knr_block *x, void *sums)                                                               \
    {                                                                                                              \
        uint32_t *acc = sums;                                                                                      \
        const char *a = x->a, *b_at = x->b;                                                                        \
        for (int64_t k = 0; k < x->steps; k += GROUP, a += GROUP * x->a_step, b_at += x->b_step)                   \
            for (int j = 0; j < x->columns; j++)                                                                   \
                for (int g = 0; g < GROUP; g++) {                                                                  \
                    int32_t v = x->a_signed ? ((const S *)a)[g] : ((const U *)a)[g];                               \
                    int32_t w = x->b_signed ? ((const S *)b_at)[j * GROUP + g] : ((const U *)b_at)[j * GROUP + g]; \
                    acc[j] += (uint32_t)v * (uint32_t)w;                                                           \
                }                                                                                                  \
    }
NARROW(narrow_8, int8_t, uint8_t, 4)
NARROW(narrow_16, int16_t, uint16_t, 2)

static const struct {
    knr_block_loop *block;
    uint8_t size, step, rows, group; /* bytes of a sum, of a step of a row of a; rows of packed b; steps side by side */
    char sum;                        /* f, d: float, double; i, l: integers */
} numbers[KNH_NUMBER_KINDS] = {
    [KNH_NUMBER_F32] = {f32_sums, 4, 4, 1, 1, 'f'},     [KNH_NUMBER_F64] = {f64_sums, 8, 8, 1, 1, 'd'},
    [KNH_NUMBER_C64] = {c64_sums, 8, 8, 2, 1, 'f'},     [KNH_NUMBER_C128] = {c128_sums, 16, 16, 2, 1, 'd'},
    [KNH_NUMBER_I32] = {i32_sums, 4, 4, 1, 1, 'i'},     [KNH_NUMBER_I64] = {i64_sums, 8, 8, 1, 1, 'l'},
    [KNH_NUMBER_SHORTS] = {narrow_16, 4, 2, 1, 2, 'i'}, [KNH_NUMBER_BYTES] = {narrow_8, 4, 1, 1, 4, 'i'},
};

static void add_totals(char sum, bool minus, void *c, const void *block, int64_t n)
{
#define ADD(T)                      \
    for (int64_t i = 0; i < n; i++) \
        ((T *)c)[i] = ((const T *)c)[i] + (minus ? -((const T *)block)[i] : ((const T *)block)[i]);
    switch (sum) {
    case 'f': ADD(float) break;
    case 'd': ADD(double) break;
    case 'i': ADD(uint32_t) break;
    default: ADD(uint64_t) break;
    }
#undef ADD
}

/* One step, with a number of a for each column. */
static void add_lanes(const knh_product_request *r, knr_block s, char *sums)
{
    int size = numbers[r->number].size;
    int columns = s.columns;
    s.columns = 1;
    for (int i = 0; i < columns; i++, s.a += size, s.b += size)
        numbers[r->number].block(&s, sums + i * size);
}

/* The steps of a block; from where the table says, if there is one. */
static void add_block(const knh_product_request *r, knr_block s, const int64_t *table, int64_t at, void *sums)
{
    const char *a = s.a, *b = s.b;
    int64_t steps = s.steps;
    bool of_a = r->a_from == KNH_A_TABLE || r->a_from == KNH_A_VECTORS;
    if (!of_a && r->b_from != KNH_B_TABLE) {
        numbers[r->number].block(&s, sums);
        return;
    }
    s.steps = 1;
    for (int64_t k = 0; k < steps; k++) {
        s.a = a + (of_a ? table[at + k] : k * s.a_step);
        s.b = b + (r->b_from == KNH_B_TABLE ? table[at + k] : k * s.b_step);
        if (r->a_from == KNH_A_VECTORS)
            add_lanes(r, s, sums);
        else
            numbers[r->number].block(&s, sums);
    }
}

/* All blocks of one row and one vector. */
static void one_vector(const knh_product_request *r, const knh_product_args *x, knr_block s, int64_t at_c,
                       int64_t at_chain)
{
    _Alignas(64) char sums[64];
    int64_t left = x->k, done = x->phase, group = numbers[r->number].group;
    size_t bytes = (size_t)s.columns * (size_t)numbers[r->number].size;
    char *c = (char *)x->c + at_c, sum = numbers[r->number].sum;
    bool total = x->total_in != 0, first = true;
    for (; left > 0; left -= s.steps, done = 0, first = false) {
        s.steps = knr_least(left, KNR_BLOCK_STEPS - done);
        if (first && x->chain_in)
            memcpy(sums, (const char *)x->chain_in + at_chain, bytes);
        else
            memset(sums, 0, bytes);
        add_block(r, s, x->table, x->k - left, sums);
        s.a += r->a_from >= KNH_A_TABLE ? 0 : s.steps * s.a_step;
        s.b += r->b_from == KNH_B_TABLE ? 0 : knr_divide_up(s.steps, group) * s.b_step;
        if (x->chain_out && s.steps == left)
            memcpy((char *)x->chain_out + at_chain, sums, bytes);
        else if (total)
            add_totals(sum, r->minus, c, sums, (int64_t)bytes / (sum == 'd' || sum == 'l' ? 8 : 4));
        else
            memcpy(c, sums, bytes);
        total = true;
    }
}

/* Plain B into packed form, as the function that packs leaves it. */
static void pack(const knh_product_request *r, const knh_product_args *x, int lanes)
{
    int64_t step = numbers[r->number].step, columns = (r->vectors - 1) * lanes + r->lanes;
    int64_t row = r->vectors * lanes * step, rows = numbers[r->number].rows;
    for (int64_t k = 0; k < x->k; k++) {
        char *to = (char *)x->packed + k * row * rows;
        memset(to, 0, (size_t)(row * rows));
        memcpy(to, (const char *)x->b + k * x->b_k, (size_t)(columns * step));
        if (rows == 2)
            knr_transpose_complex(step == 16, columns, to, to + row);
    }
}

void knr_transpose_complex(bool wide, int64_t n, const void *from, void *to)
{
    const float *f = from;
    const double *d = from;
    for (int64_t i = 0; i < n; i++)
        if (wide) {
            ((double *)to)[2 * i] = -d[2 * i + 1];
            ((double *)to)[2 * i + 1] = d[2 * i];
        } else {
            ((float *)to)[2 * i] = -f[2 * i + 1];
            ((float *)to)[2 * i + 1] = f[2 * i];
        }
}

void knr_rectangle(const knh_product_request *r, const knh_product_args *x, int lanes)
{
    int size = numbers[r->number].size, step = numbers[r->number].step, group = numbers[r->number].group;
    bool plain = r->b_from == KNH_B_PLAIN, shorts = r->number == KNH_NUMBER_SHORTS; /* which are all signed */
    knr_block s = {.a_signed = r->a_signed || shorts,
                   .b_signed = r->b_signed || shorts,
                   .a_step = r->a_from == KNH_A_ACROSS ? x->a_k : step,
                   .b_step = plain ? x->b_k : (int64_t)r->vectors * lanes * step * group * numbers[r->number].rows};
    if (r->b_from == KNH_B_PACKING)
        pack(r, x, lanes);
    const char *b = r->b_from == KNH_B_PACKING ? x->packed : x->b;
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t v = 0; v < r->vectors; v++) {
            int64_t at = v * lanes * size;
            s.columns = v + 1 < r->vectors ? lanes : r->lanes;
            s.a = (const char *)x->a + (r->a_from == KNH_A_VECTORS ? at : 0) +
                  i * (r->a_from == KNH_A_ACROSS ? step : x->a_row);
            s.b = b + v * lanes * step * group;
            one_vector(r, x, s, i * x->c_row + at, i * x->chain_row + at);
        }
}

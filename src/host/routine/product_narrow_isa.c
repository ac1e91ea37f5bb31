/* SPDX-License-Identifier: Apache-2.0
 * product_narrow_isa.c -- the loops of product_narrow.h, compiled once per instruction set. Each lane has a row of the
 * matrix. 16 bytes of each row change rows and columns in registers as words of 32 bits; a word is 2, 4 or 8 steps,
 * which shifts take apart. */
#include "base/half.h"
#include "base/isa_name.h"
#include "host/routine/product_narrow.h"
#include "host/routine/product_vector.h"

#if VECTOR_BYTES == 16 /* vectors are too short to gain anything */
const knr_narrow_loops KN_ISA_NAME(knr_narrow) = {{NULL, NULL, NULL, NULL}};
#else
#if defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define ROLLED _Pragma("GCC unroll 1")
#endif

enum { LANES = VECTOR_BYTES / 4, WORDS = 4, BLOCK = 256, LINE = 64, TILES = 2 };
typedef int32_t vi32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t vu16 __attribute__((vector_size(VECTOR_BYTES / 2)));

/* ---- Words: 16 bytes of rows l, l + 4, ... in one register, and their squares of 4 x 4 turned. */

#if VECTOR_BYTES == 64
ALWAYS vu32 load_rows(const char *p, int64_t row)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)p));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + 4 * row)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + 8 * row)), 2);
    return (vu32)_mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + 12 * row)), 3);
}
#define PAIRS(name, size) \
    ALWAYS vu32 name(vu32 x, vu32 y) { return (vu32)_mm512_##name##_epi##size((__m512i)x, (__m512i)y); }
PAIRS(unpacklo, 32)
PAIRS(unpackhi, 32)
#undef PAIRS
ALWAYS vu32 low_pairs(vu32 x, vu32 y) { return (vu32)_mm512_unpacklo_epi64((__m512i)x, (__m512i)y); }
ALWAYS vu32 high_pairs(vu32 x, vu32 y) { return (vu32)_mm512_unpackhi_epi64((__m512i)x, (__m512i)y); }
#else
ALWAYS vu32 load_rows(const char *p, int64_t row)
{
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));
    return (vu32)_mm256_inserti128_si256(v, _mm_loadu_si128((const __m128i *)(p + 4 * row)), 1);
}
ALWAYS vu32 unpacklo(vu32 x, vu32 y) { return (vu32)_mm256_unpacklo_epi32((__m256i)x, (__m256i)y); }
ALWAYS vu32 unpackhi(vu32 x, vu32 y) { return (vu32)_mm256_unpackhi_epi32((__m256i)x, (__m256i)y); }
ALWAYS vu32 low_pairs(vu32 x, vu32 y) { return (vu32)_mm256_unpacklo_epi64((__m256i)x, (__m256i)y); }
ALWAYS vu32 high_pairs(vu32 x, vu32 y) { return (vu32)_mm256_unpackhi_epi64((__m256i)x, (__m256i)y); }
#endif

/* Word w of row l is lane l of to[w]. */
ALWAYS void take_words(const char *p, int64_t row, vu32 to[WORDS])
{
    vu32 r0 = load_rows(p, row), r1 = load_rows(p + row, row), r2 = load_rows(p + 2 * row, row),
         r3 = load_rows(p + 3 * row, row);
    vu32 a = unpacklo(r0, r1), b = unpacklo(r2, r3), c = unpackhi(r0, r1), d = unpackhi(r2, r3);
    to[0] = low_pairs(a, b), to[1] = high_pairs(a, b), to[2] = low_pairs(c, d), to[3] = high_pairs(c, d);
}

/* ---- Steps. */

ALWAYS vf32 halves_to_floats(vu32 w)
{
#if VECTOR_BYTES == 64
    return (vf32)_mm512_cvtph_ps((__m256i) __builtin_convertvector(w, vu16));
#else
    return (vf32)_mm256_cvtph_ps((__m128i) __builtin_convertvector(w, vu16));
#endif
}

ALWAYS int steps_of_word(knr_narrow_kind kind)
{
    return kind == KNR_NARROW_NIBBLES ? 8 : kind == KNR_NARROW_I8 ? 4 : 2;
}

/* Step s of a word, as it is stored. */
ALWAYS vf32 step_of(knr_narrow_kind kind, vu32 w, int s)
{
    if (kind == KNR_NARROW_NIBBLES)
        return __builtin_convertvector((vi32)(w >> (4 * s) & 15), vf32);
    if (kind == KNR_NARROW_I8)
        return __builtin_convertvector((vi32)(w << (24 - 8 * s)) >> 24, vf32);
    if (kind == KNR_NARROW_F16)
        return halves_to_floats(s ? w >> 16 : w & 0xffff);
    return (vf32)(s ? w & 0xffff0000 : w << 16);
}

static float number_at(kn_dtype d, const void *base, int64_t i)
{
    switch (d->id) {
    case KN_ID_F32: return ((const float *)base)[i];
    case KN_ID_F16: return knx_f16_to_f32(((const uint16_t *)base)[i]);
    case KN_ID_BF16: return knx_bf16_to_f32(((const uint16_t *)base)[i]);
    case KN_ID_I8: return ((const int8_t *)base)[i];
    default: return ((const uint8_t *)base)[i];
    }
}

/* Those of LANES rows for group g. */
static __attribute__((noinline)) void gather(const knr_narrow_groups *x, const void *base, int64_t row, int64_t g,
                                             float *to)
{
    for (int l = 0; l < LANES; l++)
        to[l] = number_at(x->dtype, base, (row + l) * x->row + g * x->group);
}

ALWAYS vf32 all_lanes(float x) { return x - (vf32){0}; }

/* What is one for each row of two tiles in a group. Scales that are adjacent are taken for four groups at once. */
typedef struct group {
    vf32 scale[TILES], zero[TILES];
    vu32 next[TILES][WORDS];
} group;

ALWAYS bool by_four(const knr_narrow *x, int64_t g)
{
    return x->scale.dtype->id == KN_ID_F32 && x->scale.group == 1 && (g & -WORDS) + WORDS <= x->k / x->group;
}

static __attribute__((noinline)) void begin_group(const knr_narrow *x, const knr_narrow_run *r, int64_t row, int64_t i,
                                                  group *g)
{
    for (int t = 0; t < TILES; t++, row += LANES) {
        bool four = x->has_scale && by_four(x, i);
        if (four && i % WORDS == 0)
            take_words((const char *)r->scale + (row * x->scale.row + i) * 4, x->scale.row * 4, g->next[t]);
        if (four)
            g->scale[t] = (vf32)g->next[t][i % WORDS];
        else if (x->has_scale)
            gather(&x->scale, r->scale, row, i, (float *)&g->scale[t]);
        if (x->has_zero && x->zero.dtype)
            gather(&x->zero, r->zero, row, i, (float *)&g->zero[t]);
    }
}

/* 16 bytes of all rows of the tiles, from step k on. */
ALWAYS void add_chunk(int64_t row, const float *a, const char *values, const knr_narrow_kind kind, const group *g,
                      vf32 acc[TILES])
{
    const int steps = steps_of_word(kind);
    vu32 w[TILES][WORDS];
    UNROLL for (int t = 0; t < TILES; t++) take_words(values + t * LANES * row, row, w[t]);
    ROLLED for (int i = 0; i < WORDS; i++)
    {
        UNROLL for (int s = 0; s < steps; s++)
        {
            UNROLL for (int t = 0; t < TILES; t++)
            {
                vf32 v = step_of(kind, w[t][i], s);
                if (kind < KNR_NARROW_F16)
                    v = (v - g->zero[t]) * g->scale[t];
                acc[t] = fma_f32(all_lanes(a[i * steps + s]), v, acc[t]);
            }
        }
    }
}

/* A row of a, and rows row .. of two tiles; `next`: bytes to the rows that come after them, 0 if there are none.
 * Without zero points they are 0, without scales 1: the bits are the same. */
ALWAYS void run_tiles(const knr_narrow *x, const knr_narrow_run *r, const float *a, int64_t row, float *c,
                      const knr_narrow_kind kind, int64_t next)
{
    const int chunk = WORDS * steps_of_word(kind);
    const char *values = (const char *)r->values + row * x->row;
    vf32 total[TILES] = {0}, acc[TILES];
    group g;
    int64_t next_group = x->has_scale || x->has_zero ? 0 : -1;
    for (int t = 0; t < TILES; t++) {
        g.scale[t] = all_lanes(1);
        g.zero[t] = all_lanes(x->has_zero && !x->zero.dtype ? *(const float *)r->zero : 0);
    }
    for (int64_t k = 0, end; k < x->k;) {
        bool first = k == 0;
        end = k + BLOCK < x->k ? k + BLOCK : x->k;
        for (int t = 0; t < TILES; t++)
            acc[t] = (vf32){0};
        for (; k < end; k += chunk, values += WORDS * 4) {
            if (k == next_group) {
                begin_group(x, r, row, k / x->group, &g);
                next_group += x->group;
            }
            if (next && ((uintptr_t)values & (LINE - 1)) < WORDS * 4)
                for (int l = 0; l < TILES * LANES; l++)
                    __builtin_prefetch(values + next + l * x->row);
            add_chunk(x->row, a + k, values, kind, &g, acc);
        }
        for (int t = 0; t < TILES; t++)
            total[t] = first ? acc[t] : total[t] + acc[t];
    }
    memcpy(c + row, total, sizeof total);
}

/* The last rows are in tiles that begin earlier, with rows that are made again. */
ALWAYS void run_rows(const knr_narrow *x, const knr_narrow_run *r, int64_t row, int64_t end, const knr_narrow_kind kind)
{
    const int whole = TILES * LANES;
    for (; row < end; row += whole) {
        int64_t at = row + whole <= end ? row : end - whole, next = row + 2 * whole <= end ? whole * x->row : 0;
        for (int m = 0; m < x->m; m++)
            run_tiles(x, r, r->a + m * x->a_row, at, r->c + m * x->c_row, kind, m ? 0 : next);
    }
}

#define LOOP(name, kind)                                                                     \
    static void name(const knr_narrow *x, const knr_narrow_run *r, int64_t row, int64_t end) \
    {                                                                                        \
        run_rows(x, r, row, end, kind);                                                      \
    }
LOOP(i8, KNR_NARROW_I8)
LOOP(nibbles, KNR_NARROW_NIBBLES)
LOOP(f16, KNR_NARROW_F16)
LOOP(bf16, KNR_NARROW_BF16)

const knr_narrow_loops KN_ISA_NAME(knr_narrow) = {{i8, nibbles, f16, bf16}};
#endif

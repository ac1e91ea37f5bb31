/* SPDX-License-Identifier: Apache-2.0
 * reader.h -- words of a bit generator as distributions draw them, one by one; and the distributions.
 *
 * Words are made many at once, because that is faster: as many as the one who draws expects to take (knrng_expect).
 * What was not taken is given back in the end (knrng_give_back), so that the generator's state is what it would be
 * without. */
#ifndef KN_RNG_READER_H
#define KN_RNG_READER_H
#include "rng/bits.h"

enum { KNRNG_AHEAD = 512 };

/* What numbers of the binomial distribution need of n and p. */
typedef struct knrng_binomial {
    bool known;
    int64_t n, m;
    double p, r, q, log_q, fm, p1, xm, xl, xr, c, laml, lamr, p2, p3, p4;
} knrng_binomial;
static inline void knrng_binomial_forget(knrng_binomial *b)
{
    b->known = false;
    b->p = -1;
}
/* The second of two normal numbers that are made together, as RandomState keeps it. */
typedef struct knrng_gauss {
    bool has;
    double value;
} knrng_gauss;

/* A parameter of a distribution: a number, or a count. */
typedef union knrng_number {
    double d;
    int64_t i;
} knrng_number;
/* What was computed of parameters, for the next number of the same ones. */
enum { KNRNG_MEMO_PARAMS = 3, KNRNG_MEMO_VALUES = 8 };
typedef struct knrng_memo {
    bool known;
    knrng_number a[KNRNG_MEMO_PARAMS];
    double v[KNRNG_MEMO_VALUES];
} knrng_memo;
/* Are the values those of these n parameters? If not they have to be computed now, and are from then on. */
static inline bool knrng_recall(knrng_memo *m, int n, const knrng_number *a)
{
    bool same = m->known;
    for (int i = 0; i < n; i++) {
        same = same && m->a[i].i == a[i].i; /* the bits */
        m->a[i] = a[i];
    }
    m->known = true;
    return same;
}

typedef struct knrng_reader {
    knrng_bits *g;
    const uint64_t *at, *end;     /* words made ahead */
    const uint32_t *at32, *end32; /* words of 32 bits: of a generator of pairs, and in fills with those alone */
    size_t batch;                 /* so many are made at once */
    knrng_gauss *gauss;           /* of a RandomState */
    bool pairs;                   /* g->kind's */
    bool halves;                  /* words of 64 bits were made ahead as their halves */
    bool mixed;                   /* both kinds are drawn: no halves ahead any more */
    knrng_binomial binomial;
    knrng_memo memo, rate; /* of a distribution; of Poisson numbers inside of another one */
    union {
        uint64_t ahead[KNRNG_AHEAD];
        uint32_t ahead32[2 * KNRNG_AHEAD];
    };
    knrng_words before; /* the generator's, as they were before words were made ahead */
} knrng_reader;

static inline void knrng_read(knrng_reader *r, knrng_bits *g)
{
    r->g = g;
    r->at = r->end = NULL;
    r->at32 = r->end32 = NULL;
    r->batch = 1;
    r->gauss = NULL;
    r->pairs = g->kind->pairs;
    r->halves = r->mixed = false;
    r->memo.known = r->rate.known = false;
    knrng_binomial_forget(&r->binomial);
}
/* So many words or more will be drawn, one by one. To be followed by knrng_give_back. */
static inline void knrng_expect(knrng_reader *r, size_t n) { r->batch = n < 1 ? 1 : n < KNRNG_AHEAD ? n : KNRNG_AHEAD; }
void knrng_give_back(knrng_reader *r); /* reader.c; and nothing is made ahead any more */
/* The words that a fill looks at together: n at most KNRNG_AHEAD (of 32 bits: twice as many), all of which it takes. */
static inline void knrng_read_ahead(knrng_reader *r, size_t n)
{
    r->g->kind->fill(r->g, n, r->ahead);
    r->at = r->ahead;
    r->end = r->ahead + n;
}
static inline void knrng_read_ahead32(knrng_reader *r, size_t n)
{
    knrng_halves(r->g, n, r->ahead32);
    r->at32 = r->ahead32;
    r->end32 = r->ahead32 + n;
}

uint64_t knrng_more(knrng_reader *r); /* reader.c: the next word where none was made ahead */
uint32_t knrng_more32(knrng_reader *r);
static inline uint64_t knrng_next64(knrng_reader *r)
{
    if (__builtin_expect(r->at < r->end, 1))
        return *r->at++;
    if (r->pairs && r->end32 - r->at32 >= 2) {
        r->at32 += 2;
        return (uint64_t)r->at32[-2] << 32 | r->at32[-1];
    }
    return knrng_more(r);
}
/* The halves of a word, the low one first, unless the generator's words are so short. */
static inline uint32_t knrng_next32(knrng_reader *r)
{
    return r->at32 < r->end32 ? *r->at32++ : knrng_more32(r);
}
/* A number in [0, 1) of 53 bits; of a pair of short words those that NumPy takes. */
static inline double knrng_unit_of(uint64_t w, bool pairs)
{
    return (double)(int64_t)(pairs ? w >> 37 << 26 | (uint32_t)w >> 6 : w >> 11) * 0x1p-53;
}
static inline double knrng_unit(knrng_reader *r) { return knrng_unit_of(knrng_next64(r), r->pairs); }
static inline float knrng_unit32(knrng_reader *r) { return (float)(int32_t)(knrng_next32(r) >> 8) * 0x1p-24f; }

typedef double knrng_real(knrng_reader *r, const knrng_number *a);
typedef int64_t knrng_count(knrng_reader *r, const knrng_number *a);

/* ziggurat.c */
double knrng_normal(knrng_reader *r);
double knrng_exponential(knrng_reader *r);
float knrng_normal32(knrng_reader *r);
float knrng_exponential32(knrng_reader *r);
void knrng_fill_units(knrng_reader *r, size_t n, double *out);
void knrng_fill_units32(knrng_reader *r, size_t n, float *out);
void knrng_fill_normals(knrng_reader *r, size_t n, double *out);
void knrng_fill_normals32(knrng_reader *r, size_t n, float *out);
void knrng_fill_exponentials(knrng_reader *r, size_t n, double *out);
void knrng_fill_exponentials32(knrng_reader *r, size_t n, float *out);
void knrng_fill_inverse_exponentials(knrng_reader *r, size_t n, double *out);
void knrng_fill_inverse_exponentials32(knrng_reader *r, size_t n, float *out);

/* gamma.c */
double knrng_gamma(knrng_reader *r, double shape);
float knrng_gamma32(knrng_reader *r, float shape);
double knrng_beta(knrng_reader *r, double a, double b);
double knrng_chisquare(knrng_reader *r, double df);

/* discrete.c, binomial.c, hypergeometric.c */
double knrng_log_gamma(double x);
int64_t knrng_poisson(knrng_reader *r, double rate);
int64_t knrng_binomial_of(knrng_reader *r, knrng_binomial *b, int64_t n, double p); /* b: of the last such number */
int64_t knrng_hypergeometric(knrng_reader *r, int64_t good, int64_t bad, int64_t sample);
int64_t knrng_geometric_search(knrng_reader *r, double p);

/* legacy.c */
double knrng_legacy_gauss(knrng_reader *r);
double knrng_legacy_gamma(knrng_reader *r, double shape);

/* Integers from 0 to `most`. NumPy has three ways; bounded.c has the others. */
static inline uint64_t knrng_mask_of(uint64_t most) { return most ? UINT64_MAX >> __builtin_clzll(most) : 0; }
static inline uint64_t knrng_interval(knrng_reader *r, uint64_t most) /* masked, as shuffles draw */
{
    uint64_t mask = knrng_mask_of(most), v;
    if (most == 0)
        return 0;
    do
        v = (most <= UINT32_MAX ? knrng_next32(r) : knrng_next64(r)) & mask;
    while (v > most);
    return v;
}
/* Words of 32 bits cut into pieces of 8 or 16 bits, or single ones. */
typedef struct knrng_pieces {
    uint32_t word;
    int left;
} knrng_pieces;
/* One of a dtype of so many bits (1: bool), by D. Lemire's multiplication, or masked. */
uint64_t knrng_bounded(knrng_reader *r, int bits, uint64_t most, bool masked, knrng_pieces *pieces);
static inline void knrng_store(void *out, size_t size, size_t i, uint64_t v)
{
    if (size == 8)
        ((uint64_t *)out)[i] = v;
    else if (size == 4)
        ((uint32_t *)out)[i] = (uint32_t)v;
    else if (size == 2)
        ((uint16_t *)out)[i] = (uint16_t)v;
    else
        ((uint8_t *)out)[i] = (uint8_t)v;
}
/* n of them, plus `from`, in words of the dtype's size. */
void knrng_fill_bounded(knrng_reader *r, int bits, uint64_t from, uint64_t most, bool masked, size_t n, void *out);
#endif

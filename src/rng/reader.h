/* SPDX-License-Identifier: Apache-2.0
 * reader.h -- words of a bit generator as distributions draw them, one by one; and the distributions.
 *
 * Words can be made ahead, many at once, because that is faster: never more than will be drawn for certain, so
 * that the generator's state is in the end what it would be without. A distribution that takes words of 64 bits
 * alone has `ahead` of those, one that takes words of 32 bits alone of these. */
#ifndef KN_RNG_READER_H
#define KN_RNG_READER_H
#include "rng/bits.h"

enum { KNRNG_AHEAD = 512 };

/* What numbers of the binomial distribution need of n and p. */
typedef struct knrng_binomial {
    bool known;
    int64_t n, m;
    double p, r, q, fm, p1, xm, xl, xr, c, laml, lamr, p2, p3, p4;
} knrng_binomial;
/* The second of two normal numbers that are made together, as RandomState keeps it. */
typedef struct knrng_gauss {
    bool has;
    double value;
} knrng_gauss;

typedef struct knrng_reader {
    knrng_bits *g;
    const uint64_t *at, *end;     /* words of 64 bits made ahead */
    const uint32_t *at32, *end32; /* words of 32 bits */
    knrng_gauss *gauss;           /* of a RandomState */
    bool pairs;                   /* g->kind's */
    knrng_binomial binomial;
    union {
        uint64_t ahead[KNRNG_AHEAD];
        uint32_t ahead32[2 * KNRNG_AHEAD];
    };
} knrng_reader;

static inline void knrng_read(knrng_reader *r, knrng_bits *g)
{
    r->g = g;
    r->at = r->end = NULL;
    r->at32 = r->end32 = NULL;
    r->gauss = NULL;
    r->pairs = g->kind->pairs;
    r->binomial.known = false;
}
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

static inline uint64_t knrng_next64(knrng_reader *r) { return r->at < r->end ? *r->at++ : knrng_word(r->g); }
static inline uint32_t knrng_next32(knrng_reader *r) { return r->at32 < r->end32 ? *r->at32++ : knrng_half(r->g); }
/* A number in [0, 1) of 53 bits; of a pair of short words those that NumPy takes. */
static inline double knrng_unit_of(uint64_t w, bool pairs)
{
    return (double)(int64_t)(pairs ? w >> 37 << 26 | (uint32_t)w >> 6 : w >> 11) * 0x1p-53;
}
static inline double knrng_unit(knrng_reader *r) { return knrng_unit_of(knrng_next64(r), r->pairs); }
static inline float knrng_unit32(knrng_reader *r) { return (float)(int32_t)(knrng_next32(r) >> 8) * 0x1p-24f; }

/* A parameter of a distribution: a number, or a count. */
typedef union knrng_number {
    double d;
    int64_t i;
} knrng_number;
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
int64_t knrng_binomial_of(knrng_reader *r, int64_t n, double p);
int64_t knrng_legacy_binomial_of(knrng_reader *r, int64_t n, double p);
int64_t knrng_hypergeometric(knrng_reader *r, int64_t good, int64_t bad, int64_t sample);
int64_t knrng_geometric_search(knrng_reader *r, double p);

/* legacy.c */
double knrng_legacy_gauss(knrng_reader *r);
double knrng_legacy_gamma(knrng_reader *r, double shape);

/* bounded.c: integers from 0 to `most`. NumPy has three ways. */
uint64_t knrng_interval(knrng_reader *r, uint64_t most);             /* masked, as shuffles draw */
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

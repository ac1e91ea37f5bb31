/* SPDX-License-Identifier: Apache-2.0
 * product_narrow.c -- a few rows times a matrix of narrow numbers: what fits, and who works on which rows. */
#include "host/routine/product_narrow.h"
#include "base/pool.h"
#include "host/routine/isa.h"

enum {
    PART = KNR_NARROW_LEAST, /* rows of the matrix that are worked on together */
    PART_NANOSECONDS = 10000 /* the least work that is worth waking another thread */
};

/* Steps of 16 bytes. */
static int64_t chunk_of(knr_narrow_kind kind)
{
    return kind == KNR_NARROW_NIBBLES ? 32 : kind == KNR_NARROW_I8 ? 16 : 8;
}

static bool is_number(const knr_narrow_groups *g)
{
    kn_dtype d = g->dtype;
    return d->id == KN_ID_F32 || d->id == KN_ID_F16 || d->id == KN_ID_BF16 || d->id == KN_ID_I8 || d->id == KN_ID_U8;
}

bool knr_narrow_fits(const knr_narrow *x)
{
    int64_t chunk = chunk_of(x->kind);
    if (!KNR_BY_ISA(knr_narrow).run[x->kind])
        return false;
    if (x->m < 1 || x->m > KNR_NARROW_ROWS || x->n < KNR_NARROW_LEAST || x->k < chunk || x->k % chunk)
        return false;
    if (x->has_scale || x->has_zero) {
        if (x->kind >= KNR_NARROW_F16 || x->group < chunk || x->group % chunk || x->k % x->group)
            return false;
    }
    if (x->has_scale && !is_number(&x->scale))
        return false;
    return !x->has_zero || !x->zero.dtype || is_number(&x->zero);
}

/* Measured: about as many weights in a nanosecond. */
double knr_narrow_cost(const knr_narrow *x) { return (double)x->n * (double)x->k / 20 * (double)x->m + 20; }

typedef struct share {
    const knr_narrow *x;
    const knr_narrow_run *r;
    int64_t parts;
} share;

static void run_part(void *env, int64_t part, int worker)
{
    const share *s = env;
    const knr_narrow *x = s->x;
    int64_t units = x->n / PART, row = units * part / s->parts * PART, end = units * (part + 1) / s->parts * PART;
    (void)worker;
    end = part + 1 == s->parts ? x->n : end;
    KNR_BY_ISA(knr_narrow).run[x->kind](x, s->r, row, end);
}

void knr_narrow_multiply(const knr_narrow *x, const knr_narrow_run *r)
{
    int64_t units = x->n / PART, most = (int64_t)(knr_narrow_cost(x) / PART_NANOSECONDS);
    share s = {x, r, r->threads < most ? r->threads : most};
    s.parts = s.parts < units ? s.parts : units;
    s.parts = s.parts > 1 ? s.parts : 1;
    if (s.parts == 1)
        run_part(&s, 0, 0);
    else
        knx_parallel((int)s.parts, s.parts, run_part, &s);
}

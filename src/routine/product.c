/* SPDX-License-Identifier: Apache-2.0
 * product.c -- products of arrays: dimensions that lie like one are merged, and what then is a plain matrix of f32,
 * f64 or 32- or 64-bit integers is multiplied where it lies. Everything else (narrow types, complex numbers,
 * irregular strides) is first copied into a plain matrix of numbers that holds it exactly. A complex product is two
 * real ones with twice the steps: along k stand (re, -im) of a against (re, im) of b for the real part, (re, im)
 * against (im, re) for the imaginary one. */
#include "routine/product.h"
#include "base/half.h"
#include "routine/isa.h"
#include "routine/product_block.h"
#include <string.h>

typedef struct job {
    knr_dims batch, m, n, k; /* merged */
    kn_dtype part;           /* the dtype of one component in memory */
    int parts;               /* 2: complex */
    bool copy_a, copy_b, convert_c;
    knr_matrices x;
    size_t a_bytes, b_bytes,
        c_bytes; /* of the copies, rounded up; a_bytes + b_bytes + parts * c_bytes come first in the workspace */
} job;

static const knr_tiles *tiles_of(knr_number kind)
{
#if defined(KN_HAVE_ISA_VARIANTS)
    switch (knr_isa()) {
    case KNR_ISA_AVX512: return &knr_tiles_avx512[kind];
    case KNR_ISA_AVX2: return &knr_tiles_avx2[kind];
    case KNR_ISA_BASE: break;
    }
#endif
    return &knr_tiles_base[kind];
}

/* The numbers in which the product is made: wide enough for the result; integers modulo 2^32 or 2^64. */
static knr_number number_of(const knr_product *p)
{
    size_t size = knx_component(p->result)->size;
    if (knx_is_inexact(p->result))
        return size == 8 ? KNR_F64 : KNR_F32;
    return size == 8 ? KNR_U64 : KNR_U32;
}

/* r: d without extents of 1, and with neighbours that lie like one dimension joined. An empty group becomes one of
 * extent 1. */
static void merge(const knr_dims *d, knr_dims *r)
{
    r->n = 0;
    for (int i = 0; i < d->n; i++) {
        if (d->extent[i] == 1)
            continue;
        int last = r->n - 1;
        bool joins = r->n && r->a[last] == d->a[i] * d->extent[i] && r->b[last] == d->b[i] * d->extent[i];
        int to = joins ? last : r->n++;
        r->extent[to] = joins ? r->extent[to] * d->extent[i] : d->extent[i];
        r->a[to] = d->a[i];
        r->b[to] = d->b[i];
    }
    if (r->n == 0) {
        r->n = 1;
        r->extent[0] = 1;
        r->a[0] = r->b[0] = 0;
    }
}

static int64_t count(const knr_dims *d)
{
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= d->extent[i];
    return n;
}

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static void lay_out(const knr_product *p, job *j)
{
    knr_matrices *x = &j->x;
    bool one = x->m == 1 && x->n == 1,
         regular = j->parts == 1 && j->part->size == x->tiles->size && j->part->kind != 'b';
    x->a_m = j->m.a[0], x->a_k = j->k.a[0], x->b_k = j->k.b[0], x->b_n = j->n.b[0];
    /* An extent of 1 has no stride of its own: a neighbour of that kind makes the simplest layout. */
    if (x->k == 1)
        x->a_k = x->b_k = 1;
    if (x->n == 1)
        x->b_n = 1;
    j->copy_a = !regular || j->m.n > 1 || j->k.n > 1 || ((one || x->n == 1) && x->a_k != 1 && (one || x->a_m != 1));
    j->copy_b =
        !regular || j->n.n > 1 || j->k.n > 1 || (one && x->b_k != 1) || (x->n > 1 && x->b_k != 1 && x->b_n != 1);
    j->convert_c = j->parts == 2 || p->result->size != x->tiles->size || p->result->kind == 'b';
    x->k *= j->parts;
    x->block = KNR_K_BLOCK * j->parts;
    size_t size = (size_t)x->tiles->size;
    if (j->copy_a) {
        x->a_m = x->k;
        x->a_k = 1;
        j->a_bytes = round_up((size_t)(x->m * x->k) * size);
    }
    if (j->copy_b) {
        x->b_k = x->n;
        x->b_n = 1;
        j->b_bytes = round_up((size_t)(x->k * x->n) * size);
    }
    if (j->convert_c)
        j->c_bytes = round_up((size_t)(x->m * x->n) * size);
}

static void make_job(const knr_product *p, job *j)
{
    merge(&p->batch, &j->batch);
    merge(&p->m, &j->m);
    merge(&p->n, &j->n);
    merge(&p->k, &j->k);
    j->part = knx_component(p->operand);
    j->parts = knx_is_complex(p->operand) ? 2 : 1;
    j->a_bytes = j->b_bytes = j->c_bytes = 0;
    j->x = (knr_matrices){.tiles = tiles_of(number_of(p)), .m = count(&j->m), .n = count(&j->n), .k = count(&j->k)};
    lay_out(p, j);
}

/* --- copies ----------------------------------------------------------------------------------- */

/* n numbers, `step` apart in memory, `to_step` apart in the copy. */
#define RUN(type, to_type, value)                                                    \
    for (int64_t i = 0; i < n; i++) {                                                \
        type v;                                                                      \
        memcpy(&v, (const char *)from + i * step * (int64_t)sizeof(type), sizeof v); \
        ((to_type *)to)[i * to_step] = (to_type)(value);                             \
    }                                                                                \
    break;
#define RUN_INTEGER(type)      \
    if (size == 8) {           \
        RUN(type, uint64_t, v) \
    } else {                   \
        RUN(type, uint32_t, v) \
    }                          \
    break;
#define RUN_FLOAT(type, value)                         \
    if (size == 8) {                                   \
        RUN(type, double, negate ? -(value) : (value)) \
    } else {                                           \
        RUN(type, float, negate ? -(value) : (value))  \
    }                                                  \
    break;

static void copy_run(kn_dtype part, const void *from, int64_t step, int64_t n, bool negate, int size, void *to,
                     int64_t to_step)
{
    switch ((kn_dtype_id)part->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: RUN_INTEGER(uint8_t)
    case KN_ID_I8: RUN_INTEGER(int8_t)
    case KN_ID_I16: RUN_INTEGER(int16_t)
    case KN_ID_U16: RUN_INTEGER(uint16_t)
    case KN_ID_I32: RUN_INTEGER(int32_t)
    case KN_ID_U32: RUN_INTEGER(uint32_t)
    case KN_ID_I64: RUN_INTEGER(int64_t)
    case KN_ID_U64: RUN_INTEGER(uint64_t)
    case KN_ID_F16: RUN_FLOAT(uint16_t, kn_f16_to_f32(v))
    case KN_ID_BF16: RUN_FLOAT(uint16_t, kn_bf16_to_f32(v))
    case KN_ID_F32: RUN_FLOAT(float, v)
    case KN_ID_F64: RUN_FLOAT(double, v)
    default: break; /* complex numbers come part by part; keys have no products */
    }
}

/* Visits the combinations of a group's dimensions but the last one: `at` holds their numbers, the offset is kept
 * along. */
static bool next(const knr_dims *d, const int64_t *stride, int64_t *at, int64_t *offset)
{
    for (int i = d->n - 2; i >= 0; i--) {
        *offset += stride[i];
        if (++at[i] < d->extent[i])
            return true;
        *offset -= stride[i] * at[i];
        at[i] = 0;
    }
    return false;
}

/* One line along `d` (all its dimensions), from element `offset`: parts of complex numbers by their place in memory. */
static const char *element(const job *j, const void *base, int64_t offset, int part)
{
    return (const char *)base + (offset * j->parts + part) * j->part->size;
}

static int64_t copy_line(const job *j, const void *base, int64_t offset, const knr_dims *d, const int64_t *stride,
                         int part, bool negate, char *to, int64_t to_step)
{
    int64_t at[KN_MAX_NDIM] = {0}, n = d->extent[d->n - 1], done = 0;
    int size = j->x.tiles->size;
    do {
        copy_run(j->part, element(j, base, offset, part), stride[d->n - 1] * j->parts, n, negate, size,
                 to + done * to_step * size, to_step);
        done += n;
    } while (next(d, stride, at, &offset));
    return done;
}

/* a as [m][k]; in the part `imag` of a complex product the numbers of a come as they are, else the imaginary ones
 * negated. */
static void copy_a(const job *j, const void *a, int64_t offset, bool imag, char *to)
{
    int64_t at[KN_MAX_NDIM] = {0}, line = j->x.k * j->x.tiles->size;
    const knr_dims *m = &j->m;
    do {
        for (int64_t i = 0; i < m->extent[m->n - 1]; i++, to += line) {
            int64_t start = offset + i * m->a[m->n - 1];
            for (int part = 0; part < j->parts; part++)
                copy_line(j, a, start, &j->k, j->k.a, part, part == 1 && !imag, to + part * j->x.tiles->size, j->parts);
        }
    } while (next(m, m->a, at, &offset));
}

/* b as [k][n]; of a complex product two lines for each k, the imaginary one first in the part `imag`. */
static void copy_b(const job *j, const void *b, int64_t offset, bool imag, char *to)
{
    int64_t at[KN_MAX_NDIM] = {0}, line = j->x.n * j->x.tiles->size;
    const knr_dims *k = &j->k;
    do {
        for (int64_t i = 0; i < k->extent[k->n - 1]; i++) {
            int64_t start = offset + i * k->b[k->n - 1];
            for (int part = 0; part < j->parts; part++, to += line)
                copy_line(j, b, start, &j->n, j->n.b, imag ? 1 - part : part, false, to, 1);
        }
    } while (next(k, k->b, at, &offset));
}

/* --- results ---------------------------------------------------------------------------------- */

static void convert_numbers(kn_dtype to, int size, const void *from, int64_t n, void *c)
{
    const uint32_t *u = from;
    if (to->id == KN_ID_F16 || to->id == KN_ID_BF16) {
        const float *f = from;
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)c)[i] = to->id == KN_ID_F16 ? kn_f32_to_f16(f[i]) : kn_f32_to_bf16(f[i]);
    } else if (to->kind == 'b') {
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)c)[i] = u[i] != 0;
    } else if (to->size == 2) {
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)c)[i] = (uint16_t)u[i];
    } else if (to->size == 1) {
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)c)[i] = (uint8_t)u[i];
    } else {
        memcpy(c, from, (size_t)(n * size));
    }
}

static void interleave(int size, const char *re, const char *im, int64_t n, char *c)
{
    if (size == 4) {
        for (int64_t i = 0; i < n; i++)
            ((kn_c64 *)c)[i] = (kn_c64){((const float *)re)[i], ((const float *)im)[i]};
    } else {
        for (int64_t i = 0; i < n; i++)
            ((kn_c128 *)c)[i] = (kn_c128){((const double *)re)[i], ((const double *)im)[i]};
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static void run_matrix(const knr_product *p, const job *j, const void *a, int64_t a_at, const void *b, int64_t b_at,
                       char *c, char *w)
{
    char *wa = w, *wb = wa + j->a_bytes, *wc = wb + j->b_bytes, *rest = wc + j->c_bytes * (size_t)j->parts;
    int64_t n = j->x.m * j->x.n;
    for (int part = 0; part < j->parts; part++) {
        if (j->copy_a)
            copy_a(j, a, a_at, part == 1, wa);
        if (j->copy_b)
            copy_b(j, b, b_at, part == 1, wb);
        knr_matrices_run(&j->x, j->copy_a ? wa : element(j, a, a_at, 0), j->copy_b ? wb : element(j, b, b_at, 0),
                         j->convert_c ? wc + j->c_bytes * (size_t)part : c, rest);
    }
    if (j->parts == 2)
        interleave(j->x.tiles->size, wc, wc + j->c_bytes, n, c);
    else if (j->convert_c)
        convert_numbers(p->result, j->x.tiles->size, wc, n, c);
}

struct knr_plan {
    knr_product p;
};
size_t knr_plan_bytes(void) { return sizeof(knr_plan); }

const knr_plan *knr_product_make(void *room, const knr_product *p, bool fill_a, bool fill_b, bool finish)
{
    (void)fill_a, (void)fill_b, (void)finish;
    ((knr_plan *)room)->p = *p;
    return room;
}

size_t knr_product_workspace(const knr_plan *plan, int threads)
{
    const knr_product *p = &plan->p;
    job j;
    (void)threads;
    make_job(p, &j);
    return j.a_bytes + j.b_bytes + j.c_bytes * (size_t)j.parts + knr_matrices_workspace(&j.x);
}

double knr_product_cost(const knr_plan *plan)
{
    const knr_product *p = &plan->p;
    return (double)count(&p->batch) * (double)count(&p->m) * (double)count(&p->n) * (double)count(&p->k) / 30;
}

void knr_product_run(const knr_plan *plan, const knr_run *r)
{
    const knr_product *p = &plan->p;
    const void *a = r->a, *b = r->b;
    void *c = r->c, *workspace = r->workspace;
    job j;
    make_job(p, &j);
    int64_t each = j.x.m * j.x.n, batches = count(&j.batch);
    if (!each || !batches)
        return;
    if (!j.x.k) {
        memset(c, 0, (size_t)(each * batches) * p->result->size);
        return;
    }
    const knr_dims *d = &j.batch;
    int64_t at[KN_MAX_NDIM] = {0}, a_at = 0, b_at = 0;
    char *out = c;
    for (int64_t done = 0; done < batches; done++, out += each * p->result->size) {
        run_matrix(p, &j, a, a_at, b, b_at, out, workspace);
        for (int i = d->n - 1; i >= 0; i--) {
            a_at += d->a[i];
            b_at += d->b[i];
            if (++at[i] < d->extent[i])
                break;
            a_at -= d->a[i] * at[i];
            b_at -= d->b[i] * at[i];
            at[i] = 0;
        }
    }
}

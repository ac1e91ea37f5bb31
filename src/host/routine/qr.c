/* SPDX-License-Identifier: Apache-2.0
 * qr.c -- QR factors. Columns are taken 32 at a time; what is right of them gets their reflections as one block: those
 * of real matrices of more than 16 rows or columns are reflect.h's. With exchanged columns each reflection is applied
 * at once, since the next column depends on it. */
#include "host/routine/qr.h"
#include "host/routine/reflect.h"
#include <math.h>
#include <string.h>

typedef struct room {
    kn_dtype dtype;
    bool by_products; /* the reflector is used, else what is below it */
    knr_dense a, x;   /* the packed factors; q or c */
    knr_reflector reflector;
    knr_spare spare;
    knr_block_reflection block;
    knr_complex *tau;
    double *norm, *first_norm; /* of columns */
    size_t bytes;
} room;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

enum { SMALL = 16 /* rows and columns of matrices that stacks take side by side */ };

static room room_of(kn_dtype d, int64_t m, int64_t n, int64_t k, int64_t rows, int64_t columns, int threads,
                    bool exchanges, void *workspace)
{
    knr_arena arena = {workspace, 0};
    room r = {.dtype = d, .by_products = !knx_is_complex(d) && !exchanges && most(m, most(n, columns)) > SMALL};
    r.a = knr_dense_take(&arena, d, m, n);
    r.x = knr_dense_take(&arena, d, rows, columns);
    if (r.by_products)
        r.reflector = knr_reflector_take(&arena, d, k, &r.a, &r.x, threads);
    if (r.by_products) {
        r.bytes = arena.used;
        return r;
    }
    r.spare = knr_spare_take(&arena, d, most(m, n));
    r.block = knr_block_take(&arena, d, m, most(n, columns), 1);
    r.tau = knr_take(&arena, (size_t)k, sizeof *r.tau);
    r.norm = knr_take(&arena, (size_t)n, 8);
    r.first_norm = knr_take(&arena, (size_t)n, 8);
    r.bytes = arena.used;
    return r;
}

/* --- factors ---------------------------------------------------------------------------------- */

static double column_norm(const knr_dense *a, int64_t from, int64_t j)
{
    double size = 0, sum = 0;
    for (int64_t i = from; i < a->rows; i++) {
        knr_complex x = knr_at(a, i, j);
        size = fabs(x.re) > size ? fabs(x.re) : size;
        size = fabs(x.im) > size ? fabs(x.im) : size;
    }
    double s = knr_scale_for(size);
    for (int64_t i = from; i < a->rows; i++) {
        knr_complex x = knr_at(a, i, j);
        sum += x.re * s * (x.re * s) + x.im * s * (x.im * s);
    }
    return sqrt(sum) / s;
}

static void swap_columns(const knr_dense *a, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < a->rows; k++) {
        knr_complex x = knr_at(a, k, i);
        knr_put(a, k, i, knr_at(a, k, j));
        knr_put(a, k, j, x);
    }
}

/* The norm of what is left of a column follows from the one before, and is taken anew where too many digits cancel. */
static void update_norms(room *r, int64_t j)
{
    double small = sqrt(knr_epsilon(&r->a));
    for (int64_t c = j + 1; c < r->a.columns; c++) {
        if (r->norm[c] == 0)
            continue;
        knr_complex x = knr_at(&r->a, j, c);
        double ratio = knr_length(x.re, x.im) / r->norm[c], left = 1 - ratio * ratio;
        double change = r->norm[c] / r->first_norm[c];
        left = left > 0 ? left : 0;
        if (left * change * change <= small)
            r->norm[c] = r->first_norm[c] = column_norm(&r->a, j + 1, c);
        else
            r->norm[c] *= sqrt(left);
    }
}

static void factor_with_exchanges(room *r, int32_t *pivot)
{
    int64_t m = r->a.rows, n = r->a.columns;
    for (int64_t j = 0; j < n; j++) {
        r->norm[j] = r->first_norm[j] = column_norm(&r->a, 0, j);
        pivot[j] = (int32_t)j;
    }
    for (int64_t j = 0; j < least(m, n); j++) {
        int64_t best = j;
        for (int64_t c = j + 1; c < n; c++)
            best = r->norm[c] > r->norm[best] ? c : best;
        if (best != j) {
            int32_t p = pivot[j];
            swap_columns(&r->a, j, best);
            pivot[j] = pivot[best];
            pivot[best] = p;
            r->norm[best] = r->norm[j];
            r->first_norm[best] = r->first_norm[j];
        }
        knr_doubles v = knr_block_column(&r->block, &r->a, r->tau, j, 0, j);
        knr_dense beside = knr_dense_part(&r->a, j, j + 1, m - j, n - j - 1);
        knr_reflect_left(&beside, &v, (knr_complex){r->tau[j].re, -r->tau[j].im}, &r->spare);
        update_norms(r, j);
    }
}

/* --- the routines ----------------------------------------------------------------------------- */

static room qr_room(const knr_qr *s, bool exchanges, void *workspace)
{
    return room_of(s->dtype, s->m, s->n, least(s->m, s->n), s->m, s->q_columns, s->threads, exchanges, workspace);
}

size_t knr_qr_workspace(const knr_qr *s, bool exchanges) { return qr_room(s, exchanges, NULL).bytes; }

static void store_r(const room *r, int64_t rows, void *to)
{
    size_t n = (size_t)r->a.columns, size = r->dtype->size;
    knr_dense upper = knr_dense_part(&r->a, 0, 0, rows, (int64_t)n);
    knr_dense_store(&upper, to, (int64_t)n, 1, false);
    for (size_t i = 1; i < (size_t)rows; i++)
        memset((char *)to + i * n * size, 0, (i < n ? i : n) * size);
}

void knr_qr_run(const knr_qr *s, const void *a, const knr_qr_results *y, void *workspace)
{
    room r = qr_room(s, y->pivot != NULL, workspace);
    int64_t k = least(s->m, s->n);
    knr_dense_load_on(s->threads, &r.a, (knr_place_in){a, s->n, 1, false});
    if (y->pivot)
        factor_with_exchanges(&r, y->pivot);
    else if (r.by_products)
        knr_reflector_factor(&r.reflector, &r.a, y->packed != NULL);
    else
        knr_block_factor(&r.block, &r.a, r.tau, &r.spare);
    if (y->packed) {
        knr_dense_store(&r.a, y->packed, s->n, 1, false);
        for (int64_t i = 0; i < k; i++)
            knr_element_put(s->dtype, y->tau, i, r.by_products ? (knr_complex){r.reflector.tau[i], 0} : r.tau[i]);
    }
    if (y->r)
        store_r(&r, s->q_columns, y->r);
    if (y->q) {
        knr_dense_identity_on(s->threads, &r.x);
        if (r.by_products)
            knr_reflector_apply(&r.reflector, &r.x, false, true);
        else
            knr_block_apply_packed(&r.block, &r.a, r.tau, k, &r.x, false, true);
        knr_dense_store_on(s->threads, &r.x, (knr_place_out){y->q, s->q_columns, 1, false});
    }
}

static room reflections_room(const knr_reflections *s, void *workspace)
{
    return room_of(s->dtype, s->m, s->columns, s->k, s->m, s->from_right ? s->rows : s->n, s->threads, false,
                   workspace);
}

size_t knr_reflections_workspace(const knr_reflections *s) { return reflections_room(s, NULL).bytes; }

/* From the right the adjoint of everything is taken: c q is (q^H c^H)^H. */
void knr_reflections_run(const knr_reflections *s, const void *packed, const void *tau, const void *c, void *y,
                         void *workspace)
{
    room r = reflections_room(s, workspace);
    bool adjoint = s->adjoint != s->from_right;
    if (!r.by_products)
        knr_dense_load(&r.a, packed, s->columns, 1, false);
    for (int64_t i = 0; i < s->k; i++) {
        knr_complex t = knr_element_at(s->dtype, tau, i);
        if (r.by_products)
            r.reflector.tau[i] = t.re;
        else
            r.tau[i] = t;
    }
    if (!c)
        knr_dense_identity(&r.x);
    else
        knr_dense_load(&r.x, c, s->from_right ? 1 : s->n, s->from_right ? s->n : 1, s->from_right);
    if (r.by_products) {
        knr_reflector_load(&r.reflector, packed, s->columns);
        knr_reflector_apply(&r.reflector, &r.x, adjoint, !c);
    } else {
        knr_block_apply_packed(&r.block, &r.a, r.tau, s->k, &r.x, adjoint, !c);
    }
    knr_dense_store(&r.x, y, s->from_right ? 1 : s->n, s->from_right ? s->n : 1, s->from_right);
}

/* SPDX-License-Identifier: Apache-2.0
 * dense.c -- matrices as planes, Householder reflections, and products of those. */
#include "host/routine/matrix_product.h"
#include "base/line.h"
#include "base/pool.h"
#include "host/routine/condensed.h"
#include "host/routine/isa.h"
#include <math.h>
#include <string.h>

enum {
    STRIP = 64, /* columns that a product works on together: their rows stay in the second cache */
    FEW = 16,   /* blocks of reflections with no more rows and columns go by the loops of rows */
    SIDE = 128, /* rows and columns of a real matrix that gets reflections one by one */
};

/* --- memory ----------------------------------------------------------------------------------- */

void *knr_take(knr_arena *a, size_t count, size_t size)
{
    char *at = a->at ? a->at + a->used : NULL;
    a->used += knx_whole_lines(count * size) + 64;
    return at;
}

static int64_t row_length(int64_t n, int64_t size)
{
    int64_t line = 64 / size;
    return ((n + line - 1) / line | 1) * line; /* an odd number of cache lines */
}

knr_doubles knr_doubles_take(knr_arena *a, bool complex, int64_t rows, int64_t columns)
{
    knr_doubles x = {.ld = row_length(columns, 8)};
    x.re = knr_take(a, (size_t)(rows * x.ld), 8);
    x.im = complex ? knr_take(a, (size_t)(rows * x.ld), 8) : NULL;
    return x;
}

knr_dense knr_dense_take(knr_arena *a, kn_dtype d, int64_t rows, int64_t columns)
{
    knr_dense x = {.f = knr_linalg_loops_of(d), .rows = rows, .columns = columns};
    x.p.ld = row_length(columns, x.f->size);
    x.p.re = knr_take(a, (size_t)(rows * x.p.ld), (size_t)x.f->size);
    x.p.im = knx_is_complex(d) ? knr_take(a, (size_t)(rows * x.p.ld), (size_t)x.f->size) : NULL;
    return x;
}

static void *address(const knr_dense *x, void *plane, int64_t i)
{
    return plane ? (char *)plane + i * x->f->size : NULL;
}

knr_dense knr_dense_part(const knr_dense *x, int64_t row, int64_t column, int64_t rows, int64_t columns)
{
    int64_t at = row * x->p.ld + column;
    return (knr_dense){x->f, {address(x, x->p.re, at), address(x, x->p.im, at), x->p.ld}, rows, columns};
}

void knr_dense_load(const knr_dense *x, const void *from, int64_t row, int64_t column, bool conjugate)
{
    if (x->rows && x->columns)
        x->f->take(&x->p, (int)x->rows, x->columns, &(knr_place_in){from, row, column, conjugate}, NULL);
}

void knr_dense_store(const knr_dense *x, void *to, int64_t row, int64_t column, bool conjugate)
{
    if (x->rows && x->columns)
        x->f->put(&x->p, (int)x->rows, x->columns, &(knr_place_out){to, row, column, conjugate});
}

static void clear_row(const knr_dense *x, int64_t i)
{
    memset(address(x, x->p.re, i * x->p.ld), 0, (size_t)(x->columns * x->f->size));
    if (x->p.im)
        memset(address(x, x->p.im, i * x->p.ld), 0, (size_t)(x->columns * x->f->size));
}

/* Rows of a matrix on their way in (`from`) or out (`to`), or that become those of the identity (neither). */
typedef struct moved {
    const knr_dense *x;
    knr_place_in from;
    knr_place_out to;
} moved;
enum { MOVED_ROWS = 64 };

static void identity_rows(const knr_dense *x, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        clear_row(x, i);
        if (i < x->columns)
            knr_set(x, x->p.re, i * x->p.ld + i, 1);
    }
}

static void move_rows(void *arg, int64_t part, int worker)
{
    const moved *m = arg;
    const knr_dense *x = m->x;
    int64_t i = part * MOVED_ROWS, n = x->rows - i < MOVED_ROWS ? x->rows - i : MOVED_ROWS;
    int64_t size = x->f->size * (x->p.im ? 2 : 1);
    knr_dense rows = knr_dense_part(x, i, 0, n, x->columns);
    (void)worker;
    if (m->from.at)
        knr_dense_load(&rows, (const char *)m->from.at + i * m->from.row * size, m->from.row, m->from.column,
                       m->from.conjugate);
    else if (m->to.at)
        knr_dense_store(&rows, (char *)m->to.at + i * m->to.row * size, m->to.row, m->to.column, m->to.conjugate);
    else
        identity_rows(x, i, i + n);
}

static void move_all(moved *m, int threads)
{
    enum { WORTH = 1 << 15 /* numbers */ };
    const knr_dense *x = m->x;
    knx_parallel(x->rows * x->columns < WORTH ? 1 : threads, (x->rows + MOVED_ROWS - 1) / MOVED_ROWS, move_rows, m);
}

void knr_dense_load_on(int threads, const knr_dense *x, knr_place_in from)
{
    move_all(&(moved){.x = x, .from = from}, threads);
}
void knr_dense_store_on(int threads, const knr_dense *x, knr_place_out to)
{
    move_all(&(moved){.x = x, .to = to}, threads);
}
void knr_dense_identity_on(int threads, const knr_dense *x) { move_all(&(moved){.x = x}, threads); }

void knr_dense_transpose(const knr_dense *x, const knr_dense *y)
{
    knr_planes real = {y->p.re, NULL, y->p.ld};
    x->f->take_part(&real, (int)y->rows, y->columns, &(knr_place_in){x->p.re, 1, x->p.ld, false}, NULL);
    for (int64_t i = 0; y->p.im && i < y->rows; i++)
        memset(address(y, y->p.im, i * y->p.ld), 0, (size_t)(y->columns * y->f->size));
}

void knr_dense_identity(const knr_dense *x) { identity_rows(x, 0, x->rows); }

void knr_exchange_rows(const knr_dense *x, int64_t i, int64_t j, int64_t from, int64_t n)
{
    char part[512], *p = address(x, x->p.re, i * x->p.ld + from), *q = address(x, x->p.re, j * x->p.ld + from);
    for (size_t left = (size_t)(n * x->f->size); left;) {
        size_t bytes = left < sizeof part ? left : sizeof part;
        memcpy(part, p, bytes);
        memcpy(p, q, bytes);
        memcpy(q, part, bytes);
        p += bytes, q += bytes, left -= bytes;
    }
}

void knr_put_at(const knr_dense *x, int64_t i, int64_t from, const double *v, double by, const int64_t *places,
                int64_t n)
{
    void *to = address(x, x->p.re, i * x->p.ld + from);
    double *wide = to;
    float *narrow = to;
    for (int64_t k = 0; x->f->size == 8 && k < n; k++)
        wide[places[k]] = v[k] * by;
    for (int64_t k = 0; x->f->size == 4 && k < n; k++)
        narrow[places[k]] = (float)(v[k] * by);
}

/* --- numbers ---------------------------------------------------------------------------------- */

void knr_element_put(kn_dtype d, void *to, int64_t i, knr_complex v)
{
    switch (d->id) {
    case KN_ID_F32: ((float *)to)[i] = (float)v.re; break;
    case KN_ID_F64: ((double *)to)[i] = v.re; break;
    case KN_ID_C64: ((kn_c64 *)to)[i] = (kn_c64){(float)v.re, (float)v.im}; break;
    default: ((kn_c128 *)to)[i] = (kn_c128){v.re, v.im};
    }
}

knr_complex knr_element_at(kn_dtype d, const void *from, int64_t i)
{
    switch (d->id) {
    case KN_ID_F32: return (knr_complex){(double)((const float *)from)[i], 0};
    case KN_ID_F64: return (knr_complex){((const double *)from)[i], 0};
    case KN_ID_C64: return (knr_complex){(double)((const kn_c64 *)from)[i].re, (double)((const kn_c64 *)from)[i].im};
    default: return (knr_complex){((const kn_c128 *)from)[i].re, ((const kn_c128 *)from)[i].im};
    }
}

double knr_epsilon(const knr_dense *x) { return x->f->size == 8 ? 0x1p-52 : 0x1p-23; }

double knr_rounding(kn_dtype d) { return d->size == 8 ? 0x1p-53 : 0x1p-24; }

double knr_length_scaled(double a, double b)
{
    a = fabs(a);
    b = fabs(b);
    double most = a > b ? a : b, s = knr_scale_for(most);
    if (most == 0 || a != a || b != b)
        return a + b;
    a *= s;
    b *= s;
    return sqrt(a * a + b * b) / s;
}

double knr_largest(const knr_dense *x)
{
    double most = 0;
    double (*largest)(const void *, int64_t) = knr_condensed()->largest[x->f->size == 8];
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t at = i * x->p.ld;
        double a = largest(address(x, x->p.re, at), x->columns);
        double b = x->p.im ? largest(address(x, x->p.im, at), x->columns) : 0;
        if (!(a <= 0x1.fffffffffffffp1023 && b <= 0x1.fffffffffffffp1023))
            return __builtin_inf();
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return most;
}

bool knr_is_finite(const knr_dense *x) { return knr_largest(x) <= 0x1.fffffffffffffp1023; }

void knr_scale(const knr_dense *x, double by)
{
    void (*scale)(void *, int64_t, double) = knr_condensed()->scale[x->f->size == 8];
    for (int64_t i = 0; by != 1 && i < x->rows; i++) {
        scale(address(x, x->p.re, i * x->p.ld), x->columns, by);
        if (x->p.im)
            scale(address(x, x->p.im, i * x->p.ld), x->columns, by);
    }
}

void knr_fill_nan(kn_dtype d, void *to, int64_t count)
{
    double nan = __builtin_nan("");
    for (int64_t i = 0; i < count; i++)
        knr_element_put(d, to, i, (knr_complex){nan, nan});
}

const knr_condensed_loops *knr_condensed(void) { return &KNR_BY_ISA(knr_condensed); }

/* --- multiplication --------------------------------------------------------------------------- */

/* y += the sum of c[k] x[k] over columns from .. from + n. spare: as long as c. */
static void combine(const knr_dense *y, int64_t row, int64_t from, int64_t n, const knr_dense *x, int64_t count,
                    const double *re, const double *im, double *spare)
{
    int64_t to = row * y->p.ld + from;
    void *y_re = address(y, y->p.re, to), *y_im = address(y, y->p.im, to);
    const void *x_re = address(x, x->p.re, from), *x_im = address(x, x->p.im, from);
    y->f->combine(y_re, n, x_re, x->p.ld, count, re);
    if (!y_im)
        return;
    if (x_im)
        y->f->combine(y_im, n, x_im, x->p.ld, count, re);
    if (!im)
        return;
    if (x_im) {
        for (int64_t k = 0; k < count; k++)
            spare[k] = -im[k];
        y->f->combine(y_re, n, x_im, x->p.ld, count, spare);
    }
    y->f->combine(y_im, n, x_re, x->p.ld, count, im);
}

void knr_combine(const knr_dense *y, int64_t from, const knr_dense *x, int64_t count, const double *re,
                 const double *im, double *spare)
{
    combine(y, 0, from, y->columns - from, x, count, re, im, spare);
}

void knr_multiply(const knr_dense *c, const knr_doubles *a, const knr_dense *b, bool minus, double *spare)
{
    int64_t k = b->rows;
    double *re = spare + k, *im = spare + 2 * k;
    for (int64_t from = 0; from < c->columns; from += STRIP) {
        int64_t n = c->columns - from < STRIP ? c->columns - from : STRIP;
        for (int64_t i = 0; i < c->rows; i++) {
            const double *a_re = a->re + i * a->ld, *a_im = a->im ? a->im + i * a->ld : NULL;
            for (int64_t l = 0; minus && l < k; l++) {
                re[l] = -a_re[l];
                im[l] = a_im ? -a_im[l] : 0;
            }
            combine(c, i, from, n, b, k, minus ? re : a_re, minus && a_im ? im : a_im, spare);
        }
    }
}

/* --- reflections ------------------------------------------------------------------------------ */

knr_complex knr_reflection(int64_t n, double *re, double *im, double *beta)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double a = fabs(re[i]), b = im ? fabs(im[i]) : 0;
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    double s = knr_scale_for(most), a = re[0] * s, b = im ? im[0] * s : 0;
    for (int64_t i = 1; i < n; i++) {
        double x = re[i] * s, y = im ? im[i] * s : 0;
        sum += x * x + y * y;
    }
    *beta = re[0];
    re[0] = 1;
    if (im)
        im[0] = 0;
    if (sum == 0 && b == 0)
        return (knr_complex){0, 0};
    double length = sqrt(a * a + b * b + sum), to = a < 0 ? length : -length;
    double p = a - to, q = b, d = p * p + q * q; /* x / (p + q i) */
    for (int64_t i = 1; i < n; i++) {
        double x = re[i] * s, y = im ? im[i] * s : 0;
        re[i] = im ? (x * p + y * q) / d : x / p;
        if (im)
            im[i] = (y * p - x * q) / d;
    }
    *beta = to / s;
    return (knr_complex){(to - a) / to, -b / to};
}

knr_spare knr_spare_take(knr_arena *a, kn_dtype d, int64_t n)
{
    knr_spare s;
    for (int i = 0; i < 4; i++)
        s.c[i] = knr_take(a, (size_t)n, 8);
    s.row = knr_dense_take(a, d, 1, n);
    return s;
}

/* x[k] += c[k] y */
static void spread(const knr_dense *x, const double *re, const double *im, const knr_dense *y, double *spare)
{
    x->f->spread(x->p.re, x->p.ld, x->rows, re, y->p.re, x->columns);
    if (!x->p.im)
        return;
    x->f->spread(x->p.im, x->p.ld, x->rows, re, y->p.im, x->columns);
    for (int64_t k = 0; k < x->rows; k++)
        spare[k] = -im[k];
    x->f->spread(x->p.re, x->p.ld, x->rows, spare, y->p.im, x->columns);
    x->f->spread(x->p.im, x->p.ld, x->rows, im, y->p.re, x->columns);
}

void knr_reflect_left(const knr_dense *x, const knr_doubles *v, knr_complex t, const knr_spare *s)
{
    knr_dense row = knr_dense_part(&s->row, 0, 0, 1, x->columns);
    if ((t.re == 0 && t.im == 0) || !x->columns)
        return;
    for (int64_t i = 0; i < x->rows; i++) {
        knr_complex c = knr_times(t, (knr_complex){v->re[i], v->im ? v->im[i] : 0});
        s->c[0][i] = v->im ? -v->im[i] : 0;
        s->c[1][i] = -c.re;
        s->c[2][i] = -c.im;
    }
    clear_row(&row, 0);
    combine(&row, 0, 0, x->columns, x, x->rows, v->re, v->im ? s->c[0] : NULL, s->c[3]);
    spread(x, s->c[1], s->c[2], &row, s->c[3]);
}

void knr_dots(const knr_dense *x, const knr_dense *y, double *re, double *im, double *spare)
{
    x->f->dots(re, x->p.re, x->p.ld, x->rows, y->p.re, x->columns);
    if (!x->p.im)
        return;
    x->f->dots(spare, x->p.im, x->p.ld, x->rows, y->p.im, x->columns);
    x->f->dots(im, x->p.re, x->p.ld, x->rows, y->p.im, x->columns);
    for (int64_t i = 0; i < x->rows; i++)
        re[i] -= spare[i];
    x->f->dots(spare, x->p.im, x->p.ld, x->rows, y->p.re, x->columns);
    for (int64_t i = 0; i < x->rows; i++)
        im[i] += spare[i];
}

void knr_reflect_right(const knr_dense *x, const knr_doubles *v, knr_complex t, const knr_spare *s)
{
    knr_dense row = knr_dense_part(&s->row, 0, 0, 1, x->columns);
    double *re = s->c[0], *im = s->c[1];
    if ((t.re == 0 && t.im == 0) || !x->columns)
        return;
    for (int64_t j = 0; j < x->columns; j++)
        knr_put(&row, 0, j, (knr_complex){v->re[j], v->im ? v->im[j] : 0});
    knr_dots(x, &row, re, im, s->c[2]);
    for (int64_t i = 0; i < x->rows; i++) {
        knr_complex c = knr_times(t, (knr_complex){re[i], x->p.im ? im[i] : 0});
        re[i] = -c.re;
        im[i] = -c.im;
    }
    for (int64_t j = 0; row.p.im && j < x->columns; j++)
        knr_set(&row, row.p.im, j, -knr_get(&row, row.p.im, j));
    spread(x, re, im, &row, s->c[2]);
}

/* --- blocks of reflections -------------------------------------------------------------------- */

knr_block_reflection knr_block_take(knr_arena *a, kn_dtype d, int64_t n, int64_t columns, int threads)
{
    bool complex = knx_is_complex(d);
    int64_t most = n > KNR_REFLECTIONS ? n : KNR_REFLECTIONS;
    knr_block_reflection b = {.n = n};
    b.v = knr_doubles_take(a, complex, KNR_REFLECTIONS, n);
    b.t = knr_doubles_take(a, complex, KNR_REFLECTIONS, KNR_REFLECTIONS);
    b.g = knr_doubles_take(a, complex, most < FEW ? most : FEW, KNR_REFLECTIONS);
    b.spare = knr_take(a, (size_t)most * 3, 8);
    b.w = knr_dense_take(a, d, KNR_REFLECTIONS, columns);
    b.turned = knr_dense_take(a, d, KNR_REFLECTIONS, columns);
    b.narrow_t = knr_dense_take(a, d, KNR_REFLECTIONS, KNR_REFLECTIONS);
    b.narrow_v = (knr_dense){knr_linalg_loops_of(d), {b.v.re, b.v.im, b.v.ld}, KNR_REFLECTIONS, n};
    if (b.narrow_v.f->size != 8)
        b.narrow_v = knr_dense_take(a, d, KNR_REFLECTIONS, n);
    b.whole = knr_take(a, KNR_WHOLE_ROOM, 1);
    b.multiplier = knr_multiplier_take(a, knx_component(d), most, columns, most, threads);
    return b;
}

static knr_complex element(const knr_doubles *x, int64_t i, int64_t j)
{
    return (knr_complex){x->re[i * x->ld + j], x->im ? x->im[i * x->ld + j] : 0};
}

static void set_element(const knr_doubles *x, int64_t i, int64_t j, knr_complex v)
{
    x->re[i * x->ld + j] = v.re;
    if (x->im)
        x->im[i * x->ld + j] = v.im;
}

/* Of vectors number i and k: v_i^H v_k. */
static knr_complex inner(const knr_block_reflection *b, int i, int k)
{
    const double *p = b->v.re + i * b->v.ld, *q = b->v.re + k * b->v.ld;
    double re = 0, im = 0;
    for (int64_t j = 0; j < b->n; j++)
        re += p[j] * q[j];
    if (b->v.im) {
        const double *r = b->v.im + i * b->v.ld, *s = b->v.im + k * b->v.ld;
        for (int64_t j = 0; j < b->n; j++) {
            re += r[j] * s[j];
            im += p[j] * s[j] - r[j] * q[j];
        }
    }
    return (knr_complex){re, im};
}

static knr_dense vectors(const knr_block_reflection *b) { return knr_dense_part(&b->narrow_v, 0, 0, b->count, b->n); }

static void narrow(const knr_block_reflection *b)
{
    for (int k = 0; b->narrow_v.p.re != (void *)b->v.re && k < b->count; k++)
        for (int64_t j = 0; j < b->n; j++)
            knr_put(&b->narrow_v, k, j, element(&b->v, k, j));
}

static void real_column(knr_block_reflection *b, int k, double tau, const knr_complex *z,
                        double columns[][KNR_REFLECTIONS])
{
    double *y = columns[k];
    for (int i = 0; i < KNR_REFLECTIONS; i++)
        y[i] = 0;
    for (int j = 0; j < k; j++) {
        double c = -tau * z[j].re;
        for (int i = 0; i < KNR_REFLECTIONS; i++)
            y[i] += c * columns[j][i];
    }
    y[k] = tau;
    for (int i = 0; i < b->count; i++)
        b->t.re[i * b->t.ld + k] = y[i];
}

/* Column k of T: -tau_k T (V^H v_k) above its diagonal, tau_k on it. */
void knr_block_make(knr_block_reflection *b, const knr_complex *tau)
{
    knr_dense gram = knr_dense_part(&b->narrow_t, 0, 0, b->count, b->count), v = vectors(b);
    double columns[KNR_REFLECTIONS][KNR_REFLECTIONS]; /* of T */
    if (b->n > FEW) {
        narrow(b);
        knr_dense_product(&b->multiplier, &gram, KNR_SET, &v, KNR_CONJUGATED, &v, KNR_TRANSPOSED);
    }
    for (int k = 0; k < b->count; k++) {
        knr_complex z[KNR_REFLECTIONS];
        for (int i = 0; i < k; i++)
            z[i] = b->n > FEW ? knr_at(&gram, i, k) : inner(b, i, k);
        if (!b->v.im && b->n > FEW) {
            real_column(b, k, tau[k].re, z, columns);
            continue;
        }
        for (int i = 0; i < b->count; i++) {
            knr_complex sum = {0, 0};
            for (int j = i; j < k; j++) {
                knr_complex p = knr_times(element(&b->t, i, j), z[j]);
                sum = (knr_complex){sum.re + p.re, sum.im + p.im};
            }
            sum = knr_times(sum, tau[k]);
            set_element(&b->t, i, k, i < k ? (knr_complex){-sum.re, -sum.im} : i == k ? tau[k] : (knr_complex){0, 0});
        }
    }
}

/* x -= V (op(T) (V^H x)) */
static void apply_by_products(knr_block_reflection *b, const knr_dense *x, bool adjoint)
{
    knr_dense v = vectors(b), t = knr_dense_part(&b->narrow_t, 0, 0, b->count, b->count);
    knr_dense w = knr_dense_part(&b->w, 0, 0, b->count, x->columns);
    knr_dense turned = knr_dense_part(&b->turned, 0, 0, b->count, x->columns);
    if (b->n <= FEW)
        narrow(b);
    for (int i = 0; i < b->count; i++)
        for (int k = 0; k < b->count; k++)
            knr_put(&t, i, k, element(&b->t, i, k));
    knr_dense_product(&b->multiplier, &w, KNR_SET, &v, KNR_CONJUGATED, x, KNR_PLAIN);
    knr_dense_product(&b->multiplier, &turned, KNR_SET, &t, adjoint ? KNR_ADJOINT : KNR_PLAIN, &w, KNR_PLAIN);
    knr_dense_product(&b->multiplier, x, KNR_MINUS, &v, KNR_TRANSPOSED, &turned, KNR_PLAIN);
}

/* x -= (V op(T)) (V^H x) */
void knr_block_apply(knr_block_reflection *b, const knr_dense *x, bool adjoint)
{
    knr_dense w = knr_dense_part(&b->w, 0, 0, b->count, x->columns);
    if (b->n > FEW || x->columns > FEW) {
        apply_by_products(b, x, adjoint);
        return;
    }
    for (int64_t i = 0; i < b->n; i++)
        for (int k = 0; k < b->count; k++) {
            knr_complex sum = {0, 0};
            for (int l = adjoint ? k : 0; adjoint ? l < b->count : l <= k; l++) { /* T is upper, T^H lower */
                knr_complex t = adjoint ? element(&b->t, k, l) : element(&b->t, l, k);
                t.im = adjoint ? -t.im : t.im;
                knr_complex p = knr_times(element(&b->v, l, i), t);
                sum = (knr_complex){sum.re + p.re, sum.im + p.im};
            }
            set_element(&b->g, i, k, sum);
        }
    for (int k = 0; k < b->count; k++) {
        clear_row(&w, k);
        for (int64_t j = 0; b->v.im && j < b->n; j++)
            b->v.im[k * b->v.ld + j] = -b->v.im[k * b->v.ld + j];
    }
    knr_multiply(&w, &b->v, x, false, b->spare);
    for (int k = 0; b->v.im && k < b->count; k++)
        for (int64_t j = 0; j < b->n; j++)
            b->v.im[k * b->v.ld + j] = -b->v.im[k * b->v.ld + j];
    knr_multiply(x, &b->g, &w, true, b->spare);
}

knr_doubles knr_block_column(knr_block_reflection *b, const knr_dense *a, knr_complex *tau, int64_t j, int at,
                             int64_t top)
{
    int64_t m = a->rows, first = j - top;
    knr_doubles tail = {b->v.re + at * b->v.ld + first, b->v.im ? b->v.im + at * b->v.ld + first : NULL, b->v.ld};
    double beta;
    for (int64_t i = 0; i < m - top; i++)
        set_element(&b->v, at, i, i < first ? (knr_complex){0, 0} : knr_at(a, top + i, j));
    tau[j] = knr_reflection(m - j, tail.re, tail.im, &beta);
    knr_put(a, j, j, (knr_complex){beta, 0});
    for (int64_t i = j + 1; i < m; i++)
        knr_put(a, i, j, element(&b->v, at, i - top));
    return tail;
}

void knr_block_factor(knr_block_reflection *b, const knr_dense *a, knr_complex *tau, const knr_spare *spare)
{
    int64_t m = a->rows, n = a->columns, k = m < n ? m : n;
    for (int64_t top = 0; top < k; top += KNR_REFLECTIONS) {
        int w = (int)(k - top < KNR_REFLECTIONS ? k - top : KNR_REFLECTIONS);
        b->n = m - top;
        b->count = w;
        for (int i = 0; i < w; i++) {
            int64_t j = top + i;
            knr_doubles v = knr_block_column(b, a, tau, j, i, top);
            knr_dense beside = knr_dense_part(a, j, j + 1, m - j, top + w - j - 1);
            knr_reflect_left(&beside, &v, (knr_complex){tau[j].re, -tau[j].im}, spare);
        }
        if (top + w < n) {
            knr_dense rest = knr_dense_part(a, top, top + w, m - top, n - top - w);
            knr_block_make(b, tau + top);
            knr_block_apply(b, &rest, true);
        }
    }
}

/* The block of reflections from number `top` on. */
static void take_block(knr_block_reflection *b, const knr_dense *packed, bool by_rows, const knr_complex *tau,
                       int64_t top, int64_t k)
{
    b->count = (int)(k - top < KNR_REFLECTIONS ? k - top : KNR_REFLECTIONS);
    b->n = (by_rows ? packed->columns : packed->rows) - top;
    for (int i = 0; i < b->count; i++)
        for (int64_t j = 0; j < b->n; j++)
            set_element(&b->v, i, j,
                        j < i     ? (knr_complex){0, 0}
                        : j == i  ? (knr_complex){1, 0}
                        : by_rows ? knr_at(packed, top + i, top + j)
                                  : knr_at(packed, top + j, top + i));
    knr_block_make(b, tau + top);
}

static void apply_packed(knr_block_reflection *b, const knr_dense *packed, bool by_rows, const knr_complex *tau,
                         int64_t k, const knr_dense *x, bool adjoint, bool from_identity)
{
    int64_t blocks = (k + KNR_REFLECTIONS - 1) / KNR_REFLECTIONS;
    for (int64_t i = 0; i < blocks; i++) {
        int64_t top = (adjoint ? i : blocks - 1 - i) * KNR_REFLECTIONS;
        int64_t left = !from_identity ? 0 : top < x->columns ? top : x->columns;
        knr_dense part = knr_dense_part(x, top, left, x->rows - top, x->columns - left);
        take_block(b, packed, by_rows, tau, top, k);
        knr_block_apply(b, &part, adjoint);
    }
}

void knr_block_apply_packed(knr_block_reflection *b, const knr_dense *packed, const knr_complex *tau, int64_t k,
                            const knr_dense *x, bool adjoint, bool from_identity)
{
    apply_packed(b, packed, false, tau, k, x, adjoint, from_identity);
}

void knr_block_apply_rows(knr_block_reflection *b, const knr_dense *packed, const knr_complex *tau, int64_t k,
                          const knr_dense *x, bool adjoint)
{
    double factors[KNR_WHOLE];
    if (x->p.im || x->rows > SIDE || x->columns > SIDE) {
        apply_packed(b, packed, true, tau, k, x, adjoint, false);
        return;
    }
    for (int64_t i = 0; i < k; i++)
        factors[i] = tau[i].re;
    knr_condensed()->reflect_rows[x->f->size == 8](x->p.re, x->p.ld, x->rows, x->columns, packed->p.re, packed->p.ld, k,
                                                   factors, adjoint, false, b->whole);
}

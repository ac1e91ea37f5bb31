/* SPDX-License-Identifier: Apache-2.0
 * cholesky.c -- Cholesky factors by panels (panels.h). A panel is factored as a copy whose rows are its columns; strips
 * of what is right of it lose, from their diagonal on, the product of its rows with its columns. */
#include "host/routine/linalg.h"
#include "host/routine/panels.h"
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct factors {
    knr_panels p;
    int64_t n;
    const char *a;          /* as it was: the first panel takes it from there, then the strips do */
    char *l, *conjugate[2]; /* rows of a panel of complex numbers */
} factors;

static void *element(const factors *x, int64_t i, int64_t j) { return knr_place_to(x->p.dtype, x->l, i * x->n + j); }

static int64_t width_of(const factors *x, int64_t first) { return least(x->p.width, x->n - first); }
static int parity(const factors *x, int64_t first) { return (int)(first / x->p.width % 2); }

/* What columns from .. from + columns lose to a panel before them, from their first row on. Of complex matrices the
 * conjugated factor is the left one, as inside of a panel, so that the result is turned. */
static void lose(const factors *x, int64_t first, int64_t from, int64_t columns, int worker, size_t *most)
{
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int64_t w = width_of(x, first), behind = from - first, rows = x->n - from;
    int odd = parity(x, first);
    void *place = element(x, from, from);
    knr_products products = knr_panels_products(p, worker, most);
    const void *l = knr_place_of(d, p->rows[odd], behind * p->rows_ld);
    const void *turned = knr_place_of(d, p->plane[odd].re, behind);
    if (knx_is_complex(d)) {
        const void *conjugate = knr_place_of(d, x->conjugate[odd], behind * p->rows_ld);
        knr_matrix_lose(&products, (knr_extents){columns, rows, w}, (knr_operand){conjugate, p->rows_ld, 1},
                        (knr_operand){l, 1, p->rows_ld}, (knr_result){place, 1, x->n});
        return;
    }
    knr_matrix_lose(&products, (knr_extents){rows, columns, w}, (knr_operand){l, p->rows_ld, 1},
                    (knr_operand){turned, p->plane[odd].ld, 1}, (knr_result){place, x->n, 1});
}

/* What the next panel, of real numbers, loses in its plane. */
static void lose_in_plane(const factors *x, int64_t first, int64_t columns, int worker, size_t *most)
{
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int64_t w = width_of(x, first);
    knr_planes l = p->plane[parity(x, first)], to = p->plane[!parity(x, first)];
    knr_products products = knr_panels_products(p, worker, most);
    knr_matrix_lose(&products, (knr_extents){columns, x->n - first - w, w},
                    (knr_operand){knr_place_of(d, p->rows[parity(x, first)], w * p->rows_ld), p->rows_ld, 1},
                    (knr_operand){knr_place_of(d, l.re, w), l.ld, 1}, (knr_result){to.re, to.ld, 1});
}

enum { DIAGONAL = 32 /* columns that begin at their own row: above it nothing is needed */ };

static void update(void *env, int64_t first, int64_t from, int64_t to, int worker)
{
    factors *x = env;
    for (int64_t i = from; !first && i < x->n; i++)
        memcpy(element(x, i, from), knr_place_of(x->p.dtype, x->a, i * x->n + from),
               (size_t)(to - from) * x->p.dtype->size);
    for (; from < to; from += DIAGONAL)
        lose(x, first, from, least(DIAGONAL, to - from), worker, NULL);
}

/* The columns from `first` on go to the plane, a few at a time from their diagonal on. */
static void take_panel(const factors *x, int64_t first, const void *from)
{
    const knr_panels *p = &x->p;
    int64_t w = width_of(x, first), rows = x->n - first;
    for (int64_t c = 0; c < w; c += KNR_BLOCK) {
        knr_planes part = knr_panels_part(p, p->plane[parity(x, first)], c * p->plane[0].ld + c);
        p->f->take(&part, (int)least(KNR_BLOCK, w - c), rows - c,
                   &(knr_place_in){knr_place_of(p->dtype, from, c * (x->n + 1)), 1, x->n, false}, NULL);
    }
}

/* The panel of the columns from `first` on; its rows are complete then, with zeros behind the diagonal. */
static bool factor(void *env, int64_t first, int worker)
{
    factors *x = env;
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int w = (int)width_of(x, first), odd = parity(x, first);
    int64_t below = x->n - first - w, before = first - p->width;
    const knr_planes *plane = &p->plane[odd];
    bool complex = knx_is_complex(d);
    if (first && complex)
        update(x, before, first, first + w, worker);
    take_panel(x, first,
               before > 0 || (first && complex) ? element(x, first, first) : knr_place_of(d, x->a, first * (x->n + 1)));
    if (first && !complex)
        lose_in_plane(x, before, w, worker, NULL);
    if (!p->f->cholesky(plane, w))
        return false;
    if (below) {
        knr_planes rest = knr_panels_part(p, *plane, w);
        p->f->put(plane, w, w, &(knr_place_out){p->rows[odd], 1, p->rows_ld, false});
        if (complex)
            p->f->take(&p->triangle[odd], w, w, &(knr_place_in){p->rows[odd], p->rows_ld, 1, true}, NULL);
        p->f->solve(&p->triangle[odd], &rest, w, below, KNR_DIAGONAL_REAL);
    }
    knr_panels_put(p, first, w + below, element(x, first, first), x->n, true);
    if (complex)
        p->f->put(plane, w, w + below, &(knr_place_out){x->conjugate[odd], 1, p->rows_ld, true});
    for (int64_t i = 0; i < w; i++)
        memset(element(x, first + i, first + i + 1), 0, (size_t)(x->n - first - i - 1) * d->size);
    return true;
}

/* The parts of the workspace; NULL: its bytes are counted. */
static size_t take_room(factors *x, kn_dtype d, int64_t n, int threads, void *workspace)
{
    size_t most = 0;
    *x = (factors){.n = n};
    knr_panels_take(&x->p, NULL, d, n, n, n, threads, 0);
    const knr_panels *p = &x->p;
    for (int64_t first = 0; first + p->width < n && !knx_is_complex(d); first += p->width)
        lose_in_plane(x, first, width_of(x, first + p->width), 0, &most);
    for (int64_t from = 0; p->width < n && from < n; from += KNR_BLOCK) /* where strips and panels begin */
        lose(x, 0, from, least(DIAGONAL, n - from), 0, &most);
    knr_arena arena = {workspace, knr_panels_take(&x->p, workspace, d, n, n, n, threads, most)};
    for (int i = 0; i < 2 && knx_is_complex(d); i++)
        x->conjugate[i] = knr_take(&arena, (size_t)(n * p->rows_ld), d->size);
    return arena.used;
}

size_t knr_cholesky_workspace(kn_dtype d, int64_t n, int threads)
{
    factors x;
    return take_room(&x, d, n, threads, NULL);
}

static void lower_nan(kn_dtype d, int64_t n, void *l)
{
    knx_scalar_bits nan = knx_scalar_from_double(d, __builtin_nan(""));
    if (d->id == KN_ID_C64)
        nan.c64.im = nan.c64.re;
    if (d->id == KN_ID_C128)
        nan.c128.im = nan.c128.re;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++)
            memcpy(knr_place_to(d, l, i * n + k), nan.bytes, d->size);
        memset(knr_place_to(d, l, i * n + i + 1), 0, (size_t)(n - i - 1) * d->size);
    }
}

bool knr_cholesky(kn_dtype d, int64_t n, const void *a, void *l, void *workspace, int threads)
{
    static const knr_panel_steps steps = {update, factor};
    factors x;
    take_room(&x, d, n, threads, workspace);
    x.a = a, x.l = l;
    if (knr_panels_run(&x.p, &steps, &x))
        return true;
    lower_nan(d, n, l);
    return false;
}

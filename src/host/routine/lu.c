/* SPDX-License-Identifier: Apache-2.0
 * lu.c -- LU factors by panels (panels.h). A panel is factored as a copy whose rows are its columns, by halves, and
 * written back; a strip of what is right of it changes rows as the panel has, becomes U in the panel's rows, and loses
 * the product below them. Columns of L change rows at the end, for all panels behind theirs. */
#include "host/routine/linalg.h"
#include "base/pool.h"
#include "host/routine/panels.h"
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A matrix that becomes its factors. */
typedef struct factors {
    knr_panels p;
    int64_t m, n;
    const char *a; /* as it was: the first panel takes it from there, then the strips do */
    char *lu;
    int32_t *pivots, *permutation;
    bool regular;
} factors;

static void *element(const factors *x, int64_t i, int64_t j) { return knr_place_to(x->p.dtype, x->lu, i * x->n + j); }

/* Rows from .. to change places as their pivots say, columns first .. last. */
static void exchange(const factors *x, int64_t from, int64_t to, int64_t first, int64_t last)
{
    int64_t size = (int64_t)x->p.dtype->size;
    if (first < last)
        x->p.f->exchange(element(x, 0, first), x->n * size, (last - first) * size, x->pivots, from, to - from);
}

static void permute(const factors *x, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++) {
        int32_t swapped = x->permutation[k];
        x->permutation[k] = x->permutation[x->pivots[k]];
        x->permutation[x->pivots[k]] = swapped;
    }
}

static int64_t width_of(const factors *x, int64_t first) { return least(x->p.width, x->p.steps - first); }
static int parity(const factors *x, int64_t first) { return (int)(first / x->p.width % 2); }

/* The panel's rows of columns from .. to become U: in `upper`, too. */
static void take_upper(const factors *x, int64_t first, int64_t from, int64_t columns, const knr_planes *upper,
                       knr_place_in rows)
{
    const knr_panels *p = &x->p;
    int w = (int)width_of(x, first);
    p->f->take(upper, w, columns, &rows, NULL);
    p->f->solve(&p->triangle[parity(x, first)], upper, w, columns, KNR_DIAGONAL_ONE);
    p->f->put(upper, w, columns, &(knr_place_out){element(x, first, from), x->n, 1, false});
}

/* What columns that are right of a panel lose to it, in place. */
static void lose(const factors *x, int64_t first, int64_t from, int64_t columns, int worker, size_t *most)
{
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int64_t w = width_of(x, first), rows = x->m - first - w;
    knr_planes upper = knr_panels_own(p, worker);
    knr_products products = knr_panels_products(p, worker, most);
    const void *l = knr_place_of(d, p->rows[parity(x, first)], w * p->rows_ld);
    knr_operand u = {upper.re, upper.ld, 1};
    if (knx_is_complex(d))
        u = (knr_operand){element(x, first, from), x->n, 1};
    knr_matrix_lose(&products, (knr_extents){rows, columns, w}, (knr_operand){l, p->rows_ld, 1}, u,
                    (knr_result){element(x, first + w, from), x->n, 1});
}

/* What the next panel, of real numbers, loses in its plane, below U. */
static void lose_in_plane(const factors *x, int64_t first, int64_t columns, int worker, size_t *most)
{
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int64_t w = width_of(x, first), rows = x->m - first - w;
    knr_planes upper = knr_panels_own(p, worker), l = p->plane[parity(x, first)], to = p->plane[!parity(x, first)];
    knr_products products = knr_panels_products(p, worker, most);
    knr_matrix_lose(&products, (knr_extents){columns, rows, w}, (knr_operand){upper.re, 1, upper.ld},
                    (knr_operand){knr_place_of(d, l.re, w), l.ld, 1}, (knr_result){to.re, to.ld, 1});
}

static void update(void *env, int64_t first, int64_t from, int64_t to, int worker)
{
    factors *x = env;
    kn_dtype d = x->p.dtype;
    knr_planes upper = knr_panels_own(&x->p, worker);
    if (first)
        exchange(x, first, first + width_of(x, first), from, to);
    for (int64_t i = 0; !first && i < x->m; i++)
        memcpy(element(x, i, from), knr_place_of(d, x->a, (int64_t)x->permutation[i] * x->n + from),
               (size_t)(to - from) * d->size);
    take_upper(x, first, from, to - from, &upper, (knr_place_in){element(x, first, from), x->n, 1, false});
    lose(x, first, from, to - from, worker, NULL);
}

/* The columns from `first` on go to the plane, from the row on in which the panel before them begins: there they get
 * all that it asks for. */
static void take_next(const factors *x, int64_t first, int worker)
{
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int64_t w = width_of(x, first), before = first - p->width, pivot[KNR_WIDE_PANEL];
    knr_planes upper = knr_panels_own(p, worker), plane = knr_panels_part(p, p->plane[parity(x, first)], -p->width);
    const void *from = before ? element(x, before, first) : knr_place_of(d, x->a, first);
    p->f->take(&plane, (int)w, x->m - before, &(knr_place_in){from, 1, x->n, false}, NULL);
    for (int64_t k = 0; k < p->width; k++)
        pivot[k] = x->pivots[before + k] - before;
    p->f->swap(&plane, (int)w, pivot, (int)p->width);
    take_upper(x, before, first, w, &upper, (knr_place_in){plane.re, 1, plane.ld, false});
    lose_in_plane(x, before, w, worker, NULL);
}

/* Complex columns get it where they lie. */
static void take_panel(factors *x, int64_t first, int worker)
{
    const knr_panels *p = &x->p;
    bool complex = knx_is_complex(p->dtype);
    int64_t w = width_of(x, first);
    if (first && !complex) {
        take_next(x, first, worker);
        return;
    }
    if (first)
        update(x, first - p->width, first, first + w, worker);
    p->f->take(&p->plane[parity(x, first)], (int)w, x->m - first,
               &(knr_place_in){first ? element(x, first, first) : (const void *)x->a, 1, x->n, false}, NULL);
}

static void factor(void *env, int64_t first, int worker)
{
    factors *x = env;
    const knr_panels *p = &x->p;
    kn_dtype d = p->dtype;
    int w = (int)width_of(x, first), odd = parity(x, first);
    int64_t rows = x->m - first, pivot[KNR_WIDE_PANEL];
    knr_planes plane = p->plane[odd], spare = knr_panels_own(p, worker);
    take_panel(x, first, worker);
    if (!p->f->lu(&plane, w, rows, pivot, &spare))
        x->regular = false;
    for (int k = 0; k < w; k++)
        x->pivots[first + k] = (int32_t)(first + pivot[k]);
    if (!first)
        permute(x, 0, w);
    if (first + w == p->columns) { /* nothing reads it again */
        p->f->put(&plane, w, rows, &(knr_place_out){element(x, first, first), 1, x->n, false});
        return;
    }
    knr_panels_put(p, first, rows, element(x, first, first), x->n);
    if (knx_is_complex(d))
        p->f->take(&p->triangle[odd], w, w, &(knr_place_in){p->rows[odd], p->rows_ld, 1, false}, NULL);
}

/* Columns of L of one panel: the rows behind it change places. */
static void finish(void *env, int64_t part, int worker)
{
    const factors *x = env;
    int64_t first = part * x->p.width, end = least(first + x->p.width, x->p.steps);
    (void)worker;
    exchange(x, end, x->p.steps, first, end);
}

/* The parts of the workspace; NULL: its bytes are counted. */
static size_t take_room(factors *x, kn_dtype d, int64_t m, int64_t n, int threads, void *workspace)
{
    size_t most = 0;
    *x = (factors){.m = m, .n = n, .regular = true};
    knr_panels_take(&x->p, NULL, d, m, least(m, n), n, threads, 0);
    const knr_panels *p = &x->p;
    for (int64_t first = 0; first < p->steps; first += p->width) {
        int64_t end = least(first + p->width, p->steps), next = least(end + p->width, p->steps);
        const int64_t columns[] = {next - end, least(p->strip, n - next), (n - next) % p->strip, n % p->strip,
                                   (p->strip - next % p->strip) % p->strip};
        if (!knx_is_complex(d))
            lose_in_plane(x, first, next - end, 0, &most);
        for (int i = 0; i < 5; i++)
            lose(x, first, 0, columns[i], 0, &most);
    }
    return knr_panels_take(&x->p, workspace, d, m, least(m, n), n, threads, most);
}

size_t knr_lu_workspace(kn_dtype d, int64_t m, int64_t n, int threads)
{
    factors x;
    return take_room(&x, d, m, n, threads, NULL);
}

bool knr_lu(kn_dtype d, int64_t m, int64_t n, const void *a, void *lu, int32_t *pivots, int32_t *permutation,
            void *workspace, int threads)
{
    static const knr_panel_steps steps = {update, factor};
    factors x;
    take_room(&x, d, m, n, threads, workspace);
    x.a = a, x.lu = lu, x.pivots = pivots, x.permutation = permutation;
    for (int64_t i = 0; i < m; i++)
        permutation[i] = (int32_t)i;
    knr_panels_run(&x.p, &steps, &x);
    if (x.p.steps <= x.p.width)
        return x.regular;
    permute(&x, x.p.width, x.p.steps);
    knx_parallel(threads, (x.p.steps - 1) / x.p.width, finish, &x);
    return x.regular;
}

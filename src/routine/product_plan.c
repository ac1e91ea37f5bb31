/* SPDX-License-Identifier: Apache-2.0
 * product_plan.c -- thinks a product through: joins dimensions, takes windows that never leave the array for strides,
 * decides which operand goes along the lanes, and cuts the work into pieces. */
#include "routine/product_plan.h"
#include "codegen/native.h"
#include "routine/isa.h"
#include "routine/product_pack.h"
#include <string.h>

/* --- axes ------------------------------------------------------------------------------------- */

static void add_dim(knr_axis *x, int64_t extent, int64_t stride, int window, int64_t walk)
{
    int last = x->n - 1;
    x->total *= extent;
    if (extent == 1 && window < 0)
        return;
    if (x->n && window < 0 && x->window[last] < 0 && x->stride[last] == stride * extent) {
        x->extent[last] *= extent;
        x->stride[last] = stride;
        return;
    }
    x->extent[x->n] = extent;
    x->stride[x->n] = stride;
    x->walk[x->n] = walk;
    x->window[x->n++] = (int8_t)window;
}

static void end_axis(knr_axis *x)
{
    if (x->n)
        return;
    x->n = 1;
    x->extent[0] = 1;
    x->stride[0] = 1;
    x->window[0] = -1;
}

/* group: 'm' or 'k' if dimensions of it may walk through windows; else 0. kept: as resolve_windows says. */
static void make_axis(knr_axis *x, const knr_dims *d, const int64_t *stride, const knr_product *q, char group,
                      const int8_t *kept)
{
    x->n = 0;
    x->total = 1;
    for (int i = 0; i < d->n; i++) {
        int64_t step = stride[i], walk = 0;
        int window = -1;
        for (int w = 0; group && w < q->n_window; w++) {
            const knr_window *v = &q->window[w];
            if ((group == 'm' ? v->m : v->k) != i)
                continue;
            int64_t positions = group == 'm' ? v->step : v->dilation;
            if (kept[w] < 0) {
                step += positions * v->stride;
            } else {
                window = kept[w];
                walk = positions;
            }
        }
        add_dim(x, d->extent[i], step, window, walk);
    }
    end_axis(x);
}

static int64_t count(const knr_dims *d)
{
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= d->extent[i];
    return n;
}

/* A window whose positions all lie in the array is a pair of strides. kept[w]: its number in the plan, or -1. */
static int64_t resolve_windows(knr_plan *p, const knr_product *q, int8_t *kept)
{
    int64_t offset = 0;
    p->n_window = 0;
    for (int w = 0; w < q->n_window; w++) {
        const knr_window *v = &q->window[w];
        int64_t last =
            (q->m.extent[v->m] - 1) * v->step + (q->k.extent[v->k] - 1) * v->dilation - v->low;
        kept[w] = -1;
        if (v->base == 1 && v->step >= 0 && v->dilation >= 0 && v->low <= 0 && last < v->extent) {
            offset -= v->low * v->stride;
            continue;
        }
        kept[w] = (int8_t)p->n_window;
        p->window[p->n_window++] = *v;
    }
    return offset;
}

static void merge_batch(knr_dims *r, const knr_dims *d)
{
    r->n = 0;
    for (int i = 0; i < d->n; i++) {
        int64_t e = d->extent[i];
        if (e == 1)
            continue;
        int last = r->n - 1;
        if (r->n && r->a[last] == d->a[i] * e && r->b[last] == d->b[i] * e && r->c[last] == d->c[i] * e) {
            r->extent[last] *= e;
        } else {
            last = r->n++;
            r->extent[last] = e;
        }
        r->a[last] = d->a[i];
        r->b[last] = d->b[i];
        r->c[last] = d->c[i];
    }
}

void knr_seek(const knr_axis *x, int n_window, int64_t i, knr_at *at)
{
    at->offset = 0;
    for (int w = 0; w < n_window; w++)
        at->position[w] = 0;
    for (int d = x->n - 1; d >= 0; d--) {
        int64_t index = d ? i % x->extent[d] : i;
        i = d ? i / x->extent[d] : 0;
        at->index[d] = index;
        at->offset += index * x->stride[d];
        if (x->window[d] >= 0 && n_window)
            at->position[x->window[d]] += index * x->walk[d];
    }
}

static void move(const knr_axis *x, int d, int64_t by, knr_at *at)
{
    at->index[d] += by;
    at->offset += by * x->stride[d];
    if (x->window[d] >= 0)
        at->position[x->window[d]] += by * x->walk[d];
}

void knr_advance(const knr_axis *x, int64_t n, knr_at *at)
{
    int d = x->n - 1;
    move(x, d, n, at);
    while (d > 0 && at->index[d] == x->extent[d]) {
        move(x, d, -at->index[d], at);
        move(x, --d, 1, at);
    }
}

void knr_batch_at(const knr_plan *p, int64_t i, int64_t *a, int64_t *b, int64_t *c)
{
    *a = *b = *c = 0;
    for (int d = p->batch.n - 1; d >= 0; d--) {
        int64_t index = d ? i % p->batch.extent[d] : i;
        i = d ? i / p->batch.extent[d] : 0;
        *a += index * p->batch.a[d];
        *b += index * p->batch.b[d];
        *c += index * p->batch.c[d];
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

static kng_number number_of(const knr_product *q)
{
    size_t size = knx_component(q->result)->size;
    if (knx_is_complex(q->result))
        return size == 8 ? KNG_NUMBER_C128 : KNG_NUMBER_C64;
    if (knx_is_float(q->result))
        return size == 8 ? KNG_NUMBER_F64 : KNG_NUMBER_F32;
    return size == 8 ? KNG_NUMBER_I64 : KNG_NUMBER_I32;
}

/* The machine that runs the inner loops: -1 is the loops in C. */
static int choose_target(void)
{
    kng_backend b = kng_backend_best();
    knr_isa_kind most = knr_isa();
    if (b == KNG_NATIVE_AVX512 && most == KNR_ISA_AVX512)
        return KNG_AVX512;
    if ((b == KNG_NATIVE_AVX512 || b == KNG_NATIVE_AVX2) && most >= KNR_ISA_AVX2)
        return KNG_AVX2;
    return -1;
}

static void choose_numbers(knr_plan *p, const knr_product *q)
{
    static const uint8_t sizes[KNG_NUMBER_KINDS] = {4, 8, 8, 16, 4, 8, 4, 4};
    p->result = q->result;
    p->number = number_of(q);
    p->size = sizes[p->number];
    p->group = 1;
    p->parts = knx_is_complex(q->result) ? 2 : 1;
    p->left_step = p->size;
    p->right_step = p->size * p->parts; /* of complex numbers two rows, see codegen/product.h */
    p->target = choose_target();
    if (p->target >= 0 && !kng_product_rows(p->number, (kng_target)p->target, 1))
        p->target = -1;
    p->shape = (kng_product_shape){.lanes = (uint8_t)(64 / p->size), .max_rows = 4, .vectors = 2};
    if (p->target >= 0)
        p->shape = kng_product_best(p->number, (kng_target)p->target);
}

/* --- the operands ----------------------------------------------------------------------------- */

static bool same_numbers(const knr_plan *p, kn_dtype d)
{
    return d->size == p->size && (d->kind == p->result->kind || p->number == KNG_NUMBER_I32 || p->number == KNG_NUMBER_I64) && p->group == 1;
}

static void make_side(knr_plan *p, knr_side *s, const knr_product *q, bool is_a, bool fill)
{
    int8_t kept[KNR_MAX_WINDOWS] = {0};
    int64_t offset = is_a ? resolve_windows(p, q, kept) : 0;
    const knr_dims *row = is_a ? &q->m : &q->n;
    s->dtype = q->operand;
    s->is_a = is_a;
    s->fill = fill;
    s->offset = offset + (is_a ? q->a_offset : q->b_offset);
    make_axis(&s->row, row, is_a ? row->a : row->b, q, is_a ? 'm' : 0, kept);
    make_axis(&s->k, &q->k, is_a ? q->k.a : q->k.b, q, is_a ? 'k' : 0, kept);
    s->n_window = is_a ? p->n_window : 0;
    s->same = same_numbers(p, s->dtype);
    s->plain = s->same && !fill && !s->n_window && s->row.n == 1 && s->k.n == 1;
}

static bool is_line(const knr_axis *x) { return x->n == 1 && x->stride[0] == 1; }

/* The result's neighbours should be neighbours in the lanes. Complex numbers do not change sides: the order of the two
 * products that make an imaginary part is part of the result. */
static bool choose_swap(const knr_plan *p, const knr_axis *c_m, const knr_axis *c_n)
{
    if (p->number == KNG_NUMBER_C64 || p->number == KNG_NUMBER_C128)
        return false;
    if (c_n->total == 1 && c_m->total > 1)
        return true;
    return !is_line(c_n) && c_n->stride[c_n->n - 1] != 1 && c_m->stride[c_m->n - 1] == 1;
}

static void make_sides(knr_plan *p, const knr_product *q, bool fill_a, bool fill_b)
{
    make_axis(&p->c_row, &q->m, q->m.c, q, 0, NULL);
    make_axis(&p->c_column, &q->n, q->n.c, q, 0, NULL);
    p->swapped = choose_swap(p, &p->c_row, &p->c_column);
    if (p->swapped) {
        make_axis(&p->c_row, &q->n, q->n.c, q, 0, NULL);
        make_axis(&p->c_column, &q->m, q->m.c, q, 0, NULL);
    }
    make_side(p, p->swapped ? &p->right : &p->left, q, true, fill_a);
    make_side(p, p->swapped ? &p->left : &p->right, q, false, fill_b);
}

/* --- cuts ------------------------------------------------------------------------------------- */

enum {
    K_PIECE_BYTES = 6144,        /* of one row of left: long pieces, each further one reads and writes c once more */
    RIGHT_BYTES = 1 << 20,       /* of packed right */
    LEFT_BYTES = 512 << 10,      /* of packed left */
    BUFFER_BYTES = 96 << 10,     /* of the result, where it goes through a buffer */
    ROW_PAD = 64,                /* bytes between the rows of packed left */
    MANY_STEPS = 1 << 16,        /* from here on steps are cut also where the result goes through a buffer */
    IN_PLACE_TILES = 3           /* so many rectangles down, packing right would not pay */
};

static int64_t between(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

static void cut_rows(const knr_plan *p, int64_t rows, knr_cuts *c)
{
    c->tiles = knr_divide_up(rows, p->shape.max_rows);
    c->height = c->tiles ? rows / c->tiles : 0;
    c->extra = c->tiles ? rows % c->tiles : 0;
}

static void choose_cuts(knr_plan *p)
{
    knr_cuts *c = &p->cut;
    int64_t k = p->left.k.total, n = p->right.row.total;
    cut_rows(p, p->left.row.total, c);
    c->panel = p->shape.vectors * p->shape.lanes;
    int64_t pieces = knr_divide_up(k * p->left_step, K_PIECE_BYTES);
    bool whole = !p->direct && k < MANY_STEPS;
    c->k_piece = whole || pieces <= 1 ? k : knr_round_up(knr_divide_up(k, pieces), KNR_BLOCK_STEPS);
    c->k_piece = knr_round_up(c->k_piece ? c->k_piece : 1, p->group);
    int64_t panels = between(RIGHT_BYTES / (c->k_piece * p->right_step * c->panel), 1, knr_divide_up(n, c->panel));
    if (!p->direct)
        panels = between(panels, 1, BUFFER_BYTES / 2 / (c->panel * p->size * p->shape.max_rows));
    c->n_piece = (panels ? panels : 1) * c->panel;
    c->m_piece = between(LEFT_BYTES / (c->k_piece * p->left_step * p->shape.max_rows), 1, c->tiles ? c->tiles : 1);
    c->m_block = c->tiles;
    if (!p->direct)
        c->m_block = between(BUFFER_BYTES / (c->n_piece * p->size * p->shape.max_rows), 1, c->tiles ? c->tiles : 1);
    c->m_piece = knr_least(c->m_piece, c->m_block ? c->m_block : 1);
}

static bool same_sets(int64_t bytes) { return bytes % 1024 == 0; }

static void choose_places(knr_plan *p)
{
    const knr_side *l = &p->left, *r = &p->right;
    bool in_place = l->plain && (is_line(&l->k) || l->k.total == 1);
    bool many = p->cut.tiles > 2 && r->row.total > 4 * p->cut.panel && l->k.total * p->size >= 1024;
    p->left_in_place = in_place && !(many && same_sets(l->row.stride[0] * p->size));
    p->right_in_place = r->plain && (is_line(&r->row) || r->row.total == 1) && p->cut.tiles <= IN_PLACE_TILES;
}

static void choose_bytes(knr_plan *p)
{
    const knr_cuts *c = &p->cut;
    size_t padded = (size_t)knr_round_up(c->k_piece, p->group);
    p->left_bytes = p->right_bytes = p->c_bytes = 0;
    if (!p->left_in_place)
        p->left_bytes = (size_t)(c->m_piece * p->shape.max_rows) * ((padded * (size_t)p->left_step + 63) / 64 * 64 + ROW_PAD);
    p->right_bytes = padded * (size_t)c->n_piece * (size_t)p->right_step;
    p->c_line = c->n_piece;
    if (!p->direct)
        p->c_bytes = (size_t)(c->m_block * p->shape.max_rows) * (size_t)p->c_line * (size_t)p->size;
    p->spare_bytes = KNR_SPARE;
}

static double cost_of(const knr_plan *p)
{
    double l = (double)p->left.row.total, r = (double)p->right.row.total, k = (double)p->left.k.total;
    double rate = p->target < 0 ? 4 : p->target == KNG_AVX512 ? 48 : 24; /* multiplications in a nanosecond */
    double columns = (double)knr_round_up(p->right.row.total, p->shape.lanes);
    rate *= 4. / p->size * (p->number == KNG_NUMBER_C64 || p->number == KNG_NUMBER_C128 ? .5 : 1);
    double moved = (l * k + r * k + 2 * l * r) * p->size / 8;
    return (double)p->batches * (l * columns * k / rate + moved / 4 + 20);
}

const knr_plan *knr_product_make(void *room, const knr_product *q, bool fill_a, bool fill_b, bool finish)
{
    knr_plan *p = room;
    memset(p, 0, sizeof *p);
    p->batches = count(&q->batch);
    merge_batch(&p->batch, &q->batch);
    choose_numbers(p, q);
    make_sides(p, q, fill_a, fill_b);
    p->c_offset = q->c_offset;
    p->finish = finish;
    bool exact = p->result->size == p->size && p->result->kind != 'b';
    p->direct = exact && !finish && p->c_row.n == 1 && (is_line(&p->c_column) || p->c_column.total == 1);
    p->keeps_totals = p->result->id == KN_ID_F16 || p->result->id == KN_ID_BF16;
    choose_cuts(p);
    choose_places(p);
    choose_bytes(p);
    p->cost = cost_of(p);
    return p;
}

size_t knr_plan_bytes(void) { return sizeof(knr_plan); }
double knr_product_cost(const knr_plan *p) { return p->cost; }

/* SPDX-License-Identifier: Apache-2.0
 * product_plan.c -- thinks a product through: joins dimensions, takes windows that never leave the array for strides,
 * decides which operand goes along the lanes, and cuts the work into pieces. */
#include "host/routine/product_plan.h"
#include "host/generators.h"
#include "host/routine/isa.h"
#include "host/routine/product_pack.h"
#include <string.h>

enum { LEAST_LANES = 8 };

/* --- room ------------------------------------------------------------------------------------- */

/* Behind the plan: the arrays of axes, then those of bytes. */
typedef struct rest {
    int64_t *next;
} rest;

static int64_t *take(rest *r, int n)
{
    int64_t *at = r->next;
    r->next += n;
    return at;
}

static int64_t *take_bytes(rest *r, int n) { return take(r, (n + 7) / 8); }

/* An axis of so many dimensions, in words; it has one at least. */
static int axis_words(int n) { return 3 * (n + 1) + (n + 8) / 8; }

size_t knr_plan_bytes(const knk_product *q)
{
    int result = 2 * (axis_words(q->m.n) + axis_words(q->n.n)); /* both ways */
    int words =
        result + axis_words(q->m.n) + axis_words(q->n.n) + 2 * axis_words(1) + 2 * axis_words(q->k.n) + 4 * q->batch.n;
    return sizeof(knr_plan) + (size_t)words * sizeof(int64_t) + (size_t)q->n_window * sizeof(knk_window);
}

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
    x->walk[0] = 0;
    x->window[0] = -1;
}

/* group: 'm' or 'k' if dimensions of it may walk through windows; else 0. kept: as resolve_windows says. */
static void make_axis(rest *room, knr_axis *x, const knk_dims *d, const int64_t *stride, const knk_product *q,
                      char group, const int8_t *kept)
{
    *x = (knr_axis){.total = 1, .extent = take(room, d->n + 1), .stride = take(room, d->n + 1)};
    x->walk = take(room, d->n + 1);
    x->window = (int8_t *)take_bytes(room, d->n + 1);
    for (int i = 0; i < d->n; i++) {
        int64_t step = stride[i], walk = 0;
        int window = -1;
        for (int w = 0; group && w < q->n_window; w++) {
            const knk_window *v = &q->window[w];
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

static int64_t count(const knk_dims *d)
{
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n *= d->extent[i];
    return n;
}

static bool is_few(const knk_product *q, const knk_window *v)
{
    return knk_few_positions(q->m.extent[v->m], q->k.extent[v->k]);
}

static bool has_few(const knk_product *q)
{
    for (int w = 0; w < q->n_window; w++)
        if (is_few(q, &q->window[w]))
            return true;
    return false;
}

/* A window whose positions all lie in the array is a pair of strides, if the view does not keep it. kept[w]: its number
 * in the plan, or -1. */
static int64_t resolve_windows(knr_plan *p, const knk_product *q, int8_t *kept)
{
    int64_t offset = 0;
    p->n_window = 0;
    for (int w = 0; w < q->n_window; w++) {
        const knk_window *v = &q->window[w];
        int64_t last = (q->m.extent[v->m] - 1) * v->step + (q->k.extent[v->k] - 1) * v->dilation - v->low;
        kept[w] = -1;
        bool within = v->base == 1 && v->step >= 0 && v->dilation >= 0 && v->low <= 0 && last < v->extent;
        bool stays = p->view.keep == KNR_KEEP_ALL || (p->view.keep == KNR_KEEP_FEW && is_few(q, v));
        if (within && !stays) {
            offset -= v->low * v->stride;
            continue;
        }
        kept[w] = (int8_t)p->n_window;
        p->window[p->n_window++] = *v;
    }
    return offset;
}

static void merge_batch(rest *room, knr_batches *r, const knk_dims *d, int n)
{
    *r = (knr_batches){.extent = take(room, d->n), .a = take(room, d->n), .b = take(room, d->n), .c = take(room, d->n)};
    for (int i = 0; i < n; i++) {
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

/* Sums of narrow integers have 32 bits; signs matter only where the result is wider than the operands. */
static knh_number integers(const knk_product *q, const knh_product_maker *maker)
{
    bool wider = q->result->size > q->operand->size;
    if (q->result->size == 8)
        return KNH_NUMBER_I64;
    if (!maker || q->operand->size == 4 || (q->operand->size == 2 && wider && q->operand->kind == 'u'))
        return KNH_NUMBER_I32;
    if (q->operand->size == 1 && knh_product_rows(maker, KNH_NUMBER_BYTES, 1))
        return KNH_NUMBER_BYTES;
    return KNH_NUMBER_SHORTS;
}

static knh_number number_of(const knk_product *q, const knh_product_maker *maker)
{
    size_t size = knx_component(q->result)->size;
    if (knx_is_complex(q->result))
        return size == 8 ? KNH_NUMBER_C128 : KNH_NUMBER_C64;
    if (knx_is_float(q->result))
        return size == 8 ? KNH_NUMBER_F64 : KNH_NUMBER_F32;
    return integers(q, maker);
}

/* Who makes the inner loops: NULL is the loops in C. */
static const knh_product_maker *choose_maker(void)
{
    const knh_product_maker *m = knh_generator_best()->product;
    while (m && (int)m->cpu > (int)knr_isa())
        m = m->shorter;
    return m;
}

static void choose_numbers(knr_plan *p, const knk_product *q)
{
    static const struct {
        uint8_t size, left, right, group;
    } forms[KNH_NUMBER_KINDS] = {{4, 4, 4, 1}, {8, 8, 8, 1}, {8, 8, 16, 1}, {16, 16, 32, 1},
                                 {4, 4, 4, 1}, {8, 8, 8, 1}, {4, 2, 2, 2},  {4, 1, 1, 4}};
    p->result = q->result;
    p->maker = choose_maker();
    p->number = number_of(q, p->maker);
    if (p->maker && !knh_product_rows(p->maker, p->number, 1))
        p->maker = NULL;
    p->size = forms[p->number].size;
    p->left_step = forms[p->number].left;
    p->right_step = forms[p->number].right;
    p->group = forms[p->number].group;
    p->parts = knx_is_complex(q->result) ? 2 : 1;
}

/* --- the operands ----------------------------------------------------------------------------- */

/* The dtypes of operands and result are of one kind: numbers of one size are the same. */
static bool same_numbers(const knr_plan *p, kn_dtype d) { return d->size == p->left_step; }

static void make_side(rest *room, knr_plan *p, knr_side *s, const knk_product *q, bool is_a, bool fill)
{
    int8_t kept[KNK_MAX_WINDOWS] = {0};
    int64_t offset = is_a ? resolve_windows(p, q, kept) : 0;
    const knk_dims *row = is_a ? &q->m : &q->n;
    s->dtype = q->operand;
    s->is_a = is_a;
    s->fill = fill;
    s->offset = offset + (is_a ? q->a_offset : q->b_offset);
    make_axis(room, &s->row, row, is_a ? row->a : row->b, q, is_a ? 'm' : 0, kept);
    make_axis(room, &s->k, &q->k, is_a ? q->k.a : q->k.b, q, is_a ? 'k' : 0, kept);
    s->n_window = is_a ? p->n_window : 0;
    s->same = same_numbers(p, s->dtype);
    s->plain = s->same && !fill && !s->n_window && s->row.n == 1 && s->k.n == 1;
}

static bool is_line(const knr_axis *x) { return x->n == 1 && x->stride[0] == 1; }

/* The result's neighbours should be neighbours in the lanes. Complex numbers do not change sides: the order of the two
 * products that make an imaginary part is part of the result. */
static bool choose_swap(const knr_plan *p, const knr_axis *c_m, const knr_axis *c_n)
{
    if (p->view.straight || p->number == KNH_NUMBER_C64 || p->number == KNH_NUMBER_C128)
        return false;
    if (c_n->total == 1 && c_m->total > 1)
        return true;
    return !is_line(c_n) && c_n->stride[c_n->n - 1] != 1 && c_m->stride[c_m->n - 1] == 1;
}

/* The last dimension of the batch instead of b's rows. */
static void make_lanewise(rest *room, knr_plan *p, const knk_product *q)
{
    int last = q->batch.n - 1;
    const knk_dims *d = &q->batch;
    knk_dims one = {.n = 1, .extent = {d->extent[last]}};
    make_axis(room, &p->c_row, &q->m, q->m.c, q, 0, NULL);
    make_axis(room, &p->c_column, &one, &d->c[last], q, 0, NULL);
    make_side(room, p, &p->left, q, true, false);
    make_side(room, p, &p->right, q, false, false);
    make_axis(room, &p->right.row, &one, &d->b[last], q, 0, NULL);
    p->right.plain = p->left.plain = false;
    p->lane = d->a[last];
}

static void make_sides(rest *room, knr_plan *p, const knk_product *q, bool fill_a, bool fill_b)
{
    if (p->view.lanewise) {
        make_lanewise(room, p, q);
        return;
    }
    make_axis(room, &p->c_row, &q->m, q->m.c, q, 0, NULL);
    make_axis(room, &p->c_column, &q->n, q->n.c, q, 0, NULL);
    p->swapped = choose_swap(p, &p->c_row, &p->c_column);
    if (p->swapped) {
        make_axis(room, &p->c_row, &q->n, q->n.c, q, 0, NULL);
        make_axis(room, &p->c_column, &q->m, q->m.c, q, 0, NULL);
    }
    make_side(room, p, p->swapped ? &p->right : &p->left, q, true, fill_a);
    make_side(room, p, p->swapped ? &p->left : &p->right, q, false, fill_b);
}

/* --- the plan --------------------------------------------------------------------------------- */

static void make_call(knr_plan *p)
{
    const knr_side *left = &p->left, *right = &p->right;
    int size = right->dtype->size;
    if (!p->simple || p->dot)
        return;
    p->call = (knr_call){.a = left->offset * p->left_step,
                         .b = right->offset * size,
                         .c = p->c_offset * p->size,
                         .a_row = left->row.stride[0] * p->left_step,
                         .a_k = left->k.stride[0] * p->left_step,
                         .b_k = (p->turned ? right->row.stride[0] : right->k.stride[0]) * size,
                         .c_row = p->c_row.stride[0] * p->size,
                         .k = left->k.total,
                         .columns = right->row.total};
    p->call.left_row = p->left_across ? p->left_step : p->call.a_row;
    p->call.right_row = p->turned ? p->call.b_k : size;
    p->call.at_once = p->batches == 1 && p->batch.n == 0 && !p->by_lanes && left->row.total && right->row.total &&
                      p->cost < 2 * KNR_PART_NANOSECONDS;
}

/* Everything but the cuts. */
static knr_plan *describe(void *room, const knk_product *q, knr_view view, bool fill_a, bool fill_b, bool finish)
{
    knr_plan *p = room;
    memset(p, 0, sizeof *p);
    p->view = view;
    p->window = (knk_window *)(void *)(p + 1);
    rest behind = {(int64_t *)(void *)(p->window + q->n_window)};
    p->batches = count(&q->batch);
    if (view.lanewise)
        p->batches /= q->batch.extent[q->batch.n - 1];
    merge_batch(&behind, &p->batch, &q->batch, q->batch.n - view.lanewise);
    choose_numbers(p, q);
    make_sides(&behind, p, q, fill_a, fill_b);
    p->c_offset = q->c_offset;
    p->finish = finish;
    bool exact = p->result->size == p->size && p->result->kind != 'b';
    p->direct = exact && !finish && p->c_row.n == 1 && (is_line(&p->c_column) || p->c_column.total == 1);
    p->keeps_totals = p->result->id == KN_ID_F16 || p->result->id == KN_ID_BF16;
    return p;
}

/* Windows of each channel by a kernel of its own, numbers as they are. */
static bool is_lanewise(const knk_product *q)
{
    return q->n_window && q->batch.n && q->batch.extent[q->batch.n - 1] >= LEAST_LANES && count(&q->n) == 1 &&
           q->operand == q->result && knx_is_float(q->operand) && q->operand->size >= 4;
}

/* A `finish` gets rows that are neighbours in the result, of one column after the other. */
static bool gives_rows(const knk_product *q) { return q->m.n && q->m.c[q->m.n - 1] == 1; }

/* Ways to look at a product; the last one is always possible. */
static int views_of(const knk_product *q, bool fill, bool finish, knr_view *to)
{
    int n = 0;
    bool adjacent = false;
    if (!fill && is_lanewise(q) && (!finish || gives_rows(q)))
        to[n++] = (knr_view){KNR_KEEP_ALL, true, true};
    for (int w = 0; w < q->n_window; w++)
        adjacent = adjacent || q->window[w].stride == 1;
    if (has_few(q)) /* whose result is small beside its operands: strips are of rows */
        to[n++] = (knr_view){KNR_KEEP_FEW, true, false};
    else if (adjacent) { /* boxes of positions in lanes, or of positions in rows */
        to[n++] = (knr_view){KNR_KEEP_ALL, false, false};
        to[n++] = (knr_view){KNR_KEEP_ALL, true, false};
    } else if (q->n_window && q->operand->size < 4 && !knx_is_float(q->operand)) { /* packed by runs as rows only */
        to[n++] = (knr_view){KNR_KEEP_NONE, true, false};
    }
    to[n++] = (knr_view){KNR_KEEP_NONE, false, false};
    return n;
}

const knr_plan *knr_product_make(void *room, const knk_product *q, bool fill_a, bool fill_b, bool finish)
{
    knr_view view[4];
    int n = views_of(q, fill_a || fill_b, finish, view), best = n - 1, now = 0;
    knr_plan *p = room;
    double least = 0;
    for (int i = 0; i < n; i++) {
        now = i;
        knr_cut(describe(room, q, view[i], fill_a, fill_b, finish));
        if (i < n - 1 && !p->strip.used && p->group == 1)
            continue;
        if (least == 0 || p->cost < least) {
            least = p->cost;
            best = i;
        }
        if (view[i].keep == KNR_KEEP_FEW) /* strips of gradients are better than what packs */
            break;
    }
    if (best != now)
        knr_cut(describe(room, q, view[best], fill_a, fill_b, finish));
    knr_find_functions(p);
    make_call(p);
    return p;
}

const knr_plan *knr_product_make_into(void *room, const knk_product *q, knr_into into)
{
    knr_plan *p = describe(room, q, (knr_view){KNR_KEEP_NONE, false, false}, false, false, false);
    if (!p->direct)
        return NULL;
    p->into = into;
    knr_cut(p);
    knr_find_functions(p);
    make_call(p);
    return p;
}

double knr_product_cost(const knr_plan *p) { return p->cost; }

/* SPDX-License-Identifier: Apache-2.0
 * product_box.c -- rows of an operand whose steps a table tells. The elements that some lines of rows and some steps
 * see are a box: a range of each dimension of the array, and what windows see beside it. It is copied, with zeros where
 * there is no element, or read where it lies; either way a line has a place, and a step a distance from it. */
#include "host/routine/product_box.h"
#include "host/tile.h"
#include <stdlib.h>
#include <string.h>

enum { LONG_PITCH = 512, MOST_DIMS = 2 * KN_MAX_NDIM };

/* A dimension of a box: positions first .. first + count - 1, of `limit` in the array, `stride` bytes apart there and
 * `pitch` bytes in the box. */
typedef struct dim {
    int64_t count, first, limit, stride, pitch;
} dim;

typedef struct box {
    const knr_strip *strip;
    const knr_axis *row, *k;
    int size;
    int64_t row_low[KN_MAX_NDIM], row_high[KN_MAX_NDIM], k_low[KN_MAX_NDIM], k_high[KN_MAX_NDIM];
    int64_t row_pitch[KN_MAX_NDIM], k_pitch[KN_MAX_NDIM]; /* bytes from index to index */
    int phased;           /* the dimension of k that walks along lanes at a distance; -1: none */
    int64_t apart, phase; /* that distance; bytes between positions of different remainders by it */
    int n;
    dim d[MOST_DIMS], *of_row[KN_MAX_NDIM], *of_k[KN_MAX_NDIM];
    const dim *order[MOST_DIMS]; /* the nearest one first */
    const dim *lane;             /* that is nearest whatever its stride is; NULL: none */
    int64_t bytes;
} box;

/* A room: this, the table, the box. */
typedef struct head {
    const char *origin; /* of line number `line` */
    int64_t line, line_pitch, row_pitch;
} head;

static int64_t *table_of(const char *room) { return (int64_t *)(void *)((head *)(void *)(uintptr_t)room + 1); }
static int64_t head_bytes(int64_t steps) { return knr_round_up((int64_t)sizeof(head) + 8 * steps, 64); }

/* --- choice ----------------------------------------------------------------------------------- */

enum { MOST_LINE = 1 << 13, LEAST_LINE = 3 };

/* Are some steps of a row those of another row, as where a window walks? */
static bool shares(const knr_axis *row, const knr_axis *k)
{
    for (int j = 0; j < k->n; j++)
        for (int d = 0; d < row->n; d++) {
            int64_t step = k->stride[j], walk = row->stride[d];
            if (row->extent[d] < 2 || k->extent[j] < 2 || step < 1 || walk < 1)
                continue;
            if (step % walk == 0 ? step < walk * row->extent[d] : walk % step == 0 && walk < step * k->extent[j])
                return true;
        }
    return false;
}

/* Dimensions that windows walk have no other stride, and others go forward. */
static bool goes_forward(const knr_axis *x)
{
    for (int d = 0; d < x->n; d++)
        if (x->window[d] >= 0 ? x->stride[d] != 0 || x->walk[d] < 0 : x->stride[d] < 1)
            return false;
    return true;
}

/* Positions of a window, all channels of each: one line, in the array as in a box. Nothing else lies as near. */
static bool is_joined(const knr_plan *p, const knr_side *side)
{
    const knr_axis *row = &side->row;
    int last = row->n - 1, w = last > 0 ? row->window[last - 1] : -1;
    if (w < 0 || row->window[last] >= 0 || row->stride[last] != 1 || row->walk[last - 1] != 1 || p->view.lanewise)
        return false;
    int64_t channels = row->extent[last];
    for (int i = 0; i < side->n_window; i++)
        if (i != w && p->window[i].stride <= channels)
            return false;
    for (int j = 0; j < side->k.n; j++)
        if (side->k.window[j] < 0 && side->k.stride[j] <= channels)
            return false;
    for (int d = 0; d < last; d++)
        if (row->window[d] < 0 && row->stride[d] <= channels)
            return false;
    return p->window[w].stride == channels && channels * side->dtype->size < LONG_PITCH;
}

bool knr_box_fits(const knr_plan *p, const knr_side *side, knr_strip *s)
{
    const knr_axis *row = &side->row, *k = &side->k;
    int last = row->n - 1, w = row->window[last];
    bool lanes = side == &p->right;
    if (!p->maker || !side->same || side->fill || p->group > 1 || p->parts > 1 || side->dtype->size < 4 ||
        k->total < 2 || row->total < 1)
        return false;
    *s = (knr_strip){.used = true, .table = true, .right = lanes, .window = w, .line = row->extent[last]};
    bool any = p->view.lanewise;
    s->nearest = 1;
    if (!lanes && is_joined(p, side)) {
        s->line *= row->extent[last - 1];
        s->nearest = 2;
    }
    s->lines = row->total / s->line;
    s->chunk = last >= s->nearest ? row->extent[last - s->nearest] : 1;
    s->in_place = !side->n_window;
    if (s->line > MOST_LINE || (!any && s->line < LEAST_LINE) || (any && s->in_place))
        return false;
    if (lanes && (w >= 0 ? p->window[w].stride != 1 || row->walk[last] < 1 : row->stride[last] != 1))
        return false;
    if (s->in_place)
        return shares(row, k);
    for (int i = 0; i < side->n_window; i++)
        if (p->window[i].base != 1)
            return false;
    return goes_forward(row) && goes_forward(k) && row->n + k->n + 1 < MOST_DIMS;
}

/* --- where everything is ---------------------------------------------------------------------- */

/* The least ranges of indices that hold numbers i .. i + n - 1. */
static void cover(const knr_axis *x, int64_t i, int64_t n, int64_t *low, int64_t *high)
{
    knr_at a, b;
    bool same = true;
    knr_seek(x, 0, i, &a);
    knr_seek(x, 0, i + n - 1, &b);
    for (int d = 0; d < x->n; d++) {
        low[d] = same ? a.index[d] : 0;
        high[d] = same ? b.index[d] : x->extent[d] - 1;
        same = same && a.index[d] == b.index[d];
    }
}

/* More than so many numbers need, wherever they begin. */
static void cover_most(const knr_axis *x, int64_t n, int64_t *low, int64_t *high)
{
    int64_t inner = x->extent[0] ? x->total / x->extent[0] : 1;
    for (int d = 0; d < x->n; d++) {
        low[d] = 0;
        high[d] = d ? x->extent[d] - 1 : knr_least(x->extent[0], (n + inner - 2) / inner + 1) - 1;
    }
}

static void start_box(box *b, const knr_plan *p, const knr_strip *s)
{
    const knr_side *side = s->right ? &p->right : &p->left;
    b->strip = s;
    b->row = &side->row;
    b->k = &side->k;
    b->size = side->dtype->size;
    b->phased = -1;
    b->phase = 0;
    b->n = 0;
}

/* The dimensions of an axis: new ones, and windows that the other axis walks, too. */
static void add_dims(box *b, const knr_plan *p, const knr_axis *x, const int64_t *low, const int64_t *high, dim **of)
{
    for (int i = 0; i < x->n; i++) {
        int w = x->window[i];
        dim *d = NULL;
        for (int j = 0; w >= 0 && of == b->of_k && j < b->row->n; j++)
            if (b->row->window[j] == w)
                d = b->of_row[j];
        if (!d) {
            d = &b->d[b->n++];
            *d = w < 0 ? (dim){1, 0, INT64_MAX, x->stride[i] * b->size, 0}
                       : (dim){1, -p->window[w].low, p->window[w].extent, p->window[w].stride * b->size, 0};
        }
        int64_t step = w < 0 ? 1 : x->walk[i];
        d->first += low[i] * step;
        d->count += (high[i] - low[i]) * step;
        of[i] = d;
    }
}

/* Long ones are odd multiples of a line of the cache, so that neighbours do not share its sets. It never falls. */
static int64_t pitch_of(int64_t bytes) { return bytes < LONG_PITCH ? bytes : knr_round_up(bytes, 128) + 64; }

static bool is_nearer(const dim *x, const dim *y, const dim *lane)
{
    if (x == lane || y == lane)
        return x == lane;
    return (x->count == 1) != (y->count == 1) ? y->count == 1 : llabs(x->stride) < llabs(y->stride);
}

/* What lies nearest in the array lies nearest in the box: bytes for each dimension. */
static void place_dims(box *b)
{
    const dim *lane = b->lane;
    for (int i = 0, at; i < b->n; i++) {
        for (at = i; at > 0 && is_nearer(&b->d[i], b->order[at - 1], lane); at--)
            b->order[at] = b->order[at - 1];
        b->order[at] = &b->d[i];
    }
    b->apart = b->strip->right && b->strip->window >= 0 ? b->row->walk[b->row->n - 1] : 1;
    b->bytes = b->size;
    for (int i = 0; i < b->n; i++) {
        dim *d = &b->d[b->order[i] - b->d];
        d->pitch = b->bytes;
        if (d == lane) {
            b->phase = knr_round_up(knr_divide_up(d->count, b->apart) * b->size, 64);
            b->bytes = pitch_of(b->phase * b->apart);
        } else if (d->count > 1) {
            b->bytes = pitch_of(d->count * d->pitch);
        }
    }
}

static void set_pitches(box *b)
{
    for (int i = 0; i < b->row->n; i++)
        b->row_pitch[i] = b->of_row[i]->pitch * (b->row->window[i] < 0 ? 1 : b->row->walk[i]);
    for (int i = 0; i < b->k->n; i++) {
        b->k_pitch[i] = b->of_k[i]->pitch * (b->k->window[i] < 0 ? 1 : b->k->walk[i]);
        if (b->apart > 1 && b->k->window[i] == b->strip->window)
            b->phased = i;
    }
    if (b->strip->right)
        b->row_pitch[b->row->n - 1] = b->size;
}

/* lanes: lanewise, those that there are. */
static void lay_out(box *b, const knr_plan *p, int64_t lanes)
{
    add_dims(b, p, b->row, b->row_low, b->row_high, b->of_row);
    add_dims(b, p, b->k, b->k_low, b->k_high, b->of_k);
    b->lane = b->strip->right ? b->of_row[b->row->n - 1] : NULL;
    if (p->view.lanewise) {
        b->lane = &b->d[b->n];
        b->d[b->n++] = (dim){p->cut.panel, 0, lanes, p->lane * b->size, 0};
    }
    place_dims(b);
    set_pitches(b);
}

static void lie_in_place(box *b)
{
    for (int i = 0; i < b->row->n; i++)
        b->row_pitch[i] = b->row->stride[i] * b->size;
    for (int i = 0; i < b->k->n; i++) {
        b->k_pitch[i] = b->k->stride[i] * b->size;
        b->k_low[i] = 0;
    }
}

int64_t knr_box_bytes(const knr_plan *p, const knr_strip *s, int64_t lines, int64_t steps)
{
    box b;
    if (s->in_place)
        return head_bytes(steps);
    start_box(&b, p, s);
    int first = b.row->n - s->nearest;
    cover_most(b.k, steps, b.k_low, b.k_high);
    for (int i = 0; i < b.row->n; i++) {
        b.row_low[i] = 0;
        b.row_high[i] = (i >= first ? b.row->extent[i] : i == first - 1 ? lines : 1) - 1;
    }
    lay_out(&b, p, p->cut.panel);
    return head_bytes(steps) + b.bytes;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* The nearest dimension. */
static void copy_run(const box *b, const dim *d, const char *from, char *to)
{
    int64_t low = knr_least(d->first < 0 ? -d->first : 0, d->count), size = b->size;
    int64_t high = knr_least(d->limit - d->first, d->count);
    high = high < low ? low : high;
    from += d->first * d->stride;
    if (b->apart == 1 && d->stride == size) {
        memset(to, 0, (size_t)(low * size));
        memcpy(to + low * size, from + low * size, (size_t)((high - low) * size));
        memset(to + high * size, 0, (size_t)((d->count - high) * size));
        return;
    }
    for (int64_t f = 0; f < b->apart; f++, to += b->phase)
#define PHASE(T)                                                                       \
    for (int64_t i = f, o = 0; i < d->count; i += b->apart, o += (int64_t)sizeof(T)) { \
        T v = 0;                                                                       \
        if (i >= low && i < high)                                                      \
            memcpy(&v, from + i * d->stride, sizeof v);                                \
        memcpy(to + o, &v, sizeof v);                                                  \
    }
        if (size == 4) {
            PHASE(uint32_t)
        } else {
            PHASE(uint64_t)
        }
#undef PHASE
}

/* Positions that are adjacent in the array, of lanes that are not: they change places. */
static void turn_lanes(const box *b, const dim *lane, const dim *x, const char *from, char *to)
{
    int64_t low = knr_least(x->first < 0 ? -x->first : 0, x->count), size = b->size;
    int64_t high = knr_least(x->limit - x->first, x->count), lanes = knr_least(lane->count, lane->limit);
    high = high < low ? low : high;
    for (int64_t i = 0; i < x->count; i++) {
        int64_t there = i < low || i >= high ? 0 : lanes;
        memset(to + i * x->pitch + there * size, 0, (size_t)((lane->count - there) * size));
    }
    if (high > low)
        knh_transpose()(b->size, to + low * x->pitch, x->pitch, from + (x->first + low) * size, lane->stride, lanes,
                        high - low, false);
}

static void copy_dims(const box *b, const dim *const *d, int n, const char *from, char *to)
{
    const dim *x = d[n - 1];
    bool lanewise = b->lane && !b->strip->right; /* the nearest dimension are lanes then, whatever its stride is */
    if (n == 2 && lanewise && d[0]->stride != b->size && x->stride == b->size) {
        turn_lanes(b, d[0], x, from, to);
        return;
    }
    if (n == 1) {
        copy_run(b, x, from, to);
        return;
    }
    for (int64_t i = 0, at = x->first; i < x->count; i++, at++, to += x->pitch)
        if (at >= 0 && at < x->limit)
            copy_dims(b, d, n - 1, from + at * x->stride, to);
        else
            memset(to, 0, (size_t)x->pitch);
}

/* The two nearest dimensions as one, if they lie so in the array and in the box and the nearest one is all inside. */
static bool join(dim *near, const dim *next, int64_t size)
{
    if (near->first || near->count > near->limit || near->stride != size || next->stride != near->count * size ||
        next->pitch != near->count * size)
        return false;
    *near = (dim){near->count * next->count, near->count * next->first,
                  next->limit == INT64_MAX ? INT64_MAX : near->count * next->limit, size, size};
    return true;
}

static void copy_box(box *b, const char *from, char *to)
{
    dim near = *b->order[0];
    b->order[0] = &near;
    while (b->n > 1 && b->apart == 1 && join(&near, b->order[1], b->size))
        memmove(b->order + 1, b->order + 2, (size_t)(--b->n - 1) * sizeof *b->order);
    copy_dims(b, b->order, b->n, from, to);
}

/* --- the table -------------------------------------------------------------------------------- */

static int64_t distance(const box *b, int d, int64_t index)
{
    int64_t i = index - b->k_low[d];
    if (d != b->phased)
        return i * b->k_pitch[d];
    i *= b->k->walk[d];
    return i % b->apart * b->phase + i / b->apart * b->size;
}

static void fill_table(const box *b, int64_t k, int64_t steps, int64_t *to)
{
    int last = b->k->n - 1;
    knr_at at;
    knr_seek(b->k, 0, k, &at);
    for (int64_t n; steps > 0; steps -= n, knr_advance(b->k, n, &at)) {
        int64_t line = 0;
        n = knr_least(steps, knr_run_length(b->k, &at));
        for (int d = 0; d < last; d++)
            line += distance(b, d, at.index[d]);
        for (int64_t i = 0; i < n; i++)
            *to++ = line + distance(b, last, at.index[last] + i);
    }
}

void knr_make_box(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, int64_t column,
                  int64_t columns, char *room)
{
    const knr_strip *t = &s->plan->strip;
    box b;
    head *h = (head *)(void *)room;
    start_box(&b, s->plan, t);
    h->line = row / t->line;
    if (t->in_place) {
        knr_at at;
        lie_in_place(&b);
        knr_seek(b.row, 0, h->line * t->line, &at);
        h->origin = s->at + at.offset * b.size;
    } else {
        char *to = room + head_bytes(steps);
        cover(b.row, row, rows, b.row_low, b.row_high);
        for (int i = b.row->n - t->nearest; i < b.row->n; i++) { /* lines as a whole */
            b.row_low[i] = 0;
            b.row_high[i] = b.row->extent[i] - 1;
        }
        cover(b.k, k, steps, b.k_low, b.k_high);
        lay_out(&b, s->plan, columns);
        copy_box(&b, s->at + column * s->plan->lane * b.size, to);
        h->origin = to;
    }
    h->row_pitch = b.row_pitch[b.row->n - 1];
    h->line_pitch = b.row->n > t->nearest ? b.row_pitch[b.row->n - 1 - t->nearest] : 0;
    fill_table(&b, k, steps, table_of(room));
}

const char *knr_box_at(const knr_plan *p, const char *room, int64_t row, const int64_t **table, int64_t *a_row)
{
    const head *h = (const head *)(const void *)room;
    int64_t line = row / p->strip.line;
    *table = table_of(room);
    *a_row = h->row_pitch;
    return h->origin + (line - h->line) * h->line_pitch + (row - line * p->strip.line) * h->row_pitch;
}

/* SPDX-License-Identifier: Apache-2.0
 * product_cut.c -- how a product is cut: the rectangle that suits its extents, pieces that fit into the caches, which
 * operands are read where they lie, and the functions for all of that. */
#include "host/routine/product_dot.h"
#include "base/line.h"
#include "host/routine/product_lanes.h"
#include "host/routine/product_small.h"
#include "host/routine/product_pack.h"
#include "host/routine/product_strip.h"
#include "host/routine/product_plan.h"
#include <string.h>

enum {
    /* Bytes of the pieces. */
    K_PIECE_BYTES = 6144,      /* of one row of left: long pieces, each further one reads and writes c once more */
    TURNED_K_BYTES = 32 << 10, /* the same where columns of right are turned: they are read as long lines */
    RIGHT_BYTES = 2 << 20,     /* of packed right */
    BIG_RIGHT_BYTES = 1 << 20, /* where right does not fit: pieces of it that do, */
    BIG_K_BYTES = 2048,        /* and shorter ones of left */
    LEFT_BYTES = 64 << 10,     /* of packed left, which is read at once */
    LEFT_TURNED = 768 << 10,   /* whose rows are adjacent: whole lines of the cache are turned */
    LEFT_IN_PLACE = 24 << 10,
    ACROSS_BYTES = 320 << 10,  /* of left: not more of it is read across where it lies */
    BUFFER_BYTES = 96 << 10,   /* of the result, where it goes through a buffer */
    STREAM_CHAINS = 256 << 10, /* of sums that wait while right streams by */
    ROW_PAD = 64,              /* between the rows of packed left */
    /* The caches. */
    FIRST_CACHE = 40 << 10, /* that one product may fill */
    STREAM_BYTES = 1 << 20, /* more than this is in none of them */
    WAYS = 9,               /* so many rows WAY_BYTES apart, and b beside them */
    WAY_BYTES = 4096,
    /* When what pays. */
    MANY_STEPS = 1 << 16,  /* from here on steps are cut also where the result goes through a buffer */
    STREAM_STEPS = 32,     /* of a piece of right that is read once, by not more than STREAM_ROWS rows */
    FEW_STREAM_STEPS = 16, /* by fewer than PREFETCH_ROWS, whose loops prefetch nothing: fewer lines side by side */
    PREFETCH_ROWS = 4,
    STREAM_ROWS = 32,
    MANY_ROWS = 128, /* and FEW_STEPS, MUCH_OF_C: for rectangles of WIDE vectors */
    FEW_STEPS = 128,
    MUCH_OF_C = 256 << 10,
    WIDE = 4,
    IN_PLACE_TILES = 8, /* so many rectangles down, packing right would not pay */
    TURNED_ROWS = 14,   /* for so few rows right is turned in registers */
    /* Rectangles. */
    LANEWISE_VECTORS = 2, /* each row loads as many of its own */
    MOST_VECTORS = 4,
    MOST_VECTORS_FEW_ROWS = 8,
    FEW_ROWS = 4,
    LEAST_ADJACENT = 16, /* rows that are packed across, */
    ACROSS_PAD = 48,     /* with so many more between the steps */
    C_ROWS = 4,          /* of the loops in C */
    C_VECTORS = 2,
    CALL_CYCLES = 60,   /* of a call of an inner loop, about */
    GROUPED = 3,        /* times as long as other numbers right takes to be packed in groups of steps */
    MANY_IN_PLACE = 100 /* steps, for which a box where they lie in a few lines of the cache is better */
};

static int64_t between(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

static bool is_line(const knr_axis *x) { return x->total == 1 || (x->n == 1 && x->stride[0] == 1); }

/* --- the rectangle ---------------------------------------------------------------------------- */

/* Cycles of the rectangles of one panel of so many vectors, about: two multiply-adds or two loads at once, four cycles
 * from one sum to the next. */
static double panel_cycles(int64_t tiles, double rows, int64_t vectors, int64_t steps)
{
    double work = rows * (double)vectors, loads = rows + (double)vectors;
    double step = work > loads ? work / 2 : loads / 2;
    step = step < 4 ? 4 : vectors == 1 ? step * 1.1 : step; /* with one vector every multiply-add loads */
    double far = steps * vectors * 64 > FIRST_CACHE ? (double)vectors / 4 : 0; /* b comes from the second cache */
    return (double)tiles * ((double)steps * (step + far) + CALL_CYCLES + work * (1 + (double)steps / KNR_BLOCK_STEPS));
}

/* Small products one after the other, too many for the caches: what is read a second time should be near. */
static bool is_cold(const knr_plan *p)
{
    int64_t one = (p->left.row.total + p->right.row.total) * p->left.k.total * p->left_step;
    return p->batches > 1 && one * p->batches > STREAM_BYTES;
}

static double all_cycles(const knr_plan *p, int64_t vectors, int64_t most_rows)
{
    int64_t rows = p->left.row.total, n = knr_divide_up(p->right.row.total, p->lanes);
    int64_t tiles = knr_divide_up(rows, most_rows), panels = n / vectors, rest = n % vectors;
    double height = (double)rows / (double)tiles;
    double again = is_cold(p) ? 1 + .1 * (double)(panels + (rest > 0) - 1) : 1; /* left is read for each panel */
    return again * (double)panels * panel_cycles(tiles, height, vectors, p->left.k.total) +
           again * (rest ? panel_cycles(tiles, height, rest, p->left.k.total) : 0);
}

/* Rows of left at such a distance share a set of the first cache. */
static bool same_set(const knr_plan *p)
{
    return p->left.plain && p->left.k.stride[0] == 1 && p->left.row.stride[0] * p->left_step % WAY_BYTES == 0;
}

/* Columns of right that are turned side by side: where they share a set of the first cache not more than it holds, on
 * shorter vectors if need be. */
static bool in_sets_of_their_own(knr_plan *p, int64_t rows)
{
    bool shared = p->right.row.stride[0] * p->right_step % WAY_BYTES == 0;
    const knh_product_maker *shorter = p->maker->shorter;
    if (shared && p->lanes > WAYS && shorter && rows <= knh_product_rows_turned(shorter, p->number, 1, KNH_A_ALONG)) {
        p->maker = shorter;
        p->lanes = knh_product_best(shorter, p->number).lanes;
    }
    return !shared;
}

/* A few rows, and a right whose steps are adjacent: turned in registers. */
static bool choose_turned(knr_plan *p, int *best)
{
    const knr_side *r = &p->right;
    int64_t rows = p->left.row.total;
    bool fits = p->maker && p->group == 1 && r->plain && r->k.total >= 8 && r->k.n == 1 && r->k.stride[0] == 1 &&
                !is_line(&r->row) && p->left.plain && is_line(&p->left.k);
    p->turned =
        fits && rows > 0 && rows <= TURNED_ROWS && rows <= knh_product_rows_turned(p->maker, p->number, 1, KNH_A_ALONG);
    if (p->turned) {
        p->max_rows = (int)rows;
        *best = in_sets_of_their_own(p, rows) ? 16 / p->lanes : 1;
        if (*best < 1 || rows > knh_product_rows_turned(p->maker, p->number, *best, KNH_A_ALONG))
            *best = 1;
    }
    return p->turned;
}

/* Few rows, and a right that is larger than the caches: it is read once, in pieces that all rectangles of a panel
 * find in the first cache. */
static bool choose_stream(knr_plan *p, int *best)
{
    const knr_side *r = &p->right;
    int64_t rows = p->left.row.total;
    p->stream = p->maker && r->plain && p->group == 1 && is_line(&r->row) && rows <= STREAM_ROWS &&
                r->row.total * r->k.total * p->right_step > STREAM_BYTES && r->k.total >= STREAM_STEPS;
    if (!p->stream)
        return false;
    *best = rows <= 2 ? 8 : 4;
    p->max_rows = knh_product_rows(p->maker, p->number, *best);
    if (p->max_rows < 1) {
        *best = 1;
        p->max_rows = knh_product_rows(p->maker, p->number, 1);
    }
    return true;
}

/* Right fills the second cache with one piece after the other, while left comes from memory a few rows at a time. */
static bool is_big(const knr_plan *p)
{
    const knr_side *l = &p->left;
    return l->plain && is_line(&l->k) && p->group == 1 &&
           p->right.row.total * p->right.k.total * p->right_step > BIG_RIGHT_BYTES;
}

/* Wide rectangles where memory counts more than loads do: they read and write longer runs of it. */
static bool choose_wide(knr_plan *p, int *best)
{
    int64_t columns = p->right.row.total, rows = p->left.row.total;
    bool few_steps = p->left.k.total <= FEW_STEPS && rows * columns * p->size > MUCH_OF_C && p->group == 1;
    if (rows <= (few_steps ? STREAM_ROWS : MANY_ROWS) || columns < WIDE * p->lanes || (!is_big(p) && !few_steps))
        return false;
    for (int v = WIDE; v > 1; v--) {
        int most = knh_product_rows(p->maker, p->number, v);
        if (most < 4)
            continue;
        *best = v;
        p->max_rows = most;
        return true;
    }
    return false;
}

static void choose_rectangle(knr_plan *p, int *best)
{
    p->turned = p->stream = false;
    if (!p->maker) {
        p->lanes = 64 / p->size;
        p->max_rows = C_ROWS;
        *best = C_VECTORS;
        return;
    }
    knh_product_shape shape = knh_product_best(p->maker, p->number);
    int most = p->left.row.total <= FEW_ROWS ? MOST_VECTORS_FEW_ROWS : MOST_VECTORS;
    double least = 0;
    p->lanes = shape.lanes;
    p->max_rows = shape.max_rows;
    *best = shape.vectors;
    if (p->view.lanewise) {
        *best = LANEWISE_VECTORS;
        p->max_rows = (int)knr_least(knh_product_rows(p->maker, p->number, *best), KNH_TABLE_ROWS);
        return;
    }
    if (!p->left.row.total || !p->right.row.total || choose_turned(p, best) || choose_stream(p, best))
        return;
    if (choose_wide(p, best))
        return;
    for (int v = 1; v <= most; v++) {
        int rows = knh_product_rows(p->maker, p->number, v);
        if (rows < 1)
            break;
        if (rows > WAYS && p->left.row.total > WAYS && same_set(p))
            rows = WAYS;
        double cycles = all_cycles(p, v, rows);
        if (least == 0 || cycles < least) {
            least = cycles;
            *best = v;
            p->max_rows = rows;
        }
    }
}

/* --- places ----------------------------------------------------------------------------------- */

static void place_left(knr_plan *p)
{
    const knr_side *l = &p->left;
    int64_t size = p->left_step, rows = l->row.total, steps = l->k.total;
    bool many = p->cut.tiles > 2 && p->right.row.total > 2 * p->cut.panel && rows * steps * size > ACROSS_BYTES;
    bool whole = steps % p->group == 0;
    p->left_across = l->plain && p->group == 1 && !is_line(&l->k) && is_line(&l->row);
    if (p->left_across)
        p->left_in_place = !many;
    else
        p->left_in_place = l->plain && whole && is_line(&l->k);
    p->left_across = p->left_across && p->left_in_place;
    /* Rows that are adjacent in the array and steps that are not: packed so, nothing is turned. */
    bool rows_adjacent = l->same && !l->fill && p->group == 1 && p->parts == 1 && l->row.stride[l->row.n - 1] == 1 &&
                         l->row.window[l->row.n - 1] < 0 && l->row.extent[l->row.n - 1] >= LEAST_ADJACENT;
    bool steps_adjacent = l->k.stride[l->k.n - 1] == 1;
    if (!p->left_in_place && rows_adjacent && !steps_adjacent && rows > p->max_rows)
        p->left_across = true;
}

/* Rows of right that share sets of the caches are packed. */
static bool far_apart(const knr_side *r, int size)
{
    return r->k.total > 1 && r->k.stride[0] * size % WAY_BYTES == 0 && r->k.total > 2 * WAYS;
}

static void place_right(knr_plan *p)
{
    const knr_side *r = &p->right;
    bool readable = r->plain && p->group == 1 && is_line(&r->row);
    bool small = r->row.total * r->k.total * p->size <= FIRST_CACHE;
    small = small && !(is_cold(p) && p->cut.tiles > IN_PLACE_TILES);
    p->cut.plain_tiles = far_apart(r, p->right_step) ? 1 : IN_PLACE_TILES;
    p->right_from = KNH_B_PACKED;
    if (p->turned)
        p->right_from = KNH_B_TURNED;
    else if (readable)
        p->right_from = small || p->cut.tiles <= p->cut.plain_tiles ? KNH_B_PLAIN : KNH_B_PACKING;
    if (p->stream)
        p->right_from = KNH_B_PLAIN;
    p->right_in_place = p->right_from == KNH_B_PLAIN || p->right_from == KNH_B_TURNED;
}

/* --- pieces ----------------------------------------------------------------------------------- */

static int64_t choose_steps(const knr_plan *p)
{
    int64_t k = p->left.k.total, bytes = k * p->left_step;
    bool whole = !p->direct && k < MANY_STEPS;
    if (whole || k <= KNR_BLOCK_STEPS)
        return k ? knr_round_up(k, p->group) : p->group;
    /* Read once: a panel of right does not leave the first cache between being packed and being read. */
    if (p->stream)
        return p->left.row.total < PREFETCH_ROWS ? FEW_STREAM_STEPS : STREAM_STEPS;
    if (p->cut.tiles <= IN_PLACE_TILES && !p->right_in_place)
        return KNR_BLOCK_STEPS;
    int64_t most = p->turned ? TURNED_K_BYTES : is_big(p) && p->left_in_place ? BIG_K_BYTES : K_PIECE_BYTES;
    int64_t pieces = knr_divide_up(bytes, most);
    return pieces <= 1 ? knr_round_up(k, p->group) : knr_round_up(knr_divide_up(k, pieces), KNR_BLOCK_STEPS);
}

static void choose_pieces(knr_plan *p)
{
    knr_cuts *c = &p->cut;
    int64_t panels = knr_divide_up(p->right.row.total, c->panel), tiles = c->tiles ? c->tiles : 1;
    int64_t in_panel = c->k_piece * p->right_step * c->panel, in_tile = c->k_piece * p->left_step * p->max_rows;
    int64_t right_bytes = is_big(p) && p->left_in_place ? BIG_RIGHT_BYTES : RIGHT_BYTES;
    int64_t wide = between(right_bytes / in_panel, 1, panels ? panels : 1);
    if (p->right_in_place || tiles <= IN_PLACE_TILES)
        wide = p->right_in_place ? (panels ? panels : 1) : 1;
    c->m_block = tiles;
    if (!p->direct) {
        wide = between(wide, 1, BUFFER_BYTES / 2 / (c->panel * p->size * p->max_rows));
        c->m_block = between(BUFFER_BYTES / (wide * c->panel * p->size * p->max_rows), 1, tiles);
    }
    if (p->stream)
        wide = between(wide, 1, STREAM_CHAINS / (p->left.row.total * p->size * c->panel));
    wide = wide ? wide : 1;
    c->n_piece = wide * c->panel;
    const knr_axis *k = &p->left.k;
    bool along = p->left.fill || k->stride[k->n - 1] == 1;
    c->m_piece = between((p->left_in_place ? LEFT_IN_PLACE
                          : along          ? LEFT_BYTES
                                           : LEFT_TURNED) /
                             in_tile,
                         1, c->m_block);
}

static void choose_bytes(knr_plan *p)
{
    const knr_cuts *c = &p->cut;
    size_t padded = (size_t)knr_round_up(c->k_piece, p->group);
    p->left_bytes = p->right_bytes = p->c_bytes = p->spare_bytes = 0;
    if (p->strip.used && !p->strip.right)
        p->left_bytes = knx_whole_lines((size_t)p->strip.room);
    else if (!p->left_in_place)
        p->left_bytes = (size_t)(c->m_piece * p->max_rows) * (knx_whole_lines(padded * (size_t)p->left_step) + ROW_PAD);
    if (p->left_across)
        p->left_bytes += padded * ACROSS_PAD * (size_t)p->left_step;
    if (p->strip.right)
        p->right_bytes = knx_whole_lines((size_t)p->strip.room);
    else if (!p->right_in_place)
        p->right_bytes = knx_whole_lines(padded * (size_t)c->n_piece * (size_t)p->right_step);
    p->c_line = knr_least(c->n_piece, knr_round_up(p->right.row.total, p->lanes));
    int64_t tile = p->strip.used && !p->strip.right && p->strip.line > p->max_rows ? p->strip.line : p->max_rows;
    if (!p->direct)
        p->c_bytes = knx_whole_lines((size_t)(c->m_block * tile) * (size_t)p->c_line * (size_t)p->size);
    p->turned_bytes = p->view.lanewise && p->finish ? (size_t)(knr_turned_line(p, c->m_block * tile) * c->panel) : 0;
    p->c_bytes += p->turned_bytes;
    p->chain_bytes = p->stream ? knx_whole_lines((size_t)(p->left.row.total * c->n_piece * p->size)) : 0;
    if (!p->left_in_place || !p->right_in_place)
        p->spare_bytes = KNR_SPARE;
}

/* The same for lines of strips. */
static double strip_cycles(const knr_plan *p)
{
    const knr_strip *s = &p->strip;
    int64_t steps = p->left.k.total;
    if (s->right) {
        int64_t parts = knr_divide_up(s->line, p->width), vectors = knr_divide_up(p->width, p->lanes);
        double height = (double)p->left.row.total / (double)p->cut.tiles;
        return (double)(s->lines * parts) * panel_cycles(p->cut.tiles, height, vectors, steps);
    }
    int64_t tiles = knr_divide_up(s->line, p->max_rows), n = knr_divide_up(p->right.row.total, p->lanes);
    int64_t vectors = knr_divide_up(p->width, p->lanes), whole = n / vectors, rest = n % vectors;
    double height = (double)s->line / (double)tiles;
    if (p->view.lanewise)
        return (double)(tiles * s->lines) * ((double)steps * (height > 2 ? height + 1 : 4) + CALL_CYCLES) *
               (double)knr_divide_up(n, vectors);
    return (double)whole * panel_cycles(tiles * s->lines, height, vectors, steps) +
           (rest ? panel_cycles(tiles * s->lines, height, rest, steps) : 0);
}

/* A result that goes through a buffer: do neighbours there lie beside each other where it goes? */
static bool is_beside(const knr_plan *p)
{
    return p->c_column.total > 1 ? p->c_column.stride[p->c_column.n - 1] == 1 : p->c_row.total == 1;
}

/* How often steps that lie in groups are packed for the columns of one piece after the other. */
static double times_packed(const knr_plan *p)
{
    bool kept = p->cut.k_piece >= p->left.k.total && p->cut.m_piece >= p->cut.tiles;
    return p->group == 1 || kept ? 1 : (double)knr_divide_up(p->right.row.total, p->cut.n_piece);
}

static double cost_of(const knr_plan *p)
{
    double l = (double)p->left.row.total, r = (double)p->right.row.total, k = (double)p->left.k.total;
    if (!p->left.row.total || !p->right.row.total)
        return 0;
    if (p->by_small)
        return knr_small_product_cost(p);
    if (p->by_lanes)
        return (double)p->batches * l * r * k * p->size / 64 / (p->maker ? 2 : .02) + 100;
    const knr_strip *s = &p->strip;
    double cycles = s->table ? strip_cycles(p) : all_cycles(p, knr_divide_up(p->width, p->lanes), p->max_rows);
    cycles *= (double)p->parts / p->group;
    double boxes = s->table && !s->in_place ? (double)s->room * (double)s->lines / (double)s->most : 0;
    double moved = l * k * p->left_step * (!p->left_in_place && (!s->used || s->right)) * times_packed(p) +
                   r * k * p->right_step * !s->right * (p->group > 1 ? GROUPED : 1) + l * r * p->size + boxes;
    if (s->in_place)
        cycles *= k > MANY_IN_PLACE ? 1.3 : 1;
    if (!p->maker)
        cycles *= 12 * p->group;
    if (p->dot || p->dots)
        cycles = k / 2;
    bool far = p->stream || p->turned || (p->cut.tiles == 1 && moved > STREAM_BYTES);
    bool runs =
        p->left.row.n + p->left.k.n + p->right.row.n + p->right.k.n > 4 || p->left.n_window || p->right.n_window;
    double rate = far ? 12 : p->right_in_place ? 64 : runs ? 8 : 24; /* bytes in a nanosecond */
    double stored = p->direct ? 0 : l * r * p->size / (is_beside(p) ? 32 : p->finish && !p->view.lanewise ? 4 : rate);
    return (double)p->batches * (cycles / 3.2 + moved / rate + stored) + 20;
}

/* --- functions -------------------------------------------------------------------------------- */

knh_product_request knr_request(const knr_plan *p, int64_t rows, int64_t columns, knh_b_from from)
{
    int64_t vectors = knr_divide_up(columns, p->lanes);
    knh_product_request q;
    memset(&q, 0, sizeof q);
    q.number = (uint8_t)p->number;
    q.rows = (uint8_t)rows;
    q.vectors = (uint8_t)vectors;
    q.lanes = (uint8_t)(columns - (vectors - 1) * p->lanes);
    q.a_signed = q.b_signed = p->number == KNH_NUMBER_BYTES && p->left.dtype->kind == 'i';
    q.minus = p->into == KNR_MINUS;
    q.a_from = p->view.lanewise                                     ? KNH_A_VECTORS
               : p->left_across                                     ? KNH_A_ACROSS
               : p->strip.used && p->strip.table && !p->strip.right ? KNH_A_TABLE
                                                                    : KNH_A_ALONG;
    q.b_from = (uint8_t)from;
    return q;
}

void knr_find_functions(knr_plan *p)
{
    knr_cuts rows_of = p->cut, *c = &rows_of; /* of strips: how a line is cut */
    if (p->strip.used && !p->strip.right) {
        c->tiles = knr_divide_up(p->strip.line, p->max_rows);
        c->height = p->height = p->strip.line / c->tiles;
        c->extra = p->strip.line % c->tiles;
        c->tiles *= p->strip.lines;
    }
    int64_t n = p->strip.right ? p->strip.line : p->right.row.total;
    p->rest = n % p->width;
    int64_t columns[2] = {n >= p->width ? p->width : 0, p->rest};
    memset(p->function, 0, sizeof p->function);
    for (int h = 0; h < 2 && p->maker; h++)
        for (int last = 0; last < 2; last++)
            for (int from = 0; from < KNH_B_KINDS; from++) {
                int64_t rows = (h ? c->extra > 0 : c->tiles > c->extra) ? c->height + h : 0;
                bool later = p->right_from == KNH_B_PACKING && from == KNH_B_PACKED && c->tiles > 1;
                bool used = later || ((int)p->right_from == from && (from != KNH_B_PACKING || h || c->extra == 0));
                knh_product_request q;
                if (!rows || !columns[last] || !used || !p->left.k.total)
                    continue;
                q = knr_request(p, rows, columns[last], (knh_b_from)from);
                p->function[h][last][from] = knh_product_for(p->maker, &q);
            }
}

void knr_cut(knr_plan *p)
{
    knr_cuts *c = &p->cut;
    int vectors = 0;
    choose_rectangle(p, &vectors);
    int64_t rows = p->left.row.total;
    c->panel = vectors * p->lanes;
    c->tiles = knr_divide_up(rows, p->max_rows);
    c->height = c->tiles ? rows / c->tiles : 0;
    c->extra = c->tiles ? rows % c->tiles : 0;
    place_left(p);
    place_right(p);
    c->k_piece = choose_steps(p);
    choose_pieces(p);
    p->height = c->height;
    p->width = c->panel;
    knr_choose_strips(p);
    choose_bytes(p);
    p->simple =
        p->left_in_place && p->right_in_place && p->direct && c->k_piece >= p->left.k.total && p->left.k.total > 0;
    p->dot = !p->view.lanewise && knr_dot_fits(p) && knr_dot_plan(p);
    if (p->dot)
        p->chain_bytes += knr_dot_bytes(p);
    p->by_lanes = !p->view.lanewise && knr_lanes_fit(p);
    if (p->by_lanes)
        p->chain_bytes += knr_lanes_bytes(p);
    p->by_small = !p->by_lanes && !p->view.lanewise && knr_small_product_fits(p);
    if (p->by_small)
        p->chain_bytes += knr_small_product_bytes(p);
    p->dots = !p->dot && !p->by_lanes && !p->by_small && !p->view.lanewise && knr_dots_plan(p);
    p->cost = cost_of(p);
}

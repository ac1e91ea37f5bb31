/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- how a stage runs: which axis the lanes take, which one the rows, and what is turned. By shapes and
 * strides alone; no result depends on it. Costs are rough nanoseconds per point. */
#include "host/drive.h"
#include <string.h>

typedef struct choice {
    double cost;
    int lane, row, turned_along;
    uint8_t mode, runner;
    bool repeats;
} choice;

static int64_t stride_of(const knh_pass *ps, int stream, int axis) { return ps->stride[stream * ps->n_axis + axis]; }

/* Does an index that loads of the stream add change along the axis? */
static bool index_changes(const knh_pass *ps, int i, int axis)
{
    const knh_stage_facts *f = ps->facts;
    bool changes = !f->leads;
    for (int j = 0; j < f->n_stream && !changes; j++)
        changes = f->leads[i * f->n_stream + j] && (f->stream[j].indexed || stride_of(ps, j, axis));
    return changes;
}

/* One element of a stream per lane along an axis. */
static double stream_cost(const knh_pass *ps, int i, int axis)
{
    const knh_stream *s = &ps->facts->stream[i];
    int size = knk_size(s->dtype);
    if (s->kind != KNH_MEMORY)
        return 0.02;
    if (s->indexed && axis >= 0 && index_changes(ps, i, axis))
        return 1;
    int64_t step = axis < 0 ? size : stride_of(ps, i, axis), far = step < 0 ? -step : step;
    if (step == size || (step == 0 && !s->written))
        return step ? 0.02 * size : 0.01;
    int64_t elements = far / size;
    if (knh_is_near(step, size) && !s->indexed && ps->generator->near_steps)
        return size * (0.03 + 0.01 * (double)elements);
    return (s->indexed ? 0.1 : 0.8) + (far > 64 ? 0.3 : 0) + (far >= 4096 ? 0.7 : 0) + (s->written ? 0.5 : 0);
}

static bool can_turn(const knh_pass *ps, int i, int lane, int along)
{
    const knh_stream *s = &ps->facts->stream[i];
    int64_t size = knk_size(s->dtype), step = stride_of(ps, i, lane);
    return ps->facts->turnable[i] && step != size && (step != 0 || s->written) && stride_of(ps, i, along) == size;
}

/* A stage that only copies, and the elements of a few rows along `along` lie woven in one of its streams (tile.h). */
static bool weaves(const knh_pass *ps, int lane, int along)
{
    int64_t side = ps->extent[along];
    bool fine = ps->facts->copies && ps->facts->n_stream == 2 && side <= KNH_MOST_WOVEN && ps->extent[lane] > side;
    int n = 0;
    for (int i = 0; fine && i < 2; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        int64_t size = knk_size(s->dtype), step = stride_of(ps, i, lane);
        bool woven = can_turn(ps, i, lane, along);
        n += woven;
        fine = !woven ? step == size : s->written ? step == side * size : step > 0 && step <= KNH_MOST_WOVEN * size;
    }
    return fine && n == 1;
}

static double turned_cost(const knh_pass *ps, int lane, int along)
{
    double cost = 0;
    int n = 0;
    if (weaves(ps, lane, along))
        return 0.02 + 0.04 * knk_size(ps->facts->stream[0].dtype);
    for (int i = 0; i < ps->facts->n_stream; i++) {
        bool turn = n < KNH_MOST_TURNED && can_turn(ps, i, lane, along);
        n += turn;
        cost += turn ? 0.1 + 0.06 * knk_size(ps->facts->stream[i].dtype) : stream_cost(ps, i, lane);
    }
    return n ? cost : 1e30;
}

static double plain_cost(const knh_pass *ps, int lane)
{
    double cost = 0;
    for (int i = 0; i < ps->facts->n_stream; i++)
        cost += stream_cost(ps, i, lane);
    return cost;
}

/* Arithmetic on registers that are not full. */
static double arithmetic(const knh_pass *ps, double n)
{
    double all = ps->generator->lanes, whole = n < all ? all / n : 1;
    return (ps->facts->cost + 0.03) * whole;
}

static void keep_best(choice *best, choice c)
{
    if (c.cost < best->cost * 0.999)
        *best = c;
}

/* The axis of [first, end) that the rows take: the innermost one, or the longest if that is short. */
static int row_axis(const knh_pass *ps, int first, int end, int lane)
{
    int best = -1;
    for (int a = end - 1; a >= first; a--) {
        if (a == lane)
            continue;
        if (best < 0 || (ps->extent[best] < 16 && ps->extent[a] > ps->extent[best]))
            best = a;
    }
    return best;
}

static double calls(const knh_pass *ps, int lane, int row)
{
    double n = lane < 0 ? 1 : (double)ps->extent[lane], rows = row < 0 ? 1 : (double)ps->extent[row];
    n = n < 1 ? 1 : n;
    rows = rows < 1 ? 1 : rows;
    return 3 / n + (10 + ps->facts->n_stream) / (n * rows);
}

/* Rows of so few lanes, joined. */
static void choose_repeats(const knh_pass *ps, int lane, choice *best)
{
    double n = (double)ps->extent[lane], most = (double)knh_repeats(ps, lane);
    for (int a = 0; a < ps->n_axis; a++) {
        if (a == lane || !knh_can_repeat(ps, lane, a))
            continue;
        double each = most < (double)ps->extent[a] ? most : (double)ps->extent[a];
        double call = calls(ps, lane, a) - 3 / n + 3 / (n * each);
        double cost = knh_repeated_cost(ps, lane, a) + arithmetic(ps, n * each) + call;
        choice c = {knh_tune.repeat == 1 ? 0 : cost, lane, a, -1, KNH_POINTS, KNH_BY_RECTANGLES, true};
        keep_best(best, c);
    }
}

static void choose_lane(const knh_pass *ps, int n_par, bool inner, int lane, choice *best)
{
    int row = row_axis(ps, 0, ps->n_axis, lane);
    double n = lane < 0 ? 1 : (double)ps->extent[lane];
    uint8_t mode = !inner ? KNH_POINTS : lane >= n_par ? KNH_ROWS : KNH_COLUMNS;
    choice c = {
        plain_cost(ps, lane) + arithmetic(ps, n) + calls(ps, lane, row), lane, row, -1, mode, KNH_BY_RECTANGLES, false};
    if (knh_tune.turn != 1)
        keep_best(best, c);
    for (int along = 0; along < ps->n_axis && lane >= 0 && knh_tune.turn; along++) {
        bool is_short = ps->extent[along] < 4 || ps->extent[lane] < 4;
        if (along == lane || (is_short && knh_tune.turn != 1 && !weaves(ps, lane, along)))
            continue;
        c.row = c.turned_along = along;
        c.cost = turned_cost(ps, lane, along) + arithmetic(ps, n) + 0.05;
        keep_best(best, c);
    }
    if (!inner && lane >= 0 && (knh_tune.repeat == 1 || (knh_tune.repeat && knh_tune.turn != 1)))
        choose_repeats(ps, lane, best);
    if (knh_tune.turn == 1) {
        c = (choice){1e20 + plain_cost(ps, lane), lane, row, -1, mode, KNH_BY_RECTANGLES, false};
        keep_best(best, c);
    }
}

/* No reduction: any axis may have the lanes. */
static choice choose_points(const knh_pass *ps, int n_par, bool inner)
{
    choice best = {.cost = 1e300, .lane = -1, .row = -1};
    int first = 0, end = ps->n_axis;
    if (inner && (knh_tune.mode == KNH_ROWS || knh_tune.mode == KNH_RUNS || !n_par))
        first = n_par;
    else if (inner && knh_tune.mode == KNH_COLUMNS)
        end = n_par;
    if (knh_tune.lane >= 0 && end > first) {
        choose_lane(ps, n_par, inner, first + knh_tune.lane % (end - first), &best);
        return best;
    }
    for (int lane = end - 1; lane >= first; lane--)
        choose_lane(ps, n_par, inner, lane, &best);
    if (end == 0)
        choose_lane(ps, n_par, inner, -1, &best);
    return best;
}

/* One axis alone has the lanes. */
static const choice only_axis = {
    .lane = 0, .row = -1, .turned_along = -1, .mode = KNH_POINTS, .runner = KNH_BY_RECTANGLES};

/* Lanes along the inner loops. */
static choice choose_inner(const knh_pass *ps, int n_par)
{
    int last = ps->n_axis - 1;
    bool joined = ps->n_axis == n_par + 1;
    double total = (double)(ps->inner_total < 1 ? 1 : ps->inner_total),
           run = (double)(ps->extent[last] < 1 ? 1 : ps->extent[last]);
    int row = row_axis(ps, 0, n_par, -1);
    choice c = {plain_cost(ps, last) + arithmetic(ps, run) + 8 * ps->facts->n_reduction / total,
                last,
                row,
                -1,
                KNH_ROWS,
                KNH_BY_RECTANGLES,
                false};
    if (joined && knh_tune.mode != KNH_RUNS) {
        c.cost += 3 / total + (row < 0 ? 20 / total : 20 / (total * (double)ps->extent[row]));
        c.runner = ps->inner_total > KNK_SUM_BLOCK ? KNH_BY_BLOCKS : KNH_BY_RECTANGLES;
    } else {
        c.mode = KNH_RUNS;
        c.runner = KNH_BY_RUNS;
        c.row = -1;
        c.cost += (20 + 4 * ps->facts->n_reduction) / run + 60 * ps->facts->n_reduction / total;
    }
    return c;
}

/* Are the rows of columns along this axis adjacent in all streams? Then they are one long row (reduce.c). */
static bool rows_join(const knh_pass *ps, int a)
{
    for (int i = 0; i < ps->facts->n_stream; i++)
        if (ps->facts->stream[i].kind != KNH_EXPORT &&
            stride_of(ps, i, ps->n_axis - 1) != ps->extent[a] * stride_of(ps, i, a))
            return false;
    return ps->extent[a] <= ps->facts->width;
}

static choice choose_reduction(const knh_pass *ps, int n_par)
{
    choice best = {.cost = 1e300};
    double total = (double)(ps->inner_total < 1 ? 1 : ps->inner_total);
    int first = 0, end = n_par, n = ps->facts->n_reduction, last = ps->n_axis - 1;
    if (knh_tune.lane >= 0 && n_par) {
        first = knh_tune.lane % n_par;
        end = first + 1;
    }
    if (knh_tune.mode != KNH_COLUMNS || !n_par)
        best = choose_inner(ps, n_par);
    if (knh_tune.mode == KNH_ROWS || knh_tune.mode == KNH_RUNS)
        return best;
    for (int a = end - 1; a >= first; a--) {
        double lanes = (double)(ps->extent[a] < ps->facts->width ? ps->extent[a] : ps->facts->width);
        double used = total < 64 ? total : 64, rows = (double)ps->extent[last];
        rows = rows < 1 ? 1 : rows > 64 ? 64 : rows;
        bool join = rows_join(ps, a);
        double full = join ? lanes * rows : lanes, call = join ? total > KNK_SUM_BLOCK ? KNK_SUM_BLOCK : total : rows;
        choice c = {plain_cost(ps, a) + arithmetic(ps, full) + 0.05 * n + 3 / full + 30 / (call * lanes) +
                        n * (0.1 * used + 100 / lanes) / total,
                    a,
                    last,
                    -1,
                    KNH_COLUMNS,
                    KNH_BY_COLUMNS,
                    false};
        keep_best(&best, c);
    }
    return best;
}

/* A stage that only copies, between memory that lies along the rows and memory that lies along the lanes. */
static bool only_turns(const knh_pass *ps, const choice *c)
{
    bool fine = ps->facts->copies && c->turned_along >= 0 && ps->facts->n_stream == 2;
    for (int i = 0; fine && i < 2; i++)
        fine = can_turn(ps, i, c->lane, c->row) != (stride_of(ps, i, c->lane) == knk_size(ps->facts->stream[i].dtype));
    return fine && can_turn(ps, 0, c->lane, c->row) != can_turn(ps, 1, c->lane, c->row);
}

void knh_choose(knh_pass *ps, const knk_stage *st, int n_par, uint8_t *other, uint8_t *turned)
{
    bool reduces = ps->facts->n_reduction > 0;
    choice c = reduces                           ? choose_reduction(ps, n_par)
               : ps->n_axis == 1 && !st->n_inner ? only_axis
                                                 : choose_points(ps, n_par, st->n_inner > 0);
    int end = c.runner == KNH_BY_RUNS || c.runner == KNH_BY_COLUMNS || c.runner == KNH_BY_BLOCKS ? n_par : ps->n_axis;
    ps->lane = c.lane;
    ps->row = c.row;
    ps->mode = c.mode;
    ps->runner = c.runner;
    if (c.runner == KNH_BY_BLOCKS)
        ps->row = -1;
    int n_turned = 0;
    for (int i = 0; i < ps->facts->n_stream && c.turned_along >= 0; i++)
        n_turned += turned[i] =
            n_turned < KNH_MOST_TURNED && can_turn(ps, i, c.lane, c.row) ? KNH_TRANSPOSED : KNH_PLAIN;
    if (c.repeats)
        knh_mark_repeated(ps, turned);
    if (c.mode == KNH_POINTS && c.runner == KNH_BY_RECTANGLES && c.turned_along < 0 && !c.repeats)
        ps->woven = knh_mark_woven(ps, turned);
    if (!reduces && only_turns(ps, &c))
        ps->runner = KNH_BY_TURNING;
    ps->n_other = 0;
    for (int a = 0; a < end; a++)
        if (a != ps->lane && a != ps->row)
            other[ps->n_other++] = (uint8_t)a;
}

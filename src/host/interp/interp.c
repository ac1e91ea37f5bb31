/* SPDX-License-Identifier: Apache-2.0
 * interp.c -- the interpreter: the meaning of a kernel, worked out step by step over blocks of lanes that stay in the
 * first caches.
 *
 * Parallel points are taken in chunks; a chunk goes through all stages. A stage without inner loops runs its lanes
 * along the points of the chunk. One with inner loops runs them either along the flattened inner index of one point
 * (rows) or along the points (columns); the order in which a reduction joins elements is the same in both
 * (docs/determinism.md). A value is a pointer and whether it is one value for all lanes; loads with stride one or zero
 * point straight into memory, and a stored result is worked out in its destination where nothing reads after it. */
#include "base/poll.h"
#include "host/interp/run.h"
#include <string.h>

typedef knh_interp_value value;
typedef knh_interp_run run;

_Static_assert(sizeof(knk_map_state) <= 96 && sizeof(value) <= 2 * sizeof(void *), "knk_prepare lays out the scratch");

static inline char *memory_of(const run *r, const knk_action *st, const knk_map_state *m)
{
    return (char *)r->launch->buffer[st->buffer] + m->at * st->size;
}

static inline char *place_of(const run *r, const knk_action *st) { return knh_place_in_scratch(r, st); }

/* One element, or one per lane. */
static void set_one(run *r, const knk_action *st, const void *from)
{
    char *d = place_of(r, st);
    if (st->persist)
        knk_joins_best()->splat(st->size, d, from, (size_t)r->lanes);
    else
        memmove(d, from, st->size);
    r->value[st->dst] = (value){d, !st->persist};
}

static void load_runs(const run *r, const knk_action *st, const knk_map_state *m, char *d)
{
    const char *s = memory_of(r, st, m);
    for (int i = 0; i < r->seg.n; i++) {
        int n = r->seg.length[i];
        knk_lanes.copy_in(st->size, d, s, m->lane_stride, (size_t)n);
        d += n * st->size;
        s += ((n - 1) * m->lane_stride + m->lane_carry[r->seg.carry[i]]) * st->size;
    }
}

static void do_load(run *r, const knk_action *st)
{
    const knk_map_state *m = &r->map[st->map];
    char *s = memory_of(r, st, m), *d;
    bool one = m->lanes_equal || r->lanes == 1 || (r->seg.n == 1 && m->lane_stride == 0),
         straight = r->seg.n == 1 && m->lane_stride == 1;
    if ((one || straight) && !st->persist && !st->how) {
        r->value[st->dst] = (value){s, one};
        return;
    }
    if (one) {
        set_one(r, st, s);
        return;
    }
    d = place_of(r, st);
    if (r->seg.n == 1)
        knk_lanes.copy_in(st->size, d, s, m->lane_stride, (size_t)r->lanes);
    else
        load_runs(r, st, m, d);
    r->value[st->dst] = (value){d, 0};
}

/* The element numbers of a map, one per lane; 1 if all are equal, and then only the first is there. */
static bool map_lanes(const run *r, const knk_map_state *m, int64_t *d)
{
    if (m->lanes_equal || r->lanes == 1) {
        *d = m->at;
        return true;
    }
    if (r->seg.n == 1) {
        knk_lanes.index(d, m->at, m->lane_stride, (size_t)r->lanes);
        return false;
    }
    int64_t at = m->at;
    for (int i = 0; i < r->seg.n; i++) {
        int n = r->seg.length[i];
        knk_lanes.index(d, at, m->lane_stride, (size_t)n);
        d += n;
        at += (n - 1) * m->lane_stride + m->lane_carry[r->seg.carry[i]];
    }
    return false;
}

static void do_index(run *r, const knk_action *st)
{
    int64_t *d = (int64_t *)(void *)place_of(r, st);
    bool one = map_lanes(r, &r->map[st->map], d);
    r->value[st->dst] = (value){(char *)d, one};
    if (one && st->persist) {
        int64_t v = *d;
        set_one(r, st, &v);
    }
}

/* An operand with one element per lane; room: which of the three temporary places. */
static const void *spread(const run *r, value v, int size, int room)
{
    if (!v.one)
        return v.p;
    void *d = r->scratch + r->p->splat_at + (size_t)room * KNK_BLOCK * sizeof(uint64_t);
    knk_joins_best()->splat(size, d, v.p, (size_t)r->lanes);
    return d;
}

static void copy_value(run *r, const knk_action *st, value from)
{
    if (from.one) {
        set_one(r, st, from.p);
        return;
    }
    char *d = place_of(r, st);
    if (d != from.p)
        memcpy(d, from.p, (size_t)r->lanes * st->size);
    r->value[st->dst] = (value){d, 0};
}

static void do_gather(run *r, const knk_action *st)
{
    static const uint64_t zero = 0;
    const knk_map_state *m = &r->map[st->map];
    value pred = {0}, other = st->c >= 0 ? r->value[st->c] : (value){(char *)(uintptr_t)&zero, 1};
    if (st->b >= 0) {
        pred = r->value[st->b];
        int some = knk_lanes.any((const uint8_t *)pred.p, pred.one ? 1 : (size_t)r->lanes);
        if (!some) {
            copy_value(r, st, other);
            return;
        }
        if (some == 2)
            pred.p = NULL;
    }
    if (st->a < 0 && !pred.p) {
        do_load(r, st);
        return;
    }
    const value *row = st->a >= 0 ? &r->value[st->a] : NULL;
    bool straight = r->seg.n == 1 && m->lane_stride == 1 && !st->persist && !st->how;
    if (!pred.p && row && row->one && straight && r->lanes > 1) { /* neighbours from a place that is worked out */
        int64_t from = m->at + *(const int64_t *)(const void *)row->p;
        r->value[st->dst] = (value){(char *)r->launch->buffer[st->buffer] + from * st->size, 0};
        return;
    }
    int64_t *at = (int64_t *)(void *)(r->scratch + r->p->address_at);
    KN_KNOWN(r->value);
    value index = st->a >= 0 ? r->value[st->a] : (value){0};
    bool one = map_lanes(r, m, at);
    const char *base = r->launch->buffer[st->buffer];
    if (one && !pred.p && index.one) {
        set_one(r, st, base + (*at + *(const int64_t *)(const void *)index.p) * st->size);
        return;
    }
    if (one)
        knk_lanes.index(at, *at, 0, (size_t)r->lanes);
    if (index.p)
        knk_lanes.add_index(at, (const int64_t *)(const void *)index.p, index.one, (size_t)r->lanes);
    char *d = place_of(r, st);
    knk_lanes.gather(st->size, d, base, at, (const uint8_t *)pred.p, other.p, other.one, (size_t)r->lanes);
    r->value[st->dst] = (value){d, 0};
}

static void store_runs(const run *r, const knk_action *st, const knk_map_state *m, const char *s)
{
    char *d = memory_of(r, st, m);
    for (int i = 0; i < r->seg.n; i++) {
        int n = r->seg.length[i];
        knk_lanes.copy_out(st->size, d, m->lane_stride, s, (size_t)n);
        s += n * st->size;
        d += ((n - 1) * m->lane_stride + m->lane_carry[r->seg.carry[i]]) * st->size;
    }
}

static void do_store(const run *r, const knk_action *st)
{
    const knk_map_state *m = &r->map[st->map];
    value v = r->value[st->a];
    char *d = memory_of(r, st, m);
    if (r->lanes == 1) {
        memmove(d, v.p, st->size);
    } else if (r->seg.n > 1) {
        store_runs(r, st, m, spread(r, v, st->size, 0));
    } else if (m->lane_stride == 1) {
        if (v.one)
            knk_joins_best()->splat(st->size, d, v.p, (size_t)r->lanes);
        else if (v.p != d)
            memmove(d, v.p, (size_t)r->lanes * st->size);
    } else {
        knk_lanes.copy_out(st->size, d, m->lane_stride, spread(r, v, st->size, 0), (size_t)r->lanes);
    }
}

/* An operation: the form of its loop that takes constants and other single values as they are, or the plain one with
 * them spread out. */
static inline void do_operation(run *r, const knk_action *st)
{
    value a = r->value[st->a], b = {NULL, 1}, c = {NULL, 1};
    if (st->b >= 0)
        b = r->value[st->b];
    if (st->c >= 0)
        c = r->value[st->c];
    if (st->cold && !r->taken[st->cold]) {
        copy_value(r, st, c);
        return;
    }
    char *d = place_of(r, st);
    if (a.one && b.one && c.one) {
        knk_lane_loop(st->row, st->dtype, 0)(d, a.p, b.p, c.p, 1);
        r->value[st->dst] = (value){d, 1};
        if (st->persist) {
            uint64_t v = 0;
            memcpy(&v, d, st->size);
            set_one(r, st, &v);
        }
        return;
    }
    if (st->map >= 0 && r->seg.n == 1 && r->map[st->map].lane_stride == 1)
        d = memory_of(r, st, &r->map[st->map]);
    unsigned form = 0;
    if (st->n_operands > 1)
        form = (unsigned)a.one | (unsigned)b.one << 1;
    if (st->n_operands > 2)
        form |= (unsigned)c.one << 2;
    knk_loop *f = knk_lane_loop(st->row, st->dtype, form);
    if (!f) {
        f = knk_lane_loop(st->row, st->dtype, 0); /* each row has the form of lanes alone */
        KN_KNOWN(f);
        a.p = (char *)(uintptr_t)spread(r, a, st->osize[0], 0);
        b.p = (char *)(uintptr_t)spread(r, b, st->osize[1], 1);
        if (st->n_operands > 2)
            c.p = (char *)(uintptr_t)spread(r, c, st->osize[2], 2);
    }
    f(d, a.p, b.p, c.p, (size_t)r->lanes);
    r->value[st->dst] = (value){d, 0};
}

/* Reductions. A reduction's area: 64 accumulators, then the stack of ranks, each `width` elements apart. */
static inline int width_of(const run *r) { return r->rows ? 1 : KNK_COLUMN_BLOCK; }
static inline char *accumulator(const run *r, const knk_action *st, int i)
{
    return r->scratch + st->slot + (size_t)i * (size_t)width_of(r) * st->size;
}

static void combine(const knk_action *st, char *left, const char *right, size_t n)
{
    knk_join(st->how, st->dtype)(left, left, right, NULL, n);
}

static void do_reduce(const run *r, const knk_action *st)
{
    const void *x = spread(r, r->value[st->a], st->size, 0);
    if (r->rows) {
        knk_lane_loop(KNK_LOOP_ACC + st->how, st->dtype, 0)(accumulator(r, st, 0), x, NULL, NULL, (size_t)r->lanes);
        return;
    }
    char *acc = accumulator(r, st, (int)(r->inner_at & 63));
    if (r->inner_at < 64) {
        uint64_t identity = knk_reduction_identity(st->how, st->dtype);
        knk_joins_best()->splat(st->size, acc, knk_number_bytes(&identity, st->size), (size_t)r->lanes);
    }
    combine(st, acc, x, (size_t)r->lanes);
}

static void start_row(const run *r, const knk_prepared_stage *ps)
{
    for (int i = 0; i < ps->n_reduce; i++) {
        const knk_action *st = &r->p->step[ps->reduce[i]];
        uint64_t identity = knk_reduction_identity(st->how, st->dtype);
        knk_joins_best()->splat(st->size, accumulator(r, st, 0), knk_number_bytes(&identity, st->size), 64);
    }
}

/* Joins the 64 accumulators into the first. In columns those without an element are left out, which changes nothing. */
static void join(const run *r, const knk_action *st, int used)
{
    if (r->rows) {
        combine(st, accumulator(r, st, 0), accumulator(r, st, 16), 16);
        combine(st, accumulator(r, st, 32), accumulator(r, st, 48), 16);
        combine(st, accumulator(r, st, 0), accumulator(r, st, 32), 16);
        for (int h = 8; h; h /= 2)
            combine(st, accumulator(r, st, 0), accumulator(r, st, h), (size_t)h);
        return;
    }
    size_t n = (size_t)r->lanes;
    if (!used) {
        uint64_t identity = knk_reduction_identity(st->how, st->dtype);
        knk_joins_best()->splat(st->size, accumulator(r, st, 0), knk_number_bytes(&identity, st->size), n);
    }
    for (int l = 0; l < 16; l++) {
        if (16 + l < used)
            combine(st, accumulator(r, st, l), accumulator(r, st, 16 + l), n);
        if (48 + l < used)
            combine(st, accumulator(r, st, 32 + l), accumulator(r, st, 48 + l), n);
        if (32 + l < used)
            combine(st, accumulator(r, st, l), accumulator(r, st, 32 + l), n);
    }
    for (int h = 8; h; h /= 2)
        for (int l = 0; l < h && l + h < used; l++)
            combine(st, accumulator(r, st, l), accumulator(r, st, l + h), n);
}

typedef struct ranks {
    int n;
    uint8_t rank[KNK_RANKS];
} ranks;

/* The end of a sum block of `used` elements: its value goes onto the stack, and equal ranks are joined, the older one
 * on the left. */
static void end_block(const run *r, const knk_prepared_stage *ps, ranks *stack, int64_t used)
{
    size_t n = r->rows ? 1 : (size_t)r->lanes;
    int depth = stack->n;
    for (int i = 0; i < ps->n_reduce; i++) {
        const knk_action *st = &r->p->step[ps->reduce[i]];
        join(r, st, used < 64 ? (int)used : 64);
        memcpy(accumulator(r, st, 64 + depth), accumulator(r, st, 0), n * st->size);
    }
    stack->rank[stack->n++] = 0;
    for (; stack->n > 1 && stack->rank[stack->n - 1] == stack->rank[stack->n - 2]; stack->n--) {
        stack->rank[stack->n - 2]++;
        for (int i = 0; i < ps->n_reduce; i++) {
            const knk_action *st = &r->p->step[ps->reduce[i]];
            combine(st, accumulator(r, st, 64 + stack->n - 2), accumulator(r, st, 64 + stack->n - 1), n);
        }
    }
    if (r->rows)
        start_row(r, ps);
}

static void end_reductions(const run *r, const knk_prepared_stage *ps, ranks *stack)
{
    size_t n = r->rows ? 1 : (size_t)r->lanes;
    for (int i = 0; i < ps->n_reduce; i++) {
        const knk_action *st = &r->p->step[ps->reduce[i]];
        for (int j = stack->n - 1; j > 0; j--)
            combine(st, accumulator(r, st, 64 + j - 1), accumulator(r, st, 64 + j), n);
        memcpy(r->scratch + r->p->persist[st->dst] + (size_t)r->point * st->size, accumulator(r, st, 64), n * st->size);
    }
}

/* All steps of a stage for one block of lanes. */
static void do_block(run *r, const knk_prepared_stage *ps)
{
    for (int i = ps->first; i < ps->end; i++) {
        const knk_action *st = &r->p->step[i];
        switch ((knk_action_kind)st->kind) {
        case KNK_ACTION_OP: do_operation(r, st); break;
        case KNK_ACTION_LOAD: do_load(r, st); break;
        case KNK_ACTION_GATHER: do_gather(r, st); break;
        case KNK_ACTION_INDEX: do_index(r, st); break;
        case KNK_ACTION_STORE: do_store(r, st); break;
        case KNK_ACTION_REDUCE: do_reduce(r, st); break;
        case KNK_ACTION_CARRY:
        case KNK_ACTION_KEEP: knh_run_carry(r, st); break;
        case KNK_ACTION_NEXT: knh_run_next(r, ps, st); break;
        case KNK_ACTION_LOOP: i = knh_run_loop(r, ps, i); break;
        case KNK_ACTION_WHILE: i = knh_run_while(r, ps, i); break;
        case KNK_ACTION_END: i = knh_run_end(r, ps, i); break;
        case KNK_ACTION_COLD: {
            value p = r->value[st->a];
            r->taken[st->cold] = knk_lanes.any((const uint8_t *)p.p, p.one ? 1 : (size_t)r->lanes) != 0;
            if (!r->taken[st->cold])
                i += st->skip;
        }
        }
    }
}

static void import(run *r, const knk_prepared_stage *ps)
{
    for (int i = 0; i < ps->n_import; i++) {
        int32_t v = ps->import[i];
        r->value[v] = (value){r->scratch + r->p->persist[v] + (size_t)r->point * r->p->value_size[v], r->rows};
    }
}

static void aim_maps(run *r, const knk_prepared_stage *ps, const knk_nest *lanes)
{
    for (int i = 0; i < ps->n_map; i++) {
        knk_map_state *m = &r->map[ps->map[i]];
        const int64_t *stride = r->rows ? m->inner_stride : m->par_stride;
        m->lane_carry = r->rows ? m->inner_carry : m->par_carry;
        m->lane_stride = lanes->n ? stride[lanes->n - 1] : 0;
        m->lanes_equal = true;
        for (int d = 0; d < lanes->n; d++)
            m->lanes_equal &= stride[d] == 0;
    }
}

static void place_maps(run *r, const knk_prepared_stage *ps)
{
    for (int i = 0; i < ps->n_map; i++) {
        knk_map_state *m = &r->map[ps->map[i]];
        m->at = m->base + m->par + m->inner;
    }
}

/* Lanes along the inner index: one parallel point after the other. */
static void run_rows(run *r, const knk_prepared_stage *ps, knk_nest *par, knk_nest *inner, int64_t points)
{
    aim_maps(r, ps, inner);
    for (r->point = 0; r->point < points; r->point++) {
        ranks stack = {.n = 0};
        int64_t used = 0;
        import(r, ps);
        start_row(r, ps);
        for (int i = 0; i < ps->n_map; i++)
            r->map[ps->map[i]].inner = 0;
        for (int64_t done = 0; done < inner->total; done += r->lanes) {
            r->lanes = (int)(inner->total - done < ps->lanes ? inner->total - done : ps->lanes);
            place_maps(r, ps);
            knk_nest_cut(inner, r->lanes, &r->seg);
            do_block(r, ps);
            for (int i = 0; i < ps->n_map; i++)
                r->map[ps->map[i]].inner = knk_nest_offset(inner, r->map[ps->map[i]].inner_stride);
            used += r->lanes;
            if (ps->n_reduce && used == KNK_SUM_BLOCK && done + r->lanes < inner->total) {
                end_block(r, ps, &stack, used);
                used = 0;
            }
        }
        if (ps->n_reduce) {
            end_block(r, ps, &stack, used);
            end_reductions(r, ps, &stack);
        }
        knk_nest_step(par);
        for (int i = 0; i < ps->n_map; i++)
            r->map[ps->map[i]].par = knk_nest_offset(par, r->map[ps->map[i]].par_stride);
    }
}

static void next_inner(run *r, const knk_prepared_stage *ps, knk_nest *inner)
{
    int moved = knk_nest_step(inner);
    for (int i = 0; i < ps->n_map; i++) {
        knk_map_state *m = &r->map[ps->map[i]];
        m->inner = moved < 0 ? 0 : m->inner + m->inner_carry[moved];
    }
}

/* Lanes along the parallel points; also all stages without inner loops. */
static void run_columns(run *r, const knk_prepared_stage *ps, knk_nest *par, knk_nest *inner, int64_t points)
{
    int most = ps->n_reduce && ps->lanes > KNK_COLUMN_BLOCK ? KNK_COLUMN_BLOCK : ps->lanes;
    aim_maps(r, ps, par);
    for (r->point = 0; r->point < points && !r->stopped; r->point += r->lanes) {
        ranks stack = {.n = 0};
        r->lanes = (int)(points - r->point < most ? points - r->point : most);
        knk_nest_cut(par, r->lanes, &r->seg);
        import(r, ps);
        r->inner_at = 0;
        for (int64_t i = 0; i < inner->total; i++) {
            place_maps(r, ps);
            do_block(r, ps);
            if (inner->n)
                next_inner(r, ps, inner);
            if (++r->inner_at == KNK_SUM_BLOCK && ps->n_reduce && i + 1 < inner->total) {
                end_block(r, ps, &stack, KNK_SUM_BLOCK);
                r->inner_at = 0;
            }
        }
        if (ps->n_reduce) {
            end_block(r, ps, &stack, r->inner_at);
            end_reductions(r, ps, &stack);
        }
        for (int i = 0; i < ps->n_map; i++)
            r->map[ps->map[i]].par = knk_nest_offset(par, r->map[ps->map[i]].par_stride);
    }
}

/* The rough cost of one point when lanes run along a nest, in nanoseconds. */
static double cost_along(const run *r, const knk_prepared_stage *ps, const knk_nest *nest, int64_t lanes, bool rows)
{
    double cost = 6.0 * (ps->end - ps->first) / (double)(lanes < 1 ? 1 : lanes);
    for (int i = 0; i < ps->n_map; i++) {
        const knk_map_state *m = &r->map[ps->map[i]];
        int64_t stride = nest->n ? (rows ? m->inner_stride : m->par_stride)[nest->n - 1] : 0,
                extent = nest->n ? nest->extent[nest->n - 1] : 1;
        cost += stride == 0 || stride == 1 ? 0.1 : 0.8;
        if (extent < lanes)
            cost += 6.0 / (double)extent;
    }
    return rows ? cost + 50.0 * ps->n_reduce / (double)(lanes < 1 ? 1 : lanes) : cost;
}

static bool choose_rows(const run *r, const knk_prepared_stage *ps, const knk_nest *par, const knk_nest *inner,
                        int lanes)
{
    if (lanes != KNK_LANES_AUTO)
        return lanes == KNK_LANES_ROW;
    int64_t along = inner->total < ps->lanes ? inner->total : ps->lanes,
            across = par->total < KNK_COLUMN_BLOCK ? par->total : KNK_COLUMN_BLOCK;
    return cost_along(r, ps, inner, along, true) <= cost_along(r, ps, par, across, false);
}

/* Nests and maps of all stages. */
static void set_up(run *r, knk_nest *par, knk_nest *inner)
{
    const knk_kernel *k = r->k;
    int loops = r->p->loops;
    int64_t *strides = (int64_t *)(void *)(r->scratch + r->p->strides_at),
            *nests = (int64_t *)(void *)(r->scratch + r->p->nests_at);
    for (int m = 0; m < k->n_map; m++, strides += 2 * (loops + 2)) {
        int n_inner = k->stage[k->map[m].stage].n_inner;
        r->map[m] = (knk_map_state){.base = r->launch->map[m].offset,
                                    .par_stride = strides,
                                    .par_carry = strides + k->n_par,
                                    .inner_stride = strides + 2 * k->n_par,
                                    .inner_carry = strides + 2 * k->n_par + n_inner};
    }
    for (int s = 0; s < k->n_stage; s++, nests += 2 * (loops + 4)) {
        const knk_prepared_stage *ps = &r->p->stage[s];
        int n_inner = k->stage[s].n_inner;
        par[s] = (knk_nest){.extent = nests, .index = nests + k->n_par};
        inner[s] = (knk_nest){.extent = nests + 2 * k->n_par, .index = nests + 2 * k->n_par + n_inner};
        knk_nest_join(&par[s], k->n_par, r->launch->par, ps->map, ps->n_map, r->launch->map, 0, r->map, 0);
        knk_nest_join(&inner[s], n_inner, n_inner ? r->launch->inner[s] : NULL, ps->map, ps->n_map, r->launch->map,
                      k->n_par, r->map, 1);
    }
}

/* How many parallel points go through all stages before the next ones: what they touch should stay in the second
 * cache. */
static int64_t chunk_of(const knk_kernel *k, const knk_nest *inner, const uint8_t *rows)
{
    int64_t chunk = KNK_BLOCK;
    for (int s = 0; s < k->n_stage; s++) {
        int64_t n = inner[s].total, fit = n > 0 ? (rows[s] ? 16384 : 131072) / n : KNK_BLOCK,
                least = rows[s] ? 1 : KNK_COLUMN_BLOCK;
        if (k->stage[s].n_inner && fit < chunk)
            chunk = fit > least ? fit : least;
    }
    return chunk;
}

enum { MOST_STAGES = 256 };

static void interpret(run *r, knk_nest *par, knk_nest *inner, uint8_t *rows, int lanes)
{
    const knk_kernel *k = r->k;
    KN_KNOWN(k->n_stage > 0);
    set_up(r, par, inner);
    if (par[0].total == 0)
        return;
    for (int i = 0; i < r->p->n_constant; i++)
        r->value[r->p->constant_value[i]] = (value){(char *)(uintptr_t)&r->p->constant[i], 1};
    int stages = k->n_stage;
    for (int s = 0; s < stages; s++)
        rows[s] = k->stage[s].n_inner && choose_rows(r, &r->p->stage[s], &par[s], &inner[s], lanes);
    int64_t chunk = chunk_of(k, inner, rows), total = par[0].total;
    for (int64_t done = 0; done < total && !r->stopped; done += chunk) {
        int64_t points = total - done < chunk ? total - done : chunk;
        for (int s = 0; s < stages && !r->stopped; s++) { /* nothing reads what was not made */
            r->rows = rows[s];
            (rows[s] ? run_rows : run_columns)(r, &r->p->stage[s], &par[s], &inner[s], points);
        }
    }
}

static void interpret_many_stages(run *r, int lanes)
{
    knk_nest par[MOST_STAGES], inner[MOST_STAGES];
    uint8_t rows[MOST_STAGES];
    interpret(r, par, inner, rows, lanes);
}

static const struct knk_prepared *prepared_of(const knk_kernel *k)
{
    return atomic_load_explicit(&k->prepared, memory_order_acquire);
}

size_t knk_scratch_bytes(const knk_kernel *k) { return prepared_of(k)->scratch_bytes; }

knx_error *knk_interpret_with(const knk_kernel *k, const knk_launch *launch, void *scratch, int lanes)
{
    const struct knk_prepared *p = prepared_of(k);
    if (!k->n_stage)
        return NULL;
    run r = {.k = k, .p = p, .launch = launch, .scratch = scratch, .left = KNH_INTERP_ASKING};
    r.value = (void *)(r.scratch + p->values_at);
    r.taken = (void *)(r.scratch + p->taken_at);
    r.map = (void *)(r.scratch + p->maps_at);
    r.seg.length = (void *)(r.scratch + p->segments_at);
    r.seg.carry = r.seg.length + KNK_BLOCK + 8;
    if (k->n_stage > 4) {
        interpret_many_stages(&r, lanes);
    } else {
        knk_nest par[4], inner[4];
        uint8_t rows[4];
        interpret(&r, par, inner, rows, lanes);
    }
    return r.stopped ? knx_take_stop() : NULL;
}

knx_error *knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch)
{
    return knk_interpret_with(k, launch, scratch, KNK_LANES_AUTO);
}

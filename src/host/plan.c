/* SPDX-License-Identifier: Apache-2.0
 * plan.c -- from a launch to its plan: joined axes, the pass of each stage, boxes of points, the stage functions. It
 * depends on extents and strides, not on addresses, and allocates nothing. */
#include "host/drive.h"
#include "base/line.h"
#include <stdlib.h>
#include <string.h>

knh_tuning knh_tune = KNH_USUAL_TUNING;

enum {
    MOST_BOXES = 64,
    CACHE_BYTES = 256 * 1024,
    LEAST_COLUMNS = 512,
    TURNED_BYTES = 256 /* of lanes and of rows: tiles that are turned share few lines of the caches */
};

static void *take(char **room, size_t bytes)
{
    void *p = *room;
    *room += knh_aligned(bytes);
    return p;
}

/* Loops, joined. The stride of an axis is that of its innermost loop. */
typedef struct axes {
    int n;
    uint8_t loop[KNK_MAX_LOOPS];
    int64_t extent[KNK_MAX_LOOPS];
} axes;

static bool continues(const knk_kernel *k, const knk_launch *l, int stage, int outer, int inner, int64_t extent)
{
    for (int m = 0; m < k->n_map; m++)
        if ((stage < 0 || k->map[m].stage == stage) && l->map[m].stride[outer] != l->map[m].stride[inner] * extent)
            return false;
    return true;
}

/* The longest distance that a loop goes in any map: loops without an order of their own are sorted by it, so that
 * those which can be joined meet. */
static int64_t distance(const knk_kernel *k, const knk_launch *l, int stage, int loop)
{
    int64_t most = 0;
    for (int m = 0; m < k->n_map; m++)
        if (stage < 0 || k->map[m].stage == stage) {
            int64_t s = l->map[m].stride[loop];
            s = s < 0 ? -s : s;
            most = s > most ? s : most;
        }
    return most;
}

/* The loops of more than one turn, those that go farthest first; their number. */
static int sort_loops(uint8_t *loop, const knk_kernel *k, const knk_launch *l, int stage, int first, int n,
                      const int64_t *extent, bool ordered)
{
    int64_t far[KNK_MAX_LOOPS];
    int count = 0;
    for (int d = 0; d < n; d++)
        if (extent[d] != 1)
            loop[count++] = (uint8_t)d;
    for (int done = 0; done < count && count > 1 && !ordered; done++) {
        uint8_t d = loop[done];
        int64_t x = distance(k, l, stage, first + d);
        int i = done;
        for (; i && far[i - 1] < x; i--) {
            far[i] = far[i - 1];
            loop[i] = loop[i - 1];
        }
        far[i] = x;
        loop[i] = d;
    }
    return count;
}

static KNX_HOT void join_axes(axes *a, const knk_kernel *k, const knk_launch *l, int stage, int first, int n,
                              const int64_t *extent, bool ordered)
{
    uint8_t loop[KNK_MAX_LOOPS];
    int count = sort_loops(loop, k, l, stage, first, n, extent, ordered);
    a->n = 0;
    for (int i = 0; i < count; i++) {
        int d = loop[i];
        if (a->n && continues(k, l, stage, a->loop[a->n - 1], first + d, extent[d])) {
            a->extent[a->n - 1] *= extent[d];
        } else {
            a->extent[a->n++] = extent[d];
        }
        a->loop[a->n - 1] = (uint8_t)(first + d);
    }
}

static bool has_zero(const int64_t *extent, int n)
{
    for (int d = 0; d < n; d++)
        if (!extent[d])
            return true;
    return false;
}

/* Strides of memory and numbers; those of values come when the boxes are known. */
static void fill_strides(knh_pass *ps, const knk_launch *l, const axes *par, const axes *inner, char **room)
{
    const knh_stage_facts *f = ps->facts;
    int64_t *stride = take(room, (size_t)f->n_stream * (size_t)ps->n_axis * sizeof *stride),
            *offset = take(room, (size_t)f->n_stream * sizeof *offset);
    for (int i = 0; i < f->n_stream; i++) {
        const knh_stream *s = &f->stream[i];
        int64_t unit = s->kind == KNH_MEMORY ? knk_size(s->dtype) : 1;
        offset[i] = s->map >= 0 ? l->map[s->map].offset * unit : 0;
        for (int a = 0; a < ps->n_axis; a++) {
            int64_t *to = &stride[i * ps->n_axis + a];
            if (s->map < 0)
                *to = 0;
            else if (a < par->n)
                *to = l->map[s->map].stride[par->loop[a]] * unit;
            else /* an inner loop of one element is adjacent to itself */
                *to = a - par->n < inner->n ? l->map[s->map].stride[inner->loop[a - par->n]] * unit : unit;
        }
    }
    ps->stride = stride;
    ps->offset = offset;
}

/* Extents of the stage's loops, and what their turns add to each stream. */
static void fill_loops(knh_pass *ps, const knk_kernel *k, int stage, const knk_launch *l, char **room)
{
    const knh_stage_facts *f = ps->facts;
    int64_t *word = take(room, (size_t)(f->n_stream + 1) * (size_t)f->n_loop * sizeof *word);
    size_t base = knh_loop_word(f->n_stream, f->n_loop, -1, 0);
    for (int d = 0; d < f->n_loop; d++)
        word[d] = l->inner[stage][k->stage[stage].n_inner + d];
    for (int i = 0; i < f->n_stream; i++)
        for (int d = 0; d < f->n_loop; d++) {
            const knh_stream *s = &f->stream[i];
            int64_t unit = s->kind == KNH_MEMORY ? knk_size(s->dtype) : 1;
            int64_t stride = s->map < 0 ? 0 : l->map[s->map].stride[k->n_par + k->stage[stage].n_inner + d];
            word[knh_loop_word(f->n_stream, f->n_loop, i, d) - base] = stride * unit;
        }
    ps->loop = word;
}

/* Of a point, once through the inner loops. */
static double turn_ns(const knh_stage_facts *f) { return f->cost + 0.04 * f->point_bytes; }

static void plan_pass(knh_pass *ps, const knk_kernel *k, int stage, const knk_launch *l, const knh_stage_facts *facts,
                      const axes *par, char **room)
{
    const knk_stage *st = &k->stage[stage];
    axes inner;
    inner.n = 0;
    const int64_t *extents = st->n_inner ? l->inner[stage] : NULL;
    bool none = st->n_inner && has_zero(extents, st->n_inner);
    if (st->n_inner && !none)
        join_axes(&inner, k, l, stage, k->n_par, st->n_inner, extents, facts->n_reduction > 0);
    ps->facts = facts;
    ps->n_axis = par->n + (st->n_inner ? inner.n ? inner.n : 1 : 0);
    int64_t *extent = take(room, (size_t)(ps->n_axis + 1) * sizeof *extent);
    ps->inner_total = 1;
    for (int a = 0; a < ps->n_axis; a++) {
        extent[a] = a < par->n ? par->extent[a] : none ? 0 : inner.n ? inner.extent[a - par->n] : 1;
        if (a >= par->n)
            ps->inner_total *= extent[a];
    }
    ps->extent = extent;
    fill_strides(ps, l, par, &inner, room);
    fill_loops(ps, k, stage, l, room);
    uint8_t *turned = take(room, (size_t)facts->n_stream + 1), *other = take(room, (size_t)ps->n_axis + 1);
    memset(turned, 0, (size_t)facts->n_stream);
    ps->turned = turned;
    ps->other = other;
    knh_choose(ps, st, par->n, other, turned);
    ps->point_ns = (double)ps->inner_total * turn_ns(facts) + knh_turns_cost(facts, ps->loop);
}

/* The axis along which values lie adjacently: the lanes of the pass that costs most, if they run along one. */
static int main_axis(const knh_prepared *p)
{
    double most = -1;
    int axis = p->n_par - 1;
    for (int s = 0; s < p->k->n_stage; s++) {
        const knh_pass *ps = &p->pass[s];
        int a = ps->lane >= 0 && ps->lane < p->n_par ? ps->lane : ps->row;
        if (a >= 0 && a < p->n_par && ps->point_ns > most) {
            most = ps->point_ns;
            axis = a;
        }
    }
    return axis;
}

static int64_t product_of(const int64_t *extent, int n)
{
    int64_t points = 1;
    for (int a = 0; a < n; a++)
        points *= extent[a];
    return points;
}

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* What a box has at least of each axis: if tiles of the stage that costs most are turned, whole ones. The product. */
static int64_t least_box(const knh_prepared *p, int64_t *least)
{
    double most = -1;
    for (int a = 0; a < p->n_par; a++)
        least[a] = 1;
    for (int s = 0; s < p->k->n_stage; s++) {
        const knh_pass *ps = &p->pass[s];
        int64_t n = 0;
        for (int i = 0; i < ps->facts->n_stream; i++) {
            int64_t line = TURNED_BYTES / knk_size(ps->facts->stream[i].dtype);
            line = line < KNH_TILE ? KNH_TILE : line;
            n = ps->turned[i] == KNH_TRANSPOSED && line > n ? line : n;
        }
        if (!n || ps->row >= p->n_par || ps->lane >= p->n_par || ps->point_ns <= most)
            continue;
        most = ps->point_ns;
        for (int a = 0; a < p->n_par; a++)
            least[a] = a != ps->row && a != ps->lane ? 1 : n < p->par[a] ? n : p->par[a];
    }
    return product_of(least, p->n_par);
}

/* At most so many points per box: what the values' areas hold; what stays in a cache, if stages read the same memory
 * again; and what gives threads enough parts. */
static int64_t most_points(const knh_prepared *p, int64_t least)
{
    int64_t most = INT64_MAX;
    double bytes = 0, point_ns = 0;
    int loops = 0;
    for (int s = 0; s < p->k->n_stage; s++) {
        const knh_pass *ps = &p->pass[s];
        double mine = 0;
        for (int i = 0; i < ps->facts->n_stream; i++)
            mine += (double)ps->inner_total * knk_size(ps->facts->stream[i].dtype);
        bytes = mine > bytes ? mine : bytes;
        loops += p->k->stage[s].n_inner > 0;
        point_ns += ps->point_ns;
        if (ps->mode == KNH_COLUMNS)
            least = greater(least, ps->facts->width < LEAST_COLUMNS ? ps->facts->width : LEAST_COLUMNS);
        else if (ps->mode == KNH_POINTS)
            least = greater(least, 64);
    }
    double target = p->ns / MOST_BOXES;
    target = target < knh_tune.split_ns ? knh_tune.split_ns : target;
    if (point_ns > 0 && target / point_ns < 1e15)
        most = (int64_t)(target / point_ns);
    if (loops > 1 && CACHE_BYTES / (bytes + 1) < (double)most)
        most = (int64_t)(CACHE_BYTES / (bytes + 1));
    most = most < least ? least : most;
    if (knh_tune.points && most > knh_tune.points)
        most = knh_tune.points;
    return p->facts->points && most > p->facts->points ? p->facts->points : most;
}

/* Cuts an extent into even parts of at most `most`, multiples of 64 where that is fine enough. */
static int64_t cut(int64_t extent, int64_t most)
{
    if (extent <= most)
        return extent;
    int64_t parts = (extent + most - 1) / most, even = (extent + parts - 1) / parts;
    int64_t round = (even + 63) / 64 * 64;
    return round <= most ? round : most >= 64 ? most / 64 * 64 : even;
}

/* Few points with much to do each: their loops are cut over the threads, stage after stage. */
static bool is_wide(const knh_prepared *p)
{
    bool cuttable = false;
    for (int s = 0; s < p->k->n_stage; s++)
        cuttable |= p->k->stage[s].n_inner && p->pass[s].inner_total > KNK_SUM_BLOCK;
    if (!cuttable || !knh_tune.wide || p->points > KNH_GROUP_VALUES / 2 ||
        (p->facts->points && p->points > p->facts->points))
        return false;
    return knh_tune.wide == 1 || (p->n_boxes < 16 && p->ns > 4 * knh_tune.split_ns);
}

/* The main axis first, then from the innermost to the outermost; what another one needs at least is left for it. */
static void plan_boxes(knh_prepared *p, char **room)
{
    int64_t *box = take(room, (size_t)(p->n_par + 1) * sizeof *box),
            *dense = take(room, (size_t)(p->n_par + 1) * sizeof *dense);
    int64_t least[KNK_MAX_LOOPS], whole = least_box(p, least), most = most_points(p, whole), size = 1, boxes = 1;
    int order[KNK_MAX_LOOPS], n = 0, first = main_axis(p);
    for (; whole > most; whole = product_of(least, p->n_par))
        for (int a = 0; a < p->n_par; a++)
            least[a] = (least[a] + 1) / 2;
    int64_t left = most / whole;
    if (p->n_par)
        order[n++] = first;
    for (int a = p->n_par - 1; a >= 0; a--)
        if (a != first)
            order[n++] = a;
    for (int i = 0; i < n; i++) {
        int a = order[i];
        int64_t room_here = left * least[a];
        box[a] = cut(p->par[a], room_here);
        left = room_here / box[a] < 1 ? 1 : room_here / box[a];
        boxes *= (p->par[a] + box[a] - 1) / box[a];
    }
    p->box = box;
    p->dense = dense;
    p->n_boxes = boxes;
    p->wide = is_wide(p);
    for (int i = 0; i < n; i++) {
        dense[order[i]] = size;
        size *= p->wide ? p->par[order[i]] : box[order[i]];
    }
}

static void place_values(const knh_prepared *p, knh_pass *ps)
{
    int64_t *stride = (int64_t *)(uintptr_t)ps->stride;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        for (int a = 0; s->kind >= KNH_IMPORT && a < ps->n_axis; a++)
            stride[i * ps->n_axis + a] = a < p->n_par ? p->dense[a] * knk_size(s->dtype) : 0;
    }
}

static void find_classes(const knh_pass *ps, uint8_t *cls)
{
    const knh_stage_facts *f = ps->facts;
    for (int i = 0; i < f->n_stream; i++) {
        const knh_stream *s = &f->stream[i];
        int64_t unit = s->kind == KNH_NUMBER ? 1 : knk_size(s->dtype),
                step = ps->lane >= 0 ? ps->stride[i * ps->n_axis + ps->lane]
                       : f->n_loop   ? 0
                                     : unit; /* one point */
        cls[i] = ps->turned[i] || step == unit ? KNK_STRIDE_ONE : step == 0 ? KNK_STRIDE_ZERO : KNK_STRIDE_ANY;
        if (s->kind == KNH_MEMORY && !ps->turned[i] && knh_is_near(step, (int)unit) && ps->generator->near_steps)
            cls[i] = knh_near_class(step / unit);
    }
    for (int i = 0; i < f->n_reduction; i++)
        cls[f->reduction[i].stream] = ps->mode == KNH_ROWS ? KNK_STRIDE_ZERO : KNK_STRIDE_ONE;
}

static bool reads_buffer(const knh_stage_facts *f, int buffer)
{
    for (int i = 0; i < f->n_stream; i++)
        if (f->stream[i].kind == KNH_MEMORY && f->stream[i].read && f->stream[i].buffer == buffer)
            return true;
    return false;
}

/* Would what the pass writes push other things out of the caches? */
static bool is_large(const knh_prepared *p, const knh_pass *ps)
{
    const knh_stage_facts *f = ps->facts;
    double bytes = 0;
    bool writes = false;
    if (!ps->generator->flush || f->n_reduction || f->n_loop || f->read_after || ps - p->pass >= 64)
        return false;
    if (f->point_bytes * (double)p->points * (double)ps->inner_total < (double)knh_tune.bypass_bytes)
        return false; /* not even if no element were touched twice */
    for (int i = 0; i < f->n_stream; i++) {
        const knh_stream *s = &f->stream[i];
        double mine = knk_size(s->dtype);
        if (s->kind != KNH_MEMORY)
            continue;
        for (int a = 0; a < ps->n_axis; a++)
            mine *= ps->stride[i * ps->n_axis + a] ? (double)ps->extent[a] : 1;
        bytes += mine;
        writes |= s->written;
        if (s->written && reads_buffer(f, s->buffer)) /* it is in the caches already */
            return false;
    }
    return writes && bytes >= (double)knh_tune.bypass_bytes;
}

/* Are all stores of the stage function whole lines of a cache, if buffers begin at one? */
static bool writes_lines(const knh_prepared *p, const knh_pass *ps, const uint8_t *cls)
{
    bool writes = false;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        if (s->kind != KNH_MEMORY || !s->written)
            continue;
        bool even = ps->offset[i] % 64 == 0;
        for (int a = 0; a < ps->n_axis; a++) {
            int64_t step = ps->stride[i * ps->n_axis + a];
            if (a == ps->row && ps->repeats) /* rows that are joined; a box begins at one of them */
                even &= ps->repeats * step % 64 == 0 && (p->box[a] == p->par[a] || p->box[a] * step % 64 == 0);
            else
                even &= a == ps->lane || step % 64 == 0;
        }
        if (ps->turned[i] || (cls[i] == KNK_STRIDE_ONE && !even))
            return false;
        writes |= cls[i] == KNK_STRIDE_ONE;
    }
    int a = ps->lane;
    if (ps->repeats && p->box[a] != p->par[a]) /* then rows are not joined */
        return false;
    return writes && (a >= p->n_par || a < 0 || p->box[a] == p->par[a] || p->box[a] % 64 == 0);
}

/* The functions, made now if they are not there. */
static bool find_functions(const knh_prepared *p, knh_pass *ps, int stage, knh_batch *batch)
{
    uint8_t cls[KNH_MAX_STREAMS];
    ps->large = is_large(p, ps);
    if (ps->runner == KNH_BY_TURNING)
        return true;
    if (ps->generator->leaves_copies && knh_find_copy(ps))
        return true;
    find_classes(ps, cls);
    knh_request r = {.kernel = p->k, .stage = stage, .mode = ps->mode, .cls = cls};
    knh_facts *facts = (knh_facts *)(uintptr_t)p->facts;
    ps->f = knh_function_for(ps->generator, p->k, facts, &r, batch);
    r.nontemporal = true;
    ps->nontemporal =
        ps->f && ps->large && writes_lines(p, ps, cls) ? knh_function_for(ps->generator, p->k, facts, &r, batch) : NULL;
    return ps->f != NULL;
}

/* One call of one function: its words but for the addresses. */
static void plan_call(knh_prepared *p, char **room)
{
    const knh_pass *ps = p->pass;
    bool turned = p->k->n_stage == 1 && ps->runner == KNH_BY_TURNING;
    if (p->k->n_stage != 1 || turned || ps->mode != KNH_POINTS || ps->n_other ||
        ps->facts->n_stream > KNH_SIMPLE_STREAMS || ps->facts->n_loop > KNH_SIMPLE_LOOPS)
        return;
    for (int i = 0; i < ps->facts->n_stream; i++)
        turned |= ps->turned[i];
    if (turned)
        return;
    p->call = take(room, sizeof(knh_args) + KNH_SIMPLE_STREAMS * sizeof(knh_words));
    *p->call = (knh_args){.rows = ps->row < 0 ? 1 : ps->extent[ps->row], .n = ps->lane < 0 ? 1 : ps->extent[ps->lane]};
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        const int64_t *stride = &ps->stride[i * ps->n_axis];
        p->buffer[i] = s->kind == KNH_MEMORY ? s->buffer : -1;
        p->call->stream[i] = (knh_words){ps->offset[i], ps->row < 0 ? 0 : stride[ps->row],
                                         ps->lane >= 0           ? stride[ps->lane]
                                         : s->kind == KNH_NUMBER ? 1
                                                                 : knk_size(s->dtype)};
    }
    p->simple = true;
}

/* At most one axis in one box: knh_plan_again knows what was decided by its extent. */
static bool is_plain(const knh_prepared *p)
{
    bool plain = p->n_boxes == 1 && !p->wide;
    for (int s = 0; plain && s < p->k->n_stage; s++) {
        const knh_pass *ps = &p->pass[s];
        plain = ps->n_axis <= 1 && (!ps->n_axis || ps->extent[0] > 1) && !ps->facts->n_loop &&
                !ps->facts->copies_pairs && !ps->large;
    }
    return plain;
}

KNX_HOT bool knh_plan(const knh_generator *g, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                      void *room_, knh_prepared **out)
{
    char *room = room_;
    knh_prepared *p = take(&room, sizeof *p);
    *p = (knh_prepared){.k = k, .facts = knh_facts_of(k), .points = 1};
    *out = p;
    if (!p->facts)
        return false;
    p->turns = knh_tune.turns && p->facts->turns ? knh_tune.turns : p->facts->turns;
    if (!k->n_stage || has_zero(launch->par, k->n_par)) {
        p->empty = true;
        return true;
    }
    axes par;
    join_axes(&par, k, launch, -1, 0, k->n_par, launch->par, false);
    int64_t *extent = take(&room, (size_t)(par.n + 1) * sizeof *extent);
    memcpy(extent, par.extent, (size_t)par.n * sizeof *extent);
    p->n_par = par.n;
    p->par = extent;
    knh_pass *pass = take(&room, (size_t)k->n_stage * sizeof *pass);
    memset(pass, 0, (size_t)k->n_stage * sizeof *pass);
    p->pass = pass;
    for (int a = 0; a < par.n; a++)
        p->points *= par.extent[a];
    for (int s = 0; s < k->n_stage; s++) {
        pass[s].generator = g;
        plan_pass(&pass[s], k, s, launch, &p->facts->stage[s], &par, &room);
        p->ns += pass[s].point_ns * (double)p->points;
    }
    plan_boxes(p, &room);
    for (int s = 0; s < k->n_stage; s++) {
        place_values(p, &pass[s]);
        if (!find_functions(p, &pass[s], s, batch))
            return false;
    }
    plan_call(p, &room);
    p->plain = is_plain(p);
    return true;
}

/* ---- The same plan with other numbers. */

/* Is what was decided by the extents right for an axis of n points, too? */
static bool suits(const knh_prepared *p, const knh_pass *ps, int64_t n)
{
    bool few = ps->facts->point_bytes * (double)n < (double)knh_tune.bypass_bytes; /* then ps->large is false */
    if (!few || (ps->n_axis && n < 2))
        return false;
    return p->n_par ? !p->facts->points || n <= p->facts->points
                    : (n > KNK_SUM_BLOCK) == (ps->inner_total > KNK_SUM_BLOCK);
}

/* Do the streams go by the same steps along this loop (-1: there is none)? Then they begin at the launch's offsets. */
static bool move_streams(const knh_pass *ps, const knk_launch *l, int loop)
{
    int64_t *offset = (int64_t *)(uintptr_t)ps->offset;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = &ps->facts->stream[i];
        if (s->kind >= KNH_IMPORT || s->map < 0)
            continue;
        int64_t unit = s->kind == KNH_MEMORY ? knk_size(s->dtype) : 1;
        if (loop >= 0 && ps->stride[i] != l->map[s->map].stride[loop] * unit)
            return false;
        offset[i] = l->map[s->map].offset * unit;
    }
    return true;
}

static bool plan_pass_again(const knh_prepared *p, int stage, const knk_launch *l, const axes *par)
{
    const knk_stage *st = &p->k->stage[stage];
    knh_pass *ps = (knh_pass *)(uintptr_t)&p->pass[stage];
    axes inner; /* of which the first n are set */
    inner.n = 0;
    if (st->n_inner)
        join_axes(&inner, p->k, l, stage, p->k->n_par, st->n_inner, l->inner[stage], ps->facts->n_reduction > 0);
    if (par->n + inner.n != ps->n_axis)
        return false;
    int64_t n = par->n ? par->extent[0] : inner.n ? inner.extent[0] : 1;
    if (!suits(p, ps, n) || !move_streams(ps, l, par->n ? par->loop[0] : inner.n ? inner.loop[0] : -1))
        return false;
    if (ps->n_axis)
        *(int64_t *)(uintptr_t)ps->extent = n;
    if (!par->n) {
        ps->inner_total = n;
        ps->point_ns = (double)n * turn_ns(ps->facts);
    }
    return true;
}

static void fill_call(const knh_prepared *p)
{
    const knh_pass *ps = p->pass;
    p->call->n = ps->lane < 0 ? 1 : ps->extent[ps->lane];
    for (int i = 0; i < ps->facts->n_stream; i++)
        p->call->stream[i].at = ps->offset[i];
}

KNX_HOT bool knh_plan_again(const knh_generator *g, const knk_launch *l, knh_prepared *p)
{
    axes par;
    join_axes(&par, p->k, l, -1, 0, p->k->n_par, l->par, false);
    if (p->pass->generator != g || par.n != p->n_par || knh_tune.points)
        return false;
    p->points = par.n ? par.extent[0] : 1;
    p->ns = 0;
    for (int s = 0; s < p->k->n_stage; s++) {
        if (!plan_pass_again(p, s, l, &par))
            return false;
        p->ns += p->pass[s].point_ns * (double)p->points;
    }
    if (par.n)
        *(int64_t *)(uintptr_t)p->par = *(int64_t *)(uintptr_t)p->box = p->points;
    if (p->simple)
        fill_call(p);
    return p->ns <= (par.n ? 1 : 4) * knh_tune.split_ns; /* one box, and p->wide is false */
}

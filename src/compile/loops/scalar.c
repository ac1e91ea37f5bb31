/* SPDX-License-Identifier: Apache-2.0
 * scalar.c -- loops and branches as kernels: chooses the axes that become the kernel's parallel loops, over points, so
 * that the rest of each shape is small enough to be written out, a node for each element. */
#include "compile/loops/scalar.h"
#include "compile/loops/scope.h"
#include <string.h>

enum {
    MOST_MAPS = 400, /* maps of a kernel, each a stream of native code */
    /* A point goes through memory from row to row. That is slow where rows are long, do not all fit into the caches,
     * and an element needs little work (measured: up to 6 times as slow as one row after the other). */
    LONG_ROW = 16384,
    MANY_ELEMENTS = 4 << 20,
    LITTLE_WORK = 50, /* nodes for each input and output */
    /* nodes for each product, in a kernel of one point: a call costs as much (measured: 50 to 80 ns a turn) */
    LARGE_PRODUCT = 450
};

/* The equation's results as one turn has them: the types of carries, of elements of a scan's outputs, of a branch's
 * results; and which of them are read. */
typedef struct wanted {
    kni_type *type;
    bool *read;
    uint32_t n;
} wanted;

static bool find_wanted(kni_lower *l, const kni_eqn *e, wanted *w)
{
    knx_arena *a = &l->p->scratch;
    w->n = e->n_out;
    w->type = knx_arena_alloc(a, ((size_t)e->n_out + 1) * sizeof *w->type);
    w->read = knx_arena_alloc(a, (size_t)e->n_out + 1);
    const bool *read = knc_read(l->p);
    if (!w->type || !w->read || !read)
        return false;
    const kni_p_scan *scan = e->prim->loops == KN_LOOP_SCAN ? e->params : NULL;
    for (uint32_t i = 0; i < e->n_out; i++) {
        kni_type t = l->p->j->type[e->out + i];
        if (scan && i >= scan->num_carry)
            t = kni_out_type(scan->jaxpr, i);
        w->type[i] = t;
        w->read[i] = read[e->out + i];
    }
    return true;
}

static int64_t size_of(kni_type t) { return knx_dim_hint(kni_type_size(t)); }

/* The largest of these types: its first axes are tried as loops. */
static kni_type largest(const wanted *w)
{
    kni_type most = {0};
    for (uint32_t i = 0; i < w->n; i++)
        if (!i || size_of(w->type[i]) > size_of(most) ||
            (size_of(w->type[i]) == size_of(most) && w->type[i].ndim > most.ndim))
            most = w->type[i];
    return most;
}

static int64_t points_of(const kni_lower *l) { return knx_dim_size(l->n_par, l->extent); }

/* Is each result small enough at a point to be written out, and stored by one point only? */
static bool fits(kni_lower *l, const wanted *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        bool points = knc_has_points(l, w->type[i]);
        if (knc_count_written(l, w->type[i], points) < 0)
            knc_refuse(l, "a carry or result has more than %d elements at a point", KNC_MOST_ELEMENTS);
        else if (!points && w->read[i] && !knx_dim_same(points_of(l), 1))
            knc_refuse(l, "a result is the same for all points, and others are not");
    }
    return !l->failed;
}

static void begin(kni_lower *l)
{
    struct knc_points *s = l->points;
    knx_arena_reset(&l->arena);
    l->map.n = l->buffer.n = s->point.n = 0;
    if (s->table.n)
        memset(s->table.at, 0, s->table.n * sizeof *s->table.at);
    s->numbers = s->products = 0;
    s->open = l->n_turn = 0;
    s->asks = false;
    s->any = NULL;
    l->scope = NULL;
    l->waiting = false;
    l->failed = false;
}

static knx_error *build(kni_lower *l)
{
    begin(l);
    l->k = knk_new(l->n_loop);
    if (l->k && !knc_target_has(l->p->o->target, KN_ID_F64))
        knk_without_doubles(l->k);
    if (!l->k || !knc_begin_places(l))
        return knx_error_nomem();
    knc_start_stage(l, false);
    knc_run_outside(l);
    if (!l->failed && l->map.n > MOST_MAPS)
        knc_refuse(l, "it reads and writes more than %d elements at a point", MOST_MAPS);
    knx_error *error = l->points->error;
    l->points->error = NULL;
    return error ? error : l->failed && !l->points->why->length ? knx_error_nomem() : NULL;
}

/* a * b > limit? */
static bool is_more(int64_t a, int64_t b, int64_t limit)
{
    int64_t all;
    if (knx_any_symbolic(a, b))
        return knx_dim_lt(limit, knx_dim_product(a, b));
    return __builtin_mul_overflow(a, b, &all) || all > limit;
}

/* Is the scan faster turn by turn, which goes through memory one row after the other? */
static bool is_memory_bound(const kni_lower *l, const kni_p_scan *p, const knk_kernel *k)
{
    int64_t points = points_of(l), streams = 0;
    for (size_t m = 0; m < l->map.n; m++)
        streams += l->map.at[m].memory && l->map.at[m].coef[l->n_par];
    return streams && k->n_node < LITTLE_WORK * streams && knx_dim_le(LONG_ROW, points) &&
           is_more(points, p->length, MANY_ELEMENTS / streams);
}

/* Why the equation is better run turn by turn than as this kernel; NULL: it is not, or accepts the kernel alone. */
static const char *better_in_steps(const kni_lower *l, const knk_kernel *k)
{
    const kni_eqn *e = l->points->e;
    const kni_p_scan *scan = e->prim->loops == KN_LOOP_SCAN ? e->params : NULL;
    if (scan && scan->accept == KN_PATH_COMPILED)
        return NULL;
    if (scan && is_memory_bound(l, scan, k))
        return "long inputs or outputs, with little to do for each element, go step by step";
    uint32_t n = l->points->products;
    return n && knx_dim_same(points_of(l), 1) && k->n_node / n > LARGE_PRODUCT
               ? "its products are large enough for calls"
               : NULL;
}

/* Tries to make a kernel with these axes as loops; *kernel stays NULL if that fails, for the reason l->points->why. */
static knx_error *attempt(kni_lower *l, knk_kernel **kernel)
{
    *l->points->why = (knx_text){0};
    knc_natural_loops(l);
    knx_error *error = build(l);
    if (!error && !l->failed && knc_shape_loops(l)) {
        knk_delete(l->k);
        error = build(l);
    }
    if (error || l->failed) {
        knk_delete(l->k);
        l->k = NULL;
        return error;
    }
    error = knk_finish(l->k, kernel);
    l->k = NULL;
    if (error && error->kind == KN_ERROR_VALUE) { /* the kernel is not valid: the loop runs in another way */
        knx_text_add(l->points->why, "%s", error->message);
        knx_error_release(error);
        error = NULL;
    }
    const char *steps = *kernel ? better_in_steps(l, *kernel) : NULL;
    if (steps) {
        knx_text_add(l->points->why, "%s", steps);
        knk_release(*kernel);
        *kernel = NULL;
    }
    return error;
}

static knx_error *try_axes(kni_lower *l, const kni_eqn *e, knk_kernel **kernel)
{
    wanted w;
    knx_text why = {0};
    if (!find_wanted(l, e, &w))
        return knx_error_nomem();
    kni_type most = largest(&w);
    int axes = most.ndim < KNK_MAX_LOOPS - KNC_MAX_TURNS ? most.ndim : KNK_MAX_LOOPS - KNC_MAX_TURNS;
    for (l->n_par = axes; l->n_par >= 0 && !*kernel; l->n_par--) {
        KN_KNOWN(!l->n_par || most.dim);
        for (int d = 0; d < l->n_par; d++)
            l->extent[d] = most.dim[d];
        l->failed = false;
        *l->points->why = (knx_text){0};
        if (fits(l, &w))
            KN_TRY(attempt(l, kernel));
        else if (why.length) /* the reason found with more axes says more */
            continue;
        if (*kernel) /* n_par stays: the launch's numbers are those of so many axes */
            return NULL;
        if (l->points->why->length)
            why = *l->points->why;
    }
    *l->points->why = why;
    return NULL;
}

static bool note_numbers(kni_lower *l, knc_scalar *out)
{
    uint32_t *buffer = knx_arena_alloc(&l->p->p->arena, (l->buffer.n + 1) * sizeof *buffer);
    if (!buffer || !knc_launch_numbers(l, l->points->turn, &out->map, &out->par, &out->inner))
        return false;
    for (size_t b = 0; b < l->buffer.n; b++)
        buffer[b] = l->buffer.at[b].slot;
    out->buffer = buffer;
    out->n_buffer = (int)l->buffer.n;
    return true;
}

knx_error *knc_scalar_kernel(knc_plan *p, const kni_eqn *e, knc_scalar *out)
{
    *out = (knc_scalar){0};
    kni_lower *l = knx_alloc_zero(sizeof *l);
    struct knc_points *s = knx_alloc_zero(sizeof *s);
    knx_error *error = l && s ? NULL : knx_error_nomem();
    if (!error) {
        l->p = p;
        l->j = p->j;
        l->points = s;
        l->rules = &knc_scopes;
        l->turn_room = KNC_MAX_TURNS;
        s->e = e;
        s->why = &out->why;
        error = try_axes(l, e, &out->kernel);
    }
    if (!error && out->kernel && !note_numbers(l, out)) {
        knk_release(out->kernel);
        out->kernel = NULL;
        error = knx_error_nomem();
    }
    for (size_t i = 0; s && i < s->passed.n; i++) {
        kni_release(s->passed.at[i].j);
        knx_free(s->passed.at[i].maker);
    }
    if (s) {
        KN_VEC_FREE(&s->passed);
        KN_VEC_FREE(&s->point);
        KN_VEC_FREE(&s->table);
    }
    knx_free(s);
    if (l)
        knc_free_lower(l);
    return error;
}

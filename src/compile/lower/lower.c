/* SPDX-License-Identifier: Apache-2.0
 * lower.c -- makes the steps of a program, in no order yet: a kernel of each group of equations, a call of each
 * routine. */
#include "compile/group/lowering.h"
#include <string.h>

/* Elements of a row: of any, of one whose elements lie across the lanes and that has so many times as many neighbours;
 * values at positions. */
enum { SHORT_ROW = 8, SHORT_COLUMN = 64, COLUMNS = 16, MOST_WRITTEN_OUT = 160 };

int64_t knc_short_rows = 64;

/* The elements of a row, if they are few and the rows many; else 0. A column goes along other axes than the last one,
 * where elements of a row usually lie side by side. */
static int short_row(const knc_group *g)
{
    int64_t n = 1, rows = kni_type_size(g->par);
    bool column = g->axes.n && g->axes.v[g->axes.n - 1] != g->inner.ndim - 1 &&
                  (knx_is_symbolic(rows) || rows >= COLUMNS * knc_short_rows);
    int64_t most = column ? SHORT_COLUMN : SHORT_ROW;
    if (!knx_is_symbolic(rows) && rows < knc_short_rows)
        return 0;
    for (int k = 0; k < g->axes.n; k++) {
        int64_t extent = g->inner.dim[g->axes.v[k]];
        if (knx_is_symbolic(extent) || extent < 1 || extent > most)
            return 0;
        n *= extent;
        if (n > most)
            return 0;
    }
    return n > 1 && !g->puts ? (int)n : 0;
}

/* written_out: a short row's elements, instead of loops over them. */
static void natural_extents(kni_lower *l, bool written_out)
{
    const knc_group *g = l->g;
    bool rows = knc_has_rows(g);
    l->n_par = g->par.ndim;
    l->n_element = rows && written_out ? short_row(g) : 0;
    l->n_inner = rows && !l->n_element ? g->axes.n : 0;
    l->element = 0;
    l->n_row_loop = l->n_full_loop = 0;
    for (int d = 0; d < l->n_par; d++) {
        l->extent[d] = g->par.dim[d];
        if (g->par.dim[d] != 1)
            l->row_loop[l->n_row_loop++] = (uint8_t)d;
    }
    for (int d = 0, kept = 0, joined = 0; rows && d < g->inner.ndim; d++) {
        bool is_joined = joined < g->axes.n && g->axes.v[joined] == d;
        int loop = is_joined ? l->n_par + joined++ : kept++;
        l->extent[loop] = g->inner.dim[d];
        if (g->inner.dim[d] != 1)
            l->full_loop[l->n_full_loop++] = (uint8_t)loop;
    }
}

/* Gives stored values their loops and passes, which are known now that the group is complete; returns the number of
 * the first pass (they are counted from the last one, 0). */
static int settle(kni_lower *l)
{
    knc_plan *p = l->p;
    int first = 0;
    for (uint32_t v = l->g->first_store; v != KNC_NO; v = p->value[v].next) {
        knc_value *x = &p->value[v];
        if (x->loops == KNC_LOOPS_OPEN)
            x->loops = (uint8_t)knc_base_of(p, x->group, &x->stage);
        first = x->stage > first ? x->stage : first;
    }
    for (uint32_t v = l->g->first_reduce; v != KNC_NO; v = p->value[v].next_reduce)
        first = p->value[v].stage + 1 > first ? p->value[v].stage + 1 : first;
    for (uint32_t r = l->g->first_row; r != KNC_NO; r = p->row.at[r].next)
        first = p->row.at[r].stage > first ? p->row.at[r].stage : first;
    return first;
}

/* Which element of a row that is written out is evaluated from here on; they are numbered in C order. */
static void choose_element(kni_lower *l, int element)
{
    l->element = element;
    for (int k = l->g->axes.n - 1; k >= 0; k--) {
        l->digit[k] = element % (int)l->extent[l->n_par + k];
        element /= (int)l->extent[l->n_par + k];
    }
}

/* A stage of a kernel: over rows that are written out there is but one. */
static void start_stage(kni_lower *l, bool in_rows)
{
    if (!l->n_element)
        knc_start_stage(l, in_rows);
}

static bool stores_here(const kni_lower *l, uint32_t var, bool elements)
{
    const knc_value *v = &l->p->value[var];
    return (v->loops == KNC_LOOPS_FULL) == elements && v->stage == l->pass;
}

/* A value that the kernel stores is evaluated, and stored. */
static void lower_store(kni_lower *l, uint32_t v, bool store)
{
    bool put = l->p->value[v].put;
    const knc_point *at = knc_home_of(l, l->p->value[v].loops, knc_stored_type(l->p, v));
    kni_pair x;
    if (put || !knc_filled(l, v, &x))
        x = knc_evaluate(l, put ? l->p->j->eqn[l->p->value[v].eqn].in[1] : v, at);
    if (store)
        (put ? knc_put_value : knc_store_value)(l, v, at, x);
}

/* Is it read by later passes of this kernel alone? Where rows are written out they have it in registers. */
static bool is_handed_on(const kni_lower *l, uint32_t var)
{
    const knc_value *v = &l->p->value[var];
    return l->n_element && v->joined && v->why == KNC_BECAUSE_PASSES;
}

/* The values that a pass stores. */
static void lower_values(kni_lower *l, bool elements, bool store)
{
    for (uint32_t v = l->g->first_store; v != KNC_NO && !l->failed; v = l->p->value[v].next)
        for (int i = 0; stores_here(l, v, elements) && i < (elements && l->n_element ? l->n_element : 1); i++) {
            if (elements && l->n_element)
                choose_element(l, i);
            lower_store(l, v, store && !is_handed_on(l, v));
        }
}

/* The stores of one stage. All values are evaluated before the first store, since a store may write over an element
 * that a load reads. Where rows are written out, the stores of all passes are the end of the kernel. */
static void lower_stores(kni_lower *l, bool elements)
{
    lower_values(l, elements, false);
    if (!l->n_element)
        lower_values(l, elements, true);
}

/* The stage over rows (or points) at the beginning of a pass: from here on the results of the reductions of the pass
 * before are known, and so are other values of which each row has one. */
static void lower_points(kni_lower *l)
{
    const knc_group *g = l->g;
    bool stage = false;
    for (uint32_t v = g->first_store; v != KNC_NO && !stage; v = l->p->value[v].next)
        stage = stores_here(l, v, false);
    for (uint32_t r = g->first_row; r != KNC_NO && !stage; r = l->p->row.at[r].next)
        stage = l->p->row.at[r].stage == l->pass;
    for (uint32_t v = g->first_reduce; v != KNC_NO && !stage; v = l->p->value[v].next_reduce)
        /* a 16-bit float, to be rounded */
        stage = l->p->value[v].stage == l->pass && l->p->j->type[v].dtype->size == 2;
    if (stage)
        start_stage(l, false);
    const kni_pair *joined = l->joined;
    for (uint32_t v = g->first_reduce; v != KNC_NO && !l->failed; v = l->p->value[v].next_reduce, joined++) {
        kni_type t = l->p->j->type[v];
        if (l->p->value[v].stage == l->pass)
            knc_remember(l, v, knc_home_of(l, KNC_LOOPS_ROWS, t), knc_round(l, t.dtype, *joined));
    }
    for (uint32_t r = g->first_row; r != KNC_NO && !l->failed; r = l->p->row.at[r].next) {
        uint32_t v = l->p->row.at[r].var;
        if (l->p->row.at[r].stage == l->pass)
            knc_evaluate(l, v, knc_home_of(l, KNC_LOOPS_ROWS, l->p->j->type[v]));
    }
    if (stage)
        lower_stores(l, false);
    l->in_rows = false;
    knc_end_stage(l);
}

/* A reduction over the elements of the rows. */
static kni_pair join(kni_lower *l, const kni_eqn *e)
{
    knk_reduction how = e->prim->reduction->how;
    kni_pair x[SHORT_COLUMN], y = {KNK_NONE, KNK_NONE};
    for (int i = 0; i < l->n_element; i++) {
        choose_element(l, i);
        x[i] = knc_evaluate(l, e->in[0], knc_home_of(l, KNC_LOOPS_FULL, l->g->inner));
    }
    if (l->n_element <= 0)
        x[0] = knc_evaluate(l, e->in[0], knc_home_of(l, KNC_LOOPS_FULL, l->g->inner));
    if (l->failed)
        return y;
    for (int part = 0; part < (x[0].im < 0 ? 1 : 2); part++)
        *(part ? &y.im : &y.re) = l->n_element ? knc_join_values(l, how, l->n_element, x, part)
                                               : knk_reduce(l->k, how, part ? x[0].im : x[0].re);
    return y;
}

/* The stage of a pass over the elements of the rows: its reductions, and its stores of elements. */
static void lower_elements(kni_lower *l)
{
    const knc_group *g = l->g;
    bool stage = false;
    for (uint32_t v = g->first_store; v != KNC_NO && !stage; v = l->p->value[v].next)
        stage = stores_here(l, v, true);
    for (uint32_t v = g->first_reduce; v != KNC_NO && !stage; v = l->p->value[v].next_reduce)
        stage = l->p->value[v].stage + 1 == l->pass;
    if (!stage)
        return;
    start_stage(l, true);
    kni_pair *joined = l->joined;
    for (uint32_t v = g->first_reduce; v != KNC_NO && !l->failed; v = l->p->value[v].next_reduce, joined++)
        if (l->p->value[v].stage + 1 == l->pass)
            *joined = join(l, &l->p->j->eqn[l->p->value[v].eqn]);
    lower_stores(l, true);
    knc_end_stage(l);
}

static knx_error *build(kni_lower *l)
{
    knx_arena_reset(&l->arena);
    l->map.n = l->buffer.n = 0;
    l->failed = false;
    l->eqn = NULL;
    l->k = knk_new(l->n_loop);
    if (l->k && !knc_target_has(l->p->o->target, KN_ID_F64))
        knk_without_doubles(l->k);
    l->joined = knx_arena_alloc(&l->arena, (l->g->n_reduce + 1) * sizeof *l->joined);
    if (!l->k || !l->joined || !knc_begin_places(l))
        return knx_error_nomem();
    if (l->n_element)
        knc_start_stage(l, false);
    const int first = settle(l);
    for (l->pass = first; l->pass >= 0; l->pass--) {
        lower_points(l);
        lower_elements(l);
    }
    for (l->pass = first; l->pass >= 0 && l->n_element; l->pass--) {
        lower_values(l, false, true);
        lower_values(l, true, true);
    }
    return l->failed ? knx_error_nomem() : NULL;
}

static knx_error *build_shaped(kni_lower *l)
{
    knc_natural_loops(l);
    knx_error *e = build(l);
    if (!e && knc_shape_loops(l)) {
        knk_delete(l->k);
        e = build(l);
    }
    return e;
}

/* Is each load and store of a row that is written out one of a few registers of memory? Longer rows than SHORT_ROW need
 * that: else loops along the row have adjacent lanes, perhaps, or fuller ones. */
static bool fits_lanes(const kni_lower *l)
{
    enum { LEAST_LANES = 3, PAIR = 2 };
    int lane = l->n_loop - 1;
    if (l->n_element <= SHORT_ROW)
        return true;
    bool fits = lane >= 0 && (knx_is_symbolic(l->length[lane]) || l->length[lane] >= LEAST_LANES);
    for (size_t m = 0; fits && m < l->map.n; m++) {
        int64_t step = l->map.at[m].coef[l->source[lane]];
        fits = !l->map.at[m].memory || (step >= 0 && step <= PAIR);
    }
    return fits;
}

static knx_error *build_kernel(kni_lower *l, knk_kernel **kernel)
{
    knx_error *e;
    natural_extents(l, true);
    if (l->g->plain) {
        knc_one_loop(l);
        e = build(l);
    } else {
        e = build_shaped(l);
        if (!e && l->n_element && (l->memo.n > MOST_WRITTEN_OUT || !fits_lanes(l))) {
            knk_delete(l->k);
            natural_extents(l, false);
            e = build_shaped(l);
        }
    }
    if (e) {
        knk_delete(l->k);
        return e;
    }
    KN_TRY(knk_finish(l->k, kernel));
    e = l->p->o->kernels ? knc_share_kernel(l->p->o->kernels, kernel) : NULL;
    if (e)
        knk_release(*kernel);
    return e;
}

/* May buffer `to`, which is written, have the memory of `from`, which is read? Both must be accessed at the same
 * positions. Any other access to that slot must be a store of an earlier stage at these positions: the kernel made
 * the value itself, and loads it again. */
static bool fits_over(const kni_lower *l, const knc_access *from, const knc_access *to)
{
    const knc_plan *p = l->p;
    bool fits = !l->g->puts && !from->written && !from->mixed && !to->mixed && !from->offset &&
                from->last <= to->first && knx_dtype_table[from->dtype].size == knx_dtype_table[to->dtype].size &&
                p->slot.at[from->slot].bytes == p->slot.at[to->slot].bytes && from->slot != to->slot &&
                knc_same_map(l, from->map[0], to->map[0]) && knc_same_map(l, from->map[1], to->map[1]);
    for (size_t i = 0; fits && i < l->buffer.n; i++) {
        const knc_access *x = &l->buffer.at[i];
        fits = x == from || x->slot != from->slot ||
               (x->written && !x->mixed && !x->offset && x->dtype == from->dtype && x->last < from->first &&
                knc_same_map(l, from->map[0], x->map[0]) && knc_same_map(l, from->map[1], x->map[1]));
    }
    return fits;
}

static bool note_reuse(kni_lower *l, uint32_t step)
{
    for (size_t w = 0; w < l->buffer.n; w++)
        for (size_t r = 0; l->buffer.at[w].written && r < l->buffer.n; r++)
            if (fits_over(l, &l->buffer.at[r], &l->buffer.at[w]) &&
                !KN_VEC_PUSH(&l->p->reuse, ((knc_reuse){step, l->buffer.at[r].slot, l->buffer.at[w].slot})))
                return false;
    return true;
}

/* Before an update runs its result gets the elements of the operand: by a copy, unless memory.c can give the result
 * the operand's memory. */
static knx_error *add_copy(knc_plan *p, uint32_t eqn, uint32_t step, knc_ref from, uint32_t to)
{
    kni_atom x = p->j->eqn[eqn].in[p->j->eqn[eqn].prim->updates - 1];
    knc_update u = {.eqn = eqn, .copy = (uint32_t)p->step.n, .step = step, .from = from.index, .to = to};
    knc_step s = {.kind = KNC_COPY, .eqn = eqn, .n_ref = 2, .u.bytes = kni_type_bytes(knc_type(p, x))};
    s.ref = knx_arena_alloc(&p->p->arena, 2 * sizeof *s.ref);
    u.whole = !from.offset && p->slot.at[from.index].bytes == s.u.bytes;
    if (!s.ref || !KN_VEC_PUSH(&p->update, u) || !KN_VEC_PUSH(&p->step, s))
        return knx_error_nomem();
    s.ref[0] = (knc_ref){.index = to};
    s.ref[1] = from;
    return !u.whole || KN_VEC_PUSH(&p->reuse, ((knc_reuse){u.copy, u.from, to})) ? NULL : knx_error_nomem();
}

static knx_error *add_put_copies(kni_lower *l, uint32_t step)
{
    knc_plan *p = l->p;
    for (uint32_t v = l->g->first_store; v != KNC_NO; v = p->value[v].next) {
        knx_bytes offset;
        const kni_eqn *e = &p->j->eqn[p->value[v].eqn];
        if (!p->value[v].put)
            continue;
        knc_ref from = {.index = knc_slot_of(p, e->in[e->prim->updates - 1], &offset)};
        from.offset = offset;
        KN_TRY(p->failed ? knx_error_nomem() : add_copy(p, p->value[v].eqn, step, from, p->value[v].slot));
    }
    return NULL;
}

static knx_error *add_kernel(kni_lower *l, knk_kernel *kernel)
{
    knc_plan *p = l->p;
    uint32_t number = (uint32_t)p->step.n;
    knc_step s = {.kind = KNC_KERNEL, .eqn = l->g->eqn, .n_ref = (uint32_t)l->buffer.n};
    s.u.k.kernel = kernel;
    s.ref = knx_arena_alloc(&p->p->arena, (l->buffer.n + 1) * sizeof *s.ref);
    for (size_t b = 0; s.ref && b < l->buffer.n; b++)
        s.ref[b] = (knc_ref){.index = l->buffer.at[b].slot, .offset = l->buffer.at[b].offset};
    if (!s.ref || !knc_launch_numbers(l, NULL, &s.u.k.map, &s.u.k.par, &s.u.k.inner) || !note_reuse(l, number) ||
        (l->g->puts && !knc_add_puts(l, &s)) || !KN_VEC_PUSH(&p->step, s)) {
        knk_release(kernel);
        return knx_error_nomem();
    }
    for (size_t b = 0; b < l->buffer.n; b++)
        if (l->buffer.at[b].written)
            p->slot.at[l->buffer.at[b].slot].maker = number;
    return l->g->puts ? add_put_copies(l, number) : NULL;
}

static knx_error *lower_group(kni_lower *l, uint32_t group)
{
    knk_kernel *kernel = NULL;
    l->group = group;
    l->g = &l->p->group.at[group];
    if (!kni_type_size(l->g->par)) /* nothing to compute */
        return NULL;
    KN_TRY(build_kernel(l, &kernel));
    return add_kernel(l, kernel);
}

/* Makes the step of a product: its description. s has the references already: two operands and the result. */
static knx_error *make_product(knc_plan *p, const kni_eqn *e, const kni_type *xt, knc_step *s)
{
    knx_arena *a = &p->p->arena;
    knk_product *product = knx_arena_alloc(&p->scratch, sizeof *product);
    if (!product)
        return knx_error_nomem();
    kni_rule r = kni_rule_of(e, xt, &p->j->type[e->out]);
    e->prim->product(&r, product);
    s->kind = KNC_PRODUCT;
    s->n_ref = 3;
    s->u.p.eqn = s->eqn;
    s->u.p.writes = knx_arena_copy(a, (bool[]){false, false, true}, 3 * sizeof(bool));
    s->u.p.a = 0, s->u.p.b = 1, s->u.p.c = 2;
    s->u.p.fill_a = s->u.p.fill_b = s->u.p.finish = NULL;
    s->u.p.product = product;
    s->u.p.packed = NULL;
    if (!s->u.p.writes || !KN_VEC_PUSH(&p->step, *s))
        return knx_error_nomem();
    return NULL;
}

/* Notes which carries may begin in the memory of the loop's result: those whose first value and result fill their
 * slots, if no other operand of the loop lies in the first value's slot. The loop copies the others. */
static bool note_carries(knc_plan *p, const knc_step *s, uint32_t step)
{
    const knc_loop *l = s->u.r.loop;
    uint32_t first = l->n_cond + l->n_body, n_in = s->u.r.n_in;
    for (uint32_t i = 0; i < l->n; i++) {
        const knc_ref *from = &s->ref[first + i], *to = &s->ref[n_in + i];
        uint32_t readers = 0;
        for (uint32_t k = 0; k < n_in; k++)
            readers += s->ref[k].index == from->index;
        bool whole = !from->offset && !to->offset && p->slot.at[from->index].bytes == l->bytes[i] &&
                     p->slot.at[to->index].bytes == l->bytes[i];
        if (readers == 1 && whole && !KN_VEC_PUSH(&p->reuse, ((knc_reuse){step, from->index, to->index})))
            return false;
    }
    return true;
}

static knx_error *lower_routine(knc_plan *p, const knc_group *g)
{
    const kni_eqn *e = &p->j->eqn[g->eqn];
    uint32_t number = (uint32_t)p->step.n, n = e->n_in + e->n_out;
    kni_type *xt = knx_arena_alloc(&p->p->arena, (e->n_in + 1) * sizeof *xt);
    knc_step s = {.kind = KNC_ROUTINE, .eqn = g->eqn, .ref = knx_arena_zero(&p->p->arena, (n + 1) * sizeof *s.ref)};
    if (!xt || !s.ref)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++) {
        kni_atom a = i < e->n_in ? e->in[i] : e->out + i - e->n_in;
        s.ref[i].index = knc_slot_of(p, a, &s.ref[i].offset);
        if (p->failed)
            return knx_error_nomem();
        if (i < e->n_in)
            xt[i] = knc_type(p, a);
        else
            p->slot.at[s.ref[i].index].maker = number;
    }
    if (e->prim->product)
        return make_product(p, e, xt, &s);
    s.u.r.n_in = e->n_in;
    s.u.r.n_out = e->n_out;
    s.u.r.params = NULL;
    s.u.r.xt = xt;
    s.u.r.yt = &p->j->type[e->out];
    if (e->prim->bits & KN_LOOPS) {
        KN_TRY(knc_make_control(p, e, &s));
        if (s.kind == KNC_KERNEL) {
            bool pushed = KN_VEC_PUSH(&p->step, s);
            if (!pushed)
                knc_drop_step(&s);
            return pushed ? NULL : knx_error_nomem();
        }
    } else if (e->prim->workspace && !(e->prim->bits & KN_THREADS)) { /* else it is the device's (workspace.c) */
        kni_rule r = kni_rule_of(e, xt, s.u.r.yt);
        s.u.r.workspace = e->prim->workspace(&r);
    }
    s.n_ref = n + (s.u.r.workspace > 0);
    if (s.u.r.workspace) {
        knc_slot w = {.space = KNC_AT_WORK, .bytes = s.u.r.workspace, .maker = number, .first = KNC_NO, .over = KNC_NO};
        s.ref[n].index = (uint32_t)p->slot.n;
        if (!KN_VEC_PUSH(&p->slot, w)) {
            knc_drop_step(&s);
            return knx_error_nomem();
        }
    }
    if (s.kind == KNC_LOOP && !note_carries(p, &s, number)) {
        knc_drop_step(&s);
        return knx_error_nomem();
    }
    int u = e->prim->updates - 1;
    knc_ref from = u >= 0 ? s.ref[u] : (knc_ref){0};
    if (u >= 0)
        s.ref[u] = s.ref[e->n_in];
    if (!KN_VEC_PUSH(&p->step, s)) {
        knc_drop_step(&s);
        return knx_error_nomem();
    }
    return u >= 0 ? add_copy(p, g->eqn, number, from, s.ref[u].index) : NULL;
}

static knx_error *lower_all(kni_lower *l)
{
    knc_plan *p = l->p;
    for (uint32_t g = (uint32_t)p->group.n; g-- > 0;) {
        if (p->group.at[g].parent != g)
            continue;
        uint32_t steps = (uint32_t)p->step.n;
        KN_TRY(p->group.at[g].routine ? lower_routine(p, &p->group.at[g]) : lower_group(l, g));
        p->group.at[g].step = p->step.n > steps ? steps : KNC_NO;
    }
    return NULL;
}

knx_error *knc_lower(knc_plan *p)
{
    kni_lower *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->p = p;
    l->j = p->j;
    knx_error *e = lower_all(l);
    knc_free_lower(l);
    return e;
}

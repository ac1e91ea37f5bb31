/* SPDX-License-Identifier: Apache-2.0
 * bands_cut.c -- can steps be cut by the same rows? A set of steps has rows: `batches` times `rows` of them. A value
 * whose elements lie in the order of the rows has the same number of bytes for each row, so a block of rows is an
 * interval of its memory. Each step is cut by one of its values, the handle: the turns of a kernel's loops, or the rows
 * or the positions of the joined axis of a product, that access such an interval. Then every access of the step to a
 * value that goes from one member to another has to stay inside of the block of the same rows. */
#include "compile/bands/bands.h"
#include <string.h>

typedef struct cutter {
    const knc_plan *p;
    knc_set *s;
    bool again; /* the grain has changed: all members have to be cut anew */
} cutter;

static const knc_step *step_of(const knc_plan *p, const knc_member *m) { return &p->step.at[m->step]; }

static bool writes(const knc_step *s, uint32_t ref)
{
    return s->kind == KNC_KERNEL    ? s->u.k.kernel->buffer[ref].written
           : s->kind == KNC_ROUTINE ? ref >= s->u.r.n_in
                                    : ref == 2;
}

bool knc_reads(const knc_plan *p, const knc_member *m, uint32_t slot)
{
    const knc_step *s = step_of(p, m);
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].index == slot && !writes(s, r))
            return true;
    return false;
}

int knc_maker_in(const knc_plan *p, const knc_set *s, uint32_t slot)
{
    for (int i = 0; i < s->n; i++)
        if (p->slot.at[slot].maker == s->member[i].step)
            return i;
    return -1;
}

/* Bytes that the value has for each row of the set; 0: its bytes are no multiple of the rows. */
knx_bytes knc_row_bytes(const knc_plan *p, const knc_set *s, uint32_t slot)
{
    int64_t all = knx_dim_mul(s->batches, s->rows), bytes = (int64_t)p->slot.at[slot].bytes;
    return knc_divides(all, bytes) ? (knx_bytes)knx_dim_floordiv(bytes, all) : 0;
}

/* Elements of `size` bytes that the value has for each row; 0: a row is no whole number of elements. */
static int64_t unit_of(const cutter *c, uint32_t slot, int size)
{
    int64_t bytes = (int64_t)knc_row_bytes(c->p, c->s, slot);
    return knc_divides(size, bytes) ? knx_dim_floordiv(bytes, size) : 0;
}

/* ---- Kernels. */

/* Is the node a load or a store of the slot? */
static bool is_access(const knc_step *s, const knk_inst *i, uint32_t slot)
{
    return (i->op == KNK_LOAD || i->op == KNK_STORE) && s->ref[i->buffer].index == slot;
}

static int size_of(const knc_step *s, int buffer) { return knx_dtype_table[s->u.k.kernel->buffer[buffer].dtype].size; }

static bool raise_grain(cutter *c, int64_t grain)
{
    if (knx_is_symbolic(grain) || grain > KNC_BAND_GRAIN || !knc_divides(grain, c->s->rows) || grain % c->s->grain)
        return false;
    c->s->grain = grain;
    c->again = true;
    return true;
}

/* Lists the parallel loops that walk rows; loops that stay inside of a grain of rows are left out. A loop that walks
 * more rows than the grain and fewer than a batch makes them the grain. False: a loop runs backwards, or walks rows
 * that cannot be a grain. */
static bool row_loops(cutter *c, const knc_step *s, const int64_t *stride, int64_t unit, int *loop, int *n)
{
    *n = 0;
    for (int l = 0; l < s->u.k.kernel->n_par; l++) {
        int64_t e = s->u.k.par[l], far = knx_dim_mul(stride[l], e), batch = knx_dim_mul(unit, c->s->rows);
        if (e == 1 || !stride[l] || knx_dim_known_le(far, knx_dim_mul(unit, c->s->grain)))
            continue;
        if (!knx_dim_known_le(1, stride[l]))
            return false;
        if (knx_dim_known_le(far + 1, batch))
            return knc_divides(unit, far) && raise_grain(c, knx_dim_floordiv(far, unit));
        loop[(*n)++] = l;
    }
    return true;
}

/* Cuts the kernel's parallel loops (m->cut) by the rows of a value: stride: the strides of the map by which the kernel
 * accesses that value; unit: its elements per row. The first loop shares a batch out, grain by grain; each other one
 * begins where one ends. (Which of two strides is the smaller one need not be known: of `t` and `h*t` it is not.)
 * False: the loops do not walk all rows in order. */
static bool cut_loops(cutter *c, knc_member *m, const int64_t *stride, int64_t unit)
{
    const knc_step *s = step_of(c->p, m);
    int64_t grain = knx_dim_mul(unit, c->s->grain), batch = knx_dim_mul(unit, c->s->rows), span = grain;
    int loop[KNC_BAND_LOOPS], n;
    memset(m->cut, 0, sizeof m->cut);
    if (!row_loops(c, s, stride, unit, loop, &n))
        return false;
    for (int i = 0; i < n && !c->again; i++) {
        bool shares = i == 0 && !knx_dim_known_le(batch, grain), found = false;
        for (int k = i; k < n && !found; k++) {
            int64_t step = stride[loop[k]], far = knx_dim_mul(step, s->u.k.par[loop[k]]);
            if (shares ? !knc_divides(step, grain) || !knc_divides(batch, far)
                       : !knx_dim_same(step, span) || !knc_divides(grain, step))
                continue;
            m->cut[loop[k]] = shares ? (knc_cut){KNC_CUT_SHARE, knx_dim_floordiv(grain, step)}
                                     : (knc_cut){KNC_CUT_FIXED, knx_dim_floordiv(step, grain)};
            span = far;
            int next = loop[k];
            loop[k] = loop[i];
            loop[i] = next;
            found = true;
        }
        if (!found)
            return false;
    }
    return c->again || knx_dim_same(span, knx_dim_mul(batch, c->s->batches));
}

/* Does the access x stay inside of the block, for every block of rows that the kernel is cut into? unit: elements per
 * row of the value. */
static bool stays_inside(const cutter *c, const knc_member *m, const knk_inst *x, int64_t unit)
{
    const knc_step *s = step_of(c->p, m);
    const knk_map_values *map = &s->u.k.map[x->map];
    int size = size_of(s, x->buffer), n_par = s->u.k.kernel->n_par;
    int64_t grain = knx_dim_mul(unit, c->s->grain), first = (int64_t)s->ref[x->buffer].offset,
            far = knx_dim_add(map->offset, knx_dim_floordiv(first, size));
    if (!knx_dim_known_le(0, far) || !knc_divides(size, first))
        return false;
    for (int l = 0; l < n_par; l++) {
        int64_t e = s->u.k.par[l], step = map->stride[l];
        if (e == 1)
            continue;
        if (!knx_dim_known_le(0, step))
            return false;
        if (m->cut[l].kind == KNC_CUT_FIXED && !knx_dim_same(step, knx_dim_mul(m->cut[l].per, grain)))
            return false;
        if (m->cut[l].kind == KNC_CUT_SHARE && !knx_dim_same(knx_dim_mul(step, m->cut[l].per), grain))
            return false;
        if (m->cut[l].kind != KNC_CUT_FIXED)
            far = knx_dim_add(far, knx_dim_mul(step, (m->cut[l].kind == KNC_CUT_SHARE ? m->cut[l].per : e) - 1));
    }
    const knk_stage *stage = &s->u.k.kernel->stage[x->stage];
    for (int l = 0; l < stage->n_inner + stage->n_loop; l++) {
        int64_t step = map->stride[n_par + l];
        if (step == 0) /* a loop may have no limit */
            continue;
        if (!knx_dim_known_le(0, step))
            return false;
        far = knx_dim_add(far, knx_dim_mul(step, s->u.k.inner[x->stage][l] - 1));
    }
    return knx_dim_known_le(far + 1, grain);
}

static bool cut_kernel(cutter *c, knc_member *m, uint32_t handle)
{
    const knc_step *s = step_of(c->p, m);
    const knk_kernel *k = s->u.k.kernel;
    for (int i = 0; i < k->n_node; i++)
        if (is_access(s, &k->node[i], handle)) {
            int64_t unit = unit_of(c, handle, size_of(s, k->node[i].buffer));
            return unit && cut_loops(c, m, s->u.k.map[k->node[i].map].stride, unit);
        }
    return false;
}

static bool kernel_stays(const cutter *c, const knc_member *m, uint32_t slot)
{
    const knc_step *s = step_of(c->p, m);
    const knk_kernel *k = s->u.k.kernel;
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *x = &k->node[i];
        if (!is_access(s, x, slot))
            continue;
        int64_t unit = unit_of(c, slot, size_of(s, x->buffer));
        if (!unit || (x->op == KNK_LOAD && x->a >= 0) || !stays_inside(c, m, x, unit))
            return false;
    }
    return true;
}

/* ---- Products. */

typedef enum { OF_A, OF_B, OF_C } array;
static const int64_t *strides(const knk_dims *d, array x) { return x == OF_A ? d->a : x == OF_B ? d->b : d->c; }

/* Do the dimensions walk the array in C order, the last one with the stride *span? *span is then the number of elements
 * that all of them walk. */
static bool in_order(const knk_dims *d, array x, int64_t *span)
{
    const int64_t *stride = strides(d, x);
    for (int i = d->n - 1; i >= 0; i--) {
        if (d->extent[i] != 1 && !knx_dim_same(stride[i], *span))
            return false;
        *span = knx_dim_mul(*span, d->extent[i]);
    }
    return true;
}

/* Are (batch, `rows`) the set's rows in the array, in order, and do the dimensions `inside` stay inside of one row? */
static bool has_rows(const cutter *c, const knk_product *p, const knc_ref *ref, array x, const knk_dims *rows,
                     const knk_dims *inside)
{
    int size = x == OF_C ? p->result->size : p->operand->size;
    int64_t unit = unit_of(c, ref->index, size), span = unit, first = (int64_t)ref->offset,
            far = knx_dim_add(x == OF_A   ? p->a_offset
                              : x == OF_B ? p->b_offset
                                          : p->c_offset,
                              knx_dim_floordiv(first, size));
    const int64_t *stride = strides(inside, x);
    if (!unit || !knc_divides(size, first) || !knx_dim_known_le(0, far))
        return false;
    for (int i = 0; i < inside->n; i++) {
        if (!knx_dim_known_le(0, stride[i]))
            return false;
        far = knx_dim_add(far, knx_dim_mul(stride[i], inside->extent[i] - 1));
    }
    return knx_dim_known_le(far + 1, unit) && in_order(rows, x, &span) && in_order(&p->batch, x, &span);
}

static void swap_group(knk_dims *d)
{
    for (int i = 0; i < d->n; i++) {
        int64_t a = d->a[i];
        d->a[i] = d->b[i];
        d->b[i] = a;
    }
}

/* Exchanges the operands of the product, and m with n: it computes the same sums. */
static void swap(knk_product *p)
{
    knk_dims m = p->m;
    int64_t offset = p->a_offset;
    p->m = p->n;
    p->n = m;
    swap_group(&p->batch);
    swap_group(&p->m);
    swap_group(&p->n);
    swap_group(&p->k);
    p->a_offset = p->b_offset;
    p->b_offset = offset;
}

static bool product_has_rows(const cutter *c, const knc_member *m, const knk_product *p, int ref, bool sums)
{
    const knc_ref *r = &step_of(c->p, m)->ref[ref];
    array x = ref == 2 ? OF_C : (ref == 1) != m->swapped ? OF_B : OF_A;
    if (x == OF_A && p->n_window)
        return false;
    return sums        ? x != OF_C && has_rows(c, p, r, x, &p->k, x == OF_A ? &p->m : &p->n)
           : x == OF_B ? false
           : x == OF_A ? has_rows(c, p, r, x, &p->m, &p->k)
                       : has_rows(c, p, r, x, &p->m, &p->n);
}

/* Are the dimensions d, in all batches of the product, as many rows as the set has? *rows: how many of them one batch
 * of the product has, a multiple of the set's. */
static bool rows_fit(const cutter *c, const knk_product *p, const knk_dims *d, int64_t *rows)
{
    *rows = knc_count_dims(d);
    return *rows && knc_divides(c->s->rows, *rows) &&
           knx_dim_same(knx_dim_mul(knc_count_dims(&p->batch), *rows), knx_dim_mul(c->s->batches, c->s->rows));
}

static bool product_stays(const cutter *c, const knc_member *m, uint32_t slot)
{
    const knc_step *s = step_of(c->p, m);
    for (int r = 0; r < 3; r++)
        if (s->ref[r].index == slot && !product_has_rows(c, m, m->product, r, m->sums))
            return false;
    return true;
}

static bool cut_product(cutter *c, knc_member *m, uint32_t handle)
{
    const knc_step *s = step_of(c->p, m);
    const knk_product *p = s->u.p.product;
    int at = 2;
    for (int r = 0; r < 2; r++)
        if (s->ref[r].index == handle)
            at = r;
    if (!knx_dim_rely_le(1, knc_count_dims(&p->k)) || !knx_dim_rely_le(1, knc_count_dims(&p->n)) ||
        !knx_dim_rely_le(1, knc_count_dims(&p->m)) || s->ref[at].index != handle)
        return false;
    m->swapped = m->sums = false;
    m->product = p;
    if (at != 1 && rows_fit(c, p, &p->m, &m->rows) && product_has_rows(c, m, p, at, false))
        return true;
    if (at == 2 || p->n_window)
        return false;
    m->sums = rows_fit(c, p, &p->k, &m->rows) && product_has_rows(c, m, p, at, true);
    if (m->sums || at != 1 || knx_is_complex(p->operand) || !rows_fit(c, p, &p->n, &m->rows))
        return m->sums;
    knk_product *swapped = knx_arena_copy((knx_arena *)(uintptr_t)&c->p->scratch, p, sizeof *p);
    if (!swapped)
        return false;
    swap(swapped);
    m->swapped = true;
    m->product = swapped;
    return product_has_rows(c, m, swapped, at, false);
}

/* ---- Routines. */

static kni_rule rule_of(const knc_plan *p, const knc_step *s)
{
    return kni_rule_of(&p->j->eqn[s->eqn], s->u.r.xt, s->u.r.yt);
}

/* A device that has not all dtypes leaves single steps to the host, not the others of a band with them. */
static bool has_dtypes(const knc_plan *p, const knc_step *s)
{
    const knc_target *t = p->o->target;
    if (s->kind == KNC_PRODUCT)
        return knc_target_has(t, s->u.p.product->operand->id) && knc_target_has(t, s->u.p.product->result->id);
    const knk_kernel *k = s->u.k.kernel;
    for (int b = 0; b < k->n_buffer; b++)
        if (!knc_target_has(t, k->buffer[b].dtype))
            return false;
    for (int i = 0; i < k->n_node; i++)
        if (!knc_target_has(t, k->node[i].dtype))
            return false;
    return true;
}

bool knc_may_join_band(const knc_plan *p, const knc_step *s)
{
    if (s->kind == KNC_KERNEL || s->kind == KNC_PRODUCT)
        return has_dtypes(p, s);
    if (s->kind != KNC_ROUTINE || !knc_band_limits_of(p)->routine)
        return false;
    const kni_rule r = rule_of(p, s);
    return r.prim->rows && !kni_can_fail(r.prim, r.params) && s->n_ref == s->u.r.n_in + s->u.r.n_out &&
           s->n_ref <= KNC_BAND_ARRAYS && r.prim->rows(&r) > 0;
}

int64_t knc_routine_rows(const knc_plan *p, const knc_step *s)
{
    const kni_rule r = rule_of(p, s);
    return knx_dim_size(r.prim->rows(&r), r.xt->dim);
}

/* The routine's arrays in this slot fill it. */
static bool routine_stays(const cutter *c, const knc_member *m, uint32_t slot)
{
    const knc_step *s = step_of(c->p, m);
    for (uint32_t r = 0; r < s->n_ref; r++) {
        kni_type t = r < s->u.r.n_in ? s->u.r.xt[r] : s->u.r.yt[r - s->u.r.n_in];
        if (s->ref[r].index == slot &&
            (s->ref[r].offset || !knx_dim_same((int64_t)kni_type_bytes(t), (int64_t)c->p->slot.at[slot].bytes)))
            return false;
    }
    return true;
}

static bool cut_routine(const cutter *c, knc_member *m)
{
    int64_t rows = knc_routine_rows(c->p, step_of(c->p, m)), all = knx_dim_mul(c->s->batches, c->s->rows);
    if (!knx_dim_rely_le(1, rows) || !knc_divides(all, rows))
        return false;
    m->rows = knx_dim_floordiv(rows, all);
    return true;
}

/* ---- Sets. */

static bool cut_by(cutter *c, knc_member *m, uint32_t handle)
{
    knc_step_kind kind = (knc_step_kind)step_of(c->p, m)->kind;
    return kind == KNC_KERNEL    ? cut_kernel(c, m, handle)
           : kind == KNC_ROUTINE ? cut_routine(c, m)
                                 : cut_product(c, m, handle);
}

static bool stays(const cutter *c, const knc_member *m, uint32_t slot)
{
    knc_step_kind kind = (knc_step_kind)step_of(c->p, m)->kind;
    return kind == KNC_KERNEL    ? kernel_stays(c, m, slot)
           : kind == KNC_ROUTINE ? routine_stays(c, m, slot)
                                 : product_stays(c, m, slot);
}

bool knc_goes_on(const knc_plan *p, const knc_set *s, uint32_t slot)
{
    int maker = knc_maker_in(p, s, slot);
    for (int i = 0; maker >= 0 && i < s->n; i++)
        if (i != maker && knc_reads(p, &s->member[i], slot))
            return true;
    return false;
}

/* Does the value go from one member to another? Values of copies (`again`) count, read or not. */
static bool is_inner(const cutter *c, uint32_t slot)
{
    int maker = knc_maker_in(c->p, c->s, slot);
    return maker >= 0 && (c->s->member[maker].again || knc_goes_on(c->p, c->s, slot));
}

/* The value that the member is cut by: the largest one that goes between it and other members; KNC_NO: none. */
static uint32_t handle_of(const cutter *c, const knc_member *m)
{
    const knc_step *s = step_of(c->p, m);
    uint32_t best = KNC_NO;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        uint32_t slot = s->ref[r].index;
        if (is_inner(c, slot) && (best == KNC_NO || knc_slot_hint(c->p, slot) > knc_slot_hint(c->p, best)))
            best = slot;
    }
    return best;
}

static bool cut_member(cutter *c, knc_member *m)
{
    const knc_step *s = step_of(c->p, m);
    uint32_t handle = handle_of(c, m);
    if (handle == KNC_NO || s->n_ref > KNC_BAND_REFS ||
        (s->kind == KNC_KERNEL && s->u.k.kernel->n_par > KNC_BAND_LOOPS))
        return false;
    if (!cut_by(c, m, handle))
        return false;
    for (uint32_t r = 0; r < s->n_ref && !c->again; r++)
        if (is_inner(c, s->ref[r].index) && !stays(c, m, s->ref[r].index))
            return false;
    return true;
}

bool knc_is_cut(const knc_plan *p, const knc_set *s, uint32_t slot)
{
    const cutter c = {.p = p, .s = (knc_set *)(uintptr_t)s};
    for (int i = 0; i < s->n; i++)
        if (!stays(&c, &s->member[i], slot))
            return false;
    return knc_row_bytes(p, s, slot) > 0;
}

/* Sorts the members so that each runs after those whose values it reads. False: they wait for each other in a
 * circle. */
static bool sort_members(const knc_plan *p, knc_set *s)
{
    for (int done = 0; done < s->n; done++) {
        int best = -1;
        for (int i = done; i < s->n; i++) {
            bool waits = false;
            for (int k = done; k < s->n && !waits; k++) {
                const knc_step *x = step_of(p, &s->member[i]);
                for (uint32_t r = 0; r < x->n_ref && k != i; r++)
                    waits |= p->slot.at[x->ref[r].index].maker == s->member[k].step;
            }
            if (!waits && (best < 0 || step_of(p, &s->member[i])->eqn < step_of(p, &s->member[best])->eqn))
                best = i;
        }
        if (best < 0)
            return false;
        knc_member m = s->member[best];
        memmove(&s->member[done + 1], &s->member[done], (size_t)(best - done) * sizeof m);
        s->member[done] = m;
    }
    return true;
}

/* Moves products that contract over the rows to the end: threads may share their sums after the other members. */
static void put_sums_last(knc_set *s)
{
    int n = s->n;
    for (int i = 0; i < n;)
        if (s->member[i].sums) {
            knc_member m = s->member[i];
            memmove(&s->member[i], &s->member[i + 1], (size_t)(s->n - i - 1) * sizeof m);
            s->member[s->n - 1] = m;
            n--;
        } else {
            i++;
        }
}

bool knc_cut_last(const knc_plan *p, knc_set *s)
{
    cutter c = {.p = p, .s = s};
    return cut_member(&c, &s->member[s->n - 1]);
}

bool knc_cut_set(const knc_plan *p, knc_set *s)
{
    cutter c = {.p = p, .s = s, .again = true};
    if (!sort_members(p, s))
        return false;
    while (c.again) {
        c.again = false;
        for (int i = 0; i < s->n && !c.again; i++)
            if (!cut_member(&c, &s->member[i]))
                return false;
    }
    put_sums_last(s);
    return true;
}

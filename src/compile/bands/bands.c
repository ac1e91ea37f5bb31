/* SPDX-License-Identifier: Apache-2.0
 * bands.c -- steps that share rows become one step, a band, that runs block by block, so that large values between
 * them exist for one block at a time (docs/products.md).
 *
 * A set begins with two steps and a large value between them. It grows by readers of the values that it makes and by
 * makers of the values that it reads, as long as all steps can be cut by the same rows, no value that the set makes
 * comes back to it through steps outside, and the operands that each block reads as a whole are small beside the values
 * that need not be stored. A large value that a later set reads is then made again by that set rather than kept in
 * memory, if copies of short products and kernels over the same rows are all that this needs. */
#include "compile/bands/bands.h"
#include <string.h>

/* A value of fewer bytes is no reason for a band. */
static size_t least_bytes(const knc_bands *b) { return b->all ? 1 : knc_band_limits_of(b->p)->value; }

/* ---- Sets. */

static bool makes_again(const knc_plan *p, const knc_set *s, uint32_t slot)
{
    int maker = knc_maker_in(p, s, slot);
    return maker >= 0 && s->member[maker].again;
}

bool knc_is_kept(const knc_bands *b, const knc_set *s, uint32_t number, uint32_t slot)
{
    const knc_slot *x = &b->p->slot.at[slot];
    if (x->space != KNC_AT_WORK)
        return true;
    for (uint32_t l = b->reader[slot]; l != KNC_NO; l = b->link.at[l].next) {
        uint32_t step = b->link.at[l].step, band = b->band[step];
        if (knc_is_inside(s, step))
            continue;
        if (band == KNC_NO || band == number || !makes_again(b->p, &b->set.at[band], slot))
            return true;
    }
    for (uint32_t k = 0; k < b->set.n; k++) /* copies of steps in other sets that read the value */
        for (int i = 0; k != number && i < b->set.at[k].n; i++) {
            const knc_member *m = &b->set.at[k].member[i];
            if (m->again && knc_reads(b->p, m, slot) && !makes_again(b->p, &b->set.at[k], slot))
                return true;
        }
    return !knc_is_cut(b->p, s, slot);
}

static double hint_of(const knk_dims *d) { return (double)knx_dim_hint(knc_count_dims(d)); }

/* Bytes of what every block reads or adds to as a whole, whatever its rows: second operands of products, and sums over
 * the rows (read and written: twice). */
static double whole_bytes(const knc_plan *p, const knc_set *s)
{
    double bytes = 0;
    for (int i = 0; i < s->n; i++) {
        const knc_member *m = &s->member[i];
        if (p->step.at[m->step].kind != KNC_PRODUCT)
            continue;
        double inside = hint_of(&m->product->n);
        bytes += m->sums ? 2 * inside * hint_of(&m->product->m) * m->product->result->size
                         : inside * hint_of(&m->product->k) * m->product->operand->size;
    }
    return bytes;
}

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

/* The height (rows) of blocks that share the rows evenly, rounded up to a multiple of the grain; also of 8 in sets with
 * sums over the rows, and of 16 for 64 rows and more. */
static int64_t even_height(const knc_set *s, int64_t height)
{
    int64_t least = s->chunk ? s->grain * 8 / greatest_divisor(s->grain, 8) : s->grain;
    bool many = height >= 16 && knx_dim_hint(s->rows) >= 64;
    int64_t unit = least % 16 && many ? least * 16 / greatest_divisor(least, 16) : least;
    int64_t even = knx_dim_ceildiv(s->rows, knx_dim_ceildiv(s->rows, height));
    return knx_dim_mul(knx_dim_ceildiv(even, unit), unit);
}

/* The chunk of all members' sums; false: they have none in common. */
static bool choose_chunk(knc_set *s)
{
    s->chunk = 0;
    for (int i = 0; i < s->n; i++) {
        const knc_member *m = &s->member[i];
        if (!m->sums || (s->chunk && knc_divides(m->rows, s->chunk)))
            continue;
        if (s->chunk && !knc_divides(s->chunk, m->rows))
            return false;
        s->chunk = m->rows;
    }
    return true;
}

static bool has_product(const knc_plan *p, const knc_set *s)
{
    for (int i = 0; i < s->n; i++)
        if (p->step.at[s->member[i].step].kind == KNC_PRODUCT)
            return true;
    return false;
}

/* Chooses the rows of a block; *saved: the bytes of values that are not stored then. False: every block would read too
 * many bytes as a whole beside those that go from member to member in blocks, or a row is larger than a block should
 * be. (A product has work to share out in 16 rows, a routine in one.) */
static bool choose_height(const knc_bands *b, knc_set *s, uint32_t number, bool hope, int64_t *saved)
{
    enum { TRIAL = 64, READS = 4, HIGH = 256, MOST = 1024, LOW = 16 };
    int64_t low = has_product(b->p, s) ? LOW : 1;
    knc_inner inner;
    double row = 0, whole = whole_bytes(b->p, s);
    bool found = knc_find_blocks(b, s, number, hope, &inner);
    knx_bytes bytes = found ? knc_blocks_bytes(&inner, TRIAL) : 0;
    *saved = 0;
    for (int i = 0; found && i < inner.n; i++) {
        bool again = s->member[knc_maker_in(b->p, s, inner.slot[i])].again;
        row += (double)knx_dim_hint((int64_t)inner.block[i].row);
        *saved = again ? *saved : knx_dim_add(*saved, (int64_t)b->p->slot.at[inner.slot[i]].bytes);
    }
    if (bytes == 0 || !choose_chunk(s) || (low < LOW && bytes / TRIAL > knc_band_limits_of(b->p)->block))
        return false;
    int64_t rows = knx_dim_hint(s->rows);
    if (b->all) {
        s->height = even_height(s, 5);
        return true;
    }
    int64_t height = (int64_t)(knc_band_limits_of(b->p)->block * TRIAL / bytes);
    height = height > MOST ? MOST : height;
    int64_t wanted = whole < READS * row * HIGH ? (int64_t)(whole / (READS * row)) + 1 : HIGH;
    height = height < wanted ? wanted : height;
    height = height > rows ? rows : height < low ? low : height;
    s->height = even_height(s, height);
    bool cached = whole <= (double)knc_band_limits_of(b->p)->whole || 2.5 * whole <= row * (double)rows;
    return cached && whole <= READS * row * (double)knx_dim_hint(s->height);
}

static bool is_possible(knc_bands *b, knc_set *s, uint32_t number)
{
    int64_t saved;
    b->why = KNC_BECAUSE_RETURNS;
    if (knc_comes_back(b, s))
        return false;
    b->why = KNC_BECAUSE_ROWS;
    if (!knc_cut_last(b->p, s) || !knc_cut_set(b->p, s))
        return false;
    b->why = KNC_BECAUSE_WHOLE;
    return choose_height(b, s, number, true, &saved);
}

/* Adds one step to the set; again: a copy of a step of another set. False: it cannot join, the set is unchanged. */
static bool try_step(knc_bands *b, knc_set *s, uint32_t number, uint32_t step, bool again)
{
    if (s->n == KNC_BAND_STEPS || !knc_may_join_band(b->p, &b->p->step.at[step]))
        return false;
    if ((!again && b->band[step] != KNC_NO) || knc_is_inside(s, step))
        return false;
    knc_set more = *s;
    more.member[more.n++] = (knc_member){.step = step, .again = again};
    if (!is_possible(b, &more, number))
        return false;
    *s = more;
    return true;
}

/* Adds the steps that read this value, if the set makes it, or else the step that makes it. True: a step has joined. */
static bool grow_at(knc_bands *b, knc_set *s, uint32_t number, uint32_t slot)
{
    const knc_slot *x = &b->p->slot.at[slot];
    bool grown = false;
    if (knc_slot_hint(b->p, slot) < least_bytes(b) / 4)
        return false;
    if (knc_maker_in(b->p, s, slot) < 0)
        return x->maker != KNC_NO && try_step(b, s, number, x->maker, false);
    for (uint32_t l = b->reader[slot]; l != KNC_NO; l = b->link.at[l].next)
        grown |= try_step(b, s, number, b->link.at[l].step, false);
    return grown;
}

static void grow(knc_bands *b, knc_set *s, uint32_t number)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < s->n; i++) {
            const knc_step *x = &b->p->step.at[s->member[i].step];
            for (uint32_t r = 0; r < x->n_ref; r++)
                grown |= grow_at(b, s, number, x->ref[r].index);
        }
    }
}

/* Is the set worth a band? It needs two products, or a product and a kernel that joins elements, or a routine, and
 * enough bytes of values that are not stored. (A product and elementwise kernels gain more in the step of the product:
 * attach.c.) */
static bool is_reason(const knc_bands *b, knc_set *s, uint32_t number)
{
    int products = 0, joins = 0, routines = 0;
    int64_t saved;
    for (int i = 0; i < s->n; i++) {
        const knc_step *x = &b->p->step.at[s->member[i].step];
        products += x->kind == KNC_PRODUCT;
        routines += x->kind == KNC_ROUTINE;
        for (int k = 0; x->kind == KNC_KERNEL && k < x->u.k.kernel->n_stage; k++)
            joins += x->u.k.kernel->stage[k].n_inner > 0;
    }
    size_t least = b->all     ? least_bytes(b)
                   : s->chunk ? knc_band_limits_of(b->p)->sums
                   : products ? least_bytes(b)
                              : knc_band_limits_of(b->p)->routine;
    return (routines || (products && (b->all || products + joins > 1))) && choose_height(b, s, number, false, &saved) &&
           knx_dim_le((int64_t)least, saved);
}

static bool keep_set(knc_bands *b, const knc_set *s)
{
    uint32_t first = KNC_NO;
    if (!KN_VEC_PUSH(&b->set, *s))
        return false;
    for (int i = 0; i < s->n; i++) {
        uint32_t step = s->member[i].step;
        if (s->member[i].again)
            continue;
        if (first == KNC_NO)
            first = step;
        b->band[step] = (uint32_t)b->set.n - 1;
        b->node[step] = first;
        if (step != first) {
            b->next[step] = b->next[first];
            b->next[first] = step;
        }
    }
    knc_rank_nodes(b);
    return true;
}

/* ---- Beginnings. */

/* The rows by which a product could cut this value: m (if it is the result or operand a), n (operand b) or k (either
 * operand); those of a routine. Each is out[i]: batches, rows of one. Returns their number, 0 for a kernel. */
static int rows_of(const knc_plan *plan, const knc_step *s, uint32_t slot, int64_t out[3][2])
{
    int n = 0;
    if (s->kind == KNC_ROUTINE) {
        out[0][0] = 1;
        out[0][1] = knc_routine_rows(plan, s);
    }
    if (s->kind != KNC_PRODUCT)
        return s->kind == KNC_ROUTINE;
    const knk_product *p = s->u.p.product;
    const knk_dims *group[3] = {&p->m, &p->n, &p->k};
    bool is[3] = {s->ref[2].index == slot || s->ref[0].index == slot, s->ref[1].index == slot, s->ref[2].index != slot};
    for (int g = 0; g < 3; g++)
        if (is[g]) {
            out[n][0] = knc_count_dims(&p->batch);
            out[n++][1] = knc_count_dims(group[g]);
        }
    return n;
}

static bool begin_with(knc_bands *b, uint32_t maker, uint32_t reader, const int64_t rows[2])
{
    knc_set *s = knx_alloc_zero(sizeof *s);
    uint32_t number = (uint32_t)b->set.n;
    if (!s) {
        b->p->failed = true;
        return false;
    }
    *s = (knc_set){.n = 2, .batches = rows[0], .rows = rows[1], .grain = 1};
    s->member[0].step = maker;
    s->member[1].step = reader;
    bool fine = knx_dim_rely_le(1, rows[0]) && knx_dim_rely_le(1, rows[1]) && is_possible(b, s, number);
    if (fine) {
        grow(b, s, number);
        b->why = KNC_BECAUSE_KEPT;
        fine = is_reason(b, s, number);
        if (fine && !keep_set(b, s))
            b->p->failed = true;
    }
    knx_free(s);
    return fine;
}

static bool may_be_member(const knc_bands *b, uint32_t step)
{
    return step != KNC_NO && b->band[step] == KNC_NO && knc_may_join_band(b->p, &b->p->step.at[step]);
}

/* Is there a set of two, the maker of the value and a reader, and one of them no kernel? */
static bool goes_to_member(const knc_bands *b, uint32_t slot)
{
    bool has_rows = b->p->step.at[b->p->slot.at[slot].maker].kind != KNC_KERNEL;
    for (uint32_t l = b->reader[slot]; l != KNC_NO; l = b->link.at[l].next) {
        uint32_t reader = b->link.at[l].step;
        if (may_be_member(b, reader) && (has_rows || b->p->step.at[reader].kind != KNC_KERNEL))
            return true;
    }
    return false;
}

static void begin_at(knc_bands *b, uint32_t slot)
{
    const knc_slot *x = &b->p->slot.at[slot];
    knc_why why = KNC_BECAUSE_NOTHING;
    if (x->space != KNC_AT_WORK || !may_be_member(b, x->maker) || !goes_to_member(b, slot) ||
        !knx_dim_le((int64_t)least_bytes(b), (int64_t)x->bytes))
        return;
    for (uint32_t l = b->reader[slot]; l != KNC_NO && may_be_member(b, x->maker); l = b->link.at[l].next) {
        uint32_t reader = b->link.at[l].step;
        int64_t rows[6][2];
        int n = may_be_member(b, reader) ? rows_of(b->p, &b->p->step.at[x->maker], slot, rows) : 0;
        if (n || may_be_member(b, reader))
            n += rows_of(b->p, &b->p->step.at[reader], slot, rows + n);
        for (int i = 0; i < n; i++)
            if (begin_with(b, x->maker, reader, rows[i]))
                break;
            else if (b->why > why)
                why = b->why;
    }
    if (why != KNC_BECAUSE_NOTHING && may_be_member(b, x->maker))
        b->reason[slot] = (uint8_t)why;
}

/* ---- Values that are made again. */

/* Is the step cheap enough to run a second time in another set? */
static bool is_cheap(const knc_plan *p, uint32_t step)
{
    const knc_step *s = &p->step.at[step];
    return s->kind == KNC_KERNEL ||
           (s->kind == KNC_PRODUCT && knx_dim_hint(knc_count_dims(&s->u.p.product->k)) <= KNC_BAND_SHORT);
}

/* Adds a second copy of the step that makes the value, if it is cheap, to the set; and, in the same way, of the steps
 * that make its operands of which the set has no blocks. */
static bool add_makers(knc_bands *b, knc_set *s, uint32_t number, uint32_t slot, int depth)
{
    uint32_t maker = b->p->slot.at[slot].maker;
    if (knc_maker_in(b->p, s, slot) >= 0)
        return true;
    if (!depth || maker == KNC_NO || b->band[maker] == KNC_NO || !is_cheap(b->p, maker) ||
        !try_step(b, s, number, maker, true))
        return false;
    const knc_step *x = &b->p->step.at[maker];
    for (uint32_t r = 0; r < x->n_ref; r++) {
        uint32_t from = x->ref[r].index;
        if (b->p->slot.at[from].maker != maker && knc_slot_hint(b->p, from) >= least_bytes(b) &&
            b->p->slot.at[from].maker != KNC_NO && b->band[b->p->slot.at[from].maker] == b->band[maker] &&
            !add_makers(b, s, number, from, depth - 1))
            return false;
    }
    return true;
}

/* Do only steps of the set that makes the value read it, and sets that have a copy of the step that makes it? */
static bool is_gone(const knc_bands *b, uint32_t slot)
{
    uint32_t home = b->band[b->p->slot.at[slot].maker];
    return !knc_is_kept(b, &b->set.at[home], home, slot);
}

static void forget_set(knc_bands *b, uint32_t number)
{
    const knc_set *s = &b->set.at[number];
    for (int i = 0; i < s->n; i++)
        if (!s->member[i].again) {
            b->band[s->member[i].step] = KNC_NO;
            b->node[s->member[i].step] = s->member[i].step;
            b->next[s->member[i].step] = KNC_NO;
        }
}

static bool replace_set(knc_bands *b, uint32_t number, const knc_set *s)
{
    forget_set(b, number);
    b->set.at[number].n = 0;
    if (!keep_set(b, s))
        return false;
    b->set.n--;
    b->set.at[number] = *s;
    for (int i = 0; i < s->n; i++)
        if (!s->member[i].again)
            b->band[s->member[i].step] = number;
    return true;
}

static void make_again(knc_bands *b, uint32_t number, uint32_t slot)
{
    enum { DEPTH = 4 };
    uint32_t maker = b->p->slot.at[slot].maker;
    int64_t saved;
    if (knc_slot_hint(b->p, slot) < (b->all ? 1 : knc_band_limits_of(b->p)->again) || maker == KNC_NO ||
        b->band[maker] == KNC_NO || b->band[maker] == number || knc_maker_in(b->p, &b->set.at[number], slot) >= 0 ||
        is_gone(b, slot))
        return;
    knc_set *old = knx_alloc(2 * sizeof *old), *s = old + 1;
    if (!old) {
        b->p->failed = true;
        return;
    }
    *old = *s = b->set.at[number];
    if (add_makers(b, s, number, slot, DEPTH) && choose_height(b, s, number, true, &saved)) {
        grow(b, s, number);
        if (!replace_set(b, number, s) || (!is_gone(b, slot) && !replace_set(b, number, old)))
            b->p->failed = true;
    }
    knx_free(old);
}

static void make_all_again(knc_bands *b, uint32_t number)
{
    for (int i = 0; i < b->set.at[number].n; i++) {
        const knc_step *x = &b->p->step.at[b->set.at[number].member[i].step];
        for (uint32_t r = 0; r < x->n_ref; r++)
            make_again(b, number, x->ref[r].index);
    }
}

/* Chooses the heights again: sets that were made or grew later have changed which values the earlier sets must keep. */
static void settle(knc_bands *b)
{
    int64_t saved;
    for (uint32_t i = 0; i < b->set.n; i++)
        if (!choose_height(b, &b->set.at[i], i, false, &saved)) {
            int64_t rows = knx_dim_hint(b->set.at[i].rows);
            b->set.at[i].height = even_height(&b->set.at[i], rows < 64 ? rows : 64);
        }
}

/* For reports: says of each stored value why it is in memory or exists in blocks only. */
static void note_reasons(const knc_bands *b)
{
    for (uint32_t v = 0; v < b->p->j->n_var; v++) {
        knc_value *x = &b->p->value[v];
        if (x->state != KNC_STORED || x->slot == KNC_NO)
            continue;
        const knc_slot *slot = &b->p->slot.at[x->slot];
        if (slot->in_blocks)
            x->why = slot->made_again ? KNC_BECAUSE_AGAIN : KNC_BECAUSE_BLOCKS;
        else if (b->reason[x->slot] != KNC_BECAUSE_NOTHING)
            x->why = b->reason[x->slot];
    }
}

knx_error *knc_make_bands(knc_plan *p)
{
    knc_bands b = {.p = p, .n_step = (uint32_t)p->step.n, .all = p->o->bands > 0};
    size_t rows = 0; /* steps that have them */
    if (p->o->bands < 0 || !p->o->target->bands)
        return NULL;
    for (size_t i = 0; i < p->step.n; i++)
        rows += p->step.at[i].kind != KNC_KERNEL && knc_may_join_band(p, &p->step.at[i]);
    if (!rows)
        return NULL;
    knx_error *e = NULL;
    if (!knc_begin_bands(&b))
        e = knx_error_nomem();
    for (uint32_t s = 0; !e && s < p->slot.n && !p->failed; s++)
        begin_at(&b, s);
    for (uint32_t i = 0; !e && i < b.set.n && !p->failed; i++)
        make_all_again(&b, i);
    settle(&b);
    if (!e && b.set.n && !p->failed)
        e = knc_build_bands(&b);
    if (!e)
        note_reasons(&b);
    KN_VEC_FREE(&b.link);
    KN_VEC_FREE(&b.set);
    return e;
}

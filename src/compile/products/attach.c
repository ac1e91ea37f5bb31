/* SPDX-License-Identifier: Apache-2.0
 * attach.c -- kernels before and after a product become a part of its step (docs/products.md). A kernel that only moves
 * elements becomes strides of the product; a kernel that reads the result element by element takes it from the product,
 * rectangle by rectangle, while that is in the first cache; a kernel that makes an operand computes its elements while
 * the product packs them.
 *
 * The steps have no order yet. A kernel joins a product only if no other step has to run between the two, so that no
 * steps come to wait for each other in a circle. */
#include "compile/products/attach.h"
#include <stdlib.h>
#include <string.h>

/* A product that now reads a slot itself, in place of a kernel that moved its elements. */
typedef struct further {
    uint32_t step, next; /* next: the next one of the same slot, in the order in which they were added */
} further;
/* A kernel that may become a part of a product. */
typedef struct candidate {
    uint32_t step, eqn;
} candidate;
typedef struct attacher {
    knc_plan *p;
    uint32_t n;                      /* number of steps */
    uint32_t *into;                  /* per step: the step that it has become a part of; itself: of none */
    uint32_t *group;                 /* per step: its group, KNC_NO */
    uint32_t *first_reader, *reader; /* per slot: the steps that refer to it as they were lowered */
    KN_VEC(further) further;
    KN_VEC(candidate) candidate;
    uint32_t *first_further, *last_further; /* per slot */
    uint32_t *value;                        /* per slot: the value that is stored there, KNC_NO */
    uint32_t *copies, *updates;             /* per step: the update whose copy, whose routine it is; KNC_NO */
    uint32_t *effect;                       /* per step with an effect: the step of the effect before it */
    uint32_t *seen, *stack, stamp, patience;
    uint32_t *product, n_product; /* steps of products, that of the last equation first */
} attacher;
enum { SEARCH = 1000, MAX_REFS = 72 };

static knc_step *step_at(const attacher *t, uint32_t s) { return &t->p->step.at[s]; }

static uint32_t now(const attacher *t, uint32_t s)
{
    while (s != KNC_NO && t->into[s] != s)
        s = t->into[s];
    return s;
}

atomic_uint_fast64_t knc_attach_looked;

static void looked(void) { atomic_fetch_add_explicit(&knc_attach_looked, 1, memory_order_relaxed); }

/* --- lists of readers, effects, products ------------------------------------------------------ */

static void list_readers(attacher *t)
{
    const knc_plan *p = t->p;
    for (uint32_t s = 0; s < t->n; s++)
        for (uint32_t r = 0; r < p->step.at[s].n_ref; r++)
            t->first_reader[p->step.at[s].ref[r].index + 2]++;
    for (size_t x = 0; x <= p->slot.n; x++)
        t->first_reader[x + 1] += t->first_reader[x];
    for (uint32_t s = 0; s < t->n; s++)
        for (uint32_t r = 0; r < p->step.at[s].n_ref; r++)
            t->reader[t->first_reader[p->step.at[s].ref[r].index + 1]++] = s;
}

static void list_effects(attacher *t, uint32_t *step)
{
    const kni_jaxpr *j = t->p->j;
    uint32_t last = KNC_NO;
    memset(step, 0xff, ((size_t)j->n_eqn + 1) * sizeof *step);
    for (uint32_t s = 0; s < t->n; s++) {
        const knc_step *at = step_at(t, s);
        if (!knc_is_kernel(at) && at->kind != KNC_COPY &&
            (kni_bits(j->eqn[at->eqn].prim, j->eqn[at->eqn].params) & KN_EFFECT))
            step[at->eqn] = s;
    }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (step[i] != KNC_NO) {
            t->effect[step[i]] = last;
            last = step[i];
        }
}

static void list_products(attacher *t, uint32_t *step)
{
    uint32_t n = t->p->j->n_eqn;
    memset(step, 0xff, ((size_t)n + 1) * sizeof *step);
    for (uint32_t s = 0; s < t->n; s++)
        if (step_at(t, s)->kind == KNC_PRODUCT)
            step[step_at(t, s)->eqn] = s;
    for (uint32_t i = n; i-- > 0;)
        if (step[i] != KNC_NO)
            t->product[t->n_product++] = step[i];
}

static uint32_t *room(attacher *t, size_t n, int byte)
{
    uint32_t *p = knx_arena_alloc(&t->p->scratch, (n + 3) * sizeof *p);
    if (p)
        memset(p, byte, (n + 3) * sizeof *p);
    return p;
}

static bool begin(attacher *t)
{
    knc_plan *p = t->p;
    size_t refs = 0, slots = p->slot.n;
    for (uint32_t s = 0; s < t->n; s++)
        refs += p->step.at[s].n_ref;
    t->into = room(t, t->n, 0);
    t->group = room(t, t->n, 0xff);
    t->first_reader = room(t, slots, 0);
    t->reader = room(t, refs, 0);
    t->first_further = room(t, slots, 0xff);
    t->last_further = room(t, slots, 0xff);
    t->value = room(t, slots, 0xff);
    t->copies = room(t, t->n, 0xff);
    t->updates = room(t, t->n, 0xff);
    t->effect = room(t, t->n, 0xff);
    t->seen = room(t, t->n, 0);
    t->stack = room(t, t->n, 0);
    t->product = room(t, t->n, 0);
    uint32_t *step = room(t, p->j->n_eqn, 0);
    if (!t->into || !t->group || !t->first_reader || !t->reader || !t->value || !t->copies || !t->updates ||
        !t->effect || !t->seen || !t->stack || !t->product || !step || !t->first_further || !t->last_further)
        return false;
    t->patience = t->n < UINT32_MAX / 64 - SEARCH ? 64 * (t->n + SEARCH) : UINT32_MAX;
    for (uint32_t s = 0; s < t->n; s++)
        t->into[s] = s;
    for (uint32_t g = 0; g < p->group.n; g++)
        if (p->group.at[g].parent == g && p->group.at[g].step != KNC_NO)
            t->group[p->group.at[g].step] = g;
    for (uint32_t v = 0; v < p->j->n_var; v++)
        if (p->value[v].state == KNC_STORED && p->value[v].slot != KNC_NO)
            t->value[p->value[v].slot] = v;
    for (size_t i = 0; i < p->update.n; i++) {
        t->copies[p->update.at[i].copy] = (uint32_t)i;
        t->updates[p->update.at[i].step] = (uint32_t)i;
    }
    list_readers(t);
    list_effects(t, step);
    list_products(t, step);
    return true;
}

/* --- questions -------------------------------------------------------------------------------- */

/* The next step that refers to the slot and does not make it. *at: where the search goes on, 0 at first. KNC_NO: there
 * is no further one. A step with several references to the slot comes several times. */
static uint32_t next_reader(const attacher *t, uint32_t slot, uint32_t *at)
{
    uint32_t n = t->first_reader[slot + 1] - t->first_reader[slot], maker = now(t, t->p->slot.at[slot].maker);
    while (*at < n) {
        uint32_t s = now(t, t->reader[t->first_reader[slot] + (*at)++]);
        looked();
        if (s != KNC_NO && s != maker)
            return s;
    }
    /* after the n readers *at is n + 1 + the index of the last entry of `further` that was visited */
    uint32_t i = *at == n ? t->first_further[slot] : t->further.at[*at - n - 1].next;
    for (; i != KNC_NO; i = t->further.at[i].next) {
        uint32_t s = now(t, t->further.at[i].step);
        *at = n + 1 + i;
        looked();
        if (s != KNC_NO && s != maker)
            return s;
    }
    return KNC_NO;
}

/* Is the step the slot's only reader, and the slot no operand or output of the program? */
static bool reads_alone(const attacher *t, uint32_t slot, uint32_t step)
{
    uint32_t at = 0, s;
    if (t->p->slot.at[slot].space != KNC_AT_WORK)
        return false;
    while ((s = next_reader(t, slot, &at)) != KNC_NO)
        if (s != step)
            return false;
    return true;
}

static void look_at(attacher *t, uint32_t s, uint32_t *n)
{
    s = now(t, s);
    looked();
    if (s == KNC_NO || t->seen[s] == t->stamp)
        return;
    t->seen[s] = t->stamp;
    t->stack[(*n)++] = s;
}

/* Puts the steps that have to run right before s on the stack. The copy that an update begins with has to run after all
 * steps that make what the update reads. */
static void look_before(attacher *t, uint32_t s, uint32_t *n)
{
    const knc_update *u = t->copies[s] == KNC_NO ? NULL : &t->p->update.at[t->copies[s]];
    for (int both = 0; both < (u ? 2 : 1); both++) {
        const knc_step *x = step_at(t, both ? u->step : s);
        for (uint32_t r = 0; r < x->n_ref; r++) {
            uint32_t maker = x->ref[r].index == KNC_NO ? KNC_NO : now(t, t->p->slot.at[x->ref[r].index].maker);
            if (maker != KNC_NO && maker != s && !(u && maker == u->step))
                look_at(t, maker, n);
        }
    }
    if (t->effect[s] != KNC_NO)
        look_at(t, t->effect[s], n);
    if (t->updates[s] != KNC_NO)
        look_at(t, t->p->update.at[t->updates[s]].copy, n);
}

/* Does a path of steps between them make `late` wait for `early`? True also if the search takes too long. */
static bool waits_for(attacher *t, uint32_t late, uint32_t early)
{
    uint32_t n = 0;
    t->stamp++;
    t->seen[late] = t->seen[early] = t->stamp;
    look_before(t, late, &n);
    while (n) {
        if (!t->patience)
            return true;
        t->patience--;
        uint32_t s = t->stack[--n];
        t->seen[early] = 0; /* a path through s may end there */
        look_before(t, s, &n);
        if (t->seen[early] == t->stamp)
            return true;
    }
    return false;
}

/* Would one of the two steps, run together with the other, read a value after its update? True if one has no group. */
static bool is_too_late(const attacher *t, uint32_t x, uint32_t y)
{
    if (t->group[x] == KNC_NO || t->group[y] == KNC_NO)
        return true;
    const knc_group *a = &t->p->group.at[t->group[x]], *b = &t->p->group.at[t->group[y]];
    return (a->level < a->limit && b->level >= a->limit) || (b->level < b->limit && a->level >= b->limit);
}

static bool fits(const knk_product *q, knc_side side, const knc_meeting *m, knc_fit *fit)
{
    int64_t first = m->offset;
    int64_t own = side == KNC_SIDE_A ? q->a_offset : side == KNC_SIDE_B ? q->b_offset : q->c_offset;
    if (own || !knc_fit_loops(q, side, m->n_loop, m->extent, m->stride, fit))
        return false;
    for (int l = 0; l < m->n_loop; l++)
        if (fit->back >> l & 1)
            first = knx_dim_add(first, knx_dim_mul(m->extent[l] - 1, m->stride[l]));
    return knx_dim_same(first, 0);
}

/* --- changes ---------------------------------------------------------------------------------- */

static void note(attacher *t, uint32_t slot, knc_state state, knc_why why)
{
    if (t->value[slot] != KNC_NO) {
        t->p->value[t->value[slot]].state = (uint8_t)state;
        t->p->value[t->value[slot]].why = (uint8_t)why;
    }
}

static void refuse(attacher *t, uint32_t slot, knc_why why) { note(t, slot, KNC_STORED, why); }

/* The kernel s is no step any more. into: the step that now does its work, KNC_NO: several steps do. The kernel's
 * references belong to other steps by now. */
static void vanish(attacher *t, uint32_t s, uint32_t into)
{
    knc_step *x = step_at(t, s);
    t->p->group.at[t->group[s]].step = into;
    t->into[s] = into;
    if (into != KNC_NO && t->group[into] != KNC_NO) {
        const knc_group *a = &t->p->group.at[t->group[s]];
        knc_group *b = &t->p->group.at[t->group[into]];
        b->level = a->level > b->level ? a->level : b->level;
        b->limit = a->limit < b->limit ? a->limit : b->limit;
        step_at(t, into)->eqn = x->eqn > step_at(t, into)->eqn ? x->eqn : step_at(t, into)->eqn;
    }
    knk_release(x->u.k.kernel);
    x->u.k.kernel = NULL;
    x->kind = KNC_COPY;
    x->n_ref = 0;
}

static knk_product *product_of(const knc_step *s) { return (knk_product *)(uintptr_t)s->u.p.product; }

static uint32_t count_refs(const knc_step *s, uint32_t slot)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < s->n_ref; r++)
        n += s->ref[r].index == slot;
    return n;
}

/* Adds the references of a kernel, but for those to the slot `but`, to the product's step, which becomes the maker of
 * all that the kernel stores. */
static knx_error *add_refs(attacher *t, uint32_t product, const knc_step *kernel, uint32_t but)
{
    knc_step *s = step_at(t, product);
    uint32_t n = s->n_ref + kernel->n_ref;
    knc_ref *ref = knx_arena_alloc(&t->p->p->arena, (n + 1) * sizeof *ref);
    bool *writes = knx_arena_alloc(&t->p->p->arena, n + 1);
    if (!ref || !writes)
        return knx_error_nomem();
    memcpy(ref, s->ref, s->n_ref * sizeof *ref);
    memcpy(writes, s->u.p.writes, s->n_ref);
    n = s->n_ref;
    for (uint32_t b = 0; b < kernel->n_ref; b++) {
        if (kernel->ref[b].index == but)
            continue;
        ref[n] = kernel->ref[b];
        writes[n] = kernel->u.k.kernel->buffer[b].written;
        if (writes[n])
            t->p->slot.at[ref[n].index].maker = product;
        n++;
    }
    s->ref = ref;
    s->u.p.writes = writes;
    s->n_ref = n;
    return NULL;
}

/* Is the memory of reference r one that none of the references before it has? Temporaries share one, literals too. */
static bool is_further(const attacher *t, const knc_ref *const *ref, uint32_t r)
{
    const knc_slot *s = &t->p->slot.at[ref[r]->index];
    for (uint32_t i = 0; i < r; i++) {
        const knc_slot *x = &t->p->slot.at[ref[i]->index];
        if (ref[i]->index == ref[r]->index ||
            (s->space == x->space && (s->space == KNC_AT_WORK || s->space == KNC_AT_LITERAL)))
            return false;
    }
    return true;
}

/* Can the target bind all memories of the two steps together? Where it makes one launch of them. drop: all but the
 * memory of the slot `but`. */
static bool has_memories(const attacher *t, const knc_step *s, const knc_step *kernel, uint32_t but, bool drop)
{
    const knc_ref *ref[5 * MAX_REFS];
    uint32_t n = 0, memories = 0;
    for (uint32_t i = 0; i < s->n_ref + kernel->n_ref; i++) {
        const knc_ref *r = i < s->n_ref ? &s->ref[i] : &kernel->ref[i - s->n_ref];
        if (r->index != KNC_NO && (r->index != but || (i < s->n_ref && !drop)))
            ref[n++] = r;
    }
    for (uint32_t i = 0; i < n; i++)
        memories += is_further(t, ref, i);
    return !t->p->o->target->joins_all || memories <= t->p->o->target->max_buffers;
}

/* Makes kernel k a part of the product's step; *out: NULL if it does not fit. drop: the product's own reference to the
 * value between them, which is not in memory any more; NULL: the value stays in memory. */
static knx_error *join(attacher *t, uint32_t product, uint32_t k, knc_side side, const knc_meeting *m,
                       const knc_fit *fit, uint32_t keep, uint32_t *drop, const knc_attached **out)
{
    uint32_t number[MAX_REFS];
    knc_step *s = step_at(t, product), *kernel = step_at(t, k);
    *out = NULL;
    if (kernel->n_ref > MAX_REFS || !has_memories(t, s, kernel, m->slot, drop != NULL))
        return NULL;
    for (uint32_t i = 0; i < kernel->n_ref; i++)
        number[i] = s->n_ref + i;
    const knc_attached *x;
    KN_TRY(knc_attach_kernel(t->p, kernel, side, m, fit, number, keep, &x));
    if (!x)
        return NULL;
    knx_error *e = add_refs(t, product, kernel, m->slot);
    if (e) {
        knk_release(x->kernel);
        return e;
    }
    *out = x;
    if (drop) {
        s->ref[*drop].index = KNC_NO;
        *drop = KNC_NO;
        t->p->slot.at[m->slot].maker = KNC_NO;
    }
    vanish(t, k, product);
    return NULL;
}

/* is_small_result, is_small_operand: does it cost little to pass the value through memory? Measured on the host: a
 * result that is small beside the operands, or an operand that stays in the second cache, gains nothing if its kernel
 * joins; in a batch of small matrices the kernel would be called for each of them. */
bool knc_attach_small;
enum { RESULT_PART = 16, CALL_ELEMENTS = 1024, THIN_ROWS = 4 };

static int64_t count(const knk_dims *d) { return knx_dim_size(d->n, d->extent); }

static bool is_small_result(const knc_target *t, const knk_product *q)
{
    int64_t m = count(&q->m), n = count(&q->n), each = knx_dim_mul(m, n), bytes = knx_dim_mul(each, q->result->size),
            others = knx_dim_mul(knx_dim_add(m, n), knx_dim_mul(count(&q->k), q->operand->size));
    return !knc_attach_small && !t->joins_all &&
           (knx_dim_lt(knx_dim_mul(bytes, count(&q->batch)), (int64_t)t->first_cache) ||
            knx_dim_lt(each, CALL_ELEMENTS) || knx_dim_lt(knx_dim_mul(RESULT_PART, bytes), others));
}

/* Are the elements worked out from narrower numbers? A few rows times such a matrix read it as it is
 * (host/routine/product_narrow.h). */
static bool is_widened(const knk_product *q, const knk_kernel *x)
{
    for (int i = 0; i < x->n_buffer; i++)
        if (2 * knx_dtype_table[x->buffer[i].dtype].size <= q->operand->size)
            return true;
    return false;
}

static bool is_small_operand(const knc_target *t, const knk_product *q, knc_side side, const knk_kernel *x)
{
    int64_t rows = count(side == KNC_SIDE_A ? &q->m : &q->n), others = count(side == KNC_SIDE_A ? &q->n : &q->m),
            each = knx_dim_mul(rows, count(&q->k)),
            bytes = knx_dim_mul(each, knx_dim_mul(count(&q->batch), q->operand->size));
    return !knc_attach_small && !t->joins_all &&
           (knx_dim_lt(bytes, (int64_t)(t->second_cache / 4)) || knx_dim_lt(each, CALL_ELEMENTS) ||
            (knx_dim_le(others, THIN_ROWS) && !is_widened(q, x) && knx_dim_lt(bytes, (int64_t)(2 * t->second_cache))));
}

/* --- the result ------------------------------------------------------------------------------- */

/* Asks the product for elements that are adjacent along the rows (the group m), since most of what the kernel reads and
 * stores is. The strides of the result can say so because the product does not store the result itself. */
static void turn_result(knk_product *q)
{
    knk_dims *group[] = {&q->m, &q->n, &q->batch};
    int64_t stride = 1;
    for (int g = 0; g < 3; g++)
        for (int i = group[g]->n - 1; i >= 0; i--) {
            group[g]->c[i] = stride;
            stride = knx_dim_mul(stride, group[g]->extent[i] ? group[g]->extent[i] : 1);
        }
    q->c_offset = 0;
}

/* Makes kernel k the `finish` of the product, which takes its result. *why: KNC_BECAUSE_NOTHING, or why it cannot. */
static knx_error *try_finish(attacher *t, uint32_t product, uint32_t k, knc_why *why)
{
    knc_step *s = step_at(t, product), *kernel = step_at(t, k);
    uint32_t slot = s->ref[s->u.p.c].index;
    knc_meeting m;
    knc_fit fit;
    const knk_kernel *x = kernel->u.k.kernel;
    *why = x->n_stage != 1 || x->stage[0].n_inner ? KNC_BECAUSE_JOINED : KNC_BECAUSE_UNEVEN;
    if (!knc_meets(kernel, slot, s->u.p.product->result, false, &m) || !fits(s->u.p.product, KNC_SIDE_C, &m, &fit))
        return NULL;
    const knk_product *q = s->u.p.product;
    *why = KNC_BECAUSE_FULL;
    if (is_small_result(t->p->o->target, q))
        *why = KNC_BECAUSE_SMALL;
    else if (is_too_late(t, product, k))
        *why = KNC_BECAUSE_OLD;
    else if (waits_for(t, k, product))
        *why = KNC_BECAUSE_CIRCLE;
    if (*why != KNC_BECAUSE_FULL)
        return NULL;
    bool keep = !reads_alone(t, slot, k);
    KN_TRY(
        join(t, product, k, KNC_SIDE_C, &m, &fit, keep ? s->u.p.c : KNC_NO, keep ? NULL : &s->u.p.c, &s->u.p.finish));
    if (s->u.p.finish) {
        *why = KNC_BECAUSE_NOTHING;
        if (s->u.p.finish->across[0])
            turn_result(product_of(s));
        if (!keep)
            note(t, slot, KNC_INLINE, KNC_BECAUSE_FINISH);
        else if (t->p->slot.at[slot].space == KNC_AT_WORK)
            note(t, slot, KNC_STORED, KNC_BECAUSE_SHARED);
    }
    return NULL;
}

static int by_equation(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    uint32_t p = x->eqn != y->eqn ? x->eqn : x->step, q = x->eqn != y->eqn ? y->eqn : y->step;
    return (p > q) - (p < q);
}

/* Lists the kernels that read the slot in t->candidate, in the order of their equations. False without memory. */
static bool find_kernels(attacher *t, uint32_t slot)
{
    uint32_t at = 0, k;
    t->candidate.n = 0;
    while ((k = next_reader(t, slot, &at)) != KNC_NO) {
        candidate x = {.step = k, .eqn = step_at(t, k)->eqn};
        if (step_at(t, k)->kind == KNC_KERNEL && !KN_VEC_PUSH(&t->candidate, x))
            return false;
    }
    if (t->candidate.n > 1)
        qsort(t->candidate.at, t->candidate.n, sizeof *t->candidate.at, by_equation);
    return true;
}

/* Makes the first kernel that can take the product's result its `finish`. A kernel that cannot changes nothing. */
static knx_error *finish_product(attacher *t, uint32_t product)
{
    const knc_step *s = step_at(t, product);
    uint32_t slot = s->ref[s->u.p.c].index;
    knc_why why = KNC_BECAUSE_NOTHING;
    if (s->u.p.finish)
        return NULL;
    if (!find_kernels(t, slot))
        return knx_error_nomem();
    for (size_t i = 0; i < t->candidate.n && !s->u.p.finish; i++) {
        looked();
        if (i && t->candidate.at[i].eqn == t->candidate.at[i - 1].eqn) /* it reads the slot twice */
            continue;
        KN_TRY(try_finish(t, product, t->candidate.at[i].step, &why));
        int known = t->value[slot] == KNC_NO ? KNC_BECAUSE_FINISH : t->p->value[t->value[slot]].why;
        if (why && (known == KNC_BECAUSE_RUN || known == KNC_BECAUSE_JOINED)) /* these two say least */
            refuse(t, slot, why);
    }
    return NULL;
}

/* If the only reader of the result is a kernel that moves its elements, the product writes them there itself. */
static bool place_result(attacher *t, uint32_t product)
{
    knc_step *s = step_at(t, product);
    uint32_t slot = s->ref[s->u.p.c].index, at = 0, k = next_reader(t, slot, &at);
    knc_meeting from, to;
    knc_fit fit;
    if (k == KNC_NO || step_at(t, k)->kind != KNC_KERNEL || !reads_alone(t, slot, k) ||
        !knc_only_moves(step_at(t, k), s->u.p.product->result, &from, &to) || from.slot != slot || from.ref_offset ||
        is_too_late(t, product, k) || !fits(s->u.p.product, KNC_SIDE_C, &from, &fit) ||
        !knc_restride(product_of(s), KNC_SIDE_C, &fit, to.extent, to.stride, to.offset))
        return false;
    s->ref[s->u.p.c] = (knc_ref){.index = to.slot};
    t->p->slot.at[to.slot].maker = product;
    t->p->slot.at[slot].maker = KNC_NO;
    note(t, slot, KNC_INLINE, KNC_BECAUSE_PLACED);
    vanish(t, k, product);
    return true;
}

/* --- operands --------------------------------------------------------------------------------- */

static uint32_t *operand(knc_step *s, knc_side side) { return side == KNC_SIDE_A ? &s->u.p.a : &s->u.p.b; }

/* *q: the product, but that it reads the value `from`, by its strides, where it read `to`. False: it cannot. */
static bool restrided(const attacher *t, uint32_t product, const knc_meeting *from, const knc_meeting *to,
                      knk_product *q)
{
    const knc_step *s = step_at(t, product);
    *q = *s->u.p.product;
    uint32_t n = 0;
    for (knc_side side = KNC_SIDE_A; side <= KNC_SIDE_B; side++) {
        knc_ref ref = s->ref[side == KNC_SIDE_A ? s->u.p.a : s->u.p.b];
        knc_fit fit;
        if (ref.index != to->slot)
            continue;
        if (ref.offset || !fits(q, side, to, &fit) ||
            !knc_restride(q, side, &fit, from->extent, from->stride, from->offset))
            return false;
        n++;
    }
    return n == count_refs(s, to->slot);
}

static bool add_reader(attacher *t, uint32_t slot, uint32_t step)
{
    uint32_t i = (uint32_t)t->further.n, last = t->last_further[slot];
    if (!KN_VEC_PUSH(&t->further, ((further){step, KNC_NO})))
        return false;
    *(last == KNC_NO ? &t->first_further[slot] : &t->further.at[last].next) = i;
    t->last_further[slot] = i;
    return true;
}

static knx_error *read_source(attacher *t, uint32_t product, const knc_meeting *from, uint32_t slot)
{
    const knc_step *s = step_at(t, product);
    if (!add_reader(t, from->slot, product))
        return knx_error_nomem();
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].index == slot)
            s->ref[r] = (knc_ref){.index = from->slot, .offset = from->ref_offset};
    return NULL;
}

/* If a kernel does nothing but move elements to an operand that only products read, the products read these elements
 * where the kernel reads them, and the kernel goes away. */
static knx_error *move_operand(attacher *t, uint32_t product, knc_side side)
{
    knc_step *s = step_at(t, product);
    uint32_t slot = s->ref[*operand(s, side)].index, k = now(t, t->p->slot.at[slot].maker), n = 0, at = 0, reader;
    knc_meeting from, to;
    if (k == KNC_NO || step_at(t, k)->kind != KNC_KERNEL || t->p->slot.at[slot].space != KNC_AT_WORK ||
        !knc_only_moves(step_at(t, k), s->u.p.product->operand, &from, &to) || to.slot != slot)
        return NULL;
    for (; (reader = next_reader(t, slot, &at)) != KNC_NO; n++)
        if (step_at(t, reader)->kind != KNC_PRODUCT || is_too_late(t, reader, k))
            return NULL;
    knk_product *q = knx_arena_alloc(&t->p->scratch, (n + 1) * sizeof *q);
    if (!q)
        return knx_error_nomem();
    at = n = 0;
    for (; (reader = next_reader(t, slot, &at)) != KNC_NO; n++)
        if (!restrided(t, reader, &from, &to, &q[n])) {
            refuse(t, slot, KNC_BECAUSE_UNEVEN);
            return NULL;
        }
    bool several = false;
    at = n = 0;
    for (; (reader = next_reader(t, slot, &at)) != KNC_NO; n++) {
        several |= reader != product;
        if (count_refs(step_at(t, reader), slot)) /* else it read the slot twice and is done */
            *product_of(step_at(t, reader)) = q[n];
        KN_TRY(read_source(t, reader, &from, slot));
    }
    note(t, slot, KNC_INLINE, KNC_BECAUSE_STRIDES);
    t->p->slot.at[slot].maker = KNC_NO;
    vanish(t, k, several ? KNC_NO : product);
    return NULL;
}

/* Would the kernel compute its elements too often? The product may ask for an element of one operand once for each
 * packed piece of the other operand, and in each thread. If the other operand has few rows it is surely one piece. */
static bool is_often(const knc_step *s, knc_side side, const knk_kernel *k)
{
    enum { FEW_ROWS = 64, CHEAP = 8 };
    return knk_cost(k) > CHEAP &&
           knx_dim_lt(FEW_ROWS, count(side == KNC_SIDE_A ? &s->u.p.product->n : &s->u.p.product->m));
}

static uint32_t stores_to(const knc_step *s)
{
    uint32_t n = 0;
    for (int b = 0; b < s->u.k.kernel->n_buffer; b++)
        n += s->u.k.kernel->buffer[b].written;
    return n;
}

/* Makes the kernel that stores an operand a part of the product's step, which calls it where it packs that operand. */
static knx_error *fill_operand(attacher *t, uint32_t product, knc_side side)
{
    knc_step *s = step_at(t, product);
    knc_ref ref = s->ref[*operand(s, side)];
    uint32_t k = now(t, t->p->slot.at[ref.index].maker);
    knc_meeting m;
    knc_fit fit;
    if (k == KNC_NO || step_at(t, k)->kind != KNC_KERNEL)
        return NULL;
    const knc_step *kernel = step_at(t, k);
    const knk_kernel *x = kernel->u.k.kernel;
    knc_why why = KNC_BECAUSE_NOTHING;
    if (x->n_stage != 1 || x->stage[0].n_inner)
        why = KNC_BECAUSE_JOINED;
    else if (stores_to(kernel) != 1 || count_refs(s, ref.index) != 1 || !reads_alone(t, ref.index, product))
        why = KNC_BECAUSE_WIDELY;
    else if (side == KNC_SIDE_A && s->u.p.product->n_window)
        why = KNC_BECAUSE_WINDOWS;
    else if (ref.offset || !knc_meets(kernel, ref.index, s->u.p.product->operand, true, &m) ||
             !fits(s->u.p.product, side, &m, &fit))
        why = KNC_BECAUSE_UNEVEN;
    else if (is_small_operand(t->p->o->target, s->u.p.product, side, x))
        why = KNC_BECAUSE_SMALL;
    else if (is_often(s, side, x))
        why = KNC_BECAUSE_OFTEN;
    else if (is_too_late(t, product, k))
        why = KNC_BECAUSE_OLD;
    else if (waits_for(t, product, k))
        why = KNC_BECAUSE_CIRCLE;
    const knc_attached **out = side == KNC_SIDE_A ? &s->u.p.fill_a : &s->u.p.fill_b;
    if (!why) {
        KN_TRY(join(t, product, k, side, &m, &fit, KNC_NO, operand(s, side), out));
        why = *out ? KNC_BECAUSE_NOTHING : KNC_BECAUSE_FULL;
    }
    if (*out)
        note(t, ref.index, KNC_INLINE, KNC_BECAUSE_FILL);
    else if (t->value[ref.index] != KNC_NO && t->p->value[t->value[ref.index]].why == KNC_BECAUSE_ROUTINE)
        refuse(t, ref.index, why);
    return NULL;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Closes the gaps in the references of a product's step: those that are KNC_NO by now. */
static void close_refs(knc_step *s)
{
    uint32_t number[4 * MAX_REFS], n = 0, *direct[] = {&s->u.p.a, &s->u.p.b, &s->u.p.c};
    bool *writes = (bool *)(uintptr_t)s->u.p.writes;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        number[r] = n;
        s->ref[n] = s->ref[r];
        writes[n] = writes[r];
        n += s->ref[r].index != KNC_NO;
    }
    for (int i = 0; i < 3; i++)
        *direct[i] = *direct[i] == KNC_NO ? KNC_NO : number[*direct[i]];
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    for (int i = 0; i < 3; i++)
        for (int b = 0; all[i] && b < all[i]->kernel->n_buffer; b++) {
            uint32_t *ref = (uint32_t *)(uintptr_t)&all[i]->ref[b];
            *ref = *ref == KNC_NO ? KNC_NO : number[*ref];
        }
    s->n_ref = n;
}

/* Where a kernel could store a value over one that it reads, the product that has taken in the kernel can do so, too,
 * if no other part of its step refers to either value. */
static void settle_reuse(attacher *t)
{
    knc_plan *p = t->p;
    size_t n = 0;
    for (size_t i = 0; i < p->reuse.n; i++) {
        knc_reuse r = p->reuse.at[i];
        uint32_t s = now(t, r.step);
        const knc_step *x = s == KNC_NO ? NULL : step_at(t, s);
        if (!x || (x->kind == KNC_PRODUCT &&
                   (count_refs(x, r.from) != 1 || count_refs(x, r.to) != 1 || now(t, p->slot.at[r.from].maker) == s)))
            continue;
        r.step = s;
        p->reuse.at[n++] = r;
    }
    p->reuse.n = n;
}

static void renumber(attacher *t)
{
    knc_plan *p = t->p;
    uint32_t n = 0, *number = t->stack;
    settle_reuse(t);
    for (uint32_t s = 0; s < t->n; s++) {
        number[s] = n;
        if (t->into[s] == s)
            p->step.at[n++] = p->step.at[s];
    }
    for (size_t x = 0; x < p->slot.n; x++)
        if (p->slot.at[x].maker != KNC_NO)
            p->slot.at[x].maker = number[now(t, p->slot.at[x].maker)];
    for (size_t i = 0; i < p->reuse.n; i++)
        p->reuse.at[i].step = number[p->reuse.at[i].step];
    for (size_t i = 0; i < p->update.n; i++) {
        p->update.at[i].copy = number[p->update.at[i].copy];
        p->update.at[i].step = number[p->update.at[i].step];
    }
    for (size_t g = 0; g < p->group.n; g++) {
        uint32_t s = now(t, p->group.at[g].step);
        p->group.at[g].step = s == KNC_NO ? KNC_NO : number[s];
    }
    p->step.n = n;
}

static knx_error *attach_all(attacher *t)
{
    for (uint32_t i = 0; i < t->n_product; i++) {
        KN_TRY(move_operand(t, t->product[i], KNC_SIDE_A));
        KN_TRY(move_operand(t, t->product[i], KNC_SIDE_B));
        place_result(t, t->product[i]);
    }
    if (!t->p->o->target->attaches)
        return NULL;
    for (uint32_t i = 0; i < t->n_product; i++)
        KN_TRY(finish_product(t, t->product[i]));
    for (uint32_t i = 0; i < t->n_product; i++) {
        KN_TRY(fill_operand(t, t->product[i], KNC_SIDE_A));
        KN_TRY(fill_operand(t, t->product[i], KNC_SIDE_B));
    }
    return NULL;
}

knx_error *knc_attach(knc_plan *p)
{
    attacher t = {.p = p, .n = (uint32_t)p->step.n};
    bool any = false;
    for (uint32_t s = 0; s < t.n; s++)
        any |= p->step.at[s].kind == KNC_PRODUCT;
    if (!any)
        return NULL;
    if (!begin(&t))
        return knx_error_nomem();
    knx_error *e = attach_all(&t);
    KN_VEC_FREE(&t.further);
    KN_VEC_FREE(&t.candidate);
    KN_TRY(e);
    for (uint32_t i = 0; i < t.n_product; i++)
        close_refs(step_at(&t, t.product[i]));
    renumber(&t);
    return NULL;
}

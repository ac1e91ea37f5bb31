/* SPDX-License-Identifier: Apache-2.0
 * lower_plan.c -- from the nodes of a stage to lists of items: what is the same for all lanes, what the lane loop does,
 * what only cold selects need; when each value is used next. */
#include "host/x86/lower_internal.h"
#include <string.h>

enum { LIVE = KNH_NODE_LIVE, UNIFORM = KNH_NODE_UNIFORM, PLACED = KNH_NODE_PLACED, EXPORTED = KNH_NODE_EXPORTED };

static uint8_t *flags_of(knh_low *l, knk_node x) { return &l->flags[x - knh_low_stage(l)->first]; }
static int32_t region_of(const knh_low *l, knk_node x) { return l->region[x - knh_low_stage(l)->first]; }

static int stream_for(const knh_low *l, const knk_inst *n)
{
    if (n->op == KNK_INDEX)
        return knh_stream_of(l->stream, l->n_stream, KNH_NUMBER, -1, n->map, KNK_NONE);
    return knh_stream_of(l->stream, l->n_stream, KNH_MEMORY, n->buffer, n->map, KNK_NONE);
}

/* Is the operand one value for all lanes? Absent ones are. */
static bool is_uniform(knh_low *l, knk_node x)
{
    if (x < 0 || l->node[x].op == KNK_CONST)
        return true;
    if (knh_low_inside(l, x))
        return *flags_of(l, x) & UNIFORM;
    return l->r->cls[knh_stream_of(l->stream, l->n_stream, KNH_IMPORT, -1, -1, x)] == KNK_STRIDE_ZERO;
}

static void find_live_and_uniform(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    for (int s = 0; s < l->n_stream; s++)
        if (l->stream[s].kind == KNH_EXPORT)
            *flags_of(l, l->stream[s].node) |= EXPORTED | LIVE;
    do {
        for (int i = st->end - 1; i >= st->first; i--) {
            const knk_inst *n = &l->node[i];
            if (n->op == KNK_STORE || n->op == KNK_REDUCE)
                *flags_of(l, i) |= LIVE;
            for (int j = 0; j < 3 && (*flags_of(l, i) & LIVE); j++)
                if (knh_low_inside(l, knk_operand(n, j)))
                    *flags_of(l, knk_operand(n, j)) |= LIVE;
        }
    } while (knh_low_wake_loops(l));
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        bool same = n->op != KNK_STORE && n->op != KNK_REDUCE && n->op != KNK_LAST && (*flags_of(l, i) & LIVE) &&
                    knh_low_level(l, i) < 0;
        for (int j = 0; same && j < 3; j++)
            same = is_uniform(l, knk_operand(n, j));
        if (same && (n->op == KNK_LOAD || n->op == KNK_INDEX))
            same = l->r->cls[stream_for(l, n)] == KNK_STRIDE_ZERO;
        if (same)
            *flags_of(l, i) |= UNIFORM;
    }
}

/* Are the two dtypes held in the same way? */
static bool same_form(int a, int b)
{
    return a == b || (knk_size(a) == knk_size(b) && (knk_size(a) >= 4 || (knk_is_half_id(a) && knk_is_half_id(b))));
}

/* Is the node its operand, under another name? A bitcast that changes nothing, or a number's low half. */
static bool is_other_name(knh_low *l, knk_node x)
{
    const knk_inst *n = &l->node[x];
    if (n->op == KNK_CAST)
        return knh_low_inside(l, n->a) && *flags_of(l, n->a) & KNH_NODE_SHORT;
    return n->op == KNK_BITCAST && same_form(n->dtype, l->node[n->a].dtype);
}

/* Numbers of lanes that are all read as 32-bit integers need no 64 bits: whoever counts for random numbers. */
static void find_short_numbers(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        bool low = n->op == KNK_CAST && (n->dtype == KN_ID_I32 || n->dtype == KN_ID_U32);
        if (n->op == KNK_INDEX && (*flags_of(l, i) & (LIVE | UNIFORM | EXPORTED)) == LIVE &&
            l->r->cls[stream_for(l, n)] != KNK_STRIDE_ANY)
            *flags_of(l, i) |= KNH_NODE_SHORT;
        for (int j = 0; j < 3 && (*flags_of(l, i) & LIVE) && !low; j++)
            if (knh_low_inside(l, knk_operand(n, j)))
                *flags_of(l, knk_operand(n, j)) &= (uint8_t)~KNH_NODE_SHORT;
    }
}

int32_t knh_low_new_value(knh_low *l, knk_node x)
{
    const knk_inst *n = &l->node[x];
    int32_t i = l->n_value++;
    knh_value *v = &l->value[i];
    bool is_short = knh_low_inside(l, x) && *flags_of(l, x) & KNH_NODE_SHORT;
    *v = (knh_value){.node = x,
                     .dtype = is_short ? KN_ID_I32 : n->dtype,
                     .single = -1,
                     .home = -1,
                     .input = -1,
                     .born = -1,
                     .kept = -1,
                     .feeds = -1};
    v->kind = n->op == KNK_CONST ? KNH_VALUE_CONSTANT : is_uniform(l, x) ? KNH_VALUE_UNIFORM : KNH_VALUE_LANE;
    v->part = v->kind == KNH_VALUE_UNIFORM ? KNH_ROW : KNH_BODY;
    v->mask = knh_is_mask(&l->lane_form, n->dtype);
    return i;
}

static int32_t new_value(knh_low *l, knk_node x) { return l->value_of[x] = knh_low_new_value(l, x); }

knh_item knh_low_item(knh_low *l, knh_item_kind kind, knk_node x)
{
    knh_item it = {.kind = (uint8_t)kind, .node = x, .stream = -1, .def = -1, .use = {-1, -1, -1}, .index = -1};
    const knk_inst *n = &l->node[x];
    if (kind == KNH_ITEM_LOAD || kind == KNH_ITEM_STORE || kind == KNH_ITEM_INDEX)
        it.stream = (int16_t)stream_for(l, n);
    return it;
}

void knh_low_push(knh_low *l, knh_list *list, const knh_item *it)
{
    if (list == &l->body && it->def >= 0)
        l->value[it->def].born = (int32_t)list->item.n;
    if (!KN_VEC_PUSH(&list->item, *it))
        l->no_memory = true;
}

static void place_import(knh_low *l, knk_node x, int32_t v)
{
    knh_item it = knh_low_item(l, KNH_ITEM_IMPORT, x);
    it.stream = (int16_t)knh_stream_of(l->stream, l->n_stream, KNH_IMPORT, -1, -1, x);
    it.def = v;
    knh_low_push(l, l->value[v].kind == KNH_VALUE_UNIFORM ? &l->uniform : &l->body, &it);
}

/* The value that a node has; other names are their operand. */
int32_t knh_low_value(knh_low *l, knk_node x)
{
    if (l->value_of[x] >= 0)
        return l->value_of[x];
    const knk_inst *n = &l->node[x];
    if (!knh_low_inside(l, x) && n->op != KNK_CONST) {
        int32_t v = new_value(l, x);
        place_import(l, x, v);
        return v;
    }
    if (is_other_name(l, x) || n->op == KNK_LAST)
        return l->value_of[x] = knh_low_value(l, n->a);
    return new_value(l, x);
}

/* Is it the row's part, or a cold one of it? */
static bool row_part(const knh_low *l, int part)
{
    return part == KNH_ROW || (part > KNH_BODY && l->part.at[part].row);
}

/* An operand of an item of a part. */
int32_t knh_low_operand(knh_low *l, knk_node x, int part)
{
    int32_t i = knh_low_value(l, x);
    knh_value *v = &l->value[i];
    if (v->part == KNH_ROW && !row_part(l, part) && !v->homed) {
        v->homed = true;
        v->home = v->mask ? knh_low_frame(l, 8, 8) : knh_low_frame(l, l->spill_step, l->spill_step);
    }
    if (v->part > 0 && v->part != part && v->home < 0) {
        v->home = l->result_bytes;
        l->result_bytes += knh_low_value_room(l, &l->part.at[v->part], v->dtype);
    }
    v->uses += part == KNH_BODY;
    return i;
}

/* A load of adjacent lanes: under a predicate if that can be the mask of an instruction, and moved by an index only if
 * it is the same for all lanes. */
static bool is_adjacent(knh_low *l, const knk_inst *n)
{
    return l->r->cls[stream_for(l, n)] == KNK_STRIDE_ONE && is_uniform(l, n->a) &&
           (n->b < 0 || l->target == KNH_AVX512 || knk_size(n->dtype) >= 4);
}

/* In a loop: the same element for all lanes. */
static bool is_single_load(const knh_low *l, const knk_inst *n)
{
    return l->r->cls[stream_for(l, n)] == KNK_STRIDE_ZERO && n->a < 0 && n->b < 0;
}

/* A value whose first lane the lane loop finds in the frame; constants need no place. */
static int32_t single_of(knh_low *l, knk_node x)
{
    int32_t i = knh_low_value(l, x);
    knh_value *v = &l->value[i];
    if (v->kind == KNH_VALUE_UNIFORM && v->single < 0)
        v->single = knh_low_frame(l, 8, 8);
    return i;
}

static void set_operands(knh_low *l, knh_item *it, int part)
{
    const knk_inst *n = &l->node[it->node];
    if (it->kind == KNH_ITEM_LOAD) { /* index, predicate, other: absent ones are left out, see do_load */
        bool together = part >= 0 && n->a >= 0 && is_adjacent(l, n);
        if (together)
            it->index = single_of(l, n->a);
        for (int j = together; j < 3; j++)
            if (knk_operand(n, j) >= 0)
                it->use[it->n_use++] = knh_low_operand(l, knk_operand(n, j), part);
        return;
    }
    for (int j = 0; j < knk_op_table[n->op].n_operands; j++)
        it->use[it->n_use++] = knh_low_operand(l, knk_operand(n, j), part);
}

/* Loads wait until they are needed: places what the node reads of them first. */
void knh_low_place_load(knh_low *l, knk_node x)
{
    if (x < 0 || l->node[x].op == KNK_CONST)
        return;
    if (!knh_low_inside(l, x)) {
        knh_low_value(l, x);
        return;
    }
    int op = l->node[x].op;
    if (op == KNK_BITCAST || is_other_name(l, x)) {
        knh_low_place_load(l, l->node[x].a);
        return;
    }
    if ((op != KNK_LOAD && op != KNK_INDEX) || (*flags_of(l, x) & (PLACED | UNIFORM)))
        return;
    *flags_of(l, x) |= PLACED;
    l->loads_left -= op == KNK_LOAD;
    for (int in = knh_low_level(l, x); in >= 0 && op == KNK_LOAD; in = l->loop[in].outer)
        l->loop[in].loads_left--;
    knh_low_place_loads(l, x);
    knh_item it = knh_low_item(l, op == KNK_LOAD ? KNH_ITEM_LOAD : KNH_ITEM_INDEX, x);
    set_operands(l, &it, KNH_BODY);
    it.def = knh_low_value(l, x);
    knh_low_push(l, &l->body, &it);
}
void knh_low_place_loads(knh_low *l, knk_node x)
{
    for (int j = 0; j < 3; j++)
        knh_low_place_load(l, knk_operand(&l->node[x], j));
}

typedef knh_regions regions;

/* What region r has below node `limit` and is not placed yet becomes a part of its own; returns its number, 0: none. */
static int make_part(knh_low *l, int32_t r, knk_node limit, bool row, const regions *g)
{
    const knk_stage *st = knh_low_stage(l);
    int number = (int)l->part.n;
    int32_t *head = g->head, *next = g->next;
    if (head[r] < 0 || head[r] >= limit)
        return 0;
    if (number >= 1000) {
        knh_low_fail(l, "it has too many cold selects");
        return 0;
    }
    knh_part part = {.form = row ? l->row_form : l->lane_form, .row = row};
    int room = 0;
    for (int32_t i = head[r]; i >= 0 && i < limit; i = next[i - st->first])
        room += 3;
    part.input = knx_arena_alloc(&l->arena, (size_t)room * sizeof *part.input);
    if (!part.input || !KN_VEC_PUSH(&l->part, part)) {
        l->no_memory = true;
        return 0;
    }
    for (; head[r] >= 0 && head[r] < limit; head[r] = next[head[r] - st->first]) {
        knk_node x = head[r];
        *flags_of(l, x) |= PLACED;
        if (is_other_name(l, x)) {
            knh_low_place_loads(l, x);
            knh_low_value(l, x);
            continue;
        }
        knh_low_place_loads(l, x);
        knh_item it = knh_low_item(l, KNH_ITEM_OP, x);
        set_operands(l, &it, number);
        it.def = knh_low_value(l, x);
        l->value[it.def].part = (int16_t)number;
        knh_part *p = &l->part.at[number];
        for (int j = 0; j < it.n_use; j++) {
            knh_value *v = &l->value[it.use[j]];
            if (v->kind == KNH_VALUE_CONSTANT || v->part == number || v->listed == number || (!row && v->homed))
                continue;
            v->listed = (int16_t)number;
            p->input[p->n_input++] = it.use[j];
        }
        knh_low_push(l, &p->list, &it);
    }
    return number;
}

static void place_cold(knh_low *l, knk_node x, bool row, const regions *g)
{
    int32_t r = g->of_select[x - knh_low_stage(l)->first];
    int part = r > 0 ? make_part(l, r, x, row, g) : 0, here = row ? KNH_ROW : KNH_BODY;
    knh_list *list = row ? &l->uniform : &l->body;
    if (!part)
        return;
    knh_low_place_load(l, l->node[x].a);
    knh_item it = knh_low_item(l, KNH_ITEM_COLD, x);
    it.part = (int16_t)part;
    it.use[it.n_use++] = knh_low_operand(l, l->node[x].a, here);
    knh_low_push(l, list, &it);
    const knh_part *p = &l->part.at[part];
    for (int i = 0; i < p->n_input; i += 3) {
        knh_item use = knh_low_item(l, KNH_ITEM_USE, x);
        for (int j = i; j < p->n_input && j < i + 3; j++)
            if (l->value[p->input[j]].part == here) {
                use.use[use.n_use++] = p->input[j];
                l->value[p->input[j]].uses += here == KNH_BODY;
            }
        knh_low_push(l, list, &use);
    }
}

static void build_uniform(knh_low *l, const regions *g)
{
    const knk_stage *st = knh_low_stage(l);
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        if (n->op == KNK_CONST || (*flags_of(l, i) & (LIVE | UNIFORM)) != (LIVE | UNIFORM) || region_of(l, i) > 0)
            continue;
        if (is_other_name(l, i)) {
            knh_low_value(l, i);
            continue;
        }
        if (n->op == KNK_SELECT)
            place_cold(l, i, true, g);
        knh_item it = knh_low_item(l,
                                   n->op == KNK_LOAD    ? KNH_ITEM_LOAD
                                   : n->op == KNK_INDEX ? KNH_ITEM_INDEX
                                                        : KNH_ITEM_OP,
                                   i);
        set_operands(l, &it, KNH_ROW);
        it.def = knh_low_value(l, i);
        knh_low_push(l, &l->uniform, &it);
    }
}

void knh_low_place_export(knh_low *l, knk_node x)
{
    if (!(*flags_of(l, x) & EXPORTED) || l->node[x].op == KNK_REDUCE)
        return;
    knh_item it = knh_low_item(l, KNH_ITEM_STORE, x);
    it.stream = (int16_t)knh_stream_of(l->stream, l->n_stream, KNH_EXPORT, -1, -1, x);
    knh_low_place_load(l, x);
    it.use[it.n_use++] = knh_low_operand(l, x, KNH_BODY);
    knh_low_push(l, &l->body, &it);
}

static void place_sum(knh_low *l, knk_node x)
{
    knh_item it = knh_low_item(l, KNH_ITEM_REDUCE, x);
    int kind = l->r->mode == KNH_ROWS ? KNH_EXPORT : KNH_PARTIAL;
    knh_low_place_loads(l, x);
    set_operands(l, &it, KNH_BODY);
    it.stream = (int16_t)knh_stream_of(l->stream, l->n_stream, (knh_stream_kind)kind, -1, -1, x);
    it.number = l->n_sum;
    if (it.stream < 0) /* read by nobody */
        return;
    knh_sum *s = &l->sum[l->n_sum++];
    *s = (knh_sum){.how = l->node[x].sub, .dtype = l->node[x].dtype, .stream = it.stream, .slot = -1};
    knh_low_push(l, &l->body, &it);
}

static void place_node(knh_low *l, knk_node x)
{
    const knk_inst *n = &l->node[x];
    if (*flags_of(l, x) & (UNIFORM | KNH_NODE_ABSORBED) || n->op == KNK_LOAD || n->op == KNK_INDEX)
        return;
    if (is_other_name(l, x)) {
        knh_low_place_loads(l, x);
        knh_low_value(l, x);
        return;
    }
    knh_item it = knh_low_item(l, KNH_ITEM_OP, x);
    knk_node operand[3];
    if (knh_low_fuse(l, x, &it, operand)) {
        for (int j = 0; j < 3; j++)
            if (operand[j] >= 0)
                knh_low_place_load(l, operand[j]);
        for (int j = 0; j < 3; j++)
            if (operand[j] >= 0)
                it.use[it.n_use++] = knh_low_operand(l, operand[j], KNH_BODY);
    } else {
        knh_low_place_loads(l, x);
        set_operands(l, &it, KNH_BODY);
    }
    it.def = knh_low_value(l, x);
    knh_low_push(l, &l->body, &it);
}

void knh_low_place_node(knh_low *l, knk_node x, const regions *g)
{
    if (region_of(l, x) > 0 && !(*flags_of(l, x) & UNIFORM))
        return;
    if (l->node[x].op == KNK_SELECT && !(*flags_of(l, x) & UNIFORM))
        place_cold(l, x, false, g);
    place_node(l, x);
    knh_low_place_export(l, x);
}

typedef knh_stores stores;

static bool find_stores(knh_low *l, stores *s)
{
    const knk_stage *st = knh_low_stage(l);
    int n = st->end - st->first;
    s->of = knx_arena_alloc(&l->arena, (size_t)(2 * n + 2) * sizeof *s->of);
    s->writers = knx_arena_zero(&l->arena, (size_t)(l->k->n_buffer + 1) * sizeof *s->writers);
    if (!s->of || !s->writers)
        return !(l->no_memory = true);
    s->next = s->of + n;
    memset(s->of, -1, (size_t)n * sizeof *s->of);
    for (int i = st->end - 1; i >= st->first; i--) {
        const knk_inst *x = &l->node[i];
        bool load = x->op == KNK_LOAD && (*flags_of(l, i) & (LIVE | UNIFORM)) == LIVE;
        l->loads_left += load;
        for (int in = knh_low_level(l, i); in >= 0 && load; in = l->loop[in].outer)
            l->loop[in].loads_left++;
        if (x->op != KNK_STORE)
            continue;
        s->writers[x->buffer]++;
        if (knh_low_inside(l, x->a)) {
            s->next[i - st->first] = s->of[x->a - st->first];
            s->of[x->a - st->first] = i;
        }
    }
    return true;
}

void knh_low_place_store(knh_low *l, knk_node x)
{
    knh_item it = knh_low_item(l, KNH_ITEM_STORE, x);
    *flags_of(l, x) |= PLACED;
    set_operands(l, &it, KNH_BODY);
    knh_low_push(l, &l->body, &it);
}

static void place_stores_of(knh_low *l, stores *s, knk_node x)
{
    const knk_stage *st = knh_low_stage(l);
    for (int32_t i = s->of[x - st->first]; i >= 0; i = s->next[i - st->first])
        if (s->writers[l->node[i].buffer] == 1 && !KN_VEC_PUSH(&s->waiting, i))
            l->no_memory = true;
    for (size_t i = 0; i < s->waiting.n && !l->loads_left; i++)
        knh_low_place_store(l, s->waiting.at[i]);
    if (!l->loads_left)
        s->waiting.n = 0;
}

static void place_last_stores(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    for (int pass = 0; pass < 2; pass++)
        for (int i = st->first; i < st->end; i++)
            if (l->node[i].op == KNK_STORE && !(*flags_of(l, i) & PLACED))
                (pass ? knh_low_place_store : knh_low_place_loads)(l, i);
}

static void build_body(knh_low *l, const regions *g)
{
    const knk_stage *st = knh_low_stage(l);
    stores s = {.of = NULL};
    if (!find_stores(l, &s))
        return;
    if (l->n_loop) {
        knh_low_build_loops(l, g, &s);
        place_last_stores(l);
        KN_VEC_FREE(&s.waiting);
        return;
    }
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        uint8_t f = *flags_of(l, i);
        if (n->op == KNK_CONST || n->op == KNK_STORE || !(f & LIVE) || (region_of(l, i) > 0 && !(f & UNIFORM)))
            continue;
        if (n->op == KNK_REDUCE) {
            place_sum(l, i);
            continue;
        }
        knh_low_place_node(l, i, g);
        if (n->op != KNK_LOAD && n->op != KNK_INDEX)
            place_stores_of(l, &s, i);
    }
    place_last_stores(l);
    KN_VEC_FREE(&s.waiting);
}

/* When each value is used next, from the end to the start. `at` is per value and KNH_NEVER before and after. */
static void find_uses(knh_low *l, knh_list *list, const knh_form *form, int32_t *at)
{
    for (int p = (int)list->item.n - 1; p >= 0; p--) {
        knh_item *it = &list->item.at[p];
        knh_loop *ending = it->kind == KNH_ITEM_END ? &l->loop[it->number] : NULL;
        for (size_t i = 0; ending && i < ending->carry.n; i++) { /* what it was in the turn that ends is of no use */
            knh_carry *c = &ending->carry.at[i];
            c->after = at[c->is];
            if (c->next >= 0)
                at[c->is] = KNH_NEVER;
        }
        if (it->def >= 0) {
            it->first = at[it->def];
            at[it->def] = KNH_NEVER;
        }
        for (int j = 0; j < it->n_use; j++)
            it->next[j] = at[it->use[j]];
        for (int j = 0; j < it->n_use; j++)
            at[it->use[j]] = p;
        if (it->kind == KNH_ITEM_OP && !it->fused) {
            it->needs = knh_emit_needs(form, &l->node[it->node], l->node);
            list->helper |= it->needs.helper;
        }
    }
    for (size_t p = 0; p < list->item.n; p++) /* what comes from outside */
        for (int j = 0; j < list->item.at[p].n_use; j++)
            at[list->item.at[p].use[j]] = KNH_NEVER;
}

/* The most values of the part that are alive at once, and temporaries. */
static void measure_list(knh_low *l, knh_list *list, int part)
{
    int live[2] = {0, 0};
    for (size_t p = 0; p < list->item.n; p++) {
        const knh_item *it = &list->item.at[p];
        bool reused = false;
        if (it->needs.temps > list->temps)
            list->temps = it->needs.temps;
        for (int j = 0; j < it->n_use; j++) {
            const knh_value *v = &l->value[it->use[j]];
            bool again = (j > 0 && it->use[j] == it->use[0]) || (j > 1 && it->use[j] == it->use[1]);
            if (v->kind == KNH_VALUE_LANE && v->part == part && it->next[j] == KNH_NEVER && !again) {
                live[v->mask]--;
                reused |= it->def >= 0 && v->mask == l->value[it->def].mask;
            }
        }
        if (it->def >= 0 && l->value[it->def].kind == KNH_VALUE_LANE && it->first < KNH_NEVER)
            live[l->value[it->def].mask]++;
        for (size_t i = 0; it->kind == KNH_ITEM_END && i < l->loop[it->number].carry.n; i++) {
            const knh_carry *c = &l->loop[it->number].carry.at[i];
            live[l->value[c->is].mask] += c->next >= 0 && c->after < KNH_NEVER;
        }
        if (live[0] + !reused > list->live)
            list->live = live[0] + !reused;
        if (live[1] > list->live_masks)
            list->live_masks = live[1];
    }
}

static bool wide(int dtype) { return knk_size(dtype) == 8; }

static bool has_wide_uniform(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        if (!(*flags_of(l, i) & UNIFORM) || region_of(l, i) > 0)
            continue;
        if (wide(n->dtype) || (n->op == KNK_LOAD && (n->a >= 0 || n->b >= 0)))
            return true;
        for (int j = 0; j < 3; j++)
            if (knk_operand(n, j) >= 0 && wide(l->node[knk_operand(n, j)].dtype))
                return true;
    }
    for (int s = 0; s < l->n_stream; s++)
        if (l->stream[s].kind == KNH_IMPORT && wide(l->stream[s].dtype))
            return true;
    return false;
}

/* Lanes per piece: half as many if the lane loop has values of 8 bytes or addresses of lanes. */
static void choose_forms(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    bool half = false;
    for (int i = st->first; i < st->end && !half; i++) {
        const knk_inst *n = &l->node[i];
        uint8_t f = *flags_of(l, i);
        if (!(f & LIVE) || f & KNH_NODE_SHORT || n->op == KNK_CONST || (region_of(l, i) > 0 && !(f & EXPORTED)))
            continue;
        if (n->op == KNK_STORE)
            half = wide(l->node[n->a].dtype);
        else if (!(f & UNIFORM) || (f & EXPORTED))
            half = wide(n->dtype);
        if (n->op == KNK_LOAD && !(f & UNIFORM))
            half |= !is_adjacent(l, n) && !is_single_load(l, n) && !l->single;
    }
    for (int s = 0; s < l->n_stream && !half; s++) {
        const knh_stream *x = &l->stream[s];
        bool memory = x->kind != KNH_NUMBER && !(x->kind == KNH_EXPORT && l->r->mode == KNH_ROWS);
        half = (memory && l->r->cls[s] == KNK_STRIDE_ANY && (x->kind != KNH_PARTIAL || l->r->mode == KNH_COLUMNS)) ||
               (x->kind == KNH_IMPORT && l->r->cls[s] != KNK_STRIDE_ZERO && wide(x->dtype));
    }
    int most = l->target == KNH_AVX512 ? 16 : 8;
    l->half_form = (knh_form){l->target, most / 2};
    l->lane_form = (knh_form){l->target, half ? most / 2 : most};
    l->row_form = has_wide_uniform(l) ? l->half_form : l->lane_form;
    l->form = l->lane_form;
}

static void choose_part_forms(knh_low *l)
{
    for (size_t p = 1; p < l->part.n; p++) {
        const knh_list *list = &l->part.at[p].list;
        for (size_t i = 0; i < list->item.n; i++) {
            const knh_item *it = &list->item.at[i];
            bool half = wide(l->node[it->node].dtype);
            for (int j = 0; j < 3 && !half; j++)
                half =
                    knk_operand(&l->node[it->node], j) >= 0 && wide(l->node[knk_operand(&l->node[it->node], j)].dtype);
            if (half)
                l->part.at[p].form = l->half_form;
        }
    }
}

static bool plain(const knk_inst *n) { return n->a < 0 && n->b < 0; }

/* Is there anything of a loop between two items? */
enum { FOLD_REACH = 8 };
static bool crosses_turn(const knh_low *l, int from, int to)
{
    for (int i = from + 1; i < to; i++)
        if (l->body.item.at[i].kind >= KNH_ITEM_LOOP)
            return true;
    return false;
}

/* Loads that are a memory operand of their one user. */
static void find_folds(knh_low *l)
{
    for (size_t i = 0; i < l->body.item.n; i++) {
        const knh_item *it = &l->body.item.at[i];
        int may = it->kind == KNH_ITEM_REDUCE ? 1 : it->kind == KNH_ITEM_OP ? it->needs.memory : 0;
        if (it->needs.commutes && (may & 2))
            may |= 1;
        for (int j = 0; j < it->n_use; j++) {
            knh_value *v = &l->value[it->use[j]];
            if (l->n_loop && (v->born < 0 || (int)i - v->born > FOLD_REACH || crosses_turn(l, v->born, (int)i)))
                continue;
            if (!(may >> j & 1) || v->kind != KNH_VALUE_LANE || v->part != KNH_BODY || v->uses != 1 ||
                !knh_low_inside(l, v->node))
                continue;
            const knk_inst *n = &l->node[v->node];
            if (n->op == KNK_LOAD && plain(n) && knk_size(n->dtype) >= 4 && !v->mask)
                v->folds = l->r->cls[stream_for(l, n)] == KNK_STRIDE_ONE;
        }
    }
}

/* Nodes of the regions as chains, in order. */
static void chain_regions(knh_low *l, const regions *g)
{
    int32_t *head = g->head, *next = g->next;
    const knk_stage *st = knh_low_stage(l);
    for (int i = 0; i < st->end - st->first; i++)
        head[i] = -1;
    for (int i = st->end - 1; i >= st->first; i--) {
        int32_t r = region_of(l, i);
        if (r > 0 && (*flags_of(l, i) & LIVE) && l->node[i].op != KNK_CONST) {
            next[i - st->first] = head[r];
            head[r] = i;
        }
    }
}

static bool plan_memory(knh_low *l, int32_t **work, int n)
{
    int sums = 0;
    for (int i = knh_low_stage(l)->first; i < knh_low_stage(l)->end; i++)
        sums += l->node[i].op == KNK_REDUCE;
    int most = 4 * n < l->k->n_node ? 4 * n : l->k->n_node;
    most += knh_low_stage(l)->n_loop ? 2 * n : 0; /* what lanes keep, copies of carries */
    size_t values = (size_t)most + 1;
    l->value_of = knx_arena_alloc(&l->arena, (size_t)(l->k->n_node + 1) * sizeof *l->value_of);
    l->value = knx_arena_alloc(&l->arena, values * sizeof *l->value);
    l->state = knx_arena_alloc(&l->arena, values * KNH_COPIES * sizeof *l->state);
    l->sum = knx_arena_alloc(&l->arena, (size_t)(sums + 1) * sizeof *l->sum);
    l->region = knx_arena_zero(&l->arena, (size_t)(n + 1) * 2 * sizeof *l->region);
    l->flags = knx_arena_zero(&l->arena, (size_t)n + 1);
    *work = knx_arena_alloc(&l->arena, ((size_t)n * 2 + values + 4) * sizeof **work);
    if (!l->value_of || !l->value || !l->state || !l->sum || !l->region || !l->flags || !*work)
        return false;
    memset(l->value_of, -1, (size_t)(l->k->n_node + 1) * sizeof *l->value_of);
    return true;
}

bool knh_low_plan(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    int n = st->end - st->first;
    int32_t *work;
    if (!plan_memory(l, &work, n) || !KN_VEC_PUSH(&l->part, ((knh_part){.n_input = 0})))
        return !(l->no_memory = true);
    regions g = {work, work + n + 1, l->region + n + 1};
    int32_t *at = g.next + n + 1;
    l->spill_step = knh_low_sum_step(l);
    knh_low_find_loops(l);
    if (!knh_low_fine(l))
        return false;
    find_live_and_uniform(l);
    find_short_numbers(l);
    knh_low_find_regions(l);
    choose_forms(l);
    knh_low_find_fusions(l);
    chain_regions(l, &g);
    build_uniform(l, &g);
    build_body(l, &g);
    if (!knh_low_fine(l))
        return false;
    for (int i = 0; i < l->n_value * KNH_COPIES; i++)
        l->state[i] = (knh_state){.next = KNH_NEVER, .slot = -1, .reg = -1};
    choose_part_forms(l);
    for (int i = 0; i < l->n_value; i++)
        at[i] = KNH_NEVER;
    find_uses(l, &l->uniform, &l->row_form, at);
    find_uses(l, &l->body, &l->lane_form, at);
    measure_list(l, &l->body, KNH_BODY);
    knh_low_loops_planned(l);
    for (size_t p = 1; p < l->part.n; p++)
        find_uses(l, &l->part.at[p].list, &l->part.at[p].form, at);
    find_folds(l);
    return knh_low_fine(l);
}

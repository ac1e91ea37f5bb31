/* SPDX-License-Identifier: Apache-2.0
 * lower_loop.c -- the body of a stage with loops: which loop each value depends on, and the items in the order in which
 * they are worked out. What does not depend on a loop comes before it. */
#include "host/x86/lower_internal.h"
#include <string.h>

static bool is_live(const knh_low *l, knk_node x) { return l->flags[x - knh_low_stage(l)->first] & KNH_NODE_LIVE; }

/* Does loop `in` lie in loop `l`, or is it that? */
static bool lies_in(const knh_low *l, int in, int loop)
{
    while (in >= 0 && in != loop)
        in = l->loop[in].outer;
    return in == loop;
}

static int depth_of(const knh_low *l, int loop) { return loop < 0 ? 0 : l->loop[loop].depth + 1; }

/* Does the map move with the turns of the loop? */
static bool moves(const knh_low *l, int map, int loop)
{
    return l->k->map[map].cls[l->k->n_par + knh_low_stage(l)->n_inner + loop] != KNK_STRIDE_ZERO;
}

static int level_of(const knh_low *l, knk_node x, int open)
{
    const knk_inst *n = &l->node[x];
    int level = -1;
    switch (n->op) {
    case KNK_CONST: return -1;
    case KNK_LAST: return l->loop[n->sub].outer;
    case KNK_LOOP:
    case KNK_CARRY:
    case KNK_WHILE:
    case KNK_NEXT:
    case KNK_END:
    case KNK_STORE: return open;
    default: break;
    }
    for (int j = 0; j < 3; j++)
        if (knh_low_inside(l, knk_operand(n, j))) {
            int of = l->level[knk_operand(n, j) - knh_low_stage(l)->first];
            level = depth_of(l, of) > depth_of(l, level) ? of : level;
        }
    for (int in = open; in >= 0 && (n->op == KNK_LOAD || n->op == KNK_INDEX); in = l->loop[in].outer)
        if (moves(l, n->map, in) && l->loop[in].depth >= depth_of(l, level))
            level = in;
    return level;
}

static void begin(knh_low *l, knk_node x, int open)
{
    knh_loop *p = &l->loop[l->node[x].sub];
    p->begin = x;
    p->end = p->test = -1;
    p->outer = open;
    p->depth = open < 0 ? 0 : l->loop[open].depth + 1;
    p->going = p->active = -1;
    if (open >= 0)
        l->loop[open].inner = true;
}

void knh_low_find_loops(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    int open = -1;
    l->open = -1;
    l->n_loop = st->n_loop;
    if (!l->n_loop)
        return;
    l->loop = knx_arena_zero(&l->arena, (size_t)l->n_loop * sizeof *l->loop);
    l->level = knx_arena_alloc(&l->arena, (size_t)(st->end - st->first) + 1);
    if (!l->loop || !l->level) {
        l->n_loop = 0;
        l->no_memory = true;
        return;
    }
    for (int i = st->first; i < st->end; i++) {
        const knk_inst *n = &l->node[i];
        if (n->op == KNK_LOOP) {
            begin(l, i, open);
            open = n->sub;
        }
        l->level[i - st->first] = (int8_t)level_of(l, i, open);
        if (n->op == KNK_WHILE)
            l->loop[open].test = i;
        for (int in = open; in >= 0 && n->op == KNK_STORE; in = l->loop[in].outer)
            l->loop[in].stores = true;
        for (int in = open; in >= 0 && n->op == KNK_INDEX; in = l->loop[in].outer)
            l->loop[in].sticky |= moves(l, n->map, in);
        if (n->op == KNK_END) {
            l->loop[open].end = i;
            open = l->loop[open].outer;
        }
    }
}

static void wake_loop(knh_low *l, int loop)
{
    for (; loop >= 0; loop = l->loop[loop].outer)
        l->loop[loop].live = true;
}

bool knh_low_wake_loops(knh_low *l)
{
    const knk_stage *st = knh_low_stage(l);
    bool more = false;
    for (int i = st->first; i < st->end && l->n_loop; i++)
        if ((l->node[i].op == KNK_CARRY || l->node[i].op == KNK_STORE) && is_live(l, i))
            wake_loop(l, l->level[i - st->first]);
    for (int i = st->first; i < st->end && l->n_loop; i++) {
        const knk_inst *n = &l->node[i];
        bool alive = n->op == KNK_NEXT    ? is_live(l, n->a)
                     : n->op == KNK_WHILE ? l->loop[l->level[i - st->first]].live
                                          : false;
        if (alive && !is_live(l, i)) {
            l->flags[i - st->first] |= KNH_NODE_LIVE;
            more = true;
        }
    }
    return more;
}

/* Building. */
typedef struct builder {
    knh_low *l;
    const knh_regions *g;
    knh_stores *s;
    uint8_t *done; /* per node of the stage */
} builder;

static knh_item item_of(knh_low *l, knh_item_kind kind, knk_node x, int loop)
{
    knh_item it = knh_low_item(l, KNH_ITEM_USE, x);
    it.kind = (uint8_t)kind;
    it.number = loop;
    return it;
}

static void add_use(knh_low *l, knh_item *it, int32_t v)
{
    it->use[it->n_use++] = v;
    l->value[v].uses++;
}

static bool is_placed(const knh_low *l, knk_node x) { return l->flags[x - knh_low_stage(l)->first] & KNH_NODE_PLACED; }

/* Stores of the open loop that wait for nothing any more. */
static void place_waiting(builder *b)
{
    knh_low *l = b->l;
    size_t kept = 0;
    if (l->open >= 0 ? l->loop[l->open].loads_left : l->loads_left)
        return;
    for (size_t i = 0; i < b->s->waiting.n; i++) {
        knk_node x = b->s->waiting.at[i];
        if (knh_low_level(l, x) == l->open)
            knh_low_place_store(l, x);
        else
            b->s->waiting.at[kept++] = x;
    }
    b->s->waiting.n = kept;
}

static void place(builder *b, knk_node x)
{
    knh_low *l = b->l;
    const knk_inst *n = &l->node[x];
    int first = knh_low_stage(l)->first;
    b->done[x - first] = 1;
    if (n->op == KNK_CONST || !is_live(l, x))
        return;
    if (n->op == KNK_LAST)
        knh_low_place_export(l, x);
    else
        knh_low_place_node(l, x, b->g);
    if (n->op == KNK_LOAD || n->op == KNK_INDEX)
        return;
    for (int32_t i = b->s->of[x - first]; i >= 0; i = b->s->next[i - first])
        if (b->s->writers[l->node[i].buffer] == 1 && knh_low_level(l, i) == l->open && !KN_VEC_PUSH(&b->s->waiting, i))
            l->no_memory = true;
    place_waiting(b);
}

/* What turns read and do not depend on, and what has to be loaded before a loop stores. */
static void place_before(builder *b, const knh_loop *p, int loop)
{
    knh_low *l = b->l;
    const knk_stage *st = knh_low_stage(l);
    for (int i = p->begin; i < p->end; i++)
        if (!b->done[i - st->first] && is_live(l, i) && !lies_in(l, l->level[i - st->first], loop))
            place(b, i);
    for (int i = p->begin; i < p->end; i++)
        for (int j = 0; j < 3 && is_live(l, i) && lies_in(l, l->level[i - st->first], loop); j++) {
            knk_node x = knk_operand(&l->node[i], j);
            if (x >= 0 && (!knh_low_inside(l, x) || !lies_in(l, l->level[x - st->first], loop)))
                knh_low_place_load(l, x);
        }
    for (int i = st->first; i < st->end && p->stores; i++) {
        const knk_inst *n = &l->node[i];
        bool ready = i < p->begin || (n->a < 0 && n->b < 0 && n->c < 0);
        if (n->op == KNK_LOAD && ready && is_live(l, i) && lies_in(l, loop, l->level[i - st->first]) &&
            l->level[i - st->first] != loop)
            knh_low_place_load(l, i);
    }
}

static void add_carry(builder *b, int loop, knk_node carry, int32_t is, int32_t init)
{
    knh_low *l = b->l;
    knh_item it = item_of(l, KNH_ITEM_CARRY, carry >= 0 ? carry : l->loop[loop].test, loop);
    knh_carry c = {.node = carry, .value = KNK_NONE, .is = is, .next = -1, .after = KNH_NEVER};
    add_use(l, &it, init);
    it.def = is;
    l->value[is].carry = true;
    knh_low_push(l, &l->body, &it);
    if (!KN_VEC_PUSH(&l->loop[loop].carry, c))
        l->no_memory = true;
}

/* The lanes that take part in the turn around the loop: of the nearest loop that has asked; -1: all. */
static int32_t taking_part(const knh_low *l, int loop)
{
    for (loop = l->loop[loop].outer; loop >= 0; loop = l->loop[loop].outer) {
        if (l->loop[loop].going >= 0)
            return l->loop[loop].going;
        if (l->loop[loop].active >= 0)
            return l->loop[loop].active;
    }
    return -1;
}

/* A bool of the lanes that is no node's. */
static int32_t new_bool(knh_low *l, knk_node test)
{
    int32_t v = knh_low_new_value(l, test);
    l->value[v].dtype = KN_ID_BOOL;
    l->value[v].kind = KNH_VALUE_LANE;
    l->value[v].part = KNH_BODY;
    l->value[v].mask = knh_is_mask(&l->lane_form, KN_ID_BOOL);
    return v;
}

/* May some points be done while others go on? A single one that is done has left. */
static bool lanes_differ(const knh_low *l) { return l->k->n_par > 0; }

static void begin_loop(builder *b, knk_node x)
{
    knh_low *l = b->l;
    int loop = l->node[x].sub, first = knh_low_stage(l)->first;
    knh_loop *p = &l->loop[loop];
    place_before(b, p, loop);
    if (!p->live) {
        memset(b->done + (p->begin - first), 1, (size_t)(p->end - p->begin) + 1);
        return;
    }
    knh_item it = item_of(l, KNH_ITEM_LOOP, x, loop);
    p->first = (int32_t)l->body.item.n;
    knh_low_push(l, &l->body, &it);
    if (p->test >= 0 && p->sticky && lanes_differ(l)) {
        int32_t init = taking_part(l, loop);
        if (init < 0) {
            it = item_of(l, KNH_ITEM_ONES, p->test, loop);
            it.def = init = new_bool(l, p->test);
            knh_low_push(l, &l->body, &it);
        }
        p->active = new_bool(l, p->test);
        add_carry(b, loop, KNK_NONE, p->active, init);
    }
    for (int i = p->begin; i < p->end; i++)
        if (l->node[i].op == KNK_CARRY && l->level[i - first] == loop && is_live(l, i)) {
            b->done[i - first] = 1;
            add_carry(b, loop, i, knh_low_value(l, i), knh_low_operand(l, l->node[i].a, KNH_BODY));
        }
    it = item_of(l, KNH_ITEM_TOP, x, loop);
    p->top = (int32_t)l->body.item.n;
    knh_low_push(l, &l->body, &it);
    l->open = loop;
}

static void place_while(builder *b, knk_node x)
{
    knh_low *l = b->l;
    int loop = l->open;
    knh_loop *p = &l->loop[loop];
    int32_t around = lanes_differ(l) ? taking_part(l, loop) : -1;
    knh_low_place_loads(l, x);
    knh_item it = item_of(l, KNH_ITEM_WHILE, x, loop);
    add_use(l, &it, knh_low_operand(l, l->node[x].a, KNH_BODY));
    if (p->active >= 0)
        add_use(l, &it, p->active);
    if (around >= 0)
        add_use(l, &it, around);
    p->going = it.use[0];
    if (it.n_use > 1) {
        p->going = it.def = new_bool(l, x);
    }
    knh_low_push(l, &l->body, &it);
    for (size_t i = 0; !lanes_differ(l) && i < p->carry.n; i++) { /* with lanes the end of the turn reads them */
        it = item_of(l, KNH_ITEM_USE, x, loop);
        add_use(l, &it, p->carry.at[i].is);
        knh_low_push(l, &l->body, &it);
    }
}

static bool is_carry_of(const knh_loop *p, int32_t v)
{
    for (size_t i = 0; i < p->carry.n; i++)
        if (p->carry.at[i].is == v)
            return true;
    return false;
}

/* What the carry is in the next turn: the value, or for lanes that are done the carry as it is. */
static void find_next(knh_low *l, knh_loop *p, int loop, knh_carry *c)
{
    int32_t v = c->is == p->active ? p->going : knh_low_operand(l, c->value, KNH_BODY);
    if (v == c->is)
        return;
    bool keep = p->test >= 0 && c->is != p->active && lanes_differ(l), copy = !keep && is_carry_of(p, v);
    if (keep || copy) {
        knh_item it = item_of(l, keep ? KNH_ITEM_KEEP : KNH_ITEM_COPY, p->begin, loop);
        if (keep)
            add_use(l, &it, p->going);
        add_use(l, &it, v);
        if (keep)
            add_use(l, &it, c->is);
        it.def = knh_low_new_value(l, c->node >= 0 ? c->node : p->test);
        l->value[it.def].dtype = l->value[c->is].dtype;
        l->value[it.def].mask = l->value[c->is].mask;
        knh_low_push(l, &l->body, &it);
        v = it.def;
    }
    c->next = v;
    knh_value *next = &l->value[v];
    if (next->kind == KNH_VALUE_LANE && next->feeds < 0 && !next->carry && next->born > p->top)
        next->feeds = c->is;
}

/* Values of lanes from before the loop, the most used ones first. */
static void find_outside(knh_low *l, knh_loop *p)
{
    int32_t *uses = knx_arena_zero(&l->arena, (size_t)(l->n_value + 1) * sizeof *uses);
    if (!uses) {
        l->no_memory = true;
        return;
    }
    for (int i = p->top; i < (int)l->body.item.n; i++) {
        const knh_item *it = &l->body.item.at[i];
        for (int j = 0; j < it->n_use; j++) {
            const knh_value *v = &l->value[it->use[j]];
            bool mine = v->carry && is_carry_of(p, it->use[j]);
            if (v->kind != KNH_VALUE_LANE || v->part != KNH_BODY || v->born >= p->first || mine)
                continue;
            if (!uses[it->use[j]]++ && !KN_VEC_PUSH(&p->outside, it->use[j]))
                l->no_memory = true;
        }
    }
    for (size_t i = 1; i < p->outside.n; i++) { /* few */
        int32_t v = p->outside.at[i];
        size_t at = i;
        for (; at && uses[p->outside.at[at - 1]] < uses[v]; at--)
            p->outside.at[at] = p->outside.at[at - 1];
        p->outside.at[at] = v;
    }
}

static void use_after(knh_low *l, knh_item *it, int32_t v)
{
    if (it->n_use == 3) {
        knh_low_push(l, &l->body, it);
        it->n_use = 0;
    }
    add_use(l, it, v);
}

static void end_loop(builder *b, knk_node x)
{
    knh_low *l = b->l;
    const knk_stage *st = knh_low_stage(l);
    int loop = l->open;
    knh_loop *p = &l->loop[loop];
    for (int i = p->begin; i < p->end; i++)
        for (size_t c = 0; l->node[i].op == KNK_NEXT && l->level[i - st->first] == loop && c < p->carry.n; c++)
            if (p->carry.at[c].node == l->node[i].a)
                p->carry.at[c].value = l->node[i].b;
    for (size_t c = 0; c < p->carry.n; c++)
        if (p->carry.at[c].value >= 0)
            knh_low_place_load(l, p->carry.at[c].value);
    for (int pass = 0; pass < 2; pass++)
        for (int i = p->begin; i < p->end; i++)
            if (l->node[i].op == KNK_STORE && l->level[i - st->first] == loop && !is_placed(l, i)) {
                if (pass)
                    knh_low_place_store(l, i);
                else
                    knh_low_place_loads(l, i);
            }
    size_t kept = 0;
    for (size_t i = 0; i < b->s->waiting.n; i++)
        if (!is_placed(l, b->s->waiting.at[i]))
            b->s->waiting.at[kept++] = b->s->waiting.at[i];
    b->s->waiting.n = kept;
    for (size_t c = 0; c < p->carry.n && knh_low_fine(l); c++)
        find_next(l, p, loop, &p->carry.at[c]);
    knh_item it = item_of(l, KNH_ITEM_END, x, loop);
    p->last = (int32_t)l->body.item.n;
    knh_low_push(l, &l->body, &it);
    find_outside(l, p);
    it = item_of(l, KNH_ITEM_USE, x, loop);
    for (size_t c = 0; c < p->carry.n; c++)
        use_after(l, &it, p->carry.at[c].next >= 0 ? p->carry.at[c].next : p->carry.at[c].is);
    for (size_t i = 0; i < p->outside.n; i++)
        use_after(l, &it, p->outside.at[i]);
    knh_low_push(l, &l->body, &it);
    l->open = p->outer;
}

void knh_low_build_loops(knh_low *l, const knh_regions *g, knh_stores *s)
{
    const knk_stage *st = knh_low_stage(l);
    builder b = {l, g, s, knx_arena_zero(&l->arena, (size_t)(st->end - st->first) + 1)};
    if (!b.done) {
        l->no_memory = true;
        return;
    }
    for (int i = st->first; i < st->end && knh_low_fine(l); i++) {
        if (b.done[i - st->first])
            continue;
        switch (l->node[i].op) {
        case KNK_LOOP: begin_loop(&b, i); break;
        case KNK_WHILE: place_while(&b, i); break;
        case KNK_END: end_loop(&b, i); break;
        case KNK_NEXT:
        case KNK_CARRY:
        case KNK_STORE: break;
        default: place(&b, i);
        }
    }
}

/* Values of the loop's own that are alive at once. Those from before it are not among them. */
static void measure(knh_low *l, knh_loop *p)
{
    int live[2] = {0, 0};
    for (int i = p->first; i < p->last; i++) {
        const knh_item *it = &l->body.item.at[i];
        for (int j = 0; j < it->n_use; j++) {
            const knh_value *v = &l->value[it->use[j]];
            bool again = (j > 0 && it->use[j] == it->use[0]) || (j > 1 && it->use[j] == it->use[1]);
            if (v->kind == KNH_VALUE_LANE && v->part == KNH_BODY && v->born >= p->first && it->next[j] >= KNH_NEVER &&
                !again)
                live[v->mask]--;
        }
        if (it->def >= 0 && l->value[it->def].kind == KNH_VALUE_LANE && it->first < KNH_NEVER)
            live[l->value[it->def].mask]++;
        for (int m = 0; m < 2; m++)
            if (live[m] > p->live_values[m])
                p->live_values[m] = live[m];
        p->helper |= it->needs.helper;
        p->temps = it->needs.temps > p->temps ? it->needs.temps : p->temps;
    }
}

void knh_low_loops_planned(knh_low *l)
{
    for (int i = 0; i < l->n_loop; i++) {
        knh_loop *p = &l->loop[i];
        if (!p->live)
            continue;
        measure(l, p);
        p->count = knh_low_frame(l, 8, 8);
        l->counter |= !p->inner;
        l->body.temps = l->body.temps < 2 ? 2 : l->body.temps; /* of what is kept, copied, asked */
    }
}

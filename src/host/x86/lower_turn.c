/* SPDX-License-Identifier: Apache-2.0
 * lower_turn.c -- the instructions around the turns of loops.
 *
 * Before the first turn everything that lives in a register is put into the frame, too. Then it is settled which
 * registers hold what at the start of each turn: carries, and values from before the loop that turns read, as many as
 * there is room for. Within a turn the allocator does as it likes; the turn's end brings these registers back to what
 * was settled, the carries with their next values. Carries without a register lie in the frame. */
#include "host/x86/lower_internal.h"
#include <string.h>

static knh_loop *loop_of(knh_low *l, const knh_item *it) { return &l->loop[it->number]; }

static knh_operand place_of(const knh_low *l, int32_t carry, int copy)
{
    return knh_low_at(l, l->value[carry].kept + copy * l->spill_step);
}

static knh_operand loop_word(const knh_low *l, int stream, int loop)
{
    size_t word = knh_loop_word(l->n_stream, l->n_loop, stream, loop);
    return knh_at(KNH_RDI, (int32_t)(sizeof(knh_args) + 8 * word));
}

static knh_carry *carry_of(const knh_loop *p, int32_t value)
{
    for (size_t i = 0; i < p->carry.n; i++)
        if (p->carry.at[i].is == value)
            return &p->carry.at[i];
    return NULL;
}

/* Carries. */

static int room_of(const knh_low *l, int bank)
{
    return __builtin_popcount(l->bank[bank].usable) - (bank ? 3 : l->body.temps + 4);
}

/* The most used carries have registers; those that turns do not read have none. */
static void do_loop(knh_low *l, knh_loop *p)
{
    int room[2] = {room_of(l, 0) / l->copy_count, room_of(l, 1) / l->copy_count};
    for (size_t i = 0; i < p->carry.n; i++)
        l->value[p->carry.at[i].is].resident = true;
    for (size_t n = 0; n < p->carry.n && !p->helper; n++) {
        knh_value *best = NULL;
        for (size_t i = 0; i < p->carry.n; i++) {
            knh_value *v = &l->value[p->carry.at[i].is];
            bool read = l->body.item.at[v->born].first < KNH_NEVER;
            if (v->resident && read && room[v->mask] > 0 && (!best || v->uses > best->uses))
                best = v;
        }
        if (!best)
            return;
        best->resident = false;
        room[best->mask]--;
    }
}

static void do_carry(knh_low *l, const knh_item *it, int copy)
{
    int32_t s = knh_low_state(l, it->def, copy), u = knh_low_state(l, it->use[0], copy);
    const knh_value *v = &l->value[it->def], *from = &l->value[it->use[0]];
    int r = knh_low_need(l, it->use[0], copy), bank = knh_low_bank_of(l, it->def);
    bool dies = it->next[0] >= KNH_NEVER && from->kind == KNH_VALUE_LANE && !l->state[u].pinned;
    l->state[s] = (knh_state){.next = it->first < KNH_NEVER ? it->first : KNH_NEVER - 1, .slot = -1, .reg = -1};
    if (v->resident) {
        knh_spill(l->a, &l->form, v->dtype, place_of(l, it->def, copy), r);
    } else if (dies) {
        l->state[u].reg = -1;
        l->state[s].reg = (int8_t)r;
        l->bank[bank].holds[r] = s;
    } else {
        knh_move(l->a, &l->form, v->dtype, knh_low_take(l, bank, s), r);
    }
    knh_low_used(l, it, copy);
    knh_low_unlock(l);
}

/* The start of turns. */

/* Values from before the loop that keep a register, as long as there is room beside what turns need. */
static void choose_stays(knh_low *l, knh_loop *p)
{
    int room[2];
    for (int b = 0; b < 2; b++)
        room[b] = __builtin_popcount(l->bank[b].usable) - p->live_values[b] * l->copy_count - (b ? 2 : p->temps + 3);
    for (size_t i = 0; i < p->outside.n; i++) {
        knh_value *v = &l->value[p->outside.at[i]];
        v->stays = !p->helper && room[v->mask] >= l->copy_count;
        room[v->mask] -= v->stays ? l->copy_count : 0;
    }
}

/* Is it one of the values that are to have a register at the start of turns? Of the loop that begins. */
static bool has_seat(const knh_loop *p, const knh_low *l, int32_t value)
{
    const knh_value *v = &l->value[value];
    if (v->carry && carry_of(p, value))
        return !v->resident;
    if (!v->stays)
        return false;
    for (size_t i = 0; i < p->outside.n; i++)
        if (p->outside.at[i] == value)
            return true;
    return false;
}

static void leave_registers(knh_low *l, const knh_loop *p)
{
    for (int b = 0; b < 2; b++)
        for (uint32_t in = l->bank[b].usable & ~l->bank[b].free; in; in &= in - 1) {
            int r = __builtin_ctz(in);
            int32_t s = l->bank[b].holds[r], value = s / KNH_COPIES;
            const knh_carry *mine = s >= 0 && l->value[value].carry ? carry_of(p, value) : NULL;
            if (s < 0)
                continue;
            if (l->state[s].next < KNH_NEVER && !(mine && mine->next >= 0)) /* turns do not change it */
                knh_low_store_away(l, s);
            if (!has_seat(p, l, value))
                knh_low_drop(l, s, b);
        }
}

static void settle_first(knh_low *l, knh_loop *p)
{
    choose_stays(l, p);
    leave_registers(l, p);
    for (size_t i = 0; i < p->carry.n; i++) {
        knh_value *v = &l->value[p->carry.at[i].is];
        memset(v->seat, -1, sizeof v->seat);
        for (int c = 0; c < l->copy_count && !v->resident; c++) {
            v->seat[c] = (int8_t)knh_low_need(l, p->carry.at[i].is, c);
            if (p->carry.at[i].next >= 0)
                knh_low_forget(l, knh_low_state(l, p->carry.at[i].is, c));
            knh_low_unlock(l);
        }
    }
    for (size_t i = 0; i < p->outside.n; i++)
        for (int c = 0; c < l->copy_count && l->value[p->outside.at[i]].stays; c++) {
            knh_low_need(l, p->outside.at[i], c);
            knh_low_unlock(l);
        }
    for (int b = 0; b < 2; b++) {
        p->outer_avoid[b] = l->avoid[b];
        l->avoid[b] = 0;
        memcpy(p->holds[b], l->bank[b].holds, sizeof p->holds[b]);
        for (int r = 0; r < 32; r++)
            if (p->holds[b][r] >= 0 && l->value[p->holds[b][r] / KNH_COPIES].carry)
                l->avoid[b] |= 1u << r;
    }
    for (size_t i = 0; i < p->carry.n; i++)
        for (int c = 0; c < l->copy_count; c++)
            l->state[knh_low_state(l, p->carry.at[i].is, c)].next =
                l->body.item.at[l->value[p->carry.at[i].is].born].first;
}

static knh_operand saved(const knh_low *l, const knh_loop *p, int *n) { return knh_low_at(l, p->saved + 8 * (*n)++); }

/* Pointers and numbers that turns move: put away before the first one, and brought back after the last. */
static void move_pointers(knh_low *l, const knh_loop *p, int loop, bool back)
{
    int n = 0;
    for (int s = 0; s < l->n_stream; s++) {
        const knh_way *w = &l->way[s];
        int r = w->reg >= 0 ? w->reg : KNH_RDX;
        if (!(w->turns >> loop & 1))
            continue;
        if (back) {
            knh_load(l->a, r, saved(l, p, &n));
            if (w->reg < 0)
                knh_store(l->a, knh_low_at(l, w->pointer), r);
        } else {
            if (w->reg < 0)
                knh_load(l->a, r, knh_low_at(l, w->pointer));
            knh_store(l->a, saved(l, p, &n), r);
        }
    }
}

static knh_operand left(void) { return knh_at(KNH_RSI, (int32_t)offsetof(knh_asking, left)); }
static void find_left(knh_low *l) { knh_load(l->a, KNH_RSI, knh_at(KNH_RDI, (int32_t)offsetof(knh_args, asking))); }

static knh_question *new_question(knh_low *l, knh_question q)
{
    if (!KN_VEC_PUSH(&l->question, q))
        l->no_memory = true;
    return l->no_memory ? NULL : &l->question.at[l->question.n - 1];
}

/* All turns are taken from `left`: where it becomes negative, the counter comes to where it is time to ask. */
static void begin_count(knh_low *l, knh_loop *p)
{
    p->again_label = knh_label(l->a);
    const knh_question *q =
        new_question(l, (knh_question){knh_label(l->a), .back = p->begin_label, .again = p->again_label});
    find_left(l);
    knh_alu_store(l->a, KNH_SUB, left(), KNH_COUNTER);
    if (q)
        knh_jump_if(l->a, KNH_IF_L, q->label);
}

/* The counter is 0; a WHILE comes to end_label, and gives back the turns that were not made. */
static void end_count(knh_low *l, const knh_loop *p)
{
    find_left(l);
    knh_alu_load(l->a, KNH_CMP, KNH_COUNTER, left());
    knh_jump_if(l->a, KNH_IF_G, p->again_label);
    if (p->test >= 0) {
        knh_jump(l->a, p->done_label);
        knh_here(l->a, p->end_label);
        find_left(l);
        knh_mov_number(l->a, KNH_R11, 0);
        knh_load(l->a, KNH_RDX, left());
        knh_test(l->a, KNH_RDX, KNH_RDX);
        knh_cmov(l->a, KNH_IF_L, KNH_RDX, KNH_R11);
        knh_alu_reg(l->a, KNH_ADD, KNH_RDX, KNH_COUNTER);
        knh_store(l->a, left(), KNH_RDX);
    } else {
        knh_here(l->a, p->end_label);
    }
    knh_here(l->a, p->done_label);
}

/* A turn of a loop with loops in it. */
static void count_turn(knh_low *l)
{
    const knh_question *q = new_question(l, (knh_question){knh_label(l->a), knh_label(l->a), .again = -1});
    find_left(l);
    knh_mov_number(l->a, KNH_RDX, 1);
    knh_alu_store(l->a, KNH_SUB, left(), KNH_RDX);
    if (!q)
        return;
    knh_jump_if(l->a, KNH_IF_L, q->label);
    knh_here(l->a, q->back);
}

static void do_top(knh_low *l, knh_loop *p, int loop)
{
    settle_first(l, p);
    p->begin_label = knh_label(l->a);
    p->end_label = knh_label(l->a);
    p->done_label = p->inner ? p->end_label : knh_label(l->a);
    int count = p->inner ? KNH_RDX : KNH_COUNTER;
    knh_load(l->a, count, loop_word(l, -1, loop));
    move_pointers(l, p, loop, false); /* changes RDX */
    if (p->inner)
        knh_load(l->a, count, loop_word(l, -1, loop));
    knh_test(l->a, count, count);
    knh_jump_if(l->a, KNH_IF_LE, p->done_label);
    if (p->inner)
        knh_store(l->a, knh_low_at(l, p->count), count);
    else
        begin_count(l, p);
    knh_align(l->a, 32);
    knh_here(l->a, p->begin_label);
}

/* Settling. */

typedef struct move {
    int8_t bank, dst, src, copy; /* src: -1 memory */
    int32_t value;
} move;
typedef struct moves {
    move at[64];
    int n;
} moves;

static void emit_move(knh_low *l, const move *m)
{
    const knh_value *v = &l->value[m->value];
    if (m->src >= 0)
        knh_move(l->a, &l->form, v->dtype, m->dst, m->src);
    else if (v->kind == KNH_VALUE_CONSTANT)
        knh_emit_constant(l->a, &l->form, v->dtype, m->dst, l->node[v->node].imm, KNH_RDX);
    else
        knh_reload(l->a, &l->form, v->dtype, m->dst, knh_low_memory(l, m->value, m->copy, false));
}

static bool is_source(const moves *k, int bank, int reg, int but)
{
    for (int i = 0; i < k->n; i++)
        if (i != but && k->at[i].bank == bank && k->at[i].src == reg)
            return true;
    return false;
}

/* Where all of them read each other's registers: one goes through a register that nobody has at the start of turns. */
static void break_circle(knh_low *l, const knh_loop *p, moves *k)
{
    move m = k->at[0];
    uint32_t can = l->bank[(int)m.bank].usable;
    for (int r = 0; r < 32; r++)
        if (p->holds[(int)m.bank][r] >= 0 || is_source(k, m.bank, r, -1))
            can &= ~(1u << r);
    if (!can) {
        knh_low_fail(l, "its carries leave no register");
        k->n = 0;
        return;
    }
    uint32_t free = can & l->bank[(int)m.bank].free;
    int t = __builtin_ctz(free ? free : can), from = m.src;
    int32_t sits = l->bank[(int)m.bank].holds[t];
    if (!free && sits >= 0) { /* in the middle of a turn */
        if (l->state[sits].next < KNH_NEVER)
            knh_low_store_away(l, sits);
        knh_low_drop(l, sits, m.bank);
    }
    knh_move(l->a, &l->form, l->value[m.value].dtype, t, from);
    l->changed[(int)m.bank] |= 1u << t;
    for (int i = 0; i < k->n; i++)
        if (k->at[i].bank == m.bank && k->at[i].src == from)
            k->at[i].src = (int8_t)t;
}

/* All at once: a register is written when nobody reads it any more; what comes from memory, last. */
static void emit_moves(knh_low *l, const knh_loop *p, moves *k)
{
    moves late = {.n = 0};
    for (int i = 0; i < k->n;)
        if (k->at[i].src < 0) {
            late.at[late.n++] = k->at[i];
            k->at[i] = k->at[--k->n];
        } else {
            i++;
        }
    while (k->n && knh_low_fine(l)) {
        int ready = 0;
        while (ready < k->n && is_source(k, k->at[ready].bank, k->at[ready].dst, ready))
            ready++;
        if (ready == k->n) {
            break_circle(l, p, k);
            continue;
        }
        emit_move(l, &k->at[ready]);
        k->at[ready] = k->at[--k->n];
    }
    for (int i = 0; i < late.n; i++)
        emit_move(l, &late.at[i]);
}

static bool is_seated(const knh_loop *p, int bank, int32_t state)
{
    for (int r = 0; r < 32; r++)
        if (p->holds[bank][r] == state)
            return true;
    return false;
}

/* The registers that turns begin with, as they were settled. `end`: carries have their next values. */
static void settle(knh_low *l, knh_loop *p, bool end)
{
    moves k = {.n = 0};
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < 32; r++) {
            int32_t s = p->holds[b][r], from = s / KNH_COPIES, now = l->bank[b].holds[r];
            int copy = s % KNH_COPIES;
            const knh_carry *c = s >= 0 && l->value[from].carry ? carry_of(p, from) : NULL;
            if (s < 0 || (!end && l->state[s].next >= KNH_NEVER))
                continue;
            if (end && c && c->next >= 0)
                from = c->next;
            int src = l->state[knh_low_state(l, from, copy)].reg;
            if (src == r)
                continue;
            if (!end && now >= 0 && !is_seated(p, b, now)) {
                if (l->state[now].next < KNH_NEVER)
                    knh_low_store_away(l, now);
                knh_low_drop(l, now, b);
            }
            k.at[k.n++] = (move){(int8_t)b, (int8_t)r, (int8_t)src, (int8_t)copy, from};
        }
    moves copy = k;
    emit_moves(l, p, &k);
    if (end)
        return;
    for (int i = 0; i < copy.n; i++)
        if (copy.at[i].src >= 0)
            knh_low_give(l, copy.at[i].bank, copy.at[i].src);
    for (int i = 0; i < copy.n; i++) {
        const move *m = &copy.at[i];
        int32_t s = p->holds[(int)m->bank][(int)m->dst];
        l->bank[(int)m->bank].holds[(int)m->dst] = s;
        l->bank[(int)m->bank].free &= ~(1u << m->dst);
        l->changed[(int)m->bank] |= 1u << m->dst;
        l->state[s].reg = m->dst;
    }
}

/* Who goes on? RSI: a bit for each lane, of all copies. */
static void ask(knh_low *l, int going, bool more)
{
    int r = more ? KNH_RDX : KNH_RSI;
    bool wide = l->target == KNH_AVX512;
    int length = knh_length(&l->form, KN_ID_BOOL);
    knh_v2(l->a, wide ? KNH_KMOVW_RK : KNH_VMOVMSKPS, length, r, knh_reg(going));
    if (l->in_tail) {
        knh_v2(l->a, wide ? KNH_KMOVW_RK : KNH_VMOVMSKPS, length, KNH_R11, knh_reg(knh_low_exists(l)));
        knh_alu_reg(l->a, KNH_AND, r, KNH_R11);
    } else if (wide && l->form.lanes < 16) {
        knh_alu_number(l->a, KNH_AND, r, (1 << l->form.lanes) - 1);
    }
    if (more)
        knh_alu_reg(l->a, KNH_OR, KNH_RSI, KNH_RDX);
}

static void do_while(knh_low *l, const knh_item *it, knh_loop *p)
{
    for (int c = 0; c < l->copy_count; c++) {
        int r[3] = {0}, bank = knh_low_bank_of(l, it->use[0]), going;
        for (int j = 0; j < it->n_use; j++)
            r[j] = knh_low_need(l, it->use[j], c);
        going = r[0];
        if (it->def >= 0) {
            going = knh_low_define(l, it, c);
            for (int j = 1; j < it->n_use; j++)
                knh_v3(l->a, bank ? KNH_KANDW : KNH_VPAND, bank ? 0 : knh_length(&l->form, KN_ID_BOOL), going,
                       j == 1 ? r[0] : going, knh_reg(r[j]));
        }
        ask(l, going, c > 0);
        knh_low_end_item(l, it, c);
    }
    settle(l, p, false);
    knh_test(l->a, KNH_RSI, KNH_RSI);
    knh_jump_if(l->a, KNH_IF_E, p->end_label);
}

static void do_keep(knh_low *l, const knh_item *it, int copy)
{
    int32_t d = knh_low_state(l, it->def, copy), c = knh_low_state(l, it->use[2], copy);
    int pred = knh_low_need(l, it->use[0], copy), yes = knh_low_need(l, it->use[1], copy),
        no = knh_low_need(l, it->use[2], copy), dst;
    if (it->next[2] >= KNH_NEVER && it->use[1] != it->use[2] && it->use[0] != it->use[2] && !l->state[c].pinned) {
        l->state[d] = (knh_state){.next = it->first, .slot = -1, .reg = (int8_t)no};
        l->state[c].reg = -1;
        l->bank[knh_low_bank_of(l, it->def)].holds[no] = d;
        dst = no;
    } else {
        dst = knh_low_define(l, it, copy);
    }
    knh_low_select(l, l->value[it->def].dtype, dst, pred, knh_reg(yes), knh_reg(no));
    knh_low_end_item(l, it, copy);
}

static void do_copy(knh_low *l, const knh_item *it, int copy)
{
    int from = knh_low_need(l, it->use[0], copy), to = knh_low_define(l, it, copy);
    knh_move(l->a, &l->form, l->value[it->def].dtype, to, from);
    knh_low_end_item(l, it, copy);
}

static void do_ones(knh_low *l, const knh_item *it, int copy)
{
    int to = knh_low_define(l, it, copy);
    knh_emit_constant(l->a, &l->form, KN_ID_BOOL, to, 1, KNH_RDX);
    knh_low_end_item(l, it, copy);
}

/* The end of a turn. */

static void store_residents(knh_low *l, const knh_loop *p)
{
    for (size_t i = 0; i < p->carry.n; i++) {
        const knh_carry *k = &p->carry.at[i];
        const knh_value *v = &l->value[k->is];
        for (int c = 0; c < l->copy_count && k->next >= 0 && v->resident; c++) {
            const knh_state *next = &l->state[knh_low_state(l, k->next, c)];
            if (l->value[k->next].feeds == k->is && next->slot == v->kept + c * l->spill_step)
                continue;
            int r = knh_low_need(l, k->next, c);
            knh_spill(l->a, &l->form, v->dtype, place_of(l, k->is, c), r);
            knh_low_unlock(l);
        }
    }
}

static void advance_pointers(knh_low *l, int loop)
{
    for (int s = 0; s < l->n_stream; s++) {
        const knh_way *w = &l->way[s];
        if (!(w->turns >> loop & 1))
            continue;
        if (w->reg >= 0) {
            knh_alu_load(l->a, KNH_ADD, w->reg, loop_word(l, s, loop));
            continue;
        }
        knh_load(l->a, KNH_RDX, loop_word(l, s, loop));
        knh_alu_store(l->a, KNH_ADD, knh_low_at(l, w->pointer), KNH_RDX);
    }
}

/* After the loop registers are as turns begin. */
static void settle_last(knh_low *l, const knh_loop *p)
{
    for (int b = 0; b < 2; b++)
        for (uint32_t in = l->bank[b].usable & ~l->bank[b].free; in; in &= in - 1) {
            int r = __builtin_ctz(in);
            if (l->bank[b].holds[r] >= 0)
                l->state[l->bank[b].holds[r]].reg = -1;
            knh_low_give(l, b, r);
        }
    for (size_t i = 0; i < p->carry.n; i++)
        for (int c = 0; c < l->copy_count && p->carry.at[i].next >= 0; c++) {
            int32_t s = knh_low_state(l, p->carry.at[i].is, c);
            l->state[s].next = p->carry.at[i].after;
        }
    for (int b = 0; b < 2; b++) {
        for (int r = 0; r < 32; r++) {
            int32_t s = p->holds[b][r];
            if (s < 0)
                continue;
            l->bank[b].holds[r] = s;
            l->bank[b].free &= ~(1u << r);
            l->state[s].reg = (int8_t)r;
            if (l->state[s].next >= KNH_NEVER)
                knh_low_drop(l, s, b);
        }
        l->avoid[b] = p->outer_avoid[b];
    }
}

static void do_end(knh_low *l, knh_loop *p, int loop)
{
    store_residents(l, p);
    settle(l, p, true);
    advance_pointers(l, loop);
    if (p->inner) {
        count_turn(l);
        knh_load(l->a, KNH_RDX, knh_low_at(l, p->count));
        knh_alu_number(l->a, KNH_SUB, KNH_RDX, 1);
        knh_store(l->a, knh_low_at(l, p->count), KNH_RDX);
    } else {
        knh_alu_number(l->a, KNH_SUB, KNH_COUNTER, 1);
    }
    knh_jump_if(l->a, KNH_IF_NE, p->begin_label);
    if (p->inner)
        knh_here(l->a, p->end_label);
    else
        end_count(l, p);
    move_pointers(l, p, loop, true);
    settle_last(l, p);
}

void knh_low_turn_item(knh_low *l, const knh_item *it, int copy)
{
    knh_loop *p = loop_of(l, it);
    switch ((knh_item_kind)it->kind) {
    case KNH_ITEM_CARRY: do_carry(l, it, copy); return;
    case KNH_ITEM_ONES: do_ones(l, it, copy); return;
    case KNH_ITEM_KEEP: do_keep(l, it, copy); return;
    case KNH_ITEM_COPY: do_copy(l, it, copy); return;
    default: break;
    }
    if (copy) /* these are for all copies at once */
        return;
    switch ((knh_item_kind)it->kind) {
    case KNH_ITEM_LOOP: do_loop(l, p); return;
    case KNH_ITEM_TOP: do_top(l, p, it->number); return;
    case KNH_ITEM_WHILE: do_while(l, it, p); return;
    case KNH_ITEM_END: do_end(l, p, it->number); return;
    default: return;
    }
}

/* ---- Questions. */

/* Registers that a call does not keep. */
static void keep(knh_low *l, bool save)
{
    static const int8_t general[] = {KNH_RAX, KNH_RCX, KNH_RDI, KNH_R8, KNH_R9};
    enum { VECTOR = 64, MASKS = 32 * VECTOR, GENERAL = MASKS + 64 };
    _Static_assert(GENERAL + 8 * sizeof general <= KNH_ASK_AREA, "all of them have a place");
    bool wide = l->target == KNH_AVX512;
    for (int i = 0; i < (int)sizeof general; i++) {
        knh_operand at = knh_low_at(l, l->ask_area + GENERAL + 8 * i);
        if (save)
            knh_store(l->a, at, general[i]);
        else
            knh_load(l->a, general[i], at);
    }
    for (int r = 0; r < (wide ? 32 : 16); r++)
        knh_v2(l->a, save ? KNH_VMOVUPS_ST : KNH_VMOVUPS, wide ? 2 : 1, r, knh_low_at(l, l->ask_area + VECTOR * r));
    for (int r = 1; r < 8 && wide; r++)
        knh_v2(l->a, save ? KNH_KMOVW_ST : KNH_KMOVW, 0, r, knh_low_at(l, l->ask_area + MASKS + 8 * r));
}

/* A subroutine that keeps all registers but RSI, R10, R11 and RDX: `left`, compared with 0. */
static void emit_ask(knh_low *l)
{
    knh_align(l->a, 16);
    knh_here(l->a, l->ask_label);
    knh_alu_number(l->a, KNH_SUB, KNH_RSP, 56);
    l->shift = 64;
    keep(l, true);
    knh_load(l->a, KNH_RDI, knh_at(KNH_RDI, (int32_t)offsetof(knh_args, asking)));
    knh_load(l->a, KNH_RAX, knh_at(KNH_RDI, (int32_t)offsetof(knh_asking, ask)));
    knh_v(l->a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_call_reg(l->a, KNH_RAX);
    knh_mov(l->a, KNH_RDX, KNH_RAX);
    keep(l, false);
    knh_alu_number(l->a, KNH_ADD, KNH_RSP, 56);
    l->shift = 0;
    knh_test(l->a, KNH_RDX, KNH_RDX);
    knh_ret(l->a);
}

/* RSI: the address of `left`, which is negative. */
static void emit_question(knh_low *l, const knh_question *q)
{
    knh_here(l->a, q->label);
    if (q->again >= 0) {
        knh_alu_load(l->a, KNH_ADD, KNH_COUNTER, left()); /* turns until it is time */
        knh_jump_if(l->a, KNH_IF_G, q->back);
        knh_here(l->a, q->again);
        knh_mov_number(l->a, KNH_COUNTER, 0);
        knh_alu_load(l->a, KNH_SUB, KNH_COUNTER, left()); /* turns that are to come */
    }
    knh_call(l->a, l->ask_label);
    knh_jump_if(l->a, KNH_IF_E, l->out_label);
    if (q->again >= 0) {
        find_left(l);
        knh_alu_reg(l->a, KNH_SUB, KNH_RDX, KNH_COUNTER);
        knh_store(l->a, left(), KNH_RDX);
        knh_jump_if(l->a, KNH_IF_GE, q->back);
        knh_alu_reg(l->a, KNH_ADD, KNH_COUNTER, KNH_RDX);
    }
    knh_jump(l->a, q->back);
}

void knh_low_questions(knh_low *l)
{
    for (size_t i = 0; i < l->question.n && knh_low_fine(l); i++)
        emit_question(l, &l->question.at[i]);
    if (l->question.n && knh_low_fine(l))
        emit_ask(l);
}

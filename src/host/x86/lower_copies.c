/* SPDX-License-Identifier: Apache-2.0
 * lower_copies.c -- how many copies of the body are interleaved, and what has a register for the whole main loop:
 * accumulators, the most used constants, the pointers of streams. */
#include "host/x86/lower_internal.h"
#include <string.h>

enum { MOST_PINS = 24 };

static int vectors(const knh_low *l) { return l->target == KNH_AVX512 ? 32 : 16; }

/* Accumulators take the highest registers, all or none of them. */
static void place_sums(knh_low *l, bool registers)
{
    int top = vectors(l), count = 4 * knh_low_pieces(l);
    for (int i = 0; i < l->n_sum; i++) {
        knh_sum *s = &l->sum[i];
        if (l->r->mode == KNH_COLUMNS)
            continue;
        s->slot = knh_low_frame(l, count * knh_low_sum_step(l), 64);
        s->in_registers = registers && !knh_is_mask(&l->lane_form, s->dtype);
        for (int q = 0; q < count && s->in_registers; q++) {
            s->reg[q] = (int8_t)--top;
            l->reserved |= 1u << top;
        }
    }
}

static int sum_registers(const knh_low *l)
{
    int n = 0;
    for (int i = 0; i < l->n_sum && l->groups; i++)
        n += knh_is_mask(&l->lane_form, l->sum[i].dtype) ? 0 : 4 * knh_low_pieces(l);
    return n;
}

/* With AVX-512 some spilling is worth it for long bodies: the machine looks ahead over a few hundred instructions only.
 * A chain of 80 or 100 operations takes 0.9 of the time with four copies, a sixth of their values spilled, one of 35 or
 * 50 takes 1.06 to 1.1 of it. Bodies of more than 160 (random bits, then erf_inv and exp) take 0.85 of the time with
 * twice the copies, whatever is spilled. With AVX2 it never is worth it. */
static bool fits(const knh_low *l, int copies, int sums)
{
    size_t n = l->target == KNH_AVX512 ? l->body.item.n : 0;
    bool spill = n > 64;
    int most = spill ? vectors(l) * (n > 160 ? 5 : 3) / 2 : vectors(l), masks = spill ? 14 : 7;
    return l->body.live * copies + sums + l->body.temps <= most &&
           (l->target == KNH_AVX2 || l->body.live_masks * copies <= masks);
}

static void choose_copies(knh_low *l)
{
    int sums = sum_registers(l);
    bool registers = sums > 0 && !l->body.helper && sums <= vectors(l) / 2 + 4 && fits(l, 1, sums);
    l->copies = 1;
    if (!registers)
        sums = 0;
    for (int c = KNH_COPIES; c > 1 && !l->body.helper && !l->single; c /= 2)
        if (fits(l, c, sums)) {
            l->copies = c;
            break;
        }
    int pieces = 4 * knh_low_pieces(l);
    l->blocks = l->groups ? pieces / l->copies : 1;
    place_sums(l, registers);
}

/* What is used in loops is used more often. */
static void weigh(knh_low *l)
{
    int often = 1;
    for (size_t i = 0; i < l->body.item.n && l->n_loop; i++) {
        const knh_item *it = &l->body.item.at[i];
        if (it->kind == KNH_ITEM_TOP)
            often = often < 1 << 12 ? often * 8 : often;
        if (it->kind == KNH_ITEM_END)
            often = often > 1 ? often / 8 : 1;
        for (int j = 0; j < it->n_use && often > 1; j++)
            if (l->value[it->use[j]].kind != KNH_VALUE_LANE && l->value[it->use[j]].uses < 1 << 20)
                l->value[it->use[j]].uses += often;
    }
}

/* The values that lanes use and that all copies share, the most used ones first. */
static void choose_pins(knh_low *l)
{
    int taken = __builtin_popcount(l->reserved),
        room = vectors(l) - taken - l->body.live * l->copies - l->body.temps - 1;
    l->pin = knx_arena_alloc(&l->arena, MOST_PINS * sizeof *l->pin);
    if (!l->pin) {
        l->no_memory = true;
        return;
    }
    if (room > MOST_PINS)
        room = MOST_PINS;
    weigh(l);
    if (l->body.helper || room < 1)
        return;
    for (int32_t v = 0; v < l->n_value; v++) { /* insertion into a short sorted list */
        const knh_value *x = &l->value[v];
        if (x->kind == KNH_VALUE_LANE || x->mask || x->uses < 1)
            continue;
        int at = l->n_pin;
        while (at > 0 && l->value[l->pin[at - 1]].uses < x->uses)
            at--;
        if (at >= room)
            continue;
        int last = l->n_pin < room ? l->n_pin++ : room - 1;
        memmove(&l->pin[at + 1], &l->pin[at], (size_t)(last - at) * sizeof *l->pin);
        l->pin[at] = v;
    }
}

void knh_low_pin(knh_low *l, bool on)
{
    int r = vectors(l);
    for (int i = 0; i < l->n_pin; i++) {
        knh_value *v = &l->value[l->pin[i]];
        knh_state *s = &l->state[knh_low_state(l, l->pin[i], 0)];
        do {
            r--;
        } while (l->reserved >> r & 1);
        if (!on) {
            s->pinned = false;
            s->reg = -1;
            continue;
        }
        if (v->kind == KNH_VALUE_CONSTANT)
            knh_emit_constant(l->a, &l->form, v->dtype, r, l->node[v->node].imm, KNH_RDX);
        else
            knh_reload(l->a, &l->form, v->dtype, r, knh_low_at(l, v->home));
        s->reg = (int8_t)r;
        s->pinned = true;
    }
}

static const int8_t order[KNH_POINTERS] = {KNH_R8, KNH_R9, KNH_RBX, KNH_RBP, KNH_R12, KNH_R13, KNH_R14, KNH_R15};

/* How often each stream is used, those in loops more often; and the loops that move it. */
static void count_uses(knh_low *l)
{
    int often = 1;
    for (size_t i = 0; i < l->body.item.n; i++) {
        const knh_item *it = &l->body.item.at[i];
        if (it->kind == KNH_ITEM_TOP)
            often = often < 1 << 12 ? often * 8 : often;
        if (it->kind == KNH_ITEM_END)
            often = often > 1 ? often / 8 : 1;
        if (it->stream >= 0 && l->way[it->stream].uses < 1 << 20)
            l->way[it->stream].uses += often;
    }
    for (int s = 0; s < l->n_stream && l->n_loop; s++)
        for (int d = 0; d < l->n_loop && l->stream[s].map >= 0; d++)
            if (l->way[s].uses && l->k->map[l->stream[s].map].cls[l->k->n_par + knh_low_stage(l)->n_inner + d])
                l->way[s].turns |= (uint64_t)1 << d;
}

/* Is the stream one of the `most` most used ones? Without loops the first ones are as good as others. */
static bool is_among(const knh_low *l, int s, int most)
{
    int better = 0;
    for (int i = 0; i < l->n_stream && l->n_loop; i++)
        better += l->stream[i].kind != KNH_NUMBER &&
                  (l->way[i].uses > l->way[s].uses || (l->way[i].uses == l->way[s].uses && i < s));
    return better < most;
}

/* The most used streams have their pointers in registers; those whose lanes lie apart have running pointers. */
static void choose_ways(knh_low *l)
{
    int given = 0, most = KNH_POINTERS - l->counter;
    for (int s = 0; s < l->n_stream; s++)
        l->way[s] = (knh_way){.reg = -1, .pointer = -1, .table = -1, .step = -1, .step_tail = -1};
    count_uses(l);
    for (int s = 0; s < l->n_stream; s++) {
        knh_way *w = &l->way[s];
        const knh_stream *x = &l->stream[s];
        bool number = x->kind == KNH_NUMBER, apart = l->r->cls[s] == KNK_STRIDE_ANY && w->uses;
        w->shift = (uint8_t)__builtin_ctz((unsigned)knk_size(x->dtype));
        if (x->kind == KNH_EXPORT && l->r->mode == KNH_ROWS)
            continue; /* one element per row */
        if (x->kind == KNH_PARTIAL && l->r->mode == KNH_RUNS)
            continue;
        if (w->uses && !number && given < most && is_among(l, s, most))
            w->reg = order[given++];
        if (!w->uses || (!apart && !number && !w->turns))
            continue;
        if (number || w->reg < 0)
            w->pointer = knh_low_frame(l, 8, 8);
        if (apart) {
            w->step = knh_low_frame(l, 8, 8);
            w->step_tail = knh_low_frame(l, 8, 8);
            w->table = knh_low_frame(l, l->copies * l->lane_form.lanes * 8, 64);
        }
    }
}

/* Where loops put pointers away, and carries that have no register. */
static void choose_saved(knh_low *l)
{
    for (int i = 0; i < l->n_loop; i++) {
        int n = 0;
        for (size_t c = 0; c < l->loop[i].carry.n; c++)
            l->value[l->loop[i].carry.at[c].is].kept = knh_low_frame(l, l->copies * l->spill_step, l->spill_step);
        for (int s = 0; s < l->n_stream; s++)
            n += l->way[s].turns >> i & 1;
        l->loop[i].saved = knh_low_frame(l, 8 * n + 8, 8);
    }
}

void knh_low_copies(knh_low *l)
{
    l->groups = l->n_sum && (l->r->mode == KNH_ROWS || l->r->mode == KNH_RUNS);
    choose_copies(l);
    choose_pins(l);
    choose_ways(l);
    choose_saved(l);
    l->result_base = knh_low_frame(l, l->copies * l->result_bytes, 64);
    l->info->copies = l->copies;
}

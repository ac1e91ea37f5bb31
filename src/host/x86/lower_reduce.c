/* SPDX-License-Identifier: Apache-2.0
 * lower_reduce.c -- accumulators of reductions (docs/determinism.md): in registers or in the frame while a row is
 * walked, in memory between the calls of a run and in columns. */
#include "host/x86/lower_internal.h"

static bool needs_temps(const knh_sum *s)
{
    bool simple = s->how == KNK_RED_ADD || s->how == KNK_RED_MUL || s->how >= KNK_RED_AND;
    return !simple || !(knk_is_float_id(s->dtype) || (knk_size(s->dtype) == 4 && s->dtype != KN_ID_BOOL));
}

static void combine(knh_low *l, const knh_sum *s, int dst, int left, knh_operand right)
{
    bool temps = needs_temps(s), masks = temps && l->target == KNH_AVX512;
    int t = temps ? knh_low_take(l, 0, -1) : 0, m = masks ? knh_low_take(l, 1, -1) : 0;
    knh_emit_combine(l->a, &l->form, (knk_reduction)s->how, s->dtype, dst, left, right, t, m);
    if (temps)
        knh_low_give(l, 0, t);
    if (masks)
        knh_low_give(l, 1, m);
}

static bool is_mask(const knh_low *l, const knh_sum *s) { return knh_is_mask(&l->lane_form, s->dtype); }
static knh_operand slot_of(const knh_low *l, const knh_sum *s, int piece)
{
    return knh_low_at(l, s->slot + piece * knh_low_sum_step(l));
}

/* Elements in memory form from or to a register; only lanes that exist where `tail` says so. */
static void load_part(knh_low *l, const knh_sum *s, int dst, knh_operand from, const knh_tail *tail)
{
    const int gp[4] = {KNH_R10, KNH_RDX, KNH_RSI, KNH_R11};
    int t[2] = {0, 0}, n = knk_size(s->dtype) < 4 ? 2 : 0; /* others are moved as they are */
    for (int i = 0; i < n; i++)
        t[i] = knh_low_take(l, 0, -1);
    knh_emit_load(l->a, &l->form, s->dtype, dst, from, tail, t, gp, knh_low_at(l, l->scratch));
    for (int i = 0; i < n; i++)
        knh_low_give(l, 0, t[i]);
}

static void store_part(knh_low *l, const knh_sum *s, int src, knh_operand to, const knh_tail *tail)
{
    const int gp[4] = {KNH_R10, KNH_RDX, KNH_RSI, KNH_R11};
    int t[2] = {0, 0}, n = knk_size(s->dtype) < 4 ? 2 : 0; /* others are moved as they are */
    for (int i = 0; i < n; i++)
        t[i] = knh_low_take(l, 0, -1);
    knh_emit_store(l->a, &l->form, s->dtype, src, to, tail, false, t, gp, knh_low_at(l, l->scratch));
    for (int i = 0; i < n; i++)
        knh_low_give(l, 0, t[i]);
}

/* The accumulator lies in memory form at `at`. */
static void reduce_in_memory(knh_low *l, const knh_sum *s, knh_operand at, knh_operand x)
{
    int bank = is_mask(l, s), acc = knh_low_take(l, bank, -1);
    knh_tail tail = l->exists;
    tail.loose = true;
    load_part(l, s, acc, at, &tail);
    combine(l, s, acc, acc, x);
    store_part(l, s, acc, at, &tail);
    knh_low_give(l, bank, acc);
}

/* COLUMNS with accumulators that do not lie side by side. */
static void reduce_apart(knh_low *l, const knh_sum *s, knh_operand x, int copy)
{
    const int gp[3] = {KNH_RDX, KNH_RSI, KNH_R11};
    int bank = is_mask(l, s), acc = knh_low_take(l, bank, -1), index = knh_low_take(l, 0, -1);
    int t[2] = {knh_low_take(l, 0, -1), knh_low_take(l, 0, -1)},
        m = l->target == KNH_AVX512 ? knh_low_take(l, 1, -1) : 0;
    knh_operand scratch = knh_low_at(l, l->scratch);
    bool zero = l->r->cls[s->stream] == KNK_STRIDE_ZERO;
    int base = knh_low_pointer(l, s->stream);
    if (zero) {
        knh_emit_splat(l->a, &l->form, s->dtype, acc, knh_at(base, 0), t[0], KNH_RDX);
    } else {
        knh_reload(l->a, &l->form, KN_ID_I64, index, knh_low_at(l, l->way[s->stream].table + copy * l->form.lanes * 8));
        knh_emit_gather(l->a, &l->form, s->dtype, acc, base, index, -1, -1, &l->exists, t, &m, gp, scratch);
    }
    combine(l, s, acc, acc, x);
    if (zero) {
        knh_emit_store_one(l->a, &l->form, s->dtype, acc, knh_at(base, 0), t[0], KNH_RDX);
    } else {
        knh_reload(l->a, &l->form, KN_ID_I64, index, knh_low_at(l, l->way[s->stream].table + copy * l->form.lanes * 8));
        knh_emit_scatter(l->a, &l->form, s->dtype, acc, base, index, &l->exists, t, gp, scratch);
    }
    knh_low_give(l, bank, acc);
    knh_low_give(l, 0, index);
    knh_low_give(l, 0, t[0]);
    knh_low_give(l, 0, t[1]);
    if (l->target == KNH_AVX512)
        knh_low_give(l, 1, m);
}

/* RSI = number of the piece's first accumulator: (phase + element) & 63. */
static void number_of_piece(knh_low *l)
{
    knh_mov(l->a, KNH_RSI, KNH_RAX);
    if (l->r->mode == KNH_RUNS)
        knh_alu_load(l->a, KNH_ADD, KNH_RSI, knh_at(KNH_RDI, offsetof(knh_args, phase)));
    knh_alu_number(l->a, KNH_AND, KNH_RSI, 63);
}

static void reduce_in_tail(knh_low *l, const knh_sum *s, knh_operand x)
{
    int bank = is_mask(l, s);
    if (l->r->mode == KNH_RUNS) {
        number_of_piece(l);
        knh_lea(l->a, KNH_R10, knh_at_index(knh_low_pointer(l, s->stream), KNH_RSI, 1 << l->way[s->stream].shift, 0));
        reduce_in_memory(l, s, knh_at(KNH_R10, 0), x);
        return;
    }
    int scale = knh_low_sum_step(l) / l->form.lanes;
    int old = knh_low_take(l, bank, -1), new = knh_low_take(l, bank, -1);
    number_of_piece(l);
    knh_lea(l->a, KNH_R10, knh_at_index(KNH_RSP, KNH_RSI, scale, s->slot + l->shift));
    knh_operand at = knh_at(KNH_R10, 0);
    knh_reload(l->a, &l->form, s->dtype, old, at);
    combine(l, s, new, old, x);
    knh_low_select(l, s->dtype, old, knh_low_exists(l), knh_reg(new), knh_reg(old));
    knh_spill(l->a, &l->form, s->dtype, at, old);
    knh_low_give(l, bank, old);
    knh_low_give(l, bank, new);
}

void knh_low_reduce(knh_low *l, const knh_item *it, int copy)
{
    const knh_sum *s = &l->sum[it->number];
    int bank = is_mask(l, s), piece = l->block * l->copies + copy;
    bool memory = !bank && !knh_low_in_register(l, it->use[0], copy) && l->value[it->use[0]].kind != KNH_VALUE_CONSTANT;
    knh_operand x = memory ? knh_low_memory(l, it->use[0], copy, false) : knh_reg(knh_low_need(l, it->use[0], copy));
    if (l->r->mode == KNH_COLUMNS && l->r->cls[s->stream] != KNK_STRIDE_ONE) {
        reduce_apart(l, s, x, copy);
    } else if (l->r->mode == KNH_COLUMNS) {
        reduce_in_memory(l, s, knh_low_element(l, s->stream, copy), x);
    } else if (l->in_tail) {
        reduce_in_tail(l, s, x);
    } else if (s->in_registers) {
        combine(l, s, s->reg[piece], s->reg[piece], x);
    } else {
        int acc = knh_low_take(l, bank, -1);
        knh_reload(l->a, &l->form, s->dtype, acc, slot_of(l, s, piece));
        combine(l, s, acc, acc, x);
        knh_spill(l->a, &l->form, s->dtype, slot_of(l, s, piece), acc);
        knh_low_give(l, bank, acc);
    }
}

static int count(const knh_low *l) { return 4 * knh_low_pieces(l); }

void knh_low_sums_start(knh_low *l, bool registers)
{
    const knh_tail all = {.on = false};
    for (int i = 0; i < l->n_sum; i++) {
        const knh_sum *s = &l->sum[i];
        bool direct = registers && s->in_registers;
        int bank = is_mask(l, s), r = direct ? 0 : knh_low_take(l, bank, -1);
        for (int q = 0; q < count(l); q++) {
            if (direct)
                r = s->reg[q];
            if (l->r->mode == KNH_RUNS)
                load_part(l, s, r,
                          knh_at(knh_low_pointer(l, s->stream), q * l->form.lanes * (1 << l->way[s->stream].shift)),
                          &all);
            else if (direct && q)
                knh_move(l->a, &l->form, s->dtype, r, s->reg[0]);
            else if (q == 0)
                knh_emit_constant(l->a, &l->form, s->dtype, r, knk_reduction_identity(s->how, s->dtype), KNH_RDX);
            if (!direct)
                knh_spill(l->a, &l->form, s->dtype, slot_of(l, s, q), r);
        }
        if (!direct)
            knh_low_give(l, bank, r);
    }
    knh_low_unlock(l);
}

void knh_low_sums_move(knh_low *l, bool to_memory)
{
    for (int i = 0; i < l->n_sum; i++)
        for (int q = 0; q < count(l) && l->sum[i].in_registers; q++) {
            const knh_sum *s = &l->sum[i];
            if (to_memory)
                knh_spill(l->a, &l->form, s->dtype, slot_of(l, s, q), s->reg[q]);
            else
                knh_reload(l->a, &l->form, s->dtype, s->reg[q], slot_of(l, s, q));
        }
}

void knh_low_sums_store(knh_low *l)
{
    const knh_tail all = {.on = false};
    for (int i = 0; i < l->n_sum; i++) {
        const knh_sum *s = &l->sum[i];
        int bank = is_mask(l, s), r = s->in_registers ? 0 : knh_low_take(l, bank, -1);
        for (int q = 0; q < count(l); q++) {
            if (s->in_registers)
                r = s->reg[q];
            else
                knh_reload(l->a, &l->form, s->dtype, r, slot_of(l, s, q));
            store_part(l, s, r,
                       knh_at(knh_low_pointer(l, s->stream), q * l->form.lanes * (1 << l->way[s->stream].shift)), &all);
        }
        if (!s->in_registers)
            knh_low_give(l, bank, r);
    }
    knh_low_unlock(l);
}

/* The groups, in each lane: (0 + 1) + (2 + 3), into the registers `piece`. */
static void join_groups(knh_low *l, const knh_sum *s, int *piece)
{
    int p = knh_low_pieces(l), bank = is_mask(l, s);
    for (int i = 0; i < p; i++) {
        if (s->in_registers) {
            piece[i] = s->reg[i];
            combine(l, s, piece[i], piece[i], knh_reg(s->reg[p + i]));
            combine(l, s, s->reg[2 * p + i], s->reg[2 * p + i], knh_reg(s->reg[3 * p + i]));
            combine(l, s, piece[i], piece[i], knh_reg(s->reg[2 * p + i]));
            continue;
        }
        piece[i] = knh_low_take(l, bank, -1);
        int x = knh_low_take(l, bank, -1), y = knh_low_take(l, bank, -1);
        knh_reload(l->a, &l->form, s->dtype, piece[i], slot_of(l, s, i));
        knh_reload(l->a, &l->form, s->dtype, x, slot_of(l, s, p + i));
        combine(l, s, piece[i], piece[i], knh_reg(x));
        knh_reload(l->a, &l->form, s->dtype, x, slot_of(l, s, 2 * p + i));
        knh_reload(l->a, &l->form, s->dtype, y, slot_of(l, s, 3 * p + i));
        combine(l, s, x, x, knh_reg(y));
        combine(l, s, piece[i], piece[i], knh_reg(x));
        knh_low_give(l, bank, x);
        knh_low_give(l, bank, y);
    }
}

void knh_low_sums_join(knh_low *l)
{
    for (int i = 0; i < l->n_sum; i++) {
        const knh_sum *s = &l->sum[i];
        int piece[4] = {0};
        join_groups(l, s, piece);
        int bank = is_mask(l, s), t = knh_low_take(l, 0, -1), t2 = knh_low_take(l, 0, -1);
        int m = l->target == KNH_AVX512 ? knh_low_take(l, 1, -1) : 0;
        knh_emit_join_lanes(l->a, &l->form, (knk_reduction)s->how, s->dtype, piece, t, t2, m);
        knh_emit_store_one(l->a, &l->form, s->dtype, piece[0], knh_at(knh_low_pointer(l, s->stream), 0), t, KNH_RDX);
        knh_low_give(l, 0, t);
        knh_low_give(l, 0, t2);
        if (l->target == KNH_AVX512)
            knh_low_give(l, 1, m);
        for (int j = 0; j < knh_low_pieces(l) && !s->in_registers; j++)
            knh_low_give(l, bank, piece[j]);
        knh_low_unlock(l);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * lower_reduce.c -- accumulators of reductions (docs/determinism.md): in registers or in the frame while a row is
 * walked, in memory between the calls of a run and in columns. */
#include "host/x86/lower_internal.h"

static bool needs_temps(const kng_sum *s)
{
    bool simple = s->how == KNK_RED_ADD || s->how == KNK_RED_MUL || s->how >= KNK_RED_AND;
    return !simple || !(knk_is_float_id(s->dtype) || (knk_size(s->dtype) == 4 && s->dtype != KN_ID_BOOL));
}

static void combine(kng_low *l, const kng_sum *s, int dst, int left, kng_operand right)
{
    bool temps = needs_temps(s), masks = temps && l->target == KNG_AVX512;
    int t = temps ? kng_low_take(l, 0, -1) : 0, m = masks ? kng_low_take(l, 1, -1) : 0;
    kng_emit_combine(l->a, &l->form, (knk_reduction)s->how, s->dtype, dst, left, right, t, m);
    if (temps)
        kng_low_give(l, 0, t);
    if (masks)
        kng_low_give(l, 1, m);
}

static bool is_mask(const kng_low *l, const kng_sum *s) { return kng_is_mask(&l->lane_form, s->dtype); }
static kng_operand slot_of(const kng_low *l, const kng_sum *s, int piece)
{
    return kng_low_at(l, s->slot + piece * kng_low_sum_step(l));
}

/* Elements in memory form from or to a register; only lanes that exist where `tail` says so. */
static void load_part(kng_low *l, const kng_sum *s, int dst, kng_operand from, const kng_tail *tail)
{
    const int gp[4] = {KNG_R10, KNG_RDX, KNG_RSI, KNG_R11};
    int t[2] = {0, 0}, n = knk_size(s->dtype) < 4 ? 2 : 0; /* others are moved as they are */
    for (int i = 0; i < n; i++)
        t[i] = kng_low_take(l, 0, -1);
    kng_emit_load(l->a, &l->form, s->dtype, dst, from, tail, t, gp, kng_low_at(l, l->scratch));
    for (int i = 0; i < n; i++)
        kng_low_give(l, 0, t[i]);
}

static void store_part(kng_low *l, const kng_sum *s, int src, kng_operand to, const kng_tail *tail)
{
    const int gp[4] = {KNG_R10, KNG_RDX, KNG_RSI, KNG_R11};
    int t[2] = {0, 0}, n = knk_size(s->dtype) < 4 ? 2 : 0; /* others are moved as they are */
    for (int i = 0; i < n; i++)
        t[i] = kng_low_take(l, 0, -1);
    kng_emit_store(l->a, &l->form, s->dtype, src, to, tail, false, t, gp, kng_low_at(l, l->scratch));
    for (int i = 0; i < n; i++)
        kng_low_give(l, 0, t[i]);
}

/* The accumulator lies in memory form at `at`. */
static void reduce_in_memory(kng_low *l, const kng_sum *s, kng_operand at, kng_operand x)
{
    int bank = is_mask(l, s), acc = kng_low_take(l, bank, -1);
    kng_tail tail = l->exists;
    tail.loose = true;
    load_part(l, s, acc, at, &tail);
    combine(l, s, acc, acc, x);
    store_part(l, s, acc, at, &tail);
    kng_low_give(l, bank, acc);
}

/* COLUMNS with accumulators that do not lie side by side. */
static void reduce_apart(kng_low *l, const kng_sum *s, kng_operand x, int copy)
{
    const int gp[3] = {KNG_RDX, KNG_RSI, KNG_R11};
    int bank = is_mask(l, s), acc = kng_low_take(l, bank, -1), index = kng_low_take(l, 0, -1);
    int t[2] = {kng_low_take(l, 0, -1), kng_low_take(l, 0, -1)},
        m = l->target == KNG_AVX512 ? kng_low_take(l, 1, -1) : 0;
    kng_operand scratch = kng_low_at(l, l->scratch);
    bool zero = l->r->cls[s->stream] == KNK_STRIDE_ZERO;
    int base = kng_low_pointer(l, s->stream);
    if (zero) {
        kng_emit_splat(l->a, &l->form, s->dtype, acc, kng_at(base, 0), t[0], KNG_RDX);
    } else {
        kng_reload(l->a, &l->form, KN_ID_I64, index, kng_low_at(l, l->way[s->stream].table + copy * l->form.lanes * 8));
        kng_emit_gather(l->a, &l->form, s->dtype, acc, base, index, -1, -1, &l->exists, t, &m, gp, scratch);
    }
    combine(l, s, acc, acc, x);
    if (zero) {
        kng_emit_store_one(l->a, &l->form, s->dtype, acc, kng_at(base, 0), t[0], KNG_RDX);
    } else {
        kng_reload(l->a, &l->form, KN_ID_I64, index, kng_low_at(l, l->way[s->stream].table + copy * l->form.lanes * 8));
        kng_emit_scatter(l->a, &l->form, s->dtype, acc, base, index, &l->exists, t, gp, scratch);
    }
    kng_low_give(l, bank, acc);
    kng_low_give(l, 0, index);
    kng_low_give(l, 0, t[0]);
    kng_low_give(l, 0, t[1]);
    if (l->target == KNG_AVX512)
        kng_low_give(l, 1, m);
}

/* RSI = number of the piece's first accumulator: (phase + element) & 63. */
static void number_of_piece(kng_low *l)
{
    kng_mov(l->a, KNG_RSI, KNG_RAX);
    if (l->r->mode == KNG_RUNS)
        kng_alu_load(l->a, KNG_ADD, KNG_RSI, kng_at(KNG_RDI, offsetof(kng_args, phase)));
    kng_alu_number(l->a, KNG_AND, KNG_RSI, 63);
}

static void reduce_in_tail(kng_low *l, const kng_sum *s, kng_operand x)
{
    int bank = is_mask(l, s);
    if (l->r->mode == KNG_RUNS) {
        number_of_piece(l);
        kng_lea(l->a, KNG_R10, kng_at_index(kng_low_pointer(l, s->stream), KNG_RSI, 1 << l->way[s->stream].shift, 0));
        reduce_in_memory(l, s, kng_at(KNG_R10, 0), x);
        return;
    }
    int scale = kng_low_sum_step(l) / l->form.lanes;
    int old = kng_low_take(l, bank, -1), new = kng_low_take(l, bank, -1);
    number_of_piece(l);
    kng_lea(l->a, KNG_R10, kng_at_index(KNG_RSP, KNG_RSI, scale, s->slot + l->shift));
    kng_operand at = kng_at(KNG_R10, 0);
    kng_reload(l->a, &l->form, s->dtype, old, at);
    combine(l, s, new, old, x);
    kng_low_select(l, s->dtype, old, kng_low_exists(l), kng_reg(new), kng_reg(old));
    kng_spill(l->a, &l->form, s->dtype, at, old);
    kng_low_give(l, bank, old);
    kng_low_give(l, bank, new);
}

void kng_low_reduce(kng_low *l, const kng_item *it, int copy)
{
    const kng_sum *s = &l->sum[it->number];
    int bank = is_mask(l, s), piece = l->block * l->copies + copy;
    bool memory = !bank && !kng_low_in_register(l, it->use[0], copy) && l->value[it->use[0]].kind != KNG_VALUE_CONSTANT;
    kng_operand x = memory ? kng_low_memory(l, it->use[0], copy, false) : kng_reg(kng_low_need(l, it->use[0], copy));
    if (l->r->mode == KNG_COLUMNS && l->r->cls[s->stream] != KNK_STRIDE_ONE) {
        reduce_apart(l, s, x, copy);
    } else if (l->r->mode == KNG_COLUMNS) {
        reduce_in_memory(l, s, kng_low_element(l, s->stream, copy), x);
    } else if (l->in_tail) {
        reduce_in_tail(l, s, x);
    } else if (s->in_registers) {
        combine(l, s, s->reg[piece], s->reg[piece], x);
    } else {
        int acc = kng_low_take(l, bank, -1);
        kng_reload(l->a, &l->form, s->dtype, acc, slot_of(l, s, piece));
        combine(l, s, acc, acc, x);
        kng_spill(l->a, &l->form, s->dtype, slot_of(l, s, piece), acc);
        kng_low_give(l, bank, acc);
    }
}

static int count(const kng_low *l) { return 4 * kng_low_pieces(l); }

void kng_low_sums_start(kng_low *l, bool registers)
{
    const kng_tail all = {.on = false};
    for (int i = 0; i < l->n_sum; i++) {
        const kng_sum *s = &l->sum[i];
        bool direct = registers && s->in_registers;
        int bank = is_mask(l, s), r = direct ? 0 : kng_low_take(l, bank, -1);
        for (int q = 0; q < count(l); q++) {
            if (direct)
                r = s->reg[q];
            if (l->r->mode == KNG_RUNS)
                load_part(l, s, r,
                          kng_at(kng_low_pointer(l, s->stream), q * l->form.lanes * (1 << l->way[s->stream].shift)),
                          &all);
            else if (direct && q)
                kng_move(l->a, &l->form, s->dtype, r, s->reg[0]);
            else if (q == 0)
                kng_emit_constant(l->a, &l->form, s->dtype, r, knk_reduction_identity(s->how, s->dtype), KNG_RDX);
            if (!direct)
                kng_spill(l->a, &l->form, s->dtype, slot_of(l, s, q), r);
        }
        if (!direct)
            kng_low_give(l, bank, r);
    }
    kng_low_unlock(l);
}

void kng_low_sums_move(kng_low *l, bool to_memory)
{
    for (int i = 0; i < l->n_sum; i++)
        for (int q = 0; q < count(l) && l->sum[i].in_registers; q++) {
            const kng_sum *s = &l->sum[i];
            if (to_memory)
                kng_spill(l->a, &l->form, s->dtype, slot_of(l, s, q), s->reg[q]);
            else
                kng_reload(l->a, &l->form, s->dtype, s->reg[q], slot_of(l, s, q));
        }
}

void kng_low_sums_store(kng_low *l)
{
    const kng_tail all = {.on = false};
    for (int i = 0; i < l->n_sum; i++) {
        const kng_sum *s = &l->sum[i];
        int bank = is_mask(l, s), r = s->in_registers ? 0 : kng_low_take(l, bank, -1);
        for (int q = 0; q < count(l); q++) {
            if (s->in_registers)
                r = s->reg[q];
            else
                kng_reload(l->a, &l->form, s->dtype, r, slot_of(l, s, q));
            store_part(l, s, r,
                       kng_at(kng_low_pointer(l, s->stream), q * l->form.lanes * (1 << l->way[s->stream].shift)), &all);
        }
        if (!s->in_registers)
            kng_low_give(l, bank, r);
    }
    kng_low_unlock(l);
}

/* The groups, in each lane: (0 + 1) + (2 + 3), into the registers `piece`. */
static void join_groups(kng_low *l, const kng_sum *s, int *piece)
{
    int p = kng_low_pieces(l), bank = is_mask(l, s);
    for (int i = 0; i < p; i++) {
        if (s->in_registers) {
            piece[i] = s->reg[i];
            combine(l, s, piece[i], piece[i], kng_reg(s->reg[p + i]));
            combine(l, s, s->reg[2 * p + i], s->reg[2 * p + i], kng_reg(s->reg[3 * p + i]));
            combine(l, s, piece[i], piece[i], kng_reg(s->reg[2 * p + i]));
            continue;
        }
        piece[i] = kng_low_take(l, bank, -1);
        int x = kng_low_take(l, bank, -1), y = kng_low_take(l, bank, -1);
        kng_reload(l->a, &l->form, s->dtype, piece[i], slot_of(l, s, i));
        kng_reload(l->a, &l->form, s->dtype, x, slot_of(l, s, p + i));
        combine(l, s, piece[i], piece[i], kng_reg(x));
        kng_reload(l->a, &l->form, s->dtype, x, slot_of(l, s, 2 * p + i));
        kng_reload(l->a, &l->form, s->dtype, y, slot_of(l, s, 3 * p + i));
        combine(l, s, x, x, kng_reg(y));
        combine(l, s, piece[i], piece[i], kng_reg(x));
        kng_low_give(l, bank, x);
        kng_low_give(l, bank, y);
    }
}

void kng_low_sums_join(kng_low *l)
{
    for (int i = 0; i < l->n_sum; i++) {
        const kng_sum *s = &l->sum[i];
        int piece[4] = {0};
        join_groups(l, s, piece);
        int bank = is_mask(l, s), t = kng_low_take(l, 0, -1), t2 = kng_low_take(l, 0, -1);
        int m = l->target == KNG_AVX512 ? kng_low_take(l, 1, -1) : 0;
        kng_emit_join_lanes(l->a, &l->form, (knk_reduction)s->how, s->dtype, piece, t, t2, m);
        kng_emit_store_one(l->a, &l->form, s->dtype, piece[0], kng_at(kng_low_pointer(l, s->stream), 0), t, KNG_RDX);
        kng_low_give(l, 0, t);
        kng_low_give(l, 0, t2);
        if (l->target == KNG_AVX512)
            kng_low_give(l, 1, m);
        for (int j = 0; j < kng_low_pieces(l) && !s->in_registers; j++)
            kng_low_give(l, bank, piece[j]);
        kng_low_unlock(l);
    }
}

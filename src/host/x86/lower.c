/* SPDX-License-Identifier: Apache-2.0
 * lower.c -- a stage function as a whole: entry and frame, the loop over rows, the main loop and the tail over lanes.
 *
 *     entry; for each row: uniform values; the main loop, whole blocks of pieces; the tail, piece by piece, masked;
 *     the end of reductions; out. Behind that: cold parts and the ways there. */
#include "host/x86/lower_internal.h"
#include <string.h>

enum { MASK4 = 15, MASK8 = 14, MASK_K = 1 };

static kng_operand arg(size_t member) { return kng_at(KNG_RDI, (int32_t)member); }
static kng_operand word(int stream, size_t member) { return kng_at(KNG_RDI, kng_low_word(stream, member)); }
static bool is_row_sum(const kng_low *l) { return l->n_sum && l->r->mode == KNG_ROWS; }
static bool is_run_sum(const kng_low *l) { return l->n_sum && l->r->mode == KNG_RUNS; }

/* Lanes that lie apart: their distances from the first, and what a block adds. Once per call. */
static void emit_table(kng_low *l, int s)
{
    kng_asm *a = l->a;
    const kng_way *w = &l->way[s];
    int lanes = l->lane_form.lanes, all = lanes * l->copies;
    kng_load(a, KNG_RDX, word(s, offsetof(kng_words, lane_step)));
    kng_mov(a, KNG_RSI, KNG_RDX);
    kng_shl(a, KNG_RSI, __builtin_ctz((unsigned)lanes));
    kng_store(a, kng_low_at(l, w->step_tail), KNG_RSI);
    kng_mov(a, KNG_RSI, KNG_RDX);
    kng_shl(a, KNG_RSI, __builtin_ctz((unsigned)all));
    kng_store(a, kng_low_at(l, w->step), KNG_RSI);
    if (l->stream[s].kind != KNG_NUMBER)
        kng_sar(a, KNG_RDX, w->shift);
    if (l->target == KNG_AVX512) {
        int64_t v[64];
        kng_v2(a, KNG_VPBROADCASTQ_R, 2, 0, kng_reg(KNG_RDX));
        for (int c = 0; c < l->copies; c++) {
            for (int i = 0; i < 8; i++)
                v[i] = c * 8 + i;
            kng_v3(a, KNG_VPMULLQ, 2, 1, 0, kng_at_pool(kng_pool(a, v, 64, 64)));
            kng_v2(a, KNG_VMOVDQU64_ST, 2, 1, kng_low_at(l, w->table + c * 64));
        }
        return;
    }
    kng_mov_number(a, KNG_RSI, 0);
    for (int i = 0; i < all; i++) {
        kng_store(a, kng_low_at(l, w->table + i * 8), KNG_RSI);
        if (i + 1 < all)
            kng_alu_reg(a, KNG_ADD, KNG_RSI, KNG_RDX);
    }
}

/* Pointers and running numbers at the start of a row, or (moved) at element RAX of it. */
static void emit_ways(kng_low *l, bool moved)
{
    kng_asm *a = l->a;
    for (int s = 0; s < l->n_stream; s++) {
        const kng_way *w = &l->way[s];
        bool runs = w->pointer >= 0 || w->table >= 0;
        if ((w->reg < 0 && w->pointer < 0) || (moved && !runs))
            continue;
        int r = w->pointer >= 0 ? KNG_RDX : w->reg;
        if (moved) {
            kng_load(a, KNG_RDX, word(s, offsetof(kng_words, lane_step)));
            kng_imul(a, KNG_RDX, kng_reg(KNG_RAX));
            kng_alu_load(a, KNG_ADD, KNG_RDX, word(s, offsetof(kng_words, at)));
            if (r != KNG_RDX)
                kng_mov(a, r, KNG_RDX);
        } else {
            kng_load(a, r, word(s, offsetof(kng_words, at)));
        }
        if (w->pointer >= 0)
            kng_store(a, kng_low_at(l, w->pointer), KNG_RDX);
    }
}

/* Running pointers and numbers go on by a block. */
static void emit_advance(kng_low *l)
{
    kng_asm *a = l->a;
    for (int s = 0; s < l->n_stream; s++) {
        const kng_way *w = &l->way[s];
        bool number = l->stream[s].kind == KNG_NUMBER && l->r->cls[s] == KNK_STRIDE_ONE;
        if (w->table < 0 && (w->pointer < 0 || !number)) /* where they are is all that moves: RAX does */
            continue;
        kng_operand step = kng_low_at(l, l->in_tail ? w->step_tail : w->step);
        if (w->table >= 0 && w->pointer < 0) {
            kng_alu_load(a, KNG_ADD, w->reg, step);
            continue;
        }
        if (w->table >= 0)
            kng_load(a, KNG_RDX, step);
        else /* consecutive numbers */
            kng_mov_number(a, KNG_RDX, l->lane_form.lanes * (l->in_tail ? 1 : l->copies));
        kng_alu_store(a, KNG_ADD, kng_low_at(l, w->pointer), KNG_RDX);
    }
}

/* Which lanes exist: RCX of them, or more than a piece has. */
static void emit_mask(kng_low *l)
{
    kng_asm *a = l->a;
    int lanes = l->lane_form.lanes;
    l->exists = (kng_tail){.on = true, .mask = MASK_K, .mask4 = MASK4, .mask8 = MASK8, .count = KNG_RCX};
    if (l->target == KNG_AVX512) {
        kng_mov_number(a, KNG_RDX, -1);
        kng_bzhi(a, KNG_RDX, KNG_RDX, KNG_RCX);
        kng_v2(a, lanes == 16 ? KNG_KMOVW_KR : KNG_KMOVB_KR, 0, MASK_K, kng_reg(KNG_RDX));
        return;
    }
    int32_t table[16];
    for (int i = 0; i < 16; i++)
        table[i] = i < 8 ? -1 : 0;
    kng_mov_number(a, KNG_RDX, lanes);
    kng_alu_reg(a, KNG_CMP, KNG_RCX, KNG_RDX);
    kng_cmov(a, KNG_IF_G, KNG_RCX, KNG_RDX);
    kng_lea(a, KNG_RDX, kng_at_pool(kng_pool(a, table, 64, 64)));
    kng_mov_number(a, KNG_RSI, 0);
    kng_alu_reg(a, KNG_SUB, KNG_RSI, KNG_RCX);
    kng_v2(a, KNG_VMOVDQU, lanes == 8, MASK4, kng_at_index(KNG_RDX, KNG_RSI, 4, 32));
    if (lanes == 4)
        kng_v2(a, KNG_VMOVDQU, 1, MASK8, kng_at_index(KNG_RDX, KNG_RSI, 8, 32));
}

static void start_block(kng_low *l, uint32_t reserved)
{
    l->form = l->lane_form;
    l->current_part = KNG_BODY;
    kng_low_start(l, reserved);
}

/* One masked piece per round, until element `limit`. */
static void emit_tail(kng_low *l, int top)
{
    kng_asm *a = l->a;
    kng_operand limit = is_run_sum(l) ? kng_low_at(l, l->limit) : arg(offsetof(kng_args, n));
    kng_here(a, top);
    kng_load(a, KNG_RCX, limit);
    kng_alu_reg(a, KNG_SUB, KNG_RCX, KNG_RAX);
    emit_mask(l);
    l->in_tail = true;
    l->block = 0;
    start_block(l, l->target == KNG_AVX512 ? 0 : 1u << MASK4 | (l->lane_form.lanes == 4 ? 1u << MASK8 : 0));
    kng_low_block(l, &l->body, 1);
    emit_advance(l);
    l->in_tail = false;
    l->exists.on = false;
    kng_alu_number(a, KNG_ADD, KNG_RAX, l->lane_form.lanes);
    kng_alu_load(a, KNG_CMP, KNG_RAX, limit);
    kng_jump_if(a, KNG_IF_L, top);
}

static void emit_main(kng_low *l, int elements)
{
    kng_asm *a = l->a;
    int top = kng_label(a);
    uint32_t pins = 0;
    start_block(l, l->reserved);
    kng_low_pin(l, true);
    for (int i = 0; i < l->n_pin; i++)
        pins |= 1u << l->state[kng_low_state(l, l->pin[i], 0)].reg;
    kng_align(a, 64);
    kng_here(a, top);
    for (l->block = 0; l->block < l->blocks; l->block++) {
        start_block(l, l->reserved | pins);
        kng_low_block(l, &l->body, l->copies);
        emit_advance(l);
    }
    l->block = 0;
    kng_alu_number(a, KNG_ADD, KNG_RAX, elements);
    kng_alu_reg(a, KNG_CMP, KNG_RAX, KNG_RCX);
    kng_jump_if(a, KNG_IF_LE, top);
    kng_low_pin(l, false);
}

/* All lanes are one point. */
static void emit_single(kng_low *l)
{
    uint32_t pins = 0;
    kng_mov_number(l->a, KNG_RAX, 0);
    start_block(l, l->reserved);
    kng_low_pin(l, true);
    for (int i = 0; i < l->n_pin; i++)
        pins |= 1u << l->state[kng_low_state(l, l->pin[i], 0)].reg;
    start_block(l, l->reserved | pins);
    kng_low_block(l, &l->body, 1);
    kng_low_pin(l, false);
}

static void emit_lanes(kng_low *l)
{
    kng_asm *a = l->a;
    if (l->single) {
        emit_single(l);
        return;
    }
    int elements = l->copies * l->lane_form.lanes, tail = kng_label(a), top = kng_label(a), done = kng_label(a);
    kng_mov_number(a, KNG_RAX, 0);
    kng_load(a, KNG_RCX, arg(offsetof(kng_args, n)));
    kng_alu_number(a, KNG_SUB, KNG_RCX, elements);
    kng_jump_if(a, KNG_IF_L, top);
    emit_main(l, elements);
    kng_here(a, tail);
    kng_alu_load(a, KNG_CMP, KNG_RAX, arg(offsetof(kng_args, n)));
    kng_jump_if(a, KNG_IF_GE, done);
    emit_tail(l, top);
    kng_here(a, done);
}

/* Lanes with accumulators of the whole row. `empty`: here with RAX = 0 for n = 0. */
static void emit_row_sums(kng_low *l, int empty)
{
    kng_asm *a = l->a;
    int shorter = kng_label(a), top = kng_label(a), after = kng_label(a), joined = kng_label(a);
    kng_mov_number(a, KNG_RAX, 0);
    kng_load(a, KNG_RCX, arg(offsetof(kng_args, n)));
    kng_alu_number(a, KNG_SUB, KNG_RCX, 64);
    kng_jump_if(a, KNG_IF_L, shorter);
    start_block(l, l->reserved);
    kng_low_sums_start(l, true);
    emit_main(l, 64);
    kng_alu_load(a, KNG_CMP, KNG_RAX, arg(offsetof(kng_args, n)));
    kng_jump_if(a, KNG_IF_GE, joined);
    kng_low_sums_move(l, true);
    kng_jump(a, top);
    kng_here(a, shorter);
    kng_here(a, empty);
    start_block(l, 0);
    kng_low_sums_start(l, false);
    kng_alu_load(a, KNG_CMP, KNG_RAX, arg(offsetof(kng_args, n)));
    kng_jump_if(a, KNG_IF_GE, after);
    emit_tail(l, top);
    kng_here(a, after);
    kng_low_sums_move(l, false);
    kng_here(a, joined);
    start_block(l, l->reserved);
    kng_low_sums_join(l);
}

/* A part of a row whose first element has number `phase`: up to the next multiple of 64 piece by piece, whole rounds of
 * the accumulators, and the rest. */
static void emit_run_sums(kng_low *l)
{
    kng_asm *a = l->a;
    int whole = kng_label(a), shorter = kng_label(a), top = kng_label(a), done = kng_label(a);
    kng_operand n = arg(offsetof(kng_args, n)), limit = kng_low_at(l, l->limit);
    kng_mov_number(a, KNG_RAX, 0);
    kng_load(a, KNG_RDX, arg(offsetof(kng_args, phase)));
    kng_test(a, KNG_RDX, KNG_RDX);
    kng_jump_if(a, KNG_IF_E, whole);
    kng_mov_number(a, KNG_RCX, 64);
    kng_alu_reg(a, KNG_SUB, KNG_RCX, KNG_RDX);
    kng_load(a, KNG_RDX, n);
    kng_alu_reg(a, KNG_CMP, KNG_RCX, KNG_RDX);
    kng_cmov(a, KNG_IF_G, KNG_RCX, KNG_RDX);
    kng_store(a, limit, KNG_RCX);
    kng_jump(a, top);

    kng_here(a, whole);
    kng_load(a, KNG_RCX, n);
    kng_alu_number(a, KNG_SUB, KNG_RCX, 64);
    kng_alu_reg(a, KNG_CMP, KNG_RCX, KNG_RAX);
    kng_jump_if(a, KNG_IF_L, shorter);
    start_block(l, l->reserved);
    kng_low_sums_start(l, true);
    emit_main(l, 64);
    start_block(l, l->reserved);
    kng_low_sums_store(l);
    kng_here(a, shorter);
    kng_load(a, KNG_RDX, n);
    kng_store(a, limit, KNG_RDX);
    kng_alu_reg(a, KNG_CMP, KNG_RAX, KNG_RDX);
    kng_jump_if(a, KNG_IF_GE, done);
    emit_tail(l, top);
    kng_load(a, KNG_RAX, limit);
    kng_alu_load(a, KNG_CMP, KNG_RAX, n);
    kng_jump_if(a, KNG_IF_GE, done);
    emit_ways(l, true);
    kng_jump(a, whole);
    kng_here(a, done);
}

static void emit_uniform(kng_low *l)
{
    if (!l->uniform.item.n)
        return;
    l->form = l->row_form;
    l->current_part = -1;
    kng_low_start(l, 0);
    kng_low_block(l, &l->uniform, 1);
    l->form = l->lane_form;
    l->current_part = KNG_BODY;
}

static void emit_rows(kng_low *l, int out)
{
    kng_asm *a = l->a;
    int row = kng_label(a), empty = kng_label(a);
    kng_here(a, row);
    emit_ways(l, false);
    if (is_row_sum(l)) {
        kng_load(a, KNG_RAX, arg(offsetof(kng_args, n)));
        kng_test(a, KNG_RAX, KNG_RAX);
        kng_jump_if(a, KNG_IF_E, empty);
    }
    emit_uniform(l);
    if (is_row_sum(l))
        emit_row_sums(l, empty);
    else if (is_run_sum(l))
        emit_run_sums(l);
    else
        emit_lanes(l);
    kng_load(a, KNG_RDX, kng_low_at(l, l->rows_left));
    kng_alu_number(a, KNG_SUB, KNG_RDX, 1);
    kng_jump_if(a, KNG_IF_LE, out);
    kng_store(a, kng_low_at(l, l->rows_left), KNG_RDX);
    for (int s = 0; s < l->n_stream; s++) {
        kng_load(a, KNG_RDX, word(s, offsetof(kng_words, row_step)));
        kng_alu_store(a, KNG_ADD, word(s, offsetof(kng_words, at)), KNG_RDX);
    }
    kng_jump(a, row);
}

static void lay_out_frame(kng_low *l)
{
    l->saved_rsp = kng_low_frame(l, 8, 64);
    l->rows_left = kng_low_frame(l, 8, 8);
    l->limit = kng_low_frame(l, 8, 8);
    l->half = kng_low_frame(l, 8, 8);
    l->result_out = kng_low_frame(l, 8, 8);
    l->scratch = kng_low_frame(l, 256, 64);
}

static bool any_helper(const kng_low *l)
{
    bool any = l->uniform.helper || l->body.helper;
    for (size_t p = 1; p < l->part.n; p++)
        any |= l->part.at[p].list.helper;
    return any;
}

static void emit_function(kng_low *l)
{
    static const int8_t kept[] = {KNG_RBX, KNG_RBP, KNG_R12, KNG_R13, KNG_R14, KNG_R15};
    kng_asm *a = l->a;
    int out = kng_label(a), pushed = 0;
    int8_t push[sizeof kept];
    for (size_t i = 0; i < sizeof kept; i++)
        for (int s = 0; s < l->n_stream; s++)
            if (l->way[s].reg == kept[i])
                push[pushed++] = kept[i];
    if (l->counter)
        push[pushed++] = KNG_COUNTER;
    for (int i = 0; i < pushed; i++)
        kng_push(a, push[i]);
    kng_mov(a, KNG_R11, KNG_RSP);
    kng_alu_number(a, KNG_SUB, KNG_RSP, 1 << 20); /* becomes the size of the frame */
    size_t patch = a->code.n - 4;
    kng_alu_number(a, KNG_AND, KNG_RSP, -64);
    kng_store(a, kng_low_at(l, l->saved_rsp), KNG_R11);
    kng_load(a, KNG_RDX, arg(offsetof(kng_args, rows)));
    kng_test(a, KNG_RDX, KNG_RDX);
    kng_jump_if(a, KNG_IF_LE, out);
    kng_store(a, kng_low_at(l, l->rows_left), KNG_RDX);
    if (!is_row_sum(l)) {
        kng_load(a, KNG_RDX, arg(offsetof(kng_args, n)));
        kng_test(a, KNG_RDX, KNG_RDX);
        kng_jump_if(a, KNG_IF_LE, out);
    }
    for (int s = 0; s < l->n_stream; s++)
        if (l->way[s].table >= 0)
            emit_table(l, s);
    emit_rows(l, out);
    kng_here(a, out);
    if (l->r->nontemporal)
        kng_sfence(a);
    kng_load(a, KNG_RSP, kng_low_at(l, l->saved_rsp));
    for (int i = pushed - 1; i >= 0; i--)
        kng_pop(a, push[i]);
    kng_v(a, KNG_VZEROUPPER, 0, 0, 0, kng_reg(0), 0, false, -1);
    kng_ret(a);
    kng_low_stubs_and_parts(l);
    int32_t frame = (l->frame + 63) & -64;
    if (kng_low_fine(l))
        memcpy(a->code.at + patch, &frame, sizeof frame);
}

/* One point: all that a stage with loops reads and writes are single elements. Short vectors have the shortest waits,
 * and bools that are lanes are sooner known than masks. */
static void find_single(kng_low *l)
{
    l->single = kng_low_stage(l)->n_loop > 0;
    for (int s = 0; s < l->n_stream; s++)
        l->single &= l->r->cls[s] == KNK_STRIDE_ZERO;
    if (l->single)
        l->target = KNG_AVX2;
}

/* Streams of every second element: but for whole pieces they are like others whose elements lie apart. */
static bool find_second(kng_low *l, kng_request *r)
{
    uint8_t *cls = knx_arena_alloc(&l->arena, (size_t)l->n_stream + 1);
    l->second = knx_arena_zero(&l->arena, (size_t)l->n_stream + 1);
    for (int s = 0; cls && l->second && s < l->n_stream; s++) {
        bool second = r->cls[s] == KNG_STRIDE_TWO;
        cls[s] = second ? KNK_STRIDE_ANY : r->cls[s];
        l->second[s] = second && l->target == KNG_AVX512 && knk_size(l->stream[s].dtype) >= 4;
    }
    r->cls = cls;
    return cls && l->second;
}

static void lower(kng_low *l)
{
    find_single(l);
    lay_out_frame(l);
    if (!kng_low_plan(l))
        return;
    kng_low_copies(l);
    if (any_helper(l)) {
        l->helper_area = kng_low_frame(l, 4 * 128, 64);
        l->saved_area = kng_low_frame(l, 128, 64);
    }
    kng_low_lay_out_parts(l);
    if (kng_low_fine(l))
        emit_function(l);
}

static void release(kng_low *l)
{
    KN_VEC_FREE(&l->uniform.item);
    KN_VEC_FREE(&l->body.item);
    for (size_t p = 0; p < l->part.n; p++)
        KN_VEC_FREE(&l->part.at[p].list.item);
    for (int i = 0; i < l->n_loop; i++) {
        KN_VEC_FREE(&l->loop[i].carry);
        KN_VEC_FREE(&l->loop[i].outside);
    }
    KN_VEC_FREE(&l->part);
    KN_VEC_FREE(&l->stub);
    KN_VEC_FREE(&l->where);
    KN_VEC_FREE(&l->free_slot[0]);
    KN_VEC_FREE(&l->free_slot[1]);
    knx_arena_free(&l->arena);
}

kn_error *kng_lower(const kng_request *request, kng_target target, kng_asm *a, kng_lowered *info)
{
    kng_lowered unused;
    kng_request own = *request, *r = &own;
    kng_low l = {.r = r, .k = r->kernel, .node = r->kernel->node, .a = a, .target = target, .arena = KN_ARENA_INIT};
    l.info = info ? info : &unused;
    *l.info = (kng_lowered){0};
    l.open = -1;
    l.stream = knx_arena_alloc(&l.arena, KNG_MAX_STREAMS * sizeof *l.stream);
    if (!l.stream)
        return knx_error_nomem();
    l.n_stream = kng_streams(r->kernel, r->stage, r->mode, l.stream);
    if (l.n_stream < 0)
        kng_low_fail(&l, "it has too many streams");
    else if (!(l.way = knx_arena_alloc(&l.arena, (size_t)(l.n_stream + 1) * sizeof *l.way)) || !find_second(&l, r))
        l.no_memory = true;
    else
        lower(&l);
    if (kng_low_fine(&l) && !kng_finish(a))
        l.no_memory = a->why == NULL;
    const char *why = l.why ? l.why : a->why;
    bool memory = l.no_memory || (a->failed && !a->why);
    release(&l);
    if (memory)
        return knx_error_nomem();
    return why ? knx_error(KN_ERROR_NOT_IMPLEMENTED, "kernel: stage %d has no machine code: %s", r->stage, why) : NULL;
}

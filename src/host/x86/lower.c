/* SPDX-License-Identifier: Apache-2.0
 * lower.c -- a stage function as a whole: entry and frame, the loop over rows, the main loop and the tail over lanes.
 *
 *     entry; for each row: uniform values; the main loop, whole blocks of pieces; the tail, piece by piece, masked;
 *     the end of reductions; out. Behind that: cold parts and the ways there. */
#include "host/x86/lower_internal.h"
#include <string.h>

enum { MASK4 = 15, MASK8 = 14, MASK_K = 1 };

static knh_operand arg(size_t member) { return knh_at(KNH_RDI, (int32_t)member); }
static knh_operand word(int stream, size_t member) { return knh_at(KNH_RDI, knh_low_word(stream, member)); }
static bool is_row_sum(const knh_low *l) { return l->n_sum && l->r->mode == KNH_ROWS; }
static bool is_run_sum(const knh_low *l) { return l->n_sum && l->r->mode == KNH_RUNS; }

/* Lanes that lie apart: their distances from the first, and what a block adds. Once per call. */
static void emit_table(knh_low *l, int s)
{
    knh_asm *a = l->a;
    const knh_way *w = &l->way[s];
    int lanes = l->lane_form.lanes, all = lanes * l->copies;
    knh_load(a, KNH_RDX, word(s, offsetof(knh_words, lane_step)));
    knh_mov(a, KNH_RSI, KNH_RDX);
    knh_shl(a, KNH_RSI, __builtin_ctz((unsigned)lanes));
    knh_store(a, knh_low_at(l, w->step_tail), KNH_RSI);
    knh_mov(a, KNH_RSI, KNH_RDX);
    knh_shl(a, KNH_RSI, __builtin_ctz((unsigned)all));
    knh_store(a, knh_low_at(l, w->step), KNH_RSI);
    if (l->stream[s].kind != KNH_NUMBER)
        knh_sar(a, KNH_RDX, w->shift);
    if (l->target == KNH_AVX512) {
        int64_t v[64];
        knh_v2(a, KNH_VPBROADCASTQ_R, 2, 0, knh_reg(KNH_RDX));
        for (int c = 0; c < l->copies; c++) {
            for (int i = 0; i < 8; i++)
                v[i] = c * 8 + i;
            knh_v3(a, KNH_VPMULLQ, 2, 1, 0, knh_at_pool(knh_pool(a, v, 64, 64)));
            knh_v2(a, KNH_VMOVDQU64_ST, 2, 1, knh_low_at(l, w->table + c * 64));
        }
        return;
    }
    knh_mov_number(a, KNH_RSI, 0);
    for (int i = 0; i < all; i++) {
        knh_store(a, knh_low_at(l, w->table + i * 8), KNH_RSI);
        if (i + 1 < all)
            knh_alu_reg(a, KNH_ADD, KNH_RSI, KNH_RDX);
    }
}

/* Pointers and running numbers at the start of a row, or (moved) at element RAX of it. */
static void emit_ways(knh_low *l, bool moved)
{
    knh_asm *a = l->a;
    for (int s = 0; s < l->n_stream; s++) {
        const knh_way *w = &l->way[s];
        bool runs = w->pointer >= 0 || w->table >= 0;
        if ((w->reg < 0 && w->pointer < 0) || (moved && !runs))
            continue;
        int r = w->pointer >= 0 ? KNH_RDX : w->reg;
        if (moved) {
            knh_load(a, KNH_RDX, word(s, offsetof(knh_words, lane_step)));
            knh_imul(a, KNH_RDX, knh_reg(KNH_RAX));
            knh_alu_load(a, KNH_ADD, KNH_RDX, word(s, offsetof(knh_words, at)));
            if (r != KNH_RDX)
                knh_mov(a, r, KNH_RDX);
        } else {
            knh_load(a, r, word(s, offsetof(knh_words, at)));
        }
        if (w->pointer >= 0)
            knh_store(a, knh_low_at(l, w->pointer), KNH_RDX);
    }
}

/* Running pointers and numbers go on by a block. */
static void emit_advance(knh_low *l)
{
    knh_asm *a = l->a;
    for (int s = 0; s < l->n_stream; s++) {
        const knh_way *w = &l->way[s];
        bool number = l->stream[s].kind == KNH_NUMBER && l->r->cls[s] == KNK_STRIDE_ONE;
        if (w->table < 0 && (w->pointer < 0 || !number)) /* where they are is all that moves: RAX does */
            continue;
        knh_operand step = knh_low_at(l, l->in_tail ? w->step_tail : w->step);
        if (w->table >= 0 && w->pointer < 0) {
            knh_alu_load(a, KNH_ADD, w->reg, step);
            continue;
        }
        if (w->table >= 0)
            knh_load(a, KNH_RDX, step);
        else /* consecutive numbers */
            knh_mov_number(a, KNH_RDX, l->lane_form.lanes * (l->in_tail ? 1 : l->copies));
        knh_alu_store(a, KNH_ADD, knh_low_at(l, w->pointer), KNH_RDX);
    }
}

/* Which lanes exist: RCX of them, or more than a piece has. */
static void emit_mask(knh_low *l)
{
    knh_asm *a = l->a;
    int lanes = l->lane_form.lanes;
    l->exists = (knh_tail){.on = true, .mask = MASK_K, .mask4 = MASK4, .mask8 = MASK8, .count = KNH_RCX};
    if (l->target == KNH_AVX512) {
        knh_mov_number(a, KNH_RDX, -1);
        knh_bzhi(a, KNH_RDX, KNH_RDX, KNH_RCX);
        knh_v2(a, lanes == 16 ? KNH_KMOVW_KR : KNH_KMOVB_KR, 0, MASK_K, knh_reg(KNH_RDX));
        return;
    }
    int32_t table[16];
    for (int i = 0; i < 16; i++)
        table[i] = i < 8 ? -1 : 0;
    knh_mov_number(a, KNH_RDX, lanes);
    knh_alu_reg(a, KNH_CMP, KNH_RCX, KNH_RDX);
    knh_cmov(a, KNH_IF_G, KNH_RCX, KNH_RDX);
    knh_lea(a, KNH_RDX, knh_at_pool(knh_pool(a, table, 64, 64)));
    knh_mov_number(a, KNH_RSI, 0);
    knh_alu_reg(a, KNH_SUB, KNH_RSI, KNH_RCX);
    knh_v2(a, KNH_VMOVDQU, lanes == 8, MASK4, knh_at_index(KNH_RDX, KNH_RSI, 4, 32));
    if (lanes == 4)
        knh_v2(a, KNH_VMOVDQU, 1, MASK8, knh_at_index(KNH_RDX, KNH_RSI, 8, 32));
}

static void start_block(knh_low *l, uint32_t reserved)
{
    l->form = l->lane_form;
    l->current_part = KNH_BODY;
    knh_low_start(l, reserved);
}

/* One masked piece per round, until element `limit`. */
static void emit_tail(knh_low *l, int top)
{
    knh_asm *a = l->a;
    knh_operand limit = is_run_sum(l) ? knh_low_at(l, l->limit) : arg(offsetof(knh_args, n));
    knh_here(a, top);
    knh_load(a, KNH_RCX, limit);
    knh_alu_reg(a, KNH_SUB, KNH_RCX, KNH_RAX);
    emit_mask(l);
    l->in_tail = true;
    l->block = 0;
    start_block(l, l->target == KNH_AVX512 ? 0 : 1u << MASK4 | (l->lane_form.lanes == 4 ? 1u << MASK8 : 0));
    knh_low_block(l, &l->body, 1);
    emit_advance(l);
    l->in_tail = false;
    l->exists.on = false;
    knh_alu_number(a, KNH_ADD, KNH_RAX, l->lane_form.lanes);
    knh_alu_load(a, KNH_CMP, KNH_RAX, limit);
    knh_jump_if(a, KNH_IF_L, top);
}

static void emit_main(knh_low *l, int elements)
{
    knh_asm *a = l->a;
    int top = knh_label(a);
    uint32_t pins = 0;
    start_block(l, l->reserved);
    knh_low_pin(l, true);
    for (int i = 0; i < l->n_pin; i++)
        pins |= 1u << l->state[knh_low_state(l, l->pin[i], 0)].reg;
    knh_align(a, 64);
    knh_here(a, top);
    for (l->block = 0; l->block < l->blocks; l->block++) {
        start_block(l, l->reserved | pins);
        knh_low_block(l, &l->body, l->copies);
        emit_advance(l);
    }
    l->block = 0;
    knh_alu_number(a, KNH_ADD, KNH_RAX, elements);
    knh_alu_reg(a, KNH_CMP, KNH_RAX, KNH_RCX);
    knh_jump_if(a, KNH_IF_LE, top);
    knh_low_pin(l, false);
}

/* All lanes are one point. */
static void emit_single(knh_low *l)
{
    uint32_t pins = 0;
    knh_mov_number(l->a, KNH_RAX, 0);
    start_block(l, l->reserved);
    knh_low_pin(l, true);
    for (int i = 0; i < l->n_pin; i++)
        pins |= 1u << l->state[knh_low_state(l, l->pin[i], 0)].reg;
    start_block(l, l->reserved | pins);
    knh_low_block(l, &l->body, 1);
    knh_low_pin(l, false);
}

static void emit_lanes(knh_low *l)
{
    knh_asm *a = l->a;
    if (l->single) {
        emit_single(l);
        return;
    }
    int elements = l->copies * l->lane_form.lanes, tail = knh_label(a), top = knh_label(a), done = knh_label(a);
    knh_mov_number(a, KNH_RAX, 0);
    knh_load(a, KNH_RCX, arg(offsetof(knh_args, n)));
    knh_alu_number(a, KNH_SUB, KNH_RCX, elements);
    knh_jump_if(a, KNH_IF_L, top);
    emit_main(l, elements);
    knh_here(a, tail);
    knh_alu_load(a, KNH_CMP, KNH_RAX, arg(offsetof(knh_args, n)));
    knh_jump_if(a, KNH_IF_GE, done);
    emit_tail(l, top);
    knh_here(a, done);
}

/* Lanes with accumulators of the whole row. `empty`: here with RAX = 0 for n = 0. */
static void emit_row_sums(knh_low *l, int empty)
{
    knh_asm *a = l->a;
    int shorter = knh_label(a), top = knh_label(a), after = knh_label(a), joined = knh_label(a);
    knh_mov_number(a, KNH_RAX, 0);
    knh_load(a, KNH_RCX, arg(offsetof(knh_args, n)));
    knh_alu_number(a, KNH_SUB, KNH_RCX, 64);
    knh_jump_if(a, KNH_IF_L, shorter);
    start_block(l, l->reserved);
    knh_low_sums_start(l, true);
    emit_main(l, 64);
    knh_alu_load(a, KNH_CMP, KNH_RAX, arg(offsetof(knh_args, n)));
    knh_jump_if(a, KNH_IF_GE, joined);
    knh_low_sums_move(l, true);
    knh_jump(a, top);
    knh_here(a, shorter);
    knh_here(a, empty);
    start_block(l, 0);
    knh_low_sums_start(l, false);
    knh_alu_load(a, KNH_CMP, KNH_RAX, arg(offsetof(knh_args, n)));
    knh_jump_if(a, KNH_IF_GE, after);
    emit_tail(l, top);
    knh_here(a, after);
    knh_low_sums_move(l, false);
    knh_here(a, joined);
    start_block(l, l->reserved);
    knh_low_sums_join(l);
}

/* A part of a row whose first element has number `phase`: up to the next multiple of 64 piece by piece, whole rounds of
 * the accumulators, and the rest. */
static void emit_run_sums(knh_low *l)
{
    knh_asm *a = l->a;
    int whole = knh_label(a), shorter = knh_label(a), top = knh_label(a), done = knh_label(a);
    knh_operand n = arg(offsetof(knh_args, n)), limit = knh_low_at(l, l->limit);
    knh_mov_number(a, KNH_RAX, 0);
    knh_load(a, KNH_RDX, arg(offsetof(knh_args, phase)));
    knh_test(a, KNH_RDX, KNH_RDX);
    knh_jump_if(a, KNH_IF_E, whole);
    knh_mov_number(a, KNH_RCX, 64);
    knh_alu_reg(a, KNH_SUB, KNH_RCX, KNH_RDX);
    knh_load(a, KNH_RDX, n);
    knh_alu_reg(a, KNH_CMP, KNH_RCX, KNH_RDX);
    knh_cmov(a, KNH_IF_G, KNH_RCX, KNH_RDX);
    knh_store(a, limit, KNH_RCX);
    knh_jump(a, top);

    knh_here(a, whole);
    knh_load(a, KNH_RCX, n);
    knh_alu_number(a, KNH_SUB, KNH_RCX, 64);
    knh_alu_reg(a, KNH_CMP, KNH_RCX, KNH_RAX);
    knh_jump_if(a, KNH_IF_L, shorter);
    start_block(l, l->reserved);
    knh_low_sums_start(l, true);
    emit_main(l, 64);
    start_block(l, l->reserved);
    knh_low_sums_store(l);
    knh_here(a, shorter);
    knh_load(a, KNH_RDX, n);
    knh_store(a, limit, KNH_RDX);
    knh_alu_reg(a, KNH_CMP, KNH_RAX, KNH_RDX);
    knh_jump_if(a, KNH_IF_GE, done);
    emit_tail(l, top);
    knh_load(a, KNH_RAX, limit);
    knh_alu_load(a, KNH_CMP, KNH_RAX, n);
    knh_jump_if(a, KNH_IF_GE, done);
    emit_ways(l, true);
    knh_jump(a, whole);
    knh_here(a, done);
}

static void emit_uniform(knh_low *l)
{
    if (!l->uniform.item.n)
        return;
    l->form = l->row_form;
    l->current_part = -1;
    knh_low_start(l, 0);
    knh_low_block(l, &l->uniform, 1);
    l->form = l->lane_form;
    l->current_part = KNH_BODY;
}

static void emit_rows(knh_low *l, int out)
{
    knh_asm *a = l->a;
    int row = knh_label(a), empty = knh_label(a);
    knh_here(a, row);
    emit_ways(l, false);
    if (is_row_sum(l)) {
        knh_load(a, KNH_RAX, arg(offsetof(knh_args, n)));
        knh_test(a, KNH_RAX, KNH_RAX);
        knh_jump_if(a, KNH_IF_E, empty);
    }
    emit_uniform(l);
    if (is_row_sum(l))
        emit_row_sums(l, empty);
    else if (is_run_sum(l))
        emit_run_sums(l);
    else
        emit_lanes(l);
    knh_load(a, KNH_RDX, knh_low_at(l, l->rows_left));
    knh_alu_number(a, KNH_SUB, KNH_RDX, 1);
    knh_jump_if(a, KNH_IF_LE, out);
    knh_store(a, knh_low_at(l, l->rows_left), KNH_RDX);
    for (int s = 0; s < l->n_stream; s++) {
        knh_load(a, KNH_RDX, word(s, offsetof(knh_words, row_step)));
        knh_alu_store(a, KNH_ADD, word(s, offsetof(knh_words, at)), KNH_RDX);
    }
    knh_jump(a, row);
}

static void lay_out_frame(knh_low *l)
{
    l->saved_rsp = knh_low_frame(l, 8, 64);
    l->rows_left = knh_low_frame(l, 8, 8);
    l->limit = knh_low_frame(l, 8, 8);
    l->half = knh_low_frame(l, 8, 8);
    l->result_out = knh_low_frame(l, 8, 8);
    l->scratch = knh_low_frame(l, 256, 64);
}

static bool any_helper(const knh_low *l)
{
    bool any = l->uniform.helper || l->body.helper;
    for (size_t p = 1; p < l->part.n; p++)
        any |= l->part.at[p].list.helper;
    return any;
}

static void emit_function(knh_low *l)
{
    static const int8_t kept[] = {KNH_RBX, KNH_RBP, KNH_R12, KNH_R13, KNH_R14, KNH_R15};
    knh_asm *a = l->a;
    int out = l->out_label = knh_label(a), pushed = 0;
    int8_t push[sizeof kept];
    for (size_t i = 0; i < sizeof kept; i++)
        for (int s = 0; s < l->n_stream; s++)
            if (l->way[s].reg == kept[i])
                push[pushed++] = kept[i];
    if (l->counter)
        push[pushed++] = KNH_COUNTER;
    for (int i = 0; i < pushed; i++)
        knh_push(a, push[i]);
    knh_mov(a, KNH_R11, KNH_RSP);
    knh_alu_number(a, KNH_SUB, KNH_RSP, 1 << 20); /* becomes the size of the frame */
    size_t patch = a->code.n - 4;
    knh_alu_number(a, KNH_AND, KNH_RSP, -64);
    knh_store(a, knh_low_at(l, l->saved_rsp), KNH_R11);
    knh_load(a, KNH_RDX, arg(offsetof(knh_args, rows)));
    knh_test(a, KNH_RDX, KNH_RDX);
    knh_jump_if(a, KNH_IF_LE, out);
    knh_store(a, knh_low_at(l, l->rows_left), KNH_RDX);
    if (!is_row_sum(l)) {
        knh_load(a, KNH_RDX, arg(offsetof(knh_args, n)));
        knh_test(a, KNH_RDX, KNH_RDX);
        knh_jump_if(a, KNH_IF_LE, out);
    }
    for (int s = 0; s < l->n_stream; s++)
        if (l->way[s].table >= 0)
            emit_table(l, s);
    emit_rows(l, out);
    knh_here(a, out);
    if (l->r->nontemporal)
        knh_sfence(a);
    knh_load(a, KNH_RSP, knh_low_at(l, l->saved_rsp));
    for (int i = pushed - 1; i >= 0; i--)
        knh_pop(a, push[i]);
    knh_v(a, KNH_VZEROUPPER, 0, 0, 0, knh_reg(0), 0, false, -1);
    knh_ret(a);
    knh_low_stubs_and_parts(l);
    knh_low_questions(l);
    int32_t frame = (l->frame + 63) & -64;
    if (knh_low_fine(l))
        memcpy(a->code.at + patch, &frame, sizeof frame);
}

/* One point: all that a stage with loops reads and writes are single elements. Short vectors have the shortest waits,
 * and bools that are lanes are sooner known than masks. */
static void find_single(knh_low *l)
{
    l->single = knh_low_stage(l)->n_loop > 0;
    for (int s = 0; s < l->n_stream; s++)
        l->single &= l->r->cls[s] == KNK_STRIDE_ZERO;
    if (l->single)
        l->target = KNH_AVX2;
}

/* Streams with near steps: but for whole pieces they are like others whose elements lie apart. */
static bool find_near(knh_low *l, knh_request *r)
{
    uint8_t *cls = knx_arena_alloc(&l->arena, (size_t)l->n_stream + 1);
    l->near = knx_arena_zero(&l->arena, (size_t)l->n_stream + 1);
    for (int s = 0; cls && l->near && s < l->n_stream; s++) {
        int step = knh_near_step(r->cls[s]);
        cls[s] = step ? KNK_STRIDE_ANY : r->cls[s];
        l->near[s] = (int8_t)(l->target == KNH_AVX512 ? step : 0);
    }
    r->cls = cls;
    return cls && l->near;
}

static void lower(knh_low *l)
{
    find_single(l);
    lay_out_frame(l);
    if (!knh_low_plan(l))
        return;
    knh_low_copies(l);
    if (any_helper(l)) {
        l->helper_area = knh_low_frame(l, 4 * 128, 64);
        l->saved_area = knh_low_frame(l, 128, 64);
    }
    knh_low_lay_out_parts(l);
    if (l->n_loop) {
        l->ask_label = knh_label(l->a);
        l->ask_area = knh_low_frame(l, KNH_ASK_AREA, 64);
    }
    if (knh_low_fine(l))
        emit_function(l);
}

static void release(knh_low *l)
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
    KN_VEC_FREE(&l->question);
    KN_VEC_FREE(&l->free_slot[0]);
    KN_VEC_FREE(&l->free_slot[1]);
    knx_arena_free(&l->arena);
}

knx_error *knh_lower(const knh_request *request, knh_target target, knh_asm *a, knh_lowered *info)
{
    knh_lowered unused;
    knh_request own = *request, *r = &own;
    knh_low l = {.r = r, .k = r->kernel, .node = r->kernel->node, .a = a, .target = target, .arena = KN_ARENA_INIT};
    l.info = info ? info : &unused;
    *l.info = (knh_lowered){0};
    l.open = -1;
    a->narrow = target == KNH_AVX2;
    l.stream = knx_arena_alloc(&l.arena, KNH_MAX_STREAMS * sizeof *l.stream);
    if (!l.stream)
        return knx_error_nomem();
    l.n_stream = knh_streams(r->kernel, r->stage, r->mode, l.stream);
    if (l.n_stream < 0)
        knh_low_fail(&l, "it has too many streams");
    else if (!(l.way = knx_arena_alloc(&l.arena, (size_t)(l.n_stream + 1) * sizeof *l.way)) || !find_near(&l, r))
        l.no_memory = true;
    else
        lower(&l);
    if (knh_low_fine(&l) && !knh_finish(a))
        l.no_memory = a->why == NULL;
    const char *why = l.why ? l.why : a->why;
    bool memory = l.no_memory || (a->failed && !a->why);
    release(&l);
    if (memory)
        return knx_error_nomem();
    return why ? knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "kernel: stage %d has no machine code: %s", r->stage, why)
               : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * lower.c -- the function of a stage: rows; in a row pieces of as many lanes as the locals are for, then of four unless
 * the stage is large, then single ones. */
#include "host/wasm/fma.h"
#include "host/wasm/stage.h"
#include <stddef.h>

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }
enum { MOST_LOCALS = 30000, MOST_BYTES = 4 << 20, MOST_FRAME = 64 << 10, FIRST_I32 = 1 };

static bool reduces_along(const stage *s)
{
    for (int x = s->o.first; x < s->o.end; x++)
        if (node(s, x)->op == KNK_REDUCE)
            return s->o.r->mode == KNH_ROWS || s->o.r->mode == KNH_RUNS;
    return false;
}

static bool is_number(const stage *s, int stream) { return s->o.stream[stream].kind == KNH_NUMBER; }

static int64_t word(int stream, size_t member)
{
    return (int64_t)(offsetof(knh_args, stream) + (size_t)stream * sizeof(knh_words) + member);
}

/* Numbers for all locals that are not v128. */
static bool lay_out(stage *s, knx_arena *a)
{
    size_t n = (size_t)s->o.k->n_node + 1, streams = (size_t)s->o.n_stream + 1;
    s->width = knx_arena_zero(a, n);
    s->local = knx_arena_zero(a, 3 * n * sizeof *s->local);
    s->base = knx_arena_zero(a, 4 * streams * sizeof *s->base);
    s->guarded = knx_arena_zero(a, n);
    if (!s->guarded || !s->width || !s->local || !s->base)
        return false;
    s->accumulator = s->local + n;
    s->kept = s->accumulator + n;
    s->chunk = -1;
    s->walk = s->base + streams;
    s->step = s->walk + streams;
    s->hop = s->step + streams;
    for (size_t i = 0; i < n; i++)
        s->local[i] = -1;
    int i32 = FIRST_I32;
    s->frame = i32++, s->at = i32++, s->index = i32++, s->counter = i32++, s->group = i32++, s->asking = i32++;
    for (int i = 0; i < s->o.n_stream; i++)
        if (!is_number(s, i))
            s->base[i] = i32++, s->walk[i] = i32++, s->step[i] = i32++, s->hop[i] = i32++;
    int i64 = s->first_i64 = i32;
    s->rows = i64++, s->n = i64++, s->left = i64, i64 += 2;
    s->turn = i64, i64 += s->o.n_loop;
    for (int i = 0; i < s->o.n_stream; i++)
        if (is_number(s, i))
            s->base[i] = i64++, s->walk[i] = i64++, s->step[i] = i64++;
    s->first_v128 = i64;
    s->f.n_i32 = i32 - FIRST_I32;
    s->f.n_i64 = i64 - i32;
    s->temp = knh_wasm_new(s, KNH_WASM_TEMPS);
    s->mask = knh_wasm_new(s, s->o.n_loop);
    return true;
}

static void lay_out_frame(stage *s)
{
    for (int x = s->o.first; x < s->o.end && s->o.r->mode == KNH_ROWS; x++)
        if (node(s, x)->op == KNK_REDUCE) {
            s->accumulator[x] = s->frame_bytes;
            s->frame_bytes += 64 * knk_size(node(s, x)->dtype);
        }
    s->call_at = s->frame_bytes;
    s->frame_bytes += 4 * KNH_WASM_CALL_BYTES;
}

/* ---- A piece. */

static void imports(stage *s, bool once)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        bool same = s->o.r->cls[i] == KNK_STRIDE_ZERO;
        if (s->o.stream[i].kind == KNH_IMPORT && same == once && (once ? s->o.used_row : s->o.used_piece)[i])
            knh_wasm_load_stream(s, i, s->o.stream[i].node);
    }
}

static void work(stage *s, int out)
{
    int open[KNK_MAX_LOOPS];
    imports(s, false);
    for (int i = 0; i < s->o.n_item; i++) {
        int next = knh_wasm_guarded(s, i);
        if (next > i) {
            i = next - 1;
            continue;
        }
        const knh_item *item = &s->o.item[i];
        const knk_inst *n = node(s, item->node);
        switch (item->what) {
        case KNH_DO_NODE: knh_wasm_compute(s, item->node); break;
        case KNH_DO_STORE: knh_wasm_store(s, knh_order_stream(&s->o, n), n->a); break;
        case KNH_DO_EXPORT: knh_wasm_store(s, knh_order_stream_of(&s->o, KNH_EXPORT, item->node), item->node); break;
        case KNH_DO_REDUCE: knh_wasm_reduce(s, item->node); break;
        case KNH_DO_IF:
            knh_wasm_push_any(s, item->node);
            knh_wasm_open(&s->f, KNH_WASM_IF);
            break;
        case KNH_DO_FI: knh_wasm_close(&s->f); break;
        default: knh_wasm_loop_item(s, item, out, open);
        }
    }
}

static void piece(stage *s, int out)
{
    work(s, out);
    knh_wasm_advance(s);
}

static void take_lanes(stage *s)
{
    knh_wasm_get(&s->f, s->left), knh_wasm_i64(&s->f, s->lanes), knh_wasm_op0(&s->f, KNH_WASM_I64_SUB);
    knh_wasm_set(&s->f, s->left);
}

static void push_enough(stage *s)
{
    knh_wasm_get(&s->f, s->left), knh_wasm_i64(&s->f, s->lanes), knh_wasm_op0(&s->f, KNH_WASM_I64_GE_S);
}

/* The rows of a group go from walk to walk, and back. */
static void hop(stage *s, bool back)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        if (!s->o.used_piece[i] || s->o.stream[i].kind == KNH_PARTIAL)
            continue;
        knh_wasm_get(&s->f, s->walk[i]), knh_wasm_get(&s->f, s->hop[i]);
        if (back)
            knh_wasm_get(&s->f, s->group), knh_wasm_op0(&s->f, KNH_WASM_I32_MUL);
        knh_wasm_op0(&s->f, back ? KNH_WASM_I32_SUB : KNH_WASM_I32_ADD);
        knh_wasm_set(&s->f, s->walk[i]);
    }
}

static void piece_of_rows(stage *s, int out)
{
    knh_wasm_function *f = &s->f;
    knh_wasm_load_columns(s);
    knh_wasm_get(f, s->group), knh_wasm_set(f, s->counter);
    int again = knh_wasm_open(f, KNH_WASM_LOOP);
    work(s, out);
    hop(s, false);
    knh_wasm_get(f, s->counter), knh_wasm_i32(f, 1), knh_wasm_op0(f, KNH_WASM_I32_SUB), knh_wasm_tee(f, s->counter);
    knh_wasm_branch(f, KNH_WASM_BR_IF, again);
    knh_wasm_close(f);
    knh_wasm_store_columns(s);
    hop(s, true);
    knh_wasm_advance(s);
}

/* While there are so many lanes left. */
static void pieces(stage *s, int lanes, int out)
{
    s->lanes = lanes;
    push_enough(s);
    knh_wasm_open(&s->f, KNH_WASM_IF);
    int again = knh_wasm_open(&s->f, KNH_WASM_LOOP);
    (s->together ? piece_of_rows : piece)(s, out);
    take_lanes(s);
    push_enough(s);
    knh_wasm_branch(&s->f, KNH_WASM_BR_IF, again);
    knh_wasm_close(&s->f);
    knh_wasm_close(&s->f);
}

static void next_index(stage *s)
{
    knh_wasm_get(&s->f, s->index), knh_wasm_i32(&s->f, s->lanes), knh_wasm_op0(&s->f, KNH_WASM_I32_ADD);
    knh_wasm_i32(&s->f, 63), knh_wasm_op0(&s->f, KNH_WASM_I32_AND);
    knh_wasm_set(&s->f, s->index);
}

/* A whole turn through the accumulators, again and again. */
static void whole_turns(stage *s, int out)
{
    knh_wasm_function *f = &s->f;
    s->lanes = 64;
    push_enough(s);
    knh_wasm_open(f, KNH_WASM_IF);
    knh_wasm_begin_kept(s);
    int again = knh_wasm_open(f, KNH_WASM_LOOP);
    s->lanes = s->most;
    for (s->chunk = 0; s->chunk < 64 / s->most; s->chunk++)
        piece(s, out);
    s->chunk = -1;
    s->lanes = 64;
    take_lanes(s), push_enough(s);
    knh_wasm_branch(f, KNH_WASM_BR_IF, again);
    knh_wasm_close(f);
    knh_wasm_end_kept(s);
    knh_wasm_close(f);
}

static void one_piece(stage *s, int lanes, int out)
{
    s->lanes = lanes;
    piece(s, out);
    take_lanes(s), next_index(s);
}

/* Is there room for so many lanes, and does it begin with a multiple of them? */
static void push_fits(stage *s, int lanes)
{
    s->lanes = lanes;
    knh_wasm_get(&s->f, s->index), knh_wasm_i32(&s->f, lanes - 1), knh_wasm_op0(&s->f, KNH_WASM_I32_AND);
    knh_wasm_op0(&s->f, KNH_WASM_I32_EQZ);
    push_enough(s);
    knh_wasm_op0(&s->f, KNH_WASM_I32_AND);
}

/* Lanes along the elements of a reduction: a piece meets accumulators from a multiple of its lanes on. */
static void reduction(stage *s, int out)
{
    if (knh_wasm_keeps(s))
        whole_turns(s, out);
    knh_wasm_function *f = &s->f;
    int done = knh_wasm_open(f, KNH_WASM_BLOCK), again = knh_wasm_open(f, KNH_WASM_LOOP);
    push_fits(s, s->most);
    knh_wasm_open(f, KNH_WASM_IF);
    int inner = knh_wasm_open(f, KNH_WASM_LOOP);
    one_piece(s, s->most, out);
    push_enough(s);
    knh_wasm_branch(f, KNH_WASM_BR_IF, inner);
    knh_wasm_close(f);
    knh_wasm_op0(f, KNH_WASM_ELSE);
    knh_wasm_get(f, s->left), knh_wasm_op0(f, KNH_WASM_I64_EQZ);
    knh_wasm_branch(f, KNH_WASM_BR_IF, done);
    bool four = s->most > 4 && s->narrow;
    if (four) {
        push_fits(s, 4);
        knh_wasm_open(f, KNH_WASM_IF);
        one_piece(s, 4, out);
        knh_wasm_op0(f, KNH_WASM_ELSE);
    }
    one_piece(s, 1, out);
    if (four)
        knh_wasm_close(f);
    knh_wasm_close(f);
    knh_wasm_branch(f, KNH_WASM_BR, again);
    knh_wasm_close(f);
    knh_wasm_close(f);
}

static void lanes_of_row(stage *s, int out)
{
    if (reduces_along(s)) {
        reduction(s, out);
        return;
    }
    pieces(s, s->most, out);
    if (s->most > 4 && s->narrow)
        pieces(s, 4, out);
    if (s->most > 1)
        pieces(s, 1, out);
}

/* ---- Rows. */

static void load_word(stage *s, int stream, size_t member)
{
    knh_wasm_get(&s->f, 0);
    knh_wasm_memory(&s->f, KNH_WASM_I64_LOAD, word(stream, member));
    if (!is_number(s, stream))
        knh_wasm_op0(&s->f, KNH_WASM_I32_WRAP_I64);
}

static void begin_streams(stage *s)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        load_word(s, i, offsetof(knh_words, at));
        knh_wasm_set(&s->f, s->base[i]);
        load_word(s, i, offsetof(knh_words, lane_step));
        knh_wasm_set(&s->f, s->step[i]);
    }
}

static void begin_row(stage *s)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        knh_wasm_get(&s->f, s->base[i]);
        knh_wasm_set(&s->f, s->walk[i]);
    }
    knh_wasm_get(&s->f, s->n);
    knh_wasm_set(&s->f, s->left);
    if (s->o.r->mode == KNH_RUNS) {
        knh_wasm_get(&s->f, 0), knh_wasm_memory(&s->f, KNH_WASM_I64_LOAD, offsetof(knh_args, phase));
        knh_wasm_op0(&s->f, KNH_WASM_I32_WRAP_I64);
    } else {
        knh_wasm_i32(&s->f, 0);
    }
    knh_wasm_set(&s->f, s->index);
}

static void next_row(stage *s)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        knh_wasm_get(&s->f, s->base[i]);
        load_word(s, i, offsetof(knh_words, row_step));
        knh_wasm_op0(&s->f, is_number(s, i) ? KNH_WASM_I64_ADD : KNH_WASM_I32_ADD);
        knh_wasm_set(&s->f, s->base[i]);
    }
}

static void constants(stage *s)
{
    for (int x = 0; x < s->o.end; x++) {
        const knk_inst *n = node(s, x);
        if (n->op != KNK_CONST || !s->o.live[x] || n->dtype == KN_ID_BOOL)
            continue;
        knh_wasm_splat(&s->f, n->imm, knk_size(n->dtype));
        knh_wasm_pop(s, x, 0);
    }
    s->fma_constants = knh_wasm_new(s, KNH_WASM_FMA_CONSTANTS);
    if (!s->fused)
        knh_wasm_set_fma_constants(&s->f, s->fma_constants);
}

static void row(stage *s, int out)
{
    begin_row(s);
    knh_wasm_begin_rows(s);
    knh_wasm_get(&s->f, s->n), knh_wasm_i64(&s->f, 0), knh_wasm_op0(&s->f, KNH_WASM_I64_GT_S);
    knh_wasm_open(&s->f, KNH_WASM_IF);
    s->lanes = s->most;
    imports(s, true);
    for (int x = s->o.first; x < s->o.end; x++)
        if (s->o.uniform[x] && node(s, x)->op != KNK_CONST)
            knh_wasm_compute(s, x);
    lanes_of_row(s, out);
    knh_wasm_close(&s->f);
    knh_wasm_end_rows(s);
    next_row(s);
}

/* Rows of columns that all meet the same accumulators are taken by eight: those stay in locals meanwhile. */
enum { GROUP = 8 };

static bool is_for_groups(const stage *s)
{
    bool fine = s->o.r->mode == KNH_COLUMNS && s->brief && !s->o.n_loop;
    for (int i = 0; i < s->o.n_stream; i++) {
        knh_stream_kind kind = s->o.stream[i].kind;
        bool reads = kind == KNH_PARTIAL || kind == KNH_IMPORT || kind == KNH_MEMORY;
        fine = fine && !is_number(s, i) && reads && !s->o.used_row[i];
    }
    for (int x = s->o.first; x < s->o.end; x++)
        fine = fine && node(s, x)->op != KNK_STORE && !knh_order_is_export(&s->o, x);
    return fine;
}

/* Pushes an i32: do accumulators stay where they are? */
static void push_stays(stage *s)
{
    knh_wasm_get(&s->f, s->n), knh_wasm_i64(&s->f, 0), knh_wasm_op0(&s->f, KNH_WASM_I64_GT_S);
    for (int i = 0; i < s->o.n_stream; i++)
        if (s->o.stream[i].kind == KNH_PARTIAL) {
            load_word(s, i, offsetof(knh_words, row_step)), knh_wasm_op0(&s->f, KNH_WASM_I32_EQZ);
            knh_wasm_op0(&s->f, KNH_WASM_I32_AND);
        }
}

static void groups(stage *s, int out)
{
    knh_wasm_function *f = &s->f;
    push_stays(s);
    knh_wasm_open(f, KNH_WASM_IF);
    for (int i = 0; i < s->o.n_stream; i++)
        load_word(s, i, offsetof(knh_words, row_step)), knh_wasm_set(f, s->hop[i]);
    int again = knh_wasm_open(f, KNH_WASM_LOOP);
    begin_row(s);
    knh_wasm_i32(f, GROUP), knh_wasm_get(f, s->rows), knh_wasm_op0(f, KNH_WASM_I32_WRAP_I64);
    knh_wasm_get(f, s->rows), knh_wasm_i64(f, GROUP), knh_wasm_op0(f, KNH_WASM_I64_GT_S);
    knh_wasm_op0(f, KNH_WASM_SELECT), knh_wasm_set(f, s->group);
    s->together = true;
    lanes_of_row(s, out);
    s->together = false;
    for (int i = 0; i < s->o.n_stream; i++) {
        knh_wasm_get(f, s->base[i]), knh_wasm_get(f, s->hop[i]), knh_wasm_get(f, s->group);
        knh_wasm_op0(f, KNH_WASM_I32_MUL), knh_wasm_op0(f, KNH_WASM_I32_ADD), knh_wasm_set(f, s->base[i]);
    }
    knh_wasm_get(f, s->rows), knh_wasm_get(f, s->group), knh_wasm_op0(f, KNH_WASM_I64_EXTEND_I32_S);
    knh_wasm_op0(f, KNH_WASM_I64_SUB), knh_wasm_tee(f, s->rows);
    knh_wasm_i64(f, 0), knh_wasm_op0(f, KNH_WASM_I64_GT_S);
    knh_wasm_branch(f, KNH_WASM_BR_IF, again);
    knh_wasm_close(f);
    knh_wasm_branch(f, KNH_WASM_BR, out);
    knh_wasm_close(f);
}

static void function(stage *s)
{
    knh_wasm_function *f = &s->f;
    knh_wasm_op0(f, KNH_WASM_GLOBAL_GET), knh_wasm_unsigned(&f->code, 0);
    knh_wasm_i32(f, (s->frame_bytes + 15) & ~15), knh_wasm_op0(f, KNH_WASM_I32_SUB);
    knh_wasm_tee(f, s->frame);
    knh_wasm_op0(f, KNH_WASM_GLOBAL_SET), knh_wasm_unsigned(&f->code, 0);
    knh_wasm_get(f, 0), knh_wasm_memory(f, KNH_WASM_I64_LOAD, offsetof(knh_args, rows)), knh_wasm_set(f, s->rows);
    knh_wasm_get(f, 0), knh_wasm_memory(f, KNH_WASM_I64_LOAD, offsetof(knh_args, n)), knh_wasm_set(f, s->n);
    knh_wasm_get(f, 0), knh_wasm_memory(f, KNH_WASM_I32_LOAD, offsetof(knh_args, asking)), knh_wasm_set(f, s->asking);
    begin_streams(s);
    constants(s);
    s->constants_at = f->code.n;
    int out = knh_wasm_open(f, KNH_WASM_BLOCK);
    knh_wasm_get(f, s->rows), knh_wasm_i64(f, 0), knh_wasm_op0(f, KNH_WASM_I64_LE_S);
    knh_wasm_branch(f, KNH_WASM_BR_IF, out);
    if (is_for_groups(s))
        groups(s, out);
    int again = knh_wasm_open(f, KNH_WASM_LOOP);
    row(s, out);
    knh_wasm_get(f, s->rows), knh_wasm_i64(f, 1), knh_wasm_op0(f, KNH_WASM_I64_SUB), knh_wasm_tee(f, s->rows);
    knh_wasm_i64(f, 0), knh_wasm_op0(f, KNH_WASM_I64_GT_S);
    knh_wasm_branch(f, KNH_WASM_BR_IF, again);
    knh_wasm_close(f);
    knh_wasm_close(f);
    knh_wasm_get(f, s->frame), knh_wasm_i32(f, (s->frame_bytes + 15) & ~15), knh_wasm_op0(f, KNH_WASM_I32_ADD);
    knh_wasm_op0(f, KNH_WASM_GLOBAL_SET), knh_wasm_unsigned(&f->code, 0);
    knh_wasm_set_constants(s);
}

knx_error *knh_wasm_lower(const knh_request *r, bool fused, bool cuts, knh_wasm_function *out)
{
    stage s = {.fused = fused, .cuts = cuts};
    knx_error *e = knh_order_make(r, &s.o);
    if (!e && !lay_out(&s, &s.o.arena))
        e = knx_error_nomem();
    if (!e) {
        knh_wasm_find_widths(&s);
        s.most = s.lanes = knh_wasm_most_lanes(&s);
        knh_wasm_find_guards(&s);
        lay_out_frame(&s);
        function(&s);
        if (s.f.code.failed)
            e = knx_error_nomem();
        else if (s.failed || s.f.n_v128 > MOST_LOCALS || s.f.code.n > MOST_BYTES || s.frame_bytes > MOST_FRAME)
            e = knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the stage is too large for a function of WebAssembly");
    }
    if (e)
        knx_str_free(&s.f.code);
    *out = s.f;
    knh_order_free(&s.o);
    return e;
}

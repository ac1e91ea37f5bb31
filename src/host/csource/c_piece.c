/* SPDX-License-Identifier: Apache-2.0
 * c_piece.c -- what the nodes of a stage are in C: straight-line code over the lanes of one vector.
 *
 * `live` has a bit for each lane that exists. What is the same for all lanes is worked out once per row. What only a
 * cold select needs stands in an `if` over all lanes. */
#include "host/csource/c_loops.h"
#include "kernel/internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef knh_c_stage source;
static const knk_inst *node(const source *s, knk_node x) { return &s->o.k->node[x]; }

/* What the text needs to know about the nodes beyond knh_order. */

/* The uniform values that the piece uses. */
static void find_parameters(source *s)
{
    for (int i = s->o.first; i < s->o.end; i++) {
        const knk_inst *n = node(s, i);
        if (!s->o.live[i] || n->op == KNK_CONST)
            continue;
        for (int j = 0; j < 3 && !s->o.uniform[i]; j++) {
            knk_node x = knk_operand(n, j);
            if (x >= 0 && node(s, x)->op != KNK_CONST)
                s->param[x] |= knh_order_is_uniform(&s->o, x);
        }
        s->param[i] |= s->o.uniform[i] && knh_order_is_export(&s->o, i);
    }
}

static int lanes_of(const source *s)
{
    for (int i = 0; i < s->o.n_stream; i++)
        if (knk_size(s->o.stream[i].dtype) == 8)
            return 8;
    for (int i = s->o.first; i < s->o.end; i++)
        if (s->o.live[i] && knk_size(node(s, i)->dtype) == 8)
            return 8;
    return 16;
}

/* Pieces of text. */

static void emit(source *s, const char *text) { knx_str_add(s->t, text, strlen(text)); }
#define EMIT(s, ...) knx_str_printf((s)->t, __VA_ARGS__)

/* "NAME_DTYPE_LANES(" */
void knh_c_call(source *s, const char *helper, int dtype)
{
    knh_c_need(s->u, helper, dtype, s->lanes);
    EMIT(s, "%s_%s_%d(", helper, knh_c_name(knh_c_storage(dtype)), s->lanes);
}

void knh_c_type(source *s, int dtype)
{
    if (dtype == KN_ID_BOOL)
        EMIT(s, "b%d", s->lanes);
    else
        EMIT(s, "v%d%s", s->lanes, knh_c_name(knh_c_storage(dtype)));
}

static void unsigned_type(source *s, int dtype) { EMIT(s, "v%du%d", s->lanes, 8 * knk_size(dtype)); }

void knh_c_constant(source *s, int dtype, uint64_t bits)
{
    knh_c_call(s, "k", dtype);
    EMIT(s, "0x%" PRIx64 "%s)", bits, knk_size(dtype) == 8 ? "ull" : dtype == KN_ID_BOOL ? "" : "u");
}

void knh_c_value(source *s, knk_node x)
{
    if (node(s, x)->op == KNK_CONST)
        knh_c_constant(s, node(s, x)->dtype, node(s, x)->imm);
    else
        EMIT(s, "x%d", x);
}

static uint32_t all_lanes(const source *s) { return (1u << s->lanes) - 1; }

/* Helper of all operands. */
static void call_with(source *s, const char *helper, int dtype, const knk_inst *n)
{
    knh_c_call(s, helper, dtype);
    for (int j = 0; j < 3; j++)
        if (knk_operand(n, j) >= 0) {
            emit(s, j ? ", " : "");
            knh_c_value(s, knk_operand(n, j));
        }
    emit(s, ")");
}

/* a op b; integers as unsigned ones, which wrap. */
static void infix(source *s, const knk_inst *n, int dtype, const char *op)
{
    bool cast = knk_is_int_id(dtype) || dtype == KN_ID_BOOL;
    if (cast) {
        emit(s, "(");
        knh_c_type(s, n->dtype);
        emit(s, ")(");
    }
    for (int j = 0; j < 2; j++) {
        emit(s, j ? op : "");
        if (knk_is_int_id(dtype)) {
            emit(s, "(");
            unsigned_type(s, dtype);
            emit(s, ")");
        }
        knh_c_value(s, knk_operand(n, j));
    }
    emit(s, cast ? ")" : "");
}

/* a op constant of the bits */
static void with_bits(source *s, knk_node a, int dtype, const char *op, uint64_t bits)
{
    emit(s, "(");
    knh_c_type(s, dtype);
    emit(s, ")((");
    unsigned_type(s, dtype);
    emit(s, ")");
    knh_c_value(s, a);
    EMIT(s, " %s 0x%" PRIx64 "%s)", op, bits, knk_size(dtype) == 8 ? "ull" : "u");
}

static void shift(source *s, const knk_inst *n, int d)
{
    const knk_inst *by = node(s, n->b);
    uint64_t width = 8 * (uint64_t)knk_size(d);
    if (by->op != KNK_CONST || by->imm >= width) {
        call_with(s, knk_op_table[n->op].name, d, n);
    } else if (n->op != KNK_SAR) {
        with_bits(s, n->a, d, n->op == KNK_SHL ? "<<" : ">>", by->imm);
    } else {
        emit(s, "(");
        knh_c_type(s, d);
        EMIT(s, ")((v%di%d)", s->lanes, (int)width);
        knh_c_value(s, n->a);
        EMIT(s, " >> %d)", (int)by->imm);
    }
}

/* "__builtin_convertvector(" X ", TYPE)"; what stands between is the caller's. */
static void converted(source *s, int to)
{
    emit(s, ", ");
    knh_c_type(s, to);
    emit(s, ")");
}

/* A float (halves: widened to float32 already) in the text `from` to an integer. */
static void float_to_integer(source *s, int from, int to, const char *x)
{
    int size = knk_size(to);
    if (to == KN_ID_BOOL) {
        knh_c_call(s, "ne", from);
        EMIT(s, "%s, ", x);
        knh_c_constant(s, from, 0);
        emit(s, ")");
    } else if (size < 4 || to == KN_ID_I32) {
        emit(s, size < 4 ? "__builtin_convertvector(" : "");
        knh_c_call(s, "to_i32", from);
        EMIT(s, "%s)", x);
        if (size < 4)
            converted(s, to);
    } else {
        knh_c_call(s,
                   to == KN_ID_U32   ? "to_u32"
                   : to == KN_ID_I64 ? "to_i64"
                                     : "to_u64",
                   to == KN_ID_U32 ? from : KN_ID_F64);
        EMIT(s, size == 8 && from == KN_ID_F32 ? "__builtin_convertvector(%s, v8f64))" : "%s)", x);
    }
}

/* The text `x` of dtype `from`, no half, to a half. */
static void to_half(source *s, int from, int to, const char *x)
{
    knh_c_call(s, to == KN_ID_F16 ? "to_f16" : "to_bf16", KN_ID_F32);
    if (from == KN_ID_F64) {
        knh_c_call(s, "to_odd", KN_ID_F64);
        EMIT(s, "%s))", x);
    } else if (from == KN_ID_F32) {
        EMIT(s, "%s)", x);
    } else if (knk_size(from) < 4) {
        emit(s, "__builtin_convertvector(");
        knh_c_call(s, "widen", from);
        EMIT(s, "%s), v%df32))", x, s->lanes);
    } else {
        EMIT(s, "__builtin_convertvector(%s, v%df32))", x, s->lanes);
    }
}

static void plain_cast(source *s, int from, int to, const char *x)
{
    if (from == to) {
        EMIT(s, "%s", x);
    } else if (knk_is_half_id(to)) {
        to_half(s, from, to, x);
    } else if (knk_is_float_id(from) && !knk_is_float_id(to)) {
        float_to_integer(s, from, to, x);
    } else if (to == KN_ID_BOOL) {
        knh_c_call(s, "ne", from);
        EMIT(s, "%s, ", x);
        knh_c_constant(s, from, 0);
        emit(s, ")");
    } else if (knk_is_int_id(from) && knk_size(from) < 4 && knk_size(to) >= 4) { /* gcc 12 goes lane by lane else */
        emit(s, "__builtin_convertvector(");
        knh_c_call(s, "widen", from);
        EMIT(s, "%s)", x);
        converted(s, to);
    } else {
        EMIT(s, "__builtin_convertvector(%s", x);
        converted(s, to);
    }
}

static void cast(source *s, const knk_inst *n)
{
    int from = node(s, n->a)->dtype, to = n->dtype;
    char x[64];
    if (node(s, n->a)->op == KNK_CONST) /* never seen: such casts are folded */
        snprintf(x, sizeof x, "k_%s_%d(0x%" PRIx64 ")", knh_c_name(knh_c_storage(from)), s->lanes, node(s, n->a)->imm);
    else
        snprintf(x, sizeof x, "x%d", n->a);
    if (node(s, n->a)->op == KNK_CONST)
        knh_c_need(s->u, "k", from, s->lanes);
    if (from == KN_ID_BOOL && to != KN_ID_BOOL) { /* a byte 0 or 1 */
        char wide[96];
        int size = knk_size(to) == 2 && knk_is_half_id(to) ? 4 : knk_size(to), as = size == 1   ? KN_ID_I8
                                                                                    : size == 2 ? KN_ID_I16
                                                                                    : size == 4 ? KN_ID_I32
                                                                                                : KN_ID_I64;
        knh_c_need(s->u, "wide", as, s->lanes);
        snprintf(wide, sizeof wide, "(wide_%s_%d(%s) & 1)", knh_c_name(as), s->lanes, x);
        plain_cast(s, as, to, wide);
    } else if (knk_is_half_id(from) && from != to) {
        char wide[96];
        const char *helper = from == KN_ID_F16 ? "from_f16" : "from_bf16";
        knh_c_need(s->u, helper, KN_ID_F32, s->lanes);
        snprintf(wide, sizeof wide, "%s_f32_%d(%s)", helper, s->lanes, x);
        plain_cast(s, KN_ID_F32, to, wide);
    } else {
        plain_cast(s, from, to, x);
    }
}

/* Address of a stream's lane 0. */
void knh_c_address(source *s, int stream)
{
    if (s->o.r->cls[stream] == KNK_STRIDE_ZERO)
        EMIT(s, "p%d", stream);
    else if (s->o.r->cls[stream] == KNK_STRIDE_ONE)
        EMIT(s, "p%d + i * %d", stream, knk_size(s->o.stream[stream].dtype));
    else
        EMIT(s, "p%d + i * s%d", stream, stream);
}

/* Distance of two lanes. */
void knh_c_step(source *s, int stream)
{
    if (s->o.r->cls[stream] == KNK_STRIDE_ANY)
        EMIT(s, "s%d", stream);
    else
        EMIT(s, "%d", s->o.r->cls[stream] == KNK_STRIDE_ONE ? knk_size(s->o.stream[stream].dtype) : 0);
}

static void load_plain(source *s, int stream, int dtype)
{
    int cls = s->o.r->cls[stream];
    knh_c_call(s, cls == KNK_STRIDE_ZERO ? "splat" : cls == KNK_STRIDE_ONE ? "load" : "load_by", dtype);
    knh_c_address(s, stream);
    if (cls == KNK_STRIDE_ANY) {
        emit(s, ", ");
        knh_c_step(s, stream);
    }
    emit(s, cls == KNK_STRIDE_ZERO ? ")" : ", live)");
}

/* A load with a predicate or an index. */
static void load_where(source *s, const knk_inst *n, int stream, bool uniform)
{
    bool adjacent = s->o.r->cls[stream] == KNK_STRIDE_ONE && n->a < 0;
    knh_c_call(s, n->a >= 0 ? "gather" : adjacent ? "pick" : "pick_by", n->dtype);
    if (uniform)
        EMIT(s, "p%d, ", stream);
    else {
        knh_c_address(s, stream);
        emit(s, ", ");
    }
    if (n->a >= 0) {
        knh_c_value(s, n->a);
        EMIT(s, " * %d", knk_size(n->dtype));
        if (s->o.r->cls[stream] != KNK_STRIDE_ZERO) {
            emit(s, " + ");
            knh_c_call(s, "iota", KN_ID_I64);
            emit(s, ") * ");
            knh_c_step(s, stream);
        }
        emit(s, ", ");
    } else if (!adjacent) {
        knh_c_step(s, stream);
        emit(s, ", ");
    }
    if (n->b >= 0) {
        EMIT(s, "(b%d)(", s->lanes);
        knh_c_value(s, n->b);
        emit(s, uniform ? ")" : " & ");
    }
    if (n->b < 0 || !uniform) {
        knh_c_call(s, "live", KN_ID_BOOL);
        EMIT(s, uniform ? "0x%xu)" : "live)", all_lanes(s));
        emit(s, n->b >= 0 ? ")" : "");
    }
    emit(s, ", ");
    if (n->c >= 0)
        knh_c_value(s, n->c);
    else
        knh_c_constant(s, n->dtype, 0);
    emit(s, ")");
}

static void index_value(source *s, int stream)
{
    int cls = s->o.r->cls[stream];
    if (cls == KNK_STRIDE_ZERO) {
        knh_c_call(s, "k", KN_ID_I64);
        EMIT(s, "(u64)p%d)", stream);
        return;
    }
    knh_c_call(s, "k", KN_ID_I64);
    EMIT(s, cls == KNK_STRIDE_ONE ? "(u64)p%d + (u64)i) + " : "(u64)p%d + (u64)i * (u64)s%d) + ", stream, stream);
    knh_c_call(s, "iota", KN_ID_I64);
    EMIT(s, cls == KNK_STRIDE_ONE ? ")" : ") * s%d", stream);
}

static void absolute(source *s, const knk_inst *n)
{
    if (knk_is_float_id(n->dtype))
        with_bits(s, n->a, n->dtype, "&", n->dtype == KN_ID_F32 ? 0x7fffffffu : ~(uint64_t)0 >> 1);
    else if (knk_is_signed_id(n->dtype))
        call_with(s, "abs", n->dtype, n);
    else
        knh_c_value(s, n->a);
}

static void negative(source *s, const knk_inst *n)
{
    if (knk_is_float_id(n->dtype)) {
        with_bits(s, n->a, n->dtype, "^", (uint64_t)1 << (8 * knk_size(n->dtype) - 1));
        return;
    }
    emit(s, "(");
    knh_c_type(s, n->dtype);
    emit(s, ")(-(");
    unsigned_type(s, n->dtype);
    emit(s, ")");
    knh_c_value(s, n->a);
    emit(s, ")");
}

static void inverse(source *s, const knk_inst *n)
{
    emit(s, "(");
    knh_c_type(s, n->dtype);
    emit(s, ")~");
    knh_c_value(s, n->a);
}

static void bitcast(source *s, const knk_inst *n)
{
    if (n->dtype != KN_ID_BOOL) {
        emit(s, "(");
        knh_c_type(s, n->dtype);
        emit(s, ")");
    }
    knh_c_value(s, n->a);
}

static bool divides_by_constant(const source *s, const knk_inst *n, int d)
{
    const knk_inst *b = node(s, n->b);
    return b->op == KNK_CONST && b->imm != 0 && b->imm != knk_reduction_identity(KNK_RED_AND, d);
}

/* The value of a node. */
static void expression(source *s, const knk_inst *n)
{
    int d = n->op == KNK_SELECT ? n->dtype : n->a >= 0 ? node(s, n->a)->dtype : n->dtype;
    bool is_bool = d == KN_ID_BOOL;
    const char *name = n->op == KNK_NOT ? "" : knk_op_table[n->op].name;
    switch ((int)n->op) {
    case KNK_LAST: knh_c_value(s, n->a); break;
    case KNK_INDEX: index_value(s, knh_order_stream(&s->o, n)); break;
    case KNK_ADD: infix(s, n, d, is_bool ? " | " : " + "); break;
    case KNK_SUB: infix(s, n, d, " - "); break;
    case KNK_MUL: infix(s, n, d, is_bool ? " & " : " * "); break;
    case KNK_AND: infix(s, n, d, " & "); break;
    case KNK_OR: infix(s, n, d, " | "); break;
    case KNK_XOR: infix(s, n, d, " ^ "); break;
    case KNK_DIV:
    case KNK_REM:
        if ((n->op == KNK_DIV && knk_is_float_id(d)) || (!knk_is_float_id(d) && divides_by_constant(s, n, d))) {
            knh_c_value(s, n->a);
            emit(s, n->op == KNK_DIV ? " / " : " % ");
            knh_c_value(s, n->b);
        } else {
            call_with(s, name, d, n);
        }
        break;
    case KNK_SHL:
    case KNK_SHR:
    case KNK_SAR: shift(s, n, d); break;
    case KNK_NEG: negative(s, n); break;
    case KNK_ABS: absolute(s, n); break;
    case KNK_NOT: inverse(s, n); break;
    case KNK_CAST: cast(s, n); break;
    case KNK_BITCAST: bitcast(s, n); break;
    case KNK_SELECT: call_with(s, "sel", d, n); break;
    default: call_with(s, name, d, n); /* the rest have helpers of their names */
    }
}

static void line_start(source *s, int depth) { EMIT(s, "%*s", 4 * (depth + 1), ""); }

/* The `if` that each value is worked out in, and the one that each item lies in. */
static void find_blocks(source *s)
{
    int open = 0;
    for (int i = 0; i < s->o.n_item; i++) {
        const knh_item *item = &s->o.item[i];
        s->parent[i + 1] = open;
        if (item->what == KNH_DO_IF)
            open = i + 1;
        else if (item->what == KNH_DO_FI)
            open = s->parent[open];
        else if (item->what == KNH_DO_NODE)
            s->block[item->node] = open;
    }
}

static bool lies_in(const source *s, int inner, int b)
{
    while (inner && inner != b)
        inner = s->parent[inner];
    return inner == b;
}

/* Is a value wanted outside of an `if`, which works it out? */
static bool escapes(const source *s, knk_node x, int b)
{
    for (int i = x + 1; i < s->o.end; i++)
        for (int j = 0; j < 3 && s->o.live[i]; j++)
            if (knk_operand(node(s, i), j) == x && !lies_in(s, s->block[i], b))
                return true;
    return false;
}

/* The outermost `if` that works a value out but outside of which it lives on, so that it is declared before that one;
 * 0: it is declared where it is worked out. */
static int declared_before(const source *s, knk_node x)
{
    int before = 0;
    for (int b = s->block[x]; b && escapes(s, x, b); b = s->parent[b])
        before = b;
    return before;
}

static void declare(source *s, int dtype, knk_node x)
{
    knh_c_type(s, dtype);
    EMIT(s, " x%d", x);
}

static void place_node(source *s, knk_node x, int depth)
{
    const knk_inst *n = node(s, x);
    line_start(s, depth);
    if (declared_before(s, x)) {
        EMIT(s, "x%d = ", x);
    } else {
        emit(s, "const ");
        declare(s, n->dtype, x);
        emit(s, " = ");
    }
    if (n->op != KNK_LOAD)
        expression(s, n);
    else if (n->a >= 0 || n->b >= 0)
        load_where(s, n, knh_order_stream(&s->o, n), s->o.uniform[x]);
    else
        load_plain(s, knh_order_stream(&s->o, n), n->dtype);
    emit(s, ";\n");
}

/* The `if` of item i, and before it what lives on behind it. */
static void begin_block(source *s, int i, int depth)
{
    for (int j = i + 1; j < s->o.n_item && lies_in(s, s->parent[j + 1], i + 1); j++) {
        knk_node x = s->o.item[j].node;
        if (s->o.item[j].what != KNH_DO_NODE || declared_before(s, x) != i + 1)
            continue;
        line_start(s, depth);
        declare(s, node(s, x)->dtype, x);
        emit(s, " = {0};\n");
    }
    line_start(s, depth);
    emit(s, "if (__builtin_expect(");
    knh_c_call(s, "any", KN_ID_BOOL);
    knh_c_value(s, s->o.item[i].node);
    emit(s, "), 0)) {\n");
}

void knh_c_items(knh_c_stage *s)
{
    int depth = 0;
    for (int i = 0; i < s->o.n_item; i++) {
        const knh_item *item = &s->o.item[i];
        knk_node x = item->node;
        switch (item->what) {
        case KNH_DO_NODE: place_node(s, x, depth); break;
        case KNH_DO_STORE: knh_c_put(s, knh_order_stream(&s->o, node(s, x)), node(s, x)->a); break;
        case KNH_DO_EXPORT: knh_c_put(s, knh_order_stream_of(&s->o, KNH_EXPORT, x), x); break;
        case KNH_DO_REDUCE: knh_c_reduce(s, x); break;
        case KNH_DO_IF: begin_block(s, i, depth++); break;
        case KNH_DO_FI:
            line_start(s, --depth);
            emit(s, "}\n");
            break;
        default: depth = knh_c_loop_item(s, item, depth);
        }
    }
}

void knh_c_uniform(knh_c_stage *s)
{
    for (int i = s->o.first; i < s->o.end; i++)
        if (s->o.uniform[i] && node(s, i)->op != KNK_CONST)
            place_node(s, i, 2);
}

/* The values of earlier stages: one per row, or one per lane. */
void knh_c_imports(knh_c_stage *s, bool uniform)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        const knh_stream *m = &s->o.stream[i];
        bool once = s->o.r->cls[i] == KNK_STRIDE_ZERO;
        if (m->kind != KNH_IMPORT || once != uniform || !(once ? s->o.used_row : s->o.used_piece)[i])
            continue;
        line_start(s, once ? 2 : 0);
        emit(s, "const ");
        declare(s, m->dtype, m->node);
        emit(s, " = ");
        load_plain(s, i, m->dtype);
        emit(s, ";\n");
    }
}

knx_error *knh_c_analyse(knh_c_stage *s, const knh_request *r)
{
    knx_error *e = knh_order_make(r, &s->o);
    size_t n = (size_t)r->kernel->n_node + 1;
    if (e)
        return e;
    s->param = knx_arena_zero(&s->o.arena, n);
    s->block = knx_arena_zero(&s->o.arena, (n + (size_t)s->o.n_item + 1) * sizeof *s->block);
    if (!s->param || !s->block)
        return knx_error_nomem();
    s->parent = s->block + n;
    s->lanes = lanes_of(s);
    find_parameters(s);
    find_blocks(s);
    return NULL;
}

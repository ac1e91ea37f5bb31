/* SPDX-License-Identifier: Apache-2.0
 * build.c -- the builder of kernels: nodes are made once, constants fold, and what no store needs is dropped at the
 * end. */
#include "base/hash.h"
#include "kernel/builder.h"
#include <stdarg.h>
#include <string.h>

knk_builder *knk_new(int n_par)
{
    knk_builder *k = knx_alloc_zero(sizeof *k);
    if (k) {
        k->n_par = n_par;
        k->open = KNK_NO_LOOP;
    }
    if (k && (n_par < 0 || n_par > KNK_MAX_LOOPS))
        knk_fail(k, "kernel: %d parallel loops", n_par);
    return k;
}

void knk_without_doubles(knk_builder *k) { k->no_doubles = true; }

void knk_delete(knk_builder *k)
{
    if (!k)
        return;
    knx_error_release(k->error);
    KN_VEC_FREE(&k->node);
    KN_VEC_FREE(&k->place);
    KN_VEC_FREE(&k->loop);
    KN_VEC_FREE(&k->stage);
    KN_VEC_FREE(&k->buffer);
    KN_VEC_FREE(&k->map);
    knx_free(k->table);
    knx_free(k);
}

knk_node knk_fail(knk_builder *k, const char *format, ...)
{
    if (k && !k->error) {
        knx_text text = {0};
        va_list args;
        va_start(args, format);
        vsnprintf(text.s, sizeof text.s, format, args);
        va_end(args);
        k->error = knx_error_new(KN_ERROR_VALUE, "%s", text.s);
    }
    return KNK_NONE;
}

knk_node knk_no_memory(knk_builder *k)
{
    if (!k->error)
        k->error = knx_error_nomem();
    return KNK_NONE;
}

const knk_inst *knk_nodes(const knk_builder *k) { return k->node.at; }

int knk_begin_stage(knk_builder *k, int n_inner)
{
    if (!k || k->error)
        return 0;
    if (n_inner < 0 || n_inner > KNK_MAX_LOOPS - k->n_par || k->stage.n >= 255)
        return knk_fail(k, "kernel: stage %d with %d inner loops and %d parallel ones", (int)k->stage.n, n_inner,
                        k->n_par),
               0;
    if (k->open != KNK_NO_LOOP)
        return knk_fail(k, "kernel: stage %d begins in a loop", (int)k->stage.n), 0;
    int n = (int)k->node.n;
    k->first_loop = (int)k->loop.n;
    if (!KN_VEC_PUSH(&k->stage, ((knk_stage){n_inner, n, n, 0})))
        return knk_no_memory(k), 0;
    return (int)k->stage.n - 1;
}

int knk_add_buffer(knk_builder *k, knx_dtype_id dtype, bool written)
{
    if (!k || k->error)
        return 0;
    if ((unsigned)dtype >= KN_ID_COUNT || k->buffer.n >= INT16_MAX)
        return knk_fail(k, "kernel: buffer %d of dtype %d", (int)k->buffer.n, (int)dtype), 0;
    if (!KN_VEC_PUSH(&k->buffer, ((knk_buffer){(uint8_t)dtype, written})))
        return knk_no_memory(k), 0;
    return (int)k->buffer.n - 1;
}

int knk_add_map(knk_builder *k, const uint8_t *cls)
{
    if (!k || k->error)
        return 0;
    if (!k->stage.n)
        return knk_fail(k, "kernel: a map outside of a stage"), 0;
    return knk_append_map(k, cls, k->n_par + k->stage.at[k->stage.n - 1].n_inner);
}

knx_dtype_id knk_dtype(const knk_builder *k, knk_node x)
{
    return k && x >= 0 && (size_t)x < k->node.n ? (knx_dtype_id)k->node.at[x].dtype : KN_ID_BOOL;
}

const knk_inst *knk_look(const knk_builder *k, knk_node x)
{
    return k && x >= 0 && (size_t)x < k->node.n ? &k->node.at[x] : NULL;
}

static uint64_t hash_of(const knk_inst *n)
{
    uint64_t h = knx_hash_mix(0, (uint64_t)n->op | (uint64_t)n->dtype << 8 | (uint64_t)n->sub << 16 |
                                     (uint64_t)(n->op == KNK_CONST ? 0 : n->stage) << 24);
    h = knx_hash_mix(h,
                     (uint64_t)(uint16_t)n->buffer | (uint64_t)(uint16_t)n->map << 16 | (uint64_t)(uint32_t)n->a << 32);
    h = knx_hash_mix(h, (uint64_t)(uint32_t)n->b | (uint64_t)(uint32_t)n->c << 32);
    return knx_hash_mix(h, n->imm);
}

static bool same(const knk_inst *x, const knk_inst *y)
{
    return x->op == y->op && x->dtype == y->dtype && x->sub == y->sub && (x->stage == y->stage || x->op == KNK_CONST) &&
           x->buffer == y->buffer && x->map == y->map && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->imm == y->imm;
}

/* Nodes that may stand for an equal one. */
static bool is_shared(const knk_inst *n) { return n->op != KNK_STORE && (!knk_is_loop_op(n->op) || n->op == KNK_LAST); }

static bool grow_table(knk_builder *k)
{
    if (k->table_size >= 2 * (k->node.n + 1))
        return true;
    size_t size = k->table_size ? 2 * k->table_size : 64;
    knk_node *table = knx_alloc_zero(size * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < k->node.n; i++) {
        if (!is_shared(&k->node.at[i]))
            continue;
        size_t at = hash_of(&k->node.at[i]) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (knk_node)i + 1;
    }
    knx_free(k->table);
    k->table = table;
    k->table_size = size;
    return true;
}

static knk_node append(knk_builder *k, const knk_inst *n, int place)
{
    if (k->node.n >= INT32_MAX - 1)
        return knk_fail(k, "kernel: too many nodes");
    if (!grow_table(k) || !KN_VEC_PUSH(&k->place, ((knk_home){place, KNK_NONE})) || !KN_VEC_PUSH(&k->node, *n))
        return knk_no_memory(k);
    k->stage.at[k->stage.n - 1].end = (int)k->node.n;
    return knk_homed(k, (knk_node)k->node.n - 1) ? (knk_node)k->node.n - 1 : knk_no_memory(k);
}

/* The node that equals n, or a new one. */
static knk_node intern(knk_builder *k, const knk_inst *n, int place)
{
    if (!grow_table(k))
        return knk_no_memory(k);
    size_t at = hash_of(n) & (k->table_size - 1);
    for (; k->table[at]; at = (at + 1) & (k->table_size - 1))
        if (same(n, &k->node.at[k->table[at] - 1]))
            return k->table[at] - 1;
    knk_node x = append(k, n, place);
    if (x >= 0) { /* append may have made the table larger */
        at = hash_of(n) & (k->table_size - 1);
        while (k->table[at] && k->table[at] != x + 1)
            at = (at + 1) & (k->table_size - 1);
        k->table[at] = x + 1;
    }
    return x;
}

static bool operands_fit(knk_builder *k, const knk_inst *n)
{
    for (int i = 0; i < knk_op_table[n->op].n_operands; i++) {
        knk_node x = knk_operand(n, i);
        if (x >= 0 && (size_t)x >= k->node.n)
            return knk_fail(k, "kernel: %s: operand %d is no node", knk_op_table[n->op].name, i), false;
    }
    return true;
}

static bool all_constant(const knk_builder *k, const knk_inst *n)
{
    if (n->op == KNK_CONST || n->op == KNK_INDEX || n->op == KNK_LOAD || n->op == KNK_STORE || n->op == KNK_REDUCE ||
        knk_is_loop_op(n->op))
        return false;
    for (int i = 0; i < knk_op_table[n->op].n_operands; i++)
        if (k->node.at[knk_operand(n, i)].op != KNK_CONST)
            return false;
    return true;
}

knk_node knk_emit(knk_builder *k, knk_inst n)
{
    if (!k || k->error)
        return KNK_NONE;
    if (!k->stage.n)
        return knk_fail(k, "kernel: a node outside of a stage");
    n.stage = (uint8_t)(k->stage.n - 1);
    if (!operands_fit(k, &n))
        return KNK_NONE;
    const char *why = knk_form_error(&n, k->node.at);
    if (why)
        return knk_fail(k, "kernel: %s: %s", knk_op_table[n.op].name, why);
    knk_node out;
    int place = knk_home_of(k, &n);
    if (place == KNK_NO_HOME)
        return KNK_NONE;
    if (all_constant(k, &n))
        return knk_const(k, (knx_dtype_id)n.dtype, knk_fold(&n, k->node.at));
    if (knk_simplify(k, &n, &out))
        return out;
    return is_shared(&n) ? intern(k, &n, place) : append(k, &n, place);
}

void knk_append_raw(knk_builder *k, knk_inst n)
{
    if (k->error)
        return;
    if (!k->stage.n) {
        knk_fail(k, "kernel: a node outside of a stage");
        return;
    }
    n.stage = (uint8_t)(k->stage.n - 1);
    for (int i = 0; i < 3; i++)
        if (knk_operand(&n, i) >= 0 && (size_t)knk_operand(&n, i) >= k->node.n) {
            knk_fail(k, "kernel: %s: operand %d is no earlier node", knk_op_table[n.op].name, i);
            return;
        }
    if (n.op == KNK_STORE || n.op == KNK_WHILE)
        n.dtype = k->node.at[n.a].dtype;
    else if (n.op == KNK_NEXT)
        n.dtype = k->node.at[n.b].dtype;
    int place = knk_home_of(k, &n);
    if (place != KNK_NO_HOME)
        append(k, &n, place);
}

static knk_inst inst(knk_op op, knx_dtype_id dtype, knk_node a, knk_node b, knk_node c)
{
    return (knk_inst){
        .op = (uint8_t)op, .dtype = (uint8_t)dtype, .buffer = KNK_NONE, .map = KNK_NONE, .a = a, .b = b, .c = c};
}

knk_node knk_const(knk_builder *k, knx_dtype_id d, uint64_t bits)
{
    knk_inst n = inst(KNK_CONST, d, KNK_NONE, KNK_NONE, KNK_NONE);
    n.imm =
        (unsigned)d < KN_ID_COUNT && knk_size((int)d) < 8 ? bits & (((uint64_t)1 << (8 * knk_size((int)d))) - 1) : bits;
    return knk_emit(k, n);
}

static uint64_t scalar_bits(knx_dtype_id d, knx_scalar_bits s) { return knx_scalar_word(knx_dtype_table[d].size, &s); }

knk_node knk_const_double(knk_builder *k, knx_dtype_id d, double v)
{
    return (unsigned)d < KN_ID_COUNT ? knk_const(k, d, scalar_bits(d, knx_scalar_from_double(&knx_dtype_table[d], v)))
                                     : knk_fail(k, "kernel: no such dtype");
}

knk_node knk_const_int(knk_builder *k, knx_dtype_id d, int64_t v)
{
    return (unsigned)d < KN_ID_COUNT ? knk_const(k, d, scalar_bits(d, knx_scalar_from_int(&knx_dtype_table[d], v)))
                                     : knk_fail(k, "kernel: no such dtype");
}

knk_node knk_index(knk_builder *k, int map)
{
    knk_inst n = inst(KNK_INDEX, KN_ID_I64, KNK_NONE, KNK_NONE, KNK_NONE);
    n.map = (int16_t)map;
    return knk_emit(k, n);
}

knk_node knk_load(knk_builder *k, int buffer, int map, knk_node index, knk_node pred, knk_node other)
{
    if (!k || k->error)
        return KNK_NONE;
    if (buffer < 0 || (size_t)buffer >= k->buffer.n)
        return knk_fail(k, "kernel: load from buffer %d", buffer);
    if (pred >= 0 && (size_t)pred < k->node.n && k->node.at[pred].op == KNK_CONST &&
        k->node.at[pred].dtype == KN_ID_BOOL) {
        if (!k->node.at[pred].imm)
            return other >= 0 ? other : knk_const(k, knk_memory_dtype((knx_dtype_id)k->buffer.at[buffer].dtype), 0);
        pred = other = KNK_NONE;
    }
    knk_inst n = inst(KNK_LOAD, knk_memory_dtype((knx_dtype_id)k->buffer.at[buffer].dtype), index, pred, other);
    n.buffer = (int16_t)buffer;
    n.map = (int16_t)map;
    return knk_emit(k, n);
}

void knk_store(knk_builder *k, int buffer, int map, knk_node value)
{
    knk_inst n = inst(KNK_STORE, knk_dtype(k, value), value, KNK_NONE, KNK_NONE);
    n.buffer = (int16_t)buffer;
    n.map = (int16_t)map;
    knk_emit(k, n);
}

knk_node knk_reduce(knk_builder *k, knk_reduction how, knk_node x)
{
    knk_inst n = inst(KNK_REDUCE, knk_dtype(k, x), x, KNK_NONE, KNK_NONE);
    n.sub = (uint8_t)how;
    return knk_emit(k, n);
}

knk_node knk_unary(knk_builder *k, knk_op op, knk_node a)
{
    return knk_emit(k, inst(op, knk_dtype(k, a), a, KNK_NONE, KNK_NONE));
}

knk_node knk_binary(knk_builder *k, knk_op op, knk_node a, knk_node b)
{
    bool compare = (unsigned)op < KNK_OP_COUNT && knk_op_table[op].result == 'B';
    return knk_emit(k, inst(op, compare ? KN_ID_BOOL : knk_dtype(k, a), a, b, KNK_NONE));
}

knk_node knk_ternary(knk_builder *k, knk_op op, knk_node a, knk_node b, knk_node c)
{
    return knk_emit(k, inst(op, knk_dtype(k, op == KNK_SELECT ? b : a), a, b, c));
}
knk_node knk_select(knk_builder *k, knk_node p, knk_node yes, knk_node no)
{
    return knk_emit(k, inst(KNK_SELECT, knk_dtype(k, yes), p, yes, no));
}

knk_node knk_select_cold(knk_builder *k, knk_node p, knk_node cold_yes, knk_node no)
{
    knk_inst n = inst(KNK_SELECT, knk_dtype(k, cold_yes), p, cold_yes, no);
    n.sub = 1;
    return knk_emit(k, n);
}

knk_node knk_cast(knk_builder *k, knx_dtype_id to, knk_node a)
{
    return knk_emit(k, inst(KNK_CAST, to, a, KNK_NONE, KNK_NONE));
}
knk_node knk_bitcast(knk_builder *k, knx_dtype_id to, knk_node a)
{
    return knk_emit(k, inst(KNK_BITCAST, to, a, KNK_NONE, KNK_NONE));
}

/* Finishing. */

static knk_node moved(const knk_order *o, knk_node x) { return x < 0 ? x : o->number[x]; }

static void copy_nodes(const knk_builder *k, const knk_order *o, knk_inst *to, knk_stage *stage)
{
    for (size_t s = 0, at = 0; s < k->stage.n; at = (size_t)o->end[s++])
        stage[s] = (knk_stage){k->stage.at[s].n_inner, (int)at, o->end[s], o->n_loop[s]};
    for (int i = 0; i < o->n; i++) {
        knk_inst n = k->node.at[o->node[i]];
        if (n.op == KNK_LAST)
            n.sub = (uint8_t)o->loop_number[k->place.at[n.a].loop];
        else if (knk_is_loop_op(n.op))
            n.sub = (uint8_t)o->loop_number[k->place.at[o->node[i]].loop];
        n.a = moved(o, n.a);
        n.b = moved(o, n.b);
        n.c = moved(o, n.c);
        to[i] = n;
    }
}

static void copy_maps(const knk_builder *k, const knk_order *o, knk_map *to)
{
    if (k->map.n)
        memcpy(to, k->map.at, k->map.n * sizeof *to);
    for (size_t m = 0, l = 0; m < k->map.n; m++) {
        while (l > 0 && k->loop.at[l - 1].stage >= to[m].stage)
            l--;
        while (l < k->loop.n && k->loop.at[l].stage < to[m].stage)
            l++;
        int first = k->n_par + k->stage.at[to[m].stage].n_inner, n_loop = k->stage.at[to[m].stage].n_loop;
        if (n_loop)
            memset(to[m].cls + first, KNK_STRIDE_ZERO, (size_t)(KNK_MAX_LOOPS - first));
        for (int i = 0; i < n_loop; i++)
            if (o->loop_number[l + (size_t)i] >= 0)
                to[m].cls[first + o->loop_number[l + (size_t)i]] = k->map.at[m].cls[first + i];
    }
}

/* The structure as bytes, written field by field. */
static unsigned char *put(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *p++ = (unsigned char)(v >> (8 * i));
    return p;
}

static bool make_key(knk_kernel *k)
{
    size_t room = 32 + (size_t)k->n_stage * 8 + (size_t)k->n_buffer * 2 + (size_t)k->n_map * (1 + KNK_MAX_LOOPS) +
                  (size_t)k->n_node * 28;
    unsigned char *key = knx_arena_alloc(&k->arena, room), *p = key;
    if (!key)
        return false;
    p = put(p, (uint64_t)k->n_par, 4);
    p = put(p, (uint64_t)k->n_stage, 4);
    p = put(p, (uint64_t)k->n_buffer, 4);
    p = put(p, (uint64_t)k->n_map, 4);
    for (int i = 0; i < k->n_stage; i++)
        p = put(put(p, (uint64_t)(k->stage[i].n_inner | k->stage[i].n_loop << 16), 4), (uint64_t)k->stage[i].end, 4);
    for (int i = 0; i < k->n_buffer; i++)
        p = put(put(p, k->buffer[i].dtype, 1), k->buffer[i].written, 1);
    for (int i = 0; i < k->n_map; i++) {
        p = put(p, k->map[i].stage, 1);
        for (int d = 0; d < knk_map_loops(k, i); d++)
            p = put(p, k->map[i].cls[d], 1);
    }
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        p = put(p, (uint64_t)n->op | (uint64_t)n->dtype << 8 | (uint64_t)n->sub << 16 | (uint64_t)n->stage << 24, 4);
        p = put(p, (uint64_t)(uint16_t)n->buffer | (uint64_t)(uint16_t)n->map << 16, 4);
        p = put(p, (uint32_t)n->a, 4);
        p = put(p, (uint32_t)n->b, 4);
        p = put(p, (uint32_t)n->c, 4);
        p = put(p, n->imm, 8);
    }
    k->key = key;
    k->key_bytes = (size_t)(p - key);
    k->hash = knx_hash_bytes(key, k->key_bytes, 0);
    return true;
}

/* Nonzero sizes only, so that NULL means no memory. */
static void *room_for(knk_kernel *k, size_t n, size_t size) { return knx_arena_zero(&k->arena, n ? n * size : 1); }

static knx_error *fill(const knk_builder *b, const knk_order *o, knk_kernel *k)
{
    k->n_par = b->n_par;
    k->n_stage = (int)b->stage.n;
    k->n_buffer = (int)b->buffer.n;
    k->n_map = (int)b->map.n;
    k->n_node = o->n;
    knk_inst *node = room_for(k, (size_t)k->n_node, sizeof *node);
    knk_stage *stage = room_for(k, b->stage.n, sizeof *stage);
    knk_buffer *buffer = room_for(k, b->buffer.n, sizeof *buffer);
    knk_map *map = room_for(k, b->map.n, sizeof *map);
    bool fine = node && stage && buffer && map;
    if (fine) {
        copy_nodes(b, o, node, stage);
        if (b->buffer.n)
            memcpy(buffer, b->buffer.at, b->buffer.n * sizeof *buffer);
        copy_maps(b, o, map);
    }
    k->node = node;
    k->stage = stage;
    k->buffer = buffer;
    k->map = map;
    return fine ? NULL : knx_error_nomem();
}

static knx_error *make(const knk_builder *b, int *loop_number, knk_kernel *k)
{
    knk_order o;
    knx_error *error = knk_order_nodes(b, &o);
    if (!error)
        error = fill(b, &o, k);
    if (!error && loop_number && b->loop.n)
        memcpy(loop_number, o.loop_number, b->loop.n * sizeof *loop_number);
    knx_free(o.memory);
    if (!error)
        error = knk_verify(k);
    if (!error && !make_key(k))
        error = knx_error_nomem();
    return error;
}

knx_error *knk_finish(knk_builder *b, knk_kernel **out) { return knk_finish_loops(b, NULL, out); }

knx_error *knk_finish_loops(knk_builder *b, int *loop_number, knk_kernel **out)
{
    *out = NULL;
    if (!b)
        return knx_error_nomem();
    if (b->open != KNK_NO_LOOP)
        knk_fail(b, "kernel: loop %d has no end", b->loop.at[b->open].number);
    knx_error *error = b->error;
    b->error = NULL;
    knk_kernel *k = error ? NULL : knx_alloc_zero(sizeof *k);
    if (k) {
        atomic_init(&k->refs, 1);
        error = make(b, loop_number, k);
        if (error)
            knk_release(k);
        else
            *out = k;
    } else if (!error) {
        error = knx_error_nomem();
    }
    knk_delete(b);
    return error;
}

knk_kernel *knk_retain(knk_kernel *k)
{
    if (k)
        atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    return k;
}

void knk_count_native(const knk_kernel *k_, size_t bytes)
{
    knk_kernel *k = (knk_kernel *)(uintptr_t)k_;
    atomic_fetch_add_explicit(&k->native_bytes, bytes, memory_order_relaxed);
    if (k->native_total)
        atomic_fetch_add_explicit(k->native_total, bytes, memory_order_relaxed);
}

void knk_release(knk_kernel *k)
{
    if (k && k->give_back) {
        k->give_back(k);
        return;
    }
    if (!k || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (k->native && k->drop_native)
        k->drop_native(k->native);
    struct knk_prepared *p = atomic_load_explicit(&k->prepared, memory_order_relaxed);
    if (p) {
        knx_arena own = p->arena;
        knx_arena_free(&own);
    }
    knx_arena_free(&k->arena);
    knx_free(k);
}

double knk_cost(const knk_kernel *k)
{
    double cost = 0, turns = 1; /* a loop counts as so many turns */
    for (int i = 0; i < k->n_node; i++) {
        int op = k->node[i].op;
        turns = op == KNK_LOOP ? turns * 32 : op == KNK_END ? turns / 32 : turns;
        cost += turns * (op == KNK_CONST || op == KNK_BITCAST || knk_is_loop_op(op) ? 0
                         : op == KNK_DIV || op == KNK_SQRT                          ? 4
                         : op == KNK_REM                                            ? 20
                                                                                    : 1);
    }
    return cost;
}

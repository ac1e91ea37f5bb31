/* SPDX-License-Identifier: Apache-2.0
 * random_scene.c -- random kernels: DAGs over a few dtypes, loads of every kind, casts, plain and cold selects,
 * reductions, values that later stages read, several stores, also in place; loops of all kinds in each other. */
#include "kernel/internal.h"
#include "support/bits.h"
#include "support/elements.h"
#include "support/stages.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 160 };
typedef struct make {
    scene *s;
    uint64_t seed;
    knk_node pool[KN_ID_COUNT][MOST]; /* nodes of this stage, by dtype */
    int n[KN_ID_COUNT];
    knk_node raw[MOST]; /* loaded floats: their bits are known, also of NaNs */
    int n_raw;
    int dtypes[4], n_dtype;
    struct {
        int buffer, map;
    } whole[MOST]; /* buffers that are read element by element: results may lie in their memory */
    int n_whole;
    int open[4], n_open; /* loops of the stage, outermost first; maps move with those before `tested` */
    int tested;          /* how many of them have no condition and lie in none */
} make;

static unsigned pick(make *m, unsigned n) { return (unsigned)(element_random(&m->seed) % n); }
static int any_dtype(make *m) { return m->dtypes[pick(m, (unsigned)m->n_dtype)]; }

static void add(make *m, knk_node x)
{
    if (x < 0)
        return;
    int d = knk_dtype(m->s->b, x);
    if (m->n[d] < MOST)
        m->pool[d][m->n[d]++] = x;
}

static knk_node constant(make *m, int d)
{
    uint64_t bits = 0;
    element_values(d, &bits, 1, &m->seed);
    uint64_t values[8] = {0};
    element_values(d, values, 8, &m->seed);
    bits = bits_at((char *)values + 3 * knk_size(d), (size_t)knk_size(d));
    if (pick(m, 2))
        return knk_is_float_id(d) ? knk_const_double(m->s->b, (knx_dtype_id)d, (double)pick(m, 9) - 4)
               : knk_is_int_id(d) ? knk_const_int(m->s->b, (knx_dtype_id)d, pick(m, 40))
                                  : knk_const(m->s->b, (knx_dtype_id)d, bits);
    return knk_const(m->s->b, (knx_dtype_id)d, bits);
}

static knk_node get(make *m, int d)
{
    if (!m->n[d] || pick(m, 8) == 0) {
        knk_node x;
        if (m->n[KN_ID_I32] && d != KN_ID_BOOL && pick(m, 2))
            x = knk_cast(m->s->b, (knx_dtype_id)d, m->pool[KN_ID_I32][pick(m, (unsigned)m->n[KN_ID_I32])]);
        else
            x = constant(m, d);
        return x;
    }
    /* mostly one of the last ones */
    int at = m->n[d] - 1 - (int)pick(m, (unsigned)(m->n[d] < 6 || pick(m, 4) == 0 ? m->n[d] : 6));
    return m->pool[d][at];
}

static int64_t extent(const make *m, int d)
{
    const scene *s = m->s;
    return d < 2 ? s->par[d] : s->has_inner[s->n_stage - 1] ? s->inner[s->n_stage - 1] : 1;
}

static int64_t points(const make *m) { return extent(m, 0) * extent(m, 1) * extent(m, 2); }

/* C order over the loops, with every step `step` elements. */
static void contiguous(const make *m, int64_t step, int64_t *stride)
{
    bool inner = m->s->has_inner[m->s->n_stage - 1];
    stride[2] = inner ? step : 0;
    stride[1] = inner ? extent(m, 2) * step : step;
    stride[0] = extent(m, 1) * stride[1];
}

static int begun(const make *m) { return m->s->n_turns[m->s->n_stage - 1]; }

/* A map of the stage; in a loop with steps for some of those around it: what they reach is added to *elements. */
static int add_map(make *m, int64_t offset, const int64_t *stride, bool all, int64_t *elements)
{
    int64_t with[2 + SCENE_TURNS] = {stride[0], stride[1]};
    if (!begun(m))
        return scene_map(m->s, offset, stride);
    for (int i = 0; i < m->tested; i++) {
        int64_t turns = m->s->turns[m->s->n_stage - 1][m->open[i]];
        int64_t step = all ? *elements : (int64_t)pick(m, 4);
        with[2 + m->open[i]] = step;
        *elements += step * (turns > 0 ? turns - 1 : 0);
        if (pick(m, 4) == 0 && turns > 0) { /* backwards */
            with[2 + m->open[i]] = -step;
            offset += step * (turns - 1);
        }
    }
    return scene_loop_map(m->s, offset, with);
}

/* A map of a random kind, and how many elements it needs; *whole: no two points have the same element. */
static int random_map(make *m, int64_t *elements, bool *whole)
{
    unsigned kind = pick(m, 8);
    *whole = kind > 3;
    int64_t stride[3], offset = pick(m, 3);
    bool inner = m->s->has_inner[m->s->n_stage - 1];
    contiguous(m, pick(m, 4) ? 1 : 2, stride);
    switch (kind) {
    case 0: stride[0] = 0; break;
    case 1: stride[1] = 0; break;
    case 2: stride[2] = 0; break;
    case 3: stride[pick(m, 3)] = 0, stride[pick(m, 3)] = 0; break;
    case 4: /* transposed */
        stride[0] = 1;
        stride[1] = extent(m, 0);
        stride[2] = inner ? extent(m, 0) * extent(m, 1) : 0;
        break;
    default: break;
    }
    *elements = offset + 1;
    for (int d = 0; d < 3; d++)
        *elements += (extent(m, d) > 0 ? extent(m, d) - 1 : 0) * stride[d];
    if (pick(m, 10) == 0) { /* backwards along the lanes */
        int d = inner ? 2 : 1;
        offset += (extent(m, d) > 0 ? extent(m, d) - 1 : 0) * stride[d];
        stride[d] = -stride[d];
    }
    return add_map(m, offset, stride, false, elements);
}

static void add_load(make *m)
{
    scene *s = m->s;
    if (s->n_buffer >= SCENE_BUFFERS - 6 || s->n_map >= SCENE_MAPS - 6)
        return;
    int d = any_dtype(m);
    int64_t elements;
    bool whole;
    int map = random_map(m, &elements, &whole);
    knk_node index = KNK_NONE, pred = KNK_NONE, other = KNK_NONE;
    if (pick(m, 6) == 0) {
        knk_node any = m->n[KN_ID_I64] && pick(m, 2) ? get(m, KN_ID_I64) : knk_cast(s->b, KN_ID_I64, get(m, KN_ID_I32));
        index = knk_binary(s->b, KNK_AND, any, knk_const_int(s->b, KN_ID_I64, 31));
    }
    if (pick(m, 6) == 0) {
        pred = get(m, KN_ID_BOOL);
        if (pick(m, 2))
            other = get(m, d);
    }
    int buffer = scene_buffer(s, d, false, elements + 32, &m->seed);
    knk_node x = knk_load(s->b, buffer, map, index, pred, other);
    add(m, x);
    if (whole && index < 0 && m->n_whole < MOST) {
        m->whole[m->n_whole].buffer = buffer;
        m->whole[m->n_whole++].map = map;
    }
    if ((knk_is_float_id(d) || knk_is_half_id(d)) && index < 0 && pred < 0 && m->n_raw < MOST)
        m->raw[m->n_raw++] = x;
}

static void add_index(make *m)
{
    int64_t elements;
    bool whole;
    if (m->s->n_map >= SCENE_MAPS - 6)
        return;
    knk_node x = knk_index(m->s->b, random_map(m, &elements, &whole));
    add(m, x);
    add(m, knk_cast(m->s->b, KN_ID_I32, x));
}

static void add_scalb(make *m, int d)
{
    knk_builder *b = m->s->b;
    knk_node n = knk_cast(b, (knx_dtype_id)d, knk_cast(b, KN_ID_I8, get(m, KN_ID_I32)));
    knk_node p = knk_select(b, get(m, KN_ID_BOOL), knk_const_double(b, (knx_dtype_id)d, 0.75),
                            knk_const_double(b, (knx_dtype_id)d, -1.5));
    add(m, knk_binary(b, KNK_SCALB, p, knk_binary(b, KNK_MUL, n, knk_const_double(b, (knx_dtype_id)d, 16))));
}

static void add_bitcast(make *m)
{
    knk_builder *b = m->s->b;
    if (m->n_raw && pick(m, 2)) {
        knk_node x = m->raw[pick(m, (unsigned)m->n_raw)];
        int d = knk_dtype(b, x), size = knk_size(d);
        static const uint8_t same[3][2] = {{KN_ID_I16, KN_ID_U16}, {KN_ID_I32, KN_ID_U32}, {KN_ID_I64, KN_ID_U64}};
        add(m, knk_bitcast(b, (knx_dtype_id)same[size == 2 ? 0 : size == 4 ? 1 : 2][pick(m, 2)], x));
        return;
    }
    int d = any_dtype(m);
    for (int to = 0; to < KN_ID_COUNT; to++)
        if (knk_is_int_id(d) && to <= KN_ID_F64 && to != d && to != KN_ID_BOOL && knk_size(to) == knk_size(d) &&
            pick(m, 2))
            add(m, knk_bitcast(b, (knx_dtype_id)to, get(m, d)));
}

static void add_operation(make *m)
{
    static const uint8_t for_floats[] = {KNK_ADD, KNK_SUB, KNK_MUL,  KNK_DIV,  KNK_FMA,   KNK_NEG,   KNK_ABS,
                                         KNK_MIN, KNK_MAX, KNK_SQRT, KNK_RINT, KNK_FLOOR, KNK_TRUNC, KNK_REM,
                                         KNK_EQ,  KNK_NE,  KNK_LT,   KNK_LE,   KNK_FMA,   KNK_ADD,   KNK_MUL};
    static const uint8_t for_ints[] = {KNK_ADD, KNK_SUB, KNK_MUL, KNK_DIV, KNK_REM, KNK_NEG, KNK_ABS,
                                       KNK_MIN, KNK_MAX, KNK_AND, KNK_OR,  KNK_XOR, KNK_NOT, KNK_SHL,
                                       KNK_SHR, KNK_SAR, KNK_EQ,  KNK_NE,  KNK_LT,  KNK_LE};
    static const uint8_t for_bools[] = {KNK_ADD, KNK_MUL, KNK_MIN, KNK_MAX, KNK_AND, KNK_OR,
                                        KNK_XOR, KNK_NOT, KNK_EQ,  KNK_NE,  KNK_LT,  KNK_LE};
    knk_builder *b = m->s->b;
    int d = pick(m, 6) ? any_dtype(m) : KN_ID_BOOL;
    if (knk_is_half_id(d)) {
        add(m, knk_cast(b, (knx_dtype_id)d, get(m, pick(m, 2) ? KN_ID_F32 : any_dtype(m))));
        add(m, knk_cast(b, KN_ID_F32, get(m, d)));
        return;
    }
    int op = knk_is_float_id(d) ? for_floats[pick(m, sizeof for_floats)]
             : knk_is_int_id(d) ? for_ints[pick(m, sizeof for_ints)]
                                : for_bools[pick(m, sizeof for_bools)];
    if ((op == KNK_REM || op == KNK_DIV) && pick(m, 3)) /* calls are slow and forbid copies */
        op = KNK_ADD;
    knk_node a = get(m, d);
    int operands = knk_op_table[op].n_operands;
    if (operands == 1)
        add(m, knk_unary(b, (knk_op)op, a));
    else if (operands == 2)
        add(m, knk_binary(b, (knk_op)op, a, get(m, d)));
    else
        add(m, knk_ternary(b, (knk_op)op, a, get(m, d), get(m, d)));
}

/* Two operations that one instruction may do. */
static void add_pair(make *m)
{
    static const uint8_t logic[] = {KNK_AND, KNK_OR, KNK_XOR};
    knk_builder *b = m->s->b;
    int d = any_dtype(m);
    if (knk_is_float_id(d)) {
        knk_node x[3] = {get(m, d), get(m, d), get(m, d)};
        for (int i = 0; i < 3; i++)
            if (pick(m, 2))
                x[i] = knk_unary(b, KNK_NEG, x[i]);
        add(m, knk_ternary(b, KNK_FMA, x[0], x[1], x[2]));
    } else if (knk_is_int_id(d)) {
        knk_node x = knk_binary(b, (knk_op)logic[pick(m, 3)], get(m, d), get(m, d));
        if (pick(m, 2))
            add(m, knk_binary(b, pick(m, 2) ? KNK_NE : KNK_EQ, x, knk_const_int(b, (knx_dtype_id)d, 0)));
        else
            add(m, knk_binary(b, (knk_op)logic[pick(m, 3)], get(m, d), x));
    }
}

/* Two cold sides of one predicate, the second of which goes on with 64-bit values of the first. */
static void add_wide_selects(make *m)
{
    knk_builder *b = m->s->b;
    int d = any_dtype(m), wide = pick(m, 2) ? KN_ID_F64 : KN_ID_I64;
    if (knk_is_half_id(d) || d == KN_ID_BOOL)
        d = KN_ID_I32;
    knk_node p = get(m, KN_ID_BOOL), x = knk_cast(b, (knx_dtype_id)wide, get(m, d));
    knk_node y = knk_binary(b, KNK_MUL, x, x), odd = knk_binary(b, KNK_LT, x, y);
    knk_node first = knk_select_cold(b, p, knk_cast(b, (knx_dtype_id)d, knk_binary(b, KNK_SUB, y, x)), get(m, d));
    knk_node z = knk_select(b, odd, knk_binary(b, KNK_ADD, y, knk_cast(b, (knx_dtype_id)wide, first)), x);
    add(m, knk_select_cold(b, p, knk_cast(b, (knx_dtype_id)d, z), get(m, d)));
    add(m, first);
}

/* A select whose cold side is a little program of its own. */
static void add_select(make *m)
{
    knk_builder *b = m->s->b;
    int d = any_dtype(m);
    if (knk_is_half_id(d))
        d = KN_ID_F32;
    knk_node p = get(m, KN_ID_BOOL), no = get(m, d);
    if (pick(m, 2) && knk_is_float_id(d)) /* rarely true */
        p = knk_binary(b, KNK_LT, knk_const_double(b, (knx_dtype_id)d, 1e3), get(m, d));
    if (pick(m, 6) == 0) {
        add_wide_selects(m);
        return;
    }
    if (pick(m, 3) == 0) {
        add(m, knk_select(b, p, get(m, d), no));
        return;
    }
    knk_node yes = get(m, d), kept = yes;
    int before[KN_ID_COUNT];
    memcpy(before, m->n, sizeof before);
    add(m, yes);
    for (int i = (int)pick(m, 12); i > 0; i--)
        add_operation(m);
    yes = m->n[d] ? m->pool[d][m->n[d] - 1] : kept;
    if (pick(m, 4))
        memcpy(m->n, before, sizeof before); /* nobody else reads it */
    knk_node x = knk_select_cold(b, p, yes, no);
    if (pick(m, 3) == 0) {
        knk_node more = knk_is_float_id(d) ? knk_unary(b, KNK_SQRT, yes) : knk_binary(b, KNK_MUL, yes, x);
        add(m, knk_select_cold(b, p, more, get(m, d)));
    }
    add(m, x);
}

static void add_function(make *m)
{
    static knk_node (*const f[])(knk_builder *, knk_node) = {knk_sin, knk_exp, knk_tanh, knk_log,
                                                             knk_cos, knk_erf, knk_tan};
    int d = pick(m, 2) ? KN_ID_F32 : KN_ID_F64;
    for (int i = 0; i < m->n_dtype; i++)
        if (m->dtypes[i] == d)
            add(m, f[pick(m, sizeof f / sizeof *f)](m->s->b, get(m, d)));
}

static void add_nodes(make *m, int n)
{
    for (int i = 0; i < n; i++)
        switch (pick(m, 16)) {
        case 0:
        case 1: add_load(m); break;
        case 2: add_index(m); break;
        case 3: pick(m, 2) ? add_bitcast(m) : add_pair(m); break;
        case 4:
        case 5: add_select(m); break;
        case 6:
            if (knk_is_float_id(m->dtypes[0]))
                add_scalb(m, m->dtypes[0]);
            break;
        case 7:
            if (pick(m, 6) == 0)
                add_function(m);
            break;
        case 9: add_pair(m); break;
        case 8: add(m, knk_cast(m->s->b, (knx_dtype_id)any_dtype(m), get(m, any_dtype(m)))); break;
        default: add_operation(m);
        }
}

/* The newest value of a dtype, often together with more of them, so that much is alive at once. */
static knk_node gathered(make *m, int d)
{
    knk_node x = m->n[d] ? m->pool[d][m->n[d] - 1] : get(m, d);
    if (knk_is_half_id(d) || pick(m, 2))
        return x;
    int op = knk_is_float_id(d) ? (pick(m, 2) ? KNK_MAX : KNK_SUB) : KNK_XOR;
    for (int i = 0, n = (int)pick(m, 30); i < n && m->n[d]; i++)
        x = knk_binary(m->s->b, (knk_op)op, x, m->pool[d][pick(m, (unsigned)m->n[d])]);
    return x;
}

static void add_store(make *m, int d)
{
    scene *s = m->s;
    if (s->n_buffer >= SCENE_BUFFERS || s->n_map >= SCENE_MAPS - 1)
        return;
    int64_t stride[3];
    for (int i = m->n_whole - 1; i >= 0 && !m->n_open && pick(m, 3) == 0; i--) /* in the memory of a read buffer */
        if (s->dtype[m->whole[i].buffer] == d) {
            int b = s->n_buffer++, from = m->whole[i].buffer;
            s->dtype[b] = d;
            s->bytes[b] = s->bytes[from];
            s->buffer[b] = s->buffer[from];
            s->alias[b] = from + 1;
            knk_add_buffer(s->b, (knx_dtype_id)d, true);
            knk_store(s->b, b, m->whole[i].map, gathered(m, d));
            m->whole[i] = m->whole[--m->n_whole];
            return;
        }
    contiguous(m, pick(m, 5) ? 1 : 2, stride);
    bool step = stride[1] > extent(m, 2) || (s->has_inner[s->n_stage - 1] && stride[2] == 2) || stride[1] == 2;
    int64_t elements = points(m) * (step ? 2 : 1) + 8;
    int map = add_map(m, 0, stride, true, &elements);
    int buffer = scene_buffer(s, d, true, elements, &m->seed);
    knk_node x = gathered(m, d);
    if (pick(m, 4) == 0 && !knk_is_half_id(d)) /* in place */
        x = knk_binary(s->b, d == KN_ID_BOOL ? KNK_XOR : KNK_ADD, x,
                       knk_load(s->b, buffer, map, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_store(s->b, buffer, map, x);
}

static void choose_dtypes(make *m)
{
    static const uint8_t all[] = {KN_ID_F32, KN_ID_I32, KN_ID_F64, KN_ID_U32, KN_ID_I64,  KN_ID_U64, KN_ID_I8,
                                  KN_ID_U8,  KN_ID_I16, KN_ID_U16, KN_ID_F16, KN_ID_BF16, KN_ID_BOOL};
    m->n_dtype = 1 + (int)pick(m, 3);
    for (int i = 0; i < m->n_dtype; i++)
        m->dtypes[i] = all[pick(m, pick(m, 3) ? 2 : sizeof all)];
    if (knk_is_half_id(m->dtypes[0]) || m->dtypes[0] == KN_ID_BOOL)
        m->dtypes[0] = KN_ID_F32;
}

static void stage_of_points(make *m, int n)
{
    add_load(m);
    add_nodes(m, n);
    for (int i = 1 + (int)pick(m, 3); i > 0; i--)
        add_store(m, any_dtype(m));
}

static void forget(make *m)
{
    memset(m->n, 0, sizeof m->n);
    m->n_raw = m->n_whole = 0;
}

void scene_random(scene *s, uint64_t seed)
{
    make m = {.s = s, .seed = seed};
    knk_node result[3];
    int n_result = 0;
    bool sums = pick(&m, 2);
    int64_t rows = 1 + pick(&m, 3), lanes = pick(&m, 8) ? pick(&m, 140) : 300;
    if (sums)
        lanes = 1 + pick(&m, pick(&m, 3) ? 5 : 70);
    scene_begin(s, rows, lanes);
    choose_dtypes(&m);
    int size = 1 + (int)pick(&m, pick(&m, 4) ? 24 : 100);
    if (!sums) {
        scene_stage(s, -1);
        stage_of_points(&m, size);
        m.n_whole = 0;
        if (pick(&m, 3) == 0) {
            scene_stage(s, -1); /* reads values of the first one */
            stage_of_points(&m, size / 2);
        }
        scene_end(s);
        return;
    }
    if (pick(&m, 3) == 0) {
        scene_stage(s, -1);
        stage_of_points(&m, size / 3);
        m.n_whole = 0;
    }
    scene_stage(s, pick(&m, 10) ? pick(&m, pick(&m, 3) ? 140 : 700) : 0);
    if (pick(&m, 2) == 0)
        m.n_raw = 0;
    add_load(&m);
    add_nodes(&m, size);
    for (int i = 1 + (int)pick(&m, 3); i > 0; i--) {
        int d = any_dtype(&m);
        if (knk_is_half_id(d))
            d = KN_ID_F32;
        int how = (int)pick(&m, knk_is_float_id(d) ? 4 : 7);
        knk_node x = gathered(&m, d);
        if ((x = knk_reduce(s->b, (knk_reduction)how, x)) >= 0)
            result[n_result++] = x;
    }
    if (pick(&m, 4) == 0)
        add_store(&m, any_dtype(&m));
    forget(&m);
    scene_stage(s, pick(&m, 2) ? -1 : (int64_t)pick(&m, 80));
    for (int i = 0; i < n_result; i++)
        add(&m, result[i]);
    add_nodes(&m, size / 3);
    for (int i = 0; i < n_result; i++) {
        add(&m, result[i]);
        add_store(&m, knk_dtype(s->b, result[i]));
    }
    scene_end(s);
}

/* --- loops --- */

typedef struct carries {
    knk_node at[4];
    int n;
} carries;

static int carry_dtype(make *m)
{
    int d = any_dtype(m);
    return knk_is_half_id(d) ? KN_ID_F32 : d;
}

static void add_carries(make *m, carries *c)
{
    for (int i = (int)pick(m, 4); i >= 0 && c->n < 3; i--) {
        int d = carry_dtype(m);
        c->at[c->n++] = knk_carry(m->s->b, get(m, d));
    }
    for (int i = 0; i < c->n; i++)
        add(m, c->at[i]);
}

/* A condition that is false after at most 7 turns, for each point on its own: a carry counts. */
static void add_condition(make *m, carries *c)
{
    knk_builder *b = m->s->b;
    knk_node counter = knk_carry(b, knk_const_int(b, KN_ID_I32, 0));
    knk_node bound = knk_binary(b, KNK_AND, get(m, KN_ID_I32), knk_const_int(b, KN_ID_I32, 7)),
             more = knk_binary(b, KNK_LT, counter, bound);
    if (pick(m, 3) == 0)
        add_operation(m);
    if (pick(m, 2))
        more = knk_binary(b, KNK_AND, more, get(m, KN_ID_BOOL));
    knk_while(b, more);
    knk_next(b, counter, knk_binary(b, KNK_ADD, counter, knk_const_int(b, KN_ID_I32, 1)));
    c->at[c->n++] = counter;
}

static void add_loop(make *m, int nodes);

static void fill_loop(make *m, const carries *c, int nodes)
{
    if (pick(m, 2))
        add_load(m);
    add_nodes(m, nodes);
    if (m->n_open < 3 && pick(m, 3) == 0) {
        add_loop(m, nodes / 2);
        add_nodes(m, nodes / 2);
    }
    if (m->tested == m->n_open && pick(m, 2))
        add_store(m, any_dtype(m));
    for (int i = 0; i < c->n; i++) /* the carries of add_carries; some swap, some stay as they are */
        knk_next(m->s->b, c->at[i],
                 pick(m, 4) ? gathered(m, knk_dtype(m->s->b, c->at[i])) : get(m, knk_dtype(m->s->b, c->at[i])));
}

/* A loop, whose last values are nodes like others after it. */
static void add_loop(make *m, int nodes)
{
    scene *s = m->s;
    if (begun(m) == SCENE_TURNS)
        return;
    int before[KN_ID_COUNT], raw = m->n_raw, whole = m->n_whole, tested = m->tested;
    carries c = {.n = 0};
    bool condition = pick(m, 2);
    memcpy(before, m->n, sizeof before);
    m->open[m->n_open++] = begun(m);
    scene_loop(s, condition && pick(m, 2) ? KNK_NO_LIMIT : (int64_t)pick(m, 6));
    m->tested += !condition && m->tested == m->n_open - 1;
    add_carries(m, &c);
    carries values = c;
    if (condition)
        add_condition(m, &c);
    fill_loop(m, &values, nodes);
    knk_loop_end(s->b);
    memcpy(m->n, before, sizeof before);
    m->n_raw = raw;
    m->n_whole = whole;
    m->n_open--;
    m->tested = tested;
    for (int i = 0; i < c.n; i++)
        if (pick(m, 4))
            add(m, knk_last(s->b, c.at[i]));
}

void scene_random_loops(scene *s, uint64_t seed)
{
    make m = {.s = s, .seed = seed * 7919 + 13};
    scene_begin(s, 1 + pick(&m, 3), pick(&m, 8) ? pick(&m, 60) : 300);
    choose_dtypes(&m);
    int size = 1 + (int)pick(&m, pick(&m, 4) ? 12 : 50);
    for (int stage = (int)pick(&m, 3) / 2; stage >= 0; stage--) {
        scene_stage(s, -1);
        add_load(&m);
        add_nodes(&m, size / 2);
        for (int i = (int)pick(&m, 3); i >= 0; i--) {
            add_loop(&m, size);
            add_nodes(&m, size / 4);
        }
        for (int i = 1 + (int)pick(&m, 3); i > 0; i--)
            add_store(&m, any_dtype(&m));
        m.n_whole = 0;
    }
    scene_end(s);
}

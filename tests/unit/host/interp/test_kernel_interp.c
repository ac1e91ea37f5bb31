/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_interp.c -- the interpreter against plain C, one element at a time, over random kernels, extents and
 * strides; every instruction set and both directions of lanes give the same bits; reductions against a literal reading
 * of docs/determinism.md. */
#include "base/half.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/scratch.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Plain C: what a node is worth, from its operands' bits. */
typedef union bits {
    uint64_t u;
    uint32_t u32;
    uint16_t u16;
    uint8_t u8;
    float f;
    double d;
} bits;

static int64_t as_int(int d, bits v)
{
    switch (d) {
    case KN_ID_I8: return (int8_t)v.u8;
    case KN_ID_I16: return (int16_t)v.u16;
    case KN_ID_I32: return (int32_t)v.u32;
    case KN_ID_BOOL:
    case KN_ID_U8: return v.u8;
    case KN_ID_U16: return v.u16;
    case KN_ID_U32: return v.u32;
    default: return (int64_t)v.u;
    }
}

static bits from_int(int d, uint64_t v)
{
    bits b = {.u = v};
    int n = knx_dtype_table[d].size;
    if (d == KN_ID_BOOL)
        b.u = v != 0;
    else if (n < 8)
        b.u = v & (((uint64_t)1 << 8 * n) - 1);
    bits out = {.u = 0};
    switch (n) {
    case 1: out.u8 = (uint8_t)b.u; break;
    case 2: out.u16 = (uint16_t)b.u; break;
    case 4: out.u32 = (uint32_t)b.u; break;
    default: out.u = b.u;
    }
    return out;
}

static bits from_f32(float f)
{
    bits b = {.u = 0};
    b.f = f;
    return b;
}
static bits from_f64(double d)
{
    bits b = {.d = d};
    return b;
}

static double float_op(int op, double x, double y, bool f32)
{
    switch (op) {
    case KNK_ADD: return f32 ? (double)((float)x + (float)y) : x + y;
    case KNK_SUB: return f32 ? (double)((float)x - (float)y) : x - y;
    case KNK_MUL: return f32 ? (double)((float)x * (float)y) : x * y;
    case KNK_DIV: return f32 ? (double)((float)x / (float)y) : x / y;
    case KNK_REM: return f32 ? (double)fmodf((float)x, (float)y) : fmod(x, y);
    case KNK_NEG: return -x;
    case KNK_ABS: return fabs(x);
    case KNK_MIN: return x < y ? x : y;
    case KNK_MAX: return x > y ? x : y;
    case KNK_SQRT: return f32 ? (double)sqrtf((float)x) : sqrt(x);
    case KNK_RINT: return nearbyint(x);
    case KNK_FLOOR: return floor(x);
    case KNK_TRUNC: return trunc(x);
    case KNK_SCALB: return f32 ? (double)ldexpf((float)x, (int)y) : ldexp(x, (int)y);
    default: fail_msg("operation %d", op); return 0;
    }
}

static uint64_t int_op(int op, int d, int64_t x, int64_t y)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    int width = 8 * knx_dtype_table[d].size;
    bool is_signed = knk_is_signed_id(d), lt = is_signed ? x < y : a < b;
    uint64_t mask = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    switch (op) {
    case KNK_ADD: return d == KN_ID_BOOL ? a | b : a + b;
    case KNK_SUB: return a - b;
    case KNK_MUL: return a * b;
    case KNK_DIV: return y == 0 ? ~(uint64_t)0 : !is_signed ? a / b : y == -1 ? 0 - a : (uint64_t)(x / y);
    case KNK_REM: return y == 0 ? a : !is_signed ? a % b : y == -1 ? 0 : (uint64_t)(x % y);
    case KNK_NEG: return 0 - a;
    case KNK_ABS: return is_signed && x < 0 ? 0 - a : a;
    case KNK_MIN: return lt ? a : b;
    case KNK_MAX: return lt || a == b ? b : a;
    case KNK_AND: return a & b;
    case KNK_OR: return a | b;
    case KNK_XOR: return a ^ b;
    case KNK_NOT: return d == KN_ID_BOOL ? !a : ~a;
    case KNK_SHL: return (b & mask) >= (unsigned)width ? 0 : a << (b & mask);
    case KNK_SHR: return (b & mask) >= (unsigned)width ? 0 : (a & mask) >> (b & mask);
    case KNK_SAR: {
        unsigned shift = (b & mask) >= (unsigned)width ? (unsigned)width - 1 : (unsigned)(b & mask);
        int64_t top = (int64_t)(a << (64 - width)) >> (64 - width);
        return (uint64_t)(top >> shift);
    }
    default: fail_msg("operation %d", op); return 0;
    }
}

static bool compare(int op, int d, bits x, bits y)
{
    if (knk_is_float_id(d)) {
        double a = d == KN_ID_F32 ? x.f : x.d, b = d == KN_ID_F32 ? y.f : y.d;
        return op == KNK_EQ ? a == b : op == KNK_NE ? a != b : op == KNK_LT ? a < b : a <= b;
    }
    int64_t a = as_int(d, x), b = as_int(d, y);
    bool lt = knk_is_signed_id(d) ? a < b : (uint64_t)a < (uint64_t)b;
    return op == KNK_EQ ? a == b : op == KNK_NE ? a != b : op == KNK_LT ? lt : lt || a == b;
}

static bits plain(const knk_inst *n, int d, bits a, bits b, bits c)
{
    bits out = {.u = 0};
    switch (n->op) {
    case KNK_EQ:
    case KNK_NE:
    case KNK_LT:
    case KNK_LE: return from_int(KN_ID_BOOL, compare(n->op, d, a, b));
    case KNK_SELECT: return a.u8 ? b : c;
    case KNK_BITCAST: return a;
    case KNK_CAST: knx_convert(&knx_dtype_table[d], &a, &knx_dtype_table[n->dtype], &out); return out;
    case KNK_FMA: return d == KN_ID_F32 ? from_f32(fmaf(a.f, b.f, c.f)) : from_f64(fma(a.d, b.d, c.d));
    }
    if (d == KN_ID_F32)
        return from_f32((float)float_op(n->op, a.f, b.f, true));
    if (d == KN_ID_F64)
        return from_f64(float_op(n->op, a.d, b.d, false));
    return from_int(d, int_op(n->op, d, as_int(d, a), as_int(d, b)));
}

/* docs/determinism.md, literally. */
static bits combine(int how, int d, bits l, bits r)
{
    static const uint8_t op[] = {KNK_ADD, KNK_MUL, KNK_MIN, KNK_MAX, KNK_AND, KNK_OR, KNK_XOR};
    if (knk_is_float_id(d) && (how == KNK_RED_MIN || how == KNK_RED_MAX)) {
        double x = d == KN_ID_F32 ? l.f : l.d, y = d == KN_ID_F32 ? r.f : r.d;
        return (how == KNK_RED_MAX ? x > y : x < y) || x != x ? l : r;
    }
    knk_inst n = {.op = op[how]};
    return plain(&n, d, l, r, r);
}

static bits identity(int how, int d)
{
    bool f32 = d == KN_ID_F32, f64 = d == KN_ID_F64;
    double v = how == KNK_RED_MUL ? 1 : how == KNK_RED_MIN ? INFINITY : how == KNK_RED_MAX ? -INFINITY : 0;
    if (f32 || f64)
        return f32 ? from_f32((float)v) : from_f64(v);
    int width = 8 * knx_dtype_table[d].size;
    bool is_signed = knk_is_signed_id(d);
    uint64_t ones = ~(uint64_t)0, top = (uint64_t)1 << (width - 1);
    uint64_t value[] = {0, 1, is_signed ? top - 1 : ones, is_signed ? top : 0, ones, 0, 0};
    return from_int(d, value[how]);
}

static bits reduce_block(int how, int d, const bits *x, int64_t n)
{
    bits acc[4][16];
    for (int g = 0; g < 4; g++)
        for (int l = 0; l < 16; l++)
            acc[g][l] = identity(how, d);
    for (int64_t i = 0; i < n; i++)
        acc[i / 16 % 4][i % 16] = combine(how, d, acc[i / 16 % 4][i % 16], x[i]);
    for (int l = 0; l < 16; l++)
        acc[0][l] = combine(how, d, combine(how, d, acc[0][l], acc[1][l]), combine(how, d, acc[2][l], acc[3][l]));
    for (int h = 8; h; h /= 2)
        for (int l = 0; l < h; l++)
            acc[0][l] = combine(how, d, acc[0][l], acc[0][l + h]);
    return acc[0][0];
}

static bits reduce_all(int how, int d, const bits *x, int64_t n)
{
    struct {
        bits v;
        int rank;
    } stack[64];
    int top = 0;
    for (int64_t at = 0; at < n || at == 0; at += 16384) {
        stack[top].v = reduce_block(how, d, x + at, n - at < 16384 ? n - at : 16384);
        stack[top++].rank = 0;
        while (top > 1 && stack[top - 1].rank == stack[top - 2].rank) {
            stack[top - 2].v = combine(how, d, stack[top - 2].v, stack[top - 1].v);
            stack[top - 2].rank++;
            top--;
        }
    }
    for (; top > 1; top--)
        stack[top - 2].v = combine(how, d, stack[top - 2].v, stack[top - 1].v);
    return stack[0].v;
}

/* A launch that owns its arrays. */
enum { MAX_BUFFERS = 24, MAX_MAPS = 48, MAX_DIMS = 8 };
typedef struct problem {
    knk_kernel *k;
    int64_t par[MAX_DIMS], inner[4][MAX_DIMS], stride[MAX_MAPS][MAX_DIMS], offset[MAX_MAPS];
    const int64_t *inner_of[4];
    knk_map_values map[MAX_MAPS];
    char *data[MAX_BUFFERS];
    size_t bytes[MAX_BUFFERS];
} problem;

static int64_t product(const int64_t *x, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        p *= x[i];
    return p;
}

static int64_t element(const problem *q, int map, int n_loops, const int64_t *index)
{
    int64_t at = q->offset[map];
    for (int d = 0; d < n_loops; d++)
        at += q->stride[map][d] * index[d];
    return at;
}

static void unravel(int64_t i, const int64_t *extent, int n, int64_t *index)
{
    for (int d = n - 1; d >= 0; d--) {
        index[d] = i % extent[d];
        i /= extent[d];
    }
}

static bits plain_node(const problem *q, char *const *data, const knk_inst *n, const bits *v, const int64_t *index)
{
    const knk_kernel *k = q->k;
    bits zero = {.u = 0}, out = zero;
    int loops = k->n_par + k->stage[n->stage].n_inner, size = knx_dtype_table[n->dtype].size;
    switch (n->op) {
    case KNK_CONST:
        return from_int(n->dtype == KN_ID_F32                             ? KN_ID_U32
                        : n->dtype == KN_ID_F16 || n->dtype == KN_ID_BF16 ? KN_ID_U16
                                                                          : n->dtype,
                        n->imm);
    case KNK_INDEX: out.u = (uint64_t)element(q, n->map, loops, index); return out;
    case KNK_LOAD:
        if (n->b >= 0 && !v[n->b].u8)
            return n->c >= 0 ? v[n->c] : zero;
        memcpy(&out, data[n->buffer] + (element(q, n->map, loops, index) + (n->a >= 0 ? (int64_t)v[n->a].u : 0)) * size,
               (size_t)size);
        return out;
    default:
        return plain(n, k->node[n->op == KNK_SELECT ? n->b : n->a].dtype, n->a >= 0 ? v[n->a] : zero,
                     n->b >= 0 ? v[n->b] : zero, n->c >= 0 ? v[n->c] : zero);
    }
}

static void plain_run(const problem *q, char *const *data)
{
    const knk_kernel *k = q->k;
    bits *v = calloc((size_t)k->n_node + 1, sizeof *v), *list[64] = {0};
    int64_t index[2 * MAX_DIMS] = {0};
    for (int i = 0; i < k->n_node; i++) /* constants are there even if their stage's loop is empty */
        if (k->node[i].op == KNK_CONST)
            v[i] = plain_node(q, data, &k->node[i], v, index);
    for (int64_t p = 0; p < product(q->par, k->n_par); p++) {
        unravel(p, q->par, k->n_par, index);
        for (int s = 0; s < k->n_stage; s++) {
            const knk_stage *st = &k->stage[s];
            int64_t n = product(q->inner[s], st->n_inner);
            int reduces = 0;
            for (int i = st->first; i < st->end; i++)
                if (k->node[i].op == KNK_REDUCE)
                    list[reduces++] = malloc((size_t)(n + 1) * sizeof(bits));
            for (int64_t e = 0; e < n; e++) {
                unravel(e, q->inner[s], st->n_inner, index + k->n_par);
                for (int i = st->first, r = 0; i < st->end; i++) { /* loads come before stores at a point */
                    const knk_inst *x = &k->node[i];
                    if (x->op == KNK_REDUCE)
                        list[r++][e] = v[x->a];
                    else if (x->op != KNK_STORE)
                        v[i] = plain_node(q, data, x, v, index);
                }
                for (int i = st->first; i < st->end; i++) {
                    const knk_inst *x = &k->node[i];
                    int size = knx_dtype_table[x->dtype].size;
                    if (x->op == KNK_STORE)
                        memcpy(data[x->buffer] + element(q, x->map, k->n_par + st->n_inner, index) * size, &v[x->a],
                               (size_t)size);
                }
            }
            for (int i = st->first, r = 0; i < st->end; i++)
                if (k->node[i].op == KNK_REDUCE) {
                    v[i] = reduce_all(k->node[i].sub, k->node[i].dtype, list[r], n);
                    free(list[r++]);
                }
        }
    }
    free(v);
}

static bool equal(int dtype, const char *a, const char *b)
{
    bits x = {.u = 0}, y = {.u = 0};
    int size = knx_dtype_table[dtype].size;
    memcpy(&x, a, (size_t)size);
    memcpy(&y, b, (size_t)size);
    if (x.u == y.u)
        return true;
    switch (dtype) {
    case KN_ID_F32: return x.f != x.f && y.f != y.f;
    case KN_ID_F64: return x.d != x.d && y.d != y.d;
    case KN_ID_F16: return isnan(knx_f16_to_f32(x.u16)) && isnan(knx_f16_to_f32(y.u16));
    case KN_ID_BF16: return isnan(knx_bf16_to_f32(x.u16)) && isnan(knx_bf16_to_f32(y.u16));
    default: return false;
    }
}

/* Runs the kernel on copies of the data with lanes in one direction, and compares with what plain C made. */
static void expect_same(const problem *q, char *const *want, int lanes, unsigned seed)
{
    char *data[MAX_BUFFERS] = {0};
    for (int b = 0; b < q->k->n_buffer; b++) {
        data[b] = malloc(q->bytes[b] + 1);
        memcpy(data[b], q->data[b], q->bytes[b]);
    }
    void *scratch = aligned_alloc(64, (interpreter_scratch(q->k) + 63) / 64 * 64);
    memset(scratch, 0xa5, interpreter_scratch(q->k));
    knk_launch l = {(void *const *)data, q->map, q->par, q->inner_of};
    knk_interpret_with(q->k, &l, scratch, lanes);
    for (int b = 0; b < q->k->n_buffer; b++) {
        int d = q->k->buffer[b].dtype, size = knx_dtype_table[d].size;
        for (size_t i = 0; i < q->bytes[b] / (size_t)size; i++)
            if (!equal(d, data[b] + i * (size_t)size, want[b] + i * (size_t)size)) {
                char *text = NULL;
                knk_text(q->k, &text);
                uint64_t got = 0, expected = 0;
                memcpy(&got, data[b] + i * (size_t)size, (size_t)size);
                memcpy(&expected, want[b] + i * (size_t)size, (size_t)size);
                fail_msg("seed %u, lanes %d: buffer %d element %zu is 0x%llx, not 0x%llx\n%s", seed, lanes, b, i,
                         (unsigned long long)got, (unsigned long long)expected, text);
            }
        free(data[b]);
    }
    free(scratch);
}

static void expect_right(const problem *q, unsigned seed)
{
    char *want[MAX_BUFFERS] = {0};
    for (int b = 0; b < q->k->n_buffer; b++) {
        want[b] = malloc(q->bytes[b] + 1);
        memcpy(want[b], q->data[b], q->bytes[b]);
    }
    plain_run(q, want);
    for (int lanes = KNK_LANES_AUTO; lanes <= KNK_LANES_COLUMN; lanes++)
        expect_same(q, want, lanes, seed);
    for (int b = 0; b < q->k->n_buffer; b++)
        free(want[b]);
}

static void release(problem *q)
{
    for (int b = 0; b < q->k->n_buffer; b++)
        free(q->data[b]);
    knk_release(q->k);
}

/* Random kernels. */
static uint64_t state_;
static uint32_t random32(void)
{
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_ >> 33) ^ (uint32_t)(state_ >> 50);
}
static int below(int n) { return (int)(random32() % (uint32_t)n); }

static void fill_random(char *data, int d, size_t bytes)
{
    int size = knx_dtype_table[d].size;
    static const double values[] = {0.0,    -0.0,   1,     -1,  0.5,  3,     INFINITY,     -INFINITY, NAN,
                                    1e-310, -1e-40, 1e300, 255, -129, 65536, 2147483648.0, -9.3e18,   1.9e19};
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        knx_scalar_bits s = {.u = {0, 0}};
        if (d == KN_ID_BOOL)
            s.u8 = random32() & 1;
        else if (knk_is_int_id(d))
            s.u64 = below(3) ? (uint64_t)(int64_t)(below(20) - 10) : (uint64_t)random32() << 32 | random32();
        else
            s = knx_scalar_from_double(&knx_dtype_table[d], below(8) ? (double)(int32_t)random32() / 1e9
                                                                     : values[below(sizeof values / sizeof *values)]);
        memcpy(data + i, &s, (size_t)size);
    }
}

typedef struct maker {
    problem *q;
    knk_builder *k;
    int n_par, n_stage, n_inner[4], n_map, n_buffer;
    knk_node pool[400];
    int stage_of[400], n_pool;
    uint8_t buffer_dtype[MAX_BUFFERS];
} maker;

static int loops_of(const maker *m) { return m->n_par + m->n_inner[m->n_stage - 1]; }
static int64_t extent_of(const maker *m, int d)
{
    return d < m->n_par ? m->q->par[d] : m->q->inner[m->n_stage - 1][d - m->n_par];
}

/* A map of the newest stage; dense: every point has its own element. Returns how many elements the buffer needs. */
static int64_t make_map(maker *m, bool dense, int *map)
{
    problem *q = m->q;
    int n = loops_of(m);
    uint8_t cls[MAX_DIMS * 2] = {0};
    int64_t low = 0, high = 0, *stride = q->stride[m->n_map];
    int64_t run = 1;
    bool reversed = below(4) == 0, natural = below(2);
    for (int i = 0; i < n; i++) {
        int d = natural || dense ? n - 1 - i : i;
        if (dense) {
            stride[d] = run;
            run *= extent_of(m, d) ? extent_of(m, d) : 1;
            if (i == 0 && below(3) == 0)
                stride[d] = run *= 2, stride[d] = 2;
        } else if (natural && below(3)) {
            stride[d] = run;
            run *= extent_of(m, d) ? extent_of(m, d) : 1;
        } else {
            stride[d] = below(3) ? below(7) - 3 : 0;
        }
        if (reversed && below(2))
            stride[d] = -stride[d];
    }
    for (int d = 0; d < n; d++) {
        int64_t far = stride[d] * (extent_of(m, d) > 0 ? extent_of(m, d) - 1 : 0);
        *(far < 0 ? &low : &high) += far;
        cls[d] = stride[d] == 0 ? KNK_STRIDE_ZERO : stride[d] == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
    }
    q->offset[m->n_map] = -low + below(3);
    *map = knk_add_map(m->k, cls);
    m->n_map++;
    return high - low + 3;
}

static int make_buffer(maker *m, int d, bool written, int64_t elements)
{
    problem *q = m->q;
    int b = knk_add_buffer(m->k, (knx_dtype_id)d, written), size = knx_dtype_table[d].size;
    q->bytes[b] = (size_t)elements * (size_t)size;
    q->data[b] = malloc(q->bytes[b] + 1);
    fill_random(q->data[b], d, q->bytes[b]);
    m->buffer_dtype[b] = (uint8_t)d;
    m->n_buffer++;
    return b;
}

static void keep(maker *m, knk_node x)
{
    if (x >= 0 && m->n_pool < 400) {
        m->pool[m->n_pool] = x;
        m->stage_of[m->n_pool++] = m->n_stage - 1;
    }
}

static knk_node any_of(maker *m, int dtype)
{
    for (int tries = 0; tries < 40 && m->n_pool; tries++) {
        knk_node x = m->pool[below(m->n_pool)];
        if ((int)knk_dtype(m->k, x) == dtype)
            return x;
    }
    if (dtype == KN_ID_F16 || dtype == KN_ID_BF16)
        return knk_const_double(m->k, (knx_dtype_id)dtype, below(9) - 4);
    return knk_const_int(m->k, (knx_dtype_id)dtype, below(9) - 4);
}

static const uint8_t dtypes[] = {KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_I64, KN_ID_U32,
                                 KN_ID_U64, KN_ID_I8,  KN_ID_U8,  KN_ID_I16, KN_ID_U16, KN_ID_BOOL};

static void make_load(maker *m)
{
    static const uint8_t more[] = {KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_I32,  KN_ID_I64, KN_ID_U8,
                                   KN_ID_I16, KN_ID_U64, KN_ID_F16, KN_ID_BF16, KN_ID_BOOL};
    if (m->n_map + 3 >= MAX_MAPS || m->n_buffer + 3 >= MAX_BUFFERS)
        return;
    int map, d = more[below(sizeof more)];
    int64_t need = make_map(m, false, &map);
    knk_node index = KNK_NONE, pred = KNK_NONE, other = KNK_NONE;
    if (below(5) == 0) { /* an index in 0 .. 7 */
        index = knk_binary(m->k, KNK_AND, knk_cast(m->k, KN_ID_I64, any_of(m, KN_ID_I32)),
                           knk_const_int(m->k, KN_ID_I64, 7));
        need += 8;
    }
    if (below(5) == 0) {
        pred = any_of(m, KN_ID_BOOL);
        if (below(2))
            other = any_of(m, d);
    }
    knk_node x = knk_load(m->k, make_buffer(m, d, false, need), map, index, pred, other);
    keep(m, x);
    if (d == KN_ID_F16 || d == KN_ID_BF16)
        keep(m, knk_cast(m->k, KN_ID_F32, x));
}

static void make_operation(maker *m)
{
    static const uint8_t op[] = {KNK_ADD,   KNK_SUB,  KNK_MUL,     KNK_DIV,  KNK_REM,  KNK_FMA,    KNK_NEG,
                                 KNK_ABS,   KNK_MIN,  KNK_MAX,     KNK_SQRT, KNK_RINT, KNK_FLOOR,  KNK_TRUNC,
                                 KNK_SCALB, KNK_AND,  KNK_OR,      KNK_XOR,  KNK_NOT,  KNK_SHL,    KNK_SHR,
                                 KNK_SAR,   KNK_EQ,   KNK_NE,      KNK_LT,   KNK_LE,   KNK_SELECT, KNK_SELECT,
                                 KNK_CAST,  KNK_CAST, KNK_BITCAST, KNK_INDEX};
    int o = op[below(sizeof op)], d = dtypes[below(sizeof dtypes)];
    knk_builder *k = m->k;
    if (o == KNK_INDEX && m->n_map + 3 < MAX_MAPS) {
        int map;
        make_map(m, false, &map);
        keep(m, knk_index(k, map));
    } else if (o == KNK_CAST) {
        static const uint8_t to[] = {KN_ID_F16, KN_ID_BF16};
        knk_node x = knk_cast(k, (knx_dtype_id)(below(4) ? d : to[below(2)]),
                              any_of(m, below(8) ? dtypes[below(sizeof dtypes)] : to[below(2)]));
        keep(m, x);
    } else if (o == KNK_BITCAST) {
        keep(m, knk_bitcast(k, below(2) ? KN_ID_F32 : KN_ID_I32, any_of(m, KN_ID_U32)));
    } else if (o == KNK_SELECT) {
        knk_node p = any_of(m, KN_ID_BOOL), x = any_of(m, d), y = any_of(m, d);
        keep(m, below(2) ? knk_select(k, p, x, y) : knk_select_cold(k, p, x, y));
    } else if (o == KNK_SCALB) {
        int f = below(2) ? KN_ID_F32 : KN_ID_F64;
        knk_node p = knk_binary(k, KNK_MAX, knk_const_double(k, (knx_dtype_id)f, 0.5),
                                knk_binary(k, KNK_MIN, knk_const_double(k, (knx_dtype_id)f, 2), any_of(m, f)));
        keep(m, knk_binary(k, KNK_SCALB, p,
                           knk_cast(k, (knx_dtype_id)f, any_of(m, below(2) ? KN_ID_I8 : KN_ID_I32 + 0 * f))));
    } else if (o != KNK_INDEX) {
        knk_inst n = {.op = (uint8_t)o,
                      .dtype = (uint8_t)d,
                      .buffer = KNK_NONE,
                      .map = KNK_NONE,
                      .a = any_of(m, d),
                      .b = KNK_NONE,
                      .c = KNK_NONE};
        if (knk_op_table[o].n_operands > 1)
            n.b = any_of(m, d);
        if (knk_op_table[o].n_operands > 2)
            n.c = any_of(m, d);
        if (knk_op_table[o].result == 'B')
            n.dtype = KN_ID_BOOL;
        if (n.a >= 0 && !knk_form_error(&n, knk_nodes(k)))
            keep(m, knk_emit(k, n));
    }
}

static bool stored(maker *m, int from_stage)
{
    int map, i = m->n_pool - 1 - below(m->n_pool < 12 ? m->n_pool : 12);
    if (m->stage_of[i] < from_stage || m->n_map + 2 >= MAX_MAPS || m->n_buffer + 2 >= MAX_BUFFERS)
        return false;
    knk_node x = m->pool[i];
    int64_t need = make_map(m, true, &map);
    knk_store(m->k, make_buffer(m, knk_dtype(m->k, x), true, need), map, x);
    return true;
}

static void make_problem(problem *q, unsigned seed)
{
    *q = (problem){0};
    state_ = seed * 2654435761u + 12345;
    random32();
    maker m = {.q = q, .n_par = below(4)};
    m.k = knk_new(m.n_par);
    static const int64_t extents[] = {1, 2, 3, 5, 7, 16, 33};
    int64_t total = 1;
    for (int d = 0; d < m.n_par; d++) {
        q->par[d] = extents[below(7)];
        if (total * q->par[d] > 3000)
            q->par[d] = 2;
        if (below(40) == 0)
            q->par[d] = 0;
        if (below(12) == 0 && total == 1)
            q->par[d] = 1500 + below(2000);
        total *= q->par[d] ? q->par[d] : 1;
    }
    int stages = 1 + below(4);
    for (int s = 0; s < stages; s++) {
        m.n_inner[s] = s == 0 && stages == 1 ? below(2) : below(3);
        int64_t inner = 1;
        for (int d = 0; d < m.n_inner[s]; d++) {
            q->inner[s][d] = below(25) == 0 ? 0 : below(3) ? extents[below(7)] : 1 + below(100);
            if (inner * q->inner[s][d] * total > 60000)
                q->inner[s][d] = 2;
            if (total < 4 && d == 0 && below(4) == 0)
                q->inner[s][d] = 1000 + below(50000);
            inner *= q->inner[s][d] ? q->inner[s][d] : 1;
        }
        q->inner_of[s] = q->inner[s];
        knk_begin_stage(m.k, m.n_inner[s]);
        m.n_stage++;
        for (int i = 0, n = 1 + below(3); i < n; i++)
            make_load(&m);
        for (int i = 0, n = below(25); i < n; i++)
            make_operation(&m);
        knk_node reduced[3];
        int reduces = m.n_inner[s] ? below(3) : 0;
        for (int i = 0; i < reduces; i++) {
            int d = dtypes[below(sizeof dtypes)];
            knk_node x = any_of(&m, d);
            reduced[i] = knk_reduce(m.k, (knk_reduction)below(knk_is_float_id(d) ? 4 : 7), x);
        }
        for (int i = 0, n = below(3) + (s == stages - 1); i < n; i++)
            stored(&m, s);
        if (m.n_inner[s]) /* what lives in this stage's loop is out of reach from now on */
            for (int i = m.n_pool - 1; i >= 0 && m.stage_of[i] == s; i--)
                m.n_pool = i;
        for (int i = 0; i < reduces; i++)
            keep(&m, reduced[i]);
        m.stage_of[m.n_pool ? m.n_pool - 1 : 0] += 0;
    }
    knx_error *e = knk_finish(m.k, &q->k);
    if (e)
        fail_msg("seed %u: %s", seed, e->message);
    for (int i = 0; i < q->k->n_map; i++)
        q->map[i] = (knk_map_values){q->offset[i], q->stride[i]};
}

static void random_kernels_agree_with_plain_c(void **state)
{
    (void)state;
    unsigned first = 1, n = getenv("KILN_TEST_LONG") ? 20000 : 600;
    if (getenv("KILN_TEST_SEED"))
        first = (unsigned)atoi(getenv("KILN_TEST_SEED")), n = 1;
    for (unsigned seed = first; seed < first + n; seed++) {
        problem q;
        make_problem(&q, seed);
        expect_right(&q, seed);
        release(&q);
    }
}

/* One reduction of one dtype over `inner` elements for `par` points; the memory is walked along rows or along columns. */
static void check_reduction(int how, int d, int64_t par, int64_t inner, bool columns)
{
    problem q = {.par = {par}, .inner = {{inner}}};
    static const uint8_t cls[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY}, one[] = {KNK_STRIDE_ONE};
    knk_builder *k = knk_new(1);
    int in = knk_add_buffer(k, (knx_dtype_id)d, false), out = knk_add_buffer(k, (knx_dtype_id)d, true);
    knk_begin_stage(k, 1);
    knk_node r = knk_reduce(k, (knk_reduction)how, knk_load(k, in, knk_add_map(k, cls), KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(k, 0);
    knk_store(k, out, knk_add_map(k, one), r);
    assert_null(knk_finish(k, &q.k));
    q.stride[0][0] = columns ? 1 : inner;
    q.stride[0][1] = columns ? par : 1;
    q.stride[1][0] = 1;
    q.inner_of[0] = q.inner[0];
    q.map[0] = (knk_map_values){0, q.stride[0]};
    q.map[1] = (knk_map_values){0, q.stride[1]};
    size_t size = knx_dtype_table[d].size;
    q.bytes[0] = (size_t)(par * inner) * size;
    q.bytes[1] = (size_t)par * size;
    q.data[0] = malloc(q.bytes[0] + 1);
    q.data[1] = calloc(q.bytes[1] + 1, 1);
    for (int64_t i = 0; i < par * inner; i++) {
        knx_scalar_bits s =
            knx_scalar_from_double(&knx_dtype_table[d], how == KNK_RED_MUL ? 1 + (double)(int32_t)random32() * 1e-12
                                                                           : (double)(int32_t)random32() / 3e6);
        memcpy(q.data[0] + (size_t)i * size, &s, size);
    }
    expect_right(&q, 0);
    release(&q);
}

static void reductions_join_in_the_written_order(void **state)
{
    (void)state;
    static const uint8_t d[] = {KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_U8, KN_ID_I64};
    static const int64_t n[] = {
        0, 1, 15, 16, 17, 63, 64, 65, 1000, 1024, 1025, 16383, 16384, 16385, 5 * 16384 + 3, 7 * 16384};
    for (size_t i = 0; i < sizeof d; i++)
        for (int how = KNK_RED_ADD; how <= (knk_is_float_id(d[i]) ? KNK_RED_MAX : KNK_RED_XOR); how++)
            for (size_t j = 0; j < sizeof n / sizeof *n; j++) {
                check_reduction(how, d[i], 3, n[j], false);
                check_reduction(how, d[i], n[j] < 2000 ? 150 : 2, n[j], true);
            }
}

KN_TEST_GROUP(test_kernel_interp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_kernels_agree_with_plain_c),
        cmocka_unit_test(reductions_join_in_the_written_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

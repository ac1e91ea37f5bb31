/* SPDX-License-Identifier: Apache-2.0
 * scale.c -- p * 2^n, for whole numbers n. (Others, and NaN where p is a number, give one thing in AVX-512 and another
 * one in C, so no program has them that matter.) What is known of n saves most of it: in the programs of e^x and its
 * relatives it lies between bounds. */
#include "host/wasm/stage.h"
#include <math.h>
#include <string.h>

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }
enum { FAR = 10 }; /* so many operations back it is looked for */

static double number_of(const knk_inst *n)
{
    uint32_t bits = (uint32_t)n->imm;
    float single;
    double value;
    memcpy(&single, &bits, sizeof single);
    memcpy(&value, &n->imm, sizeof value);
    return n->dtype == KN_ID_F32 ? (double)single : value;
}

/* Where a value lies that is not NaN. */
typedef struct range {
    double low, high;
} range;
static const range anywhere = {-INFINITY, INFINITY};
static bool is_bounded(range r) { return r.low > -INFINITY && r.high < INFINITY; }

static range product(range a, range b)
{
    if (!is_bounded(a) || !is_bounded(b))
        return anywhere;
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, t = a.high * b.high;
    return (range){fmin(fmin(p, q), fmin(r, t)), fmax(fmax(p, q), fmax(r, t))};
}

/* The larger one: where one is NaN it may be the other one, which a constant bounds, too. */
static range larger(const stage *s, const knk_inst *n, range a, range b)
{
    double low = node(s, n->a)->op == KNK_CONST ? a.low : node(s, n->b)->op == KNK_CONST ? b.low : fmin(a.low, b.low);
    return (range){low, fmax(a.high, b.high)};
}

static range turned(range a) { return (range){-a.high, -a.low}; }

/* A node whose range is known already. */
typedef struct fact {
    knk_node node;
    range range;
} fact;

static range range_of(const stage *s, knk_node x, int depth, const fact *known)
{
    const knk_inst *n = node(s, x);
    if (known && x == known->node)
        return known->range;
    if (!depth || !knk_is_float_id(n->dtype))
        return anywhere;
    if (n->op == KNK_CONST) {
        double v = number_of(n);
        return isnan(v) ? anywhere : (range){v, v};
    }
    range a = n->a >= 0 && knk_op_table[n->op].n_operands <= 2 ? range_of(s, n->a, depth - 1, known) : anywhere,
          b = n->b >= 0 && knk_op_table[n->op].n_operands == 2 ? range_of(s, n->b, depth - 1, known) : anywhere;
    switch ((int)n->op) {
    case KNK_ABS: return (range){a.low > 0 ? a.low : 0, fmax(fabs(a.low), fabs(a.high))};
    case KNK_NEG: return turned(a);
    case KNK_RINT: return (range){rint(a.low), rint(a.high)};
    case KNK_FLOOR: return (range){floor(a.low), floor(a.high)};
    case KNK_TRUNC: return (range){trunc(a.low), trunc(a.high)};
    case KNK_ADD: return is_bounded(a) && is_bounded(b) ? (range){a.low + b.low, a.high + b.high} : anywhere;
    case KNK_SUB: return is_bounded(a) && is_bounded(b) ? (range){a.low - b.high, a.high - b.low} : anywhere;
    case KNK_MUL: return product(a, b);
    case KNK_MAX: return larger(s, n, a, b);
    case KNK_MIN: return turned(larger(s, n, turned(a), turned(b)));
    default: return anywhere;
    }
}

/* How it is done. Two products: the first is exact. One alone rounds as they do where it makes numbers larger. */
typedef struct way {
    bool single, once, bounded;
    bool bare;         /* p is 1 */
    double most, bias; /* n is taken to lie between -most and most */
    int size, fraction;
} way;

static uint64_t bits_of(const way *w, double d)
{
    float g = (float)d;
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, &g, sizeof narrow);
    memcpy(&wide, &d, sizeof wide);
    return w->single ? narrow : wide;
}

static way way_of(const stage *s, const knk_inst *n)
{
    way w = {.single = n->dtype == KN_ID_F32};
    w.most = w.single ? 200 : 1200;
    w.size = w.single ? 4 : 8;
    w.fraction = w.single ? 23 : 52;
    w.bias = w.single ? 127 : 1023;
    range r = range_of(s, n->b, FAR, NULL);
    w.bounded = r.low > 1 - w.most && r.high < w.most - 1;
    w.bare = node(s, n->a)->op == KNK_CONST && number_of(node(s, n->a)) == 1;
    w.once = w.bounded && r.low >= 0 && r.high < w.bias;
    return w;
}

/* Pushes n + bias as the last digits of a large number, which has no others that a shift by `fraction` leaves. With
 * twice the bias its half has the bias once, and so has the rest. */
static void push_exponent(stage *s, const way *w, knk_node n, int part)
{
    knh_wasm_function *f = &s->f;
    if (!w->bounded) { /* the bound where it is NaN */
        knh_wasm_push_constant(s, bits_of(w, -w->most), w->size);
        knh_wasm_push(s, n, part, 0);
        knh_wasm_op0(f, w->single ? KNH_WASM_F32X4_PMAX : KNH_WASM_F64X2_PMAX);
        knh_wasm_push_constant(s, bits_of(w, w->most), w->size);
        knh_wasm_op0(f, w->single ? KNH_WASM_F32X4_PMIN : KNH_WASM_F64X2_PMIN);
    } else {
        knh_wasm_push(s, n, part, 0);
    }
    double large = w->single ? 0x1.8p23 : 0x1.8p52;
    knh_wasm_push_constant(s, bits_of(w, large + (w->once ? w->bias : 2 * w->bias)), w->size);
    knh_wasm_op0(f, w->single ? KNH_WASM_F32X4_ADD : KNH_WASM_F64X2_ADD);
}

static void shift(stage *s, const way *w)
{
    knh_wasm_i32(&s->f, w->fraction);
    knh_wasm_op0(&s->f, w->single ? KNH_WASM_I32X4_SHL : KNH_WASM_I64X2_SHL);
}

static void once(stage *s, const way *w, knk_node x, int part, int mul)
{
    const knk_inst *n = node(s, x);
    if (!w->bare)
        knh_wasm_push(s, n->a, part, 0);
    push_exponent(s, w, n->b, part), shift(s, w);
    if (!w->bare)
        knh_wasm_op0(&s->f, mul);
}

static void twice(stage *s, const way *w, knk_node x, int part, int mul)
{
    const knk_inst *n = node(s, x);
    knh_wasm_function *f = &s->f;
    int both = s->temp, half = s->temp + 1;
    push_exponent(s, w, n->b, part), knh_wasm_set(f, both);
    if (!w->bare)
        knh_wasm_push(s, n->a, part, 0);
    knh_wasm_get(f, both), knh_wasm_i32(f, 1);
    knh_wasm_op0(f, w->single ? KNH_WASM_I32X4_SHR_U : KNH_WASM_I64X2_SHR_U), knh_wasm_set(f, half);
    knh_wasm_get(f, half), shift(s, w);
    if (!w->bare)
        knh_wasm_op0(f, mul);
    knh_wasm_get(f, both), knh_wasm_get(f, half); /* the rest */
    knh_wasm_op0(f, w->single ? KNH_WASM_I32X4_SUB : KNH_WASM_I64X2_SUB), shift(s, w);
    knh_wasm_op0(f, mul);
}

static void each_part(stage *s, knk_node x, const way *w)
{
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        (w->once ? once : twice)(s, w, x, p, w->single ? KNH_WASM_F32X4_MUL : KNH_WASM_F64X2_MUL);
        knh_wasm_pop(s, x, p);
    }
}

void knh_wasm_scale(stage *s, knk_node x)
{
    way w = way_of(s, node(s, x));
    each_part(s, x, &w);
}

bool knh_wasm_scale_is_near(const stage *s, knk_node x, knk_node y, double most)
{
    way w = way_of(s, node(s, x));
    range r = range_of(s, node(s, x)->b, FAR, &(fact){y, {-most, most}});
    return !w.once && r.low > -w.bias && r.high <= w.bias;
}

/* 2^n is a number, and the product with it the only rounding. */
void knh_wasm_scale_near(stage *s, knk_node x)
{
    way w = way_of(s, node(s, x));
    w.once = w.bounded = true;
    each_part(s, x, &w);
}

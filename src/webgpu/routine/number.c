/* SPDX-License-Identifier: Apache-2.0
 * number.c -- the numbers that routines compute with, and functions of them in WGSL. */
#include "webgpu/routine/routine.h"
#include <string.h>

kn_dtype kng_work(kn_dtype d) { return d == KN_DT(F16) || d == KN_DT(BF16) ? KN_DT(F32) : d; }

kn_dtype kng_wide(kn_dtype d)
{
    if (d->size >= 4)
        return d;
    return knx_is_float(d) ? KN_DT(F32) : d->kind == 'i' ? KN_DT(I32) : d->kind == 'u' ? KN_DT(U32) : d;
}

const char *kng_type(kn_dtype d)
{
    if (knx_is_pair(d))
        return knx_is_complex(d) ? "vec2<f32>" : "vec2<u32>";
    return knw_type(kng_work(d)->id);
}

const char *kng_bits_type(kn_dtype d) { return d->size == 8 ? "vec2<u32>" : "u32"; }

bool kng_has(kn_dtype d) { return d->id < KN_ID_COUNT && d != KN_DT(F64) && d != KN_DT(C128); }

bool kng_quick(const kng_maker *m) { return !m->exact || (m->facts->exact >> KNW_FMA & 1); }

static void begin(kng_code *c, const char *name, const char *operands, const char *type, const char *result)
{
    KNG_HEAD(c, "fn %s(", name);
    for (const char *x = operands; *x; x++)
        KNG_HEAD(c, "%s%c: %s", x == operands ? "" : ", ", *x, type);
    KNG_HEAD(c, ") -> %s {\n", result);
}

static void complex_binary(kng_code *c, knk_op op)
{
    int f = KN_ID_F32;
    if (op == KNK_MUL) {
        static const char *const product[][3] = {
            {"p", "a.x", "b.x"}, {"q", "a.y", "b.y"}, {"r", "a.x", "b.y"}, {"s", "a.y", "b.x"}};
        for (int i = 0; i < 4; i++) {
            KNG_HEAD(c, "    let %s = ", product[i][0]);
            knw_apply(&c->unit, &c->head, KNK_MUL, f, product[i][1], product[i][2], NULL);
            KNG_HEAD(c, ";\n");
        }
        KNG_HEAD(c, "    return vec2<f32>(");
        knw_apply(&c->unit, &c->head, KNK_SUB, f, "p", "q", NULL);
        KNG_HEAD(c, ", ");
        knw_apply(&c->unit, &c->head, KNK_ADD, f, "r", "s", NULL);
    } else {
        KNG_HEAD(c, "    return vec2<f32>(");
        knw_apply(&c->unit, &c->head, op, f, "a.x", "b.x", NULL);
        KNG_HEAD(c, ", ");
        knw_apply(&c->unit, &c->head, op, f, "a.y", "b.y", NULL);
    }
    KNG_HEAD(c, ");\n}\n");
}

static bool is_comparison(knk_op op) { return op == KNK_EQ || op == KNK_NE || op == KNK_LT || op == KNK_LE; }

void kng_fn_binary(kng_code *c, const char *name, knk_op op, kn_dtype d)
{
    begin(c, name, "ab", kng_type(d), is_comparison(op) ? "bool" : kng_type(d));
    if (knx_is_complex(d)) {
        complex_binary(c, op);
        return;
    }
    KNG_HEAD(c, "    return ");
    knw_apply(&c->unit, &c->head, op, kng_work(d)->id, "a", "b", NULL);
    KNG_HEAD(c, ";\n}\n");
}

/* The larger, the smaller of two complex numbers: by real parts first; the one on the right where they are equal. */
static void complex_extreme(kng_code *c, const char *name, bool largest, kn_dtype d)
{
    char less[64], nan[64];
    snprintf(less, sizeof less, "%s_less", name);
    snprintf(nan, sizeof nan, "%s_nan", name);
    kng_fn_less(c, less, d);
    kng_fn_is_nan(c, nan, d);
    begin(c, name, "ab", kng_type(d), kng_type(d));
    KNG_HEAD(c, "    return select(b, a, %s(a) || (!%s(b) && %s(%s)));\n}\n", nan, nan, less,
             largest ? "b, a" : "a, b");
}

void kng_fn_join(kng_code *c, const char *name, knk_reduction how, kn_dtype d)
{
    if (knx_is_complex(d) && (how == KNK_RED_MIN || how == KNK_RED_MAX)) {
        complex_extreme(c, name, how == KNK_RED_MAX, d);
        return;
    }
    begin(c, name, "ab", kng_type(d), kng_type(d));
    if (knx_is_complex(d)) {
        complex_binary(c, how == KNK_RED_MUL ? KNK_MUL : KNK_ADD);
        return;
    }
    KNG_HEAD(c, "    return ");
    knw_join(&c->unit, &c->head, how, kng_work(d)->id, "a", "b");
    KNG_HEAD(c, ";\n}\n");
}

static void add_product(kng_code *c, const char *name, const char *a, const char *b, const char *sum)
{
    KNG_HEAD(c, "    %s = ", name);
    knw_apply(&c->unit, &c->head, KNK_FMA, KN_ID_F32, a, b, sum);
    KNG_HEAD(c, ";\n");
}

static void complex_multiply_add(kng_code *c)
{
    KNG_HEAD(c, "    var r = sum.x;\n    var i = sum.y;\n    let n = ");
    knw_apply(&c->unit, &c->head, KNK_NEG, KN_ID_F32, "a.y", NULL, NULL);
    KNG_HEAD(c, ";\n");
    add_product(c, "r", "a.x", "b.x", "r");
    add_product(c, "r", "n", "b.y", "r");
    add_product(c, "i", "a.x", "b.y", "i");
    add_product(c, "i", "a.y", "b.x", "i");
    KNG_HEAD(c, "    return vec2<f32>(r, i);\n}\n");
}

void kng_fn_multiply_add(kng_code *c, const char *name, kn_dtype d)
{
    const char *t = kng_type(d);
    KNG_HEAD(c, "fn %s(sum: %s, a: %s, b: %s) -> %s {\n", name, t, t, t, t);
    if (knx_is_complex(d)) {
        complex_multiply_add(c);
    } else if (knx_is_float(d)) {
        KNG_HEAD(c, "    return ");
        knw_apply(&c->unit, &c->head, KNK_FMA, KN_ID_F32, "a", "b", "sum");
        KNG_HEAD(c, ";\n}\n");
    } else {
        KNG_HEAD(c, "    let p = ");
        knw_apply(&c->unit, &c->head, KNK_MUL, d->id, "a", "b", NULL);
        KNG_HEAD(c, ";\n    return ");
        knw_apply(&c->unit, &c->head, KNK_ADD, d->id, "sum", "p", NULL);
        KNG_HEAD(c, ";\n}\n");
    }
}

void kng_fn_convert(kng_code *c, const char *name, kn_dtype from, kn_dtype to)
{
    begin(c, name, "a", kng_type(from), kng_type(to));
    KNG_HEAD(c, "    return ");
    if (!strcmp(kng_type(from), kng_type(to)) && (kng_work(from) == kng_work(to) || to->size >= from->size))
        KNG_HEAD(c, "a");
    else
        knw_cast(&c->unit, &c->head, kng_work(from)->id, kng_work(to)->id, "a");
    KNG_HEAD(c, ";\n}\n");
}

void kng_fn_round(kng_code *c, const char *name, kn_dtype d)
{
    begin(c, name, "a", kng_type(d), kng_type(d));
    if (kng_work(d) != d) {
        KNG_HEAD(c, "    let b = ");
        knw_cast(&c->unit, &c->head, KN_ID_F32, d->id, "a");
        KNG_HEAD(c, ";\n    return ");
        knw_cast(&c->unit, &c->head, d->id, KN_ID_F32, "b");
    } else {
        KNG_HEAD(c, "    return a");
    }
    KNG_HEAD(c, ";\n}\n");
}

void kng_zero(kng_code *c, knx_str *t, kn_dtype d)
{
    if (knx_is_pair(d))
        knx_str_printf(t, "%s()", kng_type(d));
    else
        knw_const(&c->unit, t, kng_work(d)->id, 0);
}

void kng_identity(kng_code *c, knx_str *t, knk_reduction how, kn_dtype d)
{
    if (knx_is_complex(d))
        knx_str_puts(t, how == KNK_RED_MUL ? "vec2<f32>(1.0, 0.0)" : "vec2<f32>()");
    else
        knw_identity(&c->unit, t, how, kng_work(d)->id);
}

static void apply(kng_code *c, knk_op op, const char *a, const char *b)
{
    knw_apply(&c->unit, &c->head, op, KN_ID_F32, a, b, NULL);
}

void kng_fn_less(kng_code *c, const char *name, kn_dtype d)
{
    if (!knx_is_complex(d)) {
        kng_fn_binary(c, name, KNK_LT, d);
        return;
    }
    begin(c, name, "ab", kng_type(d), "bool");
    KNG_HEAD(c, "    return ");
    apply(c, KNK_LT, "a.x", "b.x");
    KNG_HEAD(c, " || (");
    apply(c, KNK_EQ, "a.x", "b.x");
    KNG_HEAD(c, " && ");
    apply(c, KNK_LT, "a.y", "b.y");
    KNG_HEAD(c, ");\n}\n");
}

void kng_fn_is_nan(kng_code *c, const char *name, kn_dtype d)
{
    begin(c, name, "a", kng_type(d), "bool");
    if (knx_is_complex(d))
        KNG_HEAD(c, "    let b = bitcast<vec2<u32>>(a) & vec2<u32>(0x7fffffffu);\n"
                    "    return b.x > 0x7f800000u || b.y > 0x7f800000u;\n}\n");
    else if (knx_is_float(d))
        KNG_HEAD(c, "    return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u;\n}\n");
    else
        KNG_HEAD(c, "    return false;\n}\n");
}

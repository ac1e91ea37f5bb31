/* SPDX-License-Identifier: Apache-2.0
 * factors.c -- stacks of matrices, and what the elements behind a panel lose to it. */
#include "webgpu/routine/factors.h"

int64_t kng_panel(kn_dtype d, int64_t steps, int64_t wide) { return !knx_is_complex(d) && steps > wide ? 128 : 64; }

void kng_copy_numbers(kng_maker *m, kn_dtype d, uint64_t n, uint32_t from, uint32_t to, bool conjugate)
{
    kng_code c;
    kng_begin(&c, m, 64);
    if (from != to)
        kng_ref(&c, "a", d, from, KNG_BITS);
    kng_ref(&c, "b", d, to, KNG_PUT | (from == to ? KNG_BITS : 0));
    kng_each(&c, n);
    KNG_BODY(&c, "    put_b(i, bits_%s(i)%s);\n", from == to ? "b" : "a",
             conjugate ? " ^ vec2<u32>(0u, 0x80000000u)" : "");
    kng_end(&c, kng_groups(n, 64));
}

void kng_matrix_words(kng_code *c, const char *name, kn_dtype d, const kng_matrix *x, uint32_t use)
{
    const struct {
        const char *what;
        int64_t value;
    } words[] = {{"first", x->first}, {"batch", x->batch}, {"row", x->row}, {"column", x->column}};
    char word[64];
    kng_ref(c, name, d, x->ref, use);
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, "%s_%s", name, words[i].what);
        kng_word(c, word, (uint64_t)words[i].value);
    }
    KNG_HEAD(c,
             "fn place_%s(s: u32, i: u32, k: u32) -> u32 { return %s_first() + s * %s_batch() + i * %s_row() + k * "
             "%s_column(); }\n",
             name, name, name, name, name);
}

void kng_fn_minus(kng_code *c, const char *name, kn_dtype d, bool conjugate)
{
    const char *t = kng_type(d);
    KNG_HEAD(c, "fn %s(a: %s) -> %s { return ", name, t, t);
    if (knx_is_complex(d)) {
        KNG_HEAD(c, "vec2<f32>(");
        knw_apply(&c->unit, &c->head, KNK_NEG, KN_ID_F32, "a.x", NULL, NULL);
        KNG_HEAD(c, ", ");
        if (conjugate)
            KNG_HEAD(c, "a.y");
        else
            knw_apply(&c->unit, &c->head, KNK_NEG, KN_ID_F32, "a.y", NULL, NULL);
        KNG_HEAD(c, ")");
    } else {
        knw_apply(&c->unit, &c->head, KNK_NEG, KN_ID_F32, "a", NULL, NULL);
    }
    KNG_HEAD(c, "; }\n");
}

static void take_side(kng_code *c, const char *name, bool rows, const char *expression)
{
    KNG_BODY(c,
             "        if (%s0 + side < %ss() && k0 + step < steps()) {\n"
             "            let v = load_%s(place_%s(s, %s0 + side, k0 + step));\n            tile_%s[lane] = %s;\n      "
             "  }\n",
             rows ? "row" : "column", rows ? "row" : "column", name, name, rows ? "row" : "column", name, expression);
}

/* Tiles of 16 x 16, a workgroup and an invocation for each element. */
void kng_take_off(kng_maker *m, const kng_loss *x)
{
    kng_code c;
    const char *t = kng_type(x->dtype);
    if (!x->rows || !x->columns || !x->steps)
        return;
    kng_begin(&c, m, 256);
    kng_matrix_words(&c, "left", x->dtype, &x->left, KNG_LOAD);
    kng_matrix_words(&c, "right", x->dtype, &x->right, KNG_LOAD);
    kng_matrix_words(&c, "to", x->dtype, &x->to, KNG_LOAD | KNG_STORE);
    kng_word(&c, "rows", x->rows);
    kng_word(&c, "columns", x->columns);
    kng_word(&c, "steps", x->steps);
    kng_fn_multiply_add(&c, "multiply_add", x->dtype);
    kng_fn_binary(&c, "sub", KNK_SUB, x->dtype);
    KNG_HEAD(&c, "var<workgroup> tile_left: array<%s, 256>;\nvar<workgroup> tile_right: array<%s, 256>;\n", t, t);
    KNG_BODY(&c,
             "    let across = (columns() + 15u) / 16u;\n    let down = (rows() + 15u) / 16u;\n"
             "    let s = group / (across * down);\n"
             "    let row0 = group / across %% down * 16u;\n    let column0 = group %% across * 16u;\n"
             "    let side = lane / 16u;\n    let step = lane %% 16u;\n"
             "    let i = lane / 16u;\n    let j = lane %% 16u;\n    var sum = %s();\n"
             "    for (var k0 = 0u; k0 < steps(); k0 += 16u) {\n        workgroupBarrier();\n",
             t);
    take_side(&c, "left", x->left_rows, x->conjugate && knx_is_complex(x->dtype) ? "conjugate(v)" : "v");
    take_side(&c, "right", !x->left_rows, "v");
    if (x->conjugate && knx_is_complex(x->dtype)) {
        KNG_HEAD(&c, "fn conjugate(a: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x, ");
        knw_apply(&c.unit, &c.head, KNK_NEG, KN_ID_F32, "a.y", NULL, NULL);
        KNG_HEAD(&c, "); }\n");
    }
    KNG_BODY(
        &c,
        "        workgroupBarrier();\n        for (var k = 0u; k < min(16u, steps() - k0); k++) {\n"
        "            sum = multiply_add(sum, tile_left[%s * 16u + k], tile_right[%s * 16u + k]);\n        }\n    }\n"
        "    if (row0 + i < rows() && column0 + j < columns()%s) {\n"
        "        let at = place_to(s, row0 + i, column0 + j);\n"
        "        store_to(at, sub(load_to(at), sum));\n    }\n",
        x->left_rows ? "i" : "j", x->left_rows ? "j" : "i", x->lower ? " && column0 + j <= row0 + i" : "");
    kng_end(&c, x->stack * kng_groups(x->rows, 16) * kng_groups(x->columns, 16));
}

/* Of complex numbers as the primitive div, but that the two parts are divided where 1 over the scale is out of range.
 * Zeros are told apart by selections: with a branch that returns Mesa's software Vulkan gives 0 for a quotient by 0. */
void kng_fn_quotient(kng_code *c, const char *name, kn_dtype d)
{
    static const struct {
        const char *name;
        knk_op op;
    } needed[] = {{"q_add", KNK_ADD}, {"q_sub", KNK_SUB}, {"q_mul", KNK_MUL}, {"q_div", KNK_DIV}, {"q_le", KNK_LE}};
    if (!knx_is_complex(d)) {
        kng_fn_binary(c, name, KNK_DIV, d);
        return;
    }
    for (int i = 0; i < 5; i++)
        kng_fn_binary(c, needed[i].name, needed[i].op, KN_DT(F32));
    KNG_HEAD(c,
             "fn %s(x: vec2<f32>, d: vec2<f32>) -> vec2<f32> {\n"
             "    let size = bitcast<vec2<f32>>(bitcast<vec2<u32>>(d) & vec2<u32>(0x7fffffffu));\n"
             "    let by_re = q_le(size.y, size.x);\n"
             "    let big = select(d.y, d.x, by_re);\n    let small = select(d.x, d.y, by_re);\n"
             "    let ratio = q_div(small, big);\n"
             "    let zero = all(bitcast<vec2<u32>>(size) == vec2<u32>());\n"
             "    let sum = select(q_add(big, q_mul(small, ratio)), size.x, zero);\n    let scale = q_div(1.0, sum);\n"
             "    let p = select(ratio, 1.0, by_re);\n    let q = select(1.0, ratio, by_re);\n"
             "    let u = select(q_add(q_mul(x.x, p), q_mul(x.y, q)), x.x, zero);\n"
             "    let v = select(q_sub(q_mul(x.y, p), q_mul(x.x, q)), x.y, zero);\n"
             "    if ((bitcast<u32>(scale) & 0x7fffffffu) < 0x7f800000u) { return vec2<f32>(q_mul(u, scale), q_mul(v, "
             "scale)); }\n"
             "    return vec2<f32>(q_div(u, sum), q_div(v, sum));\n}\n",
             name);
}

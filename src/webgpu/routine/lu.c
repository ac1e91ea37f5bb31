/* SPDX-License-Identifier: Apache-2.0
 * lu.c -- LU factors on the device, panel by panel: a workgroup factors the panel's columns and finds the pivots; an
 * invocation goes along each other column, whose rows change places and, behind the panel, become U; then the elements
 * behind the panel lose what it contributes. */
#include "prim/linalg/matrices.h"
#include "webgpu/routine/factors.h"
#include "webgpu/routine/kinds.h"

typedef struct factors {
    kng_maker *m;
    kn_dtype dtype;
    uint64_t stack, rows, columns, steps;
    kng_matrix a;
} factors;

static void words(kng_code *c, const factors *x, uint64_t first, uint64_t width)
{
    kng_word(c, "rows", x->rows);
    kng_word(c, "columns", x->columns);
    kng_word(c, "all_steps", x->steps);
    kng_word(c, "panel", first);
    kng_word(c, "width", width);
    kng_fn_multiply_add(c, "multiply_add", x->dtype);
    kng_fn_minus(c, "minus", x->dtype, false);
}

static void size_function(kng_code *c, kn_dtype d)
{
    KNG_HEAD(c, "fn size_of(v: %s) -> f32 {\n", kng_type(d));
    if (knx_is_complex(d)) {
        KNG_HEAD(c, "    let re = ");
        knw_apply(&c->unit, &c->head, KNK_ABS, KN_ID_F32, "v.x", NULL, NULL);
        KNG_HEAD(c, ";\n    let im = ");
        knw_apply(&c->unit, &c->head, KNK_ABS, KN_ID_F32, "v.y", NULL, NULL);
        KNG_HEAD(c, ";\n    return ");
        knw_apply(&c->unit, &c->head, KNK_ADD, KN_ID_F32, "re", "im", NULL);
    } else {
        KNG_HEAD(c, "    return ");
        knw_apply(&c->unit, &c->head, KNK_ABS, KN_ID_F32, "v", NULL, NULL);
    }
    KNG_HEAD(c, ";\n}\n");
}

/* Statements: `best`, the size's bits and one more, and `at` of the largest number of column j from row j on. Bits of
 * sizes have the order of sizes; 0 is none, as a NaN is. */
static void find_pivot(kng_code *c)
{
    KNG_HEAD(c, "var<workgroup> bests: array<u32, 256>;\nvar<workgroup> places: array<u32, 256>;\n");
    KNG_BODY(c, "        var best = 0u;\n        var at = j;\n"
                "        for (var i = j + lane; i < rows(); i += 256u) {\n"
                "            let b = bitcast<u32>(size_of(load_lu(place_lu(s, i, j)))) + 1u;\n"
                "            if (b <= 0x7f800001u && b > best) { best = b; at = i; }\n        }\n"
                "        bests[lane] = best;\n        places[lane] = at;\n"
                "        for (var h = 128u; h > 0u; h >>= 1u) {\n            workgroupBarrier();\n"
                "            if (lane < h) {\n                let b = bests[lane + h];\n                let k = "
                "places[lane + h];\n"
                "                if (b > bests[lane] || (b == bests[lane] && k < places[lane])) { bests[lane] = b; "
                "places[lane] = k; }\n"
                "            }\n        }\n        workgroupBarrier();\n"
                "        var p = places[0];\n"
                "        let own = bitcast<u32>(size_of(load_lu(place_lu(s, j, j))));\n"
                "        if (own > 0x7f800000u) { p = j; }\n");
}

static void factor_panel(const factors *x, uint64_t first, uint64_t width)
{
    kng_code c;
    kng_begin(&c, x->m, 256);
    kng_matrix_words(&c, "lu", x->dtype, &x->a, KNG_LOAD | KNG_STORE);
    kng_ref(&c, "pivots", KN_DT(I32), 2, KNG_PUT);
    words(&c, x, first, width);
    size_function(&c, x->dtype);
    kng_fn_quotient(&c, "quotient", x->dtype);
    KNG_HEAD(&c, "fn is_zero(v: %s) -> bool { return %s; }\n", kng_type(x->dtype),
             knx_is_complex(x->dtype) ? "all((bitcast<vec2<u32>>(v) << vec2<u32>(1u)) == vec2<u32>())"
                                      : "(bitcast<u32>(v) << 1u) == 0u");
    KNG_BODY(&c, "    let s = group;\n    let end = panel() + width();\n"
                 "    for (var j = panel(); j < end; j++) {\n        storageBarrier();\n");
    find_pivot(&c);
    KNG_BODY(&c, "        storageBarrier();\n"
                 "        if (lane == 0u) { put_pivots(s * all_steps() + j, p); }\n"
                 "        for (var k = panel() + lane; k < end && p != j; k += 256u) {\n"
                 "            let a = load_lu(place_lu(s, j, k));\n            let b = load_lu(place_lu(s, p, k));\n"
                 "            store_lu(place_lu(s, j, k), b);\n            store_lu(place_lu(s, p, k), a);\n        }\n"
                 "        storageBarrier();\n"
                 "        let u = load_lu(place_lu(s, j, j));\n"
                 "        for (var i = j + 1u + lane; i < rows(); i += 256u) {\n"
                 "            var l = load_lu(place_lu(s, i, j));\n"
                 "            if (!is_zero(u)) { l = quotient(l, u); store_lu(place_lu(s, i, j), l); }\n"
                 "            l = minus(l);\n"
                 "            for (var k = j + 1u; k < end; k++) {\n"
                 "                let at = place_lu(s, i, k);\n"
                 "                store_lu(at, multiply_add(load_lu(at), l, load_lu(place_lu(s, j, k))));\n"
                 "            }\n        }\n    }\n");
    kng_end(&c, x->stack);
}

static void other_columns(const factors *x, uint64_t first, uint64_t width)
{
    kng_code c;
    uint64_t others = x->columns - width;
    if (!others)
        return;
    kng_begin(&c, x->m, 64);
    kng_matrix_words(&c, "lu", x->dtype, &x->a, KNG_LOAD | KNG_STORE);
    kng_ref(&c, "pivots", KN_DT(I32), 2, KNG_BITS);
    words(&c, x, first, width);
    kng_word(&c, "others", others);
    kng_each(&c, x->stack * others);
    KNG_BODY(
        &c,
        "    let s = i / others();\n    var k = i %% others();\n    let behind = k >= panel();\n"
        "    if (behind) { k += width(); }\n"
        "    let end = panel() + width();\n"
        "    for (var j = panel(); j < end; j++) {\n"
        "        let p = bits_pivots(s * all_steps() + j);\n"
        "        if (p != j) {\n"
        "            let a = load_lu(place_lu(s, j, k));\n"
        "            store_lu(place_lu(s, j, k), load_lu(place_lu(s, p, k)));\n"
        "            store_lu(place_lu(s, p, k), a);\n        }\n    }\n"
        "    for (var j = panel(); j < end && behind; j++) {\n"
        "        var v = load_lu(place_lu(s, j, k));\n"
        "        for (var q = panel(); q < j; q++) {\n"
        "            v = multiply_add(v, minus(load_lu(place_lu(s, j, q))), load_lu(place_lu(s, q, k)));\n        }\n"
        "        store_lu(place_lu(s, j, k), v);\n    }\n");
    kng_end(&c, kng_groups(x->stack * others, 64));
}

/* Function: element k of a permutation changes places with the one that a pivot says. */
static void permute(kng_maker *m, uint64_t stack, uint64_t n, uint64_t size, uint32_t pivots, uint32_t to)
{
    kng_code c;
    kng_begin(&c, m, 64);
    kng_ref(&c, "pivots", KN_DT(I32), pivots, KNG_LOAD);
    kng_ref(&c, "y", KN_DT(I32), to, KNG_LOAD | KNG_STORE);
    kng_word(&c, "n", n);
    kng_word(&c, "size", size);
    kng_each(&c, stack);
    KNG_BODY(&c, "    for (var k = 0u; k < size(); k++) { store_y(i * size() + k, i32(k)); }\n"
                 "    for (var k = 0u; k < min(n(), size()); k++) {\n"
                 "        let p = load_pivots(i * n() + k);\n"
                 "        if (p >= 0 && p < i32(size())) {\n"
                 "            let a = load_y(i * size() + k);\n            let at = i * size() + u32(p);\n"
                 "            store_y(i * size() + k, load_y(at));\n            store_y(at, a);\n        }\n    }\n");
    kng_end(&c, kng_groups(stack, 64));
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_factorize *q = kng_params(p, s);
    knp_extents e = knp_extents_of(s->u.r.xt[0]);
    uint64_t m = (uint64_t)e.m, w = (uint64_t)kng_panel(s->u.r.xt[0].dtype, e.m < e.n ? e.m : e.n, 512);
    if (q->check != KN_CHECK_NONE)
        return "it raises no errors";
    if (!kng_turns(f, w * ((m / 256 + 1) * (w / 2 + 2) + 10)) || !kng_turns(f, 2 * m))
        return KNG_TOO_MANY_TURNS;
    return f->lanes < 256 ? "workgroups of fewer than 256 invocations" : kng_unfit(s);
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    knp_extents e = knp_extents_of(s->u.r.xt[0]);
    kn_dtype d = s->u.r.xt[0].dtype;
    int64_t steps = e.m < e.n ? e.m : e.n;
    kng_make(&m, f, exact, p, s, at, arena, out);
    factors x = {&m, d, (uint64_t)e.batch, (uint64_t)e.m, (uint64_t)e.n, (uint64_t)steps, {1, 0, e.m * e.n, e.n, 1}};
    if (!e.batch || !e.m)
        return NULL;
    kng_copy_numbers(&m, d, x.stack * x.rows * x.columns, 0, 1, false);
    for (int64_t q = 0, panel = kng_panel(d, steps, 512); q < steps; q += panel) {
        int64_t w = steps - q < panel ? steps - q : panel;
        factor_panel(&x, (uint64_t)q, (uint64_t)w);
        other_columns(&x, (uint64_t)q, (uint64_t)w);
        kng_matrix upper = kng_matrix_at(&x.a, q, q + w);
        kng_take_off(&m, &(kng_loss){d, x.stack, (uint64_t)(e.m - q - w), (uint64_t)(e.n - q - w), (uint64_t)w,
                                     kng_matrix_at(&x.a, q + w, q), kng_turned(&upper),
                                     kng_matrix_at(&x.a, q + w, q + w), true, false, false});
    }
    permute(&m, x.stack, x.steps, x.rows, 2, 3);
    return kng_made(&m);
}

const kng_kind kng_lu = {.refuses = refuses, .plan = plan};

static const char *permutation_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_lu_pivots_to_permutation *q = kng_params(p, s);
    return kng_turns(f, 2 * (uint64_t)q->permutation_size) ? kng_unfit(s) : KNG_TOO_MANY_TURNS;
}

static knx_error *permutation_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                                   const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kni_type x = s->u.r.xt[0];
    uint64_t n = (uint64_t)x.dim[x.ndim - 1], stack = 1;
    uint64_t size = (uint64_t)((const kni_p_lu_pivots_to_permutation *)kng_params(p, s))->permutation_size;
    for (int i = 0; i < x.ndim - 1; i++)
        stack *= (uint64_t)x.dim[i];
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (size)
        permute(&m, stack, n, size, 0, 1);
    return kng_made(&m);
}

const kng_kind kng_permutation = {.refuses = permutation_refuses, .plan = permutation_plan};

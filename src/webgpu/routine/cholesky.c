/* SPDX-License-Identifier: Apache-2.0
 * cholesky.c -- Cholesky factors on the device, panel by panel: a workgroup factors the square on the diagonal, an
 * invocation divides each row below it, and the elements behind the panel lose what it contributes. */
#include "prim/linalg/matrices.h"
#include "webgpu/routine/factors.h"
#include "webgpu/routine/kinds.h"

typedef struct cholesky {
    kng_maker *m;
    kn_dtype dtype;
    uint64_t stack, n;
    kng_matrix l;
    uint64_t failed; /* a word for each matrix, in the scratch */
} cholesky;

/* The lower triangle, and zeros above it. */
static void begin(const cholesky *x)
{
    kng_code c;
    uint64_t all = x->stack * x->n * x->n;
    kng_begin(&c, x->m, 64);
    kng_ref(&c, "a", x->dtype, 0, KNG_BITS);
    kng_ref(&c, "l", x->dtype, 1, KNG_PUT);
    kng_room(&c, "failed", KN_DT(U32), x->failed, KNG_PUT);
    kng_word(&c, "n", x->n);
    kng_each(&c, all);
    KNG_BODY(&c,
             "    let row = i / n() %% n();\n    let column = i %% n();\n"
             "    if (column <= row) { put_l(i, bits_a(i)); } else { put_l(i, %s()); }\n"
             "    if (row == 0u && column == 0u) { put_failed(i / (n() * n()), 0u); }\n",
             kng_bits_type(x->dtype));
    kng_end(&c, kng_groups(all, 64));
}

static void functions(kng_code *c, const cholesky *x)
{
    kn_dtype d = x->dtype;
    bool complex = knx_is_complex(d);
    kng_fn_multiply_add(c, "multiply_add", d);
    kng_fn_minus(c, "minus_left", d, true);
    kng_fn_binary(c, "quotient", KNK_DIV, KN_DT(F32));
    KNG_HEAD(c, "fn real(v: %s) -> f32 { return v%s; }\n", kng_type(d), complex ? ".x" : "");
    KNG_HEAD(c, "fn divided(v: %s, d: f32) -> %s { return %s; }\n", kng_type(d), kng_type(d),
             complex ? "vec2<f32>(quotient(v.x, d), quotient(v.y, d))" : "quotient(v, d)");
    KNG_HEAD(c, "fn root(v: f32) -> f32 { return ");
    knw_apply(&c->unit, &c->head, KNK_SQRT, KN_ID_F32, "v", NULL, NULL);
    KNG_HEAD(
        c, "; }\nfn no_pivot(v: f32) -> bool { let b = bitcast<u32>(v); return (b << 1u) == 0u || (b > 0x80000000u && "
           "b <= 0xff800000u); }\n");
}

static void square(const cholesky *x, const kng_matrix *panel, uint64_t width)
{
    kng_code c;
    kng_begin(&c, x->m, 64);
    kng_matrix_words(&c, "l", x->dtype, panel, KNG_LOAD | KNG_STORE);
    kng_room(&c, "failed", KN_DT(U32), x->failed, KNG_PUT);
    kng_word(&c, "width", width);
    functions(&c, x);
    KNG_BODY(&c,
             "    let s = group;\n"
             "    for (var k = 0u; k < width(); k++) {\n"
             "        storageBarrier();\n"
             "        if (lane == 0u) {\n"
             "            let v = real(load_l(place_l(s, k, k)));\n"
             "            if (no_pivot(v)) { put_failed(s, 1u); }\n"
             "            store_l(place_l(s, k, k), %s);\n"
             "        }\n"
             "        storageBarrier();\n"
             "        let d = real(load_l(place_l(s, k, k)));\n"
             "        for (var i = k + 1u + lane; i < width(); i += 64u) {\n"
             "            let at = place_l(s, i, k);\n            store_l(at, divided(load_l(at), d));\n        }\n"
             "        storageBarrier();\n"
             "        let rest = width() - k - 1u;\n"
             "        for (var e = lane; e < rest * rest; e += 64u) {\n"
             "            let i = k + 1u + e / rest;\n            let j = k + 1u + e %% rest;\n"
             "            if (j <= i) {\n                let at = place_l(s, i, j);\n"
             "                store_l(at, multiply_add(load_l(at), minus_left(load_l(place_l(s, j, k))), "
             "load_l(place_l(s, i, k))));\n            }\n        }\n    }\n",
             knx_is_complex(x->dtype) ? "vec2<f32>(root(v), 0.0)" : "root(v)");
    kng_end(&c, x->stack);
}

/* Rows below the square: each becomes L by itself. */
static void rows_below(const cholesky *x, const kng_matrix *panel, uint64_t width, uint64_t rows)
{
    kng_code c;
    kng_begin(&c, x->m, 64);
    kng_matrix_words(&c, "l", x->dtype, panel, KNG_LOAD | KNG_STORE);
    kng_word(&c, "width", width);
    kng_word(&c, "rows", rows);
    functions(&c, x);
    kng_each(&c, x->stack * rows);
    KNG_BODY(&c, "    let s = i / rows();\n    let row = width() + i %% rows();\n"
                 "    for (var j = 0u; j < width(); j++) {\n"
                 "        var v = load_l(place_l(s, row, j));\n"
                 "        for (var k = 0u; k < j; k++) {\n"
                 "            v = multiply_add(v, minus_left(load_l(place_l(s, j, k))), load_l(place_l(s, row, k)));\n "
                 "       }\n"
                 "        store_l(place_l(s, row, j), divided(v, real(load_l(place_l(s, j, j)))));\n    }\n");
    kng_end(&c, kng_groups(x->stack * rows, 64));
}

/* Lower triangles of matrices that have no factor are NaN. */
static void finish(const cholesky *x)
{
    kng_code c;
    uint64_t all = x->stack * x->n * x->n;
    kng_begin(&c, x->m, 64);
    kng_ref(&c, "l", x->dtype, 1, KNG_PUT);
    kng_room(&c, "failed", KN_DT(U32), x->failed, KNG_BITS);
    kng_word(&c, "n", x->n);
    kng_each(&c, all);
    KNG_BODY(
        &c,
        "    if (bits_failed(i / (n() * n())) != 0u && i %% n() <= i / n() %% n()) { put_l(i, %s(0x7fc00000u)); }\n",
        kng_bits_type(x->dtype));
    kng_end(&c, kng_groups(all, 64));
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_factorize *q = kng_params(p, s);
    if (q->check != KN_CHECK_NONE)
        return "it raises no errors";
    return f->lanes < 256 ? "workgroups of fewer than 256 invocations" : kng_unfit(s);
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    knp_extents e = knp_extents_of(s->u.r.xt[0]);
    kn_dtype d = s->u.r.xt[0].dtype;
    kng_make(&m, f, exact, p, s, at, arena, out);
    cholesky x = {&m, d, (uint64_t)e.batch, (uint64_t)e.n, {1, 0, e.n * e.n, e.n, 1}, 0};
    if (!e.batch || !e.n)
        return NULL;
    x.failed = kng_scratch(&m, 4 * x.stack);
    begin(&x);
    for (int64_t q = 0, panel = kng_panel(d, e.n, 256); q < e.n; q += panel) {
        int64_t w = e.n - q < panel ? e.n - q : panel, left = e.n - q - w;
        kng_matrix here = kng_matrix_at(&x.l, q, q), below = kng_matrix_at(&x.l, q + w, q);
        square(&x, &here, (uint64_t)w);
        if (!left)
            break;
        rows_below(&x, &here, (uint64_t)w, (uint64_t)left);
        kng_take_off(&m, &(kng_loss){d, x.stack, (uint64_t)left, (uint64_t)left, (uint64_t)w, below, below,
                                     kng_matrix_at(&x.l, q + w, q + w), false, true, true});
    }
    finish(&x);
    return kng_made(&m);
}

const kng_kind kng_cholesky = {.refuses = refuses, .plan = plan};

/* SPDX-License-Identifier: Apache-2.0
 * find.c -- searchsorted, argmax, argmin: positions of elements, found by their images. */
#include "webgpu/routine/kinds.h"

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    (void)f, (void)p;
    return kng_unfit(s);
}

/* ---- searchsorted */

static knx_error *search_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    const kni_p_searchsorted *q = kng_params(p, s);
    kni_type a = s->u.r.xt[0], v = s->u.r.xt[1];
    uint64_t many = 1, lines = 1;
    for (int d = 0; d < v.ndim; d++)
        *(d < q->batch ? &lines : &many) *= (uint64_t)v.dim[d];
    kng_make(&m, f, exact, p, s, at, arena, out);
    kng_begin(&c, &m, 64);
    kng_word(&c, "many", many);
    kng_word(&c, "length", (uint64_t)a.dim[q->batch]);
    kng_ref(&c, "a", a.dtype, 0, KNG_LOAD);
    kng_ref(&c, "v", v.dtype, 1, KNG_LOAD);
    kng_ref(&c, "y", KN_DT(I64), 2, KNG_PUT);
    kng_fn_image(&c, "image", a.dtype);
    KNG_HEAD(&c, "fn comes_before(a: %s, v: %s) -> bool { return ", kng_image_words(a.dtype) == 2 ? "vec2<u32>" : "u32",
             kng_image_words(a.dtype) == 2 ? "vec2<u32>" : "u32");
    if (kng_image_words(a.dtype) == 2)
        KNG_HEAD(&c, "a.x < v.x || (a.x == v.x && a.y %s v.y)", q->right ? "<=" : "<");
    else
        KNG_HEAD(&c, "a %s v", q->right ? "<=" : "<");
    KNG_HEAD(&c, "; }\n");
    kng_each(&c, lines * many);
    KNG_BODY(&c, "    let begin = i / many() * length();\n"
                 "    let wanted = image(load_v(i));\n"
                 "    var found = 0u;\n"
                 "    var rest = length();\n"
                 "    while (rest > 0u) {\n"
                 "        let half = rest - rest / 2u;\n"
                 "        if (comes_before(image(load_a(begin + found + half - 1u)), wanted)) { found += half; }\n"
                 "        rest -= half;\n"
                 "    }\n"
                 "    put_y(i, vec2<u32>(found, 0u));\n");
    kng_end(&c, kng_groups(lines * many, 64));
    return kng_made(&m);
}

const kng_kind kng_searchsorted = {.refuses = refuses, .plan = search_plan};

/* ---- argmax, argmin. Whoever stands highest stays, the first one of those that stand there. NaN stands highest. */

typedef struct search {
    kng_maker *m;
    kn_dtype dtype, index;
    bool largest;
    kng_lines l;
} search;

static void standing(kng_code *c, const search *x)
{
    bool two = kng_image_words(x->dtype) == 2;
    const char *type = two ? "vec2<u32>" : "u32";
    kng_along(c, &x->l);
    kng_ref(c, "x", x->dtype, 0, KNG_LOAD);
    kng_ref(c, "y", x->index, 1, KNG_PUT);
    kng_fn_image(c, "image", x->dtype);
    kng_fn_is_nan(c, "is_nan", x->dtype);
    KNG_HEAD(c, "fn stand(line: u32, i: u32) -> %s {\n    let a = load_x(place(line, i));\n", type);
    KNG_HEAD(c, "    if (is_nan(a)) { return %s(0xffffffffu); }\n    return %simage(a);\n}\n", type,
             x->largest ? "" : "~");
    KNG_HEAD(c, "fn above(a: %s, b: %s) -> bool { return %s; }\n", type, type,
             two ? "a.x > b.x || (a.x == b.x && a.y > b.y)" : "a > b");
    KNG_HEAD(c, "fn same(a: %s, b: %s) -> bool { return %s; }\n", type, type, two ? "all(a == b)" : "a == b");
}

static void store_position(kng_code *c, const search *x, const char *line, const char *position)
{
    if (x->index->size == 8)
        KNG_BODY(c, "put_y(%s, vec2<u32>(%s, 0u));", line, position);
    else
        KNG_BODY(c, "put_y(%s, %s);", line, position);
}

static void each_line(const search *x)
{
    kng_code c;
    kng_begin(&c, x->m, 64);
    standing(&c, x);
    kng_each(&c, x->l.lines);
    KNG_BODY(&c, "    var best = stand(i, 0u);\n    var at = 0u;\n"
                 "    for (var k = 1u; k < length(); k++) {\n"
                 "        let s = stand(i, k);\n        if (above(s, best)) { best = s; at = k; }\n    }\n    ");
    store_position(&c, x, "i", "at");
    KNG_BODY(&c, "\n");
    kng_end(&c, kng_groups(x->l.lines, 64));
}

/* A workgroup for each line. */
static void long_lines(const search *x)
{
    kng_code c;
    const char *type = kng_image_words(x->dtype) == 2 ? "vec2<u32>" : "u32";
    kng_begin(&c, x->m, 64);
    standing(&c, x);
    KNG_HEAD(&c, "var<workgroup> bests: array<%s, 64>;\nvar<workgroup> places: array<u32, 64>;\n", type);
    KNG_BODY(&c,
             "    var best = %s(0u);\n    var at = 0xffffffffu;\n"
             "    for (var k = lane; k < length(); k += 64u) {\n"
             "        let s = stand(group, k);\n"
             "        if (at == 0xffffffffu || above(s, best)) { best = s; at = k; }\n    }\n"
             "    bests[lane] = best;\n    places[lane] = at;\n"
             "    for (var h = 32u; h > 0u; h >>= 1u) {\n"
             "        workgroupBarrier();\n"
             "        if (lane < h) {\n"
             "            let s = bests[lane + h];\n            let k = places[lane + h];\n"
             "            if (above(s, bests[lane]) || (same(s, bests[lane]) && k < places[lane])) {\n"
             "                bests[lane] = s;\n                places[lane] = k;\n            }\n        }\n    }\n"
             "    if (lane == 0u) { ",
             type);
    store_position(&c, x, "group", "places[0]");
    KNG_BODY(&c, " }\n");
    kng_end(&c, x->l.lines);
}

static const char *extreme_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_argreduce *q = kng_params(p, s);
    const char *why = kng_unfit(s);
    return why || kng_turns(f, (uint64_t)s->u.r.xt[0].dim[q->axes.v[0]] / 64) ? why : KNG_TOO_MANY_TURNS;
}

static knx_error *plan(bool largest, const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                       const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    const kni_p_argreduce *q = kng_params(p, s);
    kng_make(&m, f, exact, p, s, at, arena, out);
    search x = {&m, s->u.r.xt[0].dtype, q->index_dtype, largest, kng_lines_of(s->u.r.xt[0], q->axes.v[0])};
    if (x.l.length <= 64 || (x.l.lines >= 4096 && kng_turns(f, x.l.length)))
        each_line(&x);
    else
        long_lines(&x);
    return kng_made(&m);
}

static knx_error *argmax_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    return plan(true, f, exact, p, s, at, arena, out);
}

static knx_error *argmin_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    return plan(false, f, exact, p, s, at, arena, out);
}

const kng_kind kng_argmax = {.refuses = extreme_refuses, .plan = argmax_plan};
const kng_kind kng_argmin = {.refuses = extreme_refuses, .plan = argmin_plan};

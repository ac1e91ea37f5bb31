/* SPDX-License-Identifier: Apache-2.0
 * pooling.c -- windows of an array: their elements joined (reduce_window_sum, _max, _min), one of them chosen, picked,
 * and the way back. An invocation for each window, or, back, for each element. */
#include "prim/window/window.h"
#include "webgpu/routine/kinds.h"

static uint64_t product_of(const knp_window *w, bool windows)
{
    uint64_t n = 1;
    for (int d = 0; d < w->n; d++)
        n *= (uint64_t)(windows ? w->axis[d].count : w->axis[d].extent);
    return n;
}

static void axis_words(kng_code *c, const knp_window *w)
{
    for (int d = 0; d < w->n; d++) {
        const knp_window_axis *a = &w->axis[d];
        kng_words(c, "extent", d, (uint64_t)a->extent);
        kng_words(c, "base", d, (uint64_t)a->base);
        kng_words(c, "low", d, (uint64_t)a->lo);
        kng_words(c, "size", d, (uint64_t)a->size);
        kng_words(c, "step", d, (uint64_t)a->step);
        kng_words(c, "windows", d, (uint64_t)a->count);
        kng_words(c, "stride", d, (uint64_t)a->stride);
    }
    kng_word(c, "positions", (uint64_t)w->positions);
}

/* Function element(window, position): the number of the element there; 0xffffffff: there is none. */
static void element_function(kng_code *c, const knp_window *w)
{
    axis_words(c, w);
    KNG_HEAD(c, "fn element(window: u32, position: u32) -> u32 {\n"
                "    var o = window;\n    var k = position;\n    var e = 0u;\n    var scale = 1u;\n    var at = 0;\n");
    for (int d = w->n - 1; d >= 0; d--)
        KNG_HEAD(c,
                 "    at = i32((o %% windows%d()) * stride%d() + (k %% size%d()) * step%d()) - i32(low%d());\n"
                 "    o = o / windows%d();\n    k = k / size%d();\n"
                 "    if (at < 0 || at %% i32(base%d()) != 0) { return 0xffffffffu; }\n"
                 "    at = at / i32(base%d());\n"
                 "    if (at >= i32(extent%d())) { return 0xffffffffu; }\n"
                 "    e += u32(at) * scale;\n    scale *= extent%d();\n",
                 d, d, d, d, d, d, d, d, d, d, d);
    KNG_HEAD(c, "    return e;\n}\n");
}

/* The windows of the step, and the beginning of a text with an invocation for each: their number. */
static uint64_t begin(kng_code *c, kng_maker *m, knp_window *w)
{
    knp_window_read(kng_params(m->program, m->step), true, m->step->u.r.xt[0], m->step->u.r.yt, w);
    uint64_t n = product_of(w, true);
    kng_begin(c, m, 64);
    element_function(c, w);
    kng_each(c, n);
    return n;
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    knp_window w;
    const char *why = kng_unfit(s);
    knp_window_read(kng_params(p, s), true, s->u.r.xt[0], s->u.r.yt, &w);
    return why || kng_turns(f, (uint64_t)w.positions + (uint64_t)w.positions / KNR_POOL_BLOCK) ? why
                                                                                               : KNG_TOO_MANY_TURNS;
}

/* ---- joined */

static knx_error *reduce_plan(knk_reduction how, const knw_facts *f, bool exact, const knc_program *p,
                              const knc_step *s, const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    knp_window w;
    kn_dtype d = s->u.r.xt[0].dtype;
    kng_make(&m, f, exact, p, s, at, arena, out);
    uint64_t n = begin(&c, &m, &w);
    kng_ref(&c, "x", d, 0, KNG_LOAD);
    kng_ref(&c, "y", d, 1, KNG_STORE);
    kng_fn_join(&c, "join", how, d);
    KNG_HEAD(&c, "fn nothing() -> %s { return ", kng_type(d));
    kng_identity(&c, &c.head, how, d);
    KNG_HEAD(&c, "; }\n");
    KNG_BODY(&c,
             "    var total = nothing();\n"
             "    for (var b = 0u; b < positions(); b += %uu) {\n"
             "        var x = nothing();\n"
             "        for (var k = b; k < min(b + %uu, positions()); k++) {\n"
             "            let e = element(i, k);\n"
             "            if (e != 0xffffffffu) { x = join(x, load_x(e)); }\n        }\n"
             "        if (b == 0u) { total = x; } else { total = join(total, x); }\n    }\n"
             "    store_y(i, total);\n",
             KNR_POOL_BLOCK, KNR_POOL_BLOCK);
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

#define REDUCE(name, how)                                                                                  \
    static knx_error *plan_##name(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, \
                                  const kng_pattern *at, knx_arena *arena, kng_plan *out)                  \
    {                                                                                                      \
        return reduce_plan(how, f, exact, p, s, at, arena, out);                                           \
    }                                                                                                      \
    const kng_kind kng_##name = {.refuses = refuses, .plan = plan_##name};
REDUCE(window_sum, KNK_RED_ADD)
REDUCE(window_max, KNK_RED_MAX)
REDUCE(window_min, KNK_RED_MIN)

/* ---- chosen: the position that stays where one after the other comes. */

static void stays_function(kng_code *c, kn_dtype d, bool largest)
{
    kng_fn_binary(c, "no_more", KNK_LE, d);
    KNG_HEAD(c, "fn stays(best: %s, next: %s) -> bool { return no_more(%s); }\n", kng_type(d), kng_type(d),
             largest ? "next, best" : "best, next");
    KNG_HEAD(c, "fn nothing() -> %s { return ", kng_type(d));
    knw_const(&c->unit, &c->head, kng_work(d)->id, knx_scalar_extreme(kng_work(d), !largest).u[0]);
    KNG_HEAD(c, "; }\n");
}

static knx_error *choose_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    knp_window w;
    const kni_p_window *q = kng_params(p, s);
    kn_dtype d = s->u.r.xt[0].dtype, index = s->u.r.yt[0].dtype;
    kng_make(&m, f, exact, p, s, at, arena, out);
    uint64_t n = begin(&c, &m, &w);
    kng_ref(&c, "x", d, 0, KNG_LOAD);
    kng_ref(&c, "y", index, 1, KNG_PUT);
    stays_function(&c, d, q->select_prim == KN_SELECT_GE);
    KNG_BODY(&c,
             "    var best = nothing();\n    var chosen = %s;\n"
             "    for (var k = 0u; k < positions(); k++) {\n"
             "        let e = element(i, k);\n        var v = nothing();\n"
             "        if (e != 0xffffffffu) { v = load_x(e); }\n"
             "        if (!stays(best, v)%s) { best = v; chosen = k; }\n    }\n",
             q->identity ? "0xffffffffu" : "0u", q->identity ? "" : " || k == 0u");
    KNG_BODY(&c, index->size == 8 ? "    put_y(i, vec2<u32>(chosen, select(0u, 0xffffffffu, chosen == 0xffffffffu)));\n"
                                  : "    put_y(i, chosen);\n");
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

const kng_kind kng_window_choice = {.refuses = refuses, .plan = choose_plan};

/* ---- picked: the elements at these positions, 0 where there is none. */

static knx_error *pick_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                            const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    knp_window w;
    kn_dtype d = s->u.r.xt[0].dtype;
    kng_make(&m, f, exact, p, s, at, arena, out);
    uint64_t n = begin(&c, &m, &w);
    kng_ref(&c, "x", d, 0, KNG_BITS);
    kng_ref(&c, "choice", s->u.r.xt[1].dtype, 1, KNG_BITS);
    kng_ref(&c, "y", d, 2, KNG_PUT);
    kng_fn_index(&c, "choice", "choice", s->u.r.xt[1].dtype);
    KNG_BODY(&c,
             "    let k = choice(i);\n    var e = 0xffffffffu;\n"
             "    if (k >= 0 && k < i32(positions())) { e = element(i, u32(k)); }\n"
             "    if (e != 0xffffffffu) { put_y(i, bits_x(e)); } else { put_y(i, %s()); }\n",
             kng_bits_type(d));
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

const kng_kind kng_window_pick = {.refuses = refuses, .plan = pick_plan};

/* ---- placed: to each element the numbers of the windows are added whose choice it is, in the order of the windows.
 * Along each axis the windows that it lies in follow one another. */

static void windows_of_element(kng_code *c, const knp_window *w)
{
    KNG_BODY(c, "    var rest = i;\n    var all = 1u;\n");
    for (int d = w->n - 1; d >= 0; d--)
        KNG_BODY(c,
                 "    let at%d = i32(rest %% extent%d()) + i32(low%d());\n"
                 "    rest = rest / extent%d();\n"
                 "    let reach%d = at%d - i32(size%d()) + 1;\n"
                 "    let first%d = select(0, (reach%d + i32(stride%d()) - 1) / i32(stride%d()), reach%d > 0);\n"
                 "    let last%d = min(select(-1, at%d / i32(stride%d()), at%d >= 0), i32(windows%d()) - 1);\n"
                 "    let n%d = u32(max(0, last%d - first%d + 1));\n"
                 "    all *= n%d;\n",
                 d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d, d);
    KNG_BODY(c, "    for (var t = 0u; t < all; t++) {\n"
                "        var number = t;\n        var o = 0;\n        var window = 0u;\n        var scale = 1u;\n"
                "        var position = 0;\n        var across = 1;\n");
    for (int d = w->n - 1; d >= 0; d--)
        KNG_BODY(c,
                 "        o = first%d + i32(number %% n%d);\n        number = number / n%d;\n"
                 "        window += u32(o) * scale;\n        scale *= windows%d();\n"
                 "        position += (at%d - o * i32(stride%d())) * across;\n        across *= i32(size%d());\n",
                 d, d, d, d, d, d, d);
}

static knx_error *place_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                             const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    knp_window w;
    kn_dtype d = s->u.r.xt[0].dtype;
    kng_make(&m, f, exact, p, s, at, arena, out);
    knp_window_read(kng_params(p, s), false, s->u.r.yt[0], &s->u.r.xt[0], &w);
    uint64_t n = product_of(&w, false);
    kng_begin(&c, &m, 64);
    axis_words(&c, &w);
    kng_ref(&c, "source", d, 0, KNG_LOAD);
    kng_ref(&c, "choice", s->u.r.xt[1].dtype, 1, KNG_BITS);
    kng_ref(&c, "y", d, 2, KNG_STORE);
    kng_fn_index(&c, "choice", "choice", s->u.r.xt[1].dtype);
    kng_fn_binary(&c, "add", KNK_ADD, d);
    kng_fn_round(&c, "rounded", d);
    kng_each(&c, n);
    KNG_BODY(&c, "    var y = ");
    kng_zero(&c, &c.body, d);
    KNG_BODY(&c, ";\n");
    windows_of_element(&c, &w);
    KNG_BODY(&c, "        if (choice(window) == position) { y = rounded(add(y, load_source(window))); }\n    }\n"
                 "    store_y(i, y);\n");
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

/* An element lies in no more windows than a window has positions. */
static const char *place_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    knp_window w;
    const char *why = kng_unfit(s);
    knp_window_read(kng_params(p, s), false, s->u.r.yt[0], &s->u.r.xt[0], &w);
    return why || kng_turns(f, (uint64_t)w.positions) ? why : KNG_TOO_MANY_TURNS;
}

const kng_kind kng_window_place = {.refuses = place_refuses, .plan = place_plan};

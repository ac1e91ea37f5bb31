/* SPDX-License-Identifier: Apache-2.0
 * gather.c -- gather and the scatters: windows of a table at positions that are data. Scatters sort the points by where
 * they go; then each element's updates lie side by side, in the order in which they count, and one invocation takes
 * them in that order. Where no order matters nothing is sorted (tally.c). */
#include "webgpu/routine/kinds.h"
#include "webgpu/routine/scatter.h"
#include "webgpu/routine/sort.h"

/* Number i of the indices as an i32; what that cannot hold is as far out of bounds as can be. */
void kng_fn_index(kng_code *c, const char *name, const char *array, kn_dtype d)
{
    bool is_signed = d->kind == KN_KIND_INT;
    KNG_HEAD(c, "fn %s(i: u32) -> i32 {\n", name);
    if (d->size == 8) {
        KNG_HEAD(c, "    let b = bits_%s(i);\n    if (b.y == 0u && b.x < 0x80000000u) { return i32(b.x); }\n", array);
        if (is_signed)
            KNG_HEAD(c, "    if (b.y == 0xffffffffu && b.x >= 0x80000000u) { return bitcast<i32>(b.x); }\n"
                        "    if (b.y >= 0x80000000u) { return bitcast<i32>(0x80000000u); }\n");
        KNG_HEAD(c, "    return 0x7fffffff;\n}\n");
    } else if (is_signed) {
        unsigned low = 32 - 8 * d->size;
        KNG_HEAD(c, "    return bitcast<i32>(bits_%s(i) << %uu) >> %uu;\n}\n", array, low, low);
    } else {
        KNG_HEAD(c, "    return i32(min(bits_%s(i), 0x7fffffffu));\n}\n", array);
    }
}

void kng_start_function(kng_code *c, const knr_windows *w, uint32_t ref)
{
    kng_ref(c, "indices", w->index_dtype, ref, KNG_BITS);
    kng_fn_index(c, "index", "indices", w->index_dtype);
    for (int i = 0; i < w->n_index; i++) {
        kng_words(c, "index_most", i, (uint64_t)w->index_most[i]);
        kng_words(c, "index_size", i, (uint64_t)w->index_size[i]);
        kng_words(c, "index_stride", i, (uint64_t)w->index_table[i]);
    }
    KNG_HEAD(c, "fn start(at: u32) -> u32 {\n    var sum = 0u;\n    var v = 0;\n");
    for (int i = 0; i < w->n_index; i++) {
        KNG_HEAD(c, "    v = index(at + %uu);\n", (unsigned)i);
        if (w->wraps)
            KNG_HEAD(c, "    if (v < 0) { v += i32(index_size%d()); }\n", i);
        if (w->mode == KNR_OUT_CLIP)
            KNG_HEAD(c,
                     "    if (i32(index_most%d()) < 0) { return 0xffffffffu; }\n"
                     "    v = clamp(v, 0, i32(index_most%d()));\n",
                     i, i);
        else
            KNG_HEAD(c, "    if (v < 0 || v > i32(index_most%d())) { return 0xffffffffu; }\n", i);
        KNG_HEAD(c, "    sum += u32(v) * index_stride%d();\n", i);
    }
    KNG_HEAD(c, "    return sum;\n}\n");
}

static kng_bounds bounds_of(const knr_windows *w)
{
    kng_bounds b = {.dtype = w->index_dtype,
                    .ref = 1,
                    .points = 1,
                    .n = w->n_index,
                    .most = w->index_most,
                    .axis = w->index_axis,
                    .size = w->index_size,
                    .wraps = w->wraps};
    for (int i = 0; i < w->n_point; i++)
        b.points *= (uint64_t)w->point[i];
    return b;
}

/* What is out of bounds is told, and then left out. */
static void check_first(kng_maker *m, const knr_windows *w)
{
    kng_bounds b = bounds_of(w);
    if (w->mode == KNR_OUT_ERROR)
        kng_check_dispatches(m, &b);
}

/* ---- gather */

static void describe_gather(const knc_program *p, const knc_step *s, knr_windows *w, knp_indexing *how)
{
    const kni_p_gather *q = kng_params(p, s);
    *how = knp_indexing_of_gather(q);
    knp_describe_windows(how, s->u.r.xt[0], s->u.r.xt[1], s->u.r.yt[0], q->slice_sizes, true, w);
}

static const char *gather_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    knr_windows w;
    knp_indexing how;
    (void)f;
    describe_gather(p, s, &w, &how);
    kng_bounds b = bounds_of(&w);
    const char *why = w.mode == KNR_OUT_ERROR ? kng_check_refuses(&b) : NULL;
    return why ? why : kng_unfit(s);
}

static knx_error *gather_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                              const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    knr_windows w;
    knp_indexing how;
    kni_type y = s->u.r.yt[0];
    int64_t table[KN_MAX_NDIM], point[KN_MAX_NDIM], number[KN_MAX_NDIM], step = 1;
    uint64_t n = (uint64_t)kni_type_count(y);
    describe_gather(p, s, &w, &how);
    step = w.n_index;
    for (int i = w.n_point - 1; i >= 0; step *= w.point[i--])
        number[i] = step;
    for (int d = 0, of_point = 0; d < y.ndim; d++) {
        int of_window = 0;
        while (of_window < how.window.n && how.window.v[of_window] != d)
            of_window++;
        bool window = of_window < how.window.n;
        table[d] = window ? w.window_table[of_window] : w.point_table[of_point];
        point[d] = window ? 0 : number[of_point];
        of_point += !window;
    }
    kng_make(&m, f, exact, p, s, at, arena, out);
    check_first(&m, &w);
    kng_begin(&c, &m, 64);
    kng_ref(&c, "x", y.dtype, 0, KNG_BITS);
    kng_ref(&c, "y", y.dtype, 2, KNG_PUT);
    kng_start_function(&c, &w, 1);
    kng_fn_places(&c, "places", y.ndim, y.dim, 2, (const int64_t *const[]){table, point});
    kng_word(&c, "fill", w.fill.u[0]);
    kng_word(&c, "fill_high", w.fill.u[0] >> 32);
    kng_each(&c, n);
    KNG_BODY(&c,
             "    let p = places(i);\n    let begins = start(p.y);\n"
             "    if (begins == 0xffffffffu) { put_y(i, %s); } else { put_y(i, bits_x(begins + p.x)); }\n",
             y.dtype->size == 8 ? "vec2<u32>(fill(), fill_high())" : "fill()");
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

const kng_kind kng_gather = {.refuses = gather_refuses, .plan = gather_plan};

/* ---- scatter */

static void describe_scatter(const knc_program *p, const knc_step *s, knr_windows *w)
{
    knp_indexing how = knp_indexing_of_scatter(kng_params(p, s));
    knp_dims sizes = knp_window_sizes(&how, s->u.r.xt[0], s->u.r.xt[2]);
    knp_describe_windows(&how, s->u.r.xt[0], s->u.r.xt[1], s->u.r.xt[2], knp_ints(&sizes), false, w);
}

static void add_dim(kng_scattering *x, int64_t extent, int64_t dense, int64_t table, int64_t index)
{
    int i = x->n_point++;
    for (; i && x->elements && x->dense[i - 1] < dense; i--) { /* by falling stride, so in C order of the updates */
        x->extent[i] = x->extent[i - 1], x->dense[i] = x->dense[i - 1];
        x->table[i] = x->table[i - 1], x->index[i] = x->index[i - 1];
    }
    x->extent[i] = extent, x->dense[i] = dense, x->table[i] = table, x->index[i] = index;
}

static void find_dims(kng_scattering *x)
{
    const knr_windows *w = &x->w;
    int64_t step[KN_MAX_NDIM], all = w->n_index;
    x->elements = w->may_cross;
    x->points = x->window = 1;
    for (int i = w->n_point - 1; i >= 0; all *= w->point[i--])
        step[i] = all;
    for (int i = 0; i < w->n_point; i++) {
        add_dim(x, w->point[i], w->point_dense[i], w->point_table[i], step[i]);
        x->points *= (uint64_t)w->point[i];
    }
    for (int i = 0; i < w->n_window; i++) {
        if (x->elements) {
            add_dim(x, w->window[i], w->window_dense[i], w->window_table[i], 0);
            x->points *= (uint64_t)w->window[i];
            continue;
        }
        int k = x->n_window++;
        x->inside[k] = w->window[i], x->inside_dense[k] = w->window_dense[i], x->inside_table[k] = w->window_table[i];
        x->window *= (uint64_t)w->window[i];
    }
}

void kng_point_places(kng_code *c, const kng_scattering *x)
{
    kng_fn_places(c, "point", x->n_point, x->extent, 3, (const int64_t *const[]){x->dense, x->table, x->index});
}

/* The keys are where points go. */
static void keys(const kng_scattering *x, const kng_sorter *s)
{
    kng_code c;
    kng_begin(&c, x->m, 64);
    kng_start_function(&c, &x->w, 1);
    kng_point_places(&c, x);
    kng_room(&c, "records", KN_DT(U32), s->at, KNG_PUT);
    kng_each(&c, x->points);
    KNG_BODY(&c, "    let p = point(i);\n    let begins = start(p.z);\n"
                 "    put_records(2u * i, select(begins + p.y, begins, begins == 0xffffffffu));\n"
                 "    put_records(2u * i + 1u, i);\n");
    kng_end(&c, kng_groups(x->points, 64));
}

/* Function combine(x, y), of an element and an update. */
static void combine_function(kng_code *c, const kng_scattering *x)
{
    kn_dtype d = x->w.dtype;
    bool extreme = x->how == KNR_MIN || x->how == KNR_MAX;
    if (extreme && knx_is_complex(d)) {
        kng_fn_less(c, "less", d);
        kng_fn_is_nan(c, "is_nan", d);
        KNG_HEAD(c,
                 "fn join(x: vec2<f32>, y: vec2<f32>) -> vec2<f32> {\n"
                 "    return select(y, x, is_nan(x) || (!is_nan(y) && !less(%s)));\n}\n",
                 x->how == KNR_MIN ? "y, x" : "x, y");
    } else {
        kng_fn_join(c, "join",
                    x->how == KNR_ADD   ? KNK_RED_ADD
                    : x->how == KNR_MUL ? KNK_RED_MUL
                    : x->how == KNR_MIN ? KNK_RED_MIN
                                        : KNK_RED_MAX,
                    d);
    }
    kng_fn_round(c, "rounded", d);
}

/* An invocation for each element of a window of each sorted point; the first of those that go to one place works. */
static void apply(const kng_scattering *x, const kng_sorter *s)
{
    kng_code c;
    bool sets = x->how == KNR_SET;
    kng_begin(&c, x->m, 64);
    kng_point_places(&c, x);
    kng_fn_places(&c, "inside", x->n_window, x->inside, 2, (const int64_t *const[]){x->inside_dense, x->inside_table});
    kng_room(&c, "records", KN_DT(U32), s->at, KNG_BITS);
    kng_ref(&c, "updates", x->w.dtype, 2, sets ? KNG_BITS : KNG_LOAD);
    kng_ref(&c, "y", x->w.dtype, 3, sets ? KNG_PUT : KNG_LOAD | KNG_STORE);
    if (!sets)
        combine_function(&c, x);
    kng_word(&c, "points", x->points);
    kng_word(&c, "window", x->window);
    kng_each(&c, x->points * x->window);
    KNG_BODY(&c, "    let k = i / window();\n"
                 "    let key = bits_records(2u * k);\n"
                 "    if (key == 0xffffffffu) { return; }\n"
                 "    if (k > 0u) { if (bits_records(2u * k - 2u) == key) { return; } }\n"
                 "    let e = inside(i %% window());\n"
                 "    let to = key + e.y;\n");
    if (sets)
        KNG_BODY(&c, "    var last = k;\n"
                     "    while (last + 1u < points()) {\n"
                     "        if (bits_records(2u * last + 2u) != key) { break; }\n        last += 1u;\n    }\n"
                     "    put_y(to, bits_updates(point(bits_records(2u * last + 1u)).x + e.x));\n");
    else
        KNG_BODY(&c, "    var x = load_y(to);\n"
                     "    for (var j = k; j < points(); j++) {\n"
                     "        if (bits_records(2u * j) != key) { break; }\n"
                     "        x = rounded(join(x, load_updates(point(bits_records(2u * j + 1u)).x + e.x)));\n    }\n"
                     "    store_y(to, x);\n");
    kng_end(&c, kng_groups(x->points * x->window, 64));
}

static const char *scatter_refuses(knr_combine how, const knw_facts *f, const knc_program *p, const knc_step *s)
{
    kng_scattering x = {0};
    const char *why = kng_unfit(s);
    if (why)
        return why;
    describe_scatter(p, s, &x.w);
    find_dims(&x);
    kng_bounds b = bounds_of(&x.w);
    if (x.w.mode == KNR_OUT_ERROR && (why = kng_check_refuses(&b)))
        return why;
    if (kng_tallies(how, x.w.dtype))
        return NULL;
    if (!kng_turns(f, x.points)) /* all may go to one place */
        return KNG_TOO_MANY_TURNS;
    kng_lines l = {1, x.points, 1, 1};
    return kng_numbers(kng_sorter_bytes(l, 1)) ? NULL : "more updates than 31 bits can number";
}

static knx_error *scatter_plan(knr_combine how, const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                               const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_sorter sorter;
    kng_scattering x = {.m = &m, .how = how};
    kng_make(&m, f, exact, p, s, at, arena, out);
    describe_scatter(p, s, &x.w);
    find_dims(&x);
    check_first(&m, &x.w);
    if (!x.points || !x.window)
        return kng_made(&m);
    if (kng_tallies(how, x.w.dtype)) {
        kng_tally(&x);
        return kng_made(&m);
    }
    kng_sorter_make(&sorter, &m, (kng_lines){1, x.points, 1, 1}, 1);
    keys(&x, &sorter);
    kng_sort_records(&sorter);
    apply(&x, &sorter);
    return kng_made(&m);
}

#define SCATTER(name, how)                                                                                 \
    static const char *refuses_##name(const knw_facts *f, const knc_program *p, const knc_step *s)         \
    {                                                                                                      \
        return scatter_refuses(how, f, p, s);                                                              \
    }                                                                                                      \
    static knx_error *plan_##name(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, \
                                  const kng_pattern *at, knx_arena *arena, kng_plan *out)                  \
    {                                                                                                      \
        return scatter_plan(how, f, exact, p, s, at, arena, out);                                          \
    }                                                                                                      \
    const kng_kind kng_##name = {.refuses = refuses_##name, .plan = plan_##name};
SCATTER(scatter, KNR_SET)
SCATTER(scatter_add, KNR_ADD)
SCATTER(scatter_mul, KNR_MUL)
SCATTER(scatter_min, KNR_MIN)
SCATTER(scatter_max, KNR_MAX)

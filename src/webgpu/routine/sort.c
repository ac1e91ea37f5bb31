/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- sort, argsort, top_k, partition: elements taken in the order of sorted records. */
#include "webgpu/routine/kinds.h"
#include "webgpu/routine/sort.h"

static int words_of(const knc_step *s, int keys)
{
    int words = 0;
    for (int k = 0; k < keys; k++)
        words += kng_image_words(s->u.r.xt[k].dtype);
    return words;
}

static const char *unfit(const knc_step *s, int64_t axis, int keys)
{
    const char *why = kng_unfit(s);
    if (why)
        return why;
    int words = words_of(s, keys);
    if (words > KNG_MOST_WORDS)
        return "a sort by more than 15 words of keys";
    bool fits = kng_numbers(kng_sorter_bytes(kng_lines_of(s->u.r.xt[0], axis), words));
    return fits ? NULL : "a sort of more bytes than 31 bits can number";
}

static void sort_by(kng_sorter *x, kng_maker *m, const knc_step *s, int64_t axis, int keys, bool falling)
{
    kng_sorter_make(x, m, kng_lines_of(s->u.r.xt[0], axis), words_of(s, keys));
    for (int k = 0, first = 0; k < keys; k++) {
        kng_sorter_key(x, (uint32_t)k, s->u.r.xt[k].dtype, first, falling);
        first += kng_image_words(s->u.r.xt[k].dtype);
    }
    kng_sort_records(x);
}

/* For results that have `taken` of the records of each line. */
static void begin_taking(kng_code *c, const kng_sorter *x, uint64_t taken)
{
    kng_begin(c, x->m, 64);
    kng_along(c, &x->l);
    kng_word(c, "taken", taken);
    kng_record_type(c, x->words);
    kng_records(c, x, "records", x->at, KNG_BITS);
    kng_each(c, x->l.lines * taken);
    KNG_BODY(c, "    let line = i / (taken() * inner()) * inner() + i %% inner();\n"
                "    let k = i / inner() %% taken();\n");
}

/* The statement that stores element `r.at` of the line, or that position. */
static void take(kng_code *c, uint32_t from, kn_dtype d, uint32_t to, bool positions)
{
    if (positions) {
        kng_ref(c, "y", d, to, KNG_PUT);
        KNG_BODY(c, d->size == 8 ? "    put_y(i, vec2<u32>(r.at, 0u));\n" : "    put_y(i, r.at);\n");
        return;
    }
    kng_ref(c, "x", d, from, KNG_BITS);
    kng_ref(c, "y", d, to, KNG_PUT);
    KNG_BODY(c, "    put_y(i, bits_x(place(line, r.at)));\n");
}

static void take_records(const kng_sorter *x, uint64_t taken, uint32_t from, kn_dtype d, uint32_t to, bool positions)
{
    kng_code c;
    begin_taking(&c, x, taken);
    KNG_BODY(&c, "    let r = read_records(line * length() + k);\n");
    take(&c, from, d, to, positions);
    kng_end(&c, kng_groups(x->l.lines * taken, 64));
}

static bool is_empty(const kng_lines *l) { return !l->lines || !l->length; }

/* ---- sort, argsort */

static const char *sort_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_sort *q = kng_params(p, s);
    (void)f;
    return unfit(s, q->dimension, (int)q->num_keys);
}

static knx_error *sort_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                            const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_sorter x;
    const kni_p_sort *q = kng_params(p, s);
    kng_lines l = kng_lines_of(s->u.r.xt[0], q->dimension);
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (is_empty(&l))
        return NULL;
    sort_by(&x, &m, s, q->dimension, (int)q->num_keys, false);
    for (uint32_t k = 0; k < s->u.r.n_out; k++)
        take_records(&x, l.length, k, s->u.r.xt[k].dtype, s->u.r.n_in + k, false);
    return kng_made(&m);
}

const kng_kind kng_sort = {.refuses = sort_refuses, .plan = sort_plan};

static const char *argsort_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    (void)f;
    return unfit(s, ((const kni_p_argsort *)kng_params(p, s))->dimension, (int)s->u.r.n_in);
}

static knx_error *argsort_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                               const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_sorter x;
    int64_t axis = ((const kni_p_argsort *)kng_params(p, s))->dimension;
    kng_lines l = kng_lines_of(s->u.r.xt[0], axis);
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (is_empty(&l))
        return NULL;
    sort_by(&x, &m, s, axis, (int)s->u.r.n_in, false);
    take_records(&x, l.length, 0, s->u.r.yt[0].dtype, s->u.r.n_in, true);
    return kng_made(&m);
}

const kng_kind kng_argsort = {.refuses = argsort_refuses, .plan = argsort_plan};

/* ---- top_k */

static const char *top_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    (void)f;
    return unfit(s, ((const kni_p_top_k *)kng_params(p, s))->axis, 1);
}

static knx_error *top_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                           const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_sorter x;
    const kni_p_top_k *q = kng_params(p, s);
    kng_lines l = kng_lines_of(s->u.r.xt[0], q->axis);
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (is_empty(&l) || !q->k)
        return NULL;
    sort_by(&x, &m, s, q->axis, 1, true);
    take_records(&x, (uint64_t)q->k, 0, s->u.r.xt[0].dtype, 1, false);
    take_records(&x, (uint64_t)q->k, 0, s->u.r.yt[1].dtype, 2, true);
    return kng_made(&m);
}

const kng_kind kng_top_k = {.refuses = top_refuses, .plan = top_plan};

/* ---- partition: a sort finds the elements at the ranks; whole: another one puts what lies between them in its place,
 * with numbers of the elements' classes as keys, so that they stay in their order there. */

static const char *partition_refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_partition *q = kng_params(p, s);
    const char *why = unfit(s, q->dimension, 1);
    if (why)
        return why;
    if (q->whole && !kng_turns(f, (uint64_t)s->u.r.xt[1].dim[q->dimension]))
        return KNG_TOO_MANY_TURNS;
    if (!s->u.r.xt[0].dim[q->dimension] && !q->whole)
        return "a partition of nothing";
    double looks = kni_type_count(s->u.r.xt[0]) * (double)s->u.r.xt[1].dim[q->dimension];
    return q->whole && looks > 1e9 ? "a partition at many ranks" : NULL;
}

/* Functions: the rank number r of a line, as a position. */
static void rank_function(kng_code *c, uint64_t ranks)
{
    kng_word(c, "ranks", ranks);
    kng_ref(c, "rank", KN_DT(I64), 1, KNG_BITS);
    KNG_HEAD(c, "fn rank(line: u32, r: u32) -> u32 {\n"
                "    let b = bits_rank(((line / inner()) * ranks() + r) * inner() + line %% inner());\n"
                "    if (b.y >= 0x80000000u) { return 0u; }\n"
                "    return select(min(b.x, length() - 1u), length() - 1u, b.y != 0u);\n}\n");
}

static void classes(const kng_sorter *sorted, const kng_sorter *classed, kn_dtype d, uint64_t ranks)
{
    kng_code c;
    uint64_t n = sorted->l.lines * sorted->l.length;
    kng_begin(&c, sorted->m, 64);
    kng_along(&c, &sorted->l);
    kng_ref(&c, "x", d, 0, KNG_LOAD);
    kng_fn_image(&c, "image", d);
    rank_function(&c, ranks);
    kng_record_type(&c, sorted->words);
    kng_records(&c, sorted, "records", sorted->at, KNG_BITS);
    kng_room(&c, "to", KN_DT(U32), classed->at, KNG_PUT);
    kng_each(&c, n);
    KNG_BODY(&c,
             "    let line = i / length();\n    let k = i %% length();\n    let x = image(load_x(place(line, k)));\n"
             "    var class_of = 0u;\n    for (var r = 0u; r < ranks(); r++) {\n"
             "        let p = read_records(line * length() + rank(line, r));\n");
    if (kng_image_words(d) == 2)
        KNG_BODY(&c, "        let same = x.x == p.k0 && x.y == p.k1;\n"
                     "        let above = x.x > p.k0 || (x.x == p.k0 && x.y > p.k1);\n");
    else
        KNG_BODY(&c, "        let same = x == p.k0;\n        let above = x > p.k0;\n");
    KNG_BODY(&c, "        class_of += select(select(0u, 1u, same), 2u, above);\n    }\n"
                 "    put_to(2u * i, class_of);\n    put_to(2u * i + 1u, k);\n");
    kng_end(&c, kng_groups(n, 64));
}

static void take_ranks(const kng_sorter *x, const knc_step *s, uint64_t ranks, bool positions)
{
    kng_code c;
    begin_taking(&c, x, ranks);
    rank_function(&c, ranks);
    KNG_BODY(&c, "    let r = read_records(line * length() + rank(line, k));\n");
    take(&c, 0, s->u.r.yt[0].dtype, 2, positions);
    kng_end(&c, kng_groups(x->l.lines * ranks, 64));
}

static knx_error *partition_plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                                 const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_sorter x, y;
    const kni_p_partition *q = kng_params(p, s);
    kng_lines l = kng_lines_of(s->u.r.xt[0], q->dimension);
    uint64_t ranks = (uint64_t)s->u.r.xt[1].dim[q->dimension];
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (is_empty(&l))
        return NULL;
    sort_by(&x, &m, s, q->dimension, 1, false);
    if (!q->whole) {
        take_ranks(&x, s, ranks, q->positions);
        return kng_made(&m);
    }
    kng_sorter_make(&y, &m, l, 1);
    classes(&x, &y, s->u.r.xt[0].dtype, ranks);
    kng_sort_records(&y);
    take_records(&y, l.length, 0, s->u.r.yt[0].dtype, 2, q->positions);
    return kng_made(&m);
}

const kng_kind kng_partition = {.refuses = partition_refuses, .plan = partition_plan};

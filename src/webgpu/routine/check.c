/* SPDX-License-Identifier: Apache-2.0
 * check.c -- check_bounds: indices that lie outside write into the record of the run (webgpu/checks.c). Two
 * dispatches: all that are outside agree on the first one, as the host counts them (the first number of all points,
 * then the second), and then one invocation writes down what that is. A record that is written stays as it is. */
#include "webgpu/routine/kinds.h"

const char *kng_check_refuses(const kng_bounds *b)
{
    if (!kng_numbers(b->points * (uint64_t)b->n))
        return "more indices than 31 bits can number";
    for (int i = 0; i < b->n; i++)
        if (b->size[i] >= INT32_MAX || b->most[i] >= INT32_MAX)
            return "an axis of more elements than 31 bits can number";
    return NULL;
}

static void begin(kng_code *c, kng_maker *m, const kng_bounds *b)
{
    kng_begin(c, m, 64);
    kng_ref(c, "indices", b->dtype, b->ref, KNG_BITS);
    kng_record(c);
    kng_word(c, "points", b->points);
    for (int i = 0; i < b->n; i++)
        kng_words(c, "size", i, (uint64_t)b->size[i]);
}

/* Word 1 of a record: 0, or the number of the first one that is outside, counted down from the largest word. */
static void find(kng_maker *m, const kng_bounds *b)
{
    kng_code c;
    begin(&c, m, b);
    kng_fn_index(&c, "index", "indices", b->dtype);
    for (int i = 0; i < b->n; i++)
        kng_words(&c, "most", i, (uint64_t)b->most[i]);
    kng_each(&c, b->points);
    KNG_BODY(&c, "    var v = 0;\n");
    for (int i = 0; i < b->n; i++) {
        KNG_BODY(&c, "    v = index(i * %du + %du);\n", b->n, i);
        if (b->wraps)
            KNG_BODY(&c, "    if (v < 0) { v += i32(size%d()); }\n", i);
        KNG_BODY(&c,
                 "    if (v < 0 || v > bitcast<i32>(most%d())) {\n"
                 "        if (atomicLoad(&record[at_record()]) == 0u) {\n"
                 "            atomicMax(&record[at_record() + 1u], 0xffffffffu - (%du * points() + i));\n"
                 "        }\n        return;\n    }\n",
                 i, i);
    }
    kng_end(&c, kng_groups(b->points, 64));
}

static void write_down(kng_maker *m, const kng_bounds *b)
{
    kng_code c;
    begin(&c, m, b);
    for (int i = 0; i < b->n; i++)
        kng_words(&c, "axis", i, (uint64_t)b->axis[i]);
    KNG_BODY(&c,
             "    let at = at_record();\n"
             "    if (lane != 0u || atomicLoad(&record[at]) != 0u) { return; }\n"
             "    let found = atomicLoad(&record[at + 1u]);\n"
             "    if (found == 0u) { return; }\n"
             "    let number = 0xffffffffu - found;\n"
             "    let which = number / points();\n"
             "    let place = (number %% points()) * %du + which;\n",
             b->n);
    if (b->dtype->size == 8)
        KNG_BODY(&c, "    let bits = bits_indices(place);\n");
    else if (b->dtype->kind == KN_KIND_INT)
        KNG_BODY(&c,
                 "    let low = bitcast<i32>(bits_indices(place) << %uu) >> %uu;\n"
                 "    let bits = bitcast<vec2<u32>>(vec2<i32>(low, low >> 31u));\n",
                 32u - 8u * b->dtype->size, 32u - 8u * b->dtype->size);
    else
        KNG_BODY(&c, "    let bits = vec2<u32>(bits_indices(place), 0u);\n");
    KNG_BODY(&c, "    var axis = 0u;\n    var size = 0u;\n");
    for (int i = 0; i < b->n; i++)
        KNG_BODY(&c, "    if (which == %du) { axis = axis%d(); size = size%d(); }\n", i, i, i);
    KNG_BODY(&c,
             "    atomicStore(&record[at + 2u], bits.x);\n    atomicStore(&record[at + 3u], bits.y);\n"
             "    atomicStore(&record[at + 4u], axis);\n    atomicStore(&record[at + 5u], size);\n"
             "    atomicStore(&record[at + 6u], %du);\n    atomicStore(&record[at], line());\n",
             b->wraps ? 1 : 0);
    kng_end(&c, 1);
}

void kng_check_dispatches(kng_maker *m, const kng_bounds *b)
{
    if (!b->points || !b->n)
        return;
    find(m, b);
    write_down(m, b);
}

/* ---- check_bounds */

static kng_bounds bounds_of(const knc_program *p, const knc_step *s)
{
    const kni_p_check_bounds *q = kng_params(p, s);
    kni_type t = s->u.r.xt[0];
    kng_bounds b = {.dtype = t.dtype,
                    .points = 1,
                    .n = q->most.n,
                    .most = q->most.v,
                    .axis = q->axis.v,
                    .size = q->size.v,
                    .wraps = q->wraps};
    for (int d = 0; d < t.ndim - 1; d++)
        b.points *= (uint64_t)t.dim[d];
    return b;
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    kng_bounds b = bounds_of(p, s);
    const char *why = kng_check_refuses(&b);
    (void)f;
    return why ? why : kng_unfit(s);
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_bounds b = bounds_of(p, s);
    kng_make(&m, f, exact, p, s, at, arena, out);
    kng_check_dispatches(&m, &b);
    return kng_made(&m);
}

const kng_kind kng_check_bounds = {.refuses = refuses, .plan = plan};

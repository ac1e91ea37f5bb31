/* SPDX-License-Identifier: Apache-2.0
 * tally.c -- scatters whose updates may come in any order: integers that are added, the smallest and the largest of
 * integers, or and and of bools. Nothing is sorted: an invocation for each update does it by an atomic operation. Sums
 * in a small table, as those of a histogram, are made in the memory of each workgroup first, and added to the table
 * from there, so that invocations do not wait for each other's words. */
#include "webgpu/routine/scatter.h"

enum {
    LANES = 64,
    FEW = 256, /* elements of a small table: two texts, for memory that many or few workgroups have */
    MOST = 1024,
    EACH = 32,      /* updates of an invocation */
    PER_ELEMENT = 4 /* updates for each element of the table, at least: else there is little to be had */
};

/* The operation as what is done with an array; 0: there is none. */
static uint32_t use_of(knr_combine how, kn_dtype d)
{
    bool word = d == KN_DT(I32) || d == KN_DT(U32), pair = d == KN_DT(I64) || d == KN_DT(U64);
    if (d == KN_DT(BOOL))
        return how == KNR_ADD || how == KNR_MAX ? KNG_TALLY_OR : how == KNR_SET ? 0 : KNG_TALLY_AND;
    switch (how) {
    case KNR_ADD: return word || pair ? KNG_TALLY_ADD : 0;
    case KNR_MIN: return word ? KNG_TALLY_MIN : 0;
    case KNR_MAX: return word ? KNG_TALLY_MAX : 0;
    default: return 0;
    }
}

bool kng_tallies(knr_combine how, kn_dtype d) { return use_of(how, d) != 0; }

static uint64_t table_count(const kng_scattering *x) { return (uint64_t)kni_type_count(x->m->step->u.r.yt[0]); }

static void begin(kng_code *c, const kng_scattering *x)
{
    kng_begin(c, x->m, LANES);
    kng_start_function(c, &x->w, 1);
    kng_point_places(c, x);
    kng_fn_places(c, "inside", x->n_window, x->inside, 2, (const int64_t *const[]){x->inside_dense, x->inside_table});
    kng_ref(c, "updates", x->w.dtype, 2, KNG_BITS);
    kng_ref(c, "y", x->w.dtype, 3, use_of(x->how, x->w.dtype));
    kng_word(c, "window", x->window);
}

/* Statements: update i of all, unless it is left out, by `what`(place, bits). */
static void one_update(kng_code *c, const char *what)
{
    KNG_BODY(c,
             "    let p = point(i / window());\n    let begins = start(p.z);\n"
             "    if (begins != 0xffffffffu) {\n"
             "        let e = inside(i %% window());\n"
             "        %s(begins + p.y + e.y, bits_updates(p.x + e.x));\n    }\n",
             what);
}

static void by_update(const kng_scattering *x)
{
    kng_code c;
    begin(&c, x);
    kng_each(&c, x->points * x->window);
    one_update(&c, "tally_y");
    kng_end(&c, kng_groups(x->points * x->window, LANES));
}

/* The table of a workgroup: low(i), high(i) hold its words. */
static void declare_table(kng_code *c, unsigned room, bool pair)
{
    KNG_HEAD(c, "var<workgroup> low: array<atomic<u32>, %u>;\n", room);
    if (!pair) {
        KNG_HEAD(c, "fn count_one(i: u32, b: u32) { atomicAdd(&low[i], b); }\n");
        return;
    }
    KNG_HEAD(c,
             "var<workgroup> high: array<atomic<u32>, %u>;\n"
             "fn count_one(i: u32, b: vec2<u32>) {\n"
             "    let before = atomicAdd(&low[i], b.x);\n"
             "    let up = b.y + select(0u, 1u, before + b.x < b.x);\n"
             "    if (up != 0u) { atomicAdd(&high[i], up); }\n}\n",
             room);
}

static void by_workgroup(const kng_scattering *x, unsigned room)
{
    kng_code c;
    bool pair = x->w.dtype->size == 8;
    uint64_t n = x->points * x->window;
    begin(&c, x);
    declare_table(&c, room, pair);
    kng_word(&c, "updates", n);
    kng_word(&c, "elements", table_count(x));
    KNG_BODY(&c,
             "    for (var b = lane; b < elements(); b += %uu) {\n        atomicStore(&low[b], 0u);\n%s    }\n"
             "    workgroupBarrier();\n"
             "    for (var k = 0u; k < %uu; k++) {\n"
             "    let i = (group * %uu + k) * %uu + lane;\n"
             "    if (i >= updates()) { break; }\n",
             LANES, pair ? "        atomicStore(&high[b], 0u);\n" : "", EACH, EACH, LANES);
    one_update(&c, "count_one");
    KNG_BODY(&c,
             "    }\n    workgroupBarrier();\n"
             "    for (var b = lane; b < elements(); b += %uu) {\n        let l = atomicLoad(&low[b]);\n",
             LANES);
    if (pair)
        KNG_BODY(&c, "        let h = atomicLoad(&high[b]);\n"
                     "        if ((l | h) != 0u) { tally_y(b, vec2<u32>(l, h)); }\n    }\n");
    else
        KNG_BODY(&c, "        if (l != 0u) { tally_y(b, l); }\n    }\n");
    kng_end(&c, kng_groups(n, LANES * EACH));
}

void kng_tally(const kng_scattering *x)
{
    uint64_t elements = table_count(x), n = x->points * x->window;
    bool counts = x->how == KNR_ADD && x->w.dtype != KN_DT(BOOL);
    bool fits = 8 * MOST <= x->m->facts->workgroup_bytes && elements <= MOST;
    if (counts && fits && n >= PER_ELEMENT * elements && n > LANES * EACH)
        by_workgroup(x, elements <= FEW ? FEW : MOST);
    else
        by_update(x);
}

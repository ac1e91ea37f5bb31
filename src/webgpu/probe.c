/* SPDX-License-Identifier: Apache-2.0
 * probe.c -- how the device computes, found out once when it is first used: each operation on float32 with chosen and
 * random operands beside the host's results, alone and in chains that compilers like to change. */
#include "base/clock.h"
#include "base/fma.h"
#include "base/log.h"
#include "webgpu/gpu.h"
#include "webgpu/library.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

enum { CHOSEN = 40, RANDOM = 4096, CASES = CHOSEN * CHOSEN + RANDOM, RESULTS = 25 };

/* Each result: what it tells of (an operation; JOINS: a chain), its expression in WGSL, its bits here. */
enum { JOINS = KNW_OPERATIONS, WHOLE_FMA };
#define PROBES(X)                                                                   \
    X(KNW_ADD, "bitcast<u32>(a + b)", F(a + b))                                     \
    X(KNW_ADD, "bitcast<u32>(a - b)", F(a - b))                                     \
    X(KNW_MUL, "bitcast<u32>(a * b)", F(a *b))                                      \
    X(KNW_DIV, "bitcast<u32>(a / b)", F(a / b))                                     \
    X(KNW_SQRT, "bitcast<u32>(sqrt(a))", F(sqrtf(a)))                               \
    X(KNW_FMA, "bitcast<u32>(fma(a, b, c))", F(knx_fmaf(a, b, c)))                  \
    X(KNW_COMPARE, "select(0u, 1u, a < b)", a < b)                                  \
    X(KNW_COMPARE, "select(0u, 1u, a <= b)", a <= b)                                \
    X(KNW_COMPARE, "select(0u, 1u, a == b)", a == b)                                \
    X(KNW_COMPARE, "select(0u, 1u, !(a == b))", a != b)                             \
    X(KNW_CONVERT, "bitcast<u32>(f32(bitcast<i32>(x)))", F((float)(int32_t)x))      \
    X(KNW_CONVERT, "bitcast<u32>(f32(x))", F((float)x))                             \
    X(JOINS, "bitcast<u32>(a * b + c)", F(rounded(a *b) + c))                       \
    X(JOINS, "bitcast<u32>(a * b - c)", F(rounded(a *b) - c))                       \
    X(JOINS, "bitcast<u32>(c - a * b)", F(c - rounded(a * b)))                      \
    X(JOINS, "bitcast<u32>(a - a)", F(a - a))                                       \
    X(JOINS, "bitcast<u32>((a + b) - a)", F(rounded(a + b) - a))                    \
    X(JOINS, "bitcast<u32>((a - b) + b)", F(rounded(a - b) + b))                    \
    X(JOINS, "bitcast<u32>((a + b) - (a + c))", F(rounded(a + b) - rounded(a + c))) \
    X(JOINS, "bitcast<u32>(a * b + a * c)", F(rounded(a *b) + rounded(a * c)))      \
    X(JOINS, "bitcast<u32>(a / a)", F(a / a))                                       \
    X(JOINS, "bitcast<u32>(a * 0.0)", F(a * 0.0f))                                  \
    X(JOINS, "bitcast<u32>(a + 0.0)", F(a + 0.0f))                                  \
    X(JOINS, "bitcast<u32>((a * b) * c)", F(rounded(a *b) * c))                     \
    X(JOINS, "(x & 0x80000000u) | bitcast<u32>(abs(b))", F(copysignf(b, a)))

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static float rounded(volatile float f) { return f; }

static void compute_here(uint32_t x, uint32_t y, uint32_t z, uint32_t *to)
{
    volatile float a = float_of(x), b = float_of(y), c = float_of(z);
    int i = 0;
#define F(e)                    bits_of(e)
#define KNG_X(what, text, host) to[i++] = (uint32_t)(host);
    PROBES(KNG_X)
#undef KNG_X
#undef F
}

static const char text[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                           "@group(0) @binding(1) var<storage, read> o: array<u32>;\n"
                           "@group(0) @binding(2) var<storage, read_write> y: array<u32>;\n"
                           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                           "    if (id.x >= w.x) { return; }\n"
                           "    let x = o[id.x * 3u];\n"
                           "    let a = bitcast<f32>(x);\n"
                           "    let b = bitcast<f32>(o[id.x * 3u + 1u]);\n"
                           "    let c = bitcast<f32>(o[id.x * 3u + 2u]);\n"
                           "    var i = id.x * 25u;\n"
#define KNG_X(what, text, host) "    y[i] = " text "; i++;\n"
    PROBES(KNG_X)
#undef KNG_X
        "}\n";

static const uint32_t chosen[CHOSEN] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000003, 0x00400000, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x00ffffff, 0x01000000, 0x33800000, 0x34000000, 0x34000001,
    0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fffffff,
    0x40000000, 0x40400000, 0x3eaaaaab, 0x3dcccccd, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800001,
    0x4f000000, 0x5f000000, 0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

/* Pairs of the chosen ones with a third of them; then bits at random, every second time of near exponents, where sums
 * cancel and products meet them. */
static void make_operands(uint32_t *x)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < CASES; i++, x += 3) {
        for (int k = 0; k < 3; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            x[k] = (uint32_t)(state >> 16);
        }
        if (i < CHOSEN * CHOSEN) {
            x[2] =
                i % 3 ? bits_of(-(float_of(chosen[i / CHOSEN]) * float_of(chosen[i % CHOSEN]))) : chosen[x[2] % CHOSEN];
            x[0] = chosen[i / CHOSEN];
            x[1] = chosen[i % CHOSEN];
        } else if (i % 2) {
            x[0] = (x[0] & 0x81ffffff) | 0x3e000000;
            x[1] = (x[1] & 0x81ffffff) | 0x3e000000;
            x[2] = i % 4 == 1 ? bits_of(-(float_of(x[0]) * float_of(x[1]))) : ((x[2] & 0x81ffffff) | 0x3c000000);
        }
    }
}

static bool is_nan(uint32_t u) { return (u & 0x7fffffff) > 0x7f800000; }

static bool is_usual(uint32_t u) { return (u & 0x7f800000) - 0x10000000 < 0x60000000; } /* 2^-95 .. 2^97 */

/* An fma of usual numbers that is not the host's, but the rounded product's sum. */
static bool splits(const uint32_t x[3], uint32_t want, uint32_t got)
{
    volatile float a = float_of(x[0]), b = float_of(x[1]), c = float_of(x[2]);
    bool usual = is_usual(x[0]) && is_usual(x[1]) && is_usual(x[2]) && is_usual(want);
    return usual && want != got && got == bits_of(rounded(a * b) + c);
}

/* A bit for each operation that was right in all cases, JOINS for the chains, WHOLE_FMA. */
static uint32_t judge(const uint32_t *x, const uint32_t *got)
{
    static const uint8_t tells[] = {
#define KNG_X(what, text, host) what,
        PROBES(KNG_X)
#undef KNG_X
    };
    uint32_t fine = (2u << WHOLE_FMA) - 1, want[RESULTS];
    _Static_assert(sizeof tells == RESULTS, "the shader counts them");
    for (int i = 0; i < CASES; i++, x += 3, got += RESULTS) {
        compute_here(x[0], x[1], x[2], want);
        for (int k = 0; k < RESULTS; k++) {
            bool number = tells[k] != KNW_COMPARE;
            if (want[k] != got[k] && !(number && is_nan(want[k]) && is_nan(got[k])))
                fine &= ~(1u << tells[k]);
            if (tells[k] == KNW_FMA && splits(x, want[k], got[k]))
                fine &= ~(1u << WHOLE_FMA);
        }
    }
    return fine;
}

/* Runs a text with these words, and begins to read one of its memories. */
static knx_error *begin_text(kng_gpu *g, const char *text_of_it, const kng_bound *slot, const uint32_t words[2],
                             uint32_t groups, int from, uint64_t bytes, kng_reading **out)
{
    kng_pipeline *p = NULL;
    knx_error *error = kng_pipeline_for(g, text_of_it, &p);
    if (!error)
        error = kng_dispatch_text(g, p, slot, words, 2, (uint32_t[]){groups, 1, 1}, NULL, 0);
    if (!error)
        error = kng_reading_begin(g, slot[from].memory, 0, bytes, out);
    kng_pipeline_release(g, p);
    return error;
}

enum { OPERAND_BYTES = CASES * 3 * 4, RESULT_BYTES = CASES * RESULTS * 4 };

static knx_error *begin_probe(kng_gpu *g, kng_reading **out)
{
    kng_bound slot[KNG_SLOTS] = {0};
    uint32_t *x = knx_alloc(OPERAND_BYTES);
    knx_error *error = x ? kng_alloc(g, OPERAND_BYTES, &slot[0].memory) : knx_error_nomem();
    if (!error)
        error = kng_alloc(g, RESULT_BYTES, &slot[1].memory);
    if (!error) {
        fenv_t around;
        feholdexcept(&around); /* operands raise what they can */
        make_operands(x);
        fesetenv(&around);
        error = kng_upload(g, slot[0].memory, 0, x, OPERAND_BYTES);
    }
    if (!error)
        error = begin_text(g, text, slot, (uint32_t[]){CASES, 0}, (CASES + 63) / 64, 1, RESULT_BYTES, out);
    for (int i = 0; i < 2; i++)
        if (slot[i].memory)
            kng_free(g, slot[i].memory);
    knx_free(x);
    return error;
}

static knx_error *end_probe(kng_gpu *g, kng_reading *r, uint32_t *fine)
{
    uint32_t *x = knx_alloc(OPERAND_BYTES), *y = knx_alloc(RESULT_BYTES);
    knx_error *error = x && y ? kng_reading_end(g, r, y) : knx_error_nomem();
    if (!x || !y)
        kng_reading_drop(g, r);
    if (!error) {
        fenv_t env;
        feholdexcept(&env); /* operands raise what they can */
        make_operands(x);
        *fine = judge(x, y);
        fesetenv(&env);
    }
    knx_free(x);
    knx_free(y);
    return error;
}

/* A loop that an invocation is to make so many turns of: some drivers end it before, as if that were its end. */
enum { MANY_TURNS = 1 << 18 };
static const char loop_text[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                                "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                                "@compute @workgroup_size(1) fn main() {\n"
                                "    var n = 0u;\n"
                                "    var x = 1u;\n"
                                "    for (var i = 0u; i < w.x; i++) { x = x * 1664525u + w.y; n++; }\n"
                                "    y[0] = n;\n"
                                "    y[1] = x;\n"
                                "}\n";

static knx_error *begin_turns(kng_gpu *g, kng_reading **out)
{
    kng_bound slot[KNG_SLOTS] = {0};
    KN_TRY(kng_alloc(g, 8, &slot[0].memory));
    knx_error *error = begin_text(g, loop_text, slot, (uint32_t[]){MANY_TURNS, 1013904223}, 1, 0, 4, out);
    kng_free(g, slot[0].memory);
    return error;
}

/* Does the engine take a text that begins so? Features are counted differently by engines of different ages. One that
 * would tell later has them by name. */
static bool takes(kng_gpu *g, const char *begin)
{
    static const char rest[] = "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                               "@compute @workgroup_size(64) fn main() { y[0] = 1u; }\n";
    char whole[256];
    kng_pipeline *p = NULL;
    size_t n = strlen(begin);
    if (kng_comes_late)
        return true;
    memcpy(whole, begin, n);
    memcpy(whole + n, rest, sizeof rest);
    knx_error *error = kng_pipeline_for(g, whole, &p);
    kng_pipeline_release(g, p);
    knx_error_release(error);
    return !error;
}

/* Subgroups of invocations, found out with 16 workgroups of 64: word 64 g + l is 1 if invocation l is where it should
 * be, and gets the values of those that it asks for. */
enum { SOME_GROUPS = 16 };
static const char subgroup_text[] =
    "enable subgroups;\n"
    "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(workgroup_id) group: vec3<u32>,\n"
    "    @builtin(local_invocation_index) lane: u32, @builtin(subgroup_size) size: u32,\n"
    "    @builtin(subgroup_invocation_id) at: u32) {\n"
    "    var fine = size == w.x && at == lane % w.x;\n"
    "    let mine = group.x * 64u + lane;\n"
    "    let a1 = subgroupShuffleXor(mine, 1u);\n"
    "    let a2 = subgroupShuffleXor(mine, 2u);\n"
    "    fine = fine && a1 == (mine ^ 1u) && a2 == (mine ^ 2u);\n"
    "    let a4 = subgroupShuffleXor(mine, w.x / 2u);\n"
    "    fine = fine && a4 == (mine ^ (w.x / 2u));\n"
    "    y[mine] = select(0u, 1u, fine);\n"
    "}\n";

/* The size of subgroups that shaders might count on; 0: there is none. */
static uint32_t subgroup_to_try(kng_gpu *g)
{
    uint32_t size = g->subgroup_min;
    bool may_be = g->can_subgroups && !knx_env()->no_webgpu_subgroups && size == g->subgroup_max && size >= 4 &&
                  size <= 64 && 64 % size == 0 && takes(g, "enable subgroups;\n");
    return may_be ? size : 0;
}

static knx_error *begin_subgroups(kng_gpu *g, uint32_t size, kng_reading **out)
{
    kng_bound slot[KNG_SLOTS] = {0};
    uint64_t bytes = 64 * SOME_GROUPS * sizeof(uint32_t);
    KN_TRY(kng_alloc(g, bytes, &slot[0].memory));
    knx_error *error = begin_text(g, subgroup_text, slot, (uint32_t[]){size, 0}, SOME_GROUPS, 0, bytes, out);
    kng_free(g, slot[0].memory);
    return error;
}

static knx_error *end_subgroups(kng_gpu *g, kng_reading *r, bool *fine)
{
    uint32_t y[64 * SOME_GROUPS];
    KN_TRY(kng_reading_end(g, r, y));
    *fine = true;
    for (int i = 0; i < 64 * SOME_GROUPS; i++)
        *fine &= y[i] == 1;
    return NULL;
}

static void say(const kng_gpu *g, int64_t begin)
{
    static const char *const name[KNW_OPERATIONS] = {"add", "mul", "div", "sqrt", "fma", "compare", "convert"};
    knx_text t = {0};
    if (knx_debug_level < 1)
        return;
    for (int i = 0; i < KNW_OPERATIONS; i++)
        knx_text_add(&t, "%s%s", g->facts.exact >> i & 1 ? " " : " not ", name[i]);
    KN_LOG(1, "device %s: exact are%s; chains %s;%s most turns %u; subgroups of %u; found out in %.1f ms", g->name, t.s,
           g->facts.joins ? "are changed" : "stay", g->facts.splits_fma ? " fma rounds twice;" : "",
           (unsigned)g->facts.most_turns, (unsigned)g->facts.subgroup, 1e-6 * (double)(knx_nanoseconds() - begin));
}

/* Nobody tells it: what is common. A card that is large enough to be one of its own also needs more work at a time. */
static uint64_t shared_cache(const kng_gpu *g) { return (g->type == WGPUAdapterType_DiscreteGPU ? 16 : 4) << 20; }

enum { OPERATIONS_READ, TURNS_READ, SUBGROUPS_READ, READ };
struct kng_probing {
    kng_reading *coming[READ]; /* NULL: not asked for, or taken */
    uint32_t subgroup;         /* that is tried; 0: none */
    int64_t begin;
};

static void drop(kng_gpu *g)
{
    for (int i = 0; i < READ; i++)
        kng_reading_drop(g, g->probing->coming[i]);
    kng_drop(g->probing);
    g->probing = NULL;
}

knx_error *kng_begin_facts(kng_gpu *g)
{
    KN_TRY(kng_ready(g));
    if (g->probed || g->probing)
        return NULL;
    kng_probing *p = g->probing = kng_keep(sizeof *p);
    if (!p)
        return knx_error_nomem();
    p->begin = knx_nanoseconds();
    knx_error *error = begin_probe(g, &p->coming[OPERATIONS_READ]);
    if (!error)
        error = begin_turns(g, &p->coming[TURNS_READ]);
    if (!error && (p->subgroup = subgroup_to_try(g)))
        error = begin_subgroups(g, p->subgroup, &p->coming[SUBGROUPS_READ]);
    if (error)
        drop(g);
    return error;
}

static kng_reading *take(kng_probing *p, int i)
{
    kng_reading *r = p->coming[i];
    p->coming[i] = NULL;
    return r;
}

static knx_error *end_facts(kng_gpu *g, uint32_t *fine, uint32_t *turns, uint32_t *subgroup)
{
    kng_probing *p = g->probing;
    uint32_t n = 0;
    bool shuffles = false;
    KN_TRY(end_probe(g, take(p, OPERATIONS_READ), fine));
    KN_TRY(kng_reading_end(g, take(p, TURNS_READ), &n));
    KN_TRY(p->subgroup ? end_subgroups(g, take(p, SUBGROUPS_READ), &shuffles) : NULL);
    *turns = n < MANY_TURNS ? n : 0;
    *subgroup = shuffles ? p->subgroup : 0;
    return NULL;
}

knx_error *kng_bring_facts(kng_gpu *g)
{
    uint32_t fine = 0, turns = 0, subgroup = 0;
    KN_TRY(kng_begin_facts(g));
    if (g->probed)
        return NULL;
    int64_t begin = g->probing->begin;
    knx_error *error = end_facts(g, &fine, &turns, &subgroup);
    drop(g);
    KN_TRY(error);
    g->facts = (knw_facts){.f16 = g->can_f16 && takes(g, "enable f16;\n"),
                           .subgroup = subgroup,
                           .lanes = g->limits.maxComputeInvocationsPerWorkgroup,
                           .workgroup_bytes = g->limits.maxComputeWorkgroupStorageSize,
                           .most_groups = g->limits.maxComputeWorkgroupsPerDimension,
                           .most_turns = turns,
                           .shared_cache = shared_cache(g),
                           .exact = fine & ((1u << KNW_OPERATIONS) - 1),
                           .joins = !(fine >> JOINS & 1),
                           .splits_fma = !(fine >> WHOLE_FMA & 1)};
    g->exact = knx_env()->webgpu_exact || (g->facts.exact == (1u << KNW_OPERATIONS) - 1 && !g->facts.joins);
    g->counters = (kng_counters){0};
    g->probed = true;
    kng_cache_warm(g);
    say(g, begin);
    return NULL;
}

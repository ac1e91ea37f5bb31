/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_bands.c -- attention, and other steps that share rows, run block by block on a WebGPU device: with the
 * bits of the host's program without fusion, however many rows a block has; what is in memory meanwhile. */
#include "support/bands.h"
#include "support/chains.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include "device/steps/steps.h"
#include "webgpu/band.h"
#include "webgpu/plan.h"
#include <stdlib.h>
#include <string.h>

static kng_gpu *g;

typedef struct {
    kn_array q, k, v, bias, mask, lengths;
} Operands;

/* ---- What runs. Queries are (B, T, N, H), keys and values (B, S, K, H). */

static kn_array plain(const Operands *o) { return kn_nn_dot_product_attention(o->q, o->k, o->v); }
static kn_array causal(const Operands *o) { return kn_nn_dot_product_attention(o->q, o->k, o->v, .is_causal = true); }
static kn_array in_window(const Operands *o)
{
    return kn_nn_dot_product_attention(o->q, o->k, o->v, .local_window_size = KN_SHAPE(3, 1));
}
static kn_array biased(const Operands *o) { return kn_nn_dot_product_attention(o->q, o->k, o->v, .bias = o->bias); }
static kn_array masked(const Operands *o)
{
    return kn_nn_dot_product_attention(o->q, o->k, o->v, .mask = kn_greater(o->mask, 0));
}
/* Of some batches no key counts, of some all do. */
static kn_array of_lengths(const Operands *o)
{
    return kn_nn_dot_product_attention(o->q, o->k, o->v, .query_seq_lengths = o->lengths,
                                       .key_value_seq_lengths = o->lengths);
}
static kn_array all_at_once(const Operands *o)
{
    return kn_nn_dot_product_attention(o->q, o->k, o->v, .bias = o->bias, .mask = kn_greater(o->mask, 0),
                                       .is_causal = true, .key_value_seq_lengths = o->lengths);
}
static kn_array normalized(kn_array x)
{
    kn_array y = kn_sub(x, kn_mean(x, .axis = KN_AXIS(-1), .keepdims = true));
    return kn_div(y, kn_sqrt(kn_add(kn_mean(kn_mul(y, y), .axis = KN_AXIS(-1), .keepdims = true), 1e-5f)));
}
/* No attention: two layers of a network, with a norm between. */
static kn_array layers(const Operands *o)
{
    kn_array k = kn_swapaxes(kn_swapaxes(o->k, 1, 2), 2, 3), v = kn_swapaxes(o->v, 1, 2);
    kn_array x = kn_matmul(kn_swapaxes(o->q, 1, 2), kn_at(k, ":, :1"));
    return kn_matmul(kn_tanh(normalized(x)), kn_at(v, ":, :1"));
}

/* The queries of each layer are the results of the one before. */
typedef struct {
    kn_array i, q, k, v;
} Layer;
static kn_array are_left(const Layer *l) { return kn_less(l->i, 3); }
static Layer next_layer(const Layer *l)
{
    return (Layer){kn_add(l->i, 1), kn_add(l->q, kn_nn_dot_product_attention(l->q, l->k, l->v)), l->k, l->v};
}
KN_FUNCTION(are_left, kn_array, Layer)
KN_FUNCTION(next_layer, Layer, Layer)
static kn_array in_a_loop(const Operands *o)
{
    Layer start = {kn_scalar(0), o->q, o->k, o->v}, end;
    kn_while_loop(KN_FN(are_left), KN_FN(next_layer), &end, &start);
    return end.q;
}

typedef kn_array (*spelling)(const Operands *);
static const struct {
    const char *name;
    spelling f;
} spellings[] = {{"plain", plain},   {"causal", causal},         {"in a window", in_window},   {"with a bias", biased},
                 {"masked", masked}, {"of lengths", of_lengths}, {"all at once", all_at_once}, {"two layers", layers}};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

typedef struct which {
    spelling f;
} which;
static kn_array itself(const which *w, const Operands *o) { return w->f(o); }
static kn_array squares(const which *w, const kn_array *q, const kn_array *k, const kn_array *v, const Operands *o)
{
    Operands all = *o;
    all.q = *q, all.k = *k, all.v = *v;
    kn_array y = w->f(&all);
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION_ENV(itself, kn_array, which, Operands)
KN_FUNCTION_ENV(squares, kn_array, which, kn_array, kn_array, kn_array, Operands)

typedef struct shape {
    int64_t b, t, s, n, k, h;
} shape;

static Operands operands(shape x, kn_dtype d)
{
    return (Operands){.q = kn_zeros(KN_SHAPE(x.b, x.t, x.n, x.h), .dtype = d),
                      .k = kn_zeros(KN_SHAPE(x.b, x.s, x.k, x.h), .dtype = d),
                      .v = kn_zeros(KN_SHAPE(x.b, x.s, x.k, x.h), .dtype = d),
                      .bias = kn_zeros(KN_SHAPE(1, x.n, x.t, x.s), .dtype = d),
                      .mask = kn_zeros(KN_SHAPE(x.b, 1, x.t, x.s), .dtype = KN_F32),
                      .lengths = kn_zeros(KN_SHAPE(x.b), .dtype = KN_I32)};
}

static kni_jaxpr *traced_with(spelling f, bool gradient, shape s, kn_dtype d)
{
    which w = {f};
    Operands o = operands(s, d);
    if (!gradient)
        return traced(KN_FN_ENV(itself, &w), KN_ARGS(&o));
    return traced(kn_value_and_grad(KN_FN_ENV(squares, &w), .argnums = KN_ARGNUMS(0, 1, 2)),
                  KN_ARGS(&o.q, &o.k, &o.v, &o));
}

/* ---- Where it runs. */

static int bands_of(const knd_loaded *l)
{
    int n = 0;
    for (uint32_t i = 0; i < l->program->n_step; i++)
        n += l->program->step[i].kind == KNC_BAND;
    return n;
}

static knd_loaded *loaded_there(const kni_jaxpr *j, int bands)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(&g->device, j, &(knc_compile_options){.fuse = true, .bands = bands}, &l));
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        const char *why = knd_steps_reason(l, i);
        if (why && l->program->step[i].kind == KNC_BAND)
            fail_msg("%s\n    step %u runs on the host: %s", text_of(l), (unsigned)i, why);
    }
    return l;
}

/* Blocks of several batches, of some rows of one, of as few rows as there can be. (One row at a time of large values
 * would be thousands of dispatches.) */
static const uint64_t budgets[] = {16 << 20, 4 << 10, 1};

static void expect_hosts_bits(const char *name, const kni_jaxpr *j, int bands, bool tame, bool in_bands)
{
    test_operands x = tame ? tame_operands(j, 5) : test_make_operands(j, 5);
    knx_buffer *want[MANY], *got[MANY];
    knd_loaded *host = compiled(j, false, 0);
    test_ok(knd_run(host, x.in, want, NULL));
    for (size_t i = 0; i < (bands ? sizeof budgets / sizeof *budgets : 1); i++) {
        kng_band_bytes = bands ? budgets[i] : 0;
        knd_loaded *there = loaded_there(j, bands);
        if (in_bands && !bands_of(there))
            fail_msg("%s: no band\n%s", name, text_of(there));
        test_ok(knd_run(there, x.in, got, NULL));
        for (uint32_t k = 0; k < j->n_out; k++) {
            test_ok(knd_fetch(got[k]));
            int64_t at = test_difference(kni_out_type(j, k), want[k]->data, got[k]->data);
            if (at >= 0)
                fail_msg("%s, blocks of %d bytes: output %u differs at %lld\n%s", name, (int)budgets[i], (unsigned)k,
                         (long long)at, text_of(there));
        }
        test_release((int)j->n_out, got);
        knd_release(there);
    }
    kng_band_bytes = 0;
    test_release((int)j->n_out, want);
    knd_release(host);
    test_free_operands(&x);
}

static void check(int i, shape s, kn_dtype d, bool tame)
{
    for (int gradient = 0; gradient < 2; gradient++) {
        KN_SCOPE;
        char text[200];
        kni_jaxpr *j = traced_with(spellings[i].f, gradient, s, d);
        snprintf(text, sizeof text, "%s, %s, %s, (%d, %d, %d, %d, %d, %d)", spellings[i].name,
                 gradient ? "gradient" : "itself", d->name, (int)s.b, (int)s.t, (int)s.s, (int)s.n, (int)s.k, (int)s.h);
        expect_hosts_bits(text, j, 1, tame, true);
        kni_release(j);
    }
}

static void bits_are_the_hosts(void **state)
{
    static const shape shapes[] = {{2, 37, 29, 3, 3, 8}, {3, 20, 9, 4, 2, 4}, {1, 1, 70, 2, 1, 5}, {2, 9, 1, 1, 1, 4}};
    (void)state;
    g->exact = true;
    for (int i = 0; i < SPELLINGS; i++)
        for (int s = i % 2; s < 4; s += 2) /* pipelines take their time */
            check(i, shapes[s], KN_F32, true);
}

static void of_other_dtypes(void **state)
{
    const kn_dtype dtypes[] = {KN_BF16, KN_F16};
    (void)state;
    g->exact = true;
    for (int i = 0; i < SPELLINGS; i++)
        check(i, (shape){2, 21, 13, 4, 2, 8}, dtypes[i % 2], true);
}

static void nans_and_infinities(void **state)
{
    (void)state;
    g->exact = true;
    for (int i = 0; i < SPELLINGS; i++)
        check(i, (shape){2, 21, 13, 2, 2, 8}, KN_F32, false);
}

/* Sums over the rows go on from block to block: more than 256 rows, the last block lower. */
static void sums_over_many_rows(void **state)
{
    (void)state;
    g->exact = true;
    check(0, (shape){2, 600, 5, 1, 1, 4}, KN_F32, true);
    check(1, (shape){1, 520, 7, 3, 1, 4}, KN_BF16, true);
}

static void inside_of_loops(void **state)
{
    KN_SCOPE;
    kni_jaxpr *j = traced_with(in_a_loop, false, (shape){1, 100, 300, 2, 1, 32}, KN_F32);
    knd_loaded *l = loaded_there(j, 1);
    int bands = 0;
    (void)state;
    g->exact = true;
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        const knc_step *s = &l->program->step[i];
        for (uint32_t k = 0; s->kind == KNC_LOOP && k < s->u.r.loop->body->n_step; k++)
            bands += s->u.r.loop->body->step[k].kind == KNC_BAND;
    }
    if (!bands)
        fail_msg("no band\n%s", text_of(l));
    knd_release(l);
    expect_hosts_bits("a loop", j, 1, true, false);
    kni_release(j);
}

/* 9.7 MB of scores, and more than 32 MB of what the gradient saves: bands without being asked for. */
static void of_sizes_that_pay(void **state)
{
    (void)state;
    g->exact = true;
    for (int gradient = 0; gradient < 2; gradient++) {
        KN_SCOPE;
        kni_jaxpr *j = traced_with(causal, gradient, (shape){1, 1100, 1100, 2, 1, 8}, KN_F32);
        expect_hosts_bits("sizes that pay", j, 0, true, true);
        kni_release(j);
    }
}

static void of_random_chains(void **state)
{
    const char *more = getenv("KN_TEST_CHAINS");
    const uint64_t last = 3030 + (more ? (uint64_t)atoi(more) : 0);
    int with_bands = 0;
    (void)state;
    g->exact = true;
    for (uint64_t seed = 3000; seed < last; seed++) {
        char name[32];
        kni_jaxpr *j = test_random_chain(seed);
        knd_loaded *p = loaded_there(j, 1);
        bool runs = kni_in_type(j, 0).dtype != KN_DT(F64) && bands_of(p);
        knd_release(p);
        snprintf(name, sizeof name, "chain %d", (int)seed);
        if (runs)
            expect_hosts_bits(name, j, 1, seed % 4 != 0, true);
        with_bands += runs;
        kni_release(j);
    }
    assert_in_range(with_bands, 8, last - 3000);
}

/* ---- Memory. */

/* Runs it with the device's own operations; returns the bytes that it has on the device at a time, beside what was
 * there before. */
static uint64_t bytes_there(const kni_jaxpr *j, int64_t *dispatches)
{
    test_operands x = tame_operands(j, 5);
    knx_buffer *got[MANY];
    knd_loaded *there = NULL;
    g->exact = false;
    there = loaded_there(j, 0);
    test_ok(kng_finish(g));
    uint64_t before = g->heap.most = g->heap.live;
    *dispatches = g->counters.dispatches;
    test_ok(knd_run(there, x.in, got, NULL));
    *dispatches = g->counters.dispatches - *dispatches;
    for (uint32_t k = 0; k < j->n_out; k++)
        test_ok(knd_fetch(got[k]));
    test_release((int)j->n_out, got);
    knd_release(there);
    test_free_operands(&x);
    return g->heap.most - before;
}

/* The dispatches of a program, and the bytes beside its operands and results that it has at most. */
static uint32_t planned(const kni_jaxpr *j, int bands, uint64_t *bytes)
{
    knd_loaded *l = loaded_there(j, bands);
    const knd_steps_loaded *own = (const knd_steps_loaded *)l;
    uint32_t n = 0;
    uint64_t scratch = 0;
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        const kng_prepared *x = own->prepared[i];
        n += x ? x->variant->plan.n : 0;
        scratch = x && x->variant->plan.scratch > scratch ? x->variant->plan.scratch : scratch;
    }
    *bytes = l->program->workspace + scratch;
    knd_release(l);
    return n;
}

/* The scores of 4,096 queries and keys are 67 MB. */
static void long_sequences_do_not_store_their_scores(void **state)
{
    const uint64_t scores = UINT64_C(4096) * 4096 * 4;
    (void)state;
    for (int gradient = 0; gradient < 2; gradient++) {
        KN_SCOPE;
        kni_jaxpr *j = traced_with(causal, gradient, (shape){1, 4096, 4096, 1, 1, 16}, KN_F32);
        int64_t n;
        assert_in_range(bytes_there(j, &n), 1, scores / 3);
        kni_release(j);
    }
}

/* What the plan with blocks of so many bytes has at most: dispatches, megabytes; block 0: without bands. */
static void expect_plan(shape s, bool gradient, uint64_t block, uint32_t dispatches, uint64_t megabytes)
{
    KN_SCOPE;
    uint64_t bytes;
    kni_jaxpr *j = traced_with(plain, gradient, s, KN_F32);
    kng_band_bytes = block << 20;
    uint32_t n = planned(j, block ? 0 : -1, &bytes);
    kng_band_bytes = 0;
    if (n > dispatches || bytes > megabytes << 20)
        fail_msg("%d heads of %d, %s: %u dispatches, %llu bytes", (int)s.n, (int)s.t, gradient ? "gradient" : "itself",
                 (unsigned)n, (unsigned long long)bytes);
    kni_release(j);
}

/* docs/device-costs.md says so. Where scores are small there is no band, so as many dispatches as without. */
static void plans_have_few_dispatches_and_little_memory(void **state)
{
    const shape low = {1, 128, 128, 8, 8, 64}, middle = {1, 1024, 1024, 8, 8, 64}, high = {1, 4096, 4096, 8, 8, 64};
    (void)state;
    g->exact = false;
    expect_plan(low, false, 0, 3, 1);
    expect_plan(low, false, 16, 3, 1);
    expect_plan(low, true, 0, 10, 2);
    expect_plan(low, true, 16, 10, 2);
    expect_plan(middle, false, 16, 8, 18);
    expect_plan(middle, false, 4, 40, 6);
    expect_plan(middle, true, 16, 24, 56);
    expect_plan(high, false, 16, 160, 21);
    expect_plan(high, false, 4, 640, 6);
    expect_plan(high, true, 16, 452, 80);
}

static void no_rows_and_no_keys(void **state)
{
    static const shape shapes[] = {{2, 0, 5, 2, 2, 4}, {0, 3, 5, 2, 1, 4}, {2, 3, 5, 2, 2, 0}};
    (void)state;
    g->exact = true;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int gradient = 0; gradient < 2; gradient++) {
            KN_SCOPE;
            kni_jaxpr *j = traced_with(causal, gradient, shapes[s], KN_F32);
            expect_hosts_bits("nothing", j, 1, true, false);
            kni_release(j);
        }
}

/* Each allocation that a plan makes fails once: then it is an error, and nothing stays. */
static void plans_without_memory_are_errors(void **state)
{
    KN_SCOPE;
    kni_jaxpr *j = traced_with(causal, true, (shape){1, 600, 5, 2, 1, 4}, KN_F32);
    uint8_t slot[KNG_REFS];
    (void)state;
    kng_band_bytes = 1;
    knd_loaded *l = loaded_there(j, 1);
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        const knc_step *s = &l->program->step[i];
        knx_error *error = NULL;
        for (uint32_t r = 0; r < s->n_ref; r++)
            slot[r] = (uint8_t)r;
        const kng_pattern at = {s->n_ref, s->n_ref, slot};
        for (int64_t k = 0; s->kind == KNC_BAND && (k == 0 || error); k++) {
            knx_arena arena = KN_ARENA_INIT;
            kng_plan plan;
            int64_t live = knx_alloc_live();
            knx_error_release(error);
            knx_fail_after(k, true);
            error = kng_bands.plan(&g->facts, true, l->program, s, &at, &arena, &plan);
            knx_fail_after(-1, false);
            knx_arena_free(&arena);
            assert_true(!error || error->kind == KN_ERROR_MEMORY);
            assert_int_equal(knx_alloc_live(), live);
        }
    }
    kng_band_bytes = 0;
    knd_release(l);
    kni_release(j);
}

KN_TEST_GROUP(test_webgpu_bands)
{
    (void)argc, (void)argv;
    if (!(g = webgpu_first()))
        return 77;
    test_ok(kng_bring_facts(g));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_hosts),
        cmocka_unit_test(of_other_dtypes),
        cmocka_unit_test(nans_and_infinities),
        cmocka_unit_test(sums_over_many_rows),
        cmocka_unit_test(inside_of_loops),
        cmocka_unit_test(of_sizes_that_pay),
        cmocka_unit_test(of_random_chains),
        cmocka_unit_test(long_sequences_do_not_store_their_scores),
        cmocka_unit_test(plans_have_few_dispatches_and_little_memory),
        cmocka_unit_test(no_rows_and_no_keys),
        cmocka_unit_test(plans_without_memory_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

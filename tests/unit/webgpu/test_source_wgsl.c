/* SPDX-License-Identifier: Apache-2.0
 * test_source_wgsl.c -- kernels of steps as WGSL (kiln/source.h): a device of the user's hands the texts, its memory and
 * the words to an engine. In exact mode its results are the host's, whatever the engine's device does to float32. */
#include "kiln/source.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 31 };
static kng_gpu *g;
static kn_wgsl_facts facts; /* size_ 0: none are given */
static int dispatches, scratches, refused, shared;
static char why[256];

static int well(knx_error *error)
{
    if (error)
        snprintf(why, sizeof why, "%s", error->message);
    int status = error ? 1 : 0;
    knx_error_release(error);
    return status;
}
static int take(void *env, size_t bytes, void **memory)
{
    (void)env;
    return well(kng_alloc(g, bytes, (knd_memory **)memory));
}
static void give(void *env, void *memory)
{
    (void)env;
    kng_free(g, memory);
}
static int bring(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    (void)env;
    return well(kng_upload(g, to, at, from, bytes));
}
static int fetch(void *env, void *to, void *from, size_t at, size_t bytes)
{
    (void)env;
    return well(kng_download(g, to, from, at, bytes));
}
static int move(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    (void)env;
    return well(kng_copy(g, to, to_at, from, from_at, bytes));
}
static const char *error_of(void *env)
{
    (void)env;
    return why;
}

/* What of a kernel is only known with the memory of a launch is its text; whether there is one is known before. */
static const char *refuses(void *env, const kn_provider_step *step)
{
    static char text[128];
    kn_source s = {.size_ = sizeof s};
    (void)env;
    if (step->kind != KN_STEP_KERNEL || step->n_shift)
        return "it has plain kernels alone";
    assert_int_equal(kn_step_wgsl(step, facts.size_ ? &facts : NULL, 0, NULL, &s), 0);
    snprintf(text, sizeof text, "%s", s.why ? s.why : "");
    refused += s.why != NULL;
    kn_source_free(&s);
    return *text ? text : NULL;
}

/* Memories of a launch: each once. Literals are brought to one of their own. */
typedef struct memories {
    kng_bound bound[KNG_SLOTS];
    knd_memory *literal[MOST];
    size_t offset[MOST];
    uint8_t of[MOST];
    int n, n_literal;
} memories;

static int find_memories(const kn_provider_step *step, const kn_provider_place *at, memories *m)
{
    for (int p = 0; p < step->n; p++) {
        knd_memory *memory = at[p].memory;
        if (!memory) {
            if (take(NULL, step->bytes[p], (void **)&memory) || bring(NULL, memory, 0, at[p].bits, step->bytes[p]))
                return 1;
            m->literal[m->n_literal++] = memory;
        }
        int i = 0;
        while (i < m->n && m->bound[i].memory != memory)
            i++;
        shared += i < m->n;
        m->n += i == m->n;
        m->bound[i].memory = memory;
        m->offset[p] = at[p].memory ? at[p].offset : 0;
        m->of[p] = (uint8_t)i;
    }
    return 0;
}

static size_t element_bytes(const kn_provider_step *step, int place)
{
    char want[32];
    snprintf(want, sizeof want, "buffer %d ", place);
    const char *dtype = strstr(step->text, want) + strlen(want);
    return strtol(dtype + strcspn(dtype, "0123456789\n"), NULL, 10) >= 8
               ? (size_t)strtol(dtype + strcspn(dtype, "0123456789\n"), NULL, 10) / 8
               : 1; /* bool */
}

static int dispatch(const kn_provider_step *step, const kn_wgsl_dispatch *d, const memories *m)
{
    uint32_t word[4096], grid[3] = {d->groups[0], d->groups[1], 1};
    kng_pipeline *p = NULL;
    assert_true(d->n_word <= 4096 && d->n_word % 4 == 0);
    memcpy(word, d->word, (size_t)d->n_word * sizeof *word);
    for (int i = 0; i < step->n; i++)
        word[3 + i] = (uint32_t)(m->offset[i] / element_bytes(step, i));
    if (well(kng_pipeline_for(g, d->text, &p)))
        return 1;
    assert_int_equal(p->layout->slots, d->memories);
    int status = well(kng_dispatch_text(g, p, m->bound, word, (uint32_t)d->n_word, grid, NULL, 0));
    kng_pipeline_release(g, p);
    dispatches++;
    return status;
}

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    memories m = {0};
    kn_source s = {.size_ = sizeof s};
    knd_memory *scratch = NULL;
    (void)env, (void)prepared;
    int status = find_memories(step, at, &m);
    if (!status)
        status = kn_step_wgsl(step, facts.size_ ? &facts : NULL, m.n, m.of, &s);
    if (!status && s.scratch) {
        status = take(NULL, s.scratch, (void **)&scratch);
        m.bound[m.n].memory = scratch;
        scratches++;
    }
    for (int i = 0; !status && i < s.n_dispatch; i++)
        status = dispatch(step, &s.dispatch[i], &m);
    kn_source_free(&s);
    for (int i = 0; i < m.n_literal; i++)
        kng_free(g, m.literal[i]);
    if (scratch)
        kng_free(g, scratch);
    return status;
}

static const kn_provider table = {.size_ = sizeof table,
                                  .name = "shades:0",
                                  .no_dtypes = 1U << 12 | 1U << 14,
                                  .index_bits = 32,
                                  .alloc = take,
                                  .free = give,
                                  .copy_in = bring,
                                  .copy_out = fetch,
                                  .copy = move,
                                  .refuses = refuses,
                                  .launch = launch,
                                  .error = error_of};

static kn_array programs(int i)
{
    kn_array x = kn_reshape(kn_sin(kn_arange(0, 40 * 300, 1, KN_F32)), KN_SHAPE(40, 300));
    switch (i) {
    case 0: return kn_nn_softmax(x);
    case 1:
        return kn_var(kn_reshape(kn_concatenate(KN_LIST(x, x, x, x, x, x)), KN_SHAPE(1, 72000)), .axis = KN_AXIS(1));
    case 2: return kn_sum(kn_floor_divide(kn_astype(kn_mul(x, 100), KN_I64), 7), .axis = KN_AXIS(0));
    case 3: return kn_exp(kn_astype(x, KN_C64));
    case 4: return kn_add(kn_mul(kn_lax_slice_in_dim(x, 1, 21), 3), kn_lax_slice_in_dim(x, 20, 40));
    }
    return kn_where(kn_greater(x, 0), kn_astype(x, KN_F16), kn_astype(kn_cos(x), KN_F16));
}
enum { PROGRAMS = 6 };

static void compare(int i)
{
    assert_int_equal(kn_register_device(&table), 0);
    {
        KN_SCOPE;
        kn_array want = kn_copy(programs(i)), got;
        kn_eval(want);
        {
            KN_ON_DEVICE(kn_find_device("shades:0"));
            got = kn_copy(programs(i));
            kn_eval(got);
        }
        if (!kn_array_equal(want, got, .equal_nan = true))
            fail_msg("program %d", i);
    }
    assert_int_equal(kn_unregister_device("shades:0"), 0);
}

static void texts_for_any_device_give_the_hosts_bits(void **state)
{
    (void)state;
    facts = (kn_wgsl_facts){0};
    if (g->facts.most_turns) /* which is no promise of WebGPU */
        facts = (kn_wgsl_facts){.size_ = sizeof facts, .most_turns = (int)g->facts.most_turns};
    dispatches = 0;
    for (int i = 0; i < PROGRAMS; i++)
        compare(i);
    assert_true(dispatches >= PROGRAMS);
}

static void texts_for_what_a_device_does_give_the_hosts_bits(void **state)
{
    (void)state;
    facts = (kn_wgsl_facts){.size_ = sizeof facts,
                            .lanes = (int)g->facts.lanes,
                            .workgroup_bytes = (int)g->facts.workgroup_bytes,
                            .most_groups = (int)g->facts.most_groups,
                            .most_turns = (int)g->facts.most_turns,
                            .exact = (int)g->facts.exact,
                            .keeps_chains = !g->facts.joins};
    dispatches = scratches = shared = 0;
    for (int i = 0; i < PROGRAMS; i++)
        compare(i);
    assert_true(dispatches >= PROGRAMS);
    assert_true(scratches > 0);
    assert_true(shared > 0);
}

static void kernels_without_a_text_run_on_the_host(void **state)
{
    (void)state;
    kn_provider p = table;
    p.no_dtypes = 0;
    refused = 0;
    assert_int_equal(kn_register_device(&p), 0);
    {
        KN_SCOPE;
        KN_ON_DEVICE(kn_find_device("shades:0"));
        expect_values(kn_mul(kn_arange(0, 3, 1, KN_F64), 0.1), 0, 0.1, 0.2);
    }
    assert_true(refused > 0);
    assert_int_equal(kn_unregister_device("shades:0"), 0);
}

KN_TEST_GROUP(test_source_wgsl)
{
    g = webgpu_first();
    if (!g)
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(texts_for_any_device_give_the_hosts_bits),
        TEST(texts_for_what_a_device_does_give_the_hosts_bits),
        TEST(kernels_without_a_text_run_on_the_host),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}

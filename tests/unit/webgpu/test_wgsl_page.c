/* SPDX-License-Identifier: Apache-2.0
 * test_wgsl_page.c -- the texts that docs/wgsl.md shows are those that are made: a device that plans each step and runs
 * none collects the texts of some programs, in both modes, without an engine. Each block of the page is in one of them,
 * line for line; `...` stands for any lines, and remarks behind `//` do not count. */
#include "array/op.h"
#include "devices/devices.h"
#include "support/expect.h"
#include "support/group.h"
#include "webgpu/plan.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TEXTS = 64, MOST_LINES = 4096, PAGE = 1 << 17 };

/* ---- The device. */

static char *text[MOST_TEXTS];
static int n_text;
static knd_device device[3]; /* fast, exact, fast with subgroups */
enum { DEVICES = 3 };

static bool attaches(const knk_kernel *k) { return !knw_refuses(k); }

static const knc_target *target(const knd_device *d)
{
    static knc_target t;
    t = (knc_target){.name = d->name,
                     .dtypes = ~(1u << KN_ID_F64 | 1u << KN_ID_C128),
                     .index_bits = 32,
                     .max_buffers = 30,
                     .alignment = 256,
                     .first_cache = 32 << 10,
                     .second_cache = 1 << 20,
                     .ns_per_unit = 0.01,
                     .attaches = attaches,
                     .joins_all = true};
    return &t;
}

/* What is in the workspace of the program is in one memory; everything else is in memories of its own. */
static uint32_t share_memories(const knc_step *s, uint8_t *slot)
{
    uint32_t n = 0, work = KNG_SLOTS;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        bool shared = s->ref[r].space == KNC_AT_WORK;
        slot[r] = (uint8_t)(shared && work < KNG_SLOTS ? work : n++);
        work = shared ? slot[r] : work;
    }
    return n;
}

static void take_texts(const knc_program *p, const knc_step *s, int which)
{
    bool exact = which == 1;
    /* Of a driver that leaves chains alone; of one that does not, and whose device rounds sums and nothing else. */
    const knw_facts facts = {.lanes = 256,
                             .subgroup = which == 2 ? 32 : 0,
                             .workgroup_bytes = 16384,
                             .most_groups = 65535,
                             .exact = exact ? 1u << KNW_ADD : 0,
                             .joins = exact};
    const kng_kind *kind = kng_kind_of(p, s);
    uint8_t slot[KNG_SLOTS];
    kng_plan plan = {0};
    knx_arena arena = KN_ARENA_INIT;
    if (!kind || s->n_ref >= KNG_SLOTS || kind->refuses(&facts, p, s))
        return;
    uint32_t n_slot = share_memories(s, slot);
    knx_error *error = kind->plan(&facts, exact, p, s, &(kng_pattern){s->n_ref, n_slot, slot}, &arena, &plan);
    if (error)
        fail_msg("%s", error->message);
    for (uint32_t i = 0; i < plan.n && n_text < MOST_TEXTS; i++)
        text[n_text++] = strdup(plan.dispatch[i].text);
    knx_arena_free(&arena);
}

static knx_error *load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    for (uint32_t i = 0; i < p->n_step; i++)
        take_texts(p, &p->step[i], (int)(d - device));
    return null_device.load(d, p, out);
}

/* ---- Programs. */

/* Elements that are there, on the host. */
static kn_array of(kn_shape shape)
{
    KN_ON_DEVICE(kn_find_device("host"));
    kn_array x = kn_add(kn_zeros(shape, KN_F32), 1);
    kn_eval(x);
    return x;
}

static kn_array layer_norm(kn_array x)
{
    kn_array y = kn_sub(x, kn_mean(x, KN_AXIS(1), .keepdims = true));
    return kn_div(y, kn_sqrt(kn_add(kn_mean(kn_square(y), KN_AXIS(1), .keepdims = true), 1e-5)));
}

/* A product with a kernel behind it. */
static kn_array dense(kn_array x, kn_array bias, kn_array other)
{
    return kn_add(kn_nn_relu(kn_add(kn_matmul(x, x), bias)), other);
}

static void make_texts(const knd_device *d)
{
    kn_array x = of(KN_SHAPE(64, 1024)), m = of(KN_SHAPE(128, 128)), image = of(KN_SHAPE(2, 8, 20, 20)),
             window = of(KN_SHAPE(64, 8, 3, 3)), rows = of(KN_SHAPE(4000, 30)), other = of(KN_SHAPE(128, 128));
    KN_ON_DEVICE((kn_device)(uintptr_t)d);
    kn_array all[] = {layer_norm(x),
                      dense(m, of(KN_SHAPE(128)), other),
                      kn_sort(kn_nn_softmax(x)),
                      kn_matmul(m, m),
                      kn_lax_conv(image, window, KN_SHAPE(1, 1), KN_SAME),
                      kn_sum(rows, KN_AXIS(1))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kn_eval(all[i]);
    expect_no_error();
}

/* ---- The page. */

typedef struct lines {
    char *at[MOST_LINES];
    int n;
} lines;

/* Cuts s; remarks, blanks at the end and lines that are nothing then are left out. */
static void cut(char *s, lines *l)
{
    l->n = 0;
    for (char *line = s, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *remark = strstr(line, "//");
        if (remark)
            *remark = '\0';
        size_t n = strlen(line);
        while (n && line[n - 1] == ' ')
            line[--n] = '\0';
        if (n && l->n < MOST_LINES)
            l->at[l->n++] = line;
    }
}

static bool is_dots(const char *line) { return !strcmp(line + strspn(line, " "), "..."); }

/* Do the lines from b on stand in a, from a line on that may be chosen if `anywhere`? *most: how far it went. */
static bool stands_in(const lines *block, int b, const lines *in, int a, bool anywhere, int *most)
{
    for (; a <= in->n; a++) {
        int i = b, k = a;
        while (i < block->n && k < in->n && !strcmp(block->at[i], in->at[k]))
            i++, k++;
        *most = i > *most ? i : *most;
        if (i == block->n || (is_dots(block->at[i]) && stands_in(block, i + 1, in, k, true, most)))
            return true;
        if (!anywhere)
            return false;
    }
    return false;
}

static int check_block(char *source, const lines *made, int number)
{
    static lines block;
    int most = 0;
    cut(source, &block);
    for (int i = 0; i < n_text; i++)
        if (stands_in(&block, 0, &made[i], 0, true, &most))
            return 0;
    print_message("block %d of the page is in no text from this line on:\n%s\n", number,
                  most < block.n ? block.at[most] : "");
    return 1;
}

static char *read_page(void)
{
    FILE *f = fopen(KN_TEST_DIR "/../docs/wgsl.md", "r");
    assert_non_null(f);
    char *page = calloc(1, PAGE);
    assert_in_range(fread(page, 1, PAGE - 1, f), 1, PAGE - 2);
    fclose(f);
    return page;
}

static void the_texts_of_the_page_are_made(void **state)
{
    (void)state;
    KN_SCOPE;
    static lines made[MOST_TEXTS];
    static const char *const name[DEVICES] = {"texts:0", "texts:1", "texts:2"};
    for (int i = 0; i < DEVICES; i++) {
        device[i] = null_device;
        device[i].name = name[i];
        device[i].target = target;
        device[i].load = load;
        assert_null(knd_register(&device[i]));
        make_texts(&device[i]);
        knd_unregister(&device[i]);
    }
    assert_true(n_text >= 10);
    const char *folder = getenv("KN_TEST_TEXTS"); /* for looking at */
    for (int i = 0; i < n_text && folder; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%02d.wgsl", folder, i);
        FILE *f = fopen(path, "w");
        fputs(text[i], f);
        fclose(f);
    }
    for (int i = 0; i < n_text; i++)
        cut(text[i], &made[i]);
    char *page = read_page();
    int blocks = 0, wrong = 0;
    for (char *at = strstr(page, "\n```"), *end; at; at = strstr(end + 1, "\n```")) {
        char *body = strchr(at + 1, '\n');
        bool named = at[4] != '\n'; /* ```wgsl: of programs that are not made here */
        end = strstr(body, "\n```");
        assert_non_null(end);
        *end = '\0';
        wrong += named ? 0 : check_block(body + 1, made, blocks++);
    }
    assert_true(blocks >= 7);
    assert_int_equal(wrong, 0);
    free(page);
    for (int i = 0; i < n_text; i++)
        free(text[i]);
}

KN_TEST_GROUP(test_wgsl_page)
{
    const struct CMUnitTest tests[] = {TEST(the_texts_of_the_page_are_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_mutations.c -- kernels with one field wrong, and texts of kernels with some bytes wrong: they are refused,
 * or they are kernels, which run everywhere without touching other memory and with the same results. */
#include "host/native.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include "support/elements.h"
#include "support/scratch.h"
#include "support/stages.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state = 1;
static int below(int n) { return (int)(element_random(&state) % (uint64_t)n); }

/* --- running what was not refused ------------------------------------------------------------- */

static bool is_float(int dtype) { return knk_is_float_id(dtype) || knk_is_half_id(dtype); }

/* Bits are defined but where NaNs become integers, where scalb leaves its domain, and where points meet in memory. */
static bool is_defined(const knk_kernel *k)
{
    int *stores = calloc((size_t)k->n_buffer + 1, sizeof *stores);
    bool fine = stores != NULL;
    for (int i = 0; fine && i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_SCALB || (n->op == KNK_BITCAST && is_float(k->node[n->a].dtype) && !is_float(n->dtype)))
            fine = false;
        if (n->op == KNK_LOAD && k->buffer[n->buffer].written)
            fine = false;
        if (n->op != KNK_STORE)
            continue;
        fine = fine && !stores[n->buffer]++;
        int ones = 0;
        for (int d = 0; d < knk_map_loops(k, n->map); d++) {
            bool turn = d >= k->n_par + k->stage[n->stage].n_inner; /* a later one stores over an earlier one */
            fine = fine && (turn || k->map[n->map].cls[d] != KNK_STRIDE_ZERO);
            ones += k->map[n->map].cls[d] == KNK_STRIDE_ONE;
        }
        fine = fine && ones < 2;
    }
    free(stores);
    return fine;
}

static void *scratch(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    assert_non_null(p);
    return p;
}

static void run_on(const kernel_case *c, kernel_data *d, const knh_generator *g)
{
    knk_launch l = c->l;
    l.buffer = (void *const *)d->base;
    void *room = scratch(g->make ? any_scratch(c->k, 2) : interpreter_scratch(c->k));
    if (g->make)
        knh_run_on(g, c->k, &l, room, 2);
    else
        knk_interpret_with(c->k, &l, room, KNK_LANES_AUTO);
    free(room);
}

static void check_one(const kernel_case *c, const kernel_data *before, const kernel_data *want, const knh_generator *g)
{
    char where[200] = "";
    int64_t words;
    kernel_data *got = kernel_data_copy(c, before);
    if (!got)
        return;
    run_on(c, got, g);
    if (is_defined(c->k) && kernel_data_differences(c, want, got, &words, where, sizeof where)) {
        char *text = NULL;
        assert_null(knk_text(c->k, &text));
        print_message("%s\n", text);
        fail_msg("%s: %s", g->name, where);
    }
    kernel_data_free(got);
}

/* Takes the kernel. */
static bool run_everywhere(knk_kernel *k)
{
    int64_t par[KNK_MAX_LOOPS], inner[8 * KNK_MAX_LOOPS];
    int n = 0;
    for (int d = 0; d < k->n_par; d++)
        par[d] = d < 2 ? 1 + below(d ? 40 : 4) : 1;
    for (int s = 0; s < k->n_stage; s++)
        for (int d = 0; d < k->stage[s].n_inner + k->stage[s].n_loop; d++) {
            if (n == 8 * KNK_MAX_LOOPS) {
                knk_release(k);
                return false;
            }
            inner[n++] = k->stage[s].n_loop ? below(5) : d < 2 ? 1 + below(d ? 4 : 70) : 1; /* all loops end */
        }
    kernel_case c;
    assert_null(kernel_case_dense(k, par, inner, &c));
    kernel_data *before = kernel_data_new(&c, element_random(&state)),
                *want = before ? kernel_data_copy(&c, before) : NULL;
    if (want) {
        run_on(&c, want, &knh_interpreter);
        const knh_generator *g;
        for (int i = 0; (g = knh_generator_number(i)); i++)
            if (g->make && knh_generator_works(g))
                check_one(&c, before, want, g);
    }
    bool ran = want != NULL;
    kernel_data_free(want);
    kernel_data_free(before);
    kernel_case_free(&c);
    return ran;
}

/* --- one field wrong -------------------------------------------------------------------------- */

typedef struct mutant {
    knk_kernel k;
    knk_inst *node;
    knk_stage *stage;
    knk_buffer *buffer;
    knk_map *map;
} mutant;

static void *copy(const void *p, size_t bytes)
{
    void *q = malloc(bytes + 1);
    assert_non_null(q);
    if (bytes)
        memcpy(q, p, bytes);
    return q;
}

static mutant mutant_of(const knk_kernel *k)
{
    mutant m = {
        .k = {
            .n_par = k->n_par, .n_stage = k->n_stage, .n_node = k->n_node, .n_buffer = k->n_buffer, .n_map = k->n_map}};
    m.k.node = m.node = copy(k->node, (size_t)k->n_node * sizeof *m.node);
    m.k.stage = m.stage = copy(k->stage, (size_t)k->n_stage * sizeof *m.stage);
    m.k.buffer = m.buffer = copy(k->buffer, (size_t)k->n_buffer * sizeof *m.buffer);
    m.k.map = m.map = copy(k->map, (size_t)k->n_map * sizeof *m.map);
    return m;
}

static void mutant_free(mutant *m)
{
    free(m->node);
    free(m->stage);
    free(m->buffer);
    free(m->map);
}

static int wrong_int(int was)
{
    const int above = (int)((unsigned)was + 1), under = (int)((unsigned)was - 1);
    const int some[] = {-1, 0, 1, 2, above, under, INT32_MAX, INT32_MIN, 63, 64, 65, 255, 256, 32767, below(40)};
    return some[below((int)(sizeof some / sizeof *some))];
}

static void wrong_node(knk_inst *n)
{
    switch (below(10)) {
    case 0: n->op = (uint8_t)(below(3) ? below(KNK_OP_COUNT + 2) : wrong_int(n->op)); return;
    case 1: n->dtype = (uint8_t)(below(3) ? below(KN_ID_COUNT + 2) : wrong_int(n->dtype)); return;
    case 2: n->sub = (uint8_t)wrong_int(n->sub); return;
    case 3: n->stage = (uint8_t)wrong_int(n->stage); return;
    case 4: n->buffer = (int16_t)wrong_int(n->buffer); return;
    case 5: n->map = (int16_t)wrong_int(n->map); return;
    case 6: n->a = wrong_int(n->a); return;
    case 7: n->b = wrong_int(n->b); return;
    case 8: n->c = wrong_int(n->c); return;
    default: n->imm = below(2) ? element_random(&state) : (uint64_t)(int64_t)wrong_int((int)n->imm); return;
    }
}

static int fewer(int n) { return below(3) ? n - 1 : -1 - below(2) * 1000; }

static void wrong_shape(mutant *m)
{
    switch (below(12)) {
    case 0: m->k.n_par = wrong_int(m->k.n_par); return;
    case 1: m->k.n_stage = fewer(m->k.n_stage); return;
    case 2: m->k.n_node = fewer(m->k.n_node); return;
    case 3: m->k.n_buffer = fewer(m->k.n_buffer); return;
    case 4: m->k.n_map = fewer(m->k.n_map); return;
    default: break;
    }
    if (m->k.n_stage <= 0)
        return;
    knk_stage *s = &m->stage[below(m->k.n_stage)];
    knk_map *map = m->k.n_map > 0 ? &m->map[below(m->k.n_map)] : NULL;
    knk_buffer *b = m->k.n_buffer > 0 ? &m->buffer[below(m->k.n_buffer)] : NULL;
    switch (below(8)) {
    case 6: s->n_loop = wrong_int(s->n_loop); return;
    case 0: s->n_inner = wrong_int(s->n_inner); return;
    case 1: s->first = wrong_int(s->first); return;
    case 2: s->end = wrong_int(s->end); return;
    case 3:
        if (map)
            map->stage = (uint8_t)wrong_int(map->stage);
        return;
    case 4:
        if (map)
            map->cls[below(6)] = (uint8_t)wrong_int(1);
        return;
    case 5:
        if (b)
            b->dtype = (uint8_t)(below(2) ? below(KN_ID_COUNT + 1) : wrong_int(b->dtype));
        return;
    default:
        if (b)
            b->written = !b->written;
    }
}

/* The same kernel through the builder. NULL: its maps are not in the order that a builder has. */
static knk_kernel *built(const mutant *m)
{
    const knk_kernel *k = &m->k;
    knk_builder *b = knk_new(k->n_par);
    knk_kernel *out = NULL;
    assert_non_null(b);
    for (int i = 0; i < k->n_buffer; i++)
        knk_add_buffer(b, (knx_dtype_id)k->buffer[i].dtype, k->buffer[i].written);
    int map = 0;
    for (int s = 0; s < k->n_stage; s++) {
        knk_begin_stage(b, k->stage[s].n_inner);
        for (; map < k->n_map && k->map[map].stage == s; map++)
            knk_append_map(b, k->map[map].cls, knk_map_loops(k, map));
        for (int i = k->stage[s].first; i < k->stage[s].end; i++)
            knk_append_raw(b, k->node[i]);
    }
    if (map < k->n_map) {
        knk_delete(b);
        return NULL;
    }
    knx_error *e = knk_finish(b, &out);
    if (e)
        fail_msg("knk_verify says yes, knk_finish: %s", e->message);
    return out;
}

/* Every second kernel has loops. */
static void random_scene(scene *s, int seed)
{
    if (seed % 2)
        scene_random_loops(s, (uint64_t)seed);
    else
        scene_random(s, (uint64_t)seed);
}

static void a_wrong_field_is_refused_or_harmless(void **unused)
{
    (void)unused;
    const char *count = getenv("KN_TEST_COUNT");
    int kernels = count ? atoi(count) : 60, refused = 0, legal = 0, ran = 0;
    for (int seed = 1; seed <= kernels; seed++) {
        scene s;
        random_scene(&s, seed);
        for (int i = 0; i < 150; i++) {
            mutant m = mutant_of(s.k);
            for (int n = 1 + below(3) / 2; n > 0; n--)
                if (below(4) && m.k.n_node > 0)
                    wrong_node(&m.node[below(m.k.n_node)]);
                else if (m.k.n_stage > 0)
                    wrong_shape(&m);
            knx_error *e = knk_verify(&m.k);
            knk_kernel *k = e ? NULL : built(&m);
            refused += e != NULL;
            legal += !e;
            if (k)
                ran += run_everywhere(k);
            knx_error_release(e);
            mutant_free(&m);
        }
        scene_free(&s);
    }
    print_message("%d refused, %d are kernels, %d of them ran\n", refused, legal, ran);
    assert_true(refused > 20 * kernels && ran > kernels);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void change_text(char *text, size_t *n, size_t room)
{
    static const char bytes[] = "0123456789%mb x.f*+-\n\r\t\"{}<>_=\x7f\xff";
    size_t at = (size_t)below((int)*n), many = 1 + (size_t)below(8);
    switch (below(5)) {
    case 0: text[at] = bytes[below((int)sizeof bytes - 1)]; return;
    case 1: text[at] = (char)(1 + below(255)); return;
    case 2: /* some bytes fewer */
        many = many < *n - at ? many : *n - at;
        memmove(text + at, text + at + many, *n - at - many + 1);
        *n -= many;
        return;
    case 3: /* a piece of it twice */
        many = (size_t)below(60);
        many = many < *n - at ? many : *n - at;
        if (*n + many + 1 < room) {
            memmove(text + at + many, text + at, *n - at + 1);
            *n += many;
        }
        return;
    default: /* a digit more */
        if (*n + 2 < room) {
            memmove(text + at + 1, text + at, *n - at + 1);
            text[at] = bytes[below(10)];
            ++*n;
        }
    }
}

static void a_wrong_text_is_refused_or_a_kernel(void **unused)
{
    (void)unused;
    int refused = 0, ran = 0;
    for (int seed = 1; seed <= 40; seed++) {
        scene s;
        char *right = NULL;
        random_scene(&s, seed);
        assert_null(knk_text(s.k, &right));
        size_t length = strlen(right), room = 2 * length + 1000;
        char *text = malloc(room);
        assert_non_null(text);
        for (int i = 0; i < 150; i++) {
            size_t n = length;
            memcpy(text, right, n + 1);
            for (int changes = 1 + below(3); changes > 0 && n > 0; changes--)
                change_text(text, &n, room);
            knk_kernel *k = NULL;
            knx_error *e = knk_parse(text, &k);
            assert_true((e != NULL) == (k == NULL));
            refused += e != NULL;
            knx_error_release(e);
            if (!k)
                continue;
            char *again = NULL, *third = NULL;
            knk_kernel *other = NULL;
            assert_null(knk_text(k, &again));
            assert_null(knk_parse(again, &other));
            assert_null(knk_text(other, &third));
            assert_string_equal(again, third);
            knx_free(again);
            knx_free(third);
            knk_release(other);
            ran += run_everywhere(k);
        }
        free(text);
        knx_free(right);
        scene_free(&s);
    }
    print_message("%d refused, %d ran\n", refused, ran);
    assert_true(refused > 1000 && ran > 30);
}

KN_TEST_GROUP(test_kernel_mutations)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_field_is_refused_or_harmless),
        cmocka_unit_test(a_wrong_text_is_refused_or_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

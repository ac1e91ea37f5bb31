/* SPDX-License-Identifier: Apache-2.0
 * wgsl_device.c -- see wgsl_device.h. */
#include "support/wgsl_device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Subgroups that the device has not: what their shuffles give, for workgroups whose invocations all come by. */

enum { TYPES = 4 };
static const char *const type_name[TYPES] = {"f32", "i32", "u32", "vec2<u32>"};
static const char acted[] = "subgroupShuffleXor(";

/* The type of x in the function that `at` is in. */
static int type_at(const char *text, const char *at)
{
    static const char x[] = ", x: ";
    while (at > text && strncmp(at, x, sizeof x - 1) != 0)
        at--;
    for (int i = 0; i < TYPES; i++)
        if (!strncmp(at + sizeof x - 1, type_name[i], strlen(type_name[i])))
            return i;
    return 2; /* a bool is exchanged as an u32 */
}

/* A text of the same meaning without subgroups; knx_free'd. */
static char *without_subgroups(const char *text)
{
    knx_str t = {0};
    const char *line = strstr(text, "enable subgroups;\n"), *from = text;
    if (line) {
        knx_str_printf(&t, "%.*s", (int)(line - text), text);
        from = line + strlen("enable subgroups;\n");
    }
    for (const char *at; (at = strstr(from, acted)) != NULL; from = at + sizeof acted - 1)
        knx_str_printf(&t, "%.*sacted%d(lane, ", (int)(at - from), from, type_at(text, at));
    knx_str_puts(&t, from);
    for (int i = 0; i < TYPES; i++)
        knx_str_printf(
            &t,
            "\nvar<workgroup> acting%d: array<%s, 64>;\n"
            "fn acted%d(lane: u32, v: %s, d: u32) -> %s {\n    acting%d[lane] = v;\n    workgroupBarrier();\n"
            "    let other = acting%d[lane ^ d];\n    workgroupBarrier();\n    return other;\n}\n",
            i, type_name[i], i, type_name[i], type_name[i], i, i);
    return knx_str_take(&t);
}

/* ---- Launches. */

/* One dispatch with memory that is there already. */
static knx_error *dispatch(kng_gpu *g, const wgsl_case *c, const knw_request *r, knd_memory *const *memory)
{
    char *text = NULL;
    uint32_t memories, n = 0, grid[3] = {0, 0, 1}, *words = NULL;
    kng_pipeline *p = NULL;
    kng_bound slot[KNG_SLOTS] = {0};
    for (int i = 0; i <= r->n_memory; i++)
        slot[i].memory = memory[i];
    knx_error *error = knw_text(r, &text, &memories);
    if (!error)
        error = knw_n_words(r, &n);
    if (!error && (words = calloc(n + 4, sizeof *words)))
        error = knw_words(r, &c->l, words, grid);
    if (!error && r->facts->subgroup != g->facts.subgroup) {
        char *other = without_subgroups(text);
        knx_free(text);
        text = other;
        assert_non_null(text);
    }
    if (!error)
        error = kng_pipeline_for(g, text, &p);
    assert_true(error || p->layout->slots == memories);
    if (!error)
        error = kng_dispatch_text(g, p, slot, words, n, grid, NULL, 0);
    kng_pipeline_release(g, p);
    free(words);
    knx_free(text);
    return error;
}

static knx_error *run(kng_gpu *g, const knw_facts *facts, const wgsl_case *c, knw_mode mode, char **got)
{
    knd_memory *memory[WGSL_MEMORIES + 1] = {0};
    knw_request r = {.kernel = c->k,
                     .facts = facts,
                     .exact = true,
                     .mode = (uint8_t)mode,
                     .memory = c->memory,
                     .n_memory = c->n_memory};
    knx_error *error = NULL;
    uint64_t scratch = mode == KNW_PARTS ? knw_scratch_bytes(c->k, &c->l) : 0;
    for (int i = 0; !error && i <= c->n_memory; i++)
        error = kng_alloc(g, i < c->n_memory ? c->bytes[i] : scratch, &memory[i]);
    for (int i = 0; !error && i < c->n_memory; i++) {
        wgsl_case_fill(c, i, got[i]);
        error = kng_upload(g, memory[i], 0, got[i], c->bytes[i]);
    }
    int parts = mode == KNW_PARTS ? knw_parts(c->k) : 1;
    for (r.part = 0; !error && r.part < parts; r.part++)
        error = dispatch(g, c, &r, memory);
    for (int i = 0; !error && i < c->n_memory; i++)
        error = kng_download(g, got[i], memory[i], 0, c->bytes[i]);
    for (int i = 0; i <= c->n_memory; i++)
        if (memory[i])
            kng_free(g, memory[i]);
    return error;
}

bool wgsl_device_check(kng_gpu *g, const knw_facts *facts, const wgsl_case *c, knw_mode mode, const char *what)
{
    static const char *const names[] = {"points", "rows", "parts", "columns"};
    char *got[WGSL_MEMORIES], where[200];
    for (int i = 0; i < c->n_memory; i++)
        got[i] = calloc(1, c->bytes[i] + 4);
    knd_lock();
    knx_error *error = run(g, facts, c, mode, got);
    knd_unlock();
    bool right = !error;
    if (error)
        print_message("%s (%s): %s\n", what, names[mode], error->message);
    knx_error_release(error);
    for (int i = 0; i < c->n_memory; i++) {
        if (right && wgsl_case_differences(c, i, got[i], where, sizeof where)) {
            print_message("%s (%s): %s\n", what, names[mode], where);
            right = false;
        }
        free(got[i]);
    }
    return right;
}

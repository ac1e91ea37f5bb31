/* SPDX-License-Identifier: Apache-2.0
 * check.c -- one program all ways: the same bits, or an error everywhere; operands stay as they were; nothing is lost. */
#include "programs.h"
#include "support/c_maker.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fails(verdict *v, const char *format, ...)
{
    va_list args;
    if (v->failed)
        return;
    v->failed = true;
    va_start(args, format);
    vsnprintf(v->what, sizeof v->what, format, args);
    va_end(args);
}

static bool is_nan(kn_dtype part, const char *x)
{
    knx_scalar_bits s = {.u = {0, 0}};
    memcpy(&s, x, part->size);
    return knx_is_float(part) && isnan(knx_scalar_to_double(part, s));
}

int64_t first_difference(kni_type t, const void *a, const void *b)
{
    kn_dtype part = knx_component(t.dtype);
    size_t bytes = kni_type_bytes(t), n = bytes / part->size;
    if (!bytes || !memcmp(a, b, bytes))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *x = (const char *)a + i * part->size, *y = (const char *)b + i * part->size;
        if (memcmp(x, y, part->size) && !(is_nan(part, x) && is_nan(part, y)))
            return (int64_t)i;
    }
    return -1;
}

void release_all(int n, knx_buffer **x)
{
    for (int i = 0; i < n; i++) {
        knx_buffer_release(x[i]);
        x[i] = NULL;
    }
}

static const char *show(kni_type t, const void *data, int64_t part_index, char *to)
{
    kn_dtype part = knx_component(t.dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + part_index * part->size, part->size);
    tensor_show(part, tensor_load(part, (const char *)data + part_index * part->size), to);
    size_t n = strlen(to);
    snprintf(to + n, 96 - n, " (0x%llx)", (unsigned long long)bits);
    return to;
}

void compare(verdict *v, const char *name, const kni_jaxpr *j, knx_buffer *const *want, const knx_error *want_error,
             knx_buffer *const *got, const knx_error *got_error)
{
    char a[96], b[96];
    if (want_error && got_error) {
        if (want_error->kind == KN_ERROR_MEMORY || got_error->kind == KN_ERROR_MEMORY)
            fails(v, "%s: no memory", name);
        return;
    }
    if (want_error || got_error) {
        fails(v, "%s: %s, but %s", name, got_error ? got_error->message : "no error",
              want_error ? want_error->message : "no error unfused");
        return;
    }
    for (uint32_t k = 0; k < j->n_out; k++) {
        kni_type t = kni_out_type(j, k);
        int64_t i = first_difference(t, want[k]->data, got[k]->data);
        if (i >= 0)
            fails(v, "%s: result %u, part %lld is %s, not %s", name, k, (long long)i, show(t, got[k]->data, i, b),
                  show(t, want[k]->data, i, a));
    }
}

/* What the operands were, to see that nobody wrote to them. */
static void *snapshot(const program *p, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < program_operands(p); i++)
        *bytes += kni_type_bytes(p->j->type[i]);
    char *all = malloc(*bytes + 1);
    for (int i = 0, at = 0; all && i < program_operands(p); i++) {
        size_t n = kni_type_bytes(p->j->type[i]);
        memcpy(all + at, p->x[i]->data, n);
        at += (int)n;
    }
    return all;
}

/* Blocks of memory that a run leaves behind each time; what it leaves once is a cache. */
static int64_t lost_by(const way *w, const program *p, uint64_t seed)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3 && least; i++) {
        knx_buffer *y[MAX_VALUES] = {NULL};
        int64_t live = knx_alloc_live();
        knx_error_release(way_run(w, p, seed, y));
        release_all((int)p->j->n_out, y);
        live = knx_alloc_live() - live;
        least = live < least ? live : least;
    }
    return least;
}

static void check_ways(const program *p, uint64_t seed, bool all, verdict *v, knx_buffer **want, knx_error **error)
{
    way list[MAX_WAYS];
    int n = ways_of(seed, list, all);
    size_t bytes, again;
    char *before = snapshot(p, &bytes);
    *error = way_run(&list[0], p, seed, want);
    v->ran = !*error;
    for (int i = 1; i < n && !v->failed; i++) {
        knx_buffer *got[MAX_VALUES] = {NULL};
        char name[96];
        int64_t live = knx_alloc_live();
        knx_error *e = way_run(&list[i], p, seed, got);
        snprintf(name, sizeof name, list[i].threads > 1 ? "%s, %d threads" : "%s", list[i].name, list[i].threads);
        compare(v, name, p->j, want, *error, got, e);
        release_all((int)p->j->n_out, got);
        knx_error_release(e);
        if (knx_alloc_live() != live && !list[i].cached && !v->failed && lost_by(&list[i], p, seed))
            fails(v, "%s: blocks of memory are lost", name);
        char *after = snapshot(p, &again);
        if (before && after && memcmp(before, after, bytes))
            fails(v, "%s: an operand was written to", name);
        free(after);
    }
    free(before);
}

bool symbolic;

void check_program(const program *p, uint64_t seed, bool all, verdict *v)
{
    if (symbolic) {
        check_symbolic(p, seed, v);
        return;
    }
    if (sharded) {
        check_sharded(p, seed, all, v);
        return;
    }
    if (eager) {
        check_eager(p, seed, all, v);
        return;
    }
    knx_buffer *want[MAX_VALUES] = {NULL}, *other[MAX_VALUES] = {NULL};
    knx_error *error = NULL, *e = NULL;
    *v = (verdict){0};
    if (program_operands(p) > MAX_VALUES || p->j->n_out > MAX_VALUES)
        return;
    knx_error *wrong = kni_check(p->j);
    if (wrong)
        fails(v, "check: %s", wrong->message);
    knx_error_release(wrong);
    if (!v->failed)
        check_ways(p, seed, all, v, want, &error);
    long refused = c_maker_refusals();
    if (!v->failed && (all || seed % 100 == 50) && c_source_run(p, other, &e))
        compare(v, "C source", p->j, want, error, other, e);
    if (!v->failed && c_maker_refusals() > refused)
        fails(v, "C source: the compiler refuses it");
    release_all((int)p->j->n_out, other);
    knx_error_release(e);
    if (!v->failed && (all || seed % 2 == 0))
        check_public(p, seed, want, error, v);
    if (!v->failed && !error && (all || seed % 3 == 0))
        check_lanes_alone(p, seed, v);
    release_all((int)p->j->n_out, want);
    knx_error_release(error);
}

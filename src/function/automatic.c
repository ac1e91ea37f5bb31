/* SPDX-License-Identifier: Apache-2.0
 * automatic.c -- functions that try one program for all sizes of their leading axes (KN_ALL, kn_set_symbolic). Source:
 * the automatic dynamic shapes of torch.compile.
 *
 * The first call is recorded for its shapes. When a call comes whose shapes differ from those of an earlier one in
 * their leading extents alone, those that differ become dimension variables, equal ones the same, and the function is
 * recorded once more, on trial: comparisons are decided by the numbers of this call and kept as conditions, and errors
 * are not told. Extents that the user's code asks for (kn_dim) stay numbers: C could compare them, and no one would
 * hear of it. What cannot be recorded like that is recorded for each shape, and kn_fn_explain says why. 0 and 1 are
 * recorded as they are: they mean something else (nothing, broadcasting). */
#include "function/symbolic.h"
#include "array/handle.h"
#include "base/log.h"
#include <string.h>

enum { MOST_KINDS = 32, MOST_RECORDINGS = 6, SEEDS = 2 };

/* Calls whose shapes differ in leading extents alone. */
typedef struct kind {
    knx_arena arena;
    uint64_t hash, used;
    kni_type *in;  /* as the first call had them */
    int64_t *last; /* leading extent of each array of the arguments in the last call; -1: it has none */
    bool *varies;  /* it was seen to change */
    bool *stays;   /* and is a number for all that */
    bool given_up; /* recorded for each shape */
    knx_str why;   /* lines */
} kind;

typedef struct knf_automatic {
    knx_dim_scope scope;
    int n_var;
    int64_t handle[KNF_MAX_DIM_VARS];
    knx_dim_var var[KNF_MAX_DIM_VARS];
    uint64_t clock;
    int n_kind;
    kind kind[MOST_KINDS];
} knf_automatic;

static void free_kind(kind *k)
{
    knx_str_free(&k->why);
    knx_arena_free(&k->arena);
}

void knf_automatic_free(knf_core *f)
{
    knf_automatic *a = f->automatic;
    for (int i = 0; a && i < a->n_kind; i++)
        free_kind(&a->kind[i]);
    if (a)
        knx_dim_scope_free(&a->scope);
    knx_free(a);
    f->automatic = NULL;
}

knx_dim_scope *knf_automatic_scope(knf_core *f) { return f->automatic ? &f->automatic->scope : NULL; }

bool knf_is_automatic(const knf_core *f)
{
    return f->o.symbolic ? !strcmp(f->o.symbolic, KNF_ALL) : knx_context()->symbolic;
}

/* The variables b, c, ... z of a scope of its own, in which they are at least 2. */
static knf_automatic *begin(knf_core *f)
{
    knf_automatic *a = f->automatic ? f->automatic : knx_alloc_zero(sizeof *a);
    if (!a || f->automatic)
        return a;
    knx_dim_scope_init(&a->scope);
    a->scope.key = knx_hash_bytes(KNF_ALL, 1, SEEDS);
    a->scope.least = 2;
    f->automatic = a;
    knx_dim_enter(&a->scope);
    for (char name = 'b'; a->n_var < KNF_MAX_DIM_VARS; name++) {
        int v = a->n_var;
        if (!knx_dim_named(&name, 1, &a->handle[v]) || !knx_dim_is_var(a->handle[v], &a->var[v]))
            break;
        a->n_var++;
    }
    knx_dim_leave(&a->scope);
    if (a->n_var == KNF_MAX_DIM_VARS)
        return a;
    knf_automatic_free(f);
    return NULL;
}

/* ---- Kinds. */

static int n_arrays(const knf_core *f) { return f->n_captured + f->n_in; }
static int first_axis(const knf_core *f, int i) { return i >= f->n_captured; } /* that counts */

static uint64_t hash_kind(const knf_core *f, const kni_type *in)
{
    uint64_t h = (uint64_t)(uintptr_t)kna_default_float();
    for (int i = 0; i < n_arrays(f); i++) {
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)in[i].dtype ^ (uint64_t)in[i].ndim);
        for (int d = first_axis(f, i); d < in[i].ndim; d++)
            h = knx_hash_mix(h, (uint64_t)in[i].dim[d]);
    }
    return h;
}

static bool fits(const knf_core *f, const kind *k, const kni_type *in)
{
    for (int i = 0; i < n_arrays(f); i++) {
        if (k->in[i].dtype != in[i].dtype || k->in[i].ndim != in[i].ndim)
            return false;
        for (int d = first_axis(f, i); d < in[i].ndim; d++)
            if (k->in[i].dim[d] != in[i].dim[d])
                return false;
    }
    return true;
}

static int64_t leading(const knf_core *f, const kni_type *in, int i)
{
    const kni_type *t = &in[f->n_captured + i];
    return t->ndim ? t->dim[0] : -1;
}

static bool make_kind(const knf_core *f, const kni_type *in, uint64_t hash, kind *k)
{
    *k = (kind){.hash = hash};
    size_t n = (size_t)n_arrays(f), n_in = (size_t)f->n_in;
    k->in = knx_arena_alloc(&k->arena, (n + 1) * sizeof *k->in);
    k->last = knx_arena_alloc(&k->arena, (n_in + 1) * sizeof *k->last);
    k->varies = knx_arena_zero(&k->arena, n_in + 1);
    k->stays = knx_arena_zero(&k->arena, n_in + 1);
    bool fine = k->in && k->last && k->varies && k->stays;
    for (size_t i = 0; fine && i < n; i++)
        fine = kni_type_copy(&k->arena, in[i], &k->in[i]);
    for (int i = 0; fine && i < f->n_in; i++)
        k->last[i] = leading(f, in, i);
    return fine;
}

/* NULL without memory. */
static kind *kind_for(knf_core *f, const kni_type *in)
{
    knf_automatic *a = begin(f);
    uint64_t hash = a ? hash_kind(f, in) : 0;
    kind *oldest = a ? &a->kind[0] : NULL;
    for (int i = 0; a && i < a->n_kind; i++) {
        kind *k = &a->kind[i];
        oldest = k->used < oldest->used ? k : oldest;
        if (k->hash == hash && fits(f, k, in)) {
            k->used = ++a->clock;
            return k;
        }
    }
    kind fresh;
    if (!a)
        return NULL;
    if (!make_kind(f, in, hash, &fresh)) {
        free_kind(&fresh);
        return NULL;
    }
    fresh.used = ++a->clock;
    if (a->n_kind < MOST_KINDS) {
        oldest = &a->kind[a->n_kind++];
        knf_core_count(f, sizeof *oldest + fresh.arena.total);
    } else {
        free_kind(oldest);
    }
    *oldest = fresh;
    return oldest;
}

/* The call was well: its extents are what the next one is compared with. */
static void note_call(const knf_core *f, kind *k, const kni_type *in)
{
    for (int i = 0; i < f->n_in; i++) {
        int64_t n = leading(f, in, i);
        k->varies[i] |= n != k->last[i];
        k->last[i] = n;
    }
}

/* ---- Types with variables. */

/* dims->n is 0 if no extent of this call is one; *types are to be freed. False without memory. */
static bool name_extents(const knf_core *f, const kind *k, const kni_type *in, kni_type **types, knf_dims *dims)
{
    const knf_automatic *a = f->automatic;
    int n = n_arrays(f);
    size_t n_dim = 0;
    for (int i = 0; i < n; i++)
        n_dim += (size_t)in[i].ndim;
    kni_type *t = *types = knx_alloc(((size_t)n + 1) * sizeof *t + (n_dim + 1) * sizeof(int64_t));
    dims->n = 0;
    if (!t)
        return false;
    int64_t *at = (int64_t *)(void *)(t + n + 1);
    for (int i = 0; i < n; at += in[i].ndim, i++) {
        t[i] = in[i];
        t[i].dim = at;
        if (in[i].ndim)
            memcpy(at, in[i].dim, (size_t)in[i].ndim * sizeof *at);
        int arg = i - f->n_captured, v = 0;
        int64_t extent = arg < 0 ? -1 : leading(f, in, arg);
        if (extent < a->scope.least || k->stays[arg] || !(k->varies[arg] || extent != k->last[arg]))
            continue;
        while (v < dims->n && dims->value[v].value != extent)
            v++;
        if (v == KNF_MAX_DIM_VARS)
            continue; /* it stays a number */
        at[0] = a->handle[v];
        if (v == dims->n)
            dims->value[dims->n++] = (knx_dim_value){a->var[v], extent};
    }
    return true;
}

knx_error *knf_automatic_types(knf_core *f, const kni_type *in, kni_type **types, knf_dims *dims)
{
    const kind *k = kind_for(f, in);
    return k && name_extents(f, k, in, types, dims) ? NULL : knx_error_nomem();
}

/* ---- Recording on trial. */

static void say(kind *k, const knf_core *f, const char *text)
{
    const kn_place *here = knx_context()->here;
    KN_LOG(1, "jit: %s:%d: %s: %s", here ? here->file : "?", here ? here->line : 0, f->name, text);
    knx_str_printf(&k->why, "%s\n", text);
}

/* Leading extents that the user's code asked for stay numbers. False: none of them does so newly. */
static bool keep_numbers(kind *k, const knf_core *f, const kni_type *types)
{
    const knx_dim_scope *scope = &f->automatic->scope;
    bool any = false;
    for (int i = 0; i < f->n_in; i++) {
        knx_dim_var mine, found[KNF_MAX_DIM_VARS];
        int64_t d = leading(f, types, i);
        bool asked = false;
        size_t t = 0;
        if (!knx_dim_is_var(d, &mine))
            continue;
        for (; t < scope->told.n && !asked; t++)
            for (int v = 0, n = knx_dim_variables(scope->told.at[t].d, KNF_MAX_DIM_VARS, found); v < n; v++)
                asked = asked || found[v] == mine;
        if (!asked)
            continue;
        const kn_place *p = scope->told.at[t - 1].place;
        knx_text text = {0};
        knx_text_add(&text, "axis 0 of ");
        knf_show_array(&text, f, f->n_captured + i);
        knx_text_add(&text, " stays a number, which %s asks for (%s:%d)", f->name, p ? p->file : "?", p ? p->line : 0);
        say(k, f, text.s);
        k->stays[i] = any = true;
    }
    return any;
}

static int recordings_of(const knf_core *f, const kni_type *types)
{
    int n = 0;
    for (size_t i = 0; i < f->entry.n; i++) {
        const knf_entry *e = f->entry.at[i];
        bool same = e->conditions != NULL;
        for (int k = 0; same && k < n_arrays(f); k++)
            same =
                e->in[k].ndim == types[k].ndim && e->in[k].dtype == types[k].dtype &&
                (!types[k].ndim || !memcmp(e->in[k].dim, types[k].dim, (size_t)types[k].ndim * sizeof *types[k].dim));
        n += same;
    }
    return n;
}

typedef enum { RECORDED, AGAIN, FOR_EACH_SHAPE } outcome;

static knx_error *try_variables(knf_core *f, kind *k, const kni_type *types, const knf_dims *dims, knf_entry **out,
                                knf_entry **once, outcome *became, knx_text *why)
{
    kn_context c = knx_context();
    knx_dim_scope *scope = &f->automatic->scope;
    *became = FOR_EACH_SHAPE;
    if (recordings_of(f, types) >= MOST_RECORDINGS) {
        knx_text_add(why, "its recordings hold for few extents each");
        return NULL;
    }
    if (!knf_assume(scope, dims))
        return knx_error_nomem();
    if (!knx_trial_begin(c))
        return NULL;
    scope->tells = true;
    knx_error *error = knf_record_entry(f, types, dims, scope, out, once);
    scope->tells = scope->assumes = false;
    knx_error *passed = NULL;
    bool silent = knx_trial_end(c, &passed) && !error;
    if (passed && (!error || !knx_error_passes(error))) { /* reported on the way: it is the error of this call */
        knx_error_release(error);
        return passed;
    }
    knx_error_release(passed);
    if (silent) { /* an error that no result carries */
        knf_entry_free(*once);
        *once = *out = NULL;
        knx_text_add(why, "an error that no result carries");
    } else if (!error) {
        *became = RECORDED;
    } else if (knx_error_passes(error)) {
        return error;
    } else if (scope->told.n && keep_numbers(k, f, types)) {
        *became = AGAIN;
    } else {
        const kn_place *p = error->place;
        knx_text_add(why, "%s", error->message);
        if (p)
            knx_text_add(why, " (%s:%d)", p->file, p->line);
    }
    knx_error_release(error);
    return NULL;
}

/* The entry has a program for this call, or the reason why not. */
static knx_error *try_program(knf_entry *e, const knf_dims *dims, outcome *became, knx_text *why)
{
    knd_loaded *p = NULL;
    knx_error *error = knf_entry_program(e, dims, &p);
    knd_release(p);
    *became = error ? FOR_EACH_SHAPE : RECORDED;
    if (error && !knx_error_passes(error)) {
        knx_text_add(why, "%s", error->message);
        knx_error_release(error);
        return NULL;
    }
    return error;
}

knx_error *knf_automatic_entry(knf_core *f, const kni_type *in, knf_dims *dims, knf_entry **out, knf_entry **once)
{
    knx_text why = {0};
    outcome became = AGAIN;
    *once = NULL;
    dims->n = 0;
    KN_TRY(knf_known_entry(f, in, dims, out, NULL));
    if (*out)
        return NULL;
    kind *k = kind_for(f, in);
    if (!k)
        return knx_error_nomem();
    while (became == AGAIN && !k->given_up) {
        kni_type *types = NULL;
        knx_error *error = name_extents(f, k, in, &types, dims) ? NULL : knx_error_nomem();
        became = FOR_EACH_SHAPE;
        if (!error && dims->n)
            error = knf_known_entry(f, types, dims, out, NULL);
        if (!error && dims->n && !*out)
            error = try_variables(f, k, types, dims, out, once, &became, &why);
        if (!error && dims->n && *out)
            error = try_program(*out, dims, &became, &why);
        knx_free(types);
        if (error || became != RECORDED) {
            knf_entry_free(*once);
            *once = NULL;
        }
        if (error)
            return error;
    }
    if (became == RECORDED) {
        note_call(f, k, in);
        return NULL;
    }
    dims->n = 0;
    KN_TRY(knf_record_entry(f, in, dims, NULL, out, once));
    if (why.length && !k->given_up) { /* not if the call is wrong in itself */
        knx_text text = {0};
        knx_text_add(&text, "recorded for each shape: %s", why.s);
        say(k, f, text.s);
        k->given_up = true;
    }
    note_call(f, k, in);
    return NULL;
}

/* ---- Telling. */

static void show_types(knx_str *t, const knf_core *f, const kni_type *in)
{
    for (int i = 0; i < f->n_in; i++) {
        knx_text one = {0};
        knx_str_printf(t, "%s%s", i ? " " : "", kni_type_text(&one, in[f->n_captured + i], false));
    }
}

static void show_entry(knx_str *t, const knf_core *f, const knf_entry *e)
{
    show_types(t, f, e->in);
    if (e->variant)
        knf_variants_show(t, e);
    for (size_t i = 0; e->conditions && i < e->conditions->n_guard; i++) {
        const knx_dim_guard *g = &e->conditions->guard[i];
        knx_text one = {0};
        knx_str_printf(t, "%s%s", i ? ", " : " where ", knf_show_guard(&one, g));
        if (g->place)
            knx_str_printf(t, " (%s:%d)", g->place->file, g->place->line);
    }
    knx_str_puts(t, "\n");
}

static void drop_text(void *p) { knx_free(p); }

static void explain(knx_str *t, const knf_core *f)
{
    for (size_t i = 0; i < f->entry.n; i++)
        show_entry(t, f, f->entry.at[i]);
    for (int i = 0; f->automatic && i < f->automatic->n_kind; i++)
        if (f->automatic->kind[i].why.s) {
            show_types(t, f, f->automatic->kind[i].in);
            knx_str_printf(t, " and its like: %s", f->automatic->kind[i].why.s);
        }
}

const char *kn_fn_explain(kn_fn fn)
{
    kna_op op;
    knx_str t = {0};
    kna_begin(&op, "fn_explain");
    knf_fn *h = knf_fn_get(&op, fn);
    for (const knf_core *f = h ? h->core : NULL; f; f = knf_made_of(h->core, f))
        explain(&t, f);
    if (t.failed)
        kna_fail_with(&op, knx_error_nomem());
    bool fine = kna_end_plain(&op) && t.s;
    if (!fine)
        knx_str_free(&t);
    return fine && kna_handle_new(KN_H_TEXT, t.s, drop_text) ? t.s : "";
}

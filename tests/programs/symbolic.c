/* SPDX-License-Identifier: Apache-2.0
 * symbolic.c -- a program with dimension variables in the place of its extents, compiled once, and run for many sets of
 * numbers that its guards allow: the bits of programs made for each set. */
#include "programs.h"
#include "variables.h"
#include "host/native.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 20, TRIES = 400, MOST_VARS = 64, MOST_GUARDS = 4096, MOST_ELEMENTS = 200000 };

typedef struct subject {
    const program *p;
    variables v;
    uint64_t state;
    kni_jaxpr *symbolic;
    knc_program *made;
    bool fuse;
    int threads;
} subject;

static int below_number(subject *s, int64_t n) { return n > 0 ? (int)(test_random(&s->state) % (uint64_t)n) : 0; }

/* ---- With variables. */

static knx_error *compiled(subject *s)
{
    knx_error *e = NULL;
    const knc_compile_options o = {.target = knd_host.target(&knd_host), .fuse = s->fuse};
    knx_dim_enter(&s->v.scope);
    s->symbolic = with_variables(&s->v, s->p->j, &e);
    if (!e && !knx_dim_now()->error)
        e = knc_compile(s->symbolic, &o, &s->made);
    knx_dim_leave(&s->v.scope);
    knx_error *refused = knx_dim_take_error(&s->v.scope);
    if (refused) {
        knx_error_release(e);
        e = refused;
    }
    return e;
}

static void drop(subject *s)
{
    kni_release(s->symbolic);
    knc_release(s->made);
    s->symbolic = NULL;
    s->made = NULL;
    knx_dim_scope_free(&s->v.scope);
    knx_arena_free(&s->v.arena);
}

static void begin(subject *s, const int64_t *kept, int n_kept)
{
    s->v = (variables){.arena = KN_ARENA_INIT, .least = 2, .kept = kept, .n_kept = n_kept};
    knx_dim_scope_init(&s->v.scope);
    s->v.scope.assumes = true;
}

/* With as many variables as possible: all, else without each of the numbers, else each alone. False: none. */
static bool make_symbolic(subject *s, verdict *v)
{
    int64_t number[MOST_VARS], kept[MOST_VARS];
    int n = 0, tried = 0;
    begin(s, NULL, 0);
    knx_error *e = compiled(s);
    n = s->v.scope.sample.n < MOST_VARS ? (int)s->v.scope.sample.n : MOST_VARS;
    for (int i = 0; i < n; i++)
        number[i] = s->v.scope.sample.at[i].value;
    for (; e && e->kind == KN_ERROR_DIMENSION && tried < 2 * n; tried++) {
        int n_kept = 0;
        for (int i = 0; i < n; i++)
            if ((i == tried % n) == (tried < n))
                kept[n_kept++] = number[i];
        knx_error_release(e);
        drop(s);
        begin(s, kept, n_kept);
        e = compiled(s);
    }
    v->refused = e && e->kind == KN_ERROR_DIMENSION;
    if (e && !v->refused)
        fails(v, "with variables: %s", e->message);
    bool some = !e && s->made && s->v.scope.sample.n && s->v.scope.sample.n <= MOST_VARS && knc_has_variables(s->made);
    knx_error_release(e);
    s->v.kept = NULL; /* from now on the variables are those of the sample */
    s->v.n_kept = 0;
    return some;
}

/* ---- Sets of numbers. */

static int64_t number_for(subject *s, int64_t was, int kind)
{
    static const int64_t prime[] = {2, 3, 5, 7, 11, 13, 31, 61}, some[] = {1, 8, 16, 64, 100, 127, 128, 257, 1009};
    switch (kind) {
    case 0: return 1 + below_number(s, 3);
    case 1: return prime[below_number(s, 8)];
    case 2: return some[below_number(s, 9)];
    case 3: return was + below_number(s, 5);
    case 4: return was * (1 + below_number(s, 4));
    default: return 1 + below_number(s, 3 * was);
    }
}

/* What the guards that are equalities say of the variables that have no number yet: the first `n` of `order` have one. */
static bool solve(const subject *s, knx_dim_value *known, int *n)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t g = 0; g < s->v.scope.guard.n; g++) {
            const knx_dim_guard *one = &s->v.scope.guard.at[g];
            knx_dim_var v;
            int64_t times, rest;
            if (!one->equal || !one->holds || !knx_dim_is_linear(one->e, *n, known, &v, &times, &rest))
                continue;
            if (rest % times || -rest / times < 1)
                return false;
            known[(*n)++] = (knx_dim_value){v, -rest / times};
            more = true;
        }
    }
    return true;
}

static bool has_number(const knx_dim_value *known, int n, knx_dim_var v)
{
    for (int i = 0; i < n; i++)
        if (known[i].var == v)
            return true;
    return false;
}

/* Numbers for the variables of the sample, in its order. */
static bool choose(subject *s, int64_t *instead)
{
    knx_dim_value known[2 * MOST_VARS], value[MOST_VARS];
    int n = 0, all = (int)s->v.scope.sample.n, first = below_number(s, all), kind = below_number(s, 6);
    for (int i = 0; i < all; i++) {
        const knx_dim_value *x = &s->v.scope.sample.at[(first + i) % all];
        if (has_number(known, n, x->var))
            continue;
        bool stays = !below_number(s, 4);
        known[n++] = (knx_dim_value){x->var, stays ? x->value : number_for(s, x->value, kind)};
        if (!solve(s, known, &n) || n > all)
            return false;
    }
    for (int i = 0; i < all; i++)
        for (int k = 0; k < n; k++)
            if (known[k].var == s->v.scope.sample.at[i].var)
                value[i] = known[k];
    for (int i = 0; i < all; i++)
        instead[i] = value[i].value;
    return guards_hold(&s->v, value);
}

/* ---- Running. */

/* The elements of x over and over. */
static knx_buffer *refilled(const knx_buffer *x, kni_type from, kni_type to)
{
    size_t had = kni_type_bytes(from), bytes = kni_type_bytes(to), size = to.dtype->size;
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && !had)
        memset(b->data, 0, bytes);
    for (size_t i = 0; b && had && i < bytes; i += size)
        memcpy((char *)b->data + i, (const char *)x->data + i % had, size);
    return b;
}

static bool affordable_program(const kni_jaxpr *j)
{
    double all = 0;
    for (uint32_t i = 0; i < j->n_var; i++)
        all += (double)kni_type_size(j->type[i]);
    return all <= MOST_ELEMENTS * 8.0;
}

static knx_error *run_instance(subject *s, const int64_t *instead, const program *p, knx_buffer **out)
{
    knx_dim_value value[MOST_VARS];
    knd_operand in[MAX_VALUES];
    knc_program *instance = NULL;
    knd_loaded *loaded = NULL;
    for (size_t i = 0; i < s->v.scope.sample.n; i++)
        value[i] = (knx_dim_value){s->v.scope.sample.at[i].var, instead[i]};
    knx_error *e =
        knc_instantiate(s->made, (int)s->v.scope.sample.n, value, knd_host.target(&knd_host)->alignment, &instance);
    if (!e)
        e = knd_load(&knd_host, instance, &loaded);
    knc_release(instance);
    for (int i = 0; i < program_operands(p); i++)
        in[i] = (knd_operand){.buffer = p->x[i], .data = p->x[i]->data};
    if (!e)
        e = knd_run_with(loaded, in, out, &(knd_options){.threads = s->threads});
    knd_release(loaded);
    return e;
}

static void show_numbers(const subject *s, const int64_t *instead, char *text, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < s->v.scope.sample.n && n + 48 < room; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%s=%lld", i ? " " : "", knx_dim_name(s->v.scope.sample.at[i].var),
                              (long long)instead[i]);
}

/* False: these numbers are not for this program. */
static bool run_set(subject *s, const int64_t *instead, verdict *v)
{
    knx_error *e = NULL;
    knx_buffer *want[MAX_VALUES] = {NULL}, *got[MAX_VALUES] = {NULL};
    char name[200] = "";
    s->v.instead = instead;
    program q = {.j = with_variables(&s->v, s->p->j, &e)};
    s->v.instead = NULL;
    if (e || !affordable_program(q.j)) {
        bool fine = !e;
        if (e)
            show_numbers(s, instead, name, sizeof name);
        if (e)
            fails(v, "the guards allow %s: %s", name, e->message);
        knx_error_release(e);
        kni_release(q.j);
        return !fine;
    }
    q.x = calloc((size_t)program_operands(&q) + 1, sizeof *q.x);
    for (int i = 0; i < program_operands(&q); i++)
        q.x[i] = refilled(s->p->x[i], s->p->j->type[i], q.j->type[i]);
    knx_error *error = way_run(&(way){.fuse = s->fuse, .as_used = true, .threads = s->threads}, &q, 0, want);
    e = run_instance(s, instead, &q, got);
    show_numbers(s, instead, name, sizeof name);
    compare(v, name, q.j, want, error, got, e);
    v->ran |= !error;
    release_all((int)q.j->n_out, want);
    release_all((int)q.j->n_out, got);
    knx_error_release(error);
    knx_error_release(e);
    program_free(&q);
    return true;
}

void check_symbolic(const program *p, uint64_t seed, verdict *v)
{
    static const int threads[] = {1, 2, 7};
    subject s = {.p = p, .state = seed * 77 + 5, .threads = threads[seed % 3], .fuse = seed % 8 != 7};
    int64_t instead[MOST_VARS];
    *v = (verdict){0};
    if (program_operands(p) > MAX_VALUES || p->j->n_out > MAX_VALUES || p->j->has & (KN_EFFECT | KN_USER))
        return;
    if (make_symbolic(&s, v) && !s.v.rule) {
        v->taken = true;
        for (int i = 0; i < TRIES && v->sets < MOST_SETS && !v->failed; i++)
            v->sets += choose(&s, instead) && run_set(&s, instead, v);
    }
    drop(&s);
}

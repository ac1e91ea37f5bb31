/* SPDX-License-Identifier: Apache-2.0
 * primitive_record.c -- the functions of a primitive that speak in Kiln calls, recorded: each once for the types,
 * parameters and whatever else it is asked with. They are recorded apart from what is being recorded around them, so
 * that what they give depends on nothing else, and each context keeps the ones that it met last. */
#include "function/custom.h"
#include "function/primitive.h"
#include "base/hash.h"
#include "base/out.h"
#include "ir/ops.h"
#include "transform/transform.h"
#include <string.h>

/* ---- Remembering. */

enum { MOST = 256 };
typedef struct recorded {
    knf_ask ask; /* with copies in the arena */
    uint64_t hash;
    uint16_t events; /* the error state */
    kn_dtype default_float;
    kni_jaxpr *jaxpr;
    int *notes;
    knx_arena arena;
} recorded;
struct knf_recorded_rules {
    knx_table map;
    KN_VEC(recorded *) all; /* up to MOST, then the one at `next` goes */
    size_t next;
};

static void drop(recorded *r)
{
    kni_params_drop(&r->ask.p->row, r->ask.params);
    kni_release(r->jaxpr);
    knx_arena_free(&r->arena);
    knx_free(r);
}

static void drop_rules(knf_recorded_rules *r)
{
    for (size_t i = 0; r && i < r->all.n; i++)
        drop(r->all.at[i]);
    if (r) {
        KN_VEC_FREE(&r->all);
        knx_table_free(&r->map);
    }
    knx_free(r);
}

static uint64_t hash_of(const knf_ask *a)
{
    uint64_t h = knx_hash_mix((uint64_t)(uintptr_t)a->p, (uint64_t)a->kind);
    h = knx_hash_mix(knx_hash_mix(h, (uint64_t)a->operand), (uint64_t)a->size);
    h = kni_params_hash(&a->p->row, a->params, h);
    for (int i = 0; i < a->n_in; i++) {
        kni_type t = a->x[i];
        t.weak = false;
        h = kni_type_hash(t, h);
    }
    return h;
}

static bool same_bytes(const void *a, const void *b, size_t n) { return !a == !b && (!a || !memcmp(a, b, n)); }

static bool same(const recorded *r, const knf_ask *a)
{
    const knf_ask *b = &r->ask;
    if (a->p != b->p || a->kind != b->kind || a->operand != b->operand || a->size != b->size || a->n_in != b->n_in ||
        r->default_float != kna_default_float() || r->events != kna_state_get()->how.events ||
        !kni_params_equal(&a->p->row, a->params, b->params))
        return false;
    for (int i = 0; i < a->n_in; i++)
        if (a->x[i].dtype != b->x[i].dtype || !kni_type_same_shape(a->x[i], b->x[i]))
            return false;
    return same_bytes(a->axis, b->axis, (size_t)a->n_in * sizeof *a->axis) &&
           same_bytes(a->absent, b->absent, (size_t)a->n_in * sizeof *a->absent);
}

static recorded *find(const knf_recorded_rules *rules, const knf_ask *ask, uint64_t hash)
{
    size_t cursor;
    recorded *r = rules && !knf_is_assuming() ? knx_table_first(&rules->map, hash, &cursor) : NULL;
    while (r && !same(r, ask))
        r = knx_table_next(&rules->map, hash, &cursor);
    return r;
}

static bool copy_ask(recorded *r, const knf_ask *a)
{
    kni_type *x = knx_arena_alloc(&r->arena, ((size_t)a->n_in + 1) * sizeof *x);
    bool ok = x != NULL;
    for (int i = 0; ok && i < a->n_in; i++)
        ok = kni_type_copy(&r->arena, a->x[i], &x[i]);
    r->ask = *a;
    r->ask.x = x;
    r->ask.params = NULL;
    ok = ok && (!a->axis || (r->ask.axis = knx_arena_copy(&r->arena, a->axis, (size_t)a->n_in * sizeof *a->axis)));
    ok = ok && (!a->absent || (r->ask.absent = knx_arena_copy(&r->arena, a->absent, (size_t)a->n_in)));
    return ok && kni_params_copy(&r->arena, &a->p->row, a->params, &r->ask.params);
}

/* Not being remembered is no failure. */
static void remember(const knf_ask *ask, uint64_t hash, const kni_jaxpr *j, const int *notes)
{
    kna_state *s = kna_state_get();
    knf_recorded_rules *rules = s->recorded ? s->recorded : (s->recorded = knx_alloc_zero(sizeof *rules));
    s->drop_recorded = drop_rules;
    recorded *r = rules && !knf_is_assuming() ? knx_alloc_zero(sizeof *r) : NULL;
    if (!r)
        return;
    bool ok = copy_ask(r, ask) && (r->notes = knx_arena_copy(&r->arena, notes, (size_t)ask->n_results * sizeof *notes));
    r->hash = hash;
    r->default_float = kna_default_float();
    r->events = s->how.events;
    r->jaxpr = kni_retain(j);
    ok = ok && (rules->all.n == MOST || KN_VEC_RESERVE(&rules->all, 1)) && knx_table_add(&rules->map, hash, r);
    if (!ok) {
        drop(r);
        return;
    }
    if (rules->all.n < MOST) {
        rules->all.at[rules->all.n++] = r;
        return;
    }
    recorded **at = &rules->all.at[rules->next++ % MOST];
    knx_table_remove(&rules->map, (*at)->hash, *at);
    drop(*at);
    *at = r;
}

/* ---- Calling the function while it is recorded. */

static const char *const words[] = {
    [KNF_ASK_JVP] = "jvp", [KNF_ASK_TRANSPOSE] = "transpose", [KNF_ASK_BATCH] = "batch"};

static const char *function_of(const knf_ask *a)
{
    return a->kind != KNF_ASK_BODY ? words[a->kind] : a->p->o.expression ? "expression" : "compute";
}

typedef struct recording {
    const knf_ask *ask;
    knf_primitive_calling c;
    knx_arena arena;
    kn_array *x; /* transpose: operands, NULL where there is no value */
    int *notes;
    kni_jaxpr *out;
    knx_error *error;
} recording;

static int call_transpose(recording *r, const kn_array *in, kn_array *y)
{
    const knf_ask *a = r->ask;
    for (int i = 0; i < a->n_in; i++)
        r->x[i] = a->absent[i] ? NULL : *in++;
    return a->p->o.transpose(&r->c.call, r->x, a->operand, in, y);
}

static int call_one(recording *r, const kn_array *in, kn_array *y)
{
    const knf_ask *a = r->ask;
    const kn_primitive_opts *o = &a->p->o;
    switch (a->kind) {
    case KNF_ASK_BODY: return (o->expression ? o->expression : o->compute)(&r->c.call, in, y);
    case KNF_ASK_JVP: return o->jvp(&r->c.call, in, in + a->n_in, a->operand, in[a->n - 1], y);
    case KNF_ASK_TRANSPOSE: return call_transpose(r, in, y);
    case KNF_ASK_BATCH: return o->batch(&r->c.call, a->size, a->axis, in, y, r->notes);
    }
    return 0;
}

/* As a C function of one argument, the list of all arrays. */
static void call_recorded(const void *env, void *out, const void *const *in)
{
    recording *r = (recording *)(uintptr_t)env;
    const knf_ask *a = r->ask;
    const kn_array *x = in[0];
    kn_array *y = out;
    knf_speaker before = knf_primitive_listen();
    int status = call_one(r, x, y);
    knf_primitive_heard(before, function_of(a), status, &r->c);
    bool may_be_nothing = a->kind == KNF_ASK_JVP || a->kind == KNF_ASK_TRANSPOSE;
    for (int k = 0; may_be_nothing && k < a->n_results; k++) {
        r->notes[k] = !y[k] || !kni_has_tangent(a->out[k]);
        if (r->notes[k])
            y[k] = x[a->n - 1]; /* there has to be something: a tangent, or a cotangent */
    }
}

/* ---- The jaxpr. */

/* A number that waits for its dtype takes the one that is wanted; beside arrays an expression's scalar is one, too. */
static kni_atom settled(kni_builder *b, kni_atom y, const kni_type *wanted, const kni_type *spread)
{
    knx_scalar_bits bits, to = {{0}};
    kni_type t = knb_type(b, y);
    if (t.weak && knb_literal_value(b, y, &bits)) {
        kn_dtype d = wanted ? wanted->dtype : kna_strong_dtype(t);
        if (d->kind != KN_KIND_KEY) {
            knx_convert(t.dtype, &bits, d, &to);
            y = knb_literal(b, d, false, to);
        }
    }
    return spread && !t.ndim ? knb_broadcast_to(b, y, *spread) : y;
}

/* What an expression's results have in common: the shape of the operand that is an array. */
static const kni_type *spread_of(const knf_ask *a)
{
    const kni_type *t = NULL;
    for (int i = 0; a->p->o.expression && i < a->n_in; i++)
        t = a->x[i].ndim ? &a->x[i] : t;
    return t;
}

static knx_error *check_result(const knf_ask *a, int k, kni_type has)
{
    knx_text s = {0}, t = {0};
    if (!a->out || (has.dtype == a->out[k].dtype && kni_type_same_shape(has, a->out[k])))
        return NULL;
    const char *result = a->kind == KNF_ASK_JVP ? "tangent" : a->kind == KNF_ASK_TRANSPOSE ? "cotangent" : "result";
    return knx_error_new(KN_ERROR_TYPE, "the %s function gives %s %d of type %s, not %s", function_of(a), result,
                         a->kind == KNF_ASK_TRANSPOSE ? a->operand : k, kni_type_text(&s, has, true),
                         kni_type_text(&t, a->out[k], true));
}

static knx_error *settle(const knf_ask *a, const int *notes, const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    const kni_type *spread = a->kind == KNF_ASK_BODY || a->kind == KNF_ASK_JVP ? spread_of(a) : NULL;
    kni_atom *x = knx_arena_alloc(&b.arena, ((size_t)j->n_in + 1) * sizeof *x);
    kni_atom *y = knx_arena_alloc(&b.arena, ((size_t)j->n_out + 1) * sizeof *y);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !e && i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    if (!e)
        knb_inline(&b, j, x, y);
    for (int k = 0; !e && !b.error && k < a->n_results; k++) {
        bool nothing = a->kind != KNF_ASK_BATCH && notes[k];
        y[k] = nothing ? knb_number(&b, KN_DT(F32), 0) : settled(&b, y[k], a->out ? &a->out[k] : NULL, spread);
        e = nothing || b.error ? NULL : check_result(a, k, knb_type(&b, y[k]));
    }
    if (!e)
        e = knb_finish(&b, a->n_results, y, a->p->row.name, true, out);
    knb_free(&b);
    return e;
}

/* Is each equation elementwise, or does it spread scalars? */
static knx_error *check_elementwise(const kni_jaxpr *body)
{
    kni_jaxpr *flat = NULL, *j = NULL;
    KN_TRY(knt_inline_calls(body, &flat));
    knx_error *e = knt_expand(flat, &j);
    kni_release(flat);
    for (uint32_t i = 0; !e && i < j->n_eqn; i++) {
        const kni_eqn *q = &j->eqn[i];
        bool fine = (q->prim->bits & KN_ELEMENTWISE) != 0, of_scalars = (q->prim->bits & KN_VIEW) != 0;
        for (uint32_t k = 0; k < q->n_in; k++)
            of_scalars = of_scalars && !kni_atom_type(j, q->in[k]).ndim;
        if (!fine && !of_scalars)
            e = knx_error_new(KN_ERROR_TYPE,
                              "the expression uses %s, which does not go element by element; say it with .compute",
                              q->prim->name);
    }
    kni_release(j);
    return e;
}

static void record(void *arg)
{
    recording *r = arg;
    const knf_ask *a = r->ask;
    kna_state *s = kna_state_get();
    uint8_t fold = s->how.fold;
    bool whole = s->how.whole;
    kna_closed closed = {0};
    kni_jaxpr *folded = NULL;
    const kn_function f = {.size_ = sizeof f, .name = a->p->row.name, .call = call_recorded};
    knf_core core = {.kind = KNF_FN_C,
                     .c = &f,
                     .env = r,
                     .name = f.name,
                     .n_args = 1,
                     .arrays = {a->n},
                     .n_in = a->n,
                     .n_out = a->n_results};
    atomic_init(&core.refs, 1);
    s->how.fold = s->how.whole = false;
    r->error = knf_derive(&core, a->in, NULL, function_of(a), &closed);
    s->how.fold = fold;
    s->how.whole = whole;
    if (r->c.error) { /* what the function says counts */
        knx_error_release(r->error);
        r->error = r->c.error;
    }
    if (!r->error)
        r->error = knf_fold_constants(f.name, "make it an operand", &closed, &folded);
    if (!r->error)
        r->error = settle(a, r->notes, folded, &r->out);
    if (!r->error && a->kind == KNF_ASK_BODY && a->p->o.expression)
        r->error = check_elementwise(r->out);
    kni_release(folded);
    kna_closed_free(&closed);
}

knx_error *knf_primitive_ask(const knf_ask *ask, kni_jaxpr **out, int *notes)
{
    kna_state *s = kna_state_get();
    if (!s)
        return knx_error_nomem();
    uint64_t hash = hash_of(ask), reports = knx_context()->reports;
    const recorded *known = find(s->recorded, ask, hash);
    if (known) {
        memcpy(notes, known->notes, (size_t)ask->n_results * sizeof *notes);
        *out = kni_retain(known->jaxpr);
        return NULL;
    }
    recording r = {.ask = ask, .notes = notes};
    memset(notes, 0, (size_t)ask->n_results * sizeof *notes);
    r.x = knx_arena_alloc(&r.arena, ((size_t)ask->n_in + 1) * sizeof *r.x);
    knx_error *e = r.x && knf_primitive_describe(ask->p, ask->params, ask->n_in, ask->x, ask->y, &r.arena, &r.c)
                       ? knx_call_user(record, &r)
                       : knx_error_nomem();
    if (!e)
        e = r.error;
    knx_arena_free(&r.arena);
    if (e) {
        kni_release(r.out);
        return e;
    }
    if (!knx_reported_since(reports))
        remember(ask, hash, r.out, notes);
    *out = r.out;
    return NULL;
}

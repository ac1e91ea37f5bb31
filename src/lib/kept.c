/* SPDX-License-Identifier: Apache-2.0
 * kept.c -- programs of functions of few elements, by what was called. */
#include "lib/kept.h"
#include "array/element.h"
#include "array/handle.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/log.h"
#include <string.h>

/* What came so often gets a program. It has a few places to be at; where all are taken, what was asked for longest ago
 * begins anew. */
enum { OFTEN = 64, SETS = 64, PLACES = 4 };
enum { FEW = 1024, WORDS = 96, LITTLE = 4096 }; /* elements of an array, words of a key, bytes of working memory */

/* What is called: words, and where the operands lie. */
typedef struct asked {
    uint64_t word[WORDS], hash;
    int n_word, n_in;
    int from[KNL_KEPT_ARRAYS]; /* which array an operand is */
    knd_operand in[KNL_KEPT_ARRAYS];
    kni_type type[KNL_KEPT_ARRAYS];
    int64_t dim[KNL_KEPT_ARRAYS][4];
} asked;

typedef struct kept {
    uint64_t hash, last; /* when it was asked for */
    uint32_t seen;
    bool tried;
    int n_word;
    uint64_t *word;
    knd_loaded *program;
    knd_direct *direct; /* NULL: it is more than one call */
    uint64_t work;      /* bytes beside operands and result */
    kni_type type;      /* of its result, whose extents are in `dim` */
    int64_t dim[KN_MAX_NDIM];
} kept;

struct knl_calls {
    uint64_t clock;
    kept at[SETS][PLACES];
};

static void forget(kept *k)
{
    knx_free(k->direct);
    knd_release(k->program);
    knx_free(k->word);
    *k = (kept){0};
}

static void drop_calls(struct knl_calls *c)
{
    for (int i = 0; i < SETS * PLACES; i++)
        forget(&c->at[i / PLACES][i % PLACES]);
    knx_free(c);
}

/* ---- What is called. */

static inline bool add(asked *a, uint64_t word)
{
    if (a->n_word == WORDS)
        return false;
    a->word[a->n_word++] = word;
    return true;
}

/* Most words of options are 0. */
static bool add_options(asked *a, const knl_call *c)
{
    const char *at = c->options;
    size_t n = c->bytes / sizeof(uint64_t);
    uint64_t word, rest = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(&word, at + i * sizeof word, sizeof word);
        if (word && !(add(a, i) && add(a, word)))
            return false;
    }
    if (c->bytes % sizeof word)
        memcpy(&rest, at + n * sizeof word, c->bytes % sizeof word);
    return !rest || (add(a, n) && add(a, rest));
}

static bool add_type(asked *a, int i, kni_type t)
{
    int64_t n = 1;
    bool fits = t.ndim <= (int)(sizeof a->dim[0] / sizeof a->dim[0][0]) && add(a, (uint64_t)(uintptr_t)t.dtype) &&
                add(a, (uint64_t)i << 8 | (uint64_t)t.ndim);
    int64_t *dim = a->dim[a->n_in];
    for (int d = 0; fits && d < t.ndim; d++) {
        dim[d] = t.dim[d];
        fits = !knx_is_symbolic(dim[d]) && dim[d] <= FEW && (n *= dim[d]) <= FEW && add(a, (uint64_t)dim[d]);
    }
    a->type[a->n_in] = kni_type_of(t.dtype, t.ndim, dim);
    a->from[a->n_in++] = i;
    return fits;
}

/* A C number is a part of what is called, another one is an operand. */
static bool add_number(asked *a, int i, const kna_value *v)
{
    if (v->site)
        return false;
    if (!v->type.weak) {
        a->in[a->n_in] = (knd_operand){.data = &v->bits};
        return add_type(a, i, v->type);
    }
    return !kna_is_extent(v) && add(a, (uint64_t)(uintptr_t)v->type.dtype) && add(a, (uint64_t)i << 8 | 1 << 7) &&
           add(a, v->bits.u[0]) && add(a, v->bits.u[1]);
}

/* In C order, where nobody else writes. */
static bool add_array(asked *a, int i, kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_lying l;
    const kna_value *v = kna_handle_peek(x, &kind);
    if (kind == KN_H_ARRAY && v->state == KN_V_NUMBER)
        return add_number(a, i, v);
    if (kind == KN_H_ARRAY && v->state == KN_V_BUFFER && v->buffer->data && !v->pin && !v->site) {
        a->in[a->n_in] = (knd_operand){.buffer = v->buffer};
        return add_type(a, i, v->type);
    }
    if (kind != KN_H_VIEW || !kna_lies(x, &l) || !l.in_c_order || !kna_lies_in_order(&l))
        return false;
    a->in[a->n_in] = (knd_operand){.data = l.first};
    return add_type(a, i, l.type);
}

static bool ask(const knl_call *c, asked *a)
{
    a->n_word = a->n_in = 0;
    bool fits = add(a, (uint64_t)(uintptr_t)c->f) && add(a, (uint64_t)(uintptr_t)kna_default_float());
    for (int i = 0; fits && i < c->n; i++)
        fits = !c->x[i] || add_array(a, i, c->x[i]);
    if (!fits || !add_options(a, c))
        return false;
    uint64_t h = 1;
    for (int i = 0; i < a->n_word; i++)
        h = knx_hash_mix(h, a->word[i]);
    a->hash = h;
    return true;
}

/* ---- Making its program. */

static void drop_value(void *v) { kna_value_release(v); }

/* The result, if it is an array of its own: writes to a view would have to go on to what it shows. */
static knx_error *result_atom(kna_recording *r, kn_array y, kni_atom *out)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_value *v = kna_handle_peek(y, &kind);
    if (r->refused || kind != KN_H_ARRAY || v->state != KN_V_TRACER)
        return knx_error_new(KN_ERROR_TYPE, "it is none that can be kept");
    return kna_recording_atom(r, v, out);
}

static knx_error *trace(kna_recording *r, const knl_call *c, const asked *a, kni_atom *out)
{
    kn_array x[KNL_KEPT_ARRAYS];
    for (int i = 0; i < c->n; i++)
        x[i] = c->x[i];
    for (int i = 0; i < a->n_in; i++) {
        kna_value *v = kna_recording_tracer(r, kna_recording_input(r, a->type[i], NULL));
        x[a->from[i]] = v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
        if (!x[a->from[i]])
            return knx_error_nomem();
    }
    return result_atom(r, c->f(x, c->options), out);
}

static knx_error *record(const knl_call *c, const asked *a, kna_closed *out)
{
    kni_atom y = KN_ATOM_NONE;
    kna_recording *r = kna_recording_begin(c->name, "jit", false);
    if (!r)
        return knx_error_nomem();
    kn_scope scope = kn_scope_begin();
    knx_error *error = trace(r, c, a, &y);
    kn_scope_end(&scope);
    if (error)
        kna_recording_abort(r);
    else
        error = kna_recording_end(r, 1, &y, out);
    return error;
}

/* Does it compute its result of the operands alone, whatever these are? */
static bool is_plain(const kna_closed *c)
{
    bool plain = !c->n_const && !c->once && kni_is_var(c->jaxpr->out[0]);
    for (uint32_t k = 0; plain && k < c->jaxpr->n_eqn; k++) {
        const kni_eqn *e = &c->jaxpr->eqn[k];
        plain = !kni_can_fail(e->prim, e->params) && !(kni_bits(e->prim, e->params) & (KN_EFFECT | KN_USER | KN_NAMES));
    }
    return plain;
}

static knx_error *compile(kept *k, const asked *a, const kni_jaxpr *j)
{
    size_t bytes = (size_t)a->n_word * sizeof *a->word;
    const knc_compile_options o = {.kernels = kna_state_get()->caches->kernels, .fuse = true};
    kni_type t = j->type[j->out[0]];
    k->type = kni_type_of(t.dtype, t.ndim, NULL);
    if (t.ndim)
        memcpy(k->dim, t.dim, (size_t)t.ndim * sizeof *k->dim);
    k->word = knx_alloc(bytes);
    if (!k->word)
        return knx_error_nomem();
    memcpy(k->word, a->word, bytes);
    k->n_word = a->n_word;
    KN_TRY(knd_compile(&knd_host, j, &o, &k->program));
    k->direct = knd_make_direct(k->program, 0, NULL, 1);
    k->work = knd_workspace_bytes(k->program, 1);
    return NULL;
}

/* Takes e; NULL if it is anything but somebody's wish that what runs should end. */
static knx_error *ended(knx_error *e)
{
    if (!e || e->interruption)
        return e;
    knx_error_release(e);
    return NULL;
}

/* Errors are of no interest: whoever calls goes on as before, and meets them there. Only somebody who ended what ran is
 * heard, once. After an error that passes it is tried again when the same has come as often once more. */
static knx_error *make(const knl_call *c, const asked *a, kept *out)
{
    kn_context context = knx_context();
    const kn_place *here = context->here;
    const char *operation = context->operation;
    kna_closed closed = {0};
    kept made = {.hash = a->hash};
    *out = made;
    if (!knx_trial_begin(context)) /* another one is going on: later, then */
        return NULL;
    knx_error *passed = NULL, *error = record(c, a, &closed);
    if (!knx_trial_end(context, &passed) && !error && is_plain(&closed))
        error = compile(&made, a, closed.jaxpr);
    if (!passed && error && knx_error_passes(error))
        passed = knx_error_retain(error);
    made.tried = !passed;
    context->here = here;
    context->operation = operation;
    if (made.program)
        KN_LOG(1, "plan: %s:%d: %s is kept", here ? here->file : "?", here ? here->line : 0, c->name);
    knx_error_release(error);
    kna_closed_free(&closed);
    *out = made;
    return ended(passed);
}

/* ---- Finding and running it. */

static bool is_same(const kept *k, const asked *a)
{
    return k->n_word == a->n_word && !memcmp(k->word, a->word, (size_t)a->n_word * sizeof *a->word);
}

/* By the hash alone: what is the same is looked at where there is a program. */
static kept *place_of(struct knl_calls *calls, uint64_t hash)
{
    kept *set = calls->at[(hash ^ hash >> 32) % SETS], *oldest = set;
    for (int i = 0; i < PLACES; i++) {
        if (set[i].hash == hash)
            return &set[i];
        oldest = set[i].last < oldest->last ? &set[i] : oldest;
    }
    forget(oldest);
    oldest->hash = hash;
    return oldest;
}

/* It stays until memory is asked for: making room, caches go, all of them. *out is NULL where there is none. */
static knx_error *find(const knl_call *c, const asked *a, const kept **out)
{
    kna_state *s = kna_state_get();
    if (!s->calls && (s->calls = knx_alloc_zero(sizeof *s->calls)))
        s->drop_calls = drop_calls;
    *out = NULL;
    if (!s->calls)
        return NULL;
    kept *k = place_of(s->calls, a->hash);
    k->last = ++s->calls->clock;
    if (!k->tried && ++k->seen >= OFTEN) {
        kept made;
        knx_error *error = make(c, a, &made);
        if (!s->calls) {
            forget(&made);
            return error;
        }
        k = place_of(s->calls, a->hash);
        forget(k);
        *k = made;
        k->last = s->calls->clock;
        if (error)
            return error;
    }
    *out = k->program && is_same(k, a) ? k : NULL;
    return NULL;
}

/* With all memory at hand, before anything runs. *ran is false if it needs more. */
static knx_error *run_here(const kept *k, const asked *a, void *to, bool *ran)
{
    _Alignas(64) char work[LITTLE];
    const void *in[KNL_KEPT_ARRAYS];
    *ran = k->work <= sizeof work;
    if (!*ran)
        return NULL;
    for (int i = 0; i < a->n_in; i++)
        in[i] = a->in[i].buffer ? a->in[i].buffer->data : a->in[i].data;
    if (k->direct && knd_direct_workspace(k->direct) <= sizeof work)
        return knd_run_direct(k->direct, in, &to, work);
    if (!knd_is_one_kernel(k->program))
        return knd_run_into(k->program, a->in, &to, work, 1);
    return knd_run_kernel(k->program, 0, NULL, in, &to, work, 1);
}

/* The result, or NULL without memory; an error if somebody ended it. The program goes if memory is asked for. */
static knx_error *run(const kept *k, kni_type type, const asked *a, knx_buffer **out)
{
    const knd_options how = {.threads = 1};
    uint64_t bytes = kni_type_bytes(type);
    knd_loaded *program = k->work > LITTLE ? knd_retain(k->program) : NULL;
    knx_buffer *b = program ? NULL : knx_buffer_new(bytes ? bytes : 1);
    knx_error *error = NULL;
    bool ran = true;
    if (program)
        error = knd_run_with(program, a->in, &b, &how);
    else if (b && kna_state_get()->calls)
        error = run_here(k, a, b->data, &ran);
    else
        ran = false;
    if (error || !ran) {
        knx_buffer_release(b);
        b = NULL;
    }
    knd_release(program);
    *out = b;
    return ended(error);
}

/* Where nothing waits, is watched or is unknown, and programs run here. */
static bool at_once(const knl_call *c)
{
    kn_context context = knx_context();
    const kna_state *s = kna_state_get();
    return context && s && !s->recording && !s->how.all && context->lazy && !context->step_hook && !context->watching &&
           !knx_dim_now() && c->n <= KNL_KEPT_ARRAYS && !kna_default_site();
}

static kn_array fail(kna_op *op, knx_error *e)
{
    kna_fail_with(op, e);
    return kna_end(op, KN_ATOM_NONE);
}

/* NULL without memory: the ordinary path says so. */
static inline kn_array result_of(const kept *k, const asked *a, kna_op *op)
{
    int64_t dim[KN_MAX_NDIM];
    memcpy(dim, k->dim, (size_t)k->type.ndim * sizeof *dim);
    const kni_type type = kni_type_of(k->type.dtype, k->type.ndim, dim);
    knx_buffer *b;
    knx_error *error = run(k, type, a, &b);
    if (error)
        return fail(op, error);
    if (b)
        return kna_from_buffer(op, type, b);
    kna_leave(op);
    return NULL;
}

KNX_HOT kn_array knl_kept(const knl_call *c)
{
    asked a;
    const kept *k = NULL;
    knx_error *error = at_once(c) && ask(c, &a) ? find(c, &a, &k) : NULL;
    if (!k && !error)
        return c->f(c->x, c->options);
    kna_op op;
    kna_begin(&op, c->name);
    if (error)
        return fail(&op, error);
    kn_array y = result_of(k, &a, &op);
    return y ? y : c->f(c->x, c->options);
}

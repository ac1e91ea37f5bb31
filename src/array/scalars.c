/* SPDX-License-Identifier: Apache-2.0
 * scalars.c -- the functions of scalars and of short arrays, found by primitive and parameters, or formula, and types.
 * Elementwise ones see arrays as vectors, whatever their shape; routines see them as they are. */
#include "array/scalars.h"
#include "array/element.h"
#include "array/handle.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/log.h"
#include <string.h>

/* What came so often gets a function; that of arrays has a length of its own, so it has to come more often. It has a
 * few places to be at; where all are taken, what was asked for longest ago begins anew. */
enum { OFTEN = 8, OFTEN_IN_LENGTH = 64, SETS = 64, PLACES = 4 };
/* Elements of a short array: what has more is worth a plan, which may join it with its neighbours. A routine can be
 * joined with less, and while all of it stays in a cache nothing is gained by that. */
enum { SHORT = 1024, SHORT_OF_ROUTINE = 4096 };

/* What a function computes: an equation, or a formula. */
typedef struct wanted {
    const kni_draft_eqn *e;
    kna_scalar_formula formula;
    int which;
    uint32_t n, spread; /* spread: the bits of operands that are scalars beside arrays */
    int64_t length;     /* of the arrays as vectors; 0: all are scalars */
    kn_dtype d[KNA_MOST_SCALARS];
    const kni_type *as_it_is[KNA_MOST_SCALARS]; /* of a routine: the operands; else NULL */
} wanted;

typedef struct function {
    uint64_t hash, last; /* when it was asked for */
    uint32_t seen, spread;
    bool tried;
    kna_scalar_formula formula;
    int which;
    int64_t length;
    kni_jaxpr *jaxpr;    /* all operands are its inputs */
    knd_loaded *program; /* holds the code of `direct` */
    knd_direct *direct;  /* NULL: it is not one call */
} function;

struct kna_scalars {
    uint64_t clock;
    function at[SETS][PLACES];
};

static void forget(function *f)
{
    knx_free(f->direct);
    knd_release(f->program);
    kni_release(f->jaxpr);
    *f = (function){0};
}

void kna_scalars_free(kna_scalars *s)
{
    for (int i = 0; s && i < SETS * PLACES; i++)
        forget(&s->at[i / PLACES][i % PLACES]);
    knx_free(s);
}

/* ---- Making one. */

static knx_error *build(const wanted *w, kni_jaxpr **out)
{
    kni_builder b;
    kni_atom x[KNA_MOST_SCALARS], y;
    const kn_shape shape = {.ndim = w->length != 0, .dim = {w->length}};
    knb_init(&b);
    for (uint32_t i = 0; i < w->n; i++)
        x[i] = knb_invar(&b, w->as_it_is[i] ? kni_type_of(w->d[i], w->as_it_is[i]->ndim, w->as_it_is[i]->dim)
                                            : kni_type_of(w->d[i], w->spread >> i & 1 ? 0 : shape.ndim, shape.dim));
    for (uint32_t i = 0; i < w->n; i++)
        if (w->spread >> i & 1)
            x[i] = knb_broadcast_to(&b, x[i], kni_type_of(w->d[i], shape.ndim, shape.dim));
    y = w->e ? knb_emit1(&b, w->e->prim, w->e->params, (int)w->n, x) : w->formula(&b, w->which, x, &shape);
    knx_error *error = knb_finish(&b, 1, &y, "", true, out);
    knb_free(&b);
    return error;
}

/* Without memory there is none, everything goes on as before, and it is tried again when it has come as often once
 * more. */
static void make(function *f, const wanted *w)
{
    const knc_compile_options o = {.kernels = kna_state_get()->caches->kernels, .fuse = true};
    const kn_place *here = knx_context()->here;
    knx_error *error = build(w, &f->jaxpr);
    f->formula = w->formula;
    f->which = w->which;
    f->spread = w->spread;
    f->length = w->length;
    if (!error && f->jaxpr->n_eqn)
        KN_LOG(1, "plan: %s:%d: %s of %s", here ? here->file : "?", here ? here->line : 0,
               f->jaxpr->eqn[f->jaxpr->n_eqn - 1].prim->name, w->length ? "a short array" : "scalars");
    if (!error)
        error = knd_compile(&knd_host, f->jaxpr, &o, &f->program);
    f->direct = error ? NULL : knd_make_direct(f->program, 0, NULL, 1);
    f->tried = !error || !knx_error_passes(error);
    if (!f->tried) {
        f->seen = 0;
        kni_release(f->jaxpr);
        f->jaxpr = NULL;
    }
    knx_error_release(error);
}

/* ---- Finding it. */

static uint64_t hash_of(const wanted *w)
{
    uint64_t h =
        w->e ? (uint64_t)(uintptr_t)w->e->prim : knx_hash_mix((uint64_t)(uintptr_t)w->formula, (uint64_t)w->which + 1);
    if (w->length)
        h = knx_hash_mix(h, (uint64_t)w->length << KNA_MOST_SCALARS | w->spread);
    for (uint32_t i = 0; i < w->n; i++) {
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)w->d[i]);
        for (int k = 0; w->as_it_is[i] && k < w->as_it_is[i]->ndim; k++)
            h = knx_hash_mix(h, (uint64_t)w->as_it_is[i]->dim[k]);
    }
    return w->e && w->e->params ? kni_params_hash(w->e->prim, w->e->params, h) : h;
}

static bool is_same_shape(const kni_type *a, const kni_type *b)
{
    return a->ndim == b->ndim && (!a->ndim || !memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof *a->dim));
}

static bool computes(const function *f, const wanted *w)
{
    const kni_jaxpr *j = f->jaxpr;
    if (f->formula != w->formula || f->which != w->which || j->n_in != w->n || f->length != w->length ||
        f->spread != w->spread)
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        if (j->type[i].dtype != w->d[i] || (w->as_it_is[i] && !is_same_shape(&j->type[i], w->as_it_is[i])))
            return false;
    if (!w->e)
        return true;
    return j->n_eqn == 1 && j->eqn[0].prim == w->e->prim &&
           kni_params_equal(w->e->prim, j->eqn[0].params, w->e->params);
}

static function *place_of(kna_scalars *s, uint64_t hash)
{
    function *set = s->at[(hash ^ hash >> 32) % SETS], *oldest = set;
    for (int i = 0; i < PLACES; i++) {
        if (set[i].hash == hash)
            return &set[i];
        oldest = set[i].last < oldest->last ? &set[i] : oldest;
    }
    forget(oldest);
    oldest->hash = hash;
    return oldest;
}

/* It stays until a buffer is asked for: making room, caches go, all of them. */
static const function *find(const wanted *w)
{
    kna_state *s = kna_state_get();
    if (!s->scalars && !(s->scalars = knx_alloc_zero(sizeof *s->scalars)))
        return NULL;
    uint64_t h = hash_of(w);
    function *f = place_of(s->scalars, h);
    f->last = ++s->scalars->clock;
    if (!f->tried && ++f->seen >= (w->length ? OFTEN_IN_LENGTH : OFTEN))
        make(f, w);
    return f->direct && computes(f, w) ? f : NULL;
}

/* False without memory: the ordinary way says so. The scratch is asked for last: it may make room, and f go. */
static bool run(const knd_direct *d, const void *const *x, void *const *to)
{
    knx_buffer *scratch = NULL;
    size_t bytes = knd_direct_workspace(d);
    if (bytes && (!(scratch = knx_buffer_scratch(bytes)) || !kna_state_get()->scalars)) {
        knx_buffer_release(scratch);
        return false;
    }
    knx_error *error = knd_run_direct(d, x, to, scratch ? scratch->data : NULL);
    knx_buffer_release(scratch);
    knx_error_release(error);
    return !error;
}

/* Room for the result of a function that was found; NULL: the function went, for others made room, or there is none. */
static knx_buffer *room_for(int64_t length, kn_dtype d)
{
    knx_buffer *b = knx_buffer_new((size_t)(length ? length : 1) * d->size);
    if (b && kna_state_get()->scalars)
        return b;
    knx_buffer_release(b);
    return NULL;
}

/* Arrays only where the host is what programs run on: elsewhere they are on the device, and stay there. */
static bool at_once(int64_t length)
{
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    return c->lazy && s && !s->recording && (!length || !kna_default_site());
}

/* ---- Equations. */

/* What lies in memory that others see is looked at when its time has come; what was placed stays where it is. */
static bool is_there(const kna_value *v)
{
    return !v->pin && !v->site && (v->state == KN_V_NUMBER || (v->state == KN_V_BUFFER && v->buffer->data));
}

static bool is_scalar_there(const kna_value *v) { return v->type.ndim == 0 && is_there(v); }

/* Elements of arrays of this shape; 0: of scalars; negative: there are none, or too many. */
static int64_t length_of(int ndim, const int64_t *dim, int64_t most)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++) {
        if (knx_is_symbolic(dim[i]) || dim[i] > most)
            return -1;
        n *= dim[i];
        if (n > most)
            return -1;
    }
    return !ndim ? 0 : n ? n : -1;
}

/* Can its operands be what `w` says? All of them arrays of the result's shape, or scalars; of a routine arrays. */
static bool is_short(const kni_draft_eqn *e, kna_value *const *in, const kni_literal *literals, kni_type result,
                     wanted *w)
{
    bool routine = e->prim->ready != NULL;
    int64_t most = routine ? SHORT_OF_ROUTINE : SHORT;
    w->length = e->n_in > KNA_MOST_SCALARS || e->n_out != 1 ? -1 : length_of(result.ndim, result.dim, most);
    if (w->length < 0 || (e->prim->bits & KN_USER) || kni_must_stay(e->prim, e->params))
        return false;
    for (uint32_t i = 0; i < e->n_in; i++) {
        kni_type t = in[i] ? in[i]->type : literals[i].type;
        if (in[i] && !is_there(in[i]))
            return false;
        if (routine) {
            if (!in[i] || length_of(t.ndim, t.dim, most) <= 0)
                return false;
            w->as_it_is[i] = &in[i]->type;
            w->d[i] = t.dtype;
            continue;
        }
        if (t.ndim && (t.ndim != result.ndim || memcmp(t.dim, result.dim, (size_t)t.ndim * sizeof *t.dim)))
            return false;
        w->spread |= (uint32_t)(w->length && !t.ndim) << i;
        w->d[i] = t.dtype;
    }
    return true;
}

KNX_HOT kna_value *kna_scalars_equation(const kni_draft_eqn *e, kna_value *const *in, const kni_literal *literals,
                                        kni_type result)
{
    wanted w = {.e = e, .n = e->n_in};
    const void *x[KNA_MOST_SCALARS];
    if (!is_short(e, in, literals, result, &w) || !at_once(w.length))
        return NULL;
    const function *f = find(&w);
    if (!f)
        return NULL;
    knx_buffer *b = room_for(w.length, result.dtype);
    if (!b)
        return NULL;
    for (uint32_t i = 0; i < e->n_in; i++)
        x[i] = in[i] ? kna_elements(in[i]) : &literals[i].bits;
    if (!run(f->direct, x, &b->data)) {
        knx_buffer_release(b);
        return NULL;
    }
    kna_value *v = kna_value_buffer(result, b);
    if (v)
        v->site = kna_default_site();
    return v;
}

/* ---- Formulas. */

kn_dtype kna_scalars_formula(kna_scalar_formula formula, int which, int n, kn_dtype d, const void *const *x,
                             knx_scalar_bits *result)
{
    wanted w = {.formula = formula, .which = which, .n = (uint32_t)n};
    void *to = result;
    for (int i = 0; i < n; i++)
        w.d[i] = d;
    const function *f = at_once(0) ? find(&w) : NULL;
    if (!f)
        return NULL;
    if (!run(f->direct, x, &to))
        return NULL;
    return f->jaxpr->type[f->jaxpr->out[0]].dtype;
}

/* The value of a handle if it needs no work. */
static const kna_value *value_there(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *object = kna_handle_peek(x, &kind);
    const kna_array *a = kind == KN_H_VIEW ? object : NULL;
    const kna_value *v = kind == KN_H_ARRAY ? object : a && !a->step && !a->type.weak ? a->storage->value : NULL;
    return v && is_scalar_there(v) ? v : NULL;
}

const void *kna_scalar_there(kna_op *op, kn_array x, kn_dtype d, knx_scalar_bits *room)
{
    const kna_value *v = op->error ? NULL : value_there(x);
    if (!v || (v->type.dtype == d && !v->type.weak))
        return v ? kna_elements(v) : NULL;
    kn_dtype from = v->type.dtype;
    bool fits = !knx_is_integer(from) || !knx_is_integer(d) || knx_int_fits(d, from == KN_DT(U64), v->bits.u64);
    if (!v->type.weak || v->state != KN_V_NUMBER || !fits || from->kind == 'k' || d->kind == 'k')
        return NULL;
    memset(room, 0, sizeof *room);
    knx_convert(from, &v->bits, d, room);
    return room;
}

/* The elements of x, an array of this shape and dtype, where they lie one after the other. */
static const void *elements_there(kn_array x, kn_dtype d, const kn_shape *shape, kna_lying *l)
{
    bool same = kna_lies(x, l) && l->in_c_order && l->type.dtype == d && l->type.ndim == shape->ndim &&
                !memcmp(l->type.dim, shape->dim, (size_t)shape->ndim * sizeof *shape->dim);
    return same && kna_lies_in_order(l) ? l->first : NULL;
}

kn_array kna_short_formula(kna_op *op, kna_scalar_formula formula, int which, int n, kn_dtype d, const kn_array *x,
                           const kn_shape *shape)
{
    wanted w = {
        .formula = formula, .which = which, .n = (uint32_t)n, .length = length_of(shape->ndim, shape->dim, SHORT)};
    const void *at[KNA_MOST_SCALARS];
    knx_scalar_bits room[KNA_MOST_SCALARS];
    kna_lying l;
    if (kna_failed(op) || w.length <= 0 || !at_once(w.length))
        return NULL;
    for (int i = 0; i < n; i++) {
        at[i] = elements_there(x[i], d, shape, &l);
        if (!at[i]) {
            at[i] = kna_scalar_there(op, x[i], d, &room[i]);
            w.spread |= 1u << i;
        }
        if (!at[i])
            return NULL;
        w.d[i] = d;
    }
    const function *f = find(&w);
    kni_type t = f ? f->jaxpr->type[f->jaxpr->out[0]] : (kni_type){0};
    int64_t length = f && shape->ndim == 1 ? t.dim[0] : w.length; /* of a vector it may be another one */
    knx_buffer *b = f ? room_for(length, t.dtype) : NULL;
    if (!b)
        return NULL;
    if (!run(f->direct, at, &b->data)) {
        knx_buffer_release(b);
        return NULL;
    }
    return kna_from_buffer(op, kni_type_of(t.dtype, shape->ndim, shape->ndim == 1 ? &length : shape->dim), b);
}

/* SPDX-License-Identifier: Apache-2.0
 * op.c -- operations: arrays in, atoms of the current recorder, arrays out. */
#include "array/op.h"
#include "array/foreign.h"
#include "array/handle.h"
#include "array/lift.h"
#include "array/pin.h"
#include "array/scalars.h"
#include "array/storage.h"
#include "array/state.h"
#include "base/float_env.h"
#include <stdarg.h>
#include <string.h>

/* ---- The lazy recorder: each equation becomes a node. */

KNX_HOT knx_error *kna_lazy_equation(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    kna_state *s = env;
    kn_context c = knx_context();
    kna_value *few_in[8], *few_out[8];
    kni_literal few_literals[8];
    uint32_t most = e->n_in > e->n_out ? e->n_in : e->n_out;
    bool few = most <= 8;
    kna_value **in = few ? few_in : knx_alloc(most * sizeof(void *)),
              **out = few ? few_out : knx_alloc(most * sizeof(void *));
    kni_literal *literal = few ? few_literals : knx_alloc(most * sizeof *literal);
    knx_error *error = in && out && literal ? NULL : knx_error_nomem();
    if (!error && !KN_VEC_RESERVE(&s->lazy_value, e->out + e->n_out - s->lazy_value.n))
        error = knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < e->n_in; i++) {
            in[i] = kni_is_literal(e->in[i]) ? NULL : s->lazy_value.at[e->in[i]];
            if (!in[i])
                literal[i] = b->literal.at[e->in[i] & ~KN_LITERAL_BIT];
        }
        bool each = e->n_out == 1 && ((e->prim->bits & KN_ELEMENTWISE) || e->prim->ready);
        out[0] = each ? kna_scalars_equation(e, in, literal, b->type.at[e->out]) : NULL;
    }
    if (!error && !(e->n_out == 1 && out[0])) {
        error = kna_node_for(e->prim, e->params, e->place, c->operation, e->n_in, in, literal, e->n_out,
                             b->type.at + e->out, out);
    }
    if (!error) {
        while (s->lazy_value.n < e->out)
            s->lazy_value.at[s->lazy_value.n++] = NULL;
        for (uint32_t i = 0; i < e->n_out; i++)
            s->lazy_value.at[s->lazy_value.n++] = out[i];
        s->lazy_can_fail = s->lazy_can_fail || kni_can_fail(e->prim, e->params);
    }
    if (!few) {
        knx_free(in);
        knx_free(out);
        knx_free(literal);
    }
    return error;
}

static KNX_HOT kni_atom lazy_atom(kna_state *s, kna_value *v)
{
    kni_type type = v->type;
    type.weak = false;
    kni_atom a = knb_invar(&s->lazy, type);
    if (!kni_is_var(a))
        return a;
    if (!KN_VEC_RESERVE(&s->lazy_value, a + 1 - s->lazy_value.n)) {
        knb_fail(&s->lazy, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    while (s->lazy_value.n < a)
        s->lazy_value.at[s->lazy_value.n++] = NULL;
    s->lazy_value.at[s->lazy_value.n++] = kna_value_retain(v);
    return a;
}

static void lazy_reset(kna_state *s)
{
    while (s->lazy_value.n) /* a release function of the user's may call Kiln in between */
        kna_value_release(s->lazy_value.at[--s->lazy_value.n]);
    knb_reset(&s->lazy);
    s->lazy_can_fail = s->lazy_shared = false;
    s->looked_site = KND_NOWHERE;
}

KNX_HOT void kna_let_go(kna_op *op)
{
    kna_state *s = kna_state_get();
    if (s->recording || !op->outermost)
        return;
    for (size_t i = 0; i < s->lazy_value.n; i++) {
        kna_value_release(s->lazy_value.at[i]);
        s->lazy_value.at[i] = NULL;
    }
}

/* ---- Beginning and errors. */

KNX_HOT void kna_begin(kna_op *op, const char *name)
{
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    *op = (kna_op){0};
    if (!c || !s) {
        static _Thread_local kni_builder nowhere; /* its error is never freed */
        op->error = nowhere.error = knx_error_nomem();
        op->b = &nowhere;
        return;
    }
    op->outermost = c->depth++ == 0;
    if (op->outermost) {
        c->operation = name;
        c->host_floats = knx_float_enter(); /* constants are folded and numbers converted on the way */
    }
    op->b = s->recording ? &s->recording->b : &s->lazy;
    if (!s->recording) {
        s->lazy.hook = s->hook;
        s->lazy.hook_env = s;
        s->lazy.traced = "";
    } else if (__builtin_expect(s->how.events, 0)) {
        op->b->place = s->watcher->place(c->here, c->operation);
        return;
    }
    op->b->place = c->here;
}

void(kna_fail_with)(kna_op *op, knx_error *e)
{
    if (op->error)
        knx_error_release(e);
    else
        op->error = e;
}

void(kna_fail)(kna_op *op, kn_error_kind kind, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kna_fail_with(op, knx_error_new(kind, "%s", text));
}

/* ---- Operands. */

/* NULL: the operation has the operand's error. */
static kna_value *carry_error(kna_op *op, const kna_value *v)
{
    bool known;
    kna_fail_with(op, kna_error_of(v, &known));
    op->known_error = known;
    return NULL;
}

/* Borrowed: the view or its storage keeps it as long as it is not written to. */
static kna_value *value_of_view(kna_op *op, kna_array *a)
{
    if (kna_failed(op))
        return NULL;
    kna_value *v = kna_known_value(a);
    if (!v) {
        kna_view_atom(op, a);
        v = a->value;
    }
    if (kna_failed(op))
        return NULL;
    return v->state == KN_V_ERROR ? carry_error(op, v) : v;
}

static KNX_HOT kna_value *value_of(kna_op *op, kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    if (op->error)
        return NULL;
    void *object = kna_handle_peek(x, &kind);
    if (kind == KN_H_VIEW)
        return value_of_view(op, object);
    kna_value *v = kind == KN_H_ARRAY ? object : kna_foreign_operand(op, x); /* which says what is wrong with it */
    return v && v->state == KN_V_ERROR ? carry_error(op, v) : v;
}

KNX_HOT kni_type kna_type(kna_op *op, kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *object = op->error ? NULL : kna_handle_peek(x, &kind);
    const kna_array *a = kind == KN_H_VIEW ? object : NULL; /* no need to work the view out */
    const kna_value *v = kind == KN_H_ARRAY ? object : a ? a->storage->value : NULL;
    if (v && v->state != KN_V_ERROR)
        return a ? a->type : v->type;
    v = value_of(op, x);
    return v ? v->type : kni_scalar_type(KN_DT(F32));
}

KNX_HOT kni_atom kna_value_atom(kna_op *op, kna_value *v)
{
    kna_state *s = kna_state_get();
    if (!s->recording) {
        if (v->state == KN_V_TRACER || v->state == KN_V_ABSTRACT || kna_belongs_to_recording(v)) {
            /* the recording's own words for leaks */
            kna_recording none = {.active = false};
            kni_atom unused;
            kna_fail_with(op, kna_recording_atom(&none, v, &unused));
            return KN_ATOM_NONE;
        }
        return lazy_atom(s, v);
    }
    kni_atom a = KN_ATOM_NONE;
    knx_error *error = kna_recording_atom(s->recording, v, &a);
    if (error) {
        kna_fail_with(op, error);
        return KN_ATOM_NONE;
    }
    return a;
}

kni_atom kna_number_atom(kna_op *op, kn_dtype d, knx_scalar_bits bits)
{
    kna_value *n = kna_value_number(d, false, bits);
    if (!n) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    kni_atom a = kna_value_atom(op, n);
    kna_value_release(n);
    return a;
}

KNX_HOT kn_dtype kna_default_float(void)
{
    kn_context c = knx_context();
    return c ? c->default_float : KN_DT(F64);
}

/* Numbers have 32 or 64 bits; a smaller one was converted to what it is, and stays it, as in JAX. */
kn_dtype kna_strong_dtype(kni_type t)
{
    if (!t.weak || t.dtype->kind != 'f' || t.dtype->size < 4)
        return t.weak && t.dtype->kind == 'c' && kna_default_float() == KN_DT(F32) ? KN_DT(C64) : t.dtype;
    return kna_default_float();
}

kni_atom kna_number_alone(kna_op *op, kni_atom a)
{
    knx_scalar_bits bits;
    kn_dtype d = knb_type(op->b, a).dtype;
    bool weak = op->b->whole && d != KN_DT(BOOL) && knb_literal_value(op->b, a, &bits);
    return weak ? knb_literal(op->b, d, true, bits) : a;
}

KNX_HOT kni_atom kna_in(kna_op *op, kn_array x)
{
    kna_value *v = value_of(op, x);
    if (!v)
        return KN_ATOM_NONE;
    return v->type.weak ? kna_number_alone(op, kna_in_as(op, x, kna_strong_dtype(v->type))) : kna_value_atom(op, v);
}

/* wraps: as NumPy has it, else as XLA. */
static kni_atom number_as(kna_op *op, const kna_value *v, kn_dtype d, bool wraps)
{
    bool is_unsigned = v->type.dtype == KN_DT(U64);
    if (wraps && v->type.weak && knx_is_integer(v->type.dtype) && knx_is_integer(d) &&
        !knx_int_fits(d, is_unsigned, v->bits.u64)) {
        if (is_unsigned)
            kna_fail(op, KN_ERROR_OVERFLOW, "integer %llu out of bounds for %s", (unsigned long long)v->bits.u64,
                     d->name);
        else
            kna_fail(op, KN_ERROR_OVERFLOW, "integer %lld out of bounds for %s", (long long)v->bits.i64, d->name);
        return KN_ATOM_NONE;
    }
    knx_scalar_bits bits = {{0}};
    (wraps ? knx_convert : knx_saturate)(v->type.dtype, &v->bits, d, &bits);
    kna_state *s = kna_state_get();
    if (s->recording)
        return knb_literal(op->b, d, false, bits);
    kna_value *n = kna_value_number(d, false, bits); /* an operand of the plan, not part of its key */
    if (!n) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    kni_atom a = lazy_atom(s, n);
    kna_value_release(n);
    return a;
}

/* An extent that becomes a number of this dtype (NULL: of one that holds all): what does not fit is the error that it
 * is of a number, as soon as there is one. */
static kni_atom extent_for(kna_op *op, int64_t extent, kn_dtype d)
{
    int64_t least, most;
    knx_dim_bounds(extent, &least, &most);
    bool fits =
        !d || !knx_is_integer(d) || (knx_int_fits(d, false, (uint64_t)least) && knx_int_fits(d, false, (uint64_t)most));
    return knb_dim_that_fits(op->b, extent, fits ? NULL : d);
}

static KNX_HOT kni_atom in_as(kna_op *op, kn_array x, kn_dtype d, bool wraps)
{
    kna_value *v = value_of(op, x);
    if (!v || !d)
        return KN_ATOM_NONE;
    if (v->type.dtype != d && (v->type.dtype->kind == 'k' || d->kind == 'k')) {
        kna_fail(op, KN_ERROR_TYPE, "cannot convert %s to %s%s", v->type.dtype->name, d->name,
                 knx_is_stored(v->type.dtype) || knx_is_stored(d) ? " here; kn_astype does" : "");
        return KN_ATOM_NONE;
    }
    if (kna_is_extent(v)) {
        kni_atom extent = extent_for(op, v->bits.i64, wraps ? d : NULL);
        return wraps ? knb_strong_astype(op->b, extent, d) : knb_strong(op->b, extent, d);
    }
    if (v->state == KN_V_NUMBER)
        return v->type.dtype == d && !v->type.weak ? kna_value_atom(op, v) : number_as(op, v, d, wraps);
    kni_atom a = kna_value_atom(op, v);
    if ((v->type.dtype == d && !v->type.weak) || kna_failed(op))
        return a;
    return wraps ? knb_strong_astype(op->b, a, d) : knb_strong(op->b, a, d);
}

KNX_HOT kni_atom kna_in_as(kna_op *op, kn_array x, kn_dtype d) { return in_as(op, x, d, true); }
kni_atom kna_in_converted(kna_op *op, kn_array x, kn_dtype d) { return in_as(op, x, d, false); }

bool kna_need_number(kna_op *op, int64_t extent, const char *purpose)
{
    knx_text t = {0};
    if (knx_is_symbolic(extent) && !kna_failed(op))
        kna_fail(op, KN_ERROR_DIMENSION, "Symbolic dimension '%s' used in a context that requires a constant: %s",
                 knx_dim_show(&t, extent), purpose);
    return !kna_failed(op);
}

KNX_HOT bool kna_is_number(kna_op *op, kn_array x)
{
    const kna_value *v = kna_failed(op) ? NULL : value_of(op, x);
    return v && v->type.weak && v->state == KN_V_NUMBER;
}

knx_error *kna_value_as(kna_value **v, kn_dtype d)
{
    kna_value *from = *v, *as = NULL;
    knx_error *error = NULL;
    if (from->state == KN_V_NUMBER && !kna_is_extent(from)) {
        knx_scalar_bits bits = {{0}};
        knx_convert(from->type.dtype, &from->bits, d, &bits);
        as = kna_value_number(d, false, bits);
    } else {
        kna_op op;
        kna_begin(&op, "call");
        kni_atom a = kna_value_atom(&op, from);
        as = kna_failed(&op) ? NULL : kna_atom_value(&op, knb_strong_astype(op.b, a, d));
        error = kna_take_error(&op);
        kna_leave(&op);
    }
    if (error || !as) {
        kna_value_release(as);
        return error ? error : knx_error_nomem();
    }
    kna_value_release(from);
    *v = as;
    return NULL;
}

/* ---- Results. */

KNX_HOT kn_dtype kna_lookup_dtype(kn_dtype given, kn_dtype otherwise) { return given ? given : otherwise; }

KNX_HOT void kna_drop_value(void *v) { kna_value_release(v); }

static kn_array handle_of(kna_value *v) { return kna_handle_new(KN_H_ARRAY, v, kna_drop_value); }

/* The result of an operation is an array of its own, which a recorded function may write to: also where it is made of
 * an argument as it came, or from memory. */
static KNX_HOT kn_array own_handle_of(kna_value *v)
{
    const kna_recording *r = kna_recording_current();
    const kni_builder *b = r ? &r->b : NULL;
    bool input = v->state == KN_V_TRACER && b && b->invar.n && v->tracer.atom <= b->invar.at[b->invar.n - 1];
    bool memory =
        (v->state == KN_V_BUFFER || v->state == KN_V_NUMBER || v->state == KN_V_PENDING || v->state == KN_V_LIFTED) &&
        r && !v->type.weak;
    return input || memory ? kna_own_handle(v) : handle_of(v);
}

/* What the scope of dimension variables refused comes first: a comparison that it did not decide was answered somehow,
 * and the other errors may follow from that. */
__attribute__((noinline, cold)) static knx_error *first_error(kna_op *op, knx_dim_scope *scope)
{
    knx_error *given[] = {scope ? knx_dim_take_error(scope) : NULL, op->error, knb_take_error(op->b)}, *e = NULL;
    op->error = NULL;
    for (int i = 0; i < 3; i++)
        if (e)
            knx_error_release(given[i]);
        else
            e = given[i];
    return e;
}

KNX_HOT knx_error *kna_take_error(kna_op *op)
{
    knx_dim_scope *scope = knx_dim_now();
    return scope || kna_failed(op) ? first_error(op, scope) : NULL;
}

/* The hook's own operations are no part of a function that is being recorded. */
static void call_hook(kn_context c, kna_state *s)
{
    kna_recording *r = s->recording;
    s->recording = NULL;
    int frame = kna_frame_push(s, r, false, (knx_guard){.depth = -1});
    knx_report_unheard(c);
    if (frame >= 0)
        kna_frame_pop(s, frame);
    s->recording = r;
}

void kna_op_abandon(kna_state *s)
{
    kn_context c = knx_context();
    c->operation = "";
    c->here = NULL;
    c->depth = 0;
    if (!s->recording)
        lazy_reset(s);
    while (s->held.n)
        kna_value_release(s->held.at[--s->held.n].value);
}

KNX_HOT void kna_leave(kna_op *op)
{
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    if (!c || !s || c->depth == 0)
        return;
    if (--c->depth == 0) {
        c->operation = "";
        c->here = NULL;
        knx_float_leave(c->host_floats);
        if (!s->recording)
            lazy_reset(s);
        while (s->held.n)
            kna_value_release(s->held.at[--s->held.n].value);
        if (c->unheard.n)
            call_hook(c, s);
    }
    (void)op;
}

KNX_HOT kna_value *kna_atom_value(kna_op *op, kni_atom a)
{
    kna_state *s = kna_state_get();
    kna_value *v;
    if (s->recording)
        v = kna_recording_tracer(s->recording, a);
    else if (kni_is_literal(a)) {
        const kni_literal *l = &s->lazy.literal.at[a & ~KN_LITERAL_BIT];
        v = kna_value_number(l->type.dtype, false, l->bits);
    } else
        v = kna_value_retain(s->lazy_value.at[a]);
    (void)op;
    return v;
}

/* Made by an equation of this operation that can fail, that no result has needed. */
static bool may_fail_yet(const kna_value *v)
{
    const kna_node *n = v->state == KN_V_PENDING ? v->pending.node : NULL;
    return n && !n->ran && kni_can_fail(n->prim, n->params);
}

/* Runs what has to run now: everything without lazy recording, what can fail, and recordings past their bound. */
KNX_HOT knx_error *kna_settle(int n, kna_value **v)
{
    kna_state *s = kna_state_get();
    kn_context c = knx_context();
    bool shared = s->shared_at_once && !s->recording;
    bool now = !s->recording && (!c->lazy || s->lazy_can_fail || (shared && s->lazy_shared) || kna_pending_is_full(s));
    if (!now)
        return NULL;
    for (int i = 0; s->lifting && i < n; i++)
        KN_TRY(kna_settle_lifted(v[i]));
    KN_TRY(kna_force(n, v));
    for (size_t i = 0; s->lazy_can_fail && i < s->lazy_value.n; i++)
        if (s->lazy_value.at[i] && may_fail_yet(s->lazy_value.at[i]))
            KN_TRY(kna_force(1, &s->lazy_value.at[i]));
    return NULL;
}

/* It came in with an operand, and is told of again where each use of the array tells it. */
static bool is_known(const kna_op *op) { return op->known_error && !knx_tells_again(knx_current); }

static void fail_all(kna_op *op, knx_error *e, int n, kn_array *out)
{
    if (!is_known(op))
        knx_report(e);
    for (int i = 0; i < n; i++)
        out[i] = handle_of(kna_value_error(knx_error_retain(e)));
    knx_error_release(e);
}

KNX_HOT void kna_end_n(kna_op *op, int n, const kni_atom *results, kn_array *out)
{
    kna_value *few[16], **v = n <= 16 ? few : knx_alloc((size_t)n * sizeof *v);
    knx_error *e = kna_take_error(op);
    if (!e && !v)
        e = knx_error_nomem();
    int made = 0;
    while (!e && made < n) {
        v[made] = kni_is_var(results[made]) || kni_is_literal(results[made]) ? kna_atom_value(op, results[made]) : NULL;
        if (v[made])
            made++;
        else
            e = knx_error_nomem();
    }
    if (!e)
        e = kna_settle(n, v);
    if (!e && kna_state_get()->shared_at_once && !kna_recording_current())
        e = kna_pin_apart(n, v);
    for (int i = 0; i < made && !e; i++)
        out[i] = own_handle_of(v[i]);
    for (int i = 0; i < made && e; i++)
        kna_value_release(v[i]);
    if (e)
        fail_all(op, e, n, out);
    if (v != few)
        knx_free(v);
    kna_leave(op);
}

KNX_HOT kn_array kna_end(kna_op *op, kni_atom result)
{
    kn_array out = NULL;
    kna_end_n(op, 1, &result, &out);
    return out;
}

/* Whoever looked at a value that is not known, or asked what the dimension variables do not say, goes on with another
 * one: the recording is no good. */
static void refuse_recording(knx_error *e)
{
    kna_recording *r = kna_recording_current();
    if (r && !r->refused && (e->kind == KN_ERROR_CONCRETIZATION || e->kind == KN_ERROR_DIMENSION))
        r->refused = knx_error_retain(e);
}

bool kna_end_handle(kna_op *op)
{
    op->known_error = op->known_error && knx_current && knx_current->first;
    if (op->error && !op->known_error && op->error->reported) { /* in another context's name nothing is changed */
        knx_error *again = knx_error_again(op->error);
        if (atomic_load(&again->refs) > 0) {
            again->operation = op->error->operation;
            again->place = op->error->place;
        }
        knx_error_release(op->error);
        op->error = again;
    }
    return kna_end_plain(op);
}

KNX_HOT bool kna_end_plain(kna_op *op)
{
    knx_error *e = kna_take_error(op);
    bool ok = e == NULL;
    if (e && !is_known(op))
        knx_report(e);
    if (e)
        refuse_recording(e);
    knx_error_release(e);
    kna_leave(op);
    return ok;
}

/* ---- Looking, and arrays from memory. */

/* What v stands for outside of recordings. */
static knx_error *value_outside(kna_value *v, kna_value **out)
{
    return v->state == KN_V_ABSTRACT ? knx_error_new(KN_ERROR_CONCRETIZATION,
                                                     "this array came from kn_eval_shape: it has a type but no value")
                                     : kna_constant(v, out);
}

bool kna_is_concrete(kna_op *op, kn_array x)
{
    kna_value *v = value_of(op, x), *outside = NULL;
    knx_error *e = v ? value_outside(v, &outside) : NULL;
    knx_error_release(e);
    kna_value_release(outside);
    return v && !e;
}

void kna_wait_for(kna_op *op, kn_array x, knx_error *(*then)(knx_buffer *b))
{
    kna_value *v = value_of(op, x), *outside = NULL;
    knx_error *e = v ? value_outside(v, &outside) : NULL;
    if (v && !e)
        e = kna_force(1, &outside);
    if (v && !e && then && outside->state == KN_V_BUFFER)
        e = then(outside->buffer);
    if (e)
        kna_fail_with(op, e);
    kna_value_release(outside);
}

KNX_HOT const void *kna_look(kna_op *op, kn_array x, kni_type *type)
{
    kna_value *v = value_of(op, x), *outside = NULL;
    if (!v)
        return NULL;
    *type = v->type;
    knx_error *e = value_outside(v, &outside);
    if (!e && !kna_lies_here(outside))
        e = kna_force_here(1, &outside);
    if (!e && __builtin_expect(outside->site != KND_NOWHERE, 0))
        e = kna_join_site(&kna_state_get()->looked_site, outside->site);
    if (e) {
        kna_fail_with(op, e);
        kna_value_release(outside);
        return NULL;
    }
    /* `outside` is v itself, or known to v's recording, which lives at least as long as v's handle can be used */
    const void *data = kna_elements(outside);
    if (outside != v && outside->state == KN_V_NUMBER &&
        outside->refs == 1) /* a literal's value: keep it with the op */
        return kna_hold(op, NULL, outside) ? &outside->bits : NULL;
    kna_value_release(outside);
    return data;
}

void *kna_handle_in(kna_op *op, kna_handle_kind kind, const void *handle)
{
    knx_error *error = NULL;
    void *object = kna_handle_get(kind, handle, &error);
    if (!object)
        kna_fail_with(op, error);
    return object;
}

kn_array kna_from_buffer(kna_op *op, kni_type type, knx_buffer *buffer)
{
    if (!buffer && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem_for(kni_type_bytes(type), type.ndim, type.dim, type.dtype->name));
    type.weak = false;
    kna_value *v = buffer && !kna_failed(op) ? kna_value_buffer(type, buffer) : NULL;
    if (!v && buffer && kna_failed(op))
        knx_buffer_release(buffer);
    if (!v && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    kn_array out = NULL;
    knx_error *e = kna_take_error(op);
    if (e) {
        fail_all(op, e, 1, &out);
    } else {
        uint16_t looked = kna_state_get()->looked_site; /* it may be made of those */
        v->site = looked ? looked : kna_default_site();
        out = own_handle_of(v);
    }
    kna_leave(op);
    return out;
}

KNX_HOT kn_array kna_from_number(kn_dtype dtype, bool weak, knx_scalar_bits bits)
{
    kna_value *v = kna_value_number(dtype, weak, bits);
    if (!v) {
        knx_error *e = knx_report(knx_error_nomem());
        v = kna_value_error(e);
    }
    return own_handle_of(v);
}

/* ---- Axes. */

int kna_normalize_axis(kna_op *op, int64_t axis, int ndim)
{
    if (axis < -(int64_t)ndim || axis >= ndim) {
        kna_fail(op, KN_ERROR_AXIS, "axis %lld is out of bounds for array of dimension %d", (long long)axis, ndim);
        return 0;
    }
    return (int)(axis < 0 ? axis + ndim : axis);
}

KNX_HOT int kna_axes(kna_op *op, kn_axes given, int ndim, kna_axes_default if_not_given, int64_t axes[KN_MAX_NDIM])
{
    bool seen[KN_MAX_NDIM] = {false};
    if (!kna_axes_fit(op, given, "axis"))
        return 0;
    if (given.n == 0 && if_not_given != KNA_AXES_ALL && ndim > 0)
        seen[if_not_given == KNA_AXES_LAST ? ndim - 1 : 0] = true;
    else if (given.n <= 0)
        memset(seen, 1, (size_t)ndim);
    for (int i = 0; i + 1 < given.n && !op->error; i++) {
        int a = kna_normalize_axis(op, given.axis[i], ndim);
        if (!op->error && seen[a])
            kna_fail(op, KN_ERROR_VALUE, "duplicate value in 'axis'");
        if (!op->error)
            seen[a] = true;
    }
    int n = 0;
    for (int i = 0; i < ndim; i++)
        if (seen[i])
            axes[n++] = i;
    return n;
}

int kna_axis(kna_op *op, kn_axes given, int ndim, int if_not_given)
{
    if (!kna_axes_fit(op, given, "axis"))
        return 0;
    if (given.n == 0)
        return kna_normalize_axis(op, if_not_given, ndim);
    if (given.n != 2) {
        kna_fail(op, KN_ERROR_VALUE, "one axis is wanted here, but %d were given", given.n < 0 ? 0 : given.n - 1);
        return 0;
    }
    return kna_normalize_axis(op, given.axis[0], ndim);
}

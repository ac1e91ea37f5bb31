/* SPDX-License-Identifier: Apache-2.0
 * foreign.c -- reading arrays of other contexts. */
#include "array/foreign.h"
#include "array/handle.h"
#include "array/lift.h"
#include "array/state.h"
#include "array/storage.h"
#include <string.h>

typedef enum { NO_ARRAY, WAITS, TRACED, BATCHED, TYPE_ONLY, NUMBER, SHARED, PINNED, COPIED, BAD } finding;

/* What was seen under the lock. */
typedef struct look {
    finding what;
    kn_context owner;
    kna_handle_kind kind;
    uint16_t site;
    kni_type type; /* dims in `dims` */
    int64_t dims[KN_MAX_NDIM];
    knx_scalar_bits bits;
    knx_buffer *buffer; /* SHARED: a reference; PINNED: room for a copy, given with the question */
    knx_error *error;   /* BAD: a reference */
} look;

/* The value of a view now, if it is known. */
static const kna_value *value_of_view(const kna_array *a)
{
    if (!a->step)
        return a->storage->value;
    return a->value && a->seen == a->storage->version && a->seen_by == 0 ? a->value : NULL;
}

static void take_elements(look *l, const kna_value *v)
{
    uint64_t bytes = kni_type_bytes(v->type);
    if (!v->pin || v->buffer != v->pin->buffer) {
        l->what = SHARED;
        l->buffer = knx_buffer_retain(v->buffer);
    } else if (l->buffer && l->buffer->bytes >= bytes) {
        l->what = COPIED;
        memcpy(l->buffer->data, v->buffer->data, bytes);
    } else {
        l->what = PINNED;
    }
}

static void look_at(void *env, kn_context owner, kna_handle_kind kind, void *object)
{
    look *l = env;
    l->owner = owner;
    l->kind = kind;
    if (kind != KN_H_ARRAY && kind != KN_H_VIEW)
        return;
    const kna_value *v = kind == KN_H_ARRAY ? object : value_of_view(object);
    l->what = WAITS;
    while (v && v->state == KN_V_LIFTED && v->lift->kind != KNA_LIFT_BATCH) /* what is at it is its own context's */
        v = v->lift->inner;
    if (!v)
        return;
    kna_value_state state = (kna_value_state)__atomic_load_n(&v->state, __ATOMIC_ACQUIRE);
    l->site = v->site;
    l->type = v->type;
    l->type.dim = l->dims;
    if (v->type.ndim)
        memcpy(l->dims, v->type.dim, (size_t)v->type.ndim * sizeof *l->dims);
    switch (state) {
    case KN_V_NUMBER:
        l->what = NUMBER;
        l->bits = v->bits;
        break;
    case KN_V_BUFFER: take_elements(l, v); break;
    case KN_V_ERROR:
        l->what = BAD;
        l->error = knx_error_retain(v->error);
        break;
    case KN_V_TRACER: l->what = TRACED; break;
    case KN_V_LIFTED: l->what = BATCHED; break;
    case KN_V_ABSTRACT: l->what = TYPE_ONLY; break;
    case KN_V_PENDING: break;
    }
}

/* Runs what the array waits for, in its own context, if that is no one's now or this thread's. */
static bool run_there(const void *handle, kn_context owner)
{
    kna_value *v = NULL;
    knx_error *e = knx_context_push(owner);
    if (e) {
        knx_error_release(e);
        return false;
    }
    kna_state *s = kna_state_get();
    bool ran = s && !s->recording && kna_handle_alive(handle, NULL);
    if (ran) {
        kna_op op;
        kna_begin(&op, "eval");
        e = kna_array_value(handle, &v);
        if (!e && v->state == KN_V_PENDING)
            e = kna_force(1, &v);
        knx_error_release(e); /* it was reported there, and is what the array carries */
        kna_leave(&op);
        kna_value_release(v);
    }
    knx_context_unpush();
    return ran;
}

static knx_error *copy_of(const knx_error *e)
{
    knx_error *mine = knx_error_again(e);
    if (atomic_load(&mine->refs) > 0) {
        mine->operation = e->operation;
        mine->place = e->place;
    }
    return mine;
}

static knx_error *refusal(const look *l, const void *handle)
{
    knx_error *e = NULL;
    switch (l->what) {
    case WAITS:
        return knx_error_new(KN_ERROR_CONTEXT,
                             "this array of another context waits to be worked out: use kn_eval on it there first");
    case TRACED:
        return knx_error_new(KN_ERROR_CONTEXT,
                             "this array belongs to another context, where a function is being traced");
    case BATCHED:
        return knx_error_new(KN_ERROR_CONTEXT, "this array belongs to another context, where it has batch axes");
    default: kna_handle_get(KN_H_ARRAY, handle, &e); return e;
    }
}

static knx_error *value_from(look *l, kna_value **out)
{
    switch (l->what) {
    case NUMBER: *out = kna_value_number(l->type.dtype, l->type.weak, l->bits); break;
    case SHARED:
    case COPIED: *out = kna_value_buffer(l->type, l->buffer); break;
    default: *out = kna_value_new(KN_V_ABSTRACT, l->type); break;
    }
    if (*out)
        (*out)->site = l->site;
    return *out ? NULL : knx_error_nomem();
}

knx_error *kna_foreign_value(const void *handle, kna_value **out)
{
    look l;
    knx_buffer *room = NULL;
    *out = NULL;
    for (bool tried = false;;) {
        l.what = NO_ARRAY;
        l.buffer = room;
        if (!kna_handle_visit(handle, look_at, &l))
            l.what = NO_ARRAY;
        if (l.what == PINNED) {
            knx_buffer_release(room);
            room = knx_buffer_new(kni_type_bytes(l.type));
            if (!room)
                return knx_error_nomem();
        } else if (l.what == WAITS && !tried && run_there(handle, l.owner)) {
            tried = true;
        } else {
            break;
        }
    }
    if (l.what != COPIED)
        knx_buffer_release(room);
    if (l.what == BAD) {
        knx_error *e = copy_of(l.error);
        knx_error_release(l.error);
        return e;
    }
    return l.what < TYPE_ONLY ? refusal(&l, handle) : value_from(&l, out);
}

bool kna_hold(kna_op *op, const void *handle, kna_value *v)
{
    kna_state *s = kna_state_get();
    kna_held held = {handle, v};
    if (KN_VEC_PUSH(&s->held, held))
        return true;
    kna_value_release(v);
    kna_fail_with(op, knx_error_nomem());
    return false;
}

kna_value *kna_foreign_operand(kna_op *op, const void *handle)
{
    kna_state *s = kna_state_get();
    kna_value *v = NULL;
    for (size_t i = 0; i < s->held.n; i++)
        if (handle && s->held.at[i].handle == handle)
            return s->held.at[i].value;
    knx_error *e = kna_foreign_value(handle, &v);
    if (e)
        kna_fail_with(op, e);
    return v && kna_hold(op, handle, v) ? v : NULL;
}

static void drop_value(void *v) { kna_value_release(v); }

const void *kna_foreign_data(kna_op *op, const void *handle, kni_type *type)
{
    kna_value *v = NULL;
    knx_error *e = kna_foreign_value(handle, &v);
    KN_KNOWN(e || v);
    if (!e && v->state == KN_V_ABSTRACT)
        e = knx_error_new(KN_ERROR_CONCRETIZATION, "this array came from kn_eval_shape: it has a type but no value");
    if (!e && v->state == KN_V_BUFFER)
        e = knd_fetch(v->buffer);
    if (e) {
        kna_value_release(v);
        kna_fail_with(op, e);
        return NULL;
    }
    *type = v->type;
    if (!kna_handle_new(KN_H_ARRAY, v, drop_value)) { /* the scope owns it */
        kna_fail_with(op, knx_error_nomem());
        return NULL;
    }
    return kna_elements(v);
}

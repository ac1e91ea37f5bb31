/* SPDX-License-Identifier: Apache-2.0
 * pin.c -- memory that others see: pinning, landing, and who keeps the old elements. */
#include "array/pin.h"
#include "array/lift.h"
#include "array/recording.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/log.h"
#include "kiln/memory.h"
#include <string.h>

void kna_pin_release(kna_pin *p)
{
    if (p && atomic_fetch_sub(&p->refs, 1) == 1) {
        knx_buffer_release(p->buffer);
        knx_free(p);
    }
}

static void belong(kna_value *v, kna_pin *p)
{
    atomic_fetch_add(&p->refs, 1);
    knx_share_lock();
    v->pin = p;
    knx_share_unlock();
}

static void leave(kna_value *v)
{
    kna_pin *p = v->pin;
    knx_share_lock();
    v->pin = NULL;
    knx_share_unlock();
    kna_pin_release(p);
}

/* The holder's elements go to memory of their own. */
static knx_error *move_holder_out(kna_pin *p)
{
    kna_value *old = p->holder;
    uint64_t bytes = kni_type_bytes(old->type);
    knx_buffer *copy = knx_buffer_new(bytes);
    if (!copy)
        return knx_error_nomem();
    KN_LOG(1, "copy: %zu bytes that others see are written to while their old value is still held", (size_t)bytes);
    memcpy(copy->data, p->buffer->data, bytes);
    knx_share_lock();
    old->buffer = copy;
    knx_share_unlock();
    knx_buffer_release(p->buffer); /* the pin has one too */
    p->holder = NULL;
    leave(old); /* the caller has a reference to p */
    return NULL;
}

/* v's elements, wherever they are, become those of the pinned memory. */
static void move_in(kna_pin *p, kna_value *v)
{
    if (v->buffer != p->buffer) {
        memcpy(p->buffer->data, v->buffer->data, kni_type_bytes(v->type));
        knx_buffer *old = v->buffer;
        knx_share_lock();
        v->buffer = knx_buffer_retain(p->buffer);
        knx_share_unlock();
        knx_buffer_release(old);
    }
    p->holder = v;
}

knx_error *kna_pin_land(kna_value *v)
{
    kna_pin *p = v->pin;
    if (v->state == KN_V_BUFFER)
        KN_TRY(knd_fetch(v->buffer));
    if (p->holder && p->holder != v && p->buffer != v->buffer)
        KN_TRY(move_holder_out(p));
    move_in(p, v);
    return NULL;
}

/* ---- Writes. */

/* A new value of the same elements, in no memory yet but that of `from`. */
static kna_value *like(const kna_value *from, knx_buffer *buffer)
{
    kni_type t = from->type;
    t.weak = false;
    kna_value *v = kna_value_new(KN_V_BUFFER, t);
    if (v) {
        v->buffer = knx_buffer_retain(buffer);
        v->kept = true;
        v->site = from->site;
    }
    return v;
}

knx_error *kna_pin_take(kna_storage *s, kna_value **fresh)
{
    kna_value *v = *fresh;
    kna_pin *p = s->pin;
    if (v->pin == p) /* it was there before */
        return NULL;
    if (v->state == KN_V_PENDING && !v->pin) { /* lands when it is run */
        belong(v, p);
        return NULL;
    }
    if (v->state == KN_V_LIFTED)
        return knx_error_new(KN_ERROR_VALUE,
                             "memory that was given away cannot hold what is on a tape, or has a tangent "
                             "or batch axes: write what kn_detach or kn_primal_of gives");
    if (v->state == KN_V_TRACER)
        return knx_error_new(KN_ERROR_MUTATION, "memory that was given away cannot be written to under %s",
                             v->tracer.recording->transformation);
    KN_TRY(kna_force_here(1, &v)); /* it is another array's too: this one gets its elements */
    kna_value *own = like(v, p->buffer);
    if (!own)
        return knx_error_nomem();
    kna_value *old = p->holder;
    if (old && (old != s->value || old->refs > 1)) {
        knx_error *error = move_holder_out(p);
        if (error) {
            kna_value_release(own);
            return error;
        }
    }
    knx_share_lock(); /* another context may be reading the old value, which is still the storage's */
    memcpy(p->buffer->data, kna_elements(v), kni_type_bytes(v->type));
    knx_share_unlock();
    belong(own, p);
    p->holder = own;
    kna_value_release(v);
    *fresh = own;
    return NULL;
}

knx_error *kna_pin_apart(int n, kna_value **v)
{
    for (int i = 0; i < n; i++) {
        if (v[i]->state != KN_V_BUFFER || !kna_lies_in_pin(v[i]))
            continue;
        uint64_t bytes = kni_type_bytes(v[i]->type);
        knx_buffer *copy = knx_buffer_new(bytes);
        kna_value *own = copy ? like(v[i], copy) : NULL;
        if (own)
            memcpy(copy->data, v[i]->buffer->data, bytes);
        knx_buffer_release(copy);
        if (!own)
            return knx_error_nomem();
        kna_value_release(v[i]);
        v[i] = own;
    }
    return NULL;
}

bool kn_run_shared_at_once(bool on)
{
    kna_state *s = kna_state_get();
    bool old = s && s->shared_at_once;
    if (s)
        knx_context()->exceptions = s->shared_at_once = on;
    return old;
}

void kna_pin_leave(kna_storage *s, kna_value *old)
{
    if (s->pin && old->pin == s->pin && s->pin->holder != old)
        leave(old);
}

/* ---- Giving memory away. */

static void set_value(kna_storage *s, kna_value *v)
{
    knx_share_lock();
    s->value = v;
    knx_share_unlock();
}

/* Others hold the value as well: they keep the elements as they are now, the storage gets a value of its own. */
static knx_error *renew_value(kna_storage *s)
{
    kna_value *old = s->value, *fresh = like(old, s->pin->buffer);
    if (!fresh)
        return knx_error_nomem();
    knx_error *error = move_holder_out(s->pin);
    if (error) {
        kna_value_release(fresh);
        return error;
    }
    belong(fresh, s->pin);
    s->pin->holder = fresh;
    set_value(s, fresh);
    kna_value_release(old);
    return NULL;
}

/* A number, or a value whose buffer others hold, gets memory of its own. */
static knx_error *own_buffer(kna_storage *s)
{
    kna_value *old = s->value;
    uint64_t bytes = kni_type_bytes(old->type);
    knx_buffer *b = knx_buffer_new(bytes);
    kna_value *fresh = b ? like(old, b) : NULL;
    knx_buffer_release(b);
    if (!fresh)
        return knx_error_nomem();
    memcpy(fresh->buffer->data, kna_elements(old), bytes);
    set_value(s, fresh);
    kna_value_release(old);
    return NULL;
}

static knx_error *make_pin(kna_storage *s, bool unique)
{
    kna_value *v = s->value;
    if (v->state != KN_V_BUFFER || v->pin || atomic_load(&v->buffer->refs) > 1 || (unique && v->refs > 1))
        KN_TRY(own_buffer(s));
    KN_TRY(knd_fetch_to_write(s->value->buffer)); /* who sees the memory writes to it at any time */
    kna_pin *p = knx_alloc_zero(sizeof *p);
    if (!p)
        return knx_error_nomem();
    atomic_init(&p->refs, 1); /* the storage's */
    p->buffer = knx_buffer_retain(s->value->buffer);
    p->owner = knx_context();
    p->storage = s;
    p->holder = s->value;
    belong(s->value, p);
    s->pin = p;
    return NULL;
}

knx_error *kna_pin_storage(kna_array *a, bool unique, void **data)
{
    kna_storage *s = a->storage;
    if (s->value->state == KN_V_ABSTRACT)
        return knx_error_new(KN_ERROR_CONCRETIZATION, "this array came from kn_eval_shape: it has a type but no value");
    if (s->value->state == KN_V_TRACER) {
        kna_value *outside = NULL;
        KN_TRY(kna_concrete(s->value, &outside));
        kna_value_release(outside);
        return knx_error_new(KN_ERROR_CONCRETIZATION, "a traced array has no memory of its own");
    }
    if (s->value->state == KN_V_LIFTED)
        return knx_error_new(KN_ERROR_VALUE,
                             "an array that is watched, or has a tangent or batch axes, has no memory of "
                             "its own; kn_detach gives one that has");
    KN_TRY(kna_force_here(1, &s->value));
    if (unique) { /* what was recorded before keeps the elements of now */
        while (s->views)
            kna_forget(s->views);
        kna_force_readers(s->value);
    }
    if (!s->pin)
        KN_TRY(make_pin(s, unique));
    else if (unique && s->value->refs > 1)
        KN_TRY(renew_value(s));
    if (unique) {
        knx_share_lock();
        s->version++;
        knx_share_unlock();
    }
    *data = (char *)s->pin->buffer->data + a->offset;
    return NULL;
}

knx_error *kna_pin_wrapped(kna_array *a)
{
    KN_TRY(make_pin(a->storage, false));
    a->storage->pin->foreign = true;
    a->storage->recording = 0; /* the caller's, even if a trace wraps it */
    a->owner = false;
    return NULL;
}

void kna_pin_storage_ends(kna_storage *s)
{
    kna_pin *p = s->pin;
    if (!p)
        return;
    bool seen = p->foreign || atomic_load(&p->exports) > 0;
    knx_error *error = NULL;
    if (seen && s->value->pin == p && (s->value->state == KN_V_PENDING || kna_must_land(s->value)))
        error = kna_force(1, &s->value);
    /* What others hold of it must not change with what a consumer writes from now on. */
    if (!error && atomic_load(&p->exports) > 0 && p->holder && p->holder->refs > (p->holder == s->value))
        error = move_holder_out(p);
    knx_report(error);
    knx_error_release(error);
    p->storage = NULL;
}

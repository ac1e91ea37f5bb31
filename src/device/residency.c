/* SPDX-License-Identifier: Apache-2.0
 * residency.c -- where the contents of a buffer are. A buffer that was born on the host keeps its memory there while a
 * device has the contents; one that was born on a device gets memory on the host when somebody looks. */
#include "base/context.h"
#include "base/lock.h"
#include "device/device.h"

typedef struct away {
    knx_away head;
    const knd_device *device;
    knd_memory *memory;
    size_t bytes;     /* of it */
    knx_buffer *host; /* memory on the host of a buffer that was born on the device */
    bool valid;       /* the device's copy has the contents */
    void *coming;     /* a copy of them that was begun ahead (knd_ahead); NULL: none is */
    knd_doubt doubt;  /* of the device's copy */
} away;

/* One lock for all devices, which may be asked for again by who has it: a run sends its operands. */
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static KNX_TLS int depth;
atomic_int knd_buffers_away;

void knd_lock(void)
{
    if (!depth++)
        knx_global_lock_take(&lock);
}

void knd_unlock(void)
{
    if (!--depth)
        knx_global_unlock(&lock);
}

static void drop_coming(away *a)
{
    if (a->coming)
        a->device->ahead->drop(a->device, a->coming);
    a->coming = NULL;
}

static void free_memory(away *a)
{
    drop_coming(a);
    if (a->memory)
        knd_free(a->device, a->memory, a->bytes);
    a->memory = NULL;
    a->valid = false;
    a->doubt = (knd_doubt){0};
}

/* The buffer's last reference is gone. */
static void drop(knx_away *head)
{
    away *a = (away *)head;
    knd_lock();
    free_memory(a);
    knd_unlock();
    knx_buffer_release(a->host);
    knx_free(a);
    atomic_fetch_sub_explicit(&knd_buffers_away, 1, memory_order_relaxed);
}

static away *away_of(knx_buffer *b)
{
    if (!b->away) {
        away *a = knx_alloc_zero(sizeof *a);
        if (!a)
            return NULL;
        a->head.drop = drop;
        atomic_fetch_add_explicit(&knd_buffers_away, 1, memory_order_relaxed);
        b->away = &a->head;
    }
    return (away *)b->away;
}

/* Memory on the host, of its own or new. */
static knx_error *find_room(knx_buffer *b, away *a)
{
    if (a->head.data)
        return NULL;
    a->host = knx_buffer_new(b->bytes);
    if (!a->host)
        return knx_error_nomem_for(b->bytes, 0, NULL, NULL);
    a->head.data = a->host->data;
    return NULL;
}

/* Contents whose computation has failed are nobody's. What is down has been waited for, so it is in no doubt. */
static knx_error *fetch_contents(const knx_buffer *b, away *a)
{
    KN_TRY(knd_failed(a->device, &a->doubt));
    void *coming = a->coming;
    a->coming = NULL;
    KN_TRY(coming ? knd_end_copy_out(a->device, coming, a->head.data, b->bytes)
                  : knd_copy_out(a->device, a->head.data, a->memory, 0, b->bytes));
    if (a->doubt.last && !b->bytes)
        KN_TRY(a->device->wait(a->device)); /* of nothing there was nothing to wait for */
    return knd_failed(a->device, &a->doubt);
}

static knx_error *fetch(knx_buffer *b, bool contents)
{
    away *a = (away *)b->away;
    if (!a || b->data)
        return NULL;
    KN_TRY(find_room(b, a));
    if (contents)
        KN_TRY(fetch_contents(b, a));
    __atomic_store_n(&b->data, a->head.data, __ATOMIC_RELEASE);
    return NULL;
}

knx_error *knd_fetch(knx_buffer *b)
{
    if (!b->away)
        return NULL;
    knd_lock();
    knx_error *error = fetch(b, true);
    knd_unlock();
    return error;
}

/* Of what the host has already nothing comes but how the checks went. */
static knx_error *begin_fetch(knx_buffer *b)
{
    away *a = (away *)b->away;
    if (!a || !a->valid)
        return NULL;
    KN_TRY(knd_failed(a->device, &a->doubt));
    if (a->coming || !a->device->ahead || (b->data && !a->doubt.last))
        return NULL;
    return a->device->ahead->begin(a->device, b->data ? NULL : a->memory, 0, b->data ? 0 : b->bytes, &a->coming);
}

knx_error *knd_begin_fetch(knx_buffer *b)
{
    if (!b->away)
        return NULL;
    knd_lock();
    knx_error *error = begin_fetch(b);
    knd_unlock();
    return error;
}

static knx_error *fetch_to_write(knx_buffer *b, bool contents)
{
    if (!b->away)
        return NULL;
    knd_lock();
    knx_error *error = fetch(b, contents);
    if (!error)
        free_memory((away *)b->away);
    knd_unlock();
    return error;
}

knx_error *knd_fetch_to_write(knx_buffer *b) { return fetch_to_write(b, true); }
knx_error *knd_begin_here(knx_buffer *b) { return fetch_to_write(b, false); }

/* Memory on the device with what the host has. */
static knx_error *copy_there(const knd_device *d, const knx_buffer *b, knd_memory **out)
{
    KN_TRY(knd_alloc(d, b->bytes, out));
    knx_error *error = knd_copy_in(d, *out, 0, b->data, b->bytes);
    if (error) {
        knd_free(d, *out, b->bytes);
        *out = NULL;
    }
    return error;
}

static knx_error *send(const knd_device *d, knx_buffer *b, bool keep, knd_memory **out, knd_memory **own)
{
    away *a = (away *)b->away;
    if (a && a->valid && a->device == d) {
        *out = a->memory;
        return NULL;
    }
    KN_TRY(fetch(b, true)); /* from another device by way of the host */
    if (!keep) {
        KN_TRY(copy_there(d, b, own));
        *out = *own;
        return NULL;
    }
    if (!(a = away_of(b)))
        return knx_error_nomem();
    free_memory(a);
    a->device = d;
    KN_TRY(copy_there(d, b, &a->memory));
    a->bytes = b->bytes;
    a->valid = true;
    *out = a->memory;
    return NULL;
}

knx_error *knd_send(const knd_device *d, knx_buffer *b, bool keep, knd_memory **out, knd_memory **own)
{
    *own = NULL;
    knd_lock();
    knx_error *error = send(d, b, keep, out, own);
    knd_unlock();
    return error;
}

/* NULL without memory. */
static knx_buffer *buffer_without_memory(const knd_device *d, size_t bytes)
{
    knx_buffer *b = knx_buffer_wrap(NULL, bytes, NULL, NULL);
    away *a = b ? away_of(b) : NULL;
    if (!a) {
        knx_buffer_release(b);
        return NULL;
    }
    a->device = d;
    a->bytes = bytes;
    return b;
}

knx_error *knd_buffer_new(const knd_device *d, size_t bytes, knx_buffer **out)
{
    knx_buffer *b = *out = buffer_without_memory(d, bytes);
    if (!b)
        return knx_error_nomem();
    away *a = (away *)b->away;
    knd_lock();
    knx_error *error = knd_alloc(d, bytes, &a->memory);
    knd_unlock();
    a->valid = !error;
    if (error) {
        knx_buffer_release(b);
        *out = NULL;
    }
    return error;
}

knx_error *knd_buffer_of(const knd_device *d, knd_memory *m, size_t bytes, knx_buffer **out)
{
    knx_buffer *b = *out = buffer_without_memory(d, bytes);
    knd_lock();
    if (b) {
        away *a = (away *)b->away;
        knd_count_memory(d, bytes);
        a->memory = m;
        a->valid = true;
    } else {
        d->free(d, m);
    }
    knd_unlock();
    return b ? NULL : knx_error_nomem();
}

knd_memory *knd_memory_of(const knd_device *d, const knx_buffer *b)
{
    const away *a = (const away *)b->away;
    return a && a->valid && a->device == d ? a->memory : NULL;
}

void knd_written(knx_buffer *b)
{
    knd_lock();
    drop_coming((away *)b->away);
    if (b->data)
        b->away->data = b->data;
    __atomic_store_n(&b->data, NULL, __ATOMIC_RELEASE);
    knd_unlock();
}

/* What comes has waited for all that came before it. */
static knx_error *end_coming(knx_buffer *b, away *a)
{
    void *coming = a->coming;
    if (!b->data)
        return fetch(b, true);
    a->coming = NULL;
    return a->device->ahead->end(a->device, coming, NULL);
}

knx_error *knd_wait(knx_buffer *b)
{
    away *a = (away *)b->away;
    knx_error *error = NULL;
    if (!a)
        return NULL;
    knd_lock();
    if (a->coming)
        error = end_coming(b, a);
    else if (a->valid)
        error = a->device->wait(a->device);
    if (!error && a->valid)
        error = knd_failed(a->device, &a->doubt);
    knd_unlock();
    return error;
}

knx_error *knd_be_sure(knx_buffer *b)
{
    const away *a = (const away *)b->away;
    knd_lock();
    knx_error *error = a && a->valid && a->doubt.last ? knd_wait(b) : NULL;
    knd_unlock();
    return error;
}

const knd_device *knd_device_of(const knx_buffer *b)
{
    const away *a = (const away *)b->away;
    return b->data || !a || !a->valid ? &knd_host : a->device;
}

const knd_doubt *knd_doubt_of(const knd_device *d, const knx_buffer *b)
{
    const away *a = (const away *)b->away;
    return a && a->valid && a->device == d ? &a->doubt : NULL;
}

void knd_set_doubt(knx_buffer *b, const knd_doubt *doubt)
{
    away *a = (away *)b->away;
    if (a && a->valid)
        a->doubt = *doubt;
}

bool knd_is_on(const knd_device *d, const knx_buffer *b)
{
    const away *a = (const away *)b->away;
    return a && a->valid && a->device == d;
}

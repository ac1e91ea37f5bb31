/* SPDX-License-Identifier: Apache-2.0
 * device_handle.c -- where the elements of an array lie on a device, for programs that go on with them there. */
#include "array/lift.h"
#include "array/handle.h"
#include "array/pin.h"
#include "array/state.h"
#include "array/storage.h"
#include "kiln/device.h"
#include <string.h>

/* x was run, and somebody beside us has it: then its memory stays as long as x lives. */
static knx_error *check(const kna_value *v, const knd_device *d)
{
    if (v->state == KN_V_TRACER || v->state == KN_V_ABSTRACT)
        return knx_error_new(KN_ERROR_CONCRETIZATION, "a traced array has no memory");
    if (!d->share)
        return knx_error_new(KN_ERROR_VALUE, "the array is on %s, which has no handles", d->name);
    if (v->state != KN_V_BUFFER || v->refs < 2)
        return knx_error_new(KN_ERROR_VALUE, "the array has no memory of its own; kn_copy gives it some");
    if (kna_lies_in_pin(v))
        return knx_error_new(KN_ERROR_VALUE, "the memory of the array is seen on the host, too; kn_copy gives it some "
                                             "of its own");
    return NULL;
}

static knx_error *share(const kna_value *v, kn_device_handle *h)
{
    const knd_device *d = knd_site_at(v->site)->device;
    knd_memory *there, *own;
    KN_TRY(check(v, d));
    h->bytes = kni_type_bytes(v->type);
    if (!h->bytes)
        return knx_error_new(KN_ERROR_VALUE, "the array has no elements");
    knd_lock();
    knx_error *error = knd_send(d, v->buffer, true, &there, &own);
    if (!error)
        error = d->share(d, there, h);
    knd_unlock();
    return error;
}

static knx_error *share_array(kn_array x, kn_device_handle *h)
{
    kna_value *v;
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = kna_lift_drop(&v);
    if (!error && v->state == KN_V_PENDING)
        error = kna_force(1, &v);
    error = error ? error : share(v, h);
    kna_value_release(v);
    return error;
}

int kn_device_get_handle(kn_array x, kn_device_handle *out)
{
    kna_op op;
    kn_device_handle h = {.size_ = sizeof h};
    kna_begin(&op, "device_get_handle");
    if (!out || out->size_ <= sizeof out->size_)
        kna_fail(&op, KN_ERROR_TYPE, out ? "the size_ of the handle is not set" : "null handle");
    knx_error *error = kna_failed(&op) ? NULL : share_array(x, &h);
    if (error)
        kna_fail_with(&op, error);
    if (!kna_end_plain(&op))
        return -1;
    h.size_ = out->size_;
    memcpy(out, &h, out->size_ < sizeof h ? out->size_ : sizeof h);
    return 0;
}

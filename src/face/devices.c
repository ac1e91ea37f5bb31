/* SPDX-License-Identifier: Apache-2.0
 * devices.c -- devices as the user sees them: which there are, what is known of them, putting arrays there, and the
 * default one. */
#include "array/lift.h"
#include "array/handle.h"
#include "array/pin.h"
#include "array/recording.h"
#include "array/state.h"
#include "array/storage.h"
#include "face/text.h"
#include "kiln/device.h"
#include "base/str.h"
#include <string.h>

/* False: it is none, and that was reported. */
static bool is_given(const char *operation, kn_device d)
{
    if (knd_is_known(d))
        return true;
    knx_report_new(operation, KN_ERROR_TYPE, d ? "this is no device" : "null device");
    return false;
}

/* ---- Which there are. */

int kn_devices(const char *kind, int n, kn_device *out)
{
    if (n < 0)
        knx_report_new("devices", KN_ERROR_VALUE, "room for %d devices", n);
    else if (n && !out)
        knx_report_new("devices", KN_ERROR_TYPE, "null out");
    if (n < 0 || (n && !out))
        return -1;
    knx_error_release(knd_open_engines(kind)); /* links them, too: registry.c does without */
    return knd_list(kind, n, out);
}

kn_device kn_find_device(const char *name)
{
    const knd_device *d = NULL;
    if (name)
        knx_error_release(knd_open_engines(name));
    knx_error *error = name ? knd_need(name, &d) : knx_error_new(KN_ERROR_TYPE, "null name");
    if (error && atomic_load(&error->refs) > 0)
        error->operation = "find_device";
    knx_report(error);
    knx_error_release(error);
    return d;
}

const char *kn_device_name(kn_device device) { return is_given("device_name", device) ? device->name : NULL; }

const char *kn_device_kind(kn_device device)
{
    static const char *const often[] = {"host", "webgpu"};
    if (!is_given("device_kind", device))
        return NULL;
    size_t n = knd_kind_length(device->name);
    for (int i = 0; i < 2; i++)
        if (strlen(often[i]) == n && !strncmp(often[i], device->name, n))
            return often[i];
    knx_str s = {0};
    knx_str_printf(&s, "%.*s", (int)n, device->name);
    return knface_own_text(knx_str_take(&s));
}

/* ---- What is known of one. */

static kn_device_info info_of(kn_device d)
{
    const kn_device_info *own = d->info ? d->info(d) : NULL;
    const knc_target *t = d->target(d);
    kn_device_info i = own ? *own : (kn_device_info){.description = d == &knd_host ? "the processor" : NULL};
    i.most_buffers = t->max_buffers;
    i.alignment = (int)t->alignment;
    i.index_bits = t->index_bits;
    return i;
}

int kn_device_get_info(kn_device device, kn_device_info *out)
{
    if (!is_given("device_get_info", device))
        return -1;
    if (!out || out->size_ <= sizeof out->size_) {
        knx_report_new("device_get_info", KN_ERROR_TYPE, out ? "the size_ of the info is not set" : "null info");
        return -1;
    }
    kn_device_info i = info_of(device);
    size_t room = out->size_ < sizeof i ? out->size_ : sizeof i;
    i.size_ = out->size_;
    memcpy(out, &i, room);
    return 0;
}

static bool has_dtype(kn_device d, kn_dtype dtype) { return knc_target_has(d->target(d), dtype->id); }

bool kn_device_has_dtype(kn_device device, kn_dtype dtype)
{
    if (!is_given("device_has_dtype", device))
        return false;
    if (!dtype)
        knx_report_new("device_has_dtype", KN_ERROR_TYPE, "null dtype");
    return dtype && has_dtype(device, dtype);
}

static void add_line(knx_str *s, const char *name, const char *text)
{
    if (text && *text)
        knx_str_printf(s, "\n  %s: %s", name, text);
}

static void add_bytes(knx_str *s, const char *name, uint64_t bytes)
{
    if (bytes)
        knx_str_printf(s, "\n  %s: %.1f MiB", name, (double)bytes / (1 << 20));
}

const char *kn_device_text(kn_device device)
{
    knx_str s = {0};
    if (!is_given("device_text", device))
        return NULL;
    kn_device_info i = info_of(device);
    knx_str_puts(&s, device->name);
    add_line(&s, "description", i.description);
    add_line(&s, "vendor", i.vendor);
    add_line(&s, "driver", i.driver);
    add_bytes(&s, "memory", i.memory_bytes);
    add_bytes(&s, "largest array", i.most_buffer_bytes);
    knx_str_printf(&s, "\n  limits: %d arrays in a kernel, %d bits of a position, parts at multiples of %d bytes",
                   i.most_buffers, i.index_bits, i.alignment);
    knx_str_puts(&s, "\n  dtypes:");
    for (int k = 0; k < KN_ID_COUNT; k++)
        if (has_dtype(device, &knx_dtype_table[k]))
            knx_str_printf(&s, " %s", knx_dtype_table[k].name);
    add_line(&s, "features", i.features);
    return knface_own_text(knx_str_take(&s));
}

/* ---- Arrays. */

static knx_error *traced(const kna_value *v)
{
    return v->state == KN_V_ABSTRACT
               ? knx_error_new(KN_ERROR_CONCRETIZATION,
                               "this array came from kn_eval_shape: it has a type but no value")
               : knx_error_new(KN_ERROR_CONCRETIZATION,
                               "a traced array cannot be put on a device: %s runs on one, that of its arguments; put "
                               "those there before the call",
                               v->tracer.recording->function);
}

/* The value of x, which has a dtype, and is traced only where it has not far to go: a new reference. to_look: what is
 * at it stays behind. */
static knx_error *value_to_move(kn_array x, kn_device d, bool to_look, kna_value **out)
{
    KN_TRY(kna_array_value(x, out));
    knx_error *error = to_look ? kna_lift_drop(out) : NULL;
    if (error) {
        kna_value_release(*out);
        return error;
    }
    if ((*out)->state == KN_V_TRACER && d == kn_default_device())
        return NULL;
    if (kna_is_lifted(*out))
        error = knx_error_new(
            KN_ERROR_VALUE,
            "an array that is watched, or has a tangent or batch axes, cannot be put on a device: put it there first");
    else if ((*out)->state == KN_V_TRACER || (*out)->state == KN_V_ABSTRACT)
        error = traced(*out);
    else if ((*out)->type.weak)
        error = kna_value_as(out, kna_strong_dtype((*out)->type));
    if (!error)
        error = kna_force(1, out);
    if (error)
        kna_value_release(*out);
    return error;
}

/* The contents of v, which was run, go to the device now. */
static knx_error *send(kna_value *v, kn_device d)
{
    knd_memory *there, *own;
    if (v->state != KN_V_BUFFER || kna_lies_in_pin(v)) /* a number, or traced; or it is sent for each run */
        return NULL;
    if (d == &knd_host)
        return knd_fetch(v->buffer);
    if (!d->alloc) /* "auto": they may be anywhere */
        return NULL;
    return kni_type_bytes(v->type) ? knd_send(d, v->buffer, true, &there, &own) : NULL;
}

static kn_array move(kna_op *op, kn_array x, kn_device d, uint16_t site)
{
    kna_value *v = NULL;
    knx_error *error = kna_failed(op) ? NULL : value_to_move(x, d, site == KND_NOWHERE, &v);
    bool moved = v && !error;
    if (moved && !(knd_site_at(site)->committed && knd_site_at(v->site)->committed && kna_are_together(v->site, site)))
        error = kna_move_to_site(&v, site); /* else what put it there first is told of */
    if (moved && !error)
        error = send(v, d);
    if (error)
        kna_fail_with(op, error);
    kni_atom y = moved && !error ? kna_value_atom(op, v) : KN_ATOM_NONE;
    if (moved)
        kna_value_release(v);
    return kna_end(op, y);
}

kn_array kn_device_put(kn_array x, kn_device device)
{
    kna_op op;
    kna_begin(&op, "device_put");
    if (!knd_is_known(device))
        kna_fail(&op, KN_ERROR_TYPE, device ? "this is no device" : "null device");
    return move(&op, x, device, kna_failed(&op) ? KND_NOWHERE : knd_site_of(device, true, knx_context()->here));
}

kn_array kn_device_get(kn_array x)
{
    kna_op op;
    kna_begin(&op, "device_get");
    return move(&op, x, &knd_host, KND_NOWHERE);
}

kn_device kn_device_of(kn_array x)
{
    kna_op op;
    kna_begin(&op, "device_of");
    uint16_t site = kna_site_of_array(&op, x);
    return kna_end_plain(&op) ? knd_site_at(site)->device : NULL;
}

bool kn_is_committed(kn_array x)
{
    kna_op op;
    kna_begin(&op, "is_committed");
    uint16_t site = kna_site_of_array(&op, x);
    return kna_end_plain(&op) && knd_site_at(site)->committed;
}

/* ---- The default. */

kn_device kn_default_device(void)
{
    kna_state_get(); /* which reads KILN_DEVICE */
    return knd_site_at(kna_default_site())->device;
}

kn_device kn_set_default_device(kn_device device)
{
    kn_context c = knx_context();
    kna_state_get();
    kn_device before = c && c->site ? knd_site_at(c->site)->device : NULL;
    if (c && (!device || is_given("set_default_device", device)))
        c->site = kna_asked_site(device);
    return before; /* also after an error, so that a block ends as it began */
}

void kn_device_leave(kn_device *before)
{
    kn_context c = knx_context();
    if (before && *before && c && !is_given("device_leave", *before)) /* it has gone */
        c->site = KND_NOWHERE;
    else if (before)
        kn_set_default_device(*before);
}

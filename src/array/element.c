/* SPDX-License-Identifier: Apache-2.0
 * element.c -- one element of an array, read and written where it lies. */
#include "array/element.h"
#include "array/handle.h"
#include "array/lift.h"
#include "array/pin.h"
#include "array/state.h"
#include "array/storage.h"
#include <string.h>

/* ---- Values that are there. */

/* Does it wait for an update of some elements? */
static bool is_update(const kna_value *v) { return v->state == KN_V_PENDING && v->pending.node->prim->updates; }

/* Are the elements on the host, from now on? If a device fails, whoever asks finds out by the usual way. */
static bool is_here(const kna_value *v)
{
    if (__builtin_expect(v->buffer->away != NULL, 0))
        knx_error_release(knd_fetch(v->buffer));
    return v->buffer->data != NULL;
}

/* v if it has a buffer, and is nowhere in particular: what is on a device has the device's programs. Writes that wait
 * are carried out: whoever goes on with single elements reads or writes the next one soon, and a line of updates is
 * longer each time. */
static kna_value *in_memory(kna_value *v)
{
    if (is_update(v) && !v->site)
        knx_error_release(kna_force(1, &v)); /* v's own from now on */
    return v->state == KN_V_BUFFER && !v->site && is_here(v) ? v : NULL;
}

static const void *in_order(const kna_value *v, const int64_t *at)
{
    int64_t i = 0;
    for (int d = 0; d < v->type.ndim; d++)
        i = i * v->type.dim[d] + at[d];
    return (const char *)v->buffer->data + i * v->type.dtype->size;
}

/* Are a's elements those that lie at its strides? Bytes that are seen as booleans, or the other way round, are not. */
static bool lies_as_it_says(const kna_array *a)
{
    const kna_view_op *s = a->unplaced ? NULL : a->step;
    while (s && !(s->prim->bits & KN_COMPONENT && a->type.dtype->size == 1))
        s = s->before;
    return !s && !a->unplaced;
}

static char *at_strides(const kna_array *a, const kna_value *v, const int64_t *at)
{
    char *p = (char *)v->buffer->data + a->offset;
    for (int d = 0; d < a->type.ndim; d++)
        p += at[d] * a->stride[d];
    return p;
}

/* ---- Reading. */

const void *kna_element(kn_array x, const int64_t *at)
{
    kna_handle_kind kind = KN_H_NONE;
    void *object = kna_recording_current() ? NULL : kna_handle_peek(x, &kind);
    if (kind == KN_H_ARRAY) {
        const kna_value *v = in_memory(object);
        return v ? in_order(v, at) : NULL;
    }
    if (kind != KN_H_VIEW)
        return NULL;
    const kna_array *a = object;
    if (a->value && a->value->state == KN_V_BUFFER && a->seen == a->storage->version && !a->seen_by &&
        !a->value->site && is_here(a->value))
        return in_order(a->value, at);
    const kna_value *v = lies_as_it_says(a) ? in_memory(a->storage->value) : NULL;
    return v ? at_strides(a, v, at) : NULL;
}

static void lie_in_order(const kna_value *v, kna_lying *l)
{
    int64_t stride = 1;
    l->type = v->type;
    l->buffer = v->buffer;
    l->first = v->buffer->data;
    for (int d = v->type.ndim; d-- > 0; stride *= v->type.dim[d])
        l->stride[d] = stride;
}

/* False where a stride is no number of elements. */
static bool lie_at_strides(const kna_array *a, const kna_value *v, kna_lying *l)
{
    int64_t size = a->type.dtype->size;
    l->type = a->type;
    l->buffer = v->buffer;
    l->first = (char *)v->buffer->data + a->offset;
    for (int d = 0; d < a->type.ndim; d++) {
        l->stride[d] = a->stride[d] / size;
        if (l->stride[d] * size != a->stride[d])
            return false;
    }
    return true;
}

bool kna_lies(kn_array x, kna_lying *l)
{
    kna_handle_kind kind = KN_H_NONE;
    void *object = kna_recording_current() ? NULL : kna_handle_peek(x, &kind);
    const kna_array *a = kind == KN_H_VIEW ? object : NULL;
    const kna_value *v = kind == KN_H_ARRAY ? in_memory(object) : NULL;
    l->in_c_order = !a || kna_is_contiguous(a->type, a->stride);
    if (a && a->value && a->value->state == KN_V_BUFFER && a->seen == a->storage->version && !a->seen_by)
        v = in_memory(a->value);
    if (v) {
        lie_in_order(v, l);
        return true;
    }
    v = a && lies_as_it_says(a) ? in_memory(a->storage->value) : NULL;
    return v && lie_at_strides(a, v, l);
}

bool kna_lies_in_order(const kna_lying *l)
{
    int64_t stride = 1;
    for (int d = l->type.ndim; d-- > 0; stride *= l->type.dim[d])
        if (l->type.dim[d] != 1 && l->stride[d] != stride)
            return false;
    return true;
}

bool kna_is_there(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const kna_value *v = kna_recording_current() ? NULL : kna_handle_peek(x, &kind);
    return v && kind == KN_H_ARRAY && !v->pin && kna_lies_here(v);
}

/* The lifted value of x or of what it is a view of; NULL: it is none. */
static const kna_value *lifted_value(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *at = kna_lifting_now() ? kna_handle_peek(x, &kind) : NULL;
    if (!at || (kind != KN_H_ARRAY && kind != KN_H_VIEW))
        return NULL;
    const kna_value *v = kind == KN_H_ARRAY ? at : ((const kna_array *)at)->storage->value;
    return kna_is_lifted(v) ? v : NULL;
}

bool kna_has_lift(kn_array x) { return lifted_value(x) != NULL; }

bool kna_has_batch_axes(kn_array x)
{
    const kna_value *v = lifted_value(x);
    return v && kna_batch_axes(v) > 0;
}

bool kna_is_away(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const kna_value *v = kna_recording_current() ? NULL : kna_handle_peek(x, &kind);
    const knd_device *d = &knd_host;
    if (!v || kind != KN_H_ARRAY)
        return false;
    if (v->state == KN_V_PENDING)
        d = kna_device_at(v->pending.node->site);
    else if (v->state == KN_V_BUFFER && v->buffer->away)
        d = knd_device_of(v->buffer);
    return d->begin_checks != NULL;
}

kna_value *kna_element_value(kn_dtype dtype, const void *element)
{
    knx_buffer *b = knx_buffer_new(dtype->size);
    if (b)
        memcpy(b->data, element, dtype->size);
    return b ? kna_value_buffer(kni_scalar_type(dtype), b) : NULL;
}

kn_array kna_end_element(kna_op *op, kn_dtype dtype, const void *element)
{
    knx_buffer *b = knx_buffer_new(dtype->size);
    if (b)
        memcpy(b->data, element, dtype->size);
    return kna_from_buffer(op, kni_scalar_type(dtype), b);
}

/* ---- Writing. */

/* Counts what v waits for; are those elementwise functions of scalars that are there, and few? */
static bool waits_for_scalars(const kna_value *v, int *budget)
{
    if (v->type.ndim || v->state == KN_V_BUFFER || v->state == KN_V_NUMBER)
        return v->type.ndim == 0;
    const kna_node *n = v->state == KN_V_PENDING ? v->pending.node : NULL;
    if (!n || !(n->prim->bits & KN_ELEMENTWISE) || kni_can_fail(n->prim, n->params) || --*budget < 0)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (n->in[i] && !waits_for_scalars(n->in[i], budget))
            return false;
    return true;
}

/* The bits of a scalar that is there, or can be had at once. */
static bool scalar_bits(kna_value *v, knx_scalar_bits *bits)
{
    int budget = 16;
    if (v->state == KN_V_PENDING && !knx_context()->watched && waits_for_scalars(v, &budget))
        knx_error_release(kna_force(1, &v));
    if (v->site || (v->state != KN_V_NUMBER && (v->state != KN_V_BUFFER || !is_here(v))))
        return false;
    memcpy(bits, kna_elements(v), v->type.dtype->size);
    return true;
}

/* The array if writing to it is no one else's business. */
static kna_array *writable(kna_op *op, kn_array x)
{
    kna_handle_kind kind;
    const kna_value *bare = kna_handle_peek(x, &kind);
    if ((kind == KN_H_ARRAY && bare->state != KN_V_BUFFER && !is_update(bare)) || kind == KN_H_NONE)
        return NULL;
    kna_array *a = kna_array_of(op, x);
    const kna_storage *s = a ? a->storage : NULL;
    bool ours = s && a->writeable && !s->readonly && !s->recording && !s->argument;
    return ours && lies_as_it_says(a) ? a : NULL;
}

/* Does no one but the storage have its value, and no one but those who are to see the write its memory? Under the share
 * lock: then no other context begins to. */
static bool is_alone(const kna_storage *s)
{
    const kna_value *v = s->value;
    const kna_pin *p = s->pin;
    bool pinned = p && v->pin == p && p->holder == v && kna_lies_in_pin(v);
    return v->refs == 1 && atomic_load(&v->buffer->refs) == 1 + pinned && pinned == (p || v->pin);
}

/* The host is about to write there. */
static bool write_here(knx_buffer *b)
{
    if (__builtin_expect(b->away != NULL, 0))
        knx_error_release(knd_fetch_to_write(b));
    return b->data != NULL;
}

bool kna_put_element(kna_op *op, kn_array x, const int64_t *at, kni_atom v)
{
    knx_scalar_bits bits;
    if (kna_recording_current() || kna_failed(op))
        return false;
    kna_value *fresh = kna_atom_value(op, v);
    bool there = fresh && scalar_bits(fresh, &bits);
    kna_value_release(fresh);
    return there && kna_put_bits(op, x, at, &bits);
}

enum { MOST_KEPT = 8 };

/* The views forget the value before. What they have in memory of their own may be read by the write: it is kept until
 * that is done. False: there is too much of it. */
static bool forget_views(kna_storage *s, kna_value *kept[MOST_KEPT], int *n)
{
    for (*n = 0; s->views; kna_forget(s->views)) {
        kna_value *v = s->views->value;
        if (v->state != KN_V_BUFFER || v->buffer == s->value->buffer)
            continue;
        if (*n == MOST_KEPT)
            return false;
        kept[(*n)++] = kna_value_retain(v);
    }
    return true;
}

bool kna_write_here(kna_op *op, kn_array x, kna_writer write, const void *env)
{
    kna_lying l;
    kna_array *a = kna_recording_current() ? NULL : writable(op, x);
    if (!a || !in_memory(a->storage->value))
        return false;
    kna_storage *s = a->storage;
    kna_value *kept[MOST_KEPT];
    int n = 0;
    bool ready = forget_views(s, kept, &n);
    knx_share_lock();
    bool written =
        ready && is_alone(s) && write_here(s->value->buffer) && lie_at_strides(a, s->value, &l) && write(env, &l);
    s->version += written;
    knx_share_unlock();
    while (n > 0)
        kna_value_release(kept[--n]);
    return written;
}

typedef struct one {
    const int64_t *at;
    const void *bits;
} one;

static bool write_one(const void *env, const kna_lying *to)
{
    const one *o = env;
    int64_t i = 0, size = to->type.dtype->size;
    for (int d = 0; d < to->type.ndim; d++)
        i += o->at[d] * to->stride[d];
    memcpy(to->first + i * size, o->bits, (size_t)size);
    return true;
}

bool kna_put_bits(kna_op *op, kn_array x, const int64_t *at, const void *bits)
{
    return kna_write_here(op, x, write_one, &(one){at, bits});
}

/* SPDX-License-Identifier: Apache-2.0
 * site.c -- where the results of operations are meant to be, as in JAX: where the committed operands are; else where
 * the default says. A part of an array, and an array that is written to, stay where the array is. */
#include "array/lift.h"
#include "array/handle.h"
#include "array/op.h"
#include "array/pin.h"
#include "array/state.h"
#include "array/storage.h"
#include "device/mesh/mesh.h"
#include "dist/dist.h"
#include <string.h>

static bool is_committed(uint16_t site) { return knd_site_at(site)->committed; }

static const char *show(knx_text *t, uint16_t site)
{
    const knd_site *s = knd_site_at(site);
    size_t from = t->length;
    knx_text_add(t, "%s", s->device->name);
    if (s->line)
        knx_text_add(t, " (by %s:%d)", s->line->file, s->line->line);
    return t->s + from;
}

static knx_error *apart(uint16_t a, uint16_t b)
{
    knx_text one = {0}, other = {0};
    return knx_error_new(KN_ERROR_VALUE,
                         "the arrays are on different devices: one was put on %s, another on %s; kn_device_put brings "
                         "them together",
                         show(&one, a), show(&other, b));
}

knx_error *kna_join_site(uint16_t *all, uint16_t one)
{
    if (!one || !is_committed(one))
        return NULL;
    if (!*all)
        *all = one;
    return kna_are_together(*all, one) ? NULL : apart(*all, one);
}

/* The operand that the result is a part of, or an update of; NULL: neither. */
static const kna_value *base_of(const kni_prim *prim, kna_value *const *in)
{
    const kna_value *base = prim->updates                                       ? in[prim->updates - 1]
                            : prim->bits & (KN_VIEW | KN_WINDOW | KN_COMPONENT) ? in[0]
                                                                                : NULL;
    return base && base->state != KN_V_NUMBER ? base : NULL;
}

/* Is it of the operation that is running now, made of numbers alone? Then nothing says where it has to be. `left`: so
 * many values are looked at. */
static bool is_loose(const kna_value *v, int *left)
{
    if (!v || v->state == KN_V_NUMBER)
        return true;
    const kna_node *n = v->state == KN_V_PENDING ? v->pending.node : NULL;
    if (!n || --*left < 0 || n->place != knx_context()->here || (kni_bits(n->prim, n->params) & KN_EFFECT) ||
        is_committed(n->site))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (!is_loose(n->in[i], left))
            return false;
    return true;
}

/* It runs there; nobody has put it there. */
static void take_along(const kna_value *v, uint16_t site)
{
    if (!v || v->state != KN_V_PENDING || v->pending.node->site == site)
        return;
    kna_node *n = v->pending.node;
    n->site = site;
    for (uint32_t i = 0; i < n->n_out; i++)
        if (n->out[i])
            n->out[i]->site = site;
    for (uint32_t i = 0; i < n->n_in; i++)
        take_along(n->in[i], site);
}

/* Whoever waits for another device is run there: what waits together is on one device. Iotas come along. */
static knx_error *run_elsewhere(uint32_t n_in, kna_value *const *in, uint16_t site)
{
    for (uint32_t i = 0; i < n_in; i++) {
        kna_value *v = in[i];
        if (!v || v->state != KN_V_PENDING || kna_are_together(v->pending.node->site, site))
            continue;
        int left = 64;
        if (is_loose(v, &left)) {
            take_along(v, knd_site_of(knd_site_at(site)->device, false, NULL));
            continue;
        }
        knx_error *error = kna_force(1, &v);
        if (error && v->state != KN_V_ERROR)
            return error;
        knx_error_release(error); /* it is what the operand is now, and was reported */
    }
    return NULL;
}

/* A static program that makes no mesh does without the device. */
extern __typeof__(knd_mesh_open) knd_mesh_open __attribute__((weak));

/* Has the job all devices of the mesh? */
static bool has_devices(const kni_mesh *m)
{
    const kndist_job *job = kndist_job_now();
    int64_t n = (int64_t)job->n_process * job->n_local;
    for (int64_t i = 0; i < m->n_device; i++)
        if (m->device[i] >= n)
            return false;
    return true;
}

/* Of a mesh whose devices are not there (a jaxpr that was read) a program runs where its arrays are. */
knx_error *kna_join_mesh(uint16_t *all, const kni_mesh *m)
{
    const knd_mesh *d;
    if (!has_devices(m))
        return NULL;
    if (!knd_mesh_open)
        return knx_error_new(KN_ERROR_RUNTIME, "this program is linked statically, without meshes: it does not call "
                                               "kn_make_mesh");
    KN_TRY(knd_mesh_open(m, &d));
    return kna_join_site(all, knd_site_of(&d->head, true, knx_context()->here));
}

static const kni_mesh *mesh_among(const kni_prim *p, const void *params)
{
    const kni_mesh *m = NULL;
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        if (f->kind == KN_P_MESH)
            m = *(const kni_mesh *const *)(const void *)((const char *)params + f->offset);
    return m;
}

knx_error *kna_site_of_node(const kni_prim *prim, const void *params, uint32_t n_in, kna_value *const *in,
                            uint16_t *site)
{
    const kna_value *base = base_of(prim, in);
    const kni_mesh *mesh = NULL;
    uint16_t all = KND_NOWHERE;
    for (uint32_t i = 0; i < n_in; i++)
        KN_TRY(in[i] ? kna_join_site(&all, in[i]->site) : NULL);
    if (__builtin_expect(kni_bits(prim, params) & KN_ON_MESH, 0))
        KN_TRY(kni_mesh_in(prim, params, &mesh));
    if (!all && (prim->bits & KN_MAY_MESH))
        mesh = mesh_among(prim, params);
    if (mesh)
        KN_TRY(kna_join_mesh(&all, mesh));
    *site = all ? all : base ? base->site : kna_default_site();
    return run_elsewhere(n_in, in, *site);
}

knx_error *kna_join_sites(uint32_t n, kna_value *const *in, uint16_t *site)
{
    for (uint32_t i = 0; i < n; i++)
        KN_TRY(kna_join_site(site, in[i]->site));
    if (!*site)
        *site = kna_default_site();
    return NULL;
}

/* Of what others may write to; NULL without memory. */
static knx_buffer *copy_of(const kna_value *v)
{
    uint64_t bytes = kni_type_bytes(v->type);
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && bytes)
        memcpy(b->data, v->buffer->data, bytes);
    return b;
}

knx_error *kna_move_to_site(kna_value **v, uint16_t site)
{
    if (kna_is_lifted(*v))
        return kna_lift_move(v, site);
    kna_value *from = *v, *to = NULL;
    kni_type t = from->type;
    if (from->site == site || from->state == KN_V_TRACER || from->state == KN_V_ABSTRACT)
        return NULL;
    KN_TRY(kna_force(1, v));
    t.weak = false;
    if (from->state == KN_V_NUMBER) {
        to = kna_value_number(t.dtype, false, from->bits);
    } else {
        knx_buffer *b = kna_lies_in_pin(from) ? copy_of(from) : knx_buffer_retain(from->buffer);
        to = b ? kna_value_buffer(t, b) : NULL;
    }
    if (!to)
        return knx_error_nomem();
    to->site = site;
    kna_value_release(from);
    *v = to;
    return NULL;
}

uint16_t kna_site_of_array(kna_op *op, kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    kni_type t = kna_type(op, x);
    const void *object = kna_failed(op) ? NULL : kna_handle_peek(x, &kind);
    const kna_value *v = kind == KN_H_ARRAY  ? object
                         : kind == KN_H_VIEW ? ((const kna_array *)object)->storage->value
                                             : NULL;
    kna_value *foreign = NULL;
    knx_error *error = v || kna_failed(op) ? NULL : kna_array_value(x, &foreign);
    if (error)
        kna_fail_with(op, error);
    v = foreign ? foreign : v;
    bool nowhere = !v || (t.weak && v->state == KN_V_NUMBER) || v->state == KN_V_TRACER || v->state == KN_V_ABSTRACT;
    uint16_t site = nowhere ? kna_default_site() : v->site;
    kna_value_release(foreign);
    return site;
}

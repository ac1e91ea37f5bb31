/* SPDX-License-Identifier: Apache-2.0
 * parts.c -- the memory of a mesh: values are cut into parts, and parts are brought together. */
#include "device/mesh/mesh.h"
#include <string.h>

void knd_parts_free(knd_parts *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n; i++)
        knx_buffer_release(p->part[i]);
    knx_free(p);
}

void knd_box_of(knd_box *box, kni_type t, const kni_sharding *s, int64_t in_mesh)
{
    for (int d = 0; d < t.ndim; d++) {
        int64_t e = kni_part_extent(t.dim[d], kni_mesh_parts(s->mesh, s->dim[d]));
        int64_t start = e * kni_mesh_part(s->mesh, s->dim[d], in_mesh);
        box->start[d] = start < t.dim[d] ? start : t.dim[d];
        int64_t rest = t.dim[d] - box->start[d];
        box->count[d] = e < rest ? e : rest;
        box->extent[d] = e;
    }
}

uint64_t knd_part_bytes(kni_type t, const kni_sharding *s)
{
    uint64_t bytes = t.dtype->size;
    for (int d = 0; d < t.ndim; d++)
        bytes *= (uint64_t)kni_part_extent(t.dim[d], kni_mesh_parts(s->mesh, s->dim[d]));
    return bytes;
}

/* ---- Copies of boxes. */

typedef struct side {
    char *at;
    int64_t stride[KN_MAX_NDIM]; /* bytes */
} side;

static void set_strides(side *s, int ndim, const int64_t *extent, size_t item)
{
    int64_t step = (int64_t)item;
    for (int d = ndim - 1; d >= 0; d--) {
        s->stride[d] = step;
        step *= extent[d];
    }
}

/* The last axes that are adjacent on both sides go in one piece. */
static void copy_box(int ndim, const int64_t *count, size_t item, const side *to, const side *from)
{
    int64_t at[KN_MAX_NDIM] = {0}, piece = (int64_t)item;
    char *x = to->at, *y = from->at;
    int outer = ndim;
    for (int d = 0; d < ndim; d++)
        if (!count[d])
            return;
    for (; outer && to->stride[outer - 1] == piece && from->stride[outer - 1] == piece; outer--)
        piece *= count[outer - 1];
    for (;;) {
        memcpy(x, y, (size_t)piece);
        int d = outer - 1;
        for (; d >= 0 && at[d] == count[d] - 1; d--) {
            x -= to->stride[d] * at[d];
            y -= from->stride[d] * at[d];
            at[d] = 0;
        }
        if (d < 0)
            return;
        at[d]++;
        x += to->stride[d];
        y += from->stride[d];
    }
}

static void sides_of(kni_type t, const knd_box *box, char *whole, char *part, side *in_whole, side *in_part)
{
    set_strides(in_whole, t.ndim, t.dim, t.dtype->size);
    set_strides(in_part, t.ndim, box->extent, t.dtype->size);
    in_part->at = part;
    in_whole->at = whole;
    for (int d = 0; d < t.ndim; d++)
        in_whole->at += box->start[d] * in_whole->stride[d];
}

/* ---- Parts. */

/* By where they are in the mesh. */
static bool same_part(const kni_sharding *s, int64_t i, int64_t j)
{
    for (int d = 0; d < s->ndim; d++)
        if (kni_mesh_part(s->mesh, s->dim[d], i) != kni_mesh_part(s->mesh, s->dim[d], j))
            return false;
    return true;
}

int knd_first_with_part(const knd_mesh *d, const kni_sharding *s, int i)
{
    int k = 0;
    while (k < i && !same_part(s, d->in_mesh[i], d->in_mesh[k]))
        k++;
    return k;
}

const knd_parts *knd_parts_of(const knd_mesh *d, const knx_buffer *b, kni_type t)
{
    const knd_parts *p = b ? (const knd_parts *)(const void *)knd_memory_of(&d->head, b) : NULL;
    bool same = p && p->type.dtype == t.dtype && p->type.ndim == t.ndim;
    for (int k = 0; same && k < t.ndim; k++)
        same = p->dim[k] == t.dim[k];
    return same ? p : NULL;
}

knx_error *knd_parts_buffer(const knd_mesh *d, kni_type t, const kni_sharding *s, knx_buffer *const *part,
                            knx_buffer **out)
{
    size_t n = (size_t)d->n_local;
    knd_parts *p = knx_alloc(sizeof *p + n * sizeof *part + (size_t)t.ndim * sizeof *t.dim);
    *out = NULL;
    if (!p) {
        for (size_t i = 0; i < n; i++)
            knx_buffer_release(part[i]);
        return knx_error_nomem();
    }
    p->type = t;
    p->sharding = s;
    p->n = d->n_local;
    p->part = (knx_buffer **)(p + 1);
    p->dim = (int64_t *)(p->part + n);
    if (n)
        memcpy(p->part, part, n * sizeof *part);
    if (t.ndim)
        memcpy(p->dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    p->type.dim = p->dim;
    p->type.weak = false;
    p->type.sharding = NULL;
    return knd_buffer_of(&d->head, (knd_memory *)(void *)p, (size_t)kni_type_bytes(t), out);
}

/* The part that device i of the mesh has, padded, of elements that lie in C order in an array of these extents, which
 * begins at `first` of the whole. What is behind the elements is zero, so that no number there slows arithmetic down.
 * */
static knx_buffer *cut_part(kni_type t, const kni_sharding *s, int64_t in_mesh, const int64_t *first,
                            const int64_t *extent, const void *data)
{
    knd_box box;
    side from, to;
    uint64_t bytes = knd_part_bytes(t, s);
    knx_buffer *b = knx_buffer_new(bytes);
    if (!b || !bytes)
        return b;
    knd_box_of(&box, t, s, in_mesh);
    set_strides(&from, t.ndim, extent, t.dtype->size);
    set_strides(&to, t.ndim, box.extent, t.dtype->size);
    from.at = (char *)(uintptr_t)data;
    to.at = b->data;
    bool padded = false;
    for (int d = 0; d < t.ndim; d++) {
        padded |= box.count[d] != box.extent[d];
        from.at += (box.start[d] - first[d]) * from.stride[d];
    }
    if (padded)
        memset(b->data, 0, bytes);
    copy_box(t.ndim, box.count, t.dtype->size, &to, &from);
    return b;
}

knx_error *knd_make_parts(const knd_mesh *d, kni_type t, const kni_sharding *s, knd_part_maker make, void *env,
                          knx_buffer **out)
{
    knx_buffer **part = knx_alloc_zero(((size_t)d->n_local + 1) * sizeof *part);
    knx_error *error = part ? NULL : knx_error_nomem();
    *out = NULL;
    for (int i = 0; !error && i < d->n_local; i++) {
        int k = knd_first_with_part(d, s, i);
        if (k < i)
            part[i] = knx_buffer_retain(part[k]);
        else
            error = make(env, i, &part[i]);
        if (!error && !part[i])
            error = knx_error_nomem_for(knd_part_bytes(t, s), 0, NULL, NULL);
    }
    for (int i = 0; part && error && i < d->n_local; i++)
        knx_buffer_release(part[i]);
    error = error ? error : knd_parts_buffer(d, t, s, part, out);
    knx_free(part);
    return error;
}

typedef struct cutter {
    const knd_mesh *d;
    kni_type t;
    const kni_sharding *s;
    const int64_t *first, *extent;
    const void *data;
    knx_buffer *whole; /* that is shared; NULL: it is cut */
} cutter;

static knx_error *cut(void *env, int i, knx_buffer **out)
{
    const cutter *c = env;
    *out =
        c->whole ? knx_buffer_retain(c->whole) : cut_part(c->t, c->s, c->d->in_mesh[i], c->first, c->extent, c->data);
    return NULL;
}

knx_error *knd_cut_block(const knd_mesh *d, kni_type t, const kni_sharding *s, const int64_t *first,
                         const int64_t *extent, const void *data, knx_buffer **out)
{
    cutter c = {d, t, s, first, extent, data, NULL};
    return knd_make_parts(d, t, s, cut, &c, out);
}

knx_error *knd_cut_whole(const knd_mesh *d, kni_type t, const kni_sharding *s, const void *data, knx_buffer *whole,
                         knx_buffer **out)
{
    const int64_t first[KN_MAX_NDIM] = {0};
    cutter c = {d, t, s, first, t.dim, data, whole && kni_is_replicated(s) ? whole : NULL};
    return knd_make_parts(d, t, s, cut, &c, out);
}

knx_buffer *knd_pad_part(const knd_mesh *d, kni_type t, const kni_sharding *s, int i, const void *data)
{
    knd_box box;
    knd_box_of(&box, t, s, d->in_mesh[i]);
    return cut_part(t, s, d->in_mesh[i], box.start, box.count, data);
}

/* ---- Together. */

static knx_error *spans(const knd_parts *p)
{
    knx_text t = {0};
    return knx_error_new(KN_ERROR_RUNTIME,
                         "the array is spread over processes (%s), and this one has not all of its elements; "
                         "kn_shard with a sharding that cuts nothing brings it together in all of them",
                         kni_sharding_text(&t, p->sharding));
}

/* Are all parts in this process? */
static bool is_all_here(const knd_mesh *d, const knd_parts *p)
{
    int64_t parts = 1, here = 0;
    for (int k = 0; k < p->type.ndim; k++)
        parts *= kni_mesh_parts(d->mesh, p->sharding->dim[k]);
    for (int i = 0; i < d->n_local && here < parts; i++)
        here += knd_first_with_part(d, p->sharding, i) == i;
    return here == parts;
}

static void copy_to_whole(const knd_mesh *d, const knd_parts *p, int i, void *to)
{
    knd_box box;
    side whole, part;
    knd_box_of(&box, p->type, p->sharding, d->in_mesh[i]);
    sides_of(p->type, &box, to, p->part[i]->data, &whole, &part);
    copy_box(p->type.ndim, box.count, p->type.dtype->size, &whole, &part);
}

knx_error *knd_join_parts(const knd_mesh *d, const knd_parts *p, void *to)
{
    if (!is_all_here(d, p))
        return spans(p);
    if (!kni_type_bytes(p->type))
        return NULL;
    for (int i = 0; i < d->n_local; i++)
        if (knd_first_with_part(d, p->sharding, i) == i)
            copy_to_whole(d, p, i, to);
    return NULL;
}

void knd_copy_part(const knd_mesh *d, const knd_parts *p, int i, void *to)
{
    knd_box box;
    side short_one, part;
    knd_box_of(&box, p->type, p->sharding, d->in_mesh[i]);
    set_strides(&short_one, p->type.ndim, box.count, p->type.dtype->size);
    set_strides(&part, p->type.ndim, box.extent, p->type.dtype->size);
    short_one.at = to;
    part.at = p->part[i]->data;
    if (knd_part_bytes(p->type, p->sharding))
        copy_box(p->type.ndim, box.count, p->type.dtype->size, &short_one, &part);
}

/* SPDX-License-Identifier: Apache-2.0
 * along.c -- what is done to a value along one of its dimensions, the others staying as they are. */
#include "shard/write.h"
#include <string.h>

int64_t knshard_extent(const knshard_writer *w, kni_atom x, int d)
{
    kni_type t = knb_type(&w->b, x);
    return d < t.ndim ? t.dim[d] : 1;
}

kni_atom knshard_slice(knshard_writer *w, kni_atom x, int d, int64_t from, int64_t to)
{
    kni_type t = knb_type(&w->b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    if (w->b.error || d >= t.ndim || (!from && to == t.dim[d]))
        return x;
    memcpy(limit, t.dim, (size_t)t.ndim * sizeof *limit);
    start[d] = from;
    limit[d] = to;
    return knb_slice(&w->b, x, start, limit, NULL);
}

kni_atom knshard_slice_at(knshard_writer *w, kni_atom x, int d, kni_atom first, int64_t extent)
{
    kni_builder *b = &w->b;
    kni_type t = knb_type(b, x);
    kni_atom start[KN_MAX_NDIM];
    int64_t sizes[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim && i < KN_MAX_NDIM; i++) {
        start[i] = i == d ? first : knb_integer(b, KN_DT(I64), 0);
        sizes[i] = i == d ? extent : t.dim[i];
    }
    return b->error ? KN_ATOM_NONE : knb_dynamic_slice(b, x, start, sizes);
}

/* Keys are no numbers: there is no zero to pad with. */
static kni_atom repeat_last(knshard_writer *w, kni_atom x, int d, int64_t more)
{
    kni_type t = knb_type(&w->b, x);
    int64_t shape[KN_MAX_NDIM], along[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++) {
        shape[i] = i == d ? more : t.dim[i];
        along[i] = i;
    }
    kni_atom last = knshard_slice(w, x, d, t.dim[d] - 1, t.dim[d]);
    kni_atom both[] = {x, knb_broadcast_in_dim(&w->b, last, t.ndim, shape, along)};
    return knb_concatenate(&w->b, 2, both, d);
}

kni_atom knshard_widen(knshard_writer *w, kni_atom x, int d, int64_t before, int64_t behind)
{
    kni_type t = knb_type(&w->b, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0};
    if (w->b.error || d >= t.ndim || (!before && !behind))
        return x;
    if (t.dtype->kind == KN_KIND_KEY && !before)
        return repeat_last(w, x, d, behind);
    lo[d] = before;
    hi[d] = behind;
    return knb_pad(&w->b, x, knb_zeros(&w->b, kni_scalar_type(t.dtype)), lo, hi, NULL);
}

/* The first axis is the major one. */
kni_atom knshard_part_number(knshard_writer *w, kni_mesh_axes axes)
{
    kni_builder *b = &w->b;
    kni_atom n = KN_ATOM_NONE;
    for (int i = 0; i < axes.n; i++) {
        const char *name = w->mesh->name[axes.axis[i]];
        kni_atom at = knb_axis_index(b, (kni_names){1, &name}, w->mesh);
        n = i ? knb_add(b, knb_mul(b, n, knb_integer(b, KN_DT(I32), w->mesh->size[axes.axis[i]])), at) : at;
    }
    return axes.n ? n : knb_integer(b, KN_DT(I32), 0);
}

kni_atom knshard_first(knshard_writer *w, kni_mesh_axes axes, int64_t step)
{
    kni_builder *b = &w->b;
    if (kni_mesh_parts(w->mesh, axes) == 1)
        return knb_integer(b, KN_DT(I64), 0);
    kni_atom number = knb_convert(b, knshard_part_number(w, axes), KN_DT(I64));
    return knb_mul(b, number, knb_integer(b, KN_DT(I64), step));
}

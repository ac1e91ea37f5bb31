/* SPDX-License-Identifier: Apache-2.0
 * layout.c -- layouts: by which axes of a mesh each dimension of a value is cut. */
#include "shard/solve.h"
#include <string.h>

bool knshard_lay_new(knx_arena *a, int ndim, knshard_lay *out)
{
    *out = (knshard_lay){knx_arena_zero(a, ((size_t)ndim + 1) * sizeof *out->dim), (int16_t)ndim, false};
    return out->dim != NULL;
}

bool knshard_lay_copy(knx_arena *a, const knshard_lay *from, knshard_lay *out)
{
    if (!knshard_lay_new(a, from->ndim, out))
        return false;
    if (from->ndim)
        memcpy(out->dim, from->dim, (size_t)from->ndim * sizeof *out->dim);
    return true;
}

bool knshard_lay_equal(const knshard_lay *a, const knshard_lay *b)
{
    if (a->ndim != b->ndim)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (!kni_mesh_axes_equal(a->dim[d], b->dim[d]))
            return false;
    return true;
}

uint32_t knshard_lay_set(const knshard_lay *l)
{
    uint32_t set = 0;
    for (int d = 0; d < l->ndim; d++)
        set |= kni_mesh_axes_set(l->dim[d]);
    return set;
}

int64_t knshard_lay_parts(const kni_mesh *m, const knshard_lay *l)
{
    int64_t parts = 1;
    for (int d = 0; d < l->ndim; d++)
        parts *= kni_mesh_parts(m, l->dim[d]);
    return parts;
}

knshard_lay knshard_lay_of(const knshard_solution *s, kni_atom a)
{
    return kni_is_var(a) ? s->var[a] : (knshard_lay){0};
}

bool knshard_is_prefix(kni_mesh_axes a, kni_mesh_axes b) { return a.n <= b.n && !memcmp(a.axis, b.axis, a.n); }

kni_mesh_axes knshard_fitting(const kni_mesh *m, kni_mesh_axes a, int64_t extent)
{
    while (a.n && kni_mesh_parts(m, a) > extent)
        a.n--;
    return a;
}

static void add_axes(knx_text *t, const kni_mesh *m, kni_mesh_axes a)
{
    if (!a.n)
        knx_text_add(t, "None");
    for (int i = 0; i < a.n; i++)
        knx_text_add(t, "%s%s", i ? ", " : a.n > 1 ? "(" : "", m->name[a.axis[i]]);
    if (a.n > 1)
        knx_text_add(t, ")");
}

const char *knshard_lay_text(knx_text *t, const kni_mesh *m, const knshard_lay *l)
{
    size_t from = t->length;
    knx_text_add(t, "(");
    for (int d = 0; d < l->ndim; d++) {
        knx_text_add(t, "%s", d ? ", " : "");
        add_axes(t, m, l->dim[d]);
    }
    knx_text_add(t, ")");
    return t->s + from;
}

/* SPDX-License-Identifier: Apache-2.0
 * mesh_text.c -- meshes and shardings as people write and read them. */
#include "ir/mesh.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

void kni_add_mesh(knx_str *t, const kni_mesh *m)
{
    knx_str_puts(t, "Mesh(");
    for (int i = 0; i < m->n_axis; i++)
        knx_str_printf(t, "%s'%s': %" PRId64, i ? ", " : "", m->name[i], m->size[i]);
    knx_str_puts(t, ")");
}

void kni_add_spec_entry(knx_str *t, const kni_sharding *s, int d)
{
    kni_mesh_axes a = s->dim[d];
    knx_str_puts(t, !a.n ? "None" : a.n > 1 ? "(" : "");
    for (int i = 0; i < a.n; i++) {
        knx_str_puts(t, i ? ", " : "");
        knx_str_puts(t, s->mesh->name[a.axis[i]]);
    }
    knx_str_puts(t, a.n > 1 ? ")" : "");
}

void kni_add_spec(knx_str *t, const kni_sharding *s)
{
    for (int d = 0; d < s->ndim; d++) {
        knx_str_puts(t, d ? ", " : "");
        kni_add_spec_entry(t, s, d);
    }
}

void kni_add_sharding(knx_str *t, const kni_sharding *s)
{
    knx_str_puts(t, "NamedSharding(");
    kni_add_mesh(t, s->mesh);
    knx_str_puts(t, ", (");
    kni_add_spec(t, s);
    knx_str_puts(t, "))");
}

/* For messages: as much as there is room for. */
static const char *as_text(knx_text *t, knx_str *s)
{
    size_t at = t->length;
    knx_text_add(t, "%s", s->s && !s->failed ? s->s : "");
    knx_str_free(s);
    return t->s + at;
}

const char *kni_mesh_text(knx_text *t, const kni_mesh *m)
{
    knx_str s = {0};
    kni_add_mesh(&s, m);
    return as_text(t, &s);
}

const char *kni_spec_text(knx_text *t, const kni_sharding *s)
{
    knx_str all = {0};
    kni_add_spec(&all, s);
    return as_text(t, &all);
}

const char *kni_sharding_text(knx_text *t, const kni_sharding *s)
{
    knx_str all = {0};
    kni_add_sharding(&all, s);
    return as_text(t, &all);
}

/* ---- Reading specs: entries with commas between them, each None, a name, or names in parentheses. */

typedef struct reader {
    const kni_mesh *mesh;
    const char *text, *at;
    int ndim, n; /* entries so far */
    kni_mesh_axes dim[KN_MAX_NDIM];
} reader;

static void skip_blanks(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static knx_error *expected(const reader *r, const char *what)
{
    return knx_error_new(KN_ERROR_VALUE, "spec '%.100s', position %d: %s expected%s%.1s%s", r->text,
                         (int)(r->at - r->text), what, *r->at ? ", not '" : "", r->at, *r->at ? "'" : "");
}

static knx_error *no_axis(const reader *r, const char *name, int n)
{
    knx_text t = {0};
    for (int i = 0; i < r->mesh->n_axis; i++)
        knx_text_add(&t, "%s'%s'", i ? ", " : "", r->mesh->name[i]);
    return knx_error_new(KN_ERROR_VALUE, "spec '%.100s', position %d: the mesh has no axis '%.*s'; it has %s", r->text,
                         (int)(name - r->text), n < 60 ? n : 60, name, r->mesh->n_axis ? t.s : "none");
}

static bool is_used(const reader *r, int axis, kni_mesh_axes now)
{
    uint32_t used = kni_mesh_axes_set(now);
    for (int d = 0; d < r->n && d < r->ndim; d++)
        used |= kni_mesh_axes_set(r->dim[d]);
    return used >> axis & 1;
}

/* A name, or None, which is no axis at all. */
static knx_error *read_name(reader *r, bool none_too, kni_mesh_axes *to)
{
    skip_blanks(r);
    const char *name = r->at;
    int n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_')
        n++;
    if (!n || isdigit((unsigned char)*name))
        return expected(r, none_too ? "the name of an axis, None or '('" : "the name of an axis");
    r->at += n;
    if (none_too && n == 4 && !memcmp(name, "None", 4))
        return NULL;
    int axis = kni_mesh_axis(r->mesh, name, (size_t)n);
    if (axis < 0)
        return no_axis(r, name, n);
    if (is_used(r, axis, *to))
        return knx_error_new(KN_ERROR_VALUE,
                             "spec '%.100s', position %d: axis '%.*s' is there already; an axis of the "
                             "mesh cuts one dimension, once",
                             r->text, (int)(name - r->text), n < 60 ? n : 60, name);
    to->axis[to->n++] = (uint8_t)axis;
    return NULL;
}

static knx_error *read_entry(reader *r, kni_mesh_axes *to)
{
    *to = (kni_mesh_axes){0};
    if (!take(r, '('))
        return read_name(r, true, to);
    while (!take(r, ')')) {
        KN_TRY(read_name(r, false, to));
        if (take(r, ')'))
            break;
        if (!take(r, ','))
            return expected(r, "',' or ')'");
    }
    return NULL;
}

static knx_error *read_spec(reader *r)
{
    skip_blanks(r);
    while (*r->at) {
        kni_mesh_axes entry;
        KN_TRY(read_entry(r, &entry));
        if (r->n < r->ndim)
            r->dim[r->n] = entry;
        r->n++;
        bool more = take(r, ',');
        skip_blanks(r);
        if (*r->at && !more)
            return expected(r, "','");
    }
    if (r->n > r->ndim)
        return knx_error_new(KN_ERROR_VALUE, "spec '%.100s' has %d entr%s, but the array has %d dimension%s", r->text,
                             r->n, r->n == 1 ? "y" : "ies", r->ndim, r->ndim == 1 ? "" : "s");
    return NULL;
}

knx_error *kni_parse_spec(const kni_mesh *m, int ndim, const char *text, const kni_sharding **out)
{
    reader r = {.mesh = m, .text = text, .at = text, .ndim = ndim < 0 ? KN_MAX_NDIM : ndim};
    *out = NULL;
    KN_TRY(read_spec(&r));
    return kni_sharding_of(m, ndim < 0 ? r.n : ndim, r.dim, out);
}

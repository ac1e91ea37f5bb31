/* SPDX-License-Identifier: Apache-2.0
 * safetensors.c -- reading files of safetensors: handles, arrays that are the file's own memory, and trees of them. */
#include "array/handle.h"
#include "array/op.h"
#include "array/storage.h"
#include "base/context.h"
#include "base/options.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "kiln/extend.h"
#include "kiln/safetensors.h"
#include "tree/tree.h"
#include <string.h>

static const char type_name[] = "safetensors";

static void drop(void *p)
{
    knio_st_clear(p);
    knx_free(p);
}

static void report(const char *operation, knx_error *e) { kntree_tree_failed(operation, e); }

static knio_st *get(const char *operation, kn_safetensors f) { return kn_object_get(operation, type_name, f); }

/* ---- Opening. */

static const char *check_mode(const char *mode)
{
    return !mode || strcmp(mode, "r") == 0 ? "r" : strcmp(mode, "c") == 0 ? "c" : NULL;
}

static kn_safetensors open_file(const char *operation, const char *path, const char *given)
{
    const char *mode = check_mode(given);
    knio_st *st = knx_alloc_zero(sizeof *st);
    knx_error *e = !path   ? knx_error_new(KN_ERROR_TYPE, "null path")
                   : !mode ? knx_error_new(KN_ERROR_VALUE, "mode must be one of 'r' and 'c' (got '%.40s')", given)
                   : !st   ? knx_error_nomem()
                           : knio_st_open(st, path, *mode == 'c');
    if (!e)
        return kn_object_new(type_name, st, drop);
    report(operation, e);
    if (st)
        drop(st);
    return NULL;
}

kn_safetensors kn_safetensors_open(const char *path, const kn_safetensors_open_opts *opts)
{
    KNX_OPTS(kn_safetensors_open_opts, o, opts);
    return open_file("safetensors_open", path, o.mode);
}

kn_safetensors kn_safetensors_parse(const void *bytes, size_t n, const kn_safetensors_parse_opts *opts)
{
    static const char operation[] = "safetensors_parse";
    KNX_OPTS(kn_safetensors_parse_opts, o, opts);
    knio_mapped *m = NULL;
    if (!bytes) {
        report(operation, knx_error_new(KN_ERROR_TYPE, "null bytes"));
        return NULL;
    }
    knio_st *st = knx_alloc_zero(sizeof *st);
    knx_error *e = knio_map_memory((void *)(uintptr_t)bytes, n, o.release, o.env, &m);
    if (!e && !st) {
        knio_mapped_release(m);
        e = knx_error_nomem();
    }
    if (!e)
        e = knio_st_take(st, m);
    if (!e)
        return kn_object_new(type_name, st, drop);
    report(operation, e);
    if (st)
        drop(st);
    return NULL;
}

/* ---- What there is. */

int kn_safetensors_count(kn_safetensors file)
{
    knio_st *st = get("safetensors_count", file);
    return st ? (int)st->entries.n : -1;
}

const char *kn_safetensors_name(kn_safetensors file, int i)
{
    knio_st *st = get("safetensors_name", file);
    if (st && (i < 0 || (size_t)i >= st->entries.n)) {
        report("safetensors_name",
               knx_error_new(KN_ERROR_INDEX, "index %d is out of bounds for a file of %zu tensors", i, st->entries.n));
        return NULL;
    }
    return st ? st->entries.at[i].name : NULL;
}

static knx_error *not_there(const knio_st *st, const char *name)
{
    return !name ? knx_error_new(KN_ERROR_TYPE, "null name")
                 : knx_error_new(KN_ERROR_KEY, "%s: there is no tensor %.200s",
                                 st->files.n ? st->files.at[0]->path : "the index", name);
}

static const knio_st_entry *find(const char *operation, kn_safetensors file, const char *name, knio_st **out)
{
    knio_st *st = *out = get(operation, file);
    const knio_st_entry *e = st && name ? knio_st_find(st, name) : NULL;
    if (st && !e)
        report(operation, not_there(st, name));
    return e;
}

bool kn_safetensors_has(kn_safetensors file, const char *name)
{
    knio_st *st = get("safetensors_has", file);
    if (st && !name)
        report("safetensors_has", not_there(st, name));
    return st && name && knio_st_find(st, name);
}

kn_dtype kn_safetensors_dtype(kn_safetensors file, const char *name)
{
    knio_st *st;
    const knio_st_entry *e = find("safetensors_dtype", file, name, &st);
    return e ? knio_st_dtype(e->type) : NULL;
}

kn_shape kn_safetensors_shape(kn_safetensors file, const char *name)
{
    knio_st *st;
    const knio_st_entry *e = find("safetensors_shape", file, name, &st);
    kn_shape s = {.ndim = e ? e->ndim : -1};
    for (int i = 0; e && i < e->ndim; i++)
        s.dim[i] = e->dim[i];
    return s;
}

int kn_safetensors_metadata_count(kn_safetensors file)
{
    knio_st *st = get("safetensors_metadata_count", file);
    return st ? (int)st->metadata.n : -1;
}

const char *kn_safetensors_metadata_name(kn_safetensors file, int i)
{
    knio_st *st = get("safetensors_metadata_name", file);
    if (st && (i < 0 || (size_t)i >= st->metadata.n)) {
        report("safetensors_metadata_name",
               knx_error_new(KN_ERROR_INDEX, "index %d is out of bounds for metadata of %zu texts", i, st->metadata.n));
        return NULL;
    }
    return st ? st->metadata.at[i].key : NULL;
}

const char *kn_safetensors_metadata(kn_safetensors file, const char *name)
{
    knio_st *st = get("safetensors_metadata", file);
    if (st && !name)
        report("safetensors_metadata", not_there(st, name));
    for (size_t i = 0; st && name && i < st->metadata.n; i++)
        if (strcmp(st->metadata.at[i].key, name) == 0)
            return st->metadata.at[i].text;
    return NULL;
}

/* ---- Arrays. */

static void release_file(void *data, void *env)
{
    (void)data;
    knio_mapped_release(env);
}

static bool are_truth_values(const uint8_t *p, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= p[i];
    return any <= 1;
}

/* May the file's bytes be the elements? */
static bool is_usable(const knio_st_entry *e, kn_dtype d, const uint8_t *from)
{
    return e->type->bits >= 8 && (uintptr_t)from % d->align == 0 && !(KNIO_ST_TURNS && d->size > 1) &&
           (d->kind != KN_KIND_BOOL || are_truth_values(from, (size_t)(e->end - e->begin)));
}

static knx_buffer *copied(const knio_st_entry *e, kni_type t, const uint8_t *from)
{
    size_t n = kni_type_bytes(t);
    knx_buffer *b = knx_buffer_new(n);
    if (b && e->type->bits < 8)
        knio_st_unpack(e->type->bits, from, b->data, n);
    else if (b && n)
        memcpy(b->data, from, n);
    if (b && KNIO_ST_TURNS)
        knio_swap_elements(t.dtype, b->data, n);
    if (b)
        knio_normal_elements(t.dtype, b->data, n);
    return b;
}

static kn_array array_of(kna_op *op, const knio_st *st, const knio_st_entry *e)
{
    knio_mapped *file = st->files.at[e->file];
    const kni_type t = kni_type_of(knio_st_dtype(e->type), e->ndim, e->dim);
    knx_error *error = kni_type_check_size(t);
    if (error) {
        kna_fail_with(op, error);
        return kna_end(op, KN_ATOM_NONE);
    }
    uint8_t *from = (uint8_t *)file->base + st->start.at[e->file] + e->begin;
    bool views = e->begin != e->end && is_usable(e, t.dtype, from);
    knx_buffer *b = !views ? copied(e, t, from)
                           : knx_buffer_wrap(from, (size_t)(e->end - e->begin), release_file, knio_mapped_retain(file));
    if (!b) {
        if (views)
            knio_mapped_release(file);
        kna_fail_with(op, knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    kn_array x = kna_wrap_buffer(op, t, b, !file->writes);
    if (!x)
        return kna_end(op, KN_ATOM_NONE);
    kna_end_plain(op);
    return x;
}

kn_array kn_safetensors_get(kn_safetensors file, const char *name)
{
    kna_op op;
    knx_error *error = NULL;
    kna_begin(&op, "safetensors_get");
    knio_st *st = get("safetensors_get", file);
    const knio_st_entry *e = st && name ? knio_st_find(st, name) : NULL;
    if (e)
        return array_of(&op, st, e);
    error = st ? not_there(st, name) : knx_error_new(KN_ERROR_TYPE, "the file is none");
    kna_fail_with(&op, error);
    return kna_end(&op, KN_ATOM_NONE);
}

/* ---- Trees. */

static kn_tree tree_of_all(const knio_st *st, const char *separator)
{
    static const char operation[] = "load_safetensors";
    size_t n = st->entries.n;
    kn_tree_item *item = n <= INT32_MAX ? knx_alloc((n + 1) * sizeof *item) : NULL;
    bool ok = item != NULL;
    if (!ok)
        report(operation, knx_error_nomem());
    for (size_t i = 0; ok && i < n; i++) {
        kna_op op;
        kna_begin(&op, operation);
        kn_array x = array_of(&op, st, &st->entries.at[i]);
        item[i] = (kn_tree_item){st->entries.at[i].name, kn_ok(x) ? kn_tree_leaf(x) : NULL};
        ok = item[i].tree != NULL;
    }
    kn_tree made = ok ? (kn_tree_dict)((int)n, item) : NULL;
    knx_free(item);
    return made && separator ? kn_tree_nested(made, separator) : made;
}

/* The array for a leaf of `like`; false after an error. */
static bool load_like(const knio_st *st, const char *name, kn_array like, kn_array *out)
{
    kna_op op;
    kna_begin(&op, "load_safetensors");
    const knio_st_entry *e = knio_st_find(st, name);
    const kni_type wanted = kna_type(&op, like);
    if (!e && !kna_failed(&op))
        kna_fail_with(&op, not_there(st, name));
    knx_text have = {0}, want = {0};
    if (e && !kna_failed(&op) && !kni_type_same_shape(wanted, kni_type_of(wanted.dtype, e->ndim, e->dim)))
        kna_fail(&op, KN_ERROR_VALUE, "%s has shape %s in the file, but %s is wanted", name,
                 knx_show_shape(&have, e->ndim, e->dim), knx_show_shape(&want, wanted.ndim, wanted.dim));
    *out = kna_failed(&op) ? kna_end(&op, KN_ATOM_NONE) : array_of(&op, st, e);
    return kn_ok(*out);
}

static kn_tree tree_like(const knio_st *st, kn_tree like, const char *separator)
{
    static const char operation[] = "load_safetensors";
    kntree_tree *t = kntree_tree_get(operation, like);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    kn_array *x = s ? knx_alloc(((size_t)t->n + 1) * sizeof *x) : NULL;
    bool ok = x != NULL;
    if (s && !x)
        report(operation, knx_error_nomem());
    for (int i = 0; ok && i < t->n; i++) {
        knx_str name = {0};
        kntree_structure_keystr(&name, s, kntree_structure_leaf(s, i), true, separator);
        ok = !name.failed;
        if (!ok)
            report(operation, knx_error_nomem());
        else
            ok = load_like(st, name.s ? name.s : "", t->at[i], &x[i]);
        knx_str_free(&name);
    }
    kn_tree made = ok ? kntree_tree_new(operation, kntree_structure_retain((kntree_structure *)(uintptr_t)s), x) : NULL;
    knx_free(x);
    return made;
}

kn_tree kn_load_safetensors(const char *path, const kn_load_safetensors_opts *opts)
{
    static const char operation[] = "load_safetensors";
    KNX_OPTS(kn_load_safetensors_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kn_tree made = NULL;
    if (o.nested && !*o.nested)
        report(operation, knx_error_new(KN_ERROR_VALUE, "the separator is empty"));
    else {
        kn_safetensors file = open_file(operation, path, o.mode);
        knio_st *st = file ? get(operation, file) : NULL;
        if (st)
            made = o.like ? tree_like(st, o.like, o.nested ? o.nested : ".") : tree_of_all(st, o.nested);
    }
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

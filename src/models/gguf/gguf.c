/* SPDX-License-Identifier: Apache-2.0
 * gguf.c -- gguf files as the user has them: a handle, tensors, metadata. */
#include "models/gguf/file.h"
#include "kiln/extend.h"
#include <stdlib.h>
#include <string.h>

static void drop(void *object)
{
    kngguf_file *f = object;
    knmodels_map_drop(f->map);
    knmodels_arena_free(&f->arena);
    free(f);
}

static kngguf_file *get(const char *operation, kn_gguf file) { return kn_object_get(operation, "gguf file", file); }

/* Takes the map over. */
static kn_gguf opened(const char *operation, const char *path, knmodels_map *map)
{
    kngguf_file *f = map ? knbeside_alloc(1, sizeof *f) : NULL;
    if (map && !f) {
        knmodels_map_drop(map);
        knbeside_no_memory(operation);
    }
    if (!f)
        return NULL;
    f->map = map;
    if (kngguf_read(operation, path, f) == 0)
        return kn_object_new("gguf file", f, drop);
    drop(f);
    return NULL;
}

kn_gguf kn_gguf_open(const char *path) { return opened("gguf_open", path, knmodels_map_file("gguf_open", path)); }

kn_gguf kn_gguf_parse(const void *bytes, size_t n)
{
    static const char operation[] = "gguf_parse";
    if (bytes)
        return opened(operation, "<memory>", knmodels_map_copy(operation, bytes, n));
    knbeside_null(operation, "bytes");
    return NULL;
}

/* ---- Tensors. */

int kn_gguf_count(kn_gguf file)
{
    kngguf_file *f = get("gguf_count", file);
    return f ? f->n_tensor : -1;
}

const char *kn_gguf_name(kn_gguf file, int i)
{
    kngguf_file *f = get("gguf_name", file);
    if (!f || (i >= 0 && i < f->n_tensor))
        return f ? f->tensor[i].name : NULL;
    knbeside_fail("gguf_name", KN_ERROR_INDEX, "index %d is out of bounds for a file of %d tensors", i, f->n_tensor);
    return NULL;
}

static int named(const void *key, const void *p)
{
    return strcmp(key, *(const char *const *)*(const void *const *)p); /* the name is the first member */
}

static const kngguf_tensor *find(const char *operation, kngguf_file *f, const char *name)
{
    const kngguf_tensor *const *t =
        f && name && f->n_tensor ? bsearch(name, f->by_name, (size_t)f->n_tensor, sizeof *f->by_name, named) : NULL;
    if (f && !name)
        knbeside_null(operation, "name");
    else if (f && !t)
        knbeside_fail(operation, KN_ERROR_KEY, "there is no tensor %.200s", name);
    return t ? *t : NULL;
}

bool kn_gguf_has(kn_gguf file, const char *name)
{
    kngguf_file *f = get("gguf_has", file);
    if (f && !name)
        knbeside_null("gguf_has", "name");
    return f && name && f->n_tensor && bsearch(name, f->by_name, (size_t)f->n_tensor, sizeof *f->by_name, named);
}

kn_gguf_kind kn_gguf_kind_of(kn_gguf file, const char *name)
{
    const kngguf_tensor *t = find("gguf_kind_of", get("gguf_kind_of", file), name);
    return t ? t->kind : KN_GGUF_F32;
}

static kn_shape shape_of(const kngguf_tensor *t)
{
    kn_shape s = {.ndim = t->ndim};
    for (int i = 0; i < t->ndim; i++)
        s.dim[i] = t->dim[i];
    return s;
}

kn_shape kn_gguf_shape(kn_gguf file, const char *name)
{
    const kngguf_tensor *t = find("gguf_shape", get("gguf_shape", file), name);
    return t ? shape_of(t) : (kn_shape){.ndim = -1};
}

static kn_array blocks_of(kngguf_file *f, const kngguf_tensor *t)
{
    const kngguf_kind *k = kngguf_kind_of(t->kind);
    kn_shape s = shape_of(t);
    if (!k->plain)
        s.dim[s.ndim - 1] = s.dim[s.ndim - 1] / k->elements * k->bytes;
    return knmodels_map_array(f->map, f->map->at + t->at, &s, kngguf_dtype(t->kind));
}

static kn_array numbers_of(kngguf_file *f, const kngguf_tensor *t)
{
    kn_array x = blocks_of(f, t);
    return kngguf_kind_of(t->kind)->plain ? x : kn_gguf_dequantize(x, t->kind);
}

/* The array of a tensor, which the scope around gets. */
static kn_array array_of(const char *operation, kn_gguf file, const char *name,
                         kn_array (*make)(kngguf_file *, const kngguf_tensor *))
{
    kn_scope scope = kn_scope_begin();
    kngguf_file *f = get(operation, file);
    const kngguf_tensor *t = find(operation, f, name);
    if (!f)
        knbeside_fail(operation, KN_ERROR_TYPE, "it was given no file");
    kn_array x = kn_keep(t ? make(f, t) : knbeside_failed());
    kn_scope_end(&scope);
    return x;
}

kn_array kn_gguf_blocks(kn_gguf file, const char *name) { return array_of("gguf_blocks", file, name, blocks_of); }

kn_array kn_gguf_get(kn_gguf file, const char *name) { return array_of("gguf_get", file, name, numbers_of); }

static kn_tree tree_of(kngguf_file *f, const kn_load_gguf_opts *o)
{
    kn_tree_item *item = knbeside_alloc((uint64_t)f->n_tensor, sizeof *item);
    bool ok = item != NULL;
    if (!ok)
        knbeside_no_memory("load_gguf");
    for (int i = 0; ok && i < f->n_tensor; i++) {
        kn_array x = o->blocks ? blocks_of(f, &f->tensor[i]) : numbers_of(f, &f->tensor[i]);
        item[i] = (kn_tree_item){f->tensor[i].name, kn_ok(x) ? kn_tree_leaf(x) : NULL};
        ok = item[i].tree != NULL;
    }
    kn_tree made = ok ? kn_tree_dict(f->n_tensor, item) : NULL;
    free(item);
    return made && o->nested ? kn_tree_nested(made, o->nested) : made;
}

kn_tree kn_load_gguf(const char *path, const kn_load_gguf_opts *opts)
{
    KNX_OPTS(kn_load_gguf_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kn_gguf file = kn_gguf_open(path);
    kngguf_file *f = file ? get("load_gguf", file) : NULL;
    kn_tree made = f ? tree_of(f, &o) : NULL;
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

/* ---- Metadata. */

int kn_gguf_metadata_count(kn_gguf file)
{
    kngguf_file *f = get("gguf_metadata_count", file);
    return f ? f->n_entry : -1;
}

const char *kn_gguf_metadata_name(kn_gguf file, int i)
{
    kngguf_file *f = get("gguf_metadata_name", file);
    if (!f || (i >= 0 && i < f->n_entry))
        return f ? f->entry[i].name : NULL;
    knbeside_fail("gguf_metadata_name", KN_ERROR_INDEX, "index %d is out of bounds for metadata of %d entries", i,
                  f->n_entry);
    return NULL;
}

static const kngguf_entry *look(kngguf_file *f, const char *name)
{
    const kngguf_entry *const *e =
        f && f->n_entry ? bsearch(name, f->entry_by_name, (size_t)f->n_entry, sizeof *f->entry_by_name, named) : NULL;
    return e ? *e : NULL;
}

static const kngguf_entry *entry_of(const char *operation, kn_gguf file, const char *name)
{
    kngguf_file *f = get(operation, file);
    const kngguf_entry *e = name ? look(f, name) : NULL;
    if (f && !name)
        knbeside_null(operation, "name");
    else if (f && !e)
        knbeside_fail(operation, KN_ERROR_KEY, "there is no entry %.200s", name);
    return e;
}

kn_gguf_type kn_gguf_metadata_type(kn_gguf file, const char *name)
{
    kngguf_file *f = get("gguf_metadata_type", file);
    const kngguf_entry *e = name ? look(f, name) : NULL;
    if (f && !name)
        knbeside_null("gguf_metadata_type", "name");
    return !e ? KN_GGUF_TYPE_NONE : e->is_array ? KN_GGUF_TYPE_ARRAY : e->type;
}

int64_t kn_gguf_metadata_length(kn_gguf file, const char *name)
{
    const kngguf_entry *e = entry_of("gguf_metadata_length", file, name);
    return e ? (int64_t)e->n : -1;
}

static kn_array value_of(const char *operation, const kngguf_entry *e)
{
    const kn_shape s = {.ndim = e->is_array, .dim = {(int64_t)e->n}};
    kn_dtype d = kngguf_type_dtype(e->type);
    if (d == KN_BOOL) /* bytes that are neither true nor false are true */
        return kn_not_equal(kn_from_memory(e->at, &s, KN_U8), kn_from_memory("", &(kn_shape){.ndim = 0}, KN_U8));
    if (d)
        return knmodels_array(e->at, &s, d);
    knbeside_fail(operation, KN_ERROR_TYPE, "%s has %s", e->name,
                  e->type == KN_GGUF_TYPE_TEXT ? "texts" : "arrays in arrays");
    return knbeside_failed();
}

kn_array kn_gguf_metadata(kn_gguf file, const char *name)
{
    static const char operation[] = "gguf_metadata";
    kn_scope scope = kn_scope_begin();
    const kngguf_entry *e = entry_of(operation, file, name);
    if (!file)
        knbeside_fail(operation, KN_ERROR_TYPE, "it was given no file");
    kn_array x = kn_keep(e ? value_of(operation, e) : knbeside_failed());
    kn_scope_end(&scope);
    return x;
}

const char *kn_gguf_metadata_text(kn_gguf file, const char *name, int64_t i)
{
    static const char operation[] = "gguf_metadata_text";
    const kngguf_entry *e = entry_of(operation, file, name);
    if (e && e->type != KN_GGUF_TYPE_TEXT)
        knbeside_fail(operation, KN_ERROR_TYPE, "%s has no texts", e->name);
    else if (e && (i < 0 || (uint64_t)i >= e->n))
        knbeside_fail(operation, KN_ERROR_INDEX, "index %lld is out of bounds for %llu texts", (long long)i,
                      (unsigned long long)e->n);
    else if (e)
        return e->text[i];
    return NULL;
}

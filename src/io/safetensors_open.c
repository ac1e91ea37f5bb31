/* SPDX-License-Identifier: Apache-2.0
 * safetensors_open.c -- files of safetensors that are opened: one, or those under an index, whose "weight_map" says
 * in which file each tensor is. */
#include "io/checkpoint.h"
#include "io/safetensors.h"
#include <stdlib.h>
#include <string.h>

/* e with the file's path in front. */
static knx_error *in_file(knx_error *e, const char *path)
{
    if (!e || e->kind == KN_ERROR_MEMORY)
        return e;
    knx_error *told = knx_error_new(e->kind, "%s: %s", path, e->message);
    knx_error_release(e);
    return told;
}

void knio_st_clear(knio_st *st)
{
    for (size_t i = 0; i < st->files.n; i++)
        knio_mapped_release(st->files.at[i]);
    KN_VEC_FREE(&st->files);
    KN_VEC_FREE(&st->start);
    KN_VEC_FREE(&st->entries);
    KN_VEC_FREE(&st->metadata);
    knx_arena_free(&st->arena);
}

const knio_st_entry *knio_st_find(const knio_st *st, const char *name)
{
    size_t low = 0, high = st->entries.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, st->entries.at[middle].name);
        if (order == 0)
            return &st->entries.at[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

knx_error *knio_st_take(knio_st *st, knio_mapped *file)
{
    knx_error *e = in_file(knio_st_parse(st, file->base, file->bytes), file->path);
    if (!e && !KN_VEC_PUSH(&st->files, file))
        e = knx_error_nomem();
    if (e)
        knio_mapped_release(file);
    return e;
}

static knx_error *open_one(knio_st *st, const char *path, bool writes)
{
    knio_mapped *file;
    KN_TRY(knio_map_whole(path, writes, &file));
    return knio_st_take(st, file);
}

/* ---- Indices. */

typedef struct place {
    const char *name, *file;
} place;
typedef KN_VEC(place) places;

static int by_file(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : strcmp(x->name, y->name);
}

static bool is_plain_name(const char *s)
{
    return *s && !strpbrk(s, "/\\:") && strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
}

static knx_error *read_map(knio_json_reader *r, places *v)
{
    if (!knio_json_take(r, '{'))
        return knio_json_wrong(r, "'{' is missing");
    for (int i = 0;; i = 1) {
        place p;
        bool more;
        KN_TRY(knio_json_next(r, '}', i, &p.name, &more));
        if (!more)
            return NULL;
        KN_TRY(knio_json_text(r, &p.file));
        if (!is_plain_name(p.file))
            return knx_error_new(KN_ERROR_VALUE, "the file of %s is not in the same folder: %s", p.name, p.file);
        if (!KN_VEC_PUSH(v, p))
            return knx_error_nomem();
    }
}

static knx_error *read_index(knio_st *st, const char *s, size_t n, places *v)
{
    knio_json_reader r = {&st->arena, s, s, s + n};
    bool map = false, metadata = false;
    if (!knio_is_utf8(s, n))
        return knx_error_new(KN_ERROR_VALUE, "the index is no UTF-8");
    if (!knio_json_take(&r, '{'))
        return knio_json_wrong(&r, "'{' is missing");
    for (int i = 0;; i = 1) {
        const char *key;
        bool more;
        KN_TRY(knio_json_next(&r, '}', i, &key, &more));
        if (!more)
            break;
        bool is_map = strcmp(key, "weight_map") == 0, is_metadata = strcmp(key, "metadata") == 0;
        if ((is_map && map) || (is_metadata && metadata))
            return knx_error_new(KN_ERROR_VALUE, "%s is there twice", key);
        map |= is_map;
        metadata |= is_metadata;
        KN_TRY(is_map ? read_map(&r, v) : is_metadata ? knio_st_read_metadata(&r, st, false) : knio_json_skip(&r, 1));
    }
    return map ? knio_json_end(&r) : knx_error_new(KN_ERROR_VALUE, "there is no weight_map");
}

/* Of the entries from `first` on, the file's own, those that the index has, n of them; both are sorted by name. */
static knx_error *keep_entries(knio_st *st, size_t first, const place *p, size_t n)
{
    size_t at = first, kept = first;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(p[i - 1].name, p[i].name) == 0)
            return knx_error_new(KN_ERROR_VALUE, "the index has %s twice", p[i].name);
        while (at < st->entries.n && strcmp(st->entries.at[at].name, p[i].name) < 0)
            at++;
        if (at == st->entries.n || strcmp(st->entries.at[at].name, p[i].name) != 0)
            return knx_error_new(KN_ERROR_KEY, "%s is not in %s", p[i].name, p[i].file);
        st->entries.at[kept++] = st->entries.at[at++];
    }
    st->entries.n = kept;
    return NULL;
}

static knx_error *open_files(knio_st *st, const char *folder, const places *v, bool writes)
{
    for (size_t i = 0, end; i < v->n; i = end) {
        size_t first = st->entries.n, pairs = st->metadata.n;
        for (end = i + 1; end < v->n && strcmp(v->at[i].file, v->at[end].file) == 0;)
            end++;
        char *path = *folder ? knio_in_folder(folder, NULL, v->at[i].file) : NULL;
        knx_error *e = !path && *folder ? knx_error_nomem() : open_one(st, path ? path : v->at[i].file, writes);
        knx_free(path);
        KN_TRY(e);
        st->metadata.n = pairs;
        KN_TRY(keep_entries(st, first, v->at + i, end - i));
    }
    knio_st_sort(&st->entries);
    for (size_t i = 1; i < st->entries.n; i++)
        if (strcmp(st->entries.at[i - 1].name, st->entries.at[i].name) == 0)
            return knx_error_new(KN_ERROR_VALUE, "the index has %s twice", st->entries.at[i].name);
    return NULL;
}

static knx_error *open_index(knio_st *st, const char *path, bool writes)
{
    knio_mapped *index;
    places v = {0};
    KN_TRY(knio_map_whole(path, false, &index));
    knx_error *e = index->bytes > KNIO_ST_MAX_HEADER
                       ? knx_error_new(KN_ERROR_VALUE, "the index has %zu bytes, %d are the limit", index->bytes,
                                       KNIO_ST_MAX_HEADER)
                       : read_index(st, index->base, index->bytes, &v);
    e = in_file(e, path);
    knio_mapped_release(index);
    if (!e && v.n)
        qsort(v.at, v.n, sizeof *v.at, by_file);
    const char *slash = strrchr(path, '/');
    char *folder = knx_alloc_zero(strlen(path) + 2);
    if (!e && !folder)
        e = knx_error_nomem();
    if (folder && slash)
        memcpy(folder, path, slash == path ? 1 : (size_t)(slash - path));
    if (!e)
        e = open_files(st, folder, &v, writes);
    knx_free(folder);
    KN_VEC_FREE(&v);
    return e;
}

/* ---- */

static bool ends_in(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

/* Of a folder: its index, or the one file that a model without one has. */
static knx_error *open_folder(knio_st *st, const char *path, bool writes)
{
    char *index = knio_in_folder(path, NULL, "model.safetensors.index.json");
    char *file = knio_in_folder(path, NULL, "model.safetensors");
    knx_error *e = !index || !file        ? knx_error_nomem()
                   : knio_is_there(index) ? open_index(st, index, writes)
                                          : open_one(st, file, writes);
    knx_free(index);
    knx_free(file);
    return e;
}

knx_error *knio_st_open(knio_st *st, const char *path, bool writes)
{
    return knio_is_folder(path)     ? open_folder(st, path, writes)
           : ends_in(path, ".json") ? open_index(st, path, writes)
                                    : open_one(st, path, writes);
}

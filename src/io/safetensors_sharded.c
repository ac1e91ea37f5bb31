/* SPDX-License-Identifier: Apache-2.0
 * safetensors_sharded.c -- trees as several files of safetensors under an index, split, named and indexed as
 * huggingface_hub does it. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#endif
#include "base/context.h"
#include "base/options.h"
#include "io/checkpoint.h"
#include "io/output.h"
#include "io/safetensors_write.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- Which file each tensor goes to. */

/* In the order of the tree, and numbered as they are closed: what is too large for any has one alone, closed at
 * once. */
static knx_error *split(knio_st_writer *w, uint64_t most, int *n_shard)
{
    int open = -1, opened = 0, closed = 0;
    uint64_t now = 0;
    int *rank = knx_alloc(((size_t)w->n + 1) * sizeof *rank);
    if (!rank)
        return knx_error_nomem();
    for (int i = 0; i < w->n; i++) {
        knio_st_tensor *t = &w->tensor[i];
        if (t->bytes > most) {
            t->shard = opened;
            rank[opened++] = closed++;
            continue;
        }
        if (open >= 0 && now > most - t->bytes) {
            rank[open] = closed++;
            open = -1;
        }
        if (open < 0) {
            open = opened++;
            now = 0;
        }
        t->shard = open;
        now += t->bytes;
    }
    if (open >= 0)
        rank[open] = closed++;
    for (int i = 0; i < w->n; i++)
        w->tensor[i].shard = rank[w->tensor[i].shard];
    knx_free(rank);
    *n_shard = closed ? closed : 1;
    return NULL;
}

static void shard_name(knx_str *s, const char *model, int i, int n)
{
    knx_str_puts(s, model);
    if (n > 1)
        knx_str_printf(s, "-%05d-of-%05d", i + 1, n);
    knx_str_puts(s, ".safetensors");
}

static char *path_of(const char *folder, knx_str *name)
{
    char *path = name->failed ? NULL : knio_in_folder(folder, NULL, name->s);
    knx_str_free(name);
    return path;
}

/* ---- The index, as json.dump(indent=2) writes it. */

static uint32_t next_character(const char **s)
{
    const uint8_t *p = (const uint8_t *)*s;
    int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? *p & 7u : more == 2 ? *p & 15u : more == 1 ? *p & 31u : *p;
    for (int i = 1; i <= more; i++)
        c = c << 6 | (p[i] & 63u);
    *s += more + 1;
    return c;
}

/* A text whose characters are all ASCII. */
static void add_ascii(knx_str *out, const char *text)
{
    knx_str quoted = {0};
    knio_json_add_text(&quoted, text);
    out->failed |= quoted.failed;
    for (const char *s = quoted.failed ? "" : quoted.s; *s;) {
        uint32_t c = next_character(&s);
        if (c >= 0x10000)
            knx_str_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
        else if (c >= 0x7f)
            knx_str_printf(out, c == 0x7f ? "%c" : "\\u%04x", c);
        else
            knx_str_printf(out, "%c", (int)c);
    }
    knx_str_free(&quoted);
}

static void make_index(knx_str *s, const knio_st_writer *w, const char *model, int n_shard)
{
    uint64_t total = 0;
    const char *comma = "";
    for (int i = 0; i < w->n; i++)
        total += w->tensor[i].bytes;
    knx_str_printf(s, "{\n  \"metadata\": {\n    \"total_size\": %" PRIu64, total);
    for (int i = 0; i < w->n_pair; i++) {
        knx_str_puts(s, ",\n    ");
        add_ascii(s, w->pair[i].key);
        knx_str_puts(s, ": ");
        add_ascii(s, w->pair[i].text);
    }
    knx_str_puts(s, "\n  },\n  \"weight_map\": {");
    for (int k = 0; k < n_shard; k++) {
        knx_str name = {0};
        shard_name(&name, model, k, n_shard);
        for (int i = 0; i < w->n && !name.failed; i++)
            if (w->tensor[i].shard == k) {
                knx_str_printf(s, "%s\n    ", comma);
                add_ascii(s, w->tensor[i].name);
                knx_str_puts(s, ": ");
                add_ascii(s, name.s);
                comma = ",";
            }
        s->failed |= name.failed;
        knx_str_free(&name);
    }
    knx_str_puts(s, "\n  }\n}");
}

/* ---- Files of an older model of that name. */

#if !defined _WIN32 && !defined __wasi__
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static knx_error *make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? NULL : knio_file_error(path, errno);
}

static bool takes_number(const char **s, const char *before)
{
    size_t n = strlen(before);
    if (strncmp(*s, before, n) != 0 || strspn(*s + n, "0123456789") != 5)
        return false;
    *s += n + 5;
    return true;
}

/* Is it model.safetensors or model-00001-of-00002.safetensors, but not of `n` files? */
static bool is_stale(const char *file, const char *model, int n)
{
    size_t length = strlen(model);
    char ours[16];
    if (strncmp(file, model, length) != 0)
        return false;
    const char *s = file + length, *of;
    if (strcmp(s, ".safetensors") == 0)
        return n > 1;
    if (!takes_number(&s, "-"))
        return false;
    of = s;
    snprintf(ours, sizeof ours, "-of-%05d", n);
    return takes_number(&s, "-of-") && strcmp(s, ".safetensors") == 0 &&
           (n == 1 || strncmp(of, ours, strlen(ours)) != 0);
}

static knx_error *remove_stale(const char *folder, const char *model, int n)
{
    DIR *d = opendir(folder);
    knx_error *e = NULL;
    if (!d)
        return knio_file_error(folder, errno);
    for (struct dirent *f; !e && (f = readdir(d));)
        if (is_stale(f->d_name, model, n)) {
            char *path = knio_in_folder(folder, NULL, f->d_name);
            e = !path ? knx_error_nomem() : unlink(path) != 0 ? knio_file_error(path, errno) : NULL;
            knx_free(path);
        }
    closedir(d);
    return e;
}

static knx_error *remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? NULL : knio_file_error(path, errno);
}
#else
static knx_error *make_folder(const char *path) { return (void)path, NULL; }
static knx_error *remove_stale(const char *folder, const char *model, int n)
{
    return (void)folder, (void)model, (void)n, NULL;
}
static knx_error *remove_file(const char *path) { return remove(path), NULL; }
#endif

/* ---- */

static knx_error *write_shards(const knio_st_writer *w, const char *folder, const char *model, int n)
{
    static const knio_st_pair format[] = {{"format", "pt"}};
    for (int i = 0; i < n; i++) {
        knx_str name = {0};
        shard_name(&name, model, i, n);
        char *path = path_of(folder, &name);
        knx_error *e = !path    ? knx_error_nomem()
                       : n == 1 ? knio_st_write(w, path, NULL, i, w->n_pair, w->pair)
                                : knio_st_write(w, path, NULL, i, 1, format);
        knx_free(path);
        KN_TRY(e);
    }
    return NULL;
}

/* While files are exchanged there is no index, so nobody reads a mixture of two models. */
static knx_error *write_all(knio_st_writer *w, const char *folder, const char *model, uint64_t most)
{
    int n = 1;
    knx_str name = {0}, index = {0};
    KN_TRY(split(w, most, &n));
    knx_str_printf(&name, "%s.safetensors.index.json", model);
    char *path = path_of(folder, &name);
    knx_error *e = path ? make_folder(folder) : knx_error_nomem();
    if (!e)
        e = remove_file(path);
    if (!e)
        e = write_shards(w, folder, model, n);
    if (!e && n > 1) {
        make_index(&index, w, model, n);
        e = index.failed ? knx_error_nomem() : knio_file_write(path, index.s, index.n, NULL, 0);
    }
    if (!e)
        e = remove_stale(folder, model, n);
    knx_str_free(&index);
    knx_free(path);
    return e;
}

static knx_error *check(const char *folder, const kn_save_safetensors_sharded_opts *o, const knio_st_writer *w)
{
    if (!folder)
        return knx_error_new(KN_ERROR_TYPE, "null folder");
    if (!o->name || !*o->name || strpbrk(o->name, "/\\:") || !knio_is_utf8(o->name, strlen(o->name)))
        return knx_error_new(KN_ERROR_VALUE, "the name of the files is no name");
    if (o->max_shard_size <= 0)
        return knx_error_new(KN_ERROR_VALUE, "files of at most %" PRId64 " bytes", o->max_shard_size);
    for (int i = 0; i < w->n_pair; i++)
        if (strcmp(w->pair[i].key, "total_size") == 0)
            return knx_error_new(KN_ERROR_VALUE, "total_size is not for the caller to say");
    return NULL;
}

int kn_save_safetensors_sharded(const char *folder, kn_tree tree, const kn_save_safetensors_sharded_opts *opts)
{
    KNX_OPTS(kn_save_safetensors_sharded_opts, o, opts);
    kna_op op;
    knio_st_writer w = {.operation = "save_safetensors_sharded"};
    kn_scope scope = kn_scope_begin();
    int status = -1;
    if (knio_st_begin(&w, &op, tree, o.metadata, o.separator)) {
        knx_error *e = kna_failed(&op) ? NULL : check(folder, &o, &w);
        if (!e && !kna_failed(&op))
            e = write_all(&w, folder, o.name, (uint64_t)o.max_shard_size);
        if (e)
            kna_fail_with(&op, e);
        status = kna_end_plain(&op) ? 0 : -1;
    }
    knio_st_drop(&w);
    kn_scope_end(&scope);
    return status;
}

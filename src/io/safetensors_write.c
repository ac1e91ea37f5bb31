/* SPDX-License-Identifier: Apache-2.0
 * safetensors_write.c -- writing trees as files of safetensors, byte for byte as the package does: sorted by dtype
 * and name, the header padded with blanks. */
#include "array/handle.h"
#include "base/context.h"
#include "base/options.h"
#include "io/output.h"
#include "io/safetensors_write.h"
#include "kiln/numpy/creation.h"
#include "kiln/safetensors.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef knio_st_tensor tensor;
typedef knio_st_writer writer;

void knio_st_drop(writer *w)
{
    for (int i = 0; w->tensor && i < w->n; i++)
        knx_free(w->tensor[i].name);
    knx_free(w->tensor);
    knx_free(w->pair);
}

/* ---- What is to be written. */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const knio_st_pair *)a)->key, ((const knio_st_pair *)b)->key);
}

static knx_error *check_text(const char *what, const char *text)
{
    return !text                              ? knx_error_new(KN_ERROR_TYPE, "a text of the metadata is null")
           : knio_is_utf8(text, strlen(text)) ? NULL
                                              : knx_error_new(KN_ERROR_VALUE, "%s is no UTF-8", what);
}

static knx_error *read_pairs(writer *w, const kn_text_list *texts)
{
    int n = texts ? texts->n / 2 : 0;
    w->pair = knx_alloc(((size_t)n + 1) * sizeof *w->pair);
    if (!w->pair)
        return knx_error_nomem();
    if (texts && (texts->n < 0 || texts->n % 2 || (n && !texts->v)))
        return knx_error_new(KN_ERROR_VALUE, "metadata are pairs of a name and a text, but there are %d texts",
                             texts->n);
    for (int i = 0; i < n; i++) {
        KN_TRY(check_text("a name of the metadata", texts->v[2 * i]));
        KN_TRY(check_text("a text of the metadata", texts->v[2 * i + 1]));
        w->pair[i] = (knio_st_pair){texts->v[2 * i], texts->v[2 * i + 1]};
    }
    if (n)
        qsort(w->pair, (size_t)n, sizeof *w->pair, by_key);
    for (int i = 1; i < n; i++)
        if (strcmp(w->pair[i - 1].key, w->pair[i].key) == 0)
            return knx_error_new(KN_ERROR_VALUE, "the metadata have %s twice", w->pair[i].key);
    w->n_pair = n;
    return NULL;
}

static knx_error *check_name(const tensor *t)
{
    if (strcmp(t->name, "__metadata__") == 0)
        return knx_error_new(KN_ERROR_VALUE, "no tensor may be called __metadata__");
    return knio_is_utf8(t->name, strlen(t->name)) ? NULL
                                                  : knx_error_new(KN_ERROR_VALUE, "the name of a tensor is no UTF-8");
}

static knx_error *look_at(kna_op *op, kn_array x, tensor *t)
{
    KN_TRY(check_name(t));
    bool there = knio_look(op, x, &t->saved);
    if (there && t->saved.header.fortran && t->saved.header.ndim > 1)
        there = knio_look(op, (kn_ascontiguousarray)(x, NULL), &t->saved);
    if (!there)
        return NULL; /* the op has the error */
    t->type = knio_st_type_of(t->saved.header.dtype);
    if (!t->type)
        return knx_error_new(KN_ERROR_TYPE, "%s has dtype %s, which the format does not have", t->name,
                             t->saved.header.dtype->name);
    t->elements = t->saved.header.bytes / t->saved.header.dtype->size;
    if (t->elements * (uint64_t)t->type->bits % 8)
        return knx_error_new(KN_ERROR_VALUE, "the elements of %s, of %d bits each, end inside of a byte", t->name,
                             t->type->bits);
    t->bytes = t->elements * (uint64_t)t->type->bits / 8;
    return NULL;
}

static const tensor **sorted(const writer *w, int shard, int (*order)(const void *, const void *), int *n)
{
    const tensor **v = knx_alloc(((size_t)w->n + 1) * sizeof *v);
    *n = 0;
    for (int i = 0; v && i < w->n; i++)
        if (shard < 0 || w->tensor[i].shard == shard)
            v[(*n)++] = &w->tensor[i];
    if (v && *n)
        qsort(v, (size_t)*n, sizeof *v, order);
    return v;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const tensor *const *)a)->name, (*(const tensor *const *)b)->name);
}

static int by_type(const void *a, const void *b)
{
    int x = knio_st_rank((*(const tensor *const *)a)->type), y = knio_st_rank((*(const tensor *const *)b)->type);
    return x != y ? y - x : by_name(a, b);
}

static knx_error *check_twice(const writer *w)
{
    int n;
    const tensor **v = sorted(w, -1, by_name, &n);
    knx_error *e = v ? NULL : knx_error_nomem();
    for (int i = 1; !e && i < n; i++)
        if (strcmp(v[i - 1]->name, v[i]->name) == 0)
            e = knx_error_new(KN_ERROR_VALUE, "two leaves are called %s", v[i]->name);
    knx_free(v);
    return e;
}

/* Names, types and elements of all leaves. */
static knx_error *gather(writer *w, kna_op *op, const kntree_tree *t, const kntree_structure *s, const char *separator)
{
    if (s->node[0].kind == KN_TREE_LEAF)
        return knx_error_new(KN_ERROR_VALUE, "the tree is one array, which has no name");
    w->tensor = knx_alloc_zero(((size_t)t->n + 1) * sizeof *w->tensor);
    if (!w->tensor)
        return knx_error_nomem();
    w->n = t->n;
    for (int i = 0; i < t->n && !kna_failed(op); i++) {
        knx_str name = {0};
        kntree_structure_keystr(&name, s, kntree_structure_leaf(s, i), true, separator);
        w->tensor[i].name = knx_str_take(&name);
        if (!w->tensor[i].name)
            return knx_error_nomem();
        KN_TRY(look_at(op, t->at[i], &w->tensor[i]));
    }
    return kna_failed(op) ? NULL : check_twice(w);
}

/* ---- A file. */

static void add_metadata(knx_str *s, int n, const knio_st_pair *pair)
{
    knx_str_puts(s, "\"__metadata__\":{");
    for (int i = 0; i < n; i++) {
        knx_str_puts(s, i ? "," : "");
        knio_json_add_text(s, pair[i].key);
        knx_str_puts(s, ":");
        knio_json_add_text(s, pair[i].text);
    }
    knx_str_puts(s, "}");
}

static void add_tensor(knx_str *s, const tensor *t, uint64_t at)
{
    const knio_npy_header *h = &t->saved.header;
    knio_json_add_text(s, t->name);
    knx_str_printf(s, ":{\"dtype\":\"%s\",\"shape\":[", t->type->name);
    for (int i = 0; i < h->ndim; i++)
        knx_str_printf(s, "%s%" PRId64, i ? "," : "", h->dim[i]);
    knx_str_printf(s, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + t->bytes);
}

/* The length and the header. */
static knx_error *make_header(knx_str *out, int n, const tensor *const *v, int n_pair, const knio_st_pair *pair)
{
    uint64_t at = 0;
    uint8_t length[8];
    knx_str s = {0};
    knx_str_puts(&s, "{");
    if (n_pair)
        add_metadata(&s, n_pair, pair);
    for (int i = 0; i < n; i++) {
        knx_str_puts(&s, i || n_pair ? "," : "");
        add_tensor(&s, v[i], at);
        at += v[i]->bytes;
    }
    knx_str_puts(&s, "}");
    knx_str_pad(&s, ' ', (int64_t)(-s.n & 7));
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)s.n >> 8 * i);
    knx_str_add(out, (const char *)length, 8);
    if (s.n)
        knx_str_add(out, s.s, s.n);
    bool failed = s.failed || out->failed;
    size_t n_header = s.n;
    knx_str_free(&s);
    return failed                          ? knx_error_nomem()
           : n_header > KNIO_ST_MAX_HEADER ? knx_error_new(KN_ERROR_VALUE, "the header has %zu bytes, %d are the limit",
                                                           n_header, KNIO_ST_MAX_HEADER)
                                           : NULL;
}

static knx_error *write_tensor(knio_output *o, const tensor *t)
{
    bool turns = KNIO_ST_TURNS && t->saved.header.dtype->size > 1;
    if (t->type->bits >= 8 && !turns)
        return knio_output_write(o, t->saved.data, (size_t)t->bytes);
    uint8_t *packed = knx_alloc((size_t)t->bytes + 1);
    if (!packed)
        return knx_error_nomem();
    if (turns) {
        memcpy(packed, t->saved.data, (size_t)t->bytes);
        knio_swap_elements(t->saved.header.dtype, packed, (size_t)t->bytes);
    } else {
        knio_st_pack(t->type->bits, t->saved.data, packed, (size_t)t->elements);
    }
    knx_error *e = knio_output_write(o, packed, (size_t)t->bytes);
    knx_free(packed);
    return e;
}

knx_error *knio_st_write(const writer *w, const char *path, FILE *stream, int shard, int n_pair,
                         const knio_st_pair *pair)
{
    int n;
    knio_output o;
    knx_str header = {0};
    const tensor **v = sorted(w, shard, by_type, &n);
    knx_error *e = v ? make_header(&header, n, v, n_pair, pair) : knx_error_nomem();
    if (!e)
        e = knio_output_open(path, stream, &o);
    if (!e) {
        e = knio_output_write(&o, header.s, header.n);
        for (int i = 0; !e && i < n; i++)
            e = write_tensor(&o, v[i]);
        e = knio_output_close(&o, e);
    }
    knx_str_free(&header);
    knx_free(v);
    return e;
}

bool knio_st_begin(writer *w, kna_op *op, kn_tree tree, const kn_text_list *metadata, const char *separator)
{
    kntree_tree *t = kntree_tree_get(w->operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(w->operation, t) : NULL;
    if (!s)
        return false;
    kna_begin(op, w->operation);
    knx_error *e =
        separator && *separator ? read_pairs(w, metadata) : knx_error_new(KN_ERROR_VALUE, "the separator is empty");
    if (!e)
        e = gather(w, op, t, s, separator);
    if (e && !kna_failed(op))
        kna_fail_with(op, e);
    else
        knx_error_release(e);
    return true;
}

int kn_save_safetensors(const char *path, kn_tree tree, const kn_save_safetensors_opts *opts)
{
    KNX_OPTS(kn_save_safetensors_opts, o, opts);
    kna_op op;
    writer w = {.operation = "save_safetensors"};
    kn_scope scope = kn_scope_begin();
    int status = -1;
    if (knio_st_begin(&w, &op, tree, o.metadata, o.separator)) {
        knx_error *e = kna_failed(&op)    ? NULL
                       : !path == !o.file ? path ? knx_error_new(KN_ERROR_VALUE, "give one of a path and .file")
                                                 : knx_error_new(KN_ERROR_TYPE, "null path")
                                          : knio_st_write(&w, path, o.file, 0, w.n_pair, w.pair);
        if (e)
            kna_fail_with(&op, e);
        status = kna_end_plain(&op) ? 0 : -1;
    }
    knio_st_drop(&w);
    kn_scope_end(&scope);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 * checkpoint_load.c -- reading checkpoints: of each array what this process needs. */
#include "array/handle.h"
#include "array/storage.h"
#include "base/context.h"
#include "base/options.h"
#include "face/sharding.h"
#include "io/checkpoint.h"
#include "io/npy.h"
#include "kiln/checkpoint.h"
#include "tree/tree.h"
#include <string.h>

static const char operation[] = "load_checkpoint";

typedef struct loader {
    char *folder;
    knio_manifest m;
    const kntree_structure *structure; /* of what is made */
    kntree_tree *like;                 /* NULL: all that is there */
    bool is_whole;                     /* it has the structure of the checkpoint */
    kn_sharding sharding;
    knio_source source; /* of file number `open`; -1: of none */
    int open;
    const knio_leaf *leaf; /* that is read */
} loader;

/* ---- Elements. */

static knx_error *open_file(loader *l, int file)
{
    char name[24];
    if (l->open == file)
        return NULL;
    knio_source_close(&l->source);
    l->open = -1;
    knio_part_name(name, file);
    char *path = knio_in_folder(l->folder, NULL, name);
    knx_error *e = path ? knio_source_open(path, &l->source) : knx_error_nomem();
    if (!e && l->source.size != l->m.bytes[file])
        e = knx_error_new(KN_ERROR_VALUE, "%s: the file has %llu bytes, but the manifest says %llu", path,
                          (unsigned long long)l->source.size, (unsigned long long)l->m.bytes[file]);
    knx_free(path);
    if (!e)
        l->open = file;
    return e;
}

/* What both have: false, nothing. at: in the piece; to_at: in the box. */
static bool meet(const knio_leaf *l, const knio_piece *p, const knio_box *box, knio_box *at, int64_t *to_at)
{
    for (int k = 0; k < l->type.ndim; k++) {
        int64_t first = p->start[k] > box->start[k] ? p->start[k] : box->start[k];
        int64_t a = p->start[k] + p->count[k], b = box->start[k] + box->count[k], end = a < b ? a : b;
        if (end <= first)
            return false;
        at->start[k] = first - p->start[k];
        at->count[k] = end - first;
        to_at[k] = first - box->start[k];
    }
    return true;
}

static knx_error *read_box(void *env, const knio_box *box, char *to, size_t bytes, const int64_t *stride)
{
    loader *l = env;
    const knio_leaf *leaf = l->leaf;
    uint64_t got = 0, wants = 1;
    for (int i = 0; i < leaf->n_piece; i++) {
        const knio_piece *p = &leaf->piece[i];
        knio_box at;
        int64_t to_at[KN_MAX_NDIM], offset = 0;
        if (!meet(leaf, p, box, &at, to_at))
            continue;
        uint64_t n = 1;
        for (int k = 0; k < leaf->type.ndim; k++) {
            offset += to_at[k] * stride[k];
            n *= (uint64_t)at.count[k];
        }
        got += n;
        KN_TRY(open_file(l, p->file));
        knio_block b = {p->at, leaf->type.dtype->size, leaf->type.ndim, p->count, false};
        KN_TRY(knio_read_box(&l->source, &b, &at, to + offset, stride));
    }
    for (int k = 0; k < leaf->type.ndim; k++)
        wants *= (uint64_t)box->count[k];
    if (got != wants)
        return knx_error_new(KN_ERROR_VALUE, "%s: the parts of %s are not all of it", l->folder, leaf->path);
    knio_normal_elements(leaf->type.dtype, to, bytes);
    return NULL;
}

/* ---- Leaves. */

static knx_error *find_leaf(const loader *l, int i, const knio_leaf **out)
{
    knx_str path = {0};
    kntree_structure_keystr(&path, l->structure, kntree_structure_leaf(l->structure, i), true, "/");
    if (path.failed)
        return knx_error_nomem();
    const char *name = path.s ? path.s : "";
    const knio_leaf *leaf = l->is_whole ? &l->m.leaf[i] : NULL;
    bool twice = false; /* names of dicts may have a '/' */
    for (int k = 0; !l->is_whole && !twice && k < l->m.n_leaf; k++)
        if (strcmp(l->m.leaf[k].path, name) == 0) {
            twice = leaf != NULL;
            leaf = &l->m.leaf[k];
        }
    *out = leaf;
    knx_error *e = !leaf   ? knx_error_new(KN_ERROR_KEY, "%s: the checkpoint has no leaf %s", l->folder, name)
                   : twice ? knx_error_new(KN_ERROR_VALUE, "%s: several leaves are called %s", l->folder, name)
                           : NULL;
    knx_str_free(&path);
    return e;
}

static const char *name_of(const knio_leaf *leaf) { return *leaf->path ? leaf->path : "the leaf"; }

static knx_error *same_type(const loader *l, const knio_leaf *leaf, kni_type like)
{
    knx_text has = {0}, wants = {0};
    kni_type t = leaf->type;
    if (!kni_type_same_shape(t, like))
        return knx_error_new(KN_ERROR_VALUE, "%s: %s has shape %s in the checkpoint, but %s is wanted", l->folder,
                             name_of(leaf), knx_show_shape(&has, t.ndim, t.dim),
                             knx_show_shape(&wants, like.ndim, like.dim));
    if (!like.weak && like.dtype != t.dtype)
        return knx_error_new(KN_ERROR_TYPE, "%s: %s has dtype %s in the checkpoint, but %s is wanted", l->folder,
                             name_of(leaf), t.dtype->name, like.dtype->name);
    return NULL;
}

/* How the leaf of `like` lies; one that is traced or abstract has a type alone. */
static knx_error *look_at_like(const loader *l, const knio_leaf *leaf, kn_array x, kn_sharding *s)
{
    kna_value *v;
    const knd_parts *parts;
    KN_TRY(kna_array_value(x, &v));
    bool is_type = v->state == KN_V_TRACER || v->state == KN_V_ABSTRACT;
    knx_error *e = same_type(l, leaf, v->type);
    kna_value_release(v);
    if (e || is_type || l->sharding)
        return e;
    KN_TRY(knface_layout(x, &v, s, &parts));
    kna_value_release(v);
    return NULL;
}

static kn_array load_leaf(loader *l, int i)
{
    kna_op op;
    kni_atom y = KN_ATOM_NONE;
    kn_sharding s = l->sharding;
    kna_begin(&op, operation);
    knx_error *e = NULL;
    if (l->like)
        e = find_leaf(l, i, &l->leaf);
    else
        l->leaf = &l->m.leaf[i];
    if (!e && l->like)
        e = look_at_like(l, l->leaf, l->like->at[i], &s);
    if (!e)
        e = knio_read_array(&op, l->leaf->type, s, read_box, l, &y);
    if (e)
        kna_fail_with(&op, e);
    return kna_end(&op, y);
}

/* ---- The tree. */

static knx_error *open_checkpoint(loader *l, const char *path)
{
    l->folder = knio_folder_to_read(path);
    char *manifest = l->folder ? knio_in_folder(l->folder, NULL, "manifest.json") : NULL;
    knx_error *e = manifest ? knio_manifest_read(manifest, &l->m) : knx_error_nomem();
    knx_free(manifest);
    return e;
}

static bool begin(loader *l, const char *path, const kn_load_checkpoint_opts *o)
{
    kna_op op;
    if (o->like) {
        l->like = kntree_tree_get(operation, o->like);
        l->structure = l->like ? kntree_structure_in(operation, l->like) : NULL;
        if (!l->structure)
            return false;
    }
    kna_begin(&op, operation);
    if (!path)
        kna_null(&op, "path");
    else if (!o->sharding || knface_takes_sharding(&op, o->sharding)) {
        knx_error *e = open_checkpoint(l, path);
        if (e)
            kna_fail_with(&op, e);
    }
    if (!l->structure)
        l->structure = l->m.structure;
    l->is_whole = l->m.structure && kntree_structure_equal(l->structure, l->m.structure);
    return kna_end_plain(&op);
}

static kn_tree load_leaves(loader *l)
{
    int n = l->structure->node[0].leaves;
    kn_array *x = knx_alloc_zero(((size_t)n + 1) * sizeof *x);
    bool ok = x != NULL;
    kn_tree made = NULL;
    if (!x)
        kntree_tree_failed(operation, knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        x[i] = load_leaf(l, i);
        ok = kn_ok(x[i]);
    }
    if (ok)
        made = kntree_tree_new(operation, kntree_structure_retain((kntree_structure *)(uintptr_t)l->structure), x);
    knx_free(x);
    return made;
}

kn_tree kn_load_checkpoint(const char *path, const kn_load_checkpoint_opts *opts)
{
    KNX_OPTS(kn_load_checkpoint_opts, o, opts);
    loader l = {.open = -1, .sharding = o.sharding};
    kn_tree made = NULL;
    if (begin(&l, path, &o)) {
        kn_scope scope = kn_scope_begin();
        made = load_leaves(&l);
        if (made)
            kn_keep_handle(made);
        kn_scope_end(&scope);
    }
    knio_source_close(&l.source);
    knio_manifest_free(&l.m);
    knx_free(l.folder);
    return made;
}

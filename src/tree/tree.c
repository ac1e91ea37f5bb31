/* SPDX-License-Identifier: Apache-2.0
 * tree.c -- trees as handles: a view of a struct of arrays, or arrays of its own; their leaves. Lists are trees that
 * nothing is assigned to. */
#include "tree/tree.h"
#include "array/foreign.h"
#include "array/handle.h"
#include "base/context.h"
#include <string.h>

typedef kntree_tree tree;

static void drop_tree(void *p)
{
    tree *t = p;
    if (t->at == t->own)
        for (int i = 0; i < t->n; i++)
            if (kna_handle_alive(t->own[i], NULL))
                kn_release(t->own[i]);
    kntree_structure_release(t->structure);
    knx_free(t);
}

static tree *get(kn_tree handle, knx_error **error) { return kna_handle_get(KN_H_TREE, handle, error); }

void kntree_tree_failed(const char *operation, knx_error *e)
{
    if (e && atomic_load(&e->refs) > 0 && !*e->operation)
        e->operation = operation;
    knx_report(e);
    knx_error_release(e);
}

kntree_tree *kntree_tree_get(const char *operation, kn_tree handle)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    if (!t)
        kntree_tree_failed(operation, e);
    return t;
}

const kntree_structure *kntree_structure_in(const char *operation, kntree_tree *t)
{
    if (!t->structure)
        t->structure = kntree_structure_of_fields(t->fields, (size_t)t->n * sizeof(kn_array));
    if (!t->structure)
        kntree_tree_failed(operation, knx_error_nomem());
    return t->structure;
}

kn_tree kn_tree_of_fields(void *structure, size_t bytes, const kn_fields *fields)
{
    if (!structure || bytes % sizeof(kn_array)) {
        knx_report_new("tree", KN_ERROR_TYPE,
                       structure ? "a tree is a struct of arrays, but this one has %zu bytes" : "null struct", bytes);
        return NULL;
    }
    tree *t = knx_alloc_zero(sizeof *t);
    if (!t) {
        kntree_tree_failed("tree", knx_error_nomem());
        return NULL;
    }
    t->n = (int)(bytes / sizeof(kn_array));
    t->at = structure;
    t->fields = fields;
    return kna_handle_new(KN_H_TREE, t, drop_tree);
}

kn_tree kn_tree_of(void *structure, size_t bytes) { return kn_tree_of_fields(structure, bytes, NULL); }

static void drop_value(void *v) { kna_value_release(v); }

/* x itself, or in its stead an array of this context that has its value; NULL with *error set if it is none. */
static kn_array own_array(kn_array x, knx_error **error)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_value *v = NULL;
    if (kna_handle_alive(x, &kind) && (kind == KN_H_ARRAY || kind == KN_H_VIEW))
        return x;
    if (kna_handle_is_foreign(x))
        *error = kna_foreign_value(x, &v);
    else
        kna_handle_get(KN_H_ARRAY, x, error);
    return v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
}

static tree *own_arrays(const char *operation, int n, const kn_array *arrays)
{
    if (!kna_report_list(operation, n, arrays, "arrays"))
        return NULL;
    tree *t = knx_alloc_zero(sizeof *t + (size_t)n * sizeof(kn_array));
    if (!t) {
        kntree_tree_failed(operation, knx_error_nomem());
        return NULL;
    }
    t->n = 0;
    t->at = t->own;
    for (int i = 0; i < n; i++) {
        knx_error *e = NULL;
        kn_array own = own_array(arrays[i], &e);
        if (!own) {
            kntree_tree_failed(operation, e);
            drop_tree(t);
            return NULL;
        }
        t->own[t->n++] = kn_retain(own);
    }
    kna_mark_kept(n, t->own);
    return t;
}

kn_tree kn_tree_from(int n, const kn_array *arrays)
{
    kntree_structure *s = n < 0 ? NULL : kntree_structure_flat(KN_TREE_LIST, n);
    tree *t = own_arrays("tree_from", n, arrays);
    if (t && !s)
        kntree_tree_failed("tree_from", knx_error_nomem());
    if (t && s)
        t->structure = s;
    else
        kntree_structure_release(s);
    if (t && !s)
        drop_tree(t);
    return t && s ? kna_handle_new(KN_H_TREE, t, drop_tree) : NULL;
}

kn_tree kntree_tree_new(const char *operation, kntree_structure *s, const kn_array *arrays)
{
    if (!s)
        kntree_tree_failed(operation, knx_error_nomem());
    tree *t = s ? own_arrays(operation, s->node[0].leaves, arrays) : NULL;
    if (!t) {
        kntree_structure_release(s);
        return NULL;
    }
    t->structure = s;
    return kna_handle_new(KN_H_TREE, t, drop_tree);
}

kn_tree kn_tree_leaf(kn_array x) { return kntree_tree_new("tree_leaf", kntree_structure_one(KN_TREE_LEAF), &x); }

kn_tree kn_tree_none(void) { return kntree_tree_new("tree_none", kntree_structure_one(KN_TREE_NONE), NULL); }

kn_list kn_list_from(const kn_array *arrays, int n)
{
    return kna_handle_new(KN_H_LIST, own_arrays("list_from", n, arrays), drop_tree);
}

int kntree_tree_size(kn_tree handle)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    knx_error_release(e);
    return t ? t->n : -1;
}

kn_array kntree_tree_at(kn_tree handle, int i)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    knx_error_release(e);
    return t && i >= 0 && i < t->n ? t->at[i] : NULL;
}

bool kntree_tree_put(kn_tree handle, int i, kn_array x)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    knx_error_release(e);
    if (!t || i < 0 || i >= t->n)
        return false;
    if (t->at == t->own) {
        kna_mark_kept(1, &x);
        kn_retain(x);
        if (kna_handle_alive(t->own[i], NULL))
            kn_release(t->own[i]);
    }
    t->at[i] = x;
    return true;
}

int kntree_tree_read(kna_op *op, kn_tree handle, int max, kn_array *out)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    if (!t) {
        kna_fail_with(op, e);
        return -1;
    }
    if (t->n > max) {
        kna_fail(op, KN_ERROR_VALUE, "the tree has %d arrays, %d are wanted", t->n, max);
        return -1;
    }
    memcpy(out, t->at, (size_t)t->n * sizeof *out);
    return t->n;
}

int kntree_list_read(kna_op *op, kn_list handle, const kn_array **arrays)
{
    tree *t = kna_handle_in(op, KN_H_LIST, handle);
    if (!t)
        return -1;
    *arrays = t->at;
    return t->n;
}

int kn_tree_count(kn_tree handle)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    if (!t)
        kntree_tree_failed("tree_count", e);
    return t ? t->n : -1;
}

static kn_array item(const char *operation, tree *t, knx_error *e, int i)
{
    if (!t)
        kntree_tree_failed(operation, e);
    else if (i < 0 || i >= t->n)
        knx_report_new(operation, KN_ERROR_INDEX, "index %d is out of bounds for %d arrays", i, t->n);
    return t && i >= 0 && i < t->n ? t->at[i] : NULL;
}

kn_array kn_tree_get(kn_tree handle, int i)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    return item("tree_get", t, e, i);
}

int kn_list_count(kn_list handle)
{
    knx_error *e = NULL;
    tree *t = kna_handle_get(KN_H_LIST, handle, &e);
    if (!t)
        kntree_tree_failed("list_count", e);
    return t ? t->n : -1;
}

kn_array kn_list_get(kn_list handle, int i)
{
    knx_error *e = NULL;
    tree *t = kna_handle_get(KN_H_LIST, handle, &e);
    return item("list_get", t, e, i);
}

int kn_tree_assign(kn_tree to, kn_tree from)
{
    knx_error *e = NULL;
    tree *a = get(to, &e), *b = a ? get(from, &e) : NULL;
    if (!a || !b) {
        kntree_tree_failed("tree_assign", e);
        return -1;
    }
    if (a->n != b->n) {
        knx_report_new("tree_assign", KN_ERROR_VALUE, "a tree of %d arrays cannot take the arrays of one of %d", a->n,
                       b->n);
        return -1;
    }
    for (int i = 0; i < a->n; i++) {
        if (a->at == a->own)
            kntree_tree_put(to, i, b->at[i]);
        else
            kn_assign(&a->at[i], b->at[i]);
    }
    return 0;
}

/* ---- For messages. */

const char *kntree_structure_leaf_path(knx_text *text, const kntree_structure *s, int i)
{
    int node = s ? kntree_structure_leaf(s, i) : -1;
    knx_str path = {0};
    if (node >= 0)
        kntree_structure_keystr(&path, s, node, false, "");
    char *shown = knx_str_take(&path);
    size_t from = text->length;
    if (shown)
        knx_text_add(text, "%s", shown);
    knx_free(shown);
    return text->s + from;
}

const char *kntree_tree_leaf_path(knx_text *text, kn_tree handle, int i)
{
    knx_error *e = NULL;
    tree *t = get(handle, &e);
    knx_error_release(e);
    if (t && !t->structure)
        t->structure = kntree_structure_of_fields(t->fields, (size_t)t->n * sizeof(kn_array));
    return kntree_structure_leaf_path(text, t ? t->structure : NULL, i);
}

const char *kntree_field_path(knx_text *text, const kn_fields *fields, size_t bytes, int i)
{
    kntree_structure *s = fields && fields->name ? kntree_structure_of_fields(fields, bytes) : NULL;
    const char *path = kntree_structure_leaf_path(text, s, i);
    kntree_structure_release(s);
    return path;
}

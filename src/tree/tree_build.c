/* SPDX-License-Identifier: Apache-2.0
 * tree_build.c -- trees made of trees, taken apart and put together again; structures as handles. */
#include "array/handle.h"
#include "array/op.h"
#include "tree/tree.h"
#include "base/context.h"
#include <stdlib.h>
#include <string.h>

/* ---- Lists, tuples and dicts. */

/* A node of this kind over copies of the children: their arrays are owned by the new tree too. */
static kn_tree join(const char *operation, int kind, int n, const kn_tree *children, const char *const *key)
{
    if (!kna_report_list(operation, n, children, "children"))
        return NULL;
    kntree_structure **part = knx_alloc_zero(((size_t)n + 1) * sizeof *part);
    KN_VEC(kn_array) leaf = {0};
    bool ok = part != NULL;
    if (!part)
        kntree_tree_failed(operation, knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        kntree_tree *t = kntree_tree_get(operation, children[i]);
        part[i] = t ? (kntree_structure *)(uintptr_t)kntree_structure_in(operation, t) : NULL;
        ok = part[i] != NULL;
        if (ok && !KN_VEC_RESERVE(&leaf, (size_t)t->n + 1)) {
            kntree_tree_failed(operation, knx_error_nomem());
            ok = false;
        }
        for (int k = 0; ok && k < t->n; k++)
            leaf.at[leaf.n++] = t->at[k];
    }
    kn_tree made =
        ok ? kntree_tree_new(operation, kntree_structure_join(kind, NULL, n, part, key), leaf.at ? leaf.at : NULL)
           : NULL;
    KN_VEC_FREE(&leaf);
    knx_free(part);
    return made;
}

kn_tree kn_tree_list(int n, const kn_tree *children) { return join("tree_list", KN_TREE_LIST, n, children, NULL); }

kn_tree kn_tree_tuple(int n, const kn_tree *children) { return join("tree_tuple", KN_TREE_TUPLE, n, children, NULL); }

static int by_name(const void *a, const void *b)
{
    return strcmp(((const kn_tree_item *)a)->name, ((const kn_tree_item *)b)->name);
}

kn_tree kn_tree_dict(int n, const kn_tree_item *items)
{
    if (!kna_report_list("tree_dict", n, items, "items"))
        return NULL;
    size_t room = (size_t)n + 1;
    kn_tree_item *sorted = knx_alloc(room * sizeof *sorted);
    kn_tree *child = knx_alloc(room * sizeof *child), made = NULL;
    const char **key = knx_alloc(room * sizeof *key);
    bool ok = sorted && child && key;
    if (!ok)
        kntree_tree_failed("tree_dict", knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        ok = items[i].name != NULL;
        if (!ok)
            knx_report_new("tree_dict", KN_ERROR_TYPE, "the name of item %d is null", i);
        else
            sorted[i] = items[i];
    }
    if (ok && n > 0)
        qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = 0; ok && i < n; i++) {
        key[i] = sorted[i].name;
        child[i] = sorted[i].tree;
        ok = i == 0 || strcmp(key[i - 1], key[i]) != 0;
        if (!ok)
            knx_report_new("tree_dict", KN_ERROR_VALUE, "the name '%s' is given twice", key[i]);
    }
    if (ok)
        made = join("tree_dict", KN_TREE_DICT, n, child, key);
    knx_free(sorted);
    knx_free(child);
    knx_free(key);
    return made;
}

/* ---- Structures as handles. */

static void drop_structure(void *s) { kntree_structure_release(s); }

static kn_treedef structure_handle(const char *operation, kntree_structure *s)
{
    if (!s)
        kntree_tree_failed(operation, knx_error_nomem());
    return s ? kna_handle_new(KN_H_TREEDEF, s, drop_structure) : NULL;
}

static kntree_structure *structure_of(const char *operation, kn_treedef handle)
{
    knx_error *e = NULL;
    kntree_structure *s = kna_handle_get(KN_H_TREEDEF, handle, &e);
    if (!s)
        kntree_tree_failed(operation, e);
    return s;
}

static kn_treedef tree_structure(const char *operation, kn_tree tree)
{
    kntree_tree *t = kntree_tree_get(operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    return s ? structure_handle(operation, kntree_structure_retain((kntree_structure *)(uintptr_t)s)) : NULL;
}

kn_treedef kn_tree_structure(kn_tree tree) { return tree_structure("tree_structure", tree); }

const char *kn_treedef_text(kn_treedef handle)
{
    kntree_structure *s = structure_of("treedef_text", handle);
    knx_str text = {0};
    if (!s)
        return "";
    kntree_structure_text(&text, s);
    char *shown = knx_str_take(&text);
    if (!shown)
        kntree_tree_failed("treedef_text", knx_error_nomem());
    return shown && kna_handle_new(KN_H_TEXT, shown, knx_free) ? shown : "";
}

bool kn_treedef_equal(kn_treedef a, kn_treedef b)
{
    kntree_structure *x = structure_of("treedef_equal", a), *y = x ? structure_of("treedef_equal", b) : NULL;
    return x && y && kntree_structure_equal(x, y);
}

kn_tree_kind kn_treedef_kind(kn_treedef handle)
{
    kntree_structure *s = structure_of("treedef_kind", handle);
    return s ? (kn_tree_kind)s->node[0].kind : KN_TREE_NONE;
}

int kn_treedef_count(kn_treedef handle)
{
    kntree_structure *s = structure_of("treedef_count", handle);
    return s ? s->node[0].leaves : -1;
}

int kn_treedef_children_count(kn_treedef handle)
{
    kntree_structure *s = structure_of("treedef_children_count", handle);
    return s ? s->node[0].children : -1;
}

kn_treedef kn_treedef_child(kn_treedef handle, int i)
{
    kntree_structure *s = structure_of("treedef_child", handle);
    int at = s ? kntree_structure_child(s, 0, i) : -1;
    if (s && at < 0)
        knx_report_new("treedef_child", KN_ERROR_INDEX, "index %d is out of bounds for %d children", i,
                       s->node[0].children);
    return at < 0 ? NULL : structure_handle("treedef_child", kntree_structure_sub(s, at));
}

kn_treedef kn_treedef_tuple(int n, const kn_treedef *children)
{
    if (!kna_report_list("treedef_tuple", n, children, "children"))
        return NULL;
    kntree_structure **part = knx_alloc(((size_t)n + 1) * sizeof *part);
    bool ok = part != NULL;
    if (!part)
        kntree_tree_failed("treedef_tuple", knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        part[i] = structure_of("treedef_tuple", children[i]);
        ok = part[i] != NULL;
    }
    kn_treedef made =
        ok ? structure_handle("treedef_tuple", kntree_structure_join(KN_TREE_TUPLE, NULL, n, part, NULL)) : NULL;
    knx_free(part);
    return made;
}

bool kn_treedef_is_leaf(kn_treedef handle)
{
    kntree_structure *s = structure_of("treedef_is_leaf", handle);
    return s && s->n == 1 && s->node[0].kind == KN_TREE_LEAF;
}

/* ---- Apart and together. */

static kn_list leaves_of(const char *operation, kn_tree tree)
{
    kntree_tree *t = kntree_tree_get(operation, tree);
    return t ? kn_list_from(t->at, t->n) : NULL;
}

kn_list kn_tree_leaves(kn_tree tree) { return leaves_of("tree_leaves", tree); }

kn_tree_flatten_result kn_tree_flatten(kn_tree tree)
{
    kn_tree_flatten_result r = {leaves_of("tree_flatten", tree), NULL};
    if (r.leaves)
        r.structure = tree_structure("tree_flatten", tree);
    return r;
}

kn_tree kn_tree_unflatten(kn_treedef structure, kn_list leaves)
{
    kntree_structure *s = structure_of("tree_unflatten", structure);
    knx_error *e = NULL;
    kntree_tree *list = s ? kna_handle_get(KN_H_LIST, leaves, &e) : NULL;
    if (s && !list)
        kntree_tree_failed("tree_unflatten", e);
    if (!list)
        return NULL;
    int want = s->node[0].leaves;
    if (list->n < want)
        knx_report_new("tree_unflatten", KN_ERROR_VALUE, "Too few leaves for PyTreeDef; expected %d, got %d", want,
                       list->n);
    else if (list->n > want)
        knx_report_new("tree_unflatten", KN_ERROR_VALUE, "Too many leaves for PyTreeDef; expected %d.", want);
    else
        return kntree_tree_new("tree_unflatten", kntree_structure_retain(s), list->at);
    return NULL;
}

/* ---- Paths. */

/* The path of one leaf as an allocated text. */
static char *keystr(const kntree_structure *s, int leaf, bool simple, const char *separator)
{
    knx_str text = {0};
    kntree_structure_keystr(&text, s, kntree_structure_leaf(s, leaf), simple, separator ? separator : "");
    return knx_str_take(&text);
}

const char *kn_tree_keystr(kn_tree tree, int i, const kn_tree_keystr_opts *opts)
{
    kn_tree_keystr_opts o = opts ? *opts : kn_tree_keystr_opts_default();
    kntree_tree *t = kntree_tree_get("tree_keystr", tree);
    const kntree_structure *s = t ? kntree_structure_in("tree_keystr", t) : NULL;
    if (!s)
        return "";
    if (i < 0 || i >= t->n) {
        knx_report_new("tree_keystr", KN_ERROR_INDEX, "index %d is out of bounds for %d arrays", i, t->n);
        return "";
    }
    char *text = keystr(s, i, o.simple, o.separator);
    if (!text)
        kntree_tree_failed("tree_keystr", knx_error_nomem());
    return text && kna_handle_new(KN_H_TEXT, text, knx_free) ? text : "";
}

typedef struct paths {
    int n;
    const char *at[];
} paths;

static void drop_paths(void *p)
{
    paths *all = p;
    for (int i = 0; i < all->n; i++)
        knx_free((void *)(uintptr_t)all->at[i]);
    knx_free(all);
}

/* The paths of all leaves, owned by the scope; NULL after reporting an error. */
static paths *all_paths(const char *operation, kn_tree tree)
{
    kntree_tree *t = kntree_tree_get(operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    if (!s)
        return NULL;
    paths *p = knx_alloc(sizeof *p + ((size_t)t->n + 1) * sizeof(char *));
    bool ok = p != NULL;
    if (p)
        p->n = 0;
    for (int i = 0; ok && i < t->n; i++) {
        char *text = keystr(s, i, false, "");
        ok = text != NULL;
        if (ok)
            p->at[p->n++] = text;
    }
    if (!ok) {
        kntree_tree_failed(operation, knx_error_nomem());
        if (p)
            drop_paths(p);
        return NULL;
    }
    return kna_handle_new(KN_H_TEXT, p, drop_paths) ? p : NULL;
}

kn_tree_leaves_with_path_result kn_tree_leaves_with_path(kn_tree tree)
{
    kn_tree_leaves_with_path_result r = {0};
    paths *p = all_paths("tree_leaves_with_path", tree);
    if (p) {
        r.n = p->n;
        r.path = p->at;
        r.leaves = leaves_of("tree_leaves_with_path", tree);
    }
    return r;
}

kn_tree_flatten_with_path_result kn_tree_flatten_with_path(kn_tree tree)
{
    kn_tree_leaves_with_path_result l = kn_tree_leaves_with_path(tree);
    kn_tree_flatten_with_path_result r = {.n = l.n, .path = l.path, .leaves = l.leaves};
    if (l.leaves)
        r.structure = tree_structure("tree_flatten_with_path", tree);
    return r;
}

/* The node at a path; -1 after reporting an error under the operation's name (NULL: silently). */
static int find(const char *operation, kn_tree tree, const char *path, kntree_tree **t, const kntree_structure **s)
{
    int at = -1;
    *t = kntree_tree_get(operation ? operation : "tree_has", tree);
    *s = *t ? kntree_structure_in(operation ? operation : "tree_has", *t) : NULL;
    knx_error *e = !path ? knx_error_new(KN_ERROR_TYPE, "null path") : *s ? kntree_structure_find(*s, path, &at) : NULL;
    if (e && !path)
        kntree_tree_failed(operation ? operation : "tree_has", e);
    else if (e && operation)
        kntree_tree_failed(operation, e);
    else
        knx_error_release(e);
    return *s && !e ? at : -1;
}

static int find_leaf(const char *operation, kn_tree tree, const char *path, kntree_tree **t)
{
    const kntree_structure *s;
    int at = find(operation, tree, path, t, &s);
    if (at >= 0 && s->node[at].kind != KN_TREE_LEAF) {
        knx_report_new(operation, KN_ERROR_TYPE, "'%s' is a subtree of %d leaves, not an array", path ? path : "",
                       s->node[at].leaves);
        return -1;
    }
    return at < 0 ? -1 : kntree_structure_first_leaf(s, at);
}

kn_array kn_tree_at(kn_tree tree, const char *path)
{
    kntree_tree *t;
    int i = find_leaf("tree_at", tree, path, &t);
    return i < 0 ? NULL : t->at[i];
}

kn_tree kn_tree_sub(kn_tree tree, const char *path)
{
    kntree_tree *t;
    const kntree_structure *s;
    int at = find("tree_sub", tree, path, &t, &s);
    return at < 0
               ? NULL
               : kntree_tree_new("tree_sub", kntree_structure_sub(s, at), t->at + kntree_structure_first_leaf(s, at));
}

bool kn_tree_has(kn_tree tree, const char *path)
{
    kntree_tree *t;
    const kntree_structure *s;
    return find(NULL, tree, path, &t, &s) >= 0;
}

int kn_tree_set_at(kn_tree tree, const char *path, kn_array x)
{
    kntree_tree *t;
    int i = find_leaf("tree_set_at", tree, path, &t);
    if (i < 0)
        return -1;
    if (!kna_handle_alive(x, NULL)) {
        knx_error *e = NULL;
        kna_handle_get(KN_H_ARRAY, x, &e);
        kntree_tree_failed("tree_set_at", e);
        return -1;
    }
    if (t->at == t->own)
        kntree_tree_put(tree, i, x);
    else
        kn_assign(&t->at[i], x);
    return 0;
}

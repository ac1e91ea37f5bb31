/* SPDX-License-Identifier: Apache-2.0
 * nested.c -- trees by the names of their leaves: "layers.0.w" is a place in dicts and lists, and the way back. */
#include "array/op.h"
#include "base/context.h"
#include "tree/tree.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 100 }; /* names may come from files of others, and levels recurse */

typedef struct named {
    char *name; /* the whole of it */
    kn_array x;
} named;

typedef struct nesting {
    const char *operation, *separator;
    size_t skip; /* of the separator */
    named *leaf; /* sorted by name */
} nesting;

static int by_name(const void *a, const void *b) { return strcmp(((const named *)a)->name, ((const named *)b)->name); }

static void free_leaves(named *v, int n)
{
    for (int i = 0; v && i < n; i++)
        knx_free(v[i].name);
    knx_free(v);
}

/* The leaves with their names, or NULL after an error. */
static named *leaves_of(const char *operation, kntree_tree *t, const char *separator)
{
    const kntree_structure *s = kntree_structure_in(operation, t);
    named *v = s ? knx_alloc_zero(((size_t)t->n + 1) * sizeof *v) : NULL;
    bool ok = v != NULL;
    if (s && s->node[0].kind == KN_TREE_LEAF) {
        knx_report_new(operation, KN_ERROR_VALUE, "the tree is one array, which has no name");
        knx_free(v);
        return NULL;
    }
    for (int i = 0; ok && i < t->n; i++) {
        knx_str text = {0};
        kntree_structure_keystr(&text, s, kntree_structure_leaf(s, i), true, separator);
        v[i] = (named){knx_str_take(&text), t->at[i]};
        ok = v[i].name != NULL;
    }
    if (s && !ok)
        kntree_tree_failed(operation, knx_error_nomem());
    if (!ok) {
        free_leaves(v, t->n);
        v = NULL;
    }
    return v;
}

static bool takes(const char *operation, const char *separator)
{
    if (separator && *separator)
        return true;
    knx_report_new(operation, separator ? KN_ERROR_VALUE : KN_ERROR_TYPE,
                   separator ? "the separator is empty" : "null separator");
    return false;
}

/* ---- What both do: the leaves by their names, and a tree of them that is made in a scope of its own. */

typedef kn_tree making(const char *operation, const char *separator, named *leaf, int n);

static kn_tree made_of(const char *operation, kn_tree tree, const char *separator, making *make)
{
    kntree_tree *t = takes(operation, separator) ? kntree_tree_get(operation, tree) : NULL;
    named *v = t ? leaves_of(operation, t, separator) : NULL;
    if (!v)
        return NULL;
    int n = t->n;
    kn_scope scope = kn_scope_begin();
    kn_tree made = make(operation, separator, v, n);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    free_leaves(v, n);
    return made;
}

/* ---- Flat. */

static kn_tree make_flat(const char *operation, const char *separator, named *leaf, int n)
{
    (void)separator;
    kn_tree_item *item = knx_alloc(((size_t)n + 1) * sizeof *item);
    kn_tree made = NULL;
    bool ok = item != NULL;
    if (!item)
        kntree_tree_failed(operation, knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        item[i] = (kn_tree_item){leaf[i].name, kn_tree_leaf(leaf[i].x)};
        ok = item[i].tree != NULL;
    }
    if (ok)
        made = (kn_tree_dict)(n, item);
    knx_free(item);
    return made;
}

kn_tree kn_tree_flat(kn_tree tree, const char *separator) { return made_of("tree_flat", tree, separator, make_flat); }

/* ---- Nested. */

/* The number that the text is, written as numbers are; -1: none below n. */
static int position_of(const char *s, int n)
{
    int64_t v = 0;
    if (*s < '0' || *s > '9' || (*s == '0' && s[1]))
        return -1;
    for (; *s >= '0' && *s <= '9' && v < n; s++)
        v = 10 * v + (*s - '0');
    return *s || v >= n ? -1 : (int)v;
}

/* The items as a list if they are called 0, 1, ..., n - 1. */
static bool as_list(int n, const kn_tree_item *item, kn_tree *child)
{
    memset(child, 0, (size_t)n * sizeof *child);
    for (int i = 0; i < n; i++) {
        int at = position_of(item[i].name, n);
        if (at < 0 || child[at])
            return false;
        child[at] = item[i].tree;
    }
    return n > 0;
}

static kn_tree join(const nesting *e, int n, const kn_tree_item *item)
{
    kn_tree *child = knx_alloc(((size_t)n + 1) * sizeof *child), made = NULL;
    if (!child)
        kntree_tree_failed(e->operation, knx_error_nomem());
    else
        made = as_list(n, item, child) ? (kn_tree_list)(n, child) : (kn_tree_dict)(n, item);
    knx_free(child);
    return made;
}

/* The tree of the leaves from `from` to `to`, whose names are equal up to byte `at`. */
static kn_tree nest(const nesting *e, int from, int to, size_t at, int level)
{
    KN_VEC(kn_tree_item) item = {0};
    bool ok = level < MAX_LEVELS;
    if (!ok)
        knx_report_new(e->operation, KN_ERROR_VALUE, "a name has more than %d levels: %.60s...", MAX_LEVELS,
                       e->leaf[from].name);
    for (int i = from, end; ok && i < to; i = end) {
        const char *name = e->leaf[i].name, *stop = strstr(name + at, e->separator);
        size_t length = stop ? (size_t)(stop - name) - at : strlen(name + at), next = at + length + e->skip;
        for (end = i + 1; stop && end < to && strncmp(e->leaf[end].name, name, next) == 0;)
            end++;
        char *key = knx_alloc(length + 1);
        kn_tree sub = !key ? NULL : stop ? nest(e, i, end, next, level + 1) : kn_tree_leaf(e->leaf[i].x);
        if (key)
            memcpy(key, name + at, length), key[length] = '\0';
        ok = sub && KN_VEC_PUSH(&item, ((kn_tree_item){key, sub}));
        if (!ok)
            knx_free(key);
        if (!key || (sub && !ok))
            kntree_tree_failed(e->operation, knx_error_nomem());
    }
    kn_tree made = ok ? join(e, (int)item.n, item.at) : NULL;
    for (size_t i = 0; i < item.n; i++)
        knx_free((void *)(uintptr_t)item.at[i].name);
    KN_VEC_FREE(&item);
    return made;
}

static kn_tree make_nested(const char *operation, const char *separator, named *leaf, int n)
{
    if (n > 0)
        qsort(leaf, (size_t)n, sizeof *leaf, by_name);
    const nesting e = {operation, separator, strlen(separator), leaf};
    return nest(&e, 0, n, 0, 0);
}

kn_tree kn_tree_nested(kn_tree tree, const char *separator)
{
    return made_of("tree_nested", tree, separator, make_nested);
}

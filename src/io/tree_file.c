/* SPDX-License-Identifier: Apache-2.0
 * tree_file.c -- trees in npz files: each leaf under its path. */
#include "array/handle.h"
#include "tree/tree.h"
#include "base/context.h"
#include "kiln/io.h"
#include <string.h>

/* The names of the leaves, in one allocation each; NULL after reporting that there is no memory. */
static char **names_of(const char *operation, kntree_tree *t)
{
    const kntree_structure *s = kntree_structure_in(operation, t);
    char **name = s ? knx_alloc_zero(((size_t)t->n + 1) * sizeof *name) : NULL;
    bool ok = name != NULL;
    for (int i = 0; ok && i < t->n; i++) {
        knx_str text = {0};
        kntree_structure_keystr(&text, s, kntree_structure_leaf(s, i), true, "/");
        name[i] = knx_str_take(&text);
        ok = name[i] != NULL;
    }
    if (s && !ok)
        kntree_tree_failed(operation, knx_error_nomem());
    for (int i = 0; name && !ok && i < t->n; i++)
        knx_free(name[i]);
    if (!ok)
        knx_free(name);
    return ok ? name : NULL;
}

static void free_names(int n, char **name)
{
    for (int i = 0; name && i < n; i++)
        knx_free(name[i]);
    knx_free(name);
}

int kn_save_tree(const char *path, kn_tree tree)
{
    kntree_tree *t = kntree_tree_get("save_tree", tree);
    char **name = t ? names_of("save_tree", t) : NULL;
    kn_named *all = name ? knx_alloc(((size_t)t->n + 1) * sizeof *all) : NULL;
    int status = -1;
    if (name && !all)
        kntree_tree_failed("save_tree", knx_error_nomem());
    for (int i = 0; all && i < t->n; i++) /* a tree that is one leaf has no path: arr_0, as in np.savez */
        all[i] = (kn_named){*name[i] ? name[i] : NULL, t->at[i]};
    if (all)
        status = kn_savez(path, t->n, all);
    free_names(t ? t->n : 0, name);
    knx_free(all);
    return status;
}

static bool same_shape(const char *name, kn_array x, kn_array like)
{
    kn_shape a = kn_shape_of(x), b = kn_shape_of(like);
    bool same = a.ndim == b.ndim && memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof *a.dim) == 0;
    knx_text have = {0}, want = {0};
    if (!same)
        knx_report_new("load_tree", KN_ERROR_VALUE, "%s has shape %s in the file, but %s is wanted", name,
                       knx_show_shape(&have, a.ndim, a.dim), knx_show_shape(&want, b.ndim, b.dim));
    return same;
}

kn_tree kn_load_tree(const char *path, kn_tree like)
{
    kntree_tree *t = kntree_tree_get("load_tree", like);
    char **name = t ? names_of("load_tree", t) : NULL;
    if (!name)
        return NULL;
    int n = t->n;
    kn_scope scope = kn_scope_begin();
    kn_array *x = knx_alloc(((size_t)n + 1) * sizeof *x);
    kn_archive file = x ? kn_load_npz(path) : NULL;
    bool ok = file != NULL;
    kn_tree made = NULL;
    if (!x)
        kntree_tree_failed("load_tree", knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        const char *member = *name[i] ? name[i] : "arr_0";
        x[i] = kn_archive_get(file, member);
        ok = kn_ok(x[i]) && same_shape(member, x[i], t->at[i]);
    }
    if (ok)
        made = kntree_tree_new("load_tree", kntree_structure_retain(t->structure), x);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    free_names(n, name);
    knx_free(x);
    return made;
}

/* SPDX-License-Identifier: Apache-2.0
 * tree_text.c -- trees as Python shows nested dicts, lists, tuples and named tuples of arrays. */
#include "array/handle.h"
#include "base/options.h"
#include "base/out.h"
#include "kiln/numpy/printing.h"
#include "tree/tree.h"
#include <inttypes.h>
#include <string.h>

static void add_shape(knx_str *out, kn_array x)
{
    kn_shape s = kn_shape_of(x);
    knx_str_puts(out, "(");
    for (int i = 0; i < s.ndim; i++)
        knx_str_printf(out, i ? ", %" PRId64 : "%" PRId64, s.dim[i]);
    knx_str_puts(out, s.ndim == 1 ? ",)" : ")");
}

static void add_leaf(knx_str *out, kn_array x, const kn_tree_repr_opts *o)
{
    if (o->shapes) {
        add_shape(out, x);
        return;
    }
    kn_scope scope = kn_scope_begin();
    const char *text = kn_repr(x, o->print);
    knx_str_puts(out, text ? text : "");
    kn_scope_end(&scope);
}

static void open_node(knx_str *out, const kntree_node *n)
{
    static const char *const begin[] = {"", "None", "[", "(", "{", "("};
    if (n->kind == KN_TREE_STRUCT && n->type)
        knx_str_puts(out, n->type);
    knx_str_puts(out, begin[n->kind]);
}

static void close_node(knx_str *out, const kntree_node *n)
{
    static const char *const end[] = {"", "", "]", ")", "}", ")"};
    bool single = n->children == 1 && (n->kind == KN_TREE_TUPLE || (n->kind == KN_TREE_STRUCT && !n->type));
    knx_str_puts(out, single ? ",)" : end[n->kind]);
}

/* What stands in front of a child: its comma, its name. */
static void begin_child(knx_str *out, const kntree_node *parent, int left, const kntree_node *n)
{
    if (left < parent->children)
        knx_str_puts(out, ", ");
    if (parent->kind == KN_TREE_DICT) {
        kntree_add_quoted(out, n->key);
        knx_str_puts(out, ": ");
    } else if (parent->kind == KN_TREE_STRUCT && n->key) {
        knx_str_puts(out, n->key);
        knx_str_puts(out, "=");
    }
}

/* Without recursion, so that trees may be as deep as memory goes. */
static void add_tree(knx_str *out, const kntree_structure *s, kn_array const *leaf, const kn_tree_repr_opts *o)
{
    int *open = knx_alloc(((size_t)s->n + 1) * sizeof *open), depth = 0; /* nodes whose children are being shown */
    int *left = knx_alloc(((size_t)s->n + 1) * sizeof *left);
    out->failed |= !open || !left;
    for (int i = 0; !out->failed && i < s->n; i++) {
        const kntree_node *n = &s->node[i];
        if (depth)
            begin_child(out, &s->node[open[depth - 1]], left[depth - 1], n);
        open_node(out, n);
        if (n->kind == KN_TREE_LEAF)
            add_leaf(out, *leaf++, o);
        open[depth] = i;
        left[depth++] = n->children;
        while (depth && left[depth - 1] == 0) { /* this one is done, and perhaps what it is in */
            close_node(out, &s->node[open[--depth]]);
            if (depth)
                left[depth - 1]--;
        }
    }
    knx_free(open);
    knx_free(left);
}

/* The text, to be freed; NULL with an error. */
static char *text_of(const char *operation, kn_tree tree, const kn_tree_repr_opts *opts)
{
    KNX_OPTS(kn_tree_repr_opts, o, opts);
    kna_op op;
    knx_str out = {0};
    kna_begin(&op, operation);
    kntree_tree *t = kntree_tree_get(operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    for (int i = 0; s && i < t->n; i++)
        kna_type(&op, t->at[i]);
    bool ok = s && !kna_failed(&op);
    uint64_t before = knx_context()->reports;
    if (ok)
        add_tree(&out, s, t->at, &o);
    if (ok && out.failed)
        kna_fail_with(&op, knx_error_nomem());
    ok = kna_end_plain(&op) && ok && !knx_reported_since(before);
    char *text = ok ? knx_str_take(&out) : NULL;
    knx_str_free(&out);
    return text;
}

const char *kn_tree_repr(kn_tree tree, const kn_tree_repr_opts *opts)
{
    char *text = text_of("tree_repr", tree, opts);
    return text && kna_handle_new(KN_H_TEXT, text, knx_free) ? text : "";
}

void kn_tree_print(kn_tree tree, const kn_tree_repr_opts *opts)
{
    char *text = text_of("tree_print", tree, opts);
    if (text)
        knx_out_line(text);
    knx_free(text);
}

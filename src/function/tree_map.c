/* SPDX-License-Identifier: Apache-2.0
 * tree_map.c -- functions of trees: map, reduce, all, transpose, broadcast, ravel. The user's functions are called
 * between operations, as if the user had called them leaf by leaf. */
#include "array/handle.h"
#include "array/op.h"
#include "tree/tree.h"
#include "base/context.h"
#include <string.h>

/* ---- Calling f on arrays. */

static bool callable(const char *operation, const kn_mapper *f, int n)
{
    int wanted = !f ? 0 : f->one ? 1 : f->two ? 2 : n;
    if (!f || (!f->fn && !f->one && !f->two && !f->any))
        knx_report_new(operation, KN_ERROR_TYPE, "null function");
    else if (wanted != n)
        knx_report_new(operation, KN_ERROR_TYPE, "the function takes %d array%s, but there are %d trees", wanted,
                       wanted == 1 ? "" : "s", n);
    else
        return true;
    return false;
}

static kn_array call_fn(kn_fn fn, int n, const kn_array *x)
{
    kn_array y = NULL;
    kn_args args = {.n = n};
    for (int i = 0; i < n; i++)
        args.part[i] = (kn_const_part){&x[i], sizeof(kn_array)};
    const kn_outs outs = {1, {{&y, sizeof y}}};
    return kn_call(fn, &outs, &args) == 0 ? y : NULL;
}

static kn_array apply(const kn_mapper *f, const char *path, int n, const kn_array *x)
{
    if (f->fn)
        return call_fn(f->fn, n, x);
    if (f->one)
        return f->one(x[0]);
    return f->two ? f->two(x[0], x[1]) : f->any(f->env, path, n, x);
}

/* ---- map. */

enum { MAX_TREES = KN_MAX_ARGS };

/* The trees with one structure; false after reporting an error. */
static bool same_structures(const char *operation, int n, const kn_tree *trees, kntree_tree **t)
{
    const kntree_structure *first = NULL;
    for (int i = 0; i < n; i++) {
        t[i] = kntree_tree_get(operation, trees[i]);
        const kntree_structure *s = t[i] ? kntree_structure_in(operation, t[i]) : NULL;
        if (!s)
            return false;
        first = i ? first : s;
        knx_error *e = i ? kntree_structure_compare("tree_map tree", first, s, false) : NULL;
        if (e) {
            kntree_tree_failed(operation, e);
            return false;
        }
    }
    return true;
}

/* Checks that a leaf of the result is there. */
static bool sound(const char *operation, const char *path, kn_array y)
{
    if (y)
        return true;
    if (!kn_error_pending())
        knx_report_new(operation, KN_ERROR_TYPE, "the function returned null for leaf %s", *path ? path : "*");
    return false;
}

kn_tree kn_tree_map(const kn_mapper *f, int n, const kn_tree *trees)
{
    kntree_tree *t[MAX_TREES];
    if (n < 1 || n > MAX_TREES) {
        knx_report_new("tree_map", KN_ERROR_VALUE, "takes 1 to %d trees, but was given %d", MAX_TREES, n);
        return NULL;
    }
    if (!kna_report_list("tree_map", n, trees, "trees") || !callable("tree_map", f, n) ||
        !same_structures("tree_map", n, trees, t))
        return NULL;
    int leaves = t[0]->n;
    kntree_structure *s = kntree_structure_retain(t[0]->structure);
    kn_array *y = knx_alloc(((size_t)leaves + 1) * sizeof *y);
    const kn_place *here = knx_context() ? knx_context()->here : NULL;
    bool ok = y != NULL;
    if (!y)
        kntree_tree_failed("tree_map", knx_error_nomem());
    for (int i = 0; ok && i < leaves; i++) {
        kn_array x[MAX_TREES];
        knx_text path = {0};
        for (int k = 0; k < n; k++)
            x[k] = t[k]->at[i];
        if (f->any)
            kntree_structure_leaf_path(&path, s, i);
        kn_here(here);
        y[i] = apply(f, path.s, n, x);
        ok = sound("tree_map", path.s, y[i]);
        for (int k = 0; k < n && ok; k++) { /* f may have released them */
            t[k] = kntree_tree_get("tree_map", trees[k]);
            ok = t[k] != NULL;
        }
    }
    kn_tree made = ok ? kntree_tree_new("tree_map", kntree_structure_retain(s), y) : NULL;
    kntree_structure_release(s);
    knx_free(y);
    return made;
}

/* ---- reduce and all. */

kn_array kn_tree_reduce(const kn_mapper *f, kn_tree tree, kn_array initial)
{
    kntree_tree *t = callable("tree_reduce", f, 2) ? kntree_tree_get("tree_reduce", tree) : NULL;
    kn_array sum = initial;
    for (int i = 0; t && i < t->n; i++) {
        kn_array pair[2] = {sum, t->at[i]};
        sum = sum ? apply(f, "", 2, pair) : t->at[i];
        if (!sound("tree_reduce", "*", sum))
            return NULL;
        t = kntree_tree_get("tree_reduce", tree);
    }
    if (t && !sum)
        knx_report_new("tree_reduce", KN_ERROR_TYPE, "reduce() of empty iterable with no initial value");
    return t ? sum : NULL;
}

kn_array kn_tree_reduce_associative(const kn_mapper *f, kn_tree tree, kn_array initial)
{
    const char *name = "tree_reduce_associative";
    kntree_tree *t = callable(name, f, 2) ? kntree_tree_get(name, tree) : NULL;
    if (!t)
        return NULL;
    int n = 0, room = t->n + 1;
    kn_array *x = knx_alloc((size_t)room * sizeof *x), sum = NULL;
    if (!x)
        kntree_tree_failed(name, knx_error_nomem());
    for (int i = 0; x && i < t->n; i++)
        x[n++] = t->at[i];
    if (x && n == 0 && !initial)
        knx_report_new(name, KN_ERROR_TYPE, "reduce() of empty iterable with no initial value");
    bool ok = x && (n || initial);
    while (ok && n > 1) { /* neighbours, until one is left */
        int m = 0;
        for (int i = 0; ok && i + 1 < n; i += 2) {
            kn_array pair[2] = {x[i], x[i + 1]};
            x[m++] = apply(f, "", 2, pair);
            ok = sound(name, "*", x[m - 1]);
        }
        if (n % 2)
            x[m++] = x[n - 1];
        n = m;
    }
    if (ok && n && initial) {
        kn_array pair[2] = {initial, x[0]};
        sum = apply(f, "", 2, pair);
        ok = sound(name, "*", sum);
    } else if (ok) {
        sum = n ? x[0] : initial;
    }
    knx_free(x);
    return ok ? sum : NULL;
}

bool kn_tree_all(kn_tree tree)
{
    kna_op op;
    kna_begin(&op, "tree_all");
    kntree_tree *t = kntree_tree_get("tree_all", tree);
    bool all = t != NULL;
    for (int i = 0; all && i < t->n; i++)
        all = kn_item_bool(t->at[i]);
    kna_end_plain(&op);
    return all;
}

/* ---- Structures inside each other. */

kn_tree kn_tree_transpose(kn_treedef outer, kn_treedef inner, kn_tree tree)
{
    knx_error *e = NULL;
    const kntree_structure *o = kna_handle_get(KN_H_TREEDEF, outer, &e),
                           *in = o ? kna_handle_get(KN_H_TREEDEF, inner, &e) : NULL;
    kntree_tree *t = NULL;
    if (!in)
        kntree_tree_failed("tree_transpose", e);
    else
        t = kntree_tree_get("tree_transpose", tree);
    const kntree_structure *s = t ? kntree_structure_in("tree_transpose", t) : NULL;
    if (!s)
        return NULL;
    int n_out = o->node[0].leaves, n_in = in->node[0].leaves;
    /* The tree has to be outer with inner at each leaf: outer is a prefix, and each subtree is inner. */
    e = kntree_structure_compare("tree_transpose outer_treedef", o, s, true);
    for (int i = 0, at = 0; !e && i < o->n; i++) {
        if (o->node[i].kind != KN_TREE_LEAF) {
            at++;
            continue;
        }
        kntree_structure *sub = kntree_structure_sub(s, at);
        e = sub ? kntree_structure_compare("tree_transpose inner_treedef", in, sub, false) : knx_error_nomem();
        kntree_structure_release(sub);
        at += s->node[at].nodes;
    }
    kn_array *x = knx_alloc(((size_t)t->n + 1) * sizeof *x);
    if (!e && !x)
        e = knx_error_nomem();
    kn_tree made = NULL;
    if (e) {
        kntree_tree_failed("tree_transpose", e);
    } else {
        for (int i = 0; i < n_in; i++)
            for (int k = 0; k < n_out; k++)
                x[i * n_out + k] = t->at[k * n_in + i];
        made = kntree_tree_new("tree_transpose", kntree_structure_graft(in, o), x);
    }
    knx_free(x);
    return made;
}

kn_tree kn_tree_broadcast(kn_tree prefix, kn_tree full)
{
    kntree_tree *p = kntree_tree_get("tree_broadcast", prefix), *f = p ? kntree_tree_get("tree_broadcast", full) : NULL;
    const kntree_structure *a = f ? kntree_structure_in("tree_broadcast", p) : NULL,
                           *b = a ? kntree_structure_in("tree_broadcast", f) : NULL;
    if (!b)
        return NULL;
    knx_error *e = kntree_structure_compare("broadcast_prefix prefix_tree", a, b, true);
    kn_array *x = knx_alloc(((size_t)f->n + 1) * sizeof *x);
    if (!e && !x)
        e = knx_error_nomem();
    if (e) {
        kntree_tree_failed("tree_broadcast", e);
        knx_free(x);
        return NULL;
    }
    int at = 0, n = 0, leaf = 0;
    for (int i = 0; i < a->n; i++) {
        bool is_leaf = a->node[i].kind == KN_TREE_LEAF;
        for (int k = 0; is_leaf && k < b->node[at].leaves; k++)
            x[n++] = p->at[leaf];
        leaf += is_leaf;
        at += is_leaf ? b->node[at].nodes : 1;
    }
    kn_tree made = kntree_tree_new("tree_broadcast", kntree_structure_retain(f->structure), x);
    knx_free(x);
    return made;
}

/* ---- ravel. */

static int64_t elements(kni_type t)
{
    int64_t n = 1;
    for (int i = 0; i < t.ndim; i++)
        n *= t.dim[i];
    return n;
}

kn_array kn_tree_ravel(kn_tree tree)
{
    kna_op op;
    kna_begin(&op, "tree_ravel");
    int n = kntree_tree_size(tree);
    kn_array *x = knx_alloc(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *x);
    kni_atom *a = knx_alloc(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *a), flat = KN_ATOM_NONE;
    if (!x || !a)
        kna_fail_with(&op, knx_error_nomem());
    else
        n = kntree_tree_read(&op, tree, n, x);
    kn_dtype d = n > 0 && !kna_failed(&op) ? kna_result_type(&op, n, x) : kna_default_float();
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        a[i] = kna_in_as(&op, x[i], d);
        int64_t size = kna_failed(&op) ? 0 : elements(knb_type(op.b, a[i]));
        a[i] = knb_reshape(op.b, a[i], 1, &size);
    }
    if (n > 0 && !kna_failed(&op))
        flat = n == 1 ? a[0] : knb_concatenate(op.b, n, a, 0);
    else if (!kna_failed(&op))
        flat = knb_zeros(op.b, (kni_type){.dtype = d, .ndim = 1, .dim = (const int64_t[]){0}});
    knx_free(x);
    knx_free(a);
    return kna_end(&op, flat);
}

static void check_flat(kna_op *op, kni_type flat, int64_t wanted, kn_dtype d)
{
    knx_text shown = {0};
    if (flat.ndim != 1 || flat.dim[0] != wanted)
        kna_fail(op, KN_ERROR_VALUE, "the unravel function expected an input array of shape (%lld,), but got shape %s",
                 (long long)wanted, knx_show_shape(&shown, flat.ndim, flat.dim));
    else if (flat.dtype != d)
        kna_fail(op, KN_ERROR_VALUE, "unravel function given array of dtype %s, but expected dtype %s",
                 flat.dtype->name, d->name);
}

kn_tree kn_tree_unravel(kn_tree like, kn_array flat)
{
    kntree_tree *t = kntree_tree_get("tree_unravel", like);
    const kntree_structure *s = t ? kntree_structure_in("tree_unravel", t) : NULL;
    if (!s)
        return NULL;
    kna_op op;
    kna_begin(&op, "tree_unravel");
    int64_t at = 0, wanted = 0;
    kn_array *y = knx_alloc(((size_t)t->n + 1) * sizeof *y);
    kni_atom *part = knx_alloc(((size_t)t->n + 1) * sizeof *part), f = kna_in(&op, flat);
    if (!y || !part)
        kna_fail_with(&op, knx_error_nomem());
    for (int i = 0; i < t->n && !kna_failed(&op); i++)
        wanted += elements(kna_type(&op, t->at[i]));
    kn_dtype d = t->n && !kna_failed(&op) ? kna_result_type(&op, t->n, t->at) : kna_default_float();
    if (!kna_failed(&op))
        check_flat(&op, knb_type(op.b, f), wanted, d);
    for (int i = 0; i < t->n && !kna_failed(&op); i++) {
        kni_type leaf = kna_type(&op, t->at[i]);
        int64_t end = at + elements(leaf);
        kni_atom slice = t->n == 1 ? f : knb_slice(op.b, f, &at, &end, NULL);
        part[i] = knb_reshape(op.b, knb_convert(op.b, slice, leaf.weak ? kna_strong_dtype(leaf) : leaf.dtype),
                              leaf.ndim, leaf.dim);
        at = end;
    }
    bool ok = !kna_failed(&op);
    if (ok)
        kna_end_n(&op, t->n, part, y);
    else
        kna_end_handle(&op);
    kn_tree made = ok ? kntree_tree_new("tree_unravel", kntree_structure_retain(t->structure), y) : NULL;
    knx_free(y);
    knx_free(part);
    return made;
}

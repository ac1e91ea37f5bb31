/* SPDX-License-Identifier: Apache-2.0
 * ml_trees.c -- ai.onnx.ml's TreeEnsemble, and TreeEnsembleClassifier and TreeEnsembleRegressor before it. The nodes
 * of all trees are one table. Every row of features stands at one node of each tree; as often as the deepest tree has
 * levels all of them go one node on at once, and stay where they are at a leaf: arrays, which can be recorded. */
#include "models/onnx/ops/ml.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 27 }; /* weights in a table: 1 GiB */
enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF };

typedef struct {
    int n, n_roots, n_targets, levels;
    int64_t *feature, *yes, *no, *root;
    uint8_t *mode, *missing; /* missing: NaN goes where `yes` is */
    double *split;
    double *weight; /* n x n_targets */
    bool exact;     /* the splits or weights are float64 */
} forest;

/* ---- The table. */

static int forest_new(knonnx_call *c, forest *f, int64_t nodes, int64_t roots, int64_t targets)
{
    if (nodes < 1 || roots < 1 || targets < 1 || nodes > MOST / targets)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld nodes, %lld trees and %lld targets", (long long)nodes,
                           (long long)roots, (long long)targets);
    *f = (forest){.n = (int)nodes, .n_roots = (int)roots, .n_targets = (int)targets};
    uint64_t n = (uint64_t)nodes;
    f->feature = knonnx_take(c, n, sizeof *f->feature);
    f->yes = knonnx_take(c, n, sizeof *f->yes);
    f->no = knonnx_take(c, n, sizeof *f->no);
    f->root = knonnx_take(c, (uint64_t)roots, sizeof *f->root);
    f->mode = knonnx_take(c, n, 1);
    f->missing = knonnx_take(c, n, 1);
    f->split = knonnx_take(c, n, sizeof *f->split);
    f->weight = knonnx_take(c, n * (uint64_t)targets, sizeof *f->weight);
    return f->feature && f->yes && f->no && f->root && f->mode && f->missing && f->split && f->weight ? 0 : -1;
}

/* How many steps the longest way from a root has; -1: somewhere they go round in a circle. */
static int levels_of(knonnx_call *c, forest *f)
{
    int *seen = knonnx_take(c, (uint64_t)f->n, sizeof *seen);
    int64_t *now = knonnx_take(c, (uint64_t)f->n + (uint64_t)f->n_roots, sizeof *now);
    int64_t *next = knonnx_take(c, (uint64_t)f->n + (uint64_t)f->n_roots, sizeof *next);
    int64_t n = f->n_roots;
    if (!seen || !now || !next)
        return -1;
    memcpy(now, f->root, (size_t)n * sizeof *now);
    for (f->levels = 0; f->levels <= f->n; f->levels++) {
        int64_t more = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = now[i], child[2] = {f->yes[at], f->no[at]};
            for (int k = 0; k < 2 && f->mode[at] != LEAF; k++)
                if (seen[child[k]] <= f->levels) {
                    seen[child[k]] = f->levels + 1;
                    next[more++] = child[k];
                }
        }
        int64_t *swap = now;
        now = next;
        next = swap;
        n = more;
        if (!n)
            return 0;
    }
    return knonnx_fail(c, KN_ERROR_VALUE, "the nodes of a tree lead back to one of them");
}

static int check_forest(knonnx_call *c, forest *f, int64_t features)
{
    for (int i = 0; i < f->n; i++) {
        bool leaf = f->mode[i] == LEAF;
        if (leaf)
            f->yes[i] = f->no[i] = i;
        if (f->yes[i] < 0 || f->yes[i] >= f->n || f->no[i] < 0 || f->no[i] >= f->n)
            return knonnx_fail(c, KN_ERROR_VALUE, "node %d leads to one that is not there", i);
        f->feature[i] = leaf ? 0 : f->feature[i];
        if (!leaf && (f->feature[i] < 0 || f->feature[i] >= features))
            return knonnx_fail(c, KN_ERROR_VALUE, "node %d asks for a feature that is none of %lld", i,
                               (long long)features);
    }
    return levels_of(c, f);
}

/* ---- Walking. Arrays of nodes are looked up by the places (rows, trees) where rows stand. */

static kn_array look_up(kn_array table, kn_array at)
{
    kn_take_opts o = kn_take_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {0}};
    o.mode = "clip";
    return kn_take(table, at, &o);
}

static kn_array bytes(const uint8_t *x, int64_t n)
{
    kn_shape s = {.ndim = 1, .dim = {n}};
    return kn_from_memory(x, &s, KN_U8);
}

/* Which comparison holds: one for all nodes in most models, else the node's own is chosen. */
static kn_array holds(const forest *f, kn_array x, kn_array split, kn_array at)
{
    static kn_array (*const compare[])(kn_array x, kn_array y) = {kn_less_equal, kn_less,  kn_greater_equal,
                                                                  kn_greater,    kn_equal, kn_not_equal};
    bool used[6] = {false};
    int first = -1;
    for (int i = 0; i < f->n; i++)
        if (f->mode[i] != LEAF)
            used[f->mode[i]] = true;
    kn_array mode = NULL, y = NULL;
    for (int k = 0; k < 6; k++) {
        if (!used[k])
            continue;
        kn_array own = compare[k](x, split);
        if (first >= 0 && !mode)
            mode = look_up(bytes(f->mode, f->n), at);
        y = first < 0 ? own : kn_where(kn_equal(mode, kn_like_int(k)), own, y);
        first = first < 0 ? k : first;
    }
    return y ? y : kn_equal(x, x);
}

static kn_array walk(const forest *f, kn_array x, kn_dtype d)
{
    bool missing = false;
    for (int i = 0; i < f->n; i++)
        missing = missing || f->missing[i];
    kn_array feature = knonnx_of_ints(f->feature, f->n), split = knonnx_as(knonnx_of_doubles(f->split, f->n), d);
    kn_array yes = knonnx_of_ints(f->yes, f->n), no = knonnx_of_ints(f->no, f->n);
    kn_array tracks = missing ? bytes(f->missing, f->n) : NULL;
    kn_squeeze_opts along = kn_squeeze_opts_default();
    along.axis = (kn_axes){.n = 2, .axis = {1}};
    kn_shape s = {.ndim = 2, .dim = {kn_dim(x, 0), f->n_roots}};
    kn_array at = kn_broadcast_to(knonnx_of_ints(f->root, f->n_roots), &s);
    for (int k = 0; k < f->levels; k++) {
        kn_array value = kn_take_along_axis(x, look_up(feature, at), &along);
        kn_array go = holds(f, value, look_up(split, at), at);
        if (missing)
            go = kn_logical_or(go, kn_logical_and(kn_isnan(value), knonnx_as(look_up(tracks, at), KN_BOOL)));
        at = kn_where(go, look_up(yes, at), look_up(no, at));
    }
    return at;
}

enum { AVERAGE, SUM, MIN, MAX };

/* What the trees say together of each target: (rows, targets). */
static kn_array together(const forest *f, kn_array at, int how, kn_dtype d)
{
    kn_array weight =
        knonnx_shaped(knonnx_of_doubles(f->weight, (int64_t)f->n * f->n_targets), 2, (int64_t[]){f->n, f->n_targets});
    kn_array votes = look_up(knonnx_as(weight, d), at);
    kn_max_opts o = kn_max_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    if (how == MIN || how == MAX)
        return how == MIN ? kn_min(votes, &o) : kn_max(votes, &o);
    kn_array sum = knonnx_total(votes, 1, false);
    return how == AVERAGE ? kn_divide(sum, kn_like_int(f->n_roots)) : sum;
}

/* A vote of a leaf; before any, a target has the weight that no other one is above (MIN) or below (MAX). */
static void vote(forest *f, int64_t node, int64_t target, double weight, int how)
{
    double *w = &f->weight[node * f->n_targets + target];
    if (how == MIN || how == MAX)
        *w = (how == MIN ? *w > weight : *w < weight) ? weight : *w;
    else
        *w += weight;
}

static void start_votes(forest *f, int how)
{
    for (int64_t i = 0; (how == MIN || how == MAX) && i < (int64_t)f->n * f->n_targets; i++)
        f->weight[i] = how == MIN ? (double)FLT_MAX : -(double)FLT_MAX;
}

static kn_dtype dtype_for(const forest *f, kn_array x)
{
    return f->exact || kn_dtype_of(x) == KN_F64 ? KN_F64 : KN_F32;
}

/* ---- Attributes as vectors of numbers: a list of floats, or a tensor of doubles in its place. */

static const double *numbers(knonnx_call *c, const char *list, const char *tensor, int *n, bool *exact)
{
    const knonnx_attr *a = tensor ? knonnx_attr_of(c, tensor) : NULL;
    kn_array x;
    *n = 0;
    if (a && a->kind == KNONNX_A_TENSOR)
        x = knonnx_array_of(c, a->tensors);
    else {
        const float *v = list ? knonnx_floats(c, list, n) : NULL;
        if (!v)
            return NULL;
        x = knonnx_of_floats(v, *n);
    }
    *exact = *exact || kn_dtype_of(x) == KN_F64;
    x = knonnx_as(x, KN_F64);
    *n = (int)kn_size(x);
    double *copy = *n >= 0 ? knonnx_take(c, (uint64_t)*n + 1, sizeof *copy) : NULL;
    return copy && !kn_copy_to(x, copy, (size_t)*n * sizeof *copy) ? copy : NULL;
}

/* ---- Opsets 1 and 3: nodes have a tree and a number in it; leaves are nodes, and votes name them. */

typedef struct {
    int64_t tree, node;
    int at;
} place;

static int by_place(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->tree != q->tree)
        return p->tree < q->tree ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node ? 1 : p->at - q->at;
}

static int found(const place *table, int n, int64_t tree, int64_t node)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        const place *p = &table[middle];
        if (p->tree < tree || (p->tree == tree && p->node < node))
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && table[low].tree == tree && table[low].node == node ? table[low].at : -1;
}

static int mode_named(const char *name)
{
    static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
    for (int k = 0; k <= LEAF; k++)
        if (!strcmp(name, names[k]) && k != MEMBER)
            return k;
    return -1;
}

typedef struct {
    const int64_t *tree, *node, *feature, *yes, *no, *missing;
    const char *const *mode;
    const double *split;
} old_nodes;

static int old_attributes(knonnx_call *c, old_nodes *o, int *count, bool *exact)
{
    int n[8];
    o->tree = knonnx_ints(c, "nodes_treeids", &n[0]);
    o->node = knonnx_ints(c, "nodes_nodeids", &n[1]);
    o->feature = knonnx_ints(c, "nodes_featureids", &n[2]);
    o->yes = knonnx_ints(c, "nodes_truenodeids", &n[3]);
    o->no = knonnx_ints(c, "nodes_falsenodeids", &n[4]);
    o->mode = knonnx_texts(c, "nodes_modes", &n[5]);
    o->split = numbers(c, "nodes_values", c->version >= 3 ? "nodes_values_as_tensor" : NULL, &n[6], exact);
    o->missing = knonnx_ints(c, "nodes_missing_value_tracks_true", &n[7]);
    for (int k = 0; k < 7; k++)
        if (n[k] != n[0] || !n[0])
            return knonnx_fail(c, KN_ERROR_VALUE, "the attributes nodes_* have different lengths, or nothing");
    if (n[7] && n[7] != n[0])
        return knonnx_fail(c, KN_ERROR_VALUE, "nodes_missing_value_tracks_true has %d elements for %d nodes", n[7],
                           n[0]);
    *count = n[0];
    return 0;
}

/* A tree's root is the first of its nodes that no other leads to. */
static int old_roots(knonnx_call *c, forest *f, const place *table, const old_nodes *o)
{
    bool *led = knonnx_take(c, (uint64_t)f->n, sizeof *led);
    if (!led)
        return -1;
    for (int i = 0; i < f->n; i++)
        if (f->mode[i] != LEAF)
            led[f->yes[i]] = led[f->no[i]] = true;
    f->n_roots = 0;
    for (int i = 0; i < f->n; i++) {
        bool first = !i || table[i].tree != table[i - 1].tree;
        bool have = !first && f->n_roots && o->tree[f->root[f->n_roots - 1]] == table[i].tree;
        if (!have && !led[table[i].at])
            f->root[f->n_roots++] = table[i].at;
    }
    return f->n_roots ? 0 : knonnx_fail(c, KN_ERROR_VALUE, "no tree has a root");
}

static int old_forest(knonnx_call *c, forest *f, place **out, int64_t targets)
{
    old_nodes o;
    int n = 0;
    bool exact = false;
    if (old_attributes(c, &o, &n, &exact) || forest_new(c, f, n, n, targets))
        return -1;
    place *table = knonnx_take(c, (uint64_t)n, sizeof *table);
    if (!table)
        return -1;
    f->exact = exact;
    for (int i = 0; i < n; i++)
        table[i] = (place){o.tree[i], o.node[i], i};
    qsort(table, (size_t)n, sizeof *table, by_place);
    for (int i = 0; i < n; i++) {
        int mode = mode_named(o.mode[i]);
        if (mode < 0)
            return knonnx_fail(c, KN_ERROR_VALUE, "nodes_modes has \"%.30s\"", o.mode[i]);
        f->mode[i] = (uint8_t)mode;
        f->feature[i] = o.feature[i];
        f->split[i] = o.split[i];
        f->missing[i] = o.missing && o.missing[i];
        f->yes[i] = mode == LEAF ? i : found(table, n, o.tree[i], o.yes[i]);
        f->no[i] = mode == LEAF ? i : found(table, n, o.tree[i], o.no[i]);
        if (f->yes[i] < 0 || f->no[i] < 0)
            return knonnx_fail(c, KN_ERROR_VALUE, "node %lld of tree %lld leads to one that is not there",
                               (long long)o.node[i], (long long)o.tree[i]);
    }
    *out = table;
    return old_roots(c, f, table, &o);
}

/* kind: "target" or "class". The number of different targets that get votes goes to *voted. */
static int old_votes(knonnx_call *c, forest *f, const place *table, const char *kind, int how, int *voted)
{
    char tree[24], node[24], id[24], list[24], tensor[40];
    int n[4];
    snprintf(tree, sizeof tree, "%s_treeids", kind);
    snprintf(node, sizeof node, "%s_nodeids", kind);
    snprintf(id, sizeof id, "%s_ids", kind);
    snprintf(list, sizeof list, "%s_weights", kind);
    snprintf(tensor, sizeof tensor, "%s_weights_as_tensor", kind);
    const int64_t *trees = knonnx_ints(c, tree, &n[0]), *nodes = knonnx_ints(c, node, &n[1]),
                  *ids = knonnx_ints(c, id, &n[2]);
    const double *w = numbers(c, list, c->version >= 3 ? tensor : NULL, &n[3], &f->exact);
    bool *any = knonnx_take(c, (uint64_t)f->n_targets, sizeof *any);
    if (!any || n[0] != n[1] || n[0] != n[2] || n[0] != n[3] || (n[0] && !w))
        return knonnx_fail(c, KN_ERROR_VALUE, "the attributes %s_* have different lengths", kind);
    start_votes(f, how);
    *voted = 0;
    for (int i = 0; i < n[0]; i++) {
        int at = found(table, f->n, trees[i], nodes[i]);
        if (at < 0 || ids[i] < 0 || ids[i] >= f->n_targets)
            return knonnx_fail(c, KN_ERROR_VALUE, "vote %d is of no node, or for no target", i);
        vote(f, at, ids[i], w[i], how);
        *voted += !any[ids[i]];
        any[ids[i]] = true;
    }
    return 0;
}

/* base_values, one for each target, or one for all of them; NULL where there are none. -1: an error. */
static int base_of(knonnx_call *c, forest *f, kn_dtype d, kn_array *out)
{
    int n = 0;
    const double *b = numbers(c, "base_values", c->version >= 3 ? "base_values_as_tensor" : NULL, &n, &f->exact);
    *out = NULL;
    if (b && n && n != 1 && n != f->n_targets)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d base_values for %d targets", n, f->n_targets);
    if (b && n)
        *out = knonnx_as(knonnx_of_doubles(b, n), d);
    return 0;
}

static int aggregate_named(knonnx_call *c)
{
    static const char *const names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    const char *how = knonnx_string(c, "aggregate_function", "SUM");
    for (int k = 0; how && k < 4; k++)
        if (!strcmp(how, names[k]))
            return k;
    return knonnx_fail(c, KN_ERROR_VALUE, "aggregate_function=\"%.20s\" is not SUM, AVERAGE, MIN or MAX",
                       how ? how : "");
}

static int op_regressor(knonnx_call *c)
{
    forest f;
    place *table;
    int voted, how = aggregate_named(c);
    kn_array x = how < 0 ? NULL : knonnx_ml_rows(c), base;
    if (!x || old_forest(c, &f, &table, knonnx_int(c, "n_targets", 1)) ||
        old_votes(c, &f, table, "target", how, &voted) || check_forest(c, &f, kn_dim(x, 1)))
        return -1;
    kn_dtype d = dtype_for(&f, x);
    if (base_of(c, &f, d, &base))
        return -1;
    x = knonnx_as(x, d);
    kn_array y = together(&f, walk(&f, x, d), how, d);
    y = knonnx_ml_post(c, base ? kn_add(y, base) : y, knonnx_string(c, "post_transform", "NONE"));
    return y ? knonnx_set(c, 0, knonnx_as(y, KN_F32)) : -1;
}

/* Votes for the first class alone, of two or one, are the score of the second one. Where all weights are positive it
 * is a probability, whose half decides, and what it leaves is the first one's; else its sign decides, and its
 * negative is the first one's. */
static int binary_scores(knonnx_call *c, const forest *f, int classes, kn_array score, kn_array *scores,
                         kn_array *second)
{
    bool positive = true;
    const char *how = knonnx_string(c, "post_transform", "NONE");
    kn_array column = knonnx_shaped(score, 2, (int64_t[]){-1, 1});
    for (int64_t i = 0; i < (int64_t)f->n * f->n_targets; i++)
        positive = positive && f->weight[i] >= 0;
    *second = knonnx_as(kn_greater(score, kn_like_double(positive ? 0.5 : 0)), KN_I64);
    if (!how)
        return -1;
    if (!strcmp(how, "PROBIT") || classes == 1)
        *scores = !strncmp(how, "SOFTMAX", 7) ? column : knonnx_ml_post(c, column, how);
    else if (!strcmp(how, "NONE") && positive)
        *scores = knonnx_ml_columns(kn_subtract(kn_like_int(1), score), score);
    else
        *scores = knonnx_ml_post(c, knonnx_ml_columns(kn_negative(score), score), how);
    return *scores ? 0 : -1;
}

static int op_classifier(knonnx_call *c)
{
    static const char ints[] = "classlabels_int64s", texts[] = "classlabels_strings";
    forest f;
    place *table;
    int voted, classes = knonnx_ml_label_count(c, ints, texts);
    kn_array x = knonnx_ml_rows(c), base, scores, best;
    if (!x || old_forest(c, &f, &table, classes) || old_votes(c, &f, table, "class", SUM, &voted) ||
        check_forest(c, &f, kn_dim(x, 1)))
        return -1;
    kn_dtype d = dtype_for(&f, x);
    if (base_of(c, &f, d, &base))
        return -1;
    kn_array y = together(&f, walk(&f, knonnx_as(x, d), d), SUM, d);
    y = base ? kn_add(y, base) : y;
    int n = 0;
    const int64_t *id = knonnx_ints(c, "class_ids", &n), *label = knonnx_ints(c, ints, &n);
    if (classes <= 2 && voted == 1 && *id == 0) {
        if (binary_scores(c, &f, classes, knonnx_ml_column(y, 0), &scores, &best))
            return -1;
        if (classes == 1) { /* the one class, or none */
            best = label ? kn_multiply(best, kn_strong(label, KN_I64)) : kn_subtract(best, kn_like_int(1));
            int status = label ? knonnx_set(c, 0, best) : knonnx_ml_labels(c, 0, best, ints, texts);
            return status || knonnx_set(c, 1, knonnx_as(scores, KN_F32)) ? -1 : 0;
        }
    } else {
        scores = knonnx_ml_post(c, y, knonnx_string(c, "post_transform", "NONE"));
        best = scores ? knonnx_ml_best(y) : NULL;
    }
    if (!scores)
        return -1;
    return knonnx_ml_labels(c, 0, best, ints, texts) || knonnx_set(c, 1, knonnx_as(scores, KN_F32)) ? -1 : 0;
}

/* ---- Opset 5: nodes and leaves are numbered apart; a node may ask whether its feature is one of several values. */

typedef struct {
    const int64_t *feature, *yes, *no, *yes_leaf, *no_leaf, *missing, *root, *target;
    const double *mode, *split, *weight, *member;
    int n, n_leaves, n_roots, n_members;
} new_nodes;

static int new_attributes(knonnx_call *c, new_nodes *o, bool *exact)
{
    int n[9];
    bool whole = false;
    o->feature = knonnx_ints(c, "nodes_featureids", &n[0]);
    o->yes = knonnx_ints(c, "nodes_truenodeids", &n[1]);
    o->no = knonnx_ints(c, "nodes_falsenodeids", &n[2]);
    o->yes_leaf = knonnx_ints(c, "nodes_trueleafs", &n[3]);
    o->no_leaf = knonnx_ints(c, "nodes_falseleafs", &n[4]);
    o->mode = numbers(c, NULL, "nodes_modes", &n[5], &whole);
    o->split = numbers(c, NULL, "nodes_splits", &n[6], exact);
    o->missing = knonnx_ints(c, "nodes_missing_value_tracks_true", &n[7]);
    for (int k = 0; k < 7; k++)
        if (n[k] != n[0] || !n[0])
            return knonnx_fail(c, KN_ERROR_VALUE, "the attributes nodes_* have different lengths, or nothing");
    o->target = knonnx_ints(c, "leaf_targetids", &o->n_leaves);
    o->weight = numbers(c, NULL, "leaf_weights", &n[8], exact);
    o->root = knonnx_ints(c, "tree_roots", &o->n_roots);
    o->member = numbers(c, NULL, "membership_values", &o->n_members, exact);
    o->n = n[0];
    if (!o->mode || !o->split || !o->weight || !o->target || !o->root || n[8] != o->n_leaves || (n[7] && n[7] != o->n))
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "the attributes of leaves or roots are missing, or have different lengths");
    return 0;
}

/* Node i asks for one value after the other of its set, which ends with NaN: nodes behind all the others continue the
 * chain. */
static int chain_members(knonnx_call *c, forest *f, const new_nodes *o, int i, int *member, int *room)
{
    int64_t yes = f->yes[i], no = f->no[i], at = i, count = 0;
    f->mode[i] = EQ;
    f->split[i] = (double)NAN;
    for (; *member < o->n_members && !isnan(o->member[*member]); ++*member, count++) {
        if (count) {
            f->no[at] = *room;
            at = (*room)++;
        }
        f->mode[at] = EQ;
        f->feature[at] = f->feature[i];
        f->split[at] = o->member[*member];
        f->yes[at] = yes;
        f->no[at] = no;
    }
    if (*member >= o->n_members)
        return knonnx_fail(c, KN_ERROR_VALUE, "membership_values has fewer sets than nodes ask for");
    ++*member;
    return 0;
}

static int new_forest(knonnx_call *c, forest *f, int how)
{
    new_nodes o;
    bool exact = false;
    if (new_attributes(c, &o, &exact) ||
        forest_new(c, f, (int64_t)o.n + o.n_leaves + o.n_members, o.n_roots, knonnx_int(c, "n_targets", 1)))
        return -1;
    f->exact = exact;
    memset(f->mode, LEAF, (size_t)f->n);
    for (int i = 0; i < o.n; i++) {
        if (!(o.mode[i] >= LEQ && o.mode[i] <= MEMBER) || o.yes[i] < 0 || o.no[i] < 0 ||
            o.yes[i] >= (o.yes_leaf[i] ? o.n_leaves : o.n) || o.no[i] >= (o.no_leaf[i] ? o.n_leaves : o.n))
            return knonnx_fail(c, KN_ERROR_VALUE, "node %d has no mode that is known, or leads to nothing", i);
        f->mode[i] = (uint8_t)o.mode[i];
        f->feature[i] = o.feature[i];
        f->split[i] = o.split[i];
        f->missing[i] = o.missing && o.missing[i];
        f->yes[i] = o.yes[i] + (o.yes_leaf[i] ? o.n : 0);
        f->no[i] = o.no[i] + (o.no_leaf[i] ? o.n : 0);
    }
    int member = 0, room = o.n + o.n_leaves;
    for (int i = 0; i < o.n; i++)
        if (f->mode[i] == MEMBER && chain_members(c, f, &o, i, &member, &room))
            return -1;
    start_votes(f, how);
    for (int i = 0; i < o.n_leaves; i++) {
        if (o.target[i] < 0 || o.target[i] >= f->n_targets)
            return knonnx_fail(c, KN_ERROR_VALUE, "leaf %d is for no target", i);
        vote(f, o.n + i, o.target[i], o.weight[i], how);
    }
    for (int i = 0; i < o.n_roots; i++) {
        int64_t r = f->root[i] = o.root[i];
        if (r < 0 || r >= o.n)
            return knonnx_fail(c, KN_ERROR_VALUE, "tree %d begins nowhere", i);
    }
    return 0;
}

static int op_ensemble(knonnx_call *c)
{
    static const char *const post[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    forest f;
    int64_t how = knonnx_int(c, "aggregate_function", SUM), after = knonnx_int(c, "post_transform", 0);
    kn_array input = knonnx_in(c, 0), x = knonnx_ml_rows(c);
    if (!x || how < AVERAGE || how > MAX || after < 0 || after > 4)
        return x ? knonnx_fail(c, KN_ERROR_VALUE, "aggregate_function or post_transform is not known") : -1;
    if (new_forest(c, &f, (int)how) || check_forest(c, &f, kn_dim(x, 1)))
        return -1;
    kn_dtype d = dtype_for(&f, x);
    kn_array y = together(&f, walk(&f, knonnx_as(x, d), d), (int)how, d);
    y = knonnx_ml_post(c, y, post[after]);
    return y ? knonnx_set(c, 0, knonnx_as(y, kn_dtype_of(input))) : -1;
}

const knonnx_row knonnx_rows_ml_trees[] = {
    {"TreeEnsemble", 5, op_ensemble, 1, 1, 1, 1},
    {"TreeEnsembleClassifier", 1, op_classifier, 1, 1, 2, 2},
    {"TreeEnsembleRegressor", 1, op_regressor, 1, 1, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};

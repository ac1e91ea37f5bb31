/* SPDX-License-Identifier: Apache-2.0
 * selecting.c -- operators that pick elements by their values: the number of most of them depends on values, which are
 * looked at. */
#include "models/onnx/ops/move.h"
#include <stdlib.h>

static int non_zero(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    if (!x || knonnx_look(c, 0, "X") < 0)
        return -1;
    return knonnx_set(c, 0, kn_transpose(kn_argwhere(x), NULL));
}

static int compress(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_squeeze_opts o = kn_squeeze_opts_default();
    kn_array x = knonnx_movable(c, &pool, 0), condition = x ? knonnx_in(c, 1) : NULL;
    if (!condition || knonnx_look(c, 1, "condition") < 0)
        return -1;
    if (knonnx_given(c, "axis")) {
        int axis = knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x));
        if (axis < 0)
            return -1;
        o.axis = knonnx_single_axis(axis);
    }
    return knonnx_set_moved(c, &pool, 0, kn_compress(condition, x, &o));
}

/* ---- The largest. */

static int top_k_of(knonnx_call *c, int64_t k)
{
    kn_top_k_opts o = kn_top_k_opts_default();
    kn_array x = knonnx_in(c, 0);
    int axis = x ? knonnx_axis(c, knonnx_int(c, "axis", -1), kn_ndim(x)) : -1;
    if (axis < 0)
        return -1;
    if (k < 0 || k > kn_dim(x, axis))
        return knonnx_fail(c, KN_ERROR_VALUE, "k is %lld, of an axis of %lld elements", (long long)k,
                           (long long)kn_dim(x, axis));
    o.axis = knonnx_single_axis(axis);
    o.mode = knonnx_int(c, "largest", 1) ? "largest" : "smallest";
    kn_top_k_result r = kn_top_k(x, k, &o);
    return knonnx_set(c, 0, r.values) < 0 ? -1 : knonnx_set(c, 1, kn_astype(r.indices, KN_I64, NULL));
}

static int top_k_1(knonnx_call *c)
{
    if (!knonnx_given(c, "k"))
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute k is missing");
    return top_k_of(c, knonnx_int(c, "k", 0));
}

static int top_k(knonnx_call *c)
{
    int64_t k;
    return knonnx_look(c, 1, "K") < 0 || knonnx_int_in(c, 1, &k) < 0 ? -1 : top_k_of(c, k);
}

/* ---- Unique. */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The pool gets each text once, in order, and positions become those there: they compare as the texts do. */
static kn_array as_ranks(knonnx_call *c, knonnx_pool *p, kn_array x)
{
    const char **sorted = knonnx_take(c, p->n + 1, sizeof *sorted);
    int64_t *rank = knonnx_take(c, p->n + 1, sizeof *rank);
    size_t n = 0;
    if (!sorted || !rank)
        return NULL;
    if (p->n)
        memcpy(sorted, p->text, p->n * sizeof *sorted);
    qsort(sorted, p->n, sizeof *sorted, by_text);
    for (size_t k = 0; k < p->n; k++)
        if (!n || strcmp(sorted[n - 1], sorted[k]))
            sorted[n++] = sorted[k];
    for (size_t k = 0; k < p->n; k++)
        rank[k] = (const char **)bsearch(&p->text[k], sorted, n, sizeof *sorted, by_text) - sorted;
    kn_array ranks = kn_take(knonnx_int_array(rank, (int)p->n), x, NULL);
    p->text = sorted;
    p->n = n;
    return ranks;
}

/* The results in the order in which they came: that of where they are first. */
static void first_come(kn_array *y, kn_array *first, kn_array *inverse, kn_array *count, int axis)
{
    kn_take_opts along = kn_take_opts_default();
    kn_array order = kn_argsort(*first, NULL);
    along.axis = knonnx_single_axis(axis);
    *y = kn_take(*y, order, &along);
    *first = kn_take(*first, order, NULL);
    *count = kn_take(*count, order, NULL);
    *inverse = kn_take(kn_argsort(order, NULL), *inverse, NULL);
}

static int unique(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_unique_opts o = kn_unique_opts_default();
    kn_array x = knonnx_movable(c, &pool, 0), first = NULL, inverse = NULL, count = NULL;
    int axis = 0;
    if (!x || knonnx_look(c, 0, "X") < 0)
        return -1;
    if (pool.kind == KNONNX_POOL_TEXTS && !(x = as_ranks(c, &pool, x)))
        return -1;
    if (knonnx_given(c, "axis")) {
        if ((axis = knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x))) < 0)
            return -1;
        o.axis = knonnx_single_axis(axis);
    }
    o.return_index = &first;
    o.return_inverse = &inverse;
    o.return_counts = &count;
    kn_array y = kn_unique(x, &o);
    inverse = kn_ravel(inverse, NULL);
    if (!knonnx_int(c, "sorted", 1))
        first_come(&y, &first, &inverse, &count, axis);
    if (knonnx_set_moved(c, &pool, 0, y) < 0 || knonnx_set(c, 1, kn_astype(first, KN_I64, NULL)) < 0)
        return -1;
    return knonnx_set(c, 2, kn_astype(inverse, KN_I64, NULL)) < 0 ? -1
                                                                  : knonnx_set(c, 3, kn_astype(count, KN_I64, NULL));
}

const knonnx_row knonnx_rows_selecting[] = {
    {"NonZero", 9, non_zero, 1, 1, 1, 1}, {"Compress", 9, compress, 2, 2, 1, 1}, {"TopK", 1, top_k_1, 1, 1, 1, 2},
    {"TopK", 10, top_k, 2, 2, 1, 2},      {"Unique", 11, unique, 1, 1, 1, 4},    {0},
};

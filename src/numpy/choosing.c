/* SPDX-License-Identifier: Apache-2.0
 * choosing.c -- choose, select: element by element from several arrays. */
#include "array/tree.h"
#include "numpy/compose.h"
#include <string.h>

kn_atom knn_remainder(kna_op *op, kn_atom x, int64_t n)
{
    kn_builder *b = op->b;
    if (kna_failed(op) || !n)
        return x;
    x = knb_convert(b, x, KN_DT(I64));
    kn_atom count = knb_integer(b, KN_DT(I64), n), rest = knb_rem(b, x, count);
    kn_atom negative = knb_lt(b, rest, knb_like(b, rest, 0));
    kn_shape shape = knn_shape_of(op, x);
    return knn_select(op, negative, knb_add(b, rest, count), rest, &shape);
}

/* All of a must name a choice; it is looked at. */
static void check_choices(kna_op *op, kn_array a, int64_t n)
{
    int64_t m = 0, *v = knn_look_integers(op, a, &m, NULL, "");
    for (int64_t i = 0; v && i < m && !kna_failed(op); i++)
        if (v[i] < 0 || v[i] >= n)
            kna_fail(op, KN_ERROR_VALUE, "invalid entry in choice array");
    knx_free(v);
}

kn_array kn_choose(kn_array a, kn_list choices, const kn_mode_opts *opts)
{
    KNN_OPTS(kn_mode_opts, o, opts);
    knn_body c;
    knn_begin(&c, "choose");
    kna_op *op = &c.op;
    const kn_array *x = NULL;
    int n = kna_list_read(op, choices, &x);
    kn_type t = kna_type(op, a);
    bool clip = o.mode && !strcmp(o.mode, "clip"), wrap = o.mode && !strcmp(o.mode, "wrap");
    if (o.mode && !clip && !wrap && strcmp(o.mode, "raise") != 0)
        kna_fail(op, KN_ERROR_VALUE, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '%s')", o.mode);
    if (!kna_failed(op) && n < 1)
        kna_fail(op, KN_ERROR_VALUE, "need at least one array to concatenate");
    if (!kna_failed(op) && !knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule 'safe'",
                 t.dtype->name);
    kn_array *all = kna_failed(op) ? NULL : knx_alloc(((size_t)n + 1) * sizeof *all), y = NULL;
    if (!all && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    if (!kna_failed(op)) {
        memcpy(all, x, (size_t)n * sizeof *all);
        all[n] = wrap ? knn_made(&c, knn_remainder(op, kna_in(op, a), n)) : kn_asarray(a, NULL);
        kn_list wide = kn_broadcast_arrays(kn_list_from(all, n + 1));
        if (kna_list_read(op, wide, &x) > n && !clip && !wrap)
            check_choices(op, a, n);
        if (!kna_failed(op) && kn_list_count(wide) > n)
            y = x[n - 1]; /* the last one also stands for what is beyond it */
        for (int i = n - 2; i >= 0 && y; i--)
            y = kn_where(kn_less(x[n], kn_like_int(i + 1)), x[i], y);
        y = y ? kn_copy(y, NULL) : NULL;
    }
    knx_free(all);
    return knn_end(&c, y);
}

kn_array kn_select(kn_list condlist, kn_list choicelist, const kn_select_opts *opts)
{
    KNN_OPTS(kn_select_opts, o, opts);
    knn_body c;
    knn_begin(&c, "select");
    kna_op *op = &c.op;
    const kn_array *condition = NULL, *x = NULL;
    int n = kna_list_read(op, condlist, &condition), m = kna_failed(op) ? 0 : kna_list_read(op, choicelist, &x);
    if (!kna_failed(op) && n != m)
        kna_fail(op, KN_ERROR_VALUE, "list of cases must be same length as list of conditions");
    if (!kna_failed(op) && !n)
        kna_fail(op, KN_ERROR_VALUE, "select with an empty condition list is not possible");
    for (int i = 0; i < n && !kna_failed(op); i++) {
        kn_type t = kna_type(op, condition[i]);
        if (!kna_failed(op) && t.dtype->kind != KN_KIND_BOOL)
            kna_fail(op, KN_ERROR_TYPE, "invalid entry %d in condlist: should be boolean ndarray", i);
    }
    kn_array y = o.default_ ? o.default_ : kn_like_int(0);
    for (int i = n - 1; i >= 0 && !kna_failed(op); i--)
        y = kn_where(condition[i], x[i], y);
    return knn_end(&c, kna_failed(op) ? NULL : y);
}

/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- choose, select: element by element from several arrays. */
#include "tree/tree.h"
#include "lib/compose.h"
#include <string.h>

kni_atom knl_remainder(kna_op *op, kni_atom x, int64_t n)
{
    kni_builder *b = op->b;
    if (kna_failed(op) || !n)
        return x;
    x = knb_astype(b, x, KN_DT(I64));
    kni_atom count = knl_number_of(op, KN_DT(I64), n), rest = knb_rem(b, x, count);
    kni_atom negative = knb_lt(b, rest, knb_like(b, rest, 0));
    kn_shape shape = knl_shape_of(op, x);
    return knl_select(op, negative, knb_add(b, rest, count), rest, &shape);
}

/* All of a must name a choice; it is looked at. */
static void check_choices(kna_op *op, kn_array a, int64_t n)
{
    int64_t m = 0, *v = knl_look_integers(op, a, &m, NULL, "");
    for (int64_t i = 0; v && i < m && !kna_failed(op); i++)
        if (v[i] < 0 || v[i] >= n)
            kna_fail(op, KN_ERROR_VALUE, "invalid entry in choice array");
    knx_free(v);
}

/* All of x[] as arrays of their common dtype. */
static void to_common(knl_body *c, int n, kn_array *x)
{
    kn_dtype d = kna_failed(&c->op) ? NULL : kna_result_type(&c->op, n, x);
    for (int i = 0; i < n && !kna_failed(&c->op); i++) {
        kni_type t = kna_type(&c->op, x[i]);
        if (t.weak || t.dtype != d)
            x[i] = knl_made(c, kna_in_as(&c->op, x[i], d));
    }
}

/* A copy of x[], with room for one more. */
static kn_array *copied(kna_op *op, int n, const kn_array *x)
{
    kn_array *all = kna_failed(op) ? NULL : knx_alloc(((size_t)n + 1) * sizeof *all);
    if (all)
        memcpy(all, x, (size_t)n * sizeof *all);
    else if (!kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    return all;
}

kn_array kn_choose(kn_array a, kn_list choices, const kn_mode_opts *opts)
{
    KNX_OPTS(kn_mode_opts, o, opts);
    knl_body c;
    knl_begin(&c, "choose");
    kna_op *op = &c.op;
    const kn_array *x = NULL;
    int n = kntree_list_read(op, choices, &x);
    kni_type t = kna_type(op, a);
    bool clip = o.mode && !strcmp(o.mode, "clip"), wrap = o.mode && !strcmp(o.mode, "wrap");
    if (o.mode && !clip && !wrap && strcmp(o.mode, "raise") != 0)
        kna_fail(op, KN_ERROR_VALUE, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '%s')", o.mode);
    if (!kna_failed(op) && n < 1)
        kna_fail(op, KN_ERROR_VALUE, "need at least one array to concatenate");
    if (!kna_failed(op) && !knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule 'safe'",
                 t.dtype->name);
    kn_array *all = copied(op, n, x), y = NULL;
    if (all)
        to_common(&c, n, all);
    if (!kna_failed(op)) {
        all[n] = wrap ? knl_made(&c, knl_remainder(op, kna_in(op, a), n)) : kn_asarray(a, NULL);
        kn_list wide = kn_broadcast_arrays(kn_list_from(all, n + 1));
        if (kntree_list_read(op, wide, &x) > n && !clip && !wrap)
            check_choices(op, a, n);
        if (!kna_failed(op) && kn_list_count(wide) > n)
            y = x[n - 1]; /* the last one also stands for what is beyond it */
        for (int i = n - 2; i >= 0 && y; i--)
            y = kn_where(kn_less(x[n], kn_like_int(i + 1)), x[i], y);
        y = y ? kn_copy(y, NULL) : NULL;
    }
    knx_free(all);
    return knl_end(&c, y);
}

kn_array kn_select(kn_list condlist, kn_list choicelist, const kn_select_opts *opts)
{
    KNX_OPTS(kn_select_opts, o, opts);
    knl_body c;
    knl_begin(&c, "select");
    kna_op *op = &c.op;
    const kn_array *condition = NULL, *x = NULL;
    int n = kntree_list_read(op, condlist, &condition), m = kna_failed(op) ? 0 : kntree_list_read(op, choicelist, &x);
    if (!kna_failed(op) && n != m)
        kna_fail(op, KN_ERROR_VALUE, "list of cases must be same length as list of conditions");
    if (!kna_failed(op) && !n)
        kna_fail(op, KN_ERROR_VALUE, "select with an empty condition list is not possible");
    for (int i = 0; i < n && !kna_failed(op); i++) {
        kni_type t = kna_type(op, condition[i]);
        if (!kna_failed(op) && t.dtype->kind != KN_KIND_BOOL)
            kna_fail(op, KN_ERROR_TYPE, "invalid entry %d in condlist: should be boolean ndarray", i);
    }
    kn_array *all = copied(op, n, x), y = NULL;
    if (all) {
        all[n] = o.default_ ? o.default_ : kn_like_int(0);
        to_common(&c, n + 1, all);
    }
    if (!kna_failed(op)) { /* conditions among themselves, and choices, speak NumPy's errors */
        const kn_array *wide;
        kn_array first[2] = {NULL, NULL};
        if (kntree_list_read(op, kn_broadcast_arrays(kn_list_from(condition, n)), &wide))
            first[0] = wide[0];
        if (!kna_failed(op) && kntree_list_read(op, kn_broadcast_arrays(kn_list_from(all, n + 1)), &wide))
            first[1] = wide[0];
        if (!kna_failed(op))
            kntree_list_read(op, kn_broadcast_arrays(kn_list_from(first, 2)), &wide);
    }
    for (int i = n; i >= 0 && !kna_failed(op); i--)
        y = i == n ? all[n] : kn_where(condition[i], all[i], y);
    knx_free(all);
    return knl_end(&c, kna_failed(op) ? NULL : y);
}

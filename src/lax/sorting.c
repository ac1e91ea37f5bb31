/* SPDX-License-Identifier: Apache-2.0
 * sorting.c -- jax.lax: sort, top_k and their kin. */
#include "lax/internal.h"

static void sort(kna_op *op, int n, const kni_atom *x, const kn_lax_sort_opts *o, kni_atom *y)
{
    if (kna_failed(op))
        return;
    int axis = knlax_axis(op, o->dimension, knb_type(op->b, x[0]).ndim, -1);
    if (!kna_failed(op) && (o->num_keys < 1 || o->num_keys > n))
        kna_fail(op, KN_ERROR_VALUE, "num_keys=%d must be between 1 and len(operand)=%d", o->num_keys, n);
    kni_p_sort p = {.dimension = axis, .num_keys = o->num_keys, .is_stable = o->is_stable};
    if (!kna_failed(op))
        knb_emit(op->b, &knp_prim_sort, &p, n, x, y, n);
}

kn_array kn_lax_sort(kn_array x, const kn_lax_sort_opts *opts)
{
    KNX_OPTS(kn_lax_sort_opts, o, opts);
    kna_op op;
    kni_atom y = KN_ATOM_NONE;
    kna_begin(&op, "lax.sort");
    kni_atom a = kna_in(&op, x);
    sort(&op, 1, &a, &o, &y);
    return kna_end(&op, y);
}

kn_list kn_lax_sort_list(kn_list operands, const kn_lax_sort_opts *opts)
{
    KNX_OPTS(kn_lax_sort_opts, o, opts);
    kna_op op;
    int n = 0;
    kna_begin(&op, "lax.sort");
    kni_atom *a = knlax_read_list(&op, operands, false, &n);
    if (a && !n)
        kna_fail(&op, KN_ERROR_TYPE, "requires at least one operand");
    if (a)
        sort(&op, n, a, &o, a);
    kn_list list = knlax_end_list(&op, a ? n : 0, a);
    knx_free(a);
    return list;
}

kn_lax_sort_key_val_result kn_lax_sort_key_val(kn_array keys, kn_array values, const kn_lax_sort_opts *opts)
{
    KNX_OPTS(kn_lax_sort_opts, o, opts);
    kna_op op;
    kn_array y[2];
    kna_begin(&op, "lax.sort_key_val");
    kni_atom a[] = {kna_in(&op, keys), kna_in(&op, values)};
    o.num_keys = 1;
    sort(&op, 2, a, &o, a);
    kna_end_n(&op, 2, a, y);
    return (kn_lax_sort_key_val_result){y[0], y[1]};
}

/* The largest ones, or of -x. */
static kn_lax_top_k_result top(const char *name, kn_array x, int64_t k, const kn_lax_top_k_opts *opts, bool floats,
                               bool smallest)
{
    KNX_OPTS(kn_lax_top_k_opts, o, opts);
    kna_op op;
    kn_array y[2];
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    if (floats)
        knlax_accepts(&op, t.dtype, "f", -1);
    if (!kna_failed(&op) && k < 0)
        kna_fail(&op, KN_ERROR_VALUE, "k argument to top_k must be nonnegative, got %lld", (long long)k);
    int axis = !t.ndim ? 0 : knlax_axis(&op, o.axis, t.ndim, -1);
    if (!kna_failed(&op)) {
        knb_top_k(op.b, smallest ? knb_neg(op.b, a) : a, axis, k, out);
        out[0] = smallest ? knb_neg(op.b, out[0]) : out[0];
    }
    kna_end_n(&op, 2, out, y);
    return (kn_lax_top_k_result){y[0], y[1]};
}

kn_lax_top_k_result kn_lax_top_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts)
{
    return top("lax.top_k", x, k, opts, false, false);
}

kn_lax_top_k_result kn_lax_approx_max_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts)
{
    return top("lax.approx_max_k", x, k, opts, true, false);
}

kn_lax_top_k_result kn_lax_approx_min_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts)
{
    return top("lax.approx_min_k", x, k, opts, true, true);
}

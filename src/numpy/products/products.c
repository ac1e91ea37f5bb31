/* SPDX-License-Identifier: Apache-2.0
 * products.c -- matrix products and their kin: all are dot_general, whose order of additions docs/determinism.md fixes,
 * but for products without sums. */
#include "array/layout.h"
#include "lib/kept.h"
#include "numpy/products/einsum.h"
#include <string.h>

typedef struct product {
    kna_op op;
    kni_atom x, y;
    kni_type xt, yt;
    kn_dtype dtype;
} product;

static bool begin(product *p, const char *name, kn_array x, kn_array y)
{
    kna_begin(&p->op, name);
    kn_array both[] = {x, y};
    p->dtype = kna_result_type(&p->op, 2, both);
    if (kna_failed(&p->op) || knl_not_a_number(&p->op, name, p->dtype))
        return false;
    p->x = kna_in_as(&p->op, x, p->dtype);
    p->y = kna_in_as(&p->op, y, p->dtype);
    if (kna_failed(&p->op))
        return false;
    p->xt = knb_type(p->op.b, p->x);
    p->yt = knb_type(p->op.b, p->y);
    return true;
}

static void not_aligned(product *p, int i, int j)
{
    knx_text a = {0}, b = {0}, u = {0}, v = {0};
    kna_fail(&p->op, KN_ERROR_VALUE, "shapes %s and %s not aligned: %s (dim %d) != %s (dim %d)",
             knx_show_shape(&a, p->xt.ndim, p->xt.dim), knx_show_shape(&b, p->yt.ndim, p->yt.dim),
             knx_dim_show(&u, p->xt.dim[i]), i, knx_dim_show(&v, p->yt.dim[j]), j);
}

/* The same of generalized ufuncs: axis i of x with axis j of y, which is the first of y's own axes. */
static void core_differs(product *p, const char *signature, int i, int j)
{
    knx_text u = {0}, v = {0};
    kna_fail(&p->op, KN_ERROR_VALUE,
             "Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %s is different "
             "from %s)",
             signature, knx_dim_show(&u, p->yt.dim[j]), knx_dim_show(&v, p->xt.dim[i]));
}

/* Contracts n pairs of axes. */
static kni_atom contract(product *p, kni_atom x, kni_atom y, int n, const int64_t *i, const int64_t *j)
{
    if (kna_failed(&p->op))
        return KN_ATOM_NONE;
    kni_p_dot_general g = {.lhs_contract = {n, i}, .rhs_contract = {n, j}, .preferred_element_type = p->dtype};
    int ndim = knb_type(p->op.b, x).ndim + knb_type(p->op.b, y).ndim - 2 * n;
    if (ndim > KN_MAX_NDIM) {
        kna_fail(&p->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, ndim);
        return KN_ATOM_NONE;
    }
    return knb_dot_general(p->op.b, x, y, &g);
}

/* Labels of the last axes; those in front of them have 0, 1, ... */
enum { ROW = KNN_MAX_LABELS - 3, SUMMED, COLUMN, FIRST_OWN = ROW };

/* The extents of the axes in front of the last ones, broadcast. */
static bool front_axes(product *p, int x_tail, int y_tail, kn_shape *batch)
{
    int nx = p->xt.ndim - x_tail, ny = p->yt.ndim - y_tail, n = nx > ny ? nx : ny;
    batch->ndim = n;
    for (int i = 0; i < n; i++) {
        int64_t a = i < n - nx ? 1 : p->xt.dim[i - (n - nx)], b = i < n - ny ? 1 : p->yt.dim[i - (n - ny)];
        if (a != 1 && b != 1 && !knx_dim_eq(a, b)) {
            knx_text s = {0}, t = {0};
            kna_fail(&p->op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                     knx_show_shape(&s, p->xt.ndim, p->xt.dim), knx_show_shape(&t, p->yt.ndim, p->yt.dim));
            return false;
        }
        batch->dim[i] = a == 1 ? b : a;
    }
    return true;
}

/* An operand by its labels: those of the axes in front, then its own. What broadcasts is left out. */
static knn_term labelled(product *p, kni_atom a, kni_type t, int tail, const signed char *own, const kn_shape *batch)
{
    knn_term x = {.a = a};
    int64_t gone[KN_MAX_NDIM];
    int n = 0, front = t.ndim - tail;
    for (int d = 0; d < front; d++) {
        int label = batch->ndim - front + d;
        if (t.dim[d] == 1 && batch->dim[label] != 1)
            gone[n++] = d;
        else
            x.label[x.ndim++] = (signed char)label;
    }
    for (int d = 0; d < tail; d++)
        x.label[x.ndim++] = own[d];
    if (n && !kna_failed(&p->op))
        x.a = knb_squeeze(p->op.b, a, n, gone);
    return x;
}

/* The core of a function of the last axes, as NumPy's generalized ufuncs have it: labels of x's last axes, of y's, and
 * of the result's; the axes in front broadcast. */
static kni_atom over_last_axes(product *p, const signed char *xl, int x_tail, const signed char *yl, int y_tail,
                               const signed char *ol, int o_tail)
{
    kn_shape batch = {0};
    if (!front_axes(p, x_tail, y_tail, &batch))
        return KN_ATOM_NONE;
    if (batch.ndim > FIRST_OWN) {
        kna_fail(&p->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 FIRST_OWN, batch.ndim);
        return KN_ATOM_NONE;
    }
    knn_term x = labelled(p, p->x, p->xt, x_tail, xl, &batch), y = labelled(p, p->y, p->yt, y_tail, yl, &batch);
    signed char order[KN_MAX_NDIM];
    int n = 0;
    for (; n < batch.ndim; n++)
        order[n] = (signed char)n;
    for (int i = 0; i < o_tail; i++)
        order[n++] = ol[i];
    return knn_contract(&p->op, &x, &y, knn_label_set(n, order), order).a;
}

static kni_atom matmul(product *p)
{
    static const char signature[] = "(n?,k),(k,m?)->(n?,m?)";
    kni_type a = p->xt, b = p->yt;
    for (int i = 0; i < 2; i++)
        if ((i ? b : a).ndim == 0) {
            kna_fail(&p->op, KN_ERROR_VALUE,
                     "Input operand %d does not have enough dimensions (has 0, gufunc core with signature %s "
                     "requires 1)",
                     i, signature);
            return KN_ATOM_NONE;
        }
    int i = a.ndim - 1, j = b.ndim > 1 ? b.ndim - 2 : 0;
    if (!knx_dim_eq(a.dim[i], b.dim[j])) {
        not_aligned(p, i, j); /* tells both shapes, as np.dot does */
        return KN_ATOM_NONE;
    }
    int64_t ci = i, cj = j;
    if (b.ndim <= 2) /* one matrix or vector for all of x */
        return contract(p, p->x, p->y, 1, &ci, &cj);
    if (a.ndim == 1) { /* y's axes but the contracted one are the result's */
        int64_t zero = 0;
        return contract(p, p->x, p->y, 1, &zero, &cj);
    }
    const signed char rows[] = {ROW, SUMMED}, columns[] = {SUMMED, COLUMN}, both[] = {ROW, COLUMN};
    return over_last_axes(p, rows, 2, columns, 2, both, 2);
}

kn_array kn_matmul(kn_array x, kn_array y)
{
    product p;
    bool ok = begin(&p, "matmul", x, y);
    return kna_end(&p.op, ok ? matmul(&p) : KN_ATOM_NONE);
}

/* The last axis of x with axis j of y; a scalar multiplies. */
static kn_array dot_with(const char *name, kn_array x, kn_array y, bool last)
{
    product p;
    if (!begin(&p, name, x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    if (!p.xt.ndim || !p.yt.ndim)
        return kna_end(&p.op, knb_mul(p.op.b, p.x, p.y));
    int64_t i = p.xt.ndim - 1, j = last || p.yt.ndim == 1 ? p.yt.ndim - 1 : p.yt.ndim - 2;
    if (!knx_dim_eq(p.xt.dim[i], p.yt.dim[j]))
        not_aligned(&p, (int)i, (int)j);
    return kna_end(&p.op, contract(&p, p.x, p.y, 1, &i, &j));
}

static kn_array dot(const kn_array *x, const void *options)
{
    (void)options;
    return dot_with("dot", x[0], x[1], false);
}

static kn_array inner(const kn_array *x, const void *options)
{
    (void)options;
    return dot_with("inner", x[0], x[1], true);
}

kn_array kn_dot(kn_array x, kn_array y)
{
    return knl_kept(&(knl_call){.name = "dot", .f = dot, .n = 2, .x = (const kn_array[]){x, y}});
}

kn_array kn_inner(kn_array x, kn_array y)
{
    return knl_kept(&(knl_call){.name = "inner", .f = inner, .n = 2, .x = (const kn_array[]){x, y}});
}

kn_array kn_vdot(kn_array x, kn_array y)
{
    product p;
    int64_t zero = 0;
    if (!begin(&p, "vdot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    p.x = knb_conj(p.op.b, knl_flatten(&p.op, p.x));
    p.y = knl_flatten(&p.op, p.y);
    p.xt = knb_type(p.op.b, p.x);
    p.yt = knb_type(p.op.b, p.y);
    if (!kna_failed(&p.op) && !knx_dim_eq(p.xt.dim[0], p.yt.dim[0])) {
        knx_text s = {0}, t = {0};
        kna_fail(&p.op, KN_ERROR_VALUE, "cannot reshape array of size %s into shape %s", knx_dim_show(&s, p.yt.dim[0]),
                 knx_show_shape(&t, 1, p.xt.dim));
    }
    return kna_end(&p.op, contract(&p, p.x, p.y, 1, &zero, &zero));
}

kn_array kn_outer(kn_array x, kn_array y)
{
    product p;
    if (!begin(&p, "outer", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    kni_atom a = knb_expand_dims(p.op.b, knl_flatten(&p.op, p.x), 1),
             b = knb_expand_dims(p.op.b, knl_flatten(&p.op, p.y), 0);
    if (kna_failed(&p.op))
        return kna_end(&p.op, KN_ATOM_NONE);
    kn_shape full = {2, {knb_type(p.op.b, a).dim[0], knb_type(p.op.b, b).dim[1]}};
    kna_fail_with(&p.op, kni_type_check_size(knl_shaped(p.dtype, &full)));
    return kna_end(&p.op, knb_mul(p.op.b, knl_spread(&p.op, a, &full), knl_spread(&p.op, b, &full)));
}

/* NumPy's errors of a generalized ufunc whose operands have these numbers of last axes; axis of x with axis of y. */
static bool check_last_axes(product *p, const char *signature, int x_tail, int y_tail, int y_axis)
{
    if (p->xt.ndim < x_tail || p->yt.ndim < y_tail) {
        int i = p->xt.ndim >= x_tail;
        kna_fail(&p->op, KN_ERROR_VALUE,
                 "Input operand %d does not have enough dimensions (has %d, gufunc core with signature %s requires %d)",
                 i, i ? p->yt.ndim : p->xt.ndim, signature, i ? y_tail : x_tail);
    } else if (!knx_dim_eq(p->xt.dim[p->xt.ndim - 1], p->yt.dim[p->yt.ndim - y_axis]))
        core_differs(p, signature, p->xt.ndim - 1, p->yt.ndim - y_axis);
    return !kna_failed(&p->op);
}

/* This axis of an operand goes to the end. */
static void axis_last(product *p, kni_atom *x, kni_type *t, int axis)
{
    int64_t permutation[KN_MAX_NDIM];
    int at = kna_failed(&p->op) ? 0 : kna_normalize_axis(&p->op, axis, t->ndim), n = 0;
    if (kna_failed(&p->op))
        return;
    for (int d = 0; d < t->ndim; d++)
        if (d != at)
            permutation[n++] = d;
    permutation[n] = at;
    *x = knb_transpose(p->op.b, *x, permutation);
    *t = knb_type(p->op.b, *x);
}

kn_array knl_vecdot(kn_array x, kn_array y, int axis)
{
    product p;
    const signed char summed[] = {SUMMED};
    if (!begin(&p, "vecdot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    if (axis != -1 && p.xt.ndim && p.yt.ndim) { /* what has no axes is told below */
        axis_last(&p, &p.x, &p.xt, axis);
        axis_last(&p, &p.y, &p.yt, axis);
    }
    if (kna_failed(&p.op) || !check_last_axes(&p, "(n),(n)->()", 1, 1, 1))
        return kna_end(&p.op, KN_ATOM_NONE);
    p.x = knb_conj(p.op.b, p.x);
    return kna_end(&p.op, over_last_axes(&p, summed, 1, summed, 1, NULL, 0));
}

kn_array kn_vecdot(kn_array x, kn_array y) { return knl_vecdot(x, y, -1); }

kn_array kn_matvec(kn_array x1, kn_array x2)
{
    product p;
    const signed char rows[] = {ROW, SUMMED}, summed[] = {SUMMED};
    if (!begin(&p, "matvec", x1, x2) || !check_last_axes(&p, "(m,n),(n)->(m)", 2, 1, 1))
        return kna_end(&p.op, KN_ATOM_NONE);
    return kna_end(&p.op, over_last_axes(&p, rows, 2, summed, 1, rows, 1));
}

kn_array kn_vecmat(kn_array x1, kn_array x2)
{
    product p;
    const signed char columns[] = {SUMMED, COLUMN};
    if (!begin(&p, "vecmat", x1, x2) || !check_last_axes(&p, "(n),(n,m)->(m)", 1, 2, 2))
        return kna_end(&p.op, KN_ATOM_NONE);
    p.x = knb_conj(p.op.b, p.x);
    return kna_end(&p.op, over_last_axes(&p, columns, 1, columns, 2, columns + 1, 1));
}

/* Axis i of the result is axis i of a with that of b inside of it. */
kn_array kn_kron(kn_array a, kn_array b)
{
    product p;
    if (!begin(&p, "kron", a, b))
        return kna_end(&p.op, KN_ATOM_NONE);
    int n = p.xt.ndim > p.yt.ndim ? p.xt.ndim : p.yt.ndim;
    kn_shape full = {2 * n, {0}}, shape = {n, {0}};
    int64_t x_axes[KN_MAX_NDIM], y_axes[KN_MAX_NDIM];
    if (2 * n > KN_MAX_NDIM) {
        kna_fail(&p.op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, 2 * n);
        return kna_end(&p.op, KN_ATOM_NONE);
    }
    for (int d = 0; d < n; d++) {
        int i = d - (n - p.xt.ndim), j = d - (n - p.yt.ndim);
        full.dim[2 * d] = i < 0 ? 1 : p.xt.dim[i];
        full.dim[2 * d + 1] = j < 0 ? 1 : p.yt.dim[j];
        shape.dim[d] = knx_dim_mul(full.dim[2 * d], full.dim[2 * d + 1]);
        if (i >= 0)
            x_axes[i] = 2 * d;
        if (j >= 0)
            y_axes[j] = 2 * d + 1;
    }
    kna_fail_with(&p.op, kni_type_check_size(knl_shaped(p.dtype, &full)));
    if (kna_failed(&p.op))
        return kna_end(&p.op, KN_ATOM_NONE);
    kni_builder *o = p.op.b;
    kni_atom x = knb_broadcast_in_dim(o, p.x, full.ndim, full.dim, x_axes);
    kni_atom y = knb_broadcast_in_dim(o, p.y, full.ndim, full.dim, y_axes);
    x = p.dtype->kind == KN_KIND_BOOL ? knb_and(o, x, y) : knb_mul(o, x, y);
    return kna_end(&p.op, knb_reshape(o, x, n, shape.dim));
}

/* ---- tensordot. */

/* Axis number d of those of an operand that are contracted. Of axes that are not there, NumPy asks a tuple of extents
 * for them. */
static int64_t contracted(product *p, const kn_axes *given, int ndim, int count, bool tail, int d)
{
    int64_t axis = given->n ? given->axis[d] : tail ? d - count : d;
    if (axis >= -ndim && axis < ndim)
        return axis < 0 ? axis + ndim : axis;
    kna_fail(&p->op, KN_ERROR_INDEX, "tuple index out of range");
    return 0;
}

static bool has_twice(int n, const int64_t *axes)
{
    uint64_t seen = 0;
    for (int i = 0; i < n; i++) {
        if (seen >> axes[i] & 1)
            return true;
        seen |= (uint64_t)1 << axes[i];
    }
    return false;
}

kn_array kn_tensordot(kn_array x, kn_array y, const kn_tensordot_opts *opts)
{
    KNX_OPTS(kn_tensordot_opts, o, opts);
    product p;
    int64_t i[KN_MAX_NDIM] = {0}, j[KN_MAX_NDIM] = {0};
    if (!begin(&p, "tensordot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    bool lists = o.a_axes.n || o.b_axes.n;
    int count = lists || o.axes < 0 ? 0 : o.axes; /* less than none is none */
    if (count > p.xt.ndim) {
        kna_fail(&p.op, KN_ERROR_INDEX, "tuple index out of range");
        return kna_end(&p.op, KN_ATOM_NONE);
    }
    int n = lists ? knl_axis_count(&p.op, o.a_axes) : count, m = lists ? knl_axis_count(&p.op, o.b_axes) : count;
    bool fits = n == m;
    for (int d = 0; d < n && fits && !kna_failed(&p.op); d++) {
        i[d] = contracted(&p, &o.a_axes, p.xt.ndim, count, true, d);
        j[d] = kna_failed(&p.op) ? 0 : contracted(&p, &o.b_axes, p.yt.ndim, count, false, d);
        fits = kna_failed(&p.op) || knx_dim_eq(p.xt.dim[i[d]], p.yt.dim[j[d]]);
    }
    if (!kna_failed(&p.op) && !fits)
        kna_fail(&p.op, KN_ERROR_VALUE, "shape-mismatch for sum");
    if (!kna_failed(&p.op) && (has_twice(n, i) || has_twice(n, j)))
        kna_fail(&p.op, KN_ERROR_VALUE, "duplicate axes are not allowed in tensordot");
    return kna_end(&p.op, contract(&p, p.x, p.y, n, i, j));
}

/* SPDX-License-Identifier: Apache-2.0
 * products.c -- matrix products and their kin: all are dot_general, whose order of additions docs/determinism.md fixes.
 * */
#include "array/layout.h"
#include "numpy/internal.h"
#include <string.h>

typedef struct product {
    kna_op op;
    kn_atom x, y;
    kn_type xt, yt;
    kn_dtype dtype;
} product;

static bool begin(product *p, const char *name, kn_array x, kn_array y)
{
    kna_begin(&p->op, name);
    kn_array both[] = {x, y};
    p->dtype = kna_result_type(&p->op, 2, both);
    if (kna_failed(&p->op) || knn_not_a_number(&p->op, name, p->dtype))
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
    kn_text a = {0}, b = {0};
    kna_fail(&p->op, KN_ERROR_VALUE, "shapes %s and %s not aligned: %lld (dim %d) != %lld (dim %d)",
             knx_show_shape(&a, p->xt.ndim, p->xt.dim), knx_show_shape(&b, p->yt.ndim, p->yt.dim),
             (long long)p->xt.dim[i], i, (long long)p->yt.dim[j], j);
}

/* Contracts n pairs of axes; `batch` pairs the first axes of both. */
static kn_atom contract(product *p, kn_atom x, kn_atom y, int n, const int64_t *i, const int64_t *j, int batch)
{
    int64_t first[KN_MAX_NDIM];
    if (kna_failed(&p->op))
        return KN_ATOM_NONE;
    for (int d = 0; d < batch; d++)
        first[d] = d;
    kn_p_dot_general g = {.lhs_contract = {n, i},
                          .rhs_contract = {n, j},
                          .lhs_batch = {batch, first},
                          .rhs_batch = {batch, first},
                          .preferred_element_type = p->dtype};
    int ndim = knb_type(p->op.b, x).ndim + knb_type(p->op.b, y).ndim - 2 * n - batch;
    if (ndim > KN_MAX_NDIM) {
        kna_fail(&p->op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, ndim);
        return KN_ATOM_NONE;
    }
    return knb_dot_general(p->op.b, x, y, &g);
}

/* Both with the same leading axes, `tail` axes of each apart; their number, or -1 with an error. */
static int broadcast_batch(product *p, int x_tail, int y_tail)
{
    int nx = p->xt.ndim - x_tail, ny = p->yt.ndim - y_tail, n = nx > ny ? nx : ny;
    kn_shape x = {.ndim = n + x_tail}, y = {.ndim = n + y_tail};
    for (int i = 0; i < n; i++) {
        int64_t a = i < n - nx ? 1 : p->xt.dim[i - (n - nx)], b = i < n - ny ? 1 : p->yt.dim[i - (n - ny)];
        if (a != b && a != 1 && b != 1) {
            kn_text s = {0}, t = {0};
            kna_fail(&p->op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                     knx_show_shape(&s, p->xt.ndim, p->xt.dim), knx_show_shape(&t, p->yt.ndim, p->yt.dim));
            return -1;
        }
        x.dim[i] = y.dim[i] = a == 1 ? b : a;
    }
    memcpy(x.dim + n, p->xt.dim + nx, (size_t)x_tail * sizeof *x.dim);
    memcpy(y.dim + n, p->yt.dim + ny, (size_t)y_tail * sizeof *y.dim);
    p->x = knb_broadcast_to(p->op.b, p->x, knn_shaped(p->dtype, &x));
    p->y = knb_broadcast_to(p->op.b, p->y, knn_shaped(p->dtype, &y));
    return kna_failed(&p->op) ? -1 : n;
}

static kn_atom matmul(product *p)
{
    kn_type a = p->xt, b = p->yt;
    for (int i = 0; i < 2; i++)
        if ((i ? b : a).ndim == 0) {
            kna_fail(&p->op, KN_ERROR_VALUE,
                     "Input operand %d does not have enough dimensions (has 0, gufunc core with signature "
                     "(n?,k),(k,m?)->(n?,m?) "
                     "requires 1)",
                     i);
            return KN_ATOM_NONE;
        }
    int i = a.ndim - 1, j = b.ndim > 1 ? b.ndim - 2 : 0;
    if (a.dim[i] != b.dim[j]) {
        not_aligned(p, i, j);
        return KN_ATOM_NONE;
    }
    int64_t ci = i, cj = j;
    if (b.ndim <= 2) /* one matrix or vector for all of x */
        return contract(p, p->x, p->y, 1, &ci, &cj, 0);
    if (a.ndim == 1) { /* y's axes but the contracted one are the result's */
        int64_t zero = 0;
        return contract(p, p->x, p->y, 1, &zero, &cj, 0);
    }
    int batch = broadcast_batch(p, 2, 2);
    ci = batch + 1;
    cj = batch;
    return batch < 0 ? KN_ATOM_NONE : contract(p, p->x, p->y, 1, &ci, &cj, batch);
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
    if (p.xt.dim[i] != p.yt.dim[j])
        not_aligned(&p, (int)i, (int)j);
    return kna_end(&p.op, contract(&p, p.x, p.y, 1, &i, &j, 0));
}

kn_array kn_dot(kn_array x, kn_array y) { return dot_with("dot", x, y, false); }
kn_array kn_inner(kn_array x, kn_array y) { return dot_with("inner", x, y, true); }

kn_array kn_vdot(kn_array x, kn_array y)
{
    product p;
    int64_t zero = 0;
    if (!begin(&p, "vdot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    p.x = knb_conj(p.op.b, knn_flatten(&p.op, p.x));
    p.y = knn_flatten(&p.op, p.y);
    p.xt = knb_type(p.op.b, p.x);
    p.yt = knb_type(p.op.b, p.y);
    if (!kna_failed(&p.op) && p.xt.dim[0] != p.yt.dim[0])
        kna_fail(&p.op, KN_ERROR_VALUE, "cannot reshape array of size %lld into shape (%lld,)", (long long)p.yt.dim[0],
                 (long long)p.xt.dim[0]);
    return kna_end(&p.op, contract(&p, p.x, p.y, 1, &zero, &zero, 0));
}

kn_array kn_outer(kn_array x, kn_array y)
{
    product p;
    if (!begin(&p, "outer", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    kn_atom a = knb_expand_dims(p.op.b, knn_flatten(&p.op, p.x), 1),
            b = knb_expand_dims(p.op.b, knn_flatten(&p.op, p.y), 0);
    if (kna_failed(&p.op))
        return kna_end(&p.op, KN_ATOM_NONE);
    kn_shape full = {2, {knb_type(p.op.b, a).dim[0], knb_type(p.op.b, b).dim[1]}};
    kna_fail_with(&p.op, kni_type_check_size(knn_shaped(p.dtype, &full)));
    return kna_end(&p.op, knb_mul(p.op.b, knn_spread(&p.op, a, &full), knn_spread(&p.op, b, &full)));
}

kn_array kn_vecdot(kn_array x, kn_array y)
{
    product p;
    if (!begin(&p, "vecdot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    if (!p.xt.ndim || !p.yt.ndim)
        kna_fail(&p.op, KN_ERROR_VALUE,
                 "Input operand %d does not have enough dimensions (has 0, gufunc core with signature (n),(n)->() "
                 "requires 1)",
                 p.xt.ndim != 0);
    else if (p.xt.dim[p.xt.ndim - 1] != p.yt.dim[p.yt.ndim - 1])
        not_aligned(&p, p.xt.ndim - 1, p.yt.ndim - 1);
    if (kna_failed(&p.op))
        return kna_end(&p.op, KN_ATOM_NONE);
    p.x = knb_conj(p.op.b, p.x);
    int64_t batch = broadcast_batch(&p, 1, 1);
    return kna_end(&p.op, batch < 0 ? KN_ATOM_NONE : contract(&p, p.x, p.y, 1, &batch, &batch, (int)batch));
}

/* ---- tensordot. */

static int contracted(product *p, const kn_axes *given, int ndim, int count, bool tail, int64_t axes[KN_MAX_NDIM])
{
    int n = given->n ? knn_axis_count(*given) : count;
    for (int i = 0; i < n && !kna_failed(&p->op); i++)
        axes[i] = kna_normalize_axis(&p->op, given->n ? given->axis[i] : tail ? ndim - n + i : i, ndim);
    return n;
}

kn_array kn_tensordot(kn_array x, kn_array y, const kn_tensordot_opts *opts)
{
    KNN_OPTS(kn_tensordot_opts, o, opts);
    product p;
    int64_t i[KN_MAX_NDIM], j[KN_MAX_NDIM];
    if (!begin(&p, "tensordot", x, y))
        return kna_end(&p.op, KN_ATOM_NONE);
    bool lists = o.a_axes.n || o.b_axes.n;
    if (!lists && (o.axes < 0 || o.axes > p.xt.ndim || o.axes > p.yt.ndim)) {
        kna_fail(&p.op, KN_ERROR_INDEX, "tuple index out of range");
        return kna_end(&p.op, KN_ATOM_NONE);
    }
    int n = contracted(&p, &o.a_axes, p.xt.ndim, lists ? 0 : o.axes, true, i);
    int m = contracted(&p, &o.b_axes, p.yt.ndim, lists ? 0 : o.axes, false, j);
    bool fits = n == m;
    for (int d = 0; d < n && fits && !kna_failed(&p.op); d++)
        fits = p.xt.dim[i[d]] == p.yt.dim[j[d]];
    if (!kna_failed(&p.op) && !fits)
        kna_fail(&p.op, KN_ERROR_VALUE, "shape-mismatch for sum");
    return kna_end(&p.op, contract(&p, p.x, p.y, n, i, j, 0));
}

/* SPDX-License-Identifier: Apache-2.0
 * covariance.c -- weighted means, covariances and correlations. */
#include "lib/compose.h"

static kn_array converted(kn_array x, kn_dtype d)
{
    kn_asarray_opts o = kn_asarray_opts_default();
    o.dtype = d;
    return kn_asarray(x, &o);
}

/* Is any element of x zero (less than zero, not a whole number)? False where values are not known. */
static bool any_is(kn_array test) { return knl_may_look(test) && kn_ok(test) && kn_item_bool(kn_any(test, NULL)); }

/* ---- Average. */

/* The weights with a's shape, or along the given axes. */
static kn_array fit_weights(knl_body *c, kni_type a, kn_array weights, kn_axes given)
{
    kna_op *op = &c->op;
    kni_type w = kna_type(op, weights);
    int64_t axes[KN_MAX_NDIM];
    if (kna_failed(op) || kni_type_same_shape(a, w))
        return weights;
    if (given.n <= 0) {
        kna_fail(op, KN_ERROR_TYPE, "Axis must be specified when shapes of a and weights differ.");
        return weights;
    }
    int n = kna_axes(op, given, a.ndim, KNA_AXES_ALL, axes);
    kn_shape shape = {.ndim = a.ndim};
    kn_transpose_opts order = kn_transpose_opts_default();
    order.axes.n = n + 1;
    bool fits = w.ndim == n && !kna_failed(op);
    for (int i = 0; i < a.ndim; i++)
        shape.dim[i] = 1;
    for (int i = 0; i < n && fits; i++) { /* their axes come in the order in which the axes were given */
        int axis = given.axis[i] < 0 ? given.axis[i] + a.ndim : given.axis[i], rank = 0;
        fits = knx_dim_eq(w.dim[i], a.dim[axis]);
        shape.dim[axis] = a.dim[axis];
        while (axes[rank] != axis)
            rank++;
        order.axes.axis[rank] = i;
    }
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "Shape of weights must be consistent with shape of a along specified axis.");
    return kna_failed(op) ? weights : kn_reshape(kn_transpose(weights, &order), &shape, NULL);
}

static kn_dtype average_dtype(knl_body *c, kn_array a, kn_array weights)
{
    const kn_array both[] = {a, weights};
    kn_dtype d = kna_result_type(&c->op, 2, both);
    kni_type t = kna_type(&c->op, a);
    if (kna_failed(&c->op))
        return KN_DT(F64);
    return knx_is_inexact(t.dtype) ? d : knx_promote(d, KN_DT(F64));
}

kn_array kn_average(kn_array a, const kn_average_opts *opts)
{
    KNX_OPTS(kn_average_opts, o, opts);
    knl_body c;
    knl_begin(&c, "average");
    kn_array y[2] = {NULL, NULL};
    kni_type t = kna_type(&c.op, a);
    int64_t axes[KN_MAX_NDIM];
    if (!kna_failed(&c.op))
        knl_axis_tuple(&c.op, o.axis, t.ndim, "axis", axes);
    if (kna_failed(&c.op)) {
        knl_end_n(&c, o.returned ? 2 : 1, y);
        if (o.returned)
            *o.returned = y[1];
        return y[0];
    }
    kn_mean_opts mean = kn_mean_opts_default();
    mean.axis = o.axis;
    mean.keepdims = o.keepdims;
    if (!o.weights) {
        y[0] = kn_mean(a, &mean);
        kni_type r = kna_type(&c.op, y[0]);
        if (o.returned && !kna_failed(&c.op)) {
            kn_shape shape = kn_shape_of(y[0]);
            int64_t all = kni_type_size(t), results = kni_type_size(r);
            double each = results ? (double)all / (double)results : 0;
            kn_zeros_opts like = kn_zeros_opts_default();
            like.dtype = r.dtype;
            y[1] = kn_full(&shape,
                           knx_any_symbolic(all, results) ? kn_like_int(knx_dim_floordiv(all, results))
                                                          : kn_like_double(each),
                           &like);
        }
    } else {
        kn_array w = fit_weights(&c, t, o.weights, o.axis);
        kn_dtype d = kna_failed(&c.op) ? NULL : average_dtype(&c, a, w);
        kn_sum_opts sum = kn_sum_opts_default();
        sum.axis = o.axis;
        sum.keepdims = o.keepdims;
        sum.dtype = d;
        kn_array scale = kna_failed(&c.op) ? NULL : kn_sum(w, &sum);
        if (!kna_failed(&c.op) && any_is(kn_equal(scale, kn_like_int(0))))
            kna_fail(&c.op, KN_ERROR_ZERO_DIVISION, "Weights sum to zero, can't be normalized");
        if (!kna_failed(&c.op)) {
            kn_array products = kn_multiply(converted(a, d), converted(w, d));
            y[0] = kn_divide(kn_sum(products, &sum), scale);
            kn_shape shape = kn_shape_of(y[0]);
            y[1] = o.returned ? kn_add(kn_broadcast_to(scale, &shape), kn_like_int(0)) : NULL;
        }
    }
    knl_end_n(&c, o.returned ? 2 : 1, y);
    if (o.returned)
        *o.returned = y[1];
    return y[0];
}

/* ---- Covariance. */

/* m as a matrix with one variable a row. */
static kn_array variables(knl_body *c, kn_array m, const char *name, kn_dtype d, bool in_rows, bool is_second)
{
    kni_type t = kna_type(&c->op, m);
    if (!kna_failed(&c->op) && t.ndim > 2)
        kna_fail(&c->op, KN_ERROR_VALUE, "%s has more than 2 dimensions", name);
    if (kna_failed(&c->op))
        return NULL;
    kn_array x = kn_atleast_2d(converted(m, d));
    bool turn = !in_rows && (is_second ? kn_dim(x, 0) != 1 : t.ndim != 1);
    return turn ? kn_transpose(x, NULL) : x;
}

static kn_array weights_of(knl_body *c, kn_array given, const char *name, int64_t samples, bool whole)
{
    kni_type t = kna_type(&c->op, given);
    if (kna_failed(&c->op))
        return NULL;
    kn_array w = converted(given, KN_DT(F64));
    if (whole && any_is(kn_not_equal(w, converted(w, KN_DT(I64)))))
        kna_fail(&c->op, KN_ERROR_TYPE, "fweights must be integer");
    else if (t.ndim > 1)
        kna_fail(&c->op, KN_ERROR_RUNTIME, "cannot handle multidimensional %s", name);
    else if (t.ndim == 0 || !knx_dim_eq(t.dim[0], samples))
        kna_fail(&c->op, KN_ERROR_RUNTIME, "incompatible numbers of samples and %s", name);
    else if (any_is(kn_less(w, kn_like_int(0))))
        kna_fail(&c->op, KN_ERROR_VALUE, "%s cannot be negative", name);
    return w;
}

/* What the products are divided by. w: the weights, or NULL. */
static kn_array freedom(kn_array w, kn_array aweights, int64_t samples, double ddof)
{
    if (!w && knx_is_symbolic(samples))
        return kn_maximum(kn_subtract(kn_like_int(samples), kn_like_double(ddof)), kn_like_int(0));
    if (!w)
        return kn_like_double((double)samples - ddof > 0 ? (double)samples - ddof : 0);
    kn_array sum = kn_sum(w, NULL), fact = sum;
    if (ddof != 0 && !aweights)
        fact = kn_subtract(sum, kn_like_double(ddof));
    else if (ddof != 0)
        fact =
            kn_subtract(sum, kn_divide(kn_multiply(kn_like_double(ddof), kn_sum(kn_multiply(w, aweights), NULL)), sum));
    return kn_maximum(fact, kn_like_int(0));
}

static kn_array covariance(knl_body *c, kn_array m, const kn_cov_opts *o)
{
    const kn_array both[] = {m, o->y};
    kn_dtype d = kna_result_type(&c->op, o->y ? 2 : 1, both);
    if (kna_failed(&c->op) || knl_not_a_number(&c->op, "cov", d))
        return NULL;
    d = o->dtype ? o->dtype : knx_promote(d, KN_DT(F64));
    kn_array x = variables(c, m, "m", d, o->rowvar, false);
    if (kna_failed(&c->op))
        return NULL;
    kn_shape nothing = {2, {0, 0}};
    if (knx_dim_eq(kn_dim(x, 0), 0))
        return kn_zeros(&nothing, NULL);
    if (o->y) {
        kn_array y = variables(c, o->y, "y", d, o->rowvar, true);
        const kn_array parts[] = {x, y};
        x = kna_failed(&c->op) ? NULL : kn_concatenate(kn_list_from(parts, 2), NULL);
    }
    kni_type t = kna_type(&c->op, x);
    if (kna_failed(&c->op))
        return NULL;
    double ddof = o->ddof >= 0 ? o->ddof : o->bias ? 0 : 1;
    kn_array f = o->fweights ? weights_of(c, o->fweights, "fweights", t.dim[1], true) : NULL;
    kn_array a = o->aweights ? weights_of(c, o->aweights, "aweights", t.dim[1], false) : NULL;
    if (kna_failed(&c->op))
        return NULL;
    kn_array w = f && a ? kn_multiply(f, a) : f ? f : a;
    kn_average_opts along = kn_average_opts_default();
    along.axis = knl_one_axis(1);
    along.weights = w;
    along.keepdims = true;
    kn_array away = kn_subtract(x, kn_average(x, &along));
    kn_array other = kn_conjugate(kn_transpose(w ? kn_multiply(away, w) : away, NULL));
    kn_array products = kn_matmul(away, other);
    kn_array scale = kn_divide(kn_like_int(1), freedom(w, a, t.dim[1], ddof));
    return kn_multiply(products, kn_ok(scale) ? converted(scale, knx_component(d)) : scale);
}

kn_array kn_cov(kn_array m, const kn_cov_opts *opts)
{
    KNX_OPTS(kn_cov_opts, o, opts);
    knl_body c;
    knl_begin(&c, "cov");
    kn_array y = covariance(&c, m, &o);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_squeeze(y, NULL));
}

/* Both parts between -1 and 1. */
static kn_array within_one(kn_array x)
{
    kn_array low = kn_like_int(-1), high = kn_like_int(1);
    if (!knx_is_complex(kn_dtype_of(x)))
        return kn_clip(x, low, high);
    kn_array i = kn_multiply(kn_clip(kn_imag(x), low, high), kn_like_complex(0, 1));
    return kn_add(kn_clip(kn_real(x), low, high), i);
}

kn_array kn_corrcoef(kn_array x, const kn_corrcoef_opts *opts)
{
    KNX_OPTS(kn_corrcoef_opts, o, opts);
    knl_body c;
    knl_begin(&c, "corrcoef");
    kn_cov_opts of = kn_cov_opts_default();
    of.y = o.y;
    of.rowvar = o.rowvar;
    of.dtype = o.dtype;
    kn_array v = covariance(&c, x, &of);
    kn_array m = kna_failed(&c.op) ? NULL : kn_squeeze(v, NULL);
    kni_type t = kna_failed(&c.op) ? kni_scalar_type(KN_DT(F64)) : kna_type(&c.op, m);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (t.ndim == 0) /* of one variable: 1, or NaN */
        return knl_end(&c, kn_divide(m, m));
    kn_axes column = knl_one_axis(1), row = knl_one_axis(0);
    kn_array s = kn_sqrt(kn_real(kn_diagonal(m, NULL)));
    kn_array y = kn_divide(kn_divide(m, kn_expand_dims(s, &column)), kn_expand_dims(s, &row));
    return knl_end(&c, within_one(y));
}

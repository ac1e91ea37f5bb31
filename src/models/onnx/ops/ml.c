/* SPDX-License-Identifier: Apache-2.0
 * ml.c -- what the models of ai.onnx.ml share: rows of features, scores and labels. */
#include "models/onnx/ops/ml.h"
#include <string.h>

kn_array knonnx_ml_rows(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim != 1 && s.ndim != 2) {
        if (!knonnx_done(c))
            knonnx_fail(c, KN_ERROR_VALUE, "the input is a matrix of rows, or one row; it has %d axes", s.ndim);
        return NULL;
    }
    if (s.ndim == 1)
        x = knonnx_shaped(x, 2, (int64_t[]){1, s.dim[0]});
    return knonnx_as(x, kn_dtype_of(x) == KN_F64 ? KN_F64 : KN_F32);
}

kn_array knonnx_ml_vector(knonnx_call *c, const char *name, kn_dtype dtype)
{
    int n = 0;
    const float *x = knonnx_floats(c, name, &n);
    return x && n ? knonnx_as(knonnx_of_floats(x, n), dtype) : NULL;
}

/* ---- Scores. */

static kn_array row_max(kn_array x)
{
    kn_max_opts o = kn_max_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    o.keepdims = true;
    return kn_max(x, &o);
}

/* Softmax in which scores that are 0 stay 0. */
static kn_array softmax_zero(kn_array x)
{
    kn_array most = row_max(x), none = kn_less_equal(kn_abs(x), kn_like_double(1e-7));
    kn_array y = kn_where(none, kn_multiply(x, kn_exp(kn_negative(most))), kn_exp(kn_subtract(x, most)));
    kn_array sum = knonnx_total(y, 1, true), zero = kn_equal(sum, kn_like_int(0));
    return kn_where(zero, kn_like_double(0.5), kn_divide(y, kn_where(zero, kn_like_int(1), sum)));
}

/* The quantile of the normal distribution. */
static kn_array probit(kn_array x)
{
    kn_array centred = kn_subtract(kn_multiply(x, kn_like_int(2)), kn_like_int(1));
    return kn_multiply(kn_lax_erf_inv(centred), kn_like_double(1.4142135623730951));
}

kn_array knonnx_ml_post(knonnx_call *c, kn_array scores, const char *how)
{
    kn_nn_softmax_opts o = kn_nn_softmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    if (!how)
        return NULL;
    if (!strcmp(how, "NONE"))
        return scores;
    if (!strcmp(how, "LOGISTIC"))
        return kn_nn_sigmoid(scores);
    if (!strcmp(how, "SOFTMAX"))
        return kn_nn_softmax(scores, &o);
    if (!strcmp(how, "SOFTMAX_ZERO"))
        return softmax_zero(scores);
    if (!strcmp(how, "PROBIT"))
        return probit(scores);
    knonnx_fail(c, KN_ERROR_VALUE, "post_transform=\"%.30s\" is not known", how);
    return NULL;
}

/* ---- Labels. */

int knonnx_ml_label_count(knonnx_call *c, const char *ints, const char *texts)
{
    const knonnx_attr *a = knonnx_attr_of(c, ints), *b = knonnx_attr_of(c, texts);
    return a && a->n ? a->n : b ? b->n : 0;
}

static int text_labels(knonnx_call *c, int i, kn_array at, const char *attr)
{
    int n_labels = 0;
    const char *const *label = knonnx_texts(c, attr, &n_labels);
    if (!label || !knonnx_wants(c, i))
        return label ? 0 : -1;
    if (!kn_is_concrete(at))
        return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                           "texts are chosen by values, which are not known while the model is recorded");
    const int64_t *v = kn_data_bytes(at, KN_I64);
    int64_t n = kn_size(at);
    knonnx_strings *t = knonnx_take(c, 1, sizeof *t);
    const char **text = knonnx_take(c, (uint64_t)n + 1, sizeof *text);
    if (!v || !t || !text)
        return -1;
    for (int64_t k = 0; k < n; k++) {
        if (v[k] >= n_labels)
            return knonnx_fail(c, KN_ERROR_VALUE, "there are %d labels, and position %lld is the best", n_labels,
                               (long long)v[k]);
        text[k] = v[k] < 0 ? "" : label[v[k]];
    }
    *t = (knonnx_strings){.ndim = 1, .dim = {n}, .n = (size_t)n, .text = text};
    return knonnx_set_value(c, i, (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = t});
}

int knonnx_ml_labels(knonnx_call *c, int i, kn_array at, const char *ints, const char *texts)
{
    int n = 0;
    at = knonnx_as(at, KN_I64);
    const knonnx_attr *a = knonnx_attr_of(c, texts);
    const int64_t *label = knonnx_ints(c, ints, &n);
    if (a && a->n)
        return text_labels(c, i, at, texts);
    if (!label || !n)
        return knonnx_set(c, i, at);
    kn_take_opts o = kn_take_opts_default();
    o.mode = "clip";
    return knonnx_set(c, i, kn_take(knonnx_of_ints(label, n), at, &o));
}

kn_array knonnx_ml_columns(kn_array a, kn_array b)
{
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return kn_stack(kn_list_from((kn_array[]){a, b}, 2), &o);
}

kn_array knonnx_ml_column(kn_array x, int64_t i)
{
    kn_squeeze_opts o = kn_squeeze_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return kn_squeeze(knonnx_part(x, 1, i, i + 1), &o);
}

kn_array knonnx_ml_best(kn_array scores)
{
    kn_argmax_opts o = kn_argmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return kn_argmax(scores, &o);
}

/* SPDX-License-Identifier: Apache-2.0
 * ml_linear.c -- ai.onnx.ml's linear models and what prepares features: Binarizer, Scaler, Normalizer, Imputer,
 * FeatureVectorizer, OneHotEncoder, ArrayFeatureExtractor. */
#include "models/onnx/ops/ml.h"
#include "kiln/numpy/dtypes.h"
#include <math.h>
#include <string.h>

/* ---- Linear models. */

/* rows @ weights + intercepts, the weights being one line of features for each result. NULL with an error. */
static kn_array products(knonnx_call *c, kn_array x, int64_t lines)
{
    int n = 0, m = 0;
    const float *w = knonnx_floats(c, "coefficients", &n);
    const float *b = knonnx_floats(c, "intercepts", &m);
    int64_t features = kn_dim(x, 1);
    if (features < 0)
        return NULL;
    if (lines < 0)
        lines = features ? n / features : 0;
    if (!w || lines * features != n || (m && m != lines)) {
        knonnx_fail(c, KN_ERROR_VALUE, "%d coefficients and %d intercepts do not fit %lld results of %lld features", n,
                    m, (long long)lines, (long long)features);
        return NULL;
    }
    kn_array weights = knonnx_shaped(knonnx_of_floats(w, n), 2, (int64_t[]){lines, features});
    kn_array y = kn_matmul(x, kn_swapaxes(knonnx_as(weights, kn_dtype_of(x)), 0, 1));
    return m ? kn_add(y, knonnx_as(knonnx_of_floats(b, m), kn_dtype_of(x))) : y;
}

static int op_linear_regressor(knonnx_call *c)
{
    kn_array x = knonnx_ml_rows(c);
    int64_t targets = knonnx_int(c, "targets", 1);
    if (!x || targets < 1)
        return x ? knonnx_fail(c, KN_ERROR_VALUE, "targets=%lld is below 1", (long long)targets) : -1;
    kn_array y = products(c, x, targets);
    y = y ? knonnx_ml_post(c, y, knonnx_string(c, "post_transform", "NONE")) : NULL;
    return y ? knonnx_set(c, 0, knonnx_as(y, KN_F32)) : -1;
}

/* One score stands for two classes: the second one's, the first one's being its negative. A single class is there or
 * not. */
static int op_linear_classifier(knonnx_call *c)
{
    static const char ints[] = "classlabels_ints", texts[] = "classlabels_strings";
    kn_array x = knonnx_ml_rows(c), y = x ? products(c, x, -1) : NULL;
    const char *how = knonnx_string(c, "post_transform", "NONE");
    if (!y || !how)
        return -1;
    if (kn_dim(y, 1) == 1 && knonnx_ml_label_count(c, ints, texts) == 2)
        y = knonnx_ml_columns(kn_negative(knonnx_ml_column(y, 0)), knonnx_ml_column(y, 0));
    y = knonnx_ml_post(c, y, how);
    if (!y)
        return -1;
    if (kn_dim(y, 1) != 1)
        return knonnx_ml_labels(c, 0, knonnx_ml_best(y), ints, texts) || knonnx_set(c, 1, knonnx_as(y, KN_F32)) ? -1
                                                                                                                : 0;
    kn_array here = kn_greater_equal(knonnx_ml_column(y, 0), kn_like_double(strcmp(how, "NONE") ? 0.5 : 0));
    int n = 0;
    const int64_t *label = knonnx_ints(c, ints, &n);
    int status = n ? knonnx_set(c, 0, kn_where(here, kn_strong(label, KN_I64), kn_like_int(0)))
                   : knonnx_ml_labels(c, 0, kn_subtract(knonnx_as(here, KN_I64), kn_like_int(knonnx_given(c, texts))),
                                      ints, texts);
    return status || knonnx_set(c, 1, knonnx_as(y, KN_F32)) ? -1 : 0;
}

/* ---- Features. */

static int op_binarizer(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_array y = kn_greater(x, kn_like_double(knonnx_float(c, "threshold", 0)));
    return knonnx_set(c, 0, knonnx_as(y, kn_dtype_of(x)));
}

static int op_scaler(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_dtype d = x && kn_dtype_of(x) == KN_F64 ? KN_F64 : KN_F32;
    kn_array offset = knonnx_ml_vector(c, "offset", d), scale = knonnx_ml_vector(c, "scale", d);
    x = knonnx_as(x, d);
    if (offset)
        x = kn_subtract(x, offset);
    if (scale)
        x = kn_multiply(x, scale);
    return x ? knonnx_set(c, 0, knonnx_as(x, KN_F32)) : -1;
}

/* Rows whose divisor is 0 stay as they are. */
static int op_normalizer(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    const char *norm = knonnx_string(c, "norm", "MAX");
    int ndim = kn_ndim(x);
    if (!norm || ndim < 1)
        return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the input has one axis or two");
    x = knonnx_as(x, kn_dtype_of(x) == KN_F64 ? KN_F64 : KN_F32);
    kn_max_opts o = kn_max_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {ndim - 1}};
    o.keepdims = true;
    kn_array by;
    if (!strcmp(norm, "MAX"))
        by = kn_max(x, &o);
    else if (!strcmp(norm, "L1"))
        by = knonnx_total(kn_abs(x), ndim - 1, true);
    else if (!strcmp(norm, "L2"))
        by = kn_sqrt(knonnx_total(kn_square(x), ndim - 1, true));
    else
        return knonnx_fail(c, KN_ERROR_VALUE, "norm=\"%.20s\" is not MAX, L1 or L2", norm);
    kn_array y = kn_divide(x, kn_where(kn_equal(by, kn_like_int(0)), kn_like_int(1), by));
    return knonnx_set(c, 0, knonnx_as(y, KN_F32));
}

static int op_imputer(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), here, value;
    if (!x)
        return -1;
    kn_dtype d = kn_dtype_of(x);
    int n = 0;
    if (knonnx_is_float(x)) {
        double old = knonnx_float(c, "replaced_value_float", 0);
        here = isnan(old) ? kn_isnan(x) : kn_equal(x, kn_like_double(old));
        const float *v = knonnx_floats(c, "imputed_value_floats", &n);
        value = knonnx_of_floats(v, n);
    } else {
        here = kn_equal(x, kn_strong(&(int64_t){knonnx_int(c, "replaced_value_int64", 0)}, KN_I64));
        const int64_t *v = knonnx_ints(c, "imputed_value_int64s", &n);
        value = knonnx_of_ints(v, n);
    }
    if (n != 1 && (!n || kn_ndim(x) < 1 || n != kn_dim(x, -1)))
        return knonnx_fail(c, KN_ERROR_VALUE, "%d values to put in, where there is one, or one for each feature", n);
    return knonnx_set(c, 0, kn_where(here, knonnx_as(value, d), x));
}

/* Inputs side by side, each cut or filled with zeros to the width that inputdimensions says. */
static int op_feature_vectorizer(knonnx_call *c)
{
    int n = 0;
    const int64_t *width = knonnx_ints(c, "inputdimensions", &n);
    kn_array *part = knonnx_take(c, (uint64_t)c->n_in + 1, sizeof *part);
    for (int i = 0; part && i < c->n_in; i++) {
        kn_array x = knonnx_as(knonnx_in(c, i), KN_F32);
        kn_shape s = kn_shape_of(x);
        if (s.ndim == 1)
            x = knonnx_shaped(x, 2, (int64_t[]){1, s.dim[0]});
        else if (s.ndim != 2)
            return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "input %d has %d axes, not 1 or 2", i, s.ndim);
        int64_t have = kn_dim(x, 1), want = i < n ? width[i] : have;
        kn_shape rest = {.ndim = 2, .dim = {kn_dim(x, 0), want - have}};
        kn_zeros_opts z = kn_zeros_opts_default();
        z.dtype = KN_F32;
        part[i] = want > have ? knonnx_join(x, kn_zeros(&rest, &z), 1) : knonnx_part(x, 1, 0, want < 0 ? 0 : want);
    }
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return part ? knonnx_set(c, 0, kn_concatenate(kn_list_from(part, c->n_in), &o)) : -1;
}

/* ---- Categories. */

static kn_array code_of_texts(knonnx_call *c, kn_shape *s)
{
    int n = 0;
    const knonnx_strings *t = c->in[0].strings;
    const char *const *cat = knonnx_texts(c, "cats_strings", &n);
    int64_t *code = cat ? knonnx_take(c, t->n + 1, sizeof *code) : NULL;
    if (!code)
        return NULL;
    for (size_t i = 0; i < t->n; i++) {
        code[i] = -1;
        for (int k = 0; k < n && code[i] < 0; k++)
            code[i] = strcmp(t->text[i], cat[k]) ? -1 : k;
    }
    s->ndim = t->ndim;
    memcpy(s->dim, t->dim, sizeof t->dim);
    return kn_from_memory(t->n ? (const void *)code : "", s, KN_I64);
}

static int op_one_hot_encoder(knonnx_call *c)
{
    kn_shape s = {0};
    kn_array x, cats;
    int n = 0;
    if (c->in[0].kind == KNONNX_STRINGS_VALUE) {
        const knonnx_attr *a = knonnx_attr_of(c, "cats_strings");
        x = code_of_texts(c, &s);
        cats = kn_lax_iota(KN_I64, a ? a->n : 0);
        n = a ? a->n : 0;
    } else {
        const int64_t *v = knonnx_ints(c, "cats_int64s", &n);
        x = knonnx_as(knonnx_in(c, 0), KN_I64);
        cats = knonnx_of_ints(v, n);
        s = kn_shape_of(x);
    }
    if (!x || !n || s.ndim < 0)
        return knonnx_fail(c, KN_ERROR_VALUE, "there are no categories of the input's type");
    s.dim[s.ndim++] = 1;
    kn_array y = kn_equal(knonnx_shaped(x, s.ndim, s.dim), cats);
    kn_any_opts o = kn_any_opts_default(), all = kn_any_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {s.ndim - 1}};
    if (!knonnx_int(c, "zeros", 1) && kn_is_concrete(y) && !kn_item_bool(kn_all(kn_any(y, &o), &all)))
        return knonnx_fail(c, KN_ERROR_VALUE, "an element is no category, and zeros=0 forbids that");
    return knonnx_set(c, 0, knonnx_as(y, KN_F32));
}

/* ---- Columns. A vector counts as one row. */

static int columns_of_texts(knonnx_call *c, const int64_t *at, int n)
{
    const knonnx_strings *t = knonnx_strings_in(c, 0);
    knonnx_strings *y = knonnx_take(c, 1, sizeof *y);
    if (!t || !y || t->ndim < 1)
        return -1;
    int64_t width = t->dim[t->ndim - 1], rows = width ? (int64_t)t->n / width : 0;
    const char **text = knonnx_take(c, (uint64_t)(rows * n) + 1, sizeof *text);
    for (int64_t i = 0; text && i < rows * n; i++) {
        if (at[i % n] < 0 || at[i % n] >= width)
            return knonnx_fail(c, KN_ERROR_INDEX, "there is no column %lld", (long long)at[i % n]);
        text[i] = t->text[i / n * width + at[i % n]];
    }
    *y = *t;
    y->ndim = t->ndim == 1 ? 2 : t->ndim;
    y->dim[0] = t->ndim == 1 ? 1 : t->dim[0];
    y->dim[y->ndim - 1] = n;
    y->n = (size_t)(rows * n);
    y->text = text;
    return text ? knonnx_set_value(c, 0, (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = y}) : -1;
}

static int op_array_feature_extractor(knonnx_call *c)
{
    if (c->in[0].kind == KNONNX_STRINGS_VALUE) {
        int n = 0;
        const int64_t *at = knonnx_ints_in(c, 1, &n);
        return at ? columns_of_texts(c, at, n) : -1;
    }
    kn_array x = knonnx_in(c, 0), at = knonnx_in(c, 1);
    if (kn_ndim(x) == 1)
        x = knonnx_shaped(x, 2, (int64_t[]){1, -1});
    kn_take_opts o = kn_take_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {-1}};
    if (!knonnx_known(c, 1) || !kn_is_concrete(x))
        o.mode = "clip"; /* there is nobody to tell while this is recorded */
    return knonnx_set(c, 0, kn_take(x, knonnx_shaped(at, 1, (int64_t[]){-1}), &o));
}

const knonnx_row knonnx_rows_ml_linear[] = {
    {"ArrayFeatureExtractor", 1, op_array_feature_extractor, 2, 2, 1, 1},
    {"Binarizer", 1, op_binarizer, 1, 1, 1, 1},
    {"FeatureVectorizer", 1, op_feature_vectorizer, 1, -1, 1, 1},
    {"Imputer", 1, op_imputer, 1, 1, 1, 1},
    {"LinearClassifier", 1, op_linear_classifier, 1, 1, 2, 2},
    {"LinearRegressor", 1, op_linear_regressor, 1, 1, 1, 1},
    {"Normalizer", 1, op_normalizer, 1, 1, 1, 1},
    {"OneHotEncoder", 1, op_one_hot_encoder, 1, 1, 1, 1},
    {"Scaler", 1, op_scaler, 1, 1, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};

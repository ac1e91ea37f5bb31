/* SPDX-License-Identifier: Apache-2.0
 * ml_svm.c -- ai.onnx.ml's SVMRegressor and SVMClassifier, as libsvm has them: a kernel of each row with each support
 * vector, and for classes a decision between each two of them. Without support vectors they are linear models. */
#include "models/onnx/ops/ml.h"
#include <math.h>
#include <string.h>

typedef struct {
    kn_array x, vectors, coefficients;
    int64_t n_vectors, lines; /* lines of coefficients, each for all vectors; of a linear model for all features */
    const float *rho;
    int n_rho;
    double gamma, coef0, degree;
    const char *kernel;
} svm;

/* (rows, vectors), or (rows, lines) of a linear model. */
static kn_array kernel(knonnx_call *c, const svm *s, kn_array with)
{
    if (!strcmp(s->kernel, "RBF")) {
        kn_array a = kn_expand_dims(s->x, &(kn_axes){.n = 2, .axis = {1}}), away = kn_square(kn_subtract(a, with));
        return kn_exp(kn_multiply(knonnx_total(away, 2, false), kn_like_double(-s->gamma)));
    }
    kn_array dot = kn_matmul(s->x, kn_swapaxes(with, 0, 1));
    if (!strcmp(s->kernel, "LINEAR"))
        return dot;
    kn_array y = kn_add(kn_multiply(dot, kn_like_double(s->gamma)), kn_like_double(s->coef0));
    if (!strcmp(s->kernel, "POLY"))
        return s->degree == floor(s->degree) && fabs(s->degree) < 64 ? kn_lax_integer_pow(y, (int64_t)s->degree)
                                                                     : kn_power(y, kn_like_double(s->degree));
    if (!strcmp(s->kernel, "SIGMOID"))
        return kn_tanh(y);
    knonnx_fail(c, KN_ERROR_VALUE, "kernel_type=\"%.20s\" is not LINEAR, POLY, RBF or SIGMOID", s->kernel);
    return NULL;
}

/* The model with so many support vectors; without any, a line of coefficients for all features for each of `lines`. */
static int svm_of(knonnx_call *c, svm *s, int64_t vectors, int64_t lines)
{
    int n = 0, n_vectors = 0, n_params = 0;
    const float *w = knonnx_floats(c, "coefficients", &n), *v = knonnx_floats(c, "support_vectors", &n_vectors);
    const float *p = knonnx_floats(c, "kernel_params", &n_params);
    *s = (svm){.x = knonnx_ml_rows(c), .n_vectors = vectors};
    s->rho = knonnx_floats(c, "rho", &s->n_rho);
    s->kernel = vectors ? knonnx_string(c, "kernel_type", "LINEAR") : "LINEAR";
    if (!s->x || !s->kernel)
        return -1;
    int64_t features = kn_dim(s->x, 1), width = vectors ? vectors : features;
    s->lines = vectors ? n / vectors : lines;
    bool fits = w && s->n_rho && vectors >= 0 && s->lines > 0 && s->lines * width == n &&
                (!vectors || vectors * features == n_vectors);
    if (!fits || (n_params && n_params != 3))
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "%d coefficients, %d numbers of %lld support vectors and %d of rho do not fit %lld features",
                           n, n_vectors, (long long)vectors, s->n_rho, (long long)features);
    s->gamma = n_params ? (double)p[0] : 0;
    s->coef0 = n_params ? (double)p[1] : 0;
    s->degree = n_params ? (double)p[2] : 0;
    kn_dtype d = kn_dtype_of(s->x);
    s->coefficients = knonnx_as(knonnx_shaped(knonnx_of_floats(w, n), 2, (int64_t[]){s->lines, width}), d);
    if (vectors)
        s->vectors = knonnx_as(knonnx_shaped(knonnx_of_floats(v, n_vectors), 2, (int64_t[]){vectors, features}), d);
    return 0;
}

static int op_svm_regressor(knonnx_call *c)
{
    svm s;
    if (svm_of(c, &s, knonnx_int(c, "n_supports", 0), 1))
        return -1;
    kn_array y = kernel(c, &s, s.n_vectors ? s.vectors : s.coefficients);
    if (!y)
        return -1;
    if (s.n_vectors)
        y = kn_matmul(y, kn_swapaxes(knonnx_part(s.coefficients, 0, 0, 1), 0, 1));
    y = kn_add(y, kn_like_double((double)s.rho[0]));
    if (knonnx_int(c, "one_class", 0))
        y = kn_where(kn_greater(y, kn_like_int(0)), kn_like_double(1), kn_like_double(-1));
    y = knonnx_ml_post(c, y, knonnx_string(c, "post_transform", "NONE"));
    return y ? knonnx_set(c, 0, knonnx_as(y, KN_F32)) : -1;
}

/* ---- Classes. */

enum { MOST_CLASSES = 64 };

/* Decisions between each two classes, (rows, pairs), and how many of them each class wins, (rows, classes). */
static kn_array decisions(knonnx_call *c, const svm *s, int classes, const int64_t *of_class, kn_array *votes)
{
    kn_array k = kernel(c, s, s->vectors),
             *score = knonnx_take(c, (uint64_t)classes * (uint64_t)classes, sizeof *score);
    kn_array won[MOST_CLASSES];
    int64_t start[MOST_CLASSES + 1] = {0};
    int n = 0;
    if (!k || !score)
        return NULL;
    for (int i = 0; i < classes; i++) {
        start[i + 1] = start[i] + of_class[i];
        won[i] = kn_like_int(0);
    }
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    for (int i = 0; i < classes; i++)
        for (int j = i + 1; j < classes; j++, n++) {
            kn_array wi = knonnx_part(knonnx_part(s->coefficients, 0, j - 1, j), 1, start[i], start[i + 1]);
            kn_array wj = knonnx_part(knonnx_part(s->coefficients, 0, i, i + 1), 1, start[j], start[j + 1]);
            kn_array a = knonnx_total(kn_multiply(knonnx_part(k, 1, start[i], start[i + 1]), wi), 1, false);
            kn_array b = knonnx_total(kn_multiply(knonnx_part(k, 1, start[j], start[j + 1]), wj), 1, false);
            score[n] = kn_add(kn_add(a, b), kn_like_double((double)s->rho[n]));
            kn_array first = knonnx_as(kn_greater(score[n], kn_like_int(0)), KN_I64);
            won[i] = kn_add(won[i], first);
            won[j] = kn_add(won[j], kn_subtract(kn_like_int(1), first));
        }
    *votes = kn_stack(kn_list_from(won, classes), &o);
    return kn_stack(kn_list_from(score, n), &o);
}

/* ---- Probabilities of the classes from those of each two (Wu, Lin and Weng 2004, the second method): the P that is
 * least in P' Q P with the sum 1, found as libsvm finds it: one after the other is set to its best, in rounds, until
 * nothing is off by more than 0.005 / classes. Every row stops when it is there. */

static kn_array with_last(kn_array x) { return kn_expand_dims(x, &(kn_axes){.n = 2, .axis = {1}}); }

static kn_array row_of(kn_array q, int t) /* (rows, classes, classes): [:, t] */
{
    kn_squeeze_opts o = kn_squeeze_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    return kn_squeeze(knonnx_part(q, 1, t, t + 1), &o);
}

static kn_array times(kn_array q, kn_array p) { return knonnx_total(kn_multiply(q, with_last(p)), 2, false); }

/* in: the number of the round, P; captured: Q. */
static void one_round(const void *captured, void *out, const void *const *in)
{
    kn_array q = *(const kn_array *)captured, p = *(const kn_array *)in[1];
    int64_t classes = kn_dim(p, 1);
    kn_array q_p = times(q, p), p_q_p = knonnx_total(kn_multiply(p, q_p), 1, false), one = kn_like_int(1);
    kn_max_opts o = kn_max_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    o.keepdims = true;
    kn_array off = kn_max(kn_abs(kn_subtract(q_p, with_last(p_q_p))), &o);
    kn_array there = kn_less(off, kn_like_double(0.005 / (double)classes)), next = p;
    for (int t = 0; t < classes; t++) {
        kn_array row = row_of(q, t), own = knonnx_ml_column(row, t), mine = knonnx_ml_column(q_p, t);
        kn_array step = kn_divide(kn_subtract(p_q_p, mine), own), more = kn_add(step, one);
        kn_array grown = kn_add(kn_multiply(step, own), kn_multiply(mine, kn_like_int(2)));
        p_q_p = kn_divide(kn_add(p_q_p, kn_multiply(step, grown)), kn_square(more));
        kn_array here = knonnx_as(kn_equal(kn_lax_iota(KN_I64, classes), kn_like_int(t)), kn_dtype_of(p));
        next = kn_divide(kn_add(next, kn_multiply(with_last(step), here)), with_last(more));
        q_p = kn_divide(kn_add(q_p, kn_multiply(with_last(step), row)), with_last(more));
    }
    *(kn_array *)out = kn_where(there, p, next);
}

static kn_array coupled_classes(const kn_array *pair, int classes)
{
    static const kn_function f = {.size_ = sizeof(kn_function),
                                  .name = "one_round",
                                  .call = one_round,
                                  .captured_bytes = sizeof(kn_array),
                                  .out_bytes = sizeof(kn_array),
                                  .n_args = 2,
                                  .arg_bytes = {sizeof(kn_array), sizeof(kn_array)}};
    kn_array row[MOST_CLASSES], line[MOST_CLASSES];
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    for (int t = 0; t < classes; t++) {
        kn_array sum = kn_like_int(0);
        for (int j = 0; j < classes; j++)
            sum = j == t ? sum : kn_add(sum, kn_square(pair[j * classes + t]));
        for (int j = 0; j < classes; j++)
            line[j] = j == t ? sum : kn_negative(kn_multiply(pair[j * classes + t], pair[t * classes + j]));
        row[t] = kn_stack(kn_list_from(line, classes), &o);
    }
    kn_array q = kn_stack(kn_list_from(row, classes), &o), y = NULL;
    kn_array p = kn_full_like(row[0], kn_like_double(1.0 / classes), NULL);
    int64_t rounds = classes > 100 ? classes : 100;
    kn_fori_loop(kn_like_int(0), kn_like_int(rounds), kn_fn_of(&f, &q), &(const kn_outs){1, {{&y, sizeof y}}},
                 &(const kn_args){1, {{&p, sizeof p}}}, NULL);
    return y;
}

/* Each decision becomes a probability by a sigmoid of its own. */
static kn_array probabilities(knonnx_call *c, kn_array score, int classes)
{
    int n[2], pairs = classes * (classes - 1) / 2, k = 0;
    const float *a = knonnx_floats(c, "prob_a", &n[0]), *b = knonnx_floats(c, "prob_b", &n[1]);
    kn_array *pair = knonnx_take(c, (uint64_t)classes * (uint64_t)classes, sizeof *pair);
    if (!pair || n[0] < pairs || n[1] < pairs) {
        knonnx_fail(c, KN_ERROR_VALUE, "%d of prob_a and %d of prob_b for %d pairs of classes", n[0], n[1], pairs);
        return NULL;
    }
    for (int i = 0; i < classes; i++)
        for (int j = i + 1; j < classes; j++, k++) {
            kn_array v = kn_add(kn_multiply(knonnx_ml_column(score, k), kn_like_double((double)a[k])),
                                kn_like_double((double)b[k]));
            kn_array first = kn_clip(kn_nn_sigmoid(kn_negative(v)), kn_like_double(1e-7), kn_like_double(1 - 1e-7));
            pair[i * classes + j] = first;
            pair[j * classes + i] = kn_subtract(kn_like_int(1), first);
        }
    return coupled_classes(pair, classes);
}

/* One score of two classes: the second one's and its negative; a probability and what it leaves. */
static kn_array two_scores(knonnx_call *c, kn_array score, const char *how)
{
    kn_array s = knonnx_ml_column(score, 0);
    return !strcmp(how, "PROBIT") ? knonnx_ml_post(c, score, how)
                                  : knonnx_ml_post(c, knonnx_ml_columns(kn_negative(s), s), how);
}

static bool all_positive(knonnx_call *c)
{
    int n = 0;
    const float *w = knonnx_floats(c, "coefficients", &n);
    for (int i = 0; i < n; i++)
        if (w[i] < 0)
            return false;
    return true;
}

static const char ints[] = "classlabels_ints", texts[] = "classlabels_strings";

static int with_vectors(knonnx_call *c, svm *s, int classes, const int64_t *of_class, const char *how)
{
    kn_array votes = NULL, score = decisions(c, s, classes, of_class, &votes), scores;
    if (!score)
        return -1;
    kn_array best = knonnx_ml_best(votes);
    int n = 0;
    if (knonnx_floats(c, "prob_a", &n) && n) {
        kn_array p = probabilities(c, score, classes);
        scores = p ? knonnx_ml_post(c, p, how) : NULL;
    } else
        scores = classes == 2 ? two_scores(c, score, how) : knonnx_ml_post(c, score, how);
    return scores ? (knonnx_ml_labels(c, 0, best, ints, texts) || knonnx_set(c, 1, knonnx_as(scores, KN_F32)) ? -1 : 0)
                  : -1;
}

static int op_svm_classifier(knonnx_call *c)
{
    svm s;
    int n = 0, classes = knonnx_ml_label_count(c, ints, texts);
    int64_t vectors = 0;
    const int64_t *of_class = knonnx_ints(c, "vectors_per_class", &n);
    const char *how = knonnx_string(c, "post_transform", "NONE");
    for (int i = 0; i < n; i++) {
        if (of_class[i] < 0 || of_class[i] > INT32_MAX)
            return knonnx_fail(c, KN_ERROR_VALUE, "vectors_per_class[%d] is %lld", i, (long long)of_class[i]);
        vectors += of_class[i];
    }
    if (!how || (vectors && (n != classes || classes < 2 || classes > MOST_CLASSES)))
        return knonnx_fail(c, KN_ERROR_VALUE, "support vectors of %d classes for %d labels (2 to %d)", n, classes,
                           MOST_CLASSES);
    if (svm_of(c, &s, vectors, classes > 1 ? classes : 1))
        return -1;
    if (vectors && (s.lines < classes - 1 || s.n_rho < classes * (classes - 1) / 2))
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld lines of coefficients and %d of rho are too few for %d classes",
                           (long long)s.lines, s.n_rho, classes);
    if (vectors)
        return with_vectors(c, &s, classes, of_class, how);
    kn_array y = kernel(c, &s, s.coefficients);
    y = y ? kn_add(y, kn_like_double((double)s.rho[0])) : NULL;
    kn_array scores = y ? knonnx_ml_post(c, y, how) : NULL, best;
    if (!scores)
        return -1;
    if (classes > 1)
        best = knonnx_ml_best(y);
    else
        best = knonnx_as(kn_greater(knonnx_ml_column(y, 0), kn_like_double(all_positive(c) ? 0.5 : 0)), KN_I64);
    if (classes <= 1)
        return knonnx_set(c, 0, best) || knonnx_set(c, 1, knonnx_as(scores, KN_F32)) ? -1 : 0;
    return knonnx_ml_labels(c, 0, best, ints, texts) || knonnx_set(c, 1, knonnx_as(scores, KN_F32)) ? -1 : 0;
}

const knonnx_row knonnx_rows_ml_svm[] = {
    {"SVMClassifier", 1, op_svm_classifier, 1, 1, 2, 2},
    {"SVMRegressor", 1, op_svm_regressor, 1, 1, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};

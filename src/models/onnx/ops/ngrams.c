/* SPDX-License-Identifier: Apache-2.0
 * ngrams.c -- TfIdfVectorizer: how often each of the known sequences of words or numbers is in a row. Items are
 * numbered first: the texts of the pool in order, or the integers themselves. Then sequences are sorted by their
 * numbers, and found by halving. */
#include "models/onnx/ops/move.h"
#include <stdlib.h>

enum { MOST_COLUMNS = 1 << 24 };

typedef struct gram {
    const int64_t *item;
    int64_t n, id;
} gram; /* id: its position in the pool, and its weight's */

typedef struct table {
    gram *gram;
    int64_t n, columns;
    const int64_t *column; /* of each gram */
    const char **sorted;   /* texts of the pool, each once; NULL: the items are integers */
    size_t n_sorted;
} table;

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int by_items(const void *a, const void *b)
{
    const gram *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (int64_t k = 0; k < x->n; k++)
        if (x->item[k] != y->item[k])
            return x->item[k] < y->item[k] ? -1 : 1;
    return 0;
}

/* The number of a text; -1: the pool does not have it. */
static int64_t number_of(const table *t, const char *text)
{
    const char **at = t->n_sorted ? bsearch(&text, t->sorted, t->n_sorted, sizeof text, by_text) : NULL;
    return at ? at - t->sorted : -1;
}

static const int64_t *number_texts(knonnx_call *c, table *t, const char *const *text, int n)
{
    int64_t *number = knonnx_take(c, (uint64_t)n + 1, sizeof *number);
    t->sorted = knonnx_take(c, (uint64_t)n + 1, sizeof *t->sorted);
    if (!number || !t->sorted)
        return NULL;
    memcpy(t->sorted, text, (size_t)n * sizeof *text);
    qsort(t->sorted, (size_t)n, sizeof *text, by_text);
    for (int k = 0; k < n; k++)
        if (!t->n_sorted || strcmp(t->sorted[t->n_sorted - 1], t->sorted[k]))
            t->sorted[t->n_sorted++] = t->sorted[k];
    for (int k = 0; k < n; k++)
        number[k] = number_of(t, text[k]);
    return number;
}

/* The pool cut into sequences: those of k + 1 items begin at counts[k]. */
static int cut_pool(knonnx_call *c, table *t, const int64_t *item, int64_t n_items, int n_indexes)
{
    int n_counts = 0;
    const int64_t *counts = knonnx_ints(c, "ngram_counts", &n_counts);
    t->gram = knonnx_take(c, (uint64_t)n_indexes + 1, sizeof *t->gram);
    if (!t->gram || !counts)
        return counts ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the attribute ngram_counts is missing");
    for (int k = 0; k < n_counts; k++) {
        int64_t from = counts[k], to = k + 1 < n_counts ? counts[k + 1] : n_items, length = k + 1;
        if (from < 0 || from > to || to > n_items || (to - from) % length)
            return knonnx_fail(c, KN_ERROR_VALUE, "ngram_counts[%d] is %lld, of %lld items", k, (long long)from,
                               (long long)n_items);
        for (; from < to; from += length) {
            if (t->n == n_indexes)
                return knonnx_fail(c, KN_ERROR_VALUE, "there are more sequences than the %d of ngram_indexes",
                                   n_indexes);
            t->gram[t->n] = (gram){item + from, length, t->n};
            t->n++;
        }
    }
    if (t->n != n_indexes)
        return knonnx_fail(c, KN_ERROR_VALUE, "ngram_indexes has %d numbers for %lld sequences", n_indexes,
                           (long long)t->n);
    qsort(t->gram, (size_t)t->n, sizeof *t->gram, by_items);
    return 0;
}

static int read_table(knonnx_call *c, table *t)
{
    int n_ints = 0, n_texts = 0, n_indexes = 0;
    const int64_t *ints = knonnx_ints(c, "pool_int64s", &n_ints);
    const char *const *texts = knonnx_texts(c, "pool_strings", &n_texts);
    t->column = knonnx_ints(c, "ngram_indexes", &n_indexes);
    if (!t->column || !ints == !texts)
        return knonnx_fail(c, KN_ERROR_VALUE, "ngram_indexes and one of pool_int64s and pool_strings are needed");
    if ((c->in[0].kind == KNONNX_STRINGS_VALUE) != (texts != NULL))
        return knonnx_fail(c, KN_ERROR_TYPE, "the input and the pool are not of one kind");
    for (int k = 0; k < n_indexes; k++) {
        if (t->column[k] < 0 || t->column[k] >= MOST_COLUMNS)
            return knonnx_fail(c, KN_ERROR_VALUE, "ngram_indexes[%d] is %lld", k, (long long)t->column[k]);
        t->columns = t->column[k] >= t->columns ? t->column[k] + 1 : t->columns;
    }
    const int64_t *item = texts ? number_texts(c, t, texts, n_texts) : ints;
    return item ? cut_pool(c, t, item, texts ? n_texts : n_ints, n_indexes) : -1;
}

typedef struct limits {
    int64_t skips, shortest, longest;
} limits;

/* Counts the sequences of a row; `part` has room for the longest. Those of one item cannot skip any. */
static void count_row(const table *t, const limits *l, const int64_t *row, int64_t n, int64_t *part, float *count)
{
    for (int64_t length = l->shortest; length <= l->longest && length <= n; length++)
        for (int64_t step = 1; step <= (length == 1 ? 1 : l->skips + 1); step++)
            for (int64_t from = 0; from + step * (length - 1) < n; from++) {
                for (int64_t k = 0; k < length; k++)
                    part[k] = row[from + k * step];
                gram wanted = {part, length, 0};
                const gram *found = t->n ? bsearch(&wanted, t->gram, (size_t)t->n, sizeof wanted, by_items) : NULL;
                if (found)
                    count[t->column[found->id]] += 1;
            }
}

/* "IDF" has the weight of what is there, "TFIDF" the count times the weight. Weights stand by column, as runtimes read
 * them. */
static int weigh(knonnx_call *c, const table *t, const char *mode, float *count, int64_t rows)
{
    int n = 0;
    const float *weight = knonnx_floats(c, "weights", &n);
    bool idf = !strcmp(mode, "IDF");
    if (!idf && strcmp(mode, "TF") && strcmp(mode, "TFIDF"))
        return knonnx_fail(c, KN_ERROR_VALUE, "mode \"%s\"", mode);
    if (!strcmp(mode, "TF"))
        return 0;
    if (weight && n < t->columns)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d weights for %lld columns", n, (long long)t->columns);
    for (int64_t k = 0; k < rows * t->columns; k++) {
        float w = weight ? weight[k % t->columns] : 1;
        count[k] = idf ? (count[k] > 0 ? w : 0) : count[k] * w;
    }
    return 0;
}

static const int64_t *row_items(knonnx_call *c, const table *t, kn_shape *shape)
{
    int n = 0;
    if (c->in[0].kind != KNONNX_STRINGS_VALUE)
        return knonnx_look(c, 0, "X") < 0 || knonnx_shape_in(c, 0, shape) < 0 ? NULL : knonnx_ints_in(c, 0, &n);
    const knonnx_strings *s = c->in[0].strings;
    int64_t *item = knonnx_take(c, (uint64_t)s->n + 1, sizeof *item);
    for (size_t k = 0; item && k < s->n; k++)
        item[k] = number_of(t, s->text[k]);
    return item && knonnx_shape_in(c, 0, shape) == 0 ? item : NULL;
}

static int tf_idf(knonnx_call *c)
{
    table t = {0};
    kn_shape shape;
    limits l = {knonnx_int(c, "max_skip_count", 0), knonnx_int(c, "min_gram_length", 1),
                knonnx_int(c, "max_gram_length", 1)};
    const char *mode = knonnx_string(c, "mode", "TF");
    if (!mode || read_table(c, &t) < 0)
        return -1;
    if (l.shortest < 1 || l.longest < l.shortest || l.longest > 1 << 20 || l.skips < 0 || l.skips > 1 << 20)
        return knonnx_fail(c, KN_ERROR_VALUE, "sequences of %lld to %lld items, %lld skipped", (long long)l.shortest,
                           (long long)l.longest, (long long)l.skips);
    const int64_t *item = row_items(c, &t, &shape);
    if (!item)
        return knonnx_done(c), -1;
    if (shape.ndim > 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "the input has %d axes", shape.ndim);
    int64_t rows = shape.ndim == 2 ? shape.dim[0] : 1, width = shape.ndim ? shape.dim[shape.ndim - 1] : 1;
    float *count = knonnx_take(c, (uint64_t)rows * (uint64_t)t.columns + 1, sizeof *count);
    int64_t *part = knonnx_take(c, (uint64_t)l.longest, sizeof *part);
    if (!count || !part)
        return -1;
    for (int64_t k = 0; k < rows; k++)
        count_row(&t, &l, item + k * width, width, part, count + k * t.columns);
    if (weigh(c, &t, mode, count, rows) < 0)
        return -1;
    kn_shape to = {1, {t.columns}}, two = {2, {rows, t.columns}};
    return knonnx_set(c, 0, kn_from_memory(count, shape.ndim == 2 ? &two : &to, KN_F32));
}

const knonnx_row knonnx_rows_ngrams[] = {
    {"TfIdfVectorizer", 9, tf_idf, 1, 1, 1, 1},
    {0},
};

/* SPDX-License-Identifier: Apache-2.0
 * maps.c -- ai.onnx.ml's operators on labels and dictionaries. A label is looked up among sorted keys: where it is not
 * there it gets the last of the values, the default. Labels that are numbers may be traced, texts are looked at. */
#include "models/onnx/ops/move.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Looking up. */

typedef struct keys {
    int n;
    const char *const *text; /* one of these */
    const int64_t *whole;
    const double *real;
} keys;

typedef struct place {
    const char *text;
    int64_t whole;
    double real;
    int64_t at;
} place;

static int by_text(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static int by_whole(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->whole != y->whole ? (x->whole < y->whole ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

static int by_real(const void *a, const void *b) /* NaN last */
{
    const place *x = a, *y = b;
    bool nx = isnan(x->real), ny = isnan(y->real);
    if (nx != ny)
        return nx - ny;
    return !nx && x->real != y->real ? (x->real < y->real ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

static bool same_key(const keys *k, const place *a, const place *b)
{
    if (k->text)
        return !strcmp(a->text, b->text);
    return k->whole ? a->whole == b->whole : a->real == b->real || (isnan(a->real) && isnan(b->real));
}

/* The keys in order, each once: of those that are equal the last one counts, before version 4, which says so, the
 * first one, as in onnxruntime. */
static place *sorted_keys(knonnx_call *c, const keys *k, int *n)
{
    place *p = knonnx_take(c, (uint64_t)k->n + 1, sizeof *p);
    if (!p)
        return NULL;
    for (int i = 0; i < k->n; i++)
        p[i] = (place){k->text ? k->text[i] : NULL, k->whole ? k->whole[i] : 0, k->real ? k->real[i] : 0, i};
    qsort(p, (size_t)k->n, sizeof *p, k->text ? by_text : k->whole ? by_whole : by_real);
    *n = 0;
    for (int i = 0; i < k->n; i++) {
        bool again = *n && same_key(k, &p[*n - 1], &p[i]);
        if (!again)
            p[(*n)++] = p[i];
        else if (c->version >= 4)
            p[*n - 1] = p[i];
    }
    return p;
}

static kn_array find_texts(knonnx_call *c, const place *p, int n, int none)
{
    const knonnx_strings *x = knonnx_strings_in(c, 0);
    int64_t *at = x ? knonnx_take(c, (uint64_t)x->n + 1, sizeof *at) : NULL;
    if (!at)
        return NULL;
    for (size_t k = 0; k < x->n; k++) {
        int low = 0, high = n;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (strcmp(p[middle].text, x->text[k]) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        at[k] = low < n && !strcmp(p[low].text, x->text[k]) ? p[low].at : none;
    }
    kn_shape shape = {.ndim = x->ndim};
    memcpy(shape.dim, x->dim, (size_t)x->ndim * sizeof *x->dim);
    return kn_from_memory(at, &shape, KN_I64);
}

static kn_array find_numbers(knonnx_call *c, const keys *k, const place *p, int n, int none)
{
    kn_array x = knonnx_in(c, 0);
    int64_t *at = x ? knonnx_take(c, (uint64_t)n + 1, sizeof *at) : NULL,
            *whole = at ? knonnx_take(c, (uint64_t)n + 1, sizeof *whole) : NULL;
    double *real = whole ? knonnx_take(c, (uint64_t)n + 1, sizeof *real) : NULL;
    if (!real)
        return NULL;
    for (int i = 0; i < n; i++) {
        at[i] = p[i].at;
        whole[i] = p[i].whole;
        real[i] = p[i].real;
    }
    at[n] = none;
    int numbers = k->real && n && isnan(real[n - 1]) ? n - 1 : n; /* NaN is equal to nothing */
    kn_dtype dtype = k->real ? KN_F64 : KN_I64;
    x = kn_astype(x, dtype, NULL);
    kn_array key = kn_from_memory(k->real ? (const void *)real : whole, &(kn_shape){1, {numbers}}, dtype);
    kn_array index = numbers ? kn_searchsorted(key, x, NULL)
                             : kn_zeros_like(x, &(kn_zeros_like_opts){sizeof(kn_zeros_like_opts), KN_I64, NULL, NULL});
    kn_take_opts clip = kn_take_opts_default();
    clip.mode = "clip";
    kn_array not_there = kn_like_int(n);
    if (numbers)
        index = kn_where(kn_equal(kn_take(key, index, &clip), x), index, not_there);
    else
        index = kn_full_like(index, not_there, NULL);
    if (numbers < n)
        index = kn_where(kn_isnan(x), kn_like_int(n - 1), index);
    return kn_take(knonnx_int_array(at, n + 1), index, NULL);
}

/* For each label the position of its key, or k->n. */
static kn_array positions_of(knonnx_call *c, const keys *k)
{
    int n = 0;
    const place *p = sorted_keys(c, k, &n);
    if (!p)
        return NULL;
    return k->text ? find_texts(c, p, n, k->n) : find_numbers(c, k, p, n, k->n);
}

/* ---- LabelEncoder and CategoryMapper. */

/* Values by position, the last one the default; texts or an array. */
typedef struct values {
    const char **text;
    kn_array array;
} values;

static int set_values(knonnx_call *c, const keys *k, const values *v)
{
    kn_array at = positions_of(c, k);
    if (!at)
        return knonnx_done(c), -1;
    if (!v->text)
        return knonnx_set(c, 0, kn_take(v->array, at, NULL));
    knonnx_pool pool = {.kind = KNONNX_POOL_TEXTS, .n = (size_t)k->n + 1, .text = v->text};
    return knonnx_look(c, 0, "X") < 0 ? -1 : knonnx_set_moved(c, &pool, 0, at);
}

static const char **with_default(knonnx_call *c, const char *const *text, int n, const char *last)
{
    const char **to = knonnx_take(c, (uint64_t)n + 1, sizeof *to);
    if (to && n)
        memcpy(to, text, (size_t)n * sizeof *to);
    if (to)
        to[n] = last;
    return to;
}

static kn_array array_with(kn_array x, kn_array last)
{
    kn_dtype dtype = kn_dtype_of(x);
    kn_array both[2] = {kn_ravel(x, NULL), kn_reshape(kn_astype(last, dtype, NULL), &(kn_shape){1, {1}}, NULL)};
    return kn_concatenate(kn_list_from(both, 2), NULL);
}

static const double *as_doubles(knonnx_call *c, const float *x, int n)
{
    double *to = knonnx_take(c, (uint64_t)n + 1, sizeof *to);
    for (int k = 0; to && k < n; k++)
        to[k] = x[k];
    return to;
}

/* The keys of a tensor: texts, integers or floats. */
static int tensor_keys(knonnx_call *c, const knonnx_value *v, keys *k)
{
    knonnx_call inner = *c;
    inner.in = v;
    inner.n_in = 1;
    if (v->kind == KNONNX_STRINGS_VALUE) {
        k->n = (int)v->strings->n;
        k->text = v->strings->text;
        return 0;
    }
    if (v->kind != KNONNX_TENSOR_VALUE)
        return -1;
    if (kn_dtype_kind(kn_dtype_of(v->array)) == 'f')
        k->real = knonnx_doubles_in(&inner, 0, &k->n);
    else
        k->whole = knonnx_ints_in(&inner, 0, &k->n);
    return k->real || k->whole ? 0 : -1;
}

static int read_keys(knonnx_call *c, keys *k)
{
    int n_floats = 0, n_ints = 0, n_texts = 0;
    const knonnx_attr *t = knonnx_attr_of(c, "keys_tensor");
    const float *floats = knonnx_floats(c, "keys_floats", &n_floats);
    k->whole = knonnx_ints(c, "keys_int64s", &n_ints);
    k->text = knonnx_texts(c, "keys_strings", &n_texts);
    if ((t != NULL) + (floats != NULL) + (k->whole != NULL) + (k->text != NULL) != 1)
        return knonnx_fail(c, KN_ERROR_VALUE,
                           "one of the attributes keys_strings, keys_int64s, keys_floats and keys_tensor is needed");
    if (t) {
        knonnx_value v = t->tensors ? knonnx_value_of(c, t->tensors) : (knonnx_value){0};
        return tensor_keys(c, &v, k);
    }
    k->n = n_floats + n_ints + n_texts;
    if (floats && !(k->real = as_doubles(c, floats, n_floats)))
        return -1;
    return 0;
}

static int tensor_values(knonnx_call *c, const knonnx_attr *t, int *n, values *v)
{
    const knonnx_attr *last = knonnx_attr_of(c, "default_tensor");
    knonnx_value x = t->tensors ? knonnx_value_of(c, t->tensors) : (knonnx_value){0};
    knonnx_value otherwise = last && last->tensors ? knonnx_value_of(c, last->tensors) : (knonnx_value){0};
    if (x.kind == KNONNX_STRINGS_VALUE) {
        bool given = otherwise.kind == KNONNX_STRINGS_VALUE && otherwise.strings->n;
        const char *text = given ? otherwise.strings->text[0] : knonnx_string(c, "default_string", "_Unused");
        *n = (int)x.strings->n;
        v->text = with_default(c, x.strings->text, *n, text);
        return v->text ? 0 : -1;
    }
    if (x.kind != KNONNX_TENSOR_VALUE)
        return -1;
    bool real = kn_dtype_kind(kn_dtype_of(x.array)) == 'f';
    kn_array number = otherwise.kind == KNONNX_TENSOR_VALUE ? otherwise.array
                      : real ? kn_asarray(kn_like_double(knonnx_float(c, "default_float", -0.0)), NULL)
                             : kn_asarray(kn_like_int(knonnx_int(c, "default_int64", -1)), NULL);
    *n = (int)kn_size(x.array);
    v->array = array_with(x.array, number);
    return 0;
}

static int read_values(knonnx_call *c, int *n, values *v)
{
    int n_floats = 0, n_ints = 0, n_texts = 0;
    const knonnx_attr *t = knonnx_attr_of(c, "values_tensor");
    const float *floats = knonnx_floats(c, "values_floats", &n_floats);
    const int64_t *ints = knonnx_ints(c, "values_int64s", &n_ints);
    const char *const *texts = knonnx_texts(c, "values_strings", &n_texts);
    if ((t != NULL) + (floats != NULL) + (ints != NULL) + (texts != NULL) != 1)
        return knonnx_fail(
            c, KN_ERROR_VALUE,
            "one of the attributes values_strings, values_int64s, values_floats and values_tensor is needed");
    *n = n_floats + n_ints + n_texts;
    if (t)
        return tensor_values(c, t, n, v);
    if (texts) {
        v->text = with_default(c, texts, n_texts, knonnx_string(c, "default_string", "_Unused"));
        return v->text ? 0 : -1;
    }
    if (floats)
        v->array = array_with(kn_from_memory(floats, &(kn_shape){1, {n_floats}}, KN_F32),
                              kn_like_double(knonnx_float(c, "default_float", -0.0)));
    else
        v->array = array_with(knonnx_int_array(ints, n_ints), kn_like_int(knonnx_int(c, "default_int64", -1)));
    return 0;
}

static int label_encoder(knonnx_call *c)
{
    keys k = {0};
    values v = {0};
    int n = 0;
    if (read_keys(c, &k) < 0 || read_values(c, &n, &v) < 0)
        return knonnx_done(c), -1;
    if (n != k.n)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d keys and %d values", k.n, n);
    return set_values(c, &k, &v);
}

/* Between texts and integers, whichever the input is not. */
static int between(knonnx_call *c, const char *const *text, const int64_t *whole, int n)
{
    keys k = {.n = n};
    values v = {0};
    if (c->in[0].kind == KNONNX_STRINGS_VALUE) {
        k.text = text;
        v.array = array_with(knonnx_int_array(whole, n), kn_like_int(knonnx_int(c, "default_int64", -1)));
    } else {
        k.whole = whole;
        v.text = with_default(c, text, n, knonnx_string(c, "default_string", "_Unused"));
        if (!v.text)
            return -1;
    }
    return set_values(c, &k, &v);
}

static int label_encoder_1(knonnx_call *c)
{
    int n = 0;
    const char *const *text = knonnx_texts(c, "classes_strings", &n);
    int64_t *whole = knonnx_take(c, (uint64_t)n + 1, sizeof *whole);
    if (!text || !whole)
        return text ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the attribute classes_strings is missing");
    for (int k = 0; k < n; k++)
        whole[k] = k;
    return between(c, text, whole, n);
}

static int category_mapper(knonnx_call *c)
{
    int n_texts = 0, n_ints = 0;
    const char *const *text = knonnx_texts(c, "cats_strings", &n_texts);
    const int64_t *whole = knonnx_ints(c, "cats_int64s", &n_ints);
    if (!text || !whole || n_texts != n_ints)
        return knonnx_fail(c, KN_ERROR_VALUE, "cats_strings and cats_int64s have %d and %d elements", n_texts, n_ints);
    return between(c, text, whole, n_texts);
}

/* ---- Dictionaries. */

static const knonnx_value *map_in(knonnx_call *c, int i)
{
    if (i < c->n_in && c->in[i].kind == KNONNX_MAP_VALUE)
        return &c->in[i];
    knonnx_fail(c, KN_ERROR_TYPE, "input %d is no map", i);
    return NULL;
}

static kn_array zero_of(kn_array like)
{
    kn_zeros_opts o = kn_zeros_opts_default();
    o.dtype = like ? kn_dtype_of(like) : KN_F32;
    return kn_zeros(&(kn_shape){0}, &o);
}

/* The values of a map at places 0 ... n - 1, `at[k]` being that of pair k (-1: left out); elsewhere zeros or empty
 * texts. */
static knonnx_value spread(knonnx_call *c, const knonnx_value *map, const int64_t *at, int64_t n, knonnx_value nothing)
{
    knonnx_value *v = knonnx_take(c, (uint64_t)n + 1, sizeof *v);
    for (int64_t k = 0; v && k < n; k++)
        v[k] = nothing;
    for (size_t k = 0; v && k < map->n; k++)
        if (at[k] >= 0 && at[k] < n)
            v[at[k]] = map->item[k];
    return v ? knonnx_stacked(c, v, (size_t)n, 0) : (knonnx_value){0};
}

static knonnx_value nothing_like(knonnx_call *c, const knonnx_value *map)
{
    static const char *const empty[] = {""};
    if (map->n && map->item[0].kind == KNONNX_STRINGS_VALUE)
        return knonnx_of_texts(c, &(kn_shape){0}, empty);
    return knonnx_of_array(zero_of(map->n ? map->item[0].array : NULL));
}

/* A row of a matrix, as in onnxruntime, with which models are trained; the text of the operator has a vector. */
static int dict_vectorizer(knonnx_call *c)
{
    int n_ints = 0, n_texts = 0;
    const knonnx_value *map = map_in(c, 0);
    const int64_t *ints = knonnx_ints(c, "int64_vocabulary", &n_ints);
    const char *const *texts = knonnx_texts(c, "string_vocabulary", &n_texts);
    int64_t *at = map ? knonnx_take(c, map->n + 1, sizeof *at) : NULL;
    if (!at)
        return -1;
    if (!ints == !texts || (map->n && (map->keys != NULL) != (texts != NULL)))
        return knonnx_fail(c, KN_ERROR_VALUE, "one vocabulary, of the kind of the map's keys, is needed");
    for (size_t k = 0; k < map->n; k++) {
        at[k] = -1;
        for (int i = 0; i < n_ints + n_texts && at[k] < 0; i++)
            if (texts ? !strcmp(texts[i], map->keys->text[k]) : ints[i] == map->key_ints[k])
                at[k] = i;
    }
    if (n_ints + n_texts == 0)
        return knonnx_fail(c, KN_ERROR_VALUE, "the vocabulary is empty");
    knonnx_value row = spread(c, map, at, n_ints + n_texts, nothing_like(c, map));
    knonnx_value v = row.kind == KNONNX_ABSENT ? row : knonnx_stacked(c, &row, 1, 0);
    return v.kind == KNONNX_ABSENT ? (knonnx_done(c), -1) : knonnx_set_value(c, 0, v);
}

/* A value of a map as CastMap wants it: a number as a text, a text as a number. */
static knonnx_value cast_value(knonnx_call *c, const knonnx_value *v, const char *to)
{
    enum { WRITTEN = 400 };
    bool text = v->kind == KNONNX_STRINGS_VALUE, wants_text = !strcmp(to, "TO_STRING");
    if (text && wants_text)
        return *v;
    if (wants_text) {
        char *written = knonnx_take(c, WRITTEN, 1);
        const char **list = knonnx_take(c, 1, sizeof *list);
        if (!written || !list || !kn_is_concrete(v->array)) {
            knonnx_fail(c, KN_ERROR_CONCRETIZATION, "numbers that are being traced cannot become texts");
            return (knonnx_value){0};
        }
        snprintf(written, WRITTEN, "%f", kn_item(v->array)); /* as onnxruntime writes them */
        for (char *comma = strchr(written, ','); comma; comma = NULL)
            *comma = '.'; /* in every locale */
        *list = written;
        return knonnx_of_texts(c, &(kn_shape){0}, list);
    }
    bool real = !strcmp(to, "TO_FLOAT");
    kn_array x =
        text && real ? kn_reshape(kn_fromstring(v->strings->text[0], " ", NULL), &(kn_shape){0}, NULL) : v->array;
    int64_t whole = text && !real ? strtoll(v->strings->text[0], NULL, 10) : 0;
    return knonnx_of_array(text && !real ? kn_strong(&whole, KN_I64) : kn_astype(x, real ? KN_F32 : KN_I64, NULL));
}

static int cast_map(knonnx_call *c)
{
    const knonnx_value *map = map_in(c, 0);
    const char *to = knonnx_string(c, "cast_to", "TO_FLOAT"), *form = knonnx_string(c, "map_form", "DENSE");
    int64_t most = knonnx_int(c, "max_map", 1), *at = map ? knonnx_take(c, map->n + 1, sizeof *at) : NULL;
    knonnx_value *item = at ? knonnx_take(c, map->n + 1, sizeof *item) : NULL, cast = map ? *map : (knonnx_value){0};
    if (!item || !to || !form)
        return -1;
    bool sparse = !strcmp(form, "SPARSE");
    if (sparse && (most < 1 || most > 1 << 24))
        return knonnx_fail(c, KN_ERROR_VALUE, "max_map is %lld", (long long)most);
    if ((!sparse && strcmp(form, "DENSE")) ||
        (strcmp(to, "TO_FLOAT") && strcmp(to, "TO_STRING") && strcmp(to, "TO_INT64")))
        return knonnx_fail(c, KN_ERROR_VALUE, "map_form \"%s\", cast_to \"%s\"", form, to);
    if (!map->n || !map->key_ints)
        return knonnx_fail(c, KN_ERROR_VALUE, "the map has to have integers as keys, and one at least");
    for (size_t k = 0; k < map->n; k++) {
        if (sparse && (map->key_ints[k] < 0 || map->key_ints[k] >= most))
            return knonnx_fail(c, KN_ERROR_VALUE, "the key %lld is not below max_map, %lld",
                               (long long)map->key_ints[k], (long long)most);
        at[k] = sparse ? map->key_ints[k] : 0;
        for (size_t i = 0; i < map->n && !sparse; i++)
            at[k] += map->key_ints[i] < map->key_ints[k];
        item[k] = cast_value(c, &map->item[k], to);
        if (item[k].kind == KNONNX_ABSENT)
            return knonnx_done(c), -1;
    }
    cast.item = item;
    knonnx_value row = spread(c, &cast, at, sparse ? most : (int64_t)map->n, nothing_like(c, &cast));
    knonnx_value v = row.kind == KNONNX_ABSENT ? row : knonnx_stacked(c, &row, 1, 0);
    return v.kind == KNONNX_ABSENT ? (knonnx_done(c), -1) : knonnx_set_value(c, 0, v);
}

static int zip_map(knonnx_call *c)
{
    int n_ints = 0, n_texts = 0;
    kn_array x = knonnx_in(c, 0);
    const int64_t *ints = knonnx_ints(c, "classlabels_int64s", &n_ints);
    const char *const *texts = knonnx_texts(c, "classlabels_strings", &n_texts);
    if (!x)
        return -1;
    kn_shape shape = kn_shape_of(x);
    int64_t n = n_ints + n_texts, rows = shape.ndim == 2 ? shape.dim[0] : 1;
    if (!ints == !texts || (shape.ndim != 1 && shape.ndim != 2) || shape.dim[shape.ndim - 1] != n)
        return knonnx_fail(c, KN_ERROR_VALUE, "one list of labels is needed, with one for each column");
    knonnx_value names = texts ? knonnx_of_texts(c, &(kn_shape){1, {n}}, texts) : (knonnx_value){0};
    knonnx_value *row = knonnx_take(c, (uint64_t)rows + 1, sizeof *row),
                 *item = knonnx_take(c, (uint64_t)(rows * n) + 1, sizeof *item);
    if (!row || !item || (texts && !names.strings))
        return -1;
    kn_list parts = kn_unstack(kn_ravel(x, NULL), NULL);
    for (int64_t k = 0; k < rows * n; k++)
        item[k] = knonnx_of_array(kn_list_get(parts, (int)k));
    for (int64_t k = 0; k < rows; k++)
        row[k] = (knonnx_value){
            .kind = KNONNX_MAP_VALUE, .n = (size_t)n, .item = item + k * n, .keys = names.strings, .key_ints = ints};
    return knonnx_set_value(c, 0, (knonnx_value){.kind = KNONNX_SEQUENCE_VALUE, .n = (size_t)rows, .item = row});
}

const knonnx_row knonnx_rows_maps[] = {
    {"LabelEncoder", 1, label_encoder_1, 1, 1, 1, 1},
    {"LabelEncoder", 2, label_encoder, 1, 1, 1, 1},
    {"CategoryMapper", 1, category_mapper, 1, 1, 1, 1},
    {"CastMap", 1, cast_map, 1, 1, 1, 1},
    {"DictVectorizer", 1, dict_vectorizer, 1, 1, 1, 1},
    {"ZipMap", 1, zip_map, 1, 1, 1, 1},
    {0},
};

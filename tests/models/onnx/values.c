/* SPDX-License-Identifier: Apache-2.0
 * values.c -- files of TensorProto, SequenceProto, OptionalProto, and comparing values. */
#include "values.h"
#include "models/onnx/proto.h"
#include "models/onnx/read.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sequence {
    int64_t elem;
    const knonnx_tensor *tensor;
    const struct sequence *sequence;
    const struct optional *optional;
    const struct map *map;
    int n_tensor, n_sequence, n_optional, n_map;
} sequence;

typedef struct optional {
    int64_t elem;
    const knonnx_tensor *tensor;
    const sequence *sequence;
    const struct optional *optional;
} optional;

typedef struct map {
    int64_t key_type;
    const int64_t *key;
    const knonnx_bytes *text;
    const sequence *values;
    int n_key, n_text;
} map;

static const knonnx_message sequence_message, optional_message, map_message;
#define MANY(number, T, member, n, sub)                                      \
    {                                                                        \
        number, KNONNX_W_MESSAGES, offsetof(T, member), offsetof(T, n), &sub \
    }
#define ONE(number, T, member, sub)                            \
    {                                                          \
        number, KNONNX_W_MESSAGE, offsetof(T, member), 0, &sub \
    }
#define END                         \
    {                               \
        0, KNONNX_W_INT, 0, 0, NULL \
    }
static const knonnx_message sequence_message = {
    "SequenceProto", sizeof(sequence),
    (const knonnx_field[]){{2, KNONNX_W_INT, offsetof(sequence, elem), 0, NULL},
                           MANY(3, sequence, tensor, n_tensor, knonnx_tensor_message),
                           MANY(5, sequence, sequence, n_sequence, sequence_message),
                           MANY(6, sequence, map, n_map, map_message),
                           MANY(7, sequence, optional, n_optional, optional_message),
                           END},
    NULL};
static const knonnx_message optional_message = {
    "OptionalProto", sizeof(optional),
    (const knonnx_field[]){{2, KNONNX_W_INT, offsetof(optional, elem), 0, NULL},
                           ONE(3, optional, tensor, knonnx_tensor_message),
                           ONE(5, optional, sequence, sequence_message),
                           ONE(7, optional, optional, optional_message),
                           END},
    NULL};
static const knonnx_message map_message = {
    "MapProto", sizeof(map),
    (const knonnx_field[]){{2, KNONNX_W_INT, offsetof(map, key_type), 0, NULL},
                           {3, KNONNX_W_INTS, offsetof(map, key), offsetof(map, n_key), NULL},
                           {4, KNONNX_W_BYTES_LIST, offsetof(map, text), offsetof(map, n_text), NULL},
                           ONE(5, map, values, sequence_message),
                           END},
    NULL};

static knonnx_value tensor_value(knonnx_run *run, knmodels_map *file, const knonnx_tensor *t)
{
    if (t->elem == KNONNX_STRING)
        return (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = knonnx_tensor_strings(&run->arena, t)};
    return knonnx_of_array(knonnx_tensor_array("cases", file, NULL, t));
}

static knonnx_value sequence_value(knonnx_run *run, knmodels_map *file, const sequence *s, const knonnx_type *type);

static knonnx_value optional_value(knonnx_run *run, knmodels_map *file, const optional *o, const knonnx_type *type)
{
    knonnx_value *item = knmodels_take(&run->arena, 1, sizeof *item);
    bool there = o->tensor || o->sequence || o->optional;
    if (o->tensor)
        *item = tensor_value(run, file, o->tensor);
    else if (o->sequence)
        *item = sequence_value(run, file, o->sequence, type ? type->of : NULL);
    else if (o->optional)
        *item = optional_value(run, file, o->optional, type ? type->of : NULL);
    return (knonnx_value){.kind = KNONNX_OPTIONAL_VALUE, .n = there, .item = item, .type = type ? type->of : NULL};
}

static knonnx_value map_value(knonnx_run *run, knmodels_map *file, const map *m)
{
    knonnx_value values = m->values ? sequence_value(run, file, m->values, NULL) : (knonnx_value){0};
    knonnx_value v = {.kind = KNONNX_MAP_VALUE, .n = values.n, .item = values.item};
    if (m->n_text) {
        knonnx_strings *keys = knmodels_take(&run->arena, 1, sizeof *keys);
        const char **text = knmodels_take(&run->arena, (uint64_t)m->n_text, sizeof *text);
        for (int i = 0; i < m->n_text; i++)
            text[i] = knmodels_take_text(&run->arena, m->text[i].at, m->text[i].n);
        *keys = (knonnx_strings){.ndim = 1, .dim = {m->n_text}, .n = (size_t)m->n_text, .text = text};
        v.keys = keys;
    } else {
        v.key_ints = m->key;
    }
    return v;
}

static knonnx_value sequence_value(knonnx_run *run, knmodels_map *file, const sequence *s, const knonnx_type *type)
{
    size_t n = (size_t)(s->n_tensor + s->n_sequence + s->n_optional + s->n_map), k = 0;
    knonnx_value *item = knmodels_take(&run->arena, n, sizeof *item);
    for (int i = 0; i < s->n_tensor; i++)
        item[k++] = tensor_value(run, file, &s->tensor[i]);
    for (int i = 0; i < s->n_sequence; i++)
        item[k++] = sequence_value(run, file, &s->sequence[i], type ? type->of : NULL);
    for (int i = 0; i < s->n_optional; i++)
        item[k++] = optional_value(run, file, &s->optional[i], type ? type->of : NULL);
    for (int i = 0; i < s->n_map; i++)
        item[k++] = map_value(run, file, &s->map[i]);
    return (knonnx_value){.kind = KNONNX_SEQUENCE_VALUE, .n = n, .item = item, .type = type ? type->of : NULL};
}

int read_value(knonnx_run *run, const knonnx_type *type, const char *path, knonnx_value *out)
{
    knmodels_map *file = knmodels_map_file("cases", path);
    if (!file)
        return -1;
    knonnx_source s = {"cases", file->at, file->n, NULL, NULL, NULL};
    knonnx_reader r = {"cases", &run->arena, file->at, 0, &s};
    kn_onnx_kind kind = type ? type->kind : KN_ONNX_TENSOR;
    union {
        knonnx_tensor t;
        sequence s;
        optional o;
        map m;
    } u;
    memset(&u, 0, sizeof u);
    int status = 0;
    if (kind == KN_ONNX_SEQUENCE && !(status = knonnx_read(&r, &sequence_message, file->at, file->n, &u.s)))
        *out = sequence_value(run, file, &u.s, type);
    else if (kind == KN_ONNX_OPTIONAL && !(status = knonnx_read(&r, &optional_message, file->at, file->n, &u.o)))
        *out = optional_value(run, file, &u.o, type);
    else if (kind == KN_ONNX_MAP && !(status = knonnx_read(&r, &map_message, file->at, file->n, &u.m)))
        *out = map_value(run, file, &u.m);
    else if (kind <= KN_ONNX_STRINGS && !(status = knonnx_read(&r, &knonnx_tensor_message, file->at, file->n, &u.t)))
        *out = tensor_value(run, file, &u.t); /* the file stays mapped while the process lives */
    return status;
}

/* ---- Comparing. */

static bool same_number(double a, double b, double rtol, double atol, double *worst)
{
    double d = fabs(a - b);
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    *worst = !(d <= *worst) ? d : *worst;
    return d <= atol + rtol * fabs(b);
}

static void put_shape(char *text, size_t room, kn_shape s)
{
    size_t n = strlen(text);
    snprintf(text + n, room - n, "(");
    for (int i = 0; i < s.ndim; i++) {
        n = strlen(text);
        snprintf(text + n, room - n, "%s%lld", i ? ", " : "", (long long)s.dim[i]);
    }
    n = strlen(text);
    snprintf(text + n, room - n, ")");
}

static bool same_array(kn_array a, kn_array b, double rtol, double atol, char *text, size_t room)
{
    kn_dtype da = kn_dtype_of(a), db = kn_dtype_of(b);
    kn_shape sa = kn_shape_of(a), sb = kn_shape_of(b);
    bool shapes = sa.ndim == sb.ndim;
    for (int i = 0; shapes && i < sa.ndim; i++)
        shapes = sa.dim[i] == sb.dim[i];
    if (!da || !db || da != db || !shapes) {
        snprintf(text, room, "%s ", da ? kn_dtype_name(da) : kn_error_message());
        put_shape(text, room, sa);
        size_t n = strlen(text);
        snprintf(text + n, room - n, " where %s ", db ? kn_dtype_name(db) : "?");
        put_shape(text, room, sb);
        return false;
    }
    kn_array x = kn_ravel(kn_astype(a, KN_C128, NULL), NULL), y = kn_ravel(kn_astype(b, KN_C128, NULL), NULL);
    int64_t n = kn_size(x), wrong = 0, first = -1;
    const double *p = kn_data_bytes(x, KN_C128), *q = kn_data_bytes(y, KN_C128);
    double worst = 0;
    rtol = da == KN_BF16 && rtol < 0x1p-6 ? 0x1p-6 : rtol; /* as ONNX's runner: two units in the last place */
    if (!p || !q) {
        snprintf(text, room, "%s", kn_error_message());
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        if (!same_number(p[2 * i], q[2 * i], rtol, atol, &worst) ||
            !same_number(p[2 * i + 1], q[2 * i + 1], rtol, atol, &worst)) {
            first = first < 0 ? i : first;
            wrong++;
        }
    if (wrong)
        snprintf(text, room, "%lld of %lld differ (%s), by %.3g at most; the first is %.9g where %.9g",
                 (long long)wrong, (long long)n, kn_dtype_name(da), worst, p[2 * first], q[2 * first]);
    return !wrong;
}

static bool same_strings(const knonnx_strings *a, const knonnx_strings *b, char *text, size_t room)
{
    bool same = a->ndim == b->ndim && a->n == b->n && !memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof *a->dim);
    if (!same)
        snprintf(text, room, "%zu strings (%d axes) where %zu (%d axes)", a->n, a->ndim, b->n, b->ndim);
    for (size_t i = 0; i < a->n && same; i++)
        if (strcmp(a->text[i], b->text[i])) {
            snprintf(text, room, "string %zu is \"%s\" where \"%s\"", i, a->text[i], b->text[i]);
            same = false;
        }
    return same;
}

bool same_value(const knonnx_value *a, const knonnx_value *b, double rtol, double atol, char *text, size_t room)
{
    if (b->kind == KNONNX_OPTIONAL_VALUE && b->n && a->kind != KNONNX_OPTIONAL_VALUE)
        return same_value(a, b->item, rtol, atol, text, room);
    if (a->kind != b->kind || (a->kind >= KNONNX_SEQUENCE_VALUE && a->n != b->n)) {
        snprintf(text, room, "of kind %d with %zu where %d with %zu", a->kind, a->n, b->kind, b->n);
        return false;
    }
    if (a->kind == KNONNX_TENSOR_VALUE)
        return same_array(a->array, b->array, rtol, atol, text, room);
    if (a->kind == KNONNX_STRINGS_VALUE)
        return same_strings(a->strings, b->strings, text, room);
    if (a->kind == KNONNX_MAP_VALUE &&
        (!a->keys != !b->keys || (a->keys && !same_strings(a->keys, b->keys, text, room)) ||
         (!a->keys && memcmp(a->key_ints, b->key_ints, a->n * sizeof *a->key_ints)))) {
        snprintf(text, room, "the keys differ");
        return false;
    }
    for (size_t i = 0; i < a->n; i++)
        if (!same_value(&a->item[i], &b->item[i], rtol, atol, text, room))
            return false;
    return true;
}

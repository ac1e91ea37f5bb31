/* SPDX-License-Identifier: Apache-2.0
 * values.c -- values as the user has them: handles, whose contents are copies in an arena of their own. */
#include "kiln/extend.h"
#include "models/onnx/model.h"
#include <stdlib.h>
#include <string.h>

typedef struct held {
    knmodels_arena arena;
    knonnx_value value;
} held;

static void drop(void *object)
{
    held *h = object;
    knmodels_arena_free(&h->arena);
    free(h);
}

static held *new_held(const char *operation)
{
    held *h = calloc(1, sizeof *h);
    if (!h)
        knbeside_no_memory(operation);
    return h;
}

static kn_onnx_value handle_of(held *h) { return kn_object_new("onnx value", h, drop); }

static const knonnx_value *get(const char *operation, kn_onnx_value v)
{
    held *h = kn_object_get(operation, "onnx value", v);
    return h ? &h->value : NULL;
}

/* ---- Copies: all but the arrays, which belong to their scope. */

static const knonnx_strings *copy_strings(knmodels_arena *a, const knonnx_strings *from)
{
    knonnx_strings *s = knmodels_take(a, 1, sizeof *s);
    const char **text = knmodels_take(a, from->n, sizeof *text);
    if (!s || !text)
        return NULL;
    *s = *from;
    s->text = text;
    for (size_t i = 0; i < from->n; i++)
        if (!(text[i] = knmodels_take_text(a, from->text[i], strlen(from->text[i]))))
            return NULL;
    return s;
}

static bool copy(knmodels_arena *a, const knonnx_value *from, knonnx_value *to, bool keep)
{
    *to = *from;
    to->type = NULL; /* of a model, which may die first */
    if (from->kind == KNONNX_TENSOR_VALUE && keep)
        kn_keep(from->array);
    if (from->strings && !(to->strings = copy_strings(a, from->strings)))
        return false;
    if (from->keys && !(to->keys = copy_strings(a, from->keys)))
        return false;
    if (from->key_ints) {
        int64_t *keys = knmodels_take(a, from->n, sizeof *keys);
        if (!keys)
            return false;
        memcpy(keys, from->key_ints, from->n * sizeof *keys);
        to->key_ints = keys;
    }
    knonnx_value *item = from->n ? knmodels_take(a, from->n, sizeof *item) : NULL;
    to->item = item;
    for (size_t i = 0; i < from->n; i++)
        if (!item || !copy(a, &from->item[i], &item[i], keep))
            return false;
    return true;
}

static kn_onnx_value copied(const char *operation, const knonnx_value *v)
{
    held *h = new_held(operation);
    if (h && !copy(&h->arena, v, &h->value, false)) {
        knbeside_no_memory(operation);
        drop(h);
        h = NULL;
    }
    return h ? handle_of(h) : NULL;
}

/* ---- Making. */

kn_onnx_value kn_onnx_tensor(kn_array x)
{
    if (!x)
        knbeside_null("onnx_tensor", "x");
    return x && kn_dtype_of(x) ? copied("onnx_tensor", &(knonnx_value){.kind = KNONNX_TENSOR_VALUE, .array = x}) : NULL;
}

kn_onnx_value kn_onnx_strings(const kn_shape *shape, const char *const *texts)
{
    knonnx_strings s = {.text = texts, .n = 1};
    if (!shape || shape->ndim < 0 || shape->ndim > KN_MAX_NDIM) {
        knbeside_fail("onnx_strings", KN_ERROR_VALUE, "the shape is none");
        return NULL;
    }
    s.ndim = shape->ndim;
    for (int i = 0; i < s.ndim; i++) {
        s.dim[i] = shape->dim[i];
        if (s.dim[i] < 0 || (s.dim[i] && s.n > (size_t)INT32_MAX / (size_t)s.dim[i])) {
            knbeside_fail("onnx_strings", KN_ERROR_VALUE, "%lld is no extent", (long long)s.dim[i]);
            return NULL;
        }
        s.n *= (size_t)s.dim[i];
    }
    for (size_t i = 0; i < s.n; i++)
        if (!texts || !texts[i]) {
            knbeside_null("onnx_strings", "text");
            return NULL;
        }
    return copied("onnx_strings", &(knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = &s});
}

static kn_onnx_value several(const char *operation, knonnx_kind kind, int n, const kn_onnx_value *items)
{
    knonnx_value *item = n < 0 || (n && !items) ? NULL : knbeside_alloc((uint64_t)n, sizeof *item);
    kn_onnx_value made = NULL;
    if (n < 0 || (n && !items))
        knbeside_fail(operation, n < 0 ? KN_ERROR_VALUE : KN_ERROR_TYPE, n < 0 ? "%d items" : "null items", n);
    else if (!item)
        knbeside_no_memory(operation);
    bool ok = item;
    for (int i = 0; i < n && ok; i++) {
        const knonnx_value *v = get(operation, items[i]);
        ok = v;
        if (v)
            item[i] = *v;
    }
    if (ok)
        made = copied(operation, &(knonnx_value){.kind = kind, .n = (size_t)n, .item = item});
    free(item);
    return made;
}

kn_onnx_value kn_onnx_sequence(int n, const kn_onnx_value *items)
{
    return several("onnx_sequence", KNONNX_SEQUENCE_VALUE, n, items);
}

kn_onnx_value kn_onnx_optional(kn_onnx_value item)
{
    return several("onnx_optional", KNONNX_OPTIONAL_VALUE, item ? 1 : 0, &item);
}

kn_onnx_value kn_onnx_map(int n, const char *const *keys, const int64_t *int_keys, kn_array values)
{
    const char *op = "onnx_map";
    kn_shape s = values ? kn_shape_of(values) : (kn_shape){-1, {0}};
    if (n < 0 || s.ndim != 1 || s.dim[0] != n || (n && !keys && !int_keys)) {
        knbeside_fail(op, KN_ERROR_VALUE, "%d keys, and values of another shape, or no keys", n);
        return NULL;
    }
    kn_onnx_value texts = keys ? kn_onnx_strings(&s, keys) : NULL;
    const knonnx_value *k = texts ? get(op, texts) : NULL;
    knonnx_value *item = !keys || k ? knbeside_alloc((uint64_t)n, sizeof *item) : NULL;
    if (!item) {
        if (!keys || k)
            knbeside_no_memory(op);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        item[i] = knonnx_of_array(kn_take(values, kn_like_int(i), NULL));
    kn_onnx_value made = copied(op, &(knonnx_value){.kind = KNONNX_MAP_VALUE,
                                                    .n = (size_t)n,
                                                    .item = item,
                                                    .keys = k ? k->strings : NULL,
                                                    .key_ints = keys ? NULL : int_keys});
    free(item);
    return made;
}

/* ---- Looking. */

static const knonnx_value *of_kind(const char *operation, kn_onnx_value v, bool fits, const knonnx_value *x,
                                   const char *wanted)
{
    (void)v;
    if (x && !fits)
        knbeside_fail(operation, KN_ERROR_TYPE, "the value is not %s", wanted);
    return fits ? x : NULL;
}

kn_onnx_kind kn_onnx_value_kind(kn_onnx_value v)
{
    const knonnx_value *x = get("onnx_value_kind", v);
    switch (x ? x->kind : KNONNX_TENSOR_VALUE) {
    case KNONNX_STRINGS_VALUE: return KN_ONNX_STRINGS;
    case KNONNX_SEQUENCE_VALUE: return KN_ONNX_SEQUENCE;
    case KNONNX_OPTIONAL_VALUE: return KN_ONNX_OPTIONAL;
    case KNONNX_MAP_VALUE: return KN_ONNX_MAP;
    default: return KN_ONNX_TENSOR;
    }
}

kn_array kn_onnx_value_array(kn_onnx_value v)
{
    const char *op = "onnx_value_array";
    const knonnx_value *x = get(op, v);
    if (x && x->kind != KNONNX_TENSOR_VALUE)
        return kn_fail(KN_ERROR_TYPE, op, "the value is not a tensor");
    return x ? x->array : knbeside_failed();
}

const char *const *kn_onnx_value_texts(kn_onnx_value v, kn_shape *shape)
{
    const char *op = "onnx_value_texts";
    const knonnx_value *x = get(op, v);
    x = of_kind(op, v, x && x->kind == KNONNX_STRINGS_VALUE, x, "a tensor of strings");
    if (!x)
        return NULL;
    if (shape) {
        *shape = (kn_shape){x->strings->ndim, {0}};
        memcpy(shape->dim, x->strings->dim, sizeof shape->dim);
    }
    return x->strings->text;
}

static const knonnx_value *with_items(const char *operation, kn_onnx_value v)
{
    const knonnx_value *x = get(operation, v);
    return of_kind(operation, v, x && x->kind >= KNONNX_SEQUENCE_VALUE, x, "a sequence, an optional or a map");
}

int kn_onnx_value_count(kn_onnx_value v)
{
    const knonnx_value *x = with_items("onnx_value_count", v);
    return x ? (int)x->n : -1;
}

static bool is_there(const char *operation, const knonnx_value *x, int i)
{
    if (i >= 0 && (size_t)i < x->n)
        return true;
    knbeside_fail(operation, KN_ERROR_INDEX, "there is no %d among %zu", i, x->n);
    return false;
}

kn_onnx_value kn_onnx_value_item(kn_onnx_value v, int i)
{
    const char *op = "onnx_value_item";
    const knonnx_value *x = with_items(op, v);
    return x && is_there(op, x, i) ? copied(op, &x->item[i]) : NULL;
}

const char *kn_onnx_value_key(kn_onnx_value v, int i, int64_t *key)
{
    const char *op = "onnx_value_key";
    const knonnx_value *x = get(op, v);
    x = of_kind(op, v, x && x->kind == KNONNX_MAP_VALUE, x, "a map");
    if (!x || !is_there(op, x, i))
        return NULL;
    if (x->key_ints && key)
        *key = x->key_ints[i];
    return x->keys ? x->keys->text[i] : NULL;
}

/* ---- Running. */

static int put_inputs(const char *op, const knonnx_model *m, int n, const kn_onnx_named *inputs, knonnx_value *in)
{
    for (int k = 0; k < n; k++) {
        int at = inputs[k].name ? -1 : k;
        for (int i = 0; i < m->n_inputs && inputs[k].name; i++)
            at = strcmp(m->input[i]->name, inputs[k].name) ? at : i;
        if (at < 0 || at >= m->n_inputs)
            return knbeside_fail(op, KN_ERROR_KEY, "\"%s\" is no input of the model",
                                 inputs[k].name ? inputs[k].name : "");
        const knonnx_value *v = get(op, inputs[k].value);
        if (!v)
            return -1;
        in[at] = *v;
    }
    for (int i = 0; i < m->n_inputs; i++) {
        const knonnx_type *t = m->input[i]->type;
        if (in[i].kind == KNONNX_ABSENT && t && t->kind == KN_ONNX_OPTIONAL)
            in[i] = (knonnx_value){.kind = KNONNX_OPTIONAL_VALUE, .type = t->of};
        else if (in[i].kind == KNONNX_ABSENT)
            return knbeside_fail(op, KN_ERROR_KEY, "the input \"%s\" is missing", m->input[i]->name);
    }
    return 0;
}

static int give_outputs(const char *op, int n, const knonnx_value *out, kn_onnx_value *outputs)
{
    for (int i = 0; i < n; i++) {
        held *h = out[i].kind == KNONNX_ABSENT ? NULL : new_held(op);
        if (out[i].kind == KNONNX_ABSENT)
            continue;
        if (!h || !copy(&h->arena, &out[i], &h->value, true)) {
            if (h)
                drop(h);
            return knbeside_no_memory(op);
        }
        outputs[i] = handle_of(h);
        if (!outputs[i])
            return -1;
        kn_keep_handle(outputs[i]);
    }
    return 0;
}

int kn_onnx_call(kn_onnx model, int n, const kn_onnx_named *inputs, int n_outputs, kn_onnx_value *outputs)
{
    const char *op = "onnx_call";
    knonnx_model *m = knonnx_model_get(op, model);
    if (!m)
        return -1;
    int n_out = m->proto.graph->n_out;
    if (n < 0 || n > m->n_inputs || (n && !inputs) || n_outputs < 0 || n_outputs > n_out || (n_outputs && !outputs))
        return knbeside_fail(op, KN_ERROR_VALUE, "%d inputs and %d outputs, and the model has %d and %d", n, n_outputs,
                             m->n_inputs, n_out);
    kn_scope scope = kn_scope_begin();
    knonnx_run run = {.operation = op, .model = m, .pending = kn_error_pending()};
    knonnx_value *in = knmodels_take(&run.arena, (uint64_t)m->n_inputs, sizeof *in);
    knonnx_value *out = knmodels_take(&run.arena, (uint64_t)n_out, sizeof *out);
    for (int i = 0; i < n_outputs; i++)
        outputs[i] = NULL;
    int status = in && out ? put_inputs(op, m, n, inputs, in) : knbeside_no_memory(op);
    if (!status)
        status = knonnx_run_model(&run, in, NULL, out);
    if (!status)
        status = give_outputs(op, n_outputs, out, outputs);
    knmodels_arena_free(&run.arena);
    kn_scope_end(&scope);
    return status;
}

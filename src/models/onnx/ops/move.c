/* SPDX-License-Identifier: Apache-2.0
 * move.c -- texts as positions, and what the operators on shapes and indices share. */
#include "models/onnx/ops/move.h"

const int64_t *knonnx_ints_of(knonnx_call *c, kn_array x, int *n)
{
    knonnx_value v = knonnx_of_array(x);
    knonnx_call inner = *c;
    inner.n_in = 1;
    inner.in = &v;
    return knonnx_ints_in(&inner, 0, n);
}

static int pool_kind(knonnx_call *c, knonnx_pool *p, bool texts)
{
    int kind = texts ? KNONNX_POOL_TEXTS : KNONNX_POOL_ARRAYS;
    if (p->kind != KNONNX_POOL_OPEN && (int)p->kind != kind)
        return knonnx_fail(c, KN_ERROR_TYPE, "some inputs are strings and others are numbers");
    p->kind = texts ? KNONNX_POOL_TEXTS : KNONNX_POOL_ARRAYS;
    return 0;
}

static int pool_room(knonnx_call *c, knonnx_pool *p, size_t more)
{
    if (p->room - p->n >= more)
        return 0;
    size_t room = 2 * p->n + more;
    const char **text = knonnx_take(c, room, sizeof *text);
    if (!text)
        return -1;
    if (p->n)
        memcpy(text, p->text, p->n * sizeof *text);
    p->text = text;
    p->room = room;
    return 0;
}

int64_t knonnx_pool_add(knonnx_call *c, knonnx_pool *p, const char *text)
{
    if (pool_kind(c, p, true) < 0 || pool_room(c, p, 1) < 0)
        return -1;
    p->text[p->n] = text;
    return (int64_t)p->n++;
}

static kn_array positions(knonnx_call *c, knonnx_pool *p, const knonnx_strings *s)
{
    if (pool_kind(c, p, true) < 0 || pool_room(c, p, s->n) < 0)
        return NULL;
    if (s->n)
        memcpy(p->text + p->n, s->text, s->n * sizeof *s->text);
    kn_shape shape = {.ndim = s->ndim};
    memcpy(shape.dim, s->dim, (size_t)s->ndim * sizeof *s->dim);
    kn_array x = kn_reshape(kn_lax_iota(KN_I64, (int64_t)s->n), &shape, NULL);
    if (p->n)
        x = kn_add(x, kn_like_int((int64_t)p->n));
    p->n += s->n;
    return x;
}

kn_array knonnx_movable_value(knonnx_call *c, knonnx_pool *p, const knonnx_value *v)
{
    if (v->kind == KNONNX_STRINGS_VALUE)
        return positions(c, p, v->strings);
    if (v->kind != KNONNX_TENSOR_VALUE) {
        knonnx_fail(c, KN_ERROR_TYPE, "a tensor is needed here, not a sequence, an optional or a map");
        return NULL;
    }
    return pool_kind(c, p, false) < 0 ? NULL : v->array;
}

kn_array knonnx_movable(knonnx_call *c, knonnx_pool *p, int i)
{
    if (i < c->n_in && c->in[i].kind == KNONNX_STRINGS_VALUE)
        return positions(c, p, c->in[i].strings);
    kn_array x = knonnx_in(c, i);
    return x && pool_kind(c, p, false) == 0 ? x : NULL;
}

knonnx_value knonnx_of_texts(knonnx_call *c, const kn_shape *shape, const char *const *text)
{
    knonnx_strings *s = knonnx_take(c, 1, sizeof *s);
    if (!s)
        return (knonnx_value){.kind = KNONNX_ABSENT};
    s->ndim = shape->ndim;
    memcpy(s->dim, shape->dim, (size_t)shape->ndim * sizeof *s->dim);
    s->n = 1;
    for (int k = 0; k < shape->ndim; k++)
        s->n *= (size_t)shape->dim[k];
    s->text = text;
    return (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = s};
}

knonnx_value knonnx_moved(knonnx_call *c, const knonnx_pool *p, kn_array x)
{
    const knonnx_value none = {.kind = KNONNX_ABSENT};
    if (p->kind != KNONNX_POOL_TEXTS)
        return x ? knonnx_of_array(x) : none;
    kn_shape shape = kn_shape_of(x);
    int n = 0;
    const int64_t *at = shape.ndim < 0 ? NULL : knonnx_ints_of(c, x, &n);
    const char **text = at ? knonnx_take(c, (uint64_t)n + 1, sizeof *text) : NULL;
    if (!text)
        return none;
    for (int k = 0; k < n; k++)
        text[k] = at[k] >= 0 && (size_t)at[k] < p->n ? p->text[at[k]] : "";
    return knonnx_of_texts(c, &shape, text);
}

int knonnx_set_moved(knonnx_call *c, const knonnx_pool *p, int i, kn_array x)
{
    if (p->kind != KNONNX_POOL_TEXTS)
        return knonnx_set(c, i, x);
    if (!knonnx_wants(c, i))
        return knonnx_done(c);
    knonnx_value v = knonnx_moved(c, p, x);
    return v.kind == KNONNX_ABSENT ? (knonnx_done(c), -1) : knonnx_set_value(c, i, v);
}

int knonnx_shape_in(knonnx_call *c, int i, kn_shape *out)
{
    if (i < c->n_in && c->in[i].kind == KNONNX_STRINGS_VALUE) {
        const knonnx_strings *s = c->in[i].strings;
        out->ndim = s->ndim;
        memcpy(out->dim, s->dim, (size_t)s->ndim * sizeof *s->dim);
        return 0;
    }
    kn_array x = knonnx_in(c, i);
    if (!x)
        return -1;
    *out = kn_shape_of(x);
    return out->ndim < 0 ? (knonnx_done(c), -1) : 0;
}

int knonnx_look(knonnx_call *c, int i, const char *name)
{
    if (!knonnx_has(c, i) || c->in[i].kind != KNONNX_TENSOR_VALUE || knonnx_known(c, i))
        return 0;
    return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                       "the shape of what it gives depends on the values of %s, which are being traced: run it without "
                       "transformations (kn_onnx_run)",
                       name);
}

kn_axes knonnx_single_axis(int axis) { return (kn_axes){.n = 2, .axis = {axis}}; }

kn_array knonnx_int_array(const int64_t *v, int n)
{
    int64_t none = 0;
    return kn_from_memory(v ? v : &none, &(kn_shape){1, {n}}, KN_I64);
}

int knonnx_same_dtype(knonnx_call *c, kn_array x, kn_array y)
{
    kn_dtype a = kn_dtype_of(x), b = kn_dtype_of(y);
    if (!a || !b)
        return knonnx_done(c), -1;
    return a == b ? 0
                  : knonnx_fail(c, KN_ERROR_TYPE, "inputs of different dtypes: %s and %s", kn_dtype_name(a),
                                kn_dtype_name(b));
}

knonnx_value knonnx_stacked(knonnx_call *c, const knonnx_value *v, size_t n, int axis)
{
    const knonnx_value none = {.kind = KNONNX_ABSENT};
    knonnx_pool pool = {0};
    kn_array *x = knonnx_take(c, n, sizeof *x);
    if (!x)
        return none;
    for (size_t k = 0; k < n; k++) {
        x[k] = knonnx_movable_value(c, &pool, &v[k]);
        if (!x[k] || knonnx_same_dtype(c, x[0], x[k]) < 0)
            return none;
    }
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = knonnx_single_axis(axis);
    return knonnx_moved(c, &pool, kn_stack(kn_list_from(x, (int)n), &o));
}

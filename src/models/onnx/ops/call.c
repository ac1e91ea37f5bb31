/* SPDX-License-Identifier: Apache-2.0
 * call.c -- what operators read of their node: inputs, attributes, axes, and errors that name it. */
#include "models/onnx/ops/call.h"
#include "models/onnx/run.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors. */

static void node_text(const knonnx_call *c, char *to, size_t room)
{
    char version[32] = "";
    if (c->version && c->version != INT64_MAX)
        snprintf(version, sizeof version, " %lld", (long long)c->version);
    const char *name = *c->node->name ? c->node->name : c->n_out && *c->node->out[0] ? c->node->out[0] : "";
    snprintf(to, room, "node \"%.100s\" (%.60s, %.60s%s)", name, c->node->op,
             *c->node->domain ? c->node->domain : "ai.onnx", version);
}

static void report(const knonnx_call *c, kn_error_kind kind, const char *message)
{
    char node[300], text[1024];
    node_text(c, node, sizeof node);
    snprintf(text, sizeof text, "%s: %s", node, message);
    (void)kn_fail(kind, c->run->operation, text);
}

void knonnx_report(const knonnx_call *c, kn_error_kind kind, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report(c, kind, message);
}

void knonnx_report_missing(const knonnx_call *c, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report(c, KN_ERROR_NOT_IMPLEMENTED, message);
}

int knonnx_done(const knonnx_call *c)
{
    char message[512];
    if (c->run->pending || !kn_error_pending())
        return 0;
    snprintf(message, sizeof message, "%s", kn_error_message());
    if (!strncmp(message, c->run->operation, strlen(c->run->operation)) && strstr(message, ": node \""))
        return -1; /* it names its node */
    kn_error_kind kind = kn_error_get_kind();
    kn_error_clear();
    report(c, kind, message);
    return -1;
}

/* ---- Inputs and outputs. */

bool knonnx_has(const knonnx_call *c, int i) { return i < c->n_in && c->in[i].kind != KNONNX_ABSENT; }

bool knonnx_wants(const knonnx_call *c, int i) { return i < c->n_out && *c->node->out[i]; }

static const char *const kind_names[] = {"absent",     "a tensor",          "a tensor of strings",
                                         "a sequence", "an optional value", "a map"};

static const knonnx_value *of_kind(knonnx_call *c, int i, knonnx_kind kind)
{
    if (i < c->n_in && c->in[i].kind == kind)
        return &c->in[i];
    knonnx_fail(c, KN_ERROR_TYPE, "input %d is %s where %s is wanted", i,
                kind_names[i < c->n_in ? c->in[i].kind : KNONNX_ABSENT], kind_names[kind]);
    return NULL;
}

kn_array knonnx_in(knonnx_call *c, int i)
{
    const knonnx_value *v = knonnx_has(c, i) ? of_kind(c, i, KNONNX_TENSOR_VALUE) : NULL;
    return v ? v->array : NULL;
}

kn_array knonnx_in_or(knonnx_call *c, int i, kn_array otherwise)
{
    return knonnx_has(c, i) ? knonnx_in(c, i) : otherwise;
}

const knonnx_strings *knonnx_strings_in(knonnx_call *c, int i)
{
    const knonnx_value *v = of_kind(c, i, KNONNX_STRINGS_VALUE);
    return v ? v->strings : NULL;
}

const knonnx_value *knonnx_sequence_in(knonnx_call *c, int i) { return of_kind(c, i, KNONNX_SEQUENCE_VALUE); }

int knonnx_set(knonnx_call *c, int i, kn_array x)
{
    if (i < c->n_out)
        c->out[i] = knonnx_of_array(x);
    return x ? knonnx_done(c) : knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_RUNTIME, "output %d was not made", i);
}

int knonnx_set_value(knonnx_call *c, int i, knonnx_value v)
{
    if (i < c->n_out)
        c->out[i] = v;
    return knonnx_done(c);
}

void *knonnx_take(knonnx_call *c, uint64_t n, size_t size)
{
    void *at = knmodels_take(&c->run->arena, n, size);
    if (!at)
        knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
    return at;
}

/* ---- What can be known now. */

bool knonnx_known(const knonnx_call *c, int i)
{
    if (i >= c->n_in || c->in[i].kind != KNONNX_TENSOR_VALUE)
        return i < c->n_in && c->in[i].kind == KNONNX_STRINGS_VALUE;
    return kn_is_concrete(c->in[i].array);
}

static kn_array numbers_in(knonnx_call *c, int i, kn_dtype dtype, int *n)
{
    kn_array x = knonnx_in(c, i);
    *n = 0;
    if (!x)
        return NULL;
    if (!knonnx_known(c, i)) {
        knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                    "input %d (\"%s\") depends on values that are not known while the model is recorded", i,
                    c->node->in[i]);
        return NULL;
    }
    kn_array y = kn_astype(x, dtype, NULL);
    int64_t size = kn_size(y);
    if (size < 0 || size > 1 << 28) {
        knonnx_done(c);
        return NULL;
    }
    *n = (int)size;
    return y;
}

const int64_t *knonnx_ints_in(knonnx_call *c, int i, int *n)
{
    kn_array y = numbers_in(c, i, KN_I64, n);
    int64_t *to = y ? knonnx_take(c, (uint64_t)*n, sizeof *to) : NULL;
    return to && !kn_copy_to(y, to, (size_t)*n * sizeof *to) ? to : NULL;
}

const double *knonnx_doubles_in(knonnx_call *c, int i, int *n)
{
    kn_array y = numbers_in(c, i, KN_F64, n);
    double *to = y ? knonnx_take(c, (uint64_t)*n, sizeof *to) : NULL;
    return to && !kn_copy_to(y, to, (size_t)*n * sizeof *to) ? to : NULL;
}

int knonnx_int_in(knonnx_call *c, int i, int64_t *out)
{
    int n;
    const int64_t *v = knonnx_ints_in(c, i, &n);
    if (v && n != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "input %d has %d numbers where one is wanted", i, n);
    if (v)
        *out = *v;
    return v ? 0 : -1;
}

/* ---- Attributes. */

const knonnx_attr *knonnx_attr_of(const knonnx_call *c, const char *name)
{
    for (int i = 0; i < c->node->n_attrs; i++)
        if (!strcmp(c->node->attrs[i].name, name))
            return &c->node->attrs[i];
    return NULL;
}

bool knonnx_given(const knonnx_call *c, const char *name) { return knonnx_attr_of(c, name); }

static const knonnx_attr *attr(const knonnx_call *c, const char *name, knonnx_attr_kind kind)
{
    const knonnx_attr *a = knonnx_attr_of(c, name);
    if (!a || a->kind == kind)
        return a;
    knonnx_fail(c, KN_ERROR_TYPE, "the attribute \"%s\" is of another kind than the operator's", name);
    return NULL;
}

int64_t knonnx_int(const knonnx_call *c, const char *name, int64_t otherwise)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_INT);
    return a ? a->i : otherwise;
}

double knonnx_float(const knonnx_call *c, const char *name, double otherwise)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_FLOAT);
    return a ? (double)a->f : otherwise;
}

const char *knonnx_string(knonnx_call *c, const char *name, const char *otherwise)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_STRING);
    const char *copy = a ? knmodels_take_text(&c->run->arena, a->s.at ? a->s.at : "", a->s.n) : NULL;
    if (a && !copy)
        knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
    return copy ? copy : otherwise;
}

const int64_t *knonnx_ints(const knonnx_call *c, const char *name, int *n)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_INTS);
    *n = a ? a->n : 0;
    return a ? a->ints : NULL;
}

const float *knonnx_floats(const knonnx_call *c, const char *name, int *n)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_FLOATS);
    *n = a ? a->n : 0;
    return a ? a->floats : NULL;
}

const char *const *knonnx_texts(knonnx_call *c, const char *name, int *n)
{
    const knonnx_attr *a = attr(c, name, KNONNX_A_STRINGS);
    *n = a ? a->n : 0;
    const char **texts = a ? knonnx_take(c, (uint64_t)a->n, sizeof *texts) : NULL;
    for (int i = 0; texts && i < a->n; i++)
        if (!(texts[i] = knmodels_take_text(&c->run->arena, a->strings[i].at, a->strings[i].n)))
            return NULL;
    return texts;
}

/* ---- Axes. */

int knonnx_axis(const knonnx_call *c, int64_t axis, int ndim)
{
    if (axis < -ndim || axis >= ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "the axis %lld is none of %d", (long long)axis, ndim);
    return (int)(axis < 0 ? axis + ndim : axis);
}

int knonnx_axes(knonnx_call *c, const char *name, int since, int i, int ndim, kn_axes *out)
{
    int n = 0;
    const int64_t *from = c->version < since           ? knonnx_ints(c, name, &n)
                          : i >= 0 && knonnx_has(c, i) ? knonnx_ints_in(c, i, &n)
                                                       : NULL;
    *out = (kn_axes){0};
    if (!from)
        return (c->version >= since && i >= 0 && knonnx_has(c, i)) || knonnx_done(c) ? -1 : 0;
    if (n > KN_MAX_NDIM)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d axes are more than there can be", n);
    for (int k = 0; k < n; k++) {
        int axis = knonnx_axis(c, from[k], ndim);
        if (axis < 0)
            return -1;
        out->axis[k] = axis;
    }
    out->n = 1 + n;
    return 0;
}

/* ---- Tensors. */

kn_array knonnx_array_of(const knonnx_call *c, const knonnx_tensor *t)
{
    return knonnx_tensor_array(c->run->operation, c->run->model->file, c->run->model, t);
}

knonnx_value knonnx_value_of(knonnx_call *c, const knonnx_tensor *t)
{
    if (t->elem != KNONNX_STRING) {
        kn_array x = knonnx_array_of(c, t);
        return !x || knonnx_done(c) ? (knonnx_value){0} : knonnx_of_array(x);
    }
    const knonnx_strings *s = knonnx_tensor_strings(&c->run->arena, t);
    if (!s)
        knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
    return s ? (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = s} : (knonnx_value){0};
}

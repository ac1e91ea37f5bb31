/* SPDX-License-Identifier: Apache-2.0
 * params.c -- parameters of equations, read from their text, and shapes as tensors. */
#include "models/onnx/export/export.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *knout_param_at(const knout_eqn *e, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(e->params, name); at; at = strstr(at + 1, name)) {
        bool starts = at == e->params || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && at[n] == '=')
            return at + n + 1;
    }
    return NULL;
}

int knout_list_at(const char **at, int64_t *to)
{
    int n = 0;
    const char *p = *at;
    while (*p && *p != '(' && *p != '[')
        p++;
    if (!*p)
        return -1;
    for (p++; *p && *p != ')' && *p != ']';) {
        char *end;
        if (*p == ',' || *p == ' ') {
            p++;
            continue;
        }
        int64_t v = strtoll(p, &end, 10);
        if (end == p || (*end != ',' && *end != ')' && *end != ']') || n == KN_MAX_NDIM)
            return -1; /* an expression of unknown extents */
        to[n++] = v;
        p = end;
    }
    *at = *p ? p + 1 : p;
    return n;
}

int knout_param_ints(const knout_eqn *e, const char *name, int64_t *to)
{
    const char *at = knout_param_at(e, name);
    return at && (*at == '(' || *at == '[') ? knout_list_at(&at, to) : -1;
}

int64_t knout_param_int(const knout_eqn *e, const char *name, int64_t otherwise)
{
    const char *at = knout_param_at(e, name);
    return at && (isdigit((unsigned char)*at) || *at == '-') ? strtoll(at, NULL, 10) : otherwise;
}

bool knout_param_is(const knout_eqn *e, const char *name, const char *text)
{
    const char *at = knout_param_at(e, name);
    size_t n = strlen(text);
    return at && !strncmp(at, text, n) && !isalnum((unsigned char)at[n]);
}

/* ---- Extents. Texts of unknown ones are sums of products of names, as kn_dim_text shows them. */

bool knout_is_number(int64_t d)
{
    const char *text = kn_dim_text(d);
    return text && *text && strspn(text, "0123456789") == strlen(text);
}

static const char *expression(knout_out *w, const char **at);

static const char *variable(knout_out *w, const char *name, size_t n)
{
    for (int i = 0; i < w->n_dims; i++)
        if (strlen(w->dim[i].text) == n && !strncmp(w->dim[i].text, name, n))
            return w->dim[i].name;
    knout_out_fail(w, KN_ERROR_NOT_IMPLEMENTED, "no input has the extent %.*s alone, so that a model cannot find it",
                   (int)n, name);
    return "";
}

static const char *function(knout_out *w, const char *name, size_t n, const char **at)
{
    static const struct {
        const char *name, *op;
    } ops[] = {{"max", "Max"}, {"min", "Min"}, {"floordiv", "Div"}, {"mod", "Mod"}};
    const char *a = expression(w, at);
    *at += strspn(*at, ", ");
    const char *b = expression(w, at);
    *at += **at == ')';
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strlen(ops[i].name) == n && !strncmp(ops[i].name, name, n))
            return OP(w, ops[i].op, a, b); /* extents are not negative: Div is the floor */
    knout_out_fail(w, KN_ERROR_NOT_IMPLEMENTED, "the extent has %.*s", (int)n, name);
    return "";
}

static const char *factor(knout_out *w, const char **at)
{
    const char *from = *at, *x;
    if (isdigit((unsigned char)*from) || *from == '-') {
        char *end;
        int64_t v = strtoll(from, &end, 10);
        *at = end > from ? end : from + 1;
        return end > from ? knout_const_ints(w, 1, &v) : OP(w, "Neg", factor(w, at));
    }
    if (*from == '(') {
        (*at)++;
        x = expression(w, at);
        *at += **at == ')';
    } else {
        while (isalnum((unsigned char)**at) || **at == '_')
            (*at)++;
        size_t n = (size_t)(*at - from);
        if (!n) {
            knout_out_fail(w, KN_ERROR_NOT_IMPLEMENTED, "the extent \"%s\"", from);
            return "";
        }
        if (**at == '(') {
            (*at)++;
            x = function(w, from, n, at);
        } else {
            x = variable(w, from, n);
        }
    }
    const char *power = x;
    if (**at == '^') {
        char *end;
        for (long k = strtol(*at + 1, &end, 10); k > 1; k--)
            power = OP(w, "Mul", power, x);
        *at = end;
    }
    return power;
}

static const char *term(knout_out *w, const char **at)
{
    const char *x = factor(w, at);
    while (**at == '*' && !*w->failed) {
        (*at)++;
        x = OP(w, "Mul", x, factor(w, at));
    }
    return x;
}

static const char *expression(knout_out *w, const char **at)
{
    *at += strspn(*at, " ");
    const char *x = term(w, at);
    for (;;) {
        *at += strspn(*at, " ");
        char sign = **at;
        if ((sign != '+' && sign != '-') || *w->failed)
            return x;
        (*at)++;
        *at += strspn(*at, " ");
        x = OP(w, sign == '+' ? "Add" : "Sub", x, term(w, at));
    }
}

const char *knout_extent(knout_out *w, int64_t d)
{
    knout_out *o = w->outermost;
    if (knout_is_number(d))
        return knout_const_ints(w, 1, &d);
    const char *text = kn_dim_text(d), *at = text;
    if (!text) {
        *w->failed = true;
        return "";
    }
    for (int i = 0; i < o->n_dims; i++)
        if (!strcmp(o->dim[i].text, text))
            return o->dim[i].name;
    knbeside_bytes attrs = o->attrs; /* those of a node that is not complete yet */
    o->attrs = (knbeside_bytes){0};
    const char *name = expression(o, &at), *copy = knmodels_take_text(o->arena, text, strlen(text));
    o->attrs = attrs;
    if (o->n_dims < o->room_dims && copy) {
        o->dim[o->n_dims].text = copy;
        o->dim[o->n_dims++].name = name;
    }
    return name;
}

const char *knout_shape(knout_out *w, int ndim, const int64_t *dim)
{
    bool numbers = true;
    for (int i = 0; i < ndim; i++)
        numbers = numbers && knout_is_number(dim[i]);
    if (numbers)
        return knout_const_ints(w, ndim, dim);
    const char **part = knmodels_take(w->arena, (uint64_t)ndim, sizeof *part); /* parts of a split may be many */
    if (!part) {
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
        return "";
    }
    for (int i = 0; i < ndim; i++)
        part[i] = knout_extent(w, dim[i]);
    knout_put_attr_int(w, "axis", 0);
    return knout_emit(w, "Concat", ndim, part);
}

bool knout_static(const knout_var *v)
{
    for (int i = 0; i < v->ndim; i++)
        if (!knout_is_number(v->dim[i]))
            return false;
    return true;
}

bool knout_same_dims(const knout_var *a, const knout_var *b)
{
    return a->ndim == b->ndim && !memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof *a->dim);
}

const char *knout_reshape(knout_out *w, const char *x, int ndim, const int64_t *dim)
{
    const char *shape = knout_shape(w, ndim, dim); /* it may need nodes of its own */
    knout_put_attr_int(w, "allowzero", 1);
    return OP(w, "Reshape", x, shape);
}

const char *knout_transpose(knout_out *w, const char *x, int ndim, const int64_t *perm)
{
    bool same = true;
    for (int i = 0; i < ndim; i++)
        same = same && perm[i] == i;
    if (same)
        return x;
    knout_put_attr_ints(w, "perm", ndim, perm);
    return OP(w, "Transpose", x);
}

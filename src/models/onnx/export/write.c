/* SPDX-License-Identifier: Apache-2.0
 * write.c -- nodes, attributes, constants as messages, and the walk over equations. */
#include "models/onnx/export/export.h"
#include "models/onnx/run.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void knout_out_fail(knout_out *w, kn_error_kind kind, const char *format, ...)
{
    char message[400];
    va_list args;
    if (*w->failed)
        return;
    *w->failed = true;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (w->place && w->place->file)
        knbeside_fail(w->operation, kind, "%s (%s:%d)", message, w->place->file, w->place->line);
    else
        knbeside_fail(w->operation, kind, "%s", message);
}

void knout_refuse(knout_eqn *e, const char *why)
{
    knout_out_fail(e->w, KN_ERROR_NOT_IMPLEMENTED, "%s has no form in ONNX here: %s", e->prim, why);
}

static void *take(knout_out *w, uint64_t n, size_t size)
{
    void *at = *w->failed ? NULL : knmodels_take(w->arena, n, size);
    if (!at && !*w->failed) {
        *w->failed = true;
        knbeside_no_memory(w->operation);
    }
    return at;
}

const char *knout_new_name(knout_out *w)
{
    char text[48];
    int n = snprintf(text, sizeof text, "%s%d", w->outermost->prefix, ++*w->names);
    const char *copy = *w->failed ? NULL : knmodels_take_text(w->arena, text, (size_t)n);
    if (!copy && !*w->failed)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    return copy ? copy : "";
}

/* ---- Attributes of the next node. */

enum { A_FLOAT = 1, A_INT = 2, A_STRING = 3, A_GRAPH = 5, A_INTS = 7 };

static void put_attr(knout_out *w, const char *name, int type, knbeside_bytes *value)
{
    knbeside_bytes b = {0};
    knonnx_put_text(&b, 1, name);
    knbeside_put(&b, value->at, value->n);
    knonnx_put_int(&b, 20, type);
    b.failed = b.failed || value->failed;
    if (b.failed)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    else
        knonnx_put_bytes(&w->attrs, 5, b.at, b.n);
    knbeside_bytes_free(&b);
    knbeside_bytes_free(value);
}

void knout_put_attr_int(knout_out *w, const char *name, int64_t v)
{
    knbeside_bytes b = {0};
    knonnx_put_int(&b, 3, v);
    put_attr(w, name, A_INT, &b);
}

void knout_put_attr_float(knout_out *w, const char *name, double v)
{
    knbeside_bytes b = {0};
    knonnx_put_float(&b, 2, (float)v);
    put_attr(w, name, A_FLOAT, &b);
}

void knout_put_attr_text(knout_out *w, const char *name, const char *v)
{
    knbeside_bytes b = {0};
    knonnx_put_text(&b, 4, v);
    put_attr(w, name, A_STRING, &b);
}

void knout_put_attr_ints(knout_out *w, const char *name, int n, const int64_t *v)
{
    knbeside_bytes b = {0};
    for (int i = 0; i < n; i++)
        knonnx_put_int(&b, 8, v[i]);
    put_attr(w, name, A_INTS, &b);
}

void knout_put_attr_graph(knout_out *w, const char *name, const knbeside_bytes *graph)
{
    knbeside_bytes b = {0};
    knonnx_put_bytes(&b, 6, graph->at, graph->n);
    put_attr(w, name, A_GRAPH, &b);
}

/* ---- Nodes. */

void knout_emit_many(knout_out *w, const char *op, int n_in, const char *const *in, int n_out, const char *const *out)
{
    knbeside_bytes b = {0};
    for (int i = 0; i < n_in; i++)
        knonnx_put_text(&b, 1, in[i]);
    for (int i = 0; i < n_out; i++)
        knonnx_put_text(&b, 2, out[i]);
    knonnx_put_text(&b, 4, op);
    knbeside_put(&b, w->attrs.at, w->attrs.n);
    if (!*w->failed)
        knonnx_put_bytes(&w->nodes, 1, b.at, b.n);
    if (b.failed || w->nodes.failed || w->attrs.failed)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    knbeside_bytes_free(&b);
    knbeside_bytes_free(&w->attrs);
    w->attrs = (knbeside_bytes){0};
}

const char *knout_emit(knout_out *w, const char *op, int n_in, const char *const *in)
{
    const char *out = knout_new_name(w);
    knout_emit_many(w, op, n_in, in, 1, &out);
    return out;
}

const char *knout_cast(knout_out *w, const char *x, kn_dtype to)
{
    knonnx_elem elem = knonnx_elem_of(to);
    if (!elem)
        knout_out_fail(w, KN_ERROR_NOT_IMPLEMENTED, "ONNX has no %s", kn_dtype_name(to));
    knout_put_attr_int(w, "to", elem);
    return OP(w, "Cast", x);
}

/* ---- Constants. */

enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* The bytes of x as TensorProto.raw_data has them. */
static bool raw_bytes(knout_out *w, kn_array x, knonnx_elem elem, knbeside_bytes *out)
{
    int64_t n = kn_nbytes(x);
    int per_byte;
    bool small = knonnx_sub_byte(elem, &per_byte);
    uint8_t *at = n < 0 ? NULL : knbeside_alloc((uint64_t)n, 1);
    if (BIG && n > 0 && kn_dtype_size(kn_dtype_of(x)) > 1)
        x = kn_byteswap(x, NULL);
    if (!at || kn_tobytes(x, at, (size_t)n, NULL) < 0) {
        if (n >= 0 && !at)
            knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
        *w->failed = true;
        free(at);
        return false;
    }
    int bits = 8 / per_byte;
    for (int64_t i = 0; small && i < n; i += per_byte) {
        uint8_t packed = 0;
        for (int k = 0; k < per_byte && i + k < n; k++)
            packed = (uint8_t)(packed | (at[i + k] & ((1 << bits) - 1)) << k * bits);
        knbeside_put(out, &packed, 1);
    }
    if (!small)
        knbeside_put(out, at, (size_t)n);
    free(at);
    return true;
}

const char *knout_initializer(knout_out *w, const char *name, kn_array x)
{
    kn_dtype d = kn_dtype_of(x);
    kn_shape s = kn_shape_of(x);
    knonnx_elem elem = d ? knonnx_elem_of(d) : KNONNX_UNDEFINED;
    knbeside_bytes b = {0}, raw = {0};
    name = name ? name : knout_new_name(w);
    if (!elem || s.ndim < 0) {
        knout_out_fail(w, KN_ERROR_NOT_IMPLEMENTED, "ONNX has no %s", d ? kn_dtype_name(d) : "such constant");
        return "";
    }
    if (!raw_bytes(w, x, elem, &raw))
        return "";
    for (int i = 0; i < s.ndim; i++)
        knonnx_put_int(&b, 1, s.dim[i]);
    knonnx_put_int(&b, 2, elem);
    knonnx_put_text(&b, 8, name);
    knonnx_put_bytes(&b, 9, raw.at, raw.n);
    knonnx_put_bytes(&w->outermost->init, 5, b.at, b.n);
    if (raw.failed || b.failed || w->outermost->init.failed)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    else if (w->outermost->init.n > (size_t)2000 << 20)
        knout_out_fail(w, KN_ERROR_VALUE, "a file of ONNX has at most 2 GB, and the constants have more");
    knbeside_bytes_free(&raw);
    knbeside_bytes_free(&b);
    return name;
}

const char *knout_const_ints(knout_out *w, int n, const int64_t *v)
{
    kn_shape s = {1, {n}};
    return *w->failed ? "" : knout_initializer(w, NULL, kn_from_memory(n ? (const void *)v : "", &s, KN_I64));
}

const char *knout_number(knout_out *w, kn_dtype dtype, double v)
{
    kn_shape s = {0, {0}};
    return *w->failed ? "" : knout_initializer(w, NULL, kn_astype(kn_from_memory(&v, &s, KN_F64), dtype, NULL));
}

/* Integers by their bits: float64 does not have all of them. */
const char *knout_extreme(knout_out *w, kn_dtype dtype, bool smallest)
{
    kn_shape s = {0, {0}};
    char kind = kn_dtype_kind(dtype);
    if (kind != 'i' && kind != 'u')
        return knout_number(w, dtype, smallest ? -(double)__builtin_inff() : (double)__builtin_inff());
    uint64_t bits = kind == 'u' ? UINT64_MAX : UINT64_MAX >> (65 - 8 * kn_dtype_size(dtype));
    bits = smallest ? kind == 'u' ? 0 : ~bits : bits;
    kn_array x = kn_from_memory(&bits, &s, kind == 'u' ? KN_U64 : KN_I64);
    return *w->failed ? "" : knout_initializer(w, NULL, kn_astype(x, dtype, NULL));
}

/* ---- Equations. */

static const knout_writer *const families[] = {knout_write_elementwise, knout_write_shapes,   knout_write_indexing,
                                               knout_write_reductions,  knout_write_products, knout_write_control};

static const knout_writer *writer_of(const char *prim)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const knout_writer *r = families[f]; r->prim; r++)
            if (!strcmp(r->prim, prim))
                return r;
    return NULL;
}

static bool var_of(knout_out *w, kn_jaxpr j, uint32_t atom, knout_var *out)
{
    kn_variable v = {.size_ = sizeof v};
    if (*w->failed || kn_jaxpr_variable(j, atom, &v)) {
        *w->failed = true;
        return false;
    }
    int64_t *dim = take(w, (uint64_t)v.shape.ndim, sizeof *dim);
    if (!dim)
        return false;
    memcpy(dim, v.shape.dim, (size_t)v.shape.ndim * sizeof *dim);
    *out = (knout_var){v.dtype, v.shape.ndim, dim};
    return true;
}

static const char *atom_name(knout_out *w, kn_jaxpr j, uint32_t atom, const char *const *name)
{
    if (!(atom & KN_JAXPR_LITERAL))
        return name[atom];
    return *w->failed ? "" : knout_initializer(w, NULL, kn_jaxpr_constant(j, atom));
}

static void write_equation(knout_out *w, kn_jaxpr j, int i, const char **name)
{
    kn_equation q = {.size_ = sizeof q};
    if (kn_jaxpr_equation(j, i, &q)) {
        *w->failed = true;
        return;
    }
    const char **in = take(w, (uint64_t)q.n_in, sizeof *in), **out = take(w, (uint64_t)q.n_out, sizeof *out);
    knout_var *in_var = take(w, (uint64_t)q.n_in, sizeof *in_var),
              *out_var = take(w, (uint64_t)q.n_out, sizeof *out_var);
    const char *params = kn_jaxpr_params(j, i);
    if (!in || !out || !in_var || !out_var || !params)
        return;
    w->place = q.place;
    for (int k = 0; k < q.n_in; k++) {
        in[k] = atom_name(w, j, q.in[k], name);
        if (!var_of(w, j, q.in[k], &in_var[k]))
            return;
    }
    for (int k = 0; k < q.n_out; k++) {
        out[k] = "";
        if (!var_of(w, j, q.first_out + (uint32_t)k, &out_var[k]))
            return;
    }
    knout_eqn e = {w, j, i, q.n_in, q.n_out, q.primitive, params, in, out, in_var, out_var};
    const knout_writer *r = writer_of(q.primitive);
    if (!r)
        knout_refuse(&e, "nothing there is like it");
    else if (r->write)
        r->write(&e);
    else
        out[0] = knout_emit(w, r->op, q.n_in, in);
    for (int k = 0; k < q.n_out; k++)
        name[q.first_out + (uint32_t)k] = out[k];
}

/* Which equations somebody needs, from the last one on; NULL: a failure. */
static const bool *needed(knout_out *w, kn_jaxpr j, const kn_jaxpr_counts *n, uint64_t vars)
{
    bool *used = take(w, vars, sizeof *used), *of = take(w, (uint64_t)n->equations, sizeof *of);
    if (!used || !of)
        return NULL;
    for (int i = 0; i < n->outvars; i++) {
        uint32_t atom = kn_jaxpr_outvar(j, i);
        if (!(atom & KN_JAXPR_LITERAL))
            used[atom] = true;
    }
    for (int i = n->equations - 1; i >= 0; i--) {
        kn_equation q = {.size_ = sizeof q};
        if (kn_jaxpr_equation(j, i, &q))
            return NULL;
        for (int k = 0; k < q.n_out; k++)
            of[i] = of[i] || used[q.first_out + (uint32_t)k];
        for (int k = 0; k < q.n_in && of[i]; k++)
            if (!(q.in[k] & KN_JAXPR_LITERAL))
                used[q.in[k]] = true;
    }
    return of;
}

int knout_write_jaxpr(knout_out *w, kn_jaxpr j, const char *const *in, const char **out)
{
    kn_jaxpr_counts n = kn_jaxpr_count(j);
    if (n.equations < 0 || *w->failed)
        return -1;
    uint64_t vars = (uint64_t)n.constvars + (uint64_t)n.invars;
    for (int i = 0; i < n.equations; i++) {
        kn_equation q = {.size_ = sizeof q};
        if (kn_jaxpr_equation(j, i, &q))
            return -1;
        vars = q.first_out + (uint64_t)q.n_out > vars ? q.first_out + (uint64_t)q.n_out : vars;
    }
    const char **name = take(w, vars, sizeof *name);
    const bool *of = needed(w, j, &n, vars);
    if (!name || !of)
        return -1;
    for (int i = 0; i < n.constvars && !*w->failed; i++)
        name[i] = knout_initializer(w, NULL, kn_jaxpr_constant(j, (uint32_t)i));
    for (int i = 0; i < n.invars; i++)
        name[n.constvars + i] = in[i];
    for (int i = 0; i < n.equations && !*w->failed; i++)
        if (of[i])
            write_equation(w, j, i, name);
    for (int i = 0; i < n.outvars && !*w->failed; i++)
        out[i] = atom_name(w, j, kn_jaxpr_outvar(j, i), name);
    return *w->failed ? -1 : 0;
}

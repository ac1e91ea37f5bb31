/* SPDX-License-Identifier: Apache-2.0
 * control.c -- calls are written in place; loops and branches have subgraphs, which see the names around them. */
#include "models/onnx/export/control.h"
#include <stdlib.h>
#include <string.h>

static const char **take_names(knout_out *w, int n)
{
    const char **names = *w->failed ? NULL : knmodels_take(w->arena, (uint64_t)n + 1, sizeof *names);
    if (!names)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    return names;
}

/* A jaxpr among the parameters, counted from 0, in place. */
static void inlined(knout_eqn *e, int k, const char *const *in, const char **out)
{
    kn_jaxpr j = kn_jaxpr_sub(e->jaxpr, e->index, k);
    if (!j || knout_write_jaxpr(e->w, j, in, out))
        *e->w->failed = true;
}

static void call(knout_eqn *e) { inlined(e, 0, e->in, e->out); }

/* ---- Values as messages. */

void knout_put_info(knbeside_bytes *to, uint32_t number, const char *name, const knout_var *v)
{
    knbeside_bytes shape = {0}, tensor = {0}, type = {0}, info = {0};
    for (int i = 0; i < v->ndim; i++) {
        knbeside_bytes dim = {0};
        if (knout_is_number(v->dim[i]))
            knonnx_put_int(&dim, 1, v->dim[i]);
        else
            knonnx_put_text(&dim, 2, kn_dim_text(v->dim[i]));
        knonnx_put_bytes(&shape, 1, dim.at, dim.n);
        knbeside_bytes_free(&dim);
    }
    knonnx_put_int(&tensor, 1, knonnx_elem_of(v->dtype));
    knonnx_put_bytes(&tensor, 2, shape.at, shape.n);
    knonnx_put_bytes(&type, 1, tensor.at, tensor.n);
    knonnx_put_text(&info, 1, name);
    knonnx_put_bytes(&info, 2, type.at, type.n);
    knonnx_put_bytes(to, number, info.at, info.n);
    to->failed = to->failed || shape.failed || tensor.failed || type.failed || info.failed;
    knbeside_bytes_free(&shape);
    knbeside_bytes_free(&tensor);
    knbeside_bytes_free(&type);
    knbeside_bytes_free(&info);
}

/* ---- Subgraphs. */

static knout_out begin(knout_out *w)
{
    return (knout_out){.operation = w->operation,
                       .arena = w->arena,
                       .outermost = w->outermost,
                       .names = w->names,
                       .failed = w->failed,
                       .opset = w->opset,
                       .place = w->place};
}

/* What a subgraph gives has names of its own. */
static void end(knout_out *w, knout_out *sub, const char *attr, int n_in, const char *const *in,
                const knout_var *in_var, int n_out, const char *const *out, const knout_var *out_var)
{
    knbeside_bytes g = {0}, infos = {0};
    for (int i = 0; i < n_in; i++)
        knout_put_info(&infos, 11, in[i], &in_var[i]);
    for (int i = 0; i < n_out; i++)
        knout_put_info(&infos, 12, *w->failed ? "" : OP(sub, "Identity", out[i]), &out_var[i]);
    knbeside_put(&g, sub->nodes.at, sub->nodes.n);
    knonnx_put_text(&g, 2, "body");
    knbeside_put(&g, infos.at, infos.n);
    if (g.failed || infos.failed || sub->nodes.failed)
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
    else
        knout_put_attr_graph(w, attr, &g);
    knbeside_bytes_free(&g);
    knbeside_bytes_free(&infos);
    knbeside_bytes_free(&sub->nodes);
    knbeside_bytes_free(&sub->attrs);
}

/* ---- Branches. */

static int branches_of(const knout_eqn *e) { return kn_jaxpr_sub_count(e->jaxpr, e->index); }

/* Writes into w the choice among the branches from k on. */
static void choose(knout_eqn *e, knout_out *w, int k, const char **out)
{
    knout_eqn inner = *e;
    inner.w = w;
    if (k == branches_of(e) - 1) {
        inlined(&inner, k, e->in + 1, out);
        return;
    }
    bool is_bool = e->in_var[0].dtype == KN_BOOL;
    const char *above = is_bool ? e->in[0] : OP(w, "Greater", e->in[0], knout_number(w, e->in_var[0].dtype, k));
    const char **made = take_names(w, e->n_out);
    for (int i = 0; i < 2 && !*w->failed; i++) {
        knout_out sub = begin(w);
        knout_eqn in_branch = *e;
        in_branch.w = &sub;
        if (i)
            inlined(&in_branch, k, e->in + 1, made);
        else
            choose(e, &sub, k + 1, made);
        end(w, &sub, i ? "else_branch" : "then_branch", 0, NULL, NULL, e->n_out, made, e->out_var);
    }
    for (int i = 0; i < e->n_out; i++)
        out[i] = knout_new_name(w);
    knout_emit_many(w, "If", 1, &above, e->n_out, out);
}

static void cond(knout_eqn *e)
{
    if (branches_of(e) < 1)
        knout_refuse(e, "without branches");
    else
        choose(e, e->w, 0, e->out);
}

/* ---- Loops. */

static void names_of(knout_out *w, int n, const char **names)
{
    for (int i = 0; i < n; i++)
        names[i] = knout_new_name(w);
}

static void while_(knout_eqn *e)
{
    knout_out *w = e->w, sub = begin(w);
    int n_cond = 0, carry = e->n_out, n_body;
    for (const char *at = strstr(e->params, "cond_nconsts="); at; at = strstr(at + 1, "cond_nconsts="))
        n_cond = atoi(at + strlen("cond_nconsts="));
    n_body = e->n_in - carry - n_cond;
    const char **args = take_names(w, e->n_in), **out = take_names(w, carry + 2), **in = take_names(w, carry + 2);
    const char **first = take_names(w, carry + 2);
    knout_var *in_var = *w->failed ? NULL : knmodels_take(w->arena, (uint64_t)carry + 2, sizeof *in_var);
    if (!in_var || n_body < 0)
        return;
    memcpy(args, e->in, (size_t)n_cond * sizeof *args);
    memcpy(args + n_cond, e->in + n_cond + n_body, (size_t)carry * sizeof *args);
    inlined(e, 1, args, &first[1]); /* the first test is before the loop */
    first[0] = "";
    memcpy(first + 2, e->in + n_cond + n_body, (size_t)carry * sizeof *first);
    in_var[0] = (knout_var){KN_I64, 0, NULL};
    in_var[1] = (knout_var){KN_BOOL, 0, NULL};
    memcpy(in_var + 2, e->out_var, (size_t)carry * sizeof *in_var);
    names_of(w, carry + 2, in);
    knout_eqn body = *e;
    body.w = &sub;
    memcpy(args, e->in + n_cond, (size_t)n_body * sizeof *args);
    memcpy(args + n_body, in + 2, (size_t)carry * sizeof *args);
    inlined(&body, 0, args, out + 1);
    memcpy(args, e->in, (size_t)n_cond * sizeof *args);
    memcpy(args + n_cond, out + 1, (size_t)carry * sizeof *args);
    inlined(&body, 1, args, out);
    end(w, &sub, "body", carry + 2, in, in_var, carry + 1, out, in_var + 1);
    names_of(w, carry, e->out);
    knout_emit_many(w, "Loop", carry + 2, first, carry, e->out);
}

static int64_t last_int(const knout_eqn *e, const char *name)
{
    int64_t v = 0;
    for (const char *at = strstr(e->params, name); at; at = strstr(at + 1, name))
        v = strtoll(at + strlen(name), NULL, 10);
    return v;
}

/* An array without its first axis. */
static knout_var row_of(const knout_var *v) { return (knout_var){v->dtype, v->ndim - 1, v->dim + 1}; }

static void scan(knout_eqn *e)
{
    knout_out *w = e->w, sub = begin(w);
    int consts = (int)last_int(e, "num_consts="), carry = (int)last_int(e, "num_carry="),
        rows = e->n_in - consts - carry;
    const char *reverse = NULL;
    for (const char *at = strstr(e->params, "reverse="); at; at = strstr(at + 1, "reverse="))
        reverse = at + strlen("reverse=");
    bool backwards = reverse && !strncmp(reverse, "True", 4);
    int n_in = carry + rows, n_out = e->n_out;
    const char **args = take_names(w, e->n_in), **out = take_names(w, n_out), **in = take_names(w, n_in);
    knout_var *var = *w->failed ? NULL : knmodels_take(w->arena, (uint64_t)(n_in + n_out) + 1, sizeof *var);
    int64_t *ones = *w->failed ? NULL : knmodels_take(w->arena, (uint64_t)(n_in + n_out) + 1, sizeof *ones);
    if (!var || !ones)
        return;
    if (!rows) { /* Scan needs something to scan: it becomes a loop of known length */
        knout_scan_rows(e, consts, carry, backwards);
        return;
    }
    names_of(w, n_in, in);
    memcpy(args, e->in, (size_t)consts * sizeof *args);
    memcpy(args + consts, in, (size_t)n_in * sizeof *args);
    for (int i = 0; i < n_in; i++)
        var[i] = i < carry ? e->in_var[consts + i] : row_of(&e->in_var[consts + i]);
    for (int i = 0; i < n_out; i++)
        var[n_in + i] = i < carry ? e->out_var[i] : row_of(&e->out_var[i]);
    knout_eqn body = *e;
    body.w = &sub;
    inlined(&body, 0, args, out);
    end(w, &sub, "body", n_in, in, var, n_out, out, var + n_in);
    for (int i = 0; i < n_in + n_out; i++)
        ones[i] = backwards;
    knout_put_attr_int(w, "num_scan_inputs", rows);
    if (rows)
        knout_put_attr_ints(w, "scan_input_directions", rows, ones);
    if (n_out > carry)
        knout_put_attr_ints(w, "scan_output_directions", n_out - carry, ones);
    names_of(w, n_out, e->out);
    knout_emit_many(w, "Scan", n_in, e->in + consts, n_out, e->out);
}

/* A scan without arrays to run over: Loop of `length` rounds, whose scan outputs are turned round where it goes
 * backwards. */
void knout_scan_rows(knout_eqn *e, int consts, int carry, bool backwards)
{
    knout_out *w = e->w, sub = begin(w);
    const char **args = take_names(w, e->n_in), **out = take_names(w, e->n_out + 1), **in = take_names(w, carry + 2);
    const char **first = take_names(w, carry + 2);
    knout_var *var = *w->failed ? NULL : knmodels_take(w->arena, (uint64_t)(carry + e->n_out) + 3, sizeof *var);
    if (!var)
        return;
    names_of(w, carry + 2, in);
    var[0] = (knout_var){KN_I64, 0, NULL};
    var[1] = (knout_var){KN_BOOL, 0, NULL};
    memcpy(var + 2, e->in_var + consts, (size_t)carry * sizeof *var);
    knout_var *out_var = var + carry + 2;
    out_var[0] = var[1];
    for (int i = 0; i < e->n_out; i++)
        out_var[i + 1] = i < carry ? e->out_var[i] : row_of(&e->out_var[i]);
    memcpy(args, e->in, (size_t)consts * sizeof *args);
    memcpy(args + consts, in + 2, (size_t)carry * sizeof *args);
    knout_eqn body = *e;
    body.w = &sub;
    out[0] = in[1];
    inlined(&body, 0, args, out + 1);
    first[0] = knout_number(w, KN_I64, (double)last_int(e, "length="));
    first[1] = "";
    memcpy(first + 2, e->in + consts, (size_t)carry * sizeof *first);
    end(w, &sub, "body", carry + 2, in, var, e->n_out + 1, out, out_var);
    names_of(w, e->n_out, e->out);
    knout_emit_many(w, "Loop", carry + 2, first, e->n_out, e->out);
    const int64_t minus[] = {-1, INT64_MIN + 1, 0};
    for (int i = carry; i < e->n_out && backwards; i++)
        e->out[i] = OP(w, "Slice", e->out[i], knout_const_ints(w, 1, minus), knout_const_ints(w, 1, minus + 1),
                       knout_const_ints(w, 1, minus + 2), knout_const_ints(w, 1, minus));
}

const knout_writer knout_write_control[] = {
    {"jit", call, NULL},
    {"custom_jvp_call", call, NULL},
    {"custom_vjp_call", call, NULL},
    {"remat2", call, NULL},
    {"cond", cond, NULL},
    {"while", while_, NULL},
    {"scan", scan, NULL},
    {NULL, NULL, NULL},
};

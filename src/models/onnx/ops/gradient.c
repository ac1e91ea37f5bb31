/* SPDX-License-Identifier: Apache-2.0
 * gradient.c -- ai.onnx.preview.training's Gradient: the derivative of a tensor of the graph with respect to others.
 * The nodes between them become a function of those, which is differentiated in reverse mode; derivatives of
 * derivatives are nodes between, too. */
#include "models/onnx/ops/numbers.h"
#include "models/onnx/names.h"
#include "models/onnx/run.h"
#include "kiln/function.h"
#include <string.h>

typedef struct {
    knonnx_call *call;
    const knonnx_graph *graph; /* the nodes between: inputs xs and zs, output y */
    int n_x;
    const knonnx_value *in; /* as given, xs and then zs */
} part;

/* ---- The nodes between. */

static int need(knonnx_call *c, knonnx_names *needed, const knonnx_names *free_names, const char *name)
{
    if (!*name || knonnx_names_find(free_names, name))
        return 0;
    return knonnx_names_add(&c->run->arena, needed, name) ? 0 : knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
}

static int need_inputs(knonnx_call *c, knonnx_names *needed, const knonnx_names *free_names, const knonnx_node *node)
{
    int status = 0;
    for (int i = 0; i < node->n_in && !status; i++)
        status = need(c, needed, free_names, node->in[i]);
    for (int a = 0; a < node->n_attrs && !status; a++) {
        const knonnx_attr *attr = &node->attrs[a];
        int graphs = attr->kind == KNONNX_A_GRAPH ? 1 : attr->kind == KNONNX_A_GRAPHS ? attr->n : 0, n = 0;
        for (int g = 0; g < graphs && !status; g++) {
            const char *const *names = knonnx_captures(c, attr->graphs[g], &n);
            for (int i = 0; i < n && names && !status; i++)
                status = need(c, needed, free_names, names[i]);
            status = names ? status : -1;
        }
    }
    return status;
}

/* The nodes that y needs, from the last to the first; what the graph does not make comes from around it. Their
 * number, or -1. */
static int nodes_between(knonnx_call *c, const knonnx_graph *g, const char *y, const knonnx_names *free_names,
                         knonnx_node *to)
{
    knonnx_names needed = {0};
    int n = 0;
    if (need(c, &needed, free_names, y))
        return -1;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        bool makes = false;
        for (int k = 0; k < g->nodes[i].n_out; k++)
            makes = makes || (*g->nodes[i].out[k] && knonnx_names_find(&needed, g->nodes[i].out[k]));
        if (!makes)
            continue;
        to[g->n_nodes - ++n] = g->nodes[i];
        if (need_inputs(c, &needed, free_names, &g->nodes[i]))
            return -1;
    }
    return n;
}

static const knonnx_graph *graph_between(knonnx_call *c, int n_in, const char *const *in, const char *y)
{
    const knonnx_graph *whole = c->run->model->proto.graph;
    knonnx_graph *g = knonnx_take(c, 1, sizeof *g);
    knonnx_info *info = knonnx_take(c, (uint64_t)n_in + 1, sizeof *info);
    knonnx_node *nodes = knonnx_take(c, (uint64_t)whole->n_nodes + 1, sizeof *nodes);
    knonnx_names free_names = {0};
    if (!g || !info || !nodes)
        return NULL;
    for (int i = 0; i < n_in; i++) {
        info[i].name = in[i];
        if (!knonnx_names_add(&c->run->arena, &free_names, in[i]))
            return NULL;
    }
    info[n_in].name = y;
    int n = nodes_between(c, whole, y, &free_names, nodes);
    if (n <= 0 && !(n == 0 && knonnx_names_find(&free_names, y))) {
        if (!n)
            knonnx_fail(c, KN_ERROR_VALUE, "no node of the graph makes \"%.60s\"", y);
        return NULL;
    }
    *g = (knonnx_graph){.name = "between",
                        .n_nodes = n,
                        .nodes = nodes + whole->n_nodes - n,
                        .n_in = n_in,
                        .in = info,
                        .n_out = 1,
                        .out = info + n_in};
    return g;
}

/* ---- The function: a struct of as many arrays as there are xs. */

static void run_part(const void *env, void *out, const void *const *in)
{
    const part *p = *(const part *const *)env;
    const kn_array *x = in[0];
    knonnx_value y = {0}, *values = knonnx_take(p->call, (uint64_t)p->graph->n_in + 1, sizeof *values);
    *(kn_array *)out = NULL;
    if (!values)
        return;
    for (int i = 0; i < p->graph->n_in; i++)
        values[i] = i < p->n_x ? knonnx_of_array(x[i]) : p->in[i];
    if (knonnx_run_graph(p->call, p->graph, values, &y))
        return;
    if (y.kind == KNONNX_TENSOR_VALUE)
        *(kn_array *)out = y.array;
    else
        knonnx_fail(p->call, KN_ERROR_TYPE, "y is no tensor");
}

static int differentiate(knonnx_call *c, const part *p)
{
    size_t bytes = (size_t)p->n_x * sizeof(kn_array);
    kn_array *x = knonnx_take(c, (uint64_t)p->n_x, sizeof *x), *d = knonnx_take(c, (uint64_t)p->n_x, sizeof *d),
             y = NULL;
    if (!x || !d)
        return -1;
    for (int i = 0; i < p->n_x; i++)
        if (!(x[i] = knonnx_in(c, i)))
            return -1;
    kn_function f = {.size_ = sizeof f,
                     .name = "between",
                     .call = run_part,
                     .env_bytes = sizeof p,
                     .out_bytes = sizeof(kn_array),
                     .n_args = 1,
                     .arg_bytes = {bytes}};
    kn_fn back = kn_vjp(kn_fn_of(&f, &p), &(const kn_args){1, {{x, bytes}}}, &(const kn_outs){1, {{&y, sizeof y}}});
    if (!back || !y || knonnx_done(c))
        return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_RUNTIME, "the graph between could not be recorded");
    kn_array ones = kn_ones_like(y, NULL);
    if (kn_call(back, &(const kn_outs){1, {{d, bytes}}}, &(const kn_args){1, {{&ones, sizeof ones}}}))
        return knonnx_done(c);
    for (int i = 0; i < p->n_x; i++)
        if (knonnx_set(c, i, d[i]))
            return -1;
    return 0;
}

static int op_gradient(knonnx_call *c)
{
    int n_x = 0, n_z = 0;
    const char *const *xs = knonnx_texts(c, "xs", &n_x), *const *zs = knonnx_texts(c, "zs", &n_z);
    const char *y = knonnx_string(c, "y", NULL), **names = knonnx_take(c, (uint64_t)(n_x + n_z) + 1, sizeof *names);
    if (!xs || !y || !n_x || c->n_in != n_x + n_z || c->n_out > n_x)
        return knonnx_fail(c, KN_ERROR_VALUE, "xs has %d names and zs %d, and there are %d inputs and %d outputs", n_x,
                           n_z, c->n_in, c->n_out);
    for (int i = 0; names && i < n_x + n_z; i++)
        names[i] = i < n_x ? xs[i] : zs[i - n_x];
    const knonnx_graph *g = names ? graph_between(c, n_x + n_z, names, y) : NULL;
    return g ? differentiate(c, &(part){c, g, n_x, c->in}) : -1;
}

const knonnx_row knonnx_rows_gradient[] = {
    {"Gradient", 1, op_gradient, 1, -1, 1, -1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};

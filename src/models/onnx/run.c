/* SPDX-License-Identifier: Apache-2.0
 * run.c -- a graph is run node by node, in the order of the file. Names are looked up from the innermost graph
 * outwards; the body of a function sees its own names alone, and the attributes that its caller gives. */
#include "models/onnx/run.h"
#include "models/onnx/names.h"
#include <stdio.h>
#include <string.h>

struct knonnx_scope {
    knonnx_scope *around;            /* NULL: a model's graph, or a function's body */
    const knonnx_scope *caller;      /* of a function's body: where its attributes are */
    const knonnx_function *function; /* NULL: none; the opsets are the model's */
    const knonnx_node *node;         /* that called the function */
    knonnx_names names;
};

static int no_memory(const knonnx_run *run) { return knbeside_no_memory(run->operation); }

static int bind(knonnx_run *run, knonnx_scope *s, const char *name, const knonnx_value *v)
{
    knonnx_value *to = *name ? knonnx_names_add(&run->arena, &s->names, name) : NULL;
    if (!*name)
        return 0;
    if (!to)
        return no_memory(run);
    *to = *v;
    return 0;
}

static const knonnx_value *find(const knonnx_scope *s, const char *name)
{
    for (; s; s = s->around) {
        const knonnx_value *v = knonnx_names_find(&s->names, name);
        if (v)
            return v;
    }
    return NULL;
}

int64_t knonnx_version_of(int n, const knonnx_opset *opsets, const char *domain)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(opsets[i].domain, domain))
            return opsets[i].version;
    return INT64_MAX; /* not named: the newest */
}

static int64_t version_in(const knonnx_run *run, const knonnx_scope *s, const char *domain)
{
    while (s && !s->function && s->around)
        s = s->around;
    if (s && s->function)
        return knonnx_version_of(s->function->n_opsets, s->function->opsets, domain);
    return knonnx_version_of(run->model->proto.n_opsets, run->model->proto.opsets, domain);
}

const knonnx_function *knonnx_function_of(const knonnx_model *m, const knonnx_node *node)
{
    for (int i = 0; i < m->proto.n_functions; i++) {
        const knonnx_function *f = &m->proto.functions[i];
        if (!strcmp(f->name, node->op) && !strcmp(f->domain, node->domain) && !strcmp(f->overload, node->overload))
            return f;
    }
    return NULL;
}

/* ---- Nodes. */

static int run_nodes(knonnx_run *run, knonnx_scope *s, int n, const knonnx_node *nodes);

/* Attributes that refer to those of the function's caller are replaced by them. */
static const knonnx_node *with_attributes(knonnx_run *run, const knonnx_scope *s, const knonnx_node *node)
{
    bool any = false;
    for (int i = 0; i < node->n_attrs; i++)
        any = any || node->attrs[i].ref;
    while (s && !s->function && s->around)
        s = s->around;
    if (!any)
        return node;
    knonnx_node *copy = knmodels_take(&run->arena, 1, sizeof *copy);
    knonnx_attr *attrs = knmodels_take(&run->arena, (uint64_t)node->n_attrs, sizeof *attrs);
    if (!copy || !attrs)
        return NULL;
    *copy = *node;
    copy->attrs = attrs;
    copy->n_attrs = 0;
    for (int i = 0; i < node->n_attrs; i++) {
        const knonnx_attr *a = &node->attrs[i], *given = a->ref ? NULL : a;
        for (int k = 0; a->ref && s && s->node && !given && k < s->node->n_attrs; k++)
            given = strcmp(s->node->attrs[k].name, a->ref) ? NULL : &s->node->attrs[k];
        for (int k = 0; a->ref && s && s->function && !given && k < s->function->n_defaults; k++)
            given = strcmp(s->function->defaults[k].name, a->ref) ? NULL : &s->function->defaults[k];
        if (given) {
            attrs[copy->n_attrs] = *given;
            attrs[copy->n_attrs++].name = a->name;
        }
    }
    return copy;
}

static int call_function(knonnx_run *run, knonnx_scope *from, const knonnx_function *f, knonnx_call *c)
{
    knonnx_scope *s = knmodels_take(&run->arena, 1, sizeof *s);
    int status = s ? 0 : no_memory(run);
    if (!status && c->n_in > f->n_in)
        return knonnx_fail(c, KN_ERROR_VALUE, "the function has %d inputs, and %d are given", f->n_in, c->n_in);
    if (status)
        return status;
    *s = (knonnx_scope){.caller = from, .function = f, .node = c->node};
    for (int i = 0; i < f->n_in && !status; i++)
        status = bind(run, s, f->in[i], i < c->n_in ? &c->in[i] : &(knonnx_value){0});
    knonnx_scope *before = run->scope;
    run->scope = s;
    if (!status)
        status = run_nodes(run, s, f->n_nodes, f->nodes);
    run->scope = before;
    for (int i = 0; i < c->n_out && i < f->n_out && !status; i++) {
        const knonnx_value *v = find(s, f->out[i]);
        if (v)
            c->out[i] = *v;
        else if (knonnx_wants(c, i))
            status =
                knonnx_fail(c, KN_ERROR_VALUE, "nothing in the function's body makes its output \"%s\"", f->out[i]);
    }
    return status;
}

static int check_counts(const knonnx_call *c, const knonnx_row *row)
{
    int given = 0;
    for (int i = 0; i < c->n_in; i++)
        if (c->in[i].kind != KNONNX_ABSENT)
            given = i + 1;
    if (given < row->min_in || (row->max_in >= 0 && given > row->max_in))
        return knonnx_fail(c, KN_ERROR_VALUE, "%d inputs where %d%s are wanted", given, row->min_in,
                           row->max_in < 0             ? " or more"
                           : row->max_in > row->min_in ? " or a few more"
                                                       : "");
    if (row->max_out >= 0 && c->n_out > row->max_out)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d outputs where there are at most %d", c->n_out, row->max_out);
    return 0;
}

static int call(knonnx_run *run, knonnx_scope *s, knonnx_call *c)
{
    const knonnx_function *f = knonnx_function_of(run->model, c->node);
    if (f)
        return call_function(run, s, f, c);
    const knonnx_row *row = knonnx_row_of(c->node->domain, c->node->op, c->version);
    if (!row)
        return knonnx_cannot(c, "there is no such operator here");
    int status = check_counts(c, row);
    status = status ? status : row->op(c);
    if (status && !knonnx_done(c) && !run->pending)
        return knonnx_fail(c, KN_ERROR_VALUE, "an input that it needs is left out");
    return status ? -1 : knonnx_done(c);
}

static int run_node(knonnx_run *run, knonnx_scope *s, const knonnx_node *file_node)
{
    const knonnx_node *node = with_attributes(run, s, file_node);
    knonnx_value *in = knmodels_take(&run->arena, node ? (uint64_t)node->n_in : 0, sizeof *in);
    knonnx_value *out = knmodels_take(&run->arena, node ? (uint64_t)node->n_out : 0, sizeof *out);
    if (!node || !in || !out)
        return no_memory(run);
    knonnx_call c = {node, version_in(run, s, node->domain), node->n_in, node->n_out, in, out, run};
    for (int i = 0; i < node->n_in; i++) {
        if (!*node->in[i])
            continue;
        const knonnx_value *v = find(s, node->in[i]);
        if (!v)
            return knonnx_fail(&c, KN_ERROR_VALUE, "nothing before it makes its input \"%s\"", node->in[i]);
        in[i] = *v;
    }
    int status = call(run, s, &c);
    for (int i = 0; i < node->n_out && !status; i++)
        if (out[i].kind == KNONNX_ABSENT && *node->out[i])
            status = bind(run, s, node->out[i], &(knonnx_value){0}); /* an optional output that was not made */
        else if (*node->out[i])
            status = bind(run, s, node->out[i], &out[i]);
    return status;
}

static int run_nodes(knonnx_run *run, knonnx_scope *s, int n, const knonnx_node *nodes)
{
    int status = 0;
    if (run->depth >= KNONNX_DEEPEST)
        return knbeside_fail(run->operation, KN_ERROR_VALUE, "functions and subgraphs are nested more than %d deep",
                             KNONNX_DEEPEST);
    run->depth++;
    for (int i = 0; i < n && !status; i++)
        status = run_node(run, s, &nodes[i]);
    run->depth--;
    return status;
}

/* ---- Graphs. */

static int bind_initializers(knonnx_run *run, knonnx_scope *s, const knonnx_graph *g, const kn_array *params)
{
    int status = 0;
    knonnx_call c = {.node = &(knonnx_node){.name = "", .op = "initializer", .domain = "", .overload = ""}, .run = run};
    for (int i = 0; i < g->n_init && !status; i++) {
        knonnx_value v = {0};
        const knonnx_tensor *t = &g->init[i];
        for (int k = 0; params && k < run->model->n_params && v.kind == KNONNX_ABSENT; k++)
            if (run->model->param[k] == t)
                v = knonnx_of_array(params[k]);
        if (v.kind == KNONNX_ABSENT)
            v = knonnx_value_of(&c, t);
        status = v.kind == KNONNX_ABSENT ? -1 : bind(run, s, t->name, &v);
    }
    for (int i = 0; i < g->n_sparse && !status; i++) {
        knonnx_value v = knonnx_of_array(knonnx_sparse_array(run->operation, run->model, &g->sparse[i]));
        status = bind(run, s, g->sparse[i].values->name, &v);
    }
    return status;
}

static int outputs_of(knonnx_run *run, const knonnx_scope *s, const knonnx_graph *g, knonnx_value *out)
{
    for (int i = 0; i < g->n_out; i++) {
        const knonnx_value *v = find(s, g->out[i].name);
        if (!v)
            return knbeside_fail(run->operation, KN_ERROR_VALUE, "nothing in graph \"%s\" makes its output \"%s\"",
                                 g->name, g->out[i].name);
        out[i] = *v;
    }
    return 0;
}

int knonnx_run_model(knonnx_run *run, const knonnx_value *inputs, const kn_array *params, knonnx_value *outputs)
{
    const knonnx_graph *g = run->model->proto.graph;
    knonnx_scope s = {0};
    run->scope = &s;
    int status = bind_initializers(run, &s, g, params);
    for (int i = 0; i < run->model->n_inputs && !status; i++)
        status = bind(run, &s, run->model->input[i]->name, &inputs[i]);
    if (!status)
        status = run_nodes(run, &s, g->n_nodes, g->nodes);
    if (!status)
        status = outputs_of(run, &s, g, outputs);
    run->scope = NULL;
    return status;
}

int knonnx_run_graph(knonnx_call *c, const knonnx_graph *g, const knonnx_value *in, knonnx_value *out)
{
    knonnx_run *run = c->run;
    knonnx_scope *s = knonnx_take(c, 1, sizeof *s);
    if (!s)
        return -1;
    s->around = run->scope;
    run->scope = s;
    int status = bind_initializers(run, s, g, NULL);
    for (int i = 0; i < g->n_in && !status; i++)
        status = bind(run, s, g->in[i].name, &in[i]);
    if (!status)
        status = run_nodes(run, s, g->n_nodes, g->nodes);
    if (!status)
        status = outputs_of(run, s, g, out);
    run->scope = s->around;
    return status;
}

const knonnx_value *knonnx_outer(const knonnx_call *c, const char *name) { return find(c->run->scope, name); }

int knonnx_rebind(knonnx_call *c, int n, const char *const *names, const knonnx_value *values, knonnx_scope **before)
{
    knonnx_scope *s = knonnx_take(c, 1, sizeof *s);
    if (!s)
        return -1;
    *before = c->run->scope;
    s->around = c->run->scope;
    for (int i = 0; i < n; i++)
        if (bind(c->run, s, names[i], &values[i]))
            return -1;
    c->run->scope = s;
    return 0;
}

void knonnx_unbind(knonnx_call *c, knonnx_scope *before) { c->run->scope = before; }

/* ---- Names that a graph takes from around it. */

static int captures(knonnx_run *run, const knonnx_graph *g, const knonnx_names *around, knonnx_names *found);

static int capture(knonnx_run *run, const char *name, const knonnx_names *own, knonnx_names *found)
{
    for (const knonnx_names *n = own; n; n = n->around)
        if (knonnx_names_find(n, name))
            return 0;
    return !*name || knonnx_names_add(&run->arena, found, name) ? 0 : no_memory(run);
}

static int captures(knonnx_run *run, const knonnx_graph *g, const knonnx_names *around, knonnx_names *found)
{
    knonnx_names own = {.around = around};
    int status = 0;
    for (int i = 0; i < g->n_in; i++)
        status |= !knonnx_names_add(&run->arena, &own, g->in[i].name);
    for (int i = 0; i < g->n_init; i++)
        status |= !knonnx_names_add(&run->arena, &own, g->init[i].name);
    if (status)
        return no_memory(run);
    for (int k = 0; k < g->n_nodes && !status; k++) {
        const knonnx_node *n = &g->nodes[k];
        for (int i = 0; i < n->n_in && !status; i++)
            status = capture(run, n->in[i], &own, found);
        for (int a = 0; a < n->n_attrs && !status; a++)
            for (int i = 0; i < knonnx_graphs_of(&n->attrs[a]); i++)
                status |= captures(run, n->attrs[a].graphs[i], &own, found);
        for (int i = 0; i < n->n_out && !status; i++)
            status = *n->out[i] && !knonnx_names_add(&run->arena, &own, n->out[i]) ? no_memory(run) : 0;
    }
    for (int i = 0; i < g->n_out && !status; i++)
        status = capture(run, g->out[i].name, &own, found);
    return status;
}

const char *const *knonnx_captures(knonnx_call *c, const knonnx_graph *g, int *n)
{
    knonnx_names found = {0};
    *n = 0;
    if (captures(c->run, g, NULL, &found))
        return NULL;
    const char **names = knonnx_take(c, (uint64_t)found.n + 1, sizeof *names);
    for (int i = 0; names && i < found.n; i++)
        if (find(c->run->scope, found.entry[i].name))
            names[(*n)++] = found.entry[i].name;
    return names;
}

/* ---- One operator on values. */

int knonnx_apply(knonnx_call *c, const char *op, int n_attrs, const knonnx_attr *attrs, int n_in,
                 const knonnx_value *in, int n_out, knonnx_value *out)
{
    const char **names = knonnx_take(c, (uint64_t)n_in + (uint64_t)n_out, sizeof *names);
    for (int i = 0; names && i < n_in + n_out; i++)
        names[i] = "value";
    if (!names)
        return -1;
    knonnx_node node = {.name = c->node->name,
                        .op = op,
                        .domain = "",
                        .overload = "",
                        .n_in = n_in,
                        .n_out = n_out,
                        .n_attrs = n_attrs,
                        .in = names,
                        .out = names + n_in,
                        .attrs = attrs};
    knonnx_call inner = {&node, version_in(c->run, c->run->scope, ""), n_in, n_out, in, out, c->run};
    memset(out, 0, (size_t)n_out * sizeof *out);
    return call(c->run, c->run->scope, &inner);
}

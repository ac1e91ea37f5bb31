/* SPDX-License-Identifier: Apache-2.0
 * check.c -- what has to be true of a model before it is run: versions, names that somebody makes before they are used,
 * operators that are here. All that is missing is told at once. */
#include "models/onnx/names.h"
#include "models/onnx/run.h"
#include <stdio.h>
#include <string.h>

typedef struct checker {
    const char *operation;
    knonnx_model *m;
    knmodels_arena *arena;
    knonnx_names missing; /* operators, each once */
    uint64_t *nodes;      /* that a call of each function runs; 0: not counted yet */
    int depth;            /* of functions and subgraphs, while they are counted */
} checker;

static int no_memory(const checker *c) { return knbeside_no_memory(c->operation); }

static int check_operator(checker *c, const knonnx_node *n, int n_opsets, const knonnx_opset *opsets)
{
    char text[256];
    int64_t version = knonnx_version_of(n_opsets, opsets, n->domain);
    if (knonnx_function_of(c->m, n) || knonnx_row_of(n->domain, n->op, version))
        return 0;
    snprintf(text, sizeof text, "%.80s (%.60s %lld, node \"%.80s\")", n->op, *n->domain ? n->domain : "ai.onnx",
             (long long)(version == INT64_MAX ? 0 : version),
             *n->name   ? n->name
             : n->n_out ? n->out[0]
                        : "");
    for (int i = 0; i < c->missing.n; i++)
        if (!strncmp(c->missing.entry[i].name, text, strlen(n->op) + 2))
            return 0;
    const char *copy = knmodels_take_text(c->arena, text, strlen(text));
    return copy && knonnx_names_add(c->arena, &c->missing, copy) ? 0 : no_memory(c);
}

static int check_graph(checker *c, const knonnx_graph *g, const knonnx_names *around, int n_opsets,
                       const knonnx_opset *opsets);

static int check_nodes(checker *c, int n, const knonnx_node *nodes, knonnx_names *own, int n_opsets,
                       const knonnx_opset *opsets)
{
    for (int k = 0; k < n; k++) {
        const knonnx_node *node = &nodes[k];
        if (check_operator(c, node, n_opsets, opsets))
            return -1;
        for (int i = 0; i < node->n_in; i++) {
            bool found = !*node->in[i];
            for (const knonnx_names *t = own; t && !found; t = t->around)
                found = knonnx_names_find(t, node->in[i]);
            if (!found)
                return knbeside_fail(c->operation, KN_ERROR_VALUE,
                                     "node \"%s\" (%s): nothing before it makes its input \"%s\"", node->name, node->op,
                                     node->in[i]);
        }
        for (int a = 0; a < node->n_attrs; a++)
            for (int i = 0; i < knonnx_graphs_of(&node->attrs[a]); i++)
                if (check_graph(c, node->attrs[a].graphs[i], own, n_opsets, opsets))
                    return -1;
        for (int i = 0; i < node->n_out; i++)
            if (*node->out[i] && !knonnx_names_add(c->arena, own, node->out[i]))
                return no_memory(c);
    }
    return 0;
}

static int check_graph(checker *c, const knonnx_graph *g, const knonnx_names *around, int n_opsets,
                       const knonnx_opset *opsets)
{
    knonnx_names own = {.around = around};
    bool ok = true;
    for (int i = 0; i < g->n_in; i++)
        ok = ok && knonnx_names_add(c->arena, &own, g->in[i].name);
    for (int i = 0; i < g->n_init; i++)
        ok = ok && knonnx_names_add(c->arena, &own, g->init[i].name);
    for (int i = 0; i < g->n_sparse; i++)
        ok = ok && knonnx_names_add(c->arena, &own, g->sparse[i].values->name);
    return ok ? check_nodes(c, g->n_nodes, g->nodes, &own, n_opsets, opsets) : no_memory(c);
}

static int check_function(checker *c, const knonnx_function *f)
{
    knonnx_names own = {0};
    for (int i = 0; i < f->n_in; i++)
        if (!knonnx_names_add(c->arena, &own, f->in[i]))
            return no_memory(c);
    return check_nodes(c, f->n_nodes, f->nodes, &own, f->n_opsets, f->opsets);
}

/* ---- How many nodes a run has: functions that call others twice each are short in the file, and endless in a run. */

enum { MOST_NODES = 1 << 24 };

static uint64_t add_nodes(uint64_t a, uint64_t b) { return a + b > MOST_NODES ? MOST_NODES + 1 : a + b; }

static uint64_t count_nodes(checker *c, int n, const knonnx_node *nodes);

static uint64_t count_call(checker *c, const knonnx_function *f)
{
    uint64_t *own = &c->nodes[f - c->m->proto.functions];
    if (!*own) {
        *own = MOST_NODES + 1; /* what it calls may call it */
        *own = add_nodes(1, count_nodes(c, f->n_nodes, f->nodes));
    }
    return *own;
}

/* More than there may be also where they are nested too deep to be run. */
static uint64_t count_nodes(checker *c, int n, const knonnx_node *nodes)
{
    uint64_t sum = c->depth < KNONNX_DEEPEST ? 0 : MOST_NODES + 1;
    c->depth++;
    for (int k = 0; k < n && sum <= MOST_NODES; k++) {
        const knonnx_node *node = &nodes[k];
        const knonnx_function *f = knonnx_function_of(c->m, node);
        sum = add_nodes(sum, 1);
        if (f)
            sum = add_nodes(sum, count_call(c, f));
        for (int a = 0; a < node->n_attrs; a++)
            for (int i = 0; i < knonnx_graphs_of(&node->attrs[a]); i++)
                sum =
                    add_nodes(sum, count_nodes(c, node->attrs[a].graphs[i]->n_nodes, node->attrs[a].graphs[i]->nodes));
    }
    c->depth--;
    return sum;
}

static int check_size(checker *c)
{
    const knonnx_proto *p = &c->m->proto;
    c->nodes = knmodels_take(c->arena, (uint64_t)p->n_functions, sizeof *c->nodes);
    if (!c->nodes)
        return no_memory(c);
    if (count_nodes(c, p->graph->n_nodes, p->graph->nodes) <= MOST_NODES)
        return 0;
    return knbeside_fail(c->operation, KN_ERROR_VALUE,
                         "functions call themselves, are nested more than %d deep, or call each other so often that a "
                         "run has more than %d nodes",
                         KNONNX_DEEPEST, MOST_NODES);
}

int knonnx_check_model(const char *operation, knonnx_model *m)
{
    knmodels_arena arena = {0};
    checker c = {.operation = operation, .m = m, .arena = &arena};
    int status = check_graph(&c, m->proto.graph, NULL, m->proto.n_opsets, m->proto.opsets);
    for (int i = 0; i < m->proto.n_functions && !status; i++)
        status = check_function(&c, &m->proto.functions[i]);
    if (!status)
        status = check_size(&c);
    if (!status && c.missing.n) {
        char all[900] = "";
        for (int i = 0; i < c.missing.n; i++) {
            size_t n = strlen(all);
            snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", c.missing.entry[i].name);
        }
        status = knbeside_fail(operation, KN_ERROR_NOT_IMPLEMENTED, "operators that are not here: %.450s", all);
    }
    knmodels_arena_free(&arena);
    return status;
}

/* ---- Which inputs choose branches. */

static int add_name(checker *c, knonnx_names *t, const char *name)
{
    return !*name || knonnx_names_add(c->arena, t, name) ? 0 : no_memory(c);
}

/* Names that conditions of `If` depend on: from the last node to the first, so that each is seen after those that use
 * it. */
static int find_conditions(checker *c, const knonnx_graph *g, knonnx_names *wanted)
{
    int status = 0;
    for (int k = g->n_nodes - 1; k >= 0 && !status; k--) {
        const knonnx_node *n = &g->nodes[k];
        bool used = false;
        for (int a = 0; a < n->n_attrs && !status; a++)
            for (int i = 0; i < (n->attrs[a].kind == KNONNX_A_GRAPH ? 1 : 0) && !status; i++)
                status = find_conditions(c, n->attrs[a].graphs[i], wanted);
        if (!strcmp(n->op, "If") && n->n_in && !*n->domain)
            status |= add_name(c, wanted, n->in[0]);
        for (int i = 0; i < n->n_out; i++)
            used = used || (*n->out[i] && knonnx_names_find(wanted, n->out[i]));
        bool shape = !strcmp(n->op, "Shape") || !strcmp(n->op, "Size");
        for (int i = 0; i < n->n_in && used && !shape && !status; i++)
            status = add_name(c, wanted, n->in[i]);
    }
    return status;
}

int knonnx_find_choosers(const char *operation, knonnx_model *m)
{
    knmodels_arena arena = {0};
    checker c = {.operation = operation, .m = m, .arena = &arena};
    knonnx_names wanted = {0};
    int status = find_conditions(&c, m->proto.graph, &wanted);
    for (int i = 0; i < m->n_inputs && !status; i++) {
        const knonnx_type *t = m->input[i]->type;
        kn_dtype d = t && t->kind == KN_ONNX_TENSOR ? knonnx_dtype(t->elem) : NULL;
        bool one = t && (t->ndim == 0 || (t->ndim == 1 && t->dim[0] == 1));
        m->chooses[i] = d && one && strchr("biu", kn_dtype_kind(d)) && knonnx_names_find(&wanted, m->input[i]->name);
        m->n_chooses += m->chooses[i];
    }
    knmodels_arena_free(&arena);
    return status;
}

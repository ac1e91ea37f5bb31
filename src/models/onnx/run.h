/* SPDX-License-Identifier: Apache-2.0
 * run.h -- a model in memory, and a run of it: node by node, each by its operator's function. Whether the values are
 * arrays or tracers makes no difference here. */
#ifndef KN_MODELS_ONNX_RUN_H
#define KN_MODELS_ONNX_RUN_H
#include "models/onnx/ops/call.h"

typedef struct knonnx_model {
    knmodels_arena arena;
    knmodels_map *file;
    knmodels_map **external; /* mapped so far, by path */
    const char **external_path;
    int n_external;
    knonnx_proto proto;
    int n_params;
    const knonnx_tensor **param; /* initializers that are parameters, sorted by name */
    /* Of each that is not aligned in the file: a copy, made when it is wanted first. */
    _Atomic(knmodels_map *) *aligned;
    int n_inputs;
    const knonnx_info **input; /* those that have no initializer */
    bool *chooses;             /* inputs of one number that branches are chosen by: each value is compiled for itself */
    int n_chooses;
    bool by_nodes; /* it cannot be compiled as a whole */
} knonnx_model;

struct knonnx_run {
    const char *operation;
    knonnx_model *model;
    knmodels_arena arena;
    knonnx_scope *scope;
    int depth;      /* of functions and subgraphs */
    uint64_t drawn; /* random operators without a seed so far */
    bool pending;   /* there was an error before */
};

/* Runs the model's graph. inputs: as many as model->n_inputs; params: as many as model->n_params; outputs: as many as
 * the graph's. 0, or -1 with an error. */
int knonnx_run_model(knonnx_run *run, const knonnx_value *inputs, const kn_array *params, knonnx_value *outputs);

enum { KNONNX_DEEPEST = 64 }; /* functions and subgraphs within each other */

/* The version of a domain among n opsets; INT64_MAX: not named, the newest. */
int64_t knonnx_version_of(int n, const knonnx_opset *opsets, const char *domain);

/* How many graphs an attribute has. */
static inline int knonnx_graphs_of(const knonnx_attr *a)
{
    return a->kind == KNONNX_A_GRAPH ? 1 : a->kind == KNONNX_A_GRAPHS ? a->n : 0;
}

/* The function of the model that a node calls; NULL: none. */
const knonnx_function *knonnx_function_of(const knonnx_model *m, const knonnx_node *node);

/* The model's nodes have operators, names that somebody makes, no circle; 0, or -1 with an error that names all that is
 * missing. */
int knonnx_check_model(const char *operation, knonnx_model *m);

/* Finds the inputs that m->chooses tells. */
int knonnx_find_choosers(const char *operation, knonnx_model *m);

/* A tensor of the file as an array or strings. */
kn_array knonnx_tensor_array(const char *operation, knmodels_map *file, knonnx_model *m, const knonnx_tensor *t);
kn_array knonnx_sparse_array(const char *operation, knonnx_model *m, const knonnx_sparse *s); /* with its zeros */
bool knonnx_sub_byte(knonnx_elem elem, int *per_byte); /* packed: so many in a byte */
const knonnx_strings *knonnx_tensor_strings(knmodels_arena *arena, const knonnx_tensor *t); /* NULL: no memory */
#endif

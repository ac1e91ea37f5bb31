/* SPDX-License-Identifier: Apache-2.0
 * call_model.c -- a model as a function of trees, and running it. The function is recorded as any other; where shapes
 * depend on values of inputs it cannot be compiled as a whole, and runs node by node. */
#include "models/onnx/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Trees and values. */

/* The path of a name in a dictionary, as kn_tree_sub reads it: names may have points and brackets. */
static const char *path_of(knonnx_run *run, const char *name)
{
    size_t n = strlen(name), k = 0;
    char *path = knmodels_take(&run->arena, 2 * n + 5, 1);
    if (!path)
        return NULL;
    path[k++] = '[';
    path[k++] = '\'';
    for (; *name; name++) {
        if (*name == '\'' || *name == '\\')
            path[k++] = '\\';
        path[k++] = *name;
    }
    path[k++] = '\'';
    path[k++] = ']';
    return path;
}

static int value_of(knonnx_run *run, kn_tree tree, const knonnx_type *type, knonnx_value *out)
{
    kn_treedef d = kn_tree_structure(tree);
    kn_tree_kind kind = d ? kn_treedef_kind(d) : KN_TREE_NONE;
    bool optional = type && type->kind == KN_ONNX_OPTIONAL;
    if (!d)
        return -1;
    if (optional || kind == KN_TREE_NONE) {
        knonnx_value *item = knmodels_take(&run->arena, 1, sizeof *item);
        if (!item)
            return knbeside_no_memory(run->operation);
        *out = (knonnx_value){
            .kind = KNONNX_OPTIONAL_VALUE, .n = kind != KN_TREE_NONE, .item = item, .type = type ? type->of : NULL};
        return kind == KN_TREE_NONE ? 0 : value_of(run, tree, type->of, item);
    }
    if (kind == KN_TREE_LEAF) {
        kn_array x = kn_tree_get(tree, 0);
        *out = knonnx_of_array(x);
        return kn_dtype_of(x) ? 0 : -1;
    }
    int n = kn_treedef_children_count(d);
    knonnx_value *item = knmodels_take(&run->arena, (uint64_t)(n < 0 ? 0 : n), sizeof *item);
    if (n < 0 || !item)
        return n < 0 ? -1 : knbeside_no_memory(run->operation);
    for (int i = 0; i < n; i++) {
        char path[24];
        snprintf(path, sizeof path, "[%d]", i);
        kn_tree sub = kn_tree_sub(tree, path);
        if (!sub || value_of(run, sub, type ? type->of : NULL, &item[i]))
            return -1;
    }
    *out = (knonnx_value){.kind = KNONNX_SEQUENCE_VALUE, .n = (size_t)n, .item = item, .type = type ? type->of : NULL};
    return 0;
}

static kn_tree tree_of(knonnx_run *run, const char *name, const knonnx_value *v)
{
    if (v->kind == KNONNX_TENSOR_VALUE)
        return kn_tree_leaf(v->array);
    if (v->kind == KNONNX_ABSENT || (v->kind == KNONNX_OPTIONAL_VALUE && !v->n))
        return kn_tree_none();
    if (v->kind == KNONNX_OPTIONAL_VALUE)
        return tree_of(run, name, v->item);
    if (v->kind != KNONNX_SEQUENCE_VALUE) {
        knbeside_fail(run->operation, KN_ERROR_TYPE, "\"%s\" has strings: kn_onnx_call gives them", name);
        return NULL;
    }
    kn_tree *item = knmodels_take(&run->arena, v->n, sizeof *item);
    if (!item)
        knbeside_no_memory(run->operation);
    for (size_t i = 0; item && i < v->n; i++)
        if (!(item[i] = tree_of(run, name, &v->item[i])))
            return NULL;
    return item ? kn_tree_list((int)v->n, item) : NULL;
}

/* ---- What a model says of its inputs. */

static int check_tensor(knonnx_run *run, const knonnx_info *info, const knonnx_value *v)
{
    const knonnx_type *t = info->type;
    if (!t || v->kind != KNONNX_TENSOR_VALUE || t->kind != KN_ONNX_TENSOR || !t->elem)
        return 0;
    kn_dtype d = kn_dtype_of(v->array);
    kn_shape s = kn_shape_of(v->array);
    if (d && d != knonnx_dtype(t->elem))
        return knbeside_fail(run->operation, KN_ERROR_TYPE, "input \"%s\" is %s, and the model wants %s", info->name,
                             kn_dtype_name(d), kn_dtype_name(knonnx_dtype(t->elem)));
    if (t->ndim < 0 || s.ndim < 0)
        return 0;
    if (s.ndim != t->ndim)
        return knbeside_fail(run->operation, KN_ERROR_VALUE, "input \"%s\" has %d axes, and the model wants %d",
                             info->name, s.ndim, t->ndim);
    for (int i = 0; i < s.ndim; i++)
        if (t->dim[i] >= 0 && s.dim[i] >= 0 && s.dim[i] != t->dim[i])
            return knbeside_fail(run->operation, KN_ERROR_VALUE,
                                 "input \"%s\" has the extent %lld on axis %d, and the model wants %lld", info->name,
                                 (long long)s.dim[i], i, (long long)t->dim[i]);
    return 0;
}

/* Inputs that choose branches come apart: a list, in their order. */
static int find_chooser(knonnx_run *run, kn_tree chosen, int i, knonnx_value *out)
{
    int at = 0;
    for (int k = 0; k < i; k++)
        at += run->model->chooses[k];
    *out = knonnx_of_array(kn_tree_get(chosen, at));
    return check_tensor(run, run->model->input[i], out);
}

static int find_input(knonnx_run *run, kn_tree inputs, int i, bool list, knonnx_value *out)
{
    const knonnx_info *info = run->model->input[i];
    char position[24];
    snprintf(position, sizeof position, "[%d]", i);
    const char *path = list ? position : path_of(run, info->name);
    if (!path)
        return knbeside_no_memory(run->operation);
    if (!kn_tree_has(inputs, path)) {
        if (info->type && info->type->kind == KN_ONNX_OPTIONAL) {
            *out = (knonnx_value){.kind = KNONNX_OPTIONAL_VALUE, .type = info->type->of};
            return 0;
        }
        return knbeside_fail(run->operation, KN_ERROR_KEY, "the input \"%s\" is missing", info->name);
    }
    kn_tree sub = kn_tree_sub(inputs, path);
    return !sub || value_of(run, sub, info->type, out) || check_tensor(run, info, out) ? -1 : 0;
}

/* Names that are no inputs: those of the dictionary that nobody asked for. */
static int check_names(knonnx_run *run, kn_tree inputs, int given, int found)
{
    if (given == found)
        return 0;
    kn_tree_keystr_opts o = kn_tree_keystr_opts_default();
    o.simple = true;
    o.separator = "/";
    for (int i = 0; i < kn_tree_count(inputs); i++) {
        const char *key = kn_tree_keystr(inputs, i, &o);
        bool known = !key;
        for (int k = 0; k < run->model->n_inputs && !known; k++)
            known = !strncmp(key, run->model->input[k]->name, strlen(run->model->input[k]->name));
        if (!known)
            return knbeside_fail(run->operation, KN_ERROR_KEY, "\"%s\" is no input of the model", key);
    }
    return knbeside_fail(run->operation, KN_ERROR_KEY, "%d inputs are given, and the model has %d", given,
                         run->model->n_inputs);
}

static int read_inputs(knonnx_run *run, kn_tree inputs, kn_tree chosen, knonnx_value *out)
{
    kn_treedef d = inputs ? kn_tree_structure(inputs) : NULL;
    if (!d)
        return inputs ? -1 : knbeside_null(run->operation, "inputs");
    kn_tree_kind kind = kn_treedef_kind(d);
    bool list = kind == KN_TREE_LIST || kind == KN_TREE_TUPLE;
    if (!list && kind != KN_TREE_DICT && kind != KN_TREE_STRUCT)
        return knbeside_fail(run->operation, KN_ERROR_TYPE,
                             "the inputs are a dictionary by name, or a list by position");
    int given = kn_treedef_children_count(d), found = 0;
    for (int i = 0; i < run->model->n_inputs; i++) {
        if (find_input(run, inputs, i, list, &out[i]) ||
            (chosen && run->model->chooses[i] && find_chooser(run, chosen, i, &out[i])))
            return -1;
        found += out[i].kind != KNONNX_OPTIONAL_VALUE || out[i].n || given > found;
    }
    return check_names(run, inputs, given, found < given ? found : given);
}

static int read_params(knonnx_run *run, kn_tree params, kn_array *out)
{
    for (int i = 0; i < run->model->n_params; i++) {
        const char *path = path_of(run, run->model->param[i]->name);
        if (!path)
            return knbeside_no_memory(run->operation);
        if (!kn_tree_has(params, path))
            return knbeside_fail(run->operation, KN_ERROR_KEY, "the parameter \"%s\" is missing",
                                 run->model->param[i]->name);
        out[i] = kn_tree_at(params, path);
    }
    return 0;
}

/* ---- Running. */

static kn_tree run_trees(knonnx_run *run, kn_tree params, kn_tree inputs, kn_tree chosen)
{
    const knonnx_graph *g = run->model->proto.graph;
    knonnx_value *in = knmodels_take(&run->arena, (uint64_t)run->model->n_inputs, sizeof *in);
    knonnx_value *out = knmodels_take(&run->arena, (uint64_t)g->n_out, sizeof *out);
    kn_array *weights = knmodels_take(&run->arena, (uint64_t)run->model->n_params, sizeof *weights);
    kn_tree_item *item = knmodels_take(&run->arena, (uint64_t)g->n_out, sizeof *item);
    if (!in || !out || !weights || !item) {
        knbeside_no_memory(run->operation);
        return NULL;
    }
    if (read_inputs(run, inputs, chosen, in) || read_params(run, params, weights) ||
        knonnx_run_model(run, in, weights, out))
        return NULL;
    for (int i = 0; i < g->n_out; i++) {
        item[i] = (kn_tree_item){g->out[i].name, tree_of(run, g->out[i].name, &out[i])};
        if (!item[i].tree)
            return NULL;
    }
    return kn_tree_dict(g->n_out, item);
}

static void run_recorded(const void *env, kn_tree *out, const void *const *in, bool chooses)
{
    kn_onnx model;
    memcpy(&model, env, sizeof model);
    knonnx_model *m = knonnx_model_get("onnx_run", model);
    knonnx_run run = {.operation = "onnx_run", .model = m, .pending = kn_error_pending()};
    const kn_tree *params = in[0], *inputs = in[1], *chosen = chooses ? in[2] : NULL;
    *out = m ? run_trees(&run, *params, *inputs, chosen ? *chosen : NULL) : NULL;
    knmodels_arena_free(&run.arena);
}

static void run_plain(const void *env, void *out, const void *const *in) { run_recorded(env, out, in, false); }
static void run_chosen(const void *env, void *out, const void *const *in) { run_recorded(env, out, in, true); }

static const kn_function plain = {.size_ = sizeof(kn_function),
                                  .name = "onnx_model",
                                  .call = run_plain,
                                  .env_bytes = sizeof(kn_onnx),
                                  .out_bytes = 2,
                                  .n_args = 2,
                                  .arg_bytes = {2, 2}};
static const kn_function choosing = {.size_ = sizeof(kn_function),
                                     .name = "onnx_model",
                                     .call = run_chosen,
                                     .env_bytes = sizeof(kn_onnx),
                                     .out_bytes = 2,
                                     .n_args = 3,
                                     .arg_bytes = {2, 2, 2}};

kn_fn kn_onnx_function(kn_onnx model)
{
    return knonnx_model_get("onnx_function", model) ? kn_fn_of(&plain, &model) : NULL;
}

/* The inputs that branches are chosen by, as an argument of their own whose values the program is compiled for. */
static kn_tree choosers(knonnx_model *m, kn_tree inputs)
{
    kn_array *x = m->n_chooses ? knbeside_alloc((uint64_t)m->n_inputs, sizeof *x) : NULL;
    knonnx_run run = {.operation = "onnx_run", .model = m};
    kn_treedef d = x ? kn_tree_structure(inputs) : NULL;
    kn_tree_kind kind = d ? kn_treedef_kind(d) : KN_TREE_NONE;
    int n = 0;
    for (int i = 0; d && i < m->n_inputs; i++) {
        knonnx_value v = {0};
        if (m->chooses[i] && !find_input(&run, inputs, i, kind == KN_TREE_LIST || kind == KN_TREE_TUPLE, &v))
            x[n++] = v.array;
    }
    kn_tree made = d && n == m->n_chooses ? kn_tree_from(n, x) : NULL;
    free(x);
    knmodels_arena_free(&run.arena);
    return made;
}

static kn_tree run_compiled(kn_onnx model, knonnx_model *m, kn_tree params, kn_tree inputs)
{
    kn_tree made = NULL, chosen = m->n_chooses ? choosers(m, inputs) : NULL;
    kn_jit_opts o = {.size_ = sizeof o};
    kn_args in = {m->n_chooses ? 3 : 2, {{&params, 2}, {&inputs, 2}, {&chosen, 2}}};
    kn_outs out = {1, {{&made, 2}}};
    if (m->n_chooses && !chosen)
        return NULL;
    o.constant_argnums = (kn_argnums){{1}, {0}};
    o.static_argnums = m->n_chooses ? (kn_argnums){{1}, {2}} : (kn_argnums){{0}, {0}};
    kn_fn fn = kn_jit(kn_fn_of(m->n_chooses ? &choosing : &plain, &model), &o);
    return fn && !kn_call(fn, &out, &in) ? made : NULL;
}

kn_tree kn_onnx_run(kn_onnx model, kn_tree inputs)
{
    knonnx_model *m = knonnx_model_get("onnx_run", model);
    if (!m)
        return NULL;
    bool before = kn_error_pending();
    kn_tree made = NULL;
    kn_scope scope = kn_scope_begin();
    kn_tree params = kn_onnx_params(model);
    if (params && !inputs)
        knbeside_null("onnx_run", "inputs");
    if (params && inputs && !m->by_nodes) {
        made = run_compiled(model, m, params, inputs);
        /* Shapes that depend on values: node by node from now on. */
        if (!made && !before && kn_error_pending() && kn_error_get_kind() == KN_ERROR_CONCRETIZATION) {
            kn_error_clear();
            m->by_nodes = true;
        }
    }
    if (params && inputs && !made && m->by_nodes) {
        knonnx_run run = {.operation = "onnx_run", .model = m, .pending = before};
        made = run_trees(&run, params, inputs, NULL);
        knmodels_arena_free(&run.arena);
    }
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

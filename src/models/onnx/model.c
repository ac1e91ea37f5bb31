/* SPDX-License-Identifier: Apache-2.0
 * model.c -- models as the user has them: a handle, its weights, what it says of itself. */
#include "models/onnx/model.h"
#include "kiln/extend.h"
#include "models/onnx/read.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void drop(void *object)
{
    knonnx_model *m = object;
    for (int i = 0; i < m->n_external; i++)
        knmodels_map_drop(m->external[i]);
    for (int i = 0; i < m->n_params; i++)
        knmodels_map_drop(atomic_load(&m->aligned[i]));
    free(m->external);
    free(m->external_path);
    knmodels_map_drop(m->file);
    knmodels_arena_free(&m->arena);
    free(m);
}

knonnx_model *knonnx_model_get(const char *operation, kn_onnx model)
{
    return kn_object_get(operation, "onnx model", model);
}

/* ---- Reading. */

typedef struct reading {
    const char *operation;
    knonnx_model *m;
} reading;

static int external(void *env, const char *path, knonnx_bytes *out)
{
    reading *r = env;
    knonnx_model *m = r->m;
    for (int i = 0; i < m->n_external; i++)
        if (!strcmp(m->external_path[i], path)) {
            *out = (knonnx_bytes){m->external[i]->at, m->external[i]->n};
            return 0;
        }
    size_t n = (size_t)m->n_external + 1;
    knmodels_map **maps = realloc(m->external, n * sizeof *maps);
    m->external = maps ? maps : m->external;
    const char **paths = realloc(m->external_path, n * sizeof *paths);
    m->external_path = paths ? paths : m->external_path;
    char *copy = knmodels_take_text(&m->arena, path, strlen(path));
    if (!maps || !paths || !copy)
        return knbeside_no_memory(r->operation);
    knmodels_map *map = knmodels_map_file(r->operation, path);
    if (!map)
        return -1;
    m->external[m->n_external] = map;
    m->external_path[m->n_external++] = copy;
    *out = (knonnx_bytes){map->at, map->n};
    return 0;
}

/* Weights are what floats are, and elements of a byte or less that scales belong to; one element alone is a constant,
 * such as an epsilon. */
static bool is_param(const knonnx_tensor *t, bool all)
{
    kn_dtype d = knonnx_dtype(t->elem);
    bool floats = d && strchr("fc", kn_dtype_kind(d));
    bool small = d && kn_dtype_size(d) == 1 && t->elem != KNONNX_BOOL;
    return *t->name && ((floats && (all || t->n > 1)) || (small && t->n > 1));
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const knonnx_tensor *const *)a)->name, (*(const knonnx_tensor *const *)b)->name);
}

static int list_params(const char *operation, knonnx_model *m, bool all)
{
    const knonnx_graph *g = m->proto.graph;
    m->param = knmodels_take(&m->arena, (uint64_t)g->n_init, sizeof *m->param);
    m->input = knmodels_take(&m->arena, (uint64_t)g->n_in, sizeof *m->input);
    m->chooses = knmodels_take(&m->arena, (uint64_t)g->n_in, sizeof *m->chooses);
    m->aligned = knmodels_take(&m->arena, (uint64_t)g->n_init, sizeof *m->aligned);
    if (!m->param || !m->input || !m->chooses || !m->aligned)
        return knbeside_no_memory(operation);
    for (int i = 0; i < g->n_init; i++)
        if (is_param(&g->init[i], all))
            m->param[m->n_params++] = &g->init[i];
    qsort(m->param, (size_t)m->n_params, sizeof *m->param, by_name);
    for (int i = 1; i < m->n_params; i++)
        if (!strcmp(m->param[i - 1]->name, m->param[i]->name))
            return knbeside_fail(operation, KN_ERROR_VALUE, "two initializers have the name \"%s\"", m->param[i]->name);
    knonnx_names made = {0};
    knmodels_arena arena = {0};
    bool ok = true;
    for (int i = 0; i < g->n_init; i++)
        ok = ok && knonnx_names_add(&arena, &made, g->init[i].name);
    for (int i = 0; i < g->n_in && ok; i++)
        if (!knonnx_names_find(&made, g->in[i].name))
            m->input[m->n_inputs++] = &g->in[i];
    knmodels_arena_free(&arena);
    return ok ? 0 : knbeside_no_memory(operation);
}

static char *folder_of(knonnx_model *m, const char *path, const char *given)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (given)
        return knmodels_take_text(&m->arena, given, strlen(given));
    if (!path)
        return NULL;
    return slash ? knmodels_take_text(&m->arena, path, slash == path ? 1 : (size_t)(slash - path))
                 : knmodels_take_text(&m->arena, ".", 1);
}

static kn_onnx open_model(const char *operation, knmodels_map *file, const char *path, const kn_onnx_load_opts *o)
{
    knonnx_model *m = file ? calloc(1, sizeof *m) : NULL;
    if (!m) {
        if (file)
            knbeside_no_memory(operation);
        knmodels_map_drop(file);
        return NULL;
    }
    m->file = file;
    reading r = {operation, m};
    knonnx_source s = {operation, file->at, file->n, folder_of(m, path, o->folder), external, &r};
    if (knonnx_read_proto(&s, &m->arena, &m->proto) || list_params(operation, m, o->all_params) ||
        knonnx_check_model(operation, m) || knonnx_find_choosers(operation, m)) {
        drop(m);
        return NULL;
    }
    return kn_object_new("onnx model", m, drop);
}

kn_onnx kn_onnx_load(const char *path, const kn_onnx_load_opts *opts)
{
    KNX_OPTS(kn_onnx_load_opts, o, opts);
    return open_model("onnx_load", knmodels_map_file("onnx_load", path), path, &o);
}

kn_onnx kn_onnx_parse(const void *bytes, size_t n, const kn_onnx_load_opts *opts)
{
    KNX_OPTS(kn_onnx_load_opts, o, opts);
    if (!bytes && n) {
        knbeside_null("onnx_parse", "bytes");
        return NULL;
    }
    return open_model("onnx_parse", knmodels_map_copy("onnx_parse", bytes, n), NULL, &o);
}

/* ---- What it says of itself. */

/* A parameter as an array: a view of the file, or of its aligned copy. */
static kn_array param_array(const char *operation, knonnx_model *m, int i)
{
    const knonnx_tensor *t = m->param[i];
    kn_dtype dtype = knonnx_dtype(t->elem);
    if (t->packed || !t->n || (uintptr_t)t->raw.at % kn_dtype_alignment(dtype) == 0)
        return knonnx_tensor_array(operation, m->file, m, t);
    knmodels_map *map = atomic_load(&m->aligned[i]), *none = NULL;
    if (!map) {
        map = knmodels_map_copy(operation, t->raw.at, t->raw.n);
        if (map && !atomic_compare_exchange_strong(&m->aligned[i], &none, map)) {
            knmodels_map_drop(map); /* another thread was first */
            map = none;
        }
    }
    kn_shape shape = {t->ndim, {0}};
    for (int k = 0; k < t->ndim; k++)
        shape.dim[k] = t->dim[k];
    return map ? knmodels_map_array(map, map->at, &shape, dtype) : knbeside_failed();
}

kn_tree kn_onnx_params(kn_onnx model)
{
    knonnx_model *m = knonnx_model_get("onnx_params", model);
    kn_tree_item *item = m ? knbeside_alloc((uint64_t)m->n_params, sizeof *item) : NULL;
    if (m && !item)
        knbeside_no_memory("onnx_params");
    if (!item)
        return NULL;
    kn_tree made = NULL;
    bool ok = true;
    kn_scope scope = kn_scope_begin();
    for (int i = 0; i < m->n_params && ok; i++) {
        item[i].name = m->param[i]->name;
        item[i].tree = kn_tree_leaf(param_array("onnx_params", m, i));
        ok = item[i].tree;
    }
    if (ok)
        made = kn_tree_dict(m->n_params, item);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    free(item);
    return made;
}

int kn_onnx_input_count(kn_onnx model)
{
    const knonnx_model *m = knonnx_model_get("onnx_input_count", model);
    return m ? m->n_inputs : -1;
}

int kn_onnx_output_count(kn_onnx model)
{
    const knonnx_model *m = knonnx_model_get("onnx_output_count", model);
    return m ? m->proto.graph->n_out : -1;
}

static int tell(const char *operation, const knonnx_info *from, int i, int n, kn_onnx_info *out)
{
    if (!out)
        return knbeside_null(operation, "out");
    if (!from)
        return knbeside_fail(operation, KN_ERROR_INDEX, "there is no %d among %d", i, n);
    const knonnx_type *t = from->type;
    memset(out, 0, sizeof *out);
    out->name = from->name;
    out->kind = t ? t->kind : KN_ONNX_TENSOR;
    out->ndim = -1;
    while (t && t->of)
        t = t->of;
    if (t) {
        out->dtype = knonnx_dtype(t->elem);
        out->ndim = t->ndim;
        for (int k = 0; k < t->ndim; k++) {
            out->dim[k] = t->dim[k];
            out->dim_name[k] = t->dim_name[k];
        }
    }
    return 0;
}

int kn_onnx_input(kn_onnx model, int i, kn_onnx_info *out)
{
    const knonnx_model *m = knonnx_model_get("onnx_input", model);
    return m ? tell("onnx_input", i >= 0 && i < m->n_inputs ? m->input[i] : NULL, i, m->n_inputs, out) : -1;
}

int kn_onnx_output(kn_onnx model, int i, kn_onnx_info *out)
{
    const knonnx_model *m = knonnx_model_get("onnx_output", model);
    const knonnx_graph *g = m ? m->proto.graph : NULL;
    return m ? tell("onnx_output", i >= 0 && i < g->n_out ? &g->out[i] : NULL, i, g->n_out, out) : -1;
}

const char *kn_onnx_metadata(kn_onnx model, const char *key)
{
    static const char *const names[] = {"producer_name", "producer_version", "domain",    "doc_string",
                                        "graph_name",    "model_version",    "ir_version"};
    knonnx_model *m = knonnx_model_get("onnx_metadata", model);
    if (!m || !key) {
        if (m)
            knbeside_null("onnx_metadata", "key");
        return NULL;
    }
    const knonnx_proto *p = &m->proto;
    for (int i = 0; i < p->n_texts; i++)
        if (!strcmp(p->texts[i].key, key))
            return p->texts[i].value;
    const char *const values[] = {p->producer, p->producer_version, p->domain, p->doc, p->graph->name};
    for (int i = 0; i < 5; i++)
        if (!strcmp(key, names[i]))
            return *values[i] ? values[i] : NULL;
    for (int i = 5; i < 7; i++)
        if (!strcmp(key, names[i])) {
            char text[24];
            int n = snprintf(text, sizeof text, "%lld", (long long)(i == 5 ? p->model_version : p->ir_version));
            return knmodels_take_text(&m->arena, text, (size_t)n);
        }
    return NULL;
}

int64_t kn_onnx_opset(kn_onnx model, const char *domain)
{
    const knonnx_model *m = knonnx_model_get("onnx_opset", model);
    if (!m)
        return -1;
    if (!domain || !strcmp(domain, "ai.onnx"))
        domain = "";
    for (int i = 0; i < m->proto.n_opsets; i++)
        if (!strcmp(m->proto.opsets[i].domain, domain))
            return m->proto.opsets[i].version;
    return 0;
}
